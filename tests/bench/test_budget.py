# SPDX-License-Identifier: Apache-2.0
"""headstack bench budget: costs above their budget fail, and a table is what was written."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bench_budget
from bench_budget import NAMES, START_UP
from budget_table import FIRMWARE, HOST, Table, TableError, read_table, write_table

GCC, OTHER = "GCC: 12.2.0, glibc 2.36", "GCC: 13.1.0, glibc 2.36"
COSTS = {name: {FIRMWARE: 1000, HOST: 100_000} for name in NAMES}


class WithTable(unittest.TestCase):
    """Each test with a table of its own, and a program that costs what the test says."""

    def setUp(self) -> None:
        self.file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "budget.toml"
        write_table(self.file, Table("first", GCC, COSTS))
        self.enterContext(mock.patch.object(bench_budget, "require_translation"))
        self.enterContext(mock.patch.object(bench_budget.shutil, "which", return_value="/usr/bin/valgrind"))

    def run_bench(self, *words: str, cost: dict[str, int] | None = None, toolchain: str = GCC) -> tuple[int, str]:
        """Exit status, and what it said."""
        said = io.StringIO()

        def measured(_: object, name: str) -> dict[str, int]:
            return cost if cost and name == START_UP else COSTS[name]

        with (mock.patch.object(sys, "argv", ["bench_budget.py", "program", "--table", str(self.file), *words]),
              mock.patch.object(bench_budget.Meter, "cost", measured),
              mock.patch.object(bench_budget, "toolchain_of", return_value=toolchain),
              contextlib.redirect_stdout(said), contextlib.redirect_stderr(said)):
            try:
                return bench_budget.main(), said.getvalue()
            except SystemExit as stop:
                return int(stop.code or 0), said.getvalue()


class Bound(WithTable):
    """3 % of the budget, on either side."""

    def test_costs_at_the_bound_are_within(self) -> None:
        for cost in ({FIRMWARE: 1030, HOST: 103_000}, {FIRMWARE: 970, HOST: 97_000}):
            status, said = self.run_bench(cost=cost)
            self.assertEqual(status, 0)
            self.assertNotIn("by more than 3%", said)

    def test_costs_above_fail_and_are_named(self) -> None:
        for cost, name in (({FIRMWARE: 1031, HOST: 100_000}, FIRMWARE), ({FIRMWARE: 1000, HOST: 103_001}, HOST)):
            status, said = self.run_bench(cost=cost)
            self.assertEqual(status, 1)
            self.assertIn("above budget by more than 3%", said)
            self.assertIn(f"\n  {START_UP}: {name} ", said)
            self.assertEqual(said.count("\n  "), 1, said)

    def test_costs_below_ask_for_a_lower_budget(self) -> None:
        status, said = self.run_bench(cost={FIRMWARE: 969, HOST: 96_999})
        self.assertEqual(status, 0)
        self.assertIn("below budget by more than 3%; lower the budget: headstack bench budget --write", said)
        self.assertEqual(said.count("\n  "), 2, said)


class OtherToolchain(WithTable):
    """The firmware's cycles depend on the simulated core alone."""

    def test_host_instructions_are_not_compared(self) -> None:
        status, said = self.run_bench(cost={FIRMWARE: 1000, HOST: 900_000}, toolchain=OTHER)
        self.assertEqual(status, 0)
        self.assertIn(f"host instructions are not compared: here they are by {OTHER}, the budgets by {GCC}", said)
        self.assertIn("900,000", said)

    def test_firmware_cycles_are_compared(self) -> None:
        self.assertEqual(self.run_bench(cost={FIRMWARE: 1031, HOST: 100_000}, toolchain=OTHER)[0], 1)


class Writing(WithTable):
    """--write."""

    def test_what_was_measured_is_the_budget(self) -> None:
        reason = 'a "quoted" ä 😀 \\ line\nand \x7f'
        cost = {FIRMWARE: 2000, HOST: 7}
        self.assertEqual(self.run_bench("--write", reason, cost=cost, toolchain=OTHER)[0], 0)
        self.assertEqual(read_table(self.file, NAMES), Table(reason, OTHER, COSTS | {START_UP: cost}))
        self.assertEqual(self.run_bench(cost=cost, toolchain=OTHER)[0], 0)

    def test_a_table_with_conflicts_of_a_merge_is_written_anew(self) -> None:
        self.file.write_text("<<<<<<< HEAD\n", encoding="utf-8")
        self.assertEqual(self.run_bench("--write", "merged")[0], 0)
        self.assertEqual(read_table(self.file, NAMES), Table("merged", GCC, COSTS))

    def test_needs_a_reason_and_both_quantities(self) -> None:
        before = self.file.read_bytes()
        for words in (("--write", " "), ("--write", "why", "--firmware-only")):
            status, said = self.run_bench(*words)
            self.assertEqual(status, 2)
            self.assertIn("--write needs a reason", said)
        self.assertEqual(self.file.read_bytes(), before)


class BadTables(WithTable):
    """One error that names the file."""

    def test_are_refused(self) -> None:
        whole = self.file.read_text(encoding="utf-8")
        for text, message in (("<<<<<<< HEAD\n", "line 1"), ("", "no 'reason'"),
                              (whole.replace(START_UP, "another"), "no 'start-up'"),
                              (whole.replace("= 1000\n", '= "1000"\n'), "no whole number"),
                              (whole.replace("= 1000\n", "= 0\n"), "no whole number"),
                              ('reason = ""\ntoolchain = ""\ncost = 1\n', "no whole number")):
            self.file.write_text(text, encoding="utf-8")
            with self.subTest(message=message), self.assertRaisesRegex(TableError, message):
                read_table(self.file, NAMES)
            status, said = self.run_bench()
            self.assertEqual((status, said.count("\n")), (1, 1), said)
            self.assertRegex(said, r"headstack: error: .*budget\.toml: .*; write it anew: headstack bench budget")

    def test_are_refused_when_they_are_not_there(self) -> None:
        self.file.unlink()
        self.assertRegex(self.run_bench()[1], "budget.toml: No such file or directory; write it anew")


if __name__ == "__main__":
    unittest.main()
