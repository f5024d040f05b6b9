# SPDX-License-Identifier: Apache-2.0
"""Compares the rotation of the real platter with the simulated one, by angles from the times at which commands end.

Think times are equal on both drives. So the sum of (simulated - real) up to a command is the time by which the simulated drive
ends it later. A write ends with its last sector under the head. Modulo a revolution, that sum is the angle between the two
platters, and its change describes the real one:

- angle against time: the real spindle's speed. Of revolutions longer by e, the angle runs away by -e times the time.
- difference of two accesses' angles against the tracks between them: the real skews. Of tracks that are all skewed by
  one sector less than described, the angle changes by a sector for each track that lies between.

The quality of a guess is the coherence of the angles: the length of the mean of their unit vectors. It is 1 when all agree, about
1/sqrt(n) for n random angles, and some three times that for the best of many guesses.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from service_times import WRITE, Commands, Mask

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))

from cylinders import Cylinders  # noqa: E402

MOST_PPM = 2000  # a spindle is held to some tenths of a percent
STEPS_PER_LOBE = 8  # guesses within the width of the best one's peak
MOST_SECTORS = 4  # a skew's error that is looked for
SKEW_STEP = 0.01  # sectors
NEAR_CYLINDERS = 20  # farther apart, defects that nobody published have moved the sectors
FEWEST = 30
CHANCE = 3.0  # times 1/sqrt(n): what the best of many guesses reaches by chance
PARTS = 40  # of the drive's blocks, in each of which the angle is taken by itself


@dataclass(frozen=True)
class Guess:
    """The best value, how well it and the description's own (0) bring the angles together, and chance would."""

    value: float
    coherence: float
    as_described: float
    by_chance: float
    count: int

    @property
    def found(self) -> bool:
        """Better than chance."""
        return self.coherence > self.by_chance


def coherence(turns: NDArray[np.float64]) -> float:
    """The coherence of angles in revolutions."""
    return float(np.abs(np.mean(np.exp(2j * np.pi * turns)))) if len(turns) else 0.0


def media_writes(commands: Commands) -> Mask:
    """Writes that end with the platter, not with the bus."""
    return (commands.operation == WRITE) & commands.on_media


def angles(commands: Commands, revolution_ms: float) -> NDArray[np.float64]:
    """How far the simulated platter has turned beyond the real one at the end of each command, in revolutions, not reduced."""
    return np.cumsum(commands.difference) / revolution_ms


def _best(values: NDArray[np.float64], scores: NDArray[np.float64], described: float, count: int) -> Guess:
    at = int(np.argmax(scores))
    return Guess(float(values[at]), float(scores[at]), described, CHANCE / float(np.sqrt(count)), count)


def find_speed(commands: Commands, revolution_ms: float) -> Guess | None:
    """How much longer than described the real revolution is, in millionths. None: too few writes to the media.

    The angle is compared within each of PARTS of the drive, where a wrong skew or a defect shifts all alike.
    """
    chosen = media_writes(commands)
    if chosen.sum() < FEWEST:
        return None
    turns = angles(commands, revolution_ms)[chosen]
    time = (commands.submitted + commands.simulated)[chosen] / revolution_ms
    part = commands.lba[chosen] * PARTS // (int(commands.lba[chosen].max()) + 1)
    width = 1e6 / max(float(time[-1] - time[0]), 1.0)
    steps = np.arange(0, MOST_PPM, width / STEPS_PER_LOBE)
    guesses = np.concatenate((-steps[:0:-1], steps))

    def score(ppm: float) -> float:
        unit = np.exp(2j * np.pi * (turns + time * ppm * 1e-6))
        sums = np.hypot(np.bincount(part, unit.real, PARTS), np.bincount(part, unit.imag, PARTS))
        return float(sums.sum()) / len(turns)

    scores = np.array([score(ppm) for ppm in guesses])
    best = _best(guesses, scores, score(0.0), int(chosen.sum()))
    # Each part finds an angle of its own, so chance does better than for one angle.
    return Guess(best.value, best.coherence, best.as_described, CHANCE * float(np.sqrt(PARTS / best.count)), best.count)


def find_skew(commands: Commands, design: dict[str, Any], revolution_ms: float) -> Guess | None:
    """How many sectors more than described the real skew from track to track is. None: too few pairs of near writes."""
    track, sectors, _ = tracks_of(commands.lba, design)
    pair = near_to_the_one_before(commands, design) & ~commands.in_sequence
    writes = media_writes(commands)
    pair[1:] &= writes[1:] & writes[:-1]
    between = np.diff(track, prepend=track[:1])
    pair &= between != 0
    if pair.sum() < FEWEST:
        return None
    turns = commands.difference[pair] / revolution_ms
    lag = between[pair] / sectors[pair]
    guesses = np.arange(-MOST_SECTORS, MOST_SECTORS + SKEW_STEP / 2, SKEW_STEP)
    scores = np.array([coherence(turns + guess * lag) for guess in guesses])
    return _best(guesses, scores, coherence(turns), int(pair.sum()))


def near_to_the_one_before(commands: Commands, design: dict[str, Any]) -> Mask:
    """Whether a command is in the zone of the command before it, and NEAR_CYLINDERS away at most."""
    track, _, zone = tracks_of(commands.lba, design)
    result = np.zeros(len(commands), dtype=bool)
    result[1:] = (zone[1:] == zone[:-1]) & (np.abs(np.diff(track)) <= NEAR_CYLINDERS * int(design["heads"]))
    return result


def tracks_of(
    lba: NDArray[np.int64], design: dict[str, Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Track (cylinder by cylinder, head by head), sectors on it and zone, of every block; as near as Cylinders is.

    For drives whose zones share their spares, as those here do.
    """
    heads = int(design["heads"])
    cylinder = Cylinders(design).of(lba)
    ends = np.array([zone["last_cylinder"] for zone in design["zones"]])
    zone = np.searchsorted(ends, cylinder)
    sectors = np.array([entry["sectors_per_track"] for entry in design["zones"]])[zone]
    # The head, from a drive of the same tracks with one head each: its cylinders are the tracks.
    unrolled = design | {
        "heads": 1,
        "cylinders": int(design["cylinders"]) * heads,
        "zones": [
            entry
            | {
                "first_cylinder": entry["first_cylinder"] * heads,
                "last_cylinder": (entry["last_cylinder"] + 1) * heads - 1,
            }
            for entry in design["zones"]
        ],
    }
    return Cylinders(unrolled).of(lba), sectors, zone
