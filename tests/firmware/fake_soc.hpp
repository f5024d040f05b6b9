// SPDX-License-Identifier: Apache-2.0
// Register models of the blocks that the firmware's core drives, with the times of the mechanics.
//
// hal_read32() and hal_write32() access timer, irq_ctrl, servo, formatter and buffer_mgr as
// hdl/regs describes them, in whole ticks. An event between two clock edges is seen at the second.
// The firmware itself takes no time. Faults are scripted.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "firmware/drive_design.h"
#include "sim/mechanics/access.hpp"

namespace headstack::test {

class FakeSoc {
 public:
  using Tick = std::uint64_t;

  explicit FakeSoc(const drive::Design& design);
  ~FakeSoc();
  FakeSoc(const FakeSoc&) = delete;
  FakeSoc& operator=(const FakeSoc&) = delete;

  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);

  Tick now() const { return now_; }
  /// Runs `action` after `ticks`; actions of one tick in the order of the calls.
  void after(Tick ticks, std::function<void()> action);
  /// Advances to the next action. False when there is none.
  bool advance();
  /// Whether an enabled interrupt is pending.
  bool interrupting() const;

  /// The content of a sector. At first, each sector of the media holds its own number.
  using Content = std::uint64_t;
  /// The host channel takes a sector out of its ring, if there is one.
  std::optional<Content> host_take();
  /// The host channel puts a sector into its ring, if there is room.
  bool host_bring(Content content);
  /// The host channel's ring, and the number of its sectors.
  std::uint32_t host_ring() const { return host_segment_; }
  std::uint32_t level(std::uint32_t segment) const { return segments_[segment].level; }
  Content media(std::uint32_t lba) const;
  /// The content of a sector in the buffer's memory, which must have been filled.
  Content buffered(std::uint32_t sector) const { return buffer_ram_.at(sector); }

  /// The next sectors that the formatter would complete fail instead, with these ERROR bits.
  void fail_sectors(const std::vector<std::uint32_t>& errors);
  /// The next seeks are refused.
  void refuse_seeks(int count) { refused_seeks_ = count; }
  /// The next movements never arrive, recalibrations too.
  void strand_movements(int count) { stranded_ = count; }
  /// From now on the firmware takes `ticks` between two looks at the time.
  void take_time(Tick ticks) { look_ticks_ = ticks; }
  /// The next runs find no sector, and no index ends their search.
  void hang_runs(int count) { hung_runs_ = count; }
  /// The spindle leaves its speed now, and regains it when it is started again; the next starts
  /// fail.
  void lose_speed(int failing_starts = 0);
  /// Makes the next starts fail, without a loss of speed before.
  void fail_starts(int count) { failing_starts_ = count; }

  /// A trace event: number, argument, tick.
  struct Trace {
    std::uint32_t number;
    std::uint32_t argument;
    Tick tick;
  };
  const std::vector<Trace>& trace() const { return trace_; }
  int seeks() const { return seeks_; }
  int recalibrations() const { return recalibrations_; }
  int starts() const { return starts_; }
  int runs() const { return runs_; }
  /// Number of runs that the formatter began by itself.
  int chained_runs() const { return all_chained_runs_; }
  /// Makes the firmware too late to name the next run, this many times.
  void miss_chains(int count) { missed_chains_ = count; }
  /// Number of acknowledged interrupts of the formatter.
  int formatter_interrupts() const { return formatter_interrupts_; }
  /// Number of acknowledged notices of the buffer manager about sectors.
  int disk_notices() const { return disk_notices_; }
  bool index_captured() const { return capture_; }
  bool host_channel_enabled() const { return host_enabled_; }

 private:
  struct Segment {
    std::uint32_t base = 0;  // sector of the buffer
    std::uint32_t size = 1;
    std::uint32_t level = 0;
    std::uint32_t produce = 0, consume = 0;  // sectors from `base`
  };
  struct Block {
    std::uint32_t state = 0;
    std::uint32_t enable = 0;
  };

  void write_servo(std::uint32_t offset, std::uint32_t value);
  void write_formatter(std::uint32_t offset, std::uint32_t value);
  void write_buffer(std::uint32_t offset, std::uint32_t value);
  void write_timer(std::uint32_t offset, std::uint32_t value);
  void seek();
  void recalibrate();
  void move(std::uint32_t to, Tick read, Tick write);
  void spin_up();
  void schedule_index();
  void start_formatter(std::uint32_t op);
  void begin_run(std::uint32_t track, std::uint32_t start);
  void chain();
  void follow();
  void next_sector();
  void sector_ends();
  void stop_formatter(std::uint32_t event, std::uint32_t error);
  Tick tick_of(Picoseconds time) const;
  static geometry::Chs place(std::uint32_t track, std::uint32_t sector);
  Content stored(const geometry::Chs& at) const;
  void give(Segment& ring, Content content);
  Content take(Segment& ring);
  static void interrupt(Block& block, std::uint32_t bits) { block.state |= bits; }

  mechanics::AccessModel model_;
  Tick now_ = 0;
  Tick look_ticks_ = 0;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<Tick, std::uint64_t>, std::function<void()>> agenda_;
  std::vector<Trace> trace_;

  std::uint32_t irq_enable_ = 0;
  Block servo_, formatter_, buffer_;

  std::uint32_t target_ = 0, position_ = 0;
  bool seeking_ = false, on_track_ = false, write_ready_ = false, at_speed_ = false;
  bool capture_ = false;
  std::uint64_t index_turn_ = 0, capture_begin_ = 0;
  Tick index_tick_ = 0;
  std::uint32_t index_count_ = 0;
  int stranded_ = 0, hung_runs_ = 0, failing_starts_ = 0, recalibrations_ = 0, starts_ = 0;
  std::uint64_t movement_ = 0, spin_ = 0;  // guard against actions of finished operations
  std::uint64_t timer_due_ = 0, timer_setting_ = 0;
  bool timer_enabled_ = false;
  int refused_seeks_ = 0, seeks_ = 0, runs_ = 0, formatter_interrupts_ = 0, disk_notices_ = 0;
  int all_chained_runs_ = 0, missed_chains_ = 0;

  std::uint32_t track_ = 0, start_ = 0, op_ = 0, done_ = 0, error_ = 0;
  std::uint32_t next_track_ = 0, next_start_ = 0, chained_runs_ = 0;
  std::uint32_t run_track_ = 0, run_sector_ = 0, run_left_ = 0;  // the current run
  bool busy_ = false, next_named_ = false, follows_ = false;
  std::uint64_t run_ = 0;        // guards against actions of a finished operation
  Picoseconds sector_from_ = 0;  // when the head is free for the next sector
  std::deque<std::uint32_t> faults_;

  Segment segments_[8];
  std::uint32_t disk_segment_ = 0, host_segment_ = 0;
  std::uint32_t sector_bytes_ = 512;
  std::map<std::uint32_t, Content> buffer_ram_;  // by sector
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Content> written_;
  std::uint32_t disk_notice_ = 0, disk_count_ = 0;
  bool disk_enabled_ = false, host_enabled_ = false;
};

}  // namespace headstack::test
