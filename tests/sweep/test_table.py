# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of a sweep, against numbers worked out by hand.

Student's t for 95 % is 12.706 with one degree of freedom, and 4.303 with two (Fisher and Yates, Statistical Tables, table III).
"""

import csv
import io
import json
import math
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import ROOT  # noqa: F401, I001
from axes import Axis, Value
from sweep_plot import LINES, Layout, curves_of, draw_table, figure_of, layout_of, looks
from sweep_table import Failure, Row, Table


def axis(key: str, *texts: str, path: str = "") -> Axis:
    return Axis(key, path or key, tuple(Value(text, text) for text in texts))


POLICY = axis("policy", "fcfs", "stf", path="settings.policy")
DEPTH = axis("depth", "1", "4", path="hosts.depth")


def figures(mean_ms: float, **others: Any) -> dict[str, Any]:
    """The figures of a run; percentiles and rate are multiples of the mean."""
    return {
        "headstack": "0", "drive": "Eagle", "commands": 100, "not_good": 0, "mean_ms": mean_ms, "p95_ms": 2 * mean_ms,
        "p99_ms": 3 * mean_ms, "commands_per_second": 10 * mean_ms, "waited_in_host": 0, "from_arrival_mean_ms": mean_ms,
    } | others  # fmt: skip


def table_of(axes: tuple[Axis, ...], means: dict[tuple[int, ...], dict[int | None, float]], **keys: Any) -> Table:
    """A table with a run for each mean: by places on the axes, and by seed."""
    rows = [Row(places, seed, figures(mean)) for places, runs in means.items() for seed, mean in runs.items()]
    seeds = max((seed for runs in means.values() for seed in runs if seed), default=None)
    defaults: dict[str, Any] = {"seeds": seeds, "failures": (), "wanted": len(rows), "interrupted": False}
    return Table(axes, rows=tuple(rows), **(defaults | keys))


# fcfs has 10, 12, 14: mean 12, deviation 2. stf has 9, 12, 12: mean 11. The pairs differ by -1, 0, -2: mean -1,
# deviation 1.
THREE_SEEDS = {(0,): {1: 10.0, 2: 12.0, 3: 14.0}, (1,): {1: 9.0, 2: 12.0, 3: 12.0}}


class Intervals(unittest.TestCase):
    def test_a_mean_has_students_interval_over_the_seeds(self) -> None:
        first, second = table_of((POLICY,), THREE_SEEDS).cells
        self.assertEqual(first.figures["mean_ms"].mean, 12)
        # The interval is 4.303 * 2 / sqrt 3.
        self.assertAlmostEqual(first.figures["mean_ms"].half, 4.9687, places=4)
        self.assertAlmostEqual(first.figures["p99_ms"].half, 3 * 4.9687, places=3)
        self.assertEqual(second.figures["mean_ms"].mean, 11)
        # The interval is 4.303 * sqrt 3 / sqrt 3.
        self.assertAlmostEqual(second.figures["mean_ms"].half, 4.303, places=6)

    def test_two_seeds_have_the_wide_interval_of_one_degree_of_freedom(self) -> None:
        cell = table_of((POLICY,), {(0,): {1: 5.0, 2: 7.0}}).cells[0]
        # The deviation of 5 and 7 is sqrt 2, and the interval is 12.706 * sqrt 2 / sqrt 2.
        self.assertAlmostEqual(cell.figures["mean_ms"].half, 12.706, places=6)

    def test_differences_are_of_pairs_with_equal_seeds(self) -> None:
        first, second = table_of((POLICY,), THREE_SEEDS).cells
        self.assertEqual(first.differences, {})
        self.assertEqual(second.differences["mean_ms"].mean, -1)
        # The interval is 4.303 * 1 / sqrt 3. Without pairs, it would be above 5.
        self.assertAlmostEqual(second.differences["mean_ms"].half, 2.4843, places=4)

    def test_differences_are_to_the_first_value_of_the_first_axis_at_the_same_place_of_the_others(self) -> None:
        means = {(0, 0): {1: 1.0}, (0, 1): {1: 10.0}, (1, 0): {1: 3.0}, (1, 1): {1: 30.0}}
        cells = {cell.places: cell for cell in table_of((POLICY, DEPTH), means).cells}
        self.assertEqual(cells[1, 0].differences["mean_ms"].mean, 2)
        self.assertEqual(cells[1, 1].differences["mean_ms"].mean, 20)
        self.assertEqual(cells[0, 1].differences, {})

    def test_a_seed_that_one_of_two_lacks_is_in_no_pair(self) -> None:
        means = {(0,): {1: 10.0, 3: 14.0}, (1,): {1: 9.0, 2: 99.0, 3: 12.0}}
        second = table_of((POLICY,), means, wanted=6).cells[1]
        self.assertEqual((second.differences["mean_ms"].mean, second.differences["mean_ms"].count), (-1.5, 2))

    def test_one_run_has_no_interval(self) -> None:
        table = table_of((POLICY,), {(0,): {None: 10.0}, (1,): {None: 9.0}})
        self.assertTrue(math.isnan(table.cells[0].figures["mean_ms"].half))
        self.assertNotIn("±", table.to_text())
        self.assertIn("One run for each line, so there are no intervals.", table.to_text())
        cells = table.to_json()["cells"]
        self.assertEqual(cells[0]["mean_ms"], {"mean": 10.0, "half": None, "low": None, "high": None, "runs": 1})
        self.assertEqual(cells[1]["difference"]["mean_ms"]["half"], None)

    def test_of_an_interrupted_sweep_a_cell_with_one_run_has_no_interval_either(self) -> None:
        table = table_of((POLICY,), {(0,): {1: 10.0, 2: 12.0}, (1,): {1: 9.0}}, seeds=2, wanted=4, interrupted=True)
        line = table.lines()[1]
        self.assertEqual(line, ["stf", "1 of 2", "9.000", "18.000", "27.000", "90.0", "-1.000"])
        self.assertIn("Interrupted: 1 run of 4 not made. The same command continues.", table.notes())


class Texts(unittest.TestCase):
    def test_the_table_has_a_line_for_each_combination(self) -> None:
        text = table_of((POLICY,), THREE_SEEDS, title="two policies").to_text()
        self.assertEqual(
            text.splitlines()[:5],
            [
                "two policies",
                "",
                "policy  runs         mean ms          p95 ms           p99 ms    commands/s  mean ms - that of policy=fcfs",
                "fcfs       3  12.000 ± 4.969  24.000 ± 9.937  36.000 ± 14.906  120.0 ± 49.7",
                "stf        3  11.000 ± 4.303  22.000 ± 8.606  33.000 ± 12.909  110.0 ± 43.0                 -1.000 ± 2.484",
            ],
        )
        self.assertIn("±: half of the 95 % interval of the mean, by Student's t over 3 seeds.", text)

    def test_the_page_has_the_same_cells(self) -> None:
        page = table_of((axis("k", "a|b", "c"),), THREE_SEEDS).to_markdown().splitlines()
        self.assertEqual(page[0], "# Eagle")
        self.assertEqual(page[2], "| k | runs | mean ms | p95 ms | p99 ms | commands/s | mean ms - that of k=a\\|b |")
        self.assertEqual(page[4], "| a\\|b | 3 | 12.000 ± 4.969 | 24.000 ± 9.937 | 36.000 ± 14.906 | 120.0 ± 49.7 |  |")

    def test_the_csv_has_a_row_for_each_run(self) -> None:
        rows = list(csv.DictReader(io.StringIO(table_of((POLICY,), THREE_SEEDS).to_csv())))
        self.assertEqual(
            [(row["policy"], row["load.synthetic.seed"], float(row["mean_ms"])) for row in rows],
            [("fcfs", "1", 10), ("fcfs", "2", 12), ("fcfs", "3", 14), ("stf", "1", 9), ("stf", "2", 12), ("stf", "3", 12)],
        )

    def test_the_json_is_json_and_has_axes_rows_and_cells(self) -> None:
        read = json.loads(json.dumps(table_of((POLICY,), THREE_SEEDS).to_json(), allow_nan=False))
        self.assertEqual(read["axes"], [{"key": "policy", "path": "settings.policy", "values": ["fcfs", "stf"]}])
        self.assertEqual([len(read["rows"]), len(read["cells"]), read["seeds"], read["complete"]], [6, 2, 3, True])
        self.assertEqual(read["rows"][3]["settings"], {"policy": "stf"})
        self.assertEqual(read["rows"][3]["seed"], 1)
        self.assertIsNone(read["cells"][0]["difference"])
        self.assertAlmostEqual(read["cells"][1]["difference"]["mean_ms"]["low"], -1 - 2.4843, places=4)

    def test_what_failed_or_waited_is_said_below_the_table(self) -> None:
        rows = (Row((0,), None, figures(1.0, not_good=3, waited_in_host=2)),)
        failures = (Failure((1,), None, "no such drive"),)
        table = Table((POLICY,), None, rows, failures, wanted=2, interrupted=False)
        self.assertEqual(table.lines()[1], ["stf", "0 of 1", "-", "-", "-", "-", "-"])
        self.assertEqual(
            table.notes()[2:],
            [
                "In 1 run some commands did not end with GOOD: column not_good of sweep.csv.",
                "In 1 run requests waited in their hosts before submission. Column from_arrival_mean_ms of sweep.csv has that wait, too.",
                "1 run failed, and is not in the table.",
            ],
        )
        self.assertFalse(table.is_complete)


class Pictures(unittest.TestCase):
    def test_the_longest_numeric_axis_is_horizontal_and_the_first_other_has_the_lines(self) -> None:
        share, drive = axis("share", "0", "1"), axis("drive", "eagle", "atlas_10k")
        long_depth = axis("depth", "1", "2", "4")
        for axes, expected in (
            ((POLICY, long_depth), Layout(1, 0, ())),
            ((long_depth, POLICY), Layout(0, 1, ())),
            ((POLICY, share, long_depth, drive), Layout(2, 0, (1, 3))),
            ((POLICY, drive), Layout(1, 0, ())),
            ((POLICY,), Layout(0, None, ())),
            ((), Layout(None, None, ())),
        ):
            with self.subTest([one.key for one in axes]):
                self.assertEqual(layout_of(axes), expected)

    def test_a_curve_has_the_cells_of_its_value_in_the_order_of_the_axis(self) -> None:
        falling = axis("depth", "4", "1")
        means = {(0, 0): {1: 4.0}, (0, 1): {1: 1.0}, (1, 0): {1: 40.0}}
        table = table_of((POLICY, falling), means, wanted=4)
        first, second = curves_of(table, layout_of(table.axes), ())
        self.assertEqual([(x, y.mean) for x, y in first.points], [(1, 1), (4, 4)])
        self.assertEqual([(x, y.mean) for x, y in second.points], [(4, 40)])
        self.assertEqual((first.label, second.label), ("policy fcfs", "policy stf"))

    def test_no_two_lines_look_the_same(self) -> None:
        few = looks(axis("policy", "fcfs", "sstf", "stf", "gscan", "gstf:group=9", "scan", path="settings.policy"))
        self.assertEqual([len({look[part] for look in few}) for part in (0, 1)], [6, 6], "colours and markers")
        names = ["fcfs", "gstf:group=9", "edf", "wstf", *(f"w{number}" for number in range(20))]
        self.assertEqual(len(set(looks(axis("policy", *names, path="settings.policy")))), len(names))
        self.assertTrue(all(look[2] in LINES for look in looks(axis("k", *names))))

    def test_a_picture_is_made_of_any_number_of_axes(self) -> None:
        one = axis("a", "x", "y")
        with tempfile.TemporaryDirectory() as folder:
            for number, axes in enumerate(((), (POLICY,), (POLICY, DEPTH), (POLICY, DEPTH, one), (POLICY, DEPTH, one, axis("b", "1", "2")))):
                places = [[]]
                for _ in axes:
                    places = [[*before, at] for before in places for at in (0, 1)]
                means = {tuple(at): {1: 1.0 + sum(at), 2: 30.0 + sum(at)} for at in places}
                file = Path(folder) / f"{number}.png"
                self.assertEqual(draw_table(table_of(axes, means), file), "")
                self.assertEqual(file.read_bytes()[:4], b"\x89PNG")

    def test_each_panel_shows_all_of_its_points(self) -> None:
        """The first panel has the smallest values, and the panels share their vertical axis."""
        drive = axis("drive", "fast", "slow", "slower")
        for factor in (1.5, 100.0):
            means = {(0, at, place): {1: factor**place, 2: 1.1 * factor**place} for at in (0, 1) for place in range(3)}
            figure = figure_of(table_of((POLICY, DEPTH, drive), means, wanted=12))
            low, high = figure.axes[0].get_ylim()
            for axes in figure.axes:
                self.assertEqual(axes.get_ylim(), (low, high))
            self.assertLess(low, 1)
            self.assertGreater(high, 1.1 * factor**2)

    def test_words_have_their_lines_side_by_side(self) -> None:
        drive = axis("drive", "eagle", "atlas_10k")
        table = table_of((POLICY, drive), {(at, place): {1: 1.0} for at in (0, 1) for place in (0, 1)})
        first, second = curves_of(table, layout_of(table.axes), ())
        for place, (left, right) in enumerate(zip(first.points, second.points, strict=True)):
            self.assertLess(left[0], place)
            self.assertGreater(right[0], place)
        self.assertEqual((first.line, second.line), ("", ""))

    def test_too_many_panels_are_no_picture(self) -> None:
        many = axis("n", *(str(number) for number in range(25)))
        table = table_of((POLICY, axis("d", *map(str, range(30))), many), {(0, 0, 0): {1: 1.0}}, wanted=1500)
        self.assertEqual(
            draw_table(table, Path("/nonexistent/picture.png")), "25 panels are no picture: 24 are the most; sweep fewer keys at a time"
        )


if __name__ == "__main__":
    unittest.main()
