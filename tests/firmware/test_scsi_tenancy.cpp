// SPDX-License-Identifier: Apache-2.0
// The limits of page 02h on the bus: SCSI-2 8.3.3.2, for DImm SPC-4 7.5.10. One block is 512 bytes,
// so a burst of n has n blocks.
#include "firmware/kernel/bytes.h"
#include "firmware/target/tenancy.h"
#include "firmware/unit/mode_page.h"
#include "tests/firmware/controller_page.hpp"
#include "tests/firmware/scsi_fixture.hpp"
#include "tests/firmware/tenancy_page.hpp"

namespace headstack::firmware {
namespace {

using test::TenancyPage;

const Bytes kRead5 = {0x28, 0, 0, 0, 0, 0x10, 0, 0, 5, 0};
const Bytes kWrite5 = {0x2A, 0, 0, 0, 0, 0x10, 0, 0, 5, 0};
constexpr time_tick kUnit = 4000;  // 100 us of 25 ns

class ScsiTenancy : public ScsiBusFixture {
 protected:
  void select(const TenancyPage& page) {
    const Lines log = mode_select(page.bytes());
    ASSERT_EQ(log[log.size() - 3], "ST 00");
    target_->device.nexus[kOther].attentions = 0;
  }
  /// Sets the limit in units of 100 us; data wait for the test.
  void limit_connect_time(std::uint16_t units) {
    TenancyPage page;
    page.connect = units;
    select(page);
    bus_.hold_dma = true;
  }
  /// Page 21h: a read's status waits for 5,000 units of 100 ns, which are 5 of 100 us.
  void pause_before_status() {
    Bytes page = test::controller_page();
    bytes_put_be16(page.data() + MODE_CONTROLLER_AT_STAGES + 2 * MODE_STAGE_READ_STATUS, 5000);
    mode_select(page);
  }
  /// Lets time pass as the drive's loop does.
  Lines pass(time_tick ticks) {
    core_.now_ticks += ticks;
    if (alarm_take(&target_->alarm, core_.now_ticks)) target_on_alarm(target_.get());
    bus_.run();
    return bus_.take_log();
  }
  /// Looks at every tick of the drive's own, until it acts.
  Lines pass_until_action(time_tick most) {
    for (time_tick passed = 0; passed < most; passed += kUnit / 40) {
      const Lines log = pass(kUnit / 40);
      if (!log.empty()) return log;
    }
    return {};
  }
  /// A read that has left the bus, because the buffer is empty.
  task* leave_for_buffer(const TenancyPage& page) {
    select(page);
    task* read = start(kRead5);
    core_.ready = 0;
    core_.may_return = false;
    grant(read, 5);
    EXPECT_EQ(pass_until_action(10 * kUnit).back(), "FREE");
    return read;
  }
  task* start(const Bytes& cdb, std::uint8_t tag = 5, std::uint8_t identify = 0xC0) {
    last_log_ = connect({identify, 0x20, tag}, cdb);
    return last();
  }
  /// Lets the current data phase take `block_ticks` for each of its blocks.
  Lines move(time_tick block_ticks) {
    core_.now_ticks += block_ticks * core_.begun_blocks.back();
    bus_.finish_dma(0);
    return bus_.take_log();
  }

  static Lines tenancy(const std::string& data, const std::string& end) {
    return {"RESEL 7", "MI 80 20 05", data, end, "FREE"};
  }
};

using Lines = std::vector<std::string>;
Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// ---- maximum burst size

// SCSI-2 6.6.20: the pointers are saved before each disconnection that data follow.
TEST_F(ScsiTenancy, Burst_LimitsATenancy) {
  TenancyPage page;
  page.burst = 2;
  select(page);
  task* read = start(kRead5);
  EXPECT_EQ(grant(read, 5), tenancy("DMA-IN 1024", "MI 02 04") +
                                tenancy("DMA-IN 1024", "MI 02 04") +
                                tenancy("DMA-IN 512", "MI 02 04"));
  end(read);
  task* write = start(kWrite5);
  EXPECT_EQ(grant(write, 5), tenancy("DMA-OUT 1024", "MI 02 04") +
                                 tenancy("DMA-OUT 1024", "MI 02 04") +
                                 tenancy("DMA-OUT 512", "MI 04"));
}

TEST_F(ScsiTenancy, BurstIsCounted_NotTheDataPhases) {
  TenancyPage page;
  page.burst = 3;
  select(page);
  task* read = start(kRead5);
  core_.on_moved = [this, read](task*, uint32_t) {
    if (read->host_blocks_left == 3) host_task_granted(target_.get(), read, 3);
  };
  EXPECT_EQ(grant(read, 2),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 1024", "DMA-IN 512", "MI 02 04", "FREE"}) +
                tenancy("DMA-IN 1024", "MI 02 04"));
}

TEST_F(ScsiTenancy, StatusFollowsTheLastBurst) {
  TenancyPage page;
  page.burst = 5;
  select(page);
  task* read = start(kRead5);
  core_.on_moved = [this, read](task*, uint32_t) {
    host_task_finished(target_.get(), read, STATUS_OK, 0);
  };
  EXPECT_EQ(grant(read, 5),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 2560", "ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiTenancy, OtherTasksComeBetweenBursts) {
  TenancyPage page;
  page.burst = 4;
  select(page);
  task* first = start(kRead5, 5);
  task* second = start(kRead5, 6);
  bus_.hold_dma = true;
  grant(first, 5);
  grant(second, 5);
  bus_.hold_dma = false;
  bus_.finish_dma(0);
  EXPECT_EQ(bus_.take_log(),
            (Lines{"MI 02 04", "FREE", "RESEL 7", "MI 80 20 06", "DMA-IN 2048", "MI 02 04", "FREE",
                   "RESEL 7", "MI 80 20 05", "DMA-IN 512", "MI 02 04", "FREE", "RESEL 7",
                   "MI 80 20 06", "DMA-IN 512", "MI 02 04", "FREE"}));
}

// SCSI-2 6.6.7, 6.6.6: without the privilege, or once DISCONNECT was rejected, there is no limit.
TEST_F(ScsiTenancy, WithoutThePrivilege_NoLimitHolds) {
  TenancyPage page;
  page.burst = 1;
  page.connect = 1;
  page.inactivity = 1;
  page.dimm = true;
  select(page);
  core_.on_arrived = [this](task* task) { host_task_granted(target_.get(), task, 5); };
  start(kWrite5, 5, 0x80);
  EXPECT_EQ(last_log_,
            (Lines{"SEL 7", "MO 80 20 05", "CO 2A 00 00 00 00 10 00 00 05 00", "DMA-OUT 2560"}));
}

TEST_F(ScsiTenancy, RejectedDisconnect_EndsTheLimits) {
  TenancyPage page;
  page.burst = 1;
  select(page);
  task* read = start(kRead5);
  answer_message(0x02, {0x07});
  EXPECT_EQ(grant(read, 5),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 512", "MI 02 04", "MO 07", "DMA-IN 2048"}));
}

// ---- disconnect time limit

TEST_F(ScsiTenancy, NoReselection_BeforeTheDisconnectTimeLimit) {
  TenancyPage page;
  page.disconnect = 3;
  page.burst = 4;
  select(page);
  task* read = start(kRead5);
  EXPECT_EQ(grant(read, 5), Lines{});
  EXPECT_EQ(pass(3 * kUnit - 1), Lines{});
  EXPECT_EQ(pass(1), tenancy("DMA-IN 2048", "MI 02 04"));
  EXPECT_EQ(pass(3 * kUnit - 1), Lines{});
  EXPECT_EQ(pass(1), tenancy("DMA-IN 512", "MI 02 04"));
  pass(10 * kUnit);
  EXPECT_EQ(end(read).front(), "RESEL 7") << "it is over long since";
}

TEST_F(ScsiTenancy, EveryReleaseOfTheBus_RestartsTheDisconnectTime) {
  TenancyPage page;
  page.disconnect = 3;
  select(page);
  task* read = start(kRead5);
  pass(2 * kUnit);
  connect({0xC0}, {0x00, 0, 0, 0, 0, 0}, kOther);
  grant(read, 5);
  EXPECT_EQ(pass(3 * kUnit - 1), Lines{});
  EXPECT_EQ(pass(1).front(), "RESEL 7");
}

// SCSI-2 7.6: as long as an initiator owes a REQUEST SENSE, others are reselected before its tasks.
TEST_F(ScsiTenancy, ContingentAllegiance_IsWaitedFor) {
  TenancyPage page;
  page.disconnect = 1;
  page.burst = 4;
  select(page);
  task* first = start(kRead5, 5);
  task* failed = start(kRead5, 6);
  connect({0xC0, 0x20, 7}, kRead5, kOther);
  task* others = last();
  pass(kUnit);
  end(failed, STATUS_DATA_DAMAGED, 0x10);
  grant(first, 5);
  grant(others, 5);
  const Lines log = pass(kUnit);
  EXPECT_EQ(log.front(), "RESEL 6");
  EXPECT_EQ(pass(kUnit).front(), "RESEL 6") << "the rest of its data";
  EXPECT_EQ(pass(10 * kUnit), Lines{});
  EXPECT_EQ(request_sense(), "3/11/00");
  EXPECT_EQ(pass(kUnit).front(), "RESEL 7");
}

// ---- DImm

TEST_F(ScsiTenancy, WithDImm_NoDataComeWithTheCommand) {
  TenancyPage page;
  page.dimm = true;
  select(page);
  core_.on_arrived = [this](task* task) { host_task_granted(target_.get(), task, 5); };
  start(kWrite5);
  EXPECT_EQ(last_log_,
            (Lines{"SEL 7", "MO C0 20 05", "CO 2A 00 00 00 00 10 00 00 05 00", "MI 04", "FREE"}) +
                tenancy("DMA-OUT 2560", "MI 04"));
}

// ---- DTDC

TEST_F(ScsiTenancy, Dtdc1_KeepsTheBusFromTheFirstDataToTheLast) {
  TenancyPage page;
  page.dtdc = MODE_DTDC_DATA;
  page.connect = 1;  // They do not count then.
  page.inactivity = 1;
  select(page);
  task* read = start(kRead5);
  EXPECT_EQ(last_log_.back(), "FREE") << "before its data it may go";
  EXPECT_EQ(grant(read, 2), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 1024"}));
  EXPECT_EQ(pass(100 * kUnit), Lines{});
  EXPECT_EQ(grant(read, 3), (Lines{"DMA-IN 1536", "MI 02 04", "FREE"}));
}

TEST_F(ScsiTenancy, Dtdc3_KeepsItToTheStatus) {
  TenancyPage page;
  page.dtdc = MODE_DTDC_COMMAND;
  select(page);
  task* write = start(kWrite5);
  EXPECT_EQ(grant(write, 5), (Lines{"RESEL 7", "MI 80 20 05", "DMA-OUT 2560"}));
  EXPECT_EQ(pass(100 * kUnit), Lines{});
  EXPECT_EQ(end(write), (Lines{"ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiTenancy, Dtdc3_AReportedWriteIsComplete) {
  TenancyPage page;
  page.dtdc = MODE_DTDC_COMMAND;
  select(page);
  core_.cache.mode.writes = true;
  task* write = start(kWrite5);
  EXPECT_EQ(grant(write, 5),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-OUT 2560", "ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiTenancy, Dtdc3_ALongPauseBeforeTheStatus_IsSpentOnTheBus) {
  pause_before_status();
  TenancyPage page;
  page.dtdc = MODE_DTDC_COMMAND;
  page.inactivity = 4;
  select(page);
  core_.on_moved = [this](task* read, uint32_t) {
    host_task_finished(target_.get(), read, STATUS_OK, 0);
  };
  EXPECT_EQ(grant(start(kRead5), 5), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 2560"}));
  EXPECT_EQ(pass(5 * kUnit), (Lines{"ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiTenancy, Dtdc3_WithoutData_TheBusIsFree) {
  TenancyPage page;
  page.dtdc = MODE_DTDC_COMMAND;
  select(page);
  task* verify = start({0x2F, 0, 0, 0, 0, 0x10, 0, 0, 5, 0});
  EXPECT_EQ(last_log_.back(), "FREE");
  EXPECT_EQ(end(verify), (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
}

// ---- bus inactivity limit

TEST_F(ScsiTenancy, EmptyBuffer_LeavesTheBusWithinTheLimit) {
  TenancyPage page;
  page.inactivity = 2;
  select(page);
  task* read = start(kRead5);
  core_.on_moved = [this](task*, uint32_t) { core_.ready = 0; };
  core_.ready = 2;
  EXPECT_EQ(grant(read, 5), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 1024"}));
  core_.may_return = false;
  const time_tick since = core_.now_ticks;
  EXPECT_EQ(pass_until_action(10 * kUnit), (Lines{"MI 02 04", "FREE"}));
  EXPECT_LE(core_.now_ticks - since, 2 * kUnit);
  EXPECT_GE(core_.now_ticks - since, 2 * kUnit - 2 * TENANCY_LOOK_TICKS) << "it keeps its pace";
  EXPECT_EQ(pass_until_action(10 * kUnit), Lines{});
  core_.may_return = true;
  core_.ready = 3;
  EXPECT_EQ(pass_until_action(TENANCY_LOOK_TICKS), tenancy("DMA-IN 1536", "MI 02 04"));
}

TEST_F(ScsiTenancy, DataThatComeInTime_NeedNoReselection) {
  TenancyPage page;
  page.inactivity = 2;
  select(page);
  task* read = start(kRead5);
  core_.on_moved = [this](task*, uint32_t) { core_.ready = 0; };
  core_.ready = 2;
  grant(read, 5);
  EXPECT_EQ(pass(kUnit), Lines{});
  core_.ready = 1;
  EXPECT_EQ(pass_until_action(TENANCY_LOOK_TICKS), Lines{"DMA-IN 512"});
  EXPECT_EQ(pass(kUnit), Lines{}) << "the limit counts from the last byte on";
}

TEST_F(ScsiTenancy, WithoutALimitOfTime_TheDataPhaseWaits) {
  TenancyPage page;
  page.burst = 5;
  select(page);
  task* read = start(kRead5);
  core_.ready = 0;
  EXPECT_EQ(grant(read, 5), tenancy("DMA-IN 2560", "MI 02 04"));
}

TEST_F(ScsiTenancy, LongPauseBeforeTheStatus_IsSpentWithoutTheBus) {
  pause_before_status();
  TenancyPage page;
  for (const std::uint16_t limit : {5, 4}) {
    page.inactivity = limit;
    select(page);
    task* read = start(kRead5);
    grant(read, 5);
    const Lines log = end(read);
    if (limit == 5) {
      EXPECT_EQ(log, (Lines{"RESEL 7", "MI 80 20 05"}));
      EXPECT_EQ(pass(5 * kUnit), (Lines{"ST 00", "MI 00", "FREE"}));
    } else {
      EXPECT_EQ(log, Lines{});
      EXPECT_EQ(pass(5 * kUnit - 1), Lines{});
      EXPECT_EQ(pass(1), (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
    }
  }
}

// The same test for a read that ends on the bus: with the last of its data, or without any.
TEST_F(ScsiTenancy, LongPauseBeforeTheStatus_FreesTheBusThatItHas) {
  pause_before_status();
  TenancyPage page;
  page.inactivity = 4;
  select(page);
  core_.on_moved = [this](task* read, uint32_t) {
    host_task_finished(target_.get(), read, STATUS_OK, 0);
  };
  EXPECT_EQ(grant(start(kRead5), 5), tenancy("DMA-IN 2560", "MI 02 04"));
  EXPECT_EQ(pass(5 * kUnit - 1), Lines{});
  EXPECT_EQ(pass(1), (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
  core_.on_enabled = [this](task* read) { host_task_finished(target_.get(), read, STATUS_OK, 0); };
  start(kRead5);
  EXPECT_EQ(last_log_.back(), "FREE");
  EXPECT_EQ(pass(5 * kUnit - 1), Lines{});
  EXPECT_EQ(pass(1), (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
}

// The task has left the bus for the burst, not for the buffer, so the ratios do not hold it back.
TEST_F(ScsiTenancy, TaskThatReleasedTheBusForTheBuffer_DoesSoOnce) {
  TenancyPage page;
  page.inactivity = 2;
  page.burst = 4;
  leave_for_buffer(page);
  core_.ready = 5;
  core_.may_return = true;
  core_.on_moved = [this](task*, uint32_t) { core_.may_return = false; };
  EXPECT_EQ(pass_until_action(TENANCY_LOOK_TICKS),
            tenancy("DMA-IN 2048", "MI 02 04") + tenancy("DMA-IN 512", "MI 02 04"));
}

TEST_F(ScsiTenancy, TaskThatReleasedTheBusForTheBuffer_ReconnectsForAnError) {
  TenancyPage page;
  page.inactivity = 2;
  task* read = leave_for_buffer(page);
  EXPECT_EQ(end(read, STATUS_DATA_DAMAGED, 0x11),
            (Lines{"RESEL 7", "MI 80 20 05", "ST 02", "MI 00", "FREE"}));
}

// ---- connect time limit

TEST_F(ScsiTenancy, AsManyBlocksAsFitIntoTheConnectTime) {
  limit_connect_time(1);
  task* read = start(kRead5);
  EXPECT_EQ(grant(read, 5), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 512"})) << "to measure it";
  EXPECT_EQ(move(1000), Lines{"DMA-IN 1024"}) << "3,000 of 4,000 ticks: less than 3 of 1,001";
  EXPECT_EQ(move(1000).front(), "MI 02 04");
}

TEST_F(ScsiTenancy, TimeOfABlock_IsItsShareOfTheDataPhase) {
  limit_connect_time(1);
  grant(start(kRead5), 5);
  EXPECT_EQ(move(1000), Lines{"DMA-IN 1024"});
  EXPECT_EQ(move(500), Lines{"DMA-IN 1024"}) << "2,000 ticks are left: 3 of 501";
}

TEST_F(ScsiTenancy, InTheConnectTime_DataComeWithTheCommand) {
  limit_connect_time(1);
  core_.on_arrived = [this](task* task) { host_task_granted(target_.get(), task, 5); };
  start(kWrite5);
  EXPECT_EQ(last_log_,
            (Lines{"SEL 7", "MO C0 20 05", "CO 2A 00 00 00 00 10 00 00 05 00", "DMA-OUT 512"}));
}

// A reconnection for nothing does not occur: the task need not move a block with its command.
TEST_F(ScsiTenancy, AfterTheConnectTime_NoDataComeWithTheCommand) {
  limit_connect_time(1);
  core_.ticks_per_look = kUnit;
  core_.on_arrived = [this](task* task) { host_task_granted(target_.get(), task, 5); };
  start(kWrite5);
  EXPECT_EQ(last_log_, (Lines{"SEL 7", "MO C0 20 05", "CO 2A 00 00 00 00 10 00 00 05 00", "MI 04",
                              "FREE", "RESEL 7", "MI 80 20 05", "DMA-OUT 512"}));
}

TEST_F(ScsiTenancy, Reconnection_MovesOneBlockAtLeast) {
  limit_connect_time(1);
  task* read = start(kRead5);
  grant(read, 5);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(move(9000), (Lines{"MI 02 04", "FREE", "RESEL 7", "MI 80 20 05", "DMA-IN 512"}));
  }
  EXPECT_EQ(move(9000), (Lines{"MI 02 04", "FREE"}));
}

// The reselection itself has taken all of the time.
TEST_F(ScsiTenancy, ReconnectionWithoutTime_MovesOneBlock) {
  limit_connect_time(1);
  task* read = start(kRead5);
  core_.ticks_per_look = kUnit;
  EXPECT_EQ(grant(read, 5), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 512"}));
}

TEST_F(ScsiTenancy, ConnectTimeEnds_WhileTheBufferIsEmpty) {
  TenancyPage page;
  page.connect = 3;
  select(page);
  task* read = start(kRead5);
  core_.on_moved = [this](task*, uint32_t) { core_.ready = 0; };
  core_.ready = 1;
  core_.may_return = false;
  grant(read, 5);
  const time_tick since = core_.now_ticks;
  EXPECT_EQ(pass_until_action(10 * kUnit), (Lines{"MI 02 04", "FREE"}));
  EXPECT_LE(core_.now_ticks - since, 3 * kUnit);
}

// ---- ends of a tenancy by the initiator

TEST_F(ScsiTenancy, ErrorWhileTheBufferIsEmpty_IsReportedOnTheBus) {
  TenancyPage page;
  page.inactivity = 200;
  select(page);
  task* read = start(kRead5);
  core_.ready = 0;
  EXPECT_EQ(grant(read, 5), (Lines{"RESEL 7", "MI 80 20 05"}));
  EXPECT_EQ(end(read, STATUS_DATA_DAMAGED, 0x11), Lines{});
  EXPECT_EQ(pass_until_action(TENANCY_LOOK_TICKS), (Lines{"ST 02", "MI 00", "FREE"}));
}

TEST_F(ScsiTenancy, AbortWhileTheBufferIsEmpty_FreesTheBus) {
  TenancyPage page;
  page.inactivity = 200;
  select(page);
  task* read = start(kRead5);
  core_.ready = 0;
  grant(read, 5);
  EXPECT_EQ(attention({0x0D}), (Lines{"MO 0D", "FREE"}));
  EXPECT_EQ(pass_until_action(10 * kUnit), Lines{});
}

TEST_F(ScsiTenancy, ResetWhileTheBufferIsEmpty_LeavesNothing) {
  TenancyPage page;
  page.inactivity = 200;
  page.burst = 1;
  select(page);
  task* read = start(kRead5);
  core_.ready = 0;
  grant(read, 5);
  bus_.reset();
  bus_.run();
  (void)bus_.take_log();
  EXPECT_EQ(pass_until_action(300 * kUnit), Lines{});
  make_ready();
  core_.ready = UINT32_MAX;
  EXPECT_EQ(grant(start(kRead5), 5), tenancy("DMA-IN 2560", "MI 02 04")) << "as saved: no limits";
}

}  // namespace
}  // namespace headstack::firmware
