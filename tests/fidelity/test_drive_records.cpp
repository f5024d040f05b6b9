// SPDX-License-Identifier: Apache-2.0
// The whole drive against the mechanics' own answer: with firmware and bus time taken out, every
// isolated access takes, part by part, what mechanics::AccessModel says.
//
// The model is asked for each run on a track, from where the heads were when it began. That is at
// the edge of the seek request, or of RUN_START without a movement. It answers from geometry and
// closed forms alone. Two things lie between its answer and the record:
//
// - Its transfer ends with the last sector, the record's with the strobe of the last check byte
//   (host/observe/stage_log.hpp). The rest of that sector is an angle: the byte's, by the
//   definition in sim/channel/byte_grid.hpp and the format in hdl/README.md.
// - The model takes any sector that comes after "ready". Firmware has to hear of it and start the
//   formatter. A sector that comes in this time passes by, and the drive waits a revolution more.
//   Only the edge at which the formatter begins to listen decides this. Such a run must begin at
//   that sector's first arrival from this edge on.
//
// SystemC elaborates once per process: CTest runs each test in its own.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sim/channel/sector_codec.hpp"
#include "sim/mechanics/access.hpp"
#include "tests/fidelity/drive_bench.hpp"

namespace headstack::fidelity {
namespace {

using report::Stage;

constexpr Picoseconds kClock = soc::kClockPeriodPs;
/// The firmware's reaction: from ready to a listening formatter. 25 us are 1,000 clocks; on the
/// fastest shipped drive (10,045 rpm) 0.4 % of a revolution, a sector of the outermost zone.
constexpr Picoseconds kMostReaction = 25 * kPicosecondsPerMicrosecond;
/// A movement that takes no time: the firmware's other work at that moment is added.
constexpr Picoseconds kMostReactionAtOnce = 50 * kPicosecondsPerMicrosecond;

testing::AssertionResult within_a_clock(Picoseconds measured, Picoseconds expected) {
  if (std::abs(measured - expected) <= kClock) return testing::AssertionSuccess();
  return testing::AssertionFailure() << measured << " ps, expected " << expected;
}

/// Time that a record spends in a stage between two instants.
Picoseconds spent(const report::CommandRecord& record, Stage stage, Picoseconds from,
                  Picoseconds to) {
  Picoseconds sum = 0;
  const auto& changes = record.changes();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Picoseconds end = i + 1 < changes.size() ? changes[i + 1].at : record.completed();
    if (changes[i].stage != stage) continue;
    sum += std::max<Picoseconds>(std::min(end, to) - std::max(changes[i].at, from), 0);
  }
  return sum;
}

class Comparison {
 public:
  explicit Comparison(const drive::DriveDescription& description)
      : model_(description.design, description.specimen),
        layout_(channel::layout_of(description.design)) {}

  const mechanics::AccessModel& model() const { return model_; }
  int late_runs() const { return late_runs_; }

  void check(const Served& served, geometry::Lba lba, std::uint32_t blocks, bool is_write) {
    ASSERT_EQ(served.record.find_fault().text, "");
    ASSERT_FALSE(served.runs.empty());
    const RunFacts& first = served.runs.front();
    const mechanics::Anatomy anatomy =
        model_.access({first.start, first.from.cylinder, first.from.head}, lba, blocks, is_write);
    ASSERT_EQ(served.runs.size(), anatomy.stretches.size());
    Picoseconds mechanical = 0;
    Picoseconds due = anatomy.start;  // by the model, for the whole access from its first start
    Picoseconds lateness = 0;         // lateness of the run before
    for (std::size_t i = 0; i < served.runs.size(); ++i) {
      const mechanics::Stretch& stretch = anatomy.stretches[i];
      mechanical += check_run(served, served.runs[i], stretch, is_write);
      const Picoseconds begin = due + stretch.positioning.total() + stretch.rotation;
      lateness = check_arrival(served.runs[i], begin, lateness);
      due += stretch.total();
    }
    // No mechanical time is recorded outside of the runs.
    Picoseconds recorded = 0;
    for (const Stage stage : {Stage::kSeek, Stage::kSettle, Stage::kHeadSwitch, Stage::kRotation,
                              Stage::kMediaTransfer}) {
      recorded += spent(served.record, stage, 0, served.record.completed());
    }
    EXPECT_TRUE(within_a_clock(recorded, mechanical));
  }

 private:
  /// From the strobe of a stretch's last check byte to the end of its last sector.
  Picoseconds tail(const mechanics::Stretch& stretch) const {
    const geometry::ZoneGrid& zone = model_.geometry().zones()[stretch.at.zone];
    const std::uint32_t last = (stretch.at.mark + stretch.blocks - 1) % zone.sectors_per_track;
    const std::uint64_t sector = zone.swept(last, 1);
    const std::uint64_t strobe = (layout_.gap_start - 1) * sector / layout_.raw_bytes;
    return model_.rotation().time_to_turn(0, sector - strobe);
  }

  /// Returns the run's mechanical time, from its start to its last check byte.
  Picoseconds check_run(const Served& served, const RunFacts& run,
                        const mechanics::Stretch& stretch, bool is_write) {
    const report::CommandRecord& record = served.record;
    const mechanics::Stretch answer = ask(run, stretch, is_write);
    const mechanics::Positioning& parts = answer.positioning;
    EXPECT_EQ(run.done, stretch.blocks);
    EXPECT_EQ(run.moved, run.from != run.track);
    EXPECT_EQ(run.ready - run.start, parts.total());
    const auto in_run = [&](Stage stage) { return spent(record, stage, run.start, run.ended); };
    EXPECT_TRUE(within_a_clock(in_run(Stage::kSeek), parts.seek));
    EXPECT_TRUE(within_a_clock(in_run(Stage::kSettle), parts.settle + parts.write_settle));
    EXPECT_TRUE(within_a_clock(in_run(Stage::kHeadSwitch), parts.head_switch));

    // A write may wait for its data on the track; that is not the mechanics' time.
    const Picoseconds waited = in_run(Stage::kBusWait) + in_run(Stage::kBusData);
    EXPECT_TRUE(is_write || waited == 0);
    EXPECT_GE(run.armed, run.ready);
    const bool at_once = run.moved && run.ready == run.start;
    EXPECT_LE(run.armed - run.ready - waited, at_once ? kMostReactionAtOnce : kMostReaction);

    const Picoseconds begin =
        run.armed + model_.rotation().time_to_angle(run.armed, answer.at.angle);
    EXPECT_TRUE(within_a_clock(run.began, begin));
    EXPECT_TRUE(within_a_clock(in_run(Stage::kRotation) + waited, begin - run.ready));
    EXPECT_TRUE(within_a_clock(in_run(Stage::kMediaTransfer), answer.transfer - tail(stretch)));
    return run.ended - run.start - waited;
  }

  /// The platter decides when a sector comes. What firmware does between the runs costs nothing, or
  /// whole revolutions, and these only where the formatter did not listen in time. Returns how late
  /// the run began, seen from the model's `begin`.
  Picoseconds check_arrival(const RunFacts& run, Picoseconds begin, Picoseconds lateness_before) {
    const Picoseconds lateness = run.began - begin;
    const Picoseconds turn = model_.rotation().time_to_turn(0, std::uint64_t{1} << 32);
    const std::int64_t turns = (lateness + turn / 2) / turn;
    EXPECT_TRUE(within_a_clock(
        lateness, model_.rotation().time_to_turn(0, static_cast<std::uint64_t>(turns) << 32)));
    if (run.armed <= begin + lateness_before) {
      EXPECT_TRUE(within_a_clock(lateness, lateness_before));
    } else {
      EXPECT_GT(lateness, lateness_before);
      ++late_runs_;
    }
    return lateness;
  }

  mechanics::Stretch ask(const RunFacts& run, const mechanics::Stretch& stretch,
                         bool is_write) const {
    return model_
        .access({run.start, run.from.cylinder, run.from.head}, stretch.lba, stretch.blocks,
                is_write)
        .stretches.front();
  }

  mechanics::AccessModel model_;
  channel::SectorLayout layout_;
  int late_runs_ = 0;
};

/// The place of the next access, relative to the last block of the one before.
enum class Going { kAnywhere, kSameTrack, kSameCylinder, kOverATrackEnd, kOverACylinderEnd };
constexpr Going kGoings[] = {Going::kAnywhere, Going::kSameTrack, Going::kSameCylinder,
                             Going::kOverATrackEnd, Going::kOverACylinderEnd};

struct Access {
  std::uint32_t lba;
  std::uint32_t blocks;
};

class Choice {
 public:
  Choice(const geometry::Geometry& geometry, std::uint32_t seed)
      : geometry_(geometry), random_(seed) {}

  Access next(Going going, std::uint32_t zone, geometry::Lba last) {
    const std::uint32_t blocks = 1 + random_() % 16;
    switch (going) {
      case Going::kSameTrack: return fit(last, 1);
      case Going::kSameCylinder: return fit(on_another_track(last), blocks);
      case Going::kOverATrackEnd: return over_end(anywhere(zone), false);
      case Going::kOverACylinderEnd: return over_end(anywhere(zone), true);
      case Going::kAnywhere: break;
    }
    return fit(anywhere(zone), blocks);
  }
  Picoseconds pause() { return static_cast<Picoseconds>(random_() % from_ms(4)); }

 private:
  geometry::Lba anywhere(std::uint32_t zone) {
    return geometry_.zones()[zone].first_lba + random_() % geometry_.zones()[zone].block_count;
  }
  Access fit(geometry::Lba lba, std::uint32_t blocks) const {
    lba = std::min(lba, geometry_.capacity() - blocks);
    return {static_cast<std::uint32_t>(lba), blocks};
  }
  /// The first block of the next track, or of the track before, of the same cylinder.
  geometry::Lba on_another_track(geometry::Lba lba) const {
    const geometry::Placement at = geometry_.locate(lba);
    const geometry::Lba next = std::min(lba + at.contiguous, geometry_.capacity() - 1);
    if (geometry_.locate(next).cylinder == at.cylinder) return next;
    return lba - std::min<geometry::Lba>(lba, at.sector + 1);
  }
  /// An access to some blocks before and after the next end of a track, or of a cylinder.
  Access over_end(geometry::Lba lba, bool of_cylinder) {
    while (true) {
      const geometry::Placement at = geometry_.locate(lba);
      const geometry::Lba next = lba + at.contiguous;
      if (next + 8 >= geometry_.capacity()) return fit(lba - 1000, 8);
      if ((geometry_.locate(next).cylinder != at.cylinder) == of_cylinder) {
        const std::uint32_t before = std::min<std::uint32_t>(1 + random_() % 8, at.contiguous);
        return {static_cast<std::uint32_t>(next - before),
                before + 1 + static_cast<std::uint32_t>(random_() % 8)};
      }
      lba = next;
    }
  }

  const geometry::Geometry& geometry_;
  std::mt19937 random_;
};

struct Case {
  const char* what;
  const char* drive;
  bool is_write;
  std::uint32_t count;
};

class DriveRecordsOf : public testing::TestWithParam<Case> {};

TEST_P(DriveRecordsOf, EveryPart_IsTheMechanicsOwnAnswer) {
  const Case& c = GetParam();
  const std::uint32_t seed = 1997;
  const drive::DriveDescription description = test::shipped(c.drive);
  DriveBench bench("bench", description);
  Comparison comparison(description);
  const geometry::Geometry& geometry = comparison.model().geometry();
  const auto zones = static_cast<std::uint32_t>(geometry.zones().size());
  Choice choice(geometry, seed);
  ASSERT_NO_FATAL_FAILURE(bench.make_ready());

  std::set<std::uint32_t> zones_seen;
  int unmoved = 0, head_switches = 0, track_ends = 0, cylinder_ends = 0;
  geometry::Lba last = 0;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    SCOPED_TRACE(testing::Message() << c.drive << ", seed " << seed << ", access " << i);
    const Access access = choice.next(kGoings[i % 5], i % zones, last);
    bench.run_until(now_ps() + choice.pause());
    const Served served = bench.serve(access.lba, access.blocks, c.is_write);
    ASSERT_NO_FATAL_FAILURE(comparison.check(served, access.lba, access.blocks, c.is_write));
    last = access.lba + access.blocks - 1;
    zones_seen.insert(geometry.locate(access.lba).zone);
    for (std::size_t r = 0; r < served.runs.size(); ++r) {
      const RunFacts& run = served.runs[r];
      const bool on_cylinder = run.from.cylinder == run.track.cylinder;
      if (r > 0) {
        ++(on_cylinder ? track_ends : cylinder_ends);
      } else if (on_cylinder) {
        ++(run.moved ? head_switches : unmoved);
      }
    }
  }
  // The accesses covered all zones.
  EXPECT_EQ(zones_seen.size(), zones);
  const int share = static_cast<int>(c.count) / 10;
  EXPECT_GE(unmoved, share);
  EXPECT_GE(head_switches, share / 2);
  EXPECT_GE(track_ends, share);
  EXPECT_GE(cylinder_ends, share);
  EXPECT_EQ(bench.log().media_retries(), 0U);
  EXPECT_EQ(bench.bus().violation_count(), 0U);
  RecordProperty("late_runs", comparison.late_runs());
}

/// By the model the sector passes about as long after ready as the firmware's reaction takes. Some
/// sectors are caught, the others cost a revolution. The edge at which the formatter is armed
/// decides.
TEST(DriveRecords, SectorWithinTheFirmwaresReaction_CostsARevolution_AndIsExplained) {
  const drive::DriveDescription description = test::shipped("cheetah_9lp");
  DriveBench bench("bench", description);
  Comparison comparison(description);
  const mechanics::AccessModel& model = comparison.model();
  ASSERT_NO_FATAL_FAILURE(bench.make_ready());
  const auto there = static_cast<std::uint32_t>(model.geometry().zones()[3].first_lba);
  Picoseconds request_after = 0;  // time from submission to the seek request, in the last access
  Picoseconds reaction = 0;       // time from ready to the formatter's start, in the last access
  const auto serve_with = [&](Picoseconds slack) {
    bench.serve(0, 1, false);
    const geometry::Placement to = model.geometry().locate(there);
    const Picoseconds positioning = model.positioning().total(to.cylinder, to.head != 0, false);
    const Picoseconds soon = now_ps() + positioning + from_ms(2);
    const Picoseconds mark = soon + model.rotation().time_to_angle(soon, to.angle);
    const Picoseconds submit = mark - slack - positioning - request_after;
    bench.run_until(submit);
    const Served served = bench.serve(there, 1, false);
    ASSERT_NO_FATAL_FAILURE(comparison.check(served, there, 1, false));
    request_after = served.runs.front().start - submit;
    reaction = served.runs.front().armed - served.runs.front().ready;
  };
  const int tries = 12;
  for (int i = 0; i < tries; ++i) {
    SCOPED_TRACE(testing::Message() << "try " << i);
    ASSERT_NO_FATAL_FAILURE(serve_with(kMostReaction * i / tries));
  }
  EXPECT_GE(comparison.late_runs(), 2);
  EXPECT_LE(comparison.late_runs(), tries - 2);
  // Clock by clock around that edge. The sector begins with the index, whose pulse is counted.
  const Picoseconds edge = reaction;
  for (int clocks = -12; clocks <= 12; ++clocks) {
    SCOPED_TRACE(testing::Message() << clocks << " clocks");
    ASSERT_NO_FATAL_FAILURE(serve_with(edge + clocks * kClock));
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, DriveRecordsOf,
                         // The Eagle has neither skew nor head switch time: the model's next track
                         // is there at once, and every firmware is late for it.
                         testing::Values(Case{"ReadsCheetah9lp", "cheetah_9lp", false, 60},
                                         Case{"ReadsHpC3323a", "hp_c3323a", false, 60},
                                         Case{"WritesCheetah9lp", "cheetah_9lp", true, 60},
                                         Case{"WritesHpC3323a", "hp_c3323a", true, 60},
                                         Case{"WritesHpC2490a", "hp_c2490a", true, 60},
                                         Case{"ReadsEagle", "eagle", false, 60}),
                         test::case_name<Case>);

}  // namespace
}  // namespace headstack::fidelity
