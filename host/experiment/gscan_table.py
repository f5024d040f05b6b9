# SPDX-License-Identifier: Apache-2.0
"""Table I of "A Pruning-based Disk Scheduling Algorithm": what each row promises, and what we measured."""

from collections.abc import Sequence
from dataclasses import dataclass

from gscan_checks import DISTANCE, ORIGINAL, OURS, RESPONSE, WORKLOADS, missed, point, pooled, slowest_stream
from interval import Interval
from results import Measure, Missing, Results, cycles_a_request

CHARGED_WORKLOADS = ("1", "5")  # workloads of gscan-electronics


@dataclass(frozen=True)
class Row:
    """A row of the table: the paper's name, our name, its promise in short, and what stands for it beside the policy."""

    name: str
    label: str
    promise: str
    more: str = ""


ROWS = (
    Row("SSTF", "sstf", "throughput; responses vary"),
    Row("SATF", "satf", "throughput, by the rotation too"),
    Row("SCAN", "scan", "throughput; no deadlines"),
    Row("C-SCAN", "cscan", "throughput, even responses; no deadlines"),
    Row("EDF", "edf", "deadlines; poor use of the disk"),
    Row("SCAN-EDF", "scanedf", "as EDF where deadlines differ"),
    Row("D-SCAN", "dscan", "deadlines set the direction"),
    Row("SSEDO", "ssedo", "deadline and seek, weighted by order"),
    Row("SSEDV", "ssedv", "deadline and seek, weighted by value"),
    Row("FD-SCAN", "fdscan", "feasible deadlines; may miss many"),
    Row("SCAN-RT", "scanrt", "SCAN that keeps pending deadlines"),
    Row("DM-SCAN", "dmscan", "SCAN in groups of deadlines; may become EDF"),
    Row("Kamel's", "kamel", "SCAN that keeps deadlines, by priority"),
    Row("MS-EDF", "msedf", "the best order of a batch; for real time"),
    Row("Rangan's", "rangan", "streams in a fixed cycle"),
    Row("GSS", "gss", "groups of streams, each scanned"),
    Row("Pre-seeking sweep", "pre-seeking", "rounds that leave time to read ahead", "with read-ahead"),
    Row("Chen's", "chen", "rounds of which few are late, by statistics", "with quotas from the host"),
    Row("Cello", "cello", "a share of the disk for each class"),
    Row("Reddy's", "reddy", "likewise, with more for real time"),
    Row("Won's", "won", "rounds that leave their slack to best effort"),
    Row("WRR-SCAN", "wrrscan", "a least share for each stream"),
    Row("Cascaded-SFC", "csfc", "deadline and place in one order"),
    Row("Fahrrad", "fahrrad", "reserved time of the disk"),
    Row("Horizon", "horizon", "deadlines from the targets of streams", "with deadlines from the host"),
    Row("G-SCAN", OURS, "deadlines, and the least seeks that keep them"),
    Row("OPT-T, no drive", "opt-t", "the cheaper sweep"),
    Row("OPT-D, no drive", "opt-d", "most deadlines met"),
    Row("OPT-G, no drive", "opt-g", "the least seeks that meet all deadlines that can be met"),
)
# Rows that experiment `host-layers` measures, and not `gscan`.
OF_HOST_LAYERS = ("pre-seeking", "chen", "horizon")
OTHER_ROWS = "\nExperiment `host-layers` has the rows of the pre-seeking sweep, Chen and Horizon.\n"
MEASURES: tuple[tuple[str, Measure, str], ...] = (
    ("missed, %", missed, "{:.2f}"),
    ("seek distance, 10^6 cylinders", lambda one: float(one[DISTANCE]) / 1e6, "{:.2f}"),
    ("response, ms", RESPONSE, "{:.1f}"),
    ("of real time", "response_rt_ms", "{:.1f}"),
    ("of best effort", "response_be_ms", "{:.1f}"),
    ("slowest stream over fastest", slowest_stream, "{:.2f}"),
    ("most misses in a row", "missed_in_a_row", "{:.1f}"),
)
CYCLES = (("cycles a request, charged", cycles_a_request, "{:.0f}"),)


def _text(value: Interval | None, form: str) -> str:
    return "" if value is None else value.text(form)


def common_workloads(results: Results, labels: Sequence[str], workloads: Sequence[str], electronics: str) -> list[str]:
    """The workloads in which most policies were measured. Means over others could not be compared."""

    def measured(workload: str) -> int:
        found = 0
        for label in labels:
            try:
                point(results, workload, label, ORIGINAL, electronics)
            except Missing:
                continue
            found += 1
        return found

    counts = {workload: measured(workload) for workload in workloads}
    return [workload for workload in workloads if counts[workload] == max(counts.values()) > 0]


def table_1(results: Results, charged: bool = False, workloads: Sequence[str] = WORKLOADS, title: str = "Table I") -> str:
    """Table I in Markdown: means over the workloads, with 95 % intervals. Rows of policies without runs are left out."""
    measures = CYCLES if charged else MEASURES
    labels = list(dict.fromkeys(row.label for row in ROWS))
    electronics = "charged" if charged else "ideal"
    workloads = common_workloads(results, labels, workloads, electronics)
    if not workloads:
        return ""
    columns = [pooled(results, labels, workloads, measure, electronics) for _, measure, _ in measures]
    lines = [
        "| table I | here | promises | " + " | ".join(name for name, _, _ in measures) + " |",
        "|---" * (3 + len(measures)) + "|",
    ]
    for row in ROWS:
        cells = [_text(column.get(row.label), form) for column, (_, _, form) in zip(columns, measures, strict=True)]
        if any(cells):
            here = f"`{results.policies(row.label)[0]}` {row.more}".strip()
            lines.append(f"| {row.name} | {here} | {row.promise} | " + " | ".join(cells) + " |")
    names = ", ".join(workloads)
    elsewhere = "" if any(label in columns[0] for label in OF_HOST_LAYERS) else OTHER_ROWS
    return f"""## {title}

Means over workloads {names}, each at its own scale, with 95 % intervals over the seeds.

{chr(10).join(lines)}
{elsewhere}"""
