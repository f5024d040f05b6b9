// SPDX-License-Identifier: Apache-2.0
/// @file
/// A scenario's notes on one bench, for comparison with those on the other: values read and changes
/// of the interrupt line, each with its cycle.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/tlm/kernel/clock.hpp"
#include "sim/tlm/kernel/ports.hpp"

namespace headstack::contract {

struct Note {
  std::uint64_t cycle = 0;
  std::string what;
  std::uint32_t value = 0;
  bool is_line = false;  // an interrupt line's level

  std::string text() const { return fmt::format("cycle {}: {} {:#x}", cycle, what, value); }
  bool operator==(const Note& other) const {
    return cycle == other.cycle && what == other.what && value == other.value;
  }
  bool operator<(const Note& other) const {
    return cycle != other.cycle ? cycle < other.cycle : what < other.what;
  }
};
using Notes = std::vector<Note>;

inline void note(Notes& notes, std::uint64_t cycle, const std::string& what, std::uint32_t value) {
  notes.push_back({cycle, what, value});
}
inline void note_line(Notes& notes, std::uint64_t cycle, const std::string& what, bool level) {
  notes.push_back({cycle, what, level, true});
}

/// Sorts notes by cycle. An interrupt line that falls and rises with one edge is dropped: an
/// acknowledgement coincided with the next event.
inline Notes in_order(Notes notes) {
  std::stable_sort(notes.begin(), notes.end());
  Notes kept;
  for (const Note& next : notes) {
    const bool cancels = !kept.empty() && next.is_line && kept.back().is_line &&
                         kept.back().cycle == next.cycle && kept.back().what == next.what;
    cancels ? kept.pop_back() : kept.push_back(next);
  }
  return kept;
}

/// Succeeds if both notes are equal; otherwise shows the first difference, with the notes before
/// it.
inline testing::AssertionResult alike(const Notes& all_model, const Notes& all_rtl) {
  // Within a cycle, the benches may note events in different order.
  const Notes model = in_order(all_model);
  const Notes rtl = in_order(all_rtl);
  const std::size_t common = std::min(model.size(), rtl.size());
  std::size_t same = 0;
  while (same < common && model[same] == rtl[same]) ++same;
  if (same == model.size() && same == rtl.size()) return testing::AssertionSuccess();
  auto result = testing::AssertionFailure();
  result << "alike for " << same << " notes, then\n";
  for (std::size_t i = same < 20 ? 0 : same - 20; i < same; ++i)
    result << "  " << rtl[i].text() << "\n";
  for (std::size_t i = same; i < same + 3; ++i) {
    result << "  model " << (i < model.size() ? model[i].text() : "-") << "\n  rtl   "
           << (i < rtl.size() ? rtl[i].text() : "-") << "\n";
  }
  return result;
}

/// Notes the interrupt lines of models, by line number. A register write acts with the next edge,
/// but models change their level at the access.
class NotingSink : public tlm::InterruptSink {
 public:
  NotingSink(const tlm::Agenda& agenda, Notes& notes) : agenda_(agenda), notes_(notes) {}
  void interrupt_level(unsigned line, bool level) override {
    levels_[line] = level;
    const bool by_write = agenda_.now() == written_at_;
    note_line(notes_, tlm::edge_number(agenda_.now()) + (by_write ? 1 : 0), name(line), level);
  }
  /// Call it before a register write.
  void writing() { written_at_ = agenda_.now(); }
  bool level(unsigned line) const { return levels_[line]; }
  static const char* name(unsigned line) {
    static constexpr const char* kNames[] = {"scsi irq", "buffer irq", "formatter irq", "servo irq",
                                             "timer irq"};
    return kNames[line];
  }

 private:
  const tlm::Agenda& agenda_;
  Notes& notes_;
  Picoseconds written_at_ = -1;
  bool levels_[5] = {};
};

}  // namespace headstack::contract
