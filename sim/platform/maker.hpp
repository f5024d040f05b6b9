// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the maker of a drive writes into its firmware's RAM: the table of firmware/drive_design.h.
#pragma once

#include <memory>

#include "firmware/drive_design.h"
#include "sim/description/description.hpp"
#include "sim/media/media_store.hpp"

namespace headstack::platform {

/// The table of a drive with these media; fresh ones, if there are none. Throws drive::Fault when
/// the firmware cannot work with the description.
std::unique_ptr<::drive_design> make_design_table(const drive::DriveDescription& description,
                                                  const media::MediaStore* media);

}  // namespace headstack::platform
