// The command line's words for the threshold between reads and the writes that the drive has
// reported from its buffer: none, space:F, time[:RATE[:SCALE]] or free:F.
//
// Set is the vendor's page 22h (firmware/scsi/mode_page.h); what the words mean is said in
// firmware/queue/write_buffer.h.
#pragma once

#include <cstdint>
#include <string>

#include "host/options/option_words.hpp"

namespace headstack::options {

struct WriteThreshold {
  std::uint8_t threshold = 0;     // enum write_threshold
  std::uint8_t below = 0;         // frames
  std::uint32_t rate_milli = 0;   // writes in 1,000 s; 0: as the drive measures
  std::uint16_t scale_milli = 0;  // thousandths of the time between two; 0: 1,000
};

/// "time:10:0.5". Throws OptionError.
WriteThreshold parse_write_threshold(const std::string& text);

constexpr std::uint32_t kWriteBufferPageBytes = 12;
/// Into the page as the drive gave it, kWriteBufferPageBytes of it.
void apply_write_threshold(const WriteThreshold& setting, std::uint8_t* page);

}  // namespace headstack::options
