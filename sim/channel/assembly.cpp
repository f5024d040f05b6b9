// SPDX-License-Identifier: Apache-2.0
#include "sim/channel/assembly.hpp"

#include "sim/channel/sector_codec.hpp"
#include "sim/description/fault.hpp"
#include "sim/drive/drive_media.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::channel {

using mechanics::Spindle;

const drive::Design& runnable(const drive::Design& design) {
  if (design.rotational_latency == drive::RotationalLatency::kAngular) return design;
  throw drive::Fault("design.rotational_latency",
                     "mean latency is arithmetic, no platter turns like that: bytes do not pass by",
                     "run it with --platform native, or give \"angular\"");
}

Spindle make_spindle(const drive::DriveDescription& description, Start start) {
  return start == Start::kAtSpeed ? Spindle::at_speed(description.design, description.specimen)
                                  : Spindle(description.design, description.specimen);
}

media::MediaGeometry media_geometry(const drive::DriveDescription& description) {
  static_cast<void>(layout_of(description.design));  // called only for its errors
  return media::media_geometry_of(description.design, geometry::Geometry(description.design));
}

}  // namespace headstack::channel
