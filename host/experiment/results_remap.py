# SPDX-License-Identifier: Apache-2.0
"""What results_page.py brings of `remap`: claims, gains by depth and gap, and the picture."""

import shutil
from pathlib import Path

from results_gscan import claims, section
from results_text import rewrite

REMAP = "remap"
CLAIMS_BEGIN, CLAIMS_END = "<!-- claims of remap -->", "<!-- end of the claims of remap -->"
GAINS_BEGIN, GAINS_END = "<!-- gains of remap -->", "<!-- end of the gains of remap -->"
CLAIM_TITLES = ("## The paper's claims", "## Beyond the paper")
GAINS_TITLE = "## Gains"


def gains(page: str) -> list[str]:
    """The tables of gains, with what is said of them. Raises ValueError."""
    return section(page, GAINS_TITLE).partition("![")[0].strip().splitlines()


def all_claims(page: str) -> list[str]:
    """Of the paper, and beyond it. Names of maps in other tables begin with digits, too. Raises ValueError."""
    return claims("\n".join(section(page, title) for title in CLAIM_TITLES))


def bring_remap(source: Path, page_file: Path) -> None:
    """Into the page, and beside it. Raises OSError and ValueError."""
    page = (source / REMAP / "report.md").read_text(encoding="utf-8")
    text = rewrite(page_file.read_text(encoding="utf-8"), all_claims(page), CLAIMS_BEGIN, CLAIMS_END)
    page_file.write_text(rewrite(text, gains(page), GAINS_BEGIN, GAINS_END), encoding="utf-8")
    shutil.copyfile(source / REMAP / "gains.png", page_file.parent / "remap-gains.png")
