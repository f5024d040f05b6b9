// SPDX-License-Identifier: Apache-2.0
#include "host/report/command_record.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <numeric>

#include "sim/assert.hpp"

namespace headstack::report {

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::kIssued: return "issued";
    case Stage::kSelection: return "selection";
    case Stage::kCommand: return "command";
    case Stage::kQueued: return "queued";
    case Stage::kChosen: return "chosen";
    case Stage::kSeek: return "seek";
    case Stage::kSettle: return "settle";
    case Stage::kHeadSwitch: return "head_switch";
    case Stage::kRotation: return "rotation";
    case Stage::kMediaTransfer: return "media_transfer";
    case Stage::kBusWait: return "bus_wait";
    case Stage::kBusData: return "bus_data";
    case Stage::kStatus: return "status";
  }
  return "?";
}

CommandRecord::CommandRecord(std::uint64_t number, const traces::TraceRequest& request,
                             Picoseconds submitted)
    : number_(number), request_(request) {
  constexpr std::size_t kUsualChanges = 16;
  changes_.reserve(kUsualChanges);
  changes_.push_back({Stage::kIssued, submitted});
}

/// Adds the time up to `now` to the present stage.
void CommandRecord::account(Picoseconds now) {
  times_[static_cast<std::size_t>(changes_.back().stage)] += now - changes_.back().at;
}

void CommandRecord::enter(Stage stage, Picoseconds now) {
  HEADSTACK_ASSERT(!complete_, "nothing happens to a command after its completion");
  HEADSTACK_ASSERT(now >= changes_.back().at, "a command's stages come in order of time");
  if (stage == changes_.back().stage) return;
  account(now);
  changes_.push_back({stage, now});
}

void CommandRecord::complete(Picoseconds now, std::uint8_t status) {
  HEADSTACK_ASSERT(!complete_, "a command completes once");
  HEADSTACK_ASSERT(now >= changes_.back().at, "a command's stages come in order of time");
  account(now);
  completed_ = now;
  status_ = status;
  complete_ = true;
}

void CommandRecord::set_arrived(Picoseconds at) {
  HEADSTACK_ASSERT(at <= submitted(), "a request comes before its command");
  host_wait_ = submitted() - at;
}

RecordFault CommandRecord::find_fault() const {
  if (!complete_) return {fmt::format("command {}: never completed", number_), submitted()};
  if (!fault_.empty()) return fault_;
  const Picoseconds sum = std::accumulate(times_.begin(), times_.end(), Picoseconds{0});
  if (sum != response()) {
    return {fmt::format("command {}: its stages sum to {}, its response time is {}", number_,
                        exact_ms(sum), exact_ms(response())),
            submitted()};
  }
  return {};
}

std::string record_csv_header(const RecordColumns& columns) {
  std::string line =
      "command,operation,lba,blocks,submitted_ps,completed_ps,response_ps,status,sense";
  for (std::size_t i = 0; i < kStageCount; ++i) {
    line += fmt::format(",{}_ps", to_string(static_cast<Stage>(i)));
  }
  line += ",search_exposed_ps";
  if (columns.initiator) line += ",initiator";
  if (columns.measured_service) line += ",measured_service_ps";
  if (columns.deadline) line += ",deadline_ps";
  if (columns.urgency) line += ",class,stream,priority";
  if (columns.ending) line += ",outcome,tries";
  if (columns.options) line += ",options";
  if (columns.arrival) line += ",arrived_ps";
  return line;
}

void append_record_csv_line(std::string& text, const CommandRecord& record,
                            const RecordColumns& columns, std::optional<std::uint8_t> stream) {
  const traces::TraceRequest& request = record.request();
  fmt::memory_buffer line;
  const auto out = fmt::appender(line);
  fmt::format_to(out, FMT_COMPILE("{},{},{},{},{},{},{},{},"), record.number(),
                 to_string(request.operation), request.lba, request.blocks, record.submitted(),
                 record.completed(), record.response(), record.status());
  if (record.sense()) fmt::format_to(out, FMT_COMPILE("{}"), to_string(*record.sense()));
  for (const Picoseconds time : record.stage_times()) fmt::format_to(out, FMT_COMPILE(",{}"), time);
  fmt::format_to(out, FMT_COMPILE(",{}"), record.search_exposed());
  if (columns.initiator) fmt::format_to(out, FMT_COMPILE(",{}"), request.initiator);
  const auto append_known = [&line, out](const std::optional<Picoseconds>& time) {
    line.push_back(',');
    if (time) fmt::format_to(out, FMT_COMPILE("{}"), *time);
  };
  if (columns.measured_service) append_known(request.service);
  if (columns.deadline) append_known(request.deadline);
  if (columns.urgency) {
    fmt::format_to(out, FMT_COMPILE(",{},"), to_string(request.service_class()));
    if (request.urgency.stream) stream = request.urgency.stream;
    if (stream) fmt::format_to(out, FMT_COMPILE("{}"), *stream);
    fmt::format_to(out, FMT_COMPILE(",{}"), request.urgency.priority);
  }
  if (columns.ending) {
    fmt::format_to(out, FMT_COMPILE(",{},{}"), record.outcome(), record.tries());
  }
  if (columns.options) {
    fmt::format_to(out, FMT_COMPILE(",{}"), options_text(request.options, [](Picoseconds time) {
                     return fmt::to_string(time);
                   }));
  }
  if (columns.arrival) {
    fmt::format_to(out, FMT_COMPILE(",{}"), record.submitted() - record.host_wait());
  }
  line.push_back('\n');
  text.append(line.data(), line.size());
}

}  // namespace headstack::report
