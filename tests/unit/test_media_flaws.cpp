// SPDX-License-Identifier: Apache-2.0
// Flaws: how a seed becomes a list, and what each kind does to reads and writes. The definitions in
// sim/media/flaw_spec.hpp give the expected values, unless a comment says otherwise.

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <set>

#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

constexpr MediaGeometry kGeometry{1000, 512, 4};

FlawSpec counted_spec(std::uint64_t seed) {
  FlawSpec spec;
  spec.seed = seed;
  spec.unreadable_count = 20;
  spec.correctable_count = 30;
  spec.retries_min = 2;
  spec.retries_max = 5;
  spec.misplaced_write_count = 10;
  return spec;
}

FlawSpec listed_spec(std::vector<Flaw> flaws) {
  FlawSpec spec;
  spec.listed = std::move(flaws);
  return spec;
}

/// A store with a flaw. Sector 500, which has correct check bytes, and its neighbours are written.
MediaStore store_with(const Flaw& flaw) {
  MediaStore store(kGeometry);
  for (const SectorIndex i : {499, 500, 501}) {
    store.write_formatted(i, tagged_sector(kGeometry, i).data.data());
  }
  store.inject(listed_spec({flaw}));
  return store;
}

Sector good_sector(SectorIndex tag) {
  const Bytes data = tagged_sector(kGeometry, tag).data;
  return {data, crc_bytes(data)};
}

TEST(MediaFlawPlan, Generator_IsTheStandardsMt19937_64) {
  // [rand.predef]: the 10000th invocation of a default-constructed one gives 9981545732273789042.
  std::mt19937_64 generator;
  generator.discard(9999);
  EXPECT_EQ(generator(), 9981545732273789042ULL);
}

TEST(MediaFlawPlan, SameSeed_GivesTheSameList) {
  EXPECT_EQ(plan_flaws(counted_spec(1), 1000), plan_flaws(counted_spec(1), 1000));
}

TEST(MediaFlawPlan, OtherSeed_GivesAnotherList) {
  EXPECT_FALSE(plan_flaws(counted_spec(1), 1000) == plan_flaws(counted_spec(2), 1000));
}

TEST(MediaFlawPlan, FirstSector_IsTheRawGeneratorReduced) {
  // The first draws of seeds 1 to 1000, reduced by the documented rule. The incomplete last run
  // below 2^64 has 616 numbers (2^64 mod 1000). No first draw of these seeds lies in it.
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    FlawSpec spec;
    spec.seed = seed;
    spec.unreadable_count = 1;
    const std::uint64_t raw = std::mt19937_64(seed)();
    ASSERT_LT(raw, 0xFFFFFFFFFFFFFFFFULL - 616);
    EXPECT_EQ(plan_flaws(spec, 1000).front().index, raw % 1000) << "seed " << seed;
  }
}

TEST(MediaFlawPlan, List_IsSortedDistinctAndAsManyOfEachKindAsAsked) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::map<FlawKind, int> count;
    std::set<SectorIndex> seen;
    SectorIndex previous = 0;
    for (const Flaw& flaw : plan_flaws(counted_spec(seed), 1000)) {
      ++count[flaw.kind];
      EXPECT_TRUE(seen.insert(flaw.index).second) << "seed " << seed;
      EXPECT_LE(previous, flaw.index);
      EXPECT_LT(flaw.index, 1000U);
      EXPECT_EQ(find_flaw_error(flaw, 1000), "");
      previous = flaw.index;
    }
    EXPECT_EQ(count[FlawKind::kUnreadable], 20);
    EXPECT_EQ(count[FlawKind::kCorrectable], 30);
    EXPECT_EQ(count[FlawKind::kMisplacedWrite], 10);
  }
}

TEST(MediaFlawPlan, Retries_CoverTheWholeRangeAndNothingElse) {
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const Flaw& flaw : plan_flaws(counted_spec(seed), 1000)) {
      if (flaw.kind == FlawKind::kCorrectable) seen.insert(flaw.retries);
    }
  }
  EXPECT_EQ(seen, (std::set<std::uint32_t>{2, 3, 4, 5}));
}

TEST(MediaFlawPlan, EachCount_ChoosesItsKind_WithRetriesIfTheKindHasThem) {
  const struct {
    std::uint64_t FlawSpec::*count;
    FlawKind kind;
    std::uint32_t retries;
  } kKinds[] = {
      {&FlawSpec::unreadable_count, FlawKind::kUnreadable, 0},
      {&FlawSpec::correctable_count, FlawKind::kCorrectable, 4},
      {&FlawSpec::misplaced_write_count, FlawKind::kMisplacedWrite, 0},
      {&FlawSpec::intermittent_count, FlawKind::kIntermittent, 0},
      {&FlawSpec::decaying_count, FlawKind::kDecaying, 0},
      {&FlawSpec::write_fault_count, FlawKind::kWriteFault, 4},
      {&FlawSpec::weak_write_count, FlawKind::kWeakWrite, 4},
      {&FlawSpec::bad_header_count, FlawKind::kBadHeader, 0},
      {&FlawSpec::no_sync_count, FlawKind::kNoSync, 0},
  };
  static_assert(std::size(kKinds) == kFlawKindCount);
  for (const auto& k : kKinds) {
    FlawSpec spec;
    spec.retries_min = spec.retries_max = 4;
    spec.*k.count = 2;
    const std::vector<Flaw> flaws = plan_flaws(spec, 1000);
    ASSERT_EQ(flaws.size(), 2U);
    for (const Flaw& flaw : flaws) {
      EXPECT_EQ(flaw.kind, k.kind);
      EXPECT_EQ(flaw.retries, k.retries) << flaw_kind_name(k.kind);
    }
  }
}

TEST(MediaFlawPlan, FlawsAreEqual_WhenAllTheirPropertiesAre) {
  const Flaw flaw{5, FlawKind::kMisplacedWrite, 1, 7, 0.5, 9};
  EXPECT_EQ(flaw, (Flaw{5, FlawKind::kMisplacedWrite, 1, 7, 0.5, 9}));
  const Flaw others[] = {
      {6, FlawKind::kMisplacedWrite, 1, 7, 0.5, 9},  {5, FlawKind::kUnreadable, 1, 7, 0.5, 9},
      {5, FlawKind::kMisplacedWrite, 2, 7, 0.5, 9},  {5, FlawKind::kMisplacedWrite, 1, 8, 0.5, 9},
      {5, FlawKind::kMisplacedWrite, 1, 7, 0.25, 9}, {5, FlawKind::kMisplacedWrite, 1, 7, 0.5, 8},
  };
  for (const Flaw& other : others) EXPECT_FALSE(flaw == other);
}

TEST(MediaFlawPlan, EverySectorFlawed_IsPossibleAndOneMoreIsNot) {
  FlawSpec spec = listed_spec({{3, FlawKind::kUnreadable}});
  spec.unreadable_count = 99;
  EXPECT_EQ(plan_flaws(spec, 100).size(), 100U);
  spec.unreadable_count = 100;
  EXPECT_NE(find_flaw_spec_error(spec, 100).find("more flaws than sectors"), std::string::npos);
  spec.unreadable_count = 0xFFFFFFFFFFFFFFFFULL;
  spec.correctable_count = 2;  // a sum would wrap around to 1
  EXPECT_NE(find_flaw_spec_error(spec, 100).find("more flaws than sectors"), std::string::npos);
}

TEST(MediaFlawPlan, ListedFlaws_AreTakenAsGivenAndNeverChosenAgain) {
  FlawSpec spec = counted_spec(3);
  spec.listed = {{999, FlawKind::kMisplacedWrite},
                 {0, FlawKind::kMisplacedWrite},
                 {5, FlawKind::kMisplacedWrite, 0, 700},
                 {6, FlawKind::kCorrectable, 9}};
  std::map<SectorIndex, Flaw> by_index;
  for (const Flaw& flaw : plan_flaws(spec, 1000)) by_index.emplace(flaw.index, flaw);
  EXPECT_EQ(by_index.size(), 64U);
  EXPECT_EQ(by_index.at(999).lands_on, 998U);  // the last sector has no neighbour after it
  EXPECT_EQ(by_index.at(0).lands_on, 1U);
  EXPECT_EQ(by_index.at(5).lands_on, 700U);
  EXPECT_EQ(by_index.at(6).retries, 9U);
}

TEST(MediaFlawPlan, BadSpec_IsDescribed) {
  FlawSpec no_retries = counted_spec(0);
  no_retries.retries_min = 0;
  FlawSpec crossed = counted_spec(0);
  crossed.retries_min = 6;
  FlawSpec no_half_reads;
  no_half_reads.decaying_count = 1;
  no_half_reads.decaying_half_reads = 0;
  const struct {
    FlawSpec spec;
    const char* part;
  } cases[] = {
      {listed_spec({{1000, FlawKind::kUnreadable}}), "past the last sector, 999"},
      {listed_spec({{7, FlawKind::kUnreadable}, {7, FlawKind::kUnreadable}}), "7 is listed twice"},
      {listed_spec({{7, FlawKind::kCorrectable, 0}}), "retries of 1 or more"},
      {listed_spec({{7, FlawKind::kUnreadable, 1}}), "retries, not unreadable"},
      {listed_spec({{7, FlawKind::kBadHeader, 1}}), "retries, not bad_header"},
      {listed_spec({{7, FlawKind::kIntermittent}}), "needs a probability"},
      {listed_spec({{7, FlawKind::kIntermittent, 0, {}, 0.0}}), "above 0, and is 1 at most"},
      {listed_spec({{7, FlawKind::kBadHeader, 0, {}, 1.5}}), "above 0, and is 1 at most"},
      {listed_spec({{7, FlawKind::kWriteFault, 1, {}, 0.5}}), "probability, not write_fault"},
      {listed_spec({{7, FlawKind::kDecaying}}), "half_reads of 1 or more"},
      {listed_spec({{7, FlawKind::kUnreadable, 0, {}, {}, 4}}), "only a decaying flaw"},
      {listed_spec({{7, FlawKind::kUnreadable, 0, 8}}), "only a misplaced_write has a lands_on"},
      {listed_spec({{7, FlawKind::kMisplacedWrite, 0, 7}}), "its own sector"},
      {listed_spec({{7, FlawKind::kMisplacedWrite, 0, 1000}}), "past the last sector"},
      {no_retries, "retries_min is 0"},
      {crossed, "retries_min is 6, above retries_max, 5"},
      {no_half_reads, "decaying_half_reads is 0"},
  };
  for (const auto& a_case : cases) {
    const std::string error = find_flaw_spec_error(a_case.spec, 1000);
    EXPECT_NE(error.find(a_case.part), std::string::npos) << a_case.part << " / " << error;
  }
  EXPECT_EQ(find_flaw_spec_error(counted_spec(0), 1000), "");
  FlawSpec lone;
  lone.misplaced_write_count = 1;
  EXPECT_NE(find_flaw_spec_error(lone, 1).find("2 sectors or more"), std::string::npos);
  EXPECT_EQ(find_flaw_spec_error(lone, 2), "");
  const Flaw listed{0, FlawKind::kMisplacedWrite};
  EXPECT_NE(find_flaw_error(listed, 1).find("2 sectors or more"), std::string::npos);
  EXPECT_EQ(find_flaw_error(listed, 2), "");
}

TEST(MediaFlawPlan, NumbersOfKindsThatAreNotChosen_DoNotMatter) {
  FlawSpec spec;
  spec.unreadable_count = 1;
  spec.retries_min = 0;
  spec.intermittent_probability = 0;
  spec.decaying_half_reads = 0;
  EXPECT_EQ(find_flaw_spec_error(spec, 1000), "");
}

TEST(MediaFlawUnreadable, EveryRead_GivesTheSameBytesThatMismatchTheirCrc) {
  MediaStore store = store_with({500, FlawKind::kUnreadable});
  const Sector first = read_sector(store, 500, ReadStatus::kDamaged);
  EXPECT_NE(first.check, crc_bytes(first.data));
  EXPECT_FALSE(first.data == good_sector(500).data);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(read_sector(store, 500, ReadStatus::kDamaged), first);
}

TEST(MediaFlawUnreadable, Writing_DoesNotCureItAndNeighboursAreFine) {
  MediaStore store = store_with({500, FlawKind::kUnreadable});
  write_sector(store, 500, good_sector(9));
  const Sector got = read_sector(store, 500, ReadStatus::kDamaged);
  EXPECT_NE(got.check, crc_bytes(got.data));
  EXPECT_EQ(peek_sector(store, 500), good_sector(9));
  EXPECT_EQ(read_sector(store, 499, ReadStatus::kOk), good_sector(499));
  EXPECT_EQ(read_sector(store, 501, ReadStatus::kOk), good_sector(501));
}

TEST(MediaFlawUnreadable, Damage_MismatchesWhateverIsStored) {
  // Every sector of the drive, with good, random and never-written content. One code is so weak (a
  // constant) that it misses the damage. Some sectors are shorter than the burst.
  const CheckCode constant = [](const std::uint8_t*, std::size_t, std::uint8_t* check) {
    *check = 0x5A;
  };
  const struct {
    CheckCode code;
    std::uint32_t check_bytes;
  } codes[] = {{default_check_code(4), 4}, {constant, 1}};
  for (const std::uint32_t sector_bytes : {1U, 2U, 3U, 4U, 512U}) {
    for (const auto& code : codes) {
      const MediaGeometry geometry{200, sector_bytes, code.check_bytes};
      MediaStore store(geometry, code.code);
      FlawSpec spec;
      spec.unreadable_count = 200;
      store.inject(spec);
      for (SectorIndex i = 0; i < 200; ++i) {
        if (i % 3 == 0) write_sector(store, i, tagged_sector(geometry, i));
        if (i % 3 == 1) store.write_formatted(i, tagged_sector(geometry, i).data.data());
        const Sector got = read_sector(store, i, ReadStatus::kDamaged);
        Bytes expected(code.check_bytes);
        code.code(got.data.data(), sector_bytes, expected.data());
        EXPECT_NE(got.check, expected) << sector_bytes << " bytes, sector " << i;
        EXPECT_FALSE(got.data == peek_sector(store, i).data);
      }
    }
  }
}

TEST(MediaFlawUnreadable, Read_WithoutACheckBufferIsDamagedAlike) {
  MediaStore store = store_with({500, FlawKind::kUnreadable});
  Bytes data(512);
  EXPECT_EQ(store.read(500, data.data(), nullptr), ReadStatus::kDamaged);
  EXPECT_EQ(data, read_sector(store, 500, ReadStatus::kDamaged).data);
}

TEST(MediaFlawCorrectable, GoodData_ComesAfterExactlyNFailingAttemptsAgainAndAgain) {
  for (const std::uint32_t retries : {1U, 2U, 7U}) {
    MediaStore store = store_with({500, FlawKind::kCorrectable, retries});
    for (int round = 0; round < 3; ++round) {
      for (std::uint32_t attempt = 0; attempt < retries; ++attempt) {
        const Sector got = read_sector(store, 500, ReadStatus::kDamaged);
        EXPECT_NE(got.check, crc_bytes(got.data));
      }
      EXPECT_EQ(read_sector(store, 500, ReadStatus::kOk), good_sector(500));
    }
  }
}

TEST(MediaFlawCorrectable, ReadsOfOtherSectors_DoNotDisturbTheCount) {
  MediaStore store = store_with({500, FlawKind::kCorrectable, 2});
  store.inject(listed_spec({{501, FlawKind::kCorrectable, 1}}));
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  (void)read_sector(store, 501, ReadStatus::kDamaged);
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  (void)read_sector(store, 501, ReadStatus::kOk);
  (void)read_sector(store, 500, ReadStatus::kOk);
}

TEST(MediaFlawCorrectable, Write_StartsTheCountOver) {
  MediaStore store = store_with({500, FlawKind::kCorrectable, 2});
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  write_sector(store, 500, good_sector(8));
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  EXPECT_EQ(read_sector(store, 500, ReadStatus::kOk), good_sector(8));
}

TEST(MediaFlawCorrectable, Peeking_IsNoAttempt) {
  MediaStore store = store_with({500, FlawKind::kCorrectable, 1});
  EXPECT_EQ(peek_sector(store, 500), good_sector(500));
  EXPECT_EQ(peek_sector(store, 500), good_sector(500));
  (void)read_sector(store, 500, ReadStatus::kDamaged);
}

TEST(MediaFlawCorrectable, Snapshot_CarriesTheCount) {
  MediaStore store = store_with({500, FlawKind::kCorrectable, 2});
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  const MediaSnapshot snapshot = store.snapshot();
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  (void)read_sector(store, 500, ReadStatus::kOk);
  MediaStore branch(snapshot);
  store.restore(snapshot);
  for (MediaStore* either : {&store, &branch}) {
    (void)read_sector(*either, 500, ReadStatus::kDamaged);
    (void)read_sector(*either, 500, ReadStatus::kOk);
  }
}

TEST(MediaFlawMisplacedWrite, NextWrite_LandsOnTheNeighbourOnce) {
  MediaStore store = store_with({500, FlawKind::kMisplacedWrite});
  write_sector(store, 500, good_sector(1));
  EXPECT_EQ(read_sector(store, 500, ReadStatus::kOk), good_sector(500));
  EXPECT_EQ(read_sector(store, 501, ReadStatus::kOk), good_sector(1));
  EXPECT_EQ(read_sector(store, 499, ReadStatus::kOk), good_sector(499));
  EXPECT_TRUE(store.flaws().empty());
  write_sector(store, 500, good_sector(2));
  EXPECT_EQ(read_sector(store, 500, ReadStatus::kOk), good_sector(2));
  EXPECT_EQ(read_sector(store, 501, ReadStatus::kOk), good_sector(1));
}

TEST(MediaFlawMisplacedWrite, LastSectors_LandsOnTheOneBefore) {
  MediaStore store(kGeometry);
  store.inject(listed_spec({{999, FlawKind::kMisplacedWrite}}));
  write_sector(store, 999, good_sector(1));
  EXPECT_FALSE(store.is_written(999));
  EXPECT_EQ(peek_sector(store, 998), good_sector(1));
}

TEST(MediaFlawMisplacedWrite, LandingOnAnotherArmedSector_DoesNotTravelOn) {
  MediaStore store(kGeometry);
  store.inject(listed_spec({{10, FlawKind::kMisplacedWrite}, {11, FlawKind::kMisplacedWrite}}));
  write_sector(store, 10, good_sector(1));
  EXPECT_EQ(peek_sector(store, 11), good_sector(1));
  EXPECT_FALSE(store.is_written(12));
  ASSERT_EQ(store.flaws().size(), 1U);  // sector 11 is still armed
  EXPECT_EQ(store.flaws().front().index, 11U);
}

TEST(MediaFlawMisplacedWrite, Snapshot_CarriesTheArmedWrite) {
  MediaStore store = store_with({500, FlawKind::kMisplacedWrite});
  const MediaSnapshot snapshot = store.snapshot();
  write_sector(store, 500, good_sector(1));
  store.restore(snapshot);
  EXPECT_EQ(store.flaws().size(), 1U);
  EXPECT_EQ(peek_sector(store, 501), good_sector(501));
  write_sector(store, 500, good_sector(2));
  EXPECT_EQ(peek_sector(store, 501), good_sector(2));
}

TEST(MediaFlawTable, Flaws_ListsActiveOnesInIndexOrderAndClearRemovesThem) {
  MediaStore store(kGeometry);
  store.inject(listed_spec({{9, FlawKind::kUnreadable}, {2, FlawKind::kCorrectable, 4}}));
  const std::vector<Flaw> expected = {{2, FlawKind::kCorrectable, 4}, {9, FlawKind::kUnreadable}};
  EXPECT_EQ(store.flaws(), expected);
  store.clear_flaws();
  EXPECT_TRUE(store.flaws().empty());
  (void)read_sector(store, 9, ReadStatus::kOk);
}

TEST(MediaFlawTable, SecondInjection_AddsAndReplacesOnTheSameSector) {
  MediaStore store(kGeometry);
  store.inject(listed_spec({{2, FlawKind::kUnreadable}, {3, FlawKind::kUnreadable}}));
  store.inject(listed_spec({{2, FlawKind::kCorrectable, 1}, {4, FlawKind::kUnreadable}}));
  const std::vector<Flaw> expected = {
      {2, FlawKind::kCorrectable, 1}, {3, FlawKind::kUnreadable}, {4, FlawKind::kUnreadable}};
  EXPECT_EQ(store.flaws(), expected);
}

TEST(MediaFlawTable, Flaws_DoNotChangeTheContentHash) {
  MediaStore store = store_with({500, FlawKind::kCorrectable, 2});
  const std::uint64_t hash = store.content_hash();
  (void)read_sector(store, 500, ReadStatus::kDamaged);
  store.clear_flaws();
  EXPECT_EQ(store.content_hash(), hash);
}

}  // namespace
}  // namespace headstack::media
