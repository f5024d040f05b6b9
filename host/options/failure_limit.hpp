// SPDX-License-Identifier: Apache-2.0
// The words of --fail-on: how many of a kind of failure a run may have before it counts as failed.
#pragma once

#include <stdexcept>
#include <string>

namespace headstack::options {

struct FailureLimitError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// share of the commands that had deadlines
struct FailureLimit {
  std::string text;  // as it was given
  double share = 0;  // 0 .. 1: more missed deadlines than this are a failure
};

/// "missed-deadline=1%"; "missed-deadline": of any. Throws FailureLimitError.
FailureLimit parse_failure_limit(const std::string& text);

}  // namespace headstack::options
