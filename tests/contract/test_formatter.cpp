// The formatter, with the buffer manager behind it, Verilated and as models: what
// hdl/regs/formatter.rdl promises, and the same answers in every cycle.
#include <gtest/gtest.h>

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

// ------------------------------------------------------------------------------ model against RTL

class FormatterRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(FormatterRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  EXPECT_TRUE(alike(Play<DiskPathTlm>(GetParam()).run(), Play<DiskPathRtl>(GetParam()).run()))
      << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, FormatterRandom, testing::Range(1U, 25U));

}  // namespace
}  // namespace headstack::contract
