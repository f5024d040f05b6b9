// SPDX-License-Identifier: Apache-2.0
/// @file
/// The buffer manager as transactions: ring segments, credits, and the bytes themselves.
///
/// Registers: hdl/regs/buffer_mgr.rdl. Reference: hdl/buffer_mgr. Bytes move by memcpy. A sector's
/// credit and its event come with the call that moves its last byte, so the caller chooses their
/// time. For the disk, that is the edge that ends the cycle of the formatter's verdict.
///
/// Delays of the block itself, in clocks of the RTL (buffer_mgr_channel.sv):
/// - A channel begins a sector kBeginClocks after the access that switches or restarts it.
/// - After a credit, or the end of the sector before, it begins in the cycle in which LEVEL shows
///   the change.
/// - The first byte towards a port can move kFetchClocks later, the first byte from a port
///   kOpenClocks later.
/// - Towards the host, a sector's credit is taken at the edge that ends its last byte's cycle: call
///   read() then.
/// - A credit from the host is given kStoreClocks after that edge: call write() then.
///
/// Not modelled:
/// - the share of RAM accesses: the core never waits for its grant;
/// - CONTROL's two clocks until LEVEL changes: it changes at once;
/// - a change of BASE or SECTOR during a sector.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "buffer_mgr_registers.hpp"
#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/clock.hpp"
#include "sim/tlm/kernel/ports.hpp"
#include "sim/zeroed_bytes.hpp"

namespace headstack::tlm {

class BufferMgr final : public BufferMgrRegisters<BufferMgr>,
                        public SectorPort,
                        public HostPort,
                        public BufferWindow {
 public:
  static constexpr std::uint32_t kRamBytes = 1U << 21;  // buffer_mgr.sv, RamBytes
  static constexpr std::uint32_t kSegments = 8;

  static constexpr std::int64_t kBeginClocks = 2;
  static constexpr std::int64_t kOpenClocks = 1;
  static constexpr std::int64_t kFetchClocks = 3;
  static constexpr std::int64_t kStoreClocks = 1;

  /// Both arguments must outlive the block.
  BufferMgr(Agenda& agenda, InterruptSink& interrupts)
      : agenda_(agenda), interrupts_(interrupts), ram_(kRamBytes) {}

  // The disk port.
  bool can_accept() const override;
  bool has_sector(Picoseconds cycle) const override;
  std::uint32_t sector_bytes() const override { return sector().bytes() & ~3U; }
  std::uint8_t* room() override;
  void give_sector() override;
  const std::uint8_t* waiting_sector() override;
  void take_sector() override;
  void drop_sector(Picoseconds cycle) override;
  void listen_disk(SectorPort::Listener* listener) override { disk_listener_ = listener; }

  // The host port.
  bool to_host() const override { return host_.consumes; }
  std::uint32_t bytes_ready() const override;
  Picoseconds ready_from() const override;
  void read(std::uint8_t* to, std::uint32_t bytes) override;
  void write(const std::uint8_t* from, std::uint32_t bytes) override;
  void listen(HostPort::Listener* listener) override { host_listener_ = listener; }

  // The core's window.
  std::uint32_t read_word(std::uint32_t offset) const override;
  void write_word(std::uint32_t offset, std::uint32_t value) override;

  /// Buffer RAM, for observers.
  const ZeroedBytes& ram() const { return ram_; }
  /// Whole sectors in a ring, below kSegments.
  std::uint32_t sectors_in(std::uint32_t ring) const { return rings_[ring].level; }

  // The functions of the registers, which those of the host port would hide.
  using BufferMgrRegisters<BufferMgr>::read;
  using BufferMgrRegisters<BufferMgr>::write;

 private:
  friend class BufferMgrRegisters<BufferMgr>;

  struct Ring {
    std::uint32_t level = 0;    // whole sectors
    std::uint32_t produce = 0;  // place of the next sector to come, below SIZE
    std::uint32_t consume = 0;  // place of the next sector to leave
  };
  struct Channel {
    bool enabled = false;
    bool consumes = false;
    std::uint32_t segment = 0;
    std::uint32_t position = 0;  // bytes of the current sector that have moved
    Picoseconds begun = 0;       // cycle in which the sector begins

    bool same_as(const Channel& other) const {
      return enabled == other.enabled && consumes == other.consumes && segment == other.segment;
    }
    bool feeds(std::uint32_t ring) const { return enabled && !consumes && segment == ring; }
    bool drains(std::uint32_t ring) const { return enabled && consumes && segment == ring; }
  };

  void on_write_sector(buffer_mgr_regs::Sector value);
  void on_write_host(buffer_mgr_regs::Host value);
  void on_write_disk(buffer_mgr_regs::Disk value);
  void on_write_segment_base(std::uint32_t index, buffer_mgr_regs::SegmentBase value);
  void on_write_segment_size(std::uint32_t index, buffer_mgr_regs::SegmentSize value);
  buffer_mgr_regs::SegmentLevel on_read_segment_level(std::uint32_t index);
  void on_write_segment_control(std::uint32_t index, buffer_mgr_regs::SegmentControl value);
  void irq_changed(bool level) { interrupts_.interrupt_level(kLineBufferMgr, level); }

  std::uint32_t size(std::uint32_t ring) const { return segment_size(ring).sectors(); }
  std::uint32_t place(std::uint32_t ring, std::uint32_t index) const;
  Picoseconds cycle_now() const { return edge_at_or_after(agenda_.now()); }
  void give(std::uint32_t ring, Channel& channel);
  void take(std::uint32_t ring, Channel& channel);
  void level_changed(std::uint32_t ring);
  void disk_sector_finished();
  void configure_host();
  void restart(Channel& channel, Picoseconds begin);
  void tell_host();
  template <class Copy>
  void move(std::uint32_t bytes, Copy copy);

  Agenda& agenda_;
  InterruptSink& interrupts_;
  SectorPort::Listener* disk_listener_ = nullptr;
  HostPort::Listener* host_listener_ = nullptr;
  ZeroedBytes ram_;
  std::array<Ring, kSegments> rings_;
  Channel host_;  // channel in effect: off while the disk channel uses the same ring in the same
                  // direction
  Channel disk_;
  std::uint32_t disk_count_ = 0;       // sectors since the disk channel was enabled; wraps
  std::vector<std::uint8_t> wrapped_;  // copy of a sector that crosses the end of RAM
};

}  // namespace headstack::tlm
