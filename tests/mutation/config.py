"""What the tool is told: mutation.toml (areas, operators, what is masked) and equivalent.toml (reviewed mutants)."""

import fnmatch
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errors import MutationError
from mutant import Mutant
from operators import OPERATORS
from source import Rules

_TYPES = {"text": str, "texts": list, "number": int, "flag": bool, "texts by name": dict}


@dataclass(frozen=True)
class TestProgram:
    """A test program as CMake names it, or lint/BLOCK, which only looks at sources.

    `separate`: each of its tests in a process of its own.
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
    tests: tuple[TestProgram, ...]  # the likeliest to notice first
    sample: int


@dataclass(frozen=True)
class Excluded:
    """Lines that are no fault when they change: a pattern of the line, and why."""

    files: str
    pattern: str
    reason: str


@dataclass(frozen=True)
class Equivalent:
    """A mutant that was looked at, and does what the code does: which one, and why."""

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
    operators: dict[str, list[str]]  # by language
    rules: Rules
    enumerations: tuple[str, ...]  # files whose enumerations are known
    excluded: tuple[Excluded, ...]
    target_percent: int


def _take(where: str, table: dict[str, Any], **wanted: str) -> dict[str, Any]:
    """The values of `table`. @param wanted: per key its type; one that ends in `?` may be left out."""
    for key in table:
        if key not in wanted:
            raise MutationError(f"{where}: there is no key '{key}'; remedy: use {', '.join(wanted)}")
    found = {}
    for key, kind in wanted.items():
        if key not in table:
            if not kind.endswith("?"):
                raise MutationError(f"{where}: the key '{key}' is missing")
            continue
        if not isinstance(table[key], _TYPES[kind.rstrip("?")]):
            raise MutationError(f"{where}: '{key}' must be a {kind.rstrip('?')}")
        found[key] = table[key]
    return found


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise MutationError(f"{path} is not there") from None
    except tomllib.TOMLDecodeError as error:
        raise MutationError(f"{path}: {error}") from None


def load_config(path: Path, root: Path) -> Config:
    text = _load(path)
    name = path.name
    for key in text:
        if key not in ("target_percent", "enumerations", "operators", "masked", "test", "area", "excluded"):
            raise MutationError(f"{name}: there is no key '{key}'")
    operators = text.get("operators", {})
    for language, names in operators.items():
        for operator in names:
            if operator not in OPERATORS:
                raise MutationError(
                    f"{name}, operators.{language}: there is no operator '{operator}'; remedy: use {', '.join(OPERATORS)}")
    masked = _take(f"{name}, [masked]", text.get("masked", {}), calls="texts", functions="texts")
    programs: dict[str, TestProgram] = {}
    for table in text.get("test", []):
        row = _take(f"{name}, [[test]]", table, name="text", separate="flag?", filter="text?", environment="texts by name?")
        programs[row["name"]] = TestProgram(**row)
    excluded = tuple(
        Excluded(**_take(f"{name}, [[excluded]]", table, files="text", pattern="text", reason="text"))
        for table in text.get("excluded", []))
    areas = tuple(_area(name, table, programs, root) for table in text.get("area", []))
    return Config(
        areas, operators, Rules(masked["calls"], masked["functions"]), tuple(text.get("enumerations", [])), excluded,
        int(text.get("target_percent", 90)))


def _area(name: str, table: dict[str, Any], programs: dict[str, TestProgram], root: Path) -> Area:
    row = _take(f"{name}, [[area]]", table, name="text", files="texts", without="texts?", tests="texts", sample="number")
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


def load_equivalents(path: Path) -> list[Equivalent]:
    found = []
    for table in _load(path).get("equivalent", []):
        row = _take(
            f"{path.name}, [[equivalent]]", table, file="text", operator="text", function="text?", before="text",
            after="text", nth="number?", reason="text")
        if not row["reason"].strip():
            raise MutationError(f"{path.name}: the mutant of '{row['before']}' needs a reason")
        found.append(Equivalent(
            row["file"], row["operator"], row.get("function", ""), row["before"], row["after"], row.get("nth", 0),
            row["reason"]))
    return found
