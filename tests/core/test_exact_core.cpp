// SPDX-License-Identifier: Apache-2.0
// The core of the fast platform against the RTL, with programs other than firmware. Every
// instruction retires in the same cycle, with the same effect.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "sim/core/translation_file.hpp"
#include "sim/core/translator.hpp"
#include "sim/soc/soc_clock.hpp"
#include "sim/tlm/blocks/buffer_mgr.hpp"
#include "sim/tlm/blocks/irq_ctrl.hpp"
#include "sim/tlm/blocks/testdev.hpp"
#include "sim/tlm/blocks/timer.hpp"
#include "sim/tlm/blocks/trace_port.hpp"
#include "sim/tlm/cores/exact_core.hpp"
#include "tests/core/csr_program.hpp"
#include "tests/core/random_program.hpp"
#include "tests/paths.hpp"

namespace headstack::core {
namespace {

using test::random_program;

struct Retired {
  std::uint32_t pc = 0;
  std::uint64_t edge = 0;
};
bool operator==(const Retired& a, const Retired& b) { return a.pc == b.pc && a.edge == b.edge; }
std::ostream& operator<<(std::ostream& out, const Retired& one) {
  return out << "pc 0x" << std::hex << one.pc << std::dec << " at edge " << one.edge;
}

struct Course {
  std::vector<Retired> retired;
  std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t>> events;
  std::array<std::uint32_t, 32> x{};
  std::vector<std::uint8_t> ram;
  std::int64_t awake = 0;
  std::uint64_t in_units = 0;
  std::optional<soc::CoreFault> fault;
};

/// The most edges of a program.
constexpr std::uint64_t kEdges = 60'000;

class Listener : public soc::SocListener {
 public:
  explicit Listener(Course& course) : course_(course) {}
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    course_.events.emplace_back(edge, number, argument);
  }

 private:
  Course& course_;
};

class Watcher : public soc::CoreWatcher {
 public:
  explicit Watcher(Course& course) : course_(course) {}
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override {
    if (activity.core_edge && activity.retirement.valid) {
      course_.retired.push_back({activity.retirement.pc, edge});
    }
  }

 private:
  Course& course_;
};

/// Where a core stops at faults: the stack's limit, 0 for exceptions alone.
using StackLimit = std::optional<std::uint32_t>;

Course run_rtl(const std::vector<std::uint8_t>& program, StackLimit limit = {},
               soc::SocBuild build = soc::SocBuild::kInspect) {
  Course course;
  soc::Soc soc(build);
  soc.write_ram(0, program);
  soc.reset();
  Listener listener(course);
  Watcher watcher(course);
  soc::SocClock clock(soc, &listener, true);
  if (limit) clock.stop_at_faults(*limit);
  if (build == soc::SocBuild::kInspect) clock.watch_core(&watcher);
  clock.advance_to(static_cast<Picoseconds>(kEdges) * soc::kClockPeriodPs);
  course.fault = clock.fault();
  if (build == soc::SocBuild::kInspect) course.x = soc.registers().x;
  course.ram = soc.read_ram(0, soc::Soc::kRamBytes);
  course.awake = static_cast<std::int64_t>(clock.core_edges());
  return course;
}

class HartNotes : public HartWatcher {
 public:
  explicit HartNotes(Course& course) : course_(course) {}
  void retired(std::uint32_t pc, Cycle at) override {
    course_.retired.push_back({pc, static_cast<std::uint64_t>(at)});
  }

 private:
  Course& course_;
};

/// Runs a program on the exact core: interpreted and watched, or by its translation.
Course run_exact(const std::vector<std::uint8_t>& program,
                 const translation::Translation* translation = nullptr, StackLimit limit = {},
                 bool is_watched = true) {
  Course course;
  tlm::Agenda agenda;
  Listener listener(course);
  HartNotes notes(course);
  tlm::ExactCore core(agenda);
  tlm::IrqCtrl irq_ctrl(core);
  tlm::Timer timer(agenda, irq_ctrl);
  tlm::TracePort trace_port(agenda, &listener);
  tlm::Testdev testdev(agenda, &listener, core);
  tlm::BufferMgr buffer(agenda, irq_ctrl);
  tlm::Processor::Map map;
  map.pages = {&timer,      &irq_ctrl, &trace_port, &testdev,
               &trace_port, &buffer,   &trace_port, &trace_port};
  map.buffer = &buffer;
  core.connect(map);
  core.hart().load(0, program);
  if (limit) core.hart().stop_at_faults(*limit);
  if (translation == nullptr) {
    if (is_watched) core.hart().watch(&notes);
  } else {
    EXPECT_TRUE(core.hart().use(*translation)) << "a translation of this program";
  }
  agenda.run_to(static_cast<Picoseconds>(kEdges) * soc::kClockPeriodPs);
  course.fault = core.fault();
  EXPECT_TRUE(core.hart().asleep() || course.fault) << "the program has ended";
  for (unsigned i = 0; i < course.x.size(); ++i) course.x[i] = core.hart().x(i);
  course.ram.assign(core.hart().ram().begin(), core.hart().ram().end());
  course.awake = core.awake_time() / soc::kClockPeriodPs;
  course.in_units = core.hart().retired_in_units();
  return course;
}

/// A program's translation, compiled: a library in a folder of its own.
class Library {
 public:
  explicit Library(const std::vector<std::uint8_t>& program, std::uint32_t stack_limit = 0) {
    std::string name = testing::TempDir() + "translation.XXXXXX";
    folder_ = mkdtemp(name.data());
    Program source;
    source.ram_bytes = soc::kFirmwareRamBytes;
    source.stack_limit = stack_limit;
    source.bytes = program;
    source.bytes.resize((program.size() + 3) / 4 * 4);
    for (std::uint32_t vector = 0; vector <= 32; ++vector) source.roots.push_back(4 * vector);
    for (const auto& [file, text] : translate(source, 1)) {
      std::ofstream(std::filesystem::path(folder_) / file) << text;
    }
    const std::string command = std::string(HEADSTACK_TRANSLATION_COMPILE " -I'") +
                                headstack::test::source_root() + "' -shared " + folder_ +
                                "/units_0.cpp " + folder_ + "/table.cpp -o " + file();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    translation_ = load_translation(file());
  }
  ~Library() { std::filesystem::remove_all(folder_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const translation::Translation* translation() const { return translation_; }
  const std::string& folder() const { return folder_; }
  std::string file() const { return folder_ + "/library.so"; }

 private:
  std::string folder_;
  const translation::Translation* translation_ = nullptr;
};

void expect_same_end(const Course& translated, const Course& interpreted) {
  EXPECT_EQ(translated.events, interpreted.events);
  EXPECT_EQ(translated.x, interpreted.x);
  EXPECT_TRUE(translated.ram == interpreted.ram) << "RAM";
  EXPECT_EQ(translated.awake, interpreted.awake) << "edges that the core gets";
}

void expect_same(const Course& exact, const Course& rtl) {
  const std::size_t both = std::min(exact.retired.size(), rtl.retired.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (exact.retired[i] == rtl.retired[i]) continue;
    const std::size_t first = i < 6 ? 0 : i - 6;
    for (std::size_t k = first; k < std::min(both, i + 2); ++k) {
      ADD_FAILURE() << "retirement " << k << ": rtl " << rtl.retired[k] << ", exact "
                    << exact.retired[k];
    }
    return;
  }
  EXPECT_EQ(exact.retired.size(), rtl.retired.size());
  EXPECT_GT(rtl.retired.size(), 100U);
  EXPECT_EQ(exact.events, rtl.events);
  EXPECT_EQ(exact.x, rtl.x);
  EXPECT_EQ(exact.ram == rtl.ram, true) << "RAM";
  EXPECT_EQ(exact.awake, rtl.awake) << "edges that the core gets";
}

struct Kind {
  const char* name;
  unsigned classes;
};
constexpr Kind kKinds[] = {
    {"Arithmetic", 0},
    {"Short", test::kShort},
    {"Memory", test::kMemory | test::kShort},
    {"Misaligned", test::kMemory | test::kMisaligned | test::kShort},
    {"Multiply", test::kMultiply | test::kShort | test::kMemory},
    {"Branches", test::kBranches | test::kShort | test::kMemory},
    {"Csrs", test::kCsrs | test::kShort | test::kBranches},
    {"Registers", test::kRegisters | test::kShort | test::kMemory},
    {"Window", test::kWindow | test::kShort | test::kMemory},
    {"WindowMisaligned", test::kWindow | test::kMisaligned | test::kMemory},
    {"Faults", test::kFaults | test::kShort | test::kMemory},
    {"FaultsMisaligned", test::kFaults | test::kMisaligned | test::kMemory | test::kShort},
    {"Traps", test::kTraps | test::kShort | test::kMemory | test::kRegisters},
    {"Fences", test::kFences | test::kShort | test::kMemory | test::kBranches},
    {"Interrupts", test::kInterrupts | test::kShort | test::kMemory | test::kMultiply},
    {"InterruptsAndCsrs", test::kInterrupts | test::kCsrs | test::kBranches | test::kShort},
    {"InterruptsAndRegisters",
     test::kInterrupts | test::kRegisters | test::kMemory | test::kWindow | test::kShort},
    {"Sleep", test::kSleep | test::kShort | test::kMemory | test::kBranches},
    {"UserMode", test::kUserMode | test::kShort | test::kMemory | test::kInterrupts},
    {"All", test::kAllClasses},
};

/// The number of seeds, from 1 on; the wide tests have more (CMakeLists.txt).
std::uint64_t seeds() {
  const char* const wanted = std::getenv("HEADSTACK_RANDOM_PROGRAMS");
  return wanted == nullptr ? 8 : std::strtoull(wanted, nullptr, 10);
}

class RandomPrograms : public testing::TestWithParam<Kind> {};

TEST_P(RandomPrograms, RetireInTheCyclesOfTheRtl) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto program = random_program(seed, GetParam().classes, 400);
    expect_same(run_exact(program), run_rtl(program));
    if (HasFailure()) return;
  }
}

constexpr unsigned kCsrsOfAProgram = 128;

/// Ibex defines which numbers exist, and their bits (ibex_cs_registers.sv).
class CsrNumbers : public testing::TestWithParam<unsigned> {};

TEST_P(CsrNumbers, AnswerAsThoseOfTheRtl) {
  const auto program = test::csr_program(GetParam(), kCsrsOfAProgram, false);
  expect_same(run_exact(program), run_rtl(program));
}

TEST_P(CsrNumbers, InUserMode_AnswerAsThoseOfTheRtl) {
  const auto program = test::csr_program(GetParam(), kCsrsOfAProgram, true);
  expect_same(run_exact(program), run_rtl(program));
}

INSTANTIATE_TEST_SUITE_P(From, CsrNumbers, testing::Range(0U, test::kCsrNumbers, kCsrsOfAProgram));

// With an empty write-back stage a read of minstret is one more than the instructions before it
// (ibex_wb_stage.sv, perf_instr_ret_wb_spec_o).
TEST(Minstret, WithAnEmptyWriteBackStage_IsThatOfTheRtl) {
  const auto program = test::counter_program();
  expect_same(run_exact(program), run_rtl(program));
}

TEST(UserMode, WfiWithTwAndDret_AreIllegal) {
  const auto program = test::user_wait_program();
  expect_same(run_exact(program), run_rtl(program));
}

/// The interpreter is compared with the RTL above. A compiler for each program is slow.
TEST_P(RandomPrograms, TranslatedTakeTheCyclesOfTheInterpreter) {
  std::uint64_t in_units = 0;
  for (std::uint64_t seed = 1; seed <= (seeds() + 7) / 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto program = random_program(seed, GetParam().classes, 400);
    const Library library(program);
    ASSERT_NE(library.translation(), nullptr);
    const Course translated = run_exact(program, library.translation());
    expect_same_end(translated, run_exact(program));
    in_units += translated.in_units;
    if (HasFailure()) return;
  }
  EXPECT_GT(in_units, 50U) << "instructions that units executed";
}

void expect_same_fault(const Course& found, const Course& rtl) {
  ASSERT_EQ(found.fault.has_value(), rtl.fault.has_value());
  if (!rtl.fault) return;
  EXPECT_EQ(found.fault->is_stack, rtl.fault->is_stack);
  EXPECT_EQ(found.fault->edge, rtl.fault->edge);
  EXPECT_EQ(found.fault->cause, rtl.fault->cause);
  EXPECT_EQ(found.fault->pc, rtl.fault->pc);
  EXPECT_EQ(found.fault->value, rtl.fault->value);
  EXPECT_EQ(found.fault->sp, rtl.fault->sp);
  EXPECT_EQ(found.fault->return_address, rtl.fault->return_address);
}

/// For these programs x2 is an ordinary register: it often changes from above a limit to below.
constexpr std::uint32_t kLimits[] = {0, 0x1000, 0x4000'0000, 0x8000'0000, 0xFFFF'F000};

/// The classes that leave mcause to the hardware.
constexpr unsigned kWithoutCsrs = ~static_cast<unsigned>(test::kCsrs);

// The same edge, the same instruction and the same registers, in both builds of the electronics.
// That holds for a program that is interpreted by instructions or blocks, and for a translated one.
TEST_P(RandomPrograms, StopAtTheSameFault) {
  unsigned stacks = 0;
  unsigned exceptions = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const std::uint32_t limit = kLimits[seed % std::size(kLimits)];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", limit " << limit);
    const auto program = random_program(seed, GetParam().classes & kWithoutCsrs, 400);
    const Course rtl = run_rtl(program, limit);
    expect_same_fault(run_rtl(program, limit, soc::SocBuild::kFast), rtl);
    expect_same_fault(run_exact(program, nullptr, limit), rtl);
    expect_same_fault(run_exact(program, nullptr, limit, false), rtl);
    if (seed == 2) {
      const Library library(program, limit);
      ASSERT_NE(library.translation(), nullptr);
      expect_same_fault(run_exact(program, library.translation(), limit), rtl);
    }
    stacks += rtl.fault && rtl.fault->is_stack ? 1 : 0;
    exceptions += rtl.fault && !rtl.fault->is_stack ? 1 : 0;
    if (HasFailure()) return;
  }
  // A program that may trap does so before its stack grows past the end.
  constexpr unsigned kThatTrap = test::kTraps | test::kFaults | test::kUserMode;
  const bool may_trap = (GetParam().classes & kThatTrap) != 0;
  EXPECT_GT(may_trap ? exceptions : stacks, 0U);
}

TEST(Translation, IsNotTakenForAnotherProgram) {
  const auto program = random_program(1, test::kShort, 100);
  const Library library(program);
  ASSERT_NE(library.translation(), nullptr);
  tlm::Agenda agenda;
  tlm::ExactCore core(agenda);
  auto other = program;
  other[program.size() / 2] ^= 1;
  core.hart().load(0, other);
  EXPECT_FALSE(core.hart().use(*library.translation()));
  core.hart().load(0, program);
  EXPECT_TRUE(core.hart().use(*library.translation()));
}

/// A folder of translations with one that can be loaded, under the key of its program.
class TranslationFolder : public testing::Test {
 protected:
  TranslationFolder() { std::filesystem::create_directory(folder_); }
  ~TranslationFolder() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return folder_ + "/" + key_ + ".so"; }
  const translation::Translation* find() const { return find_translation(folder_, key_); }

  const std::vector<std::uint8_t> program_ = random_program(1, test::kShort, 100);
  const Library library_{program_};
  const std::string folder_ = library_.folder() + "/translations";
  const std::string key_ = translation_key(program_, 0);
};

TEST_F(TranslationFolder, HasTheTranslationUnderItsKeyAlone) {
  EXPECT_EQ(find(), nullptr) << "an empty folder";
  std::filesystem::copy_file(library_.file(), file());
  EXPECT_NE(find(), nullptr);
  auto other = program_;
  other[program_.size() / 2] ^= 1;
  EXPECT_EQ(find_translation(folder_, translation_key(other, 0)), nullptr);
  EXPECT_EQ(find_translation(folder_, translation_key(program_, 4)), nullptr)
      << "the same code with another stack";
  other = program_;
  other.push_back(0);
  EXPECT_NE(translation_key(other, 0), key_) << "zeros at the end count, too";
}

// A user who may write the file, or replace it, could run code in this process.
TEST_F(TranslationFolder, FileThatOthersCouldHaveMade_IsNotLoaded) {
  namespace fs = std::filesystem;
  fs::copy_file(library_.file(), file());
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(find(), nullptr) << "everybody may write to it";
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::remove);
  EXPECT_NE(find(), nullptr);
  fs::remove(file());
  fs::create_symlink(library_.file(), file());
  EXPECT_EQ(find(), nullptr) << "a link leads elsewhere";
  fs::remove(file());
  fs::copy_file(library_.file(), file());
  constexpr uid_t kAnother = 12'345;
  if (::chown(file().c_str(), kAnother, static_cast<gid_t>(-1)) == 0) {
    EXPECT_EQ(find(), nullptr) << "another user's";
  }
}

// The test is build/PRESET/tests/core/test_exact_core: its folder is that of the build, the nearest
// one above.
TEST(Translation, FolderOfThisProgram_IsThatOfItsBuild) {
  EXPECT_EQ(own_translations(),
            std::filesystem::path(headstack::test::drive_elf()).parent_path() / "translations");
}

INSTANTIATE_TEST_SUITE_P(Of, RandomPrograms, testing::ValuesIn(kKinds),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace headstack::core
