# SPDX-License-Identifier: Apache-2.0
"""A natural workload: a first-order Markov chain on virtual cylinders, made of a file system's structure.

The trace of "Disk Performance Enhancement through Markov-based Cylinder Remapping" is lost. The structure follows the
description of the system in its sections 1 and 2. Disk allocation regions hold inodes, and blocks of a file are often
accessed right after its inode.

Structure, for N virtual cylinders (vcs) from 0 on:

- 45 regions of equal size. The first vc of each has its inodes, and the others have data. Each region has a random
  rank, and rank k has the weight k^-0.5.
- A share `elsewhere` of the data vcs is shuffled, as on a disk in long use: each of them serves the region of another
  one. The others serve the region in which they lie.
- Each region has 90 files. A file lies in a random one of the vcs that serve its region, and several may share one. The
  file of rank k has the weight k^-file_theta.
- Each data vc has three habitual regions besides its own, drawn by weight.

Steps:

- An inode vc is followed by the vc of one of its region's files (0.80), itself (0.12), or the inodes of another region
  (0.08). Files and regions are drawn by weight.
- A data vc is followed by itself (`again`: 0.39), the next vc that serves its region (0.02), or the region's inodes
  (0.84 - `again`). The inodes of one of its three habitual regions follow with 0.14. The next vc after a region's last
  one is its first.

The paper does not give the three constants of a Shape. Those of `natural` were chosen so that a day of 163,681 accesses
resembles the days of the paper and of the comparison (README.md). Those of `fitted` were computed from numbers of the
paper (host/experiment/remap_fit.py).

`uniform` is another chain, on which all vcs are equally busy. 90 files of equal size have their vcs in random places. A
vc is followed by itself (0.39), by the file's next vc (0.45), or by one of three habitual others (0.16 in all). Each
habit is a permutation. So the chain's steady state is uniform, and a pipe organ gains nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .counts import Counts, Numbers
from .errors import RemapError

VCS = 2181
REGIONS, FILES, HABITS = 45, 90, 3
REGION_THETA = 0.5
# The probabilities of steps from an inode vc, and from a data vc: to itself or its inodes with AGAIN_OR_BACK.
TO_DATA, INODE_AGAIN, OTHER_INODES = 0.80, 0.12, 0.08
AGAIN_OR_BACK, NEXT, HABIT = 0.84, 0.02, 0.14
UNIFORM_AGAIN, UNIFORM_NEXT, UNIFORM_HABIT = 0.39, 0.45, 0.16
FEWEST_VCS = REGIONS * 4
NATURAL, FITTED, UNIFORM = "natural", "fitted", "uniform"
KINDS = (NATURAL, FITTED, UNIFORM)
# The second number of a seed says what is drawn from it.
STRUCTURE, HABITS_DRAWN, DRIFT = range(3)


@dataclass(frozen=True)
class Shape:
    """The free constants of a chain."""

    file_theta: float  # exponent of the weights of files
    elsewhere: float  # share of the data vcs that are shuffled
    again: float  # probability that a data vc is followed by itself


SHAPES = {
    NATURAL: Shape(file_theta=2.0, elsewhere=0.6, again=0.39),
    FITTED: Shape(file_theta=2.266, elsewhere=0.78, again=0.465),
}


@dataclass(frozen=True)
class Row:
    """A step from a vc: each target, and the probability of this target or one before it."""

    targets: Numbers
    cumulative: np.ndarray  # ends with 1


@dataclass(frozen=True)
class Chain:
    """The rows of the vcs that steps can leave; a walk reaches no others. A walk begins at one of `starts`."""

    vcs: int
    rows: dict[int, Row]
    starts: Row
    next_vc: dict[int, int]  # the vc with the next data of a data vc's file


def source(seed: int, what: int, number: int = 0) -> np.random.Generator:
    """A random source for one purpose, by NumPy's PCG64."""
    return np.random.Generator(np.random.PCG64([seed, what, number]))


def row_of(steps: dict[int, float]) -> Row:
    """The row of probabilities or weights, by target."""
    targets = np.array(sorted(steps), dtype=np.int64)
    weights = np.cumsum([steps[target] for target in targets.tolist()])
    cumulative = weights / weights[-1]
    cumulative[-1] = 1.0
    return Row(targets, cumulative)


def probabilities(row: Row) -> dict[int, float]:
    """The probability of each target."""
    return dict(zip(row.targets.tolist(), np.diff(row.cumulative, prepend=0.0).tolist(), strict=True))


@dataclass(frozen=True)
class FileSystem:
    """The vcs of inodes, the region that each vc serves, and the places of files."""

    inode: list[int]  # the vc of each region's inodes
    weight: list[float]  # each region's weight
    data: list[list[int]]  # the vcs that serve each region, ascending
    files: list[list[int]]  # the vc of each file of each region; the file of rank 1 is first


def region_starts(vcs: int) -> list[int]:
    """The first vc of each region."""
    return [region * vcs // REGIONS for region in range(REGIONS)]


def weights_of_ranks(count: int, theta: float) -> list[float]:
    """The weights of ranks, rounded so that all mathematical libraries give the same."""
    return [round(rank**-theta * 2**30) / 2**30 for rank in range(1, count + 1)]


def make_file_system(vcs: int, seed: int, drift: float = 0.0, shape: Shape = SHAPES[NATURAL]) -> FileSystem:
    """The file system of a seed. `drift` is the share of each region's files that have moved to other vcs since. Raises
    RemapError.
    """
    if vcs < FEWEST_VCS:
        raise RemapError(f"{vcs} virtual cylinders are too few for {REGIONS} regions; use {FEWEST_VCS} or more")
    draw = source(seed, STRUCTURE)
    inode = region_starts(vcs)
    ranked = weights_of_ranks(REGIONS, REGION_THETA)
    weight = [ranked[rank] for rank in draw.permutation(REGIONS).tolist()]
    places = np.setdiff1d(np.arange(vcs), inode)
    serves = np.searchsorted(inode, places, side="right") - 1
    elsewhere = np.flatnonzero(draw.random(len(places)) < shape.elsewhere)
    serves[elsewhere] = serves[draw.permutation(elsewhere)]
    data = [places[serves == region].tolist() for region in range(REGIONS)]
    files = [[own[at] for at in draw.integers(0, len(own), FILES).tolist()] for own in data]
    moves = source(seed, DRIFT)
    for own, lie in zip(data, files, strict=True):
        for file in moves.permutation(FILES)[: round(drift * FILES)].tolist():
            others = [vc for vc in own if vc != lie[file]]
            lie[file] = others[int(moves.integers(len(others)))]
    return FileSystem(inode, weight, data, files)


def natural_chain(vcs: int, seed: int, drift: float = 0.0, shape: Shape = SHAPES[NATURAL]) -> Chain:
    """The chain that this file's head describes. Raises RemapError."""
    system = make_file_system(vcs, seed, drift, shape)
    steps: dict[int, dict[int, float]] = {}
    next_vc: dict[int, int] = {}
    draw = source(seed, HABITS_DRAWN)
    for region, vc in enumerate(system.inode):
        steps[vc] = _from_inodes(system, region, shape.file_theta)
        data = system.data[region]
        for one, after in zip(data, data[1:] + data[:1], strict=True):
            habits = _draw_regions(system.weight, region, draw)
            next_vc[one] = after
            steps[one] = _added([(one, shape.again), (after, NEXT), (vc, AGAIN_OR_BACK - shape.again)]
                                + [(system.inode[habit], HABIT / HABITS) for habit in habits])  # fmt: skip
    starts = row_of(dict(zip(system.inode, system.weight, strict=True)))
    return Chain(vcs, {vc: row_of(one) for vc, one in steps.items()}, starts, next_vc)


def _added(parts: list[tuple[int, float]]) -> dict[int, float]:
    """The probability of each target; parts of the same target are added."""
    steps: dict[int, float] = {}
    for target, probability in parts:
        steps[target] = steps.get(target, 0.0) + probability
    return steps


def _from_inodes(system: FileSystem, region: int, file_theta: float) -> dict[int, float]:
    ranked = weights_of_ranks(FILES, file_theta)
    total, others = sum(ranked), sum(system.weight) - system.weight[region]
    parts = [(system.inode[region], INODE_AGAIN)]
    parts += [(vc, TO_DATA * weight / total) for vc, weight in zip(system.files[region], ranked, strict=True)]
    parts += [
        (system.inode[other], OTHER_INODES * weight / others)
        for other, weight in enumerate(system.weight)
        if other != region
    ]
    return _added(parts)


def _draw_regions(weight: list[float], home: int, draw: np.random.Generator) -> list[int]:
    """Three different regions, drawn by weight, without `home`."""
    drawn: list[int] = []
    while len(drawn) < HABITS:
        left = {region: one for region, one in enumerate(weight) if region != home and region not in drawn}
        row = row_of(left)
        drawn.append(int(row.targets[np.searchsorted(row.cumulative, draw.random(), side="right")]))
    return drawn


def uniform_chain(vcs: int, seed: int) -> Chain:
    """The chain whose vcs are equally busy. Raises RemapError."""
    if vcs < FILES:
        raise RemapError(f"{vcs} virtual cylinders are too few for {FILES} files; use {FILES} or more")
    draw = source(seed, STRUCTURE)
    places = draw.permutation(vcs)
    next_vc: dict[int, int] = {}
    for data in np.array_split(places, FILES):
        next_vc |= zip(data.tolist(), np.roll(data, -1).tolist(), strict=True)
    habits = [draw.permutation(vcs).tolist() for _ in range(HABITS)]
    rows = {
        vc: row_of(_added([(vc, UNIFORM_AGAIN), (next_vc[vc], UNIFORM_NEXT)] + [(one[vc], UNIFORM_HABIT / HABITS) for one in habits]))
        for vc in range(vcs)
    }
    return Chain(vcs, rows, row_of(dict.fromkeys(range(vcs), 1.0)), next_vc)


def estimated_chain(counts: Counts) -> Chain:
    """A chain whose steps are as frequent as in the counts. A group without a successor leads to any group, by visits.
    Raises RemapError.
    """
    if len(counts.pairs) == 0:
        raise RemapError("the counts have no pairs, so no step is known; learn from two accesses or more")
    starts = row_of({int(vc): float(counts.visits[vc]) for vc in np.flatnonzero(counts.visits)})
    rows = {group: row_of(steps) for group, steps in _steps(counts)}
    for vc in np.flatnonzero(counts.visits).tolist():
        rows.setdefault(vc, starts)
    return Chain(counts.groups, rows, starts, {})


def _steps(counts: Counts) -> Iterator[tuple[int, dict[int, float]]]:
    groups, begins = np.unique(counts.pairs[:, 0], return_index=True)
    for group, part in zip(groups.tolist(), np.split(counts.pairs, begins[1:]), strict=True):
        yield group, {target: float(count) for _, target, count in part.tolist()}


def make_chain(kind: str, vcs: int, seed: int, drift: float = 0.0) -> Chain:
    """One of KINDS. Raises RemapError."""
    if kind in SHAPES:
        return natural_chain(vcs, seed, drift, SHAPES[kind])
    if drift:
        raise RemapError(f"--drift: the chain '{kind}' has no files; leave it out, or use {' or '.join(SHAPES)}")
    return uniform_chain(vcs, seed)
