// SPDX-License-Identifier: Apache-2.0
// The reader of one format: returns the requests of a file, on the file's own clock.
//
// What all formats share is in host/traces/trace_intake.hpp: devices, order, the start of time and
// bad lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/traces/input_buffer.hpp"
#include "host/traces/trace.hpp"

namespace headstack::traces {

/// Error of one line or record; the next can still be read.
struct BadRecord : TraceError {
  using TraceError::TraceError;
};

enum class RawItem {
  kRequest,
  kCompletion,  // completion of the latest request with the same device and tag; gives the service
                // time
  kWithdrawal,  // withdrawal of the latest request with the same device and tag, which was requeued
                // and will be issued again
  kEnd
};

struct RawRequest {
  Int128 time = 0;          // picoseconds on the file's clock
  TraceRequest request;     // request without arrival; initiator 0 unless the format has it
  std::string_view device;  // valid until the next call; "" for a format that names none
  bool widened = false;     // true: blocks were added to make whole ones
  bool forced = false;      // true: a write with forced unit access
  std::uint64_t tag = 0;    // tag by which a completion finds its request
};

class FormatReader {
 public:
  virtual ~FormatReader() = default;
  const TraceHeader& header() const { return header_; }
  /// Reads the next item. Throws BadRecord, and may be called again then; any other TraceError is
  /// final.
  virtual RawItem next(RawRequest& raw) = 0;
  /// Number of the last line or record read.
  virtual std::uint64_t line() const = 0;
  /// An error about the last line or record, with its place and text.
  virtual std::string describe(std::string_view field, std::string_view problem,
                               std::string_view remedy) const = 0;
  [[noreturn]] void fail(std::string_view field, std::string_view problem,
                         std::string_view remedy) const {
    throw BadRecord(describe(field, problem, remedy));
  }
  const std::map<std::string, std::uint64_t, std::less<>>& skipped() const { return skipped_; }
  /// Selects the event that counts as a request. Returns false if the format has only one kind.
  /// Called before the first next().
  virtual bool choose_events(BlockEvent /*event*/) { return false; }
  /// The events read up to now; none for a format that does not record events.
  virtual std::vector<EventCount> events() const { return {}; }

 protected:
  void skip(std::string_view name);
  /// Converts a range of bytes to blocks. Returns false for an empty range, which is counted.
  bool set_bytes(RawRequest& raw, std::uint64_t offset, std::uint64_t length);
  bool set_blocks(RawRequest& raw, std::uint64_t lba, std::uint64_t blocks);

  TraceHeader header_;

 private:
  std::map<std::string, std::uint64_t, std::less<>> skipped_;
};

}  // namespace headstack::traces
