// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/link.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::initiator {

using bus::LineSet;
using bus::now_ps;
namespace line = bus::line;
namespace timing = bus::timing;

namespace {

/// The line of the own id in arbitration, which has no parity (6.1.2).
LineSet arbitration_lines(unsigned id) { return LineSet{1} << (line::kDbShift + id); }

}  // namespace

Link::Link(sc_core::sc_module_name name, bus::ScsiBus& bus, unsigned id, const ReactionTimes& times,
           LinkClient& client, ByteClient& bytes)
    : sc_module(name),
      bus_(bus),
      id_(id),
      times_(times),
      client_(client),
      port_(bus.attach(this->name())),
      handshake_(port_, wake_up_, times_, bytes) {
  HEADSTACK_ASSERT(id < 16, "ids are 0 .. 15");
  handshake_.stop();
  SC_METHOD(run);
  sensitive << port_.changed() << wake_up_.event();
  dont_initialize();
}

void Link::want_bus(bool wanted) {
  if (wanted_ == wanted) return;
  wanted_ = wanted;
  planned_ = bus::kNever;
  if (wanted_ && state_ == State::kIdle) wake_up_.set(now_ps());
}

void Link::reset_bus() {
  if (state_ == State::kResetting) return;
  reset_requested_ = true;
  wake_up_.set(now_ps());
}

bool Link::due_reached() {
  if (now_ps() >= due_) return true;
  wake_up_.set(due_);
  return false;
}

void Link::note_free() {
  const bool free = !lines_have(line::kBsy | line::kSel | line::kRst);
  if (free == free_) return;
  free_ = free;
  (free ? free_since_ : left_free_) = now_ps();
}

void Link::run() {
  const bus::Edges edges = port_.take_edges();
  note_free();
  if (run_reset(edges)) return;
  switch (state_) {
    case State::kIdle: return run_idle();
    case State::kArbitrating: return judge();
    case State::kWon:
      if (due_reached()) select();
      return;
    case State::kSelecting:
      if (!due_reached()) return;
      port_.drive(port_.driven() & ~line::kBsy);
      look_from_ = now_ps() + times_.busy_release_to_look_ps;
      due_ = now_ps() + times_.selection_time_out_ps;
      state_ = State::kAwaitAnswer;
      wake_up_.set(due_);
      return;
    case State::kAwaitAnswer:
    case State::kAborting: return await_answer();
    case State::kReleaseSelect:
      if (!due_reached()) return;
      port_.drive(port_.driven() & line::kAtn);
      return enter_connected();
    case State::kReselected:
      if (lines_have(line::kSel)) return;
      due_ = now_ps() + times_.select_release_to_busy_release_ps;
      state_ = State::kReleaseBusy;
      [[fallthrough]];
    case State::kReleaseBusy:
      if (!due_reached()) return;
      port_.drive(0);
      return enter_connected();
    case State::kConnected:
      if (free_) return leave_bus();
      return handshake_.run(edges);
    case State::kResetting:
    case State::kReset: return;  // run_reset() handles them
  }
}

// Handles RST, which overrides every phase. @return true when nothing more is to be done.
bool Link::run_reset(bus::Edges edges) {
  if (reset_requested_) {
    reset_requested_ = false;
    handshake_.stop();
    state_ = State::kResetting;
    port_.drive(line::kRst);
    due_ = now_ps() + times_.reset_hold_ps;
    wake_up_.set(due_);
    client_.bus_was_reset();
    return true;
  }
  if (state_ == State::kResetting) {
    if (!due_reached()) return true;
    port_.drive(0);
    state_ = State::kReset;
    return true;
  }
  if (state_ == State::kReset) {
    if (lines_have(line::kRst)) return true;
    state_ = State::kIdle;
    not_before_ = now_ps() + times_.reset_to_arbitration_ps;
    return false;
  }
  if (!(edges.rose & line::kRst)) return false;
  handshake_.stop();
  wake_up_.cancel();
  state_ = State::kReset;
  port_.drive(0);
  client_.bus_was_reset();
  return true;
}

void Link::run_idle() {
  if (run_reselection() || !wanted_) return;
  const Picoseconds now = now_ps();
  if (free_) {
    planned_ = std::max({now, not_before_, free_since_ + times_.bus_free_to_busy_ps});
    if (now >= planned_) return arbitrate();
    return wake_up_.set(planned_);
  }
  // Another device was faster: the initiator may join within a bus set delay of bus free (6.1.2 c).
  if (planned_ == bus::kNever || now < planned_) return;
  planned_ = bus::kNever;
  if (!lines_have(line::kSel) && now - left_free_ <= timing::kBusSetDelay) arbitrate();
}

// Handles a reselection of the initiator (6.1.4), for a bus settle delay. SEL and I/O are asserted,
// BSY is negated, and there are exactly two ids with good parity, one its own.
bool Link::run_reselection() {
  const LineSet lines = port_.lines();
  const auto ids = static_cast<unsigned>(bus::db_of(lines));
  const bool ours = (lines & line::kSel) && (lines & line::kIo) && !(lines & line::kBsy) &&
                    (ids & (1U << id_)) != 0 && __builtin_popcount(ids) == 2 &&
                    bus::parity_good(lines, ids > 0xFF);
  if (!ours || !client_.answers_reselection()) {
    reselect_since_ = bus::kNever;
    return false;
  }
  if (reselect_since_ == bus::kNever) reselect_since_ = now_ps();
  due_ = reselect_since_ + times_.reselection_answer_ps;
  if (!due_reached()) return true;
  reselect_since_ = bus::kNever;
  port_.drive(line::kBsy);
  state_ = State::kReselected;
  client_.reselection_answered(static_cast<unsigned>(__builtin_ctz(ids & ~(1U << id_))));
  return true;
}

void Link::arbitrate() {
  planned_ = bus::kNever;
  port_.drive(line::kBsy | arbitration_lines(id_));
  state_ = State::kArbitrating;
  due_ = now_ps() + times_.busy_to_judgement_ps;
  wake_up_.set(due_);
}

void Link::judge() {
  bool lost = lines_have(line::kSel);
  if (!lost) {
    if (!due_reached()) return;
    const auto ids = static_cast<unsigned>(bus::db_of(port_.lines()));
    for (unsigned other = 0; other < 16; ++other) {
      if ((ids & (1U << other)) && bus::priority_of(other) > bus::priority_of(id_)) lost = true;
    }
  }
  if (lost) {
    port_.drive(0);
    state_ = State::kIdle;
    wake_up_.cancel();
    return;
  }
  port_.drive(port_.driven() | line::kSel);
  state_ = State::kWon;
  won_at_ = now_ps();
  due_ = now_ps() + times_.won_to_ids_ps;
  wake_up_.set(due_);
}

void Link::select() {
  const std::optional<unsigned> target = client_.arbitration_won(won_at_);
  if (!target) {
    port_.drive(0);
    state_ = State::kIdle;
    return;
  }
  // DB settles with ATN; I/O stays negated, which distinguishes selection from reselection.
  LineSet lines = line::kBsy | line::kSel | bus::id_lines(id_, *target);
  if (client_.selects_with_attention()) {
    lines |= line::kAtn;
    handshake_.attention_raised_at(now_ps());
  }
  port_.drive(lines);
  state_ = State::kSelecting;
  due_ = now_ps() + times_.ids_to_busy_release_ps;
  wake_up_.set(due_);
}

void Link::await_answer() {
  const Picoseconds now = now_ps();
  if (lines_have(line::kBsy)) {
    if (now < look_from_) return wake_up_.set(look_from_);
    state_ = State::kReleaseSelect;
    client_.selection_answered();
    due_ = now + times_.answer_to_select_release_ps;
    return wake_up_.set(due_);
  }
  if (!due_reached()) return;
  if (state_ == State::kAwaitAnswer) {
    // 6.1.3.1 b: the ids are released, SEL and ATN stay for a selection abort time.
    port_.drive(port_.driven() & ~line::kData);
    state_ = State::kAborting;
    due_ = now + times_.selection_abort_ps;
    return wake_up_.set(due_);
  }
  port_.drive(0);
  state_ = State::kIdle;
  client_.selection_timed_out();
}

void Link::enter_connected() {
  state_ = State::kConnected;
  handshake_.start();
}

// Leaves the bus when BSY and SEL are false. The initiator has lost the bus at once. It must
// release all lines within a bus clear delay (6.1.1), and does so without a wait.
void Link::leave_bus() {
  handshake_.stop();
  wake_up_.cancel();
  port_.drive(0);
  state_ = State::kIdle;
  client_.bus_freed();
  if (wanted_) wake_up_.set(now_ps());
}

}  // namespace headstack::initiator
