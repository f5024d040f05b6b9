// SPDX-License-Identifier: Apache-2.0
#include "host/options/write_threshold_option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

// A function of C may have the name of a struct; in C++ it hides the struct's constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/queue/write_buffer.h"
#include "firmware/unit/mode_page.h"
#pragma GCC diagnostic pop
#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

struct ThresholdWord {
  const char* name;
  ::write_threshold threshold;
  std::size_t least_words, most_words;  // numbers of words after the name
  const char* form;
};
constexpr ThresholdWord kWords[] = {
    {"none", WRITE_THRESHOLD_NONE, 0, 0, "none"},
    {"space", WRITE_THRESHOLD_SPACE, 1, 1, "space:FRAMES, as in space:1"},
    {"time", WRITE_THRESHOLD_TIME, 0, 2, "time, time:RATE or time:RATE:SCALE, as in time:10:0.5"},
    {"free", WRITE_THRESHOLD_FREE, 1, 1, "free:FRAMES, as in free:2"},
};

const ThresholdWord& find_word(const std::string& name) {
  std::vector<std::string> names;
  for (const ThresholdWord& word : kWords) {
    if (name == word.name) return word;
    names.emplace_back(word.name);
  }
  throw OptionError(
      fmt::format("unknown write threshold '{}'; {}", name, drive::suggest(name, names)));
}

/// Parses a decimal number into whole thousandths, from `low` to `high` thousandths.
std::uint32_t thousandths_from(const char* name, const std::string& text, std::uint32_t low,
                               std::uint32_t high) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  const double milli = is_number && std::isfinite(value) ? std::round(value * 1000) : -1;
  if (milli < low || milli > high) {
    throw OptionError(
        fmt::format("{} '{}': give a number from {} to {}", name, text, low / 1e3, high / 1e3));
  }
  return static_cast<std::uint32_t>(milli);
}

}  // namespace

WriteThreshold parse_write_threshold(const std::string& text) {
  std::vector<std::string> words = split_words(text, ':');
  const ThresholdWord& word = find_word(words.front());
  words.erase(words.begin());
  if (words.size() < word.least_words || words.size() > word.most_words) {
    throw OptionError(fmt::format("'{}': give {}", text, word.form));
  }
  WriteThreshold setting;
  setting.threshold = static_cast<std::uint8_t>(word.threshold);
  if (word.threshold != WRITE_THRESHOLD_TIME) {
    if (words.empty()) return setting;
    setting.below =
        static_cast<std::uint8_t>(number_from("frames", words[0], 1, MODE_CACHING_SEGMENTS_MAX));
    return setting;
  }
  if (!words.empty()) {
    setting.rate_milli = thousandths_from(
        "writes a second", words[0], WRITE_BUFFER_RATE_LEAST_MILLI, WRITE_BUFFER_RATE_MOST_MILLI);
  }
  if (words.size() > 1) {
    setting.scale_milli = static_cast<std::uint16_t>(
        thousandths_from("scale", words[1], 1, WRITE_BUFFER_SCALE_MOST_MILLI));
  }
  return setting;
}

void apply_write_threshold(const WriteThreshold& setting, std::uint8_t* page) {
  MODE_PUT(page, WRITE_BUFFER, THRESHOLD, setting.threshold);
  MODE_PUT(page, WRITE_BUFFER, FRAMES, setting.below);
  MODE_PUT(page, WRITE_BUFFER, RATE, setting.rate_milli);
  MODE_PUT(page, WRITE_BUFFER, SCALE, setting.scale_milli);
}

}  // namespace headstack::options
