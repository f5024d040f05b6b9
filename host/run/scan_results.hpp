// SPDX-License-Identifier: Apache-2.0
// Reads the results of the background medium scan (SBC-3, log page 15h) after the run's end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/session/session.hpp"

namespace headstack::run {

struct ScanResults {
  std::uint32_t completed = 0;        // number of scans that came to the last block
  std::uint32_t progress = 0;         // progress of the scan under way, in 65,536ths
  std::vector<std::uint64_t> blocks;  // bad blocks, in the order of the log
};

/// Everything is 0 if the drive does not answer: the run has reported what is wrong with it.
ScanResults read_scan_results(session::Session& session);

/// A line for the summary's table.
std::string scan_text(const ScanResults& results);

}  // namespace headstack::run
