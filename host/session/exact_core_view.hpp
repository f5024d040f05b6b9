// The exact core, shown as the electronics show theirs: cycle by cycle to those who watch it, and
// to a debugger.
//
// The same edges, awake and asleep, the same instructions retired at them. With `steps`, also the
// same instructions that begin: then each is shown before it has done anything, with the world as
// it is just before that edge.
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
  /// Before the first cycle of the core, which the drive must have. All must outlive its run.
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
  core::Cycle shown_ = 0;  // the edge that was shown last; the first comes unasked for
  core::Cycle sleeps_from_ = -1;
  tlm::Alarm sleeps_on_;  // that edge has passed, and the core sleeps on
  core::Beginning next_;
  soc::Retirement retirement_;  // not shown yet
  core::Cycle retires_at_ = 0;
};

}  // namespace headstack::session
