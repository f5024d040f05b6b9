// SPDX-License-Identifier: Apache-2.0
/// @file
/// The media of one described drive: its sizes, and the flaws of its specimen.
#pragma once

#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/media/flaw_spec.hpp"
#include "sim/media/media_geometry.hpp"

namespace headstack::media {

/// Sector count and sizes. The layout signature is FNV-1a over the values that map an index to a
/// place. These are heads, mapping, and each zone's cylinders and sectors per track, as 8
/// little-endian bytes.
[[nodiscard]] MediaGeometry media_geometry_of(const drive::Design& design,
                                              const geometry::Geometry& geometry);

/// The specimen's flaws by sector index, with one entry per sector of a defect or scratch. Listed
/// blocks must exist on the drive.
[[nodiscard]] FlawSpec flaw_spec_of(const drive::Specimen& specimen,
                                    const geometry::Geometry& geometry);

}  // namespace headstack::media
