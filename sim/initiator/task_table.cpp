// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/task_table.hpp"

#include <algorithm>

#include "sim/assert.hpp"
#include "sim/initiator/queue_error.hpp"

namespace headstack::initiator {

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kComplete: return "complete";
    case Outcome::kSelectionTimeOut: return "selection time-out";
    case Outcome::kUnexpectedBusFree: return "unexpected bus free";
    case Outcome::kAborted: return "aborted";
    case Outcome::kBusReset: return "bus reset";
    case Outcome::kClearedByUnitAttention: return "cleared, as a unit attention told";
    case Outcome::kClearedByQueueError: return "cleared, as QERR has it when another fails";
    case Outcome::kClearedByOverlap: return "cleared by an overlapped command";
  }
  return "?";
}

namespace {

constexpr std::size_t kTagCount = 1U << 16;
constexpr std::size_t kLastShortTag = 255;

bool was_selected_before(const Task& task, std::uint8_t target, std::uint8_t lun,
                         Picoseconds time) {
  return task.command.target == target && task.command.lun == lun &&
         task.result.times.selected != bus::kNever && task.result.times.selected < time;
}

}  // namespace

std::uint32_t Task::data_length(Direction direction) const {
  if (command.direction != direction) return 0;
  return direction == Direction::kOut ? static_cast<std::uint32_t>(command.data.size())
                                      : command.length;
}

bool TaskTable::may_go(const Task& task) const {
  if (task.management) return true;
  const bool held = held_luns_.count({task.command.target, task.command.lun}) != 0;
  if (held && task.sense_for == 0) return false;
  return active_.count(task.nexus()) == 0;
}

Task* TaskTable::next() const {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [this](const TaskPtr& task) { return may_go(*task); });
  return found == waiting_.end() ? nullptr : found->get();
}

TaskPtr TaskTable::take_waiting(const Task& task) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&task](const TaskPtr& other) { return other.get() == &task; });
  HEADSTACK_ASSERT(found != waiting_.end(), "the task waits");
  TaskPtr taken = std::move(*found);
  waiting_.erase(found);
  return taken;
}

TaskPtr TaskTable::take_waiting(const Nexus& nexus) {
  for (const TaskPtr& task : waiting_) {
    const Nexus other = task->nexus();
    const bool same = !(other < nexus) && !(nexus < other);
    if (same && !task->management && task->sense_for == 0) return take_waiting(*task);
  }
  return nullptr;
}

void TaskTable::activate(TaskPtr task) {
  const Nexus nexus = task->nexus();
  const bool fresh = active_.emplace(nexus, std::move(task)).second;
  HEADSTACK_ASSERT(fresh, "a nexus names one command");
}

Task* TaskTable::active(const Nexus& nexus) const {
  const auto found = active_.find(nexus);
  return found == active_.end() ? nullptr : found->second.get();
}

bool TaskTable::make_untagged(Task& task) {
  Nexus untagged = task.nexus();
  untagged.tag = Nexus::kNoTag;
  if (active_.count(untagged) != 0) return false;
  TaskPtr own = take_active(task.nexus());
  HEADSTACK_ASSERT(own.get() == &task, "the task is active");
  own->command.tag_type = TagType::kUntagged;
  activate(std::move(own));
  return true;
}

TaskPtr TaskTable::take_active(const Nexus& nexus) {
  const auto found = active_.find(nexus);
  if (found == active_.end()) return nullptr;
  TaskPtr task = std::move(found->second);
  active_.erase(found);
  return task;
}

template <typename Predicate>
std::list<TaskPtr> TaskTable::take_active_if(Predicate predicate) {
  std::list<TaskPtr> taken;
  for (auto it = active_.begin(); it != active_.end();) {
    if (predicate(*it->second)) {
      taken.push_back(std::move(it->second));
      it = active_.erase(it);
    } else {
      ++it;
    }
  }
  taken.sort([](const TaskPtr& a, const TaskPtr& b) { return a->id < b->id; });
  return taken;
}

std::list<TaskPtr> TaskTable::take_active(std::optional<std::uint8_t> target,
                                          std::optional<std::uint8_t> lun) {
  return take_active_if([&](const Task& task) {
    return (!target || task.command.target == *target) && (!lun || task.command.lun == *lun);
  });
}

std::list<TaskPtr> TaskTable::take_active_before(std::uint8_t target, std::uint8_t lun,
                                                 Picoseconds time) {
  return take_active_if(
      [&](const Task& task) { return was_selected_before(task, target, lun, time); });
}

std::vector<Nexus> TaskTable::active_before(std::uint8_t target, std::uint8_t lun,
                                            Picoseconds time) const {
  std::vector<Nexus> names;
  for (const auto& entry : active_) {
    if (was_selected_before(*entry.second, target, lun, time)) names.push_back(entry.first);
  }
  return names;
}

bool TaskTable::has_active_before(std::uint8_t target, std::uint8_t lun, Picoseconds time) const {
  return std::any_of(active_.begin(), active_.end(), [&](const auto& entry) {
    return was_selected_before(*entry.second, target, lun, time);
  });
}

bool TaskTable::may_change_queue_error(std::uint8_t target, std::uint8_t lun,
                                       Picoseconds time) const {
  return std::any_of(active_.begin(), active_.end(), [&](const auto& entry) {
    return was_selected_before(*entry.second, target, lun, time) &&
           selects_queue_error(entry.second->command);
  });
}

std::optional<std::uint16_t> TaskTable::free_tag(std::uint8_t target, std::uint8_t lun) const {
  std::vector<bool> used(kTagCount);
  const auto use = [&](const Task& task) {
    const Nexus nexus = task.nexus();
    if (nexus.target == target && nexus.lun == lun && nexus.tag != Nexus::kNoTag) {
      used[static_cast<std::size_t>(nexus.tag)] = true;
    }
  };
  for (const auto& entry : active_) use(*entry.second);
  for (const TaskPtr& task : waiting_) use(*task);
  // The search goes from the last tag of one byte down, since callers begin with the first ones.
  for (std::size_t step = 0; step < kTagCount; ++step) {
    const std::size_t tag = (kTagCount + kLastShortTag - step) % kTagCount;
    if (!used[tag]) return static_cast<std::uint16_t>(tag);
  }
  return std::nullopt;
}

void TaskTable::keep_for_sense(TaskPtr task) {
  held_luns_.insert({task->command.target, task->command.lun});
  const CommandId id = task->id;
  kept_.emplace(id, std::move(task));
}

TaskPtr TaskTable::take_kept(CommandId id) {
  const auto found = kept_.find(id);
  if (found == kept_.end()) return nullptr;
  TaskPtr task = std::move(found->second);
  kept_.erase(found);
  held_luns_.erase(held_luns_.find({task->command.target, task->command.lun}));
  return task;
}

std::list<TaskPtr> TaskTable::take_all_kept() {
  std::list<TaskPtr> taken;
  for (auto& entry : kept_) taken.push_back(std::move(entry.second));
  kept_.clear();
  held_luns_.clear();
  return taken;
}

void TaskTable::drop_waiting_senses() {
  waiting_.remove_if([](const TaskPtr& task) { return task->sense_for != 0; });
}

}  // namespace headstack::initiator
