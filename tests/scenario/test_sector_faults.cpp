// SPDX-License-Identifier: Apache-2.0
// Headers that are damaged alone, and defects over several sectors. Also writes that fail or cannot
// be read, and intermittent errors (SPC-2 annex C; SBC-2 6.3.4).
#include "tests/scenario/fault_bench.hpp"

namespace headstack::scenario {
namespace {

using media::FlawKind;

constexpr std::uint32_t kLba = 1005;

class SectorFaults : public FaultBench {
 protected:
  void power_on_with_flaw(const drive::Flaw& flaw, std::uint64_t seed = 0) {
    drive::Specimen specimen;
    specimen.flaw_seed = seed;
    specimen.flaws = {flaw};
    power_on_with(specimen);
  }
  void set_write_cache() {
    CachePage page;
    page.flags = kWriteCache;
    ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
  }
};

drive::Flaw flaw(FlawKind kind, std::uint32_t retries = 0) { return {kind, kLba, retries}; }

struct HeaderCase {
  const char* what;
  FlawKind kind;
  const char* sense;  // 10h/00h ID CRC error; 12h/00h address mark not found for ID field
};
const HeaderCase kHeaders[] = {{"BadHeader", FlawKind::kBadHeader, "3/10/00"},
                               {"NoSync", FlawKind::kNoSync, "3/12/00"}};
class Headers : public SectorFaults, public testing::WithParamInterface<HeaderCase> {};

TEST_P(Headers, DamagedAlone_HidesItsBlock_FromReadsAndWrites) {
  power_on_with_flaw(flaw(GetParam().kind));
  prepare(kLba - 5, 5);
  prepare(kLba + 1, 5);
  set_retries(1, 1);
  for (const bool writes : {false, true}) {
    const Completion done = execute(writes ? write_10(kLba - 2, blocks().version(kLba - 2, 4, 9))
                                           : read_10(kLba - 2, 4));
    EXPECT_EQ(outcome(done), GetParam().sense);
    EXPECT_EQ(information(done.sense), kLba);
    // Two attempts of two revolutions each.
    EXPECT_GE(service_time(done), 2 * kRevolution);
    if (!writes) expect_reads_back(kLba - 5, 5);
    expect_reads_back(kLba + 1, 5);
  }
  EXPECT_EQ(run(verify_10(kLba, 1)), GetParam().sense);
}

TEST_P(Headers, ThatComesAndGoes_IsFoundByARetry) {
  drive::Flaw sometimes = flaw(GetParam().kind);
  sometimes.probability = 0.5;
  power_on_with_flaw(sometimes, 3);
  prepare(kLba - 5, 10);
  for (int i = 0; i < 6; ++i) expect_reads_back(kLba - 2, 4);
}
INSTANTIATE_TEST_SUITE_P(Faults, Headers, testing::ValuesIn(kHeaders),
                         [](const auto& test) { return std::string(test.param.what); });

// A defect of blocks 1005 .. 1007 of one track, and of the sectors below them on the next cylinder.
TEST_F(SectorFaults, Scratch_IsReadAroundButNotOver) {
  drive::Flaw scratch = flaw(FlawKind::kUnreadable);
  scratch.sectors = 3;
  scratch.cylinders = 2;
  power_on_with_flaw(scratch);
  prepare(kLba - 5, 60);
  set_retries(1, 1);
  for (std::uint32_t lba = kLba; lba < kLba + 3; ++lba) {
    const Completion done = execute(read_10(lba, 4));
    EXPECT_EQ(outcome(done), "3/11/00");
    EXPECT_EQ(information(done.sense), lba);
  }
  expect_reads_back(kLba - 5, 5);
  expect_reads_back(kLba + 3, 10);
  // Skew 5 from cylinder to cylinder, and 2 from track to track: the same angle there is the sector
  // 5 + 2 marks before. 1005 is cylinder 25, head 0, sector 5: of cylinder 26, sectors 18, 19, 0.
  std::uint32_t bad = 0;
  for (std::uint32_t sector = 0; sector < 20; ++sector) {
    bad += run(read_10(block_of(26) + sector, 1)) == "GOOD" ? 0U : 1U;
  }
  EXPECT_EQ(bad, 3U);
}

// 03h/00h peripheral device write fault. Two retries: a third failing write is one too many.
TEST_F(SectorFaults, WriteFault_IsRetried_AsOftenAsPage01hAllows) {
  power_on_with_flaw(flaw(FlawKind::kWriteFault, 2));
  const Bytes before = prepare(kLba - 2, 5);
  set_retries(8, 1);
  const Bytes lost = blocks().version(kLba - 2, 5, 70);
  const Completion failed = execute(write_10(kLba - 2, lost));
  EXPECT_EQ(outcome(failed), "4/03/00");
  EXPECT_EQ(information(failed.sense), kLba);
  EXPECT_EQ(peek(kLba, 3), Bytes(before.begin() + 2 * kBlockBytes, before.end()))
      << "what was there stays, there and after it";
  EXPECT_EQ(peek(kLba - 2, 2), Bytes(lost.begin(), lost.begin() + 2 * kBlockBytes));
  // The specimen continues its count: the third write of this sector succeeds.
  EXPECT_EQ(run(write_10(kLba - 2, blocks().write(kLba - 2, 5))), "GOOD");
  expect_reads_back(kLba - 2, 5);
  // And with two retries, every time.
  set_retries(8, 2);
  EXPECT_EQ(run(write_10(kLba - 2, blocks().write(kLba - 2, 5))), "GOOD");
  expect_reads_back(kLba - 2, 5);
}

TEST_F(SectorFaults, WriteFault_OfAnAcknowledgedWrite_IsADeferredError) {
  power_on_with_flaw(flaw(FlawKind::kWriteFault));
  const Bytes before = prepare(kLba - 2, 5);
  set_write_cache();
  EXPECT_EQ(run(write_10(kLba - 2, blocks().version(kLba - 2, 5, 70))), "GOOD");
  run_for(500 * kMillisecond);
  const Completion told = execute(read_10(0, 1));
  EXPECT_TRUE(is_deferred(told));
  EXPECT_EQ(outcome(told), "4/03/00");
  EXPECT_EQ(information(told.sense), kLba);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(peek(kLba, 1),
            Bytes(before.begin() + 2 * kBlockBytes, before.begin() + 3 * kBlockBytes));
}

TEST_F(SectorFaults, WriteFault_AmongQueuedWrites_FailsOnlyItsOwn) {
  power_on_with_flaw(flaw(FlawKind::kWriteFault));
  std::vector<Ticket> writes;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t lba = kLba - 16 + 4 * i;
    writes.push_back(
        submit(tagged(write_10(lba, blocks().write(lba, 4)), static_cast<std::uint16_t>(i + 1))));
  }
  await_all(20 * kPicosecondsPerSecond);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(outcome(result(writes[i])), i == 4 ? "4/03/00" : "GOOD") << i;
    if (i != 4) expect_reads_back(kLba - 16 + 4 * i, 4);
  }
}

// The preamplifier does not detect it. A read does, and never returns wrong data.
TEST_F(SectorFaults, WeakWrite_IsDetectedByReading_AndRepairedByWriting) {
  power_on_with_flaw(flaw(FlawKind::kWeakWrite, 1));
  EXPECT_EQ(run(write_10(kLba - 2, blocks().write(kLba - 2, 5))), "GOOD");
  const Completion done = execute(read_10(kLba - 2, 5));
  EXPECT_EQ(outcome(done), "3/11/00");
  EXPECT_EQ(information(done.sense), kLba);
  EXPECT_EQ(run(write_10(kLba - 2, blocks().write(kLba - 2, 5))), "GOOD");
  expect_reads_back(kLba - 2, 5);
}

TEST_F(SectorFaults, ErrorsThatComeAndGo_AreReadWithinTheRetries) {
  drive::Flaw sometimes = flaw(FlawKind::kIntermittent);
  sometimes.probability = 0.6;
  sometimes.sectors = 4;
  power_on_with_flaw(sometimes, 2);
  prepare(kLba - 2, 8);
  int failed = 0;
  for (int i = 0; i < 20; ++i) {
    const Completion done = execute(read_10(kLba - 2, 8));
    if (outcome(done) == "GOOD") {
      expect_data(done, kLba - 2, 8);
    } else {
      EXPECT_EQ(outcome(done), "3/11/00");
      ++failed;
    }
  }
  // Nine attempts fail with 0.6^9 = 1 %, of four sectors.
  EXPECT_LE(failed, 5);
  set_retries(0, 0);
  failed = 0;
  for (int i = 0; i < 20; ++i) failed += run(read_10(kLba - 2, 8)) == "GOOD" ? 0 : 1;
  EXPECT_GE(failed, 15) << "without retries one of four fails with 97 %";
}

TEST_F(SectorFaults, WeakSector_Decays_AndIsRefreshedByAWrite) {
  drive::Flaw weak = flaw(FlawKind::kDecaying);
  weak.half_reads = 4;
  power_on_with_flaw(weak, 5);
  prepare(kLba, 1);
  set_retries(0, 0);
  const auto failed_of = [this](int reads) {
    int failed = 0;
    for (int i = 0; i < reads; ++i) {
      const Completion done = execute(read_10(kLba, 1));
      if (outcome(done) == "GOOD") {
        expect_data(done, kLba, 1);
      } else {
        ++failed;
      }
    }
    return failed;
  };
  static_cast<void>(failed_of(30));
  // From the 31st to the 60th: 30 / 34 to 60 / 64 of them.
  EXPECT_GE(failed_of(30), 22);
  EXPECT_EQ(run(write_10(kLba, blocks().write(kLba, 1))), "GOOD");
  EXPECT_LE(failed_of(4), 3) << "1/5, 2/6, 3/7, 4/8";
}

}  // namespace
}  // namespace headstack::scenario
