// SPDX-License-Identifier: Apache-2.0
/// @file
/// The parts of `gscan` (policy_gscan.c): units, and schedules, which are orders of units.
///
/// A unit is one real-time request, or a group of best-effort requests on consecutive cylinders. A
/// unit has a number from 1 on. Its members carry this number as their mark; mark 0 is no unit. The
/// store holds no candidates: the members of a unit are found by searching the waiting candidates.
///
/// An access is expected to take the firmware's margin, a seek, half a turn and the transfer, as in
/// the paper. After it the arm is on the access's first cylinder. The arm enters a group at the
/// nearer end, and leaves it at the other. If both ends are equally near, it enters at the older
/// one. So the cost of a unit does not depend on its place in a schedule, but for the seek to it.
/// The cost from one unit to the next (`hop`) is computed once, when one of the two changes.
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

/// Largest numbers of schedules and units. A drive's core has room and time for few (the store of
/// policies, 32-bit sets of units); experiments on `native` have both.
#define GSCAN_CORE_SCHEDULES_MAX 64U
#define GSCAN_CORE_UNITS_MAX 8U
#ifdef __riscv
#define GSCAN_SCHEDULES_MAX GSCAN_CORE_SCHEDULES_MAX
#define GSCAN_UNITS_MAX GSCAN_CORE_UNITS_MAX
typedef uint32_t gscan_bits;  ///< A bit for each unit.
#else
#define GSCAN_SCHEDULES_MAX 5000U
#define GSCAN_UNITS_MAX 64U
typedef uint64_t gscan_bits;
#endif

/// If more candidates wait, only this many are considered: the oldest.
#define GSCAN_SEEN_MAX 256U

/// Distance between two candidates of which one is real time: farther than any best effort.
#define GSCAN_FAR UINT32_MAX

/// A deadline at least this far ahead counts as later than any end.
#define GSCAN_NEVER_TICK 0x7FFFFFFF

struct gscan_unit {
  uint32_t fixed_tick;        ///< Time of all its accesses, without the seek to the first.
  uint32_t inner_tick;        ///< Seek time within `fixed_tick`.
  uint32_t deadline_64ticks;  ///< Deadline of a real-time unit.
  uint32_t oldest;            ///< Sequence number of the oldest member.
  uint32_t lowest_oldest;     ///< Sequence number of the oldest member at `lowest`.
  uint32_t highest_oldest;    ///< Sequence number of the oldest member at `highest`.
  uint16_t lowest;            ///< Lowest cylinder of its members.
  uint16_t highest;           ///< Highest cylinder of its members.
  uint16_t count;             ///< Number of members; 0: no unit has this number.
  bool is_real_time;
  uint32_t least_hop_tick;  ///< Least hop to the unit from other units since it changed;
                            ///< UINT32_MAX: none was priced.
  uint32_t most_hop_tick;   ///< Greatest of these hops; 0: none was priced.
};

/// Where and when the arm is free next.
struct gscan_start {
  time_tick at_tick;
  uint32_t cylinder;
};

/// A hop to a unit: twice the ticks of the seeks to it and within it. Bit 0 is 1 if the arm is then
/// at the unit's lowest cylinder, and that is not its highest. A unit's number followed by this bit
/// is a `stand`: the position of the arm after the unit. Stand 0 is the start.
#define GSCAN_HOP_TICK(hop) ((hop) >> 1)
#define GSCAN_STAND_BEHIND(hop, number) (2 * (uint32_t)(number) + ((hop)&1U))
#define GSCAN_STANDS (2 * GSCAN_UNITS_MAX + 2)
#define GSCAN_HOPS (2 * GSCAN_UNITS_MAX)  ///< Hops from one stand; a power of two.

struct gscan_units {
  uint32_t hop[GSCAN_STANDS][2 * GSCAN_HOPS];  ///< Hops by stand and number; the rest is for a
                                               ///< search.
  const uint32_t* seek_part;                   ///< The drive's seek times, in 1/512 tick.
  const struct rotation* rotation;
  uint32_t access_tick;    ///< Margin plus half a turn.
  uint32_t period_tick64;  ///< Period from which `access_tick` was computed.
  uint32_t tau;            ///< Best effort within fewer cylinders than this is grouped.
  uint32_t most;           ///< Largest number of units: more distant ones are grouped to reach it.
  uint32_t count;
  uint32_t announced;  ///< Number of waiting candidates that were announced.
  uint32_t outside;    ///< Number of announced candidates that are in no unit.
  uint32_t breaks;     ///< The set's `breaks` at the last update of `seen`: since then only served
                       ///< candidates have left.
  uint32_t changes;    ///< Number of changes of units; wraps.
  gscan_bits stale;    ///< Units that have lost a member, or whose prices have changed.
  gscan_bits stale_lowest;   ///< Units whose hops from the lowest cylinder are unknown.
  gscan_bits stale_highest;  ///< Units whose hops from the highest cylinder are unknown.
  gscan_bits stale_hops;     ///< Known units whose hops to and from them are unknown.
  bool is_settled;  ///< All candidates in `seen` are in units; neighbours nearer than tau are in
                    ///< the same unit.
  struct gscan_unit unit[GSCAN_UNITS_MAX + 1];  ///< Units by number.
  struct candidate* arrived;                    ///< Announced candidate that is not in `seen` yet;
                                                ///< NULL: none.
  bool sees_all;  ///< `seen` holds all announced candidates. This is true as long as
                  ///< candidates leave only by being served.
  uint32_t seen_count;
  struct candidate* seen[GSCAN_SEEN_MAX];  ///< Sorted by cylinder, then by age.
  uint32_t gap[GSCAN_SEEN_MAX];   ///< Distance of each from the one below: cylinders, or GSCAN_FAR.
  uint32_t wide[GSCAN_SEEN_MAX];  ///< Scratch memory of a call.
};

/// The result of regrouping the units.
struct gscan_change {
  bool moves;                             ///< Units other than new ones have changed.
  gscan_bits parts[GSCAN_UNITS_MAX + 1];  ///< Parts of each former unit, by its number: a range in
                                          ///< `number`, upward.
  uint32_t count;
  uint8_t number[GSCAN_UNITS_MAX];  ///< Numbers of the present units, by cylinder.
  uint32_t newcomers;
  uint8_t newcomer[GSCAN_UNITS_MAX];  ///< Units without former members, by deadline, then by age.
};

/// Takes the drive's present prices.
void gscan_take_prices(struct gscan_units* units, const struct predictor* predictor);

/// Groups all announced candidates that wait. @return whether little work was needed: only one had
/// arrived, and all others stay unchanged.
bool gscan_group(struct gscan_units* units, const struct candidate_set* waiting,
                 const struct gscan_start* start, struct gscan_change* change);

/// An announced candidate was served, and has left the set. `is_first`: all schedules begin with
/// its unit. @return Whether its unit has ended.
bool gscan_take(struct gscan_units* units, const struct candidate_set* waiting,
                const struct candidate* candidate, bool is_first);

/// Whether gscan_count() has work to do.
static inline bool gscan_is_behind(const struct gscan_units* units,
                                   const struct candidate_set* waiting) {
  return (units->stale | units->stale_hops | units->stale_lowest | units->stale_highest) != 0 ||
         units->breaks != waiting->breaks;
}

/// Updates each unit to its remaining members, and hops. No unit gains a member. @return Whether a
/// unit has ended.
bool gscan_count(struct gscan_units* units, const struct candidate_set* waiting);

/// Time from the start to a real-time unit's deadline; 0 if it is past. GSCAN_NEVER_TICK for best
/// effort, or for a deadline that is at least as far ahead.
int32_t gscan_due(const struct gscan_unit* unit, const struct gscan_start* start);

/// The oldest member at the end at which the arm enters the unit from cylinder `from`.
struct candidate* gscan_find_entry(const struct gscan_units* units,
                                   const struct candidate_set* waiting, uint32_t from,
                                   uint32_t number);

/// Expected time of an access from cylinder `from`.
uint32_t gscan_access_tick(const struct gscan_units* units, uint32_t from,
                           const struct candidate* candidate);

/// The hop to a unit from cylinder `from`.
uint32_t gscan_hop(const struct gscan_units* units, uint32_t from, uint32_t number);

/// Computes the hops from stand 0, which is at cylinder `from`.
void gscan_find_first_hops(struct gscan_units* units, uint32_t from);

static inline uint32_t gscan_exit(const struct gscan_units* units, uint32_t stand) {
  const struct gscan_unit* unit = &units->unit[stand / 2];
  return (stand & 1U) != 0 ? unit->lowest : unit->highest;
}

// -------------------------------------------------------------------------------------- schedules

/// Numbers of units, and 0 after the last. A word has the first in its lowest bits.
#define GSCAN_SEQUENCE_WORDS (GSCAN_UNITS_MAX / sizeof(uint32_t))
union gscan_sequence {
  uint8_t unit[GSCAN_UNITS_MAX];
  uint32_t words[GSCAN_SEQUENCE_WORDS];
};
STATIC_ASSERT(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "units are shifted by words");

/// Every schedule has all units. Schedules with the same beginning mostly stand side by side, so
/// that the common part is evaluated once.
struct gscan_list {
  uint32_t count;
  uint32_t length;
  union gscan_sequence sequence[GSCAN_SCHEDULES_MAX];
};

/// A power of two, at least GSCAN_SCHEDULES_MAX.
#ifdef __riscv
#define GSCAN_HASHES 64U
#else
#define GSCAN_HASHES 8192U
#endif
STATIC_ASSERT(GSCAN_HASHES >= GSCAN_SCHEDULES_MAX, "few are to have the same");

/// Room for children that miss no deadline. When there are twice as many as may be kept, only the
/// best half stays. There is room for the children of one more parent.
#define GSCAN_FOUND_MAX (2 * GSCAN_SCHEDULES_MAX + GSCAN_UNITS_MAX)

/// A schedule that may be kept: `parent` with the new unit at `place`, or GSCAN_AS_IT_IS.
struct gscan_child {
  uint32_t key;  ///< The best has the least key.
  uint16_t parent;
  uint8_t place;
};
#define GSCAN_AS_IT_IS 0xFFU

/// Counters of work, for a log page.
struct gscan_work {
  uint32_t times;
  uint32_t units;        ///< Sum of the numbers of units.
  uint32_t created;      ///< Schedules created.
  uint32_t kept;         ///< Schedules kept.
  uint32_t evaluations;  ///< Evaluations of a unit in a schedule.
};

struct gscan_counters {
  struct gscan_work arrival;
  struct gscan_work decision;
  uint32_t steps;       ///< Steps of this work.
  uint32_t unfinished;  ///< Services before all waiting candidates were in the schedules.
};

/// The time of a unit without the seek to it, and its deadline from the start.
struct gscan_price {
  uint32_t fixed_tick;
  int32_t due_tick;
};

/// The next work of a search.
enum gscan_phase {
  GSCAN_IDLE,
  GSCAN_WAYS,      ///< Compute the cost of the new unit between any two units.
  GSCAN_FEASIBLE,  ///< Find children that miss no deadline.
  GSCAN_SIFT,      ///< There are many: keep the best found so far, and then find the others.
  GSCAN_PRUNE,     ///< Keep the best of these, within theorem 2.
  GSCAN_LATE,      ///< Find children that miss a deadline.
  GSCAN_LIST,      ///< Fill the other list with the children to be kept.
  GSCAN_WEIGH,     ///< Find the best schedule.
};

/// A search that is under way. The current list does not change until its end.
struct gscan_search {
  uint8_t phase;      ///< enum gscan_phase
  uint32_t newcomer;  ///< The new unit; 0: none.
  uint32_t next;      ///< Next of the current list; in GSCAN_WAYS the unit in a schedule.
  uint32_t best;      ///< Index of the best in the current list.
  uint32_t least;     ///< Key of `best`, or of the best child.
  uint32_t greatest;  ///< Greatest key of the children that miss no deadline.
  uint32_t most;      ///< No child with a greater key is kept.
  uint32_t found;     ///< Number of children found.
  struct gscan_child best_child;
  struct gscan_start start;
};

struct gscan_schedules {
  struct gscan_price price[GSCAN_UNITS_MAX + 1];  ///< Prices by unit number.
  uint32_t least_hop_tick[GSCAN_UNITS_MAX + 1];   ///< Least hop to each unit from anywhere.
  struct gscan_start priced;                      ///< Start for which the prices hold.
  uint32_t priced_changes;                        ///< The units' `changes` when the prices were
                                                  ///< taken.
  uint32_t most;
  uint32_t least;  ///< This many schedules are kept even if they miss deadlines.
  uint32_t sweep_tick;
  uint32_t current;  ///< Index of the current list.
  bool is_calm;      ///< No schedule of all units misses a deadline; used during a call.
  bool is_near;      ///< No two schedules differ by more than a sweep; used during a call.
  bool is_evaluated;
  uint32_t best;                 ///< Index of the best in the current list if is_evaluated, else a
                                 ///< guess.
  struct gscan_start evaluated;  ///< Start for which `best` holds.
  struct gscan_search search;    ///< Search for places of a new unit.
  struct gscan_search weighing;  ///< Search for the choice; `search` may be under way meanwhile.
  uint32_t kept_count;           ///< Number of best children so far.
  struct gscan_child kept[GSCAN_SCHEDULES_MAX];  ///< Best children; once full, a heap whose first
                                                 ///< is the worst.
  struct gscan_child found[GSCAN_FOUND_MAX];     ///< Children that miss no deadline.
  uint16_t first_of_hash[GSCAN_HASHES];  ///< Schedules, from 1 on, used during a call; 0: none.
  uint16_t next_of_hash[GSCAN_SCHEDULES_MAX];  ///< The next with the same hash; 0: none.
  struct gscan_list list[2];
};

/// Starts without units, with one empty schedule.
void gscan_schedules_begin(struct gscan_schedules* schedules);

static inline const struct gscan_list* gscan_current(const struct gscan_schedules* schedules) {
  return &schedules->list[schedules->current];
}

/// Updates the schedules to the present units, without the new ones. Merged units keep the earlier
/// place. Parts of one unit stand side by side in the order of travel.
void gscan_carry(struct gscan_schedules* schedules, const struct gscan_units* units,
                 const struct gscan_start* start, const struct gscan_change* change);

/// Work of a step: evaluations of units in schedules, or other work that takes as long. A step ends
/// after the schedule with which it reaches this number.
#define GSCAN_STEP_EVALUATIONS 128U
#define GSCAN_EVALUATIONS_OF_ONE 32U  ///< Work to group one candidate if all others stay.
#define GSCAN_ALL_AT_ONCE UINT32_MAX

/// Starts to put a new unit into every place of every schedule; 0: none. The best are kept.
void gscan_expand(struct gscan_schedules* schedules, const struct gscan_start* start,
                  uint32_t newcomer);

/// Whether the best schedule from `start` is known.
static inline bool gscan_is_weighed(const struct gscan_schedules* schedules,
                                    const struct gscan_start* start) {
  return schedules->is_evaluated && schedules->evaluated.at_tick == start->at_tick &&
         schedules->evaluated.cylinder == start->cylinder;
}

/// Starts to search the best schedule from `start`, unless it is known.
void gscan_weigh(struct gscan_schedules* schedules, const struct gscan_start* start);

/// Ends both searches without a result.
static inline void gscan_give_up(struct gscan_schedules* schedules) {
  schedules->search.phase = schedules->weighing.phase = GSCAN_IDLE;
  schedules->is_evaluated = false;
}

/// Continues a search for about `evaluations`. Units and schedules must be those with which it
/// began. @return whether there is more work.
bool gscan_go_on_expanding(struct gscan_schedules* schedules, struct gscan_units* units,
                           struct gscan_work* work, uint32_t evaluations);
bool gscan_go_on_weighing(struct gscan_schedules* schedules, struct gscan_units* units,
                          struct gscan_work* work, uint32_t evaluations);

/// Keeps only schedules that begin with unit `number`, if there are any. @return whether there are.
bool gscan_keep_first(struct gscan_schedules* schedules, uint32_t number);

/// Removes units that have ended.
void gscan_strip(struct gscan_schedules* schedules, const struct gscan_units* units);

// ----------------------------------------------------------------------------------------- policy

/// The remaining work for arrivals, and for units that have ended.
struct gscan_rest {
  bool is_expanding;           ///< Units are grouped, and the schedules are getting the new units.
  uint32_t next;               ///< Index of the new unit to insert next, in `change`.
  struct gscan_change change;  ///< The regrouping that is being carried out.
  struct gscan_start start;
  bool group_is_due;               ///< Units must be grouped again afterwards.
  struct gscan_start group_start;  ///< Start for the next grouping.
};

struct gscan_store {
  struct gscan_units units;
  struct gscan_schedules schedules;
  struct gscan_rest rest;
  struct gscan_counters* counters;
};
STATIC_ASSERT(sizeof(struct gscan_store) <= POLICY_STORE_BYTES_MAX, "the store is too small");

/// Counters since the policy was selected. `state` is that of policy_gscan.
const struct gscan_counters* gscan_counters_of(const void* state);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_GSCAN_H
