// SPDX-License-Identifier: Apache-2.0
// The initiator's access to the bus: arbitration, selection, reselection, reset (SCSI-2 6.1.1 -
// 6.1.4, 6.2.2). It is one process; between selection and bus free it runs the handshake.
#pragma once

#include "sim/initiator/handshake.hpp"

namespace headstack::initiator {

class Link : public sc_core::sc_module, public BusAccess {
 public:
  Link(sc_core::sc_module_name name, bus::ScsiBus& bus, unsigned id, const ReactionTimes& times,
       LinkClient& client, ByteClient& bytes);

  // BusAccess.
  Picoseconds now() const override { return bus::now_ps(); }
  void want_bus(bool wanted) override;
  void reset_bus() override;
  void raise_attention() override { handshake_.raise_attention(); }
  bool interject() override { return connected() && handshake_.interject(); }
  bool connected() const override { return state_ == State::kConnected; }
  void report_broken_agreement() override { bus_.report(bus::Rule::kAgreement); }

 private:
  enum class State : std::uint8_t {
    kIdle,           // not connected; may wait for the bus or a reselection
    kArbitrating,    // BSY and own id
    kWon,            // SEL too
    kSelecting,      // ids and ATN on the bus
    kAwaitAnswer,    // BSY released
    kAborting,       // no answer: ids released; an answer still counts
    kReleaseSelect,  // answered
    kReselected,     // answered with BSY; the target still asserts SEL
    kReleaseBusy,
    kConnected,
    kResetting,  // the initiator asserts RST
    kReset,      // another device asserts RST
  };

  SC_HAS_PROCESS(Link);
  void run();
  bool run_reset(bus::Edges edges);
  void run_idle();
  bool run_reselection();
  void arbitrate();
  void judge();
  void select();
  void await_answer();
  void enter_connected();
  void leave_bus();
  void note_free();
  bool lines_have(bus::LineSet mask) const { return (port_.lines() & mask) != 0; }
  bool due_reached();

  bus::ScsiBus& bus_;
  unsigned id_;
  ReactionTimes times_;
  LinkClient& client_;
  bus::Port& port_;
  WakeUp wake_up_;
  Handshake handshake_;

  State state_ = State::kIdle;
  bool wanted_ = false;
  bool reset_requested_ = false;
  Picoseconds due_ = 0;
  bool free_ = true;
  Picoseconds free_since_ = bus::kNever;
  Picoseconds left_free_ = bus::kNever;
  Picoseconds not_before_ = 0;                // no arbitration before this time, after a reset
  Picoseconds planned_ = bus::kNever;         // time of the next arbitration
  Picoseconds reselect_since_ = bus::kNever;  // time since which a reselection of the initiator is
                                              // on the bus
  Picoseconds look_from_ = 0;                 // an answer to the selection counts from this time on
  Picoseconds won_at_ = bus::kNever;
};

}  // namespace headstack::initiator
