# SPDX-License-Identifier: Apache-2.0
"""The checks for section 6 of the paper (deadlines_claims.py): all requests are reads with deadlines."""

from claims import INFINITE, Finding, exactly
from deadline_model import access_ms
from deadlines_checks import (
    ABOUT,
    ALL,
    CLEARLY,
    CLOSE,
    EQUAL,
    FEW_POINTS,
    PERCENT,
    RANGE,
    TRADITIONAL,
    Check,
    about_tenths,
    at,
    band_share,
    difference,
    ends_share,
    least,
    loads_of,
    most,
    next_to_ends_share,
    ratio,
    reads_missed,
)
from records import BANDS
from results import Measure, Point, Results

TRACKS = 1000
RANDOM_DISTANCE = (TRACKS**2 - 1) / (3 * TRACKS)  # mean distance of two random tracks
AREA_RATE = 36
DISTANCE = "distance_mean_pages"
TARDY = "tardy_mean_ms"


def mean_access(results: Results) -> list[Finding]:
    """The mean access between two random tracks, summed over the paper's curve."""
    n = TRACKS
    mean = sum(2 * (n - d) * access_ms(d) for d in range(1, n)) / n**2 + access_ms(0) / n
    return [
        Finding("mean access of a random seek, ms", exactly(mean), *about_tenths(26.0), "{:.2f}"),
        Finding("fcfs, mean distance at 30", at(results, "fcfs", 30, EQUAL, DISTANCE), *about_tenths(333), "{:.1f}"),
    ]


def fcfs_is_edf(results: Results) -> list[Finding]:
    """fcfs and edf serve in the same order, request for request."""
    loads = loads_of(results, EQUAL, ("fcfs", "edf"))
    return [difference(results, EQUAL, "edf", "fcfs", load, "order", 0, 0, "{:.0f}") for load in loads]


def limited_maximum(results: Results) -> list[Finding]:
    """The longest response of fdscan less that of a policy which bounds it. Of a maximum, whose tail is heavy, it is the median."""
    labels = ("sstf", "scan", "dscan")
    findings = []
    for label in labels:
        for load in loads_of(results, RANGE, (label, "fdscan"))[-3:]:
            points = Point("fdscan", load, RANGE), Point(label, load, RANGE)
            findings.append(Finding(f"fdscan - {label} at {load:g}", results.median_difference(*points, "response_max_ms"), 0, form="{:.0f}"))
    return findings


def fcfs_saturates(results: Results) -> list[Finding]:
    """Requests a second that fcfs serves, over those of fdscan with the same arrivals."""
    return [
        Finding(
            f"fcfs / fdscan, served a second, at {load}",
            results.ratio(Point("fdscan", load, EQUAL), Point("fcfs", load, EQUAL), "elapsed_ms"),
            0,
            0.99,
        )
        for load in (38, 40)
    ]


def many_missed(results: Results) -> list[Finding]:
    """At the highest rate even the best policy misses one in ten."""
    best = least(results, EQUAL, ALL, 40, reads_missed)
    return [Finding(f"{best} at 40", at(results, best, 40, EQUAL, reads_missed), 10, INFINITE, PERCENT)]


def next_best(results: Results) -> list[Finding]:
    """scan and dscan lie between sstf and what is left."""
    return [
        finding
        for label in ("scan", "dscan")
        for finding in (
            difference(results, EQUAL, label, "sstf", 40),
            difference(results, EQUAL, "fcfs", label, 40),
        )
    ]


def scan_slightly_better(results: Results) -> list[Finding]:
    """How many points more scan misses than dscan."""
    loads = loads_of(results, EQUAL, ("scan", "dscan"))
    return [difference(results, EQUAL, "dscan", "scan", load, high=FEW_POINTS) for load in loads]


def seeks_are_shorter(results: Results) -> list[Finding]:
    """Seeks are shorter at every load, and by a tenth at the highest. So are responses."""
    findings = []
    for label in TRADITIONAL:
        loads = loads_of(results, EQUAL, ("fcfs", label))
        findings += [difference(results, EQUAL, "fcfs", label, load, DISTANCE, form="{:.1f}") for load in loads]
        findings.append(ratio(results, EQUAL, label, "fcfs", loads[-1], 0, 1 - CLEARLY, DISTANCE))
        response = difference(results, EQUAL, "fcfs", label, loads[-1], "response_mean_ms", form="{:.1f}")
        findings.append(Finding(f"response, ms, {response.what}", response.value, 0, INFINITE, "{:.1f}"))
    return findings


def seeks_become_shorter(results: Results) -> list[Finding]:
    """Seeks become shorter from the lowest to the highest rate."""
    findings = []
    for label in TRADITIONAL:
        first, last = (loads := loads_of(results, EQUAL, (label,)))[0], loads[-1]
        value = results.ratio(Point(label, last, EQUAL), Point(label, first, EQUAL), DISTANCE)
        findings.append(Finding(f"{label}, at {last:g} over at {first:g}", value, 0, 1 - CLEARLY))
    return findings


def random_seeks(results: Results) -> list[Finding]:
    """Seeks have the mean distance of two random tracks."""
    low, high = about_tenths(RANDOM_DISTANCE)
    return [
        Finding(f"{label} at {load:g}", at(results, label, load, EQUAL, DISTANCE), low, high, "{:.1f}")
        for label in ("fcfs", "edf")
        for load in (22, 30, 40)
    ]


def high_seeks_when_low(results: Results) -> list[Finding]:
    """Seeks at the lowest rate are nearly random ones."""
    return [
        Finding(
            f"{label} at 22, of fcfs's",
            results.ratio(Point(label, 22, RANGE), Point("fcfs", 22, RANGE), DISTANCE),
            1 - CLOSE,
        )
        for label in ALL
        if label != "fcfs"
    ]


def dscan_when_low(results: Results) -> list[Finding]:
    """How many points more the others miss than dscan."""
    return [difference(results, RANGE, other, "dscan", load) for other in TRADITIONAL for load in (22, 24)]


def dscan_when_high(results: Results) -> list[Finding]:
    """The others are within a tenth of dscan."""
    return [
        ratio(results, RANGE, "dscan", other, load, 1 - CLOSE, 1 + CLOSE) for other in TRADITIONAL for load in (38, 40)
    ]


def tardy_high(label: str) -> Check:
    """A policy's mean tardy time, over that of sstf."""
    return lambda results: [ratio(results, RANGE, label, "sstf", 40, 2, INFINITE, TARDY)]


def meets_most_and_misses_most(label: str) -> Check:
    """Half of them."""
    return lambda results: [
        Finding(f"{label} at 22", at(results, label, 22, RANGE, reads_missed), 0, 50, PERCENT),
        Finding(f"{label} at 40", at(results, label, 40, RANGE, reads_missed), 50, 100, PERCENT),
    ]


def highest_tardy(results: Results) -> list[Finding]:
    """The mean tardy time of fdscan, over the highest of the others, at each load."""
    others = [label for label in ALL if label != "fdscan"]
    return [
        difference(results, RANGE, "fdscan", most(results, RANGE, others, load, TARDY), load, TARDY, form="{:.1f}")
        for load in loads_of(results, RANGE, ALL)
    ]


def fair(results: Results) -> list[Finding]:
    """The least and the greatest share of the ten areas."""
    findings = []
    for label in ("fcfs", "edf"):
        shares = [at(results, label, AREA_RATE, RANGE, band_share(band, band)) for band in range(1, BANDS + 1)]
        for what, value in (
            ("least", min(shares, key=lambda one: one.mean)),
            ("greatest", max(shares, key=lambda one: one.mean)),
        ):
            findings.append(Finding(f"{label}, {what} area", value, 9, 11, PERCENT))
    return findings


def scan_relatively_fair(results: Results) -> list[Finding]:
    """The outermost areas have a smaller share under scan than under the others that favour the middle."""
    return [difference(results, RANGE, other, "scan", AREA_RATE, ends_share) for other in ("sstf", "dscan", "fdscan")]


def of_areas(label: str, measure: Measure, low: float, high: float, what: str) -> Check:
    """A policy's share of misses in some areas, as a part of all misses."""
    return lambda results: [
        Finding(f"{label}, {what}", at(results, label, AREA_RATE, RANGE, measure), low, high, PERCENT)
    ]


def favour_the_middle(results: Results) -> list[Finding]:
    """The two areas in the middle have less than a tenth each."""
    return [
        Finding(label, at(results, label, AREA_RATE, RANGE, band_share(5, 6)), 0, 10, PERCENT)
        for label in ("sstf", "scan", "dscan", "fdscan")
    ]


def next_to_outermost(results: Results) -> list[Finding]:
    """The share of the areas next to the outermost: fdscan's over the others'."""
    return [
        ratio(results, RANGE, "fdscan", other, AREA_RATE, 1 - ABOUT, 1 + ABOUT, next_to_ends_share)
        for other in ("sstf", "scan", "dscan")
    ]
