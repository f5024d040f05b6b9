# SPDX-License-Identifier: Apache-2.0
"""The pictures of "A Pruning-based Disk Scheduling Algorithm for Heterogeneous I/O Workloads", figures 4 to 12, and its page."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from claims import claims_table, verdicts_text
from deadlines_report import rows_of
from gscan_checks import (
    CREATED,
    DISTANCE,
    FITTED_U,
    GROWN,
    OPTIMA,
    ORIGINAL,
    OURS,
    POLICIES,
    RESPONSE,
    SCALED,
    TAUS,
    THROUGHPUT,
    UNITS,
    WORKLOADS,
    growth_curve,
    log_created,
    mean,
    missed,
    orders,
    sign_text,
    signs,
    tau_curve,
)
from gscan_claims import CLAIMS
from gscan_drives import side_by_side
from gscan_table import table_1
from interval import Interval
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw
from results import Measure, Missing, Point, Result, Results
from style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, group_ticks, legend_below, new_figure, save

Curves = Sequence[tuple[str, Sequence[tuple[float, Interval]]]]
LOOKS = {
    "gscan": (BLUE, "p", "-"),
    "cscan": (GREEN, "^", "-"),
    "edf": (PURPLE, "*", "-"),
    "scanedf": (ORANGE, "s", "-"),
    "kamel": (VERMILION, "D", "-"),
    "opt-t": (BLACK, "o", ":"),
    "opt-d": (GREY, "X", ":"),
    "opt-g": (SKY, "v", ":"),
    "64": (BLUE, "p", "-"),
    "256": (VERMILION, "D", "-"),
    "500": (ORANGE, "s", "-"),
    "5000": (GREEN, "^", "-"),
}
ALL_ORDERS = (BLACK, "o", ":")
SCALE_LABEL, TAU_LABEL = "scale factor of arrival times", "tau, cylinders"
MISSED, DISTANCE_LABEL = "missed deadlines, %", "total seek distance, 10^6 cylinders"
RESPONSE_LABEL, THROUGHPUT_LABEL = "average response, ms", "throughput, MB/s"


def millions(result: Result) -> float:
    """The seek distance in millions of cylinders."""
    return float(result[DISTANCE]) / 1e6


def distance_each(result: Result) -> float:
    """Cylinders per request, since runs with U = 5,000 are shorter."""
    return float(result[DISTANCE]) / float(result["requests"])


@dataclass(frozen=True)
class Figure:
    """One measure over the scale factor, in workloads 1 and 5."""

    number: str
    measure: Measure
    y_label: str
    labels: tuple[str, ...]
    form: str = "{:.2f}"
    log_y: bool = False


SCALE_FIGURES = (
    Figure("7", millions, DISTANCE_LABEL, (*POLICIES, "opt-t", "opt-g")),
    Figure("8", THROUGHPUT, THROUGHPUT_LABEL, (*POLICIES, "opt-t", "opt-g")),
    Figure("9", RESPONSE, RESPONSE_LABEL, (*POLICIES, "opt-t", "opt-g"), "{:.1f}", log_y=True),
    Figure("10", missed, MISSED, (*POLICIES, *OPTIMA)),
)
BAR_FIGURES = (
    ("(a)", millions, DISTANCE_LABEL, "{:.2f}"),
    ("(b)", THROUGHPUT, THROUGHPUT_LABEL, "{:.2f}"),
    ("(c)", RESPONSE, RESPONSE_LABEL, "{:.1f}"),
    ("(d)", missed, MISSED, "{:.2f}"),
)
TAU_FIGURES = (
    ("5(a)", distance_each, "seek distance a request, cylinders", "{:.1f}"),
    ("5(b)", THROUGHPUT, THROUGHPUT_LABEL, "{:.3f}"),
    ("5(c)", missed, MISSED, "{:.2f}"),
    ("5(d)", RESPONSE, RESPONSE_LABEL, "{:.1f}"),
    ("5(e)", CREATED, "schedules made by an arrival", "{:.0f}"),
)
# Drives of side_by_side().
DRIVES = {"workload": "0.5 ms before each access", "no overhead": "no overhead"}
# Figures beyond the paper's.
MORE = (
    ("response of real time, ms", "response_rt_ms", "{:.1f}"),
    ("response of best effort, ms", "response_be_ms", "{:.1f}"),
    ("most misses in a row", "missed_in_a_row", "{:.1f}"),
    ("jitter of real time, ms", "jitter_ms", "{:.2f}"),
    ("requests a second", "requests_per_s", "{:.1f}"),
)


def _look(label: str) -> tuple[str, str, str]:
    inner = label.partition("(")[2].rstrip(")")
    return LOOKS.get(inner or label, (GREY, ".", "-"))


def _legend(label: str) -> str:
    inner = label.partition("(")[2].rstrip(")")
    return f"U = {int(inner):,}" if inner else label


def panels(file: Path, title: str, parts: Sequence[tuple[str, Curves, str, str, bool]], wide: int = 2) -> None:
    """Draws several pairs of axes, each (title, curves, labels of both axes, whether y is logarithmic). Raises OSError."""
    shown = [part for part in parts if any(points for _, points in part[1])]
    if not shown:
        return
    columns = min(wide, len(shown))
    rows = math.ceil(len(shown) / columns)
    figure = new_figure(0.75 * WIDTH_IN * columns, 0.8 * HEIGHT_IN * rows + 0.6, title)
    grid = figure.subplots(rows, columns, squeeze=False).flat
    for axes, (name, curves, x_label, y_label, log_y) in zip(grid, shown, strict=False):
        for label, points in curves:
            look = ALL_ORDERS if label == "all" else _look(label)
            draw(axes, [Curve("all (n!)" if label == "all" else _legend(label), points, *look)])
        axes.set_title(name)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        if log_y:
            axes.set_yscale("log")
            group_ticks(axes, "y")
        else:
            axes.set_ylim(bottom=0)
    for axes in list(figure.axes)[len(shown) :]:
        axes.remove()
    legend_below(figure, figure.axes[0])
    save(figure, file)


# -------------------------------------------------------------------------------------- the curves


def scale_curves(results: Results, workload: str, figure: Figure) -> Curves:
    """The curves of figures 7 to 10."""
    return [(label, results.curve(label, f"scales {workload}", figure.measure)) for label in figure.labels]


def bar_curves(results: Results, measure: Measure) -> Curves:
    """The curves of figure 6, over the workload's place."""
    curves = []
    for label in POLICIES:
        points = []
        for place, workload in enumerate(WORKLOADS):
            try:
                points.append((float(place), mean(results, workload, label, measure)))
            except Missing:
                continue
        curves.append((label, points))
    return curves


def tau_curves(results: Results, measure: Measure) -> Curves:
    """The curves of figures 4 and 5."""
    return [(label, tau_curve(results, label, measure)) for label in TAUS]


def growth_curves(results: Results, workload: str) -> Curves:
    """The curves of figure 11: log10 of the schedules that an arrival makes, and of all possible ones."""
    curves = [(label, growth_curve(results, label, workload, log_created)) for label in GROWN]
    return [*curves, ("all", growth_curve(results, FITTED_U, workload, orders))]


def _windows(results: Results, workload: str) -> list[tuple[float, Result, Result]]:
    """The windows between neighbouring lengths of the sweep over time. A shorter run's requests are the first of the longer
    one's.
    """
    sweep, label = f"time {workload}", FITTED_U
    lengths = results.loads(label, sweep)
    runs = [next(iter(results.seeds_at(Point(label, length, sweep)).values())) for length in lengths]
    windows = zip(lengths[1:], runs, runs[1:], strict=False)
    return [(length, before, run) for length, before, run in windows if run["requests"] > before["requests"]]


def time_curves(results: Results, workload: str) -> Curves:
    """The curves of figure 12: log10 of the mean within each window of arrivals, for one seed."""
    made, possible = [], []
    for length, before, run in _windows(results, workload):
        arrivals = run["requests"] - before["requests"]
        made.append((length, Interval(math.log10(max(1, run["created"] - before["created"]) / arrivals), math.nan, 1)))
        more, less = run["orders_sum_log10"], before["orders_sum_log10"]
        if more > less:
            log = more + math.log10(1 - 10 ** (less - more)) - math.log10(arrivals)
            possible.append((length, Interval(log, math.nan, 1)))
    return [(FITTED_U, made), ("all", possible)]


LOG_LABEL = "schedules, log10"


def draw_gscan(results: Results, folder: Path) -> None:
    """Draws figure-4.png to figure-12.png, as far as there are points. Raises OSError."""
    panels(
        folder / "figure-4.png", "Groups over tau, workload 5",
        [("", tau_curves(results, UNITS), TAU_LABEL, "units in the mean", False)], 1,
    )  # fmt: skip
    panels(
        folder / "figure-5.png", "The effect of grouping, workload 5",
        [(number, tau_curves(results, measure), TAU_LABEL, y_label, measure == CREATED)
         for number, measure, y_label, _ in TAU_FIGURES],
    )  # fmt: skip
    _draw_bars(results, folder / "figure-6.png")
    for figure in SCALE_FIGURES:
        panels(
            folder / f"figure-{figure.number}.png", f"Figure {figure.number}",
            [(f"workload {one}", scale_curves(results, one, figure), SCALE_LABEL, figure.y_label, figure.log_y)
             for one in SCALED],
        )  # fmt: skip
    for number, curves, x_label in (("11", growth_curves, SCALE_LABEL), ("12", time_curves, "requests so far")):
        panels(
            folder / f"figure-{number}.png", f"Figure {number}: schedules made by an arrival, and all that there are",
            [(f"workload {one}", curves(results, one), x_label, LOG_LABEL, False) for one in SCALED],
        )  # fmt: skip


def _draw_bars(results: Results, file: Path) -> None:
    parts = [(name, bar_curves(results, measure), y_label) for name, measure, y_label, _ in BAR_FIGURES]
    if not any(points for _, curves, _ in parts for _, points in curves):
        return
    figure = new_figure(1.6 * WIDTH_IN, 1.75 * HEIGHT_IN, "Workloads at their own scale, 95 % intervals")
    for axes, (name, curves, y_label) in zip(figure.subplots(2, 2).flat, parts, strict=True):
        width = 0.8 / len(curves)
        for number, (label, points) in enumerate(curves):
            bars = [0 if math.isnan(value.half) else value.half for _, value in points]
            places = [place + (number - (len(curves) - 1) / 2) * width for place, _ in points]
            axes.bar(places, [value.mean for _, value in points], width, yerr=bars, label=label, color=_look(label)[0])
        axes.set_xticks(range(len(WORKLOADS)), WORKLOADS)
        axes.set_title(name)
        axes.set_xlabel("workload")
        axes.set_ylabel(y_label)
        if name == "(c)":
            axes.set_yscale("log")
            group_ticks(axes, "y")
    legend_below(figure, figure.axes[0])
    save(figure, file)


# ---------------------------------------------------------------------------------------- the page


def _cells(labels: Sequence[str], text: Callable[[str, str], str]) -> str:
    """A row for each policy, and a column for each workload. Policies without any value are left out."""
    lines = ["| policy | " + " | ".join(f"workload {one}" for one in WORKLOADS) + " |", "|---" * (len(WORKLOADS) + 1) + "|"]
    for label in labels:
        cells = []
        for workload in WORKLOADS:
            try:
                cells.append(text(workload, label))
            except Missing:
                cells.append("")
        if any(cells):
            lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def every_label(results: Results) -> list[str]:
    """The labels at the original scale, in the order of the declaration."""
    found: dict[str, None] = {}
    for workload in WORKLOADS:
        for sweep in ("workload", "references", "literal", "others"):
            found |= dict.fromkeys(results.labels(f"{sweep} {workload}"))
    return list(found)


def _workload_tables(results: Results) -> str:
    labels = every_label(results)
    parts = []
    measures = [(y_label, measure, form) for _, measure, y_label, form in BAR_FIGURES]
    for title, measure, form in (*measures, *MORE):
        rows = _cells(labels, lambda one, label, m=measure, f=form: mean(results, one, label, m).text(f))
        parts += [f"### Figure 6: {title}\n", rows] if rows else []
    return "\n".join(parts)


def _signs_section(results: Results) -> str:
    labels = [label for label in every_label(results) if label != OURS]
    parts = []
    for title, measure in (("misses", missed), ("average response", RESPONSE), ("total seek distance", DISTANCE)):
        rows = _cells(labels, lambda one, label, m=measure: sign_text(signs(results, one, label, m)))
        parts += [f"### {title[0].upper()}{title[1:]}\n", rows] if rows else []
    if not parts:
        return ""
    return f"""## Seed by seed against gscan

Of each policy: `+` has more than gscan in every seed, `-` less in every seed, `=` as much in every seed. Else in how many seeds
it has more, and less.

{chr(10).join(parts)}"""


def _figure_tables(results: Results) -> str:
    parts = []
    rows = rows_of("tau", tau_curves(results, UNITS), "{:.2f}")
    if rows:
        parts.append(f"### Figure 4: units in the mean, workload 5\n\n{rows}\n![figure 4](figure-4.png)\n")
    for number, measure, title, form in TAU_FIGURES:
        rows = rows_of("tau", tau_curves(results, measure), form)
        parts += [f"### Figure {number}: {title}, workload 5\n\n{rows}"] if rows else []
    if len(parts) > 1:
        parts.append("![figure 5](figure-5.png)\n")
    for figure in SCALE_FIGURES:
        for workload in SCALED:
            rows = rows_of("scale", scale_curves(results, workload, figure), figure.form)
            parts += [f"### Figure {figure.number}: {figure.y_label}, workload {workload}\n\n{rows}"] if rows else []
        parts.append(f"![figure {figure.number}](figure-{figure.number}.png)\n")
    for number, curves, x_label in (("11", growth_curves, "scale"), ("12", time_curves, "requests")):
        for workload in SCALED:
            rows = rows_of(x_label, curves(results, workload), "{:.2f}")
            title = "log10 of schedules made by an arrival, and of all"
            parts += [f"### Figure {number}: {title}, workload {workload}\n\n{rows}"] if rows else []
        parts.append(f"![figure {number}](figure-{number}.png)\n")
    parts.append("In figure 12 a window of arrivals has no point of `all` where its sum of n! is lost beside that of the arrivals before.\n")
    return "\n".join(parts)


# Regions in which the files lie, by the names of their sweeps behind the workload's.
LAYOUTS = (
    *((f"region {{}}, {factor:g}", f"a region of {factor:g} times their size") for factor in (1, 1.5, 3.6, 12, 22, 40)),
    ("apart {}", "far apart"),
    ("disk {}", "over the whole disk"),
)


def _layouts(results: Results) -> str:
    lines = []
    for workload in SCALED:
        for pattern, name in LAYOUTS:
            sweep = pattern.format(workload)
            for label in results.labels(sweep):
                one = Point(label, ORIGINAL, sweep)
                cells = [results.mean(one, measure).text(form) for _, measure, _, form in BAR_FIGURES]
                lines.append(f"| {workload}, {name} | {label} | " + " | ".join(cells) + " |")
    if not lines:
        return ""
    head = "| workload, files in | policy | " + " | ".join(label for _, _, label, _ in BAR_FIGURES) + " |"
    return "## Layouts\n\n" + "\n".join([head, "|---" * 6 + "|", *lines]) + "\n"


def gscan_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(CLAIMS, results)
    tally = verdicts_text(counts)
    return f"""## The claims

Paraphrased from T. Kim, H. Bahn, Y. Won, "A Pruning-based Disk Scheduling Algorithm for Heterogeneous I/O Workloads", section 4.
A claim *holds* when the whole 95 % interval (Student's t over the seeds) of each of its numbers lies in the range asked for.
Differences and ratios are taken seed by seed: all policies serve the same requests. [RULES.md](../RULES.md) has what words mean.
Of responses and of n!, whose tail is heavy, rows have the median of the seeds and its interval. With U = 5,000 runs are shorter: a drive has no
room for it, and a search of it no time.

{tally}.

{table}
## Two drives, side by side

{side_by_side(results, DRIVES, "ideal")}
{_signs_section(results)}
## The figures

{_workload_tables(results)}
![figure 6](figure-6.png)

{_figure_tables(results)}
{_layouts(results)}
{table_1(results)}"""
