# SPDX-License-Identifier: Apache-2.0
"""The loads of docs/power.md, tortured: each write of a sector of 1,000 commands, and seeded bytes within, is a power cut.

show.py [LOAD ...] [--platform vp|native|rtl] [--every N] [--bytes N] [--cuts N] [--jobs N] [--out FOLDER]

Prints a row of the page's table for each load and kind of power loss. Without names it runs all loads. The same words give the same
cuts. Exit status 1 means a finding; the command line that repeats it is printed.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from capacities import PAPER_CAPACITY, SMALL_CAPACITY  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = 1000
# A format writes the whole drive: fewer commands, and a cut at each Nth write only.
FORMAT_EVERY = 7
FORMAT_COMMANDS = 40
CORNER = 400  # blocks
UNITS = 30
UNIT_BLOCKS = 16
FIRST_UNIT = PAPER_CAPACITY - UNITS * UNIT_BLOCKS
MAPS = ['remap.maps=["FOLDER/map1.json", "FOLDER/map2.json"]', "remap.share_percent=60", "remap.idle_ms=1"]
# By name: the drive, the first block of the corner, and the words. FOLDER is that of the results.
LOADS = {
    "cache off": ("zoned_179mb", 1000, []),
    "cache on": ("zoned_179mb", 1000, ["--cache", "read-write", "hosts.every.fua=5"]),
    "remapping": ("paper_179mb", FIRST_UNIT, MAPS),
    "switching maps": ("paper_179mb", FIRST_UNIT, [*MAPS, "remap.use=[1, 2, 0]", "hosts.every.map=60"]),
    "saved pages": ("zoned_179mb", 1000, ["hosts.every.save=8"]),
    "reallocation": ("FOLDER/flawed.toml", 1000, ["hosts.every.save=40", "hosts.every.reassign=25"]),
    "formats": (str(ROOT / "tests/power/small.toml"), 0, ["hosts.every.save=9", "hosts.every.format=15"]),
}


def write_files(folder: Path) -> None:
    for number in (1, 2):
        slots = list(range(UNITS))
        random.Random(number).shuffle(slots)
        text = json.dumps({"format": "headstack-map-1", "first_block": FIRST_UNIT, "unit_blocks": UNIT_BLOCKS, "slots": slots})
        (folder / f"map{number}.json").write_text(text)
    drive = (ROOT / "sim/drives/zoned_179mb.toml").read_text()
    for lba in random.Random(3).sample(range(1000, 1000 + CORNER), 30):
        drive += f'\n[[specimen.flaws]]\nkind = "bad_header"\nlba = {lba}\n'
    (folder / "flawed.toml").write_text(drive)


def write_trace(path: Path, first: int, corner: int, commands: int) -> None:
    choose = random.Random(21)
    lines = ["headstack-trace 1", "time-unit us", "loop closed", "requests"]
    for _ in range(commands):
        operation = choose.choices("WRF", [60, 35, 5])[0]
        blocks = choose.choice([1, 1, 2, 4])
        lines.append("- F 0 0 -" if operation == "F" else f"- {operation} {first + choose.randrange(corner - 4)} {blocks} -")
    path.write_text("\n".join(lines) + "\n")


def torture(name: str, loss: str, options: argparse.Namespace) -> bool:
    """Prints a row. Returns whether there is a finding."""
    drive, first, words = LOADS[name]
    is_format = name == "formats"
    trace = options.out / f"{name.replace(' ', '-')}.trace"
    write_trace(trace, first, SMALL_CAPACITY if is_format else CORNER, FORMAT_COMMANDS if is_format else COMMANDS)
    run = options.out / f"{name.replace(' ', '-')}-{loss}-{options.platform}"
    words = [word.replace("FOLDER", str(options.out)) for word in [drive, *words]]
    line = [str(ROOT / "headstack"), "--quiet", "torture", "--drive", *words, "--trace", str(trace), "--depth", "4"]
    line += ["--platform", options.platform, f"faults.power_loss={loss}", "--bytes", str(options.bytes)]
    line += ["--every", str(options.every * (FORMAT_EVERY if is_format else 1))]
    line += ["--jobs", str(options.jobs), "--seed", "1", "--out", str(run), "--force"]
    line += ["--cuts", str(options.cuts)] if options.cuts else []
    began = time.monotonic()
    end = subprocess.run(line, capture_output=True, text=True, check=False)
    minutes = (time.monotonic() - began) / 60
    if end.returncode not in (0, 1):
        sys.exit(end.stderr)
    result = json.loads((run / "summary.json").read_text())["torture"]
    cuts, written = result["cuts"], result["sectors_written"]
    print(
        f"| {name}, {loss} | {written:,} | {cuts:,} | {result['cut_again']:,} | {result['blocks_read_back']:,} |"
        f" {result['blocks_looked_at']:,} | {result['torn_blocks']:,} | {len(result['findings'])} | {cuts / minutes:,.0f} |",
        flush=True,
    )
    if end.returncode == 1:
        print(end.stderr, flush=True)
    return end.returncode == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("loads", nargs="*", metavar="LOAD", help=", ".join(LOADS))
    parser.add_argument("--platform", choices=["vp", "native", "rtl"], default="vp", help="platform of the runs (%(default)s)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="cut the power at every Nth write (%(default)s: all)")
    parser.add_argument("--bytes", type=int, default=1, metavar="N", help="number of cuts within each sector, besides the one before it")
    parser.add_argument("--cuts", type=int, default=0, metavar="N", help="largest number of cuts per load and kind; 0: all")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of parallel processes (%(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/power-show", help="folder for the results (%(default)s)")
    options = parser.parse_args()
    unknown = [name for name in options.loads if name not in LOADS]
    if unknown:
        parser.error(f"there is no load '{unknown[0]}'; say one of: {', '.join(LOADS)}")
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    write_files(options.out)
    found = [torture(name, loss, options) for name in options.loads or LOADS for loss in ("finished", "torn")]
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
