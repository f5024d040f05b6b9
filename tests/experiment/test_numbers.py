# SPDX-License-Identifier: Apache-2.0
"""Traces, records and intervals: small cases worked out by hand."""

import math
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import numpy as np

from support import ROOT  # noqa: I001
import rotation_report
import rules
from claims import Finding, verdict_of
from drive_file import PS_PER_MS, load_drive
from errors import ExperimentError
from interval import Interval, interval, median_interval, median_rank, student_t_975
from records import COLUMNS, read_records, reduce_records
from results import Results
from results_page import BEGIN, END, rewrite, table
from spot_checks import find_unequal, require_equal
from sweep import Run, load_sweep
from traces import crowded_blocks, layout_on, order_of_host, poisson_arrivals_us, random_blocks, write_trace

EAGLE = load_drive(ROOT / "sim/drives/eagle.toml")
LAYOUT = layout_on(EAGLE, 8)


class Traces(unittest.TestCase):
    # The paper, section 3.1: 140,280 blocks of 4 KB. 20 tracks of 67 sectors are 1,340; 167 * 8 = 1,336 are used.
    def test_the_eagle_has_the_papers_blocks(self):
        self.assertEqual(LAYOUT.sectors_per_cylinder, 1340)
        self.assertEqual(LAYOUT.per_cylinder, 167)
        self.assertEqual(LAYOUT.blocks, 140_280)

    def test_the_last_block_of_a_cylinder_ends_before_its_four_spare_sectors(self):
        first = LAYOUT.first_sector(np.array([0, 1, 166, 167, 140_279]))
        self.assertEqual(first.tolist(), [0, 8, 1328, 1340, 839 * 1340 + 1328])
        self.assertEqual(1328 + 8, 1340 - 4)

    def test_no_block_crosses_the_end_of_a_cylinder(self):
        first = LAYOUT.first_sector(np.arange(LAYOUT.blocks))
        self.assertTrue(np.all(first // 1340 == (first + 7) // 1340))

    # 19 ends of tracks lie inside a cylinder. One at sector 67 k is crossed unless 8 divides 67 k, which k = 8, 16 do.
    def test_seventeen_blocks_of_a_cylinder_cross_the_end_of_a_track(self):
        first = LAYOUT.first_sector(np.arange(LAYOUT.per_cylinder))
        self.assertEqual(int(np.count_nonzero(first // 67 != (first + 7) // 67)), 17)

    def test_the_same_seed_gives_the_same_blocks_and_another_one_others(self):
        blocks = random_blocks(LAYOUT, 1000, (1, 0, 10))
        self.assertTrue(np.array_equal(blocks, random_blocks(LAYOUT, 1000, (1, 0, 10))))
        self.assertFalse(np.array_equal(blocks, random_blocks(LAYOUT, 1000, (2, 0, 10))))
        self.assertTrue(blocks.min() >= 0 and blocks.max() < LAYOUT.blocks)

    # Two wait. From 0: 5 and 40 wait, 5 is nearer; then 40 and 7; then 40 and 9, 9 is nearer to 7; then 40 and 6; 40 is last.
    def test_a_host_serves_the_nearest_of_its_queue_or_the_oldest(self):
        blocks = np.array([0, 5, 40, 7, 9, 6])
        self.assertEqual(order_of_host(blocks, blocks, 2, "sstf").tolist(), [0, 5, 7, 9, 6, 40])
        self.assertEqual(order_of_host(blocks, blocks, 2, "fcfs").tolist(), blocks.tolist())
        self.assertEqual(order_of_host(blocks, blocks, 1, "sstf").tolist(), blocks.tolist(), "one waits: nothing to choose")
        self.assertEqual(order_of_host(blocks, np.zeros(6), 5, "sstf").tolist(), blocks.tolist(), "the oldest of several")

    # 95 % of 10,000: the deviation is sqrt(0.95 * 0.05 / 10,000) = 0.0022.
    def test_a_crowd_is_on_the_first_cylinders_and_the_others_are_behind_it(self):
        cylinders = crowded_blocks(LAYOUT, 10_000, 210, 0.95, (1, 0)) // LAYOUT.per_cylinder
        self.assertAlmostEqual(float((cylinders < 210).mean()), 0.95, delta=4 * 0.0022)
        self.assertEqual((cylinders.min(), cylinders.max()), (0, 839))

    # The mean of n uniform numbers in 0 .. 1 has the deviation 1 / sqrt(12 n): here 0.00091.
    def test_blocks_are_spread_evenly(self):
        mean = random_blocks(LAYOUT, 100_000, (1, 0, 1)).mean() / LAYOUT.blocks
        self.assertAlmostEqual(mean, 0.5, delta=4 * 0.00091)

    # The mean of n exponential gaps has the deviation gap / sqrt(n).
    def test_arrivals_rise_with_the_mean_gap(self):
        arrivals = poisson_arrivals_us(10_000, 250.0, (1, 1, 5))
        self.assertTrue(np.all(np.diff(arrivals) >= 0))
        self.assertAlmostEqual(arrivals[-1] / 10_000, 250.0, delta=4 * 2.5)

    def test_a_trace_is_in_headstacks_own_format(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace"
            write_trace(file, np.array([8, 1340]), 8)
            self.assertEqual(
                file.read_text(), "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n- R 8 8 -\n- R 1340 8 -\n"
            )
            write_trace(file, np.array([8]), 8, np.array([1.5]))
            self.assertEqual(
                file.read_text(), "headstack-trace 1\ntime-unit us\nloop open\nrequests\n1.500000 R 8 8 -\n"
            )


def columns_of(rows: list[tuple[int, int, int]]) -> dict[str, np.ndarray]:
    """(cylinder, submitted ms, completed ms) of each command, in the order of completion; 1 ms of seek in each."""
    values = {name: np.zeros(len(rows), dtype=np.int64) for name in COLUMNS}
    values["lba"] = np.array([row[0] * 1340 for row in rows])
    values["submitted_ps"] = np.array([row[1] * PS_PER_MS for row in rows])
    values["completed_ps"] = np.array([row[2] * PS_PER_MS for row in rows])
    values["seek_ps"][:] = PS_PER_MS
    return values


class Records(unittest.TestCase):
    # Q = 2: three are out at 0. The first, done at 10, places the heads. The two others stand in the queue from 10 on;
    # the one submitted at 10 from 20 on, which is when the next choice is made.
    def test_a_request_stands_in_the_queue_from_the_next_completion_on(self):
        result = reduce_records(columns_of([(0, 0, 10), (5, 0, 20), (9, 10, 35), (2, 0, 60)]), EAGLE, 8, closed=True)
        self.assertEqual(result["requests"], 3)
        self.assertAlmostEqual(result["elapsed_ms"], 50)
        self.assertAlmostEqual(result["response_mean_ms"], (10 + 15 + 50) / 3)
        self.assertAlmostEqual(result["response_max_ms"], 50)
        self.assertAlmostEqual(result["utilization"], 3 * EAGLE.transfer_ms(8) / 50)
        self.assertAlmostEqual(result["io_ms"], 50 / 3)
        self.assertAlmostEqual(result["waiting_mean_ms"], (10 + 15 + 50) / 3 - 1)
        self.assertAlmostEqual(result["distance_mean_cylinders"], (5 + 4 + 7) / 3)
        self.assertAlmostEqual(result["requests_per_sweep"], 3 / 2)

    def test_an_open_loop_counts_from_the_arrival_and_every_command(self):
        result = reduce_records(columns_of([(0, 0, 10), (5, 4, 20)]), EAGLE, 8, closed=False)
        self.assertEqual(result["requests"], 2)
        self.assertAlmostEqual(result["elapsed_ms"], 20)
        self.assertAlmostEqual(result["response_mean_ms"], (10 + 16) / 2)

    def test_response_times_are_kept_by_tenths_of_the_cylinders(self):
        result = reduce_records(columns_of([(0, 0, 10), (83, 0, 20), (84, 0, 30), (839, 0, 40)]), EAGLE, 8, closed=True)
        self.assertEqual(result["band_response_ms"], [10.0, 20.0, 0, 0, 0, 0, 0, 0, 0, 30.0])

    def test_a_failed_command_is_an_error(self):
        columns = columns_of([(0, 0, 10), (5, 0, 20)])
        columns["status"][1] = 2
        with self.assertRaisesRegex(ExperimentError, "GOOD"):
            reduce_records(columns, EAGLE, 8, closed=True)

    def test_columns_are_found_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records.csv"
            names = ["command", "operation", *reversed(COLUMNS)]
            file.write_text(",".join(names) + "\n0,read," + ",".join(str(i) for i in range(len(COLUMNS))) + "\n")
            self.assertEqual(read_records(file)[COLUMNS[0]].tolist(), [len(COLUMNS) - 1])
            file.write_text(",".join(name for name in names if name != "status") + "\n")
            with self.assertRaisesRegex(ExperimentError, "no column status"):
                read_records(file)


class Intervals(unittest.TestCase):
    # Mean 2, deviation 1, t = 4.303 at two degrees of freedom: 4.303 / sqrt(3).
    def test_three_values_by_hand(self):
        value = interval([1, 2, 3])
        self.assertAlmostEqual(value.mean, 2)
        self.assertAlmostEqual(value.half, 2.4843, places=4)
        self.assertAlmostEqual(value.low, -0.4843, places=4)

    def test_one_value_has_no_width(self):
        value = interval([5])
        self.assertTrue(math.isnan(value.half))
        self.assertEqual((value.low, value.high), (5, 5))

    # Printed tables of Student's t, 0.975: the ends of our table, and beyond it.
    # Conover, table A3 (binomial, p = 0.5): at most five of 20 values below the median 0.0207 of the time, six 0.0577.
    # Of five values none is below it 0.0313 of the time: no interval has 95 %.
    def test_a_median_lies_between_two_values_whatever_the_distribution(self):
        self.assertEqual([median_rank(count) for count in (1, 5, 6, 10, 20)], [1, 1, 1, 2, 6])
        values = [2.0**number for number in range(20)]
        middle = median_interval(values[::-1])
        self.assertEqual((middle.low, middle.mean, middle.high), (2.0**5, 1.5 * 2.0**9, 2.0**14))
        self.assertEqual(middle.percent_more().high, 100 * (2.0**14 - 1))
        self.assertEqual(median_interval([3.0, 1.0, 2.0]).text(), "2.0 (1.0 to 3.0)")
        with self.assertRaises(ValueError):
            median_interval([])

    def test_student_t_is_that_of_the_tables(self):
        for degrees, quantile in (
            (1, 12.706),
            (9, 2.262),
            (30, 2.042),
            (31, 2.040),
            (40, 2.021),
            (60, 2.000),
            (120, 1.980),
        ):
            self.assertAlmostEqual(student_t_975(degrees), quantile, delta=0.0006, msg=str(degrees))
        with self.assertRaises(ValueError):
            student_t_975(0)

    def test_a_claim_holds_when_the_whole_interval_does(self):
        for mean, half, verdict in (
            (1.5, 0.5, "holds"),
            (1.5, 0.51, "open"),
            (2.5, 0.5, "open"),
            (2.5, 0.49, "does not hold"),
            (1.0, math.nan, "holds"),
            (0.99, math.nan, "does not hold"),
        ):
            self.assertEqual(Finding("x", Interval(mean, half, 3), 1, 2).verdict, verdict, (mean, half))

    def test_one_finding_that_does_not_hold_decides(self):
        good, bad = Finding("x", interval([1.5]), 1, 2), Finding("x", interval([3]), 1, 2)
        self.assertEqual(verdict_of([good, good]), "holds")
        self.assertEqual(verdict_of([good, bad]), "in part")
        self.assertEqual(verdict_of([bad]), "does not hold")


class Rules(unittest.TestCase):
    def test_the_page_is_that_of_the_rules(self):
        written = (ROOT / "host/experiment/RULES.md").read_text(encoding="utf-8")
        self.assertEqual(written, rules.page(), "write it anew: python host/experiment/rules.py")


class ResultsPage(unittest.TestCase):
    # 25 % charged of 50 % ideal; 3 revolutions in 1,500 requests are 2 in 1,000. Run again, it replaces its own table.
    def test_the_table_stands_between_its_marks(self):
        row = {"label": "stf", "queue": "1000", "sweep": "queue", "requests": "1500", "lost_revolutions": "3"}
        rows = [row | {"electronics": "ideal", "utilization": "0.5"}, row | {"electronics": "charged", "utilization": "0.25"}]
        lines = table(rows, rows)
        self.assertIn("| stf | 50.00 | 25.00 | 0.500 | 25.00 | 0.500 | 2.0, 2.0 |", lines)
        once = rewrite(f"above\n{BEGIN}\nold\n{END}\nbelow\n", lines, BEGIN, END)
        self.assertTrue(once.startswith("above\n") and once.endswith("\nbelow\n") and "old" not in once)
        self.assertEqual(rewrite(once, lines, BEGIN, END), once)
        with self.assertRaisesRegex(ValueError, "must stand there"):
            rewrite("no marks", lines, BEGIN, END)


class Rotation(unittest.TestCase):
    """A world in which stf takes 1 ms, and sstf what a test says."""

    def results(self, sstf_ms: Callable[[Run], float]) -> Results:
        runs = [run for run in load_sweep(ROOT / "host/experiment/rotation.toml").runs if run.label != "fcfs"]
        return Results(runs, [{"io_ms": 1.0 if run.label == "stf" else sstf_ms(run)} for run in runs])

    def verdicts(self, sstf_ms: Callable[[Run], float]) -> list[str]:
        return [verdict_of(claim.check(self.results(sstf_ms))) for claim in rotation_report.CLAIMS]

    def test_claims_hold_where_newer_drives_gain_more_and_short_queues_little(self):
        year = {drive: number for number, drive in enumerate(rotation_report.DRIVES)}
        self.assertEqual(set(self.verdicts(lambda run: 1.05 + (0.1 * year[run.sweep] if run.queue >= 100 else 0))), {"holds"})
        self.assertEqual(set(self.verdicts(lambda run: 2 - 0.1 * year[run.sweep])), {"does not hold"})

    def test_it_pays_from_the_shortest_queue_above_which_it_always_does(self):
        gains = {1: 1.0, 2: 1.2, 3: 1.05}
        results = self.results(lambda run: gains.get(run.queue, 1.3))
        self.assertEqual([rotation_report.pays_from(results, "eagle", least) for least in (1.0, 1.1, 1.3)], [2, 5, None])


class SpotChecks(unittest.TestCase):
    # Twins are equal in every number, or the experiment fails and says which is not.
    def test_platforms_that_differ_in_any_number_are_an_error(self):
        def results(**changed: float) -> Results:
            runs = [Run("spot", "stf", "stf", kind, 0, 10, 0, 1, 500) for kind in ("charged", "rtl")]
            truth = {"io_ms": 24.0, "requests": 500, "order": 7}
            return Results(runs, [truth | changed, truth])

        self.assertEqual(find_unequal(results()), [])
        self.assertEqual(find_unequal(results(io_ms=24.0 + 1e-9)), ["stf, load 10, seed 1: io_ms"])
        with self.assertRaisesRegex(ExperimentError, "rtl and vp are not equal:\n  stf, load 10, seed 1: order"):
            require_equal(results(order=8))


if __name__ == "__main__":
    unittest.main()
