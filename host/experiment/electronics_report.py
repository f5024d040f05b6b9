# SPDX-License-Identifier: Apache-2.0
"""The Eagle's sweep with real electronics: how much schedulers gain once the drive has to compute their choices."""

from collections.abc import Callable
from pathlib import Path

import style
from eagle_checks import maximum_s, percent
from interval import Interval
from pictures import WIDTH_IN, Curve, draw, look, queue_axis
from results import Missing, Point, Result, Results
from spot_checks import SPOTS, require_equal

SWEEP = "queue"


def draw_electronics(results: Results, folder: Path) -> None:
    """Draws electronics.png: utilization over the queue's length, ideal and charged, and the remaining gain over fcfs.

    Raises OSError.
    """
    figure = style.new_figure(
        1.7 * WIDTH_IN, 6.2, "The Eagle's schedulers, ideal and with the firmware and the bus charged"
    )
    left, right = figure.subplots(1, 2)
    ticks: set[int] = set()
    for label in results.labels(SWEEP):
        colour, marker = look(label)
        for kind, line in (("ideal", "--"), ("charged", "-")):
            points = results.curve(label, SWEEP, percent, kind)
            ticks |= {load for load, _ in points}
            draw(left, [Curve(label if kind == "charged" else "", points, colour, marker, line)])
            draw(right, [Curve("", _gain(results, label, kind), colour, marker, line)])
    for sweep in SPOTS:
        for label in results.labels(sweep):
            draw(left, [Curve(f"{label}, rtl", results.curve(label, sweep, percent, "rtl"), look(label)[0], "x", "")])
    crosses = "; crosses: cycle by cycle" if any(map(results.labels, SPOTS)) else ""
    for axes, title, y_label in (
        (left, f"solid: charged; dashed: ideal{crosses}", "utilization, %"),
        (right, "over fcfs with the same electronics", "utilization, times that of fcfs"),
    ):
        axes.set_title(title)
        axes.set_ylabel(y_label)
        axes.set_ylim(bottom=0)
        queue_axis(axes, sorted(ticks), "queue length")
    style.legend_below(figure, left)
    style.save(figure, folder / "electronics.png")


def _gain(results: Results, label: str, kind: str) -> list[tuple[int, Interval]]:
    points = []
    for load in results.loads(label, SWEEP, kind):
        try:
            points.append(
                (load, results.ratio(Point(label, load, SWEEP, kind), Point("fcfs", load, SWEEP, kind), "utilization"))
            )
        except Missing:
            return []
    return points


def _in_1000(counter: str) -> Callable[[Result], float]:
    """A counter of the run, per 1,000 requests."""
    return lambda result: 1000 * result[counter] / result["requests"]


def _cost(results: Results) -> list[str]:
    lines = [
        "| policy | Q | ideal, % | charged, % | charged over ideal | maximum response, s: ideal, charged "
        "| rotation, ms a request: ideal, charged | revolutions in 1,000 requests, charged: missed, lost |",
        "|---" * 8 + "|",
    ]
    for label in results.labels(SWEEP):
        for load in results.loads(label, SWEEP, "charged"):
            ideal, charged = (Point(label, load, SWEEP, "ideal"), Point(label, load, SWEEP, "charged"))
            lines.append(
                f"| {label} | {load} | {results.mean(ideal, percent).text('{:.2f}')} "
                f"| {results.mean(charged, percent).text('{:.2f}')} "
                f"| {results.ratio(charged, ideal, 'utilization').text('{:.3f}')} "
                f"| {results.mean(ideal, maximum_s).text('{:.2f}')}, "
                f"{results.mean(charged, maximum_s).text('{:.2f}')} "
                f"| {results.mean(ideal, 'rotation_mean_ms').text('{:.2f}')}, "
                f"{results.mean(charged, 'rotation_mean_ms').text('{:.2f}')} "
                f"| {results.mean(charged, _in_1000('missed_revolutions')).mean:.1f}, "
                f"{results.mean(charged, _in_1000('lost_revolutions')).mean:.1f} |"
            )
    return lines


def _spots(results: Results) -> str:
    lines = ["| policy | Q | requests | ms a request |", "|---" * 4 + "|"]
    for sweep in SPOTS:
        for label in results.labels(sweep):
            for load in results.loads(label, sweep, "rtl"):
                for truth in results.seeds_at(Point(label, load, sweep, "rtl")).values():
                    lines.append(f"| {label} | {load} | {truth['requests']} | {truth['io_ms']:.6f} |")
    if len(lines) == 2:
        return ""
    return f"""
## Spot checks, cycle by cycle

The same requests on `rtl` and on `vp`: times, order of service and counters are equal, every one. Else there were no page.

{chr(10).join(lines)}
"""


def electronics_page(results: Results) -> str:
    """The page's body in Markdown. Raises ExperimentError when a spot check fails."""
    require_equal(results)
    spots = _spots(results)
    return f"""## What the drive's electronics cost

Utilization is transfer time over elapsed time, with 95 % intervals over the seeds; the ratio is taken seed by seed.
*Charged*: the firmware's instructions and the bus take their time. One 4 KB block in ten crosses the end of a track.
There the formatter goes on by itself with the run that it was named. *Missed*: requests that ended half a revolution or
more later than the drive predicted. *Lost*: revolutions that a request waited between its own sectors, foreseen or not.

![utilization](electronics.png)

{chr(10).join(_cost(results))}
{spots}"""
