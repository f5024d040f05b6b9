# SPDX-License-Identifier: Apache-2.0
"""Formulas (1) to (9) of "Performance Evaluation of Movable Head Disk Schedulers" (Salem), section 2.

Each is given as printed, and corrected where the print cannot be right. Times are in milliseconds, distances in cylinders.
Symbols are the paper's:

    T_r  a revolution              m  sectors of a track        t  tracks of a cylinder      C  cylinders
    S_min, S_max  seek of one cylinder, and of C - 1            D = (S_max - S_min)(C - 1)
    L    mean number of requests to choose from                 L'  of those served in one sweep
    A = T_r / 2 + T_r / m: half a turn and a sector             B  sectors passed to the next request of the cylinder

What is corrected:

 - (5) has P and 1 - P exchanged. With C cylinders, the probability of the present one is 1 / C. So seek and latency belong to (C
   - 1) / C, as in (3).
 - (6) takes 1 from D E, a time times cylinders. A seek of d cylinders takes S_min + (S_max - S_min)(d - 1)/(C - 2). The mean
   distance is (C - 1) E / 2. Together: S_min + (S_max - S_min)((C - 1) E - 2) / (2 (C - 2)).
"""

from dataclasses import dataclass

from drive_file import Drive

# Bounds of L' / L in practice, by section 2.2 of the paper.
SWEEP_LOW, SWEEP_HIGH = 1.5, 1.72


@dataclass(frozen=True)
class Disk:
    """The symbols that do not depend on the load."""

    revolution_ms: float  # T_r
    sectors: int  # m
    tracks: int  # t
    cylinders: int  # C
    seek_min_ms: float  # S_min
    seek_max_ms: float  # S_max

    @classmethod
    def of(cls, drive: Drive) -> "Disk":
        """The symbols of a described drive."""
        return cls(
            drive.revolution_ms,
            drive.sectors_per_track,
            drive.heads,
            drive.cylinders,
            drive.seek_ms(1),
            drive.seek_ms(drive.cylinders - 1),
        )

    @property
    def span_ms(self) -> float:
        """The span of seek times: S_max - S_min."""
        return self.seek_max_ms - self.seek_min_ms

    @property
    def latency_ms(self) -> float:
        """A: half a turn and a sector."""
        return self.revolution_ms / 2 + self.revolution_ms / self.sectors

    @property
    def same_cylinder_sectors(self) -> float:
        """B: sectors that pass until the next request of the same cylinder is served, including its own."""
        all_sectors = self.sectors * self.tracks
        return (all_sectors - 2) * (self.sectors - 1) / (2 * (all_sectors - 1)) + 1

    @property
    def same_cylinder_ms(self) -> float:
        """The time to the next request of the same cylinder: (T_r / m) B."""
        return self.revolution_ms / self.sectors * self.same_cylinder_sectors


def service_ms(disk: Disk, seek_ms: float) -> float:
    """Formulas (1) and (2): seek, half a turn, a sector."""
    return seek_ms + disk.latency_ms


def mixed_service_ms(disk: Disk, moves: float, seek_ms: float) -> float:
    """Formula (3). `moves` is P, the probability that the next request lies on another cylinder."""
    return moves * service_ms(disk, seek_ms) + (1 - moves) * disk.same_cylinder_ms


def fcfs_seek_ms(disk: Disk) -> float:
    """Formula (4)."""
    c = disk.cylinders
    return disk.seek_min_ms + disk.span_ms * (c - 1) * (c + 1) / (3 * c**2)


def fcfs_service_printed_ms(disk: Disk) -> float:
    """Formula (5) as printed."""
    return mixed_service_ms(disk, 1 / disk.cylinders, fcfs_seek_ms(disk))


def fcfs_service_ms(disk: Disk) -> float:
    """Formula (5) with P = (C - 1) / C."""
    return mixed_service_ms(disk, (disk.cylinders - 1) / disk.cylinders, fcfs_seek_ms(disk))


def nearest_share(disk: Disk, load: float) -> float:
    """E of (6): twice the mean distance to the nearest of L requests, as a share of the disk."""
    c = disk.cylinders
    return (1 + (c / (c - 1)) ** (load + 1) / (load + 2)) / (load + 1)


def sstf_seek_printed_ms(disk: Disk, load: float) -> float:
    """Formula (6) as printed. Its 1 is taken as a millisecond times a cylinder."""
    c = disk.cylinders
    return disk.seek_min_ms + (disk.span_ms * (c - 1) * nearest_share(disk, load) - 1) / (2 * (c - 2))


def sstf_seek_ms(disk: Disk, load: float) -> float:
    """Formula (6) with correct dimensions."""
    c = disk.cylinders
    return disk.seek_min_ms + disk.span_ms * ((c - 1) * nearest_share(disk, load) - 2) / (2 * (c - 2))


def moves_share(disk: Disk, load: float) -> float:
    """F of (7) and (9): the probability that none of L requests lies on the present cylinder."""
    c = disk.cylinders
    return ((c - 1) / c) ** load


def sstf_service_printed_ms(disk: Disk, load: float) -> float:
    """Formula (7) with (6) as printed."""
    return mixed_service_ms(disk, moves_share(disk, load), sstf_seek_printed_ms(disk, load))


def sstf_service_ms(disk: Disk, load: float) -> float:
    """Formula (7) with the corrected (6)."""
    return mixed_service_ms(disk, moves_share(disk, load), sstf_seek_ms(disk, load))


def scan_seek_ms(disk: Disk, load: float, sweep_ratio: float) -> float:
    """Formula (8) for L' = sweep_ratio * L."""
    return disk.seek_min_ms + disk.span_ms / (1 + sweep_ratio * load)


def scan_service_ms(disk: Disk, load: float, sweep_ratio: float) -> float:
    """Formula (9) for L' = sweep_ratio * L."""
    return mixed_service_ms(disk, moves_share(disk, load), scan_seek_ms(disk, load, sweep_ratio))
