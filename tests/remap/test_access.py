# SPDX-License-Identifier: Apache-2.0
"""The reference for one access against the drive itself; pairs of drives; and the time that the drive's moves take.

    test_access.py FRONT_END RUN_PROGRAM
"""

import csv
import random
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path

import support  # noqa: F401, I001
import numpy as np

from remap.access import Access, Arm
from remap.arrangement import Map, write_map
from remap.errors import RemapError
from remap.pair import OVERHEADS_MS, Request, figures, mean_service_ms, read_requests

FRONT_END, RUN = (Path(sys.argv[1]), Path(sys.argv[2])) if len(sys.argv) > 2 else (Path(), Path())
ROOT = Path(__file__).resolve().parents[2]
PAPER = ROOT / "sim/drives/paper_179mb.toml"
UNITS, UNIT_BLOCKS, RESERVED = 21_810, 16, 4_240  # of the paper's drive
PS_PER_MS = 1e9
NATIVE = ("--drive", PAPER, "--platform", "native", "platform.ideal_electronics=true", "drive.controller=published", "--cache", "off")
HEAD = "headstack-trace 2\ntime-unit us\nloop think\nsource test\ncolumns operation lba blocks think\nrequests\n"


class OnTheDrive(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_drive(self, *words: object) -> Path:
        out = self.folder / "out"
        subprocess.run([RUN, *map(str, (*NATIVE, *words, "--out", out, "--force"))], check=True, capture_output=True, text=True)
        return out

    def trace(self, seed: int, count: int) -> Path:
        """Reads and writes of any length, anywhere."""
        draw = random.Random(seed)
        lines = []
        for _ in range(count):
            blocks = draw.choice((1, 16, 16, 100, 400))
            lines.append(f"{draw.choice('RRW')} {draw.randrange(UNITS * UNIT_BLOCKS - blocks)} {blocks} {draw.uniform(0, 30_000):.3f}\n")
        file = self.folder / "trace"
        file.write_text(HEAD + "".join(lines))
        return file

    def test_each_access_takes_as_long_as_on_the_drive(self) -> None:
        trace = self.trace(7, 600)
        with open(self.run_drive("--trace", trace, "--depth", "1") / "records.csv", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        access, arm, wrong = Access(PAPER, *OVERHEADS_MS), Arm(), []
        for row, request in zip(rows, read_requests(trace, FRONT_END, ()), strict=True):
            submitted = int(row["submitted_ps"]) / PS_PER_MS
            end, arm = access.serve(arm, submitted, request.block, request.blocks, request.is_write)
            wrong.append(abs(end - int(row["completed_ps"]) / PS_PER_MS))
        self.assertEqual(len(wrong), 600)
        # The formatter sees a block's end and a track's change a little later. A block that is missed would be 16.7 ms.
        self.assertLess(max(wrong), 0.03)

    def test_moves_take_as_long_as_by_a_plan_of_our_own(self) -> None:
        for seed in (1, 2):
            slots = np.arange(UNITS)
            chosen = np.array(random.Random(seed).sample(range(UNITS), 400))
            slots[chosen] = np.roll(slots[chosen], 1)
            write_map(self.folder / "map.json", Map(0, UNIT_BLOCKS, slots))
            out = self.run_drive("--trace", self.trace(seed, 2), "--depth", "1", f"remap.maps={self.folder}/map.json",
                                 "remap.settled=true", "remap.idle_ms=0")  # fmt: skip
            counters = next(line for line in (out / "summary.txt").read_text().splitlines() if line.startswith("  moves of blocks: "))
            told = dict(word.rsplit(" ", 1) for word in counters.partition(": ")[2].split(", "))
            soonest, as_listed = (Moves(slots, order) for order in (Moves.soonest, Moves.as_listed))
            self.assertEqual(int(told["moves"]), soonest.moves)
            self.assertAlmostEqual(int(told["media_ms"]) / soonest.media_ms, 1, delta=0.03)
            # Units of a batch are read in the order in which they can be had: by chance it would be a tenth more.
            self.assertGreater(as_listed.media_ms, 1.05 * int(told["media_ms"]))


Entry = tuple[int, int]  # unit, free slot


class Moves:
    """The drive's moves by the words of docs/remapping.md: eight free slots, and a record in two copies after each batch."""

    FREE, SCRATCH, RECORDS, RECORDS_MOST = 8, 1194, 1066, 64

    def __init__(self, slots: np.ndarray, order: Callable[["Moves", Sequence[Entry]], Entry]) -> None:
        self._access, self._arm, self.media_ms, self.moves = Access(PAPER, 0.0), Arm(), 0.0, 0
        goal_of, self._at = slots.tolist(), list(range(UNITS))
        goal_at = np.argsort(slots).tolist()
        free = [UNITS + number for number in range(self.FREE)]
        cursor = records = 0
        while any(at != goal for at, goal in zip(self._at, goal_of, strict=True)):
            batch = [(goal_at[slot], slot) for slot in free if slot < UNITS]
            for slot in (one for one in free if one >= UNITS):
                for _ in range(UNITS):
                    unit, cursor = cursor, (cursor + 1) % UNITS
                    if self._at[unit] < UNITS and self._at[unit] != goal_of[unit] and unit not in [entry[0] for entry in batch]:
                        batch.append((unit, slot))
                        break
            left = list(batch)
            while left:
                unit, slot = order(self, left)
                left.remove((unit, slot))
                self._serve(self._block(self._at[unit]), UNIT_BLOCKS, False)
                self._serve(self._block(slot), UNIT_BLOCKS, True)
            for copy in range(2):
                self._serve(self.RECORDS + copy * self.RECORDS_MOST + records % self.RECORDS_MOST - RESERVED, 1, True)
            records += 1
            for unit, slot in batch:
                free[free.index(slot)] = self._at[unit]
                self._at[unit] = slot
                self.moves += 1

    def _block(self, slot: int) -> int:
        return slot * UNIT_BLOCKS if slot < UNITS else self.SCRATCH + (slot - UNITS) * UNIT_BLOCKS - RESERVED

    def _serve(self, block: int, blocks: int, is_write: bool) -> None:
        self.media_ms, self._arm = self._access.serve(self._arm, self.media_ms, block, blocks, is_write)

    def soonest(self, left: Sequence[Entry]) -> Entry:
        """The drive's order."""
        return min(left, key=lambda entry: self._access.serve(self._arm, self.media_ms, self._block(self._at[entry[0]]), UNIT_BLOCKS)[0])

    def as_listed(self, left: Sequence[Entry]) -> Entry:
        """What it would be by number."""
        return left[0]


class Pairs(unittest.TestCase):
    def requests(self, seed: int, count: int, writes: float) -> list[Request]:
        draw = random.Random(seed)
        return [Request(draw.randrange(300_000), 16, draw.random() < writes, draw.uniform(0, 20)) for _ in range(count)]

    def test_of_writes_a_pair_is_one_drive(self) -> None:
        access, requests = Access(PAPER, *OVERHEADS_MS), self.requests(1, 300, 1.0)
        one = mean_service_ms(access, [None], requests, False)
        self.assertEqual(mean_service_ms(access, [None, None], requests, True), one)

    def test_a_read_goes_where_it_is_done_first(self) -> None:
        """An example by hand: two blocks far from each other take turns. One arm stays with each, and no request seeks any
        more.
        """
        access = Access(PAPER, 0.0)
        turns = [Request(block, 1, False, 0.0) for _ in range(50) for block in (0, 340_000)]
        single, pair = (mean_service_ms(access, maps, turns, True) for maps in ([None], [None, None]))
        self.assertGreater(single, access.seek_ms(1_600))
        self.assertLess(pair, access.turn_ms + 1.0)

    def test_the_primary_alone_is_one_drive(self) -> None:
        access, requests = Access(PAPER, *OVERHEADS_MS), self.requests(2, 200, 0.0)
        slots = np.random.default_rng(1).permutation(UNITS)
        self.assertEqual(mean_service_ms(access, [None, Map(0, 16, slots)], requests, False), mean_service_ms(access, [None], requests, False))

    def test_figures(self) -> None:
        access, requests = Access(PAPER, *OVERHEADS_MS), self.requests(3, 50, 0.3)
        maps = [(name, Map(0, 16, np.random.default_rng(seed).permutation(UNITS))) for seed, name in enumerate("ab")]
        self.assertEqual(list(figures(access, maps, requests)), ["one drive, no map", "one drive, a", "one drive, b", "sooner, both no map",
                                                                 "sooner, both a", "sooner, both b", "sooner, a and b"])  # fmt: skip

    def test_a_drive_that_is_not_understood(self) -> None:
        with self.assertRaisesRegex(RemapError, "only drives with a formula for seeks"):
            Access(ROOT / "sim/drives/cheetah_9lp.toml", 0.0)


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main()
