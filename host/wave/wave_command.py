# SPDX-License-Identifier: Apache-2.0
"""headstack wave: a run's wave file in GTKWave, with the views of views.toml.

    wave_command.py view RUN [--view NAME] [--from T] [--to T] [--cmd N]
    wave_command.py shot RUN --view NAME -o FILE.png [--force] [--from T] [--to T] [--cmd N] [--width PIXELS]
    wave_command.py save RUN --view NAME -o FILE.gtkw [--force]
    wave_command.py list [--json]

RUN is a folder that `headstack run` left, with the .fst file in it, or the file itself. A time is a number with a unit:
1.5ms, 350us. Exit status: 0 done; 1 the input cannot be used; 2 the command line is wrong.
"""

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import gtkwave
import views
from errors import WaveError
from gtkwave import Span
from savefile import save_file

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from command_line import CommandParser  # noqa: E402
from result_files import OutputError, keep_inputs, keep_others, write_text  # noqa: E402
from result_files import run as run_program  # noqa: E402

GIVE_ONE = "give one that 'headstack run --wave' wrote"
# What a block begins with: its kind, and its length in 8 bytes.
BLOCK_BYTES = 9
HEADER, PACKED, UNFINISHED = b"\x00", b"\xfe", b"\xff"
CHANGES = (b"\x01", b"\x05", b"\x08")  # blocks of waves, by how they are packed
NAMES = (b"\x04", b"\x06", b"\x07")  # likewise, of names; only a closed file has one
NO_TIMES = (0, 0)
FIRST_KINDS = (HEADER, PACKED, UNFINISHED)
HEADER_LENGTH = (329).to_bytes(8, "big")

UNITS_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


def parse_time(text: str) -> int:
    """Picoseconds of "1.5ms"."""
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = text[len(digits):]
    try:
        time = Fraction(digits) * UNITS_PS[unit]
    except (ValueError, KeyError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"'{text}' is not a time: give a number and ps, ns, us, ms or s") from None
    if time < 0 or time.denominator != 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of picoseconds from 0 on")
    return int(time)


@dataclass(frozen=True)
class Recording:
    """A wave file that can be shown: what it has from when to when, in ps."""

    file: Path
    first: int
    last: int
    is_ended: bool = True  # the file was closed; else it is shown up to its last whole block


def _blocks(content: BinaryIO, size: int) -> Iterator[tuple[bytes, int, int]]:
    """Kind, place and length of each block, as fstapi.c of GTKWave defines them. The last one may be cut off."""
    place = 0
    while place < size:
        content.seek(place)
        block = content.read(BLOCK_BYTES)
        length = int.from_bytes(block[1:], "big")  # without the byte of the block's kind
        yield block[:1], place, length
        if len(block) < BLOCK_BYTES or length < BLOCK_BYTES - 1:
            return
        place += 1 + length


def _times_at(content: BinaryIO, place: int) -> tuple[int, int]:
    content.seek(place + BLOCK_BYTES)
    times = content.read(16)
    return int.from_bytes(times[:8], "big"), int.from_bytes(times[8:], "big")


def _packed_times(content: BinaryIO) -> tuple[int, int]:
    """A packed file is another one, in gzip's format, after the length of that."""
    content.seek(BLOCK_BYTES + 8)
    with gzip.open(content) as unpacked:
        times = unpacked.read(BLOCK_BYTES + 16)[BLOCK_BYTES:]
    return int.from_bytes(times[:8], "big"), int.from_bytes(times[8:], "big")


def open_recording(file: Path) -> Recording:
    """Looks at the blocks of a file: a header, then blocks to its end.

    A file whose run was killed has no times in its header, and at its end a block that is marked as unfinished. GTKWave
    shows what is before that, with the names from FILE.hier. Raises WaveError.
    """
    try:
        with file.open("rb") as content:
            size = file.stat().st_size
            begin = content.read(BLOCK_BYTES)
            if not begin:
                raise WaveError(f"{file}: is empty; {GIVE_ONE}")
            if begin[:1] not in FIRST_KINDS or begin[1:] != HEADER_LENGTH and begin[:1] != PACKED:
                raise WaveError(f"{file}: has no header of an FST file; {GIVE_ONE}")
            blocks = list(_blocks(content, size))
            kind, place, length = blocks[-1]
            is_whole = length >= BLOCK_BYTES - 1 and place + 1 + length <= size
            if begin[:1] == PACKED and is_whole:
                return Recording(file, *_packed_times(content))
            times = _times_at(content, 0)
            has_names = any(kind in NAMES for kind, _, _ in blocks)
            if begin[:1] == HEADER and is_whole and (has_names or times != NO_TIMES):
                return Recording(file, *times)
            changes = [_times_at(content, place) for kind, place, _ in blocks if kind in CHANGES]
    except OSError as error:
        raise WaveError(f"{file}: {error.strerror}; {GIVE_ONE}") from None
    if begin[:1] != HEADER or times != NO_TIMES or not (is_whole or kind == UNFINISHED):
        raise WaveError(f"{file}: is cut off, or its run has not ended; {GIVE_ONE}")
    names = file.with_name(file.name + ".hier")
    if not names.is_file():
        raise WaveError(f"{file}: its run was killed, and {names}, which has the names of its signals, is missing; {GIVE_ONE}")
    if not changes:
        raise WaveError(f"{file}: its run was killed before the first block of waves was written; {GIVE_ONE}")
    return Recording(file, changes[0][0], changes[-1][1], is_ended=False)


def _in_ms(time: int) -> str:
    return f"{time / UNITS_PS['ms']:.6f} ms"


def check_span(span: Span, recording: Recording) -> Span:
    """The span, when some of it was recorded. Raises WaveError."""
    first, last, file = recording.first, recording.last, recording.file
    if (span.begin or 0) >= last or (span.end is not None and span.end <= first):
        asked = f"from {_in_ms(span.begin or 0)}" + (f" to {_in_ms(span.end)}" if span.end is not None else " on")
        raise WaveError(f"{file}: nothing was recorded {asked}; it has {_in_ms(first)} to {_in_ms(last)}")
    return span


def find_file(run: Path) -> Recording:
    """The wave file of a run."""
    if run.is_file():
        if run.suffix != ".fst":
            raise WaveError(f"{run}: not an .fst file; {GIVE_ONE}")
        return open_recording(run.resolve())
    if not run.is_dir():
        raise WaveError(f"{run}: there is no such file or folder")
    files = sorted(run.glob("*.fst"))
    if not files:
        raise WaveError(f"{run}: no .fst file in it; record one with 'headstack run ... --wave {run}/run.fst'")
    if len(files) > 1:
        raise WaveError(f"{run}: {len(files)} .fst files in it; name one: {', '.join(f.name for f in files)}")
    return open_recording(files[0].resolve())


def command_span(run: Path, number: int) -> Span:
    """From the issue of a command to its completion, with a tenth of it before and after."""
    records = (run if run.is_dir() else run.parent) / "records.csv"
    try:
        with records.open(encoding="utf-8", newline="") as file:
            for record in csv.DictReader(file):
                if int(record["command"]) == number:
                    begin, end = int(record["submitted_ps"]), int(record["completed_ps"])
                    margin = (end - begin) // 10
                    return Span(max(begin - margin, 0), end + margin)
    except OSError as error:
        raise WaveError(f"{records}: {error.strerror}; --cmd looks up the command's times there") from None
    raise WaveError(f"{records}: there is no command {number} in it")


def span_of(args: argparse.Namespace) -> Span:
    """What the command line says of the time."""
    if args.cmd is not None:
        if args.begin is not None or args.end is not None:
            raise WaveError("--cmd says from when to when; leave out --from and --to")
        return command_span(args.run, args.cmd)
    if args.begin is not None and args.end is not None and args.end <= args.begin:
        raise WaveError("--to is not after --from")
    return Span(args.begin, args.end)


def parser(known: dict[str, views.View]) -> CommandParser:
    """The parser of the command line."""
    top = CommandParser(prog="headstack wave", description=__doc__.splitlines()[0])
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    texts = {"view": "open GTKWave", "shot": "a picture of what GTKWave draws, without a display",
             "save": "a save file for GTKWave"}
    for name, text in texts.items():
        one = commands.add_parser(name, help=text, description=text)
        one.add_argument("run", type=Path, metavar="RUN", help="folder of a run, or an .fst file")
        one.add_argument("--view", choices=known, required=name != "view", default=next(iter(known)),
                         help="view to show, a name in 'headstack wave list'")
        if name != "save":
            one.add_argument("--from", dest="begin", type=parse_time, metavar="T", help="start of the time shown, as 1.5ms")
            one.add_argument("--to", dest="end", type=parse_time, metavar="T", help="end of the time shown")
            one.add_argument("--cmd", type=int, metavar="N", help="show the time of command N in records.csv")
        if name != "view":
            one.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="file to write")
            one.add_argument("--force", action="store_true", help="overwrite an existing output file")
        if name == "shot":
            one.add_argument("--width", type=int, default=1280, metavar="PIXELS", help="width of the picture in pixels (1280)")
    listing = commands.add_parser("list", help="list the views", description="list the views")
    listing.add_argument("--json", action="store_true", help="print the list as JSON")
    return top


def run(args: argparse.Namespace, known: dict[str, views.View]) -> None:
    """One command."""
    if args.command == "list":
        if args.json:
            print(json.dumps([{"view": view.name, "title": view.title} for view in known.values()], indent=2))
            return
        for view in known.values():
            print(f"{view.name:<10} {view.title}")
        return
    recording = find_file(args.run)
    fst = recording.file
    if not recording.is_ended:
        print(
            f"headstack: warning: {fst}: its run was killed, or has not ended: it shows {_in_ms(recording.first)} to "
            f"{_in_ms(recording.last)}, up to its last whole block",
            file=sys.stderr,
        )
    view = known[args.view]
    if args.command != "view":
        keep_inputs(args.out, fst)
        if not args.force:
            keep_others(args.out)
    if args.command == "view":
        gtkwave.show(fst, view, check_span(span_of(args), recording))
    elif args.command == "shot":
        if args.width not in range(400, 8001):
            raise WaveError(f"--width {args.width}: from 400 to 8000 pixels")
        gtkwave.shoot(fst, view, check_span(span_of(args), recording), args.out, args.width)
    else:
        write_text(args.out, save_file(view, fst, 1600, 900))


def main() -> int:
    try:
        known = views.load()
        run(parser(known).parse_args(), known)
    except (WaveError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    run_program(main)
