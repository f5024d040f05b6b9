# SPDX-License-Identifier: Apache-2.0
"""The Eagle experiment's pictures, in the form of the paper's figures 2 to 8, and its page of claims."""

from pathlib import Path

from claims import claims_table, verdicts_text
from drive_file import Drive
from eagle_checks import FORCED, FORCED_EVERY, GROUP, HARDWARE, LONG_Q, LONGEST, QUEUE, hardware_percent, maximum_s, percent
from eagle_claims import eagle_claims
from eagle_theory import fcfs_utilization_estimate, ssf_utilization_estimate
from interval import Interval
from pictures import Curve, look, picture, plain
from results import Measure, Point, Results
from style import BLACK, GREY, ORANGE

Q_LABEL = "queue length"
UTILIZATION = "utilization, %"
OTHERS = "others"
MAXIMUM = "maximum response time, s"


def _curve(results: Results, label: str, measure: Measure) -> Curve:
    colour, marker = look(label)
    points = results.curve(label, QUEUE, measure) + results.curve(label, LONGEST, measure)
    return Curve(label, points, colour, marker)


def _theory(results: Results, drive: Drive) -> tuple[Curve, Curve]:
    queues = sorted({q for label in results.labels(QUEUE) for q in results.loads(label, QUEUE)})
    fcfs = plain([(q, 100 * fcfs_utilization_estimate()) for q in queues])
    ssf = plain([(q, 100 * ssf_utilization_estimate(drive, q)) for q in queues])
    return (
        Curve("fcfs, the paper's estimate", fcfs, GREY, "", "--"),
        Curve("sstf, the paper's estimate", ssf, ORANGE, "", ":"),
    )


def draw_eagle(results: Results, drive: Drive, folder: Path) -> None:
    """Draws figure-2.png to figure-8b.png, as far as there are points. Raises OSError."""
    fcfs_theory, ssf_theory = _theory(results, drive)

    def utilization(label: str) -> Curve:
        return _curve(results, label, percent)

    def maximum(label: str) -> Curve:
        return _curve(results, label, maximum_s)

    def save(number: str, title: str, curves: list[Curve], y_label: str) -> None:
        if any(curve.points and curve not in (fcfs_theory, ssf_theory) for curve in curves):
            picture(folder / f"figure-{number}.png", title, curves, Q_LABEL, y_label)

    def hardware(label: str) -> Curve:
        points = results.curve(label, HARDWARE, hardware_percent, "charged")
        return Curve(f"{label}, hardware test", points, BLACK, "x", "")

    save("2", "Utilization under fcfs", [fcfs_theory, utilization("fcfs"), hardware("fcfs")], UTILIZATION)
    save("3", "Utilization under sstf", [ssf_theory, utilization("sstf"), hardware("sstf")], UTILIZATION)
    save(
        "4",
        "Utilization: fcfs, sstf, scan and cscan",
        [fcfs_theory, ssf_theory, *map(utilization, ("fcfs", "sstf", "scan", "cscan")), hardware("fcfs"), hardware("sstf")],
        UTILIZATION,
    )
    save("5", "Maximum response time: fcfs, sstf, cscan", [*map(maximum, ("fcfs", "sstf", "cscan"))], MAXIMUM)
    save(
        "6",
        "Utilization with seek and rotation scheduled",
        [*map(utilization, ("fcfs", "cscan", "stf", "gstf210", "wstf"))],
        UTILIZATION,
    )
    save(
        "7",
        "Maximum response time with seek and rotation scheduled",
        [*map(maximum, ("cscan", "stf", "gstf210", "wstf"))],
        MAXIMUM,
    )
    _draw_groups(results, folder)


def _draw_groups(results: Results, folder: Path) -> None:
    """Draws figure 8: curves over the size of the group, with stf and sstf of the same queue as lines."""
    groups = results.groups("gstf", GROUP)
    if not groups:
        return
    pictures: list[tuple[str, str, Measure, str]] = [
        ("8a", f"Time of a request over the size of the group, Q = {LONG_Q:,}", "io_ms", "mean time of a request, ms"),
        ("8b", f"Maximum response time over the size of the group, Q = {LONG_Q:,}", maximum_s, MAXIMUM),
    ]
    for number, title, measure, y_label in pictures:
        colour, marker = look("gstf")
        curves = [
            Curve(
                "gstf",
                [(g, results.mean(Point("gstf", LONG_Q, GROUP, group=g), measure)) for g in groups],
                colour,
                marker,
            )
        ]
        for label in ("sstf", "stf"):
            if LONG_Q in results.loads(label, QUEUE):
                level: Interval = results.mean(Point(label, LONG_Q, QUEUE), measure)
                curves.append(
                    Curve(
                        label,
                        plain([(groups[0], level.mean), (groups[-1], level.mean)]),
                        look(label)[0] if label != "fcfs" else BLACK,
                        "",
                        "--",
                    )
                )
        picture(folder / f"figure-{number}.png", title, curves, "cylinders in a group", y_label)


def _policies_table(results: Results, sweeps: tuple[str, ...], chosen: tuple[int, ...]) -> str:
    """Utilization, mean and maximum response of every policy of some sweeps, at the queue lengths chosen."""
    lines = ["| policy | Q | utilization, % | mean response, s | maximum response, s |", "|---|---|---|---|---|"]
    measures: list[Measure] = [percent, lambda result: result["response_mean_ms"] / 1000, maximum_s]
    for sweep in sweeps:
        for label in results.labels(sweep):
            for load in results.loads(label, sweep):
                if load in chosen:
                    values = [results.mean(Point(label, load, sweep), measure) for measure in measures]
                    columns = [label, str(load), *(f"{one.mean:.2f} ± {one.half:.2f}" for one in values)]
                    lines.append(f"| {' | '.join(columns)} |")
    return "\n".join(lines)


def _forced_table(results: Results) -> str:
    """Utilization with forced requests over that without, for each policy and queue."""
    head = ["policy", "Q", "utilization without, %", *(f"1 in {every:,}" for every in FORCED_EVERY)]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for queue, sweep in FORCED.items():
        for label in results.labels(sweep):
            none = Point(label, 0, sweep)
            ratios = [results.ratio(Point(label, every, sweep), none, "utilization").scaled(100) for every in FORCED_EVERY]
            cells = [label, f"{queue:,}", results.mean(none, percent).text("{:.2f}"), *(one.text() for one in ratios)]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _beyond(results: Results) -> str:
    """Every policy in one table; also the longest queue, which the paper has for stf only."""
    text = f"""
## Beyond the paper

Every policy of the drive:

{_policies_table(results, (QUEUE, OTHERS), (10, 100, LONG_Q))}
"""
    if any(results.labels(sweep) for sweep in FORCED.values()):
        text += f"""
One request in so many is forced: it is served next, as HEAD OF QUEUE. Utilization, in percent of that without forced requests:

{_forced_table(results)}
"""
    if results.labels(LONGEST):
        text += f"""
The weight of `wstf` turns negative past 30 s. The drive keeps a floor under it. `wstf-printed` has none, as the paper prints the rule.
It prefers the dearest of the requests that are late. Under a load that makes all of them late it does nothing else.

{_policies_table(results, (LONGEST,), (5 * LONG_Q,))}
"""
    return text


def eagle_page(results: Results, drive: Drive) -> str:
    """The page's body in Markdown: every claim with the measured number."""
    table, counts = claims_table(eagle_claims(drive), results)
    tally = verdicts_text(counts)
    return f"""## The claims

Paraphrased from M. Seltzer, P. Chen, J. Ousterhout, "Disk Scheduling Revisited", USENIX Winter 1990. [The rules of the
verdicts](../RULES.md) are the same for all papers. Ratios are taken seed by seed: all policies serve the same requests.

{tally}.

{table}{_beyond(results)}
## The figures

Figures 2 to 4 have the paper's estimates and its hardware tests beside the simulation. In a hardware test the host schedules,
sends one request at a time on `vp`, and takes 3 ms for each, which are subtracted.

| | |
|---|---|
| figure-2.png | utilization under fcfs |
| figure-3.png | utilization under sstf |
| figure-4.png | utilization of fcfs, sstf, scan, cscan |
| figure-5.png | maximum response time of fcfs, sstf, cscan |
| figure-6.png | utilization of fcfs, cscan, stf, gstf210, wstf |
| figure-7.png | maximum response time of cscan, stf, gstf210, wstf |
| figure-8a.png | gstf over the size of the group: time of a request |
| figure-8b.png | gstf over the size of the group: maximum response time |
"""
