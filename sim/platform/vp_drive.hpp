// SPDX-License-Identifier: Apache-2.0
/// @file
/// The whole drive on the platforms `vp` and `native`. The exact core executes the firmware's
/// program, or the firmware runs natively. Fast models of the electronics surround it. Behind
/// them is the head-disk assembly, in front the port on a bus of transactions.
///
/// The drive uses the agenda of its bus, which runs no other drive. The firmware advances the
/// agenda's time, so that Agenda::now() may be past the time that its owner requested
/// (sim/tlm/cores/exact_core.hpp). Drives on separate agendas share nothing, and run in one process
/// in any order.
///
/// It reports the same as RtlDrive: the firmware's events with the number of their clock edge, and
/// events of the mechanics to an observer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/description/description.hpp"
#include "sim/platform/drive_program.hpp"
#include "sim/soc/elf_image.hpp"
#include "sim/soc/soc_clock.hpp"
#include "sim/tlm/blocks/buffer_mgr.hpp"
#include "sim/tlm/blocks/formatter.hpp"
#include "sim/tlm/blocks/irq_ctrl.hpp"
#include "sim/tlm/blocks/scsi_target.hpp"
#include "sim/tlm/blocks/servo.hpp"
#include "sim/tlm/blocks/testdev.hpp"
#include "sim/tlm/blocks/timer.hpp"
#include "sim/tlm/blocks/trace_port.hpp"
#include "sim/tlm/bus/transaction_bus.hpp"
#include "sim/tlm/cores/exact_core.hpp"
#include "sim/tlm/cores/native_core.hpp"
#include "sim/tlm/disk/disk.hpp"

namespace headstack::platform {

struct VpOptions {
  tlm::Disk::Start start = tlm::Disk::Start::kAtSpeed;
  /// On `vp`, the program that the exact core executes. Null on `native`; the other options are for
  /// `native`.
  const soc::ElfImage* firmware = nullptr;
  /// The folder of the firmware's translations (translation_file.hpp); "": that of this process.
  std::string translations;
  /// Clock cycles of a register access of the native firmware; 0 for an ideal bus.
  std::uint32_t access_price = tlm::NativeCore::kAccessPrice;
  std::uint8_t scsi_id = 0;  // SCSI id; on `rtl`, firmware/start/main.c sets it
  /// On `native`, a policy that chooses in place of the one that the host selects; or null.
  const ::policy* reference = nullptr;
};

class VpDrive {
 public:
  /// Switches the power on at the agenda's present time. `media` are the drive's own, made for
  /// channel::media_geometry(); without them they are fresh. `bus`, `listener` and `observer` must
  /// outlive the drive. `listener` and `observer` may be null, and do not affect the drive. Throws
  /// drive::Fault when the electronics or the firmware cannot work with the description, and
  /// soc::ElfError when the program does not fit.
  VpDrive(const drive::DriveDescription& description, tlm::TransactionBus& bus,
          const VpOptions& options, soc::SocListener* listener,
          channel::HdaObserver* observer = nullptr,
          std::optional<media::MediaStore> media = std::nullopt);

  /// Cuts the power now: nothing is written from then on. The sector under the head is finished or
  /// torn at once. Further actions of the electronics have no effect.
  void lose_power(drive::PowerLoss loss) {
    if (!disk_.media().power().is_on()) return;  // the media have lost power already
    formatter_.lose_power(loss);
    disk_.media().power().cut();
  }

  /// The exit code, once the firmware has ended the run; the electronics then stop.
  std::optional<std::uint32_t> exit_code() const { return core_->exit_code(); }

  const tlm::Processor& core() const { return *core_; }
  /// The core on `vp`; null on `native`.
  tlm::ExactCore* exact_core() { return dynamic_cast<tlm::ExactCore*>(core_.get()); }
  const tlm::ExactCore* exact_core() const {
    return dynamic_cast<const tlm::ExactCore*>(core_.get());
  }
  /// The native firmware's state; null on `vp`.
  const ::drive* firmware_state() const {
    return program_ != nullptr ? &program_->state() : nullptr;
  }
  const tlm::BufferMgr& buffer() const { return buffer_mgr_; }
  tlm::Disk& disk() { return disk_; }
  const tlm::Disk& disk() const { return disk_; }

 private:
  std::unique_ptr<DriveProgram> program_;  // the native firmware, on `native`
  tlm::Disk disk_;
  std::unique_ptr<tlm::Processor> core_;
  tlm::IrqCtrl irq_ctrl_;
  tlm::Timer timer_;
  tlm::TracePort trace_port_;
  tlm::Testdev testdev_;
  tlm::BufferMgr buffer_mgr_;
  tlm::ScsiTarget scsi_target_;
  tlm::Servo servo_;
  tlm::Formatter formatter_;
};

}  // namespace headstack::platform
