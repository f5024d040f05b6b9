# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the commands of `headstack remap`: options, and errors as one line."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from command_line import CommandParser
from execute.errors import ExecuteError
from execute.simulator import Simulator, said
from result_files import OutputError, keep_inputs, keep_others

from . import HOST
from .errors import RemapError

GROUP_BLOCKS, UNIT_BLOCKS = 160, 16  # values of the paper: 32 sectors of 5 surfaces; 8 KB of 512 bytes
MOST_BLOCKS = 1 << 48


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Returns a parser of an option that is a whole number."""

    def take(text: str) -> int:
        value = int(text) if text.isdigit() else -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} to {most}")
        return value

    return take


def share(text: str) -> float:
    """Parses an option that is a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share; give a number from 0 to 1")
    return value


def command(name: str, about: str) -> CommandParser:
    """A parser of `headstack remap NAME`. Its first word is the build's front end."""
    parser = CommandParser(prog=f"headstack remap {name}", description=about)
    parser.add_argument("front_end", type=Path, help=argparse.SUPPRESS)
    return parser


def add_grid_options(parser: CommandParser) -> None:
    """Adds the options that define a group."""
    parser.add_argument("--group-blocks", type=whole_number(1, 1 << 32), default=GROUP_BLOCKS, metavar="N",
                        help="blocks per virtual cylinder")  # fmt: skip
    parser.add_argument("--first-block", type=whole_number(0, MOST_BLOCKS), default=0, metavar="LBA",
                        help="first block of the first virtual cylinder; blocks below it never move")  # fmt: skip


def add_reading_options(parser: CommandParser) -> None:
    """Adds the options for reading a trace, as for `headstack trace`."""
    parser.add_argument("--from", dest="trace_format", metavar="FORMAT", help="trace format (default: detected from the content)")
    parser.add_argument("--device", metavar="NAME", help="name of the device in the trace whose requests are read")


def add_force(parser: CommandParser) -> None:
    """Adds --force, for a command that writes files."""
    parser.add_argument("--force", action="store_true", help="overwrite an existing output file")


def check_outputs(options: argparse.Namespace, outputs: Sequence[Path | None], inputs: Sequence[Path]) -> None:
    """Checks outputs before any work. An input is never replaced, and other files only with --force. Raises
    OutputError.
    """
    for file in filter(None, outputs):
        keep_inputs(file, *inputs)
        if not options.force:
            keep_others(file)


def reading_words(options: argparse.Namespace) -> list[str]:
    """The options for `headstack trace convert`."""
    words = ["--from", options.trace_format] if options.trace_format else []
    return words + (["--device", options.device] if options.device else [])


def capacity_of(front_end: Path, drive: str) -> int:
    """The number of a drive's blocks. Raises RemapError."""
    try:
        status, output, message = Simulator(front_end, HOST.parent).call(front_end, ["drive", "info", drive, "--json"])
    except ExecuteError as error:
        raise RemapError(str(error)) from None
    if status != 0:
        raise RemapError(said(status, message))
    return int(json.loads(output)["capacity_blocks"])


def check_divides(part: int, whole: int, part_name: str, whole_name: str) -> None:
    """Raises RemapError if `part` does not divide `whole`."""
    if whole % part != 0:
        raise RemapError(f"{whole_name} {whole} is no multiple of {part_name} {part}; give one that is")


def carry_out(main: Callable[[argparse.Namespace], Any], parser: CommandParser, words: Sequence[str] | None = None) -> int:
    """Runs a command, and returns its status. Its errors are one line. Raises OSError if it cannot print."""
    return carry_out_with(main, parser.parse_intermixed_args(words))


def carry_out_with(main: Callable[[argparse.Namespace], Any], options: argparse.Namespace) -> int:
    """Does the same with a parsed command line."""
    try:
        main(options)
    except (RemapError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    return 0
