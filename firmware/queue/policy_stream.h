// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a host has set for streams. The mode page of streams (unit/stream_page.h) carries it, and
/// policies read it when they begin. 0 means not set.
#ifndef FIRMWARE_QUEUE_POLICY_STREAM_H
#define FIRMWARE_QUEUE_POLICY_STREAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Streams 0 .. 15 have settings; candidates of other streams have none.
#define POLICY_STREAMS 16U

/// Limits. A period counts in ticks as a positive int32_t.
#define POLICY_STREAM_U_MAX_MILLI 1000U
#define POLICY_STREAM_P_MAX_MS 50000U
#define POLICY_STREAM_SHARE_MAX 100U

struct policy_stream {
  uint16_t u_milli;     ///< Reserved part of the heads' time, thousandths; at most
                        ///< POLICY_STREAM_U_MAX_MILLI for all streams together. `fahrrad`.
  uint16_t p_ms;        ///< The period of the reservation; 0 exactly when u is 0. `fahrrad`.
  uint8_t share;        ///< Percent; at most 100 for all streams together. `cello:by=stream`.
  uint8_t round_quota;  ///< k: requests a round, by arrival. `wrrscan:inner=fcfs`.
  uint8_t weight;       ///< w: requests a round, as a sweep. `wrrscan` without that flag.
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_STREAM_H
