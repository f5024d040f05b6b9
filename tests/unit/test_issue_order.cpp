// SPDX-License-Identifier: Apache-2.0
// The tests check when each request is sent, in open, closed and think loops, and how the source
// takes requests from a trace. A script plays the drive. Times are in microseconds.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/replay/issue_order.hpp"

namespace headstack::replay {
namespace {

using testing::HasSubstr;
using traces::Loop;
using traces::Operation;
using traces::TraceRequest;

constexpr Picoseconds kUs = kPicosecondsPerMicrosecond;
constexpr std::uint64_t kCapacity = 1000;

/// Requests from a list.
class ListReader : public traces::TraceReader {
 public:
  explicit ListReader(Loop loop) { header_.loop = loop; }
  void add(const TraceRequest& request) { requests_.push_back(request); }

  const traces::TraceHeader& header() const override { return header_; }
  std::optional<TraceRequest> next() override {
    if (next_ == requests_.size()) return std::nullopt;
    return requests_[next_++];
  }
  std::uint64_t line() const override { return next_; }
  std::string_view format() const override { return "list"; }
  traces::TraceCounts counts() const override { return {}; }
  std::vector<traces::TraceDevice> devices() const override { return {}; }
  std::size_t read() const { return next_; }

 private:
  traces::TraceHeader header_;
  std::vector<TraceRequest> requests_;
  std::size_t next_ = 0;
};

class IssueOrderTest : public testing::Test {
 protected:
  void think(std::uint32_t initiator, int time_us) {
    TraceRequest request;
    request.blocks = 1;
    request.initiator = initiator;
    request.think = time_us * kUs;
    reader_.add(request);
  }
  void at(std::uint64_t lba, Operation operation = Operation::kRead) {
    TraceRequest request;
    request.operation = operation;
    request.lba = lba;
    request.blocks = operation == Operation::kFlush ? 0 : 8;
    reader_.add(request);
  }
  void begin(Picoseconds start = 0) {
    source_.emplace(options_, reader_, kCapacity);
    order_ = make_issue_order(options_, Loop::kThink, *source_, start);
  }
  /// Takes the next request, and returns "NUMBER at TIME"; without one, "waits" or "ended".
  std::string next() {
    const auto due = order_->due();
    if (!due) return order_->ended() ? "ended" : "waits";
    last_ = order_->take();
    return fmt::format("{} at {}", last_.number, *due / kUs);
  }
  void completed(const RunRequest& request, int time_us) {
    order_->completed(request, time_us * kUs);
  }

  ReplayOptions options_;
  ListReader reader_{Loop::kThink};
  std::optional<RequestSource> source_;
  std::unique_ptr<IssueOrder> order_;
  RunRequest last_;
};

TEST_F(IssueOrderTest, Open_AtTheArrivalDividedByTheSpeedup) {
  for (const int arrival : {0, 30, 31}) {
    TraceRequest request;
    request.arrival = arrival * kUs;
    request.blocks = 1;
    reader_.add(request);
  }
  options_.speedup = 2;
  source_.emplace(options_, reader_, kCapacity);
  order_ = make_issue_order(options_, Loop::kOpen, *source_, 100 * kUs);
  EXPECT_EQ(next(), "0 at 100");
  EXPECT_EQ(next(), "1 at 115");
  EXPECT_EQ(*order_->due(), 115 * kUs + kUs / 2);
  EXPECT_FALSE(order_->ended());
  EXPECT_EQ(next(), "2 at 115");
  EXPECT_EQ(next(), "ended");
}

TEST_F(IssueOrderTest, Think_TheNextGoesWhenTheOneBeforeIsDoneAndThoughtAbout) {
  think(0, 7);
  think(0, 3);
  think(0, 0);
  begin(100 * kUs);
  EXPECT_EQ(next(), "0 at 100");
  EXPECT_EQ(next(), "waits") << "one is out at a time";
  completed(last_, 150);
  EXPECT_EQ(next(), "1 at 157");
  completed(last_, 200);
  EXPECT_EQ(next(), "2 at 203");
  EXPECT_EQ(next(), "ended");
}

TEST_F(IssueOrderTest, Think_InitiatorsDoNotWaitForEachOther) {
  think(5, 10);
  think(5, 10);
  think(9, 1);
  think(9, 1);
  begin();
  EXPECT_EQ(next(), "0 at 0");
  const RunRequest of_five = last_;
  EXPECT_EQ(next(), "2 at 0");
  const RunRequest of_nine = last_;
  EXPECT_EQ(next(), "waits");
  completed(of_five, 20);
  EXPECT_EQ(*order_->due(), 30 * kUs);
  completed(of_nine, 25);
  EXPECT_EQ(next(), "3 at 26") << "it was done later, but thinks shorter";
  EXPECT_EQ(next(), "1 at 30");
}

TEST_F(IssueOrderTest, Think_TimeOfAllRequests_AndItsScale) {
  think(0, 7);
  think(0, 7);
  think(0, 7);
  options_.think_time = 4 * kUs;
  options_.think_scale = 2.5;
  begin();
  EXPECT_EQ(next(), "0 at 0");
  completed(last_, 100);
  EXPECT_EQ(next(), "1 at 110");
  options_.think_scale = 0;
  completed(last_, 120);
  EXPECT_EQ(next(), "2 at 120");
}

TEST_F(IssueOrderTest, Think_WithoutEnd_IsNoOverflow) {
  think(0, 7);
  think(0, 7);
  options_.think_time = Picoseconds{8'640'000} * kPicosecondsPerSecond;  // 100 days
  options_.think_scale = 1e6;
  begin();
  EXPECT_EQ(next(), "0 at 0");
  completed(last_, 100);
  EXPECT_EQ(*order_->due(), 100 * kUs + Picoseconds{1'000'000} * kPicosecondsPerSecond);
}

TEST_F(IssueOrderTest, Think_ReadsAheadForTheIdle_ButNotForEver) {
  for (std::size_t i = 0; i < IssueOrder::kReadAhead; ++i) think(0, 0);
  think(1, 0);
  begin();
  EXPECT_EQ(next(), "0 at 0");
  EXPECT_EQ(reader_.read(), IssueOrder::kReadAhead) << "and as many are held";
  EXPECT_EQ(next(), fmt::format("{} at 0", IssueOrder::kReadAhead)) << "there is room for it now";
  EXPECT_EQ(next(), "waits");
}

TEST_F(IssueOrderTest, Source_TakesInitiatorsInTurnsOnTheHosts) {
  think(0, 0);
  think(4, 0);
  options_.initiators = 3;
  begin();
  (void)source_->peek();
  EXPECT_EQ(source_->take().request.initiator, 0U);
  (void)source_->peek();
  const RunRequest second = source_->take();
  EXPECT_EQ(second.request.initiator, 1U);
  EXPECT_EQ(second.stream, 4U) << "it thinks for itself";
}

TEST_F(IssueOrderTest, Source_EndsAtABlockPastTheDrive_WithARemedy) {
  at(kCapacity - 8);
  at(kCapacity - 7);
  at(0);
  begin();
  ASSERT_NE(source_->peek(), nullptr);
  (void)source_->take();
  EXPECT_EQ(source_->failure(), "");
  EXPECT_EQ(source_->peek(), nullptr);
  EXPECT_THAT(source_->failure(), HasSubstr(":2: lba: blocks 993..1000 lie past the drive's 1000"));
  EXPECT_THAT(source_->failure(), HasSubstr("load.map"));
  EXPECT_EQ(source_->peek(), nullptr) << "nothing follows";
}

TEST_F(IssueOrderTest, Source_MapsAddresses) {
  at(1500);
  at(0, Operation::kFlush);
  options_.map_addresses = traces::AddressMapping::kFold;
  begin();
  ASSERT_NE(source_->peek(), nullptr);
  EXPECT_EQ(source_->take().request.lba, 500U);
  options_.map_addresses = traces::AddressMapping::kScale;
  options_.trace_end = 3000;
  ListReader other(Loop::kClosed);
  TraceRequest request;
  request.lba = 1500;
  request.blocks = 4;
  other.add(request);
  RequestSource scaled(options_, other, kCapacity);
  EXPECT_EQ(scaled.peek()->request.lba, 500U);
}

TEST_F(IssueOrderTest, Source_StopsAtTheLimit) {
  at(1);
  at(2);
  options_.limit = 1;
  begin();
  ASSERT_NE(source_->peek(), nullptr);
  (void)source_->take();
  EXPECT_EQ(source_->peek(), nullptr);
  EXPECT_EQ(source_->failure(), "");
}

}  // namespace
}  // namespace headstack::replay
