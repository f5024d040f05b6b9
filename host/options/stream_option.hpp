// The command line's words for what the drive's policies go by for a stream:
// STREAM:KEY=VALUE,... of u, p, share, k and w.
//
// Set is the vendor's page 20h, subpage 01h (firmware/scsi/stream_page.h).
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

/// "3:u=0.25,p=100ms". Throws OptionError.
StreamSetting parse_stream(const std::string& text);

/// All of them together. Throws OptionError: a stream twice, or more than all of the time.
std::vector<StreamSetting> parse_streams(const std::vector<std::string>& texts);

/// Into the page as the drive gave it.
void apply_streams(const std::vector<StreamSetting>& settings, std::uint8_t* page);

}  // namespace headstack::options
