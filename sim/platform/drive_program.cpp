// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/drive_program.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/assert.hpp"

namespace headstack::platform {

DriveProgram::DriveProgram(std::unique_ptr<::drive_design> design, std::uint8_t scsi_id,
                           const ::policy* reference)
    : design_(std::move(design)),
      drive_(std::make_unique<::drive>()),
      scsi_id_(scsi_id),
      reference_(reference) {}

void DriveProgram::start() {
  const enum ::status status = drive_init(drive_.get(), design_.get(), scsi_id_);
  HEADSTACK_ASSERT(status == STATUS_OK, "the design table is one for this firmware");
}

/// Puts the reference in place of the policy, which MODE SELECT and a reset have put in force.
void DriveProgram::put_reference_in_force() {
  ::scheduler& scheduler = drive_->scheduler;
  if (scheduler.policy == reference_) return;
  scheduler.policy = reference_;
  std::fill(std::begin(scheduler.state.bytes), std::end(scheduler.state.bytes), std::uint8_t{0});
}

}  // namespace headstack::platform
