// SPDX-License-Identifier: Apache-2.0
// `headstack trace ...`, as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/cli_fixture.hpp"

namespace headstack {
namespace {

using test::Outcome;
using test::slurp;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class TraceCommands : public test::Cli {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
  }
  /// The lines of a trace after its header.
  static std::string requests_of(const std::string& trace) {
    const std::size_t at = trace.find("\nrequests\n");
    return at == std::string::npos ? trace : trace.substr(at + 10);
  }
  std::string requests(const std::string& arguments) const {
    const Outcome outcome = run("trace " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return requests_of(outcome.out);
  }
  nlohmann::json info(const std::string& arguments) const {
    const Outcome outcome = run("trace info --json " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
};

constexpr const char* kTenMs =
    "headstack-trace 1\ntime-unit ms\nrequests\n10 R 0 8 -\n20 W 1000 8 5\n30 R 2000 8 -\n"
    "40 F 0 0 -\n";

TEST_F(TraceCommands, Info_CountsByHand) {
  write("t", kTenMs);
  const auto json = info(file("t"));
  EXPECT_EQ(json["requests"], 4);
  EXPECT_EQ(json["reads"], 2);
  EXPECT_EQ(json["footprint_bytes"], 3 * 4096);
  EXPECT_EQ(json["requests_with_deadline"], 1);
  EXPECT_EQ(json["mean_requests_per_second"], 100);
  EXPECT_EQ(json["gaps"]["max_ps"], 10'000'000'000);
}

TEST_F(TraceCommands, Info_OfSeveralDevices_ListsThem) {
  write("t", "0,1,512,r,0\n7,1,512,r,1\n7,9,512,w,2\n");
  const auto json = info(file("t"));
  EXPECT_EQ(json["devices"][1]["name"], "7");
  EXPECT_EQ(json["devices"][1]["requests"], 2);
  EXPECT_THAT(run("trace convert " + file("t")).err,
              AllOf(HasSubstr("t:2: device"), HasSubstr("--all-devices")));
  EXPECT_EQ(info("--device 7 " + file("t"))["other_devices"], 1);
}

TEST_F(TraceCommands, Head_Slice_AndScale) {
  write("t", kTenMs);
  EXPECT_EQ(requests("head -n 1 " + file("t")), "10000 R 0 8 -\n");
  EXPECT_EQ(requests("slice --skip 1 --count 2 " + file("t")),
            "0 W 1000 8 5000\n10000 R 2000 8 -\n");
  // The slice begins with the request at 20 ms, and excludes the one at 40 ms.
  EXPECT_EQ(requests("slice --begin 15ms --end 40ms " + file("t")),
            "5000 W 1000 8 5000\n15000 R 2000 8 -\n");
  EXPECT_EQ(requests("scale --time-factor 0.25 " + file("t")),
            "2500 R 0 8 -\n5000 W 1000 8 5000\n7500 R 2000 8 -\n10000 F 0 0 -\n");
  write("fast", run("trace scale --rate 1000 " + file("t")).out);
  EXPECT_EQ(info(file("fast"))["mean_requests_per_second"], 1000);
}

constexpr const char* kWithOptions =
    "headstack-trace 3\ntime-unit ms\ncolumns time operation lba blocks deadline "
    "options\nrequests\n"
    "10 R 0 8 - ordered+fua\n20 V 1000 8 - -\n30 W 2000 8 - untagged+abort=4\n"
    "40 F 0 0 - bus-reset=0.5\n";

// The time of a host's act after a request belongs to the trace, and is scaled with the others.
TEST_F(TraceCommands, Options_AreKept_AndScaled) {
  write("t", kWithOptions);
  EXPECT_EQ(requests("convert " + file("t")),
            "10000 R 0 8 - ordered+fua\n20000 V 1000 8 - -\n30000 W 2000 8 - untagged+abort=4000\n"
            "40000 F 0 0 - bus-reset=500\n");
  EXPECT_EQ(requests("head -n 1 " + file("t")), "10000 R 0 8 - ordered+fua\n");
  EXPECT_EQ(requests("slice --skip 2 " + file("t")),
            "0 W 2000 8 - untagged+abort=4000\n10000 F 0 0 - bus-reset=500\n");
  EXPECT_EQ(requests("scale --time-factor 0.25 " + file("t")),
            "2500 R 0 8 - ordered+fua\n5000 V 1000 8 - -\n7500 W 2000 8 - untagged+abort=1000\n"
            "10000 F 0 0 - bus-reset=125\n");
  EXPECT_EQ(requests("remap-lba --how offset --offset 5 " + file("t")),
            "10000 R 5 8 - ordered+fua\n20000 V 1005 8 - -\n30000 W 2005 8 - untagged+abort=4000\n"
            "40000 F 0 0 - bus-reset=500\n");
  const auto json = info(file("t"));
  EXPECT_EQ(json["requests"], 4);
  EXPECT_EQ(json["verifies"], 1);
  EXPECT_EQ(json["options"],
            (nlohmann::json{
                {"abort", 1}, {"bus-reset", 1}, {"fua", 1}, {"ordered", 1}, {"untagged", 1}}));
}

constexpr const char* kUrgent =
    "headstack-trace 4\ntime-unit ms\n"
    "columns time operation lba blocks deadline class stream priority\nrequests\n"
    "10 R 0 8 26 real-time 3 1\n20 W 1000 8 - best-effort 3 0\n30 R 2000 8 40 - - 0\n";

// A deadline is relative to its arrival, and stays the same when arrivals are scaled.
TEST_F(TraceCommands, Urgency_IsKept_AndCounted) {
  write("t", kUrgent);
  const std::string second = "20000 W 1000 8 - best-effort 3 0\n";
  EXPECT_EQ(requests("convert " + file("t")),
            "10000 R 0 8 26000 real-time 3 1\n" + second + "30000 R 2000 8 40000 - - 0\n");
  EXPECT_EQ(requests("head -n 1 " + file("t")), "10000 R 0 8 26000 real-time 3 1\n");
  EXPECT_EQ(requests("slice --skip 2 " + file("t")), "0 R 2000 8 40000 - - 0\n");
  EXPECT_EQ(requests("scale --time-factor 0.5 " + file("t")),
            "5000 R 0 8 26000 real-time 3 1\n10000 W 1000 8 - best-effort 3 0\n"
            "15000 R 2000 8 40000 - - 0\n");
  const auto json = info(file("t"));
  EXPECT_EQ(json["requests_with_deadline"], 2);
  EXPECT_EQ(json["classes"], (nlohmann::json{{"real-time", 2}, {"best-effort", 1}}));
  EXPECT_EQ(json["streams"], (nlohmann::json{{"3", 2}}));
  EXPECT_EQ(json["priorities"], (nlohmann::json{{"1", 1}}));
  EXPECT_THAT(run("trace info " + file("t")).out,
              AllOf(HasSubstr("with a deadline: 2; 2 real-time, 1 best-effort"),
                    HasSubstr("1 stream: 3: 2"), HasSubstr("1 priority level: 1: 1")));
}

TEST_F(TraceCommands, Deadlines_AreGivenBySeed_AndAnnounced) {
  write("t", kTenMs);
  const std::string words = "deadlines " + file("t") + " --base 26ms --slack 10ms:100ms ";
  const Outcome made = run("trace " + words + "--class read --seed 7");
  EXPECT_EQ(made.out, run("trace " + words + "--class read --seed 7").out);
  EXPECT_NE(made.out, run("trace " + words + "--class read --seed 8").out);
  EXPECT_THAT(made.out, testing::StartsWith("headstack-trace 4\n"));
  EXPECT_THAT(requests_of(made.out),
              AllOf(HasSubstr("\n20000 W 1000 8 5000\n"), HasSubstr("\n40000 F 0 0 -\n")))
      << "others stay as they are";
  write("d", made.out);
  EXPECT_EQ(info(file("d"))["requests_with_deadline"], 3);
  // A slack of one value is exact: 26 + 10 ms.
  EXPECT_EQ(requests("deadlines " + file("t") + " --base 26ms --slack 10ms:10ms"),
            "10000 R 0 8 36000\n20000 W 1000 8 36000\n30000 R 2000 8 36000\n"
            "40000 F 0 0 36000\n");
}

TEST_F(TraceCommands, RemapLba_EachWay) {
  write("t", kTenMs);
  const std::string on = " --capacity 1004 " + file("t");
  // 2000 - 1004 = 996, and its 8 blocks end at the capacity. The blocks of 1000 would not fit.
  EXPECT_EQ(requests("remap-lba --how fold" + on),
            "10000 R 0 8 -\n20000 W 996 8 5000\n30000 R 996 8 -\n40000 F 0 0 -\n");
  EXPECT_EQ(requests("remap-lba --how clip" + on),
            "10000 R 0 8 -\n20000 W 1000 4 5000\n40000 F 0 0 -\n");
  // The trace ends at 2008. 2000 * 1004 / 2008 = 1000, moved back to 996, then down to a page.
  EXPECT_EQ(requests("remap-lba --how scale" + on),
            "10000 R 0 8 -\n20000 W 496 8 5000\n30000 R 992 8 -\n40000 F 0 0 -\n");
  EXPECT_EQ(requests("remap-lba --how offset --offset 5 " + file("t")),
            "10000 R 5 8 -\n20000 W 1005 8 5000\n30000 R 2005 8 -\n40000 F 0 0 -\n");
  EXPECT_THAT(run("trace remap-lba --how clip" + on).err, HasSubstr("1 requests past block 1004"));
}

// Two reads: the first was completed before it was issued, and one completion has no request.
TEST_F(TraceCommands, EndsThatFitNoRequest_AreTold_WithTheirCounts) {
  const std::string ends =
      "8,0 0 1 2.0 7 D R 100 + 8 [x]\n8,0 0 2 1.5 7 C R 100 + 8 [0]\n"
      "8,0 0 3 3.0 7 D R 200 + 8 [x]\n8,0 0 4 3.5 7 C R 300 + 8 [0]\n";
  write("t", ends);
  const auto json = info(file("t"));
  EXPECT_EQ(json["ends_before_issue"], 1);
  EXPECT_EQ(json["ends_without_request"], 1);
  EXPECT_EQ(json["service"], nullptr);
  const auto told = AllOf(HasSubstr("1 end of requests left out: completed or requeued before"),
                          HasSubstr("1 end of requests left out: the requests came before"));
  EXPECT_THAT(run("trace info " + file("t")).out, told);
  EXPECT_THAT(run("trace convert " + file("t")).err, told);
}

TEST_F(TraceCommands, APipe_IsReadLikeAFile) {
  write("t", kTenMs);
  EXPECT_EQ(requests("convert - <" + file("t")), requests("convert " + file("t")));
  const Outcome gz = run("trace convert -o " + file("gz") + " - < " + file("t"));
  EXPECT_EQ(gz.status, 0);
  EXPECT_THAT(run("trace scale --rate 5 - <" + file("t")).err, HasSubstr("read twice"));
}

TEST_F(TraceCommands, SkipBad_TellsTheFirstFew_AndCounts) {
  std::string text = "0,1,512,r,0\n";
  for (int i = 0; i < 8; ++i) text += "nonsense " + std::to_string(i) + "\n";
  write("t", text);
  EXPECT_EQ(run("trace convert " + file("t")).status, 1);
  const Outcome outcome = run("trace convert --skip-bad " + file("t"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("t:2"), HasSubstr("nonsense 4"),
                                 testing::Not(HasSubstr("nonsense 5")), HasSubstr("8 bad lines")));
}

TEST_F(TraceCommands, Formats_GiveTheSameNamesAsTheOption) {
  const std::string out = run("trace formats").out;
  for (const char* name : {"headstack ", "hp-srt ", "blktrace ", "msr ", "vscsi "}) {
    EXPECT_THAT(out, HasSubstr(name));
  }
  EXPECT_THAT(run("trace info --from mrs x").err, HasSubstr("did you mean 'msr'?"));
}

TEST_F(TraceCommands, Synth_GivesTheSameBits_AndWhatWasAskedFor) {
  const std::string line =
      "synth --capacity 100000 --count 200 --sizes 8:3,64 --read-share 0.5 "
      "--seed 11 --pattern ";
  for (const char* pattern : {"uniform", "zipf", "sequential", "mixed", "realtime"}) {
    const std::string one = requests(line + pattern);
    EXPECT_EQ(one, requests(line + pattern)) << pattern;
    EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 200) << pattern;
  }
  write(
      "rt",
      run("trace synth --drive eagle --pattern realtime --streams 5 --count 50 --period 20ms").out);
  const auto json = info(file("rt"));
  EXPECT_EQ(json["initiators"], 5);
  EXPECT_EQ(json["requests_with_deadline"], 50);
}

// An option without an effect is an error (kWrongCommands). The ones here have an effect.
TEST_F(TraceCommands, Synth_TakesEachOptionWhereItHasAnEffect) {
  const std::string line = "synth --capacity 100000 --count 50 ";
  const std::pair<const char*, const char*> kPairs[] = {
      {"--pattern zipf ", "--theta 1.5"},
      {"--pattern zipf ", "--places 7"},
      {"--pattern zipf --places 100 ", "--align 1"},
      {"--pattern sequential ", "--streams 3"},
      {"--pattern mixed ", "--streams 3"},
      {"--pattern mixed ", "--sequential-share 0.9"},
      {"--pattern mixed ", "--align 1"},
      {"--pattern realtime ", "--streams 3"},
      {"--pattern realtime ", "--period 7ms"},
      {"--pattern realtime ", "--deadline 7ms"},
      {"--slack 1ms:2ms ", "--deadline 7ms"},
      {"", "--align 1"},
      {"", "--rate 7"},
      {"--arrivals bursty ", "--rate 7"},
      {"--arrivals bursty ", "--on-time 7ms"},
      {"--arrivals bursty ", "--off-time 7ms"},
      {"--arrivals think ", "--think 7ms"},
  };
  for (const auto& [with, option] : kPairs) {
    const std::string changed = requests(line + with + option);
    EXPECT_EQ(std::count(changed.begin(), changed.end(), '\n'), 50) << with << option;
    EXPECT_NE(changed, requests(line + with)) << with << option;
  }
}

TEST_F(TraceCommands, Synth_WithOptions_LeavesTheRestAsItIs) {
  const std::string line = "synth --capacity 100000 --count 300 --pattern uniform --rate 50 ";
  const std::string plain = requests(line);
  write("o", run("trace " + line + "--with ordered:1 --with head-of-queue:1 --with fua:0").out);
  const auto all_ordered = info(file("o"));
  EXPECT_EQ(all_ordered["options"], (nlohmann::json{{"ordered", 300}}))
      << "one tag each, the first";
  write("f", run("trace " + line +
                 "--flush-share 0.2 --verify-share 0.5 --with fua:0.5 "
                 "--with abort=1ms..9ms:0.1")
                 .out);
  const auto json = info(file("f"));
  // The counts of 300 are within four standard deviations of a binomial distribution.
  EXPECT_NEAR(json["flushes"].get<int>(), 60, 28);
  EXPECT_NEAR(json["verifies"].get<int>(), 120, 34);
  EXPECT_NEAR(json["options"]["fua"].get<int>(), 60, 28) << "of the reads that are left";
  EXPECT_NEAR(json["options"]["abort"].get<int>(), 30, 21);
  EXPECT_EQ(requests(line), plain);
  EXPECT_NE(requests(line + "--with fua:0"), plain) << "version 3 has a column more";
}

// The file is written as a whole or not at all: an error leaves no file.
TEST_F(TraceCommands, AnError_LeavesNoFile_AndNothingIsOverwritten) {
  write("t", "0,1,512,r,0\n0,x,512,r,0\n");
  EXPECT_EQ(run("trace convert " + file("t") + " -o " + file("made")).status, 1);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("t", "out", "err"));
    ++files;
  }
  EXPECT_EQ(files, 3);
  write("made", "mine");
  EXPECT_THAT(run("trace synth --capacity 99 -o " + file("made")).err, HasSubstr("--force"));
  EXPECT_EQ(slurp(file("made")), "mine");
  EXPECT_EQ(run("trace synth --capacity 99 --force -o " + file("made")).status, 0);
}

TEST_F(TraceCommands, Interrupted_ItLeavesNoFile) {
  const std::string program = test::built(HEADSTACK_PROGRAM);
  const std::string command = "timeout -s INT 0.3 '" + program +
                              "' trace synth --capacity 1000000 --count 1000000000 -o '" +
                              file("made") + "' >'" + file("out") + "' 2>'" + file("err") + "'";
  EXPECT_NE(std::system(command.c_str()), 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("out", "err"));
  }
}

struct WrongCommand {
  const char* what;
  const char* arguments;
  int status;
  const char* says;
};

class WrongTraceCommand : public TraceCommands, public testing::WithParamInterface<WrongCommand> {};

TEST_P(WrongTraceCommand, IsOneLineOfError) {
  const Outcome outcome = run(std::string("trace ") + GetParam().arguments);
  EXPECT_EQ(outcome.status, GetParam().status) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(testing::StartsWith("headstack: error: "), HasSubstr(GetParam().says)));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

const WrongCommand kWrongCommands[] = {
    {"NoCapacity", "synth", 2, "--capacity"},
    {"BothCapacities", "synth --capacity 9 --drive eagle", 2, "--capacity"},
    {"UnknownPattern", "synth --capacity 99 --pattern zpif", 2, "--pattern"},
    {"BadSizes", "synth --capacity 99 --sizes 8:", 2, "BLOCKS[:WEIGHT]"},
    {"NoSize", "synth --capacity 99 --sizes 0", 2, "BLOCKS[:WEIGHT]"},
    {"BadRange", "synth --capacity 99 --lba 9..8", 2, "FIRST..END"},
    {"RangePastTheEnd", "synth --capacity 99 --lba 9..100", 1, "--lba"},
    {"TooSmall", "synth --capacity 7", 1, "--lba"},
    {"UnknownOption", "synth --capacity 99 --with ordred:0.1", 2, "use ordered"},
    {"OptionWithoutShare", "synth --capacity 99 --with fua", 2, "WORD:SHARE"},
    {"OptionWithBadShare", "synth --capacity 99 --with fua:1.5", 2, "from 0 to 1"},
    {"OptionWithHexadecimalShare", "synth --capacity 99 --with fua:0x1", 2, "from 0 to 1"},
    {"HexadecimalShare", "synth --capacity 99 --read-share 0x1", 2, "'0x1' is not a number from"},
    {"BlankBeforeShare", "synth --capacity 99 --read-share ' 1'", 2, "' 1' is not a number from"},
    {"PatternNearlyZipf", "synth --capacity 99 --pattern zpif", 2,
     "--pattern: 'zpif' is not known; did you mean 'zipf'?"},
    {"NoPattern", "synth --capacity 99 --pattern everywhere", 2,
     "use one of: mixed, realtime, sequential, uniform, zipf"},
    {"OptionWithoutTime", "synth --capacity 99 --with abort:0.5", 2, "abort=TIME"},
    {"OptionBackInTime", "synth --capacity 99 --with abort=5ms..1ms:0.5", 2, "earlier time first"},
    {"DeadlineOfNone", "synth --capacity 99 --deadline 5ms", 2,
     "--deadline: goes with --pattern realtime, or with --slack"},
    {"ThetaOfUniform", "synth --capacity 99 --theta 1", 2, "--theta: goes with --pattern zipf"},
    {"PlacesOfMixed", "synth --capacity 99 --pattern mixed --places 9", 2, "--pattern zipf"},
    {"StreamsOfZipf", "synth --capacity 99 --pattern zipf --streams 2", 2,
     "--streams: goes with --pattern sequential, mixed or realtime"},
    {"ShareOfSequential", "synth --capacity 99 --pattern sequential --sequential-share 1", 2,
     "--sequential-share: goes with --pattern mixed"},
    {"AlignedSequential", "synth --capacity 99 --pattern sequential --align 1", 2, "--align"},
    {"AlignedRealtime", "synth --capacity 99 --pattern realtime --align 1", 2, "--align"},
    {"PeriodOfUniform", "synth --capacity 99 --period 5ms", 2, "goes with --pattern realtime"},
    {"ArrivalsOfRealtime", "synth --capacity 99 --pattern realtime --arrivals closed", 2,
     "--arrivals: goes with --pattern uniform"},
    {"RateOfRealtime", "synth --capacity 99 --pattern realtime --rate 5", 2, "--rate: goes with"},
    {"RateOfClosed", "synth --capacity 99 --arrivals closed --rate 5", 2, "poisson or bursty"},
    {"OnTimeOfPoisson", "synth --capacity 99 --on-time 5ms", 2,
     "--on-time: goes with --arrivals bursty"},
    {"OffTimeOfThink", "synth --capacity 99 --arrivals think --off-time 5ms", 2, "bursty"},
    {"ThinkOfClosed", "synth --capacity 99 --arrivals closed --think 5ms", 2, "--arrivals think"},
    {"NoPeriod", "synth --capacity 99 --pattern realtime --period 0s", 2, "more than 0"},
    {"SlackWithoutRange", "synth --capacity 99 --slack 5ms", 2, "say 10ms:100ms"},
    {"SlackBackInTime", "deadlines --slack 9ms:1ms x", 2, "earlier time first"},
    {"NoSlack", "deadlines x", 2, "--slack"},
    {"UnknownTarget", "deadlines --slack 1ms:2ms --class reed x", 2, "--class"},
    {"LongestDeadline", "deadlines --base 2592000s --slack 1ps:2ps x", 1, "exceed 30 days"},
    {"NoServiceStream", "synth --capacity 99 --service-streams 0", 2, "--service-streams"},
    {"StreamsPastTheLast", "synth --capacity 99 --service-streams 257", 2, "--service-streams"},
    {"PrioritiesPastTheLast", "synth --capacity 99 --priorities 16", 2, "--priorities"},
    {"ScaleByBoth", "scale --rate 1 --time-factor 2 x", 2, "--rate"},
    {"ScaleByNothing", "scale x", 2, "--rate"},
    {"BadFactor", "scale --time-factor 1e3 x", 2, "9 digits"},
    {"FoldWithoutCapacity", "remap-lba --how fold x", 2, "--capacity or --drive"},
    {"OffsetOfFold", "remap-lba --how fold --capacity 9 --offset 5 x", 2,
     "--offset: goes with --how offset"},
    {"EndOfFold", "remap-lba --how fold --capacity 9 --trace-end 5 x", 2,
     "--trace-end: goes with --how scale"},
    {"EndOfClip", "remap-lba --how clip --capacity 9 --trace-end 5 x", 2, "--how scale"},
    {"EndOfOffset", "remap-lba --how offset --offset 9 --trace-end 5 x", 2, "--how scale"},
    {"DriveOfOffset", "remap-lba --how offset --drive eagle --offset 5 x", 2,
     "--drive: goes with --how fold, scale or clip"},
    {"CapacityOfOffset", "remap-lba --how offset --capacity 9 --offset 5 x", 2,
     "--capacity: goes with --how fold"},
    {"OffsetWithoutBlocks", "remap-lba --how offset x", 2, "--offset BLOCKS"},
    {"BadPicture", "info --plot x.gif x", 2, ".png or .svg"},
    {"UnknownFlag", "head --nn 3 x", 2, "--nn"},
    {"TwoDeviceChoices", "head --device 1 --all-devices x", 2, "--device"},
    {"StrictAndSkip", "head --strict --skip-bad x", 2, "--skip-bad"}};

INSTANTIATE_TEST_SUITE_P(Trace, WrongTraceCommand, testing::ValuesIn(kWrongCommands),
                         test::case_name<WrongCommand>);

}  // namespace
}  // namespace headstack
