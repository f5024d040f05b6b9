// SPDX-License-Identifier: Apache-2.0
// Page 21h, bytes 20 to 31 and the hold of a write: the later times of an older controller in a
// command, phase by phase. firmware/unit/mode_page.h defines which step each time precedes.
#include "firmware/kernel/bytes.h"
#include "firmware/unit/mode_page.h"
#include "tests/firmware/controller_page.hpp"
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

const Bytes kRead2 = {0x28, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};  // 2 blocks: 1024 bytes
const Bytes kWrite2 = {0x2A, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};
constexpr std::uint32_t kUnits = 1000;
constexpr time_tick kTicks = kUnits * MODE_CONTROLLER_UNIT_TICKS;

class ScsiStages : public ScsiBusFixture {
 protected:
  /// Sets one stage to kTicks, and the others to 0. `bits` are those of byte 18.
  void select(mode_controller_stage stage, std::uint8_t bits = 0) {
    Bytes page = test::controller_page();
    page[MODE_CONTROLLER_AT_AHEAD] = bits;
    bytes_put_be16(page.data() + MODE_CONTROLLER_AT_STAGES + 2 * stage, kUnits);
    const Lines log = mode_select(page);
    ASSERT_EQ(log[log.size() - 3], "ST 00");
  }
  /// Lets time pass as the drive's loop does.
  Lines pass(time_tick ticks) {
    core_.now_ticks += ticks;
    if (alarm_take(&target_->alarm, core_.now_ticks)) target_on_alarm(target_.get());
    bus_.run();
    return bus_.take_log();
  }
  task* start(const Bytes& cdb, std::uint8_t tag = 5) {
    connect({0xC0, 0x20, tag}, cdb);
    return last();
  }

  const Lines kData = {"RESEL 7", "MI 80 20 05", "DMA-IN 1024", "MI 02 04", "FREE"};
  const Lines kDataOut = {"RESEL 7", "MI 80 20 05", "DMA-OUT 1024", "MI 04", "FREE"};
  const Lines kStatus = {"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"};
};

TEST_F(ScsiStages, AtPowerOnNoneTakesTime) {
  task* read = start(kRead2);
  EXPECT_EQ(grant(read, 2), kData);
  EXPECT_EQ(end(read), kStatus);
}

TEST_F(ScsiStages, DataOfTheMedia_WaitForTheController) {
  select(MODE_STAGE_READ_DATA);
  task* read = start(kRead2);
  EXPECT_EQ(grant(read, 2), Lines{});
  EXPECT_EQ(pass(kTicks - 1), Lines{});
  EXPECT_EQ(pass(1), kData);
  EXPECT_EQ(end(read), kStatus) << "its status does not";
}

TEST_F(ScsiStages, DataOfAHit_DoNot) {
  select(MODE_STAGE_READ_DATA);
  task* read = start(kRead2);
  read->flags |= TASK_FLAG_HIT;
  EXPECT_EQ(grant(read, 2), kData);
}

// MODE_CONTROLLER_RESELECTS_AHEAD affects only data that leave by a share.
TEST_F(ScsiStages, DataOfAShare_DoNot_IfTheDriveHasPreparedMeanwhile) {
  for (const bool ahead : {false, true}) {
    for (const bool by_share : {false, true}) {
      select(MODE_STAGE_READ_DATA, ahead ? MODE_CONTROLLER_RESELECTS_AHEAD : 0);
      task* read = start(kRead2);
      if (by_share) read->flags |= TASK_FLAG_BY_SHARE;
      const bool waits = !ahead || !by_share;
      EXPECT_EQ(grant(read, 2), waits ? Lines{} : kData) << ahead << by_share;
      if (waits) {
        EXPECT_EQ(pass(kTicks), kData) << ahead << by_share;
      }
      EXPECT_EQ(end(read), kStatus) << ahead << by_share;
    }
  }
}

TEST_F(ScsiStages, RestOfTheData_DoesNot) {
  select(MODE_STAGE_READ_DATA);
  task* read = start(kRead2);
  grant(read, 1);
  EXPECT_EQ(pass(kTicks).size(), 5U);
  EXPECT_EQ(grant(read, 1).size(), 5U);
}

TEST_F(ScsiStages, StatusOfARead_WaitsOnTheBus) {
  select(MODE_STAGE_READ_STATUS);
  task* read = start(kRead2);
  EXPECT_EQ(grant(read, 2), kData);
  EXPECT_EQ(end(read), (Lines{"RESEL 7", "MI 80 20 05"}));
  EXPECT_EQ(pass(kTicks - 1), Lines{});
  EXPECT_EQ(pass(1), (Lines{"ST 00", "MI 00", "FREE"}));
  task* write = start(kWrite2);
  grant(write, 2);
  EXPECT_EQ(end(write), kStatus) << "a write's does not";
}

TEST_F(ScsiStages, StatusOfAWrite_WaitsForTheController) {
  select(MODE_STAGE_WRITE_STATUS);
  task* write = start(kWrite2);
  EXPECT_EQ(grant(write, 2), kDataOut) << "its data do not";
  EXPECT_EQ(end(write), Lines{});
  EXPECT_EQ(pass(kTicks - 1), Lines{});
  EXPECT_EQ(pass(1), kStatus);
  task* read = start(kRead2);
  EXPECT_EQ(grant(read, 2), kData);
  EXPECT_EQ(end(read), kStatus) << "a read's does not";
}

TEST_F(ScsiStages, FarWrite_HasSeparateTimes) {
  for (const bool is_far : {false, true}) {
    for (const auto stage :
         {MODE_STAGE_FAR_WRITE_DATA, MODE_STAGE_FAR_WRITE_STATUS, MODE_STAGE_WRITE_STATUS}) {
      select(stage);
      task* write = start(kWrite2);
      if (is_far) write->flags |= TASK_FLAG_FAR_WRITE;
      const bool data_wait = is_far && stage == MODE_STAGE_FAR_WRITE_DATA;
      EXPECT_EQ(grant(write, 2), data_wait ? Lines{} : kDataOut) << stage;
      if (data_wait) {
        EXPECT_EQ(pass(kTicks), kDataOut);
      }
      const bool status_waits =
          stage == (is_far ? MODE_STAGE_FAR_WRITE_STATUS : MODE_STAGE_WRITE_STATUS);
      EXPECT_EQ(end(write), status_waits ? Lines{} : kStatus) << stage;
      if (status_waits) {
        EXPECT_EQ(pass(kTicks), kStatus);
      }
    }
  }
}

// The bus is free while the controller prepares. A selection of the drive comes first, and the
// reselection is prepared anew.
TEST_F(ScsiStages, Selection_ComesBeforeAPreparedReselection) {
  select(MODE_STAGE_READ_DATA);
  task* read = start(kRead2);
  grant(read, 2);
  pass(kTicks / 2);
  const Lines log = connect({0xC0}, {0x00, 0, 0, 0, 0, 0}, kOther);
  EXPECT_EQ(log[0].substr(0, 3), "SEL");
  EXPECT_EQ(log.back(), "FREE");
  EXPECT_EQ(pass(kTicks - 1), Lines{});
  EXPECT_EQ(pass(1), kData);
}

TEST_F(ScsiStages, AbortedTask_IsNotReselected) {
  select(MODE_STAGE_READ_DATA);
  task* read = start(kRead2);
  grant(read, 2);
  connect({0xC0, 0x20, 0x05, 0x0D}, {});  // SCSI-2 6.6.2: ABORT TAG
  EXPECT_EQ(pass(2 * kTicks), Lines{});
  EXPECT_EQ(connect({0xC0}, {0x00, 0, 0, 0, 0, 0}).back(), "FREE") << "the bus is usable";
}

TEST_F(ScsiStages, ResetWhileItPrepares_LeavesNothing) {
  for (const auto stage : {MODE_STAGE_READ_DATA, MODE_STAGE_READ_STATUS}) {
    select(stage);
    task* read = start(kRead2);
    grant(read, 2);
    if (stage == MODE_STAGE_READ_STATUS) end(read);
    bus_.reset();
    bus_.run();
    (void)bus_.take_log();
    EXPECT_EQ(pass(2 * kTicks), Lines{});
    make_ready();
    task* next = start(kRead2, 6);
    // The page has its saved values: no stage takes time.
    EXPECT_EQ(grant(next, 2)[0], "RESEL 7");
    end(next);
  }
}

}  // namespace
}  // namespace headstack::firmware
