// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/handshake.hpp"

#include <algorithm>

namespace headstack::initiator {

using bus::LineSet;
using bus::now_ps;
using bus::Phase;
namespace line = bus::line;
namespace timing = bus::timing;

void Handshake::start() {
  in_phase_ = false;
  step_ = Step::kAwaitReq;
  mode_ = {};
  ack_high_ = false;
  port_.listen(kBaseEdges | line::kReq | line::kIo, kBaseEdges | line::kReq);
}

void Handshake::stop() {
  in_phase_ = false;
  step_ = Step::kAwaitReq;
  mode_ = {};
  port_.listen(kBaseEdges, kBaseEdges);
}

void Handshake::raise_attention() {
  if (port_.driven() & line::kAtn) return;
  attention_at_ = now_ps();
  hold_ack_until_ = attention_at_ + times_.attention_to_ack_ps;
  change(0, line::kAtn);
}

bool Handshake::interject() {
  if (!in_phase_ || bus::is_message(phase_) || (port_.driven() & line::kAtn)) return false;
  change(0, line::kAtn);
  return true;
}

void Handshake::run(bus::Edges edges) {
  // The target turns the data bus around; the initiator has a data release delay (400 ns) for DB.
  if (edges.rose & line::kIo) release_data();
  if (mode_.offset != 0) run_synchronous(edges);
  if (mode_.offset == 0) run_asynchronous();
}

void Handshake::begin_phase(Phase phase) {
  in_phase_ = true;
  phase_ = phase;
  mode_ = client_.enter_phase(phase);
  if (mode_.offset != 0) {
    owed_ = 0;
    next_ack_ = next_req_;
    presented_ = false;
    ack_at_ = bus::kNever;
    port_.listen(kBaseEdges | line::kReq | line::kIo, kBaseEdges);
  }
}

void Handshake::run_asynchronous() {
  for (;;) {
    switch (step_) {
      case Step::kAwaitReq:
        if (!(port_.lines() & line::kReq)) return;
        if (bus::is_reserved(bus::information_phase(port_.lines()))) {
          // No byte can move; the client decides how this connection goes on.
          client_.enter_phase(bus::information_phase(port_.lines()));
          return;
        }
        take_req();
        if (mode_.offset != 0) return;
        break;
      case Step::kAckDue:
        if (now_ps() < due_) return wake_up_.set(due_);
        raise_ack();
        return;
      case Step::kAwaitReqFall:
        if (port_.lines() & line::kReq) return;
        due_ = std::max(now_ps() + times_.req_release_to_ack_release_ps, hold_ack_until_);
        step_ = Step::kAckFallDue;
        break;
      case Step::kAckFallDue:
        if (now_ps() < due_) return wake_up_.set(due_);
        lower_ack();
        break;
    }
  }
}

void Handshake::take_req() {
  const Phase phase = bus::information_phase(port_.lines());
  if (!in_phase_ || phase != phase_) begin_phase(phase);
  if (mode_.offset != 0) {
    take_synchronous_req();
    pump();
    return;
  }
  due_ = now_ps() + times_.req_to_ack_ps;
  if (bus::is_in(phase)) {
    latched_ = port_.lines();
  } else {
    present(client_.byte_out(phase));
    due_ = std::max(due_, data_at_ + times_.data_to_ack_ps);
    if (phase == Phase::kMessageOut) {
      due_ = std::max(due_, attention_at_ + times_.attention_to_ack_ps);
    }
  }
  step_ = Step::kAckDue;
}

void Handshake::raise_ack() {
  if (bus::is_in(phase_)) {
    client_.byte_in(phase_, bus::db_of(latched_), bus::parity_good(latched_, mode_.wide));
  } else {
    client_.byte_taken(phase_);
  }
  change(0, line::kAck);
  step_ = Step::kAwaitReqFall;
}

void Handshake::lower_ack() {
  change(line::kAck, 0);
  step_ = Step::kAwaitReq;
  if (bus::is_in(phase_)) return;
  // Data of the next byte go out now, so that they are stable long before its REQ.
  const bool ahead = phase_ == Phase::kDataOut && !(port_.lines() & line::kIo);
  const ByteOut next = ahead ? client_.byte_out(phase_) : ByteOut{0, false};
  if (next.available) {
    present(next);
  } else {
    release_data();
  }
}

void Handshake::present(const ByteOut& byte) {
  LineSet lines = mode_.wide ? bus::wide_data_lines(byte.data)
                             : bus::data_lines(static_cast<std::uint8_t>(byte.data));
  lines ^= LineSet{byte.bad_parity} << line::kDpShift;
  if (lines != (port_.driven() & line::kData)) data_at_ = now_ps();
  LineSet clear = line::kData;
  if (byte.last_of_messages) {
    clear |= line::kAtn;
    attention_at_ = now_ps();
  }
  change(clear, lines);
  presented_ = true;
}

void Handshake::release_data() {
  // A next byte of only negated lines is on the bus, too: it is stable from here on.
  if (port_.driven() & line::kData) data_at_ = now_ps();
  change(line::kData, 0);
  presented_ = false;
}

void Handshake::run_synchronous(bus::Edges edges) {
  if (edges.rose & line::kReq) {
    if (bus::information_phase(port_.lines()) != phase_) {
      // This is the next phase, which is asynchronous until the client sets another mode.
      if (owed_ != 0 || ack_high_) client_.agreement_broken();
      change(line::kAck | line::kData, 0);
      ack_high_ = false;
      start();
      return;
    }
    take_synchronous_req();
  }
  pump();
}

void Handshake::take_synchronous_req() {
  if (++owed_ > mode_.offset) client_.agreement_broken();
  req_at_[next_req_++] = now_ps();
  if (!bus::is_in(phase_)) return;
  const LineSet lines = port_.lines();
  client_.byte_in(phase_, bus::db_of(lines), bus::parity_good(lines, mode_.wide));
}

Picoseconds Handshake::synchronous_setup_ps() const {
  return mode_.period_ps < timing::kFastPeriodLimit ? times_.fast_data_to_ack_ps
                                                    : times_.data_to_ack_ps;
}

// ACK is high for half the agreement's period, and data changes as it falls. At 100 ns that is 50
// ns, for minima of 30 ns of pulse, 35 ns of hold and 25 ns of setup. At 200 ns it is 100 ns, for
// minima of 90, 100 and 55 ns.
void Handshake::pump() {
  const Picoseconds now = now_ps();
  if (ack_high_) {
    if (now < ack_at_ + mode_.period_ps / 2) return wake_up_.set(ack_at_ + mode_.period_ps / 2);
    lower_synchronous_ack();
  }
  if (owed_ == 0) return;
  const Picoseconds period = times_.ack_period_ps(bus::is_in(phase_), mode_.period_ps);
  Picoseconds due =
      std::max(ack_at_ + period, req_at_[next_ack_] + times_.synchronous_req_to_ack_ps);
  if (!bus::is_in(phase_)) {
    if (!presented_) present(client_.byte_out(phase_));
    due = std::max(due, data_at_ + synchronous_setup_ps());
  }
  if (now < due) return wake_up_.set(due);
  --owed_;
  ++next_ack_;
  ack_at_ = now;
  ack_high_ = true;
  if (!bus::is_in(phase_)) client_.byte_taken(phase_);
  change(0, line::kAck);
  wake_up_.set(ack_at_ + mode_.period_ps / 2);
}

void Handshake::lower_synchronous_ack() {
  change(line::kAck, 0);
  ack_high_ = false;
  if (bus::is_in(phase_)) return;
  const ByteOut next = client_.byte_out(phase_);
  if (next.available && !(port_.lines() & line::kIo)) {
    present(next);
  } else {
    release_data();
  }
}

}  // namespace headstack::initiator
