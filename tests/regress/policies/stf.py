# SPDX-License-Identifier: Apache-2.0
"""Cases of `stf` (policy_cases.py)."""

# Accesses of 1 to 6: 40, 45, 14, 19, 11, 15 ms.
ORDERS = {
    "stf": [5, 3, 6, 4, 1, 2],
    "stf:price=positioning": [5, 3, 6, 4, 1, 2],  # without transfers: the same
}
RANDOM = ("stf", "stf:price=positioning")
RUN = ("hp_c2490a-uniform-stf", "stf")
