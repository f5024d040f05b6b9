# SPDX-License-Identifier: Apache-2.0
"""Workloads, the loads made of them, what is made of their records, and the checks of G-SCAN's claims: by hand."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

from support import ROOT  # noqa: I001
import gscan_checks
from claims import verdict_of
from drive_file import PS_PER_MS
from errors import ExperimentError
from gscan_claims import CLAIMS
from gscan_report import DRIVES, LAYOUTS, gscan_page
from gscan_table import OF_HOST_LAYERS, ROWS, table_1
from results_gscan import rival_rows
from interval import Interval
from one_stream_run import REFERENCES, choice_words, words
from results import Missing, Point, Results
from stream_load import (
    SECTORS_PER_STEP,
    Requests,
    StreamLoad,
    arrivals_us,
    extents_of,
    make_requests,
    positions_of,
    sizes_of,
    write_requests,
)
from stream_records import (
    Cylinders,
    load_cylinders,
    longest_row,
    orders_log10,
    reduce_streams,
    waiting_at_arrivals,
    work_of,
)
from sweep import Run, load_sweep
from workload import load_workload

WORKLOADS = ROOT / "host/experiment/workloads"
DECLARATION = ROOT / "host/experiment/gscan.toml"
DRIVE = ROOT / "host/experiment/drives/gscan.toml"
NAMES = ("1", "2", "3", "4", "5", "6", "5b", "6b")
# REALTIME workloads, as the paper's table II: class, pattern, gap, deadline, KB, file MB.
TABLE_II = {
    "1": [("real-time", "random", 20, (30, 70), (64, 64), 100), ("best-effort", "random", 20, None, (4, 128), 100)],
    "2": [("real-time", "periodic", 20, (20, 20), (64, 64), 100), ("best-effort", "random", 20, None, (4, 128), 200)],
    "3": [("real-time", "periodic", 20, (20, 20), (64, 64), 100), ("best-effort", "sequential", 20, None, (64, 64), 200)],
    "4": [
        ("real-time", "periodic", 20, (20, 20), (64, 64), 100),
        ("best-effort", "random", 45, None, (4, 128), 100),
        ("best-effort", "sequential", 20, None, (64, 64), 100),
    ],
    "5": [("real-time", "periodic", 45, (30, 30), (4, 64), 324), ("best-effort", "random", 10, None, (4, 64), 128)],
    "6": [("real-time", "periodic", 90, (30, 30), (4, 64), 324), ("best-effort", "random", 19, None, (4, 64), 128)],
}
GOOD = """
title = "two streams"
[[stream]]
name = "player"
class = "real-time"
pattern = "periodic"
gap_ms = 20
jitter = 0.1
deadline_ms = [20, 30]
size_kb = [64, 64]
file_mb = 100
[[stream]]
name = "others"
class = "best-effort"
pattern = "random"
gap_ms = 10
burst = 4
size_kb = [4, 128]
file_mb = 200
[layout]
place = "region"
factor = 3.6
extent_mb = 2
centre = 0.5
"""
MISTAKES = [
    ('title = "two streams"', "", "'title' is missing; give a text"),
    ("jitter = 0.1", "jiter = 0.1", "stream 1: unknown key 'jiter'; did you mean 'jitter'"),
    ("jitter = 0.1", "jitter = 1", "stream 1: 'jitter' is 1, but must be a number from 0 to 0.99"),
    ('class = "real-time"', 'class = "rt"', "stream 1: 'class' is 'rt', but must be one of real-time, best-effort"),
    ('pattern = "random"', 'pattern = "zipf"', "stream 2: 'pattern' is 'zipf', but must be one of random, periodic"),
    ("gap_ms = 10", "gap_ms = 0", "stream 2: 'gap_ms' is 0, but must be a number from 0.01"),
    ("gap_ms = 10", 'gap_ms = "10"', "stream 2: 'gap_ms' is '10'"),
    ("gap_ms = 10", "", "stream 2: 'gap_ms' is missing"),
    ("burst = 4", "burst = 0.5", "stream 2: 'burst' is 0.5, but must be a number from 1 to 1000"),
    ("burst = 4", "jitter = 0.1", "stream 2: 'jitter' goes with pattern \"periodic\"; leave it out"),
    ("burst = 4", "deadline_ms = [1, 2]", "stream 2: 'deadline_ms' goes with class \"real-time\"; leave it out"),
    ("deadline_ms = [20, 30]", "", "stream 1: 'deadline_ms' goes with class \"real-time\"; give"),
    ("deadline_ms = [20, 30]", "deadline_ms = [30, 20]", r"stream 1: 'deadline_ms' is \[30, 20\], but must be \[from, to"),
    ("deadline_ms = [20, 30]", "deadline_ms = 20", r"stream 1: 'deadline_ms' is 20, but must be \[from, to\]"),
    ("size_kb = [4, 128]", "size_kb = [4, 126]", r"stream 2: 'size_kb' is .* multiples of 4"),
    ("size_kb = [4, 128]", "size_kb = [0, 128]", r"stream 2: 'size_kb' is \[0, 128\]"),
    ("size_kb = [4, 128]", "size_kb = [4, true]", r"stream 2: 'size_kb' is \[4, True\]"),
    ("size_kb = [4, 128]", "size_kb = [4, 4096]", "'size_kb' has 4096, but an extent has 2048; give a larger 'extent_mb'"),
    ("file_mb = 200", "file_mb = 201", "stream 2: 'file_mb' is 201; give a multiple of 'extent_mb', which is 2"),
    ("file_mb = 200", "file_mb = 0", "stream 2: 'file_mb' is 0"),
    ('name = "others"', 'name = "player"', "stream 2: 'name' is 'player' a second time"),
    ('place = "region"', 'place = "near"', "layout: 'place' is 'near', but must be one of region, apart, disk"),
    ("factor = 3.6", "factor = 0.9", "layout: 'factor' is 0.9, but must be a number from 1 to 1000"),
    ("centre = 0.5", "center = 0.5", "layout: unknown key 'center'; did you mean 'centre'"),
    ("[layout]", "[layouts]", "unknown key 'layouts'; did you mean 'layout'"),
]
CAPACITY = 73_920_000


class Loader(unittest.TestCase):
    def load(self, text: str):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "w.toml"
            file.write_text(text)
            return load_workload(file)

    def test_a_workload_is_what_stands_in_it(self):
        workload = self.load(GOOD)
        player, others = workload.streams
        self.assertEqual((player.name, player.deadline_ms, player.jitter, player.burst), ("player", (20, 30), 0.1, 1))
        self.assertEqual((others.deadline_ms, others.burst, others.size_kb, others.file_mb), (None, 4, (4, 128), 200))
        self.assertEqual((workload.layout.place, workload.layout.factor), ("region", 3.6))

    def test_each_mistake_names_file_key_and_remedy(self):
        for was, becomes, message in MISTAKES:
            with self.subTest(becomes):
                self.assertIn(was, GOOD)
                with self.assertRaisesRegex(ExperimentError, r"w\.toml: .*" + message if "[" not in message[:1] else message):
                    self.load(GOOD.replace(was, becomes, 1))

    def test_a_file_that_is_not_there_or_not_toml_is_an_error(self):
        with self.assertRaisesRegex(ExperimentError, "no.toml: .*name a workload"):
            load_workload(Path("no.toml"))
        with self.assertRaisesRegex(ExperimentError, "not TOML"):
            self.load("title = ")

    def test_those_that_come_with_headstack_are_table_II(self):
        for name, rows in TABLE_II.items():
            for stream, row in zip(load_workload(WORKLOADS / f"{name}.toml").streams, rows, strict=True):
                ours = (stream.service_class, stream.pattern, stream.gap_ms, stream.deadline_ms, stream.size_kb, stream.file_mb)
                self.assertEqual(ours, row, name)

    # Read-ahead: the same, but that the player's requests come in bursts of mean 4.
    def test_5b_and_6b_are_5_and_6_with_bursts(self):
        for name in ("5", "6"):
            plain, bursts = (load_workload(WORKLOADS / f"{one}.toml").streams for one in (name, name + "b"))
            self.assertEqual(replace(plain[0], burst=4.0), bursts[0])
            self.assertEqual(plain[1], bursts[1])


def stream(name: str, place: int) -> dict:
    return load_workload(WORKLOADS / f"{name}.toml").spec()["streams"][place]


class Loads(unittest.TestCase):
    # Exponential: mean and deviation are 20 ms; 20,000 of them have a mean within 4 * 20 / sqrt(20,000) = 0.57.
    def test_random_and_sequential_streams_have_exponential_gaps(self):
        for one in (stream("1", 0), stream("3", 1)):
            gaps = np.diff(arrivals_us(one, 20_000, 1, 0)) / 1000
            self.assertAlmostEqual(gaps.mean(), 20, delta=0.57)
            self.assertAlmostEqual(gaps.std(), 20, delta=1.2)
            self.assertAlmostEqual(np.mean(gaps > 20), np.exp(-1), delta=4 * 0.0034)

    def test_periodic_streams_have_fixed_gaps(self):
        gaps = np.diff(arrivals_us(stream("2", 0), 1000, 1, 0)) / 1000
        np.testing.assert_allclose(gaps, 20)

    # Uniform in 40.5 to 49.5 ms: deviation 9 / sqrt(12) = 2.6.
    def test_jitter_is_uniform_within_a_tenth_on_either_side(self):
        gaps = np.diff(arrivals_us(stream("5", 0), 10_000, 1, 0)) / 1000
        self.assertGreaterEqual(gaps.min(), 40.5)
        self.assertLessEqual(gaps.max(), 49.5)
        self.assertLess(gaps.min(), 40.6)
        self.assertGreater(gaps.max(), 49.4)
        self.assertAlmostEqual(gaps.std(), 9 / 12**0.5, delta=0.1)

    def bursts(self, one: dict) -> tuple[np.ndarray, np.ndarray]:
        """Sizes of the bursts and the gaps after them, but for the last."""
        times = arrivals_us(one, 40_000, 1, 1)
        begins = np.flatnonzero(np.concatenate([[True], np.diff(times) > 0]))
        return np.diff(begins), np.diff(times[begins]) / 1000

    # Geometric of mean 4: a quarter of the bursts has one, 3/16 two; deviation sqrt(12) = 3.46. The rate stays 1 in 10 ms.
    def test_iozone_comes_in_geometric_bursts_of_mean_four_at_its_rate(self):
        sizes, gaps = self.bursts(stream("5", 1))
        self.assertAlmostEqual(sizes.mean(), 4, delta=4 * 3.46 / 100)
        self.assertAlmostEqual(np.mean(sizes == 1), 0.25, delta=4 * 0.0044)
        self.assertAlmostEqual(np.mean(sizes == 2), 0.1875, delta=4 * 0.0039)
        self.assertAlmostEqual(gaps.mean(), 40, delta=4 * 40 / 100)
        self.assertAlmostEqual(gaps.sum() / sizes.sum(), 10, delta=0.5)

    # A player uses up what it has read: n gaps after n requests.
    def test_a_players_bursts_are_followed_by_as_many_gaps(self):
        sizes, gaps = self.bursts(stream("5b", 0))
        self.assertAlmostEqual(sizes.mean(), 4, delta=4 * 3.46 / 100)
        self.assertTrue(np.all(gaps >= 0.9 * 45 * sizes - 1e-6))
        self.assertTrue(np.all(gaps <= 1.1 * 45 * sizes + 1e-6))

    # 32 sizes of 4 KB steps, each as likely: mean 66 KB; 1 in 32 is the smallest.
    def test_sizes_are_steps_each_as_likely(self):
        sizes = sizes_of(stream("1", 1), 32_000, 1, 1)
        self.assertEqual((sizes.min(), sizes.max()), (1, 32))
        counts = np.bincount(sizes)[1:]
        self.assertTrue(np.all(np.abs(counts - 1000) < 5 * 31.1), counts)
        self.assertEqual(set(sizes_of(stream("1", 0), 100, 1, 0).tolist()), {16})

    # 100 MB in 4 KB steps has 25,600; 16 of them a request; extents of 512.
    def test_random_positions_are_uniform_and_stay_in_an_extent(self):
        one = stream("1", 0)
        sizes = np.full(20_000, 16)
        positions = positions_of(one, sizes, 512, 1, 0)
        self.assertTrue(np.all(positions // 512 == (positions + sizes - 1) // 512))
        self.assertAlmostEqual(positions.mean() / 25_600, 0.5, delta=4 * 0.289 / 20_000**0.5)
        tenths = np.bincount(positions * 10 // 25_600, minlength=10)
        self.assertTrue(np.all(np.abs(tenths - 2000) < 5 * 42.4), tenths)

    def test_periodic_and_sequential_positions_follow_each_other_and_begin_anew_at_the_end(self):
        for one in (stream("3", 1), stream("5", 0)):
            steps = one["file_mb"] * 256
            sizes = sizes_of(one, 30_000, 1, 0)
            positions = positions_of(one, sizes, 512, 1, 0)
            expected = positions[:-1] + sizes[:-1]
            next_extent = -(-expected // 512) * 512
            consecutive = positions[1:] == expected
            skipped = (positions[1:] == next_extent) & (expected % 512 + sizes[1:] > 512)
            anew = (positions[1:] == 0) & (next_extent + sizes[1:] > steps)
            self.assertTrue(np.all(consecutive | skipped | anew))
            self.assertTrue(np.any(anew))
            self.assertLessEqual(int((positions + sizes).max()), steps)
            self.assertTrue(np.all(positions // 512 == (positions + sizes - 1) // 512))

    def test_a_region_has_room_for_3_6_times_the_files_and_each_extent_one_owner(self):
        spec = load_workload(WORKLOADS / "5.toml").spec()
        extents = extents_of(spec, CAPACITY, 1)
        self.assertEqual([len(one) for one in extents], [162, 64])
        every = np.concatenate(extents)
        self.assertEqual(len(set(every.tolist())), 226)
        self.assertTrue(all(np.all(np.diff(one) > 0) for one in extents))
        span_mb = (every.max() - every.min()) / 2048 + 2
        self.assertLessEqual(span_mb, 3.6 * 452 + 2)
        self.assertGreater(span_mb, 0.95 * 3.6 * 452)
        self.assertAlmostEqual((every.max() + every.min()) / 2 / CAPACITY, 0.5, delta=0.01)
        self.assertFalse(np.array_equal(extents_of(spec, CAPACITY, 2)[0], extents[0]))

    def test_files_that_are_apart_have_regions_of_their_own_and_others_the_whole_disk(self):
        spec = load_workload(WORKLOADS / "5.toml").spec()
        spec["layout"]["place"] = "apart"
        player, iozone = extents_of(spec, CAPACITY, 1)
        self.assertAlmostEqual(player.mean() / CAPACITY, 0.25, delta=0.02)
        self.assertAlmostEqual(iozone.mean() / CAPACITY, 0.75, delta=0.02)
        spec["layout"]["place"] = "disk"
        every = np.concatenate(extents_of(spec, CAPACITY, 1))
        self.assertLess(every.min() / CAPACITY, 0.05)
        self.assertGreater(every.max() / CAPACITY, 0.95)

    def test_files_that_do_not_fit_are_an_error(self):
        spec = load_workload(WORKLOADS / "5.toml").spec()
        for place in ("region", "apart", "disk"):
            spec["layout"]["place"] = place
            with self.assertRaisesRegex(ExperimentError, "do not fit on a drive of 100 MB; give smaller files"):
                extents_of(spec, 100 * 2048, 1)

    def test_streams_deadlines_and_rates_of_workload_1(self):
        requests = make_requests(load_workload(WORKLOADS / "1.toml").spec(), CAPACITY, 12_000, 1, 1.0)
        self.assertTrue(np.all(np.diff(requests.arrival_us) >= 0))
        self.assertAlmostEqual(np.mean(requests.stream == 0), 0.5, delta=0.03)
        self.assertEqual(requests.is_real_time.tolist(), (requests.stream == 0).tolist())
        deadlines = requests.deadline_us[requests.is_real_time] / 1000
        self.assertAlmostEqual(deadlines.mean(), 50, delta=4 * 11.5 / 77)
        self.assertTrue(30 <= deadlines.min() < 30.1 and 69.9 < deadlines.max() <= 70)
        self.assertAlmostEqual(requests.arrival_us[-1] / 12_000 / 1000, 10, delta=0.4)
        self.assertLessEqual(int((requests.lba + requests.sectors).max()), CAPACITY)

    def test_a_scale_factor_multiplies_arrivals_and_nothing_else(self):
        spec = load_workload(WORKLOADS / "4.toml").spec()
        one, two = (make_requests(spec, CAPACITY, 500, 1, scale) for scale in (1.0, 2.0))
        np.testing.assert_allclose(two.arrival_us, 2 * one.arrival_us)
        for name in ("stream", "lba", "sectors", "deadline_us"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))

    def test_a_shorter_run_is_the_beginning_of_a_longer_one(self):
        for name in NAMES:
            spec = load_workload(WORKLOADS / f"{name}.toml").spec()
            short, long = (make_requests(spec, CAPACITY, count, 1, 1.0) for count in (300, 900))
            for column in ("arrival_us", "stream", "lba", "sectors", "deadline_us"):
                np.testing.assert_array_equal(getattr(short, column), getattr(long, column)[:300], f"{name} {column}")

    def test_another_seed_gives_other_requests(self):
        spec = load_workload(WORKLOADS / "1.toml").spec()
        one, again, other = (make_requests(spec, CAPACITY, 100, seed, 1.0) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one.lba, again.lba)
        self.assertFalse(np.array_equal(one.lba, other.lba))
        self.assertFalse(np.array_equal(one.arrival_us, other.arrival_us))

    def test_a_trace_has_deadlines_classes_and_streams(self):
        requests = Requests(
            np.array([0.0, 1.5]), np.array([3, 0]), np.array([8, 4096]), np.array([8, 128]), np.array([30_000.0, np.nan])
        )
        with tempfile.TemporaryDirectory() as folder:
            write_requests(Path(folder) / "trace", requests)
            text = (Path(folder) / "trace").read_text()
        self.assertIn("columns time operation lba blocks deadline class stream\n", text)
        self.assertTrue(text.endswith("0.000000 R 8 8 30000.000000 real-time 3\n1.500000 R 4096 128 - best-effort 0\n"), text)


# Two zones: 10 cylinders of 20 blocks, 10 of 10.
CYLINDERS = Cylinders(np.array([0, 200]), np.array([0, 10]), np.array([20, 10]), 300)


def requests_of(rows: list[tuple[int, int, float]]) -> Requests:
    """(stream, lba, deadline ms or NaN), all at 0."""
    return Requests(
        np.zeros(len(rows)),
        np.array([row[0] for row in rows]),
        np.array([row[1] for row in rows]),
        np.full(len(rows), 2048),
        np.array([row[2] * 1000 for row in rows]),
    )


def columns_of(rows: list[tuple[int, float, float]]) -> dict[str, np.ndarray]:
    """(command, submitted ms, completed ms), in the order of completion."""
    at = {name: np.array([row[i] for row in rows]) for i, name in enumerate(("command", "from", "to"))}
    zeros = np.zeros(len(rows), dtype=np.int64)
    return {
        "command": at["command"].astype(np.int64),
        "submitted_ps": np.round(at["from"] * PS_PER_MS).astype(np.int64),
        "completed_ps": np.round(at["to"] * PS_PER_MS).astype(np.int64),
        "status": zeros,
        "seek_ps": zeros + 2 * PS_PER_MS,
        "rotation_ps": zeros + 4 * PS_PER_MS,
    }


class Records(unittest.TestCase):
    def test_cylinders_of_blocks_in_two_zones(self):
        self.assertEqual(CYLINDERS.of(np.array([0, 19, 20, 199, 200, 209, 210, 299])).tolist(), [0, 0, 1, 9, 10, 10, 11, 19])

    def test_cylinders_of_the_drive(self):
        drive = load_cylinders(DRIVE)
        self.assertEqual(drive.blocks, CAPACITY)
        # Zone 0 has 3,500 cylinders of 2 * 840 blocks; the last zone 2 * 480.
        self.assertEqual(drive.of(np.array([0, 1679, 1680, 3500 * 1680 - 1, 3500 * 1680, CAPACITY - 1])).tolist(),
                         [0, 0, 1, 3499, 3500, 55_999])  # fmt: skip
        with self.assertRaisesRegex(ExperimentError, "spares"):
            load_cylinders(ROOT / "sim/drives/cheetah_9lp.toml")

    # Real time 0, 1, 3 with 20 ms: 10, 25 and 30 ms; best effort 2 takes 40. Cylinders 0, 10, 1, 19 in the order of service.
    def test_responses_misses_jitter_and_distances_by_hand(self):
        requests = requests_of([(0, 0, 20), (0, 200, 20), (1, 20, np.nan), (0, 299, 20)])
        columns = columns_of([(0, 0, 10), (1, 0, 25), (2, 0, 40), (3, 20, 50)])
        result = reduce_streams(columns, requests, CYLINDERS)
        self.assertEqual((result["rt_served"], result["rt_missed"], result["missed_in_a_row"]), (3, 2, 2))
        self.assertAlmostEqual(result["response_mean_ms"], (10 + 25 + 40 + 30) / 4)
        self.assertAlmostEqual(result["response_rt_ms"], 65 / 3)
        self.assertAlmostEqual(result["response_be_ms"], 40)
        self.assertAlmostEqual(result["jitter_ms"], (15 + 5) / 2)
        self.assertEqual(result["distance_total_cylinders"], 10 + 9 + 18)
        self.assertAlmostEqual(result["requests_per_s"], 4 / 0.05)
        self.assertAlmostEqual(result["mb_per_s"], 4 / 0.05)  # each 1 MB
        self.assertAlmostEqual(result["waiting_mean"], 105 / 50)
        self.assertEqual([one["requests"] for one in result["streams"]], [3, 1])
        self.assertEqual([one["missed"] for one in result["streams"]], [2, 0])

    # Records are in the order of completion, streams in that of arrival.
    def test_misses_in_a_row_count_by_arrival_and_stream(self):
        requests = requests_of([(0, 0, 20), (1, 0, 20), (0, 0, 20), (0, 0, 20)])
        columns = columns_of([(2, 0, 10), (0, 0, 30), (3, 0, 40), (1, 0, 50)])
        self.assertEqual(reduce_streams(columns, requests, CYLINDERS)["missed_in_a_row"], 1)
        self.assertEqual(longest_row(np.array([1, 1, 0, 1, 1, 1, 0], dtype=bool)), 3)

    def test_a_deadline_that_is_missed_by_a_picosecond_is_missed(self):
        for late, missed in ((0, 0), (1, 1)):
            columns = columns_of([(0, 0, 20), (1, 0, 21)])
            columns["completed_ps"][0] += late
            result = reduce_streams(columns, requests_of([(0, 0, 20), (1, 0, np.nan)]), CYLINDERS)
            self.assertEqual(result["rt_missed"], missed)

    def test_what_failed_or_is_missing_is_an_error(self):
        requests = requests_of([(0, 0, 20), (1, 0, np.nan)])
        columns = columns_of([(0, 0, 20), (1, 0, 21)])
        columns["status"][0] = 2
        with self.assertRaisesRegex(ExperimentError, "GOOD"):
            reduce_streams(columns, requests, CYLINDERS)
        with self.assertRaisesRegex(ExperimentError, "1 of 2 requests came back"):
            reduce_streams(columns_of([(0, 0, 20)]), requests, CYLINDERS)

    # Arrivals at 0, 1, 2, 15; ends at 10, 20, 30, 40. At 2 three are out, of which one is served; at 15 three.
    def test_orders_of_those_that_wait(self):
        waiting = waiting_at_arrivals(np.array([0, 1, 2, 15]), np.array([10, 20, 30, 40]))
        self.assertEqual(waiting.tolist(), [1, 1, 2, 2])
        self.assertAlmostEqual(orders_log10(np.array([3, 1, 2])), np.log10(6 + 1 + 2))
        self.assertAlmostEqual(orders_log10(np.array([200])), 374.897, places=3)  # 200! = 7.8866e374

    def test_work_is_by_arrival(self):
        counts = {"arrival_times": 4, "arrival_units": 12, "arrival_created": 20, "arrival_kept": 8,
                  "arrival_evaluations": 40, "decision_evaluations": 4}  # fmt: skip
        work = work_of(counts)
        self.assertEqual((work["units_mean"], work["created_mean"], work["kept_mean"]), (3, 5, 2))
        self.assertEqual((work["evaluations_mean"], work["created"]), (11, 20))


class Sweeps(unittest.TestCase):
    def declare(self, sweep: str, policies: str = 'gscan = "gscan"\ntau = "gscan:tau={tau}"') -> tuple[Run, ...]:
        text = f"""
title = "t"
report = "gscan"
drive = "eagle"
seeds = [1]
[requests]
sectors = 8
[policies]
{policies}
[[sweep]]
name = "s"
electronics = ["ideal"]
{sweep}
"""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "e.toml"
            file.write_text(text)
            (Path(folder) / "own.toml").write_text(GOOD)
            return load_sweep(file).runs

    def test_scales_taus_and_lengths_are_axes(self):
        runs = self.declare('policies = ["gscan"]\nworkload = "1"\nscales = [0.9, 3]\nrequests = 10')
        self.assertEqual([run.load for run in runs], [0.9, 3])
        runs = self.declare('policies = ["tau"]\nworkload = "5"\ntaus = [0, 100]\nrequests = 10')
        self.assertEqual([(run.load, run.policy) for run in runs], [(0, "gscan:tau=0"), (100, "gscan:tau=100")])
        runs = self.declare('policies = ["gscan"]\nworkload = "5"\nlengths = [5, 7]\nrequests = 10')
        self.assertEqual([(run.load, run.requests) for run in runs], [(5, 5), (7, 7)])

    def test_a_researchers_own_workload_lies_beside_the_declaration(self):
        runs = self.declare('policies = ["gscan"]\nworkload = "own.toml"\nlayout = "apart"\nrequests = 10')
        self.assertEqual(runs[0].streams.spec["streams"][1]["burst"], 4)
        self.assertEqual(runs[0].streams.spec["layout"]["place"], "apart")

    def test_several_workloads_are_sweeps_each_with_its_name(self):
        runs = self.declare('policies = ["gscan"]\nworkload = ["1", "own.toml"]\nfactor = 22\nrequests = 10')
        self.assertEqual([(run.sweep, run.streams.workload) for run in runs], [("s 1", "1"), ("s own", "own")])
        self.assertEqual({run.streams.spec["layout"]["factor"] for run in runs}, {22})

    def test_settings_are_words_of_each_run_and_part_of_its_spec(self):
        runs = self.declare('policies = ["gscan"]\nworkload = "1"\nsettings = ["settings.cache=read"]\nrequests = 10')
        self.assertEqual(runs[0].settings, ("settings.cache=read",))
        self.assertEqual(words({"settings": list(runs[0].settings)}), ["--deadlines", "message", "settings.cache=read"])

    def test_mistakes_are_told(self):
        good = 'policies = ["gscan"]\nworkload = "1"\nrequests = 10'
        for sweep, message in (
            (good + '\nsettings = ["cache read"]', "'settings' is .*each KEY=VALUE"),
            (good.replace('"1"', '["1", "1"]'), "'workload' is .*different"),
            (good + "\nscales = [0]", r"'scales' is \[0\], but must be a number from 0.01"),
            (good + "\nscales = [1, 1]", "a list of different numbers"),
            (good + "\nscales = [1, 2]\ntaus = [0, 1]", "'scales' and 'taus' both vary"),
            (good + "\ntaus = [70000]", "'taus' is"),
            (good + '\nlayout = "near"', "'layout' is 'near'"),
            (good.replace('"1"', '"7"'), "7.toml: .*name a workload"),
            (good.replace("requests = 10", ""), "'requests' is missing"),
            (good.replace('"gscan"', '"tau"'), "'taus' is missing"),
            (good + "\nwrites = [1]", "'writes' goes with 'reads'"),
            ('policies = ["gscan"]\nreads = [1]\nrequests = 1\nscales = [1]', "'scales' goes with 'workload'"),
        ):
            with self.subTest(sweep), self.assertRaisesRegex(ExperimentError, message):
                self.declare(sweep)

    def test_references_choose_in_place_of_a_policy(self):
        self.assertEqual(choice_words("opt-g"), ["platform.reference=opt-g"])
        self.assertEqual(choice_words("gscan:u=8"), ["--policy", "gscan:u=8"])
        self.assertEqual(len(REFERENCES), 4)

    # The layout chosen has 20 seeds, the others five. Figures 7 to 10 have their scale factors.
    def test_the_declaration_has_the_papers_experiments(self):
        sweep = load_sweep(DECLARATION)
        for name in (*NAMES, *gscan_checks.FAR_WORKLOADS):
            for drive in DRIVES:
                self.assertEqual(len({run.seed for run in sweep.runs if run.sweep == f"{drive} {name}"}), 20, name)
        for name in gscan_checks.SCALED:
            self.assertEqual({run.load for run in sweep.runs if run.sweep == f"scales {name}"}, {0.9, 1.0, 1.5, 2.0, 3.0})
            for pattern, _ in LAYOUTS:
                self.assertEqual(len({run.seed for run in sweep.runs if run.sweep == pattern.format(name)}), 5, pattern)
        for name in NAMES:
            labels = {run.label for run in sweep.runs if run.streams.workload == name and run.load == 1.0}
            self.assertEqual({row.label for row in ROWS} - labels, set(OF_HOST_LAYERS), name)


def results_of(value, sweeps: tuple[str, ...] | None = None) -> Results:
    """The whole declaration with made-up results: `value(run)` gives what differs from plain ones."""
    plain = {
        "requests": 1000, "elapsed_ms": 1.0, "response_mean_ms": 10.0, "response_max_ms": 20.0, "response_rt_ms": 9.0,
        "response_be_ms": 11.0, "rt_served": 500, "rt_missed": 5, "missed_in_a_row": 1, "jitter_ms": 1.0,
        "requests_per_s": 100.0, "mb_per_s": 5.0, "distance_total_cylinders": 1_000_000, "seek_mean_ms": 1.0,
        "rotation_mean_ms": 4.0, "waiting_mean": 2.0, "orders_sum_log10": 18.87, "units_mean": 6.0, "created_mean": 50.0,
        "created": 5000, "kept_mean": 8.0, "evaluations_mean": 100.0, "firmware_cycles": 0,
        "streams": [{"requests": 500, "response_mean_ms": mean, "missed": 5, "missed_in_a_row": 1, "jitter_ms": 1.0,
                     "mb_per_s": 2.0} for mean in (9.0, 11.0)],
    }  # fmt: skip
    runs = [run for run in load_sweep(DECLARATION).runs if sweeps is None or run.sweep in sweeps]


    def over_time(run: Run) -> dict:
        longer = run.sweep.startswith("time")
        return {"requests": run.requests, "orders_sum_log10": np.log10(run.requests) + 15.87} if longer else {}

    return Results(runs, [plain | value(run) | over_time(run) for run in runs])


# What would make each claim true: the paper's world.
def papers_world(run: Run) -> dict:
    workload, label, load = run.streams.workload, run.label, run.load
    world = {"orders_sum_log10": 15.8724 + 3, "created_mean": 298.0 if workload == "1" else 50.0}
    if label.startswith("tau"):
        return world | {
            "units_mean": 22.0 if load == 0 else 6.0,
            "response_mean_ms": 20.0 if load > 100 else 10.0,
            "created_mean": 100.0 if load <= 60 else 20.0,
        }
    poor = label in ("edf", "scanedf")
    if label in gscan_checks.RIVALS:
        world |= {"distance_total_cylinders": 2_000_000 if poor else 1_200_000}
        world |= {"response_mean_ms": 50.0 if poor else 12.0, "mb_per_s": 4.0}
    missed = {"cscan": 60, "kamel": 40, "edf": 10, "scanedf": 10, "opt-d": 1}.get(label, 5)
    return world | {"rt_missed": missed}


class Claims(unittest.TestCase):
    def verdicts(self, results: Results) -> list[str]:
        return [verdict_of(claim.check(results)) for claim in CLAIMS]

    def test_all_hold_in_the_papers_world(self):
        for claim, verdict in zip(CLAIMS, self.verdicts(results_of(papers_world)), strict=True):
            self.assertEqual(verdict, "holds", claim.text)

    # And none of them in its opposite: each check can fail.
    def test_each_fails_in_some_other_world(self):
        def opposite(run: Run) -> dict:
            world, label, load = papers_world(run), run.label, run.load
            world |= {"created_mean": 1e20, "orders_sum_log10": 3.0}
            if label.startswith("tau"):
                return world | {
                    "units_mean": 1.0 if load == 0 else 40.0,
                    "distance_total_cylinders": int(1e6 * (1 + load)), "mb_per_s": 5.0 + load, "rt_missed": int(load / 3),
                    "response_mean_ms": 10.0 if load > 100 else 20.0,
                    "created_mean": 20.0 if load <= 60 else 100.0,
                }  # fmt: skip
            if label == "gscan":
                return world | {"distance_total_cylinders": 10_000_000, "response_mean_ms": 500.0, "mb_per_s": 1.0, "rt_missed": 50}
            if label in ("opt-t", "opt-d", "opt-g"):
                return world | {"rt_missed": 400, "distance_total_cylinders": 1_000, "response_mean_ms": 1.0, "mb_per_s": 50.0}
            if label == "scan":
                return world | {"distance_total_cylinders": 10_000_000, "response_mean_ms": 500.0}
            missed = {"edf": 49, "scanedf": 49, "cscan": 0, "kamel": 0}.get(label, 5)
            distance = 100_000_000 if label in ("cscan", "kamel") and run.streams.workload in ("1", "3") else 1_000
            return world | {"distance_total_cylinders": distance, "response_mean_ms": 1.0, "rt_missed": missed, "mb_per_s": 9.0}

        for claim, verdict in zip(CLAIMS, self.verdicts(results_of(opposite)), strict=True):
            self.assertIn(verdict, ("does not hold", "in part"), f"{claim.section}: {claim.text} {verdict}")

    def test_what_was_not_run_is_told(self):
        page = gscan_page(results_of(papers_world, ("workload 1",)))
        self.assertIn("not measured", page)

    def test_the_page_has_figures_signs_layouts_and_table_1(self):
        page = gscan_page(results_of(papers_world))
        for text in ("## Seed by seed against gscan", "### Figure 4", "### Figure 5(e)", "### Figure 10", "### Figure 12",
                     "## Layouts", "| 5, far apart | gscan |", "## Two drives, side by side",
                     "| 2, files 22 times apart | cscan |", "## Table I", "| FD-SCAN | `fdscan` |"):  # fmt: skip
            self.assertTrue(text in page, text)

    # C-SCAN's 12 ms are a fifth more than the 10 of gscan, on both drives; its 60 misses of 500 are 11 points more than 5.
    def test_the_page_of_results_has_what_cscan_has_more_on_each_drive(self):
        rows = rival_rows(gscan_page(results_of(papers_world)))
        self.assertEqual([row.split(" | ")[0] for row in rows[2:]], [f"| {number}" for number in range(1, 7)])
        self.assertEqual(rows[2], "| 1 | +20 (+20 to +20) | 11.0 ± 0.0 | +20 (+20 to +20) | 11.0 ± 0.0 |")

    def test_signs_are_the_same_in_every_seed_or_counted(self):
        self.assertEqual(gscan_checks.sign_text((5, 0, 0)), "+")
        self.assertEqual(gscan_checks.sign_text((0, 0, 5)), "-")
        self.assertEqual(gscan_checks.sign_text((0, 5, 0)), "=")
        self.assertEqual(gscan_checks.sign_text((3, 1, 1)), "3+ 1-")
        results = results_of(lambda run: {"rt_missed": 9 if run.label == "edf" and run.seed > 2 else 5})
        self.assertEqual(gscan_checks.signs(results, "1", "edf", gscan_checks.missed), (18, 2, 0))

    # 5 of 500 are 1 %; streams of 9 and 11 ms; n! of mean 10^(18.87 - 3).
    def test_measures_by_hand(self):
        results = results_of(lambda run: {})
        one = results.seeds_at(gscan_checks.point(results, "1", "gscan"))[1]
        self.assertAlmostEqual(gscan_checks.missed(one), 1.0)
        self.assertAlmostEqual(gscan_checks.slowest_stream(one), 11 / 9)
        self.assertAlmostEqual(gscan_checks.orders(one), 15.87)
        with self.assertRaises(Missing):
            gscan_checks.point(results, "1", "nobody")

    # Workload 2 has the five policies of the paper's text alone.
    def test_table_1_is_over_workloads_that_all_policies_have(self):
        text = table_1(results_of(papers_world, ("workload 1", "others 1", "workload 2")))
        self.assertIn("Means over workloads 1, each", text)
        self.assertIn("| FD-SCAN | `fdscan` |", text)
        self.assertEqual(table_1(results_of(papers_world, ("tau",))), "")

    def test_table_1_pools_workloads_seed_by_seed(self):
        results = results_of(lambda run: {"rt_missed": 10 if run.streams.workload == "1" else 0})
        means = gscan_checks.pooled(results, ["gscan"], ("1", "2"), gscan_checks.missed)
        self.assertEqual(means["gscan"], Interval(1.0, 0.0, 20))
        self.assertIn("| G-SCAN | `gscan` |", table_1(results))
        self.assertEqual(Point("a", 1), Point("a", 1.0))
        self.assertEqual(StreamLoad("1", {}, 1.5).value, 1.5)
        self.assertEqual(SECTORS_PER_STEP, 8)


if __name__ == "__main__":
    unittest.main()
