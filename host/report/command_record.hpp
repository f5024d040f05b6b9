// One command's life, cut into stages that sum to it exactly; whether the cuts are true, others
// check (host/observe/record_audit.hpp).
//
// At every instant between submission and completion a command is in one stage. A record is the
// list of moments at which the stage changed; so there is no gap and no overlap, and the stages'
// times sum to the response time to the picosecond. Stages may come back: a command that crosses
// tracks seeks and rotates more than once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/traces/trace.hpp"
#include "sim/units.hpp"

namespace headstack::report {

enum class Stage : std::uint8_t {
  kIssued,         // waits in the host for the bus, or for room in the drive's queue
  kSelection,      // arbitration, selection, messages
  kCommand,        // command bytes, until the firmware has taken them in
  kQueued,         // in the drive's queue, not chosen
  kChosen,         // chosen, the mechanics not yet told; again between its runs on the media
  kSeek,           // the arm moves
  kSettle,         // the arm settles, for a write too
  kHeadSwitch,     // what a head switch takes beyond the seek
  kRotation,       // the heads are ready, and wait for the sector
  kMediaTransfer,  // sectors pass under the head
  kBusWait,        // data or status wait for the bus; a write on its track for its data
  kBusData,        // data on the bus with the media at rest
  kStatus,         // status, messages, until the host has them
};
constexpr std::size_t kStageCount = static_cast<std::size_t>(Stage::kStatus) + 1;
const char* to_string(Stage stage);  // "media_transfer", as column and key

/// The outcome of a command that came to its status.
constexpr const char* kCompleteOutcome = "complete";

class CommandRecord {
 public:
  /// The command is submitted: it starts in kIssued.
  CommandRecord(std::uint64_t number, const traces::TraceRequest& request, Picoseconds submitted);

  /// The stage changes now. Times never decrease, and nothing follows complete(): assertions.
  void enter(Stage stage, Picoseconds now);
  void complete(Picoseconds now, std::uint8_t status);
  /// So much of the search that chose the command did not overlap with the media's work for
  /// another: they waited for it. Part of kQueued, and 0 for what was planned in time.
  void set_search_exposed(Picoseconds time) { search_exposed_ = time; }
  /// How the last try ended, a word that stays, and how many there were.
  void set_ending(const char* outcome, std::uint32_t tries) {
    outcome_ = outcome;
    tries_ = tries;
  }

  /// The record does not hold: a sentence, of which the first is kept.
  void note_fault(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  std::uint64_t number() const { return number_; }
  const traces::TraceRequest& request() const { return request_; }
  Picoseconds submitted() const { return changes_.front().at; }
  Picoseconds completed() const { return completed_; }
  bool is_complete() const { return complete_; }
  std::uint8_t status() const { return status_; }
  Picoseconds response() const { return completed_ - submitted(); }
  Picoseconds search_exposed() const { return search_exposed_; }
  /// It had a deadline, and was not done by then, or not GOOD.
  bool missed_deadline() const {
    if (!request_.deadline) return false;
    return response() > *request_.deadline || status_ != 0 ||
           outcome_ != std::string_view(kCompleteOutcome);
  }
  const char* outcome() const { return outcome_; }
  std::uint32_t tries() const { return tries_; }

  /// Time spent in each stage, up to the last change or, once complete, to the end.
  const std::array<Picoseconds, kStageCount>& stage_times() const { return times_; }

  /// Empty when the record holds: complete, and nothing was noted against it; else what is wrong.
  /// That its stages sum to the response time follows from how they are cut, and is asked, too.
  std::string find_fault() const;

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
  const char* outcome_ = kCompleteOutcome;
  std::uint32_t tries_ = 1;
  std::uint8_t status_ = 0;
  bool complete_ = false;
  std::string fault_;
};

/// Columns that the records file has for some runs only, behind the others, in this order.
struct RecordColumns {
  bool initiator = false;         // the host, counted from 0
  bool measured_service = false;  // what the trace says that the request took where it was
                                  // measured; empty where it does not
  bool deadline = false;          // behind the submission: what the trace says, less what the host
                                  // kept the request waiting; empty where it says nothing
  bool urgency = false;           // class, stream, priority (0: none)
  bool ending = false;            // outcome and tries
  bool options = false;           // how it was sent, as in a trace, with times in ps
};

/// The columns of the records file; and one record's line, with its end, behind `text`. Times are
/// in picoseconds. `stream` is the drive's number for it where the request names none.
std::string record_csv_header(const RecordColumns& columns = {});
void append_record_csv_line(std::string& text, const CommandRecord& record,
                            const RecordColumns& columns = {},
                            std::optional<std::uint8_t> stream = std::nullopt);

}  // namespace headstack::report
