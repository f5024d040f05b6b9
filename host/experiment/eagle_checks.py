# SPDX-License-Identifier: Apache-2.0
"""How the claims of "Disk Scheduling Revisited" are checked: one function for each, from results to findings.

Bounds are the paper's where it gives numbers. Where it gives words, a bound stands for the word (RULES.md).
"""

from collections.abc import Callable

import rules
from claims import AT, INFINITE, Finding, exactly
from drive_file import Drive
from eagle_theory import PAPER_ROTATION_MS, PAPER_SEEK_MS, PAPER_TRANSFER_MS, fcfs_io_ms, ssf_positioning_estimate_ms
from interval import Interval, interval
from results import Missing, Point, Result, Results, cycles_a_request, ends_to_middle

CLOSE, CLOSE_MAXIMUM, SAME, MUCH = rules.ALIKE.bound, rules.MAXIMUM.bound, rules.SAME.bound, 1 + rules.MUCH.bound
PERCENT = "{:.2f} %"
FACTOR = "{:.3f}"
MS = "{:.3f} ms"
SECONDS = "{:.2f} s"
QUEUE, LONGEST, GROUP = "queue", "longest", "group"
LONG_Q, PAPER_GROUP = 1000, 210
CROWD = "crowd"  # a sweep
BLIND = ("fcfs", "sstf", "scan", "cscan")  # policies that do not use the rotation
DECISION, HARDWARE, TURNAROUND = "decision", "hardware", "turnaround"  # sweeps on vp
HOST_MS = 3.0  # footnote 2: processor time of an access, which the paper subtracts
PAPER_SECTOR = 12
FORCED = {100: "forced, 100", LONG_Q: "forced, 1000"}  # sweeps by queue length
FORCED_EVERY = (1000, 100, 50, 20, 10, 5)
LIMIT_S = 30.0  # section 5.1.2


def percent(result: Result) -> float:
    """Utilization in percent."""
    return 100 * float(result["utilization"])


def maximum_s(result: Result) -> float:
    """Maximum response time in seconds."""
    return float(result["response_max_ms"]) / 1000


def relative_deviation(result: Result) -> float:
    """Standard deviation of the response times over their mean."""
    return float(result["response_deviation_ms"]) / float(result["response_mean_ms"])


def _queues(results: Results, *labels: str) -> list[int]:
    """The queue lengths at which all labels have runs. Raises Missing."""
    shared = set(results.loads(labels[0], QUEUE))
    for label in labels[1:]:
        shared &= set(results.loads(label, QUEUE))
    if not shared:
        raise Missing(" and ".join(labels))
    return sorted(shared)


def ratios(
    results: Results,
    above: str,
    below: str,
    measure: str | Callable[[Result], float],
    low: float,
    high: float,
    queues: list[int] | None = None,
) -> list[Finding]:
    """One finding for each queue length."""
    chosen = [q for q in _queues(results, above, below) if q > 1] if queues is None else queues
    if not chosen:
        raise Missing(f"a queue length above 1 of {above} and {below}")
    return [
        Finding(f"Q = {q}", results.ratio(Point(above, q, QUEUE), Point(below, q, QUEUE), measure), low, high)
        for q in chosen
    ]


def _at_least(queues: list[int], low: int) -> list[int]:
    kept = [q for q in queues if q >= low]
    if not kept:
        raise Missing(f"a queue length of {low} or more")
    return kept


# ---------------------------------------------------------------------------------------------- section 3 and 4.1


def seeds_agree(results: Results) -> list[Finding]:
    findings = []
    for label in results.labels(QUEUE):
        spreads = []
        for queue in results.loads(label, QUEUE):
            values = [result["response_mean_ms"] for result in results.seeds_at(Point(label, queue, QUEUE)).values()]
            if len(values) < 2:
                raise Missing("a second seed")
            mean = sum(values) / len(values)
            spreads.append(100 * (sum((v - mean) ** 2 for v in values) / (len(values) - 1)) ** 0.5 / mean)
        findings.append(Finding(f"{label}, widest", exactly(max(spreads)), 0, 2, PERCENT))
    return findings


def fcfs_parts(drive: Drive) -> Callable[[Results], list[Finding]]:
    def check(results: Results) -> list[Finding]:
        point = Point("fcfs", _queues(results, "fcfs")[0], QUEUE)
        rows = [("seek", "seek_mean_ms", PAPER_SEEK_MS), ("rotation", "rotation_mean_ms", PAPER_ROTATION_MS)]
        findings = [
            Finding(name, results.mean(point, key), paper * (1 - CLOSE), paper * (1 + CLOSE), MS)
            for name, key, paper in rows
        ]
        transfer = exactly(drive.transfer_ms(8))
        return [
            *findings,
            Finding("transfer", transfer, PAPER_TRANSFER_MS * (1 - CLOSE), PAPER_TRANSFER_MS * (1 + CLOSE), MS),
        ]

    return check


def fcfs_seven_percent(results: Results) -> list[Finding]:
    return [
        Finding(f"Q = {q}", results.mean(Point("fcfs", q, QUEUE), percent), 6.5, 7.5, PERCENT)
        for q in _queues(results, "fcfs")
    ]


def fcfs_closed_form(drive: Drive) -> Callable[[Results], list[Finding]]:
    def check(results: Results) -> list[Finding]:
        wanted = fcfs_io_ms(drive, 8)
        return [
            Finding(
                f"Q = {q} (closed form {wanted:.3f} ms)",
                results.mean(Point("fcfs", q, QUEUE), "io_ms"),
                wanted * (1 - SAME),
                wanted * (1 + SAME),
                MS,
            )
            for q in _queues(results, "fcfs")
        ]

    return check


def one_waiting(results: Results) -> list[Finding]:
    others = [label for label in results.labels(QUEUE) if label != "fcfs"]
    if not others:
        raise Missing("a policy beside fcfs")
    return [
        Finding(label, results.ratio(Point(label, 1, QUEUE), Point("fcfs", 1, QUEUE), "io_ms"), 1 - 1e-9, 1 + 1e-9)
        for label in others
    ]


def independent_of_queue(results: Results) -> list[Finding]:
    queues = _queues(results, "fcfs")
    whole = [results.mean(Point("fcfs", q, QUEUE), "io_ms").mean for q in queues]
    mean = sum(whole) / len(whole)
    return [
        Finding(f"Q = {q}", results.mean(Point("fcfs", q, QUEUE), "io_ms").scaled(1 / mean), 1 - SAME, 1 + SAME)
        for q in queues
    ]


# ------------------------------------------------------------------------------------------------ sections 4.2, 4.3


def ssf_estimate(drive: Drive) -> Callable[[Results], list[Finding]]:
    def check(results: Results) -> list[Finding]:
        estimate = ssf_positioning_estimate_ms(drive, 100)
        measured = results.mean(
            Point("sstf", 100, QUEUE), lambda result: result["seek_mean_ms"] + result["rotation_mean_ms"]
        )
        return [
            Finding(
                f"seek and rotation at Q = 100 (estimate {estimate:.1f} ms)",
                measured,
                estimate * (1 - CLOSE),
                estimate * (1 + CLOSE),
                MS,
            )
        ]

    return check


def cscan_never_above_fcfs(results: Results) -> list[Finding]:
    return ratios(results, "cscan", "fcfs", "response_max_ms", 0, 1 + CLOSE_MAXIMUM)


def cscan_below_because_faster(results: Results) -> list[Finding]:
    queues = _at_least(_queues(results, "cscan", "fcfs"), LONG_Q)
    return ratios(results, "cscan", "fcfs", "response_max_ms", 0, 1, queues) + ratios(
        results, "cscan", "fcfs", "response_mean_ms", 0, 1, queues
    )


def ends_of_scan(results: Results) -> list[Finding]:
    return [
        Finding(f"scan, Q = {q}", results.mean(Point("scan", q, QUEUE), ends_to_middle), MUCH, form=FACTOR)
        for q in _queues(results, "scan")
        if q > 1
    ]


def ends_of_cscan(results: Results) -> list[Finding]:
    return [
        Finding(f"cscan, Q = {q}", results.mean(Point("cscan", q, QUEUE), ends_to_middle), 1 - CLOSE, 1 + CLOSE)
        for q in _queues(results, "cscan")
        if q > 1
    ]


# -------------------------------------------------------------------------------------------------------- section 5


def short_cut(drive: Drive) -> Callable[[Results], list[Finding]]:
    def check(_results: Results) -> list[Finding]:
        return [
            Finding(
                "half a turn less what 100 cylinders take more than 1",
                exactly(drive.revolution_ms / 2 - (drive.seek_ms(100) - drive.seek_ms(1))),
                0,
                form=MS,
            )
        ]

    return check


def stf_is_best(results: Results) -> list[Finding]:
    findings: list[Finding] = []
    for label in results.labels(QUEUE):
        if label != "stf":
            queues = [q for q in _queues(results, "stf", label) if q > 1]
            worst = max(
                (results.ratio(Point(label, q, QUEUE), Point("stf", q, QUEUE), "utilization") for q in queues),
                key=lambda value: value.mean,
            )
            findings.append(Finding(f"{label}, at its best", worst, 0, 1.0))
    if not findings:
        raise Missing("a policy beside stf")
    return findings


def stf_is_ssf_when_short(results: Results) -> list[Finding]:
    return [
        Finding(
            "Q = 10", results.ratio(Point("stf", 10, QUEUE), Point("sstf", 10, QUEUE), "io_ms"), 1 - CLOSE, 1 + CLOSE
        )
    ]


def still_rising(results: Results) -> list[Finding]:
    findings = [
        Finding(
            "Q = 1000 over 500", results.ratio(Point("stf", 1000, QUEUE), Point("stf", 500, QUEUE), "utilization"), 1.01
        )
    ]
    if results.loads("stf", LONGEST):
        findings.append(
            Finding(
                "Q = 5000 over 1000",
                results.ratio(Point("stf", 5000, LONGEST), Point("stf", 1000, QUEUE), "utilization"),
                1.01,
            )
        )
    return findings


def forty_percent(results: Results) -> list[Finding]:
    return [Finding("stf, Q = 5000", results.mean(Point("stf", 5000, LONGEST), percent), 36, 44, PERCENT)]


def towards_transfer(results: Results) -> list[Finding]:
    longest = results.mean(Point("stf", 5000, LONGEST), "io_ms")
    return [Finding("I/O time at Q = 5000 over 2 ms", longest.scaled(1 / PAPER_TRANSFER_MS), 1, 1 + CLOSE)]


def stf_starves(results: Results) -> list[Finding]:
    findings: list[Finding] = []
    for label in ("cscan", "gstf210", "wstf"):
        findings += [
            Finding(f"over {label}, {one.what}", one.value, MUCH)
            for one in ratios(
                results, "stf", label, "response_max_ms", MUCH, INFINITE, _at_least(_queues(results, "stf", label), 100)
            )
        ]
    return findings


# ------------------------------------------------------------------------------------------------------ section 5.1.1


def group_utilization_rises(results: Results) -> list[Finding]:
    groups = results.groups("gstf", GROUP)
    if len(groups) < 2:
        raise Missing("gstf with several group sizes")
    return [
        Finding(
            f"{large} over {small}",
            results.ratio(
                Point("gstf", LONG_Q, GROUP, group=large), Point("gstf", LONG_Q, GROUP, group=small), "utilization"
            ),
            1.0,
        )
        for small, large in zip(groups, groups[1:], strict=False)
    ]


def whole_disk_is_stf(results: Results) -> list[Finding]:
    return [
        Finding(
            measure,
            results.ratio(Point("gstf", LONG_Q, GROUP, group=840), Point("stf", LONG_Q, QUEUE), measure),
            1 - 1e-9,
            1 + 1e-9,
        )
        for measure in ("io_ms", "response_max_ms")
    ]


def group_maximum(results: Results) -> list[Finding]:
    groups = results.groups("gstf", GROUP)
    if len(groups) < 3:
        raise Missing("gstf with several group sizes")
    means = {group: results.mean(Point("gstf", LONG_Q, GROUP, group=group), maximum_s).mean for group in groups}
    dip = min(means, key=lambda group: means[group])
    dip_point = Point("gstf", LONG_Q, GROUP, group=dip)
    findings = [
        Finding(
            f"largest group over {dip}, the lowest",
            results.ratio(Point("gstf", LONG_Q, GROUP, group=groups[-1]), dip_point, "response_max_ms"),
            MUCH,
        )
    ]
    findings.append(
        Finding(
            f"smallest group over {dip}",
            results.ratio(Point("gstf", LONG_Q, GROUP, group=groups[0]), dip_point, "response_max_ms"),
            1.0,
        )
    )
    return findings


def gstf_near_stf(results: Results) -> list[Finding]:
    return ratios(results, "gstf210", "stf", "utilization", 1 - CLOSE, 1)


def gstf_near_cscan(results: Results) -> list[Finding]:
    return ratios(
        results,
        "gstf210",
        "cscan",
        "response_max_ms",
        0,
        1 + CLOSE_MAXIMUM,
        _at_least(_queues(results, "gstf210", "cscan"), 100),
    )


def less(results: Results, measure: str, low: float, high: float) -> list[Finding]:
    """How much lower the frozen policy is, in percent of the one that is not frozen."""
    findings = []
    for q in _at_least(_queues(results, "gstf210", "gstf210-frozen"), 100):
        ratio = results.ratio(Point("gstf210-frozen", q, QUEUE), Point("gstf210", q, QUEUE), measure)
        findings.append(
            Finding(f"Q = {q}", Interval(100 * (1 - ratio.mean), 100 * ratio.half, ratio.count), low, high, PERCENT)
        )
    return findings


# ------------------------------------------------------------------------------------------------------ section 5.1.2


def wstf_near_stf(results: Results) -> list[Finding]:
    return ratios(results, "wstf", "stf", "io_ms", 0, 1.02)


def wstf_maximum_drops(results: Results) -> list[Finding]:
    return ratios(
        results, "wstf", "stf", "response_max_ms", 0, 1 / MUCH, _at_least(_queues(results, "wstf", "stf"), 100)
    )


def wstf_limit(results: Results) -> list[Finding]:
    return [
        Finding(f"Q = {q}", results.mean(Point("wstf", q, QUEUE), maximum_s), 0, LIMIT_S, SECONDS)
        for q in _queues(results, "wstf")
    ]


def wstf_limit_longest(results: Results) -> list[Finding]:
    return [Finding("Q = 5000", results.mean(Point("wstf", 5000, LONGEST), maximum_s), 0, LIMIT_S, SECONDS)]


def adaptive_limit(results: Results) -> list[Finding]:
    return ratios(results, "wstf-adaptive", "wstf", "io_ms", 0.95, 1.05)


def hardware_percent(result: Result) -> float:
    """Utilization of a hardware test in percent: the host's time of each access does not count."""
    return percent(result) * float(result["io_ms"]) / (float(result["io_ms"]) - HOST_MS)


def hardware_is_simulation(results: Results) -> list[Finding]:
    findings = []
    for label in results.labels(HARDWARE):
        for load in results.loads(label, HARDWARE, "charged"):
            measured = results.mean(Point(label, load, HARDWARE, "charged"), hardware_percent)
            simulated = results.mean(Point(label, load, QUEUE), percent)
            findings.append(Finding(f"{label} at {load:g}", measured.scaled(1 / simulated.mean), 1 - CLOSE, 1 + CLOSE, FACTOR))
    return findings


def first_sector_in_time(drive: Drive) -> Callable[[Results], list[Finding]]:
    """The check of the first sector that is read in the same revolution as sector 0."""

    def check(results: Results) -> list[Finding]:
        loads = results.loads("fcfs", TURNAROUND, "charged")
        # A pair of reads takes one revolution, or two if the second one misses its sector.
        in_time = [
            load
            for load in loads
            if results.mean(Point("fcfs", load, TURNAROUND, "charged"), "io_ms").mean < 0.75 * drive.revolution_ms
        ]
        if not in_time:
            raise Missing("sector that is read in time")
        return [Finding("sector", exactly(min(in_time)), PAPER_SECTOR, PAPER_SECTOR, "{:.0f}")]

    return check


def crowd_starves_others(results: Results) -> list[Finding]:
    """The longest response outside a group that is nearly always asked for: with a frozen group, and how many times that without."""
    [rate] = results.loads("gstf210", CROWD) or [None]
    if rate is None:
        raise Missing("gstf210 with a crowded group")
    free, frozen = Point("gstf210", rate, CROWD), Point("gstf210-frozen", rate, CROWD)
    seconds = Finding("frozen, s", results.median(frozen, "others_max_ms").scaled(0.001), form=SECONDS)
    return [seconds, Finding("free over frozen", results.median_ratio(free, frozen, "others_max_ms"), rules.EXCESSIVELY.bound, form=FACTOR)]


def _more_ms(results: Results, label: str, load: float) -> dict[int, float]:
    """What a request takes longer on the drive's own electronics, in ms, by seed. Raises Missing."""
    ideal, charged = (results.seeds_at(Point(label, load, DECISION, kind)) for kind in ("ideal", "charged"))
    return {seed: float(charged[seed]["io_ms"]) - float(ideal[seed]["io_ms"]) for seed in charged if seed in ideal}


def decision_is_overlapped(results: Results) -> list[Finding]:
    """What a policy's requests take longer than those of fcfs, which has nothing to decide, in percent of an ideal request."""
    findings = []
    for label in results.labels(DECISION):
        for load in results.loads(label, DECISION, "charged") if label != "fcfs" else []:
            own, plain = (_more_ms(results, one, load) for one in (label, "fcfs"))
            ideal_ms = results.mean(Point(label, load, DECISION), "io_ms").mean
            value = interval([100 * (own[seed] - plain[seed]) / ideal_ms for seed in own if seed in plain])
            findings.append(Finding(f"{label}{AT}{load:g}", value, -100 * rules.SAME.bound, 100 * rules.SAME.bound, PERCENT))
    return findings


def stf_costs_most(results: Results) -> list[Finding]:
    """The firmware's cycles for a request under stf, over those of the policies that do not use the rotation."""
    return [
        Finding(
            f"stf over {label}{AT}{load:g}",
            results.ratio(Point("stf", load, DECISION, "charged"), Point(label, load, DECISION, "charged"), cycles_a_request),
            1 + rules.SIGNIFICANTLY.bound,
        )
        for label in results.labels(DECISION)
        if label in BLIND
        for load in results.loads(label, DECISION, "charged")
    ]


def forced_does_no_harm(every: int) -> Callable[[Results], list[Finding]]:
    """The check of utilization with one forced request in so many, over that without."""

    def check(results: Results) -> list[Finding]:
        return [
            Finding(
                f"{label}, Q = {queue}",
                results.ratio(Point(label, every, sweep), Point(label, 0, sweep), "utilization"),
                1 - rules.ALIKE.bound,
            )
            for queue, sweep in FORCED.items()
            for label in results.labels(sweep)
        ]

    return check


def best_over_fcfs(results: Results) -> list[Finding]:
    return [
        Finding(
            f"{label}, Q = {LONG_Q}",
            results.ratio(Point(label, LONG_Q, QUEUE), Point("fcfs", LONG_Q, QUEUE), "utilization"),
            3,
            4,
        )
        for label in ("stf", "gstf210", "wstf")
    ]


def nearly_four(results: Results) -> list[Finding]:
    return [
        Finding(
            f"stf over fcfs, Q = {LONG_Q}",
            results.ratio(Point("stf", LONG_Q, QUEUE), Point("fcfs", LONG_Q, QUEUE), "utilization"),
            3.5,
            4,
        )
    ]


def room_left(results: Results) -> list[Finding]:
    queues = _queues(results, "stf")
    return [Finding(f"stf, Q = {queues[-1]}", results.mean(Point("stf", queues[-1], QUEUE), percent), 0, 40, PERCENT)]


def gain_grows(results: Results) -> list[Finding]:
    queues = _queues(results, "stf", "fcfs")
    if len(queues) < 2:
        raise Missing("stf and fcfs at several queue lengths")
    return [
        Finding(
            f"Q = {long} over {short}",
            results.ratio(Point("stf", long, QUEUE), Point("stf", short, QUEUE), "utilization"),
            1.0,
        )
        for short, long in zip(queues, queues[1:], strict=False)
    ]
