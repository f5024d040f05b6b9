# SPDX-License-Identifier: Apache-2.0
"""Which policy a kind of load should have: the choice, what other loads say of it, and where a policy is slower than fcfs.

A *cell* is a load on a drive. In a cell a policy's number is divided by that of fcfs, seed by seed: with equal seeds all policies
serve the same requests. Over cells the geometric mean is taken, which does not depend on the policy that divides. (Fleming and
Wallace, How not to lie with statistics, 1986.) Its interval is Student's t of the logarithms over the seeds. Misses are percentages,
and have their plain mean.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import rules
from interval import Interval, interval
from pictures import WIDTH_IN
from policy_loads import CHARGED, FIRST
from policy_study import Kind, PolicyLoad, Study
from results import Measure, Missing, Point, Result, Results, take
from style import new_figure, save

MEAN, TAIL, LONGEST, MISSED, RATE = "mean_ms", "p999_ms", "longest_ms", "missed", "commands_per_second"
TAIL_OF = 1000  # requests of which there is a 99.9th percentile below the longest response
FEW = 5  # policies of a kind's table, beside the chosen ones and fcfs
PICTURE_FROM, PICTURE_TO = 0.25, 4.0  # factors at the ends of the picture's scale

Cell = tuple[PolicyLoad, int]  # a load, and the drive's place in the declaration


def cycles(result: Result) -> float:
    """The firmware's cycles for a command, those of the warm-up included."""
    return float(result["firmware_cycles"]) / (float(result["commands"]) + result.get("warm_up_commands", 0))


@dataclass(frozen=True)
class Ratio:
    """A geometric mean with the ends of its interval."""

    mean: float
    low: float
    high: float

    def more_text(self) -> str:
        """What the upper one has more, in percent of the lower one."""
        mean, low, high = (100 * (one - 1) for one in (self.mean, self.low, self.high))
        return f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"


@dataclass(frozen=True)
class Judge:
    """The cells of some loads, and how policies compare over them."""

    results: Results
    loads: Sequence[PolicyLoad]
    drives: int

    @property
    def cells(self) -> list[Cell]:
        """Every load on every drive."""
        return [(load, drive) for load in self.loads for drive in range(self.drives)]

    def cells_of(self, measure: Measure) -> list[Cell]:
        """The cells that have a measure: a percentile of a few requests is the longest of them. Raises Missing."""
        if measure != TAIL:
            return self.cells
        return [cell for cell in self.cells if all(run["commands"] >= TAIL_OF for run in self.at(cell, FIRST).values())]

    def at(self, cell: Cell, policy: str) -> dict[int, Result]:
        """The runs of a policy in a cell, by seed. Raises Missing."""
        load, drive = cell
        return self.results.seeds_at(Point(policy, drive, load.name, CHARGED))

    def _by_seed(self, cells: Sequence[Cell], one: Callable[[Cell, int], float]) -> list[float]:
        """The mean over the cells, for each seed that all of them have. Raises Missing if there is no cell."""
        if not cells:
            raise Missing(f"load with {TAIL_OF:,} requests")
        seeds = sorted(set.intersection(*(set(self.at(cell, FIRST)) for cell in cells)))
        return [math.fsum(one(cell, seed) for cell in cells) / len(cells) for seed in seeds]

    def ratio(self, policy: str, measure: Measure, other: str = FIRST, cells: Sequence[Cell] | None = None) -> Ratio:
        """A policy's number over another's: the geometric mean over the cells. Raises Missing."""

        def logarithm(cell: Cell, seed: int) -> float:
            return math.log(take(self.at(cell, policy)[seed], measure) / take(self.at(cell, other)[seed], measure))

        found = interval(self._by_seed(self.cells_of(measure) if cells is None else cells, logarithm))
        return Ratio(math.exp(found.mean), math.exp(found.low), math.exp(found.high))

    def mean(self, policy: str, measure: Measure) -> Interval:
        """A policy's number: the mean over the cells. Raises Missing."""
        return interval(self._by_seed(self.cells, lambda cell, seed: take(self.at(cell, policy)[seed], measure)))

    def is_better(self, policy: str, other: str, measure: Measure) -> bool:
        """Whether a policy's number is less than another's, by the whole interval. Raises Missing."""
        if measure == MISSED:
            return self.points(other, policy).low > 0
        return self.ratio(other, measure, policy).low > 1

    def points(self, policy: str, other: str) -> Interval:
        """By how many points a policy misses more deadlines than another. Raises Missing."""

        def more(cell: Cell, seed: int) -> float:
            ours, theirs = (take(self.at(cell, one)[seed], MISSED) for one in (policy, other))
            return ours - theirs

        return interval(self._by_seed(self.cells, more))

    def score(self, policy: str, measure: Measure) -> float:
        """The number by which policies are ranked; less is better. Raises Missing."""
        return self.mean(policy, measure).mean if measure == MISSED else self.ratio(policy, measure).mean

    def ranked(self, policies: Sequence[str], measure: Measure) -> list[str]:
        """The policies from the best to the worst. Equal ones keep their order. Raises Missing."""
        return sorted(policies, key=lambda policy: self.score(policy, measure))

    def choice(self, policies: Sequence[str], measure: Measure) -> str:
        """The best policy, or fcfs if the best one cannot be told from it. Raises Missing."""
        best = self.ranked(policies, measure)[0]
        return best if self.is_better(best, FIRST, measure) else FIRST

    def worst(self, policy: str, measure: Measure) -> tuple[Cell, Ratio]:
        """The cell in which a policy is worst beside fcfs, and its ratio there. Raises Missing."""
        found = [(cell, self.ratio(policy, measure, cells=[cell])) for cell in self.cells]
        return max(found, key=lambda one: one[1].mean)


@dataclass(frozen=True)
class Choice:
    """The policy of a kind by one measure, and what the judging loads say of it."""

    measure: str
    policy: str
    judge: Judge
    policies: tuple[str, ...]

    @cached_property
    def best(self) -> str:
        """The policy that is best under the judging loads."""
        return self.judge.ranked(self.policies, self.measure)[0]

    @property
    def is_confirmed(self) -> bool:
        """Whether the judging loads confirm that the policy is better than fcfs."""
        return self.policy != FIRST and self.judge.is_better(self.policy, FIRST, self.measure)

    def taken_text(self) -> str:
        """The policy to take, in words: fcfs if the judging loads do not confirm the choice."""
        return f"`{self.policy}`" if self.is_confirmed or self.policy == FIRST else f"`{FIRST}` (`{self.policy}` was not confirmed)"

    def gain_text(self) -> str:
        """What the choice changes against fcfs, in words."""
        if self.policy == FIRST:
            return "-"
        if self.measure == MISSED:
            ours, theirs = (self.judge.mean(one, MISSED).text("{:.1f}") for one in (self.policy, FIRST))
            return f"misses {ours} % in place of {theirs} %"
        return f"{self.judge.ratio(self.policy, self.measure).more_text()} %"

    def behind_text(self) -> str:
        """How far the choice is behind the best one of the judging loads, in words."""
        if self.best == self.policy:
            return "the best here, too"
        if not self.judge.is_better(self.best, self.policy, self.measure):
            return f"cannot be told from `{self.best}`"
        if self.measure == MISSED:
            return f"{self.judge.points(self.policy, self.best).text('{:.1f}')} points behind `{self.best}`"
        ratio = self.judge.ratio(self.policy, self.measure, self.best)
        if ratio.high < 1 + rules.SAME.bound:
            return f"the same as `{self.best}`"
        return f"{ratio.more_text()} % behind `{self.best}`"


def has_deadlines(results: Results, load: PolicyLoad) -> bool:
    """Whether requests of a load have deadlines. Raises Missing."""
    return any(one["with_deadline"] for one in results.seeds_at(Point(FIRST, 0, load.name, CHARGED)).values())


def choices(results: Results, study: Study, kind: str) -> tuple[Choice, ...]:
    """The choice by each measure: first by what counts for the kind, then by another one that its loads have. Raises Missing."""
    chooses, judges = (Judge(results, study.of_kind(kind, judging), len(study.drives)) for judging in (False, True))
    wanted = (MISSED, MEAN) if has_deadlines(results, chooses.loads[0]) else (MEAN, TAIL)
    measures = [measure for measure in wanted if chooses.cells_of(measure) and judges.cells_of(measure)]
    return tuple(Choice(measure, chooses.choice(study.policies, measure), judges, study.policies) for measure in measures)


Chosen = dict[str, tuple[Choice, ...]]  # by the name of a kind


NAMES = {MEAN: "mean response", TAIL: "99.9th percentile", MISSED: "missed deadlines"}


def answer_table(study: Study, chosen: Chosen) -> str:
    """The answer for each kind of load, in Markdown. Raises Missing."""
    lines = ["| load | what counts | take | the choice over `fcfs` | best under these loads |", "|---|---|---|---|---|"]
    for kind in study.kinds:
        for place, choice in enumerate(chosen[kind.name]):
            name = f"**{kind.name}.** {kind.words}" if place == 0 else ""
            lines.append(f"| {name} | {NAMES[choice.measure]} | {choice.taken_text()} | {choice.gain_text()} | {choice.behind_text()} |")
    return "\n".join(lines)


def _policies_table(study: Study, chosen: Sequence[Choice]) -> str:
    """The best policies of a kind under the judging loads."""
    judge, measure = chosen[0].judge, chosen[0].measure
    ranked = judge.ranked(study.policies, measure)
    shown = [one for one in ranked if one in ranked[:FEW] or one in (FIRST, *(choice.policy for choice in chosen))]
    misses = ["missed, %"] if measure == MISSED else []
    lines = ["| " + " | ".join(["policy", *misses, "mean", "99.9 %", "longest", "cycles a command", "worst mean of a cell"]) + " |"]
    lines.append("|---" * (6 + len(misses)) + "|")
    for policy in shown:
        mark = "**" if policy in [choice.policy for choice in chosen] else ""
        cells = [f"{mark}`{policy}`{mark}"]
        cells += [judge.mean(policy, MISSED).text("{:.1f}")] if misses else []
        cells += [judge.ratio(policy, one).more_text() if policy != FIRST and judge.cells_of(one) else "" for one in (MEAN, TAIL, LONGEST)]
        cells.append(f"{judge.mean(policy, cycles).mean:,.0f}")
        (load, drive), ratio = judge.worst(policy, MEAN)
        cells.append("" if policy == FIRST else f"{ratio.more_text()}: {load.name}, {study.drives[drive].name}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _drives_table(study: Study, choice: Choice) -> str:
    """The chosen policy beside fcfs in every judging cell."""
    columns = [(RATE, "requests/s", "{:.1f}"), (MEAN, "mean, ms", "{:.1f}"), (TAIL, "99.9 %, ms", "{:.0f}"), (LONGEST, "longest, ms", "{:.0f}")]
    columns += [(MISSED, "missed, %", "{:.1f}")] if choice.measure == MISSED else []
    lines = ["| load | drive | policy | " + " | ".join(heading for _, heading, _ in columns) + " |", "|---" * (3 + len(columns)) + "|"]
    for load, drive in choice.judge.cells:
        for policy in dict.fromkeys((FIRST, choice.policy)):
            runs = choice.judge.at((load, drive), policy).values()
            cells = [interval([float(run[measure]) for run in runs]).text(form) for measure, _, form in columns]
            lines.append(f"| {load.name} | {study.drives[drive].name} | `{policy}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _load_line(load: PolicyLoad, study: Study) -> str:
    """How a load is made, for a reader who wants to repeat it."""
    settings = [f"depth={load.depth}"] if load.depth else []
    more = "".join(f" `{one}`" for one in [*settings, *load.settings])
    if load.trace:
        return f"- {load.name}: `{load.trace.name}`, a part for each seed, in a closed loop;{more}"
    return f"- {load.name}: `headstack trace synth {' '.join(load.words_on(study.drives[0]))}`;{more or ' open'}"


def _kind_section(study: Study, kind: Kind, chosen: Sequence[Choice]) -> str:
    chooses, judges = (study.of_kind(kind.name, judging) for judging in (False, True))
    lists = ["\n".join(_load_line(load, study) for load in loads) for loads in (chooses, judges)]
    return f"""### {kind.name}

{kind.words} Loads that choose, as they are on `{study.drives[0].name}`:

{lists[0]}

Loads that judge:

{lists[1]}

What each policy has more than `fcfs` under the loads that judge, in percent. The chosen ones are bold. The 99.9th percentile is of
loads with {TAIL_OF:,} requests or more:

{_policies_table(study, chosen)}

{_drives_table(study, chosen[0])}
"""


@dataclass(frozen=True)
class Slower:
    """A load under which a policy is slower than fcfs, and the drive on which it is slowest."""

    load: PolicyLoad
    ratio: Ratio  # the mean over the drives
    drive: int
    there: Ratio


def slower(results: Results, study: Study) -> dict[str, list[Slower]]:
    """By policy, the loads under which its mean response is longer than that of fcfs, in the mean over the drives.

    The whole interval is above what counts as the same (rules.py). Raises Missing.
    """
    found: dict[str, list[Slower]] = {}
    for policy in study.policies:
        for load in study.loads:
            judge = Judge(results, [load], len(study.drives))
            ratio = judge.ratio(policy, MEAN)
            if ratio.low > 1 + rules.SAME.bound:
                (_, drive), there = judge.worst(policy, MEAN)
                found.setdefault(policy, []).append(Slower(load, ratio, drive, there))
    return found


def _slower_table(results: Results, study: Study) -> str:
    lines = ["| policy | load | more, % | most | on |", "|---|---|---|---|---|"]
    for policy, loads in slower(results, study).items():
        for one in loads:
            lines.append(f"| `{policy}` | {one.load.name} | {one.ratio.more_text()} | {one.there.more_text()} | {study.drives[one.drive].name} |")
    return "\n".join(lines)


def keeps_up(results: Results, study: Study) -> str:
    """Drives on which fcfs serves fewer requests than arrive, of loads for which the declaration says otherwise. Raises Missing."""
    kinds = {kind.name for kind in study.kinds if kind.fcfs_keeps_up}
    found = []
    for load in study.loads:
        for place, drive in enumerate(study.drives if load.kind in kinds else ()):
            served = results.mean(Point(FIRST, place, load.name, CHARGED), RATE)
            if served.mean < (1 - rules.ALIKE.bound) * load.offered_on(drive):
                found.append(f"- {load.name} on `{drive.name}`: {served.text('{:.1f}')} of {load.offered_on(drive):.1f} requests a second\n")
    return "Where `fcfs` was to keep up and does not:\n\n" + "".join(found) if found else ""


def _units_section(results: Results, study: Study) -> str:
    """The unit of a load's times beside the mean response with one outstanding; empty without such a load."""
    alone = [load for load in study.loads if load.depth == 1]
    if not alone:
        return ""
    lines = ["| drive | unit, ms | measured, ms |", "|---|---|---|"]
    for place, drive in enumerate(study.drives):
        measured = results.mean(Point(FIRST, place, alone[0].name, CHARGED), MEAN)
        lines.append(f"| `{drive.name}` | {drive.access_ms:g} | {measured.text('{:.2f}')} |")
    table = "\n".join(lines)
    return f"""## The unit of times

Rates, periods and slacks of loads are in accesses of the drive. The declaration has the unit. The load "{alone[0].name}" has measured
it:

{table}
"""


def draw_which_policy(results: Results, study: Study, folder: Path) -> None:
    """Draws policies.png: mean responses over those of fcfs, by policy and kind of load. Raises OSError and Missing."""
    values = [
        [Judge(results, [load for load in study.loads if load.kind == kind.name], len(study.drives)).ratio(policy, MEAN).mean
         for kind in study.kinds]
        for policy in study.policies
    ]  # fmt: skip
    figure = new_figure(WIDTH_IN, 0.27 * len(study.policies) + 2.2, "Mean response beside that of fcfs (blue: shorter)")
    axes = figure.subplots()
    ends = [math.log(PICTURE_FROM), math.log(PICTURE_TO)]
    axes.imshow([[math.log(one) for one in row] for row in values], cmap="RdBu_r", vmin=ends[0], vmax=ends[1], aspect="auto")
    for at, row in enumerate(values):
        for place, value in enumerate(row):
            light = abs(math.log(value)) > 0.6 * ends[1]
            axes.text(place, at, f"{value:.2f}", ha="center", va="center", fontsize=6.5, color="white" if light else "black")
    axes.set_yticks(range(len(study.policies)), study.policies)
    axes.set_xticks(range(len(study.kinds)), [kind.name for kind in study.kinds], rotation=40, ha="right")
    axes.grid(visible=False)
    save(figure, folder / "policies.png")


def which_policy_page(results: Results, study: Study) -> str:
    """The page's body in Markdown. Raises Missing."""
    chosen = {kind.name: choices(results, study, kind.name) for kind in study.kinds}
    sections = "\n".join(_kind_section(study, kind, chosen[kind.name]) for kind in study.kinds)
    return f"""## The answer

All policies have their default parameters, unless their name has others. For each kind of load, some loads on {len(study.drives)} drives
choose the policy that is best in the mean. It is `fcfs` if the best one cannot be told from it. Other loads judge the choice, and the
numbers are theirs. If they do not confirm a gain over `fcfs`, that is the policy to take.

{answer_table(study, chosen)}

![policies](policies.png)

## Where a policy is slower than `fcfs`

Loads under which a policy's mean response is longer than that of `fcfs` in the mean over the drives, by more than
{100 * rules.SAME.bound:.0f} %. The last columns have the drive on which it is longest:

{_slower_table(results, study)}

{_units_section(results, study)}
{keeps_up(results, study)}
## Each kind of load

{sections}"""
