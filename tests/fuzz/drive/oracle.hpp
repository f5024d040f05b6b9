// SPDX-License-Identifier: Apache-2.0
/// @file
/// Judges a drive's behaviour towards the hosts of a storyline. It follows the steps of every
/// command, tracks what SCSI-2 permits, and notes the first violation.
///
/// It uses nothing of the firmware: CDBs are judged by cdb.hpp, blocks by block_model.hpp, unit
/// attentions by attention.hpp. Every outcome passes where the standards leave a choice, or after a
/// host's misbehaviour with undefined effect.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/initiator/command.hpp"
#include "sim/initiator/queue_error.hpp"
#include "tests/fuzz/drive/attention.hpp"
#include "tests/fuzz/drive/block_model.hpp"
#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/finding.hpp"
#include "tests/fuzz/drive/limits.hpp"
#include "tests/fuzz/drive/mode_state.hpp"
#include "tests/fuzz/drive/storyline.hpp"
#include "tests/fuzz/drive/tenancy.hpp"

namespace headstack::fuzz {

/// A command, from its submission on.
struct Ticket {
  std::size_t number = 0;  // 1, 2, ...
  const Action* action = nullptr;
  Request request;
  OperationId operation = 0;  // operation in the block model; 0: none
  bool polite = false;        // sent in the calm
  bool provoked = false;      // its host misbehaves on its connections, so it may end in any way
  bool odd = false;           // it sends messages that no command needs
  bool may_be_lost = false;   // the drive may have ended it without its host's knowledge
  bool hit = false;           // an abort or a reset of any kind happened while it was outstanding
  bool overlapped = false;    // overlapped when it arrived (SCSI-2 7.5.2)
  bool unrestricts = false;   // it is a MODE SELECT of unrestricted reordering
  bool selects_control = false;           // it is a MODE SELECT of the page that has QERR
  std::optional<Picoseconds> latest{};    // time after its arrival from which it cannot end GOOD
  std::optional<LimitEnds> limit_ends{};  // limits of its host's page at its arrival
  std::uint32_t limits_version = 0;
  std::uint32_t tenancy_version = 0;  // of page 02h, when it was submitted
  std::uint32_t modes_version = 0;    // of all pages, when it was submitted
  Picoseconds submitted = 0;
  Picoseconds arrived = kOpen;
  Picoseconds ended = kOpen;     // time of its status, or of its end
  Picoseconds finished = kOpen;  // time when the sense data have come, too
};

class Oracle {
 public:
  /// Reads a block past the drive. False: its sector has a flaw.
  using Peek = std::function<bool(std::uint32_t lba, std::uint8_t* data)>;

  /// @param follows  `peek` finds a block wherever the drive has moved it.
  Oracle(const Storyline& storyline, Capacity capacity, bool blank, Peek peek,
         bool follows = false);

  /// The first finding, if any; later events are not judged.
  const std::optional<Finding>& finding() const { return finding_; }
  void report(const std::string& kind, const std::string& what, const std::string& expected,
              Picoseconds at);

  // ---- actions of hosts, and reports to them

  /// The action must outlive the oracle.
  Ticket& submit(const Action& action, Picoseconds at, bool polite);
  /// The data of a write.
  Bytes data_of(const Ticket& ticket) const;
  void arrived(Ticket& ticket, Picoseconds at);
  void ended(Ticket& ticket, const initiator::Completion& completion, Picoseconds at);
  /// A host adapter's own MODE SENSE ended with this sense data: a deferred error was reported.
  void overheard(std::size_t host, const std::vector<std::uint8_t>& sense);
  /// ABORT, ABORT TAG, CLEAR QUEUE or BUS DEVICE RESET is about to be sent, or has ended.
  void manage(const Action& action, Picoseconds at);
  void managed(const Action& action, const initiator::Completion& completion, Picoseconds at);
  void bus_reset(Picoseconds at);
  /// A host that answers no reselection loses its commands without a report (SCSI-2 6.1.4.2).
  void set_deaf(std::size_t host, bool deaf);
  /// The host's own software sent a command that may have received a unit attention: a CHECK
  /// CONDITION like any other.
  void may_have_told(std::size_t host, Picoseconds at);

  /// Whether a command of a well-behaved host waits too long. It may wait for 20 s, 1 s for each
  /// outstanding command, and the times of formats and of the spindle.
  void check_waiting(Picoseconds at);
  /// How long the bus may stay in one phase, by the outstanding commands.
  Picoseconds longest_hold() const;

  // ---- at the end

  /// All writes are on the media or lost, and each host has fetched all reports. Writes with GOOD
  /// and without a deferred error must be on the media.
  void confirm_untold();
  /// Checks that the content of the media is as the model says.
  void check_media(Picoseconds at);
  const std::deque<Ticket>& tickets() const { return tickets_; }
  /// Another host may have changed QERR without this host's knowledge: commands that it considers
  /// ended may still exist.
  bool may_mistake_queue_error() const { return may_abort_own_ && storyline_.hosts.size() > 1; }
  /// A format was begun, and none has ended well since: the drive may demand one.
  bool may_be_corrupt() const { return formats_ != 0; }
  /// Whether hosts may have moved blocks to places where others were.
  bool may_map() const { return may_map_; }
  std::size_t ended_count() const { return ended_count_; }
  BlockModel& blocks() { return blocks_; }
  std::string name(const Ticket& ticket) const;
  /// One line on how a command ended.
  static std::string outcome(const initiator::Completion& completion);

 private:
  /// A write whose media access may have failed after its GOOD.
  struct WriteAtRisk {
    OperationId operation = 0;
    std::uint8_t host = 0;
    std::uint32_t lba = 0;
    std::uint32_t blocks = 0;
    bool is_told = false;
  };

  void note_queue_error(std::size_t host);
  void object(const Ticket& ticket, const initiator::Completion& completion,
              const std::string& kind, const std::string& expected, Picoseconds at);
  void begin_attentions(const Action& action, Picoseconds at);
  void note_odd_messages(const Action& action, Picoseconds at);
  void note_modes_sent(Ticket& ticket);
  void note_modes_ended(const Ticket& ticket, const initiator::Completion& completion);
  void note_limits_sent(const Ticket& ticket);
  void note_limits_ended(const Ticket& ticket, bool good, bool is_refused);
  void forget_limits();
  const Limits& limits_of(const Ticket& ticket) const;
  std::string find_limit_error(const Ticket& ticket, std::uint8_t qualifier) const;
  /// Whether the host did not know QERR for some time while the command was out: its own MODE
  /// SELECT of that page was out, too.
  bool is_queue_error_open(const Ticket& ticket) const;
  std::optional<LimitEnds> ends_of(const Ticket& ticket) const;
  bool may_be_unavailable(const Ticket& ticket) const;
  void note_stop(const Ticket& stop);
  void note_repair(const Ticket& ticket, const initiator::Completion& completion);
  void end_operation(const Ticket& ticket, const initiator::Completion& completion);
  void check_outcome(const Ticket& ticket, const initiator::Completion& completion, Picoseconds at);
  void check_good(const Ticket& ticket, const initiator::Completion& completion, Picoseconds at);
  void check_condition(const Ticket& ticket, const initiator::Completion& completion,
                       Picoseconds at);
  std::string find_sense_error(const Ticket& ticket, const initiator::SenseCodes& sense);
  std::string find_media_sense_error(const Ticket& ticket,
                                     const initiator::SenseCodes& sense) const;
  void check_sense_data(const Ticket& ticket, const initiator::Completion& completion,
                        Picoseconds at);
  void check_tenancies(const Ticket& ticket, const initiator::Completion& completion,
                       Picoseconds at);
  void check_modes(const Ticket& ticket, const initiator::Completion& completion, Picoseconds at);
  void check_read(const Ticket& ticket, const initiator::Completion& completion, Picoseconds at);
  std::string find_stale(const Ticket& ticket, std::uint32_t lba, Version version) const;
  void check_range_on_media(std::uint32_t lba, std::uint32_t blocks, Picoseconds since,
                            Picoseconds at, const std::string& by, OperationId demanded = 0);
  Picoseconds patience_for(const Ticket& ticket) const;
  void check_patience(const Ticket& ticket, const initiator::Completion& completion,
                      Picoseconds at);
  std::optional<Version> version_at(const std::uint8_t* data, std::uint32_t lba) const;
  /// Whether an operation that begins at `begin` may find the block without any complete write.
  bool may_be_formatted(std::uint32_t lba, Picoseconds begin) const;
  bool is_flawed(std::uint32_t lba, std::uint64_t blocks) const;
  bool fails_writes(std::uint32_t lba, std::uint64_t blocks) const;
  bool is_at_risk(std::uint32_t lba, std::uint32_t blocks) const;
  /// A deferred error reports a lost write. False: this host has no such write.
  bool hear_of_loss(std::size_t host, const initiator::SenseCodes& sense);
  bool hears_all_behind(const WriteAtRisk& write) const;
  void mark_lost(const std::function<bool(const Ticket&)>& is_meant);
  void mark_hit(const std::function<bool(const Ticket&)>& is_meant);

  const Storyline& storyline_;
  Capacity capacity_;
  bool blank_;  // never-written blocks are zeros
  Peek peek_;
  bool follows_;  // blocks that the drive has moved
  std::deque<Ticket> tickets_;
  std::size_t ended_count_ = 0;
  BlockModel blocks_;
  Attentions attentions_;
  std::optional<Finding> finding_;
  std::array<std::uint32_t, Attentions::kHosts> odd_out_{};  // outstanding commands with odd
                                                             // messages
  std::array<bool, Attentions::kHosts> was_odd_{};           // whether the host has sent such a
                                                             // command
  std::array<bool, Attentions::kHosts> deaf_{};
  std::array<bool, Attentions::kHosts> careless_{};  // whether the host has not requested sense
                                                     // data

  // Modes that may be in force, by the hosts' commands.
  bool may_cache_writes_ = false;
  bool restricted_ = true;
  std::uint32_t unrestricting_ = 0;     // outstanding MODE SELECTs of unrestricted reordering
  Picoseconds unrestricted_until_ = 0;  // end of the last of them
  bool was_unrestricted_ = false;
  bool saved_unrestricted_ = false;
  bool may_clear_others_ = false;  // QERR 1h
  bool may_abort_own_ = false;     // QERR 1h or 3h
  bool may_be_stopped_ = false;
  Picoseconds stopped_since_ = kOpen;  // time since which a stop is certainly in force
  bool may_be_formatting_ = false;     // other hosts may find the drive not ready
  std::array<bool, Attentions::kHosts> has_formatted_{};
  std::uint32_t formats_ = 0;      // formats begun, or perhaps begun, since one ended well in the
                                   // calm
  std::uint32_t formats_out_ = 0;  // formats whose end was not reported to their hosts
  std::vector<WriteAtRisk> at_risk_;
  std::array<std::array<Limits, 2>, Attentions::kHosts> limits_{};  // limits for reads, and for
                                                                    // writes
  TenancyPageState tenancy_;
  ModeState modes_;
  std::vector<std::uint32_t> moved_;                 // blocks that may have moved
  bool places_known_ = true;                         // whether the places of the other blocks are
                                                     // known
  bool may_map_ = false;                             // whether any block may lie on a flaw's sector
  std::array<bool, Attentions::kHosts> may_hold_{};  // whether the host may hold a reservation
};

}  // namespace headstack::fuzz
