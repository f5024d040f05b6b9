// SPDX-License-Identifier: Apache-2.0
/// @file
/// The time between two returns of the firmware to its main loop, on `vp`.
///
/// The main loop is drive_run() (firmware/drive.c). A stretch begins when that function has
/// executed an instruction, and ends when it executes another one. Time in which the core sleeps
/// does not count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "host/observe/function_table.hpp"
#include "sim/core/hart.hpp"

namespace headstack::scenario {

class LoopWatch : public core::HartWatcher {
 public:
  struct Stretch {
    core::Cycle cycles = 0;
    core::Cycle begin = 0;
    std::string spent;  // the functions that took most of it, each with its cycles
  };

  /// `image` is the firmware, and must outlive the watch.
  explicit LoopWatch(const soc::ElfImage& image)
      : table_(image), spent_(table_.functions().size() + 1) {
    for (std::uint32_t i = 0; i < table_.functions().size(); ++i) {
      if (table_.functions()[i].name == "drive_run") loop_ = i;
    }
  }

  void retired(std::uint32_t pc, core::Cycle at) override {
    if (asleep_) {
      last_at_ = at;
      asleep_ = false;
    }
    const std::uint32_t function = table_.index_at(pc);
    spent_[function] += at - last_at_;
    total_ += at - last_at_;
    last_at_ = at;
    if (function != loop_) return;
    if (total_ > longest_.cycles && begin_ != 0) longest_ = {total_, begin_, most_spent()};
    if (total_ > kNotable) std::fill(spent_.begin(), spent_.end(), 0);
    begin_ = at;
    total_ = 0;
  }
  void sleeps(core::Cycle from) override {
    total_ += from - last_at_;
    asleep_ = true;
  }

  /// The longest stretch since the last call.
  Stretch take_longest() {
    const Stretch longest = longest_;
    longest_ = {};
    return longest;
  }

 private:
  /// Shorter stretches are not told apart in `spent`.
  static constexpr core::Cycle kNotable = 1'000;

  std::string most_spent() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < spent_.size(); ++i) {
      if (spent_[i] > kNotable) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return spent_[a] > spent_[b]; });
    std::string text;
    for (const std::uint32_t i : order) {
      const bool is_known = i < table_.functions().size();
      text += (is_known ? table_.functions()[i].name : "?") + " " + std::to_string(spent_[i]) + " ";
    }
    return text;
  }

  observe::FunctionTable table_;
  std::vector<core::Cycle> spent_;  // cycles of the present stretch, by function
  std::uint32_t loop_ = UINT32_MAX;
  core::Cycle begin_ = 0, last_at_ = 0, total_ = 0;
  bool asleep_ = false;
  Stretch longest_;
};

}  // namespace headstack::scenario
