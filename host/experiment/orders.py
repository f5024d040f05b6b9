# SPDX-License-Identifier: Apache-2.0
"""The order in which each policy serves the first requests of an experiment: a checksum in results/orders.csv.

    orders.py RUN_PROGRAM    writes the file anew, with the results

Results name the commit that made them. A policy that serves in another order since then has other results, and a test names it.
"""

import csv
import sys
import tempfile
from pathlib import Path

from errors import ExperimentError
from runner import Runner
from sweep import load_sweep

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILE = HERE / "results/orders.csv"
COLUMNS = ("experiment", "sweep", "policy", "order")
# Sweeps of each experiment. In ideal electronics the order depends on policies, predictions and mechanics alone.
SWEEPS = {"gscan": ("workload 1", "workload 5", "references 1", "references 5", "others 1", "others 5")}

Orders = dict[tuple[str, str, str], str]


def orders_now(program: Path) -> Orders:
    """The checksums (CRC-32 of command numbers in the order of service) by experiment, sweep and policy. Raises ExperimentError.

    Of each policy it is that of the first requests of the first seed, as many as a quick look has.
    """
    found: Orders = {}
    for name, sweeps in SWEEPS.items():
        sweep = load_sweep(HERE / f"{name}.toml", quick=True, seeds=[1])
        with tempfile.TemporaryDirectory() as scratch:
            runner = Runner(program.resolve(), ROOT, sweep, Path(scratch))
            for run in sweep.runs:
                if run.sweep in sweeps:
                    found[name, run.sweep, run.label] = f"{runner.run(run)['order']:08x}"
    return found


def read_orders() -> Orders:
    """The checksums of the results. Raises OSError."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {(row["experiment"], row["sweep"], row["policy"]): row["order"] for row in csv.DictReader(file)}


def write_orders(orders: Orders) -> None:
    """Writes the checksums. Raises OSError."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((*key, order) for key, order in orders.items())


def main() -> int:
    """Runs the program, as the docstring of this file describes."""
    try:
        write_orders(orders_now(Path(sys.argv[1])))
    except (OSError, ExperimentError) as error:
        print(f"orders: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
