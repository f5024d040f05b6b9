# SPDX-License-Identifier: Apache-2.0
"""What is kept, what is made again, and what stops."""

import tempfile
import threading
import unittest
from dataclasses import replace
from pathlib import Path

from support import ROOT  # noqa: I001
from campaign import BUNDLE_REQUESTS, Interrupted, bundles_of, carry_out
from errors import ExperimentError
from execute.places import open_place
from execute.simulator import Simulator
from execute.store import Store, address_of
from execute.workplace import Workplace
from runner import Runner
from stream_load import StreamLoad
from sweep import Run, Sweep

RUNS = tuple(
    Run("scale", "fcfs", "fcfs", "ideal", 0, 0, 0, seed, BUNDLE_REQUESTS, streams=StreamLoad("two", {}, scale, None, None))
    for scale in (1, 10)
    for seed in (1, 2)
)


class Counting:
    """Stands in for a Runner and its work, and counts the calls."""

    def __init__(self, fails_at: int = 0, error: type[BaseException] = ExperimentError) -> None:
        self.made: list[dict] = []
        self._fails_at, self._error, self._lock = fails_at, error, threading.Lock()

    def spec(self, run: Run) -> dict:
        return {"scale": run.streams.scale, "seed": run.seed, "electronics": run.electronics, "requests": run.requests}

    def finish(self, run: Run, result: dict) -> dict:
        return result

    def make_bundle(self, bundle: dict, workplace: Workplace) -> list[dict]:
        results = []
        for spec, name in zip(bundle["runs"], bundle["names"], strict=True):
            try:
                results.append(self.make(spec))
            except ExperimentError as error:
                raise ExperimentError(f"{name}: {error}") from error
        return results

    def make(self, spec: dict) -> dict:
        with self._lock:
            self.made.append(spec)
            if len(self.made) == self._fails_at:
                raise self._error("no")
        return {"value": 100 * spec["scale"] + spec["seed"]}


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Campaign(InAFolder):
    def setUp(self):
        super().setUp()
        self.store = Store(self.folder / "store")

    def carry_out(self, counting: Counting, runs: tuple[Run, ...] = RUNS, jobs: int = 1) -> list[dict]:
        with open_place("local", jobs, Workplace(Simulator(Path(), Path()), {}, self.folder)) as place:
            return carry_out(counting, self.store, runs, place, counting.make_bundle)

    def test_a_run_that_is_done_is_not_made_again(self):
        self.carry_out(Counting(), RUNS[:3])
        again = Counting()
        results = self.carry_out(again)
        self.assertEqual(again.made, [again.spec(RUNS[3])])
        self.assertEqual([result["value"] for result in results], [101, 102, 1001, 1002])

    def test_a_failed_run_is_named_ends_the_campaign_and_what_was_done_stays(self):
        with self.assertRaisesRegex(ExperimentError, "^fcfs, workload two, scale 10, ideal, seed 1: no$"):
            self.carry_out(Counting(fails_at=3))
        again = Counting()
        self.carry_out(again)
        # The run after it may have begun before the campaign ended.
        self.assertIn(again.spec(RUNS[2]), again.made)
        self.assertEqual([spec for spec in map(again.spec, RUNS[:2]) if spec in again.made], [])

    def test_an_interrupted_campaign_says_how_far_it_came(self):
        with self.assertRaises(Interrupted) as raised:
            self.carry_out(Counting(fails_at=4, error=KeyboardInterrupt))
        self.assertEqual((raised.exception.done, raised.exception.total), (3, 4))


class Bundles(unittest.TestCase):
    # Two fill one, a long one is by itself, and so is each on rtl; another kind of electronics begins another.
    def test_short_neighbours_of_one_kind_go_together(self):
        def spec(number: int, requests: int, electronics: str = "ideal") -> dict:
            return {"number": number, "requests": requests, "electronics": electronics}

        half = BUNDLE_REQUESTS // 2
        specs = [spec(1, half), spec(2, half), spec(3, 1), spec(4, 5 * BUNDLE_REQUESTS), spec(5, 1)]
        specs += [spec(6, 1, "charged"), spec(7, 1, "rtl"), spec(8, 1, "rtl")]
        names = {address_of(one): str(one["number"]) for one in specs}
        self.assertEqual(
            [bundle["names"] for bundle in bundles_of(specs, names, 8)], [["1", "2"], ["3"], ["4"], ["5"], ["6"], ["7"], ["8"]]
        )
        self.assertEqual([len(bundle["runs"]) for bundle in bundles_of(specs, names, 1)], [1] * 8)


class Keys(InAFolder):
    def setUp(self):
        super().setUp()
        self.program = self.folder / "build/host/program"
        self.program.parent.mkdir(parents=True)
        self.program.write_text("one")
        self.electronics = self.folder / "build/host/program-rtl"
        self.electronics.write_text("one")
        self.firmware = self.folder / "build/firmware/drive.elf"

    def give_firmware(self, content: str) -> None:
        self.firmware.parent.mkdir(exist_ok=True)
        self.firmware.write_text(content)

    def key(self, run: Run, drive: str = "eagle") -> str:
        sweep = Sweep(self.folder / "sweep.toml", "", "gscan", drive, 8, 0, (run,))
        return address_of(Runner(self.program, ROOT, sweep, self.folder).spec(run))

    # Every input by itself: another key. The names of sweep and policy in the declaration: the same.
    def test_whatever_can_change_a_result_changes_its_key(self):
        self.give_firmware("one")
        run = RUNS[0]
        first = self.key(run)
        for change in (
            {"policy": "stf"},
            {"streams": replace(run.streams, scale=2)},
            {"streams": replace(run.streams, spec={"stream": []})},
            {"seed": 9},
            {"requests": 101},
            {"electronics": "charged"},
        ):
            self.assertNotEqual(self.key(replace(run, **change)), first, change)
        self.assertNotEqual(self.key(run, drive="mvax_71mb"), first)
        self.assertEqual(self.key(replace(run, sweep="other", label="other")), first)
        self.program.write_text("two")
        self.assertNotEqual(self.key(run), first)

    def test_a_run_in_the_cycles_of_the_firmware_depends_on_it(self):
        for electronics in ("charged", "rtl"):
            run = replace(RUNS[0], electronics=electronics)
            self.firmware.unlink(missing_ok=True)
            with self.assertRaisesRegex(ExperimentError, "drive.elf"):
                self.key(run)
            self.give_firmware("one")
            first = self.key(run)
            self.give_firmware("two")
            self.assertNotEqual(self.key(run), first)

    def test_a_run_on_rtl_depends_on_the_program_that_has_it(self):
        self.give_firmware("one")
        for electronics, depends in (("rtl", True), ("charged", False)):
            run = replace(RUNS[0], electronics=electronics)
            self.electronics.write_text("one")
            first = self.key(run)
            self.electronics.write_text("two")
            self.assertEqual(self.key(run) != first, depends, electronics)


if __name__ == "__main__":
    unittest.main()
