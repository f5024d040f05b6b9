// I/O traces: one request after another from a file, whatever its format.
//
// Times are picoseconds after the trace's start, exact: decimal text never passes through floating
// point. A bad line ends the reading with one error that names file, line, field and remedy. The
// formats are described in traces/README.md.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>

#include "sim/units.hpp"

namespace headstack::replay {

/// "FILE:LINE: FIELD: problem; remedy".
struct TraceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Operation { kRead, kWrite, kFlush };
const char* to_string(Operation operation);

/// What a request waits for: its own time; a request before it to be done; or the one before it to
/// be done, and then as long as that one says (its `think`).
enum class Loop { kOpen, kClosed, kThink };

struct TraceHeader {
  std::uint32_t block_bytes = 512;
  Loop loop = Loop::kOpen;
  std::string source;  // one line, for people
};

struct TraceRequest {
  Picoseconds arrival = 0;  // after the trace's start; 0 unless the loop is open
  Operation operation = Operation::kRead;
  std::uint64_t lba = 0;     // in blocks of TraceHeader::block_bytes; 0 for a flush
  std::uint32_t blocks = 0;  // 1 or more; 0 for a flush
  std::optional<Picoseconds> deadline = std::nullopt;  // after the arrival
  std::uint32_t initiator = 0;                         // the host it came from, counted from 0
  std::optional<Picoseconds> think =
      std::nullopt;  // from its end to the issue of its initiator's next
  std::optional<Picoseconds> service =
      std::nullopt;  // as measured on the device that the trace is of

  friend bool operator==(const TraceRequest& a, const TraceRequest& b) {
    const auto fields = [](const TraceRequest& r) {
      return std::tie(r.arrival, r.operation, r.lba, r.blocks, r.deadline, r.initiator, r.think,
                      r.service);
    };
    return fields(a) == fields(b);
  }
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;
  virtual const TraceHeader& header() const = 0;
  /// The next request; nothing at the end. Throws TraceError at a bad line.
  virtual std::optional<TraceRequest> next() = 0;
  /// Line of the request read last, for messages about it.
  virtual std::uint64_t line() const = 0;
  /// What was passed over so far because it has no counterpart here, by name with its count.
  virtual std::map<std::string, std::uint64_t> skipped() const { return {}; }
};

enum class TraceFormat { kHeadstack, kDiskSim, kNbdkitLog };
const char* to_string(TraceFormat format);

/// Opens a trace; without a format, what its first lines look like. Throws TraceError.
std::unique_ptr<TraceReader> open_trace(const std::string& file,
                                        std::optional<TraceFormat> format = std::nullopt);

/// The same from a stream that outlives the reader; `file` names it in errors.
std::unique_ptr<TraceReader> read_trace(std::istream& in, const std::string& file,
                                        std::optional<TraceFormat> format = std::nullopt);

/// Writes headstack's own format. Every TraceRequest survives the trip unchanged.
class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const TraceHeader& header);
  void write(const TraceRequest& request);

 private:
  std::ostream& out_;
  Loop loop_;
};

}  // namespace headstack::replay
