// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/maker.hpp"

#include "sim/drive/firmware_design.hpp"

namespace headstack::platform {
namespace {

/// Whether no sector of the store was ever written.
bool has_new_store(const ::drive_design& table, const media::MediaStore* media) {
  if (media == nullptr) return true;
  for (std::uint32_t i = 0; i < table.store_sectors; ++i) {
    if (media->is_written(table.store_sector + i)) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<::drive_design> make_design_table(const drive::DriveDescription& description,
                                                  const media::MediaStore* media) {
  auto table = std::make_unique<::drive_design>();  // too large for a stack
  drive::fill_firmware_design(description, *table);
  table->store_is_new = has_new_store(*table, media) ? 1 : 0;
  return table;
}

}  // namespace headstack::platform
