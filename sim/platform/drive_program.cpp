#include "sim/platform/drive_program.hpp"

#include "sim/assert.hpp"
#include "sim/drive/firmware_design.hpp"

namespace headstack::platform {

DriveProgram::DriveProgram(const drive::DriveDescription& description, std::uint8_t scsi_id)
    : design_(std::make_unique<::drive_design>()),
      drive_(std::make_unique<::drive>()),
      scsi_id_(scsi_id) {
  drive::fill_firmware_design(description, *design_);
}

void DriveProgram::start() {
  const enum ::status status = drive_init(drive_.get(), design_.get(), scsi_id_);
  HEADSTACK_ASSERT(status == STATUS_OK, "the design table is one for this firmware");
}

}  // namespace headstack::platform
