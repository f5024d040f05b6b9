// SPDX-License-Identifier: Apache-2.0
/// @file
/// ASSERT: the check for a condition that only a bug can break. It is always on; a failure stops
/// the drive.
///
/// A source file that uses ASSERT has a row in file_ids.def, and defines its number before its
/// includes:
///
///     #define FILE_ID FILE_ID_GEOMETRY
///     #include "firmware/kernel/assert.h"
///
/// A failure is reported as one word, file id << 16 | line. It fits into the test device's exit
/// register, and serves a drive that has no console. A fault of the outside world is an `enum
/// status` (firmware/kernel/status.h), never an assertion.
#ifndef FIRMWARE_KERNEL_ASSERT_H
#define FIRMWARE_KERNEL_ASSERT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

enum file_id {
  FILE_ID_NONE = 0,
#define ASSERTING_FILE(number, name, path) FILE_ID_##name = (number),
#include "firmware/kernel/file_ids.def"
#undef ASSERTING_FILE
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

/// The default of a switch over an enum whose every value has a case.
#define ASSERT_UNREACHABLE() assert_failed(ASSERT_CODE(FILE_ID, __LINE__))

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_ASSERT_H
