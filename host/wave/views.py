"""The views of views.toml: which signals a picture of the drive shows, and how."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errors import WaveError

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
        """In rows."""
        return sum(row.height for row in self.rows)


def _row(view: str, number: int, facts: dict[str, Any]) -> Row:
    """A checked row."""
    where = f"{MANIFEST.name}: {view}, row {number}"
    unknown = sorted(facts.keys() - Row.__dataclass_fields__.keys())
    if unknown:
        raise WaveError(f"{where}: unknown key '{unknown[0]}'; known are {', '.join(Row.__dataclass_fields__)}")
    row = Row(**facts)
    if bool(row.heading) == bool(row.signal):
        raise WaveError(f"{where}: a row has either 'heading' or 'signal'")
    if row.format not in FORMATS:
        raise WaveError(f"{where}: no format '{row.format}'; use one of {', '.join(FORMATS)}")
    if row.colour not in COLOURS:
        raise WaveError(f"{where}: no colour '{row.colour}'; use one of {', '.join(COLOURS[1:])}")
    if row.filter and not filter_file(row).exists():
        raise WaveError(f"{where}: there is no {filter_file(row)}")
    return row


def filter_file(row: Row) -> Path:
    """The table of a row with a filter."""
    return FILTERS / f"{row.filter}.txt"


def load(manifest: Path = MANIFEST) -> dict[str, View]:
    """All views by name, in the order of the manifest."""
    with manifest.open("rb") as file:
        tables = tomllib.load(file)
    return {
        name: View(name, table["title"],
                   tuple(_row(name, number, facts) for number, facts in enumerate(table["rows"], start=1)))
        for name, table in tables.items()
    }
