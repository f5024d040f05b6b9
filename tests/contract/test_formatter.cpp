// SPDX-License-Identifier: Apache-2.0
// The formatter, with the buffer manager behind it, Verilated and as models: the promises of
// hdl/regs/formatter.rdl, and the same answers in every cycle.
#include <gtest/gtest.h>

#include <set>

#include "tests/contract/formatter_scene.hpp"

namespace headstack::contract {
namespace {

using Intr = fmt_regs::IntrState;
using Error = fmt_regs::Error;
using Op = fmt_regs::Op;

template <class Path>
class FormatterContract : public testing::Test {};
using Paths = testing::Types<DiskPathRtl, DiskPathTlm>;
TYPED_TEST_SUITE(FormatterContract, Paths, PathName);

TYPED_TEST(FormatterContract, WhatIsWritten_IsReadBack) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  const Bytes data = random_bytes(1, 8 * 128);
  scene.connect(false);
  scene.host_write(data);
  EXPECT_EQ(scene.level(), 8U);
  EXPECT_EQ(scene.run(Op::kWrite, 47, 3), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.run(Op::kWrite, 0, 5), Intr::kDoneMask | Intr::kSectorMask) << "the next track's";
  EXPECT_EQ(scene.level(), 0U);
  scene.disconnect();
  scene.connect(true);
  EXPECT_EQ(scene.run(Op::kRead, 47, 3), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.run(Op::kRead, 0, 5), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.level(), 8U);
  EXPECT_EQ(scene.host_read(8), data);
  EXPECT_EQ(scene.level(), 0U);
}

// "A good header was seen": STATUS.sector follows the track, PROGRESS the run.
TYPED_TEST(FormatterContract, ReadWithoutRoom_IsAnOverrunAtThatSector) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 3);
  scene.connect(true);
  EXPECT_EQ(scene.run(Op::kRead, 10, 6), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.done(), 3U);
  EXPECT_EQ(scene.formatter(Error::kOffset), 13U << 16 | Error::kOverrunMask);
  EXPECT_EQ(scene.level(), 3U);
}

TYPED_TEST(FormatterContract, WriteWithoutData_IsAnUnderrun) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 3);
  scene.connect(false);
  scene.host_write(random_bytes(2, 128));
  EXPECT_EQ(scene.run(Op::kWrite, 10, 2), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.formatter(Error::kOffset), 11U << 16 | Error::kUnderrunMask);
}

// "Index pulses without a sector found before not_found; 0 counts as 1."
TYPED_TEST(FormatterContract, AbsentSector_IsNotFoundAfterTheLimit) {
  for (const std::uint32_t limit : {0U, 1U, 3U}) {
    Scene<TypeParam> scene(formatter_drive(50, 128), 3);
    scene.formatter(fmt_regs::Limit::kOffset, limit);
    EXPECT_EQ(scene.run(Op::kVerify, 50, 1), Intr::kErrorMask);
    EXPECT_EQ(scene.formatter(Error::kOffset), 50U << 16 | Error::kNotFoundMask);
    EXPECT_EQ(scene.formatter(fmt_regs::Progress::kOffset) >> 16, std::max(limit, 1U));
  }
}

// "A mark up to 4 bytes late is still found": two bytes before are needed, and one passes unread.
TYPED_TEST(FormatterContract, PreambleTooShort_FindsNoSyncMark) {
  const auto description = formatter_drive(50, 128);
  const std::uint32_t preamble = description.design.format.preamble_bytes;
  for (const bool found : {true, false}) {
    Scene<TypeParam> scene(description, 3);
    scene.formatter(fmt_regs::Format::kOffset, 128 << 16 | (preamble - (found ? 5 : 6)));
    const std::uint32_t events = scene.run(Op::kVerify, 3, 1);
    EXPECT_EQ(events, found ? Intr::kDoneMask | Intr::kSectorMask : Intr::kErrorMask);
    const std::uint32_t error = Error::kNotFoundMask | Error::kHeaderMask | Error::kNoSyncMask;
    EXPECT_EQ(scene.error(), found ? 0 : error);
  }
}

TYPED_TEST(FormatterContract, UnreadableSector_IsACheckError_AndGivesNoCredit) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 3);
  media::FlawSpec flaws;
  flaws.listed.push_back({scene.disk.track().first_index + 4, media::FlawKind::kUnreadable});
  scene.disk.media().inject(flaws);
  scene.connect(true);
  EXPECT_EQ(scene.run(Op::kRead, 3, 3), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.formatter(Error::kOffset), 4U << 16 | Error::kCheckMask);
  EXPECT_EQ(scene.level(), 1U);
}

TYPED_TEST(FormatterContract, Abort_EndsWithDone_AlsoWhereNothingWasBusy) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 3);
  scene.command(Op::kAbort);
  EXPECT_EQ(scene.finish(), Intr::kDoneMask);
  scene.start(Op::kVerify, 3, 40);
  scene.step(500);
  EXPECT_TRUE(scene.busy());
  scene.command(Op::kAbort);
  EXPECT_FALSE(scene.busy()) << "at once";
  EXPECT_EQ(scene.finish() & ~Intr::kSectorMask, Intr::kDoneMask);
}

TYPED_TEST(FormatterContract, LostTrack_Stops) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 3);
  scene.start(Op::kVerify, 3, 40);
  scene.step(500);
  scene.lose_track();
  scene.step(3);
  EXPECT_FALSE(scene.busy());
  EXPECT_EQ(scene.error(), Error::kOffTrackMask);
  EXPECT_EQ(scene.run(Op::kVerify, 3, 1) & Intr::kErrorMask, Intr::kErrorMask) << "off it";
}

// "The operation under way goes on with NEXT_TRACK and NEXT_START": over the end of the track, in
// the same revolution. The next head's sector 0 comes three sectors behind (the skew), and PROGRESS
// counts on; so does the ring.
TYPED_TEST(FormatterContract, Chain_GoesOnOnTheNextTrack_InTheSameRevolution) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  const Bytes data = random_bytes(3, 7 * 128);
  for (const bool to_host : {false, true}) {
    scene.follows = {0, 1, true};
    scene.start(Op::kVerify, 0, 1);
    scene.chain(0, 0, 1);
    EXPECT_EQ(scene.finish(), Intr::kDoneMask | Intr::kSectorMask | Intr::kChainedMask);
    scene.follows = {1, 900, true};  // of some 800 clocks for each sector
    scene.connect(to_host);
    scene.formatter(fmt_regs::Track::kOffset, kCylinder);
    if (!to_host) scene.host_write(data);
    scene.start(to_host ? Op::kRead : Op::kWrite, 46, 4);
    scene.chain(1, 0, 3);
    while (scene.done() < 4) scene.step(20);
    const std::uint64_t end = scene.cycle();
    EXPECT_EQ(scene.finish(), Intr::kDoneMask | Intr::kSectorMask | Intr::kChainedMask);
    EXPECT_LT(scene.cycle() - end, 8U * 800) << "a skew of 3, 3 sectors, and how often it looks";
    EXPECT_EQ(scene.formatter(fmt_regs::Progress::kOffset) & 0xFF00FFFFU, 1U << 24 | 7);
    EXPECT_EQ(scene.level(), to_host ? 7U : 0U);
    if (to_host) {
      EXPECT_EQ(scene.host_read(7), data);
    }
    scene.disconnect();
    scene.reset_ring();
    scene.formatter(fmt_regs::Track::kOffset, 1U << 24 | kCylinder);
  }
}

// "A write counts those that pass while the heads are ready to write". After the seek the heads
// need some more time, in which the sector of the next track may pass, or the index, or both.
// Within a turn from then on it is written, wherever the first run ends.
TYPED_TEST(FormatterContract, ChainedWrite_WhoseHeadsSettle_HasAWholeTurnForItsSector) {
  constexpr std::uint32_t kSectorClocks = kTurnClocks / 50;
  std::set<std::uint32_t> pulses;
  for (std::uint32_t sector = 0; sector < 50; sector += 2) {
    Scene<TypeParam> scene(formatter_drive(50, 128), 8);
    scene.formatter(fmt_regs::Limit::kOffset, 2);
    scene.connect(false);
    scene.host_write(random_bytes(5, 3 * 128));
    scene.follows = {0, 20, true, 12 * kSectorClocks};
    scene.start(Op::kWrite, sector, 1);
    scene.chain(0, 2, 2);
    while (scene.done() == 0) scene.step(20);
    const std::uint64_t end = scene.cycle();
    EXPECT_EQ(scene.finish(), Intr::kDoneMask | Intr::kSectorMask | Intr::kChainedMask) << sector;
    EXPECT_EQ(scene.error(), 0U) << sector;
    EXPECT_EQ(scene.done(), 3U);
    EXPECT_LT(scene.cycle() - end, kTurnClocks + 15 * kSectorClocks) << sector;
    pulses.insert(scene.formatter(fmt_regs::Progress::kOffset) >> 16 & 0xFF);
  }
  EXPECT_EQ(pulses.count(2) + pulses.count(3), 1U) << "one of them had two pulses before it";
}

// A slipped sector lies in between: no movement, and the ring goes on.
TYPED_TEST(FormatterContract, Chain_OnTheSameTrack_PassesASectorBy) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  scene.follows.arrives = false;  // no request is made
  scene.connect(true);
  scene.start(Op::kRead, 3, 2);
  scene.chain(kHead, 6, 2);
  EXPECT_EQ(scene.finish(), Intr::kDoneMask | Intr::kSectorMask | Intr::kChainedMask);
  EXPECT_EQ(scene.done(), 4U);
  EXPECT_EQ(scene.level(), 4U);
}

// ... if this comes before. Ignored where nothing is busy": the named run is for one operation.
TYPED_TEST(FormatterContract, Chain_WhereNothingIsBusy_IsIgnored) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  scene.chain(kHead, 6, 2);
  EXPECT_EQ(scene.run(Op::kVerify, 3, 1), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.done(), 1U);
  scene.start(Op::kVerify, 3, 1);
  scene.chain(kHead, 6, 0);
  EXPECT_EQ(scene.finish(), Intr::kDoneMask | Intr::kSectorMask) << "a count of 0 is no run";
}

// "Or the movement to the next run's track came to nothing": the sectors before are done.
TYPED_TEST(FormatterContract, Chain_WhoseSeekFails_IsOffTrack_AtTheNextRunsSector) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  scene.follows = {0, 700, false};
  scene.start(Op::kVerify, 48, 2);
  scene.chain(0, 5, 3);
  EXPECT_EQ(scene.finish(), Intr::kErrorMask | Intr::kSectorMask | Intr::kChainedMask);
  EXPECT_EQ(scene.formatter(Error::kOffset), 5U << 16 | Error::kOffTrackMask);
  EXPECT_EQ(scene.done(), 2U);
}

// An abort while the heads move ends at once.
TYPED_TEST(FormatterContract, Chain_AbortedWhileTheHeadsMove_EndsAtOnce) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  scene.follows = {0, 30'000, true};
  scene.start(Op::kVerify, 48, 2);
  scene.chain(0, 5, 3);
  while (scene.done() < 2) scene.step(20);
  scene.step(100);
  EXPECT_TRUE(scene.busy());
  scene.command(Op::kAbort);
  EXPECT_FALSE(scene.busy());
  EXPECT_EQ(scene.finish() & Intr::kErrorMask, 0U);
  scene.step(30'000);
}

// ------------------------------------------------------------------------------ model against RTL

class FormatterRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(FormatterRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  EXPECT_TRUE(alike(Play<DiskPathTlm>(GetParam()).run(), Play<DiskPathRtl>(GetParam()).run()))
      << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, FormatterRandom, testing::Range(1U, 25U));

}  // namespace
}  // namespace headstack::contract
