# SPDX-License-Identifier: Apache-2.0
"""The views of views.toml: which signals a picture of the drive shows, and how."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from errors import WaveError  # noqa: E402
from schema import Key, load_toml, one_of, take_table, text, told_as, whole  # noqa: E402

MANIFEST = Path(__file__).with_name("views.toml")

FILTERS = Path(__file__).with_name("filters")

FORMATS = ("bit", "hex", "decimal", "names", "analog", "steps")
COLOURS = ("", "red", "orange", "yellow", "green", "blue", "indigo", "violet")


@dataclass(frozen=True)
class Row:
    """A heading, or a signal."""
    heading: str = ""
    signal: str = ""
    label: str = ""
    format: str = "bit"
    filter: str = ""
    height: int = 1
    colour: str = ""


@dataclass(frozen=True)
class View:
    """A named list of rows."""
    name: str
    title: str
    rows: tuple[Row, ...]

    @property
    def height(self) -> int:
        """The height in rows."""
        return sum(row.height for row in self.rows)


ROW_KEYS = {
    "heading": Key(text),
    "signal": Key(text),
    "label": Key(text),
    "format": Key(one_of(FORMATS)),
    "filter": Key(text),
    "height": Key(whole(1)),
    "colour": Key(one_of(COLOURS[1:])),
}
VIEW_KEYS = {"title": Key(text, required=True), "rows": Key(required=True, rows=ROW_KEYS)}


def _row(where: str, facts: dict[str, Any]) -> Row:
    """A row whose keys go together."""
    row = Row(**facts)
    if bool(row.heading) == bool(row.signal):
        raise WaveError(f"{where}: a row has either 'heading' or 'signal'")
    if row.filter and not filter_file(row).exists():
        raise WaveError(f"{where}: there is no {filter_file(row)}")
    return row


def filter_file(row: Row) -> Path:
    """The table of a row with a filter."""
    return FILTERS / f"{row.filter}.txt"


def _view(where: str, name: str, table: Any) -> View:
    taken = take_table(where, table, VIEW_KEYS)
    rows = tuple(_row(f"{where}: rows {number}", facts) for number, facts in enumerate(taken["rows"], start=1))
    return View(name, taken["title"], rows)


@told_as(WaveError)
def load(manifest: Path = MANIFEST) -> dict[str, View]:
    """All views by name, in the order of the manifest. Raises WaveError."""
    tables = load_toml(manifest, "it comes with headstack: check the tree out again")
    return {name: _view(f"{manifest.name}: {name}", name, table) for name, table in tables.items()}
