// SPDX-License-Identifier: Apache-2.0
/// @file
/// Events that the firmware reports through the trace port: one table for the firmware, the
/// simulator and its tools.
///
/// EVENT(number, name, argument): the number is the trace port's register, never reused. `name` is
/// how logs, waves and records write it; `argument` says what the 32 bits mean. A task is named by
/// its index in the task set. Events 0 .. 15 belong to queue, motion and media, 16 .. 31 to the bus
/// side (target, device), 32 .. 39 to the kernel, 48 .. 55 to the cache, 56 .. 63 to the media.
///
/// Events 40 .. 47 are for debugging: no code of the firmware reports them. A developer adds a line
/// such as `trace_port_hal_event(TRACE_MARKER, 7)`, and the waves show it (host/wave).
#ifndef FIRMWARE_EVENTS_H
#define FIRMWARE_EVENTS_H

#define TRACE_EVENTS(EVENT)                                                                        \
  EVENT(0, TASK_QUEUED, "tag << 16 | task: placed, and announced to the scheduler")                \
  EVENT(1, TASK_CHOSEN, "task: chosen; the media serve it next")                                   \
  EVENT(2, PLAN_BEGIN, "policy << 16 | candidates: the search for the next task begins")           \
  EVENT(3, PLAN_END, "task: chosen ahead of time; 0xFFFF for none")                                \
  EVENT(4, SEEK_START, "cylinder << 8 | head")                                                     \
  EVENT(5, ON_TRACK, "cylinder << 8 | head; for a write: settled for writing")                     \
  EVENT(6, RUN_START, "sector << 16 | count: the formatter works on this track")                   \
  EVENT(7, FIRST_SECTOR, "task: its first sector on this track is done")                           \
  EVENT(8, RUN_DONE, "sectors done")                                                               \
  EVENT(9, MISSED_REVOLUTION, "revolutions that the task ended later than predicted when planned") \
  EVENT(10, MEDIA_RETRY, "formatter error bits, 0 for a movement that failed, << 16 | attempt")    \
  EVENT(11, MEDIA_DONE, "enum status << 16 | task")                                                \
  EVENT(12, MEDIA_WAIT, "task: waits for buffer space, data or a segment")                         \
  EVENT(13, SPINDLE, "0 at rest, 1 spinning up, 2 at speed, 3 spinning down, 4 lost its speed")    \
  EVENT(14, HOST_GRANT, "blocks << 16 | task: the host side may move them")                        \
  EVENT(15, TASK_ENDED, "task: the core has finished with it")                                     \
  EVENT(16, COMMAND_RECEIVED, "operation code << 24 | initiator << 16 | tag")                      \
  EVENT(17, SELECTED, "initiator")                                                                 \
  EVENT(18, RESELECTED, "initiator << 16 | tag")                                                   \
  EVENT(19, DATA_PHASE_BEGIN, "task")                                                              \
  EVENT(20, DATA_PHASE_END, "task")                                                                \
  EVENT(21, STATUS_SENT, "status << 16 | task")                                                    \
  EVENT(22, BUS_FREE, "initiator")                                                                 \
  EVENT(23, SENSE_SET, "key << 16 | ASC << 8 | ASCQ")                                              \
  EVENT(24, BUS_RESET, "0")                                                                        \
  EVENT(25, LIMIT_PASSED, "enum duration << 20 | its policy << 16 | task")                         \
  EVENT(32, BOOTED, "bytes of RAM in use")                                                         \
  EVENT(33, IDLE, "0: about to wait for an interrupt")                                             \
  EVENT(40, WAVE_ON, "0: record waves from here on")                                               \
  EVENT(41, WAVE_OFF, "0: stop recording waves")                                                   \
  EVENT(42, MARKER, "any number, shown in the waves")                                              \
  EVENT(48, CACHE_HIT, "blocks << 16 | task: they are in the buffer, or being read into it")       \
  EVENT(49, READ_AHEAD, "sectors of the run up to the last requested block; read-ahead follows")   \
  EVENT(50, WRITE_REPORTED, "task: its status is sent before the media have its data")             \
  EVENT(51, WRITE_OUTSIDE, "task: a write finds too few free frames, and waits without its data")  \
  EVENT(52, WRITE_ADMITTED, "task: its frames are reserved, so its data may be fetched")           \
  EVENT(53, CACHE_PART, "blocks << 16 | task: a hit on its first blocks; the media read the rest") \
  EVENT(54, FREE_BLOCKS, "sectors of the run before the first requested block")                    \
  EVENT(56, BLOCK_MOVED, "block: it lies on a spare from now on")                                  \
  EVENT(57, FORMAT_TRACK, "first block: the format begins with this track")                        \
  EVENT(58, RUN_NEXT, "sector << 16 | count: the formatter has begun this run by itself")          \
  EVENT(59, STORE_LOADED, "sequence of the saved mode pages; 0: there are none")                   \
  EVENT(60, STORE_WRITTEN, "copy << 16 | cell: it holds the new content")                          \
  EVENT(61, UNITS_MOVED, "record << 16 | units: the record has their slots (transfer/remap.h)")    \
  EVENT(62, MAP_SAVED, "sequence of the map's base")

enum trace_event {
#define TRACE_EVENT_ENUMERATOR(number, name, argument) TRACE_##name = (number),
  TRACE_EVENTS(TRACE_EVENT_ENUMERATOR)
#undef TRACE_EVENT_ENUMERATOR
};

/// The trace port has a register for each number below this.
#define TRACE_EVENT_COUNT 64

#endif  // FIRMWARE_EVENTS_H
