# SPDX-License-Identifier: Apache-2.0
"""Keys of a scenario, as far as regress reads them.

The simulator checks keys and values (host/scenario). Here a scenario is a tree of tables, with `drive` and `platform` as tables.
"""

import json
from decimal import Decimal, InvalidOperation
from typing import Any

SHORTHANDS = {"drive": "name", "platform": "kind"}  # a text in place of the table is the value of this key
DEFAULT_DRIVE = "cheetah_9lp"
PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}

Tree = dict[str, Any]


def written_out(table: Tree) -> Tree:
    """The tree without shorthands."""
    return {
        name: {SHORTHANDS[name]: value} if name in SHORTHANDS and isinstance(value, str) else value
        for name, value in table.items()
    }


def value_at(tree: Tree, path: str, default: Any = None) -> Any:
    """The value of a key, or of a table of keys."""
    value: Any = tree
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return default
        value = value[name]
    return value


def with_value(tree: Tree, path: str, value: Any) -> Tree:
    """A copy with another value for a key."""
    name, _, rest = path.partition(".")
    return {**tree, name: with_value(tree.get(name, {}), rest, value) if rest else value}


def toml_of(value: Any) -> str:
    """The value as TOML on one line."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_of, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml_of(one)}' for key, one in value.items())} }}"
    # Texts, numbers and booleans have the same form in JSON and TOML.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def time_ps(text: str) -> int:
    """The picoseconds of a time such as "12.5ms". Raises ValueError."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    try:
        time = Decimal(number) * PICOSECONDS[text.removeprefix(number)]
    except (InvalidOperation, KeyError):
        raise ValueError(f"'{text}' is no time; write it as in \"12.5ms\"") from None
    if time != int(time):
        raise ValueError(f"'{text}' is no whole number of picoseconds")
    return int(time)
