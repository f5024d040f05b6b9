# SPDX-License-Identifier: Apache-2.0
"""The pictures of "Scheduling I/O Requests with Deadlines", in the form of its figures 6-1 to 7-7, and its page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from claims import claims_table, verdicts_text
from deadline_model import READINGS
from deadlines_checks import (
    ALL,
    EQUAL,
    MANAGED,
    RANGE,
    READS,
    SIZE,
    THRESHOLD,
    TRADITIONAL,
    WRITES,
    all_missed,
    band_share,
    reads_missed,
    writes_missed,
)
from deadlines_claims import CLAIMS
from deadlines_media_writes import media_writes_section
from interval import Interval
from pictures import Curve, look, picture
from records import BANDS
from results import Measure, Missing, Point, Results

READS_MISSED, WRITES_MISSED, MISSED = "missed read deadlines, %", "missed write deadlines, %", "missed deadlines, %"
READS_LABEL, WRITES_LABEL = "reads a second", "writes a second"
SATURATED = 36  # reads a second: beyond it the paper leaves fcfs and edf out of figures 6-1 and 6-3
AREA_RATE = 36  # rate of figure 6-5


@dataclass(frozen=True)
class Figure:
    """One of the paper's figures: curves over the axis of a sweep."""

    number: str
    title: str
    sweep: str
    labels: tuple[str, ...]
    measure: Measure
    x_label: str
    y_label: str
    form: str = "{:.2f}"
    saturates: tuple[str, ...] = ()  # policies drawn up to SATURATED alone


SLOW = ("fcfs", "edf")
FIGURES = (
    Figure("6-1", "Slack 50 ms", EQUAL, ALL, reads_missed, READS_LABEL, READS_MISSED, saturates=SLOW),
    Figure(
        "6-2", "Mean seek distance, slack 50 ms", EQUAL, ALL, "distance_mean_pages", READS_LABEL, "tracks", "{:.1f}"
    ),
    Figure("6-3", "Slack 10 to 100 ms", RANGE, ALL, reads_missed, READS_LABEL, READS_MISSED, saturates=SLOW),
    Figure(
        "6-4", "Mean tardy time, slack 10 to 100 ms", RANGE, ALL, "tardy_mean_ms", READS_LABEL,
        "mean tardy time, ms", "{:.1f}", SLOW,
    ),
    Figure(
        "7-1", "10 writes a second, with and without buffer", READS,
        (*TRADITIONAL, "sstf(B)", "scan(B)"), reads_missed, READS_LABEL, READS_MISSED,
    ),
    Figure(
        "7-2", "10 writes a second, with and without buffer", READS,
        (*TRADITIONAL, "sstf(B)", "scan(B)"), writes_missed, READS_LABEL, WRITES_MISSED,
    ),
    Figure("7-3", "Reads vary, 10 writes a second", READS, MANAGED, reads_missed, READS_LABEL, READS_MISSED),
    Figure("7-4", "Reads vary, 10 writes a second", READS, MANAGED, writes_missed, READS_LABEL, WRITES_MISSED),
    Figure(
        "7-5", "Writes vary, 12 reads a second", WRITES, (*TRADITIONAL, *MANAGED), all_missed, WRITES_LABEL, MISSED
    ),
    Figure(
        "7-6", "Buffer size, 20 reads and 16 writes a second", SIZE, (*TRADITIONAL, *MANAGED),
        reads_missed, "frames of the buffer", READS_MISSED,
    ),
    Figure(
        "7-7", "Space threshold, 16 reads and 20 writes a second", THRESHOLD,
        ("fcfs(B)", "sstf(B)", "scan(B)", "fdscan"), reads_missed, "space threshold, frames", READS_MISSED,
    ),
)  # fmt: skip
AREAS = "6-5"
AREAS_TITLE = f"Where deadlines are missed, {AREA_RATE} reads a second"


def _points(results: Results, figure: Figure, label: str) -> list[tuple[float, Interval]]:
    """The points of a curve. A space threshold has no effect on fdscan, so one run of it fills all of figure 7-7."""
    return results.curve(label, figure.sweep, figure.measure)


def _areas(results: Results, label: str) -> list[tuple[float, Interval]]:
    try:
        return [
            (band, results.mean(Point(label, AREA_RATE, RANGE), band_share(band, band))) for band in range(1, BANDS + 1)
        ]
    except Missing:
        return []


def _curve(label: str, points: Sequence[tuple[float, Interval]]) -> Curve:
    """A curve. A policy with the buffer has the look of the one without, with a solid line."""
    colour, marker = look(label.removesuffix("(B)"))
    return Curve(label, points, colour, marker, "-")


def draw_deadlines(results: Results, folder: Path) -> None:
    """Draws figure-6-1.png to figure-7-7.png, as far as there are points. Raises OSError."""
    for figure in FIGURES:
        curves = []
        for label in figure.labels:
            points = _points(results, figure, label)
            if label in figure.saturates:
                points = [(x, value) for x, value in points if x <= SATURATED]
            curve = _curve(label, points)
            dashed = label in TRADITIONAL and figure.sweep not in (EQUAL, RANGE)
            curves.append(Curve(label, points, curve.colour, curve.marker, "--") if dashed else curve)
        file = folder / f"figure-{figure.number}.png"
        picture(file, figure.title, curves, figure.x_label, figure.y_label, axis="plain")
    picture(
        folder / f"figure-{AREAS}.png", AREAS_TITLE,
        [_curve(label, _areas(results, label)) for label in ALL],
        "tenth of the disk", "part of all missed deadlines, %", axis="plain",
    )  # fmt: skip


def rows_of(title: str, curves: Sequence[tuple[str, Sequence[tuple[float, Interval]]]], form: str) -> str:
    """A table in Markdown: a row for each curve; empty without points."""
    xs = sorted({x for _, points in curves for x, _ in points})
    if not xs:
        return ""
    lines = [f"| {title} | " + " | ".join(f"{x:g}" for x in xs) + " |", "|---" * (len(xs) + 1) + "|"]
    for label, points in curves:
        of = dict(points)
        if of:
            lines.append(f"| {label} | " + " | ".join(of[x].text(form) if x in of else "" for x in xs) + " |")
    return "\n".join(lines) + "\n"


def figure_tables(results: Results) -> str:
    """Every figure as a table."""
    sections = []
    for figure in FIGURES:
        curves = [(label, _points(results, figure, label)) for label in figure.labels]
        rows = rows_of(figure.x_label, curves, figure.form)
        if rows:
            sections.append((figure.number, f"{figure.title}: {figure.y_label}", rows))
    rows = rows_of("tenth of the disk", [(label, _areas(results, label)) for label in ALL], "{:.2f}")
    if rows:
        sections.append((AREAS, f"{AREAS_TITLE}, slack 10 to 100 ms: part of all missed deadlines, %", rows))
    return "\n".join(
        f"### Figure {number}\n\n{title}.\n\n{rows}\n![figure {number}](figure-{number}.png)\n"
        for number, title, rows in sorted(sections)
    )


MEASURED = "7.1, measured"
READINGS_SWEEPS = (
    ("readings, reads", "30 reads, 10 writes a second"),
    ("readings, writes", "12 reads, 28 writes a second"),
)


def _reading_rows(results: Results, sweep: str) -> list[str]:
    """A row for each reading: reads and writes missed, of every policy."""
    labels = results.labels(sweep)
    lines = [f"| reading | {' | '.join(labels)} |", "|---" * (len(labels) + 1) + "|"]
    loads = {label: results.loads(label, sweep, "model")[0] for label in labels}
    for reading in READINGS:
        cells = []
        for label in labels:
            point = Point(label, loads[label], sweep, "model", reading=reading)
            cells.append(_both(results, point))
        lines.append(f"| {reading} | {' | '.join(cells)} |")
    return lines


def _both(results: Results, point: Point) -> str:
    """Reads and writes missed; empty if there is no such run."""
    try:
        return "; ".join(results.mean(point, measure).text("{:.2f}") for measure in (reads_missed, writes_missed))
    except Missing:
        return ""


def _drive_rows(results: Results, sweep: str, labels: Sequence[str]) -> list[str]:
    """The drive's rows at the same load, also with lambda measured if that was swept."""
    load = 30 if sweep == READS else 28
    known = [_both(results, Point(label, load, sweep)) for label in labels]
    measured = [_both(results, Point(f"{label}(measured)", load, MEASURED)) for label in labels]
    rows = [f"| *the drive* | {' | '.join(known)} |"]
    if sweep == READS and any(measured):
        rows.append(f"| *the drive, lambda measured* | {' | '.join(measured)} |")
    return rows


def readings_section(results: Results) -> str:
    """The section about other readings of the k-buffer and what they would change."""
    parts = []
    for (sweep, load), of in zip(READINGS_SWEEPS, (READS, WRITES), strict=True):
        labels = results.labels(sweep)
        if not labels:
            continue
        rows = _reading_rows(results, sweep) + _drive_rows(results, of, labels)
        parts.append(f"{load}; reads missed, %; writes missed, %:\n\n" + "\n".join(rows) + "\n")
    if not parts:
        return ""
    explained = "\n".join(f"| {name} | {text} |" for name, text in READINGS.items())
    return f"""## Other readings

The firmware has one reading of the k-buffer. deadline_model.py, the paper's simulator written down by itself, has the
others too, one at a time, on the same requests.

| reading | is |
|---|---|
{explained}

{chr(10).join(parts)}"""


BY_CONSTRUCTION = """Some sentences of the paper are true here by construction, and have no row. Arrivals, slacks, rates and sizes are
the paper's (tables 5-1 and 5-2). With equal slacks deadlines are 76 ms after their arrivals, and in the same order. The rates of
sections 6 and 7.1 have the same sums."""


def deadlines_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(CLAIMS, results)
    tally = verdicts_text(counts)
    return f"""## The claims

Paraphrased from R. Abbott, H. Garcia-Molina, "Scheduling I/O Requests with Deadlines: a Performance
Evaluation", RTSS 1990. [The rules of the verdicts](../RULES.md) are the same for all papers. Differences and ratios are
taken seed by seed: all policies serve the same requests.

{BY_CONSTRUCTION}

{tally}.

{table}
{media_writes_section(results)}{readings_section(results)}
## The figures

{figure_tables(results)}"""
