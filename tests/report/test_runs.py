# SPDX-License-Identifier: Apache-2.0
"""Reports of runs that the simulator left: they agree with its summary and its event log, and change nothing.

test_runs.py RUN_PROGRAM
"""

import hashlib
import html
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from support import ROOT, run_report  # noqa: I001
from commands import load_commands
from cylinders import Cylinders
from event_log import bus_share
from measures import measure
from run_folder import RunFolder, open_runs
from spread import PS_PER_MS

PROGRAM = ""  # from the command line
REQUESTS = 150


def write_trace(file: Path) -> None:
    """Reads and writes all over a Cheetah, now and then a long one, at a rate that builds a queue.

    Two in three have a deadline, of which every second is best effort's.
    """
    chance = random.Random(11)
    at_us = 0.0
    with open(file, "w", encoding="ascii") as out:
        out.write("headstack-trace 4\ntime-unit us\ncolumns time operation lba blocks deadline class stream priority\n")
        out.write("requests\n")
        for number in range(REQUESTS):
            at_us += chance.expovariate(1 / 6000)
            operation = "W" if chance.random() < 0.3 else "R"
            blocks = 900 if number % 20 == 3 else 8
            urgency = ("- - - 0", f"{3000 * number} real-time {number % 5} 1", "9000000 best-effort - 0")[number % 3]
            out.write(f"{at_us:.3f} {operation} {chance.randrange(17_900_000)} {blocks} {urgency}\n")


def simulate(*words: object) -> None:
    """Simulates on the fast models."""
    environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
    line = [PROGRAM, "--platform", "vp", *map(str, words)]
    subprocess.run(line, env=environment, check=True, capture_output=True)


class Runs(unittest.TestCase):
    """One drive, two policies, on fast models."""

    folder: Path
    runs: list[RunFolder]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        write_trace(cls.folder / "trace")
        for policy in ("fcfs", "stf"):
            simulate("--drive", "cheetah_9lp", "--trace", cls.folder / "trace", "--policy", policy, "observe.events=true", "--out",
                     cls.folder / policy)  # fmt: skip
        cls.runs = open_runs([cls.folder / "fcfs", cls.folder / "stf"])

    def test_agrees_with_the_summary(self) -> None:
        for run in self.runs:
            commands = load_commands(run)
            found = measure(run, commands, (commands.end - commands.begin) // 50, np.array([], dtype=np.int64))
            result = run.result
            with self.subTest(run=run.label):
                self.assertAlmostEqual(found.response.mean, result["response_ps"]["mean"] / PS_PER_MS, places=6)
                for ours, theirs in (("p50", "p50"), ("p99", "p99"), ("maximum", "max")):
                    self.assertEqual(getattr(found.response, ours), result["response_ps"][theirs] / PS_PER_MS)
                self.assertEqual(commands.end - commands.begin, result["elapsed_ps"])
                self.assertAlmostEqual(found.stage_share("media_transfer"), result["utilization"], places=9)
                for stage, total in result["stage_totals"].items():
                    mean = found.stage_ms[stage.removesuffix("_ps")]
                    self.assertAlmostEqual(mean, total / PS_PER_MS / REQUESTS, places=6)
                # Little's law, over the course: the mean of the means is what the summary says.
                outstanding = found.series.outstanding * found.series.grid.width / result["elapsed_ps"]
                self.assertAlmostEqual(float(outstanding.sum()), result["mean_outstanding"], places=6)
                self.assertEqual(sum(band.count for band in found.bands), REQUESTS)
                told = result["deadlines"]["classes"]
                self.assertEqual({one.service_class: one.count for one in found.deadlines},
                                 {"real-time": REQUESTS // 3, "best-effort": REQUESTS // 3})
                for one in found.deadlines:
                    self.assertEqual(one.missed, told[one.service_class]["missed"])
                    self.assertAlmostEqual(one.late_mean_ms,
                                           told[one.service_class]["tardiness_ps"]["mean"] / PS_PER_MS, places=6)
                    self.assertEqual(one.late_max_ms, told[one.service_class]["tardiness_ps"]["max"] / PS_PER_MS)
                self.assertGreater(sum(one.missed for one in found.deadlines), 0)
                self.assertLess(sum(one.missed for one in found.deadlines), 2 * REQUESTS // 3)

    def test_the_conclusion_agrees_with_the_summaries(self) -> None:
        done = run_report(*(run.folder for run in self.runs), "-o", self.folder / "lead.html")
        self.assertEqual(done.status, 0, done.stderr)
        lead = re.findall(r'<p class="(?:lead|reason)">(.*?)</p>', (self.folder / "lead.html").read_text(encoding="utf-8"))
        text = html.unescape(" ".join(lead)).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
        results = [run.result for run in self.runs]
        change = lambda a, b: f"{100 * (b / a - 1):+.1f} %"
        # A run without a wait in the host has no times from arrival.
        times = lambda name: [result.get(name, result["response_ps"]) for result in results]
        spread = lambda name: ", 99 % ".join(change(*(one[key] for one in times(name))) for key in ("mean", "p99"))
        self.assertIn(f"mean response {spread('response_ps')}, throughput "
                      f"{change(*(result['commands_per_second'] for result in results))}; from arrival in the host, mean "
                      f"{spread('from_arrival_ps')}.", text)  # fmt: skip
        # From the sums of the summary: the parts of the change, of which the search is a part of the queue's time.
        total_ms, queued_ms, exposed_ms = (
            (of(results[1]) - of(results[0])) / PS_PER_MS / REQUESTS
            for of in (lambda result: sum(result["stage_totals"].values()), lambda result: result["stage_totals"]["queued_ps"],
                       lambda result: result["search_exposed_ps"]))  # fmt: skip
        self.assertLess(queued_ms, 0.9 * total_ms, "the queue is to change most, by far")
        self.assertIn(f"The mean response changes by {total_ms:.3f} ms; the wait in the drive's queue alone changes by "
                      f"{queued_ms - exposed_ms:.3f} ms.", text)  # fmt: skip

    def test_streams_agree_with_the_records(self) -> None:
        """The figures computed anew from their definitions: RFC 3550's |D|, Jain's index, nearest rank."""
        for run in self.runs:
            lines = run.records.read_text(encoding="ascii").splitlines()
            names = lines[0].split(",")
            rows = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
            # Every third names none: it is its host's, whose SCSI id is 7. Those of real time name 0 .. 4.
            self.assertEqual({row["stream"] for row in rows}, {"0", "1", "2", "3", "4", "7"})
            told = run.result["streams"]
            elapsed_s = run.result["elapsed_ps"] / 1e12
            self.assertEqual(told["count"], 6)
            means, data = [], []
            for one in told["table"]:
                own = [row for row in rows if row["stream"] == str(one["stream"])]
                times = [int(row["response_ps"]) for row in own]
                spacing = [
                    (int(b["completed_ps"]) - int(a["completed_ps"])) - (int(b["submitted_ps"]) - int(a["submitted_ps"]))
                    for a, b in itertools.pairwise(own)
                ]
                dated = [row for row in own if row["deadline_ps"]]
                missed = [int(row["response_ps"]) > int(row["deadline_ps"]) or row["status"] != "0" for row in dated]
                means.append(sum(times) // len(times))
                data.append(sum(int(row["blocks"]) for row in own))
                with self.subTest(run=run.label, stream=one["stream"]):
                    self.assertEqual(one["commands"], len(own))
                    self.assertAlmostEqual(one["commands_per_second"], len(own) / elapsed_s)
                    self.assertAlmostEqual(one["bytes_per_second"], data[-1] * 512 / elapsed_s, places=3)
                    self.assertEqual(one["response_ps"],
                                     {"mean": means[-1], "p95": sorted(times)[-(-95 * len(times) // 100) - 1], "max": max(times)})
                    self.assertEqual(one["jitter_ps"], sum(map(abs, spacing)) // len(spacing))
                    self.assertEqual(one["deadlines"]["commands"], len(dated))
                    self.assertEqual(one["deadlines"]["missed"], sum(missed))
                    in_a_row = max((len(list(group)) for value, group in itertools.groupby(missed) if value), default=0)
                    self.assertEqual(one["deadlines"]["missed_in_a_row"], in_a_row)
            for name, shares in (("throughput", data), ("response", means)):
                jain = sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares))
                self.assertAlmostEqual(told["fairness"][name], jain)
            self.assertIs(run.summary["streams_told"], False)
            self.assertIn("did not get the trace's streams", (run.folder / "summary.txt").read_text())

    def test_hosts_are_streams_by_their_scsi_ids(self) -> None:
        out = self.folder / "hosts"
        trace = self.folder / "hosts.trace"
        lines = [f"0 R {1000 * number} 8 - {number % 3}" for number in range(30)]
        trace.write_text("\n".join(["headstack-trace 2", "time-unit us", "columns time operation lba blocks deadline initiator",
                                    "requests", *lines, ""]), encoding="ascii")
        simulate("--drive", "cheetah_9lp", "--trace", trace, "--hosts", 3, "--out", out)
        [run] = open_runs([out])
        # Ids 7, 6, 5 (host/README.md).
        self.assertEqual([(one["stream"], one["commands"]) for one in run.result["streams"]["table"]], [(5, 10), (6, 10), (7, 10)])
        self.assertNotIn("streams_told", run.summary)

    def test_a_run_of_one_stream_has_no_table(self) -> None:
        out = self.folder / "one"
        simulate("--drive", "cheetah_9lp", "--trace", ROOT / "traces/measured/ext4-git-sqlite.trace", "--limit", 20, "--out", out)
        [run] = open_runs([out])
        self.assertNotIn("streams", run.result)
        done = run_report(out, "-o", self.folder / "one.html")
        self.assertEqual(done.status, 0, done.stderr)
        self.assertNotIn("Streams", (self.folder / "one.html").read_text(encoding="utf-8"))

    def test_the_page_has_every_stream(self) -> None:
        page_file = self.folder / "streams.html"
        done = run_report(*(run.folder for run in self.runs), "-o", page_file)
        self.assertEqual(done.status, 0, done.stderr)
        page = page_file.read_text(encoding="utf-8")
        self.assertIn("fcfs: the drive was not told of the trace&#39;s streams", page)
        for run in self.runs:
            table = page[page.index(f"Streams of {run.label}") :]
            for one in run.result["streams"]["table"]:
                cells = re.search(rf'<th scope="row">{one["stream"]}</th>(.*)', table)
                assert cells is not None
                found = re.findall(r"<td[^>]*>(.*?)</td>", cells[1])
                self.assertEqual(found[0], str(one["commands"]))
                self.assertEqual(found[3], f"{one['response_ps']['mean'] / PS_PER_MS:,.3f}")
                self.assertEqual(found[6], f"{one['jitter_ps'] / PS_PER_MS:,.3f}")
                self.assertEqual(found[7], str(one["deadlines"]["missed"]))
                self.assertEqual(found[9], str(one["deadlines"]["missed_in_a_row"]))

    def test_the_arm_goes_where_the_event_log_says(self) -> None:
        run = self.runs[1]
        design = run.design()
        assert design is not None
        cylinders = Cylinders(design)
        self.assertEqual(cylinders.capacity, 17_918_387)
        events = [line.split() for line in run.event_log.read_text(encoding="ascii").splitlines()]
        seeks = [int(argument, 16) >> 8 for _, name, argument in events if name == "SEEK_START"]
        records = [line.split(",") for line in run.records.read_text().splitlines()[1:]]
        for begin in (int(line[2]) for line in records):
            self.assertIn(int(cylinders.of(np.array([begin]))[0]), seeks)

    def test_the_bus_is_used_for_more_than_the_stages_show(self) -> None:
        for run in self.runs:
            commands = load_commands(run)
            share = bus_share(run.event_log, commands.begin, commands.end)
            assert share is not None
            on_the_bus = ("selection", "command", "bus_data", "status")
            shown = sum(run.result["stage_totals"][f"{name}_ps"] for name in on_the_bus)
            with self.subTest(run=run.label):
                self.assertGreater(share, shown / run.result["elapsed_ps"])
                self.assertLess(share, 1)

    def test_reading_changes_no_file(self) -> None:
        before = self.hashes()
        done = run_report(*(run.folder for run in self.runs), "-o", self.folder / "page.html")
        self.assertEqual(done.status, 0, done.stderr)
        self.assertEqual(self.hashes(), before)

    def hashes(self) -> dict[str, str]:
        """The hashes of every file of the runs."""
        return {
            str(file): hashlib.sha256(file.read_bytes()).hexdigest()
            for run in self.runs
            for file in sorted(run.folder.iterdir())
        }

    def test_compare_puts_the_summaries_side_by_side(self) -> None:
        program = [sys.executable, "-B", str(ROOT / "host/report/compare.py")]
        folders = [run.folder for run in self.runs]
        done = subprocess.run([*program, *folders], capture_output=True, text=True, check=True)
        rows = {line[:26].strip(): line[26:].split() for line in done.stdout.splitlines()[2:]}
        self.assertEqual(rows["run"], [folder.name[-13:] for folder in folders])
        self.assertEqual(rows["policy"], ["fcfs", "stf"])
        self.assertEqual(rows["response, 99 %"],
                         [f"{run.result['response_ps']['p99'] / PS_PER_MS:.3f}" for run in self.runs])
        self.assertEqual(rows["deadlines missed, %"],
                         [f"{100 * run.result['deadlines']['missed_share']:.2f}" for run in self.runs])
        self.assertEqual(rows["deadlines told by"], ["none", "none"])
        streams = [run.result["streams"] for run in self.runs]
        self.assertEqual(rows["streams"], ["6", "6"])
        self.assertEqual(rows["fairness, response"], [f"{one['fairness']['response']:.3f}" for one in streams])
        for name, worst in (
            ("worst stream, response", lambda row: row["response_ps"]["mean"]), ("worst stream, jitter", lambda row: row["jitter_ps"]),
        ):  # fmt: skip
            self.assertEqual(rows[name], [f"{max(map(worst, one['table'])) / PS_PER_MS:.3f}" for one in streams])
        self.assertEqual(rows["missed in a row, most"],
                         [str(max(row["deadlines"]["missed_in_a_row"] for row in one["table"])) for one in streams])
        wrong = subprocess.run([*program, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 1)
        self.assertRegex(wrong.stderr, r"^headstack: error: .*; give folders that 'headstack run --out'")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
