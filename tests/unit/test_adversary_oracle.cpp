// SPDX-License-Identifier: Apache-2.0
// The adversary's judge: histories made by hand, right ones and wrong ones. Expected verdicts are
// SCSI-2's and SPC-2's, as oracle.hpp names them.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "tests/fuzz/drive/oracle.hpp"
#include "tests/support.hpp"

namespace headstack::fuzz {
namespace {

using initiator::Completion;
using initiator::Outcome;
using initiator::TagType;

constexpr Capacity kCapacity{2160, 512};

class Judged : public testing::Test {
 protected:
  Judged() { storyline_.hosts = {HostSetup{}, HostSetup{}}; }

  /// All hosts have received the unit attention of the power-on.
  void hear_of_power_on() {
    for (std::uint8_t host = 0; host < 2; ++host) {
      Ticket& ticket = send({0, 0, 0, 0, 0, 0}, host);
      end(ticket, 0x02, {6, 0x29, 0x00});
    }
  }
  Ticket& send(Bytes cdb, std::uint8_t host = 0, TagType type = TagType::kUntagged,
               std::uint16_t tag = 0, std::uint8_t lun = 0) {
    Action action;
    action.cdb = std::move(cdb);
    action.host = host;
    action.tag_type = type;
    action.tag = tag;
    action.lun = lun;
    actions_.push_back(action);
    Ticket& ticket = oracle_.submit(actions_.back(), ++now_, false);
    oracle_.arrived(ticket, ++now_);
    return ticket;
  }
  /// Ends a command with key, ASC and ASCQ, or without sense data.
  void end(Ticket& ticket, std::uint8_t status, const Bytes& codes = {}, Bytes data = {}) {
    Completion completion;
    completion.status = status;
    completion.data = std::move(data);
    completion.bytes_moved = static_cast<std::uint32_t>(completion.data.size());
    if (ticket.request.operation == Operation::kWrite && status == 0) {
      completion.bytes_moved = static_cast<std::uint32_t>(ticket.request.data_bytes);
    }
    completion.bytes_reached = completion.bytes_moved;
    if (!codes.empty()) {
      completion.sense.resize(18);
      completion.sense[0] = 0x70;
      completion.sense[2] = codes[0];
      completion.sense[12] = codes[1];
      completion.sense[13] = codes[2];
    }
    completion.times.selected = now_;
    completion.times.status = completion.times.complete = completion.times.finished = ++now_;
    oracle_.ended(ticket, completion, now_);
  }
  void end_by_overlap(Ticket& ticket) {
    Completion completion;
    completion.outcome = Outcome::kClearedByOverlap;
    completion.times.finished = ++now_;
    oracle_.ended(ticket, completion, now_);
  }
  std::string verdict() const { return oracle_.finding() ? oracle_.finding()->kind : ""; }

  static Bytes write_10(std::uint8_t lba, std::uint8_t blocks) {
    return {0x2A, 0, 0, 0, 0, lba, 0, 0, blocks, 0};
  }
  static Bytes read_10(std::uint8_t lba, std::uint8_t blocks) {
    return {0x28, 0, 0, 0, 0, lba, 0, 0, blocks, 0};
  }
  static Bytes blocks_of(std::uint32_t lba, std::uint32_t blocks, Version version) {
    Bytes data(std::size_t{blocks} * kCapacity.block_bytes);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      fill_block(data.data() + std::size_t{i} * kCapacity.block_bytes, kCapacity.block_bytes,
                 lba + i, version);
    }
    return data;
  }

  Storyline storyline_;
  std::deque<Action> actions_;
  std::map<std::uint32_t, Version> media_;
  Picoseconds now_ = 0;
  Oracle oracle_{storyline_, kCapacity, false, [this](std::uint32_t lba, std::uint8_t* data) {
                   fill_block(data, kCapacity.block_bytes, lba, media_[lba]);
                   return true;
                 }};
};

TEST_F(Judged, PoliteHistory_IsFree) {
  hear_of_power_on();
  Ticket& write = send(write_10(5, 1));
  media_[5] = write.operation;
  end(write, 0);
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, write.operation));
  end(send({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 0);
  oracle_.check_media(now_);
  EXPECT_EQ(verdict(), "");
}

TEST_F(Judged, OldData_AreWrongData) {
  hear_of_power_on();
  Ticket& write = send(write_10(5, 1));
  media_[5] = write.operation;
  end(write, 0);
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "wrong data");
}

TEST_F(Judged, AnotherBlocksData_AreWrongData) {
  hear_of_power_on();
  end(send(read_10(5, 1)), 0, {}, blocks_of(6, 1, 0));
  EXPECT_EQ(verdict(), "wrong data");
}

TEST_F(Judged, TornBlock_IsWrongData) {
  hear_of_power_on();
  Ticket& write = send(write_10(5, 1));
  Bytes torn = blocks_of(5, 1, write.operation);
  const Bytes old = blocks_of(5, 1, 0);
  std::copy(old.begin() + 256, old.end(), torn.begin() + 256);
  Completion completion;
  completion.outcome = Outcome::kBusReset;
  completion.bytes_reached = 512;
  completion.times.finished = ++now_;
  oracle_.bus_reset(now_);
  oracle_.ended(write, completion, now_);
  end(send({0, 0, 0, 0, 0, 0}), 0x02, {6, 0x29, 0x02});
  end(send(read_10(5, 1)), 0, {}, torn);
  EXPECT_EQ(verdict(), "wrong data");
}

TEST_F(Judged, ShortRead_IsFound) {
  hear_of_power_on();
  end(send(read_10(5, 2)), 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "length");
}

// Without a write cache GOOD means that the media have the data.
TEST_F(Judged, GoodWriteThatIsNotOnTheMedia_IsFound_WithoutWriteCache) {
  hear_of_power_on();
  end(send(write_10(5, 1)), 0);
  EXPECT_EQ(verdict(), "not on the media");
}

TEST_F(Judged, SynchronizeGood_ButNotOnTheMedia_IsFound) {
  hear_of_power_on();
  Action select;
  select.cdb = {0x15, 0x10, 0, 0, 24, 0};
  select.list = {0, 0, 0, 0, 0x08, 18, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0};
  Ticket& modes = oracle_.submit(select, ++now_, false);
  oracle_.arrived(modes, ++now_);
  end(modes, 0);
  end(send(write_10(5, 1)), 0);
  EXPECT_EQ(verdict(), "") << "it may be in the cache";
  end(send({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 0);
  EXPECT_EQ(verdict(), "not on the media");
}

struct StatusCase {
  const char* what;
  Bytes cdb;
  std::uint8_t lun;
  std::uint8_t status;
  Bytes codes;
  const char* verdict;
};

class JudgedStatus : public Judged, public testing::WithParamInterface<StatusCase> {};

TEST_P(JudgedStatus, IsFoundOrNot) {
  hear_of_power_on();
  const StatusCase& one = GetParam();
  end(send(one.cdb, 0, TagType::kUntagged, 0, one.lun), one.status, one.codes);
  EXPECT_EQ(verdict(), one.verdict);
}

INSTANTIATE_TEST_SUITE_P(
    Statuses, JudgedStatus,
    testing::Values(
        StatusCase{
            "no_reason_for_illegal_request", {0, 0, 0, 0, 0, 0}, 0, 2, {5, 0x24, 0}, "sense"},
        StatusCase{"reserved_bit", {0, 0, 0, 0, 1, 0}, 0, 2, {5, 0x24, 0}, ""},
        StatusCase{"past_the_end_good", {0x2F, 0, 0, 0, 8, 112, 0, 0, 1, 0}, 0, 0, {}, "status"},
        StatusCase{"past_the_end", {0x2F, 0, 0, 0, 8, 112, 0, 0, 1, 0}, 0, 2, {5, 0x21, 0}, ""},
        StatusCase{"last_block_good", {0x2F, 0, 0, 0, 8, 111, 0, 0, 1, 0}, 0, 0, {}, ""},
        StatusCase{"other_unit_good", {0, 0, 0, 0, 0, 0}, 3, 0, {}, "status"},
        StatusCase{"other_unit", {0, 0, 0, 0, 0, 0}, 3, 2, {5, 0x25, 0}, ""},
        StatusCase{"attention_without_cause", {0, 0, 0, 0, 0, 0}, 0, 2, {6, 0x2A, 1}, "sense"},
        StatusCase{"not_ready_while_turning", {0, 0, 0, 0, 0, 0}, 0, 2, {2, 0x04, 2}, "sense"},
        StatusCase{"overlap_without_overlap", {0, 0, 0, 0, 0, 0}, 0, 2, {0xB, 0x4E, 0}, "sense"},
        StatusCase{
            "good_media_bad", {0x2F, 0, 0, 0, 0, 0, 0, 0, 1, 0}, 0, 2, {3, 0x11, 0}, "sense"},
        StatusCase{"reservation_of_nobody", {0, 0, 0, 0, 0, 0}, 0, 0x18, {}, "no reservation"},
        StatusCase{"check_without_sense", {0, 0, 0, 0, 0, 0}, 0, 2, {}, "no sense"},
        StatusCase{"unknown_status", {0, 0, 0, 0, 0, 0}, 0, 0x22, {}, "status"},
        StatusCase{"busy", {0, 0, 0, 0, 0, 0}, 0, 0x08, {}, ""}),
    test::case_name<StatusCase>);

TEST_F(Judged, ResetThatNobodyHearsOf_IsFound) {
  hear_of_power_on();
  oracle_.bus_reset(++now_);
  end(send({0x12, 0, 0, 0, 36, 0}), 0);
  EXPECT_EQ(verdict(), "") << "INQUIRY tells of nothing";
  end(send({0, 0, 0, 0, 0, 0}), 0);
  EXPECT_EQ(verdict(), "attention lost");
}

TEST_F(Judged, UnitAttention_IsToldOnce) {
  hear_of_power_on();
  oracle_.bus_reset(++now_);
  end(send({0, 0, 0, 0, 0, 0}), 0x02, {6, 0x29, 0x02});
  EXPECT_EQ(verdict(), "");
  end(send({0, 0, 0, 0, 0, 0}), 0x02, {6, 0x29, 0x02});
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(Judged, EndedThoughNobodyAborted_IsFound) {
  hear_of_power_on();
  Ticket& read = send(read_10(5, 1));
  Completion completion;
  completion.outcome = Outcome::kUnexpectedBusFree;
  completion.times.finished = ++now_;
  oracle_.ended(read, completion, now_);
  EXPECT_EQ(verdict(), "bus let go");
}

struct UrgencyCase {
  const char* what;
  Bytes message;
  const char* verdict;
};

class JudgedUrgency : public Judged, public testing::WithParamInterface<UrgencyCase> {};

// firmware/target/message.h: the message that says how urgent a command is changes its order alone.
// A drive that lets go of the bus after it is wrong. After an odd message it may.
TEST_P(JudgedUrgency, OfACommand_ExcusesNothing) {
  hear_of_power_on();
  Action urgent;
  urgent.cdb = read_10(5, 1);
  urgent.messages = {GetParam().message};
  Ticket& read = oracle_.submit(urgent, ++now_, false);
  oracle_.arrived(read, ++now_);
  Completion completion;
  completion.outcome = Outcome::kUnexpectedBusFree;
  completion.times.finished = ++now_;
  oracle_.ended(read, completion, now_);
  EXPECT_EQ(verdict(), GetParam().verdict);
}

INSTANTIATE_TEST_SUITE_P(
    Adversary, JudgedUrgency,
    testing::Values(UrgencyCase{"Right", {0x01, 8, 0x81, 0, 0, 1, 0, 1, 31, 15}, "bus let go"},
                    UrgencyCase{"OfNoClass", {0x01, 8, 0x81, 0, 0, 1, 0, 2, 31, 15}, ""},
                    UrgencyCase{"OfNoPriority", {0x01, 8, 0x81, 0, 0, 1, 0, 1, 31, 16}, ""},
                    UrgencyCase{"CutShort", {0x01, 8, 0x81, 0, 0, 1, 0, 1, 31}, ""}),
    test::case_name<UrgencyCase>);

struct ClearedCase {
  const char* what;
  std::uint8_t queue_error;  // byte 3 of the control page that a MODE SELECT sends
  std::uint8_t host;         // host that sends it
  bool is_out;               // still out when the other command arrives
  const char* verdict;
};

class JudgedCleared : public Judged, public testing::WithParamInterface<ClearedCase> {};

// sim/initiator/host_adapter.hpp: an adapter whose own MODE SELECT of QERR is out cannot know what
// a failure ends. It sends ABORT TAG to the others. With QERR 0h nothing else may end them so.
TEST_P(JudgedCleared, ByQueueError_NeedsAQerrThatIsNotZero_OrNotKnown) {
  const ClearedCase& test = GetParam();
  hear_of_power_on();
  Action select;
  select.host = test.host;
  select.cdb = {0x15, 0x10, 0, 0, 16, 0};
  select.list = {0, 0, 0, 0, 0x0A, 0x0A, 0, test.queue_error, 0, 0, 0, 0, 0, 0, 0, 0};
  Ticket& modes = oracle_.submit(select, ++now_, false);
  oracle_.arrived(modes, ++now_);
  if (!test.is_out) end(modes, 0);
  Ticket& read = send(read_10(5, 1), 0, TagType::kSimple, 1);
  end(send({0x28, 0, 1, 0, 0, 0, 0, 0, 1, 0}, 0, TagType::kSimple, 2), 0x02, {5, 0x21, 0});
  Completion completion;
  completion.outcome = Outcome::kClearedByQueueError;
  completion.times.finished = ++now_;
  oracle_.ended(read, completion, now_);
  EXPECT_EQ(verdict(), test.verdict);
}

INSTANTIATE_TEST_SUITE_P(Adversary, JudgedCleared,
                         testing::Values(ClearedCase{"Zero", 0x00, 0, false, "ended by nobody"},
                                         ClearedCase{"ZeroIsUnderWay", 0x00, 0, true, ""},
                                         ClearedCase{"ZeroOfAnotherIsUnderWay", 0x00, 1, true,
                                                     "ended by nobody"},
                                         ClearedCase{"Three", 0x06, 0, false, ""}),
                         test::case_name<ClearedCase>);

TEST_F(Judged, ClearedByOverlap_WhereNothingOverlaps_IsFound) {
  hear_of_power_on();
  end_by_overlap(send(read_10(5, 1), 0, TagType::kSimple, 12));
  EXPECT_EQ(verdict(), "ended by nobody");
}

// SCSI-2 7.5.2 and 6.6: a second tag after the first one names the command. Its host knows it by
// another name, and may give the tag to a later command, which overlaps then.
TEST_F(Judged, ClearedByOverlap_BehindASecondTag_IsNoFinding) {
  hear_of_power_on();
  Action odd;
  odd.cdb = read_10(40, 1);
  odd.messages = {{0x20, 3}};
  Ticket& first = oracle_.submit(odd, ++now_, false);
  oracle_.arrived(first, ++now_);
  end_by_overlap(first);
  end_by_overlap(send(read_10(5, 1), 0, TagType::kSimple, 12));
  EXPECT_EQ(verdict(), "");
}

// The drive may do it still, by its other name.
TEST_F(Judged, WriteWithASecondTag_MayBeOnTheMedia_ThoughItsHostHasLostIt) {
  hear_of_power_on();
  Action odd;
  odd.cdb = write_10(5, 1);
  odd.messages = {{0x20, 3}};
  Ticket& write = oracle_.submit(odd, ++now_, false);
  oracle_.arrived(write, ++now_);
  end_by_overlap(write);
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, 0));
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, write.operation));
  EXPECT_EQ(verdict(), "");
}

// Row 4 of issue 16: 1 s, and the time of its own blocks.
TEST_F(Judged, BusHeldForLong_IsFound) {
  hear_of_power_on();
  Action action;
  action.cdb = {0, 0, 0, 0, 0, 0};
  action.may_disconnect = false;
  Ticket& ticket = oracle_.submit(action, ++now_, false);
  oracle_.arrived(ticket, ++now_);
  Completion completion;
  completion.times.selected = now_;
  completion.times.status = completion.times.complete = completion.times.finished =
      now_ + 2 * kPicosecondsPerSecond;
  oracle_.ended(ticket, completion, completion.times.finished);
  EXPECT_EQ(verdict(), "bus held");
}

// SCSI-2 7.3.5, 7.3.9: after BUSY and QUEUE FULL nothing of the command has happened.
class JudgedRefusal : public Judged, public testing::WithParamInterface<std::uint8_t> {
 protected:
  /// Its data have all moved, and the status is the parameter.
  void turn_away(Ticket& ticket) {
    Completion completion;
    completion.status = GetParam();
    completion.bytes_moved = completion.bytes_reached =
        static_cast<std::uint32_t>(ticket.request.data_bytes);
    completion.times.status = completion.times.complete = completion.times.finished = ++now_;
    oracle_.ended(ticket, completion, now_);
  }
};

TEST_P(JudgedRefusal, OfAWrite_LeavesTheBlock) {
  hear_of_power_on();
  Ticket& write = send(write_10(5, 1));
  turn_away(write);
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "");
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, write.operation));
  EXPECT_EQ(verdict(), "wrong data");
}

TEST_P(JudgedRefusal, OfAModeSelect_TellsNobody) {
  hear_of_power_on();
  Action action;
  action.cdb = {0x15, 0x10, 0, 0, 16, 0};
  action.list = {0, 0, 0, 0, 0x0A, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  actions_.push_back(action);
  Ticket& select = oracle_.submit(actions_.back(), ++now_, false);
  oracle_.arrived(select, ++now_);
  turn_away(select);
  EXPECT_EQ(verdict(), "");
  end(send({0, 0, 0, 0, 0, 0}, 1), 0x02, {6, 0x2A, 0x01});
  EXPECT_EQ(verdict(), "sense");
}

INSTANTIATE_TEST_SUITE_P(Adversary, JudgedRefusal, testing::Values(0x08, 0x28));

// 20 s, and 1 s for each outstanding command.
class JudgedWait : public Judged {
 protected:
  /// Its host has `others` more outstanding commands.
  void wait(int others, Picoseconds time) {
    for (int i = 0; i < others; ++i) {
      send({0, 0, 0, 0, 0, 0}, 0, TagType::kSimple, static_cast<std::uint16_t>(1 + i));
    }
    oracle_.check_waiting(first_ + time);
  }
  Picoseconds first_ = 0;  // when the oldest arrived
};

TEST_F(JudgedWait, IsFound_BeyondTheBound) {
  hear_of_power_on();
  send(read_10(5, 1), 0, TagType::kSimple, 0);
  first_ = now_;
  wait(3, 24 * kPicosecondsPerSecond);
  EXPECT_EQ(verdict(), "");
  wait(0, 24 * kPicosecondsPerSecond + 1);
  EXPECT_EQ(verdict(), "never ended");
}

TEST_F(JudgedWait, OfAFormat_IsNoFinding) {
  hear_of_power_on();
  send({0x04, 0, 0, 0, 0, 0});
  first_ = now_;
  wait(0, 1000 * kPicosecondsPerSecond);
  EXPECT_EQ(verdict(), "");
}

// SCSI-2 7.6: a host that does not fetch its sense data holds up what it has out, and what is
// ordered behind that.
TEST_F(JudgedWait, WhileAHostOwesRequestSense_IsNoFinding) {
  hear_of_power_on();
  Action action;
  action.cdb = {0, 0, 0, 0, 0, 0};
  action.host = 1;
  action.auto_sense = false;
  actions_.push_back(action);
  oracle_.submit(actions_.back(), ++now_, false);
  send(read_10(5, 1));
  first_ = now_;
  wait(0, 1000 * kPicosecondsPerSecond);
  EXPECT_EQ(verdict(), "");
}

// SPC-2 7.6: MODE SELECT takes effect when its data are there, and its completion may come later.
class JudgedModes : public Judged {
 protected:
  static constexpr std::uint8_t kRestricted = 0x00;
  static constexpr std::uint8_t kUnrestricted = 0x10;

  Ticket& select(std::uint8_t host, std::uint8_t queue_algorithm = kRestricted) {
    Action action;
    action.host = host;
    action.cdb = {0x15, 0x10, 0, 0, 16, 0};
    action.list = {0, 0, 0, 0, 0x0A, 10, 0, queue_algorithm, 0, 0, 0, 0, 0, 0, 0, 0};
    actions_.push_back(action);
    Ticket& ticket = oracle_.submit(actions_.back(), ++now_, false);
    oracle_.arrived(ticket, ++now_);
    return ticket;
  }
  void hear(std::uint8_t host, const Bytes& codes) {
    end(send({0, 0, 0, 0, 0, 0}, host), 0x02, codes);
  }
  /// Two writes of host 0, tagged and side by side; the older one ends last, and is read back.
  void write_in_reverse() {
    Ticket& older = send(write_10(5, 1), 0, TagType::kSimple, 1);
    Ticket& younger = send(write_10(5, 1), 0, TagType::kSimple, 2);
    const auto version = older.operation;
    for (Ticket* const one : {&younger, &older}) {
      media_[5] = one->operation;
      end(*one, 0);
    }
    end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, version));
  }
};

TEST_F(JudgedModes, TwoCausesAreTwoReports_OneIsNot) {
  hear_of_power_on();
  end(select(0), 0);
  hear(1, {6, 0x2A, 1});
  EXPECT_EQ(verdict(), "");
  hear(1, {6, 0x2A, 1});
  EXPECT_EQ(verdict(), "sense");
}

// The first was over when the other host heard of it; the second took effect before its end.
TEST_F(JudgedModes, AnotherModeSelectUnderWay_MayBeHeardOfBeforeItsEnd) {
  hear_of_power_on();
  end(select(0), 0);
  Ticket& second = select(0);
  hear(1, {6, 0x2A, 1});
  hear(1, {6, 0x2A, 1});
  end(second, 0);
  EXPECT_EQ(verdict(), "");
  hear(1, {6, 0x2A, 1});
  EXPECT_EQ(verdict(), "sense") << "two causes, three reports";
}

// Of three outstanding commands, one is reported. The one that ends first accounts for that, and
// the last one, which ends later, explains another report.
TEST_F(JudgedModes, OneOfSeveralOut_IsHeardOf_TheOthersStillMayBe) {
  hear_of_power_on();
  Ticket& slow = select(0);
  Ticket& quick = select(0);
  hear(1, {6, 0x2A, 1});
  end(quick, 0);
  end(send({0, 0, 0, 0, 0, 0}, 1), 0);
  end(slow, 0);
  hear(1, {6, 0x2A, 1});
  EXPECT_EQ(verdict(), "");
  hear(1, {6, 0x2A, 1});
  EXPECT_EQ(verdict(), "sense") << "two causes, three reports";
}

TEST_F(JudgedModes, SenseThatNobodyFetched_MayComeAfterTheNextCause) {
  hear_of_power_on();
  end(select(0), 0);
  Action careless;
  careless.host = 1;
  careless.cdb = {0, 0, 0, 0, 0, 0};
  careless.auto_sense = false;
  Ticket& check = oracle_.submit(careless, ++now_, false);
  oracle_.arrived(check, ++now_);
  end(check, 0x02);
  end(select(0), 0);
  Bytes sense(18);
  sense[0] = 0x70;
  sense[2] = 6;
  sense[12] = 0x2A;
  sense[13] = 1;
  end(send({3, 0, 0, 0, 18, 0}, 1), 0, {}, sense);
  hear(1, {6, 0x2A, 1});
  EXPECT_EQ(verdict(), "");
}

TEST_F(JudgedModes, Restricted_HoldsOnceTheLastModeSelectSaysSo) {
  hear_of_power_on();
  end(select(0, kUnrestricted), 0);
  end(select(0, kRestricted), 0);
  write_in_reverse();
  EXPECT_EQ(verdict(), "not on the media");
}

TEST_F(JudgedModes, Restricted_IsOpen_WhileAnotherModeSelectIsOutBesideIt) {
  hear_of_power_on();
  Ticket& unrestricted = select(0, kUnrestricted);
  end(select(0, kRestricted), 0);
  end(unrestricted, 0);
  write_in_reverse();
  EXPECT_EQ(verdict(), "");
}

// SCSI-2 6.6.3: its own REQUEST SENSE takes 29/03 before the host that sent BUS DEVICE RESET sees
// the bus free.
// A cached write to a block whose writes fail: the drive may lose it after GOOD, and must say so
// (SCSI-2 8.2.14.2).
class JudgedLoss : public Judged {
 protected:
  static constexpr std::uint8_t kFailing = 6;
  JudgedLoss() {
    storyline_.flaws = {{media::FlawKind::kWriteFault, kFailing, 0}};
    hear_of_power_on();
    Action action;
    action.cdb = {0x15, 0x10, 0, 0, 24, 0};
    action.list = Bytes(24);
    action.list[4] = 0x08;
    action.list[5] = 18;
    action.list[6] = 0x04;  // WCE
    actions_.push_back(action);
    Ticket& select = oracle_.submit(actions_.back(), ++now_, false);
    oracle_.arrived(select, ++now_);
    end(select, 0);
    end(send({0, 0, 0, 0, 0, 0}, 1), 0x02, {6, 0x2A, 1});
  }
  /// A write around the failing block, GOOD.
  void write_behind_good() { end(send(write_10(kFailing - 1, 3)), 0); }
  void defer(std::uint8_t host, std::uint8_t lba) {
    Ticket& ticket = send({0, 0, 0, 0, 0, 0}, host);
    Completion completion;
    completion.status = 0x02;
    completion.sense = {0xF1, 0, 4, 0, 0, 0, lba, 10, 0, 0, 0, 0, 0x03, 0, 0, 0, 0, 0};
    completion.times.selected = now_;
    completion.times.status = completion.times.complete = completion.times.finished = ++now_;
    oracle_.ended(ticket, completion, now_);
  }
  /// All hosts have received all reports: the blocks are unchanged.
  void look_for_it() {
    oracle_.confirm_untold();
    end(send(read_10(kFailing, 1)), 0, {}, blocks_of(kFailing, 1, 0));
    oracle_.check_media(now_);
  }
};

TEST_F(JudgedLoss, ThatIsTold_IsNone) {
  write_behind_good();
  defer(0, kFailing);
  look_for_it();
  EXPECT_EQ(verdict(), "");
}

TEST_F(JudgedLoss, ThatNobodyTells_IsWrongData) {
  write_behind_good();
  look_for_it();
  EXPECT_EQ(verdict(), "wrong data");
}

TEST_F(JudgedLoss, ThatAnotherHostIsToldOf_IsFound) {
  write_behind_good();
  defer(1, kFailing);
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(JudgedLoss, OfAnotherBlock_IsFound) {
  write_behind_good();
  defer(0, kFailing + 1);
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(JudgedLoss, OfAWriteThatWasNeverGood_IsFound) {
  end(send(write_10(kFailing, 1)), 0x02, {4, 0x03, 0});
  defer(0, kFailing);
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(Judged, ResetHeardOfBeforeItsCompletion_IsHeardOf) {
  hear_of_power_on();
  Action reset;
  reset.kind = ActionKind::kDeviceReset;
  oracle_.manage(reset, ++now_);
  Bytes sense(18);
  sense[0] = 0x70;
  sense[2] = 6;
  sense[12] = 0x29;
  sense[13] = 3;
  end(send({3, 0, 0, 0, 18, 0}, 1), 0, {}, sense);
  oracle_.managed(reset, Completion(), ++now_);
  end(send({0, 0, 0, 0, 0, 0}, 1), 0);
  EXPECT_EQ(verdict(), "");
  end(send({0, 0, 0, 0, 0, 0}, 0), 0);
  EXPECT_EQ(verdict(), "attention lost") << "the other host has not";
}

// IDENTIFY A8h and C0h name logical unit 0, whatever the storyline took it for.
TEST_F(Judged, WriteWithItsOwnOpening_MayBeOnTheMedia) {
  hear_of_power_on();
  Action action;
  action.cdb = write_10(5, 1);
  action.lun = 6;
  action.own_opening = true;
  action.opening = {0xA8};
  Ticket& write = oracle_.submit(action, ++now_, false);
  oracle_.arrived(write, ++now_);
  ASSERT_NE(write.operation, 0U);
  media_[5] = write.operation;
  end(write, 0);
  oracle_.check_media(now_);
  EXPECT_EQ(verdict(), "");
}

// SCSI-2 9.2.1: other hosts get a report that the medium may have changed; its blocks may have any
// content.
TEST_F(Judged, Format_IsToldToOthers_AndWipesWhatWasWrittenBeforeItsEnd) {
  hear_of_power_on();
  Ticket& format = send({4, 0, 0, 0, 0, 0});
  Ticket& write = send(write_10(5, 1), 1);
  media_[5] = write.operation;
  end(write, 0);
  end(format, 0);
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, 0));
  end(send({0, 0, 0, 0, 0, 0}, 1), 0x02, {6, 0x28, 0});
  EXPECT_EQ(verdict(), "");
  Ticket& later = send(write_10(5, 1));
  media_[5] = later.operation;
  end(later, 0);
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "wrong data");
}

TEST_F(Judged, FormatRefused_LeavesTheBlocks) {
  hear_of_power_on();
  Ticket& write = send(write_10(5, 1));
  media_[5] = write.operation;
  end(write, 0);
  end(send({4, 0, 0, 0, 0, 0}), 0x02, {5, 0x24, 0});
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "wrong data");
}

// SCSI-2 7.9: a reset ends the contingent allegiance. 6/29 tells of the reset, and not whether the
// format had begun, so media that ask for another format may (9.2.1, 31/00).
TEST_F(Judged, FormatWhoseSenseAResetHasTaken_MayHaveBegun) {
  for (const bool is_reset : {false, true}) {
    SCOPED_TRACE(is_reset);
    Oracle oracle(storyline_, kCapacity, false, [](std::uint32_t, std::uint8_t*) { return true; });
    Action format;
    format.cdb = {4, 0, 0, 0, 0, 0};
    Action reset;
    reset.kind = ActionKind::kDeviceReset;
    reset.host = 1;
    Ticket& ticket = oracle.submit(format, 1, false);
    oracle.arrived(ticket, 2);
    Completion completion;
    if (is_reset) {
      oracle.manage(reset, 3);
      oracle.managed(reset, completion, 4);
    }
    completion.status = 0x02;
    completion.sense.resize(18);
    completion.sense[0] = 0x70;
    completion.sense[2] = 6;
    completion.sense[12] = 0x29;
    completion.sense[13] = is_reset ? 3 : 0;
    completion.times.status = completion.times.finished = 5;
    oracle.ended(ticket, completion, 5);
    EXPECT_FALSE(oracle.finding());
    EXPECT_EQ(oracle.may_be_corrupt(), is_reset);
  }
}

// SCSI-2 9.2.10: data that can be read are kept; the block may lie elsewhere.
TEST_F(Judged, Reassign_KeepsWhatCanBeRead) {
  hear_of_power_on();
  Ticket& write = send(write_10(5, 1));
  media_[5] = write.operation;
  end(write, 0);
  Action action;
  action.cdb = {7, 0, 0, 0, 0, 0};
  action.list = {0, 0, 0, 4, 0, 0, 0, 5};
  Ticket& reassign = oracle_.submit(action, ++now_, false);
  oracle_.arrived(reassign, ++now_);
  end(reassign, 0);
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, write.operation));
  EXPECT_EQ(verdict(), "");
  end(send(read_10(5, 1)), 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "wrong data");
}

// The drive may have moved it long before the order ends for its host, and a write of another may
// lie on the spare. What is not in the list lies where it did; and all of it, once it was refused.
TEST_F(Judged, Reassign_MayHaveMovedItsBlocksBeforeItsEnd) {
  hear_of_power_on();
  Action action;
  action.cdb = {7, 0, 0, 0, 0, 0};
  action.list = {0, 0, 0, 4, 0, 0, 0, 5};
  Ticket& reassign = oracle_.submit(action, ++now_, false);
  oracle_.arrived(reassign, ++now_);
  end(send(write_10(5, 1), 1), 0);
  EXPECT_EQ(verdict(), "");
  end(reassign, 0x02, {5, 0x26, 0});
  end(send(write_10(5, 1), 1), 0);
  EXPECT_EQ(verdict(), "not on the media");
}

TEST_F(Judged, Reassign_MovesNoBlockThatIsNotInItsList) {
  hear_of_power_on();
  Action action;
  action.cdb = {7, 0, 0, 0, 0, 0};
  action.list = {0, 0, 0, 4, 0, 0, 0, 5};
  Ticket& reassign = oracle_.submit(action, ++now_, false);
  oracle_.arrived(reassign, ++now_);
  end(send(write_10(6, 1), 1), 0);
  EXPECT_EQ(verdict(), "not on the media");
}

TEST_F(Judged, ReservedByTheOther_IsAConflict) {
  hear_of_power_on();
  end(send({0x16, 0, 0, 0, 0, 0}, 1), 0);
  end(send({0, 0, 0, 0, 0, 0}, 0), 0x18);
  EXPECT_EQ(verdict(), "");
  end(send({0x17, 0, 0, 0, 0, 0}, 1), 0);
  end(send({0, 0, 0, 0, 0, 0}, 0), 0x18);
  EXPECT_EQ(verdict(), "no reservation");
}

// ---- limits of duration (SPC-5)

/// Page T2A (07h) or T2B (08h) whose first descriptor limits the total time, in microseconds.
Bytes limits_list(std::uint8_t subpage, std::uint16_t microseconds, std::uint8_t policy) {
  Bytes list(4 + 232);
  list[4] = 0x4A;
  list[5] = subpage;
  list[7] = 0xE4;
  std::uint8_t* descriptor = list.data() + 4 + 8;
  descriptor[0] = 0x8;
  descriptor[10] = static_cast<std::uint8_t>(microseconds >> 8U);
  descriptor[11] = static_cast<std::uint8_t>(microseconds);
  descriptor[14] = policy;
  return list;
}

class JudgedLimits : public Judged {
 protected:
  static constexpr Picoseconds kMicrosecond = 1'000'000;

  void set_limits(std::uint8_t policy, std::uint8_t status = 0) {
    set_list(limits_list(0x07, 100, policy), status);
  }
  void set_list(const Bytes& list, std::uint8_t status = 0) {
    Action action;
    action.cdb = {0x15, 0x10, 0, 0, 236, 0};
    action.list = list;
    actions_.push_back(action);
    Ticket& ticket = oracle_.submit(actions_.back(), ++now_, false);
    oracle_.arrived(ticket, ++now_);
    end(ticket, status);
  }
  /// READ(16) of block 5 with descriptor 1, or with none.
  Ticket& send_read(bool limited = true, std::uint8_t host = 0) {
    Bytes cdb(16);
    cdb[0] = 0x88;
    cdb[9] = 5;
    cdb[13] = 1;
    if (limited) cdb[14] = 0x40;
    return send(cdb, host);
  }
};

TEST_F(JudgedLimits, AnEndByALimit_ComesNotBeforeIt) {
  hear_of_power_on();
  for (const Picoseconds early : {0, 1}) {
    set_limits(0xF);
    Ticket& read = send_read();
    now_ += 100 * kMicrosecond - 1 - early;  // its end is a picosecond later
    end(read, 0x02, {0xB, 0x2E, 0x02});
    EXPECT_EQ(verdict(), early == 0 ? "" : "sense");
  }
}

// 100 us go on with a second descriptor, of 50 us: it acts once it is reached, and no sooner.
TEST_F(JudgedLimits, AnEndByTheNextLimit_ComesNotBeforeThatIsReached) {
  hear_of_power_on();
  Bytes list = limits_list(0x07, 100, 0x1);
  Bytes second = limits_list(0x07, 50, 0xF);
  std::copy(second.begin() + 12, second.begin() + 44, list.begin() + 44);
  for (const Picoseconds early : {0, 1}) {
    set_list(list);
    Ticket& read = send_read();
    now_ += 100 * kMicrosecond - 1 - early;
    end(read, 0x02, {0xB, 0x2E, 0x02});
    EXPECT_EQ(verdict(), early == 0 ? "" : "sense");
  }
}

// A shorter limit of another descriptor is not its own.
TEST_F(JudgedLimits, AnEndByALimit_IsByItsOwnDescriptor) {
  hear_of_power_on();
  Bytes list = limits_list(0x07, 100, 0xF);
  Bytes second = limits_list(0x07, 50, 0xF);
  std::copy(second.begin() + 12, second.begin() + 44, list.begin() + 44);
  set_list(list);
  Ticket& read = send_read();
  now_ += 70 * kMicrosecond;
  end(read, 0x02, {0xB, 0x2E, 0x02});
  EXPECT_EQ(verdict(), "sense");
}

// SPC-5: abort-recovery acts while an error is being recovered, and so does abort.
TEST_F(JudgedLimits, AnEndDuringARecovery_NeedsAFlawThere) {
  hear_of_power_on();
  storyline_.flaws = {{media::FlawKind::kCorrectable, 5, 3}};
  set_limits(0xE);
  Ticket& flawed = send_read();
  now_ += 200 * kMicrosecond;
  end(flawed, 0x02, {0xB, 0x2E, 0x03});
  EXPECT_EQ(verdict(), "");
  storyline_.flaws.clear();
  Ticket& sound = send_read();
  now_ += 200 * kMicrosecond;
  end(sound, 0x02, {0xB, 0x2E, 0x03});
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(JudgedLimits, AbortRecovery_EndsNothingElse) {
  hear_of_power_on();
  set_limits(0xE);
  Ticket& read = send_read();
  now_ += 200 * kMicrosecond;
  end(read, 0x02, {0xB, 0x2E, 0x02});
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(JudgedLimits, WhatCameOfACompletedRead_IsLookedAt) {
  hear_of_power_on();
  set_limits(0xD);
  Bytes cdb(16);
  cdb[0] = 0x88;
  cdb[9] = 5;
  cdb[13] = 2;
  cdb[14] = 0x40;
  Ticket& right = send(cdb, 0);
  now_ += 200 * kMicrosecond;
  end(right, 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "");
  Ticket& wrong = send(cdb, 0);
  now_ += 200 * kMicrosecond;
  end(wrong, 0, {}, blocks_of(6, 1, 0));
  EXPECT_EQ(verdict(), "wrong data");
}

TEST_F(JudgedLimits, WithoutADescriptor_NoLimitEndsIt) {
  hear_of_power_on();
  set_limits(0xF);
  Ticket& read = send_read(false);
  now_ += 200 * kMicrosecond;
  end(read, 0x02, {0xB, 0x2E, 0x02});
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(JudgedLimits, AnotherHostsLimits_DoNotEndIt) {
  hear_of_power_on();
  set_limits(0xF);
  Ticket& read = send_read(true, 1);
  now_ += 200 * kMicrosecond;
  end(read, 0x02, {0xB, 0x2E, 0x02});
  EXPECT_EQ(verdict(), "sense");
}

TEST_F(JudgedLimits, BehindItsLimit_ACommandIsNotGood) {
  hear_of_power_on();
  for (const Picoseconds behind : {4000 * kMicrosecond, 6000 * kMicrosecond}) {
    set_limits(0xF);
    Ticket& read = send_read();
    now_ += 100 * kMicrosecond + behind;
    end(read, 0, {}, blocks_of(5, 1, 0));
    EXPECT_EQ(verdict(), behind < 5000 * kMicrosecond ? "" : "limit missed");
  }
}

// QUEUE FULL: the page of before is in force.
TEST_F(JudgedLimits, BehindARefusedSelect_TheyAreThoseOfBefore) {
  hear_of_power_on();
  set_limits(0xF);
  set_list(limits_list(0x07, 60'000, 0xF), 0x28);
  Ticket& read = send_read();
  now_ += 100 * kMicrosecond + 6000 * kMicrosecond;
  end(read, 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "limit missed");
}

TEST_F(JudgedLimits, BehindAReset_ThereMayBeNoLimits) {
  hear_of_power_on();
  set_limits(0xF);
  oracle_.bus_reset(++now_);
  end(send({0, 0, 0, 0, 0, 0}), 0x02, {6, 0x29, 0x02});
  Ticket& read = send_read();
  now_ += 9000 * kMicrosecond;
  end(read, 0, {}, blocks_of(5, 1, 0));
  EXPECT_EQ(verdict(), "");
}

TEST_F(JudgedLimits, GoodWithoutData_NeedsItsPolicy) {
  hear_of_power_on();
  set_limits(0xD);
  Ticket& read = send_read();
  now_ += 200 * kMicrosecond;
  end(read, 0);
  EXPECT_EQ(verdict(), "");
  Ticket& plain = send_read(false);
  now_ += 200 * kMicrosecond;
  end(plain, 0);
  EXPECT_EQ(verdict(), "length");
}

// ---- mode pages

class JudgedPages : public Judged {
 protected:
  static constexpr std::uint8_t kRemap = 0x23;
  static constexpr std::uint8_t kController = 0x21;

  /// A page of 20 bytes, all zeros but one.
  static Bytes page_of(std::uint8_t code, std::size_t at, std::uint8_t value) {
    Bytes page(20);
    page[0] = code;
    page[1] = 18;
    page[at] = value;
    return page;
  }
  Ticket& select(const Bytes& page, std::uint8_t host = 0) {
    Action action;
    action.host = host;
    action.list = {0, 0, 0, 0};
    action.list.insert(action.list.end(), page.begin(), page.end());
    action.cdb = {0x15, 0x10, 0, 0, static_cast<std::uint8_t>(action.list.size()), 0};
    actions_.push_back(action);
    Ticket& ticket = oracle_.submit(actions_.back(), ++now_, false);
    oracle_.arrived(ticket, ++now_);
    return ticket;
  }
  /// MODE SENSE returns this page. `control`: 0 current, 3 saved values.
  void sense(const Bytes& page, unsigned control = 0) {
    Ticket& ticket =
        send({0x1A, 0x08, static_cast<std::uint8_t>(control << 6U | page[0]), 0, 24, 0});
    Bytes data = {23, 0, 0x10, 0};
    data.insert(data.end(), page.begin(), page.end());
    data[4] |= 0x80;  // PS
    end(ticket, 0, {}, data);
  }
};

TEST_F(JudgedPages, SenseReturnsWhatSelectHasSet) {
  hear_of_power_on();
  sense(page_of(kController, 18, 0x01));
  EXPECT_EQ(verdict(), "") << "nobody has set it";
  end(select(page_of(kController, 18, 0xC0)), 0);
  sense(page_of(kController, 18, 0xC0));
  sense(page_of(kController, 18, 0x00), 3);
  EXPECT_EQ(verdict(), "");
  sense(page_of(kController, 18, 0x40));
  EXPECT_EQ(verdict(), "mode page");
}

TEST_F(JudgedPages, ARefusedSelectLeavesThePage) {
  hear_of_power_on();
  end(select(page_of(kController, 18, 0xC0)), 0);
  end(select(page_of(kController, 18, 0x01)), 0x28);
  sense(page_of(kController, 18, 0xC0));
  EXPECT_EQ(verdict(), "");
  sense(page_of(kController, 18, 0x01));
  EXPECT_EQ(verdict(), "mode page");
}

// Also if it was to save the page, and its host may not let go of the bus.
TEST_F(JudgedPages, ARefusedSelectThatSaves_LeavesThePage) {
  hear_of_power_on();
  end(select(page_of(kController, 18, 0xC0)), 0);
  actions_.push_back(actions_.back());
  Action& action = actions_.back();
  action.cdb[1] |= 0x01;
  action.list[4 + 18] = 0x01;
  action.may_disconnect = false;
  Ticket& ticket = oracle_.submit(actions_.back(), ++now_, false);
  oracle_.arrived(ticket, ++now_);
  end(ticket, 0x28);
  sense(page_of(kController, 18, 0x01));
  EXPECT_EQ(verdict(), "mode page");
}

TEST_F(JudgedPages, OfTwoSelectsAtATimeEitherMayBeLast) {
  hear_of_power_on();
  Ticket& one = select(page_of(kController, 18, 0xC0));
  Ticket& other = select(page_of(kController, 18, 0x01), 1);
  end(other, 0);
  end(one, 0);
  sense(page_of(kController, 18, 0xC0));
  sense(page_of(kController, 18, 0x01));
  EXPECT_EQ(verdict(), "");
}

TEST_F(JudgedPages, BehindAReset_Page23hIsAsItWas) {
  hear_of_power_on();
  end(select(page_of(kController, 18, 0xC0)), 0);
  end(select(page_of(kRemap, 4, 0x80)), 0);
  oracle_.bus_reset(++now_);
  end(send({0, 0, 0, 0, 0, 0}), 0x02, {6, 0x29, 0x02});
  sense(page_of(kController, 18, 0x00));
  sense(page_of(kRemap, 4, 0x80));
  EXPECT_EQ(verdict(), "");
  sense(page_of(kRemap, 4, 0x00), 3);
  EXPECT_EQ(verdict(), "mode page");
}

// Byte 5 is 0 when the map is made. The drive may choose its map with flag 04h.
TEST_F(JudgedPages, OfPage23hTheDriveChangesTwoBytes) {
  hear_of_power_on();
  Bytes page = page_of(kRemap, 5, 0x51);
  page[2] = 0x04;
  end(select(page), 0);
  page[5] = 0;
  page[3] = 2;
  sense(page);
  EXPECT_EQ(verdict(), "");
  page[2] = 0;
  end(select(page), 0);
  page[3] = 1;
  sense(page);
  EXPECT_EQ(verdict(), "mode page");
}

}  // namespace
}  // namespace headstack::fuzz
