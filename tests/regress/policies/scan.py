# SPDX-License-Identifier: Apache-2.0
"""Cases of `scan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "scan": [3, 5, 1, 6, 4, 2],  # up: 54 60 80; down: 45 41 10
    "scan:edge": [3, 5, 1, 6, 4, 2],
}
# Request 5 (cylinder 60) arrives after the first choice, 54: it is on the way up.
LATE = {"scan": ({5: 1}, [3, 5, 1, 6, 4, 2])}
RANDOM = ("scan", "scan:edge")
RUN = ("hp_c2490a-mixed-scan", "scan")
VECTORS = ("SCAN", "scan")
