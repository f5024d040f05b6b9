"""The Eagle's sweep with real electronics: what the schedulers are worth once the drive has to compute them."""

from pathlib import Path

import style
from eagle_checks import maximum_s, percent
from interval import Interval
from pictures import WIDTH_IN, Curve, draw, look, queue_axis
from results import Missing, Point, Results

SWEEP = "queue"
SPOTS = ("spot", "spot-long")


def draw_electronics(results: Results, folder: Path) -> None:
    """electronics.png: utilization over the queue's length, ideal and charged; and what is left of the gain over fcfs.

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


def _text(value: Interval, form: str) -> str:
    return form.format(value.mean) if value.count == 1 else f"{form.format(value.mean)} ± {form.format(value.half)}"


def _lost(results: Results) -> list[str]:
    lines = [
        "| policy | Q | ideal, % | charged, % | charged over ideal | maximum response, s: ideal, charged "
        "| rotation, ms a request: ideal, charged |",
        "|---" * 7 + "|",
    ]
    for label in results.labels(SWEEP):
        for load in results.loads(label, SWEEP, "charged"):
            ideal, charged = (Point(label, load, SWEEP, "ideal"), Point(label, load, SWEEP, "charged"))
            lines.append(
                f"| {label} | {load} | {_text(results.mean(ideal, percent), '{:.2f}')} "
                f"| {_text(results.mean(charged, percent), '{:.2f}')} "
                f"| {_text(results.ratio(charged, ideal, 'utilization'), '{:.3f}')} "
                f"| {_text(results.mean(ideal, maximum_s), '{:.2f}')}, "
                f"{_text(results.mean(charged, maximum_s), '{:.2f}')} "
                f"| {_text(results.mean(ideal, 'rotation_mean_ms'), '{:.2f}')}, "
                f"{_text(results.mean(charged, 'rotation_mean_ms'), '{:.2f}')} |"
            )
    return lines


def _spots(results: Results) -> str:
    lines = [
        "| policy | Q | seed | requests | rtl, ms a request | vp, ms a request | apart, % | order of service |",
        "|---" * 8 + "|",
    ]
    for sweep in SPOTS:
        for label in results.labels(sweep):
            for load in results.loads(label, sweep, "rtl"):
                twins = results.seeds_at(Point(label, load, sweep, "charged"))
                for seed, truth in results.seeds_at(Point(label, load, sweep, "rtl")).items():
                    apart = 100 * (twins[seed]["io_ms"] / truth["io_ms"] - 1)
                    order = "the same" if truth["order"] == twins[seed]["order"] else "another"
                    lines.append(
                        f"| {label} | {load} | {seed} | {truth['requests']} | {truth['io_ms']:.4f} "
                        f"| {twins[seed]['io_ms']:.4f} | {apart:+.4f} | {order} |"
                    )
    if len(lines) == 2:
        return ""
    return "\n## Spot checks, cycle by cycle\n\nThe same requests on `rtl` and on `vp`.\n\n" + "\n".join(lines) + "\n"


def electronics_page(results: Results) -> str:
    """The page's body in Markdown."""
    spots = _spots(results)
    return f"""## What the drive's electronics cost

Utilization is transfer time over elapsed time, with 95 % intervals over the seeds; the ratio is taken seed by seed.
*Charged*: the firmware's instructions and the bus take their time. One 4 KB block in ten crosses the end of a track.
Without skew, as the paper models the Eagle, a drive that needs any time at all to go on with the next track waits a
revolution for it, and a scheduler that prices this puts such blocks off until its queue is full of them; with a sector
of skew (eagle-electronics-skewed) it need not.

![utilization](electronics.png)

{chr(10).join(_lost(results))}
{spots}"""
