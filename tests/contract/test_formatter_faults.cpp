// SPDX-License-Identifier: Apache-2.0
// The formatter over a track with faults, Verilated and as a model. Faults are headers that are
// damaged alone, another track, writes that fail, index pulses that are missing.
#include <gtest/gtest.h>

#include "tests/contract/formatter_scene.hpp"

namespace headstack::contract {
namespace {

using Intr = fmt_regs::IntrState;
using Error = fmt_regs::Error;
using Op = fmt_regs::Op;
using media::FlawKind;

template <class Path>
class FormatterFaults : public testing::Test {
 protected:
  static void inject(Scene<Path>& scene, std::uint32_t sector, FlawKind kind,
                     std::uint32_t retries = 0) {
    media::FlawSpec flaws;
    flaws.listed.push_back({scene.disk.track().first_index + sector, kind, retries});
    scene.disk.media().inject(flaws);
  }
  /// Steps to where a sector has just begun: the next one that can be found is the one after it.
  static void step_into(Scene<Path>& scene, std::uint32_t sector) {
    const auto now = static_cast<Picoseconds>(scene.cycle()) * tlm::kClockPeriodPs;
    const auto pass =
        scene.disk.next_pass(scene.disk.track(), sector, scene.disk.spindle().unwrapped(now));
    const Picoseconds mark = scene.disk.when(now, pass.angle);
    scene.step(tlm::edge_number(mark) + 10 - scene.cycle());
  }
};
using Paths = testing::Types<DiskPathRtl, DiskPathTlm>;
TYPED_TEST_SUITE(FormatterFaults, Paths, PathName);

// "Headers with bad check bytes or no sync mark were seen": the sector is not found, its neighbours
// are. The bit covers only headers that have passed.
TYPED_TEST(FormatterFaults, DamagedHeader_HidesItsSectorAlone) {
  for (const FlawKind kind : {FlawKind::kBadHeader, FlawKind::kNoSync}) {
    Scene<TypeParam> scene(formatter_drive(50, 128), 8);
    this->inject(scene, 4, kind);
    const std::uint32_t seen =
        Error::kHeaderMask | (kind == FlawKind::kNoSync ? Error::kNoSyncMask : 0U);
    EXPECT_EQ(scene.run(Op::kVerify, 4, 1), Intr::kErrorMask);
    EXPECT_EQ(scene.formatter(Error::kOffset), 4U << 16 | Error::kNotFoundMask | seen);
    // An operation from the sector after it to the one before it does not pass it.
    this->step_into(scene, 4);
    EXPECT_EQ(scene.run(Op::kVerify, 5, 45), Intr::kDoneMask | Intr::kSectorMask);
    EXPECT_EQ(scene.error(), 0U);
    this->step_into(scene, 49);
    EXPECT_EQ(scene.run(Op::kVerify, 0, 4), Intr::kDoneMask | Intr::kSectorMask);
    EXPECT_EQ(scene.error(), 0U);
    // An operation to this sector passes it.
    this->step_into(scene, 3);
    EXPECT_EQ(scene.run(Op::kVerify, 5, 1), Intr::kDoneMask | Intr::kSectorMask);
    EXPECT_EQ(scene.error(), seen);
  }
}

TYPED_TEST(FormatterFaults, AnotherTracksHeaders_AreTold) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  scene.formatter(fmt_regs::Track::kOffset, kHead << 24 | (kCylinder + 1));
  EXPECT_EQ(scene.run(Op::kVerify, 4, 1), Intr::kErrorMask);
  EXPECT_EQ(scene.error(), Error::kNotFoundMask | Error::kOtherTrackMask);
  scene.formatter(fmt_regs::Track::kOffset, (kHead - 1) << 24 | kCylinder);
  EXPECT_EQ(scene.run(Op::kVerify, 4, 1), Intr::kErrorMask);
  EXPECT_EQ(scene.error(), Error::kNotFoundMask | Error::kOtherTrackMask);
}

// The sector stays unchanged, the buffer keeps its data, and the next attempt may succeed.
TYPED_TEST(FormatterFaults, WriteFault_IsToldWithItsSector_AndNothingIsLost) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  this->inject(scene, 11, FlawKind::kWriteFault, 1);
  const Bytes data = random_bytes(3, 3 * 128);
  scene.connect(false);
  scene.host_write(data);
  EXPECT_EQ(scene.run(Op::kWrite, 10, 3), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.formatter(Error::kOffset), 11U << 16 | Error::kWriteFaultMask);
  EXPECT_EQ(scene.done(), 1U);
  EXPECT_EQ(scene.level(), 2U);
  const media::SectorIndex index = scene.disk.track().first_index + 11;
  EXPECT_FALSE(scene.disk.media().is_written(index));
  // The disk channel begins its sector again.
  scene.disconnect();
  scene.connect(false);
  EXPECT_EQ(scene.run(Op::kWrite, 11, 2), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.error(), 0U);
  Bytes stored(128);
  scene.disk.media().peek(index, stored.data(), nullptr);
  EXPECT_EQ(stored, Bytes(data.begin() + 128, data.begin() + 256));
}

TYPED_TEST(FormatterFaults, WeakWrite_IsNotNoticed_BeforeItIsRead) {
  Scene<TypeParam> scene(formatter_drive(50, 128), 8);
  this->inject(scene, 11, FlawKind::kWeakWrite, 1);
  scene.connect(false);
  scene.host_write(random_bytes(3, 2 * 128));
  EXPECT_EQ(scene.run(Op::kWrite, 11, 1), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.run(Op::kVerify, 11, 1), Intr::kErrorMask);
  EXPECT_EQ(scene.error(), Error::kCheckMask);
  EXPECT_EQ(scene.run(Op::kWrite, 11, 1), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.run(Op::kVerify, 11, 1), Intr::kDoneMask | Intr::kSectorMask);
}

// The limit counts pulses that arrive: with turns 2 .. 6 without one, the second is that of turn 7.
TYPED_TEST(FormatterFaults, MissingIndex_LengthensThePatience) {
  drive::DriveDescription drive = formatter_drive(50, 128);
  drive.specimen.index_faults = {{2, 5, 1}};
  Scene<TypeParam> scene(drive, 3);
  scene.formatter(fmt_regs::Limit::kOffset, 2);
  scene.start(Op::kVerify, 50, 1);
  scene.step(7 * kTurnClocks - 100 - scene.cycle());
  EXPECT_TRUE(scene.busy());
  EXPECT_EQ(scene.formatter(fmt_regs::Progress::kOffset) >> 16, 1U);
  scene.step(200);
  EXPECT_FALSE(scene.busy());
  EXPECT_EQ(scene.error(), Error::kNotFoundMask);
  EXPECT_EQ(scene.formatter(fmt_regs::Progress::kOffset) >> 16, 2U);
}

// Without any index the search ends only with an abort. A sector that exists is found nevertheless.
TYPED_TEST(FormatterFaults, NoIndexAtAll_SearchesUntilItIsTold) {
  drive::DriveDescription drive = formatter_drive(10, 128);
  drive.specimen.index_faults = {{1, 0, 1}};
  Scene<TypeParam> scene(drive, 3);
  scene.start(Op::kVerify, 10, 1);
  scene.step(40 * kTurnClocks);
  EXPECT_TRUE(scene.busy());
  EXPECT_EQ(scene.formatter(fmt_regs::Progress::kOffset) >> 16, 0U);
  scene.command(Op::kAbort);
  EXPECT_FALSE(scene.busy());
  EXPECT_EQ(scene.finish(), Intr::kDoneMask);
  EXPECT_EQ(scene.run(Op::kVerify, 4, 5), Intr::kDoneMask | Intr::kSectorMask);
}

// The limit counts index pulses "without a sector found", and is 2. One passes before the last
// sector comes round and is written. The next does not exist: two more pulses pass until it is
// given up.
TYPED_TEST(FormatterFaults, PatienceOfAWrite_BeginsAgainWithEachSector) {
  Scene<TypeParam> scene(formatter_drive(10, 128), 8);
  scene.formatter(fmt_regs::Limit::kOffset, 2);
  scene.connect(false);
  scene.host_write(random_bytes(4, 2 * 128));
  this->step_into(scene, 9);
  EXPECT_EQ(scene.run(Op::kWrite, 9, 2), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.done(), 1U);
  EXPECT_EQ(scene.error(), Error::kNotFoundMask);
  EXPECT_EQ(scene.formatter(fmt_regs::Progress::kOffset) >> 16, 3U);
}

// ------------------------------------------------------------------------------ model against RTL

class FaultyFormatterRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(FaultyFormatterRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  EXPECT_TRUE(
      alike(Play<DiskPathTlm>(GetParam(), true).run(), Play<DiskPathRtl>(GetParam(), true).run()))
      << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, FaultyFormatterRandom, testing::Range(1U, 31U));

}  // namespace
}  // namespace headstack::contract
