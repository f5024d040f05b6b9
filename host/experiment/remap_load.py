# SPDX-License-Identifier: Apache-2.0
"""Requests of walkers on a chain of virtual cylinders (host/remap), on a drive whose units lie where a map says.

The map is applied to the requests, as if the drive did it. A request of 16 blocks never spans units, so each stays one request.
A map is made of counts: of a day on the same chain, another walk than the one that is served.
"""

import json
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from errors import ExperimentError
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.arrangement import Map  # noqa: E402
from remap.chain import FITTED, KINDS, NATURAL, Chain, estimated_chain, make_chain  # noqa: E402
from remap.counts import Counts, Numbers, count_stream  # noqa: E402
from remap.errors import RemapError  # noqa: E402
from remap.walk import Gap, Requests, Walk, make_requests, stream_of, write_walk  # noqa: E402
from result_files import writing  # noqa: E402
from trace_load import AS_IT_CAME, TraceLoad, learn_spec, load_spec  # noqa: E402

Spec = dict[str, Any]

GROUP_BLOCKS, REQUEST_BLOCKS = 160, 16
DAY = 163_681  # accesses to learn from; the paper has three days
LEARNED, SERVED = 0, 1  # numbers of walks
# Chains that are estimated from the day of another one.
ESTIMATED_FROM = {"estimated": NATURAL, "estimated fitted": FITTED}
CHAINS = (*KINDS, *ESTIMATED_FROM)
UNMAPPED = ""  # the words for no map
LISTING = "listing"  # the words for a map that host/remap/listing.py anneals
PUBLISHED, OWN = "published", "own"  # controllers: the drive's published overhead of a command, or the firmware's alone
OWN_GAP, NO_GAP = "own", "0"
AXES = ("walkers", "gaps", "drifts", "rates")
SETTLED, IDLE, SHARE = "settled", "idle", "share"  # moves before the requests, among them, and the key of their share
NATURAL_SHIFT, OTHER, BOTH = "", "other", "both"  # shifts whose day a map is made of, where two loads take turns
DRAWN_ARRIVALS = 21  # after what trace_load.py draws from a seed
OTHER_SEED = 1_000  # added to the seed for the other shift's chain


@dataclass(frozen=True)
class Learning:
    """The source of a map, if that is not an unchanged day of the load."""

    accesses: int = 0  # accesses of the day; 0: all
    drifted: bool = False  # the day is of the load that is served, after its files have moved
    behind: bool = False  # the day follows the one before the files moved
    bounded: bool = False  # the map is made of the drive's own counts, whose memory is bounded
    one_walk: bool = False  # learned as served: the requests outstanding are of one walk
    shift: str = NATURAL_SHIFT

    def spec(self, drift: float) -> Spec:
        """The values that differ from the defaults."""
        spec: Spec = {"drift": drift} if self.drifted and drift else {}
        spec |= {"accesses": self.accesses} if self.accesses else {}
        flags = {"behind": self.behind, "bounded": self.bounded, "one_walk": self.one_walk, "shift": self.shift}
        return spec | {name: value for name, value in flags.items() if value}



@dataclass(frozen=True)
class RemapLoad:
    """One point of a sweep."""

    map_words: str  # in the form of `headstack remap arrange`, or UNMAPPED
    map_gap: str  # Gap.parse(): gap between requests for which the map is made, in the day that is learned from
    map_policy: str  # policy whose order of service is learned from, with `map_walkers`; "": the order of arrival of one walk
    map_walkers: int
    chain: str  # one of CHAINS
    walkers: int
    gap: str  # in the form of Gap.parse()
    closed: bool = False  # one walk with `walkers` requests outstanding
    drift: float = 0.0  # drift of the files between the day of learning and the one that is served
    in_order: bool = False
    axis: str = "walkers"
    day: int = DAY  # accesses of the day of learning
    trace: TraceLoad | None = None  # a real trace instead of walks
    learning: Learning = Learning()
    rate: int = 0  # above 0: the requests of one walk arrive at random, so many a second
    sectors: int = REQUEST_BLOCKS  # of a request
    seek_scale: float = 1.0  # factor of the drive's seek times
    controller: str = PUBLISHED
    moves: str = ""  # SETTLED or MOVING: the drive moves its blocks, before or under the requests; "": the trace has the map's
                     # addresses

    @property
    def value(self) -> float:
        """The run's value on the axis of its sweep."""
        if self.axis == "walkers" or self.gap == AS_IT_CAME:
            return self.walkers
        if self.axis == "rates":
            return self.rate
        return Gap.parse(self.gap).mean_ms if self.axis == "gaps" else self.drift

    def describe(self) -> str:
        """The load in words."""
        if self.trace:
            return self.trace.describe()
        drift = f", drift {self.drift:g}" if self.drift else ""
        walk = "one walk" if self.closed else "walks"
        drift += f", moves {self.moves}" if self.moves else ""
        drift += "".join(f", {name} {value}" for name, value in self._more_spec().items())
        return f"{self.chain} chain, {walk} of {self.walkers}, gap {self.gap}{drift}"

    def _more_spec(self) -> Spec:
        """The values of a few sweeps, without those that are as usual."""
        spec: Spec = {"rate": self.rate} if self.rate else {}
        spec |= {"sectors": self.sectors} if self.sectors != REQUEST_BLOCKS else {}
        spec |= {"seek_scale": self.seek_scale} if self.seek_scale != 1 else {}
        return spec | ({"controller": self.controller} if self.controller != PUBLISHED else {})

    def spec(self, groups: int) -> Spec:
        """All on which the requests depend, beside seed and number."""
        if self.trace:
            return {"trace": load_spec(self.trace), "walkers": self.walkers}
        return {
            "groups": groups,
            "chain": self.chain,
            "walkers": self.walkers,
            "gap": self.gap,
            "closed": self.closed,
            "drift": self.drift,
            "in_order": self.in_order,
        } | ({"moves": self.moves} if self.moves else {}) | self._more_spec() | self._day_spec()

    def _day_spec(self) -> Spec:
        """The spec of a day with another length."""
        return {"day": self.day} if self.day != DAY else {}

    def map_spec(self, groups: int) -> Spec:
        """All on which the map depends, beside seed, drive and program; empty without a map."""
        if self.map_words == UNMAPPED:
            return {}
        if self.trace:
            return {"words": self.map_words, "capacity": groups * GROUP_BLOCKS} | learn_spec(self.trace)
        kind = ESTIMATED_FROM.get(self.chain, self.chain)
        spec = {"groups": groups, "words": self.map_words, "chain": kind, "gap": self.map_gap, "in_order": self.in_order}
        spec |= {"policy": self.map_policy, "walkers": self.map_walkers} if self.map_policy else {}
        return spec | self._day_spec() | self.learning.spec(self.drift)


@lru_cache(maxsize=8)
def chain_of(kind: str, groups: int, seed: int, drift: float) -> Chain:
    """The chain of a load. Raises ExperimentError."""
    try:
        return make_chain(kind, groups, seed, drift)
    except RemapError as error:
        raise ExperimentError(str(error)) from error


@lru_cache(maxsize=8)
def estimated(kind: str, groups: int, seed: int, day: int) -> Chain:
    """The chain that is estimated from the day of another one."""
    walk = Walk(seed, LEARNED, day)
    return estimated_chain(count_stream(stream_of(chain_of(kind, groups, seed, 0.0), walk, 0), groups, 0, GROUP_BLOCKS))


def day_of(spec: Spec) -> Requests:
    """The requests of which a map is made. `spec` is a RemapLoad.map_spec(), with the seed."""
    if "shift" in spec:
        days = [_day(spec | {"seed": spec["seed"] + OTHER_SEED}, 0.0)]
        return joined(days if spec["shift"] == OTHER else [_day(spec, 0.0), *days])
    drift = spec.get("drift", 0.0)
    new = _day(spec | {"day": spec.get("accesses", spec.get("day", DAY))}, drift)
    return joined([_day(spec, 0.0), new]) if "behind" in spec else new


def _day(spec: Spec, drift: float) -> Requests:
    """A day of one chain."""
    chain = chain_of(spec["chain"], spec["groups"], spec["seed"], drift)
    walkers = 1 if "one_walk" in spec else spec.get("walkers", 1)
    walk = Walk(spec["seed"], LEARNED, spec.get("day", DAY), walkers, Gap.parse(spec["gap"]), spec["in_order"])
    return make_requests(chain, walk, GROUP_BLOCKS, REQUEST_BLOCKS)


def joined(days: list[Requests]) -> Requests:
    """The days one after the other."""
    return Requests(*(np.concatenate([getattr(day, name) for day in days]) for name in ("lba", "walker", "gap_us")))


@dataclass(frozen=True)
class Learned:
    """A stream of groups, in the order from which a map is made, and its counts."""

    stream: Numbers
    counts: Counts


def learned(spec: Spec) -> Learned:
    """A day in the order of arrival. Maps that differ only in their words have the same day."""
    return _learned(json.dumps(spec, sort_keys=True))


@lru_cache(maxsize=2)
def _learned(text: str) -> Learned:
    spec = json.loads(text)
    requests = day_of(spec)
    stream = requests.lba // GROUP_BLOCKS
    return Learned(stream, count_stream(stream, spec["groups"], 0, GROUP_BLOCKS, requests.gap_us))


def requests_of(spec: Spec, arranged: Map | None) -> Requests:
    """The requests of a run's spec. Its `remap` is that of RemapLoad.spec()."""
    load, seed = spec["remap"], spec["seed"]
    chain = (
        estimated(ESTIMATED_FROM[load["chain"]], load["groups"], seed, load.get("day", DAY))
        if load["chain"] in ESTIMATED_FROM
        else chain_of(load["chain"], load["groups"], seed, load["drift"])
    )
    walkers = 1 if load["closed"] else load["walkers"]
    walk = Walk(seed, SERVED, spec["requests"], walkers, Gap.parse(load["gap"]), load["in_order"])
    requests = make_requests(chain, walk, GROUP_BLOCKS, REQUEST_BLOCKS)
    if arranged is None:
        return requests
    unit = arranged.unit_blocks
    if arranged.first_block % REQUEST_BLOCKS or unit % REQUEST_BLOCKS or np.any(requests.lba < arranged.first_block):
        raise ExperimentError(f"a map of units of {unit} blocks would split requests of {REQUEST_BLOCKS}; use larger units")
    return Requests(arranged.place(requests.lba), requests.walker, requests.gap_us)


def write_requests(file: Path, spec: Spec, arranged: Map | None) -> None:
    """Writes the trace for the drive."""
    load, requests = spec["remap"], requests_of(spec, arranged)
    sectors = load.get("sectors", REQUEST_BLOCKS)
    if "rate" in load:
        write_arrivals(file, requests, sectors, arrivals_us(spec["seed"], load["rate"], len(requests.lba)))
    else:
        write_walk(file, requests, sectors, load["closed"], "headstack experiment")


def arrivals_us(seed: int, rate: int, count: int) -> NDArray[np.float64]:
    """Times of arrival in microseconds: exponential gaps with a mean of 1 / `rate` seconds."""
    draw = np.random.Generator(np.random.PCG64([seed, DRAWN_ARRIVALS]))
    return np.cumsum(draw.exponential(1e6 / rate, count))


def write_arrivals(file: Path, requests: Requests, sectors: int, times_us: NDArray[np.float64]) -> None:
    """Writes the trace of reads that arrive at their own times. Raises OutputError."""
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.write("headstack-trace 1\ntime-unit us\nloop open\nsource headstack experiment\nrequests\n")
        out.writelines(f"{time:.3f} R {lba} {sectors} -\n" for time, lba in zip(times_us.tolist(), requests.lba.tolist(), strict=True))
