# SPDX-License-Identifier: Apache-2.0
"""A natural workload: a first-order Markov chain on virtual cylinders, made of a file system's structure.

The trace of "Disk Performance Enhancement through Markov-based Cylinder Remapping" is lost. What its sections 1 and 2 say of the
system is kept. Disk allocation regions hold inodes, and blocks of a file are often accessed right after its inode.

Structure, for N virtual cylinders (vcs) from 0 on:

- 45 regions of equal size. The first vc of each has its inodes, the others are for data. A region's rank is random; rank k has
  weight k^-0.5.
- 40 % of the data vcs serve the region that they lie in. The others are shared out at random, as on a disk in long use: each
  serves the region of another one.
- Each region has 90 files. A file lies in one of the vcs that serve its region, any of them; several may share one. The file of
  rank k has weight k^-2.
- Each data vc has three habitual regions beside its own, drawn by their weights.

Steps:

- From an inode vc: the vc of one of its region's files 0.80, itself 0.12, the inodes of another region 0.08. Files and regions are
  drawn by weight.
- From a data vc: itself 0.39, the next vc that serves its region 0.02, the region's inodes 0.45. The inodes of one of three habitual
  regions 0.14. After the last vc of a region comes the first.

Weights and places are chosen so that a day of 163,681 accesses resembles those of the paper and of the comparison: README.md.

`uniform` is another chain, on which all vcs are equally busy. 90 files of equal size have their vcs anywhere. From a vc: itself
0.39, the file's next vc 0.45, and three habitual others 0.16 in all, each of which is a permutation. So its steady state is
uniform, and a pipe organ gains nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .counts import Counts, Numbers
from .errors import RemapError

VCS = 2181
REGIONS, FILES, HABITS = 45, 90, 3
REGION_THETA, FILE_THETA = 0.5, 2.0
SHARE_ELSEWHERE = 0.6
# Probabilities of steps from an inode vc, and from a data vc.
TO_DATA, INODE_AGAIN, OTHER_INODES = 0.80, 0.12, 0.08
DATA_AGAIN, NEXT, BACK, HABIT = 0.39, 0.02, 0.45, 0.14
UNIFORM_NEXT, UNIFORM_HABIT = 0.45, 0.16
FEWEST_VCS = REGIONS * 4
NATURAL, UNIFORM = "natural", "uniform"
KINDS = (NATURAL, UNIFORM)
# The second number of a seed: what is drawn from it.
STRUCTURE, HABITS_DRAWN, DRIFT = range(3)


@dataclass(frozen=True)
class Row:
    """Where a step from a vc goes: each target, and the probability of it or of one before it."""

    targets: Numbers
    cumulative: np.ndarray  # ends with 1


@dataclass(frozen=True)
class Chain:
    """Rows of the vcs that steps can leave; others are never reached. A walk begins at one of `starts`."""

    vcs: int
    rows: dict[int, Row]
    starts: Row
    next_vc: dict[int, int]  # of a data vc, the one that its file goes on with


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
    """Which vcs are inodes, which serve which region, and where files lie."""

    inode: list[int]  # of each region
    weight: list[float]  # of each region
    data: list[list[int]]  # of each region: the vcs that serve it, ascending
    files: list[list[int]]  # of each region: the vc of each file, the one of rank 1 first


def region_starts(vcs: int) -> list[int]:
    """The first vc of each region."""
    return [region * vcs // REGIONS for region in range(REGIONS)]


def weights_of_ranks(count: int, theta: float) -> list[float]:
    """Rounded, so that no mathematical library makes a difference."""
    return [round(rank**-theta * 2**30) / 2**30 for rank in range(1, count + 1)]


def make_file_system(vcs: int, seed: int, drift: float = 0.0) -> FileSystem:
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
    elsewhere = np.flatnonzero(draw.random(len(places)) < SHARE_ELSEWHERE)
    serves[elsewhere] = serves[draw.permutation(elsewhere)]
    data = [places[serves == region].tolist() for region in range(REGIONS)]
    files = [[own[at] for at in draw.integers(0, len(own), FILES).tolist()] for own in data]
    moves = source(seed, DRIFT)
    for own, lie in zip(data, files, strict=True):
        for file in moves.permutation(FILES)[: round(drift * FILES)].tolist():
            others = [vc for vc in own if vc != lie[file]]
            lie[file] = others[int(moves.integers(len(others)))]
    return FileSystem(inode, weight, data, files)


def natural_chain(vcs: int, seed: int, drift: float = 0.0) -> Chain:
    """The chain in this file's head. Raises RemapError."""
    system = make_file_system(vcs, seed, drift)
    steps: dict[int, dict[int, float]] = {}
    next_vc: dict[int, int] = {}
    draw = source(seed, HABITS_DRAWN)
    for region, vc in enumerate(system.inode):
        steps[vc] = _from_inodes(system, region)
        data = system.data[region]
        for one, after in zip(data, data[1:] + data[:1], strict=True):
            habits = _draw_regions(system.weight, region, draw)
            next_vc[one] = after
            steps[one] = _added([(one, DATA_AGAIN), (after, NEXT), (vc, BACK)]
                                + [(system.inode[habit], HABIT / HABITS) for habit in habits])  # fmt: skip
    starts = row_of(dict(zip(system.inode, system.weight, strict=True)))
    return Chain(vcs, {vc: row_of(one) for vc, one in steps.items()}, starts, next_vc)


def _added(parts: list[tuple[int, float]]) -> dict[int, float]:
    """Probabilities of the same target add up."""
    steps: dict[int, float] = {}
    for target, probability in parts:
        steps[target] = steps.get(target, 0.0) + probability
    return steps


def _from_inodes(system: FileSystem, region: int) -> dict[int, float]:
    ranked = weights_of_ranks(FILES, FILE_THETA)
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
    """Three different ones, by weight, without `home`."""
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
        vc: row_of(_added([(vc, DATA_AGAIN), (next_vc[vc], UNIFORM_NEXT)] + [(one[vc], UNIFORM_HABIT / HABITS) for one in habits]))
        for vc in range(vcs)
    }
    return Chain(vcs, rows, row_of(dict.fromkeys(range(vcs), 1.0)), next_vc)


def estimated_chain(counts: Counts) -> Chain:
    """Steps as often as they were counted. A group that nothing followed leads to any, by its visits. Raises RemapError."""
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
    if kind == NATURAL:
        return natural_chain(vcs, seed, drift)
    if drift:
        raise RemapError("--drift: files move in the natural workload alone; leave it out")
    return uniform_chain(vcs, seed)
