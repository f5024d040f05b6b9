// SPDX-License-Identifier: Apache-2.0
// A bug of the firmware at which the drive's core stops: an exception, or a stack that has grown
// past its end. The run ends at once, with the same sentence at the same time on both platforms.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <vector>

#include "sim/soc/elf_image.hpp"
#include "sim/units.hpp"
#include "tests/scenario/patched_program.hpp"
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

/// An instruction of 32 bits, low byte first.
std::string word(std::uint32_t code) {
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(code >> shift);
  return bytes;
}

// RISC-V unprivileged architecture, 2.4: I-type and U-type.
constexpr std::uint32_t kSp = 2;
std::string addi(std::uint32_t rd, std::uint32_t rs1, std::int32_t value) {
  return word(static_cast<std::uint32_t>(value) << 20 | rs1 << 15 | rd << 7 | 0x13);
}
std::string lui(std::uint32_t rd, std::uint32_t value) {
  return word((value & 0xFFFF'F000U) | rd << 7 | 0x37);
}
/// Sets sp to an address, without a lower value on the way.
std::string set_stack(std::uint32_t address) {
  constexpr std::uint32_t kT0 = 5;
  const auto low = static_cast<std::int32_t>(address << 20) >> 20;
  return lui(kT0, address - static_cast<std::uint32_t>(low)) + addi(kT0, kT0, low) +
         addi(kSp, kT0, 0);
}

class CoreFaults : public ReplayFixture {
 protected:
  /// The error of a run whose firmware does this in place of scheduler_plan, on one platform.
  std::string fail(const std::string& platform, const std::string& instructions) {
    write_patched_firmware("scheduler_plan", instructions, file("broken.elf"));
    write_trace(1, 20, 2'056'008, 40'000);
    EXPECT_EQ(run("--drive hp_c3323a --depth 4 --platform " + platform + " --firmware '" +
                      file("broken.elf") + "'",
                  platform),
              1);
    return errors();
  }
  /// The message, which is the same on both platforms, and so is the time.
  std::string fail_on_both(const std::string& instructions) {
    std::map<std::string, std::string> texts;
    for (const char* platform : {"rtl", "vp"}) {
      fail(platform, instructions);
      const std::string text = slurp(file(platform) + std::string("/post-mortem.txt"));
      texts[platform] = text.substr(0, text.find("\n\n"));
      EXPECT_LT(summary(platform)["simulated_ps"].get<Picoseconds>(), kPicosecondsPerSecond)
          << "at once, and not by the watchdog after 30 s";
    }
    EXPECT_EQ(texts["vp"], texts["rtl"]);
    return texts["rtl"];
  }
  static std::uint32_t limit() { return soc::ElfImage::read(test::drive_elf()).stack_limit(); }
};

TEST_F(CoreFaults, ProgramHasAStackLimit) {
  // firmware/start/soc.ld: 16 KiB below the design table (firmware/drive_design.h).
  EXPECT_GT(limit(), 0x30'0000U);
  EXPECT_LT(limit(), 0x40'0000U);
}

TEST_F(CoreFaults, StackBelowItsLimit_IsTheFailure) {
  const std::string text = fail_on_both(set_stack(limit() - 16));
  EXPECT_THAT(text, HasSubstr("the firmware's stack overflowed in scheduler_plan (pc 0x"));
  EXPECT_THAT(text, HasSubstr(fmt::format("sp {:#x} is below __stack_limit {:#x}; called from ",
                                          limit() - 16, limit())));
}

// The instruction of a function's prologue acts at both sides of the limit: the word at the limit
// still belongs to the stack.
TEST_F(CoreFaults, StackAtItsLimit_IsNone_AndAWordLessIs) {
  const std::string at_limit = set_stack(limit() + 16) + addi(kSp, kSp, -16);
  EXPECT_THAT(fail_on_both(at_limit + std::string(code::kBreak)),
              AllOf(HasSubstr("exception 3 (mcause), breakpoint"),
                    HasSubstr(fmt::format("sp {:#x}", limit()))));
  const std::string below = set_stack(limit() + 12) + addi(kSp, kSp, -16);
  EXPECT_THAT(fail_on_both(below + std::string(code::kBreak)),
              HasSubstr(fmt::format("sp {:#x} is below", limit() - 4)));
}

// A handler would need the missing stack, and never reach its report.
TEST_F(CoreFaults, ExceptionWithoutAStack_IsTheFailureAllTheSame) {
  constexpr std::uint32_t kNowhere = 0x7FFF'F000;  // above the limit, and outside of memory
  EXPECT_THAT(fail_on_both(set_stack(kNowhere) + std::string(code::kIllegal)),
              AllOf(HasSubstr("exception 2 (mcause), illegal instruction, at 0x"),
                    HasSubstr(" in scheduler_plan; mtval 0xffffffff, sp 0x7ffff000")));
}

// mcause: RISC-V privileged architecture, table of causes. 0x70000000 has no target
// (hdl/README.md).
TEST_F(CoreFaults, BusErrors_NameCauseAddressAndFunction) {
  constexpr std::uint32_t kT0 = 5;
  const std::string address = lui(kT0, 0x7000'0000);
  const std::string load = word(kT0 << 15 | 2U << 12 | kT0 << 7 | 0x03);    // lw t0, 0(t0)
  const std::string store = word(kT0 << 20 | kT0 << 15 | 2U << 12 | 0x23);  // sw t0, 0(t0)
  EXPECT_THAT(fail_on_both(address + load),
              AllOf(HasSubstr("exception 5 (mcause), load access fault, a bus error"),
                    HasSubstr(" in scheduler_plan; mtval 0x70000000, sp 0x")));
  EXPECT_THAT(fail_on_both(address + store),
              AllOf(HasSubstr("exception 7 (mcause), store access fault, a bus error"),
                    HasSubstr(" in scheduler_plan; mtval 0x70000000, sp 0x")));
}

// At its first instruction a function's caller is in ra.
TEST_F(CoreFaults, PostMortem_HasCallsTasksAndEventsInWords) {
  for (const char* platform : {"rtl", "vp"}) {
    fail(platform, std::string(code::kBreak));
    std::string text = slurp(file(platform) + std::string("/post-mortem.txt"));
    EXPECT_THAT(text, ContainsRegex("\n  #0  scheduler_plan\n  #1  [a-z_]+, returning to 0x"));
    EXPECT_THAT(text, HasSubstr("tasks in hand at the run's end:\n\n task"));
    EXPECT_THAT(text,
                ContainsRegex("COMMAND_RECEIVED +operation code (28|2a)h, initiator [0-9]+, tag "));
    EXPECT_THAT(text, ContainsRegex("PLAN_BEGIN +policy [0-9]+, candidates [0-9]+\n$"));
  }
}

// The callers of scheduler_plan in the sources.
TEST_F(CoreFaults, Backtrace_GoesDownToMain) {
  for (const char* platform : {"rtl", "vp"}) {
    fail(platform, std::string(code::kBreak));
    EXPECT_THAT(
        slurp(file(platform) + std::string("/post-mortem.txt")),
        ContainsRegex("\n  #0  scheduler_plan\n(  #[0-9]+ +[a-z_]+, returning to 0x[0-9a-f]+\n)*"
                      "  #[0-9]+ +main, returning to 0x"));
  }
}

}  // namespace
}  // namespace headstack::scenario
