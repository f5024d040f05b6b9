"""Declared sweeps: a TOML file in, the list of its runs out. README.md describes the keys.

Every key is checked: an unknown one, a wrong type or a value out of range is an ExperimentError with the file, the key
and the remedy. A policy is opaque text for `headstack run --policy`; `{group}` in it stands for a group size of the
sweep.
"""

import difflib
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from errors import ExperimentError

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


def _fail(file: Path, key: str, what: str, remedy: str) -> ExperimentError:
    return ExperimentError(f"{file}: {key}: {what}; {remedy}")


class _Table:
    """A TOML table whose keys are taken one by one; what is left over is unknown."""

    def __init__(self, file: Path, name: str, values: dict[str, Any], known: tuple[str, ...]) -> None:
        self.file, self.name, self._values = file, name, values
        for key in values:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                remedy = f"did you mean '{near[0]}'?" if near else f"known here: {', '.join(known)}"
                raise _fail(file, self.path(key), "unknown key", remedy)

    def path(self, key: str) -> str:
        """The key with the table it stands in."""
        return f"{self.name}.{key}" if self.name else key

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def get(self, key: str, kind: type, remedy: str) -> Any:
        """A required value of a type."""
        if key not in self._values:
            raise _fail(self.file, self.path(key), "missing", remedy)
        value = self._values[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise _fail(self.file, self.path(key), f"{value!r} is not what belongs here", remedy)
        return value

    def text(self, key: str, choices: tuple[str, ...] = ()) -> str:
        """A text, one of `choices` where there are any."""
        remedy = f"use one of {', '.join(choices)}" if choices else "give a text in quotes"
        value = self.get(key, str, remedy)
        if not value or (choices and value not in choices):
            raise _fail(self.file, self.path(key), f"'{value}' is not known", remedy)
        return str(value)

    def number(self, key: str, low: int, high: int) -> int:
        """A whole number in low .. high."""
        remedy = f"give a whole number from {low} to {high}"
        value = self.get(key, int, remedy)
        if not low <= value <= high:
            raise _fail(self.file, self.path(key), f"{value} is out of range", remedy)
        return int(value)

    def numbers(self, key: str, low: int, high: int) -> list[int]:
        """One or more different whole numbers in low .. high."""
        remedy = f"give a list of different whole numbers from {low} to {high}"
        values = self.get(key, list, remedy)
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise _fail(self.file, self.path(key), f"{value!r} is out of range", remedy)
        if not values or len(set(values)) != len(values):
            raise _fail(self.file, self.path(key), "empty, or a number stands there twice", remedy)
        return list(values)

    def texts(self, key: str, choices: tuple[str, ...]) -> list[str]:
        """One or more different texts, each one of `choices`."""
        remedy = f"give a list of different ones of {', '.join(choices)}"
        values = self.get(key, list, remedy)
        for value in values:
            if value not in choices:
                raise _fail(self.file, self.path(key), f"{value!r} is not known", remedy)
        if not values or len(set(values)) != len(values):
            raise _fail(self.file, self.path(key), "empty, or a text stands there twice", remedy)
        return list(values)

    def table(self, key: str, known: tuple[str, ...]) -> "_Table":
        """A table inside this one."""
        return _Table(self.file, self.path(key), self.get(key, dict, f"give a table [{self.path(key)}]"), known)


TOP_KEYS = ("title", "report", "drive", "seeds", "policies", "requests", "quick", "saturation", "sweep")
REQUEST_KEYS = ("sectors", "per_queued", "at_least")
QUICK_KEYS = ("seeds", "per_queued", "at_least", "longest_queue", "open_requests")
SWEEP_KEYS = ("name", "policies", "queue_lengths", "rates", "group_sizes", "electronics", "requests", "seeds")
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class _Sizes:
    """How long runs are."""

    per_queued: int
    at_least: int
    longest_queue: int
    open_requests: int  # 0: what the sweep says
    seeds: list[int] | None  # None: what the sweep says


def _sizes(top: _Table, quick: bool) -> _Sizes:
    requests = top.table("requests", REQUEST_KEYS)
    sizes = _Sizes(
        requests.number("per_queued", 1, 10_000), requests.number("at_least", 1, MOST_REQUESTS), MOST_WAITING, 0, None
    )
    if "quick" not in top:
        if quick:
            raise _fail(top.file, "quick", "missing", "give a table [quick], or leave --quick out")
        return sizes
    table = top.table("quick", QUICK_KEYS)
    short = replace(
        sizes,
        per_queued=table.number("per_queued", 1, 10_000),
        at_least=table.number("at_least", 1, MOST_REQUESTS),
        longest_queue=table.number("longest_queue", 1, MOST_WAITING),
        open_requests=table.number("open_requests", 1, MOST_REQUESTS) if "open_requests" in table else 0,
        seeds=table.numbers("seeds", 0, LARGEST_SEED),
    )
    return short if quick else sizes


def _policies(top: _Table) -> dict[str, str]:
    values = top.get("policies", dict, "give a table [policies] of names and policies")
    for label, policy in values.items():
        if not isinstance(policy, str) or not policy or any(character.isspace() for character in policy):
            raise _fail(
                top.file,
                f"policies.{label}",
                f"{policy!r} is not a policy",
                "write it as 'headstack run --policy' takes it, without spaces",
            )
    if not values:
        raise _fail(top.file, "policies", "empty", "name one policy or more")
    return dict(values)


def _loads(table: _Table, top: _Table, longest: int) -> list[tuple[int, int]]:
    """(queue, rate) of every load."""
    if ("queue_lengths" in table) == ("rates" in table):
        raise _fail(
            top.file, table.path("queue_lengths"), "a sweep has either queue_lengths or rates", "give one of the two"
        )
    if "queue_lengths" in table:
        return [(queue, 0) for queue in table.numbers("queue_lengths", 1, MOST_WAITING) if queue <= longest]
    if "saturation" not in top:
        raise _fail(top.file, "saturation", "missing", "rates need the rate that fcfs can just serve")
    return [(0, rate) for rate in table.numbers("rates", 1, 100_000)]


def _runs(table: _Table, top: _Table, policies: dict[str, str], sizes: _Sizes, default_seeds: list[int]) -> list[Run]:
    name = table.text("name")
    labels = table.texts("policies", tuple(policies))
    loads = _loads(table, top, sizes.longest_queue)
    electronics = table.texts("electronics", ELECTRONICS)
    own_seeds = table.numbers("seeds", 0, LARGEST_SEED) if "seeds" in table else None
    seeds = own_seeds or default_seeds
    if sizes.seeds is not None:
        # A sweep that asks for fewer seeds than the others stays short.
        seeds = sizes.seeds[: len(own_seeds)] if own_seeds else sizes.seeds
    groups = table.numbers("group_sizes", 1, 1_000_000) if "group_sizes" in table else []
    fixed = table.number("requests", 1, MOST_REQUESTS) if "requests" in table else 0
    if not fixed and "rates" in table:
        raise _fail(top.file, table.path("requests"), "missing", "an open loop says how many requests arrive")
    runs: list[Run] = []
    for label in labels:
        grouped = "{group}" in policies[label]
        if grouped and not groups:
            raise _fail(top.file, table.path("group_sizes"), "missing", f"policy '{label}' has a {{group}}")
        for group in groups if grouped else [0]:
            for kind in electronics:
                for queue, rate in loads:
                    count = fixed or max(sizes.per_queued * queue, sizes.at_least)
                    if rate and sizes.open_requests:
                        count = min(count, sizes.open_requests)
                    policy = policies[label].replace("{group}", str(group))
                    runs += [Run(name, label, policy, kind, group, queue, rate, seed, count) for seed in seeds]
    return runs


def load_sweep(file: Path, quick: bool = False, seeds: list[int] | None = None, only: list[str] | None = None) -> Sweep:
    """Reads a declaration. Raises ExperimentError.

    `quick` takes its short runs. `seeds` replaces the seeds; a sweep with seeds of its own takes as many of them as it
    has. `only` keeps the policies of these names.
    """
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExperimentError(f"{file}: {error.strerror}; name a declaration of host/experiment") from error
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError(f"{file}: {error}; it must be TOML") from error
    top = _Table(file, "", values, TOP_KEYS)
    sizes = _sizes(top, quick)
    if seeds is not None:
        sizes = replace(sizes, seeds=seeds)
    policies = _policies(top)
    default_seeds = top.numbers("seeds", 0, LARGEST_SEED)
    tables = top.get("sweep", list, "give one table [[sweep]] or more")
    runs: list[Run] = []
    names: set[str] = set()
    for index, entry in enumerate(tables, 1):
        if not isinstance(entry, dict):
            raise _fail(file, "sweep", "not a table", "write [[sweep]]")
        table = _Table(file, f"sweep[{index}]", entry, SWEEP_KEYS)
        runs += _runs(table, top, policies, sizes, default_seeds)
        if table.text("name") in names:
            raise _fail(file, table.path("name"), "stands there twice", "give every sweep its own name")
        names.add(table.text("name"))
    for label in only or []:
        if label not in policies:
            raise ExperimentError(f"{file} has no policy named '{label}'; --only takes of: {', '.join(policies)}")
    if only:
        runs = [run for run in runs if run.label in only]
    if not runs:
        raise ExperimentError(f"{file}: no run is left; take more policies with --only, or leave --quick out")
    return Sweep(
        file=file,
        title=top.text("title"),
        report=top.text("report", REPORTS),
        drive=top.text("drive"),
        sectors=top.table("requests", REQUEST_KEYS).number("sectors", 1, 65_535),
        saturation=top.number("saturation", 1, 100_000) if "saturation" in top else 0,
        runs=tuple(runs),
    )
