// SPDX-License-Identifier: Apache-2.0
#include "host/debug/debug_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <limits>

#include "host/output/message.hpp"
#include "host/output/shell_word.hpp"
#include "sim/assert.hpp"

namespace headstack::debug {
namespace {

using output::shell_word;

constexpr int kInterrupt = 2;  // SIGINT in GDB's numbering
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
/// Calls of core_cycle() between two polls of the socket: some milliseconds for a core that is
/// busy.
constexpr std::int64_t kPollCalls = 10'000;
/// Time between two checks while the run stands.
constexpr std::chrono::milliseconds kServeWait{200};

}  // namespace

DebugServer::DebugServer(const Parts& parts, const Settings& settings)
    : parts_(parts), session_(*this), settings_(settings) {
  wait_for(settings.first_stop);
  if (!settings.address.empty()) socket_.emplace(settings.address);
}

// ------------------------------------------------------------------------------ following the core

void DebugServer::attend(const soc::CoreActivity& activity) {
  if (order_ && order_->task == Order::Task::kGo) {
    if (edge_ == order_->edge) {
      begun_ = edge_;
      search(parts_.core.stage().pc);
      // The instruction that begins here may make its access in the same cycle.
      if (const soc::CoreStage stage = parts_.core.stage(); stage.access) note_access(stage);
    }
    HEADSTACK_ASSERT(!order_ || edge_ < order_->edge, "a run that is repeated takes the same way");
  } else if (looking_ && activity.core_edge) {
    look();
  }
  // While the core sleeps, no instruction begins at which the search would end.
  if (searching() && edge_ >= order_->edge) end_search();
  if (until_.edge && edge_ >= *until_.edge) stop_asleep();
  if (attention_calls_ <= 0) poll(activity);
  plan_attention();
}

void DebugServer::look() {
  soc::CoreStage stage = parts_.core.stage();
  if (tracker_.begins(stage)) {
    begin(stage.pc);
    // The debugger may have changed the state of the core.
    stage = parts_.core.stage();
  }
  if (stage.access) note_access(stage);
}

/// Called when an instruction begins.
void DebugServer::begin(std::uint32_t pc) {
  begun_ = edge_;
  if (snapshot_due()) take_snapshot();
  if (socket_ && !waited_ && !order_ && (until_.empty() || until_reached())) {
    announce();
    stop(kTrap, "");
    return;
  }
  if (order_) {
    search(pc);
    return;
  }
  if (const auto words = reason_to_stop(pc)) stop(step_ ? step_signal_ : kTrap, *words);
}

void DebugServer::note_access(const soc::CoreStage& stage) {
  const auto hit = session_.state().points.watched(stage.write, stage.address, stage.bytes);
  if (!hit) return;
  const std::string words = fmt::format("{}:{:x};", watch_name(hit->kind), hit->address);
  if (order_) {
    if (order_->task != Order::Task::kFindStop) return;
    found_ = begun_;
    found_words_ = words;
  } else if (!watch_words_) {
    watch_words_ = words;
  }
}

/// The words of the stop reply; nothing if the run continues.
std::optional<std::string> DebugServer::reason_to_stop(std::uint32_t pc) {
  if (socket_ && !socket_->connected()) return std::nullopt;
  if (watch_words_) return std::exchange(watch_words_, std::nullopt);
  if (const char* kind = session_.state().points.break_at(pc)) return fmt::format("{}:;", kind);
  if (step_ || until_reached()) return "";
  return std::nullopt;
}

bool DebugServer::until_reached() const {
  return until_.next || (until_met_ && edge_ >= met_edge_) ||
         (until_.edge && edge_ >= *until_.edge);
}

void DebugServer::forget_until() {
  until_ = {};
  until_met_ = came_by_step_ = false;
  pause_time_ = std::numeric_limits<Picoseconds>::max();
}

void DebugServer::wait_for(const Until& until) {
  forget_until();
  until_ = until;
  if (!until_.edge) return;
  pause_time_ = soc::time_of_edge(*until_.edge);
  parts_.pause_at(pause_time_);
}

void DebugServer::pause() {
  if (!until_.edge || !asleep_ || edge_ > *until_.edge) return;
  edge_ = *until_.edge;
  stop_asleep();
  plan_attention();
}

/// Stops a sleeping core: at the requested time, or when it falls asleep before its next
/// instruction.
void DebugServer::stop_asleep() {
  if (!asleep_ || order_ || !socket_ || (waited_ && !socket_->connected())) return;
  if (!waited_) announce();
  stop(kTrap, "");
}

bool DebugServer::snapshot_due() const {
  if (parts_.ring == nullptr || waves_open_) return false;
  const std::vector<std::uint64_t>& taken = parts_.ring->positions();
  if (taken.empty()) return true;
  return settings_.snapshot_edges > 0 && edge_ >= taken.back() + settings_.snapshot_edges;
}

/// Returns true in a process that was woken here, which has an order.
bool DebugServer::take_snapshot() {
  const std::vector<int> sockets = socket_ ? socket_->descriptors() : std::vector<int>{};
  auto wake = parts_.ring->take(edge_, sockets, changes_);
  if (!wake) return false;
  woken(std::move(*wake));
  return true;
}

void DebugServer::plan_attention() {
  const bool connected = socket_ && socket_->connected();
  const bool waits = socket_ && !waited_;
  bool close = snapshot_due() || (waits && until_.empty());
  attention_edge_ = kNever;
  if (order_ && order_->task == Order::Task::kGo) {
    close = false;
    attention_edge_ = order_->edge;
  } else if (order_) {
    close = true;
  } else if (connected || waits) {
    close = close || step_ || until_reached() || !session_.state().points.empty();
    if (until_.edge) attention_edge_ = *until_.edge;
    if (until_met_) attention_edge_ = std::min(attention_edge_, met_edge_);
  }
  if (parts_.ring != nullptr && !order_ && !waves_open_ && settings_.snapshot_edges > 0 &&
      !parts_.ring->positions().empty()) {
    attention_edge_ =
        std::min(attention_edge_, parts_.ring->positions().back() + settings_.snapshot_edges);
  }
  if (close) {
    if (!looking_) tracker_.skip();
    attention_edge_ = 0;
  }
  looking_ = close;
  if (attention_calls_ <= 0) attention_calls_ = kPollCalls;
}

void DebugServer::firmware_event(std::uint64_t /*edge*/, unsigned number,
                                 std::uint32_t /*argument*/) {
  ++events_;
  const std::uint64_t count = ++events_of_[number];
  if (until_.event != number) return;
  if (until_.event_number != 0 && until_.event_number != count) return;
  until_met_ = true;
  met_edge_ = 0;
  attention_edge_ = 0;
}

/// Notes the issue. An instruction that begins with the edge of the issue precedes it, on either
/// platform.
void DebugServer::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t /*tag*/,
                                 const traces::TraceRequest& /*request*/) {
  requests_ = std::max(requests_, number + 1);
  if (until_.command != number) return;
  until_met_ = true;
  met_edge_ = static_cast<std::uint64_t>(at / soc::kClockPeriodPs) + 1;
  attention_edge_ = 0;
}

// ---------------------------------------------------------------------------------------- debugger

/// Called at intervals while the run continues.
void DebugServer::poll(const soc::CoreActivity& activity) {
  if (parts_.ring != nullptr && parts_.ring->broker_gone()) std::_Exit(EXIT_FAILURE);
  // No debugger is accepted before the run has come to the place where it waits.
  if (!socket_ || !waited_) return;
  const bool was_connected = socket_->connected();
  const bool came = socket_->accept();
  if (was_connected && (!socket_->connected() || !socket_->read())) {
    leave();
    return;
  }
  if (came) {
    reply_due_ = false;  // a new debugger asks why the run stands
    step_ = halt_ = true;
  }
  while (auto item = socket_->next()) {
    // While the run continues, no other item has a meaning.
    if (item->kind != PacketReader::Kind::kInterrupt) continue;
    order_.reset();  // a run on its way back stops in the past
    step_ = halt_ = true;
    step_signal_ = kInterrupt;
  }
  // While the core sleeps, it may take long until an instruction begins.
  if (halt_ && activity.asleep && !activity.core_edge) stop(step_signal_, "");
}

void DebugServer::stop(int signal, const std::string& words) {
  furthest_ = std::max(furthest_, edge_);
  waited_ = true;
  // GDB's step over a breakpoint is a step, or a breakpoint after the instruction.
  const bool at_break = words.find("break") != std::string::npos;
  const bool by_step = until_.next && signal == kTrap && (step_ || (at_break && stood_at_break_));
  stood_at_break_ = at_break;
  step_ = halt_ = false;
  step_signal_ = kTrap;
  // A requested stop remains until it is reached, since a debugger also stops on its own, for a
  // breakpoint that it steps over.
  if (until_reached()) forget_until();
  came_by_step_ = by_step;
  watch_words_.reset();
  session_.stopped(signal, words);
  if (std::exchange(reply_due_, false)) send(session_.stop_reply());
  serve();
  if (changed_) keep_change();
}

/// Serves the debugger while the run stands, until it continues.
void DebugServer::serve() {
  const int broker = parts_.ring == nullptr ? -1 : parts_.ring->broker_socket();
  bool was_connected = socket_->connected();
  for (;;) {
    while (auto item = socket_->next()) {
      if (handle(*item)) return;
    }
    if (was_connected && !socket_->connected()) {
      if (has_gone_on_) {
        leave();
        return;
      }
      // A debugger that refuses the target, for its mode or its program, leaves before the run has
      // continued.
      output::say("headstack: the debugger has left before it let the run go on\n");
      forget_debugger();
      announce();
      was_connected = false;
    }
    // No process waits for this run when the broker has ended.
    if (socket_->wait(broker, kServeWait)) std::_Exit(EXIT_FAILURE);
    if (parts_.interrupted != nullptr && parts_.interrupted()) return;
    socket_->accept();
    if (!socket_->connected()) continue;
    was_connected = true;
    socket_->read();
  }
}

/// Handles an item from the debugger. Returns true when the run continues.
bool DebugServer::handle(const PacketReader::Item& item) {
  switch (item.kind) {
    case PacketReader::Kind::kDamaged:
      if (session_.state().acknowledging) socket_->send("-");
      return false;
    case PacketReader::Kind::kPacket: break;
    default: return false;
  }
  if (session_.state().acknowledging) socket_->send("+");
  const GdbSession::Answer answer = session_.handle(item.payload);
  for (const std::string& packet : answer.packets) send(packet);
  return resume(answer.resume);
}

/// Resumes the run as a packet demands. Returns true when it continues.
bool DebugServer::resume(Resume how) {
  switch (how) {
    case Resume::kNone: return false;
    case Resume::kStep: return go_on(true);
    case Resume::kContinue: return go_on(false);
    case Resume::kReverseStep: reverse(Order::Task::kFindBegin); return false;
    case Resume::kReverseContinue: reverse(Order::Task::kFindStop); return false;
    case Resume::kRestart: restart(); return false;
    case Resume::kDetach:
      socket_->hang_up();
      leave();
      return true;
    case Resume::kKill: std::raise(SIGTERM); return true;
  }
  return false;
}

/// Continues the run, and returns true if it does. GDB first steps over a breakpoint at which the
/// run stands. If stepi-isr was requested, that step was the requested one.
bool DebugServer::go_on(bool one_step) {
  if (std::exchange(came_by_step_, false) && !one_step) {
    session_.stopped(kTrap, "");  // GDB ignores a breakpoint that it has removed
    send(session_.stop_reply());
    return false;
  }
  if (!one_step) go_on_back();
  step_ = one_step;
  reply_due_ = true;
  has_gone_on_ = true;
  return true;
}

void DebugServer::send(const std::string& payload) {
  if (socket_) socket_->send(frame(payload));
}

/// Drops all that a debugger has requested, when it has left.
void DebugServer::forget_debugger() {
  session_.state() = {};
  order_.reset();
  step_ = halt_ = false;
  step_signal_ = kTrap;
  watch_words_.reset();
  way_back_.reset();
  forget_until();
}

void DebugServer::leave() {
  forget_debugger();
  output::say("headstack: the debugger has left; the run continues\n");
}

void DebugServer::run_over(int exit_status) {
  if (!socket_) return;
  // If the search began here, it ends here: a core that sleeps begins no instruction after the last
  // edge.
  if (searching()) end_search();
  const bool expected = !waited_ || socket_->connected();
  const bool interrupted = parts_.interrupted != nullptr && parts_.interrupted();
  if (expected && !interrupted) {
    if (!waited_) announce();  // the run did not come to the place where it was to wait
    if (reply_due_) send("O" + to_hex("headstack: the run is over\n"));
    has_gone_on_ = true;
    stop(kTrap, "");
  }
  if (socket_->connected()) send(fmt::format("W{:02x}", exit_status & 0xFF));
  socket_->retire();
}

/// Announces that a debugger can connect.
void DebugServer::announce() {
  waited_ = true;
  reply_due_ = false;
  std::string text = fmt::format("headstack: waiting for a debugger at {}\n", socket_->name());
  // The debugger needs the symbols of this program, even if it was rebuilt since.
  if (!settings_.program.empty()) {
    text = fmt::format("headstack: the core executes {}\n{}  gdb-multiarch -x {} -ex {} {}\n",
                       settings_.program, text, shell_word(settings_.gdb_script),
                       shell_word(fmt::format("target extended-remote {}", socket_->name())),
                       shell_word(settings_.program));
  }
  output::say("{}", text);  // flushed at once, for programs that wait for this text
}

}  // namespace headstack::debug
