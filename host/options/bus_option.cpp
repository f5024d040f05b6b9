// SPDX-License-Identifier: Apache-2.0
#include "host/options/bus_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
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

// SDTR counts the period in units of 4 ns, in a byte. The bus's timing is at most that of Fast-10.
constexpr std::uint32_t kPeriodUnitNs = 4;
constexpr std::uint32_t kShortestPeriodNs = initiator::kFast10PeriodFactor * kPeriodUnitNs;
constexpr std::uint32_t kLongestPeriodNs = UINT8_MAX * kPeriodUnitNs;

constexpr const char* kGrammar = "sync:PERIOD_NS[:OFFSET][:wide][:in=NS][:out=NS]";
constexpr double kLongestPaceNs = 10'000;

struct PaceWord {
  const char* name;
  Picoseconds BusSetting::*pace;
};
constexpr PaceWord kPaces[] = {{"in", &BusSetting::in_period_ps},
                               {"out", &BusSetting::out_period_ps}};

/// Parses nanoseconds with up to three decimals, which are whole picoseconds.
Picoseconds pace_from(const std::string& name, const std::string& text) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || !(value > 0 && value <= kLongestPaceNs)) {
    throw OptionError(
        fmt::format("{}: '{}' is no time in ns; say 0.001 to {}", name, text, kLongestPaceNs));
  }
  return static_cast<Picoseconds>(std::llround(value * 1'000));
}

/// Removes the words of the hosts' own pace from the end.
void take_paces(const std::string& text, std::vector<std::string>& words, BusSetting& bus) {
  for (std::size_t equals; (equals = words.back().find('=')) != std::string::npos;) {
    const std::string name = words.back().substr(0, equals);
    const auto* word = std::find_if(std::begin(kPaces), std::end(kPaces),
                                    [&](const PaceWord& row) { return name == row.name; });
    if (word == std::end(kPaces)) {
      throw OptionError(fmt::format("'{}': '{}' is unknown; say {}", text, name, kGrammar));
    }
    if (bus.*word->pace != 0) throw OptionError(fmt::format("{} is given twice", name));
    bus.*word->pace = pace_from(name, words.back().substr(equals + 1));
    words.pop_back();
  }
}

BusSetting parse_sync(const std::string& text, std::vector<std::string> words) {
  BusSetting bus;
  initiator::Agreement& agreement = bus.agreement;
  take_paces(text, words, bus);
  if (words.size() > 2 && words.back() == "wide") {
    agreement.wide = true;
    words.pop_back();
  }
  if (words.size() < 2 || words.size() > 3) {
    throw OptionError(fmt::format("'{}': say {}", text, kGrammar));
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
  for (const PaceWord& word : kPaces) {
    if (bus.*word.pace != 0 && bus.*word.pace < agreement.period_ps()) {
      throw OptionError(fmt::format("'{}': {} is shorter than the period of {} ns; leave it out",
                                    text, word.name, period));
    }
  }
  return bus;
}

}  // namespace

BusSetting parse_bus(const std::string& text) {
  const std::vector<std::string> words = split_words(text, ':');
  if (words[0] == "sync") return parse_sync(text, words);
  std::vector<std::string> names = {"sync:PERIOD_NS"};
  for (const BusWord& bus : kBuses) {
    if (text == bus.name) return {bus.agreement};
    names.emplace_back(bus.name);
  }
  throw OptionError(fmt::format("unknown bus '{}'; {}", text, drive::suggest(text, names)));
}

}  // namespace headstack::options
