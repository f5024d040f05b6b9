// SPDX-License-Identifier: Apache-2.0
#include "host/replay/request_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/assert.hpp"

namespace headstack::replay {
namespace {

using traces::AddressMapping;
using traces::Operation;

constexpr const char* kStandardInput = "-";
constexpr std::uint32_t kMostBlocks10 = 65'535;  // limit of the transfer length in a 10-byte CDB

std::uint64_t trace_end(const ReplayOptions& options) {
  if (options.map_addresses != AddressMapping::kScale) return 0;
  return options.trace_end != 0 ? options.trace_end : find_trace_end(options);
}

}  // namespace

std::unique_ptr<traces::TraceReader> open_trace_of(const ReplayOptions& options) {
  if (options.trace_text.empty()) return traces::open_trace(options.trace, options.reading);
  return traces::open_trace_text(options.trace_text, options.trace, options.reading);
}

void require_read_twice(const std::string& trace, const char* why, const char* remedy) {
  std::error_code error;
  const bool exists = std::filesystem::exists(trace, error);
  const bool is_stream = exists && !std::filesystem::is_regular_file(trace, error);
  if (is_stream || trace == kStandardInput) {
    throw traces::TraceError(
        fmt::format("{}: {}, and this can be read only once; {}", trace, why, remedy));
  }
}

std::uint64_t find_trace_end(const ReplayOptions& options) {
  const std::string& trace = options.trace;
  require_read_twice(trace, "scaling needs the end of its addresses", "give load.trace_end");
  const auto reader = open_trace_of(options);
  std::uint64_t end = 1;
  while (const auto request = reader->next()) end = std::max(end, request->lba + request->blocks);
  return end;
}

RequestSource::RequestSource(const ReplayOptions& options, traces::TraceReader& trace,
                             std::uint64_t capacity_blocks)
    : options_(options),
      trace_(trace),
      capacity_(capacity_blocks),
      map_(options.map_addresses, capacity_blocks, trace_end(options)) {}

const RunRequest* RequestSource::peek() {
  if (next_) return &*next_;
  if (ended_) return nullptr;
  std::optional<traces::TraceRequest> request;
  try {
    request = next();
  } catch (const traces::TraceError& error) {
    failure_ = error.what();
  }
  if (!request || !failure_.empty()) {
    ended_ = true;
    return nullptr;
  }
  next_ = RunRequest{taken_, request->initiator, *request};
  options::apply_habits(options_.habits, options_.seed, taken_, next_->request);
  next_->request.initiator %= options_.initiators;
  return &*next_;
}

/// The next request of the trace, or a flush that follows one.
std::optional<traces::TraceRequest> RequestSource::next() {
  if (flush_) return std::exchange(flush_, std::nullopt);
  if (options_.limit != 0 && from_trace_ >= options_.limit) return std::nullopt;
  std::optional<traces::TraceRequest> request = trace_.next();
  if (!request) return std::nullopt;
  if (!first_read_) has_deadlines_ = trace_.header().has_deadlines || request->deadline;
  first_read_ = true;
  if (request->deadline && !has_deadlines_) ++unannounced_deadlines_;
  map_.apply(*request);
  failure_ = find_objection(*request);
  if (options::is_each_nth(from_trace_++, options_.habits.flush_every)) insert_flush(*request);
  return request;
}

/// Adds a flush after this request, by the same initiator. The think time moves to the flush.
void RequestSource::insert_flush(traces::TraceRequest& request) {
  flush_ = traces::TraceRequest{};
  flush_->operation = Operation::kFlush;
  flush_->arrival = request.arrival;
  flush_->initiator = request.initiator;
  flush_->think = request.think;
  if (request.think) request.think = 0;
}

RunRequest RequestSource::take() {
  HEADSTACK_ASSERT(next_, "a request is taken that was looked at");
  RunRequest request = *next_;
  next_.reset();
  ++taken_;
  return request;
}

bool RequestSource::has_deadlines() {
  (void)peek();
  return has_deadlines_;
}

bool RequestSource::may_lose_commands() const {
  return trace_.header().has_options || options::may_lose_commands(options_.habits);
}

bool RequestSource::may_reset() const {
  return trace_.header().has_options || options::may_reset(options_.habits);
}

/// The reason why the drive cannot carry out this request, or "".
std::string RequestSource::find_objection(const traces::TraceRequest& request) const {
  const bool transfers = request.operation != Operation::kFlush;
  if (transfers && (request.lba >= capacity_ || request.blocks > capacity_ - request.lba)) {
    return fmt::format(
        "{}:{}: lba: blocks {}..{} lie past the drive's {}; use a larger drive, or load.map="
        "fold or scale",
        options_.trace, trace_.line(), request.lba, request.lba + request.blocks - 1, capacity_);
  }
  if (request.blocks > kMostBlocks10) {
    return fmt::format("{}:{}: blocks: {} in one request; a 10-byte command moves at most {}",
                       options_.trace, trace_.line(), request.blocks, kMostBlocks10);
  }
  return "";
}

}  // namespace headstack::replay
