# SPDX-License-Identifier: Apache-2.0
"""The gain of a scheduler that knows the rotation, over queue lengths, on drives of several generations."""

from pathlib import Path

import rules
from claims import AT, INFINITE, Claim, Finding, claims_table, verdicts_text
from interval import Interval
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw, queue_axis
from results import Missing, Point, Results
from style import BLACK, BLUE, GREEN, ORANGE, VERMILION, legend_below, new_figure, save

BLIND, KNOWING, IO_MS = "sstf", "stf", "io_ms"
# Sweeps in the order of the drives' years (sim/drives), with the looks of their curves.
DRIVES = {
    "mvax_71mb": (BLACK, "o"),
    "eagle": (GREEN, "^"),
    "hp_c2247a": (ORANGE, "s"),
    "cheetah_9lp": (BLUE, "p"),
    "atlas_10k": (VERMILION, "D"),
}
FROM_EAGLE = tuple(DRIVES)[1:]
HEAVY = 100  # requests to choose from: the longest queue at which the paper compares SSF with its estimate


def gain(results: Results, drive: str, load: float) -> Interval:
    """Time of a request under sstf over that under stf. Raises Missing."""
    return results.ratio(Point(BLIND, load, drive), Point(KNOWING, load, drive), IO_MS)


def pays_from(results: Results, drive: str, least: float) -> float | None:
    """The shortest queue from which on, as far as measured, the whole interval of the gain is above; None if there is none."""
    found = None
    for load in reversed(results.loads(KNOWING, drive)):
        if gain(results, drive, load).low <= least:
            return found
        found = load
    return found


def _grows(results: Results) -> list[Finding]:
    findings = []
    for older, newer in zip(FROM_EAGLE, FROM_EAGLE[1:], strict=False):
        before, after = gain(results, older, HEAVY), gain(results, newer, HEAVY)
        value = Interval(after.mean - before.mean, (after.half**2 + before.half**2) ** 0.5, after.count)
        findings.append(Finding(f"{newer} less {older}{AT}{HEAVY}", value, 0, INFINITE))
    return findings


def _little_effect(drive: str) -> Claim:
    def check(results: Results) -> list[Finding]:
        loads = results.loads(KNOWING, drive)
        if not loads:
            raise Missing(f"run of {drive}")
        return [Finding(f"{drive}{AT}{load:g}", gain(results, drive, load), 0, 1 + rules.SIGNIFICANTLY.bound) for load in loads if load < HEAVY]

    return Claim(
        "Salem, 2",
        f"Minimizing the latency has very little effect, except under very heavy loads. (`{drive}`: time of a request under `sstf` over that "
        f"under `stf`, below {HEAVY} to choose from.)",
        check,
        "The shorter seeks are against a revolution, the fewer requests make one worth choosing.",
    )


CLAIMS = (
    Claim(
        "Seltzer, 5.1",
        "Rotation optimizing algorithms become increasingly important. (Gain of `stf` over `sstf`: what each newer drive's has more.)",
        _grows,
    ),
    *map(_little_effect, DRIVES),
)


def draw_rotation(results: Results, folder: Path) -> None:
    """Draws gain.png: the gain over the queue's length, a curve for each drive. Raises OSError."""
    figure = new_figure(WIDTH_IN, HEIGHT_IN, "What knowing the rotation gains: stf over sstf")
    axes = figure.subplots()
    ticks: set[int] = set()
    for drive, (colour, marker) in DRIVES.items():
        points = [(load, gain(results, drive, load)) for load in results.loads(KNOWING, drive)]
        ticks |= {int(load) for load, _ in points}
        draw(axes, [Curve(drive, points, colour, marker)])
    if not ticks:
        return
    axes.set_ylabel("time of a request, sstf over stf")
    queue_axis(axes, sorted(ticks), "requests to choose from")
    legend_below(figure, axes)
    save(figure, folder / "gain.png")


def _table(results: Results) -> str:
    loads = sorted({load for drive in DRIVES for load in results.loads(KNOWING, drive)})
    lines = [f"| drive | {' | '.join(f'{load:g}' for load in loads)} |", "|---" * (1 + len(loads)) + "|"]
    for drive in DRIVES:
        cells = [gain(results, drive, load).text("{:.3f}") if load in results.loads(KNOWING, drive) else "" for load in loads]
        lines.append(f"| {drive} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _pays(results: Results) -> str:
    lines = ["| drive | pays at all from | pays a tenth from |", "|---|---|---|"]
    for drive in DRIVES:
        if results.loads(KNOWING, drive):
            found = [pays_from(results, drive, least) for least in (1.0, 1 + rules.SIGNIFICANTLY.bound)]
            lines.append(f"| {drive} | {' | '.join('-' if one is None else f'{one:g}' for one in found)} |")
    return "\n".join(lines)


def rotation_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(CLAIMS, results)
    return f"""## The claims

From M. Seltzer, P. Chen, J. Ousterhout, "Disk Scheduling Revisited", and M. M. Salem, "Performance Evaluation of Movable Head Disk
Schedulers". Both policies serve the same requests, seed by seed.

{verdicts_text(counts)}.

{table}
## Time of a request under `sstf` over that under `stf`

By the number of requests to choose from, with 95 % intervals. On the Eagle, whose tracks have no skew, a request over the end of a
track costs a revolution more. `stf` [counts that](../../../docs/decisions.md#stf-charges-the-transfer-stfpricepositioning-does-not) and puts
such requests off, so that they fill a queue of ten or twenty.

{_table(results)}

![gain](gain.png)

## From which load on rotation pays

The fewest requests to choose from at which the whole interval is above 1, or above a tenth, and stays there:

{_pays(results)}
"""
