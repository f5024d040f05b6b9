// SPDX-License-Identifier: Apache-2.0
/// @file
/// The interfaces between the fast platform's blocks: the ports of hdl/README.md as calls.
///
/// Time: a call happens at Agenda::now(). A register access at time t is in the cycle that begins
/// with the clock edge at t. It reads values as they are after that edge. A write acts with the
/// next edge, t + kClockPeriodPs.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/units.hpp"

namespace headstack::tlm {

/// A block's registers for the core: a page of 4 KiB.
class RegisterPage {
 public:
  static constexpr std::uint32_t kWholeWord = 0xFFFF'FFFF;

  virtual ~RegisterPage() = default;
  /// Reads a register. False, with `value` unchanged, if there is no register: a bus error.
  virtual bool read(std::uint32_t offset, std::uint32_t& value) = 0;
  /// Writes the bits of `mask`, which covers whole bytes. False if there is no register.
  virtual bool write(std::uint32_t offset, std::uint32_t value,
                     std::uint32_t mask = kWholeWord) = 0;
};

/// The receiver of an interrupt line: the interrupt controller, or the core.
class InterruptSink {
 public:
  virtual ~InterruptSink() = default;
  /// Reports that a line changes to `level`. `line` is a bit number of IRQ_CTRL.PENDING; the core
  /// ignores it, since it has only one line.
  virtual void interrupt_level(unsigned line, bool level) = 0;
};

/// The receiver of the firmware's exit, which then stops: the core.
class ExitSink {
 public:
  virtual ~ExitSink() = default;
  virtual void firmware_exit(std::uint32_t code) = 0;
};

/// Lines of the interrupt controller, as irq_ctrl.rdl numbers them.
enum InterruptLine : unsigned {
  kLineScsiTarget = 0,
  kLineBufferMgr = 1,
  kLineFormatter = 2,
  kLineServo = 3,
  kLineTimer = 4,
};

/// The disk port of the buffer manager for the formatter, by whole sectors. Registers of the buffer
/// manager set the channel's direction and segment.
class SectorPort {
 public:
  /// Receives a call when firmware is about to change the channel. Without a call, room for a
  /// sector remains, and so does a waiting sector.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// Called before the change, at the access. `restarts`: a sector that has begun will begin
    /// again.
    virtual void disk_channel_changes(bool restarts) = 0;
  };

  virtual ~SectorPort() = default;
  /// Whether the channel moves sectors in and has room for a whole one (disk_o.can_accept).
  virtual bool can_accept() const = 0;
  /// Whether the channel moves sectors out and a whole one will wait, as far as known, in the cycle
  /// that begins at `cycle` (disk_o.has_sector). `cycle` is not in the past.
  virtual bool has_sector(Picoseconds cycle) const = 0;
  /// Size of a sector, SECTOR.bytes.
  virtual std::uint32_t sector_bytes() const = 0;
  /// The place for the next sector from the media, to be filled before give_sector(). There must be
  /// room.
  virtual std::uint8_t* room() = 0;
  /// Gives the credit of the sector from the media, which was good.
  virtual void give_sector() = 0;
  /// The bytes of the waiting sector, which must exist; its credit stays until take_sector().
  virtual const std::uint8_t* waiting_sector() = 0;
  /// Takes the credit of the waiting sector, which is completely on the media.
  virtual void take_sector() = 0;
  /// Drops the current sector in the cycle that begins at `cycle` (disk_i.drop).
  virtual void drop_sector(Picoseconds cycle) = 0;
  /// Sets the listener, of which there is at most one; null for none.
  virtual void listen_disk(Listener* listener) = 0;
};

/// The servo's report about the track under the head, for the formatter.
class TrackPort {
 public:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  class Listener {
   public:
    virtual ~Listener() = default;
    /// Called when on_track falls with the cycle that begins at `cycle`, at most two periods from
    /// now. The head leaves the track at `leaves`; a byte under it then is the last.
    virtual void track_lost(Picoseconds cycle, Picoseconds leaves) = 0;
    /// Called when an index pulse was captured in the cycle that ends now.
    virtual void index_captured() = 0;
    /// Called when a seek ends in the cycle that begins now: on_track is high, or the seek failed.
    virtual void seek_ended(bool on_track) = 0;
  };

  virtual ~TrackPort() = default;
  /// The first cycle from which on_track, or write_ready, stays high, as far as known. It may
  /// be in the future or long past. kNever before a seek has arrived, or without speed.
  virtual Picoseconds on_track_from() const = 0;
  virtual Picoseconds write_ready_from() const = 0;
  /// Whether the servo captures index pulses: then they come even if the formatter does not need
  /// them.
  virtual bool captures_index() const = 0;
  /// Requests a seek to TARGET for the formatter: follow_i in the cycle that begins now.
  /// seek_ended() reports its end. @return false: refused, nothing moves.
  virtual bool follow() = 0;
  /// Sets the listener, of which there is at most one; null for none.
  virtual void listen_track(Listener* listener) = 0;
};

/// The host port of the buffer manager, for the SCSI target.
class HostPort {
 public:
  /// Receives a call when bytes_ready() may have changed without a move. Causes are a credit, a
  /// switch of the channel, another segment, or the restart of a sector.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void host_port_changed() = 0;
  };

  virtual ~HostPort() = default;
  /// Whether the channel is enabled towards the host (it consumes), or from the host.
  virtual bool to_host() const = 0;
  /// Bytes that can move now in the channel's direction without another credit; 0 while it is
  /// disabled.
  virtual std::uint32_t bytes_ready() const = 0;
  /// The first cycle in which the next of these bytes can move, perhaps a few cycles from now. By
  /// then the channel has begun the sector, and fetched its first bytes from RAM. Valid while
  /// bytes_ready() > 0.
  virtual Picoseconds ready_from() const = 0;
  /// Moves bytes from the ring towards the host; `bytes` <= bytes_ready(). A sector's credit is
  /// taken with its last byte.
  virtual void read(std::uint8_t* to, std::uint32_t bytes) = 0;
  /// Moves bytes from the host into the ring; `bytes` <= bytes_ready(). A sector's credit is given
  /// with its last byte.
  virtual void write(const std::uint8_t* from, std::uint32_t bytes) = 0;
  /// Sets the listener, of which there is at most one; null for none.
  virtual void listen(Listener* listener) = 0;
};

/// The core's window on buffer RAM.
class BufferWindow {
 public:
  virtual ~BufferWindow() = default;
  /// Reads a word. `offset` is in bytes from the window's start, a multiple of 4, below
  /// HAL_BUFFER_RAM_BYTES.
  virtual std::uint32_t read_word(std::uint32_t offset) const = 0;
  virtual void write_word(std::uint32_t offset, std::uint32_t value) = 0;
};

}  // namespace headstack::tlm
