// SPDX-License-Identifier: Apache-2.0
// The firmware's core between two fakes. Below it are the blocks (fake_soc.hpp). Above it is a
// command layer that only makes tasks, moves their data at a steady rate and records their ends. It
// checks every block: a read returns the media's content, and a write changes it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "firmware/drive.h"
#include "tests/firmware/fake_soc.hpp"
#include "tests/firmware/support.hpp"

namespace headstack::test {

/// 40 cylinders, 2 heads, 10 sectors, 6000 rpm: a sector takes 40,000 ticks, every seek 80,000.
inline drive::Design design_by_hand() {
  drive::Design design = small_design();
  design.cylinders = 40;
  design.seek.pieces[0].up_to_cylinders = 39;
  design.zones[0].last_cylinder = 39;
  design.head_switch_ms = 0.5;
  design.zones[0].track_skew = 1;
  design.buffer_bytes = 128 * 512;
  return design;
}

class ServiceWorld {
 public:
  struct Options {
    std::uint32_t policy = 0;
    std::uint32_t policy_flags = 0;
    std::uint32_t policy_parameter = 0;  // the first
    std::uint32_t margin_us = 0;
    std::uint32_t host_block_ticks = 2000;         // 10 MB/s
    std::uint32_t host_phase_blocks = UINT32_MAX;  // most that one data phase moves
    std::uint32_t retries = 3;
    std::uint8_t recovery = 0;    // byte 2 of pages 01h and 07h
    ::mode_caching caching = {};  // page 08h as the firmware reads it; nothing cached
    ::mode_controller controller = {};
    std::uint32_t received_ticks = 0;  // time between the receipt of a command and its arrival
    ::mode_disconnect disconnect = {MODE_RATIO_HALF_RUN, 0, false, 0};  // page 02h, at power-on
    ::mode_write_buffer write_buffer = {};                              // page 22h
  };
  struct Ended {
    std::uint32_t lba = 0;  // of the task
    enum status status = STATUS_OK;
    std::uint32_t failed_lba = 0;
    FakeSoc::Tick tick = 0;  // when the core had finished the task
  };

  explicit ServiceWorld(const drive::Design& design) : ServiceWorld(design, Options{}) {}
  ServiceWorld(const drive::Design& design, const Options& options);
  ~ServiceWorld();

  /// Runs until the spindle is at speed and its speed is measured.
  void spin_up();
  /// Makes a command arrive now.
  ::task* submit(enum task_operation operation, std::uint32_t lba, std::uint32_t blocks,
                 enum task_attribute attribute = TASK_SIMPLE, std::uint8_t flags = 0,
                 std::uint8_t initiator = 0, const ::duration_limits* limits = nullptr);
  /// Aborts as firmware/device does: releases the bus, then the task.
  void abort(::task* task);
  /// Runs one action of the world, with the interrupts that follow. False when no action is left.
  bool step();
  /// Runs until every task has ended.
  void run();
  void run_until(FakeSoc::Tick tick);

  FakeSoc& soc() { return soc_; }
  ::drive& core() { return *drive_; }
  const std::vector<Ended>& ended() const { return ended_; }
  /// Tasks that ended by their limits, and when the limits expired.
  const std::vector<Ended>& expired() const { return expired_; }
  std::uint32_t live() const { return live_; }
  /// Events of one number since the start.
  std::vector<FakeSoc::Trace> traced(std::uint32_t number) const;
  std::uint64_t host_blocks() const { return host_blocks_; }
  /// Whether no task has a segment or a ring.
  bool buffer_is_free() const;

  // Functions that the firmware calls.
  void grant(::task* task, std::uint32_t blocks);
  void prioritize(::task* task);
  void finish(::task* task, enum status status, std::uint32_t lba);
  bool expire(::task* task, enum status why);
  const Options& options() const { return options_; }
  /// Changes modes as MODE SELECT does.
  void change_modes(const Options& options);

 private:
  void serve_interrupts();
  void begin_host();
  void host_block();
  bool move_block();
  FakeSoc::Content content(const ::task* task, std::uint32_t block) const;
  void end_host();
  void end_task(::task* task);
  void end_if_done(::task* task);

  Options options_;
  FakeSoc soc_;
  std::unique_ptr<::drive_design> table_;
  std::unique_ptr<::drive> drive_;
  std::deque<::task*> wishes_;
  std::map<const ::task*, std::uint64_t> serial_;  // numbers of the existing tasks
  std::uint64_t next_serial_ = 0;
  std::set<const ::task*> failed_;  // existing tasks that failed
  ::task* host_task_ = nullptr;
  std::uint32_t host_left_ = 0, host_moved_ = 0;
  std::uint64_t host_phase_ = 0;
  std::vector<Ended> ended_, expired_;
  std::uint32_t live_ = 0;
  std::uint64_t host_blocks_ = 0;
  bool in_core_ = false;
};

}  // namespace headstack::test
