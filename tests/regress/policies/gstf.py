# SPDX-License-Identifier: Apache-2.0
"""Cases of `gstf` (policy_cases.py)."""

# Heads at 50; requests 1 to 6 at 80, 10, 54, 41, 60, 45.
ORDERS = {
    "gstf:group=50": [5, 3, 1, 6, 4, 2],  # 50-99: 5 3 1; 0-49: 6 4 2
}
# Request 5 (cylinder 60) arrives after the first choice, 54. Two requests of the group 50-99 waited when it was entered.
LATE = {
    "gstf:group=50": ({5: 1}, [3, 5, 1, 6, 4, 2]),
    "gstf:group=50,frozen": ({5: 1}, [3, 1, 6, 4, 2, 5]),
}
RANDOM = (
    "gstf",
    "gstf:group=65535",
    "gstf:group=13",
    "gstf:group=13,bounce",
    "gstf:group=13,frozen",
    "gstf:group=13,bounce,frozen",
    "gstf:frozen",
)
SAME_AS = {"gstf:group=65535": "stf"}
RUN = ("cheetah_4lp-mixed-gstf", "gstf")
OTHER = "gstf:group=400"
