# SPDX-License-Identifier: Apache-2.0
"""Cases of `cscan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "cscan": [3, 5, 1, 2, 4, 6],  # up: 54 60 80; from the lowest: 10 41 45
}
RANDOM = ("cscan", "cscan:edge")
RUN = ("zoned_179mb-mixed-cscan", "cscan:edge")
VECTORS = ("C-SCAN", "cscan")
