// SPDX-License-Identifier: Apache-2.0
/// @file
/// Runs one arrangement on the drive's core, and counts its cycles: what test_remap_core.cpp loads
/// and reads.
#include "tests/firmware/remap_probe.h"

#include "firmware/remap/arrange.h"
#include "firmware/start/trap.h"

/// Not cleared at the start: the test writes them before.
#define INPUT __attribute__((section(".noinit")))

INPUT uint32_t probe_input[PROBE_WORDS];
INPUT uint16_t probe_visits[REMAP_UNITS_MAX];
INPUT struct remap_pair probe_pairs[REMAP_PAIRS_MAX];
INPUT struct remap_gap probe_gaps[REMAP_GAPS_MAX];
/// The start, if it is given; and the result.
INPUT uint16_t probe_goal_of[REMAP_UNITS_MAX];
/// The test reads these when the core sleeps.
struct arrange_report probe_report;
uint32_t probe_output[PROBE_RESULTS];

static uint16_t goal_at[REMAP_UNITS_MAX];
static struct arrange work;

uint32_t trap_exception(uint32_t cause, uint32_t pc, uint32_t value, uint32_t return_address) {
  (void)cause, (void)value, (void)return_address;
  return pc;
}

void trap_external(void) {}

static __attribute__((noreturn)) void sleep_for_good(void) {
  while (true) __asm__ volatile("wfi");
}

void assert_failed(uint32_t code) {
  probe_output[PROBE_STATUS] = code;
  sleep_for_good();
}

static uint32_t cycle(void) {
  uint32_t now = 0;
  __asm__ volatile("csrr %0, mcycle" : "=r"(now));
  return now;
}

static void add(uint32_t* low, uint32_t cycles) {
  low[0] += cycles;
  if (low[0] < cycles) ++low[1];
}

static bool timed_step(void) {
  const uint32_t stage = work.stage;
  const bool is_trial = work.of_units && work.trial.phase != 0;
  const uint32_t from = cycle();
  const bool done = arrange_step(&work);
  const uint32_t taken = cycle() - from;
  ++probe_output[PROBE_STEPS];
  add(&probe_output[PROBE_CYCLES_LOW], taken);
  if (is_trial) add(&probe_output[PROBE_TRIAL_CYCLES_LOW], taken);
  uint32_t* longest = &probe_output[PROBE_LONGEST + stage];
  if (taken > *longest) *longest = taken;
  return done;
}

int main(void) {
  const uint32_t* word = probe_input;
  const struct remap_counts counts = {
      .visits = probe_visits,
      .groups = word[PROBE_GROUPS],
      .pairs = probe_pairs,
      .pair_count = word[PROBE_PAIRS],
      .gaps = probe_gaps,
      .gap_count = word[PROBE_GAPS],
  };
  const struct arrange_plan plan = {
      .design = (const struct drive_design*)DRIVE_DESIGN_ADDRESS,
      .counts = &counts,
      .first_block = word[PROBE_FIRST_BLOCK],
      .unit_blocks = word[PROBE_UNIT_BLOCKS],
      .group_blocks = word[PROBE_GROUP_BLOCKS],
      .units = word[PROBE_UNITS],
      .overhead_tick = word[PROBE_OVERHEAD_TICK],
      .share_of_gaps = word[PROBE_SHARE_OF_GAPS],
      .method = (enum arrange_method)word[PROBE_METHOD],
      .energy = (enum energy_kind)word[PROBE_ENERGY],
      .start = (enum arrange_start)word[PROBE_START],
      .whole_groups = word[PROBE_WHOLE_GROUPS] != 0,
      .trials = word[PROBE_TRIALS],
      .hottest = word[PROBE_HOTTEST],
      .seed = word[PROBE_SEED],
      .goal_of = probe_goal_of,
      .goal_at = goal_at,
  };
  __asm__ volatile("csrci mcountinhibit, 1");
  probe_output[PROBE_STATUS] = (uint32_t)arrange_begin(&work, &plan);
  if (probe_output[PROBE_STATUS] != STATUS_OK) sleep_for_good();
  while (!timed_step()) continue;
  probe_report = *arrange_result(&work);
  sleep_for_good();
}
