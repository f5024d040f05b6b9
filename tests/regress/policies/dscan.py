# SPDX-License-Identifier: Apache-2.0
"""Cases of `dscan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
ORDERS = {
    # 4 is the target, 45 lies on the way; from 41 up to 80, past 54 and 60; then 10.
    "dscan": [6, 4, 3, 5, 1, 2],
}
# Request 1 (cylinder 80) arrives after the first choice, at 45. Cylinder 41, which is due first, still goes before it.
LATE = {"dscan": ({1: 1}, [6, 4, 3, 5, 1, 2])}
RANDOM = ("dscan",)
RUN = ("hp_c3323a-deadlines-dscan", "dscan")
