# SPDX-License-Identifier: Apache-2.0
"""scenario.toml of a case: one load on one drive, and how its run is judged. README.md explains the keys.

The simulator checks the scenario's own keys. This module checks the rest: `[regress]`, `[[expect]]`, and keys that no case may
have. Every mistake is a RegressError that names the file, the key and the remedy.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from errors import RegressError  # noqa: E402
from expect.kinds import Expectation, take_expectations  # noqa: E402
from scenario_keys import DEFAULT_DRIVE, Tree, time_ps, toml_of, value_at, with_value, written_out  # noqa: E402
from schema import Key, flag, load_toml, number, some_of, take_rows, take_table, text, told_as  # noqa: E402
from synthetic import Synthetic  # noqa: E402

FILE = "scenario.toml"
OF_REGRESS = "regress"
NATIVE, VP, RTL = "native", "vp", "rtl"
CANARY, SIMULATOR = "canary", "simulator"  # variants of a case
STORYLINE_PLATFORMS = (NATIVE, VP, RTL)
UNLIMITED_COMMANDS = 1000  # assumed for a trace file without a limit
COMPARISONS = ("events", "records", "order", "nothing")
# Keys and tables that no case may have, with the reason and the remedy: a suite may be from an unknown source.
_BEYOND = "reaches beyond the run's own folder, or ends the drive's life; leave it out"
_OF_RUNNER = "is chosen by regress; leave it out"
FORBIDDEN = {
    "drive.media": _BEYOND,
    "faults": _BEYOND,
    "platform.firmware": "is chosen with --firmware; leave it out",
    "observe": _OF_RUNNER,
    "extends": "would leave a part of the case in another file; write all keys into this one",
    "load.requests": "has no file, which the expectations read; write load.trace or load.synthetic",
}
# Keys that a storyline has itself.
STORYLINE_KEYS = ("schema", "title", "platform", OF_REGRESS)


@dataclass(frozen=True)
class Case:
    """A case as described by its file."""

    name: str
    folder: Path
    keys: Tree  # keys of the scenario, with the changes
    platform: str  # platform of its runs: vp or native; a part of the cases also run on rtl (suite.py)
    changes: tuple[str, ...] = ()  # KEY=VALUE words that override the file
    compare: tuple[str, ...] = ()
    tolerance_cycles: int = 0
    cost_s: float = 1.0  # rough duration; it only sets the order of the runs
    canary: bool = False  # its run is stored: canaries.py
    variant: str = ""  # CANARY: a stored program runs it, and a stored run is compared; SIMULATOR: the base's program runs it
                       # on two simulators
    program: Path | None = None  # program of a variant, in place of the chosen one
    expectations: tuple[Expectation, ...] = ()
    story: Path | None = None  # a storyline of the adversary instead of a load: storyline.py

    @property
    def file(self) -> Path:
        """The scenario's file."""
        return self.folder / FILE

    def value(self, path: str, default: Any = None) -> Any:
        """The value of a key of the scenario."""
        return value_at(self.keys, path, default)

    def changed(self, path: str, value: Any) -> "Case":
        """The same case with another value for a key."""
        return replace(self, keys=with_value(self.keys, path, value), changes=(*self.changes, f"{path}={toml_of(value)}"))

    @property
    def title(self) -> str:
        """The title on one line."""
        return str(self.value("title"))

    @property
    def drive(self) -> str | Path:
        """The drive: a name or a file."""
        name = str(self.value("drive.name", DEFAULT_DRIVE))
        return self.folder / name if name.endswith(".toml") else name

    @property
    def drive_name(self) -> str:
        """The drive's name for messages."""
        return Path(self.drive).stem

    @property
    def policy(self) -> str:
        """The scheduling policy; the first of several."""
        policy = self.value("settings.policy", "fcfs")
        return str(policy[0] if isinstance(policy, list) else policy)

    @property
    def trace(self) -> Path | Synthetic:
        """The trace's file, or the description of a synthetic trace."""
        table = self.value("load.synthetic")
        if table is None:
            return self.folder / str(self.value("load.trace"))
        try:
            return Synthetic.of(table)
        except (TypeError, ValueError) as error:
            raise RegressError(f"{self.file}: load.synthetic: {error}") from None

    @property
    def is_judged_alone(self) -> bool:
        """Whether only expectations judge the case, without a comparison with another run."""
        return self.compare == ("nothing",)

    @property
    def commands(self) -> int:
        """About how many commands it has."""
        counts = [self.value("load.limit"), self.value("load.synthetic.requests")]
        return min((count for count in counts if isinstance(count, int) and count > 0), default=UNLIMITED_COMMANDS)

    @property
    def described(self) -> str:
        """Drive, policy and platform in a few words."""
        return f"{self.drive_name}, {'a storyline' if self.story else self.policy}, {self.platform}"

    def time_ps(self, path: str, default: str) -> int:
        """The time that is the value of a key. Raises RegressError."""
        try:
            return time_ps(str(self.value(path, default)))
        except ValueError as error:
            raise RegressError(f"{self.file}: {path}: {error}") from None


def _tolerance(value: Any) -> int:
    if value == "exact":
        return 0
    kind, _, count = str(value).partition(":")
    if kind != "cycles" or not count.isdigit():
        raise ValueError("'exact', or 'cycles:N' with N clock cycles that a time may be off")
    return int(count)


REGRESS_KEYS = {
    "compare": Key(some_of(COMPARISONS)),
    "tolerance": Key(_tolerance),
    "cost_s": Key(number(0, 1e6)),
    "canary": Key(flag),
    "storyline": Key(text),
}


def _refuse_forbidden(file: Path, keys: Tree) -> None:
    for path, why in FORBIDDEN.items():
        if value_at(keys, path) is not None:
            raise RegressError(f"{file}: {path}: {why}")
    if value_at(keys, "load.trace") == "-":
        raise RegressError(f"{file}: load.trace: standard input can be read once; name a file")


def _load_storyline(file: Path, keys: Tree, taken: dict[str, Any]) -> Case:
    """Loads a case of the adversary, whose storyline names the drive."""
    for name in keys:
        if name not in STORYLINE_KEYS:
            raise RegressError(f"{file}: {name}: the storyline says all of the load; keep {', '.join(STORYLINE_KEYS[1:])}")
    if taken.get("canary"):
        raise RegressError(f"{file}: regress.canary: a storyline keeps no run; leave it out")
    story = file.parent / taken.pop("storyline")
    try:
        lines = story.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RegressError(f"{file}: regress.storyline: {story}: {error.strerror}; name a file beside the case") from None
    platform = value_at(keys, "platform.kind", VP)
    if platform not in STORYLINE_PLATFORMS:
        raise RegressError(f"{file}: platform.kind: '{platform}' is not known; write one of {', '.join(STORYLINE_PLATFORMS)}")
    drives = [line.split()[1] for line in lines if line.startswith("drive ") and len(line.split()) > 1]
    keys = with_value(keys, "drive.name", drives[0] if drives else "small")
    return Case(name=file.parent.name, folder=file.parent, keys=keys, platform=platform, story=story, **taken)


def _load_run(file: Path, keys: Tree, taken: dict[str, Any], expect: Any) -> Case:
    """Loads a case with a load."""
    _refuse_forbidden(file, keys)
    platform = value_at(keys, "platform.kind", VP)
    if platform == RTL:
        raise RegressError(f"{file}: platform.kind: cases run on rtl by --rtl-share; leave it out")
    if value_at(keys, "load.synthetic") is None and not isinstance(value_at(keys, "load.trace"), str):
        raise RegressError(f"{file}: load: there are no requests; write load.trace or a table [load.synthetic]")
    if isinstance(value_at(keys, "load.synthetic"), dict) and not value_at(keys, "load.synthetic.span"):
        raise RegressError(f"{file}: load.synthetic.span: give the blocks; the drive's end is not known to the expectations")
    is_native = platform == NATIVE
    taken.setdefault("compare", ("records",) if is_native else ("events", "records"))
    if "events" in taken["compare"] and is_native:
        raise RegressError(f"{file}: regress.compare has 'events', which native does not keep; leave it out")
    tables = take_rows(str(file), "expect", expect, take_expectations)
    taken["expectations"] = tuple(one for expectations in tables for one in expectations)
    if "nothing" in taken["compare"] and (len(taken["compare"]) > 1 or not taken["expectations"]):
        raise RegressError(f"{file}: regress.compare has 'nothing', which goes by itself and with [[expect]] tables")
    return Case(name=file.parent.name, folder=file.parent, keys=keys, platform=platform, **taken)


@told_as(RegressError)
def load_case(folder: Path) -> Case:
    """The case of a folder. Raises RegressError."""
    file = folder / FILE
    keys = written_out(load_toml(file, f"a case is a folder with a {FILE}"))
    expect, table = keys.pop("expect", []), keys.pop(OF_REGRESS, {})
    if not isinstance(keys.get("title"), str):
        raise RegressError(f"{file}: title: is missing; describe the case in one line")
    taken = take_table(f"{file}: {OF_REGRESS}", table, REGRESS_KEYS)
    taken["tolerance_cycles"] = taken.pop("tolerance", 0)
    return _load_storyline(file, keys, taken) if "storyline" in taken else _load_run(file, keys, taken, expect)
