/// @file
/// Judges what a drive does to the hosts of a storyline. It hears of every command's steps, keeps
/// what SCSI-2 lets the drive do, and notes the first thing that it does not.
///
/// It believes nothing that the firmware says of itself: facts of a CDB are cdb.hpp's, of blocks
/// block_model.hpp's, of unit attentions attention.hpp's. Where the standards leave a choice, or
/// where a host misbehaved in a way whose outcome is open, every outcome passes.
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
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// A command, from its submission on.
struct Ticket {
  std::size_t number = 0;  // 1, 2, ...
  const Action* action = nullptr;
  Request request;
  OperationId operation = 0;  // of the block model; 0: none
  bool polite = false;        // behind the storm
  bool provoked = false;      // the host misbehaves on its connections: it may end in any way
  bool odd = false;           // it says messages that no command needs
  bool may_be_lost = false;   // the drive may have ended it in a way that its host does not hear of
  bool hit = false;           // an abort or a reset of any kind was about, while it was out
  bool overlapped = false;    // SCSI-2 7.5.2, when it arrived
  bool unrestricts = false;   // MODE SELECT of unrestricted reordering
  std::optional<Picoseconds> latest{};    // it cannot be GOOD any more so long behind its arrival
  std::optional<LimitEnds> limit_ends{};  // as its host's page had them when it arrived
  std::uint32_t limits_version = 0;
  Picoseconds submitted = 0;
  Picoseconds arrived = kOpen;
  Picoseconds ended = kOpen;     // its status, or the time of what ended it
  Picoseconds finished = kOpen;  // the sense data are there, too
};

class Oracle {
 public:
  /// Reads a block past the drive.
  using Peek = std::function<void(std::uint32_t lba, std::uint8_t* data)>;

  Oracle(const Storyline& storyline, Capacity capacity, bool blank, Peek peek);

  /// The first finding, if any; nothing is judged behind it.
  const std::optional<Finding>& finding() const { return finding_; }
  void report(const std::string& kind, const std::string& what, const std::string& expected,
              Picoseconds at);

  // ---- what hosts do and hear

  /// The action must outlive the oracle.
  Ticket& submit(const Action& action, Picoseconds at, bool polite);
  /// What a write sends.
  Bytes data_of(const Ticket& ticket) const;
  void arrived(Ticket& ticket, Picoseconds at);
  void ended(Ticket& ticket, const initiator::Completion& completion, Picoseconds at);
  /// A host adapter's own MODE SENSE ended with this sense data: a deferred error has been told.
  void overheard(std::size_t host, const std::vector<std::uint8_t>& sense);
  /// ABORT, ABORT TAG, CLEAR QUEUE, BUS DEVICE RESET is about to be sent; and how that ended.
  void manage(const Action& action, Picoseconds at);
  void managed(const Action& action, const initiator::Completion& completion, Picoseconds at);
  void bus_reset(Picoseconds at);
  /// A host that answers no reselection loses its commands, and is not told (SCSI-2 6.1.4.2).
  void set_deaf(std::size_t host, bool deaf);
  /// The host's own software sent a command that may have met a unit attention: a CHECK CONDITION
  /// like any other.
  void may_have_told(std::size_t host, Picoseconds at);

  // ---- when all is over

  /// All writes are on the media, or lost, and each host has asked until it heard of no more: of
  /// the writes whose GOOD was out, those that no deferred error told of are there.
  void confirm_untold();
  /// Everything that is on the media now is as the model says.
  void check_media(Picoseconds at);
  const std::deque<Ticket>& tickets() const { return tickets_; }
  /// Another host may have changed QERR, and this one has not heard of it: what it takes for ended
  /// may still be there.
  bool may_mistake_queue_error() const { return may_abort_own_ && storyline_.hosts.size() > 1; }
  /// A format was begun, and none has ended well since: the drive may ask for one.
  bool may_be_corrupt() const { return formats_ != 0; }
  std::size_t ended_count() const { return ended_count_; }
  BlockModel& blocks() { return blocks_; }
  std::string name(const Ticket& ticket) const;
  /// One line of how a command ended.
  static std::string outcome(const initiator::Completion& completion);

 private:
  /// A write behind whose GOOD the media failed, perhaps.
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
  void note_modes_ended(const Ticket& ticket, bool good);
  void note_limits_sent(const Ticket& ticket);
  void note_limits_ended(const Ticket& ticket, bool good);
  void forget_limits();
  const Limits& limits_of(const Ticket& ticket) const;
  std::string find_limit_error(const Ticket& ticket, std::uint8_t qualifier) const;
  std::optional<LimitEnds> ends_of(const Ticket& ticket) const;
  bool may_be_unavailable(const Ticket& ticket) const;
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
  void check_read(const Ticket& ticket, const initiator::Completion& completion, Picoseconds at);
  void check_range_on_media(std::uint32_t lba, std::uint32_t blocks, Picoseconds since,
                            Picoseconds at, const std::string& by, OperationId demanded = 0);
  void check_patience(const Ticket& ticket, const initiator::Completion& completion,
                      Picoseconds at);
  std::optional<Version> version_at(const std::uint8_t* data, std::uint32_t lba) const;
  /// For who asks at `begin`: no write, whole, need be on the block.
  bool may_be_formatted(std::uint32_t lba, Picoseconds begin) const;
  bool is_flawed(std::uint32_t lba, std::uint64_t blocks) const;
  bool fails_writes(std::uint32_t lba, std::uint64_t blocks) const;
  bool is_at_risk(std::uint32_t lba, std::uint32_t blocks) const;
  /// False: no such write of this host.
  bool hear_of_loss(std::size_t host, const initiator::SenseCodes& sense);
  bool hears_all_behind(const WriteAtRisk& write) const;
  void mark_lost(const std::function<bool(const Ticket&)>& is_meant);
  void mark_hit(const std::function<bool(const Ticket&)>& is_meant);

  const Storyline& storyline_;
  Capacity capacity_;
  bool blank_;  // never-written blocks are zeros
  Peek peek_;
  std::deque<Ticket> tickets_;
  std::size_t ended_count_ = 0;
  BlockModel blocks_;
  Attentions attentions_;
  std::optional<Finding> finding_;
  std::array<std::uint32_t, Attentions::kHosts> odd_out_{};  // such commands that are out
  std::array<bool, Attentions::kHosts> was_odd_{};           // the host has sent one
  std::array<bool, Attentions::kHosts> deaf_{};
  std::array<bool, Attentions::kHosts> careless_{};  // has asked for no sense data

  // What modes may be in force, by what hosts have sent.
  bool may_cache_writes_ = false;
  bool restricted_ = true;
  std::uint32_t unrestricting_ = 0;     // such commands that are out
  Picoseconds unrestricted_until_ = 0;  // the last of them ended then
  bool was_unrestricted_ = false;
  bool saved_unrestricted_ = false;
  bool may_clear_others_ = false;  // QERR 1h
  bool may_abort_own_ = false;     // QERR 1h or 3h
  bool may_be_stopped_ = false;
  bool may_be_formatting_ = false;  // others may find the drive not ready
  std::array<bool, Attentions::kHosts> has_formatted_{};
  std::uint32_t formats_ = 0;      // begun, or perhaps, since one ended well in calm
  std::uint32_t formats_out_ = 0;  // whose hosts have not heard of their end
  std::vector<WriteAtRisk> at_risk_;
  std::array<std::array<Limits, 2>, Attentions::kHosts> limits_{};  // for reads, and for writes
  std::vector<std::uint32_t> moved_;                 // blocks that may lie elsewhere by now
  bool places_known_ = true;                         // of the others
  std::array<bool, Attentions::kHosts> may_hold_{};  // a reservation
};

}  // namespace headstack::fuzz
