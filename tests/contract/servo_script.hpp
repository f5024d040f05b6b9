// SPDX-License-Identifier: Apache-2.0
/// @file
/// Common code of the servo's contract tests: commands as firmware gives them, and random sequences
/// of them. The drive is fast enough to simulate every clock.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "tests/contract/servo_bench.hpp"
#include "tests/support.hpp"

namespace headstack::contract {

constexpr std::uint32_t kServoEvents = 0x7F;

/// Seeks of 20 us (800 clocks), write settle 5 us, a turn of 1 ms (40,000 clocks), ramps of 30 us.
inline drive::DriveDescription quick_drive() {
  drive::DriveDescription description;
  description.design = test::small_design();
  description.design.rpm = 60'000;
  description.design.seek.pieces = {{3, 0.02, 0, 0, 0}};
  description.design.head_switch_ms = 0.01;
  description.design.write_settle_ms = 0.005;
  description.design.spin_up_ms = 0.03;
  description.design.spin_down_ms = 0.02;
  return description;
}
constexpr std::uint64_t kSeekClocks = 800;
constexpr std::uint64_t kSettleClocks = 200;

template <class Bench>
void write_op(Bench& bench, tlm::servo_regs::Op op) {
  bench.write(tlm::servo_regs::Command::kOffset, static_cast<std::uint32_t>(op));
}
template <class Bench>
void seek(Bench& bench, std::uint32_t cylinder, std::uint32_t head, bool for_write = false) {
  bench.write(tlm::servo_regs::Target::kOffset,
              head << 24 | (for_write ? tlm::servo_regs::Target::kForWriteMask : 0) | cylinder);
  write_op(bench, tlm::servo_regs::Op::kSeek);
}
template <class Bench>
void clear(Bench& bench) {
  bench.write(tlm::servo_regs::IntrState::kOffset, kServoEvents);
}

class BenchName {
 public:
  template <class Bench>
  static std::string GetName(int) {
    return std::is_same_v<Bench, ServoRtl> ? "rtl" : "tlm";
  }
};

/// The same random commands at the same cycles. After each, one of the registers is read at every
/// edge, and all of them at the end.
class RandomServo {
 public:
  /// `follows`: the formatter requests seeks, too.
  RandomServo(std::uint32_t seed, drive::Specimen specimen, bool follows = false)
      : seed_(seed), specimen_(std::move(specimen)), follows_(follows) {}

  template <class Bench>
  Notes run() const {
    namespace regs = tlm::servo_regs;
    std::mt19937 random(seed_);
    const auto pick = [&random](std::uint32_t below) {
      return static_cast<std::uint32_t>(random() % below);
    };
    drive::DriveDescription description = quick_drive();
    description.specimen = specimen_;
    description.design.write_settle_ms = std::array{0.005, 0.0, -0.002}[pick(3)];
    // As long as a seek, and shorter and longer than a head switch.
    description.design.write_offset_ms = std::array{0.0, 0.004, 0.015, 0.02}[pick(4)];
    Bench bench(description, pick(2) != 0 ? tlm::Disk::Start::kAtSpeed : tlm::Disk::Start::kAtRest);
    bench.step(3);
    bench.write(regs::IntrEnable::kOffset, pick(128));
    for (int i = 0; i < 300; ++i) {
      const std::uint32_t what = pick(follows_ ? 16 : 14);
      note(bench.notes, bench.cycle(), "act", what);
      switch (what) {
        case 0: write_op(bench, regs::Op::kSpinDown); break;
        case 1:
        case 2: write_op(bench, regs::Op::kSpinUp); break;
        case 3: bench.write(regs::IndexCapture::kOffset, pick(2)); break;
        case 4: bench.write(regs::IntrEnable::kOffset, pick(128)); break;
        case 5: clear(bench); break;
        case 6: write_op(bench, regs::Op::kRecalibrate); break;
        case 14: bench.follow(); break;
        case 15:  // a command in the same cycle
          write_op(bench, regs::Op::kNone);
          bench.follow();
          break;
        default: {
          const std::uint32_t cylinder = pick(6), head = pick(2);
          seek(bench, cylinder, head, pick(2) != 0);
          break;
        }
      }
      // The model shows a command at once, the RTL a clock later.
      const std::uint32_t waits[] = {3 + pick(8), 3 + pick(300), 750 + pick(100), pick(3000) + 3};
      constexpr std::uint32_t kRegisters[] = {regs::Status::kOffset, regs::Position::kOffset,
                                              regs::IndexCount::kOffset, regs::IndexTimeLo::kOffset,
                                              regs::IntrState::kOffset};
      watch(bench, kRegisters[pick(5)], waits[pick(4)]);
      for (const std::uint32_t offset : kRegisters) {
        const std::uint64_t cycle = bench.cycle();
        note(bench.notes, cycle, fmt::format("register {:#x}", offset), bench.read(offset));
      }
    }
    return bench.notes;
  }

 private:
  /// Passes cycles, and notes each value of a register that differs from the one before.
  template <class Bench>
  static void watch(Bench& bench, std::uint32_t offset, std::uint32_t cycles) {
    constexpr std::uint32_t kShows = 3;  // cycles until the RTL shows a command
    bench.step(std::min(cycles, kShows));
    std::optional<std::uint32_t> seen;
    for (std::uint32_t i = kShows; i < cycles; ++i) {
      const std::uint64_t cycle = bench.cycle();
      const std::uint32_t value = bench.read(offset);
      if (value != seen) note(bench.notes, cycle, fmt::format("register {:#x}", offset), value);
      seen = value;
    }
  }

  std::uint32_t seed_;
  drive::Specimen specimen_;
  bool follows_;
};

}  // namespace headstack::contract
