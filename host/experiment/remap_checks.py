# SPDX-License-Identifier: Apache-2.0
"""Names of the sweeps and maps of the remapping experiments, gains, and the checks of claims about them.

A *gain* is the part of the mean service time without a map that a map saves, in percent. It is taken seed by seed, under the same
scheduler, depth and gap.
"""

from collections.abc import Callable, Sequence

import rules
from claims import AT, INFINITE, Finding
from interval import Interval, interval
from results import Missing, Point, Result, Results

# Names of maps.
UNMAPPED, ORGAN, DISTANCE, SEEK, TRANSFER = "unmapped", "pipe organ", "distance", "seek", "seek + transfer"
FROM_IDENTITY, LISTING = "distance from identity", "listing"
NO_ANGLE, ANGLE, POPULARITY, TABLE = "16 no angle", "16 angle", "16 popularity", "3120 units"
HALF, HALF_2 = "16 half and half", "16 half and half for 2 ms"
SERVED = " as served"  # ends the labels of maps that are learned from the order of service, and of their sweep
ONE_WALK_MAP = "distance one walk"  # made of one walk of which several requests are outstanding
# Names of sweeps.
TABLE_1, FITTED, ESTIMATED, UNIFORM = "table 1", "fitted", "estimated", "uniform"
GAP, EXPONENTIAL, DRIFT, IN_ORDER = "gap", "exponential gap", "drift", "in order"
WSCAN, STF, ONE_WALK, WSCAN_ONE_WALK = "wscan", "stf", "stf, one walk", "wscan, one walk"
RATE = "rate"  # begins the names of the sweeps over rates, which end with a policy
OWN_CONTROLLER = "own controller"
SHORT = {12: "12 sectors", 8: "8 sectors"}  # sweeps of shorter requests
SERVICE = "service_ms"

# The paper's numbers: sections 3, 4 and 5 (table 1).
PAPERS_CHI2 = 41.49e6
PAPERS_ENERGY, PAPERS_RESULT = 390.647935, 32.3543347
PAPERS_MS, PAPERS_ORGAN_MS, PAPERS_MARKOV_MS = 24.423321, 19.217960, 18.158880
PAPERS_ORGAN, PAPERS_MARKOV = 21.31, 25.65
POINTS, MS_SHARE = rules.CHAIN_POINTS.bound, rules.CHAIN_SHARE.bound  # RULES.md
Check = Callable[[Results], list[Finding]]


def gain(results: Results, label: str, load: float, sweep: str) -> Interval:
    """The gain of a map in percent. Raises Missing."""
    return gain_between(results, label, sweep, sweep, load)


def gain_between(results: Results, label: str, sweep: str, plain: str, load: float) -> Interval:
    """The gain of a map, where the run without a map is in another sweep. Raises Missing."""
    return saved(results.ratio(Point(label, load, sweep), Point(UNMAPPED, load, plain), SERVICE))


def saved(ratio: Interval) -> Interval:
    """A ratio, as what the upper one has less, in percent of the lower one."""
    return Interval(100 * (1 - ratio.mean), 100 * ratio.half, ratio.count)


def points_more(results: Results, one: Point, other: Point, plain: Point) -> Interval:
    """Points by which the gain at one point is above that at another, seed by seed, over the same runs without a map. Raises Missing."""
    found = [results.seeds_at(at) for at in (one, other, plain)]
    seeds = [seed for seed in found[-1] if all(seed in runs for runs in found)]
    if not seeds:
        raise Missing(f"a seed of {one.describe()} and {other.describe()}")
    first, second, without = ({seed: float(runs[seed][SERVICE]) for seed in seeds} for runs in found)
    return interval([100 * (second[seed] - first[seed]) / without[seed] for seed in seeds])


def more(results: Results, label: str, other: str, load: float, sweep: str) -> Interval:
    """Points by which the gain of one map is above that of another in a sweep. Raises Missing."""
    return points_more(results, *(Point(one, load, sweep) for one in (label, other, UNMAPPED)))


def gain_finding(results: Results, label: str, load: float, sweep: str, low: float = -INFINITE, high: float = INFINITE, what: str = "") -> Finding:
    """The gain of a map at a load."""
    return Finding(what or f"{label}{AT}{load:g}", gain(results, label, load, sweep), low, high, "{:.1f}")


def gains(label: str, sweep: str, loads: Sequence[float], low: float = -INFINITE, high: float = INFINITE) -> Check:
    """The check of a map's gain at each load."""
    return lambda results: [gain_finding(results, label, load, sweep, low, high) for load in loads]


def better(label: str, other: str, sweep: str, loads: Sequence[float], least: float = 0.0) -> Check:
    """The check that a map gains more than another at each load, by at least so many points."""
    return lambda results: [Finding(f"points{AT}{load:g}", more(results, label, other, load, sweep), least, INFINITE, "{:.2f}") for load in loads]


def take(key: str, over: str = "") -> Callable[[Result], float]:
    """A number of a run, or its ratio to another one of the same run."""
    return lambda result: float(result[key]) / (float(result[over]) if over else 1.0)


def about(what: str, value: Interval, number: float, share: float = rules.ABOUT.bound, form: str = "{:.1f}") -> Finding:
    """A number that the paper gives, asked for within a share of it."""
    return Finding(what, value, number * (1 - share), number * (1 + share), form)
