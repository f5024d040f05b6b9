# SPDX-License-Identifier: Apache-2.0
"""Random loads on rtl and on vp: event logs, register accesses and records are equal, byte for byte.

equal_runs.py RUN_PROGRAM HEADSTACK_PROGRAM [FIRST..LAST | new:COUNT | found] [--jobs N]

A seed makes a load: drive, flaws of its copy, policy and its words, depth, bus, hosts, cache, tags, aborts, resets,
deadlines and the trace. `new` takes COUNT seeds that nobody has run, and prints them; `found` plays the loads that have differed once.
A load that differs is told with the command lines that show it.

What a summary says of a run must be equal, too: times, counters, faults. So a run ends at the same time on both.
"""

import argparse
import json
import random
import re
import shlex
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

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

PLATFORMS = ("rtl", "vp")
TRACE = "load.trace"
DEFAULT_SEEDS = "new:6"
# Without electronics to run it: mean latency, which `native` alone serves.
NOT_RUNNABLE = {"abstract_1000_track"}
POLICIES = list(policies().values())
DEADLINE_POLICIES = [policies()[name] for name in ("edf", "dscan", "fdscan", "scanedf", "stfd", "walk")]
THRESHOLDS = ["space:1", "space:2", "free:1", "free:2", "time", "time:10", "time:100:0.5"]
LIMITS_EXCLUDE = {"--reset-every"}
BUSES = ["async", "fast", "fast-wide", "sync:204:8", "sync:324", "sync:100:15:wide", "sync:500:1",
         "sync:324:in=332.227:out=364.961", "sync:100:wide:in=100.1", "sync:200:3:out=999.9"]
CACHES = ["off", "off", "read", "read-write", "read:segments=1,read-ahead=0", "read-write:segments=3,segment-blocks=40"]
FLAWS = [
    'kind = "unreadable"', 'kind = "correctable"\nretries = 2', 'kind = "intermittent"\nprobability = 0.4',
    'kind = "decaying"\nhalf_reads = 2', 'kind = "write_fault"\nretries = 1', 'kind = "write_fault"\nretries = 0',
    'kind = "weak_write"\nretries = 1', 'kind = "bad_header"\nprobability = 0.5', 'kind = "no_sync"',
]  # fmt: skip
# Words of `run` that each N-th request gets, and how many loads in a hundred have them.
EVERY = {
    "--untagged-every": 15,
    "--head-of-queue-every": 20,
    "--ordered-every": 20,
    "--no-disconnect-every": 20,
    "--fua-every": 20,
    "--dpo-every": 10,
    "--verify-every": 20,
    "--flush-every": 20,
    "--abort-every": 15,
    "--clear-queue-every": 10,
    "--reset-every": 10,
}
# Of these a request has one, the first that it would get: `run` refuses words that leave nothing to a later one.
TAGS = ["--untagged-every", "--head-of-queue-every", "--ordered-every"]
SIZES = ["8", "1:2,8:5,64:1", "16", "1,3,17,120", "8:4,33:1,256:1", "4", "120:2,700:1"]
# A load has differed once: words of `trace synth`, words of `run`, and what was wrong.
FOUND = [
    # ATN rises between the bytes of an asynchronous data phase: ACK waited for it on rtl alone.
    (
        "--pattern sequential --count 20 --sizes 16 --read-share 0.46 --arrivals closed --seed 164 --capacity 20000",
        "--drive hp_c3323a --policy gstf --map-addresses fold --queue-depth 1 --initiators 1 --bus async --cdb 16 "
        "--qerr 1 --reordering unrestricted --cache off --seed 164 --open --head-of-queue-every 11 --ordered-every 4 "
        "--flush-every 7 --clear-queue-every 8",
    ),
]
# Of the summary: the platform, and the clock edges that it counts.
NOT_COMPARED = {"platform", "clock_on_share"}


def drives() -> list[str]:
    found = sorted(path.stem for path in (ROOT / "sim/drives").glob("*.toml"))
    return [name for name in found if name not in NOT_RUNNABLE]


def trace_words(choose: random.Random, seed: int, count: int) -> list[str]:
    pattern = choose.choice(["uniform", "zipf", "sequential", "mixed"])
    words = ["--pattern", pattern, "--count", str(count), "--sizes", "8" if count > 1000 else choose.choice(SIZES)]
    words += [] if pattern == "sequential" else ["--align", "1"]
    words += ["--read-share", f"{choose.uniform(0, 1):.2f}"]
    arrivals, rate = choose.choice(["poisson", "closed"]), choose.choice([50, 200, 1000])
    words += ["--arrivals", arrivals, *(["--rate", str(rate)] if arrivals == "poisson" else [])]
    return [*words, "--seed", str(seed), "--capacity", str(choose.choice([20_000, 80_000]))]


def copy_of(choose: random.Random, drive: str, blocks: list[int]) -> str:
    """A drive's description, with a speed, a head switch and flaws of this copy's own, some of them under `blocks`."""
    text = (ROOT / "sim/drives" / f"{drive}.toml").read_text()
    text = re.sub(r"(?ms)^\[\[?specimen[.\]].*?(?=^\[|\Z)", "", text)
    times = choose.uniform(0.7, 1.6)
    text = re.sub(r"(?m)^(head_switch_ms = )(.*)$", lambda found: f"{found[1]}{float(found[2]) * times:.3f}", text)
    text += f"\n[specimen]\nspeed_error_ppm = {choose.randint(-3000, 3000)}\nflaw_seed = {choose.randint(1, 10**6)}\n"
    for block in {choose.choice(blocks): None for _ in range(choose.choice([0, 2, 6]))}:
        text += f"\n[[specimen.flaws]]\n{choose.choice(FLAWS)}\nlba = {block}\n"
    if choose.randrange(3) == 0:
        text += f"\n[specimen.random]\narm_share = {choose.choice([0.02, 0.1])}\nmissing_index_share = 0.05\n"
    return text


def with_controller(choose: random.Random, text: str) -> tuple[str, list[str]]:
    """For half of the drives with a published controller: a description whose reads take free blocks or not, words of `run`."""
    if "[published.overheads_ms]" not in text or choose.randrange(2) == 0:
        return text, []
    reads_free = f"read_any_free_blocks = {choose.randrange(2)}"
    return re.sub(r"(?m)^read_any_free_blocks = \d$", reads_free, text), ["--controller", "published"]


def run_words(choose: random.Random, seed: int, count: int) -> list[str]:
    words = ["--policy", choose.choice(choose.choice(POLICIES)), "--map-addresses", "fold"]
    words += ["--queue-depth", str(1000 if count > 1000 else choose.choice([1, 2, 4, 8, 16, 32, 64, 200]))]
    words += ["--initiators", str(choose.choice([1, 1, 2, 3])), "--bus", choose.choice(BUSES)]
    words += ["--cdb", choose.choice(["10", "16", "mixed"]), "--qerr", choose.choice(["0", "0", "1", "3"])]
    words += ["--reordering", choose.choice(["restricted", "restricted", "unrestricted"])]
    words += ["--cache", choose.choice(CACHES), "--seed", str(seed)]
    words += choose.choice([["--closed"], ["--open"], ["--think", "--think-time", "3ms"]])
    if choose.randrange(4) == 0:
        words += ["--predictor-margin", str(choose.choice([0, 30, 900]))]
    if choose.randrange(6) == 0:
        words += ["--retry", choose.choice(["none", "all"])]
    if choose.randrange(3) == 0:
        words += ["--access-log"]
    tagged: list[int] = []
    for word, share in EVERY.items():
        if choose.randrange(100) >= share:
            continue
        every = choose.randint(3, 12)
        if word in TAGS:
            if any(every % before == 0 for before in tagged):
                continue
            tagged.append(every)
        words += [word, str(every)]
    return words


def deadline_words(choose: random.Random) -> tuple[list[str], list[str]]:
    """Words of `trace synth` and of `run` that give one load in three deadlines, and most of those the drive hears of."""
    if choose.randrange(3) != 0:
        return [], []
    synth = ["--slack", choose.choice(["0ms:1ms", "1ms:40ms", "10ms:500ms"])]
    synth += choose.choice([[], ["--best-effort-share", "0.4"]])
    synth += choose.choice([[], ["--service-streams", "3"]]) + choose.choice([[], ["--priorities", "15"]])
    return synth, ["--deadlines", choose.choice(["message", "message", "message", "none"])]


def urgent_words(choose: random.Random, run: list[str]) -> list[str]:
    """Words that take the place of those of a load with deadlines: a policy that knows them, limits of durations."""
    words = []
    if choose.randrange(2) == 0:
        words += ["--policy", choose.choice(choose.choice(DEADLINE_POLICIES))]
    # What takes modes back, or has no place for a descriptor, does not go with limits: `run` refuses it.
    if choose.randrange(2) == 0 and not LIMITS_EXCLUDE & set(run):
        words += ["--deadlines", "cdl", "--cdl-policy", choose.choice(["complete", "abort"])]
    return words


def threshold_words(choose: random.Random, run: list[str]) -> list[str]:
    """A write threshold for half of the loads whose writes are cached."""
    cache = run[run.index("--cache") + 1]
    if not cache.startswith("read-write") or choose.randrange(2) != 0:
        return []
    return ["--write-threshold", choose.choice(THRESHOLDS)]


def upkeep_words(choose: random.Random) -> list[str]:
    """What one load in four has the drive keep on its media."""
    if choose.randrange(4) != 0:
        return []
    return ["--save-every", str(choose.randint(4, 12)), "--reassign-every", str(choose.randint(4, 12))]


def replaced(words: list[str], new: list[str]) -> list[str]:
    """The words, where an option of `new` stands in the place of the same one before."""
    words = list(words)
    for option, value in zip(new[::2], new[1::2], strict=True):
        if option in words:
            words[words.index(option) + 1] = value
        else:
            words += [option, value]
    return words


def first_difference(one: list[str], other: list[str]) -> int | None:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def facts_of(path: Path) -> dict[str, str]:
    """Each figure of a summary by its path; without those of NOT_COMPARED."""
    facts: dict[str, str] = {}

    def walk(place: str, value: object) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                if key not in NOT_COMPARED:
                    walk(f"{place}/{key}", part)
        else:
            facts[place] = json.dumps(value)

    walk("", json.loads(path.read_text()))
    return facts


def compare(folders: list[Path]) -> str:
    """What differs; empty when nothing does."""
    for name in ("events.txt", "records.csv", "accesses.txt"):
        if not (folders[0] / name).exists():
            continue
        rtl, vp = (lines_of(folder / name) for folder in folders)
        at = first_difference(rtl, vp)
        if at is not None:
            return f"{name} differs from line {at + 1} of {len(rtl)} on: rtl '{rtl[at]}', vp '{vp[at]}'"
        if len(vp) != len(rtl):
            return f"{name}: rtl has {len(rtl)} lines, vp {len(vp)}"
    rtl_facts, vp_facts = (facts_of(folder / "summary.json") for folder in folders)
    for key in sorted(rtl_facts.keys() | vp_facts.keys()):
        if rtl_facts.get(key) != vp_facts.get(key):
            return f"summary.json, {key}: rtl has {rtl_facts.get(key)}, vp {vp_facts.get(key)}"
    return ""


def blocks_of(trace: Path) -> list[int]:
    """The first blocks of its requests; in a closed loop a line may begin with the operation."""
    found = (re.match(r"(?:\S+ )?[RW] (\d+) ", line) for line in lines_of(trace))
    return [int(match[1]) for match in found if match]


@dataclass
class Load:
    """Words of `trace synth` and of `run`."""

    name: str
    synth: list[str]
    run: list[str]
    choose: random.Random | None = None  # of a load that runs on a copy of a drive, which `run` names: makes it


def load_of(seed: int) -> Load:
    choose = random.Random(seed)
    count = 1200 if seed % 50 == 0 else choose.choice([20, 30, 40])
    synth, run = trace_words(choose, seed, count), run_words(choose, seed, count)
    # By themselves: all else of a seed's load stays as it was.
    synth_deadlines, run_deadlines = deadline_words(random.Random(f"deadlines of {seed}"))
    synth, run = synth + synth_deadlines, run + run_deadlines
    if synth_deadlines:
        run = replaced(run, urgent_words(random.Random(f"urgency of {seed}"), run))
    run = replaced(run, threshold_words(random.Random(f"threshold of {seed}"), run))
    run = replaced(run, upkeep_words(random.Random(f"upkeep of {seed}")))
    return Load(f"seed {seed}", synth, [*run, "--drive", f"copy-{seed}.toml"], choose)


def play(simulator: Simulator, headstack: Path, load: Load) -> str:
    """What is wrong with the load. Leaves the copy of its drive then."""
    run = [*load.run, "--trace", TRACE, "--event-log"]
    synth = ["trace", "synth", *load.synth, "-o", TRACE]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        status, _, message = simulator.call(headstack, synth, folder)
        if status != 0:
            raise ExecuteError(f"{load.name}: {shlex.join(synth)}: {message.strip()}")
        copy = folder / load.run[-1]
        if load.choose:
            text = copy_of(load.choose, load.choose.choice(drives()), blocks_of(folder / TRACE))
            text, controller = with_controller(random.Random(f"controller of {load.name}"), text)
            copy.write_text(text)
            run += controller
        ends = [simulator.run_in(folder, [*run, "--platform", platform], Path(platform)) for platform in PLATFORMS]
        codes = [end.status for end in ends]
        if codes[0] != codes[1]:
            wrong = f"rtl ended with {codes[0]}, vp with {codes[1]}: {ends[1].message[-300:]}"
        elif codes[0] != 0:
            wrong = f"both ended with {codes[0]}: {ends[0].message[-300:]}"
        else:
            wrong = compare([folder / platform for platform in PLATFORMS])
        if wrong and load.choose:
            shutil.copy(copy, copy.name)
    if not wrong:
        return ""
    return (
        f"{wrong}\n  {shlex.join(['./headstack', *synth])}\n"
        f"  {shlex.join(['./headstack', 'run', *run])} --platform rtl|vp --out OUT"
    )


def loads_of(word: str) -> list[Load]:
    """What the command line asks for."""
    if word == "found":
        return [Load("found before", synth.split(), run.split()) for synth, run in FOUND]
    return [load_of(seed) for seed in seeds_of(word)]


def main() -> int:
    parser = CommandParser(prog="headstack fuzz platforms", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("headstack", type=Path, help=argparse.SUPPRESS)
    seeds = "new:N, N seeds that nobody has run; FIRST..LAST; or found: loads that differed once (%(default)s)"
    parser.add_argument("seeds", nargs="?", default=DEFAULT_SEEDS, metavar="SEEDS", help=seeds)
    add_jobs(parser)
    options = parser.parse_args()
    if not re.fullmatch(r"new:[1-9]\d*|\d+\.\.\d+|found", options.seeds):
        parser.error(f"'{options.seeds}' are no seeds; say {DEFAULT_SEEDS}, 1..12 or found")
    end_as_on_ctrl_c()
    simulator, headstack = Simulator(options.run.resolve(), ROOT), options.headstack.resolve()
    loads = loads_of(options.seeds)

    def tell(load: Load, what: str) -> None:
        if what:
            print(f"{load.name}: {what}", flush=True)

    sweep = Sweep(
        loads, lambda load: play(simulator, headstack, load), name=lambda load: load.name, key=id, tell=tell,
        is_trouble=bool, noun="loads",
    )  # fmt: skip
    try:
        with ThreadPoolExecutor(jobs_here(options.jobs)) as workers:
            done = carry_out(sweep, workers, simulator.stop)
    except Failed as failed:
        print(f"headstack: error: {failed}", file=sys.stderr)
        return 1
    print(f"{done.results.count('')} of {len(loads)} loads are the same on both platforms")
    return INTERRUPTED if done.interrupted else 0 if done.results.count("") == len(loads) else 1


if __name__ == "__main__":
    run_program(main)
