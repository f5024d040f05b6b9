// SPDX-License-Identifier: Apache-2.0
// What a debugger sees of the pipelined core, where an instruction begins. It equals the state of a
// core that does one instruction after the other: registers, PC and memory (reference_core.hpp).
#include <gtest/gtest.h>

#include "host/observe/instruction_tracker.hpp"
#include "tests/soc/reference_core.hpp"
#include "tests/soc/self_test_run.hpp"

namespace headstack::soc {
namespace {

using observe::InstructionTracker;
using test::Effect;
using test::ReferenceCore;
using test::Registers;

constexpr std::uint32_t kExceptionVector = 0;
constexpr std::uint32_t kExternalVector = 4 * 11;  // firmware/start/start.S

/// Follows the core from instruction to instruction, and compares.
class Lockstep : public CoreWatcher {
 public:
  explicit Lockstep(Soc& soc)
      : soc_(soc),
        reference_([this](std::uint32_t address, unsigned bytes) { return load(address, bytes); },
                   [this](unsigned number) { return csr(number); }) {}

  void core_cycle(std::uint64_t edge, const CoreActivity& activity) override {
    if (!activity.core_edge) return;
    const CoreStage stage = soc_.stage();
    if (tracker_.begins(stage)) begin(edge, stage.pc);
    // The access of the instruction that is there; of one that crosses a word, the first part.
    const CoreStage acting = soc_.stage();
    if (acting.access && !accessed_) accessed_ = acting;
  }

  /// Called where an instruction begins.
  void on_begin(void (*change)(Soc& soc, Lockstep& lockstep)) { change_ = change; }
  /// Sets a register as if the instruction found this value there.
  void set(unsigned number, std::uint32_t value) {
    before_.x[number] = value;
    expected_ = before_.x;
    effect_ = reference_.step(expected_, before_.pc);
  }

  std::uint64_t instructions() const { return instructions_; }
  std::uint64_t interrupts() const { return interrupts_; }
  std::uint64_t exceptions() const { return exceptions_; }
  std::uint64_t stores() const { return stores_; }

 private:
  std::optional<std::uint32_t> load(std::uint32_t address, unsigned bytes) const {
    if (address >= Soc::kRamBytes || bytes > Soc::kRamBytes - address) return std::nullopt;
    std::uint32_t value = 0;
    const std::vector<std::uint8_t> read = soc_.read_ram(address, bytes);
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{read[i]} << (8 * i);
    return value;
  }

  /// Numbers of the RISC-V privileged architecture.
  std::optional<std::uint32_t> csr(unsigned number) const {
    const CoreRegisters now = soc_.registers();
    switch (number) {
      case 0x300: return now.mstatus;
      case 0x304: return now.mie;
      case 0x305: return now.mtvec;
      case 0x340: return now.mscratch;
      case 0x341: return now.mepc;
      case 0x342: return now.mcause;
      case 0x343: return now.mtval;
      case 0x344: return now.mip;
      default: return std::nullopt;
    }
  }

  void begin(std::uint64_t edge, std::uint32_t pc) {
    const CoreRegisters shown = soc_.registers();
    ASSERT_EQ(shown.pc, pc);
    if (instructions_ > 0) compare(edge, shown);
    before_ = shown;
    expected_ = shown.x;
    accessed_.reset();
    effect_ = reference_.step(expected_, shown.pc);
    if (change_ != nullptr) change_(soc_, *this);
    ++instructions_;
  }

  void compare(std::uint64_t edge, const CoreRegisters& shown) {
    SCOPED_TRACE(testing::Message() << "edge " << edge << ", after pc 0x" << std::hex << before_.pc
                                    << ", at 0x" << shown.pc);
    if (effect_.may_trap && shown.pc == kExceptionVector && shown.mepc == before_.pc) {
      ++exceptions_;
      ASSERT_EQ(shown.x, before_.x) << "an instruction that failed has done nothing";
      return;
    }
    if (effect_.returns) effect_.next_pc = before_.mepc;
    if (shown.pc == kExternalVector && effect_.next_pc != kExternalVector) {
      ++interrupts_;
      ASSERT_EQ(shown.mepc, effect_.next_pc);
      ASSERT_EQ(shown.mcause, 0x8000'000BU) << "machine external interrupt";
    } else {
      ASSERT_EQ(shown.pc, effect_.next_pc);
    }
    if (effect_.unknown_register) {
      expected_[*effect_.unknown_register] = shown.x[*effect_.unknown_register];
    }
    ASSERT_EQ(shown.x, expected_);
    if (effect_.store && !effect_.may_trap) {
      ++stores_;
      ASSERT_EQ(load(effect_.store->address, effect_.store->bytes), effect_.store->value);
      ASSERT_TRUE(accessed_ && accessed_->write && accessed_->address == effect_.store->address)
          << "the access that a watchpoint sees";
    }
  }

  Soc& soc_;
  ReferenceCore reference_;
  InstructionTracker tracker_;
  CoreRegisters before_;
  Registers expected_{};
  Effect effect_;
  std::optional<CoreStage> accessed_;
  void (*change_)(Soc& soc, Lockstep& lockstep) = nullptr;
  std::uint64_t instructions_ = 0;
  std::uint64_t interrupts_ = 0;
  std::uint64_t exceptions_ = 0;
  std::uint64_t stores_ = 0;
};

/// The self-test: exceptions, interrupts, sleep, register accesses.
TEST(CoreState, SelfTest_IsInStepWithTheReference) {
  for (const bool gating : {true, false}) {
    Soc soc(SocBuild::kInspect);
    test::load_self_test(soc);
    SocClock clock(soc, nullptr, gating);
    Lockstep lockstep(soc);
    clock.watch_core(&lockstep);
    // Its last step listens to the index (self_test.c).
    const auto inputs = test::index_times();
    clock.advance_to(inputs.front() - 1);
    EXPECT_GT(lockstep.instructions(), 900U) << "gating " << gating;
    EXPECT_GE(lockstep.exceptions(), 7U) << "the addresses that nobody owns";
    EXPECT_GE(lockstep.interrupts(), 5U) << "the timer's";
    EXPECT_GT(lockstep.stores(), 100U);
  }
}

void load_busy_loop(Soc& soc) {
  soc.load(ElfImage::read(headstack::test::built(SOC_BUSY_LOOP_ELF)));
  soc.reset();
}

/// Loads, stores, multiplications, branches one after another: what the pipeline overlaps.
TEST(CoreState, BusyLoop_IsInStepWithTheReference) {
  Soc soc(SocBuild::kInspect);
  load_busy_loop(soc);
  SocClock clock(soc, nullptr, true);
  Lockstep lockstep(soc);
  clock.watch_core(&lockstep);
  clock.advance_to(50'000 * kClockPeriodPs);
  EXPECT_GT(lockstep.instructions(), 20'000U);
  EXPECT_GT(lockstep.stores(), 2'000U);
}

/// A loop that has only data in its registers a2 to a5, at the reset vector.
void load_data_loop(Soc& soc) {
  constexpr std::uint32_t kWords[] = {
      0x1000'2603,  // lw   a2, 0x100(zero)
      0x0016'0613,  // addi a2, a2, 1
      0x02C6'06B3,  // mul  a3, a2, a2
      0x00C6'8733,  // add  a4, a3, a2
      0x10E0'2223,  // sw   a4, 0x104(zero)
      0x1040'2783,  // lw   a5, 0x104(zero)
      0x00E7'8733,  // add  a4, a5, a4
      0x10F0'2023,  // sw   a5, 0x100(zero)
      0xFE1F'F06F,  // j    back to the first
  };
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : kWords) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  soc.write_ram(0x80, bytes);
  soc.reset();
}

// A register is set where an instruction begins, and that instruction finds the value. That holds
// whatever an older one still had on its way there: a result, or loaded data.
TEST(CoreState, RegisterSet_IsWhatTheInstructionFinds) {
  Soc soc(SocBuild::kInspect);
  load_data_loop(soc);
  SocClock clock(soc, nullptr, true);
  Lockstep lockstep(soc);
  clock.watch_core(&lockstep);
  lockstep.on_begin([](Soc& on, Lockstep& in) {
    const auto number = static_cast<unsigned>(12 + in.instructions() % 4);  // a2 to a5
    const auto value = static_cast<std::uint32_t>(in.instructions() * 2'654'435'761U);
    on.set_register(number, value);
    in.set(number, value);
    ASSERT_EQ(on.registers().x[number], value);
  });
  clock.advance_to(5'000 * kClockPeriodPs);
  EXPECT_GT(lockstep.instructions(), 2'000U);
}

// The neighbour: what is not set stays on its way.
TEST(CoreState, DataLoop_IsInStepWithTheReference) {
  Soc soc(SocBuild::kInspect);
  load_data_loop(soc);
  SocClock clock(soc, nullptr, true);
  Lockstep lockstep(soc);
  clock.watch_core(&lockstep);
  clock.advance_to(5'000 * kClockPeriodPs);
  EXPECT_GT(lockstep.instructions(), 2'000U);
}

}  // namespace
}  // namespace headstack::soc
