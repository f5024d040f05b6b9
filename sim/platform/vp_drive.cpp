// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/vp_drive.hpp"

#include <utility>

#include "firmware/drive_design.h"
#include "sim/channel/assembly.hpp"
#include "sim/core/translation_file.hpp"
#include "sim/drive/firmware_design.hpp"
#include "sim/platform/maker.hpp"

namespace headstack::platform {
namespace {

static_assert(DRIVE_DESIGN_END == soc::kFirmwareRamBytes, "the firmware knows where its RAM ends");

/// Makes the core, with its program and the table of the drive in RAM.
std::unique_ptr<tlm::Processor> make_exact_core(tlm::Agenda& agenda, const ::drive_design& design,
                                                const soc::ElfImage& firmware,
                                                const std::string& translations) {
  firmware.check_fits(soc::kFirmwareRamBytes);
  auto core = std::make_unique<tlm::ExactCore>(agenda);
  // A new core's RAM is zero already.
  for (const soc::ElfImage::Segment& segment : firmware.segments()) {
    core->hart().load(segment.address, segment.bytes);
  }
  core->hart().load(DRIVE_DESIGN_ADDRESS, drive::firmware_design_image(design));
  core->hart().stop_at_faults(firmware.stack_limit());
  const auto* translation = core::find_translation(
      translations, core::translation_key(firmware.code(), firmware.stack_limit()));
  if (translation != nullptr) core->hart().use(*translation);
  return core;
}

/// Refuses, on `vp`, a drive that `rtl` cannot turn: the two are equal.
const drive::DriveDescription& runnable_in_cycles(const drive::DriveDescription& description) {
  static_cast<void>(channel::runnable(description.design));
  return description;
}

}  // namespace

VpDrive::VpDrive(const drive::DriveDescription& description, tlm::TransactionBus& bus,
                 const VpOptions& options, soc::SocListener* listener,
                 channel::HdaObserver* observer, std::optional<media::MediaStore> media)
    : program_(options.firmware == nullptr
                   ? std::make_unique<DriveProgram>(
                         make_design_table(description, media ? &*media : nullptr), options.scsi_id,
                         options.reference)
                   : nullptr),
      disk_(options.firmware == nullptr ? description : runnable_in_cycles(description),
            media ? std::move(*media) : media::MediaStore(channel::media_geometry(description)),
            options.start),
      core_(program_ == nullptr
                ? make_exact_core(bus.agenda(), *make_design_table(description, &disk_.media()),
                                  *options.firmware, options.translations)
                : std::make_unique<tlm::NativeCore>(bus.agenda(), options.access_price, *program_)),
      irq_ctrl_(*core_),
      timer_(bus.agenda(), irq_ctrl_),
      trace_port_(bus.agenda(), listener),
      testdev_(bus.agenda(), listener, *core_),
      buffer_mgr_(bus.agenda(), irq_ctrl_),
      scsi_target_(bus, buffer_mgr_, irq_ctrl_),
      servo_(bus.agenda(), irq_ctrl_, disk_),
      formatter_(bus.agenda(), irq_ctrl_, disk_, buffer_mgr_, servo_) {
  tlm::Processor::Map map;
  // The pages are in the order of the address map (hdl/README.md).
  map.pages = {&timer_,       &irq_ctrl_,   &trace_port_, &testdev_,
               &scsi_target_, &buffer_mgr_, &formatter_,  &servo_};
  map.buffer = &buffer_mgr_;
  core_->connect(map);
  if (observer != nullptr) disk_.observe(observer);
}

}  // namespace headstack::platform
