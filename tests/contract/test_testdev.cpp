// SPDX-License-Identifier: Apache-2.0
// The test device, Verilated and as a model, against hdl/regs/testdev.rdl.
#include <Vtestdev.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/tlm/blocks/testdev.hpp"
#include "tests/contract/bench.hpp"

namespace headstack::contract {
namespace {

using tlm::testdev_regs::Console;
using tlm::testdev_regs::Exit;
using tlm::testdev_regs::Platform;
using tlm::testdev_regs::PlatformCode;

class RtlTestdev : public RtlBench<Vtestdev> {
  void observe() override {
    const auto console = ports::Console::of(model_.console_o);
    if (console.valid) printed.emplace_back(cycle(), console.character);
    const auto exit = ports::Exit::of(model_.exit_o);
    if (exit.valid) exits.push_back(exit.code);
  }

 public:
  static constexpr PlatformCode kPlatform = PlatformCode::kRtl;
  std::vector<std::pair<std::uint64_t, char>> printed;
  std::vector<std::uint32_t> exits;
};

class TlmTestdev : public TlmBench, private soc::SocListener, private tlm::ExitSink {
  tlm::RegisterPage& page() override { return device_; }
  void console(std::uint64_t edge, char character) override {
    printed.emplace_back(edge, character);
  }
  void firmware_exit(std::uint32_t code) override { exits.push_back(code); }
  tlm::Testdev device_{agenda_, this, *this};

 public:
  static constexpr PlatformCode kPlatform = PlatformCode::kVp;
  std::vector<std::pair<std::uint64_t, char>> printed;
  std::vector<std::uint32_t> exits;
};

template <class Bench>
struct TestdevContract : testing::Test {
  Bench bench;
};

using Benches = testing::Types<RtlTestdev, TlmTestdev>;
TYPED_TEST_SUITE(TestdevContract, Benches);

TYPED_TEST(TestdevContract, Console_PassesEachCharacterOn) {
  this->bench.step(5);
  for (const char character : {'o', 'k', 'k'}) {
    this->bench.write(Console::kOffset, static_cast<std::uint32_t>(character));
  }
  this->bench.step(4);
  // testdev.sv: one cycle after the store.
  EXPECT_EQ(this->bench.printed,
            (std::vector<std::pair<std::uint64_t, char>>{{6, 'o'}, {7, 'k'}, {8, 'k'}}));
  EXPECT_TRUE(this->bench.exits.empty());
}

TYPED_TEST(TestdevContract, Exit_TellsItsCode) {
  this->bench.write(Exit::kOffset, 0x0016'0102);
  this->bench.step(4);
  EXPECT_EQ(this->bench.exits, std::vector<std::uint32_t>{0x0016'0102});
}

TYPED_TEST(TestdevContract, Exit_ZeroIsACodeLikeAnyOther) {
  this->bench.write(Exit::kOffset, 0);
  this->bench.step(4);
  EXPECT_EQ(this->bench.exits, std::vector<std::uint32_t>{0});
}

TYPED_TEST(TestdevContract, Platform_IsTheOneThatItRunsOn) {
  const Platform platform{this->bench.read(Platform::kOffset)};
  EXPECT_EQ(platform.platform(), TypeParam::kPlatform);
  this->bench.write(Platform::kOffset, 0xFF);
  EXPECT_EQ(this->bench.read(Platform::kOffset), platform.word);
}

TYPED_TEST(TestdevContract, WriteOnlyRegisters_ReadAsZero) {
  this->bench.write(Console::kOffset, 'x');
  EXPECT_EQ(this->bench.read(Console::kOffset), 0U);
  EXPECT_EQ(this->bench.read(Exit::kOffset), 0U);
  EXPECT_FALSE(this->bench.access_failed());
  static_cast<void>(this->bench.read(0x0C));
  EXPECT_TRUE(this->bench.access_failed());
}

}  // namespace
}  // namespace headstack::contract
