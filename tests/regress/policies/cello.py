# SPDX-License-Identifier: Apache-2.0
"""Cases of `cello` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# Expected accesses: 5.25 ms, and 1 ms and 0.1 ms a cylinder. Choices at 0, 10, 20 ms and so on.
ORDERS = {
    # At 0, after 3, the ends 14.2, 24.35, 37.6 are in time: 3, which takes 6.65 ms. At 10, 4 is late after 5: 4, which takes
    # 7.55 ms. Best effort has used less now: 6, which makes 13.3. At 30, 1 would end at 46 after 5: 1, and real time has used
    # 17.3. So 5; then 2.
    "cello": [3, 4, 6, 1, 5, 2],
    # Best effort has used 6.65 / 0.2, real time 7.55 / 0.8, and 22.1 / 0.8 with 1. After 6 at 20 or 5 at 30, 2 would be late.
    "cello:share=0.8": [3, 4, 1, 2, 6, 5],
}
# Stream 1 has 1 and 4; the others have 2, 3, 5 and 6. Choices at 0, 10, 20 ms and so on, accesses as for ORDERS.
STREAM_ORDERS = {
    # Both have half. At 0 neither has used time: stream 1, whose 4 waits for 3; so the others have used 6.65 ms. At 10 it is
    # 4, with 7.55 ms. At 20 the others have used less: 2 is next, since after 6 and 1 it would end at 49.65; then they have
    # used 16. So 1, 5, 6.
    ("cello:by=stream", "1:share=50"): [3, 4, 2, 1, 5, 6],
    # At 20 the others have used 6.65 / 0.2, stream 1 7.55 / 0.8: 1. Then 2; after it the scan goes on upward.
    ("cello:by=stream", "1:share=80"): [3, 4, 1, 2, 6, 5],
}
RANDOM = (
    "cello",
    "cello:share=0.8",
    "cello:price=exact",
    "cello:by=stream",
    ("cello:by=stream", "1:share=60", "7:share=7"),
    ("cello:by=stream", "0:share=99", "1:share=1"),
)
RUN = ("cheetah_9lp-deadlines-cello", "cello")
OTHER = "cello:share=0.8"
WITHOUT = "scan"
VECTORS = ("Cello", "cello")
