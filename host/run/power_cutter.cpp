// SPDX-License-Identifier: Apache-2.0
#include "host/run/power_cutter.hpp"

#include <algorithm>

namespace headstack::run {

using Kind = options::PowerCut::Kind;

PowerCutter::PowerCutter(const std::string& word) {
  if (!word.empty()) cut_ = options::parse_power_cut(word);
}

void PowerCutter::arm(session::Session& session) {
  session_ = &session;
  if (cut_ && cut_->kind == Kind::kByte) session.lose_power_at_byte(cut_->count);
}

void PowerCutter::run_until(Picoseconds time) {
  const bool is_due = cut_ && cut_->kind == Kind::kTime && cut_->time <= time;
  session_->run_until(is_due ? cut_->time : time);
  if (is_due) session_->lose_power();
}

void PowerCutter::count(Kind kind) {
  if (!cut_ || cut_->kind != kind || ++counted_ != cut_->count) return;
  session_->lose_power();
}

void PowerCutter::firmware_event(std::uint64_t /*edge*/, unsigned number,
                                 std::uint32_t /*argument*/) {
  if (cut_ && number == cut_->event) count(Kind::kEvent);
}

void PowerCutter::command_completed(Picoseconds /*at*/, std::uint16_t /*tag*/,
                                    const report::CommandRecord& /*record*/) {
  count(Kind::kCommands);
}

}  // namespace headstack::run
