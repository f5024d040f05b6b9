# SPDX-License-Identifier: Apache-2.0
"""Cases of `fscan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "fscan": [3, 5, 1, 6, 4, 2],  # scan
}
# Request 5 (cylinder 60) arrives after the first choice, 54: 80, 45, 41 and 10 go first.
LATE = {"fscan": ({5: 1}, [3, 1, 6, 4, 2, 5])}
RANDOM = ("fscan",)
RUN = ("eagle-uniform-fscan", "fscan")
