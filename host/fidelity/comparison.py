# SPDX-License-Identifier: Apache-2.0
"""The results of a comparison of one drive with the real one, as numbers."""

from dataclasses import dataclass

import numpy as np
from declaration import RealDrive, check_bus, published_byte_ns
from demerit import Beside, beside, histogram_demerit
from errors import FidelityError
from estimates import Line, bus_line, byte_ns, departure_line
from numpy.typing import NDArray
from platter import Guess, find_skew, find_speed, near_to_the_one_before
from service_times import READ, WRITE, Commands, Mask, kinds
from what_if import cheaper_commands, later_departure, with_changes

NEAR_MS = 0.1  # a command whose time is told within this agrees
NEAR_REVOLUTION = 0.05  # of a revolution: so near to one is one
FEWEST = 10  # commands of a kind that are worth a row
# Upper ends of classes of sizes, in blocks.
SIZES = (2, 4, 8, 16, 32, 64, 128, 1 << 16)
FEWEST_HITS = 100  # for a slope that a declared period is held to


@dataclass(frozen=True)
class Agreement(Beside):
    """Some commands beside the real ones. Differences are simulated less real, in ms."""

    quartiles_ms: tuple[float, float, float]
    near_share: float
    later_by_revolution: float
    earlier_by_revolution: float


@dataclass(frozen=True)
class SizeClass:
    """Median and quartiles of the difference by size."""

    up_to: int
    count: int
    quartiles_ms: tuple[float, float, float]


@dataclass(frozen=True)
class Gain:
    """A change that was worked out, not made."""

    name: str
    demerit_ms: float
    mean_ms: float
    near_share: float


@dataclass(frozen=True)
class Comparison:
    """One drive."""

    drive: RealDrive
    commands: Commands
    event_hash: str
    whole_trace: bool  # or only its beginning
    whole: Agreement
    histogram_demerit_ms: float  # of the whole, as DiskSim counts its own
    by_kind: dict[str, Agreement]
    by_size: dict[str, list[SizeClass]]
    bus: Line | None
    bus_note: str  # what the reads from the buffer say of the bus that was declared
    departure: Line | None
    speed: Guess | None
    skew: Guess | None
    gains: list[Gain]

    @property
    def disksim_demerit_ms(self) -> float | None:
        """The demerit that DiskSim's authors published for the same commands, by histograms; None: not published."""
        return self.drive.disksim_demerit_ms if self.whole_trace else None


def _quartiles(values: NDArray[np.float64]) -> tuple[float, float, float]:
    low, middle, high = (float(one) for one in np.percentile(values, (25, 50, 75)))
    return low, middle, high


def agree(real: NDArray[np.float64], simulated: NDArray[np.float64], revolution_ms: float) -> Agreement:
    """The agreement of at least one command."""
    difference = simulated - real
    apart = difference / revolution_ms
    return Agreement(
        **vars(beside(real, simulated)),
        quartiles_ms=_quartiles(difference),
        near_share=float(np.mean(np.abs(difference) <= NEAR_MS)),
        later_by_revolution=float(np.mean(np.abs(apart - 1) <= NEAR_REVOLUTION)),
        earlier_by_revolution=float(np.mean(np.abs(apart + 1) <= NEAR_REVOLUTION)),
    )


def _by_size(commands: Commands, chosen: Mask) -> list[SizeClass]:
    """The classes of sizes with enough commands."""
    result: list[SizeClass] = []
    least = 1
    for up_to in SIZES:
        inside = chosen & (commands.blocks >= least) & (commands.blocks <= up_to)
        least = up_to + 1
        if inside.sum() >= FEWEST:
            result.append(SizeClass(up_to, int(inside.sum()), _quartiles(commands.difference[inside])))
    return result


def _sizes(commands: Commands) -> dict[str, list[SizeClass]]:
    """Classes of sizes after writes, if there are reads and writes: a read's own error would show in the next command, too."""
    read, media, behind = commands.operation == READ, commands.on_media, commands.behind(WRITE)
    chosen = {
        "reads from the buffer": read & ~media,
        "reads from the media, after a write": read & media & behind,
        "writes to the media, after a write": ~read & media & behind,
        "writes into the buffer": ~read & ~media,
    }
    classes = {name: _by_size(commands, mask) for name, mask in chosen.items()}
    return {name: rows for name, rows in classes.items() if rows}


def _gains(drive: RealDrive, commands: Commands, bus: Line | None, departure: Line | None) -> list[Gain]:
    revolution = drive.revolution_ms
    nothing = np.zeros(len(commands))
    changes = {"as it is": nothing}
    if bus is not None and departure is not None:
        changes["reads begin to leave when the real drive's do"] = later_departure(commands, departure, bus.factors[0])
    cheaper = cheaper_commands(commands, drive)
    if cheaper.any():
        changes["a command costs no more than published"] = cheaper
    gains: list[Gain] = []
    for name, later in changes.items():
        times = with_changes(commands, later, revolution)
        found = agree(commands.real, times, revolution)
        gains.append(Gain(name, found.demerit_ms, found.simulated_mean_ms, found.near_share))
    return gains if len(gains) > 1 else []


def bus_note(drive: RealDrive, bus: Line | None) -> str:
    """A note on the bus of a drive. Raises FidelityError when the bus was taken from the trace, and differs from it."""
    if bus is None or bus.given < FEWEST_HITS:
        given = "none" if bus is None else str(bus.given)
        return f"too few reads from the buffer to tell ({given}, of {FEWEST_HITS} at least)"
    told = byte_ns(bus)
    if drive.run["bus"].source == "trace-hits":
        check_bus(drive, told, "the reads from the buffer")
    if drive.run["bus"].source == "description":
        published = published_byte_ns(drive)
        return f"{bus.given} reads from the buffer say {told:.1f} ns a byte, published are {published:.1f} ns"
    return f"{bus.given} reads from the buffer say {told:.1f} ns a byte, as declared"


def compare(drive: RealDrive, commands: Commands, event_hash: str, whole_trace: bool) -> Comparison:
    """Raises FidelityError when the declared bus is not what the trace says."""
    revolution = drive.revolution_ms
    if not commands.real.mean() > 0:
        raise FidelityError(f"{drive.trace}: the measured times are 0; use a trace that was measured on a drive")
    bus = bus_line(commands)
    note = bus_note(drive, bus)
    near = near_to_the_one_before(commands, drive.design)
    departure = None if bus is None else departure_line(commands, near, bus.factors[0], revolution)
    return Comparison(
        drive=drive,
        commands=commands,
        event_hash=event_hash,
        whole_trace=whole_trace,
        whole=agree(commands.real, commands.simulated, revolution),
        histogram_demerit_ms=histogram_demerit(commands.real, commands.simulated),
        by_kind={
            name: agree(commands.real[mask], commands.simulated[mask], revolution)
            for name, mask in kinds(commands).items()
            if mask.sum() >= FEWEST
        },
        by_size=_sizes(commands),
        bus=bus,
        bus_note=note,
        departure=departure,
        speed=find_speed(commands, revolution),
        skew=find_skew(commands, drive.design, revolution),
        gains=_gains(drive, commands, bus, departure),
    )
