// SPDX-License-Identifier: Apache-2.0
// The judge of a power cut (host/replay/power_verdict.hpp) finds what is lost, mixed or unreadable.
// A test spoils the media, and the native drive reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "host/options/power_cut.hpp"
#include "host/options/wave_window.hpp"
#include "host/replay/power_verdict.hpp"
#include "sim/drive/drive_media.hpp"
#include "sim/drive/load.hpp"
#include "tests/paths.hpp"

namespace headstack::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using traces::Operation;

constexpr std::uint32_t kLba = 1000;
constexpr std::uint32_t kBlocks = 4;

class Verdict : public testing::Test {
 protected:
  Verdict()
      : description_(drive::load(std::string(test::source_root()) + "/sim/drives/zoned_179mb.toml")
                         .description),
        geometry_(description_.design) {
    description_.design.spin_up_ms = 200;
    session_.platform = session::PlatformKind::kNative;
    options_.verify_data = true;
    check_.emplace(options_, 512);
  }

  /// Writes each block of the data to the media directly, without the drive.
  void lay_down(media::MediaStore& media, const std::vector<std::uint8_t>& data) {
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
      media.write_formatted(geometry_.sector_index(geometry_.locate(kLba + i).chs()),
                            &data[i * 512]);
    }
  }
  /// Judges a write that ended GOOD and one that is outstanding. The media hold the first one's
  /// data; `spoil` may change them, and gets the data of both.
  PowerVerdict judge(const std::function<void(media::MediaStore&, std::vector<std::uint8_t>,
                                              const std::vector<std::uint8_t>&)>& spoil,
                     const PowerJudgement& judgement = {}) {
    media::MediaStore media(channel_geometry());
    std::vector<std::vector<std::uint8_t>> written;
    for (const std::uint64_t number : {0U, 1U}) {
      RunRequest request;
      request.number = number;
      request.request.operation = Operation::kWrite;
      request.request.lba = kLba;
      request.request.blocks = kBlocks;
      DataCheck::Attempt attempt = check_->begin(request, false);
      check_->received(request, attempt);
      written.push_back(check_->data_of(request, attempt));
      if (number != 0) continue;
      initiator::Completion good;
      EXPECT_EQ(check_->ended(request, attempt, ending_of(good, false), good), "");
    }
    lay_down(media, written[0]);
    spoil(media, written[0], written[1]);
    check_->media().power_lost();
    return judge_power_loss(description_, session_, media.snapshot(), *check_, upkeep_, judgement);
  }
  media::MediaGeometry channel_geometry() const {
    return media::media_geometry_of(description_.design, geometry_);
  }

  drive::DriveDescription description_;
  geometry::Geometry geometry_;
  session::Options session_;
  ReplayOptions options_;
  std::optional<DataCheck> check_;
  UpkeepLedger upkeep_;
};

TEST_F(Verdict, WhatWasGood_IsFine) {
  const PowerVerdict verdict = judge([](auto&, auto, auto&) {});
  EXPECT_EQ(verdict.blocks, kBlocks);
  EXPECT_THAT(verdict.findings, IsEmpty());
}

TEST_F(Verdict, BlocksOfTheWriteUnderWay_AreFine) {
  const PowerVerdict verdict = judge(
      [this](media::MediaStore& media, std::vector<std::uint8_t> data, const auto& under_way) {
        std::copy_n(under_way.begin(), 512 * 2, data.begin());
        lay_down(media, data);
      });
  EXPECT_THAT(verdict.findings, IsEmpty());
}

TEST_F(Verdict, ALostBlock_IsFound) {
  const PowerVerdict verdict =
      judge([this](media::MediaStore& media, std::vector<std::uint8_t> data, const auto&) {
        std::fill_n(data.begin() + 512, 512, std::uint8_t{0});
        lay_down(media, data);
      });
  EXPECT_THAT(
      verdict.findings,
      ElementsAre("on the media block 1001 has zeros, as never written, which is not the one "
                  "to be there",
                  "block 1001 has zeros, as never written, for the data of command 0 or "
                  "the data of command 1"));
}

// Old and new bytes in one sector, with correct check bytes: the drive tore the sector and reported
// GOOD.
TEST_F(Verdict, AMixedBlock_IsFound) {
  for (const std::size_t part : {1U, 100U, 511U}) {
    check_.emplace(options_, 512);
    const PowerVerdict verdict =
        judge([&](media::MediaStore& media, std::vector<std::uint8_t> data, const auto& under_way) {
          std::copy_n(under_way.begin(), part, data.begin());
          lay_down(media, data);
        });
    ASSERT_EQ(verdict.findings.size(), 2) << part;
    for (const std::string& finding : verdict.findings) {
      EXPECT_THAT(finding, HasSubstr("block 1000 has bytes that no command wrote there"));
    }
  }
}

TEST_F(Verdict, ABadBlock_IsTornOrAFinding) {
  for (const drive::PowerLoss loss : {drive::PowerLoss::kTorn, drive::PowerLoss::kFinished}) {
    check_.emplace(options_, 512);
    description_.specimen.power_loss = loss;
    const PowerVerdict verdict =
        judge([this](media::MediaStore& media, auto, const std::vector<std::uint8_t>& under_way) {
          const auto index = geometry_.sector_index(geometry_.locate(kLba).chs());
          std::vector<std::uint8_t> field = under_way;
          EXPECT_EQ(media.write_part(index, field.data(), 0, 100), media::WriteStatus::kOk);
        });
    if (loss == drive::PowerLoss::kTorn) {
      EXPECT_EQ(verdict.unreadable, 1);
      EXPECT_THAT(verdict.findings, IsEmpty());
    } else {
      ASSERT_EQ(verdict.findings.size(), 2);
      EXPECT_EQ(verdict.findings[0], "on the media block 1000 is torn");
      EXPECT_THAT(verdict.findings[1], HasSubstr("block 1000 has 3/11/00"));
    }
  }
}

// A changed block that no host wrote. It is in the same virtual cylinder of 160 blocks, or far
// away.
TEST_F(Verdict, AnUntouchedBlock_IsAsTheDriveCame_WhereItIsLookedAt) {
  struct Case {
    std::uint64_t lba;
    bool whole;
    bool is_found;
  };
  for (const Case& one : {Case{959, false, false},
                          {960, false, true},
                          {1119, false, true},
                          {1120, false, false},
                          {959, true, true},
                          {348'959, true, true}}) {
    check_.emplace(options_, 512);
    PowerJudgement judgement;
    judgement.whole = one.whole;
    const PowerVerdict verdict = judge(
        [&](media::MediaStore& media, auto, const auto&) {
          const std::vector<std::uint8_t> other(512, 0x42);
          media.write_formatted(geometry_.sector_index(geometry_.locate(one.lba).chs()),
                                other.data());
        },
        judgement);
    EXPECT_EQ(verdict.looked_at, one.whole ? 348'960 : 160);
    if (!one.is_found) {
      EXPECT_THAT(verdict.findings, IsEmpty()) << one.lba;
    } else {
      EXPECT_THAT(verdict.findings, ElementsAre("on the media block " + std::to_string(one.lba) +
                                                " is not as the drive came, and no host has "
                                                "touched it"));
    }
  }
}

TEST(PowerCutWords, AreRead) {
  using options::parse_power_cut;
  using Kind = options::PowerCut::Kind;
  EXPECT_EQ(parse_power_cut("time:2.5ms").time, 2'500 * kPicosecondsPerMicrosecond);
  EXPECT_EQ(parse_power_cut("cmd:17").count, 17);
  EXPECT_EQ(parse_power_cut("byte:0").kind, Kind::kByte);
  EXPECT_EQ(parse_power_cut("event:RUN_START:3").count, 3);
  EXPECT_EQ(parse_power_cut("event:RUN_START").count, 1);
}

TEST(PowerCutWords, WrongOnes_AreToldWithTheRemedy) {
  const auto error = [](const char* text) -> std::string {
    try {
      static_cast<void>(options::parse_power_cut(text));
      return "none";
    } catch (const options::WindowError& wrong) {
      return wrong.what();
    }
  };
  EXPECT_THAT(error("never"), HasSubstr("say time:T, event:NAME:N, cmd:N or byte:N"));
  EXPECT_THAT(error("cmd:"), HasSubstr("say cmd:17"));
  EXPECT_THAT(error("cmd:0"), HasSubstr("say cmd:1 or more"));
  EXPECT_THAT(error("byte:-1"), HasSubstr("say byte:516"));
  EXPECT_THAT(error("event:RUN_STRAT"), HasSubstr("RUN_START"));
  EXPECT_THAT(error("time:5"), HasSubstr("say a number and ps"));
}

}  // namespace
}  // namespace headstack::replay
