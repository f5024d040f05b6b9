// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/cores/native_core.hpp"

#include "sim/assert.hpp"
#include "sim/tlm/kernel/clock.hpp"

namespace headstack::tlm {
namespace {

// The word that firmware/start/main.c reports for an exception: bit 31, and mcause in bits 30:24.
constexpr std::uint32_t kTrap = 0x8000'0000U;
constexpr std::uint32_t kCauseLoadAccess = 5;
constexpr std::uint32_t kCauseStoreAccess = 7;

}  // namespace

thread_local NativeCore* NativeCore::current_ = nullptr;

NativeCore::NativeCore(Agenda& agenda, std::uint32_t access_price, Program& program)
    : agenda_(agenda),
      access_price_(clocks(access_price)),
      program_(program),
      alarm_(agenda, [this] { run(); }) {
  alarm_.set(agenda.now());
}

// ---------------------------------------------------------------------------------- the firmware

void NativeCore::run() {
  if (exit_code_) return;
  // A core of another agenda may be in the middle of an access that runs this one.
  HEADSTACK_ASSERT(current_ == nullptr || &current_->agenda_ != &agenda_,
                   "an agenda runs one core");
  // The core is no longer current whatever ends the step, as an alarm's action may throw, too.
  struct Current {
    explicit Current(NativeCore* core) : before(current_) { current_ = core; }
    ~Current() { current_ = before; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    NativeCore* before;
  } const current(this);
  awake_since_ = agenda_.now();
  try {
    started_ ? wake() : boot();
    while (!asleep_) program_.step();
  } catch (const Ended&) {
  }
  awake_time_ += agenda_.now() - awake_since_;
}

void NativeCore::boot() {
  started_ = true;
  program_.start();
}

void NativeCore::wake() {
  // The level may have fallen again at this very time: then the core stays asleep.
  if (!level_) return;
  asleep_ = false;
}

void NativeCore::wait_for_interrupt() {
  pass(0);
  // A native firmware cannot wait here: it returns to its main loop, and from there to run(). With
  // an interrupt pending, wfi is over at once.
  asleep_ = !level_;
}

void NativeCore::interrupt_level(unsigned /*line*/, bool level) {
  level_ = level;
  if (level && asleep_ && !alarm_.is_set()) alarm_.set(agenda_.now());
}

// ---------------------------------------------------------------------------------- its accesses

/// Runs the world for `duration` of the firmware's own time.
inline void NativeCore::pass(Picoseconds duration) {
  HEADSTACK_ASSERT(!asleep_, "firmware does nothing after wfi before it returns");
  if (agenda_.next() > agenda_.now() + duration) {
    agenda_.pass(duration);
  } else {
    pass_alarms(duration);
  }
}

/// Works like pass(), if an alarm is due.
void NativeCore::pass_alarms(Picoseconds duration) {
  const Picoseconds until = agenda_.now() + duration;
  while (agenda_.next() <= until) agenda_.step();
  agenda_.run_to(until);
}

/// Handles the effects of an access.
inline void NativeCore::finish_access() {
  ++accesses_;
  if (exit_code_) throw Ended();
}

std::uint32_t NativeCore::read(std::uint32_t address) {
  pass(access_price_);
  std::uint32_t value = 0;
  if (!map_.read(address, value)) bus_error(false);
  finish_access();
  return value;
}

void NativeCore::write(std::uint32_t address, std::uint32_t value) {
  pass(access_price_);
  if (!map_.write(address, value)) bus_error(true);
  finish_access();
}

void NativeCore::bus_error(bool write) {
  firmware_exit(kTrap | (write ? kCauseStoreAccess : kCauseLoadAccess) << 24);
  throw Ended();
}

}  // namespace headstack::tlm
