# SPDX-License-Identifier: Apache-2.0
"""Cases of `gss` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; stream 0 has 3, 5, 6, stream 1 has 1 and 4, stream 3 has 2.
ORDERS = {
    "gss": [3, 5, 6, 4, 1, 2],  # down to 45, and on to 41
    "gss:q=1": [3, 1, 2, 5, 4, 6],
}
# Request 5 arrives after the first choice: the visit is for 3 and 6.
LATE = {"gss": ({5: 1}, [3, 6, 4, 1, 2, 5])}
RANDOM = ("gss", "gss:q=1", "gss:q=256")
RUN = ("hp_c3323a-streams-gss", "gss")
OTHER = "gss:q=2"
VECTORS = ("GSS", "gss")
