// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/electronics.hpp"

#include <fmt/format.h>

#include "firmware/drive_design.h"

namespace headstack::drive {

std::string find_too_fast_zone(const DriveDescription& description) {
  // Times are rounded to picoseconds: two bytes a clock apart might pass in one clock.
  constexpr double kShortestNs = DRIVE_DESIGN_TICK_NS + 0.01;
  const Design& design = description.design;
  const double rpm = design.rpm * (1 + description.specimen.speed_error_ppm * 1e-6);
  for (std::size_t z = 0; z < design.zones.size(); ++z) {
    const std::uint64_t raw_bytes =
        std::uint64_t{raw_sector_bytes(design)} * design.zones[z].sectors_per_track;
    const double byte_ns = 60e9 / rpm / static_cast<double>(raw_bytes);
    if (byte_ns >= kShortestNs) continue;
    return fmt::format(
        "design.zones[{}].sectors_per_track: a byte of {} sectors passes in {:.1f} ns; the "
        "electronics take one in {} ns",
        z, design.zones[z].sectors_per_track, byte_ns, DRIVE_DESIGN_TICK_NS);
  }
  return "";
}

}  // namespace headstack::drive
