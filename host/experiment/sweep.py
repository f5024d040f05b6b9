# SPDX-License-Identifier: Apache-2.0
"""Declared sweeps: a TOML file in, the list of its runs out. README.md describes the keys.

Every key is checked by a schema (host/python/schema.py): a mistake is an ExperimentError. A policy is opaque text for
`headstack run --policy`.
"""

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

HOST = Path(__file__).resolve().parents[1]
sys.path += [str(HOST / "python"), str(HOST / "sweep"), str(HOST)]

from execute.store import hash_file  # noqa: E402
from deadline_load import AXES, MOST_FRAMES, PAPER_ACCESS_MS, DeadlineLoad  # noqa: E402
from axes import Declaration  # noqa: E402
from cost_sweeps import REPORT as COST  # noqa: E402
from cost_sweeps import load_costs  # noqa: E402
from deadline_model import READINGS  # noqa: E402
from declared import MOST_OUT, Run, Sweep, file_of_drive  # noqa: E402
from depths import declare  # noqa: E402
from drive_file import ANY_DRIVE  # noqa: E402
from errors import ExperimentError, mistake  # noqa: E402
from host_layers import LAYERS  # noqa: E402
from policy_loads import REPORT as OF_POLICIES  # noqa: E402
from policy_loads import load_policy_sweep  # noqa: E402
from remap_load import AXES as REMAP_AXES  # noqa: E402
from remap_load import (  # noqa: E402
    BOTH,
    CHAINS,
    DAY,
    GROUP_BLOCKS,
    IDLE,
    LISTING,
    NATURAL,
    NATURAL_SHIFT,
    NO_GAP,
    OTHER,
    OWN,
    OWN_GAP,
    PUBLISHED,
    REQUEST_BLOCKS,
    SETTLED,
    SHARE,
    UNMAPPED,
    Gap,
    Learning,
    RemapLoad,
)
from schema import (  # noqa: E402
    Key,
    above_zero,
    any_text,
    different_texts,
    flag,
    load_toml,
    number,
    one_of,
    some_of,
    take_table,
    text,
    texts,
    told_as,
    whole,
    wholes,
)
from stream_load import StreamLoad  # noqa: E402
from trace_load import AS_IT_CAME, TraceLoad, find_trace  # noqa: E402

from workload import PLACES, load_workload  # noqa: E402

ELECTRONICS = ("ideal", "charged", "rtl", "model")
REPORTS = (
    "eagle", "electronics", "movable-head", "rotation", "deadlines", "deadlines-electronics", "gscan", "gscan-electronics",
    "host-layers", "admission", "remap", "remap-changes", "remap-moves", "remap-traces", COST, OF_POLICIES,
)  # fmt: skip
# Folders of real traces: those of the project, and others, which are not part of it.
PROJECT_TRACES, SHARED_TRACES = HOST.parent / "traces", HOST.parents[1] / "shared/traces"
PARTS = 5  # parts of a trace's second half, by default
BUNDLE_OF_ITS_OWN = 60_000  # requests of a run whose count is not known beforehand (campaign.py: BUNDLE_REQUESTS)
WORKLOADS = Path(__file__).resolve().parent / "workloads"
MOST_REQUESTS = 10_000_000
MOST_A_SECOND = 10_000  # firmware/queue/write_buffer.h has the same limit for its lambda
MOST_SLACK_MS = 100_000
# Defaults of a sweep of deadlines.
SLACK_MS, FRAMES, BELOW, SCALE = (10, 100), 10, 1, 1.0  # tables 5-1 and 5-2; section 7.1


LARGEST_SEED = 2**31 - 1
OF_DEPTHS = ("eagle", "electronics", "movable-head", "rotation")  # reports of sweeps of depths


@dataclass(frozen=True)
class _Sizes:
    """The lengths of runs."""

    per_queued: int
    at_least: int
    longest_queue: int
    open_requests: int  # 0: the sweep's own value
    seeds: tuple[int, ...] | None  # None: the sweep's own seeds


def _policies(value: Any) -> dict[str, str]:
    """Takes names, and policies in the form of the command line."""
    policies = value.values() if isinstance(value, dict) else ()
    if not policies or not all(isinstance(one, str) and re.fullmatch(r"\S+", one) for one in policies):
        raise ValueError("a table of names and policies, each as 'headstack run --policy' takes it, without spaces")
    return dict(value)


def _settings(value: Any) -> tuple[str, ...]:
    """Takes settings in the form of the command line."""
    if not isinstance(value, list) or not all(isinstance(one, str) and re.fullmatch(r"[^\s=]+=\S+", one) for one in value):
        raise ValueError("a list of settings, each KEY=VALUE as 'headstack run' takes it, without spaces")
    return tuple(value)


def _some_workloads(value: Any) -> tuple[str, ...]:
    """Takes a workload, or a list of different ones."""
    return (text(value),) if isinstance(value, str) else different_texts(value)


def _names(value: Any) -> dict[str, Any]:
    """Takes names, and the values of axes for which they stand."""
    if not isinstance(value, dict) or not all(isinstance(one, str | dict) for one in value.values()):
        raise ValueError("a table of names and values, each as a key of a scenario takes it")
    return value


def _scenario(value: Any) -> dict[str, Any]:
    """Takes keys with their values; the drive is one of them."""
    if not isinstance(value, dict) or not isinstance(value.get("drive"), str):
        raise ValueError('a table of keys of a scenario, such as drive = "eagle"')
    return value


def _thresholds(value: Any) -> dict[str, str]:
    """Takes names of policies, and thresholds in the form of the command line."""
    thresholds = value.values() if isinstance(value, dict) else [None]
    if not all(isinstance(one, str) and re.fullmatch(r"\S+", one) for one in thresholds):
        raise ValueError("a table of policies and thresholds, each as the key settings.write_threshold takes it")
    return dict(value)


def _of_policies(noun: str, known: tuple[str, ...]) -> Callable[[Any], dict[str, str]]:
    """Takes names of policies, each with one of the known words."""

    def take(value: Any) -> dict[str, str]:
        if not isinstance(value, dict) or not all(one in known for one in value.values()):
            raise ValueError(f"a table of policies, each with a {noun}: {', '.join(known)}")
        return dict(value)

    return take


def _slack(value: Any) -> tuple[int, int]:
    """Takes a range [from, to]."""
    good = isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)
    if not good or not 0 <= value[0] <= value[1] <= MOST_SLACK_MS:
        raise ValueError(f"two whole numbers of milliseconds, from and to, of 0 to {MOST_SLACK_MS}")
    return (value[0], value[1])


def _scales(value: Any) -> tuple[float, ...]:
    """Takes scales of 1 / lambda."""
    scale = number(0.001, 10)  # firmware/queue/write_buffer.h
    if not isinstance(value, list) or not value or len(set(value)) != len(value):
        raise ValueError("a list of different numbers from 0.001 to 10")
    return tuple(scale(one) for one in value)


def _different(least: float, most: float, take_one: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Takes a list of different numbers."""

    def take(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or not value or len(set(map(str, value))) != len(value):
            raise ValueError(f"a list of different numbers from {least:g} to {most:g}")
        return tuple(take_one(one) for one in value)

    return take


def _gap(value: Any) -> str:
    """Takes a gap in the form of host/remap/walk.py."""
    if not isinstance(value, str):
        raise ValueError("a text such as '5', 'steady:0.5' or 'exp:20', in ms")
    if value != AS_IT_CAME:
        Gap.parse(value)
    return value


def _gaps(value: Any) -> tuple[str, ...]:
    """Takes different gaps."""
    try:
        if isinstance(value, list) and value and len(set(map(str, value))) == len(value):
            return tuple(_gap(one) for one in value)
    except ValueError:
        pass
    raise ValueError("a list of different gaps, such as '5', 'steady:0.5' or 'exp:20', in ms")


def _moves(value: Any) -> str:
    """Takes whether moves are before the requests or among them."""
    if not isinstance(value, str) or not re.fullmatch(rf"{SETTLED}|{IDLE}:\d{{1,7}}|{SHARE}:[1-9]\d?", value):
        raise ValueError(f"'{SETTLED}', '{IDLE}:MS' or '{SHARE}:PERCENT'")
    return value


def _map_name(value: Any) -> str:
    """Takes a map's name, without the characters that separate names in --only."""
    if not isinstance(value, str) or not value.strip() or "," in value:
        raise ValueError("a text without a comma")
    return value


def _map_gap(value: Any) -> str:
    """Takes a map's gap: that of the sweep, or its own."""
    try:
        return value if value in (OWN_GAP, AS_IT_CAME) else _gap(value)
    except ValueError:
        raise ValueError(f"'{OWN_GAP}' or a gap, such as '5', 'steady:0.5' or 'exp:20', in ms") from None


ENERGY_WITHOUT_TIMES = "--energy distance"  # words of a map that does not depend on seek times
MOST_WALKERS = 4_096  # the drive has room for this many commands
MOST_GROUP, MOST_GRID = 65_536, 1_024  # blocks
MOST_TAU = 65_535  # firmware/queue/policy_gscan.c
MOST_COPIES = 256  # streams have numbers of one byte in message 81h
SCHEMES = ("gss", "rangan", "reddy", "wrr", "chen", "horizon")  # of `headstack admission`
SEEDS = wholes(0, LARGEST_SEED)
REQUEST_COUNT = whole(1, MOST_REQUESTS)
REQUEST_KEYS = {
    "sectors": Key(whole(1, 65_535), required=True),
    # Keys of closed loops: required where a queue is swept (_sizes).
    "per_queued": Key(whole(1, 10_000)),
    "at_least": Key(REQUEST_COUNT),
    "places": Key(whole(2, 255)),
    # The accesses that a map is made of.
    "day": Key(whole(2, MOST_REQUESTS)),
}
QUICK_KEYS = {
    "seeds": Key(SEEDS, required=True),
    "per_queued": Key(whole(1, 10_000)),
    "at_least": Key(REQUEST_COUNT),
    "longest_queue": Key(whole(1, MOST_OUT)),
    "open_requests": Key(REQUEST_COUNT),
}
SWEEP_KEYS = {
    "name": Key(text, required=True),
    "policies": Key(texts, required=True),
    "electronics": Key(some_of(ELECTRONICS), required=True),
    "requests": Key(REQUEST_COUNT),
    "seeds": Key(SEEDS),
    # Keys of requests with deadlines, in the numbers of deadline_load.py.
    "reads": Key(wholes(1, MOST_A_SECOND)),
    "writes": Key(wholes(0, MOST_A_SECOND)),
    "slack_ms": Key(_slack),
    "frames": Key(wholes(1, MOST_FRAMES)),
    "below": Key(wholes(1, MOST_FRAMES)),
    "scale": Key(_scales),
    "write_by_ms": Key(wholes(1, MOST_SLACK_MS)),
    "readings": Key(some_of(READINGS)),
    "drive": Key(text),
    "access_ms": Key(above_zero),
    # Keys of streams of a workload (workload.py).
    "workload": Key(_some_workloads),
    "scales": Key(_different(0.01, 1000, number(0.01, 1000))),
    "taus": Key(_different(0, MOST_TAU, whole(0, MOST_TAU))),
    "lengths": Key(wholes(1, MOST_REQUESTS)),
    "layout": Key(one_of(PLACES)),
    "factor": Key(number(1, 1000)),
    "settings": Key(_settings),
    "copies": Key(wholes(1, MOST_COPIES)),
    "groups": Key(whole(1, MOST_COPIES)),
    # Keys of walkers on a drive with a map (remap_load.py).
    "maps": Key(texts),
    "trace": Key(text),
    "moves": Key(_moves),
    "chain": Key(one_of(CHAINS)),
    "walkers": Key(wholes(1, MOST_WALKERS)),
    "gaps": Key(_gaps),
    "drifts": Key(_different(0, 1, number(0, 1))),
    "rates": Key(wholes(1, MOST_A_SECOND)),
    "sectors": Key(whole(1, REQUEST_BLOCKS)),
    "seek_scale": Key(number(0.1, 10)),
    "controller": Key(one_of((PUBLISHED, OWN))),
    "closed": Key(flag),
    "in_order": Key(flag),
}
MAP_KEYS = {
    "name": Key(_map_name, required=True),
    "words": Key(any_text),
    "gap": Key(_map_gap),
    "learns": Key(text),
    "walkers": Key(whole(1, MOST_WALKERS)),
    "group": Key(whole(1, MOST_GROUP)),
    "grid": Key(whole(1, MOST_GRID)),
    "accesses": Key(whole(2, MOST_REQUESTS)),
    "drifted": Key(flag),
    "behind": Key(flag),
    "bounded": Key(flag),
    "one_walk": Key(flag),
    "shift": Key(one_of((OTHER, BOTH))),
}
TRACE_KEYS = {
    "name": Key(_map_name, required=True),
    "file": Key(text, required=True),
    "device": Key(text),
    "parts": Key(whole(1, 1000)),
}
TOP_KEYS = {
    "title": Key(text, required=True),
    "report": Key(one_of(REPORTS), required=True),
    "drive": Key(text, required=True),
    "seeds": Key(SEEDS, required=True),
    "policies": Key(_policies, required=True),
    "requests": Key(required=True, table=REQUEST_KEYS),
    "quick": Key(table=QUICK_KEYS),
    "write_thresholds": Key(_thresholds),
    "layers": Key(_of_policies("layer", LAYERS)),
    "schemes": Key(_of_policies("scheme", SCHEMES)),
    "settings": Key(_settings),
    "map": Key(rows=MAP_KEYS),
    "trace": Key(rows=TRACE_KEYS),
    "sweep": Key(required=True, rows=SWEEP_KEYS),
}

# Keys of sweeps of policies over depths or rates of arrival (depths.py).
DEPTH_SWEEP_KEYS = {name: SWEEP_KEYS[name] for name in ("name", "requests", "seeds")} | {
    "policy": Key(different_texts, required=True),
    "platform": Key(different_texts, required=True),
    "depth": Key(wholes(2, MOST_OUT)),
    # A drive of sim/drives, of any kind, under random requests of load.synthetic.
    "drive": Key(text),
    "group": Key(wholes(1, 1_000_000)),
    "rate": Key(wholes(1, 100_000)),
    # Number of terminals with one request each; mean length of a request, in sectors.
    "terminals": Key(whole(1, MOST_OUT)),
    "length": Key(wholes(1, 32_768)),
    # N: every Nth request is sent with HEAD OF QUEUE; 0: none.
    "forced": Key(wholes(0, 1_000_000)),
    # The host chooses among the waiting requests, and sends the next one this long after the end of the last.
    "think_ms": Key(above_zero),
    # Nearly all requests are on the first so many cylinders.
    "crowd": Key(whole(1, 65_535)),
    # Reads of sector 0 and of this one, in turn.
    "apart": Key(wholes(1, 32_768)),
}
DEPTH_KEYS = {name: TOP_KEYS[name] for name in ("title", "seeds", "requests", "quick")} | {
    "report": Key(one_of(OF_DEPTHS), required=True),
    "scenario": Key(_scenario, required=True),
    "names": Key(_names),
    "saturation": Key(whole(1, 100_000)),
    "sweep": Key(required=True, rows=DEPTH_SWEEP_KEYS),
}

Table = dict[str, Any]


def _sizes(file: Path, top: Table, quick: bool) -> _Sizes:
    where, table = (f"{file}: requests", top["requests"])
    needed = ["per_queued", "at_least"]
    if quick:
        if "quick" not in top:
            raise mistake(str(file), "'quick' is missing", "give a table [quick], or leave --quick out")
        where, table = f"{file}: quick", top["quick"]
        needed.append("longest_queue")
    if top["report"] in OF_DEPTHS:
        for name in needed:
            if name not in table:
                raise mistake(where, f"'{name}' is missing", "sweeps over depths need it")
    return _Sizes(
        table.get("per_queued", 0),
        table.get("at_least", 0),
        table.get("longest_queue", MOST_OUT),
        table.get("open_requests", 0),
        table["seeds"] if quick else None,
    )


@dataclass(frozen=True)
class _Load:
    """The load of a run: requests with deadlines, or streams."""

    deadlines: DeadlineLoad | None = None
    streams: StreamLoad | None = None


def _loads(file: Path, where: str, table: Table) -> list[_Load]:
    if ("reads" in table) == ("workload" in table):
        raise mistake(where, "a sweep has either 'reads' or 'workload' or 'maps'", "give one of the three")
    if "requests" not in table:
        raise mistake(where, "'requests' is missing", "an open loop says how many requests arrive")
    if "workload" in table:
        return [_Load(streams=load) for load in _stream_loads(file, where, table)]
    return [_Load(deadlines=load) for load in _deadline_loads(where, table)]


def _deadline_loads(where: str, table: Table) -> list[DeadlineLoad]:
    """The loads with deadlines. One of their numbers may vary: it is the axis of the sweep."""
    values: dict[str, Any] = {
        "reads": table["reads"],
        "writes": table.get("writes", (0,)),
        "frames": table.get("frames", (FRAMES,)),
        "below": table.get("below", (BELOW,)),
        "scale": table.get("scale", (SCALE,)),
        "write_by_ms": table.get("write_by_ms", (0,)),
    }
    axes = [name for name in AXES if len(values[name]) > 1]
    if len(axes) > 1:
        raise mistake(where, f"{' and '.join(map(repr, axes))} both vary", "give a sweep for each")
    axis = axes[0] if axes else "reads"
    fixed = {name: value[0] for name, value in values.items()}
    slack, access_ms = table.get("slack_ms", SLACK_MS), table.get("access_ms", PAPER_ACCESS_MS)
    return [
        DeadlineLoad(**(fixed | {axis: value}), slack_ms=slack, access_ms=access_ms, axis=axis)
        for value in values[axis]
    ]


def _stream_loads(file: Path, where: str, table: Table) -> list[StreamLoad]:
    """The loads of streams. Scale factor, the policy's tau, the number of requests or that of copies may vary."""
    [name], scales, taus = table["workload"], table.get("scales", (1.0,)), table.get("taus", (None,))
    lengths, copies = table.get("lengths", (None,)), table.get("copies", (None,))
    varied = [name for name in ("scales", "taus", "lengths", "copies") if len(table.get(name, ())) > 1]
    if len(varied) > 1:
        raise mistake(where, f"{' and '.join(map(repr, varied))} both vary", "give a sweep for each")
    # What is given is the axis of the results, with one value, too.
    given = [key for key in ("taus", "lengths", "copies") if key in table]
    if len({*given, *varied}) > 1:
        raise mistake(where, f"{' and '.join(map(repr, dict.fromkeys([*given, *varied])))} are given", "give one of them")
    own = file.parent / name
    workload = load_workload(own if name.endswith(".toml") else WORKLOADS / f"{name}.toml")
    spec = workload.spec()
    if "layout" in table:
        spec["layout"]["place"] = table["layout"]
    if "factor" in table:
        spec["layout"]["factor"] = table["factor"]
    if "groups" in table and "copies" not in table:
        raise mistake(where, "'groups' goes with 'copies'", "give both, or none")
    if len(spec["streams"]) * max(table.get("copies", (1,))) > MOST_COPIES:
        raise mistake(where, f"'copies' makes more than {MOST_COPIES} streams of {len(spec['streams'])}", "give fewer")
    return [
        StreamLoad(Path(name).stem, spec | {"streams": spec["streams"] * (point[-1] or 1)}, *point, table.get("groups", 0))
        for point in product(scales, taus, lengths, copies)
    ]


def _threshold(where: str, label: str, load: DeadlineLoad | None, top: Table) -> str:
    """The threshold in the form of the command line. A load without writes has no buffer (section 6 of the paper).

    Nor has one whose writes have deadlines at the media.
    """
    if load is None or load.writes == 0 or load.write_by_ms:
        return "none"
    words = {"below": load.below, "writes": load.writes, "scale": f"{load.scale:g}"}
    try:
        return str(top.get("write_thresholds", {}).get(label, "none").format(**words))
    except (KeyError, IndexError, ValueError):
        what = f"the threshold of '{label}' has another {{word}}"
        raise mistake(where, what, "use {below}, {writes}, {scale}") from None


def _check_kinds(where: str, table: Table) -> None:
    """Checks that keys of one kind of sweep are not in another. Raises ExperimentError."""
    if "maps" not in table:
        for name in (*REMAP_AXES, "chain", "closed", "in_order", "trace", "moves", "sectors", "seek_scale", "controller"):
            if name in table:
                raise mistake(where, f"'{name}' goes with 'maps'", "leave it out")
    if "trace" in table:
        for name in ("chain", "drifts", "rates", "closed", "in_order", "requests", "moves", "sectors", "seek_scale", "controller"):
            if name in table:
                raise mistake(where, f"'{name}' does not go with 'trace'", "leave it out")
    if "workload" not in table:
        for name in ("scales", "taus", "lengths", "layout", "factor", "settings", "copies", "groups"):
            if name in table:
                raise mistake(where, f"'{name}' goes with 'workload'", "leave it out")
    if "reads" in table:
        if ("readings" in table) != (table["electronics"] == ("model",)):
            raise mistake(where, "'readings' are of electronics = [\"model\"]", "give both, or none")
        if "write_by_ms" in table and ("writes" not in table or "readings" in table):
            raise mistake(where, "'write_by_ms' goes with 'writes', and without 'readings'", "give the rate of writes, on the drive")
        return
    for name in ("writes", "slack_ms", "frames", "below", "scale", "write_by_ms", "readings", "access_ms", "drive"):
        if name in table and not (name == "drive" and ("workload" in table or "maps" in table)):
            raise mistake(where, f"'{name}' goes with 'reads'", "leave it out")
    if "model" in table["electronics"]:
        raise mistake(where, "electronics = [\"model\"] goes with 'reads'", "use ideal, charged or rtl")


def _remap_loads(where: str, table: Table, top: Table) -> list[tuple[str, RemapLoad]]:
    """The loads of walkers, each with the map's name. Walkers, gaps or drifts may vary: that is the axis of the sweep."""
    maps = {one["name"]: one for one in top.get("map", ())}
    if len(maps) < len(top.get("map", ())):
        raise mistake(where, "two maps have the same name", "give every map its own")
    names = take_table(where, {"maps": list(table["maps"])}, {"maps": Key(some_of(maps))})["maps"]
    values: dict[str, Any] = {
        "walkers": table.get("walkers", (1,)), "gaps": table.get("gaps", (NO_GAP,)), "drifts": table.get("drifts", (0.0,)),
        "rates": table.get("rates", (0,)),
    }  # fmt: skip
    axes = [name for name in REMAP_AXES if len(values[name]) > 1]
    if len(axes) > 1:
        raise mistake(where, f"{' and '.join(map(repr, axes))} both vary", "give a sweep for each")
    axis = next(iter([*axes, *(name for name in REMAP_AXES if name in table)]), REMAP_AXES[0])
    trace = _trace(where, table, top) if "trace" in table else None
    if AS_IT_CAME in values["gaps"] and (trace is None or len(values["gaps"]) > 1):
        raise mistake(where, f"gap '{AS_IT_CAME}' is of a trace, and alone", "give 'trace', and a sweep for the other gaps")
    chain = table.get("chain", NATURAL)
    if chain != NATURAL and (values["drifts"] != (0.0,) or table.get("in_order")):
        raise mistake(where, f"chain '{chain}' has no files that move, or are read in order", "leave 'drifts' and 'in_order' out")
    for name in ("walkers", "gaps", "closed", "moves"):
        if "rates" in table and name in table:
            raise mistake(where, f"'{name}' does not go with 'rates'", "leave it out: requests arrive at their own times")
    loads = []
    for name in names:
        own = maps[name]
        words, map_gap = own.get("words", UNMAPPED).strip(), own.get("gap", NO_GAP)
        if ("learns" in own) != ("walkers" in own):
            raise mistake(f"{where}: map '{name}'", "'learns' and 'walkers' go together", "give a policy and its depth, or none")
        if "learns" in own and own["learns"] not in top["policies"]:
            raise mistake(f"{where}: map '{name}'", f"there is no policy '{own['learns']}'", f"use {', '.join(top['policies'])}")
        learns = top["policies"][own["learns"]] if "learns" in own else ""
        learning = _learning(f"{where}: map '{name}'", own)
        if table.get("seek_scale", 1) != 1 and words not in (UNMAPPED, LISTING) and ENERGY_WITHOUT_TIMES not in words:
            raise mistake(where, f"map '{name}' is made for the drive's own seek times", f"with 'seek_scale' name maps of '{ENERGY_WITHOUT_TIMES}'")
        for walkers, gap, drift, rate in product(*values.values()):
            learned_gap = gap if map_gap == OWN_GAP else map_gap
            replay = trace and replace(trace, outstanding=walkers, gap=gap, map_gap=learned_gap,
                                       map_group=own.get("group", GROUP_BLOCKS), map_grid=own.get("grid", REQUEST_BLOCKS))  # fmt: skip
            load = RemapLoad(
                words, learned_gap, learns, own.get("walkers", 1), chain, walkers, gap, table.get("closed", False), drift,
                table.get("in_order", False), axis, top["requests"].get("day", DAY),
                replay, learning, rate, table.get("sectors", REQUEST_BLOCKS), table.get("seek_scale", 1.0), table.get("controller", PUBLISHED),
                table.get("moves", ""),
            )  # fmt: skip
            loads.append((name, load))
    return loads


def _learning(where: str, own: Table) -> Learning:
    """The source of a map."""
    if own.get("behind") and not own.get("drifted"):
        raise mistake(where, "'behind' goes with 'drifted'", "give both, or none")
    if own.get("bounded") and "learns" not in own:
        raise mistake(where, "'bounded' goes with 'learns': they are the counts of a drive that serves a day", "give both, or none")
    if own.get("one_walk") and "learns" not in own:
        raise mistake(where, "'one_walk' goes with 'learns': the walk has several requests outstanding", "give both, or none")
    if "shift" in own and own.get("drifted"):
        raise mistake(where, "'shift' and 'drifted'", "give one of the two")
    flags = [own.get(name, False) for name in ("drifted", "behind", "bounded", "one_walk")]
    return Learning(own.get("accesses", 0), *flags, own.get("shift", NATURAL_SHIFT))


def _trace(where: str, table: Table, top: Table) -> TraceLoad:
    """The load of a sweep whose trace is there."""
    one = _declared_trace(where, table["trace"], top)
    return TraceLoad(one["name"], hash_file(one["path"]), one.get("parts", PARTS), 1, NO_GAP, GROUP_BLOCKS, REQUEST_BLOCKS, NO_GAP,
                     one["path"], one.get("device", ""))  # fmt: skip


def _declared_trace(where: str, name: str, top: Table) -> Table:
    """A row of [[trace]]."""
    found = [one for one in top.get("trace", ()) if one["name"] == name]
    if len(found) != 1:
        names = ", ".join(one["name"] for one in top.get("trace", ())) or "none"
        raise mistake(where, f"{len(found)} traces are named '{name}'", f"give it one [[trace]]; there are: {names}")
    return found[0]


def _remap_runs(where: str, table: Table, top: Table, sizes: _Sizes) -> list[Run]:
    """The runs with each map under each load. Runs are named by the map, so there is one policy."""
    policies = top["policies"]
    labels = take_table(where, {"policies": list(table["policies"])}, {"policies": Key(some_of(policies))})["policies"]
    _check_kinds(where, table)
    for name in ("reads", "workload"):
        if name in table:
            raise mistake(where, f"'{name}' does not go with 'maps'", "leave it out")
    if "requests" not in table and "trace" not in table:
        raise mistake(where, "'requests' is missing", "say how many are served")
    if table["electronics"] == ("model",):
        raise mistake(where, "electronics = [\"model\"] goes with 'reads'", "use ideal, charged or rtl")
    most = table.get("requests", BUNDLE_OF_ITS_OWN)
    count = min(most, sizes.open_requests or most)
    seeds = sizes.seeds or table.get("seeds") or top["seeds"]
    return [
        Run(
            sweep=table["name"], label=name, policy=policies[labels[0]], electronics=kind, group=0, queue=0, rate=0, seed=seed,
            requests=count, drive=table.get("drive", ""), remap=load,
        )
        for name, load in _remap_loads(where, table, top)
        for kind in table["electronics"]
        for seed in seeds
    ]  # fmt: skip


def _policy_text(where: str, text: str, load: _Load) -> str:
    """The policy in the form of the command line."""
    if "{q}" in text:
        if load.streams is None or not load.streams.groups:
            raise mistake(where, "'groups' is missing", f"policy '{text}' has a {{q}}")
        text = text.replace("{q}", str(math.ceil(len(load.streams.spec["streams"]) / load.streams.groups)))
    if "{tau}" not in text:
        return text
    if load.streams is None or load.streams.tau is None:
        raise mistake(where, "'taus' is missing", f"policy '{text}' has a {{tau}}")
    return text.replace("{tau}", str(load.streams.tau))


def _settings_of(table: Table, top: Table, load: _Load) -> tuple[str, ...]:
    """The settings of a run. {n} stands for its number of streams."""
    settings = table.get("settings", top.get("settings", ()))
    return tuple(one.replace("{n}", str(len(load.streams.spec["streams"]))) for one in settings) if load.streams else settings


def _seeds(table: Table, top: Table, sizes: _Sizes) -> tuple[int, ...]:
    """The seeds of a sweep. A sweep with fewer seeds than the others keeps its own number."""
    own = table.get("seeds")
    if sizes.seeds is None:
        return own or top["seeds"]
    return sizes.seeds[: len(own)] if own else sizes.seeds


def _runs(file: Path, where: str, table: Table, top: Table, sizes: _Sizes) -> list[Run]:
    if "maps" in table:
        return _remap_runs(where, table, top, sizes)
    policies = top["policies"]
    # The possible values are in another key.
    labels = take_table(where, {"policies": list(table["policies"])}, {"policies": Key(some_of(policies))})["policies"]
    _check_kinds(where, table)
    loads = _loads(file, where, table)
    seeds = _seeds(table, top, sizes)
    runs: list[Run] = []
    for label in labels:
        for kind, reading, load in product(table["electronics"], table.get("readings", ("",)), loads):
            count = (load.streams and load.streams.length) or table["requests"]
            if sizes.open_requests:
                count = min(count, sizes.open_requests)
            count *= (load.streams and load.streams.copies) or 1
            runs += [
                Run(
                    sweep=table["name"],
                    label=label,
                    policy=_policy_text(where, policies[label], load),
                    electronics=kind,
                    group=0,
                    queue=0,
                    rate=0,
                    seed=seed,
                    requests=count,
                    deadlines=load.deadlines,
                    threshold=_threshold(where, label, load.deadlines, top),
                    drive=table.get("drive", ""),
                    reading=reading,
                    streams=load.streams,
                    settings=_settings_of(table, top, load),
                    layer=top.get("layers", {}).get(label, "") if load.streams else "",
                    scheme=top.get("schemes", {}).get(label, "") if load.streams else "",
                )
                for seed in seeds
            ]
    return runs


def _each_one(table: Table) -> list[Table]:
    """The sweeps of a table with several workloads. Each has the table's name, then its workload's, before a comma if there is one.

    Where maps are compared, the sweeps of a table with several policies: each has the table's name, a comma and the policy's.
    """
    if "maps" in table and len(table["policies"]) > 1:
        return [table | {"name": f"{table['name']}, {policy}", "policies": (policy,)} for policy in table["policies"]]
    workloads = table.get("workload", ())
    if len(workloads) < 2:
        return [table]
    name, comma, more = table["name"].partition(",")
    return [table | {"name": f"{name} {Path(one).stem}{comma}{more}", "workload": (one,)} for one in workloads]


def require_a_sweep_of_the_page(sweep: Sweep) -> None:
    """Checks the names of sweeps: a page of policies over depths, and its pictures, belong to a paper. Raises ExperimentError.
    """
    if sweep.report not in OF_DEPTHS:
        return
    names = {run.sweep for run in sweep.runs}
    known: set[str] = set()
    for ours in sorted(Path(__file__).parent.glob("*.toml")):
        values = load_toml(ours, "name a declaration of host/experiment")
        if values["report"] == sweep.report:
            known |= {table["name"] for table in values["sweep"]}
    if not names & known:
        raise ExperimentError(
            f"{sweep.file}: the page of '{sweep.report}' has no sweep named {' or '.join(sorted(names))}, only "
            f"{', '.join(sorted(known))}. {ANY_DRIVE}"
        )


@told_as(ExperimentError)
def load_sweep(
    file: Path, quick: bool = False, seeds: list[int] | None = None, only: list[str] | None = None, traces: Path | None = None
) -> Sweep:
    """Reads a declaration. Raises ExperimentError.

    Traces that are not in the project are looked for in `traces`. Sweeps of missing traces are left out, and named.

    `quick` selects the short runs. `seeds` replaces the seeds; a sweep with seeds of its own takes as many of them as it has.
    `only` keeps the policies, or the maps, of these names.
    """
    values = load_toml(file, "name a declaration of host/experiment")
    folders = [PROJECT_TRACES, traces or SHARED_TRACES]
    if values.get("report") == OF_POLICIES:
        return load_policy_sweep(file, values, folders, quick, seeds, only)
    if values.get("report") == COST:
        return load_costs(file, values, quick, seeds, only)
    is_of_depths = "scenario" in values or values.get("report") in OF_DEPTHS
    top = take_table(str(file), values, DEPTH_KEYS if is_of_depths else TOP_KEYS)
    drive = top["scenario"]["drive"] if is_of_depths else top["drive"]
    sizes = _sizes(file, top, quick)
    if seeds is not None:
        sizes = replace(sizes, seeds=tuple(seeds))
    policies = top.get("policies", {})
    for table_name in ("write_thresholds", "layers", "schemes"):
        for label in top.get(table_name, {}):
            if label not in policies:
                raise mistake(f"{file}: {table_name}", f"there is no policy '{label}'", f"use {', '.join(policies)}")
    runs: list[Run] = []
    declared: list[Declaration] = []
    names: set[str] = set()
    missing: dict[str, None] = {}
    for one in top.get("trace", ()):
        one["path"] = find_trace(one["file"], folders)
    for place, table in enumerate(top["sweep"], 1):
        where = f"{file}: sweep {place}"
        if "trace" in table and not (one := _declared_trace(where, table["trace"], top))["path"]:
            missing[f"trace '{one['name']}': no {one['file']} in {folders[1]}; give --traces DIR"] = None
            continue
        each = _each_one(table)
        for one in each:
            if one["name"] in names:
                raise mistake(where, f"'name' is '{one['name']}' a second time", "give every sweep its own name")
            names.add(one["name"])
        if is_of_depths:
            its_drive = file_of_drive(file, table.get("drive", drive))
            one_declared, its_runs = declare(where, table, top, its_drive, sizes, _seeds(table, top, sizes), only)
            declared += [one_declared] if its_runs else []
        else:
            its_runs = [run for one in each for run in _runs(file, where, one, top, sizes)]
        runs += its_runs
    # Where maps are compared, --only selects maps.
    choice = [one["name"] for one in top["map"]] if "map" in top else list(policies)
    if is_of_depths:
        choice = list(dict.fromkeys(name for table in top["sweep"] for name in table["policy"]))
    for label in only or []:
        if label not in choice:
            what = "map" if "map" in top else "policy"
            raise ExperimentError(f"{file} has no {what} named '{label}'; --only takes of: {', '.join(choice)}")
    if missing and not runs:
        raise ExperimentError(f"{file}: {'; '.join(missing)}")
    if only:
        runs = [run for run in runs if run.label in only]
    if not runs:
        raise ExperimentError(f"{file}: no run is left; take more policies with --only, or leave --quick out")
    return Sweep(
        file=file,
        title=top["title"],
        report=top["report"],
        drive=drive,
        sectors=top["requests"]["sectors"],
        saturation=top.get("saturation", 0),
        runs=tuple(runs),
        places=top["requests"].get("places", 1),
        missing=tuple(missing),
        declared=tuple(declared),
    )
