#include "sim/tlm/servo.hpp"

#include <algorithm>

namespace headstack::tlm {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
constexpr Picoseconds kClock = kClockPeriodPs;
constexpr std::int64_t kLevelDelayClocks = 3;  // servo.sv, LevelDelayCycles

using Intr = servo_regs::IntrState;
using mechanics::Spindle;

/// The first cycle that sees a level of the head stack, for a command in `cycle`; the level it had
/// by then it keeps.
Picoseconds seen_from(Picoseconds ready_at, Picoseconds cycle) {
  return ready_at > cycle ? edge_after(ready_at) : cycle;
}

}  // namespace

Servo::Servo(Agenda& agenda, InterruptSink& interrupts, Disk& disk)
    : agenda_(agenda),
      interrupts_(interrupts),
      disk_(disk),
      command_(agenda, [this] { command(); }),
      arrive_(agenda, [this] { arrive(); }),
      settle_(agenda, [this] { settle(); }),
      refuse_(agenda, [this] { raise(Intr::kSeekErrorMask); }),
      speed_(agenda, [this] { spindle_event(Intr::kAtSpeedMask); }),
      rest_(agenda, [this] { spindle_event(Intr::kAtRestMask); }),
      index_(agenda, [this] { pass_index(); }) {
  // The levels are there from time 0 on: the first edge behind it takes them in.
  const bool at_speed = disk.starts_at_speed();
  (at_speed ? at_speed_ : at_rest_).from = kClock;
  if (at_speed) on_track_from_ = write_ready_from_ = kClock;
  told_.at_speed = told_.read_ready = told_.write_ready = at_speed;
  told_.at_rest = !at_speed;
  (at_speed ? speed_ : rest_).set(2 * kClock);
}

// -------------------------------------------------------------------------------------- registers

void Servo::on_write_command(servo_regs::Command value) {
  const Picoseconds cycle = now() + kClock;
  op_ = value.op();
  if (op_ == servo_regs::Op::kNone) return;
  // A seek is taken at once unless an event falls between access and cycle, or may be overtaken;
  // the spindle, seldom asked, in its cycle.
  const bool soon = (arrive_.is_set() && arrive_.due() <= cycle) ||
                    (settle_.is_set() && settle_.due() <= cycle) || command_.is_set();
  if (op_ == servo_regs::Op::kSeek && !soon) {
    seek(cycle);
  } else {
    command_.set(cycle);
  }
}

void Servo::command() {
  switch (op_) {
    case servo_regs::Op::kSeek: seek(now()); return;
    case servo_regs::Op::kSpinUp: spin_up(now()); return;
    case servo_regs::Op::kSpinDown: spin_down(now()); return;
    case servo_regs::Op::kNone: return;
  }
}

servo_regs::Status Servo::on_read_status() const {
  const Picoseconds cycle = now();
  servo_regs::Status status;
  status.set_on_track(on_track_from_ <= cycle);
  status.set_write_ready(write_ready_from_ <= cycle);
  status.set_seeking(arrive_.is_set() || (command_.is_set() && op_ == servo_regs::Op::kSeek));
  status.set_at_speed(at_speed_.in(cycle));
  return status;
}

servo_regs::IndexTimeLo Servo::on_read_index_time_lo() const {
  return {static_cast<std::uint32_t>(index_time_)};
}

servo_regs::IndexTimeHi Servo::on_read_index_time_hi() const {
  return {static_cast<std::uint32_t>(index_time_ >> 32)};
}

// ------------------------------------------------------------------------------------------ seeks

void Servo::seek(Picoseconds cycle) {
  const bool busy = arrive_.is_set() && arrive_.due() > cycle;
  if (busy || !at_speed_.in(cycle)) {
    refuse_.set(cycle + kClock);
    return;
  }
  goal_ = target();
  if (settle_.is_set()) settle_.cancel();
  lose_track(cycle, cycle);

  const mechanics::HeadStack& heads = disk_.heads();
  const std::uint32_t from = heads.cylinder();
  const std::uint32_t from_head = heads.head();
  // Heads that a lost seek left in motion do not listen.
  const bool moves =
      cycle >= heads.read_ready_at() && disk_.seek(cycle, goal_.cylinder(), goal_.head());
  if (moves && disk_.observer() != nullptr) {
    const std::uint32_t to = heads.cylinder();
    disk_.observer()->seek_began(cycle, {to, heads.head(), 0},
                                 disk_.positioning().parts(to > from ? to - from : from - to,
                                                           heads.head() != from_head, true));
    tell_levels(cycle);
  }
  blank_until_ = cycle + clocks(1 + kLevelDelayClocks);
  seek_lost_ = false;
  const Picoseconds arrival = std::max(blank_until_, seen_from(heads.read_ready_at(), cycle));
  on_track_from_ = arrival + kClock;
  write_ready_from_ = std::max(on_track_from_, seen_from(heads.write_ready_at(), cycle));
  arrive_.set(on_track_from_);
}

void Servo::arrive() {
  if (seek_lost_) {
    position_known_ = false;
    raise(Intr::kSeekErrorMask);
    return;
  }
  position_ = goal_;
  position_known_ = true;
  const mechanics::HeadStack& heads = disk_.heads();
  if (heads.write_ready_at() < heads.read_ready_at()) tell_levels(heads.write_ready_at());
  tell_levels(heads.read_ready_at());
  // Not where the spindle leaves its speed just now.
  if (write_ready_from_ != kNever) settle_.set(write_ready_from_ + kClock);
  raise(Intr::kOnTrackMask);
}

void Servo::settle() {
  tell_levels(std::max(disk_.heads().read_ready_at(), disk_.heads().write_ready_at()));
  raise(Intr::kWriteReadyMask);
}

void Servo::lose_track(Picoseconds cycle, Picoseconds leaves) {
  on_track_from_ = write_ready_from_ = kNever;
  if (listener_ != nullptr) listener_->track_lost(cycle, leaves);
}

// ---------------------------------------------------------------------------------------- spindle

void Servo::spindle_event(std::uint32_t bit) {
  tell_levels(now() - kClock);
  raise(bit);
}

/// A level that falls with the next cycle was there in this one.
void Servo::fall(Level& level, Alarm& event, Picoseconds cycle) {
  level = level.in(cycle) ? Level{level.from, cycle + kClock} : Level{};
  if (event.is_set() && event.due() > cycle + kClock) event.cancel();
}

void Servo::spin_up(Picoseconds cycle) {
  if (at_speed_.in(cycle)) {
    speed_.set(cycle + kClock);
    return;
  }
  disk_.spin_up(cycle);
  tell_levels(cycle);
  fall(at_rest_, rest_, cycle);
  at_speed_ = {edge_after(disk_.spindle().ramp_end(cycle).value_or(cycle)), kNever};
  speed_.set(at_speed_.from + kClock);
  find_track(cycle);
  replan_index(cycle);
}

/// The track is under the head again when the speed is there, if it was not lost on the way.
void Servo::find_track(Picoseconds cycle) {
  if (!position_known_ || arrive_.is_set()) return;
  const mechanics::HeadStack& heads = disk_.heads();
  on_track_from_ = std::max(at_speed_.from, seen_from(heads.read_ready_at(), cycle));
  write_ready_from_ = std::max(on_track_from_, seen_from(heads.write_ready_at(), cycle));
}

void Servo::spin_down(Picoseconds cycle) {
  // The world hears of it in this cycle, the levels fall with the next.
  lose_track(cycle + kClock, cycle);
  if (arrive_.is_set() && arrive_.due() > cycle + kClock && !seek_lost_) {
    seek_lost_ = true;
    arrive_.set(std::max(cycle + kClock, blank_until_) + kClock);
  }
  if (settle_.is_set() && settle_.due() > cycle + kClock) settle_.cancel();
  fall(at_speed_, speed_, cycle);
  if (at_rest_.in(cycle)) {
    rest_.set(cycle + kClock);
    return;
  }
  disk_.spin_down(cycle);
  tell_levels(cycle);
  at_rest_ = {edge_after(disk_.spindle().ramp_end(cycle).value_or(cycle)), kNever};
  rest_.set(at_rest_.from + kClock);
  replan_index(cycle);
}

// ------------------------------------------------------------------------------------------ index

void Servo::on_write_index_capture(servo_regs::IndexCapture value) {
  const Picoseconds acts = now() + kClock;
  if (value.enable() && !index_.is_set()) plan_index(acts);
  // A pulse that is in the input register by then is still captured.
  if (!value.enable() && index_.is_set() && index_.due() > acts) index_.cancel();
}

/// The next pulse that passes at or after `from`.
void Servo::plan_index(Picoseconds from) {
  index_.cancel();
  const Spindle& spindle = disk_.spindle();
  const Spindle::State state = spindle.state(from);
  if (state == Spindle::State::kStopped) return;  // an angle is passed in motion only
  const std::uint64_t here =
      state == Spindle::State::kAtSpeed ? disk_.angle_from(from) : spindle.unwrapped(from);
  next_index_angle_ = (std::max(here, next_index_angle_) + kTurn - 1) & ~(kTurn - 1);
  // None when the spindle comes to rest before.
  if (const auto at = spindle.when(from, next_index_angle_)) {
    index_.set(edge_after(*at) + kClock);
  }
}

/// The spindle changed its motion; a pulse from before is still on its way.
void Servo::replan_index(Picoseconds cycle) {
  const bool passed = index_.is_set() && index_.due() <= cycle + kClock;
  if (captures_index() && !passed) plan_index(cycle);
}

void Servo::pass_index() {
  index_time_ = edge_number(now()) - 1;
  ++index_count_;
  ++next_index_angle_;
  if (captures_index()) plan_index(now());
  if (listener_ != nullptr) listener_->index_captured();
  raise(Intr::kIndexMask);
}

// --------------------------------------------------------------------------------------- observer

void Servo::tell_levels(Picoseconds at) {
  if (disk_.observer() == nullptr) return;
  const Spindle::State state = disk_.spindle().state(at);
  channel::HdaLevels levels;
  levels.at_speed = state == Spindle::State::kAtSpeed;
  levels.at_rest = state == Spindle::State::kStopped;
  levels.read_ready = levels.at_speed && at >= disk_.heads().read_ready_at();
  levels.write_ready = levels.at_speed && at >= disk_.heads().write_ready_at();
  if (levels == told_) return;
  told_ = levels;
  disk_.observer()->levels_changed(at, levels);
}

}  // namespace headstack::tlm
