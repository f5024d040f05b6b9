# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario over axes and seeds: table with 95 % intervals and paired differences, CSV, JSON, picture.

    sweep_command.py RUN_PROGRAM [FILE.toml] KEY=VALUE,VALUE,... [seeds=N] --out DIR [--jobs N] [--executor local|dask:ADDRESS]
                                 [--store DIR] [--force] [--json]

Exit status: 0 done; 1 unusable input, or a run failed; 2 a bad command line; 130 interrupted. Finished runs are kept, and the
same command continues.
"""

import argparse
import contextlib
import json
import os
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "output")]

try:
    from axes import SEEDS, Axis, Declaration, toml_of
    from command_line import CommandParser
    from execute.errors import ExecuteError
    from execute.places import Work, add_options, end_as_on_ctrl_c
    from execute.simulator import Simulator
    from execute.store import Store, canonical, hash_text
    from one_point import make
    from result_files import INTERRUPTED, OutputError, alone_in, keep_others, run, write_text
    from scenarios import relative_to, with_files
    from sweep_errors import SweepError, WordError
    from sweep_plot import draw_table
    from sweep_runs import Plan, carry_out_plan, declaration_of, make_plan
    from sweep_table import Table
except ImportError as missing:
    print(f"headstack: error: a Python package is missing ({missing}); run ./headstack setup", file=sys.stderr)
    sys.exit(1)

# Short names of the schema (host/scenario), as `headstack run` has them: flag, value, meaning. Waves are of one run.
SHORT_FLAGS = (
    ("drive", "DRIVE", "name of a drive in 'drive list', or path of a .toml file"),
    ("platform", "PLATFORM", "platform of the firmware: vp, rtl or native"),
    ("firmware", "FILE", "drive.elf to run in place of the build's own"),
    ("trace", "FILE", "I/O trace to replay"),
    ("loop", "LOOP", "when requests are issued: trace, open, closed or think"),
    ("limit", "N", "largest number of requests to replay"),
    ("hosts", "N", "number of hosts (initiators) on the bus"),
    ("depth", "N", "queue depth: most commands outstanding in the drive, summed over all hosts"),
    ("seed", "N", "seed of the data written (seeds=N has the seeds of random loads)"),
    ("verify", None, "every byte read is compared with what was last written"),
    ("policy", "POLICY", "scheduling policy"),
    ("cache", "CACHE", "cache mode: off, read or read-write"),
    ("deadlines", "HOW", "how deadlines reach the drive: none, message or cdl"),
)
SWEPT = "sweep.toml"
MARK = "# headstack sweep "  # begins the first line of SWEPT
FILES = ("sweep.txt", "sweep.md", "sweep.csv", "sweep.json", "sweep.png", SWEPT)
IDENTITY = "identity"
ELSEWHERE = "give another folder with --out, or --force to replace what is there"
MOST_SHOWN = 40  # values of an axis
MOST_TOLD = 10  # different messages of failed runs
EPILOG = """\
a,b,c is an axis. Commas after a ':' belong to the word, unless the key takes what follows by itself:
'policy=stf,gstf:group=210,frozen' has two values. [...] gives the values as a list: 'policy=["stf", "gscan:m=2"]'.
1..64 doubles, 1..10+3 has steps. seeds=N repeats each run with the seeds 1 to N of load.synthetic.
A key with one value is the same in all runs. 'headstack run --keys' lists all keys.
Example: headstack sweep drive=cheetah_9lp policy=fcfs,sstf,stf depth=1..64 seeds=3 load.synthetic.requests=2000 --out sweep
"""


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parses the command line. Short flags become words at their places, because the order of axes matters."""
    parser = CommandParser(
        prog="headstack sweep", description=(__doc__ or "").splitlines()[0], epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument(
        "words", nargs="*", metavar="FILE.toml|KEY=VALUE", help="scenario file, constants, axes, and seeds=N"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for table, CSV, JSON and picture")
    parser.add_argument("--force", action="store_true", help="replace another sweep's results in the folder of --out")
    parser.add_argument("--json", action="store_true", help="print sweep.json instead of the table")
    parser.add_argument("--store", type=Path, metavar="DIR", help="folder of finished runs, which are reused (default: build/sweep/store)")
    add_options(parser)
    for name, value, text in SHORT_FLAGS:
        if value is None:
            parser.add_argument(f"--{name}", dest=f"flag_{name}", action="store_true", help=text)
        else:
            parser.add_argument(f"--{name}", dest=f"flag_{name}", metavar=value, help=text)
    options = parser.parse_intermixed_args(as_words(sys.argv[1:] if arguments is None else arguments))
    # Of an abbreviated flag the parser alone knows the whole name.
    for name, value, _ in SHORT_FLAGS:
        given = getattr(options, f"flag_{name}")
        if given:
            options.words.append(f"{name}=true" if value is None else f"{name}={given}")
    return options


def as_words(arguments: Sequence[str]) -> list[str]:
    """The arguments with short flags as KEY=VALUE. A flag without its value stays, for the parser's error."""
    takes_value = {f"--{name}": value is not None for name, value, _ in SHORT_FLAGS}
    words: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        flag, equals, value = word.partition("=")
        if flag not in takes_value or (equals and not takes_value[flag]):
            words.append(word)
        elif equals:
            words.append(f"{flag[2:]}={value}")
        elif not takes_value[flag]:
            words.append(f"{flag[2:]}=true")
        elif rest and not rest[0].startswith("--"):
            words.append(f"{flag[2:]}={rest.pop(0)}")
        else:
            words.append(word)
    return words


def note(text: str) -> None:
    """Prints a note on standard error, because standard output belongs to the table."""
    if "HEADSTACK_QUIET" not in os.environ:
        print(f"headstack: {text}", file=sys.stderr)


def announce(plan: Plan) -> None:
    """Prints the values of each axis, which show what a range has become, and the number of runs."""
    for axis in plan.declared.axes:
        texts = [value.text for value in axis.values]
        if len(texts) > MOST_SHOWN:
            texts = [*texts[:MOST_SHOWN], "...", f"{texts[-1]} ({len(texts):,} values)"]
        note(f"{axis.key}: {', '.join(texts)}")
    seeds = f", with {len(plan.declared.seeds)} seeds each" if plan.declared.seeds else ""
    note(f"{plan.declared.count} runs of {len(plan.points)} scenarios{seeds}")


def _word_of(axis: Axis) -> str:
    """An axis as KEY=[...]: a list reads as the same values whatever commas they have."""
    return f"{axis.key}=[{', '.join(_in_list(value.setting) for value in axis.values)}]"


def _in_list(setting: str) -> str:
    """A setting as an item of a list in TOML: numbers as they are, words in quotes."""
    try:
        tomllib.loads(f"v = {setting}")
    except tomllib.TOMLDecodeError:
        return toml_of(setting)
    return setting


def command_of(declared: Declaration) -> str:
    """The command line that repeats the sweep from SWEPT, beside it."""
    words = [_word_of(axis) for axis in declared.axes]
    words += [f"{SEEDS}={len(declared.seeds)}"] if declared.seeds else []
    return shlex.join(["headstack", "sweep", SWEPT, *words, "--out", "DIR"])


def scenario_text(plan: Plan, folder: Path) -> str:
    """The content of SWEPT: the canonical scenario of the first run, with files as seen from the folder."""
    text = with_files(plan.points[0].scenario, plan.keys.files, relative_to(folder))
    return f"{MARK}{command_of(plan.declared).removeprefix('headstack sweep ')}\n{text}"


def keep_others_results(folder: Path, identity: str) -> None:
    """Refuses to overwrite files that are not of the sweep with this identity. Raises OutputError."""
    before = folder / "sweep.json"
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if before.is_file() and json.loads(before.read_text(encoding="utf-8")).get(IDENTITY) == identity:
            return
    for name in FILES:
        keep_others(folder / name, remedy=ELSEWHERE)


def write_results(table: Table, scenario: str, identity: str, folder: Path) -> None:
    """Writes all files of the table. Raises OutputError."""
    write_text(folder / "sweep.txt", table.to_text())
    write_text(folder / "sweep.md", table.to_markdown())
    write_text(folder / "sweep.csv", table.to_csv())
    write_text(folder / SWEPT, scenario)
    why_not = draw_table(table, folder / "sweep.png")
    if why_not:
        (folder / "sweep.png").unlink(missing_ok=True)
        note(f"no picture: {why_not}")
    # It is written last: its identity states that the files are this sweep's.
    write_text(folder / "sweep.json", json_of(table, identity))


def json_of(table: Table, identity: str) -> str:
    """The content of sweep.json."""
    return json.dumps(table.to_json() | {IDENTITY: identity}, indent=1) + "\n"


def tell(kind: str, told: Sequence[tuple[str, str]]) -> None:
    """Prints messages of runs, given as (run, message). Runs with the same message share a line, with the first run's settings."""
    by_message: dict[str, list[str]] = {}
    for name, message in told:
        by_message.setdefault(message, []).append(name)
    for message, names in list(by_message.items())[:MOST_TOLD]:
        more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
        print(f"headstack: {kind}: {names[0] or 'the run'}{more}: {message}", file=sys.stderr)
    if len(by_message) > MOST_TOLD:
        print(f"headstack: {kind}: {len(by_message) - MOST_TOLD} more messages are in sweep.json", file=sys.stderr)


def carry_out_here(simulator: Simulator, plan: Plan, options: argparse.Namespace, work: Work = make) -> Table:
    """Makes a plan's runs with the options --store, --executor and --jobs. Raises SweepError, ExecuteError and OutputError."""
    build = ROOT / "build/sweep"
    store = Store(options.store or build / "store")
    build.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=build))
    try:
        return carry_out_plan(
            simulator, plan, store=store, scratch=scratch, executor=options.executor, jobs=options.jobs, work=work
        )
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def status_of(command: Callable[[], int]) -> int:
    """The exit status of a command that makes a sweep, whose errors and interruption are printed."""
    try:
        return command()
    except KeyboardInterrupt:
        print("headstack: interrupted; what is done is kept, and the same command continues from there", file=sys.stderr)
        return INTERRUPTED
    except SweepError as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return error.status
    except (ExecuteError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1


def carry_out_in(folder: Path, simulator: Simulator, plan: Plan, options: argparse.Namespace) -> int:
    """Makes the runs, prints and writes the table. Returns the exit status. Raises SweepError, ExecuteError and OutputError."""
    scenario = scenario_text(plan, folder)
    identity = hash_text(canonical([scenario, len(plan.declared.seeds) or None]))
    if not options.force:
        keep_others_results(folder, identity)
    announce(plan)
    table = carry_out_here(simulator, plan, options)
    tell("warning", table.remarks)
    tell("error", [(failure.name, failure.message) for failure in table.failures])
    if table.rows:
        write_results(table, scenario, identity, folder)
        print(json_of(table, identity) if options.json else table.to_text(), end="")
    if table.interrupted:
        told = f"{folder} has what is done" if table.rows else "no run is done"
        print(
            f"headstack: interrupted with {len(table.rows)} of {table.wanted} runs done; {told}, and the same command continues "
            "from there",
            file=sys.stderr,
        )
        return INTERRUPTED
    if not table.rows:
        raise SweepError("no run ended well, so there is no table")
    note(f"wrote {folder}: {', '.join(name for name in FILES if (folder / name).exists())}")
    return 1 if table.failures else 0


def make_sweep(options: argparse.Namespace, simulator: Simulator) -> int:
    """Makes the sweep of a command line. Returns the exit status. Raises SweepError, ExecuteError and OutputError."""
    declared = declaration_of(simulator, options.words)
    if declared.count == 1:
        raise WordError(
            "there is one run, so there is nothing to compare; give a key several values, as in policy=fcfs,stf or depth=1..64, "
            "or seeds=5; 'headstack run' makes one run"
        )
    plan = make_plan(simulator, declared, options.jobs)
    with alone_in(options.out):
        return carry_out_in(options.out, simulator, plan, options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: this file's head lists them."""
    options = parse_arguments(arguments)
    end_as_on_ctrl_c()
    return status_of(lambda: make_sweep(options, Simulator(options.program.resolve(), ROOT)))


if __name__ == "__main__":
    run(main)
