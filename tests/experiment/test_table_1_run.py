# SPDX-License-Identifier: Apache-2.0
"""Rangan's and Won's rounds, Reddy's shares, and the upper layers of Chen and Horizon, on the program that users run. The drive
serves requests in the order that an independent program finds (table_1_model.py).

test_table_1_run.py RUN_PROGRAM
"""

import dataclasses
import math
import random
import statistics
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import numpy as np

from support import ROOT  # noqa: I001
from table_1_model import (
    DISK_MS,
    MEAN_ACCESS_MS,
    TRACKS,
    DeadlineSet,
    Request,
    Rounds,
    Shares,
    Sweep,
    access_ms,
    due_at_rate,
    serve,
)
from records import read_columns
from execute.simulator import Simulator
from host_layers import requests_of_round, with_deadlines
from one_stream_run import words
from stream_load import make_requests
from workload import load_workload

PROGRAM = ""  # from the command line
# A page is one sector, the first of 16 of its cylinder. It holds the bus for no time.
DRIVE = ROOT / "host/experiment/drives/abstract_1000_track_page.toml"
PLACES = 16
PAGE_BLOCKS = 8  # of a workload, whose requests have 4 KB
SECONDS_AT_MOST = 300.0
TIME_COLUMNS = ("seek_ps", "settle_ps", "head_switch_ps", "rotation_ps", "media_transfer_ps")
PS_PER_MS = 10**9
RT, BE = True, False


def random_requests(seed: int, count: int, gap_ms: float, streams: int, urgent: float) -> list[Request]:
    """Requests anywhere on the disk, with exponential gaps; `urgent`: the share of them with a deadline.

    Microseconds are whole, as message 81h has them.
    """
    chance, at_us, made = random.Random(seed), 0, []
    for number in range(count):
        at_us += max(1, round(chance.expovariate(1 / gap_ms) * 1000))
        due_ms = at_us / 1000 + chance.randrange(20_000, 2_000_000) / 1000 if chance.random() < urgent else math.inf
        made.append(Request(number, at_us / 1000, chance.randrange(TRACKS), chance.randrange(streams), due_ms))
    return made


def backlog(seed: int, each: int, streams: int, is_real_time: dict[int, bool]) -> list[Request]:
    """As many requests of each stream, which all arrive within a few microseconds, in a random order of streams."""
    chance = random.Random(seed)
    numbers = [stream for stream in range(streams) for _ in range(each)]
    chance.shuffle(numbers)
    return [
        Request(number, number / 1000, chance.randrange(TRACKS), stream, 1e5 + number if is_real_time[stream] else math.inf)
        for number, stream in enumerate(numbers)
    ]


class Drive(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def served(self, requests: list[Request], policy: str, *settings: str) -> tuple[list[int], dict[int, float]]:
        """The drive's order of service, and the time of the heads for each request, in ms."""
        trace, out = self.folder / "trace", self.folder / "out"
        with open(trace, "w", encoding="ascii") as file:
            file.write("headstack-trace 4\ntime-unit us\nloop open\ncolumns time operation lba blocks deadline class stream\nrequests\n")
            for one in requests:
                urgency = f"{round((one.due_ms - one.arrival_ms) * 1000)} real-time" if one.is_real_time else "- best-effort"
                file.write(f"{round(one.arrival_ms * 1000)} R {one.track * PLACES} 1 {urgency} {one.stream}\n")
        words = [PROGRAM, "--drive", DRIVE, "--platform", "native", "platform.ideal_electronics=true", "--trace", trace]
        words += ["--policy", policy, "--deadlines", "message", "--depth", "4096", "--force", "--out", out, *settings]
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_AT_MOST, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        columns = read_columns(out / "records.csv", ("command", *TIME_COLUMNS))
        times = sum(columns[name] for name in TIME_COLUMNS) / PS_PER_MS
        order = columns["command"].tolist()
        return order, dict(zip(order, times.tolist(), strict=True))

    def check(self, requests: list[Request], scheduler: Rounds | Shares, policy: str, *settings: str) -> None:
        """The drive's order is the scheduler's, and it is not that of a plain sweep or of the arrivals."""
        expected = serve(requests, scheduler)
        order, _ = self.served(requests, policy, *settings)
        self.assertEqual(order, expected)
        self.assertNotEqual(order, sorted(order))


def stream_words(**rows: dict[int, int]) -> str:
    """The setting of one parameter of streams, such as k={0: 2}."""
    [(key, values)] = rows.items()
    return "settings.streams=[" + ", ".join(f"{{ number = {number}, {key} = {value} }}" for number, value in values.items()) + "]"


class Orders(Drive):
    def test_rangans_rounds(self):
        own = {1: 1, 3: 6}  # streams without a k of their own have rt or be
        for seed in (1, 2, 3):
            requests = random_requests(seed, 500, 22, 5, 0.5)
            with self.subTest(seed):
                self.check(requests, Rounds(lambda one: 2 if one.is_real_time else 3, scans=False), "wrrscan:inner=fcfs,rt=2,be=3")
                own_quota = Rounds(lambda one: own.get(one.stream, 2 if one.is_real_time else 3), scans=False)
                self.check(requests, own_quota, "wrrscan:inner=fcfs,rt=2,be=3", stream_words(k=own))

    def test_wons_rounds(self):
        for seed in (1, 2, 3):
            requests = random_requests(seed, 500, 22, 5, 0.4)
            for length_ms in (0, 70, 200):
                with self.subTest(seed=seed, length=length_ms):
                    rounds = Rounds(lambda one: 2 if one.is_real_time else 1, scans=True, length_ms=length_ms)
                    self.check(requests, rounds, f"wrrscan:rt=2,be=1,round={length_ms}")

    # Hundredths that divide 65,536: the drive's shares are rounded down to such parts.
    def test_reddys_shares(self):
        for seed in (1, 2, 3):
            requests = random_requests(seed, 500, 22, 5, 0.4)
            for shares in ({0: 64, 3: 32}, {2: 16, 1: 64, 4: 16}):
                with self.subTest(seed=seed, shares=shares):
                    part = {stream: share / 100 for stream, share in shares.items()}
                    self.check(requests, Shares(part), "cello:by=stream", stream_words(share=shares))

    # The test itself would notice: another parameter gives another order.
    def test_other_parameters_are_other_orders(self):
        requests = random_requests(1, 500, 22, 5, 0.4)
        quota = lambda one: 2 if one.is_real_time else 1
        orders = [
            serve(requests, Rounds(quota, scans=False)),
            serve(requests, Rounds(quota, scans=True)),
            serve(requests, Rounds(quota, scans=True, length_ms=70)),
            serve(requests, Rounds(quota, scans=True, length_ms=200)),
            serve(requests, Shares({0: 0.64, 3: 0.32})),
            serve(requests, Shares({0: 0.32, 3: 0.64})),
        ]
        self.assertEqual(len({tuple(order) for order in orders}), len(orders))


class Promises(Drive):
    """What table I says of the schedulers, with a backlog of every stream."""

    # A fixed cycle: as long as every stream has requests, each round has k of each.
    def test_rangans_streams_have_their_requests_in_every_round(self):
        quotas = {0: 1, 1: 3, 2: 2}
        requests = backlog(7, 60, 3, dict.fromkeys(quotas, RT))
        order, _ = self.served(requests, "wrrscan:inner=fcfs", stream_words(k=quotas))
        size = sum(quotas.values())
        # The first request is served alone: no other had arrived. Stream 1 has requests for 19 rounds after it.
        for begin in range(1, 19 * size, size):
            found = Counter(requests[number].stream for number in order[begin : begin + size])
            self.assertEqual(found, quotas, begin)

    # A round of 200 ms holds 13 accesses of 15.1 ms: real time has its quota, and best effort the rest.
    def test_wons_best_effort_has_what_real_time_leaves_of_a_round(self):
        holds = math.floor(200 / MEAN_ACCESS_MS)
        self.assertEqual(holds, 13)
        requests = backlog(8, 100, 2, {0: RT, 1: BE})
        order, _ = self.served(requests, "wrrscan:rt=4,be=2,round=200")
        rounds = [order[begin : begin + holds] for begin in range(1, 1 + 10 * holds, holds)]
        for one in rounds:
            self.assertEqual(Counter(requests[number].stream for number in one), {0: 4, 1: holds - 4})

    # In any span in which both have requests, shares differ by less than one access of each: it is the bound of fair queueing.
    def test_reddys_streams_have_their_shares_of_the_time(self):
        shares = {0: 0.64, 1: 0.32, 2: 0.04}
        for is_real_time in (RT, BE):
            with self.subTest(real_time=is_real_time):
                self.check_shares(shares, backlog(9, 150, 3, dict.fromkeys(shares, is_real_time)))

    def check_shares(self, shares: dict[int, float], requests: list[Request]) -> None:
        order, took_ms = self.served(requests, "cello:by=stream", stream_words(share={0: 64, 1: 32}))
        used, left = Counter[int](), Counter(one.stream for one in requests)
        longest_ms = access_ms(TRACKS)
        checked = 0
        for number in order:
            stream = requests[number].stream
            used[stream] += took_ms[number]
            left[stream] -= 1
            if min(left.values()) == 0:
                break
            checked += 1
            for one in shares:
                for other in shares:
                    gap = used[one] / shares[one] - used[other] / shares[other]
                    self.assertLessEqual(gap, longest_ms / shares[one] + longest_ms / shares[other])
        self.assertGreater(checked, 200)
        total = sum(used.values())
        for stream, share in shares.items():
            self.assertAlmostEqual(used[stream] / total, share, delta=0.02)


WORKLOAD = """
title = "a reader with deadlines beside two without"
[[stream]]
name = "rt"
class = "real-time"
pattern = "periodic"
gap_ms = 250
deadline_ms = [100, 300]
size_kb = [4, 4]
file_mb = 1
[[stream]]
name = "random"
class = "best-effort"
pattern = "random"
gap_ms = 55
size_kb = [4, 4]
file_mb = 1
[[stream]]
name = "bursts"
class = "best-effort"
pattern = "sequential"
gap_ms = 90
burst = 3
size_kb = [4, 4]
file_mb = 1
[layout]
place = "disk"
extent_mb = 1
"""
GAPS_MS, ROUND_MS = {1: 55.0, 2: 90.0}, 250.0
OVERHEAD_MS = 0.5  # `headstack admission` adds it to a request
LATE_ROUNDS = 0.001
TURN_MS = 10.0  # at 6000 rpm


class Layers(Drive):
    """The layers of the host, with the drive's queue below them."""

    def setUp(self) -> None:
        super().setUp()
        (self.folder / "own.toml").write_text(WORKLOAD)
        self.streams = load_workload(self.folder / "own.toml").spec()

    def requests_of(self, seed: int, with_layer: bool = False) -> list[Request]:
        """The workload's requests, a page in place of each 4 KB, with its own deadlines or those of the layer."""
        made = make_requests(self.streams, TRACKS * PAGE_BLOCKS, 500, seed, 1.0)
        made = with_deadlines(made, self.streams["streams"], 1.0) if with_layer else made
        columns = (made.arrival_us, made.lba, made.stream, made.deadline_us)
        return [
            Request(number, at / 1000, lba // PAGE_BLOCKS, stream, (at + due) / 1000 if due == due else math.inf)
            for number, (at, lba, stream, due) in enumerate(zip(*(column.tolist() for column in columns), strict=True))
        ]

    def test_horizon_gives_best_effort_deadlines_by_its_rate(self):
        for seed in (1, 2, 3):
            plain = self.requests_of(seed)
            expected = list(plain)
            for stream, gap_ms in GAPS_MS.items():
                own = [one for one in plain if one.stream == stream]
                for one, due_ms in zip(own, due_at_rate([one.arrival_ms for one in own], gap_ms), strict=True):
                    expected[one.number] = dataclasses.replace(one, due_ms=due_ms)
            order, _ = self.served(self.requests_of(seed, with_layer=True), "fahrrad:w=25")
            self.assertEqual(order, serve(expected, DeadlineSet(25.0)), seed)
            # With the deadlines of the workload alone the order is another.
            self.assertNotEqual(order, self.served(plain, "fahrrad:w=25")[0], seed)

    def round_holds(self) -> int:
        """The most requests N for which N u + z sqrt(N v + 2 (N - 1) c) is at most a round.

        u and v are mean and variance of a request over all pairs of tracks, at a random angle. c is the covariance of a request
        with the next one, which begins where it ends.
        """
        track = np.arange(TRACKS)
        seeks = 0.6 * np.sqrt(np.abs(track[:, None] - track[None, :]))
        mean = float(np.mean(seeks)) + DISK_MS + OVERHEAD_MS
        variance = float(np.var(seeks)) + TURN_MS**2 / 12
        covariance = float(np.var(np.mean(seeks, axis=0)))
        z = statistics.NormalDist().inv_cdf(1 - LATE_ROUNDS)
        holds = 0
        while True:
            more = holds + 1
            if more * mean + z * math.sqrt(more * variance + 2 * (more - 1) * covariance) > ROUND_MS:
                return holds
            holds = more

    def test_chen_shares_out_the_requests_that_a_round_holds(self):
        holds = self.round_holds()
        # A request of one block on this disk is a page. The statistics are of a disk that turns.
        streams = [stream | {"size_kb": (0.5, 0.5)} for stream in self.streams["streams"]]
        turning = self.folder / "turning.toml"
        turning.write_text(DRIVE.read_text().replace('rotational_latency = "mean"', 'rotational_latency = "angular"'))
        self.assertEqual(requests_of_round(Simulator(Path(PROGRAM).resolve(), ROOT), turning, streams, 1.0), holds)
        quotas = {0: 1, 1: (holds - 1) // 2, 2: (holds - 1) // 2}
        self.assertGreater(quotas[1], 1)
        setting = words({"settings": [], "workload": self.streams, "layer": {"name": "chen", "requests": holds}})[-1]
        for seed in (1, 2, 3):
            requests = self.requests_of(seed)
            order, _ = self.served(requests, "wrrscan:inner=fcfs", setting)
            self.assertEqual(order, serve(requests, Rounds(lambda one: quotas[one.stream], scans=False)), seed)
            self.assertNotEqual(order, serve(requests, Rounds(lambda one: 4 if one.is_real_time else 2, scans=False)))


class Model(unittest.TestCase):
    """The independent program, by hand."""

    def test_horizon_due_times(self):
        # 0 + 10; 1 is early: 20; 50 is late: 60; then 70 and 80.
        self.assertEqual(due_at_rate([0, 1, 50, 51, 52], 10), [10, 20, 60, 70, 80])

    def test_a_sweep_turns_at_its_last_request(self):
        sweep, at, order = Sweep(), 50, []
        waiting = [Request(number, 0, track, 0) for number, track in enumerate((40, 60, 55, 50))]
        while waiting:
            chosen = sweep.step(waiting, at)
            sweep.turn_to(chosen, at)
            waiting.remove(chosen)
            order.append(at := chosen.track)
        self.assertEqual(order, [50, 55, 60, 40])

    # Streams 0, 0, 0, 1 wait; with a quota of two the third of stream 0 is in the second round.
    def test_rounds(self):
        requests = [Request(number, 0, 10 * number, stream) for number, stream in enumerate((0, 0, 0, 1))]
        self.assertEqual(serve(requests, Rounds(lambda one: 2, scans=False)), [0, 1, 3, 2])
        self.assertEqual(serve(requests, Rounds(lambda one: 2, scans=False, length_ms=4 * MEAN_ACCESS_MS + 1)), [0, 1, 2, 3])

    # 100 ms hold three accesses of 25 ms after the one that is due first; the nearest of the four goes first.
    def test_a_set_of_deadlines(self):
        requests = [Request(number, 0, track, 0, due) for number, (track, due) in enumerate(((900, 100), (10, 200), (20, 300), (30, 400), (5, 500)))]
        self.assertEqual(serve(requests, DeadlineSet(25.0))[0], 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
