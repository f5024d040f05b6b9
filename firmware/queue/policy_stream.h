/// @file
/// What a host has settled for streams: the mode page of streams (scsi/stream_page.h) carries it,
/// and policies read it when they begin. 0 is nothing settled.
#ifndef FIRMWARE_QUEUE_POLICY_STREAM_H
#define FIRMWARE_QUEUE_POLICY_STREAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Streams 0 .. 15 have settings; what belongs to another stream goes without.
#define POLICY_STREAMS 16U

/// Limits. A period counts in ticks as a positive int32_t.
#define POLICY_STREAM_U_MAX_MILLI 1000U
#define POLICY_STREAM_P_MAX_MS 50000U
#define POLICY_STREAM_SHARE_MAX 100U

struct policy_stream {
  uint16_t u_milli;     ///< Reserved part of the heads' time, thousandths; of all streams together
                        ///< POLICY_STREAM_U_MAX_MILLI at the most. `fahrrad`.
  uint16_t p_ms;        ///< The period in which it is given; 0 just where u is. `fahrrad`.
  uint8_t share;        ///< Percent; of all streams together 100 at the most. `cello:by=stream`.
  uint8_t round_quota;  ///< k: requests a round, by arrival. `wrrscan:inner=fcfs`.
  uint8_t weight;       ///< w: requests a round, each a sweep. `wrrscan` without that.
};

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_STREAM_H
