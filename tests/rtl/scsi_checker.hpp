// SPDX-License-Identifier: Apache-2.0
// Watches the bus and notes every violation of SCSI-2 by the target's pins.
//
// It is called once per clock with the lines after that clock's edge. The target's lines change
// only at edges, so its own delays are exact in clocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/rtl/scsi_pins.hpp"

namespace headstack::scsi {

/// The transfer agreement of both sides.
struct Agreement {
  unsigned period = 4;  // clocks
  unsigned offset = 0;  // 0: asynchronous
  bool wide = false;
};

class BusChecker {
 public:
  void set_agreement(const Agreement& agreement) { agreement_ = agreement; }

  /// Takes the lines asserted by the target and by all others, after edge number `now`.
  void observe(std::uint64_t now, Pins target, Pins others) {
    now_ = now;
    target_ = target;
    others_ = others;
    const Pins changed = target ^ last_target_;
    if ((target & kBsy) == 0) {
      transferring_ = false;
      ahead_ = 0;
    } else if (((last_target_ | last_others_) & kSel) != 0) {
      // BSY alone is arbitration; BSY that outlasts SEL is a connection.
      transferring_ = true;
    }
    if ((changed & kPhaseMask) != 0) check_phase_change(changed);
    if ((changed & kDataMask) != 0) check_data_change();
    if ((changed & kReq) != 0) (target & kReq) != 0 ? check_req_rise() : check_req_fall();
    if ((others & ~last_others_ & kAck) != 0 && ahead_ > 0) --ahead_;
    if ((changed & last_target_ & kBsy) != 0 && !selecting()) bsy_release_ = now;
    check_release();
    check_data_direction();
    last_target_ = target;
    last_others_ = others;
  }

  const std::vector<std::string>& violations() const { return violations_; }
  /// Turns watching on or off. It is off when a test breaks the rules on the other side.
  void watch(bool on) { watching_ = on; }
  /// Firmware is about to end a handshake that the initiator does not end: not an error of the
  /// block.
  void expect_broken_handshake() { broken_handshake_ = true; }

 private:
  bool is_data_phase() const { return (target_ & (kMsg | kCd)) == 0; }
  bool sync() const { return is_data_phase() && agreement_.offset != 0; }
  bool fast() const { return sync() && agreement_.period * kClockNs < timing_ns::kFastBelow; }
  bool wide() const { return is_data_phase() && agreement_.wide; }
  /// SEL is asserted: arbitration, selection or reselection, whose rules have their own tests.
  bool selecting() const { return ((target_ | others_ | last_target_ | last_others_) & kSel) != 0; }

  void require(bool kept, const char* rule) {
    if (!kept && watching_) violations_.push_back(rule + (" at edge " + std::to_string(now_)));
  }
  bool lasted(std::uint64_t since, unsigned time_ns) const {
    return (now_ - since) * kClockNs >= time_ns;
  }

  void check_phase_change(Pins changed) {
    phase_change_ = now_;
    if ((changed & target_ & kIo) != 0) io_rise_ = now_;
    if ((changed & last_target_ & kIo) != 0) io_fall_ = now_;
    if (!transferring_ || selecting()) return;
    // 6.1.5: C/D, I/O and MSG stay until the handshake of the phase's last byte is over.
    require(((last_target_ | target_) & kReq) == 0 && (last_others_ & kAck) == 0 && ahead_ == 0,
            "phase changed in a handshake");
  }

  void check_data_change() {
    data_change_ = now_;
    const bool in = (target_ & last_target_ & kIo) != 0;
    if (!in || !transferring_ || selecting()) return;
    if (sync()) {
      // 6.1.5.2: deskew, cable skew and hold after REQ turned true.
      const unsigned hold_ns =
          fast() ? timing_ns::kFastDeskewDelay + timing_ns::kFastCableSkewDelay +
                       timing_ns::kFastHoldTime
                 : timing_ns::kDeskewDelay + timing_ns::kCableSkewDelay + timing_ns::kHoldTime;
      require(!req_seen_ || lasted(req_rise_, hold_ns), "data changed within its hold time");
    } else {
      // 6.1.5.1: valid until ACK is true.
      require((last_target_ & kReq) == 0 || (last_others_ & kAck) != 0, "data changed before ACK");
    }
  }

  void check_req_rise() {
    using namespace timing_ns;  // NOLINT(google-build-using-namespace)
    require(transferring_ && !selecting(), "REQ without a connection");
    require(lasted(phase_change_, kBusSettleDelay), "REQ before the bus settle delay");
    if ((target_ & kIo) != 0) {
      const unsigned setup_ns =
          fast() ? kFastDeskewDelay + kFastCableSkewDelay : kDeskewDelay + kCableSkewDelay;
      require(lasted(data_change_, setup_ns), "REQ before its data was set up");
      check_parity();
    }
    if (sync()) {
      if (req_seen_) {
        require(lasted(req_rise_, agreement_.period * kClockNs), "REQ before the transfer period");
        require(lasted(req_fall_, fast() ? kFastNegationPeriod : kNegationPeriod),
                "REQ before the negation period");
      }
    } else {
      // An ACK of the same clock answers this REQ.
      require((last_others_ & kAck) == 0, "REQ before ACK turned false");
    }
    ++ahead_;
    require(ahead_ <= (sync() ? agreement_.offset : 1U), "REQ beyond the offset");
    req_rise_ = now_;
    req_seen_ = true;
  }

  void check_req_fall() {
    req_fall_ = now_;
    if ((target_ & kBsy) == 0) return;  // released with all other lines
    if (sync()) {
      require(
          lasted(req_rise_, fast() ? timing_ns::kFastAssertionPeriod : timing_ns::kAssertionPeriod),
          "REQ true shorter than the assertion period");
    } else {
      require((last_others_ & kAck) != 0 || broken_handshake_, "REQ let go of before ACK");
    }
  }

  void check_parity() {
    const unsigned db = db_of(target_);
    require((dp_of(target_) & 1U) == odd_parity(db & 0xFFU), "even parity on DB(7-0)");
    if (wide()) {
      require(dp_of(target_) >> 1 == odd_parity(db >> 8), "even parity on DB(15-8)");
    } else {
      require(db >> 8 == 0 && dp_of(target_) >> 1 == 0, "DB(15-8) driven in an 8-bit transfer");
    }
  }

  /// 6.1.1: a device that releases BSY releases all lines within a bus clear delay.
  void check_release() {
    if (bsy_release_ == 0) return;
    if ((target_ & kBsy) != 0 || target_ == 0) {
      bsy_release_ = 0;
    } else {
      require(!lasted(bsy_release_, timing_ns::kBusClearDelay + 1),
              "not clear after bus clear delay");
    }
  }

  /// 6.1.10: who may drive the DATA BUS when its direction turns.
  void check_data_direction() {
    if ((target_ & kDataMask) == 0 || !transferring_ || selecting()) return;
    if ((target_ & kIo) != 0) {
      require(lasted(io_rise_, timing_ns::kDataReleaseDelay + timing_ns::kBusSettleDelay),
              "DATA BUS driven before data release and bus settle delay");
      require((others_ & kDataMask) == 0, "DATA BUS driven by both");
    } else {
      require(!lasted(io_fall_, timing_ns::kDeskewDelay + 1),
              "DATA BUS kept after I/O turned false");
    }
  }

  Agreement agreement_;
  std::uint64_t now_ = 0;
  Pins target_ = 0;
  Pins others_ = 0;
  Pins last_target_ = 0;
  Pins last_others_ = 0;
  std::uint64_t phase_change_ = 0;
  std::uint64_t io_rise_ = 0;
  std::uint64_t io_fall_ = 0;
  std::uint64_t data_change_ = 0;
  std::uint64_t req_rise_ = 0;
  std::uint64_t req_fall_ = 0;
  std::uint64_t bsy_release_ = 0;
  bool req_seen_ = false;
  bool transferring_ = false;
  bool broken_handshake_ = false;
  bool watching_ = true;
  unsigned ahead_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace headstack::scsi
