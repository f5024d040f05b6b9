# SPDX-License-Identifier: Apache-2.0
"""The movable-head experiment: formulas beside simulation, a picture in the form of figure 2, and the page."""

from collections.abc import Callable, Mapping
from pathlib import Path

import style
from claims import claims_table, verdicts_text
from drive_file import Drive
from movable_head_claims import (
    FITTED_LENGTH,
    LENGTHS,
    QUEUE,
    RATE,
    SWEEP_MEAN,
    in_units,
    movable_head_claims,
    throughput,
    variance_in_units,
)
from movable_head_formulas import (
    SWEEP_HIGH,
    SWEEP_LOW,
    Disk,
    fcfs_seek_ms,
    fcfs_service_ms,
    fcfs_service_printed_ms,
    moves_share,
    scan_seek_ms,
    scan_service_ms,
    sstf_seek_ms,
    sstf_seek_printed_ms,
    sstf_service_ms,
    sstf_service_printed_ms,
)
from movable_head_table import PAPERS, POLICIES, level_rows, papers, scale_of, table_rows
from pictures import WIDTH_IN, Curve, draw, look, picture, plain
from results import Measure, Missing, Point, Results


def _measures(unit_ms: float) -> dict[str, Measure]:
    return {
        "turnaround": in_units("response_mean_ms", unit_ms),
        "waiting": in_units("waiting_mean_ms", unit_ms),
        "variance": variance_in_units(unit_ms),
        "throughput": throughput(unit_ms),
    }


def _draw_figure_2(results: Results, unit_ms: float, folder: Path) -> None:
    """Our four indicators in the paper's scale, with its numbers as marks."""
    figure = style.new_figure(1.5 * WIDTH_IN, 9, "Figure 2: 18 terminals (marks without lines: the paper's numbers)")
    for axes, (name, measure) in zip(figure.subplots(2, 2).flat, _measures(unit_ms).items(), strict=True):
        scale = scale_of(results, name, measure)
        ours = [
            Curve(label, [(load, value.scaled(scale)) for load, value in results.curve(label, RATE, measure)], *look(label))
            for label in results.labels(RATE)
        ]
        theirs = [
            Curve(
                f"{label}, paper",
                plain([(rate, papers(name, label, rate)) for rate in PAPERS]),
                look(label)[0],
                look(label)[1],
                "",
            )
            for label in POLICIES
        ]
        draw(axes, [*ours, *theirs])
        axes.set_title(name)
        axes.set_xlabel("requests in a unit of time")
        axes.set_ylabel("served in a unit" if name == "throughput" else "the paper's scale: fcfs at 100")
        axes.set_ylim(bottom=0)
    style.legend_below(figure, *figure.axes)
    style.save(figure, folder / "figure-2.png")


def _draw_lengths(results: Results, folder: Path) -> None:
    """Served over fcfs's when all terminals wait, over the mean length of a request."""
    curves = []
    for terminals, sweep in LENGTHS.items():
        for label in ("sstf", "scan"):
            points = [
                (load, results.ratio(Point("fcfs", load, sweep), Point(label, load, sweep), "io_ms"))
                for load in results.loads(label, sweep)
            ]
            curves.append(Curve(f"{label}, {terminals} terminals", points, look(label)[0], look(label)[1], "-" if terminals == 18 else ":"))
    for label, served in (("sstf", 70), ("scan", 75)):
        curves.append(Curve(f"{label}, paper", plain([(1, served / 60), (48, served / 60)]), look(label)[0], "", "--"))
    picture(
        folder / "lengths.png",
        "Requests served, over those of fcfs, when all terminals wait",
        curves,
        "mean length of a request, blocks",
        "served over fcfs's",
    )


def draw_movable_head(results: Results, drive: Drive, unit_ms: float, folder: Path) -> None:
    """Draws figure-2.png, lengths.png, and formulas.png (service time over the load). Raises OSError."""
    if "fcfs" in results.labels(RATE) and 100 in results.loads("fcfs", RATE):
        _draw_figure_2(results, unit_ms, folder)
    if any(results.labels(sweep) for sweep in LENGTHS.values()):
        _draw_lengths(results, folder)
    disk = Disk.of(drive)
    curves: list[Curve] = []
    formulas: dict[str, Callable[[int], float]] = {
        "fcfs": lambda load: fcfs_service_ms(disk),
        "sstf": lambda load: sstf_service_ms(disk, load),
        "scan": lambda load: scan_service_ms(disk, load, SWEEP_MEAN),
    }
    for label in results.labels(QUEUE):
        loads = results.loads(label, QUEUE)
        curves.append(
            Curve(f"{label}, simulated", results.curve(label, QUEUE, "io_ms"), look(label)[0], look(label)[1], "")
        )
        if label in formulas:
            curves.append(
                Curve(
                    f"{label}, formula",
                    plain([(load, formulas[label](load)) for load in loads]),
                    look(label)[0],
                    "",
                    "-",
                )
            )
    if "fcfs" in results.labels(QUEUE):
        loads = results.loads("fcfs", QUEUE)
        curves.append(
            Curve(
                "fcfs, formula (5) as printed",
                plain([(load, fcfs_service_printed_ms(disk)) for load in loads]),
                style.GREY,
                "",
                ":",
            )
        )
    picture(
        folder / "formulas.png",
        "Service time over the load: formulas and simulation",
        curves,
        "requests to choose from",
        "service time, ms",
    )


def _mean_text(results: Results, label: str, load: int, measure: Measure, form: str = "{:.3f}") -> str:
    try:
        value = results.mean(Point(label, load, QUEUE), measure)
    except Missing:
        return ""
    return form.format(value.mean) if value.count == 1 else f"{form.format(value.mean)} ± {form.format(value.half)}"


def _formula_rows(results: Results, disk: Disk) -> list[str]:
    lines = [
        "| L | (5) printed | (5) corrected | fcfs simulated | (7), (6) printed | (7), (6) corrected | sstf simulated "
        f"| (9), L'/L = {SWEEP_LOW} and {SWEEP_HIGH} | scan simulated | L'/L simulated |",
        "|---" * 10 + "|",
    ]
    loads = sorted({load for label in results.labels(QUEUE) for load in results.loads(label, QUEUE)})
    for load in loads:
        lines.append(
            f"| {load} | {fcfs_service_printed_ms(disk):.3f} | {fcfs_service_ms(disk):.3f} "
            f"| {_mean_text(results, 'fcfs', load, 'io_ms')} "
            f"| {sstf_service_printed_ms(disk, load):.3f} | {sstf_service_ms(disk, load):.3f} "
            f"| {_mean_text(results, 'sstf', load, 'io_ms')} "
            f"| {scan_service_ms(disk, load, SWEEP_LOW):.3f}, {scan_service_ms(disk, load, SWEEP_HIGH):.3f} "
            f"| {_mean_text(results, 'scan', load, 'io_ms')} "
            f"| {_mean_text(results, 'scan', load, lambda result, load=load: result['requests_per_sweep'] / load)} |"
        )
    return lines


def _seek_rows(results: Results, disk: Disk) -> list[str]:
    lines = [
        "| L | (4) | fcfs simulated | (6) printed | (6) corrected | sstf simulated | (8) | scan simulated "
        "| F of (7), (9) |",
        "|---" * 9 + "|",
    ]
    loads = sorted({load for label in results.labels(QUEUE) for load in results.loads(label, QUEUE)})
    for load in loads:
        # The formulas' seek is that of a request on another cylinder. A mean over all requests includes seeks of 0.
        share = moves_share(disk, load)
        lines.append(
            f"| {load} | {fcfs_seek_ms(disk):.3f} | {_mean_text(results, 'fcfs', load, 'seek_mean_ms')} "
            f"| {sstf_seek_printed_ms(disk, load):.3f} | {sstf_seek_ms(disk, load):.3f} "
            f"| {_mean_text(results, 'sstf', load, 'seek_mean_ms')} "
            f"| {scan_seek_ms(disk, load, SWEEP_LOW):.3f}, {scan_seek_ms(disk, load, SWEEP_HIGH):.3f} "
            f"| {_mean_text(results, 'scan', load, 'seek_mean_ms')} | {share:.4f} |"
        )
    return lines


def _rows_or_missing(
    rows: Callable[[Results, Mapping[str, Measure]], list[str]], results: Results, unit_ms: float
) -> str:
    try:
        return "\n".join(rows(results, _measures(unit_ms)))
    except Missing as missing:
        return f"Not measured: no {missing}."


def movable_head_page(results: Results, drive: Drive, unit_ms: float) -> str:
    """The page's body in Markdown."""
    disk = Disk.of(drive)
    table, counts = claims_table(movable_head_claims(disk, unit_ms), results)
    tally = verdicts_text(counts)
    lines = "\n".join
    return f"""## The formulas

M. M. Salem, "Performance Evaluation of Movable Head Disk Schedulers"; times in milliseconds. What is corrected: (5) has
P and 1 - P exchanged; (6) subtracts 1 from a time times cylinders (why: host/experiment/movable_head_formulas.py). L is
the number of requests to choose from, constant in the simulation; 95 % intervals over the seeds.
S_min = {disk.seek_min_ms:.3f} ms, S_max = {disk.seek_max_ms:.3f} ms, A = {disk.latency_ms:.3f} ms,
B = {disk.same_cylinder_sectors:.3f} sectors.

Service time:

{lines(_formula_rows(results, disk))}

Seek time. A simulated mean is over all requests, those that move nothing included; F is the share of those that do in
(7) and (9).

{lines(_seek_rows(results, disk))}

## Figure 2

The paper's computer has 18 terminals. After each request a terminal waits for a think time before it sends the next one. Think times
are exponential. Their mean is such that the given number of requests comes in a unit of time if requests take no time. The paper
gives neither the unit nor the lengths of requests. Our unit is {unit_ms:.0f} ms, in which FCFS can serve the 60 requests that figure 2
has for it at most. Lengths are uniform,
with a mean of {FITTED_LENGTH} blocks, for which SCAN serves 75 / 60 of FCFS's requests, as in figure 2 (`lengths.png`). The other three
indicators are in a scale by which FCFS at 100 requests is the paper's number. These four choices are fitted.

Each indicator over that of FCFS, as "the paper's / ours", in the three levels of section 3:

{_rows_or_missing(level_rows, results, unit_ms)}

All 144 numbers, likewise; what was fitted is in italics:

{_rows_or_missing(table_rows, results, unit_ms)}

## The claims

[RULES.md](../RULES.md) says what the verdicts and the paper's words mean.

{tally}.

{table}
## The figures

| | |
|---|---|
| figure-2.png | turnaround, waiting time, variance and throughput over the rate |
| lengths.png | requests served over those of FCFS, over the length of a request, when all terminals wait |
| formulas.png | service time over the load: formulas and simulation |
"""
