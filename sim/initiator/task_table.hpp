// SPDX-License-Identifier: Apache-2.0
// The initiator's commands: those that wait for the bus, in order, and those in drives.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "sim/initiator/command.hpp"

namespace headstack::initiator {

/// Names a command in a drive: I_T_L or I_T_L_Q nexus (SCSI-2 6.5) of this initiator.
struct Nexus {
  std::uint8_t target = 0;
  std::uint8_t lun = 0;
  std::int32_t tag = kNoTag;

  static constexpr std::int32_t kNoTag = -1;
  bool operator<(const Nexus& other) const {
    return std::tie(target, lun, tag) < std::tie(other.target, other.lun, other.tag);
  }
};

/// A command or management message that has not completed.
struct Task {
  CommandId id = 0;
  Command command;
  std::optional<Management> management;  // `command` then only names the logical unit
  CommandId sense_for = 0;               // this is the REQUEST SENSE of that command
  bool may_be_dropped = false;           // QERR may have dropped it; ABORT TAG settles that
  Completion result;
  // Pointers into the data (SCSI-2 6.4).
  std::uint32_t data_pointer = 0;
  std::uint32_t saved_pointer = 0;

  Nexus nexus() const {
    const bool tagged = command.tag_type != TagType::kUntagged;
    return {command.target, command.lun, tagged ? command.tag : Nexus::kNoTag};
  }
  /// The bytes that may move in this direction.
  std::uint32_t data_length(Direction direction) const;
};

using TaskPtr = std::unique_ptr<Task>;

class TaskTable {
 public:
  void wait(TaskPtr task) { waiting_.push_back(std::move(task)); }
  void wait_first(TaskPtr task) { waiting_.push_front(std::move(task)); }

  /// The first task that may go now, or null. Its nexus must not be in use, and its LUN not held
  /// for a REQUEST SENSE.
  Task* next() const;
  TaskPtr take_waiting(const Task& task);
  /// Removes the waiting command with this nexus, if any.
  TaskPtr take_waiting(const Nexus& nexus);

  void activate(TaskPtr task);
  Task* active(const Nexus& nexus) const;
  /// Makes the task the untagged one, since the drive has no tags. False if there is one already.
  bool make_untagged(Task& task);
  TaskPtr take_active(const Nexus& nexus);
  /// Removes all tasks of a LUN (or of a target, or all), in the order of submission.
  std::list<TaskPtr> take_active(std::optional<std::uint8_t> target,
                                 std::optional<std::uint8_t> lun);
  /// Removes the tasks of a LUN whose target was selected before `time`.
  std::list<TaskPtr> take_active_before(std::uint8_t target, std::uint8_t lun, Picoseconds time);
  /// The names of the tasks that take_active_before() would remove.
  std::vector<Nexus> active_before(std::uint8_t target, std::uint8_t lun, Picoseconds time) const;
  /// Whether take_active_before() would remove any task.
  bool has_active_before(std::uint8_t target, std::uint8_t lun, Picoseconds time) const;
  /// Whether one of the tasks of take_active_before() may change QERR, or has changed it already:
  /// its status is outstanding.
  bool may_change_queue_error(std::uint8_t target, std::uint8_t lun, Picoseconds time) const;
  /// A tag that no command of the LUN has, in the drive or waiting. Tags of one byte come first;
  /// nothing if all are in use.
  std::optional<std::uint16_t> free_tag(std::uint8_t target, std::uint8_t lun) const;

  /// Keeps a command with CHECK CONDITION until its sense data has come; holds its LUN.
  void keep_for_sense(TaskPtr task);
  TaskPtr take_kept(CommandId id);
  std::list<TaskPtr> take_all_kept();
  /// Drops each REQUEST SENSE whose command is gone.
  void drop_waiting_senses();

  std::size_t waiting_count() const { return waiting_.size(); }
  std::size_t active_count() const { return active_.size(); }
  std::size_t kept_count() const { return kept_.size(); }

 private:
  bool may_go(const Task& task) const;
  template <typename Predicate>
  std::list<TaskPtr> take_active_if(Predicate predicate);

  std::list<TaskPtr> waiting_;
  std::map<Nexus, TaskPtr> active_;
  std::map<CommandId, TaskPtr> kept_;
  std::multiset<std::pair<std::uint8_t, std::uint8_t>> held_luns_;
};

}  // namespace headstack::initiator
