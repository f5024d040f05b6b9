# SPDX-License-Identifier: Apache-2.0
"""case.toml: one load on one drive, and what of it must stay as it was. README.md has the keys for people.

Every mistake is a RegressError that names the file, the key and the remedy. Beside it lies what is expected
(golden.py); the `[[blessing]]` tables at its end tell where that came from.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from errors import RegressError  # noqa: E402
from expect.kinds import Expectation, take_expectations  # noqa: E402
from schema import (  # noqa: E402
    Key,
    anything,
    load_toml,
    number,
    one_of,
    some_of,
    take_rows,
    take_table,
    text,
    told_as,
    whole,
    wholes,
)
from synthetic import PATTERNS, Synthetic  # noqa: E402

FILE = "case.toml"
STORYLINE_PLATFORMS = ("native", "vp", "rtl")
IDEAL = "--ideal-electronics"
UNLIMITED_COMMANDS = 1000  # of a trace file without a limit
LOOPS = ("open", "closed")
COMPARISONS = ("events", "records", "order", "nothing")
# What a case says in a key of its own, and what the runner says itself.
TAKEN_WORDS = {
    "--drive": "drive", "--trace": "trace", "--policy": "policy", "--platform": "platform", "--limit": "limit",
    "--queue-depth": "queue_depth", "--open": "loop", "--closed": "loop",
}  # fmt: skip
# Looking changes nothing of a load, and what looks is the runner's choice.
RUNNERS_WORDS = (
    "--out", "--firmware", "--event-log", "--event-ledger", "--access-log", "--profile", "--timeline", "--wave",
    "--wave-window", "--wave-on", "--wave-after", "--gdb", "--run-until", "--snapshot-every", "--snapshots",
    "--post-mortem", "--help",
)  # fmt: skip
# What leaves more than the run's folder, starts processes of its own, or is about such a run. A suite may come from anybody.
OUTSIDE_WORDS = (
    "--batch", "--force", "--media", "--power-again", "--power-cut", "--power-loss", "--torture", "--torture-bytes", "--torture-cuts",
    "--torture-every", "--torture-jobs", "--torture-once", "--torture-seed", "--torture-whole",
)  # fmt: skip
# What describes a load. Any other word that begins as an option is refused.
LOAD_WORDS = frozenset((
    "--abort-every", "--access-price", "--all-devices", "--allow-empty", "--bus", "--cache", "--cache-every", "--cdb", "--cdl-policy",
    "--clear-queue-every", "--controller", "--deadlines", "--device", "--dpo-every", "--events", "--expect-requests", "--fail-on",
    "--flush-every", "--format-every", "--fua-every", "--head-of-queue-every", "--ideal-electronics", "--initiators", "--learn", "--map",
    "--map-addresses", "--map-every", "--no-disconnect-every",
    "--no-gating", "--ordered-every", "--policy-every", "--predictor-margin", "--qerr", "--reassign-every", "--reference", "--remap",
    "--remap-counts", "--remap-idle", "--remap-settled", "--remap-share", "--reordering", "--reset-every", "--retry", "--save-every",
    "--seed", "--skip-bad", "--sort-window", "--speedup", "--stream", "--strict", "--think", "--think-scale", "--think-time",
    "--trace-end", "--trace-format", "--untagged-every", "--verify-data", "--verify-every", "--warm-up", "--warm-up-time", "--watchdog",
    "--write-threshold",
))  # fmt: skip


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
    platform: str  # what runs it: vp, of a storyline another perhaps; rtl too, for a part of them (suite.py)
    trace: Path | Synthetic
    policy: str = "fcfs"
    queue_depth: int = 32
    loop: str = ""  # the trace's own
    limit: int = 0
    words: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    tolerance_cycles: int = 0
    cost_s: float = 1.0  # about how long it takes, for the order of the runs alone
    expectations: tuple[Expectation, ...] = ()  # what holds whatever was blessed
    blessings: tuple[Blessing, ...] = ()
    storyline: bool = False  # `trace` is one of the adversary's: storyline.py

    @property
    def file(self) -> Path:
        """The declaration."""
        return self.folder / FILE

    @property
    def is_judged_alone(self) -> bool:
        """No run is stored of it: its expectations say all."""
        return self.compare == ("nothing",)

    @property
    def commands(self) -> int:
        """About how many it has."""
        counts = [self.limit] if self.limit else []
        counts += [self.trace.requests] if isinstance(self.trace, Synthetic) else []
        return min(counts, default=UNLIMITED_COMMANDS)

    @property
    def described(self) -> str:
        """Drive, policy and platform in a few words."""
        if self.storyline:
            return f"{self.drive}, a storyline, {self.platform}"
        return f"{Path(self.drive).stem}, {self.policy}, {self.platform}"


def _lengths(value: Any) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [value]
    if not values or any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in values):
        raise ValueError("a number of blocks from 1 on, or a list of them")
    return tuple(values)


def _deadlines(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("two numbers of milliseconds after the arrival: the earliest deadline and the latest")
    least, most = (number(0.001, 1e6)(one) for one in value)
    if most < least:
        raise ValueError("the earliest deadline first, then the latest")
    return (least, most)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _words(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or any(not isinstance(word, str) for word in value):
        raise ValueError("a list of texts, as the command line has them")
    for word in value:
        name = word.split("=")[0]
        if name in TAKEN_WORDS:
            raise ValueError(f"words that no other key has: say {name} with '{TAKEN_WORDS[name]}'")
        if name in RUNNERS_WORDS:
            raise ValueError(f"words of the load: {name} is for the runner to say")
        if name in OUTSIDE_WORDS:
            raise ValueError(f"words of the load: {name} would reach beyond the run's own folder, or start other runs")
        if name.startswith("-") and not _is_number(name) and name not in LOAD_WORDS:
            raise ValueError(f"words of the load: {name} is none of them; 'headstack run --help' lists the options")
    return tuple(value)


def _tolerance(value: Any) -> int:
    if value == "exact":
        return 0
    kind, _, count = str(value).partition(":")
    if kind != "cycles" or not count.isdigit():
        raise ValueError("'exact', or 'cycles:N' with N clock cycles that a time may be off")
    return int(count)


CASE_KEYS = {
    "title": Key(text, required=True),
    "drive": Key(text, required=True),
    "trace": Key(anything, required=True),
    "policy": Key(text),
    "queue_depth": Key(whole(1)),
    "loop": Key(one_of(LOOPS)),
    "limit": Key(whole(1)),
    "words": Key(_words),
    "compare": Key(some_of(COMPARISONS)),
    "tolerance": Key(_tolerance),
    "cost_s": Key(number(0, 1e6)),
    "expect": Key(anything),
    "blessing": Key(anything),
}
STORYLINE_KEYS = {
    "title": Key(text, required=True),
    "platform": Key(one_of(STORYLINE_PLATFORMS), required=True),
    "storyline": Key(text, required=True),
    "cost_s": Key(number(0, 1e6)),
    "blessing": Key(anything),
}
SYNTHETIC_KEYS = {
    "pattern": Key(one_of(PATTERNS), required=True),
    "requests": Key(whole(1), required=True),
    "span": Key(whole(1), required=True),
    "first": Key(whole(0)),
    "seed": Key(whole(0)),
    "blocks": Key(_lengths),
    "write_share": Key(number(0, 1)),
    "flush_every": Key(whole(0)),
    "gap_us": Key(number(0, 1e9)),
    "deadline_ms": Key(_deadlines),
    "best_effort_share": Key(number(0, 1)),
    "streams": Key(whole(0)),
    "priorities": Key(wholes(0, 15)),
}
BLESSING_KEYS = {name: Key(text, required=True) for name in ("reason", "commit", "inputs", "result")}


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
    kind = Synthetic(**take_table(f"{file}: trace.synthetic", table, SYNTHETIC_KEYS))
    if max(kind.blocks) > kind.span:
        most = max(kind.blocks)
        raise RegressError(f"{file}: trace.synthetic: 'blocks' has {most}, more than the span of {kind.span}")
    if (kind.streams and not kind.deadline_ms) or (kind.priorities and not kind.streams):
        raise RegressError(f"{file}: trace.synthetic: 'streams' need 'deadline_ms', and 'priorities' need 'streams'")
    return kind


def _take_blessing(where: str, table: Any) -> Blessing:
    return Blessing(**take_table(where, table, BLESSING_KEYS))


def _take_blessings(file: Path, blessings: Any) -> tuple[Blessing, ...]:
    return take_rows(str(file), "blessing", blessings, _take_blessing)


def _load_storyline(file: Path, table: dict[str, Any]) -> Case:
    """A case of the adversary: the storyline says which drive."""
    taken = take_table(str(file), table, STORYLINE_KEYS)
    story = file.parent / taken.pop("storyline")
    try:
        lines = story.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RegressError(f"{file}: storyline: {story}: {error.strerror}") from None
    drives = [line.split()[1] for line in lines if line.startswith("drive ") and len(line.split()) > 1]
    taken["blessings"] = _take_blessings(file, taken.pop("blessing", []))
    drive = drives[0] if drives else "small"
    return Case(name=file.parent.name, folder=file.parent, trace=story, drive=drive, storyline=True, **taken)


@told_as(RegressError)
def load_case(folder: Path, root: Path) -> Case:
    """The case of a folder. `root` is headstack's own. Raises RegressError."""
    file = folder / FILE
    table = load_toml(file, f"a case is a folder with a {FILE}")
    if "storyline" in table:
        return _load_storyline(file, table)
    taken = take_table(str(file), table, CASE_KEYS)
    taken["trace"] = _take_trace(file, root, taken["trace"])
    taken["tolerance_cycles"] = taken.pop("tolerance", 0)
    if taken["drive"].endswith(".toml"):
        taken["drive"] = str(folder / taken["drive"])
    is_ideal = IDEAL in taken.get("words", ())
    taken["platform"] = "native" if is_ideal else "vp"
    taken.setdefault("compare", ("records",) if is_ideal else ("events", "records"))
    if "events" in taken["compare"] and is_ideal:
        raise RegressError(f"{file}: 'compare' has 'events', which are not kept of ideal electronics; leave it out")
    tables = take_rows(str(file), "expect", taken.pop("expect", []), take_expectations)
    taken["expectations"] = tuple(one for expectations in tables for one in expectations)
    taken["blessings"] = _take_blessings(file, taken.pop("blessing", []))
    if "nothing" in taken["compare"] and (len(taken["compare"]) > 1 or not taken["expectations"]):
        raise RegressError(f"{file}: 'compare' has 'nothing', which goes by itself and with [[expect]] tables")
    return Case(name=folder.name, folder=folder, **taken)
