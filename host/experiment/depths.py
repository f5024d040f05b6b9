# SPDX-License-Identifier: Apache-2.0
"""Sweeps of policies over depths, rates of arrival, lengths of requests, or shares of forced requests, and the rows of their results.

host/sweep turns policy, platform, that axis and seed into runs. The work of each is one_depth_run.py, which makes a paper's requests.
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
FORCED = "hosts.every.head_of_queue"
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


def words_of(path: str, value: Any) -> tuple[str, ...]:
    """The KEY=VALUE words of a key, or of all keys in a table."""
    if not isinstance(value, dict):
        return (f"{path}={toml_of(value)}",)
    return tuple(word for key, one in value.items() for word in words_of(f"{path}.{key}" if path else key, one))


def declare(
    where: str, table: Table, top: Table, drive: Path, sizes: Any, seeds: tuple[int, ...], only: list[str] | None
) -> tuple[Declaration, list[Run]]:
    """A [[sweep]] of a declaration, and its runs in the order of their rows. Raises ExperimentError."""
    names, is_open, is_synthetic = top.get("names", {}), "rate" in table, "drive" in table
    if is_synthetic and ("depth" not in table or not {"forced", "think_ms"}.isdisjoint(table)):
        raise ExperimentError(f"{where}: 'drive' goes with 'depth' alone; give a sweep of its own")
    if sum(key in table for key in ("depth", "rate", "apart")) != 1:
        raise ExperimentError(f"{where}: a sweep has either 'depth' or 'rate' or 'apart'; give one of the three")
    if "crowd" in table and ("rate" not in table or "terminals" in table):
        raise ExperimentError(f"{where}: 'crowd' goes with 'rate', and without 'terminals'; give a sweep of its own")
    if "apart" in table and not {"requests", "think_ms"} <= set(table):
        raise ExperimentError(f"{where}: 'requests' or 'think_ms' is missing; 'apart' needs both")
    if is_open and not ("requests" in table and "saturation" in top):
        raise ExperimentError(f"{where}: 'requests' or, above, 'saturation' is missing; 'rate' needs both")
    lengths = _lengths(where, table)
    policies = _policies(where, table, names, only)
    forced: tuple[int, ...] = tuple(table.get("forced", ()))
    if forced and len(table.get("depth", ())) != 1:
        raise ExperimentError(f"{where}: 'forced' goes with one 'depth'; give a sweep for each depth")
    if "think_ms" in table and (is_open or forced):
        raise ExperimentError(f"{where}: 'think_ms' goes with 'depth', and without 'forced'; give a sweep of its own")
    if forced and table["depth"][0] - 1 > sizes.longest_queue:
        forced, policies = forced[:1], []
    if "apart" in table:
        loads = Axis("apart", "", tuple(Value(str(sector), "") for sector in table["apart"]))
    elif forced:
        loads = Axis(FORCED, FORCED, tuple(Value(str(every), every) for every in forced))
    elif len(lengths) > 1:
        loads = Axis("length", "", tuple(Value(str(length), "") for length in lengths))
    elif is_open:
        loads = Axis("rate", "", tuple(Value(str(rate), "") for rate in table["rate"]))
    else:
        depths = [str(depth) for depth in table["depth"] if depth - 1 <= sizes.longest_queue]
        key = "" if "think_ms" in table else "hosts.depth"
        loads = Axis("depth", key, tuple(Value(depth, depth if key else "") for depth in depths))

    def count_of(queue: int) -> int:
        count = table.get("requests") or max(sizes.per_queued * queue, sizes.at_least)
        return min(count, sizes.open_requests) if sizes.open_requests and (is_open or is_synthetic) else int(count)

    def run_at(places: tuple[int, ...], seed: int) -> Run:
        name, group, policy = policies[places[0]]
        number = int(loads.values[places[2]].text)
        queue, rate, length, value = (0, number, 0, None) if is_open else (number - 1, 0, 0, None)
        if forced or "apart" in table:
            queue, value = table["depth"][0] - 1 if forced else 0, number
        if len(lengths) > 1:
            rate, length = table["rate"][0], number
        count = count_of(queue)
        return Run(table["name"], name, policy, table["platform"][places[1]], group, queue, rate, seed, count, length=length, value=value)

    def load_at(places: tuple[int, ...]) -> Table:
        run = run_at(places, 0)
        load = {"reduction": REDUCTION, "queue": run.queue, "requests": run.requests, "sectors": top["requests"]["sectors"]}
        if "terminals" in table:
            load |= {"terminals": table["terminals"], "length": run.length or lengths[0]}
        if "think_ms" in table:
            load |= {"think_ms": table["think_ms"], "policy": run.label}
        if "apart" in table:
            load |= {"apart": run.value}
        if "crowd" in table:
            load |= {"crowd": table["crowd"]}
        return load | ({"rate": run.rate, "saturation": top["saturation"]} if is_open else {})

    declared = Declaration(
        file="",
        settings=(
            *words_of("", top["scenario"] | {"drive": str(drive)}),
            *([f"depth={MOST_OUT}"] if is_open else []),
            *([f"load.synthetic.requests={count_of(0)}", f"load.synthetic.blocks={top['requests']['sectors']}"] if is_synthetic else []),
            *([f"depth={table['depth'][0]}"] if forced else []),
            *(["depth=1"] if "think_ms" in table else []),
            Axis("policy", "settings.policy", tuple(Value(f"{name}{size or ''}", toml_of(one)) for name, size, one in policies)),
            Axis("platform", "", tuple(Value(name, "", words_of("platform", names.get(name, name))) for name in table["platform"])),
            loads,
        ),
        seeds=seeds,
        load=None if is_synthetic else load_at,
    )
    return declared, [run_at(places, seed) for places, seed in product(declared.combinations(), seeds)]
