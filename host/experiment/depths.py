# SPDX-License-Identifier: Apache-2.0
"""Sweeps of policies over depths, rates of arrival, or lengths of requests, as host/sweep has them, and the rows of their results.

host/sweep turns policy, platform, depth and seed into runs. The work of each is one_depth_run.py, which makes a paper's requests.
"""

import sys
from itertools import product
from pathlib import Path
from typing import Any

from declared import MOST_OUT, Run
from errors import ExperimentError

sys.path.append(str(Path(__file__).resolve().parents[1] / "sweep"))

from axes import Axis, Declaration, Value, toml_of  # noqa: E402

GROUP = "{group}"
# Increase it when traces.py, records.py or one_depth_run.py give other numbers for the same run.
REDUCTION = 3

Table = dict[str, Any]


def _policies(where: str, table: Table, names: Table, only: list[str] | None) -> list[tuple[str, int, str]]:
    """Name, group size and value of each policy. A policy with {group} in its value is repeated for every size."""
    policies = []
    for name in table["policy"]:
        value = names.get(name, name)
        if not isinstance(value, str):
            raise ExperimentError(f"{where}: policy '{name}' is a table; give a text as the key settings.policy takes it")
        if GROUP in value and "group" not in table:
            raise ExperimentError(f"{where}: 'group' is missing; policy '{name}' has a {GROUP}")
        if only is None or name in only:
            policies += [(name, size, value.replace(GROUP, str(size))) for size in (table["group"] if GROUP in value else (0,))]
    return policies


def _lengths(where: str, table: Table) -> tuple[int, ...]:
    """The mean lengths of requests from terminals: the sweep's axis if there are several. Empty without terminals."""
    if ("terminals" in table) != ("length" in table) or ("terminals" in table and "rate" not in table):
        raise ExperimentError(f"{where}: 'terminals', 'length' and 'rate' go together; give all three, or leave the first two out")
    lengths: tuple[int, ...] = tuple(table.get("length", ()))
    if len(lengths) > 1 and len(table["rate"]) > 1:
        raise ExperimentError(f"{where}: 'length' and 'rate' both vary; give a sweep for each")
    return lengths


def _words(path: str, value: Any) -> tuple[str, ...]:
    """The KEY=VALUE words of a key, or of all keys in a table."""
    if not isinstance(value, dict):
        return (f"{path}={toml_of(value)}",)
    return tuple(word for key, one in value.items() for word in _words(f"{path}.{key}" if path else key, one))


def declare(
    where: str, table: Table, top: Table, drive: Path, sizes: Any, seeds: tuple[int, ...], only: list[str] | None
) -> tuple[Declaration, list[Run]]:
    """A [[sweep]] of a declaration, and its runs in the order of their rows. Raises ExperimentError."""
    names, is_open = top.get("names", {}), "rate" in table
    if is_open == ("depth" in table):
        raise ExperimentError(f"{where}: a sweep has either 'depth' or 'rate'; give one of the two")
    if is_open and not ("requests" in table and "saturation" in top):
        raise ExperimentError(f"{where}: 'requests' or, above, 'saturation' is missing; 'rate' needs both")
    lengths = _lengths(where, table)
    policies = _policies(where, table, names, only)
    if len(lengths) > 1:
        loads = Axis("length", "", tuple(Value(str(length), "") for length in lengths))
    elif is_open:
        loads = Axis("rate", "", tuple(Value(str(rate), "") for rate in table["rate"]))
    else:
        depths = [str(depth) for depth in table["depth"] if depth - 1 <= sizes.longest_queue]
        loads = Axis("depth", "hosts.depth", tuple(Value(depth, depth) for depth in depths))

    def run_at(places: tuple[int, ...], seed: int) -> Run:
        name, group, policy = policies[places[0]]
        number = int(loads.values[places[2]].text)
        queue, rate, length = (0, number, 0) if is_open else (number - 1, 0, 0)
        if len(lengths) > 1:
            rate, length = table["rate"][0], number
        count = table.get("requests") or max(sizes.per_queued * queue, sizes.at_least)
        if is_open and sizes.open_requests:
            count = min(count, sizes.open_requests)
        return Run(table["name"], name, policy, table["platform"][places[1]], group, queue, rate, seed, count, length=length)

    def load_at(places: tuple[int, ...]) -> Table:
        run = run_at(places, 0)
        load = {"reduction": REDUCTION, "queue": run.queue, "requests": run.requests, "sectors": top["requests"]["sectors"]}
        if "terminals" in table:
            load |= {"terminals": table["terminals"], "length": run.length or lengths[0]}
        return load | ({"rate": run.rate, "saturation": top["saturation"]} if is_open else {})

    declared = Declaration(
        file="",
        settings=(
            *_words("", top["scenario"] | {"drive": str(drive)}),
            *([f"depth={MOST_OUT}"] if is_open else []),
            Axis("policy", "settings.policy", tuple(Value(f"{name}{size or ''}", toml_of(one)) for name, size, one in policies)),
            Axis("platform", "", tuple(Value(name, "", _words("platform", names.get(name, name))) for name in table["platform"])),
            loads,
        ),
        seeds=seeds,
        load=load_at,
    )
    return declared, [run_at(places, seed) for places, seed in product(declared.combinations(), seeds)]
