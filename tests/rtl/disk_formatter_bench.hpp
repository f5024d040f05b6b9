// SPDX-License-Identifier: Apache-2.0
/// @file
/// The formatter between a track and a model of the buffer manager's disk port.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "Vformatter.h"
#include "formatter_regs.h"
#include "hdl_ports.hpp"
#include "tests/rtl/disk_bench.hpp"
#include "tests/rtl/disk_track.hpp"

namespace headstack::disk_test {

/// COMMAND.op, INTR_STATE and ERROR of hdl/regs/formatter.rdl.
enum Op : std::uint32_t { kOpNone = 0, kOpRead = 1, kOpWrite = 2, kOpVerify = 3, kOpAbort = 4 };
constexpr std::uint32_t kDone = FORMATTER__INTR_STATE__DONE_bm;
constexpr std::uint32_t kError = FORMATTER__INTR_STATE__ERROR_bm;
constexpr std::uint32_t kSector = FORMATTER__INTR_STATE__SECTOR_bm;
constexpr std::uint32_t kNotFound = FORMATTER__ERROR__NOT_FOUND_bm;
constexpr std::uint32_t kCheck = FORMATTER__ERROR__CHECK_bm;
constexpr std::uint32_t kOverrun = FORMATTER__ERROR__OVERRUN_bm;
constexpr std::uint32_t kUnderrun = FORMATTER__ERROR__UNDERRUN_bm;
constexpr std::uint32_t kHeader = FORMATTER__ERROR__HEADER_bm;
constexpr std::uint32_t kOffTrack = FORMATTER__ERROR__OFF_TRACK_bm;
constexpr std::uint32_t kWriteFault = FORMATTER__ERROR__WRITE_FAULT_bm;
constexpr std::uint32_t kOtherTrack = FORMATTER__ERROR__OTHER_TRACK_bm;
constexpr std::uint32_t kNoSync = FORMATTER__ERROR__NO_SYNC_bm;

/// The disk port of the buffer manager, as hdl/README.md defines it, with faults on request.
struct BufferModel {
  static constexpr std::size_t kNever = SIZE_MAX;

  // Signals towards the buffer.
  bool can_accept = true;
  std::size_t refuse_from_byte = kNever;  // byte of a sector
  Bytes filling;
  std::vector<Bytes> committed;
  std::uint32_t drops = 0;
  // Signals from the buffer.
  std::deque<Bytes> waiting;
  std::size_t taken = 0;                   // bytes of waiting.front()
  std::size_t missing_from_byte = kNever;  // byte of a sector

  bool rd_valid() const {
    return !waiting.empty() && taken < missing_from_byte && taken < waiting.front().size();
  }
  /// The port's outputs in this cycle.
  ports::DiskFromBuffer offer() const {
    const std::uint8_t byte = rd_valid() ? waiting.front()[taken] : 0xEE;
    return {{filling.size() < refuse_from_byte, rd_valid(), byte}, can_accept, !waiting.empty()};
  }

  /// Notes the events of a cycle whose outputs have settled.
  void observe(const ports::DiskToBuffer& out, const ports::DiskFromBuffer& in) {
    if (out.bytes.wr_valid && in.bytes.wr_ready) filling.push_back(out.bytes.wr_data);
    if (out.bytes.rd_ready && in.bytes.rd_valid && ++taken == waiting.front().size()) {
      waiting.pop_front();
      taken = 0;
    }
    if (out.commit) {
      committed.push_back(filling);
      filling.clear();
    }
    if (out.drop) {
      ++drops;
      filling.clear();
      taken = 0;
    }
  }
};

class FormatterBench : public BlockBench<Vformatter> {
 public:
  FormatterBench(Track& track, std::uint64_t byte_time_milliclocks, std::uint64_t start_byte = 0,
                 bool gating = false)
      : BlockBench(gating), channel_(track, byte_time_milliclocks, start_byte) {
    power_up(track);
    first_sector_ = track.format().first_sector;
  }

  /// Resets, even during an operation, and sets the registers that no operation changes.
  void power_up(const Track& track) {
    reset();
    const TrackFormat& format = track.format();
    write(offsetof(formatter_t, TRACK), format.cylinder | format.head << 24);
    write(offsetof(formatter_t, FORMAT), format.preamble | format.data << 16);
  }

  /// Starts an operation on `count` sectors, from that at `place` of the track on.
  void start(Op op, std::uint32_t place, std::uint32_t count) {
    write(offsetof(formatter_t, START), (first_sector_ + place) | count << 16);
    write(offsetof(formatter_t, INTR_STATE), kDone | kError | kSector);
    command(op);
  }
  void command(Op op) { write(offsetof(formatter_t, COMMAND), op); }

  /// Runs an operation to its end. @return its events done and error.
  std::uint32_t run(Op op, std::uint32_t place, std::uint32_t count) {
    start(op, place, count);
    return finish();
  }
  /// Waits for the end, at most for the longest possible search (16 revolutions).
  std::uint32_t finish() {
    step();  // the command reaches the sequencer in the cycle after its write
    step();
    const bool ended = step_until(17 * channel_.cycles_per_revolution(), [&] { return !busy(); });
    EXPECT_TRUE(ended) << "the operation never ends";
    return events() & (kDone | kError);
  }

  bool busy() const { return busy_; }
  std::uint32_t events() { return read(offsetof(formatter_t, INTR_STATE)); }
  std::uint32_t error() { return read(offsetof(formatter_t, ERROR)) & 0xFFFF; }
  std::uint32_t error_sector() { return read(offsetof(formatter_t, ERROR)) >> 16; }
  std::uint32_t done() { return read(offsetof(formatter_t, PROGRESS)) & 0xFFFF; }
  std::uint32_t index_pulses() { return read(offsetof(formatter_t, PROGRESS)) >> 16 & 0xFF; }

  const ports::ChannelOut& gates() const { return gates_; }
  BufferModel buffer;
  Channel& channel() { return channel_; }
  bool on_track = true;
  bool write_ready = true;
  bool write_fault = false;
  bool stray_index = false;  // an index pulse in each cycle, requested or not

 private:
  void drive() override {
    const Passing passing = channel_.step(gates_);
    model_.channel_i = ports::ChannelIn{passing.sector_pulse, passing.index_pulse || stray_index,
                                        passing.strobe, passing.nrz, write_fault}
                           .word();
    model_.heads_i = ports::Heads{on_track, write_ready, false}.word();
    model_.disk_i = buffer.offer().word();
  }

  void observe() override {
    gates_ = ports::ChannelOut::of(model_.channel_o);
    busy_ = gates_.sector_listen;
    buffer.observe(ports::DiskToBuffer::of(model_.disk_o),
                   ports::DiskFromBuffer::of(model_.disk_i));
  }

  Channel channel_;
  ports::ChannelOut gates_;
  std::uint32_t first_sector_;
  bool busy_ = false;
};

/// The sectors of a buffer, one after the other.
inline Bytes joined(const std::vector<Bytes>& sectors) {
  Bytes all;
  for (const Bytes& sector : sectors) all.insert(all.end(), sector.begin(), sector.end());
  return all;
}

/// Clock periods per byte, in 1/1000. 1680 are 42 ns, the shortest byte of the shipped drives, at a
/// clock of 25 ns. The others: every cycle, every second cycle, an odd number, a slow drive.
constexpr std::uint64_t kByteTimes[] = {1000, 1680, 2000, 5300, 70000};

}  // namespace headstack::disk_test
