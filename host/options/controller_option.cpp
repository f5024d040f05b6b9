// SPDX-License-Identifier: Apache-2.0
#include "host/options/controller_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

// A function of C may have the name of a struct; in C++ it hides the struct's constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/unit/mode_page.h"
#pragma GCC diagnostic pop
#include "sim/drive/facts.hpp"

namespace headstack::options {
namespace {

static_assert(std::tuple_size_v<ControllerTimes> == MODE_CONTROLLER_TIMES, "one for each row");

constexpr double kUnitMs = 1e-4;

static_assert(std::tuple_size_v<ControllerStages> == MODE_CONTROLLER_STAGES, "one for each");

/// The names of the extracted times that a command spends before its seek, or that a hit spends in
/// total. The status of a read is a stage of its own.
std::vector<std::string> parts_of(bool is_write, bool follows_write, bool is_hit) {
  const std::string verb = is_write ? "write" : "read";
  const std::string behind = follows_write ? "_after_write" : "_after_read";
  std::vector<std::string> parts = {"per_request", verb + (is_hit ? "_hit" : "_miss") + behind};
  if (!is_hit) return parts;
  parts.emplace_back("data_prep");
  parts.push_back(verb + "_completion");
  return parts;
}

double sum_of(const std::map<std::string, double>& overheads_ms,
              const std::vector<std::string>& parts, const std::string& drive) {
  double sum = 0;
  for (const std::string& part : parts) {
    const auto found = overheads_ms.find(part);
    if (found == overheads_ms.end()) {
      throw OptionError(fmt::format(
          "{}: published.overheads_ms.{}: missing; without it there is no drive.controller="
          "published",
          drive, part));
    }
    sum += found->second;
  }
  return sum;
}

/// The time in the page's units; 0 when the drive itself takes longer.
std::uint16_t units_of(double ms, const std::string& drive) {
  const double units = std::round(ms / kUnitMs);
  if (units > UINT16_MAX) {
    throw OptionError(fmt::format(
        "{}: published.overheads_ms: {} ms for a command; the drive takes at most {} ms", drive, ms,
        UINT16_MAX * kUnitMs));
  }
  return static_cast<std::uint16_t>(std::max(units, 0.0));
}

/// The published time before the data of a read that the media have read completely, minus the time
/// that this drive takes itself. Negative if this drive takes longer.
double before_data_ms(const std::map<std::string, double>& overheads_ms, const std::string& drive) {
  return sum_of(overheads_ms, {"first_reselect", "data_prep"}, drive) - to_ms(kOwnReselection);
}

/// The time by which the drive itself is late before the data of a whole read or of a share. It is
/// negative or 0. A share leaves without a reselection (reselects_ahead).
double lateness_ms(const std::map<std::string, double>& overheads_ms, const std::string& drive) {
  const double share = sum_of(overheads_ms, {"data_prep"}, drive) - to_ms(kOwnShare);
  return std::min({before_data_ms(overheads_ms, drive), share, 0.0});
}

/// The stage before a read's status. It is shorter by the time that the drive is late before the
/// data. Between data and status, the bus sets the pace.
double read_status_ms(const std::map<std::string, double>& overheads_ms, const std::string& drive) {
  const double status = sum_of(overheads_ms, {"read_completion"}, drive) - to_ms(kOwnReadStatus);
  return std::max(status + lateness_ms(overheads_ms, drive), 0.0);
}

/// The stage before a whole read's data. It is longer by the time that is taken from the status.
double read_data_ms(const std::map<std::string, double>& overheads_ms, const std::string& drive) {
  return before_data_ms(overheads_ms, drive) - lateness_ms(overheads_ms, drive);
}

Picoseconds own_before(bool is_write, bool is_hit, bool pauses) {
  if (is_hit && is_write) return kOwnReportedWrite;
  if (is_hit) return kOwnOverhead - kOwnMeanwhile + (pauses ? kOwnPause : 0);
  return is_write ? kOwnBeforeWriteSeek : kOwnBeforeReadSeek;
}

constexpr const char* kReadWaterMark = "read_water_mark";

std::optional<double> fact_from(const std::map<std::string, double>& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::nullopt : std::optional(found->second);
}

/// A share of a request, as a ratio of page 02h; nothing if none was published.
std::optional<std::uint8_t> ratio_from(const std::map<std::string, double>& cache, const char* key,
                                       const std::string& drive) {
  const std::optional<double> share = fact_from(cache, key);
  if (!share) return std::nullopt;
  if (*share < 0 || *share > 1) {
    throw OptionError(fmt::format(
        "{}: published.cache.{}: {} is no share of a request; give 0 to 1", drive, key, *share));
  }
  if (*share == 1) return MODE_RATIO_ALL;
  return static_cast<std::uint8_t>(std::min(std::round(*share * 256), 254.0));
}

/// Makes the arm start `sooner_ms` earlier for a write after a write that it does not continue. Its
/// data are not transferred earlier.
void start_sooner(const std::map<std::string, double>& overheads_ms, const std::string& drive,
                  double sooner_ms, ControllerStages& stages) {
  const double start_ms =
      sum_of(overheads_ms, {"per_request", "write_miss_after_write"}, drive) - sooner_ms;
  // A value of 0 would mean that there are no such writes.
  stages[MODE_STAGE_FAR_WRITE] =
      std::max<std::uint16_t>(units_of(start_ms - to_ms(kOwnBeforeWriteSeek), drive), 1);
  stages[MODE_STAGE_FAR_WRITE_DATA] = units_of(sooner_ms - to_ms(kOwnReselection), drive);
  stages[MODE_STAGE_FAR_WRITE_STATUS] = stages[MODE_STAGE_WRITE_STATUS];
}

}  // namespace

ControllerTimes controller_times(const std::map<std::string, double>& overheads_ms,
                                 const std::string& drive, double write_settle_ms) {
  ControllerTimes times{};
  for (const bool is_write : {false, true}) {
    for (const bool follows_write : {false, true}) {
      for (const bool is_hit : {false, true}) {
        const double sum = sum_of(overheads_ms, parts_of(is_write, follows_write, is_hit), drive);
        // The status of a hit is a stage of its own.
        double later = is_hit && !is_write ? read_status_ms(overheads_ms, drive) : 0;
        // After a write, a write that moves the arm has a stage of its own.
        if (is_write && !is_hit && !follows_write) later = std::max(-write_settle_ms, 0.0);
        times[controller_row(is_write, follows_write, is_hit)] =
            units_of(sum - later - to_ms(own_before(is_write, is_hit, later > 0)), drive);
      }
    }
  }
  return times;
}

ControllerStages controller_stages(const std::map<std::string, double>& overheads_ms,
                                   const std::string& drive, double write_settle_ms) {
  ControllerStages stages{};
  const double sooner_ms = std::max(-write_settle_ms, 0.0);
  const auto set = [&](mode_controller_stage stage, const std::vector<std::string>& parts,
                       double less_ms) {
    stages[stage] = units_of(sum_of(overheads_ms, parts, drive) - less_ms, drive);
  };
  stages[MODE_STAGE_READ_DATA] = units_of(read_data_ms(overheads_ms, drive), drive);
  stages[MODE_STAGE_READ_STATUS] = units_of(read_status_ms(overheads_ms, drive), drive);
  set(MODE_STAGE_WRITE_STATUS, {"first_reselect", "write_completion"}, to_ms(kOwnWriteStatus));
  const auto hold = overheads_ms.find("minimum_seek_delay");
  // This time includes the drive's own path from the arm's command to the formatter's start.
  if (hold != overheads_ms.end()) stages[MODE_STAGE_WRITE_HOLD] = units_of(hold->second, drive);
  if (!drive::leaves_once_more(overheads_ms)) {
    if (sooner_ms > 0) start_sooner(overheads_ms, drive, sooner_ms, stages);
    return stages;
  }
  const double seek_delta_ms = sum_of(overheads_ms, {"extradisc_seek_delta"}, drive);
  set(MODE_STAGE_FAR_WRITE, {"per_request", "extradisc_command", "extradisc_seek_delta"},
      to_ms(kOwnBeforeWriteSeek) + sooner_ms);
  // The drive leaves the bus, stays away, and comes back for the data. In the meantime the arm has
  // begun to move.
  set(MODE_STAGE_FAR_WRITE_DATA,
      {"extradisc_disconnect", "extradisc_delay", "first_reselect", "data_prep"},
      seek_delta_ms + to_ms(kOwnReselection));
  set(MODE_STAGE_FAR_WRITE_STATUS, {"other_reselect", "write_completion"}, to_ms(kOwnWriteStatus));
  return stages;
}

std::uint16_t controller_access(const std::map<std::string, double>& overheads_ms,
                                const std::string& drive) {
  return units_of(fact_from(overheads_ms, "access").value_or(0), drive);
}

ControllerBuffer controller_buffer(const std::map<std::string, double>& cache,
                                   const std::string& drive,
                                   const std::map<std::string, double>& overheads_ms) {
  // DiskSim's disk module delays writes on drives that leave the bus again before the data.
  constexpr std::uint8_t kWriteStartBlocks = 10;
  // DiskSim's code for read-ahead that goes one track beyond the one where the read ended.
  constexpr double kOneTrackBeyond = 4;
  // DiskSim's code for read-ahead to the track's end. This drive goes one track beyond instead.
  constexpr double kTrackEnd = 1;
  // A ratio of 80h has another meaning for reads: run by run. So one step above it represents half
  // of a request.
  ControllerBuffer buffer;
  buffer.full_ratio = ratio_from(cache, kReadWaterMark, drive);
  if (buffer.full_ratio == MODE_RATIO_HALF_RUN) ++*buffer.full_ratio;
  if (const auto mode = fact_from(cache, "readahead_mode")) {
    buffer.ahead_one_track = *mode == kOneTrackBeyond || *mode == kTrackEnd;
  }
  if (const auto on_hit = fact_from(cache, "readahead_on_idle_hit")) {
    buffer.ahead_misses = *on_hit == 0;
  }
  if (const auto over = fact_from(cache, "readahead_over_requested")) {
    buffer.ahead_over = *over > 0;
  }
  // DiskSim's disk module also searches segments that reads use.
  if (const auto hits = fact_from(cache, "read_hits_on_written")) {
    buffer.keeps_written =
        *hits != 0 && fact_from(cache, "separate_write_segment").value_or(0) == 0;
  }
  if (const auto joins = fact_from(cache, "combine_seq_writes")) buffer.joins = *joins != 0;
  if (const auto free = fact_from(cache, "read_any_free_blocks")) buffer.reads_free = *free != 0;
  const auto reselection = fact_from(overheads_ms, "first_reselect");
  if (reselection.value_or(0) > 0) buffer.reselects_ahead = true;
  if (drive::leaves_once_more(overheads_ms)) {
    buffer.write_start_blocks = kWriteStartBlocks;
    buffer.far_in_sequence = true;
  }
  return buffer;
}

std::vector<std::string> describe_controller(const ControllerBuffer& buffer) {
  const auto share = [](std::uint8_t ratio) {
    if (ratio == 0) return std::string("its first sector is");
    if (ratio == MODE_RATIO_ALL) return std::string("all of it is");
    return fmt::format("{:.0f} % of it is", ratio * 100.0 / 256);
  };
  std::vector<std::string> lines;
  lines.push_back(buffer.full_ratio
                      ? fmt::format("published: a read's data leave when {} in the buffer",
                                    share(*buffer.full_ratio))
                      : "own: a read's data leave when half of a run is in the buffer");
  lines.push_back(buffer.write_start_blocks
                      ? fmt::format("published: a write begins with {} blocks of it in the buffer",
                                    *buffer.write_start_blocks)
                      : "own: a write begins with its first sector in the buffer");
  // Without a published fact, this drive does the same as for a published 0.
  const auto add = [&lines](std::optional<bool> fact, const char* if_so, const char* if_not) {
    lines.push_back(
        fmt::format("{}: {}", fact ? "published" : "own", fact.value_or(false) ? if_so : if_not));
  };
  add(buffer.ahead_one_track, "reads ahead to the track's end, of a stream to the next's",
      "reads ahead as far as the cache allows");
  add(buffer.ahead_misses, "reads ahead after misses alone", "reads on after a hit");
  add(buffer.ahead_over, "reads ahead over what the last read asked for",
      "reads ahead up to what the last read asked for");
  add(buffer.keeps_written, "reads find what was just written",
      "reads do not find what was written");
  const auto add_found = [&lines](std::optional<bool> fact, const char* if_so, const char* if_not) {
    const bool is_so = fact.value_or(false);
    lines.push_back(
        fmt::format("{}: {}", is_so ? "from a real trace" : "own", is_so ? if_so : if_not));
  };
  add_found(buffer.reselects_ahead, "prepares to take the bus while the media read a share",
            "takes the bus for a share as for a whole read");
  add_found(buffer.far_in_sequence, "writes in sequence leave the bus once more, too",
            "writes in sequence have their data at once");
  add(buffer.reads_free, "keeps blocks that pass before a read's first",
      "keeps no block before a read's first");
  add(buffer.joins, "reported writes in sequence go to the media as one",
      "reported writes go to the media one by one");
  return lines;
}

void apply_controller(const ControllerTimes& times, const ControllerStages& stages,
                      const ControllerBuffer& buffer, std::uint8_t* page) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    MODE_PUT_AT(page, CONTROLLER, TIMES, i, times[i]);
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    MODE_PUT_AT(page, CONTROLLER, STAGES, i, stages[i]);
  }
  MODE_PUT(page, CONTROLLER, AHEAD_ONE_TRACK, buffer.ahead_one_track.value_or(false));
  MODE_PUT(page, CONTROLLER, AHEAD_MISSES, buffer.ahead_misses.value_or(false));
  MODE_PUT(page, CONTROLLER, AHEAD_OVER, buffer.ahead_over.value_or(false));
  MODE_PUT(page, CONTROLLER, KEEPS_WRITTEN, buffer.keeps_written.value_or(false));
  MODE_PUT(page, CONTROLLER, JOINS, buffer.joins.value_or(false));
  MODE_PUT(page, CONTROLLER, RESELECTS_AHEAD, buffer.reselects_ahead.value_or(false));
  MODE_PUT(page, CONTROLLER, FAR_IN_SEQUENCE, buffer.far_in_sequence.value_or(false));
  MODE_PUT(page, CONTROLLER, READS_FREE, buffer.reads_free.value_or(false));
  MODE_PUT(page, CONTROLLER, COUNTS, buffer.write_start_blocks.has_value());
  MODE_PUT(page, CONTROLLER, WRITES, buffer.write_start_blocks.value_or(0));
}

void apply_access(std::uint16_t access, std::uint8_t* page) {
  MODE_PUT(page, CONTROLLER, ACCESS, access);
}

void apply_disconnect(const ControllerBuffer& buffer, std::uint8_t* page) {
  if (buffer.full_ratio) MODE_PUT(page, DISCONNECT, FULL, *buffer.full_ratio);
}

}  // namespace headstack::options
