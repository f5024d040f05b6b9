// SPDX-License-Identifier: Apache-2.0
#include "host/wave/wave_windows.hpp"

#include <algorithm>

#include "firmware/events.h"

namespace headstack::wave {
namespace {

using Kind = options::WaveWindow::Kind;

bool has_command(const options::WaveWindow& window, std::uint64_t number) {
  return window.kind == Kind::kCommands && window.first <= number && number <= window.last;
}

}  // namespace

WaveWindows::WaveWindows(const std::vector<options::WaveWindow>& windows, Picoseconds after)
    : after_(after) {
  for (const options::WaveWindow& window : windows) states_.push_back({window});
  if (windows.empty()) states_.push_back({});  // one window for the whole run
}

Picoseconds WaveWindows::next_change() const {
  Picoseconds next = options::kNever;
  for (const State& state : states_) {
    if (state.open) next = std::min(next, state.ends_at);
    if (state.window.kind == Kind::kTime && !state.come) next = std::min(next, state.window.begin);
  }
  return next;
}

void WaveWindows::time_is(Picoseconds at) {
  for (State& state : states_) {
    if (state.window.kind == Kind::kTime && !state.come && state.window.begin <= at) {
      open(state, state.window.end);
    }
    if (state.open && state.ends_at <= at) close(state);
  }
}

void WaveWindows::event(Picoseconds at, unsigned number) {
  for (State& state : states_) {
    if (state.window.kind == Kind::kEvent && state.window.event == number) occurred(state, at);
    if (state.window.kind != Kind::kFirmware) continue;
    if (number == TRACE_WAVE_ON) open(state, options::kNever);
    if (number == TRACE_WAVE_OFF) close(state);
  }
}

void WaveWindows::occurred(State& state, Picoseconds at) {
  ++state.count;
  if (state.window.count == 0 || state.window.count == state.count) open(state, at + after_);
}

void WaveWindows::command_issued(std::uint64_t number) {
  for (State& state : states_) {
    // A command that is issued again, because the drive had no room for it, does not reopen its
    // window.
    if (has_command(state.window, number) && !state.come) open(state, options::kNever);
  }
}

void WaveWindows::command_completed(std::uint64_t number) {
  for (State& state : states_) {
    if (!has_command(state.window, number)) continue;
    if (++state.count > state.window.last - state.window.first) close(state);
  }
}

std::vector<std::string> WaveWindows::not_come() const {
  std::vector<std::string> texts;
  for (const State& state : states_) {
    if (!state.come) texts.push_back(state.window.text);
  }
  return texts;
}

void WaveWindows::open(State& state, Picoseconds ends_at) {
  if (!state.open) ++open_;
  state.open = true;
  state.come = true;
  state.ends_at = ends_at;
}

void WaveWindows::close(State& state) {
  if (state.open) --open_;
  state.open = false;
}

}  // namespace headstack::wave
