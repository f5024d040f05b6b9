// SPDX-License-Identifier: Apache-2.0
// The abstract drive of Abbott and Garcia-Molina (Scheduling I/O Requests with Deadlines, RTSS
// 1990, section 5) as a whole drive. The platform is `native` with ideal electronics, so that a
// command takes as long as the media do. The paper's pages are tracks, and one from n tracks away
// takes
//
//     access(n) = 0.6 sqrt(n) + 15 ms
//
// The match is exact to a clock of the electronics, before a command and after it, and to a step of
// the platter's angle. A step is 2^-32 of 10 ms, 2.3 ps.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "host/session/session.hpp"
#include "sim/initiator/cdb.hpp"
#include "sim/mechanics/access.hpp"
#include "tests/support.hpp"

namespace headstack::session {
namespace {

constexpr std::uint32_t kTracks = 1000;
constexpr std::uint32_t kPageBlocks = 8;
constexpr Picoseconds kAngleStep = 3;
/// Time of the electronics for a command, before and after the media's work, and for each movement
/// in between.
constexpr Picoseconds kElectronics = 4 * soc::kClockPeriodPs;

double paper_ms(std::uint32_t n) { return 0.6 * std::sqrt(n) + 15; }

/// The media's work for a command, as reported by the head-disk assembly.
struct MediaWatch : observe::RunObserver {
  void firmware_event(std::uint64_t /*edge*/, unsigned /*number*/,
                      std::uint32_t /*argument*/) override {}
  void console(std::uint64_t /*edge*/, char /*character*/) override {}
  void seek_began(Picoseconds at, const geometry::Chs& /*track*/,
                  const mechanics::Positioning& parts) override {
    began = at;
    seek = parts.total();
    ++movements;
  }
  void sector_ended(Picoseconds at, const geometry::Chs& /*sector*/) override { ended = at; }

  std::optional<Picoseconds> began;  // begin of the last movement
  Picoseconds seek = 0;
  Picoseconds ended = 0;
  std::uint32_t movements = 0;
};

class AbstractDrive : public testing::Test {
 protected:
  static Options ideal() {
    Options options;
    options.platform = PlatformKind::kNative;
    options.ideal_electronics = true;
    return options;
  }

  void open(const drive::DriveDescription& description) {
    session_.emplace(description, ideal(), std::vector<observe::RunObserver*>{&media_});
    session_->make_ready();
  }

  /// Runs READ(10) or WRITE(10) to its end. @return its response time.
  Picoseconds serve(std::uint32_t lba, std::uint32_t blocks, bool is_write) {
    initiator::Command command;
    command.cdb = initiator::cdb10(is_write ? 0x2A : 0x28, 0, lba, blocks);
    command.direction = is_write ? initiator::Direction::kOut : initiator::Direction::kIn;
    if (is_write) {
      command.data.assign(blocks * 512, static_cast<std::uint8_t>(lba));
    } else {
      command.length = blocks * 512;
    }
    media_.began.reset();
    media_.movements = 0;
    const initiator::Completion& completion = session_->execute(std::move(command));
    EXPECT_TRUE(completion.is_good());
    return completion.times.finished - completion.times.submitted;
  }

  Picoseconds serve_page(std::uint32_t track, bool is_write) {
    return serve(track * kPageBlocks, kPageBlocks, is_write);
  }

  /// Expects the paper's response time for a page n tracks away.
  void expect_papers(std::uint32_t n, Picoseconds response) const {
    const Picoseconds access = from_ms(paper_ms(n));
    ASSERT_GE(response, access - kAngleStep);
    ASSERT_LE(response, access + kElectronics);
    ASSERT_EQ(media_.began.has_value(), n > 0);
    if (n == 0) return;
    ASSERT_NEAR(static_cast<double>(media_.ended - *media_.began), static_cast<double>(access),
                kAngleStep);
    ASSERT_NEAR(static_cast<double>(media_.seek), static_cast<double>(from_ms(0.6 * std::sqrt(n))),
                1);
  }

  MediaWatch media_;
  std::optional<Session> session_;
};

// From track 0 upwards and back, and from the last one downwards and back. So each distance comes
// in both directions, for both operations, whatever the angle and however long the drive slept.
TEST_F(AbstractDrive, AccessTime_IsThePapersAtEveryDistance) {
  open(test::shipped("abstract_1000_track"));
  for (const bool is_write : {false, true}) {
    for (std::uint32_t n = 0; n < kTracks; ++n) {
      for (const std::uint32_t from : {0U, kTracks - 1}) {
        SCOPED_TRACE(testing::Message() << n << " from " << from << (is_write ? " W" : " R"));
        const std::uint32_t to = from == 0 ? n : from - n;
        serve_page(from, is_write);
        expect_papers(n, serve_page(to, is_write));
        session_->run_until(session_->now() + from_ms(0.37 * (n % 31)));
        expect_papers(n, serve_page(from, is_write));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Reads and writes in turn, and the same page once more: the arm is there, the latency is not less.
TEST_F(AbstractDrive, SamePageAgain_TakesLatencyAndATurn) {
  open(test::shipped("abstract_1000_track"));
  serve_page(500, false);
  for (const bool is_write : {true, false, false, true, true}) {
    expect_papers(0, serve_page(500, is_write));
  }
}

// The sums equal the closed form for stretches of any length, over tracks' ends, around slipped
// sectors. The rest of a stretch's last sector is not waited for.
TEST_F(AbstractDrive, AnyAccess_IsTheClosedForms) {
  drive::DriveDescription slipped = test::shipped("abstract_1000_track");
  slipped.design.sparing.location = drive::SpareLocation::kTrackEnd;
  slipped.design.zones[0].spares = 1;
  for (std::uint32_t track = 0; track < kTracks; track += 3) {
    slipped.design.zones[0].slips.push_back(track * kPageBlocks + 3);
  }
  for (const drive::DriveDescription& description :
       {test::shipped("abstract_1000_track"), slipped}) {
    open(description);
    const mechanics::AccessModel model(description.design);
    const auto capacity = static_cast<std::uint32_t>(model.geometry().capacity());
    std::mt19937 random(1990);
    std::uint32_t cylinder = 0;
    for (int i = 0; i < 400; ++i) {
      const std::uint32_t blocks = 1 + static_cast<std::uint32_t>(random() % 40);
      const std::uint32_t lba = static_cast<std::uint32_t>(random() % (capacity - blocks));
      const bool is_write = random() % 2 != 0;
      SCOPED_TRACE(testing::Message() << i << ": " << lba << ", " << blocks << " blocks");
      const mechanics::Anatomy anatomy = model.access({0, cylinder, 0}, lba, blocks, is_write);
      const Picoseconds response = serve(lba, blocks, is_write);
      const auto stretches = static_cast<Picoseconds>(anatomy.stretches.size());
      ASSERT_GE(response, anatomy.total() - kAngleStep * stretches);
      ASSERT_LE(response, anatomy.total() + kElectronics * stretches);
      cylinder = anatomy.stretches.back().at.cylinder;
    }
  }
}

// Section 5: "the average access time is 26 ms", which access(333) is. First come, first served,
// over pages anywhere, it is 15 ms + 0.6 E sqrt|i - j|, of two tracks drawn alike: 25.1 ms.
TEST_F(AbstractDrive, RandomPages_TakeTheMeanOfAllPairs) {
  // Each page is the end of one access and the start of the next. So the mean's variance includes
  // their covariance, which is that of the mean over the other page.
  double mean = 0;
  double square = 0;
  double shared = 0;
  for (std::uint32_t i = 0; i < kTracks; ++i) {
    double over_others = 0;
    for (std::uint32_t j = 0; j < kTracks; ++j) {
      const double seek_ms = 0.6 * std::sqrt(i > j ? i - j : j - i);
      over_others += seek_ms / kTracks;
      square += seek_ms * seek_ms / kTracks / kTracks;
    }
    mean += over_others / kTracks;
    shared += over_others * over_others / kTracks;
  }
  constexpr int kRequests = 4000;
  const double error_ms =
      std::sqrt((square - mean * mean + 2 * (shared - mean * mean)) / kRequests);
  // The integral of sqrt|x - y| over the unit square is 8/15.
  ASSERT_NEAR(mean, 0.6 * 8 / 15 * std::sqrt(kTracks), 0.01);

  open(test::shipped("abstract_1000_track"));
  constexpr std::uint32_t kSeed = 1990;
  std::mt19937 random(kSeed);
  std::uniform_int_distribution<std::uint32_t> track(0, kTracks - 1);
  serve_page(track(random), false);
  Picoseconds sum = 0;
  for (int i = 0; i < kRequests; ++i) sum += serve_page(track(random), i % 2 != 0);
  EXPECT_NEAR(to_ms(sum) / kRequests, 15 + mean, 3 * error_ms) << "seed " << kSeed;
  RecordProperty("mean_ms", std::to_string(to_ms(sum) / kRequests));
  RecordProperty("expected_ms", std::to_string(15 + mean));
  RecordProperty("standard_error_ms", std::to_string(error_ms));
}

}  // namespace
}  // namespace headstack::session
