# SPDX-License-Identifier: Apache-2.0
"""Cases of `scanedf` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
ORDERS = {
    "scanedf": [4, 1, 2, 6, 3, 5],  # the arm comes to 10 downward, and turns for 45, 54, 60
    # 1 and 2 are in the quantum from 40 ms on: from 41 downward 10, then 80, and back over 60, 54, 45.
    "scanedf:quantum=20": [4, 2, 1, 5, 3, 6],
    "scanedf:quantum=50": [1, 4, 2, 6, 3, 5],  # all three: upward to 80, then 41 and 10
}
RANDOM = ("scanedf", "scanedf:quantum=20")
RUN = ("cheetah_4lp-deadlines-scanedf", "scanedf:quantum=20")
OTHER = "scanedf"
WITHOUT = "scan"
VECTORS = ("SCAN-EDF-q10", "scanedf:quantum=10")
