// SPDX-License-Identifier: Apache-2.0
#include "tests/waits/bus_world.hpp"

#include <algorithm>

#include "firmware/hal/timer_hal.h"

// The bus holder uses a clock only for its patience. The model ends the patience by a move.
extern "C" time_tick timer_hal_now(void) { return 1; }

namespace headstack::test {
namespace {

constexpr std::uint32_t kBlocksApart = 8;  // places of different tasks, all in one region
constexpr std::uint32_t kBandShift = 0;
constexpr std::uint32_t kTagsUsed = 8;
constexpr time_tick kPatience = 2;

void ignore(void* /*context*/, ::task* /*task*/) {}
void ignore_slices(void* /*context*/, bool /*withdraws*/) {}
constexpr task_set_listener kListener = {ignore, ignore, ignore_slices};

// Reads and writes the fields of a word, from its lowest bit on.
class Fields {
 public:
  explicit Fields(std::uint32_t word = 0) : word_(word) {}
  std::uint32_t take(std::uint32_t bits) {
    const std::uint32_t value = word_ >> at_ & ((1U << bits) - 1U);
    at_ += bits;
    return value;
  }
  Fields& put(std::uint32_t value, std::uint32_t bits) {
    word_ |= value << at_;
    at_ += bits;
    return *this;
  }
  std::uint32_t word() const { return word_; }

 private:
  std::uint32_t word_;
  std::uint32_t at_ = 0;
};

}  // namespace

BusWorld::BusWorld(const BusConfiguration& the_configuration) : configuration(the_configuration) {
  task_set_init(set_.get(), kTagsUsed, kBandShift, &kListener, this);
  task_set_restrict(set_.get(), configuration.restricted);
  bus_holder_init(&bus, set_.get(), &seek_, suspended_.data());
}

// task_set_init() would clear chains of thousands. The model uses only the ones below.
void BusWorld::clear() {
  ::task_set* set = set_.get();
  set->next_sequence = 0;
  set->count = 0;
  set->free_first = set->oldest = set->youngest = TASK_NONE;
  set->untouched_first = 0;
  set->dormant_count = set->ordered_count = set->head_of_queue_count = set->writer_count = 0;
  set->reported_count = 0;
  set->enabled.first = set->enabled.last = nullptr;
  set->enabled.count = 0;
  set->enabled.occupied[0] = 0;
  set->enabled.band[0] = nullptr;
  set->region[0] = TASK_NONE;
  for (std::uint32_t host = 0; host < configuration.hosts; ++host) {
    set->live_of[host] = 0;
    for (std::uint32_t tag = 0; tag < kTagsUsed; ++tag) {
      set->bucket[(tag + 37U * host) & (TASK_SET_BUCKETS - 1U)] = TASK_NONE;
    }
  }
  bus.suspended_count = 0;
  done.fill(0);
}

::task* BusWorld::add(const BusCommand& command, std::uint32_t host) {
  ::task* task = task_set_allocate(set_.get());
  const std::uint32_t index = index_of(task);
  task->operation = command.operation;
  task->attribute = command.attribute;
  task->initiator = host & 0xFU;
  task->blocks = task->host_blocks_left = command.is_long ? 2 : 1;
  task->lba = command.overlaps ? 0 : (index + 1) * kBlocksApart;
  task->tag = static_cast<std::uint16_t>(index);
  task->segment = SEGMENT_NONE;
  task->flags = command.may_disconnect ? TASK_FLAG_MAY_DISCONNECT : 0;
  done.at(index) = 0;
  return task;
}

void BusWorld::remove(::task* task) {
  bus_holder_forget(&bus, task);
  task_set_remove(set_.get(), task);
}

std::uint32_t BusWorld::free_segments() const {
  std::uint32_t used = 0;
  for (std::uint32_t index = set_->oldest; index != TASK_NONE; index = set_->task[index].younger) {
    if (set_->task[index].segment != SEGMENT_NONE) ++used;
  }
  return configuration.segments - used;
}

std::uint32_t BusWorld::level(const ::task* task) const {
  const std::uint32_t moved = task->blocks - task->host_blocks_left;
  const std::uint32_t media = done.at(index_of(task));
  return task->operation == TASK_READ ? media - moved : moved - media;
}

::task* BusWorld::by_age(std::uint32_t age) {
  ::task* task = task_set_oldest(set_.get());
  while (age-- > 0) task = task_set_younger(set_.get(), task);
  return task;
}

std::string BusWorld::name(const ::task* task) const {
  char letter = 'A';
  for (std::uint32_t index = set_->oldest; &set_->task[index] != task;
       index = set_->task[index].younger) {
    ++letter;
  }
  return std::string(1, letter);
}

// ---- packing

// The model treats hosts alike, so the host of the oldest task becomes 0.
std::uint32_t BusWorld::swapped_host() const {
  if (set_->oldest != TASK_NONE) return set_->task[set_->oldest].initiator;
  return set_->suspended == 2 ? 1 : 0;
}

std::uint32_t BusWorld::pack_task(const ::task& task) const {
  Fields fields;
  fields.put(1, 1)
      .put(task.initiator ^ swapped_host(), 1)
      .put(task.operation, 1)
      .put(task.blocks - 1, 1);
  fields.put(task.lba == 0 ? 1 : 0, 1).put(task.attribute, 2).put(task.state, 3);
  fields.put(task.blockers, 3).put(task.host_blocks_left, 2).put(task.host_blocks_granted, 2);
  fields.put(task.segment != SEGMENT_NONE ? 1 : 0, 1).put(done.at(index_of(&task)), 2);
  fields.put(task.sense != 0 ? 1 : 0, 1).put(is_suspended(&task) ? 1 : 0, 1);
  for (const std::uint32_t flag :
       {TASK_FLAG_MAY_DISCONNECT, TASK_FLAG_SILENT, TASK_FLAG_REPORTED, TASK_FLAG_IN_ORDER}) {
    fields.put((task.flags & flag) != 0 ? 1 : 0, 1);
  }
  return fields.word();
}

void BusWorld::unpack_task(std::uint32_t age, std::uint32_t word) {
  ::task_set* set = set_.get();
  Fields fields(word);
  (void)fields.take(1);
  const std::uint32_t host = fields.take(1);
  BusCommand command;
  command.operation = static_cast<enum task_operation>(fields.take(1));
  command.is_long = fields.take(1) != 0;
  command.overlaps = fields.take(1) != 0;
  command.attribute = static_cast<enum task_attribute>(fields.take(2));
  ::task* task = add(command, host);
  task->state = static_cast<enum task_state>(fields.take(3));
  task->blockers = fields.take(3) & TASK_BLOCKERS_MAX;
  task->host_blocks_left = fields.take(2);
  task->host_blocks_granted = fields.take(2);
  if (fields.take(1) != 0) task->segment = static_cast<std::uint16_t>(age);
  done.at(age) = static_cast<std::uint8_t>(fields.take(2));
  task->sense = fields.take(1) != 0 ? 1 : 0;
  const bool is_suspended = fields.take(1) != 0;
  task->flags = 0;
  for (const std::uint32_t flag :
       {TASK_FLAG_MAY_DISCONNECT, TASK_FLAG_SILENT, TASK_FLAG_REPORTED, TASK_FLAG_IN_ORDER}) {
    if (fields.take(1) != 0) task->flags |= static_cast<std::uint16_t>(flag);
  }
  if (is_suspended) {
    ::bus_holder_suspended suspended = {};
    suspended.task = task;
    bus_holder_suspend(&bus, &suspended);
  }
  // The links that task_set_insert() and later changes have made.
  const auto index = static_cast<std::uint16_t>(age);
  task->candidate.sequence = set->next_sequence++;
  task->older = set->youngest;
  (set->youngest == TASK_NONE ? set->oldest : set->task[set->youngest].younger) = index;
  set->youngest = index;
  task->same_region = set->region[0];
  set->region[0] = index;
  if ((task->flags & TASK_FLAG_SILENT) == 0) {
    std::uint16_t* bucket = &set->bucket[(task->tag + 37U * host) & (TASK_SET_BUCKETS - 1U)];
    task->same_bucket = *bucket;
    *bucket = index;
    ++set->live_of[host];
  }
  if (task->state == TASK_DORMANT) ++set->dormant_count;
  if (task->attribute == TASK_ORDERED) ++set->ordered_count;
  if (task->attribute == TASK_HEAD_OF_QUEUE) ++set->head_of_queue_count;
  if (task->operation == TASK_WRITE) ++set->writer_count;
  if (task_is_reported(task)) ++set->reported_count;
  if (task->state == TASK_ENABLED && task_is_listed(task)) {
    candidate_set_append(&set->enabled, &task->candidate);
  }
}

void BusWorld::unpack(const BusState& state) {
  clear();
  for (std::uint32_t age = 0; age < kBusTasks && state.word[age] != 0; ++age) {
    unpack_task(age, state.word[age]);
  }
  Fields fields(state.word[kBusTasks]);
  const auto take_task = [&]() -> ::task* {
    const std::uint32_t age = fields.take(3);
    return age == kNoTask ? nullptr : &set_->task[age];
  };
  connected = take_task();
  bus.task = take_task();
  current = take_task();
  disconnect_refused = fields.take(1) != 0;
  set_->suspended = static_cast<std::uint16_t>(fields.take(2));
  bus.room_is_kept = fields.take(1) != 0;
  bus.room_until = kPatience;
  bus.turned_away_lba = fields.take(1) != 0 ? 0 : 128;
  bus.turned_away_writes = fields.take(1) != 0;
  bus.turned_away_blocks = 1;
}

BusState BusWorld::pack() const {
  BusState state;
  std::array<std::uint32_t, 8> age_of = {};
  std::uint32_t age = 0;
  for (std::uint32_t index = set_->oldest; index != TASK_NONE; index = set_->task[index].younger) {
    age_of.at(index) = age;
    state.word.at(age++) = pack_task(set_->task[index]);
  }
  const auto age_or_none = [&](const ::task* task) {
    return task == nullptr ? kNoTask : age_of.at(index_of(task));
  };
  const bool waits = bus.room_is_kept;
  const std::uint32_t other = (set_->suspended & 1U) << 1 | set_->suspended >> 1;
  const std::uint32_t suspended = swapped_host() != 0 ? other : set_->suspended;
  Fields fields;
  fields.put(age_or_none(connected), 3).put(age_or_none(bus.task), 3).put(age_or_none(current), 3);
  fields.put(disconnect_refused ? 1 : 0, 1).put(suspended, 2).put(waits ? 1 : 0, 1);
  fields.put(waits && bus.turned_away_lba == 0 ? 1 : 0, 1);
  fields.put(waits && bus.turned_away_writes ? 1 : 0, 1);
  state.word[kBusTasks] = fields.word();
  return state;
}

}  // namespace headstack::test
