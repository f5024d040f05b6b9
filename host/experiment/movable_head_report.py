# SPDX-License-Identifier: Apache-2.0
"""The movable-head experiment: formulas beside simulation, a picture in the form of figure 2, and the page."""

from collections.abc import Callable
from pathlib import Path

import style
from claims import claims_table, verdicts_text
from drive_file import Drive
from movable_head_claims import QUEUE, RATE, SWEEP_MEAN, in_units, movable_head_claims, throughput, variance_in_units
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
from pictures import WIDTH_IN, Curve, draw, look, picture, plain
from results import Measure, Missing, Point, Results


def _indicators(unit_ms: float) -> list[tuple[str, Measure]]:
    return [
        ("turnaround time", in_units("response_mean_ms", unit_ms)),
        ("waiting time", in_units("waiting_mean_ms", unit_ms)),
        ("variance of the turnaround time", variance_in_units(unit_ms)),
        ("throughput", throughput(unit_ms)),
    ]


def draw_movable_head(results: Results, drive: Drive, unit_ms: float, folder: Path) -> None:
    """Draws figure-2.png (four indicators over the rate) and formulas.png (service time over the load). Raises OSError."""
    if results.labels(RATE):
        figure = style.new_figure(1.5 * WIDTH_IN, 9, "Movable head disk schedulers under arrivals")
        for axes, (name, measure) in zip(figure.subplots(2, 2).flat, _indicators(unit_ms), strict=True):
            draw(
                axes,
                [Curve(label, results.curve(label, RATE, measure), *look(label)) for label in results.labels(RATE)],
            )
            axes.set_title(name)
            axes.set_xlabel("requests in a unit of time")
            axes.set_ylabel(
                "served in a unit" if name == "throughput" else "units²" if name.startswith("variance") else "units"
            )
            if name == "throughput":
                axes.set_ylim(bottom=0)
            else:
                axes.set_yscale("log")  # The axis spans the empty and the saturated disk.
                style.group_ticks(axes, "y")
        style.legend_below(figure, *figure.axes)
        style.save(figure, folder / "figure-2.png")
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

## The order relations

Requests arrive by themselves (Poisson). The paper names no unit of time; ours is {unit_ms:.3f} ms, in which FCFS can
serve as many requests as the largest throughput that figure 2 has for it. Past that rate the queue grows as long as
requests arrive, and every time in it with the number of requests in a run: figure 2's absolute times cannot be had, its
order relations can.

{tally}.

{table}
## The figures

| | |
|---|---|
| figure-2.png | turnaround, waiting time, variance and throughput over the rate |
| formulas.png | service time over the load: formulas and simulation |
"""
