// SPDX-License-Identifier: Apache-2.0
// What each part of the bus model waits for, in words. Only states in which no move is possible are
// described: there no wait ends, and the waits form a circle.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tests/waits/bus_moves.hpp"

namespace headstack::test {

struct BusMoves::Wait {
  enum Kind : std::uint8_t { kNothing, kBus, kMedia, kHost, kTask } kind = kNothing;
  const ::task* task = nullptr;  // used for kTask
  std::uint32_t host = 0;        // used for kHost
  std::string why;               // why the node before this one waits for it

  bool is_same(const Wait& other) const {
    return kind == other.kind && task == other.task && host == other.host;
  }
};

BusMoves::Wait BusMoves::wait_of_bus() const {
  const ::task* task = world_.connected;
  if (task == nullptr) return {};
  const char* how = task == world_.bus.task ? "held by " : "in the data phase of ";
  return {Wait::kTask, task, 0, how + world_.name(task)};
}

BusMoves::Wait BusMoves::wait_of_dormant(const ::task* task) const {
  const auto waits_for = [&](const ::task* other, const char* why) {
    return Wait{Wait::kTask, other, 0, fmt::format("{} {}", why, world_.name(other))};
  };
  const bool is_head = task->attribute == TASK_HEAD_OF_QUEUE;
  bool is_older = true;
  const ::task_set* set = world_.set();
  for (std::uint32_t index = set->oldest; index != TASK_NONE; index = set->task[index].younger) {
    const ::task* other = &set->task[index];
    if (other == task) {
      is_older = false;
      continue;
    }
    const bool in_order = setup_.restricted && !is_head;
    const bool overlaps = task->blockers > 0 && task_set_conflict(other, task);
    if (is_older && overlaps && (in_order || task_is_reported(other))) {
      return waits_for(other, "must not pass");
    }
    const bool ordered = task->attribute == TASK_ORDERED || other->attribute == TASK_ORDERED;
    if (is_older && !is_head && ordered) return waits_for(other, "is ordered behind");
    if (!is_head && other->attribute == TASK_HEAD_OF_QUEUE) return waits_for(other, "waits for");
  }
  return {Wait::kHost, nullptr, task->initiator, "is of a host that owes REQUEST SENSE"};
}

BusMoves::Wait BusMoves::wait_of_task(const ::task* task) const {
  const ::task* holder = world_.bus.task;
  const auto waits_for = [&](const ::task* other, const std::string& why) {
    return Wait{Wait::kTask, other, 0, why + world_.name(other)};
  };
  const bool needs_bus = task == world_.current || task->state == TASK_ENDED;
  const bool owes = world_.owes_sense(task->initiator) && !task_is_reported(task);
  if (needs_bus && owes && world_.connected == nullptr) {
    return {Wait::kHost, nullptr, task->initiator, "needs a host that owes REQUEST SENSE"};
  }
  if (needs_bus) return {Wait::kBus, nullptr, 0, "needs the bus"};
  const bool is_suspended = world_.is_suspended(task);
  if (world_.current != nullptr && (is_suspended || task->state == TASK_ENABLED)) {
    return {Wait::kMedia, nullptr, 0, is_suspended ? "is suspended" : "waits for the media"};
  }
  if (is_suspended && holder != nullptr && holder != task)
    return waits_for(holder, "makes way for ");
  if (is_suspended) {
    return {Wait::kHost, nullptr, task->initiator, "is of a host that owes REQUEST SENSE"};
  }
  if (task->state == TASK_DORMANT) return wait_of_dormant(task);
  if (holder != nullptr && holder != task && decides()) return waits_for(holder, "comes after ");
  const ::task_set* set = world_.set();
  if (task->segment == SEGMENT_NONE) {
    for (std::uint32_t index = set->oldest; index != TASK_NONE; index = set->task[index].younger) {
      const ::task* other = &set->task[index];
      if (other->segment != SEGMENT_NONE) return waits_for(other, "waits for the room of ");
    }
  }
  // While the task set has a HEAD OF QUEUE task, the policy chooses nothing.
  for (std::uint32_t index = set->oldest; index != TASK_NONE; index = set->task[index].younger) {
    const ::task* other = &set->task[index];
    if (other != task && other->attribute == TASK_HEAD_OF_QUEUE) {
      return waits_for(other, "comes after ");
    }
  }
  return {};
}

BusMoves::Wait BusMoves::wait_of(const Wait& at) const {
  switch (at.kind) {
    case Wait::kBus: return wait_of_bus();
    case Wait::kMedia:
      if (world_.current == nullptr) return {};
      return {Wait::kTask, world_.current, 0, "stand still for " + world_.name(world_.current)};
    case Wait::kHost: return {Wait::kBus, nullptr, 0, "needs the bus"};
    case Wait::kTask: return wait_of_task(at.task);
    case Wait::kNothing: return {};
  }
  return {};
}

std::string BusMoves::describe_circle() {
  const auto name = [&](const Wait& at) -> std::string {
    switch (at.kind) {
      case Wait::kBus: return "bus";
      case Wait::kMedia: return "media";
      case Wait::kHost: return fmt::format("host {}", at.host);
      case Wait::kTask: return world_.name(at.task);
      case Wait::kNothing: return "nothing";
    }
    return "";
  };
  Wait at;
  // The path begins at the bus. If that is free, the tasks wait for each other.
  at.kind = world_.connected != nullptr ? Wait::kBus : Wait::kTask;
  if (at.kind == Wait::kTask) at.task = world_.by_age(0);
  std::vector<Wait> path;
  std::string text;
  const auto came = [&](const Wait& one) {
    return std::any_of(path.begin(), path.end(), [&](const Wait& old) { return old.is_same(one); });
  };
  while (at.kind != Wait::kNothing && !came(at)) {
    path.push_back(at);
    const Wait next = wait_of(at);
    text += fmt::format("{}: {} > ", name(at), next.why);
    at = next;
  }
  return text + name(at);
}

std::string BusMoves::describe(const BusStep& step) const {
  const auto task = [&] { return world_.name(const_cast<BusWorld&>(world_).by_age(step.age)); };
  const char* refuses = step.refuses ? "; its host rejects DISCONNECT" : "";
  switch (step.move) {
    case BusMove::kReselect: return task() + " takes the bus" + refuses;
    case BusMove::kGoOn: return std::string("the connected task goes on") + refuses;
    case BusMove::kBegin: return "the media begin, " + task() + " being next";
    case BusMove::kBlock: return "the media do a block";
    case BusMove::kFail: return "the media fail";
    case BusMove::kSuspend: return world_.name(world_.current) + " is suspended";
    case BusMove::kResume: return "a suspended task goes on";
    case BusMove::kRequestSense: return fmt::format("host {} sends REQUEST SENSE", step.age);
    case BusMove::kPatienceEnds: return "the drive keeps no room any more";
    case BusMove::kFetch: return task() + " is planned";
    case BusMove::kArrive: break;
  }
  static constexpr const char* kAttributes[] = {"", " ORDERED", " HEAD OF QUEUE", " untagged"};
  const BusCommand& command = setup_.commands.at(step.age);
  return fmt::format("host {} sends {}{}{}{}{}{}{}", step.variant >> 1,
                     command.operation == TASK_READ ? "READ" : "WRITE",
                     command.is_long ? " of two blocks" : "",
                     command.overlaps ? ", overlapping" : "", kAttributes[command.attribute],
                     command.may_disconnect ? "" : ", without disconnection",
                     (step.variant & 1U) != 0 ? ", and the media begin with it" : "", refuses);
}

}  // namespace headstack::test
