# SPDX-License-Identifier: Apache-2.0
"""Cases of `wstf` (policy_cases.py)."""

import unittest

from policy_cases import DRIVE
from expect.policy import Moment, Request, make_policy

# Accesses of 1 to 6: 40, 45, 14, 19, 11, 15 ms.
ORDERS = {
    "wstf": [5, 3, 6, 4, 1, 2],  # nobody has waited: stf
}
RANDOM = (
    "wstf",
    "wstf:floor=none",
    "wstf:m=1,floor=0",
    "wstf:m=0.05,floor=0.2",
    "wstf:m=3000",
    "wstf:m=0.001,floor=none",
    "wstf:m_per_request",
    "wstf:m=0.05,floor=0.2,age=choice",
    "wstf:m=0.05,floor=none,age=choice",
    "wstf:m_per_request,age=choice",
)
RUN = ("hp_c2247a-mixed-wstf", "wstf:m=2,floor=none")
OTHER = "wstf:m=0.05"


class Wstf(unittest.TestCase):
    # M = 30 s: after 15 s an access of 20 ms weighs as much as a new one of 10 ms.
    def test_wstf_weighs_an_access_by_the_time_that_is_left(self):
        def key(policy: str, waited_s: float, access_ms: float) -> float:
            request = Request(1, 0, 0, 0, False)
            moment = Moment(waited_s * 1e12, 0, lambda _: access_ms * 1e9, lambda _: 0.0)
            return make_policy(policy, DRIVE).key(request, moment)[0]

        self.assertAlmostEqual(key("wstf", 15, 20), key("wstf", 0, 10))
        self.assertAlmostEqual(key("wstf", 40, 20), 0.01 * 20e9)  # past M: the floor
        self.assertLess(key("wstf:floor=none", 40, 20), key("wstf:floor=none", 40, 10))  # the floor prevents this: the longest access goes first
        self.assertAlmostEqual(key("wstf:m=2", 1, 20), key("wstf", 0, 10))
        # 1.5 mean accesses of 10 ms: after 7.5 ms half is left. M has 9,375 units of 64 clocks, of which one may be rounded off.
        self.assertAlmostEqual(key("wstf:m_per_request", 0.0075, 20), key("wstf", 0, 10), delta=20e9 / 9375)

    # The paper's footnote 4: M is 150 % of fcfs's mean I/O time for each request of the queue. With transfers of 2 ms that is
    # 18 ms, for two 36 ms; half of M is left after 18 ms.
    def test_wstf_counts_the_mean_transfer_into_m(self):
        reference = make_policy("wstf:m_per_request", DRIVE)
        served, other = Request(1, 0, 0, 0, False), Request(2, 1, 0, 0, False)
        reference.served(served, [other], Moment(0, 0, lambda _: 7e9, lambda _: 5e9))
        later = Moment(18e9, 0, lambda _: 20e9, lambda _: 18e9)
        self.assertAlmostEqual(reference.key(other, later)[0], 10e9)

    def test_wstf_may_count_ages_from_the_first_choice(self):
        reference = make_policy("wstf:m=1,age=choice", DRIVE)
        served, other = Request(1, 0, 0, 0, False), Request(2, 1, 0, 0, False)
        choice, later = (Moment(t, 0, lambda _: 20e9, lambda _: 18e9) for t in (0.25e12, 0.75e12))
        self.assertAlmostEqual(reference.key(other, choice)[0], 20e9)
        reference.served(served, [other], choice)
        self.assertAlmostEqual(reference.key(other, later)[0], 10e9)
