# SPDX-License-Identifier: Apache-2.0
"""Cases of `sstf` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "sstf": [3, 5, 6, 4, 2, 1],  # 54; 60 (6 on); 45 (15 back, 80 is 20 on); 41; 10 (31, 80 is 39); 80
}
RANDOM = ("sstf",)
RUN = ("eagle_skewed-mixed-sstf", "sstf")
VECTORS = ("SSTF", "sstf")
