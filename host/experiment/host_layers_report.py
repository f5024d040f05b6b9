# SPDX-License-Identifier: Apache-2.0
"""The rows of table I that are more than a policy: what the host's layer, or read-ahead, changes."""

from collections.abc import Sequence
from pathlib import Path

import rules
from claims import AT, Claim, Finding, claims_table, verdicts_text
from gscan_checks import RESPONSE, WORKLOADS, missed, point
from gscan_table import CHARGED_WORKLOADS, ROWS, table_1
from pictures import Curve, picture
from results import Measure, Missing, Point, Results
from style import BLUE, VERMILION

TABLE_TITLE, CYCLES_TITLE = "Table I", "Table I, cycles"
# Each row's name in the declaration, and the policy alone.
ALONE = {"chen": "rangan", "horizon": "fahrrad", "pre-seeking": "wrrscan"}
READERS = {"wrrscan": "readers", "pre-seeking": "readers, read-ahead"}  # sweeps on a real drive
CHARGED = "charged"
SHOWN: tuple[tuple[str, Measure, str], ...] = (
    ("missed, points", missed, "{:.2f}"),
    ("response of real time, ms", "response_rt_ms", "{:.1f}"),
    ("response of best effort, ms", "response_be_ms", "{:.1f}"),
)


def reader(label: str, count: float) -> Point:
    """The point of so many readers, with read-ahead or without."""
    return Point(label, count, READERS[label], CHARGED)


def _reads_ahead(results: Results) -> list[Finding]:
    counts = results.loads("pre-seeking", READERS["pre-seeking"], CHARGED)
    if not counts:
        raise Missing("run of the readers")
    high = 1 - rules.SIGNIFICANTLY.bound
    ratios = ((count, results.ratio(reader("pre-seeking", count), reader("wrrscan", count), RESPONSE)) for count in counts)
    return [Finding(f"response with read-ahead over without{AT}{count:g}", ratio, high=high) for count, ratio in ratios]


CLAIMS = (
    Claim(
        "table I, pre-seeking sweep",
        "It has a high throughput. (Mean response of periodic readers, with read-ahead over without, by their number: significantly less.)",
        _reads_ahead,
        "The more readers there are, the less time is left to read ahead.",
    ),
)


def _changes(results: Results) -> str:
    lines = [
        "| row | less the policy alone | workload | " + " | ".join(name for name, _, _ in SHOWN) + " |",
        "|---" * (3 + len(SHOWN)) + "|",
    ]
    for label, alone in ALONE.items():
        for workload in WORKLOADS:
            try:
                ours, theirs = point(results, workload, label), point(results, workload, alone)
            except Missing:
                continue
            cells = [results.difference(ours, theirs, measure).text(form) for _, measure, form in SHOWN]
            lines.append(f"| {_name(label)} | `{alone}` | {workload} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _name(label: str) -> str:
    return next(row.name for row in ROWS if row.label == label)


def _rounds(results: Results) -> str:
    lines = ["| workload | requests in a round | missed, % |", "|---|---|---|"]
    for workload in WORKLOADS:
        try:
            ours = point(results, workload, "chen")
        except Missing:
            continue
        held = next(iter(results.seeds_at(ours).values()))["round_requests"]
        lines.append(f"| {workload} | {held} | {results.mean(ours, missed).text('{:.2f}')} |")
    return "\n".join(lines)


def _readers(results: Results) -> str:
    lines = ["| readers | without, ms | with read-ahead, ms | without, missed % | with read-ahead, missed % |", "|---" * 5 + "|"]
    for count in results.loads("pre-seeking", READERS["pre-seeking"], CHARGED):
        pair = [reader(label, count) for label in READERS]
        try:
            cells = [results.mean(one, measure).text(form) for measure, form in ((RESPONSE, "{:.1f}"), (missed, "{:.2f}")) for one in pair]
        except Missing:
            continue
        lines.append(f"| {count:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _curves(results: Results) -> Sequence[Curve]:
    looks = {"wrrscan": ("without a cache", VERMILION, "D"), "pre-seeking": ("with read-ahead", BLUE, "p")}
    return [Curve(text, results.curve(label, READERS[label], RESPONSE, CHARGED), colour, marker) for label, (text, colour, marker) in looks.items()]


def draw_host_layers(results: Results, folder: Path) -> None:
    """Draws readers.png: the response of periodic readers over their number. Raises OSError."""
    picture(
        folder / "readers.png", "The pre-seeking sweep: 16 KB in 150 ms on a Cheetah 9LP", _curves(results),
        "periodic readers", "mean response, ms", axis="plain",
    )  # fmt: skip


def host_layers_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(CLAIMS, results)
    return f"""{table_1(results, title=TABLE_TITLE)}
{table_1(results, True, CHARGED_WORKLOADS, CYCLES_TITLE)}
## What the layer or the read-ahead changes

Each row of table I less the policy alone, with the same requests, seed by seed.

{_changes(results)}

## Chen's rounds

A round lasts as long as the gap of the real-time stream. It holds as many requests as `headstack admission` finds for `chen`, so
that one round in a thousand is late. With one request or none it cannot hold even one of each stream, and every stream then gets
one.

{_rounds(results)}

## The pre-seeking sweep

Periodic readers on a Cheetah 9LP, all charged. A reader asks for the next 16 KB of its file every 150 ms. The cache has a segment
for each reader, or there is none.

{verdicts_text(counts)}.

{table}
{_readers(results)}

![readers](readers.png)
"""
