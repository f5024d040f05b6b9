// SPDX-License-Identifier: Apache-2.0
// Requests without a trace's file: drawn by chance, or in rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "host/scenario/digest.hpp"
#include "host/scenario/load.hpp"
#include "host/scenario/mersenne_twister.hpp"
#include "host/scenario/requests_text.hpp"
#include "tests/paths.hpp"

namespace headstack::scenario {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr DriveBlocks kDrive = {1'000'000, 512};

Load load_of(const std::vector<std::string>& settings) {
  return load_settings(settings).scenario.load;
}

/// The requests of the text, by the reader of traces.
std::vector<traces::TraceRequest> requests_of(const std::string& text) {
  std::istringstream in(text);
  const auto reader = traces::read_trace(in, "text");
  std::vector<traces::TraceRequest> requests;
  while (auto request = reader->next()) requests.push_back(*request);
  return requests;
}

/// Lines of a Python program's output.
std::vector<std::string> printed_by(const std::string& arguments) {
  const std::string command = std::string("'") + test::python() + "' -B " + arguments;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe)) {
    text.append(piece, count);
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The standard's own check of MT19937 does not show how a seed becomes an array.
TEST(ScenarioRequests, RandomNumbers_AreThoseOfPython) {
  for (const char* seed : {"0", "1", "21", "4294967295", "4294967296", "9000000000000000000"}) {
    const auto lines = printed_by(std::string("-c 'import random; r = random.Random(") + seed +
                                  "); [print(r.random().hex()) for _ in range(1300)]'");
    ASSERT_EQ(lines.size(), 1300U);
    MersenneTwister chance(std::stoull(seed));
    for (const std::string& line : lines) ASSERT_EQ(chance.number(), std::stod(line)) << seed;
  }
}

TEST(ScenarioRequests, SyntheticLoadOfEachGoldenCase_HasTheBytesOfPython) {
  const std::string root = test::source_root();
  const auto lines =
      printed_by("'" + root + "/tests/scenario_value/golden_loads.py' '" + root + "'");
  EXPECT_GT(lines.size(), 50U);
  for (const std::string& line : lines) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
    ASSERT_GT(words.size(), 2U) << line;
    const std::vector<std::string> settings(words.begin() + 1, words.end() - 1);
    const std::string text = requests_text(load_of(settings), {std::uint64_t{1} << 40, 512});
    EXPECT_EQ(sha256_of_text(text), words.back()) << words.front() << '\n' << text.substr(0, 300);
  }
}

TEST(ScenarioRequests, Span_IsTheDrivesUnlessGiven) {
  const std::vector<std::string> whole = {"load.synthetic.blocks=1", "load.synthetic.first=999990"};
  for (const auto& request : requests_of(requests_text(load_of(whole), kDrive))) {
    EXPECT_GE(request.lba, 999'990U);
    EXPECT_LT(request.lba, 1'000'000U);
  }
}

TEST(ScenarioRequests, SpanPastTheDrivesEnd_IsRefusedUnlessItIsTranslated) {
  const auto error_of = [](const std::vector<std::string>& settings) -> std::string {
    try {
      (void)requests_text(load_of(settings), kDrive);
    } catch (const drive::Fault& fault) {
      return fault.what();
    }
    return "";
  };
  const std::string first = "load.synthetic.first=10";
  EXPECT_EQ(error_of({first, "load.synthetic.span=999990"}), "");
  EXPECT_EQ(
      error_of({first, "load.synthetic.span=999991"}),
      "load.synthetic.span: 999991 blocks from 10 on end past the drive's 1000000; give fewer");
  EXPECT_EQ(error_of({first, "load.synthetic.span=999991", "load.map=fold"}), "");
  EXPECT_EQ(error_of({"load.synthetic.first=999993"}),
            "load.synthetic.blocks: 8 is more than the span of 7 blocks; give fewer");
  EXPECT_EQ(error_of({"load.synthetic.first=999992"}), "");
}

TEST(ScenarioRequests, Rows_AreReadAsTheyWereGiven) {
  const std::string text = requests_text(
      load_of(
          {R"(load.requests=[["r",1000,8,"1ps"],["w",5,1,"1.5ms"],["f",0,0,"2ms"],["v",0,2,"1s"]])"}),
      kDrive);
  EXPECT_THAT(text, HasSubstr("\nloop open\n"));
  const auto requests = requests_of(text);
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].operation, traces::Operation::kRead);
  EXPECT_EQ(requests[0].lba, 1000U);
  EXPECT_EQ(requests[0].blocks, 8U);
  EXPECT_EQ(requests[0].arrival, 1);
  EXPECT_EQ(requests[1].operation, traces::Operation::kWrite);
  EXPECT_EQ(requests[1].arrival, 1'500'000'000);
  EXPECT_EQ(requests[2].operation, traces::Operation::kFlush);
  EXPECT_EQ(requests[3].operation, traces::Operation::kVerify);
  EXPECT_EQ(requests[3].arrival, kPicosecondsPerSecond);
}

TEST(ScenarioRequests, RowsWithoutArrivals_AreAClosedLoop) {
  const std::string text = requests_text(load_of({R"(load.requests=[["f"],["r",3,1]])"}), kDrive);
  EXPECT_THAT(text, HasSubstr("\nloop closed\n"));
  EXPECT_EQ(requests_of(text).size(), 2U);
}

TEST(ScenarioRequests, BlocksOfAnotherSize_AreInTheHeader) {
  const Load load = load_of({"load.synthetic.requests=1"});
  EXPECT_THAT(requests_text(load, {1000, 1024}),
              StartsWith("headstack-trace 1\nblock-bytes 1024\ntime-unit ns\n"));
  EXPECT_THAT(requests_text(load, kDrive), StartsWith("headstack-trace 1\ntime-unit ns\n"));
}

TEST(ScenarioRequests, LoadWithATrace_HasNoText) {
  EXPECT_EQ(requests_text(load_of({"trace=a"}), kDrive), "");
}

}  // namespace
}  // namespace headstack::scenario
