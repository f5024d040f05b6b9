#include "host/report/command_record.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
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

CommandRecord::CommandRecord(std::uint64_t number, const replay::TraceRequest& request,
                             Picoseconds submitted)
    : number_(number), request_(request) {
  constexpr std::size_t kUsualChanges = 16;
  changes_.reserve(kUsualChanges);
  changes_.push_back({Stage::kIssued, submitted});
}

void CommandRecord::enter(Stage stage, Picoseconds now) {
  HEADSTACK_ASSERT(!complete_, "nothing happens to a command after its completion");
  HEADSTACK_ASSERT(now >= changes_.back().at, "a command's stages come in order of time");
  if (stage != changes_.back().stage) changes_.push_back({stage, now});
}

void CommandRecord::complete(Picoseconds now, std::uint8_t status) {
  HEADSTACK_ASSERT(!complete_, "a command completes once");
  HEADSTACK_ASSERT(now >= changes_.back().at, "a command's stages come in order of time");
  completed_ = now;
  status_ = status;
  complete_ = true;
}

std::array<Picoseconds, kStageCount> CommandRecord::stage_times() const {
  std::array<Picoseconds, kStageCount> times{};
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const Picoseconds end = i + 1 < changes_.size() ? changes_[i + 1].at : completed_;
    times[static_cast<std::size_t>(changes_[i].stage)] += end - changes_[i].at;
  }
  return times;
}

std::string CommandRecord::find_fault() const {
  if (!complete_) return fmt::format("command {}: never completed", number_);
  const auto times = stage_times();
  const Picoseconds sum = std::accumulate(times.begin(), times.end(), Picoseconds{0});
  if (sum != response()) {
    return fmt::format("command {}: its stages sum to {} ps, its response time is {} ps", number_,
                       sum, response());
  }
  return "";
}

std::string record_csv_header() {
  std::string line = "command,operation,lba,blocks,submitted_ps,completed_ps,response_ps,status";
  for (std::size_t i = 0; i < kStageCount; ++i) {
    line += fmt::format(",{}_ps", to_string(static_cast<Stage>(i)));
  }
  return line;
}

std::string record_csv_line(const CommandRecord& record) {
  const replay::TraceRequest& request = record.request();
  fmt::memory_buffer line;
  const auto out = std::back_inserter(line);
  fmt::format_to(out, FMT_COMPILE("{},{},{},{},{},{},{},{}"), record.number(),
                 to_string(request.operation), request.lba, request.blocks, record.submitted(),
                 record.completed(), record.response(), record.status());
  for (const Picoseconds time : record.stage_times()) fmt::format_to(out, FMT_COMPILE(",{}"), time);
  return fmt::to_string(line);
}

}  // namespace headstack::report
