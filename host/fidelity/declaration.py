# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the declared runs for comparison with real drives: real-drives.toml, or a user's file.

Every word of a run names its source, one of SOURCES. `check_against_description` compares words with the drive's description when
the declaration is read. `check_bus` compares them with the trace when its hits are known.
"""

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from errors import FidelityError  # noqa: E402
from schema import Key, Schema, above_zero, load_toml, one_of, take_table, text, told_as  # noqa: E402

SOURCES = {
    "measured-load": "how the trace was captured",
    "description": "extracted from the real drive",
    "design": "this drive's own",
    "trace-hits": "estimated from the trace's reads from the buffer",
}
# The sources that each word of a run may have; each word must be given.
WORDS = {
    "policy": ("measured-load",),
    "controller": ("description",),
    "cache": ("description",),
    "bus": ("description", "trace-hits"),
}
BLOCK_BYTES = 512
BUS_STEP_NS = 25  # the SoC's clock: a byte takes a whole number of them
# What hosts.bus takes as sync: Fast-10 at the fastest, and at the slowest SDTR's largest factor of 4 ns.
FASTEST_NS, SLOWEST_NS = 100, 1020
# [published.cache] fast_write_level: 1 reports the writes of a stream from the buffer, 2 those of a stream among reads, too
# (DiskSim's manual). Either does so for a write that finds nothing else to be written; here one command is out at a time.
FAST_WRITE_LEVELS = (1, 2)
NO_READ_AHEAD = 0  # [published.cache] readahead_mode (DiskSim's "Buffer continuous read"): 0 disables prefetching
# Keys that a description needs for a comparison, by table of [published].
NEEDED = {
    "cache": ("segments", "segment_sectors", "max_readahead_sectors", "fast_write_level"),
    "bus": ("ms_per_512B_sector",),
}


@dataclass(frozen=True)
class Word:
    """An option's value and where it comes from."""

    text: str
    source: str


@dataclass(frozen=True)
class RealDrive:
    """One comparison. Bounds are those that the test holds it to."""

    description: str
    trace: str
    run: dict[str, Word]
    demerit_bound_ms: float  # infinite without one
    mean_bound_percent: float
    published: dict[str, Any]  # [published] of the description
    design: dict[str, Any]  # [design] of the description
    title: str
    file: Path  # file that describes the drive
    declared_in: str  # the file's name, for errors

    @property
    def revolution_ms(self) -> float:
        """The description's revolution."""
        return 60_000 / float(self.design["rpm"])

    @property
    def disksim_demerit_ms(self) -> float | None:
        """The demerit that DiskSim's authors published for the whole trace, by histograms; None: not published."""
        value = self.published.get("demerit_rms_ms")
        return None if value is None else float(value)

    def bus_period_ns(self) -> int:
        """The time of a byte on the SoC's bus: the declared period, rounded up to a whole clock."""
        asked = int(self.run["bus"].text.split(":")[1])
        return -(-asked // BUS_STEP_NS) * BUS_STEP_NS


def expected_cache(published: dict[str, Any]) -> str:
    """The words of --cache for the extracted cache parameters."""
    cache = published["cache"]
    if cache.get("enable", 1) == 0:
        return "off"
    mode = "read-write" if cache["fast_write_level"] in FAST_WRITE_LEVELS else "read"
    # One of several is for writes alone, where the drive has it so. One alone serves both (DiskSim's disk module).
    segments = max(cache["segments"] - cache.get("separate_write_segment", 0), 1)
    read_ahead = 0 if cache.get("readahead_mode") == NO_READ_AHEAD else cache["max_readahead_sectors"]
    return f"{mode}:segments={segments},segment-blocks={cache['segment_sectors']},read-ahead={read_ahead}"


def nearest_step_ns(byte_ns: float) -> int:
    """The nearest period of the SoC's bus."""
    return round(byte_ns / BUS_STEP_NS) * BUS_STEP_NS


def published_byte_ns(drive: RealDrive, way: str = "read") -> float:
    """A byte of a read, or of a "write", as the description has it; 0: nobody published it.

    Data move as fast as the slower of both lets them: the drive's own side, and the host that measured.
    """
    bus = drive.published["bus"]
    return max(float(bus["ms_per_512B_sector"]), float(bus.get(f"host_{way}_ms_per_512B_sector", 0))) * 1e6 / BLOCK_BYTES


def expected_bus(drive: RealDrive) -> str | None:
    """The value of hosts.bus that the description says; None: nobody published how fast the data moved.

    The drive's bus has the longest step that is no slower than the data. The host's pace makes up for the rest. On a wide drive
    two bytes go at a time where one by one would be too slow.
    """
    paces = {"in": published_byte_ns(drive, "read"), "out": published_byte_ns(drive, "write")}
    if not all(paces.values()):
        return None
    wide = min(paces.values()) < FASTEST_NS and drive.design.get("bus", {}).get("width_bits") == 16
    paces = {way: pace * (2 if wide else 1) for way, pace in paces.items()}
    step = min(max(int(min(paces.values()) // BUS_STEP_NS * BUS_STEP_NS), FASTEST_NS), SLOWEST_NS)
    # SDTR counts in units of 4 ns, and the bus goes up to the next whole step.
    words = [f"sync:{step // 4 * 4}", *(["wide"] if wide else [])]
    return ":".join([*words, *(f"{way}={pace:.3f}" for way, pace in paces.items() if pace > step)])


def bus_can_do(byte_ns: float) -> bool:
    """Whether hosts.bus has a step near to it."""
    return FASTEST_NS <= nearest_step_ns(byte_ns) <= SLOWEST_NS


def check_bus(drive: RealDrive, byte_ns: float, source: str) -> None:
    """Raises FidelityError unless the declared period is the step nearest to `byte_ns`, which `source` says."""
    wanted, declared = nearest_step_ns(byte_ns), drive.bus_period_ns()
    if wanted != declared:
        raise FidelityError(
            f"{drive.declared_in}: {drive.description}: run.bus: {drive.run['bus'].text} moves a byte in {declared} ns, "
            f"but {source} say {byte_ns:.1f} ns; declare the nearest step, {wanted} ns"
        )


def _word_keys(sources: tuple[str, ...]) -> Schema:
    return {"words": Key(text, required=True), "from": Key(one_of(sources), required=True)}


DRIVE_KEYS = {
    "description": Key(text, required=True),
    "trace": Key(text, required=True),
    "run": Key(
        required=True, table={name: Key(required=True, table=_word_keys(sources)) for name, sources in WORDS.items()}
    ),
    "bounds": Key(
        table={"demerit_ms": Key(above_zero, required=True), "mean_percent": Key(above_zero, required=True)},
    ),
}
TOP_KEYS = {"drives": Key(required=True, rows=DRIVE_KEYS)}


def _real_drive(entry: dict[str, Any], where: str, declaration: Path, drives: Path) -> RealDrive:
    """A description is a name in the folder `drives`, or a file beside the declaration."""
    named = str(entry["description"])
    file = declaration.parent / named if named.endswith(".toml") else drives / f"{named}.toml"
    bounds = entry.get("bounds", {})
    drive = _described(
        file,
        entry["trace"],
        {name: Word(word["words"], word["from"]) for name, word in entry["run"].items()},
        (bounds.get("demerit_ms", math.inf), bounds.get("mean_percent", math.inf)),
        declaration.name,
    )
    _check_against_description(drive, where)
    return drive


def _described(file: Path, trace: str, run: dict[str, Word], bounds: tuple[float, float], declared_in: str) -> RealDrive:
    description = load_toml(file, "give the name of an existing file")
    published = description.get("published", {})
    for table, keys in NEEDED.items():
        for key in keys:
            if key not in published.get(table, {}):
                raise FidelityError(f"{file}: [published.{table}]: no {key}, which says how the real drive was used; add it")
    return RealDrive(
        description=file.stem,
        trace=trace,
        run=run,
        demerit_bound_ms=bounds[0],
        mean_bound_percent=bounds[1],
        published=published,
        design=description["design"],
        title=description["name"],
        file=file,
        declared_in=declared_in,
    )


@told_as(FidelityError)
def undeclared(file: Path, trace: Path) -> RealDrive:
    """A drive and a trace that nobody has declared: all words come from the description. Raises FidelityError.

    Where it has no bus, the drive's own stands in until the trace's reads from the buffer are known (with_bus).
    """
    drive = _described(file, str(trace.resolve()), {}, (math.inf, math.inf), file.name)
    words = {
        "policy": Word("fcfs", "measured-load"),
        "controller": Word("published" if drive.published.get("overheads_ms") else "own", "description"),
        "cache": Word(expected_cache(drive.published), "description"),
    }
    bus = expected_bus(drive)
    if bus:
        return replace(drive, run=words | {"bus": Word(bus, "description")})
    own_ns = int(drive.design.get("bus", {}).get("sync_period_ns", 100))
    return replace(drive, run=words | {"bus": Word(f"sync:{own_ns}", "design")})


def with_bus(drive: RealDrive, byte_ns: float) -> RealDrive:
    """The same with the bus that the trace's reads from the buffer tell, within what a bus can do (bus_can_do)."""
    return replace(drive, run=drive.run | {"bus": Word(f"sync:{nearest_step_ns(byte_ns)}", "trace-hits")})


def _check_against_description(drive: RealDrive, where: str) -> None:
    cache = expected_cache(drive.published)
    if drive.run["cache"].text != cache:
        raise FidelityError(f"{where}: run: cache: 'words': the description's [published.cache] says {cache}; say the same")
    if drive.run["bus"].source == "description":
        wanted = expected_bus(drive)
        if wanted is None:
            raise FidelityError(f"{where}: run: bus: 'from': the description has no bus; use trace-hits")
        if drive.run["bus"].text != wanted:
            raise FidelityError(f"{where}: run: bus: 'words': the description's [published.bus] says {wanted}; say the same")
        return
    bus = drive.run["bus"].text.split(":")
    if len(bus) != 2 or bus[0] != "sync" or not bus[1].isdigit() or int(bus[1]) == 0:
        raise FidelityError(f"{where}: run: bus: 'words': '{drive.run['bus'].text}' is no sync:PERIOD_NS; give one")


@told_as(FidelityError)
def load_declaration(file: Path, drives: Path) -> list[RealDrive]:
    """All declared drives, whose descriptions lie in the folder `drives` or beside the file. Raises FidelityError."""
    entries = take_table(file.name, load_toml(file, "give the name of an existing file"), TOP_KEYS)["drives"]
    found = [_real_drive(entry, f"{file.name}: drives {place}", file, drives) for place, entry in enumerate(entries, 1)]
    names = [drive.description for drive in found]
    for name in names:
        if names.count(name) > 1:
            raise FidelityError(f"{file.name}: drives: {name} is listed twice; leave one out")
    return found
