// SPDX-License-Identifier: Apache-2.0
// The background medium scan (SBC-3: mode page 1Ch/01h, log page 15h), and what hosts do meanwhile.
// smartmontools reads the log page in the same layout (scsiPrintBackgroundResults()).
#include <random>

#include "tests/scenario/defect_bench.hpp"
#include "tests/scenario/duration_bench.hpp"

namespace headstack::scenario {
namespace {

using media::FlawKind;

constexpr std::uint8_t kEnBms = 0x01, kLowir = 0x02, kSLFull = 0x04;
/// SBC-3, background scanning status.
constexpr unsigned kOff = 0, kActive = 1, kHalted = 3, kWaits = 8;
/// SBC-3, reassign status.
constexpr unsigned kRequired = 1, kReassigned = 6, kReassignedEmpty = 7;

struct Result {
  std::uint32_t lba;
  unsigned reassign;
  std::string sense;
};
bool operator==(const Result& a, const Result& b) {
  return a.lba == b.lba && a.reassign == b.reassign && a.sense == b.sense;
}
std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << result.lba << ": " << result.reassign << ", " << result.sense;
}

class Scan : public DefectBench {
 protected:
  void SetUp() override { power_on_ready(spared_setup()); }

  /// The page as it is now, to send (SPC-2 8.3.1: PS is 0).
  Bytes page() {
    const Completion done = execute(reads({0x5A, 0x08, 0x1C, 0x01, 0, 0, 0, 0, 64, 0}, 64));
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(done.data.size(), 8U + 16U);
    Bytes bytes(done.data.begin() + 8, done.data.end());
    bytes[0] = 0x5C;
    return bytes;
  }
  std::uint32_t suspend_ms() { return big_endian(page(), 12, 2); }
  std::string set_scan(std::uint8_t flags, std::uint16_t idle_ms = 50,
                       std::uint16_t interval_h = 24, bool save = false) {
    Bytes bytes = page();
    bytes[4] = flags;
    bytes[6] = static_cast<std::uint8_t>(interval_h >> 8);
    bytes[7] = static_cast<std::uint8_t>(interval_h);
    bytes[10] = static_cast<std::uint8_t>(idle_ms >> 8);
    bytes[11] = static_cast<std::uint8_t>(idle_ms);
    return run(mode_select_10(bytes, save));
  }

  // ---- log page 15h

  Bytes log() {
    const Completion done = execute(log_sense(0x15, 1, 0, 1024));
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(done.data.at(0), 0x15);
    EXPECT_EQ(done.data.at(7), 12) << "length of parameter 0000h";
    return done.data;
  }
  unsigned status() { return log().at(8 + 5); }
  unsigned completed() {
    const Bytes bytes = log();
    EXPECT_EQ(big_endian(bytes, 8 + 6, 2), big_endian(bytes, 8 + 10, 2)) << "there is no pre-scan";
    return big_endian(bytes, 8 + 6, 2);
  }
  /// In 65,536ths.
  unsigned progress() { return big_endian(log(), 8 + 8, 2); }
  std::vector<Result> results() {
    const Bytes bytes = log();
    std::vector<Result> found;
    std::uint32_t code = 1;
    for (std::size_t at = 8 + 12; at + 4 <= bytes.size(); at += 4U + bytes[at + 3], ++code) {
      EXPECT_EQ(big_endian(bytes, at, 2), code);
      EXPECT_EQ(bytes[at + 3], 20);
      EXPECT_EQ(big_endian(bytes, at + 16, 4), 0U) << "upper half of the block's number";
      char sense[16];
      std::snprintf(sense, sizeof sense, "%X/%02X/%02X", bytes[at + 8] & 0xFU, bytes[at + 9],
                    bytes[at + 10]);
      found.push_back({big_endian(bytes, at + 20, 4), unsigned{bytes[at + 8]} >> 4U, sense});
    }
    return found;
  }

  void await_scans(unsigned count, Picoseconds limit = 20 * kPicosecondsPerSecond) {
    run_until([&] { return completed() == count; }, limit, 200 * kMillisecond);
  }
  /// Turns the scan on, and waits until it is under way. It takes 16 tracks, a revolution each.
  void begin_scan() {
    ASSERT_EQ(set_scan(kEnBms, 50), "GOOD");
    run_for(50 * kMillisecond + 8 * kRevolution);
    EXPECT_EQ(status(), kActive);
    EXPECT_GT(progress(), 0U);
    EXPECT_EQ(completed(), 0U);
  }
  static Picoseconds service_time(const Completion& done) {
    return done.times.status - done.times.command_sent;
  }
};

TEST_F(Scan, IsOffByDefault) {
  flaw_block(100, FlawKind::kUnreadable);
  run_for(2 * kPicosecondsPerSecond);
  EXPECT_EQ(status(), kOff);
  EXPECT_EQ(completed(), 0U);
  EXPECT_TRUE(results().empty());
}

// Each block is verified, also those on spares; bad ones are logged, and left as they are.
TEST_F(Scan, LogsBlocksThatCannotBeRead_OrOnlyAfterRetries) {
  prepare(0, capacity());
  flaw_block(100, FlawKind::kUnreadable);
  flaw_block(200, FlawKind::kCorrectable, 2);
  flaw_block(capacity() - 1, FlawKind::kUnreadable);
  ASSERT_EQ(set_scan(kEnBms), "GOOD");
  await_scans(1);
  EXPECT_EQ(status(), kWaits);
  const std::vector<Result> expected = {{100, kRequired, "3/11/00"},
                                        {200, kRequired, "1/17/01"},
                                        {capacity() - 1, kRequired, "3/11/00"}};
  EXPECT_EQ(results(), expected);
  EXPECT_TRUE(used_spares().empty());
  // The drive's own work is not counted (SCSI-2 8.3.2.2 is about commands).
  EXPECT_EQ(counter(kVerifyErrors, kUncorrected), 0U);
  EXPECT_EQ(counter(kVerifyErrors, kBytes), 0U);
  expect_reads_back(0, 100);
}

TEST_F(Scan, WithLowir_LogsOnlyBlocksThatCannotBeRead) {
  flaw_block(100, FlawKind::kUnreadable);
  flaw_block(200, FlawKind::kCorrectable, 2);
  ASSERT_EQ(set_scan(kEnBms | kLowir), "GOOD");
  await_scans(1);
  EXPECT_EQ(results(), (std::vector<Result>{{100, kRequired, "3/11/00"}}));
}

// Page 07h has the retries: with none, a marginal block cannot be read.
TEST_F(Scan, TriesAsOftenAsPage07hAllows) {
  flaw_block(200, FlawKind::kCorrectable, 2);
  ASSERT_EQ(run(mode_select_6({0x07, 0x0A, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  ASSERT_EQ(set_scan(kEnBms), "GOOD");
  await_scans(1);
  EXPECT_EQ(results(), (std::vector<Result>{{200, kRequired, "3/11/00"}}));
}

// SBC-3: no scan before the least idle time, which counts from the last command.
TEST_F(Scan, WaitsForTheIdleTime) {
  ASSERT_EQ(set_scan(kEnBms, 400), "GOOD");
  for (int i = 0; i < 4; ++i) {
    run_for(350 * kMillisecond);
    EXPECT_EQ(progress(), 0U);
    EXPECT_EQ(run(read_10(0, 1)), "GOOD");
  }
  run_for(500 * kMillisecond);
  EXPECT_GT(progress() + completed(), 0U);
}

// An interval of 0: the next scan follows at once. With an hour it does not.
TEST_F(Scan, BeginsAnewAfterTheInterval) {
  ASSERT_EQ(set_scan(kEnBms, 10, 0), "GOOD");
  await_scans(3);
  ASSERT_EQ(set_scan(kEnBms, 10, 1), "GOOD");
  run_for(kPicosecondsPerSecond);
  const unsigned before = completed();
  run_for(3 * kPicosecondsPerSecond);
  EXPECT_EQ(completed(), before);
  EXPECT_EQ(status(), kWaits);
}

TEST_F(Scan, TurnedOffInTheMiddle_Ends) {
  begin_scan();
  ASSERT_EQ(set_scan(0), "GOOD");
  run_for(kPicosecondsPerSecond);
  EXPECT_EQ(status(), kOff);
  EXPECT_EQ(completed(), 0U);
  ASSERT_EQ(set_scan(kEnBms), "GOOD");
  await_scans(1);
}

// SBC-3, maximum time to suspend: a command begins so soon. After that it takes no longer than from
// rest: the longest movement and two revolutions (one of them for the firmware's margin).
TEST_F(Scan, GivesWayToCommands_AndGoesOn) {
  const Picoseconds suspend = suspend_ms() * kMillisecond;
  const Picoseconds alone = suspend + 2 * kRevolution;
  std::mt19937 random(42);
  prepare(0, capacity());
  ASSERT_EQ(set_scan(kEnBms, 1), "GOOD");
  unsigned most = 0;
  for (int i = 0; i < 60; ++i) {
    run_for((1'000 + random() % 30'000) * kMicrosecond);
    const auto lba = static_cast<std::uint32_t>(random() % (capacity() - 4));
    const Completion done = execute(read_10(lba, 4));
    expect_data(done, lba, 4);
    EXPECT_LE(service_time(done), suspend + alone);
    most = std::max(most, progress());
  }
  EXPECT_GT(most, 0U);
  await_scans(1);
}

// ---- with what else the drive does

TEST_F(Scan, WithWritesInTheCache_TheseComeFirst) {
  ASSERT_EQ(run(mode_select_6(caching_page({kWriteCache, 0, 3, 16, 0xFFFF}))), "GOOD");
  ASSERT_EQ(set_scan(kEnBms, 0, 0), "GOOD");
  run_for(35 * kMillisecond);
  for (std::uint32_t lba = 3; lba < 240; lba += 30) {
    ASSERT_EQ(run(write_10(lba, blocks().write(lba, 8))), "GOOD");
  }
  await_scans(2);
  for (std::uint32_t lba = 3; lba < 240; lba += 30) {
    EXPECT_EQ(peek(lba, 8), blocks().expected(lba, 8)) << lba;
  }
}

// A limit of the total time: what a read takes from rest, and the longest time to suspend. A read
// in the middle of a scan keeps it.
TEST_F(Scan, ACommandWithALimit_KeepsIt) {
  const Picoseconds limit = 2 * suspend_ms() * kMillisecond + 2 * kRevolution;
  const auto limit_us = static_cast<std::uint16_t>(limit / kMicrosecond);
  ASSERT_EQ(run(mode_select_10(limits_page(kT2A, {total(limit_us)}))), "GOOD");
  prepare(0, capacity());
  ASSERT_EQ(set_scan(kEnBms, 1, 0), "GOOD");
  std::mt19937 random(43);
  for (int i = 0; i < 40; ++i) {
    run_for((1'000 + random() % 20'000) * kMicrosecond);
    const auto lba = static_cast<std::uint32_t>(random() % (capacity() - 4));
    expect_data(execute(limited(read_16(lba, 4))), lba, 4);
  }
  EXPECT_GT(progress() + completed(), 0U);
}

// `stfd` parks the arm whenever the drive is idle.
TEST_F(Scan, BesideAPolicyThatParks_Ends) {
  constexpr std::uint8_t kStfd = 15;
  ASSERT_EQ(run(mode_select_6(scheduler_page(kStfd))), "GOOD");
  ASSERT_EQ(set_scan(kEnBms), "GOOD");
  EXPECT_EQ(run(read_10(0, 1)), "GOOD");
  await_scans(1);
}

TEST_F(Scan, OfAStoppedSpindle_WaitsForItsStart) {
  begin_scan();
  ASSERT_EQ(run(start_stop(false)), "GOOD");
  const unsigned before = progress();
  run_for(kPicosecondsPerSecond);
  EXPECT_EQ(progress(), before);
  EXPECT_EQ(run(test_unit_ready()), "2/04/02");
  ASSERT_EQ(run(start_stop(true)), "GOOD");
  await_scans(1);
}

TEST_F(Scan, InTheMiddle_ASelfTestPasses) {
  begin_scan();
  EXPECT_EQ(run(send_diagnostic(true)), "GOOD");
  await_scans(1);
}

// After FORMAT UNIT the blocks may be elsewhere: what was found is void.
TEST_F(Scan, AfterAFormat_BeginsAnew) {
  flaw_block(2, FlawKind::kUnreadable);
  ASSERT_EQ(run(mode_select_6({0x07, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  begin_scan();
  EXPECT_EQ(results().size(), 1U);
  const Ticket format = submit(format_unit());
  EXPECT_EQ(outcome(await(format, 100 * kPicosecondsPerSecond)), "GOOD");
  EXPECT_TRUE(results().empty()) << "certification moved the block to a spare";
  EXPECT_EQ(progress(), 0U);
  await_scans(1);
  EXPECT_TRUE(results().empty());
}

TEST_F(Scan, AfterAnInterruptedFormat_Waits) {
  ASSERT_EQ(set_scan(kEnBms), "GOOD");
  submit(format_unit());
  run_for(100 * kMillisecond);
  await(manage(initiator::ManagementKind::kAbort));
  EXPECT_EQ(run(read_10(0, 1)), "3/31/00");
  run_for(kPicosecondsPerSecond);
  EXPECT_EQ(status(), kActive);
  EXPECT_EQ(progress(), 0U);
  EXPECT_TRUE(results().empty());
  const Ticket format = submit(format_unit());
  EXPECT_EQ(outcome(await(format, 100 * kPicosecondsPerSecond)), "GOOD");
  await_scans(1);
}

// The spindle has no power for 50 of the 100 ms that it takes to rest.
class ScanAndSpindle : public Scan {
 protected:
  void SetUp() override {
    Setup setup = spared_setup();
    drive::SpindleFault fault;
    fault.at_ms = 400;
    fault.for_ms = 50;
    setup.description.specimen.spindle_faults = {fault};
    power_on_ready(setup);
  }
};
TEST_F(ScanAndSpindle, ADropout_IsWaitedFor) {
  ASSERT_EQ(set_scan(kEnBms, 1, 0), "GOOD");
  run_for(from_ms(430) - platform().now());
  EXPECT_EQ(run(test_unit_ready()), "2/04/01");
  run_for(kPicosecondsPerSecond);
  const unsigned before = completed();
  EXPECT_NE(status(), kHalted);
  await_scans(before + 1);
  EXPECT_TRUE(results().empty());
}

TEST_F(Scan, ResultsSayThatABlockWasReassigned) {
  prepare(0, capacity());
  flaw_block(100, FlawKind::kUnreadable);
  flaw_block(200, FlawKind::kCorrectable, 2);
  ASSERT_EQ(set_scan(kEnBms), "GOOD");
  await_scans(1);
  ASSERT_EQ(run(reassign_blocks({100, 200})), "GOOD");
  const std::vector<Result> expected = {{100, kReassignedEmpty, "3/11/00"},
                                        {200, kReassigned, "1/17/01"}};
  EXPECT_EQ(results(), expected);
}

// More bad blocks than the log has room for: the oldest results give way.
TEST_F(Scan, FullLog_DropsTheOldestResult) {
  for (std::uint32_t lba = 0; lba < 45; ++lba) flaw_block(3 * lba, FlawKind::kUnreadable);
  ASSERT_EQ(run(mode_select_6({0x07, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  ASSERT_EQ(set_scan(kEnBms), "GOOD");
  await_scans(1);
  const std::vector<Result> found = results();
  ASSERT_EQ(found.size(), 40U);
  EXPECT_EQ(found.at(0).lba, 3U * 40) << "in the place of block 0";
  EXPECT_EQ(found.at(4).lba, 3U * 44);
  EXPECT_EQ(found.at(5).lba, 3U * 5);
}

// S_L_FULL: the scan is suspended while the log is full, and goes on when a host clears it.
TEST_F(Scan, WithSLFull_AFullLogSuspendsTheScan) {
  for (std::uint32_t lba = 0; lba < 45; ++lba) flaw_block(3 * lba, FlawKind::kUnreadable);
  ASSERT_EQ(run(mode_select_6({0x07, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  ASSERT_EQ(set_scan(kEnBms | kSLFull), "GOOD");
  run_until([this] { return results().size() == 40; }, 20 * kPicosecondsPerSecond,
            200 * kMillisecond);
  run_for(2 * kPicosecondsPerSecond);
  EXPECT_EQ(completed(), 0U);
  EXPECT_EQ(results().back().lba, 3U * 39);
  ASSERT_EQ(run(plain({0x4C, 0x02, 0x40 | 0x15, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  await_scans(1);
  EXPECT_EQ(results().size(), 5U);
}

// The log becomes full with the last bad block. The next scan begins when a host clears the log,
// although LOG SELECT is the only command that comes.
TEST_F(Scan, WithSLFull_TheNextScanBeginsWhenTheLogIsCleared) {
  for (std::uint32_t i = 0; i < 40; ++i) flaw_block(capacity() - 1 - 3 * i, FlawKind::kUnreadable);
  ASSERT_EQ(run(mode_select_6({0x07, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  ASSERT_EQ(set_scan(kEnBms | kSLFull, 10, 0), "GOOD");
  run_for(5 * kPicosecondsPerSecond);
  EXPECT_EQ(completed(), 1U);
  run_for(kPicosecondsPerSecond);
  ASSERT_EQ(run(plain({0x4C, 0x02, 0x40 | 0x15, 0, 0, 0, 0, 0, 0, 0})), "GOOD");
  run_for(5 * kPicosecondsPerSecond);
  EXPECT_EQ(completed(), 2U);
  EXPECT_EQ(results().size(), 40U);
}

// SCSI-2 9.3.3: a reset brings the saved values back. Here nothing was saved.
TEST_F(Scan, AResetTurnsItOff) {
  begin_scan();
  await(manage(initiator::ManagementKind::kBusDeviceReset));
  EXPECT_EQ(run(test_unit_ready()), "6/29/03");
  run_for(kPicosecondsPerSecond);
  EXPECT_EQ(status(), kOff);
  EXPECT_EQ(completed(), 0U);
}

}  // namespace
}  // namespace headstack::scenario
