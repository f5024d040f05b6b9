# SPDX-License-Identifier: Apache-2.0
"""Requests of walkers on a chain. Each walker reads a piece of its present vc, one request after another.

A piece has `blocks` blocks, which divide the blocks of a vc. Each piece of the vc is equally likely. With `in_order`,
files are read in order. A step that stays on a data vc reads its next piece, and the first one after the last. A step
to it from another vc reads its first piece.

Each walker has one request outstanding, and a gap before its next one. The numbers come from NumPy's PCG64, seeded with
seed, walk and walker: a shorter walk is the beginning of a longer one.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from result_files import writing

from .chain import Chain
from .counts import Numbers
from .errors import RemapError

# The second number of a seed says what is drawn from it; chain.py uses lower ones.
STEPS, PIECES, GAPS = range(10, 13)
SHORTEST_GAP_MS = 0.1  # a gap of 0 is uniform below this, as no host answers at once
STEADY = 0.1  # a steady gap is uniform within this share of its mean
MOST_GAP_MS = 86_400_000.0
FORMS = ("steady", "exp")


@dataclass(frozen=True)
class Gap:
    """The gap from the end of a request to its walker's next request."""

    form: str  # one of FORMS
    mean_ms: float

    @staticmethod
    def parse(text: str) -> "Gap":
        """Parses MS, steady:MS or exp:MS. A gap of 0 is uniform from 0 to 0.1 ms. Raises ValueError."""
        form, colon, number = text.partition(":")
        if not colon:
            form, number = "steady", text
        mean_ms = float(number)
        if form not in FORMS or not 0 <= mean_ms <= MOST_GAP_MS or (form == "exp" and mean_ms == 0):
            raise ValueError(text)
        return Gap(form, mean_ms)

    def draw_us(self, draw: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Draws `count` gaps, in microseconds."""
        if self.form == "exp":
            return draw.exponential(self.mean_ms * 1000, count)
        if self.mean_ms == 0:
            return draw.uniform(0, SHORTEST_GAP_MS * 1000, count)
        return draw.uniform((1 - STEADY) * self.mean_ms * 1000, (1 + STEADY) * self.mean_ms * 1000, count)


@dataclass(frozen=True)
class Walk:
    """The parameters of a walk. `number` distinguishes walks of one seed: one to learn from, others for tests."""

    seed: int
    number: int = 0
    count: int = 163_681  # the requests of all walkers together
    walkers: int = 1
    gap: Gap = Gap("steady", 0.0)
    in_order: bool = False

    def source(self, what: int, walker: int) -> np.random.Generator:
        """A random source for one purpose of one walker."""
        return np.random.Generator(np.random.PCG64([self.seed, what, self.number, walker]))

    def share(self, walker: int) -> int:
        """The number of a walker's requests, as walkers take turns."""
        return (self.count - walker + self.walkers - 1) // self.walkers


def stream_of(chain: Chain, walk: Walk, walker: int) -> Numbers:
    """The vcs that one walker visits, in order."""
    rows = {vc: (row.targets.tolist(), row.cumulative.tolist()) for vc, row in chain.rows.items()}
    draws = walk.source(STEPS, walker).random(walk.share(walker)).tolist()
    visited: list[int] = []
    targets, cumulative = chain.starts.targets.tolist(), chain.starts.cumulative.tolist()
    for draw in draws:
        # A draw is below 1, where the last interval ends.
        vc = targets[bisect_right(cumulative, draw)]
        visited.append(vc)
        targets, cumulative = rows[vc]
    return np.array(visited, dtype=np.int64)


def pieces_of(chain: Chain, walk: Walk, walker: int, stream: Numbers, pieces: int) -> Numbers:
    """The piece of its vc that each request reads."""
    drawn = walk.source(PIECES, walker).integers(0, pieces, len(stream))
    if not walk.in_order:
        return drawn
    last, piece = -1, 0
    for index, vc in enumerate(stream.tolist()):
        if vc in chain.next_vc:
            piece = (piece + 1) % pieces if vc == last else 0
            drawn[index] = piece
        last = vc
    return drawn


@dataclass(frozen=True)
class Requests:
    """The requests of all walkers, which take turns."""

    lba: Numbers
    walker: Numbers
    gap_us: NDArray[np.float64]


def make_requests(chain: Chain, walk: Walk, group_blocks: int, blocks: int, first_block: int = 0) -> Requests:
    """All requests of a walk. Raises RemapError."""
    if group_blocks % blocks != 0:
        raise RemapError(f"requests of {blocks} blocks do not divide groups of {group_blocks}; give a divisor")
    lba = np.empty(walk.count, dtype=np.int64)
    gap_us = np.empty(walk.count)
    for walker in range(walk.walkers):
        stream = stream_of(chain, walk, walker)
        pieces = pieces_of(chain, walk, walker, stream, group_blocks // blocks)
        lba[walker :: walk.walkers] = first_block + stream * group_blocks + pieces * blocks
        gap_us[walker :: walk.walkers] = walk.gap.draw_us(walk.source(GAPS, walker), len(stream))
    return Requests(lba, np.arange(walk.count, dtype=np.int64) % walk.walkers, gap_us)


def trace_lines(requests: Requests, blocks: int, closed: bool, about: str) -> Iterator[str]:
    """The trace in headstack's own format. Its loop is `think`, with an initiator for each walker, or closed without
    gaps.
    """
    if closed:
        yield f"headstack-trace 1\ntime-unit us\nloop closed\nsource {about}\nrequests\n"
        for lba in requests.lba.tolist():
            yield f"- R {lba} {blocks} -\n"
        return
    yield (
        f"headstack-trace 2\ntime-unit us\nloop think\nsource {about}\ncolumns operation lba blocks initiator think\nrequests\n"
    )
    for lba, walker, gap in zip(requests.lba.tolist(), requests.walker.tolist(), requests.gap_us.tolist(), strict=True):
        yield f"R {lba} {blocks} {walker} {math.floor(gap * 1000) / 1000:.3f}\n"


def write_walk(file: Path, requests: Requests, blocks: int, closed: bool, about: str) -> None:
    """Writes the trace of a walk. Raises OutputError."""
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.writelines(trace_lines(requests, blocks, closed, about))
