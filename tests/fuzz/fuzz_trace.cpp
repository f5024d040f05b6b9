// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a trace of one format. Reading must end with requests or with one line of
// error. The requests must be the same after conversion to headstack's own format and back.
//
// Built once for each format; an empty HEADSTACK_FUZZ_FORMAT leaves it to detection, which takes
// packed files, too.
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "host/traces/trace_formats.hpp"
#include "host/traces/trace_writer.hpp"

namespace headstack::traces {
namespace {

// A few bytes can unpack to gigabytes.
constexpr std::size_t kMostRequests = 20'000;

void require(bool condition) {
  if (!condition) std::abort();
}

bool is_one_line(const std::string& error) {
  return !error.empty() && error.find('\n') == std::string::npos;
}

/// Reads requests up to the end or to an error; the reader stays open for further checks.
std::vector<TraceRequest> drain(TraceReader& reader) {
  std::vector<TraceRequest> requests;
  try {
    while (requests.size() < kMostRequests) {
      const auto request = reader.next();
      if (!request) break;
      requests.push_back(*request);
    }
  } catch (const TraceError& error) {
    require(is_one_line(error.what()));
  }
  return requests;
}

void require_round_trip(const TraceHeader& header, const std::vector<TraceRequest>& requests) {
  std::stringstream own;
  {
    TraceWriter writer(own, header);
    for (const TraceRequest& request : requests) writer.write(request);
  }
  const auto reader = read_trace(own, "own");
  require(reader->header().loop == header.loop);
  for (const TraceRequest& request : requests) require(reader->next() == request);
  require(!reader->next());
}

void read(const std::string& bytes, bool skip_bad) {
  ReadOptions options;
  options.format = HEADSTACK_FUZZ_FORMAT;
  options.devices = DeviceChoice::kAll;
  options.skip_bad = skip_bad;
  std::istringstream in(bytes);
  try {
    const auto reader = read_trace(in, "fuzz", options);
    const std::vector<TraceRequest> requests = drain(*reader);
    TraceHeader header = reader->header();
    header.source = "fuzz";
    require_round_trip(header, requests);
  } catch (const TraceError& error) {
    require(is_one_line(error.what()));
  }
}

}  // namespace
}  // namespace headstack::traces

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  headstack::traces::read(bytes, false);
  headstack::traces::read(bytes, true);
  return 0;
}
