# SPDX-License-Identifier: Apache-2.0
"""Cases of `dmscan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Expected accesses: 5.25 ms, and 1 ms and 0.1 ms a cylinder. Choices at 0, 10, 20 ms and so on.
ORDERS = {
    # At 0: 4 and then 1 would end at 17.3, 1 and then 4 at 19.4: 4 alone. At 10 for 42: 2, 6, 1 (downward first) end at 38.85,
    # with 3 at 45.1: 2. At 20: 6, 1 end at 39.5, with 3 at 45.75: 6. At 30: 1 ends at 39.75, with 3 at 46: 1. Then scan.
    "dmscan": [4, 2, 6, 1, 5, 3],
}
RANDOM = ("dmscan", "dmscan:price=exact")
RUN = ("atlas_10k-deadlines-dmscan", "dmscan")
WITHOUT = "scan"
VECTORS = ("DM-SCAN", "dmscan")
