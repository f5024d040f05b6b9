# SPDX-License-Identifier: Apache-2.0
"""The remapping experiment: gains by map, depth and gap; pictures, and the page."""

from collections.abc import Sequence
from pathlib import Path

from claims import claims_table, verdicts_text
from interval import Interval
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw, style
from remap_aims import aims
from remap_checks import (
    ANGLE,
    DISTANCE,
    DRIFT,
    ESTIMATED,
    EXPONENTIAL,
    FROM_IDENTITY,
    GAP,
    HALF,
    HALF_2,
    IN_ORDER,
    NO_ANGLE,
    ONE_WALK,
    ORGAN,
    OWN_CONTROLLER,
    POPULARITY,
    SEEK,
    SERVED,
    SERVICE,
    STF,
    TABLE,
    TRANSFER,
    UNIFORM,
    UNMAPPED,
    WSCAN,
    WSCAN_ONE_WALK,
    gain,
    gain_between,
)
from remap_claims import paper_claims
from remap_tables import draw_paper, paper_sections
from results import Missing, Point, Results

MAPS = (ORGAN, DISTANCE, FROM_IDENTITY, SEEK, TRANSFER, NO_ANGLE, ANGLE, HALF, HALF_2, POPULARITY, TABLE)
LOOKS = {
    ORGAN: (style.SKY, "v"),
    DISTANCE: (style.ORANGE, "s"),
    FROM_IDENTITY: (style.ORANGE, "P"),
    SEEK: (style.GREEN, "<"),
    TRANSFER: (style.GREEN, "^"),
    NO_ANGLE: (style.PURPLE, "*"),
    ANGLE: (style.VERMILION, "D"),
    HALF: (style.BLUE, "p"),
    HALF_2: (style.BLUE, "h"),
    POPULARITY: (style.GREY, "X"),
    TABLE: (style.BLACK, "o"),
}
GAIN_LABEL = "gain over unmapped, %"
Column = tuple[str, str, float]  # title, sweep, load
DEPTHS: tuple[Column, ...] = (
    ("FCFS, estimated chain", ESTIMATED, 1),
    ("FCFS", GAP, 0),
    *((f"wscan {depth}", WSCAN, depth) for depth in (4, 8, 16)),
    *((f"wscan {depth}, one walk", WSCAN_ONE_WALK, depth) for depth in (4, 8, 16)),
    *((f"stf {depth}", STF, depth) for depth in (4, 8, 16, 32)),
    ("stf 32, one walk", ONE_WALK, 32),
)
GAPS: tuple[Column, ...] = (
    *((f"{gap:g} ms", GAP, gap) for gap in (0, 0.5, 2, 5)),
    *((f"exp {gap} ms", EXPONENTIAL, gap) for gap in (2, 5, 20)),
)
OTHERS: tuple[Column, ...] = (
    ("uniform", UNIFORM, 1),
    *((f"drift {drift:g}", DRIFT, drift) for drift in (0, 0.1, 0.3)),
    ("files in order", IN_ORDER, 1),
    ("the drive's own controller", OWN_CONTROLLER, 1),
)
PARTS = ("seek_ms", "settle_ms", "head_switch_ms", "rotation_ms", "media_transfer_ms")


def gain_curve(results: Results, label: str, sweep: str) -> list[tuple[float, Interval]]:
    """The gain over the axis of a sweep."""
    points = []
    for load in results.loads(label, sweep):
        try:
            points.append((load, gain(results, label, load, sweep)))
        except Missing:
            continue
    return points


def draw_remap(results: Results, folder: Path) -> None:
    """Draws the figures of the paper's sections, and gains.png: gains over the depth and over gaps. Raises OutputError."""
    draw_paper(results, folder)
    panels = (
        ("wscan, K walks with a request each", WSCAN, "walks"),
        ("wscan, one walk with K requests", WSCAN_ONE_WALK, "requests outstanding"),
        ("stf, K walks with a request each", STF, "walks"),
        ("one outstanding, by steady gap", GAP, "gap, ms"),
        ("one outstanding, by exponential gap", EXPONENTIAL, "mean gap, ms"),
    )
    shown = [(title, sweep, label) for title, sweep, label in panels if any(gain_curve(results, one, sweep) for one in MAPS)]
    if not shown:
        return
    rows = (len(shown) + 1) // 2
    figure = style.new_figure(1.5 * WIDTH_IN, 0.85 * HEIGHT_IN * rows + 0.6, "What a map saves of the mean service time")
    grid = figure.subplots(rows, 2, squeeze=False).flat
    for axes, (title, sweep, x_label) in zip(grid, shown, strict=False):
        draw(axes, [Curve(label, gain_curve(results, label, sweep), *LOOKS[label]) for label in MAPS])
        axes.set(title=title, xlabel=x_label, ylabel=GAIN_LABEL)
        axes.set_ylim(bottom=0)
        axes.set_xticks(sorted({load for label in MAPS for load in results.loads(label, sweep)}))
    for axes in list(figure.axes)[len(shown) :]:
        axes.remove()
    style.legend_below(figure, *figure.axes)
    style.save(figure, folder / "gains.png")


def _gain_rows(results: Results, columns: Sequence[Column]) -> str:
    """A row for each map, with the service time without any first. Columns without runs are left out."""
    there = [column for column in columns if UNMAPPED in results.labels(column[1])]
    if not there:
        return ""
    lines = ["| map | " + " | ".join(title for title, _, _ in there) + " |", "|---" * (len(there) + 1) + "|"]
    for label in (UNMAPPED, *MAPS):
        cells = []
        for _, sweep, load in there:
            try:
                cells.append(
                    f"{results.mean(Point(label, load, sweep), SERVICE).mean:.2f} ms"
                    if label == UNMAPPED
                    else gain(results, label, load, sweep).text()
                )
            except Missing:
                cells.append("")
        if any(cells):
            lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _anatomy(results: Results, title: str, sweep: str, load: float) -> str:
    """The table of the parts of a service."""
    lines = []
    for label in (UNMAPPED, *MAPS):
        try:
            point = Point(label, load, sweep)
            seek, settle, switch, rotation, transfer = (results.mean(point, part).mean for part in PARTS)
            cells = [results.mean(point, SERVICE).mean, seek + settle + switch, rotation, transfer]
        except Missing:
            continue
        lines.append(f"| {label} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    if not lines:
        return ""
    head = f"| {title} | service | seek and head switch | rotation | transfer |"
    return "\n".join([head, "|---" * 5 + "|", *lines]) + "\n"


def _as_served(results: Results) -> str:
    """The gains of maps that were learned as served, beside those of maps that were learned from arrivals."""
    lines = ["| map | tested under | learned from the order of service | of arrivals |", "|---" * 4 + "|"]
    for sweep, load in ((WSCAN, 8), (WSCAN_ONE_WALK, 8), (STF, 32)):
        for label in results.labels(f"{sweep}{SERVED}"):
            plain = label.removesuffix(SERVED).removesuffix(" one walk")
            try:
                cells = (gain_between(results, label, f"{sweep}{SERVED}", sweep, load), gain(results, plain, load, sweep))
            except Missing:
                continue
            lines.append(f"| {plain} | {sweep}, {load} outstanding | " + " | ".join(cell.text() for cell in cells) + " |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def remap_page(results: Results) -> str:
    """The page's body in Markdown."""
    paper, paper_counts = claims_table(paper_claims(), results)
    ours, our_counts = claims_table(aims(), results)

    anatomies = "\n".join(
        _anatomy(results, *one)
        for one in (("FCFS, mean ms", GAP, 0), ("stf, 32 walks, mean ms", STF, 32), ("wscan, 16 walks, mean ms", WSCAN, 16))
    )
    return f"""## The paper's claims

Paraphrased from Geist, Suggs, Reynolds and others, "Disk Performance Enhancement through Markov-based Cylinder Remapping". The
table has each number and each comparison of its text and of its table 1. A claim *holds* when the whole 95 % interval (Student's t over the seeds) of
each of its numbers lies in the range asked for. [RULES.md](../RULES.md) has what words mean. A gain is the part of the mean service
time without a map that a map saves, in percent, seed by seed.

The map `distance` is annealed from the pipe organ, and `distance from identity` from the paper's start. `listing` is annealed by the
paper's listing as it is printed. The paper's statements about implementation are shown elsewhere:
[a drive that moves its blocks](../../../docs/remapping.md), [a pair of drives](../../remap/README.md#a-pair-of-drives).

{verdicts_text(paper_counts)}.

{paper}
## Beyond the paper

{verdicts_text(our_counts)}.

{ours}
{paper_sections(results)}
## Gains

Each map is made of a day of 163,681 accesses, and tested with another walk on the same chain. The first row is the mean service time
without a map. Gains are in percent, with 95 % intervals.

{_gain_rows(results, DEPTHS)}
One request outstanding, by the gap from the end of a request to the next. The map *half and half* is made for the gap of its column,
all others for none.

{_gain_rows(results, GAPS)}
Other workloads, one request outstanding. *Drift*: so many of the files have moved since the day that was learned from.

{_gain_rows(results, OTHERS)}
![gains](gains.png)

## Learned from the order of service

The same maps, made of what the scheduler served on the drive without a map, and of one walk in its own order.

{_as_served(results)}
## What a service consists of

With several requests outstanding the controller's overhead of a command overlaps with the service of others. So a service is the sum
of the parts, but for the wait for the next command.

{anatomies}"""
