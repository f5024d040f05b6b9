// SPDX-License-Identifier: Apache-2.0
// Parts of the host adapter by themselves, without a bus. Sense data are those of SCSI-2 8.2.14 and
// SPC-3 4.5, and mode parameter lists those of SPC-2 8.3.3, with QERR by 8.3.6.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "sim/initiator/connection.hpp"
#include "sim/initiator/queue_error.hpp"

namespace headstack::initiator {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct SenseCase {
  const char* what;
  Bytes sense;
  std::uint8_t key, asc, ascq;
  bool is_deferred;
  std::optional<std::uint32_t> information;
};

/// Fixed format (SCSI-2 8.2.14): the key after three flags, information in bytes 3 - 6, the codes
/// in 12 and 13. Bit 7 of byte 0 says that the information is valid.
Bytes fixed_sense(std::uint8_t first) {
  return {first, 0, 0xE3, 0x12, 0x34, 0x56, 0x78, 10, 0, 0, 0, 0, 0x11, 0x0B, 0, 0, 0, 0};
}
/// With descriptors (SPC-3 4.5.2): key, codes, and from byte 8 descriptors, of which there are
/// none.
Bytes descriptor_sense(std::uint8_t first) { return {first, 0x0B, 0x4E, 0x01, 0, 0, 0, 0}; }

TEST(SenseCodes, AreWhereTheFormatHasThem) {
  const SenseCase cases[] = {
      {"current", fixed_sense(0x70), 3, 0x11, 0x0B, false, std::nullopt},
      {"current, valid", fixed_sense(0xF0), 3, 0x11, 0x0B, false, 0x12345678U},
      {"deferred", fixed_sense(0x71), 3, 0x11, 0x0B, true, std::nullopt},
      {"deferred, valid", fixed_sense(0xF1), 3, 0x11, 0x0B, true, 0x12345678U},
      {"descriptors, current", descriptor_sense(0x72), 0xB, 0x4E, 1, false, std::nullopt},
      {"descriptors, reserved bit", descriptor_sense(0xF2), 0xB, 0x4E, 1, false, std::nullopt},
      {"descriptors, deferred", descriptor_sense(0x73), 0xB, 0x4E, 1, true, std::nullopt},
  };
  for (const SenseCase& c : cases) {
    SCOPED_TRACE(c.what);
    const std::optional<SenseCodes> codes = sense_codes(c.sense);
    ASSERT_TRUE(codes);
    EXPECT_EQ(codes->key, c.key);
    EXPECT_EQ(codes->asc, c.asc);
    EXPECT_EQ(codes->ascq, c.ascq);
    EXPECT_EQ(codes->is_deferred, c.is_deferred);
    EXPECT_EQ(codes->information, c.information);
  }
}

TEST(SenseCodes, OfDataThatEndEarly_AreThoseThatCame) {
  Bytes sense = fixed_sense(0x70);
  sense.resize(13);
  ASSERT_TRUE(sense_codes(sense));
  EXPECT_EQ(sense_codes(sense)->asc, 0x11);
  EXPECT_EQ(sense_codes(sense)->ascq, 0);
  sense.resize(12);
  EXPECT_FALSE(sense_codes(sense));
  EXPECT_FALSE(sense_codes({}));
}

/// A mode parameter list with a short header and one page, whose byte 3 would be QERR 01b.
Bytes list_of(std::uint8_t page) { return {0, 0, 0, 0, page, 10, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0}; }
constexpr std::uint8_t kControlPage = 0x0A, kCachingPage = 0x08;

Command sends(std::uint8_t operation, const Bytes& data) {
  Command command;
  command.cdb = Bytes(operation < 0x20 ? 6 : 10);
  command.cdb[0] = operation;
  command.direction = Direction::kOut;
  command.data = data;
  return command;
}

TEST(QueueErrorPage, IsSelectedByAModeSelectThatHasIt_AndByNothingElse) {
  EXPECT_TRUE(selects_queue_error(sends(0x15, list_of(kControlPage))));
  Bytes long_list = list_of(kControlPage);
  long_list.insert(long_list.begin(), 4, 0);  // a header of eight bytes
  EXPECT_TRUE(selects_queue_error(sends(0x55, long_list)));
  EXPECT_FALSE(selects_queue_error(sends(0x15, list_of(kCachingPage))));
  EXPECT_FALSE(selects_queue_error(sends(0x15, {})));
  EXPECT_FALSE(selects_queue_error(sends(0x0A, list_of(kControlPage)))) << "a write of such bytes";
}

/// QERR as one good command with this data teaches it.
QueueError learned_from(const Bytes& cdb, const Bytes& data) {
  Command command;
  command.cdb = cdb;
  command.direction = Direction::kIn;
  Completion completion;
  completion.data = data;
  QueueErrorRules rules;
  rules.learn_from(command, completion);
  return rules.of(0, 0);
}

// Page control is in the upper bits of byte 2 (SPC-2 7.8): 0 asks for the present values. 1 asks
// for what can be changed, 2 for the defaults, 3 for the saved values.
TEST(QueueErrorPage, IsLearntFromPresentValues_AndFromNoOtherData) {
  const Bytes page = list_of(kControlPage);
  for (unsigned control = 0; control < 4; ++control) {
    const auto asked = static_cast<std::uint8_t>(control << 6U | kControlPage);
    EXPECT_EQ(learned_from({0x1A, 8, asked, 0, 255, 0}, page),
              control == 0 ? QueueError::kAbort : QueueError::kUnknown);
  }
  EXPECT_EQ(learned_from({0x08, 0, 0, 0, 1, 0}, page), QueueError::kUnknown)
      << "a block that is so";
}

/// A bus that nothing happens on.
struct QuietBus : BusAccess {
  Picoseconds now() const override { return 0; }
  void want_bus(bool /*wanted*/) override {}
  void reset_bus() override {}
  void raise_attention() override {}
  bool interject() override { return false; }
  bool connected() const override { return true; }
  void report_broken_agreement() override {}
};

/// A connection for one command of four bytes, in this direction.
struct DataPhase {
  explicit DataPhase(Direction direction, bool with_fault = false) {
    task.command.cdb = Bytes(6);
    task.command.direction = direction;
    task.command.length = 4;
    if (direction == Direction::kOut) task.command.data = Bytes(4);
    const bus::Phase phase =
        direction == Direction::kIn ? bus::Phase::kDataIn : bus::Phase::kDataOut;
    if (with_fault) task.command.parity_faults = {ParityFault{phase, 2}};
    task.result.data = Bytes(4);
    connection.use(quiet);
    connection.begin_selected(task, negotiator);
    connection.enter_phase(phase);
  }

  QuietBus quiet;
  TaskTable tasks;
  Negotiator negotiator{kAsynchronous};
  Task task;
  Connection connection{tasks, [] {}};
};

// bus_access.hpp: many at once, unless the data end, a nexus is missing or a parity error is to
// come.
TEST(DataAtOnce, HaveAPlace_UnlessBytesMustMoveOneByOne) {
  DataPhase in(Direction::kIn);
  EXPECT_EQ(in.connection.data_place(4), in.task.result.data.data());
  EXPECT_EQ(in.connection.data_place(5), nullptr) << "past the end";
  EXPECT_EQ(in.connection.data_source(4), nullptr) << "the other direction";
  DataPhase out(Direction::kOut);
  EXPECT_EQ(out.connection.data_source(4), out.task.command.data.data());
  EXPECT_EQ(out.connection.data_source(5), nullptr) << "past the end";
  EXPECT_EQ(out.connection.data_place(4), nullptr) << "the other direction";
  EXPECT_EQ(DataPhase(Direction::kIn, true).connection.data_place(4), nullptr);
  EXPECT_EQ(DataPhase(Direction::kOut, true).connection.data_source(4), nullptr);
  in.connection.clear();
  EXPECT_EQ(in.connection.data_place(4), nullptr) << "no nexus";
  EXPECT_EQ(in.connection.data_source(4), nullptr) << "no nexus";
}

// agreement.hpp: the next connection negotiates. Meanwhile another command's connection may be on
// the bus, and nothing was asked in it.
TEST(Negotiation, ThatHasNotBegun_StaysDue) {
  Negotiator negotiator(kFast10Wide);
  negotiator.require();
  negotiator.abandon();
  EXPECT_TRUE(negotiator.needed());
  EXPECT_EQ(negotiator.open(), width_message(1));
  negotiator.abandon();
  EXPECT_FALSE(negotiator.needed()) << "it had begun, and no answer came";
}

}  // namespace
}  // namespace headstack::initiator
