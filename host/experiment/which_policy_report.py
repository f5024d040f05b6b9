# SPDX-License-Identifier: Apache-2.0
"""Which policy a kind of load should have: the choice, what other loads say of it, and where a policy is slower than fcfs.

A *cell* is a load on a drive. In a cell a policy's number is divided by that of fcfs, seed by seed: with equal seeds all policies
serve the same requests. Over cells the geometric mean is taken, which does not depend on the policy that divides (Fleming, Wallace:
How not to lie with statistics, 1986). Misses are percentages, and have their plain mean. Intervals are Student's t over the seeds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import rules
from interval import Interval, interval
from pictures import WIDTH_IN
from policy_loads import CHARGED, FIRST
from policy_study import PolicyLoad, Study
from results import Measure, Point, Result, Results
from style import new_figure, save

MEAN, TAIL, LONGEST, MISSED, RATE = "mean_ms", "p999_ms", "longest_ms", "missed", "commands_per_second"
FEW = 5  # policies of a kind's table, beside the chosen ones and fcfs
PICTURE_FROM, PICTURE_TO = 0.25, 4.0  # factors at the ends of the picture's scale

Cell = tuple[PolicyLoad, int]  # a load, and the drive's place in the declaration


def cycles(result: Result) -> float:
    """The firmware's cycles for a command."""
    return float(result["firmware_cycles"]) / float(result["commands"])


def _value(result: Result, measure: Measure) -> float:
    return measure(result) if callable(measure) else float(result[measure])


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

    def at(self, cell: Cell, policy: str) -> dict[int, Result]:
        """The runs of a policy in a cell, by seed. Raises Missing."""
        load, drive = cell
        return self.results.seeds_at(Point(policy, drive, load.name, CHARGED))

    def _by_seed(self, cells: Sequence[Cell], one: Callable[[Cell, int], float]) -> list[float]:
        """The mean over the cells, for each seed that all of them have."""
        seeds = sorted(set.intersection(*(set(self.at(cell, FIRST)) for cell in cells)))
        return [math.fsum(one(cell, seed) for cell in cells) / len(cells) for seed in seeds]

    def ratio(self, policy: str, measure: Measure, other: str = FIRST, cells: Sequence[Cell] | None = None) -> Interval:
        """A policy's number over another's: the geometric mean over the cells. Raises Missing."""

        def logarithm(cell: Cell, seed: int) -> float:
            return math.log(_value(self.at(cell, policy)[seed], measure) / _value(self.at(cell, other)[seed], measure))

        found = interval(self._by_seed(cells or self.cells, logarithm))
        middle = math.exp(found.mean)
        return Interval(middle, middle * found.half, found.count)

    def mean(self, policy: str, measure: Measure) -> Interval:
        """A policy's number: the mean over the cells. Raises Missing."""
        return interval(self._by_seed(self.cells, lambda cell, seed: _value(self.at(cell, policy)[seed], measure)))

    def difference(self, policy: str, other: str, measure: Measure) -> Interval:
        """What a policy has more than another: of misses the difference, of other numbers that of the logarithms. Raises Missing."""

        def more(cell: Cell, seed: int) -> float:
            ours, theirs = (_value(self.at(cell, one)[seed], measure) for one in (policy, other))
            return ours - theirs if measure == MISSED else math.log(ours / theirs)

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
        return best if self.difference(FIRST, best, measure).low > 0 else FIRST

    def worst(self, policy: str, measure: Measure) -> tuple[Cell, Interval]:
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

    @property
    def best(self) -> str:
        """The policy that is best under the judging loads."""
        return self.judge.ranked(self.policies, self.measure)[0]

    def gain_text(self) -> str:
        """What the choice brings over fcfs, in words."""
        if self.policy == FIRST:
            return "-"
        if self.measure == MISSED:
            ours, theirs = (self.judge.mean(one, MISSED).mean for one in (self.policy, FIRST))
            return f"misses {ours:.1f} % in place of {theirs:.1f} %"
        found = self.judge.ratio(self.policy, self.measure).percent_more()
        return f"{found.mean:+.0f} ± {found.half:.0f} %"

    def behind_text(self) -> str:
        """How far the choice is behind the best one of the judging loads, in words."""
        if self.best == self.policy:
            return "the best here, too"
        if self.judge.difference(self.policy, self.best, self.measure).low <= 0:
            return f"cannot be told from `{self.best}`"
        if self.measure == MISSED:
            found = self.judge.difference(self.policy, self.best, MISSED)
            return f"{found.mean:.1f} ± {found.half:.1f} points behind `{self.best}`"
        ratio = self.judge.ratio(self.policy, self.measure, self.best)
        if ratio.high < 1 + rules.SAME.bound:
            return f"the same as `{self.best}`"
        found = ratio.percent_more()
        return f"{found.mean:.1f} ± {found.half:.1f} % behind `{self.best}`"


def has_deadlines(results: Results, load: PolicyLoad) -> bool:
    """Whether requests of a load have deadlines. Raises Missing."""
    return any(one["with_deadline"] for one in results.seeds_at(Point(FIRST, 0, load.name, CHARGED)).values())


def measures_of(results: Results, study: Study, kind: str) -> tuple[str, str]:
    """What counts for a kind of load, first and second. Raises Missing."""
    return (MISSED, MEAN) if has_deadlines(results, study.of_kind(kind, False)[0]) else (MEAN, TAIL)


def choices(results: Results, study: Study, kind: str) -> tuple[Choice, ...]:
    """The choice by each measure. Raises Missing."""
    chooses, judges = (Judge(results, study.of_kind(kind, judging), len(study.drives)) for judging in (False, True))
    return tuple(
        Choice(measure, chooses.choice(study.policies, measure), judges, study.policies)
        for measure in measures_of(results, study, kind)
    )


NAMES = {MEAN: "mean response", TAIL: "99.9th percentile", MISSED: "missed deadlines"}


def answer_table(results: Results, study: Study) -> str:
    """The answer for each kind of load, in Markdown. Raises Missing."""
    lines = ["| load | what counts | take | over `fcfs` | best under these loads |", "|---|---|---|---|---|"]
    for kind in study.kinds:
        for place, choice in enumerate(choices(results, study, kind.name)):
            name = f"**{kind.name}.** {kind.words}" if place == 0 else ""
            lines.append(f"| {name} | {NAMES[choice.measure]} | `{choice.policy}` | {choice.gain_text()} | {choice.behind_text()} |")
    return "\n".join(lines)


def _percent(value: Interval) -> str:
    found = value.percent_more()
    return f"{found.mean:+.1f} ± {found.half:.1f}"


def _policies_table(results: Results, study: Study, kind: str) -> str:
    """The best policies of a kind under the judging loads."""
    chosen = choices(results, study, kind)
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
        cells += ["" if policy == FIRST else _percent(judge.ratio(policy, one)) for one in (MEAN, TAIL, LONGEST)]
        cells.append(f"{judge.mean(policy, cycles).mean:,.0f}")
        (load, drive), ratio = judge.worst(policy, MEAN)
        cells.append("" if policy == FIRST else f"{_percent(ratio)}: {load.name}, {study.drives[drive].name}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _drives_table(results: Results, study: Study, kind: str) -> str:
    """The chosen policy beside fcfs in every judging cell."""
    choice = choices(results, study, kind)[0]
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


def _kind_section(results: Results, study: Study, kind: str, words: str) -> str:
    chooses, judges = (study.of_kind(kind, judging) for judging in (False, True))
    lists = ["\n".join(_load_line(load, study) for load in loads) for loads in (chooses, judges)]
    return f"""### {kind}

{words} Loads that choose, as they are on `{study.drives[0].name}`:

{lists[0]}

Loads that judge:

{lists[1]}

What each policy has more than `fcfs` under the loads that judge, in percent; the chosen ones are bold:

{_policies_table(results, study, kind)}

{_drives_table(results, study, kind)}
"""


@dataclass(frozen=True)
class Slower:
    """The cell of a kind of load in which a policy is slowest beside fcfs."""

    kind: str
    cell: Cell
    ratio: Interval


def slower(results: Results, study: Study) -> dict[str, list[Slower]]:
    """By policy, the kinds of load with a cell in which its mean response is longer than that of fcfs: not the same (rules.py).

    The whole interval is above. Raises Missing.
    """
    found: dict[str, list[Slower]] = {}
    for policy in study.policies:
        for kind in study.kinds:
            judge = Judge(results, [load for load in study.loads if load.kind == kind.name], len(study.drives))
            ratios = [(cell, judge.ratio(policy, MEAN, cells=[cell])) for cell in judge.cells]
            above = [(cell, ratio) for cell, ratio in ratios if ratio.low > 1 + rules.SAME.bound]
            if above:
                found.setdefault(policy, []).append(Slower(kind.name, *max(above, key=lambda one: one[1].mean)))
    return found


def _slower_table(results: Results, study: Study) -> str:
    lines = ["| policy | kind of load | up to, % more | there |", "|---|---|---|---|"]
    for policy, kinds in slower(results, study).items():
        for one in kinds:
            load, drive = one.cell
            lines.append(f"| `{policy}` | {one.kind} | {_percent(one.ratio)} | {load.name}, {study.drives[drive].name} |")
    return "\n".join(lines)


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
    sections = "\n".join(_kind_section(results, study, kind.name, kind.words) for kind in study.kinds)
    return f"""## The answer

All policies have their default parameters, unless their name has others. For each kind of load, some loads on {len(study.drives)} drives
choose the policy that is best in the mean. It is `fcfs` if the best one cannot be told from it. The numbers here are of other loads,
which judge the choice.

{answer_table(results, study)}

![policies](policies.png)

## Where a policy is slower than `fcfs`

Of each kind of load, the load and the drive on which a policy's mean response is the longest beside that of `fcfs`. The whole interval
is above {rules.SAME.bound:.0%}:

{_slower_table(results, study)}

{_units_section(results, study)}
## Each kind of load

{sections}"""
