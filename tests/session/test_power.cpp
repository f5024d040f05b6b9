// SPDX-License-Identifier: Apache-2.0
// Power that goes and returns: what host/session/session.hpp and second_life.hpp promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "firmware/events.h"
#include "host/session/second_life.hpp"
#include "tests/paths.hpp"
#include "tests/session/session_events.hpp"

namespace headstack::session {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kLba = 1000;
constexpr std::uint32_t kBlocks = 8;
constexpr std::uint32_t kBlockBytes = 512;
constexpr std::uint32_t kFieldBytes = kBlockBytes + 4;  // sector data with check bytes

Options of_platform(PlatformKind platform) {
  Options options;
  options.platform = platform;
  if (platform != PlatformKind::kNative) options.firmware = test::drive_elf();
  return options;
}

drive::DriveDescription drive_with(drive::PowerLoss loss) {
  drive::DriveDescription description = small_drive();
  description.design.spin_up_ms = 200;
  description.specimen.power_loss = loss;
  return description;
}

Bytes filled(std::uint8_t with) { return Bytes(kBlocks * kBlockBytes, with); }

/// What a host reads from the blocks around those written: a letter each.
/// o: old, n: new, x: 3/11/00, m: something else, ?: another sense.
std::string seen(const drive::DriveDescription& description, const Options& options,
                 const media::MediaSnapshot& media) {
  SecondLife life(description, options, media);
  std::string letters;
  life.read(kLba, kLba + kBlocks,
            [&](std::uint64_t /*lba*/, const std::uint8_t* data, const std::string& sense) {
              if (data == nullptr) {
                letters += sense == "3/11/00" ? 'x' : '?';
                return;
              }
              const auto all = [&](std::uint8_t byte) {
                return std::all_of(data, data + kBlockBytes,
                                   [byte](std::uint8_t one) { return one == byte; });
              };
              letters += all('o') ? 'o' : all('n') ? 'n' : 'm';
            });
  return letters;
}

class Power : public testing::TestWithParam<PlatformKind> {
 protected:
  Options options() const { return of_platform(GetParam()); }

  /// Old blocks, and a write of new ones under way.
  std::unique_ptr<Session> begin(const drive::DriveDescription& description) const {
    auto session = std::make_unique<Session>(description, options());
    session->make_ready();
    session->write_blocks(kLba, filled('o'));
    return session;
  }
  static Session::Ticket write_new(Session& session) {
    initiator::Command command;
    command.cdb = {0x2A, 0, 0, 0, kLba >> 8, kLba & 0xFF, 0, 0, kBlocks, 0};
    command.direction = initiator::Direction::kOut;
    command.data = filled('n');
    return session.submit(std::move(command));
  }
  /// The whole of it, once, with the power going at a byte of the new blocks.
  std::string cut_at(drive::PowerLoss loss, std::uint64_t byte) const {
    const drive::DriveDescription description = drive_with(loss);
    const auto session = begin(description);
    session->lose_power_at_byte(byte);
    const Session::Ticket ticket = write_new(*session);
    EXPECT_THROW(session->await(ticket), SessionError);
    EXPECT_FALSE(session->has_power());
    return seen(description, options(), session->take_media());
  }
};
INSTANTIATE_TEST_SUITE_P(Platforms, Power,
                         testing::Values(PlatformKind::kVp, PlatformKind::kNative),
                         [](const auto& kind) {
                           return kind.param == PlatformKind::kVp ? "vp" : "native";
                         });

TEST_P(Power, Lost_MediaKeepWhatWasWritten_AndNothingElseIsKnown) {
  const drive::DriveDescription description = drive_with(drive::PowerLoss::kFinished);
  const auto session = begin(description);
  session->lose_power();
  EXPECT_EQ(seen(description, options(), session->take_media()), "oooooooo");
}

// SCSI-2 7.9: power-on is a unit attention condition, told to each initiator once: 6/29/00. Until
// the spindle is at speed there is nothing to read (SPC-2 annex C: 2/04/01).
TEST_P(Power, Returned_IsTold_AndTheSpindleStartsFromRest) {
  const drive::DriveDescription description = drive_with(drive::PowerLoss::kFinished);
  const auto lost = begin(description);
  lost->lose_power();
  Options again = options();
  again.media = lost->take_media();
  again.at_rest = true;
  Session session(description, again);
  initiator::Command ask;
  ask.cdb.assign(6, 0);
  const initiator::Completion first = session.execute(ask);
  ASSERT_GE(first.sense.size(), 14);
  EXPECT_EQ(first.sense[2] & 0xF, 6);
  EXPECT_EQ(first.sense[12], 0x29);
  EXPECT_EQ(first.sense[13], 0x00);
  const initiator::Completion second = session.execute(ask);
  ASSERT_GE(second.sense.size(), 14);
  EXPECT_EQ(second.sense[2] & 0xF, 2);
  EXPECT_EQ(second.sense[12], 0x04);
  EXPECT_EQ(second.sense[13], 0x01);
  session.make_ready();
  EXPECT_GE(session.now(), from_ms(description.design.spin_up_ms));
}

TEST_P(Power, Gone_TimeStandsStill_AndNobodyHearsOfAnything) {
  const auto session = begin(drive_with(drive::PowerLoss::kFinished));
  const Session::Ticket ticket = write_new(*session);
  session->lose_power();
  const Picoseconds now = session->now();
  EXPECT_EQ(session->power_lost_at(), now);
  session->run_until(now + kPicosecondsPerSecond);
  EXPECT_EQ(session->now(), now);
  EXPECT_FALSE(session->is_done(ticket));
}

// Both sides of each limit: before a sector, its first and last byte, and its neighbours.
TEST_P(Power, GoneAtAByte_TheSectorThereIsFinished) {
  using Loss = drive::PowerLoss;
  EXPECT_EQ(cut_at(Loss::kFinished, 0), "oooooooo");
  EXPECT_EQ(cut_at(Loss::kFinished, 1), "nooooooo");
  EXPECT_EQ(cut_at(Loss::kFinished, kFieldBytes - 1), "nooooooo");
  EXPECT_EQ(cut_at(Loss::kFinished, kFieldBytes), "nooooooo");
  EXPECT_EQ(cut_at(Loss::kFinished, kFieldBytes + 1), "nnoooooo");
  EXPECT_EQ(cut_at(Loss::kFinished, 7 * kFieldBytes + 1), "nnnnnnnn");
}

TEST_P(Power, GoneAtAByte_TheSectorThereIsTorn_AndReadsAsBad) {
  using Loss = drive::PowerLoss;
  EXPECT_EQ(cut_at(Loss::kTorn, 0), "oooooooo");
  EXPECT_EQ(cut_at(Loss::kTorn, 1), "xooooooo");
  EXPECT_EQ(cut_at(Loss::kTorn, kBlockBytes), "xooooooo") << "all data, and no check byte";
  EXPECT_EQ(cut_at(Loss::kTorn, kFieldBytes - 1), "xooooooo");
  EXPECT_EQ(cut_at(Loss::kTorn, kFieldBytes), "nooooooo");
  EXPECT_EQ(cut_at(Loss::kTorn, 3 * kFieldBytes + 100), "nnnxoooo");
}

// The power may fail at any time: some blocks are new, at most one is torn, the rest are old.
TEST_P(Power, GoneAtATime_BlocksAreNewThenTornThenOld) {
  for (const drive::PowerLoss loss : {drive::PowerLoss::kFinished, drive::PowerLoss::kTorn}) {
    const drive::DriveDescription description = drive_with(loss);
    std::map<std::string, int> kinds;
    std::size_t torn = 0;
    for (int step = 0; step < 40; ++step) {
      const auto session = begin(description);
      const Session::Ticket ticket = write_new(*session);
      // The write takes a turn and a seek at most.
      session->run_until(session->now() + step * 613 * kPicosecondsPerMicrosecond);
      const bool was_good = session->is_done(ticket);
      session->lose_power();
      const std::string letters = seen(description, options(), session->take_media());
      const auto not_new = letters.find_first_not_of('n');
      std::string rest = not_new == std::string::npos ? "" : letters.substr(not_new);
      if (!rest.empty() && rest[0] == 'x') {
        ++torn;
        rest.erase(0, 1);
      }
      EXPECT_EQ(rest.find_first_not_of('o'), std::string::npos) << letters << " at step " << step;
      if (was_good) {
        EXPECT_EQ(letters, "nnnnnnnn") << "at step " << step;
      }
      ++kinds[letters];
    }
    EXPECT_GT(kinds.size(), 3) << "cuts came in the midst of the write, too";
    if (loss == drive::PowerLoss::kFinished) {
      EXPECT_EQ(torn, 0);
    }
    if (loss == drive::PowerLoss::kTorn) {
      EXPECT_GT(torn, 0);
    }
  }
}

// A flaw that is gone stays so: a branch brings its flaws along, and gets no others.
TEST_P(Power, Returned_FlawsAreAsTheyWere) {
  drive::DriveDescription description = drive_with(drive::PowerLoss::kFinished);
  description.specimen.flaws = {{media::FlawKind::kCorrectable, kLba, 3}};
  const auto session = begin(description);
  EXPECT_EQ(session->media().flaws().size(), 1);
  session->media().clear_flaws();
  session->lose_power();
  Options again = options();
  again.media = session->take_media();
  Session second(description, again);
  EXPECT_TRUE(second.media().flaws().empty());
}

/// One of so many sectors, in the first zone.
void give_store(drive::DriveDescription& description, std::uint32_t sectors) {
  for (drive::Zone& zone : description.design.zones) zone.store_sectors = 0;
  description.design.zones[0].store_sectors = sectors;
}

// Saving of mode pages, with the power failing at each byte of its two copies. The pages are the
// old ones until the first copy is whole, and the new ones from then on.
std::string saved_retries(const drive::DriveDescription& description, const Options& options,
                          const media::MediaSnapshot& media) {
  SecondLife life(description, options, media);
  initiator::Command sense;
  sense.cdb = {0x1A, 0x08, 0xC1, 0, 255, 0};  // MODE SENSE(6), DBD, saved values of page 01h
  sense.direction = initiator::Direction::kIn;
  sense.length = 255;
  const initiator::Completion& done = life.session().execute(sense);
  return done.is_good() && done.data.size() > 7 ? std::to_string(done.data[7]) : "none";
}

initiator::Command save_retries(std::uint8_t retries) {
  initiator::Command select;
  select.cdb = {0x15, 0x11, 0, 0, 16, 0};  // MODE SELECT(6), PF and SP
  select.direction = initiator::Direction::kOut;
  select.data = {0, 0, 0, 0, 0x01, 0x0A, 0, retries, 0, 0, 0, 0, retries, 0, 0, 0};
  return select;
}

TEST_P(Power, GoneWhileModePagesAreSaved_OldOrNew_AndNewFromTheFirstCopyOn) {
  for (const drive::PowerLoss loss : {drive::PowerLoss::kFinished, drive::PowerLoss::kTorn}) {
    drive::DriveDescription description = drive_with(loss);
    give_store(description, 4);
    const bool finishes = loss == drive::PowerLoss::kFinished;
    for (const std::uint32_t byte :
         {0U, 1U, 8U, 17U, 200U, 511U, 512U, 515U, 516U, 517U, 700U, 1031U}) {
      Session session(description, options());
      session.make_ready();
      ASSERT_TRUE(session.execute(save_retries(3)).is_good());
      session.lose_power_at_byte(byte);
      EXPECT_THROW(session.execute(save_retries(5)), SessionError);
      const bool is_new = byte >= kFieldBytes || (finishes && byte > 0);
      EXPECT_EQ(saved_retries(description, options(), session.take_media()), is_new ? "5" : "3")
          << "byte " << byte;
    }
  }
}

// Each cut's drive goes on to be cut again: ten lives, and what was GOOD is never lost.
TEST_P(Power, GoneAgainAndAgain_WhatWasSavedLast_IsThere) {
  drive::DriveDescription description = drive_with(drive::PowerLoss::kTorn);
  give_store(description, 2);
  Options now = options();
  std::string expected = "8";
  for (std::uint32_t life = 0; life < 10; ++life) {
    Session session(description, now);
    session.run_until(from_ms(200));
    session.make_ready();
    const auto good = static_cast<std::uint8_t>(10 + life);
    if (life % 3 == 1) {
      ASSERT_TRUE(session.execute(save_retries(good)).is_good());
      expected = std::to_string(good);
    }
    const std::uint32_t byte = life * 211 % (2 * kFieldBytes);
    session.lose_power_at_byte(byte);
    const auto cut = static_cast<std::uint8_t>(100 + life);
    EXPECT_THROW(session.execute(save_retries(cut)), SessionError);
    if (byte >= kFieldBytes) expected = std::to_string(cut);
    now.media = session.take_media();
    now.at_rest = true;
    EXPECT_EQ(saved_retries(description, options(), *now.media), expected) << "life " << life;
  }
}

TEST(PowerInAnEvent, Lost_InTheMidstOfACallback) {
  /// Takes it when a block's first sector has passed.
  struct Taker : observe::RunObserver {
    Session* session = nullptr;
    int events_behind = 0;
    void firmware_event(std::uint64_t /*edge*/, unsigned number, std::uint32_t /*arg*/) override {
      if (session == nullptr) return;
      if (!session->has_power()) ++events_behind;
      if (number == TRACE_FIRST_SECTOR) session->lose_power();
    }
  };
  const drive::DriveDescription description = drive_with(drive::PowerLoss::kTorn);
  Taker taker;
  Session session(description, of_platform(PlatformKind::kVp), {&taker});
  session.make_ready();
  session.write_blocks(kLba, filled('o'));
  taker.session = &session;
  initiator::Command command;
  command.cdb = {0x2A, 0, 0, 0, kLba >> 8, kLba & 0xFF, 0, 0, kBlocks, 0};
  command.direction = initiator::Direction::kOut;
  command.data = filled('n');
  EXPECT_THROW(session.execute(command), SessionError);
  EXPECT_EQ(taker.events_behind, 0);
  const std::string letters =
      seen(description, of_platform(PlatformKind::kVp), session.take_media());
  EXPECT_EQ(letters.substr(0, 1), "n");
  EXPECT_EQ(letters.substr(3), "ooooo");
}

}  // namespace
}  // namespace headstack::session
