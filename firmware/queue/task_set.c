// SPDX-License-Identifier: Apache-2.0
#include "firmware/queue/task_set.h"

#define FILE_ID FILE_ID_TASK_SET
#include "firmware/kernel/assert.h"

STATIC_ASSERT(TASK_SET_CAPACITY < TASK_UNLINKED, "an index fits a link");
STATIC_ASSERT(TASK_SET_CAPACITY <= TASK_BLOCKERS_MAX, "all others may block a task");
STATIC_ASSERT((TASK_SET_BUCKETS & (TASK_SET_BUCKETS - 1U)) == 0, "buckets are a power of two");
// Three adjacent regions, as a task examines them, are three chains.
STATIC_ASSERT(TASK_SET_REGIONS >= 4 && (TASK_SET_REGIONS & (TASK_SET_REGIONS - 1U)) == 0,
              "regions are a power of two");

static struct task* task_at(struct task_set* set, uint16_t index) {
  return index == TASK_NONE ? NULL : &set->task[index];
}

static bool is_writer(const struct task* task) { return task->operation == TASK_WRITE; }

/// A task that still owes a status holds its tag.
static bool holds_tag(const struct task* task) { return (task->flags & TASK_FLAG_SILENT) == 0; }

// ---- tags

/// Odd, so that the same tag of two initiators is in different chains.
#define INITIATOR_STRIDE 37U

static uint16_t* bucket_of(struct task_set* set, uint8_t initiator, uint16_t tag) {
  return &set->bucket[(tag + INITIATOR_STRIDE * initiator) & (TASK_SET_BUCKETS - 1U)];
}

static void hash_insert(struct task_set* set, struct task* task) {
  uint16_t* bucket = bucket_of(set, task->initiator, task->tag);
  task->same_bucket = *bucket;
  *bucket = task_set_index(set, task);
  ++set->live_of[task->initiator];
}

static void hash_remove(struct task_set* set, struct task* task) {
  const uint16_t index = task_set_index(set, task);
  uint16_t* link = bucket_of(set, task->initiator, task->tag);
  while (*link != index) {
    ASSERT(*link != TASK_NONE);
    link = &set->task[*link].same_bucket;
  }
  *link = task->same_bucket;
  task->same_bucket = TASK_NONE;
  --set->live_of[task->initiator];
}

struct task* task_set_find(struct task_set* set, uint8_t initiator, bool untagged, uint16_t tag) {
  struct task* task = task_at(set, *bucket_of(set, initiator, tag));
  while (task != NULL && (task->initiator != initiator || task->tag != tag ||
                          ((task->flags & TASK_FLAG_NO_TAG) != 0) != untagged)) {
    task = task_at(set, task->same_bucket);
  }
  return task;
}

uint16_t task_set_live_of(const struct task_set* set, uint8_t initiator) {
  return set->live_of[initiator];
}

// ---- arrival order

static void order_append(struct task_set* set, struct task* task) {
  const uint16_t index = task_set_index(set, task);
  task->older = set->youngest;
  task->younger = TASK_NONE;
  if (set->youngest == TASK_NONE) {
    set->oldest = index;
  } else {
    set->task[set->youngest].younger = index;
  }
  set->youngest = index;
}

static void order_remove(struct task_set* set, const struct task* task) {
  uint16_t* from_older = task->older == TASK_NONE ? &set->oldest : &set->task[task->older].younger;
  uint16_t* from_younger =
      task->younger == TASK_NONE ? &set->youngest : &set->task[task->younger].older;
  *from_older = task->younger;
  *from_younger = task->older;
}

struct task* task_set_oldest(struct task_set* set) {
  return task_at(set, set->oldest);
}

struct task* task_set_younger(struct task_set* set, const struct task* task) {
  return task_at(set, task->younger);
}

struct task* task_set_youngest(struct task_set* set) {
  return task_at(set, set->youngest);
}

struct task* task_set_older(struct task_set* set, const struct task* task) {
  return task_at(set, task->older);
}

// ---- the list `enabled`, and those of the write buffer

/// Whether the candidate is in a list of the write buffer while its task is enabled.
static bool is_apart(const struct task_set* set, const struct task* task) {
  return task_is_buffered(task) && write_buffer_is_apart(&set->writes);
}

static struct candidate_set* list_apart(struct task_set* set, const struct task* task) {
  return task_is_reported(task) ? &set->writes.reported : &set->writes.arriving;
}

/// Inserts a task by arrival. Most come as the youngest.
static void apart_insert(struct task_set* set, struct task* task) {
  struct candidate_set* list = list_apart(set, task);
  struct candidate* before = list->last;
  while (before != NULL && candidate_is_older(&task->candidate, before)) before = before->previous;
  candidate_set_insert(list, before, &task->candidate);
  ++set->writes.changes;
}

/// Removes the task's candidate from the list that it is in.
static void enabled_remove(struct task_set* set, struct task* task) {
  struct candidate_set* list = is_apart(set, task) ? list_apart(set, task) : &set->enabled;
  candidate_set_remove(list, &task->candidate);
}

/// Keeps the list in the order of arrival: inserts after the next older task that is in it.
static void enabled_insert(struct task_set* set, struct task* task) {
  if (is_apart(set, task)) {
    apart_insert(set, task);
    return;
  }
  struct task* older = task_at(set, task->older);
  while (older != NULL &&
         (older->state != TASK_ENABLED || !task_is_listed(older) || is_apart(set, older))) {
    older = task_at(set, older->older);
  }
  candidate_set_insert(&set->enabled, older == NULL ? NULL : &older->candidate, &task->candidate);
}

/// Whether the task is in one of the lists.
static bool is_linked(const struct task* task) {
  return task->state == TASK_ENABLED && task_is_listed(task);
}

static void enable(struct task_set* set, struct task* task) {
  task->state = TASK_ENABLED;
  --set->dormant_count;
  if (task_is_listed(task)) enabled_insert(set, task);
  set->listener->enabled(set->context, task);
}

static void withdraw(struct task_set* set, struct task* task) {
  if (task_is_listed(task)) enabled_remove(set, task);
  task->state = TASK_DORMANT;
  ++set->dormant_count;
  set->listener->withdrawn(set->context, task);
}

// ---- the rules

/// Whether a dormant task may be enabled. `ordered_passed`: some ORDERED task is older than this
/// one.
static bool may_enable(const struct task_set* set, const struct task* task, bool ordered_passed) {
  if (task_set_suspends(set, task)) return false;
  switch (task->attribute) {
    case TASK_HEAD_OF_QUEUE: return task->blockers == 0;
    // All tasks that block it are older.
    case TASK_ORDERED: return task->older == TASK_NONE && set->head_of_queue_count == 0;
    case TASK_SIMPLE:
    case TASK_UNTAGGED:
      return !ordered_passed && set->head_of_queue_count == 0 && task->blockers == 0;
    default: ASSERT_UNREACHABLE();
  }
}

/// Whether an ORDERED task has become the oldest.
static bool oldest_waits(struct task_set* set) {
  if (set->ordered_count == 0) return false;
  const struct task* oldest = task_set_oldest(set);
  return oldest != NULL && oldest->state == TASK_DORMANT && oldest->attribute == TASK_ORDERED;
}

/// Units of work of some 50 cycles: the most in a slice of the walk, and those that a task takes.
/// Most tasks stay as they are.
#define SLICE_WORK 200U
#define CHANGE_WORK 7U
#define SKIP_WORK 1U

/// Whether the rest of the walk can change nothing.
static bool is_settled(const struct task_set* set) {
  const struct task_walk* walk = &set->walk;
  if (walk->withdraws) return false;
  return set->dormant_count == 0 || (walk->ordered_passed && set->head_of_queue_count == 0);
}

/// Applies the rules to the next task of the walk. The listener may end any task.
/// @return the work that this took.
static uint32_t walk_on(struct task_set* set, struct task* task) {
  struct task_walk* walk = &set->walk;
  const bool ordered_passed = walk->ordered_passed;
  walk->next = task_set_younger(set, task);
  walk->ordered_passed = ordered_passed || task->attribute == TASK_ORDERED;
  if (task->state == TASK_DORMANT) {
    if (task_set_is_closed(set) || !may_enable(set, task, ordered_passed)) return SKIP_WORK;
    enable(set, task);
    return CHANGE_WORK;
  }
  if (!walk->withdraws || task->state != TASK_ENABLED) return SKIP_WORK;
  if (!task_set_suspends(set, task)) return SKIP_WORK;
  withdraw(set, task);
  return CHANGE_WORK;
}

/// Makes a slice of the walk. A removal by the listener may begin the walk again, but makes no
/// slice inside this one.
static void make_slice(struct task_set* set) {
  struct task_walk* walk = &set->walk;
  walk->is_in_slice = true;
  for (uint32_t work = 0; work < SLICE_WORK && walk->next != NULL;) {
    if (is_settled(set)) {
      walk->next = NULL;
    } else {
      work += walk_on(set, walk->next);
    }
  }
  walk->is_in_slice = false;
  if (walk->next == NULL) walk->withdraws = false;
}

bool task_set_go_on(struct task_set* set) {
  make_slice(set);
  return set->walk.next != NULL;
}

/// Enables what the rules now allow, and withdraws what they forbid, oldest first.
static void open_gate(struct task_set* set) {
  struct task_walk* walk = &set->walk;
  walk->next = task_set_oldest(set);
  walk->ordered_passed = false;
  if (walk->is_in_slice) return;
  make_slice(set);
  if (walk->next != NULL) set->listener->goes_on(set->context, walk->withdraws);
}

static bool overlaps(const struct task* a, const struct task* b) {
  if (a->lba - b->lba < b->blocks) return true;
  return b->lba - a->lba < a->blocks;
}

bool task_set_conflict(const struct task* a, const struct task* b) {
  return (is_writer(a) || is_writer(b)) && overlaps(a, b);
}

/// Whether restricted reordering holds between the two.
static bool is_in_order(const struct task* younger, const struct task* older) {
  // One of the two is enough: a change of the control page then takes nothing from the tasks on
  // either side of it.
  return ((younger->flags | older->flags) & TASK_FLAG_IN_ORDER) != 0 &&
         younger->attribute != TASK_HEAD_OF_QUEUE;
}

/// Whether `younger` waits for the end of `older` because of their blocks. Restricted reordering
/// (SCSI-2 8.3.3.1): the data must be what arrival order would give. No initiator can suspend the
/// rule for a reported write.
static bool must_wait_for(const struct task* younger, const struct task* older) {
  if (!is_in_order(younger, older) && !task_is_reported(older)) return false;
  return candidate_is_older(&older->candidate, &younger->candidate) &&
         task_set_conflict(older, younger);
}

static bool is_long(const struct task* task) { return task->blocks > 1U << TASK_SET_REGION_SHIFT; }

static uint16_t* region_at(struct task_set* set, uint32_t region) {
  return &set->region[region & (TASK_SET_REGIONS - 1U)];
}

/// The chain that a task is in: that of the region it begins in.
static uint16_t* chain_of(struct task_set* set, const struct task* task) {
  return is_long(task) ? &set->region[TASK_SET_REGIONS]
                       : region_at(set, task->lba >> TASK_SET_REGION_SHIFT);
}

static void region_insert(struct task_set* set, struct task* task) {
  uint16_t* chain = chain_of(set, task);
  const uint16_t index = task_set_index(set, task);
  task->same_region = *chain;
  task->region_previous = TASK_NONE;
  if (*chain != TASK_NONE) set->task[*chain].region_previous = index;
  *chain = index;
}

static void region_remove(struct task_set* set, const struct task* task) {
  const uint16_t next = task->same_region;
  const uint16_t previous = task->region_previous;
  *(previous == TASK_NONE ? chain_of(set, task) : &set->task[previous].same_region) = next;
  if (next != TASK_NONE) set->task[next].region_previous = previous;
}

/// Which of two tasks waits for the other.
enum direction {
  WAITS_FOR_OTHER,
  OTHER_WAITS,
};

static bool is_counted(const struct task* task, const struct task* other,
                       enum direction direction) {
  return direction == WAITS_FOR_OTHER ? must_wait_for(task, other) : must_wait_for(other, task);
}

static uint32_t count_in_chain(struct task_set* set, uint16_t first, const struct task* task,
                               enum direction direction) {
  uint32_t count = 0;
  for (const struct task* other = task_at(set, first); other != NULL;
       other = task_at(set, other->same_region)) {
    if (is_counted(task, other, direction)) ++count;
  }
  return count;
}

/// Counts tasks of the set that this one waits for, or that wait for it. It examines those of its
/// own regions and of the one before, because the others are no longer than a region. It also
/// examines all long ones, and for a long task all.
static uint32_t count_conflicts(struct task_set* set, const struct task* task,
                                enum direction direction) {
  uint32_t count = 0;
  if (is_long(task)) {
    for (const struct task* other = task_set_oldest(set); other != NULL;
         other = task_set_younger(set, other)) {
      if (is_counted(task, other, direction)) ++count;
    }
    return count;
  }
  const uint32_t first = task->lba >> TASK_SET_REGION_SHIFT;
  const uint32_t last = (task->lba + task->blocks) >> TASK_SET_REGION_SHIFT;
  for (uint32_t region = first - 1U; region != last + 2U; ++region) {
    // After the last region, the chain of the long ones.
    const uint16_t* chain =
        region == last + 1U ? &set->region[TASK_SET_REGIONS] : region_at(set, region);
    count += count_in_chain(set, *chain, task, direction);
  }
  return count;
}

/// Whether the task, or any other one, is a write.
static bool may_conflict(const struct task_set* set, const struct task* task) {
  return set->writer_count > 0 || is_writer(task);
}

static void count_blockers(struct task_set* set, struct task* task) {
  task->blockers = 0;
  if (!may_conflict(set, task)) return;
  task->blockers = count_conflicts(set, task, WAITS_FOR_OTHER) & TASK_BLOCKERS_MAX;
}

/// The write has just been reported. A dormant task with no blocker may have been enabled while
/// others were reported, so all of its blockers are counted.
static void count_report(struct task_set* set, const struct task* write, struct task* other) {
  if (!must_wait_for(other, write)) return;
  if (other->blockers == 0) {
    count_blockers(set, other);
  } else if (!is_in_order(other, write)) {
    ++other->blockers;
  }
}

/// The task has left the set: each task that waited for it has one blocker less. A count that is
/// not 0 is exact, because whatever adds a blocker finds the waiting task dormant and counts it.
/// @return whether some task has no blocker any more.
static bool release_blocked(struct task_set* set, const struct task* task,
                            struct task* first_younger) {
  bool released = false;
  for (struct task* other = first_younger; other != NULL; other = task_set_younger(set, other)) {
    if (other->blockers == 0 || !must_wait_for(other, task)) continue;
    --other->blockers;
    released = released || other->blockers == 0;
  }
  return released;
}

// ---- public

void task_set_init(struct task_set* set, uint16_t limit, uint32_t band_shift,
                   const struct task_set_listener* listener, void* context) {
  ASSERT(limit >= 1 && limit <= TASK_SET_CAPACITY);
  set->listener = listener;
  set->context = context;
  candidate_set_init(&set->enabled, band_shift);
  set->next_sequence = 0;
  set->limit = set->open_limit = limit;
  set->count = 0;
  set->retired_count = 0;
  set->oldest = set->youngest = TASK_NONE;
  set->dormant_count = 0;
  set->ordered_count = 0;
  set->head_of_queue_count = 0;
  set->writer_count = 0;
  set->suspended = 0;
  set->reported_count = 0;
  set->removals = 0;
  set->restricted = true;
  set->walk = (struct task_walk){.next = NULL};
  for (uint32_t i = 0; i < TASK_SET_INITIATORS; ++i) set->live_of[i] = 0;
  for (uint32_t i = 0; i < TASK_SET_BUCKETS; ++i) set->bucket[i] = TASK_NONE;
  for (uint32_t i = 0; i <= TASK_SET_REGIONS; ++i) set->region[i] = TASK_NONE;
  set->free_first = TASK_NONE;
  set->untouched_first = 0;
  write_buffer_init(&set->writes, band_shift);
}

struct task* task_set_allocate(struct task_set* set) {
  if (task_set_is_full(set)) return NULL;
  struct task* task = task_at(set, set->free_first);
  if (task != NULL) {
    ASSERT(task->state == TASK_FREE);
    set->free_first = task->younger;
  } else {
    ASSERT(set->untouched_first < TASK_SET_CAPACITY);
    task = &set->task[set->untouched_first++];
  }
  ++set->count;
  *task = (struct task){.lba = 0};
  task->older = task->younger = task->same_bucket = TASK_NONE;
  task->request_next = TASK_UNLINKED;
  task->state = TASK_DORMANT;
  return task;
}

void task_set_insert(struct task_set* set, struct task* task) {
  ASSERT(task->state == TASK_DORMANT && task->initiator < TASK_SET_INITIATORS);
  task->candidate.sequence = set->next_sequence++;
  if (set->restricted && task->attribute != TASK_HEAD_OF_QUEUE) task->flags |= TASK_FLAG_IN_ORDER;
  count_blockers(set, task);
  const bool ordered_passed = set->ordered_count > 0;
  order_append(set, task);
  region_insert(set, task);
  if (holds_tag(task)) hash_insert(set, task);
  ++set->dormant_count;
  if (task->attribute == TASK_ORDERED) ++set->ordered_count;
  if (task->attribute == TASK_HEAD_OF_QUEUE) ++set->head_of_queue_count;
  if (is_writer(task)) ++set->writer_count;
  if (may_enable(set, task, ordered_passed)) enable(set, task);
}

void task_set_insert_begun(struct task_set* set, struct task* task) {
  ASSERT(task->state == TASK_DORMANT && !is_writer(task) && task->blocks == 0);
  ASSERT(task->attribute == TASK_SIMPLE || task->attribute == TASK_UNTAGGED);
  task->candidate.sequence = set->next_sequence++;
  task->state = TASK_TRANSFERRING;
  order_append(set, task);
  region_insert(set, task);
  if (holds_tag(task)) hash_insert(set, task);
}

void task_set_end(struct task_set* set, struct task* task) {
  ASSERT(task->state != TASK_FREE);
  if (task->state == TASK_DORMANT) --set->dormant_count;
  if (task->state == TASK_ENABLED && task_is_listed(task)) {
    enabled_remove(set, task);
  }
  task->state = TASK_ENDED;
}

static void free_task(struct task_set* set, struct task* task) {
  task->state = TASK_FREE;
  task->younger = set->free_first;
  set->free_first = task_set_index(set, task);
  --set->count;
}

static bool is_inserted(const struct task_set* set, const struct task* task) {
  if (task->older != TASK_NONE) return true;
  return set->oldest == task_set_index(set, task);
}

/// Removes a task that is in the set from all counts and lists. @return whether a dormant task may
/// be enabled now.
static bool take_out(struct task_set* set, struct task* task) {
  ++set->removals;
  if (task->state == TASK_ENABLED && task_is_listed(task)) {
    enabled_remove(set, task);
  }
  if (task->state == TASK_DORMANT) --set->dormant_count;
  if (task->attribute == TASK_ORDERED) --set->ordered_count;
  if (task->attribute == TASK_HEAD_OF_QUEUE) --set->head_of_queue_count;
  if (is_writer(task)) --set->writer_count;
  if (holds_tag(task)) hash_remove(set, task);
  if (task_is_reported(task)) --set->reported_count;
  struct task* younger = task_set_younger(set, task);
  // A search for a task that waits for a long one takes as long as releasing all of them.
  const bool may_block = set->dormant_count > 0 && younger != NULL && may_conflict(set, task) &&
                         (is_long(task) || count_conflicts(set, task, OTHER_WAITS) > 0);
  region_remove(set, task);
  order_remove(set, task);
  if (set->walk.next == task) set->walk.next = younger;
  const bool released = may_block && release_blocked(set, task, younger);
  const bool held_others = task->attribute == TASK_ORDERED || task->attribute == TASK_HEAD_OF_QUEUE;
  return released || held_others || oldest_waits(set);
}

void task_set_remove(struct task_set* set, struct task* task) {
  ASSERT(task->state != TASK_FREE);
  const bool opens = is_inserted(set, task) && take_out(set, task);
  free_task(set, task);
  // When tasks are being aborted, task_set_open() follows at the end.
  if (opens && !task_set_is_closed(set)) open_gate(set);
}

void task_set_retire(struct task_set* set, struct task* task) {
  ASSERT(task->state == TASK_ENDED && is_inserted(set, task));
  ++set->retired_count;
  if (take_out(set, task)) open_gate(set);
}

void task_set_release(struct task_set* set, struct task* task) {
  ASSERT(task->state == TASK_ENDED && set->retired_count > 0);
  --set->retired_count;
  free_task(set, task);
}

void task_set_detach(struct task_set* set, struct task* task) {
  if (!holds_tag(task)) return;
  if (is_inserted(set, task)) hash_remove(set, task);
  task->flags |= TASK_FLAG_SILENT;
}

void task_set_report(struct task_set* set, struct task* task) {
  ASSERT(is_writer(task) && !task_is_reported(task) && task->state != TASK_DORMANT);
  task_set_detach(set, task);
  const bool moves = is_apart(set, task) && is_linked(task);
  if (moves) enabled_remove(set, task);
  task->flags |= TASK_FLAG_REPORTED;
  if (moves) apart_insert(set, task);
  ++set->reported_count;
  if (set->dormant_count == 0) return;
  for (struct task* other = task_set_younger(set, task); other != NULL;
       other = task_set_younger(set, other)) {
    if (other->state == TASK_DORMANT) count_report(set, task, other);
  }
}

// ---- the write buffer

void task_set_set_writes(struct task_set* set, const struct write_buffer_setup* setup) {
  ASSERT(set->writes.wanted == 0);
  write_buffer_set(&set->writes, setup);
}

void task_set_buffer(struct task_set* set, struct task* task) {
  ASSERT(is_writer(task) && !task_is_buffered(task) && write_buffer_is_in_force(&set->writes));
  const bool moves = is_linked(task);
  if (moves) enabled_remove(set, task);
  task->flags |= TASK_FLAG_BUFFERED;
  if (set->writes.setup.threshold == WRITE_THRESHOLD_FREE &&
      candidate_is_real_time(&task->candidate)) {
    task->flags |= TASK_FLAG_IS_OTHER;
    task->candidate.service_class = CANDIDATE_BEST_EFFORT;
  }
  set->writes.wanted += write_buffer_frames(&set->writes, task->blocks);
  if (moves) enabled_insert(set, task);
}

void task_set_unbuffer(struct task_set* set, struct task* task) {
  ASSERT(task_is_buffered(task));
  const bool moves = is_linked(task);
  if (moves) enabled_remove(set, task);
  set->writes.wanted -= write_buffer_frames(&set->writes, task->blocks);
  if (task_has_frames(task)) task_set_take_frames(set, task);
  if ((task->flags & TASK_FLAG_IS_OTHER) != 0) task->candidate.service_class = CANDIDATE_REAL_TIME;
  task->flags &= (uint16_t) ~(TASK_FLAG_BUFFERED | TASK_FLAG_IS_OTHER);
  ++set->writes.changes;
  if (moves) enabled_insert(set, task);
}

void task_set_give_frames(struct task_set* set, struct task* task) {
  ASSERT(task_is_buffered(task) && !task_has_frames(task));
  task->flags |= TASK_FLAG_HAS_FRAMES;
  set->writes.held += write_buffer_frames(&set->writes, task->blocks);
}

void task_set_take_frames(struct task_set* set, struct task* task) {
  ASSERT(task_has_frames(task));
  task->flags &= (uint16_t)~TASK_FLAG_HAS_FRAMES;
  set->writes.held -= write_buffer_frames(&set->writes, task->blocks);
}

struct task* task_set_next_for_frames(struct task_set* set) {
  const struct write_buffer* writes = &set->writes;
  if (writes->wanted == writes->held || writes->held >= writes->setup.frames) return NULL;
  for (struct task* task = task_set_oldest(set); task != NULL; task = task_set_younger(set, task)) {
    const bool is_outside = task_is_buffered(task) && !task_has_frames(task);
    if (!is_outside || task->state != TASK_ENABLED) continue;
    const uint32_t frames = write_buffer_frames(writes, task->blocks);
    return frames <= writes->setup.frames - writes->held ? task : NULL;
  }
  return NULL;
}

struct task* task_set_awaited_write(struct task_set* set) {
  if (set->dormant_count == 0) return NULL;
  for (struct candidate* item = set->writes.reported.first; item != NULL; item = item->next) {
    struct task* task = task_of_candidate(item);
    if (count_conflicts(set, task, OTHER_WAITS) > 0) return task;
  }
  return NULL;
}

// ---- passing

/// Whether `task` may pass an older one.
static bool may_pass(const struct task* task, const struct task* older) {
  if (task_is_barrier(task->operation) || task_is_barrier(older->operation)) return false;
  if ((older->flags & TASK_FLAG_SILENT) != 0) return true;  // An overlap makes it a blocker.
  if (task_set_conflict(older, task)) return false;
  const bool ordered = task->attribute == TASK_ORDERED || older->attribute == TASK_ORDERED;
  return !ordered || task->initiator != older->initiator;
}

bool task_set_may_promote(const struct task_set* set, const struct task* task) {
  for (uint32_t index = task->older; index != TASK_NONE; index = set->task[index].older) {
    if (!may_pass(task, &set->task[index])) return false;
  }
  return true;
}

bool task_set_promote(struct task_set* set, struct task* task) {
  ASSERT(task->state == TASK_DORMANT || task->state == TASK_ENABLED);
  if (!task_set_may_promote(set, task)) return false;
  if (task->attribute == TASK_HEAD_OF_QUEUE) return true;
  if (task->state == TASK_ENABLED) withdraw(set, task);
  if (task->attribute == TASK_ORDERED) --set->ordered_count;
  ++set->head_of_queue_count;
  task->attribute = TASK_HEAD_OF_QUEUE;
  count_blockers(set, task);
  if (may_enable(set, task, false)) enable(set, task);
  return true;
}

void task_set_suspend(struct task_set* set, uint8_t initiator) {
  set->suspended |= (uint16_t)(1U << initiator);
  set->walk.withdraws = true;
  open_gate(set);
}

void task_set_resume(struct task_set* set, uint8_t initiator) {
  set->suspended &= (uint16_t) ~(1U << initiator);
  open_gate(set);
}

void task_set_open(struct task_set* set) { open_gate(set); }

void task_set_restrict(struct task_set* set, bool restricted) { set->restricted = restricted; }

struct task* task_set_blocking_report(struct task_set* set, const struct task* task) {
  for (struct task* older = task_set_oldest(set); older != task;
       older = task_set_younger(set, older)) {
    const bool may_begin = older->state == TASK_ENABLED && task_is_reported(older);
    if (may_begin && task_set_conflict(older, task)) return older;
  }
  return NULL;
}

struct task* task_set_forced(struct task_set* set) {
  if (set->head_of_queue_count == 0) return NULL;
  for (struct task* task = task_at(set, set->youngest); task != NULL;
       task = task_at(set, task->older)) {
    if (task->attribute != TASK_HEAD_OF_QUEUE) continue;
    if (task->state == TASK_ENABLED) return task;
    if (task->state != TASK_DORMANT || task->blockers == 0) continue;
    struct task* report = task_set_blocking_report(set, task);
    if (report != NULL) return report;
  }
  return NULL;
}

bool task_set_waits_for_heads(struct task_set* set, const struct task* task) {
  if (task->state != TASK_DORMANT || task->attribute == TASK_HEAD_OF_QUEUE) return false;
  if (task->blockers > 0 || task_set_suspends(set, task)) return false;
  if (task->attribute == TASK_ORDERED && task->older != TASK_NONE) return false;
  for (const struct task* older = task_at(set, task->older); older != NULL;
       older = task_at(set, older->older)) {
    if (older->attribute == TASK_ORDERED) return false;
  }
  return set->head_of_queue_count > 0;
}

void task_set_pass_heads(struct task_set* set, struct task* task) {
  ASSERT(task_set_waits_for_heads(set, task));
  enable(set, task);
}

/// The oldest of `best` and those tasks in a chain that begin in the range and came after its
/// candidate.
static struct task* next_in_chain(struct task_set* set, uint16_t first, const struct task* range,
                                  struct task* best) {
  for (struct task* task = task_at(set, first); task != NULL;
       task = task_at(set, task->same_region)) {
    const bool begins_here = task->lba - range->lba < range->blocks;
    if (task->state != TASK_ENABLED || !begins_here) continue;
    if (!candidate_is_older(&range->candidate, &task->candidate)) continue;
    if (best == NULL || candidate_is_older(&task->candidate, &best->candidate)) best = task;
  }
  return best;
}

struct task* task_set_next_in(struct task_set* set, uint32_t lba, uint32_t blocks,
                              uint32_t behind_sequence) {
  const struct task range = {
      .candidate = {.sequence = behind_sequence}, .lba = lba, .blocks = blocks};
  const uint32_t first = lba >> TASK_SET_REGION_SHIFT;
  const uint32_t last = (lba + blocks - 1U) >> TASK_SET_REGION_SHIFT;
  struct task* best = next_in_chain(set, set->region[TASK_SET_REGIONS], &range, NULL);
  for (uint32_t region = first; region <= last; ++region) {
    best = next_in_chain(set, *region_at(set, region), &range, best);
  }
  return best;
}

void task_set_choose(struct task_set* set, struct task* task) {
  ASSERT(task->state == TASK_ENABLED);
  if (task_is_listed(task)) enabled_remove(set, task);
  task->state = TASK_CHOSEN;
}

void task_set_return(struct task_set* set, struct task* task) {
  ASSERT(task->state == TASK_CHOSEN);
  task->state = TASK_ENABLED;
  if (task_is_listed(task)) enabled_insert(set, task);
}
