# SPDX-License-Identifier: Apache-2.0
"""The share of time in which the bus was in use, from a run's event log."""

import re
import sys
from pathlib import Path

from run_folder import RunError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from clock import CLOCK_PS  # noqa: E402

PIECE_BYTES = 8 << 20
# Events of firmware/events.h: the drive is selected or has reselected the host; later the bus is free again.
TAKEN, FREE = (b"SELECTED", b"RESELECTED"), b"BUS_FREE"
EVENT = re.compile(rb"^(\d+) (SELECTED|RESELECTED|BUS_FREE) ", re.MULTILINE)


def bus_share(file: Path, begin_ps: int, end_ps: int) -> float | None:
    """Share of the time from begin to end in which the drive had the bus; None without an event log.

    It counts from the firmware's event of a selection to its event of the free bus, without the arbitration before. Raises
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
