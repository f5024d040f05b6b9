// SPDX-License-Identifier: Apache-2.0
// The servo block's interrupts, and its requests for the clock.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/rtl/servo_bench.hpp"

namespace headstack::servo_test {
namespace {

/// Makes one event, in the cycle that ends with the next step.
struct Source {
  const char* what;
  std::uint32_t event;
  void (*prepare)(Servo&);  // called right before the cycle of the event
  void (*trigger)(Servo&);  // inputs of that cycle
};

void prepare_arrival(Servo& servo) {
  servo.start_seek(1, 0);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(10);
}

const Source kSources[] = {
    {"OnTrack", kEventOnTrack, prepare_arrival, [](Servo& s) { s.hda.read_ready = true; }},
    {"WriteReady", kEventWriteReady,
     [](Servo& s) {
       prepare_arrival(s);
       s.hda.read_ready = true;
       s.step(2);
       s.clear_events();
     },
     [](Servo& s) { s.hda.write_ready = true; }},
    {"AtSpeed", kEventAtSpeed,
     [](Servo& s) {
       s.hda.at_speed = s.hda.read_ready = s.hda.write_ready = false;
       s.step(2);
       s.clear_events();
     },
     [](Servo& s) { s.hda.at_speed = true; }},
    {"AtRest", kEventAtRest,
     [](Servo& s) {
       s.hda.at_speed = s.hda.read_ready = s.hda.write_ready = false;
       s.step(2);
       s.clear_events();
     },
     [](Servo& s) { s.hda.at_rest = true; }},
    {"Index", kEventIndex, [](Servo& s) { s.write(kIndexCapture, 1); },
     [](Servo& s) { s.pins().index_pulse_i = 1; }},
    {"SeekError", kEventSeekError,
     [](Servo& s) {
       s.hda.at_speed = s.hda.read_ready = s.hda.write_ready = false;
       s.step(2);
       s.clear_events();
       s.start_seek(1, 0);
     },
     [](Servo&) {}},
    {"SpeedLost", kEventSpeedLost, [](Servo&) {},
     [](Servo& s) { s.hda.at_speed = s.hda.read_ready = s.hda.write_ready = false; }},
};

class Interrupts : public testing::TestWithParam<Source> {};

TEST_P(Interrupts, OnlyTheirMaskBit_LetsThemThrough) {
  const Source& source = GetParam();
  for (std::uint32_t bit = 0; bit < kEventCount; ++bit) {
    Servo servo;
    servo.become_ready();
    servo.write(kIntrEnable, 1U << bit);
    source.prepare(servo);
    source.trigger(servo);
    servo.settle();
    EXPECT_EQ(servo.pins().irq_o, 0);
    EXPECT_EQ(servo.pins().clk_req_o, 1) << "the event needs its edge";
    servo.step();
    servo.settle();
    EXPECT_EQ(servo.pins().irq_o, 1U << bit == source.event);
    EXPECT_EQ(servo.read(kIntrState), source.event);
    servo.write(kIntrState, ~source.event);
    servo.settle();
    EXPECT_EQ(servo.pins().irq_o, 1U << bit == source.event) << "cleared by its own bit only";
    servo.write(kIntrState, source.event);
    servo.settle();
    EXPECT_EQ(servo.pins().irq_o, 0);
    EXPECT_EQ(servo.read(kIntrState), 0U);
  }
}

TEST_P(Interrupts, EventInTheCycleOfAClearingWrite_IsNotLost) {
  Servo servo;
  servo.become_ready();
  GetParam().prepare(servo);
  GetParam().trigger(servo);
  servo.clear_events();  // the very cycle
  EXPECT_EQ(servo.read(kIntrState), GetParam().event);
}

INSTANTIATE_TEST_SUITE_P(Events, Interrupts, testing::ValuesIn(kSources),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(Servo, WaitingForTheWorld_AsksForNoClock) {
  Servo servo;
  servo.become_ready();
  servo.write(kIndexCapture, 1);
  servo.step(3);
  EXPECT_EQ(servo.pins().clk_req_o, 0);
  servo.start_seek(9, 0);
  servo.step();
  servo.hda.read_ready = servo.hda.write_ready = false;
  servo.step(static_cast<int>(kLevelDelayCycles) + 1);
  servo.settle();
  EXPECT_EQ(servo.pins().clk_req_o, 0) << "while the arm moves";
  servo.hda.read_ready = true;
  servo.step(2);
  servo.settle();
  EXPECT_EQ(servo.pins().clk_req_o, 0) << "while the arm settles for writing";
}

/// A head-disk assembly with random delays, and levels as in hdl/README.md.
struct RandomWorld {
  explicit RandomWorld(std::uint32_t seed) : random(seed) {}
  bool chance(unsigned one_in) { return random() % one_in == 0; }

  void act(Servo& a, Servo& b) {
    for (Servo* servo : {&a, &b}) {
      servo->hda = {at_speed && to_read == 0, at_speed && to_write == 0, at_speed, at_rest};
      servo->pins().index_pulse_i = index;
    }
  }
  void move_on() {
    if (to_read > 0) --to_read;
    if (to_write > 0) --to_write;
    if (chance(400)) {
      at_rest = false;
      at_speed = !at_speed;
    }
    if (!at_speed && chance(50)) at_rest = true;
    if (at_rest && chance(20)) at_rest = false;
    index = chance(37);
  }
  std::mt19937 random;
  bool at_speed = true;
  bool at_rest = false;
  bool index = false;
  unsigned to_read = 0;
  unsigned to_write = 0;
};

TEST(Servo, ClockedOnlyWhenItAsks_ItDoesTheSame) {
  const std::uint32_t seed = 4711;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomWorld world(seed);
  Servo always(false);
  Servo gated(true);
  std::size_t seeks = 0;
  int recalibrations = 0;
  for (int cycle = 0; cycle < 200'000; ++cycle) {
    world.act(always, gated);
    if (world.chance(8)) {
      const std::uint32_t offset = static_cast<std::uint32_t>(4 * (world.random() % 10));
      const std::uint32_t value =
          static_cast<std::uint32_t>(offset == kCommand ? world.random() % 5 : world.random());
      if (world.chance(2)) {
        always.write(offset, value);
        gated.write(offset, value);
      } else {
        ASSERT_EQ(always.read(offset), gated.read(offset)) << "cycle " << cycle;
      }
    } else {
      always.step();
      gated.step();
    }
    if (always.seeks.size() != seeks || always.recalibrations != recalibrations) {
      seeks = always.seeks.size();
      recalibrations = always.recalibrations;
      world.to_read = static_cast<unsigned>(world.random() % 60);
      world.to_write = world.to_read + static_cast<unsigned>(world.random() % 30);
    }
    world.move_on();
    always.settle();
    gated.settle();
    ASSERT_EQ(always.pins().irq_o, gated.pins().irq_o) << "cycle " << cycle;
    ASSERT_EQ(always.heads().on_track, gated.heads().on_track) << "cycle " << cycle;
    ASSERT_EQ(always.heads().write_ready, gated.heads().write_ready) << "cycle " << cycle;
    ASSERT_EQ(always.pins().index_listen_o, gated.pins().index_listen_o) << "cycle " << cycle;
  }
  EXPECT_EQ(always.seeks, gated.seeks);
  EXPECT_EQ(always.spin_ups, gated.spin_ups);
  EXPECT_EQ(always.spin_downs, gated.spin_downs);
  EXPECT_EQ(always.recalibrations, gated.recalibrations);
  EXPECT_GT(recalibrations, 100);
  EXPECT_GT(seeks, 100U) << "the run exercises seeks";
}

}  // namespace
}  // namespace headstack::servo_test
