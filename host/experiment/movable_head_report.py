"""The movable-head experiment: formulas beside simulation, a picture in the form of figure 2, and its order relations."""

from collections.abc import Callable
from pathlib import Path

import style
from claims import INFINITE, Claim, Finding, claims_table, exactly
from drive_file import Drive
from interval import Interval
from movable_head_formulas import (
    SWEEP_HIGH, SWEEP_LOW, Disk, fcfs_seek_ms, fcfs_service_ms, fcfs_service_printed_ms, moves_share, scan_seek_ms,
    scan_service_ms, sstf_seek_ms, sstf_seek_printed_ms, sstf_service_ms, sstf_service_printed_ms)
from pictures import WIDTH_IN, Curve, draw, look, picture, plain
from results import Measure, Missing, Point, Result, Results

QUEUE, RATE = "queue", "rate"
POLICIES = ("fcfs", "sstf", "scan")
LOW_RATE, MODERATE_RATES, HEAVY_RATES = 10, (30, 40), (70, 80, 90, 100)
ALIKE, MUCH = 0.10, 1.25
SWEEP_MEAN = (SWEEP_LOW + SWEEP_HIGH) / 2


def in_units(measure: str, unit_ms: float) -> Callable[[Result], float]:
    """A time in the experiment's units."""
    return lambda result: float(result[measure]) / unit_ms


def variance_in_units(unit_ms: float) -> Callable[[Result], float]:
    """Of the response times."""
    return lambda result: (float(result["response_deviation_ms"]) / unit_ms) ** 2


def throughput(unit_ms: float) -> Callable[[Result], float]:
    """Requests served in a unit of time."""
    return lambda result: unit_ms / float(result["io_ms"])


def _indicators(unit_ms: float) -> list[tuple[str, Measure]]:
    return [("turnaround time", in_units("response_mean_ms", unit_ms)),
            ("waiting time", in_units("waiting_mean_ms", unit_ms)),
            ("variance of the turnaround time", variance_in_units(unit_ms)),
            ("throughput", throughput(unit_ms))]


def draw_movable_head(results: Results, drive: Drive, unit_ms: float, folder: Path) -> None:
    """figure-2.png (four indicators over the rate) and formulas.png (service time over the load). Raises OSError."""
    if results.labels(RATE):
        figure = style.new_figure(1.5 * WIDTH_IN, 9, "Movable head disk schedulers under arrivals")
        for axes, (name, measure) in zip(figure.subplots(2, 2).flat, _indicators(unit_ms), strict=True):
            draw(axes, [Curve(label, results.curve(label, RATE, measure), *look(label)) for label in results.labels(RATE)])
            axes.set_title(name)
            axes.set_xlabel("requests in a unit of time")
            axes.set_ylabel("served in a unit" if name == "throughput" else "units²" if name.startswith("variance") else "units")
            axes.set_ylim(bottom=0)
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
        curves.append(Curve(f"{label}, simulated", results.curve(label, QUEUE, "io_ms"), look(label)[0], look(label)[1], ""))
        if label in formulas:
            curves.append(Curve(f"{label}, formula", plain([(load, formulas[label](load)) for load in loads]), look(label)[0], "", "-"))
    if "fcfs" in results.labels(QUEUE):
        loads = results.loads("fcfs", QUEUE)
        curves.append(Curve("fcfs, formula (5) as printed", plain([(load, fcfs_service_printed_ms(disk)) for load in loads]), style.GREY, "", ":"))
    picture(folder / "formulas.png", "Service time over the load: formulas and simulation", curves,
            "requests to choose from", "service time, ms")


def _mean_text(results: Results, label: str, load: int, measure: Measure, form: str = "{:.3f}") -> str:
    try:
        value = results.mean(Point(label, load, QUEUE), measure)
    except Missing:
        return ""
    return form.format(value.mean) if value.count == 1 else f"{form.format(value.mean)} ± {form.format(value.half)}"


def _formula_rows(results: Results, disk: Disk) -> list[str]:
    lines = ["| L | (5) printed | (5) corrected | fcfs simulated | (7), (6) printed | (7), (6) corrected | sstf simulated "
             f"| (9), L'/L = {SWEEP_LOW} and {SWEEP_HIGH} | scan simulated | L'/L simulated |", "|---" * 10 + "|"]
    loads = sorted({load for label in results.labels(QUEUE) for load in results.loads(label, QUEUE)})
    for load in loads:
        lines.append(
            f"| {load} | {fcfs_service_printed_ms(disk):.3f} | {fcfs_service_ms(disk):.3f} | {_mean_text(results, 'fcfs', load, 'io_ms')} "
            f"| {sstf_service_printed_ms(disk, load):.3f} | {sstf_service_ms(disk, load):.3f} | {_mean_text(results, 'sstf', load, 'io_ms')} "
            f"| {scan_service_ms(disk, load, SWEEP_LOW):.3f}, {scan_service_ms(disk, load, SWEEP_HIGH):.3f} "
            f"| {_mean_text(results, 'scan', load, 'io_ms')} "
            f"| {_mean_text(results, 'scan', load, lambda result, load=load: result['requests_per_sweep'] / load)} |")
    return lines


def _seek_rows(results: Results, disk: Disk) -> list[str]:
    lines = ["| L | (4) | fcfs simulated | (6) printed | (6) corrected | sstf simulated | (8) | scan simulated | F of (7), (9) |", "|---" * 9 + "|"]
    loads = sorted({load for label in results.labels(QUEUE) for load in results.loads(label, QUEUE)})
    for load in loads:
        # The formulas' seek is that of a request on another cylinder; a mean over all requests has the zeros in it.
        share = moves_share(disk, load)
        lines.append(
            f"| {load} | {fcfs_seek_ms(disk):.3f} | {_mean_text(results, 'fcfs', load, 'seek_mean_ms')} "
            f"| {sstf_seek_printed_ms(disk, load):.3f} | {sstf_seek_ms(disk, load):.3f} | {_mean_text(results, 'sstf', load, 'seek_mean_ms')} "
            f"| {scan_seek_ms(disk, load, SWEEP_LOW):.3f}, {scan_seek_ms(disk, load, SWEEP_HIGH):.3f} "
            f"| {_mean_text(results, 'scan', load, 'seek_mean_ms')} | {share:.4f} |")
    return lines


# ------------------------------------------------------------------------------------------------- order relations

def _order(above: str, below: str, measure: Measure, low: float, high: float,
           rates: tuple[int, ...]) -> Callable[[Results], list[Finding]]:
    def check(results: Results) -> list[Finding]:
        return [Finding(f"at {rate}", results.ratio(Point(above, rate, RATE), Point(below, rate, RATE), measure), low, high)
                for rate in rates]
    return check


def _both_better(measure: Measure, low: float, high: float, rates: tuple[int, ...]) -> Callable[[Results], list[Finding]]:
    def check(results: Results) -> list[Finding]:
        return [Finding(f"{label} at {rate}", results.ratio(Point(label, rate, RATE), Point("fcfs", rate, RATE), measure), low, high)
                for label in ("sstf", "scan") for rate in rates]
    return check


def _distance_falls(results: Results) -> list[Finding]:
    findings = []
    for label in ("sstf", "scan"):
        loads = results.loads(label, QUEUE)
        if len(loads) < 2:
            raise Missing(f"{label} at several loads")
        findings.append(Finding(f"{label}, L = {loads[-1]} over {loads[0]}", results.ratio(
            Point(label, loads[-1], QUEUE), Point(label, loads[0], QUEUE), "distance_mean_cylinders"), 0, 1 / MUCH))
    return findings


def _ends(label: str) -> Callable[[Result], float]:
    def measure(result: Result) -> float:
        bands = result["band_response_ms"]
        half = len(bands) // 2
        return float((bands[0] + bands[-1]) / (bands[half - 1] + bands[half]))
    return measure


def _ends_wait(label: str) -> Callable[[Results], list[Finding]]:
    def check(results: Results) -> list[Finding]:
        return [Finding(f"{label}, L = {load}", results.mean(Point(label, load, QUEUE), _ends(label)), MUCH)
                for load in results.loads(label, QUEUE) if load >= LOW_RATE]
    return check


def _less_serious(results: Results) -> list[Finding]:
    return [Finding(f"L = {load}", results.ratio(Point("scan", load, QUEUE), Point("sstf", load, QUEUE), _ends("scan")), 0, 1)
            for load in results.loads("scan", QUEUE) if load >= LOW_RATE]


def _requests_per_sweep(results: Results) -> list[Finding]:
    return [Finding(f"L = {load}", results.mean(Point("scan", load, QUEUE), lambda result, load=load: result["requests_per_sweep"] / load),
                    SWEEP_LOW, SWEEP_HIGH) for load in results.loads("scan", QUEUE) if load >= LOW_RATE]


def _seek_over_latency(disk: Disk) -> Callable[[Results], list[Finding]]:
    return lambda _results: [Finding("mean seek over half a turn", exactly(fcfs_seek_ms(disk) / (disk.revolution_ms / 2)), 5, 20)]


def _formula(label: str, formula: Callable[[int], float]) -> Callable[[Results], list[Finding]]:
    def check(results: Results) -> list[Finding]:
        findings = []
        for load in results.loads(label, QUEUE):
            measured = results.mean(Point(label, load, QUEUE), "io_ms")
            findings.append(Finding(f"L = {load}", Interval(measured.mean / formula(load), measured.half / formula(load), measured.count),
                                    1 - ALIKE, 1 + ALIKE))
        if not findings:
            raise Missing(label)
        return findings
    return check


def movable_head_claims(disk: Disk, unit_ms: float) -> list[Claim]:
    """What the text and the table of figure 2 say of the three schedulers."""
    turnaround = in_units("response_mean_ms", unit_ms)
    waiting = in_units("waiting_mean_ms", unit_ms)
    variance = variance_in_units(unit_ms)
    served = throughput(unit_ms)
    all_rates = (10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)
    same_variance = ("Under the same arrivals FCFS has the longest queue as soon as the disk is busy, and its variance grows with it; "
                     "the text blames SSTF, the table of figure 2 does not.")
    return [
        Claim("2, formula (5)", "The service time of FCFS, as printed. (Simulated over formula.)",
              _formula("fcfs", lambda load: fcfs_service_printed_ms(disk)),
              "P and 1 - P are exchanged: as printed nearly every request lies on the present cylinder."),
        Claim("2, formula (5)", "The same with P and 1 - P in their places.", _formula("fcfs", lambda load: fcfs_service_ms(disk))),
        Claim("2, formula (7)", "The service time of SSTF, with (6) corrected. (Simulated over formula.)",
              _formula("sstf", lambda load: sstf_service_ms(disk, load)),
              "E takes the L requests as spread evenly, however SSTF leaves them: it serves the near ones, and the far "
              "ones stay; and the head is not equally often everywhere."),
        Claim("2, formula (9)", "The service time of SCAN, for the middle of the range of L'/L. (Simulated over formula.)",
              _formula("scan", lambda load: scan_service_ms(disk, load, SWEEP_MEAN)),
              "F is the share for L requests that lie anywhere, but SCAN's requests ahead are those that gathered since its last visit."),
        Claim("2", "L'/L, the requests of a sweep over those in the queue, lies between 1.5 and 1.72.", _requests_per_sweep,
              "A sweep serves all that wait ahead and what arrives ahead of the arm, which for constant L is twice L less "
              "what lies behind; short queues turn before the edge."),
        Claim("2", "Seek times are about ten times the latency.", _seek_over_latency(disk),
              "By the paper's own 30 ms and 8.33 ms it is 3.6 times."),
        Claim("4", "At low load SSTF cannot be told from FCFS. (Turnaround over that of FCFS.)",
              _order("sstf", "fcfs", turnaround, 1 - ALIKE, 1 + ALIKE, (LOW_RATE, 15)),
              "The table of figure 2 contradicts its text, too: 6.0 against 8.0 at 10 requests."),
        Claim("4", "SSTF has a higher throughput than FCFS. (From 50 requests on.)", _order("sstf", "fcfs", served, 1.0, INFINITE, (60, *HEAVY_RATES))),
        Claim("4", "At moderate loads SSTF has a shorter turnaround than FCFS.", _order("sstf", "fcfs", turnaround, 0, 1, MODERATE_RATES)),
        Claim("4", "SSTF pays with a higher variance than that of FCFS.", _order("sstf", "fcfs", variance, 1, INFINITE, all_rates), same_variance),
        Claim("4", "Requests on the outermost and innermost tracks wait longer under SSTF. (Tenths at the ends over the middle.)", _ends_wait("sstf")),
        Claim("4", "They do under SCAN, too.", _ends_wait("scan")),
        Claim("4", "though less than under SSTF. (Ratio of the two.)", _less_serious,
              "With a constant queue the two differ little: SSTF sweeps back and forth by itself when requests are many."),
        Claim("4", "At low load SCAN is inefficient, for it sweeps over the disk whatever the queue. (Turnaround over that of FCFS.)",
              _order("scan", "fcfs", turnaround, MUCH, INFINITE, (LOW_RATE,)),
              "A SCAN that turns at the last request does not sweep over an empty disk."),
        Claim("4", "The mean seek distance of SSTF and SCAN falls as the load rises.", _distance_falls),
        Claim("4", "Waiting times under SSTF and SCAN are nearly the same.", _order("scan", "sstf", waiting, 1 - ALIKE, 1 + ALIKE, all_rates)),
        Claim("4", "At low load SSTF has a lower variance than SCAN. (SCAN over SSTF.)", _order("scan", "sstf", variance, 1, INFINITE, (LOW_RATE, 15, 20))),
        Claim("4", "At heavy load it is SCAN that has the lower one. (SCAN over SSTF.)", _order("scan", "sstf", variance, 0, 1, HEAVY_RATES)),
        Claim("5", "SSTF and SCAN are far better than FCFS in turnaround, from 60 requests on.", _both_better(turnaround, 0, 1 / MUCH, (60, *HEAVY_RATES))),
        Claim("5", "in waiting time", _both_better(waiting, 0, 1 / MUCH, (60, *HEAVY_RATES))),
        Claim("5", "in variance", _both_better(variance, 0, 1 / MUCH, (60, *HEAVY_RATES))),
        Claim("5", "and in throughput, from 70 on.", _both_better(served, 1.05, INFINITE, HEAVY_RATES)),
        Claim("figure 2", "At heavy load SCAN serves no fewer requests than SSTF. (Throughput.)", _order("scan", "sstf", served, 1, INFINITE, HEAVY_RATES)),
        Claim("figure 2", "and turns them around faster.", _order("scan", "sstf", turnaround, 0, 1, HEAVY_RATES)),
        Claim("figure 2", "Throughput of FCFS is that of 60 requests at 80 and more. (Served in a unit.)",
              lambda results: [Finding(f"at {rate}", results.mean(Point("fcfs", rate, RATE), served), 57, 63) for rate in (80, 90, 100)]),
    ]


def movable_head_page(results: Results, drive: Drive, unit_ms: float) -> str:
    """The page's body in Markdown."""
    disk = Disk.of(drive)
    table, counts = claims_table(movable_head_claims(disk, unit_ms), results)
    tally = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    lines = "\n".join
    return f"""## The formulas

M. M. Salem, "Performance Evaluation of Movable Head Disk Schedulers". Times in milliseconds. What is corrected, and why, stands
in host/experiment/movable_head_formulas.py: (5) has P and 1 - P exchanged; (6) subtracts 1 from a time times cylinders. L
is the number of requests to choose from, constant in the simulation; 95 % intervals over the seeds. S_min = {disk.seek_min_ms:.3f} ms,
S_max = {disk.seek_max_ms:.3f} ms, A = {disk.latency_ms:.3f} ms, B = {disk.same_cylinder_sectors:.3f} sectors.

Service time:

{lines(_formula_rows(results, disk))}

Seek time. A simulated mean is over all requests, those that move nothing included; F is the share of those that do in (7) and (9).

{lines(_seek_rows(results, disk))}

## The order relations

Requests arrive by themselves (Poisson). The paper names no unit of time; ours is {unit_ms:.3f} ms, in which FCFS can serve as many
requests as the largest throughput that figure 2 has for it. Past that rate the queue grows as long as requests arrive, and every
time in it with the number of requests in a run: figure 2's absolute times cannot be had, its order relations can.

{tally}.

{table}
## The figures

| | |
|---|---|
| figure-2.png | turnaround, waiting time, variance and throughput over the rate |
| formulas.png | service time over the load: formulas and simulation |
"""
