/// @file
/// Scheduling policies: which of the waiting tasks the heads serve next.
///
/// One policy per file (policy_NAME.c), one row per policy in the table (policy.c). A policy sees
/// candidates (candidate.h), the heads' state and the access-time predictor, and its own state,
/// through three calls. Whether a task may be reordered at all (ordered and head-of-queue tags, a
/// suspended nexus) is the task set's business: its list of enabled candidates is what a policy
/// chooses from.
///
/// Rules for every policy: with one candidate waiting it serves that one; ties go to the oldest; a
/// choice depends on nothing but candidates, heads, time and the policy's own state. Choices are
/// made ahead of time and again, so that choosing changes no state: task_left tells what came of
/// it.
#ifndef FIRMWARE_QUEUE_POLICY_H
#define FIRMWARE_QUEUE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/motion/predictor.h"
#include "firmware/queue/candidate_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for the largest state of any policy, bytes; policy.c holds every row to it.
#define POLICY_STATE_BYTES_MAX 64U

/// What a policy chooses from.
struct policy_view {
  const struct candidate_set* waiting;
  const struct predictor* predictor;  ///< Prices of accesses on this drive.
  const struct head_state* head;      ///< Where the next access starts.
  uint32_t looked_at;                 ///< Out: candidates that which_next() compared.
};

/// Up to so many candidates are compared one after the other: to find the near ones first would
/// take longer.
#define POLICY_FEW 32U

/// One policy. task_left may be NULL.
struct policy {
  const char* name;     ///< As the command line and reports write it.
  uint8_t number;       ///< As the scheduler mode page writes it; never reused.
  uint8_t state_bytes;  ///< Of the state that all calls get; zeroed when the policy is selected.
  uint8_t candidate_ticks;  ///< What which_next takes for each candidate looked at, about.

  /// `candidate` no longer waits. `served`: its access begins; otherwise it was held back.
  void (*task_left)(void* state, struct candidate* candidate, bool served);
  /// The best of all that wait; NULL only when nobody does.
  struct candidate* (*which_next)(const void* state, struct policy_view* view);
  /// Whether a search through these two would choose the first. Both wait.
  bool (*is_better)(const void* state, const struct policy_view* view, const struct candidate* one,
                    const struct candidate* other);
};

extern const struct policy policy_fcfs;
extern const struct policy policy_sstf;
extern const struct policy policy_stf;

/// The table, row by row: policy_row(0) .. policy_row(policy_count() - 1); NULL past its end.
uint32_t policy_count(void);
const struct policy* policy_row(uint32_t row);

/// @return the policy, or NULL when no policy has this number.
const struct policy* policy_by_number(uint32_t number);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_POLICY_H
