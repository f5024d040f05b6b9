# SPDX-License-Identifier: Apache-2.0
"""Brings results/README.md up to date with what the charged experiments and those that continue `remap` left: its tables, and their
pictures. Writes the pages of whole experiments beside it, and table-1.md.

    results_page.py [--from DIR] [--only GROUP]
                    [--run [--seeds LIST] [--jobs N] [--executor local|dask:ADDRESS]]

DIR has a folder for each experiment; default: build/experiment. `--run` makes the experiments first (./headstack experiment run
NAME), so that one command repeats them and rewrites the page when the firmware's cost has changed. GROUP is an experiment, or
several that share a part of a page; `--help` lists the groups. The tables stand between marks in the page. What is around them is
written by hand.
"""

import argparse
import csv
import shutil
import subprocess
import sys
from pathlib import Path

from interval import Interval, interval
from results_gscan import GSCAN, GSCAN_CHARGED, HOST_LAYERS, bring_drives, bring_table_1
from results_remap import MORE, bring_more
from results_text import rewrite, section, with_short_numbers
from results_which_policy import NAME as WHICH_POLICY
from results_which_policy import bring_answer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

from execute.places import add_options  # noqa: E402

DEADLINES = "deadlines"
EAGLE, ELECTRONICS = "eagle", "electronics"
# Experiments whose whole page is brought.
WHOLE = (EAGLE, DEADLINES, "movable-head", "rotation", ELECTRONICS, "remap", "admission", WHICH_POLICY)
PAGE = HERE / "results/README.md"
BEGIN, END = "<!-- table of results_page.py -->", "<!-- end of the table -->"
DEADLINES_CHARGED = "deadlines-electronics"
PARTS_BEGIN, PARTS_END = "<!-- parts of results_page.py -->", "<!-- end of the parts -->"
PART_TITLE = "Reads missed, as a part of"  # title of a table of the experiment's page
PART_LABELS = ("stf", "walk", "stfd")
SHORT_TITLE = "## In short"
SHORT_BEGIN, SHORT_END = "<!-- electronics of results_page.py -->", "<!-- end of electronics -->"
QUEUE = 1000
# Folders in the order of the table; each is one electronics.
SKEWED, PLAIN = "eagle-electronics-skewed", "eagle-electronics"
# The values of --only, and the experiments of each.
GROUPS = {"eagle-electronics": (SKEWED, PLAIN), DEADLINES_CHARGED: (DEADLINES_CHARGED,)}
GROUPS |= {GSCAN: (GSCAN, GSCAN_CHARGED, HOST_LAYERS)}
GROUPS |= {name: (name,) for name in (*WHOLE, *MORE)}
LABELS = ("fcfs", "sstf", "scan", "cscan", "stf", "gstf210", "gstf210-frozen", "wstf")

Rows = list[dict[str, str]]


def read(folder: Path) -> Rows:
    """The rows of a results.csv. Raises OSError."""
    with open(folder / "results.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of(rows: Rows, label: str, electronics: str, what: str) -> Interval | None:
    """The mean over the seeds; None if the rows lack it."""
    found = [
        row
        for row in rows
        if row["label"] == label
        and row["queue"] == str(QUEUE)
        and row["electronics"] == electronics
        and row["sweep"] == "queue"
    ]
    if not found:
        return None
    if what == "utilization":
        return interval([100 * float(row[what]) for row in found])
    return interval([1000 * float(row[what]) / float(row["requests"]) for row in found])


def text(value: Interval | None, form: str = "{:.2f}") -> str:
    """The mean with its uncertainty over the seeds."""
    if value is None:
        return "-"
    return form.format(value.mean) if value.count == 1 else f"{form.format(value.mean)} ± {form.format(value.half)}"


def table(plain: Rows, skewed: Rows) -> list[str]:
    """Utilization at Q = 1,000, and its loss by the electronics."""
    lines = [
        f"| Q = {QUEUE:,}; utilization, % | ideal | a sector of skew, charged | of ideal | no skew, charged | of ideal "
        "| lost revolutions in 1,000 requests, skewed, no skew |",
        "|---" * 7 + "|",
    ]
    for label in LABELS:
        cells, losses = [], []
        for rows in (skewed, plain):
            ideal, charged = (of(rows, label, kind, "utilization") for kind in ("ideal", "charged"))
            share = f"{charged.mean / ideal.mean:.3f}" if ideal and charged else "-"
            cells += [text(charged), share]
            losses.append(text(of(rows, label, "charged", "lost_revolutions"), "{:.1f}").split(" ")[0])
        ideal = text(of(plain, label, "ideal", "utilization"))
        lines.append(f"| {label} | {ideal} | {' | '.join(cells)} | {', '.join(losses)} |")
    return lines


def parts(page: str) -> list[str]:
    """Misses of our policies over those of fdscan, for each drive and load of a page of `deadlines-electronics`.

    Rates are the lowest, one in the middle, and the highest.
    """
    lines = [
        f"| drive, load | rate | {' | '.join(f'`{label}`' for label in PART_LABELS)} |",
        "|---" * (2 + len(PART_LABELS)) + "|",
    ]
    for part in page.split("\n### ")[1:]:
        title, _, rest = part.partition("\n")
        rows = [line.strip("| ").split(" | ") for line in rest.partition(PART_TITLE)[2].splitlines() if "|" in line]
        cells = {row[0].removesuffix("(B)"): row[1:] for row in rows}
        if not all(label in cells for label in PART_LABELS):
            continue
        rates = rows[0][1:]
        for at in (0, len(rates) // 2, len(rates) - 1):
            numbers = " | ".join(cells[label][at] for label in PART_LABELS)
            lines.append(f"| {title} | {rates[at]} | {numbers} |")
    return lines


def bring_deadlines(source: Path) -> None:
    """What `deadlines-electronics` has of the loads of `deadlines`. Raises OSError and ValueError."""
    charged = source / DEADLINES_CHARGED
    rows = parts((charged / "report.md").read_text(encoding="utf-8"))
    PAGE.write_text(rewrite(PAGE.read_text(encoding="utf-8"), rows, PARTS_BEGIN, PARTS_END), encoding="utf-8")
    shutil.copyfile(charged / "deadlines-6.2.png", PAGE.parent / f"{DEADLINES_CHARGED}.png")


def bring_whole(name: str, source: Path) -> None:
    """Writes the experiment's whole page, NAME.md, and its pictures. Of numbers over an axis it has the ends. Raises OSError."""
    page = (source / name / "report.md").read_text(encoding="utf-8").rstrip()
    for picture in sorted((source / name).glob("*.png")):
        shutil.copyfile(picture, PAGE.parent / f"{name}-{picture.name}")
        page = page.replace(f"| {picture.name} |", f"| [{picture.name}]({name}-{picture.name}) |")
        page = page.replace(f"]({picture.name})", f"]({name}-{picture.name})")
    # In a cell, each number has a line of its own.
    lines = [with_short_numbers(line).replace("; ", "<br>") if line.startswith("| ") else line for line in page.splitlines()]
    (PAGE.parent / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def bring_short(source: Path) -> None:
    """The table in short of `electronics`. Raises OSError and ValueError."""
    table = section((source / ELECTRONICS / "report.md").read_text(encoding="utf-8"), SHORT_TITLE)
    page = rewrite(PAGE.read_text(encoding="utf-8"), table.splitlines(), SHORT_BEGIN, SHORT_END)
    PAGE.write_text(page, encoding="utf-8")


def main() -> None:
    """Runs the program, as the docstring of this file describes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--from", dest="source", type=Path, default=ROOT / "build/experiment", metavar="DIR")
    parser.add_argument("--run", action="store_true", help="run the experiments first")
    parser.add_argument("--seeds", metavar="LIST", help="seeds of the experiments (default: all of the declaration)")
    add_options(parser)
    parser.add_argument("--only", choices=tuple(GROUPS), help="group of experiments to renew (default: all)")
    options = parser.parse_args()
    wanted = [options.only] if options.only else list(GROUPS)
    where = ["--executor", options.executor, *(["--jobs", str(options.jobs)] if options.jobs else [])]
    if options.run:
        for name in (name for group in wanted for name in GROUPS[group]):
            seeds = ["--seeds", options.seeds] if options.seeds else []
            subprocess.run(
                [ROOT / "headstack", "experiment", "run", name, *seeds, *where, "--out", options.source / name],
                check=True,
            )
    if DEADLINES_CHARGED in wanted:
        bring_deadlines(options.source)
    if GSCAN in wanted:
        for name in GROUPS[GSCAN]:
            bring_whole(name, options.source)
        bring_drives(options.source, PAGE)
        bring_table_1(options.source, PAGE.parent)
    for name in MORE:
        if name in wanted:
            bring_more(name, options.source, PAGE)
    for name in WHOLE:
        if name in wanted:
            bring_whole(name, options.source)
    if WHICH_POLICY in wanted:
        bring_answer(options.source, ROOT)
    if ELECTRONICS in wanted:
        bring_short(options.source)
    if PLAIN in wanted:
        PAGE.write_text(
            rewrite(
                PAGE.read_text(encoding="utf-8"),
                table(read(options.source / PLAIN), read(options.source / SKEWED)),
                BEGIN,
                END,
            ),
            encoding="utf-8",
        )
        for name in (SKEWED, PLAIN):
            shutil.copyfile(options.source / name / "electronics.png", PAGE.parent / f"{name}.png")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"results_page: error: {error}", file=sys.stderr)
        sys.exit(1)
