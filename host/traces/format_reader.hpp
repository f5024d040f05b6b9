// What a reader of one format gives: requests as they stand in the file, on the file's own clock.
//
// Devices, order, the start of time and bad lines are the business of host/traces/trace_intake.hpp,
// the same for all formats.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "host/traces/input_buffer.hpp"
#include "host/traces/trace.hpp"

namespace headstack::traces {

/// One line or record is wrong; the next can still be read.
struct BadRecord : TraceError {
  using TraceError::TraceError;
};

enum class RawItem {
  kRequest,
  kCompletion,  // of the latest request with its device and tag: gives the service time
  kWithdrawal,  // likewise: it was put back, and will be issued again
  kEnd
};

struct RawRequest {
  Int128 time = 0;          // picoseconds on the file's clock
  TraceRequest request;     // without arrival; initiator 0 unless the format knows it
  std::string_view device;  // valid until the next call; "" for a format that names none
  bool widened = false;     // to whole blocks
  bool forced = false;      // unit access of a write
  std::uint64_t tag = 0;    // of a request that a completion may follow
};

class FormatReader {
 public:
  virtual ~FormatReader() = default;
  const TraceHeader& header() const { return header_; }
  /// Throws BadRecord, and may be called again then; any other TraceError is final.
  virtual RawItem next(RawRequest& raw) = 0;
  /// Line, or number of the record, read last.
  virtual std::uint64_t line() const = 0;
  /// An error about what was read last: its place, and its text.
  virtual std::string describe(std::string_view field, std::string_view problem,
                               std::string_view remedy) const = 0;
  [[noreturn]] void fail(std::string_view field, std::string_view problem,
                         std::string_view remedy) const {
    throw BadRecord(describe(field, problem, remedy));
  }
  const std::map<std::string, std::uint64_t, std::less<>>& skipped() const { return skipped_; }

 protected:
  void skip(std::string_view name);
  /// Sets the blocks that bytes lie in; false, and counted, when there are none.
  bool set_bytes(RawRequest& raw, std::uint64_t offset, std::uint64_t length);
  bool set_blocks(RawRequest& raw, std::uint64_t lba, std::uint64_t blocks);

  TraceHeader header_;

 private:
  std::map<std::string, std::uint64_t, std::less<>> skipped_;
};

}  // namespace headstack::traces
