# SPDX-License-Identifier: Apache-2.0
"""Carries out a declared experiment: runs, a table, pictures, and a page that compares a paper's claims with the numbers.

    experiment.py RUN_PROGRAM NAME [--out DIR] [--cache DIR] [--jobs N] [--executor local|dask:ADDRESS]
                               [--only POLICY,...] [--seeds LIST] [--quick]

NAME is a declaration in host/experiment, or the path of a TOML file. Exit status: 0 done; 1 unusable input, or a failed run; 2 a
bad command line; 130 interrupted. Finished work is kept, and the same command continues.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "output")]

try:
    import one_cost_run
    import one_policy_run
    from admission_report import admission_page, draw_admission
    from campaign import Interrupted, carry_out, carry_out_declared, carry_out_depths
    from command_line import CommandParser
    from cost_pictures import draw_cost
    from cost_report import cost_page
    from deadlines_electronics_report import deadlines_electronics_page, draw_deadlines_electronics
    from deadlines_report import deadlines_page, draw_deadlines
    from drive_file import load_drive
    from eagle_report import draw_eagle, eagle_page
    from electronics_report import draw_electronics, electronics_page
    from errors import ExperimentError
    from execute.errors import ExecuteError
    from execute.places import add_options, end_as_on_ctrl_c, open_place
    from execute.simulator import Simulator
    from execute.store import Store, hash_file
    from gscan_electronics_report import draw_gscan_electronics, gscan_electronics_page
    from gscan_report import draw_gscan, gscan_page
    from host_layers_report import draw_host_layers, host_layers_page
    from movable_head_claims import FITTED_LENGTH
    from movable_head_report import draw_movable_head, movable_head_page
    from one_depth_run import unit_ms_of
    from remap_changes_report import changes_page, draw_changes
    from remap_moves_report import draw_moves, moves_page
    from remap_report import draw_remap, remap_page
    from remap_traces_report import draw_traces, traces_page
    from rotation_report import draw_rotation, rotation_page
    from result_files import INTERRUPTED, OutputError, alone_in, keep_others, run, write_bytes, write_text
    from results import Results
    from runner import Runner
    from sweep import Sweep, load_sweep, require_a_sweep_of_the_page
    from which_policy_report import draw_which_policy, which_policy_page
except ImportError as missing:
    print(f"headstack: error: a Python package is missing ({missing}); run ./headstack setup", file=sys.stderr)
    sys.exit(1)

REPORT_MARK = b"\n| declaration | "
RESULTS_MARK = b"sweep,label,"  # the first columns
ELSEWHERE = "give another folder with --out, or move the file away"
MOST_SEEDS, LARGEST_SEED = 100_000, 1 << 62


def seed_list(text: str) -> list[int]:
    """The numbers of a list such as '3', '1-5' or '1,4,7-9'. Raises ValueError."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        more = range(int(first), int(last if dash else first) + 1)
        if more and (more[-1] > LARGEST_SEED or len(more) + len(seeds) > MOST_SEEDS):
            raise ValueError(text)
        seeds += more
    if not seeds or len(set(seeds)) != len(seeds) or min(seeds) < 0:
        raise ValueError(text)
    return seeds


def declared() -> list[str]:
    """The experiments that come with headstack."""
    return sorted(file.stem for file in HERE.glob("*.toml"))


def find_declaration(name: str) -> Path:
    """The path of a declaration: a file, or one of headstack's by name. Raises ExperimentError."""
    file = Path(name) if name.endswith(".toml") else HERE / f"{name}.toml"
    if not file.is_file():
        raise ExperimentError(f"there is no experiment '{name}'; use one of: {', '.join(declared())}, or a .toml file")
    return file


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parses the command line."""
    parser = CommandParser(prog="headstack experiment run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("name", metavar="EXPERIMENT", help=f"name of an experiment, one of {', '.join(declared())}, or a .toml file")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results (default: build/experiment/NAME)")
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help="folder of stored results (default: build/experiment/cache)"
    )
    add_options(parser)
    parser.add_argument("--only", metavar="POLICY,...", help="policies or maps of the declaration to which the experiment is limited")
    parser.add_argument("--seeds", metavar="LIST", help="seeds in place of the declaration's: 1-5, or 1,3,7")
    parser.add_argument("--traces", type=Path, metavar="DIR", help="folder of real traces that are not part of the project (../shared/traces)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs, for a first look, not for conclusions")
    options = parser.parse_args(arguments)
    try:
        options.seeds = seed_list(options.seeds) if options.seeds is not None else None
    except ValueError:
        most = f"at most {MOST_SEEDS:,} of them"
        parser.error(f"--seeds {options.seeds}: give different whole numbers, such as 1-5 or 1,3,7; {most}")
    if options.only is not None:
        options.only = options.only.split(",")
        if "" in options.only:
            parser.error("--only: give names of policies or maps, with commas between them; without it all are run")
    return options


def seeds_text(seeds: Sequence[int]) -> str:
    """Ascending seeds in words."""
    if len(seeds) > 2 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def provenance(sweep: Sweep, program: Path, quick: bool) -> str:
    """What the results were made from, without times of day or durations."""
    version = (
        subprocess.run(
            ["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
        ).stdout.strip()
        or "unknown"
    )
    seeds = sorted({run.seed for run in sweep.runs})
    requests = sum(run.requests for run in sweep.runs)
    length = "\nA quick look: shorter runs than the paper's, so conclude nothing from it.\n" if quick else ""
    return f"""# {sweep.title}

{length}
| | |
|---|---|
| declaration | {sweep.file.name} |
| headstack | {version}, program {hash_file(program)[:16]} |
| drive | {", ".join(dict.fromkeys(run.drive or sweep.drive for run in sweep.runs))} |
| runs | {len(sweep.runs)}, of {requests:,} requests; seeds {seeds_text(seeds)} |
| every run | results.csv |
""" + "".join(f"\nLeft out: {sentence}.\n" for sentence in sweep.missing)


# Reports that are made from the results alone: pictures, and the page.
OF_RESULTS = {
    "admission": (draw_admission, admission_page),
    "deadlines": (draw_deadlines, deadlines_page),
    "deadlines-electronics": (draw_deadlines_electronics, deadlines_electronics_page),
    "gscan": (draw_gscan, gscan_page),
    "gscan-electronics": (draw_gscan_electronics, gscan_electronics_page),
    "host-layers": (draw_host_layers, host_layers_page),
    "rotation": (draw_rotation, rotation_page),
    "remap": (draw_remap, remap_page),
    "remap-changes": (draw_changes, changes_page),
    "remap-moves": (draw_moves, moves_page),
    "remap-traces": (draw_traces, traces_page),
}


def report(sweep: Sweep, results: Results, folder: Path) -> str:
    """Draws the pictures into the folder. Returns the page's body."""
    if sweep.report in OF_RESULTS:
        draw, page = OF_RESULTS[sweep.report]
        draw(results, folder)
        return page(results)
    if sweep.study:
        draw_which_policy(results, sweep.study, folder)
        return which_policy_page(results, sweep.study)
    if sweep.costs:
        draw_cost(results, sweep.costs, folder)
        return cost_page(results, sweep.costs)
    drive = load_drive(sweep.drive_file)
    if sweep.report == "eagle":
        draw_eagle(results, drive, folder)
        return eagle_page(results, drive)
    if sweep.report == "electronics":
        draw_electronics(results, folder)
        return electronics_page(results)
    unit_ms = unit_ms_of(drive, sweep.saturation, FITTED_LENGTH)
    draw_movable_head(results, drive, unit_ms, folder)
    return movable_head_page(results, drive, unit_ms)


def keep_foreign(folder: Path) -> None:
    """Protects files with the names of outputs that no experiment wrote. Raises OutputError."""
    keep_others(folder / "report.md", REPORT_MARK, ELSEWHERE)
    keep_others(folder / "results.csv", RESULTS_MARK, ELSEWHERE)
    # A picture does not show who wrote it. It belongs to the table, which is written first.
    if not any((folder / name).exists() for name in ("report.md", "results.csv")):
        for picture in sorted(folder.glob("*.png")):
            keep_others(picture, remedy=ELSEWHERE)


def experiment(options: argparse.Namespace) -> None:
    """Carries out the whole experiment. Raises ExperimentError, ExecuteError, OSError, OutputError or Interrupted."""
    sweep = load_sweep(find_declaration(options.name), options.quick, options.seeds, options.only, options.traces)
    require_a_sweep_of_the_page(sweep)
    for sentence in sweep.missing:
        print(f"headstack: left out: {sentence}", file=sys.stderr)
    build = ROOT / "build/experiment"
    folder: Path = options.out or build / (Path(options.name).stem + ("-quick" if options.quick else ""))
    keep_foreign(folder)
    with alone_in(folder):
        carry_out_in(folder, sweep, options)


def made_runs(sweep: Sweep, options: argparse.Namespace, store: Store, scratch: Path) -> list[dict[str, Any]]:
    """The result of every run, in order. Raises as experiment() does."""
    program = options.program.resolve()
    place = (store, scratch, options.executor, options.jobs)
    if sweep.costs or sweep.study:
        work = one_cost_run.make if sweep.costs else one_policy_run.make
        return carry_out_declared(Simulator(program, ROOT), sweep, *place, work)
    if sweep.declared:
        return carry_out_depths(Simulator(program, ROOT), sweep, *place)
    runner = Runner(program, ROOT, sweep, scratch)
    refusals = runner.refusals()
    if refusals:
        raise ExperimentError(
            "the drive refuses policies; build firmware that has them, or name others with --only\n  "
            + "\n  ".join(refusals)
        )
    runner.prepare(store, options.jobs, Interrupted)
    with open_place(options.executor, options.jobs, runner.workplace) as place:
        return carry_out(runner, store, sweep.runs, place)


def carry_out_in(folder: Path, sweep: Sweep, options: argparse.Namespace) -> None:
    """Makes the runs and writes the reports. Raises as experiment() does."""
    build = ROOT / "build/experiment"
    store = Store(options.cache or build / "cache")
    build.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=build))
    try:
        results = Results(sweep.runs, made_runs(sweep, options, store, scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    results.write_csv(folder / "results.csv")
    body = report(sweep, results, folder)
    write_text(folder / "report.md", provenance(sweep, options.program, options.quick) + "\n" + body)
    write_bytes(folder / "declaration.toml", sweep.file.read_bytes())
    print(f"wrote {folder}: report.md, results.csv, {', '.join(sorted(file.name for file in folder.glob('*.png')))}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program. The docstring of this file lists its exit statuses."""
    options = parse_arguments(arguments)
    end_as_on_ctrl_c()
    try:
        experiment(options)
    except Interrupted as stop:
        print(
            f"headstack: interrupted with {stop.done} of {stop.total} runs done; they are kept, and the same command "
            "continues from there",
            file=sys.stderr,
        )
        return INTERRUPTED
    except KeyboardInterrupt:
        print("headstack: interrupted; what is done is kept, and the same command continues from there", file=sys.stderr)
        return INTERRUPTED
    except (ExperimentError, ExecuteError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    run(main)
