// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/service_world.hpp"

#include <algorithm>

#include "firmware/transfer/host_events.h"
#include "firmware/transfer/service_tasks.h"
#include "sim/assert.hpp"

namespace headstack::test {
namespace {

ServiceWorld* world = nullptr;

}  // namespace
}  // namespace headstack::test

using headstack::test::world;

extern "C" {
void target_init(struct target* target, const struct unit_config* config,
                 const struct agreement_limits*, struct task_set* tasks, struct alarms* alarms) {
  target->device.unit.config = config;
  target->tasks = tasks;
  alarm_add(alarms, &target->alarm);
}
void target_on_events(struct target*, uint32_t) {}
void target_on_alarm(struct target*) {}
void target_purge(struct target*) {}
bool target_is_completing(const struct target* /*target*/) { return false; }
void host_medium_ready(struct target* target, enum sense_code not_ready) {
  target->device.unit.not_ready = static_cast<uint8_t>(not_ready);
}
void host_task_granted(struct target*, struct task* task, uint32_t blocks) {
  world->grant(task, blocks);
}
void host_task_prioritized(struct target*, struct task* task) { world->prioritize(task); }
void host_task_finished(struct target*, struct task* task, enum status status, uint32_t lba) {
  world->finish(task, status, lba);
}
void host_modes_changed(struct target* target) {
  modes_apply(&target->device.unit.modes, &target->parts.modes_users);
}
void mode_pages_scheduler(const struct mode_pages*, struct mode_scheduler* scheduler) {
  *scheduler = {};
  scheduler->policy = static_cast<uint8_t>(world->options().policy);
  scheduler->flags = static_cast<uint8_t>(world->options().policy_flags);
  scheduler->parameter[0] = world->options().policy_parameter;
  scheduler->margin_us = static_cast<uint16_t>(world->options().margin_us);
}
void mode_pages_caching(const struct mode_pages*, struct mode_caching* caching) {
  *caching = world->options().caching;
}
void mode_pages_disconnect(const struct mode_pages*, struct mode_disconnect* disconnect) {
  *disconnect = world->options().disconnect;
}
void mode_pages_controller(const struct mode_pages*, struct mode_controller* controller) {
  *controller = world->options().controller;
}
void mode_pages_write_buffer(const struct mode_pages*, struct mode_write_buffer* buffer) {
  *buffer = world->options().write_buffer;
}
uint8_t mode_recovery(const struct mode_pages*, enum mode_page_code) {
  return world->options().recovery;
}
void mode_pages_streams(const struct mode_pages*, struct policy_stream streams[POLICY_STREAMS]) {
  std::fill_n(streams, POLICY_STREAMS, policy_stream{});  // nothing settled
}
void mode_pages_remap(const struct mode_pages*, struct mode_remap* remap) { *remap = {}; }
void mode_remap_pack(const struct mode_remap*, uint8_t*) {}
void mode_remap_unpack(const uint8_t*, struct mode_remap* mode) { *mode = {}; }
void mode_pages_background(const struct mode_pages*, struct mode_background* mode) { *mode = {}; }
void mode_pages_set_remap(struct mode_pages*, const struct mode_remap*) {}
void mode_pages_pack(const struct mode_pages*, uint8_t*) {}
void mode_pages_set_saved(struct mode_pages*, const uint8_t*) {}
bool mode_pages_load(struct mode_pages*, const uint8_t*, uint32_t) { return false; }
bool host_task_expired(struct target*, struct task* task, enum status why) {
  return world->expire(task, why);
}
void host_task_failed(struct target*, struct task* task, enum status status, uint32_t lba) {
  world->finish(task, status, lba);
}
void host_medium_corrupt(struct target*, bool) {}
void host_medium_changed(struct target*, uint8_t) {}
static uint8_t retries() { return static_cast<uint8_t>(world->options().retries); }
uint8_t mode_read_retry_count(const struct mode_pages*) { return retries(); }
uint8_t mode_write_retry_count(const struct mode_pages*) { return retries(); }
uint8_t mode_verify_retry_count(const struct mode_pages*) { return retries(); }
uint32_t scsi_target_hal_take_events(void) { return 0; }
}

namespace headstack::test {

void ServiceWorld::change_modes(const Options& options) {
  options_ = options;
  host_modes_changed(&drive_->target);
}

ServiceWorld::ServiceWorld(const drive::Design& design, const Options& options)
    : options_(options),
      soc_(design),
      table_(firmware_design(design)),
      drive_(std::make_unique<::drive>()) {
  world = this;
  const enum status status = drive_init(drive_.get(), table_.get(), 1);
  HEADSTACK_ASSERT(status == STATUS_OK, "the table suits the firmware");
}

ServiceWorld::~ServiceWorld() { world = nullptr; }

void ServiceWorld::serve_interrupts() {
  // The core takes no time here, and neither do the steps for which the heads wait.
  do {
    drive_step(drive_.get());
  } while (soc_.interrupting() || drive_->service.choice_waits);
}

bool ServiceWorld::step() {
  serve_interrupts();
  if (!soc_.advance()) return false;
  serve_interrupts();
  return true;
}

void ServiceWorld::run() {
  // 250 s: index pulses never end, even when all else has.
  const FakeSoc::Tick limit = soc_.now() + 10'000'000'000;
  while (live_ > 0) HEADSTACK_ASSERT(step() && soc_.now() < limit, "every task ends");
}

void ServiceWorld::run_until(FakeSoc::Tick tick) {
  bool reached = false;
  soc_.after(tick - soc_.now(), [&reached] { reached = true; });
  while (!reached) step();
}

void ServiceWorld::spin_up() {
  while (!rotation_is_measured(&drive_->rotation)) step();
}

std::vector<FakeSoc::Trace> ServiceWorld::traced(std::uint32_t number) const {
  std::vector<FakeSoc::Trace> found;
  std::copy_if(soc_.trace().begin(), soc_.trace().end(), std::back_inserter(found),
               [number](const FakeSoc::Trace& event) { return event.number == number; });
  return found;
}

bool ServiceWorld::buffer_is_free() const {
  const ::segments& segments = drive_->segments;
  return segments.free_count == segments.cell_count &&
         segments.rings_free == (1U << SEGMENTS_RINGS) - 1 && segments.rings_kept == 0;
}

::task* ServiceWorld::submit(enum task_operation operation, std::uint32_t lba, std::uint32_t blocks,
                             enum task_attribute attribute, std::uint8_t flags,
                             std::uint8_t initiator, const ::duration_limits* limits) {
  ::task* task = task_set_allocate(&drive_->tasks);
  HEADSTACK_ASSERT(task != nullptr, "the task set has room");
  task->candidate.arrived_64ticks = static_cast<std::uint32_t>(soc_.now() / TASK_ARRIVED_TICKS);
  task->lba = lba;
  task->blocks = blocks;
  task->operation = operation;
  task->attribute = attribute;
  task->flags = flags;
  task->initiator = initiator;
  task->host_blocks_left = operation == TASK_READ || operation == TASK_WRITE ? blocks : 0;
  task->tag = static_cast<std::uint16_t>(task - drive_->tasks.task);
  ++live_;
  serial_[task] = next_serial_++;
  if (limits != nullptr) {
    const bool fits = time_limits_add(&drive_->time_limits, task, limits, soc_.now());
    HEADSTACK_ASSERT(fits, "there is a record for its limits");
  }
  service_tasks_arrived(&drive_->service, task, soc_.now() - options_.received_ticks);
  task_set_insert(&drive_->tasks, task);
  serve_interrupts();
  return task;
}

void ServiceWorld::grant(::task* task, std::uint32_t blocks) {
  if ((task->flags & TASK_FLAG_ABORTED) != 0) return;
  HEADSTACK_ASSERT(blocks <= task->host_blocks_left - task->host_blocks_granted,
                   "only blocks that are left are granted");
  task->host_blocks_granted += blocks;
  if (std::find(wishes_.begin(), wishes_.end(), task) == wishes_.end()) wishes_.push_back(task);
  if (host_task_ == nullptr) soc_.after(0, [this] { begin_host(); });
}

void ServiceWorld::prioritize(::task* task) {
  const auto wish = std::find(wishes_.begin(), wishes_.end(), task);
  if (wish != wishes_.end()) std::rotate(wishes_.begin(), wish, wish + 1);
}

void ServiceWorld::begin_host() {
  if (host_task_ != nullptr || wishes_.empty()) return;
  host_task_ = wishes_.front();
  wishes_.pop_front();
  host_left_ = std::min(host_task_->host_blocks_granted, options_.host_phase_blocks);
  host_moved_ = 0;
  ++host_phase_;
  host_side_begin_transfer(&drive_->host_side, host_task_, host_left_);
  const auto phase = host_phase_;
  soc_.after(options_.host_block_ticks, [this, phase] {
    if (phase == host_phase_) host_block();
  });
}

/// Content that the host writes, different for every block of every task.
FakeSoc::Content ServiceWorld::content(const ::task* task, std::uint32_t block) const {
  return std::uint64_t{1} << 63 | serial_.at(task) << 32 | (task->lba + block);
}

bool ServiceWorld::move_block() {
  const std::uint32_t block = host_task_->blocks - host_task_->host_blocks_left + host_moved_;
  if (host_task_->operation == TASK_WRITE) return soc_.host_bring(content(host_task_, block));
  const auto taken = soc_.host_take();
  HEADSTACK_ASSERT(!taken || *taken == soc_.media(host_task_->lba + block),
                   "the host reads what the media holds");
  return taken.has_value();
}

void ServiceWorld::host_block() {
  if (host_task_ == nullptr) return;
  HEADSTACK_ASSERT(soc_.host_channel_enabled(), "the host channel is open during a data phase");
  const bool moved = move_block();
  if (moved) {
    ++host_blocks_;
    ++host_moved_;
    --host_left_;
  }
  if (host_left_ == 0) return end_host();
  const auto phase = host_phase_;
  soc_.after(moved ? options_.host_block_ticks : 5000, [this, phase] {
    if (phase == host_phase_) host_block();
  });
}

void ServiceWorld::end_host() {
  ::task* task = host_task_;
  task->host_blocks_left -= host_moved_;
  task->host_blocks_granted -= host_moved_;
  host_task_ = nullptr;
  ++host_phase_;
  service_tasks_transfer_end(&drive_->service, task);
  const bool goes_on = task->host_blocks_granted > 0 && failed_.count(task) == 0 &&
                       std::find(wishes_.begin(), wishes_.end(), task) == wishes_.end();
  if (goes_on) wishes_.push_back(task);
  end_if_done(task);
  soc_.after(0, [this] { begin_host(); });
}

void ServiceWorld::finish(::task* task, enum status status, std::uint32_t lba) {
  HEADSTACK_ASSERT(task->state != TASK_ENDED, "a task is finished once");
  task->state = TASK_ENDED;
  ended_.push_back({task->lba, status, lba, soc_.now()});
  if (failed_.count(task) != 0) {  // the task has expired
    if (host_task_ != task) end_task(task);
    return;
  }
  if (status == STATUS_OK && task->operation == TASK_WRITE) {
    for (std::uint32_t block = 0; block < task->blocks; ++block) {
      HEADSTACK_ASSERT(soc_.media(task->lba + block) == content(task, block),
                       "what was written is on the media");
    }
  }
  if (status != STATUS_OK) {
    failed_.insert(task);
    task->host_blocks_granted = 0;
    wishes_.erase(std::remove(wishes_.begin(), wishes_.end(), task), wishes_.end());
    if (host_task_ == task)
      end_host();  // ends the task, too
    else
      end_task(task);
    return;
  }
  end_if_done(task);
}

/// Expires a task as firmware/target does.
bool ServiceWorld::expire(::task* task, enum status why) {
  if ((task->flags & TASK_FLAG_ABORTED) != 0 || failed_.count(task) != 0) return false;
  expired_.push_back({task->lba, why, task->lba, soc_.now()});
  task->flags |= TASK_FLAG_ABORTED;
  failed_.insert(task);
  task->host_blocks_granted = 0;
  wishes_.erase(std::remove(wishes_.begin(), wishes_.end(), task), wishes_.end());
  const bool done = task->state == TASK_ENDED;
  const bool gone = !done && service_tasks_abort(&drive_->service, task);
  if (gone) task_set_end(&drive_->tasks, task);
  if (host_task_ == task) {
    end_host();  // ends the task, too, if the core has let go of it
  } else if (done || gone) {
    end_task(task);
  }
  return true;
}

void ServiceWorld::end_if_done(::task* task) {
  if (task->state != TASK_ENDED) return;
  if (task->host_blocks_left == 0 || failed_.count(task) != 0) end_task(task);
}

void ServiceWorld::end_task(::task* task) {
  failed_.erase(task);
  service_tasks_ended(&drive_->service, task);
  task_set_remove(&drive_->tasks, task);
  --live_;
}

void ServiceWorld::abort(::task* task) {
  if (host_task_ == task) {
    task->host_blocks_granted = 0;
    host_left_ = host_moved_ = 0;
    host_task_ = nullptr;
    ++host_phase_;
    service_tasks_transfer_end(&drive_->service, task);
  }
  task->flags |= TASK_FLAG_ABORTED;
  // The end of its data phase may have granted further blocks.
  wishes_.erase(std::remove(wishes_.begin(), wishes_.end(), task), wishes_.end());
  if (service_tasks_abort(&drive_->service, task)) end_task(task);
  soc_.after(0, [this] { begin_host(); });
  serve_interrupts();
}

}  // namespace headstack::test
