# SPDX-License-Identifier: Apache-2.0
"""Cases of `ssedv` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
# A seek takes 1 ms and 0.1 ms a cylinder; choices at 0, 10, 20 ms and so on.
ORDERS = {
    # At 0 4, 1, 2: 0.8 x 1.9 + 0.2 x 17 = 4.9, 0.8 x 4 + 0.2 x 42 = 11.6, 13.2. At 10 1, 2: 3.92 + 6.4 = 10.3, 3.28 + 7.2 =
    # 10.5; 3 counts as due in 500 ms. Then 2, and of the best effort the least seek.
    "ssedv": [4, 1, 2, 6, 3, 5],
    # Seeks alone, of the three: at 41 1, 2, 3; at 54 1, 2, 5; at 60 1, 2, 6; at 45 1 and 2 are as far, 1 is the older.
    "ssedv:alpha=1": [4, 3, 5, 6, 1, 2],
}
RANDOM = ("ssedv", "ssedv:m=8,alpha=0.2", "ssedv:m=5,alpha=1", "ssedv:m=5,alpha=0")
RUN = ("hp_c3323a-deadlines-ssedv", "ssedv")
OTHER = "ssedv:m=8,alpha=1"
VECTORS = ("SSEDV", "ssedv")
