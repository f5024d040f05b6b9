# SPDX-License-Identifier: Apache-2.0
"""The drives beside the real ones, from end to end, on the program that users run: test_real_drives.py RUN_PROGRAM [--own]

Skipped (exit status 77) where DiskSim's measured traces are missing, which are no part of this project. With --own it runs what needs
none of them: what the drives do beside what was published.
"""

import contextlib
import csv
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from bisect import insort
from itertools import product
from pathlib import Path
from random import Random

from support import ROOT
import fidelity
from declaration import load_declaration
from fidelity import TRACES
from schema import load_toml

PROGRAM = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
SKIPPED = 77
OWN = ("OwnOverhead", "ManyOutstanding", "PublishedTimes")  # tests without traces
FEW = 120  # commands


def call(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of the program, in this process."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            status = fidelity.main([str(PROGRAM), *(str(argument) for argument in arguments)])
        except SystemExit as end:
            status = int(end.code or 0)
    return status, stdout.getvalue(), stderr.getvalue()


class OwnOverhead(unittest.TestCase):
    """What drive.controller published takes off: this drive's own time for a command (host/options/controller_option.hpp)."""

    SIZES = (1, 2, 4, 8, 12, 16, 24, 32, 40, 48)  # blocks

    def measured_us(self, drive: str) -> float:
        """Where the line through reads from the buffer meets no blocks at all."""
        with tempfile.TemporaryDirectory() as name:
            trace, out = Path(name) / "hits.trace", Path(name) / "out"
            reads = [self.SIZES[-1], *self.SIZES]  # the first one fills the buffer
            lines = [f"- R 1000 {blocks} -" for blocks in reads]
            trace.write_text("\n".join(["headstack-trace 1", "time-unit us", "loop closed", "requests", *lines, ""]))
            words = ["--platform", "vp", "--drive", drive, "--trace", trace, "--cache", "read", "--depth", "1"]
            environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
            subprocess.run([PROGRAM, *words, "--out", out], check=True, capture_output=True, env=environment)
            with (out / "records.csv").open() as file:
                times = [int(row["response_ps"]) / 1e6 for row in csv.DictReader(file)][1:]
        return statistics.linear_regression(self.SIZES, times).intercept

    def test_it_is_what_reads_from_the_buffer_take_without_their_data(self) -> None:
        header = (ROOT / "host/options/controller_option.hpp").read_text()
        found = re.search(r"kOwnOverhead = (\d+) \* kPicosecondsPerMicrosecond;", header)
        assert found is not None
        for drive in ("hp_c2247a", "hp_c3323a", "cheetah_9lp"):
            with self.subTest(drive=drive):
                self.assertAlmostEqual(self.measured_us(drive), int(found[1]), delta=2)


class ManyOutstanding(unittest.TestCase):
    """A controller that is busy with commands does not keep the arm waiting."""

    COMMANDS, OUTSTANDING = 1500, 64

    def test_no_revolution_is_missed_for_the_controllers_work(self) -> None:
        # The drive knows when a sector comes, and chooses by that. What it misses, its firmware was too late for. A search
        # that takes longer than those before may be too late. Asking all waiting commands again missed 18: three times the bound.
        with tempfile.TemporaryDirectory() as name:
            trace, out = Path(name) / "random.trace", Path(name) / "out"
            choose = Random(29)
            lines = [f"- {choose.choice('RRW')} {8 * choose.randrange(250_000)} 8 -" for _ in range(self.COMMANDS)]
            trace.write_text("\n".join(["headstack-trace 1", "time-unit us", "loop closed", "requests", *lines, ""]))
            words = ["--platform", "vp", "--drive", "hp_c3323a", "--trace", trace, "--policy", "stf", "--cache", "read-write"]
            words += ["drive.controller=published", "--depth", str(self.OUTSTANDING)]
            environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
            subprocess.run([PROGRAM, *words, "--out", out], check=True, capture_output=True, env=environment)
            summary = json.loads((out / "summary.json").read_text())
        self.assertLessEqual(summary["missed_revolutions"], self.COMMANDS // 250)


class PublishedTimes(unittest.TestCase):
    """What drive.controller published makes of this drive's own times, kOwn... of host/options/controller_option.hpp.

    Commands come one at a time, at random think times. So some find the drive reading ahead, and others find it at rest.
    """

    DRIVES = ("hp_c2247a", "hp_c2490a", "hp_c3323a", "cheetah_4lp", "cheetah_9lp")
    BEFORE = ("issued", "selection", "command", "queued", "chosen")
    TAIL = ("bus_wait", "bus_data", "status")
    CACHES = ("off", "read")
    # The drive's own times differ by 4 us from drive to drive. A revolution is won or lost in one of a thousand commands
    # when the arm starts 6 us too late: 6 us in the mean of a revolution of 6 ms.
    BOUND_US = 6.0
    # Of 10 commands 8 must lie as close together, for the same reason. The others may have found the firmware at work, or
    # the heads on their way to the next track. A movement goes on to its end.
    SPREAD_US = 6.0
    BYTE_NS = 200
    COMMANDS = 400
    THINK_US = 20_000  # at most; reading ahead takes up to 25 ms
    # Where less was published than this drive takes itself. To ask the cache takes time, too.
    OWN_START_US = {"off": 92, "read": 104}
    OWN_HIT_US = 91
    # A hit waits for no revolution. It may wait for the firmware, which lets read-ahead go on after the read before it.
    HIT_SPREAD_US = 10.0
    THINK_HEAD = ("headstack-trace 2", "loop think", "columns operation lba blocks think")

    def run_of(
        self, drive: str, requests: list[str], cache: str, head: tuple[str, ...] = ("headstack-trace 1", "loop closed")
    ) -> list[dict[str, str]]:
        """The records."""
        with tempfile.TemporaryDirectory() as name:
            trace, out = Path(name) / "own.trace", Path(name) / "out"
            trace.write_text("\n".join([head[0], "time-unit us", *head[1:], "requests", *requests, ""]))
            words = ["--platform", "vp", "--drive", drive, "--trace", trace, "--cache", cache, "--depth", "1"]
            words += ["--policy", "fcfs", "drive.controller=published", f"hosts.bus=sync:{self.BYTE_NS}"]
            environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
            subprocess.run([PROGRAM, *words, "--out", out], check=True, capture_output=True, env=environment)
            with (out / "records.csv").open() as file:
                return list(csv.DictReader(file))

    @staticmethod
    def overheads_of(drive: str) -> dict[str, float]:
        """The extracted overheads, in ms. A write settle below 0 compares whole seeks: a write starts its arm that much
        earlier.
        """
        description = load_toml(ROOT / f"sim/drives/{drive}.toml", "")
        published: dict[str, float] = description["published"]["overheads_ms"]
        return published | {"write_settle": min(float(description["design"]["write_settle_ms"]), 0.0)}

    def parts_us(self, drive: str, cache: str, blocks: int = 1) -> dict[tuple[str, str], tuple[list[float], list[float]]]:
        """Anywhere on the drive, by operation and the one before: up to the arm's start, and after the media. Both ascend."""
        random = Random(5)
        requests = [f"{random.choice('RW')} {random.randrange(1_500_000)} {blocks} {random.randrange(self.THINK_US)}" for _ in range(self.COMMANDS)]
        found: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
        before = ""
        for row in self.run_of(drive, requests, cache, self.THINK_HEAD):
            if before:
                lists = found.setdefault((row["operation"], before), ([], []))
                for stages, values in zip((self.BEFORE, self.TAIL), lists, strict=True):
                    insort(values, sum(int(row[f"{stage}_ps"]) for stage in stages) / 1e6)
            before = row["operation"]
        self.assertEqual(set(found), set(product(("read", "write"), repeat=2)))
        return found

    def assert_close_together(self, ascending: list[float], spread_us: float = SPREAD_US) -> None:
        """Eight of ten."""
        self.assertGreaterEqual(len(ascending), 40)
        tenth = len(ascending) // 10
        self.assertLessEqual(ascending[-1 - tenth] - ascending[tenth], spread_us)

    @staticmethod
    def start_of(times: dict[str, float], operation: str, before: str) -> float:
        """When the arm was published to start, in ms."""
        if operation == before == "write" and "extradisc_command" in times:
            return times["extradisc_command"] + times["extradisc_seek_delta"]
        return times[f"{operation}_miss_after_{before}"] + (times["write_settle"] if operation == "write" else 0)

    def test_the_arm_starts_as_soon_for_many_blocks(self) -> None:
        # The Cheetah 4LP has no room for so long a write to wait in, beside its cache's segments.
        for drive in sorted(set(self.DRIVES) - {"cheetah_4lp"}):
            times = self.overheads_of(drive)
            for (operation, before), (starts_us, _) in self.parts_us(drive, "read", 48).items():
                start_us = max(1e3 * self.start_of(times, operation, before), self.OWN_START_US["read"])
                with self.subTest(drive=drive, operation=operation, before=before):
                    self.assertAlmostEqual(statistics.median(starts_us), start_us, delta=self.BOUND_US)

    def test_the_arm_starts_and_the_command_ends_when_they_were_published_to(self) -> None:
        for drive, cache in product(self.DRIVES, self.CACHES):
            times = self.overheads_of(drive)
            for (operation, before), (starts_us, tails_us) in self.parts_us(drive, cache).items():
                start_us, tail_us = statistics.median(starts_us), statistics.median(tails_us)
                start = self.start_of(times, operation, before)
                tail = times["first_reselect"] + times.get(f"{operation}_completion", 0)
                if operation == "read":
                    tail += times["data_prep"]
                elif before == "write" and "extradisc_command" in times:
                    tail = times["other_reselect"] + times["write_completion"]
                data_us = 512 * self.BYTE_NS / 1e3 if operation == "read" else 0
                with self.subTest(drive=drive, cache=cache, operation=operation, before=before):
                    # This drive cannot take less than its own times.
                    self.assertAlmostEqual(start_us, max(1e3 * start, self.OWN_START_US[cache]), delta=self.BOUND_US)
                    self.assert_close_together(starts_us)
                    own_us = 44 if operation == "read" else 35
                    self.assertAlmostEqual(tail_us - data_us, max(1e3 * tail, own_us), delta=self.BOUND_US)
                    self.assert_close_together(tails_us)

    def test_a_share_leaves_as_soon_as_it_is_prepared_and_a_whole_read_behind_the_reselection(self) -> None:
        # DiskSim's mark of the HP C2247A is 0.75 of a request, rounded down, and one block at least.
        drive, turn_us = "hp_c2247a", 60e6 / 5400
        design = load_toml(ROOT / f"sim/drives/{drive}.toml", "")["design"]
        sectors = sorted(turn_us / zone["sectors_per_track"] for zone in design["zones"])
        times = self.overheads_of(drive)
        share_us = 1e3 * (times["data_prep"] + times["read_completion"])
        for blocks, mark in ((1, 1), (2, 1), (8, 6)):
            random = Random(7)
            requests = [f"R {random.randrange(1_500_000)} {blocks} 50000" for _ in range(200)]
            ends_us = []
            for row in self.run_of(drive, requests, "off", self.THINK_HEAD):
                media_us = int(row["media_transfer_ps"]) / 1e6
                # The one zone where so many sectors, but for the last one's gap, take that long. Others have crossed a track.
                sector_us = [sector for sector in sectors if 0 <= blocks * sector - media_us < 0.1 * sector]
                if len(sector_us) == 1 or (sector_us and mark == blocks):
                    # The share ends so long before the last sector does.
                    data_us = blocks * self.BYTE_NS * 0.512 - (blocks - mark) * sector_us[0]
                    ends_us.append(sum(int(row[f"{stage}_ps"]) for stage in self.TAIL) / 1e6 - data_us)
            wanted_us = share_us + (1e3 * times["first_reselect"] if mark == blocks else 0)
            with self.subTest(blocks=blocks):
                self.assertGreater(len(ends_us), 100)
                self.assertAlmostEqual(statistics.median(ends_us), wanted_us, delta=self.BOUND_US)

    def hits_us(self, drive: str, sizes: tuple[int, ...], think_us: Callable[[], int]) -> list[float]:
        """What hits take without their data: reads that follow one after which the media read ahead."""
        random = Random(11)
        requests, blocks = [], []
        for _ in range(120):  # The first of four brings what the others ask for, unless its track ends.
            lba = random.randrange(1_000_000)
            blocks += [8, *(random.choice(sizes) for _ in range(3))]
            for size in blocks[-4:]:
                requests.append(f"R {lba} {size} {think_us()}")
                lba += size
        rows = self.run_of(drive, requests, "read", self.THINK_HEAD)
        media = ("seek", "settle", "rotation", "media_transfer")
        hits = [at for at, row in enumerate(rows) if not any(int(row[f"{stage}_ps"]) for stage in media)]
        self.assertGreater(len(hits), 100, drive)
        responses_us = {at: int(rows[at]["response_ps"]) / 1e6 for at in hits}
        line = statistics.linear_regression([blocks[at] for at in hits], list(responses_us.values()))
        return sorted(responses_us[at] - line.slope * blocks[at] for at in hits)

    def test_a_hit_takes_what_was_published_at_rest_and_while_the_drive_reads_ahead(self) -> None:
        random = Random(12)
        for drive in self.DRIVES:
            times = self.overheads_of(drive)
            wanted_us = 1e3 * sum(times[part] for part in ("read_hit_after_read", "data_prep", "read_completion"))
            for name, think_us in (("at rest", lambda: 60_000), ("any", lambda: random.randrange(self.THINK_US))):
                with self.subTest(drive=drive, when=name):
                    alone_us = self.hits_us(drive, (1, 2, 4, 8, 16), think_us)
                    self.assertAlmostEqual(statistics.median(alone_us), max(wanted_us, self.OWN_HIT_US), delta=self.BOUND_US)
                    self.assert_close_together(alone_us, self.HIT_SPREAD_US)

    def test_a_reported_write_takes_what_was_published(self) -> None:
        sizes = (1, 2, 4, 8, 12, 16)
        random = Random(3)
        for drive, moves in product(self.DRIVES, (False, True)):
            times = self.overheads_of(drive)
            # Anywhere, or in sequence: but for a few, which begin a track, that is on the track of the write before.
            requests, lba = [], 500_000
            for blocks in (4, *sizes, *sizes):
                requests.append(f"W {random.randrange(1_000_000) if moves else lba} {blocks} 100000")
                lba += blocks
            rows = self.run_of(drive, requests, "read-write", self.THINK_HEAD)[1:]
            alone_us = [int(row["response_ps"]) / 1e6 - int(row["blocks"]) * self.BYTE_NS * 0.512 for row in rows]
            # The time published for a write after a read includes the arm's start.
            parts = (f"write_hit_after_{'read' if moves else 'write'}", "data_prep", "write_completion")
            wanted_us = 1e3 * sum(times[part] for part in parts)
            # The firmware takes up to 7 us more, and up to 18 us more for one in sequence.
            own_us, more_us = (151, 7) if moves else (160, 18)
            least_us = max(wanted_us, own_us)
            with self.subTest(drive=drive, moves=moves):
                self.assertGreater(statistics.median(alone_us), least_us - self.BOUND_US)
                self.assertLess(statistics.median(alone_us), least_us + max(self.BOUND_US, more_us))


class RealDrives(unittest.TestCase):
    """All three on whole traces, once."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = Path(cls.folder.name)
        options = fidelity.parser().parse_args([str(PROGRAM), "--out", str(cls.out)])
        cls.compared = fidelity.fidelity(options)

    def test_distributions_stay_within_the_declared_bounds(self) -> None:
        self.assertEqual(len(self.compared), 3)
        for one in self.compared:
            with self.subTest(drive=one.drive.description):
                self.assertLessEqual(one.whole.demerit_ms, one.drive.demerit_bound_ms)
                off = abs(one.whole.simulated_mean_ms / one.whole.real_mean_ms - 1)
                self.assertLessEqual(100 * off, one.drive.mean_bound_percent)

    def test_the_c2247a_keeps_the_real_platters_angle(self) -> None:
        # Found by measuring, and stricter than any distribution: thousands of writes end where the real platter stood.
        one = next(one for one in self.compared if one.drive.description == "hp_c2247a")
        assert one.speed is not None
        self.assertGreater(one.speed.coherence, 0.99)
        self.assertGreater(one.by_kind["other writes after a write"].near_share, 0.85)

    def test_the_page_needs_nothing_else_and_pictures_are_small(self) -> None:
        page = (self.out / "fidelity.html").read_text(encoding="utf-8")
        self.assertNotIn("http", page)
        self.assertNotIn("<script", page)
        readme = (self.out / "README.md").read_text(encoding="utf-8")
        pictures = sorted(file.name for file in self.out.glob("*.png"))
        self.assertEqual(pictures, ["angles.png", "differences.png", "distributions.png", "quantiles.png", "sizes.png"])
        for name in pictures:
            self.assertIn(f"({name})", readme)
            self.assertLess((self.out / name).stat().st_size, 150_000)


class Words(unittest.TestCase):
    """Small runs and wrong ones."""

    def test_a_few_commands_the_same_each_time_and_as_by_hand(self) -> None:
        drive = next(one for one in load_declaration(ROOT / "host/fidelity/real-drives.toml", ROOT / "sim/drives") if one.description == "hp_c2247a")
        with tempfile.TemporaryDirectory() as name:
            folders = [Path(name) / "one", Path(name) / "two"]
            for folder in folders:
                status, _, stderr = call("hp_c2247a", "--limit", FEW, "--out", folder)
                self.assertEqual((status, stderr), (0, ""))
            for file in ("README.md", "fidelity.html"):
                self.assertEqual(*((folder / file).read_bytes() for folder in folders))
            # Comparing is looking: the drive did what it does for `headstack run` with these words.
            line = [
                str(PROGRAM),
                "--platform",
                "vp",
                "--drive",
                "hp_c2247a",
                "--trace",
                str(TRACES / drive.trace),
                "--limit",
                str(FEW),
                "--verify",
                "--out",
                str(Path(name) / "by-hand"),
            ]
            keys = {"policy": "settings.policy", "controller": "drive.controller", "cache": "settings.cache", "bus": "hosts.bus"}
            line += [f"{keys[name]}={word.text}" for name, word in drive.run.items()]
            subprocess.run(line, check=True, capture_output=True, env={**os.environ, "HEADSTACK_ROOT": str(ROOT)})
            hashes = {
                json.loads((folder / "summary.json").read_text(encoding="utf-8"))["event_hash"]
                for folder in (folders[0] / "hp_c2247a", folders[1] / "hp_c2247a", Path(name) / "by-hand")
            }
            self.assertEqual(len(hashes), 1)

    def test_one_command_is_enough(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            status, stdout, _ = call("cheetah_9lp", "--limit", 1, "--out", Path(name))
            self.assertEqual(status, 0)
            self.assertIn(" 1 commands", stdout)
            # Published was the figure of the whole trace.
            self.assertNotIn("DiskSim", stdout)

    def test_drives_of_sim_drives_have_their_names_and_equal_times_their_picture(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            trace = Path(name) / "equal.trace"
            trace.write_text("".join(f"R Miss {9000 * number} 4 5000.0 10000.0\n" for number in range(20)))
            status, stdout, stderr = call("--drive", "hp_c2490a", "--trace", trace, "--out", Path(name) / "out")
            self.assertEqual((status, stderr), (0, ""))
            self.assertIn("HP C2490A", stdout)

    def test_wrong_words_are_told_in_a_line(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "file").touch()
            # DiskSim's ASCII form: time, device, block, blocks, flags.
            (Path(name) / "unmeasured").write_text("0.0 0 100 8 1\n20.5 0 900 8 1\n")
            cases = [
                (["--out", Path(name) / "file"], 1, "file: cannot be written: File exists; give another name"),
                (["eagle"], 1, "eagle: there is no measured trace of such a drive; use cheetah_9lp"),
                (["--traces", name], 1, "give the folder of DiskSim's measured traces"),
                (["--limit", "-1"], 2, "--limit is 0 (all) or more"),
                (["--drive", "x.toml"], 2, "--drive and --trace go together"),
                (["--drive", "x.toml", "--trace", "t", "eagle"], 2, "--drive and --trace stand alone"),
                (["--drive", ROOT / "sim/drives/hp_c2247a.toml", "--trace", Path(name) / "none"], 1, "an existing file with --trace"),
                (["--declaration", Path(name) / "none.toml"], 1, "none.toml"),
                # The Cheetah's trace goes up to block 17,783,239. The C2247A has 2,054,864 (sim/drives/hp_c2247a.toml).
                (["--drive", "hp_c2247a", "--trace", TRACES / "cheetah9LP.trace"], 1,
                 "; the trace is of a larger drive: use a trace that was measured on this one"),
                (["--drive", "hp_c2247a", "--trace", Path(name) / "unmeasured"], 1,
                 "unmeasured: has no measured times; use a trace that was measured on a drive"),
                (["--drive", "facts.json", "--trace", TRACES / "cheetah9LP.trace"], 1,
                 "facts.json: is no description; make one of these facts with ./headstack drive import"),
                (["--platform", "fpga"], 2, "invalid choice: 'fpga'"),
                (["--fit"], 2, "unknown option '--fit'"),
            ]
            for words, status, message in cases:
                with self.subTest(words=words):
                    found, _, stderr = call("--out", Path(name) / "out", *words)
                    self.assertEqual(found, status)
                    self.assertIn(message, stderr)


if __name__ == "__main__":
    if "--own" in sys.argv:
        unittest.main(argv=[sys.argv[0], *OWN])
    if not TRACES.is_dir():
        print(f"skipped: the measured traces are not in {TRACES}; './headstack references' gets them")
        sys.exit(SKIPPED)
    others = [name for name, one in globals().items() if isinstance(one, type) and issubclass(one, unittest.TestCase) and name not in OWN]
    unittest.main(argv=[sys.argv[0], *others])
