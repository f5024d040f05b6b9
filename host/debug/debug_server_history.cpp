// SPDX-License-Identifier: Apache-2.0
// The part of DebugServer that goes back in time.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/debug/debug_server.hpp"
#include "host/output/message.hpp"

namespace headstack::debug {
namespace {

/// A search backward leaves a snapshot this close to its start, so that another step back is short.
constexpr std::uint64_t kNearEdges = 4'000;

}  // namespace

void DebugServer::reverse(Order::Task task) {
  way_back_.reset();
  // Without stop points, a search would only examine every instruction.
  if (task == Order::Task::kFindStop && session_.state().points.empty()) {
    return begin_again("replaylog:begin:;");
  }
  const auto snapshot = parts_.ring == nullptr ? std::nullopt : parts_.ring->before(edge_);
  if (snapshot) go_back(*snapshot, order(task, edge_));
  session_.stopped(kTrap, "replaylog:begin:;");
  send(session_.stop_reply());
}

void DebugServer::restart() {
  if (parts_.ring == nullptr || parts_.ring->positions().empty()) {
    send(error_text("there is no snapshot of the beginning: run with observe.snapshot_every"));
    return;
  }
  begin_again("");
}

/// Goes to the first snapshot, unless the run is there. `words` are those of the stop reply.
void DebugServer::begin_again(const std::string& words) {
  if (parts_.ring != nullptr && !parts_.ring->positions().empty()) {
    const std::uint64_t first = parts_.ring->positions().front();
    Order next = order(Order::Task::kGo, first);
    next.words = words;
    if (first < edge_ || words.empty()) go_back(first, next);
  }
  session_.stopped(kTrap, words);
  send(session_.stop_reply());
}

/// Goes back when the debugger continues after 'monitor goto' named a place in the past. It then
/// ends this process.
void DebugServer::go_on_back() {
  if (!way_back_) return;
  auto [start, way] = *std::exchange(way_back_, std::nullopt);
  // Breakpoints may have been set or removed since.
  way.session = session_.state();
  way.furthest = std::max(furthest_, edge_);
  way.snapshots = parts_.ring->positions();
  go_back(start, way);
}

/// Waits for the place that the order names, or goes back further. Called in a run that was woken
/// to continue.
void DebugServer::resume_order() {
  if (order_->task != Order::Task::kGoOn) return;
  const Until until = parse_until(order_->words);
  const auto earlier = parts_.ring->before(woken_at_);
  if (is_past(until) && earlier) go_back(*earlier, *order_);
  order_.reset();
  const auto undone = std::upper_bound(changes_.begin(), changes_.end(), woken_at_);
  if (undone != changes_.end()) {
    parts_.ring->forget_behind(*undone - 1);
    changes_.erase(undone, changes_.end());
    furthest_ = woken_at_;
  }
  wait_for(until);
}

/// Wakes a snapshot, and ends this process.
void DebugServer::go_back(std::uint64_t snapshot, Order order) {
  const auto undone = std::upper_bound(order.changes.begin(), order.changes.end(), order.edge);
  if (order.task == Order::Task::kGo && undone != order.changes.end()) {
    // The run differs after that change, so later edges will not occur in the same way.
    parts_.ring->forget_behind(*undone - 1);
    order.snapshots = parts_.ring->positions();
    order.changes.erase(undone, order.changes.end());
    order.furthest = order.edge;
  }
  if (waves_open_ && parts_.waves != nullptr) parts_.waves->close();
  const std::vector<int> sockets = socket_ ? socket_->handed_on() : std::vector<int>{};
  parts_.ring->wake(snapshot, to_text(order), sockets);
}

Order DebugServer::order(Order::Task task, std::uint64_t edge) const {
  Order order;
  order.task = task;
  order.edge = edge;
  order.session = session_.state();
  order.furthest = furthest_;
  order.fork_history = fork_history_;
  order.changes = changes_;
  order.snapshots = parts_.ring->positions();
  return order;
}

void DebugServer::woken(SnapshotRing::Wake wake) {
  order_ = order_of(wake.order);
  session_.state() = order_->session;
  furthest_ = order_->furthest;
  fork_history_ = order_->fork_history;
  changes_ = order_->changes;
  changed_ = false;
  parts_.ring->know(order_->snapshots);
  woken_at_ = edge_;
  found_.reset();
  forget_until();
  step_ = halt_ = false;
  watch_words_.reset();
  waited_ = has_gone_on_ = true;
  reply_due_ = true;
  if (socket_) socket_->adopt(std::move(wake.files));
  resume_order();
}

/// Whether the run is repeated to find a place before order_->edge.
bool DebugServer::searching() const {
  return order_ &&
         (order_->task == Order::Task::kFindBegin || order_->task == Order::Task::kFindStop);
}

/// Called when an instruction begins at or before the place where a search ends.
void DebugServer::search(std::uint32_t pc) {
  if (!order_) return;  // the run was woken to continue
  if (order_->task == Order::Task::kRecord) {
    start_recording();
    return;
  }
  if (order_->task == Order::Task::kGo) {
    if (order_->edge != edge_) return;
    const std::string words = order_->words;
    order_.reset();
    stop(kTrap, words);
    return;
  }
  if (edge_ >= order_->edge) end_search();
  if (order_->task == Order::Task::kFindBegin) {
    found_ = edge_;
    const std::uint64_t left = order_->edge - edge_;
    if (left <= kNearEdges && parts_.ring->before(order_->edge) == woken_at_ &&
        edge_ - woken_at_ > kNearEdges && take_snapshot()) {
      search(pc);
    }
  } else if (const char* kind = session_.state().points.break_at(pc)) {
    found_ = edge_;
    found_words_ = fmt::format("{}:;", kind);
  }
}

void DebugServer::record_from(std::uint64_t edge, const std::string& file) {
  if (recorded_ || parts_.ring == nullptr || parts_.ring->positions().empty()) return;
  const std::uint64_t snapshot =
      parts_.ring->before(edge + 1).value_or(parts_.ring->positions().front());
  Order next = order(Order::Task::kRecord, snapshot);
  next.words = file;
  go_back(snapshot, next);
}

void DebugServer::start_recording() {
  parts_.waves->open(order_->words);
  waves_open_ = recorded_ = true;
  order_.reset();
}

/// Ends the search and this process. There is always a place to go back to.
void DebugServer::end_search() {
  if (found_) {
    Order next = order(Order::Task::kGo, *found_);
    next.words = order_->task == Order::Task::kFindStop ? found_words_ : "";
    go_back(*parts_.ring->before(*found_ + 1), next);
  }
  const auto earlier = parts_.ring->before(woken_at_);
  if (earlier) go_back(*earlier, order(order_->task, woken_at_));
  Order next = order(Order::Task::kGo, woken_at_);
  next.words = "replaylog:begin:;";
  go_back(woken_at_, next);
}

/// Prepares a change of the run. Returns why it is not permitted, or "".
std::string DebugServer::change() {
  if (edge_ < furthest_) {
    if (!fork_history_) {
      // GDB does not show the reason why it cannot write to memory.
      output::say("headstack: a change of the past was refused: 'monitor fork-history'\n");
      return "this is the past, and the run has continued from here: 'monitor fork-history' "
             "permits changes, and drops what came after";
    }
    furthest_ = edge_;
    fork_history_ = false;  // the permission was for this change only
  }
  if (parts_.ring != nullptr && !changed_) {
    parts_.ring->forget_behind(edge_ - 1);
    changed_ = true;
  }
  return "";
}

/// Makes a snapshot after a change. From an earlier one, the run would continue without the change.
void DebugServer::keep_change() {
  changed_ = false;
  if (changes_.empty() || changes_.back() < edge_) changes_.push_back(edge_);
  if (take_snapshot() && begun_ == edge_) search(parts_.core.stage().pc);
}

}  // namespace headstack::debug
