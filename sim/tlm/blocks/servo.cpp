// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/blocks/servo.hpp"

#include <algorithm>
#include <utility>

#include "sim/description/words.hpp"

namespace headstack::tlm {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
constexpr Picoseconds kClock = kClockPeriodPs;
constexpr std::int64_t kLevelDelayClocks = 3;  // servo.sv, LevelDelayCycles
/// Delay of the alarm for an event of the world. At an edge, such an event is sampled with the next
/// edge, and its alarm must run after register reads at that edge.
constexpr Picoseconds kBehind = 1;

using Intr = servo_regs::IntrState;
using mechanics::Spindle;

/// The first cycle, `earliest` or later, that samples a level which is high from `from` on. `from`
/// is not before the end of the cycle ahead of `earliest`. kNever: no cycle does.
Picoseconds seen_from(Picoseconds from, Picoseconds earliest) {
  if (from == mechanics::kNever) return TrackPort::kNever;
  return from < earliest ? earliest : edge_after(from);
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
      lost_(agenda, [this] { raise(Intr::kSpeedLostMask); }),
      motor_(agenda, [this] { motor_changes(); }),
      wander_(agenda, [this] { wander(); }),
      index_(agenda, [this] { pass_index(); }) {
  // The levels are valid from time 0 on: the first edge after that samples them.
  const bool at_speed = disk.starts_at_speed();
  (at_speed ? at_speed_ : at_rest_).from = kClock;
  const bool may_write = disk.heads().write_ready(0);
  if (at_speed) on_track_from_ = kClock;
  if (at_speed && may_write) write_ready_from_ = kClock;
  told_.at_speed = told_.read_ready = at_speed;
  told_.write_ready = at_speed && may_write;
  told_.at_rest = !at_speed;
  (at_speed ? speed_ : rest_).set(2 * kClock);
  plan_motor();
}

// -------------------------------------------------------------------------------------- registers

void Servo::on_write_command(servo_regs::Command value) {
  const Picoseconds cycle = now() + kClock;
  op_ = value.op();
  commanded_ = cycle;
  if (op_ == servo_regs::Op::kNone) return;
  // A seek is taken at once unless an event falls between access and cycle, or may be overtaken.
  // The other commands, which are rare, are taken in their cycle.
  const bool soon = (arrive_.is_set() && arrive_.due() <= cycle) ||
                    (settle_.is_set() && settle_.due() <= cycle) || command_.is_set() ||
                    (motor_.is_set() && motor_.due() <= cycle);
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
    case servo_regs::Op::kRecalibrate: recalibrate(now()); return;
    case servo_regs::Op::kNone: return;
  }
}

servo_regs::Status Servo::on_read_status() const {
  const Picoseconds cycle = now();
  servo_regs::Status status;
  status.set_on_track(on_track_from_ <= cycle);
  status.set_write_ready(write_ready_from_ <= cycle);
  status.set_seeking(seeking_ || (command_.is_set() && op_ == servo_regs::Op::kSeek));
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

/// Whether a seek is under way that does not arrive before this cycle.
bool Servo::is_seeking(Picoseconds cycle) const {
  return seeking_ && !(arrive_.is_set() && arrive_.due() <= cycle);
}

void Servo::seek(Picoseconds cycle) {
  if (!takes_seek(cycle)) refuse_.set(cycle + kClock);
}

bool Servo::follow() {
  const Picoseconds cycle = now();
  const bool takes = commanded_ != cycle && takes_seek(cycle);
  if (!takes) refuse_.set(cycle + kClock);
  return takes;
}

bool Servo::takes_seek(Picoseconds cycle) {
  if (is_seeking(cycle) || !at_speed_.in(cycle)) return false;
  goal_ = target();
  // Heads that a lost seek left in motion do not accept another.
  const bool listens = cycle >= disk_.heads().read_ready_at();
  const auto parts =
      listens ? disk_.seek(cycle, goal_.cylinder(), goal_.head(), goal_.for_write()) : std::nullopt;
  begin_movement(cycle);
  if (parts) tell_movement(cycle, *parts, goal_.cylinder());
  return true;
}

void Servo::recalibrate(Picoseconds cycle) {
  if (!at_speed_.in(cycle)) {
    refuse_.set(cycle + kClock);
    return;
  }
  goal_ = servo_regs::Target{};
  const mechanics::Positioning parts = disk_.recalibrate(cycle);
  begin_movement(cycle);
  tell_movement(cycle, parts, 0);
}

/// Begins a movement of heads that have left, or are at their target already.
void Servo::begin_movement(Picoseconds cycle) {
  if (settle_.is_set()) settle_.cancel();
  lose_track(cycle, cycle);
  seeking_ = true;
  seek_lost_ = false;
  blank_until_ = cycle + clocks(1 + kLevelDelayClocks);
  plan_arrival(blank_until_);
  wander_.cancel();
  const mechanics::HeadStack& heads = disk_.heads();
  const Picoseconds next =
      heads.leaves_at() > agenda_.now() ? heads.leaves_at() : heads.returns_at();
  if (next != mechanics::kNever && next > agenda_.now()) wander_.set(next + kBehind);
}

/// Plans when StSettle samples that the heads are there, in cycle `earliest` or later.
void Servo::plan_arrival(Picoseconds earliest) {
  const Picoseconds arrival = seen_from(disk_.heads().read_ready_from(earliest - 1), earliest);
  arrive_.cancel();
  on_track_from_ = write_ready_from_ = kNever;
  if (arrival == kNever) return;
  on_track_from_ = arrival + kClock;
  write_ready_from_ = seen_from(disk_.heads().write_ready_from(on_track_from_ - 1), on_track_from_);
  arrive_.set(on_track_from_);
}

void Servo::arrive() {
  seeking_ = false;
  if (seek_lost_) {
    position_known_ = false;
    if (listener_ != nullptr) listener_->seek_ended(false);
    raise(Intr::kSeekErrorMask);
    return;
  }
  position_ = goal_;
  position_known_ = true;
  const mechanics::HeadStack& heads = disk_.heads();
  if (heads.write_ready_at() < heads.read_ready_at()) tell_levels(heads.write_ready_at());
  tell_levels(heads.read_ready_at());
  // The track is not searched if the spindle leaves its speed at this time.
  if (on_track_from_ != kNever) find_track(now());
  plan_settling();
  if (listener_ != nullptr) listener_->seek_ended(on_track_from_ <= now() && !departs());
  raise(Intr::kOnTrackMask);
}

/// Whether this is the next command's cycle, and it moves the heads.
bool Servo::departs() const {
  const bool moves = op_ == servo_regs::Op::kSeek || op_ == servo_regs::Op::kRecalibrate;
  return command_.is_set() && command_.due() <= now() && moves;
}

void Servo::plan_settling() {
  if (write_ready_from_ != kNever) settle_.set(write_ready_from_ + kClock);
}

void Servo::settle() {
  const mechanics::HeadStack& heads = disk_.heads();
  tell_levels(heads.write_ready_from(std::max(heads.read_ready_at(), heads.write_ready_at())));
  raise(Intr::kWriteReadyMask);
}

/// Handles heads that leave their track by a fault, or return.
void Servo::wander() {
  const Picoseconds at = agenda_.now() - kBehind;
  const Picoseconds cycle = edge_after(at);
  tell_levels(at);
  const Picoseconds returns = disk_.heads().returns_at();
  if (at >= returns) return;
  if (returns != mechanics::kNever) wander_.set(returns + kBehind);
  if (disk_.spindle().state(at) != Spindle::State::kAtSpeed) return;
  const bool settles = settle_.is_set() && settle_.due() > cycle;
  lose_track(cycle, at);
  if (is_seeking(cycle)) {  // the seek has not arrived yet, as far as the electronics can detect
    if (!seek_lost_) plan_arrival(std::max(cycle, blank_until_));
    return;
  }
  find_track(cycle);
  if (!settles) return;
  settle_.cancel();
  plan_settling();
}

void Servo::lose_track(Picoseconds cycle, Picoseconds leaves) {
  on_track_from_ = write_ready_from_ = kNever;
  if (listener_ != nullptr) listener_->track_lost(cycle, leaves);
}

// ---------------------------------------------------------------------------------------- spindle

void Servo::spindle_event(std::uint32_t bit) {
  tell_ramp_end(now());
  raise(bit);
}

/// Reports the level of a ramp's end, when the spindle has its speed, or rests. The registers show
/// it with an edge.
void Servo::tell_ramp_end(Picoseconds by) {
  if (ramp_ends_at_ <= by) tell_levels(std::exchange(ramp_ends_at_, kNever));
}

/// Makes a level fall with `cycle`; it was high before.
void Servo::fall(Level& level, Alarm& event, Picoseconds cycle) {
  level = level.in(cycle - kClock) ? Level{level.from, cycle} : Level{};
  if (event.is_set() && event.due() > cycle) event.cancel();
}

void Servo::spin_up(Picoseconds cycle) {
  if (at_speed_.in(cycle)) {
    speed_.set(cycle + kClock);
    return;
  }
  tell_ramp_end(cycle);
  if (disk_.spin_up(cycle)) tell_spindle(cycle, "no_start");
  follow_spindle(cycle, cycle + kClock);
}

/// Finds when the track is under the head again: when the speed is back, unless the track was lost.
void Servo::find_track(Picoseconds cycle) {
  if (!position_known_ || seeking_) return;
  const mechanics::HeadStack& heads = disk_.heads();
  on_track_from_ = write_ready_from_ = kNever;
  if (at_speed_.from == kNever || at_speed_.until != kNever) return;  // no speed will come
  const Picoseconds earliest = std::max(cycle, at_speed_.from);
  on_track_from_ = seen_from(heads.read_ready_from(earliest - 1), earliest);
  if (on_track_from_ == kNever) return;
  write_ready_from_ = seen_from(heads.write_ready_from(on_track_from_ - 1), on_track_from_);
}

void Servo::spin_down(Picoseconds cycle) {
  // The world gets the command in this cycle, and the levels fall with the next.
  lose_speed(cycle + kClock, cycle);
  tell_ramp_end(cycle);
  if (at_rest_.in(cycle)) {
    disk_.spin_down(cycle);
    rest_.set(cycle + kClock);
    return;
  }
  disk_.spin_down(cycle);
  follow_spindle(cycle, cycle + kClock);
}

/// Ends the speed from a cycle on.
void Servo::lose_speed(Picoseconds cycle, Picoseconds leaves) {
  lose_track(cycle, leaves);
  if (is_seeking(cycle) && !seek_lost_) {
    seek_lost_ = true;
    arrive_.set(std::max(cycle, blank_until_) + kClock);
  }
  if (settle_.is_set() && settle_.due() > cycle) settle_.cancel();
}

void Servo::motor_changes() {
  const Picoseconds at = agenda_.now() - kBehind;
  const Picoseconds cycle = edge_after(at);
  if (disk_.spindle().is_powered()) lose_speed(cycle, at);
  tell_ramp_end(at);
  disk_.motor_changes(at);
  tell_spindle(at, disk_.spindle().is_powered() ? "power_back" : "dropout");
  follow_spindle(at, cycle);
  plan_motor();
}

void Servo::plan_motor() {
  if (const auto at = disk_.spindle().next_change()) motor_.set(*at + kBehind);
}

/// Updates the levels after a change of the spindle's motion at `at`; `cycle` is the first to
/// sample it.
void Servo::follow_spindle(Picoseconds at, Picoseconds cycle) {
  const Spindle& spindle = disk_.spindle();
  ramp_ends_at_ = spindle.ramp_end(at).value_or(kNever);
  const Picoseconds end = edge_after(spindle.ramp_end(at).value_or(at));
  const Spindle::State destination = spindle.destination();
  tell_levels(at);
  const bool stays_at_rest = spindle.state(at) == Spindle::State::kStopped && at_rest_.in(cycle);
  if (stays_at_rest) return;
  if (at_speed_.in(cycle - kClock)) lost_.set(cycle + kClock);
  fall(at_speed_, speed_, cycle);
  fall(at_rest_, rest_, cycle);
  if (destination == Spindle::State::kAtSpeed) {
    at_speed_ = {end, kNever};
    speed_.set(end + kClock);
  } else if (destination == Spindle::State::kStopped) {
    at_rest_ = {end, kNever};
    rest_.set(end + kClock);
  }
  find_track(cycle);
  replan_index(at);
}

// ------------------------------------------------------------------------------------------ index

void Servo::on_write_index_capture(servo_regs::IndexCapture value) {
  const Picoseconds acts = now() + kClock;
  if (value.enable() && !index_.is_set()) plan_index(acts);
  // A pulse that is in the input register by that cycle is still captured.
  if (!value.enable() && index_.is_set() && index_.due() > acts) index_.cancel();
}

/// Plans the next pulse that passes at or after `from`.
void Servo::plan_index(Picoseconds from) {
  index_.cancel();
  index_is_far_ = false;
  const Spindle& spindle = disk_.spindle();
  const Spindle::State state = spindle.state(from);
  if (state == Spindle::State::kStopped) return;  // an angle is passed in motion only
  const std::uint64_t here =
      state == Spindle::State::kAtSpeed ? disk_.angle_from(from) : spindle.unwrapped(from);
  const auto turn = disk_.index().next((std::max(here, next_index_angle_) + kTurn - 1) >> 32);
  if (!turn) return;
  next_index_angle_ = *turn << 32;
  // The spindle searches eight turns ahead; a pulse may be farther away.
  constexpr std::uint64_t kFar = 4 * kTurn;
  index_is_far_ = next_index_angle_ > here + kFar;
  // There is no pulse when the spindle comes to rest before it.
  if (const auto at = spindle.when(from, std::min(next_index_angle_, here + kFar))) {
    index_.set(edge_after(*at) + kClock);
  }
}

/// Plans the next pulse after a change of motion, unless an earlier pulse is still on its way.
void Servo::replan_index(Picoseconds cycle) {
  const bool passed = index_.is_set() && !index_is_far_ && index_.due() <= edge_after(cycle);
  if (captures_index() && !passed) plan_index(cycle);
}

void Servo::pass_index() {
  if (index_is_far_) {
    if (captures_index()) plan_index(now());
    return;
  }
  index_time_ = edge_number(now()) - 1;
  ++index_count_;
  ++next_index_angle_;
  if (captures_index()) plan_index(now());
  if (listener_ != nullptr) listener_->index_captured();
  raise(Intr::kIndexMask);
}

// --------------------------------------------------------------------------------------- observer

void Servo::tell_levels(Picoseconds at) {
  // Older levels were reported: a seek to the place where the heads are changes no level.
  if (disk_.observer() == nullptr || at < told_at_) return;
  told_at_ = at;
  const Spindle::State state = disk_.spindle().state(at);
  channel::HdaLevels levels;
  levels.at_speed = state == Spindle::State::kAtSpeed;
  levels.at_rest = state == Spindle::State::kStopped;
  levels.read_ready = levels.at_speed && disk_.heads().read_ready(at);
  levels.write_ready = levels.at_speed && disk_.heads().write_ready(at);
  if (levels == told_) return;
  told_ = levels;
  disk_.observer()->levels_changed(at, levels);
}

void Servo::tell_movement(Picoseconds at, const mechanics::Positioning& parts,
                          std::uint32_t target) {
  if (disk_.observer() == nullptr) return;
  const mechanics::HeadStack& heads = disk_.heads();
  if (const auto& mishap = heads.mishap()) {
    disk_.observer()->fault_struck(at, drive::name_of(drive::kArmFaultKinds, mishap->kind), target);
  }
  disk_.observer()->seek_began(at, {heads.cylinder(), heads.head(), 0}, parts);
  tell_levels(at);
}

void Servo::tell_spindle(Picoseconds at, const char* what) {
  if (disk_.observer() == nullptr) return;
  disk_.observer()->fault_struck(at, what, disk_.spindle().unwrapped(at) >> 32);
}

}  // namespace headstack::tlm
