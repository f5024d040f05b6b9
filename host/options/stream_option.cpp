// SPDX-License-Identifier: Apache-2.0
#include "host/options/stream_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

// A function of C may have the name of a struct; in C++ it hides the struct's constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/unit/stream_page.h"
#pragma GCC diagnostic pop
#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

constexpr const char* kForm = "give STREAM:KEY=VALUE,... as in 3:u=0.25,p=100ms";

std::uint16_t milli_from(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const double milli = value * POLICY_STREAM_U_MAX_MILLI;
  const bool fits = result.ec == std::errc() && result.ptr == end && milli >= 1 &&
                    milli <= POLICY_STREAM_U_MAX_MILLI &&
                    std::abs(milli - std::round(milli)) < 1e-9 * POLICY_STREAM_U_MAX_MILLI;
  if (!fits) {
    throw OptionError(
        fmt::format("u: '{}' is not a number from 0.001 to 1, in steps of 0.001", text));
  }
  return static_cast<std::uint16_t>(std::lround(milli));
}

std::uint16_t ms_from(const std::string& text) {
  constexpr std::size_t kUnit = 2;
  const bool is_ms = text.size() > kUnit && text.substr(text.size() - kUnit) == "ms";
  if (!is_ms)
    throw OptionError(fmt::format("p: '{}' is not a time in whole ms, as in 100ms", text));
  const std::string number = text.substr(0, text.size() - kUnit);
  return static_cast<std::uint16_t>(number_from("p", number, 1, POLICY_STREAM_P_MAX_MS));
}

std::uint8_t byte_from(const char* name, const std::string& text, std::uint32_t most) {
  return static_cast<std::uint8_t>(number_from(name, text, 1, most));
}

struct Key {
  const char* name;
  std::function<void(::policy_stream&, const std::string&)> take;
};
const std::vector<Key>& keys() {
  static const std::vector<Key> all = {
      {"u", [](::policy_stream& to, const std::string& text) { to.u_milli = milli_from(text); }},
      {"p", [](::policy_stream& to, const std::string& text) { to.p_ms = ms_from(text); }},
      {"share",
       [](::policy_stream& to, const std::string& text) {
         to.share = byte_from("share", text, POLICY_STREAM_SHARE_MAX);
       }},
      {"k", [](::policy_stream& to,
               const std::string& text) { to.round_quota = byte_from("k", text, UINT8_MAX); }},
      {"w", [](::policy_stream& to,
               const std::string& text) { to.weight = byte_from("w", text, UINT8_MAX); }},
  };
  return all;
}

const Key& find_key(const std::string& name) {
  std::vector<std::string> names;
  for (const Key& key : keys()) {
    if (name == key.name) return key;
    names.emplace_back(key.name);
  }
  throw OptionError(fmt::format("unknown key '{}'; {}", name, drive::suggest(name, names)));
}

}  // namespace

StreamSetting parse_stream(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw OptionError(fmt::format("'{}': {}", text, kForm));
  StreamSetting setting;
  setting.stream = number_from("stream", text.substr(0, colon), 0, POLICY_STREAMS - 1);
  std::set<std::string> seen;
  for (const std::string& word : split_words(text.substr(colon + 1), ',')) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Key& key = find_key(name);
    if (equals == std::string::npos) throw OptionError(fmt::format("'{}': {}", word, kForm));
    if (!seen.insert(name).second) throw OptionError(fmt::format("'{}' is given twice", name));
    key.take(setting.values, word.substr(equals + 1));
  }
  if (seen.count("u") != seen.count("p")) {
    throw OptionError(fmt::format("'{}': u and p go together, as in u=0.25,p=100ms", text));
  }
  return setting;
}

std::vector<StreamSetting> parse_streams(const std::vector<std::string>& texts) {
  std::vector<StreamSetting> settings;
  std::set<std::uint32_t> seen;
  std::uint32_t u_milli = 0, share = 0;
  for (const std::string& text : texts) {
    settings.push_back(parse_stream(text));
    const StreamSetting& one = settings.back();
    if (!seen.insert(one.stream).second) {
      throw OptionError(
          fmt::format("stream {} is given twice; give all of it at once", one.stream));
    }
    u_milli += one.values.u_milli;
    share += one.values.share;
    if (u_milli > POLICY_STREAM_U_MAX_MILLI) {
      throw OptionError(fmt::format("'{}': u of all streams is more than 1; reserve less", text));
    }
    if (share > POLICY_STREAM_SHARE_MAX) {
      throw OptionError(
          fmt::format("'{}': share of all streams is more than 100; give less", text));
    }
  }
  return settings;
}

void apply_streams(const std::vector<StreamSetting>& settings, std::uint8_t* page) {
  for (const StreamSetting& setting : settings) {
    std::uint8_t* at = page + MODE_STREAMS_AT + setting.stream * MODE_STREAM_BYTES;
#define MODE_HAS(page) ((page) == 0x60)
#define MODE_DESCRIPTOR_FIELD(descriptor, field, name, ...) \
  MODE_PUT(at, descriptor, field, setting.values.name);
#include "firmware/unit/modes.def"
  }
}

}  // namespace headstack::options
