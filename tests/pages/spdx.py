# SPDX-License-Identifier: Apache-2.0
"""Which sources name their licence, and the line that does: `build/venv/bin/python tests/pages/spdx.py [--write]`.

A source says `SPDX-License-Identifier: ID` in a comment of its first three lines, where ID is that of LICENSE. The program lists the
sources that do not. With --write it inserts the line: at the top, or after `#!` and an encoding. A line of another licence is a
mistake that it reports and leaves.

Exit status: 0 all sources have the line; 1 some do not; 2 the program could not find out.
"""

import argparse
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = 3  # of a file, at its beginning

# Beginnings of paths whose files need no line, and why.
EXCEPTIONS = {
    "tests/golden/": "data: cases, and what `headstack regress canaries --write` stores",
}

_NOT_SOURCES = {"build", ".git", "__pycache__"}
_TAG = "SPDX-License-Identifier:"
# What LICENSE has in its first words.
_LICENCES = {r"\s*Apache License\s+Version 2\.0": "Apache-2.0", r"\s*MIT License": "MIT"}
# How a comment begins, and ends.
_SLASHES, _HASH, _STAR = ("// ", ""), ("# ", ""), ("/* ", " */")
_MARKS = {
    **dict.fromkeys((".c", ".cpp", ".def", ".h", ".hpp", ".rdl", ".sv", ".vlt"), _SLASHES),
    **dict.fromkeys((".S", ".cmake", ".py", ".sh", ".toml"), _HASH),
    ".ld": _STAR,
}
_INTERPRETER = re.compile(r"#!.*\b(?:ba|da)?sh\b|#!.*\bpython")
_ENCODING = re.compile(r"#.*coding[:=]")


class SpdxError(Exception):
    """What is wrong, with the file and the remedy."""


def licence(root: Path) -> str:
    """The identifier of the licence in LICENSE. Raises SpdxError."""
    file = root / "LICENSE"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise SpdxError(f"{file}: {error.strerror}") from error
    for beginning, identifier in _LICENCES.items():
        if re.match(beginning, text):
            return identifier
    raise SpdxError(f"{file}: a licence without an identifier here; add it to _LICENCES of tests/pages/spdx.py")


def sources(root: Path) -> list[Path]:
    """The files that need a line, without those of builds and the exceptions."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _NOT_SOURCES)
        found += [Path(folder, name) for name in sorted(names)]
    beginnings = tuple(EXCEPTIONS)
    return [file for file in found if not file.is_symlink() and _marks(file) and not f"{file.relative_to(root)}".startswith(beginnings)]


def missing(root: Path) -> list[Path]:
    """The sources without a line. Raises SpdxError for a line of another licence."""
    identifier = licence(root)
    found = []
    for file in sources(root):
        named = _named(file)
        if named not in ("", identifier):
            raise SpdxError(f"{file}: its line says {named}, and LICENSE is {identifier}; mend the line")
        if not named:
            found.append(file)
    return found


def write(root: Path) -> list[Path]:
    """Inserts the missing lines, and returns the files. Raises SpdxError before the first, for a line of another licence."""
    changed = missing(root)
    line = f"{_TAG} {licence(root)}"
    for file in changed:
        begin, end = _marks(file) or _HASH
        text = _lines(file)
        text.insert(_place(text), f"{begin}{line}{end}" + ("\r\n" if text and text[0].endswith("\r\n") else "\n"))
        with file.open("w", encoding="utf-8", newline="") as out:
            out.write("".join(text))
    return changed


def _marks(file: Path) -> tuple[str, str] | None:
    """How a comment of this file begins and ends; None if it is no source."""
    name = file.name.removesuffix(".in")  # a template of the source
    suffix = ".cmake" if name == "CMakeLists.txt" else Path(name).suffix
    if suffix or name.startswith("."):
        return _MARKS.get(suffix)
    with file.open("rb") as data:
        first = data.readline(80)
    return _HASH if _INTERPRETER.match(first.decode("utf-8", "replace")) else None


def _lines(file: Path) -> list[str]:
    """The file's lines with their ends, unchanged."""
    try:
        with file.open(encoding="utf-8", newline="") as text:
            return text.read().splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise SpdxError(f"{file}: {error}") from error


def _named(file: Path) -> str:
    """The licence that a comment of the first lines names; "" for none."""
    begin, end = _marks(file) or _HASH
    for line in _lines(file)[:LINES]:
        if line.startswith(f"{begin}{_TAG} "):
            return line.removeprefix(f"{begin}{_TAG} ").rstrip().removesuffix(end)
    return ""


def _place(lines: list[str]) -> int:
    """The index at which the line goes in."""
    index = 1 if lines and lines[0].startswith("#!") else 0
    return index + 1 if lines[index:] and _ENCODING.match(lines[index]) else index


def main(words: list[str]) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="insert the missing lines")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree, if it is another one")
    options = parser.parse_args(words)
    try:
        found = write(options.root) if options.write else missing(options.root)
    except (SpdxError, OSError) as error:
        print(f"spdx.py: error: {error}", file=sys.stderr)
        return 2
    for file in found:
        print(file.relative_to(options.root))
    return 1 if found and not options.write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
