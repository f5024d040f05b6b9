"""Makes the runs of a sweep that the store does not have, several at a time, here or on other machines.

The order in which runs end shows nowhere: results come back in the order of the declaration. Ctrl-C ends what runs and
leaves what is done in the store.
"""

import sys
from pathlib import Path
from typing import Any

from errors import ExperimentError
from one_run import make
from runner import Runner
from sweep import Run

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.places import Place, Work  # noqa: E402
from execute.store import Store, address_of  # noqa: E402
from execute.sweep import Failed, Sweep, carry_out_specs  # noqa: E402


class Interrupted(Exception):
    """Ctrl-C: so many of so many runs are in the store."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done} of {total}")
        self.done, self.total = done, total


def carry_out(
    runner: Runner, store: Store, runs: tuple[Run, ...], place: Place, work: Work = make
) -> list[dict[str, Any]]:
    """The result of every run, in order. Runs with the same spec are made once.

    Raises ExperimentError when a run fails (then no other begins), or Interrupted.
    """
    specs = [runner.spec(run) for run in runs]
    names = {address_of(spec): run.describe() for spec, run in zip(specs, runs, strict=True)}
    sweep = Sweep(specs, work, name=lambda spec: names[address_of(spec)], key=address_of)
    try:
        done = carry_out_specs(sweep, place.executor, place.stop, store, place.window)
    except Failed as failed:
        raise ExperimentError(f"{names[address_of(failed.item)]}: {failed}") from failed.error
    if done.interrupted:
        raise Interrupted(done.done, done.total)
    return done.results
