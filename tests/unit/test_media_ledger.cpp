// SPDX-License-Identifier: Apache-2.0
// What media must hold after a power loss (host/replay/media_ledger.hpp). The test plays the drive.
#include <gtest/gtest.h>

#include "host/replay/media_ledger.hpp"

namespace headstack::replay {
namespace {

using Fate = BlockHistory::Fate;
using Versions = std::vector<MediaLedger::Version>;
using traces::Tagging;

constexpr std::uint64_t kLba = 40;

class Ledger : public testing::Test {
 protected:
  void write(MediaLedger::Version version, std::uint64_t lba = kLba, std::uint32_t blocks = 1) {
    ledger_.write_arrived(version, lba, blocks, Tagging::kSimple);
  }
  void good(MediaLedger::Version version) { ledger_.write_ended(version, Fate::kDone, false); }
  void reported(MediaLedger::Version version) { ledger_.write_ended(version, Fate::kDone, true); }
  /// The versions, from 0 to 5, that a block may hold.
  Versions may_hold(std::uint64_t lba = kLba) {
    ledger_.power_lost();
    return ledger_.allowed(lba);
  }
  bool holds(MediaLedger::Version version) {
    ledger_.power_lost();
    return ledger_.may_hold(kLba, version);
  }

  MediaLedger ledger_{true};
};

TEST_F(Ledger, GoodWithoutCache_IsThere_AndNothingElse) {
  write(1);
  good(1);
  EXPECT_FALSE(holds(0));
}

TEST_F(Ledger, GoodWithoutCache_TheLastIsThere) {
  for (const MediaLedger::Version version : {1U, 2U, 3U}) {
    write(version);
    good(version);
  }
  EXPECT_EQ(may_hold(), Versions{3});
}

TEST_F(Ledger, UnderWay_MayBeThereOrNot) {
  write(1);
  good(1);
  write(2);
  EXPECT_EQ(may_hold(), (Versions{1, 2}));
  EXPECT_TRUE(ledger_.is_uncertain(kLba));
  EXPECT_FALSE(ledger_.is_uncertain(kLba + 1));
}

TEST_F(Ledger, Refused_IsNotThere) {
  write(1);
  good(1);
  write(2);
  ledger_.write_ended(2, Fate::kNoEffect, false);
  EXPECT_EQ(may_hold(), Versions{1});
}

TEST_F(Ledger, ReportedFromTheCache_MayBeThereOrNot) {
  write(1);
  good(1);
  write(2);
  reported(2);
  write(3);
  reported(3);
  EXPECT_EQ(may_hold(), (Versions{1, 2, 3}));
}

TEST_F(Ledger, Flushed_IsThere_WhatCameBehindTheFlushIsNotSure) {
  write(1);
  reported(1);
  write(2);
  reported(2);
  const std::uint64_t flush = ledger_.flush_sent();
  write(3);
  reported(3);
  ledger_.flush_done(flush);
  EXPECT_EQ(may_hold(), (Versions{2, 3}));
}

// A flush does not cover a write that was reported after the flush was sent.
TEST_F(Ledger, FlushSentBeforeTheReport_PromisesNothing) {
  write(1);
  const std::uint64_t flush = ledger_.flush_sent();
  reported(1);
  ledger_.flush_done(flush);
  EXPECT_EQ(may_hold(), (Versions{0, 1}));
}

TEST_F(Ledger, BehindADeferredError_NothingReportedIsCountedOn) {
  write(1);
  reported(1);
  ledger_.deferred_error();
  ledger_.flush_done(ledger_.flush_sent());
  EXPECT_EQ(may_hold(), (Versions{0, 1}));
}

// A write counts for each of its blocks separately.
TEST_F(Ledger, AWriteUnderWay_BlockByBlock) {
  write(1, kLba, 2);
  good(1);
  write(2, kLba, 2);
  ledger_.power_lost();
  EXPECT_TRUE(ledger_.may_hold(kLba, 2));
  EXPECT_TRUE(ledger_.may_hold(kLba + 1, 1));
}

TEST_F(Ledger, Ranges_AreJoined_AndInOrder) {
  ledger_.touched(20, 4);
  ledger_.touched(0, 2);
  ledger_.touched(24, 1);  // adjoins
  ledger_.touched(1, 3);   // overlaps
  ledger_.touched(22, 1);  // lies within
  ledger_.touched(30, 0);  // no block
  std::vector<std::uint64_t> ends;
  for (const MediaLedger::Range& range : ledger_.ranges()) {
    ends.insert(ends.end(), {range.lba, range.end});
  }
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{0, 4, 20, 25}));
}

}  // namespace
}  // namespace headstack::replay
