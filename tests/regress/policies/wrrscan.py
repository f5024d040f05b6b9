# SPDX-License-Identifier: Apache-2.0
"""Cases of `wrrscan` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; stream 0 has 3, 5, 6, stream 1 has 1 and 4, stream 3 has 2: those of
# stream 0 are best effort. A mean access takes 10 ms.
ORDERS = {
    "wrrscan": [3, 5, 1, 4, 2, 6],  # 6 is the third of its stream
    "wrrscan:rt=1,be=1": [3, 1, 2, 4, 5, 6],  # 3, 1, 2; from 10 on 4, 5; 6
    "wrrscan:round=60": [3, 5, 1, 6, 4, 2],  # of six accesses the quotas leave one
    "wrrscan:rt=1,inner=fcfs": [1, 2, 3, 5, 4, 6],
}
# A quota of a stream is that of both its classes: w counts by sweep, k by arrival.
STREAM_ORDERS = {
    ("wrrscan", "0:w=1,k=4"): [3, 1, 4, 2, 5, 6],  # 3, 1, 4, 2; 5; 6
    ("wrrscan", "1:w=1"): [3, 5, 1, 2, 4, 6],  # 3, 5, 1, 2; upward from 10 on 4, 6
    ("wrrscan:rt=1,inner=fcfs", "1:k=2,w=1"): [1, 2, 3, 4, 5, 6],
}
# Request 5 arrives after the first choice: 6 takes its place, and 5 waits for the next round.
LATE = {"wrrscan": ({5: 1}, [3, 1, 6, 4, 2, 5])}
RANDOM = (
    "wrrscan",
    "wrrscan:rt=1,be=1",
    "wrrscan:round=60",
    "wrrscan:inner=fcfs",
    ("wrrscan", "1:w=1,k=9", "7:w=6"),
    ("wrrscan:inner=fcfs", "0:k=1", "1:k=3,w=9", "7:w=6"),
)
RUN = ("hp_c2247a-streams-wrrscan", "wrrscan")
OTHER = "wrrscan:rt=1,be=1"
VECTORS = ("WRR-SCAN", "wrrscan")
