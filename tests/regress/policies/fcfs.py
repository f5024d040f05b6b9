# SPDX-License-Identifier: Apache-2.0
"""Cases of `fcfs` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "fcfs": [1, 2, 3, 4, 5, 6],
}
RANDOM = ("fcfs",)
RUN = ("cheetah_4lp-open-fcfs", "fcfs")
VECTORS = ("FCFS", "fcfs")
