#include "sim/tlm/agenda.hpp"

namespace headstack::tlm {

void Alarm::set(Picoseconds time) { agenda_.put(*this, time); }

void Alarm::cancel() {
  if (slot_ != kNone) agenda_.remove(*this);
}

Picoseconds Alarm::due() const {
  HEADSTACK_ASSERT(slot_ != kNone, "only an alarm that is set is due");
  return agenda_.heap_[slot_].time;
}

void Agenda::put(Alarm& alarm, Picoseconds time) {
  HEADSTACK_ASSERT(time >= now_, "nothing is due in the past");
  const Entry entry{time, sequence_++, &alarm};
  if (alarm.slot_ == Alarm::kNone) {
    heap_.push_back(entry);
    rise(static_cast<std::uint32_t>(heap_.size() - 1), entry);
  } else {
    const bool earlier = entry.before(heap_[alarm.slot_]);
    earlier ? rise(alarm.slot_, entry) : sink(alarm.slot_, entry);
  }
}

void Agenda::remove(Alarm& alarm) {
  const std::uint32_t slot = alarm.slot_;
  alarm.slot_ = Alarm::kNone;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (slot == heap_.size()) return;
  const bool up = slot > 0 && last.before(heap_[(slot - 1) / 2]);
  up ? rise(slot, last) : sink(slot, last);
}

void Agenda::place(std::uint32_t slot, const Entry& entry) {
  heap_[slot] = entry;
  entry.alarm->slot_ = slot;
}

void Agenda::rise(std::uint32_t slot, const Entry& entry) {
  while (slot > 0) {
    const std::uint32_t parent = (slot - 1) / 2;
    if (!entry.before(heap_[parent])) break;
    place(slot, heap_[parent]);
    slot = parent;
  }
  place(slot, entry);
}

void Agenda::sink(std::uint32_t slot, const Entry& entry) {
  const auto size = static_cast<std::uint32_t>(heap_.size());
  for (std::uint32_t child = 2 * slot + 1; child < size; child = 2 * slot + 1) {
    if (child + 1 < size && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(entry)) break;
    place(slot, heap_[child]);
    slot = child;
  }
  place(slot, entry);
}

void Agenda::step() {
  HEADSTACK_ASSERT(!heap_.empty(), "there is no next alarm");
  Alarm& alarm = *heap_.front().alarm;
  now_ = heap_.front().time;
  remove(alarm);
  alarm.action_();
}

}  // namespace headstack::tlm
