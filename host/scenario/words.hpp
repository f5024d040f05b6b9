// SPDX-License-Identifier: Apache-2.0
// The words of a scenario: those of its enumerations, and texts that have a parser of their own.
#pragma once

#include <array>
#include <string>

#include "host/scenario/scenario.hpp"
#include "sim/description/words.hpp"

namespace headstack::scenario {

using drive::Choice;

constexpr std::array<Choice<Controller>, 2> kControllers = {{
    {Controller::kOwn, "own"},
    {Controller::kPublished, "published"},
}};
constexpr std::array<Choice<Platform>, 3> kPlatforms = {{
    {Platform::kVp, "vp"},
    {Platform::kRtl, "rtl"},
    {Platform::kNative, "native"},
}};
constexpr std::array<Choice<Pattern>, 3> kPatterns = {{
    {Pattern::kUniform, "uniform"},
    {Pattern::kSequential, "sequential"},
    {Pattern::kZipf, "zipf"},
}};
constexpr std::array<Choice<traces::BlockEvent>, 2> kBlockEvents = {{
    {traces::BlockEvent::kIssue, "issue"},
    {traces::BlockEvent::kQueue, "queue"},
}};
constexpr std::array<Choice<OnBad>, 2> kOnBad = {{
    {OnBad::kStop, "stop"},
    {OnBad::kSkip, "skip"},
}};
constexpr std::array<Choice<traces::AddressMapping>, 3> kMappings = {{
    {traces::AddressMapping::kNone, "none"},
    {traces::AddressMapping::kFold, "fold"},
    {traces::AddressMapping::kScale, "scale"},
}};
constexpr std::array<Choice<Loop>, 4> kLoops = {{
    {Loop::kTrace, "trace"},
    {Loop::kOpen, "open"},
    {Loop::kClosed, "closed"},
    {Loop::kThink, "think"},
}};
constexpr std::array<Choice<Cdb>, 4> kCdbs = {{
    {Cdb::k6, "6"},
    {Cdb::k10, "10"},
    {Cdb::k16, "16"},
    {Cdb::kMixed, "mixed"},
}};
constexpr std::array<Choice<options::RetryPolicy>, 3> kRetries = {{
    {options::RetryPolicy::kNone, "none"},
    {options::RetryPolicy::kLost, "lost"},
    {options::RetryPolicy::kAll, "all"},
}};
constexpr std::array<Choice<Deadlines>, 3> kDeadlines = {{
    {Deadlines::kNone, "none"},
    {Deadlines::kMessage, "message"},
    {Deadlines::kCdl, "cdl"},
}};
constexpr std::array<Choice<CdlPolicy>, 2> kCdlPolicies = {{
    {CdlPolicy::kComplete, "complete"},
    {CdlPolicy::kAbort, "abort"},
}};
constexpr std::array<Choice<std::uint32_t>, 3> kQueueErrors = {{{0, "0"}, {1, "1"}, {3, "3"}}};
constexpr std::array<Choice<Reordering>, 2> kReorderings = {{
    {Reordering::kRestricted, "restricted"},
    {Reordering::kUnrestricted, "unrestricted"},
}};
constexpr std::array<Choice<Records>, 3> kRecords = {{
    {Records::kFull, "full"},
    {Records::kSummary, "summary"},
    {Records::kNone, "none"},
}};

/// A text with a syntax of its own.
struct Word {
  void (*check)(const std::string& text);  // throws a std::exception with problem and remedy
  const char* pattern;                     // regular expression (ECMA 262) for editors
  const char* example;
};

extern const Word kPolicyWord;
extern const Word kCacheWord;
extern const Word kBusWord;
extern const Word kWriteThresholdWord;
extern const Word kPowerCutWord;
extern const Word kFailureWord;
extern const Word kWindowWord;
extern const Word kTriggerWord;
extern const Word kWaveFileWord;
extern const Word kTraceFormatWord;
extern const Word kTimeRangeWord;
extern const Word kAbortWord;
extern const Word kClearWord;
extern const Word kBusResetWord;
extern const Word kDeviceResetWord;
extern const Word kChangeWord;

}  // namespace headstack::scenario
