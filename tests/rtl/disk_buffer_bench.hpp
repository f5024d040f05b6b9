// SPDX-License-Identifier: Apache-2.0
/// @file
/// The buffer manager with a driver on each port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "Vbuffer_mgr.h"
#include "buffer_mgr_regs.h"
#include "hdl_ports.hpp"
#include "tests/rtl/disk_bench.hpp"

namespace headstack::disk_test {

using Bytes = std::vector<std::uint8_t>;

/// HOST and DISK: bit 4 is the direction, bit 8 the enable, in both.
constexpr std::uint32_t kConsume = BUFFER_MGR__HOST__TO_HOST_bm;
constexpr std::uint32_t kEnable = BUFFER_MGR__HOST__ENABLE_bm;
constexpr std::uint32_t kHostSector = BUFFER_MGR__INTR_STATE__HOST_SECTOR_bm;
constexpr std::uint32_t kDiskSector = BUFFER_MGR__INTR_STATE__DISK_SECTOR_bm;

/// The bytes of one side: sends those of `to_send`, and takes bytes into `received`.
struct BytePort {
  std::deque<std::uint8_t> to_send;
  Bytes received;
  std::size_t want = 0;  // bytes it can still take
  bool pause = false;    // neither offers nor takes in this cycle
  std::size_t sent = 0;
  std::uint64_t refused = 0;  // cycles in which an offered byte was not taken
  std::uint64_t starved = 0;  // cycles in which a wanted byte was missing

  void send(const Bytes& bytes) { to_send.insert(to_send.end(), bytes.begin(), bytes.end()); }
  /// The port's inputs in this cycle.
  ports::BytesToBuffer offer() const {
    return {!pause && !to_send.empty(), to_send.empty() ? std::uint8_t{0xEE} : to_send.front(),
            !pause && want > 0};
  }
};

class BufferBench : public BlockBench<Vbuffer_mgr> {
 public:
  explicit BufferBench(bool gating = false) : BlockBench(gating) { reset(); }

  static std::size_t segment(std::uint32_t number, std::size_t offset) {
    return offsetof(buffer_mgr_t, SEGMENT) + number * sizeof(buffer_mgr__segment_rf_t) + offset;
  }
  void set_sector(std::uint32_t bytes) { write(offsetof(buffer_mgr_t, SECTOR), bytes); }
  void set_segment(std::uint32_t number, std::uint32_t base, std::uint32_t sectors) {
    write(segment(number, offsetof(buffer_mgr__segment_rf_t, BASE)), base);
    write(segment(number, offsetof(buffer_mgr__segment_rf_t, SIZE)), sectors);
    control(number, 1);
  }
  void control(std::uint32_t number, std::uint32_t value, std::uint32_t byte_enables = 0xF) {
    write(segment(number, offsetof(buffer_mgr__segment_rf_t, CONTROL)), value, byte_enables);
  }
  std::uint32_t level(std::uint32_t number) {
    return read(segment(number, offsetof(buffer_mgr__segment_rf_t, LEVEL)));
  }
  void set_host(std::uint32_t value) { write(offsetof(buffer_mgr_t, HOST), value); }
  void set_disk(std::uint32_t value) { write(offsetof(buffer_mgr_t, DISK), value); }
  void commit() { verdict(true, false); }
  void drop() { verdict(false, true); }
  std::uint32_t events() { return read(offsetof(buffer_mgr_t, INTR_STATE)); }

  /// One access through the core's window.
  std::uint32_t core(bool write, std::uint32_t address, std::uint32_t data = 0,
                     std::uint32_t byte_enables = 0xF) {
    model_.core_req_i = 1;
    model_.core_we_i = write;
    model_.core_addr_i = address;
    model_.core_wdata_i = data;
    model_.core_be_i = static_cast<std::uint8_t>(byte_enables);
    step();
    model_.core_req_i = 0;
    core_answered_ = false;
    step();
    core_answer_in_time = core_answered_;
    return core_data_;
  }
  std::uint8_t core_byte(std::uint32_t address) {
    return static_cast<std::uint8_t>(core(false, address & ~3U) >> 8 * (address & 3U));
  }
  bool core_answer_in_time = false;

  BytePort host;
  BytePort disk;
  bool can_accept = false;
  bool has_sector = false;

 private:
  void verdict(bool good, bool bad) {
    disk_in.commit = good;
    disk_in.drop = bad;
    step();
    disk_in.commit = disk_in.drop = false;
  }

  void drive() override {
    host_in_ = host.offer();
    disk_in.bytes = disk.offer();
    model_.host_i = host_in_.word();
    model_.disk_i = disk_in.word();
  }

  static void take(BytePort& port, const ports::BytesToBuffer& in,
                   const ports::BytesFromBuffer& out) {
    if (in.wr_valid && out.wr_ready) {
      port.to_send.pop_front();
      ++port.sent;
    }
    if (out.rd_valid && in.rd_ready) {
      port.received.push_back(out.rd_data);
      --port.want;
    }
    port.refused += in.wr_valid && !out.wr_ready;
    port.starved += in.rd_ready && !out.rd_valid;
  }

  ports::BytesToBuffer host_in_;

  bool core_answered_ = false;
  std::uint32_t core_data_ = 0;

 protected:
  ports::DiskToBuffer disk_in;  // inputs of the last cycle; their verdict is that of the next cycle

  void observe() override {
    take(host, host_in_, ports::BytesFromBuffer::of(model_.host_o));
    const ports::DiskFromBuffer out = ports::DiskFromBuffer::of(model_.disk_o);
    take(disk, disk_in.bytes, out.bytes);
    can_accept = out.can_accept;
    has_sector = out.has_sector;
    if (model_.core_rvalid_o) {
      core_answered_ = true;
      core_data_ = model_.core_rdata_o;
    }
  }
};

/// Bytes that differ from sector to sector and from byte to byte.
inline Bytes pattern(std::size_t bytes, std::uint32_t seed) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<std::uint8_t>(i * 7 + (i >> 8) + seed * 59 + 3);
  }
  return data;
}

}  // namespace headstack::disk_test
