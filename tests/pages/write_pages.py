# SPDX-License-Identifier: Apache-2.0
"""Brings the transcripts of pages up to date: `build/venv/bin/python tests/pages/write_pages.py [PAGE...]`.

All pages that have any, if none is named. It says what somebody has to mend by hand; read the rest with `git diff`.
Exit status: 0 all pages are true now; 1 some are not; 2 a page cannot be read.
"""

import sys
from pathlib import Path

from page import ROOT, PageError, project_pages
from transcript import exchanges, renew


def main(words: list[str]) -> int:
    """The exit status."""
    status = 0
    if {"-h", "--help"} & set(words):
        print(__doc__)
        return 0
    try:
        for page in [Path(word).resolve() for word in words] or [one for one in project_pages() if exchanges(one)]:
            print(page.relative_to(ROOT), flush=True)
            for line in renew(page):
                print(f"  mend by hand: {line}", file=sys.stderr)
                status = 1
    except (PageError, OSError) as error:
        print(f"write_pages.py: error: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
