# SPDX-License-Identifier: Apache-2.0
"""The number of streams that a scheme admits, beside the number with which the drive begins to miss deadlines."""

from pathlib import Path

import rules
from claims import INFINITE, Claim, Finding, claims_table, exactly, verdicts_text
from gscan_checks import Check, missed
from interval import Interval, interval
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw
from results import Missing, Point, Results
from style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, legend_below, new_figure, save

CHARGED = "charged"
SWEEPS = ("players", "grouped")
# The schemes, in the order of the page: the paper's name, and the share of requests that may be late, in percent.
SCHEMES = {
    "gss": ("GSS", 0.0),
    "rangan": ("Rangan's", 0.0),
    "wrr": ("WRR-SCAN", 0.0),
    "reddy": ("Reddy's", 0.0),
    "horizon": ("Horizon", 0.0),
    "chen": ("Chen's", 0.1),  # one round in a thousand: the default of `headstack admission`
}
ROUND_BASED = ("gss", "rangan", "chen")  # the paper's section 2 has the pre-seeking sweep beside them
LOOKS = {
    "gss": (ORANGE, "s"), "rangan": (BLACK, "o"), "wrr": (SKY, "v"), "reddy": (GREEN, "^"), "horizon": (PURPLE, "*"),
    "cscan": (GREY, "X"), "stf": (VERMILION, "D"), "stfd": (BLUE, "p"),
}  # fmt: skip


def _sweep_of(results: Results, label: str) -> str:
    """The sweep of a policy. Raises Missing."""
    for sweep in SWEEPS:
        if label in results.labels(sweep):
            return sweep
    raise Missing(f"run of {label}")


def at(results: Results, label: str, streams: float) -> Point:
    """The point of a policy with so many streams. Raises Missing."""
    return Point(label, streams, _sweep_of(results, label), CHARGED)


def counts_of(results: Results, label: str) -> list[float]:
    """The numbers of streams that were measured, ascending. Raises Missing."""
    return results.loads(label, _sweep_of(results, label), CHARGED)


def carried(results: Results, label: str) -> Interval:
    """The most streams that miss no deadline, with as many or fewer: for each seed, and its mean. Raises Missing."""
    return interval(list(carried_by_seed(results, label).values()))


def carried_by_seed(results: Results, label: str) -> dict[int, float]:
    """The same for each seed. Raises Missing."""
    runs = [(count, results.seeds_at(at(results, label, count))) for count in counts_of(results, label)]
    most = dict.fromkeys(runs[0][1], 0.0)
    for seed in most:
        for count, by_seed in runs:
            if seed not in by_seed or by_seed[seed]["rt_missed"]:
                break
            most[seed] = count
    return most


def admitted(results: Results, label: str) -> int:
    """The number of streams that the policy's scheme admits. Raises Missing."""
    runs = results.seeds_at(at(results, label, counts_of(results, label)[0]))
    return int(next(iter(runs.values()))["admitted"])


def enough_for(results: Results, label: str) -> float:
    """As many streams as the scheme admits, or the next number that was measured. Raises Missing."""
    enough = [count for count in counts_of(results, label) if count >= admitted(results, label)]
    if not enough:
        raise Missing(f"run of {label} with {admitted(results, label)} streams")
    return enough[0]


def missed_when_admitted(results: Results, label: str) -> Interval:
    """Missed deadlines in percent, with the streams of enough_for(). Raises Missing."""
    return results.mean(at(results, label, enough_for(results, label)), missed)


def _kept(labels: tuple[str, ...]) -> Check:
    def what(results: Results, label: str) -> str:
        return f"{SCHEMES[label][0]} admits {admitted(results, label)}, missed with {enough_for(results, label):g}, %"

    return lambda results: [
        Finding(what(results, label), missed_when_admitted(results, label), high=SCHEMES[label][1], form="{:.2f}") for label in labels
    ]


def _more_admitted(label: str, other: str) -> Check:
    def check(results: Results) -> list[Finding]:
        more = admitted(results, label) - admitted(results, other)
        return [Finding(f"streams that {label} admits less those of {other}", exactly(float(more)), 1, INFINITE, "{:.0f}")]

    return check


def _more_carried(label: str, other: str) -> Check:
    def check(results: Results) -> list[Finding]:
        ours, theirs = (carried_by_seed(results, one) for one in (label, other))
        ratios = [ours[seed] / theirs[seed] for seed in ours if theirs.get(seed)]
        if not ratios:
            raise Missing(f"a number of streams that {other} carries")
        value = interval(ratios)
        return [Finding(f"streams that {label} carries over those of {other}", value, 1 + rules.SIGNIFICANTLY.bound, INFINITE, "{:.2f}")]

    return check


CLAIMS = (
    Claim("2", "Round-based algorithms meet deadlines if admission control limits the load. (Missed with as many streams as each admits.)",
          _kept(ROUND_BASED)),
    Claim("table I, Reddy's", "Its admission controller keeps deadlines, too. (And those of WRR-SCAN and Horizon.)",
          _kept(("reddy", "wrr", "horizon"))),
    Claim("table I, Chen's", "It is useful where playback need not be guaranteed: it admits more streams than a guarantee does.",
          _more_admitted("chen", "rangan")),
    Claim("table I, GSS", "Sweeps give GSS a high throughput. (Against rounds by arrival.)", _more_carried("gss", "rangan")),
    Claim("table I, EDF", "EDF makes poor use of the disk. (Against rounds of sweeps.)", _more_carried("wrr", "edf")),
)  # fmt: skip


def _schemes(results: Results) -> str:
    lines = ["| scheme | policy | admits | missed then, % | carries without a miss | carries, over what it admits |", "|---" * 6 + "|"]
    for label, (name, _) in SCHEMES.items():
        try:
            limit, most = admitted(results, label), carried(results, label)
            cells = [str(limit), missed_when_admitted(results, label).text("{:.2f}"), most.text("{:.1f}"), most.scaled(1 / limit).text("{:.2f}")]
        except Missing:
            continue
        policies = results.policies(label)
        policy = policies[0] if len(policies) == 1 else policies[0].partition(":")[0]
        lines.append(f"| {name} | `{policy}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _policies(results: Results) -> str:
    labels = dict.fromkeys(label for sweep in SWEEPS for label in results.labels(sweep))
    counts = sorted({count for label in labels for count in counts_of(results, label)})
    shown = [count for count in counts if count in SHOWN]
    lines = ["| policy | carries without a miss | " + " | ".join(f"{count:g}" for count in shown) + " |", "|---" * (2 + len(shown)) + "|"]
    for label in labels:
        if label == "chen":  # the policy of rangan
            continue
        cells = []
        for count in shown:
            try:
                cells.append(results.mean(at(results, label, count), missed).text("{:.1f}"))
            except Missing:
                cells.append("")
        lines.append(f"| {label} | {carried(results, label).text('{:.1f}')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


SHOWN = range(26, 45, 2)  # numbers of streams with a column of misses


def draw_admission(results: Results, folder: Path) -> None:
    """Draws missed.png: missed deadlines over the number of streams, with what each scheme admits. Raises OSError."""
    figure = new_figure(WIDTH_IN, HEIGHT_IN, "Players of 192 kB a second on a Cheetah 9LP")
    axes = figure.subplots()
    for label, (colour, marker) in LOOKS.items():
        try:
            sweep = _sweep_of(results, label)
            limit = admitted(results, label) if label in SCHEMES else None
        except Missing:
            continue
        text = label if limit is None else f"{label}, admits {limit}"
        draw(axes, [Curve(text, results.curve(label, sweep, missed, CHARGED), colour, marker)])
        if limit is not None:
            axes.axvline(limit, color=colour, linestyle=":", linewidth=1.2)
    if not axes.lines:
        return
    axes.set_xlabel("players; dotted: as many as a scheme admits")
    axes.set_ylabel("missed deadlines, %")
    axes.set_ylim(0, 100)
    legend_below(figure, axes)
    save(figure, folder / "missed.png")


def _rounds(results: Results) -> int:
    """The requests of a player in a run. Raises Missing."""
    label = next(iter(results.labels(SWEEPS[0])), "")
    count = counts_of(results, label)[0]
    return int(next(iter(results.seeds_at(at(results, label, count)).values()))["rt_served"] / count)


def admission_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(CLAIMS, results)
    return f"""## The claims

From the table and section 2 of "A Pruning-based Disk Scheduling Algorithm for Heterogeneous I/O Workloads" (Kim, Bahn, Won).

{verdicts_text(counts)}.

{table}
## What each scheme admits, and what the drive carries

Players on a Cheetah 9LP, all charged. Each asks for the next 64 KB of its file every 341 ms. The deadline is missed if it does not
have them before it asks again. All schemes but Chen's admit only so many that no deadline can be missed in the worst case. Chen's
admits so many that one round in a thousand is late. Misses are those with as many players, or with the next number that was
measured. A drive carries the most players that miss no deadline in a run of {_rounds(results)} rounds, provided that fewer miss none
either.

{_schemes(results)}

## Missed deadlines, by policy

In percent of the requests, over the number of players. Every request is due one round after its arrival. So `edf` and `reddy`
serve by arrival, as Rangan's rounds do.

{_policies(results)}

![missed](missed.png)
"""
