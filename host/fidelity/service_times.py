# SPDX-License-Identifier: Apache-2.0
"""The commands of a run beside the real drive's times, in the order of the trace, and what kinds of them there are.

Times in milliseconds. A real drive's time is from submission to completion, and so is ours.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))

from errors import FidelityError  # noqa: E402
from record_file import NONE, OPERATIONS, read_records, require_columns  # noqa: E402
from spread import PS_PER_MS  # noqa: E402

Mask = NDArray[np.bool_]
Times = NDArray[np.float64]

READ, WRITE = OPERATIONS.index("read"), OPERATIONS.index("write")
# Before the first sector of a command passes under its head.
BEFORE_MEDIA = ("issued", "selection", "command", "queued", "chosen", "seek", "settle", "head_switch", "rotation")
STAGES = (*BEFORE_MEDIA, "media_transfer", "bus_wait", "bus_data", "status")
MEASURED = "measured_service_ps"
COLUMNS = ("command", "operation", "lba", "blocks", "submitted_ps", "response_ps", MEASURED)


@dataclass(frozen=True)
class Commands:
    """One place for each command in every array."""

    operation: NDArray[np.int64]
    lba: NDArray[np.int64]
    blocks: NDArray[np.int64]
    submitted: Times
    real: Times
    simulated: Times
    stages: dict[str, Times]

    def __len__(self) -> int:
        return len(self.real)

    @property
    def difference(self) -> Times:
        """The simulated time less the real one."""
        return self.simulated - self.real

    @property
    def on_media(self) -> Mask:
        """Whether the command itself waited for the platter: it neither came from the buffer nor went only there."""
        return self.stages["rotation"] + self.stages["media_transfer"] > 0

    @property
    def before_media(self) -> Times:
        """The time from submission until the first sector passes."""
        return np.sum([self.stages[stage] for stage in BEFORE_MEDIA], axis=0)

    @property
    def in_sequence(self) -> Mask:
        """Whether it begins with the block after the last one of the command before."""
        result = np.zeros(len(self), dtype=bool)
        result[1:] = self.lba[1:] == self.lba[:-1] + self.blocks[:-1]
        return result

    def behind(self, operation: int) -> Mask:
        """Whether the command before has this operation. The first command has none before it."""
        result = np.zeros(len(self), dtype=bool)
        result[1:] = self.operation[:-1] == operation
        return result


def load_commands(records: Path, trace: Path) -> Commands:
    """Loads a run's records.csv. Raises RunError, and FidelityError when the trace has no measured times."""
    with records.open(encoding="utf-8") as file:
        if MEASURED not in file.readline().strip().split(","):
            raise FidelityError(f"{trace}: has no measured times; use a trace that was measured on a drive")
    require_columns(records, [*COLUMNS, *(f"{stage}_ps" for stage in STAGES)])
    pieces = list(read_records(records))
    if not pieces or sum(map(len, pieces)) == 0:
        raise FidelityError(f"{records}: no command came back; give a --limit of 1 or more")
    column = lambda name: np.concatenate([piece[name] for piece in pieces])
    order = np.argsort(column("command"), kind="stable")
    measured = column(MEASURED)[order]
    if np.any(measured == NONE):
        raise FidelityError(f"{trace}: a command has no measured time; use a trace that was measured on a drive")
    ms = lambda name: column(name)[order] / PS_PER_MS
    return Commands(
        operation=column("operation")[order],
        lba=column("lba")[order],
        blocks=column("blocks")[order],
        submitted=ms("submitted_ps"),
        real=measured / PS_PER_MS,
        simulated=ms("response_ps"),
        stages={stage: ms(f"{stage}_ps") for stage in STAGES},
    )


def kinds(commands: Commands) -> dict[str, Mask]:
    """Each command but the first is of one kind: causes differ between them, not within."""
    read, write = commands.operation == READ, commands.operation == WRITE
    follows = commands.in_sequence
    known = np.ones(len(commands), dtype=bool)
    known[0] = False
    return {
        "reads in sequence after a read": known & read & follows & commands.behind(READ),
        "other reads after a read": known & read & ~follows & commands.behind(READ),
        "reads after a write": known & read & commands.behind(WRITE),
        "writes in sequence": known & write & follows,
        "other writes after a read": known & write & ~follows & commands.behind(READ),
        "other writes after a write": known & write & ~follows & commands.behind(WRITE),
    }
