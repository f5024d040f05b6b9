// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/bus/transaction_bus.hpp"

#include <algorithm>
#include <utility>

#include "sim/tlm/bus/transaction_link.hpp"

namespace headstack::tlm {

bus::Phase TransactionBus::phase() const { return now() >= next_phase_at_ ? next_phase_ : phase_; }

void TransactionBus::show(bus::Phase phase, Picoseconds at) {
  ++phase_count_;
  if (phase_begins_.is_set() && next_phase_at_ <= now()) tell_phase();
  phase_ = this->phase();
  next_phase_ = phase;
  next_phase_at_ = at;
  if (!observers_.empty()) phase_begins_.set(std::max(at, now()));
}

void TransactionBus::remove_observer(bus::BusObserver& observer) {
  observers_.erase(std::remove(observers_.begin(), observers_.end(), &observer), observers_.end());
}

void TransactionBus::tell_phase() {
  phase_begins_.cancel();
  const bus::Phase from = std::exchange(told_phase_, next_phase_);
  if (from == told_phase_) return;
  for (bus::BusObserver* observer : observers_) {
    observer->phase_changed(next_phase_at_, from, told_phase_);
  }
}

void TransactionBus::control_byte(Picoseconds at, bus::Phase phase, std::uint16_t data) {
  ++control_byte_count_;
  if (observers_.empty()) return;
  // The byte's phase may be ahead of its time, too.
  if (phase != told_phase_) tell_phase();
  const bus::LineSet lines = static_cast<bus::LineSet>(data) << bus::line::kDbShift;
  for (bus::BusObserver* observer : observers_) observer->byte_moved(at, phase, lines);
}

void TransactionBus::report(bus::Rule rule) {
  ++violation_count_;
  if (violations_.size() < kKeptViolations) violations_.push_back({now(), rule, 0});
}

TransactionLink* TransactionBus::link_at(unsigned id) const {
  const auto found = std::find_if(links_.begin(), links_.end(),
                                  [id](const TransactionLink* link) { return link->id() == id; });
  return found == links_.end() ? nullptr : *found;
}

TransactionTarget* TransactionBus::target_at(unsigned id) const {
  const auto found =
      std::find_if(targets_.begin(), targets_.end(),
                   [id](const TransactionTarget* target) { return target->id() == id; });
  return found == targets_.end() ? nullptr : *found;
}

void TransactionBus::wishes_changed() {
  if (state_ == State::kFree) plan();
}

void TransactionBus::plan() {
  Picoseconds first = Agenda::kNever;
  for (const TransactionLink* link : links_) {
    if (link->wants()) first = std::min(first, link->arbitration_at(free_since_));
  }
  for (const TransactionTarget* target : targets_) {
    if (target->wants()) first = std::min(first, target->arbitration_at(free_since_));
  }
  if (first == Agenda::kNever) return arbitrate_.cancel();
  arbitrate_.set(std::max(first, now()));
}

TransactionBus::Contender TransactionBus::contender(TransactionLink& link, Picoseconds busy) const {
  Contender contender;
  const Picoseconds at = link.arbitration_at(free_since_);
  // 6.1.2 c: a device joins within a bus set delay of bus free.
  if (!link.wants() || at > busy + bus::timing::kBusSetDelay) return contender;
  contender.link = &link;
  contender.id = link.id();
  contender.judgement = std::max(at, busy) + link.times().busy_to_judgement_ps;
  return contender;
}

TransactionBus::Contender TransactionBus::contender(TransactionTarget& target,
                                                    Picoseconds busy) const {
  Contender contender;
  if (!target.wants()) return contender;
  const Picoseconds at = target.arbitration_at(free_since_);
  if (at > busy && !target.joins(busy)) return contender;
  contender.target = &target;
  contender.id = target.id();
  // scsi_connect.sv, StArbitrate: the answer of the DATA BUS comes through the synchronizer.
  contender.judgement =
      std::max(at, busy) + timing_.clocks(target_clocks::kArbitration + target_clocks::kSync);
  return contender;
}

void TransactionBus::arbitrate() {
  busy_at_ = now();
  contenders_.clear();
  for (TransactionLink* link : links_) {
    const Contender one = contender(*link, busy_at_);
    if (one.link != nullptr) contenders_.push_back(one);
  }
  for (TransactionTarget* target : targets_) {
    const Contender one = contender(*target, busy_at_);
    if (one.target != nullptr) contenders_.push_back(one);
  }
  HEADSTACK_ASSERT(!contenders_.empty(), "who planned to arbitrate still wants to");
  state_ = State::kTaken;
  show(bus::Phase::kArbitration, busy_at_);
  settle();
}

void TransactionBus::wishes_too(TransactionTarget& target) {
  if (state_ == State::kFree) return plan();
  if (state_ != State::kTaken || !target.joins(busy_at_)) return;
  contenders_.push_back(contender(target, busy_at_));
  settle();
}

/// Determines which contender wins.
void TransactionBus::settle() {
  const auto winner = std::max_element(contenders_.begin(), contenders_.end(),
                                       [](const Contender& a, const Contender& b) {
                                         return bus::priority_of(a.id) < bus::priority_of(b.id);
                                       });
  const Picoseconds select = winner->judgement;
  for (const Contender& one : contenders_) {
    if (&one == &*winner) continue;
    // A target loses by its own judgement, or the winner's SEL. A host adapter goes on requesting.
    if (one.link != nullptr) one.link->lose();
    if (one.target != nullptr) one.target->lose(std::min(one.judgement, timing_.seen(select)));
  }
  winner->link != nullptr ? winner->link->win(select) : winner->target->win(select);
}

void TransactionBus::freed() {
  state_ = State::kFree;
  free_since_ = now();
  show(bus::Phase::kBusFree, now());
  plan();
}

void TransactionBus::reset(TransactionLink& by) {
  state_ = State::kReset;
  arbitrate_.cancel();
  show(bus::Phase::kReset, now());
  for (TransactionTarget* target : targets_) target->reset_seen();
  by.reset_seen();
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    if (*link != &by) (*link)->reset_seen();
  }
}

void TransactionBus::reset_over() {
  for (TransactionLink* link : links_) link->reset_over();
  freed();
}

}  // namespace headstack::tlm
