// SPDX-License-Identifier: Apache-2.0
/// @file
/// The native firmware, as a program of the fast platform's core: the counterpart of
/// firmware/start/main.c on the drive's processor.
#pragma once

#include <cstdint>
#include <memory>

#include "firmware/drive.h"
#include "sim/tlm/cores/native_core.hpp"

namespace headstack::platform {

class DriveProgram : public tlm::Program {
 public:
  /// `reference`, if not null, chooses in place of the policy that the host selects, and must
  /// outlive the program. It may need no begin() and no store, and its state must be zero at first.
  DriveProgram(std::unique_ptr<::drive_design> design, std::uint8_t scsi_id,
               const ::policy* reference = nullptr);

  void start() override;
  void step() override {
    if (reference_ != nullptr) put_reference_in_force();
    drive_step(drive_.get());
  }

  /// The firmware's state, for inspection between its steps.
  const ::drive& state() const { return *drive_; }

 private:
  std::unique_ptr<::drive_design> design_;
  std::unique_ptr<::drive> drive_;  // zero before start(), as in .bss
  std::uint8_t scsi_id_;
  const ::policy* reference_;

  void put_reference_in_force();
};

}  // namespace headstack::platform
