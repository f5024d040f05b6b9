// SPDX-License-Identifier: Apache-2.0
// The command line's words for the drive's cache: off, read or read-write, followed by
// [:KEY=VALUE,...]. Without a value, the drive's own setting remains.
//
// The words set the caching page, 08h (SBC-2 6.3.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "firmware/unit/mode_page.h"
#include "host/options/option_words.hpp"

namespace headstack::options {

enum class CacheUse {
  kOff,        // leaves the page unchanged: the drive starts with its cache off
  kRead,       // sets RCD = 0, WCE = 0
  kReadWrite,  // sets RCD = 0, WCE = 1
};

struct CacheSetting {
  CacheUse use = CacheUse::kOff;
  std::optional<std::uint32_t> segments;
  std::optional<std::uint32_t> segment_blocks;
  std::optional<std::uint32_t> read_ahead_blocks;  // most blocks to read ahead; 0: none (DRA)
};

/// Parses words such as "read:segments=4,read-ahead=64". Throws OptionError.
CacheSetting parse_cache(const std::string& text);

constexpr std::uint32_t kCachingPageBytes = MODE_CACHING_BYTES;
/// Applies the setting to a page of kCachingPageBytes that the drive reported.
void apply_cache(const CacheSetting& setting, std::uint8_t* page);

}  // namespace headstack::options
