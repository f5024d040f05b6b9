// SPDX-License-Identifier: Apache-2.0
// Selections without an answer (SCSI-2 6.1.3.1).
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

class Selection : public DriveBench {
 protected:
  static Command to(std::uint8_t target, Command command) {
    command.target = target;
    return command;
  }
};

TEST_F(Selection, OfAnIdThatIsNotThere_TimesOut_AndTheBusIsFree) {
  power_on_ready();
  const Completion done = execute(to(3, test_unit_ready()));
  EXPECT_EQ(outcome(done), "selection time-out");
  // SCSI-2 5.7: the recommended selection time-out delay is 250 ms, after arbitration.
  EXPECT_GE(done.times.finished - done.times.arbitration_won, 250 * kMillisecond);
  EXPECT_EQ(platform().phase(), bus::Phase::kBusFree);
  EXPECT_EQ(run(test_unit_ready()), "GOOD") << "the drive was not meant, and did not mind";
}

// Ids above 7 have no line on a narrow host's bus, but on this one they do.
TEST_F(Selection, OfAWideId_TimesOutToo) {
  power_on_ready();
  EXPECT_EQ(run(to(12, test_unit_ready())), "selection time-out");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

// The drive needs the bus in the meantime: it waits, and then reselects.
TEST_F(Selection, WithoutAResponse_OnlyDelaysADriveThatArbitrates) {
  power_on_fast();
  prepare(1500, 4);
  const Ticket read = submit(tagged(read_10(1500, 4), 1));
  const Ticket lost = submit(to(5, test_unit_ready()));
  EXPECT_EQ(outcome(await(lost)), "selection time-out");
  expect_data(await(read), 1500, 4);
  EXPECT_LT(place(lost), place(read));
  EXPECT_EQ(result(read).times.reselected.size(), 1U);
}

}  // namespace
}  // namespace headstack::scenario
