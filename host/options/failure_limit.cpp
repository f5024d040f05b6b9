// SPDX-License-Identifier: Apache-2.0
#include "host/options/failure_limit.hpp"

#include <fmt/format.h>

#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

constexpr const char* kMissedDeadline = "missed-deadline";
constexpr double kHundred = 100;

/// A decimal number from 0 to 100 and a percent sign.
double share_of(const std::string& text, const std::string& word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789."), word.size());
  double percent = -1;
  std::size_t read = 0;
  try {
    percent = std::stod(word.substr(0, digits), &read);
  } catch (const std::exception&) {
    read = 0;
  }
  const bool is_number = digits > 0 && read == digits && word.substr(digits) == "%";
  if (!is_number || percent > kHundred) {
    throw FailureLimitError(
        fmt::format("'{}': say a share from 0% to 100%, as in {}=1%", text, kMissedDeadline));
  }
  return percent / kHundred;
}

}  // namespace

FailureLimit parse_failure_limit(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name != kMissedDeadline) {
    throw FailureLimitError(fmt::format("a run is not held to '{}'; {}", name,
                                        drive::suggest(name, {kMissedDeadline})));
  }
  return {text, equals == std::string::npos ? 0 : share_of(text, text.substr(equals + 1))};
}

}  // namespace headstack::options
