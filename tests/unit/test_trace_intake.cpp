// SPDX-License-Identifier: Apache-2.0
// What all formats have in common: devices, order, bad lines, whole blocks, packed files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "host/traces/decompress.hpp"
#include "host/traces/trace_formats.hpp"
#include "tests/unit/trace_samples.hpp"

namespace headstack::traces {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Result {
  std::vector<std::uint64_t> lbas;
  std::string error;
  TraceCounts counts;
  std::vector<std::string> told;
};

Result read(const std::string& bytes, ReadOptions options = {}) {
  Result result;
  options.on_bad = [&](const std::string& error) { result.told.push_back(error); };
  std::istringstream in(bytes);
  try {
    const auto reader = read_trace(in, "t", options);
    try {
      while (const auto request = reader->next()) result.lbas.push_back(request->lba);
    } catch (const TraceError& error) {
      result.error = error.what();
    }
    result.counts = reader->counts();
  } catch (const TraceError& error) {
    result.error = error.what();
  }
  return result;
}

ReadOptions device(const std::string& name) {
  ReadOptions options;
  options.devices = DeviceChoice::kNamed;
  options.device = name;
  return options;
}

ReadOptions window(std::uint32_t requests) {
  ReadOptions options;
  options.sort_window = requests;
  return options;
}

const std::string kTwoDevices = "0,1,512,r,0.0\n7,2,512,r,0.1\n0,3,512,r,0.2\n";

TEST(TraceText, IsReadAsAFileOfTheSameBytes) {
  const std::string header = "headstack-trace 1\ntime-unit ns\nloop closed\nrequests\n";
  std::string text = header;
  for (int i = 0; i < 20'000; ++i) text += "- R 7 1 -\n";
  auto reader = open_trace_text(text, "a name");
  int count = 0;
  while (const auto request = reader->next()) count += request->lba == 7 ? 1 : 0;
  EXPECT_EQ(count, 20'000);
  const auto wrong = open_trace_text(header + "- X 7 1 -\n", "a name");
  try {
    (void)wrong->next();
    ADD_FAILURE() << "no error";
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a name:5: operation: 'X' is not known"));
  }
}

TEST(TraceDevices, ASecondOne_IsOneErrorAtItsLine_WithBothRemedies) {
  const Result result = read(kTwoDevices);
  EXPECT_THAT(result.error, AllOf(HasSubstr("t:2: device: '7' after '0'"), HasSubstr("--device"),
                                  HasSubstr("--all-devices")));
  EXPECT_THAT(result.lbas, ElementsAre(1));
}

TEST(TraceDevices, OneByName_LeavesTheOthersOut_Counted) {
  const Result result = read(kTwoDevices, device("7"));
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.lbas, ElementsAre(2));
  EXPECT_EQ(result.counts.other_devices, 2U);
}

TEST(TraceDevices, ANameThatNeverComes_IsAnErrorWithTheOnesThereAre) {
  EXPECT_THAT(read(kTwoDevices, device("8")).error, AllOf(HasSubstr("'8'"), HasSubstr("0, 7")));
}

// The list is complete, or ends in "...".
TEST(TraceDevices, ANameThatNeverComes_ShowsTheFirstEight) {
  std::string text, eight;
  for (int i = 0; i < 8; ++i) {
    text += std::to_string(i) + ",1,512,r,0.0\n";
    eight += (i == 0 ? "" : ", ") + std::to_string(i);
  }
  const std::string many = "it has " + eight;
  EXPECT_THAT(read(text, device("x")).error, testing::EndsWith(many));
  EXPECT_THAT(read(text + "8,1,512,r,0.0\n", device("x")).error, testing::EndsWith(many + ", ..."));
}

TEST(TraceDevices, ANameInAFormatWithoutDevices_IsAnError) {
  EXPECT_THAT(read("R Hit 1 2 3.0 4.0\n", device("0")).error, HasSubstr("names no devices"));
}

TEST(TraceOrder, WithinTheWindow_IsPutRight_AndBeyondItIsAnError) {
  const std::string text = "0,1,512,r,0.3\n0,2,512,r,0.2\n0,3,512,r,0.1\n0,4,512,r,0.4\n";
  EXPECT_THAT(read(text).lbas, ElementsAre(3, 2, 1, 4));
  EXPECT_EQ(read(text).counts.moved, 2U);
  EXPECT_THAT(read(text, window(2)).lbas, ElementsAre(3, 2, 1, 4));
  const Result late = read(text, window(1));
  EXPECT_THAT(late.error, AllOf(HasSubstr("t:3: time"), HasSubstr("--sort-window")));
  EXPECT_THAT(late.lbas, ElementsAre(2, 1));
}

TEST(TraceOrder, EqualTimes_KeepTheOrderOfTheirLines) {
  EXPECT_THAT(read("0,1,512,r,0\n0,2,512,r,0\n0,3,512,r,0\n").lbas, ElementsAre(1, 2, 3));
}

/// A blkparse line of 8 sectors: "1.5 D 100" is a read of block 100, issued at 1.5 s.
std::string block_event(const std::string& seconds, char action, int sector) {
  return "8,0 0 1 " + seconds + " 7 " + action + " R " + std::to_string(sector) + " + 8 [x]\n";
}

/// The service times of a blkparse trace, in seconds. A request without one has -1.
struct Services {
  std::vector<double> seconds;
  TraceCounts counts;
};
Services services(const std::string& text) {
  std::istringstream in(text);
  const auto reader = read_trace(in, "t");
  Services result;
  while (const auto request = reader->next()) {
    result.seconds.push_back(request->service ? static_cast<double>(*request->service) / 1e12 : -1);
  }
  result.counts = reader->counts();
  return result;
}

// Processors' clocks differ, and a requeued request has the tag of its first issue. A service time
// is from D to C (traces/README.md), so it is never negative.
TEST(TraceCompletions, BeforeTheIssue_IsLeftOut_AndCounted) {
  const Services result = services(block_event("2.0", 'D', 100) + block_event("1.5", 'C', 100) +
                                   block_event("3.0", 'D', 200) + block_event("3.25", 'C', 200));
  EXPECT_THAT(result.seconds, ElementsAre(-1, 0.25));
  EXPECT_EQ(result.counts.early_ends, 1U);
  EXPECT_EQ(result.counts.unmatched_ends, 0U);
}

TEST(TraceCompletions, AtTheInstantOfTheIssue_IsAServiceTimeOfZero) {
  const Services result = services(block_event("2.0", 'D', 100) + block_event("2.0", 'C', 100));
  EXPECT_THAT(result.seconds, ElementsAre(0));
  EXPECT_EQ(result.counts.early_ends, 0U);
}

// The request still waits for its own completion.
TEST(TraceCompletions, BeforeTheIssue_LeavesTheRequestToTheOneBehind) {
  const Services result = services(block_event("2.0", 'D', 100) + block_event("1.5", 'C', 100) +
                                   block_event("2.5", 'C', 100));
  EXPECT_THAT(result.seconds, ElementsAre(0.5));
  EXPECT_EQ(result.counts.early_ends, 1U);
}

// The trace has the same block twice. The first completion was written after the second issue.
TEST(TraceCompletions, WrittenLate_BelongsToTheRequestThatWasIssuedByThen) {
  const Services result = services(block_event("1.0", 'D', 100) + block_event("2.0", 'D', 100) +
                                   block_event("1.5", 'C', 100) + block_event("2.125", 'C', 100));
  EXPECT_THAT(result.seconds, ElementsAre(0.5, 0.125));
  EXPECT_EQ(result.counts.early_ends, 0U);
}

TEST(TraceCompletions, OfNoRequest_AreCounted) {
  const Services result = services(block_event("1.0", 'C', 100) + block_event("2.0", 'D', 200) +
                                   block_event("3.0", 'R', 300) + block_event("4.0", 'C', 200));
  EXPECT_THAT(result.seconds, ElementsAre(2));
  EXPECT_EQ(result.counts.unmatched_ends, 2U);
  EXPECT_EQ(result.counts.early_ends, 0U);
}

// The request is issued at 1 s, requeued at 1.5 s, and issued again at 2 s. The requeue was written
// last.
TEST(TraceCompletions, ARequeue_TakesBackWhatWasIssuedByThen) {
  std::istringstream in(block_event("1.0", 'D', 100) + block_event("2.0", 'D', 100) +
                        block_event("1.5", 'R', 100));
  const auto reader = read_trace(in, "t");
  const auto request = reader->next();
  ASSERT_TRUE(request);
  EXPECT_FALSE(reader->next());
  EXPECT_EQ(reader->line(), 2U);
}

// 30 days are the longest time between two events (trace_formats.hpp).
TEST(TraceCompletions, OfMoreThanThirtyDays_AreNoServiceTimes_AndCounted) {
  const Services result =
      services(block_event("0.0", 'D', 100) + block_event("2592000.0", 'C', 100) +
               block_event("1.0", 'D', 200) + block_event("2592001.5", 'C', 200));
  EXPECT_THAT(result.seconds, ElementsAre(2'592'000, -1));
  EXPECT_EQ(result.counts.overlong, 1U);
}

const std::string kOneBadLine = "0,1,512,r,0.0\n0,x,512,r,0.1\n0,3,512,r,0.2\n";

/// A blkparse line of 8 sectors: a write with forced unit access.
std::string forced_write(const std::string& seconds, int sector) {
  return "8,0 0 1 " + seconds + " 7 D WF " + std::to_string(sector) + " + 8 [x]\n";
}

// A flush has block 0.
TEST(TraceForcedWrites, HaveAFlushRightBehindThem_WhereverTheSortPutsThem) {
  const std::string text = forced_write("2.0", 100) + forced_write("1.0", 200);
  EXPECT_THAT(read(text).lbas, ElementsAre(200, 0, 100, 0));
  EXPECT_THAT(read(text + block_event("1.0", 'D', 300)).lbas, ElementsAre(200, 0, 300, 100, 0));
}

TEST(TraceForcedWrites, ThatAreBad_AreOneBadLine) {
  ReadOptions options = window(0);
  options.skip_bad = true;
  const Result result = read(forced_write("2.0", 100) + forced_write("1.0", 200), options);
  EXPECT_THAT(result.lbas, ElementsAre(100, 0));
  EXPECT_EQ(result.counts.bad, 1U);
}

TEST(TraceBadLines, Strict_GivesWhatComesBefore_ThenTheError) {
  const Result result = read(kOneBadLine);
  EXPECT_THAT(result.lbas, ElementsAre(1));
  EXPECT_THAT(result.error, AllOf(HasSubstr("t:2: LBA: 'x'"), HasSubstr("0,x,512,r,0.1")));
}

TEST(TraceBadLines, Skipped_AreToldAndCounted) {
  ReadOptions options;
  options.skip_bad = true;
  const Result result = read(kOneBadLine + "garbage\n", options);
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.lbas, ElementsAre(1, 3));
  EXPECT_EQ(result.counts.bad, 2U);
  EXPECT_THAT(result.told, ElementsAre(HasSubstr("t:2"), HasSubstr("t:4")));
}

TEST(TraceBadLines, TheTextOfALongLine_IsCut_AndWithoutControlCharacters) {
  const Result result = read("0,1,512,r,0\n" + std::string(300, 'z') + "\x1b[31m\n");
  EXPECT_THAT(result.error,
              AllOf(HasSubstr(std::string(80, 'z') + "..."), testing::Not(HasSubstr("\x1b"))));
}

TEST(TraceBadLines, ALineWithoutAnEnd_InAFileOfThatSize_TakesConstantMemory) {
  const Result result = read("0,1,512,r,0\n" + std::string(1 << 20, '1') + "\n0,2,512,r,1\n", [] {
    ReadOptions o;
    o.skip_bad = true;
    return o;
  }());
  EXPECT_THAT(result.lbas, ElementsAre(1, 2));
  EXPECT_THAT(result.told, ElementsAre(HasSubstr("65536 characters")));
}

TEST(TraceLastLine, WithoutAnEnd_IsTakenInATable_AndTold_ButRefusedInOurOwnFormat) {
  const Result table = read("0,1,512,r,0\n0,2,512,r,1");
  EXPECT_THAT(table.lbas, ElementsAre(1, 2));
  EXPECT_TRUE(table.counts.unended);
  EXPECT_THAT(read("headstack-trace 1\ntime-unit us\nrequests\n0 R 1 1 -").error,
              HasSubstr("truncated"));
}

// A run's snapshots are forked processes. Each must read all lines, whatever another one has read.
TEST(TraceFile, IsReadByEachForkedProcessFromItsOwnPlace) {
  constexpr int kLines = 20'000;  // more than is buffered
  const auto file = std::filesystem::path(testing::TempDir()) /
                    ("headstack_forked_" + std::to_string(::getpid()));
  {
    std::ofstream out(file);
    for (int i = 0; i < kLines; ++i) out << "0," << i << ",512,r," << i << "\n";
  }
  const auto reader = open_trace(file.string());
  int count = 0;
  for (; count < 10; ++count) reader->next();
  const pid_t child = ::fork();
  if (child == 0) {
    while (reader->next()) ++count;
    ::_exit(count == kLines ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  while (reader->next()) ++count;
  EXPECT_EQ(count, kLines);
  std::filesystem::remove(file);
}

// A pipe has no position to which one can return (input_buffer.hpp has "a file, a pipe").
TEST(TraceFile, MayBeAPipe) {
  const std::string text = "0,1,512,r,0\n0,2,512,r,1\n";
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const auto reader = open_trace("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  std::vector<std::uint64_t> lbas;
  while (const auto request = reader->next()) lbas.push_back(request->lba);
  EXPECT_THAT(lbas, ElementsAre(1, 2));
}

struct Extent {
  const char* what;
  std::string size;
  std::uint64_t blocks, widened;
};

class WidenedSize : public testing::TestWithParam<Extent> {};

// Each extent begins in block 9, which has the bytes from 512 * 9 on. The format (alibaba) counts
// bytes.
TEST_P(WidenedSize, CountsWholeBlocks) {
  std::istringstream in("1,R," + GetParam().size + ",7\n");
  const auto reader = read_trace(in, "t");
  const auto request = reader->next();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->lba, 9U);
  EXPECT_EQ(request->blocks, GetParam().blocks);
  EXPECT_EQ(reader->counts().widened, GetParam().widened);
}

const Extent kExtents[] = {{"Whole", "4608,512", 1, 0},       {"OneByte", "4608,1", 1, 1},
                           {"OneMore", "4608,513", 2, 1},     {"FromWithin", "4609,511", 1, 1},
                           {"OverTheEdge", "4609,512", 2, 1}, {"LastByte", "5119,1", 1, 1}};
INSTANTIATE_TEST_SUITE_P(Trace, WidenedSize, testing::ValuesIn(kExtents), test::case_name<Extent>);

// decompress.hpp: data without a sign of compression are read as they are.
TEST(PlainTrace, IsNotUnpacked) {
  for (const std::string& text : {std::string(), std::string("0,1,512,r,0\n"),
                                  std::string(262, '1'), std::string(300, '1')}) {
    std::istringstream in(text);
    auto plain = std::make_unique<InputBuffer>(from_stream(in));
    const InputBuffer* before = plain.get();
    EXPECT_EQ(decompressed(std::move(plain), "t").get(), before) << text.size();
  }
}

/// Packs with Debian's tools. A test is skipped if its tool is missing.
class Packed : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("headstack_packed_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << "0,1,512,r,0\n0,2,512,r,1\n";
    std::ofstream(folder_ / "u.csv") << "0,1,512,r,0\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  bool shell(const std::string& line) const {
    return std::system(("cd '" + folder_.string() + "' && " + line + " 2>/dev/null").c_str()) == 0;
  }
  std::string slurp(const char* name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path folder_;
};

class PackedTrace : public Packed, public testing::WithParamInterface<const char*> {};

TEST_P(PackedTrace, IsTheTraceInIt_AndTruncatedIsAnError) {
  if (!shell(std::string(GetParam()) + " <t.csv >packed")) {
    GTEST_SKIP() << "not installed: " << GetParam();
  }
  const std::string bytes = slurp("packed");
  EXPECT_THAT(read(bytes).lbas, ElementsAre(1, 2));
  EXPECT_THAT(read(bytes.substr(0, bytes.size() - 6)).error, HasSubstr("damaged or truncated"));
}

TEST_P(PackedTrace, InATarArchive_IsRead_AndASecondFileIsAnError) {
  if (!shell("tar cf - t.csv | " + std::string(GetParam()) + " >one") ||
      !shell("tar cf - t.csv u.csv | " + std::string(GetParam()) + " >two")) {
    GTEST_SKIP() << "not installed: " << GetParam();
  }
  EXPECT_THAT(read(slurp("one")).lbas, ElementsAre(1, 2));
  EXPECT_THAT(read(slurp("two")).error,
              AllOf(HasSubstr("'t.csv' and 'u.csv'"), HasSubstr("unpack")));
}

/// The bytes, with one of them changed. A negative `at` counts from the end.
std::string with_damage(std::string bytes, std::ptrdiff_t at) {
  char& byte = at < 0 ? bytes.end()[at] : bytes[static_cast<std::size_t>(at)];
  byte = static_cast<char>(byte ^ 0x10);
  return bytes;
}

// RFC 1952, 2.3.1: a member ends with a CRC-32 and the length of what it holds, four bytes each.
TEST_F(Packed, GzipWhoseCheckOrLengthIsWrong_IsDamaged) {
  ASSERT_TRUE(shell("gzip <t.csv >packed && tar cf - t.csv | gzip >tar"));
  for (const char* name : {"packed", "tar"}) {
    const std::string bytes = slurp(name);
    EXPECT_EQ(read(bytes).error, "") << name;
    for (const std::ptrdiff_t at : {-8, -5, -4, -1}) {
      EXPECT_THAT(read(with_damage(bytes, at)).error,
                  AllOf(HasSubstr("damaged or truncated (incorrect "), HasSubstr("fetch it again")))
          << name << at;
    }
  }
}

// Stored data stay well-formed when a byte is changed.
TEST_F(Packed, GzipWithOneByteChanged_IsDamaged) {
  const std::string stored = std::string("\x1F\x8B\x08\0\0\0\0\0\0\x03", 10) +
                             std::string("\x01\x0C\0\xF3\xFF", 5) + "0,1,512,r,0\n";
  // CRC-32 by Python: zlib.crc32(b"0,1,512,r,0\n"); the length is 12.
  const std::string good =
      stored + std::string("\xE8\xEA\xC6\x41", 4) + std::string("\x0C\0\0\0", 4);
  EXPECT_THAT(read(good).lbas, ElementsAre(1));
  EXPECT_THAT(read(with_damage(good, 15)).error,
              HasSubstr("damaged or truncated (incorrect data check)"));
}

TEST_F(Packed, GzipOfSeveralMembers_IsAllOfThem_AndEachIsChecked) {
  ASSERT_TRUE(shell("gzip <t.csv >t && gzip <u.csv >u"));
  const std::string t = slurp("t"), u = slurp("u");
  EXPECT_THAT(read(t + u + t).lbas, testing::UnorderedElementsAre(1, 2, 1, 1, 2));
  EXPECT_THAT(read(t + with_damage(u, -8) + t).error, HasSubstr("damaged"));
  EXPECT_THAT(read(t + u.substr(0, u.size() - 8)).error, HasSubstr("its end is missing"));
  // Zeros fill up a block; other bytes may have been a member.
  EXPECT_THAT(read(t + std::string(700'000, '\0')).lbas, ElementsAre(1, 2));
  EXPECT_THAT(read(t + with_damage(u, 0)).error, HasSubstr("after its end"));
}

std::string tool_name(const testing::TestParamInfo<const char*>& tool) { return tool.param; }
INSTANTIATE_TEST_SUITE_P(Trace, PackedTrace, testing::Values("gzip", "bzip2", "xz", "zstd"),
                         tool_name);

// ---------------------------------------------------------------------- events of the block layer

ReadOptions events(BlockEvent event, bool allow_empty = true) {
  ReadOptions options;
  options.events = event;
  options.allow_empty = allow_empty;
  return options;
}

/// A record of blktrace (Linux, include/uapi/linux/blktrace_api.h): a read of 8 sectors.
std::string blktrace_record(std::uint64_t ns, unsigned action, std::uint64_t sector) {
  std::string record;
  const auto put = [&record](std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) record += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  put(0x65617407, 4);  // magic and version
  put(0, 4);
  put(ns, 8);
  put(sector, 8);
  put(8 * 512, 4);
  put(1U << 16 | action, 4);  // category: read
  put(0, 4);
  put(8U << 20, 4);  // device
  put(0, 4);
  put(0, 4);  // no error; no data follow
  return record;
}

std::vector<std::string> names_of(const TraceCounts& counts) {
  std::vector<std::string> names;
  for (const EventCount& event : counts.events) {
    names.push_back(std::to_string(event.count) + " " + event.name +
                    (event.is_used ? " used" : ""));
  }
  return names;
}

// Two requests are queued, the second is merged into the first, which is issued and completed.
const std::string kQueued = block_event("1.0", 'Q', 100) + block_event("1.1", 'Q', 108) +
                            block_event("1.1", 'M', 108) + block_event("1.5", 'C', 100);
// blktrace's numbers of these actions: queue 1, back merge 2, complete 8.
const std::string kQueuedBinary =
    blktrace_record(1'000'000'000, 1, 100) + blktrace_record(1'100'000'000, 1, 108) +
    blktrace_record(1'100'000'000, 2, 108) + blktrace_record(1'500'000'000, 8, 100);

TEST(BlockEvents, QueuedRequestsAreReadByChoice) {
  for (const std::string& bytes : {kQueued, kQueuedBinary}) {
    const Result queued = read(bytes, events(BlockEvent::kQueue));
    EXPECT_EQ(queued.error, "");
    EXPECT_EQ(queued.lbas, (std::vector<std::uint64_t>{100, 108}));
    EXPECT_THAT(
        names_of(queued.counts),
        testing::ElementsAre("2 Q (queued) used", "1 M (back merges)", "1 C (completed) used"));
    const Result issued = read(bytes);
    EXPECT_TRUE(issued.lbas.empty());
    EXPECT_THAT(names_of(issued.counts),
                testing::ElementsAre("2 Q (queued)", "1 M (back merges)", "1 C (completed) used"));
  }
}

// The request takes 0.5 s from queueing to completion. A requeue cancels an issue, but no queueing.
TEST(BlockEvents, AQueuedRequestKeepsItsTimeThroughARequeue) {
  std::istringstream in(block_event("1.0", 'Q', 100) + block_event("1.1", 'D', 100) +
                        block_event("1.2", 'R', 100) + block_event("1.3", 'D', 100) +
                        block_event("1.5", 'C', 100));
  const auto reader = read_trace(in, "t", events(BlockEvent::kQueue));
  const auto request = reader->next();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->service, 500 * kPicosecondsPerMillisecond);
  EXPECT_FALSE(reader->next());
}

TEST(BlockEvents, OtherFormatsHaveNone) {
  EXPECT_THAT(read(kTwoDevices, events(BlockEvent::kQueue)).error,
              HasSubstr("t: events: a trace of format spc has no events to choose from"));
}

TEST(EmptyTraces, AreErrorsThatSayWhatIsThere) {
  for (const std::string& bytes : {kQueued, kQueuedBinary}) {
    EXPECT_EQ(
        read(bytes, events(BlockEvent::kIssue, false)).error,
        "t: no request is in it, but 2 Q (queued), 1 M (back merges), 1 C (completed); requests "
        "are made of D: use --events queue to make them of Q, or accept it with --allow-empty");
  }
  EXPECT_THAT(read(block_event("1.0", 'D', 100), events(BlockEvent::kQueue, false)).error,
              HasSubstr("use --events issue to make them of D"));
  const std::string discard = "8,0 1 1 0.0 1 D D 0 + 8 [x]\n8,0 1 2 0.1 0 C D 0 + 8 [0]\n";
  EXPECT_THAT(
      read(discard, events(BlockEvent::kIssue, false)).error,
      HasSubstr("but 1 D (issued), 1 C (completed), 1 passed over as 'kind D'; give a trace "
                "that has some, or accept it with --allow-empty"));
  EXPECT_EQ(read(discard).error, "");
  EXPECT_EQ(read(kQueued, events(BlockEvent::kQueue, false)).error, "");
}

}  // namespace
}  // namespace headstack::traces
