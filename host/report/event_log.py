# SPDX-License-Identifier: Apache-2.0
"""What only a run's event log tells: how long the bus was in use."""

import re
import sys
from pathlib import Path

from run_folder import RunError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from clock import CLOCK_PS  # noqa: E402

PIECE_BYTES = 8 << 20
# firmware/events.h: the drive is won as a target or wins the host back; later the bus is free again.
TAKEN, FREE = (b"SELECTED", b"RESELECTED"), b"BUS_FREE"
EVENT = re.compile(rb"^(\d+) (SELECTED|RESELECTED|BUS_FREE) ", re.MULTILINE)


def bus_share(file: Path, begin_ps: int, end_ps: int) -> float | None:
    """Share of the time from begin to end in which the bus was the drive's; None without an event log.

    From the firmware's word of a selection to its word of the free bus: arbitration before it is not in it. Raises
    RunError.
    """
    if not file.exists() or end_ps <= begin_ps:
        return None
    used, taken_at = 0, None
    try:
        with file.open("rb") as lines:
            while text := lines.read(PIECE_BYTES):
                text += lines.readline()
                for event in EVENT.finditer(text):
                    at = min(max(int(event[1]) * CLOCK_PS, begin_ps), end_ps)
                    if event[2] in TAKEN:
                        taken_at = at
                    elif taken_at is not None:
                        used += at - taken_at
                        taken_at = None
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; repeat the run") from None
    return used / (end_ps - begin_ps)
