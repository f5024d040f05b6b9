// Between the host adapter's logic and its way onto a bus: the logic (host_adapter.hpp,
// connection.hpp) is the same on pins (link.hpp, handshake.hpp) and in transactions
// (sim/tlm/bus/transaction_link.hpp).
//
// BusAccess is what the logic asks for; LinkClient and ByteClient are what it answers. A call says
// what happens at BusAccess::now().
#pragma once

#include <cstdint>
#include <optional>

#include "sim/bus/phase.hpp"
#include "sim/units.hpp"

namespace headstack::initiator {

/// How the bytes of one phase move.
struct TransferMode {
  bool wide = false;
  unsigned offset = 0;  // 0: asynchronous
  Picoseconds period_ps = 0;
};

/// One byte, or two, to be sent. `available` is false past the end: then the value only pads.
struct ByteOut {
  std::uint16_t data = 0;
  bool available = true;
  bool bad_parity = false;
  bool last_of_messages = false;  // ATN falls with it
};

/// Gives and takes what moves over the bus.
class ByteClient {
 public:
  virtual ~ByteClient() = default;
  /// The first REQ of a phase other than the last one.
  virtual TransferMode enter_phase(bus::Phase phase) = 0;
  /// A byte (or two, if wide) from the target.
  virtual void byte_in(bus::Phase phase, std::uint16_t data, bool parity_good) = 0;
  /// The next byte to the target. Asked for again until byte_taken().
  virtual ByteOut byte_out(bus::Phase phase) = 0;
  /// ACK is asserted: the byte of byte_out() has gone.
  virtual void byte_taken(bus::Phase phase) = 0;
  /// The target sent more REQs ahead than agreed, or left a phase with ACKs missing.
  virtual void agreement_broken() = 0;

  // Many bytes of a data phase at once. With null they must go one by one: past the end of the
  // data, for no nexus, or with a parity error to come.

  /// Where the next bytes of DATA IN belong.
  virtual std::uint8_t* data_place(std::uint32_t bytes) = 0;
  /// The next bytes of DATA OUT.
  virtual const std::uint8_t* data_source(std::uint32_t bytes) = 0;
  /// They have moved: the first at `first`, the last at `last`.
  virtual void data_moved(std::uint32_t bytes, Picoseconds first, Picoseconds last) = 0;
};

/// Decides what a link is for.
class LinkClient {
 public:
  virtual ~LinkClient() = default;
  /// Arbitration was won at `at`, and the time to set the ids has come: the answer is the target to
  /// select, or nothing if none is wanted any more.
  virtual std::optional<unsigned> arbitration_won(Picoseconds at) = 0;
  /// The target answered with BSY.
  virtual void selection_answered() = 0;
  virtual void selection_timed_out() = 0;
  /// A target reselected us, and we have answered with BSY just now.
  virtual void reselection_answered(unsigned target) = 0;
  /// BSY and SEL fell while connected.
  virtual void bus_freed() = 0;
  /// RST rose, whoever asserts it. Every connection and agreement is gone.
  virtual void bus_was_reset() = 0;

  // What only a host of a test does otherwise.

  /// Of the selection that arbitration_won() has just asked for. Without ATN no message can be
  /// sent.
  virtual bool selects_with_attention() const { return true; }
  virtual bool answers_reselection() const { return true; }
};

/// The way onto a bus.
class BusAccess {
 public:
  virtual ~BusAccess() = default;
  virtual Picoseconds now() const = 0;
  /// Wants the bus, or no longer does. Wanting lasts until arbitration is won.
  virtual void want_bus(bool wanted) = 0;
  /// Asserts RST, from wherever the bus is.
  virtual void reset_bus() = 0;
  /// Asserts ATN. Called while a byte of a message, status or data comes in, it is on the bus long
  /// enough before that byte's ACK falls for the target to honour it in this phase (6.2.1).
  virtual void raise_attention() = 0;
  /// Asserts ATN between bytes, of the host's own accord, while COMMAND, DATA or STATUS stands: no
  /// ACK waits for it, and the target honours it when it sees it (6.2.1). False, and nothing
  /// happens, if ATN stands already, or in any other phase: a message may be ending the nexus.
  virtual bool interject() = 0;
  virtual bool connected() const = 0;
  /// The target broke the transfer agreement: for the bus's list of violations.
  virtual void report_broken_agreement() = 0;
};

}  // namespace headstack::initiator
