# SPDX-License-Identifier: Apache-2.0
"""The parts of the experiments `host-layers` and `admission`: layers of the host by hand, declarations, pages and table I."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

from support import ROOT  # noqa: I001
import admission_report
import host_layers_report
from claims import verdict_of
from declared import Run
from errors import ExperimentError
from gscan_table import ROWS
from host_layers import due_by_rate, mean_blocks, quotas_of, round_ms_of, with_deadlines
from one_stream_run import words, write_trace
from results import Results
from results_gscan import with_host_layers
from rules import FAILS, HOLDS, IN_PART
from stream_load import Requests, write_requests
from sweep import load_sweep
from workload import load_workload

DRIVE = ROOT / "host/experiment/drives/gscan.toml"
PAPER = "003_7c944b7b02850211.txt"
RT = {"service_class": "real-time", "gap_ms": 40, "size_kb": (64, 64)}
BE = {"service_class": "best-effort", "gap_ms": 10, "size_kb": (4, 124)}
OWN = """
title = "one"
[[stream]]
name = "a"
class = "real-time"
pattern = "periodic"
gap_ms = 20
deadline_ms = [20, 20]
size_kb = [64, 64]
file_mb = 2
"""


def requests(arrivals_us: list[float], streams: list[int], due_us: list[float]) -> Requests:
    count = len(arrivals_us)
    return Requests(np.array(arrivals_us), np.array(streams), np.arange(count) * 8, np.full(count, 8), np.array(due_us))


class Layers(unittest.TestCase):
    # 5 + 10; 6 waits for it: 25; 40 finds nothing before it: 50.
    def test_due_times_follow_the_rate_and_no_credit_is_kept(self):
        self.assertEqual(due_by_rate(np.array([5.0, 6.0, 40.0]), 10.0).tolist(), [15.0, 25.0, 50.0])

    # Stream 1 asks each 10 ms, at a scale of 2 each 20 ms.
    def test_horizon_leaves_real_time_and_gives_best_effort_deadlines(self):
        given = requests([0, 1000, 2000, 3000], [1, 0, 1, 0], [np.nan, 30_000, np.nan, 31_000])
        made = with_deadlines(given, [RT, BE], 2.0)
        self.assertEqual(made.deadline_us.tolist(), [20_000, 30_000, 38_000, 31_000])
        self.assertTrue(np.all(made.is_real_time))
        self.assertEqual(np.count_nonzero(np.isnan(given.deadline_us)), 2, "the workload's own requests stay")

    # 64 KB once and 64 KB four times in 40 ms.
    def test_chen_takes_the_mean_request_and_the_shortest_real_time_gap(self):
        self.assertEqual(mean_blocks([RT, BE]), 128)
        self.assertEqual(mean_blocks([RT, BE | {"size_kb": (4, 4)}]), 32)
        self.assertEqual(round_ms_of([RT, RT | {"gap_ms": 30}, BE], 1.5), 45)
        with self.assertRaisesRegex(ExperimentError, "no real-time stream; give it one"):
            round_ms_of([BE], 1.0)

    def test_quotas_of_a_round(self):
        for streams, held, quotas in (
            ([RT, BE], 7, [1, 6]),
            ([RT, BE, BE], 8, [1, 3, 3]),
            ([BE, RT, RT], 2, [1, 1, 1]),  # no room: one each
            ([RT, BE], 0, [1, 1]),
            ([RT, BE], 1000, [1, 255]),  # the largest k
            ([RT, RT], 5, [1, 1]),
        ):
            self.assertEqual(quotas_of(streams, held), quotas)

    def test_quotas_are_a_setting_of_the_run(self):
        spec = {"settings": [], "workload": {"streams": [RT, BE]}, "layer": {"name": "chen", "requests": 5}}
        self.assertEqual(words(spec)[-1], "settings.streams=[{ number = 0, k = 1 }, { number = 1, k = 4 }]")
        self.assertEqual(len(words(spec | {"layer": {"name": "horizon"}})), 2)

    def test_a_run_of_horizon_sends_all_requests_with_deadlines(self):
        spec = load_workload(ROOT / "host/experiment/workloads/5.toml").spec()
        run = {"workload": spec, "requests": 200, "seed": 1, "scale": 1.0}
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for layer in ({}, {"layer": {"name": "horizon"}}):
                write_trace(Path(folder) / "t", run | layer, DRIVE)
                texts.append((Path(folder) / "t").read_text())
        plain, given = ([line.split() for line in text.partition("requests\n")[2].splitlines()] for text in texts)
        self.assertEqual([line[:4] + line[6:] for line in plain], [line[:4] + line[6:] for line in given])
        self.assertEqual({line[5] for line in plain}, {"real-time", "best-effort"})
        self.assertEqual({line[5] for line in given}, {"real-time"})
        kept = [one for one in zip(plain, given, strict=True) if one[0][5] == "real-time"]
        self.assertTrue(kept and all(own == other for own, other in kept))

    def test_groups_are_streams_of_the_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "t"
            given = requests([0, 1, 2, 3], [0, 1, 2, 3], [5, 5, 5, 5])
            for groups, expected in ((0, "0123"), (3, "0120")):
                write_requests(file, given, groups)
                self.assertEqual("".join(line[-1] for line in file.read_text().splitlines()[-4:]), expected)


class Declarations(unittest.TestCase):
    def declare(self, sweep: str, tables: str = "") -> tuple[Run, ...]:
        text = f"""
title = "t"
report = "admission"
drive = "eagle"
seeds = [1]
[requests]
sectors = 8
[policies]
edf = "edf"
gss = "gss:q={{q}}"
{tables}
[[sweep]]
name = "s"
electronics = ["ideal"]
requests = 10
workload = "own.toml"
{sweep}
"""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "e.toml").write_text(text)
            (Path(folder) / "own.toml").write_text(OWN)
            return load_sweep(Path(folder) / "e.toml").runs

    def test_copies_are_streams_of_their_own(self):
        runs = self.declare('policies = ["edf"]\ncopies = [2, 5]\nsettings = ["settings.cache=read:segments={n}"]', '[schemes]\nedf = "wrr"')
        self.assertEqual([(run.load, run.requests, len(run.streams.spec["streams"])) for run in runs], [(2, 20, 2), (5, 50, 5)])
        self.assertEqual([run.settings for run in runs], [("settings.cache=read:segments=2",), ("settings.cache=read:segments=5",)])
        self.assertEqual({run.scheme for run in runs}, {"wrr"})

    def test_a_visit_is_for_the_largest_group(self):
        runs = self.declare('policies = ["gss"]\ncopies = [6, 7]\ngroups = 3')
        self.assertEqual([run.policy for run in runs], ["gss:q=2", "gss:q=3"])

    def test_mistakes_are_told(self):
        edf = 'policies = ["edf"]\n'
        for sweep, tables, message in (
            (edf, '[layers]\nedf = "upper"', "'layers' is .*each with a layer: horizon, chen"),
            (edf, '[layers]\nscan = "chen"', "layers: there is no policy 'scan'"),
            (edf, '[schemes]\nedf = "fifo"', "'schemes' is .*each with a scheme: gss"),
            (edf + "groups = 2", "", "'groups' goes with 'copies'"),
            (edf + "copies = [1, 300]", "", "'copies' is"),
            (edf + "copies = [1, 2]\nscales = [1, 2]", "", "'scales' and 'copies' both vary"),
            ('policies = ["gss"]\ncopies = [4]', "", r"'groups' is missing; policy 'gss:q=\{q\}' has a \{q\}"),
        ):
            with self.subTest(message), self.assertRaisesRegex(ExperimentError, message):
                self.declare(sweep, tables)


# ------------------------------------------------------------------------------------------------------------------- pages

PLAIN = {
    "requests": 100, "elapsed_ms": 1.0, "response_mean_ms": 10.0, "response_max_ms": 20.0, "response_rt_ms": 9.0, "response_be_ms": 11.0,
    "rt_served": 100, "rt_missed": 0, "missed_in_a_row": 0, "jitter_ms": 1.0, "requests_per_s": 100.0, "mb_per_s": 5.0,
    "distance_total_cylinders": 1_000_000, "seek_mean_ms": 1.0, "rotation_mean_ms": 4.0, "waiting_mean": 2.0, "orders_sum_log10": 18.87,
    "firmware_cycles": 1000, "round_requests": 3,
    "streams": [{"requests": 50, "response_mean_ms": 9.0, "missed": 0, "missed_in_a_row": 0, "jitter_ms": 1.0, "mb_per_s": 2.0}],
}  # fmt: skip


def results_of(name: str, value) -> Results:
    """The whole declaration with made-up results: `value(run)` gives what differs from plain ones."""
    runs = load_sweep(ROOT / f"host/experiment/{name}.toml").runs
    return Results(runs, [PLAIN | value(run) for run in runs])


ADMITTED = {"gss": 14, "rangan": 10, "chen": 20, "wrr": 14, "reddy": 5, "horizon": 9}
CARRIED = {"rangan": 24, "chen": 24, "edf": 22}  # all others: 30


def admission_world(run: Run, early: int = 0) -> dict:
    """The drive carries CARRIED less `early` streams; with more, one request in ten is late."""
    late = run.load > CARRIED.get(run.label, 30) - early
    return {"admitted": ADMITTED.get(run.label), "rt_missed": 10 if late else 0}


class Pages(unittest.TestCase):
    def verdicts(self, claims, results: Results) -> list[str]:
        return [verdict_of(claim.check(results)) for claim in claims]

    def test_admission_in_a_world_in_which_all_is_so(self):
        results = results_of("admission", admission_world)
        self.assertEqual(set(self.verdicts(admission_report.CLAIMS, results)), {HOLDS})
        self.assertEqual(admission_report.carried(results, "rangan").mean, 24)
        self.assertEqual(admission_report.carried(results, "stfd").mean, 30)
        page = admission_report.admission_page(results)
        self.assertIn("| Rangan's | `wrrscan:rt=1,inner=fcfs` | 10 | 0.00 ± 0.00 | 24.0 ± 0.0 | 2.40 ± 0.00 |", page)

    # With 12 fewer gss still carries the 14 that it admits. Rangan's rounds carry 12 then, and Chen's 20 are too many.
    def test_admission_in_other_worlds(self):
        results = results_of("admission", lambda run: admission_world(run, 12))
        self.assertEqual(self.verdicts(admission_report.CLAIMS, results)[0], IN_PART)
        results = results_of("admission", lambda run: admission_world(run, 30))
        self.assertEqual(self.verdicts(admission_report.CLAIMS[:2], results), [FAILS, FAILS])
        swapped = lambda run: admission_world(
            replace(run, label={"gss": "rangan", "edf": "wrr", "wrr": "edf", "rangan": "gss"}.get(run.label, run.label))
        )
        verdicts = self.verdicts(admission_report.CLAIMS, results_of("admission", lambda run: swapped(run) | {"admitted": ADMITTED.get(run.label)}))
        self.assertEqual(verdicts[3:], [FAILS, FAILS])
        less = results_of("admission", lambda run: admission_world(run) | {"admitted": 9 if run.label == "chen" else ADMITTED.get(run.label)})
        self.assertEqual(self.verdicts(admission_report.CLAIMS, less)[2], FAILS)

    # A seed that misses with fewer streams decides where it stops, whatever comes after.
    def test_a_drive_carries_as_many_as_all_smaller_numbers_do(self):
        results = results_of("admission", lambda run: {"rt_missed": int(run.load in (20, 40) and run.seed == 3), "admitted": 5})
        # The other seeds miss nothing, and seed 3 carries 19.
        largest = max(run.load for run in load_sweep(ROOT / "host/experiment/admission.toml").runs)
        self.assertAlmostEqual(admission_report.carried(results, "edf").mean, (4 * largest + 19) / 5)

    def test_host_layers(self):
        read_ahead = lambda run: {"response_mean_ms": 4.0 if run.label == "pre-seeking" else 10.0}
        results = results_of("host-layers", read_ahead)
        self.assertEqual(self.verdicts(host_layers_report.CLAIMS, results), [HOLDS])
        self.assertEqual(self.verdicts(host_layers_report.CLAIMS, results_of("host-layers", lambda run: {})), [FAILS])
        page = host_layers_report.host_layers_page(results)
        for text in ("| Chen's | `wrrscan:inner=fcfs` with quotas from the host |", "| 5b | 3 | 0.00 ± 0.00 |", "| 16 | 10.0 ± 0.0 | 4.0 ± 0.0 |"):
            self.assertIn(text, page)


class TableI(unittest.TestCase):
    def test_rows_of_another_experiment_stand_where_the_papers_do(self):
        table = [["table I"], ["---"], *([row.name] for row in ROWS if row.label not in ("chen", "horizon", "pre-seeking"))]
        layers = [["table I"], ["---"], ["Horizon"], ["Chen's"], ["Pre-seeking sweep"], ["Fahrrad"]]
        self.assertEqual([row[0] for row in with_host_layers(table, layers)[2:]], [row.name for row in ROWS])
        with self.assertRaisesRegex(ValueError, "no row 'Horizon'; make the experiment again"):
            with_host_layers(table, layers[:2] + layers[3:])

    def test_the_page_has_a_row_for_each_scheduler_of_the_papers_table(self):
        paper = ROOT.parent / "shared/papers" / PAPER
        if not paper.is_file():
            self.skipTest(f"{paper} is missing")
        lines = paper.read_text(encoding="utf-8").partition("Table I. ")[2].partition("Fig. 1.")[0].splitlines()
        names = [line.partition("\t")[0] for line in lines if "\t" in line][1:]
        self.assertEqual(len(names), 23)
        page = (ROOT / "host/experiment/results/table-1.md").read_text(encoding="utf-8")
        rows = {line.strip("| ").split(" | ")[0]: line.split(" | ") for line in page.splitlines() if line.startswith("| ")}
        for name in names:
            for part in {"SSEDO/SSEDEV": ["SSEDO", "SSEDV"]}.get(name, [name]):
                self.assertIn(part, rows)
                self.assertTrue(rows[part][1].startswith("`"), f"{part}: {rows[part][1]}")
                self.assertRegex(rows[part][3], r"\d ± \d", part)


if __name__ == "__main__":
    unittest.main()
