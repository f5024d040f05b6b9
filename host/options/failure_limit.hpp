// SPDX-License-Identifier: Apache-2.0
// The words of stop.fail_on: how many of a kind of failure a run may have before it counts as
// failed.
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
  kUnexplainedSense,  // sense data that no option of hosts and specimen explains
  kSense,             // sense data that hosts received
  kNotGood,           // records without status GOOD
  kMissedDeadline,    // of the records with a deadline
  kMediaRetry,
  kMissedRevolution,
  kLostRevolution,
  kBusViolation,
};
constexpr std::size_t kFailures = 8;

/// Limit on a kind of failure. Without a number it is 0.
struct FailureLimit {
  Failure failure = Failure::kUnexplainedSense;
  std::string text;       // text as given; "": a default limit
  double most = 0;        // a number, or a share from 0 to 1
  bool is_share = false;  // `most` is a share of the commands or deadlines
};

/// "sense", "sense=3", "missed-deadline=1%". Throws FailureLimitError.
FailureLimit parse_failure_limit(const std::string& text);
/// The limits of a run: those given, and the default ones that were not given.
std::vector<FailureLimit> failure_limits(const std::vector<std::string>& given);
/// Help text: one line for each kind.
std::string failure_list();

/// Number of failures, and of the cases that could fail.
struct FailureCount {
  std::uint64_t count = 0;
  std::uint64_t of = 0;
};
using FailureCounts = std::array<FailureCount, kFailures>;  // by Failure

/// The first limit that is exceeded, or null.
const FailureLimit* find_exceeded(const std::vector<FailureLimit>& limits,
                                  const FailureCounts& counts);
/// "stop.fail_on sense=3: 5 sense data".
std::string exceeded_text(const FailureLimit& limit, const FailureCounts& counts);

}  // namespace headstack::options
