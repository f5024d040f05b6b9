// SPDX-License-Identifier: Apache-2.0
/// @file
/// The whole drive on the `rtl` platform. Verilated electronics run the firmware, between a port on
/// the SCSI bus and the head-disk assembly.
///
/// This module only joins parts. The clock manager gets every change of a bus line and every call
/// of the head-disk assembly at its picosecond. The SoC samples it at its next edge. The SoC's
/// outputs act on the world at the time of the edge that made them.
#pragma once

#include <optional>
#include <systemc>

#include "sim/bus/scsi_bus.hpp"
#include "sim/channel/head_disk_assembly.hpp"
#include "sim/description/description.hpp"
#include "sim/soc/clock_manager.hpp"

namespace headstack::platform {

struct RtlOptions {
  bool gating = true;  // stop the SoC's clock while the SoC requests none
  soc::SocBuild build = soc::SocBuild::kFast;
  channel::HeadDiskAssembly::Start start = channel::HeadDiskAssembly::Start::kAtSpeed;
};

class RtlDrive : public sc_core::sc_module, private channel::HdaSink, private soc::BytesAhead {
 public:
  /// Loads firmware and drive design into RAM and connects everything; the first clock edge is at
  /// time 0. `media` are the drive's own; without them they are fresh. `listener` receives the
  /// firmware's events, `observer` those of the mechanics. Both may be null, and do not affect the
  /// drive. The observer receives an event of the world before the listener receives one of a later
  /// edge. Throws drive::Fault when the electronics cannot work with the description, and
  /// soc::ElfError when the program does not fit.
  RtlDrive(sc_core::sc_module_name name, const drive::DriveDescription& description,
           const soc::ElfImage& firmware, bus::ScsiBus& bus, const RtlOptions& options,
           soc::SocListener* listener, channel::HdaObserver* observer = nullptr,
           std::optional<media::MediaStore> media = std::nullopt);

  /// Cuts the power now: nothing is written from then on. The sector under the head ends with the
  /// byte that passed last. Or it is finished while time goes on, as long as media().power() says
  /// so. Further actions of the electronics have no effect.
  void lose_power(drive::PowerLoss loss) { hda_.lose_power(loss); }

  soc::ClockManager& clock() { return clock_; }
  channel::HeadDiskAssembly& hda() { return hda_; }
  soc::Soc& soc() { return soc_; }

 private:
  SC_HAS_PROCESS(RtlDrive);
  void take_bus();      // process: handles a change of a bus line
  void take_outputs();  // process: handles an edge that changed an output of the SoC

  // Inputs of the SoC from the head-disk assembly.
  void levels(const channel::HdaLevels& levels) override;
  void index_pulse() override;
  void sector_pulse() override;
  void byte_strobe(std::uint8_t nrz) override;
  std::uint8_t nrz_to_write() override;

  // Bytes that the SoC may take before their time.
  std::optional<Picoseconds> next_byte() const override { return hda_.next_byte(); }
  void take_over() override { hda_.take_over(); }
  std::uint8_t pass_byte_ahead() override { return hda_.pass_byte_ahead(); }
  void give_back() override { hda_.give_back(); }

  channel::HeadDiskAssembly hda_;
  soc::Soc soc_;
  soc::ClockManager clock_;
  bus::Port& port_;
  soc::SocOutputs outputs_;  // the SoC's outputs when last taken
};

}  // namespace headstack::platform
