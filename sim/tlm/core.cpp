#include "sim/tlm/core.hpp"

#include "sim/assert.hpp"
#include "sim/tlm/clock.hpp"

cpu_bill* current_cpu_bill = nullptr;

namespace headstack::tlm {
namespace {

// The word that firmware/start/main.c reports for an exception: bit 31, and mcause in bits 30:24.
constexpr std::uint32_t kTrap = 0x8000'0000U;
constexpr std::uint32_t kCauseLoadAccess = 5;
constexpr std::uint32_t kCauseStoreAccess = 7;

}  // namespace

Core* Core::current_ = nullptr;

Core::Core(Agenda& agenda, const CostTable& costs, Program& program)
    : agenda_(agenda), costs_(costs), program_(program), alarm_(agenda, [this] { run(); }) {
  bill_.rows = costs.rows();
  alarm_.set(agenda.now());
}

// ---------------------------------------------------------------------------------- the firmware

void Core::run() {
  if (exit_code_) return;
  HEADSTACK_ASSERT(current_ == nullptr, "an agenda runs one core");
  // Whatever ends it: an alarm's action may throw, too.
  struct Current {
    explicit Current(Core* core) { current_ = core; }
    ~Current() { current_ = nullptr; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
  } const current(this);
  current_cpu_bill = &bill_;
  awake_since_ = agenda_.now();
  try {
    started_ ? wake() : boot();
    while (!asleep_) program_.step();
  } catch (const Ended&) {
  }
  awake_time_ += agenda_.now() - awake_since_;
}

void Core::boot() {
  started_ = true;
  depart(kBoot);
  program_.start();
  interrupts_on();
}

void Core::wake() {
  // The level may have gone again at this very time: then there is nothing to wake for.
  if (!level_) return;
  asleep_ = false;
  depart(kWake);
  run_handler();
  if (level_) preempt();
}

void Core::run_handler() {
  interrupts_on_ = false;
  program_.interrupt();
  interrupts_on_ = true;
}

/// Takes the interrupt, as often as it stands, and returns to what was going on.
void Core::preempt() {
  const cpu_charge* const row = bill_.row;
  while (level_ && interrupts_on_) {
    depart(kPreempt);
    run_handler();
    interrupts_on_ = false;
    pay(kReturn);
    interrupts_on_ = true;
  }
  bill_.row = row;
}

void Core::interrupts_off() {
  pay(kInterruptsOff);
  interrupts_on_ = false;
}

/// Natively, firmware gets here from its wfi before it returns to run(): it sleeps, all the same.
void Core::interrupts_on() {
  if (!asleep_) pay(kInterruptsOn);
  interrupts_on_ = true;
  if (level_ && !asleep_) preempt();
}

void Core::wait_for_interrupt() {
  pay(kSleep);
  // Natively there is nothing to wait in: firmware returns from here to its main loop, and from
  // there to run(). With an interrupt pending, wfi is over at once.
  asleep_ = !level_;
}

void Core::interrupt_level(unsigned /*line*/, bool level) {
  level_ = level;
  if (level && asleep_ && !alarm_.is_set()) alarm_.set(agenda_.now());
}

// ---------------------------------------------------------------------------------- its accesses

/// Costs are counted from here on.
inline void Core::depart(Access from) {
  bill_.row = bill_.rows + std::size_t{costs_.place(from)} * CostTable::kPlaces;
}

/// Lets the time of the instructions up to `to` go by.
inline void Core::pay(Access to) {
  HEADSTACK_ASSERT(!asleep_, "firmware does nothing behind wfi before it returns");
  cpu_pass_point(&bill_, costs_.place(to));
  const std::uint64_t whole = bill_.owed >> CostTable::kFractionBits;
  bill_.owed -= whole << CostTable::kFractionBits;
  const Picoseconds duration = clocks(static_cast<std::int64_t>(whole));
  if (agenda_.next() > agenda_.now() + duration) {
    agenda_.pass(duration);
  } else {
    pass(duration);
  }
}

/// The world goes on for `duration` of the firmware's own time; handlers come on top.
void Core::pass(Picoseconds duration) {
  Picoseconds until = agenda_.now() + duration;
  while (agenda_.next() <= until) {
    agenda_.step();
    if (level_ && interrupts_on_) {
      const Picoseconds taken = agenda_.now();
      preempt();
      until += agenda_.now() - taken;
    }
  }
  agenda_.run_to(until);
}

/// Behind an access: what it may have caused.
inline void Core::finish_access() {
  ++accesses_;
  if (exit_code_) throw Ended();
  if (level_ && interrupts_on_) preempt();
}

std::uint32_t Core::read(std::uint32_t address) {
  pay(access_of(address, false));
  std::uint32_t value = 0;
  if (!map_.read(address, value)) bus_error(false);
  finish_access();
  return value;
}

void Core::write(std::uint32_t address, std::uint32_t value) {
  pay(access_of(address, true));
  if (!map_.write(address, value)) bus_error(true);
  finish_access();
}

void Core::bus_error(bool write) {
  firmware_exit(kTrap | (write ? kCauseStoreAccess : kCauseLoadAccess) << 24);
  throw Ended();
}

}  // namespace headstack::tlm
