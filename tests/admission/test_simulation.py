# SPDX-License-Identifier: Apache-2.0
"""As many streams as `headstack admission` admits, on the drive with the scheme's policy: no deadline is missed. With
more streams than the media can carry, deadlines are missed.

test_simulation.py HEADSTACK_PROGRAM RUN_PROGRAM

Each stream sends one request a round, at a random place, from a random time in the first round on. Its deadline is the response
time that the scheme promises. In the overload the streams request 1.3 times what the fastest zone's media deliver. The requests
of R rounds T are due by R T + D. By then no drive can have served more than (R T + D) / 1.3 of them. That is less than all as
soon as 0.3 R T > D.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HEADSTACK, RUN = "", ""  # set from the command line
DRIVE = "hp_c3323a"
RATE, BLOCKS = "192kB", 128  # MPEG-1 at 1.5 Mbit/s; 64 KiB
ROUNDS = 16
OVERLOAD = 1.3


@dataclass(frozen=True)
class Scheme:
    """A scheme's policy, with {q} requests a visit. `grouped`: the drive treats the streams of a group as one."""

    name: str
    policy: str
    grouped: bool = False


SCHEMES = (
    Scheme("gss", "gss:q={q}", grouped=True),
    Scheme("rangan", "wrrscan:rt=1,inner=fcfs"),
    Scheme("wrr", "wrrscan:rt=1"),
    Scheme("reddy", "cello"),
    Scheme("horizon", "edf"),
)


def admission(*words: object) -> dict[str, Any]:
    line = [HEADSTACK, "admission", DRIVE, "--rate", RATE, "--blocks", str(BLOCKS), "--json", *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True, check=True, env={**os.environ, "HEADSTACK_ROOT": str(ROOT)})
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def capacity() -> int:
    line = [HEADSTACK, "drive", "info", DRIVE, "--json"]
    done = subprocess.run(line, capture_output=True, text=True, check=True, env={**os.environ, "HEADSTACK_ROOT": str(ROOT)})
    return int(json.loads(done.stdout)["capacity_blocks"])


def write_trace(file: Path, streams: list[int], round_ms: float, deadline_ms: float, seed: int) -> None:
    """Writes a trace. `streams` has the number by which the drive knows each stream."""
    chance = random.Random(seed)
    last = capacity() - BLOCKS
    requests = []
    for number in streams:
        begin = chance.random() * round_ms
        # Some requests are at the drive's ends, for the worst seeks.
        requests += [
            (begin + turn * round_ms, chance.choice((0, last, *(chance.randrange(last) for _ in range(3)))), number)
            for turn in range(ROUNDS)
        ]
    with open(file, "w", encoding="ascii") as out:
        out.write("headstack-trace 4\ntime-unit ms\ncolumns time operation lba blocks deadline class stream priority\nrequests\n")
        for at, lba, number in sorted(requests):
            out.write(f"{at:.3f} R {lba} {BLOCKS} {deadline_ms:.3f} real-time {number} 0\n")


class Simulation(unittest.TestCase):
    folder: Path
    found: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.found = admission()

    def run_streams(self, scheme: Scheme, platform: str, n: int, deadline_ms: float, groups: int, seed: int) -> dict[str, Any]:
        """The deadline figures of a run of n streams."""
        name = f"{scheme.name}-{platform}-{n}-{seed}"
        streams = [number % groups if scheme.grouped else number for number in range(n)]
        write_trace(self.folder / f"{name}.trace", streams, self.found["round_ms"], deadline_ms, seed)
        line = [RUN, "--drive", DRIVE, "--trace", self.folder / f"{name}.trace", "--platform", platform, "--depth", 64,
                "--policy", scheme.policy.format(q=math.ceil(n / groups)), "--deadlines", "message", "--out",
                self.folder / name]  # fmt: skip
        environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT), "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        done = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        result: dict[str, Any] = json.loads((self.folder / name / "summary.json").read_text())["result"]
        self.assertEqual(result["commands"], n * ROUNDS)
        told = result.get("streams", {"count": 1})  # streams that are all in one group are one stream to the drive
        self.assertEqual(told["count"], len(set(streams)))
        deadlines: dict[str, Any] = result["deadlines"]
        return deadlines

    def check(self, scheme: Scheme, platform: str) -> None:
        one = next(row for row in self.found["schemes"] if row["scheme"] == scheme.name)
        n, groups = one["streams"], one["groups"] or 1
        self.assertGreater(n, 2)
        # The lower layer keeps its deadline if it can. Here that is plain EDF, with the slack of one blocking request.
        deadline_ms = one["response_ms"]
        for seed in (1, 2):
            self.assertEqual(self.run_streams(scheme, platform, n, deadline_ms, groups, seed)["missed"], 0, (scheme, n))
        most = self.found["fastest_bytes_per_second"] / self.found["rate_bytes_per_second"]
        many = math.ceil(OVERLOAD * most)
        self.assertGreater((OVERLOAD - 1) * ROUNDS * self.found["round_ms"], deadline_ms)
        missed = self.run_streams(scheme, platform, many, deadline_ms, groups, 1)
        self.assertGreater(missed["missed"], 0, (scheme, many))

    def test_native(self) -> None:
        for scheme in SCHEMES:
            with self.subTest(scheme.name):
                self.check(scheme, "native")

    def test_vp(self) -> None:
        for scheme in SCHEMES[:3]:
            with self.subTest(scheme.name):
                self.check(scheme, "vp")

    def test_chen_keeps_its_share_of_late_rounds(self) -> None:
        """A round is late if its requests take longer than it lasts. Then requests wait for more than two rounds."""
        [one] = admission("--scheme", "chen", "--late-rounds", 0.01)["schemes"]
        self.assertGreater(one["streams"], max(row["streams"] for row in self.found["schemes"] if row["scheme"] == "rangan"))
        scheme = Scheme("chen", "wrrscan:rt=1,inner=fcfs")
        deadlines = self.run_streams(scheme, "native", one["streams"], 2 * self.found["round_ms"], 1, 1)
        self.assertLessEqual(deadlines["missed"], 0.01 * deadlines["commands"])


if __name__ == "__main__":
    RUN = sys.argv.pop()
    HEADSTACK = sys.argv.pop()
    unittest.main()
