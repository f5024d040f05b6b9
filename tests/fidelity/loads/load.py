# SPDX-License-Identifier: Apache-2.0
"""A random load: a drive's copy, a trace, and words of `run`. A seed makes it.

A load has all groups of keys of two features (options.py). Seed N takes pair N of all pairs, so successive seeds go through
them. Chance adds other keys.
"""

import random
from dataclasses import dataclass, field, replace
from itertools import combinations

from . import drives, traces
from .options import FEATURES, GROUPS, Draft, Group, Words, key_of
from .traces import Trace

DRIVE = "drive.toml"
TRACE = "load.trace"
PAIRS = list(combinations(FEATURES, 2))
COUNTS = [10, 14, 20, 30]
# A load of a queue that is really deep.
LONG_EVERY = 50
LONG_COUNT = 300


@dataclass(frozen=True)
class Load:
    name: str
    drive: drives.Shipped
    tables: tuple[drives.Table, ...]  # of the description, beside the shipped ones
    changes: dict[str, object]  # of keys of the design
    trace: Trace
    groups: tuple[tuple[str, ...], ...]  # words of `run`, group by group
    rtl_groups: tuple[tuple[str, ...], ...] = ()  # on rtl alone
    files: dict[str, str] = field(default_factory=dict)  # that the words name

    def words(self, platform: str) -> Words:
        groups = self.groups + (self.rtl_groups if platform == "rtl" else ())
        return [word for group in groups for word in group]

    def all_files(self) -> dict[str, str]:
        description = drives.described(self.drive, list(self.tables), self.changes)
        return {DRIVE: description, TRACE: self.trace.text(), **self.files}

    def with_changes(self, **fields: object) -> "Load":
        return replace(self, **fields)  # type: ignore[arg-type]


def fault_tables(choose: random.Random, drive: drives.Shipped, trace: Trace, wanted: bool) -> list[drives.Table]:
    """All kinds of faults, and pairs of them."""
    blocks = [block for block in trace.blocks() if block != 0] or [1]
    kinds = [
        lambda: drives.flaws(choose, blocks),
        lambda: drives.arm_faults(choose, drive),
        lambda: drives.spindle_faults(choose),
        lambda: drives.index_faults(choose),
        lambda: drives.drawn_faults(choose),
    ]
    count = choose.choice([1, 2, 2]) if wanted else choose.choice([0, 0, 1])
    return [drives.specimen(choose, drive), *(table for kind in choose.sample(kinds, count) for table in kind())]


def is_drawn(draft: Draft, group: Group) -> bool:
    return group.feature in draft.features or draft.chance(group.percent)


def draw(draft: Draft, *, rtl_only: bool) -> tuple[tuple[str, ...], ...]:
    found = []
    for group in GROUPS:
        if group.rtl_only != rtl_only or not is_drawn(draft, group):
            continue
        words = group.draw(draft)
        draft.drawn.update(map(key_of, words))
        if words:
            found.append(tuple(words))
    return tuple(found)


def fits(drive: drives.Shipped, features: frozenset[str]) -> bool:
    """Whether the drive has what these features need."""
    return (drive.has_controller or "controller" not in features) and (drive.has_room_for_maps or "maps" not in features)


def load_of(seed: int) -> Load:
    choose = random.Random(seed)
    features = frozenset(PAIRS[seed % len(PAIRS)])
    candidates = [drive for drive in drives.all_shipped() if fits(drive, features)]
    drive = choose.choice(candidates)
    count = LONG_COUNT if seed % LONG_EVERY == 0 else choose.choice(COUNTS)
    trace = traces.trace(
        choose, drive.capacity, count, loop=choose.choice(["closed", "closed", "open", "think"]),
        deadlines="deadlines" in features or choose.randrange(4) == 0,
        options="aborts" in features or "tags" in features or choose.randrange(4) == 0,
        streams="streams" in features or choose.randrange(8) == 0,
    )  # fmt: skip
    draft = Draft(choose, drive, trace, features)
    groups = (("load.map=fold",), *draw(draft, rtl_only=False))
    rtl_groups = draw(draft, rtl_only=True)
    tables = fault_tables(choose, drive, trace, "faults" in features)
    return Load(f"seed {seed}", drive, tuple(tables), drives.changes_of(choose, drive), trace, groups, rtl_groups, draft.files)
