# SPDX-License-Identifier: Apache-2.0
"""Which of some candidates is best under a load, which one is second, and whether the two can be told apart.

All candidates serve the same requests, which are divided into consecutive batches. The difference of two candidates is taken in
each batch: the method of batch means (Law and Kelton, Simulation Modeling and Analysis, 9.5.3). The means of batches are nearly
independent where single response times are not, and Student's t gives the interval of their mean difference.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "experiment"))

from interval import Interval, interval  # noqa: E402


@dataclass(frozen=True)
class Criterion:
    """A figure of a run; less is better."""

    name: str  # of the command line, and of the figure in a run's result
    words: str
    unit: str
    form: str
    batches: str = ""  # the figure's means by batch; "": it has none, and no interval


MISSED = Criterion("missed", "misses", "% of deadlines", "{:.2f}", "missed_batches")
MEAN = Criterion("mean_ms", "mean response", "ms", "{:.3f}", "mean_batches")
TAIL = Criterion("p999_ms", "99.9th percentile", "ms", "{:.2f}")
LONGEST = Criterion("longest_ms", "longest response", "ms", "{:.1f}")
CRITERIA = {"mean": MEAN, "p999": TAIL, "longest": LONGEST, "missed": MISSED}
COSTS = ("firmware_cycles",)
FIRST = "fcfs"  # what the others are compared with


@dataclass(frozen=True)
class Candidate:
    """A policy and the figures of its run."""

    name: str
    figures: dict[str, Any]

    @property
    def service(self) -> dict[str, Any]:
        """The figures without what they cost the firmware."""
        return {name: figure for name, figure in self.figures.items() if name not in COSTS}

    def value(self, criterion: Criterion) -> float:
        """The figure of a criterion."""
        return float(self.figures[criterion.name])


@dataclass(frozen=True)
class Advice:
    """The best candidate, and how far the others are from it."""

    criterion: Criterion
    ranked: tuple[Candidate, ...]  # from the best to the worst

    @property
    def best(self) -> Candidate:
        """The best of them."""
        return self.ranked[0]

    @property
    def alike(self) -> tuple[Candidate, ...]:
        """Candidates that served every request as the best one did, by all figures of the service."""
        return tuple(one for one in self.ranked[1:] if one.service == self.best.service)

    @property
    def second(self) -> Candidate | None:
        """The best of those that differ from the best; None if there is none."""
        return next((one for one in self.ranked[1:] if one.service != self.best.service), None)

    def difference(self, other: Candidate) -> Interval | None:
        """What the other candidate has more, as the mean over the batches; None if the criterion has no batches."""
        pairs = zip(other.figures.get(self.criterion.batches, ()), self.best.figures.get(self.criterion.batches, ()), strict=True)
        differences = [theirs - ours for theirs, ours in pairs]
        return interval(differences) if len(differences) > 1 else None

    def is_told_from(self, other: Candidate) -> bool:
        """Whether the whole interval of the difference is above 0."""
        found = self.difference(other)
        return found is not None and found.low > 0


def advise(candidates: Sequence[Candidate], criterion: Criterion) -> Advice:
    """Ranks candidates, of which there is at least one. Equal values are ranked by the mean response, then by their order here."""
    ranked = sorted(candidates, key=lambda one: (one.value(criterion), one.value(MEAN)))
    return Advice(criterion, tuple(ranked))


def criterion_of(candidates: Sequence[Candidate]) -> Criterion:
    """What counts if nothing is asked for: misses where requests have deadlines, else the mean response."""
    return MISSED if any(one.figures["with_deadline"] for one in candidates) else MEAN


def sentences(advice: Advice) -> list[str]:
    """The advice in words, with numbers."""
    criterion, best = advice.criterion, advice.best
    number = lambda one: f"{criterion.form.format(one.value(criterion))} {criterion.unit}"  # noqa: E731
    first = next((one for one in advice.ranked if one.name == FIRST), None)
    than = f"; {FIRST}: {number(first)}" if first is not None and first is not best else ""
    text = [f"{best.name}: {criterion.words} {number(best)}{than}."]
    if advice.alike:
        text.append(f"The same service, request for request: {', '.join(one.name for one in advice.alike)}.")
    second = advice.second
    if second is None:
        return [*text, "No candidate serves this load in another way."] if len(advice.ranked) > 1 else text
    found = advice.difference(second)
    if found is None:
        told = "a single number, which has no interval"
    else:
        more = f"{criterion.form.format(found.mean)} ± {criterion.form.format(found.half)} {criterion.unit.partition(' ')[0]} more"
        told = f"{more}, so the difference can be told" if found.low > 0 else f"{more}: the difference cannot be told"
    return [*text, f"Second best is {second.name}: {number(second)}, {told}."]
