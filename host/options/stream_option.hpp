// SPDX-License-Identifier: Apache-2.0
// The command line's words for the properties of streams that the drive's policies use:
// STREAM:KEY=VALUE,... with the keys u, p, share, k and w.
//
// The words set the vendor's page 20h, subpage 01h (firmware/unit/stream_page.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/queue/policy_stream.h"
#include "host/options/option_words.hpp"

namespace headstack::options {

struct StreamSetting {
  std::uint32_t stream = 0;
  ::policy_stream values{};
};

/// Parses a text such as "3:u=0.25,p=100ms". Throws OptionError.
StreamSetting parse_stream(const std::string& text);

/// Parses the settings of all streams. Throws OptionError for a stream given twice, and for shares
/// that exceed 100 % of the time.
std::vector<StreamSetting> parse_streams(const std::vector<std::string>& texts);

/// Applies the settings to a page that the drive reported.
void apply_streams(const std::vector<StreamSetting>& settings, std::uint8_t* page);

}  // namespace headstack::options
