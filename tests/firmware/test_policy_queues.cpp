// SPDX-License-Identifier: Apache-2.0
// Policies that have their definition in Python, on random queues that the definition has served:
// the firmware's policy must choose the same request each time. tests/regress/random_queues.py
// writes the files, and defines their lines. test_policy_random.cpp has the other policies.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>
#include <string>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_queues.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

constexpr double kTurnTicks = 1 << 19;
constexpr std::uint32_t kMarginTicks = 1600, kHeadSwitchTicks = 40'000, kWriteSettleTicks = 20'000;
constexpr std::uint32_t kSeed = 19900122;  // seed for the ways to make a choice

/// Seeks up to a distance take `ticks`, and `each` more for each cylinder.
struct Piece {
  std::uint32_t last, ticks, each;
};

/// The drive of a file's queues.
std::unique_ptr<PolicyBench> make_bench(std::uint32_t cylinders, const std::vector<Piece>& pieces) {
  const auto ms = [](std::uint32_t ticks) { return ticks / double{kMs}; };
  drive::Design design = hundred_cylinders(cylinders);
  design.rpm = 60 * double{kTicksPerSecond} / kTurnTicks;
  design.head_switch_ms = ms(kHeadSwitchTicks);
  design.write_settle_ms = ms(kWriteSettleTicks);
  design.seek.pieces.clear();
  for (const Piece& piece : pieces) {
    design.seek.pieces.push_back({piece.last, ms(piece.ticks), 0, ms(piece.each), 0});
  }
  auto table = firmware_design(design);
  EXPECT_EQ(table->turn32_per_tick_high, 1U << 13);
  table->turn32_per_tick_low = 0;  // without the rounding of rpm
  EXPECT_EQ(table->head_switch_part, kHeadSwitchTicks * DRIVE_DESIGN_TICK_PARTS);
  EXPECT_EQ(table->write_settle_part, kWriteSettleTicks * DRIVE_DESIGN_TICK_PARTS);
  std::uint32_t apart = 1;
  for (const Piece& piece : pieces) {
    for (; apart <= piece.last; ++apart) {
      const std::uint32_t ticks = piece.ticks + piece.each * apart;
      EXPECT_EQ(table->pool[table->seek_table + apart], ticks * DRIVE_DESIGN_TICK_PARTS) << apart;
    }
  }
  return std::make_unique<PolicyBench>(std::move(table), kMarginTicks);
}

/// A file's queues on the firmware's policy.
class Replay {
 public:
  void line(const std::string& text) {
    std::istringstream in(text);
    std::string word;
    in >> word;
    if (word == "policy") {
      begin_selection(in);
    } else if (word == "drive") {
      begin_queue(in);
    } else if (queue_ > limit_) {
      return;
    } else if (word == "data") {
      bench_->delay_data(number(in));
    } else if (word == "add") {
      add(in);
    } else if (word == "heads") {
      const std::uint32_t cylinder = number(in);
      bench_->place_heads(cylinder, number(in));
    } else if (word == "serve") {
      serve(number(in));
    } else if (word == "withdraw") {
      bench_->withdraw(*bench_->waiting()->last);
    } else {
      ADD_FAILURE() << "unknown line: " << text;
    }
  }

  int choices() const { return choices_; }
  std::string where() const { return selection_ + " queue " + std::to_string(queue_); }

 private:
  template <class Number = std::uint32_t>
  static Number number(std::istringstream& in) {
    std::uint64_t value = 0;
    EXPECT_TRUE(in >> value);
    return static_cast<Number>(value);
  }

  void begin_selection(std::istringstream& in) {
    in >> selection_;
    streams_.clear();
    for (std::string word; in >> word;) streams_.push_back(word);
    queue_ = 0;
  }

  void begin_queue(std::istringstream& in) {
    auto& bench = benches_[in.str()];
    if (bench == nullptr) {
      const std::uint32_t cylinders = number(in);
      std::vector<Piece> pieces;
      for (Piece piece; in >> piece.last >> piece.ticks >> piece.each;) pieces.push_back(piece);
      bench = make_bench(cylinders, pieces);
    }
    bench_ = bench.get();
    bench_->reset();
    bench_->select(selection_);
    bench_->settle(streams_);
    requests_.clear();
    ++queue_;
  }

  void add(std::istringstream& in) {
    const auto tick = number<std::int64_t>(in);
    bench_->wait(static_cast<std::uint64_t>(tick) - bench_->now_tick());
    const std::uint32_t cylinder = number(in), head = number(in), angle = number(in);
    const std::uint32_t span = number(in), end_cylinder = number(in), end_head = number(in);
    ::candidate& one =
        bench_->add(cylinder, head, angle, span, static_cast<::candidate_kind>(number(in)));
    one.end_cylinder = static_cast<std::uint16_t>(end_cylinder);
    one.end_head = static_cast<std::uint8_t>(end_head);
    one.stream = number<std::uint8_t>(in);
    one.priority = number<std::uint8_t>(in);
    const auto due = number<std::int64_t>(in);
    if (due != 0) bench_->make_due(one, due - tick);
    requests_.push_back(&one);
  }

  void serve(std::uint32_t wanted) {
    ::candidate* chosen = bench_->choose_in_each_way(random_);
    ASSERT_EQ(chosen, requests_.at(wanted))
        << where() << ": request " << wanted << " on cylinder " << requests_[wanted]->cylinder
        << ", not on " << (chosen == nullptr ? -1 : chosen->cylinder);
    ++choices_;
    bench_->serve(*chosen);
  }

  std::map<std::string, std::unique_ptr<PolicyBench>> benches_;  // by the line of the drive
  PolicyBench* bench_ = nullptr;
  std::mt19937 random_{kSeed};
  std::string selection_;
  std::vector<std::string> streams_;
  std::vector<::candidate*> requests_;
  int queue_ = 0, choices_ = 0;
  const int limit_ = queue_limit();
};

std::vector<std::string> policies_in_python() {
  std::vector<std::string> names;
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    if (!is_defined_in_cpp(policy_row(row)->name)) names.emplace_back(policy_row(row)->name);
  }
  return names;
}

class DefinedInPython : public testing::TestWithParam<std::string> {};

// No request is lost, served twice, or served before it arrived: the definition has served each one
// that was not withdrawn.
TEST_P(DefinedInPython, ChoosesAsItsDefinitionSays) {
  std::ifstream file = open_policy_queues(GetParam());
  Replay replay;
  for (std::string line; std::getline(file, line);) {
    replay.line(line);
    ASSERT_FALSE(HasFailure()) << replay.where();
  }
  EXPECT_GT(replay.choices(), 0);
}

INSTANTIATE_TEST_SUITE_P(Policy, DefinedInPython, testing::ValuesIn(policies_in_python()),
                         [](const auto& test_info) { return test_info.param; });

}  // namespace
}  // namespace headstack::test
