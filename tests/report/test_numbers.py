# SPDX-License-Identifier: Apache-2.0
"""Figures of a report against runs small enough to work out by hand."""

import html
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

from support import record, run_report, with_sense, write_run  # noqa: I001
from commands import load_commands
from measures import measure
from paired import find_obstacle, pair
from record_file import sense_number, sense_text
from run_folder import RunFolder, open_runs
from spread import curve, rank, spread

# Four commands; they take 10, 20, 30 and 40 ms, and are served within 60 ms. Completions at 10, 20, 40, 60 ms.
# Blocks 8 .. 11 lie on cylinders 0 and 1, block 105 on cylinder 10, block 55 on cylinder 5.
FIRST = [
    record(0, "read", 8, 4, 0, command=2, seek=2, rotation=3, media_transfer=1, bus_data=2),
    record(1, "write", 105, 1, 0, command=2, queued=8, exposed=1, seek=4, settle=1, rotation=4, media_transfer=1),
    record(2, "flush", 0, 0, 10, status=30),
    record(3, "read", 55, 4, 20, seek=10, rotation=20, media_transfer=10),
]
# The same requests: 5 ms faster, as fast, 15 ms slower, 10 ms faster.
SECOND = [
    record(0, "read", 8, 4, 0, command=2, seek=2, media_transfer=1),
    record(1, "write", 105, 1, 0, command=2, queued=8, seek=4, settle=1, rotation=4, media_transfer=1),
    record(3, "read", 55, 4, 20, rotation=20, media_transfer=10),
    record(2, "flush", 0, 0, 10, status=45),
]
PS_PER_MS = 10**9


def row(page: str, name: str) -> list[str]:
    """The cells of the first row of that name."""
    for title, cells in re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page):
        if html.unescape(title) == name:
            return [html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", cells)]
    raise AssertionError(f"no row '{name}'")


class Numbers(unittest.TestCase):
    """Both runs, read by the library and by the program."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        # Pictures take most of a page's time, and no number here comes from them.
        self.enterContext(mock.patch("page.inline_svg", return_value="<svg></svg>"))

    def runs(self, *runs: tuple[str, list[str]]) -> list[RunFolder]:
        return open_runs([write_run(self.folder / name, lines, elapsed_ms=60) for name, lines in runs])

    def page(self, *folders: Path) -> str:
        out = self.folder / "page.html"
        done = run_report(*folders, "-o", out)
        self.assertEqual((done.status, done.stderr), (0, ""))
        return out.read_text(encoding="utf-8")

    def test_key_figures(self) -> None:
        page = self.page(write_run(self.folder / "a", FIRST, elapsed_ms=60))
        expected = {
            "commands": "4",
            "response, mean, ms": "25.000",
            "response, median, ms": "20.000",  # rank ceil(0.5 * 4) = 2
            "response, 95 %, ms": "40.000",
            "response, 99.9 %, ms": "40.000",
            "response, maximum, ms": "40.000",
            "service, mean, ms": "22.000",  # 8, 10, 30, 40
            "service, median, ms": "10.000",
            "throughput, commands/s": "66.667",
            "throughput, MB/s": "0.077",  # 9 blocks of 512 bytes in 60 ms
            "elapsed, s": "0.060",
            "outstanding commands, mean": "1.667",  # 100 ms of responses in 60 ms
            "waiting in the drive's queue, mean": "0.133",  # 8 of 60 ms
            "seek distance, mean, cylinders": "7.000",  # 1 to 10, 10 to 5; where the arm was before is not known
            "media utilization (sectors passing), %": "20.0",  # 12 of 60 ms
            "arm utilization (seek, settle, head switch), %": "28.3",  # 17 of 60 ms
            "waiting for the platter to turn, %": "45.0",  # 27 of 60 ms
            "bus utilization, %": "\N{GREATER-THAN OR EQUAL TO} 60.0",  # command 4, data 2, status 30 ms at least
            "the media waiting for the scheduler's search, us a command": "250.0",  # 1 ms in 4 commands
            "missed revolutions": "3",
        }
        for name, value in expected.items():
            with self.subTest(name=name):
                self.assertEqual(row(page, name), [value])

    def test_operations_and_stages(self) -> None:
        page = self.page(write_run(self.folder / "a", FIRST, elapsed_ms=60))
        self.assertEqual(row(page, "a: read"), ["2", "25.000", "10.000", "40.000", "40.000", "40.000", "40.000"])
        self.assertEqual(row(page, "a: flush")[:2], ["1", "30.000"])
        self.assertEqual(row(page, "queued"), ["1.7500 (7.0 %)"])  # 7 ms without the search's 1 ms
        self.assertEqual(row(page, "search, the media waiting"), ["0.2500 (1.0 %)"])
        self.assertEqual(row(page, "seek"), ["4.0000 (16.0 %)"])
        self.assertEqual(row(page, "response"), ["25.0000"])
        self.assertEqual(row(page, "of it service"), ["22.0000"])

    def test_sizes(self) -> None:
        """Classes are powers of two; the times are those of the lines below, worked out by hand."""
        sizes = (1, 2, 3, 4, 5, 8, 9, 256)
        lines = [record(number, "write", number, blocks, 0, status=1 + number) for number, blocks in enumerate(sizes)]
        lines += [record(8, "read", 8, 8, 0, status=20), record(9, "flush", 0, 0, 0, status=30)]
        other = [record(0, "write", 0, 3, 0, status=40), record(1, "write", 8, 4, 0, status=60)]
        page = self.page(write_run(self.folder / "a", lines), write_run(self.folder / "b", other))
        table = page[page.index("Response times by operation and size") :]
        table = table[: table.index("</table>")]
        of_two = lambda first, second: ["2", f"{(first + second) / 2:.3f}", f"{first:.3f}", *4 * [f"{second:.3f}"]]
        expected = {
            "read, 5 to 8 blocks: a": ["1", *6 * ["20.000"]],
            "write, 1 block: a": ["1", *6 * ["1.000"]],
            "write, 2 blocks: a": ["1", *6 * ["2.000"]],
            "write, 3 to 4 blocks: a": of_two(3, 4),
            "write, 3 to 4 blocks: b": of_two(40, 60),
            "write, 5 to 8 blocks: a": of_two(5, 6),
            "write, 9 to 16 blocks: a": ["1", *6 * ["7.000"]],
            "write, 129 to 256 blocks: a": ["1", *6 * ["8.000"]],
        }
        self.assertEqual(re.findall(r'<tr><th scope="row">(.*?)</th>', table), list(expected))
        for name, cells in expected.items():
            self.assertEqual(row(table, name), cells, name)

    def test_requests_of_one_class_need_no_table_of_sizes(self) -> None:
        lines = [record(0, "read", 8, 5, 0, status=1), record(1, "write", 8, 8, 0, status=1), record(2, "flush", 0, 0, 0, status=1)]
        self.assertNotIn("operation and size", self.page(write_run(self.folder / "a", lines)))

    def test_times_from_arrival_are_there_when_commands_waited_in_the_host(self) -> None:
        """Submitted at 5 ms and 10 ms; they arrived at 5 ms and 3 ms, and take 1 ms and 2 ms."""
        came = lambda *arrived_ms: [
            record(number, "read", 8, 4, 5 * (number + 1), [str(ms * PS_PER_MS)], status=1 + number)
            for number, ms in enumerate(arrived_ms)
        ]
        waited = write_run(self.folder / "waited", came(5, 3), columns=["arrived_ps"])
        at_once = write_run(self.folder / "at-once", came(5, 10), columns=["arrived_ps"])
        closed = write_run(self.folder / "closed", FIRST, loop="closed")
        page = self.page(waited, at_once, closed)
        self.assertEqual(row(page, "response, maximum, ms"), ["2.000", "2.000", "40.000"])
        self.assertEqual(row(page, "from arrival in the host, mean, ms"), ["5.000", "1.500", "25.000"])
        self.assertEqual(row(page, "from arrival in the host, median, ms"), ["1.000", "1.000", "20.000"])
        self.assertEqual(row(page, "from arrival in the host, maximum, ms"), ["9.000", "2.000", "40.000"])
        change = page[page.index("Change of the key figures") :]
        self.assertEqual(row(change, "from arrival in the host, maximum, ms")[1], "\N{MINUS SIGN}77.8 %")
        self.assertNotIn("from arrival", self.page(at_once, closed).replace("times from arrival", ""))

    def test_bus_utilization_from_the_event_log(self) -> None:
        folder = write_run(self.folder / "a", FIRST, elapsed_ms=60)
        # 40,000 clock edges a millisecond: 10 ms, then 10 ms more; the last taking ends with the run.
        events = ["0 SELECTED 7", "100 IDLE 0", "400000 BUS_FREE 7", "1600000 RESELECTED 70001", "2000000 BUS_FREE 7"]
        (folder / "events.txt").write_text("\n".join(events) + "\n", encoding="ascii")
        self.assertEqual(row(self.page(folder), "bus utilization, %"), ["33.3"])

    def test_course(self) -> None:
        (run,) = self.runs(("a", FIRST))
        measures = measure(run, load_commands(run), 10 * PS_PER_MS, np.array([], dtype=np.int64))
        series = measures.series
        self.assertEqual(series.outstanding.tolist(), [2, 2, 2, 2, 1, 1])
        self.assertEqual(series.commands_per_s.tolist(), [0, 100, 100, 0, 100, 100])
        np.testing.assert_array_equal(series.response_ms, [np.nan, 10, 20, np.nan, 30, 40])
        # Accesses begin at 2, 10 and 20 ms; the first one has none before it.
        np.testing.assert_array_equal(series.seek_cylinders, [np.nan, 9, 5, np.nan, np.nan, np.nan])
        self.assertEqual(np.flatnonzero(measures.seek_cylinders).tolist(), [5, 9])
        self.assertEqual(series.megabytes_per_s[1], 4 * 512 / 1e6 * 100)

    def test_bands_hold_whole_commands(self) -> None:
        (run,) = self.runs(("a", FIRST))
        measures = measure(run, load_commands(run), PS_PER_MS, np.array([], dtype=np.int64))
        # Ranks 2 (500 of 1,000), 4 (900 and more).
        self.assertEqual([(band.name, band.count) for band in measures.bands], [("fastest half", 2), ("to 90 %", 2)])
        self.assertEqual(measures.bands[0].stage_ms["seek"], 3)
        self.assertEqual(measures.bands[1].stage_ms["media_transfer"], 5)

    def test_the_same_commands_in_two_runs(self) -> None:
        first, second = self.runs(("a", FIRST), ("b", SECOND))
        a, b = load_commands(first), load_commands(second)
        self.assertEqual(find_obstacle(first, second, a, b), "")
        paired = pair(first, second, a, b, 1)
        self.assertEqual((paired.count, paired.faster, paired.same, paired.slower), (4, 2, 1, 1))
        self.assertEqual((paired.mean_ms, paired.median_ms), (0.0, -5.0))
        self.assertEqual((paired.p5_ms, paired.p95_ms), (-10.0, 15.0))
        self.assertEqual((paired.most_faster, paired.most_slower), ([3, 0], [2]))
        self.assertEqual(paired.response_ms, {3: (40.0, 30.0), 0: (10.0, 5.0), 2: (30.0, 45.0)})
        self.assertEqual(int(paired.density.counts.sum()), 4)

    def test_comparison_on_the_page(self) -> None:
        page = self.page(*(run.folder for run in self.runs(("a", FIRST), ("b", SECOND))))
        self.assertEqual(row(page, "b against a"), ["4", "2 (50.0 %)", "1 (25.0 %)", "1 (25.0 %)", "0.000",
                                          "\N{MINUS SIGN}10.000", "\N{MINUS SIGN}5.000", "+15.000"])
        self.assertEqual(row(page, "3"), ["read", "55", "4", "20.000", "40.000", "30.000", "\N{MINUS SIGN}10.000"])
        # 25 ms in both; throughput 4 in 60 against 4 in 55 ms.
        comparison = page[page.index("Change of the key figures against a.") :]
        self.assertEqual(row(comparison, "response, mean, ms"), ["25.000", "0.0 %"])
        self.assertEqual(row(comparison, "throughput, commands/s"), ["66.667", "+9.1 %"])

    def test_an_interrupted_run_is_compared_as_far_as_it_went(self) -> None:
        first = write_run(self.folder / "a", FIRST, elapsed_ms=60)
        second = write_run(self.folder / "b", SECOND[:2], elapsed_ms=20, interrupted=True)
        page = self.page(first, second)
        self.assertIn("b was interrupted. What follows is what was done by then.", page)
        self.assertEqual(row(page, "ended"), ["complete", "interrupted"])
        self.assertEqual(row(page, "b against a")[0], "2")

    def test_a_failed_run_says_why(self) -> None:
        page = self.page(write_run(self.folder / "a", FIRST, elapsed_ms=60, failure="wrong <data>"))
        self.assertIn("a failed: wrong &lt;data&gt;.", page)

    def test_sense_is_counted_and_explained(self) -> None:
        """The codes and words are those of SCSI-2 table 71."""
        senses = ("4/02/00", "", "B/2E/01", "4/02/00")
        lines = [with_sense(line, sense) for line, sense in zip(FIRST, senses, strict=True)]
        told = [
            {"sense": "4/02/00", "words": "no seek complete", "received": 9, "explained_by": ""},
            {"sense": "6/29/02", "words": "SCSI bus reset occurred", "received": 3, "explained_by": "resets by hosts"},
            {"sense": "B/2E/01", "words": "command timeout", "received": 1, "explained_by": "--deadlines cdl"},
        ]
        first = write_run(self.folder / "first", lines, elapsed_ms=60, has_sense=True, sense=told)
        plain = write_run(self.folder / "plain", FIRST, elapsed_ms=60)
        commands = load_commands(open_runs([first])[0])
        self.assertEqual(commands.failed, 3)
        self.assertEqual({sense_text(code): count for code, count in commands.sense.items()}, {"4/02/00": 2, "B/2E/01": 1})
        page = self.page(first, plain)
        self.assertEqual(row(page, "4/02/00 no seek complete"), ["2; received 9, no option explains it", "0"])
        self.assertEqual(row(page, "6/29/02 SCSI bus reset occurred"), ["0; received 3, explained by resets by hosts", "0"])
        self.assertEqual(row(page, "B/2E/01 command timeout"), ["1; received 1, explained by --deadlines cdl", "0"])
        self.assertNotIn("Sense data", self.page(plain))

    def test_a_sense_is_a_number_and_back(self) -> None:
        for text, number in (("4/02/00", 0x040200), ("B/2E/03", 0x0B2E03), ("4/03/00 deferred", 0x140300), ("0/00/00", 0)):
            self.assertEqual((sense_number(text), sense_text(number)), (number, text))

    def test_runs_that_cannot_be_paired_say_why(self) -> None:
        first = write_run(self.folder / "a", FIRST, elapsed_ms=60)
        other = write_run(self.folder / "b", [*FIRST[:3], FIRST[3].replace("read,55,", "read,56,")], elapsed_ms=60)
        page = self.page(first, other)
        self.assertIn("b is not compared command by command with a, since the requests differ", page)
        self.assertNotIn("The same commands in two runs", page)

    def test_runs_are_paired_on_their_own_drive(self) -> None:
        first = write_run(self.folder / "a", FIRST, elapsed_ms=60)
        other = write_run(self.folder / "b", FIRST, elapsed_ms=60, drive="another one")
        third = write_run(self.folder / "c", SECOND, elapsed_ms=60, drive="another one")
        page = self.page(first, other, third)
        self.assertIn("b is not compared command by command with a, since the drives differ", page)
        self.assertEqual(row(page, "c against b")[:2], ["4", "2 (50.0 %)"])
        self.assertNotIn("c is not compared", page)

    def test_deadlines(self) -> None:
        # Met at the very instant; none; late by 10 ms; late by 1 ms.
        deadlines = ("10000000000", "", "20000000000", "39000000000")
        lines = [line.rstrip("\n") + f",{deadline}\n" for line, deadline in zip(FIRST, deadlines, strict=True)]
        page = self.page(write_run(self.folder / "a", lines, elapsed_ms=60, columns=["deadline_ps"]))
        deadline_table = page[page.index("Deadlines, counted") :]
        self.assertEqual(row(deadline_table, "a"), ["real-time", "3", "2", "66.7", "5.500", "10.000"])
        self.assertNotIn("Deadlines", self.page(write_run(self.folder / "b", FIRST, elapsed_ms=60)))

    def test_slack_when_chosen(self) -> None:
        # The first is due at 10 ms and chosen after 2 ms of command; the last is due at 39 ms and chosen at once. The
        # second has no deadline, and the flush does not come to the media.
        deadlines = ("10000000000", "", "20000000000", "39000000000")
        lines = [line.rstrip("\n") + f",{deadline}\n" for line, deadline in zip(FIRST, deadlines, strict=True)]
        (run,) = open_runs([write_run(self.folder / "a", lines, elapsed_ms=60, columns=["deadline_ps"])])
        found = measure(run, load_commands(run), 10 * PS_PER_MS, np.empty(0, np.int64)).slack_curve
        assert found is not None
        self.assertEqual(([8.0, 39.0], [0.5, 1.0]), (list(found.ms), list(found.share)))

    def test_deadlines_by_class(self) -> None:
        # Real-time: in time but not GOOD; best effort: late by 30 ms from before its submission on. No stream is no number.
        urgencies = ("20000000000,real-time,3,1", ",best-effort,,0", "-10000000000,best-effort,255,0", ",best-effort,,15")
        lines = [line.rstrip("\n") + f",{urgency}\n" for line, urgency in zip(FIRST, urgencies, strict=True)]
        parts = lines[0].split(",")
        parts[7] = "2"
        lines[0] = ",".join(parts)
        columns = ["deadline_ps", "class", "stream", "priority"]
        page = self.page(write_run(self.folder / "a", lines, elapsed_ms=60, columns=columns))
        deadline_table = page[page.index("Deadlines, counted") :]
        self.assertEqual(row(deadline_table, "a"), ["best-effort", "1", "1", "100.0", "40.000", "40.000"])
        self.assertIn("real-time", deadline_table)

    def test_hosts(self) -> None:
        lines = [line.rstrip("\n") + f",{host}\n" for line, host in zip(FIRST, (0, 1, 1, 0), strict=True)]
        page = self.page(write_run(self.folder / "a", lines, elapsed_ms=60, columns=["initiator"], initiators=2))
        self.assertEqual(row(page, "a: host 0")[:3], ["2", "25.000", "10.000"])
        self.assertEqual(row(page, "a: host 1")[:3], ["2", "25.000", "20.000"])
        self.assertEqual(row(page, "hosts"), ["2"])

    def test_what_only_one_run_asked_for_is_named_for_both(self) -> None:
        first = write_run(self.folder / "a", FIRST, elapsed_ms=60)
        # The first 7 requests of the trace made no records.
        later = [str(int(line[0]) + 7) + line[1:] for line in FIRST]
        second = write_run(self.folder / "b", later, elapsed_ms=60, cache="read", warm_up_commands=7)
        page = self.page(first, second)
        self.assertEqual(row(page, "cache"), ["off", "read"])
        self.assertEqual(row(page, "commands before these, to warm up"), ["0", "7"])
        self.assertIn("b is not compared command by command with a, since no command is in both runs", page)
        self.assertIn("reported from the buffer is in no command", page)

    def test_against_the_real_drive(self) -> None:
        # 12 and 37 ms against 10 and 40: sqrt((4 + 9) / 2) = 2.550 ms, of a mean of 24.5 ms 10.4 %.
        measured = ("12000000000", "", "", "37000000000")
        lines = [line.rstrip("\n") + f",{time},\n" for line, time in zip(FIRST, measured, strict=True)]
        columns = ["measured_service_ps", "something_else"]
        page = self.page(write_run(self.folder / "a", lines, elapsed_ms=60, columns=columns))
        real = page[page.index("Measured and simulated mean times") :]
        self.assertEqual(row(real, "a"), ["2", "24.500", "25.000", "2.550", "10.4"])


class OrderStatistics(unittest.TestCase):
    """Ranks, and curves with fewer points than times."""

    def test_nearest_rank(self) -> None:
        cases = [(1, 500, 0), (2, 500, 0), (3, 500, 1), (1000, 999, 998), (1001, 999, 999), (100, 990, 98), (4, 0, 0)]
        for count, per_mille, place in cases:
            with self.subTest(count=count, per_mille=per_mille):
                self.assertEqual(rank(count, per_mille), place)

    def test_of_nothing(self) -> None:
        self.assertEqual(spread(np.array([], dtype=np.int64)).maximum, 0.0)

    def test_a_thinned_curve_has_true_points_and_the_slowest(self) -> None:
        times = np.arange(1, 100_001, dtype=np.int64) * PS_PER_MS
        points = curve(times)
        self.assertLess(len(points.ms), 1200)
        np.testing.assert_allclose(points.share, points.ms / 100_000)
        self.assertEqual((points.ms[0], points.ms[-1]), (1, 100_000))
        self.assertIn(99_999, points.ms)


if __name__ == "__main__":
    unittest.main()
