// SPDX-License-Identifier: Apache-2.0
#include "host/options/bus_option.hpp"

#include <fmt/format.h>

#include <vector>

#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

struct BusWord {
  const char* name;
  initiator::Agreement agreement;
};
constexpr BusWord kBuses[] = {{"async", initiator::kAsynchronous},
                              {"fast", initiator::kFast10Narrow},
                              {"fast-wide", initiator::kFast10Wide}};

// SDTR counts the period in units of 4 ns, in a byte; the bus's timing is that of Fast-10 at most.
constexpr std::uint32_t kPeriodUnitNs = 4;
constexpr std::uint32_t kShortestPeriodNs = initiator::kFast10PeriodFactor * kPeriodUnitNs;
constexpr std::uint32_t kLongestPeriodNs = UINT8_MAX * kPeriodUnitNs;

initiator::Agreement parse_sync(const std::string& text, std::vector<std::string> words) {
  initiator::Agreement agreement;
  if (words.size() > 2 && words.back() == "wide") {
    agreement.wide = true;
    words.pop_back();
  }
  if (words.size() < 2 || words.size() > 3) {
    throw OptionError(fmt::format("'{}': say sync:PERIOD_NS[:OFFSET][:wide]", text));
  }
  const std::uint32_t period =
      number_from("period in ns", words[1], kShortestPeriodNs, kLongestPeriodNs);
  if (period % kPeriodUnitNs != 0) {
    throw OptionError(fmt::format("period in ns: {} is no multiple of {}; say {} or {}", period,
                                  kPeriodUnitNs, period / kPeriodUnitNs * kPeriodUnitNs,
                                  (period / kPeriodUnitNs + 1) * kPeriodUnitNs));
  }
  agreement.period_factor = static_cast<std::uint8_t>(period / kPeriodUnitNs);
  agreement.offset = initiator::kDefaultOffset;
  if (words.size() == 3) {
    agreement.offset =
        static_cast<std::uint8_t>(number_from("offset", words[2], 1, initiator::kDefaultOffset));
  }
  return agreement;
}

}  // namespace

initiator::Agreement parse_bus(const std::string& text) {
  const std::vector<std::string> words = split_words(text, ':');
  if (words[0] == "sync") return parse_sync(text, words);
  std::vector<std::string> names = {"sync:PERIOD_NS"};
  for (const BusWord& bus : kBuses) {
    if (text == bus.name) return bus.agreement;
    names.emplace_back(bus.name);
  }
  throw OptionError(fmt::format("unknown bus '{}'; {}", text, drive::suggest(text, names)));
}

}  // namespace headstack::options
