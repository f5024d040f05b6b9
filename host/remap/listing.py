# SPDX-License-Identifier: Apache-2.0
"""The annealing of "Disk Performance Enhancement through Markov-based Cylinder Remapping", section 4, as its listing is printed.

The energy is formula (3), the mean distance in cylinders, and the temperatures of the listing are compared with it as they
are. That is the difference to firmware/remap, whose temperatures are counts times cylinders. The annealing ends when it is
frozen, and no round without rises follows.

The listing leaves three things open. It has a closing brace too many before `else`, which is left out here. It does not give
the first temperature: here it is FIRST_TEMPERATURE, at which nearly every exchange is accepted. If a cylinder is drawn twice,
the exchange has no effect, and counts as accepted.
"""

import math
from dataclasses import dataclass

import numpy as np

from .counts import Counts, Numbers
from .markov import weights_of

ACCEPTS_ENOUGH, REJECTS_ENOUGH, TRIALS_ENOUGH = 2000, 5000, 50_000  # EQUILIBRIUM
FROZEN_BELOW, FROZEN_IF_NONE = 0.5, 1.0  # FROZEN
COOLING = 0.8
# No exchange changes the mean distance by more than twice the busiest cylinder's share times the number of cylinders. On a
# day of the paper's size that is some 100 cylinders.
FIRST_TEMPERATURE = 100.0
LEAST = math.ulp(0.0)  # a limit above 0
DRAWN = 22  # after what host/experiment/trace_load.py draws from a seed


@dataclass(frozen=True)
class Listing:
    """The result: the slot of each group, the temperatures, and the exchanges that were tried and accepted."""

    slots: Numbers
    temperatures: tuple[float, ...]
    trials: int
    accepts: int


def neighbours_of(counts: Counts) -> list[list[tuple[int, float]]]:
    """For each group the other groups before or after it, each with pi_i rho_ij of both directions."""
    both: list[dict[int, float]] = [{} for _ in range(counts.groups)]
    for (a, b, _), weight in zip(counts.pairs.tolist(), weights_of(counts).tolist(), strict=True):
        if a != b:
            both[a][b] = both[a].get(b, 0.0) + weight
            both[b][a] = both[b].get(a, 0.0) + weight
    return [sorted(one.items()) for one in both]


def _rise(place: list[int], one: int, other: int, neighbours: list[list[tuple[int, float]]]) -> float:
    """What an exchange of two groups adds to the energy. Their own distance stays."""
    a, b = place[one], place[other]
    rise = 0.0
    for group, weight in neighbours[one]:
        if group != other:
            at = place[group]
            rise += weight * (abs(b - at) - abs(a - at))
    for group, weight in neighbours[other]:
        if group != one:
            at = place[group]
            rise += weight * (abs(a - at) - abs(b - at))
    return rise


def anneal(counts: Counts, start: Numbers, seed: int, first_temperature: float = FIRST_TEMPERATURE) -> Listing:
    """Anneals from an arrangement of groups."""
    neighbours, place = neighbours_of(counts), start.tolist()
    draw = np.random.Generator(np.random.PCG64([seed, DRAWN]))
    temperature, accepts = first_temperature, 0
    temperatures, trials, all_accepts = [], 0, 0
    while not (temperature < FROZEN_BELOW or (temperature < FROZEN_IF_NONE and accepts == 0)):
        temperatures.append(temperature)
        ones, others = draw.integers(0, counts.groups, (2, TRIALS_ENOUGH + 1)).tolist()
        # rand < e^(-E / T) is the same as E < -T ln rand. No draw is 1, so an exchange that adds nothing is always accepted.
        most = (-temperature * np.log1p(-draw.random(TRIALS_ENOUGH + 1))).tolist()
        accepts = rejects = 0
        for one, other, limit in zip(ones, others, most, strict=True):
            if one == other or _rise(place, one, other, neighbours) < max(limit, LEAST):
                place[one], place[other] = place[other], place[one]
                accepts += 1
            else:
                rejects += 1
            if accepts >= ACCEPTS_ENOUGH and rejects >= REJECTS_ENOUGH:
                break
        trials, all_accepts = trials + accepts + rejects, all_accepts + accepts
        temperature *= COOLING
    return Listing(np.array(place, dtype=np.int64), tuple(temperatures), trials, all_accepts)
