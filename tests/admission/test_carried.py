# SPDX-License-Identifier: Apache-2.0
"""The experiment `admission` at a small size. As many players as each scheme admits miss no deadline on the drive. With rounds by
arrival, players miss deadlines if a round is shorter than their mean accesses together.

test_carried.py RUN_PROGRAM
"""

import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/experiment"))

from errors import ExperimentError  # noqa: E402
from gscan_checks import missed  # noqa: E402
from host_layers import admission  # noqa: E402
from runner import Runner  # noqa: E402
from sweep import load_sweep  # noqa: E402

from execute.simulator import Simulator  # noqa: E402

PROGRAM = ""  # from the command line
DRIVE = ROOT / "sim/drives/cheetah_9lp.toml"
ROUND_MS, RATE, BLOCKS, BLOCK_BYTES = 65_536 / 192, 192_000, 128, 512
ROUNDS = 12
SCHEMES = ("gss", "rangan", "wrr", "reddy", "horizon")
MARGIN = 1.2  # of the number beyond which rounds by arrival cannot be in time


def declaration(policies: str, copies: list[int], more: str = "") -> str:
    own = tomllib.loads((ROOT / "host/experiment/admission.toml").read_text(encoding="utf-8"))
    texts = "".join(f'{name} = "{policy}"\n' for name, policy in own["policies"].items())
    schemes = "".join(f'{name} = "{scheme}"\n' for name, scheme in own["schemes"].items())
    return f"""
title = "small"
report = "admission"
drive = "cheetah_9lp"
seeds = [7]
[requests]
sectors = 8
[policies]
{texts}
[schemes]
{schemes}
[[sweep]]
name = "players"
policies = [{policies}]
workload = "player"
copies = {copies}
electronics = ["charged"]
requests = {ROUNDS}
{more}
"""


def mean_seek_ms() -> float:
    """The mean seek between two random cylinders, by the table of the drive's description."""
    design = tomllib.loads(DRIVE.read_text(encoding="utf-8"))["design"]
    table, cylinders = [(0, 0.0), *design["seek"]["table_ms"]], design["cylinders"]
    total, at = 0.0, 0
    for distance in range(1, cylinders):
        while at + 2 < len(table) and distance > table[at + 1][0]:
            at += 1
        (low, low_ms), (high, high_ms) = table[at], table[at + 1]
        share = (distance - low) / (high - low)
        total += 2 * (cylinders - distance) / cylinders**2 * (low_ms + share * (high_ms - low_ms))
    return total


class Carried(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.simulator = Simulator(Path(PROGRAM).resolve(), ROOT)
        self.answers = admission(self.simulator, DRIVE, RATE, BLOCKS)

    def misses(self, text: str) -> dict[tuple[str, float], float]:
        """Missed deadlines in percent, by policy and number of players."""
        file = self.folder / "small.toml"
        file.write_text(text)
        sweep = load_sweep(file)
        runner = Runner(Path(PROGRAM).resolve(), ROOT, sweep, self.folder)
        results = {}
        for run in sweep.runs:
            result = runner.finish(run, runner.run(run))
            self.assertEqual(result["rt_served"], run.load * ROUNDS)
            self.assertEqual(result["admitted"], self.answers[run.scheme]["streams"])
            results[run.label, run.load] = missed(result)
        return results

    def test_as_many_as_a_scheme_admits_miss_nothing(self) -> None:
        for scheme in SCHEMES:
            count, groups = self.answers[scheme]["streams"], self.answers[scheme]["groups"]
            more = f"groups = {groups}" if groups else ""
            with self.subTest(scheme, streams=count):
                self.assertGreater(count, 2)
                self.assertEqual(self.misses(declaration(f'"{scheme}"', [count], more)), {(scheme, count): 0.0})

    # A request takes a mean seek, half a revolution and its transfer, which is shortest in the fastest zone. So many need more time
    # than a round has, and a request of round R begins ever later.
    def test_rounds_by_arrival_miss_beyond_the_mean_access(self) -> None:
        design = tomllib.loads(DRIVE.read_text(encoding="utf-8"))["design"]
        turn_ms = 60_000 / design["rpm"]
        sectors = max(zone["sectors_per_track"] for zone in design["zones"])
        request_ms = mean_seek_ms() + turn_ms / 2 + BLOCKS / sectors * turn_ms
        many = int(MARGIN * ROUND_MS / request_ms) + 1
        late = self.misses(declaration('"rangan"', [many]))["rangan", many]
        # The last request is (MARGIN - 1) of R rounds late, so those after the first 1 / (MARGIN - 1) rounds' worth are missed.
        self.assertGreater(late, 100 * (1 - 1 / (MARGIN - 1) / ROUNDS) / 2)

    def test_groups_must_be_those_of_the_scheme(self) -> None:
        groups = self.answers["gss"]["groups"]
        with self.assertRaisesRegex(ExperimentError, f"'groups' is {groups + 1}, but `headstack admission` has {groups}; give {groups}"):
            self.misses(declaration('"gss"', [4], f"groups = {groups + 1}"))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
