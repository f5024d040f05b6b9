# SPDX-License-Identifier: Apache-2.0
"""A view as a save file of GTKWave.

The format is GTKWave's own, and documented nowhere: a line `@flags` in hexadecimal stands until the next, an alias is
written `+{alias} name`. The bits are those that GTKWave 3.3.118 writes.
"""

from pathlib import Path

from views import COLOURS, Row, View, filter_file

HEX = 0x2
DECIMAL = 0x4
BINARY = 0x8
RIGHT = 0x20
BLANK = 0x200
STEPS = 0x8000
INTERPOLATED = 0x10000
STRETCH = 0x20000  # a row that lengthens the analog one above it
FILTERED = 0x2000  # by the table of the line ^1
NAMES = 0x100000000  # of the file's enumerations; a value without one is in binary, and nothing else shows names

FLAGS = {
    "bit": RIGHT | BINARY,
    "hex": RIGHT | HEX,
    "decimal": RIGHT | DECIMAL,
    "names": RIGHT | BINARY | NAMES,
    "analog": RIGHT | HEX | INTERPOLATED,
    "steps": RIGHT | DECIMAL | STEPS,
}


def _lines(row: Row) -> list[str]:
    """A row's lines; each has its own flags, so that none depends on the row before."""
    if row.heading:
        return [f"@{BLANK:x}", f"-{row.heading}"]
    name = f"+{{{row.label}}} {row.signal}" if row.label else row.signal
    colour = [f"[color] {COLOURS.index(row.colour)}"] if row.colour else []
    flags, table = FLAGS[row.format], []
    if row.filter:
        flags, table = flags | FILTERED, [f"^1 {filter_file(row)}"]
    return [*colour, f"@{flags:x}", *table, name, *[f"@{STRETCH:x}", "-"] * (row.height - 1)]


def save_file(view: View, fst: Path, width: int, height: int) -> str:
    """The text of the save file; width and height of the window in pixels."""
    lines = [f'[dumpfile] "{fst}"', "[timestart] 0", f"[size] {width} {height}", "[pos] -1 -1"]
    for row in view.rows:
        lines += _lines(row)
    return "\n".join(lines) + "\n"
