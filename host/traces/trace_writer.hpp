// SPDX-License-Identifier: Apache-2.0
// Writes headstack's own trace format, described in traces/README.md.
#pragma once

#include <fmt/format.h>

#include <ostream>

#include "host/traces/trace.hpp"

namespace headstack::traces {

/// A writer of traces. Reading what it wrote returns every TraceRequest unchanged. The version of
/// the format is the lowest that suffices. The output reaches the stream in pieces; finish() or the
/// destructor writes the last one.
class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const TraceHeader& header);
  ~TraceWriter() { finish(); }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Writes a request. Throws std::logic_error for a field that the header did not announce.
  void write(const TraceRequest& request);
  void finish();

 private:
  void write_optional(const std::optional<Picoseconds>& time);
  void write_options(const RequestOptions& options);
  void write_urgency(const Urgency& urgency);
  bool has_deadline_column() const;
  void require_announced(const TraceRequest& request) const;

  std::ostream& out_;
  TraceHeader header_;
  int version_;
  fmt::memory_buffer text_;
};

}  // namespace headstack::traces
