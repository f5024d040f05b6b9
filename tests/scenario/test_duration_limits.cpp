// SPDX-License-Identifier: Apache-2.0
// Command duration limits (SPC-5: pages 0Ah/03h, 04h, 07h, 08h; SBC-4: READ(16) and WRITE(16)). It
// tests each policy at its limit, and a limit that expires in each phase of a command's life.
#include "tests/scenario/duration_bench.hpp"

namespace headstack::scenario {
namespace {

using bus::Phase;
using media::FlawKind;

// ---- the pages

TEST_F(DurationLimits, EachHostHasItsOwn_AndAResetEndsThem) {
  Setup setup = fast_setup();
  setup.hosts.push_back(host_config(initiator::kFast10Wide, 6));
  power_on_ready(setup);
  prepare(600, 1);
  set_limits(kT2A, {total(100)}, 0);
  set_limits(kT2A, {total(60'000)}, 1);
  EXPECT_EQ(run(limited(read_16(600, 1)), 0), "B/2E/02");
  expect_data(execute(limited(read_16(600, 1)), 1), 600, 1);
  host(0).reset_bus();
  EXPECT_EQ(run(test_unit_ready(), 0), "6/29/02");
  expect_data(execute(limited(read_16(600, 1)), 0), 600, 1);
}

TEST_F(DurationLimits, AllPagesGoOverTheBus) {
  power_on_ready();
  set_limits(kT2A, {inactive(1), active(2), total(3)});
  Bytes cdb = {0x5A, 0x08, 0x3F, 0xFF, 0, 0, 0, 4, 0, 0};
  const Completion all = execute(reads(cdb, 1024));
  EXPECT_EQ(outcome(all), "GOOD");
  // Header, pages of 228 bytes (firmware/unit/mode_page.h), and the subpages: A, B, T2A, T2B,
  // background control, and that of 16 streams with 8 bytes each (stream_page.h).
  ASSERT_EQ(all.data.size(), 8U + 228 + 36 + 36 + 232 + 232 + 16 + (4 + 16 * 8));
  const Bytes page = limits_page(kT2A, {inactive(1), active(2), total(3)});
  EXPECT_NE(std::search(all.data.begin(), all.data.end(), page.begin(), page.end()),
            all.data.end());
  const Completion codes = execute(reads({0xA3, 0x0C, 0x80, 0, 0, 0, 0, 0, 4, 0, 0, 0}, 1024));
  EXPECT_EQ(outcome(codes), "GOOD");
  EXPECT_EQ(big_endian(codes.data, 0, 4) + 4, codes.data.size());
}

// ---- the phases of a command

TEST_F(DurationLimits, PassesInTheQueue) {
  power_on_fast();
  set_limits(kT2A, {inactive(3000), inactive(40'000)});
  const Ticket first = submit_long_read(1);
  prepare(1500, 4);
  const Ticket late = submit(tagged(limited(read_16(1500, 4)), 2));
  const Ticket fine = submit(tagged(limited(read_16(1504, 1), 2), 3));
  prepare(1504, 1);
  EXPECT_EQ(outcome(await(late)), "B/2E/01");
  expect_ended_at(result(late), 3000, kToTell);
  EXPECT_EQ(result(late).bytes_moved, 0U);
  EXPECT_FALSE(result(late).times.reselected.empty());
  EXPECT_FALSE(is_done(first));
  expect_data(await(first), 0, 40);
  expect_data(await(fine), 1504, 1);
}

// The arm takes 2 ms and more (small_drive()): nothing has been read.
TEST_F(DurationLimits, PassesDuringASeek) {
  power_on_fast();
  set_limits(kT2A, {active(1000)});
  prepare(2000, 4);
  const Completion done = execute(limited(read_16(2000, 4)));
  EXPECT_EQ(outcome(done), "B/2E/02");
  expect_ended_at(done, 1000, kToTell);
  EXPECT_EQ(done.bytes_moved, 0U);
  expect_reads_back(2000, 4);
}

// A sector under way is finished: 0.5 ms.
TEST_F(DurationLimits, PassesAtTheMedia) {
  power_on_fast();
  prepare(0, 40);
  for (const std::uint16_t us : std::initializer_list<std::uint16_t>{11'000, 13'000, 17'300}) {
    set_limits(kT2A, {total(us)});
    const Completion done = execute(limited(read_16(0, 40)));
    EXPECT_EQ(outcome(done), "B/2E/02");
    expect_ended_at(done, us, kToTell + kSector);
    expect_reads_back(0, 40);
  }
}

// SCSI-2 6.1.7: the phase ends in the middle. The host has a part of the data, and receives its
// length.
TEST_F(DurationLimits, PassesInADataPhase_InBothDirections) {
  power_on_ready();  // asynchronous: slow
  set_cache(0);
  prepare(0, 64);
  expect_reads_back(0, 64);
  const Completion whole = execute(read_16(0, 64));
  const Picoseconds phase = whole.times.data_last - whole.times.data_first;
  ASSERT_GT(phase, 2 * kMillisecond) << "or there is no midst";
  const auto half = static_cast<std::uint16_t>(
      (whole.times.data_first - whole.times.command_sent + phase / 2) / kMicrosecond);
  set_limits(kT2A, {total(half)});
  const Completion read = execute(limited(read_16(0, 64)));
  EXPECT_EQ(outcome(read), "B/2E/02");
  expect_ended_at(read, half, kToTell);
  EXPECT_GT(read.bytes_moved, 0U);
  EXPECT_LT(read.bytes_moved, 64 * kBlockBytes);
  expect_reads_back(0, 64);

  const Bytes before = prepare(600, 64);
  const Bytes after = blocks().version(600, 64, 9);
  set_limits(kT2B, {total(half)});
  const Completion write = execute(limited(write_16(600, after)));
  EXPECT_EQ(outcome(write).substr(0, 4), "B/2E");
  expect_ended_at(write, half, kToTell + kSector);
  run_for(50 * kMillisecond);
  EXPECT_LT(expect_old_or_new(600, before, after), 64U);
}

// A command that may not disconnect keeps the bus meanwhile, and ends there.
TEST_F(DurationLimits, PassesOnAHeldBus) {
  power_on_fast();
  set_limits(kT2A, {total(1500)});
  Command command = limited(read_16(2000, 4));
  command.may_disconnect = false;
  const Completion done = execute(command);
  EXPECT_EQ(outcome(done), "B/2E/02");
  expect_ended_at(done, 1500, kToTell);
  EXPECT_TRUE(done.times.disconnected.empty());
  prepare(2000, 4);
  expect_reads_back(2000, 4);
}

struct RecoveryCase {
  const char* what;
  Limits limits;
  std::uint32_t bad_attempts;  // of the block's reads
  const char* outcome;
};
class LimitsAndRetries : public DurationLimits, public testing::WithParamInterface<RecoveryCase> {};

// A retry comes a revolution of 10 ms after the attempt before it.
TEST_P(LimitsAndRetries, EndByTheLimitsPolicy) {
  drive::Specimen specimen;
  if (GetParam().bad_attempts > 0) {
    specimen.flaws = {{FlawKind::kCorrectable, 1005, GetParam().bad_attempts}};
  }
  power_on_with(specimen);
  prepare(1003, 5);
  set_limits(kT2A, {GetParam().limits});
  EXPECT_EQ(run(limited(read_16(1003, 5))), GetParam().outcome);
  expect_reads_back(1003, 2);
}
const RecoveryCase kRecoveries[] = {
    {"AbortDuringARetry", active(40'000), 6, "B/2E/03"},
    {"AbortRecoveryDuringARetry", active(40'000, kAbortRecovery), 6, "B/2E/03"},
    {"AbortRecoveryBeforeTheRetry", active(1000, kAbortRecovery), 2, "B/2E/03"},
    {"AbortRecoveryWithoutAnError", active(1000, kAbortRecovery), 0, "GOOD"},
    {"AbortWithoutAnError", active(1000), 0, "B/2E/02"},
    {"RecoveredInTime", active(60'000), 1, "GOOD"},
};
INSTANTIATE_TEST_SUITE_P(Recovery, LimitsAndRetries, testing::ValuesIn(kRecoveries),
                         [](const auto& test) { return std::string(test.param.what); });

// ---- edges

// The longest limit that a command misses and the shortest that it keeps, in units of 500 ns. 2 us
// below it misses, and 2 us above it keeps its limit, time and again. None ends before its limit.
// test_time_limits.cpp checks limits to the tick: here the bus shifts each run a little.
TEST_F(DurationLimits, MicrosecondsDecide) {
  power_on_fast();
  set_cache(0);
  prepare(0, 16);
  expect_reads_back(0, 16);  // from now on a hit, which takes the same time again and again
  const auto set_half_us = [&](std::uint16_t units, std::uint8_t policy) {
    Bytes page = limits_page(kT2A, {total(units, policy)});
    page[8] = 0x6;
    ASSERT_EQ(run(mode_select_10(page)), "GOOD");
  };
  std::uint16_t missed = 1, kept = 0xFFFF;
  while (kept - missed > 1) {
    const auto middle = static_cast<std::uint16_t>((missed + kept) / 2);
    set_half_us(middle, kAbort);
    const Completion done = execute(limited(read_16(0, 16)));
    if (outcome(done) == "GOOD") {
      kept = middle;
    } else {
      EXPECT_EQ(outcome(done), "B/2E/02");
      EXPECT_GE(service_time(done), middle * kMicrosecond / 2);
      missed = middle;
    }
  }
  for (const std::uint8_t policy : {kAbort, kUnavailable}) {
    set_half_us(static_cast<std::uint16_t>(missed - 4), policy);
    const Completion late = execute(limited(read_16(0, 16)));
    EXPECT_EQ(outcome(late), policy == kAbort ? "B/2E/02" : "GOOD");
    EXPECT_EQ(run(request_sense()), "GOOD");
    set_half_us(static_cast<std::uint16_t>(kept + 4), policy);
    expect_data(execute(limited(read_16(0, 16))), 0, 16);
    EXPECT_EQ(sense_text(execute(request_sense()).data), "0/00/00");
  }
}

// ---- policies

TEST_F(DurationLimits, CompleteEarliest_IsNoLimit) {
  power_on_fast();
  prepare(2000, 4);
  Limits limits = total(100, kEarliest);
  limits.inactive = limits.active = 1;
  limits.inactive_policy = limits.active_policy = kEarliest;
  set_limits(kT2A, {limits});
  expect_data(execute(limited(read_16(2000, 4))), 2000, 4);
}

TEST_F(DurationLimits, NextLimit_ActsWhenItPasses) {
  power_on_fast();
  prepare(2000, 4);
  set_limits(kT2A, {total(300, kNextLimit), total(900, kNextLimit), total(1200)});
  const Completion done = execute(limited(read_16(2000, 4)));
  EXPECT_EQ(outcome(done), "B/2E/02");
  expect_ended_at(done, 1200, kToTell);
  set_limits(kT2A, {total(300, kNextLimit), total(900, kNoLimit), total(1200)});
  expect_data(execute(limited(read_16(2000, 4))), 2000, 4);
}

TEST_F(DurationLimits, NoLimit_EndsTheOthers) {
  power_on_fast();
  prepare(2000, 4);
  Limits limits = total(1000, kNoLimit);
  limits.active = 1500;
  set_limits(kT2A, {limits});
  expect_data(execute(limited(read_16(2000, 4))), 2000, 4);
  limits.total = kNever;
  set_limits(kT2A, {limits});
  EXPECT_EQ(run(limited(read_16(2000, 4))), "B/2E/02");
}

// GOOD without the data: sense key COMPLETED tells why, and no allegiance holds others up.
TEST_F(DurationLimits, Unavailable_IsGoodWithoutData) {
  power_on_fast();
  set_limits(kT2A, {total(3000, kUnavailable)});
  const Ticket first = submit_long_read(1);
  const Completion& done = await(submit(tagged(limited(read_16(1500, 4)), 2)));
  EXPECT_EQ(outcome(done), "GOOD");
  expect_ended_at(done, 3000, kToTell);
  EXPECT_EQ(done.bytes_moved, 0U);
  EXPECT_EQ(sense_text(execute(request_sense()).data), "F/55/0A");
  EXPECT_EQ(sense_text(execute(request_sense()).data), "0/00/00");
  expect_data(await(first), 0, 40);
}

// ---- writes

class LimitedWrite : public DurationLimits, public testing::WithParamInterface<std::uint16_t> {};

// The limit passes at any time: the blocks are whole, old or new, their neighbours unchanged, and
// the tag is free.
TEST_P(LimitedWrite, LeavesBlocksOldOrNew) {
  power_on_fast();
  prepare(98, 2);
  prepare(132, 2);
  const Bytes before = prepare(100, 32);
  const Bytes after = blocks().write(100, 32);
  set_limits(kT2B, {total(GetParam())});
  const Completion done = execute(tagged(limited(write_16(100, after)), 1));
  run_for(50 * kMillisecond);
  const std::size_t renewed = expect_old_or_new(100, before, after);
  // 32 sectors of 0.5 ms cannot be done sooner.
  if (GetParam() < 16'000) {
    EXPECT_EQ(outcome(done), "B/2E/02");
  }
  if (outcome(done) == "GOOD") {
    EXPECT_EQ(renewed, 32U);
  } else {
    expect_ended_at(done, GetParam(), kToTell + kSector);
  }
  EXPECT_EQ(platform().surface().cut_write_count(), 0U);
  EXPECT_EQ(blocks().first_difference(peek(98, 2), blocks().expected(98, 2), 98), std::nullopt);
  EXPECT_EQ(blocks().first_difference(peek(132, 2), blocks().expected(132, 2), 132), std::nullopt);
  EXPECT_EQ(run(tagged(write_16(100, after), 1)), "GOOD");
  expect_reads_back(98, 36);
}
INSTANTIATE_TEST_SUITE_P(Scenario, LimitedWrite,
                         testing::Values(50, 300, 900, 2500, 4000, 7100, 10'300, 15'000, 19'900,
                                         26'000, 60'000));

// SBC-2 6.3.3: after GOOD the data belong to the drive, and no limit cancels them.
TEST_F(DurationLimits, ReportedWrite_IsNeverTakenBack) {
  power_on_fast();
  set_cache(kWriteCache | kReadCacheDisabled);
  set_limits(kT2B, {total(5000), total(5000)});
  const Bytes after = blocks().write(2000, 8);
  EXPECT_EQ(run(limited(write_16(2000, after))), "GOOD");
  run_for(60 * kMillisecond);
  EXPECT_EQ(run(synchronize_cache()), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(2000, 8), blocks().expected(2000, 8), 2000),
            std::nullopt);
  EXPECT_EQ(run(test_unit_ready()), "GOOD") << "no deferred error";
}

// With FUA the status comes from the media, and so the limit counts up to there.
TEST_F(DurationLimits, ForcedToTheMedia_TheCacheIsNoHelp) {
  power_on_fast();
  set_cache(kWriteCache | kReadCacheDisabled);
  set_limits(kT2B, {total(1500)});
  const Bytes before = prepare(2000, 8);
  Command command = limited(write_16(2000, blocks().version(2000, 8, 9)));
  command.cdb[1] |= 0x08;
  EXPECT_EQ(run(command), "B/2E/02");
  run_for(50 * kMillisecond);
  EXPECT_EQ(peek(2000, 8), before) << "the seek alone takes longer";
}

// CHECK CONDITION has its usual effects: waiting commands continue after the allegiance, or QERR
// ends them.
TEST_F(DurationLimits, AbortLeavesTheOthers) {
  power_on_fast();
  set_limits(kT2A, {inactive(3000)});
  for (const std::uint8_t qerr : std::initializer_list<std::uint8_t>{0x00, 0x06}) {
    ASSERT_EQ(run(mode_select_6(control_page(qerr))), "GOOD");
    const Ticket first = submit_long_read(1);
    prepare(1500, 4);
    const Ticket late = submit(tagged(limited(read_16(1500, 4)), 2));
    const Ticket other = submit(tagged(read_10(1500, 4), 3));
    await_all();
    EXPECT_EQ(outcome(result(late)), "B/2E/01");
    EXPECT_EQ(outcome(result(other)) == "GOOD", qerr == 0);
    EXPECT_EQ(outcome(result(first)) == "GOOD", qerr == 0);
  }
}

}  // namespace
}  // namespace headstack::scenario
