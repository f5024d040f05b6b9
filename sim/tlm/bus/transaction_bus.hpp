// SPDX-License-Identifier: Apache-2.0
/// @file
/// The parallel bus in transactions: arbitration, ownership, and the phase. Times are computed from
/// the constants of the pins (transaction_timing.hpp).
///
/// Arbitration is decided when the first device asserts BSY. The times at which devices request the
/// bus determine which of them take part and which wins (SCSI-2 6.1.2). The winner and the losers
/// are called at the same times as on pins.
///
/// Not modelled: devices that share an id.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bus/observer.hpp"
#include "sim/tlm/bus/transaction_stream.hpp"
#include "sim/tlm/kernel/agenda.hpp"

namespace headstack::tlm {

class TransactionLink;

/// A drive on the bus, in its interface to the bus and the host adapters.
class TransactionTarget {
 public:
  virtual ~TransactionTarget() = default;
  virtual unsigned id() const = 0;

  // Arbitration.
  virtual bool wants() const = 0;
  /// Time at which the target asserts BSY, on a bus that has been free since `free_since`.
  virtual Picoseconds arbitration_at(Picoseconds free_since) const = 0;
  /// Whether the target takes part in an arbitration: it waited for the bus when another device
  /// asserted BSY at `busy`.
  virtual bool joins(Picoseconds busy) const = 0;
  /// Ends the target's arbitration. win(): it asserts SEL at `at`. lose(): it releases the bus with
  /// the edge at `at`.
  virtual void win(Picoseconds at) = 0;
  virtual void lose(Picoseconds at) = 0;

  /// Called when a host adapter selects this target; link.ids_since() is the time.
  virtual void select(TransactionLink& link) = 0;
  /// Called when the host adapter ends its selection, or the bus is reset.
  virtual void deselect() = 0;
  /// Called when ATN rises or falls at `at`, which may be in the future.
  virtual void attention(bool raised, Picoseconds at) = 0;
  /// Called when RST rises.
  virtual void reset_seen() = 0;
};

/// The bus reports phases to its observers, and the bytes of messages, commands and status, perhaps
/// before their time.
class TransactionBus : public bus::ObservedBus {
 public:
  /// `agenda` must outlive the bus.
  explicit TransactionBus(Agenda& agenda, bool ideal = false)
      : agenda_(agenda),
        timing_(ideal),
        arbitrate_(agenda, [this] { arbitrate(); }),
        phase_begins_(agenda, [this] { tell_phase(); }) {}

  Agenda& agenda() { return agenda_; }
  Picoseconds now() const { return agenda_.now(); }
  const TransactionTiming& timing() const { return timing_; }

  /// As in PhaseTracker, an information phase begins with its first REQ.
  bus::Phase phase() const override;
  void add_observer(bus::BusObserver& observer) override { observers_.push_back(&observer); }
  void remove_observer(bus::BusObserver& observer) override;
  void remove_observers() override { observers_.clear(); }
  /// The number of phases so far.
  std::uint64_t phase_count() const { return phase_count_; }
  /// The number of bytes of messages, commands and status.
  std::uint64_t control_byte_count() const { return control_byte_count_; }
  /// Reports that a byte of a message, command or status moves at `at`, which may be in the future.
  void control_byte(Picoseconds at, bus::Phase phase, std::uint16_t data);
  /// The number of violations of the protocol: of a transfer agreement, or a reserved phase. No
  /// others can happen here.
  std::uint64_t violation_count() const { return violation_count_; }
  void report(bus::Rule rule);
  const std::vector<bus::Violation>& violations() const { return violations_; }

  // ---- for devices

  void attach(TransactionLink& link) { links_.push_back(&link); }
  void attach(TransactionTarget& target) { targets_.push_back(&target); }
  TransactionLink* link_at(unsigned id) const;
  TransactionTarget* target_at(unsigned id) const;

  /// Called when a device starts or stops to request the bus.
  void wishes_changed();
  /// Called when a target starts to request the bus, perhaps before it detects another device's
  /// BSY.
  void wishes_too(TransactionTarget& target);
  /// Called when BSY and SEL fall.
  void freed();
  /// Sets the phase from `at` on; an information phase begins with its first REQ.
  void show(bus::Phase phase, Picoseconds at);
  /// Makes RST rise now, driven by this link, or fall. That link is called first, then the others,
  /// from the last attached to the first. The kernel runs those of `rtl` in this order.
  void reset(TransactionLink& by);
  void reset_over();
  bool in_reset() const { return state_ == State::kReset; }

  static constexpr std::size_t kKeptViolations = 1000;

 private:
  enum class State : std::uint8_t { kFree, kTaken, kReset };
  struct Contender {
    TransactionLink* link = nullptr;
    TransactionTarget* target = nullptr;
    unsigned id = 0;
    Picoseconds judgement = 0;
  };

  void plan();
  void arbitrate();
  void settle();
  void tell_phase();
  Contender contender(TransactionLink& link, Picoseconds busy) const;
  Contender contender(TransactionTarget& target, Picoseconds busy) const;

  Agenda& agenda_;
  TransactionTiming timing_;
  Alarm arbitrate_;
  Alarm phase_begins_;  // alarm that reports the phase to observers
  std::vector<bus::BusObserver*> observers_;
  bus::Phase told_phase_ = bus::Phase::kBusFree;
  std::vector<TransactionLink*> links_;
  std::vector<TransactionTarget*> targets_;
  std::vector<Contender> contenders_;
  State state_ = State::kFree;
  Picoseconds busy_at_ = 0;                          // time of the first BSY of the arbitration
  Picoseconds free_since_ = -kPicosecondsPerSecond;  // at first long ago
  bus::Phase phase_ = bus::Phase::kBusFree;
  bus::Phase next_phase_ = bus::Phase::kBusFree;
  Picoseconds next_phase_at_ = 0;
  std::uint64_t phase_count_ = 0;
  std::uint64_t control_byte_count_ = 0;
  std::vector<bus::Violation> violations_;
  std::uint64_t violation_count_ = 0;
};

}  // namespace headstack::tlm
