// SPDX-License-Identifier: Apache-2.0
// The requests of a scenario that names no trace, as a trace in headstack's own format
// (traces/README.md).
#pragma once

#include <cstdint>
#include <string>

#include "host/scenario/scenario.hpp"

namespace headstack::scenario {

struct DriveBlocks {
  std::uint64_t capacity = 0;
  std::uint32_t bytes = 512;  // size of a block
};

/// The trace of load.synthetic or load.requests; "" without them. The same load gives the same
/// bytes on every machine. A synthetic one is that of host/regress/synthetic.py. Throws
/// drive::Fault if its span does not fit the drive, unless load.map translates addresses.
std::string requests_text(const Load& load, const DriveBlocks& drive);

}  // namespace headstack::scenario
