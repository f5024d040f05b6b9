// SPDX-License-Identifier: Apache-2.0
// The mechanics as SystemC modules: events occur at the picosecond of the closed form, and not at
// all without a listener.
//
// SystemC elaborates once per process, so CTest runs each test of this file in its own process.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <systemc>
#include <vector>

#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/head_stack_module.hpp"
#include "sim/mechanics/spindle_module.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

/// Records the time of each notification of an event, and a number read at that moment.
class Listener : public sc_core::sc_module {
 public:
  Listener(sc_core::sc_module_name name, const sc_core::sc_event& event,
           std::function<std::uint32_t()> number)
      : sc_module(name), number_(std::move(number)) {
    SC_METHOD(note);
    sensitive << event;
    dont_initialize();
  }
  std::vector<Picoseconds> times;
  std::vector<std::uint32_t> numbers;

 private:
  SC_HAS_PROCESS(Listener);
  void note() {
    times.push_back(now_ps());
    numbers.push_back(number_());
  }
  std::function<std::uint32_t()> number_;
};

void run_until(Picoseconds time) { sc_core::sc_start(to_sc_time(time - now_ps())); }

TEST(SpindleModule, IndexPulses_ComeEveryRevolution) {
  const drive::Design design = test::small_design();  // 10 ms a revolution
  SpindleModule spindle("spindle", Spindle::at_speed(design, {}));
  Listener listener("listener", spindle.index.pulse(), [&] { return spindle.index.mark(); });
  spindle.index.join();
  run_until(from_ms(35));
  ASSERT_EQ(listener.times.size(), 4U);  // pulses at 0, 10, 20, 30 ms
  const Rotation rotation(6000);
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(listener.times[i], rotation.time_to_turn(0, i << 32));
  }
  EXPECT_EQ(spindle.index.pulse_count(), 4U);
}

// The next of 100 marks is no longer awaited once the track has only one mark. A revolution takes
// 10 ms.
TEST(SpindleModule, AnotherGrid_ForgetsTheMarkThatWasNext) {
  SpindleModule spindle("spindle", Spindle::at_speed(test::small_design(), {}));
  Listener listener("listener", spindle.sectors.pulse(), [&] { return spindle.sectors.mark(); });
  spindle.sectors.set_grid({0, 100});
  run_until(from_ms(1.05));
  spindle.sectors.join();
  spindle.sectors.set_grid({0, 1});
  run_until(from_ms(15));
  EXPECT_EQ(listener.times,
            (std::vector<Picoseconds>{Rotation(6000).time_to_turn(0, std::uint64_t{1} << 32)}));
}

// The motor loses its power at 50 ms, for 10 of the 40 ms to rest. The spindle is at full speed
// again at 85 ms. It has then turned 5 + 0.875 + 2.1875 times (tests of Spindle).
TEST(SpindleModule, AMotorThatFailsByItself_IsTold_AndPulsesFollowIt) {
  drive::Design design = test::small_design();
  design.spin_up_ms = 100;
  design.spin_down_ms = 40;
  drive::Specimen specimen;
  specimen.spindle_faults.resize(1);
  specimen.spindle_faults[0].at_ms = 50;
  specimen.spindle_faults[0].for_ms = 10;
  SpindleModule spindle("spindle", Spindle::at_speed(design, specimen));
  Listener changes("changes", spindle.changed_by_itself(), [] { return 0U; });
  Listener ready("ready", spindle.at_speed(), [] { return 0U; });
  Listener index("index_listener", spindle.index.pulse(), [] { return 0U; });
  spindle.index.join();
  run_until(from_ms(85.1));
  EXPECT_EQ(changes.times, (std::vector<Picoseconds>{from_ms(50), from_ms(60)}));
  EXPECT_EQ(ready.times, (std::vector<Picoseconds>{from_ms(85)}));
  ASSERT_EQ(index.times.size(), 9U) << "from 0 to 8 turns";
  // After the 10 ms, 0.125 of the sixth turn is left. The speed is 75 turns a second, and rises by
  // 1,000 turns a second each second. So 75 t + 500 t^2 = 0.125.
  EXPECT_NEAR(to_ms(index.times[6]), 60 - 75 + std::sqrt(75 * 75 + 2 * 125), 1e-6);
}

TEST(SpindleModule, NobodyListens_TheKernelHasNothingToDo) {
  SpindleModule spindle("spindle", Spindle::at_speed(test::small_design(), {}));
  run_until(from_ms(1));
  EXPECT_FALSE(sc_core::sc_pending_activity());
  spindle.index.join();
  EXPECT_TRUE(sc_core::sc_pending_activity());
  spindle.index.leave();
  run_until(from_ms(100));
  EXPECT_EQ(spindle.index.pulse_count(), 0U);
}

TEST(SpindleModule, SectorPulses_MarkTheSectorsOfTheTrack) {
  const drive::Design design = test::shipped("hp_c3323a").design;
  const geometry::Geometry geometry(design);
  SpindleModule spindle("spindle", Spindle::at_speed(design, {}));
  Listener listener("listener", spindle.sectors.pulse(), [&] { return spindle.sectors.mark(); });
  const geometry::Chs track{1200, 3, 0};  // zone 2: 112 sectors
  spindle.sectors.set_grid({geometry.sector_angle(track), 112});
  run_until(from_ms(3));  // join in the middle of a revolution
  spindle.sectors.join();
  run_until(from_ms(3) + from_ms(60'000 / 5396.0));
  // One revolution shows every sector once, in order, at its own angle.
  ASSERT_GE(listener.numbers.size(), 112U);
  const Rotation rotation(5396);
  for (std::size_t i = 0; i < 112; ++i) {
    const std::uint32_t sector = (listener.numbers[0] + static_cast<std::uint32_t>(i)) % 112;
    ASSERT_EQ(listener.numbers[i], sector);
    const Turn32 grid = static_cast<Turn32>(
        geometry.sector_angle(track) + static_cast<Turn32>((std::uint64_t{sector} << 32) / 112));
    ASSERT_EQ(rotation.angle(listener.times[i]), grid);
    ASSERT_NE(rotation.angle(listener.times[i] - 1), grid) << "not a picosecond late";
  }
}

TEST(SpindleModule, SpinUp_EndsOnTime_AndPulsesGetCloser) {
  drive::Design design = test::small_design();
  design.spin_up_ms = 200;
  design.spin_down_ms = 100;
  SpindleModule spindle("spindle", Spindle(design, {}));
  Listener ready("ready", spindle.at_speed(), [] { return 0U; });
  Listener rest("rest", spindle.at_rest(), [] { return 0U; });
  Listener index("index_listener", spindle.index.pulse(), [] { return 0U; });
  spindle.index.join();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  spindle.start();
  run_until(from_ms(300));
  ASSERT_EQ(ready.times.size(), 1U);
  EXPECT_EQ(ready.times[0], from_ms(200));
  ASSERT_GE(index.times.size(), 10U);
  for (std::size_t i = 2; i < 10; ++i) {
    EXPECT_LE(index.times[i] - index.times[i - 1], index.times[i - 1] - index.times[i - 2]);
  }
  spindle.stop();
  const std::size_t before = index.times.size();
  run_until(from_ms(1000));
  ASSERT_EQ(rest.times.size(), 1U);
  EXPECT_EQ(rest.times[0], from_ms(400));
  // 100 ms from full speed to rest is 5 turns: about five more pulses, then silence.
  EXPECT_NEAR(static_cast<double>(index.times.size() - before), 5, 1);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(SpindleModule, SpinUpOfNoLength_IsReportedToo) {
  drive::Design design = test::small_design();
  design.spin_up_ms = 0;
  design.spin_down_ms = 0;
  SpindleModule spindle("spindle", Spindle(design, {}));
  Listener ready("ready", spindle.at_speed(), [] { return 0U; });
  Listener rest("rest", spindle.at_rest(), [] { return 0U; });
  run_until(from_ms(1));
  spindle.start();
  run_until(from_ms(2));
  spindle.start();  // it is at speed already
  run_until(from_ms(3));
  spindle.stop();
  run_until(from_ms(4));
  EXPECT_EQ(ready.times, (std::vector<Picoseconds>{from_ms(1), from_ms(2)}));
  EXPECT_EQ(rest.times, (std::vector<Picoseconds>{from_ms(3)}));
}

TEST(HeadStackModule, Events_AtReadAndWriteReady) {
  drive::Design design = test::small_design();
  design.head_switch_ms = 0.5;
  design.write_settle_ms = 0.3;
  const PositioningModel model(design);
  HeadStackModule heads("heads", model);
  Listener read("read", heads.read_ready(), [] { return 0U; });
  Listener write("write", heads.write_ready(), [] { return 0U; });
  run_until(from_ms(1));
  heads.move(2, 1);
  run_until(from_ms(2));
  EXPECT_EQ(heads.state().arm, ArmState::kSeeking);
  run_until(from_ms(10));
  EXPECT_EQ(read.times, (std::vector<Picoseconds>{from_ms(3)}));
  EXPECT_EQ(write.times, (std::vector<Picoseconds>{from_ms(3.3)}));
}

}  // namespace
}  // namespace headstack::mechanics

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
