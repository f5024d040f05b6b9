# SPDX-License-Identifier: Apache-2.0
"""Cases of `ssedo` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45; 4 is due at 17 ms, 1 at 42, 2 at 46, the others never.
ORDERS = {
    # At 50 4, 1, 2 weigh 10, 2 x 31, 4 x 41. At 41 1, 2, 3: 40, 2 x 32, 4 x 14. At 80 2, 3, 5: 71, 2 x 27, 4 x 21. At 54 2, 5,
    # 6: 45, 2 x 7, 4 x 10. At 60 2, 6: 51, 2 x 16.
    "ssedo": [4, 1, 3, 5, 6, 2],
    # At 50 3, fourth by deadline, weighs 1.728 x 5 = 8.6; 4 weighs 10. At 54 5 weighs 1.728 x 7 = 12.1, 4 weighs 14. At 60 4
    # weighs 20, 1 1.2 x 21. At 41 6 weighs 1.44 x 5. At 45 1 weighs 36, 2 1.2 x 36.
    "ssedo:m=8,beta=1.2": [3, 5, 4, 6, 1, 2],
}
RANDOM = ("ssedo", "ssedo:m=8,beta=1.2", "ssedo:m=1", "ssedo:m=6,beta=10")
RUN = ("cheetah_9lp-deadlines-ssedo", "ssedo")
OTHER = "ssedo:m=8,beta=1.2"
VECTORS = ("SSEDO", "ssedo")
