// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/waits/bus_model.hpp"
#include "tests/waits/bus_moves.hpp"
#include "tests/waits/bus_world.hpp"

namespace headstack::test {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

// Numbers states in the order in which they are found.
class StateTable {
 public:
  StateTable() : slots_(1U << 12U, kNone) {}

  // @return the number of the state. `is_new` says whether it is a new one.
  std::uint32_t number_of(const BusState& state, bool* is_new) {
    std::uint64_t at = hash(state) & (slots_.size() - 1);
    while (slots_[at] != kNone && !(states_[slots_[at]] == state))
      at = (at + 1) & (slots_.size() - 1);
    *is_new = slots_[at] == kNone;
    if (!*is_new) return slots_[at];
    const auto number = static_cast<std::uint32_t>(states_.size());
    slots_[at] = number;
    states_.push_back(state);
    if (states_.size() * 2 > slots_.size()) grow();
    return number;
  }
  const BusState& operator[](std::uint32_t number) const { return states_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(states_.size()); }

 private:
  static std::uint64_t hash(const BusState& state) {
    std::uint64_t sum = 0;
    for (const std::uint32_t word : state.word) {
      sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
      sum ^= sum >> 29U;
    }
    return sum;
  }
  void grow() {
    std::vector<std::uint32_t> wider(slots_.size() * 2, kNone);
    for (std::uint32_t number = 0; number < states_.size(); ++number) {
      std::uint64_t at = hash(states_[number]) & (wider.size() - 1);
      while (wider[at] != kNone) at = (at + 1) & (wider.size() - 1);
      wider[at] = number;
    }
    slots_.swap(wider);
  }

  std::vector<std::uint32_t> slots_;
  std::vector<BusState> states_;
};

class Search {
 public:
  explicit Search(const BusConfiguration& configuration)
      : configuration_(configuration), world_(configuration), moves_(world_) {
    list_steps();
  }

  BusVerdict run() {
    bool is_new = false;
    found_.number_of(BusState{{0, 0, 0, 0, kDriveAtRest}}, &is_new);
    came_by_.push_back({kNone, {}});
    for (std::uint32_t at = 0; at < found_.size() && verdict_.fault.empty(); ++at) visit(at);
    if (verdict_.fault.empty()) look_for_loops();
    verdict_.states = found_.size();
    return verdict_;
  }

 private:
  // No task is connected, holds the bus, or is at the media.
  static constexpr std::uint32_t kDriveAtRest = kNoTask | kNoTask << 3 | kNoTask << 6;

  struct CameBy {
    std::uint32_t from;
    BusStep step;
  };

  void list_steps() {
    const auto add = [&](BusMove move, std::uint32_t count, std::uint32_t variants, bool refuses) {
      for (std::uint32_t age = 0; age < count; ++age) {
        for (std::uint32_t variant = 0; variant < variants; ++variant) {
          steps_.push_back({move, age, variant, false});
          if (refuses) steps_.push_back({move, age, variant, true});
        }
      }
    };
    const bool refuses = configuration_.refuses_disconnect;
    add(BusMove::kReselect, kBusTasks, 1, refuses);
    add(BusMove::kGoOn, 1, 1, refuses);
    add(BusMove::kBegin, kBusTasks, 1, false);
    add(BusMove::kBlock, 1, 1, false);
    if (configuration_.media_fail) {
      add(BusMove::kFail, 1, 1, false);
      add(BusMove::kRequestSense, configuration_.hosts, 1, false);
    }
    add(BusMove::kSuspend, 1, 1, false);
    add(BusMove::kResume, 1, 1, false);
    add(BusMove::kPatienceEnds, 1, 1, false);
    add(BusMove::kFetch, kBusTasks, 1, false);
    add(BusMove::kArrive, static_cast<std::uint32_t>(configuration_.commands.size()),
        2 * configuration_.hosts, refuses);
  }

  static bool names_task(BusMove move) {
    return move == BusMove::kReselect || move == BusMove::kBegin || move == BusMove::kFetch;
  }

  void visit(std::uint32_t at) {
    const BusState state = found_[at];
    std::uint32_t tasks = 0;
    while (tasks < kBusTasks && state.word[tasks] != 0) ++tasks;
    bool goes_on = false;
    bool is_unpacked = false;
    first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
    for (const BusStep& step : steps_) {
      if (names_task(step.move) && step.age >= tasks) continue;
      if (!is_unpacked) world_.unpack(state);
      is_unpacked = true;
      if (!moves_.may_be(step)) continue;
      is_unpacked = false;
      if (!moves_.make(step)) continue;
      if (step.refuses && !moves_.met_refusal()) continue;
      ++verdict_.moves;
      bool is_new = false;
      const std::uint32_t next = found_.number_of(world_.pack(), &is_new);
      if (is_new) came_by_.push_back({at, step});
      if (step.is_progress()) edges_.push_back(next);
      goes_on = goes_on || step.is_progress();
      if (moves_.refused() && (tasks == 0 || moves_.refused_late())) {
        fail(at, tasks == 0 ? "refused although idle" : "refused by its own drive");
        verdict_.trace.push_back(describe(at, step));
        return;
      }
    }
    if (tasks > 0 && !goes_on) {
      fail(at, "deadlock");
      world_.unpack(state);
      verdict_.circle = moves_.describe_circle();
    }
  }

  std::string describe(std::uint32_t from, const BusStep& step) {
    world_.unpack(found_[from]);
    return moves_.describe(step);
  }

  void fail(std::uint32_t at, const char* fault) {
    verdict_.fault = fault;
    for (; came_by_[at].from != kNone; at = came_by_[at].from) {
      verdict_.trace.push_back(describe(came_by_[at].from, came_by_[at].step));
    }
    std::reverse(verdict_.trace.begin(), verdict_.trace.end());
  }

  // Removes states that no move leads to, again and again. The remaining states lead back to
  // themselves.
  void look_for_loops() {
    first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
    std::vector<std::uint32_t> leads_here(found_.size(), 0);
    for (const std::uint32_t next : edges_) ++leads_here[next];
    std::vector<std::uint32_t> ready;
    for (std::uint32_t at = 0; at < found_.size(); ++at) {
      if (leads_here[at] == 0) ready.push_back(at);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (std::uint32_t edge = first_edge_[ready[i]]; edge < first_edge_[ready[i] + 1]; ++edge) {
        if (--leads_here[edges_[edge]] == 0) ready.push_back(edges_[edge]);
      }
    }
    if (ready.size() == found_.size()) return;
    const auto looping = std::find_if(leads_here.begin(), leads_here.end(),
                                      [](std::uint32_t count) { return count > 0; });
    fail(static_cast<std::uint32_t>(looping - leads_here.begin()), "no end");
  }

  const BusConfiguration& configuration_;
  BusWorld world_;
  BusMoves moves_;
  std::vector<BusStep> steps_;
  StateTable found_;
  std::vector<CameBy> came_by_;
  // The moves that are progress. Those of state `at` begin at first_edge_[at].
  std::vector<std::uint32_t> edges_;
  std::vector<std::uint32_t> first_edge_;
  BusVerdict verdict_;
};

}  // namespace

std::string BusConfiguration::name() const {
  return fmt::format(
      "DTDC {}, {} segment(s), write cache {}, {} reordering, {} tasks of {} hosts{}{}",
      static_cast<int>(dtdc), segments, cache_writes ? "on" : "off",
      restricted ? "restricted" : "unrestricted", tasks, hosts,
      refuses_disconnect ? ", DISCONNECT may be rejected" : "",
      media_fail ? ", the media may fail" : "");
}

std::string BusVerdict::text() const {
  std::string text = fmt::format("{} states, {} moves", states, moves);
  if (fault.empty()) return text;
  text += fmt::format(": {}\n", fault);
  for (const std::string& line : trace) text += "  " + line + "\n";
  return text + "  " + circle;
}

BusVerdict search_bus(const BusConfiguration& configuration) { return Search(configuration).run(); }

}  // namespace headstack::test
