// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/fake_soc.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "buffer_mgr_regs.h"
#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/formatter_hal.h"
#include "firmware/hal/irq_ctrl_hal.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/servo_hal.h"
#include "formatter_regs.h"
#include "irq_ctrl_regs.h"
#include "servo_regs.h"
#include "sim/assert.hpp"
// POSIX has a timer_t of its own in <time.h>; the block's structure gets another name here.
#define timer_t timer_block_t
#include "timer_regs.h"

namespace headstack::test {
namespace {

constexpr Picoseconds kTick = 25'000;
FakeSoc* soc = nullptr;

}  // namespace
}  // namespace headstack::test

extern "C" std::uint32_t hal_read32(std::uint32_t address) {
  return headstack::test::soc->read(address);
}
extern "C" void hal_write32(std::uint32_t address, std::uint32_t value) {
  headstack::test::soc->write(address, value);
}
extern "C" void cpu_wait_for_interrupt() {}

namespace headstack::test {

FakeSoc::FakeSoc(const drive::Design& design) : model_(design) { soc = this; }
FakeSoc::~FakeSoc() { soc = nullptr; }

FakeSoc::Tick FakeSoc::tick_of(Picoseconds time) const {
  return static_cast<Tick>((time + kTick - 1) / kTick);
}

void FakeSoc::after(Tick ticks, std::function<void()> action) {
  agenda_.emplace(std::make_pair(now_ + ticks, sequence_++), std::move(action));
}

bool FakeSoc::advance() {
  if (agenda_.empty()) return false;
  auto first = agenda_.extract(agenda_.begin());
  now_ = std::max(now_, first.key().first);
  first.mapped()();
  return true;
}

bool FakeSoc::interrupting() const {
  const auto asks = [](const Block& block) { return (block.state & block.enable) != 0; };
  return ((irq_enable_ & IRQ_SERVO) != 0 && asks(servo_)) ||
         ((irq_enable_ & IRQ_FORMATTER) != 0 && asks(formatter_)) ||
         ((irq_enable_ & IRQ_BUFFER_MGR) != 0 && asks(buffer_)) ||
         ((irq_enable_ & IRQ_TIMER) != 0 && timer_enabled_ && now_ >= timer_due_);
}

std::uint32_t FakeSoc::read(std::uint32_t address) {
  const auto asks = [](const Block& block, std::uint32_t bit) {
    return (block.state & block.enable) != 0 ? bit : 0;
  };
  const std::uint32_t segment = (address - REGISTER(BUFFER_MGR, buffer_mgr, SEGMENT)) / 16;
  switch (address) {
    case REGISTER(TIMER, timer, TIME_LO):
      now_ += look_ticks_;
      return static_cast<std::uint32_t>(now_);
    case REGISTER(TIMER, timer, TIME_HI): return static_cast<std::uint32_t>(now_ >> 32);
    case REGISTER(IRQ_CTRL, irq_ctrl, PENDING):
      return asks(servo_, IRQ_SERVO) | asks(formatter_, IRQ_FORMATTER) |
             asks(buffer_, IRQ_BUFFER_MGR) | (timer_enabled_ && now_ >= timer_due_ ? IRQ_TIMER : 0);
    case REGISTER(IRQ_CTRL, irq_ctrl, ENABLE): return irq_enable_;
    case REGISTER(SERVO, servo, STATUS):
      return (on_track_ ? SERVO__STATUS__ON_TRACK_bm : 0) |
             (write_ready_ ? SERVO__STATUS__WRITE_READY_bm : 0) |
             (seeking_ ? SERVO__STATUS__SEEKING_bm : 0) |
             (at_speed_ ? SERVO__STATUS__AT_SPEED_bm : 0);
    case REGISTER(SERVO, servo, INDEX_TIME_LO): return static_cast<std::uint32_t>(index_tick_);
    case REGISTER(SERVO, servo, INDEX_TIME_HI):
      return static_cast<std::uint32_t>(index_tick_ >> 32);
    case REGISTER(SERVO, servo, INDEX_COUNT): return index_count_;
    case REGISTER(SERVO, servo, INTR_STATE): return servo_.state;
    case REGISTER(FORMATTER, formatter, STATUS): return busy_ ? 1 : 0;
    case REGISTER(FORMATTER, formatter, PROGRESS): return (chained_runs_ & 0xFF) << 24 | done_;
    case REGISTER(FORMATTER, formatter, ERROR): return error_;
    case REGISTER(FORMATTER, formatter, INTR_STATE): return formatter_.state;
    case REGISTER(BUFFER_MGR, buffer_mgr, INTR_STATE): return buffer_.state;
    default: break;
  }
  if (segment >= 8)
    std::fprintf(stderr, "register 0x%08x: answer it in FakeSoc::read()\n", address);
  HEADSTACK_ASSERT(segment < 8, "a register that the core reads");
  if (address % 16 == offsetof(buffer_mgr__segment_rf_t, BASE)) {
    return segments_[segment].base * sector_bytes_;
  }
  HEADSTACK_ASSERT(address % 16 == offsetof(buffer_mgr__segment_rf_t, LEVEL), "a register to read");
  return segments_[segment].level;
}

void FakeSoc::write(std::uint32_t address, std::uint32_t value) {
  const std::uint32_t offset = address & 0xFFFU;
  if (address >= HAL_BASE_BUFFER_RAM) {
    // The core fills a whole sector with one value.
    buffer_ram_[(address - HAL_BASE_BUFFER_RAM) / sector_bytes_] = value;
    return;
  }
  switch (address & ~0xFFFU) {
    case HAL_BASE_TRACE_PORT: trace_.push_back({offset / 4, value, now_}); return;
    case HAL_BASE_IRQ_CTRL: irq_enable_ = value; return;
    case HAL_BASE_SERVO: write_servo(offset, value); return;
    case HAL_BASE_FORMATTER: write_formatter(offset, value); return;
    case HAL_BASE_BUFFER_MGR: write_buffer(offset, value); return;
    case HAL_BASE_TIMER: write_timer(offset, value); return;
    default: HEADSTACK_ASSERT(false, "a block that the core writes");
  }
}

void FakeSoc::write_timer(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case offsetof(timer_t, COMPARE_LO): timer_due_ = value; return;
    case offsetof(timer_t, COMPARE_HI): timer_due_ |= std::uint64_t{value} << 32; return;
    default: break;
  }
  HEADSTACK_ASSERT(offset == offsetof(timer_t, CTRL), "a register of the timer");
  timer_enabled_ = value != 0;
  // The alarm is an action of its own, so that the world stops there.
  if (timer_enabled_) after(timer_due_ > now_ ? timer_due_ - now_ : 0, [] {});
}

// ------------------------------------------------------------------------------------------ servo

void FakeSoc::write_servo(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case offsetof(servo_t, TARGET): target_ = value; return;
    case offsetof(servo_t, INTR_STATE): servo_.state &= ~value; return;
    case offsetof(servo_t, INTR_ENABLE): servo_.enable = value; return;
    case offsetof(servo_t, INDEX_CAPTURE):
      if (value != 0 && !capture_) {
        index_turn_ = model_.rotation().unwrapped(static_cast<Picoseconds>(now_) * kTick) >> 32;
        capture_ = true;
        ++capture_begin_;
        schedule_index();
      }
      capture_ = value != 0;
      return;
    default: break;
  }
  HEADSTACK_ASSERT(offset == offsetof(servo_t, COMMAND), "a register of the servo");
  switch (value) {
    case 1: seek(); return;
    case 2: spin_up(); return;
    case 3:
      at_speed_ = on_track_ = write_ready_ = false;
      ++spin_;
      after(1000, [this] { interrupt(servo_, SERVO_EVENT_AT_REST); });
      return;
    case 4: recalibrate(); return;
    default: HEADSTACK_ASSERT(false, "an operation of the servo");
  }
}

void FakeSoc::spin_up() {
  ++starts_;
  const auto spin = ++spin_;
  if (failing_starts_ > 0) {
    --failing_starts_;
    return;
  }
  after(1000, [this, spin] {
    if (spin != spin_) return;
    at_speed_ = true;
    interrupt(servo_, SERVO_EVENT_AT_SPEED);
  });
}

void FakeSoc::lose_speed(int failing_starts) {
  failing_starts_ = failing_starts;
  at_speed_ = on_track_ = write_ready_ = false;
  ++spin_;
  interrupt(servo_, SERVO_EVENT_SPEED_LOST | (seeking_ ? SERVO_EVENT_SEEK_ERROR : 0));
  seeking_ = false;
  ++movement_;
  if (busy_) stop_formatter(FORMATTER_EVENT_ERROR, FORMATTER_ERROR_OFF_TRACK);
}

void FakeSoc::seek() {
  ++seeks_;
  if (refused_seeks_ > 0 || seeking_ || !at_speed_) {
    if (refused_seeks_ > 0) --refused_seeks_;
    after(1, [this] { interrupt(servo_, SERVO_EVENT_SEEK_ERROR); });
    return;
  }
  const std::uint32_t from = position_ & SERVO__TARGET__CYLINDER_bm;
  const std::uint32_t to = target_ & SERVO__TARGET__CYLINDER_bm;
  const std::uint32_t distance = from > to ? from - to : to - from;
  const bool head_changes = position_ >> 24 != target_ >> 24;
  const bool element_changes = ((position_ ^ target_) & SERVO__TARGET__FOR_WRITE_bm) != 0;
  const mechanics::PositioningModel& model = model_.positioning();
  move(target_, tick_of(model.total(distance, head_changes, false, element_changes)),
       tick_of(model.total(distance, head_changes, true, element_changes)));
}

void FakeSoc::recalibrate() {
  ++recalibrations_;
  if (!at_speed_) {
    after(1, [this] { interrupt(servo_, SERVO_EVENT_SEEK_ERROR); });
    return;
  }
  const std::uint32_t stroke = model_.geometry().cylinder_count() - 1;
  move(0, tick_of(model_.positioning().total(stroke, true, false)),
       tick_of(model_.positioning().total(stroke, true, true)));
}

void FakeSoc::move(std::uint32_t to, Tick read, Tick write) {
  seeking_ = true;
  on_track_ = write_ready_ = false;
  const auto movement = ++movement_;
  if (stranded_ > 0) {
    --stranded_;
    return;
  }
  position_ = to;
  after(read, [this, movement] {
    if (movement != movement_) return;
    seeking_ = false;
    on_track_ = true;
    interrupt(servo_, SERVO_EVENT_ON_TRACK);
    follow();
  });
  // hdl/regs/servo.rdl: write_ready comes together with on_track, or later.
  after(std::max(read, write), [this, movement] {
    if (movement != movement_) return;
    write_ready_ = on_track_;
    interrupt(servo_, SERVO_EVENT_WRITE_READY);
    follow();
  });
}

void FakeSoc::schedule_index() {
  const Picoseconds now = static_cast<Picoseconds>(now_) * kTick;
  ++index_turn_;
  const Picoseconds wait =
      model_.rotation().time_to_turn(now, (index_turn_ << 32) - model_.rotation().unwrapped(now));
  const auto begin = capture_begin_;
  after(tick_of(now + wait) - now_, [this, begin] {
    if (!capture_ || begin != capture_begin_) return;
    index_tick_ = now_;
    ++index_count_;
    interrupt(servo_, SERVO_EVENT_INDEX);
    schedule_index();
  });
}

// -------------------------------------------------------------------------------------- formatter

void FakeSoc::write_formatter(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case offsetof(formatter_t, TRACK): track_ = value; return;
    case offsetof(formatter_t, START): start_ = value; return;
    case offsetof(formatter_t, NEXT_TRACK): next_track_ = value; return;
    case offsetof(formatter_t, NEXT_START): next_start_ = value; return;
    case offsetof(formatter_t, FORMAT):
    case offsetof(formatter_t, LIMIT): return;
    case offsetof(formatter_t, INTR_STATE):
      formatter_.state &= ~value;
      ++formatter_interrupts_;
      return;
    case offsetof(formatter_t, INTR_ENABLE): formatter_.enable = value; return;
    default: break;
  }
  HEADSTACK_ASSERT(offset == offsetof(formatter_t, COMMAND), "a register of the formatter");
  if (value == 5) {
    HEADSTACK_ASSERT(!next_named_, "a next run is named once for each");
    next_named_ = busy_ && missed_chains_ == 0;
    if (missed_chains_ > 0) --missed_chains_;
  } else if (value != 4) {
    start_formatter(value);
  } else if (busy_) {
    stop_formatter(FORMATTER_EVENT_DONE, 0);
  }
}

void FakeSoc::start_formatter(std::uint32_t op) {
  HEADSTACK_ASSERT(!busy_, "the firmware starts the formatter only when it is idle");
  HEADSTACK_ASSERT(op == FORMATTER_WRITE ? write_ready_ : on_track_, "and on a settled track");
  HEADSTACK_ASSERT(track_ == (position_ & ~SERVO__TARGET__FOR_WRITE_bm),
                   "of the track under the heads");
  HEADSTACK_ASSERT(op == FORMATTER_VERIFY || disk_enabled_, "with the disk channel open");
  op_ = op;
  busy_ = true;
  done_ = error_ = chained_runs_ = 0;
  next_named_ = follows_ = false;
  ++run_;
  ++runs_;
  begin_run(track_, start_);
  if (hung_runs_ > 0) {
    --hung_runs_;
    return;
  }
  next_sector();
}

void FakeSoc::begin_run(std::uint32_t track, std::uint32_t start) {
  run_track_ = track;
  run_sector_ = start & 0xFFFFU;
  run_left_ = start >> 16;
  sector_from_ = static_cast<Picoseconds>(now_) * kTick;
}

/// Goes on to the next run. The heads go to the servo's target if the run is on another track.
void FakeSoc::chain() {
  next_named_ = false;
  ++chained_runs_;
  ++all_chained_runs_;
  const bool moves = next_track_ != run_track_;
  const Picoseconds from = sector_from_;
  begin_run(next_track_, next_start_);
  interrupt(formatter_, FORMATTER_EVENT_CHAINED);
  if (!moves) {
    sector_from_ = from;
    return next_sector();
  }
  HEADSTACK_ASSERT((target_ & ~SERVO__TARGET__FOR_WRITE_bm) == next_track_,
                   "the servo's target is the next run's track");
  if (refused_seeks_ > 0 || !at_speed_) {
    seek();
    return stop_formatter(FORMATTER_EVENT_ERROR, FORMATTER_ERROR_OFF_TRACK);
  }
  follows_ = true;
  seek();
}

/// Called when the heads have reached a track.
void FakeSoc::follow() {
  if (!follows_ || !busy_) return;
  if (op_ == FORMATTER_WRITE ? !write_ready_ : !on_track_) return;
  follows_ = false;
  sector_from_ = static_cast<Picoseconds>(now_) * kTick;
  next_sector();
}

/// Waits for the next sector of the run; at its start the buffer must be able to take part.
void FakeSoc::next_sector() {
  const geometry::Chs at = place(run_track_, run_sector_);
  const Turn32 angle = model_.geometry().sector_angle(at);
  const Picoseconds start = sector_from_ + model_.rotation().time_to_angle(sector_from_, angle);
  const auto run = run_;
  after(tick_of(start) > now_ ? tick_of(start) - now_ : 0, [this, run, start, at] {
    if (run != run_ || !busy_) return;
    const Segment& segment = segments_[disk_segment_];
    if (op_ == FORMATTER_READ && segment.level == segment.size) {
      return stop_formatter(FORMATTER_EVENT_ERROR, FORMATTER_ERROR_OVERRUN);
    }
    if (op_ == FORMATTER_WRITE && segment.level == 0) {
      return stop_formatter(FORMATTER_EVENT_ERROR, FORMATTER_ERROR_UNDERRUN);
    }
    const std::uint32_t zone = *model_.geometry().zone_of(at.cylinder);
    const std::uint64_t turn =
        (std::uint64_t{1} << 32) / model_.geometry().zones()[zone].sectors_per_track;
    sector_from_ = start + model_.rotation().time_to_turn(start, turn);
    after(tick_of(sector_from_) - now_, [this, run] {
      if (run == run_ && busy_) sector_ends();
    });
  });
}

void FakeSoc::sector_ends() {
  if (!faults_.empty()) {
    const std::uint32_t fault = faults_.front();
    faults_.pop_front();
    if (fault != 0) return stop_formatter(FORMATTER_EVENT_ERROR, fault);
  }
  const geometry::Chs at = place(run_track_, run_sector_);
  if (op_ == FORMATTER_READ) give(segments_[disk_segment_], stored(at));
  if (op_ == FORMATTER_WRITE) {
    written_[{at.cylinder, at.head, at.sector}] = take(segments_[disk_segment_]);
  }
  ++done_;
  ++disk_count_;
  if (op_ != FORMATTER_VERIFY && (disk_notice_ == 0 || disk_notice_ == disk_count_)) {
    interrupt(buffer_, BUFFER_EVENT_DISK_SECTOR);
  }
  ++run_sector_;
  interrupt(formatter_, FORMATTER_EVENT_SECTOR);
  if (--run_left_ > 0) return next_sector();
  if (next_named_) return chain();
  stop_formatter(FORMATTER_EVENT_DONE, 0);
}

void FakeSoc::stop_formatter(std::uint32_t event, std::uint32_t error) {
  busy_ = next_named_ = follows_ = false;
  error_ = error;
  interrupt(formatter_, event);
}

void FakeSoc::fail_sectors(const std::vector<std::uint32_t>& errors) {
  faults_.insert(faults_.end(), errors.begin(), errors.end());
}

// ----------------------------------------------------------------------------------------- buffer

void FakeSoc::write_buffer(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case offsetof(buffer_mgr_t, SECTOR): sector_bytes_ = value; return;
    case offsetof(buffer_mgr_t, HOST):
      host_enabled_ = (value & 0x100U) != 0;
      host_segment_ = value & 7U;
      return;
    case offsetof(buffer_mgr_t, DISK):
      disk_enabled_ = (value & 0x100U) != 0;
      disk_notice_ = value >> 16;
      if (!disk_enabled_) disk_count_ = 0;
      disk_segment_ = value & 7U;
      return;
    case offsetof(buffer_mgr_t, INTR_STATE):
      buffer_.state &= ~value;
      if ((value & BUFFER_EVENT_DISK_SECTOR) != 0) ++disk_notices_;
      return;
    case offsetof(buffer_mgr_t, INTR_ENABLE): buffer_.enable = value; return;
    default: break;
  }
  HEADSTACK_ASSERT(offset >= offsetof(buffer_mgr_t, SEGMENT), "a register of the buffer manager");
  Segment& segment = segments_[(offset - offsetof(buffer_mgr_t, SEGMENT)) / 16];
  switch (offset % 16) {
    case offsetof(buffer_mgr__segment_rf_t, BASE): segment.base = value / sector_bytes_; return;
    case offsetof(buffer_mgr__segment_rf_t, SIZE): segment.size = value; return;
    case offsetof(buffer_mgr__segment_rf_t, CONTROL): break;
    default: HEADSTACK_ASSERT(false, "a register of a segment");
  }
  if ((value & 1U) != 0) segment.level = segment.produce = segment.consume = 0;
  if ((value & 3U) == 2U) {
    segment.level = 0;
    segment.consume = segment.produce;
    return;
  }
  const std::uint32_t more = value >> 16;
  if ((value & 7U) == 4U) {
    HEADSTACK_ASSERT(more <= segment.level, "what the firmware skips is there");
    const bool is_drained =
        host_enabled_ && &segments_[host_segment_] == &segment && disk_segment_ != host_segment_;
    HEADSTACK_ASSERT(!is_drained, "no skip in a ring that the host channel empties");
    segment.level -= more;
    segment.consume = (segment.consume + more) % segment.size;
    return;
  }
  if (segment.level + more > segment.size) return;
  segment.level += more;
  segment.produce = (segment.produce + more) % segment.size;
}

void FakeSoc::give(Segment& ring, Content content) {
  HEADSTACK_ASSERT(ring.level < ring.size, "a ring takes no more than its size");
  buffer_ram_[ring.base + ring.produce] = content;
  ring.produce = (ring.produce + 1) % ring.size;
  ++ring.level;
}

FakeSoc::Content FakeSoc::take(Segment& ring) {
  HEADSTACK_ASSERT(ring.level > 0, "an empty ring gives nothing");
  const Content content = buffer_ram_[ring.base + ring.consume];
  ring.consume = (ring.consume + 1) % ring.size;
  --ring.level;
  return content;
}

std::optional<FakeSoc::Content> FakeSoc::host_take() {
  Segment& ring = segments_[host_segment_];
  if (ring.level == 0) return std::nullopt;
  interrupt(buffer_, BUFFER_MGR__INTR_STATE__HOST_SECTOR_bm);
  return take(ring);
}

bool FakeSoc::host_bring(Content content) {
  Segment& ring = segments_[host_segment_];
  if (ring.level == ring.size) return false;
  interrupt(buffer_, BUFFER_MGR__INTR_STATE__HOST_SECTOR_bm);
  give(ring, content);
  return true;
}

// ------------------------------------------------------------------------------------------ media

geometry::Chs FakeSoc::place(std::uint32_t track, std::uint32_t sector) {
  return {track & 0xFFFFFFU, track >> 24, sector};
}

FakeSoc::Content FakeSoc::stored(const geometry::Chs& at) const {
  const auto found = written_.find({at.cylinder, at.head, at.sector});
  if (found != written_.end()) return found->second;
  return Content{at.cylinder} << 32 | at.head << 16 | at.sector;
}

FakeSoc::Content FakeSoc::media(std::uint32_t lba) const {
  return stored(model_.geometry().locate(lba).chs());
}

}  // namespace headstack::test
