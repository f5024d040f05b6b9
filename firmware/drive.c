// SPDX-License-Identifier: Apache-2.0
#define FILE_ID FILE_ID_DRIVE
#include "firmware/drive.h"

#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/formatter_hal.h"
#include "firmware/hal/irq_ctrl_hal.h"
#include "firmware/hal/scsi_target_hal.h"
#include "firmware/hal/servo_hal.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/kernel/cpu.h"
#include "firmware/kernel/rare.h"
#include "firmware/transfer/arm.h"
#include "firmware/transfer/host_events.h"
#include "firmware/transfer/modes.h"
#include "firmware/transfer/remap_choice.h"
#include "firmware/transfer/service_tasks.h"

// ----------------------------------------------------------------------------------------- events

/// A separate function in every build: its name shows a debugger and the simulator's probe
/// (host/observe/drive_probe.cpp) what the firmware is doing.
#define DRIVE_ENTRY __attribute__((noinline, noclone))

/// The store and the map have been read. Commands may come now.
static RARE void become_ready(struct drive* drive) {
  drive->loads = false;
  host_modes_changed(&drive->target);  // Mode page 23h comes with the map.
  if (drive->seek.spindle == SPINDLE_AT_SPEED) host_medium_ready(&drive->target, SENSE_NONE);
  arm_dispatch(&drive->arm);
}

static void look_after_load(struct drive* drive) {
  if (drive->loads && load_is_over(&drive->load)) become_ready(drive);
}

static void on_media(struct drive* drive, enum media_outcome outcome) {
  arm_on_media(&drive->arm, outcome);
  look_after_load(drive);
}

DRIVE_ENTRY static void on_scsi(struct drive* drive) {
  target_on_events(&drive->target, scsi_target_hal_take_events());
}

DRIVE_ENTRY static void on_buffer(struct drive* drive) {
  const uint32_t events = buffer_mgr_hal_take_events();
  if ((events & BUFFER_EVENT_DISK_SECTOR) != 0) {
    on_media(drive, media_on_half(&drive->media));
  }
  // BUFFER_EVENT_HOST_SECTOR is enabled only while the media wait. At other times it stays pending.
  if (media_waits(&drive->media)) {
    on_media(drive, media_on_buffer(&drive->media));
  }
}

DRIVE_ENTRY static void on_formatter(struct drive* drive) {
  on_media(drive, media_on_formatter(&drive->media, formatter_hal_take_events()));
}

static void on_spindle(struct drive* drive, uint32_t results) {
  if ((results & SEEK_RESULT_SPEED_LOST) != 0) {
    host_medium_ready(&drive->target, SENSE_BECOMING_READY);
  }
  if ((results & SEEK_RESULT_AT_SPEED) != 0) {
    rotation_restart(&drive->rotation);
    drive->loads = load_begin(&drive->load);
    if (!drive->loads) host_medium_ready(&drive->target, SENSE_NONE);
  }
  if ((results & (SEEK_RESULT_AT_REST | SEEK_RESULT_SPINDLE_FAILED)) != 0) {
    host_medium_ready(&drive->target, SENSE_START_REQUIRED);
  }
  const uint32_t ends = SEEK_RESULT_AT_SPEED | SEEK_RESULT_AT_REST | SEEK_RESULT_SPINDLE_FAILED;
  if ((results & ends) == 0) return;
  service_on_spindle(&drive->service, results);
  arm_dispatch(&drive->arm);
}

/// Acts on the results of the arm and the spindle.
static void on_motion(struct drive* drive, uint32_t results) {
  if (results == 0) return;
  on_spindle(drive, results);
  on_media(drive, media_on_seek(&drive->media, results));
}

DRIVE_ENTRY static void on_servo(struct drive* drive) {
  const uint32_t events = servo_hal_take_events();
  if ((events & SERVO_EVENT_INDEX) != 0) {
    rotation_index(&drive->rotation, servo_hal_index().tick);
    if (events == SERVO_EVENT_INDEX) return;
  }
  on_motion(drive, seek_on_events(&drive->seek, events));
}

/// Handles a start of the spindle, or a step of the media, that takes too long. A step is
/// identified by its number: the step that was under way when the alarm was set is still the same.
static void look_after_motion(struct drive* drive, time_tick now) {
  const uint32_t watched_step = drive->watched_step;
  drive->watched_step = MOTION_UNWATCHED;
  if (drive->seek.spin_up_due != TIME_TICK_NEVER) {
    if (now >= drive->seek.spin_up_due) on_motion(drive, seek_on_late_spin_up(&drive->seek));
    return;
  }
  if (!media_is_in_step(&drive->media) || drive->media.step != watched_step) return;
  on_media(drive, media_on_timeout(&drive->media));
}

/// @param now  A time before the other sources were examined. A time-out is then due only if what
///             it waits for had not come in time, however long their handlers took since.
DRIVE_ENTRY static void on_timer(struct drive* drive, time_tick now) {
  const bool scsi_is_due = alarm_take(&drive->target.alarm, now);
  const bool service_is_due = alarm_take(&drive->service.alarm, now);
  const bool limit_is_due = alarm_take(&drive->time_limits.alarm, now);
  const bool motion_is_due = alarm_take(&drive->motion_alarm, now);
  const bool remap_is_due = alarm_take(&drive->remap.alarm, now);
  const bool scan_is_due = alarm_take(&drive->scan.alarm, now);
  alarms_set_timer(&drive->alarms);
  if (scsi_is_due) target_on_alarm(&drive->target);
  if (service_is_due) service_tasks_on_alarm(&drive->service);
  if (limit_is_due) {
    service_on_time_limits(&drive->service, now);
    arm_dispatch(&drive->arm);
  }
  if (motion_is_due) look_after_motion(drive, now);
  if (remap_is_due || scan_is_due) arm_dispatch(&drive->arm);
}

static inline __attribute__((always_inline)) void serve_blocks(struct drive* drive,
                                                               uint32_t pending) {
  if ((pending & (IRQ_FORMATTER | IRQ_SERVO | IRQ_BUFFER_MGR)) != 0) {
    if ((pending & IRQ_FORMATTER) != 0) on_formatter(drive);
    if ((pending & IRQ_SERVO) != 0) on_servo(drive);
    if ((pending & IRQ_BUFFER_MGR) != 0) on_buffer(drive);
  }
  if ((pending & IRQ_SCSI_TARGET) != 0) on_scsi(drive);
}

static RARE void serve_timer(struct drive* drive) {
  const time_tick now = timer_hal_now();
  serve_blocks(drive, irq_ctrl_hal_pending());
  on_timer(drive, now);
}

/// Serves each pending source once, and to its end. So no source waits for ever for another, and
/// the media's sources come first. @return whether there was one.
static bool serve_sources(struct drive* drive) {
  const uint32_t pending = irq_ctrl_hal_pending();
  if (pending == 0) return false;
  if ((pending & IRQ_TIMER) != 0) {
    serve_timer(drive);
  } else {
    serve_blocks(drive, pending);
  }
  return true;
}

// ------------------------------------------------------------------------------------------- idle

/// Index pulses wake the SoC. So they are captured only while the speed or the angle must be
/// measured.
static void update_index_capture(struct drive* drive) {
  const bool wanted = drive->rotation.index_is_due && drive->seek.spindle == SPINDLE_AT_SPEED;
  if (wanted == drive->index_captured) return;
  drive->index_captured = wanted;
  servo_hal_capture_index(wanted);
}

/// There is one alarm at a time, and not one for each step. A step that is still the same at the
/// next alarm has taken at least the time between them.
static void watch_motion(struct drive* drive) {
  const bool spins_up = drive->seek.spin_up_due != TIME_TICK_NEVER;
  if (drive->motion_alarm.due != TIME_TICK_NEVER && spins_up) return;
  if (!spins_up && !media_is_in_step(&drive->media)) return;
  drive->watched_step = spins_up ? MOTION_UNWATCHED : drive->media.step;
  const time_tick due =
      spins_up ? drive->seek.spin_up_due : timer_hal_now() + drive->media.limit_ticks;
  alarm_set(&drive->motion_alarm, due);
}

/// Sleeps until the next event of a block. An event since the last examination ends the sleep at
/// once.
DRIVE_ENTRY static void idle(struct drive* drive) {
  if (drive->rotation.index_is_due || drive->index_captured) update_index_capture(drive);
  if (drive->watched_step == MOTION_UNWATCHED) watch_motion(drive);
  cpu_wait_for_interrupt();
}

/// Uses spare time for a step of the learning, or of making a map. @return false: there is nothing
/// to do.
static RARE bool use_spare_time(struct drive* drive) {
  if (learn_has_step(&drive->learn)) {
    learn_step(&drive->learn);
  } else if (remap_choice_is_due(&drive->remap, &drive->learn)) {
    remap_choice_look(&drive->remap, &drive->learn);
  } else if (arranger_has_step(&drive->arranger)) {
    arranger_step(&drive->arranger);
  } else {
    return false;
  }
  return true;
}

/// Goes on with work that gives way to events after each slice.
static RARE void go_on(struct drive* drive) {
  if ((drive->arm.blocked & ARM_PURGES) != 0) {
    target_purge(&drive->target);
  } else if ((drive->arm.blocked & (ARM_WITHDRAWS | ARM_ENABLES)) != 0) {
    service_tasks_go_on(&drive->service);
  } else {
    arm_resume(&drive->arm);
    look_after_load(drive);
  }
}

/// Inlined by force: the compiler does not inline what an endless loop calls once.
__attribute__((always_inline)) static inline void step(struct drive* drive) {
  while (serve_sources(drive)) {
  }
  if ((drive->arm.blocked & ARM_SLICES) != 0) {
    go_on(drive);
  } else if (drive->cache.read_has_ended && !target_is_completing(&drive->target)) {
    cache_go_on(&drive->cache);
    arm_dispatch(&drive->arm);
  } else if (!scheduler_prepares(&drive->scheduler) || !service_prepare_step(&drive->service)) {
    if (!drive->learn.on || !use_spare_time(drive)) idle(drive);
  } else if (service_can_choose(&drive->service)) {
    arm_dispatch(&drive->arm);
  }
}

void drive_step(struct drive* drive) { step(drive); }

void drive_run(struct drive* drive) {
  while (true) step(drive);
}

// ------------------------------------------------------------------------------------------ start

/// The longest time until a scan is suspended: the longest movement, rounded up, and a sector.
static uint16_t suspend_ms(const struct drive_design* design) {
  const uint32_t stroke_part = design->pool[design->seek_table + design->cylinders - 1];
  const uint32_t millisecond_parts = TIME_TICKS_PER_MILLISECOND * DRIVE_DESIGN_TICK_PARTS;
  return (uint16_t)((stroke_part + design->head_switch_part) / millisecond_parts + 2U);
}

static void fill_unit_config(const struct drive* drive, struct unit_config* config,
                             uint8_t scsi_id) {
  const struct drive_design* design = drive->design;
  *config = (struct unit_config){
      .block_count = design->capacity_blocks,
      .block_bytes = design->sector_bytes,
      .cylinders = design->cylinders,
      .heads = (uint16_t)design->heads,
      .rotation_rpm = (uint16_t)design->rpm,
      .sectors_per_track = (uint16_t)design->zones[0].sectors_per_track,
      .cache_segment_blocks =
          (uint16_t)segments_slot_limit(&drive->segments, MODE_CACHING_SEGMENTS_DEFAULT),
      .own_id = scsi_id,
      .keeps_modes = store_is_there(&drive->store),
      .scsi_version = (uint8_t)design->scsi_version,
      .default_policy = 0,
      .default_margin_us = DRIVE_MARGIN_DEFAULT_US,
      .suspend_ms = suspend_ms(design),
      .vendor = {'H', 'E', 'A', 'D', 'S', 'T', 'K', ' '},
      .revision = {'0', '0', '0', '1'},
      .serial = {'0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', (char)('0' + scsi_id % 10)},
  };
  bytes_copy((uint8_t*)config->product, design->product, DRIVE_DESIGN_NAME_BYTES);
}

static struct unit* unit_of(struct drive* drive) { return &drive->target.device.unit; }

/// Connects the parts that serve tasks, each with those that it works with.
static void connect_service(struct drive* drive) {
  cache_init(&drive->cache, drive->design, &drive->segments, &drive->media, &drive->tasks,
             &drive->arm);
  bus_holder_init(&drive->bus_holder, &drive->tasks, &drive->seek, drive->suspended);
  host_side_init(&drive->host_side, &drive->tasks, &drive->target, &drive->media, &drive->segments,
                 &drive->cache, &drive->bus_holder);
  maintenance_init(&drive->maintenance, &drive->predictor, &drive->defects, &drive->tasks,
                   &drive->target, unit_of(drive), &drive->cache, &drive->media, &drive->store,
                   &drive->remap, &drive->scan);
  drive->service = (struct service){.media = &drive->media,
                                    .tasks = &drive->tasks,
                                    .scheduler = &drive->scheduler,
                                    .host = &drive->host_side,
                                    .bus = &drive->bus_holder,
                                    .cache = &drive->cache,
                                    .target = &drive->target,
                                    .unit = unit_of(drive),
                                    .seek = &drive->seek,
                                    .rotation = &drive->rotation,
                                    .predictor = &drive->predictor,
                                    .segments = &drive->segments,
                                    .maintenance = &drive->maintenance,
                                    .limits = &drive->time_limits,
                                    .remap = &drive->remap,
                                    .learn = &drive->learn,
                                    .times = &drive->service_times,
                                    .busy_undo = &drive->service_busy_undo,
                                    .arm = &drive->arm};
  service_init(&drive->service, &drive->alarms);
  time_limits_init(&drive->time_limits, &drive->target, unit_of(drive), &drive->tasks,
                   &drive->alarms);
}

/// Connects the bus side with the modules below it.
static void connect_target(struct drive* drive) {
  struct target* target = &drive->target;
  target->parts = (struct target_parts){.service = &drive->service,
                                        .host_side = &drive->host_side,
                                        .bus_holder = &drive->bus_holder,
                                        .cache = &drive->cache,
                                        .modes_users = {.predictor = &drive->predictor,
                                                        .scheduler = &drive->scheduler,
                                                        .cache = &drive->cache,
                                                        .media = &drive->media,
                                                        .controller = &drive->service.controller,
                                                        .disconnect = &drive->service.disconnect,
                                                        .tasks = &drive->tasks,
                                                        .remap = &drive->remap,
                                                        .learn = &drive->learn,
                                                        .arranger = &drive->arranger,
                                                        .scan = &drive->scan,
                                                        .arm = &drive->arm}};
  target->device.parts = (struct device_parts){.design = drive->design,
                                               .service = &drive->service,
                                               .time_limits = &drive->time_limits,
                                               .bus_holder = &drive->bus_holder,
                                               .segments = &drive->segments,
                                               .defects = &drive->defects,
                                               .maintenance = &drive->maintenance,
                                               .media = &drive->media,
                                               .scheduler = &drive->scheduler,
                                               .service_times = &drive->service_times,
                                               .remap = &drive->remap,
                                               .scan = &drive->scan,
                                               .learn = &drive->learn,
                                               .map = &drive->map};
}

static void connect_arm(struct drive* drive) {
  drive->load =
      (struct load){.arm = &drive->arm, .store = &drive->store_load, .remap = &drive->remap};
  drive->arm = (struct arm){.media = &drive->media,
                            .bus = &drive->bus_holder,
                            .unit = unit_of(drive),
                            .load = &drive->load,
                            .maintenance_task = &drive->service,
                            .moves = &drive->remap,
                            .suspended_task = &drive->service,
                            .host_task = &drive->service,
                            .read_ahead = &drive->service,
                            .scan = &drive->scan,
                            .park = &drive->service};
  arm_init(&drive->arm);
}

static void connect_scan(struct drive* drive) {
  drive->scan.design = drive->design;
  drive->scan.media = &drive->media;
  drive->scan.arm = &drive->arm;
  drive->scan.unit = unit_of(drive);
  scan_init(&drive->scan, &drive->alarms);
}

static void connect_remap(struct drive* drive) {
  drive->remap.design = drive->design;
  drive->remap.map = &drive->map;
  drive->remap.media = &drive->media;
  drive->remap.segments = &drive->segments;
  drive->remap.tasks = &drive->tasks;
  drive->remap.scheduler = &drive->scheduler;
  drive->remap.predictor = &drive->predictor;
  drive->remap.unit = unit_of(drive);
  drive->remap.arm = &drive->arm;
  learn_init(&drive->learn);
  remap_init(&drive->remap, &drive->alarms);
  arranger_init(&drive->arranger, &drive->remap, &drive->learn);
}

/// The store, of whose content nothing is known yet.
static void init_store(struct drive* drive) {
  store_init(&drive->store, drive->design);
  defect_log_init(&drive->log, &drive->store);
  if (!defect_log_is_kept(&drive->log)) return;
  defect_list_limit(&drive->defects, defect_log_capacity(&drive->log));
}

enum status drive_init(struct drive* drive, const struct drive_design* design, uint8_t scsi_id) {
  const enum status checked = drive_design_check(design);
  if (checked != STATUS_OK) return checked;
  drive->design = design;
  drive->index_captured = false;
  rotation_init(&drive->rotation, design);
  defect_list_init(&drive->defects, design);
  predictor_init(&drive->predictor, design, &drive->rotation,
                 DRIVE_MARGIN_DEFAULT_US * TIME_TICKS_PER_MICROSECOND);
  block_map_init(&drive->map, &drive->defects);
  drive->predictor.map = &drive->map;
  segments_init(&drive->segments, design);
  alarms_init(&drive->alarms);
  alarm_add(&drive->alarms, &drive->motion_alarm);
  drive->watched_step = MOTION_UNWATCHED;
  seek_init(&drive->seek, design);
  init_store(drive);
  media_init(&drive->media, &drive->defects, &drive->log, &drive->predictor, &drive->seek);
  store_load_init(&drive->store_load, &drive->store, &drive->media, &drive->segments,
                  &drive->target, unit_of(drive));
  connect_arm(drive);
  connect_remap(drive);
  connect_scan(drive);
  connect_service(drive);
  connect_target(drive);
  task_set_init(&drive->tasks, TASK_SET_CAPACITY, design->band_shift, &service_tasks_listener,
                &drive->service);
  scheduler_init(&drive->scheduler, &drive->tasks.enabled, &drive->predictor, &drive->policy_store);
  scheduler_lend_work(&drive->scheduler, &drive->policy_work);
  scheduler_watch_writes(&drive->scheduler, &drive->tasks.writes);
  fill_unit_config(drive, &drive->unit_config, scsi_id);
  const struct agreement_limits bus =
      agreement_limits_of(design->bus_width_bits, design->bus_period_ns, design->bus_offset);
  target_init(&drive->target, &drive->unit_config, &bus, &drive->tasks, &drive->alarms);
  host_modes_changed(&drive->target);
  host_medium_ready(&drive->target, SENSE_BECOMING_READY);
  irq_ctrl_hal_enable(IRQ_ALL);
  seek_spin_up(&drive->seek);
  trace_port_hal_event(TRACE_BOOTED, sizeof *drive);
  return STATUS_OK;
}
