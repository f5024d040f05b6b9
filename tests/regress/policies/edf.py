# SPDX-License-Identifier: Apache-2.0
"""Cases of `edf` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
ORDERS = {
    "edf": [4, 1, 2, 3, 5, 6],
}
RANDOM = ("edf",)
RUN = ("hp_c2490a-deadlines-edf", "edf")
WITHOUT = "fcfs"
VECTORS = ("EDF", "edf")
