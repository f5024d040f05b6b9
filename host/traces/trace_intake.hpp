// SPDX-License-Identifier: Apache-2.0
// The common part of all formats: converts requests on a file's own clock to requests of one drive.
//
// It chooses the device, counts time from the trace's start, and sorts requests within a bounded
// window. It matches completions to requests for their service times, and stops at bad lines or
// counts them. After a write with forced unit access it adds a flush at the same time. However long
// the trace is, only the window and such a flush are held back.
#pragma once

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/traces/format_reader.hpp"
#include "host/traces/trace.hpp"
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {

class TraceIntake : public TraceReader {
 public:
  /// Reads a trace of this format from `in`. Throws TraceError when the file's header is wrong.
  TraceIntake(std::unique_ptr<InputBuffer> in, std::string file, const TraceFormat& format,
              const ReadOptions& options);

  const TraceHeader& header() const override { return header_; }
  std::optional<TraceRequest> next() override;
  std::uint64_t line() const override { return line_; }
  std::string_view format() const override { return format_.name; }
  TraceCounts counts() const override;
  std::vector<TraceDevice> devices() const override { return devices_; }

 private:
  struct Waiting {
    TraceRequest request;
    Int128 time;
    std::uint64_t line;
    std::uint64_t tag;
    std::uint32_t device;
  };
  using Queue = std::deque<Waiting>;

  void fill();
  void take_item();
  void take_request();
  void take_forced_flush();
  void take_completion();
  void take_withdrawal();
  bool select_device();
  std::uint32_t device_number(std::string_view name);
  Queue::iterator find_ended();
  void set_arrival(Waiting& waiting);
  void require_device_seen() const;
  void require_requests() const;

  std::unique_ptr<InputBuffer> in_;
  std::string file_;
  const TraceFormat& format_;
  ReadOptions options_;
  std::unique_ptr<FormatReader> reader_;
  TraceHeader header_;
  std::size_t window_ = 0;

  RawRequest raw_;
  Queue waiting_;  // sorted by time, then by line
  bool ended_ = false;
  std::exception_ptr failure_;  // thrown after all earlier requests have been returned
  std::optional<Int128> start_;
  std::optional<Int128> emitted_;  // time of the last returned request
  std::uint64_t line_ = 0;
  std::uint64_t returned_ = 0;
  TraceCounts counts_;
  std::vector<TraceDevice> devices_;
  std::map<std::string, std::uint32_t, std::less<>> device_numbers_;
  std::uint32_t device_ = 0;  // device of the last item read
};

}  // namespace headstack::traces
