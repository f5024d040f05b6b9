# SPDX-License-Identifier: Apache-2.0
"""A natural workload: a first-order Markov chain on virtual cylinders, made of a file system's structure.

The trace of "Disk Performance Enhancement through Markov-based Cylinder Remapping" is lost. What its sections 1 and 2 say of the
system is kept. Disk allocation regions hold inodes, and blocks of a file are often accessed right after its inode.

Structure, for N virtual cylinders (vcs) from 0 on:

- 45 regions of equal size. The first vc of each has its inodes.
- 90 files, shared out to the regions in turn. Their ranks are random. Rank k has weight k^-1.4.
- A file has 1 to 40 vcs of data, as likely. If all together leave less than a twentieth of the vcs free, sizes are drawn anew.
- Four in ten files lie in their region, the others begin anywhere, as on a disk in long use. A file takes the free vcs from its
  beginning on, and passes over those of others.
- A region has the weight of its files. Each file has three habitual regions beside its own, drawn by weight.

Steps:

- From an inode vc: data of one of its files 0.80, itself 0.12, the inodes of another region 0.08. Files and regions are drawn by
  weight, the vc of a file is any.
- From a data vc: itself 0.39, the file's next vc 0.02, its region's inodes 0.45, the inodes of one of three habitual regions 0.14.
  Behind the last vc of a file comes the first.

Files, sizes, weights and places are chosen so that a day of 163,681 accesses resembles that of the comparison (README.md). It has
some 7,300 different transitions, an energy near the paper's 390 vcs, and 8 ms of seek in the mean.

`uniform` is another chain, on which all vcs are equally busy: 90 files of equal size have their vcs anywhere. From a vc: itself
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
THETA = 1.4
LARGEST_FILE = 40
SHARE_IN_REGION = 0.4
LEFT_FREE = 0.05
# From an inode vc, and from a data vc.
TO_DATA, INODE_AGAIN, OTHER_INODES = 0.80, 0.12, 0.08
DATA_AGAIN, NEXT, BACK, HABIT = 0.39, 0.02, 0.45, 0.14
UNIFORM_NEXT, UNIFORM_HABIT = 0.45, 0.16
FEWEST_VCS = REGIONS * 20  # with fewer, sizes of files would be drawn anew too often
NATURAL, UNIFORM = "natural", "uniform"
KINDS = (NATURAL, UNIFORM)
# What is drawn from a seed.
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
    """NumPy's PCG64, for one purpose."""
    return np.random.Generator(np.random.PCG64([seed, what, number]))


def row_of(steps: dict[int, float]) -> Row:
    """Of probabilities or weights, by target."""
    targets = np.array(sorted(steps), dtype=np.int64)
    weights = np.cumsum([steps[target] for target in targets.tolist()])
    cumulative = weights / weights[-1]
    cumulative[-1] = 1.0
    return Row(targets, cumulative)


def probabilities(row: Row) -> dict[int, float]:
    """Of each target."""
    return dict(zip(row.targets.tolist(), np.diff(row.cumulative, prepend=0.0).tolist(), strict=True))


@dataclass(frozen=True)
class FileSystem:
    """Which vcs are inodes, and which are whose data."""

    vcs: int
    inode: list[int]  # of each region
    region: list[int]  # of each file
    weight: list[float]  # of each file
    data: list[list[int]]  # of each file, in order


def region_starts(vcs: int) -> list[int]:
    """The first vc of each region."""
    return [region * vcs // REGIONS for region in range(REGIONS)]


def make_file_system(vcs: int, seed: int, drift: float = 0.0) -> FileSystem:
    """Of a seed. `drift` is the share of the files whose data have moved elsewhere since. Raises RemapError."""
    if vcs < FEWEST_VCS:
        raise RemapError(f"{vcs} virtual cylinders are too few for {REGIONS} regions; use {FEWEST_VCS} or more")
    draw = source(seed, STRUCTURE)
    inode = region_starts(vcs)
    region = [file % REGIONS for file in range(FILES)]
    ranks = (1 + draw.permutation(FILES)).tolist()
    # Rounded, so that no mathematical library makes a difference.
    weight = [round(rank**-THETA * 2**30) / 2**30 for rank in ranks]
    largest = max(1, LARGEST_FILE * vcs // VCS)
    sizes = draw.integers(1, largest + 1, FILES).tolist()
    while sum(sizes) > (1 - LEFT_FREE) * vcs - REGIONS:
        sizes = draw.integers(1, largest + 1, FILES).tolist()
    free = [True] * vcs
    for vc in inode:
        free[vc] = False
    data: list[list[int]] = []
    for file in range(FILES):
        at_home = bool(draw.random() < SHARE_IN_REGION)
        first, end = inode[region[file]], (*inode, vcs)[region[file] + 1]
        begin = int(draw.integers(first, end) if at_home else draw.integers(vcs))
        data.append(_take(free, begin, sizes[file]))
    _move_files(data, free, vcs, source(seed, DRIFT), drift)
    return FileSystem(vcs, inode, region, weight, data)


def _take(free: list[bool], begin: int, count: int) -> list[int]:
    """The first `count` free vcs from `begin` on, around the end. There are so many."""
    taken: list[int] = []
    for step in range(len(free)):
        vc = (begin + step) % len(free)
        if free[vc]:
            free[vc] = False
            taken.append(vc)
            if len(taken) == count:
                break
    return taken


def _move_files(data: list[list[int]], free: list[bool], vcs: int, draw: np.random.Generator, share: float) -> None:
    """One file after another takes other vcs, and leaves its own."""
    for file in draw.permutation(FILES)[: round(share * FILES)].tolist():
        taken = _take(free, int(draw.integers(vcs)), len(data[file]))
        for vc in data[file]:
            free[vc] = True
        data[file] = taken


def natural_chain(vcs: int, seed: int, drift: float = 0.0) -> Chain:
    """The chain in this file's head. Raises RemapError."""
    system = make_file_system(vcs, seed, drift)
    region_weight = [0.0] * REGIONS
    for file in range(FILES):
        region_weight[system.region[file]] += system.weight[file]
    steps: dict[int, dict[int, float]] = {}
    for region, vc in enumerate(system.inode):
        steps[vc] = _from_inodes(system, region, region_weight)
    next_vc: dict[int, int] = {}
    draw = source(seed, HABITS_DRAWN)
    for file in range(FILES):
        data, home = system.data[file], system.region[file]
        habits = _draw_regions(region_weight, home, draw)
        for vc, after in zip(data, data[1:] + data[:1], strict=True):
            next_vc[vc] = after
            steps[vc] = _added([(vc, DATA_AGAIN), (after, NEXT), (system.inode[home], BACK)]
                               + [(system.inode[habit], HABIT / HABITS) for habit in habits])  # fmt: skip
    starts = row_of({vc: weight for vc, weight in zip(system.inode, region_weight, strict=True)})
    return Chain(vcs, {vc: row_of(one) for vc, one in steps.items()}, starts, next_vc)


def _added(parts: list[tuple[int, float]]) -> dict[int, float]:
    """Probabilities of the same target add up."""
    steps: dict[int, float] = {}
    for target, probability in parts:
        steps[target] = steps.get(target, 0.0) + probability
    return steps


def _from_inodes(system: FileSystem, region: int, region_weight: list[float]) -> dict[int, float]:
    parts = [(system.inode[region], INODE_AGAIN)]
    for file in range(FILES):
        if system.region[file] == region:
            share = TO_DATA * system.weight[file] / region_weight[region] / len(system.data[file])
            parts += [(vc, share) for vc in system.data[file]]
    others = sum(region_weight) - region_weight[region]
    parts += [
        (system.inode[other], OTHER_INODES * weight / others)
        for other, weight in enumerate(region_weight)
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
