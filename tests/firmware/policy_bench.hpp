// SPDX-License-Identifier: Apache-2.0
// A queue and a drive's arm, for tests of policies: requests arrive, a policy chooses, the heads
// move, and the access takes its time. It has no electronics and no bus: only what a policy sees.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "firmware/queue/scheduler.h"
#include "tests/firmware/reference_policy.hpp"
#include "tests/firmware/support.hpp"

namespace headstack::test {

class PolicyBench {
 public:
  explicit PolicyBench(const drive::Design& design, std::uint32_t margin_tick = 0);
  PolicyBench(std::unique_ptr<::drive_design> table, std::uint32_t margin_tick);

  /// An empty queue, the heads on cylinder 0, half a turn after the index.
  void reset();

  /// Puts a policy in force, by its name on the command line.
  void select(const std::string& policy);

  /// Sets parameters of streams, as with settings.streams; the policy starts again.
  void settle(const std::vector<std::string>& streams);

  /// Adds a request that arrives now, and lives as long as the bench. The angle is that of its
  /// first sector.
  ::candidate& add(std::uint32_t cylinder, std::uint32_t head = 0, std::uint32_t angle_turn32 = 0,
                   std::uint32_t span_turn24 = 100, ::candidate_kind kind = CANDIDATE_READ);
  /// Adds a request, with the place that the drive gives its first block.
  ::candidate& add_blocks(std::uint32_t lba, std::uint32_t blocks, bool is_write);

  /// Makes a request real-time: due `ticks` from now, rounded down to 64; negative is past.
  void make_due(::candidate& candidate, std::int64_t ticks);

  /// The request that the policy serves next, from the present position; nullptr if none waits.
  ::candidate* choose();
  /// The same with a prepared choice: up to `steps` steps of preparation before the `late` youngest
  /// arrive, and one after each of them.
  ::candidate* choose_prepared(std::size_t late, std::size_t steps);
  /// Chooses in each way that the policy has, and expects the same request of all. The ways are
  /// its search, comparisons of two in a random order, and, if `may_prepare`, a prepared search.
  ::candidate* choose_in_each_way(std::mt19937& random, bool may_prepare = true);
  /// The cylinder to which the arm moves before the candidate's, or POLICY_NO_DETOUR.
  std::uint32_t detour(const ::candidate& candidate);
  /// Serves a request: its access begins now, and the heads are free at its end, on its cylinder.
  void serve(::candidate& candidate);
  /// Removes a request without serving it.
  void withdraw(::candidate& candidate);
  /// Serves all waiting requests, one after the other.
  std::vector<std::uint32_t> cylinders_served();

  /// The queue and the moment in the form of the definitions in C++.
  reference::Queue queue() const;
  reference::Moment moment();
  reference::Drive drive() const;
  static reference::Request request_of(const ::candidate& candidate);

  /// Moves the clock; the heads stay.
  void wait(std::uint64_t ticks) { at_.at_tick += ticks; }
  std::uint64_t now_tick() const { return at_.at_tick; }
  void place_heads(std::uint32_t cylinder, std::uint32_t head = 0) {
    at_.cylinder = cylinder;
    at_.head = head;
  }
  /// Data requested at a choice arrive `ticks` later.
  void delay_data(std::uint64_t ticks) { data_delay_ = ticks; }
  const ::head_state& heads();

  std::uint64_t access_turn24(const ::candidate& candidate);
  std::size_t waiting_count() const { return waiting_->count; }
  const ::drive_design& table() const { return *table_; }
  ::scheduler& scheduler() { return scheduler_; }
  ::candidate_set* waiting() { return waiting_.get(); }
  /// Numbers of arrivals wrap soon after the first.
  std::uint64_t arrivals() const { return arrivals_; }

 private:
  ::candidate& arrive(std::unique_ptr<::candidate> candidate);
  const ::candidate* best_by_comparing(std::mt19937& random);
  std::uint64_t path_turn24(const reference::Queue& path);
  std::uint64_t due_turn24(const reference::Request& request) const;

  std::unique_ptr<::drive_design> table_;
  std::unique_ptr<::candidate_set> waiting_ = std::make_unique<::candidate_set>();
  std::unique_ptr<::policy_store> store_ = std::make_unique<::policy_store>();
  ::rotation rotation_{};
  ::predictor predictor_{};
  ::scheduler scheduler_{};
  ::head_state at_{};
  std::uint64_t arrivals_ = 0;
  std::uint64_t data_delay_ = 0;
  std::vector<std::unique_ptr<::candidate>> candidates_;
};

/// A drive with 100 cylinders, or another number, 2 heads, 10 sectors, 6000 rpm (10 ms, 400,000
/// ticks). A seek takes 2 ms, plus 0.1 ms for each cylinder.
drive::Design hundred_cylinders(std::uint32_t cylinders = 100, double ms_per_cylinder = 0.1);

/// A drive with 100 cylinders and waits of half a turn at any angle: an access takes the same time
/// at all times.
drive::Design without_angles();

constexpr std::int64_t kMs = 40'000;  // ticks

constexpr std::uint32_t turn32(double turns) {
  return static_cast<std::uint32_t>(turns * 4294967296.0);
}
constexpr std::uint32_t turn24(double turns) {
  return static_cast<std::uint32_t>(turns * 16777216.0);
}

constexpr std::uint64_t kTicksPerSecond = 40'000'000;

}  // namespace headstack::test
