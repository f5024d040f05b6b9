// SPDX-License-Identifier: Apache-2.0
#include "sim/bus/scsi_bus.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::bus {

/// Brings all changes of one delta cycle to the lines together.
class ScsiBus::UpdateChannel : public sc_core::sc_prim_channel {
 public:
  explicit UpdateChannel(ScsiBus& bus) : sc_prim_channel("lines"), bus_(bus) {}
  void request() { request_update(); }

 private:
  void update() override { bus_.resolve(); }
  ScsiBus& bus_;
};

Port::Port(ScsiBus& bus, std::size_t index, std::string name)
    : bus_(bus), index_(index), name_(std::move(name)) {}

void Port::drive(LineSet lines) {
  if (lines == driven_) return;
  driven_ = lines;
  bus_.drive(index_, lines);
}

LineSet Port::lines() const { return bus_.lines(); }

Edges Port::take_edges() {
  const Edges edges = edges_;
  edges_ = {};
  return edges;
}

void Port::deliver(LineSet before, LineSet now) {
  const LineSet rose = now & ~before & rises_;
  const LineSet fell = before & ~now & falls_;
  if ((rose | fell) == 0) return;
  edges_.rose |= rose;
  edges_.fell |= fell;
  changed_.notify(sc_core::SC_ZERO_TIME);
}

ScsiBus::ScsiBus(sc_core::sc_module_name name, Picoseconds propagation_ps)
    : sc_module(name),
      propagation_ps_(propagation_ps),
      channel_(std::make_unique<UpdateChannel>(*this)),
      checker_([this](Rule rule) { report(rule); }) {
  HEADSTACK_ASSERT(propagation_ps >= 0, "lines do not arrive before they are driven");
  SC_METHOD(deliver_arrivals);
  sensitive << arrival_;
  dont_initialize();
}

ScsiBus::~ScsiBus() = default;

Port& ScsiBus::attach(std::string device_name) {
  ports_.push_back(std::unique_ptr<Port>(new Port(*this, ports_.size(), std::move(device_name))));
  asserted_.push_back(0);
  return *ports_.back();
}

void ScsiBus::drive(std::size_t device, LineSet lines) {
  if (propagation_ps_ == 0) {
    asserted_[device] = lines;
    channel_->request();
    return;
  }
  // The newest of several changes at one moment counts; arrivals keep the order of the changes.
  arrivals_.push_back({now_ps() + propagation_ps_, device, lines});
  if (arrivals_.size() == 1) arrival_.notify(to_sc_time(propagation_ps_));
}

void ScsiBus::deliver_arrivals() {
  while (!arrivals_.empty() && arrivals_.front().at <= now_ps()) {
    asserted_[arrivals_.front().device] = arrivals_.front().lines;
    arrivals_.pop_front();
  }
  if (!arrivals_.empty()) arrival_.notify(to_sc_time(arrivals_.front().at - now_ps()));
  channel_->request();
}

void ScsiBus::resolve() {
  LineSet now = 0;
  for (const LineSet lines : asserted_) now |= lines;
  const LineSet before = lines_;
  lines_ = now;
  const Picoseconds at = now_ps();
  // The checks run even if the wired-OR is unchanged: its drivers have changed, which rules limit,
  // too.
  checker_.step(at, before, now, asserted_, tracker_.phase());
  if (now == before) return;
  const Phase phase_before = tracker_.phase();
  const Phase phase = tracker_.update(now, (now & ~before & line::kReq) != 0);
  for (const auto& port : ports_) port->deliver(before, now);
  changed_.notify(sc_core::SC_ZERO_TIME);
  if (observers_.empty()) return;
  for (BusObserver* observer : observers_) observer->lines_changed(at, before, now);
  if (phase != phase_before) {
    for (BusObserver* observer : observers_) observer->phase_changed(at, phase_before, phase);
  }
  tell_observers(at, before);
}

void ScsiBus::tell_observers(Picoseconds at, LineSet before) {
  tell_selection(at, before);
  if (!is_information(tracker_.phase())) return;
  const LineSet rose = lines_ & ~before;
  const Phase phase = tracker_.phase();
  if (rose & (is_in(phase) ? line::kReq : line::kAck)) {
    for (BusObserver* observer : observers_) observer->byte_moved(at, phase, lines_);
  }
}

void ScsiBus::tell_selection(Picoseconds at, LineSet before) {
  const LineSet rose = lines_ & ~before;
  if (rose & line::kSel) {  // the winner is the highest id that is still on the bus
    winner_id_ = -1;
    for (int id = 0; id < 16; ++id) {
      const bool present = (db_of(lines_) & (1U << id)) != 0;
      if (present && (winner_id_ < 0 || priority_of(id) > priority_of(winner_id_))) winner_id_ = id;
    }
  }
  if (!(rose & line::kBsy) || !(lines_ & before & line::kSel) || winner_id_ < 0) return;
  const unsigned others = db_of(lines_) & ~(1U << winner_id_);
  if (others == 0) return;
  const auto selected = static_cast<unsigned>(__builtin_ctz(others));
  const bool reselection = tracker_.phase() == Phase::kReselection;
  for (BusObserver* observer : observers_) {
    observer->selected(at, static_cast<unsigned>(winner_id_), selected, reselection);
  }
}

void ScsiBus::report(Rule rule) {
  const Violation violation{now_ps(), rule, lines_};
  ++violation_count_;
  if (violations_.size() < kKeptViolations) violations_.push_back(violation);
  for (BusObserver* observer : observers_) observer->violated(violation);
}

void ScsiBus::add_observer(BusObserver& observer) { observers_.push_back(&observer); }

void ScsiBus::remove_observer(BusObserver& observer) {
  observers_.erase(std::remove(observers_.begin(), observers_.end(), &observer), observers_.end());
}

}  // namespace headstack::bus
