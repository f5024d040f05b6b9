// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/spindle.hpp"

#include <algorithm>
#include <cmath>

#include "sim/assert.hpp"

namespace headstack::mechanics {
namespace {

/// The rate for a speed. rpm and ppm count to six and three decimals, more than data sheets have.
std::uint64_t rate_of(double rpm, double speed_error_ppm) {
  const auto micro_rpm = static_cast<std::uint64_t>(std::llround(rpm * 1e6));
  const std::int64_t error_ppb = std::llround(speed_error_ppm * 1e3);
  // micro_rpm < 2^36 (60,000 rpm): the shift fits in 128 bits.
  const Uint128 exact = (static_cast<Uint128>(micro_rpm) << 92) / 60'000'000'000'000 / 1'000'000;
  const auto rate = static_cast<Int128>(exact);
  return static_cast<std::uint64_t>(rate + rate * error_ppb / 1'000'000'000);
}

}  // namespace

Rotation::Rotation(double rpm, double speed_error_ppm) : rate_(rate_of(rpm, speed_error_ppm)) {
  reciprocal_ = static_cast<std::uint64_t>((static_cast<Uint128>(1) << 116) / rate_);
  slack_ = static_cast<Turn32>((rate_ - 1) >> kFraction);
}

Picoseconds Rotation::time_for(Uint128 fine) const {
  HEADSTACK_ASSERT(fine >> 95 == 0, "a wait of less than eight turns");
  // The estimate drops bits below 2^-28 turn32: it is the result or one less, never more.
  const auto coarse = static_cast<std::uint64_t>(fine >> 32);
  const Uint128 scaled = static_cast<Uint128>(coarse) * reciprocal_;
  auto wait = static_cast<std::uint64_t>(scaled >> (116 - kFraction + 28));
  while (static_cast<Uint128>(wait) * rate_ < fine) ++wait;
  return static_cast<Picoseconds>(wait);
}

Picoseconds Rotation::time_to_turn(Picoseconds time, std::uint64_t turn32) const {
  if (turn32 == 0) return 0;
  // The remaining angle counts from the fraction of a turn32 that has passed at `time`.
  const auto into =
      static_cast<std::uint64_t>(product(time)) & ((std::uint64_t{1} << kFraction) - 1);
  return time_for((static_cast<Uint128>(turn32) << kFraction) - into);
}

double Rotation::period_ms() const {
  return std::ldexp(1.0, 32 + static_cast<int>(kFraction)) / static_cast<double>(rate_) /
         static_cast<double>(kPicosecondsPerMillisecond);
}

Spindle::Spindle(const drive::Design& design, const drive::Specimen& specimen)
    : rotation_(design.rpm, specimen.speed_error_ppm),
      spin_up_time_(from_ms(design.spin_up_ms)),
      spin_down_time_(from_ms(design.spin_down_ms)),
      faults_(specimen) {}

Spindle Spindle::at_speed(const drive::Design& design, const drive::Specimen& specimen) {
  Spindle spindle(design, specimen);
  spindle.rate_from_ = spindle.rate_to_ = spindle.goal_rate_ = spindle.rotation_.rate();
  spindle.is_to_turn_ = true;
  return spindle;
}

/// The angle that a ramp turns in its first `into`.
Uint128 Spindle::ramp_angle(Picoseconds into) const {
  Uint128 angle = static_cast<Uint128>(rate_from_) * static_cast<std::uint64_t>(into);
  if (ramp_length_ > 0) {
    const auto change = static_cast<Int128>(rate_to_) - static_cast<Int128>(rate_from_);
    // The term is change * into^2 / (2 length), in two steps that fit and lose less than 2^-60
    // turn32.
    const Int128 gain = change * static_cast<Int128>(into);
    const Int128 twice = 2 * Int128{ramp_length_};
    const Int128 whole = gain / twice * static_cast<Int128>(into);
    const Int128 rest = gain % twice * static_cast<Int128>(into) / twice;
    angle += static_cast<Uint128>(whole + rest);
  }
  return angle;
}

Uint128 Spindle::fine_angle(Picoseconds now) const {
  HEADSTACK_ASSERT(now >= ramp_start_, "the spindle is asked about its past");
  const Picoseconds steady = now - ramp_start_ - ramp_length_;
  if (steady < 0) return angle_at_start_ + ramp_angle(now - ramp_start_);
  return angle_at_end_ + static_cast<Uint128>(rate_to_) * static_cast<std::uint64_t>(steady);
}

std::uint64_t Spindle::unwrapped(Picoseconds now) const {
  return static_cast<std::uint64_t>(fine_angle(now) >> Rotation::kFraction);
}

std::uint64_t Spindle::rate_at(Picoseconds now) const {
  const Picoseconds into = now - ramp_start_;
  if (into >= ramp_length_) return rate_to_;
  const auto change = static_cast<Int128>(rate_to_) - static_cast<Int128>(rate_from_);
  return static_cast<std::uint64_t>(static_cast<Int128>(rate_from_) + change * into / ramp_length_);
}

void Spindle::begin_ramp(Picoseconds now, std::uint64_t to_rate, Picoseconds full_time) {
  const std::uint64_t from_rate = rate_at(now);
  const std::uint64_t change = from_rate < to_rate ? to_rate - from_rate : from_rate - to_rate;
  const Uint128 angle = fine_angle(now);
  // Constant torque: part of the speed takes the same part of the time.
  const Uint128 scaled = static_cast<Uint128>(full_time) * change + rotation_.rate() / 2;
  ramp_length_ = static_cast<Picoseconds>(scaled / rotation_.rate());
  ramp_start_ = now;
  rate_from_ = from_rate;
  rate_to_ = to_rate;
  angle_at_start_ = angle;
  angle_at_end_ = angle + ramp_angle(ramp_length_);
}

bool Spindle::start(Picoseconds now) {
  if (is_to_turn_ && goal_rate_ == rotation_.rate()) return false;
  const double share = faults_.speed_share(++start_count_);
  goal_rate_ = rotation_.rate();
  if (share < 1) goal_rate_ = static_cast<std::uint64_t>(static_cast<double>(goal_rate_) * share);
  is_to_turn_ = true;
  has_latched_ = false;
  if (powered_) begin_ramp(now, goal_rate_, spin_up_time_);
  return share < 1;
}

void Spindle::stop(Picoseconds now) {
  is_to_turn_ = false;
  if (rate_to_ == 0) return;
  begin_ramp(now, 0, spin_down_time_);
}

std::optional<Picoseconds> Spindle::next_change() const {
  const std::vector<MotorFaults::Change>& changes = faults_.changes();
  if (next_change_ == changes.size()) return std::nullopt;
  return changes[next_change_].at;
}

void Spindle::change(Picoseconds now) {
  const MotorFaults::Change& change = faults_.changes().at(next_change_++);
  HEADSTACK_ASSERT(change.at == now, "the motor fails when its time has come");
  powered_ = change.powered || change.latches;
  if (change.powered) {
    if (is_to_turn_) begin_ramp(now, goal_rate_, spin_up_time_);
    return;
  }
  has_latched_ = change.latches;
  if (change.latches) is_to_turn_ = false;
  if (rate_to_ != 0) begin_ramp(now, 0, spin_down_time_);
}

Spindle::State Spindle::state(Picoseconds now) const {
  if (ramp_end(now)) return rate_to_ == 0 ? State::kSpinningDown : State::kSpinningUp;
  return destination();
}

Spindle::State Spindle::destination() const {
  if (rate_to_ == 0) return State::kStopped;
  return rate_to_ == rotation_.rate() ? State::kAtSpeed : State::kSpinningUp;
}

std::optional<Picoseconds> Spindle::ramp_end(Picoseconds now) const {
  const Picoseconds end = ramp_start_ + ramp_length_;
  return now < end ? std::optional<Picoseconds>(end) : std::nullopt;
}

double Spindle::rpm(Picoseconds now) const {
  const double turns_per_ps = static_cast<double>(rate_at(now)) /
                              std::ldexp(1.0, 32 + static_cast<int>(Rotation::kFraction));
  return turns_per_ps * static_cast<double>(60 * kPicosecondsPerSecond);
}

std::optional<Picoseconds> Spindle::next(Picoseconds now, Turn32 target) const {
  const std::uint64_t here = unwrapped(now);
  const std::int64_t ahead = rotation_.ahead(static_cast<Turn32>(here), target);
  return ahead <= 0 ? now : when(now, here + static_cast<std::uint64_t>(ahead));
}

/// The time, after the ramp, at which the angle has grown by `fine`, in 2^-60 turn32.
std::optional<Picoseconds> Spindle::turned_by(Picoseconds from, Uint128 fine) const {
  if (rate_to_ == 0) return std::nullopt;
  if (rate_to_ == rotation_.rate()) return from + rotation_.time_for(fine);
  return from + static_cast<Picoseconds>((fine + rate_to_ - 1) / rate_to_);
}

std::optional<Picoseconds> Spindle::when(Picoseconds now, std::uint64_t goal) const {
  const Picoseconds steady_from = std::max(now, ramp_start_ + ramp_length_);
  const Uint128 fine_goal = static_cast<Uint128>(goal) << Rotation::kFraction;
  const Uint128 reached = fine_angle(steady_from);
  if (reached < fine_goal) return turned_by(steady_from, fine_goal - reached);
  if (unwrapped(now) >= goal) return now;
  Picoseconds low = now;  // unwrapped(low) < goal <= unwrapped(high)
  Picoseconds high = steady_from;
  while (high - low > 1) {
    const Picoseconds middle = low + (high - low) / 2;
    (unwrapped(middle) < goal ? low : high) = middle;
  }
  return high;
}

const char* to_string(Spindle::State state) {
  switch (state) {
    case Spindle::State::kStopped: return "stopped";
    case Spindle::State::kSpinningUp: return "spinning up";
    case Spindle::State::kAtSpeed: return "at speed";
    case Spindle::State::kSpinningDown: return "spinning down";
  }
  return "?";
}

}  // namespace headstack::mechanics
