// SPDX-License-Identifier: Apache-2.0
#include "host/run/power_cutter.hpp"

namespace headstack::run {

using Kind = options::PowerCut::Kind;

PowerCutter::PowerCutter(const std::string& word) {
  if (!word.empty()) cut_ = options::parse_power_cut(word);
}

void PowerCutter::arm(session::Session& session) {
  session_ = &session;
  if (!cut_) return;
  if (cut_->kind == Kind::kTime) session.lose_power_at(cut_->time);
  if (cut_->kind == Kind::kByte) session.lose_power_at_byte(cut_->count);
}

void PowerCutter::run_until(Picoseconds time) {
  session_->run_until(time);
  const std::optional<Picoseconds> at = session_->power_goes_at();
  if (at && *at <= time + session::Session::kPowerLag) session_->run_until(*at + 1);
}

bool PowerCutter::is_due(Kind kind) {
  return cut_ && cut_->kind == kind && ++counted_ == cut_->count;
}

void PowerCutter::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t /*argument*/) {
  if (!cut_ || number != cut_->event || !is_due(Kind::kEvent)) return;
  session_->lose_power_at(soc::time_of_edge(edge));
}

void PowerCutter::command_completed(Picoseconds at, std::uint16_t /*tag*/,
                                    const report::CommandRecord& /*record*/) {
  if (is_due(Kind::kCommands)) session_->lose_power_soon(at);
}

}  // namespace headstack::run
