# SPDX-License-Identifier: Apache-2.0
"""The part of results_page.py for `remap` and the experiments that continue it: claims, gains or costs, and pictures."""

import shutil
from pathlib import Path

from results_text import claims, rewrite, section

REMAP = "remap"
CLAIMS_BEGIN, CLAIMS_END = "<!-- claims of remap -->", "<!-- end of the claims of remap -->"
GAINS_BEGIN, GAINS_END = "<!-- gains of remap -->", "<!-- end of the gains of remap -->"
CLAIM_TITLES = ("## The paper's claims", "## Beyond the paper")
GAINS_TITLE = "## Gains"


def gains(page: str) -> list[str]:
    """The tables of gains with their text. Raises ValueError."""
    return section(page, GAINS_TITLE).partition("![")[0].strip().splitlines()


def all_claims(page: str) -> list[str]:
    """Claims of the paper and beyond it. Names of maps in other tables begin with digits, too. Raises ValueError."""
    return claims("\n".join(section(page, title) for title in CLAIM_TITLES))


def bring_remap(source: Path, page_file: Path) -> None:
    """Writes into the page, and the pictures beside it. Raises OSError and ValueError."""
    page = (source / REMAP / "report.md").read_text(encoding="utf-8")
    text = rewrite(page_file.read_text(encoding="utf-8"), all_claims(page), CLAIMS_BEGIN, CLAIMS_END)
    page_file.write_text(rewrite(text, gains(page), GAINS_BEGIN, GAINS_END), encoding="utf-8")
    shutil.copyfile(source / REMAP / "gains.png", page_file.parent / "remap-gains.png")


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
