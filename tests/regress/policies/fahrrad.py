# SPDX-License-Identifier: Apache-2.0
"""Cases of `fahrrad` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Choices at 0, 10, 20 ms and so on.
ORDERS = {
    # At 0 14 of 17 ms: 4, with room for 3. At 10 28 of 32: 1 and 2, from 41 downward. At 20 1, with room for 8. Then scan.
    "fahrrad": [4, 2, 1, 5, 3, 6],
    # At 0 12 of 17: 4 and 1, with room for 5. At 10 4 alone. At 20 2, with room for 20 ms: all, from 41 downward.
    "fahrrad:w=6": [1, 4, 2, 6, 3, 5],
    # At 20 3 joins, at 30 it is alone, then 5, then 6.
    "fahrrad:w=6,horizon=6": [1, 4, 2, 3, 5, 6],
}
RANDOM = (
    "fahrrad",
    "fahrrad:w=6,horizon=60",
    "fahrrad:horizon=0.1",
    # u p: 150 of 500 ms and 10 of 40; then 60 of 100, 1 of 1,000 and 9 of 30.
    ("fahrrad", "1:u=0.3,period=500ms", "7:u=0.25,period=40ms"),
    ("fahrrad:w=6", "0:u=0.6,period=100ms", "1:u=0.001,period=1000ms", "7:u=0.3,period=30ms"),
)
RUN = ("hp_c2490a-deadlines-fahrrad", "fahrrad")
OTHER = "fahrrad:w=6,horizon=60"
WITHOUT = "scan"  # with room for 17 of 14 ms, and a queue of no more
VECTORS = ("Fahrrad", "fahrrad")
