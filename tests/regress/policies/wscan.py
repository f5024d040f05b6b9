# SPDX-License-Identifier: Apache-2.0
"""Cases of `wscan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "wscan:window=5": [6, 3, 5, 1, 4, 2],  # 45 lies just behind, and the sweep goes on from 50
    "wscan:window=15": [6, 4, 3, 5, 1, 2],  # 41, too
}
RANDOM = ("wscan", "wscan:window=0", "wscan:window=40")
SAME_AS = {"wscan:window=0": "scan"}
RUN = ("hp_c3323a-mixed-wscan", "wscan")
OTHER = "wscan:window=200"
