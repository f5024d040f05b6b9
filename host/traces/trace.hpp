// SPDX-License-Identifier: Apache-2.0
// I/O traces: one request after another from a file of any format.
//
// Times are exact picoseconds after the trace's start: decimal text is never converted to floating
// point. A bad line ends the reading with an error that names file, line, field and remedy, or is
// counted, by option. traces/README.md describes the formats; host/traces/trace_formats.hpp has
// their table.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "host/traces/request_options.hpp"
#include "sim/units.hpp"

namespace headstack::traces {

/// An error such as "FILE:LINE: FIELD: problem; remedy (the line: 'TEXT')".
struct TraceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Operation {
  kRead,
  kWrite,
  kFlush,
  kVerify,  // reads and checks on the drive, without data on the bus
};
const char* to_string(Operation operation);

/// When a request may be issued. kOpen: at its own time. kClosed: when an earlier request is done.
/// kThink: when its initiator's previous request is done, plus that request's `think`.
enum class Loop { kOpen, kClosed, kThink };
const char* to_string(Loop loop);

/// Service class. Real time has to meet its deadline; best effort is served when there is time.
enum class ServiceClass : std::uint8_t { kBestEffort, kRealTime };
const char* to_string(ServiceClass service_class);  // such as "real-time"

/// The share of the drive's time that a request may claim, besides its deadline.
struct Urgency {
  static constexpr std::uint8_t kLargestPriority = 15;  // SAM-3 8.7: four bits

  std::optional<ServiceClass> service_class = std::nullopt;  // default: by the request's deadline
  std::optional<std::uint8_t> stream = std::nullopt;         // default: its initiator's
  std::uint8_t priority = 0;                                 // 1 is the highest; 0: none

  friend bool operator==(const Urgency& a, const Urgency& b) {
    return std::tie(a.service_class, a.stream, a.priority) ==
           std::tie(b.service_class, b.stream, b.priority);
  }
};

struct TraceHeader {
  std::uint32_t block_bytes = 512;
  Loop loop = Loop::kOpen;
  std::string source;  // one line of free text
  // The flags of fields of requests that may differ from their defaults; a file's header announces
  // them.
  bool has_initiators = false;
  bool has_think = false;
  bool has_service = false;
  bool has_options = false;  // also announces verifies before version 4
  // Before version 4 a trace does not announce deadlines, so requests may have them without this
  // flag.
  bool has_deadlines = false;
  bool has_classes = false;
  bool has_streams = false;
  bool has_priorities = false;
};

struct TraceRequest {
  Picoseconds arrival = 0;  // time after the trace's start; 0 unless the loop is open
  Operation operation = Operation::kRead;
  std::uint64_t lba = 0;     // first block, of TraceHeader::block_bytes bytes; 0 for a flush
  std::uint32_t blocks = 0;  // 1 or more; 0 for a flush
  std::optional<Picoseconds> deadline = std::nullopt;  // time after the arrival
  std::uint32_t initiator = 0;                         // host that sent the request, from 0
  std::optional<Picoseconds> think =
      std::nullopt;  // time from the request's end to the issue of the initiator's next one
  std::optional<Picoseconds> service = std::nullopt;  // time measured on the traced device
  RequestOptions options = {};
  Urgency urgency = {};

  ServiceClass service_class() const {
    return urgency.service_class.value_or(deadline ? ServiceClass::kRealTime
                                                   : ServiceClass::kBestEffort);
  }

  friend bool operator==(const TraceRequest& a, const TraceRequest& b) {
    const auto fields = [](const TraceRequest& r) {
      return std::tie(r.arrival, r.operation, r.lba, r.blocks, r.deadline, r.initiator, r.think,
                      r.service, r.options, r.urgency);
    };
    return fields(a) == fields(b);
  }
};

/// Block-layer event that counts as a request: issue to the driver, or queueing by a program.
enum class BlockEvent : std::uint8_t { kIssue, kQueue };

/// Number of events of a kind in a trace, for formats that record events.
struct EventCount {
  std::string name;  // such as "Q (queued)"
  std::uint64_t count = 0;
  bool is_used = false;  // requests, or their ends, come from these events
};

/// Counts of items that the reader has changed or skipped.
struct TraceCounts {
  std::vector<EventCount> events;
  std::map<std::string, std::uint64_t, std::less<>> skipped;  // items without a counterpart here,
                                                              // by name
  std::uint64_t widened = 0;         // requests that began or ended within a block, and were
                                     // widened to whole ones
  std::uint64_t bad = 0;             // lines or records left out, with skip_bad
  std::uint64_t moved = 0;           // requests that were out of order, and were sorted
  std::uint64_t other_devices = 0;   // requests of devices that were not chosen
  std::uint64_t early_ends = 0;      // completions and requeues before the issue, left out
  std::uint64_t unmatched_ends = 0;  // completions and requeues without a request that is held back
  std::uint64_t overlong = 0;        // service times of more than kLongestTime, left out
  bool unended = false;              // the last line has no newline: the file may be truncated
};

/// A device of the trace. Devices are in the order of their first requests.
struct TraceDevice {
  std::string name;
  std::uint64_t requests = 0;
};

enum class DeviceChoice { kOnlyOne, kNamed, kAll };

/// The words by which a user sets the options for reading a trace, for the remedies in messages.
/// `headstack run` has keys in the place of flags.
struct ReadingNames {
  const char* format = "--from";
  const char* device = "--device";
  const char* one_device = "--device NAME";
  const char* all_devices = "--all-devices";
  const char* events = "--events";
  const char* queue_events = "--events queue";
  const char* issue_events = "--events issue";
  const char* sort_window = "--sort-window";
  const char* allow_empty = "--allow-empty";
};

/// Options for reading a trace. A drive is one device, but many traces have several.
struct ReadOptions {
  std::string format;  // name in the table of formats; "": detected from the content
  /// The devices whose requests are read. kOnlyOne: a second device is an error. kNamed: only
  /// `device`. kAll: all devices; each is an initiator, numbered in the order of the first
  /// requests.
  DeviceChoice devices = DeviceChoice::kOnlyOne;
  std::string device;
  bool skip_bad = false;                                 // counts bad lines instead of stopping
  std::function<void(const std::string& error)> on_bad;  // called for each bad line
  std::optional<std::uint32_t> sort_window;              // number of requests; default: the
                                                         // format's
  std::optional<BlockEvent> events;  // event that counts as a request; default: issues
  bool allow_empty = true;           // if set, a trace without requests is no error
  ReadingNames names;
};

constexpr std::uint32_t kLargestSortWindow = 1U << 20;

class TraceReader {
 public:
  virtual ~TraceReader() = default;
  virtual const TraceHeader& header() const = 0;
  /// The next request; nothing at the end. Throws TraceError at a bad line. It throws at the end,
  /// too, if there was no request, unless ReadOptions::allow_empty.
  virtual std::optional<TraceRequest> next() = 0;
  /// Line (in a binary trace: record) of the last request returned, for messages about it.
  virtual std::uint64_t line() const = 0;
  /// The format's name in the table.
  virtual std::string_view format() const = 0;
  /// Numbers of items skipped because they have no counterpart here, by name.
  std::map<std::string, std::uint64_t> skipped() const;
  virtual TraceCounts counts() const = 0;
  /// The devices; empty for a format that names none.
  virtual std::vector<TraceDevice> devices() const = 0;
};

/// Opens a trace, plain or compressed; "-" is standard input. Throws TraceError.
std::unique_ptr<TraceReader> open_trace(const std::string& file, const ReadOptions& options = {});

/// Opens a trace from its text; `name` names it in errors.
std::unique_ptr<TraceReader> open_trace_text(std::string text, const std::string& name,
                                             const ReadOptions& options = {});

/// Opens a trace from a stream that outlives the reader; `file` names it in errors.
std::unique_ptr<TraceReader> read_trace(std::istream& in, const std::string& file,
                                        const ReadOptions& options = {});

}  // namespace headstack::traces
