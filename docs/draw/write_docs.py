# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures and tables of docs/ anew, and pictures of runs on pages of host/.

`build/venv/bin/python docs/draw/write_docs.py [--sources] [--look FOLDER] [PAGE...]`

PAGE: only the tables of these pages, such as docs/policies.md; no picture.
--sources: only what is made of sources, without a program that is built.
--look: nothing is written below docs/; FOLDER gets each picture as a light and a dark one, for a viewer.
Exit status: 0 done; 2 a source or a page cannot be read.
"""

import argparse
import sys
from pathlib import Path

import flow
import made
import shots
from canvas import Canvas
from verilog import SourceError


def _look(folder: Path) -> None:
    plain = Canvas.svg
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        Canvas.svg = lambda picture, only="", theme=theme: plain(picture, theme)  # type: ignore[method-assign]
        for name, make in (*made.PICTURES.items(), *flow.PICTURES.items()):
            (folder / f"{Path(name).stem}-{theme}.svg").write_text(make(), encoding="utf-8")
    Canvas.svg = plain  # type: ignore[method-assign]


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--look", type=Path)
    parser.add_argument("page", type=Path, nargs="*")
    options = parser.parse_args()
    try:
        if options.look:
            _look(options.look)
            return 0
        parts = {name: make for name, make in made.PARTS.items() if not (options.sources and name in made.NEED_BUILD)}
        files = dict(made.PICTURES) if options.sources else {**made.PICTURES, **made.RUN_PICTURES}
        for name, make in ({} if options.page else files).items():
            _write(made.DOCS / name, make())
        if not options.sources and not options.page:
            _take_shots()
        for page in _pages(options.page):
            _write(page, made.renewed(page, parts))
    except (SourceError, made.MadeError) as error:
        print(f"write_docs.py: error: {error}", file=sys.stderr)
        return 2
    return 0


def _take_shots() -> None:
    """Those that do not show the runs as they are now."""
    all_shots = shots.shots()
    for file in shots.stale(all_shots):
        shots.write(file, all_shots[file])
        print(file.relative_to(made.ROOT))


def _pages(named: list[Path]) -> list[Path]:
    """Those that are named; all, if none is. Raises MadeError."""
    found = {page.resolve(): page for page in made.pages()}
    for page in named:
        if page.resolve() not in found:
            raise made.MadeError(f"{page} is no page of docs/; name one such as docs/policies.md")
    return [found[page.resolve()] for page in named] or list(found.values())


def _write(path: Path, text: str) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(path.relative_to(made.ROOT))


if __name__ == "__main__":
    sys.exit(main())
