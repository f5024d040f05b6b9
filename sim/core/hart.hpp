// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive's core, instruction by instruction and exact to the cycle, without a model of the
/// pipeline. The cycles of each instruction follow from a few rules about the instructions before
/// it.
///
/// Ibex as hdl/cpu configures it: write-back stage, branch-target ALU, three-cycle multiplier, no
/// cache, no PMP. tests/core compares the rules with the RTL, retirement by retirement, for the
/// drive's firmware and for random programs.
///
/// Times are cycles. An instruction:
/// - enters ID in cycle `id_`;
/// - begins to execute in `ex_`, when the access before it has been answered; one cycle later if it
///   reads the loaded register;
/// - is in ID/EX up to `done_`, the cycle in which a load or store makes its request;
/// - if it is a load or store, gets its answer in `answered_`.
///
/// An instruction retires after `done_`, or with its answer.
///
/// Straight pieces of code run faster: their cycles are computed once (block.hpp). They hold as
/// long as every access is to RAM and the interrupt line does not change. Otherwise the instruction
/// is stepped by the rules.
///
/// One difference from the RTL: a fetched word that is overwritten without fence.i is fetched
/// again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/core/block.hpp"
#include "sim/core/csr.hpp"
#include "sim/core/cycle.hpp"
#include "sim/core/instruction.hpp"
#include "sim/core/translation.hpp"
#include "sim/zeroed_bytes.hpp"

namespace headstack::core {

/// The address space outside of firmware RAM, and the world's progress meanwhile.
class HartPort {
 public:
  struct Answer {
    bool failed = false;  // no target at the address, or its block refuses the access
    std::uint32_t data = 0;
    Cycle at = 0;
  };

  virtual ~HartPort() = default;
  /// Makes a request in cycle `request`, for the bytes of `mask` in the word at `address`.
  virtual Answer read(std::uint32_t address, std::uint32_t mask, Cycle request) = 0;
  virtual Answer write(std::uint32_t address, std::uint32_t data, std::uint32_t mask,
                       Cycle request) = 0;
  /// Runs the world up to a cycle; changes of the interrupt line come by Hart::line_changes().
  /// @return the last cycle up to which the line keeps its level, if the core accesses nothing.
  virtual Cycle run_to(Cycle cycle) = 0;
  /// The core is about to sleep: it requests no clock from cycle `from` on.
  virtual void sleeps(Cycle from) = 0;
};

/// The next instruction, before any effect.
struct Beginning {
  std::uint32_t pc = 0;
  Cycle entered = 0;  // cycle in which it enters ID
  Cycle ready = 0;    // the instructions before it are done by the end of this cycle
  // When a load or store makes its request, and for how many bytes; otherwise 0 bytes.
  Cycle request = 0;
  unsigned bytes = 0;
  bool write = false;
};

/// Observes each instruction; for tests and debuggers.
class HartWatcher {
 public:
  virtual ~HartWatcher() = default;
  /// Whether begins() is to be called: the core then runs one instruction at a time, which is
  /// slower.
  virtual bool steps() const { return false; }
  /// May change registers and RAM: the instruction uses the new values.
  virtual void begins(const Beginning& next) { (void)next; }
  virtual void retired(std::uint32_t pc, Cycle at) = 0;
  /// The core requests no clock from cycle `from` on, until the interrupt line has risen.
  virtual void sleeps(Cycle from) { (void)from; }
};

/// Why a core with Hart::stop_at_faults() has stopped.
struct HartFault {
  bool is_stack = false;  // the stack pointer fell below the limit; otherwise an exception
  std::uint32_t cause = 0;
  std::uint32_t pc = 0;     // address of the instruction
  std::uint32_t value = 0;  // mtval, or the limit
  Cycle at = 0;             // the registers have changed by the end of this cycle
};

class Hart {
 public:
  /// `Port` is a HartPort with faster functions for registers, which units access most:
  /// - static bool is_register(address): whether it is an aligned word of a register;
  /// - bool read_register(address, request, &value), bool write_register(address, request, value):
  ///   as read() and write(); false if the access fails;
  /// - kRegisterLater: cycles by which their answers come later than RAM's.
  template <class Port>
  Hart(Port& port, std::uint32_t ram_bytes) : Hart(ram_bytes, port) {
    state_.load_word = load_word<Port>;
    state_.store_word = store_word<Port>;
  }

  /// Writes firmware RAM at the core's addresses. Code that has run before is decoded again.
  void load(std::uint32_t address, const std::vector<std::uint8_t>& bytes);
  const ZeroedBytes& ram() const { return ram_; }

  /// Uses a translation, which must outlive the core. A program other than the translated one is
  /// interpreted, and so is one that writes its own code. @return whether the translation is of
  /// this program.
  bool use(const translation::Translation& translation);

  /// Runs until the core sleeps, stop() is called, or cycle `until` is reached. A sleeping core
  /// continues only when the line has risen.
  void run(Cycle until);
  /// Stops the core after the access that is being made.
  void stop() { stopped_ = true; }
  bool asleep() const { return asleep_; }

  /// Stops at the first exception, when its handler would begin, and after an instruction that
  /// takes the stack pointer below a limit, 0 for none. Call it before use(), and before the first
  /// cycle.
  void stop_at_faults(std::uint32_t stack_limit) {
    stops_at_faults_ = true;
    stack_limit_ = stack_limit;
  }
  const std::optional<HartFault>& fault() const { return fault_; }

  /// The interrupt line has this level from `cycle` on. Cycles must not decrease.
  void line_changes(Cycle cycle, bool level);

  void watch(HartWatcher* watcher) { watcher_ = watcher; }
  std::uint32_t x(unsigned number) const { return state_.x[number]; }
  void set_x(unsigned number, std::uint32_t value) { state_.x[number] = value; }
  std::uint32_t pc() const { return pc_; }
  const Csrs& csrs() const { return csrs_; }
  /// The address that a load or store at pc() would access first.
  std::uint32_t data_address();
  /// The latest known level of the interrupt line.
  bool line() const { return changes_[last_change_].level; }
  /// Instructions executed by the translation.
  std::uint64_t retired_in_units() const { return retired_in_units_; }
  /// When the next instruction enters ID.
  Cycle next() const { return id_; }

 private:
  struct Change {
    Cycle at = 0;
    bool level = false;
  };
  /// An instruction that entered ID, or the first `done` instructions of a block, which began to
  /// execute in `begin`.
  struct Fetched {
    Cycle id = 0;
    Cycle begin = 0;
    const Block* block = nullptr;
    std::uint32_t done = 0;
    bool uses_word = false;  // whether the first instruction takes a word from the queue
  };
  /// The result of an access.
  struct Access {
    bool failed = false;
    std::uint32_t value = 0;
    std::uint32_t failed_at = 0;  // address of the access, if it failed
  };

  Hart(std::uint32_t ram_bytes, HartPort& port);
  const Instruction& instruction_at(std::uint32_t address);
  Block* block_at(std::uint32_t address);
  bool is_quiet(Cycle last);
  bool becomes_quiet(Cycle last);
  bool run_translated();
  template <class Port>
  static translation::Reached load_word(translation::State* state, std::int64_t left,
                                        const translation::Request* request);
  template <class Port>
  static translation::Reached store_word(translation::State* state, std::int64_t left,
                                         const translation::Request* request);
  static translation::Reached reach(translation::State* state, std::int64_t left,
                                    const translation::Request* request);
  template <class Port>
  static translation::Reached go_on(translation::State* state, std::int64_t left,
                                    const translation::Request* request);
  static translation::Reached extend(translation::State* state, const translation::Request* request,
                                     std::int64_t left);
  static bool may_go_on(const translation::State* state, const translation::Request* request) {
    return request->may_go_on && !static_cast<const Hart*>(state->hart)->stopped_;
  }
  static translation::Reached end_with_access(translation::State* state,
                                              const translation::Request* request,
                                              HartPort::Answer answer);
  void access_ram(const Instruction& in, std::uint32_t address);
  translation::Reached access_by_step(const translation::Request& request, Cycle begin);
  translation::Reached end_unit(const translation::Request& request);
  /// Whether the line cannot interrupt, at any level, until CSRs are written.
  bool is_shut_out(Cycle at) const { return !enabled_ && enabled_from_ <= at; }
  Block* run_block(Block* block);
  std::uint32_t walk(const Block& block, bool* taken, std::uint32_t* target);
  void leave_block(const Block& block, std::uint32_t done, Cycle begin);
  void tell_block(const Block& block, std::uint32_t done, Cycle begin);
  void tell_retired();
  void grow_code(std::uint32_t address);
  void decode_at(std::uint32_t address, Instruction* in);
  void step();
  void step_one();
  void tell_begins(const Instruction& in);
  void sleep(Cycle from);
  void system(const Instruction& in);
  void write_csr(const Instruction& in, std::uint32_t old, std::uint32_t source, bool one_retires);
  void access_csr(const Instruction& in);
  void leave_trap();
  void wait_for_interrupt();
  void wake(Cycle at);
  void trap(std::uint32_t cause, std::uint32_t value, Cycle at);
  void illegal(const Instruction& in);
  void load(const Instruction& in, std::uint32_t address);
  void store(const Instruction& in, std::uint32_t address);
  Access access(bool write, std::uint32_t address, unsigned bytes, std::uint32_t data);
  Access access_word(bool write, std::uint32_t address, std::uint32_t mask, std::uint32_t data);
  void forget_code(std::uint32_t address);
  void forget_blocks();
  bool is_in_two_words(std::uint32_t address);
  void execute(unsigned rs1, unsigned rs2);
  Cycle reach_target(std::uint32_t target, Cycle set);
  void jump(std::uint32_t target);
  void enter(Cycle id, Cycle from);
  bool level_at(Cycle cycle);
  bool was_high_since(Cycle cycle) const;
  bool enabled_at(Cycle cycle) const { return cycle >= enabled_from_ ? enabled_ : was_enabled_; }
  void enables_change(Cycle from);
  Cycle take_interrupts(Cycle id, Cycle from);
  void begin_line(Cycle at);
  void note_fetched(const Fetched& one);
  void count_words();

  HartPort& port_;
  HartWatcher* watcher_ = nullptr;
  const std::uint32_t ram_bytes_;
  ZeroedBytes ram_;
  std::vector<Instruction> code_;  // decoded code by address / 2, made when it first runs; grows
  std::uint32_t code_end_ = 0;     // no code from here on was decoded
  std::deque<Block> blocks_;
  std::vector<std::uint32_t> block_at_;  // index in blocks_ plus 1, by address / 2; 0: not made yet

  bool stops_at_faults_ = false;
  std::uint32_t stack_limit_ = 0;
  std::optional<HartFault> fault_;

  std::uint32_t pc_ = 0x80;
  translation::State state_;                 // the registers
  std::vector<translation::Entry> entries_;  // units by address / 2; empty: interpreted
  Csrs csrs_;

  std::uint64_t retired_in_units_ = 0;

  // Times of the current instruction.
  Cycle id_ = 2;
  Cycle ex_ = 0;
  Cycle done_ = 0;
  Cycle last_done_ = 0;  // `done_` of the instruction before
  bool load_use_ = false;

  // The last load or store.
  Cycle answered_ = -1;
  unsigned loads_ = 0;  // register that it loads; 0: none

  // The interrupt line: its last changes, complete up to cycle known_to_.
  static constexpr std::size_t kChanges = 8;
  std::array<Change, kChanges> changes_{};
  std::size_t last_change_ = 0;
  Cycle known_to_ = -1;
  Cycle quiet_to_ = -1;  // up to this cycle the line does not change
  Cycle until_ = 0;      // cycle at which run() ends

  // Whether the CSRs enable the interrupt, and whether they did before the last write.
  bool enabled_ = false;
  bool was_enabled_ = false;
  Cycle enabled_from_ = 0;

  // Words fetched or requested at `words_at_` that no instruction had consumed, and the
  // instructions since then. Only a wfi needs them: code that does not lead to one is not noted.
  Cycle words_at_ = 1;
  unsigned words_ = 1;
  std::array<Fetched, 32> line_{};
  std::size_t line_length_ = 0;

  Cycle sleeps_from_ = 0;  // the wfi's `done`
  Cycle clock_stops_ = 0;  // cycle in which the clock of a sleeping core stops
  bool asleep_ = false;
  bool stopped_ = false;
};

/// Continues a unit after an access to a register without other effects. The register answers later
/// than RAM, so the unit continues later, too.
template <class Port>
inline translation::Reached Hart::go_on(translation::State* state, std::int64_t left,
                                        const translation::Request* request) {
  left -= Port::kRegisterLater;
  state->later = Port::kRegisterLater;
  return left < request->cycles ? extend(state, request, left) : translation::Reached{state, left};
}

/// A unit's lw, with the effect of step(). Only its arguments live across the access, so that it
/// saves few registers.
template <class Port>
translation::Reached Hart::load_word(translation::State* state, std::int64_t left,
                                     const translation::Request* request) {
  const Instruction& in = request->instruction;
  std::uint32_t value = 0;
  bool good = false;
  {
    Hart& hart = *static_cast<Hart*>(state->hart);
    const Cycle begin = hart.quiet_to_ - left;
    const std::uint32_t address = state->x[in.rs1] + in.imm;
    if (!Port::is_register(address) || !hart.is_shut_out(begin)) {
      return reach(state, left, request);
    }
    hart.known_to_ = begin + request->done;
    good = static_cast<Port&>(hart.port_).read_register(address, hart.known_to_, &value);
  }
  if (!good || !may_go_on(state, request)) {
    return end_with_access(state, request, {!good, value, Port::kRegisterLater});
  }
  state->x[in.rd] = value;
  state->x[0] = 0;
  return go_on<Port>(state, left, request);
}

/// A unit's sw, with the effect of step(). It saves few registers, as load_word() does.
template <class Port>
translation::Reached Hart::store_word(translation::State* state, std::int64_t left,
                                      const translation::Request* request) {
  bool good = false;
  {
    Hart& hart = *static_cast<Hart*>(state->hart);
    const Instruction& in = request->instruction;
    const Cycle begin = hart.quiet_to_ - left;
    const std::uint32_t address = state->x[in.rs1] + in.imm;
    if (!Port::is_register(address) || !hart.is_shut_out(begin)) {
      return reach(state, left, request);
    }
    hart.known_to_ = begin + request->done;
    good = static_cast<Port&>(hart.port_).write_register(address, hart.known_to_, state->x[in.rs2]);
  }
  if (!good || !may_go_on(state, request)) {
    return end_with_access(state, request, {!good, 0, Port::kRegisterLater});
  }
  return go_on<Port>(state, left, request);
}

}  // namespace headstack::core
