# SPDX-License-Identifier: Apache-2.0
"""Figure 2 of "Performance Evaluation of Movable Head Disk Schedulers": its 144 numbers, and ours beside them.

The paper names no units. A unit of time is ours (one_depth_run.unit_ms_of): in it fcfs can serve the 60 requests that figure 2 has
for it at most. Each of the other indicators has a scale of its own, by which fcfs at 100 requests is the paper's number. So these
four numbers of fcfs say nothing: they are fitted. All others are predictions.
"""

from collections.abc import Mapping, Sequence

from results import Measure, Missing, Point, Results

FIGURE = "figure 2"
POLICIES = ("fcfs", "sstf", "scan")
INDICATORS = ("turnaround", "waiting", "variance", "throughput")
HIGHEST = 100  # requests
# Section 3 (2): low, moderate, heavy.
LEVELS: Mapping[str, Sequence[int]] = {"low": (10, 15, 20, 25), "moderate": (30, 40, 50), "heavy": (60, 70, 80, 90, 100)}

# By requests: turnaround, waiting, variance and throughput, each of fcfs, sstf and scan.
PAPERS: Mapping[int, Mapping[str, tuple[float, float, float]]] = {
    requests: dict(zip(INDICATORS, (numbers[:3], numbers[3:6], numbers[6:9], numbers[9:]), strict=True))
    for requests, *numbers in (
        (10, 8.0, 6.0, 6.0, 6.5, 4.0, 4.0, 2.3, 1.7, 1.7, 10.0, 10.0, 10.0),
        (15, 9.5, 7.0, 7.0, 8.0, 5.5, 5.5, 2.6, 2.1, 2.1, 13.0, 13.0, 13.0),
        (20, 10.5, 7.5, 7.5, 9.0, 6.0, 6.0, 2.8, 2.3, 2.3, 17.0, 17.0, 17.0),
        (25, 11.0, 7.8, 8.0, 9.6, 6.5, 7.2, 3.0, 2.4, 2.4, 20.0, 23.0, 20.0),
        (30, 12.0, 8.0, 8.5, 11.0, 7.1, 8.0, 3.2, 2.4, 2.4, 21.0, 25.0, 25.0),
        (40, 16.0, 11.0, 10.0, 13.5, 9.0, 9.0, 3.6, 2.6, 2.7, 27.0, 40.0, 40.0),
        (50, 18.0, 12.0, 11.0, 16.0, 10.0, 9.5, 4.0, 2.8, 2.8, 35.0, 50.0, 47.0),
        (60, 19.0, 13.0, 12.0, 17.0, 10.3, 10.0, 4.2, 2.9, 3.0, 43.0, 57.0, 57.0),
        (70, 20.5, 13.0, 12.0, 17.0, 11.0, 10.0, 4.5, 3.1, 3.0, 53.0, 63.0, 68.0),
        (80, 21.0, 14.0, 13.0, 18.0, 12.0, 11.3, 4.8, 3.2, 3.1, 60.0, 69.0, 73.0),
        (90, 21.0, 15.0, 13.0, 18.1, 13.0, 11.5, 5.1, 3.3, 3.1, 60.0, 70.0, 75.0),
        (100, 22.0, 16.0, 14.0, 19.0, 14.0, 12.5, 5.4, 3.4, 3.2, 60.0, 70.0, 75.0),
    )
}


def papers(indicator: str, policy: str, requests: int) -> float:
    """A number of the paper's table."""
    return PAPERS[requests][indicator][POLICIES.index(policy)]


def scale_of(results: Results, indicator: str, measure: Measure) -> float:
    """What ours is multiplied by. Raises Missing."""
    if indicator == "throughput":
        return 1.0
    return papers(indicator, "fcfs", HIGHEST) / results.mean(Point("fcfs", HIGHEST, FIGURE), measure).mean


def _cell(results: Results, indicator: str, measure: Measure, policy: str, requests: int, scale: float) -> str:
    try:
        value = results.mean(Point(policy, requests, FIGURE), measure).mean * scale
    except Missing:
        return ""
    own = f"{value:.1f}"
    is_fitted = policy == "fcfs" and requests == HIGHEST and indicator != "throughput"
    return f"{papers(indicator, policy, requests):g} / {'*' * is_fitted}{own}{'*' * is_fitted}"


def table_rows(results: Results, measures: Mapping[str, Measure]) -> list[str]:
    """The 144 numbers, each "the paper's / ours", as rows in Markdown. Raises Missing."""
    scales = {name: scale_of(results, name, measure) for name, measure in measures.items()}
    lines = ["| requests | " + " | ".join(f"{name}, {policy}" for name in measures for policy in POLICIES) + " |"]
    lines.append("|---" * (1 + len(measures) * len(POLICIES)) + "|")
    for requests in PAPERS:
        cells = [
            _cell(results, name, measure, policy, requests, scales[name])
            for name, measure in measures.items()
            for policy in POLICIES
        ]
        lines.append(f"| {requests} | " + " | ".join(cells) + " |")
    return lines


def level_rows(results: Results, measures: Mapping[str, Measure]) -> list[str]:
    """Each policy over fcfs, in the mean over the rates of a level: "the paper's / ours". Raises Missing."""
    lines = ["| level | " + " | ".join(f"{name}, {policy}" for name in measures for policy in POLICIES[1:]) + " |"]
    lines.append("|---" * (1 + len(measures) * (len(POLICIES) - 1)) + "|")
    for level, rates in LEVELS.items():
        cells = []
        for name, measure in measures.items():
            for policy in POLICIES[1:]:
                theirs = sum(papers(name, policy, rate) / papers(name, "fcfs", rate) for rate in rates) / len(rates)
                ours = sum(
                    results.ratio(Point(policy, rate, FIGURE), Point("fcfs", rate, FIGURE), measure).mean for rate in rates
                ) / len(rates)
                cells.append(f"{theirs:.2f} / {ours:.2f}")
        lines.append(f"| {level}, {rates[0]} to {rates[-1]} | " + " | ".join(cells) + " |")
    return lines
