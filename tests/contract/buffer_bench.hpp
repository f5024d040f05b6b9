// SPDX-License-Identifier: Apache-2.0
/// @file
/// The buffer manager under a contract test. Host, disk and core move bytes at its ports, one byte
/// per clock, from the first possible cycle on.
#pragma once

#include <algorithm>
#include <utility>

#include "sim/tlm/blocks/buffer_mgr.hpp"
#include "tests/contract/bench.hpp"
#include "tests/contract/note.hpp"
#include "tests/rtl/disk_buffer_bench.hpp"

namespace headstack::contract {

using disk_test::Bytes;

/// Signals of disk_o.
struct DiskReady {
  bool can_accept = false;
  bool has_sector = false;
};

class BufferRtl : public disk_test::BufferBench {
 public:
  /// Makes the host channel begin its sector anew.
  void host_restarts() { host_position_ = 0; }

  Bytes host_read(std::uint32_t bytes, std::uint32_t /*sector_bytes*/) {
    host.want = bytes;
    while (host.want > 0) step();
    return std::exchange(host.received, {});
  }
  void host_write(const Bytes& data, std::uint32_t sector_bytes) {
    host.send(data);
    while (!host.to_send.empty()) step();
    host_position_ = (host_position_ + data.size()) % sector_bytes;
    if (!data.empty() && host_position_ == 0) step();  // the last word reaches RAM
  }
  void disk_put(const Bytes& data, bool good) {
    disk.send(data);
    while (!disk.to_send.empty()) step();
    step();
    good ? commit() : drop();
  }
  Bytes disk_get(std::uint32_t bytes, bool whole) {
    disk.want = bytes;
    while (disk.want > 0) step();
    if (!whole) drop();
    return std::exchange(disk.received, {});
  }
  std::uint32_t window(bool write, std::uint32_t offset, std::uint32_t value) {
    return core(write, offset, value);
  }
  DiskReady disk_ready() {
    step();
    return {can_accept, has_sector};
  }
  bool irq() {
    model_.eval();
    return model_.irq_o;
  }

  Notes notes;

 private:
  void observe() override {
    BufferBench::observe();
    if (model_.irq_o != irq_) note_line(notes, cycle(), "buffer irq", model_.irq_o);
    irq_ = model_.irq_o;
  }
  bool irq_ = false;
  std::size_t host_position_ = 0;  // bytes written of the current sector
};

class BufferTlm : public TlmBench {
 public:
  void write(std::size_t offset, std::uint32_t value, std::uint32_t byte_enables = 0xF) {
    sink_.writing();
    TlmBench::write(offset, value, byte_enables);
  }
  bool irq() { return sink_.level(tlm::kLineBufferMgr); }

  Bytes host_read(std::uint32_t bytes, std::uint32_t sector_bytes) {
    Bytes data(bytes);
    for (std::uint32_t at = 0; at < bytes;) {
      const std::uint32_t part = std::min(bytes - at, sector_bytes - host_position_);
      wait(part);
      host().read(&data[at], part);
      host_position_ = (host_position_ + part) % sector_bytes;
      at += part;
    }
    return data;
  }
  void host_write(const Bytes& data, std::uint32_t sector_bytes) {
    for (std::uint32_t at = 0; at < data.size();) {
      const auto left = static_cast<std::uint32_t>(data.size()) - at;
      const std::uint32_t part = std::min(left, sector_bytes - host_position_);
      const bool whole = host_position_ + part == sector_bytes;
      wait(part + (whole ? tlm::BufferMgr::kStoreClocks : 0));
      host().write(&data[at], part);
      host_position_ = (host_position_ + part) % sector_bytes;
      at += part;
    }
  }
  /// Makes the host channel begin its sector anew.
  void host_restarts() { host_position_ = 0; }

  void disk_put(const Bytes& data, bool good) {
    step(data.size() + 1);
    if (good) {
      step();
      std::copy(data.begin(), data.end(), disk().room());
      disk().give_sector();
    } else {
      std::copy(data.begin(), data.end(), disk().room());  // the data are in RAM in any case
      disk().drop_sector(agenda_.now());
      step();
    }
  }
  Bytes disk_get(std::uint32_t bytes, bool whole) {
    const std::uint8_t* sector = disk().waiting_sector();
    Bytes data(sector, sector + bytes);
    step(bytes);
    if (whole) {
      disk().take_sector();
    } else {
      disk().drop_sector(agenda_.now());
      step();
    }
    return data;
  }
  std::uint32_t window(bool write, std::uint32_t offset, std::uint32_t value) {
    std::uint32_t answer = 0;
    tlm::BufferWindow& ram = buffer;
    write ? ram.write_word(offset, value) : void(answer = ram.read_word(offset));
    step(2);  // grant, answer
    return answer;
  }
  DiskReady disk_ready() {
    const DiskReady ready{disk().can_accept(), disk().has_sector(agenda_.now())};
    step();
    return ready;
  }

  Notes notes;

 private:
  tlm::RegisterPage& page() override { return buffer; }
  tlm::HostPort& host() { return buffer; }
  tlm::SectorPort& disk() { return buffer; }
  /// Waits until this many clocks have passed since the next byte can move.
  void wait(std::int64_t count) {
    agenda_.run_to(std::max(agenda_.now(), host().ready_from()) + tlm::clocks(count));
  }

  NotingSink sink_{agenda_, notes};
  std::uint32_t host_position_ = 0;  // bytes of the current sector

 public:
  tlm::BufferMgr buffer{agenda_, sink_};
};

}  // namespace headstack::contract
