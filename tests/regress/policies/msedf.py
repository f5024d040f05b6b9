# SPDX-License-Identifier: Apache-2.0
"""Cases of `msedf` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Expected accesses: 5.25 ms, and 1 ms and 0.1 ms a cylinder.
ORDERS = {
    # 118 cylinders, upward from 4 or 6 on with 2 last, end at 49.3: too late for 2, as for 4, 1, 5, 3, 2, 6 (153) it is not.
    # Downward first 136: 4, 2, 6, 1 end at 7.15, 16.5, 26.25, 36, and 6, 4, 2, 1 at 6.75, 13.4, 22.75, 36: before 1, request 6
    # is the younger one. With one more before 1 it would end at 42.25.
    "msedf": [4, 2, 6, 1, 5, 3],
}
# Request 6 arrives after the first choice. Without it 2 is in time after all others, at 43.05: 118 cylinders with 4, 1, 5, 3
# and with 4, 3, 1, 5. The latter has the younger one before 2.
LATE = {"msedf": ({6: 1}, [4, 3, 1, 5, 2, 6])}
RANDOM = ("msedf",)
RANDOM_SHARE = 2  # the definition takes long to search
RUN = ("cheetah_4lp-deadlines-msedf", "msedf")
VECTORS = ("MS-EDF", "msedf")
