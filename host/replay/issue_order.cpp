// SPDX-License-Identifier: Apache-2.0
#include "host/replay/issue_order.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <tuple>

#include "sim/assert.hpp"

namespace headstack::replay {
namespace {

using traces::Loop;

constexpr double kLongestThink = 1e18;  // 11 days, far below the limit of 64 bits of picoseconds

class OpenOrder : public IssueOrder {
 public:
  OpenOrder(RequestSource& source, double speedup, Picoseconds start)
      : source_(source), speedup_(speedup), start_(start) {}

  std::optional<Picoseconds> due() override {
    const RunRequest* next = source_.peek();
    if (next == nullptr) return std::nullopt;
    return start_ + static_cast<Picoseconds>(static_cast<double>(next->request.arrival) / speedup_);
  }
  RunRequest take() override { return source_.take(); }
  void completed(const RunRequest& /*request*/, Picoseconds /*at*/) override {}
  bool ended() override { return source_.peek() == nullptr; }

 private:
  RequestSource& source_;
  double speedup_;
  Picoseconds start_;
};

class ClosedOrder : public IssueOrder {
 public:
  ClosedOrder(RequestSource& source, Picoseconds start) : source_(source), start_(start) {}

  std::optional<Picoseconds> due() override {
    if (source_.peek() == nullptr) return std::nullopt;
    return start_;
  }
  RunRequest take() override { return source_.take(); }
  void completed(const RunRequest& /*request*/, Picoseconds /*at*/) override {}
  bool ended() override { return source_.peek() == nullptr; }

 private:
  RequestSource& source_;
  Picoseconds start_;
};

class ThinkOrder : public IssueOrder {
 public:
  ThinkOrder(const ReplayOptions& options, RequestSource& source, Picoseconds start)
      : options_(options), source_(source), start_(start) {}

  std::optional<Picoseconds> due() override {
    read_ahead();
    if (ready_.empty()) return std::nullopt;
    return ready_.begin()->due;
  }

  RunRequest take() override {
    HEADSTACK_ASSERT(!ready_.empty(), "a request is taken that is due");
    Stream& stream = streams_.at(ready_.begin()->stream);
    ready_.erase(ready_.begin());
    RunRequest request = stream.waiting.front();
    stream.waiting.pop_front();
    stream.busy = true;
    --held_;
    return request;
  }

  void completed(const RunRequest& request, Picoseconds at) override {
    const Picoseconds think = options_.think_time.value_or(request.request.think.value_or(0));
    Stream& stream = streams_.at(request.stream);
    stream.busy = false;
    const double scaled = static_cast<double>(think) * options_.think_scale;
    stream.free_at = at + static_cast<Picoseconds>(std::min(scaled, kLongestThink));
    if (!stream.waiting.empty()) make_ready(request.stream, stream);
  }

  bool ended() override {
    read_ahead();
    return held_ == 0;
  }

 private:
  /// An initiator of the trace.
  struct Stream {
    std::list<RunRequest> waiting;  // requests that were read ahead
    bool busy = false;
    Picoseconds free_at = 0;  // end of the initiator's think time
  };
  struct Ready {
    Picoseconds due;
    std::uint64_t number;
    std::uint32_t stream;
    bool operator<(const Ready& other) const {
      return std::tie(due, number) < std::tie(other.due, other.number);
    }
  };

  void make_ready(std::uint32_t number, const Stream& stream) {
    ready_.insert({stream.free_at, stream.waiting.front().number, number});
  }

  void read_ahead() {
    while (held_ < kReadAhead && source_.peek() != nullptr) {
      const RunRequest request = source_.take();
      const auto [entry, fresh] = streams_.try_emplace(request.stream);
      Stream& stream = entry->second;
      if (fresh) stream.free_at = start_;
      stream.waiting.push_back(request);
      ++held_;
      if (!stream.busy && stream.waiting.size() == 1) make_ready(request.stream, stream);
    }
  }

  const ReplayOptions& options_;
  RequestSource& source_;
  Picoseconds start_;
  std::map<std::uint32_t, Stream> streams_;
  std::set<Ready> ready_;
  std::size_t held_ = 0;
};

}  // namespace

std::unique_ptr<IssueOrder> make_issue_order(const ReplayOptions& options, Loop loop,
                                             RequestSource& source, Picoseconds start) {
  switch (loop) {
    case Loop::kOpen: return std::make_unique<OpenOrder>(source, options.speedup, start);
    case Loop::kClosed: return std::make_unique<ClosedOrder>(source, start);
    case Loop::kThink: return std::make_unique<ThinkOrder>(options, source, start);
  }
  HEADSTACK_ASSERT(false, "all loops have an order");
}

}  // namespace headstack::replay
