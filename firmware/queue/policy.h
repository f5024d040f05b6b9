// SPDX-License-Identifier: Apache-2.0
/// @file
/// Scheduling policies: which of the waiting tasks the heads serve next.
///
/// There is one policy per file (policy_NAME.c), and one row per policy in the table
/// (policies.def). A policy has access to candidates (candidate.h), the heads' state, the
/// access-time predictor and its own state, through three calls. The task set decides whether a
/// task may be reordered at all (ordered and head-of-queue tags, a suspended nexus). Its list of
/// enabled candidates is what a policy chooses from.
///
/// Rules for every policy: a single waiting candidate is served; ties go to the oldest. A choice
/// depends only on candidates, heads, time and the policy's own state. Choices are made ahead of
/// time and may be repeated. So a choice changes no state: task_served() reports which candidate
/// was taken.
///
/// A policy that works at arrivals keeps its findings in its state, in its store, and in each
/// candidate's mark.
///
/// A policy's parameters and flags are rows of tables, too. The scheduler mode page carries their
/// values, and the command line names them. Both are checked against these rows.
#ifndef FIRMWARE_QUEUE_POLICY_H
#define FIRMWARE_QUEUE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/motion/predictor.h"
#include "firmware/queue/candidate_set.h"
#include "firmware/queue/policy_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for the largest state of any policy, bytes; policy_table.c holds every row to it.
#define POLICY_STATE_BYTES_MAX 64U

/// Room for what any policy prepares for a choice, bytes.
#define POLICY_WORK_BYTES_MAX 704U

union policy_work {
  uint64_t alignment;
  uint32_t steps;  ///< Steps made so far, in the first word: 0 before the first step.
  uint8_t bytes[POLICY_WORK_BYTES_MAX];
};

/// Room for the largest store of any policy, bytes; the file of each policy with a store checks it.
#ifdef __riscv
#define POLICY_STORE_BYTES_MAX 61440U
#else
#define POLICY_STORE_BYTES_MAX 2097152U  // gscan's, of experiments that no drive has room for.
#endif
union policy_store {
  uint64_t alignment;
  uint8_t bytes[POLICY_STORE_BYTES_MAX];
};

/// The data for a policy's choice.
struct policy_view {
  const struct candidate_set* waiting;
  const struct predictor* predictor;  ///< Prices of accesses on this drive.
  const struct head_state* head;      ///< Where the next access starts.
  uint32_t looked_at;                 ///< Out: candidates that which_next() compared. It is 0 at
                                      ///< the call; which_next(), or its search, counts.
  union policy_work* work;            ///< Result of prepare() for this moment; NULL: none.
  bool is_due;  ///< The heads wait for the choice. Only candidates that waited when they began to
                ///< wait count.
};

/// Up to this many candidates are compared one by one: finding the near ones first would take
/// longer.
#define POLICY_FEW 32U

/// The most parameters and flags of a policy.
#define POLICY_PARAMETERS_MAX 4U
#define POLICY_FLAGS_MAX 8U

/// The most counters of a policy.
#define POLICY_COUNTERS_MAX 12U

/// A counter: what a policy has done, for log page 31h and for people. It affects no choice, so a
/// search may count, too.
struct policy_counter {
  const char* name;  ///< Name in lower case with underscores; NULL ends the table.
  const char* text;  ///< POLICY_TEXT: what it counts.
};

/// A parameter of a selection that means the value 0. There, 0 stands for the initial value.
#define POLICY_PARAMETER_ZERO UINT32_MAX

/// Texts for people in the tables: the drive's core does not use them, and has little room.
#ifdef __riscv
#define POLICY_TEXT(text) NULL
#else
#define POLICY_TEXT(text) (text)
#endif

/// A flag.
struct policy_flag {
  const char* name;  ///< Name on the command line; NULL ends the table.
  const char* text;  ///< POLICY_TEXT: what it does.
};

/// A parameter: whole numbers of 10^-decimals units.
struct policy_parameter {
  const char* name;  ///< Name on the command line; NULL ends the table.
  const char* unit;  ///< POLICY_TEXT: "UNIT: MEANING"; the unit may be empty.
  uint32_t minimum;
  uint32_t maximum;
  uint32_t initial;
  uint32_t initial_share;  ///< Not 0: the initial value is this share of the drive's cylinders,
                           ///< cylinders / initial_share, and at least 1.
  uint8_t decimals;
  uint8_t not_with;       ///< Flags with which the parameter has no meaning, and may not be given.
  uint32_t core_maximum;  ///< Not 0: the maximum of the drive's core, which has less room than the
                          ///< machine of a native build.
};

/// A host's selection.
struct policy_selection {
  uint8_t number;
  uint8_t flags;  ///< Bit i: flag i of the policy's table.
  uint32_t parameter[POLICY_PARAMETERS_MAX];
};

/// A selection with its initial values filled in.
struct policy_setup {
  const struct drive_design* design;
  const struct policy_stream* streams;  ///< POLICY_STREAMS of them; they do not change while the
                                        ///< policy is in force.
  void* store;  ///< The policy's memory while it is in force: as many bytes as its row says, not
                ///< cleared.
  uint32_t* counters;  ///< Its counters while it is in force; 0 each. They may be cleared.
  uint8_t flags;
  uint32_t parameter[POLICY_PARAMETERS_MAX];
};

enum policy_number {
#define POLICY(number, name, selections) POLICY_NUMBER_##name = (number),
#include "firmware/queue/policies.def"
#undef POLICY
};

/// POLICY_WAITS, a value of `late_steps`: the choice waits for all steps.
#define POLICY_WAITS 0xFFU

/// No detour: the arm goes straight to a candidate.
#define POLICY_NO_DETOUR UINT32_MAX

/// The arm stays where its last access ended.
#define POLICY_STAYS UINT32_MAX

/// A policy. parameters, flags, counters and defaults may be NULL for none. So may all functions
/// but which_next.
struct policy {
  const char* name;     ///< Name on the command line and in reports.
  const char* text;     ///< POLICY_TEXT: what it serves next.
  uint8_t number;       ///< enum policy_number
  uint8_t state_bytes;  ///< Size of the state for all calls; zeroed when the policy is selected.
  uint8_t candidate_ticks;  ///< Time of which_next for each candidate compared, about, as
                            ///< `headstack bench decisions` measures it.
  uint8_t late_steps;       ///< Steps that a choice makes when it is due before all steps are made.
                            ///< POLICY_WAITS: it waits until prepare() has made all of them.
  uint32_t store_bytes;     ///< Size of the store for begin().

  const struct policy_parameter* parameters;
  const struct policy_flag* flags;
  const struct policy_counter* counters;
  const char* const* defaults;  ///< POLICY_TEXT: words for its behaviour without flags of the same
                                ///< key (price=mean beside price=exact); NULL ends the table.

  /// The policy has been selected; the state is zeroed.
  void (*begin)(void* state, const struct policy_setup* setup);
  /// A new waiting candidate: it has joined the set, or was waiting when the policy was selected.
  /// Each is announced once, the oldest first, before the next choice. view->head says when and
  /// where the arm is free next. A candidate that leaves the set without being served is not
  /// announced again.
  void (*task_arrived)(void* state, const struct policy_view* view, struct candidate* candidate);
  /// `candidate` has left the set, and its access begins from view->head. HEAD OF QUEUE bypasses
  /// the policy: task_served() may come without task_arrived().
  void (*task_served)(void* state, const struct policy_view* view,
                      const struct candidate* candidate);
  /// Makes a step of the work that task_arrived() or task_served() has left, of some thousand
  /// cycles at most. All of it is done before the next arrival is announced. Between two steps
  /// candidates may arrive unannounced, leave, and be served. A choice is then made from the
  /// findings so far. @return whether there is more. NULL: nothing is ever left.
  bool (*step)(void* state, const struct policy_view* view);
  /// The cylinder to which the arm goes before that of `candidate`, which is chosen and still
  /// waits; or POLICY_NO_DETOUR.
  uint32_t (*detour)(const void* state, const struct policy_view* view,
                     const struct candidate* candidate);
  /// Limit of commands in the drive: above it, a new best-effort command is refused. NULL: commands
  /// are accepted as long as there is room.
  uint32_t (*best_effort_most)(const void* state);
  /// The cylinder to which the arm goes when nothing waits, or POLICY_STAYS. NULL: it stays.
  uint32_t (*rest)(const void* state);
  /// Makes a step of the search for a future moment, of some thousand cycles at most. view->work is
  /// empty before the first one. Candidates may arrive or leave between two steps and after the
  /// last. With view->work, which_next() for the same moment gives the same result as without.
  /// @return whether there are more steps. NULL: nothing can be prepared.
  bool (*prepare)(const void* state, struct policy_view* view);
  /// The best of all waiting candidates; NULL only when none waits.
  struct candidate* (*which_next)(const void* state, struct policy_view* view);
  /// Whether a search through these two would choose the first. Both wait. NULL: the better of two
  /// depends on the other candidates, and every arrival causes a new plan.
  bool (*is_better)(const void* state, const struct policy_view* view, const struct candidate* one,
                    const struct candidate* other);
};

/// How many parameters, flags and counters a policy has.
uint32_t policy_parameter_count(const struct policy* policy);
uint32_t policy_flag_count(const struct policy* policy);
uint32_t policy_counter_count(const struct policy* policy);

/// The value of a parameter on a drive with so many cylinders, when this is selected: 0 stands for
/// the initial value.
uint32_t policy_parameter_value(const struct policy_parameter* parameter, uint32_t selected,
                                uint32_t cylinders);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_H
