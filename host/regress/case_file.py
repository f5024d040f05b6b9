"""case.toml: one load on one drive, and what of it must stay as it was. README.md has the keys for people.

Every mistake is a RegressError that names the file, the key and the remedy. Beside it lies what is expected
(golden.py); the `[[blessing]]` tables at its end tell where that came from.
"""

import difflib
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errors import RegressError
from synthetic import PATTERNS, Synthetic

FILE = "case.toml"
PLATFORMS = ("rtl", "vp")
LOOPS = ("open", "closed")
COMPARISONS = ("events", "records", "order")
# What a case says in a key of its own, and what the runner says itself.
TAKEN_WORDS = {
    "--drive": "drive", "--trace": "trace", "--policy": "policy", "--platform": "platform", "--limit": "limit",
    "--queue-depth": "queue_depth", "--open": "loop", "--closed": "loop",
}  # fmt: skip
# Looking changes nothing of a load, and what looks is the runner's choice.
RUNNERS_WORDS = (
    "--out", "--firmware", "--event-log", "--event-ledger", "--profile", "--measure-costs", "--timeline", "--wave",
    "--wave-window", "--wave-on", "--wave-after", "--gdb", "--run-until", "--snapshot-every", "--snapshots",
    "--post-mortem", "--help",
)  # fmt: skip


@dataclass(frozen=True)
class Blessing:
    """Why what is expected is as it is. The last one tells of the files as they are."""

    reason: str
    commit: str  # of the tree whose drive said it
    inputs: str  # a hash of trace and drive description
    result: str  # for people


@dataclass(frozen=True)
class Case:
    """A case as its file says it."""

    name: str
    folder: Path
    title: str
    drive: str  # a name, or the path of a .toml file
    platform: str
    trace: Path | Synthetic
    policy: str = "fcfs"
    queue_depth: int = 32
    loop: str = ""  # the trace's own
    limit: int = 0
    words: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    tolerance_cycles: int = 0
    cost_s: float = 1.0  # about how long it takes, for the order of the runs alone
    blessings: tuple[Blessing, ...] = ()
    storyline: bool = False  # `trace` is one of the adversary's: storyline.py

    @property
    def file(self) -> Path:
        """The declaration."""
        return self.folder / FILE

    @property
    def described(self) -> str:
        """Drive, policy and platform in a few words."""
        if self.storyline:
            return f"{self.drive}, a storyline, {self.platform}"
        return f"{Path(self.drive).stem}, {self.policy}, {self.platform}"


@dataclass(frozen=True)
class _Key:
    """What a key's value must be: `take` makes of it what the case has, or raises ValueError with what it must be."""

    take: Callable[[Any], Any]
    required: bool = False


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that is not empty")
    return value


def _one_of(names: tuple[str, ...]) -> Callable[[Any], str]:
    def take(value: Any) -> str:
        if value not in names:
            raise ValueError(f"one of {', '.join(names)}")
        return str(value)

    return take


def _some_of(names: tuple[str, ...]) -> Callable[[Any], tuple[str, ...]]:
    def take(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not value or any(name not in names for name in value):
            raise ValueError(f"a list of {', '.join(names)}")
        return tuple(value)

    return take


def _whole(least: int) -> Callable[[Any], int]:
    def take(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"a whole number from {least} on")
        return value

    return take


def _number(least: float, most: float) -> Callable[[Any], float]:
    def take(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise ValueError(f"a number from {least:g} to {most:g}")
        return float(value)

    return take


def _lengths(value: Any) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [value]
    if not values or any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in values):
        raise ValueError("a number of blocks from 1 on, or a list of them")
    return tuple(values)


def _words(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or any(not isinstance(word, str) for word in value):
        raise ValueError("a list of texts, as the command line has them")
    for word in value:
        name = word.split("=")[0]
        if name in TAKEN_WORDS:
            raise ValueError(f"words that no other key has: say {name} with '{TAKEN_WORDS[name]}'")
        if name in RUNNERS_WORDS:
            raise ValueError(f"words of the load: {name} is for the runner to say")
    return tuple(value)


def _tolerance(value: Any) -> int:
    if value == "exact":
        return 0
    kind, _, count = str(value).partition(":")
    if kind != "cycles" or not count.isdigit():
        raise ValueError("'exact', or 'cycles:N' with N clock cycles that a time may be off")
    return int(count)


CASE_KEYS = {
    "title": _Key(_text, required=True),
    "drive": _Key(_text, required=True),
    "platform": _Key(_one_of(PLATFORMS), required=True),
    "trace": _Key(lambda value: value, required=True),
    "policy": _Key(_text),
    "queue_depth": _Key(_whole(1)),
    "loop": _Key(_one_of(LOOPS)),
    "limit": _Key(_whole(1)),
    "words": _Key(_words),
    "compare": _Key(_some_of(COMPARISONS)),
    "tolerance": _Key(_tolerance),
    "cost_s": _Key(_number(0, 1e6)),
    "blessing": _Key(lambda value: value),
}
STORYLINE_KEYS = {
    "title": _Key(_text, required=True),
    "platform": _Key(_one_of(PLATFORMS), required=True),
    "storyline": _Key(_text, required=True),
    "cost_s": _Key(_number(0, 1e6)),
    "blessing": _Key(lambda value: value),
}
SYNTHETIC_KEYS = {
    "pattern": _Key(_one_of(PATTERNS), required=True),
    "requests": _Key(_whole(1), required=True),
    "span": _Key(_whole(1), required=True),
    "first": _Key(_whole(0)),
    "seed": _Key(_whole(0)),
    "blocks": _Key(_lengths),
    "write_share": _Key(_number(0, 1)),
    "flush_every": _Key(_whole(0)),
    "gap_us": _Key(_number(0, 1e9)),
}
BLESSING_KEYS = {name: _Key(_text, required=True) for name in ("reason", "commit", "inputs", "result")}


def _take_table(where: str, table: Any, keys: dict[str, _Key]) -> dict[str, Any]:
    """The table's values by key. `where` is its file and its name."""
    if not isinstance(table, dict):
        raise RegressError(f"{where} must be a table")
    for name in table:
        if name not in keys:
            near = difflib.get_close_matches(name, keys, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"the keys are {', '.join(keys)}"
            raise RegressError(f"{where}: unknown key '{name}'; {hint}")
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


def _take_trace(file: Path, root: Path, value: Any) -> Path | Synthetic:
    """A file's name, looked for beside the case and in traces/, or a table."""
    if isinstance(value, str):
        for place in (file.parent / value, root / "traces" / value):
            if place.is_file():
                return place
        raise RegressError(f"{file}: trace: there is no '{value}' beside the case, nor in {root / 'traces'}")
    table = value.get("synthetic") if isinstance(value, dict) and set(value) == {"synthetic"} else None
    if table is None:
        raise RegressError(f"{file}: 'trace' must be the name of a trace file, or a table [trace.synthetic]")
    kind = Synthetic(**_take_table(f"{file}: trace.synthetic", table, SYNTHETIC_KEYS))
    if max(kind.blocks) > kind.span:
        most = max(kind.blocks)
        raise RegressError(f"{file}: trace.synthetic: 'blocks' has {most}, more than the span of {kind.span}")
    return kind


def _take_blessings(file: Path, blessings: Any) -> tuple[Blessing, ...]:
    if not isinstance(blessings, list):
        raise RegressError(f"{file}: 'blessing' must be tables [[blessing]], which --bless writes")
    return tuple(
        Blessing(**_take_table(f"{file}: blessing {number}", one, BLESSING_KEYS))
        for number, one in enumerate(blessings, 1)
    )


def _load_storyline(file: Path, table: dict[str, Any]) -> Case:
    """A case of the adversary: the storyline says which drive."""
    taken = _take_table(str(file), table, STORYLINE_KEYS)
    story = file.parent / taken.pop("storyline")
    try:
        lines = story.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RegressError(f"{file}: storyline: {story}: {error.strerror}") from None
    drives = [line.split()[1] for line in lines if line.startswith("drive ") and len(line.split()) > 1]
    taken["blessings"] = _take_blessings(file, taken.pop("blessing", []))
    drive = drives[0] if drives else "small"
    return Case(name=file.parent.name, folder=file.parent, trace=story, drive=drive, storyline=True, **taken)


def load_case(folder: Path, root: Path) -> Case:
    """The case of a folder. `root` is headstack's own. Raises RegressError."""
    file = folder / FILE
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RegressError(f"{file}: {error.strerror}; a case is a folder with a {FILE}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RegressError(f"{file}: not TOML: {error}") from None
    if "storyline" in table:
        return _load_storyline(file, table)
    taken = _take_table(str(file), table, CASE_KEYS)
    taken["trace"] = _take_trace(file, root, taken["trace"])
    taken["tolerance_cycles"] = taken.pop("tolerance", 0)
    if taken["drive"].endswith(".toml"):
        taken["drive"] = str(folder / taken["drive"])
    taken.setdefault("compare", ("events", "records") if taken["platform"] == "rtl" else ("records",))
    if "events" in taken["compare"] and taken["platform"] != "rtl":
        raise RegressError(f"{file}: 'compare' has 'events', which are kept of platform rtl only; leave it out")
    taken["blessings"] = _take_blessings(file, taken.pop("blessing", []))
    return Case(name=folder.name, folder=folder, **taken)
