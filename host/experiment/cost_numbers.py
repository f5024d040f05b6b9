# SPDX-License-Identifier: Apache-2.0
"""The numbers of the page of `cost`: what requests have more, what each part of the electronics adds, and the core's cycles."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cost_load import DEPTH, SIZE, Costs, CostSweep, sweep_on
from cost_questions import CHARGED, IDEAL
from interval import Interval
from results import Measure, Missing, Point, Result, Results

US_PER_MS = 1000.0
REQUEST, MEAN, TAIL = "request_ms", "response_mean_ms", "response_p999_ms"
# Platforms from ideal electronics to the drive's own. Each adds to the one before what stands beside it.
LADDER = {"bus": "bus", "margin": "predictor's margin", "accesses": "register accesses", CHARGED: "instructions"}
CASE_HEAD = ("load", "drive", "policy", "at")
UNITS = {DEPTH: " outstanding", SIZE: " KB"}
AXIS_NAMES = {DEPTH: "commands outstanding", SIZE: "KB a request"}


def longer(results: Results, sweep: str, policy: str, load: float, measure: Measure = REQUEST) -> Interval:
    """What the measure has more on the drive's own electronics, in percent of ideal ones. Raises Missing."""
    charged, ideal = (Point(policy, load, sweep, platform) for platform in (CHARGED, IDEAL))
    return results.ratio(charged, ideal, measure).percent_more()


def compared(costs: Costs) -> list[CostSweep]:
    """The sweeps that compare ideal electronics with the drive's own, and have no other platform."""
    return [sweep for sweep in costs.sweeps if set(sweep.platforms) == {IDEAL, CHARGED}]


def loads_of(results: Results, costs: CostSweep) -> list[float]:
    """The loads of a sweep on any of its drives."""
    parts = [sweep_on(costs.name, drive) for drive in costs.drives]
    return sorted({load for part in parts for policy in results.labels(part) for load in results.loads(policy, part, CHARGED)})


def longer_over(results: Results, sweep: CostSweep, drive: str, policy: str) -> list[tuple[float, Interval]]:
    """Loads, and what the time of a request has more at each, as far as there are runs."""
    part, points = sweep_on(sweep.name, drive), []
    for load in loads_of(results, sweep):
        try:
            points.append((load, longer(results, part, policy, load)))
        except Missing:
            continue
    return points


@dataclass(frozen=True)
class Case:
    """A policy under one load of a sweep on one drive."""

    sweep: CostSweep
    drive: str
    policy: str
    load: float

    @property
    def part(self) -> str:
        """The sweep's part on the drive."""
        return sweep_on(self.sweep.name, self.drive)

    @property
    def cells(self) -> list[str]:
        """The case as cells of a table with the head CASE_HEAD."""
        return [self.sweep.title, self.drive, self.policy, f"{self.load:g}{UNITS[self.sweep.axis]}"]

    def point(self, platform: str) -> Point:
        """Its runs on a platform."""
        return Point(self.policy, self.load, self.part, platform)


def cases_of(results: Results, costs: Costs) -> Iterator[Case]:
    """All cases that were run on the drive's own electronics, in the order of the declaration."""
    for sweep in costs.sweeps:
        for drive in sweep.drives:
            part = sweep_on(sweep.name, drive)
            for policy in results.labels(part):
                for load in results.loads(policy, part, CHARGED):
                    yield Case(sweep, drive, policy, load)


def ladder_cases(results: Results, costs: Costs) -> list[Case]:
    """The cases with the whole ladder."""
    platforms = (IDEAL, *LADDER)
    return [case for case in cases_of(results, costs) if all(case.load in results.loads(case.policy, case.part, one) for one in platforms)]


def ledger_cases(results: Results, costs: Costs) -> list[Case]:
    """The cases whose runs have a ledger."""
    return [case for case in cases_of(results, costs) if all("parts" in run for run in results.seeds_at(case.point(CHARGED)).values())]


def steps_us(results: Results, case: Case) -> list[Interval]:
    """What each platform of the ladder adds to the time of a request, in microseconds."""
    names = [IDEAL, *LADDER]
    pairs = zip(names, names[1:], strict=False)
    return [results.difference(case.point(upper), case.point(lower), REQUEST).scaled(US_PER_MS) for lower, upper in pairs]


def a_request(take: Callable[[Result], float]) -> Callable[[Result], float]:
    """A number of a run, for each of its requests."""
    return lambda result: take(result) / result["requests"]


def part_cycles(results: Results, case: Case, part: str) -> Interval:
    """The core's cycles for a request in a part of the firmware."""
    return results.mean(case.point(CHARGED), a_request(lambda result: result["parts"].get(part, 0)))
