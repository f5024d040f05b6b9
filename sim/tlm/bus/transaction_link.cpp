// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/bus/transaction_link.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::tlm {

using bus::Phase;
using initiator::ByteOut;
using initiator::TransferMode;

TransactionLink::TransactionLink(TransactionBus& bus, unsigned id,
                                 const initiator::ReactionTimes& times,
                                 initiator::LinkClient& client, initiator::ByteClient& bytes)
    : bus_(bus),
      id_(id),
      times_(bus.timing().reactions(times)),
      client_(client),
      bytes_(bytes),
      due_(bus.agenda(), [this] { run(); }),
      reset_due_(bus.agenda(), [this] { run_reset(); }) {
  HEADSTACK_ASSERT(id < 16, "ids are 0 .. 15");
  bus_.attach(*this);
}

// ----------------------------------------------------------------------- arbitration and selection

void TransactionLink::want_bus(bool wanted) {
  if (wanted_ == wanted) return;
  wanted_ = wanted;
  wanted_since_ = now();
  if (state_ == State::kIdle) bus_.wishes_changed();
}

Picoseconds TransactionLink::arbitration_at(Picoseconds free_since) const {
  return std::max({wanted_since_, not_before_, free_since + times_.bus_free_to_busy_ps});
}

void TransactionLink::win(Picoseconds at) {
  state_ = State::kWon;
  won_at_ = at;
  due_.set(at + times_.won_to_ids_ps);
}

void TransactionLink::lose() {
  state_ = State::kIdle;
  due_.cancel();
}

void TransactionLink::run() {
  switch (state_) {
    case State::kWon: return select();
    case State::kSelecting: {
      // 6.1.3.1 b: the ids are released, SEL and ATN stay for a selection abort time.
      state_ = State::kAborting;
      if (selected_ != nullptr) selected_->deselect();
      return due_.set(now() + times_.selection_abort_ps);
    }
    case State::kAborting: {
      state_ = State::kIdle;
      attention_ = false;
      bus_.freed();
      client_.selection_timed_out();
      return bus_.wishes_changed();
    }
    default: HEADSTACK_ASSERT(false, "no other state waits for a time");
  }
}

void TransactionLink::select() {
  const std::optional<unsigned> target = client_.arbitration_won(won_at_);
  if (!target) {
    state_ = State::kIdle;
    return bus_.freed();
  }
  state_ = State::kSelecting;
  attention_ = client_.selects_with_attention();
  attention_at_ = now();
  ids_since_ = now() + times_.ids_to_busy_release_ps;
  bus_.show(Phase::kSelection, ids_since_);
  due_.set(ids_since_ + times_.selection_time_out_ps);
  selected_ = bus_.target_at(*target);
  if (selected_ != nullptr) selected_->select(*this);
}

Picoseconds TransactionLink::answer() {
  due_.cancel();
  state_ = State::kAnswered;
  const Picoseconds seen = std::max(bus_.now(), ids_since_ + times_.busy_release_to_look_ps);
  const At at(*this, seen);
  client_.selection_answered();
  return seen + times_.answer_to_select_release_ps;
}

void TransactionLink::reselected(unsigned target, Picoseconds answered) {
  const At at(*this, answered);
  client_.reselection_answered(target);
}

void TransactionLink::connect(TransactionTarget& target) {
  state_ = State::kConnected;
  target_ = &target;
  in_phase_ = false;
  lines_ = 0;
  presented_ = false;
}

void TransactionLink::leave() {
  due_.cancel();
  target_ = selected_ = nullptr;
  attention_ = false;
  in_phase_ = false;
  mode_ = {};
  lines_ = 0;
  presented_ = false;
}

void TransactionLink::freed() {
  leave();
  state_ = State::kIdle;
  client_.bus_freed();
}

// ------------------------------------------------------------------------------------------ reset

void TransactionLink::reset_bus() {
  if (!holds_reset_) reset_due_.set(std::max(now(), bus_.now()));
}

/// Asserts RST, then releases it.
void TransactionLink::run_reset() {
  if (holds_reset_) {
    holds_reset_ = false;
    return bus_.reset_over();
  }
  if (bus_.in_reset()) return;  // another device's reset serves as well
  holds_reset_ = true;
  reset_due_.set(bus_.now() + times_.reset_hold_ps);
  bus_.reset(*this);
}

void TransactionLink::reset_seen() {
  leave();
  state_ = State::kReset;
  client_.bus_was_reset();
}

void TransactionLink::reset_over() {
  state_ = State::kIdle;
  not_before_ = bus_.now() + times_.reset_to_arbitration_ps;
}

// -------------------------------------------------------------------------------------- handshake

void TransactionLink::raise_attention() {
  if (attention_) return;
  attention_at_ = now();
  hold_ack_until_ = attention_at_ + times_.attention_to_ack_ps;
  set_attention();
}

bool TransactionLink::interject() {
  if (!connected() || attention_ || !may_interject()) return false;
  set_attention();
  return true;
}

void TransactionLink::set_attention() {
  attention_ = true;
  if (target_ != nullptr) target_->attention(true, now());
}

bool TransactionLink::may_interject() const {
  if (!in_phase_) return false;
  if (phase_since_ <= now()) return !bus::is_message(phase_);
  // MESSAGE OUT follows only if ATN is asserted, though the phase's last byte has been computed.
  return may_interject_before_ && phase_ != Phase::kMessageOut;
}

void TransactionLink::begin_phase(Phase phase) {
  may_interject_before_ = may_interject();
  phase_since_ = now();
  in_phase_ = true;
  phase_ = phase;
  if (bus::is_in(phase)) release_data();
  mode_ = bytes_.enter_phase(phase);
  presented_ = false;
  ack_at_ = bus::kNever;
}

void TransactionLink::present(const ByteOut& byte) {
  bus::LineSet lines = mode_.wide ? bus::wide_data_lines(byte.data)
                                  : bus::data_lines(static_cast<std::uint8_t>(byte.data));
  lines ^= bus::LineSet{byte.bad_parity} << bus::line::kDpShift;
  if (lines != lines_) data_at_ = now();
  lines_ = lines;
  if (!byte.last_of_messages) return;
  attention_at_ = now();
  if (!attention_) return;
  attention_ = false;
  if (target_ != nullptr) target_->attention(false, attention_at_);
}

void TransactionLink::release_data() {
  if (lines_ != 0) data_at_ = now();
  lines_ = 0;
  presented_ = false;
}

Picoseconds TransactionLink::take_request(Phase phase, Picoseconds req, std::uint16_t* data,
                                          bool* bad_parity) {
  if (!in_phase_ || phase != phase_) {
    const At at(*this, req);
    begin_phase(phase);
  }
  Picoseconds due = req + times_.req_to_ack_ps;
  if (bus::is_in(phase)) {
    const At at(*this, due);
    bytes_.byte_in(phase, *data, true);
    bus_.control_byte(due, phase, *data);
    return due;
  }
  {
    const At at(*this, req);
    const ByteOut byte = bytes_.byte_out(phase);
    present(byte);
    *data = byte.data;
    *bad_parity = byte.bad_parity != 0;
  }
  due = std::max(due, data_at_ + times_.data_to_ack_ps);
  if (phase == Phase::kMessageOut) due = std::max(due, attention_at_ + times_.attention_to_ack_ps);
  const At at(*this, due);
  bytes_.byte_taken(phase);
  bus_.control_byte(due, phase, *data);
  return due;
}

Picoseconds TransactionLink::end_request(Picoseconds at) {
  Picoseconds fall = at + times_.req_release_to_ack_release_ps;
  fall = std::max(fall, hold_ack_until_);
  if (!bus::is_in(phase_)) {
    const At then(*this, fall);
    release_data();
  }
  return fall;
}

// ------------------------------------------------------------------------------------ data phases

const TransferMode& TransactionLink::enter_data(Phase phase, Picoseconds req) {
  if (!in_phase_ || phase != phase_) {
    const At at(*this, req);
    begin_phase(phase);
  }
  return mode_;
}

void TransactionLink::fill(StreamSetup* setup, TransactionStream::Start* start) const {
  const bool ideal = bus_.timing().ideal();
  setup->req_release_to_ack_release = times_.req_release_to_ack_release_ps;
  setup->ack_period = ideal ? 0 : times_.ack_period_ps(setup->in, mode_.period_ps);
  setup->ack_width = ideal ? 0 : mode_.period_ps / 2;
  setup->req_to_ack = setup->synchronous ? times_.synchronous_req_to_ack_ps : times_.req_to_ack_ps;
  const bool fast = setup->synchronous && mode_.period_ps < bus::timing::kFastPeriodLimit;
  setup->ack_setup = fast ? times_.fast_data_to_ack_ps : times_.data_to_ack_ps;
  start->ack_from = ack_at_ + setup->ack_period;
  start->release_from = hold_ack_until_;
  if (presented_) start->data_since = data_at_;
}

void TransactionLink::unit_in(std::uint16_t data, Picoseconds at) {
  const At then(*this, at);
  bytes_.byte_in(phase_, data, true);
}

ByteOut TransactionLink::unit_out(const TransactionStream::Unit& unit, bool* ahead) {
  const At then(*this, unit.ack);
  const ByteOut byte = bytes_.byte_out(phase_);
  bytes_.byte_taken(phase_);
  *ahead = bytes_.byte_out(phase_).available;
  return byte;
}

void TransactionLink::leave_data(const TransactionStream::Unit& last) {
  ack_at_ = last.ack;
  if (bus::is_in(phase_)) return;
  // The next unit goes out when ACK is released, if there is one.
  const At at(*this, last.release);
  presented_ = bytes_.byte_out(phase_).available;
  data_at_ = last.release;
}

}  // namespace headstack::tlm
