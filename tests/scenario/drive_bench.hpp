/// @file
/// The fixture of the scenarios: a whole drive on a bus, one or more hosts, and simulated time.
///
/// A test powers on, submits, waits, and looks at completions and media. At its end the fixture
/// holds every test to the same: no breach of the bus's protocol, firmware running, nothing left
/// in flight, bus free. SystemC elaborates once per process: one power_on() per test, and CTest
/// runs each test in its own.
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

/// A small drive, quick to simulate: 6000 rpm (10 ms), 2 heads, 60 cylinders in two zones of 20 and
/// 16 sectors per track, 2,160 blocks; seeks of 2 ms + 0.1 ms per cylinder; 128 KiB of buffer; as
/// fast and wide on the bus as the electronics; 200 ms to speed, 100 ms to rest.
drive::DriveDescription small_drive();

/// Hosts' configurations: what is negotiated for, and the id.
initiator::Config host_config(initiator::Agreement agreement, std::uint8_t id = 7);

class DriveBench : public testing::Test {
 protected:
  using Ticket = std::size_t;  // 0, 1, ... in the order of submission, of all hosts

  using Setup = PlatformSetup;
  /// small_drive() at speed, and one host that negotiates for nothing.
  static Setup plain_setup();
  /// The same with a host that negotiates for the fastest.
  static Setup fast_setup();

  /// Time 0. The firmware starts; unit attentions wait for every host.
  void power_on(const Setup& setup);
  void power_on() { power_on(plain_setup()); }
  /// The same, then TEST UNIT READY from every host until GOOD: no unit attention is left.
  void power_on_ready(const Setup& setup);
  void power_on_ready() { power_on_ready(plain_setup()); }
  void power_on_fast() { power_on_ready(fast_setup()); }

  void TearDown() override;

  // ---- commands

  Ticket submit(Command command, std::size_t host = 0);
  Ticket manage(initiator::ManagementKind kind, std::uint16_t tag = 0, std::size_t host = 0);
  bool is_done(Ticket ticket) const { return results_[ticket].has_value(); }
  /// Of a command that is done.
  const Completion& result(Ticket ticket) const { return *results_[ticket]; }
  /// Simulates until the command is done. Throws past the limit.
  const Completion& await(Ticket ticket, Picoseconds limit = kPatience);
  void await_all(Picoseconds limit = kPatience);
  /// submit() and await().
  Completion execute(Command command, std::size_t host = 0);
  /// outcome() of execute().
  std::string run(Command command, std::size_t host = 0) {
    return outcome(execute(std::move(command), host));
  }
  /// Tickets in the order in which their commands were done.
  const std::vector<Ticket>& order() const { return order_; }
  /// Place of a ticket in order().
  std::size_t place(Ticket ticket) const;
  initiator::HostAdapter& host(std::size_t index = 0) { return platform_->host(index); }

  // ---- time

  /// Simulates until `condition` holds, looked at every `step`. Throws past the limit.
  void run_until(const std::function<bool()>& condition, Picoseconds limit = kPatience,
                 Picoseconds step = 100 * kMicrosecond);
  void run_for(Picoseconds time) { platform_->run_until(platform_->now() + time); }
  /// Until the bus is in this phase, and for so long after.
  void run_into(bus::Phase phase, Picoseconds and_for = 0);

  // ---- drive

  Platform& platform() { return *platform_; }
  std::uint32_t capacity() const { return capacity_; }

  /// What the blocks should hold; content by replay::BlockData.
  replay::BlockData& blocks() { return blocks_; }
  /// Puts a new version of these blocks on the media, past the drive; returns it.
  Bytes prepare(std::uint32_t lba, std::uint32_t count);
  /// What lies on the media, past the drive.
  Bytes peek(std::uint32_t lba, std::uint32_t count);
  /// A read of this ticket brought what blocks() expects there.
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
