// SPDX-License-Identifier: Apache-2.0
// Common code of the tests of bus and initiator: a bus with recorder, an initiator, completions.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/bus/scsi_bus.hpp"
#include "sim/initiator/initiator.hpp"
#include "tests/unit/bus_test_target.hpp"

namespace headstack::test {

/// Everything that happened on the bus.
class Recorder : public bus::BusObserver {
 public:
  explicit Recorder(bus::ScsiBus& bus) : bus_(bus) { bus_.add_observer(*this); }
  ~Recorder() override { bus_.remove_observer(*this); }

  struct Change {
    Picoseconds at;
    bus::LineSet before;
    bus::LineSet now;
    std::vector<bus::LineSet> asserted;  // lines by device
  };
  struct Byte {
    Picoseconds at;
    bus::Phase phase;
    std::uint8_t low;
    std::size_t changes;  // changes of the lines, up to the one with which it moved
  };
  std::vector<Change> changes;
  std::vector<bus::Phase> phases;
  std::vector<Byte> bytes;
  struct Selection {
    unsigned by;
    unsigned selected;
    bool reselection;
  };
  std::vector<Selection> selections;

  void lines_changed(Picoseconds at, bus::LineSet before, bus::LineSet now) override {
    if (keep_changes) changes.push_back({at, before, now, bus_.asserted()});
  }
  void phase_changed(Picoseconds, bus::Phase, bus::Phase to) override { phases.push_back(to); }
  void byte_moved(Picoseconds at, bus::Phase phase, bus::LineSet lines) override {
    bytes.push_back({at, phase, static_cast<std::uint8_t>(bus::db_of(lines)), changes.size()});
  }
  void selected(Picoseconds, unsigned by, unsigned whom, bool reselection) override {
    selections.push_back({by, whom, reselection});
  }

  bool keep_changes = true;

  /// Time of the n-th (from 0) rise or fall of a line of the wired-OR; kNever if there is none.
  Picoseconds rise(bus::LineSet line, std::size_t n = 0) const { return edge(line, n, true); }
  Picoseconds fall(bus::LineSet line, std::size_t n = 0) const { return edge(line, n, false); }
  std::vector<std::uint8_t> bytes_of(bus::Phase phase) const {
    std::vector<std::uint8_t> found;
    for (const Byte& byte : bytes) {
      if (byte.phase == phase) found.push_back(byte.low);
    }
    return found;
  }

 private:
  Picoseconds edge(bus::LineSet line, std::size_t n, bool rising) const {
    for (const Change& change : changes) {
      const bus::LineSet edges =
          (change.before ^ change.now) & (rising ? change.now : change.before);
      if ((edges & line) != 0 && n-- == 0) return change.at;
    }
    return bus::kNever;
  }
  bus::ScsiBus& bus_;
};

/// A bus, an initiator with id 7, and its completions in order.
struct Bench {
  explicit Bench(const initiator::Config& config = {}) : initiator("initiator", bus, config) {}

  initiator::CommandId submit(initiator::Command command) {
    command.done = [this](initiator::Completion completion) {
      completions.push_back(std::move(completion));
    };
    return initiator.submit(std::move(command));
  }
  initiator::CommandId manage(initiator::Management management) {
    management.done = [this](initiator::Completion completion) {
      completions.push_back(std::move(completion));
    };
    return initiator.manage(std::move(management));
  }
  static void run(Picoseconds time = kPicosecondsPerSecond) {
    sc_core::sc_start(bus::to_sc_time(time));
  }
  void expect_no_violations() const {
    for (const bus::Violation& violation : bus.violations()) {
      ADD_FAILURE() << bus::to_string(violation);
    }
  }

  bus::ScsiBus bus{"bus"};
  Recorder recorder{bus};
  initiator::Initiator initiator;
  std::vector<initiator::Completion> completions;
};

inline initiator::Command test_unit_ready() {
  initiator::Command command;
  command.cdb = {0x00, 0, 0, 0, 0, 0};
  return command;
}

inline initiator::Command read_bytes(std::uint32_t length) {
  initiator::Command command;
  command.cdb = {0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0};
  command.direction = initiator::Direction::kIn;
  command.length = length;
  return command;
}

inline initiator::Command write_bytes(Bytes data) {
  initiator::Command command;
  command.cdb = {0x2A, 0, 0, 0, 0, 0, 0, 0, 1, 0};
  command.direction = initiator::Direction::kOut;
  command.data = std::move(data);
  return command;
}

inline initiator::Command tagged(initiator::Command command, std::uint16_t tag,
                                 initiator::TagType type = initiator::TagType::kSimple) {
  command.tag_type = type;
  command.tag = tag;
  return command;
}

/// Bytes that show their position.
inline Bytes pattern(std::size_t length, unsigned seed = 1) {
  Bytes bytes(length);
  std::uint32_t state = seed * 2654435761U + 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24U);
  }
  return bytes;
}

}  // namespace headstack::test
