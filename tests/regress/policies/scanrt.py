# SPDX-License-Identifier: Apache-2.0
"""Cases of `scanrt` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Expected accesses: 5.25 ms, and 1 ms and 0.1 ms a cylinder.
ORDERS = {
    # All up to 5 join: 3, 5, 1, 4, 2 would end at 6.65, 13.5, 21.75, 31.9, 41.25; 4 is late with or without 5. With 6 after 1,
    # 2 would end at 47.5, so 6 goes to the tail.
    "scanrt": [3, 5, 1, 4, 2, 6],
}
# Request 6 arrives after 3, 5, 1, at 30 ms: 2 would end at 49.5 even without it. It joins, next to 80.
LATE = {"scanrt": ({6: 3}, [3, 5, 1, 6, 4, 2])}
RANDOM = ("scanrt", "scanrt:price=exact")
RUN = ("cheetah_4lp-deadlines-scanrt", "scanrt")
WITHOUT = "scan"
VECTORS = ("SCAN-RT", "scanrt")
