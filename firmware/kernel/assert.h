/// @file
/// ASSERT: the check for what only a bug can do. Always on; a failure stops the drive.
///
/// A source file that asserts says who it is, before its includes:
///
///     #define FILE_ID FILE_ID_GEOMETRY
///     #include "firmware/kernel/assert.h"
///
/// A failure is reported as one word, file id << 16 | line: small enough for the test device's
/// exit register, and for a drive that has no console. What the world can do is an `enum status`
/// (firmware/kernel/status.h), never this.
#ifndef FIRMWARE_KERNEL_ASSERT_H
#define FIRMWARE_KERNEL_ASSERT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

/// One number per source file that asserts; a number, once given, keeps its file.
enum file_id {
  FILE_ID_NONE = 0,
  FILE_ID_DRIVE = 3,
  FILE_ID_GEOMETRY = 4,
  FILE_ID_PREDICTOR = 5,
  FILE_ID_SEEK = 6,
  FILE_ID_SCHEDULER = 7,
  FILE_ID_MEDIA = 8,
  FILE_ID_SEGMENTS = 9,
  FILE_ID_HOST_SIDE = 10,
  FILE_ID_SERVICE = 11,
  FILE_ID_CANDIDATE_SET = 12,
  FILE_ID_CACHE = 13,
  FILE_ID_BUS_HOLDER = 14,
  FILE_ID_DEFECT_LIST = 15,
  FILE_ID_HAL_BUFFER_MGR = 16,
  FILE_ID_HAL_FORMATTER = 17,
  FILE_ID_HAL_SCSI_TARGET = 19,
  FILE_ID_TASK_SET = 20,
  FILE_ID_TASK = 21,
  FILE_ID_MAIN = 22,
  FILE_ID_TRAP = 23,
  FILE_ID_MAINTENANCE = 24,
  FILE_ID_FORMAT = 25,
  FILE_ID_REASSIGN = 26,
  FILE_ID_DEFECT_DATA = 27,
  FILE_ID_RELOCATION = 28,
  FILE_ID_SERVICE_TASKS = 29,
  FILE_ID_MODES = 30,
  FILE_ID_TIME_LIMITS = 31,
  // 32 .. 63 belong to firmware/scsi, in the order of its files.
  FILE_ID_SCSI_FIRST = 32,
  FILE_ID_GSCAN = 64,
  FILE_ID_STORE = 65,
  FILE_ID_STORE_LOAD = 66,
  FILE_ID_SAVE = 67,
  FILE_ID_DEFECT_LOG = 68,
  FILE_ID_TEST = 255,
};

/// Reports `code` and never returns. assert.c stops the simulated drive by its test device;
/// assert_native.c prints and aborts. A program links one of the two.
__attribute__((noreturn)) void assert_failed(uint32_t code);

#define ASSERT_CODE(file, line) ((uint32_t)(file) << 16 | ((uint32_t)(line)&0xFFFFU))

/// Stops the drive unless `condition` holds.
#define ASSERT(condition)                                            \
  do {                                                               \
    if (!(condition)) assert_failed(ASSERT_CODE(FILE_ID, __LINE__)); \
  } while (0)

/// For the default of a switch over an enum whose every value has a case.
#define ASSERT_UNREACHABLE() assert_failed(ASSERT_CODE(FILE_ID, __LINE__))

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_ASSERT_H
