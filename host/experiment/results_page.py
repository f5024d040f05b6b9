"""Brings results/README.md up to date with what the charged experiments left: its table, and their pictures.

    results_page.py [--from DIR] [--run [--seeds LIST] [--jobs N] [--executor local|dask:ADDRESS]]

DIR has a folder for each experiment; default: build/experiment. `--run` makes the experiments first (./headstack
experiment NAME), so that one command repeats them and rewrites the page when the firmware's cost has changed. The table
stands between two marks in the page; what is around it is written by hand.
"""

import argparse
import csv
import shutil
import subprocess
import sys
from pathlib import Path

from interval import Interval, interval

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

from execute.places import add_options  # noqa: E402

PAGE = HERE / "results/README.md"
BEGIN, END = "<!-- table of results_page.py -->", "<!-- end of the table -->"
QUEUE = 1000
# In the order of the table: what its columns say, folder, and electronics.
SKEWED, PLAIN = "eagle-electronics-skewed", "eagle-electronics"
LABELS = ("fcfs", "sstf", "scan", "cscan", "stf", "gstf210", "gstf210-frozen", "wstf")

Rows = list[dict[str, str]]


def read(folder: Path) -> Rows:
    """A results.csv. Raises OSError."""
    with open(folder / "results.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def of(rows: Rows, label: str, electronics: str, what: str) -> Interval | None:
    """Over the seeds; None: not in there."""
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
    """With what the seeds leave open."""
    if value is None:
        return "-"
    return form.format(value.mean) if value.count == 1 else f"{form.format(value.mean)} ± {form.format(value.half)}"


def table(plain: Rows, skewed: Rows) -> list[str]:
    """Utilization at Q = 1,000, and what the electronics cost of it."""
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


def rewrite(page: str, lines: list[str]) -> str:
    """The page with another table. Raises ValueError where the marks are wanting."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE}: '{BEGIN}' and '{END}' must stand there once each")
    return "\n".join([head + BEGIN, "", *lines, "", END + tail])


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--from", dest="source", type=Path, default=ROOT / "build/experiment", metavar="DIR")
    parser.add_argument("--run", action="store_true", help="make the experiments first")
    parser.add_argument("--seeds", metavar="LIST", help="of the experiments; default: all of the declaration")
    add_options(parser)
    options = parser.parse_args()
    where = ["--executor", options.executor, *(["--jobs", str(options.jobs)] if options.jobs else [])]
    if options.run:
        for name in (SKEWED, PLAIN):
            seeds = ["--seeds", options.seeds] if options.seeds else []
            subprocess.run(
                [ROOT / "headstack", "experiment", name, *seeds, *where, "--out", options.source / name], check=True
            )
    PAGE.write_text(
        rewrite(
            PAGE.read_text(encoding="utf-8"), table(read(options.source / PLAIN), read(options.source / SKEWED))
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
