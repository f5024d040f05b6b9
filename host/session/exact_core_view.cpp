// SPDX-License-Identifier: Apache-2.0
#include "host/session/exact_core_view.hpp"

#include <algorithm>

#include "sim/assert.hpp"
#include "sim/soc/core_csrs.hpp"

namespace headstack::session {

ExactCoreView::ExactCoreView(platform::VpDrive& drive, tlm::Agenda& agenda,
                             soc::CoreWatcher& watcher, bool steps)
    : drive_(drive),
      core_(*drive.exact_core()),
      hart_(core_.hart()),
      agenda_(agenda),
      watcher_(watcher),
      steps_(steps),
      sleeps_on_(agenda, [this] { show_sleep(); }) {
  hart_.watch(this);
}

// ------------------------------------------------------------------------------- the core's cycles

void ExactCoreView::show_to(core::Cycle cycle) {
  while (shown_ < cycle) {
    ++shown_;
    soc::CoreActivity activity;
    activity.core_edge = true;
    activity.asleep = shown_ == sleeps_from_ && core_.awake_from() != shown_;
    if (retirement_.valid && retires_at_ == shown_) {
      activity.retirement = std::exchange(retirement_, {});
    }
    watcher_.core_cycle(static_cast<std::uint64_t>(shown_), activity);
  }
}

/// Shows that the core sleeps. An interrupt at the very edge from which it would sleep keeps it
/// awake, and may come only after sleeps().
void ExactCoreView::show_sleep() {
  sleeps_on_.cancel();
  if (shown_ < sleeps_from_) show_to(sleeps_from_);
}

/// Shows the edge that wakes the core. It stands for all edges that the core did not request.
void ExactCoreView::wake_up() {
  show_sleep();
  const core::Cycle last = core_.awake_from();
  if (shown_ >= last) return;
  shown_ = last;
  watcher_.core_cycle(static_cast<std::uint64_t>(last), {});
}

void ExactCoreView::begins(const core::Beginning& next) {
  wake_up();
  const Picoseconds just_before = next.ready * soc::kClockPeriodPs - 1;
  if (just_before > agenda_.now()) agenda_.run_to(just_before);
  next_ = next;
  show_to(next.ready);
  if (next.bytes > 0) show_to(next.request);
}

/// While instructions begin, the cycle in which this one retires is also the next one's.
void ExactCoreView::retired(std::uint32_t pc, core::Cycle at) {
  wake_up();
  retirement_ = {true, pc};
  retires_at_ = at;
  if (!steps_) show_to(at);
}

void ExactCoreView::sleeps(core::Cycle from) {
  sleeps_from_ = from;
  show_to(from - 1);
  sleeps_on_.set(std::max(agenda_.now(), from * soc::kClockPeriodPs + 1));
}

// ----------------------------------------------------------------------------------- for debuggers

soc::CoreStage ExactCoreView::stage() const {
  soc::CoreStage stage;
  stage.entered = shown_ == next_.entered;
  stage.ready = shown_ >= next_.ready;
  stage.pc = hart_.pc();
  stage.access = next_.bytes > 0 && shown_ == next_.request;
  if (!stage.access) return stage;
  stage.write = next_.write;
  stage.address = hart_.data_address();
  stage.bytes = next_.bytes;
  return stage;
}

soc::CoreRegisters ExactCoreView::registers() const {
  soc::CoreRegisters registers;
  for (unsigned number = 1; number < registers.x.size(); ++number) {
    registers.x[number] = hart_.x(number);
  }
  const core::Csrs& csrs = hart_.csrs();
  registers.pc = hart_.pc();
  registers.mstatus = csrs.mstatus();
  registers.mie = csrs.mie();
  registers.mtvec = csrs.mtvec();
  registers.mscratch = csrs.mscratch();
  registers.mepc = csrs.mepc();
  registers.mcause = csrs.mcause();
  registers.mtval = csrs.mtval();
  registers.mip = hart_.line() ? soc::kExternalInterruptBit : 0;
  return registers;
}

void ExactCoreView::set_register(unsigned number, std::uint32_t value) {
  HEADSTACK_ASSERT(number >= 1 && number <= 31, "a register that can be set");
  hart_.set_x(number, value);
}

std::vector<std::uint8_t> ExactCoreView::read_ram(std::uint32_t address, std::size_t bytes) const {
  HEADSTACK_ASSERT(address <= kRamBytes && bytes <= kRamBytes - address, "that is not RAM");
  const std::uint8_t* const first = hart_.ram().begin() + address;
  return {first, first + bytes};
}

void ExactCoreView::write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes) {
  hart_.load(address, bytes);
}

std::vector<std::uint8_t> ExactCoreView::read_buffer(std::uint32_t offset,
                                                     std::size_t bytes) const {
  HEADSTACK_ASSERT(offset <= kBufferBytes && bytes <= kBufferBytes - offset,
                   "that is not the buffer");
  const std::uint8_t* const first = drive_.buffer().ram().begin() + offset;
  return {first, first + bytes};
}

}  // namespace headstack::session
