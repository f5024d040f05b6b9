# SPDX-License-Identifier: Apache-2.0
"""Cases of `csfc` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Choices at 0, 10, 20 ms and so on. Priorities: 6 has 1, 4 has 3, 1 has 5, the others none.
ORDERS = {
    # Partitions of 20 ms: at 0 4 is in the first. At 10 1 and 2 are in the second: upward from 41.
    "csfc": [4, 1, 2, 6, 3, 5],
    "csfc:p=1": [3, 5, 1, 2, 4, 6],  # cscan
    "csfc:dmax=200": [1, 2, 4, 6, 3, 5],  # all three are in the first, and from 41 on 6, 3, 5 in the last
    "csfc:priority=first": [6, 4, 1, 2, 3, 5],
}
RANDOM = ("csfc", "csfc:p=16,dmax=200", "csfc:p=1", "csfc:priority=first")
RUN = ("cheetah_4lp-streams-csfc", "csfc:priority=first")
OTHER = "csfc"
WITHOUT = "cscan"
VECTORS = ("Cascaded-SFC", "csfc")
