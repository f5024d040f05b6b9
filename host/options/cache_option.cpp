// SPDX-License-Identifier: Apache-2.0
#include "host/options/cache_option.hpp"

#include <fmt/format.h>

#include <vector>

#include "firmware/kernel/bytes.h"
#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

// The caching page (SBC-2 6.3.3): bytes and bits.
constexpr std::size_t kFlags = 2;
constexpr std::uint8_t kWriteCacheEnable = 0x04;
constexpr std::uint8_t kReadCacheDisable = 0x01;
constexpr std::size_t kDisablePrefetchLength = 4;
constexpr std::size_t kMaximumPrefetch = 8;
constexpr std::size_t kMoreFlags = 12;
constexpr std::uint8_t kDisableReadAhead = 0x20;

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

void set_bit(std::uint8_t& byte, std::uint8_t bit, bool set) {
  byte = static_cast<std::uint8_t>(set ? byte | bit : byte & ~bit);
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
  set_bit(page[kFlags], kReadCacheDisable, setting.use == CacheUse::kOff);
  set_bit(page[kFlags], kWriteCacheEnable, setting.use == CacheUse::kReadWrite);
  if (setting.segments) page[kCachingSegments] = static_cast<std::uint8_t>(*setting.segments);
  if (setting.segment_blocks) bytes_put_be16(page + kCachingSegmentSize, *setting.segment_blocks);
  if (!setting.read_ahead_blocks) return;
  set_bit(page[kMoreFlags], kDisableReadAhead, *setting.read_ahead_blocks == 0);
  if (*setting.read_ahead_blocks == 0) return;
  bytes_put_be16(page + kMaximumPrefetch, *setting.read_ahead_blocks);
  // A length of 0 would disable all prefetch. No request is longer than this one, so prefetch
  // follows every read.
  std::uint8_t* length = page + kDisablePrefetchLength;
  if (length[0] == 0 && length[1] == 0) bytes_put_be16(length, UINT16_MAX);
}

}  // namespace headstack::options
