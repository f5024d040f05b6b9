// SPDX-License-Identifier: Apache-2.0
#include "host/options/failure_limit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

constexpr double kHundred = 100;
constexpr double kLargestCount = 1e15;  // a double represents each whole number up to this one

struct Noun {
  const char* one;
  const char* many;
};

constexpr Noun kCommands = {"command", "commands"};

struct Row {
  Failure failure;
  const char* name;
  Noun what;        // the noun that is counted
  Noun of;          // the noun of which a share is given
  bool is_default;  // 0 is the limit if none is given
  const char* help;
};

constexpr Row kRows[] = {
    {Failure::kUnexplainedSense,
     "unexplained-sense",
     {"sense that no option of hosts or drive explains",
      "sense data that no option of hosts or drive explains"},
     kCommands,
     true,
     "sense data that no option of hosts or specimen explains (default limit: 0)"},
    {Failure::kSense,
     "sense",
     {"sense", "sense data"},
     kCommands,
     false,
     "sense data received by hosts, retries included"},
    {Failure::kNotGood,
     "not-good",
     {"command that did not end with GOOD", "commands that did not end with GOOD"},
     kCommands,
     false,
     "commands in records.csv with a status other than GOOD"},
    {Failure::kMissedDeadline,
     "missed-deadline",
     {"missed deadline", "missed deadlines"},
     {"deadline", "deadlines"},
     false,
     "commands that missed their deadline; a share is taken of all deadlines"},
    {Failure::kMediaRetry,
     "media-retry",
     {"further attempt on the media", "further attempts on the media"},
     kCommands,
     false,
     "retries on the media (media_retries)"},
    {Failure::kMissedRevolution,
     "missed-revolution",
     {"missed revolution", "missed revolutions"},
     kCommands,
     false,
     "commands that ended half a revolution or more after the planned time"},
    {Failure::kLostRevolution,
     "lost-revolution",
     {"lost revolution", "lost revolutions"},
     kCommands,
     false,
     "whole revolutions lost between the sectors of one command"},
    {Failure::kBusViolation,
     "bus-violation",
     {"violation of the bus's rules", "violations of the bus's rules"},
     kCommands,
     true,
     "violations of the bus protocol (default limit: 0)"},
};
static_assert(std::size(kRows) == kFailures);

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Row& row : kRows) all.emplace_back(row.name);
  return all;
}

std::string counted(std::uint64_t count, const Noun& noun) {
  return fmt::format("{} {}", count, count == 1 ? noun.one : noun.many);
}

const Row& row_of(Failure failure) { return kRows[static_cast<std::size_t>(failure)]; }

/// Parses a decimal number, followed by '%' for a share.
void take_most(FailureLimit& limit, const std::string& word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789."), word.size());
  limit.is_share = word.substr(digits) == "%";
  std::size_t read = 0;
  try {
    limit.most = std::stod(word.substr(0, digits), &read);
  } catch (const std::exception&) {
    read = 0;
  }
  const bool is_number = digits > 0 && read == digits && (limit.is_share || digits == word.size());
  const bool is_whole = word.find('.') == std::string::npos;
  const double largest = limit.is_share ? kHundred : kLargestCount;
  if (!is_number || limit.most > largest || (!limit.is_share && !is_whole)) {
    const char* name = row_of(limit.failure).name;
    throw FailureLimitError(fmt::format(
        "'{}': say the most that a run may have as a whole number, or as a share from 0% to 100%: "
        "{}=3 or {}=1%",
        limit.text, name, name));
  }
  if (limit.is_share) limit.most /= kHundred;
}

bool is_exceeded(const FailureLimit& limit, const FailureCount& found) {
  const auto count = static_cast<double>(found.count);
  return limit.is_share ? count > limit.most * static_cast<double>(found.of) : count > limit.most;
}

}  // namespace

FailureLimit parse_failure_limit(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return name == r.name; });
  if (row == std::end(kRows)) {
    throw FailureLimitError(
        fmt::format("a run is not held to '{}'; {}", name, drive::suggest(name, names())));
  }
  FailureLimit limit;
  limit.failure = row->failure;
  limit.text = text;
  if (equals != std::string::npos) take_most(limit, text.substr(equals + 1));
  return limit;
}

std::vector<FailureLimit> failure_limits(const std::vector<std::string>& given) {
  std::vector<FailureLimit> limits;
  for (const std::string& text : given) limits.push_back(parse_failure_limit(text));
  for (const Row& row : kRows) {
    const bool is_given = std::any_of(limits.begin(), limits.end(), [&](const FailureLimit& limit) {
      return limit.failure == row.failure;
    });
    if (!row.is_default || is_given) continue;
    FailureLimit limit;
    limit.failure = row.failure;
    limits.push_back(limit);
  }
  std::stable_sort(limits.begin(), limits.end(), [](const FailureLimit& a, const FailureLimit& b) {
    return a.failure < b.failure;
  });
  return limits;
}

std::string failure_list() {
  std::string text = "What stop.fail_on counts:\n";
  for (const Row& row : kRows) text += fmt::format("  {:<18} {}\n", row.name, row.help);
  return text;
}

const FailureLimit* find_exceeded(const std::vector<FailureLimit>& limits,
                                  const FailureCounts& counts) {
  const auto found = std::find_if(limits.begin(), limits.end(), [&](const FailureLimit& limit) {
    return is_exceeded(limit, counts[static_cast<std::size_t>(limit.failure)]);
  });
  return found == limits.end() ? nullptr : &*found;
}

std::string exceeded_text(const FailureLimit& limit, const FailureCounts& counts) {
  const Row& row = row_of(limit.failure);
  const FailureCount& found = counts[static_cast<std::size_t>(limit.failure)];
  const std::string which = limit.text.empty() ? fmt::format("{} (default)", row.name) : limit.text;
  std::string text = fmt::format("stop.fail_on {}: {}", which, counted(found.count, row.what));
  if (limit.is_share) {
    const double of = static_cast<double>(std::max<std::uint64_t>(1, found.of));
    const double share = static_cast<double>(found.count) / of;
    text += fmt::format(", {:.3f} % of {}", kHundred * share, counted(found.of, row.of));
  }
  return text;
}

}  // namespace headstack::options
