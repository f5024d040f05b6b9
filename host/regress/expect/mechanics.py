# SPDX-License-Identifier: Apache-2.0
"""Times of a drive's mechanics in closed form, from its description alone: seek, settling, head switch, rotation.

    seek(d)      the published rows, straight lines between them, or the published formula; settling is part of it
    positioning  max(seek(d), head switch), and for a write its settling on top; 0 where nothing moves
    angle(t)     t / period, and 0 at time 0: the platter turns evenly, at the published speed and the copy's own error

Times in picoseconds, exact; angles in revolutions. Sources: description.hpp has the curve's definition, head_stack.hpp
the overlap of head switch and seek (DiskSim 4.0's mechanics). No code of the simulator is used.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

PS_PER_MS = 10**9


class Positioning(NamedTuple):
    """The times of one movement, ps."""

    seek: int  # settling included
    head_switch: int  # the part beyond the seek
    write_settle: int

    @property
    def total(self) -> int:
        """The time until the sector may pass."""
        return self.seek + self.head_switch + self.write_settle


def _nearest_ps(time_ms: float) -> int:
    return math.floor(time_ms * PS_PER_MS + 0.5)


def seek_ms(seek: dict[str, Any], distance: int) -> float:
    """The published time of a seek over `distance` cylinders; `seek` is the table [design.seek]."""
    if distance == 0:
        return 0.0
    rows, pieces = seek.get("table_ms", []), seek.get("pieces", [])
    if rows and (distance <= rows[-1][0] or not pieces):
        points = [[0, 0.0], *rows]
        right = next((number for number, row in enumerate(points) if row[0] >= distance), len(points) - 1)
        (x0, y0), (x1, y1) = points[right - 1], points[right]
        return float(y0 + (y1 - y0) * (distance - x0) / (x1 - x0))
    piece = next((one for one in pieces if distance <= one["up_to_cylinders"]), pieces[-1])
    beyond = distance - piece.get("origin_cylinders", 0)
    root = piece["sqrt_ms"] * math.sqrt(beyond) if piece.get("sqrt_ms") else 0.0
    return float(piece["constant_ms"] + root + piece.get("linear_ms", 0) * beyond)


class Mechanics:
    """The mechanics of a drive: its description's tables [design] and, for the copy's speed, [specimen]."""

    def __init__(self, design: dict[str, Any], specimen: dict[str, Any]) -> None:
        self._design = design
        ppm = Fraction(specimen.get("speed_error_ppm", 0))
        self.period_ps = Fraction(60 * 10**12) / (Fraction(design["rpm"]) * (1 + ppm / 10**6))
        self._seeks: dict[int, int] = {}

    def seek_ps(self, distance: int) -> int:
        """The seek over `distance` cylinders, settling included."""
        if distance not in self._seeks:
            self._seeks[distance] = _nearest_ps(seek_ms(self._design["seek"], distance))
        return self._seeks[distance]

    @property
    def write_settle_ps(self) -> int:
        """Settling before a write that follows a movement. A published time below 0 compares whole seeks as a host times them.
        """
        return max(_nearest_ps(self._design["write_settle_ms"]), 0)

    def positioning(self, start: tuple[int, int], end: tuple[int, int], is_write: bool) -> Positioning:
        """The movement from one (cylinder, head) to another."""
        if start == end:
            return Positioning(0, 0, 0)
        seek = self.seek_ps(abs(end[0] - start[0]))
        switch = _nearest_ps(self._design["head_switch_ms"]) if start[1] != end[1] else 0
        return Positioning(seek, max(switch - seek, 0), self.write_settle_ps if is_write else 0)

    def turns(self, time_ps: int) -> Fraction:
        """Revolutions since time 0."""
        return time_ps / self.period_ps
