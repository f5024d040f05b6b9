#define FILE_ID FILE_ID_DISPATCHER
#include "firmware/kernel/dispatcher.h"

#include "firmware/kernel/assert.h"
#include "firmware/kernel/cpu.h"

void dispatcher_init(struct dispatcher* dispatcher, const event_handler* handlers,
                     uint32_t source_count, void* context) {
  ASSERT(source_count <= EVENT_SOURCES_MAX);
  event_queue_init(&dispatcher->queue);
  dispatcher->handlers = handlers;
  dispatcher->source_count = source_count;
  dispatcher->context = context;
}

void dispatcher_post(struct dispatcher* dispatcher, uint32_t source, uint32_t bits) {
  event_queue_post(&dispatcher->queue, source, bits);
}

uint32_t dispatcher_waiting(const struct dispatcher* dispatcher, uint32_t source) {
  ASSERT(source < dispatcher->source_count);
  return event_queue_waiting(&dispatcher->queue, source);
}

bool dispatcher_serve_one(struct dispatcher* dispatcher) {
  struct event event;
  cpu_interrupts_off();
  if (!event_queue_take(&dispatcher->queue, &event)) return false;
  cpu_interrupts_on();
  ASSERT(event.source < dispatcher->source_count);
  dispatcher->handlers[event.source](dispatcher->context, event.bits);
  return true;
}

void dispatcher_serve_all(struct dispatcher* dispatcher, void (*idle)(void* context)) {
  while (dispatcher_serve_one(dispatcher)) {
  }
  idle(dispatcher->context);
  cpu_interrupts_on();
}
