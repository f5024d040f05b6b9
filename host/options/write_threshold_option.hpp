// SPDX-License-Identifier: Apache-2.0
// The command line's words for the threshold between reads and the writes that the drive has
// reported from its buffer: none, space:F, time[:RATE[:SCALE]] or free:F.
//
// The words set the vendor's page 22h (firmware/unit/mode_page.h). Their meaning is in
// firmware/queue/write_buffer.h.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/unit/mode_page.h"
#include "host/options/option_words.hpp"

namespace headstack::options {

struct WriteThreshold {
  std::uint8_t threshold = 0;     // a value of enum write_threshold
  std::uint8_t below = 0;         // number of frames
  std::uint32_t rate_milli = 0;   // writes in 1,000 s; 0: as measured by the drive
  std::uint16_t scale_milli = 0;  // thousandths of the time between two writes; 0: 1,000
};

/// Parses a text such as "time:10:0.5". Throws OptionError.
WriteThreshold parse_write_threshold(const std::string& text);

constexpr std::uint32_t kWriteBufferPageBytes = MODE_WRITE_BUFFER_BYTES;
/// Applies the setting to a page of kWriteBufferPageBytes that the drive reported.
void apply_write_threshold(const WriteThreshold& setting, std::uint8_t* page);

}  // namespace headstack::options
