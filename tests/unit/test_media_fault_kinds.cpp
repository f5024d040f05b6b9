// SPDX-License-Identifier: Apache-2.0
// Intermittent flaws, and those of writes and headers, by the definitions in
// sim/media/flaw_spec.hpp. Defects of several sectors, by the places of sim/geometry.
#include <gtest/gtest.h>

#include <set>

#include "sim/draw.hpp"
#include "sim/drive/drive_media.hpp"
#include "tests/support.hpp"
#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

constexpr MediaGeometry kGeometry{1000, 512, 4};
constexpr SectorIndex kSector = 500;

MediaStore store_with(const Flaw& flaw, std::uint64_t seed = 0) {
  MediaStore store(kGeometry);
  store.write_formatted(kSector, tagged_sector(kGeometry, kSector).data.data());
  FlawSpec spec;
  spec.seed = seed;
  spec.listed = {flaw};
  store.inject(spec);
  return store;
}

Sector sector_of(SectorIndex tag) {
  const Bytes data = tagged_sector(kGeometry, tag).data;
  return {data, crc_bytes(data)};
}

bool reads_badly(MediaStore& store) {
  Sector sector{Bytes(512), Bytes(4)};
  const ReadStatus status = store.read(kSector, sector.data.data(), sector.check.data());
  EXPECT_EQ(status == ReadStatus::kDamaged, sector.check != crc_bytes(sector.data));
  return status == ReadStatus::kDamaged;
}

WriteStatus write(MediaStore& store, const Sector& sector) {
  return store.write(kSector, sector.data.data(), sector.check.data());
}

Flaw with_probability(FlawKind kind, double probability) {
  Flaw flaw{kSector, kind};
  flaw.probability = probability;
  return flaw;
}

// "Each read attempt gives damaged bytes with `probability`": n attempts have n p failures, within
// 5 standard deviations sqrt(n p (1 - p)). A fair draw leaves that range once in 1.7 million.
TEST(MediaIntermittent, FailsAsOftenAsItsProbabilitySays) {
  constexpr int kReads = 20'000;
  for (const double p : {0.01, 0.25, 0.5, 0.9}) {
    MediaStore store = store_with(with_probability(FlawKind::kIntermittent, p), 3);
    int failed = 0;
    for (int i = 0; i < kReads; ++i) failed += reads_badly(store) ? 1 : 0;
    EXPECT_NEAR(failed, kReads * p, 5 * std::sqrt(kReads * p * (1 - p))) << p;
  }
}

TEST(MediaIntermittent, SameSeed_FailsTheSameAttempts_AnotherSeedOthers) {
  const auto attempts = [](std::uint64_t seed) {
    MediaStore store = store_with(with_probability(FlawKind::kIntermittent, 0.5), seed);
    std::vector<bool> failed;
    for (int i = 0; i < 64; ++i) failed.push_back(reads_badly(store));
    return failed;
  };
  EXPECT_EQ(attempts(1), attempts(1));
  EXPECT_NE(attempts(1), attempts(2));
}

// An attempt's draw (sim/draw.hpp) is made from the sector and the attempt's number, from 1.
TEST(MediaIntermittent, AttemptsFail_WhereTheirDrawsFallBelow) {
  MediaStore store = store_with(with_probability(FlawKind::kIntermittent, 0.5), 7);
  for (std::uint64_t attempt = 1; attempt <= 64; ++attempt) {
    const bool fails = falls_below(draw(7, Stream::kReadAttempt, kSector, attempt), 0.5);
    EXPECT_EQ(reads_badly(store), fails) << "attempt " << attempt;
  }
}

// Each sector counts its own attempts. Reads of other sectors do not change its draws, and neither
// do writes.
TEST(MediaIntermittent, DrawsCountTheSectorsOwnAttempts) {
  MediaStore alone = store_with(with_probability(FlawKind::kIntermittent, 0.5), 7);
  MediaStore busy = store_with(with_probability(FlawKind::kIntermittent, 0.5), 7);
  std::vector<std::uint8_t> data(512);
  for (int i = 0; i < 64; ++i) {
    static_cast<void>(busy.read(kSector + 1, data.data(), nullptr));
    if (i % 5 == 0) {
      EXPECT_EQ(write(busy, sector_of(9)), WriteStatus::kOk);
    }
    EXPECT_EQ(reads_badly(alone), reads_badly(busy)) << "attempt " << i;
  }
}

TEST(MediaIntermittent, Snapshot_FailsTheSameAttemptsAgain) {
  MediaStore store = store_with(with_probability(FlawKind::kIntermittent, 0.5), 7);
  for (int i = 0; i < 10; ++i) static_cast<void>(reads_badly(store));
  MediaStore branch(store.snapshot());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(reads_badly(store), reads_badly(branch));
}

// The kth read since a write fails with probability k / (k + h). The sum over h reads is h - h
// (H(2h) - H(h)), about h (1 - ln 2) = 0.3069 h.
TEST(MediaDecaying, FailsMoreAndMore_AndAWriteRefreshesIt) {
  constexpr int kHalf = 1000;
  Flaw flaw{kSector, FlawKind::kDecaying};
  flaw.half_reads = kHalf;
  MediaStore store = store_with(flaw, 11);
  const auto failed_of = [&store](int reads) {
    int failed = 0;
    for (int i = 0; i < reads; ++i) failed += reads_badly(store) ? 1 : 0;
    return failed;
  };
  double expected = 0;
  double variance = 0;
  for (int k = 1; k <= kHalf; ++k) {
    const double p = static_cast<double>(k) / (k + kHalf);
    expected += p;
    variance += p * (1 - p);
  }
  EXPECT_NEAR(expected, 0.3069 * kHalf, 1);
  EXPECT_NEAR(failed_of(kHalf), expected, 5 * std::sqrt(variance));
  // Between one half and two thirds of the reads from the 1,000th to the 2,000th fail.
  const int later = failed_of(kHalf);
  EXPECT_GT(later, kHalf / 2 - 80);
  EXPECT_LT(later, kHalf * 2 / 3 + 80);
  EXPECT_EQ(write(store, sector_of(9)), WriteStatus::kOk);
  EXPECT_NEAR(failed_of(kHalf), expected, 5 * std::sqrt(variance)) << "as new";
}

struct WriteCase {
  const char* what;
  FlawKind kind;
  std::uint32_t retries;
  int bad_of_first_seven;  // writes 1 to 7 that fail, or cannot be read
};
const WriteCase kWriteCases[] = {
    {"WriteFault_Every", FlawKind::kWriteFault, 0, 7},
    {"WriteFault_OneOfTwo", FlawKind::kWriteFault, 1, 4},
    {"WriteFault_ThreeOfFour", FlawKind::kWriteFault, 3, 6},
    {"WeakWrite_Every", FlawKind::kWeakWrite, 0, 7},
    {"WeakWrite_OneOfTwo", FlawKind::kWeakWrite, 1, 4},
    {"WeakWrite_ThreeOfFour", FlawKind::kWeakWrite, 3, 6},
};
class BadWrites : public testing::TestWithParam<WriteCase> {};

// A write fault is reported, and the old data stay. A weak write is not reported, and cannot be
// read.
TEST_P(BadWrites, FailAsOftenAsAsked_ThenOneTakes) {
  const WriteCase& c = GetParam();
  MediaStore store = store_with({kSector, c.kind, c.retries});
  SectorIndex on_media = kSector;
  int bad = 0;
  for (SectorIndex tag = 1; tag <= 7; ++tag) {
    const bool refused = store.refuses_write(kSector);
    const WriteStatus status = write(store, sector_of(tag));
    EXPECT_EQ(refused, status == WriteStatus::kFault);
    if (c.kind == FlawKind::kWriteFault) {
      if (status == WriteStatus::kOk) on_media = tag;
      EXPECT_EQ(read_sector(store, kSector, ReadStatus::kOk), sector_of(on_media));
      bad += status == WriteStatus::kFault ? 1 : 0;
    } else {
      EXPECT_EQ(status, WriteStatus::kOk);
      const bool first = reads_badly(store);
      EXPECT_EQ(reads_badly(store), first) << "no attempt heals it";
      EXPECT_EQ(peek_sector(store, kSector), sector_of(tag));
      bad += first ? 1 : 0;
    }
  }
  EXPECT_EQ(bad, c.bad_of_first_seven);
}
INSTANTIATE_TEST_SUITE_P(MediaWrite, BadWrites, testing::ValuesIn(kWriteCases),
                         test::case_name<WriteCase>);

TEST(MediaHeader, IsBadInEveryTurn_AndItsDataAreFine) {
  MediaStore store = store_with({kSector, FlawKind::kBadHeader});
  for (std::uint64_t turn = 0; turn < 100; ++turn) {
    EXPECT_EQ(store.read_header(kSector, turn), HeaderRead::kDamaged);
    EXPECT_EQ(store.read_header(kSector + 1, turn), HeaderRead::kGood);
  }
  EXPECT_EQ(read_sector(store, kSector, ReadStatus::kOk), sector_of(kSector));
  MediaStore other = store_with({kSector, FlawKind::kNoSync});
  EXPECT_EQ(other.read_header(kSector, 5), HeaderRead::kNoSync);
}

TEST(MediaHeader, ComesAndGoesByTheTurn_WhoeverAsks) {
  MediaStore store = store_with(with_probability(FlawKind::kBadHeader, 0.3), 5);
  int bad = 0;
  constexpr int kTurns = 20'000;
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    const HeaderRead once = store.read_header(kSector, turn);
    EXPECT_EQ(store.read_header(kSector, turn), once) << "not an attempt";
    bad += once == HeaderRead::kGood ? 0 : 1;
  }
  EXPECT_NEAR(bad, kTurns * 0.3, 5 * std::sqrt(kTurns * 0.3 * 0.7));
}

TEST(MediaHeader, FlawedHeadersOfATrack_AreListed) {
  MediaStore store(kGeometry);
  FlawSpec spec;
  spec.listed = {{40, FlawKind::kBadHeader},
                 {42, FlawKind::kUnreadable},
                 {49, FlawKind::kNoSync},
                 {50, FlawKind::kBadHeader}};
  store.inject(spec);
  EXPECT_EQ(store.flawed_headers(40, 10), (std::vector<SectorIndex>{40, 49}));
  EXPECT_EQ(store.flawed_headers(41, 8), std::vector<SectorIndex>{});
}

TEST(MediaHeader, OtherFlawsReplaced_LeaveItBad_AndReplacedItIsGood) {
  MediaStore store = store_with({kSector, FlawKind::kBadHeader});
  FlawSpec spec;
  for (const FlawKind kind : {FlawKind::kUnreadable, FlawKind::kWeakWrite}) {
    spec.listed = {{kSector + 1, kind}};
    store.inject(spec);
    EXPECT_EQ(store.read_header(kSector, 0), HeaderRead::kDamaged);
    EXPECT_EQ(store.flawed_headers(0, 1000), std::vector<SectorIndex>{kSector});
  }
  spec.listed = {{kSector, FlawKind::kUnreadable}};
  store.inject(spec);
  EXPECT_EQ(store.read_header(kSector, 0), HeaderRead::kGood);
  EXPECT_TRUE(store.flawed_headers(0, 1000).empty());
}

// The seed of an old drive file chooses the same flaws as before there were more kinds.
TEST(MediaChosen, NewKinds_LeaveTheChoiceOfTheOldOnes) {
  FlawSpec old;
  old.seed = 21;
  old.unreadable_count = 5;
  old.correctable_count = 5;
  old.misplaced_write_count = 5;
  FlawSpec more = old;
  more.intermittent_count = 4;
  more.decaying_count = 3;
  more.write_fault_count = 2;
  more.weak_write_count = 2;
  more.bad_header_count = 2;
  more.no_sync_count = 1;
  const std::vector<Flaw> all = plan_flaws(more, 1000);
  EXPECT_EQ(all.size(), 15U + 14U);
  const std::vector<Flaw> before = plan_flaws(old, 1000);
  EXPECT_EQ(before.size(), 15U);
  for (const Flaw& flaw : before) {
    EXPECT_NE(std::find(all.begin(), all.end(), flaw), all.end()) << flaw.index;
  }
}

// ---------------------------------------------------------------------------------------- defects

/// 4 cylinders of 10 sectors a track, or two zones of 10 and 5.
drive::DriveDescription small_drive(bool two_zones) {
  drive::DriveDescription drive;
  drive.name = "small";
  drive.design = test::small_design();
  if (two_zones) {
    drive.design.zones[0].last_cylinder = 1;
    drive::Zone inner = drive.design.zones[0];
    inner.first_cylinder = 2;
    inner.last_cylinder = 3;
    inner.sectors_per_track = 5;
    drive.design.zones.push_back(inner);
  }
  return drive;
}

std::set<SectorIndex> flawed(const drive::DriveDescription& drive) {
  const geometry::Geometry geometry(drive.design);
  std::set<SectorIndex> sectors;
  for (const Flaw& flaw : flaw_spec_of(drive.specimen, geometry).listed) {
    EXPECT_TRUE(sectors.insert(flaw.index).second);
  }
  return sectors;
}

// Block 18 is sector 8 of cylinder 0, head 1. The defect covers sectors 8 and 9, and continues at
// sector 0.
TEST(MediaDefect, AlongTheTrack_GoesOnAtItsBeginning) {
  drive::DriveDescription drive = small_drive(false);
  drive::Flaw scratch{FlawKind::kUnreadable, 18};
  scratch.sectors = 4;
  drive.specimen.flaws = {scratch};
  EXPECT_EQ(flawed(drive), (std::set<SectorIndex>{18, 19, 10, 11}));
  EXPECT_NO_THROW(drive::check(drive));
}

// Without skew, sector 6 of 10 begins at 0.6 turns. On a track of 5 sectors that is where sector 3
// begins.
TEST(MediaDefect, AcrossCylinders_KeepsItsAngle) {
  drive::DriveDescription drive = small_drive(true);
  drive::Flaw scratch{FlawKind::kUnreadable, 6};
  scratch.cylinders = 3;
  drive.specimen.flaws = {scratch};
  // The sectors are 6 on cylinder 0, 20 + 6 on cylinder 1, and 40 + 3 on cylinder 2, which begins
  // at 40.
  EXPECT_EQ(flawed(drive), (std::set<SectorIndex>{6, 26, 43}));
}

struct BadDefect {
  const char* what;
  drive::Flaw flaw;
  const char* part;
};
drive::Flaw wide(FlawKind kind, std::uint64_t lba, std::uint32_t sectors, std::uint32_t cylinders) {
  drive::Flaw flaw{kind, lba};
  flaw.sectors = sectors;
  flaw.cylinders = cylinders;
  return flaw;
}

TEST(MediaDefect, ThatDoesNotFit_IsAFaultWithItsRemedy) {
  const BadDefect cases[] = {
      {"Track", wide(FlawKind::kUnreadable, 0, 11, 1), "sectors: 11 sectors, but the track"},
      {"Stroke", wide(FlawKind::kUnreadable, 40, 1, 3), "cylinders: 3 cylinders, but from block"},
      {"Stray", wide(FlawKind::kMisplacedWrite, 0, 2, 1), "kind: a misplaced write is one"},
      {"Twice", wide(FlawKind::kUnreadable, 28, 3, 1), "covers sector 20, as specimen.flaws[0]"},
  };
  for (const BadDefect& c : cases) {
    drive::DriveDescription drive = small_drive(false);
    drive.specimen.flaws = {{FlawKind::kUnreadable, 20}, c.flaw};
    try {
      drive::check(drive);
      ADD_FAILURE() << c.what;
    } catch (const drive::Fault& fault) {
      EXPECT_NE(std::string(fault.what()).find(c.part), std::string::npos) << fault.what();
    }
  }
}

TEST(MediaDefect, ScratchesBySeed_AreSideBySide_AndTheSameAgain) {
  drive::DriveDescription drive = small_drive(false);
  drive.specimen.flaw_seed = 4;
  drive.specimen.scratches = 1;
  drive.specimen.scratch_sectors_max = 5;
  std::set<std::size_t> lengths;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    drive.specimen.flaw_seed = seed;
    const std::set<SectorIndex> sectors = flawed(drive);
    EXPECT_EQ(flawed(drive), sectors);
    lengths.insert(sectors.size());
    // The sectors are one arc of a track, so all but the last have their successor among them.
    std::size_t neighbours = 0;
    for (const SectorIndex index : sectors) {
      EXPECT_EQ(index / 10, *sectors.begin() / 10) << "seed " << seed;
      neighbours += sectors.count(index / 10 * 10 + (index + 1) % 10);
    }
    EXPECT_EQ(neighbours, sectors.size() - 1) << "seed " << seed;
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{2, 3, 4, 5})) << "2 .. scratch_sectors_max";
}

// The mean of n draws from [0, 1) is 1/2 within 5 / sqrt(12 n).
TEST(Draws, AreEven_AndStreamsDiffer) {
  constexpr int kDraws = 100'000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += to_unit(draw(1, Stream::kArm, i));
  EXPECT_NEAR(sum / kDraws, 0.5, 5 / std::sqrt(12.0 * kDraws));
  EXPECT_NE(draw(1, Stream::kArm, 1), draw(1, Stream::kIndex, 1));
  EXPECT_NE(draw(1, Stream::kArm, 1, 2), draw(1, Stream::kArm, 2, 1));
  EXPECT_FALSE(falls_below(0, 0));
  EXPECT_TRUE(falls_below(UINT64_MAX, 1));
  EXPECT_EQ(below(UINT64_MAX, 7), 6U);
}

}  // namespace
}  // namespace headstack::media
