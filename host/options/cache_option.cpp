// SPDX-License-Identifier: Apache-2.0
#include "host/options/cache_option.hpp"

#include <fmt/format.h>

#include <vector>

#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

struct UseWord {
  const char* name;
  CacheUse use;
};
constexpr UseWord kUses[] = {
    {"off", CacheUse::kOff}, {"read", CacheUse::kRead}, {"read-write", CacheUse::kReadWrite}};

struct KeyWord {
  const char* name;
  std::uint32_t low, high;
  std::optional<std::uint32_t> CacheSetting::*value;
};
constexpr KeyWord kKeys[] = {
    {"segments", 1, UINT8_MAX, &CacheSetting::segments},
    {"segment-blocks", 1, UINT16_MAX, &CacheSetting::segment_blocks},
    {"read-ahead", 0, UINT16_MAX, &CacheSetting::read_ahead_blocks},
};

template <class Row, std::size_t kRows>
const Row& find_word(const Row (&rows)[kRows], const char* what, const std::string& name) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (name == row.name) return row;
    names.emplace_back(row.name);
  }
  throw OptionError(fmt::format("unknown {} '{}'; {}", what, name, drive::suggest(name, names)));
}

}  // namespace

CacheSetting parse_cache(const std::string& text) {
  const std::size_t colon = text.find(':');
  CacheSetting setting;
  setting.use = find_word(kUses, "cache", text.substr(0, colon)).use;
  if (colon == std::string::npos) return setting;
  if (setting.use == CacheUse::kOff) {
    throw OptionError(fmt::format("'{}': a cache that is off has no parameters", text));
  }
  for (const std::string& word : split_words(text.substr(colon + 1), ',')) {
    const std::size_t equals = word.find('=');
    const KeyWord& key = find_word(kKeys, "cache parameter", word.substr(0, equals));
    if (equals == std::string::npos) {
      throw OptionError(fmt::format("'{}' needs a value: {}=N", word, key.name));
    }
    if (setting.*key.value) throw OptionError(fmt::format("{} is given twice", key.name));
    setting.*key.value = number_from(key.name, word.substr(equals + 1), key.low, key.high);
  }
  return setting;
}

void apply_cache(const CacheSetting& setting, std::uint8_t* page) {
  MODE_PUT(page, CACHING, RCD, setting.use == CacheUse::kOff);
  MODE_PUT(page, CACHING, WCE, setting.use == CacheUse::kReadWrite);
  if (setting.segments) MODE_PUT(page, CACHING, SEGMENTS, *setting.segments);
  if (setting.segment_blocks) MODE_PUT(page, CACHING, SEGMENT_BLOCKS, *setting.segment_blocks);
  if (!setting.read_ahead_blocks) return;
  MODE_PUT(page, CACHING, DRA, *setting.read_ahead_blocks == 0);
  if (*setting.read_ahead_blocks == 0) return;
  MODE_PUT(page, CACHING, PREFETCH_MOST, *setting.read_ahead_blocks);
  // A length of 0 would disable all prefetch. No request is longer than the length set here, so
  // prefetch follows every read.
  if (MODE_GET(page, CACHING, PREFETCH_LENGTH) == 0) {
    MODE_PUT(page, CACHING, PREFETCH_LENGTH, UINT16_MAX);
  }
}

}  // namespace headstack::options
