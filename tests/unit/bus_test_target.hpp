// SPDX-License-Identifier: Apache-2.0
// A scripted target on pins, for tests of the bus and the initiator. It executes its script one
// phase after the other, at the earliest times that SCSI-2 allows, or later by a seeded stall. It
// is written from the standard, and shares no code with sim/initiator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <systemc>
#include <vector>

#include "sim/bus/scsi_bus.hpp"
#include "sim/bus/scsi_timing.hpp"

namespace headstack::test {

using Bytes = std::vector<std::uint8_t>;

class TestTarget : public sc_core::sc_module {
 public:
  using Script = std::function<void(TestTarget&)>;

  TestTarget(sc_core::sc_module_name name, bus::ScsiBus& bus, unsigned id, Script script)
      : sc_module(name), id_(id), port_(bus.attach(this->name())), script_(std::move(script)) {
    SC_THREAD(run);
  }

  // Members for the script: the mode of data phases, and the stalls.
  struct Mode {
    bool wide = false;
    unsigned offset = 0;
    Picoseconds period = 100'000;
  };
  Mode mode;
  Picoseconds max_stall = 0;  // longest stall before a REQ, uniformly 0 .. max_stall
  std::mt19937 random{1};
  std::optional<std::size_t> bad_parity_at;  // index of a byte in the next put(), once
  unsigned initiator = 0;                    // initiator of the connection
  std::uint64_t parity_errors = 0;           // parity errors in bytes from the initiator
  std::uint64_t upper_parity_errors = 0;     // those of them on DB(15-8)
  unsigned most_ahead = 0;                   // most REQs ahead of ACKs

  unsigned id() const { return id_; }
  bool attention() const { return has(bus::line::kAtn); }
  bool reset_seen() const { return has(bus::line::kRst); }

  /// Waits to be selected, and answers. Returns whether ATN was asserted.
  bool await_selection() {
    for (;;) {
      wait_until([this] { return selected_now(); });
      sc_core::wait(bus::to_sc_time(bus::timing::kBusSettleDelay));
      if (selected_now()) break;
    }
    const bool with_attention = attention();
    initiator = other_id();
    set(bus::line::kBsy);
    wait_until([this] { return !has(bus::line::kSel); });
    return with_attention;
  }

  /// Arbitrates and reselects `who`. False when another device won; then try again.
  bool reselect(unsigned who) {
    wait_bus_free();
    port_.drive(bus::line::kBsy | (1U << (bus::line::kDbShift + id_)));
    sc_core::wait(bus::to_sc_time(bus::timing::kArbitrationDelay));
    const unsigned ids = bus::db_of(port_.lines());
    bool lost = has(bus::line::kSel);
    for (unsigned other = id_ + 1; other < 8; ++other) lost = lost || (ids & (1U << other)) != 0;
    if (lost) {
      port_.drive(bus::LineSet{0});
      return false;
    }
    set(bus::line::kSel);
    sc_core::wait(bus::to_sc_time(bus::timing::kWonToChange));
    const bus::LineSet ids_on_bus = (1U << who) | (1U << id_);
    const bool even = __builtin_popcount(ids_on_bus) % 2 == 0;
    port_.drive(bus::line::kBsy | bus::line::kSel | bus::line::kIo |
                (ids_on_bus << bus::line::kDbShift) |
                (even ? bus::LineSet{1} << bus::line::kDpShift : 0));
    sc_core::wait(bus::to_sc_time(bus::timing::kTwoDeskewDelays));
    clear(bus::line::kBsy);
    sc_core::wait(bus::to_sc_time(bus::timing::kBusSettleDelay));
    wait_until([this] { return has(bus::line::kBsy); });
    set(bus::line::kBsy);
    sc_core::wait(bus::to_sc_time(bus::timing::kTwoDeskewDelays));
    port_.drive(bus::line::kBsy | bus::line::kIo);
    initiator = who;
    return true;
  }

  /// Sends bytes in a phase to the initiator; data by `mode`.
  void put(bus::Phase phase, const Bytes& bytes) {
    enter(phase);
    if (bus::is_data(phase) && mode.offset != 0) return put_synchronous(bytes);
    const bool wide = bus::is_data(phase) && mode.wide;
    for (std::size_t i = 0; i < bytes.size(); i += wide ? 2 : 1) {
      stall();
      drive_data(word_at(bytes, i, wide), wide, i);
      sc_core::wait(bus::to_sc_time(bus::timing::kDataSetup));
      set(bus::line::kReq);
      wait_until([this] { return has(bus::line::kAck); });
      clear(bus::line::kReq);
      wait_until([this] { return !has(bus::line::kAck); });
    }
    clear(bus::line::kData);
  }

  /// Takes `count` bytes in a phase from the initiator; data by `mode`.
  Bytes get(bus::Phase phase, std::size_t count) {
    enter(phase);
    if (bus::is_data(phase) && mode.offset != 0) return get_synchronous(count);
    const bool wide = bus::is_data(phase) && mode.wide;
    Bytes bytes;
    while (bytes.size() < count) {
      stall();
      set(bus::line::kReq);
      wait_until([this] { return has(bus::line::kAck); });
      keep(&bytes, wide, count);
      clear(bus::line::kReq);
      wait_until([this] { return !has(bus::line::kAck); });
    }
    return bytes;
  }

  /// MESSAGE OUT for as long as the initiator asserts ATN.
  Bytes messages_out() {
    Bytes bytes;
    while (attention()) {
      const Bytes byte = get(bus::Phase::kMessageOut, 1);
      bytes.push_back(byte[0]);
    }
    return bytes;
  }

  void message_in(const Bytes& bytes) { put(bus::Phase::kMessageIn, bytes); }
  void status(std::uint8_t value) { put(bus::Phase::kStatus, {value}); }

  /// Sends STATUS and COMMAND COMPLETE, and frees the bus.
  void finish(std::uint8_t value) {
    status(value);
    message_in({0x00});
    release();
  }
  /// SAVE DATA POINTER if requested, DISCONNECT, bus free, and a disconnection delay off the bus.
  void disconnect(bool save) {
    if (save) message_in({0x02});
    message_in({0x04});
    release();
    sc_core::wait(bus::to_sc_time(bus::timing::kDisconnectionDelay));
  }
  void release() { port_.drive(bus::LineSet{0}); }

  /// Asserts any lines: for scripts that break the rules.
  bus::Port& port() { return port_; }
  void wait_ps(Picoseconds time) { sc_core::wait(bus::to_sc_time(time)); }
  bool has(bus::LineSet mask) const { return (port_.lines() & mask) != 0; }

  void enter(bus::Phase phase) {
    const bus::LineSet wanted = bus::phase_lines(phase);
    const bus::LineSet before = port_.driven() & bus::line::kPhase;
    if (before == wanted) return;
    port_.drive((port_.driven() & ~(bus::line::kPhase | bus::line::kData)) | wanted);
    const bool turned_in = bus::is_in(phase) && !(before & bus::line::kIo);
    wait_ps(turned_in ? bus::timing::kTurnAround : bus::timing::kBusSettleDelay);
  }

 private:
  SC_HAS_PROCESS(TestTarget);
  void run() { script_(*this); }

  template <typename Condition>
  void wait_until(Condition condition) {
    while (!condition()) sc_core::wait(port_.changed());
  }
  void set(bus::LineSet lines) { port_.drive(port_.driven() | lines); }
  void clear(bus::LineSet lines) { port_.drive(port_.driven() & ~lines); }

  bool selected_now() const {
    const unsigned ids = bus::db_of(port_.lines());
    return has(bus::line::kSel) && !has(bus::line::kBsy) && !has(bus::line::kIo) &&
           (ids & (1U << id_)) != 0;
  }
  unsigned other_id() const {
    return static_cast<unsigned>(
        __builtin_ctz(static_cast<unsigned>(bus::db_of(port_.lines())) & ~(1U << id_)));
  }
  void wait_bus_free() {
    const auto busy = [this] { return has(bus::line::kBsy | bus::line::kSel | bus::line::kRst); };
    for (;;) {
      wait_until([&] { return !busy(); });
      const Picoseconds end = bus::now_ps() + bus::timing::kFreeToArbitration;
      while (!busy() && bus::now_ps() < end) {
        sc_core::wait(bus::to_sc_time(end - bus::now_ps()), port_.changed());
      }
      if (!busy()) return;
    }
  }
  void stall() {
    if (max_stall == 0) return;
    std::uniform_int_distribution<Picoseconds> any(0, max_stall);
    wait_ps(any(random));
  }
  static std::uint16_t word_at(const Bytes& bytes, std::size_t i, bool wide) {
    const unsigned high = wide && i + 1 < bytes.size() ? bytes[i + 1] : 0U;
    return static_cast<std::uint16_t>(bytes[i] | (high << 8U));
  }
  static unsigned parity_bit(unsigned byte) {
    return __builtin_popcount(byte & 0xFFU) % 2 == 0 ? 1U : 0U;
  }
  void drive_data(std::uint16_t word, bool wide, std::size_t index) {
    unsigned parity = parity_bit(word) | (wide ? parity_bit(word >> 8U) << 1U : 0U);
    if (bad_parity_at && *bad_parity_at == index) {
      parity ^= 1U;
      bad_parity_at.reset();
    }
    clear(bus::line::kData);
    set((bus::LineSet{word} << bus::line::kDbShift) | (parity << bus::line::kDpShift));
  }
  void keep(Bytes* bytes, bool wide, std::size_t count) {
    const std::uint16_t word = bus::db_of(port_.lines());
    const unsigned parity = bus::dp_of(port_.lines());
    if (parity_bit(word) != (parity & 1U)) ++parity_errors;
    if (wide && parity_bit(word >> 8U) != (parity >> 1U)) {
      ++parity_errors;
      ++upper_parity_errors;
    }
    bytes->push_back(static_cast<std::uint8_t>(word));
    if (wide && bytes->size() < count) bytes->push_back(static_cast<std::uint8_t>(word >> 8U));
  }

  // Synchronous: REQ pulses of half a period run ahead of ACKs by up to the offset. Each step of
  // half a period looks for an ACK edge in between; ACKs are counted on every change of the bus.
  template <typename OnReq, typename OnAck>
  void pump(std::size_t transfers, OnReq on_req, OnAck on_ack) {
    std::size_t requested = 0;
    std::size_t acknowledged = 0;
    bool ack_before = has(bus::line::kAck);
    const auto watch_until = [&](Picoseconds end) {
      while (bus::now_ps() < end) {
        sc_core::wait(bus::to_sc_time(end - bus::now_ps()), port_.changed());
        const bool ack = has(bus::line::kAck);
        if (ack && !ack_before) {
          ++acknowledged;
          on_ack();
        }
        ack_before = ack;
      }
    };
    while (acknowledged < transfers || ack_before) {
      if (requested < transfers && requested - acknowledged < mode.offset) {
        const Picoseconds pause =
            max_stall == 0 ? 0 : std::uniform_int_distribution<Picoseconds>(0, max_stall)(random);
        if (pause != 0) watch_until(bus::now_ps() + pause);
        on_req(requested);
        watch_until(bus::now_ps() + mode.period / 2);
        set(bus::line::kReq);
        ++requested;
        most_ahead = std::max(most_ahead, static_cast<unsigned>(requested - acknowledged));
        watch_until(bus::now_ps() + mode.period / 2);
        clear(bus::line::kReq);
      } else {
        watch_until(bus::now_ps() + mode.period / 2);
      }
    }
  }
  void put_synchronous(const Bytes& bytes) {
    const std::size_t step = mode.wide ? 2 : 1;
    pump((bytes.size() + step - 1) / step,
         [&](std::size_t i) {
           drive_data(word_at(bytes, i * step, mode.wide), mode.wide, i * step);
         },
         [] {});
    clear(bus::line::kData);
  }
  Bytes get_synchronous(std::size_t count) {
    const std::size_t step = mode.wide ? 2 : 1;
    Bytes bytes;
    pump((count + step - 1) / step, [](std::size_t) {}, [&] { keep(&bytes, mode.wide, count); });
    return bytes;
  }

  unsigned id_;
  bus::Port& port_;
  Script script_;
};

}  // namespace headstack::test
