// SPDX-License-Identifier: Apache-2.0
/// @file
/// The firmware on the drive's core: where struct drive lives, and its main loop.
///
/// This is the one place with an object of static storage that changes: everything else gets the
/// drive by pointer (firmware/README.md).
#define FILE_ID FILE_ID_MAIN
#include "firmware/drive.h"
#include "firmware/hal/testdev_hal.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/cpu.h"
#include "firmware/start/trap.h"

/// The drive's id on the bus.
#define MAIN_SCSI_ID 0U

static struct drive the_drive __attribute__((section(".noinit")));

static void clear(uint8_t* from, const uint8_t* to) {
  __builtin_memset(from, 0, (size_t)(to - from));
}

/// Clears all of the drive, but for large parts that are set when they are taken. These are data of
/// commands, mode pages and counts of initiators (device/device.h, unit/unit.h). They are also
/// tasks (task_set_allocate()), their limits (time_limits_add()), and the drive's end:
/// store_init(), defect_log_init() and defect_list_init().
static void clear_drive(void) {
  clear((uint8_t*)&the_drive, (uint8_t*)the_drive.target.device.unit.durations);
  clear((uint8_t*)&the_drive.target + sizeof the_drive.target, (uint8_t*)the_drive.tasks.task);
}
STATIC_ASSERT(sizeof(struct target) - offsetof(struct target, device.unit.durations) -
                      DEVICE_DATA_BYTES -
                      UNIT_INITIATORS *
                          (sizeof(struct duration_pages) + sizeof(struct duration_counts)) <
                  sizeof(uint64_t),
              "they are the end of struct target");
STATIC_ASSERT(offsetof(struct drive, time_limits) - offsetof(struct drive, tasks) -
                          sizeof(struct task_set) <
                      sizeof(uint64_t) &&
                  offsetof(struct task_set, task) + sizeof(the_drive.tasks.task) ==
                      sizeof(struct task_set),
              "they lie side by side");

/// Interrupts stay off: the main loop asks the controller, and sleeps until one is pending.
void trap_external(void) { ASSERT_UNREACHABLE(); }

/// wfi resumes with interrupts off, too (RISC-V privileged architecture, 3.3.3). Out of line, few
/// instructions precede it. What they have fetched decides when the core's clock stops.
__attribute__((noinline)) void cpu_wait_for_interrupt(void) { trap_wait(); }

static void print_number(const char* name, uint32_t number) {
  char text[] = " 00000000";
  for (uint32_t digit = sizeof(text) - 2U; digit >= 1U; --digit) {
    text[digit] = "0123456789abcdef"[number & 0xFU];
    number >>= 4;
  }
  testdev_hal_print(name);
  testdev_hal_print(text);
}

/// Nothing that the world does raises an exception: it is a bug, and the drive stops. The exit code
/// has room for 24 bits of `pc`; the console gets all.
uint32_t trap_exception(uint32_t cause, uint32_t pc, uint32_t value, uint32_t return_address) {
  print_number("exception: pc", pc);
  print_number(" value", value);
  print_number(" ra", return_address);
  testdev_hal_print("\n");
  testdev_hal_exit(0x80000000U | cause << 24 | (pc & 0x00FFFFFFU));
  return pc;
}

int main(void) {
  clear_drive();
  const struct drive_design* design = (const struct drive_design*)DRIVE_DESIGN_ADDRESS;
  ASSERT(drive_init(&the_drive, design, MAIN_SCSI_ID) == STATUS_OK);
  trap_wake_on_external();
  drive_run(&the_drive);
}
