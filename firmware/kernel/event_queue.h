/// @file
/// The event ring: what interrupt handlers post and the dispatcher takes.
///
/// An event is a source and the bits that it raised. Each source stands in the ring at most once:
/// bits raised again before it is taken are added to those that wait. So the ring holds every
/// source there is and never overflows, and sources are served in the order in which they first
/// spoke. Both calls run with interrupts off: in a handler they are, the dispatcher turns them off.
#ifndef FIRMWARE_KERNEL_EVENT_QUEUE_H
#define FIRMWARE_KERNEL_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sources that a queue can tell apart; a power of two, so that indices wrap by a mask.
#define EVENT_SOURCES_MAX 8U

struct event {
  uint32_t source;
  uint32_t bits;
};

struct event_queue {
  uint32_t bits[EVENT_SOURCES_MAX];  ///< Raised and not taken; 0: the source is not in the ring.
  uint8_t ring[EVENT_SOURCES_MAX];
  uint8_t first;
  uint8_t count;
};

void event_queue_init(struct event_queue* queue);

/// Adds `bits`, at least one, of `source`, below EVENT_SOURCES_MAX.
void event_queue_post(struct event_queue* queue, uint32_t source, uint32_t bits);

/// Bits of a source that are raised and not taken; 0: none.
uint32_t event_queue_waiting(const struct event_queue* queue, uint32_t source);

/// Takes the oldest. @return false when none waits; `*event` is then as it was.
bool event_queue_take(struct event_queue* queue, struct event* event);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_EVENT_QUEUE_H
