# SPDX-License-Identifier: Apache-2.0
"""The parts of results_page.py for `which-policy`: the answer for docs/which-policy.md, and the hints of `headstack policy list`."""

from pathlib import Path

from results_text import rewrite, section

NAME = "which-policy"
ANSWER_TITLE, SLOWER_TITLE = "## The answer", "## Where a policy is slower than `fcfs`"
BEGIN, END = "<!-- answer of results_page.py -->", "<!-- end of the answer -->"
HEAD = """// SPDX-License-Identifier: Apache-2.0
// Loads under which a policy's mean response is longer than that of fcfs, in the mean over five drives: SLOWER(policy, load, percent).
// Written by host/experiment/results_page.py. host/experiment/results/which-policy.md has the loads, and the intervals.
"""


def table_of(page: str, title: str) -> list[str]:
    """The lines of the first table of a section. Raises ValueError."""
    lines = section(page, title).splitlines()
    first = next((at for at, line in enumerate(lines) if line.startswith("|")), None)
    if first is None:
        raise ValueError(f"{NAME}/report.md: section '{title}' has no table; make the experiment again")
    count = next((at for at, line in enumerate(lines[first:]) if not line.startswith("|")), len(lines) - first)
    return lines[first : first + count]


def hints(page: str) -> str:
    """The text of slower_policies.def, from the experiment's page. Raises ValueError."""
    rows = []
    for line in table_of(page, SLOWER_TITLE)[2:]:
        policy, load, more, *_ = (cell.strip(" `") for cell in line.strip().strip("|").split("|"))
        if ":" not in policy:  # A variant is no row of the list.
            rows.append(f'SLOWER("{policy}", "{load}", {round(float(more.partition(" ")[0]))})')
    return HEAD + "\n".join(rows) + "\n"


def bring_answer(source: Path, root: Path) -> None:
    """Writes the answer into docs/which-policy.md, and the hints into host/cli. Raises OSError and ValueError."""
    page = (source / NAME / "report.md").read_text(encoding="utf-8")
    for mark in ("\nLeft out:", "\nA quick look"):
        if mark in page:
            raise ValueError(f"{NAME}/report.md has not all loads ('{mark.strip()}'); make the whole experiment")
    target = root / "docs/which-policy.md"
    target.write_text(rewrite(target.read_text(encoding="utf-8"), table_of(page, ANSWER_TITLE), BEGIN, END), encoding="utf-8")
    (root / "host/cli/slower_policies.def").write_text(hints(page), encoding="utf-8")
