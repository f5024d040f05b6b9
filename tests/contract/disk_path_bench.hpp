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

  /// Sets the servo's outputs from the next cycle on; write ready from a cycle on. While the heads
  /// move there is no track to lose.
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
    model_.host_rd_ready_i = host_want_ > 0 && host_data_.size() < host_want_;
    model_.host_wr_valid_i = host_want_ == 0 && host_sent_ < host_data_.size();
    model_.host_wr_data_i = model_.host_wr_valid_i ? host_data_[host_sent_] : 0xEE;
    model_.on_track_i = cycle() >= on_track_from_ && cycle() < on_track_until_;
    model_.write_ready_i = model_.on_track_i && cycle() >= write_ready_from_;
    model_.seeking_i = cycle() < seeking_until_;
    model_.index_pulse_i = model_.sector_pulse_i = model_.byte_strobe_i = 0;
    if (cycle() > 0) pass(edge() - kClock, edge() - 1);
  }

  /// Passes the bytes and marks of the times [from, to], with the gates as they are since `from`.
  void pass(Picoseconds from, Picoseconds to) {
    if (!write_gate_) {
      disk.surface().end_write();
      model_.write_fault_i = 0;
    }
    const std::uint64_t reached = disk.spindle().unwrapped(to);
    const std::uint64_t here = disk.angle_from(from);
    if (index_listen_) {
      const std::uint64_t next = (std::max(here, index_passed_to_) + kTurn - 1) / kTurn * kTurn;
      model_.index_pulse_i = reached >= next && !disk.index().is_missing(next / kTurn);
      if (reached >= next) index_passed_to_ = next + 1;
    }
    const bool strobing = read_gate_ || write_gate_;
    if (!strobing && !sector_listen_) return;
    const std::uint64_t angle = std::max(here, passed_to_);
    const channel::BytePlace next =
        strobing ? grid_.byte_at_or_after(angle) : grid_.mark_at_or_after(angle);
    if (reached < next.angle) return;
    passed_to_ = next.angle + 1;
    model_.sector_pulse_i = next.byte == 0 && sector_listen_;
    if (!strobing) return;
    model_.byte_strobe_i = 1;
    if (entered_ != next.mark_angle) {
      const std::uint32_t sectors = grid_.sectors();
      const tlm::Disk::Track& track = disk.track();
      disk.surface().enter(
          {track.cylinder, track.head, (next.mark + sectors - track.first_mark) % sectors},
          next.mark_angle / kTurn);
      entered_ = next.mark_angle;
    }
    if (write_gate_) {
      disk.surface().write(next.byte, nrz_);
      if (disk.surface().write_fails()) model_.write_fault_i = 1;
    } else {
      model_.nrz_i = disk.surface().read(next.byte);
    }
  }

  void observe() override {
    if (model_.host_rd_ready_i && model_.host_rd_valid_o) {
      host_data_.push_back(model_.host_rd_data_o);
    }
    if (model_.host_wr_valid_i && model_.host_wr_ready_o) ++host_sent_;
    read_gate_ = model_.read_gate_o;
    write_gate_ = model_.write_gate_o;
    nrz_ = model_.nrz_o;
    index_listen_ = model_.index_listen_o;
    sector_listen_ = model_.sector_listen_o;
    if (model_.seek_o) follow();
    tell("buffer irq", buffer_irq_, model_.buffer_irq_o);
    tell("formatter irq", formatter_irq_, model_.formatter_irq_o);
  }

  void follow() {
    if (follows.arrives) disk.seek(edge(), disk.track().cylinder, follows.head);
    seeking_until_ = cycle() + follows.cycles;
    on_track_from_ = write_ready_from_ = follows.arrives ? seeking_until_ : UINT64_MAX;
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
  bool read_gate_ = false;
  bool write_gate_ = false;
  bool index_listen_ = false;
  bool sector_listen_ = false;
  std::uint8_t nrz_ = 0;
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
    if (arrives_) on_track_from_ = write_ready_from_ = agenda_.now();
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
