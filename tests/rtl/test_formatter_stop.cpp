// SPDX-License-Identifier: Apache-2.0
// Formatter: patience, abort, loss of the track, registers, sleep.
#include <gtest/gtest.h>

#include <string>

#include "tests/rtl/disk_formatter_bench.hpp"

namespace headstack::disk_test {
namespace {

constexpr std::uint32_t kAbsentPlace = 100;  // no such sector on the track

TEST(FormatterPatience, NotFound_AfterExactlyTheLimitOfIndexPulses) {
  for (const std::uint32_t limit : {0U, 1U, 2U, 3U, 15U}) {
    Track track(TrackFormat{});
    FormatterBench bench(track, 2000, 1);
    bench.write(offsetof(formatter_t, LIMIT), limit);
    const std::uint32_t pulses = limit == 0 ? 1 : limit;  // "0 counts as 1"
    bench.start(kOpRead, kAbsentPlace, 1);
    bench.step(2);
    ASSERT_TRUE(bench.step_until(20 * bench.channel().cycles_per_revolution(),
                                 [&] { return bench.channel().index_pulses() == pulses; }));
    EXPECT_TRUE(bench.busy()) << "limit " << limit;  // up to the cycle of the last pulse
    bench.step();
    EXPECT_FALSE(bench.busy());
    EXPECT_EQ(bench.finish(), kError);
    EXPECT_EQ(bench.error(), kNotFound);
    EXPECT_EQ(bench.error_sector(), TrackFormat{}.first_sector + kAbsentPlace);
    EXPECT_EQ(bench.index_pulses(), pulses);
  }
}

// The limit is 1, and the sector passes just before the index after which it would be too late.
TEST(FormatterPatience, EverySectorFound_BeginsTheCountAgain) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000, 1);
  bench.write(offsetof(formatter_t, LIMIT), 1);
  // The operation begins at the last sector: the index passes after it, while the next wanted
  // sector is awaited.
  EXPECT_EQ(bench.run(kOpRead, format.sectors - 1, 2), kError);
  EXPECT_EQ(bench.done(), 1U);
  EXPECT_EQ(bench.index_pulses(), 1U);
}

// formatter.rdl, LIMIT: index pulses without a sector found. The command comes too late for the
// last sector. One pulse passes before that is found. Then the limit's number of pulses before the
// next one, which does not exist, is given up.
TEST(FormatterPatience, EverySectorFound_BeginsTheCountAgain_InEveryDirection) {
  const TrackFormat format;
  for (const Op op : {kOpRead, kOpWrite, kOpVerify}) {
    for (const std::uint32_t limit : {2U, 3U}) {
      Track track(format);
      FormatterBench bench(track, 2000, (format.sectors - 1) * format.raw() + 2);
      bench.buffer.waiting.assign(2, Bytes(format.data, 0xC0));
      bench.write(offsetof(formatter_t, LIMIT), limit);
      EXPECT_EQ(bench.run(op, format.sectors - 1, 2), kError) << op;
      EXPECT_EQ(bench.error(), kNotFound) << op;
      EXPECT_EQ(bench.done(), 1U) << op;
      EXPECT_EQ(bench.index_pulses(), 1 + limit) << op;
    }
  }
}

struct StopCase {
  const char* what;
  Op op;
};
class FormatterStop : public testing::TestWithParam<StopCase> {
 protected:
  static constexpr std::uint32_t kFirst = 1;
  static constexpr std::uint32_t kCount = 2;

  /// A write's data; a read ignores it.
  void prepare(FormatterBench& bench) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      bench.buffer.waiting.emplace_back(format_.data, static_cast<std::uint8_t>(0xC0 + i));
    }
  }
  /// Cycles from the command to past the end of the operation, at 2 clocks per byte from byte 1 on.
  std::uint32_t cycles() const { return 2 * (kFirst + kCount + 1) * format_.raw(); }

  TrackFormat format_;
};

// The abort comes in every cycle of an operation, and so in every state.
TEST_P(FormatterStop, Abort_InAnyCycle_EndsWithDoneAndLeavesOnlyWholeSectors) {
  for (std::uint32_t when = 0; when < cycles(); ++when) {
    Track track(format_);
    FormatterBench bench(track, 2000, 1);
    prepare(bench);
    bench.start(GetParam().op, kFirst, kCount);
    bench.step(when);
    const bool was_writing = bench.gates().write_gate;
    bench.command(kOpAbort);
    bench.step(2);
    if (!was_writing && !bench.gates().write_gate) {
      ASSERT_FALSE(bench.busy()) << when;  // "at once"
    }
    ASSERT_TRUE(bench.step_until(2 * format_.raw(), [&] { return !bench.busy(); })) << when;
    ASSERT_EQ(bench.events() & (kDone | kError), kDone) << when;
    ASSERT_EQ(bench.error(), 0U) << when;
    // A sector being written is finished. It counts, and leaves the buffer.
    if (GetParam().op == kOpWrite) {
      ASSERT_EQ(bench.channel().written().size(), bench.done() * (format_.data + 4)) << when;
      ASSERT_EQ(bench.buffer.waiting.size(), kCount - bench.done()) << when;
      ASSERT_EQ(bench.buffer.taken, 0U) << when;
    }
    if (GetParam().op == kOpRead) {
      ASSERT_EQ(bench.buffer.committed.size(), bench.done()) << when;
      ASSERT_TRUE(bench.buffer.filling.empty()) << when;
    }
    for (std::uint32_t place = 0; place < format_.sectors; ++place) {
      ASSERT_EQ(track.check(place), track.good_check(place)) << when;
    }
  }
}

TEST_P(FormatterStop, HeadLeavesTheTrack_InAnyCycle_StopsAtOnce) {
  for (std::uint32_t when = 2; when < cycles(); ++when) {
    Track track(format_);
    FormatterBench bench(track, 2000, 1);
    prepare(bench);
    bench.start(GetParam().op, kFirst, kCount);
    bench.step(when);
    if (!bench.busy()) break;  // the operation ended before
    bench.on_track = false;
    const std::size_t written = bench.channel().written().size();
    const bool write_gate = bench.gates().write_gate;
    bench.step();
    // The channel used the earlier gates: at most one byte more.
    ASSERT_LE(bench.channel().written().size(), written + (write_gate ? 1 : 0)) << when;
    const std::size_t written_at_last = bench.channel().written().size();
    ASSERT_FALSE(bench.gates().read_gate) << when;
    ASSERT_FALSE(bench.gates().write_gate) << when;
    bench.step(100);
    ASSERT_EQ(bench.channel().written().size(), written_at_last) << when;
    ASSERT_EQ(bench.events() & (kDone | kError), bench.done() == kCount ? kDone : kError) << when;
    if (bench.done() < kCount) {
      ASSERT_EQ(bench.error(), kOffTrack) << when;
      ASSERT_EQ(bench.error_sector(), format_.first_sector + kFirst + bench.done()) << when;
    }
    // The buffer has no half sector.
    ASSERT_TRUE(bench.buffer.filling.empty()) << when;
    ASSERT_EQ(bench.buffer.taken, 0U) << when;
    if (GetParam().op == kOpWrite) {
      ASSERT_EQ(bench.buffer.waiting.size(), kCount - bench.done());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, FormatterStop,
                         testing::Values(StopCase{"read", kOpRead}, StopCase{"write", kOpWrite},
                                         StopCase{"verify", kOpVerify}),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(FormatterOffTrack, WriteReadyLost_StopsAWriteButNotARead) {
  for (const Op op : {kOpWrite, kOpRead}) {
    TrackFormat format;
    Track track(format);
    FormatterBench bench(track, 2000, 1);
    bench.buffer.waiting.emplace_back(format.data, 0x55);
    bench.start(op, 1, 1);
    ASSERT_TRUE(bench.step_until(
        1000, [&] { return bench.channel().position() == format.raw() + format.data_at() + 5; }));
    bench.write_ready = false;
    EXPECT_EQ(bench.finish(), op == kOpWrite ? kError : kDone);
    EXPECT_EQ(bench.error(), op == kOpWrite ? kOffTrack : 0U);
    EXPECT_LE(bench.channel().written().size(), op == kOpWrite ? 6U : 0U);
  }
}

TEST(FormatterCommand, AbortWhenIdle_EndsWithDone) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 2000);
  bench.command(kOpAbort);
  bench.step(2);
  EXPECT_EQ(bench.events(), kDone);
}

TEST(FormatterCommand, NoSectors_EndsWithDoneAtOnce) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 2000);
  bench.start(kOpRead, 0, 0);
  bench.step(2);
  EXPECT_EQ(bench.events(), kDone);
  EXPECT_FALSE(bench.busy());
}

TEST(FormatterCommand, NoneAndUnknown_DoNothing) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 2000);
  for (const std::uint32_t op : {0U, 5U, 6U, 7U}) {
    bench.start(static_cast<Op>(op), 0, 1);
    bench.step(4);
    EXPECT_FALSE(bench.busy());
    EXPECT_EQ(bench.events(), 0U);
  }
}

TEST(FormatterCommand, WhileBusy_IsIgnored) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 2000);
  bench.start(kOpVerify, 3, 1);
  bench.step(10);
  bench.command(kOpRead);
  EXPECT_EQ(bench.finish(), kDone);
  EXPECT_EQ(bench.done(), 1U);
  EXPECT_TRUE(bench.buffer.committed.empty());  // the verify ran to its end
}

// A reset in any state leaves the formatter idle: it must not start in the middle of a write.
TEST(FormatterCommand, ResetInAnyState_LeavesItIdle) {
  const TrackFormat format;
  for (const Op op : {kOpRead, kOpWrite, kOpVerify}) {
    for (std::uint32_t when = 2; when < 3 * format.raw(); when += 7) {
      Track track(format);
      FormatterBench bench(track, 1000, 1);
      bench.buffer.waiting.assign(2, Bytes(format.data, 0x55));
      bench.start(op, 1, 1);
      bench.step(when);
      bench.power_up(track);
      bench.step();
      ASSERT_FALSE(bench.busy()) << when;
      ASSERT_FALSE(bench.gates().read_gate || bench.gates().write_gate) << when;
      ASSERT_EQ(bench.events(), 0U) << when;
      ASSERT_EQ(bench.run(kOpVerify, 3, 1), kDone) << when;
    }
  }
}

// An idle formatter waits for no index pulse, so a pulse does not count.
TEST(FormatterCommand, IndexPulseWhenIdle_MeansNothing) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 2000);
  ASSERT_EQ(bench.run(kOpVerify, 3, 1), kDone);
  const std::uint32_t pulses = bench.index_pulses();
  bench.write(offsetof(formatter_t, INTR_STATE), kDone | kSector);
  bench.stray_index = true;
  bench.step(20);
  bench.stray_index = false;
  EXPECT_EQ(bench.events(), 0U);
  EXPECT_EQ(bench.error(), 0U);
  EXPECT_EQ(bench.index_pulses(), pulses);
}

TEST(FormatterRegisters, Interrupt_FollowsTheMask) {
  for (std::uint32_t mask = 0; mask < 8; ++mask) {
    Track track(TrackFormat{});
    FormatterBench bench(track, 2000);
    bench.write(offsetof(formatter_t, INTR_ENABLE), mask);
    bench.run(kOpRead, 1, 1);
    EXPECT_EQ(bench.events(), kDone | kSector);
    EXPECT_EQ(bench.model().irq_o != 0, (mask & (kDone | kSector)) != 0);
    bench.write(offsetof(formatter_t, INTR_STATE), kSector);
    EXPECT_EQ(bench.events(), kDone);  // write 1 to clear, and only that one
  }
}

// An event in the cycle of a clearing write stays. Cleared in every cycle, each sector event shows
// in the one cycle between.
TEST(FormatterRegisters, EventInTheCycleOfAClear_IsNotLost) {
  TrackFormat format;
  Track track(format);
  FormatterBench bench(track, 2000);
  bench.write(offsetof(formatter_t, INTR_ENABLE), kSector);
  bench.start(kOpRead, 0, format.sectors);
  std::uint32_t events = 0;
  for (std::uint64_t i = 0; i < 3 * bench.channel().cycles_per_revolution(); ++i) {
    bench.write(offsetof(formatter_t, INTR_STATE), kSector);
    bench.model().eval();
    events += bench.model().irq_o;
  }
  EXPECT_EQ(events, format.sectors);
}

TEST(FormatterRegisters, OffsetsWithoutARegister_AnswerWithAnError) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 2000);
  for (const std::size_t offset : {0x30, 0x3C, 0x40, 0x100, 0xFFC}) {
    (void)bench.read(offset);
    EXPECT_TRUE(bench.access_failed()) << offset;
  }
  (void)bench.read(offsetof(formatter_t, INTR_ENABLE));
  EXPECT_FALSE(bench.access_failed());
}

// The clock stops whenever the formatter does not request it, without any effect on the results.
TEST(FormatterSleep, ClockOnlyForCommandsPulsesAndStrobes_ChangesNothing) {
  TrackFormat format;
  for (const Op op : {kOpRead, kOpWrite, kOpVerify}) {
    Track track_asleep(format);
    Track track_awake(format);
    FormatterBench asleep(track_asleep, 5300, 1, true);
    FormatterBench awake(track_awake, 5300, 1, false);
    for (FormatterBench* bench : {&asleep, &awake}) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        bench->buffer.waiting.emplace_back(format.data, static_cast<std::uint8_t>(i));
      }
      bench->start(op, 1, 4);
    }
    const std::uint64_t edges_before = asleep.edges();
    for (int i = 0; i < 6000; ++i) {
      asleep.step();
      awake.step();
      ASSERT_EQ(asleep.gates().read_gate, awake.gates().read_gate) << i;
      ASSERT_EQ(asleep.gates().write_gate, awake.gates().write_gate) << i;
      ASSERT_EQ(asleep.gates().nrz, awake.gates().nrz) << i;
      ASSERT_EQ(asleep.busy(), awake.busy()) << i;
      ASSERT_EQ(asleep.model().irq_o, awake.model().irq_o) << i;
    }
    EXPECT_EQ(track_asleep.bytes(), track_awake.bytes());
    EXPECT_EQ(asleep.buffer.committed, awake.buffer.committed);
    EXPECT_EQ(asleep.done(), 4U);
    // One edge per strobe and pulse (five sectors pass), one for the command.
    EXPECT_LE(asleep.edges() - edges_before,
              asleep.channel().strobes() + asleep.channel().index_pulses() + 5 + 2);
  }
}

// Between two strobes only the loss of the track requests the clock.
TEST(FormatterSleep, TrackLostBetweenTwoStrobes_StopsAtOnce) {
  Track track(TrackFormat{});
  FormatterBench bench(track, 70000, 1, true);
  bench.start(kOpVerify, 1, 1);
  const std::uint64_t strobes = bench.channel().strobes();
  ASSERT_TRUE(bench.step_until(bench.channel().cycles_per_revolution(),
                               [&] { return bench.channel().strobes() > strobes; }));
  bench.step(10);
  ASSERT_TRUE(bench.busy());
  bench.on_track = false;
  bench.step(2);
  EXPECT_FALSE(bench.busy());
  EXPECT_EQ(bench.channel().strobes(), strobes + 1)
      << "the test's own: no strobe was there to help";
}

}  // namespace
}  // namespace headstack::disk_test
