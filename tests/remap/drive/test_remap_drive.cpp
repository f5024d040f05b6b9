// SPDX-License-Identifier: Apache-2.0
// A drive that moves its blocks (firmware/transfer/remap.h): whatever it moves, and whatever
// happens meanwhile, hosts find what they wrote.
#include <cmath>
#include <deque>
#include <functional>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/remap/arrange.h"
#include "firmware/remap/learn.h"
#include "firmware/transfer/remap_area.h"
#include "firmware/unit/mode_page.h"
#pragma GCC diagnostic pop
#include "host/replay/kept_area.hpp"
#include "sim/drive/firmware_design.hpp"
#include "tests/effort.hpp"
#include "tests/paths.hpp"
#include "tests/remap/drive/remap_drive.hpp"

namespace headstack::test {
namespace {

/// Few units at the end of the drive, so that all of them move in seconds.
constexpr std::uint32_t kUnitBlocks = 16;
constexpr std::uint32_t kUnits = 60;

class RemapDrive : public testing::Test {
 protected:
  RemapDrive() {
    description_.design.spin_up_ms = 200;
    options_.platform = session::PlatformKind::kNative;
    session_ = std::make_unique<session::Session>(description_, options_);
    session_->make_ready();
    capacity_ = static_cast<std::uint32_t>(session_->geometry().capacity());
    mode_.first_block = capacity_ - kUnits * kUnitBlocks;
    versions_.assign(kUnits * kUnitBlocks, 0);
  }

  Bytes content(std::uint32_t block, std::uint32_t blocks) const {
    Bytes bytes(std::size_t{blocks} * kBlockBytes);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      fill_block(&bytes[std::size_t{i} * kBlockBytes], block + i, versions_[block + i]);
    }
    return bytes;
  }
  /// `block` counts from the first unit on.
  void write(std::uint32_t block, std::uint32_t blocks) {
    for (std::uint32_t i = 0; i < blocks; ++i) ++versions_[block + i];
    session_->write_blocks(mode_.first_block + block, content(block, blocks));
  }
  void write_all() {
    for (std::uint32_t block = 0; block < versions_.size(); block += 96) write(block, 96);
  }
  void expect_all() {
    for (std::uint32_t block = 0; block < versions_.size(); block += 96) {
      ASSERT_EQ(session_->read_blocks(mode_.first_block + block, 96), content(block, 96)) << block;
    }
  }

  /// Sends a map as number 1, and moves all units to their places in it. @return whether they are
  /// there.
  bool reach(RemapHost& host, const Map& map) {
    host.send_map(1, map);
    host.go_to(mode_, 1);
    return host.settle();
  }

  drive::DriveDescription description_ = shipped("paper_179mb");
  session::Options options_;
  std::unique_ptr<session::Session> session_;
  std::uint32_t capacity_ = 0;
  RemapMode mode_;
  std::vector<std::uint32_t> versions_;
};

TEST_F(RemapDrive, MovesEveryUnitToWhereTheMapWantsIt) {
  RemapHost host(*session_);
  write_all();
  host.select(mode_);
  const Map map = shuffled(kUnits, 1);
  ASSERT_TRUE(reach(host, map)) << host.tallies();
  EXPECT_EQ(host.locations(), map);
  expect_all();
  host.go_to(mode_, 0);
  ASSERT_TRUE(host.settle()) << host.tallies();
  EXPECT_EQ(host.locations(), identity(kUnits));
  expect_all();
}

/// SCSI-2 8.2.14.3: ILLEGAL REQUEST with this code, which points at a byte of the CDB or of the
/// parameters.
void expect_pointed_at(const initiator::Completion& done, std::uint8_t code, bool in_cdb,
                       std::uint32_t byte) {
  ASSERT_EQ(done.status, 2U);
  ASSERT_GE(done.sense.size(), 18U);
  EXPECT_EQ(done.sense[2] & 0xFU, 5U);
  EXPECT_EQ(done.sense[12], code);
  EXPECT_EQ(done.sense[15], in_cdb ? 0xC0U : 0x80U);
  EXPECT_EQ(get(done.sense, 16, 2), byte);
}

// remap.h: units change only while all of them are at home. Else blocks would be looked for where
// they are not.
TEST_F(RemapDrive, OtherUnitsWhileSomeAreAway_AreRefused) {
  RemapHost host(*session_);
  write_all();
  host.select(mode_);
  const Map map = shuffled(kUnits, 1);
  ASSERT_TRUE(reach(host, map)) << host.tallies();
  for (const bool smaller : {true, false}) {
    RemapMode other = mode_;
    other.map = 1;
    if (smaller) other.unit_blocks = kUnitBlocks / 2;
    if (!smaller) other.first_block += kUnitBlocks;
    expect_pointed_at(session_->execute(select_remap(other)), 0x26, false,
                      4U + (smaller ? MODE_REMAP_AT_UNIT : MODE_REMAP_AT_FIRST));
    EXPECT_EQ(host.locations(), map);
    expect_all();
    host.go_to(mode_, 0);
    ASSERT_TRUE(host.settle()) << host.tallies();
    other.map = 0;
    host.select(other);
    expect_all();
    host.select(mode_);
    ASSERT_TRUE(reach(host, map)) << host.tallies();
  }
}

// remap.h: a part continues where the last one ended, or begins anew.
TEST_F(RemapDrive, PartsOfAMap_FollowEachOther) {
  RemapHost host(*session_);
  write_all();
  host.select(mode_);
  const Map map = shuffled(kUnits, 1);
  const auto part = [&](std::uint8_t id, std::uint32_t first, std::uint32_t count) {
    Bytes data(std::size_t{2} * count);
    for (std::uint32_t i = 0; i < count; ++i) put(data, std::size_t{2} * i, map[first + i], 2);
    initiator::Command command =
        buffer_command(0x3B, id, 2 * first, static_cast<std::uint32_t>(data.size()));
    command.data = std::move(data);
    return session_->execute(std::move(command));
  };
  EXPECT_TRUE(part(1, 0, 20).is_good());
  expect_pointed_at(part(1, 24, 20), 0x24, true, 3);
  expect_pointed_at(part(1, 16, 20), 0x24, true, 3);
  expect_pointed_at(part(2, 20, 20), 0x24, true, 3);
  EXPECT_TRUE(part(1, 20, 20).is_good());
  EXPECT_TRUE(part(1, 40, kUnits - 40).is_good());
  host.go_to(mode_, 1);
  ASSERT_TRUE(host.settle()) << host.tallies();
  EXPECT_EQ(host.locations(), map);
  expect_all();
}

// ------------------------------------------------------------------------------------- chooses

/// Windows of 1,024 arrivals, four in a row (transfer/remap_choice.h), and some.
constexpr int kArrivals = 5 * 1'024 + 100;

class RemapChoice : public RemapDrive {
 protected:
  RemapChoice() {
    mode_.flags = 7;  // learns, moves, chooses
    mode_.group_blocks = 160;
    mode_.idle_ms = 1'000;  // no move disturbs
    host_.select(mode_);
    host_.send_map(1, shuffled(kUnits, 3));
    host_.send_map(2, shuffled(kUnits, 4));
    session_->run_until(session_->now() + 10'000 * kPicosecondsPerMillisecond);
  }
  std::uint32_t lba() {
    seed_ = scatter(seed_ + 1);
    return mode_.first_block + static_cast<std::uint32_t>(below(seed_, kUnits)) * 16;
  }
  double unit() {
    seed_ = scatter(seed_ + 1);
    return to_unit(seed_);
  }
  void one_after_another(const std::function<double()>& gap_ms) {
    for (int i = 0; i < kArrivals; ++i) {
      (void)session_->read_blocks(lba(), 16);
      session_->run_until(session_->now() + from_ms(gap_ms()));
    }
  }
  void in_a_queue_of(std::size_t depth) {
    std::deque<session::Session::Ticket> tickets;
    for (int i = 0; i < kArrivals; ++i) {
      initiator::Command command;
      command.cdb = initiator::cdb10(0x28, 0, lba(), 16);
      command.direction = initiator::Direction::kIn;
      command.length = 16 * kBlockBytes;
      command.tag_type = initiator::TagType::kSimple;
      command.tag = static_cast<std::uint16_t>(i);
      tickets.push_back(session_->submit(std::move(command)));
      while (tickets.size() >= depth) {
        ASSERT_TRUE(session_->await(tickets.front()).is_good());
        tickets.pop_front();
      }
    }
    for (const auto ticket : tickets) ASSERT_TRUE(session_->await(ticket).is_good());
  }
  std::uint32_t map_in_force() {
    initiator::Command command;
    command.direction = initiator::Direction::kIn;
    command.length = 24;
    command.cdb = {0x1A, 0x08, 0x23, 0, 24, 0};
    return host_.good(std::move(command)).data.at(4 + 3);
  }

  RemapHost host_{*session_};
  std::uint64_t seed_ = 9;
};

// The rule of remap_choice.h: by angles while gaps are steady and few commands wait, otherwise not.
TEST_F(RemapChoice, AnglesForSteadyGapsAndShortQueues_NoneElse) {
  one_after_another([&] { return 4.5 + unit(); });
  EXPECT_EQ(map_in_force(), 1U) << host_.tallies();
  EXPECT_GT(host_.tally(kSteady256th), 250U);
  one_after_another([&] { return -20 * std::log(1 - unit()); });
  EXPECT_EQ(map_in_force(), 2U) << host_.tallies();
  // The share of exponential gaps with a mean of 1.2 turns in the best half of a turn: 1 / (1 +
  // e^(-1/2.4)).
  EXPECT_NEAR(host_.tally(kSteady256th), 256 / (1 + std::exp(-8.333 / 20)), 256 * 0.05);
  in_a_queue_of(4);
  EXPECT_EQ(map_in_force(), 1U) << host_.tallies();
  EXPECT_NEAR(host_.tally(kDepth16th), 4 * 16, 8);
  in_a_queue_of(32);
  EXPECT_EQ(map_in_force(), 2U) << host_.tallies();
  EXPECT_EQ(host_.tally(kChoices), 4U);
}

// ---------------------------------------------------------------------------------- makes a map

/// A drive that learns a load, makes a map of it, and moves its blocks, all by itself.
class RemapMaker : public testing::TestWithParam<std::pair<const char*, int>> {
 protected:
  static constexpr std::uint32_t kGroupBlocks = 160;

  RemapMaker() {
    description_.design.spin_up_ms = 200;
    options_.platform = session::PlatformKind::kNative;
    session_ = std::make_unique<session::Session>(description_, options_);
    session_->make_ready();
    mode_.flags = 3;  // learns, moves
    mode_.group_blocks = kGroupBlocks;
  }
  /// Reads that jump among some groups at the end of the drive.
  void load(RemapHost& host) {
    host.select(mode_);
    std::uint64_t seed = 5;
    for (int i = 0; i < 3'000; ++i) {
      seed = scatter(seed);
      const auto group =
          static_cast<std::uint32_t>(2'000 + below(seed, 12) * 15 + below(scatter(seed), 2));
      (void)session_->read_blocks(group * kGroupBlocks + 16 * static_cast<std::uint32_t>(i % 10),
                                  16);
    }
  }
  /// The same arrangement, made here from the data of READ BUFFER.
  Map made_here(RemapHost& host, int method) {
    const Bytes visit_bytes = host.read_buffer(0x11);
    const Bytes pair_bytes = host.read_buffer(0x12);
    std::vector<std::uint16_t> visits(visit_bytes.size() / 2);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      visits[i] = static_cast<std::uint16_t>(get(visit_bytes, 2 * i, 2));
    }
    std::vector<remap_pair> pairs;
    for (std::size_t at = 0; at < pair_bytes.size(); at += 6) {
      const auto count = static_cast<std::uint16_t>(get(pair_bytes, at + 4, 2));
      if (count == 0) continue;
      pairs.push_back({static_cast<std::uint16_t>(get(pair_bytes, at, 2)),
                       static_cast<std::uint16_t>(get(pair_bytes, at + 2, 2)), count});
    }
    const std::vector<remap_gap> gaps = gaps_of(host);
    const ::remap_counts counts = {visits.data(), static_cast<std::uint32_t>(visits.size()),
                                   pairs.data(),  static_cast<std::uint32_t>(pairs.size()),
                                   gaps.data(),   static_cast<std::uint32_t>(gaps.size())};
    const auto table = std::make_unique<::drive_design>();
    drive::fill_firmware_design(description_, *table);
    const std::uint32_t units = table->capacity_blocks / mode_.unit_blocks;
    std::vector<std::uint16_t> goal_of(units), goal_at(units);
    ::arrange_plan plan = {};
    plan.design = table.get();
    plan.counts = &counts;
    plan.unit_blocks = mode_.unit_blocks;
    plan.group_blocks = kGroupBlocks;
    plan.units = units;
    plan.request_blocks = 16;
    plan.overhead_tick = 4'000;  // 100 us: transfer/remap_arranger.c
    plan.share_of_gaps = 128;
    plan.method = method == MODE_REMAP_ORGAN        ? ARRANGE_ORGAN
                  : method == MODE_REMAP_POPULARITY ? ARRANGE_POPULARITY
                                                    : ARRANGE_ANNEAL;
    plan.energy = method == MODE_REMAP_ORGAN || method == MODE_REMAP_DISTANCE ? ENERGY_DISTANCE
                  : method == MODE_REMAP_ANGLE                                ? ENERGY_ACCESS
                                                                              : ENERGY_TRANSFER;
    plan.whole_groups = method <= MODE_REMAP_TRANSFER;
    plan.trials = 20'000;
    plan.seed = 1;
    plan.goal_of = goal_of.data();
    plan.goal_at = goal_at.data();
    const auto work = std::make_unique<::arrange>();
    EXPECT_EQ(arrange_begin(work.get(), &plan), STATUS_OK);
    while (!arrange_step(work.get())) {
    }
    return {goal_of.begin(), goal_of.end()};
  }
  /// Row 2 of log page 34h (firmware/remap/learn.h): bins end at 64 us times powers of root 2.
  static std::vector<remap_gap> gaps_of(RemapHost& host) {
    const std::vector<std::uint32_t> bins = host.gap_bins();
    std::vector<remap_gap> gaps;
    for (std::uint32_t bin = 1; bin < bins.size(); ++bin) {
      const std::uint32_t from = bin == 1 ? 0 : learn_gap_end_us(bin - 1);
      ::remap_gap gap = {};
      gap.from_us = from;
      gap.count = bins[bin] + (bin == 1 ? bins[0] : 0);
      gaps.push_back(gap);
    }
    return gaps;
  }

  drive::DriveDescription description_ = shipped("paper_179mb");
  session::Options options_;
  std::unique_ptr<session::Session> session_;
  RemapMode mode_;
};
INSTANTIATE_TEST_SUITE_P(Methods, RemapMaker,
                         testing::Values(std::pair{"Organ", MODE_REMAP_ORGAN},
                                         std::pair{"Distance", MODE_REMAP_DISTANCE},
                                         std::pair{"Transfer", MODE_REMAP_TRANSFER},
                                         std::pair{"Angle", MODE_REMAP_ANGLE},
                                         std::pair{"NoAngle", MODE_REMAP_NO_ANGLE},
                                         std::pair{"Popularity", MODE_REMAP_POPULARITY}),
                         [](const auto& test) { return test.param.first; });

TEST_P(RemapMaker, TheDriveMakesTheMapThatItsCountsAskFor_AndMovesByIt) {
  const int method = GetParam().second;
  RemapHost host(*session_);
  load(host);
  const Map expected = made_here(host, method);
  ASSERT_NE(expected, identity(static_cast<std::uint32_t>(expected.size())));
  mode_.makes = static_cast<std::uint8_t>(method << 4 | 1);
  mode_.trials_thousands = 20;
  host.go_to(mode_, 1);
  ASSERT_TRUE(host.settle(3'000'000 * kPicosecondsPerMillisecond)) << host.tallies();
  EXPECT_EQ(host.locations(), expected);
}

// ------------------------------------------------------------------------------------------ area

/// A drive whose units have moved, and the state of the area on its media.
class RemapArea : public RemapDrive {
 protected:
  RemapArea() {
    const auto table = std::make_unique<::drive_design>();
    drive::fill_firmware_design(description_, *table);
    first_sector_ = table->store_sector + 64;
    RemapHost host(*session_);
    write_all();
    host.select(mode_);
    map_ = shuffled(kUnits, 7);
    host.send_map(1, map_);
    host.go_to(mode_, 1);
    EXPECT_TRUE(host.settle()) << host.tallies();
  }

  /// Writes records, each of a changed page, until this many follow the base.
  void fill_records(std::uint32_t records, std::uint32_t bases = 1) {
    RemapHost host(*session_);
    for (std::uint16_t i = 0; host.tally(kRecords) < records && i < 200; ++i) {
      mode_.idle_ms = static_cast<std::uint16_t>(5 + i % 2);
      host.go_to(mode_, 1);
      session_->run_until(session_->now() + 300 * kPicosecondsPerMillisecond);
    }
    ASSERT_EQ(host.tally(kRecords), records);
    ASSERT_EQ(host.tally(kBases), bases);
  }
  /// Writes one more record, after which a base is due. The power fails before one of the writes of
  /// its sectors, or within it. @return whether there were that many.
  bool cut_base(std::uint32_t cut) {
    const std::uint32_t part = cut % 2 == 0 ? 0 : 257;
    std::uint32_t writes = 0;
    session_->media().power().before_write([&](const media::MediaPower::Write& write) {
      const bool is_image = write.index - first_sector_ < kImages;
      if (!is_image || writes++ != cut / 2) return;
      session_->media().power().cut();
      if (part > 0) session_->finish_or_tear(write, part);
      session_->lose_power();
    });
    mode_.idle_ms = 9;
    (void)session_->submit(select_remap(mode_));
    session_->run_until(session_->now() + 2'000 * kPicosecondsPerMillisecond);
    return !session_->has_power();
  }
  void begin_on(const media::MediaSnapshot& media) {
    options_.media = media;
    options_.at_rest = true;
    session_ = std::make_unique<session::Session>(description_, options_);
    session_->make_ready();
  }
  media::MediaSnapshot lose_power() {
    session_->lose_power();
    return session_->take_media();
  }

  /// Sectors of bases and stored maps, two copies each; and of records (transfer/remap_area.h).
  static constexpr std::uint32_t kImages = REMAP_RECORDS_FIRST - REMAP_AREA_FIRST;
  static constexpr std::uint32_t kArea = kImages + REMAP_COPIES * REMAP_RECORDS;
  std::uint64_t first_sector_ = 0;
  Map map_;
};

TEST_F(RemapArea, LosesNothingWithAnyOneOfItsSectors) {
  fill_records(20);
  const media::MediaSnapshot media = lose_power();
  const Bytes field(kBlockBytes + 4, 0x5A);
  std::uint32_t written = 0;
  for (std::uint64_t index = first_sector_; index < first_sector_ + kArea; ++index) {
    media::MediaStore store(media);
    if (!store.is_written(index)) continue;
    ++written;
    ASSERT_EQ(store.write_part(index, field.data(), 100, 200), media::WriteStatus::kOk);
    begin_on(store.snapshot());
    ASSERT_EQ(RemapHost(*session_).locations(), map_) << index - first_sector_;
    expect_all();
  }
  // Two sectors of the base and of map 1, 20 records: two copies of each.
  EXPECT_EQ(written, 2U * (2 + 2 + 20));
}

// The stored map that the page names has no good copy. Units stay where they are, and another map
// moves them. They are there after a loss of power.
TEST_F(RemapArea, AMapWithoutAGoodCopy_MovesNothing_AndAnotherOneIsKept) {
  const media::MediaSnapshot media = lose_power();
  media::MediaStore store(media);
  const Bytes field(kBlockBytes + 4, 0x5A);
  for (std::uint32_t copy = 0; copy < REMAP_COPIES; ++copy) {
    const std::uint64_t index = first_sector_ - REMAP_AREA_FIRST + remap_area_image(1, copy, 0);
    ASSERT_TRUE(store.is_written(index));
    ASSERT_EQ(store.write_part(index, field.data(), 100, 200), media::WriteStatus::kOk);
  }
  begin_on(store.snapshot());
  session_->run_until(session_->now() + 1'000 * kPicosecondsPerMillisecond);
  RemapHost host(*session_);
  EXPECT_EQ(host.locations(), map_);
  const Map other = shuffled(kUnits, 8);
  host.send_map(2, other);
  host.go_to(mode_, 2);
  ASSERT_TRUE(host.settle()) << host.tallies();
  EXPECT_EQ(host.locations(), other);
  begin_on(lose_power());
  EXPECT_EQ(RemapHost(*session_).locations(), other);
  expect_all();
}

TEST_F(RemapArea, ModePage23hComesBackWithTheMap_AndTheDriveLearnsOn) {
  RemapHost host(*session_);
  mode_.flags = 3;  // learns, moves
  mode_.group_blocks = 16;
  host.go_to(mode_, 1);
  session_->run_until(session_->now() + 1'000 * kPicosecondsPerMillisecond);
  begin_on(lose_power());
  RemapHost again(*session_);
  EXPECT_EQ(again.locations(), map_);
  (void)session_->read_blocks(mode_.first_block + 16 * 7, 16);
  const Bytes visits = again.read_buffer(0x11);
  EXPECT_EQ(visits.size(), 2 * kUnits);
  EXPECT_EQ(get(visits, 2 * 7, 2), 1U);
}

TEST_F(RemapArea, IsWholeWheneverThePowerGoesWhileABaseIsSaved) {
  fill_records(63);
  const media::MediaSnapshot media = lose_power();
  description_.specimen.power_loss = drive::PowerLoss::kTorn;
  std::uint32_t cuts = 0;
  for (std::uint32_t cut = 0; cut < 40; ++cut) {
    begin_on(media);
    if (!cut_base(cut)) break;
    ++cuts;
    begin_on(session_->take_media());
    ASSERT_EQ(RemapHost(*session_).locations(), map_) << cut;
    expect_all();
  }
  EXPECT_EQ(cuts, 2U * 2 * 2) << "two sectors of two copies, before each and in its midst";
}

// remap.h: moves end when the area cannot be written. Nothing is lost: the old base and its records
// have the places of the units.
TEST_F(RemapArea, ThatCannotBeWritten_EndsTheMoves_AndIsTold) {
  fill_records(63);
  media::FlawSpec flaws;
  for (std::uint64_t i = 0; i < kImages; ++i) {
    flaws.listed.push_back({first_sector_ + i, media::FlawKind::kBadHeader, 0});
  }
  session_->media().inject(flaws);
  RemapHost host(*session_);
  mode_.idle_ms = 9;
  host.go_to(mode_, 0);
  session_->run_until(session_->now() + 5'000 * kPicosecondsPerMillisecond);
  EXPECT_NE(host.tally(kFailedLba), 0U);
  EXPECT_EQ(host.tally(kBases), 1U);
  EXPECT_EQ(host.locations(), map_);
  const std::uint32_t requests = host.tally(kRequests);
  session_->run_until(session_->now() + 5'000 * kPicosecondsPerMillisecond);
  EXPECT_EQ(host.tally(kRequests), requests) << "it is not tried again";
  expect_all();
}

// The first cut leaves one good copy of the new base. The next base must not begin with that one.
TEST_F(RemapArea, IsWholeWhenThePowerGoesAgainWhileTheNextBaseIsSaved) {
  constexpr std::uint32_t kOfACopy = 4;  // two sectors, before each and in its midst
  fill_records(63);
  const media::MediaSnapshot media = lose_power();
  description_.specimen.power_loss = drive::PowerLoss::kTorn;
  for (std::uint32_t first = kOfACopy; first < 2 * kOfACopy; ++first) {
    begin_on(media);
    ASSERT_TRUE(cut_base(first));
    begin_on(session_->take_media());
    fill_records(63, 0);
    const media::MediaSnapshot left = lose_power();
    for (std::uint32_t second = 0; second < 2 * kOfACopy; ++second) {
      begin_on(left);
      ASSERT_TRUE(cut_base(second));
      const media::MediaSnapshot found = session_->take_media();
      const replay::KeptArea kept =
          replay::read_kept_area(description_.design, media::MediaStore(found));
      EXPECT_TRUE(kept.faults.empty()) << kept.faults.front();
      EXPECT_EQ(kept.location, map_) << "as a second reader has it";
      begin_on(found);
      ASSERT_EQ(RemapHost(*session_).locations(), map_) << first << " " << second;
    }
    expect_all();
  }
}

// Other units are set while a base is saved: the base after a loss of power is one of the two, and
// whole.
TEST_F(RemapDrive, OtherUnitsWhileABaseIsSaved_AreWhatPowerFinds) {
  for (std::uint32_t piece = 1; piece <= 4; ++piece) {
    options_.media.reset();
    session_ = std::make_unique<session::Session>(description_, options_);
    session_->make_ready();
    RemapHost host(*session_);
    write_all();
    std::uint32_t writes = 0;
    session_->media().power().before_write([&](const media::MediaPower::Write&) { ++writes; });
    host.select(mode_);
    session_->run_until([&] { return writes == piece; });
    RemapMode other = mode_;
    other.unit_blocks = kUnitBlocks / 2;
    host.select(other);
    const Map map = shuffled(2 * kUnits, piece);
    host.send_map(1, map);
    host.go_to(other, 1);
    ASSERT_TRUE(host.settle()) << host.tallies();
    session_->lose_power();
    options_.media = session_->take_media();
    const replay::KeptArea kept =
        replay::read_kept_area(description_.design, media::MediaStore(*options_.media));
    ASSERT_TRUE(kept.faults.empty()) << kept.faults.front();
    options_.at_rest = true;
    session_ = std::make_unique<session::Session>(description_, options_);
    session_->make_ready();
    ASSERT_EQ(RemapHost(*session_).locations(), map) << piece;
    expect_all();
  }
}

// Other units are set while a record of the mode page alone is written. Its second copy would
// belong to a map that no longer exists.
TEST_F(RemapDrive, OtherUnitsWhileTheModeIsRecorded_BeginAnew) {
  RemapHost host(*session_);
  write_all();
  host.select(mode_);
  const Map map = shuffled(kUnits, 1);
  host.send_map(1, map);
  ASSERT_TRUE(host.settle()) << host.tallies();
  std::uint32_t writes = 0;
  session_->media().power().before_write([&](const media::MediaPower::Write&) { ++writes; });
  mode_.share = 10;
  host.select(mode_);
  // The record's first copy is being written, which takes a turn of the platter.
  session_->run_until(session_->now() + from_ms(mode_.idle_ms + 1));
  RemapMode other = mode_;
  other.unit_blocks = kUnitBlocks / 2;
  host.select(other);
  EXPECT_EQ(writes, 0U);
  host.send_map(1, shuffled(2 * kUnits, 2));
  host.go_to(other, 1);
  ASSERT_TRUE(host.settle()) << host.tallies();
  EXPECT_EQ(host.locations(), shuffled(2 * kUnits, 2));
  expect_all();
}

// A command that cannot leave the bus keeps it from all others. It precedes all moves, whatever the
// share.
TEST_F(RemapDrive, ACommandThatHoldsTheBusWaitsForOneRequest) {
  RemapHost host(*session_);
  write_all();
  mode_.share = 255;
  host.select(mode_);
  host.send_map(1, shuffled(kUnits, 1));
  host.go_to(mode_, 1);
  write(0, 96);
  const Picoseconds begin = session_->now();
  initiator::Command read;
  read.cdb = initiator::cdb10(0x28, 0, 0, 1);
  read.direction = initiator::Direction::kIn;
  read.length = kBlockBytes;
  read.may_disconnect = false;
  EXPECT_TRUE(session_->execute(read).is_good());
  // The time of a move and of the command: a stroke of the arm, two turns, a unit.
  EXPECT_LT(session_->now() - begin, from_ms(2 * (29 + 3 * 16.7)));
  ASSERT_TRUE(host.settle()) << host.tallies();
  expect_all();
}

// ------------------------------------------------------------------------------------- adversary

/// The possible versions of a block. There are several if the end of a write is not known.
struct Block {
  std::vector<std::uint32_t> may_be = {0};
  std::uint32_t last = 0;    // version written last
  unsigned outstanding = 0;  // commands
};

/// Lives of a drive between power cuts: random commands of two hosts, while it moves its units from
/// map to map.
class Lives {
 public:
  Lives(std::uint64_t seed, drive::PowerLoss loss, session::PlatformKind platform)
      : seed_(scatter(seed)) {
    description_.design.spin_up_ms = 200;
    description_.specimen.power_loss = loss;
    options_.platform = platform;
    options_.hosts = 2;
    if (platform != session::PlatformKind::kNative) options_.firmware = test::drive_elf();
    const auto capacity =
        static_cast<std::uint32_t>(geometry::Geometry(description_.design).capacity());
    mode_.unit_blocks = pick(0, 3) == 0 ? 160 : static_cast<std::uint16_t>(1U << pick(2, 5));
    mode_.first_block = capacity - kUnits * mode_.unit_blocks - pick(0, 7);
    units_ = (capacity - mode_.first_block) / mode_.unit_blocks;
    base_ = mode_.first_block - kBefore;
    blocks_.resize(capacity - base_);
  }

  /// Sends some commands; then the power fails at a byte, or not before they are done.
  void live(std::uint32_t commands, bool cut) {
    session_ = std::make_unique<session::Session>(description_, options_);
    session_->make_ready();
    if (::testing::Test::HasFailure()) return;
    check_all();
    RemapHost host(*session_);
    if (options_.media == std::nullopt) {
      host.select(mode_);
      host.send_map(1, shuffled(units_, draw()));
      host.send_map(2, shuffled(units_, draw()));
    }
    if (cut) session_->lose_power_at_byte(pick(0, 400'000));
    left_ = commands;
    while ((left_ > 0 || !running_.empty()) && session_->has_power()) {
      while (left_ > 0 && running_.size() < depth_) submit();
      session_->run_until(session_->now() + kPicosecondsPerMillisecond);
      collect();
    }
    if (session_->has_power() && !cut) check_all();
    // Outstanding writes may have been done, or not.
    running_.clear();
    for (Block& block : blocks_) block.outstanding = 0;
    session_->lose_power();
    options_.media = session_->take_media();
    options_.at_rest = true;
    session_.reset();
  }
  std::uint32_t moves() const { return moves_; }

 private:
  static constexpr std::uint32_t kBefore = 40;  // blocks that never move

  struct Running {
    session::Session::Ticket ticket;
    std::uint32_t first, count;
    bool writes;
  };

  std::uint64_t draw() { return seed_ = scatter(seed_ + 1); }
  std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(below(draw(), high - low + 1));
  }

  void submit() {
    --left_;
    const std::uint32_t kind = pick(0, 99);
    if (kind < 3) return change_mode();
    if (kind < 4) return look();
    const auto total = static_cast<std::uint32_t>(blocks_.size());
    const std::uint32_t count = pick(1, pick(1, 8) == 1 ? 90 : 20);
    const std::uint32_t first = pick(0, total - count);
    for (std::uint32_t i = first; i < first + count; ++i) {
      if (blocks_[i].outstanding > 0) return;
    }
    const bool writes = pick(0, 1) == 0;
    initiator::Command command;
    command.cdb = initiator::cdb10(writes ? 0x2A : 0x28, 0, base_ + first, count);
    command.direction = writes ? initiator::Direction::kOut : initiator::Direction::kIn;
    if (!writes) command.length = count * kBlockBytes;
    if (writes) command.data.resize(std::size_t{count} * kBlockBytes);
    for (std::uint32_t i = 0; i < count; ++i) {
      Block& block = blocks_[first + i];
      ++block.outstanding;
      if (!writes) continue;
      block.may_be.push_back(++block.last);
      fill_block(&command.data[std::size_t{i} * kBlockBytes], base_ + first + i, block.last);
    }
    command.tag_type = initiator::TagType::kSimple;
    command.tag = ++tag_;
    running_.push_back({session_->submit(std::move(command), pick(0, 1)), first, count, writes});
    if (pick(0, 9) == 0)
      session_->run_until(session_->now() + pick(1, 150) * kPicosecondsPerMillisecond);
  }

  /// Sets another map, or another share of the media. Sometimes it sends a map anew first.
  void change_mode() {
    RemapMode mode = mode_;
    mode.map = static_cast<std::uint8_t>(pick(0, 2));
    mode.share = static_cast<std::uint8_t>(pick(0, 1) * pick(1, 255));
    mode.idle_ms = static_cast<std::uint16_t>(pick(0, 30));
    submit_plain(select_remap(mode));
    if (pick(0, 3) != 0) return;
    const Map map = shuffled(units_, draw());
    Bytes data(2 * map.size());
    for (std::size_t i = 0; i < map.size(); ++i) put(data, 2 * i, map[i], 2);
    initiator::Command command = buffer_command(0x3B, static_cast<std::uint8_t>(pick(1, 2)), 0,
                                                static_cast<std::uint32_t>(data.size()));
    command.data = std::move(data);
    submit_plain(std::move(command));
  }
  void submit_plain(initiator::Command command) {
    command.tag_type = initiator::TagType::kSimple;
    command.tag = ++tag_;
    running_.push_back({session_->submit(std::move(command), 0), 0, 0, false});
  }

  void look() {
    initiator::Command command;
    command.direction = initiator::Direction::kIn;
    command.length = 4 + 8 * kTallies;
    command.cdb = {0x4D, 0, 0x40 | 0x33, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(command.length),
                   0};
    command.tag_type = initiator::TagType::kSimple;
    command.tag = ++tag_;
    const session::Session::Ticket ticket = session_->submit(std::move(command));
    while (session_->has_power() && !session_->is_done(ticket)) {
      session_->run_until(session_->now() + kPicosecondsPerMillisecond);
    }
    if (!session_->has_power()) return;
    const auto& completion = session_->result(ticket);
    if (completion.status == 2) return;  // a unit attention
    ASSERT_TRUE(completion.is_good());
    ASSERT_EQ(get(completion.data, 4 + std::size_t{8} * kFailedLba + 4, 4), 0U);
    moves_ = get(completion.data, 4 + std::size_t{8} * kMoves + 4, 4);
  }

  void collect() {
    for (std::size_t i = 0; i < running_.size();) {
      const Running running = running_[i];
      if (!session_->is_done(running.ticket)) {
        ++i;
        continue;
      }
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      if (session_->has_power()) take(running, session_->result(running.ticket));
    }
  }

  void take(const Running& running, const initiator::Completion& completion) {
    if (running.count == 0) return;  // BUSY, or a unit attention, has no effect
    for (std::uint32_t i = 0; i < running.count; ++i) --blocks_[running.first + i].outstanding;
    const bool attention =
        completion.status == 2 && completion.sense.size() > 2 && (completion.sense[2] & 0xF) == 6;
    if (attention) {
      for (std::uint32_t i = 0; running.writes && i < running.count; ++i)
        blocks_[running.first + i].may_be.pop_back();
      return;
    }
    ASSERT_TRUE(completion.is_good())
        << outcome_name(completion.outcome) << ", status " << unsigned{completion.status} << ", "
        << testing::PrintToString(completion.sense);
    for (std::uint32_t i = 0; i < running.count; ++i) {
      if (running.writes) {
        blocks_[running.first + i].may_be = {blocks_[running.first + i].last};
      } else {
        check(running.first + i, &completion.data[std::size_t{i} * kBlockBytes]);
      }
    }
  }

  void check(std::uint32_t index, const std::uint8_t* data) {
    Block& block = blocks_[index];
    for (const std::uint32_t version : block.may_be) {
      Bytes expected(kBlockBytes);
      if (version != 0) fill_block(expected.data(), base_ + index, version);
      if (version == 0 && first_content_.count(index) == 0)
        first_content_[index] = Bytes(data, data + kBlockBytes);
      if (version == 0) expected = first_content_[index];
      if (!std::equal(expected.begin(), expected.end(), data)) continue;
      block.may_be = {version};
      return;
    }
    FAIL() << "block " << base_ + index << " is none of " << testing::PrintToString(block.may_be);
  }

  void check_all() {
    for (std::uint32_t index = 0; index < blocks_.size(); ++index) {
      initiator::Command command;
      command.cdb = initiator::cdb10(0x28, 0, base_ + index, 1);
      command.direction = initiator::Direction::kIn;
      command.length = kBlockBytes;
      const auto& completion = session_->execute(std::move(command));
      const bool torn =
          completion.sense.size() > 12 && completion.sense[2] == 3 && completion.sense[12] == 0x11;
      if (torn && blocks_[index].may_be.size() > 1) {
        blocks_[index].may_be = {};
        rewrite(index);
        continue;
      }
      ASSERT_TRUE(completion.is_good())
          << "block " << base_ + index << testing::PrintToString(completion.sense);
      check(index, completion.data.data());
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  void rewrite(std::uint32_t index) {
    Block& block = blocks_[index];
    Bytes data(kBlockBytes);
    fill_block(data.data(), base_ + index, ++block.last);
    session_->write_blocks(base_ + index, data);
    block.may_be = {block.last};
  }

  std::uint64_t seed_;
  drive::DriveDescription description_ = shipped("paper_179mb");
  session::Options options_;
  RemapMode mode_;
  std::uint32_t units_ = 0;
  std::uint32_t base_ = 0;
  std::vector<Block> blocks_;
  std::map<std::uint32_t, Bytes> first_content_;  // content of the drive when it was delivered
  std::unique_ptr<session::Session> session_;
  std::vector<Running> running_;
  std::uint32_t left_ = 0;
  std::size_t depth_ = 6;
  std::uint16_t tag_ = 0;
  std::uint32_t moves_ = 0;
};

class RemapAdversary : public testing::TestWithParam<int> {};

TEST_P(RemapAdversary, HostsFindWhatTheyWroteWhateverMovesAndWheneverThePowerGoes) {
  const int seed = GetParam();
  Lives lives(static_cast<std::uint64_t>(seed),
              seed % 2 == 0 ? drive::PowerLoss::kFinished : drive::PowerLoss::kTorn,
              session::PlatformKind::kNative);
  for (int life = 0; life < rounds(8) && !HasFailure(); ++life) lives.live(400, life % 4 != 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RemapAdversary, testing::Range(1, 13));

}  // namespace
}  // namespace headstack::test
