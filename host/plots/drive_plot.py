#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a drive: seek curve, zone map, angular layout. The picture half of `headstack drive plot`.

Reads the drive's numbers as JSON from standard input (plot_json() in host/cli/drive_report.cpp). Writes OUT/STEM-seek,
OUT/STEM-zones and OUT/STEM-layout as .png or .svg, and a line for each on standard output: "wrote PATH". The same numbers give
the same bits on every machine.

Exit status: 0 all written; 1 one line on standard error says why not and what to do; 2 bad usage.
"""

import argparse
import sys
from pathlib import Path

REMEDY_DATA = "run it through `headstack drive plot NAME`, which hands the numbers over"

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import fail, make_folder, run  # noqa: E402


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """out: Path, stem: str, format: 'png' or 'svg'."""
    parser = argparse.ArgumentParser(
        prog="drive_plot", description="Draws a drive from the JSON on standard input."
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="made when missing")
    parser.add_argument("--stem", required=True, metavar="NAME", help="start of the file names")
    parser.add_argument("--format", choices=("png", "svg"), default="png")
    options = parser.parse_args(arguments)
    if not options.stem or Path(options.stem).name != options.stem:
        parser.error(f"--stem {options.stem!r} is not a plain file name; give one without folders")
    return options


def main() -> None:
    """Reads, checks, draws, writes."""
    options = parse_arguments()
    try:
        import drive_data
        import style
        from layout_picture import draw_layout
        from seek_picture import draw_seek
        from zone_picture import draw_zones
    except ImportError as error:
        fail(f"a Python package is missing ({error}); run ./headstack setup")

    try:
        drive = drive_data.parse(sys.stdin.buffer.read().decode("utf-8"))
    except UnicodeDecodeError:
        fail(f"standard input is not UTF-8 text; {REMEDY_DATA}")
    except drive_data.DataError as error:
        fail(f"{error}; {REMEDY_DATA}")

    make_folder(options.out)
    for part, draw in (("seek", draw_seek), ("zones", draw_zones), ("layout", draw_layout)):
        path = options.out / f"{options.stem}-{part}.{options.format}"
        style.save(draw(drive), path)
        print(f"wrote {path}", flush=True)


if __name__ == "__main__":
    run(main)
