# SPDX-License-Identifier: Apache-2.0
"""All findings of a report: each run by itself, beside another run, and beside a real drive."""

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

STRETCHES = 220  # stretches of the longest run, at most; all runs have stretches of this length
QUANTILES = 400  # points of a Q-Q plot
NICE = (1, 2, 5)


@dataclass(frozen=True)
class Realism(Beside):
    """A run beside the real drive whose times are in its trace."""

    quantiles: Quantiles


@dataclass
class Findings:
    """All contents of the page."""

    runs: list[Measures]
    bus_shares: list[float | None]
    pairs: list[Paired]
    obstacles: list[tuple[str, str]]  # pairs of a run and the reason why its commands are not compared with another's
    realism: list[Realism]


def stretch_ps(longest_ps: int) -> int:
    """The length of a stretch: the least of 1, 2, 5, 10, ... ps that cuts the run into at most STRETCHES."""
    width = 1
    while True:
        for step in NICE:
            if width * step * STRETCHES >= longest_ps:
                return width * step
        width *= 10


def compare_with_real(place: int, run: RunFolder, commands: Commands) -> Realism | None:
    """The comparison with the real drive; None when the trace has no measured times. Both times are from submission to
    completion.
    """
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
    """Compares the run with the first earlier run of the same drive and requests. Without one, the page has the reason."""
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

    Only the commands of one run are in memory, and those of the references: one run for each drive and trace.
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
