# SPDX-License-Identifier: Apache-2.0
"""Tables of TOML held to what their keys must be: every mistake names the file, the key and the remedy.

A schema is a dictionary of keys. It says once which there are, what their values must be, and what is made of them.
"""

import sys
import tomllib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "output"))

from command_line import nearest as near_word  # noqa: E402


class SchemaError(Exception):
    """A table is not what it must be; the text names the file, the key and the remedy."""


@contextmanager
def told_as(error: type[Exception]) -> Iterator[None]:
    """Makes a SchemaError one of the caller's own errors, with the same text. A decorator, too."""
    try:
        yield
    except SchemaError as mistake:
        raise error(str(mistake)) from None


def anything(value: Any) -> Any:
    """Accepts any value, which another check examines."""
    return value


@dataclass(frozen=True)
class Key:
    """The condition for a key's value.

    `take` makes of it what is wanted, or raises ValueError with what it must be. Or the value is a table with keys of
    its own (`table`), or a list of at least one such table (`rows`).
    """

    take: Callable[[Any], Any] = anything
    required: bool = False
    table: "Schema | None" = None
    rows: "Schema | None" = None


Schema = dict[str, Key]


def text(value: Any) -> str:
    """Not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that is not empty")
    return value


def one_of(names: Collection[str]) -> Callable[[Any], str]:
    """One of these words."""

    def take(value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise ValueError(f"one of {', '.join(names)}")
        return value

    return take


def some_of(names: Collection[str]) -> Callable[[Any], tuple[str, ...]]:
    """A list of at least one of these words, each once."""

    def take(value: Any) -> tuple[str, ...]:
        if not _are_different(value, str) or any(name not in names for name in value):
            raise ValueError(f"a list of {', '.join(names)}, each once at most")
        return tuple(value)

    return take


def any_text(value: Any) -> str:
    """A text, which may be empty."""
    if not isinstance(value, str):
        raise ValueError("a text")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("a list of texts")
    return tuple(value)


def different_texts(value: Any) -> tuple[str, ...]:
    """A list of at least one text, each once."""
    found = texts(value)
    if not found or len(set(found)) != len(found):
        raise ValueError("a list of different texts")
    return found


def flag(value: Any) -> bool:
    """A truth value."""
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def whole(least: int, most: int | None = None) -> Callable[[Any], int]:
    """A whole number within these bounds."""

    def take(value: Any) -> int:
        if not _is_whole(value, least, most):
            raise ValueError(f"a whole number from {least} {_up_to(most)}")
        return int(value)

    return take


def wholes(least: int, most: int) -> Callable[[Any], tuple[int, ...]]:
    """A list of at least one whole number within these bounds, each once."""

    def take(value: Any) -> tuple[int, ...]:
        if not _are_different(value, int) or not all(_is_whole(one, least, most) for one in value):
            raise ValueError(f"a list of different whole numbers from {least} {_up_to(most)}")
        return tuple(value)

    return take


def number(least: float, most: float) -> Callable[[Any], float]:
    """A number within these bounds."""

    def take(value: Any) -> float:
        if not _is_number(value) or not least <= value <= most:
            raise ValueError(f"a number from {least:g} to {most:g}")
        return float(value)

    return take


def above_zero(value: Any) -> float:
    """A number above 0."""
    if not _is_number(value) or not value > 0:
        raise ValueError("a number above 0")
    return float(value)


def _are_different(value: Any, kind: type) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(one, kind) for one in value)
        and len(set(value)) == len(value)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any, least: int, most: int | None) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value and (most is None or value <= most)


def _up_to(most: int | None) -> str:
    return "on" if most is None else f"to {most}"


def nearest(name: str, names: Collection[str], what: str) -> str:
    """What to say of a name that is none of these: the one that is spelt most like it, or all."""
    return near_word(name, list(names)) or f"the {what} are {', '.join(names)}"


def _wanted(key: Key) -> str:
    """What a missing value would have to be. TOML has no None: who asks for something refuses it."""
    if key.table is not None or key.rows is not None:
        return "a table"
    try:
        key.take(None)
    except ValueError as wanted:
        return str(wanted)
    return "a value"


def take_table(where: str, table: Any, schema: Schema) -> dict[str, Any]:
    """The table's values by key. `where` is its file and its name. Raises SchemaError."""
    if not isinstance(table, dict):
        raise SchemaError(f"{where} must be a table; give it the keys {', '.join(schema)}")
    for name in table:
        if name not in schema:
            raise SchemaError(f"{where}: unknown key '{name}'; {nearest(name, schema, 'keys')}")
    for name, key in schema.items():
        if key.required and name not in table:
            raise SchemaError(f"{where}: '{name}' is missing; give {_wanted(key)}")
    return {name: _take(where, name, value, schema[name]) for name, value in table.items()}


def take_rows(where: str, name: str, rows: Any, take: Callable[[str, Any], Any]) -> tuple[Any, ...]:
    """The tables of a list [[name]]; `take` gets the place of each. Raises SchemaError."""
    if not isinstance(rows, list):
        raise SchemaError(f"{where}: '{name}' must be tables [[{name}]]")
    return tuple(take(f"{where}: {name} {place}", row) for place, row in enumerate(rows, 1))


def _take(where: str, name: str, value: Any, key: Key) -> Any:
    if key.table is not None:
        return take_table(f"{where}: {name}", value, key.table)
    if key.rows is not None:
        schema = key.rows
        rows = take_rows(where, name, value, lambda place, row: take_table(place, row, schema))
        if not rows:
            raise SchemaError(f"{where}: '{name}' is empty; add a table [[{name}]]")
        return rows
    try:
        return key.take(value)
    except ValueError as wanted:
        raise SchemaError(f"{where}: '{name}' is {value!r}, but must be {wanted}") from None


def load_toml(file: Path, remedy: str) -> dict[str, Any]:
    """What stands in a file; `remedy` is for one that cannot be read. Raises SchemaError."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SchemaError(f"{file}: {error.strerror}; {remedy}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"{file}: not TOML: {error}; correct it") from None
