// SPDX-License-Identifier: Apache-2.0
// Register classes made from SystemRDL. A block with every kind of access that the exporter
// supports (registers/access_kinds.rdl) must behave as SystemRDL 2.0 says. A part of the tests is
// for what the exporter refuses.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "access_kinds_registers.hpp"
#include "tests/support.hpp"

namespace headstack::test {
namespace {

namespace regs = tlm::access_kinds_regs;

/// The block, with a record of all calls of its hooks.
class Block : public tlm::AccessKindsRegisters<Block> {
 public:
  using Base = tlm::AccessKindsRegisters<Block>;
  using Base::intr_state;
  using Base::load_loaded;
  using Base::lower_hardware;
  using Base::mixed;
  using Base::raise;
  using Base::raise_hardware;

  std::uint32_t at(std::uint32_t offset) {
    std::uint32_t value = 0xDEAD'BEEF;
    EXPECT_TRUE(read(offset, value));
    return value;
  }
  void put(std::uint32_t offset, std::uint32_t value, std::uint32_t mask = kWholeWord) {
    EXPECT_TRUE(write(offset, value, mask));
  }

  regs::Mixed wires;
  regs::Outside outside;
  std::vector<std::pair<std::string, std::uint32_t>> told;
  std::vector<bool> levels;

 private:
  friend class tlm::AccessKindsRegisters<Block>;
  regs::Mixed on_read_mixed() const { return wires; }
  void on_write_mixed(regs::Mixed value) { told.emplace_back("mixed", value.word); }
  void on_write_writes(regs::Writes value) { told.emplace_back("writes", value.word); }
  void on_write_reads(regs::Reads value) { told.emplace_back("reads", value.word); }
  void on_write_command(regs::Command value) { told.emplace_back("command", value.word); }
  void on_write_pulsed(regs::Pulsed value) { told.emplace_back("pulsed", value.word); }
  void on_write_loaded(regs::Loaded value) { told.emplace_back("loaded", value.word); }
  regs::Outside on_read_outside() {
    told.emplace_back("outside read", 0);
    return outside;
  }
  void on_write_outside(regs::Outside value) { told.emplace_back("outside", value.word); }
  void on_write_hardware(regs::Hardware value) { told.emplace_back("hardware", value.word); }
  void on_write_words(std::uint32_t index, regs::Words value) {
    told.emplace_back("words " + std::to_string(index), value.word);
  }
  void on_write_pair_first(std::uint32_t index, regs::PairFirst value) {
    told.emplace_back("first " + std::to_string(index), value.word);
  }
  regs::PairSecond on_read_pair_second(std::uint32_t index) const { return {0x700 + index}; }
  void irq_changed(bool level) { levels.push_back(level); }
};

using Told = std::vector<std::pair<std::string, std::uint32_t>>;

// SystemRDL 2.0, 9.5 (reset), 9.6 (access): a field without read access reads as 0 here.
TEST(Registers, AfterReset_ReadTheirResetValues) {
  Block block;
  EXPECT_EQ(block.at(regs::Mixed::kOffset), 0x800C'005AU) << "0x3 of `hidden` does not show";
  EXPECT_EQ(block.at(regs::Writes::kOffset), 0xAAAA'AAAAU);
  EXPECT_EQ(block.at(regs::Words::offset(3)), 7U);
  EXPECT_EQ(block.at(regs::PairFirst::offset(2)), 9U);
  block.put(regs::Words::offset(3), 1);
  block.put(regs::Mixed::kOffset, 0);
  block.reset();
  EXPECT_EQ(block.at(regs::Words::offset(3)), 7U);
  EXPECT_EQ(block.at(regs::Mixed::kOffset), 0x800C'005AU);
  EXPECT_EQ(block.mixed().hidden(), 3U);
}

TEST(Registers, Write_ReachesOnlyWritableFields) {
  Block block;
  block.wires.set_wired(0x77).set_stored(0xFF);
  block.put(regs::Mixed::kOffset, 0xFFFF'FFFF);
  EXPECT_EQ(block.at(regs::Mixed::kOffset), 0x830C'77FFU) << "wire and constant as they were";
  EXPECT_EQ(block.mixed().hidden(), 0xFU) << "hardware sees what software cannot read";
  EXPECT_EQ(block.told, (Told{{"mixed", 0x83F0'00FF}}));
}

TEST(Registers, Write_WithAMask_LeavesTheOtherBytes) {
  Block block;
  block.put(regs::PairFirst::kOffset, 0x1122'3344);
  block.put(regs::PairFirst::kOffset, 0xAABB'CCDD, 0x00FF'00FF);
  EXPECT_EQ(block.at(regs::PairFirst::kOffset), 0x11BB'33DDU);
  block.told.clear();
  block.put(regs::Words::kOffset, 0xFFFF'FFFF, 0xFFFF'0000);
  EXPECT_EQ(block.at(regs::Words::kOffset), 7U);
  EXPECT_TRUE(block.told.empty()) << "a write of none of its fields is none";
}

TEST(Registers, Fields_AreReadAndBuiltByName) {
  regs::Mixed mixed{0x8000'0000};
  EXPECT_TRUE(mixed.flag());
  mixed.set_flag(false).set_stored(0x1FF).set_mode(regs::Mode::kRun);
  EXPECT_EQ(mixed.word, 0x0200'00FFU) << "a value too wide is cut to its field";
  EXPECT_EQ(mixed.mode(), regs::Mode::kRun);
  EXPECT_EQ(regs::Mixed::kReset, 0x803C'005AU);
}

// SystemRDL 2.0 has a table of the onwrite values.
TEST(Registers, Onwrite_DoesWhatItsNameSays) {
  // Each field holds 0b1010; the write puts 0b1100 into each.
  Block block;
  block.put(regs::Writes::kOffset, 0xCCCC'CCCC);
  const regs::Writes after{block.at(regs::Writes::kOffset)};
  EXPECT_EQ(after.set_by_one(), 0b1110U) << "woset";
  EXPECT_EQ(after.cleared_by_one(), 0b0010U) << "woclr";
  EXPECT_EQ(after.turned_by_one(), 0b0110U) << "wot";
  EXPECT_EQ(after.set_by_zero(), 0b1011U) << "wzs";
  EXPECT_EQ(after.cleared_by_zero(), 0b1000U) << "wzc";
  EXPECT_EQ(after.turned_by_zero(), 0b1001U) << "wzt";
  EXPECT_EQ(after.cleared(), 0U) << "wclr";
  EXPECT_EQ(after.filled(), 0xFU) << "wset";
  EXPECT_EQ(block.told, (Told{{"writes", after.word}}));
}

TEST(Registers, Onwrite_TouchesOnlyBytesOfTheMask) {
  Block block;
  block.put(regs::Writes::kOffset, 0, 0x0000'00FF);
  EXPECT_EQ(block.at(regs::Writes::kOffset), 0xAAAA'AAAAU) << "ones set and clear nothing here";
  block.put(regs::Writes::kOffset, 0, 0x0000'FF00);
  EXPECT_EQ(regs::Writes{block.at(regs::Writes::kOffset)}.set_by_zero(), 0xFU);
  EXPECT_EQ(regs::Writes{block.at(regs::Writes::kOffset)}.cleared_by_zero(), 0xAU);
}

// SystemRDL 2.0, onread: a read returns the value before its side effect.
TEST(Registers, Onread_ActsBehindTheRead) {
  Block block;
  EXPECT_EQ(block.at(regs::Reads::kOffset), 0x003C'3C3CU);
  EXPECT_EQ(block.at(regs::Reads::kOffset), 0x003C'FF00U);
  block.put(regs::Reads::kOffset, 0x0012'3456);
  EXPECT_EQ(block.at(regs::Reads::kOffset), 0x0012'3456U);
}

TEST(Registers, Command_IsToldEachTime_AndDoesNotStay) {
  Block block;
  block.put(regs::Command::kOffset, 0x0001'0005);
  block.put(regs::Command::kOffset, 0x0001'0005);
  EXPECT_EQ(block.told, (Told{{"command", 0x0001'0005}, {"command", 0x0001'0005}}));
  EXPECT_EQ(block.at(regs::Command::kOffset), 0U);
  block.told.clear();
  block.put(regs::Command::kOffset, 0x0001'0005, 0xFFFF'0000);
  EXPECT_EQ(block.told, (Told{{"command", 0x0001'0000}})) << "a byte not written is no command";
}

// SystemRDL 2.0, singlepulse: the field is 0 again in the next cycle.
TEST(Registers, Singlepulse_IsSeenOnce) {
  Block block;
  block.put(regs::Pulsed::kOffset, 0x0000'01AA);
  EXPECT_EQ(block.told, (Told{{"pulsed", 0x1AA}}));
  block.told.clear();
  block.put(regs::Pulsed::kOffset, 0x0000'0055);
  EXPECT_EQ(block.told, (Told{{"pulsed", 0x055}}));
  block.told.clear();
  block.put(regs::Pulsed::kOffset, 0x0000'0100, 0x0000'FF00);
  EXPECT_EQ(block.told, (Told{{"pulsed", 0x155}})) << "beside it, what is stored";
  EXPECT_EQ(block.at(regs::Pulsed::kOffset), 0x055U);
}

TEST(Registers, External_IsNothingButItsHooks) {
  Block block;
  block.outside.word = 0xFFFF'FF42;
  EXPECT_EQ(block.at(regs::Outside::kOffset), 0x42U) << "the bits of its field";
  block.put(regs::Outside::kOffset, 0x1234'5678);
  EXPECT_EQ(block.told, (Told{{"outside read", 0}, {"outside", 0x78}}));
}

TEST(Registers, Hardware_LoadsSetsAndClearsOnlyItsOwnBits) {
  Block block;
  block.load_loaded(regs::Loaded{0xFFFF'FF33});
  EXPECT_EQ(block.at(regs::Loaded::kOffset), 0x0000'2233U);
  block.put(regs::Hardware::kOffset, 0xF0);
  block.raise_hardware(0xFF);
  EXPECT_EQ(block.at(regs::Hardware::kOffset), 0xFFU);
  block.lower_hardware(0x3F);
  EXPECT_EQ(block.at(regs::Hardware::kOffset), 0xCFU);
  block.put(regs::Hardware::kOffset, 0xC3);
  EXPECT_EQ(block.at(regs::Hardware::kOffset), 0xCCU) << "raised ones go by writing 1";
}

TEST(Registers, Interrupt_IsStateAndEnable_AndToldWhenItChanges) {
  Block block;
  block.raise(0b001);
  EXPECT_FALSE(block.irq());
  block.put(regs::IntrEnable::kOffset, 0b011);
  EXPECT_TRUE(block.irq());
  block.raise(0b110);
  EXPECT_EQ(block.at(regs::IntrState::kOffset), 0b111U);
  EXPECT_EQ(block.levels, std::vector<bool>{true});
  block.put(regs::IntrState::kOffset, 0b001);
  EXPECT_TRUE(block.irq()) << "0b010 is left";
  block.put(regs::IntrState::kOffset, 0b010);
  EXPECT_FALSE(block.irq());
  EXPECT_EQ(block.at(regs::IntrState::kOffset), 0b100U);
  block.put(regs::IntrEnable::kOffset, 0b100);
  block.reset();
  EXPECT_EQ(block.levels, (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(block.intr_state().word, 0U);
}

TEST(Registers, Arrays_TellTheirIndex) {
  Block block;
  block.put(regs::Words::offset(2), 0x1'2345);
  block.put(regs::PairFirst::offset(1), 6);
  EXPECT_EQ(block.told, (Told{{"words 2", 0x2345}, {"first 1", 6}}));
  EXPECT_EQ(block.at(regs::Words::offset(1)), 7U) << "the neighbour";
  EXPECT_EQ(block.at(regs::PairFirst::offset(0)), 9U);
  EXPECT_EQ(block.at(regs::PairSecond::offset(2)), 0x702U);
}

TEST(Registers, OffsetWithoutARegister_IsRefused) {
  Block block;
  for (const std::uint32_t offset : {0x28U, 0x3CU, 0x50U, 0x7CU, 0x88U, 0x8CU, 0xB0U, 0xFFCU}) {
    std::uint32_t value = 1;
    EXPECT_FALSE(block.read(offset, value)) << offset;
    EXPECT_EQ(value, 1U);
    EXPECT_FALSE(block.write(offset, 1)) << offset;
  }
  EXPECT_TRUE(block.told.empty());
}

// ------------------------------------------------------------------------------- what it refuses

struct Refusal {
  const char* what;
  const char* registers;
  const char* message;
};

class RegistersRefused : public testing::TestWithParam<Refusal> {};

TEST_P(RegistersRefused, NamesTheComponent) {
  const std::string folder = testing::TempDir();
  const std::string rdl = folder + "refused_" + GetParam().what + ".rdl";
  std::ofstream(rdl) << "addrmap refused { default regwidth = 32; " << GetParam().registers
                     << " };";
  const std::string command = std::string(test::python()) + " -B " + test::source_root() +
                              "/sim/tlm/registers/export_registers.py " + rdl + " -o " + rdl +
                              ".hpp 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  for (int character = fgetc(pipe); character != EOF; character = fgetc(pipe)) {
    output += static_cast<char>(character);
  }
  EXPECT_NE(WEXITSTATUS(pclose(pipe)), 0);
  EXPECT_NE(output.find(GetParam().message), std::string::npos) << output;
  EXPECT_FALSE(std::ifstream(rdl + ".hpp").good()) << "nothing is left behind";
  std::remove(rdl.c_str());
}

const Refusal kRefusals[] = {
    {"counter", "reg { field { sw = r; hw = na; counter; } ticks[8]; } COUNT;",
     "refused.COUNT.ticks: property 'counter' is not supported"},
    {"write_once", "reg { field { sw = rw1; hw = r; reset = 0; } once[1]; } ONCE;",
     "refused.ONCE.once: write-once fields are not supported"},
    {"write_enable", "reg { field { sw = rw; hw = rw; we; reset = 0; } held[1]; } HELD;",
     "refused.HELD.held: property 'we' is not supported"},
    {"wide", "reg { regwidth = 64; field { sw = rw; hw = r; reset = 0; } value[64]; } WIDE;",
     "refused.WIDE: registers have 32 bits"},
    {"keyword", "reg { field { sw = rw; hw = r; reset = 0; } union[1]; } WORD;",
     "refused.WORD.union: a field cannot be named 'union' in C++"},
    {"two_dimensions", "reg { field { sw = rw; hw = r; reset = 0; } one[1]; } GRID[2][2];",
     "arrays of arrays are not supported"},
    {"lonely_state", "reg { field { sw = rw; hw = r; reset = 0; } one[1]; } INTR_STATE;",
     "INTR_STATE and INTR_ENABLE come together"},
    {"syntax", "reg { field { sw = perhaps; } one[1]; } BAD;", "Reference to 'perhaps' not found"},
};

INSTANTIATE_TEST_SUITE_P(All, RegistersRefused, testing::ValuesIn(kRefusals), case_name<Refusal>);

}  // namespace
}  // namespace headstack::test
