// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the firmware's structures keep their members, for a debugger that reads them from RAM. The
/// firmware's own headers, compiled for its core, give the places.
///
/// FIELD makes a constant in which all bits of one member are set, and no others. So it shows the
/// member's place, also for a bit field. NUMBER is what the compiler knows. firmware_layout.py
/// reads both from the object file, and writes a C++ header; nothing here is ever linked.
#include <stddef.h>
#include <stdint.h>

#include "firmware/drive.h"

#define ALL_BITS 0xFFFFFFFFU
#define FIELD(structure, name, member) \
  const struct structure field_##structure##_##name = {.member = ALL_BITS};
#define NUMBER(name, value) const uint32_t number_##name = (uint32_t)(value);

FIELD(task, lba, lba)
FIELD(task, blocks, blocks)
FIELD(task, tag, tag)
FIELD(task, younger, younger)
FIELD(task, operation, operation)
FIELD(task, attribute, attribute)
FIELD(task, state, state)
FIELD(task, initiator, initiator)
FIELD(task, cylinder, candidate.cylinder)
FIELD(task, head, candidate.head)
FIELD(task, angle, candidate.angle_turn32)
FIELD(task, arrived, candidate.arrived_64ticks)
FIELD(task, deadline, candidate.deadline_64ticks)
FIELD(task, class, candidate.service_class)
FIELD(task, stream, candidate.stream)
FIELD(task, priority, candidate.priority)

NUMBER(drive_bytes, sizeof(struct drive))
NUMBER(task_bytes, sizeof(struct task))
NUMBER(task_candidate, offsetof(struct task, candidate))
NUMBER(task_capacity, TASK_SET_CAPACITY)
NUMBER(tasks, offsetof(struct drive, tasks.task))
NUMBER(oldest, offsetof(struct drive, tasks.oldest))
NUMBER(task_count, offsetof(struct drive, tasks.count))
NUMBER(planned, offsetof(struct drive, scheduler.planned))
NUMBER(in_service, offsetof(struct drive, service.current))
