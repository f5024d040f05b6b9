// SPDX-License-Identifier: Apache-2.0
// A state of the bus model, and the firmware's structures that it stands for.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "firmware/queue/task_set.h"
#include "firmware/transfer/bus_holder.h"
#include "tests/waits/bus_model.hpp"

namespace headstack::test {

inline constexpr std::uint32_t kBusTasks = 4;
inline constexpr std::uint32_t kNoTask = 7;  // no task in a packed state

// A packed state: a word for each task, by age, and one for the drive.
struct BusState {
  std::array<std::uint32_t, kBusTasks + 1> word = {};
  bool operator==(const BusState& other) const { return word == other.word; }
};

// The drive in one state. The task set and the bus holder are the firmware's.
class BusWorld {
 public:
  explicit BusWorld(const BusConfiguration& configuration);

  void unpack(const BusState& state);
  BusState pack() const;

  // A task by its age, 0 for the oldest. `index` is its number in the task set.
  std::uint32_t count() const { return set_->count; }
  ::task* by_age(std::uint32_t age);
  std::uint32_t index_of(const ::task* task) const { return task_set_index(set_.get(), task); }
  // "A" is the oldest task.
  std::string name(const ::task* task) const;

  ::task* add(const BusCommand& command, std::uint32_t host);
  void remove(::task* task);

  std::uint32_t free_segments() const;
  bool owes_sense(std::uint32_t host) const { return (set_->suspended >> host & 1U) != 0; }
  bool is_suspended(const ::task* task) const { return bus_holder_suspends(&bus, task); }
  // The number of blocks in the task's segment.
  std::uint32_t level(const ::task* task) const;

  const BusConfiguration& configuration;
  ::bus_holder bus = {};            // its `task` holds the bus while it waits
  ::task* connected = nullptr;      // has the bus between moves: a holder, or in its data phase
  bool disconnect_refused = false;  // the host did so in this connection
  ::task* current = nullptr;        // task at the media
  std::array<std::uint8_t, 8> done = {};  // blocks that the media have done, by task index

  ::task_set* set() const { return set_.get(); }

 private:
  void unpack_task(std::uint32_t age, std::uint32_t word);
  std::uint32_t pack_task(const ::task& task) const;
  std::uint32_t swapped_host() const;
  void clear();

  ::seek seek_ = {};
  std::unique_ptr<::task_set> set_ = std::make_unique<::task_set>();
  std::array<::bus_holder_suspended, BUS_HOLDER_SUSPENDED_MAX> suspended_ = {};
};

}  // namespace headstack::test
