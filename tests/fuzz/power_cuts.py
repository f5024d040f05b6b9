# SPDX-License-Identifier: Apache-2.0
"""Random loads whose power is cut at every write of a sector: what was acknowledged is there when power returns.

power_cuts.py RUN_PROGRAM [FIRST..LAST | new:COUNT] [--platform vp|native|rtl] [--cuts N] [--jobs N]

A seed makes a load. It draws the drive, policy, depth and hosts, and a write cache that is on, off or changes. It draws FUA,
flushes, tags, aborts, resets, saved mode pages and moved blocks. In some loads the drive moves its units from map to map, and counts
what it serves. In some it has blocks that it cannot write, and moves them by itself. In some a small drive is formatted. In some it
has mode page 21h of a slower controller, of any times and any of its bits. The trace stays in a corner of the drive, so that
commands overlap.
`headstack torture` cuts it, with the sector under the head finished or torn. A finding comes with the command line that repeats it,
and with its trace.
"""

import argparse
import json
import random
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from capacities import PAPER_CAPACITY, SMALL_CAPACITY  # noqa: E402
from policy_table import policies  # noqa: E402
from seed_range import seeds_of  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "host"), str(ROOT / "host/output")]

from command_line import CommandParser  # noqa: E402
from execute.errors import ExecuteError  # noqa: E402
from execute.places import add_jobs, end_as_on_ctrl_c, jobs_here  # noqa: E402
from execute.simulator import Simulator  # noqa: E402
from execute.sweep import Failed, Sweep, carry_out  # noqa: E402
from result_files import INTERRUPTED  # noqa: E402
from result_files import run as run_program  # noqa: E402

DEFAULT_SEEDS = "new:10"
POLICIES = list(policies().values())
# Drives of the loads. The last two have no store: beside blocks, they keep only volatile state.
DRIVES = ["zoned_179mb", "hp_c2247a", "hp_c3323a", "cheetah_4lp", "cheetah_9lp", "atlas_10k", "eagle", "mvax_71mb"]
# In this percentage of loads the drive moves its blocks.
MOVES = 30
FLAWS = 15
FORMATS = 15
# Percentages of loads: page 21h has a random controller; among those with maps, the drive learns.
CONTROLLERS = 40
LEARNS = 40
SMALL = "tests/power/small.toml"
# A format writes the whole drive, so only some of its writes are cut.
FORMAT_CUTS = ["--every", "37"]
MOVING_DRIVE = "paper_179mb"
CACHES = [
    ["settings.cache=off"],
    ["settings.cache=read-write"],
    ["settings.cache=read-write:segments=3,segment-blocks=40"],
    ['settings.cache=["off", "read-write"]', "hosts.every.cache=4"],
    ['settings.cache=["read-write", "off"]', "hosts.every.cache=7"],
]
# Keys for what hosts do at each N-th request, and the percentage of loads that have them.
EVERY = {
    "hosts.every.ordered": 20,
    "hosts.every.fua": 40,
    "hosts.every.flush": 40,
    "hosts.every.abort": 10,
    "hosts.every.clear_queue": 5,
    "hosts.every.bus_reset": 10,
    "hosts.every.save": 60,
    "hosts.every.reassign": 60,
}


@dataclass
class Load:
    seed: int
    trace: str
    run: list[str]
    files: dict[str, str] = field(default_factory=dict)  # files beside the trace, by name


@dataclass
class Outcome:
    cuts: int
    finding: str  # empty if there is none


def trace_of(choose: random.Random, first: int, corners: Sequence[int] = (40, 200, 2000)) -> str:
    corner = choose.choice(corners)
    lines = ["headstack-trace 1", "time-unit us", "loop closed", "requests"]
    for _ in range(choose.choice([15, 30, 60])):
        operation = choose.choices("WRF", [60, 30, 10])[0]
        if operation == "F":
            lines.append("- F 0 0 -")
        else:
            lines.append(f"- {operation} {first + choose.randrange(corner)} {choose.choice([1, 1, 2, 4, 8, 16])} -")
    return "\n".join(lines) + "\n"


def has(words: list[str], key: str) -> bool:
    return any(word.startswith(f"{key}=") for word in words)


def flawed(choose: random.Random, seed: int, words: list[str], first: int) -> dict[str, str]:
    """The drive of these words with blocks that it cannot find. A saved AWRE makes it move them."""
    name = f"power-{seed}-drive.toml"
    text = (ROOT / f"sim/drives/{words[1]}.toml").read_text()
    for lba in choose.sample(range(first, first + 40), choose.randint(1, 6)):
        text += f'\n[[specimen.flaws]]\nkind = "{choose.choice(["bad_header", "no_sync"])}"\nlba = {lba}\n'
    words[1] = name
    if not has(words, "hosts.every.save"):
        words.append(f"hosts.every.save={choose.randint(2, 9)}")
    return {name: text}


def formatted(choose: random.Random, words: list[str]) -> None:
    words[1] = str(ROOT / SMALL)
    words += [f"hosts.every.format={choose.randint(6, 15)}", *FORMAT_CUTS]
    # The drive refuses a change of the cache during a format.
    if has(words, "hosts.every.cache"):
        words[:] = [word for word in words if not word.startswith(("settings.cache=", "hosts.every.cache="))]


# Keys of [published.overheads_ms]. The second list is for a drive that leaves the bus once more before a write's data.
OVERHEADS = ["per_request", "data_prep", "first_reselect", "other_reselect", "read_completion", "write_completion", "minimum_seek_delay"]
OVERHEADS += [f"{verb}_{place}_after_{last}" for verb in ("read", "write") for place in ("hit", "miss") for last in ("read", "write")]
LEAVES_ONCE_MORE = ["extradisc_command", "extradisc_delay", "extradisc_disconnect", "extradisc_second_disconnect", "extradisc_seek_delta"]


def controller(choose: random.Random, load: Load) -> None:
    """Gives the load's drive overheads and facts of a cache, from which drive.controller published sets mode page 21h."""
    name = f"power-{load.seed}-drive.toml"
    shipped = ROOT / f"sim/drives/{load.run[1]}.toml"
    text = load.files.get(name) or (shipped if shipped.exists() else Path(load.run[1])).read_text()
    published = re.compile(r"^\[published\.(overheads_ms|cache)\]\n(?:(?!\[).*\n?)*", re.M)
    keys = OVERHEADS + (LEAVES_ONCE_MORE if choose.randrange(100) < 50 else [])
    # 0 means none: no time of the drive's own, or no such stage.
    overheads = {key: choose.choice([0, 0, 0.05, 0.3, 0.9, 1.7]) for key in keys}
    cache = {
        "read_water_mark": choose.choice([0, 0.25, 0.5, 1]),
        "readahead_mode": choose.choice([0, 1, 3, 4]),
        "readahead_on_idle_hit": choose.choice([0, 1]),
        "readahead_over_requested": choose.choice([0, 1]),
        "read_hits_on_written": choose.choice([0, 1]),
        "combine_seq_writes": choose.choice([0, 1]),
        "read_any_free_blocks": choose.choice([0, 1]),
    }
    text = published.sub("", text)
    for table, values in (("overheads_ms", overheads), ("cache", cache)):
        text += f"\n[published.{table}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())
    load.files[name] = text
    load.run[1] = name
    load.run.append("drive.controller=published")


def load_of(seed: int, platform: str) -> Load:
    choose = random.Random(seed)
    load = plain_load_of(choose, seed, platform)
    if choose.randrange(100) < CONTROLLERS:
        controller(choose, load)
    return load


def plain_load_of(choose: random.Random, seed: int, platform: str) -> Load:
    words = ["--drive", choose.choice(DRIVES), "--platform", platform, "--seed", str(seed), *choose.choice(CACHES)]
    words += ["--policy", choose.choice(choose.choice(POLICIES)), "--depth", str(choose.choice([1, 1, 2, 4, 8]))]
    words += ["--hosts", str(choose.choice([1, 1, 2]))]
    words.append(f"settings.reordering={choose.choice(['restricted', 'restricted', 'unrestricted'])}")
    words.append(f"faults.power_loss={choose.choice(['finished', 'torn'])}")
    words += [f"{key}={choose.randint(2, 9)}" for key, share in EVERY.items() if choose.randrange(100) < share]
    kind = choose.randrange(100)
    if kind >= MOVES + FLAWS + FORMATS:
        return Load(seed, trace_of(choose, choose.randrange(20_000)), words)
    if kind >= MOVES + FORMATS:
        first = choose.randrange(20_000)
        return Load(seed, trace_of(choose, first), words, flawed(choose, seed, words, first))
    if kind >= MOVES:
        formatted(choose, words)
        return Load(seed, trace_of(choose, 0, [40, 200, SMALL_CAPACITY - 16]), words)
    words[1] = MOVING_DRIVE
    words += [f"hosts.every.map={choose.randint(3, 12)}", "remap.use=[1, 2, 0]"]
    words += [f"remap.share_percent={choose.choice([0, 30, 80])}", f"remap.idle_ms={choose.choice([0, 1, 10])}"]
    unit = choose.choice([4, 8, 16, 160])
    first = PAPER_CAPACITY - unit * choose.randint(5, 60) - choose.randrange(unit)
    maps = {}
    for name in (f"power-{seed}-map1.json", f"power-{seed}-map2.json"):
        slots = list(range((PAPER_CAPACITY - first) // unit))
        choose.shuffle(slots)
        maps[name] = json.dumps({"format": "headstack-map-1", "first_block": first, "unit_blocks": unit, "slots": slots})
    words.append(f"remap.maps={json.dumps(list(maps))}")
    if choose.randrange(100) < LEARNS:
        words.append(f"remap.learn_blocks={unit * choose.randint(1, 4)}")
    return Load(seed, trace_of(choose, max(0, PAPER_CAPACITY - 2016 - choose.randrange(200))), words, maps)


def play(simulator: Simulator, load: Load, cuts: int, out: Path) -> Outcome:
    """Plays a load. Leaves the files of a load with a finding in folder `out`."""
    trace = f"power-{load.seed}.trace"
    torture = ["--torture", "--cut-seed", str(load.seed), "--jobs", "1"]
    torture += ["--cuts", str(cuts)] if cuts else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / trace).write_text(load.trace)
        for file, text in load.files.items():
            (folder / file).write_text(text)
        end = simulator.run_in(folder, [*load.run, "--trace", trace, *torture], Path("out"))
        done = end.summary().get("torture", {}).get("cuts", 0) if (end.folder / "summary.json").exists() else 0
        if end.status == 0:
            return Outcome(done, "")
        finding = f"{end.message}\n  load: {shlex.join(load.run)} --trace {trace}"
        out.mkdir(parents=True, exist_ok=True)
        for file in (trace, *load.files):
            shutil.copy(folder / file, out / file)
            finding = finding.replace(file, str(out / file))
    return Outcome(done, finding)


def main() -> int:
    parser = CommandParser(prog="headstack fuzz power", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, help=argparse.SUPPRESS)
    seeds = "new:N, N seeds that nobody has run; or FIRST..LAST (%(default)s)"
    parser.add_argument("seeds", nargs="?", default=DEFAULT_SEEDS, metavar="SEEDS", help=seeds)
    parser.add_argument("--platform", choices=["vp", "native", "rtl"], default="native", help="platform of the runs (%(default)s)")
    parser.add_argument("--cuts", type=int, default=0, metavar="N", help="largest number of cuts per load; 0: all")
    parser.add_argument("--out", type=Path, default=Path("build/power-findings"), metavar="DIR", help="folder for the findings (%(default)s)")
    add_jobs(parser)
    options = parser.parse_args()
    if not re.fullmatch(r"new:[1-9]\d*|\d+\.\.\d+", options.seeds):
        parser.error(f"'{options.seeds}' are no seeds; say {DEFAULT_SEEDS} or 1..12")
    end_as_on_ctrl_c()
    simulator = Simulator(options.run.resolve(), ROOT)
    loads = [load_of(seed, options.platform) for seed in seeds_of(options.seeds)]

    def tell(load: Load, outcome: Outcome) -> None:
        if outcome.finding:
            print(f"seed {load.seed}: {outcome.finding}", flush=True)

    sweep = Sweep(
        loads, lambda load: play(simulator, load, options.cuts, options.out), name=lambda load: f"seed {load.seed}", key=id, tell=tell,
        is_trouble=lambda outcome: bool(outcome.finding), noun="loads",
    )  # fmt: skip
    try:
        with ThreadPoolExecutor(jobs_here(options.jobs)) as workers:
            done = carry_out(sweep, workers, simulator.stop)
    except (Failed, ExecuteError) as failed:
        print(f"headstack: error: {failed}", file=sys.stderr)
        return 1
    wrong = sum(bool(outcome.finding) for outcome in done.results)
    print(f"{sum(outcome.cuts for outcome in done.results)} cuts in {len(done.results)} loads: {wrong} loads with findings")
    return INTERRUPTED if done.interrupted else 1 if wrong else 0


if __name__ == "__main__":
    run_program(main)
