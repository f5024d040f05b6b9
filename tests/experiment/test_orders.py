# SPDX-License-Identifier: Apache-2.0
"""Whether the policies still serve in the order that the results were made with.

test_orders.py RUN_PROGRAM
"""

import sys
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
from orders import FILE, orders_now, read_orders

PROGRAM = Path()  # from the command line


class Orders(unittest.TestCase):
    def test_no_policy_has_changed_since_the_results_were_made(self):
        made, now = read_orders(), orders_now(PROGRAM)
        self.assertEqual(sorted(made), sorted(now), f"{FILE.relative_to(ROOT)} has other rows than the experiment")
        changed = [f"{policy} in {sweep}" for (name, sweep, policy), order in now.items() if made[name, sweep, policy] != order]
        self.assertEqual(changed, [], "these serve in another order than the results of host/experiment/results: make those anew "
                         "(results_page.py --run), then orders.py")  # fmt: skip


if __name__ == "__main__":
    PROGRAM = Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
