// SPDX-License-Identifier: Apache-2.0
// Figures of each stream of a run: requests, throughput, response, misses, jitter. Also the
// fairness among streams.
//
// A request may name its stream. If not, its stream is its host, and has the host's SCSI id as
// number, as on the drive. There are 256 numbers, so memory is bounded.
//
// Jitter is the mean of |D| over consecutive completions i, j of a stream. With completions R and
// submissions S, D = (R_j - R_i) - (S_j - S_i). This is the jitter of RFC 3550 (section 6.4.1)
// without its smoothing by 1/16. D is the difference of two consecutive response times.
//
// Fairness is Jain's index, (sum x)^2 / (n sum x^2). It is 1 when all n streams have the same x,
// and 1/n when one has everything (R. Jain, D.-M. Chiu, W. Hawe, DEC-TR-301, 1984). In one figure x
// is the data that a stream moved, in the other its mean response time.
//
// Percentiles are defined in host/statistics/nearest_rank.hpp. Misses in a row are counted in the
// order of completion; requests without a deadline neither lengthen nor end them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "host/report/command_record.hpp"
#include "host/report/response_times.hpp"

namespace headstack::report {

/// Jain's index of the shares; 1 for no shares, or if all are 0.
double jain_index(const std::vector<double>& shares);

class StreamFigures {
 public:
  static constexpr std::size_t kMost = 256;
  /// Most rows of the text table; to_json() has all streams.
  static constexpr std::size_t kMostShown = 32;

  /// Adds a complete record.
  void add(std::uint8_t stream, const CommandRecord& record);

  /// Number of streams with requests.
  std::size_t count() const;
  /// Figures as JSON, and as text. `elapsed` is the time of the run. With fewer than two streams
  /// there are no figures: the results are null and "".
  nlohmann::ordered_json to_json(Picoseconds elapsed, std::uint32_t block_bytes) const;
  std::string to_table(Picoseconds elapsed, std::uint32_t block_bytes) const;

 private:
  struct Figures {
    std::uint64_t commands = 0;
    std::uint64_t blocks = 0;
    Int128 responses = 0;
    Picoseconds most_response = 0;
    Picoseconds last_response = 0;
    Int128 changes = 0;  // sum of |D|
    std::uint64_t deadlines = 0;
    std::uint64_t missed = 0;
    std::uint64_t missed_now = 0;  // present number of misses in a row
    std::uint64_t most_missed = 0;

    Picoseconds mean_response() const;
    Picoseconds jitter() const;
    double missed_share() const;
  };

  double throughput_fairness() const;
  double response_fairness() const;
  /// The percentile of each stream; 0 for a stream without requests.
  std::array<Picoseconds, kMost> percentiles(std::uint64_t per_mille) const;

  std::array<Figures, kMost> streams_{};
  ResponseTimes times_;  // times with their stream in the upper bits
};

}  // namespace headstack::report
