/// @file
/// The dispatcher: takes events and calls their handlers, one at a time, each to its end.
///
/// A handler never waits. It may take as long as a search of the whole queue does; what happens
/// meanwhile is posted by interrupt handlers and served next.
#ifndef FIRMWARE_KERNEL_DISPATCHER_H
#define FIRMWARE_KERNEL_DISPATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/event_queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Serves the bits that one source raised.
typedef void (*event_handler)(void* context, uint32_t bits);

struct dispatcher {
  struct event_queue queue;
  const event_handler* handlers;  ///< By source; `source_count` of them.
  uint32_t source_count;
  void* context;  ///< Handed to every handler.
};

/// `handlers` stays the caller's and outlives the dispatcher.
void dispatcher_init(struct dispatcher* dispatcher, const event_handler* handlers,
                     uint32_t source_count, void* context);

/// For interrupt handlers, which run with interrupts off.
void dispatcher_post(struct dispatcher* dispatcher, uint32_t source, uint32_t bits);

/// Bits of a source that are posted and not served yet.
uint32_t dispatcher_waiting(const struct dispatcher* dispatcher, uint32_t source);

/// Serves one event. @return false when none waits: then interrupts are still off, and the caller
/// sleeps and turns them on, or just turns them on. After true they are on.
bool dispatcher_serve_one(struct dispatcher* dispatcher);

/// Serves events until none waits, and calls `idle` once then, with interrupts off.
void dispatcher_serve_all(struct dispatcher* dispatcher, void (*idle)(void* context));

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_KERNEL_DISPATCHER_H
