// SPDX-License-Identifier: Apache-2.0
/// @file
/// The times at which each unit (one or two bytes) of a data phase moves. REQ and ACK of
/// hdl/scsi_target and of a host adapter form a recurrence.
///
/// All quantities are times in picoseconds. Unit k has the bytes b, T is one clock, P the period:
///
///   towards the host adapter (scsi_data_path.sv, scsi_transfer.sv)
///     fetch_b = max(fetch_(b-1) + T, supply, load of byte b - 16 + T)       the FIFO has 16 bytes
///     load_k  = max(drivers free, fetch of its last byte + T)
///   from it
///     req_k  >= take of byte (k + 1) units - 17, + T                        room in the FIFO
///     take_b  = max(take_(b-1) + T, moved_k + T, supply)                    to the host port
///   both
///     req_k   = max(load_k + setup, req_(k-1) + P, moved_(k-offset) + T)    synchronous
///             = max(load_k + setup, seen(release_(k-1)))                    asynchronous
///     ack_k   = max(ack_(k-1) + P', req_k, data_k + setup')                 P': the adapter's pace
///     moved_k = seen(ack_k)
///     release_k = ack_k + P"/2                                              synchronous
///               = moved_k + reaction                                        asynchronous
///                                                                           P": as agreed
///
/// Each time depends on at most kReach units before. Once all times advance by the same step for
/// that many units, they continue so until a supply is late. The units in between are not computed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "sim/bus/never.hpp"
#include "sim/tlm/bus/transaction_timing.hpp"

namespace headstack::tlm {

/// The constants of one transfer.
struct StreamSetup {
  TransactionTiming timing;
  bool in = false;  // whether the data moves towards the host adapter
  bool synchronous = false;
  std::uint32_t width = 1;  // bytes of a unit
  std::uint32_t offset = 1;
  // Delays of the target.
  Picoseconds period = 0;
  Picoseconds req_width = 0;
  Picoseconds setup = 0;
  // Delays of the host adapter.
  Picoseconds ack_period = 0;
  Picoseconds ack_width = 0;
  Picoseconds ack_setup = 0;
  Picoseconds req_to_ack = 0;
  Picoseconds req_release_to_ack_release = 0;

  bool operator==(const StreamSetup& other) const {
    return timing.ideal() == other.timing.ideal() && in == other.in &&
           synchronous == other.synchronous && width == other.width && offset == other.offset &&
           period == other.period && req_width == other.req_width && setup == other.setup &&
           ack_period == other.ack_period && ack_width == other.ack_width &&
           ack_setup == other.ack_setup && req_to_ack == other.req_to_ack &&
           req_release_to_ack_release == other.req_release_to_ack_release;
  }
};

class TransactionStream {
 public:
  /// One unit's times.
  struct Unit {
    Picoseconds req = 0;
    Picoseconds ack = 0;
    Picoseconds moved = 0;
    Picoseconds release = 0;  // time at which ACK is released
  };

  /// The state before a transfer.
  struct Start {
    Picoseconds operation = 0;           // edge at which it starts
    Picoseconds move = 0;                // first edge at which the target may move: the phase has
                                         // settled
    Picoseconds req_from = 0;            // no REQ before this time
    Picoseconds ack_from = bus::kNever;  // no ACK before this time
    Picoseconds release_from = 0;        // asynchronous: the first ACK is not released before this
    Picoseconds data_since = kWithReq;   // first unit of the host adapter on the bus
  };
  static constexpr Picoseconds kWithReq = std::numeric_limits<Picoseconds>::max();

  /// Begins a transfer of `bytes` in all, 1 or more.
  void begin(const StreamSetup& setup, std::uint32_t bytes, const Start& start);
  /// Adds `bytes` that the other side of the FIFO supplies or accepts, one per clock, the first
  /// with edge `from`.
  void supply(std::uint32_t bytes, Picoseconds from);
  /// Adds `bytes` that firmware pushes, or makes room for by popping, with edge `from`.
  void supply_by_hand(std::uint32_t bytes, Picoseconds from);

  /// Sets whether the host adapter has the unit ready that follows the one just computed.
  void set_data_ahead(bool ahead) { data_ahead_ = ahead; }

  /// Keeps the ACK of the unit just computed, which ATN answers, until `until`, if asynchronous.
  void hold(Picoseconds until) {
    if (!setup_.synchronous) last_.release = std::max(last_.release, until);
  }

  /// Whether a unit can be computed: it is supplied, and the transfer has not ended.
  bool ready() const;
  /// Computes the next unit.
  void step();
  /// Computes all units that are ready; if steps repeat, many at once. `known`, of the same owner,
  /// stores how a resting stream starts again, for later use.
  void run(TransactionStream* known = nullptr);

  std::uint32_t bytes() const { return bytes_; }
  std::uint32_t supplied() const { return supplied_; }
  /// Number of bytes in the units computed so far.
  std::uint32_t computed() const { return computed_; }
  bool complete() const { return computed_ == bytes_; }
  const Unit& last() const { return last_; }
  const Unit& first() const { return first_; }
  /// Time at which the last computed byte passed the other side of the FIFO.
  Picoseconds last_passed() const { return passed_; }
  /// The computed edge after which the transfer rests, with REQ and ACK in balance.
  Picoseconds balanced() const;
  std::uint32_t width_of_next() const {
    const std::uint32_t left = bytes_ - computed_;
    return left < setup_.width ? left : setup_.width;
  }

 private:
  static constexpr std::uint32_t kFifoBytes = 16;
  static constexpr std::uint32_t kHistory = 32;  // the largest offset is 31
  static constexpr std::uint32_t kMask = kHistory - 1;

  Picoseconds clock() const { return setup_.timing.clocks(1); }
  void pass_in(std::uint32_t width);
  void pass_out(std::uint32_t width);
  void note_step(const Unit& before, Picoseconds passed_before);
  void skip();
  bool catches_up(std::uint32_t bytes, Picoseconds from) const;
  bool rested() const;
  void repeat_start(const TransactionStream& known);
  void advance(Picoseconds time);
  Picoseconds clocks(std::uint32_t count) const { return setup_.timing.clocks(count); }

  StreamSetup setup_;
  std::uint32_t reach_ = 0;  // number of units on which a unit may depend
  std::uint32_t bytes_ = 0;
  std::uint32_t supplied_ = 0;
  std::uint32_t computed_ = 0;
  std::uint32_t units_ = 0;  // units computed one by one: the index into the histories
  std::uint32_t passed_bytes_ = 0;
  Start start_;
  Picoseconds supply_from_ = 0;
  bool by_hand_ = false;
  bool data_ahead_ = true;
  Picoseconds passed_ = 0;
  Picoseconds load_ = 0;
  Unit first_;
  Unit last_;
  // Times minus shift_, indexed by number modulo kHistory.
  Picoseconds shift_ = 0;
  std::array<Picoseconds, kHistory> moved_{};
  std::array<Picoseconds, kHistory> freed_{};  // time at which the FIFO has room for a byte
  // The step in time that repeats.
  Picoseconds step_ = 0;
  std::uint32_t repeats_ = 0;
  // Bytes computed before the last start from rest.
  static constexpr std::uint32_t kNotRested = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t rested_at_ = kNotRested;
};

}  // namespace headstack::tlm
