# SPDX-License-Identifier: Apache-2.0
"""The same workloads on drives that differ in what an access costs, side by side.

A drive is the first word of its sweeps' names: "cache" has "cache 1", and "cache 2, 22" with the files farther apart.
"""

from collections.abc import Mapping

from gscan_checks import FAR_WORKLOADS, ORIGINAL, OURS, POLICIES, RESPONSE, RIVALS, WORKLOADS, missed
from results import Missing, Point, Results

EVERY_WORKLOAD = (*WORKLOADS, *FAR_WORKLOADS)


def name_of(workload: str) -> str:
    """A workload's name on a page."""
    number, far, factor = workload.partition(", ")
    return f"{number}, files {factor} times apart" if far else number


def drive_point(drive: str, workload: str, label: str, electronics: str) -> Point:
    """The point of a policy on a drive."""
    return Point(label, ORIGINAL, f"{drive} {workload}", electronics)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def side_by_side(results: Results, drives: Mapping[str, str], electronics: str) -> str:
    """Misses and responses of the five policies on each drive, and the rivals' responses over those of gscan.

    `drives`: the first words of sweeps, each with the drive's name on the page.
    """
    rows, ratios = [], []
    for workload in EVERY_WORKLOAD:
        for label in POLICIES:
            cells = []
            for drive in drives:
                one = drive_point(drive, workload, label, electronics)
                try:
                    cells += [results.mean(one, missed).text("{:.1f}"), results.median(one, RESPONSE).text("{:.1f}")]
                except Missing:
                    cells += ["", ""]
            if any(cells):
                rows.append([name_of(workload), label, *cells])
        for rival in RIVALS:
            cells = []
            for drive in drives:
                points = [drive_point(drive, workload, label, electronics) for label in (rival, OURS)]
                try:
                    cells.append(results.median_ratio(*points, RESPONSE).percent_more().text("{:+.0f}"))
                    cells.append(results.difference(*points, missed).text("{:.1f}"))
                except Missing:
                    cells += [""] * (2 - len(cells) % 2)
            if any(cells):
                ratios.append([name_of(workload), rival, *cells])
    if not rows:
        return ""
    heads = [f"{name}: {what}" for name in drives.values() for what in ("missed, %", "median of the mean responses, ms")]
    more = [f"{name}: {what}" for name in drives.values() for what in ("response, %", "misses, points")]
    return f"""{_table(["workload", "policy", *heads], rows)}
What the others have more than `gscan`, seed by seed. For responses it is the median over the seeds, because their tail is heavy near
saturation, and for misses the mean.

{_table(["workload", "policy", *more], ratios)}"""
