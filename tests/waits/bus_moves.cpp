// SPDX-License-Identifier: Apache-2.0
#include "tests/waits/bus_moves.hpp"

#include <algorithm>
#include <vector>

namespace headstack::test {
namespace {

constexpr std::uint32_t kSegmentBlocks = 1;
// The values of enum segment_reserve.
constexpr std::uint32_t kForMedia = SEGMENT_FOR_MEDIA;
constexpr std::uint32_t kForPlan = SEGMENT_FOR_PLAN;
constexpr std::uint32_t kForArrival = SEGMENT_FOR_ARRIVAL;

bool has_begun(const ::task* task) { return task->host_blocks_left < task->blocks; }

}  // namespace

// ---- decisions of bus_holder.c, by the firmware's own functions unless the rule is left out

bool BusMoves::decides() const {
  if (has(BusRule::kSuspendedHolderDecides)) return bus_holder_decides(&world_.bus);
  return world_.bus.task != nullptr && world_.bus.task->state < TASK_CHOSEN;
}

std::uint32_t BusMoves::find_resumable() const {
  if (has(BusRule::kSuspendedHolderDecides)) return bus_holder_find_resumable(&world_.bus);
  for (std::uint32_t i = 0; i < world_.bus.suspended_count; ++i) {
    const ::task* task = world_.bus.suspended[i].task;
    if (task_is_reported(task) || !(decides() || task_set_suspends(world_.set(), task))) return i;
  }
  return BUS_HOLDER_SUSPENDED_MAX;
}

::task* BusMoves::holders_next() const {
  if (has(BusRule::kReportBeforeHolder)) return bus_holder_next(&world_.bus);
  return world_.bus.task->state == TASK_ENABLED ? world_.bus.task : nullptr;
}

// ---- host_side.c

bool BusMoves::may_fetch_whole(const ::task* task) const {
  if (task->blocks > kSegmentBlocks) return false;
  return setup_.dtdc == MODE_DTDC_DATA || setup_.cache_writes;
}

bool BusMoves::take_segment(::task* task, std::uint32_t reserve) {
  if (task->segment != SEGMENT_NONE) return true;
  const bool needs = bus_holder_needs(&world_.bus, task);
  if (has(BusRule::kRoomForHolder) && decides() && !needs) return false;
  if (bus_holder_keeps_room(&world_.bus, task)) reserve = kForPlan;
  if (!has(BusRule::kReserve)) reserve = kForMedia;
  if (world_.free_segments() <= reserve) return false;
  task->segment = static_cast<std::uint16_t>(world_.index_of(task));
  return true;
}

void BusMoves::grant_up_to(::task* task, std::uint32_t total) {
  const std::uint32_t allowed = task->blocks - task->host_blocks_left + task->host_blocks_granted;
  if (total > allowed) task->host_blocks_granted += total - allowed;
}

void BusMoves::fetch_early(::task* task, std::uint32_t reserve) {
  if (task->operation != TASK_WRITE) return;
  const bool is_bound = setup_.dtdc != MODE_DTDC_NONE && has(BusRule::kEarlyDataAreWhole);
  if (is_bound && !may_fetch_whole(task)) return;
  if (take_segment(task, reserve)) grant_up_to(task, kSegmentBlocks);
}

// ---- service.c

// choose(): whether the media may begin with the task now. The policy may choose any candidate.
bool BusMoves::may_choose(::task* task) const {
  ::task_set* set = world_.set();
  ::task* forced = task_set_forced(set);
  if (!has(BusRule::kReportPassesHeads) && forced != nullptr && task_is_listed(forced)) {
    forced = nullptr;
    // The policy chooses nothing either while the task set has a HEAD OF QUEUE task.
    if (!decides()) return false;
  }
  if (task_set_waiting_count(set) == 0 && forced == nullptr) return false;
  if (decides()) return task == holders_next();
  if (forced != nullptr) return task == forced;
  const ::task* obstacle = bus_holder_obstacle(&world_.bus);
  if (obstacle != nullptr) return task == obstacle;
  return task->state == TASK_ENABLED && task_is_listed(task);
}

// Mirrors find_substitute() and oldest_with_segment().
::task* BusMoves::find_substitute() {
  if (decides() || !has(BusRule::kOldestMakesRoom)) return nullptr;
  ::task_set* set = world_.set();
  ::task* oldest = nullptr;
  for (::task* task = task_set_oldest(set); task != nullptr; task = task_set_younger(set, task)) {
    if (task->segment == SEGMENT_NONE) continue;
    if (task->state > TASK_ENABLED && task_set_suspends(set, task)) continue;
    if (task->state > TASK_ENABLED) return nullptr;
    const bool passes = has(BusRule::kHeadsLetOwnersPass) && task_set_waits_for_heads(set, task);
    if (oldest == nullptr && (task->state == TASK_ENABLED || passes)) oldest = task;
  }
  if (oldest != nullptr && oldest->state == TASK_DORMANT) task_set_pass_heads(set, oldest);
  return oldest;
}

// dispatch_free_media(): resume() is called before begin_next().
bool BusMoves::begin(::task* task) {
  if (world_.current != nullptr || find_resumable() < BUS_HOLDER_SUSPENDED_MAX) return false;
  if (!may_choose(task)) return false;
  if (!take_segment(task, kForMedia)) {
    task = find_substitute();
    if (task == nullptr || !take_segment(task, kForMedia)) return false;
  }
  task_set_choose(world_.set(), task);
  task->state = TASK_ACTIVE;
  world_.current = task;
  if (task->operation == TASK_WRITE) grant_up_to(task, task->blocks);
  return true;
}

// Whether the media wait for the buffer: MEDIA_WAITING.
bool BusMoves::is_stuck(const ::task* task) const {
  const std::uint32_t level = world_.level(task);
  return task->operation == TASK_READ ? level == kSegmentBlocks : level == 0;
}

// Mirrors service_finish_current() and host_task_finished().
void BusMoves::finish_current() {
  ::task* task = world_.current;
  world_.current = nullptr;
  if (task->operation == TASK_WRITE || task->sense != 0) task->segment = SEGMENT_NONE;
  if (task->sense != 0) task->host_blocks_granted = 0;
  if (task_is_reported(task)) {
    world_.remove(task);
    return;
  }
  task->state = TASK_ENDED;
}

bool BusMoves::do_block() {
  ::task* task = world_.current;
  if (task == nullptr || is_stuck(task)) return false;
  std::uint8_t& done = world_.done.at(world_.index_of(task));
  ++done;
  if (task->operation == TASK_READ) grant_up_to(task, done);
  if (done == task->blocks) finish_current();
  return true;
}

bool BusMoves::fail() {
  ::task* task = world_.current;
  if (!setup_.media_fail || task == nullptr || is_stuck(task) || task_is_reported(task)) {
    return false;
  }
  task->sense = 1;
  finish_current();
  return true;
}

// Mirrors is_stuck(), service_suspend_stuck() and suspend().
bool BusMoves::suspend() {
  ::task* task = world_.current;
  if (task == nullptr || !is_stuck(task) || task == world_.bus.task || task_is_reported(task)) {
    return false;
  }
  const bool for_holder = has(BusRule::kStuckMakesWay) && decides();
  if (!for_holder && !task_set_suspends(world_.set(), task)) return false;
  world_.current = nullptr;
  const std::uint32_t level = world_.level(task);
  const std::uint32_t ready = task->operation == TASK_READ ? level : kSegmentBlocks - level;
  task->host_blocks_granted = std::min<std::uint32_t>(task->host_blocks_granted, ready);
  ::bus_holder_suspended suspended = {};
  suspended.task = task;
  bus_holder_suspend(&world_.bus, &suspended);
  return true;
}

bool BusMoves::resume() {
  const std::uint32_t index = find_resumable();
  if (world_.current != nullptr || index == BUS_HOLDER_SUSPENDED_MAX) return false;
  world_.current = bus_holder_resume(&world_.bus, index).task;
  if (world_.current->operation == TASK_WRITE) grant_up_to(world_.current, world_.current->blocks);
  return true;
}

// ---- tenancy.c

bool BusMoves::must_stay(const ::task* task) const {
  if (setup_.dtdc == MODE_DTDC_NONE || !has_begun(task)) return false;
  return setup_.dtdc == MODE_DTDC_COMMAND || task->host_blocks_left > 0;
}

bool BusMoves::may_begin_data(const ::task* task) const {
  if (setup_.dtdc == MODE_DTDC_NONE || !has(BusRule::kDataInTurn)) return true;
  const bool brings_all =
      task->operation == TASK_WRITE && task->state == TASK_ENABLED && may_fetch_whole(task);
  return bus_holder_may_begin_data(&world_.bus, task, brings_all);
}

// tenancy_next(). @return whether the connection may go on as if there were no limits. `done`: the
// connection has left the bus or waits.
bool BusMoves::serve_within_limits(bool* done) {
  ::task* task = world_.connected;
  *done = false;
  const bool may_disconnect = (task->flags & TASK_FLAG_MAY_DISCONNECT) != 0;
  if (setup_.dtdc == MODE_DTDC_NONE || !may_disconnect || world_.disconnect_refused) return true;
  if (task->host_blocks_granted == 0) {
    if (task->state == TASK_ENDED || !must_stay(task) || may_report(task)) return true;
    stay();
    *done = true;
    return true;
  }
  if (has_begun(task) || may_begin_data(task)) return true;
  *done = leave();
  return false;
}

// ---- connection_command.c

void BusMoves::free_bus() {
  world_.connected = nullptr;
  bus_holder_release(&world_.bus, world_.current);
  world_.disconnect_refused = false;
}

// disconnect(). @return false: the host has rejected DISCONNECT.
bool BusMoves::leave() {
  bus_holder_release(&world_.bus, world_.current);
  if (refuses_ && setup_.refuses_disconnect) {
    met_refusal_ = true;
    world_.disconnect_refused = true;
    return false;
  }
  free_bus();
  return true;
}

bool BusMoves::may_report(const ::task* task) const {
  if (task->operation != TASK_WRITE || task->host_blocks_left > 0) return false;
  return task->state != TASK_DORMANT && setup_.cache_writes;
}

// Mirrors stay() and service_tasks_hold_bus().
void BusMoves::stay() {
  ::task* task = world_.connected;
  const bool has_room =
      task->segment != SEGMENT_NONE || world_.free_segments() > 0 || !has(BusRule::kHolderHasRoom);
  if (bus_holder_take(&world_.bus, task, world_.current, has_room) == BUS_HOLD_SERVED) return;
  refused_ = true;
  const bool may_disconnect = (task->flags & TASK_FLAG_MAY_DISCONNECT) != 0;
  refused_late_ =
      world_.done.at(world_.index_of(task)) > 0 || (may_disconnect && !world_.disconnect_refused);
  free_bus();
  world_.remove(task);
}

// Mirrors start_dma() to connection_dma_done(). @return whether all granted blocks have moved. If
// not, the data phase waits for the media.
bool BusMoves::move_data() {
  ::task* task = world_.connected;
  while (task->host_blocks_granted > 0) {
    const std::uint32_t level = world_.level(task);
    const bool can = task->operation == TASK_READ ? level > 0 : level < kSegmentBlocks;
    if (!can) return false;
    --task->host_blocks_granted;
    --task->host_blocks_left;
  }
  const bool is_over = task->operation == TASK_READ && task->state == TASK_ENDED;
  if (is_over && task->host_blocks_left == 0) task->segment = SEGMENT_NONE;
  return true;
}

// A CHECK CONDITION begins a contingent allegiance: task_check_condition().
void BusMoves::send_status() {
  ::task* task = world_.connected;
  const bool fails = task->sense != 0;
  const auto host = static_cast<std::uint8_t>(task->initiator);
  free_bus();
  world_.remove(task);
  if (fails) task_set_suspend(world_.set(), host);
}

// Calls connection_serve() until the task waits or has left the bus.
void BusMoves::serve() {
  ::task* task = world_.connected;
  while (true) {
    bool done = false;
    if (!serve_within_limits(&done) && !done) continue;  // DISCONNECT was rejected
    if (done) return;
    if (task->host_blocks_granted > 0) {
      if (!move_data()) return;
      continue;
    }
    if (task->state == TASK_ENDED) {
      send_status();
      return;
    }
    if (may_report(task)) {
      task_set_report(world_.set(), task);
      free_bus();
      return;
    }
    const bool may_disconnect = (task->flags & TASK_FLAG_MAY_DISCONNECT) != 0;
    if (!may_disconnect || world_.disconnect_refused) {
      stay();
      return;
    }
    if (leave()) return;
  }
}

bool BusMoves::reselect(::task* task) {
  if (world_.connected != nullptr || (task->flags & TASK_FLAG_SILENT) != 0) return false;
  if (world_.owes_sense(task->initiator)) return false;
  if (task->host_blocks_granted == 0 && task->state != TASK_ENDED) return false;
  // tenancy.c, may_return(): the data phase must be allowed to begin.
  if (task->host_blocks_granted > 0 && !may_begin_data(task)) return false;
  world_.connected = task;
  serve();
  return true;
}

// Continues the data phase under way, or serves the holder that waits.
bool BusMoves::go_on() {
  ::task* task = world_.connected;
  if (task == nullptr) return false;
  if (world_.bus.task == task) {
    const bool wants =
        task->host_blocks_granted > 0 || task->state == TASK_ENDED || may_report(task);
    if (!wants) return false;
  }
  if (task->host_blocks_granted > 0) {
    const std::uint32_t before = task->host_blocks_left;
    if (!move_data()) return task->host_blocks_left < before;
  }
  serve();
  return true;
}

bool BusMoves::arrive(const BusStep& step) {
  ::task_set* set = world_.set();
  const BusCommand& command = setup_.commands.at(step.age);
  const std::uint32_t host = step.variant >> 1;
  if (world_.connected != nullptr || world_.count() == setup_.tasks) return false;
  // bus_holder_is_waited_for(): the drive prepares for the return of a refused task.
  if (command.may_disconnect && bus_holder_is_waited_for(&world_.bus)) return false;
  if (world_.owes_sense(host)) return false;  // the host's next command is REQUEST SENSE
  ::task* task = world_.add(command, host);
  task_set_insert(set, task);
  // service_tasks.c, on_enabled(): an enabled write fetches its data early.
  if (task->state == TASK_ENABLED) fetch_early(task, kForArrival);
  world_.connected = task;
  if ((step.variant & 1U) != 0 && (!begin(task) || world_.current != task)) return false;
  serve();
  return true;
}

// Mirrors task_end_allegiance().
bool BusMoves::request_sense(std::uint32_t host) {
  if (world_.connected != nullptr || !world_.owes_sense(host)) return false;
  task_set_resume(world_.set(), static_cast<std::uint8_t>(host));
  return true;
}

bool BusMoves::may_be(const BusStep& step) const {
  const bool is_free = world_.connected == nullptr;
  const auto task = [&]() -> const ::task& { return world_.set()->task[step.age]; };
  switch (step.move) {
    case BusMove::kReselect:
      return is_free && (task().host_blocks_granted > 0 || task().state == TASK_ENDED);
    case BusMove::kArrive:
      return is_free && world_.count() < setup_.tasks &&
             ((step.variant & 1U) == 0 || world_.current == nullptr);
    case BusMove::kRequestSense: return is_free && world_.owes_sense(step.age);
    case BusMove::kGoOn: return !is_free;
    case BusMove::kBegin: return world_.current == nullptr && task().state <= TASK_ENABLED;
    case BusMove::kResume: return world_.current == nullptr && world_.bus.suspended_count > 0;
    case BusMove::kBlock:
    case BusMove::kFail: return world_.current != nullptr && !is_stuck(world_.current);
    case BusMove::kSuspend: return world_.current != nullptr && is_stuck(world_.current);
    case BusMove::kPatienceEnds: return world_.bus.room_is_kept;
    case BusMove::kFetch: return task().state == TASK_ENABLED && task().operation == TASK_WRITE;
  }
  return false;
}

bool BusMoves::make(const BusStep& step) {
  met_refusal_ = refused_ = refused_late_ = false;
  refuses_ = step.refuses;
  const auto task = [&] { return world_.by_age(step.age); };
  switch (step.move) {
    case BusMove::kReselect: return reselect(task());
    case BusMove::kGoOn: return go_on();
    case BusMove::kBegin: return begin(task());
    case BusMove::kBlock: return do_block();
    case BusMove::kFail: return fail();
    case BusMove::kSuspend: return suspend();
    case BusMove::kResume: return resume();
    case BusMove::kRequestSense: return request_sense(step.age);
    case BusMove::kPatienceEnds: {
      const bool waits = world_.bus.room_is_kept;
      world_.bus.room_is_kept = false;
      return waits;
    }
    case BusMove::kFetch: {
      ::task* planned = task();
      if (planned->state != TASK_ENABLED || planned->operation != TASK_WRITE) return false;
      const std::uint32_t granted = planned->host_blocks_granted;
      fetch_early(planned, kForPlan);
      return planned->host_blocks_granted > granted;
    }
    case BusMove::kArrive: return arrive(step);
  }
  return false;
}

}  // namespace headstack::test
