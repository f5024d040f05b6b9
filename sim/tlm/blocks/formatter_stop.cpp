// SPDX-License-Identifier: Apache-2.0
// Early ends of the formatter's operations: abort, loss of the track, a change of the buffer's
// channel.
#include "sim/tlm/blocks/formatter.hpp"

namespace headstack::tlm {
namespace {

constexpr Picoseconds kClock = kClockPeriodPs;

using Error = formatter_regs::Error;

}  // namespace

// ------------------------------------------------------------------------------------------- stop

/// Whether the next event comes in a cycle before this one.
bool Formatter::early(Picoseconds cycle) const {
  return (next_ == Next::kDecide ? alarm_.due() : alarm_.due() - kClock) < cycle;
}

void Formatter::request_stop(const Stop& request) {
  if (next_ == Next::kNothing) {
    if (request.is_abort) stop(request);
    return;
  }
  if (next_ == Next::kSeek) {
    alarm_.cancel();
    stop(request);
    return;
  }
  if (next_ == Next::kStop) {
    stop_.is_abort = stop_.is_abort || request.is_abort;
    return;
  }
  if (early(request.cycle)) {
    later_ = request;
    // After the spindle's change of motion its past is not available: the event runs a clock early.
    if (request.leaves < request.cycle) {
      alarm_.cancel();
      act();
    }
    return;
  }
  const bool last_byte = alarm_.due() - kClock == request.cycle && next_ == Next::kSectorEnd;
  if (last_byte && is_write() && request.is_abort) {
    aborting_ = true;
    return;
  }
  stop(request);
}

/// Plans a stop. No other event comes before its cycle.
void Formatter::stop(const Stop& request) {
  if (busy_ && in_data(request.cycle)) {
    if (is_write() && request.is_abort) {
      aborting_ = true;  // the stop comes with the sector's end
      return;
    }
    abandon_sector(request);
  }
  if (busy_ && request.leaves < request.cycle) {
    // The spindle is about to change its motion: later its state at this time is not available.
    seen_ = seen(request.cycle + kClock);
    frozen_ = true;
  }
  next_ = Next::kStop;
  stop_ = request;
  alarm_.set(request.cycle + kClock);
}

/// Whether, in a cycle, the header was good and the wanted one, and buffer and servo were ready.
bool Formatter::in_data(Picoseconds cycle) const {
  return next_ == Next::kSectorEnd &&
         disk_.passed(disk_.byte_angle(pass_, disk_.layout().data_start - 1), cycle - kClock);
}

/// The number of data and check bytes of the sector that passed before `at`.
std::uint32_t Formatter::bytes_passed(Picoseconds at) const {
  const channel::SectorLayout& layout = disk_.layout();
  const std::uint64_t angle = disk_.spindle().unwrapped(at - 1);
  std::uint32_t bytes = 0;
  while (bytes < layout.field_bytes() &&
         disk_.byte_angle(pass_, layout.data_start + bytes) <= angle) {
    ++bytes;
  }
  return bytes;
}

void Formatter::abandon_sector(const Stop& request) {
  const std::uint32_t bytes = bytes_passed(request.leaves);
  if (disk_.observer() != nullptr) {
    disk_.observer()->sector_began(disk_.when(pass_from_, pass_.angle), pass_.at);
    if (bytes > 0) tell_write_fault();
  }
  if (bytes > 0 && is_write()) {
    disk_.write_cut(pass_.at, credit_lost_ ? scratch_.data() : buffer_.waiting_sector(), bytes);
  } else if (bytes > 0) {
    // It counts as an attempt to read all the same.
    static_cast<void>(disk_.read(pass_.index, scratch_.data()));
  }
  if (moves_data()) buffer_.drop_sector(request.cycle);
}

void Formatter::lose_power(drive::PowerLoss loss) {
  if (!busy_ || !is_write() || next_ != Next::kSectorEnd) return;
  const std::uint32_t bytes = bytes_passed(agenda_.now());
  if (bytes == 0) return;
  media::MediaPower& power = disk_.media().power();
  power.cut(pass_.index);
  if (loss == drive::PowerLoss::kFinished) {
    static_cast<void>(transfer());
  } else {
    disk_.write_cut(pass_.at, credit_lost_ ? scratch_.data() : buffer_.waiting_sector(), bytes);
  }
  power.cut();
}

/// Handles the loss of the track, unless the heads leave it for the track of the next run.
void Formatter::track_lost(Picoseconds cycle, Picoseconds leaves) {
  if (busy_ && next_ != Next::kSeek) request_stop({cycle, leaves, false, Error::kOffTrackMask});
}

void Formatter::index_captured() {
  if (!busy_) seen_.header_valid = false;
}

// --------------------------------------------------------------------------- changes of the buffer

void Formatter::disk_channel_changes(bool restarts) {
  if (next_ != Next::kSectorEnd || !moves_data()) return;
  const Picoseconds cycle = now() + kClock;
  if (!in_data(cycle)) {
    next_ = Next::kDecide;
    alarm_.set(header_cycle());
  } else if (restarts && !credit_lost_) {
    is_write() ? disturb_write() : disturb_read();
  }
}

/// Drops the rest of a sector that is read: the next byte is an overrun. If all bytes have passed,
/// the sector is good, but the channel has lost its bytes.
void Formatter::disturb_read() {
  const std::uint32_t bytes = bytes_passed(now());
  credit_lost_ = true;
  if (bytes >= disk_.layout().data_bytes()) return;
  const std::uint64_t angle = disk_.byte_angle(pass_, disk_.layout().data_start + bytes);
  const Picoseconds cycle = edge_after(disk_.when(pass_from_, angle));
  stop({cycle, cycle, false, Error::kOverrunMask});
}

/// Ends the data of a sector that is written. One byte is on its way already; the next is missing.
void Formatter::disturb_write() {
  const std::uint8_t* data = buffer_.waiting_sector();
  scratch_.assign(data, data + disk_.layout().data_bytes());
  credit_lost_ = true;
  const std::uint32_t next = bytes_passed(now()) + 1;
  if (next < disk_.layout().data_bytes()) missing_from_ = next;
}

}  // namespace headstack::tlm
