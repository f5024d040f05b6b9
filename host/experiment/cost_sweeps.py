# SPDX-License-Identifier: Apache-2.0
"""Declarations of `cost`: sweeps of requests over platforms, policies and drives, and the questions that they answer.

host/sweep turns policy, platform, axis and seed into runs. The work of each is one_cost_run.py.
"""

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import rules
from cost_load import DEPTH, MEASURES, NO_CACHE, PATTERNS, RANDOM, SIZE, Costs, CostLoad, CostSweep, sweep_on
from declared import MOST_OUT, Run, Sweep, file_of_drive
from depths import words_of
from errors import ExperimentError

HOST = Path(__file__).resolve().parents[1]
sys.path += [str(HOST / "python"), str(HOST / "sweep")]

from axes import Axis, Declaration, Value, toml_of  # noqa: E402
from schema import Key, different_texts, number, one_of, some_of, take_table, text, texts, whole, wholes  # noqa: E402

REPORT = "cost"
MOST_KB, MOST_MS, MOST_REQUESTS, LARGEST_SEED = 1024, 1_000_000, 10_000_000, 2**31 - 1
# Increase it when cost_load.py or one_cost_run.py give other numbers for the same run.
REDUCTION = 1
# Bounds of a question that are words of RULES.md, for a ratio: the bound above 1.
WORDS = {"the same": rules.SAME, "alike": rules.ALIKE, "significantly": rules.SIGNIFICANTLY, "much": rules.MUCH}
RATIO, DIFFERENCE = "ratio", "difference"

Table = dict[str, Any]


def _platforms(value: Any) -> dict[str, Table]:
    """Takes names, each with keys of a scenario."""
    if not isinstance(value, dict) or not value or not all(isinstance(one, dict) and "platform" in one for one in value.values()):
        raise ValueError('a table of names, each with keys of a scenario, such as { platform = "vp" }')
    return value


def _table(value: Any) -> Table:
    """Takes keys of a scenario with their values."""
    if not isinstance(value, dict):
        raise ValueError("a table of keys of a scenario")
    return value


def _settings(value: Any) -> tuple[str, ...]:
    """Takes settings in the form of the command line."""
    words = texts(value)
    if not all("=" in word for word in words):
        raise ValueError("a list of settings, each KEY=VALUE as 'headstack run' takes it")
    return words


def _range_ms(value: Any) -> tuple[int, int]:
    """Takes a range [from, to]."""
    ends = wholes(1, MOST_MS)(value)
    if len(ends) != 2 or ends[0] > ends[1]:
        raise ValueError(f"two whole numbers of milliseconds, from and to, of 1 to {MOST_MS}")
    return (ends[0], ends[1])


def _bound(value: Any) -> float:
    """Takes a number, or a word of RULES.md."""
    if isinstance(value, str) and value in WORDS:
        return 1 + WORDS[value].bound
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"a number, or one of the words {', '.join(WORDS)}")


def _pair(value: Any) -> tuple[str, str]:
    """Takes two names of platforms."""
    names = different_texts(value)
    if len(names) != 2:
        raise ValueError("two names of platforms")
    return (names[0], names[1])


SEEDS, COUNT = wholes(0, LARGEST_SEED), whole(2, MOST_REQUESTS)
SWEEP_KEYS = {
    "name": Key(text, required=True),
    "title": Key(text),
    "drive": Key(different_texts),
    "policy": Key(different_texts, required=True),
    "platform": Key(different_texts, required=True),
    DEPTH: Key(wholes(1, MOST_OUT), required=True),
    SIZE: Key(wholes(1, MOST_KB), required=True),
    "pattern": Key(one_of(PATTERNS)),
    "write_share": Key(number(0, 1)),
    "deadline_ms": Key(_range_ms),
    "cache": Key(text),
    "settings": Key(_settings),
    "requests": Key(COUNT),
    "seeds": Key(SEEDS),
}
# A place of results, which another one changes.
PLACE_KEYS = {"sweep": Key(text), "drive": Key(text), "policy": Key(text), "platform": Key(text), "at": Key(whole(1, MOST_OUT))}
QUESTION_KEYS = {
    "says": Key(text, required=True),
    "why_not": Key(text),
    # The places of the numbers: all of a sweep's if a key is missing.
    "sweep": Key(text, required=True),
    "drive": Key(different_texts),
    "policy": Key(different_texts),
    "at": Key(wholes(1, MOST_OUT)),
    "measure": Key(one_of(MEASURES), required=True),
    "platform": Key(text),
    "over": Key(table=PLACE_KEYS),
    "as": Key(one_of((RATIO, DIFFERENCE))),
    "part": Key(_pair),
    "less": Key(table=PLACE_KEYS),
    "at_least": Key(_bound),
    "at_most": Key(_bound),
}
KEYS = {
    "title": Key(text, required=True),
    "report": Key(one_of((REPORT,)), required=True),
    "drive": Key(text, required=True),
    "seeds": Key(SEEDS, required=True),
    "requests": Key(COUNT, required=True),
    "scenario": Key(_table),
    "platforms": Key(_platforms, required=True),
    "sweep": Key(required=True, rows=SWEEP_KEYS),
    "question": Key(rows=QUESTION_KEYS),
    "quick": Key(
        table={
            "seeds": Key(SEEDS, required=True),
            "requests": Key(COUNT, required=True),
            "drive": Key(different_texts, required=True),
            "deepest": Key(whole(1, MOST_OUT), required=True),
        }
    ),
}


@dataclass(frozen=True)
class _Limits:
    """The part of a declaration that is run."""

    seeds: tuple[int, ...] | None = None  # None: the sweep's own
    requests: int = MOST_REQUESTS  # at most so many a run
    drives: tuple[str, ...] | None = None  # None: all
    deepest: int = MOST_OUT
    policies: tuple[str, ...] | None = None  # None: all


def _limits(file: Path, top: Table, quick: bool, seeds: list[int] | None, only: list[str] | None) -> _Limits:
    """Raises ExperimentError."""
    chosen = tuple(seeds) if seeds is not None else None
    policies = tuple(only) if only else None
    known = list(dict.fromkeys(policy for table in top["sweep"] for policy in table["policy"]))
    for policy in policies or ():
        if policy not in known:
            raise ExperimentError(f"{file} has no policy named '{policy}'; --only takes of: {', '.join(known)}")
    if not quick:
        return _Limits(seeds=chosen, policies=policies)
    if "quick" not in top:
        raise ExperimentError(f"{file}: 'quick' is missing; give a table [quick], or leave --quick out")
    short = top["quick"]
    return _Limits(chosen or short["seeds"], short["requests"], short["drive"], short["deepest"], policies)


def _loads(where: str, table: Table) -> list[CostLoad]:
    """The loads of a sweep, one for each value of its axis. Raises ExperimentError."""
    if len(table[DEPTH]) > 1 and len(table[SIZE]) > 1:
        raise ExperimentError(f"{where}: '{DEPTH}' and '{SIZE}' both vary; give a sweep for each")
    more = (table.get("pattern", RANDOM), table.get("write_share", 0.0), table.get("deadline_ms"), table.get("cache", NO_CACHE))
    return [CostLoad(_axis(table), depth, size, *more) for depth, size in product(table[DEPTH], table[SIZE])]


def _axis(table: Table) -> str:
    return SIZE if len(table[SIZE]) > 1 else DEPTH


def _seeds(table: Table, top: Table, limits: _Limits) -> tuple[int, ...]:
    """The seeds of a sweep. A sweep with fewer seeds than the others keeps its own number."""
    own: tuple[int, ...] = table.get("seeds", top["seeds"])
    return own if limits.seeds is None else limits.seeds[: len(own)]


def _declare(where: str, table: Table, top: Table, drive: str, file: Path, limits: _Limits) -> tuple[list[Declaration], list[Run]]:
    """A sweep on one drive, and its runs in the order of their rows. Raises ExperimentError."""
    loads = [load for load in _loads(where, table) if load.depth <= limits.deepest]
    policies = [policy for policy in table["policy"] if limits.policies is None or policy in limits.policies]
    if not loads or not policies:
        return [], []
    seeds, settings = _seeds(table, top, limits), table.get("settings", ())
    count = min(table.get("requests", top["requests"]), limits.requests)
    if count <= max(load.depth for load in loads):
        raise ExperimentError(f"{where}: {count} 'requests' do not fill a queue of {max(load.depth for load in loads)}; give more, or less 'depth'")
    declared = Declaration(
        file="",
        settings=(
            *words_of("", top.get("scenario", {}) | {"drive": str(file)}),
            f"settings.cache={toml_of(loads[0].cache)}",
            *(["settings.deadlines=message"] if loads[0].deadline_ms else []),
            *settings,
            Axis("policy", "settings.policy", tuple(Value(policy, toml_of(policy)) for policy in policies)),
            Axis("platform", "", tuple(Value(name, "", words_of("", top["platforms"][name])) for name in table["platform"])),
            Axis(_axis(table), "", tuple(Value(str(load.value), "", (f"hosts.depth={load.depth}",)) for load in loads)),
        ),
        seeds=seeds,
        load=lambda places: loads[places[2]].spec(count) | {"reduction": REDUCTION},
    )
    runs = [
        Run(
            sweep=sweep_on(table["name"], drive), label=policy, policy=policy, electronics=platform, group=0, queue=0, rate=0,
            seed=seed, requests=count, drive=drive, settings=settings, cost=load,
        )
        for policy, platform, load, seed in product(policies, table["platform"], loads, seeds)
    ]  # fmt: skip
    return [declared], runs


def _checked(file: Path, top: Table) -> None:
    """Checks the names that one key takes from another. Raises ExperimentError."""
    sweeps: dict[str, Table] = {}
    for place, table in enumerate(top["sweep"], 1):
        where = f"{file}: sweep {place}"
        if table["name"] in sweeps:
            raise ExperimentError(f"{where}: 'name' is '{table['name']}' a second time; give every sweep its own name")
        take_table(where, {"platform": list(table["platform"])}, {"platform": Key(some_of(top["platforms"]))})
        sweeps[table["name"]] = table
    for place, question in enumerate(top.get("question", ()), 1):
        where = f"{file}: question {place}"
        if "at_least" not in question and "at_most" not in question:
            raise ExperimentError(f"{where}: no bound; give 'at_least' or 'at_most'")
        for one in (question, question.get("over", {}), question.get("less", {})):
            _check_place(where, {"sweep": question["sweep"]} | one, sweeps, top)


def _check_place(where: str, place: Table, sweeps: dict[str, Table], top: Table) -> None:
    """Checks that a sweep has the places of a question's numbers. Raises ExperimentError."""
    name = place["sweep"]
    if name not in sweeps:
        raise ExperimentError(f"{where}: there is no sweep '{name}'; the sweeps are {', '.join(sweeps)}")
    sweep = sweeps[name]
    known = {
        "drive": sweep.get("drive", (top["drive"],)), "policy": sweep["policy"], "platform": sweep["platform"],
        "part": sweep["platform"], "at": sweep[_axis(sweep)],
    }  # fmt: skip
    for key, values in known.items():
        given = place.get(key, ())
        for value in given if isinstance(given, tuple) else (given,):
            if value not in values:
                raise ExperimentError(f"{where}: '{key}': sweep '{name}' has no '{value}'; it has {', '.join(map(str, values))}")


def load_costs(file: Path, values: Table, quick: bool = False, seeds: list[int] | None = None, only: list[str] | None = None) -> Sweep:
    """A declaration of `cost`, whose TOML was read from the file. Raises ExperimentError, and SchemaError for a wrong key or value.

    `quick`, `seeds` and `only` (names of policies) limit the runs.
    """
    top = take_table(str(file), values, KEYS)
    _checked(file, top)
    limits = _limits(file, top, quick, seeds, only)
    declared: list[Declaration] = []
    runs: list[Run] = []
    sweeps: list[CostSweep] = []
    for place, table in enumerate(top["sweep"], 1):
        where = f"{file}: sweep {place}"
        drives = [drive for drive in table.get("drive", (top["drive"],)) if limits.drives is None or drive in limits.drives]
        for drive in drives:
            its_file = file_of_drive(file, drive)
            its_declared, its_runs = _declare(where, table, top, drive, its_file, limits)
            declared += its_declared
            runs += its_runs
        sweeps.append(CostSweep(table["name"], table.get("title", table["name"]), tuple(drives), table["platform"], table[DEPTH], _axis(table)))
    if not runs:
        raise ExperimentError(f"{file}: no run is left; take more policies with --only, or leave --quick out")
    return Sweep(
        file=file, title=top["title"], report=REPORT, drive=top["drive"], sectors=0, saturation=0, runs=tuple(runs),
        declared=tuple(declared), costs=Costs(tuple(sweeps), top.get("question", ())),
    )  # fmt: skip
