# SPDX-License-Identifier: Apache-2.0
"""Everything that a report shows of its runs: each by itself, beside another one, beside a real drive."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from commands import Commands, load_commands
from demerit import Beside, beside
from distribution_pictures import Quantiles
from event_log import bus_share
from measures import Measures, measure
from paired import Paired, find_obstacle, pair
from record_file import NONE
from run_folder import RunFolder
from spread import PS_PER_MS, even_ranks

STRETCHES = 220  # of the longest run, at most; the others have as long ones
QUANTILES = 400  # points of a Q-Q plot
NICE = (1, 2, 5)


@dataclass(frozen=True)
class Realism(Beside):
    """A run beside the real drive that its trace was measured on."""

    quantiles: Quantiles


@dataclass
class Findings:
    """Everything that the page shows."""

    runs: list[Measures]
    bus_shares: list[float | None]
    pairs: list[Paired]
    obstacles: list[tuple[str, str]]  # run, why its commands are not compared with another's
    realism: list[Realism]


def stretch_ps(longest_ps: int) -> int:
    """The least of 1, 2, 5, 10, ... ps that cuts the run into no more than STRETCHES."""
    width = 1
    while True:
        for step in NICE:
            if width * step * STRETCHES >= longest_ps:
                return width * step
        width *= 10


def compare_with_real(place: int, run: RunFolder, commands: Commands) -> Realism | None:
    """None when the trace was not measured. A real drive's time is from submission to completion, and so is ours."""
    if commands.measured is None:
        return None
    known = commands.done & (commands.measured != NONE)
    if not np.any(known):
        return None
    measured = np.sort(commands.measured[known] / PS_PER_MS)
    simulated = np.sort(commands.response[known] / PS_PER_MS)
    if not measured.mean() > 0:
        return None
    ranks = np.unique(even_ranks(len(measured), QUANTILES))
    return Realism(
        **vars(beside(measured, simulated)),
        quantiles=Quantiles(place, run.label, (ranks + 1) / len(measured), measured[ranks], simulated[ranks]),
    )


def find_partner(
    place: int, run: RunFolder, commands: Commands, earlier: Sequence[tuple[RunFolder, Commands]], findings: Findings
) -> Paired | None:
    """The run beside the first one before it of the same drive and requests; where there is none, the page says why."""
    obstacles = []
    for first, first_commands in earlier:
        obstacle = find_obstacle(first, run, first_commands, commands)
        if not obstacle:
            return pair(first, run, first_commands, commands, place)
        obstacles.append((run.label, f"with {first.label}, since {obstacle}"))
    findings.obstacles += obstacles
    return None


def examine(folders: Sequence[RunFolder]) -> Findings:
    """Reads the runs one after another. Raises RunError.

    All commands are in memory of one run, and of those that others are compared with: one for each drive and trace.
    """
    findings = Findings([], [], [], [], [])
    width = stretch_ps(max(int(run.result["elapsed_ps"]) for run in folders))
    compared_with: list[tuple[RunFolder, Commands]] = []
    for place, run in enumerate(folders):
        commands = load_commands(run)
        paired = find_partner(place, run, commands, compared_with, findings)
        wanted: list[int] = []
        if paired is None:
            compared_with.append((run, commands))
        else:
            wanted = paired.most_faster + paired.most_slower
            findings.pairs.append(paired)
        real = compare_with_real(place, run, commands)
        if real is not None:
            findings.realism.append(real)
        findings.runs.append(measure(run, commands, width, np.array(wanted, dtype=np.int64), len(folders)))
        findings.bus_shares.append(bus_share(run.event_log, commands.begin, commands.end))
    return findings
