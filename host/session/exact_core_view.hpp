// SPDX-License-Identifier: Apache-2.0
// Shows the exact core, for its watchers and for a debugger, cycle by cycle as the electronics are
// shown.
//
// Watchers see the same edges as on the electronics, awake and asleep, and the same instructions
// retired. With `steps` the view also shows the instructions that begin. Each is shown before it
// has any effect, with the world as it is just before that edge.
#pragma once

#include <cstdint>

#include "sim/core/hart.hpp"
#include "sim/platform/vp_drive.hpp"
#include "sim/soc/core_access.hpp"
#include "sim/soc/soc_clock.hpp"
#include "sim/tlm/kernel/agenda.hpp"

namespace headstack::session {

class ExactCoreView : public core::HartWatcher, public soc::CoreAccess {
 public:
  /// Must be constructed before the first cycle of the core. The drive must have an exact core. All
  /// arguments must outlive the run.
  ExactCoreView(platform::VpDrive& drive, tlm::Agenda& agenda, soc::CoreWatcher& watcher,
                bool steps);

  bool steps() const override { return steps_; }
  void begins(const core::Beginning& next) override;
  void retired(std::uint32_t pc, core::Cycle at) override;
  void sleeps(core::Cycle from) override;

  soc::CoreStage stage() const override;
  soc::CoreRegisters registers() const override;
  void set_register(unsigned number, std::uint32_t value) override;
  bool asleep() const override { return hart_.asleep(); }
  std::vector<std::uint8_t> read_ram(std::uint32_t address, std::size_t bytes) const override;
  void write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes) override;
  std::vector<std::uint8_t> read_buffer(std::uint32_t offset, std::size_t bytes) const override;
  std::optional<std::uint32_t> load_register(std::uint32_t address) override {
    return core_.load_register(address, shown_);
  }

 private:
  void wake_up();
  void show_to(core::Cycle cycle);
  void show_sleep();

  platform::VpDrive& drive_;
  tlm::ExactCore& core_;
  core::Hart& hart_;
  tlm::Agenda& agenda_;
  soc::CoreWatcher& watcher_;
  const bool steps_;
  core::Cycle shown_ = 0;  // the last edge shown; edge 0 needs no request
  core::Cycle sleeps_from_ = -1;
  tlm::Alarm sleeps_on_;  // due when the core still sleeps after sleeps_from_
  core::Beginning next_;
  soc::Retirement retirement_;  // the retirement that has not been shown yet
  core::Cycle retires_at_ = 0;
};

}  // namespace headstack::session
