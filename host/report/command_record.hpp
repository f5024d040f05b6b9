// SPDX-License-Identifier: Apache-2.0
// The life of one command, divided into stages whose times sum to it exactly.
// host/observe/record_audit.hpp checks the stages.
//
// A command is in one stage at any time between submission and completion. A record is the list of
// times at which the stage changed. There is no gap and no overlap, so the stages' times sum to the
// response time to the picosecond. Stages may repeat: a command that crosses tracks seeks and
// rotates more than once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/report/record_fault.hpp"
#include "host/report/sense.hpp"
#include "host/traces/trace.hpp"
#include "sim/units.hpp"

namespace headstack::report {

enum class Stage : std::uint8_t {
  kIssued,         // waiting in the host for the bus, or for room in the drive's queue
  kSelection,      // arbitration, selection and messages
  kCommand,        // command bytes, until the firmware has read them
  kQueued,         // waiting in the drive's queue, not chosen yet
  kChosen,         // chosen, but no mechanical stage yet; also between runs on the media
  kSeek,           // the arm moves
  kSettle,         // the arm settles for reading or writing
  kHeadSwitch,     // the part of a head switch that outlasts the seek
  kRotation,       // the heads are ready, and the sector is awaited
  kMediaTransfer,  // sectors pass under the head
  kBusWait,        // data or status wait for the bus; a write on its track waits for its data
  kBusData,        // data on the bus, while the media do not work for the command
  kStatus,         // status and messages, until the host has received them
};
constexpr std::size_t kStageCount = static_cast<std::size_t>(Stage::kStatus) + 1;
const char* to_string(Stage stage);  // such as "media_transfer", for columns and keys

/// The outcome of a command that ended with its status.
constexpr const char* kCompleteOutcome = "complete";

class CommandRecord {
 public:
  /// Begins the record of a command that is submitted, in kIssued.
  CommandRecord(std::uint64_t number, const traces::TraceRequest& request, Picoseconds submitted);

  /// Enters a stage. Assertions: times do not decrease, and no call follows complete().
  void enter(Stage stage, Picoseconds now);
  void complete(Picoseconds now, std::uint8_t status);
  /// Sets the time for which the media waited for the search that chose the command. It is a part
  /// of kQueued. It is 0 if the choice was planned in time.
  void set_search_exposed(Picoseconds time) { search_exposed_ = time; }
  /// Sets the time at which the request arrived at its host: the submission or earlier.
  void set_arrived(Picoseconds at);
  /// Sets the outcome of the last try, and the number of tries. The text must outlive the record.
  void set_ending(const char* outcome, std::uint32_t tries) {
    outcome_ = outcome;
    tries_ = tries;
  }

  /// Sets the sense data of the last try.
  void set_sense(const std::optional<Sense>& sense) { sense_ = sense; }

  /// Notes an error in the record. Only the first is kept.
  void note_fault(const RecordFault& fault) {
    if (fault_.empty()) fault_ = fault;
  }

  std::uint64_t number() const { return number_; }
  const traces::TraceRequest& request() const { return request_; }
  Picoseconds submitted() const { return changes_.front().at; }
  Picoseconds completed() const { return completed_; }
  bool is_complete() const { return complete_; }
  std::uint8_t status() const { return status_; }
  /// Sense data of the last try; nothing unless the status is CHECK CONDITION.
  const std::optional<Sense>& sense() const { return sense_; }
  Picoseconds response() const { return completed_ - submitted(); }
  /// Wait in the host before the first submission, while the queue depth was exhausted. It is not
  /// part of the response time.
  Picoseconds host_wait() const { return host_wait_; }
  Picoseconds search_exposed() const { return search_exposed_; }
  /// Whether the command had a deadline, and did not end with GOOD by then.
  bool missed_deadline() const {
    if (!request_.deadline) return false;
    return response() > *request_.deadline || status_ != 0 ||
           outcome_ != std::string_view(kCompleteOutcome);
  }
  const char* outcome() const { return outcome_; }
  std::uint32_t tries() const { return tries_; }

  /// Time spent in each stage, up to the last change or, once complete, to the end.
  const std::array<Picoseconds, kStageCount>& stage_times() const { return times_; }

  /// The error in the record; empty if the record is complete and no error was noted. The stages'
  /// sum is compared with the response time, too, although they agree by construction.
  RecordFault find_fault() const;

  struct Change {
    Stage stage;
    Picoseconds at;
  };
  const std::vector<Change>& changes() const { return changes_; }

 private:
  void account(Picoseconds now);

  std::uint64_t number_;
  traces::TraceRequest request_;
  std::vector<Change> changes_;
  std::array<Picoseconds, kStageCount> times_{};
  Picoseconds completed_ = 0;
  Picoseconds search_exposed_ = 0;
  Picoseconds host_wait_ = 0;
  const char* outcome_ = kCompleteOutcome;
  std::uint32_t tries_ = 1;
  std::uint8_t status_ = 0;
  std::optional<Sense> sense_;
  bool complete_ = false;
  RecordFault fault_;
};

/// Optional columns of the records file, which follow the others in this order.
struct RecordColumns {
  bool initiator = false;         // number of the host, from 0
  bool measured_service = false;  // service time measured on the traced device; empty without one
  bool deadline = false;          // time after submission: the trace's deadline minus the wait in
                                  // the host; empty without one
  bool urgency = false;           // class, stream, and priority (0: none)
  bool ending = false;            // outcome, and number of tries
  bool options = false;           // options of the request, as in a trace, with times in ps
  bool arrival = false;           // time of the request's arrival at its host
};

/// The columns of the records file. append_record_csv_line() appends a record's line to `text`.
/// Times are in picoseconds. `stream` is the drive's number for a request that names no stream.
std::string record_csv_header(const RecordColumns& columns = {});
void append_record_csv_line(std::string& text, const CommandRecord& record,
                            const RecordColumns& columns = {},
                            std::optional<std::uint8_t> stream = std::nullopt);

}  // namespace headstack::report
