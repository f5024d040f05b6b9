# SPDX-License-Identifier: Apache-2.0
"""Deadlines on real drives: what policies miss where the drive has rotation, a bus and a firmware that takes time."""

from collections.abc import Sequence
from pathlib import Path

from deadlines_checks import reads_missed, writes_missed
from deadlines_report import rows_of
from pictures import WIDTH_IN, Curve, draw
from results import Measure, Missing, Point, Results
from spot_checks import SPOTS, require_equal
from style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, legend_below, new_figure, save

CHARGED = "charged"
DRIVES = {"Cheetah": "Cheetah 9LP", "C2247A": "HP C2247A"}
LOADS = {
    "6.1": ("slack 50 ms, over reads a second", "reads a second"),
    "6.2": ("slack 10 to 100 ms, over reads a second", "reads a second"),
    "7.1": ("10 writes a second, over reads a second", "reads a second"),
    "7.2": ("12 reads a second, over writes a second", "writes a second"),
}
# Colour, marker and line. Dashed policies ignore deadlines and rotation; dotted ones are variants.
LOOKS = {
    "fcfs": (BLACK, "o", "--"),
    "sstf": (ORANGE, "s", "--"),
    "scan": (SKY, "v", "--"),
    "edf": (PURPLE, "*", "-"),
    "scanedf": (PURPLE, "x", ":"),
    "dscan": (GREEN, "^", "-"),
    "fdscan": (VERMILION, "D", "-"),
    "fdscan(exact)": (VERMILION, "d", ":"),
    "stf": (ORANGE, "h", "-"),
    "wstf": (ORANGE, "P", ":"),
    "walk": (SKY, "X", "-"),
    "stfd": (BLUE, "p", "-"),
    "stfd(time)": (BLUE, "p", ":"),
}
OTHER_LOOK = (GREY, ".", "-")
REFERENCE = "fdscan"
OURS = ("stfd", "walk", "stf", "stf(B)")


def draw_deadlines_electronics(results: Results, folder: Path) -> None:
    """Draws deadlines-LOAD.png: reads missed on both drives. Raises OSError."""
    for load, (title, x_label) in LOADS.items():
        sweeps = [(name, f"{drive}, {load}") for drive, name in DRIVES.items() if results.labels(f"{drive}, {load}")]
        if not sweeps:
            continue
        figure = new_figure(0.85 * WIDTH_IN * len(sweeps), 6.2, f"Missed read deadlines: {title}")
        for axes, (name, sweep) in zip(figure.subplots(1, len(sweeps), squeeze=False)[0], sweeps, strict=True):
            for label in results.labels(sweep):
                points = results.curve(label, sweep, reads_missed, CHARGED)
                draw(axes, [Curve(label, points, *LOOKS.get(label.removesuffix("(B)"), OTHER_LOOK))])
                axes.set_xticks([x for x, _ in points])
            axes.set_title(name)
            axes.set_xlabel(f"{x_label}, of the paper's drive")
            axes.set_ylabel("missed read deadlines, %")
            axes.set_ylim(bottom=0)
        legend_below(figure, figure.axes[0])
        save(figure, folder / f"deadlines-{load}.png")


def _curves(results: Results, sweep: str, measure: Measure) -> list[tuple[str, Sequence]]:
    return [(label, results.curve(label, sweep, measure, CHARGED)) for label in results.labels(sweep)]


def _against_fdscan(results: Results, sweep: str) -> list[tuple[str, Sequence]]:
    """Missed reads over those that fdscan misses with the same requests."""
    curves = []
    for label in results.labels(sweep):
        points = []
        for load in results.loads(label, sweep, CHARGED):
            try:
                points.append(
                    (
                        load,
                        results.ratio(*(Point(one, load, sweep, CHARGED) for one in (label, REFERENCE)), reads_missed),
                    )
                )
            except (Missing, ZeroDivisionError):
                continue
        if label.startswith(OURS):
            curves.append((label, points))
    return curves


def _section(results: Results, drive: str, load: str) -> str:
    sweep, (title, x_label) = f"{drive}, {load}", LOADS[load]
    if not results.labels(sweep):
        return ""
    parts = [
        f"### {DRIVES[drive]}, {title}\n\nReads missed, %:\n",
        rows_of(x_label, _curves(results, sweep, reads_missed), "{:.2f}"),
    ]
    if load.startswith("7"):
        parts += ["\nWrites missed, %:\n", rows_of(x_label, _curves(results, sweep, writes_missed), "{:.2f}")]
    ours = rows_of(x_label, _against_fdscan(results, sweep), "{:.3f}")
    parts += [f"\nReads missed, as a part of {REFERENCE}'s:\n", ours] if ours else []
    return "\n".join(parts)


def _spots(results: Results) -> str:
    lines = ["| drive | policy | requests | reads missed | mean response, ms |", "|---" * 5 + "|"]
    for sweep in SPOTS:
        for label in results.labels(sweep):
            for load in results.loads(label, sweep, "rtl"):
                point = Point(label, load, sweep, "rtl")
                for one in results.seeds_at(point).values():
                    mean = f"{one['response_mean_ms']:.6f}"
                    drive = sweep.rpartition(" ")[2]
                    lines.append(f"| {drive} | {label} | {one['requests']} | {one['reads_missed']} | {mean} |")
    if len(lines) == 2:
        return ""
    return f"""
## Spot checks, cycle by cycle

The same requests on `rtl` and on `vp`: times, order of service and counters are equal, every one. Else there were no page.

{chr(10).join(lines)}
"""


def deadlines_electronics_page(results: Results) -> str:
    """The page's body in Markdown. Raises ExperimentError when a spot check fails."""
    require_equal(results)
    sections = [_section(results, drive, load) for load in LOADS for drive in DRIVES]
    return f"""## Deadlines on real drives

Rates and times are those of the paper's drive; each drive has them scaled by its mean access. 95 % intervals over the seeds;
ratios are taken seed by seed. Policies of the paper, `(B)` with the write buffer under a space threshold; `stfd`, `walk`,
`stf` and `wstf` know the drive's rotation.

{chr(10).join(section for section in sections if section)}
{_spots(results)}"""
