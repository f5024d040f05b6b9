# SPDX-License-Identifier: Apache-2.0
"""The part of results_page.py for `gscan` and `gscan-electronics`: claims, pictures, and table I as a page of its own."""

import shutil
from pathlib import Path

from results_text import rewrite, shortened, tally

GSCAN, GSCAN_CHARGED = "gscan", "gscan-electronics"
BEGIN, END = "<!-- gscan of results_page.py -->", "<!-- end of gscan -->"
U_BEGIN, U_END = "<!-- schedules of results_page.py -->", "<!-- end of the schedules -->"
PICTURES = ("4", "6", "10", "11")
TABLE_TITLE, U_TITLE = "## Table I", "## Which U is worth its cycles"
CLAIM_CELLS = 6  # cells of a row of the page's table


def claims(page: str) -> list[str]:
    """All claims of the page, with at most a few numbers each."""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if len(row) == CLAIM_CELLS and row[0].isdigit()]
    lines = [tally(rows), "", "| section | the paper says | ours, with its 95 % interval | verdict |", "|---" * 4 + "|"]
    return lines + [f"| {section} | {text} | {shortened(numbers)} | {verdict} |" for _, section, text, _, numbers, verdict in rows]


def section(page: str, title: str) -> str:
    """The text below a title, up to the next title of its kind. Raises ValueError."""
    _, found, rest = page.partition(f"{title}\n")
    if not found:
        raise ValueError(f"there is no section '{title}'; make the experiment again")
    return rest.partition("\n## ")[0].strip() + "\n"


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


def bring_gscan(source: Path, page_file: Path) -> None:
    """Writes into the page, and the pictures beside it. Raises OSError and ValueError."""
    page = (source / GSCAN / "report.md").read_text(encoding="utf-8")
    charged = (source / GSCAN_CHARGED / "report.md").read_text(encoding="utf-8")
    text = rewrite(page_file.read_text(encoding="utf-8"), claims(page), BEGIN, END)
    schedules = section(charged, U_TITLE).partition("\n|")
    table = ("|" + schedules[2]).partition("\n![")[0].strip().splitlines()
    page_file.write_text(rewrite(text, table, U_BEGIN, U_END), encoding="utf-8")
    plain, cycles = section(page, TABLE_TITLE), section(charged, TABLE_TITLE)
    rows = with_cycles(table_lines(plain), table_lines(cycles))
    (page_file.parent / "table-1.md").write_text(
        "# Table I, measured\n\n"
        "Each scheduler of the table of Kim, Bahn and Won: what it promises, and what ours did with their workloads, in ideal\n"
        "electronics. A row whose scheme is another's has that one's numbers. Written by results_page.py.\n\n"
        f"{plain.partition(chr(10) + '|')[0].strip()} Cycles are those of the core, charged, in workloads 1 and 5 alone.\n\n"
        + "\n".join(rows)
        + f"\n\nFrom:\n\n{facts(page)}\n",
        encoding="utf-8",
    )
    for number in PICTURES:
        name = f"figure-{number}.png"
        shutil.copyfile(source / GSCAN / name, page_file.parent / f"{GSCAN}-{name}")
    shutil.copyfile(source / GSCAN_CHARGED / "gscan-electronics.png", page_file.parent / "gscan-electronics.png")
