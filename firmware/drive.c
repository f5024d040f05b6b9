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
#include "firmware/scsi/scsi_core.h"

// ----------------------------------------------------------------------------------------- events

/// A function of its own in every build: by its name a debugger and the simulator's probe
/// (host/observe/drive_probe.cpp) know what the firmware is doing.
#define DRIVE_ENTRY __attribute__((noinline, noclone))

DRIVE_ENTRY static void on_scsi(struct drive* drive) {
  scsi_on_events(&drive->scsi, scsi_target_hal_take_events());
}

DRIVE_ENTRY static void on_buffer(struct drive* drive) {
  const uint32_t events = buffer_mgr_hal_take_events();
  if ((events & BUFFER_EVENT_DISK_SECTOR) != 0) {
    service_on_media(drive, media_on_half(&drive->media));
  }
  // Told while the media wait for it only, and kept at other times.
  if (drive->media.state == MEDIA_WAITING) {
    service_on_media(drive, media_on_buffer(&drive->media));
  }
}

DRIVE_ENTRY static void on_formatter(struct drive* drive) {
  service_on_media(drive, media_on_formatter(&drive->media, formatter_hal_take_events()));
}

static void on_spindle(struct drive* drive, uint32_t results) {
  if ((results & SEEK_RESULT_SPEED_LOST) != 0) {
    scsi_set_ready(&drive->scsi, SENSE_BECOMING_READY);
  }
  if ((results & SEEK_RESULT_AT_SPEED) != 0) {
    rotation_restart(&drive->rotation);
    drive->index_is_due = true;
    scsi_set_ready(&drive->scsi, SENSE_NONE);
  }
  if ((results & (SEEK_RESULT_AT_REST | SEEK_RESULT_SPINDLE_FAILED)) != 0) {
    scsi_set_ready(&drive->scsi, SENSE_START_REQUIRED);
  }
  service_on_spindle(drive, results);
}

/// What came of the arm and the spindle.
static void on_motion(struct drive* drive, uint32_t results) {
  if (results == 0) return;
  on_spindle(drive, results);
  service_on_media(drive, media_on_seek(&drive->media, results));
}

DRIVE_ENTRY static void on_servo(struct drive* drive) {
  const uint32_t events = servo_hal_take_events();
  if ((events & SERVO_EVENT_INDEX) != 0) {
    rotation_index(&drive->rotation, servo_hal_index().tick);
    drive->index_is_due = !rotation_is_measured(&drive->rotation);
    if (events == SERVO_EVENT_INDEX) return;
  }
  on_motion(drive, seek_on_events(&drive->seek, events));
}

/// A start of the spindle, or a step of the media, that takes too long. A step is known by its
/// number: the one that was under way when the alarm was set still is.
static void look_after_motion(struct drive* drive, time_tick now) {
  const uint32_t watched_step = drive->watched_step;
  drive->watched_step = MOTION_UNWATCHED;
  if (drive->seek.spin_up_due != TIME_TICK_NEVER) {
    if (now >= drive->seek.spin_up_due) on_motion(drive, seek_on_late_spin_up(&drive->seek));
    return;
  }
  if (!media_is_in_step(&drive->media) || drive->media.step != watched_step) return;
  service_on_media(drive, media_on_timeout(&drive->media));
}

DRIVE_ENTRY static void on_timer(struct drive* drive) {
  const time_tick now = timer_hal_now();
  const bool scsi_is_due = alarm_take(&drive->scsi.alarm, now);
  const bool service_is_due = alarm_take(&drive->service.alarm, now);
  const bool motion_is_due = alarm_take(&drive->motion_alarm, now);
  alarms_set_timer(&drive->alarms);
  if (scsi_is_due) scsi_on_alarm(&drive->scsi);
  if (service_is_due) service_on_alarm(drive);
  if (motion_is_due) look_after_motion(drive, now);
}

/// Serves every source that asks, once, each to its end: none waits for ever for another, and the
/// media's come first. @return whether there was one.
static bool serve_sources(struct drive* drive) {
  const uint32_t pending = irq_ctrl_hal_pending();
  if (pending == 0) return false;
  if ((pending & (IRQ_FORMATTER | IRQ_SERVO | IRQ_BUFFER_MGR)) != 0) {
    if ((pending & IRQ_FORMATTER) != 0) on_formatter(drive);
    if ((pending & IRQ_SERVO) != 0) on_servo(drive);
    if ((pending & IRQ_BUFFER_MGR) != 0) on_buffer(drive);
  }
  if ((pending & IRQ_SCSI_TARGET) != 0) on_scsi(drive);
  if ((pending & IRQ_TIMER) != 0) on_timer(drive);
  return true;
}

// ------------------------------------------------------------------------------------------- idle

/// Index pulses wake the SoC: captured only while the speed is to be measured, or the angle.
static void update_index_capture(struct drive* drive) {
  const bool wanted = drive->index_is_due && drive->seek.spindle == SPINDLE_AT_SPEED;
  if (wanted == drive->index_captured) return;
  drive->index_captured = wanted;
  servo_hal_capture_index(wanted);
}

/// One alarm at a time, and none for each step: a step that is under way at two in a row has taken
/// as long as lies between them.
static void watch_motion(struct drive* drive) {
  const bool spins_up = drive->seek.spin_up_due != TIME_TICK_NEVER;
  if (drive->motion_alarm.due != TIME_TICK_NEVER && spins_up) return;
  if (!spins_up && !media_is_in_step(&drive->media)) return;
  drive->watched_step = spins_up ? MOTION_UNWATCHED : drive->media.step;
  const time_tick due =
      spins_up ? drive->seek.spin_up_due : timer_hal_now() + drive->media.limit_ticks;
  alarm_set(&drive->motion_alarm, due);
}

/// The block that asks next ends the sleep, or one that has asked behind the last look.
DRIVE_ENTRY static void idle(struct drive* drive) {
  if (drive->index_is_due || drive->index_captured) update_index_capture(drive);
  if (drive->watched_step == MOTION_UNWATCHED) watch_motion(drive);
  cpu_wait_for_interrupt();
}

/// Inlined: what is called once, out of a loop without end, counts as not worth it.
__attribute__((always_inline)) static inline void step(struct drive* drive) {
  while (serve_sources(drive)) {
  }
  if (drive->maintenance.yields) {
    maintenance_resume(drive);
  } else {
    idle(drive);
  }
}

void drive_step(struct drive* drive) { step(drive); }

void drive_run(struct drive* drive) {
  while (true) step(drive);
}

// ------------------------------------------------------------------------------------------ start

static void fill_scsi_config(const struct drive* drive, struct scsi_config* config,
                             uint8_t scsi_id) {
  const struct drive_design* design = drive->design;
  *config = (struct scsi_config){
      .block_count = design->capacity_blocks,
      .block_bytes = design->sector_bytes,
      .cylinders = design->cylinders,
      .heads = (uint16_t)design->heads,
      .rotation_rpm = (uint16_t)design->rpm,
      .sectors_per_track = (uint16_t)design->zones[0].sectors_per_track,
      .cache_segment_blocks =
          (uint16_t)core_cache_segment_limit(drive, MODE_CACHING_SEGMENTS_DEFAULT),
      .own_id = scsi_id,
      .default_policy = 0,
      .default_margin_us = DRIVE_MARGIN_DEFAULT_US,
      .bus = agreement_limits_of(design->bus_width_bits, design->bus_period_ns, design->bus_offset),
      .vendor = {'H', 'E', 'A', 'D', 'S', 'T', 'K', ' '},
      .revision = {'0', '0', '0', '1'},
      .serial = {'0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', (char)('0' + scsi_id % 10)},
  };
  bytes_copy((uint8_t*)config->product, design->product, DRIVE_DESIGN_NAME_BYTES);
}

enum status drive_init(struct drive* drive, const struct drive_design* design, uint8_t scsi_id) {
  const enum status checked = drive_design_check(design);
  if (checked != STATUS_OK) return checked;
  drive->design = design;
  drive->index_captured = drive->index_is_due = false;
  rotation_init(&drive->rotation, design);
  defect_list_init(&drive->defects, design);
  predictor_init(&drive->predictor, design, &drive->rotation,
                 DRIVE_MARGIN_DEFAULT_US * TIME_TICKS_PER_MICROSECOND);
  drive->predictor.defects = &drive->defects;
  segments_init(&drive->segments, design);
  cache_init(&drive->cache);
  alarms_init(&drive->alarms);
  alarm_add(&drive->alarms, &drive->motion_alarm);
  drive->watched_step = MOTION_UNWATCHED;
  seek_init(&drive->seek, design);
  media_init(&drive->media, &drive->defects, &drive->predictor, &drive->seek);
  maintenance_init(&drive->maintenance);
  service_init(drive);
  task_set_init(&drive->tasks, TASK_SET_CAPACITY, design->band_shift, &service_listener, drive);
  scheduler_init(&drive->scheduler, &drive->tasks.enabled, &drive->predictor);
  fill_scsi_config(drive, &drive->scsi_config, scsi_id);
  scsi_init(&drive->scsi, &drive->scsi_config, &drive->tasks, &drive->alarms, drive);
  core_modes_changed(drive);
  scsi_set_ready(&drive->scsi, SENSE_BECOMING_READY);
  irq_ctrl_hal_enable(IRQ_ALL);
  seek_spin_up(&drive->seek);
  trace_port_hal_event(TRACE_BOOTED, sizeof *drive);
  return STATUS_OK;
}

// ---------------------------------------------------------------------------------------- modes

STATIC_ASSERT(MODE_SCHEDULER_PARAMETERS == POLICY_PARAMETERS_MAX, "the page has room for all");

static struct policy_selection selection_of(const struct mode_scheduler* wanted) {
  struct policy_selection selection = {.number = wanted->policy, .flags = wanted->flags};
  for (uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    selection.parameter[i] = wanted->parameter[i];
  }
  return selection;
}

static bool is_same_selection(const struct policy_selection* a, const struct policy_selection* b) {
  bool same = a->number == b->number && a->flags == b->flags;
  for (uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    same = same && a->parameter[i] == b->parameter[i];
  }
  return same;
}

/// Any margin will do.
uint32_t core_scheduler_fault(const struct drive* drive, const struct mode_scheduler* wanted) {
  (void)drive;
  const struct policy_selection selection = selection_of(wanted);
  const uint32_t fault = policy_find_fault(&selection);
  switch (fault) {
    case POLICY_FAULT_NONE: return 0;
    case POLICY_FAULT_NUMBER: return MODE_SCHEDULER_AT_POLICY;
    case POLICY_FAULT_FLAGS: return MODE_SCHEDULER_AT_FLAGS;
    default: return MODE_SCHEDULER_AT_PARAMETERS + 4 * (fault - POLICY_FAULT_PARAMETER);
  }
}

/// The media's words for bits of page 01h or 07h.
static uint32_t recovery_of(uint8_t bits, uint8_t reallocation) {
  return ((bits & reallocation) != 0 ? MEDIA_REALLOCATES : 0U) |
         ((bits & MODE_RECOVERY_PER) != 0 ? MEDIA_REPORTS : 0U) |
         ((bits & MODE_RECOVERY_DTE) != 0 ? MEDIA_STOPS : 0U) |
         ((bits & MODE_RECOVERY_TB) != 0 ? MEDIA_TRANSFERS_BAD : 0U);
}

static void set_recovery(struct drive* drive) {
  const struct mode_pages* modes = &drive->scsi.modes;
  struct media* media = &drive->media;
  media_set_retries(media, FORMATTER_READ, mode_read_retry_count(modes));
  media_set_retries(media, FORMATTER_WRITE, mode_write_retry_count(modes));
  media_set_retries(media, FORMATTER_VERIFY, mode_verify_retry_count(modes));
  const uint8_t bits = mode_recovery(modes, MODE_PAGE_ERROR_RECOVERY);
  media_set_recovery(media, FORMATTER_READ, recovery_of(bits, MODE_RECOVERY_ARRE));
  media_set_recovery(media, FORMATTER_WRITE, recovery_of(bits, MODE_RECOVERY_AWRE));
  media_set_recovery(media, FORMATTER_VERIFY,
                     recovery_of(mode_recovery(modes, MODE_PAGE_VERIFY_RECOVERY), 0));
}

uint32_t core_cache_segment_limit(const struct drive* drive, uint32_t segments) {
  return segments_slot_limit(&drive->segments, segments);
}

void core_modes_changed(struct drive* drive) {
  struct mode_scheduler wanted;
  mode_pages_scheduler(&drive->scsi.modes, &wanted);
  // Waiting tasks keep the margin that their spans were worked out with.
  drive->predictor.margin_tick = wanted.margin_us * TIME_TICKS_PER_MICROSECOND;
  const struct policy_selection selection = selection_of(&wanted);
  if (!is_same_selection(&drive->scheduler.selection, &selection)) {
    const enum status selected = scheduler_select(&drive->scheduler, &selection);
    ASSERT(selected == STATUS_OK);  // core_scheduler_fault() was asked.
  }
  const struct mode_pages* modes = &drive->scsi.modes;
  struct mode_caching caching;
  mode_pages_caching(modes, &caching);
  cache_set_mode(drive, &caching);
  mode_pages_controller(modes, &drive->service.controller);
  set_recovery(drive);
}
