// SPDX-License-Identifier: Apache-2.0
// A drive as a library: what host/session/session.hpp promises.
#include "host/session/session.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "firmware/events.h"
#include "tests/paths.hpp"
#include "tests/session/session_events.hpp"

namespace headstack::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kLba = 1000;
constexpr std::uint32_t kBlocks = 8;

Options of_platform(PlatformKind platform) {
  Options options;
  options.platform = platform;
  if (platform != PlatformKind::kNative) options.firmware = test::drive_elf();
  return options;
}

drive::DriveDescription wide_drive() {
  drive::DriveDescription description = small_drive();
  description.design.bus.width_bits = 16;
  return description;
}

initiator::Command read_command(std::uint32_t lba, std::uint16_t tag) {
  initiator::Command command;
  command.cdb = {0x28, 0, 0, 0, static_cast<std::uint8_t>(lba >> 8), static_cast<std::uint8_t>(lba),
                 0,    0, 1, 0};
  command.direction = initiator::Direction::kIn;
  command.length = 512;
  command.tag_type = initiator::TagType::kSimple;
  command.tag = tag;
  return command;
}

class OnFastPlatforms : public testing::TestWithParam<PlatformKind> {};
INSTANTIATE_TEST_SUITE_P(Platforms, OnFastPlatforms,
                         testing::Values(PlatformKind::kVp, PlatformKind::kNative),
                         [](const auto& kind) {
                           return kind.param == PlatformKind::kVp ? "vp" : "native";
                         });

TEST_P(OnFastPlatforms, BlocksWritten_AreReadBack_AndTheirNeighboursStay) {
  Session session(small_drive(), of_platform(GetParam()));
  session.make_ready();
  const std::vector<std::uint8_t> before = session.read_blocks(kLba - 1, kBlocks + 2);
  session.write_blocks(kLba, pattern(kBlocks));
  const std::vector<std::uint8_t> after = session.read_blocks(kLba - 1, kBlocks + 2);
  std::vector<std::uint8_t> expected = before;
  const std::vector<std::uint8_t> written = pattern(kBlocks);
  std::copy(written.begin(), written.end(), expected.begin() + 512);
  EXPECT_EQ(after, expected);
}

TEST_P(OnFastPlatforms, TheLastBlock_IsRead_TheOneBehindIt_IsToldWithItsSense) {
  Session session(small_drive(), of_platform(GetParam()));
  session.make_ready();
  const auto last = static_cast<std::uint32_t>(session.geometry().capacity() - 1);
  EXPECT_EQ(session.read_blocks(last, 1).size(), 512);
  try {
    session.read_blocks(last, 2);
    FAIL() << "read past the end";
  } catch (const SessionError& error) {
    // ILLEGAL REQUEST, LOGICAL BLOCK ADDRESS OUT OF RANGE (SCSI-2 table 71).
    EXPECT_THAT(error.what(), HasSubstr("status 02h, sense 5/21/00"));
  }
}

TEST_P(OnFastPlatforms, SessionsSideBySide_AreAsEachAlone) {
  const Events alone = events_of(of_platform(GetParam()));
  EventLog first_log;
  EventLog second_log;
  Session first(small_drive(), of_platform(GetParam()), {&first_log});
  Session second(small_drive(), of_platform(GetParam()), {&second_log});
  for (Session* session : {&first, &second}) exercise(*session);
  EXPECT_FALSE(alone.empty());
  EXPECT_EQ(first_log.events, alone);
  EXPECT_EQ(second_log.events, alone);
}

TEST(Session, Looking_ChangesNothing) {
  Options options = of_platform(PlatformKind::kVp);
  const Events unseen = events_of(options);
  for (const Look look : {Look::kCycles, Look::kInstructions}) {
    options.look = look;
    EXPECT_EQ(events_of(options), unseen);
  }
}

TEST(Session, RunUntilEvent_ReturnsBehindIt_WhileTheCoreSleeps) {
  Session session(small_drive(), of_platform(PlatformKind::kVp));
  session.make_ready();
  const Picoseconds before = session.now();
  const Session::Ticket ticket = session.submit(read_command(kLba, 1));
  const std::optional<FirmwareEvent> chosen = session.run_until_event(TRACE_TASK_CHOSEN);
  ASSERT_TRUE(chosen);
  const Picoseconds at = soc::time_of_edge(chosen->edge);
  EXPECT_GT(at, before);
  EXPECT_GE(session.now(), at);
  EXPECT_EQ(session.now() % Session::kGrain, 0);
  EXPECT_TRUE(session.rests_at(session.now()));
  EXPECT_FALSE(session.is_done(ticket)) << "the sector comes later";
  session.await(ticket);
  // Nobody sends anything any more: the next choice does not come.
  EXPECT_FALSE(session.run_until_event(TRACE_TASK_CHOSEN, 100 * kPicosecondsPerMillisecond));
}

TEST(Session, RunUntil_ATimeThatIsPast_ChangesNothing) {
  Session session(small_drive(), of_platform(PlatformKind::kVp));
  session.make_ready();
  const Picoseconds now = session.now();
  session.run_until(now - 1);
  EXPECT_EQ(session.now(), now);
  session.run_until(now + kPicosecondsPerMillisecond);
  EXPECT_GE(session.now(), now + kPicosecondsPerMillisecond);
}

TEST(Session, Await_PastItsLimit_ThrowsTimeOut_AndTheCommandGoesOn) {
  Session session(small_drive(), of_platform(PlatformKind::kVp));
  session.make_ready();
  const Session::Ticket ticket = session.submit(read_command(kLba, 1));
  EXPECT_THROW(session.await(ticket, 1), TimeOut);
  EXPECT_FALSE(session.is_done(ticket));
  EXPECT_EQ(session.await(ticket).data.size(), 512);
}

TEST(Session, Queue_HasTheTasksThatAreOut_WithTheirBlocks) {
  Options options = of_platform(PlatformKind::kVp);
  options.look = Look::kCycles;
  Session session(small_drive(), options);
  session.make_ready();
  EXPECT_TRUE(session.queue().empty());
  std::vector<Session::Ticket> tickets;
  for (std::uint16_t tag = 7; tag <= 9; ++tag) {
    tickets.push_back(session.submit(read_command(kLba + 100U * tag, tag)));
  }
  // Three commands are there before the first, which waits for its sector, is done.
  ASSERT_TRUE(session.run_until([&] { return session.queue().size() == 3; },
                                10 * kPicosecondsPerMillisecond));
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> tasks;
  for (const observe::QueuedTask& task : session.queue()) {
    tasks.emplace_back(task.tag, task.lba, task.blocks);
    EXPECT_STREQ(task.operation, "read");
  }
  EXPECT_THAT(tasks, ElementsAre(std::tuple(7, kLba + 700, 1), std::tuple(8, kLba + 800, 1),
                                 std::tuple(9, kLba + 900, 1)));
  for (const Session::Ticket ticket : tickets) session.await(ticket);
  EXPECT_TRUE(session.queue().empty());
}

TEST(Session, Deadlines_ReachTheQueue_AsTheTraceSays) {
  expect_as_the_trace_says(arrived_of(of_platform(PlatformKind::kVp)));
}

TEST(Session, Registers_HaveTheProgramCounterInTheFirmware) {
  Options options = of_platform(PlatformKind::kVp);
  options.look = Look::kCycles;
  Session session(small_drive(), options);
  session.make_ready();
  const std::uint32_t pc = session.registers().pc;
  EXPECT_GT(pc, 0);
  EXPECT_LT(pc, soc::CoreAccess::kRamBytes);
  EXPECT_EQ(session.registers().x[0], 0);
}

TEST(Session, WithoutALook_QueueAndRegistersAreRefused) {
  Session session(small_drive(), of_platform(PlatformKind::kVp));
  EXPECT_THROW(session.registers(), SessionError);
  EXPECT_THROW(session.queue(), SessionError);
}

TEST(Session, DataThatAreNoWholeBlocks_AreRefused) {
  Session session(small_drive(), of_platform(PlatformKind::kNative));
  session.make_ready();
  EXPECT_THROW(session.write_blocks(kLba, std::vector<std::uint8_t>(513)), SessionError);
  EXPECT_NO_THROW(session.write_blocks(kLba, std::vector<std::uint8_t>(512)));
}

TEST(Session, OptionsThatDoNotGoTogether_AreTold) {
  struct Case {
    void (*spoil)(Options&);
    const char* message;
  };
  const Case cases[] = {
      {[](Options& o) { o.platform = PlatformKind::kRtl; }, "headstack_session_rtl"},
      {[](Options& o) { o.firmware.clear(); }, "name one"},
      {[](Options& o) { o.hosts = 0; }, "0 hosts; the bus has ids for 1 to 15"},
      {[](Options& o) { o.hosts = 16; }, "16 hosts; the bus has ids for 1 to 15"},
      {[](Options& o) {
         o.hosts = 8;
         o.agreement = initiator::kFast10Narrow;
       },
       "8 hosts; the bus has ids for 1 to 7"},
      {[](Options& o) { o.ideal_electronics = true; }, "use native"},
      {[](Options& o) {
         o.platform = PlatformKind::kNative;
         o.look = Look::kCycles;
       },
       "use vp"},
  };
  for (const Case& one : cases) {
    Options options = of_platform(PlatformKind::kVp);
    one.spoil(options);
    try {
      Session session(wide_drive(), options);
      ADD_FAILURE() << one.message;
    } catch (const SessionError& error) {
      EXPECT_THAT(error.what(), HasSubstr(one.message));
    }
  }
  Options most = of_platform(PlatformKind::kVp);
  most.hosts = 15;
  EXPECT_NO_THROW(Session(wide_drive(), most));
  EXPECT_THROW(Session(small_drive(), most), SessionError) << "its bus is narrow";
  most.hosts = 7;
  EXPECT_NO_THROW(Session(small_drive(), most));
}

TEST(Platform, Words_AreThoseOfTheCommandLine) {
  EXPECT_EQ(parse_platform("rtl"), PlatformKind::kRtl);
  EXPECT_EQ(parse_platform("vp"), PlatformKind::kVp);
  EXPECT_EQ(parse_platform("native"), PlatformKind::kNative);
  EXPECT_THROW(parse_platform("tlm"), SessionError);
}

}  // namespace
}  // namespace headstack::session
