# SPDX-License-Identifier: Apache-2.0
"""The definitions of policies, from which expectations are computed, against orders worked out by hand."""

import unittest

from types import SimpleNamespace

import realtime_vectors
from policy_cases import DRIVE, cases, missing_files, served_by, stream_rows, unfounded
from errors import RegressError
from expect.choices import make_reference
from expect.policy import Moment, Policy, Request, Stream, make_policy, streams_of


class Policies(unittest.TestCase):
    def test_every_policy_of_the_firmware_has_a_definition_and_cases(self):
        self.assertFalse(missing_files(), "\n".join(["", *missing_files()]))

    def test_a_policy_without_a_definition_says_why_and_names_the_tests_that_hold_it(self):
        held = ("tests/firmware/policies/walk.cpp",)
        self.assertEqual(unfounded("walk", SimpleNamespace(WHY_NONE="x", HELD_BY=held)), [])
        for name, module, fault in (
            ("walk", SimpleNamespace(WHY_NONE=" ", HELD_BY=held), "WHY_NONE must say why"),
            ("walk", SimpleNamespace(WHY_NONE="x"), "HELD_BY must name the tests"),
            ("walk", SimpleNamespace(WHY_NONE="x", HELD_BY=("tests/nowhere.cpp",)), 'is no test that selects "walk"'),
            ("stfd", SimpleNamespace(WHY_NONE="x", HELD_BY=held), 'is no test that selects "stfd"'),
            ("walk", SimpleNamespace(WHY_NONE="x", HELD_BY=held, RUN=("a", "walk")), "has a definition or cases"),
            ("scanedf", SimpleNamespace(WHY_NONE="x", HELD_BY=("tests/firmware/policies/scanedf.cpp",)), "has a definition"),
        ):
            self.assertEqual([fault in one for one in unfounded(name, module)], [True], fault)

    def test_every_policy_has_what_policy_cases_asks_for(self):
        for name, module in cases().items():
            wanted = {*getattr(module, "ORDERS", ()), *getattr(module, "LATE", ()), *getattr(module, "RUN", ())[1:]}
            self.assertTrue(getattr(module, "ORDERS", None), f"tests/regress/policies/{name}.py needs ORDERS")
            self.assertTrue(getattr(module, "RUN", None), f"tests/regress/policies/{name}.py needs RUN")
            self.assertEqual({selection.split(":")[0] for selection in wanted}, {name})

    def test_a_static_queue_is_served_in_the_order_of_the_definition(self):
        for module in cases().values():
            for policy, order in module.ORDERS.items():
                self.assertEqual(served_by(policy), order, policy)

    def test_late_arrivals_are_served_in_the_order_of_the_definition(self):
        told = 0
        for module in cases().values():
            for policy, (arrivals, order) in getattr(module, "LATE", {}).items():
                self.assertEqual(served_by(policy, arrivals), order, policy)
                told += 1
        self.assertGreater(told, 0)

    def test_parameters_of_streams_change_the_order(self):
        told = 0
        for module in cases().values():
            for (policy, *streams), order in getattr(module, "STREAM_ORDERS", {}).items():
                self.assertEqual(served_by(policy, streams=streams), order, (policy, streams))
                told += 1
        self.assertGreater(told, 0)

    def test_streams_are_read_as_a_scenario_has_them(self):
        self.assertEqual(
            streams_of(stream_rows(["3:u=0.25,period=100ms", "0:share=40", "15:k=2,w=3", "1:u=0.5,period=2s"])),
            {3: Stream(u=0.25, p_ms=100), 0: Stream(share=40), 15: Stream(k=2, w=3), 1: Stream(u=0.5, p_ms=2000)},
        )
        one = {"number": 1}
        for row in ({"share": 40}, {"number": 16}, {**one, "share": "x"}, {**one, "what": 2}, {**one, "period": "2h"}, {"number": -1}):
            with self.assertRaisesRegex(RegressError, "settings.streams: .* is not understood; give a table with the keys number"):
                streams_of([row])

    def test_a_policy_that_counts_to_the_tick_has_no_order_in_a_run(self):
        def refer(policy: str, *streams: str) -> Policy:
            given = {"settings.streams": stream_rows(streams)}
            case = SimpleNamespace(policy=policy, value=given.get)
            mechanics = SimpleNamespace(seek_ps=lambda _: 1e9, period_ps=10e9)
            world = SimpleNamespace(mechanics=mechanics, design={"cylinders": 101}, margin_ps=0, case=case)
            return make_reference(world)

        for policy in ("kamel", "scanrt", "dmscan", "cello"):
            self.assertFalse(refer(policy).is_exact)
            with self.assertRaisesRegex(RegressError, f"'{policy}:price=exact' counts what accesses take to the tick"):
                refer(f"{policy}:price=exact")
        self.assertFalse(refer("fahrrad").is_exact)
        with self.assertRaisesRegex(RegressError, "'fahrrad' counts what accesses take to the tick"):
            refer("fahrrad", "1:u=0.5,period=100ms")

    def test_static_queues_of_an_independent_program_are_served_in_its_order(self):
        if not realtime_vectors.FILE.is_file():
            self.skipTest(f"there is no {realtime_vectors.FILE}")
        for module in cases().values():
            name, policy = getattr(module, "VECTORS", ("", ""))
            rows = list(realtime_vectors.rows(name))
            self.assertEqual(len(rows), 4 if name else 0, name)
            for row in rows:
                order, finish_ms = realtime_vectors.serve(row, policy)
                self.assertEqual(order, row.order, (policy, row.scenario))
                for found, expected in zip(finish_ms, row.finish_ms, strict=True):
                    self.assertAlmostEqual(found, expected, delta=0.0006, msg=(policy, row.scenario))  # the file has three decimals

    def test_equal_keys_go_to_the_oldest(self):
        moment = Moment(0, 50, lambda _: 0.0, lambda _: 0.0)
        one, other = Request(7, 0, 45, 0, False), Request(8, 1, 55, 0, False)
        for policy in ("sstf", "stf", "wstf"):
            reference = make_policy(policy, DRIVE)
            self.assertEqual(reference.key(one, moment), reference.key(other, moment), policy)

    def test_a_policy_without_a_definition_is_refused(self):
        with self.assertRaisesRegex(RegressError, "'nobody' has no reference transcription; remedy: write host/regress/expect/policies/nobody.py"):
            make_policy("nobody", DRIVE)


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    """Adds the tests of the policies' own modules."""
    for module in cases().values():
        tests.addTests(loader.loadTestsFromModule(module))
    return tests


if __name__ == "__main__":
    unittest.main()
