// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/blocks/formatter.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::tlm {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
constexpr Picoseconds kClock = kClockPeriodPs;
constexpr std::uint32_t kSyncSlackBytes = 4;  // formatter_pkg.sv
constexpr std::uint32_t kMaxPulses = 255;     // PROGRESS.index_pulses
/// An angle beyond the longest patience, LIMIT's 15 pulses, while no pulse is missing.
constexpr std::uint64_t kFarthest = 16 * kTurn;

using Error = formatter_regs::Error;
using Intr = formatter_regs::IntrState;
using Op = formatter_regs::Op;

std::uint64_t whole_turn_from(std::uint64_t angle) { return (angle + kTurn - 1) & ~(kTurn - 1); }

}  // namespace

Formatter::Formatter(Agenda& agenda, InterruptSink& interrupts, Disk& disk, SectorPort& buffer,
                     TrackPort& servo)
    : agenda_(agenda),
      interrupts_(interrupts),
      disk_(disk),
      buffer_(buffer),
      servo_(servo),
      alarm_(agenda, [this] { act(); }),
      command_(agenda, [this] { take_command(pending_op_, now()); }),
      scratch_(disk.layout().data_bytes()) {
  buffer.listen_disk(this);
  servo.listen_track(this);
}

// -------------------------------------------------------------------------------------- registers

void Formatter::on_write_command(formatter_regs::Command value) {
  const Picoseconds cycle = now() + kClock;
  // The command is taken at once, unless the next event comes before its cycle.
  const bool soon = (alarm_.is_set() && alarm_.due() <= cycle) || command_.is_set();
  if (!soon) {
    take_command(value.op(), cycle);
    return;
  }
  pending_op_ = value.op();
  command_.set(cycle);
}

void Formatter::take_command(Op op, Picoseconds cycle) {
  switch (op) {
    case Op::kRead:
    case Op::kWrite:
    case Op::kVerify:
      if (!busy_) begin(op, cycle);
      return;
    case Op::kAbort: request_stop({cycle, cycle, true, 0}); return;
    case Op::kChain: next_named_ = busy_; return;
    case Op::kNone: return;
  }
}

formatter_regs::Status Formatter::on_read_status() const {
  const Seen now_seen = seen(now());
  formatter_regs::Status status;
  status.set_busy(busy_);
  status.set_header_valid(now_seen.header_valid);
  status.set_sector(now_seen.header_sector);
  return status;
}

formatter_regs::Progress Formatter::on_read_progress() const {
  formatter_regs::Progress progress;
  progress.set_done(done_);
  progress.set_runs(runs_);
  progress.set_index_pulses(seen(now()).index_pulses);
  return progress;
}

formatter_regs::Error Formatter::on_read_error() const { return {error_ | seen(now()).errors}; }

media::HeaderRead Formatter::header_of(const Disk::Pass& pass) const {
  return disk_.media().read_header(pass.index, pass.angle / kTurn);
}

/// The last sector whose header was good, and has passed to its last byte by an angle.
std::optional<Disk::Pass> Formatter::last_good_header(std::uint64_t angle) const {
  const std::uint32_t last_byte = disk_.layout().data_start - 1;
  Disk::Pass pass = disk_.pass_at(track_, angle);
  // A pass that began before angle 0 has a wrapped angle.
  while (pass.angle >= from_angle_ && pass.angle <= angle) {
    const bool complete = disk_.byte_angle(pass, last_byte) <= angle;
    if (complete && header_of(pass) == media::HeaderRead::kGood) return pass;
    if (pass.angle == 0) break;
    pass = disk_.pass_at(track_, pass.angle - 1);
  }
  return std::nullopt;
}

/// The byte at which a search for the sync mark ends. One byte passes before the gate is open
/// (search()); then come preamble, mark and slack.
std::uint32_t Formatter::sync_given_up() const {
  return std::min(format().preamble() + kSyncSlackBytes + 2, disk_.layout().raw_bytes);
}

/// Bits of ERROR for flawed headers that have passed by an angle.
std::uint32_t Formatter::header_errors(std::uint64_t angle) const {
  std::uint32_t errors = 0;
  for (const media::SectorIndex index :
       disk_.media().flawed_headers(track_.first_index, track_.sectors())) {
    const auto sector = static_cast<std::uint32_t>(index - track_.first_index);
    for (Disk::Pass pass = disk_.next_pass(track_, sector, from_angle_); pass.angle <= angle;
         pass = disk_.next_pass(track_, sector, pass.angle + 1)) {
      const media::HeaderRead header = header_of(pass);
      if (header == media::HeaderRead::kGood) continue;
      const bool no_sync = header == media::HeaderRead::kNoSync;
      const std::uint32_t known = no_sync ? sync_given_up() : disk_.layout().data_start - 1;
      if (disk_.byte_angle(pass, known) > angle) continue;
      errors |= Error::kHeaderMask | (no_sync ? Error::kNoSyncMask : 0U);
    }
  }
  return errors;
}

/// Computes Seen from the angles. The registers have what passed before the last clock edge but
/// one.
Formatter::Seen Formatter::seen(Picoseconds at) const {
  if (!busy_ || frozen_) return seen_;
  Seen seen;
  const std::uint64_t angle = disk_.spindle().unwrapped(at - kClock - 1);
  const std::uint64_t turns = angle / kTurn + 1;
  const std::uint64_t pulses = disk_.index().count(index_angle_ / kTurn, turns);
  seen.index_pulses = static_cast<std::uint32_t>(std::min<std::uint64_t>(pulses, kMaxPulses));
  seen.errors = before_.errors;
  seen.header_sector = before_.header_sector;
  seen.header_valid = before_.header_valid && disk_.index().count(before_turn_ + 1, turns) == 0;
  if (track_.sectors() == 0 || angle < from_angle_) return seen;
  if (!finds_sync()) {
    Disk::Pass first = disk_.pass_at(track_, from_angle_);
    if (first.angle < from_angle_) first = disk_.pass_at(track_, first.angle + first.sweep);
    if (disk_.byte_angle(first, sync_given_up()) <= angle) {
      seen.errors |= Error::kHeaderMask | Error::kNoSyncMask;
    }
    return seen;
  }
  seen.errors |= header_errors(angle);
  const auto good = last_good_header(angle);
  if (!good) return seen;
  if (!is_on_its_track()) seen.errors |= Error::kOtherTrackMask;
  seen.header_sector = good->at.sector;
  seen.header_valid = pulses == 0 || disk_.index().count(good->angle / kTurn + 1, turns) == 0;
  return seen;
}

// ----------------------------------------------------------------------------------------- search

void Formatter::begin(Op op, Picoseconds cycle) {
  HEADSTACK_ASSERT(
      format().data() == disk_.layout().data_bytes() && buffer_.sector_bytes() == format().data(),
      "formatter, buffer manager and drive agree on the sector's size");
  // This is the event of an abort, without an operation, that was written at the very same time.
  if (next_ == Next::kStop) raise(Intr::kDoneMask);
  op_ = op;
  done_ = error_ = runs_ = 0;
  run_track_ = track();
  sector_ = start().sector();
  left_ = start().count();
  next_named_ = false;
  aborting_ = false;
  seen_ = before_ = Seen{};
  later_.reset();
  if (start().count() == 0) {
    next_ = Next::kStop;
    stop_ = {cycle, cycle, true, 0};
    alarm_.set(cycle + kClock);
    return;
  }
  busy_ = true;
  const Picoseconds from = cycle + kClock;  // the formatter searches from then on
  if (servo_.on_track_from() > from) {
    frozen_ = true;
    next_ = Next::kStop;
    stop_ = {from, from, false, Error::kOffTrackMask};
    alarm_.set(from + kClock);
    return;
  }
  frozen_ = false;
  track_ = disk_.track_for(from, sector_, is_write());
  from_angle_ = disk_.angle_from(from);
  // While the servo captures index pulses, PROGRESS counts the pulse of the cycle in which the
  // operation begins. LIMIT does not.
  index_angle_ = whole_turn_from(servo_.captures_index() ? disk_.angle_from(cycle) : from_angle_);
  limit_patience(from_angle_);
  search(from, from_angle_);
}

/// Counts the index pulses of LIMIT from an angle on.
void Formatter::limit_patience(std::uint64_t from_angle) {
  if (is_write()) {
    // Those that pass before the heads are ready to write do not count.
    const Picoseconds ready = servo_.write_ready_from();
    if (ready == mechanics::kNever) {
      last_index_angle_ = kNoIndex;
      return;
    }
    from_angle = std::max(from_angle, disk_.angle_from(ready));
  }
  const std::uint32_t pulses = std::max(limit().revolutions(), 1U);
  const auto turn = disk_.index().nth(whole_turn_from(from_angle) / kTurn, pulses);
  last_index_angle_ = turn ? *turn * kTurn : kNoIndex;
}

bool Formatter::is_on_its_track() const {
  return run_track_.cylinder() == track_.cylinder && run_track_.head() == track_.head;
}

/// Whether the search reaches the sync mark. The gate opens in the cycle after the sector pulse.
/// The byte that begins with the pulse is missed; the next one comes after a byte time of a clock
/// or more. The most bytes that pass before the mark is complete are preamble, mark and slack.
bool Formatter::finds_sync() const {
  const std::uint32_t sync = disk_.layout().sync_start;
  return sync >= 1 && sync + 1 <= format().preamble() + 2 + kSyncSlackBytes;
}

void Formatter::search(Picoseconds from, std::uint64_t from_angle) {
  if (find_pass(from, from_angle)) {
    plan_pass();
  } else if (last_index_angle_ - from_angle <= kFarthest) {
    plan_not_found(from);
  } else {
    plan_look(from, from_angle);
  }
}

/// Finds the pass in which the wanted sector's header is read, from an angle on that passes at or
/// after `from`. False if the search must end before, or if there is no pass within kFarthest.
bool Formatter::find_pass(Picoseconds from, std::uint64_t from_angle) {
  if (!is_on_its_track() || sector_ >= track_.sectors() || !finds_sync()) return false;
  const std::uint64_t end = std::min(last_index_angle_, from_angle + kFarthest);
  for (;;) {
    pass_ = disk_.next_pass(track_, sector_, from_angle);
    // An index pulse comes with a mark, never within a sector, and takes effect before that sector.
    if (pass_.angle >= end) return false;
    pass_from_ = from;
    const bool good = header_of(pass_) == media::HeaderRead::kGood;
    if (good && !is_write()) return true;
    const Picoseconds header = header_cycle();
    if (good && servo_.write_ready_from() <= header) return true;
    from = header;
    from_angle = pass_.angle + 1;
  }
}

Picoseconds Formatter::header_cycle() const {
  return edge_after(disk_.when(pass_from_, disk_.byte_angle(pass_, disk_.layout().data_start - 1)));
}

void Formatter::plan_pass() {
  credit_lost_ = false;
  missing_from_.reset();
  last_byte_at_ = disk_.when(pass_from_, disk_.byte_angle(pass_, disk_.layout().gap_start - 1));
  // The state of the buffer lasts until then, or disk_channel_changes() is called.
  const bool assured =
      !moves_data() || (is_write() ? buffer_.has_sector(header_cycle()) : buffer_.can_accept());
  next_ = assured ? Next::kSectorEnd : Next::kDecide;
  alarm_.set(assured ? edge_after(last_byte_at_) + kClock : header_cycle());
}

/// Plans a new search at a later angle. Nothing happens before it, and patience lasts longer, since
/// pulses are missing.
void Formatter::plan_look(Picoseconds from, std::uint64_t from_angle) {
  constexpr std::uint64_t kStep = 4 * kTurn;
  look_angle_ = from_angle + kStep;
  next_ = Next::kLook;
  alarm_.set(edge_after(disk_.when(from, look_angle_)) + kClock);
}

void Formatter::plan_not_found(Picoseconds from) {
  // The spindle searches eight turns ahead; patience may be longer.
  constexpr std::uint64_t kStep = 4 * kTurn;
  for (std::uint64_t here = disk_.spindle().unwrapped(from); here + kStep < last_index_angle_;
       here += kStep) {
    from = disk_.when(from, here + kStep);
  }
  next_ = Next::kNotFound;
  alarm_.set(edge_after(disk_.when(from, last_index_angle_)) + kClock);
}

// ------------------------------------------------------------------------------------------ events

void Formatter::act() {
  switch (next_) {
    case Next::kDecide: decide(); break;
    case Next::kSectorEnd: end_sector(); break;
    case Next::kNotFound: fail(Error::kNotFoundMask, now() - kClock); break;
    case Next::kLook: search(now() - 2 * kClock, look_angle_); break;
    case Next::kSeek: seek_ended(servo_.on_track_from() <= now()); break;
    case Next::kStop:
      if (!busy_) {
        next_ = Next::kNothing;
        raise(Intr::kDoneMask);
      } else if (stop_.error != 0) {
        aborting_ = aborting_ || stop_.is_abort;
        fail(stop_.error, stop_.cycle);
      } else {
        finish(stop_.cycle, Intr::kDoneMask);
      }
      break;
    case Next::kNothing: break;
  }
  if (!later_) return;
  const Stop later = *later_;
  later_.reset();
  request_stop(later);
}

/// Decides in the header's cycle whether the sector's data move.
void Formatter::decide() {
  const bool can = is_write() ? buffer_.has_sector(now()) : buffer_.can_accept();
  if (can) {
    next_ = Next::kSectorEnd;
    alarm_.set(edge_after(last_byte_at_) + kClock);
    return;
  }
  stop({now(), now(), false, is_write() ? Error::kUnderrunMask : Error::kOverrunMask});
}

/// Ends a sector when its last check byte has passed.
void Formatter::end_sector() {
  const Picoseconds cycle = now() - kClock;
  tell_pass();
  if (const std::uint32_t error = transfer()) {
    if (moves_data()) buffer_.drop_sector(cycle);
    fail(error, cycle);
    return;
  }
  ++done_;
  const bool chains = left_ == 1 && next_named_ && next_start().count() != 0 && !aborting_;
  if (chains) {
    chain(cycle);
    return;
  }
  if (left_ == 1 || aborting_) {
    finish(cycle, Intr::kSectorMask | Intr::kDoneMask);
    return;
  }
  --left_;
  sector_ = (sector_ + 1) & 0xFFFFU;
  const std::uint64_t behind = pass_.angle + 1;
  limit_patience(behind);
  search(cycle, behind);
  raise(Intr::kSectorMask);
}

/// Ends a run, and begins the next one.
void Formatter::chain(Picoseconds cycle) {
  const bool moves = next_track().word != run_track_.word;
  // With mean latency, a sector that is not the next one on its track costs a new wait.
  const bool waits =
      !moves && disk_.has_mean_latency() && next_start().sector() != ((sector_ + 1) & 0xFFFFU);
  if (moves || waits) keep_seen(cycle);
  runs_ = (runs_ + 1) & 0xFFU;
  run_track_ = formatter_regs::Track{next_track().word};
  sector_ = next_start().sector();
  left_ = next_start().count();
  next_named_ = false;
  if (moves) {
    follow();
  } else {
    std::uint64_t behind = pass_.angle + 1;
    if (waits) {
      track_ = disk_.track_for(last_byte_at_, sector_, is_write());
      from_angle_ = behind = disk_.angle_from(last_byte_at_);
    }
    limit_patience(behind);
    search(cycle, behind);
  }
  raise(Intr::kSectorMask | Intr::kChainedMask);
}

/// Requests a seek. This is the cycle after that of the last check byte.
void Formatter::follow() {
  from_angle_ = kNoIndex;  // no header passes
  next_ = Next::kSeek;
  if (!servo_.follow()) alarm_.set(now() + kClock);
}

/// Keeps the counts of this track up to a cycle for the registers.
void Formatter::keep_seen(Picoseconds cycle) {
  before_ = seen(cycle + kClock);
  before_turn_ = disk_.spindle().unwrapped(cycle - 1) / kTurn;
}

void Formatter::seek_ended(bool on_track) {
  if (next_ != Next::kSeek) return;
  const Picoseconds cycle = now();
  if (!on_track) {
    next_ = Next::kStop;
    stop_ = {cycle, cycle, false, Error::kOffTrackMask};
    alarm_.set(cycle + kClock);
    return;
  }
  track_ = disk_.track_for(cycle - kClock, sector_, is_write());
  from_angle_ = disk_.angle_from(cycle - kClock);
  limit_patience(disk_.angle_from(cycle));
  search(cycle - kClock, from_angle_);
}

/// Moves the sector's data. @return a bit of ERROR if that failed.
std::uint32_t Formatter::transfer() {
  if (is_write()) {
    const std::uint8_t* data = credit_lost_ ? scratch_.data() : buffer_.waiting_sector();
    if (missing_from_) {
      std::fill(scratch_.begin() + *missing_from_, scratch_.end(), std::uint8_t{0});
    }
    const bool took = disk_.write(pass_.index, data, !missing_from_);
    if (missing_from_) return Error::kUnderrunMask;
    if (!took) return Error::kWriteFaultMask;
    if (!credit_lost_) buffer_.take_sector();
    return 0;
  }
  if (!moves_data() || credit_lost_) {
    return disk_.read(pass_.index, scratch_.data()) ? 0U : Error::kCheckMask;
  }
  if (!disk_.read(pass_.index, buffer_.room())) return Error::kCheckMask;
  buffer_.give_sector();
  return 0;
}

void Formatter::tell_pass() {
  if (disk_.observer() == nullptr) return;
  disk_.observer()->sector_began(disk_.when(pass_from_, pass_.angle), pass_.at);
  tell_write_fault();
  disk_.observer()->sector_ended(last_byte_at_, pass_.at);
}

/// Reports a write fault, which the preamplifier signals from the first byte of the data on.
void Formatter::tell_write_fault() {
  if (!is_write() || !disk_.media().refuses_write(pass_.index)) return;
  const std::uint64_t angle = disk_.byte_angle(pass_, disk_.layout().data_start);
  disk_.observer()->fault_struck(disk_.when(pass_from_, angle), "write_fault", pass_.at.cylinder);
}

void Formatter::fail(std::uint32_t error, Picoseconds cycle) {
  error_ = error | sector_ << Error::kSectorShift;
  finish(cycle, Intr::kErrorMask | (aborting_ ? Intr::kDoneMask : 0));
}

void Formatter::finish(Picoseconds cycle, std::uint32_t events) {
  seen_ = seen(cycle + kClock);
  if (!frozen_) {
    // A pulse in the last clock is not counted, but ends the header's validity.
    const mechanics::Spindle& spindle = disk_.spindle();
    const std::uint64_t turn = spindle.unwrapped(cycle + kClock - 1) / kTurn;
    const bool passed = turn != spindle.unwrapped(cycle - 1) / kTurn;
    if (passed && !disk_.index().is_missing(turn)) seen_.header_valid = false;
  }
  busy_ = false;
  next_ = Next::kNothing;
  raise(events);
}

}  // namespace headstack::tlm
