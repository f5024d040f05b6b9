# SPDX-License-Identifier: Apache-2.0
"""Numbers from runs of streams, and comparisons of them, for gscan_claims.py and the figures."""

import math
from collections.abc import Callable, Sequence

import rules
from claims import INFINITE, Finding
from interval import Interval, interval
from results import Measure, Missing, Point, Result, Results, take

WORKLOADS = ("1", "2", "3", "4", "5", "6", "5b", "6b")
# Workloads 2 to 4 with the files in a region of 22 times their size, as those of workload 1. The paper does not say which.
FAR_WORKLOADS = ("2, 22", "3, 22", "4, 22")
PAPERS_WORKLOADS = ("1", "2", "3", "4", "5", "6", *FAR_WORKLOADS)
REAL_WORKLOADS = ("5", "6")
SCALED = ("1", "5")  # workloads of figures 7 to 10
OURS = "gscan"
RIVALS = ("cscan", "edf", "scanedf", "kamel")  # the other policies of the paper's section 4.3
POLICIES = (OURS, *RIVALS)
OPTIMA = ("opt-t", "opt-d", "opt-g")
ORIGINAL = 1.0  # scale factor of the unscaled workloads
PERCENT = "{:.2f}"
# What the paper's words are taken to mean (RULES.md).
ABOUT, SCARCELY, SIGNIFICANTLY = rules.ABOUT.bound, rules.ALIKE.bound, rules.SIGNIFICANTLY.bound
SCARCELY_POINTS, WELL_POINTS = rules.SCARCELY_POINTS.bound, rules.WELL_POINTS.bound
MEETS_POINTS = rules.MEETS_POINTS.bound
COMPETITIVE, EXCESSIVELY = rules.MUCH.bound, rules.EXCESSIVELY.bound

DISTANCE, RESPONSE, THROUGHPUT = "distance_total_cylinders", "response_mean_ms", "mb_per_s"
UNITS, CREATED = "units_mean", "created_mean"

# Sweeps of the declarations, in the order in which a policy's runs of a workload are looked for.
SWEEPS = (
    "workload", "references", "literal", "others", "scales", "growth", "all",
    "layers", "read-ahead", "charged", "charged read-ahead",
)  # fmt: skip

Check = Callable[[Results], list[Finding]]


def missed(result: Result) -> float:
    """Missed real-time requests, in percent."""
    return 100 * float(result["rt_missed"]) / max(1, result["rt_served"])


def orders(result: Result) -> float:
    """log10 of n!, in the mean over arrivals."""
    return float(result["orders_sum_log10"]) - math.log10(result["requests"])


def slowest_stream(result: Result) -> float:
    """Fairness between streams: the longest mean response over the shortest."""
    means = [stream["response_mean_ms"] for stream in result["streams"] if stream["requests"]]
    return max(means) / min(means)


def point(results: Results, workload: str, label: str, scale: float = ORIGINAL, electronics: str = "ideal") -> Point:
    """A point that was measured. Raises Missing."""
    for sweep in SWEEPS:
        found = Point(label, scale, f"{sweep} {workload}", electronics)
        try:
            results.seeds_at(found)
        except Missing:
            continue
        return found
    raise Missing(f"{label} in workload {workload} at {scale:g}")


def mean(results: Results, workload: str, label: str, measure: Measure, scale: float = ORIGINAL) -> Interval:
    """The mean over the seeds. Raises Missing."""
    return results.mean(point(results, workload, label, scale), measure)


def scales_of(results: Results, workload: str, labels: Sequence[str]) -> list[float]:
    """The scale factors at which all labels have runs. Raises Missing when there is none."""
    common = set.intersection(*(set(results.loads(label, f"scales {workload}")) for label in labels))
    if not common:
        raise Missing(f"{' and '.join(labels)} in workload {workload}")
    return sorted(common)


def excess(
    results: Results, workload: str, label: str, other: str, measure: Measure, scale: float = ORIGINAL,
    low: float = 0, high: float = INFINITE,
) -> Finding:  # fmt: skip
    """How much more the other policy has: for misses in points, else in percent of `label`'s value.

    Near saturation one seed's mean response may be many times another's, so that of responses it is the median.
    """
    mine, theirs = point(results, workload, label, scale), point(results, workload, other, scale)
    if measure is missed:
        value, text = results.difference(theirs, mine, missed), f"{other} - {label}, points"
    else:
        ratio = results.median_ratio if measure == RESPONSE else results.ratio
        value, text = ratio(theirs, mine, measure).percent_more(), f"{other} over {label}, %"
    return Finding(f"{text}, workload {workload} at {scale:g}", value, low, high, PERCENT)


def all_rivals(measure: Measure, rivals: Sequence[str], workloads: Sequence[str], sign: int = 1) -> Check:
    """The check of gscan against each rival in each workload. `sign` 1: the rivals have more; -1: less."""
    low, high = (0.0, INFINITE) if sign > 0 else (-INFINITE, 0.0)

    def check(results: Results) -> list[Finding]:
        return [
            excess(results, workload, OURS, rival, measure, low=low, high=high)
            for rival in rivals
            for workload in workloads
        ]

    return check


def close_to(measure: Measure, other: str, workloads: Sequence[str], within: float = SCARCELY) -> Check:
    """The check that gscan is near another policy, at each scale factor that both have."""

    def check(results: Results) -> list[Finding]:
        findings = []
        for workload in workloads:
            for scale in scales_of(results, workload, (OURS, other)):
                bound = SCARCELY_POINTS if measure is missed else 100 * within
                findings.append(excess(results, workload, other, OURS, measure, scale, -bound, bound))
        return findings

    return check


def at_most(measure: Measure, label: str, workloads: Sequence[str], high: float) -> Check:
    """The check of one policy's number in each workload."""
    return lambda results: [
        Finding(f"{label}, workload {workload}", mean(results, workload, label, measure), high=high, form=PERCENT)
        for workload in workloads
    ]


# ------------------------------------------------------------------------------------------ taus

TAUS = ("tau(64)", "tau(256)", "tau(500)", "tau(5000)")
TAU_SWEEPS = dict.fromkeys(TAUS, "tau") | {"tau(5000)": "tau, 5000"}


def tau_curve(results: Results, label: str, measure: Measure) -> list[tuple[float, Interval]]:
    """The curve over tau."""
    return results.curve(label, TAU_SWEEPS[label], measure)


def tau_point(label: str, tau: int) -> Point:
    """The point of one tau."""
    return Point(label, tau, TAU_SWEEPS[label])


def scarcely_by_tau(measure: Measure) -> Check:
    """The check of the largest change from tau = 100 over all taus: in percent; misses in points."""

    def check(results: Results) -> list[Finding]:
        findings = []
        for label in TAUS:
            at = tau_point(label, 100)
            for tau in results.loads(label, TAU_SWEEPS[label]):
                if tau == 100:
                    continue
                other = tau_point(label, int(tau))
                if measure is missed:
                    value, bound = results.difference(other, at, missed), SCARCELY_POINTS
                else:
                    value, bound = results.ratio(other, at, measure).percent_more(), 100 * SCARCELY
                findings.append(Finding(f"{label} over tau = 100 at {tau:g}", value, -bound, bound, PERCENT))
        return findings

    return check


def scarcely_at_tau(measure: Measure, tau: int, other: int) -> Check:
    """The check that one tau has scarcely more than another: in percent; misses in points. Less is as well."""

    def check(results: Results) -> list[Finding]:
        findings = []
        for label in TAUS:
            if tau not in results.loads(label, TAU_SWEEPS[label]):
                continue
            one, base = tau_point(label, tau), tau_point(label, other)
            if measure is missed:
                value, bound, name = results.difference(one, base, missed), SCARCELY_POINTS, "misses"
            else:
                ratio = results.median_ratio if measure == RESPONSE else results.ratio
                value, bound, name = ratio(one, base, measure).percent_more(), 100 * SCARCELY, "response" if measure == RESPONSE else "seeks"
            findings.append(Finding(f"{label}, {name}, tau = {tau} over {other}", value, high=bound, form=PERCENT))
        return findings

    return check


def tau_ratio(measure: Measure, over: int, under: int, low: float = -INFINITE, high: float = INFINITE) -> Check:
    """The check of one tau's measure over another's, for each U."""
    return lambda results: [
        Finding(
            f"{label}, tau {over} over {under}",
            results.ratio(tau_point(label, over), tau_point(label, under), measure), low, high, PERCENT,
        )
        for label in TAUS
        if results.loads(label, TAU_SWEEPS[label])
    ]  # fmt: skip


def tau_number(measure: Measure, tau: int, number: float) -> Check:
    """The check that a measure is about a number, for each U."""
    return lambda results: [
        Finding(
            f"{label}, tau {tau}", results.mean(tau_point(label, tau), measure),
            number * (1 - ABOUT), number * (1 + ABOUT), PERCENT,
        )
        for label in TAUS
        if results.loads(label, TAU_SWEEPS[label])
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------- growth

FITTED_U = "gscan(500)"  # with this U, and the files of workload 1 in 22 times their size, as many schedules are made as in the paper
GROWN = ("gscan(64)", "gscan(256)", FITTED_U, "gscan(5000)")


def growth_sweep(label: str, workload: str) -> str:
    """The name of the declaration's sweep for a policy and a workload."""
    return f"growth {workload}, 5000" if label == "gscan(5000)" else f"growth {workload}"


def growth_curve(results: Results, label: str, workload: str, measure: Measure) -> list[tuple[float, Interval]]:
    """The curve over the scale factor."""
    return results.curve(label, growth_sweep(label, workload), measure)


def growth_numbers(
    measure: Measure, workload: str, low: float, high: float, scales: Sequence[float] = (), labels: Sequence[str] = GROWN
) -> Check:
    """The check for each U, at these scale factors or at all. A sum of n! has a heavy tail: of it the median is taken."""

    def check(results: Results) -> list[Finding]:
        findings = []
        for label in labels:
            sweep = growth_sweep(label, workload)
            for scale in scales or results.loads(label, sweep):
                if scale in results.loads(label, sweep):
                    take_one = results.median if measure is orders else results.mean
                    value = take_one(Point(label, scale, sweep), measure)
                    findings.append(Finding(f"{label} at {scale:g}", value, low, high, PERCENT))
        return findings

    return check


def log_created(result: Result) -> float:
    """log10 of how many schedules an arrival makes."""
    return math.log10(max(float(result[CREATED]), 1.0))


def fraction_of_orders(workload: str) -> Check:
    """The check of log10 of schedules made, over log10 of all possible ones, at the original scale."""

    def check(results: Results) -> list[Finding]:
        findings = []
        for label in GROWN:
            sweep = growth_sweep(label, workload)
            if ORIGINAL not in results.loads(label, sweep):
                continue
            value = results.median(Point(label, ORIGINAL, sweep), lambda one: log_created(one) - orders(one))
            findings.append(Finding(f"{label}, log10 of made over possible", value, high=-1, form=PERCENT))
        return findings

    return check


# ----------------------------------------------------------------------------------------- signs


def signs(results: Results, workload: str, label: str, measure: Measure) -> tuple[int, int, int]:
    """In how many seeds a policy has more than gscan, as much, and less. Raises Missing."""
    theirs = results.seeds_at(point(results, workload, label))
    mine = results.seeds_at(point(results, workload, OURS))
    differences = [take(theirs[seed], measure) - take(mine[seed], measure) for seed in theirs if seed in mine]
    return (
        sum(one > 0 for one in differences), sum(one == 0 for one in differences), sum(one < 0 for one in differences)
    )  # fmt: skip


def sign_text(counts: tuple[int, int, int]) -> str:
    """'+' or '-' if the sign is the same in every seed, '=' if all are equal; else the count of each."""
    more, equal, less = counts
    total = more + equal + less
    for count, sign in ((more, "+"), (equal, "="), (less, "-")):
        if count == total:
            return sign
    return f"{more}+ {less}-"


def pooled(
    results: Results, labels: Sequence[str], workloads: Sequence[str], measure: Measure, electronics: str = "ideal"
) -> dict[str, Interval]:
    """The mean over workloads, by policy and seed. Policies without runs of a workload are left out."""
    means: dict[str, Interval] = {}
    for label in labels:
        try:
            points = [point(results, workload, label, ORIGINAL, electronics) for workload in workloads]
        except Missing:
            continue
        runs = [results.seeds_at(one) for one in points]
        seeds = sorted(set.intersection(*map(set, runs)))
        means[label] = interval([sum(take(run[seed], measure) for run in runs) / len(runs) for seed in seeds])
    return means
