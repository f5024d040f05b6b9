# SPDX-License-Identifier: Apache-2.0
"""Translates each request of a trace by a map, as if the host did the remapping.

    apply.py FRONT_END TRACE --map MAP.json -o TRACE2 [--force]

A request whose blocks are apart on the media becomes several, in order. With think times or in a closed loop, each of
them follows the one before. In an open loop, they have the same arrival. The last one keeps the think time. Exit
status: 0 done; 1 unusable input; 2 a bad command line.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.arrangement import Map, read_map  # noqa: I001
from remap.common import add_force, add_reading_options, carry_out, check_outputs, command, reading_words
from remap.errors import RemapError
from remap.requests import MOVES, REMEDY, TraceText, read_trace
from result_files import run, write_text


def parser() -> Any:
    """The command line."""
    made = command("apply", "Translate the addresses of a trace by a map.")
    made.add_argument("input", type=Path, metavar="TRACE")
    made.add_argument("--map", type=Path, required=True, metavar="FILE", help="map to apply, a JSON file")
    made.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="file for the translated trace")
    add_force(made)
    add_reading_options(made)
    return made


def pieces(arranged: Map, lba: int, blocks: int) -> Iterator[tuple[int, int]]:
    """The places of the blocks, as (first block, number of blocks), in the order of the host's blocks. Adjacent places
    are one piece.
    """
    ends = [lba]
    border = lba + arranged.unit_blocks - (lba - arranged.first_block) % arranged.unit_blocks
    while border < lba + blocks:
        ends.append(border)
        border += arranged.unit_blocks
    places = arranged.place(np.array(ends, dtype=np.int64)).tolist()
    begin, length = places[0], 0
    for place, (first, last) in zip(places, zip(ends, [*ends[1:], lba + blocks], strict=True), strict=True):
        if place != begin + length:
            yield begin, length
            begin, length = place, 0
        length += last - first
    yield begin, length


def mapped(file: str, trace: TraceText, arranged: Map) -> tuple[TraceText, int]:
    """The trace with the places of a map, and the number of requests that were split. Raises RemapError."""
    at = {name: trace.at(name) for name in ("operation", "lba", "blocks", "think", "service")}
    operation, lba, blocks = at["operation"], at["lba"], at["blocks"]
    if operation is None or lba is None or blocks is None:
        raise RemapError(f"{file}: no columns 'operation', 'lba' and 'blocks'; {REMEDY}")
    rows: list[list[str]] = []
    split = 0
    for row in trace.rows:
        if row[operation] not in MOVES:
            rows.append(row)
            continue
        try:
            parts = list(pieces(arranged, int(row[lba]), int(row[blocks])))
        except ValueError as error:
            raise RemapError(f"{file}: '{' '.join(row)}': {error}; {REMEDY}") from None
        split += len(parts) > 1
        for number, (begin, length) in enumerate(parts, 1):
            part = list(row)
            part[lba], part[blocks] = str(begin), str(length)
            if at["think"] is not None and number < len(parts):
                part[at["think"]] = "0"
            if at["service"] is not None and len(parts) > 1:
                part[at["service"]] = "-"
            rows.append(part)
    return replace(trace, rows=rows), split


def trace_text(trace: TraceText) -> str:
    """The trace in headstack's own format."""
    return "\n".join([*trace.header, "requests", *(" ".join(row) for row in trace.rows)]) + "\n"


def apply(options: argparse.Namespace) -> None:
    """Writes the trace. Raises RemapError and OutputError."""
    check_outputs(options, [options.output], [options.input, options.map])
    arranged = read_map(options.map)
    trace, split = mapped(str(options.input), read_trace(options.input, options.front_end, reading_words(options)), arranged)
    write_text(options.output, trace_text(trace))
    print(f"wrote {options.output}: {len(trace.rows):,} requests; {split:,} were split")


def main(words: Sequence[str] | None = None) -> int:
    """The file's head has the exit statuses."""
    return carry_out(apply, parser(), words)


if __name__ == "__main__":
    run(main)
