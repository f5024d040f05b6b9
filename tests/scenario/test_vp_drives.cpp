// SPDX-License-Identifier: Apache-2.0
// Several drives of a fast platform in one process: each is independent, and does exactly the same
// as alone.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "host/replay/block_data.hpp"
#include "sim/platform/vp_drive.hpp"
#include "sim/tlm/bus/transaction_link.hpp"
#include "tests/scenario/commands.hpp"
#include "tests/support.hpp"
#include "tests/vp_firmware.hpp"

namespace headstack::scenario {
namespace {

struct Load {
  const char* drive;
  std::uint64_t seed;
  std::uint32_t depth;
  std::uint32_t commands;
  bool fast_bus;
  bool ideal = false;
};

/// A drive, a host with a number of commands outstanding, and a log of all that can be observed.
class World : private soc::SocListener {
 public:
  explicit World(const Load& load)
      : load_(load),
        random_(load.seed),
        bus_(agenda_, load.ideal),
        drive_(test::shipped(load.drive), bus_, options(load), this),
        host_(bus_, config(load)) {
    become_ready();
  }

  bool finished() const { return ready_ && submitted_ == load_.commands && host_.idle(); }
  /// Runs to the next alarm. The firmware may continue from there.
  void step() { agenda_.step(); }

  /// Firmware events: edge, number, argument.
  const std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t>>& events() const {
    return events_;
  }
  /// Commands in the order in which they ended, with the time.
  const std::vector<std::pair<std::string, Picoseconds>>& ends() const { return ends_; }
  std::uint64_t accesses() const { return drive_.core().accesses(); }
  Picoseconds awake_time() const { return drive_.core().awake_time(); }
  const std::vector<std::string>& wrong() const { return wrong_; }
  std::optional<std::uint32_t> exit_code() const { return drive_.exit_code(); }

 private:
  static constexpr std::uint32_t kRegionBlocks = 10'000;  // each slot has one of its own

  static platform::VpOptions options(const Load& load) {
    platform::VpOptions options;
    options.firmware = test::vp_firmware();
    if (load.ideal) options.access_price = 0;
    return options;
  }
  static initiator::Config config(const Load& load) {
    initiator::Config config;
    if (load.fast_bus) config.agreement = initiator::kFast10Wide;
    return config;
  }

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    events_.emplace_back(edge, number, argument);
  }

  /// Sends TEST UNIT READY until it is good, after the unit attention and perhaps the spindle's
  /// start.
  void become_ready() {
    Command command = test_unit_ready();
    command.done = [this](const Completion& completion) {
      if (outcome(completion) != "GOOD") {
        // Later: a question and its answer may take no time at all.
        again_.set(agenda_.now() + kPicosecondsPerMillisecond);
        return;
      }
      ready_ = true;
      for (std::uint32_t slot = 0; slot < load_.depth; ++slot) next(slot);
    };
    host_.submit(std::move(command));
  }

  void next(std::uint32_t slot) {
    if (submitted_ == load_.commands) return;
    ++submitted_;
    const std::uint32_t blocks = 1 + static_cast<std::uint32_t>(random_() % 24);
    const std::uint32_t lba =
        slot * kRegionBlocks + static_cast<std::uint32_t>(random_() % (kRegionBlocks - blocks));
    const bool write = random_() % 2 == 0;
    const std::string name =
        (write ? "write " : "read ") + std::to_string(lba) + '+' + std::to_string(blocks);
    const Bytes data = write ? blocks_.write(lba, blocks) : blocks_.expected(lba, blocks);
    Command command = tagged(write ? write_10(lba, data) : read_10(lba, blocks),
                             static_cast<std::uint16_t>(slot));
    command.done = [this, slot, name, write, data](const Completion& completion) {
      ends_.emplace_back(name + ' ' + outcome(completion), agenda_.now());
      if (outcome(completion) != "GOOD" || (!write && completion.data != data)) {
        wrong_.push_back(ends_.back().first);
      }
      next(slot);
    };
    host_.submit(std::move(command));
  }

  Load load_;
  std::mt19937_64 random_;
  replay::BlockData blocks_{1, kBlockBytes};
  tlm::Agenda agenda_;
  tlm::TransactionBus bus_;
  platform::VpDrive drive_;
  tlm::TransactionInitiator host_;
  tlm::Alarm again_{agenda_, [this] { become_ready(); }};
  bool ready_ = false;
  std::uint32_t submitted_ = 0;
  std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t>> events_;
  std::vector<std::pair<std::string, Picoseconds>> ends_;
  std::vector<std::string> wrong_;
};

constexpr Load kFirst = {"cheetah_9lp", 1, 8, 150, true};
constexpr Load kSecond = {"hp_c3323a", 2, 3, 100, false};

void expect_same(const World& one, const World& other) {
  EXPECT_EQ(one.ends(), other.ends());
  EXPECT_EQ(one.events(), other.events());
  EXPECT_EQ(one.accesses(), other.accesses());
}

void expect_sound(const World& world, const Load& load) {
  EXPECT_FALSE(world.exit_code().has_value());
  EXPECT_EQ(world.ends().size(), load.commands);
  EXPECT_TRUE(world.wrong().empty()) << world.wrong().front();
}

TEST(VpDrives, TwoInOneProcess_EachDoesWhatItDoesAlone) {
  std::vector<std::unique_ptr<World>> alone;
  for (const Load& load : {kFirst, kSecond}) {
    alone.push_back(std::make_unique<World>(load));
    while (!alone.back()->finished()) alone.back()->step();
    expect_sound(*alone.back(), load);
  }
  constexpr std::uint64_t kSeed = 3;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  World first(kFirst);
  World second(kSecond);
  while (!first.finished() || !second.finished()) {
    World& world = random() % 2 == 0 ? first : second;
    if (!world.finished()) world.step();
  }
  expect_same(first, *alone[0]);
  expect_same(second, *alone[1]);
}

TEST(VpDrives, SameLoadTwice_DoesTheSame) {
  World one(kFirst);
  World other(kFirst);
  while (!one.finished()) one.step();
  while (!other.finished()) other.step();
  expect_same(one, other);
}

#ifndef HEADSTACK_ON_CORE  // Instructions without time are native's.
TEST(VpDrives, IdealElectronics_TakeNoTime_AndServeEverything) {
  Load load = kFirst;
  load.ideal = true;
  World world(load);
  World charged(kFirst);
  while (!world.finished()) world.step();
  while (!charged.finished()) charged.step();
  expect_sound(world, load);
  EXPECT_EQ(world.awake_time(), 0);
  EXPECT_GT(charged.awake_time(), 0);
}
#endif

TEST(VpDrives, AnotherSeed_DoesSomethingElse) {
  Load load = kFirst;
  load.seed = 99;
  World one(kFirst);
  World other(load);
  while (!one.finished()) one.step();
  while (!other.finished()) other.step();
  EXPECT_NE(one.ends(), other.ends());
}

}  // namespace
}  // namespace headstack::scenario
