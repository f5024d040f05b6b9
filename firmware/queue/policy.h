/// @file
/// Scheduling policies: which of the waiting tasks the heads serve next.
///
/// One policy per file (policy_NAME.c), one row per policy in the table (policies.def). A policy
/// sees candidates (candidate.h), the heads' state and the access-time predictor, and its own
/// state, through three calls. Whether a task may be reordered at all (ordered and head-of-queue
/// tags, a suspended nexus) is the task set's business: its list of enabled candidates is what a
/// policy chooses from.
///
/// Rules for every policy: with one candidate waiting it serves that one; ties go to the oldest; a
/// choice depends on nothing but candidates, heads, time and the policy's own state. Choices are
/// made ahead of time and again, so that choosing changes no state: task_served tells what came of
/// it.
///
/// A policy that works at arrivals keeps what it found in its state, in its store, and in
/// each candidate's mark.
///
/// A policy's parameters and flags are rows of tables, too. The scheduler mode page carries their
/// values, the command line names them, and both are held to these rows.
#ifndef FIRMWARE_QUEUE_POLICY_H
#define FIRMWARE_QUEUE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/motion/predictor.h"
#include "firmware/queue/candidate_set.h"
#include "firmware/queue/policy_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for the largest state of any policy, bytes; policy_table.c holds every row to it.
#define POLICY_STATE_BYTES_MAX 64U

/// Room for what any policy makes ahead of a choice, bytes.
#define POLICY_WORK_BYTES_MAX 640U

union policy_work {
  uint64_t alignment;
  uint32_t steps;  ///< The first word: 0 before the first step.
  uint8_t bytes[POLICY_WORK_BYTES_MAX];
};

/// Room for the largest store of any policy, bytes; each that has one is held to it in its file.
#ifdef __riscv
#define POLICY_STORE_BYTES_MAX 61440U
#else
#define POLICY_STORE_BYTES_MAX 2097152U  // gscan's, of experiments that no drive has room for.
#endif
union policy_store {
  uint64_t alignment;
  uint8_t bytes[POLICY_STORE_BYTES_MAX];
};

/// What a policy chooses from.
struct policy_view {
  const struct candidate_set* waiting;
  const struct predictor* predictor;  ///< Prices of accesses on this drive.
  const struct head_state* head;      ///< Where the next access starts.
  uint32_t looked_at;                 ///< Out: candidates that which_next() compared.
  union policy_work* work;            ///< What prepare() has made for this moment; NULL: nothing.
  bool is_due;  ///< The heads wait for the choice: it is made of those who waited when they began
                ///< to.
};

/// Up to so many candidates are compared one after the other: to find the near ones first would
/// take longer.
#define POLICY_FEW 32U

/// Parameters that a policy may have, and flags.
#define POLICY_PARAMETERS_MAX 4U
#define POLICY_FLAGS_MAX 8U

/// Counters that a policy may have.
#define POLICY_COUNTERS_MAX 12U

/// A counter: what a policy has done, for log page 31h and for people. It changes no choice, so
/// that a search may count, too.
struct policy_counter {
  const char* name;  ///< In lower case with underscores; NULL ends the table.
  const char* text;  ///< POLICY_TEXT: what it counts.
};

/// In a selection's parameter, where 0 asks for the initial value: the value 0.
#define POLICY_PARAMETER_ZERO UINT32_MAX

/// Words for people, in the tables: the drive's core has no use for them, and little room.
#ifdef __riscv
#define POLICY_TEXT(text) NULL
#else
#define POLICY_TEXT(text) (text)
#endif

/// A flag.
struct policy_flag {
  const char* name;  ///< As the command line writes it; NULL ends the table.
  const char* text;  ///< POLICY_TEXT: what it does.
};

/// A parameter: whole numbers of 10^-decimals units.
struct policy_parameter {
  const char* name;  ///< As the command line writes it; NULL ends the table.
  const char* unit;  ///< POLICY_TEXT
  uint32_t minimum;
  uint32_t maximum;
  uint32_t initial;
  uint32_t initial_share;  ///< Not 0: the initial value is this share of the drive's cylinders,
                           ///< cylinders / initial_share, and at least 1.
  uint8_t decimals;
  uint8_t not_with;  ///< Flags that leave it without meaning: it may not be given with them.
};

/// What a host selects.
struct policy_selection {
  uint8_t number;
  uint8_t flags;  ///< Bit i: flag i of the policy's table.
  uint32_t parameter[POLICY_PARAMETERS_MAX];
};

/// A selection with its initial values filled in.
struct policy_setup {
  const struct drive_design* design;
  const struct policy_stream* streams;  ///< POLICY_STREAMS of them; they stay as they are as long
                                        ///< as the policy is in force.
  void* store;  ///< The policy's as long as it is in force: so many bytes as its row says, not
                ///< cleared.
  uint32_t* counters;  ///< Of its table, as long as it is in force; 0 each. They may be cleared.
  uint8_t flags;
  uint32_t parameter[POLICY_PARAMETERS_MAX];
};

enum policy_number {
#define POLICY(number, name, selections) POLICY_NUMBER_##name = number,
#include "firmware/queue/policies.def"
#undef POLICY
};

/// As late_steps.
#define POLICY_WAITS 0xFFU

/// No detour: the arm goes straight to a candidate.
#define POLICY_NO_DETOUR UINT32_MAX

/// The arm stays where its last access ended.
#define POLICY_STAYS UINT32_MAX

/// One policy. parameters, flags, counters and defaults may be NULL: it has none; so may all
/// functions but which_next.
struct policy {
  const char* name;     ///< As the command line and reports write it.
  const char* text;     ///< POLICY_TEXT: what it serves next.
  uint8_t number;       ///< enum policy_number
  uint8_t state_bytes;  ///< Of the state that all calls get; zeroed when the policy is selected.
  uint8_t candidate_ticks;  ///< What which_next takes for each candidate looked at, about.
  uint8_t
      late_steps;  ///< So many steps a choice makes that falls due before they are all made.
                   ///< POLICY_WAITS: it waits until prepare() has made all, and so do the heads.
  uint32_t store_bytes;  ///< Of the store that begin() gets.

  const struct policy_parameter* parameters;
  const struct policy_flag* flags;
  const struct policy_counter* counters;
  const char* const* defaults;  ///< POLICY_TEXT: words for what it is without flags of the same key
                                ///< (price=mean beside price=exact); NULL ends the table.

  /// The policy has been selected; the state is zeroed.
  void (*begin)(void* state, const struct policy_setup* setup);
  /// `candidate` waits: it has joined the set, or it waited when the policy was selected. Each is
  /// told once, the oldest first, before the next choice; the arm is free next as view->head says.
  /// Who leaves the set without being served is not told.
  void (*task_arrived)(void* state, const struct policy_view* view, struct candidate* candidate);
  /// `candidate` has left the set, and its access begins from view->head. Who goes ahead of all
  /// (HEAD OF QUEUE) is perhaps served untold.
  void (*task_served)(void* state, const struct policy_view* view,
                      const struct candidate* candidate);
  /// Makes a step of what task_arrived() or task_served() has left to be done, of some thousand
  /// cycles at most. Before the next arrival is told it has all been done. Between two steps
  /// others arrive untold, leave, and are served; a choice is then made of what has been found so
  /// far. @return whether there is more. NULL: nothing is ever left.
  bool (*step)(void* state, const struct policy_view* view);
  /// The cylinder that the arm goes to before the one of `candidate`, which is chosen and still
  /// waits; or POLICY_NO_DETOUR.
  uint32_t (*detour)(const void* state, const struct policy_view* view,
                     const struct candidate* candidate);
  /// With more commands than this in the drive, one of best effort is turned away. NULL: as many
  /// are taken in as there is room for.
  uint32_t (*best_effort_most)(const void* state);
  /// The cylinder that the arm goes to when nobody waits, or POLICY_STAYS. NULL: it stays.
  uint32_t (*rest)(const void* state);
  /// Makes a step of the search for a moment that is still to come, of some thousand cycles at
  /// most. view->work is empty before the first one. Others may arrive or leave
  /// between two steps and behind the last: with view->work, which_next() for the same moment gives
  /// what it gives without. @return whether there are more steps. NULL: nothing can be made ahead.
  bool (*prepare)(const void* state, struct policy_view* view);
  /// The best of all that wait; NULL only when nobody does.
  struct candidate* (*which_next)(const void* state, struct policy_view* view);
  /// Whether a search through these two would choose the first. Both wait. NULL: who is better of
  /// two depends on who else waits, and a plan is made anew for whoever arrives.
  bool (*is_better)(const void* state, const struct policy_view* view, const struct candidate* one,
                    const struct candidate* other);
};

/// How many parameters, flags and counters a policy has.
uint32_t policy_parameter_count(const struct policy* policy);
uint32_t policy_flag_count(const struct policy* policy);
uint32_t policy_counter_count(const struct policy* policy);

/// What a parameter's value is on a drive of so many cylinders, when this is selected: 0 asks for
/// the initial value.
uint32_t policy_parameter_value(const struct policy_parameter* parameter, uint32_t selected,
                                uint32_t cylinders);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_H
