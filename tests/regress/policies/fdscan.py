# SPDX-License-Identifier: Apache-2.0
"""Cases of `fdscan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Choices at 0, 10, 20 ms and so on. Expected accesses of 4, 1, 2: 16, 25, 32 ms; exact ones: 19, 40, 45 ms.
ORDERS = {
    # At 0 all can be met: towards 4, which is 45. At 10 1 and 2: towards 1, which is 54. From 20 on none: sstf.
    "fdscan": [6, 3, 5, 4, 2, 1],
    "fdscan:idle=scan": [6, 3, 5, 1, 4, 2],
    # At 10 1 has 7 ms left, 2 has 4: towards 2, which is 41; from there sstf.
    "fdscan:target=slack": [6, 4, 3, 5, 1, 2],
    # At 0 1 and 2, not 4: towards 1, which is 54; from there sstf.
    "fdscan:price=exact": [3, 5, 6, 4, 2, 1],
    # 1 has 2 ms left, 2 has 1: towards 2, which is 45; then sstf, or on downward.
    "fdscan:price=exact,target=slack": [6, 4, 3, 5, 1, 2],
    "fdscan:price=exact,target=slack,idle=scan": [6, 4, 2, 3, 5, 1],
}
RANDOM = ("fdscan", "fdscan:price=exact", "fdscan:target=slack", "fdscan:idle=scan", "fdscan:price=exact,target=slack,idle=scan")
RUN = ("atlas_10k-deadlines-fdscan-exact", "fdscan:price=exact,target=slack,idle=scan")
OTHER = "fdscan"
WITHOUT = "scan"
VECTORS = ("FD-SCAN", "fdscan:idle=scan")
