"""What is kept, what is made again, and what stops."""

import tempfile
import threading
import unittest
from dataclasses import replace
from pathlib import Path

from support import ROOT  # noqa: I001
from cache import Cache, key_of
from campaign import Interrupted, carry_out
from errors import ExperimentError
from runner import Runner
from sweep import Run, Sweep

RUNS = tuple(Run("queue", "fcfs", "fcfs", "ideal", 0, queue, 0, seed, 100) for queue in (1, 10) for seed in (1, 2))


class Counting:
    """In the place of a Runner: counts what it is asked for."""

    def __init__(self, fails_at: int = 0, error: type[BaseException] = ExperimentError) -> None:
        self.made: list[Run] = []
        self.stopped = False
        self._fails_at, self._error, self._lock = fails_at, error, threading.Lock()

    def key(self, run: Run) -> str:
        return key_of({"queue": run.queue, "seed": run.seed})

    def run(self, run: Run) -> dict:
        with self._lock:
            self.made.append(run)
            if len(self.made) == self._fails_at:
                raise self._error("no")
        return {"value": 100 * run.queue + run.seed}

    def stop(self) -> None:
        self.stopped = True


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Campaign(InAFolder):
    def test_results_come_in_the_order_of_the_declaration(self):
        for jobs in (1, 3):
            results = carry_out(Counting(), Cache(self.folder / str(jobs)), RUNS, jobs)
            self.assertEqual([result["value"] for result in results], [101, 102, 1001, 1002])

    def test_a_run_that_is_done_is_not_made_again(self):
        cache = Cache(self.folder)
        carry_out(Counting(), cache, RUNS[:3], 1)
        again = Counting()
        carry_out(again, cache, RUNS, 1)
        self.assertEqual(again.made, [RUNS[3]])

    def test_runs_with_the_same_inputs_are_made_once(self):
        once = Counting()
        results = carry_out(once, Cache(self.folder), (RUNS[0], RUNS[1], RUNS[0]), 1)
        self.assertEqual(len(once.made), 2)
        self.assertEqual(results[0], results[2])

    def test_a_result_that_cannot_be_read_is_made_again(self):
        cache = Cache(self.folder)
        carry_out(Counting(), cache, RUNS, 1)
        (self.folder / f"{Counting().key(RUNS[2])}.json").write_text("{cut of")
        again = Counting()
        carry_out(again, cache, RUNS, 1)
        self.assertEqual(again.made, [RUNS[2]])

    def test_a_failed_run_ends_the_campaign_and_what_was_done_stays(self):
        cache = Cache(self.folder)
        failing = Counting(fails_at=3)
        with self.assertRaises(ExperimentError):
            carry_out(failing, cache, RUNS, 1)
        self.assertTrue(failing.stopped)
        again = Counting()
        carry_out(again, cache, RUNS, 1)
        self.assertIn(RUNS[2], again.made)
        self.assertNotIn(RUNS[0], again.made)
        self.assertNotIn(RUNS[1], again.made)

    def test_an_interrupted_campaign_says_how_far_it_came(self):
        with self.assertRaises(Interrupted) as raised:
            carry_out(Counting(fails_at=4, error=KeyboardInterrupt), Cache(self.folder), RUNS, 1)
        self.assertEqual((raised.exception.done, raised.exception.total), (3, 4))


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

    def key(self, run: Run, drive: str = "eagle", sectors: int = 8) -> str:
        sweep = Sweep(self.folder / "sweep.toml", "", "eagle", drive, sectors, 60, (run,))
        return Runner(self.program, ROOT, sweep, self.folder).key(run)

    # Every input by itself: another key. The names of sweep and policy in the declaration: the same.
    def test_whatever_can_change_a_result_changes_its_key(self):
        self.give_firmware("one")
        run = RUNS[0]
        first = self.key(run)
        for change in (
            {"policy": "stf"},
            {"queue": 2},
            {"seed": 9},
            {"requests": 101},
            {"electronics": "charged"},
            {"queue": 0, "rate": 1},
        ):
            self.assertNotEqual(self.key(replace(run, **change)), first, change)
        self.assertNotEqual(self.key(run, sectors=4), first)
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
