// A queue on a drive's arm, for tests of policies: requests arrive, a policy chooses, the heads go
// there and the access takes its time. No electronics, no bus: what a policy sees, and no more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware/queue/scheduler.h"
#include "tests/firmware/reference_policy.hpp"
#include "tests/firmware/support.hpp"

namespace headstack::test {

class PolicyBench {
 public:
  explicit PolicyBench(const drive::Design& design, std::uint32_t margin_tick = 0);

  /// An empty queue, the heads on cylinder 0, half a turn after the index.
  void reset();

  /// Puts a policy in force, as the command line names it.
  void select(const std::string& policy);

  /// What is settled for streams, as --stream has it; the policy begins anew.
  void settle(const std::vector<std::string>& streams);

  /// A request that arrives now. It lives as long as the bench. The angle is of its first sector.
  ::candidate& add(std::uint32_t cylinder, std::uint32_t head = 0, std::uint32_t angle_turn32 = 0,
                   std::uint32_t span_turn24 = 100, ::candidate_kind kind = CANDIDATE_READ);
  /// The same, of what the drive has at a block.
  ::candidate& add_blocks(std::uint32_t lba, std::uint32_t blocks, bool is_write);

  /// Makes it real time: due so many ticks from now, rounded down to 64; negative is past.
  void make_due(::candidate& candidate, std::int64_t ticks);

  /// What the policy serves next, from where the heads are; nullptr: nobody waits.
  ::candidate* choose();
  /// The same by what the policy has prepared: up to `steps` steps before the `late` youngest came,
  /// and one behind each of them.
  ::candidate* choose_prepared(std::size_t late, std::size_t steps);
  /// The cylinder that the arm goes to before the candidate's, or POLICY_NO_DETOUR.
  std::uint32_t detour(const ::candidate& candidate);
  /// Serves it: its access begins now, and the heads are free at its end, on its cylinder.
  void serve(::candidate& candidate);
  /// It leaves without being served.
  void withdraw(::candidate& candidate);
  /// Serves all that wait, one after the other.
  std::vector<std::uint32_t> cylinders_served();

  /// The queue and the moment as the reference policies know them.
  reference::Queue queue() const;
  reference::Moment moment();
  reference::Drive drive() const;
  static reference::Request request_of(const ::candidate& candidate);

  /// Moves the clock; the heads stay.
  void wait(std::uint64_t ticks) { at_.at_tick += ticks; }
  void place_heads(std::uint32_t cylinder, std::uint32_t head = 0) {
    at_.cylinder = cylinder;
    at_.head = head;
  }
  /// Data asked for at a choice come so much later.
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
  std::vector<std::uint64_t> ends_turn24(const reference::Queue& path, bool exact);
  std::uint64_t move_turn24(const reference::Request* from, const reference::Request& to);
  std::uint64_t due_turn24(const reference::Request& request) const;
  std::uint64_t end_tick(const reference::Request& request, bool exact);

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

/// 100 cylinders, or another number, 2 heads, 10 sectors, 6000 rpm (10 ms, 400,000 ticks); a seek
/// takes 2 ms, and 0.1 ms for each cylinder.
drive::Design hundred_cylinders(std::uint32_t cylinders = 100, double ms_per_cylinder = 0.1);

/// 100 cylinders whose waits are half a turn, wherever the heads are: an access takes the same at
/// all times.
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
