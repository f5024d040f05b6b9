# SPDX-License-Identifier: Apache-2.0
"""The drives of random loads: a shipped one with a speed, a controller and faults of this copy's own."""

import random
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
# Without electronics to run it: mean latency, which `native` alone serves.
NOT_RUNNABLE = {"abstract_1000_track"}
# So that the loads go on soon after a dropout.
SPIN_UP_MS = 400
# A drive of 1,440 blocks, with a store. It alone is formatted: a format writes the whole drive.
SMALL = ROOT / "tests/power/small.toml"

Table = list[str]  # of a description: its head line, and its keys


@dataclass(frozen=True)
class Shipped:
    """What the loads have to know of a drive."""

    path: Path
    capacity: int  # blocks, at most
    cylinders: int
    is_wide: bool
    has_store: bool
    has_controller: bool

    @property
    def text(self) -> str:
        return self.path.read_text()

    @property
    def is_small(self) -> bool:
        return self.path == SMALL

    @property
    def has_room_for_maps(self) -> bool:
        return self.is_small or self.path.stem == "paper_179mb"


def shipped(name: str) -> Shipped:
    return drive_of(ROOT / f"sim/drives/{name}.toml")


# As sim/drives/README.md says: more than is published.
LARGER = {"cheetah_9lp": 17_918_387, "cheetah_4lp": 8_887_940, "atlas_10k": 17_966_953}


def capacity_of(name: str, description: dict[str, Any]) -> int:
    """Blocks: as published, or those of the zones without reserved sectors and spares."""
    published = LARGER.get(name, description.get("published", {}).get("capacity_sectors"))
    if published is not None:
        return int(published)
    design = description["design"]
    return sum(
        (zone["last_cylinder"] - zone["first_cylinder"] + 1) * design["heads"] * zone["sectors_per_track"]
        - zone.get("reserved_sectors", 0) - zone.get("spares", 0)
        for zone in design["zones"]
    )  # fmt: skip


@cache
def drive_of(path: Path) -> Shipped:
    description = tomllib.loads(path.read_text())
    design = description["design"]
    zones = design["zones"]
    return Shipped(
        path, capacity_of(path.stem, description), design["cylinders"], design.get("bus", {}).get("width_bits", 8) == 16,
        any(zone.get("store_sectors", 0) for zone in zones), "overheads_ms" in description.get("published", {}),
    )  # fmt: skip


def all_shipped() -> list[Shipped]:
    paths = sorted((ROOT / "sim/drives").glob("*.toml"))
    return [drive_of(path) for path in [*paths, SMALL] if path.stem not in NOT_RUNNABLE]


def table(head: str, **keys: object) -> Table:
    return [head, *(f"{key} = {value}" for key, value in keys.items())]


FLAWS: list[dict[str, object]] = [
    {"kind": '"unreadable"'},
    {"kind": '"correctable"', "retries": 2},
    {"kind": '"intermittent"', "probability": 0.4},
    {"kind": '"decaying"', "half_reads": 2},
    {"kind": '"write_fault"', "retries": 1},
    {"kind": '"write_fault"', "retries": 0},
    {"kind": '"weak_write"', "retries": 1},
    {"kind": '"bad_header"', "probability": 0.5},
    {"kind": '"no_sync"'},
]


def flaws(choose: random.Random, blocks: list[int]) -> list[Table]:
    """Flaws of the sectors of some blocks, and scratches over neighbours."""
    found = []
    for block in dict.fromkeys(choose.choice(blocks) for _ in range(choose.choice([1, 2, 6]))):
        keys = dict(choose.choice(FLAWS), lba=block)
        if choose.randrange(4) == 0:
            keys["sectors"] = choose.randint(2, 5)
        found.append(table("[[specimen.flaws]]", **keys))
    return found


def arm_faults(choose: random.Random, drive: Shipped) -> list[Table]:
    kinds: list[dict[str, object]] = [
        {"kind": '"settle"', "for_ms": choose.choice([0.3, 2.71, 40])},
        {"kind": '"settle"'},
        {"kind": '"off_track"', "after_ms": choose.choice([0.1, 1.37]), "for_ms": choose.choice([0.7, 5.13])},
        {"kind": '"off_track"', "after_ms": choose.choice([0.1, 2.3])},
        {"kind": '"wrong_cylinder"', "by_cylinders": choose.choice([-2, 1, 3])},
        {"kind": '"stuck"'},
    ]
    faults = []
    for _ in range(choose.choice([1, 1, 2])):
        keys = dict(choose.choice(kinds), first_seek=choose.randint(1, 12), seeks=choose.choice([1, 1, 3]))
        if choose.randrange(3) == 0:
            keys["first_cylinder"] = choose.randrange(drive.cylinders)
        faults.append(table("[[specimen.arm_faults]]", **keys))
    return faults


def spindle_faults(choose: random.Random) -> list[Table]:
    """Times between two clock edges, too, as those of the mechanics are."""
    faults = []
    at_ms = 0.0
    for _ in range(choose.choice([1, 1, 2])):
        at_ms += choose.uniform(5, 150)
        for_ms = choose.uniform(0.05, 20) if choose.randrange(6) else None
        lasts = {} if for_ms is None else {"for_ms": f"{for_ms:.4f}"}
        faults.append(table("[[specimen.spindle_faults]]", kind='"dropout"', at_ms=f"{at_ms:.4f}", **lasts))
        if for_ms is None:
            break
        at_ms += for_ms
    if choose.randrange(4) == 0:
        share = choose.choice([0, 0.6])
        faults.append(table("[[specimen.spindle_faults]]", kind='"no_start"', first_start=2, starts=1, speed_share=share))
    return faults


def index_faults(choose: random.Random) -> list[Table]:
    return [table("[[specimen.index_faults]]", first_turn=choose.randrange(12), turns=choose.randrange(9), every=choose.randint(1, 3))]


def drawn_faults(choose: random.Random) -> list[Table]:
    """Faults by the specimen's seed."""
    return [
        table(
            "[specimen.random]", arm_share=choose.choice([0, 0.02, 0.1]), missing_index_share=choose.choice([0, 0.05]),
            dropouts=choose.choice([0, 0, 1]), dropout_span_ms=200, dropout_ms=15,
        )
    ]  # fmt: skip


def specimen(choose: random.Random, drive: Shipped) -> Table:
    drawn = {}
    many = 20 if drive.is_small else 5000
    for kind in ("unreadable", "correctable", "weak_write", "no_sync"):
        if choose.randrange(6) == 0:
            drawn[f"{kind}_sectors"] = choose.choice([3, many])
    return table("[specimen]", speed_error_ppm=choose.randint(-5000, 5000), flaw_seed=choose.randint(1, 10**6), **drawn)


def described(drive: Shipped, tables: list[Table], changes: dict[str, object]) -> str:
    """The drive's file: without its own specimen, with these tables, and other values of some keys."""
    text = re.sub(r"(?ms)^\[\[?specimen[.\]].*?(?=^\[|\Z)", "", drive.text)
    for key, value in changes.items():
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    return text + "".join("\n" + "\n".join(lines) + "\n" for lines in tables)


def changes_of(choose: random.Random, drive: Shipped) -> dict[str, object]:
    """Values of this copy's own for keys of the design."""
    design = tomllib.loads(drive.text)["design"]
    changes: dict[str, object] = {"spin_up_ms": SPIN_UP_MS}
    if "head_switch_ms" in design:
        changes["head_switch_ms"] = f"{design['head_switch_ms'] * choose.uniform(0.7, 1.6):.3f}"
    if drive.has_controller and choose.randrange(2) == 0:
        changes["read_any_free_blocks"] = choose.randrange(2)
    return changes
