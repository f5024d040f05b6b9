// SPDX-License-Identifier: Apache-2.0
/// @file
/// What `gscan` (policy_gscan.c) is made of: units, and schedules, which are orders of units.
///
/// A unit is one real-time request, or a group of best effort whose cylinders follow each other. A
/// unit has a number from 1 on, which its members carry as their mark; mark 0 is in no unit. The
/// store names no candidate: who is in a unit is found out from those that wait.
///
/// Accesses are expected as in the paper: the firmware's margin, a seek, half a turn, the transfer.
/// Behind it the arm is on the access's first cylinder. A group is entered at the end nearer to the
/// arm, and left at the other. Of two ends that are as near, it is entered at the older one. So
/// a unit costs the same wherever it stands in a schedule, but for the seek to it. What leads from
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
  uint32_t least_hop_tick;  ///< Of hops to it from other units none is less, or is more: from those
  uint32_t most_hop_tick;   ///< that there have been since it changed. None: UINT32_MAX and 0.
};

/// Where and when the arm is free next.
struct gscan_start {
  time_tick at_tick;
  uint32_t cylinder;
};

/// A hop to a unit: twice the ticks of the seeks to it and within it. Plus 1 if the arm is then at
/// the unit's lowest cylinder, and that is not its highest. That bit behind a unit's number is a
/// `stand`: where the arm is behind the unit. Stand 0 is the start.
#define GSCAN_HOP_TICK(hop) ((hop) >> 1)
#define GSCAN_STAND_BEHIND(hop, number) (2 * (uint32_t)(number) + ((hop)&1U))
#define GSCAN_STANDS (2 * GSCAN_UNITS_MAX + 2)
#define GSCAN_HOPS (2 * GSCAN_UNITS_MAX)  ///< From a stand; a power of two.

struct gscan_units {
  uint32_t hop[GSCAN_STANDS][2 * GSCAN_HOPS];  ///< By stand and number; then a search's.
  const uint32_t* seek_part;                   ///< The drive's seeks, 1/512 tick.
  const struct rotation* rotation;
  uint32_t access_tick;    ///< Margin and half a turn,
  uint32_t period_tick64;  ///< by this.
  uint32_t tau;            ///< Best effort is grouped that is nearer than so many cylinders,
  uint32_t most;           ///< and farther, as far as it takes to have no more units than these.
  uint32_t count;
  uint32_t told;     ///< Who wait, have been told, and
  uint32_t outside;  ///< are in no unit.
  uint32_t breaks;  ///< Of the set, when they were seen last: nobody has left since but by service.
  uint32_t changes;          ///< Of units; wraps.
  gscan_bits stale;          ///< Units that have lost a member, or whose prices have changed.
  gscan_bits stale_lowest;   ///< Hops from their lowest cylinders are not known,
  gscan_bits stale_highest;  ///< from their highest,
  gscan_bits stale_hops;     ///< Units that are known, but hops to them and from them are not.
  bool is_settled;  ///< All who have been seen are in units, neighbours in one if they are nearer
                    ///< than tau.
  struct gscan_unit unit[GSCAN_UNITS_MAX + 1];  ///< By number.
  struct candidate* arrived;  ///< Has been told, and is not seen yet; NULL: nobody.
  bool sees_all;              ///< Who have been told and seen are in `seen`, as long as
  uint32_t seen_count;        ///< nobody leaves but by service.
  struct candidate* seen[GSCAN_SEEN_MAX];  ///< By cylinder, then by age.
  uint32_t gap[GSCAN_SEEN_MAX];   ///< Of each from the one below it: cylinders, or GSCAN_FAR.
  uint32_t wide[GSCAN_SEEN_MAX];  ///< In use during a call.
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

/// Groups all who wait and have been told. @return whether that was soon done: one had arrived, and
/// all others stay as they are.
bool gscan_group(struct gscan_units* units, const struct candidate_set* waiting,
                 const struct gscan_start* start, struct gscan_change* change);

/// One that had been told has been served, and has left the set. `is_first`: all schedules begin
/// with its unit. @return Whether its unit has ended.
bool gscan_take(struct gscan_units* units, const struct candidate_set* waiting,
                const struct candidate* candidate, bool is_first);

/// Whether gscan_count() would find something that is not known.
static inline bool gscan_is_behind(const struct gscan_units* units,
                                   const struct candidate_set* waiting) {
  return (units->stale | units->stale_hops | units->stale_lowest | units->stale_highest) != 0 ||
         units->breaks != waiting->breaks;
}

/// Finds out who is left of each unit, and hops. None gains a member. @return Whether a unit has
/// ended.
bool gscan_count(struct gscan_units* units, const struct candidate_set* waiting);

/// Time from the start to a real-time unit's deadline: 0 when it is past; GSCAN_NEVER_TICK, and of
/// best effort: never.
int32_t gscan_due(const struct gscan_unit* unit, const struct gscan_start* start);

/// The oldest of a unit at the end at which an arm enters it that comes from a cylinder.
struct candidate* gscan_find_entry(const struct gscan_units* units,
                                   const struct candidate_set* waiting, uint32_t from,
                                   uint32_t number);

/// What an access from there to another cylinder takes, expected.
uint32_t gscan_access_tick(const struct gscan_units* units, uint32_t from,
                           const struct candidate* candidate);

/// The hop to a unit from a cylinder.
uint32_t gscan_hop(const struct gscan_units* units, uint32_t from, uint32_t number);

/// The hops from stand 0, which is there.
void gscan_find_first_hops(struct gscan_units* units, uint32_t from);

static inline uint32_t gscan_exit(const struct gscan_units* units, uint32_t stand) {
  const struct gscan_unit* unit = &units->unit[stand / 2];
  return (stand & 1U) != 0 ? unit->lowest : unit->highest;
}

// -------------------------------------------------------------------------------------- schedules

/// Numbers of units, and 0 behind the last. A word has the first in its lowest bits.
#define GSCAN_SEQUENCE_WORDS (GSCAN_UNITS_MAX / sizeof(uint32_t))
union gscan_sequence {
  uint8_t unit[GSCAN_UNITS_MAX];
  uint32_t words[GSCAN_SEQUENCE_WORDS];
};
STATIC_ASSERT(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "units are shifted by words");

/// All have all units. Those that begin alike stand side by side, mostly: what they have in common
/// is weighed once.
struct gscan_list {
  uint32_t count;
  uint32_t length;
  union gscan_sequence sequence[GSCAN_SCHEDULES_MAX];
};

/// A power of two, that or more.
#ifdef __riscv
#define GSCAN_HASHES 64U
#else
#define GSCAN_HASHES 8192U
#endif
STATIC_ASSERT(GSCAN_HASHES >= GSCAN_SCHEDULES_MAX, "few are to have the same");

/// Children that miss no deadline: when they are twice as many as are kept, the best are kept.
/// Those of one more parent have room.
#define GSCAN_FOUND_MAX (2 * GSCAN_SCHEDULES_MAX + GSCAN_UNITS_MAX)

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
  uint32_t steps;       ///< In which all that was done.
  uint32_t unfinished;  ///< Who was served before all who waited were in the schedules.
};

/// What a unit takes but for the seek to it, and its deadline from the start.
struct gscan_price {
  uint32_t fixed_tick;
  int32_t due_tick;
};

/// What a search does next.
enum gscan_phase {
  GSCAN_IDLE,
  GSCAN_WAYS,      ///< What the newcomer adds between any two units.
  GSCAN_FEASIBLE,  ///< Children that miss no deadline.
  GSCAN_SIFT,      ///< They are many: the best of those found so far, and then the others.
  GSCAN_PRUNE,     ///< Which of these are the best, and within theorem 2.
  GSCAN_LATE,      ///< Children that miss one.
  GSCAN_LIST,      ///< The other list becomes that of the children that are kept.
  GSCAN_WEIGH,     ///< Which schedule is the best.
};

/// A search that is under way: the current list stays as it is until its end.
struct gscan_search {
  uint8_t phase;      ///< enum gscan_phase
  uint32_t newcomer;  ///< 0: nobody.
  uint32_t next;      ///< Of the current list; of GSCAN_WAYS, the unit in a schedule.
  uint32_t best;      ///< Of the current list, and
  uint32_t least;     ///< its key; or that of the best child.
  uint32_t greatest;  ///< Of the children that miss nothing.
  uint32_t most;      ///< With a greater key none of them is kept.
  uint32_t found;     ///< So many there are.
  struct gscan_child best_child;
  struct gscan_start start;
};

struct gscan_schedules {
  struct gscan_price price[GSCAN_UNITS_MAX + 1];  ///< By number,
  uint32_t least_hop_tick[GSCAN_UNITS_MAX + 1];   ///< of hops to it from anywhere,
  struct gscan_start priced;                      ///< from here,
  uint32_t priced_changes;                        ///< of the units then.
  uint32_t most;
  uint32_t least;  ///< So many are kept, though they miss deadlines.
  uint32_t sweep_tick;
  uint32_t current;  ///< Of the lists.
  bool is_calm;      ///< No schedule of all units misses a deadline; in use during a call,
  bool is_near;      ///< and none is more than a sweep above another.
  bool is_evaluated;
  uint32_t best;                 ///< If it is: of the current list. If not, perhaps;
  struct gscan_start evaluated;  ///< from here.
  struct gscan_search search;    ///< For whom comes new.
  struct gscan_search weighing;  ///< For a choice; the other may be under way meanwhile.
  uint32_t kept_count;           ///< Children of whom only the best are wanted: a heap,
  struct gscan_child kept[GSCAN_SCHEDULES_MAX];  ///< once they are as many; the worst is its first.
  struct gscan_child found[GSCAN_FOUND_MAX];     ///< Those that miss nothing.
  uint16_t first_of_hash[GSCAN_HASHES];  ///< Schedules, from 1 on, in use during a call; 0: none,
  uint16_t next_of_hash[GSCAN_SCHEDULES_MAX];  ///< nor another.
  struct gscan_list list[2];
};

/// No unit: one schedule without any.
void gscan_schedules_begin(struct gscan_schedules* schedules);

static inline const struct gscan_list* gscan_current(const struct gscan_schedules* schedules) {
  return &schedules->list[schedules->current];
}

/// Gives the schedules the units as they are now, but for newcomers. What has merged keeps its
/// earlier place. Parts of one unit stand side by side in the order of travel.
void gscan_carry(struct gscan_schedules* schedules, const struct gscan_units* units,
                 const struct gscan_start* start, const struct gscan_change* change);

/// What a step does: so many units in schedules are weighed, or something else that takes as long.
/// It ends behind the schedule with which it has done so.
#define GSCAN_STEP_EVALUATIONS 128U
#define GSCAN_EVALUATIONS_OF_ONE 32U  ///< For one that is grouped where all others stay.
#define GSCAN_ALL_AT_ONCE UINT32_MAX

/// Begins to put a newcomer into every place of every schedule; 0: nobody. The best will be kept.
void gscan_expand(struct gscan_schedules* schedules, const struct gscan_start* start,
                  uint32_t newcomer);

/// Whether the best schedule from there is known.
static inline bool gscan_is_weighed(const struct gscan_schedules* schedules,
                                    const struct gscan_start* start) {
  return schedules->is_evaluated && schedules->evaluated.at_tick == start->at_tick &&
         schedules->evaluated.cylinder == start->cylinder;
}

/// Begins to find out which schedule is the best from there, unless that is known.
void gscan_weigh(struct gscan_schedules* schedules, const struct gscan_start* start);

/// Nothing is under way: what was has come to nothing.
static inline void gscan_give_up(struct gscan_schedules* schedules) {
  schedules->search.phase = schedules->weighing.phase = GSCAN_IDLE;
  schedules->is_evaluated = false;
}

/// Goes on with either, about as far as `evaluations`. Units and schedules are those with which it
/// began. @return whether there is more.
bool gscan_go_on_expanding(struct gscan_schedules* schedules, struct gscan_units* units,
                           struct gscan_work* work, uint32_t evaluations);
bool gscan_go_on_weighing(struct gscan_schedules* schedules, struct gscan_units* units,
                          struct gscan_work* work, uint32_t evaluations);

/// Keeps those that begin with a unit, if any does. @return whether any does.
bool gscan_keep_first(struct gscan_schedules* schedules, uint32_t number);

/// Takes units out that have ended.
void gscan_strip(struct gscan_schedules* schedules, const struct gscan_units* units);

// ----------------------------------------------------------------------------------------- policy

/// What is left to be done for who has arrived, and for units that have ended.
struct gscan_rest {
  bool is_expanding;           ///< Units have been grouped; the schedules are to get the newcomers,
  uint32_t next;               ///< of whom those before this one are in;
  struct gscan_change change;  ///< all.
  struct gscan_start start;
  bool group_is_due;               ///< Behind that, units are to be grouped anew,
  struct gscan_start group_start;  ///< from here.
};

struct gscan_store {
  struct gscan_units units;
  struct gscan_schedules schedules;
  struct gscan_rest rest;
  struct gscan_counters* counters;
};
STATIC_ASSERT(sizeof(struct gscan_store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

/// What it has done since it was selected. `state` is that of policy_gscan.
const struct gscan_counters* gscan_counters_of(const void* state);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_GSCAN_H
