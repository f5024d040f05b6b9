// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/cores/exact_core.hpp"

#include <algorithm>

#include "sim/assert.hpp"
#include "sim/tlm/kernel/clock.hpp"

namespace headstack::tlm {
namespace {

// Times of io_bridge.sv. After the request's cycle a register is accessed, and has answered
// (kRegisterLater). The buffer's RAM, granted at once, takes a cycle more. An address without a
// target answers like RAM.
constexpr core::Cycle kAccess = 1;
constexpr core::Cycle kRamAnswers = 1;
constexpr core::Cycle kBufferAnswers = 3;

/// Cycles that the core runs ahead at a time, so that the agenda runs even if the firmware never
/// sleeps.
constexpr core::Cycle kSlice = 40'000;

/// The number of the first edge at or after a time.
core::Cycle cycle_of(Picoseconds time) { return (time + kClockPeriodPs - 1) / kClockPeriodPs; }

}  // namespace

// -------------------------------------------------------------------------------------- the world

inline void ExactCore::catch_up(core::Cycle cycle) {
  const Picoseconds time = clocks(cycle);
  if (agenda_.next() <= time) return let_world_act(time);
  agenda_.reach(time);
}

void ExactCore::let_world_act(Picoseconds time) {
  is_core_acting_ = false;
  agenda_.reach(time);
  is_core_acting_ = true;
}

inline bool ExactCore::read_register(std::uint32_t address, core::Cycle request,
                                     std::uint32_t* value) {
  catch_up(request + kAccess);
  ++accesses_;
  return map_.page(address).read(Map::offset(address), *value);
}

inline bool ExactCore::write_register(std::uint32_t address, core::Cycle request,
                                      std::uint32_t value, std::uint32_t mask) {
  catch_up(request + kAccess);
  ++accesses_;
  return map_.page(address).write(Map::offset(address), value, mask);
}

ExactCore::ExactCore(Agenda& agenda)
    : agenda_(agenda), hart_(*this, soc::kFirmwareRamBytes), alarm_(agenda, [this] { run(); }) {
  HEADSTACK_ASSERT(agenda.now() == 0, "the first edge is at time 0");
  alarm_.set(0);
}

void ExactCore::run() {
  if (exit_code_) return;
  const core::Cycle now = cycle_of(agenda_.now());
  if (hart_.asleep()) awake_from_ = now;
  is_core_acting_ = true;
  hart_.run(now + kSlice);
  is_core_acting_ = false;
  if (hart_.fault() && !exit_code_) take_fault(*hart_.fault());
  if (!hart_.asleep() && !exit_code_) alarm_.set(std::max(clocks(hart_.next()), agenda_.now()));
}

void ExactCore::take_fault(const core::HartFault& fault) {
  constexpr unsigned kReturnAddress = 1;
  fault_ = soc::CoreFault{fault.is_stack,
                          static_cast<std::uint64_t>(fault.at),
                          fault.cause,
                          fault.pc,
                          fault.value,
                          hart_.x(core::kStackPointer),
                          hart_.x(kReturnAddress)};
  exit_code_ = soc::exit_code_of(*fault_);
  exit_edge_ = fault.at;
}

Picoseconds ExactCore::awake_time() const {
  const core::Cycle since = hart_.asleep() ? 0 : counted(awake_from_, hart_.next());
  return clocks(awake_cycles_ + since);
}

void ExactCore::count_awake_until(core::Cycle edge) {
  if (hart_.asleep()) awake_cycles_ -= counted(edge, asleep_from_);
  counted_until_ = edge;
}

void ExactCore::sleeps(core::Cycle from) {
  awake_cycles_ += counted(awake_from_, from);
  asleep_from_ = from;
}

/// The change by a register access shows with the next edge, any other with the edge at its time.
void ExactCore::interrupt_level(unsigned /*line*/, bool level) {
  const core::Cycle now = cycle_of(agenda_.now());
  hart_.line_changes(is_core_acting_ ? now + 1 : now, level);
  if (level && hart_.asleep() && !alarm_.is_set()) alarm_.set(agenda_.now());
}

void ExactCore::firmware_exit(std::uint32_t code) {
  exit_code_ = code;
  exit_edge_ = cycle_of(agenda_.now()) + 1;
  hart_.stop();
}

core::Cycle ExactCore::run_to(core::Cycle cycle) {
  catch_up(cycle);
  if (agenda_.next() == Agenda::kNever) return std::max(cycle, cycle_of(Agenda::kNever / 2));
  return std::max(cycle, cycle_of(agenda_.next()) - 1);
}

std::optional<std::uint32_t> ExactCore::load_register(std::uint32_t address, core::Cycle cycle) {
  if (!hart_.asleep()) let_world_act(clocks(cycle));
  std::uint32_t value = 0;
  if (!map_.page(address).read(Map::offset(address), value)) return std::nullopt;
  return value;
}

/// Brings the world to an access that is not to a register. @return when it is answered.
core::Cycle ExactCore::reach(Owner owner, core::Cycle request) {
  if (owner == Owner::kNobody) return request + kRamAnswers;
  catch_up(request + kAccess);
  ++accesses_;
  return request + kBufferAnswers;
}

core::HartPort::Answer ExactCore::read(std::uint32_t address, std::uint32_t /*mask*/,
                                       core::Cycle request) {
  Answer answer;
  const Owner owner = Map::owner_of(address);
  if (owner == Owner::kRegisters) {
    answer.failed = !read_register(address, request, &answer.data);
    answer.at = request + kRamAnswers + kRegisterLater;
  } else {
    answer.at = reach(owner, request);
    answer.failed = !map_.read(address, answer.data);
  }
  return answer;
}

core::HartPort::Answer ExactCore::write(std::uint32_t address, std::uint32_t data,
                                        std::uint32_t mask, core::Cycle request) {
  Answer answer;
  const Owner owner = Map::owner_of(address);
  if (owner == Owner::kRegisters) {
    answer.failed = !write_register(address, request, data, mask);
    answer.at = request + kRamAnswers + kRegisterLater;
  } else {
    answer.at = reach(owner, request);
    answer.failed = !map_.write(address, data, mask);
  }
  return answer;
}

}  // namespace headstack::tlm
