"""Makes the runs of a sweep that the cache does not have, several at a time.

The order in which runs end shows nowhere: results come back in the order of the declaration. Ctrl-C ends what runs and
leaves what is done in the cache.
"""

import sys
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from cache import Cache
from command_line import progress_wanted
from runner import Runner
from sweep import Run


@dataclass
class Progress:
    """The line on a terminal; nothing anywhere else."""

    total: int
    kept: int
    done: int = 0

    def show(self, run: Run | None = None) -> None:
        """After a run, or at the beginning."""
        if not progress_wanted():
            return
        last = f": {run.describe()}" if run else ""
        kept = f", {self.kept} of them from the cache" if self.kept else ""
        print(f"\r\033[K{self.kept + self.done} of {self.total} runs{kept}{last}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Takes the line away."""
        if progress_wanted():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Interrupted(Exception):
    """Ctrl-C: so many of so many runs are in the cache."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done} of {total}")
        self.done, self.total = done, total


def _make(runner: Runner, cache: Cache, key: str, run: Run) -> dict[str, Any]:
    result = runner.run(run)
    cache.put(key, result)
    return result


def carry_out(runner: Runner, cache: Cache, runs: tuple[Run, ...], jobs: int) -> list[dict[str, Any]]:
    """The result of every run, in order. Runs with the same key are made once.

    Raises what a run raises (then no other begins), or Interrupted.
    """
    keys = [runner.key(run) for run in runs]
    results: dict[str, dict[str, Any]] = {}
    missing: dict[str, Run] = {}
    for key, run in zip(keys, runs, strict=True):
        kept = cache.get(key)
        if kept is not None:
            results[key] = kept
        else:
            missing.setdefault(key, run)
    total = len(set(keys))
    progress = Progress(total, total - len(missing))
    workers = ThreadPoolExecutor(jobs)
    try:
        progress.show()
        futures: dict[Future[dict[str, Any]], str] = {
            workers.submit(_make, runner, cache, key, run): key for key, run in missing.items()
        }
        for future in as_completed(futures):
            results[futures[future]] = future.result()
            progress.done += 1
            progress.show(missing[futures[future]])
    except BaseException as error:
        runner.stop()
        workers.shutdown(wait=True, cancel_futures=True)
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(progress.kept + progress.done, total) from None
        raise
    finally:
        progress.clear()
    workers.shutdown()
    return [results[key] for key in keys]
