# SPDX-License-Identifier: Apache-2.0
"""Makes the runs of a sweep that the store does not have, several at a time, here or on other machines.

The order in which runs end shows nowhere: results come back in the order of the declaration. Ctrl-C ends what runs and
leaves what is done in the store.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drive_file import load_drive
from errors import ExperimentError
from one_run import make_bundle
from runner import Runner
from sweep import Run, Sweep

import one_depth_run
from traces import layout_on

HOST = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOST / "sweep"), str(HOST)]

from execute.places import Place, Work  # noqa: E402
from execute.simulator import Simulator  # noqa: E402
from execute.store import Spec, Store, address_of  # noqa: E402
from execute.sweep import Failed, carry_out_specs  # noqa: E402
from execute.sweep import Sweep as Asked  # noqa: E402
from sweep_errors import Refused, SweepError  # noqa: E402
from sweep_runs import carry_out_plans, make_plan  # noqa: E402


# Most requests in a bundle, unless it is one run: a second or two of work. Ctrl-C loses the unfinished part.
BUNDLE_REQUESTS = 60_000
# Bundles are also made small enough that there are this many, if there are runs enough: for all processors and cluster
# workers.
BUNDLES_LEAST = 32


class Interrupted(Exception):
    """Ctrl-C ended the campaign; the text says how many of how many runs are in the store."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done} of {total}")
        self.done, self.total = done, total


@dataclass(frozen=True)
class _Bundles:
    """A store of bundles. Each run of a bundle is kept by itself, so that another bundle finds it."""

    store: Store

    def get(self, bundle: Spec) -> None:
        """Nothing: bundles are made only of runs that the store does not have."""

    def put(self, bundle: Spec, results: list[Any]) -> list[Any]:
        """Keeps each result under its own run's spec, as Store.put() does."""
        return [self.store.put(spec, result) for spec, result in zip(bundle["runs"], results, strict=True)]


def bundles_of(specs: Sequence[Spec], names: dict[str, str], most: int) -> list[Spec]:
    """Bundles of at most `most` neighbouring short runs with the same kind of electronics.

    A cycle-by-cycle run is a bundle by itself.
    """
    bundles: list[Spec] = []
    room, kind = 0, ""
    for spec in specs:
        count, its_kind = spec["requests"], spec["electronics"]
        is_full = bool(bundles) and len(bundles[-1]["runs"]) >= most
        if is_full or count > room or its_kind != kind or its_kind == "rtl":
            bundles.append({"runs": [], "names": []})
            room, kind = BUNDLE_REQUESTS, its_kind
        room -= count
        bundles[-1]["runs"].append(spec)
        bundles[-1]["names"].append(names[address_of(spec)])
    return bundles


def carry_out(
    runner: Runner, store: Store, runs: tuple[Run, ...], place: Place, work: Work = make_bundle
) -> list[dict[str, Any]]:
    """The result of every run, in order. Runs with the same spec are made once.

    Raises ExperimentError when a run fails (then no other begins), or Interrupted.
    """
    specs = [runner.spec(run) for run in runs]
    addresses = [address_of(spec) for spec in specs]
    names = {address: run.describe() for address, run in zip(addresses, runs, strict=True)}
    wanted = dict(zip(addresses, specs, strict=True))
    results = {address: kept[0] for address, spec in wanted.items() if (kept := store.get(spec)) is not None}
    missing = [spec for address, spec in wanted.items() if address not in results]
    bundles = bundles_of(missing, names, max(1, len(missing) // BUNDLES_LEAST))
    sweep = Asked(
        bundles,
        work,
        name=lambda bundle: bundle["names"][-1],
        key=lambda bundle: address_of(bundle["runs"][0]),
        size=lambda bundle: len(bundle["runs"]),
        kept_before=len(results),
    )
    try:
        done = carry_out_specs(sweep, place.executor, place.stop, _Bundles(store), place.window)
    except Failed as failed:
        raise ExperimentError(str(failed)) from failed.error
    if done.interrupted:
        raise Interrupted(done.done, done.total)
    for bundle, made in zip(bundles, done.results, strict=True):
        results |= zip(map(address_of, bundle["runs"]), made, strict=True)
    return [runner.finish(run, results[address]) for address, run in zip(addresses, runs, strict=True)]


def carry_out_depths(
    simulator: Simulator, sweep: Sweep, store: Store, scratch: Path, executor: str, jobs: int | None
) -> list[dict[str, Any]]:
    """Carries out the sweeps of depths.py. Raises as carry_out_declared()."""
    if layout_on(load_drive(sweep.drive_file), sweep.sectors).blocks == 0:
        raise ExperimentError(f"{sweep.file}: requests.sectors: {sweep.sectors} do not fit on a cylinder")
    return carry_out_declared(simulator, sweep, store, scratch, executor, jobs, one_depth_run.make)


def carry_out_declared(
    simulator: Simulator, sweep: Sweep, store: Store, scratch: Path, executor: str, jobs: int | None, work: Work
) -> list[dict[str, Any]]:
    """Carries out sweeps whose runs host/sweep makes, each by `work`. Raises ExperimentError, ExecuteError and Interrupted."""
    try:
        plans = [make_plan(simulator, declared, jobs) for declared in sweep.declared]
        tables = carry_out_plans(simulator, plans, store=store, scratch=scratch, executor=executor, jobs=jobs, work=work)
    except Refused as refusal:
        remedy = f"name other policies with --only, or correct {sweep.file}"
        raise ExperimentError(f"the simulator refuses a scenario; {remedy}: {refusal}") from None
    except SweepError as error:
        raise ExperimentError(str(error)) from error
    if any(table.interrupted for table in tables):
        raise Interrupted(sum(len(table.rows) for table in tables), sum(table.wanted for table in tables))
    return [row.figures for table in tables for row in table.rows]
