# SPDX-License-Identifier: Apache-2.0
"""The one loop: work for each of many items, over any executor of concurrent.futures.

The results are in the order of the items. They do not depend on the executor, the number of workers, or the order in which work
ends. Ctrl-C ends running work and keeps what is done.
"""

import sys
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from command_line import progress_wanted  # host/output
from interrupts import holding_interrupts

from .errors import ExecuteError
from .store import Spec

Item = TypeVar("Item")
Result = TypeVar("Result")


class Keeper(Protocol):
    """What a Store does; or several of its entries at a time."""

    def get(self, spec: Spec) -> tuple[Any] | None:
        """The kept result of a spec; None if there is none."""

    def put(self, spec: Spec, result: Any) -> Any:
        """Keeps the result, and returns it as get() will."""


class Failed(Exception, Generic[Item]):
    """The work for an item raised an error."""

    def __init__(self, item: Item, error: BaseException) -> None:
        super().__init__(str(error))
        self.item, self.error = item, error


@dataclass(frozen=True)
class Done(Generic[Result]):
    """Results in the order of the items; fewer than there are, when the sweep was interrupted."""

    results: list[Result]
    interrupted: bool
    done: int  # different pieces of work that are done, by their sizes, kept ones included
    total: int


@dataclass
class Progress:
    """The line on a terminal; nothing anywhere else."""

    total: int
    kept: int = 0
    noun: str = "runs"
    done: int = 0
    trouble: int = 0

    def show(self, last: str = "") -> None:
        """Shows the progress after each piece of work, and at the beginning."""
        if not progress_wanted():
            return
        kept = f", {self.kept} of them kept from before" if self.kept else ""
        trouble = f", {self.trouble} not as expected" if self.trouble else ""
        text = f"{self.kept + self.done} of {self.total} {self.noun}{kept}{trouble}{': ' if last else ''}{last}"
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Takes the line away."""
        if progress_wanted():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Sweep(Generic[Item, Result]):
    """The work to be done, and its name in messages."""

    items: Sequence[Item]
    work: Callable[[Item], Result]  # called by the executor with the item
    name: Callable[[Item], str]  # name in messages
    key: Callable[[Item], Hashable]  # items with equal keys are done once
    # The greatest urgency begins first. By default items begin in their order.
    urgency: Callable[[Item], float] = lambda item: 0.0
    is_trouble: Callable[[Result], bool] = lambda result: False
    # Called with each result in the order of the items, as soon as it and all before it are there.
    tell: Callable[[Item, Result], None] = lambda item, result: None
    noun: str = "runs"
    size: Callable[[Item], int] = lambda item: 1  # number of `noun` in an item
    kept_before: int = 0  # number that are done already and are not among the items


def carry_out(
    sweep: Sweep[Item, Result], executor: Executor, stop: Callable[[], None], window: int | None = None
) -> Done[Result]:
    """Does all items, at most `window` at a time. Raises Failed with the first error, and then nothing continues.

    `stop` ends running work, which then raises Stopped or does not return.
    """
    return _Loop(sweep, executor, stop, window, None).run()


def carry_out_specs(
    sweep: Sweep[Spec, Result], executor: Executor, stop: Callable[[], None], store: Keeper, window: int | None = None
) -> Done[Result]:
    """The same for items that are specs: what the store has is not done again, and what is done goes there at once."""
    return _Loop(sweep, executor, stop, window, store).run()


class _Loop(Generic[Item, Result]):
    def __init__(
        self,
        sweep: Sweep[Item, Result],
        executor: Executor,
        stop: Callable[[], None],
        window: int | None,
        store: Keeper | None,
    ) -> None:
        self._sweep, self._executor, self._stop, self._window, self._store = sweep, executor, stop, window, store
        self._keys = [sweep.key(item) for item in sweep.items]
        self._results: dict[Hashable, Result] = {}
        self._told = 0
        self._waiting: list[tuple[Hashable, Item]] = []  # the next one last
        self._running: dict[Future[Result], tuple[Hashable, Item]] = {}
        # concurrent.futures takes locks that its threads need. Ctrl-C in between could leave one taken, and a thread would wait
        # for ever. So Ctrl-C has an effect only while this queue is empty. Its get() is safe to interrupt.
        self._ended: SimpleQueue[Future[Result]] = SimpleQueue()

    def run(self) -> Done[Result]:
        """Does all items; called once."""
        missing = self._take_kept()
        size = self._sweep.size
        sizes = dict(zip(self._keys, map(size, self._sweep.items), strict=True))
        kept = self._sweep.kept_before + sum(sizes[key] for key in self._results)
        total = self._sweep.kept_before + sum(sizes.values())
        self._waiting = sorted(missing.items(), key=lambda one: self._sweep.urgency(one[1]), reverse=True)[::-1]
        self._progress = Progress(total, kept, self._sweep.noun)
        interrupted = False
        try:
            self._progress.show()
            self._tell()
            while self._waiting or self._running:
                with holding_interrupts():
                    self._begin()
                ended = [self._ended.get()]
                with holding_interrupts():
                    self._collect(ended)
        except KeyboardInterrupt:
            interrupted = True
            self._end()
        except BaseException:
            self._end()
            raise
        finally:
            self._progress.clear()
        results = [self._results[key] for key in self._keys if key in self._results]
        return Done(results, interrupted, kept + self._progress.done, total)

    def _take_kept(self) -> dict[Hashable, Item]:
        """Takes results from the store. Returns the items that it lacks."""
        missing: dict[Hashable, Item] = {}
        for key, item in zip(self._keys, self._sweep.items, strict=True):
            kept = self._store.get(item) if self._store and key not in missing and key not in self._results else None
            if kept is not None:
                self._results[key] = kept[0]
            elif key not in self._results:
                missing.setdefault(key, item)
        return missing

    def _begin(self) -> None:
        while self._waiting and (self._window is None or len(self._running) < self._window):
            key, item = self._waiting.pop()
            future = self._executor.submit(self._sweep.work, item)
            self._running[future] = key, item
            future.add_done_callback(self._ended.put)

    def _collect(self, ended: list[Future[Result]]) -> None:
        """Collects finished work, and all else that has ended by now. Of several errors, that of the first item counts."""
        while not self._ended.empty():
            ended.append(self._ended.get())
        errors: list[tuple[int, Item, BaseException]] = []
        while ended:
            future = ended.pop(0)
            key, item = self._running[future]
            try:
                self._take(key, item, future.result())
            except CancelledError:
                errors.append((self._keys.index(key), item, ExecuteError("the cluster has cancelled it, or is gone")))
            except BrokenExecutor as error:
                errors.append((self._keys.index(key), item, ExecuteError(f"the process that did it has died: {error}")))
            except Exception as error:
                errors.append((self._keys.index(key), item, error))
            # The reference is dropped: a cluster makes a lost result again as long as there is one.
            del self._running[future], future
        if errors:
            _, item, error = min(errors, key=lambda one: one[0])
            raise Failed(item, error) from error

    def _take(self, key: Hashable, item: Item, result: Result) -> None:
        if self._store is not None:
            result = self._store.put(item, result)
        self._results[key] = result
        self._progress.done += self._sweep.size(item)
        self._progress.trouble += self._sweep.is_trouble(result)
        self._progress.show(self._sweep.name(item))
        self._tell()

    def _tell(self) -> None:
        while self._told < len(self._keys) and self._keys[self._told] in self._results:
            self._sweep.tell(self._sweep.items[self._told], self._results[self._keys[self._told]])
            self._told += 1

    def _end(self) -> None:
        """Begins nothing else, ends running work, and takes the results so far. Another Ctrl-C has no effect meanwhile."""
        with suppress(KeyboardInterrupt), holding_interrupts():
            self._end_running()

    def _end_running(self) -> None:
        self._waiting.clear()
        for future in self._running:
            future.cancel()
        self._stop()
        self._executor.shutdown(wait=True)
        for future, (key, item) in self._running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._take(key, item, future.result())
