// SPDX-License-Identifier: Apache-2.0
// How a drive hears of deadlines: message 81h, and descriptors of duration limits. The bytes are
// those of firmware/target/message.h and of SPC-5 and SBC-4.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/replay/duration_limits.hpp"
#include "host/replay/ending.hpp"
#include "host/replay/trace_command.hpp"
#include "host/replay/urgency_message.hpp"
#include "tests/support.hpp"

namespace headstack::replay {
namespace {

using Bytes = std::vector<std::uint8_t>;
using traces::Operation;
using traces::ServiceClass;
using traces::TraceRequest;

constexpr Picoseconds kNs = 1000;
constexpr Picoseconds kUs = kPicosecondsPerMicrosecond;
constexpr Picoseconds kMs = kPicosecondsPerMillisecond;
constexpr Picoseconds kS = kPicosecondsPerSecond;

TraceRequest with_deadline(Operation operation = Operation::kRead) {
  TraceRequest request{0, operation, 0x1234, 8};
  request.deadline = 30 * kMs;
  return request;
}

TEST(UrgencyMessage, HasWhatIsLeft_Class_Stream_AndPriority) {
  TraceRequest request = with_deadline();
  // 26 ms = 26,000 us = 6590h.
  EXPECT_EQ(urgency_message(request, 26 * kMs, 7), (Bytes{1, 8, 0x81, 0, 0, 0x65, 0x90, 1, 7, 0}));
  request.urgency.stream = std::uint8_t{200};
  request.urgency.priority = 15;
  EXPECT_EQ(urgency_message(request, kUs, 7), (Bytes{1, 8, 0x81, 0, 0, 0, 1, 1, 200, 15}));
  request.urgency.service_class = ServiceClass::kBestEffort;
  EXPECT_EQ(urgency_message(request, 26 * kMs, 7), (Bytes{1, 8, 0x81, 0, 0, 0, 0, 0, 200, 15}));
}

TEST(UrgencyMessage, MicrosecondsAreRoundedDown_ThePastIs0_TheFarFutureTheMost) {
  const struct {
    Picoseconds left;
    Bytes microseconds;
  } cases[] = {{kUs - 1, {0, 0, 0, 0}},
               {2 * kUs - 1, {0, 0, 0, 1}},
               {0, {0, 0, 0, 0}},
               {-1, {0, 0, 0, 0}},
               {-40 * kMs, {0, 0, 0, 0}},
               {0xFFFF'FFFE * kUs, {0xFF, 0xFF, 0xFF, 0xFE}},
               {0x1'0000'0000 * kUs, {0xFF, 0xFF, 0xFF, 0xFF}}};
  for (const auto& one : cases) {
    const Bytes message = urgency_message(with_deadline(), one.left, 7);
    EXPECT_EQ(Bytes(message.begin() + 3, message.begin() + 7), one.microseconds) << one.left;
  }
}

TEST(UrgencyMessage, IsSentForWhatADriveWouldNotTakeForGranted) {
  TraceRequest request{0, Operation::kRead, 0, 8};
  EXPECT_FALSE(wants_urgency(request));
  request.urgency.service_class = ServiceClass::kBestEffort;
  EXPECT_FALSE(wants_urgency(request));
  request.deadline = kMs;
  EXPECT_FALSE(wants_urgency(request)) << "its class says that the deadline is the host's alone";
  TraceRequest priority = request;
  priority.urgency.priority = 1;
  EXPECT_TRUE(wants_urgency(priority));
  request.urgency.stream = std::uint8_t{0};
  EXPECT_TRUE(wants_urgency(request));
  EXPECT_TRUE(wants_urgency(with_deadline()));
}

// 65,535 units at most, of 500 ns (6h), 1 us (8h), 10 ms (Ah) or 500 ms (Eh).
TEST(DurationLimits, ATimeIsRoundedUp_InTheFinestUnitThatHasRoom) {
  const struct {
    Picoseconds time;
    unsigned unit, value;
  } cases[] = {{-5 * kMs, 0x6, 1},
               {0, 0x6, 1},
               {1, 0x6, 1},
               {500 * kNs, 0x6, 1},
               {500 * kNs + 1, 0x6, 2},
               {32'767'500 * kNs, 0x6, 65'535},
               {32'767'500 * kNs + 1, 0x8, 32'768},
               {65'535 * kUs, 0x8, 65'535},
               {65'535 * kUs + 1, 0xA, 7},
               {655'350 * kMs, 0xA, 65'535},
               {655'350 * kMs + 1, 0xE, 1311},
               {65'535 * (kS / 2), 0xE, 65'535}};
  for (const auto& one : cases) {
    const std::optional<Duration> duration = round_up(one.time);
    ASSERT_TRUE(duration) << one.time;
    EXPECT_EQ(duration->unit_code, one.unit) << one.time;
    EXPECT_EQ(duration->value, one.value) << one.time;
    EXPECT_GE(duration->time(), one.time);
  }
  EXPECT_FALSE(round_up(65'535 * (kS / 2) + 1));
}

std::vector<Picoseconds> times_of(const std::vector<Duration>& durations) {
  std::vector<Picoseconds> times;
  for (const Duration& duration : durations) times.push_back(duration.time());
  return times;
}

TEST(DurationCounts, UpToSevenDeadlines_AreDescriptors_OfMore_TheQuantiles) {
  DurationCounts few;
  for (const Picoseconds ms : {40, 20, 500, 20, 20, 20, 700'000, 1}) few.add(ms * kMs);
  EXPECT_THAT(times_of(few.descriptors()),
              testing::ElementsAre(kMs, 20 * kMs, 40 * kMs, 500 * kMs, 700'000 * kMs));
  DurationCounts many;
  for (Picoseconds ms = 14; ms > 0; --ms) many.add(ms * kMs);
  // Nearest rank of 14 values: rank 2, 4, ... 14.
  EXPECT_THAT(times_of(many.descriptors()), testing::ElementsAre(2 * kMs, 4 * kMs, 6 * kMs, 8 * kMs,
                                                                 10 * kMs, 12 * kMs, 14 * kMs));
  DurationCounts heavy;
  for (int i = 0; i < 600; ++i) heavy.add(5 * kMs);
  for (Picoseconds ms = 101; ms <= 200; ++ms) heavy.add(ms * kMs);
  // Of 700, ranks 100 .. 600 are 5 ms. 200 ms do not fit 1 us, and are a whole number of 10 ms.
  EXPECT_THAT(times_of(heavy.descriptors()), testing::ElementsAre(5 * kMs, 200 * kMs));
  EXPECT_TRUE(DurationCounts().descriptors().empty());
}

TEST(DurationLimits, ARequestNamesTheSmallestThatIsNotShorter) {
  const DurationLimits limits{{*round_up(10 * kMs), *round_up(20 * kMs)}, {*round_up(5 * kMs)}};
  const TraceRequest read = with_deadline(), write = with_deadline(Operation::kWrite);
  EXPECT_EQ(limits.number_for(read, -kMs), 1U);
  EXPECT_EQ(limits.number_for(read, 10 * kMs), 1U);
  EXPECT_EQ(limits.number_for(read, 10 * kMs + 1), 2U);
  EXPECT_EQ(limits.number_for(read, 20 * kMs), 2U);
  EXPECT_EQ(limits.number_for(read, 20 * kMs + 1), 0U) << "none is as long";
  EXPECT_EQ(limits.number_for(write, 5 * kMs), 1U);
  EXPECT_EQ(limits.number_for(write, 5 * kMs + 1), 0U);
  EXPECT_EQ(limits.number_for(with_deadline(Operation::kVerify), kMs), 0U);
  TraceRequest best_effort = read;
  best_effort.urgency.service_class = ServiceClass::kBestEffort;
  EXPECT_EQ(limits.number_for(best_effort, kMs), 0U);
  EXPECT_EQ(limits.number_for({0, Operation::kRead, 0, 8}, kMs), 0U);
}

TEST(DurationLimits, PagesT2A_AndT2B_AsTheStandardHasThem) {
  const DurationLimits limits{{*round_up(10 * kMs), *round_up(20 * kS)}, {*round_up(50 * kMs)}};
  const initiator::Command command = select_limits(limits, DurationPolicy::kAbort);
  EXPECT_EQ(command.cdb, (Bytes{0x55, 0x10, 0, 0, 0, 0, 0, 472 >> 8, 472 & 0xFF, 0}));
  Bytes list(472);
  const auto put = [&list](std::size_t at, const Bytes& bytes) {
    std::copy(bytes.begin(), bytes.end(), list.begin() + static_cast<std::ptrdiff_t>(at));
  };
  const std::size_t reads = 8, writes = 8 + 232;
  put(reads, {0x4A, 0x07, 0x00, 0xE4});
  put(writes, {0x4A, 0x08, 0x00, 0xE4});
  const auto describe = [&put](std::size_t at, std::uint8_t unit, unsigned value) {
    put(at, {unit});
    put(at + 10, {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)});
    put(at + 14, {0x0F});
  };
  describe(reads + 8, 0x6, 20'000);
  describe(reads + 8 + 32, 0xA, 2000);
  describe(writes + 8, 0x8, 50'000);
  EXPECT_EQ(command.data, list);
  const Bytes complete = select_limits(limits, DurationPolicy::kCompleteEarliest).data;
  EXPECT_EQ(complete[reads + 8 + 14], 0);
}

// SBC-4: DLD2 is bit 0 of byte 1, DLD1 and DLD0 are bits 7 and 6 of byte 14.
TEST(DurationLimits, ACommandNamesItsDescriptor_AndHasSixteenBytes) {
  const auto cdb = [](Operation operation, unsigned number, bool fua = false) {
    TraceRequest request = with_deadline(operation);
    request.options.force_unit_access = fua;
    request.options.cdb_bytes = 6;
    return trace_command(request, {}, 0, 1, 512, number).cdb;
  };
  for (unsigned number = 1; number <= 7; ++number) {
    const auto high = static_cast<std::uint8_t>(number >> 2);
    const auto low = static_cast<std::uint8_t>(number << 6);
    EXPECT_EQ(cdb(Operation::kRead, number),
              (Bytes{0x88, high, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 8, low, 0}));
  }
  EXPECT_EQ(cdb(Operation::kWrite, 5, true),
            (Bytes{0x8A, 0x09, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 8, 0x40, 0}));
  EXPECT_EQ(cdb(Operation::kRead, 0).size(), 6U);
}

// 2E/01, 2E/02, 2E/03: the limit is over, and no host sends such a command again; of another
// ABORTED COMMAND it does.
TEST(DurationLimits, ACommandThatTheDriveAbortedByThem_IsNotSentAgain) {
  initiator::Completion completion;
  completion.status = 0x02;
  completion.sense = Bytes(18);
  completion.sense[0] = 0x70;
  completion.sense[2] = 0x0B;
  completion.sense[7] = 10;
  completion.sense[12] = 0x2E;
  for (std::uint8_t qualifier = 1; qualifier <= 3; ++qualifier) {
    completion.sense[13] = qualifier;
    EXPECT_EQ(ending_of(completion, false).kind, EndKind::kFailed);
  }
  completion.sense[12] = 0x47;  // SCSI PARITY ERROR
  completion.sense[13] = 0;
  EXPECT_EQ(ending_of(completion, false).kind, EndKind::kLost);
}

}  // namespace
}  // namespace headstack::replay
