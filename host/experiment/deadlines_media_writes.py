# SPDX-License-Identifier: Apache-2.0
"""Beyond "Scheduling I/O Requests with Deadlines": writes with deadlines of their own at the media, beside the buffer.

Section 2 argues for the buffer: the moment at which a page reaches the media matters to nobody, and no deadline for it is natural. So
each write gets the same time here, and the sweep shows what that time costs the reads.
"""

import rules
from claims import AT, INFINITE, Claim, Finding, claims_table, verdicts_text
from deadlines_checks import PERCENT, READS, SIZE, reads_missed, writes_missed
from interval import Interval
from results import Point, Results

# Sweeps with deadlines for writes, each with the sweep and the load of the same requests through the buffer.
BUFFERED = {"media, 7.1": (READS, 24), "media, 7.3": (SIZE, 10)}
BEST = "fdscan"


def reads_more(results: Results, sweep: str, label: str, by_ms: float) -> Interval:
    """Points of reads that a policy misses more than with the buffer, seed by seed. Raises Missing."""
    buffer_sweep, load = BUFFERED[sweep]
    return results.difference(Point(label, by_ms, sweep), Point(label, load, buffer_sweep), reads_missed)


def _reads(results: Results) -> list[Finding]:
    return [
        Finding(f"{sweep}{AT}{by_ms:g}", reads_more(results, sweep, BEST, by_ms), rules.SCARCELY_POINTS.bound, INFINITE, PERCENT)
        for sweep in BUFFERED
        for by_ms in results.loads(BEST, sweep)
    ]


def _writes(results: Results) -> list[Finding]:
    return [
        Finding(f"{sweep}{AT}{by_ms:g}", results.mean(Point(BEST, by_ms, sweep), writes_missed), -INFINITE, rules.WELL_POINTS.bound, PERCENT)
        for sweep in BUFFERED
        for by_ms in results.loads(BEST, sweep)
    ]


CLAIMS = (
    Claim("2", "Reads are served worse if writes have deadlines than through the buffer. (FD-SCAN: points of reads missed more, by the "
          "writes' time in ms: more than scarcely any.)", _reads),
    Claim("beyond", "Writes keep their deadlines at the media. (FD-SCAN: writes missed, %, by their time in ms.)", _writes),
)  # fmt: skip


def _table(results: Results, sweep: str) -> str:
    loads = results.loads(BEST, sweep)
    buffer_sweep, buffer_load = BUFFERED[sweep]
    lines = ["| reads missed, %; writes missed, % | " + " | ".join([*(f"{load:g} ms" for load in loads), "the buffer"]) + " |"]
    lines.append("|---" * (len(loads) + 2) + "|")
    for label in results.labels(sweep):
        points = [*(Point(label, load, sweep) for load in loads), Point(label, buffer_load, buffer_sweep)]
        cells = ["; ".join(results.mean(point, measure).text("{:.1f}") for measure in (reads_missed, writes_missed)) for point in points]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def media_writes_section(results: Results) -> str:
    """The section of the page; empty without its runs."""
    sweeps = [sweep for sweep in BUFFERED if results.loads(BEST, sweep)]
    if not sweeps:
        return ""
    table, counts = claims_table(CLAIMS, results)
    tables = "\n\n".join(f"The load of {sweep.partition(', ')[2]}:\n\n{_table(results, sweep)}" for sweep in sweeps)
    return f"""## Beyond the paper: writes with deadlines at the media

Section 2 rejects deadlines for single writes, because nothing gives a natural one. Here each write has the same time, from its arrival
to its end at the media. There is no buffer, and a policy does not distinguish reads from writes. A write misses when it ends late, and
with the buffer when it finds all frames full.

{verdicts_text(counts)}.

{table}
{tables}

"""
