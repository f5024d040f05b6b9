/// @file
/// How the blocks of the fast platform meet: the ports of hdl/README.md as calls.
///
/// Time: a call says what happens at Agenda::now(). A register access at time t is the cycle that
/// begins with the clock edge at t: it reads what stands behind that edge; what it writes acts with
/// the next edge, t + kClockPeriodPs.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/units.hpp"

namespace headstack::tlm {

/// A block's registers, as the core reaches them: a page of 4 KiB.
class RegisterPage {
 public:
  static constexpr std::uint32_t kWholeWord = 0xFFFF'FFFF;

  virtual ~RegisterPage() = default;
  /// False, and `value` as it was, where no register is: a bus error.
  virtual bool read(std::uint32_t offset, std::uint32_t& value) = 0;
  /// Writes the bits of `mask`, whose bytes are whole. False where no register is.
  virtual bool write(std::uint32_t offset, std::uint32_t value,
                     std::uint32_t mask = kWholeWord) = 0;
};

/// Where an interrupt line leads: the interrupt controller, and behind it the core.
class InterruptSink {
 public:
  virtual ~InterruptSink() = default;
  /// The level of a line, told when it changes; `line` is a bit number of IRQ_CTRL.PENDING, and
  /// does not matter to the core, which has only one.
  virtual void interrupt_level(unsigned line, bool level) = 0;
};

/// Who stops when firmware ends the run; the core.
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

/// The disk port of the buffer manager, as the formatter uses it: by whole sectors. Which way the
/// channel works and on which segment is the buffer manager's registers' business.
class SectorPort {
 public:
  /// Hears that firmware is about to change what the channel does: while nothing is heard, room for
  /// a sector stays room, and a sector that waits goes on waiting.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// Told before the change, at the access. `restarts`: a sector begun will be begun again.
    virtual void disk_channel_changes(bool restarts) = 0;
  };

  virtual ~SectorPort() = default;
  /// The channel brings sectors in and has room for a whole one (disk_can_accept).
  virtual bool can_accept() const = 0;
  /// The channel takes sectors out and, as things stand, a whole one waits in the cycle that begins
  /// at `cycle`, which is not in the past (disk_has_sector).
  virtual bool has_sector(Picoseconds cycle) const = 0;
  /// Size of a sector, SECTOR.bytes.
  virtual std::uint32_t sector_bytes() const = 0;
  /// Where the next sector from the media goes; to be filled before give_sector(). There must be
  /// room.
  virtual std::uint8_t* room() = 0;
  /// The sector from the media was good: gives its credit.
  virtual void give_sector() = 0;
  /// The bytes of the sector that waits; its credit stays until take_sector(). There must be one.
  virtual const std::uint8_t* waiting_sector() = 0;
  /// That sector stands on the media whole: takes its credit.
  virtual void take_sector() = 0;
  /// A sector begun comes to nothing, in the cycle that begins at `cycle` (disk_wr_drop).
  virtual void drop_sector(Picoseconds cycle) = 0;
  /// At most one listener; null for none.
  virtual void listen_disk(Listener* listener) = 0;
};

/// The servo's word on the track under the head, as the formatter uses it.
class TrackPort {
 public:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  class Listener {
   public:
    virtual ~Listener() = default;
    /// on_track_o falls with the cycle that begins at `cycle`, a period from now at most two; the
    /// head itself leaves the track, and a byte under it is the last, at `leaves`.
    virtual void track_lost(Picoseconds cycle, Picoseconds leaves) = 0;
    /// An index pulse was captured: it was there in the cycle that ends now.
    virtual void index_captured() = 0;
    /// A seek is over, in the cycle that begins now: on_track_o is high, or it came to nothing.
    virtual void seek_ended(bool on_track) = 0;
  };

  virtual ~TrackPort() = default;
  /// The first cycle in which on_track_o, or write_ready_o, is high for good, as things stand;
  /// known ahead, and perhaps long ago. kNever while no seek has arrived, or speed is wanting.
  virtual Picoseconds on_track_from() const = 0;
  virtual Picoseconds write_ready_from() const = 0;
  /// Index pulses come from the world whether the formatter wants them or not.
  virtual bool captures_index() const = 0;
  /// The formatter's word for a seek to TARGET: follow_i in the cycle that begins now. Its end is
  /// told. @return false: refused, nothing moves.
  virtual bool follow() = 0;
  /// At most one listener; null for none.
  virtual void listen_track(Listener* listener) = 0;
};

/// The host port of the buffer manager, as the SCSI target uses it.
class HostPort {
 public:
  /// Hears that bytes_ready() may have changed by other than a move: a credit, the channel
  /// switched, another segment, a sector begun anew.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void host_port_changed() = 0;
  };

  virtual ~HostPort() = default;
  /// The channel is enabled towards the host (it consumes), or from the host.
  virtual bool to_host() const = 0;
  /// Bytes that can move now in the channel's direction without another credit; 0 while it is off.
  virtual std::uint32_t bytes_ready() const = 0;
  /// The first cycle in which the next of them can move, perhaps a few behind now: the channel has
  /// begun the sector, and its first bytes have come from RAM. Valid while bytes_ready() > 0.
  virtual Picoseconds ready_from() const = 0;
  /// Takes bytes out of the ring, towards the host; `bytes` <= bytes_ready(). A sector's credit is
  /// taken with its last byte.
  virtual void read(std::uint8_t* to, std::uint32_t bytes) = 0;
  /// Brings bytes in from the host; `bytes` <= bytes_ready(). A sector's credit is given with its
  /// last byte.
  virtual void write(const std::uint8_t* from, std::uint32_t bytes) = 0;
  /// At most one listener; null for none.
  virtual void listen(Listener* listener) = 0;
};

/// The core's window on buffer RAM.
class BufferWindow {
 public:
  virtual ~BufferWindow() = default;
  /// By bytes from the window's start, a multiple of 4, inside HAL_BUFFER_RAM_BYTES.
  virtual std::uint32_t read_word(std::uint32_t offset) const = 0;
  virtual void write_word(std::uint32_t offset, std::uint32_t value) = 0;
};

}  // namespace headstack::tlm
