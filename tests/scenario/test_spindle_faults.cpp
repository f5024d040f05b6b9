// SPDX-License-Identifier: Apache-2.0
// A spindle that loses its speed, or does not come to it, and an index that is lost. SPC-2 annex C:
// 04h logical unit not ready, 3Eh/01h logical unit failure, 01h/00h no index/sector signal.
#include "tests/scenario/fault_bench.hpp"

namespace headstack::scenario {
namespace {

using drive::SpindleFault;
using drive::SpindleFaultKind;

SpindleFault dropout(double at_ms, std::optional<double> for_ms) {
  SpindleFault fault;
  fault.at_ms = at_ms;
  fault.for_ms = for_ms;
  return fault;
}

SpindleFault no_start(std::uint32_t starts, double share = 0) {
  SpindleFault fault;
  fault.kind = SpindleFaultKind::kNoStart;
  fault.starts = starts;
  fault.speed_share = share;
  return fault;
}

class SpindleFaults : public FaultBench {
 protected:
  void power_on_with_faults(const std::vector<SpindleFault>& faults, bool at_speed = true) {
    drive::Specimen specimen;
    specimen.spindle_faults = faults;
    power_on_with(specimen, at_speed);
    prepare(0, 40);
    prepare(block_of(20), 40);
  }
  void run_to_ms(double ms) { run_for(from_ms(ms) - platform().now()); }
};

// Power is off for 50 of the 100 ms to rest; half of 200 ms restores the speed: 150 ms in all.
TEST_F(SpindleFaults, ShortDropout_IsWaitedFor_ByWaitingCommands) {
  power_on_with_faults({dropout(300, 50)});
  run_to_ms(295);
  const Ticket read = submit(tagged(read_10(block_of(20), 40), 1));
  run_to_ms(320);
  EXPECT_FALSE(is_done(read));
  EXPECT_EQ(run(tagged(test_unit_ready(), 2)), "2/04/01");
  EXPECT_EQ(run(tagged(read_10(0, 1), 3)), "2/04/01");
  expect_data(await(read), block_of(20), 40);
  EXPECT_GE(platform().now(), from_ms(300 + 150));
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_reads_back(0, 40);
}

TEST_F(SpindleFaults, DropoutWhileIdle_IsDetected_AndEnds) {
  power_on_with_faults({dropout(300, 50)});
  run_to_ms(310);
  EXPECT_EQ(run(test_unit_ready()), "2/04/01");
  run_to_ms(460);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_reads_back(0, 40);
}

// The motor waits for a start, and gets it at once.
TEST_F(SpindleFaults, LatchedDropout_IsRestarted) {
  power_on_with_faults({dropout(300, std::nullopt)});
  run_to_ms(299);
  const Completion done = execute(read_10(block_of(20), 40));
  expect_data(done, block_of(20), 40);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

TEST_F(SpindleFaults, DropoutInAWrite_LosesNothing) {
  power_on_with_faults({dropout(300, 80)});
  run_to_ms(290);
  EXPECT_EQ(run(write_10(block_of(20), blocks().write(block_of(20), 40))), "GOOD");
  EXPECT_GE(platform().now(), from_ms(380));
  expect_reads_back(block_of(20), 40);
  EXPECT_EQ(blocks().first_difference(peek(block_of(20), 40), blocks().expected(block_of(20), 40),
                                      block_of(20)),
            std::nullopt);
}

// Three starts are tried: the third restores the speed; or none does, and START UNIT is needed.
TEST_F(SpindleFaults, TwoStartsFail_TheThirdIsWaitedFor) {
  power_on_with_faults({dropout(300, std::nullopt), no_start(2)});
  run_to_ms(299);
  const Ticket read = submit(read_10(block_of(20), 40));
  expect_data(await(read, 10 * kPicosecondsPerSecond), block_of(20), 40);
  EXPECT_GE(platform().now(), from_ms(300) + 2 * kStartLimit);
}

TEST_F(SpindleFaults, ThreeStartsFail_TheCommandsEnd_AndStartUnitStartsTheSpindle) {
  power_on_with_faults({dropout(300, std::nullopt), no_start(3, 0.7)});
  run_to_ms(299);
  const Ticket first = submit(tagged(read_10(block_of(20), 40), 1));
  const Ticket second = submit(tagged(read_10(0, 4), 2));
  const Ticket third = submit(tagged(write_10(4, blocks().version(4, 2, 50)), 3));
  await_all(10 * kPicosecondsPerSecond);
  // The task that the media had, and those queued behind it.
  EXPECT_EQ(outcome(result(first)), "4/3E/01");
  EXPECT_EQ(outcome(result(second)), "2/04/02");
  EXPECT_EQ(outcome(result(third)), "2/04/02");
  EXPECT_GE(platform().now(), from_ms(300) + 3 * kStartLimit);
  EXPECT_EQ(run(test_unit_ready()), "2/04/02");
  EXPECT_EQ(run(read_10(0, 1)), "2/04/02");
  EXPECT_EQ(run(inquiry()), "GOOD");
  EXPECT_EQ(run(start_stop(true)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_reads_back(0, 40);
}

TEST_F(SpindleFaults, StartUnitThatFails_IsReported_AndMayBeRepeated) {
  power_on_with_faults({dropout(300, std::nullopt), no_start(6)});
  run_to_ms(301);
  await_unit("2/04/02");
  const Completion failed = await(submit(start_stop(true)), 10 * kPicosecondsPerSecond);
  EXPECT_EQ(outcome(failed), "4/3E/01");
  EXPECT_EQ(information(failed.sense), std::nullopt) << "no block has to do with it";
  EXPECT_EQ(run(test_unit_ready()), "2/04/02");
  EXPECT_EQ(run(start_stop(true)), "GOOD");
  expect_reads_back(0, 40);
}

TEST_F(SpindleFaults, PowerOnWithoutSpeed_IsBecomingReady_ThenStartRequired) {
  power_on_with_faults({no_start(3)}, false);
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  EXPECT_EQ(run(test_unit_ready()), "2/04/01");
  run_to_ms(1400);
  EXPECT_EQ(run(test_unit_ready()), "2/04/01") << "the third start";
  await_unit("2/04/02");
  EXPECT_EQ(run(start_stop(true)), "GOOD");
  expect_reads_back(0, 40);
}

TEST_F(SpindleFaults, StopAndStart_WhileTheSpeedIsRegained_AreServedInOrder) {
  power_on_with_faults({dropout(300, 50)});
  run_to_ms(310);
  const Ticket stop = submit(tagged(start_stop(false), 1));
  const Ticket start = submit(tagged(start_stop(true), 2));
  EXPECT_EQ(outcome(await(stop)), "GOOD");
  EXPECT_EQ(outcome(await(start)), "GOOD");
  expect_reads_back(0, 40);
}

// An initiator that does not release the bus does not keep it until the speed is restored.
TEST_F(SpindleFaults, WithoutDisconnecting_ACommandEndsAtOnce) {
  power_on_with_faults({dropout(300, 500)});
  run_to_ms(299);
  Command read = read_10(block_of(20), 40);
  read.may_disconnect = false;
  const Completion done = execute(std::move(read));
  EXPECT_NE(outcome(done), "GOOD");
  EXPECT_LT(platform().now(), from_ms(420));
  await_unit("GOOD");
  expect_reads_back(block_of(20), 40);
}

// SBC-2 6.3.3: acknowledged data that cannot be written are a deferred error.
TEST_F(SpindleFaults, AcknowledgedWriteThatCannotBeWritten_IsADeferredError) {
  power_on_with_faults({dropout(300, std::nullopt), no_start(3)});
  CachePage page;
  page.flags = kWriteCache;
  ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
  run_to_ms(299.9);
  const Bytes before = peek(block_of(20), 2);
  EXPECT_EQ(run(write_10(block_of(20), blocks().version(block_of(20), 2, 60))), "GOOD");
  run_for(3 * kPicosecondsPerSecond);
  const Completion told = execute(test_unit_ready());
  EXPECT_TRUE(is_deferred(told)) << outcome(told);
  EXPECT_EQ(information(told.sense), block_of(20));
  EXPECT_EQ(peek(block_of(20), 2), before);
  EXPECT_EQ(run(start_stop(true)), "GOOD");
}

TEST_F(SpindleFaults, AcknowledgedWrite_IsWritten_WhenTheSpeedIsBack) {
  power_on_with_faults({dropout(300, 200)});
  CachePage page;
  page.flags = kWriteCache;
  ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
  run_to_ms(299.9);
  EXPECT_EQ(run(write_10(block_of(20), blocks().write(block_of(20), 2))), "GOOD");
  await_unit("GOOD");
  EXPECT_EQ(run(synchronize_cache()), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(block_of(20), 2), blocks().expected(block_of(20), 2),
                                      block_of(20)),
            std::nullopt);
}

// ------------------------------------------------------------------------------------------ index

class LostIndex : public FaultBench {
 protected:
  void power_on_with_index_fault(const drive::IndexFault& fault) {
    drive::Specimen specimen;
    specimen.index_faults = {fault};
    drive::Flaw header{media::FlawKind::kBadHeader, block_of(20) + 5};
    specimen.flaws = {header};
    power_on_with(specimen);
    prepare(0, 40);
    prepare(block_of(20), 5);
    prepare(block_of(20) + 6, 10);
  }
};

TEST_F(LostIndex, OneMissingPulse_HasNoEffect) {
  power_on_with_index_fault({20, 1, 1});
  for (std::uint32_t i = 0; i < 8; ++i) expect_reads_back(5 * i, 5);
  expect_reads_back(block_of(20), 5);
}

// Sectors are found by their headers. A search for one that does not exist ends by its time.
TEST_F(LostIndex, ForEver_SectorsAreReadAllTheSame_AndASearchEnds) {
  power_on_with_index_fault({15, 0, 1});
  run_for(200 * kMillisecond);
  set_retries(1, 1);
  expect_reads_back(0, 40);
  const Completion done = execute(read_10(block_of(20) + 5, 1));
  EXPECT_EQ(outcome(done), "4/01/00");
  EXPECT_EQ(information(done.sense), block_of(20) + 5);
  EXPECT_GE(service_time(done), 2 * kStepLimit);
  EXPECT_LE(service_time(done), 4 * kStepLimit + 5 * kRevolution);
  expect_reads_back(block_of(20), 5);
  expect_reads_back(block_of(20) + 6, 10);
}

// Every second pulse is missing: the limit counts only those that come.
TEST_F(LostIndex, NowAndThen_TheSearchTakesLonger) {
  power_on_with_index_fault({15, 0, 2});
  run_for(200 * kMillisecond);
  set_retries(0, 0);
  EXPECT_EQ(run(read_10(block_of(20) + 5, 1)), "3/10/00");
  expect_reads_back(0, 40);
}

}  // namespace
}  // namespace headstack::scenario
