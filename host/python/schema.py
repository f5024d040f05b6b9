"""Tables of TOML held to what their keys must be: every mistake names the file, the key and the remedy."""

import difflib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from errors import RegressError


@dataclass(frozen=True)
class Key:
    """What a key's value must be: `take` makes of it what is wanted, or raises ValueError with what it must be."""

    take: Callable[[Any], Any]
    required: bool = False


def text(value: Any) -> str:
    """Not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that is not empty")
    return value


def one_of(names: tuple[str, ...]) -> Callable[[Any], str]:
    """One of these words."""

    def take(value: Any) -> str:
        if value not in names:
            raise ValueError(f"one of {', '.join(names)}")
        return str(value)

    return take


def some_of(names: tuple[str, ...]) -> Callable[[Any], tuple[str, ...]]:
    """A list of at least one of these words."""

    def take(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not value or any(name not in names for name in value):
            raise ValueError(f"a list of {', '.join(names)}")
        return tuple(value)

    return take


def whole(least: int) -> Callable[[Any], int]:
    """A whole number from `least` on."""

    def take(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"a whole number from {least} on")
        return value

    return take


def number(least: float, most: float) -> Callable[[Any], float]:
    """A number within these bounds."""

    def take(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise ValueError(f"a number from {least:g} to {most:g}")
        return float(value)

    return take


def anything(value: Any) -> Any:
    """What somebody else looks at."""
    return value


def nearest(name: str, names: Collection[str], what: str) -> str:
    """What to say of a name that is none of these: the one that is spelt most like it, or all."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean '{near[0]}'?" if near else f"the {what} are {', '.join(names)}"


def take_table(where: str, table: Any, keys: dict[str, Key]) -> dict[str, Any]:
    """The table's values by key. `where` is its file and its name. Raises RegressError."""
    if not isinstance(table, dict):
        raise RegressError(f"{where} must be a table")
    for name in table:
        if name not in keys:
            raise RegressError(f"{where}: unknown key '{name}'; {nearest(name, keys, 'keys')}")
    for name, key in keys.items():
        if key.required and name not in table:
            raise RegressError(f"{where}: '{name}' is missing; README.md of host/regress tells what it is")
    taken = {}
    for name, value in table.items():
        try:
            taken[name] = keys[name].take(value)
        except ValueError as wanted:
            raise RegressError(f"{where}: '{name}' is {value!r}, but must be {wanted}") from None
    return taken
