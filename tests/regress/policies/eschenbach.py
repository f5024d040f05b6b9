# SPDX-License-Identifier: Apache-2.0
"""Cases of `eschenbach` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "eschenbach": [3, 5, 1, 2, 4, 6],  # cscan
    "eschenbach:order=20": [3, 6, 4, 5, 1, 2],  # group 40-59 by latency: 14, 15, 19; then 60-79, 80-99, 0-19
}
RANDOM = ("eschenbach", "eschenbach:order=7")
RUN = ("eagle-open-eschenbach", "eschenbach:order=4")
OTHER = "eschenbach:order=60"
