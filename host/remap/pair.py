# SPDX-License-Identifier: Apache-2.0
"""Two drives with the same blocks and a map each: the copy that reads, and the time saved. A reference, without the
drives' firmware.

    pair.py FRONT_END TRACE --drive FILE.toml [--map FILE]... [--overhead MS] [--json]

Section 6 of "Disk Performance Enhancement through Markov-based Cylinder Remapping" has such pairs. Each copy is
arranged for one load, and is the primary for it. Here, each read may also use the copy that finishes it sooner. That
follows from the drive's description (access.py), as in a drive's own predictor. A write goes to both copies, and ends
with the later one.

One request is outstanding, and the next one arrives a gap after its end: the trace's gap, or none. Requests that a map
splits are read piece by piece from the same copy. Exit status: 0 done; 1 unusable input; 2 a bad command line.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.access import Access, Arm  # noqa: I001
from remap.apply import pieces
from remap.arrangement import Map, read_map
from remap.common import add_reading_options, carry_out, command, reading_words
from remap.errors import RemapError
from remap.requests import MOVES, REMEDY, UNITS_US, read_trace
from result_files import run

# The overheads of a read and of a write, in ideal electronics: 1 ms, less the drive's own time before a seek
# (kOwnBeforeReadSeek, kOwnBeforeWriteSeek of host/options).
OVERHEADS_MS = (0.944, 0.937)
US_PER_MS = 1000.0
SINGLE, PRIMARY, SOONER = "one drive", "primary", "sooner"


@dataclass(frozen=True)
class Request:
    """A request as the host sends it."""

    block: int
    blocks: int
    is_write: bool
    gap_ms: float  # time since the end of the previous request


class Copy:
    """A drive of the pair."""

    def __init__(self, access: Access, arranged: Map | None) -> None:
        self._access, self._map = access, arranged
        self._arm = Arm()

    def predict(self, at_ms: float, request: Request) -> tuple[float, Arm]:
        """The time at which the request would end here, and the arm's place then."""
        parts = [(request.block, request.blocks)] if self._map is None else pieces(self._map, request.block, request.blocks)
        now, arm = at_ms, self._arm
        for begin, count in parts:
            now, arm = self._access.serve(arm, now, begin, count, request.is_write)
        return now, arm

    def take(self, arm: Arm) -> None:
        """Takes the request, which leaves the arm at `arm`."""
        self._arm = arm


def mean_service_ms(access: Access, maps: Sequence[Map | None], requests: Sequence[Request], sooner: bool) -> float:
    """The mean service time of a pair, or of one drive. Without `sooner`, the first drive serves all reads."""
    copies = [Copy(access, one) for one in maps]
    now = total = 0.0
    for request in requests:
        now += request.gap_ms
        ends = [one.predict(now, request) for one in copies]
        if request.is_write:
            served = list(range(len(copies)))
        else:
            served = [min(range(len(copies)), key=lambda number: ends[number][0]) if sooner else 0]
        for number in served:
            copies[number].take(ends[number][1])
        end = max(ends[number][0] for number in served)
        total += end - now
        now = end
    return total / len(requests)


def read_requests(file: Path, front_end: Path, words: Sequence[str]) -> list[Request]:
    """The requests of a trace that move blocks. Raises RemapError."""
    trace = read_trace(file, front_end, words)
    at = {name: trace.at(name) for name in ("operation", "lba", "blocks", "think")}
    if None in (at["operation"], at["lba"], at["blocks"]):
        raise RemapError(f"{file}: no columns 'operation', 'lba' and 'blocks'; {REMEDY}")
    scale = UNITS_US.get(trace.value("time-unit", "us"), 1.0) / US_PER_MS
    requests, gap = [], 0.0
    for row in trace.rows:
        if row[at["operation"]] in MOVES:
            requests.append(Request(int(row[at["lba"]]), int(row[at["blocks"]]), row[at["operation"]] == "W", gap))
            think = row[at["think"]] if at["think"] is not None else "-"
            gap = float(think) * scale if think != "-" else 0.0
    if not requests:
        raise RemapError(f"{file}: no request that moves blocks; {REMEDY}")
    return requests


def figures(access: Access, maps: Sequence[tuple[str, Map]], requests: Sequence[Request]) -> dict[str, float]:
    """Mean service times in milliseconds: of one drive with each map, and of pairs."""
    every: list[tuple[str, Map | None]] = [("no map", None), *maps]
    found = {f"{SINGLE}, {name}": mean_service_ms(access, [one], requests, False) for name, one in every}
    pairs = [(every[0], every[0]), *((one, one) for one in every[1:])]
    if len(maps) == 2:
        pairs.append((every[1], every[2]))
    for (name, one), (other_name, other) in pairs:
        title = f"both {name}" if name == other_name else f"{name} and {other_name}"
        found[f"{SOONER}, {title}"] = mean_service_ms(access, [one, other], requests, True)
    return found


def parser() -> Any:
    """The command line."""
    made = command("pair", "Time saved by two drives with the same blocks and a map each, if reads use the sooner one.")
    made.add_argument("input", type=Path, metavar="TRACE")
    made.add_argument("--drive", type=Path, required=True, metavar="FILE.toml", help="description of both drives")
    made.add_argument("--map", type=Path, action="append", default=[], metavar="FILE",
                      help="map of the first drive; given again: map of the second drive")  # fmt: skip
    made.add_argument("--overhead", type=float, metavar="MS",
                      help="overhead per request in ms (default: {:g} for reads, {:g} for writes)".format(*OVERHEADS_MS))  # fmt: skip
    add_reading_options(made)
    made.add_argument("--json", action="store_true", help="print the figures as JSON")
    return made


def pair(options: argparse.Namespace) -> None:
    """Prints the figures. Raises RemapError."""
    if len(options.map) > 2:
        raise RemapError(f"--map: {len(options.map)} maps; give one or two")
    access = Access(options.drive, *(OVERHEADS_MS if options.overhead is None else (options.overhead,)))
    requests = read_requests(options.input, options.front_end, reading_words(options))
    last = max(request.block + request.blocks for request in requests)
    if last > access.capacity:
        raise RemapError(f"{options.input}: block {last - 1} is past the drive's {access.capacity} blocks; give a trace of this drive")
    found = figures(access, [(file.stem, read_map(file)) for file in options.map], requests)
    if options.json:
        print(json.dumps(found))
        return
    plain = next(iter(found.values()))
    for name, value in found.items():
        print(f"{name:<40} {value:8.3f} ms  {100 * (1 - value / plain):6.1f} %")


def main(words: Sequence[str] | None = None) -> int:
    """The file's head has the exit statuses."""
    return carry_out(pair, parser(), words)


if __name__ == "__main__":
    run(main)
