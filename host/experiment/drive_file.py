# SPDX-License-Identifier: Apache-2.0
"""The properties of a drive that experiments use: geometry and speed, from the drive's description.

Angles are in sectors, distances in cylinders, times in milliseconds. Only drives with one zone can be read: the papers' drives
have the same number of sectors on every track.
"""

import json
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from errors import ExperimentError

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Simulator, said  # noqa: E402

MS_PER_MINUTE = 60_000.0
PS_PER_MS = 1_000_000_000


ANY_DRIVE = "'headstack sweep' compares policies and depths on any drive"


@dataclass(frozen=True)
class SeekPiece:
    """A piece of the seek curve, up to a distance: seek(x) = constant + sqrt * x^0.5 + linear * (x - origin)."""

    up_to_cylinders: int
    constant_ms: float
    sqrt_ms: float
    linear_ms: float
    origin_cylinders: int


@dataclass(frozen=True)
class Drive:
    """A drive whose tracks all have the same number of sectors."""

    name: str
    rpm: float
    cylinders: int
    heads: int
    sectors_per_track: int
    sector_bytes: int
    seek_pieces: tuple[SeekPiece, ...]

    @property
    def revolution_ms(self) -> float:
        """The time of one turn."""
        return MS_PER_MINUTE / self.rpm

    @property
    def sectors_per_cylinder(self) -> int:
        """Sectors on all tracks of a cylinder."""
        return self.heads * self.sectors_per_track

    def transfer_ms(self, sectors: int) -> float:
        """How long `sectors` take to pass under the head."""
        return sectors / self.sectors_per_track * self.revolution_ms

    def seek_ms(self, distance: int) -> float:
        """The published seek curve; 0 for distance 0."""
        if distance == 0:
            return 0.0
        for piece in self.seek_pieces:
            if distance <= piece.up_to_cylinders:
                return (
                    piece.constant_ms
                    + piece.sqrt_ms * distance**0.5
                    + piece.linear_ms * (distance - piece.origin_cylinders)
                )
        raise ValueError(f"{self.name}: no seek of {distance} cylinders")

    def mean_seek_ms(self) -> float:
        """The mean seek between two random cylinders, all with the same weight, equal ones included."""
        c = self.cylinders
        return sum(2 * (c - d) / c**2 * self.seek_ms(d) for d in range(1, c))


def load_drive(file: Path) -> Drive:
    """Reads a description of sim/drives. Raises ExperimentError."""
    try:
        text = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ExperimentError(f"{file}: {error}; name a drive of 'headstack drive list'") from error
    try:
        design = text["design"]
        zones = design["zones"]
        pieces = design["seek"]["pieces"]
        drive = Drive(
            name=text["name"],
            rpm=design["rpm"],
            cylinders=design["cylinders"],
            heads=design["heads"],
            sectors_per_track=zones[0]["sectors_per_track"],
            sector_bytes=design["sector_bytes"],
            seek_pieces=tuple(
                SeekPiece(
                    piece["up_to_cylinders"],
                    piece.get("constant_ms", 0.0),
                    piece.get("sqrt_ms", 0.0),
                    piece.get("linear_ms", 0.0),
                    piece.get("origin_cylinders", 0),
                )
                for piece in pieces
            ),
        )
    except KeyError as error:
        raise ExperimentError(
            f"{file}: no {error}; a paper's disk has a formula for its seeks, as eagle.toml has. {ANY_DRIVE}"
        ) from error
    if len(zones) != 1:
        raise ExperimentError(f"{file}: {len(zones)} zones; a paper's disk has one. {ANY_DRIVE}")
    return drive


def capacity_blocks(simulator: Simulator, file: Path) -> int:
    """The capacity of any drive, in blocks. Raises ExperimentError."""
    program = simulator.program.with_name("headstack")
    status, output, message = simulator.call(program, ["drive", "info", file, "--json"])
    if status != 0:
        raise ExperimentError(f"{file}: {said(status, message)}")
    return int(json.loads(output)["capacity_blocks"])
