# SPDX-License-Identifier: Apache-2.0
"""Maps of real traces, of loads that change, and moves: declarations, what is learned and served, and reductions by hand."""

import math
import tempfile
import unittest
from pathlib import Path

from support import ROOT  # noqa: I001
import numpy as np
from errors import ExperimentError
from one_remap_run import PARTS_OF_A_RUN, move_counters, over_time, words
from remap_load import BOTH, OTHER, OTHER_SEED, Learning, RemapLoad, day_of
from remap_moves_report import lost_ms, paid_after
from results_remap import bring_more
from sweep import load_sweep
from trace_load import AS_IT_CAME, Served, commands_of, halves, learn_half, read_recorded, reduce_commands, tested, write_commands

from execute.simulator import FileSetting
from remap.arrangement import Map

MS = 10**9  # picoseconds
DECLARATION = """
title = "loads"
report = "remap-traces"
drive = "paper_179mb"
seeds = [1, 2]
[requests]
sectors = 16
day = 3000
[policies]
fcfs = "fcfs"
[[trace]]
name = "own"
file = "own.trace"
parts = 2
[[map]]
name = "unmapped"
[[map]]
name = "old"
words = "--method organ"
[[map]]
name = "new"
words = "--method organ"
drifted = true
accesses = 100
[[map]]
name = "drive's"
words = "--method organ"
drifted = true
behind = true
learns = "fcfs"
walkers = 1
bounded = true
[[sweep]]
name = "trace"
trace = "own"
policies = ["fcfs"]
maps = ["unmapped", "old"]
gaps = ["0", "exp:5"]
electronics = ["ideal"]
[[sweep]]
name = "drift"
policies = ["fcfs"]
maps = ["unmapped", "old", "new", "drive's"]
drifts = [0.1]
electronics = ["ideal"]
requests = 10
[[sweep]]
name = "moves"
policies = ["fcfs"]
maps = ["unmapped", "old"]
moves = "share:30"
electronics = ["ideal"]
requests = 10
"""
MISTAKES = [
    ('trace = "own"', 'trace = "oen"', "0 traces are named 'oen'; give it one .* there are: own"),
    ('trace = "own"', 'trace = "own"\ndrifts = [0.1]', "'drifts' does not go with 'trace'"),
    ('gaps = ["0", "exp:5"]', 'gaps = ["0", "recorded"]', "gap 'recorded' is of a trace, and alone"),
    ('moves = "share:30"', 'moves = "share:0"', "'moves' is 'share:0', but must be 'settled', 'idle:MS' or 'share:PERCENT'"),
    ('moves = "share:30"', 'moves = "idle"', "'moves' is 'idle'"),
    ('moves = "share:30"', 'gaps = ["recorded"]', "gap 'recorded' is of a trace"),
    ("drifted = true\nbehind = true", "behind = true", "'behind' goes with 'drifted'"),
    ('learns = "fcfs"\nwalkers = 1\n', "", "'bounded' goes with 'learns'"),
    ("drifted = true\naccesses = 100", 'drifted = true\nshift = "both"', "'shift' and 'drifted'"),
    ("parts = 2", "parts = 0", "'parts' is 0"),
]  # fmt: skip


def trace_text(rows: list[tuple[float, str, int, int]]) -> str:
    lines = "".join(f"{time:.0f} {word} {lba} {blocks} -\n" for time, word, lba, blocks in rows)
    return f"headstack-trace 1\ntime-unit us\nloop open\nsource by hand\nrequests\n{lines}"


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str) -> Path:
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name


class Declarations(Folder):
    def load(self, text: str, **more):
        self.write("own.trace", trace_text([(10 * i, "R", 16 * i, 16) for i in range(8)]))
        return load_sweep(self.write("e.toml", text), **({"traces": self.folder} | more))

    def test_seeds_are_parts_and_maps(self) -> None:
        runs = [run for run in self.load(DECLARATION).runs if run.sweep == "trace"]
        self.assertEqual(len(runs), 2 * 2 * 2)
        loads = {run.remap.trace for run in runs if run.label == "unmapped"}
        self.assertEqual({(load.name, load.parts, load.gap, load.outstanding) for load in loads}, {("own", 2, "0", 1), ("own", 2, "exp:5", 1)})
        self.assertEqual({run.load for run in runs}, {0, 5})

    def test_a_trace_that_is_not_there_is_told_and_left_out(self) -> None:
        sweep = self.load(DECLARATION, traces=self.folder / "nowhere")
        self.assertEqual(sweep.missing, (f"trace 'own': no own.trace in {self.folder / 'nowhere'}; give --traces DIR",))
        self.assertEqual({run.sweep for run in sweep.runs}, {"drift", "moves"})
        alone = DECLARATION[: DECLARATION.index('[[sweep]]\nname = "drift"')]
        with self.assertRaisesRegex(ExperimentError, "trace 'own': no own.trace in .*; give --traces DIR"):
            self.load(alone, traces=self.folder / "nowhere")

    def test_what_a_map_is_made_of(self) -> None:
        runs = {run.label: run for run in self.load(DECLARATION).runs if run.sweep == "drift"}
        specs = {label: run.remap.map_spec(2181) for label, run in runs.items()}
        self.assertEqual((specs["unmapped"], specs["old"].get("drift")), ({}, None))
        self.assertEqual((specs["new"]["drift"], specs["new"]["accesses"], specs["new"]["day"]), (0.1, 100, 3000))
        self.assertEqual((specs["drive's"]["behind"], specs["drive's"]["bounded"], specs["drive's"]["day"]), (True, True, 3000))
        self.assertEqual({run.remap.moves for run in self.load(DECLARATION).runs if run.sweep == "moves"}, {"share:30"})

    def test_mistakes(self) -> None:
        for old, new, said in MISTAKES:
            with self.subTest(new):
                self.assertIn(old, DECLARATION)
                with self.assertRaisesRegex(ExperimentError, said):
                    self.load(DECLARATION.replace(old, new, 1))

    def test_those_that_come_with_headstack(self) -> None:
        for name in ("remap-changes", "remap-moves", "remap-traces"):
            sweep = load_sweep(ROOT / f"host/experiment/{name}.toml")
            self.assertEqual(sweep.report, name)
        # The project's own trace is there, whatever else is.
        self.assertIn("ext4", {run.sweep for run in sweep.runs})


def load_of(**changes) -> RemapLoad:
    words_of = {"map_words": "x", "map_gap": "0", "map_policy": "", "map_walkers": 1, "chain": "natural", "walkers": 1, "gap": "0", "day": 400}
    return RemapLoad(**(words_of | changes))


def day(seed: int = 1, **changes) -> list[int]:
    return day_of(load_of(**changes).map_spec(2181) | {"seed": seed}).lba.tolist()


class Days(unittest.TestCase):
    def test_of_a_load_that_has_drifted(self) -> None:
        old, new = day(), day(drift=0.5, learning=Learning(drifted=True))
        self.assertEqual(day(drift=0.5), old)  # who does not learn again has the old day
        self.assertNotEqual(new, old)
        self.assertEqual(day(drift=0.0, learning=Learning(drifted=True)), old)
        self.assertEqual(day(drift=0.5, learning=Learning(accesses=50, drifted=True)), new[:50])
        both = day(drift=0.5, learning=Learning(accesses=50, drifted=True, behind=True))
        self.assertEqual(both, old + new[:50])

    def test_of_shifts(self) -> None:
        other = day(seed=1 + OTHER_SEED)
        self.assertEqual(day(learning=Learning(shift=OTHER)), other)
        self.assertEqual(day(learning=Learning(shift=BOTH)), day() + other)


class Traces(Folder):
    def rows(self) -> list[tuple[float, str, int, int]]:
        """Eight of a first half on a grid that begins at block 8, and eight of a second."""
        first = [(100 * i, "RW"[i % 2], 8 + 16 * (i % 3), 16) for i in range(8)]
        return first + [(1000 + 100 * i, "W", 16 * i, 16) for i in range(8)]

    def test_halves_and_parts(self) -> None:
        recorded = read_recorded(self.write("t", trace_text(self.rows())))
        learned, kept = halves(recorded)
        self.assertEqual((len(learned), len(kept)), (8, 8))
        self.assertEqual(learned.is_write.tolist(), [False, True] * 4)
        parts = [tested({"trace": {"parts": 3}, "seed": seed}, recorded).lba.tolist() for seed in (1, 2, 3)]
        self.assertEqual(sum(parts, []), kept.lba.tolist())
        # Seeds beyond the parts begin anew.
        self.assertEqual(tested({"trace": {"parts": 3}, "seed": 4}, recorded).lba.tolist(), parts[0])
        with self.assertRaisesRegex(ExperimentError, "3 requests that move blocks"):
            read_recorded(self.write("short", trace_text(self.rows()[:3])))

    def test_the_grid_is_learned_and_the_second_half_is_not(self) -> None:
        spec = {"trace": "t", "group": 16, "grid": 16, "gap": "0", "seed": 1}
        counts = learn_half(spec, self.write("t", trace_text(self.rows())), 1000)
        self.assertEqual((counts.first_block, counts.groups, counts.group_blocks), (8, 62, 16))
        self.assertEqual(counts.visits[:4].tolist(), [3, 3, 2, 0])
        self.assertEqual(counts.pairs.tolist(), [[0, 1, 3], [1, 2, 2], [2, 0, 2]])

    def spec(self, **changes) -> dict:
        return {"trace": {"parts": 1, "outstanding": 1, "gap": "0"} | changes, "seed": 1}

    def test_a_request_across_units_becomes_several_commands(self) -> None:
        second = [(10, "R", 0, 16), (30, "W", 8, 16), (60, "R", 40, 4), (70, "W", 0, 1)]
        file = self.write("t", trace_text([(i, "R", 0, 4) for i in range(4)] + second))
        served = commands_of(self.spec(gap=AS_IT_CAME), file, Map(0, 16, np.array([1, 0])))
        self.assertEqual(served.lba.tolist(), [16, 24, 0, 40, 16])
        self.assertEqual(served.blocks.tolist(), [16, 8, 8, 4, 1])
        self.assertEqual((served.request.tolist(), served.requests), ([0, 1, 1, 2, 3], 4))
        self.assertEqual(served.time_us.tolist(), [0, 20, 20, 50, 60])
        self.assertEqual(served.is_write.tolist(), [False, True, True, False, True])
        gaps = commands_of(self.spec(gap="exp:5"), file, Map(0, 16, np.array([1, 0]))).gap_us
        self.assertEqual((gaps[2], bool(gaps[1] > 0), bool(gaps[3] > 0)), (0, True, True))

    def test_what_the_drive_is_given(self) -> None:
        served = Served(np.array([0, 0, 1]), np.array([0.0, 0.0, 7.0]), np.array([9.0, 0.0, 5.0]), np.array([True, True, False]),
                        np.array([16, 64, 3]), np.array([8, 8, 1]), 2)  # fmt: skip
        for changes, expected in (
            ({}, ["W 16 8 0.000", "W 64 8 5.000", "R 3 1 0.000"]),
            ({"outstanding": 4}, ["W 16 8", "W 64 8", "R 3 1"]),
            ({"gap": AS_IT_CAME}, ["0 W 16 8", "0 W 64 8", "7 R 3 1"]),
        ):
            write_commands(self.folder / "out", self.spec(**changes), served)
            text = (self.folder / "out").read_text()
            self.assertEqual(text.partition("requests\n")[2].splitlines(), expected)

    def test_times_of_requests(self) -> None:
        # Commands 0 and 1 are of one request. They come back in another order.
        served = Served(np.array([0, 0, 1, 2]), np.zeros(4), np.zeros(4), np.zeros(4, dtype=bool), np.zeros(4), np.zeros(4), 3)
        columns = {"command": np.array([1, 0, 2, 3]), "submitted_ps": np.array([10, 0, 20, 20]) * MS,
                   "completed_ps": np.array([14, 5, 30, 41]) * MS, "status": np.zeros(4, dtype=np.int64)}  # fmt: skip
        columns |= {name: np.full(4, 3 * MS) for name in ("seek_ps", "settle_ps", "head_switch_ps", "rotation_ps", "media_transfer_ps")}
        one = reduce_commands(self.spec(), columns, served)
        self.assertAlmostEqual(one["service_ms"], (5 + 4 + 10 + 21) / 3)
        self.assertAlmostEqual(one["response_mean_ms"], (14 + 10 + 21) / 3)
        self.assertAlmostEqual(one["seek_ms"], 4)
        self.assertAlmostEqual(one["split"], 1 / 3)
        self.assertAlmostEqual(reduce_commands(self.spec(gap=AS_IT_CAME), columns, served)["service_ms"], 15)
        # With two outstanding only request 0 ends before the last is submitted.
        with self.assertRaisesRegex(ExperimentError, "too few for 2 outstanding"):
            reduce_commands(self.spec(outstanding=2), columns, served)
        with self.assertRaisesRegex(ExperimentError, "or some not with GOOD"):
            reduce_commands(self.spec(), columns | {"status": np.array([0, 2, 0, 0])}, served)


class Moves(unittest.TestCase):
    def test_counters(self) -> None:
        text = "other\n  moves of blocks: units 9, left 1, moves 7, requests 20, media_ms 300, waits 2, longest_wait_us 9, copied_again 0\n"
        self.assertEqual(move_counters(text)["moving_media_ms"], 300)
        with self.assertRaisesRegex(ExperimentError, "has no counters of moves"):
            move_counters("other\n")

    def test_words(self) -> None:
        class Place:
            files = {"map.json": Path("/m.json")}  # noqa: RUF012

        spec = {"map": "map.json", "remap": {"walkers": 2, "moves": "idle:7"}}
        self.assertEqual(words(spec, Place())[-2:], [FileSetting("remap.maps", Path("/m.json")), "remap.idle_ms=7"])
        self.assertFalse([word for word in words(spec | {"map": "none"}, Place()) if str(word).startswith("remap.")])

    def test_over_time(self) -> None:
        count = 2 * PARTS_OF_A_RUN
        command = np.arange(count)[::-1]
        columns = {"command": command, "submitted_ps": np.zeros(count, dtype=np.int64), "completed_ps": command * MS}
        self.assertEqual(over_time(columns), [2 * part + 0.5 for part in range(PARTS_OF_A_RUN)])

    def run_of(self, *parts: float) -> dict:
        return {"requests": 10 * len(parts), "parts_ms": list(parts)}

    def test_when_a_map_has_paid(self) -> None:
        plain = self.run_of(10, 10, 10, 10)
        # It loses 20 ms, then 10, then gains 20 a part of ten requests: paid in the middle of the fourth.
        self.assertEqual(lost_ms(self.run_of(12, 11, 8, 8), plain).tolist(), [20, 30, 10, -10])
        self.assertEqual(paid_after(self.run_of(12, 11, 8, 8), plain), 35)
        self.assertEqual(paid_after(self.run_of(9, 9, 9, 9), plain), 0)
        # After the run, at the pace of its end: 30 are left, 20 a part.
        self.assertEqual(paid_after(self.run_of(16, 9, 9, 8), self.run_of(10, 10, 10, 10)), 40 + 10)
        self.assertTrue(math.isinf(paid_after(self.run_of(11, 11, 11, 11), plain)))


class Pages(Folder):
    def test_what_is_brought_to_the_page_of_results(self) -> None:
        (self.folder / "remap-moves").mkdir()
        (self.folder / "remap-moves/responses.png").write_bytes(b"png")
        claim = "| 1 | found | A claim. | at least 1 | moves: 7 | holds |"
        self.write("remap-moves/report.md", f"# t\n\n## Claims\n\n| | s |\n{claim}\n\n## What moves cost\n\nWords.\n\n| 410 units | 2 |\n\n"
                   "## Moves among requests\n\nMore.\n\n| idle | 3 |\n\n![x](responses.png)\n")  # fmt: skip
        page = self.write("README.md", "a\n<!-- remap-moves of results_page.py -->\nold\n<!-- end of remap-moves -->\nz\n")
        bring_more("remap-moves", self.folder, page)
        text = page.read_text()
        for part in ("Of 1 claims 1 hold", "| found | A claim. | moves: 7 | holds |", "Words.", "| 410 units | 2 |", "| idle | 3 |"):
            self.assertIn(part, text)
        self.assertTrue(text.startswith("a\n") and text.endswith("z\n"))
        self.assertNotIn("\nold\n", text)
        self.assertNotIn("![x]", text)
        self.assertEqual((self.folder / "remap-moves-responses.png").read_bytes(), b"png")


if __name__ == "__main__":
    unittest.main()
