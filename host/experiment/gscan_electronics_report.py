# SPDX-License-Identifier: Apache-2.0
"""G-SCAN when the drive's core has to search its schedules: the cost, and which U is worth its cycles."""

from collections.abc import Sequence
from pathlib import Path

from claims import INFINITE, Claim, Finding, claims_table, verdicts_text
from gscan_checks import ORIGINAL, RESPONSE, missed
from gscan_drives import side_by_side
from gscan_table import CHARGED_WORKLOADS, table_1
from interval import Interval
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw
from results import Measure, Missing, Point, Results, cycles_a_request
from rules import ALIKE, SCARCELY_POINTS
from spot_checks import SPOTS, require_equal
from style import BLUE, VERMILION, legend_below, new_figure, save

CHARGED, IDEAL = "charged", "ideal"
PLAIN = "fcfs"  # policy without a search
CORE_CYCLES_PER_MS = 40_000  # firmware/kernel/time.h
AIM_MS = 0.35  # core time of a request, at U = 64 and at most 8 units, on workload 5
DRIVES = {"workload": "own electronics", "cache": "with a cache"}  # of side_by_side()
US = (1, 2, 4, 8, 16, 32, 64)
COSTLY_POINTS, COSTLY_SHARE = 0.5, 0.02


def label_of(schedules: int) -> str:
    """The policy's label in the declaration."""
    return "gscan" if schedules == max(US) else f"u{schedules}"


def _point(workload: str, label: str, electronics: str) -> Point:
    return Point(label, ORIGINAL, f"all {workload}", electronics)


def _mean(results: Results, workload: str, label: str, measure: Measure, electronics: str = CHARGED) -> Interval:
    return results.mean(_point(workload, label, electronics), measure)


def search_cycles(results: Results, workload: str, label: str) -> Interval:
    """Cycles of a policy's choices less those of fcfs, per request, seed by seed. Raises Missing."""
    return results.difference(_point(workload, label, CHARGED), _point(workload, PLAIN, CHARGED), cycles_a_request)


def _costs(results: Results, measure: Measure) -> list[tuple[str, str, Interval]]:
    """The charged value less the ideal one, by workload and policy."""
    found = []
    for workload in CHARGED_WORKLOADS:
        for label in results.labels(f"all {workload}"):
            try:
                value = results.difference(_point(workload, label, CHARGED), _point(workload, label, IDEAL), measure)
            except Missing:
                continue
            found.append((workload, label, value))
    return found


def _aim(results: Results) -> list[Finding]:
    value = search_cycles(results, "5", "gscan")
    milliseconds = Interval(value.mean / CORE_CYCLES_PER_MS, value.half / CORE_CYCLES_PER_MS, value.count)
    return [Finding("gscan less fcfs, ms of core time a request", milliseconds, high=AIM_MS)]


def _misses_cost(results: Results) -> list[Finding]:
    return [
        Finding(f"{label}, workload {workload}, points", value, high=COSTLY_POINTS, form="{:.2f}")
        for workload, label, value in _costs(results, missed)
        if label == "gscan"
    ]


def _more_schedules_help(results: Results) -> list[Finding]:
    findings = []
    for workload in CHARGED_WORKLOADS:
        one, all_ = (_point(workload, label, CHARGED) for label in (label_of(1), label_of(64)))
        findings.append(
            Finding(f"U = 1 less U = 64, workload {workload}, points", results.difference(one, all_, missed), 0.0, INFINITE)
        )
    return findings


def _search_share(results: Results) -> list[Finding]:
    """Search of gscan, beside the least time that the media take for a request."""
    findings = []
    for workload in CHARGED_WORKLOADS:
        spent = search_cycles(results, workload, "gscan")
        media = _mean(results, workload, "gscan", lambda one: one["seek_mean_ms"] + one["rotation_mean_ms"])
        share = spent.scaled(100 / CORE_CYCLES_PER_MS / media.mean)
        findings.append(Finding(f"workload {workload}", share, high=100 * ALIKE.bound, form="{:.2f}"))
    return findings


def _cache_decides(results: Results) -> list[Finding]:
    sweep, bound = "all cached", SCARCELY_POINTS.bound
    ours = Point("gscan", ORIGINAL, sweep, CHARGED)
    return [
        Finding(label, results.difference(Point(label, ORIGINAL, sweep, CHARGED), ours, missed), -bound, bound, "{:.2f}")
        for label in results.labels(sweep)
        if label != "gscan"
    ]


def questions() -> list[Claim]:
    """Questions beyond the paper."""
    return [
        Claim("", "With U = 64 and 8 units a search of workload 5 takes 0.35 ms a request at most.", _aim,
              "All that it takes more than fcfs is in it: grouping, arrivals, and choices that are made again when "
              "somebody arrives."),
        Claim("", "Charging the core costs G-SCAN half a point of misses at most.", _misses_cost,
              "Firmware and bus take their time in every access, for every policy: the load is closer to saturation. The "
              "search comes on top."),
        Claim("4.4, 5 (4)", "The overhead of G-SCAN is reasonable for on-line execution. (Core time of a search, % of a request's seek and "
              "rotation: at most a tenth.)", _search_share,
              "The core works while the media move."),
        Claim("", "With a cache, read-ahead decides in workload 3: all policies miss as many. (What each misses more than `gscan`, points.)",
              _cache_decides,
              "Those that serve by streams or rounds wait for other streams' turns."),
        Claim("", "More schedules miss fewer deadlines. (U = 1 against 64.)", _more_schedules_help,
              "From U = 8 on the time that a search takes is worth more than what it finds: see the table."),
    ]  # fmt: skip


def _u_table(results: Results) -> str:
    lines = [
        "| workload | U | missed, % | response, ms | of real time | cycles a request beside fcfs's | ms of core time |",
        "|---" * 7 + "|",
    ]
    for workload in CHARGED_WORKLOADS:
        for schedules in US:
            label = label_of(schedules)
            try:
                more = search_cycles(results, workload, label)
                numbers = [
                    _mean(results, workload, label, measure).text(form)
                    for measure, form in ((missed, "{:.2f}"), (RESPONSE, "{:.1f}"), ("response_rt_ms", "{:.2f}"))
                ]
            except Missing:
                continue
            spent = f"{more.mean / CORE_CYCLES_PER_MS:.3f}"
            lines.append(f"| {workload} | {schedules} | {' | '.join(numbers)} | {more.text('{:.0f}')} | {spent} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def _policies_table(results: Results) -> str:
    lines = [
        "| workload | policy | missed, % | of them charged more, points | response, ms | charged more, ms "
        "| cycles a request | beside fcfs's |",
        "|---" * 8 + "|",
    ]
    for workload in CHARGED_WORKLOADS:
        for label in results.labels(f"all {workload}"):
            cells = []
            for measure, form in ((missed, "{:.2f}"), (RESPONSE, "{:.1f}")):
                try:
                    cells.append(_mean(results, workload, label, measure).text(form))
                    more = results.difference(_point(workload, label, CHARGED), _point(workload, label, IDEAL), measure)
                    cells.append(more.text("{:.2f}"))
                except Missing:
                    cells += [""] * (2 - len(cells) % 2)
            try:
                cells.append(_mean(results, workload, label, cycles_a_request).text("{:.0f}"))
                cells.append(search_cycles(results, workload, label).text("{:.0f}"))
            except Missing:
                continue
            lines.append(f"| {workload} | {label} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def _u_curve(results: Results, workload: str, value: Measure | None) -> Sequence[tuple[float, Interval]]:
    points = []
    for schedules in US:
        try:
            if value is None:
                points.append((float(schedules), search_cycles(results, workload, label_of(schedules))))
            else:
                points.append((float(schedules), _mean(results, workload, label_of(schedules), value)))
        except Missing:
            continue
    return points


def draw_gscan_electronics(results: Results, folder: Path) -> None:
    """Draws over-u.png: misses and their cost over U. Raises OSError."""
    parts = ((missed, "missed deadlines, %"), (None, "cycles a request beside those of fcfs"))
    if not any(_u_curve(results, workload, None) for workload in CHARGED_WORKLOADS):
        return
    figure = new_figure(1.5 * WIDTH_IN, 1.05 * HEIGHT_IN, "G-SCAN on the drive's own core, over U")
    for axes, (measure, y_label) in zip(figure.subplots(1, 2), parts, strict=True):
        for workload, colour, marker in zip(CHARGED_WORKLOADS, (BLUE, VERMILION), "pD", strict=True):
            draw(axes, [Curve(f"workload {workload}", _u_curve(results, workload, measure), colour, marker)])
        axes.set_xscale("log", base=2)
        axes.set_xticks(US, [str(one) for one in US])
        axes.set_xlabel("U, schedules at the most")
        axes.set_ylabel(y_label)
        axes.set_ylim(bottom=0)
    legend_below(figure, figure.axes[0])
    save(figure, folder / "over-u.png")


def _cached_table(results: Results) -> str:
    """Workload 3 with a cache, for every policy."""
    lines = ["| policy | missed, % | response, ms | of real time |", "|---" * 4 + "|"]
    for label in results.labels("all cached"):
        one = Point(label, ORIGINAL, "all cached", CHARGED)
        cells = [results.mean(one, measure).text("{:.2f}") for measure in (missed, RESPONSE, "response_rt_ms")]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    if len(lines) == 2:
        return ""
    return f"## Workload 3 with a cache, every policy\n\n{chr(10).join(lines)}\n"


def _spots(results: Results) -> str:
    lines = ["| workload | policy | requests | missed | mean response, ms |", "|---" * 5 + "|"]
    for sweep in SPOTS:
        for label in results.labels(sweep):
            for load in results.loads(label, sweep, "rtl"):
                for one in results.seeds_at(Point(label, load, sweep, "rtl")).values():
                    name, mean = sweep.rpartition(" ")[2], f"{one['response_mean_ms']:.6f}"
                    lines.append(f"| {name} | {label} | {one['requests']} | {one['rt_missed']} | {mean} |")
    if len(lines) == 2:
        return ""
    return f"""## Spot checks, cycle by cycle

The same requests on `rtl` and on `vp`: times, order of service and counters are equal, every one. Else there were no page.

{chr(10).join(lines)}
"""


def gscan_electronics_page(results: Results) -> str:
    """The page's body in Markdown. Raises ExperimentError when a spot check fails."""
    require_equal(results)
    table, counts = claims_table(questions(), results)
    table = table.replace("the paper says", "is it so that", 1)
    tally = verdicts_text(counts)
    return f"""## Our questions

{tally}.

{table}
## The drive's own electronics, without a cache and with one

{side_by_side(results, DRIVES, CHARGED)}
## Which U is worth its cycles

Charged on `vp`; 40,000 cycles are a millisecond of the drive's core. `fcfs` has nothing to search: what another policy takes
more than it, its arrivals and choices take.

{_u_table(results)}
![over U](over-u.png)

## Every policy, charged

"Charged more" is against ideal electronics on the same drive and the same requests, seed by seed.

{_policies_table(results)}
{table_1(results, True, CHARGED_WORKLOADS)}
{_cached_table(results)}
{_spots(results)}"""
