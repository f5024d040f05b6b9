"""Declared sweeps: a TOML file in, the list of its runs out. README.md describes the keys.

Every key is checked by a schema (host/python/schema.py): a mistake is an ExperimentError. A policy is opaque text for
`headstack run --policy`; `{group}` in it stands for a group size of the sweep.
"""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from errors import ExperimentError  # noqa: E402
from schema import Key, load_toml, one_of, some_of, take_table, text, texts, told_as, whole, wholes  # noqa: E402

ELECTRONICS = ("ideal", "charged", "rtl")
REPORTS = ("eagle", "electronics", "movable-head")
MOST_WAITING = 5_000  # firmware/queue/task_set.h: TASK_SET_CAPACITY is 5,120
MOST_REQUESTS = 10_000_000


@dataclass(frozen=True)
class Run:
    """One run of the drive.

    `queue` is the number of requests to choose from (closed loop), or `rate` the requests per unit of time (open loop);
    the other one is 0.
    """

    sweep: str
    label: str  # the policy's name in the declaration
    policy: str  # as `headstack run` takes it
    electronics: str
    group: int  # cylinders; 0: the policy has no group of the sweep's
    queue: int
    rate: int
    seed: int
    requests: int

    def describe(self) -> str:
        """For people."""
        load = f"Q = {self.queue}" if self.queue else f"rate {self.rate}"
        group = f", group {self.group}" if self.group else ""
        return f"{self.label}{group}, {load}, {self.electronics}, seed {self.seed}"


@dataclass(frozen=True)
class Sweep:
    """A declared experiment."""

    file: Path
    title: str
    report: str
    drive: str
    sectors: int  # of a request
    saturation: int  # open loop: requests per unit of time that fcfs can just serve; 0: no open loop
    runs: tuple[Run, ...]


LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class _Sizes:
    """How long runs are."""

    per_queued: int
    at_least: int
    longest_queue: int
    open_requests: int  # 0: what the sweep says
    seeds: tuple[int, ...] | None  # None: what the sweep says


def _policies(value: Any) -> dict[str, str]:
    """Names, and policies as the command line takes them."""
    policies = value.values() if isinstance(value, dict) else ()
    if not policies or not all(isinstance(one, str) and re.fullmatch(r"\S+", one) for one in policies):
        raise ValueError("a table of names and policies, each as 'headstack run --policy' takes it, without spaces")
    return dict(value)


SEEDS = wholes(0, LARGEST_SEED)
REQUEST_COUNT = whole(1, MOST_REQUESTS)
REQUEST_KEYS = {
    "sectors": Key(whole(1, 65_535), required=True),
    "per_queued": Key(whole(1, 10_000), required=True),
    "at_least": Key(REQUEST_COUNT, required=True),
}
QUICK_KEYS = {
    "seeds": Key(SEEDS, required=True),
    "per_queued": Key(whole(1, 10_000), required=True),
    "at_least": Key(REQUEST_COUNT, required=True),
    "longest_queue": Key(whole(1, MOST_WAITING), required=True),
    "open_requests": Key(REQUEST_COUNT),
}
SWEEP_KEYS = {
    "name": Key(text, required=True),
    "policies": Key(texts, required=True),
    "queue_lengths": Key(wholes(1, MOST_WAITING)),
    "rates": Key(wholes(1, 100_000)),
    "group_sizes": Key(wholes(1, 1_000_000)),
    "electronics": Key(some_of(ELECTRONICS), required=True),
    "requests": Key(REQUEST_COUNT),
    "seeds": Key(SEEDS),
}
TOP_KEYS = {
    "title": Key(text, required=True),
    "report": Key(one_of(REPORTS), required=True),
    "drive": Key(text, required=True),
    "seeds": Key(SEEDS, required=True),
    "policies": Key(_policies, required=True),
    "requests": Key(required=True, table=REQUEST_KEYS),
    "quick": Key(table=QUICK_KEYS),
    "saturation": Key(whole(1, 100_000)),
    "sweep": Key(required=True, rows=SWEEP_KEYS),
}

Table = dict[str, Any]


def _fail(where: str, what: str, remedy: str) -> ExperimentError:
    return ExperimentError(f"{where}: {what}; {remedy}")


def _sizes(file: Path, top: Table, quick: bool) -> _Sizes:
    requests = top["requests"]
    if not quick:
        return _Sizes(requests["per_queued"], requests["at_least"], MOST_WAITING, 0, None)
    if "quick" not in top:
        raise _fail(str(file), "'quick' is missing", "give a table [quick], or leave --quick out")
    short = top["quick"]
    return _Sizes(
        short["per_queued"], short["at_least"], short["longest_queue"], short.get("open_requests", 0), short["seeds"]
    )


def _loads(where: str, table: Table, top: Table, longest: int) -> list[tuple[int, int]]:
    """(queue, rate) of every load."""
    if ("queue_lengths" in table) == ("rates" in table):
        raise _fail(where, "a sweep has either 'queue_lengths' or 'rates'", "give one of the two")
    if "queue_lengths" in table:
        return [(queue, 0) for queue in table["queue_lengths"] if queue <= longest]
    if "saturation" not in top:
        raise _fail(where, "'saturation' is missing above", "rates need the rate that fcfs can just serve")
    if "requests" not in table:
        raise _fail(where, "'requests' is missing", "an open loop says how many requests arrive")
    return [(0, rate) for rate in table["rates"]]


def _runs(where: str, table: Table, top: Table, sizes: _Sizes) -> list[Run]:
    policies = top["policies"]
    # What they may be stands in another key.
    labels = take_table(where, {"policies": list(table["policies"])}, {"policies": Key(some_of(policies))})["policies"]
    loads = _loads(where, table, top, sizes.longest_queue)
    own_seeds = table.get("seeds")
    seeds = own_seeds or top["seeds"]
    if sizes.seeds is not None:
        # A sweep that asks for fewer seeds than the others stays short.
        seeds = sizes.seeds[: len(own_seeds)] if own_seeds else sizes.seeds
    groups, fixed = table.get("group_sizes", ()), table.get("requests", 0)
    runs: list[Run] = []
    for label in labels:
        grouped = "{group}" in policies[label]
        if grouped and not groups:
            raise _fail(where, "'group_sizes' is missing", f"policy '{label}' has a {{group}}")
        for group in groups if grouped else (0,):
            for kind in table["electronics"]:
                for queue, rate in loads:
                    count = fixed or max(sizes.per_queued * queue, sizes.at_least)
                    if rate and sizes.open_requests:
                        count = min(count, sizes.open_requests)
                    policy = policies[label].replace("{group}", str(group))
                    runs += [
                        Run(table["name"], label, policy, kind, group, queue, rate, seed, count) for seed in seeds
                    ]
    return runs


@told_as(ExperimentError)
def load_sweep(file: Path, quick: bool = False, seeds: list[int] | None = None, only: list[str] | None = None) -> Sweep:
    """Reads a declaration. Raises ExperimentError.

    `quick` takes its short runs. `seeds` replaces the seeds; a sweep with seeds of its own takes as many of them as it
    has. `only` keeps the policies of these names.
    """
    values = load_toml(file, "name a declaration of host/experiment")
    top = take_table(str(file), values, TOP_KEYS)
    sizes = _sizes(file, top, quick)
    if seeds is not None:
        sizes = replace(sizes, seeds=tuple(seeds))
    policies = top["policies"]
    runs: list[Run] = []
    names: set[str] = set()
    for place, table in enumerate(top["sweep"], 1):
        where = f"{file}: sweep {place}"
        runs += _runs(where, table, top, sizes)
        if table["name"] in names:
            raise _fail(where, f"'name' is '{table['name']}' a second time", "give every sweep its own name")
        names.add(table["name"])
    for label in only or []:
        if label not in policies:
            raise ExperimentError(f"{file} has no policy named '{label}'; --only takes of: {', '.join(policies)}")
    if only:
        runs = [run for run in runs if run.label in only]
    if not runs:
        raise ExperimentError(f"{file}: no run is left; take more policies with --only, or leave --quick out")
    return Sweep(
        file=file,
        title=top["title"],
        report=top["report"],
        drive=top["drive"],
        sectors=top["requests"]["sectors"],
        saturation=top.get("saturation", 0),
        runs=tuple(runs),
    )
