# SPDX-License-Identifier: Apache-2.0
"""Why `gscan` has no definition in Python (policy_cases.py)."""

WHY_NONE = """What it chooses from are the schedules that earlier arrivals left, each pruned by costs and deadlines from where and
when the arm was then said to be free next. A run tells neither when the policy heard of an arrival, nor that place and moment;
and one schedule more or less among 64 changes later choices."""
HELD_BY = (
    "tests/firmware/policies/gscan.cpp",
    "tests/firmware/policies/gscan_theorems.cpp",
    "tests/firmware/test_realtime_vectors.cpp",
)
