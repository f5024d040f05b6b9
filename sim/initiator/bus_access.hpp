// SPDX-License-Identifier: Apache-2.0
// The interface between the host adapter's logic and its access to a bus. The same logic
// (host_adapter.hpp, connection.hpp) works on pins (link.hpp, handshake.hpp) and with transactions
// (sim/tlm/bus/transaction_link.hpp).
//
// The logic calls BusAccess, and implements LinkClient and ByteClient. A call happens at
// BusAccess::now().
#pragma once

#include <cstdint>
#include <optional>

#include "sim/bus/phase.hpp"
#include "sim/units.hpp"

namespace headstack::initiator {

/// The transfer mode of one phase.
struct TransferMode {
  bool wide = false;
  unsigned offset = 0;  // 0: asynchronous
  Picoseconds period_ps = 0;
};

/// One byte, or two, to be sent. `available` is false past the end: then the value is only padding.
struct ByteOut {
  std::uint16_t data = 0;
  bool available = true;
  std::uint8_t bad_parity = 0;    // bit i: byte i goes out with wrong parity
  bool last_of_messages = false;  // the last byte of all messages: ATN falls with it
};

/// Supplies and receives the bytes that move over the bus.
class ByteClient {
 public:
  virtual ~ByteClient() = default;
  /// Called at the first REQ of a new phase.
  virtual TransferMode enter_phase(bus::Phase phase) = 0;
  /// Receives a byte (or two, if wide) from the target.
  virtual void byte_in(bus::Phase phase, std::uint16_t data, bool parity_good) = 0;
  /// The next byte to the target. It may be called again until byte_taken().
  virtual ByteOut byte_out(bus::Phase phase) = 0;
  /// ACK is asserted: the byte of byte_out() has gone.
  virtual void byte_taken(bus::Phase phase) = 0;
  /// Reports that the target sent more REQs ahead than agreed, or left a phase before all ACKs.
  virtual void agreement_broken() = 0;

  // Many bytes of a data phase at once. If a function returns null, they must move one by one.
  // Reasons are the end of the data, a missing nexus, or a parity error to come.

  /// The place for the next bytes of DATA IN.
  virtual std::uint8_t* data_place(std::uint32_t bytes) = 0;
  /// The next bytes of DATA OUT.
  virtual const std::uint8_t* data_source(std::uint32_t bytes) = 0;
  /// Reports that `bytes` have moved: the first at `first`, the last at `last`.
  virtual void data_moved(std::uint32_t bytes, Picoseconds first, Picoseconds last) = 0;
};

/// Decisions and reactions of the host adapter's logic, called by its link.
class LinkClient {
 public:
  virtual ~LinkClient() = default;
  /// Arbitration was won at `at`, and the ids are due. @return the target to select, or nothing if
  /// none is wanted any more.
  virtual std::optional<unsigned> arbitration_won(Picoseconds at) = 0;
  /// The target answered with BSY.
  virtual void selection_answered() = 0;
  virtual void selection_timed_out() = 0;
  /// A target has reselected the host adapter, which has just answered with BSY.
  virtual void reselection_answered(unsigned target) = 0;
  /// BSY and SEL fell while connected.
  virtual void bus_freed() = 0;
  /// RST rose, asserted by any device. Every connection and agreement has ended.
  virtual void bus_was_reset() = 0;

  // Behaviour that only a test's host changes.

  /// Whether the selection after arbitration_won() asserts ATN. Without ATN no message can be sent.
  virtual bool selects_with_attention() const { return true; }
  virtual bool answers_reselection() const { return true; }
};

/// The access to a bus.
class BusAccess {
 public:
  virtual ~BusAccess() = default;
  virtual Picoseconds now() const = 0;
  /// Requests the bus, or withdraws the request. A request lasts until arbitration is won.
  virtual void want_bus(bool wanted) = 0;
  /// Asserts RST, in any phase.
  virtual void reset_bus() = 0;
  /// Asserts ATN. If called while a byte of a message, status or data arrives, ATN precedes the
  /// fall of that byte's ACK. The target then honours it in this phase (6.2.1).
  virtual void raise_attention() = 0;
  /// Asserts ATN between bytes in phase COMMAND, DATA or STATUS. No ACK waits for it, and the
  /// target honours it once it detects it (6.2.1). False, without effect, if ATN is asserted
  /// already, or in other phases: a message may be ending the nexus.
  virtual bool interject() = 0;
  virtual bool connected() const = 0;
  /// The target violated the transfer agreement: adds it to the bus's list of violations.
  virtual void report_broken_agreement() = 0;
};

}  // namespace headstack::initiator
