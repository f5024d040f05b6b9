# SPDX-License-Identifier: Apache-2.0
"""Estimates the effect of a change of the drive from a run, without making the change.

If a command ends later, the host sends the next one later, and the platter has turned further. That command waits less for its
sector by as much, or a revolution more if it comes too late. Reads from the buffer keep their time. Seeks, caches and schedulers
are assumed unchanged, so this is only an estimate.
"""

import numpy as np
from declaration import RealDrive
from estimates import Line
from numpy.typing import NDArray
from service_times import READ, WRITE, Commands

# What this drive takes for a command from its buffer by itself (host/options/controller_option.hpp: kOwnOverhead).
OWN_OVERHEAD_MS = 0.095


def with_changes(commands: Commands, later_ms: NDArray[np.float64], revolution_ms: float) -> NDArray[np.float64]:
    """Response times, were each command's own end `later_ms` later (earlier, when negative), all else being equal."""
    result = commands.simulated.copy()
    rotation, on_media = commands.stages["rotation"], commands.on_media
    shift = 0.0  # of the instant at which the command before ended
    for index in range(len(commands)):
        own = shift + float(later_ms[index])
        if on_media[index]:
            # The sector comes by at its own instants, the first one that is not over yet.
            missed = np.ceil((shift - rotation[index]) / revolution_ms) if shift > rotation[index] else 0.0
            early = np.floor((rotation[index] - shift) / revolution_ms) if shift < 0 else 0.0
            own = float((missed - early) * revolution_ms + later_ms[index])
        result[index] += own - shift
        shift = own
    return result


def later_departure(commands: Commands, line: Line, block_ms: float) -> NDArray[np.float64]:
    """How much later reads from the media would end, were data sent only from the instant that `line` tells."""
    reads = (commands.operation == READ) & commands.on_media
    end = line.constant + line.factors[0] * commands.stages["media_transfer"] + commands.blocks * block_ms
    return np.where(reads, np.maximum(end - (commands.simulated - commands.before_media), 0.0), 0.0)


def cheaper_commands(commands: Commands, drive: RealDrive) -> NDArray[np.float64]:
    """How much earlier (negative) what comes from the buffer would end, did a command cost no more than was published.

    Only where the published time is below our own, which drive.controller cannot take away.
    """
    published = drive.published["overheads_ms"]
    after_read = max(OWN_OVERHEAD_MS - published["read_hit_after_read"] - published["read_completion"], 0.0)
    hits = (commands.operation == READ) & ~commands.on_media & ~commands.behind(WRITE)
    return np.where(hits, -after_read, 0.0)
