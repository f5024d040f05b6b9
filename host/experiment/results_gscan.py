# SPDX-License-Identifier: Apache-2.0
"""The part of results_page.py for table I, of which `gscan` and `gscan-electronics` have a part each."""

from pathlib import Path

from results_text import section

GSCAN, GSCAN_CHARGED = "gscan", "gscan-electronics"
TABLE_TITLE = "## Table I"


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


def facts(page: str) -> str:
    """The head of a page: a table of what was run."""
    return page.partition("\n## ")[0].partition("\n\n")[2].strip()


def bring_table_1(source: Path, folder: Path) -> None:
    """Writes table-1.md from both experiments. Raises OSError and ValueError."""
    page = (source / GSCAN / "report.md").read_text(encoding="utf-8")
    charged = (source / GSCAN_CHARGED / "report.md").read_text(encoding="utf-8")
    plain, cycles = section(page, TABLE_TITLE), section(charged, TABLE_TITLE)
    rows = with_cycles(table_lines(plain), table_lines(cycles))
    (folder / "table-1.md").write_text(
        "# Table I, measured\n\n"
        "Each scheduler of the table of Kim, Bahn and Won: what it promises, and what ours did with their workloads, in ideal\n"
        "electronics. A row whose scheme is another's has that one's numbers. Written by results_page.py.\n\n"
        f"{plain.partition(chr(10) + '|')[0].strip()} Cycles are those of the core, charged, in workloads 1 and 5 alone.\n\n"
        + "\n".join(rows)
        + f"\n\nFrom:\n\n{facts(page)}\n",
        encoding="utf-8",
    )
