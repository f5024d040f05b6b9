// SPDX-License-Identifier: Apache-2.0
// Commands that a drive drops without telling the host that sent them. That happens by QERR, when
// another one fails (SPC-2 8.3.6: no unit attention for the initiator that gets the CHECK
// CONDITION). It also happens beside an overlapped command (SCSI-2 7.5.2).
#include <gmock/gmock.h>

#include <map>

#include "tests/unit/bus_test_support.hpp"

namespace headstack::test {
namespace {

using bus::Phase;
using initiator::Outcome;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::uint8_t kCheckCondition = 2;
constexpr std::uint8_t kRequestSense = 0x03;
constexpr std::uint8_t kModeSense6 = 0x1A;

/// Fixed format (SPC-2 7.20.2).
Bytes sense(std::uint8_t key, std::uint8_t asc, std::uint8_t ascq) {
  return {0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, asc, ascq, 0, 0, 0, 0};
}
const Bytes kIllegalRequest = sense(5, 0x24, 0);
const Bytes kOverlapped = sense(0xB, 0x4E, 0);
const Bytes kModeParametersChanged = sense(6, 0x2A, 1);

const Bytes kInquiryChanged = sense(6, 0x3F, 3);

/// The control page with QERR, after another page (SPC-2 8.3.3, 8.3.6).
Bytes pages(std::uint8_t qerr) {
  const auto control = static_cast<std::uint8_t>(qerr << 1U);
  return {0x01, 10, 0, 8, 0, 0, 0, 0, 8, 0, 0, 0, 0x8A, 10, 0, control, 0, 0, 0, 0, 0, 0, 0, 0};
}
Bytes with_header_6(const Bytes& pages, bool with_descriptor = false) {
  Bytes list = {0, 0, 0, static_cast<std::uint8_t>(with_descriptor ? 8 : 0)};
  if (with_descriptor) list.insert(list.end(), {0, 0x0A, 0x0A, 0x0A, 0, 0x0A, 2, 0});
  list.insert(list.end(), pages.begin(), pages.end());
  return list;
}
Bytes with_header_10(const Bytes& pages) {
  Bytes list = {0, 0, 0, 0, 0, 0, 0, 8, 0, 0x0A, 0x0A, 0x0A, 0, 0x0A, 2, 0};
  list.insert(list.end(), pages.begin(), pages.end());
  return list;
}

initiator::Command mode_select(Bytes list, std::uint8_t operation = 0x15) {
  initiator::Command command;
  command.cdb = operation == 0x15 ? Bytes{0x15, 0x10, 0, 0, 0, 0} : Bytes(10);
  command.cdb[0] = operation;
  command.direction = initiator::Direction::kOut;
  command.data = std::move(list);
  return command;
}
initiator::Command mode_sense(std::uint8_t operation, std::uint8_t page_control = 0) {
  initiator::Command command;
  command.cdb = operation == kModeSense6 ? Bytes(6) : Bytes(10);
  command.cdb[0] = operation;
  command.cdb[2] = static_cast<std::uint8_t>(page_control << 6U | 0x3F);
  command.direction = initiator::Direction::kIn;
  command.length = 252;
  return command;
}

/// The CDBs that the target received, and the messages ahead of each.
struct Met {
  std::vector<Bytes> cdbs;
  std::vector<Bytes> messages;
};

Bytes take_command(TestTarget& t, Met& met) {
  t.await_selection();
  met.messages.push_back(t.messages_out());
  Bytes cdb = t.get(Phase::kCommand, 6);
  if (cdb[0] >= 0x20) {  // groups 1 and 2
    const Bytes rest = t.get(Phase::kCommand, 4);
    cdb.insert(cdb.end(), rest.begin(), rest.end());
  }
  met.cdbs.push_back(cdb);
  return cdb;
}
/// Takes a command and releases the bus.
void hold(TestTarget& t, Met& met) {
  take_command(t, met);
  t.message_in({0x04});
  t.release();
}
void answer(TestTarget& t, Met& met, const Bytes& data) {
  take_command(t, met);
  t.put(Phase::kDataIn, data);
  t.finish(0);
}
void take_data(TestTarget& t, Met& met, std::size_t bytes) {
  take_command(t, met);
  (void)t.get(Phase::kDataOut, bytes);
  t.finish(0);
}
void fail(TestTarget& t, Met& met) {
  take_command(t, met);
  t.finish(kCheckCondition);
}
/// ABORT TAG; the tag that it names, -1 for something else.
int take_abort_tag(TestTarget& t) {
  t.await_selection();
  const Bytes bytes = t.messages_out();
  t.release();
  const bool aborts = bytes.size() >= 4 && bytes[1] == 0x20 && bytes.back() == 0x0D;
  return aborts ? bytes[2] : -1;
}
/// A command that it held comes to its end.
void end_held(TestTarget& t, std::uint8_t tag, std::uint8_t status = 0) {
  while (!t.reselect(7)) {
  }
  t.message_in({0x80, 0x20, tag});
  t.finish(status);
}

class Dropped : public testing::Test {
 protected:
  /// The drive holds tags 1 and 2 when tag 3 fails; what comes after is the script's.
  void submit_three() {
    for (std::uint16_t tag = 1; tag <= 3; ++tag) submit(tag);
  }
  void submit(std::uint16_t tag) { ids_[bench_.submit(tagged(test_unit_ready(), tag))] = tag; }
  /// Tags whose commands had this outcome, in order.
  std::vector<unsigned> ended(Outcome outcome) const {
    std::vector<unsigned> tags;
    for (const initiator::Completion& done : bench_.completions) {
      const auto found = ids_.find(done.id);
      if (found != ids_.end() && done.outcome == outcome) tags.push_back(found->second);
    }
    return tags;
  }
  std::vector<std::uint8_t> operations() const {
    std::vector<std::uint8_t> all;
    for (const Bytes& cdb : met_.cdbs) all.push_back(cdb[0]);
    return all;
  }

  Bench bench_;
  Met met_;
  std::map<initiator::CommandId, unsigned> ids_;
};

struct Lesson {
  const char* what;
  std::uint8_t qerr;
  initiator::Command command;  // a command that returns the page
  Bytes list;                  // data in
};

class DroppedByKnownQerr : public Dropped, public testing::WithParamInterface<Lesson> {};

// The adapter has seen the page, so it need not ask: what was in the drive ends, or stays.
TEST_P(DroppedByKnownQerr, EndsWhatTheDriveHad_WhenQerrSaysSo) {
  const Lesson& lesson = GetParam();
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    if (lesson.command.direction == initiator::Direction::kIn) {
      answer(t, met_, lesson.list);
    } else {
      take_data(t, met_, lesson.command.data.size());
    }
    hold(t, met_);
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    hold(t, met_);  // tag 4, which came later
    if (lesson.qerr == 0) {
      end_held(t, 1);
      end_held(t, 2);
    }
    end_held(t, 4);
  });
  bench_.submit(lesson.command);
  submit_three();
  submit(4);
  bench_.run();
  if (lesson.qerr == 0) {
    EXPECT_THAT(ended(Outcome::kComplete), ElementsAre(3, 1, 2, 4));
  } else {
    EXPECT_THAT(ended(Outcome::kComplete), ElementsAre(3, 4));
    EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1, 2));
  }
  EXPECT_TRUE(bench_.initiator.idle());
  bench_.expect_no_violations();
}

const Lesson kLessons[] = {
    {"Select6_00b", 0, mode_select(with_header_6(pages(0))), {}},
    {"Select6_01b", 1, mode_select(with_header_6(pages(1))), {}},
    {"Select6_11b", 3, mode_select(with_header_6(pages(3), true)), {}},
    {"Select10_01b", 1, mode_select(with_header_10(pages(1)), 0x55), {}},
    {"Sense6_01b", 1, mode_sense(kModeSense6), with_header_6(pages(1))},
    {"Sense6_00b", 0, mode_sense(kModeSense6), with_header_6(pages(0), true)},
    {"Sense10_11b", 3, mode_sense(0x5A), with_header_10(pages(3))},
};
INSTANTIATE_TEST_SUITE_P(Initiator, DroppedByKnownQerr, testing::ValuesIn(kLessons),
                         [](const auto& lesson) { return std::string(lesson.param.what); });

struct Question {
  const char* what;
  std::vector<Bytes> refusals;  // sense data of MODE SENSE, before it is answered
  int qerr;                     // -1: never answered
  bool ends;
};

class DroppedByUnknownQerr : public Dropped, public testing::WithParamInterface<Question> {};

TEST_P(DroppedByUnknownQerr, AsksForThePage_BehindRequestSense) {
  const Question& question = GetParam();
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    hold(t, met_);
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    for (const Bytes& refusal : question.refusals) {
      fail(t, met_);
      answer(t, met_, refusal);
    }
    if (question.qerr >= 0) {
      answer(t, met_, with_header_6(pages(static_cast<std::uint8_t>(question.qerr))));
    }
    if (question.ends) return;
    end_held(t, 1);
    end_held(t, 2);
  });
  submit_three();
  bench_.run();
  const std::vector<unsigned> gone =
      question.ends ? std::vector<unsigned>{1, 2} : std::vector<unsigned>{};
  EXPECT_EQ(ended(Outcome::kClearedByQueueError), gone);
  EXPECT_TRUE(bench_.initiator.idle());
  bench_.expect_no_violations();
  ASSERT_GE(met_.cdbs.size(), 5U);
  EXPECT_EQ(met_.cdbs[3][0], kRequestSense);
  EXPECT_EQ(met_.cdbs[4], (Bytes{kModeSense6, 0x08, 0x0A, 0, 255, 0})) << "DBD, current values";
  // Untagged, it would be an overlapped command beside tagged ones (SCSI-2 7.5.2).
  EXPECT_EQ(met_.messages[4][1], 0x20);
}

const Question kQuestions[] = {
    {"Answered01b", {}, 1, true},
    {"Answered11b", {}, 3, true},
    {"Answered00b", {}, 0, false},
    {"AttentionFirst", {kInquiryChanged}, 1, true},
    {"NoSuchPage", {kIllegalRequest}, -1, false},
};
INSTANTIATE_TEST_SUITE_P(Initiator, DroppedByUnknownQerr, testing::ValuesIn(kQuestions),
                         [](const auto& question) { return std::string(question.param.what); });

// SPC-2 7.6: 2A/01 tells that another host changed mode parameters: what was known is not any more.
TEST_F(Dropped, AfterAnothersModeSelect_TheAdapterAsksAnew) {
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    take_data(t, met_, 28);
    fail(t, met_);
    answer(t, met_, kModeParametersChanged);
    hold(t, met_);
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    answer(t, met_, with_header_6(pages(1)));
  });
  bench_.submit(mode_select(with_header_6(pages(0))));
  bench_.submit(test_unit_ready());
  submit_three();
  bench_.run();
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1, 2));
  EXPECT_TRUE(bench_.initiator.idle());
}

// Other unit attentions say nothing of the control page: QERR stays known, and nobody is asked.
TEST_F(Dropped, AfterAnotherUnitAttention_TheAdapterGoesByWhatItKnows) {
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    take_data(t, met_, 28);
    fail(t, met_);
    answer(t, met_, kInquiryChanged);
    hold(t, met_);
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
  });
  bench_.submit(mode_select(with_header_6(pages(1))));
  bench_.submit(test_unit_ready());
  submit_three();
  bench_.run();
  EXPECT_THAT(operations(), ElementsAre(0x15, 0, kRequestSense, 0, 0, 0, kRequestSense));
  EXPECT_EQ(bench_.initiator.question_count(), 0U);
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1, 2));
  EXPECT_TRUE(bench_.initiator.idle());
}

// Between the failure and the answer the page has become another one: the drive may have those
// commands, or not. SCSI-2 6.6.2: ABORT TAG ends them if it has, and does no harm if not.
TEST_F(Dropped, WhenAnotherHostChangesThePageMeanwhile_AbortTagMakesSure) {
  std::vector<int> aborted;
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    hold(t, met_);
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    fail(t, met_);
    answer(t, met_, kModeParametersChanged);
    answer(t, met_, with_header_6(pages(1)));
    aborted.push_back(take_abort_tag(t));
    aborted.push_back(take_abort_tag(t));
  });
  submit_three();
  bench_.run();
  EXPECT_THAT(aborted, UnorderedElementsAre(1, 2));
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), UnorderedElementsAre(1, 2));
  EXPECT_TRUE(bench_.initiator.idle());
  bench_.expect_no_violations();
}

// The adversary's 778-1229: QERR came into force after the failure, and command 1 is still there.
TEST_F(Dropped, WhenTheHostChangesThePageItselfMeanwhile_AbortTagMakesSure) {
  int aborted = 0;
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    hold(t, met_);
    fail(t, met_);
    take_data(t, met_, 28);
    answer(t, met_, with_header_6(pages(3)));
    aborted = take_abort_tag(t);
  });
  initiator::Command bad = test_unit_ready();
  bad.auto_sense = false;
  submit(1);
  bench_.submit(tagged(bad, 2));
  bench_.submit(tagged(mode_select(with_header_6(pages(3))), 3));
  bench_.run();
  EXPECT_EQ(aborted, 1);
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1));
  EXPECT_TRUE(bench_.initiator.idle());
}

// The drive may have gone by the new page already when ABORT TAG ended the MODE SELECT.
TEST_F(Dropped, WhenTheHostAbortsItsModeSelectMeanwhile_AbortTagMakesSure) {
  std::vector<int> aborted;
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    hold(t, met_);
    fail(t, met_);
    take_command(t, met_);
    (void)t.get(Phase::kDataOut, 28);
    t.message_in({0x04});
    t.release();
    aborted.push_back(take_abort_tag(t));
    answer(t, met_, kIllegalRequest);
    answer(t, met_, with_header_6(pages(1)));
    aborted.push_back(take_abort_tag(t));
  });
  initiator::Command bad = test_unit_ready();
  bad.auto_sense = false;
  submit(1);
  bench_.submit(tagged(bad, 2));
  bench_.submit(tagged(mode_select(with_header_6(pages(1))), 3));
  bench_.run();
  initiator::Management abort;
  abort.kind = initiator::ManagementKind::kAbortTag;
  abort.tag = 3;
  bench_.manage(abort);
  initiator::Command request = read_bytes(18);
  request.cdb = {kRequestSense, 0, 0, 0, 18, 0};
  bench_.submit(request);
  bench_.run();
  EXPECT_THAT(aborted, ElementsAre(3, 1));
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1));
  EXPECT_TRUE(bench_.initiator.idle());
}

/// The page says that all others end (1), or none (0). In either case it may be another one
/// already, as the drive keeps the MODE SELECT's status until the page is saved.
class DroppedBehindModeSelect : public Dropped, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Initiator, DroppedBehindModeSelect, testing::Values(0, 1));

TEST_P(DroppedBehindModeSelect, WhoseStatusIsOutstanding_AbortTagMakesSure) {
  const auto qerr = static_cast<std::uint8_t>(GetParam());
  std::vector<int> aborted;
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    take_data(t, met_, 28);
    hold(t, met_);
    take_command(t, met_);
    (void)t.get(Phase::kDataOut, 28);
    t.message_in({0x04});
    t.release();
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    aborted.push_back(take_abort_tag(t));
    aborted.push_back(take_abort_tag(t));
  });
  bench_.submit(tagged(mode_select(with_header_6(pages(qerr))), 4));
  submit(1);
  initiator::Command other = mode_select(with_header_6(pages(static_cast<std::uint8_t>(1 - qerr))));
  ids_[bench_.submit(tagged(std::move(other), 2))] = 2;
  submit(3);
  bench_.run();
  EXPECT_THAT(aborted, UnorderedElementsAre(1, 2));
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), UnorderedElementsAre(1, 2));
  EXPECT_TRUE(bench_.initiator.idle());
  bench_.expect_no_violations();
}

TEST_F(Dropped, WithNothingElseInTheDrive_NobodyIsAsked) {
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    hold(t, met_);
    end_held(t, 2);
  });
  submit(1);
  submit(2);
  bench_.run();
  EXPECT_THAT(operations(), ElementsAre(0, kRequestSense, 0));
  EXPECT_TRUE(bench_.initiator.idle());
}

// SCSI-2 7.5.2: the target drops all of this initiator's commands for the logical unit, and keeps
// those for others.
TEST_F(Dropped, ByAnOverlappedCommand_AllOfItsLogicalUnit) {
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    hold(t, met_);
    hold(t, met_);
    hold(t, met_);  // a command of LUN 1
    fail(t, met_);
    answer(t, met_, kOverlapped);
    while (!t.reselect(7)) {
    }
    t.message_in({0x81, 0x20, 5});
    t.finish(0);
  });
  submit(1);
  submit(2);
  initiator::Command elsewhere = tagged(test_unit_ready(), 5);
  elsewhere.lun = 1;
  ids_[bench_.submit(elsewhere)] = 5;
  ids_[bench_.submit(test_unit_ready())] = 99;  // untagged beside tagged
  bench_.run();
  EXPECT_THAT(ended(Outcome::kClearedByOverlap), ElementsAre(1, 2));
  EXPECT_THAT(ended(Outcome::kComplete), ElementsAre(99, 5));
  EXPECT_THAT(operations(), ElementsAre(0, 0, 0, 0, kRequestSense)) << "QERR does not matter then";
  EXPECT_TRUE(bench_.initiator.idle());
  bench_.expect_no_violations();
}

// A host that fetches sense data itself informs the adapter as well.
TEST_F(Dropped, SenseFetchedByTheHost_TellsAsMuch) {
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kOverlapped);
  });
  submit(1);
  initiator::Command overlapped = test_unit_ready();
  overlapped.auto_sense = false;
  bench_.submit(overlapped);
  bench_.run();
  EXPECT_THAT(ended(Outcome::kClearedByOverlap), IsEmpty()) << "nobody knows of it yet";
  initiator::Command request = read_bytes(18);
  request.cdb = {kRequestSense, 0, 0, 0, 18, 0};
  bench_.submit(request);
  bench_.run();
  EXPECT_THAT(ended(Outcome::kClearedByOverlap), ElementsAre(1));
  EXPECT_TRUE(bench_.initiator.idle());
}

// The sense data may tell of another page, and the question would destroy them (SCSI-2 7.6): both
// wait until the host has fetched them. With QERR known, nobody is asked.
TEST_F(Dropped, SenseFetchedByTheHost_ComesBeforeTheQuestion) {
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    answer(t, met_, with_header_6(pages(1)));
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
  });
  initiator::Command bad = test_unit_ready();
  bad.auto_sense = false;
  submit(1);
  bench_.submit(tagged(bad, 2));
  bench_.run();
  EXPECT_EQ(met_.cdbs.size(), 2U) << "no question beside sense data that wait";
  initiator::Command request = read_bytes(18);
  request.cdb = {kRequestSense, 0, 0, 0, 18, 0};
  bench_.submit(request);
  bench_.run();
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1));
  submit(3);
  bench_.submit(tagged(bad, 4));
  bench_.run();
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1));
  bench_.submit(request);
  bench_.run();
  EXPECT_THAT(ended(Outcome::kClearedByQueueError), ElementsAre(1, 3)) << "known by now";
  EXPECT_TRUE(bench_.initiator.idle());
}

// The saved pages hold after a reset, and those nobody has seen.
TEST_F(Dropped, AfterAReset_TheAdapterAsksAnew) {
  TestTarget target("target", bench_.bus, 0, [&](TestTarget& t) {
    take_data(t, met_, 28);
    while (!t.reset_seen()) t.wait_ps(kPicosecondsPerMicrosecond);
    hold(t, met_);
    fail(t, met_);
    answer(t, met_, kIllegalRequest);
    answer(t, met_, with_header_6(pages(0)));
    end_held(t, 1);
  });
  bench_.submit(mode_select(with_header_6(pages(1))));
  bench_.run(kPicosecondsPerMillisecond);
  bench_.initiator.reset_bus();
  bench_.run();
  submit(1);
  submit(2);
  bench_.run();
  EXPECT_THAT(ended(Outcome::kComplete), ElementsAre(2, 1));
  EXPECT_TRUE(bench_.initiator.idle());
}

}  // namespace
}  // namespace headstack::test
