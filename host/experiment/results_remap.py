# SPDX-License-Identifier: Apache-2.0
"""The part of results_page.py for the experiments that continue `remap`: claims, gains or costs, and pictures."""

import shutil
from pathlib import Path

from results_text import claims, rewrite, section

# For each further experiment, the sections whose tables are shown, and its picture.
MORE = {
    "remap-traces": (("## Gains",), "gains.png"),
    "remap-changes": (("## Gains",), "gains.png"),
    "remap-moves": (("## What moves cost", "## Moves among requests"), "responses.png"),
}


def tables(page: str, titles: tuple[str, ...]) -> list[str]:
    """The text and tables of some sections, without pictures. Raises ValueError."""
    return "\n\n".join(section(page, title).partition("![")[0].strip() for title in titles).splitlines()


def bring_more(name: str, source: Path, page_file: Path) -> None:
    """Writes one of MORE between its own marks. Raises OSError and ValueError."""
    titles, picture = MORE[name]
    page = (source / name / "report.md").read_text(encoding="utf-8")
    lines = [*claims(section(page, "## Claims")), "", *tables(page, titles), "", f"![{name}]({name}-{picture})"]
    text = rewrite(page_file.read_text(encoding="utf-8"), lines, f"<!-- {name} of results_page.py -->", f"<!-- end of {name} -->")
    page_file.write_text(text, encoding="utf-8")
    shutil.copyfile(source / name / picture, page_file.parent / f"{name}-{picture}")
