# SPDX-License-Identifier: Apache-2.0
"""Small traces from a seed: the `[load.synthetic]` table of a scenario, for its expectations.

The same table makes the same bytes on every machine, with every Python, and in the simulator (host/scenario/requests_text.cpp).
Of the generator only random() is used, whose sequence Python promises to keep. The computations are those that IEEE 754 rounds
exactly. The one exception is the logarithm in arrival times, which is rounded to nanoseconds.

    uniform      every block of the span is as likely as any other
    sequential   each request begins where the one before ended, and again at the span's beginning after its end
    zipf         the span in 256 regions; the k-th most popular, in an order of chance, is 1/k as likely as the first
"""

import math
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import write_text  # noqa: E402
from scenario_keys import PICOSECONDS, time_ps  # noqa: E402

REGIONS = 256
PATTERNS = ("uniform", "sequential", "zipf")


@dataclass(frozen=True)
class Synthetic:
    """The description of a synthetic trace. Addresses and lengths are in blocks."""

    pattern: str  # one of PATTERNS
    requests: int
    span: int  # how many blocks the trace touches, from `first` on
    first: int = 0
    seed: int = 1
    blocks: tuple[int, ...] = (8,)  # lengths, each as likely as any other
    write_share: float = 0.0
    flush_every: int = 0  # a flush after this many requests; 0: none
    gap_us: float = 0.0  # mean time between arrivals, which are a Poisson process; 0: closed loop
    deadline_ms: tuple[float, ...] = ()  # range after the arrival, each time as likely; none: all best effort
    best_effort_share: float = 0.0  # share of requests without a deadline, if others have one
    streams: int = 0  # number of streams; the last ones, in the share of best effort, are best effort throughout; 0: no
                      # streams
    priorities: tuple[int, ...] = ()  # priorities of requests of streams, each as likely; none: 0

    @classmethod
    def of(cls, table: dict[str, Any]) -> "Synthetic":
        """Takes the table. Its values are those that the simulator accepts. Raises TypeError and ValueError."""
        given = {"pattern": "uniform", "requests": 1000, **table}
        if gap := time_ps(given.pop("gap", "0s")):
            given["gap_us"] = gap / PICOSECONDS["us"]
        if deadline := given.pop("deadline", ""):
            given["deadline_ms"] = tuple(time_ps(end) / PICOSECONDS["ms"] for end in deadline.split(".."))
        for name in ("blocks", "priorities"):
            if name in given:
                given[name] = tuple(given[name]) if isinstance(given[name], (list, tuple)) else (given[name],)
        return cls(**given)


class _Places:
    """The places of requests."""

    def __init__(self, kind: Synthetic, chance: random.Random) -> None:
        self._kind, self._chance, self._next = kind, chance, 0
        self._regions = sorted(range(REGIONS), key=lambda _: chance.random())
        self._reached: list[float] = []  # cumulative weights of the regions
        total = 0.0
        for rank in range(REGIONS):
            total += 1 / (rank + 1)
            self._reached.append(total)

    def _region(self) -> int:
        drawn = self._chance.random() * self._reached[-1]
        return self._regions[next(rank for rank, reached in enumerate(self._reached) if drawn < reached)]

    def take(self, blocks: int) -> int:
        """The first block of a request with this many blocks, counted from the begin of the span."""
        room = self._kind.span - blocks
        if self._kind.pattern == "sequential":
            begin = self._next if self._next <= room else 0
            self._next = begin + blocks
            return begin
        if self._kind.pattern == "zipf":
            width = max(self._kind.span // REGIONS, 1)
            return min(self._region() * width + int(self._chance.random() * width), room)
        return int(self._chance.random() * (room + 1))


def _deadline(kind: Synthetic, chance: random.Random) -> str:
    """The deadline in nanoseconds; '-' for none. Loads without deadlines draw no random number here."""
    if not kind.deadline_ms or chance.random() < kind.best_effort_share:
        return "-"
    least, most = kind.deadline_ms
    return str(round((least + chance.random() * (most - least)) * 1e6))


def _of_stream(kind: Synthetic, chance: random.Random) -> str:
    """Deadline, stream and priority of a request."""
    stream = int(chance.random() * kind.streams)
    least, most = kind.deadline_ms
    is_real_time = stream < kind.streams * (1 - kind.best_effort_share)
    deadline = str(round((least + chance.random() * (most - least)) * 1e6)) if is_real_time else "-"
    priority = kind.priorities[int(chance.random() * len(kind.priorities))] if kind.priorities else 0
    return f"{deadline} {stream} {priority}"


def trace_text(kind: Synthetic) -> str:
    """The trace in headstack's own format (traces/README.md)."""
    chance = random.Random(kind.seed)
    places = _Places(kind, chance)
    whose = " stream priority" if kind.streams else ""
    lines = [
        f"headstack-trace {4 if kind.deadline_ms else 1}",
        "time-unit ns",
        f"loop {'open' if kind.gap_us else 'closed'}",
        f"source {kind.pattern}, seed {kind.seed}",
        *([f"columns time operation lba blocks deadline{whose}"] if kind.deadline_ms else []),
        "requests",
    ]
    now_ns = 0
    for number in range(kind.requests):
        if kind.gap_us:
            now_ns += round(-math.log(1 - chance.random()) * kind.gap_us * 1000)
        time = str(now_ns) if kind.gap_us else "-"
        if kind.flush_every and number % kind.flush_every == kind.flush_every - 1:
            lines.append(f"{time} F 0 0 -{' - 0' if kind.streams else ''}")
            continue
        operation = "W" if chance.random() < kind.write_share else "R"
        blocks = kind.blocks[int(chance.random() * len(kind.blocks))]
        place = kind.first + places.take(blocks)
        wanted = _of_stream(kind, chance) if kind.streams else _deadline(kind, chance)
        lines.append(f"{time} {operation} {place} {blocks} {wanted}")
    return "\n".join(lines) + "\n"


def write_trace(file: Path, kind: Synthetic) -> None:
    """Writes the file."""
    write_text(file, trace_text(kind))
