# SPDX-License-Identifier: Apache-2.0
"""Declarations of studies of policies (policy_study.py), and their runs.

Seed k makes another load, or serves the k-th part of a recorded one.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from declared import MOST_OUT, Run, Sweep, file_of_drive
from errors import ExperimentError, mistake
from policy_study import Drive, Kind, PolicyLoad, Study
from trace_load import find_trace

HOST = Path(__file__).resolve().parents[1]
sys.path += [str(HOST / "sweep"), str(HOST / "python")]

from axes import Axis, Declaration, Value, toml_of  # noqa: E402
from schema import Key, above_zero, flag, take_table, text, texts, told_as, whole, wholes  # noqa: E402

REPORT = "which-policy"
# Increase it when one_policy_run.py makes other requests, or other figures, for the same run.
VERSION = 1
CHARGED, FIRST = "charged", "fcfs"

Table = dict[str, Any]


def _slack(value: Any) -> tuple[float, float]:
    """Takes a range of slacks in accesses."""
    if not isinstance(value, list) or len(value) != 2 or not 0 <= above_zero(value[0]) <= above_zero(value[1]):
        raise ValueError("two numbers of accesses, from and to, above 0")
    return (value[0], value[1])


LOAD_KEYS = {
    "name": Key(text, required=True),
    "kind": Key(text, required=True),
    "judges": Key(flag),
    "synth": Key(text),
    "rate": Key(above_zero),
    "period": Key(above_zero),
    "slack": Key(_slack),
    "burst": Key(above_zero),
    "trace": Key(text),
    "format": Key(text),
    "device": Key(text),
    "requests": Key(whole(1, 1_000_000)),
    "parts": Key(whole(1, 1000)),
    "depth": Key(whole(1, MOST_OUT)),
    "settings": Key(texts),
}
SIZE_KEYS = {"at_least": Key(whole(1, 1_000_000), required=True), "per_queued": Key(whole(1, 1000), required=True)}
SEEDS = wholes(1, 2**31 - 1)
KEYS = {
    "title": Key(text, required=True),
    "report": Key(text, required=True),
    "seeds": Key(SEEDS, required=True),
    "policies": Key(texts, required=True),
    "drive": Key(required=True, rows={"name": Key(text, required=True), "access_ms": Key(above_zero, required=True)}),
    "kind": Key(required=True, rows={"name": Key(text, required=True), "words": Key(text, required=True), "fcfs_keeps_up": Key(flag)}),
    "load": Key(required=True, rows=LOAD_KEYS),
    "requests": Key(required=True, table=SIZE_KEYS),
    "quick": Key(table=SIZE_KEYS | {"seeds": Key(SEEDS, required=True)}),
}


def _load(where: str, table: Table, kinds: Sequence[Kind], folders: Sequence[Path]) -> PolicyLoad:
    if ("synth" in table) == ("trace" in table):
        raise mistake(where, "a load has either 'synth' or 'trace'", "give one of the two")
    if table["kind"] not in [kind.name for kind in kinds]:
        raise mistake(where, f"there is no kind '{table['kind']}'", f"use {', '.join(kind.name for kind in kinds)}")
    for name in ("rate", "period", "slack", "burst"):
        if name in table and "trace" in table:
            raise mistake(where, f"'{name}' goes with 'synth'", "leave it out: a recorded load has its own times")
    for name, why in (("depth", "a recorded load is served in a closed loop"), ("parts", "seed k serves the k-th part of a recorded load")):
        if "trace" in table and name not in table:
            raise mistake(where, f"'{name}' is missing", f"add it: {why}")
    reading = tuple(f"load.{key}={toml_of(table[key])}" for key in ("format", "device") if key in table)
    return PolicyLoad(
        table["name"], table["kind"], table.get("judges", False), table.get("synth", ""), table.get("rate"), table.get("period"),
        table.get("slack"), table.get("burst"), find_trace(table["trace"], folders) if "trace" in table else None, reading, table.get("requests"),
        table.get("parts", 0), table.get("depth"), tuple(table.get("settings", ())),
    )  # fmt: skip


def _study(file: Path, top: Table, folders: Sequence[Path]) -> tuple[Study, list[str]]:
    """The study without loads whose trace is missing, and a sentence for each of these."""
    drives = tuple(Drive(**one) for one in top["drive"])
    kinds = tuple(Kind(**one) for one in top["kind"])
    for what, names in (("drive", [one.name for one in drives]), ("kind", [one.name for one in kinds]),
                        ("load", [one["name"] for one in top["load"]])):  # fmt: skip
        if len(set(names)) != len(names):
            raise mistake(f"{file}: {what}", "a name stands twice", "give each one its own name")
    if FIRST not in top["policies"]:
        raise mistake(f"{file}: policies", f"'{FIRST}' is missing", "add it: the others are compared with it")
    loads, missing = [], []
    for place, table in enumerate(top["load"], 1):
        load = _load(f"{file}: load {place}", table, kinds, folders)
        if "trace" in table and load.trace is None:
            missing.append(f"load '{load.name}': no {table['trace']} in {folders[-1]}; give --traces DIR")
        else:
            loads.append(load)
    study = Study(drives, kinds, tuple(loads), tuple(top["policies"]))
    for kind in kinds:
        lacks = [what for what, judging in (("chooses", False), ("judges", True)) if not study.of_kind(kind.name, judging)]
        if lacks:
            away = f" ({'; '.join(missing)})" if missing else ""
            raise mistake(f"{file}: kind '{kind.name}'", f"no load {' or '.join(lacks)}{away}", "give a kind at least one of each")
    return study, missing


def _parts(seeds: Sequence[int], count: int) -> Axis:
    """The parts of a recorded load: with seed k the k-th `count` of its requests. It is an error if it has fewer."""
    words = [(f"load.limit={seed * count}", f"load.expect={seed * count}", f"load.warm_up={(seed - 1) * count}") for seed in seeds]
    return Axis("part", "", tuple(Value(str(seed), "", its_words) for seed, its_words in zip(seeds, words, strict=True)))


def _declare(file: Path, load: PolicyLoad, study: Study, count: int, seeds: tuple[int, ...]) -> tuple[Declaration, list[Run]]:
    """The runs of a load: by drive, policy and seed."""
    drives = Axis("drive", "drive", tuple(Value(one.name, toml_of(str(file_of_drive(file, one.name)))) for one in study.drives))
    policies = Axis("policy", "settings.policy", tuple(Value(one, toml_of(one)) for one in study.policies))
    if load.trace and max(seeds) > load.parts:
        raise mistake(f"{file}: load '{load.name}'", f"seed {max(seeds)} has no part: there are {load.parts}", "give smaller seeds")
    constants = ["platform=vp", f"depth={load.depth or MOST_OUT}", *load.settings]
    runs = [
        Run(load.name, policy, policy, CHARGED, 0, 0, 0, seed, count, drive=drive.name, value=at)
        for at, drive in enumerate(study.drives)
        for policy in study.policies
        for seed in seeds
    ]
    if load.trace:
        source = [f"load.trace={toml_of(str(load.trace))}", *load.reading, "load.loop=closed", "load.map=scale"]
        return Declaration("", (*constants, *source, drives, policies, _parts(seeds, count))), runs

    def load_at(places: tuple[int, ...]) -> Table:
        return {"version": VERSION, "words": load.words_on(study.drives[places[0]]), "requests": count}

    return Declaration("", (*constants, drives, policies), seeds, load_at), runs


@told_as(ExperimentError)
def load_policy_sweep(
    file: Path, values: Table, folders: Sequence[Path], quick: bool, seeds: Sequence[int] | None, only: Sequence[str] | None
) -> Sweep:
    """The runs of a study (sweep.py: load_sweep). Raises ExperimentError."""
    top = take_table(str(file), values, KEYS)
    study, missing = _study(file, top, folders)
    if quick and "quick" not in top:
        raise mistake(str(file), "'quick' is missing", "give a table [quick], or leave --quick out")
    for name in only or ():
        if name not in study.policies:
            raise ExperimentError(f"{file} has no policy named '{name}'; --only takes of: {', '.join(study.policies)}")
    study = replace(study, policies=tuple(one for one in study.policies if not only or one in only or one == FIRST))
    sizes = top["quick"] if quick else top["requests"]
    its_seeds = tuple(seeds or (top["quick"]["seeds"] if quick else top["seeds"]))
    if len(its_seeds) < 2 or min(its_seeds) < 1:
        raise mistake(f"{file}: seeds", f"{', '.join(map(str, its_seeds))}", "give two or more, from 1 on: a choice needs an interval")
    declared, runs = [], []
    for load in study.loads:
        one, its_runs = _declare(file, load, study, load.count(sizes), its_seeds)
        declared.append(one)
        runs += its_runs
    drives = ", ".join(one.name for one in study.drives)
    return Sweep(file, top["title"], REPORT, drives, 0, 0, tuple(runs), tuple(missing), declared=tuple(declared), study=study)
