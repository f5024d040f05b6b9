// SPDX-License-Identifier: Apache-2.0
/// @file
/// What test_remap_core.cpp and the program on the core (remap_probe.c) have in common.
#pragma once

/// Words of `probe_input`: the plan, and how long the lists are.
enum probe_word {
  PROBE_FIRST_BLOCK,
  PROBE_UNIT_BLOCKS,
  PROBE_GROUP_BLOCKS,
  PROBE_UNITS,
  PROBE_OVERHEAD_TICK,
  PROBE_SHARE_OF_GAPS,
  PROBE_METHOD,
  PROBE_ENERGY,
  PROBE_START,
  PROBE_WHOLE_GROUPS,
  PROBE_TRIALS,
  PROBE_HOTTEST,
  PROBE_SEED,
  PROBE_GROUPS,
  PROBE_PAIRS,
  PROBE_GAPS,
  PROBE_WORDS
};

/// Words of `probe_output`.
enum probe_result {
  PROBE_STATUS,  ///< enum status; of an assertion its code.
  PROBE_STEPS,
  PROBE_CYCLES_LOW,  ///< Of all steps,
  PROBE_CYCLES_HIGH,
  PROBE_TRIAL_CYCLES_LOW,  ///< and of those that anneal units.
  PROBE_TRIAL_CYCLES_HIGH,
  PROBE_LONGEST,  ///< By stage of arrange.c from here on: cycles of the longest step.
  PROBE_RESULTS = PROBE_LONGEST + 32
};
