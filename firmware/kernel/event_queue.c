#define FILE_ID FILE_ID_EVENT_QUEUE
#include "firmware/kernel/event_queue.h"

#include "firmware/kernel/assert.h"

STATIC_ASSERT((EVENT_SOURCES_MAX & (EVENT_SOURCES_MAX - 1)) == 0, "indices wrap by a mask");

void event_queue_init(struct event_queue* queue) { *queue = (struct event_queue){.count = 0}; }

void event_queue_post(struct event_queue* queue, uint32_t source, uint32_t bits) {
  ASSERT(source < EVENT_SOURCES_MAX && bits != 0);
  if (queue->bits[source] == 0) {
    queue->ring[(queue->first + queue->count) & (EVENT_SOURCES_MAX - 1)] = (uint8_t)source;
    ++queue->count;
  }
  queue->bits[source] |= bits;
}

uint32_t event_queue_waiting(const struct event_queue* queue, uint32_t source) {
  ASSERT(source < EVENT_SOURCES_MAX);
  return queue->bits[source];
}

bool event_queue_take(struct event_queue* queue, struct event* event) {
  if (queue->count == 0) return false;
  const uint32_t source = queue->ring[queue->first];
  queue->first = (uint8_t)((queue->first + 1U) & (EVENT_SOURCES_MAX - 1));
  --queue->count;
  *event = (struct event){source, queue->bits[source]};
  queue->bits[source] = 0;
  return true;
}
