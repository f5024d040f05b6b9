// SPDX-License-Identifier: Apache-2.0
// The parallel bus: open-collector lines, each the wired-OR of what the attached devices assert.
//
// Changes made in one delta cycle take effect together in the kernel's update phase, so the order
// of processes has no effect. A device names the edges that wake it. In a data phase an initiator
// ignores the data lines and its own ACK, so a byte costs only events for edges that matter.
//
// Ownership: the bus owns its ports; a port stays valid as long as the bus.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sim/bus/observer.hpp"
#include "sim/bus/protocol_checker.hpp"
#include "sim/bus/sim_time.hpp"

namespace headstack::bus {

class ScsiBus;

/// Edges of lines, accumulated.
struct Edges {
  LineSet rose = 0;
  LineSet fell = 0;
};

/// One device's connection to the bus.
class Port {
 public:
  /// Sets all lines that this device asserts from now on.
  void drive(LineSet lines);
  void drive(const Pins& pins) { drive(pack(pins)); }
  LineSet driven() const { return driven_; }

  /// The state of the bus: the lines of all devices, this one included.
  LineSet lines() const;
  Pins pins() const { return unpack(lines()); }

  /// Sets the edges that notify `changed()`; at first these are all edges of all lines.
  void listen(LineSet rises, LineSet falls) { rises_ = rises, falls_ = falls; }
  const sc_core::sc_event& changed() const { return changed_; }
  /// Returns the edges of listen() since the last call.
  Edges take_edges();

  const std::string& name() const { return name_; }

 private:
  friend class ScsiBus;
  Port(ScsiBus& bus, std::size_t index, std::string name);
  void deliver(LineSet before, LineSet now);

  ScsiBus& bus_;
  std::size_t index_;
  std::string name_;
  LineSet driven_ = 0;
  LineSet rises_ = line::kAll;
  LineSet falls_ = line::kAll;
  Edges edges_;
  sc_core::sc_event changed_;
};

class ScsiBus : public sc_core::sc_module, public ObservedBus {
 public:
  /// `propagation_ps`: delay from a driver to all receivers, including those of the same device.
  explicit ScsiBus(sc_core::sc_module_name name, Picoseconds propagation_ps = 0);
  ~ScsiBus() override;

  /// Adds a device, before the simulation starts or at any later time.
  Port& attach(std::string device_name);

  LineSet lines() const { return lines_; }
  Pins pins() const { return unpack(lines_); }
  Phase phase() const override { return tracker_.phase(); }
  /// Lines of one device, in the order of attach(): for traces and tests.
  const std::vector<LineSet>& asserted() const { return asserted_; }
  /// Notified at every change of any line.
  const sc_core::sc_event& changed() const { return changed_; }
  Picoseconds propagation_ps() const { return propagation_ps_; }

  void add_observer(BusObserver& observer) override;
  void remove_observer(BusObserver& observer) override;
  void remove_observers() override { observers_.clear(); }

  /// Protocol violations so far; past kKeptViolations they are counted and observed, not kept.
  const std::vector<Violation>& violations() const { return violations_; }
  std::uint64_t violation_count() const { return violation_count_; }
  /// Adds a violation by the other side, reported by a device.
  void report(Rule rule);

  static constexpr std::size_t kKeptViolations = 1000;

 private:
  friend class Port;
  class UpdateChannel;
  struct Arrival {
    Picoseconds at = 0;
    std::size_t device = 0;
    LineSet lines = 0;
  };

  SC_HAS_PROCESS(ScsiBus);
  void drive(std::size_t device, LineSet lines);
  void deliver_arrivals();
  void resolve();
  void tell_observers(Picoseconds at, LineSet before);
  void tell_selection(Picoseconds at, LineSet before);

  Picoseconds propagation_ps_;
  std::unique_ptr<UpdateChannel> channel_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<LineSet> asserted_;  // lines of each device, as they have reached the cable
  std::deque<Arrival> arrivals_;   // changes on their way, when propagation is not 0
  sc_core::sc_event arrival_;
  sc_core::sc_event changed_;
  LineSet lines_ = 0;
  PhaseTracker tracker_;
  ProtocolChecker checker_;
  std::vector<BusObserver*> observers_;
  std::vector<Violation> violations_;
  std::uint64_t violation_count_ = 0;
  int winner_id_ = -1;  // highest id at the end of arbitration
};

}  // namespace headstack::bus
