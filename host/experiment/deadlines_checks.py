# SPDX-License-Identifier: Apache-2.0
"""Numbers from runs with deadlines, and comparisons of them, for deadlines_claims.py and the figures.

Percentages are those of section 5.3: of missed reads per read that was served, of missed writes per write that arrived.
The weighted average of sections 7.1 and 7.2 is all misses over all arrivals.
"""

from collections.abc import Callable, Sequence

import rules
from claims import INFINITE, Finding
from interval import Interval, interval
from results import Measure, Missing, Point, Result, Results, take

EQUAL, RANGE, READS, WRITES, SIZE, THRESHOLD, FUNCTION = "6.1", "6.2", "7.1", "7.2", "7.3", "7.4", "7.4, time"
ALL = ("fcfs", "edf", "scan", "dscan", "sstf", "fdscan")
MANAGED = ("fcfs(B)", "sstf(B)", "scan(B)", "edf", "dscan", "fdscan")
TRADITIONAL = ("sstf", "scan")
REAL_TIME = ("edf", "dscan", "fdscan")
PERCENT = "{:.2f}"
# What the paper's words are taken to mean (RULES.md).
ABOUT, CLOSE, MUCH = rules.ABOUT.bound, rules.ALIKE.bound, rules.MUCH.bound
CLEARLY, FEW_POINTS = rules.SIGNIFICANTLY.bound, rules.SLIGHTLY_POINTS.bound


def reads_missed(result: Result) -> float:
    """The paper's %Missed Read Deadlines."""
    return 100 * float(result["reads_missed"]) / max(1, result["reads_served"])


def writes_missed(result: Result) -> float:
    """The paper's %Missed Write Deadlines."""
    return 100 * float(result["writes_missed"]) / max(1, result["writes_arrived"])


def all_missed(result: Result) -> float:
    """The weighted average of missed reads and missed writes."""
    return 100 * float(result["reads_missed"] + result["writes_missed"]) / result["requests"]


def writes_part(result: Result) -> float:
    """Missed writes, as a part of all arrivals."""
    return 100 * float(result["writes_missed"]) / result["requests"]


def band_share(first: int, last: int) -> Callable[[Result], float]:
    """The mean share of one of these tenths of the disk (1 to 10) in all misses, in percent."""

    def measure(result: Result) -> float:
        bands = result["band_missed"]
        return 100 * float(sum(bands[first - 1 : last])) / max(1, sum(bands)) / (last - first + 1)

    return measure


def ends_share(result: Result) -> float:
    """The mean share of each of the two outermost areas in all misses."""
    return (band_share(1, 1)(result) + band_share(10, 10)(result)) / 2


def next_to_ends_share(result: Result) -> float:
    """The mean share of each of the two areas next to the outermost ones in all misses."""
    return (band_share(2, 2)(result) + band_share(9, 9)(result)) / 2


def at(results: Results, label: str, load: float, sweep: str, measure: Measure) -> Interval:
    """The mean of a measure at a load. Raises Missing."""
    return results.mean(Point(label, load, sweep), measure)


def loads_of(
    results: Results, sweep: str, labels: Sequence[str], low: float = -INFINITE, high: float = INFINITE
) -> list[float]:
    """The loads at which all labels have runs. Raises Missing when there is none."""
    common = set.intersection(*(set(results.loads(label, sweep)) for label in labels))
    found = sorted(load for load in common if low <= load <= high)
    if not found:
        raise Missing(f"{' and '.join(labels)} in sweep {sweep}")
    return found


def pooled(results: Results, label: str, sweep: str, loads: Sequence[float], measure: Measure) -> dict[int, float]:
    """The mean over loads, by seed. Raises Missing."""
    by_load = [results.seeds_at(Point(label, load, sweep)) for load in loads]
    seeds = set.intersection(*map(set, by_load))
    return {seed: sum(take(found[seed], measure) for found in by_load) / len(loads) for seed in sorted(seeds)}


def pooled_difference(
    results: Results, sweep: str, more: str, less: str, loads: Sequence[float], measure: Measure = reads_missed
) -> Interval:
    """How much more one policy has than another in the mean over loads, seed by seed."""
    upper, lower = (pooled(results, label, sweep, loads, measure) for label in (more, less))
    return interval([upper[seed] - lower[seed] for seed in upper if seed in lower])


def pooled_ratio(
    results: Results, sweep: str, over: str, under: str, loads: Sequence[float], measure: Measure = reads_missed
) -> Interval:
    """The ratio of two policies' means over loads, seed by seed."""
    upper, lower = (pooled(results, label, sweep, loads, measure) for label in (over, under))
    return interval([upper[seed] / lower[seed] for seed in upper if seed in lower])


def least(results: Results, sweep: str, labels: Sequence[str], load: float, measure: Measure) -> str:
    """The policy with the least of a measure."""
    return min(labels, key=lambda label: at(results, label, load, sweep, measure).mean)


def most(results: Results, sweep: str, labels: Sequence[str], load: float, measure: Measure) -> str:
    """The policy with the most of a measure."""
    return max(labels, key=lambda label: at(results, label, load, sweep, measure).mean)


def difference(
    results: Results, sweep: str, more: str, less: str, load: float, measure: Measure = reads_missed,
    low: float = 0, high: float = INFINITE, form: str = PERCENT,
) -> Finding:  # fmt: skip
    """How much more one policy has than another, seed by seed."""
    value = results.difference(Point(more, load, sweep), Point(less, load, sweep), measure)
    return Finding(f"{more} - {less} at {load:g}", value, low, high, form)


def ratio(
    results: Results, sweep: str, over: str, under: str, load: float, low: float, high: float,
    measure: Measure = reads_missed,
) -> Finding:  # fmt: skip
    """One policy's measure over another's, seed by seed."""
    value = results.ratio(Point(over, load, sweep), Point(under, load, sweep), measure)
    return Finding(f"{over} / {under} at {load:g}", value, low, high)


def change(
    results: Results, sweep: str, label: str, first: float, last: float, measure: Measure = reads_missed,
    low: float = -INFINITE, high: float = INFINITE, form: str = PERCENT,
) -> Finding:  # fmt: skip
    """How much more a policy has at the last load than at the first. The seeds are the same; the requests may differ."""
    value = results.difference(Point(label, last, sweep), Point(label, first, sweep), measure)
    return Finding(f"{label}, {first:g} to {last:g}", value, low, high, form)


def is_best(
    results: Results,
    sweep: str,
    label: str,
    labels: Sequence[str],
    loads: Sequence[float],
    measure: Measure = reads_missed,
) -> list[Finding]:
    """At each load, how much more the best of the other policies misses than `label`."""
    others = [other for other in labels if other != label]
    return [
        difference(results, sweep, least(results, sweep, others, load, measure), label, load, measure) for load in loads
    ]


Check = Callable[[Results], list[Finding]]


def about(number: float) -> tuple[float, float]:
    """The range that the word "approximately" allows."""
    return number * (1 - ABOUT), number * (1 + ABOUT)


def about_tenths(number: float) -> tuple[float, float]:
    """The range for a number that the paper worked out rather than read off a figure: within 1 %."""
    return number * 0.99, number * 1.01


def near(sweep: str, one: str, other: str, measure: Measure = reads_missed, within: float = CLOSE) -> Check:
    """The check that one policy's measure is close to another's at each load."""
    return lambda results: [
        ratio(results, sweep, one, other, load, 1 - within, 1 + within, measure)
        for load in loads_of(results, sweep, (one, other))
    ]


def best_everywhere(sweep: str, labels: tuple[str, ...], low: float = -INFINITE) -> Check:
    """The check that fdscan beats the best of the others at each load from `low` on."""
    return lambda results: is_best(results, sweep, "fdscan", labels, loads_of(results, sweep, labels, low))


def edf_deteriorates(sweep: str, beyond: float, others: tuple[str, ...]) -> Check:
    """The check that edf misses more than `others` beyond a rate, and that its misses keep rising."""

    def check(results: Results) -> list[Finding]:
        loads = loads_of(results, sweep, (*others, "edf"), beyond)
        findings = [
            difference(results, sweep, "edf", most(results, sweep, others, load, reads_missed), load)
            for load in loads
            if load > beyond
        ]
        findings.append(change(results, sweep, "edf", loads[0], loads[-1], low=2 * 10))
        return findings

    return check


def second_best(sweep: str, label: str, best: str, load: float) -> Check:
    """The check that all policies but `best` miss more than `label`."""
    return lambda results: is_best(
        results, sweep, label, [other for other in (ALL if sweep == EQUAL else MANAGED) if other != best], [load]
    )
