// SPDX-License-Identifier: Apache-2.0
/// @file
/// The formatter as transactions: one alarm per sector, however many others pass before it.
///
/// Registers: hdl/regs/formatter.rdl. Reference: hdl/formatter, after soc_top's input registers. A
/// strobe or pulse at time t acts in the cycle edge_after(t). Registers, events and credits show
/// its effect one clock (P) later. c is the cycle of a command, one clock after its access:
///
///     sectors, index pulses count   that pass at or after c + P (sector_listen)
///     room, data, write_ready       looked at in h = edge_after(strobe of the header's last byte)
///     overrun, underrun there       h + P
///     sector, done, check, credit   edge_after(strobe of the last check byte) + P
///     write fault                   there, too
///     not_found                     edge_after(the index pulse that is one too many) + P
///     done of an abort              c + P; writing: with the sector
///     off_track                     cycle in which on_track is low, + P
///     chained                       with the sector
///     seek to the next run's track  follow() in the cycle after the sector's
///     sectors of the next run       that pass at or after a clock before the cycle of on_track
///
/// After a sector, the search for the next begins in the cycle of its last check byte, so adjacent
/// sectors are never missed. STATUS, PROGRESS and ERROR are computed when they are read. They show
/// a command at once, two clocks earlier than the RTL.
///
/// Not modelled:
/// - a FORMAT other than the drive's, except for a preamble with which no sync mark is found;
/// - a buffer channel that is disabled and enabled again between two bytes of a sector: here this
///   is always an overrun or underrun.
///
/// Reports the sectors that it transfers to Disk::observer(): sector_began and sector_ended with
/// their exact times, both at the sector's end. Sectors that only pass are not reported.
#pragma once

#include <optional>
#include <vector>

#include "formatter_registers.hpp"
#include "sim/tlm/disk/disk.hpp"
#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/clock.hpp"
#include "sim/tlm/kernel/ports.hpp"

namespace headstack::tlm {

class Formatter final : public FormatterRegisters<Formatter>,
                        private SectorPort::Listener,
                        private TrackPort::Listener {
 public:
  /// All arguments must outlive the block.
  Formatter(Agenda& agenda, InterruptSink& interrupts, Disk& disk, SectorPort& buffer,
            TrackPort& servo);

  /// Cuts the drive's power now. The sector of which data are being written is finished, with what
  /// the buffer has for it, or ends with the byte that passed last.
  void lose_power(drive::PowerLoss loss);

 private:
  friend class FormatterRegisters<Formatter>;

  /// An angle that is never reached: no index pulse ends the search.
  static constexpr std::uint64_t kNoIndex = UINT64_MAX;

  /// The event for which the alarm is set. It is due one clock after the event's cycle, except for
  /// kDecide.
  enum class Next {
    kNothing,
    kDecide,     // decide in the header's own cycle whether there is room, or data
    kSectorEnd,  // the last check byte of a sector passes
    kNotFound,
    kLook,  // no pass and no end of the search is near: search again from here
    kStop,  // abort, or an error that stops before the sector's end
    kSeek,  // the servo moves to the next run's track and reports the end; an alarm if it refused
  };
  struct Stop {
    Picoseconds cycle = 0;
    Picoseconds leaves = 0;  // no byte passes from this time on
    bool is_abort = false;
    std::uint32_t error = 0;  // bits of ERROR
  };
  /// Index pulses and headers that passed under the head, as the registers report them.
  struct Seen {
    std::uint32_t index_pulses = 0;
    bool header_valid = false;
    std::uint32_t header_sector = 0;
    std::uint32_t errors = 0;  // bits of ERROR: header, no_sync, other_track
  };

  void on_write_command(formatter_regs::Command value);
  void on_write_track(formatter_regs::Track) {}
  void on_write_start(formatter_regs::Start) {}
  void on_write_format(formatter_regs::Format) {}
  void on_write_limit(formatter_regs::Limit) {}
  void on_write_next_track(formatter_regs::NextTrack) {}
  void on_write_next_start(formatter_regs::NextStart) {}
  formatter_regs::Status on_read_status() const;
  formatter_regs::Progress on_read_progress() const;
  formatter_regs::Error on_read_error() const;
  void irq_changed(bool level) { interrupts_.interrupt_level(kLineFormatter, level); }

  void disk_channel_changes(bool restarts) override;
  void track_lost(Picoseconds cycle, Picoseconds leaves) override;
  void index_captured() override;
  void seek_ended(bool on_track) override;

  Picoseconds now() const { return edge_at_or_after(agenda_.now()); }
  bool moves_data() const { return op_ != formatter_regs::Op::kVerify; }
  bool is_write() const { return op_ == formatter_regs::Op::kWrite; }
  bool finds_sync() const;
  bool is_on_its_track() const;
  std::uint32_t sync_given_up() const;
  media::HeaderRead header_of(const Disk::Pass& pass) const;
  std::optional<Disk::Pass> last_good_header(std::uint64_t angle) const;
  std::uint32_t header_errors(std::uint64_t angle) const;

  void take_command(formatter_regs::Op op, Picoseconds cycle);
  void begin(formatter_regs::Op op, Picoseconds cycle);
  void limit_patience(std::uint64_t from_angle);
  void search(Picoseconds from, std::uint64_t from_angle);
  bool find_pass(Picoseconds from, std::uint64_t from_angle);
  void plan_pass();
  void plan_not_found(Picoseconds from);
  void plan_look(Picoseconds from, std::uint64_t from_angle);
  Picoseconds header_cycle() const;
  bool in_data(Picoseconds cycle) const;

  void act();
  void decide();
  void end_sector();
  void chain(Picoseconds cycle);
  void follow();
  std::uint32_t transfer();
  void tell_write_fault();
  void fail(std::uint32_t error, Picoseconds cycle);
  void finish(Picoseconds cycle, std::uint32_t events);

  void request_stop(const Stop& stop);
  void stop(const Stop& stop);
  void abandon_sector(const Stop& stop);
  void disturb_read();
  void disturb_write();
  bool early(Picoseconds cycle) const;
  std::uint32_t bytes_passed(Picoseconds at) const;
  Seen seen(Picoseconds at) const;
  void keep_seen(Picoseconds cycle);
  void tell_pass();

  Agenda& agenda_;
  InterruptSink& interrupts_;
  Disk& disk_;
  SectorPort& buffer_;
  TrackPort& servo_;
  Alarm alarm_;
  Alarm command_;  // a command that could not start at its access
  formatter_regs::Op pending_op_ = formatter_regs::Op::kNone;

  // The operation.
  bool busy_ = false;
  formatter_regs::Op op_ = formatter_regs::Op::kNone;
  std::uint32_t done_ = 0;
  std::uint32_t runs_ = 0;           // chained runs that have begun
  formatter_regs::Track run_track_;  // track of the run under way
  std::uint32_t sector_ = 0;         // number of the next sector to process
  std::uint32_t left_ = 0;           // sectors left in the run, sector_ included
  bool next_named_ = false;          // a next run is named
  std::uint32_t error_ = 0;          // bits of ERROR except those of Seen, with the sector
  bool aborting_ = false;            // finish the sector being written, then stop
  Disk::Track track_;
  std::uint64_t from_angle_ = 0;        // angle of the first mark that can be found
  std::uint64_t index_angle_ = 0;       // angle of the first index pulse in PROGRESS
  std::uint64_t last_index_angle_ = 0;  // angle of the pulse that ends the search; or kNoIndex
  std::uint64_t look_angle_ = 0;        // angle at which kLook continues the search
  Seen seen_;           // counts at the end of the last operation; if frozen_, of this one
  bool frozen_ = true;  // whether seen_ has this operation's counts already
  Seen before_;         // counts on the tracks of the operation's earlier runs
  std::uint64_t before_turn_ = 0;  // turn in which the last of those runs ended

  // The next event.
  Next next_ = Next::kNothing;
  Disk::Pass pass_;
  Picoseconds pass_from_ = 0;     // a time before the pass
  Picoseconds last_byte_at_ = 0;  // time of the last check byte of the pass
  Stop stop_;                     // the stop of kStop
  std::optional<Stop> later_;     // a stop after the next event

  // The sector under way, if firmware disturbs it.
  bool credit_lost_ = false;
  std::optional<std::uint32_t> missing_from_;  // first byte of the data to write that is missing
  std::vector<std::uint8_t> scratch_;          // a sector's data
};

}  // namespace headstack::tlm
