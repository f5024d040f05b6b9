# SPDX-License-Identifier: Apache-2.0
"""The parts of results_page.py for `gscan`: two drives side by side, and table I. `gscan-electronics` has a column of the table, and
`host-layers` some of its rows.
"""

from pathlib import Path

from gscan_table import OF_HOST_LAYERS, ROWS
from host_layers_report import CYCLES_TITLE
from results_text import rewrite, section

GSCAN, GSCAN_CHARGED, HOST_LAYERS = "gscan", "gscan-electronics", "host-layers"
TABLE_TITLE, DRIVES_TITLE = "## Table I", "## Two drives, side by side"
BEGIN, END = "<!-- drives of results_page.py -->", "<!-- end of the drives -->"
RIVAL, PAPERS = "cscan", ("1", "2", "3", "4", "5", "6")  # the policy and the workloads that are shown


def table_lines(text: str) -> list[list[str]]:
    """The cells of the text's first table."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]


def with_cycles(plain: list[list[str]], charged: list[list[str]]) -> list[str]:
    """Table I with one more column: the core's cycles for a request, where they were measured."""
    cycles = {tuple(row[:2]): row[-1] for row in charged}
    lines = []
    for number, row in enumerate(plain):
        last = "---" if number == 1 else cycles.get(tuple(row[:2]), "")
        lines.append("| " + " | ".join([*row, charged[0][-1] if number == 0 else last]) + " |")
    return lines


def with_host_layers(table: list[list[str]], layers: list[list[str]]) -> list[list[str]]:
    """The table with the rows that only `host-layers` has, in the order of the paper's table. Raises ValueError if one is missing."""
    head, rows = table[:2], {row[0]: row for row in table[2:]}
    measured = {row[0]: row for row in layers[2:]}
    for row in ROWS:
        if row.label in OF_HOST_LAYERS:
            if row.name not in measured:
                raise ValueError(f"{HOST_LAYERS}/report.md has no row '{row.name}'; make the experiment again")
            rows[row.name] = measured[row.name]
    return head + [rows[row.name] for row in ROWS if row.name in rows]


def facts(page: str) -> str:
    """The head of a page: a table of what was run."""
    return page.partition("\n## ")[0].partition("\n\n")[2].strip()


def rival_rows(page: str) -> list[str]:
    """What RIVAL has more than gscan on each drive, as a table. Raises ValueError."""
    # The second table of the section: the first one has misses and responses themselves.
    table = table_lines(section(page, DRIVES_TITLE).rpartition("\n\n")[2])
    if not table or table[0][:2] != ["workload", "policy"]:
        raise ValueError(f"the section '{DRIVES_TITLE}' does not end in its table; make the experiment again")
    rows = [table[0], ["---"] * len(table[0]), *(row for row in table[2:] if row[1] == RIVAL and row[0] in PAPERS)]
    return [f"| {' | '.join([row[0], *row[2:]])} |" for row in rows]


def bring_drives(source: Path, page_file: Path) -> None:
    """Writes rival_rows() into a page. Raises OSError and ValueError."""
    page = (source / GSCAN / "report.md").read_text(encoding="utf-8")
    page_file.write_text(rewrite(page_file.read_text(encoding="utf-8"), rival_rows(page), BEGIN, END), encoding="utf-8")


def bring_table_1(source: Path, folder: Path) -> None:
    """Writes table-1.md from the three experiments. Raises OSError and ValueError."""
    page, charged, layers = ((source / name / "report.md").read_text(encoding="utf-8") for name in (GSCAN, GSCAN_CHARGED, HOST_LAYERS))
    plain, cycles = section(page, TABLE_TITLE), section(charged, TABLE_TITLE)
    table = with_host_layers(table_lines(plain), table_lines(section(layers, TABLE_TITLE)))
    more = with_host_layers(table_lines(cycles), table_lines(section(layers, f"## {CYCLES_TITLE}")))
    rows = with_cycles(table, more)
    (folder / "table-1.md").write_text(
        "# Table I, measured\n\n"
        "Each scheduler of the table of Kim, Bahn and Won has a row: what stands for it here, and what it promises. The numbers are\n"
        "from their workloads, in ideal electronics. The pre-seeking sweep has a cache, which the others have not:\n"
        f"[host-layers]({HOST_LAYERS}.md) has what it changes in each workload. Written by results_page.py.\n\n"
        f"{plain.partition(chr(10) + '|')[0].strip()} Cycles are those of the core, charged, in workloads 1 and 5 alone.\n\n"
        + "\n".join(rows)
        + f"\n\nFrom:\n\n{facts(page)}\n\nThe rows of the pre-seeking sweep, Chen and Horizon are from:\n\n{facts(layers)}\n",
        encoding="utf-8",
    )
