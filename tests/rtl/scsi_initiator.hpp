// SPDX-License-Identifier: Apache-2.0
// An initiator on pins: answers REQ with ACK, and moves bytes with any timing that SCSI-2 allows.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "tests/rtl/scsi_checker.hpp"
#include "tests/rtl/scsi_pins.hpp"

namespace headstack::scsi {

/// Called once per clock with the bus after the edge. Its own lines change then, and the target
/// samples them at the next edge.
class Initiator {
 public:
  explicit Initiator(std::uint64_t seed = 1) : random_(seed) {}

  Agreement agreement;
  /// Most additional clocks before ACK turns true and before it turns false.
  unsigned slowness_clocks = 0;
  bool answering = true;        // answers REQ at all
  bool with_attention = false;  // ATN
  int bad_parity_at = -1;       // index of the byte in `out` that is sent with even parity

  std::map<unsigned, std::vector<std::uint8_t>> out;  // by phase; consumed from `out_at`
  std::map<unsigned, std::size_t> out_at;
  std::map<unsigned, std::vector<std::uint8_t>> in;  // by phase
  std::vector<unsigned> in_upper;                    // DB(15-8) of each unit, as received

  unsigned req_count = 0;
  unsigned ack_count = 0;

  Pins pins() const { return data_ | (ack_ ? kAck : 0) | (with_attention ? kAtn : 0); }

  void clock(Pins bus) {
    const bool req = (bus & kReq) != 0;
    if (req && !req_before_) take_req(bus);
    req_before_ = req;
    if ((bus & kBsy) == 0) {
      transfer_ = Transfer();
      ack_ = false;
      data_ = 0;
      return;
    }
    if ((bus & kIo) != 0) data_ = 0;  // 6.1.10, within the data release delay
    if (!answering) return;
    if (sync(bus)) {
      clock_sync(bus);
    } else {
      clock_async(bus);
    }
  }

 private:
  struct Transfer {
    unsigned waiting = 0;  // REQ without ACK
    unsigned wait = 0;     // clocks until the next step
    unsigned since_ack = 1000;
    bool set_up = false;  // data is driven, or not needed
  };

  static bool is_data(Pins bus) { return (bus & (kMsg | kCd)) == 0; }
  bool sync(Pins bus) const { return is_data(bus) && agreement.offset != 0; }
  bool wide(Pins bus) const { return is_data(bus) && agreement.wide; }
  bool fast(Pins bus) const {
    return sync(bus) && agreement.period * kClockNs < timing_ns::kFastBelow;
  }
  unsigned dither() {
    return slowness_clocks == 0 ? 0 : static_cast<unsigned>(random_() % (slowness_clocks + 1));
  }

  void take_req(Pins bus) {
    ++req_count;
    ++transfer_.waiting;
    if ((bus & kIo) == 0) return;
    auto& bytes = in[phase_of(bus)];
    bytes.push_back(static_cast<std::uint8_t>(db_of(bus)));
    if (wide(bus)) {
      in_upper.push_back(db_of(bus) >> 8);
      bytes.push_back(static_cast<std::uint8_t>(db_of(bus) >> 8));
    }
  }

  /// Puts the next unit on the DATA BUS. Past the end of `out` it is the pad byte 0xEE.
  void put_unit(Pins bus) {
    auto& bytes = out[phase_of(bus)];
    std::size_t& at = out_at[phase_of(bus)];
    const bool first_bad = bad_parity_at >= 0 && at == static_cast<std::size_t>(bad_parity_at);
    const bool second_bad = bad_parity_at >= 0 && at + 1 == static_cast<std::size_t>(bad_parity_at);
    const unsigned low = at < bytes.size() ? bytes[at] : 0xEE;
    ++at;
    if (!wide(bus)) {
      data_ = narrow_data(low);
    } else {
      const unsigned high = at < bytes.size() ? bytes[at] : 0xEE;
      ++at;
      data_ = wide_data(high << 8 | low);
      if (second_bad) data_ ^= 2U << kDpShift;
    }
    if (first_bad) data_ ^= 1U << kDpShift;
  }

  /// 6.1.5.1: data a deskew and a cable skew delay before ACK; ACK until REQ turns false.
  void clock_async(Pins bus) {
    Transfer& t = transfer_;
    const bool out_phase = (bus & kIo) == 0;
    if (ack_) {
      if ((bus & kReq) != 0) return;
      if (t.wait > 0) {
        --t.wait;
        return;
      }
      ack_ = false;
      data_ = 0;
      t.set_up = false;
      return;
    }
    if (t.waiting == 0) return;
    if (!t.set_up) {
      t.set_up = true;
      t.wait = dither();
      if (out_phase) {
        put_unit(bus);
        t.wait += clocks(timing_ns::kDeskewDelay + timing_ns::kCableSkewDelay);
      }
    }
    if (t.wait > 0) {
      --t.wait;
      return;
    }
    raise_ack();
    t.wait = dither();
  }

  /// 6.1.5.2: one ACK pulse per REQ, no closer than the period, with data held after its rise.
  void clock_sync(Pins bus) {
    Transfer& t = transfer_;
    ++t.since_ack;
    const bool out_phase = (bus & kIo) == 0;
    if (ack_) {
      if (t.wait > 0) {
        --t.wait;
        return;
      }
      ack_ = false;
      t.set_up = false;
      if (!fast(bus)) return;
    }
    if (t.waiting == 0) return;
    if (!t.set_up) {
      t.set_up = true;
      t.wait = dither();
      if (out_phase) {
        put_unit(bus);
        t.wait += fast(bus) ? 1 : clocks(timing_ns::kDeskewDelay + timing_ns::kCableSkewDelay);
      }
    }
    if (t.wait > 0) {
      --t.wait;
      return;
    }
    if (t.since_ack < agreement.period) return;
    raise_ack();
    t.since_ack = 0;
    // 90 ns, or 30 ns: a fast pulse off the clock's grid may be sampled once or twice.
    t.wait = fast(bus) ? static_cast<unsigned>(random_() % 2) : 3;
  }

  void raise_ack() {
    ack_ = true;
    ++ack_count;
    --transfer_.waiting;
  }

  std::mt19937_64 random_;
  Transfer transfer_;
  Pins data_ = 0;
  bool ack_ = false;
  bool req_before_ = false;
};

}  // namespace headstack::scsi
