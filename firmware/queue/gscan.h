/// @file
/// What `gscan` (policy_gscan.c) is made of: units, and schedules, which are orders of units.
///
/// A unit is one real-time request, or a group of best effort whose cylinders follow each other. A
/// unit has a number from 1 on, which its members carry as their mark; mark 0 is in no unit. The
/// store names no candidate: who is in a unit is found out from those that wait.
///
/// Accesses are expected as in the paper: the firmware's margin, a seek, half a turn, and the
/// transfer; behind it the arm is on the access's first cylinder. A group is entered at the end
/// that is nearer to the arm (of two that are as near, at the older one), and left at the other. So
/// a unit costs the same wherever it stands in a schedule, but for the seek to it: what leads from
/// one unit to the next (`hop`) is worked out once, when one of the two changes.
///
/// Times are ticks; each seek, half turn and transfer is rounded down to one.
#ifndef FIRMWARE_QUEUE_GSCAN_H
#define FIRMWARE_QUEUE_GSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/assert.h"
#include "firmware/queue/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Schedules and units at the most. A drive has room and time for few; experiments, natively, have
/// both.
#ifdef __riscv
#define GSCAN_SCHEDULES_MAX 64U
#define GSCAN_UNITS_MAX 8U
typedef uint32_t gscan_bits;  ///< A bit for each unit.
#else
#define GSCAN_SCHEDULES_MAX 5000U
#define GSCAN_UNITS_MAX 64U
typedef uint64_t gscan_bits;
#endif

/// Of more that wait, the oldest are looked at: so many.
#define GSCAN_SEEN_MAX 256U

/// Two of whom one is real time are farther apart than any best effort.
#define GSCAN_FAR UINT32_MAX

/// A deadline that is so far ahead, or farther, is later than any end.
#define GSCAN_NEVER_TICK 0x7FFFFFFF

struct gscan_unit {
  uint32_t fixed_tick;        ///< Of all its accesses, but the seek to the first.
  uint32_t inner_tick;        ///< The seeks among them.
  uint32_t deadline_64ticks;  ///< Real time only.
  uint32_t oldest;            ///< Sequence of its oldest, and of the oldest at each end.
  uint32_t lowest_oldest;
  uint32_t highest_oldest;
  uint16_t lowest;  ///< Cylinders of its ends.
  uint16_t highest;
  uint16_t count;  ///< Its members; 0: no unit has this number.
  bool is_real_time;
};

/// Where and when the arm is free next.
struct gscan_start {
  time_tick at_tick;
  uint32_t cylinder;
};

/// A hop to a unit: ticks of the seeks to it and within it, times 2; and 1 if the arm is at its
/// lowest cylinder then, which is not its highest. That bit behind a unit's number is a `stand`:
/// where the arm is behind the unit. Stand 0 is the start.
#define GSCAN_HOP_TICK(hop) ((hop) >> 1)
#define GSCAN_STAND_BEHIND(hop, number) (2 * (uint32_t)(number) + ((hop)&1U))
#define GSCAN_STANDS (2 * GSCAN_UNITS_MAX + 2)

struct gscan_units {
  uint32_t hop[GSCAN_STANDS][2 * GSCAN_UNITS_MAX];  ///< By stand and number; a power of two.
  const uint32_t* seek_part;                        ///< The drive's seeks, 1/512 tick.
  const struct rotation* rotation;
  uint32_t access_tick;  ///< Margin and half a turn.
  uint32_t tau;          ///< Best effort is grouped that is nearer than so many cylinders,
  uint32_t most;         ///< and farther, as far as it takes to have no more units than these.
  uint32_t count;
  uint32_t told;     ///< Who wait, have been told, and
  uint32_t outside;  ///< are in no unit.
  bool is_stale;     ///< A unit has lost a member: its ends are not known.
  struct gscan_unit unit[GSCAN_UNITS_MAX + 1];  ///< By number.
  uint32_t seen_count;
  struct candidate* seen[GSCAN_SEEN_MAX];  ///< By cylinder, then by age; in use during a call.
  uint32_t gap[GSCAN_SEEN_MAX];  ///< Of each from the one below it: cylinders, or GSCAN_FAR.
};

/// What became of the units when they were grouped anew.
struct gscan_change {
  bool moves;                             ///< Other units than new ones.
  gscan_bits parts[GSCAN_UNITS_MAX + 1];  ///< By former number: of which of `number`, upward.
  uint32_t count;
  uint8_t number[GSCAN_UNITS_MAX];  ///< Of the units now, by cylinder.
  uint32_t newcomers;
  uint8_t newcomer[GSCAN_UNITS_MAX];  ///< Who were in none, by deadline, then by age.
};

/// The drive's prices, as they are now.
void gscan_take_prices(struct gscan_units* units, const struct predictor* predictor);

/// Groups all who wait and have been told.
void gscan_group(struct gscan_units* units, const struct candidate_set* waiting,
                 const struct gscan_start* start, struct gscan_change* change);

/// A member of a unit has been served; 0: one that is in none. @return Whether the unit has ended.
bool gscan_take(struct gscan_units* units, uint32_t number);

/// Finds out who is left of each unit. None gains a member. @return Whether a unit has ended.
bool gscan_count(struct gscan_units* units, const struct candidate_set* waiting);

/// Time from the start to a real-time unit's deadline: 0 when it is past; GSCAN_NEVER_TICK, and of
/// best effort: never.
int32_t gscan_due(const struct gscan_unit* unit, const struct gscan_start* start);

/// What an access from there to another cylinder takes, expected.
uint32_t gscan_access_tick(const struct gscan_units* units, uint32_t from,
                           const struct candidate* candidate);

/// The hop to a unit from a cylinder.
uint32_t gscan_hop(const struct gscan_units* units, uint32_t from, uint32_t number);

static inline uint32_t gscan_exit(const struct gscan_units* units, uint32_t stand) {
  const struct gscan_unit* unit = &units->unit[stand / 2];
  return (stand & 1U) != 0 ? unit->lowest : unit->highest;
}

// -------------------------------------------------------------------------------------- schedules

/// All have all units.
struct gscan_list {
  uint32_t count;
  uint32_t length;
  uint8_t sequence[GSCAN_SCHEDULES_MAX][GSCAN_UNITS_MAX];  ///< Numbers of units.
};

/// A schedule that may be kept: `parent` with the newcomer at `place`, or as it is.
struct gscan_child {
  uint32_t key;  ///< The least is the best.
  uint16_t parent;
  uint8_t place;
};
#define GSCAN_AS_IT_IS 0xFFU

/// Work, for a log page.
struct gscan_work {
  uint32_t times;
  uint32_t units;        ///< Sum of how many there were.
  uint32_t created;      ///< Schedules.
  uint32_t kept;         ///< Of all there were.
  uint32_t evaluations;  ///< Of a unit in a schedule.
};

struct gscan_counters {
  struct gscan_work arrival;
  struct gscan_work decision;
};

/// What a unit takes but for the seek to it, and its deadline from the start.
struct gscan_price {
  uint32_t fixed_tick;
  int32_t due_tick;
};

struct gscan_schedules {
  struct gscan_price price[GSCAN_UNITS_MAX + 1];  ///< By number; in use during a call.
  uint32_t most;
  uint32_t least;  ///< So many are kept, though they miss deadlines.
  uint32_t sweep_tick;
  uint32_t current;  ///< Of the lists.
  bool is_evaluated;
  struct gscan_start evaluated;  ///< If it is: the first of the current list is the best from here.
  uint32_t kept_count;
  struct gscan_child kept[GSCAN_SCHEDULES_MAX];
  struct gscan_list list[2];
};

/// No unit: one schedule without any.
void gscan_schedules_begin(struct gscan_schedules* schedules);

static inline const struct gscan_list* gscan_current(const struct gscan_schedules* schedules) {
  return &schedules->list[schedules->current];
}

/// Gives the schedules the units as they are now, but for newcomers: what has merged keeps its
/// earlier place, parts of one unit stand side by side in the order of travel.
void gscan_carry(struct gscan_schedules* schedules, const struct gscan_units* units,
                 const struct gscan_start* start, const struct gscan_change* change);

/// Puts a newcomer into every place of every schedule; 0: nobody. Keeps the best.
void gscan_expand(struct gscan_schedules* schedules, struct gscan_units* units,
                  const struct gscan_start* start, uint32_t newcomer, struct gscan_work* work);

/// Which schedule is the best from there.
uint32_t gscan_find_best(struct gscan_schedules* schedules, struct gscan_units* units,
                         const struct gscan_start* start, struct gscan_work* work);

/// Keeps those that begin with a unit, if any does.
void gscan_keep_first(struct gscan_schedules* schedules, uint32_t number);

/// Takes units out that have ended.
void gscan_strip(struct gscan_schedules* schedules, const struct gscan_units* units);

// ----------------------------------------------------------------------------------------- policy

struct gscan_store {
  struct gscan_units units;
  struct gscan_schedules schedules;
  struct gscan_counters* counters;
};
STATIC_ASSERT(sizeof(struct gscan_store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

/// What it has done since it was selected. `state` is that of policy_gscan.
const struct gscan_counters* gscan_counters_of(const void* state);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_GSCAN_H
