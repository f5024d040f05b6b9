// SPDX-License-Identifier: Apache-2.0
#include "tests/waits/wait_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace headstack::test {
namespace {

enum class Kind : std::uint8_t { kBus, kMedia, kTask, kHost };

using Node = std::pair<Kind, std::uint32_t>;  // the number of a task or host; otherwise 0

constexpr Node kBus = {Kind::kBus, 0};
constexpr Node kMedia = {Kind::kMedia, 0};

/// What a node waits for: nothing, all of `nodes`, or any of them.
struct Wait {
  std::vector<Node> nodes;
  bool any = false;
  std::string why;
};

class WaitGraph {
 public:
  WaitGraph(const ::drive& drive, const RingLevel& ring_level)
      : drive_(drive), ring_level_(ring_level) {
    waits_[kBus] = bus();
    waits_[kMedia] = media();
    for (std::uint32_t index = set().oldest; index != TASK_NONE;
         index = set().task[index].younger) {
      waits_[{Kind::kTask, index}] = task(set().task[index]);
    }
    for (std::uint32_t host = 0; host < TASK_INITIATORS_MAX; ++host) {
      if (owes_sense(host)) waits_[{Kind::kHost, host}] = {{kBus}, false, "owes REQUEST SENSE"};
    }
  }

  /// Removes each node whose wait can end, again and again. The remaining nodes wait for each
  /// other.
  std::string find_circle() {
    bool found = true;
    while (found) {
      found = false;
      for (auto at = waits_.begin(); at != waits_.end();) {
        if (is_held(at->second)) {
          ++at;
          continue;
        }
        at = waits_.erase(at);
        found = true;
      }
    }
    if (waits_.empty()) return "";
    // The text begins at the bus. Hosts may not notice a circle without the bus.
    return describe(waits_.count(kBus) != 0 ? kBus : waits_.begin()->first);
  }

 private:
  const ::task_set& set() const { return drive_.tasks; }
  const ::task* current() const { return drive_.service.current; }
  std::uint32_t index_of(const ::task& task) const { return task_set_index(&set(), &task); }
  Node node_of(const ::task& task) const { return {Kind::kTask, index_of(task)}; }

  bool is_held(const Wait& wait) const {
    const auto stands = [this](const Node& node) { return waits_.count(node) != 0; };
    if (wait.nodes.empty()) return false;
    return wait.any ? std::all_of(wait.nodes.begin(), wait.nodes.end(), stands)
                    : std::any_of(wait.nodes.begin(), wait.nodes.end(), stands);
  }

  bool owes_sense(std::uint32_t host) const {
    return drive_.target.device.nexus[host].contingent_allegiance;
  }

  /// The task that keeps the bus while it waits for something else, or null.
  const ::task* holder() const {
    const ::connection& connection = drive_.target.connection;
    return connection.state == CONNECTION_WAITING ? connection.task : nullptr;
  }
  /// Whether the task's data phase is under way.
  bool moves_data(const ::task& task) const {
    const ::connection& connection = drive_.target.connection;
    return connection.state == CONNECTION_DATA_DMA && connection.task == &task;
  }
  bool is_suspended(const ::task& task) const {
    return bus_holder_suspends(&drive_.bus_holder, &task);
  }
  bool is_joined(const ::task& task) const {
    const ::service& service = drive_.service;
    return std::find(service.joined, service.joined + service.joined_count, index_of(task)) !=
           service.joined + service.joined_count;
  }
  /// Whether the holder still needs the media.
  bool holder_needs_media() const {
    const ::task* task = holder();
    return task != nullptr && task->state < TASK_TRANSFERRING;
  }

  // ---- the bus

  Wait bus() const {
    const ::connection& connection = drive_.target.connection;
    const ::task* task = connection.task;
    if (task == nullptr) return {};
    if (connection.state == CONNECTION_WAITING) {
      return {{node_of(*task)}, false, "held by " + name(*task)};
    }
    if (connection.state != CONNECTION_DATA_DMA || can_move(*task)) return {};
    return {{node_of(*task)}, false, "in the data phase of " + name(*task)};
  }

  /// Whether the buffer has data or room for the data phase under way.
  bool can_move(const ::task& task) const {
    const ::host_side& host = drive_.host_side;
    if (host.part_ring != SEGMENT_NO_RING) return true;  // all data of a hit are in the buffer
    if (task.segment == SEGMENT_NONE || host.on_bus != &task) return true;
    const std::uint32_t ring = segments_ring(&drive_.segments, task.segment);
    if (ring == SEGMENT_NO_RING) return true;
    const std::uint32_t level = ring_level_(ring);
    const bool reads = task.operation == TASK_READ;
    return reads ? level > 0 : level < segments_length(&drive_.segments, task.segment);
  }

  // ---- the media

  bool media_stand_still() const { return drive_.media.state == MEDIA_WAITING; }

  /// Whether the media stand still although the task that holds the bus needs them. The core is
  /// asleep, and waits for no alarm and no movement. So only the bus could bring a change.
  bool media_are_idle() const {
    const ::service& service = drive_.service;
    const bool may_begin = drive_.seek.spindle == SPINDLE_AT_SPEED &&
                           drive_.target.device.unit.not_ready == SENSE_NONE &&
                           !service_is_busy(&service);
    return holder_needs_media() && media_is_idle(&drive_.media) && may_begin &&
           !service.choice_waits && !service.waiting_for_segment;
  }

  Wait media() const {
    const ::task* task = current();
    if (task == nullptr && media_are_idle()) return {{kBus}, false, "are idle"};
    if (task == nullptr || !media_stand_still()) return {};
    return {{node_of(*task)}, false, "wait for data or room of " + name(*task)};
  }

  // ---- tasks

  Wait bus_of(const ::task& task) const {
    if (drive_.target.connection.task == &task) return {};  // the bus's own node has the rest
    Wait wait{{kBus}, false, "waits for the bus"};
    if (owes_sense(task.initiator)) wait.nodes.push_back({Kind::kHost, task.initiator});
    return wait;
  }

  Wait task(const ::task& task) const {
    if (task.state >= TASK_TRANSFERRING) return bus_of(task);
    if (&task == current()) {
      if (!media_stand_still() || task_is_reported(&task)) return {};
      return bus_of(task);
    }
    if (is_joined(task)) return {{kMedia}, false, "is written with another"};
    if (is_suspended(task)) return suspended(task);
    if (task.state == TASK_ENABLED) return enabled(task);
    if (task.state == TASK_DORMANT) return dormant(task);
    return {};
  }

  /// While a task holds the bus, only that task begins at the media, or what it waits for.
  void add_holder(const ::task& task, Wait* wait) const {
    const ::task* held = holder();
    if (held == nullptr || held == &task || !holder_needs_media()) return;
    if (task_is_reported(&task) && waits_for_blocks(*held, task)) return;
    wait->nodes.push_back(node_of(*held));
  }

  Wait suspended(const ::task& task) const {
    Wait wait{{kMedia}, false, "is suspended"};
    if (task_is_reported(&task)) return wait;
    add_holder(task, &wait);
    if (task_set_suspends(&set(), &task)) wait.nodes.push_back({Kind::kHost, task.initiator});
    return wait;
  }

  Wait enabled(const ::task& task) const {
    // While the controller is busy, the service has not requested room for a later task.
    const ::service& service = drive_.service;
    if (service.waiting_for_segment && !service_is_busy(&service) && current() == nullptr &&
        task.segment == SEGMENT_NONE) {
      return room(task);
    }
    Wait wait{{kMedia}, false, "waits for the media"};
    add_holder(task, &wait);
    return wait;
  }

  /// Room becomes free when a task that has some ends. An alarm ends a reservation.
  Wait room(const ::task& task) const {
    Wait wait{{}, true, "waits for room in the buffer"};
    if (bus_holder_is_waited_for_now()) return {};
    for (std::uint32_t index = set().oldest; index != TASK_NONE;
         index = set().task[index].younger) {
      const ::task& other = set().task[index];
      if (&other != &task && other.segment != SEGMENT_NONE) wait.nodes.push_back(node_of(other));
    }
    return wait;
  }
  bool bus_holder_is_waited_for_now() const { return drive_.bus_holder.room_is_kept; }

  /// Whether a task must wait for the other's blocks (SCSI-2 8.3.3.1, and
  /// firmware/queue/task_set.h).
  static bool waits_for_blocks(const ::task& younger, const ::task& older) {
    const bool in_order = ((younger.flags | older.flags) & TASK_FLAG_IN_ORDER) != 0 &&
                          younger.attribute != TASK_HEAD_OF_QUEUE;
    return (in_order || task_is_reported(&older)) && task_set_conflict(&older, &younger);
  }

  Wait dormant(const ::task& task) const {
    Wait wait{{}, false, "must not begin yet"};
    bool is_older = true;
    for (std::uint32_t index = set().oldest; index != TASK_NONE;
         index = set().task[index].younger) {
      const ::task& other = set().task[index];
      if (&other == &task) {
        is_older = false;
        continue;
      }
      const bool is_head = task.attribute == TASK_HEAD_OF_QUEUE;
      const bool by_head = !is_head && other.attribute == TASK_HEAD_OF_QUEUE;
      const bool by_order = is_older && !is_head &&
                            (task.attribute == TASK_ORDERED || other.attribute == TASK_ORDERED);
      const bool by_blocks = is_older && task.blockers > 0 && waits_for_blocks(task, other);
      if (by_head || by_order || by_blocks) wait.nodes.push_back(node_of(other));
    }
    if (task_set_suspends(&set(), &task)) wait.nodes.push_back({Kind::kHost, task.initiator});
    return wait;
  }

  // ---- text

  std::string name(const ::task& task) const {
    static constexpr const char* kOperations[] = {
        "READ", "WRITE", "VERIFY", "SEEK", "SYNCHRONIZE", "START", "STOP", "MAINTENANCE", "REPLY"};
    static_assert(std::size(kOperations) == TASK_REPLY + 1);
    static constexpr const char* kStates[] = {"free",   "dormant",      "enabled", "chosen",
                                              "active", "transferring", "ended"};
    return fmt::format("task {} (id {} {} {} +{}, {}{}{})", index_of(task), task.initiator + 0U,
                       kOperations[task.operation], task.lba, task.blocks, kStates[task.state],
                       task_is_reported(&task) ? ", reported" : "",
                       is_suspended(task) ? ", suspended" : "");
  }

  std::string name(const Node& node) const {
    switch (node.first) {
      case Kind::kBus: return "bus";
      case Kind::kMedia: return "media";
      case Kind::kHost: return fmt::format("host {}", node.second);
      case Kind::kTask: return name(set().task[node.second]);
    }
    return "";
  }

  /// Follows the first wait of each node that does not end, until a node repeats.
  std::string describe(Node node) const {
    std::vector<Node> path;
    while (std::find(path.begin(), path.end(), node) == path.end()) {
      path.push_back(node);
      const std::vector<Node>& next = waits_.at(node).nodes;
      node = *std::find_if(next.begin(), next.end(),
                           [this](const Node& one) { return waits_.count(one) != 0; });
    }
    std::string text;
    for (const Node& one : path) text += name(one) + ": " + waits_.at(one).why + " > ";
    return text + name(node);
  }

  const ::drive& drive_;
  const RingLevel& ring_level_;
  std::map<Node, Wait> waits_;
};

}  // namespace

std::string find_circle(const ::drive& drive, const RingLevel& ring_level) {
  return WaitGraph(drive, ring_level).find_circle();
}

}  // namespace headstack::test
