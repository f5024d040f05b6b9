// SPDX-License-Identifier: Apache-2.0
/// @file
/// A host that may misbehave: an initiator on a link of sim/initiator or sim/tlm. It sends the
/// bytes of its storyline at the places that the storyline names. It also keeps the state of a
/// SCSI-2 initiator: pointers, nexuses, and commands that its own messages ended. The drive's
/// behaviour can therefore be judged.
///
/// Unlike a host adapter, it can:
/// - select without ATN (SCSI-1);
/// - open with any bytes instead of IDENTIFY and tag;
/// - send any message at any byte of any phase;
/// - reject DISCONNECT;
/// - send a command for a nexus that is in use;
/// - ignore reselections;
/// - send a message on any open connection.
///
/// It negotiates only by the messages of its commands.
#pragma once

#include <array>
#include <deque>
#include <list>
#include <memory>
#include <optional>

#include "sim/initiator/messages.hpp"
#include "tests/fuzz/drive/host.hpp"

namespace headstack::fuzz {

class RawHost : public Host, public initiator::LinkClient, public initiator::ByteClient {
 public:
  /// Sets the access to the bus, before any other call; it must outlive the host.
  /// `cdb_names_unit`: without IDENTIFY, the drive takes the logical unit from the CDB (SCSI-2
  /// 7.2.2), as drives do that claim SCSI-2.
  void use(initiator::BusAccess& access, bool cdb_names_unit) {
    access_ = &access;
    cdb_names_unit_ = cdb_names_unit;
  }

  // Functions of Host.
  void submit(const Action& action, initiator::Command command) override;
  void manage(initiator::Management management) override;
  void reset_bus() override { access_->reset_bus(); }
  void set_deaf(bool deaf) override { deaf_ = deaf; }
  void forget_agreement() override { agreement_ = {}; }
  void doubt_agreement() override { in_doubt_ = true; }
  std::size_t out_count() const override { return waiting_.size() + active_.size(); }
  bool idle() const override { return out_count() == 0 && !connected_; }
  std::uint64_t unknown_nexus_count() const override { return unknown_nexus_count_; }

  // Functions of LinkClient.
  std::optional<unsigned> arbitration_won(Picoseconds at) override;
  void selection_answered() override;
  void selection_timed_out() override;
  void reselection_answered(unsigned target) override;
  void bus_freed() override;
  void bus_was_reset() override;
  bool selects_with_attention() const override;
  bool answers_reselection() const override { return !deaf_; }

  // Functions of ByteClient.
  initiator::TransferMode enter_phase(bus::Phase phase) override;
  void byte_in(bus::Phase phase, std::uint16_t data, bool parity_good) override;
  initiator::ByteOut byte_out(bus::Phase phase) override;
  void byte_taken(bus::Phase phase) override;
  void agreement_broken() override { access_->report_broken_agreement(); }
  std::uint8_t* data_place(std::uint32_t bytes) override;
  const std::uint8_t* data_source(std::uint32_t bytes) override;
  void data_moved(std::uint32_t bytes, Picoseconds first, Picoseconds last) override;

 private:
  /// A command, or a message on a connection of its own.
  struct Job {
    const Action* action = nullptr;  // null: a message, or an automatic REQUEST SENSE
    initiator::Command command;
    std::optional<initiator::Management> management;
    Job* sense_for = nullptr;  // command whose automatic REQUEST SENSE this is
    initiator::Completion result;
    std::uint32_t pointer = 0;
    std::uint32_t saved_pointer = 0;
    bool has_status = false;
    std::array<std::uint8_t, 8> entries{};  // numbers of entries of the information phases
  };
  using JobPtr = std::unique_ptr<Job>;
  enum class End : std::uint8_t { kNone, kComplete, kDisconnect };

  static std::uint8_t code_of(initiator::ManagementKind kind);
  void open(Job& job);
  bool opens_its_own_way() const;
  void ask_in_doubt(const initiator::Command& command);
  void say(initiator::Message message);
  void interject(bus::Phase phase);
  bool breaks_in_data() const;
  void parity_error(bus::Phase phase);
  bool take_fault(bus::Phase phase, std::uint32_t byte, bool keep);
  void take_message(const initiator::Message& message);
  initiator::Message refusal() const;
  void take_extended(const initiator::Message& message);
  void take_nexus(std::optional<std::uint16_t> tag);
  void message_taken();
  void note_sent(std::uint8_t byte);
  initiator::ByteOut message_out();
  void take_data(std::uint16_t data);
  void advance(std::uint32_t bytes);
  std::uint32_t length(initiator::Direction direction) const;
  Job* find_active(std::uint8_t lun, std::optional<std::uint16_t> tag);
  JobPtr take_active(const Job* job);
  static bool has_same_tag(const Job& a, const Job& b);
  void end_aborted(const Job* message_job);
  void end_lost(std::uint8_t lun, Picoseconds selected, const Bytes& sense);
  void finish(JobPtr job, initiator::Outcome outcome);
  void request_sense(JobPtr job);
  void deliver(JobPtr job, initiator::Outcome outcome);
  void clear_connection();
  void request_bus() { access_->want_bus(!waiting_.empty()); }

  initiator::BusAccess* access_ = nullptr;
  bool cdb_names_unit_ = false;
  bool deaf_ = false;
  std::deque<JobPtr> waiting_;
  std::list<JobPtr> active_;
  std::list<JobPtr> kept_;  // commands until their sense data have come
  JobPtr selecting_;
  std::uint64_t unknown_nexus_count_ = 0;
  initiator::Agreement agreement_;
  bool in_doubt_ =
      false;  // whether the drive may have dropped it: another host may have reset the drive
  std::optional<initiator::Agreement> asked_width_;
  std::optional<initiator::Agreement> asked_speed_;

  // State of the connection.
  bool connected_ = false;
  bool reselected_ = false;
  bool nexus_asked_ = false;  // after IDENTIFY, a tag may follow
  Job* job_ = nullptr;        // the command in active_
  JobPtr message_job_;        // a message with a connection of its own
  std::optional<std::uint8_t> lun_;
  End end_ = End::kNone;
  bus::Phase phase_ = bus::Phase::kDataOut;
  std::uint32_t phase_bytes_ = 0;
  initiator::TransferMode mode_;
  bool error_said_ = false;
  bool message_bad_ = false;
  bool out_damaged_ = false;       // a byte of MESSAGE OUT was sent with wrong parity
  bool names_other_unit_ = false;  // an IDENTIFY has named another logical unit
  initiator::MessageAssembler in_;
  initiator::MessageAssembler sent_;  // divided into messages as by a target
  initiator::MessageOutQueue out_;
  initiator::Message last_sent_;
  std::vector<std::uint8_t> ending_;           // ABORT and similar messages, in the order sent
  std::vector<initiator::Management> riding_;  // actions whose messages go out on this connection
};

}  // namespace headstack::fuzz
