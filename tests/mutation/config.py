# SPDX-License-Identifier: Apache-2.0
"""The tool's settings: mutation.toml (areas, operators, masks) and equivalent.toml (reviewed mutants)."""

import fnmatch
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "host/python"))

from errors import MutationError  # noqa: E402
from mutant import Mutant  # noqa: E402
from operators import OPERATORS  # noqa: E402
from schema import (  # noqa: E402
    Key,
    Schema,
    any_text,
    anything,
    flag,
    load_toml,
    one_of,
    take_rows,
    take_table,
    text,
    texts,
    told_as,
    whole,
)
from source import Rules  # noqa: E402


@dataclass(frozen=True)
class TestProgram:
    """A test program as CMake names it, or lint/BLOCK, which only reads sources.

    `separate`: each test runs in a process of its own.
    """

    name: str
    separate: bool = False
    filter: str = ""
    environment: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def is_lint(self) -> bool:
        return self.name.startswith("lint/")


@dataclass(frozen=True)
class Area:
    name: str
    files: tuple[str, ...]
    tests: tuple[TestProgram, ...]  # the likeliest to fail first
    sample: int


@dataclass(frozen=True)
class Excluded:
    """Lines whose changes are no faults: a pattern of the line, and the reason."""

    files: str
    pattern: str
    reason: str


@dataclass(frozen=True)
class Equivalent:
    """A reviewed mutant that does what the code does: which one it is, and the reason."""

    file: str
    operator: str
    function: str
    before: str
    after: str
    nth: int
    reason: str

    def fits(self, mutant: Mutant) -> bool:
        return (self.file, self.operator, self.function, self.before, self.after, self.nth) == (
            mutant.file, mutant.operator, mutant.function, mutant.before, mutant.after, mutant.nth)


@dataclass(frozen=True)
class Config:
    areas: tuple[Area, ...]
    operators: dict[str, list[str]]  # names by language
    rules: Rules
    enumerations: tuple[str, ...]  # files whose enumerations are known
    excluded: tuple[Excluded, ...]
    target_percent: int


def _texts_by_name(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise ValueError("a table of texts")
    return value


def _operators(value: Any) -> list[str]:
    known = one_of(tuple(OPERATORS))
    return [known(one) for one in texts(value)]


TEST_KEYS = {
    "name": Key(text, required=True),
    "separate": Key(flag),
    "filter": Key(any_text),
    "environment": Key(_texts_by_name),
}
EXCLUDED_KEYS = {name: Key(text, required=True) for name in ("files", "pattern", "reason")}
AREA_KEYS = {
    "name": Key(text, required=True),
    "files": Key(texts, required=True),
    "without": Key(texts),
    "tests": Key(texts, required=True),
    "sample": Key(whole(1), required=True),
}
OPERATOR_KEYS = {language: Key(_operators) for language in ("c", "cpp", "sv")}
MASKED_KEYS = {"calls": Key(texts, required=True), "functions": Key(texts, required=True)}
TOP_KEYS = {
    "target_percent": Key(whole(0, 100)),
    "enumerations": Key(texts),
    "operators": Key(table=OPERATOR_KEYS),
    "masked": Key(table=MASKED_KEYS, required=True),
    "test": Key(anything),
    "area": Key(anything),
    "excluded": Key(anything),
}
EQUIVALENT_KEYS = {
    "file": Key(text, required=True),
    "operator": Key(text, required=True),
    "function": Key(any_text),
    "before": Key(any_text, required=True),
    "after": Key(any_text, required=True),
    "nth": Key(whole(0)),
    "reason": Key(text, required=True),
}


def _rows(file: str, table: dict[str, Any], name: str, schema: Schema) -> tuple[dict[str, Any], ...]:
    """The rows of [[name]], which may be none."""
    return take_rows(file, name, table.get(name, []), lambda where, row: take_table(where, row, schema))


@told_as(MutationError)
def load_config(path: Path, root: Path) -> Config:
    name = path.name
    top = take_table(name, load_toml(path, "it stands beside mutate.py"), TOP_KEYS)
    programs = {row["name"]: TestProgram(**row) for row in _rows(name, top, "test", TEST_KEYS)}
    excluded = tuple(Excluded(**row) for row in _rows(name, top, "excluded", EXCLUDED_KEYS))
    areas = tuple(_area(name, row, programs, root) for row in _rows(name, top, "area", AREA_KEYS))
    masked = top["masked"]
    return Config(
        areas, top.get("operators", {}), Rules(list(masked["calls"]), list(masked["functions"])),
        top.get("enumerations", ()), excluded, top.get("target_percent", 90))


def _area(name: str, row: dict[str, Any], programs: dict[str, TestProgram], root: Path) -> Area:
    where = f"{name}, area {row['name']}"
    files: list[str] = []
    for pattern in row["files"]:
        found = sorted(str(p.relative_to(root)) for p in root.glob(pattern))
        if not found:
            raise MutationError(f"{where}: no file is called '{pattern}'")
        files += found
    files = [f for f in files if not any(fnmatch.fnmatch(f, p) for p in row.get("without", []))]
    for test in row["tests"]:
        if test.startswith("lint/"):
            programs.setdefault(test, TestProgram(test))
        if test not in programs:
            raise MutationError(f"{where}: there is no [[test]] called '{test}'")
    return Area(row["name"], tuple(files), tuple(programs[t] for t in row["tests"]), row["sample"])


@told_as(MutationError)
def load_equivalents(path: Path) -> list[Equivalent]:
    rows = _rows(path.name, load_toml(path, "it stands beside mutate.py"), "equivalent", EQUIVALENT_KEYS)
    return [Equivalent(**{"function": "", "nth": 0} | row) for row in rows]
