# SPDX-License-Identifier: Apache-2.0
"""The claims in section 4 of "A Pruning-based Disk Scheduling Algorithm for Heterogeneous I/O Workloads", in its order.

gscan_checks.py defines the meaning of words. A claim that does not hold has the reason, if it is known.
"""

from claims import Claim, Finding
from gscan_checks import (
    ABOUT,
    COMPETITIVE,
    CREATED,
    DISTANCE,
    EXCESSIVELY,
    FITTED_U,
    GROWN,
    INFINITE,
    MEETS_POINTS,
    ORIGINAL,
    OURS,
    PAPERS_WORKLOADS,
    REAL_WORKLOADS,
    RESPONSE,
    RIVALS,
    SCALED,
    SIGNIFICANTLY,
    THROUGHPUT,
    UNITS,
    WELL_POINTS,
    Check,
    all_rivals,
    at_most,
    close_to,
    excess,
    fraction_of_orders,
    growth_numbers,
    missed,
    orders,
    scales_of,
    scarcely_at_tau,
    scarcely_by_tau,
    tau_number,
    tau_ratio,
)
from results import Results

PAPERS_WAITING, PAPERS_GROUPS = 22, 6  # section 4.2
PAPERS_SCHEDULES, PAPERS_ORDERS_LOG10 = 298, 15.8724  # section 4.4: 7.455e15
FEW_SCHEDULES = 100


def _within(measure: object, rivals: tuple[str, ...], share: float) -> Check:
    """The check that gscan is at most this share above its rivals, in each of the paper's workloads."""
    return lambda results: [
        excess(results, workload, OURS, rival, measure, low=-INFINITE, high=100 * share)  # type: ignore[arg-type]
        for rival in rivals
        for workload in PAPERS_WORKLOADS
    ]


def _gap(results: Results) -> list[Finding]:
    return [
        excess(results, workload, OURS, rival, DISTANCE, low=100 * SIGNIFICANTLY)
        for rival in ("cscan", "kamel")
        for workload in ("2", "4")
    ]


def _excessive(results: Results) -> list[Finding]:
    return [
        excess(results, workload, OURS, rival, RESPONSE, low=100 * (EXCESSIVELY - 1))
        for rival in ("edf", "scanedf")
        for workload in PAPERS_WORKLOADS
    ]


def _edf_is_poor(results: Results) -> list[Finding]:
    findings = []
    for workload in SCALED:
        for scale in scales_of(results, workload, (OURS, "edf")):
            findings += [
                excess(results, workload, OURS, "edf", DISTANCE, scale, low=100 * COMPETITIVE),
                excess(results, workload, OURS, "edf", RESPONSE, scale, low=100 * COMPETITIVE),
                excess(results, workload, OURS, "edf", THROUGHPUT, scale, low=-INFINITE, high=-100 * SIGNIFICANTLY),
            ]
    return findings


def _not_better_than_opt_d(results: Results) -> list[Finding]:
    return [
        excess(results, workload, "opt-d", OURS, missed, scale)
        for workload in SCALED
        for scale in scales_of(results, workload, (OURS, "opt-d"))
    ]


def _opt_t_is_scan(results: Results) -> list[Finding]:
    bound = 100 * SIGNIFICANTLY
    return [
        excess(results, workload, "scan", "opt-t", measure, low=-bound, high=bound)
        for measure in (DISTANCE, RESPONSE)
        for workload in SCALED
    ]


def _outperforms(results: Results) -> list[Finding]:
    return [
        excess(results, workload, OURS, rival, RESPONSE, low=100 * SIGNIFICANTLY)
        for rival in RIVALS
        for workload in PAPERS_WORKLOADS
    ]


def _fewest_misses(results: Results) -> list[Finding]:
    return [excess(results, workload, OURS, rival, missed) for rival in RIVALS for workload in PAPERS_WORKLOADS]


_REGION_5 = "The files of workload 5 lie in a region of 3.6 times their size because both numbers come out so."
_REGION_1 = "The files of workload 1 lie in a region of 22 times their size, and U is 500, because the number comes out so."

# The claims in the order of the paper.
CLAIMS: tuple[Claim, ...] = (
    Claim(
        "abstract, 5",
        "G-SCAN outperforms the other algorithms significantly in average response. (What they have more, %.)",
        _outperforms,
        "The others know fewer deadlines, or none: what G-SCAN does for a deadline, other requests pay.",
    ),
    Claim(
        "abstract, 5", "G-SCAN outperforms them in the deadline miss rate. (What they miss more, points.)", _fewest_misses,
        "The earliest deadline first misses fewer where one stream has deadlines.",
    ),
    Claim(
        "4.2, figure 4",
        "Without grouping, about 22 requests wait in workload 5. (Units at tau = 0.)",
        tau_number(UNITS, 0, PAPERS_WAITING),
        fitted=_REGION_5,
    ),
    Claim(
        "4.2, figure 4",
        "With tau = 100 there are about 6 groups.",
        tau_number(UNITS, 100, PAPERS_GROUPS),
        fitted=_REGION_5,
    ),
    Claim("4.2", "Grouping reduces the search significantly. (Units at tau = 0 over those at 100.)",
          tau_ratio(UNITS, 0, 100, 1 + SIGNIFICANTLY)),
    Claim(
        "4.2", "With tau = 100 nothing gets worse than without groups. (Seeks and response, %; misses, points.)",
        lambda results: [one for measure in (DISTANCE, RESPONSE, missed) for one in scarcely_at_tau(measure, 100, 0)(results)],
        "A group is swept to its end while a deadline leaves the time: the requests elsewhere wait.",
    ),
    Claim(
        "4.2, figure 5(a)", "Total seek distances are scarcely influenced by tau.", scarcely_by_tau(DISTANCE),
        "Groups are swept whole: the larger they are, the longer the arm stays where it is.",
    ),
    Claim("4.2, figure 5(b)", "Nor is the throughput.", scarcely_by_tau(THROUGHPUT)),
    Claim(
        "4.2, figure 5(c)", "Nor is the deadline miss rate. (In points.)", scarcely_by_tau(missed),
        "A unit fewer leaves a deadline fewer places: see the figure.",
    ),
    Claim(
        "4.2, figure 5(d)",
        "The average response degrades significantly when tau is larger than 100. (At 1000 over 100.)",
        tau_ratio(RESPONSE, 1000, 100, 1 + SIGNIFICANTLY),
        "Requests of a group follow each other in one sweep, which costs no seeks. On this drive groups that are too "
        "large do not make the response longer.",
    ),
    Claim(
        "4.2, figure 5(e)",
        "The number of expanded schedules drops rapidly when tau is larger than 60. (At 100 over 60.)",
        tau_ratio(CREATED, 100, 60, high=1 - SIGNIFICANTLY),
    ),
    Claim(
        "4.3, figure 6(a)",
        "G-SCAN has shorter total seek distances than all others in all workloads. (What they have more, %.)",
        all_rivals(DISTANCE, RIVALS, PAPERS_WORKLOADS),
        "C-SCAN seeks no longer where requests follow each other anyway.",
    ),
    Claim(
        "4.3, figure 6(a)",
        "C-SCAN and Kamel's are competitive there. (At most a quarter more.)",
        _within(DISTANCE, ("cscan", "kamel"), COMPETITIVE),
    ),
    Claim("4.3, figure 6(a)", "In workloads 2 and 4 the gap between them is distinguishable. (A tenth.)", _gap,
          "The gap depends on how far apart the files lie."),
    Claim(
        "4.3, figure 6(b)",
        "G-SCAN has a higher throughput than C-SCAN and Kamel's. (What they have more, %.)",
        all_rivals(THROUGHPUT, ("cscan", "kamel"), PAPERS_WORKLOADS, -1),
        "Requests arrive at their own times: below saturation all policies serve as many.",
    ),
    Claim(
        "4.3, figure 6(c)",
        "G-SCAN has a shorter average response than C-SCAN and Kamel's. (What they have more, %.)",
        all_rivals(RESPONSE, ("cscan", "kamel"), PAPERS_WORKLOADS),
        "In the mean over all requests C-SCAN is better where deadlines cost something: it knows none.",
    ),
    Claim(
        "4.3, figure 6(c)",
        "EDF and SCAN-EDF have excessively large responses in all cases. (Twice those of G-SCAN; what they have more, %.)",
        _excessive,
        "Only where the drive is near saturation: with few requests waiting there is little to choose.",
    ),
    Claim(
        "4.3, figure 6(d)",
        "EDF and SCAN-EDF perform well in most cases. (Misses, %: at most 5.)",
        lambda results: at_most(missed, "edf", PAPERS_WORKLOADS, WELL_POINTS)(results)
        + at_most(missed, "scanedf", PAPERS_WORKLOADS, WELL_POINTS)(results),
        "Deadlines of 20 ms in workloads 2 to 4 are less than two accesses.",
    ),
    Claim(
        "4.3, figure 6(d)",
        "C-SCAN and Kamel's do not show competitive miss rates. (What they miss more than G-SCAN, points.)",
        all_rivals(missed, ("cscan", "kamel"), PAPERS_WORKLOADS),
    ),
    Claim(
        "4.3, figure 6(d)", "G-SCAN's miss rate is reasonably good in all cases. (At most 5 %.)",
        at_most(missed, OURS, PAPERS_WORKLOADS, WELL_POINTS),
        "As for EDF: deadlines of 20 ms cannot all be met on this drive.",
    ),
    Claim(
        "4.3, figure 6(d)",
        "With the real workloads G-SCAN misses even fewer than EDF. (What EDF misses more, points.)",
        all_rivals(missed, ("edf",), REAL_WORKLOADS),
        "The earliest deadline is alone in its stream there: EDF serves it next, and nothing can be sooner.",
    ),
    *[
        Claim(
            f"4.3, figure {figure}",
            f"G-SCAN's {what} is almost identical with that of {name}. (Workloads 1 and 5, each scale factor, %.)",
            close_to(measure, other, SCALED),
            "OPT-T knows no deadlines, and OPT-G no groups. Where more requests wait, that matters.",
        )
        for figure, what, measure in (
            ("7", "total seek distance", DISTANCE), ("8", "throughput", THROUGHPUT), ("9", "average response", RESPONSE)
        )
        for other, name in (("opt-t", "OPT-T"), ("opt-g", "OPT-G"))
    ],
    Claim(
        "4.3, figures 7 to 9",
        "EDF is extremely poor in all three. (A quarter more seeks and response, a tenth less throughput, %.)",
        _edf_is_poor,
        "Not where the drive is far from saturation; throughput is then that of the arrivals.",
    ),
    Claim("4.3, figure 10", "G-SCAN misses no fewer deadlines than OPT-D. (What it misses more, points.)",
          _not_better_than_opt_d, "Without a miss of either there is no difference."),
    Claim("4.3, figure 10", "G-SCAN misses about as many deadlines as OPT-G. (What it misses more, points.)",
          close_to(missed, "opt-g", SCALED),
          "G-SCAN's schedules are cut to what it keeps; OPT-G looks at 20 requests in all orders."),
    Claim(
        "4.3, 5 (2)", "G-SCAN meets the deadlines of real-time requests. (Misses, %.)", at_most(missed, OURS, PAPERS_WORKLOADS, MEETS_POINTS),
        "Deadlines of 20 ms are two accesses of this drive, and C-SCAN's order comes first where several are feasible.",
    ),
    Claim("4.3", "OPT-T performs similarly to SCAN. (Seek distance and response, %.)", _opt_t_is_scan),
    Claim(
        "4.4, figure 11",
        "In workload 1 some 298 schedules are expanded in the mean.",
        growth_numbers(
            CREATED, "1", PAPERS_SCHEDULES * (1 - ABOUT), PAPERS_SCHEDULES * (1 + ABOUT), (ORIGINAL,), (FITTED_U,)
        ),
        fitted=_REGION_1,
    ),
    Claim(
        "4.4, figure 11",
        "There all possible schedules are 7.455e15 in the mean. (log10 of a run's mean of n!.)",
        growth_numbers(orders, "1", PAPERS_ORDERS_LOG10 * (1 - ABOUT), PAPERS_ORDERS_LOG10 * (1 + ABOUT), (ORIGINAL,)),
        "A mean of n! is what the longest queues make it.",
    ),
    *[
        Claim(
            "4.4, figure 11",
            f"In workload 5 fewer than 100 schedules are expanded in all cases. (U = {int(label[6:-1]):,}.)",
            growth_numbers(CREATED, "5", 0, FEW_SCHEDULES, labels=(label,)),
            "The paper does not name its U. The more schedules are kept, the more grow from each.",
        )
        for label in GROWN
    ],
    Claim(
        "4.4, figure 12",
        "G-SCAN explores a small fraction of all schedules. (log10 of the share: a tenth at most.)",
        lambda results: fraction_of_orders("1")(results) + fraction_of_orders("5")(results),
    ),
)  # fmt: skip
