// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/rtl_drive.hpp"

#include <utility>

#include "firmware/drive_design.h"
#include "sim/drive/firmware_design.hpp"
#include "sim/platform/maker.hpp"

namespace headstack::platform {
namespace {

constexpr bus::LineSet kHeard =
    bus::line::kAll & ~(bus::line::kCd | bus::line::kMsg | bus::line::kReq);

/// Loads the program and the table of the drive into the RAM of a SoC out of reset.
void load(soc::Soc& soc, const soc::ElfImage& firmware, const ::drive_design& design) {
  soc.load(firmware);
  soc.write_ram(DRIVE_DESIGN_ADDRESS, drive::firmware_design_image(design));
  soc.reset();
}

}  // namespace

RtlDrive::RtlDrive(sc_core::sc_module_name name, const drive::DriveDescription& description,
                   const soc::ElfImage& firmware, bus::ScsiBus& bus, const RtlOptions& options,
                   soc::SocListener* listener, channel::HdaObserver* observer,
                   std::optional<media::MediaStore> media)
    : sc_module(name),
      hda_("hda", description,
           media ? std::move(*media) : media::MediaStore(channel::media_geometry(description)),
           options.start),
      soc_(options.build),
      clock_("clock",
             (load(soc_, firmware, *make_design_table(description, &hda_.surface().media())), soc_),
             listener, options.gating),
      port_(bus.attach("drive")) {
  clock_.stop_at_faults(firmware.stack_limit());
  hda_.connect(*this);
  clock_.read_ahead(this);
  if (observer != nullptr) hda_.observe(*observer);
  levels(hda_.levels());
  // A target does not sample the lines that only it drives (soc_top.sv), but waves show them.
  if (options.build == soc::SocBuild::kFast) port_.listen(kHeard, kHeard);
  SC_METHOD(take_bus);
  sensitive << port_.changed();
  dont_initialize();
  SC_METHOD(take_outputs);
  sensitive << clock_.outputs_changed();
  dont_initialize();
}

void RtlDrive::take_bus() {
  clock_.change([this](soc::SocInputs& in) { in.scsi = port_.lines(); });
}

void RtlDrive::take_outputs() {
  const soc::SocOutputs before = outputs_;
  outputs_ = clock_.outputs();
  if (outputs_.scsi != before.scsi) port_.drive(outputs_.scsi);
  if (outputs_.index_listen != before.index_listen ||
      outputs_.sector_listen != before.sector_listen) {
    hda_.listen(outputs_.index_listen, outputs_.sector_listen);
  }
  if (outputs_.read_gate != before.read_gate || outputs_.write_gate != before.write_gate) {
    hda_.gates(outputs_.read_gate, outputs_.write_gate);
  }
  // A command is a pulse of one clock, which acts by its rise.
  if (outputs_.spin_up && !before.spin_up) hda_.spin_up();
  if (outputs_.spin_down && !before.spin_down) hda_.spin_down();
  if (outputs_.seek_req && !before.seek_req) {
    hda_.seek(outputs_.seek_cylinder, outputs_.seek_head, outputs_.seek_for_write);
  }
  if (outputs_.recalibrate && !before.recalibrate) hda_.recalibrate();
}

void RtlDrive::levels(const channel::HdaLevels& levels) {
  clock_.change([&levels](soc::SocInputs& in) {
    in.read_ready = levels.read_ready;
    in.write_ready = levels.write_ready;
    in.at_speed = levels.at_speed;
    in.at_rest = levels.at_rest;
    in.write_fault = levels.write_fault;
  });
}

void RtlDrive::index_pulse() { clock_.pulse_index(); }
void RtlDrive::sector_pulse() { clock_.pulse_sector(); }
void RtlDrive::byte_strobe(std::uint8_t nrz) { clock_.strobe_byte(nrz); }
std::uint8_t RtlDrive::nrz_to_write() { return clock_.outputs().nrz; }

}  // namespace headstack::platform
