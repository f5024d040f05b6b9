// SPDX-License-Identifier: Apache-2.0
// The initiator's half of REQ/ACK: asynchronous and synchronous, narrow and wide, with ATN's timing
// (SCSI-2 6.1.5, 6.2.1).
//
// It runs inside the process of link.hpp, woken by REQ edges and its own timer. An asynchronous
// byte costs two kernel events, a synchronous byte two (in) or three (out).
#pragma once

#include <array>

#include "sim/bus/scsi_bus.hpp"
#include "sim/initiator/bus_access.hpp"
#include "sim/initiator/reaction_times.hpp"

namespace headstack::initiator {

/// A wake-up time; only the latest setting counts.
class WakeUp {
 public:
  void set(Picoseconds at) {
    event_.cancel();
    event_.notify(bus::to_sc_time(at - bus::now_ps()));
  }
  void cancel() { event_.cancel(); }
  const sc_core::sc_event& event() const { return event_; }

 private:
  sc_core::sc_event event_;
};

class Handshake {
 public:
  /// Edges that the owner of the port always listens to, whatever the phase.
  static constexpr bus::LineSet kBaseEdges = bus::line::kBsy | bus::line::kSel | bus::line::kRst;

  Handshake(bus::Port& port, WakeUp& wake_up, const ReactionTimes& times, ByteClient& client)
      : port_(port), wake_up_(wake_up), times_(times), client_(client) {}

  /// The initiator is connected to a target: REQs count from now on.
  void start();
  /// The initiator leaves the bus: only the base edges wake it. Does not release any line.
  void stop();
  /// Called after an edge that wakes it, or at a wake-up time.
  void run(bus::Edges edges);

  /// See BusAccess.
  void raise_attention();
  bool interject();
  /// ATN was asserted at `at`, by the selection.
  void attention_raised_at(Picoseconds at) { attention_at_ = at; }

 private:
  enum class Step : std::uint8_t { kAwaitReq, kAckDue, kAwaitReqFall, kAckFallDue };

  void run_asynchronous();
  void take_req();
  void raise_ack();
  void lower_ack();
  void begin_phase(bus::Phase phase);

  void run_synchronous(bus::Edges edges);
  void take_synchronous_req();
  void pump();
  void lower_synchronous_ack();
  Picoseconds synchronous_setup_ps() const;

  void present(const ByteOut& byte);
  void release_data();
  void change(bus::LineSet clear, bus::LineSet set) {
    port_.drive((port_.driven() & ~clear) | set);
  }

  bus::Port& port_;
  WakeUp& wake_up_;
  const ReactionTimes& times_;
  ByteClient& client_;

  bool in_phase_ = false;
  bus::Phase phase_ = bus::Phase::kDataOut;
  TransferMode mode_;
  Step step_ = Step::kAwaitReq;
  Picoseconds due_ = 0;
  bus::LineSet latched_ = 0;           // the bus at REQ, in phases towards the initiator
  Picoseconds data_at_ = bus::kNever;  // time since which the initiator's data is on the bus
  Picoseconds attention_at_ = bus::kNever;
  Picoseconds hold_ack_until_ = 0;  // end of ACK, when ATN has answered its byte

  // Synchronous data phase.
  unsigned owed_ = 0;                      // REQs without an ACK
  std::array<Picoseconds, 256> req_at_{};  // times of the REQs, as a ring; offsets are below 256
  std::uint8_t next_req_ = 0;
  std::uint8_t next_ack_ = 0;
  bool ack_high_ = false;
  bool presented_ = false;
  Picoseconds ack_at_ = bus::kNever;
};

}  // namespace headstack::initiator
