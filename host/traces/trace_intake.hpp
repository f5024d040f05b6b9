// What all formats have in common: from requests on a file's own clock to requests of one drive.
//
// It chooses the device, counts time from the trace's start, puts requests in order within a
// bounded window, gives them the service times that their completions tell, and stops at bad lines
// or counts them. Behind a write with forced unit access it puts a flush at the same time. What it
// holds back is the window, and such a flush, however long the trace.
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
  /// Reads from `in` as `format`. Throws TraceError when the file's header is wrong.
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

  std::unique_ptr<InputBuffer> in_;
  std::string file_;
  const TraceFormat& format_;
  ReadOptions options_;
  std::unique_ptr<FormatReader> reader_;
  TraceHeader header_;
  std::size_t window_ = 0;

  RawRequest raw_;
  Queue waiting_;  // by time; equal times in the order of their lines
  bool ended_ = false;
  std::exception_ptr failure_;  // to be thrown when what was read before it is used up
  std::optional<Int128> start_;
  std::optional<Int128> emitted_;  // time of the request returned last
  std::uint64_t line_ = 0;
  TraceCounts counts_;
  std::vector<TraceDevice> devices_;
  std::map<std::string, std::uint32_t, std::less<>> device_numbers_;
  std::uint32_t device_ = 0;  // of the item read last
};

}  // namespace headstack::traces
