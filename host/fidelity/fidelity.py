# SPDX-License-Identifier: Apache-2.0
"""headstack fidelity: the accuracy of simulated drives, against real ones whose service times were measured.

    fidelity.py RUN_PROGRAM [DRIVE...] [--declaration FILE | --drive FILE.toml --trace FILE] [--traces DIR] [--out DIR]
                            [--cache DIR] [--platform vp|rtl] [--limit N] [--jobs N] [--executor local|dask:ADDRESS]

DRIVE is one of real-drives.toml, or of the given declaration; by default all. With --drive and --trace there is no declaration:
the words of the run come from the description. Exit status: 0 done; 1 unusable input, or a failed run; 2 a bad command line; 130
interrupted. Finished runs are kept, and the same command continues.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / folder) for folder in (".", "report", "plots", "output")]

try:
    from command_line import CommandParser
    from comparison import FEWEST_HITS, Comparison, compare
    from declaration import RealDrive, bus_can_do, load_declaration, undeclared, with_bus
    from errors import FidelityError
    from estimates import byte_ns
    from execute.errors import ExecuteError
    from execute.places import Place, add_options, end_as_on_ctrl_c, open_place
    from execute.runs import KeepingSimulator, simulator_at
    from execute.simulator import Simulator
    from execute.store import Store
    from execute.sweep import Failed, Sweep, carry_out
    from execute.workplace import Workplace
    from fidelity_page import Corrected, write_page
    from result_files import OutputError, alone_in
    from result_files import run as run_program
    from run_folder import RunError
    from runner import run, words_of, write_corrected
    from service_times import load_commands
except ImportError as missing:
    print(f"headstack: error: a Python package is missing ({missing}); run ./headstack setup", file=sys.stderr)
    sys.exit(1)

TRACES = ROOT.parent / "shared/traces/disksim-valid"
MOST_CORRECTIONS = 2  # a skew first, then the speed, which only shows once skews are right


def parser() -> CommandParser:
    """The parser of the command line."""
    command = CommandParser(
        prog="headstack fidelity", description="compare simulated drives with the measured service times of real ones"
    )
    command.add_argument("program", type=Path, help=argparse.SUPPRESS)
    command.add_argument("drives", nargs="*", metavar="DRIVE", help="names of drives in host/fidelity/real-drives.toml (default: all)")
    command.add_argument("--declaration", type=Path, metavar="FILE",
                         help="declaration of your own drives and traces, in the form of host/fidelity/real-drives.toml")
    command.add_argument("--drive", type=Path, metavar="FILE.toml",
                         help="drive that is not declared: a .toml file, or a name in sim/drives; needs --trace")
    command.add_argument("--trace", type=Path, metavar="FILE", help="trace that was measured on --drive")
    command.add_argument("--traces", type=Path, metavar="DIR",
                         help="folder of the traces (default: ../shared/traces/disksim-valid; with --declaration, its folder)")
    command.add_argument("-o", "--out", type=Path, default=ROOT / "build/fidelity", metavar="DIR",
                         help="folder for page and pictures (build/fidelity)")
    command.add_argument("--cache", type=Path, metavar="DIR", help="folder of stored results (OUT/cache)")
    command.add_argument("--platform", choices=("vp", "rtl"), default="vp", help="platform of the runs (vp)")
    command.add_argument("--limit", type=int, default=0, metavar="N", help="number of commands to replay from each trace; 0: all")
    add_options(command)
    command.add_argument("--json", action="store_true", help="print the figures as JSON")
    return command


def choose(declared: Sequence[RealDrive], names: Sequence[str]) -> list[RealDrive]:
    """The named drives, in the declaration's order. Raises FidelityError."""
    known = {drive.description for drive in declared}
    for name in names:
        if name not in known:
            raise FidelityError(f"{name}: there is no measured trace of such a drive; use {', '.join(sorted(known))}")
    return [drive for drive in declared if not names or drive.description in names]


def one_run(
    options: argparse.Namespace, simulator: Simulator, drive: RealDrive, description: Path, name: str
) -> Comparison:
    """Makes one run. Raises FidelityError, ExecuteError, Stopped and RunError."""
    out = options.out / name
    trace = trace_of(options, drive)
    event_hash = run(simulator, words_of(drive, description, trace, options.platform, options.limit), out)
    return compare(drive, load_commands(out / "records.csv", trace), event_hash, whole_trace=options.limit == 0)


def trace_of(options: argparse.Namespace, drive: RealDrive) -> Path:
    """The trace's path: in the given folder, else beside a user's declaration, else where DiskSim's are."""
    beside = options.declaration.parent if options.declaration else TRACES
    folder: Path = options.traces or beside
    return folder / drive.trace


def description_of(drive: Path) -> Path:
    """The description's path: a file, or a name of sim/drives. Raises FidelityError."""
    if drive.suffix == ".json":
        raise FidelityError(f"{drive}: is no description; make one of these facts with ./headstack drive import {drive} -o X.toml")
    named = ROOT / "sim/drives" / f"{drive}.toml"
    return named if not drive.exists() and drive.parent == Path() and named.is_file() else drive


def drives_of(options: argparse.Namespace) -> list[RealDrive]:
    """The chosen drives. Raises FidelityError."""
    if options.drive:
        return [undeclared(description_of(options.drive), options.trace)]
    file = options.declaration or HERE / "real-drives.toml"
    return choose(load_declaration(file, ROOT / "sim/drives"), options.drives)


def compare_drive(options: argparse.Namespace, simulator: Simulator, drive: RealDrive) -> Comparison:
    """A drive without a bus, declared or published, is run once to learn it from the trace. Raises what one_run() raises."""
    compared = one_run(options, simulator, drive, drive.file, drive.description)
    hits = compared.bus
    if drive.run["bus"].source != "design" or hits is None or hits.given < FEWEST_HITS or not bus_can_do(byte_ns(hits)):
        return compared
    return one_run(options, simulator, with_bus(drive, byte_ns(hits)), drive.file, drive.description)


def corrections(
    options: argparse.Namespace, simulator: Simulator, drive: RealDrive, declared: Comparison
) -> list[Corrected]:
    """Runs with corrections of the platter from the trace, as long as it yields some. Raises what one_run() raises."""
    found: list[Corrected] = []
    skew, longer_ppm, latest = 0, 0.0, declared
    for step in range(1, MOST_CORRECTIONS + 1):
        more = round(latest.skew.value) if latest.skew is not None and latest.skew.found else 0
        if more == 0 and (longer_ppm or latest.speed is None or not latest.speed.found):
            break
        if more:
            skew += more
        else:
            longer_ppm = latest.speed.value
        name = f"{drive.description}-corrected-{step}"
        file = options.out / f"{name}.toml"
        write_corrected(drive.file, file, skew, longer_ppm)
        latest = one_run(options, simulator, drive, file, name)
        changes = [f"skews {skew:+d}"] if skew else []
        changes += [f"revolutions {longer_ppm:+.0f} ppm"] if longer_ppm else []
        told = ", ".join(changes).replace("-", "\N{MINUS SIGN}")
        found.append(Corrected(f"{drive.title}, {told}", longer_ppm, latest))
    return found


def fidelity(options: argparse.Namespace) -> list[Comparison]:
    """Carries out the command. Raises FidelityError, ExecuteError, RunError, OutputError, OSError and KeyboardInterrupt."""
    chosen = drives_of(options)
    for drive in chosen:
        if not trace_of(options, drive).is_file():
            remedy = "the folder of the traces" if options.declaration else "the folder of DiskSim's measured traces (its valid/)"
            remedy = "an existing file with --trace" if options.drive else f"{remedy} with --traces"
            raise FidelityError(f"{trace_of(options, drive)}: there is no such trace; give {remedy}")
    here = Simulator(options.program.resolve(), ROOT)
    with alone_in(options.out), open_place(options.executor, options.jobs, Workplace(here, {}, options.out)) as place:
        simulator = KeepingSimulator(simulator_at(place, here), Store(options.cache or options.out / "cache"))
        found = drive_by_drive(options, chosen, simulator, place)
        compared = [declared for declared, _ in found]
        corrected = [one for _, ones in found for one in ones]
        write_page(options.out, compared, corrected, options.platform, options.limit)
    return compared


def drive_by_drive(
    options: argparse.Namespace, drives: list[RealDrive], simulator: Simulator, place: Place
) -> list[tuple[Comparison, list[Corrected]]]:
    """Runs drives as declared and as corrected, several at a time. Raises what one_run() raises, and KeyboardInterrupt."""

    def whole(drive: RealDrive) -> tuple[Comparison, list[Corrected]]:
        compared = compare_drive(options, simulator, drive)
        return compared, corrections(options, simulator, compared.drive, compared)

    def name(drive: RealDrive) -> str:
        return drive.description

    try:
        with ThreadPoolExecutor(place.jobs) as workers:
            done = carry_out(Sweep(drives, whole, name, key=name, noun="drives"), workers, simulator.stop)
    except Failed as failed:
        raise failed.error from None
    if done.interrupted:
        raise KeyboardInterrupt
    return done.results


def figures(one: Comparison) -> dict[str, Any]:
    """The printed figures of a drive."""
    return {
        "drive": one.drive.description,
        "title": one.drive.title,
        "commands": one.whole.count,
        "simulated_mean_ms": one.whole.simulated_mean_ms,
        "real_mean_ms": one.whole.real_mean_ms,
        "demerit_ms": one.whole.demerit_ms,
        "demerit_share": one.whole.relative,
        "histogram_demerit_ms": one.histogram_demerit_ms,
        "disksim_demerit_ms": one.disksim_demerit_ms,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit statuses are in this file's head."""
    command = parser()
    # Intermixed, so that drives may stand after options.
    options = command.parse_intermixed_args(arguments)
    if options.limit < 0:
        command.error("--limit is 0 (all) or more")
    if (options.drive is None) != (options.trace is None):
        command.error("--drive and --trace go together: a description and what was measured on such a drive")
    if options.drive and (options.declaration or options.drives or options.traces):
        command.error("--drive and --trace stand alone: leave the declaration, its drives and --traces out")
    end_as_on_ctrl_c()
    try:
        compared = fidelity(options)
    except (FidelityError, ExecuteError, RunError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("headstack: interrupted; runs that are done are kept, and the same command continues", file=sys.stderr)
        return 130
    if options.json:
        print(json.dumps([figures(one) for one in compared], indent=2))
        return 0
    for one in compared:
        whole, published = one.whole, one.disksim_demerit_ms
        print(
            f"{one.drive.title:<32} {whole.count:>6} commands  mean {whole.simulated_mean_ms:.3f} ms for "
            f"{whole.real_mean_ms:.3f}  demerit {whole.demerit_ms:.3f} ms ({100 * whole.relative:.1f} %), "
            f"by histograms {one.histogram_demerit_ms:.3f}"
            + ("" if published is None else f" (DiskSim's {published:.3f})")
        )
        print(f"  bus: {one.bus_note}")
    print(options.out / "fidelity.html")
    return 0


if __name__ == "__main__":
    run_program(main)
