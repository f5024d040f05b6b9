// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/kernel/agenda.hpp"

namespace headstack::tlm {

void Agenda::run_through(Picoseconds time) {
  if (now_ < time) run_to(time);
}

void Agenda::put(Alarm& alarm, Picoseconds time) {
  HEADSTACK_ASSERT(time >= now_, "nothing is due in the past");
  if (alarm.is_set_) remove(alarm);
  Alarm* before = nullptr;
  Alarm* behind = first_;
  while (behind != nullptr && behind->due_ <= time) {
    before = behind;
    behind = behind->behind_;
  }
  alarm.due_ = time;
  alarm.is_set_ = true;
  join(before, &alarm);
  join(&alarm, behind);
}

}  // namespace headstack::tlm
