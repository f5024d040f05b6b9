// SPDX-License-Identifier: Apache-2.0
/// @file
/// The state of the arbiter (arm.h): the client that has the arm, and those that want it.
///
/// Clients set and clear their bits in `wants`. This header has no source, so that the clients,
/// which the arbiter calls, can use it.
#ifndef FIRMWARE_TRANSFER_ARM_STATE_H
#define FIRMWARE_TRANSFER_ARM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/transfer/media_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The rows and the headers of the clients, unless a test has its own.
#ifndef ARM_CLIENTS_DEF
#define ARM_CLIENTS_DEF "firmware/transfer/arm_clients.def"
#define ARM_CLIENTS_H "firmware/transfer/arm_clients.h"
#endif

/// ARM_NO_CLIENT, then a name for each client: ARM_LOAD, ...
enum arm_client {
  ARM_NO_CLIENT,
#define ARM_CLIENT(NAME, name, TYPE, KIND) ARM_##NAME,
#include ARM_CLIENTS_DEF
#undef ARM_CLIENT
};

/// A client's bit in `wants`.
#define ARM_BIT(client) (1U << (client))

/// Reasons why no client may begin, and ARM_ENABLES, which is none. Each is a bit of `blocked`.
enum arm_block {
  ARM_IS_OFFERED = 1U << 0,       ///< The arbiter, or a client, will offer the arm itself.
  ARM_CONTROLLER_BUSY = 1U << 1,  ///< An older controller takes its time (page 21h).
  ARM_YIELDED = 1U << 2,          ///< A client waits for other events: arm_resume() follows.
  ARM_PURGES = 1U << 3,           ///< Tasks are being aborted (device/task_management.h).
  ARM_WITHDRAWS = 1U << 4,        ///< Tasks are being withdrawn (task_set_go_on()).
  ARM_ENABLES = 1U << 5,          ///< Tasks are being enabled. The arm may take those that are.
};

/// Work that goes on in slices when no block has an event.
#define ARM_SLICES (ARM_YIELDED | ARM_PURGES | ARM_WITHDRAWS | ARM_ENABLES)

/// A client's answer to the offer of the arm, or to the end of its request.
enum arm_answer {
  ARM_PASSES,   ///< The client does not need the arm now. Others may.
  ARM_WAITS,    ///< No client after this one may begin either.
  ARM_DONE,     ///< The client has done something without a request: the offer begins again.
  ARM_REQUEST,  ///< The media are to work on the request for the client.
  ARM_GOES,     ///< The arm is to go to cylinder `detour` of the request, for no task.
};

struct drive_design;
#define ARM_CLIENT(NAME, name, TYPE, KIND) struct TYPE;
#include ARM_CLIENTS_DEF
#undef ARM_CLIENT

struct arm {
  struct media* media;
  const struct bus_holder* bus;
  const struct unit* unit;
  uint32_t wants;    ///< ARM_BIT() of each client that wants the arm, or may want it.
  uint8_t owner;     ///< enum arm_client for which the media work, or that keeps the arm without
                     ///< them.
  uint8_t blocked;   ///< enum arm_block bits.
  bool others_wait;  ///< A task waits: valid while a BACKGROUND client is offered the arm.
#define ARM_CLIENT(NAME, name, TYPE, KIND) struct TYPE* name;
#include ARM_CLIENTS_DEF
#undef ARM_CLIENT
};

static inline bool arm_is_blocked(const struct arm* arm) {
  return (arm->blocked & ~(uint32_t)ARM_ENABLES) != 0;
}

static inline void arm_want(struct arm* arm, enum arm_client client) {
  arm->wants |= ARM_BIT(client);
}

static inline void arm_do_without(struct arm* arm, enum arm_client client) {
  arm->wants &= ~ARM_BIT(client);
}

/// The owner's work is over: the arm is free.
static inline void arm_release(struct arm* arm) { arm->owner = ARM_NO_CLIENT; }

static inline bool arm_is_wanted_by(const struct arm* arm, enum arm_client client) {
  return (arm->wants & ARM_BIT(client)) != 0;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_TRANSFER_ARM_STATE_H
