// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mode parameters in force: what pages 01h, 02h, 07h, 08h, 1Ch/01h and 20h to 23h mean to the
/// modules that use them.
///
/// firmware/unit has the pages, and firmware/device checks here what a drive of this design can do.
#ifndef FIRMWARE_TRANSFER_MODES_H
#define FIRMWARE_TRANSFER_MODES_H

#include <stdint.h>

#include "firmware/motion/predictor.h"
#include "firmware/queue/scheduler.h"
#include "firmware/remap/learn.h"
#include "firmware/transfer/cache.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/remap_arranger.h"
#include "firmware/transfer/scan.h"
#include "firmware/unit/mode_page.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The modules that follow the mode pages.
struct modes_users {
  struct predictor* predictor;
  struct scheduler* scheduler;
  struct cache* cache;
  struct media* media;
  struct mode_controller* controller;
  struct mode_disconnect* disconnect;
  struct task_set* tasks;
  struct remap* remap;
  struct learn* learn;
  struct arranger* arranger;
  struct scan* scan;
  struct arm* arm;
};

/// Whether the drive can follow this content of the scheduler's page. Every margin is allowed.
/// @return 0, or the byte of the page that is wrong.
uint32_t modes_scheduler_fault(const struct mode_scheduler* wanted);

/// Applies the pages to all modules, after a change or at power-on. The content of page 20h is
/// possible.
void modes_apply(const struct mode_pages* pages, const struct modes_users* users);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_MODES_H
