# SPDX-License-Identifier: Apache-2.0
"""Processor time of a request on vp, with full records, against another simulator's: DiskSim, or an older build.

    bench_peer.py RUN_PROGRAM --against COMMAND [--name NAME] [--loads "POLICY:DEPTH ..."] [--count N] [--pairs N]

COMMAND is the peer's command line; it goes to no shell. Each run replaces in it
    {disksim_trace}  the requests as DiskSim's ASCII trace: 4 KB reads, all there at 0 ms, so that the queue stays full
    {trace}          the same in headstack's format, in a closed loop
    {drive} {policy} {depth} {count}   as in `headstack run`; {count} requests are in the trace
    {out}            an empty folder
and {{ and }} by a brace. DiskSim takes policy and depth from its parameter file. Make one for each load, with the drive's own
queue as long as the depth, and the cache off:
    --name DiskSim --against "disksim peer/{policy}_{depth}.parv {out}/statistics ascii {disksim_trace} 0"
An older build, whose tree is OLD:
    --against "env HEADSTACK_ROOT=OLD OLD/build/release/host/headstack-run --platform vp --drive {drive}
        --trace {trace} --policy {policy} --depth {depth} --out {out} --force"

The two run in pairs, each first in every other one, whole runs from start to end; what counts is user and system time.
A ratio above 1: headstack takes longer.
"""

import argparse
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from bench_replay import BLOCKS, capacity_of, fail, set_environment, write_trace  # noqa: E402
from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

LOADS = "fcfs:8 stf:64 stf:256"
PLACEHOLDERS = ("disksim_trace", "trace", "drive", "policy", "depth", "count", "out")
HEADSTACK = ("--platform vp --drive {drive} --trace {trace} --policy {policy} --depth {depth} --out {out} --force"
             .split())


@dataclass(frozen=True)
class Load:
    """Depth and the scheduler's policy."""

    policy: str
    depth: int

    def __str__(self) -> str:
        return f"{self.policy} depth {self.depth}"


@dataclass(frozen=True)
class Comparison:
    """Seconds of processor time of whole runs, in pairs."""

    ours: list[float]
    peers: list[float]

    def ratios(self) -> list[float]:
        """Sorted."""
        return sorted(our / peer for our, peer in zip(self.ours, self.peers, strict=True))

    def __str__(self) -> str:
        ratios = self.ratios()
        return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"


def loads_of(text: str) -> list[Load]:
    """POLICY:DEPTH, with blanks between."""
    loads = [re.fullmatch(r"(.+):([1-9]\d*)", word) for word in text.split()]
    if not loads or None in loads:
        raise argparse.ArgumentTypeError(f"'{text}' is not such as '{LOADS}'")
    return [Load(load[1], int(load[2])) for load in loads if load]


def words_of(text: str) -> list[str]:
    """A command line as words, whose placeholders are known."""
    try:
        words = shlex.split(text)
        filled(words, dict.fromkeys(PLACEHOLDERS, ""))
    except (ValueError, LookupError, AttributeError) as error:
        known = " ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise argparse.ArgumentTypeError(f"'{text}' cannot be read ({error}); placeholders are {known}") from None
    if not words:
        raise argparse.ArgumentTypeError("is empty; give the peer's command line")
    return words


def filled(words: list[str], values: dict[str, str]) -> list[str]:
    """The words with their placeholders replaced."""
    return [word.format_map(values) for word in words]


def write_disksim_trace(trace: Path, out: Path) -> None:
    """The reads of a trace of `write_trace`, in DiskSim's ASCII format: ms, device, block, blocks, flags (1: read)."""
    places = re.findall(r"^- R (\d+) ", trace.read_text(encoding="ascii"), re.MULTILINE)
    out.write_text("".join(f"0.000000 0 {place} {BLOCKS} 1\n" for place in places), encoding="ascii")


def processor_seconds(line: list[str]) -> float:
    """User and system time of a program and what it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    except OSError as error:
        fail(f"{line[0]}: cannot be run: {error.strerror}; --against takes a command line whose first word is a program")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        fail(f"'{shlex.join(line)}' ended with status {done.returncode}: {said or 'it said nothing'}")
    if seconds <= 0:
        fail(f"'{shlex.join(line)}' took no processor time that the system noticed; give more --count")
    return seconds


def compare(ours: list[str], peer: list[str], values: dict[str, str], folder: Path, pairs: int) -> Comparison:
    """Pairs of runs, each in a new folder."""
    seconds: dict[str, list[float]] = {"ours": [], "peer": []}
    sides = [("ours", ours), ("peer", peer)]
    for pair in range(pairs):
        for name, words in sides if pair % 2 == 0 else sides[::-1]:
            with tempfile.TemporaryDirectory(dir=folder) as out:
                seconds[name].append(processor_seconds(filled(words, values | {"out": out})))
    return Comparison(seconds["ours"], seconds["peer"])


def row(name: str, drive: str, pairs: int, results: dict[Load, Comparison]) -> str:
    """A row for the README."""
    loads = "; ".join(f"{load}: {result}" for load, result in results.items())
    return (f"| `vp`, 4 KB random reads on {drive} with full records: processor time a request, in units of {name}'s, "
            f"median and spread of {pairs} pairs | {loads} |")


def arguments() -> argparse.Namespace:
    """The command line."""
    about = (__doc__ or "").split("\n\n")
    parser = CommandParser(prog="headstack bench peer", description=about[0], epilog="\n\n".join(about[2:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--against", type=words_of, required=True, metavar="COMMAND", help="command line of the peer, with placeholders")
    parser.add_argument("--name", help="name of the peer in the table (default: its program's)")
    parser.add_argument("--loads", type=loads_of, default=LOADS, metavar="POLICY:DEPTH...", help="loads, separated by blanks (%(default)s)")
    parser.add_argument("--drive", default="cheetah_9lp", help="drive of the runs (%(default)s)")
    parser.add_argument("--count", type=int, default=20_000, help="requests per run (%(default)s)")
    parser.add_argument("--pairs", type=int, default=7, help="number of pairs of runs (%(default)s)")
    options = parser.parse_args()
    if options.count < 100 or options.pairs < 2:
        parser.error("--count is 100 or more, --pairs 2 or more")
    return options


def main() -> None:
    """Runs, and prints a table and a row of Markdown."""
    options = arguments()
    set_environment()
    program = options.program.resolve()
    name = options.name or Path(options.against[0]).name
    results: dict[Load, Comparison] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        values = {"trace": f"{folder}/trace", "disksim_trace": f"{folder}/disksim.trace", "drive": options.drive,
                  "count": str(options.count)}
        write_trace(folder / "trace", options.count, capacity_of(program, options.drive))
        write_disksim_trace(folder / "trace", folder / "disksim.trace")
        print(f"{options.count} reads of 4 KB on {options.drive}; processor time, medians of {options.pairs} pairs")
        print(f"peer: {name}\n")
        print(f"{'us a request':<20}{'headstack':>12}{'peer':>12}   ratio (spread)")
        for load in options.loads:
            result = compare([str(program), *HEADSTACK], options.against,
                             values | {"policy": load.policy, "depth": str(load.depth)}, folder, options.pairs)
            ours, peers = (1e6 * statistics.median(side) / options.count for side in (result.ours, result.peers))
            print(f"{load!s:<20}{ours:>12.2f}{peers:>12.2f}   {result}", flush=True)
            results[load] = result
    print(f"\n{row(name, options.drive, options.pairs, results)}")


if __name__ == "__main__":
    run_program(main)
