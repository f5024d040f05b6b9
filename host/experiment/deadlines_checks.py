"""Numbers out of runs with deadlines, and comparisons of them: what deadlines_claims.py and the figures are made of.

Percentages are those of section 5.3: of missed reads per read that was served, of missed writes per write that arrived.
The weighted average of sections 7.1 and 7.2 is all misses over all arrivals.
"""

from collections.abc import Callable, Sequence

from claims import INFINITE, Finding
from interval import Interval
from results import Measure, Missing, Point, Result, Results

EQUAL, RANGE, READS, WRITES, SIZE, THRESHOLD, FUNCTION = "6.1", "6.2", "7.1", "7.2", "7.3", "7.4", "7.4, time"
ALL = ("fcfs", "edf", "scan", "dscan", "sstf", "fdscan")
MANAGED = ("fcfs(B)", "sstf(B)", "scan(B)", "edf", "dscan", "fdscan")
TRADITIONAL = ("sstf", "scan")
PERCENT = "{:.2f}"


def reads_missed(result: Result) -> float:
    """%Missed Read Deadlines."""
    return 100 * float(result["reads_missed"]) / max(1, result["reads_served"])


def writes_missed(result: Result) -> float:
    """%Missed Write Deadlines."""
    return 100 * float(result["writes_missed"]) / max(1, result["writes_arrived"])


def all_missed(result: Result) -> float:
    """The weighted average of both."""
    return 100 * float(result["reads_missed"] + result["writes_missed"]) / result["requests"]


def band_share(first: int, last: int) -> Callable[[Result], float]:
    """Part of all misses, in percent, that lies in these tenths of the disk (1 to 10), each."""

    def measure(result: Result) -> float:
        bands = result["band_missed"]
        return 100 * float(sum(bands[first - 1 : last])) / max(1, sum(bands)) / (last - first + 1)

    return measure


def ends_share(result: Result) -> float:
    """Of the two outermost areas, each."""
    return (band_share(1, 1)(result) + band_share(10, 10)(result)) / 2


def next_to_ends_share(result: Result) -> float:
    """Of the two beside them, each."""
    return (band_share(2, 2)(result) + band_share(9, 9)(result)) / 2


def at(results: Results, label: str, load: float, sweep: str, measure: Measure) -> Interval:
    """A mean. Raises Missing."""
    return results.mean(Point(label, load, sweep), measure)


def loads_of(results: Results, sweep: str, labels: Sequence[str], low: float = -INFINITE, high: float = INFINITE) -> list[float]:
    """Where all of them have runs. Raises Missing when nowhere."""
    common = set.intersection(*(set(results.loads(label, sweep)) for label in labels))
    found = sorted(load for load in common if low <= load <= high)
    if not found:
        raise Missing(f"{' and '.join(labels)} in sweep {sweep}")
    return found


def above(
    results: Results, sweep: str, more: str, less: str, measure: Measure, loads: Sequence[float],
    low: float = 0, high: float = INFINITE, form: str = PERCENT,
) -> list[Finding]:  # fmt: skip
    """How much one has more of a measure than another, seed by seed."""
    return [
        Finding(
            f"{more} - {less} at {load:g}",
            results.difference(Point(more, load, sweep), Point(less, load, sweep), measure),
            low,
            high,
            form,
        )
        for load in loads
    ]
