// SPDX-License-Identifier: Apache-2.0
// Checks every change of the bus for violations of SCSI-2: illegal states, and edges that come too
// early. Plain C++, no kernel.
// The checker has the wires, but not the agreements. In data phases it applies the minima of fast
// synchronous transfers, in all other phases those of asynchronous transfers.
#pragma once

#include <functional>
#include <vector>

#include "sim/bus/observer.hpp"
#include "sim/bus/sim_time.hpp"

namespace headstack::bus {

class ProtocolChecker {
 public:
  using Report = std::function<void(Rule)>;
  explicit ProtocolChecker(Report report) : report_(std::move(report)) {}

  /// Checks a change of the bus at `at`. `asserted[i]` are the lines that device i now asserts;
  /// `phase` is the tracker's phase before the change.
  void step(Picoseconds at, LineSet before, LineSet now, const std::vector<LineSet>& asserted,
            Phase phase);

 private:
  struct Device {
    LineSet lines = 0;
    Picoseconds bsy_rose = kNever;
  };

  void check(bool legal, Rule rule) {
    if (!legal) report_(rule);
  }
  void check_reset(LineSet rose, LineSet fell, LineSet now);
  void check_arbitration(const std::vector<LineSet>& asserted, LineSet now, LineSet rose,
                         Phase phase);
  void check_winner(const std::vector<LineSet>& asserted, LineSet now, LineSet rose, LineSet fell);
  void check_selection(LineSet before, LineSet now, LineSet rose, LineSet fell);
  void check_ownership(const std::vector<LineSet>& asserted, LineSet now, LineSet rose);
  void check_transfer(LineSet before, LineSet now, LineSet rose, LineSet fell);
  void check_data(LineSet before, LineSet now, const std::vector<LineSet>& asserted);
  void note(LineSet now, LineSet rose, LineSet fell, LineSet changed);

  Report report_;
  std::vector<Device> devices_;
  Picoseconds at_ = 0;
  // Times of the last edges.
  Picoseconds free_since_ = kNever;
  Picoseconds left_free_ = kNever;
  Picoseconds bsy_fell_ = kNever;
  Picoseconds sel_rose_ = kNever;
  Picoseconds answered_ = kNever;  // when the selected device asserted BSY
  Picoseconds phase_changed_ = kNever;
  Picoseconds data_changed_ = kNever;
  Picoseconds io_rose_ = kNever;
  Picoseconds atn_changed_ = kNever;
  Picoseconds req_rose_ = kNever;
  Picoseconds req_fell_ = kNever;
  Picoseconds ack_rose_ = kNever;
  Picoseconds ack_fell_ = kNever;
  Picoseconds rst_rose_ = kNever;
  int winner_ = -1;              // device that asserts SEL after arbitration; -1: none
  std::int64_t unanswered_ = 0;  // REQ edges minus ACK edges
  bool connected_ = false;       // SEL was released after an answer: information transfer
};

}  // namespace headstack::bus
