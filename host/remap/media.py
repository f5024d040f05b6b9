# SPDX-License-Identifier: Apache-2.0
"""Reports where the blocks of media in a file lie, or has the drive move them.

    media.py RUN status  --drive D --media FILE
    media.py RUN off     --drive D --media FILE
    media.py RUN restore --drive D --media FILE [--map N]

The drive is started on the media as by `headstack run drive.media=FILE`, and answers LOG SENSE (page 33h,
firmware/transfer/remap_work.h). `off` moves every unit home. `restore` moves the units to their slots by a map that the
media have stored. The time of a move is simulated, not spent. If the program is stopped, the next start continues with
the media as they are. Exit status: 0 done; 1 unusable input; 2 a bad command line.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.common import carry_out_with  # noqa: I001
from remap.errors import RemapError
from command_line import CommandParser
from execute.errors import ExecuteError
from execute.simulator import Simulator, said
from remap import HOST
from result_files import run

NO_REQUESTS = "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n"
VERBS = {
    "status": "Report where the blocks of a media file lie.",
    "off": "Move all blocks of a media file back to the places of the drive's design.",
    "restore": "Move the blocks of a media file to the places of one of its maps.",
}


def parser() -> CommandParser:
    """The command line."""
    top = CommandParser(prog="headstack remap", description="Media in a file: where blocks lie, and moving them.")
    top.add_argument("run", type=Path, help=argparse.SUPPRESS)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, about in VERBS.items():
        made = verbs.add_parser(verb, help=about, description=about)
        made.add_argument("--drive", required=True, metavar="DRIVE", help="name of a drive in `drive list`, or path of a .toml file")
        made.add_argument("--media", type=Path, required=True, metavar="FILE", help="file with the drive's media, as kept by `run drive.media=FILE`")
        made.add_argument("--platform", choices=["native", "vp"], default="native", help="platform on which the drive runs (%(default)s)")
        made.add_argument("--json", action="store_true", help="print all counters of log page 33h as JSON")
        if verb == "restore":
            made.add_argument("--map", choices=["1", "2"], default="1", help="number of the map to restore (%(default)s)")
    return top


def words_of(options: argparse.Namespace, verb: str) -> list[str]:
    """The words for `headstack run`, besides drive and media."""
    if verb == "status":
        # Map 0 is in force at power-on, too. No unit moves, as the run ends before the drive counts as idle.
        return ["remap.use=0", "remap.idle_ms=65535"]
    return ["remap.settled=true", "remap.idle_ms=0", f"remap.use={options.map if verb == 'restore' else 0}"]


def counters(options: argparse.Namespace, verb: str) -> dict[str, int]:
    """The drive's counters at the end. Raises RemapError."""
    if not options.media.exists():
        raise RemapError(f"{options.media}: there is no such file; `headstack run drive.media={options.media}` makes one")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "none.trace").write_text(NO_REQUESTS)
        words = ["--drive", options.drive, f"drive.media={options.media.resolve()}", "--platform", options.platform]
        words += ["--trace", str(folder / "none.trace"), "stop.allow_empty=true", "--out", str(folder / "out")]
        try:
            status, _, message = Simulator(options.run, HOST.parent).call(options.run, [*words, *words_of(options, verb)])
        except ExecuteError as error:
            raise RemapError(str(error)) from None
        if status != 0:
            raise RemapError(said(status, message))
        found: dict[str, int] = json.loads((folder / "out/summary.json").read_text()).get("moves", {})
    if not found:
        raise RemapError(f"{options.drive}: the drive does not tell of its moves")
    return found


def text_of(found: dict[str, int]) -> str:
    """The counters as one line or more."""
    if found["units"] == 0:
        return "no map: every block is where the design has it"
    away = f"{found['away']:,} of {found['units']:,} units are not in their own slot"
    moved = f"\nmoved now: {found['moves']:,} units in {found['media_ms'] / 1000:.1f} s of the media's time" if found["moves"] else ""
    failed = f"\nno more moves: block {found['failed_lba'] - 1} cannot be written" if found["failed_lba"] else ""
    return away + moved + failed


def tell(options: argparse.Namespace) -> None:
    """Carries out the command, and prints the counters."""
    found = counters(options, "status")
    if options.verb != "status" and found["units"] > 0:
        found = counters(options, options.verb)
    elif options.verb == "restore":
        remedy = f"`headstack run drive.media={options.media} remap.maps=MAP remap.settled=true ...` stores one"
        raise RemapError(f"{options.media}: the media have no map; {remedy}")
    print(json.dumps(found) if options.json else text_of(found))


def main(words: Sequence[str] | None = None) -> int:
    """The file's head has the exit statuses."""
    return carry_out_with(tell, parser().parse_args(words))


if __name__ == "__main__":
    run(main)
