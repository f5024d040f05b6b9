// SPDX-License-Identifier: Apache-2.0
#include "host/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace headstack::report {
namespace {

double ratio(Picoseconds part, Picoseconds whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

nlohmann::ordered_json deadlines_json(const DeadlineCounts& counts) {
  return {{"commands", counts.commands},
          {"missed", counts.missed},
          {"missed_share", counts.missed_share()},
          {"late", counts.late},
          {"tardiness_ps", {{"mean", counts.mean_tardiness()}, {"max", counts.most_tardy}}}};
}

nlohmann::ordered_json distribution_json(const Distribution& d) {
  return {{"mean", d.mean}, {"p50", d.p50}, {"p90", d.p90}, {"p99", d.p99}, {"max", d.max}};
}

std::string distribution_text(const char* what, const Distribution& d) {
  return fmt::format("  {} ms: mean {:.3f}, median {:.3f}, 90 % {:.3f}, 99 % {:.3f}, max {:.3f}\n",
                     what, to_ms(d.mean), to_ms(d.p50), to_ms(d.p90), to_ms(d.p99), to_ms(d.max));
}

std::string deadlines_text(const char* what, const DeadlineCounts& counts) {
  return fmt::format(
      "  {}: {} of {} deadlines missed ({:.2f} %); the late by {:.3f} ms in the mean, {:.3f} at "
      "most\n",
      what, counts.missed, counts.commands, 100 * counts.missed_share(),
      to_ms(counts.mean_tardiness()), to_ms(counts.most_tardy));
}

}  // namespace

void DeadlineCounts::add(const CommandRecord& record) {
  ++commands;
  if (record.missed_deadline()) ++missed;
  const Picoseconds late_by = record.response() - *record.request().deadline;
  if (late_by <= 0) return;
  ++late;
  tardiness += late_by;
  most_tardy = std::max(most_tardy, late_by);
}

void DeadlineCounts::add(const DeadlineCounts& other) {
  commands += other.commands;
  missed += other.missed;
  late += other.late;
  tardiness += other.tardiness;
  most_tardy = std::max(most_tardy, other.most_tardy);
}

double DeadlineCounts::missed_share() const {
  return commands == 0 ? 0 : static_cast<double>(missed) / static_cast<double>(commands);
}

Picoseconds DeadlineCounts::mean_tardiness() const {
  return late == 0 ? 0 : static_cast<Picoseconds>(tardiness / static_cast<Int128>(late));
}

/// Counts the record's errors. @return whether the record is complete.
bool Summary::take_errors(const CommandRecord& record) {
  const RecordFault fault = record.find_fault();
  if (!fault.empty()) {
    if (faults_++ == 0) first_fault_ = fault;
    if (!record.is_complete()) return false;
  }
  ++commands_;
  if (record.status() != 0) ++failed_;
  if (record.outcome() != std::string_view(kCompleteOutcome)) {
    ++outcomes_[record.outcome()];
  } else if (record.sense()) {
    ++sense_[*record.sense()];
  } else if (record.status() != 0) {
    ++statuses_[record.status()];
  }
  if (record.request().deadline) deadlines_[record.request().service_class()].add(record);
  return true;
}

void Summary::count(const CommandRecord& record) { (void)take_errors(record); }

void Summary::add(const CommandRecord& record, std::optional<std::uint8_t> stream) {
  if (!take_errors(record)) return;
  const bool first = commands_ == 1;
  first_submission_ = first ? record.submitted() : std::min(first_submission_, record.submitted());
  last_completion_ = first ? record.completed() : std::max(last_completion_, record.completed());
  if (record.host_wait() > 0 && waited_in_host_++ == 0) {
    responses_.visit([this](Picoseconds response) { from_arrival_.add(response); });
  }
  responses_.add(record.response());
  if (waited_in_host_ > 0) from_arrival_.add(record.response() + record.host_wait());
  sum_of_responses_ += record.response();
  const auto times = record.stage_times();
  for (std::size_t i = 0; i < kStageCount; ++i) stages_[i] += times[i];
  search_exposed_ += record.search_exposed();
  blocks_ += record.request().blocks;
  if (stream) streams_.add(*stream, record);
}

double Summary::commands_per_second() const {
  const double seconds = to_ms(elapsed()) / 1000;
  return seconds > 0 ? static_cast<double>(commands()) / seconds : 0;
}

double Summary::utilization() const {
  return ratio(stages_[static_cast<std::size_t>(Stage::kMediaTransfer)], elapsed());
}

double Summary::mean_outstanding() const { return ratio(sum_of_responses_, elapsed()); }

DeadlineCounts Summary::deadlines() const {
  DeadlineCounts all;
  for (const auto& [service_class, counts] : deadlines_) all.add(counts);
  return all;
}

nlohmann::ordered_json Summary::to_json() const {
  nlohmann::ordered_json stages;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    stages[fmt::format("{}_ps", to_string(static_cast<Stage>(i)))] = stages_[i];
  }
  nlohmann::ordered_json json = {{"commands", commands()}, {"failed", failed_}};
  if (has_times()) {
    json["blocks"] = blocks_;
    json["record_faults"] = faults_;
    json["elapsed_ps"] = elapsed();
    json["commands_per_second"] = commands_per_second();
    json["utilization"] = utilization();
    json["mean_outstanding"] = mean_outstanding();
    json["response_ps"] = distribution_json(responses_.distribution());
    json["stage_totals"] = stages;
    json["search_exposed_ps"] = search_exposed_;
  } else {
    json["record_faults"] = faults_;
  }
  if (waited_in_host_ > 0) {
    json["waited_in_host"] = waited_in_host_;
    json["from_arrival_ps"] = distribution_json(from_arrival_.distribution());
  }
  if (!outcomes_.empty()) json["outcomes"] = outcomes_;
  for (const auto& [sense, count] : sense_) {
    json["sense"].push_back(
        {{"sense", to_string(sense)}, {"words", words_of(sense)}, {"commands", count}});
  }
  for (const auto& [status, count] : statuses_) json["statuses"][status_name(status)] = count;
  if (!deadlines_.empty()) {
    json["deadlines"] = deadlines_json(deadlines());
    for (const auto& [service_class, counts] : deadlines_) {
      json["deadlines"]["classes"][to_string(service_class)] = deadlines_json(counts);
    }
  }
  if (auto streams = streams_.to_json(elapsed(), block_bytes_); !streams.is_null()) {
    json["streams"] = std::move(streams);
  }
  return json;
}

std::string Summary::to_table() const {
  std::string text;
  const auto out = std::back_inserter(text);
  if (has_times()) {
    fmt::format_to(out, "  {} commands in {:.3f} s: {:.1f} a second; {} not GOOD\n", commands(),
                   to_ms(elapsed()) / 1000, commands_per_second(), failed_);
  } else {
    fmt::format_to(out, "  {} commands; {} not GOOD\n", commands(), failed_);
  }
  for (const auto& [outcome, count] : outcomes_) {
    fmt::format_to(out, "  {} of them: {}\n", count, outcome);
  }
  for (const auto& [sense, count] : sense_) {
    fmt::format_to(out, "  {} CHECK CONDITION: {} {}\n", count, to_string(sense), words_of(sense));
  }
  for (const auto& [status, count] : statuses_) {
    fmt::format_to(out, "  {} {}, without sense data\n", count, status_name(status));
  }
  for (const auto& [service_class, counts] : deadlines_) {
    text += deadlines_text(to_string(service_class), counts);
  }
  if (!has_times()) return text;
  text += distribution_text("response", responses_.distribution());
  if (waited_in_host_ > 0) {
    text += distribution_text("from arrival", from_arrival_.distribution());
    fmt::format_to(
        out, "  {} requests waited in their hosts, which is in the times from arrival alone\n",
        waited_in_host_);
  }
  fmt::format_to(out, "  media utilization {:.1f} %, {:.2f} commands outstanding on average\n",
                 100 * utilization(), mean_outstanding());
  const double count = std::max(1.0, static_cast<double>(commands()));
  fmt::format_to(out, "  the media waited {:.1f} us a command for the scheduler's choice\n\n",
                 1000 * to_ms(search_exposed_) / count);
  fmt::format_to(out, "  {:<15} {:>12} {:>8}\n", "stage", "mean ms", "share %");
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const double mean = to_ms(stages_[i]) / count;
    fmt::format_to(out, "  {:<15} {:>12.4f} {:>8.1f}\n", to_string(static_cast<Stage>(i)), mean,
                   100 * ratio(stages_[i], sum_of_responses_));
  }
  return text + streams_.to_table(elapsed(), block_bytes_);
}

}  // namespace headstack::report
