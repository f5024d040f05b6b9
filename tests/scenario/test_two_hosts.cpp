// SPDX-License-Identifier: Apache-2.0
// Two hosts on the bus: separate state in the drive, and reports of one host's actions to the other
// (SCSI-2 7.9, SPC-2 7.6, SAM-2 5.3).
#include "tests/firmware/tenancy_page.hpp"
#include "tests/scenario/drive_bench.hpp"
#include "tests/support.hpp"

namespace headstack::scenario {
namespace {

using initiator::ManagementKind;

constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;

class TwoHosts : public DriveBench {
 protected:
  static Setup two_hosts() {
    Setup setup = plain_setup();
    setup.hosts = {host_config(initiator::kFast10Wide, 7),
                   host_config(initiator::kAsynchronous, 6)};
    return setup;
  }

  /// A gets CHECK CONDITION during its long transfer. B is served, A reads its sense data, and only
  /// then the transfer goes on.
  void expect_other_goes_on(Ticket longest) {
    Command bad = tagged(plain({0x00, 0, 0, 0, 1, 0}), 9);
    bad.auto_sense = false;
    EXPECT_EQ(await(submit(bad, kA)).status, 0x02);
    ASSERT_FALSE(is_done(longest));
    const Completion& other = await(submit(tagged(read_10(1050, 4), 1), kB));
    expect_data(other, 1050, 4);
    ASSERT_FALSE(is_done(longest));
    EXPECT_EQ(sense_text(execute(request_sense(), kA).data), "5/24/00");
  }
};

TEST_F(TwoHosts, EachGetsThePowerOnUnitAttention) {
  power_on(two_hosts());
  EXPECT_EQ(run(test_unit_ready(), kA), "6/29/00");
  EXPECT_EQ(run(test_unit_ready(), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/29/00");
  EXPECT_EQ(run(test_unit_ready(), kB), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kA), "GOOD");
}

TEST_F(TwoHosts, SameTagsAndOtherAgreements_DoNotMix) {
  power_on_ready(two_hosts());
  prepare(0, 400);
  std::vector<Ticket> of_a;
  std::vector<Ticket> of_b;
  for (std::uint16_t tag = 0; tag < 6; ++tag) {
    of_a.push_back(submit(tagged(read_10(30U * tag, 7), tag), kA));
    of_b.push_back(submit(tagged(read_10(200 + 30U * tag, 9), tag), kB));
  }
  for (std::uint16_t tag = 0; tag < 6; ++tag) {
    expect_data(await(of_a[tag]), 30U * tag, 7);
    expect_data(await(of_b[tag]), 200 + 30U * tag, 9);
  }
  EXPECT_EQ(host(kA).agreement(0), initiator::kFast10Wide);
  EXPECT_EQ(host(kB).agreement(0), initiator::kAsynchronous);
}

TEST_F(TwoHosts, BlocksWrittenByOne_AreReadByTheOther) {
  power_on_ready(two_hosts());
  EXPECT_EQ(run(write_10(700, blocks().write(700, 8)), kB), "GOOD");
  expect_reads_back(700, 8, kA);
}

// SPC-2 7.6: a MODE SELECT with a change is reported to all others, 2A/01.
TEST_F(TwoHosts, ModeParametersChanged_IsForTheOther) {
  power_on_ready(two_hosts());
  const Bytes retries_8 = {0x01, 0x0A, 0, 8, 0, 0, 0, 0, 8, 0, 0, 0};
  Bytes retries_3 = retries_8;
  retries_3[3] = 3;
  EXPECT_EQ(run(mode_select_6(retries_8), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "GOOD") << "nothing changed";
  EXPECT_EQ(run(mode_select_6(retries_3), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  EXPECT_EQ(run(test_unit_ready(), kB), "GOOD");
}

// SCSI-2 6.6.4: CLEAR QUEUE ends the tasks of all hosts; the others get 2F/00.
TEST_F(TwoHosts, ClearQueue_IsAUnitAttentionForTheOther) {
  power_on_ready(two_hosts());
  prepare(0, 20);
  std::vector<Ticket> lost;
  const Ticket own = submit(tagged(verify_10(0, 1000), 1), kA);
  for (std::uint16_t tag = 0; tag < 3; ++tag) {
    lost.push_back(submit(tagged(read_10(300U * tag, 4), tag), kB));
  }
  run_until([&] { return host(kA).waiting_count() + host(kB).waiting_count() == 0; });
  EXPECT_EQ(outcome(await(manage(ManagementKind::kClearQueue, 0, kA))), "GOOD");
  EXPECT_EQ(outcome(result(own)), "aborted");
  EXPECT_EQ(run(test_unit_ready(), kA), "GOOD");
  EXPECT_EQ(run(tagged(test_unit_ready(), 9), kB), "6/2F/00");
  for (const Ticket ticket : lost) {
    EXPECT_EQ(outcome(result(ticket)), "cleared, as a unit attention told");
  }
  EXPECT_EQ(run(test_unit_ready(), kB), "GOOD");
  expect_reads_back(0, 20, kB);
}

struct QueueErrorCase {
  const char* what;
  std::uint8_t qerr;
  std::size_t fails;  // the host whose command fails
};

class QueueErrorOfTwo : public TwoHosts, public testing::WithParamInterface<QueueErrorCase> {};

// SPC-2 8.3.6: 01b ends the tasks of all hosts, 11b those of the one whose command failed. That one
// is not told; others that lose tasks get 2F/00. Host B has not set the page, only heard 2A/01.
TEST_P(QueueErrorOfTwo, EndsTheCommandsOfOneOrBoth) {
  power_on_ready(two_hosts());
  prepare(0, 1000);
  const auto [what, qerr, fails] = GetParam();
  const std::size_t other = 1 - fails;
  const auto bits = static_cast<std::uint8_t>(qerr << 1U);
  EXPECT_EQ(run(mode_select_6({0x0A, 0x0A, 0, bits, 0, 0, 0, 0, 0, 0, 0, 0}), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  std::vector<Ticket> of_failing;
  std::vector<Ticket> of_other;
  for (std::uint16_t tag = 0; tag < 3; ++tag) {
    of_failing.push_back(submit(tagged(read_10(200U * tag, 4), tag), fails));
    of_other.push_back(submit(tagged(read_10(100 + 200U * tag, 4), tag), other));
  }
  run_until([&] { return host(kA).waiting_count() + host(kB).waiting_count() == 0; }, kPatience,
            kMicrosecond);
  EXPECT_EQ(run(tagged(plain({0x00, 0, 0, 0, 1, 0}), 9), fails), "5/24/00");
  run_until([&] { return host(fails).idle(); });
  for (const Ticket ticket : of_failing) {
    EXPECT_EQ(outcome(result(ticket)), "cleared, as QERR has it when another fails");
  }
  EXPECT_EQ(run(tagged(test_unit_ready(), 9), fails), "GOOD");
  EXPECT_EQ(run(tagged(test_unit_ready(), 9), other), qerr == 1 ? "6/2F/00" : "GOOD");
  await_all();
  for (std::uint16_t tag = 0; tag < 3; ++tag) {
    if (qerr == 1) {
      EXPECT_EQ(outcome(result(of_other[tag])), "cleared, as a unit attention told");
    } else {
      expect_data(result(of_other[tag]), 100 + 200U * tag, 4);
    }
  }
}

const QueueErrorCase kQueueErrors[] = {{"All_AFails", 1, kA},
                                       {"All_BFails", 1, kB},
                                       {"OwnOnly_AFails", 3, kA},
                                       {"OwnOnly_BFails", 3, kB}};
INSTANTIATE_TEST_SUITE_P(Scenario, QueueErrorOfTwo, testing::ValuesIn(kQueueErrors),
                         test::case_name<QueueErrorCase>);

// SCSI-2 6.6.1: ABORT concerns only the nexus of the host that sends it.
TEST_F(TwoHosts, Abort_DoesNotAffectTheOther) {
  power_on_ready(two_hosts());
  prepare(500, 8);
  const Ticket own = submit(tagged(verify_10(0, 1000), 1), kA);
  const Ticket others = submit(tagged(read_10(500, 8), 1), kB);
  run_until([&] { return host(kA).waiting_count() + host(kB).waiting_count() == 0; });
  EXPECT_EQ(outcome(await(manage(ManagementKind::kAbort, 0, kA))), "GOOD");
  EXPECT_EQ(outcome(result(own)), "aborted");
  expect_data(await(others), 500, 8);
  EXPECT_EQ(run(test_unit_ready(), kB), "GOOD") << "and it hears nothing of it";
}

TEST_F(TwoHosts, BusDeviceReset_ByOne_AffectsBoth_AndTheAgreementIsNegotiatedAgain) {
  power_on_ready(two_hosts());
  prepare(500, 8);
  const Ticket lost = submit(tagged(verify_10(0, 1000), 1), kA);
  run_until([&] { return host(kA).waiting_count() == 0; });
  EXPECT_EQ(outcome(await(manage(ManagementKind::kBusDeviceReset, 0, kB))), "GOOD");
  // INQUIRY sends data at once, by an agreement that only the host has: it negotiates first.
  EXPECT_EQ(run(tagged(inquiry(), 8), kA), "GOOD");
  EXPECT_EQ(run(tagged(test_unit_ready(), 9), kA), "6/29/03");
  EXPECT_EQ(outcome(result(lost)), "cleared, as a unit attention told");
  EXPECT_EQ(host(kA).agreement(0), initiator::kFast10Wide);
  expect_reads_back(500, 8, kA);
  EXPECT_EQ(run(test_unit_ready(), kB), "6/29/03");
  EXPECT_EQ(run(test_unit_ready(), kB), "GOOD");
}

TEST_F(TwoHosts, Reset_ByOne_EndsTheTransferOfTheOther) {
  power_on_ready(two_hosts());
  prepare(600, 64);
  const Ticket read = submit(read_10(600, 64), kB);
  run_into(bus::Phase::kDataIn, 100 * kMicrosecond);
  host(kA).reset_bus();
  EXPECT_EQ(outcome(await(read)), "bus reset");
  for (const std::size_t who : {kA, kB}) {
    EXPECT_EQ(run(test_unit_ready(), who), "6/29/02");
    EXPECT_EQ(run(test_unit_ready(), who), "GOOD");
  }
  expect_reads_back(600, 64, kB);
}

// SCSI-2 9.2.12: a reservation holds off the other, but for INQUIRY and REQUEST SENSE.
TEST_F(TwoHosts, Reservation_HoldsOffTheOther_UntilReleasedOrReset) {
  const Command reserve = plain({0x16, 0, 0, 0, 0, 0});
  const Command release = plain({0x17, 0, 0, 0, 0, 0});
  power_on_ready(two_hosts());
  const Bytes before = prepare(10, 1);
  EXPECT_EQ(run(reserve, kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "RESERVATION CONFLICT");
  EXPECT_EQ(run(write_10(10, Bytes(kBlockBytes, 1)), kB), "RESERVATION CONFLICT");
  EXPECT_EQ(peek(10, 1), before);
  EXPECT_EQ(run(inquiry(), kB), "GOOD");
  EXPECT_EQ(run(request_sense(), kB), "GOOD");
  EXPECT_EQ(run(release, kB), "GOOD") << "not the holder: no error, no effect (9.2.11)";
  EXPECT_EQ(run(test_unit_ready(), kB), "RESERVATION CONFLICT");
  expect_reads_back(10, 1, kA);
  EXPECT_EQ(run(release, kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "GOOD");
  EXPECT_EQ(run(reserve, kB), "GOOD");
  await(manage(ManagementKind::kBusDeviceReset, 0, kA));
  EXPECT_EQ(run(test_unit_ready(), kA), "6/29/03");
  EXPECT_EQ(run(test_unit_ready(), kA), "GOOD") << "a reset ends the reservation";
}

// SCSI-2 7.6: each host has its own sense data and its own wait.
TEST_F(TwoHosts, ContingentAllegiance_IsOfOneHostOnly) {
  power_on_ready(two_hosts());
  prepare(500, 8);
  Command bad = plain({0x00, 0, 0, 0, 1, 0});
  bad.auto_sense = false;
  EXPECT_EQ(execute(bad, kA).status, 0x02);
  expect_reads_back(500, 8, kB);
  EXPECT_EQ(sense_text(execute(request_sense(), kB).data), "0/00/00");
  EXPECT_EQ(sense_text(execute(request_sense(), kA).data), "5/24/00");
}

// SCSI-2 7.6: a contingent allegiance suspends the tasks of its nexus. Those of others go on, also
// if a long transfer of that nexus was under way.
TEST_F(TwoHosts, AllegianceOfOne_WithALongReadUnderWay_DoesNotHoldUpTheOther) {
  power_on_ready(two_hosts());
  prepare(0, 1100);
  const Ticket longest = submit(tagged(read_10(0, 1000), 1), kA);
  run_into(bus::Phase::kDataIn);
  ASSERT_NO_FATAL_FAILURE(expect_other_goes_on(longest));
  expect_data(await(longest), 0, 1000);
}

TEST_F(TwoHosts, AllegianceOfOne_WithALongWriteUnderWay_DoesNotHoldUpTheOther) {
  power_on_ready(two_hosts());
  prepare(1040, 40);
  test::TenancyPage page;
  page.burst = 32;
  EXPECT_EQ(run(mode_select_6(page.bytes()), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  const Ticket longest = submit(tagged(write_10(0, blocks().write(0, 1000)), 1), kA);
  run_into(bus::Phase::kDataOut);
  run_for(20 * kMillisecond);
  ASSERT_NO_FATAL_FAILURE(expect_other_goes_on(longest));
  EXPECT_EQ(outcome(await(longest)), "GOOD");
  expect_reads_back(0, 1000, kB);
}

// The allegiance ends while the media work for a long transfer of the other host. The data phases
// of the two must not wait for each other.
TEST_F(TwoHosts, AllegianceOfOne_ThatEndsDuringALongTransferOfTheOther_HoldsUpNeither) {
  power_on_ready(two_hosts());
  test::TenancyPage page;
  page.burst = 32;
  EXPECT_EQ(run(mode_select_6(page.bytes()), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  prepare(0, 2000);
  const auto transfer = [&](bool writes, std::uint32_t lba) {
    return tagged(writes ? write_10(lba, blocks().write(lba, 900)) : read_10(lba, 900), 1);
  };
  for (const auto& [a_writes, b_writes] :
       {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
    for (int wait_ms = 3; wait_ms < 80; wait_ms += 24 * moment_step()) {
      SCOPED_TRACE(testing::Message() << a_writes << b_writes << " " << wait_ms);
      const Ticket of_a = submit(transfer(a_writes, 0), kA);
      run_into(a_writes ? bus::Phase::kDataOut : bus::Phase::kDataIn);
      Command bad = tagged(plain({0x00, 0, 0, 0, 1, 0}), 9);
      bad.auto_sense = false;
      EXPECT_EQ(await(submit(bad, kA)).status, 0x02);
      const Ticket of_b = submit(transfer(b_writes, 1000), kB);
      run_for(wait_ms * kMillisecond);
      EXPECT_EQ(sense_text(execute(request_sense(), kA).data), "5/24/00");
      EXPECT_EQ(outcome(await(of_b)), "GOOD");
      EXPECT_EQ(outcome(await(of_a)), "GOOD");
      if (!a_writes) expect_data(result(of_a), 0, 900);
      if (!b_writes) expect_data(result(of_b), 1000, 900);
      if (a_writes) expect_reads_back(0, 900, kB);
      if (b_writes) expect_reads_back(1000, 900, kA);
    }
  }
}

// Reads of A are in the buffer, and writes of A have their data there.
TEST_F(TwoHosts, AllegianceOfOne_WithTheBufferFull_DoesNotHoldUpTheOther) {
  power_on_ready(two_hosts());
  prepare(0, 2000);
  std::vector<Ticket> of_a;
  for (std::uint16_t tag = 0; tag < 16; ++tag) {
    if (tag % 2 == 0) {
      of_a.push_back(submit(tagged(write_10(60U * tag, blocks().write(60U * tag, 30)), tag), kA));
    } else {
      of_a.push_back(submit(tagged(read_10(60U * tag, 30), tag), kA));
    }
  }
  run_until([&] { return host(kA).waiting_count() == 0; });
  Command bad = tagged(plain({0x00, 0, 0, 0, 1, 0}), 99);
  bad.auto_sense = false;
  EXPECT_EQ(await(submit(bad, kA)).status, 0x02);
  run_for(300 * kMillisecond);
  const Ticket write = submit(tagged(write_10(1100, blocks().write(1100, 100)), 1), kB);
  EXPECT_EQ(outcome(await(write)), "GOOD");
  expect_reads_back(1100, 100, kB);
  EXPECT_EQ(sense_text(execute(request_sense(), kA).data), "5/24/00");
  for (const Ticket ticket : of_a) EXPECT_EQ(outcome(await(ticket)), "GOOD");
}

}  // namespace
}  // namespace headstack::scenario
