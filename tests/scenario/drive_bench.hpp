// SPDX-License-Identifier: Apache-2.0
/// @file
/// The fixture of the scenarios: a whole drive on a bus, one or more hosts, and simulated time.
///
/// A test powers on, submits, waits, and checks completions and media. At the end of every test the
/// fixture checks the same: no violation of the bus's protocol, firmware running, no command
/// outstanding, bus free. SystemC elaborates once per process: one power_on() per test, and CTest
/// runs each test in its own process.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/replay/block_data.hpp"
#include "tests/scenario/commands.hpp"
#include "tests/scenario/platform.hpp"

namespace headstack::scenario {

constexpr Picoseconds kMicrosecond = kPicosecondsPerMillisecond / 1'000;
constexpr Picoseconds kMillisecond = kPicosecondsPerMillisecond;

/// A small drive that is fast to simulate. 6000 rpm (10 ms), 2 heads, 60 cylinders in two zones of
/// 20 and 16 sectors per track, 2,160 blocks. Seeks take 2 ms + 0.1 ms per cylinder. It has 128 KiB
/// of buffer, and the fastest and widest bus of the electronics. It takes 200 ms to speed, 100 ms
/// to rest.
drive::DriveDescription small_drive();

/// A host's configuration: the agreement to negotiate for, and the id.
initiator::Config host_config(initiator::Agreement agreement, std::uint8_t id = 7);

class DriveBench : public testing::Test {
 protected:
  using Ticket = std::size_t;  // 0, 1, ... in the order of submission, over all hosts

  using Setup = PlatformSetup;
  /// small_drive() at speed, and one host that does not negotiate.
  static Setup plain_setup();
  /// The same drive with a host that negotiates for the fastest transfers.
  static Setup fast_setup();
  /// The same drive with a store: it can save mode pages (firmware/transfer/store.h).
  static Setup stored_setup();

  /// Switches the power on at time 0. The firmware starts, with unit attentions for every host.
  void power_on(const Setup& setup);
  void power_on() { power_on(plain_setup()); }
  /// Powers on, and sends TEST UNIT READY from every host until GOOD: no unit attention is left.
  void power_on_ready(const Setup& setup);
  void power_on_ready() { power_on_ready(plain_setup()); }
  void power_on_fast() { power_on_ready(fast_setup()); }

  void TearDown() override;

  // ---- commands

  Ticket submit(Command command, std::size_t host = 0);
  Ticket manage(initiator::ManagementKind kind, std::uint16_t tag = 0, std::size_t host = 0);
  bool is_done(Ticket ticket) const { return results_[ticket].has_value(); }
  /// The completion of a command that is done.
  const Completion& result(Ticket ticket) const { return *results_[ticket]; }
  /// Simulates until the command is done. Throws past the limit.
  const Completion& await(Ticket ticket, Picoseconds limit = kPatience);
  void await_all(Picoseconds limit = kPatience);
  /// Submits a command and awaits it.
  Completion execute(Command command, std::size_t host = 0);
  /// Executes a command, and returns its outcome().
  std::string run(Command command, std::size_t host = 0) {
    return outcome(execute(std::move(command), host));
  }
  /// Tickets in the order in which their commands were done.
  const std::vector<Ticket>& order() const { return order_; }
  /// Place of a ticket in order().
  std::size_t place(Ticket ticket) const;
  initiator::HostAdapter& host(std::size_t index = 0) { return platform_->host(index); }

  // ---- time

  /// Simulates until `condition` holds, checked every `step`. Throws past the limit.
  void run_until(const std::function<bool()>& condition, Picoseconds limit = kPatience,
                 Picoseconds step = 100 * kMicrosecond);
  void run_for(Picoseconds time) { platform_->run_until(platform_->now() + time); }
  /// Simulates until the bus is in this phase, and for `and_for` after.
  void run_into(bus::Phase phase, Picoseconds and_for = 0);

  // ---- drive

  Platform& platform() { return *platform_; }
  std::uint32_t capacity() const { return capacity_; }

  /// The expected content of the blocks, from replay::BlockData.
  replay::BlockData& blocks() { return blocks_; }
  /// Puts a new version of these blocks on the media without the drive; returns it.
  Bytes prepare(std::uint32_t lba, std::uint32_t count);
  /// The content of the media, read without the drive.
  Bytes peek(std::uint32_t lba, std::uint32_t count);
  /// Expects that a read returned the content of blocks().
  void expect_data(const Completion& completion, std::uint32_t lba, std::uint32_t count);
  /// Reads by READ(10), and expects GOOD and the data.
  void expect_reads_back(std::uint32_t lba, std::uint32_t count, std::size_t host = 0);
  /// Every block holds all of its old or all of its new bytes; returns how many are new.
  std::size_t expect_old_or_new(std::uint32_t lba, const Bytes& before, const Bytes& after);

  static constexpr Picoseconds kPatience = 5 * kPicosecondsPerSecond;

 private:
  media::SectorIndex index_of(std::uint32_t lba);

  std::unique_ptr<Platform> platform_;
  std::size_t host_count_ = 0;
  std::uint32_t capacity_ = 0;
  replay::BlockData blocks_{1, kBlockBytes};
  std::deque<std::optional<Completion>> results_;
  std::vector<Ticket> order_;
};

}  // namespace headstack::scenario
