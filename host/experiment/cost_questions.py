# SPDX-License-Identifier: Apache-2.0
"""The questions of a declaration of `cost` as claims: each has numbers, and a range in which its sentence is true.

A number is of one place: a policy at one load of a sweep on one drive. It is, seed by seed,

    ratio       the measure on `platform`, over the one at the place `over` (default: on the platform `ideal`)
    difference  the first less the second
    share       with `part`: the measure on its first platform less that on its second, as a share of that difference, in percent

With `less` the same number of another place is subtracted from it.
"""

from dataclasses import dataclass, replace
from typing import Any

from claims import AT, INFINITE, Claim, Finding
from cost_load import Costs, CostSweep, sweep_on
from cost_sweeps import DIFFERENCE
from interval import Interval, interval
from results import Missing, Point, Results, take

IDEAL, CHARGED = "ideal", "charged"

Table = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where a number is taken."""

    sweep: str
    drive: str
    policy: str
    at: float
    platform: str = CHARGED

    def moved(self, changes: Table) -> "Place":
        """The place with some of its parts replaced."""
        return replace(self, **changes)

    def point(self) -> Point:
        """The place among the results."""
        return Point(self.policy, self.at, sweep_on(self.sweep, self.drive), self.platform)

    def text(self) -> str:
        """The place on a page."""
        return f"{self.drive}, {self.policy}{AT}{self.at:g}"


def values(results: Results, place: Place, measure: str) -> dict[int, float]:
    """The measure of each seed, where runs have it. Raises Missing."""
    found = {seed: take(result, measure) for seed, result in results.seeds_at(place.point()).items() if measure in result}
    if not found:
        raise Missing(f"{measure} of {place.text()}")
    return found


def _number(results: Results, question: Table, place: Place) -> dict[int, float]:
    """The number of a place by seed. Raises Missing."""
    measure = question["measure"]
    ours, other = (values(results, one, measure) for one in (place, place.moved(question.get("over", {"platform": IDEAL}))))
    seeds = [seed for seed in ours if seed in other]
    if "part" in question:
        upper, lower = (values(results, place.moved({"platform": name}), measure) for name in question["part"])
        whole = {seed: ours[seed] - other[seed] for seed in seeds if ours[seed] != other[seed] and seed in upper and seed in lower}
        return {seed: 100 * (upper[seed] - lower[seed]) / difference for seed, difference in whole.items()}
    if question.get("as") == DIFFERENCE:
        return {seed: ours[seed] - other[seed] for seed in seeds}
    return {seed: ours[seed] / other[seed] for seed in seeds}


def number_of(results: Results, question: Table, place: Place) -> Interval:
    """The number of a place, less that of another one if the question has it. Raises Missing."""
    found = _number(results, question, place)
    if "less" in question:
        other = _number(results, question, place.moved(question["less"]))
        found = {seed: value - other[seed] for seed, value in found.items() if seed in other}
    if not found:
        raise Missing(f"a seed of all runs of {place.text()}")
    return interval([found[seed] for seed in sorted(found)])


def _sweep(costs: Costs, name: str) -> CostSweep:
    return next(sweep for sweep in costs.sweeps if sweep.name == name)


def places_of(results: Results, costs: Costs, question: Table) -> list[Place]:
    """The places of a question's numbers, as far as there are runs."""
    name, platform = question["sweep"], question.get("platform", CHARGED)
    places = []
    for drive in question.get("drive", _sweep(costs, name).drives):
        part = sweep_on(name, drive)
        for policy in question.get("policy", results.labels(part)):
            for at in results.loads(policy, part, platform):
                place = Place(name, drive, policy, at, platform)
                if at in question.get("at", (at,)) and ("less" not in question or place.moved(question["less"]) != place):
                    places.append(place)
    return places


def findings(results: Results, costs: Costs, question: Table) -> list[Finding]:
    """The numbers of a question, each with the range in which its sentence is true."""
    low, high = question.get("at_least", -INFINITE), question.get("at_most", INFINITE)
    form = "{:.1f}" if "part" in question else "{:.3f}"
    found = []
    for place in places_of(results, costs, question):
        try:
            value = number_of(results, question, place)
        except Missing:
            continue
        found.append(Finding(place.text(), value, low, high, form))
    return found


def questions(costs: Costs) -> list[Claim]:
    """The questions in the order of the declaration."""

    def claim(question: Table) -> Claim:
        return Claim(question["sweep"], question["says"], lambda results: findings(results, costs, question), question.get("why_not", ""))

    return [claim(question) for question in costs.questions]
