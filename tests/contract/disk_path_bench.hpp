// SPDX-License-Identifier: Apache-2.0
/// @file
/// Formatter and buffer manager together under a contract test: a track turns under the head, and a
/// host reads and writes sectors. The mechanics and the magnetic surface are the same on both
/// sides. The Verilated blocks see them byte by byte, through pins with soc_top's input registers,
/// by the rules of channel::HeadDiskAssembly. The test provides the servo's signals.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "Vdisk_path_top.h"
#include "sim/channel/byte_grid.hpp"
#include "sim/tlm/blocks/buffer_mgr.hpp"
#include "sim/tlm/blocks/formatter.hpp"
#include "sim/tlm/disk/disk.hpp"
#include "tests/contract/bench.hpp"
#include "tests/contract/note.hpp"

namespace headstack::contract {

using Bytes = std::vector<std::uint8_t>;

/// The servo's reaction to the formatter's seek request: it moves to a head of the cylinder, and
/// succeeds or fails after a number of cycles.
struct Follows {
  std::uint32_t head = 0;
  std::uint64_t cycles = 5;
  bool arrives = true;
  std::uint64_t settle = 0;  // cycles from the arrival until the heads are ready to write
};

/// The block of a register access.
enum class Block { kBuffer, kFormatter };

class DiskPathRtl : public disk_test::BlockBench<Vdisk_path_top> {
 public:
  DiskPathRtl(const drive::DriveDescription& description, std::uint32_t cylinder,
              std::uint32_t head)
      : disk(description) {
    reset();
    disk.seek(0, cylinder, head);
    grid_ = channel::ByteGrid(disk.track().sectors(), disk.layout().raw_bytes);
    step();
  }

  std::uint32_t read(Block block, std::uint32_t offset) {
    model_.reg_select_i = block == Block::kFormatter;
    return BlockBench::read(offset);
  }
  void write(Block block, std::uint32_t offset, std::uint32_t value) {
    model_.reg_select_i = block == Block::kFormatter;
    BlockBench::write(offset, value);
  }

  /// Sets the servo's outputs from the next cycle on, with write ready from a given cycle on. While
  /// the heads move there is no track to lose.
  void lose_track() {
    if (cycle() >= seeking_until_) on_track_until_ = cycle() + 1;
  }
  void find_track(std::uint64_t write_ready_cycle) {
    on_track_from_ = cycle() + 1;
    on_track_until_ = UINT64_MAX;
    write_ready_from_ = std::max(on_track_from_, write_ready_cycle);
  }
  /// The reaction to the formatter's next seek request.
  Follows follows;

  /// The host moves whole sectors, one byte per clock; all must be in the ring.
  Bytes host_read(std::uint32_t sectors) {
    host_data_.clear();
    host_want_ = sectors * disk.layout().data_bytes();
    while (host_data_.size() < host_want_) step();
    host_want_ = 0;
    return std::exchange(host_data_, {});
  }
  void host_write(const Bytes& data) {
    host_data_ = data;
    host_sent_ = 0;
    while (host_sent_ < host_data_.size()) step();
    if (!data.empty()) step();  // the last word reaches RAM
    host_data_.clear();
    host_sent_ = 0;
  }

  tlm::Disk disk;
  Notes notes;

 private:
  static constexpr Picoseconds kClock = tlm::kClockPeriodPs;
  static constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

  Picoseconds edge() const { return static_cast<Picoseconds>(cycle()) * kClock; }

  void drive() override {
    const bool writes = host_want_ == 0 && host_sent_ < host_data_.size();
    host_ = {writes, writes ? host_data_[host_sent_] : std::uint8_t{0xEE},
             host_want_ > 0 && host_data_.size() < host_want_};
    model_.host_i = host_.word();
    const bool on_track = cycle() >= on_track_from_ && cycle() < on_track_until_;
    model_.heads_i =
        ports::Heads{on_track, on_track && cycle() >= write_ready_from_, cycle() < seeking_until_}
            .word();
    channel_in_.index_pulse = channel_in_.sector_pulse = channel_in_.byte_strobe = false;
    if (cycle() > 0) pass(edge() - kClock, edge() - 1);
    model_.channel_i = channel_in_.word();
  }

  /// Passes the bytes and marks of the times [from, to], with the gates as they are since `from`.
  void pass(Picoseconds from, Picoseconds to) {
    if (!channel_out_.write_gate) {
      disk.surface().end_write();
      channel_in_.write_fault = false;
    }
    const std::uint64_t reached = disk.spindle().unwrapped(to);
    const std::uint64_t here = disk.angle_from(from);
    if (channel_out_.index_listen) {
      const std::uint64_t next = (std::max(here, index_passed_to_) + kTurn - 1) / kTurn * kTurn;
      channel_in_.index_pulse = reached >= next && !disk.index().is_missing(next / kTurn);
      if (reached >= next) index_passed_to_ = next + 1;
    }
    const bool strobing = channel_out_.read_gate || channel_out_.write_gate;
    if (!strobing && !channel_out_.sector_listen) return;
    const std::uint64_t angle = std::max(here, passed_to_);
    const channel::BytePlace next =
        strobing ? grid_.byte_at_or_after(angle) : grid_.mark_at_or_after(angle);
    if (reached < next.angle) return;
    passed_to_ = next.angle + 1;
    channel_in_.sector_pulse = next.byte == 0 && channel_out_.sector_listen;
    if (!strobing) return;
    channel_in_.byte_strobe = true;
    if (entered_ != next.mark_angle) {
      const std::uint32_t sectors = grid_.sectors();
      const tlm::Disk::Track& track = disk.track();
      disk.surface().enter(
          {track.cylinder, track.head, (next.mark + sectors - track.first_mark) % sectors},
          next.mark_angle / kTurn);
      entered_ = next.mark_angle;
    }
    if (channel_out_.write_gate) {
      disk.surface().write(next.byte, channel_out_.nrz);
      if (disk.surface().write_fails()) channel_in_.write_fault = true;
    } else {
      channel_in_.nrz = disk.surface().read(next.byte);
    }
  }

  void observe() override {
    const auto from_buffer = ports::BytesFromBuffer::of(model_.host_o);
    if (host_.rd_ready && from_buffer.rd_valid) host_data_.push_back(from_buffer.rd_data);
    if (host_.wr_valid && from_buffer.wr_ready) ++host_sent_;
    channel_out_ = ports::ChannelOut::of(model_.channel_o);
    if (model_.follow_o) follow();
    tell("buffer irq", buffer_irq_, model_.buffer_irq_o);
    tell("formatter irq", formatter_irq_, model_.formatter_irq_o);
  }

  void follow() {
    if (follows.arrives) disk.seek(edge(), disk.track().cylinder, follows.head);
    seeking_until_ = cycle() + follows.cycles;
    on_track_from_ = write_ready_from_ = follows.arrives ? seeking_until_ : UINT64_MAX;
    if (follows.arrives) write_ready_from_ += follows.settle;
    on_track_until_ = UINT64_MAX;
    entered_.reset();
  }

  void tell(const char* name, bool& before, bool level) {
    if (level != before) note_line(notes, cycle(), name, level);
    before = level;
  }

  channel::ByteGrid grid_;
  std::uint64_t passed_to_ = 0;
  std::uint64_t index_passed_to_ = 0;
  std::optional<std::uint64_t> entered_;
  ports::ChannelIn channel_in_;
  ports::ChannelOut channel_out_;
  ports::BytesToBuffer host_;
  std::uint64_t on_track_from_ = 1;
  std::uint64_t on_track_until_ = UINT64_MAX;
  std::uint64_t write_ready_from_ = 1;
  std::uint64_t seeking_until_ = 0;
  Bytes host_data_;
  std::size_t host_want_ = 0;
  std::size_t host_sent_ = 0;
  bool buffer_irq_ = false;
  bool formatter_irq_ = false;
};

class DiskPathTlm : private tlm::TrackPort {
 public:
  DiskPathTlm(const drive::DriveDescription& description, std::uint32_t cylinder,
              std::uint32_t head)
      : disk(description), buffer(agenda_, sink_), formatter(agenda_, sink_, disk, buffer, *this) {
    disk.seek(0, cylinder, head);
    step();
  }

  std::uint32_t read(Block block, std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_TRUE(page(block).read(offset, value));
    step();
    return value;
  }
  void write(Block block, std::uint32_t offset, std::uint32_t value) {
    sink_.writing();
    EXPECT_TRUE(page(block).write(offset, value));
    step();
  }
  std::uint64_t cycle() const { return tlm::edge_number(agenda_.now()); }
  void step(std::uint64_t cycles = 1) {
    agenda_.run_to(agenda_.now() + static_cast<Picoseconds>(cycles) * tlm::kClockPeriodPs);
  }

  void lose_track() {
    if (arrival_.is_set()) return;  // it is not on the track
    on_track_from_ = write_ready_from_ = kNever;
    const Picoseconds next = agenda_.now() + tlm::kClockPeriodPs;
    track_listener_->track_lost(next, next);
  }
  void find_track(std::uint64_t write_ready_cycle) {
    on_track_from_ = agenda_.now() + tlm::kClockPeriodPs;
    write_ready_from_ =
        std::max(on_track_from_, static_cast<Picoseconds>(write_ready_cycle) * tlm::kClockPeriodPs);
  }
  Follows follows;

  Bytes host_read(std::uint32_t sectors) {
    const std::uint32_t bytes = disk.layout().data_bytes();
    Bytes data(sectors * bytes);
    for (std::uint32_t i = 0; i < sectors; ++i) {
      wait_for_sector(bytes);  // one byte per clock
      host().read(&data[i * bytes], bytes);
    }
    return data;
  }
  void host_write(const Bytes& data) {
    const std::uint32_t bytes = disk.layout().data_bytes();
    for (std::size_t i = 0; i < data.size(); i += bytes) {
      wait_for_sector(bytes + tlm::BufferMgr::kStoreClocks);
      host().write(&data[i], bytes);
    }
  }

 private:
  tlm::HostPort& host() { return buffer; }
  tlm::RegisterPage& page(Block block) {
    if (block == Block::kFormatter) return formatter;
    return buffer;
  }
  /// Waits until this many clocks have passed since the sector's first byte.
  void wait_for_sector(std::int64_t count) {
    const Picoseconds first = std::max(agenda_.now(), host().ready_from());
    agenda_.run_to(first + tlm::clocks(count));
  }

  Picoseconds on_track_from() const override { return on_track_from_; }
  Picoseconds write_ready_from() const override { return write_ready_from_; }
  bool captures_index() const override { return false; }
  bool follow() override {
    if (follows.arrives) disk.seek(agenda_.now(), disk.track().cylinder, follows.head);
    arrives_ = follows.arrives;
    on_track_from_ = write_ready_from_ = kNever;
    track_listener_->track_lost(agenda_.now(), agenda_.now());
    arrival_.set(agenda_.now() + static_cast<Picoseconds>(follows.cycles) * tlm::kClockPeriodPs);
    return true;
  }
  void arrive() {
    if (arrives_) {
      on_track_from_ = agenda_.now();
      write_ready_from_ =
          on_track_from_ + static_cast<Picoseconds>(follows.settle) * tlm::kClockPeriodPs;
    }
    track_listener_->seek_ended(arrives_);
  }
  void listen_track(Listener* listener) override { track_listener_ = listener; }

  tlm::Agenda agenda_;
  Listener* track_listener_ = nullptr;
  tlm::Alarm arrival_{agenda_, [this] { arrive(); }};
  bool arrives_ = true;
  Picoseconds on_track_from_ = tlm::kClockPeriodPs;
  Picoseconds write_ready_from_ = tlm::kClockPeriodPs;

 public:
  tlm::Disk disk;
  Notes notes;

 private:
  NotingSink sink_{agenda_, notes};

 public:
  tlm::BufferMgr buffer;
  tlm::Formatter formatter;
};

}  // namespace headstack::contract
