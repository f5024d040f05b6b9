// SPDX-License-Identifier: Apache-2.0
// The time of each access, and sleep. Small programs run on the real timer, interrupt controller,
// trace port and test device. Their times follow from native_core.hpp, and from the price of an
// access that each test gives.
#include "sim/tlm/cores/native_core.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "firmware/hal/mmio.h"
#include "firmware/hal/scsi_target_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/cpu.h"
#include "sim/tlm/blocks/irq_ctrl.hpp"
#include "sim/tlm/blocks/testdev.hpp"
#include "sim/tlm/blocks/timer.hpp"
#include "sim/tlm/blocks/trace_port.hpp"
#include "sim/tlm/kernel/clock.hpp"

namespace headstack::tlm {
namespace {

constexpr std::uint32_t kTimeLo = HAL_BASE_TIMER + timer_regs::TimeLo::kOffset;
constexpr std::uint32_t kTimerEnabled = irq_ctrl_regs::Enable::kTimerMask;

void event(std::uint32_t number, std::uint32_t argument = 0) {
  hal_write32(HAL_BASE_TRACE_PORT + 4 * number, argument);
}

void enable_sources(std::uint32_t sources) { hal_write32(HAL_BASE_IRQ_CTRL + 4, sources); }

void start_timer(std::uint32_t due) {
  hal_write32(HAL_BASE_TIMER + timer_regs::CompareLo::kOffset, due);
  hal_write32(HAL_BASE_TIMER + timer_regs::CompareHi::kOffset, 0);
  hal_write32(HAL_BASE_TIMER + timer_regs::Ctrl::kOffset, 1);
}

void stop_timer() { hal_write32(HAL_BASE_TIMER + timer_regs::Ctrl::kOffset, 0); }

/// A program of two functions. Without them, it does nothing and sleeps.
struct Script : Program {
  std::function<void()> on_start = [] {};
  std::function<void()> on_step = [] { cpu_wait_for_interrupt(); };

  void start() override { on_start(); }
  void step() override { on_step(); }
};

/// Four real blocks. The trace port stands in for the others.
struct World : soc::SocListener {
  explicit World(std::uint32_t access_price) : core(agenda, access_price, script) {
    NativeCore::Map map;
    map.pages = {&timer, &interrupts, &trace, &testdev, &trace, &trace, &trace, &trace};
    core.connect(map);
  }
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    events.emplace_back(edge, number, argument);
  }
  void run_to_cycle(std::int64_t cycle) { agenda.run_to(clocks(cycle)); }

  Agenda agenda;
  Script script;
  NativeCore core;
  IrqCtrl interrupts{core};
  Timer timer{agenda, interrupts};
  TracePort trace{agenda, this};
  Testdev testdev{agenda, this, core};
  std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t>> events;
};

using Events = std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t>>;

TEST(NativeCore, Accesses_HappenAsFarApartAsTheirPriceSays) {
  World world(10);
  std::vector<std::uint32_t> times;
  world.script.on_start = [&] {
    times.push_back(hal_read32(kTimeLo));
    times.push_back(hal_read32(kTimeLo));
    event(1, 77);
  };
  world.run_to_cycle(1'000);
  EXPECT_EQ(times, (std::vector<std::uint32_t>{10, 20}));
  // The store's cycle is 30, and its event comes with the next edge.
  EXPECT_EQ(world.events, (Events{{31, 1, 77}}));
  EXPECT_TRUE(world.core.asleep());
  EXPECT_EQ(world.core.accesses(), 3U);
  EXPECT_EQ(world.core.awake_time(), clocks(30)) << "the rest takes no time";
}

TEST(NativeCore, TheWorld_GoesOnUpToTheAccess) {
  World world(10);
  int state = 0;
  Alarm at(world.agenda, [&] { state = 1; });
  Alarm behind(world.agenda, [&] { state = 2; });
  at.set(clocks(20));
  behind.set(clocks(20) + 1);
  int seen = 0;
  world.script.on_start = [&] {
    (void)hal_read32(kTimeLo);
    (void)hal_read32(kTimeLo);
    seen = state;
  };
  world.run_to_cycle(1'000);
  EXPECT_EQ(seen, 1) << "an access sees what stands with the edge that begins its cycle";
  EXPECT_EQ(state, 2);
}

TEST(NativeCore, Asleep_AnInterruptWakesIt) {
  World world(10);
  int steps = 0;
  world.script.on_start = [] {
    enable_sources(kTimerEnabled);
    start_timer(500);
  };
  world.script.on_step = [&] {
    event(5);
    if (++steps == 2) stop_timer();
    cpu_wait_for_interrupt();
  };
  world.run_to_cycle(499);
  EXPECT_EQ(steps, 1);
  world.run_to_cycle(2'000);
  EXPECT_EQ(steps, 2);
  // The first event follows four stores and its own. The timer's level is high from edge 500.
  EXPECT_EQ(world.events, (Events{{51, 5, 0}, {511, 5, 0}}));
}

TEST(NativeCore, Awake_AnInterruptDoesNotInterrupt) {
  World world(100);
  world.script.on_start = [] {
    enable_sources(kTimerEnabled);
    start_timer(450);
    event(1);
    event(2);
    stop_timer();
  };
  world.run_to_cycle(3'000);
  EXPECT_EQ(world.events, (Events{{501, 1, 0}, {601, 2, 0}}));
}

TEST(NativeCore, WfiWithAnInterruptPending_DoesNotSleep) {
  World world(10);
  int steps = 0;
  world.script.on_start = [] { enable_sources(kTimerEnabled); };
  world.script.on_step = [&] {
    ++steps == 1 ? start_timer(1) : stop_timer();
    event(1);
    cpu_wait_for_interrupt();
    EXPECT_EQ(world.core.asleep(), steps > 1);
  };
  world.run_to_cycle(3'000);
  EXPECT_EQ(steps, 2);
}

TEST(NativeCore, LevelGoneAtOnce_LeavesItAsleep) {
  World world(10);
  int steps = 0;
  world.script.on_start = [] { enable_sources(irq_ctrl_regs::Enable::kServoMask); };
  world.script.on_step = [&] {
    ++steps;
    cpu_wait_for_interrupt();
  };
  world.run_to_cycle(1'000);
  world.interrupts.interrupt_level(kLineServo, true);
  world.interrupts.interrupt_level(kLineServo, false);
  world.run_to_cycle(2'000);
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(world.core.asleep());
}

TEST(NativeCore, AtNoPrice_TakesNoTime) {
  World world(0);
  int steps = 0;
  world.script.on_start = [] {
    enable_sources(kTimerEnabled);
    start_timer(500);
    event(1);
  };
  world.script.on_step = [&] {
    if (++steps == 2) {
      stop_timer();
      event(2);
    }
    cpu_wait_for_interrupt();
  };
  world.run_to_cycle(1'000);
  EXPECT_EQ(world.events, (Events{{1, 1, 0}, {501, 2, 0}}));
  EXPECT_EQ(world.core.awake_time(), 0);
}

TEST(NativeCore, Exit_UnwindsTheFirmwareAndStandsStill) {
  World world(10);
  bool behind = false;
  int steps = 0;
  world.script.on_start = [&] {
    enable_sources(kTimerEnabled);
    start_timer(500);
    hal_write32(HAL_BASE_TESTDEV + testdev_regs::Exit::kOffset, 0x0003'0021);
    behind = true;
  };
  world.script.on_step = [&] { ++steps; };
  world.run_to_cycle(1'000);
  EXPECT_EQ(world.core.exit_code(), 0x0003'0021U);
  EXPECT_FALSE(behind);
  EXPECT_EQ(steps, 0) << "and no interrupt starts it again";
  EXPECT_EQ(NativeCore::current(), nullptr);
}

// firmware/kernel/assert.h: file id << 16 | line. The cause is a bug of the caller.
TEST(NativeCore, FailedAssertOfTheFirmware_EndsTheRunWithItsPlace) {
  World world(10);
  bool behind = false;
  world.script.on_start = [&] {
    scsi_target_hal_start_transfer(SCSI_PHASE_STATUS, 0, false);  // no byte
    behind = true;
  };
  world.run_to_cycle(1'000);
  ASSERT_TRUE(world.core.exit_code().has_value());
  EXPECT_EQ(*world.core.exit_code() >> 16, FILE_ID_HAL_SCSI_TARGET);
  EXPECT_NE(*world.core.exit_code() & 0xFFFF, 0U) << "a line";
  EXPECT_FALSE(behind);
}

struct BusError {
  std::uint32_t address;
  bool write;
  std::uint32_t code;
};

TEST(NativeCore, AddressThatNobodyOwns_EndsTheRunAsATrap) {
  // firmware/start/main.c: 0x80000000 | mcause << 24. The table of mcause in the RISC-V privileged
  // architecture has 5 for a load access fault, and 7 for a store access fault.
  const BusError kCases[] = {{0x4000'8000U, false, 0x8500'0000U},
                             {0x3FFF'F000U, true, 0x8700'0000U},
                             {HAL_BASE_TIMER + 0x18, false, 0x8500'0000U},
                             {HAL_BASE_TIMER + 0x18, true, 0x8700'0000U},
                             {HAL_BASE_BUFFER_RAM + HAL_BUFFER_RAM_BYTES, false, 0x8500'0000U}};
  for (const BusError& error : kCases) {
    World world(10);
    world.script.on_start = [&] {
      error.write ? hal_write32(error.address, 0) : (void)hal_read32(error.address);
    };
    world.run_to_cycle(1'000);
    EXPECT_EQ(world.core.exit_code(), error.code) << error.address;
  }
}

/// Buffer RAM that keeps only the word written last.
struct OneWord : BufferWindow {
  std::uint32_t byte = 0, word = 0;

  std::uint32_t read_word(std::uint32_t at) const override { return at == byte ? word : ~word; }
  void write_word(std::uint32_t at, std::uint32_t value) override {
    byte = at;
    word = value;
  }
};

// hdl/bus/bus_pkg.sv: BufferBase and BufferAddrWidth, 2 MiB.
TEST(ProcessorMap, BufferWindow_IsAsLargeAsTheBuffer) {
  OneWord buffer;
  Processor::Map map;
  map.buffer = &buffer;
  for (const std::uint32_t byte : {0x0U, 0xF'FFFCU, 0x10'0000U, 0x1F'FFFCU}) {
    std::uint32_t word = 0;
    EXPECT_TRUE(map.write(0x5000'0000U + byte, 1 + byte));
    EXPECT_EQ(buffer.byte, byte);
    EXPECT_TRUE(map.read(0x5000'0000U + byte, word));
    EXPECT_EQ(word, 1 + byte);
  }
  EXPECT_EQ(Processor::Map::owner_of(0x4FFF'FFFCU), Owner::kNobody);
  EXPECT_EQ(Processor::Map::owner_of(0x5020'0000U), Owner::kNobody);
}

TEST(NativeCore, TwoCores_OnAgendasOfTheirOwn_DoNotSeeEachOther) {
  World one(10);
  World two(7);
  for (World* world : {&one, &two}) {
    world->script.on_start = [world] {
      EXPECT_EQ(NativeCore::current(), &world->core);
      enable_sources(kTimerEnabled);
      start_timer(100);
      event(1);
    };
    world->script.on_step = [world] {
      if (world->agenda.now() >= clocks(100)) stop_timer();
      cpu_wait_for_interrupt();
    };
  }
  for (std::int64_t cycle = 0; cycle < 300; cycle += 25) {
    one.run_to_cycle(std::max<std::int64_t>(cycle, one.agenda.now() / kClockPeriodPs));
    two.run_to_cycle(std::max<std::int64_t>(cycle, two.agenda.now() / kClockPeriodPs));
  }
  EXPECT_EQ(one.events, (Events{{51, 1, 0}}));
  EXPECT_EQ(two.events, (Events{{36, 1, 0}}));
}

TEST(NativeCoreDeathTest, FirmwareWithoutACore_IsABug) {
  EXPECT_DEATH((void)hal_read32(kTimeLo), "firmware runs on a core");
}

TEST(NativeCoreDeathTest, AnAccessBehindWfi_IsABug) {
  World world(1);
  world.script.on_step = [] {
    cpu_wait_for_interrupt();
    event(1);
  };
  EXPECT_DEATH(world.run_to_cycle(100), "firmware does nothing after wfi");
}

}  // namespace
}  // namespace headstack::tlm
