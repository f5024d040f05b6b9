// SPDX-License-Identifier: Apache-2.0
// The words of stop.fail_on: how many failures of a kind a run may have before it counts as failed.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::options {

struct FailureLimitError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Kinds of failure that can be limited, in the order in which they are judged.
enum class Failure : std::uint8_t {
  kUnexplainedSense,  // sense data that no option of hosts or specimen explains
  kSense,             // sense data that hosts received
  kNotGood,           // records without status GOOD
  kMissedDeadline,    // records that have a deadline and missed it
  kMediaRetry,
  kMissedRevolution,
  kLostRevolution,
  kBusViolation,
};
constexpr std::size_t kFailures = 8;

/// A limit for a kind of failure; 0 unless the word has a number.
struct FailureLimit {
  Failure failure = Failure::kUnexplainedSense;
  std::string text;       // the word as given; "": a default limit
  double most = 0;        // a number, or a share from 0 to 1
  bool is_share = false;  // `most` is a share of the commands or deadlines
};

/// Parses a word such as "sense", "sense=3" or "missed-deadline=1%". Throws FailureLimitError.
FailureLimit parse_failure_limit(const std::string& text);
/// The limits of a run: those given, and the default ones that were not given.
std::vector<FailureLimit> failure_limits(const std::vector<std::string>& given);
/// Help text: one line for each kind.
std::string failure_list();

/// The number of failures, and of the cases that could fail.
struct FailureCount {
  std::uint64_t count = 0;
  std::uint64_t of = 0;
};
using FailureCounts = std::array<FailureCount, kFailures>;  // indexed by Failure

/// The first limit that is exceeded, or null.
const FailureLimit* find_exceeded(const std::vector<FailureLimit>& limits,
                                  const FailureCounts& counts);
/// The sentence about a limit that is exceeded, such as "stop.fail_on sense=3: 5 sense data".
std::string exceeded_text(const FailureLimit& limit, const FailureCounts& counts);

}  // namespace headstack::options
