# SPDX-License-Identifier: Apache-2.0
"""The one loop against an executor that loses, repeats, hangs and dies as a seed says; a model says what must be there."""

import os
import random
import signal
import subprocess
import sys
import threading
import unittest
from collections import Counter
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from support import ROOT, InAFolder  # noqa: I001
from execute.errors import ExecuteError, Stopped
from execute.store import Spec, Store, address_of
from execute.sweep import Done, Failed, Sweep, carry_out, carry_out_specs

SEEDS = range(300)
IMPATIENCE_S = 0.005
GOOD, FAILS, HANGS, DIES, TWICE, CTRL_C = "good", "fails", "hangs", "dies", "twice", "ctrl-c"
FATES = (GOOD, FAILS, HANGS, DIES, TWICE, CTRL_C)
# How often, in scenarios of one kind each: nothing wrong, little, much.
WEIGHTS = ((1, 0, 0, 0, 1, 0), (20, 1, 1, 1, 4, 1), (3, 1, 1, 1, 1, 1))
DAMAGES: tuple[Callable[[bytes], bytes], ...] = (
    lambda entry: entry[: len(entry) // 2],
    lambda entry: entry.replace(b'"value": 1', b'"value": 2', 1),
    lambda entry: b"",
    lambda entry: b"[]",
    lambda entry: entry.replace(b'"number"', b'"numbers"'),
)


def value_of(spec: Spec) -> dict[str, Any]:
    """What the work makes of it. Its values all begin with 1."""
    return {"value": 1000 + spec["number"], "as text": str(spec["number"]), "share": 1 / (1 + spec["number"])}


class Chaos(Executor):
    """Does the work in an order of its own, by one thread, and gives each spec its fate."""

    def __init__(self, chance: random.Random, fates: dict[int, str]) -> None:
        self._chance, self._fates = chance, fates
        self._change = threading.Condition()
        self._waiting: list[tuple[Future, Callable, Spec]] = []
        self._hanging: list[Future] = []
        self._ending = self._stopped = False
        self.delivered: set[int] = set()
        self.errors: set[int] = set()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def submit(self, work: Callable, spec: Spec) -> Future:  # type: ignore[override]
        future: Future = Future()
        with self._change:
            self._waiting.append((future, work, spec))
            self._change.notify()
        return future

    def stop(self) -> None:
        """What hangs comes back."""
        with self._change:
            self._stopped = True
            for future in self._hanging:
                future.set_exception(Stopped())
            self._hanging.clear()
            self._change.notify()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._change:
            assert not self._hanging, "what hangs was not ended, and would never come back"
            self._ending = True
            self._change.notify()
        self._thread.join()

    def _live(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._ending:
                    told = self._change.wait(IMPATIENCE_S if self._hanging else None)
                    # Only what hangs is left: then somebody loses patience.
                    if not told and self._hanging:
                        self._hanging.pop().set_exception(KeyboardInterrupt())
                if not self._waiting:
                    return
                future, work, spec = self._waiting.pop(self._chance.randrange(len(self._waiting)))
            if future.set_running_or_notify_cancel():
                self._meet(future, work, spec)

    def _meet(self, future: Future, work: Callable, spec: Spec) -> None:
        number = spec["number"]
        fate = self._fates[number]
        if fate == HANGS:
            with self._change:
                if self._stopped:
                    future.set_exception(Stopped())
                else:
                    self._hanging.append(future)
            return
        if fate in (GOOD, TWICE):
            results = [work(spec) for _ in range(1 + (fate == TWICE))]
            self.delivered.add(number)
            future.set_result(results[-1])
            return
        self.errors.add(number)
        errors = {FAILS: ValueError("no"), DIES: BrokenExecutor("killed"), CTRL_C: KeyboardInterrupt()}
        future.set_exception(errors[fate])


class Scenario:
    """A sweep, what the store has before it, and everybody's fate."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        count = chance.randint(1, 12)
        numbers = [chance.randrange(count) for _ in range(count)]  # some several times
        self.specs: list[Spec] = [{"number": number, "name": "a spec"} for number in numbers]
        weights = chance.choice(WEIGHTS)
        self.fates = {number: chance.choices(FATES, weights)[0] for number in set(numbers)}
        self.kept = {number for number in set(numbers) if chance.random() < 0.25}
        self.damaged = {number: chance.choice(DAMAGES) for number in self.kept if chance.random() < 0.5}
        self.window = chance.choice((None, 1, 3))
        self.calls: Counter[int] = Counter()

    def work(self, spec: Spec) -> dict[str, Any]:
        """Counts."""
        self.calls[spec["number"]] += 1
        return value_of(spec)

    def prepare(self, store: Store) -> set[int]:
        """Returns what is whole in the store."""
        for spec in self.specs:
            number = spec["number"]
            if number in self.kept:
                store.put(spec, value_of(spec))
        for spec in self.specs:
            if (damage := self.damaged.pop(spec["number"], None)) is not None:
                file = store.file(spec)
                file.write_bytes(damage(file.read_bytes()))
                self.kept.discard(spec["number"])
        return set(self.kept)

    def run(self, store: Store, executor: Executor, stop: Callable[[], None]) -> tuple[Done, list[int]]:
        """And the numbers in the order in which they were told."""
        told: list[int] = []
        sweep = Sweep(
            self.specs, self.work, name=str, key=address_of,
            tell=lambda spec, result: told.append(spec["number"]), urgency=lambda spec: float(spec["number"] % 3),
        )  # fmt: skip
        return carry_out_specs(sweep, executor, stop, store, self.window), told


class Adversary(InAFolder):
    def test_what_was_delivered_is_kept_whatever_else_happens_and_the_rest_is_made_later(self) -> None:
        ends: Counter[str] = Counter()
        for seed in SEEDS:
            with self.subTest(seed=seed):
                ends[self.play(seed)] += 1
        # The seeds have come to all of it.
        self.assertGreater(min(ends[end] for end in ("all", "failed", "interrupted")), 20, ends)

    def play(self, seed: int) -> str:
        """Returns how it ended."""
        scenario, store = Scenario(seed), Store(self.folder / str(seed))
        whole = scenario.prepare(store)
        numbers = [spec["number"] for spec in scenario.specs]
        chaos = Chaos(scenario.chance, scenario.fates)
        threads = threading.active_count()
        end = "all"
        try:
            done, told = scenario.run(store, chaos, chaos.stop)
            if done.interrupted:
                end = "interrupted"
            kept = [number for number in numbers if number in whole | chaos.delivered]
            self.assertEqual(done.results, [value_of({"number": number}) for number in kept])
            self.assertEqual((done.done, done.total), (len(set(kept)), len(set(numbers))))
            self.assertEqual(told, numbers[: len(told)], "told in order")
        except Failed as failed:
            end = "failed"
            self.assertIn(failed.item["number"], chaos.errors)
            self.assertIn(scenario.fates[failed.item["number"]], (FAILS, DIES))
        finally:
            chaos.shutdown()
        # The model: whole ones are not made again, and what came back, and nothing else, is in the store.
        bad = {number for number in set(numbers) - whole if scenario.fates[number] not in (GOOD, TWICE)}
        self.assertEqual(end == "all", not bad)
        stored = {spec["number"] for spec in scenario.specs if store.get(spec)}
        self.assertEqual(stored, whole | chaos.delivered)
        self.assertFalse(set(scenario.calls) & whole)
        for number, calls in scenario.calls.items():
            self.assertEqual(calls, 2 if scenario.fates[number] == TWICE else 1)
        self.assertLess(threading.active_count(), threads + 1, "no thread stays behind")
        self.go_on(scenario, store, stored)
        return end

    def go_on(self, scenario: Scenario, store: Store, stored: set[int]) -> None:
        """The same again, by an executor that does what it is told: makes what is missing, and that alone."""
        scenario.calls.clear()
        with ThreadPoolExecutor(3) as healthy:
            done, told = scenario.run(store, healthy, lambda: None)
        numbers = [spec["number"] for spec in scenario.specs]
        self.assertEqual(done.results, [value_of(spec) for spec in scenario.specs])
        self.assertEqual(told, numbers)
        self.assertEqual(scenario.calls, Counter(set(numbers) - stored))
        self.assertFalse(done.interrupted)


def suicide(number: int) -> int:
    """Work that takes its process along."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


class Ends(InAFolder):
    def test_a_worker_process_that_dies_by_a_signal_is_told_as_such(self) -> None:
        with ProcessPoolExecutor(1) as workers, self.assertRaises(Failed) as raised:
            carry_out(Sweep([0, 1, 2], suicide, name=str, key=int), workers, lambda: None)
        self.assertIn("the process that did it has died", str(raised.exception))
        self.assertIsInstance(raised.exception.error, ExecuteError)

    def test_the_most_urgent_begins_first_and_results_stand_as_asked_for(self) -> None:
        begun: list[int] = []

        def work(number: int) -> int:
            begun.append(number)
            return -number

        with ThreadPoolExecutor(1) as workers:
            sweep = Sweep([3, 1, 2, 5, 5], work, name=str, key=int, urgency=lambda number: {1: 9.0, 2: 4.0}.get(number, 0))
            done = carry_out(sweep, workers, lambda: None)
        self.assertEqual(begun, [1, 2, 3, 5])
        self.assertEqual(done.results, [-3, -1, -2, -5, -5])

    # Pieces of 3, 2 and 4 runs, 5 that were done before; the last piece fails to come.
    def test_progress_counts_what_pieces_are_made_of(self) -> None:
        def work(size: int) -> int:
            if size == 4:
                raise KeyboardInterrupt
            return size

        sweep: Sweep = Sweep([3, 2, 4], work, name=str, key=lambda size: size, size=lambda size: size, kept_before=5)
        with ThreadPoolExecutor(1) as executor:
            done = carry_out(sweep, executor, lambda: None)
        self.assertEqual((done.interrupted, done.done, done.total), (True, 10, 14))

    def test_a_window_is_how_much_is_handed_over(self) -> None:
        most, under_way, lock = 0, 0, threading.Lock()
        barrier = threading.Barrier(2, timeout=20)

        def work(number: int) -> int:
            nonlocal most, under_way
            with lock:
                under_way += 1
                most = max(most, under_way)
            barrier.wait()  # two are there at a time
            with lock:
                under_way -= 1
            return number

        with ThreadPoolExecutor(8) as workers:
            carry_out(Sweep(range(20), work, name=str, key=int), workers, lambda: None, window=2)
        self.assertEqual(most, 2)

    def test_nobody_holds_a_future_whose_result_is_there(self) -> None:
        # A cluster makes a result again that was lost with a worker, as long as its future is held.
        import gc
        import weakref

        held: list[int] = []
        futures: list[weakref.ref[Future]] = []

        class Watched(ThreadPoolExecutor):
            def submit(self, work: Any, *arguments: Any, **more: Any) -> Future:
                future = super().submit(work, *arguments, **more)
                futures.append(weakref.ref(future))
                return future

        def tell(item: int, result: int) -> None:
            gc.collect()
            held.append(sum(future() is not None and future().done() for future in futures))

        with Watched(1) as workers:
            sweep = Sweep(range(6), lambda number: number, name=str, key=int, tell=tell)
            carry_out(sweep, workers, lambda: None, window=1)
        # The one that is being told of, and no other.
        self.assertEqual(max(held), 1)


MANY_INTERRUPTS = """
import signal, sys, time
from concurrent.futures import ThreadPoolExecutor
sys.path[:0] = sys.argv[1:]
from execute.sweep import Sweep, carry_out
from interrupts import interrupt

def work(number):
    if number == 0:
        signal.setitimer(signal.ITIMER_REAL, delay_s)
    time.sleep(0.0005)

signal.signal(signal.SIGALRM, interrupt)
for attempt in range(20):
    delay_s = 0.05 + 0.02 * attempt
    with ThreadPoolExecutor(2) as workers:
        done = carry_out(Sweep(range(20_000), work, name=str, key=int), workers, lambda: None)
        assert done.interrupted and done.done < done.total, done.done
"""


class Interrupted(unittest.TestCase):
    # An interrupt inside concurrent.futures, which takes locks that its threads need, left one of them taken for ever.
    def test_an_interrupt_at_any_moment_ends_a_long_sweep(self) -> None:
        paths = [str(ROOT / "host"), str(ROOT / "host/output")]
        done = subprocess.run([sys.executable, "-B", "-c", MANY_INTERRUPTS, *paths], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.stderr[-1500:], "")
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
