// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the self-test firmware reports; shared by the program and the test that reads it.
#ifndef HEADSTACK_TESTS_SOC_SELF_TEST_EVENTS_H
#define HEADSTACK_TESTS_SOC_SELF_TEST_EVENTS_H

/// Numbers of events.
enum self_test_event {
  EVENT_STEP = 0,  ///< A step begins: enum self_test_step.
  EVENT_VALUE = 1,
  EVENT_EXCEPTION_CAUSE = 2,
  EVENT_EXCEPTION_VALUE = 3,
  EVENT_INTERRUPT = 4,    ///< Pending sources.
  EVENT_TIMER_DUE = 5,    ///< Low word of the time asked for.
  EVENT_TIMER_WOKE = 6,   ///< Low word of the time when the program ran on.
  EVENT_INDEX_TIME = 63,  ///< Low word of the captured time; also the last number there is.
};

enum self_test_step {
  STEP_CONSOLE = 1,
  STEP_MEMORY,
  STEP_REGISTERS,
  STEP_WINDOW,
  STEP_BUS_ERRORS,
  STEP_TIMER,
  STEP_INDEX,
  STEP_END,
};

/// Index pulses that the last step waits for.
#define SELF_TEST_INDEX_PULSES 5

#endif
