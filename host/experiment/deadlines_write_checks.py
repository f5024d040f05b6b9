# SPDX-License-Identifier: Apache-2.0
"""The checks for sections 7 and 8 of the paper (deadlines_claims.py): reads with deadlines, writes through the buffer."""

from claims import INFINITE, Finding
from deadlines_checks import (
    ALL,
    CLEARLY,
    CLOSE,
    EQUAL,
    FEW_POINTS,
    FUNCTION,
    MANAGED,
    MUCH,
    PERCENT,
    RANGE,
    READS,
    REAL_TIME,
    SIZE,
    THRESHOLD,
    TRADITIONAL,
    WRITES,
    Check,
    about,
    all_missed,
    at,
    change,
    difference,
    least,
    loads_of,
    most,
    pooled_difference,
    pooled_ratio,
    ratio,
    reads_missed,
    writes_missed,
    writes_part,
)
from results import Measure, Point, Results

BUFFERED = ("sstf(B)", "scan(B)")
SPACE = ("fcfs(B)", "sstf(B)", "scan(B)")
BETTER = ("sstf(B)", "scan(B)", "dscan", "fdscan")  # section 7.2: "the better performing algorithms"


def far_fewer(results: Results) -> list[Finding]:
    """Misses with the buffer, over those without it."""
    return [
        ratio(results, READS, f"{label}(B)", label, load, 0, 1 - MUCH)
        for label in TRADITIONAL
        for load in loads_of(results, READS, (label, f"{label}(B)"))
    ]


def few_writes_missed(results: Results) -> list[Finding]:
    """Few writes are missed at any load, and some at the highest."""
    findings = []
    for label in BUFFERED:
        loads = loads_of(results, READS, (label,))
        worst = max(loads, key=lambda load: at(results, label, load, READS, writes_missed).mean)
        findings.append(
            Finding(f"{label} at {worst:g}", at(results, label, worst, READS, writes_missed), 0.001, 2.5, PERCENT)
        )
    return findings


def no_overflow(results: Results) -> list[Finding]:
    """The buffer does not overflow, in the mean over all loads."""
    return [
        Finding(f"{label} at {load:g}", at(results, label, load, READS, writes_missed), 0, 0, PERCENT)
        for label in TRADITIONAL
        for load in loads_of(results, READS, (label,))
    ]


def time_slightly_better(results: Results) -> list[Finding]:
    """How many points more the space threshold misses, in the mean over all loads."""
    return [
        Finding(
            f"{label}, space - time",
            pooled_difference(
                results, READS, f"{label}(space)", label, loads_of(results, READS, (label, f"{label}(space)"))
            ),
            0,
            FEW_POINTS,
            PERCENT,
        )
        for label in REAL_TIME
    ]


def edf_good_when_low(results: Results) -> list[Finding]:
    """edf misses at most one point more than the best of the others."""
    others = [label for label in MANAGED if label != "edf"]
    return [
        difference(
            results, READS, "edf", least(results, READS, others, load, reads_missed), load, low=-INFINITE, high=1
        )
        for load in (12, 14, 16)
    ]


def more_overflows(results: Results) -> list[Finding]:
    """How many more points of writes the time threshold misses."""
    return [
        difference(results, READS, timed, spaced, load, writes_missed)
        for load in (28, 30)
        for timed in ("dscan", "fdscan")
        for spaced in BUFFERED
    ]


def combined(results: Results) -> list[Finding]:
    """All misses over all arrivals, at the highest rate and in the mean over all rates."""
    pair = ("fdscan", "sstf(B)")
    loads = loads_of(results, READS, pair)
    low, high = 1 - CLOSE, 1 + CLOSE
    return [
        ratio(results, READS, *pair, loads[-1], low, high, all_missed),
        Finding("fdscan / sstf(B), all rates", pooled_ratio(results, READS, *pair, loads, all_missed), low, high),
    ]


def managed_outperform(sweep: str, measure: Measure, much: float) -> Check:
    """The worst policy that manages the buffer, over the best that does not, at each load."""
    return lambda results: [
        ratio(
            results, sweep, most(results, sweep, MANAGED, load, measure), least(results, sweep, TRADITIONAL, load, measure),
            load, 0, 1 - much, measure,
        )
        for load in loads_of(results, sweep, (*MANAGED, *TRADITIONAL))
    ]  # fmt: skip


def very_few(results: Results) -> list[Finding]:
    """The worst of the better policies misses one in ten at most, before overflows set in."""
    return [
        Finding(
            f"{(worst := most(results, WRITES, BETTER, load, all_missed))} at {load:g}",
            at(results, worst, load, WRITES, all_missed),
            0,
            10,
            PERCENT,
        )
        for load in loads_of(results, WRITES, BETTER, high=22)
    ]


def writes_rise(results: Results) -> list[Finding]:
    """Missed writes at 22 and at 28 writes a second."""
    low, high = about(6)
    return [
        Finding(f"{label} at {load}", at(results, label, load, WRITES, writes_missed), low_end, high_end, PERCENT)
        for load, low_end, high_end in ((22, 0, 1), (28, low, high))
        for label in MANAGED
    ]


def most_of_the_increase(results: Results) -> list[Finding]:
    """How missed writes less half of all misses change from 22 to 28 writes a second, in points of all arrivals."""
    return [
        change(results, WRITES, label, 22, 28, lambda result: writes_part(result) - all_missed(result) / 2, low=0)
        for label in MANAGED
    ]


def size_means_nothing(results: Results) -> list[Finding]:
    """Misses do not change from the smallest to the largest buffer."""
    return [change(results, SIZE, label, 5, 14, low=0, high=0) for label in TRADITIONAL]


def size_helps(results: Results) -> list[Finding]:
    """Misses with 14 frames, over those with 5."""
    return [
        Finding(
            f"{label}, 14 frames over 5",
            results.ratio(Point(label, 14, SIZE), Point(label, 5, SIZE), reads_missed),
            0,
            1 - CLEARLY,
        )
        for label in MANAGED
    ]


def fdscan_best_of_sizes(results: Results) -> list[Finding]:
    """How many points more the others miss than fdscan, in the mean over all sizes."""
    loads = loads_of(results, SIZE, MANAGED)
    return [
        Finding(
            f"{label} - fdscan, all sizes",
            pooled_difference(results, SIZE, label, "fdscan", loads),
            0,
            INFINITE,
            PERCENT,
        )
        for label in MANAGED
        if label != "fdscan"
    ]


def tied_for_second(results: Results) -> list[Finding]:
    """The ratio of the two policies in second place, and how much more the others miss than either."""
    loads = loads_of(results, SIZE, MANAGED)
    findings = [
        Finding(
            "dscan / sstf(B), all sizes",
            pooled_ratio(results, SIZE, "dscan", "sstf(B)", loads),
            1 - CLOSE,
            1 + CLOSE,
        )
    ]
    return findings + [
        Finding(
            f"{label} - {second}, all sizes",
            pooled_difference(results, SIZE, label, second, loads),
            0,
            INFINITE,
            PERCENT,
        )
        for second in ("sstf(B)", "dscan")
        for label in ("fcfs(B)", "scan(B)", "edf")
    ]


def no_writes_missed(results: Results) -> list[Finding]:
    """No writes are missed at the smallest size, which is the worst."""
    return [
        Finding(f"{label}, {frames} frames", at(results, label, frames, SIZE, writes_missed), 0, 0, PERCENT)
        for frames in (5, 10, 14)
        for label in (*TRADITIONAL, *MANAGED)
    ]


def steps(measure: Measure, sign: int, pairs: tuple[tuple[int, int], ...]) -> Check:
    """The change from threshold to threshold: a rise (sign 1) or a fall (-1)."""
    low, high = (0.0, INFINITE) if sign > 0 else (-INFINITE, 0.0)
    return lambda results: [
        change(results, THRESHOLD, label, first, last, measure, low, high) for label in SPACE for first, last in pairs
    ]


def hardly_any_writes(results: Results) -> list[Finding]:
    """Hardly any write is missed at a threshold of 3."""
    return [Finding(f"{label} at 3", at(results, label, 3, THRESHOLD, writes_missed), 0, 1, PERCENT) for label in SPACE]


def no_further_gain(results: Results) -> list[Finding]:
    """The threshold 4 gains a fifth of a point at most over 3."""
    return [change(results, THRESHOLD, label, 3, 4, writes_missed, -0.2, 0.2) for label in SPACE]


def function_varies(results: Results) -> list[Finding]:
    """A near write deadline (1 / lambda times a quarter) misses more reads and fewer writes than a far one (times 4)."""
    findings = []
    for label in REAL_TIME:
        reads = change(results, FUNCTION, label, 4, 0.25, reads_missed, low=0)
        writes = change(results, FUNCTION, label, 4, 0.25, writes_missed, high=0)
        findings += [
            Finding(f"{one.what}, {what}", one.value, one.low, one.high, PERCENT)
            for what, one in (("reads", reads), ("writes", writes))
        ]
    return findings


def consistently_best(results: Results) -> list[Finding]:
    """fdscan against the best of the others, in the mean over the loads of each experiment."""
    findings = []
    for sweep, labels, measure in (
        (EQUAL, ALL, reads_missed),
        (RANGE, ALL, reads_missed),
        (READS, MANAGED, reads_missed),
        (WRITES, MANAGED, all_missed),
        (SIZE, MANAGED, reads_missed),
    ):
        loads = loads_of(results, sweep, labels)
        values = [
            (other, pooled_difference(results, sweep, other, "fdscan", loads, measure))
            for other in labels
            if other != "fdscan"
        ]
        other, value = min(values, key=lambda one: one[1].mean)
        findings.append(Finding(f"{sweep}: {other} - fdscan", value, 0, INFINITE, PERCENT))
    return findings
