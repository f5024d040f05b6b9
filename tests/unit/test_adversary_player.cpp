// SPDX-License-Identifier: Apache-2.0
// The adversary's player on a stage without a drive: what it reports of a bus that stays in one
// phase.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/fuzz/drive/player.hpp"
#include "tests/fuzz/drive/stage.hpp"

namespace headstack::fuzz {
namespace {

/// The bus's behaviour once a command has come.
struct Behaviour {
  Picoseconds held = 0;    // time in DATA IN, in which no command ends
  bool re_enters = false;  // meanwhile it enters the phase again and again
};
Behaviour behaviour;

/// Takes every command. All end with GOOD when the bus is free again.
class StandingHost : public Host {
 public:
  void submit(const Action& /*action*/, initiator::Command command) override {
    command.sent(now);
    commands.push_back(std::move(command));
  }
  void end_all() {
    std::vector<initiator::Command> ending;
    ending.swap(commands);
    for (initiator::Command& command : ending) {
      initiator::Completion completion;
      completion.times.status = completion.times.complete = completion.times.finished = now;
      command.done(completion);
    }
  }
  void manage(initiator::Management /*management*/) override {}
  void reset_bus() override {}
  void set_deaf(bool /*deaf*/) override {}
  void forget_agreement() override {}
  void doubt_agreement() override {}
  std::size_t out_count() const override { return commands.size(); }
  bool idle() const override { return commands.empty(); }
  std::uint64_t unknown_nexus_count() const override { return 0; }

  Picoseconds now = 0;
  std::vector<initiator::Command> commands;
};

class StandingStage : public Stage {
 public:
  Picoseconds now() const override { return host_.now; }
  void run_until(Picoseconds time) override {
    while (act_ && due_ <= time) {
      host_.now = due_;
      const Act act = std::move(act_);
      act_ = nullptr;
      const Picoseconds next = act();
      if (next != kOpen) schedule(next, act);
    }
    host_.now = std::max(host_.now, time);
    if (behaviour.re_enters) ++phases_;
    if (host_.now >= behaviour.held) host_.end_all();
  }
  void schedule(Picoseconds time, const Act& act) override {
    act_ = act;
    due_ = std::max(time, host_.now);
  }
  Picoseconds scheduled() const override { return act_ ? due_ : kOpen; }
  std::optional<std::uint32_t> exit_code() const override { return std::nullopt; }
  Host& host(std::size_t /*index*/) override { return host_; }
  bus::Phase phase() const override {
    return host_.now < behaviour.held ? bus::Phase::kDataIn : bus::Phase::kBusFree;
  }
  std::uint64_t phase_count() const override { return phases_; }
  std::uint64_t control_byte_count() const override { return 0; }
  const std::vector<bus::Violation>& violations() const override { return violations_; }
  media::MediaStore& media() override { throw std::logic_error("this stage has no media"); }
  media::SectorIndex sector_of(std::uint32_t lba) const override { return lba; }
  bool is_blank() const override { return false; }

 private:
  StandingHost host_;
  Act act_;
  Picoseconds due_ = kOpen;
  std::uint64_t phases_ = 0;
  std::vector<bus::Violation> violations_;
};

/// The kind of the finding when the bus is held for this long.
std::string found(double held_ms, bool re_enters = false) {
  behaviour = {from_ms(held_ms), re_enters};
  const Storyline storyline =
      parse("headstack storyline 1\nhost 7 adapter fast\n+0 h0 command 28000000000500000100\n",
            "a read of one block");
  const Played played = play(storyline);
  return played.finding ? played.finding->kind : "";
}

// Twice the time of a command that may not disconnect: 1 s, and two revolutions of 10 ms.
TEST(Player, BusInOnePhaseForLong_IsHeldForGood) {
  EXPECT_NE(found(2'030), "bus held for good");
  EXPECT_EQ(found(2'070), "bus held for good");
}

TEST(Player, BusThatEntersItsPhaseAgain_IsNotHeld) {
  EXPECT_NE(found(2'070, true), "bus held for good");
}

}  // namespace

std::unique_ptr<Stage> make_stage(const Storyline& /*storyline*/) {
  return std::make_unique<StandingStage>();
}

}  // namespace headstack::fuzz
