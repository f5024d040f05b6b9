// SPDX-License-Identifier: Apache-2.0
// The summary of a run: throughput, response times, anatomy, utilization.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <nlohmann/json.hpp>

#include "host/report/command_record.hpp"
#include "host/report/response_times.hpp"
#include "host/report/stream_figures.hpp"

namespace headstack::report {

/// Figures of the commands of one class that had deadlines.
struct DeadlineCounts {
  std::uint64_t commands = 0;
  std::uint64_t missed = 0;  // ended late, or not with GOOD
  std::uint64_t late = 0;
  Int128 tardiness = 0;  // sum over the late commands
  Picoseconds most_tardy = 0;

  void add(const CommandRecord& record);
  void add(const DeadlineCounts& other);
  double missed_share() const;
  /// Mean tardiness of the late commands.
  Picoseconds mean_tardiness() const;
};

class Summary {
 public:
  explicit Summary(std::uint32_t block_bytes = 512) : block_bytes_(block_bytes) {}

  /// Adds a complete record. Errors of find_fault() are counted, and the first is kept. `stream` is
  /// given in runs that may have several.
  void add(const CommandRecord& record, std::optional<std::uint8_t> stream = std::nullopt);

  /// Counts a record and its errors, but not its times. commands(), failed(), faults() and
  /// deadlines() are as after add().
  void count(const CommandRecord& record);

  std::uint64_t commands() const { return commands_; }
  /// Commands that did not end with GOOD.
  std::uint64_t failed() const { return failed_; }
  /// The number of records with an error.
  std::uint64_t faults() const { return faults_; }
  /// The first error of a record, or "".
  const RecordFault& first_fault() const { return first_fault_; }

  /// Time from the first submission to the last completion.
  Picoseconds elapsed() const { return last_completion_ - first_submission_; }
  double commands_per_second() const;
  /// Share of the elapsed time in which sectors passed under the head for a command.
  double utilization() const;
  /// Mean number of commands in the drive or waiting for it (Little: sum of responses / elapsed).
  double mean_outstanding() const;
  /// Commands whose request waited in its host before the first submission.
  std::uint64_t waited_in_host() const { return waited_in_host_; }
  /// Total time for which the media waited for the choice of a command.
  Picoseconds search_exposed() const { return search_exposed_; }

  /// Deadline counts summed over all classes.
  DeadlineCounts deadlines() const;

  nlohmann::ordered_json to_json() const;
  std::string to_table() const;

 private:
  bool take_errors(const CommandRecord& record);
  /// Whether the times of all records are known: none was only counted.
  bool has_times() const { return responses_.count() == commands_; }

  std::uint32_t block_bytes_;
  ResponseTimes responses_;
  ResponseTimes from_arrival_;  // the same times plus the waits in the hosts; empty without a wait
  StreamFigures streams_;
  std::array<Picoseconds, kStageCount> stages_{};
  std::uint64_t commands_ = 0;
  std::uint64_t failed_ = 0;
  std::map<Sense, std::uint64_t> sense_;
  std::map<std::uint8_t, std::uint64_t> statuses_;  // statuses other than GOOD without sense data
  std::map<std::string, std::uint64_t> outcomes_;   // outcomes of commands without a status
  std::map<traces::ServiceClass, DeadlineCounts> deadlines_;
  std::uint64_t blocks_ = 0;
  std::uint64_t faults_ = 0;
  RecordFault first_fault_;
  Picoseconds first_submission_ = 0;
  Picoseconds last_completion_ = 0;
  Picoseconds sum_of_responses_ = 0;
  Picoseconds search_exposed_ = 0;
  std::uint64_t waited_in_host_ = 0;
};

}  // namespace headstack::report
