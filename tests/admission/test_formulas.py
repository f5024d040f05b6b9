# SPDX-License-Identifier: Apache-2.0
"""headstack admission: its figures against separately written formulas, on a drive of twelve cylinders, and its errors.

test_formulas.py HEADSTACK_PROGRAM
"""

import itertools
import json
import math
import random
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from small_drive import BLOCK_BYTES, CYLINDERS, SECTORS, SEEKS, TOML, TURN_MS, Bounds, envelope, positioning

PROGRAM = ""  # set from the command line
# Four sectors lie within a track of the slow zone, or cross its end, which costs the skew.
BLOCKS = 4
REQUEST = BLOCKS * BLOCK_BYTES
SWITCH_SECTORS = 8  # skew at a cylinder's end, twice that of a head switch


class Formulas(unittest.TestCase):
    folder: Path
    drive: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.drive = cls.folder / "small.toml"
        cls.drive.write_text(TOML, encoding="utf-8")

    def call(self, *words: object) -> subprocess.CompletedProcess[str]:
        line = [PROGRAM, "admission", str(self.drive), *map(str, words)]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    def admit(self, *words: object) -> dict[str, Any]:
        done = self.call("--blocks", BLOCKS, "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found: dict[str, Any] = json.loads(done.stdout)
        found["schemes"] = {one["scheme"]: one for one in found["schemes"]}
        return found

    def bounds(self, found: dict[str, Any], overhead: float = 0.5, write: bool = False) -> Bounds:
        # 4 sectors take 1 ms each. 8 more pass where they continue on the next cylinder of the slow zone.
        transfer = (BLOCKS + SWITCH_SECTORS) * TURN_MS / min(SECTORS)
        self.assertAlmostEqual(found["transfer_ms"], transfer, places=6)
        self.assertAlmostEqual(found["longest_seek_ms"], positioning(CYLINDERS - 1, write), places=6)
        self.assertAlmostEqual(found["rotation_ms"], TURN_MS, places=6)
        made = Bounds(overhead, transfer, write)
        self.assertAlmostEqual(found["request_ms"], made.alone, places=6)
        return made

    def expect(self, one: dict[str, Any], busy: Any, length: float, buffer: Any) -> int:
        """Checks that a round has room for the admitted streams, and for no more. Returns their number."""
        n: int = one["streams"]
        self.assertGreater(n, 0)
        self.assertAlmostEqual(one["busy_ms"], busy(n), places=6)
        self.assertLessEqual(busy(n), length)
        self.assertGreater(busy(n + 1), length)
        self.assertAlmostEqual(one["buffer_bytes"], buffer(n))
        return n

    def test_each_scheme_by_its_formula(self) -> None:
        for write, (rate, round_ms) in itertools.product((False, True), (("2kB", 1024.0), ("1kB", 5000.0), ("3kB", 700.0))):
            with self.subTest(write=write, rate=rate):
                words = ["--rate", rate, "--round", f"{round_ms}ms", "--scatter", 2, "--best-effort", 3, "--share", 0.7]
                found = self.admit(*words, *(["--write"] if write else []))
                k = math.ceil(round_ms / (REQUEST / float(rate[0])))
                self.assertEqual(found["requests_per_round"], k)
                b = self.bounds(found, write=write)
                schemes = found["schemes"]
                double = lambda n, k=k: 2 * n * k * REQUEST
                near = b.fixed + positioning(2, write)
                self.expect(schemes["rangan"], lambda n, b=b, k=k, near=near: n * (b.alone + (k - 1) * near), round_ms, double)
                block_ms = REQUEST / float(rate[0])
                self.assertEqual(schemes["rangan"]["streams_any_round"], math.ceil(block_ms / near) - 1)
                self.expect(schemes["reddy"], lambda n, b=b, k=k: n * k * b.alone, 0.7 * round_ms, double)
                n = self.expect(schemes["wrr"], lambda n, b=b, k=k: b.sweep(n * k + 3), round_ms, double)
                self.assertAlmostEqual(schemes["wrr"]["response_ms"], round_ms + b.sweep(n * k + 3) + b.alone, places=6)
                self.expect(schemes["horizon"], lambda n, b=b, k=k: (n * k + 1) * b.alone, round_ms, double)
                self.assertEqual(schemes["horizon"]["response_ms"], round_ms)
                # gss admits as many streams as one group can carry, in as many groups as can still carry them.
                gss = schemes["gss"]
                n, g = gss["streams"], gss["groups"]
                self.assertLessEqual(b.groups(n, 1, k), round_ms)
                self.assertGreater(b.groups(n + 1, 1, k), round_ms)
                self.assertLessEqual(b.groups(n, g, k), round_ms)
                self.assertTrue(g == n or b.groups(n, g + 1, k) > round_ms)
                self.assertAlmostEqual(gss["busy_ms"], b.groups(n, g, k), places=6)
                self.assertAlmostEqual(gss["buffer_bytes"], k * REQUEST * (n + math.ceil(n / g)))

    def test_chen_by_all_pairs_of_cylinders(self) -> None:
        found = self.admit("--rate", "2kB", "--round", "3s", "--late-rounds", 0.01, "--scheme", "chen")
        b = self.bounds(found)
        places = range(CYLINDERS)
        seek = lambda x, y: positioning(abs(x - y))
        pairs = [seek(x, y) for x in places for y in places]
        mean = b.overhead + b.transfer + TURN_MS / 2 + statistics.fmean(pairs)
        variance = statistics.pvariance(pairs) + TURN_MS**2 / 12
        # The covariance of two successive seeks is over all triples.
        triples = [seek(x, y) * seek(y, z) for x in places for y in places for z in places]
        covariance = statistics.fmean(triples) - statistics.fmean(pairs) ** 2
        z = statistics.NormalDist().inv_cdf(0.99)
        k = found["requests_per_round"]

        def busy(n: int) -> float:
            count = n * k
            return count * mean + z * math.sqrt(count * variance + 2 * (count - 1) * covariance)

        self.expect(found["schemes"]["chen"], busy, 3000.0, lambda n: 2 * n * k * REQUEST)

    def test_no_sweep_takes_longer(self) -> None:
        """Compares random sweeps of random requests with W. One in a hundred comes within a tenth of its seeks."""
        chance = random.Random(3)
        closest = 0.0
        for _ in range(20_000):
            count = chance.randrange(1, 9)
            style = chance.randrange(3)
            spots = [chance.randrange(CYLINDERS) if style else chance.choice((0, 5, CYLINDERS - 1)) for _ in range(count)]
            at, up, total = chance.randrange(CYLINDERS), chance.random() < 0.5, 0.0
            while spots:
                ahead = [one for one in spots if (one >= at if up else one <= at)]
                if not ahead:
                    up = not up
                    continue
                to = min(ahead, key=lambda one: abs(one - at))
                # The head changes, too, so a movement takes at least a head switch.
                total += max(SEEKS[abs(to - at) - 1] if to != at else 0.0, 1.0)
                spots.remove(to)
                at = to
            bound = Bounds(0, 0).sweep(count) - count * TURN_MS
            self.assertLessEqual(total, bound + 1e-9)
            closest = max(closest, total / bound)
        self.assertGreater(closest, 0.9)

    def test_the_envelope_is_the_programs(self) -> None:
        # W(m) is tested for every m, by rounds that are just long enough for m streams, or just too short.
        b = Bounds(0.5, (BLOCKS + SWITCH_SECTORS) * TURN_MS / min(SECTORS))
        for m in range(1, 30):
            for length, expected in ((b.sweep(m) + 1e-4, m), (b.sweep(m) - 1e-4, m - 1)):
                # At this rate, a stream sends one request per round.
                rate = REQUEST / length
                found = self.admit("--rate", f"{rate:.9f}kB", "--round", f"{length:.9f}ms", "--scheme", "wrr")
                self.assertEqual(found["schemes"]["wrr"]["streams"], expected, (m, length))
        self.assertGreater(envelope(4), positioning(4))  # because of the jump at 5

    def test_a_buffer_bounds_the_streams(self) -> None:
        free = self.admit("--rate", "1kB", "--round", "5s")
        for limit in (20, 200):
            found = self.admit("--rate", "1kB", "--round", "5s", "--buffer", f"{limit}KiB")
            for name, one in found["schemes"].items():
                with self.subTest(name, limit=limit):
                    self.assertLessEqual(one["buffer_bytes"], limit * 1024)
                    self.assertLessEqual(one["streams"], free["schemes"][name]["streams"])
        k, b = free["requests_per_round"], self.bounds(free)
        # gss changes its groups to make room for one more stream.
        tight = self.admit("--rate", "1kB", "--round", "5s", "--buffer", "120KiB")["schemes"]["gss"]
        fits = lambda n: any(
            b.groups(n, g, k) <= 5000 and k * REQUEST * (n + math.ceil(n / g)) <= 120 * 1024 for g in range(1, n + 1)
        )
        self.assertTrue(fits(tight["streams"]))
        self.assertFalse(fits(tight["streams"] + 1))

    def test_groups_that_are_given(self) -> None:
        found = self.admit("--rate", "2kB", "--round", "4s", "--groups", 4)
        b, k = self.bounds(found), found["requests_per_round"]
        one = found["schemes"]["gss"]
        self.assertEqual(one["groups"], 4)
        self.expect(one, lambda n: b.groups(n, 4, k), 4000.0, lambda n: k * REQUEST * (n + math.ceil(n / 4)))

    def test_a_round_is_as_long_as_a_request_lasts(self) -> None:
        found = self.admit("--rate", "16kbit")
        self.assertEqual((found["rate_bytes_per_second"], found["round_ms"], found["requests_per_round"]), (2000.0, 1024.0, 1))

    def test_text_says_what_json_does(self) -> None:
        found = self.admit("--rate", "2kB")
        text = self.call("--rate", "2kB", "--blocks", BLOCKS).stdout
        self.assertGreater(len(found["schemes"]), 3)
        for name, one in found["schemes"].items():
            row = re.search(rf"(?m)^  {name} +(\d+) +(\S+) +(\S+) +(\S+) ", text)
            assert row is not None, name
            shown = f"{one['response_ms']:.3f}" if one["response_ms"] is not None else "-"
            self.assertEqual(row.groups(), (str(one["streams"]), f"{one['busy_ms']:.3f}", f"{one['buffer_bytes'] / 1000:.1f}", shown))

    def test_errors_name_the_option_and_the_remedy(self) -> None:
        for words, status, text in (
            ([], 2, "--rate"),
            (["--rate", "192"], 2, "give a number above 0 with kB"),
            (["--rate", "-1kB"], 2, "above 0"),
            (["--rate", "nankB"], 2, "above 0"),
            (["--rate", "1kB", "--round", "0ms"], 2, "--round"),
            (["--rate", "1kB", "--round", "5"], 2, "--round"),
            (["--rate", "1kB", "--blocks", "0"], 2, "--blocks"),
            (["--rate", "1kB", "--share", "0"], 2, "--share"),
            (["--rate", "1kB", "--late-rounds", "0.6"], 2, "--late-rounds"),
            (["--rate", "1kB", "--groups", "0"], 2, "--groups"),
            (["--rate", "1kB", "--scheme", "fifo"], 2, "--scheme"),
            (["--rate", "1kB", "--buffer", "lots"], 2, "--buffer"),
            (["--rate", "1kB", "--speed", "2"], 2, "--speed"),
            (["--rate", "1kB", "--scatter", CYLINDERS], 1, f"--scatter: {CYLINDERS}, but the drive has {CYLINDERS} cylinders"),
            (["--rate", "1kB", "--blocks", 5000], 1, "--blocks: 5000, but the drive has 360"),
        ):
            with self.subTest(words):
                done = self.call(*words)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
