# SPDX-License-Identifier: Apache-2.0
"""Functions for the pages of results: tables between marks, and claims in short."""

from collections.abc import Sequence

from rules import FAILS, FITTED, HOLDS, IN_PART, NOT_MEASURED, OPEN

MOST_ROWS = 6
CLAIM_CELLS = 6  # cells of a row of a page's table of claims


def tally(rows: Sequence[Sequence[str]]) -> str:
    """How many claims of a table's rows have each verdict."""
    verdicts = [row[-1].strip("*").partition("*")[0] for row in rows]
    words = [verdict.partition(". ")[0] for verdict in verdicts]
    hold, part, fail, unknown, fitted = (words.count(one) for one in (HOLDS, IN_PART, FAILS, OPEN, FITTED))
    unmeasured = sum(word.startswith(NOT_MEASURED) or not word for word in words)
    more = f"; {unmeasured} were not measured" if unmeasured else ""
    more += f"; {fitted} were fitted" if fitted else ""
    return f"Of {len(verdicts)} claims {hold} hold, {part} hold in part, {fail} do not, {unknown} cannot be told{more}."


def shortened(numbers: str, most: int = MOST_ROWS) -> str:
    """The numbers of a claim in short: the first and last of each row, and the first `most` rows. Each row is a line of its cell."""
    rows = []
    for row in numbers.split("; "):
        what, _, values = row.rpartition(": ")
        label, at, loads = what.rpartition(" at ")
        if values.count(",") > 1:
            what = f"{label}{at}{loads.split(', ')[0]} .. {loads.split(', ')[-1]}"
            values = f"{values.split(', ')[0]} .. {values.split(', ')[-1]}"
        rows.append(f"{what}: {values}" if what else values)
    return "<br>".join(rows[:most] + ["..."] * (len(rows) > most))


def with_short_numbers(line: str) -> str:
    """A line of a page: a row of the table of claims has its numbers in short, all rows of them."""
    cells = line.split(" | ")
    if len(cells) != CLAIM_CELLS or not cells[0].strip("| ").isdigit():
        return line
    cells[4] = shortened(cells[4], len(cells[4]))
    return " | ".join(cells)


def rewrite(page: str, lines: list[str], begin_mark: str, end_mark: str) -> str:
    """The page with another table. Raises ValueError if the marks are missing."""
    head, begin, rest = page.partition(begin_mark)
    _, end, tail = rest.partition(end_mark)
    if not begin or not end:
        raise ValueError(f"results/README.md: '{begin_mark}' and '{end_mark}' must stand there once each")
    return "\n".join([head + begin_mark, "", *lines, "", end_mark + tail])


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
