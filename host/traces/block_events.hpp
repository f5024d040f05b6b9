// SPDX-License-Identifier: Apache-2.0
// Events of Linux's block layer, recorded by blktrace and printed by blkparse.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/traces/trace.hpp"

namespace headstack::traces {

/// The tag of an event's request, which its completion has, too. Never 0.
constexpr std::uint64_t block_event_tag(std::uint64_t sector, Operation operation) {
  return sector << 2 | (static_cast<std::uint64_t>(operation) + 1);
}

/// The letters by which blkparse prints actions, with their meaning (man 1 blkparse). In the file
/// of blktrace an action is its number in this order, from 1 on (enum blktrace_act in Linux,
/// include/uapi/linux/blktrace_api.h).
struct BlockAction {
  char letter;
  const char* meaning;
};
constexpr BlockAction kBlockActions[] = {
    {'Q', "queued"}, {'M', "back merges"}, {'F', "front merges"},  {'G', "allocated"},
    {'S', "slept"},  {'R', "requeued"},    {'D', "issued"},        {'C', "completed"},
    {'P', "plugs"},  {'U', "unplugs"},     {'T', "timed unplugs"}, {'I', "inserted"},
    {'X', "splits"}, {'B', "bounced"},     {'A', "remapped"},
};

/// The actions that count as requests, and the number of events of each action.
class BlockEvents {
 public:
  void choose(BlockEvent begin) { begin_ = begin; }

  /// Counts the event of an action. Any `letter` is allowed.
  void count(char letter) {
    for (std::size_t i = 0; i < std::size(kBlockActions); ++i) {
      if (kBlockActions[i].letter == letter) ++counts_[i];
    }
  }

  /// Letter of the action that counts as a request.
  char begin() const { return begin_ == BlockEvent::kIssue ? 'D' : 'Q'; }
  bool begins(char letter) const { return letter == begin(); }
  bool ends(char letter) const { return letter == 'C'; }
  /// Whether the action takes back an issue: a requeue does. The request stays queued.
  bool withdraws(char letter) const { return letter == 'R' && begin_ == BlockEvent::kIssue; }

  /// The actions that occurred, such as "Q (queued)", each with its number.
  std::vector<EventCount> counts() const {
    std::vector<EventCount> all;
    for (std::size_t i = 0; i < std::size(kBlockActions); ++i) {
      const BlockAction& action = kBlockActions[i];
      if (counts_[i] == 0) continue;
      const bool used = begins(action.letter) || ends(action.letter) || withdraws(action.letter);
      all.push_back(
          {std::string(1, action.letter) + " (" + action.meaning + ")", counts_[i], used});
    }
    return all;
  }

 private:
  BlockEvent begin_ = BlockEvent::kIssue;
  std::array<std::uint64_t, std::size(kBlockActions)> counts_{};
};

}  // namespace headstack::traces
