# SPDX-License-Identifier: Apache-2.0
"""The theory of "Disk Scheduling Revisited", sections 3 and 4, in milliseconds.

Its estimates have the paper's own numbers. They approximate the closed form of the simulated fcfs, which is here, too.
"""

import math

from drive_file import Drive

# Section 4.1 and table 1: average seek, half a turn, and 4 KB.
PAPER_SEEK_MS, PAPER_ROTATION_MS, PAPER_TRANSFER_MS = 18.0, 8.3, 2.0


def fcfs_io_estimate_ms() -> float:
    """The time of a request (section 4.1): an average seek, half a turn and the transfer."""
    return PAPER_TRANSFER_MS + PAPER_ROTATION_MS + PAPER_SEEK_MS


def fcfs_utilization_estimate() -> float:
    """The utilization by section 4.1: about 7 %."""
    return PAPER_TRANSFER_MS / fcfs_io_estimate_ms()


def ssf_positioning_estimate_ms(drive: Drive, queue: int) -> float:
    """The positioning time by section 4.2: half a turn, and a seek over cylinders / queue."""
    first = drive.seek_pieces[0]
    return PAPER_ROTATION_MS + first.constant_ms + first.sqrt_ms * math.sqrt(drive.cylinders / queue)


def ssf_utilization_estimate(drive: Drive, queue: int) -> float:
    """Section 4.2 with the transfer added. Queues below 4 have the value of fcfs, as the distance is too long for the
    estimate.
    """
    if queue < drive.cylinders / drive.seek_pieces[0].up_to_cylinders:
        return fcfs_utilization_estimate()
    return PAPER_TRANSFER_MS / (ssf_positioning_estimate_ms(drive, queue) + PAPER_TRANSFER_MS)


def fcfs_io_ms(drive: Drive, sectors: int) -> float:
    """Mean time of a request to a random place: the mean of the seek curve, half a turn, and the transfer.

    Every cylinder holds the same number of blocks, so distances are those between two random cylinders. Half a turn is the
    mean wait when seek times are no multiples of a sector's.
    """
    return drive.mean_seek_ms() + drive.revolution_ms / 2 + drive.transfer_ms(sectors)


def fcfs_utilization(drive: Drive, sectors: int) -> float:
    """Transfer time over the mean time of a request."""
    return drive.transfer_ms(sectors) / fcfs_io_ms(drive, sectors)
