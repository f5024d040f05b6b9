# SPDX-License-Identifier: Apache-2.0
"""Cases of `vr` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "vr:r=1": [3, 5, 1, 6, 4, 2],  # turning costs the stroke: scan
    "vr:r=0": [3, 5, 6, 4, 2, 1],  # nothing: sstf
    "vr:r=0.02": [3, 5, 6, 4, 2, 1],  # 15 back and 2 for turning, against 20 on
    "vr:r=0.06": [3, 5, 1, 6, 4, 2],  # 15 back and 6 for turning, against 20 on
}
RANDOM = ("vr", "vr:r=0", "vr:r=1", "vr:r=0.013")
SAME_AS = {"vr:r=0": "sstf", "vr:r=1": "scan"}
RUN = ("hp_c3323a-uniform-vr", "vr")
OTHER = "vr:r=0.7"
