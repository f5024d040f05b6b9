// The readers behind read_trace(), one per format.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <string_view>

#include "host/replay/trace.hpp"
#include "host/replay/trace_line.hpp"

namespace headstack::replay {

constexpr std::string_view kHeadstackMagic = "headstack-trace";

// SBC addresses blocks by at most 64 bits and counts them by at most 32; a trace needs far less.
constexpr std::uint64_t kLargestLba = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 24) - 1;

std::string_view operation_letter(Operation operation);  // R, W, F
void check_extent(const LineSource& at, const TraceRequest& request);

std::unique_ptr<TraceReader> read_headstack(std::istream& in, const std::string& file);
std::unique_ptr<TraceReader> read_disksim(std::istream& in, const std::string& file);
std::unique_ptr<TraceReader> read_nbdkit_log(std::istream& in, const std::string& file);

}  // namespace headstack::replay
