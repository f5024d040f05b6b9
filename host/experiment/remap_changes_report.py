# SPDX-License-Identifier: Apache-2.0
"""Loads that change: how much of a map's gain remains, the effect of learning again, and two loads that take turns.

Expected numbers are those of an independent simulator on such a drive and load.
"""

from pathlib import Path

from claims import INFINITE, Claim, Finding, claims_table, verdicts_text
from interval import Interval, interval
from pictures import HEIGHT_IN, WIDTH_IN, style
from remap_checks import SERVICE, gain, more
from results import Missing, Point, Results

UNMAPPED, OLD, NEW = "unmapped", "old map", "new map"
QUARTER, SIXTEENTH, LAST = "new map of a quarter", "new map of a sixteenth", "new map of a 64th"
COUNTED, BEHIND = "counted by the drive", "counted on after the old day"
OTHER, BOTH = "other shift's map", "one map for both"
DRIFT, AGAIN, SHIFTS = "drift", "learned again", "shifts"
DRIFTS, AGAIN_AT = (0.1, 0.3), (0.3,)  # drift of the old map, and where the drive learns again
# The map's gain in percent, and how much of it remains, by drift.
PAGE_GAIN, PAGE_KEPT = 35.1, {0.1: 31.9, 0.3: 20.8}
PAGE_ALL, PAGE_QUARTER, PAGE_SIXTEENTH = 37.1, 36.3, 34.8
KEPT_WITHIN, LEARNED_WITHIN = 0.15, 0.05


def _share(results: Results, label: str, drift: float, of: tuple[str, float, str]) -> Interval:
    """The gain as a part of another map's: `of` is (label, drift, sweep)."""
    sweep = DRIFT if label == OLD else AGAIN
    one, whole = _gains(results, label, drift, sweep), _gains(results, *of)
    seeds = [seed for seed in one if seed in whole]
    if not seeds:
        raise Missing(f"a seed of '{label}'")
    return interval([one[seed] / whole[seed] for seed in seeds])


def _gains(results: Results, label: str, load: float, sweep: str) -> dict[int, float]:
    """The gains in percent, by seed. Raises Missing."""
    found, plain = results.seeds_at(Point(label, load, sweep)), results.seeds_at(Point(UNMAPPED, load, sweep))
    return {seed: 100 * (1 - found[seed][SERVICE] / plain[seed][SERVICE]) for seed in found if seed in plain}


def change_claims() -> list[Claim]:
    """The claims in the order of the page."""

    def kept(results: Results) -> list[Finding]:
        return [Finding(f"at drift {drift:g}", _share(results, OLD, drift, (OLD, 0, DRIFT)), PAGE_KEPT[drift] / PAGE_GAIN - KEPT_WITHIN,
                        PAGE_KEPT[drift] / PAGE_GAIN + KEPT_WITHIN) for drift in DRIFTS]  # fmt: skip

    def again(results: Results) -> list[Finding]:
        return [Finding(f"at drift {drift:g}", _share(results, NEW, drift, (OLD, 0, DRIFT)), 0.95) for drift in AGAIN_AT]

    def part(label: str, wanted: float):
        share = wanted / PAGE_ALL
        return lambda results: [
            Finding(f"at drift {drift:g}", _share(results, label, drift, (NEW, drift, AGAIN)), share - LEARNED_WITHIN, share + LEARNED_WITHIN)
            for drift in AGAIN_AT
        ]  # fmt: skip

    def counted(results: Results) -> list[Finding]:
        return [Finding(f"at drift {drift:g}", _share(results, COUNTED, drift, (QUARTER, drift, AGAIN)), 0.95) for drift in AGAIN_AT]

    def forgets(results: Results) -> list[Finding]:
        return [Finding(f"points at drift {drift:g}", _points(results, BEHIND, OLD, drift), 0, INFINITE, "{:.2f}") for drift in AGAIN_AT]

    def better(one: str, other: str):
        return lambda results: [Finding("points", more(results, one, other, 1, SHIFTS), 0, INFINITE, "{:.2f}")]

    return [
        Claim("drift", "With 10 and 30 % of the files moved, a map with angles gains 31.9 and 20.8 %, instead of 35.1 %. (Part that is kept, "
              "within 0.15.)", kept, "On this chain more of the accesses are to inodes, which do not move."),
        Claim("drift", "A map of a new day gets the loss back. (Part of the gain before the drift.)", again),
        Claim("learning", "A quarter of a day gains 36.3 %, where all of it gains 37.1 %. (Part, within 0.05.)", part(QUARTER, PAGE_QUARTER)),
        Claim("learning", "A sixteenth of a day gains 34.8 %.", part(SIXTEENTH, PAGE_SIXTEENTH)),
        Claim("learning", "The drive's own counts, in bounded memory, are worth as much. (Part of the gain by exact counts.)", counted),
        Claim("learning", "After the counts of the old day, a quarter of a new one is better than the old map.", forgets),
        Claim("shifts", "A map for each shift gains more than one for both.", better(OLD, BOTH)),
        Claim("shifts", "One for both gains more than the other shift's.", better(BOTH, OTHER)),
    ]  # fmt: skip


def _points(results: Results, one: str, other: str, drift: float) -> Interval:
    """How many points the gain of a new map is above that of an old one."""
    new, old = _gains(results, one, drift, AGAIN), _gains(results, other, drift, DRIFT)
    seeds = [seed for seed in new if seed in old]
    if not seeds:
        raise Missing(f"a seed of '{one}' and '{other}'")
    return interval([new[seed] - old[seed] for seed in seeds])


def _row(results: Results, label: str, columns: list[tuple[str, float]]) -> str:
    cells = []
    for sweep, load in columns:
        try:
            cells.append(gain(results, label, load, sweep).text())
        except Missing:
            cells.append("")
    return f"| {label} | " + " | ".join(cells) + " |"


def gain_tables(results: Results) -> str:
    """The tables of gains under drift and shifts."""
    lines = ["| map | no drift | 0.1 | 0.3 |", "|---" * 4 + "|", _row(results, OLD, [(DRIFT, 0), (DRIFT, 0.1), (DRIFT, 0.3)])]
    lines += [_row(results, label, [(AGAIN, 0), (AGAIN, 0.1), (AGAIN, 0.3)]) for label in (NEW, QUARTER, SIXTEENTH, LAST, COUNTED, BEHIND)]
    lines += ["", "| map, of two shifts | gain |", "|---" * 2 + "|"]
    lines += [_row(results, label, [(SHIFTS, 1)]) for label in (OLD, BOTH, OTHER)]
    return "\n".join(lines) + "\n"


def draw_changes(results: Results, folder: Path) -> None:
    """Draws gains.png: gains over the amount that is learned. Raises OutputError."""
    parts = {LAST: 1 / 64, SIXTEENTH: 1 / 16, QUARTER: 1 / 4, NEW: 1.0}
    figure = style.new_figure(WIDTH_IN, HEIGHT_IN, "A map learned again after a drift")
    axes = figure.subplots()
    for drift, colour, marker in ((0.1, style.BLUE, "o"), (0.3, style.VERMILION, "s")):
        there = drift in results.loads(NEW, AGAIN)
        values = [(part, gain(results, label, drift, AGAIN)) for label, part in parts.items() if there and label in results.labels(AGAIN)]
        if values:
            halves = [0.0 if value.count == 1 else value.half for _, value in values]
            axes.errorbar([part for part, _ in values], [value.mean for _, value in values], yerr=halves, color=colour, marker=marker,
                          capsize=3, label=f"new map, drift {drift:g}")  # fmt: skip
        if OLD in results.labels(DRIFT):
            axes.axhline(gain(results, OLD, drift, DRIFT).mean, color=colour, linestyle="--", linewidth=1, label=f"old map, drift {drift:g}")
    if OLD in results.labels(DRIFT):
        axes.axhline(gain(results, OLD, 0, DRIFT).mean, color=style.GREY, linestyle=":", linewidth=1, label="before the drift")
    axes.set_xscale("log", base=4)
    axes.set_xticks(list(parts.values()), ["1/64", "1/16", "1/4", "1"])
    axes.set(xlabel="part of a day that is learned from", ylabel="gain over unmapped, %")
    axes.set_ylim(bottom=0)
    style.legend_below(figure, axes)
    style.save(figure, folder / "gains.png")


def changes_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(change_claims(), results)
    tally = verdicts_text(counts)
    return f"""## Claims

A claim *holds* when the whole 95 % interval (Student's t over the seeds) of each of its numbers lies in the range asked for.

{tally}.

{table}
## Gains

In percent of the mean service time without a map, one request outstanding.

{gain_tables(results)}
![gains](gains.png)
"""
