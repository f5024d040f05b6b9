// SPDX-License-Identifier: Apache-2.0
// From power-on to ready, and the effects of START STOP UNIT (SPC-2 7.20, SBC-2 5.17).
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

class PowerOn : public DriveBench {};

// SCSI-2 7.9: every initiator gets the unit attention of power-on once, by its first command.
TEST_F(PowerOn, FirstCommand_GetsUnitAttention_TheSecondIsGood) {
  power_on();
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

// SPC-2 7.3.1, 7.19: INQUIRY and REPORT LUNS answer, and leave the unit attention pending.
TEST_F(PowerOn, InquiryAndReportLuns_AnswerAndLeaveTheUnitAttention) {
  power_on();
  EXPECT_EQ(run(inquiry()), "GOOD");
  EXPECT_EQ(run(report_luns()), "GOOD");
  EXPECT_EQ(run(inquiry_page(0x80)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

// SPC-2 7.20.1: REQUEST SENSE returns a pending unit attention as its data, and that clears it.
TEST_F(PowerOn, RequestSense_ReturnsAndClearsTheUnitAttention) {
  power_on();
  const Completion sense = execute(request_sense());
  EXPECT_EQ(outcome(sense), "GOOD");
  EXPECT_EQ(sense_text(sense.data), "6/29/00");
  EXPECT_EQ(sense_text(execute(request_sense()).data), "0/00/00");
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

// SBC-2: media commands need the spindle; INQUIRY, MODE SENSE and REQUEST SENSE do not.
TEST_F(PowerOn, FromRest_BecomesReadyWhenTheSpindleIsAtSpeed) {
  Setup setup = plain_setup();
  setup.at_speed = false;
  power_on(setup);
  EXPECT_EQ(run(test_unit_ready()), "6/29/00");
  EXPECT_EQ(run(test_unit_ready()), "2/04/01");
  EXPECT_EQ(run(read_10(0, 1)), "2/04/01");
  EXPECT_EQ(run(inquiry()), "GOOD");
  EXPECT_EQ(run(mode_sense_6(0x08)), "GOOD");
  // The spindle cannot be faster than its 200 ms; the firmware starts it within a few.
  platform().run_until(199 * kMillisecond);
  EXPECT_EQ(run(test_unit_ready()), "2/04/01");
  platform().run_until(205 * kMillisecond);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  prepare(100, 4);
  expect_reads_back(100, 4);
}

TEST_F(PowerOn, StopUnit_NeedsStart_StartUnit_IsReadyAgain) {
  power_on_ready();
  prepare(2000, 2);
  const Completion stopped = execute(start_stop(false));
  EXPECT_EQ(outcome(stopped), "GOOD");
  // SBC-2 5.17: without IMMED, the status comes when the operation is complete; this spindle takes
  // 100 ms.
  EXPECT_GE(stopped.times.complete - stopped.times.command_sent, 100 * kMillisecond);
  EXPECT_EQ(run(test_unit_ready()), "2/04/02");
  EXPECT_EQ(run(read_10(2000, 1)), "2/04/02");
  EXPECT_EQ(run(start_stop(false)), "GOOD") << "it is at rest already";
  const Completion started = execute(start_stop(true));
  EXPECT_EQ(outcome(started), "GOOD");
  EXPECT_GE(started.times.complete - started.times.command_sent, 200 * kMillisecond);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  EXPECT_EQ(run(start_stop(true)), "GOOD") << "it is at speed already";
  expect_reads_back(2000, 2);
}

// SPC-2 annex C: 04/02 needs a START, 04/01 needs only time.
TEST_F(PowerOn, ImmediateStopAndStart_ReportWhichIsInProgress) {
  power_on_ready();
  EXPECT_EQ(run(start_stop(false, true)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "2/04/02") << "the spindle leaves its speed";
  run_for(101 * kMillisecond);
  EXPECT_EQ(run(test_unit_ready()), "2/04/02") << "at rest";
  EXPECT_EQ(run(start_stop(true, true)), "GOOD");
  EXPECT_EQ(run(test_unit_ready()), "2/04/01") << "on its way to speed";
  run_for(201 * kMillisecond);
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

}  // namespace
}  // namespace headstack::scenario
