// SPDX-License-Identifier: Apache-2.0
/// @file
/// The host adapter's access to a transaction bus: arbitration, selection, reselection, reset, and
/// its half of the handshake. It replaces Link and Handshake (sim/initiator), which work edge by
/// edge on pins, with the same ReactionTimes.
///
/// The target computes a transfer ahead (scsi_target.hpp). When the host adapter's logic receives a
/// byte, now() is that byte's time, which may be in the future of the agenda.
///
/// Not modelled: the reaction to a phase without a command byte to send.
#pragma once

#include <optional>

#include "sim/initiator/bus_access.hpp"
#include "sim/initiator/host_adapter.hpp"
#include "sim/tlm/bus/transaction_bus.hpp"

namespace headstack::tlm {

class TransactionLink : public initiator::BusAccess {
 public:
  /// All arguments must outlive the link.
  TransactionLink(TransactionBus& bus, unsigned id, const initiator::ReactionTimes& times,
                  initiator::LinkClient& client, initiator::ByteClient& bytes);

  // BusAccess.
  Picoseconds now() const override { return time_ == bus::kNever ? bus_.now() : time_; }
  void want_bus(bool wanted) override;
  void reset_bus() override;
  void raise_attention() override;
  bool interject() override;
  bool connected() const override { return state_ == State::kConnected; }
  void report_broken_agreement() override { bus_.report(bus::Rule::kAgreement); }

  unsigned id() const { return id_; }
  const initiator::ReactionTimes& times() const { return times_; }

  // ---- for the bus

  bool wants() const { return wanted_ && state_ == State::kIdle; }
  /// Time at which the host adapter asserts BSY, on a bus that has been free since `free_since`.
  Picoseconds arbitration_at(Picoseconds free_since) const;
  /// Ends the arbitration: won, with SEL at `at`; or lost to another device.
  void win(Picoseconds at);
  void lose();
  /// Called when RST rises, driven by any device.
  void reset_seen();
  /// Called when RST falls.
  void reset_over();

  // ---- for the target

  /// Time since which only the ids are on the bus, during a selection with or without ATN.
  Picoseconds ids_since() const { return ids_since_; }
  bool selects_with_attention() const { return attention_; }
  bool answers_reselection() const { return client_.answers_reselection(); }
  /// Called when the target asserts BSY now. @return the time at which SEL is released.
  Picoseconds answer();
  /// Time at which the host adapter answers with BSY to a reselection whose ids are on the bus
  /// since `ids_since`.
  Picoseconds reselection_answer(Picoseconds ids_since) const {
    return ids_since + times_.reselection_answer_ps;
  }
  /// Called when SEL fell now, after a reselection that was answered at `answered`.
  void reselected(unsigned target, Picoseconds answered);
  /// Called when SEL is released and the handshake begins.
  void connect(TransactionTarget& target);
  /// Called when the target released BSY.
  void freed();

  // ---- the handshake

  /// Makes REQ rise at `req` in `phase`. `data` holds a byte from the target, or returns the next
  /// one to it. @return when ACK rises.
  Picoseconds take_request(bus::Phase phase, Picoseconds req, std::uint16_t* data,
                           bool* bad_parity);
  /// Makes REQ fall at `at`. @return when ACK falls.
  Picoseconds end_request(Picoseconds at);

  // A data phase, whose times a TransactionStream computes.

  /// Makes the first REQ of a data transfer rise at `req`. @return the mode of the host adapter for
  /// the phase.
  const initiator::TransferMode& enter_data(bus::Phase phase, Picoseconds req);
  /// Fills in the host adapter's half of the setup and the start. Call it after enter_data().
  void fill(StreamSetup* setup, TransactionStream::Start* start) const;
  /// Earliest time for the fall of ACK, after ATN was raised in answer to a unit or the phase.
  Picoseconds ack_held_until() const { return hold_ack_until_; }
  /// Moves a unit at `at`, in or out. For one that moves out, `ahead` says that the next is on the
  /// bus when ACK is released.
  void unit_in(std::uint16_t data, Picoseconds at);
  initiator::ByteOut unit_out(const TransactionStream::Unit& unit, bool* ahead);
  /// The client that moves many bytes of data at once.
  initiator::ByteClient& bytes() { return bytes_; }
  /// Ends the transfer with this unit.
  void leave_data(const TransactionStream::Unit& last);

 private:
  enum class State : std::uint8_t {
    kIdle,
    kWon,
    kSelecting,  // ids on the bus, no answer yet
    kAborting,   // no answer: ids released
    kAnswered,   // the target asserts BSY, the host adapter still asserts SEL
    kConnected,
    kReset,
  };
  /// Scope in which the host adapter's logic is called with a time other than the agenda's.
  class At {
   public:
    At(TransactionLink& link, Picoseconds time) : link_(link), before_(link.time_) {
      link_.time_ = time;
    }
    ~At() { link_.time_ = before_; }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    TransactionLink& link_;
    Picoseconds before_;
  };

  void run();
  void run_reset();
  void select();
  void leave();
  void begin_phase(bus::Phase phase);
  bool may_interject() const;
  void set_attention();
  void present(const initiator::ByteOut& byte);
  void release_data();

  TransactionBus& bus_;
  unsigned id_;
  initiator::ReactionTimes times_;
  initiator::LinkClient& client_;
  initiator::ByteClient& bytes_;
  Picoseconds time_ = bus::kNever;
  Alarm due_;
  Alarm reset_due_;

  State state_ = State::kIdle;
  bool wanted_ = false;
  Picoseconds wanted_since_ = 0;
  Picoseconds not_before_ = 0;
  Picoseconds won_at_ = bus::kNever;
  Picoseconds ids_since_ = bus::kNever;
  TransactionTarget* selected_ = nullptr;  // target being selected
  TransactionTarget* target_ = nullptr;    // connected target
  bool holds_reset_ = false;

  // The handshake.
  bool in_phase_ = false;
  bus::Phase phase_ = bus::Phase::kDataOut;
  Picoseconds phase_since_ = bus::kNever;
  bool may_interject_before_ = false;  // may_interject() in the phase before
  initiator::TransferMode mode_;
  bool attention_ = false;
  Picoseconds attention_at_ = bus::kNever;
  Picoseconds hold_ack_until_ = 0;     // end of ACK, when ATN has answered its byte
  bus::LineSet lines_ = 0;             // data lines driven
  Picoseconds data_at_ = bus::kNever;  // time since which lines_ are driven
  bool presented_ = false;
  Picoseconds ack_at_ = bus::kNever;  // ACK of the last synchronous unit
};

/// A host adapter on a transaction bus. Calls back from the agenda's actions.
class TransactionInitiator : public initiator::HostAdapter {
 public:
  TransactionInitiator(TransactionBus& bus, const initiator::Config& config)
      : HostAdapter(config), link_(bus, config.id, config.times, link_client(), byte_client()) {
    attach(link_);
  }

 private:
  TransactionLink link_;
};

}  // namespace headstack::tlm
