# SPDX-License-Identifier: Apache-2.0
"""The requests of a case, read from its trace's file.

All cases have traces in headstack's own format (traces/README.md). This reader is independent of the simulator's, whose result is
compared with it. Numbers count from 0, as in the records.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from errors import RegressError

UNITS_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
COLUMNS = ("time", "operation", "lba", "blocks", "deadline")
OPERATIONS = {"R": "read", "W": "write", "F": "flush"}


@dataclass(frozen=True)
class Asked:
    """A request. `arrival_ps`: since the trace's beginning; None in a closed loop."""

    number: int
    arrival_ps: int | None
    operation: str
    lba: int
    blocks: int
    deadline_ps: int | None = None  # after the arrival; None: best effort
    stream: int = 0
    priority: int = 0  # 0: none is given

    def overlaps(self, other: "Asked") -> bool:
        """Whether the two have a block in common."""
        return self.lba < other.lba + other.blocks and other.lba < self.lba + self.blocks


@dataclass(frozen=True)
class Trace:
    """A trace, and the loop that its file declares."""

    loop: str
    requests: list[Asked]


def _request(number: int, line: str, columns: tuple[str, ...], unit_ps: int) -> Asked:
    fields = dict(zip(columns, line.split(), strict=True))
    time = fields.get("time", "-")
    arrival = None if time == "-" else int(Decimal(time) * unit_ps)
    due = fields.get("deadline", "-")
    deadline = None if due == "-" else int(Decimal(due) * unit_ps)
    stream = fields.get("stream", "-")
    return Asked(
        number, arrival, OPERATIONS[fields["operation"]], int(fields["lba"]), int(fields["blocks"]), deadline,
        0 if stream == "-" else int(stream), int(fields.get("priority", 0)),
    )  # fmt: skip


def read_trace(file: Path) -> Trace:
    """Reads a trace in headstack's own format. Raises RegressError."""
    header: dict[str, str] = {}
    requests: list[Asked] = []
    columns, unit_ps = COLUMNS, 1
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        if not lines or not lines[0].startswith("headstack-trace "):
            raise RegressError(f"{file}: expectations read headstack's own format only; convert it: headstack trace")
        place = lines.index("requests")
        for line in lines[1:place]:
            key, _, value = line.partition(" ")
            header[key] = value
        columns = tuple(header["columns"].split()) if "columns" in header else COLUMNS
        unit_ps = UNITS_PS[header["time-unit"]]
        for line in lines[place + 1 :]:
            if line and not line.startswith("#"):
                requests.append(_request(len(requests), line, columns, unit_ps))
    except OSError as error:
        raise RegressError(f"{file}: {error.strerror}") from None
    except (ValueError, KeyError) as error:
        raise RegressError(f"{file}: request {len(requests)} cannot be read: {error}") from None
    return Trace(header.get("loop", "open"), requests)


def folded(request: Asked, capacity: int) -> Asked:
    """The request by load.map fold: modulo the capacity, and moved back as far as it would reach past the end."""
    if request.operation == "flush":
        return request
    return replace(request, lba=max(0, min(request.lba % capacity, capacity - request.blocks)))
