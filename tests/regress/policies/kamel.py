# SPDX-License-Identifier: Apache-2.0
"""Cases of `kamel` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Expected accesses: 5.25 ms, and 1 ms and 0.1 ms a cylinder. Priorities: 6 has 1, 4 has 3, 1 has 5, the others none.
ORDERS = {
    # With 4 the sweep 3, 1, 4 would end at 25.65: 3 is moved, which is best effort. Then it would end at 19.4: 1 is moved,
    # whose priority is lower. With 5, 4 would end at 15.4; with 6 too, at 21.65: of these two 5 is moved. Next round: 3, 5, 1,
    # from 10 on.
    "kamel": [6, 4, 2, 3, 5, 1],
}
# Request 6 arrives when 4 has gone: at 20 ms, from 41 downward, 2 and then 6 would end in time. 5 had joined: 5, 4, 2.
LATE = {"kamel": ({6: 2}, [5, 4, 2, 6, 3, 1])}
RANDOM = ("kamel", "kamel:price=exact")
RUN = ("hp_c2490a-streams-kamel", "kamel")
WITHOUT = "scan"
VECTORS = ("Kamel", "kamel")
