# SPDX-License-Identifier: Apache-2.0
"""The requests of an experiment: seeded, uniform over the drive's blocks.

A cylinder's sectors are numbered track after track, and divided into blocks: block i of a cylinder begins at its sector i *
sectors. A block may cross the end of a track, but not that of a cylinder. Sectors left over at the end of a cylinder stay unused.
Logical blocks have the same order (no spares). So block b begins at logical block (b // per_cylinder) * sectors_per_cylinder + (b
% per_cylinder) * sectors.

The numbers come from NumPy's PCG64, seeded with the values by which traces differ.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from drive_file import Drive
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import writing  # noqa: E402

LINES_AT_A_TIME = 50_000


@dataclass(frozen=True)
class Layout:
    """The division of a drive into blocks of `sectors`."""

    sectors_per_cylinder: int
    cylinders: int
    sectors: int

    @property
    def per_cylinder(self) -> int:
        """Whole blocks in a cylinder."""
        return self.sectors_per_cylinder // self.sectors

    @property
    def blocks(self) -> int:
        """Whole blocks on the drive."""
        return self.per_cylinder * self.cylinders

    def first_sector(self, block: NDArray[np.int64]) -> NDArray[np.int64]:
        """The logical block at which a block begins."""
        return block // self.per_cylinder * self.sectors_per_cylinder + block % self.per_cylinder * self.sectors


def layout_on(drive: Drive, sectors: int) -> Layout:
    """The layout of blocks with this many sectors on a drive."""
    return Layout(drive.sectors_per_cylinder, drive.cylinders, sectors)


def random_blocks(layout: Layout, count: int, entropy: tuple[int, ...]) -> NDArray[np.int64]:
    """`count` random blocks, all equally likely."""
    source = np.random.Generator(np.random.PCG64(entropy))
    return source.integers(0, layout.blocks, count)


def crowded_blocks(layout: Layout, count: int, cylinders: int, share: float, entropy: tuple[int, ...]) -> NDArray[np.int64]:
    """`count` random blocks, of which a share lies on the first so many cylinders, and the others behind them."""
    source = np.random.Generator(np.random.PCG64(entropy))
    border = cylinders * layout.per_cylinder
    inside, outside = source.integers(0, border, count), source.integers(border, layout.blocks, count)
    return np.where(source.random(count) < share, inside, outside)


def random_pieces(layout: Layout, lengths: NDArray[np.int64], entropy: tuple[int, ...]) -> NDArray[np.int64]:
    """First sectors of requests with these lengths: at a random place of a random cylinder, whose end they do not cross."""
    source = np.random.Generator(np.random.PCG64(entropy))
    cylinders = source.integers(0, layout.cylinders, len(lengths))
    return cylinders * layout.sectors_per_cylinder + source.integers(0, layout.sectors_per_cylinder - lengths + 1)


def random_lengths(count: int, mean: int, entropy: tuple[int, ...]) -> NDArray[np.int64]:
    """Lengths of 1 to 2 mean - 1, all equally likely."""
    return np.random.Generator(np.random.PCG64(entropy)).integers(1, 2 * mean, count)


def order_of_host(blocks: NDArray[np.int64], cylinders: NDArray[np.int64], queue: int, policy: str) -> NDArray[np.int64]:
    """The blocks in the order in which a host sends them that keeps `queue` of them waiting and chooses the next one itself.

    `policy`: fcfs, or sstf (the nearest cylinder from the one sent last, the oldest of several). The first block is sent first.
    """
    if policy == "fcfs":
        return blocks
    waiting = np.arange(1, min(queue, len(blocks) - 1) + 1)
    order, at = [0], cylinders[0]
    for newest in range(queue + 1, queue + len(blocks)):
        place = int(np.argmin(np.abs(cylinders[waiting] - at)))
        order.append(int(waiting[place]))
        at = cylinders[waiting[place]]
        waiting = np.delete(waiting, place)
        if newest < len(blocks):
            waiting = np.append(waiting, newest)
    return blocks[order]


def think_times_us(count: int, mean_us: float, entropy: tuple[int, ...]) -> NDArray[np.float64]:
    """Exponential think times."""
    return np.random.Generator(np.random.PCG64(entropy)).exponential(mean_us, count)


def poisson_arrivals_us(count: int, mean_gap_us: float, entropy: tuple[int, ...]) -> NDArray[np.float64]:
    """Arrival times of a Poisson process; the first after one gap."""
    source = np.random.Generator(np.random.PCG64(entropy))
    return np.cumsum(source.exponential(mean_gap_us, count))


def _lines(lbas: NDArray[np.int64], sectors: int, arrivals_us: NDArray[np.float64] | None) -> Iterator[str]:
    for begin in range(0, len(lbas), LINES_AT_A_TIME):
        part = lbas[begin : begin + LINES_AT_A_TIME].tolist()
        if arrivals_us is None:
            yield "".join(f"- R {lba} {sectors} -\n" for lba in part)
        else:
            times = arrivals_us[begin : begin + LINES_AT_A_TIME].tolist()
            yield "".join(f"{time:.6f} R {lba} {sectors} -\n" for time, lba in zip(times, part, strict=True))


def write_trace(
    file: Path, lbas: NDArray[np.int64], sectors: int, arrivals_us: NDArray[np.float64] | None = None
) -> None:
    """Writes reads of `sectors` at `lbas` in headstack's own format: a closed loop, or open with times in microseconds."""
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.write(f"headstack-trace 1\ntime-unit us\nloop {'closed' if arrivals_us is None else 'open'}\nrequests\n")
        out.writelines(_lines(lbas, sectors, arrivals_us))


def write_requests(
    file: Path, lbas: NDArray[np.int64], sectors: int, is_write: NDArray[np.bool_], deadlines_us: NDArray[np.float64] | None = None
) -> None:
    """Writes reads and writes of `sectors` at `lbas` for a closed loop. Deadlines count from the submission, in microseconds."""
    deadlines = ["-"] * len(lbas) if deadlines_us is None else [f"{deadline:.6f}" for deadline in deadlines_us.tolist()]
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.write("headstack-trace 1\ntime-unit us\nloop closed\nrequests\n")
        rows = zip(is_write.tolist(), lbas.tolist(), deadlines, strict=True)
        out.writelines(f"- {'W' if write else 'R'} {lba} {sectors} {deadline}\n" for write, lba, deadline in rows)


def write_terminals(
    file: Path, lbas: NDArray[np.int64], lengths: NDArray[np.int64], thinks_us: NDArray[np.float64], terminals: int
) -> None:
    """Writes reads of so many terminals, in turn. A terminal's next read follows its think time, in microseconds, after the last."""
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.write("headstack-trace 2\ntime-unit us\nloop think\ncolumns operation lba blocks initiator think\nrequests\n")
        rows = zip(lbas.tolist(), lengths.tolist(), thinks_us.tolist(), strict=True)
        out.writelines(f"R {lba} {length} {i % terminals} {think:.6f}\n" for i, (lba, length, think) in enumerate(rows))
