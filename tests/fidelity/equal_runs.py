"""Random loads on rtl and on vp: the event logs are equal, edge by edge, and so are the records, byte for byte.

equal_runs.py RUN_PROGRAM HEADSTACK_PROGRAM [FIRST..LAST]

A seed makes a load: drive, policy, depth, bus, hosts, cache, tags, aborts, resets and the trace. One that differs is told
with the command lines that show it.
"""

import os
import random
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLATFORMS = ("rtl", "vp")
DEFAULT_SEEDS = "1..12"
# Without electronics to run it, as `drive check` says: sectors that no formatter could find in time.
NOT_RUNNABLE = {"abstract_1000_track"}
POLICIES = ["fcfs", "sstf", "scan", "cscan", "fscan", "vr", "gstf", "stf", "wstf", "wscan", "eschenbach"]
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
SIZES = ["8", "1:2,8:5,64:1", "16", "1,3,17,120", "8:4,33:1,256:1", "4"]


def drives() -> list[str]:
    found = sorted(path.stem for path in (ROOT / "sim/drives").glob("*.toml"))
    return [name for name in found if name not in NOT_RUNNABLE]


def trace_words(choose: random.Random, seed: int, count: int) -> list[str]:
    words = ["--pattern", choose.choice(["uniform", "zipf", "sequential", "mixed"]), "--count", str(count)]
    words += ["--sizes", choose.choice(SIZES), "--align", "1", "--read-share", f"{choose.uniform(0, 1):.2f}"]
    words += ["--arrivals", choose.choice(["poisson", "closed"]), "--rate", str(choose.choice([50, 200, 1000]))]
    return [*words, "--seed", str(seed), "--capacity", str(choose.choice([20_000, 80_000]))]


def run_words(choose: random.Random, seed: int) -> list[str]:
    words = ["--drive", choose.choice(drives()), "--policy", choose.choice(POLICIES), "--map-addresses", "fold"]
    words += ["--queue-depth", str(choose.choice([1, 2, 4, 8, 16, 32, 64, 200]))]
    words += ["--initiators", str(choose.choice([1, 1, 2, 3])), "--bus", choose.choice(["async", "fast", "fast-wide"])]
    words += ["--cdb", choose.choice(["10", "16", "mixed"]), "--qerr", choose.choice(["0", "0", "1", "3"])]
    words += ["--reordering", choose.choice(["restricted", "restricted", "unrestricted"])]
    words += ["--cache", choose.choice(["off", "off", "read", "read-write"]), "--seed", str(seed)]
    words += choose.choice([["--closed"], ["--open"]])
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


def first_difference(one: list[str], other: list[str]) -> int | None:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def compare(folders: list[Path]) -> str:
    """What differs; empty when nothing does. vp may go on behind the last command for a moment."""
    rtl, vp = (lines_of(folder / "events.txt") for folder in folders)
    at = first_difference(rtl, vp)
    if at is not None:
        return f"events differ from line {at + 1} of {len(rtl)} on: rtl '{rtl[at]}', vp '{vp[at]}'"
    if len(vp) < len(rtl):
        return f"rtl has {len(rtl)} events, vp {len(vp)}"
    rtl, vp = (lines_of(folder / "records.csv") for folder in folders)
    if rtl != vp:
        at = first_difference(rtl, vp)
        return f"records differ from line {'?' if at is None else at + 1} of {len(rtl)} on"
    return ""


def play(programs: tuple[str, str], seed: int) -> tuple[int, str]:
    """The seed, and what is wrong with it."""
    choose = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        trace = Path(name) / "load.trace"
        count = choose.choice([20, 40, 60])
        words = trace_words(choose, seed, count)
        subprocess.run([programs[1], "trace", "synth", *words, "-o", str(trace)], check=True, capture_output=True)
        common = [*run_words(choose, seed), "--trace", str(trace), "--event-log"]
        folders = [Path(name) / platform for platform in PLATFORMS]
        runs = [
            subprocess.run(
                [programs[0], *common, "--platform", platform, "--out", str(folder)], capture_output=True, text=True
            )
            for platform, folder in zip(PLATFORMS, folders, strict=True)
        ]
        codes = [run.returncode for run in runs]
        if codes[0] != codes[1]:
            wrong = f"rtl ended with {codes[0]}, vp with {codes[1]}: {runs[1].stderr.strip()[-300:]}"
        elif codes[0] != 0:
            wrong = f"both ended with {codes[0]}: {runs[0].stderr.strip()[-300:]}"
        else:
            wrong = compare(folders)
        if wrong:
            synth = shlex.join(["./headstack", "trace", "synth", *words, "-o", "load.trace"])
            wrong += f"\n  {synth}\n  ./headstack run {shlex.join(common)} --platform rtl|vp --out OUT"
        return seed, wrong


def main() -> int:
    run_program, headstack_program = sys.argv[1:3]
    first, last = (int(part) for part in (sys.argv[3] if len(sys.argv) > 3 else DEFAULT_SEEDS).split(".."))
    seeds = range(first, last + 1)
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, what in pool.map(lambda seed: play((run_program, headstack_program), seed), seeds):
            if what:
                wrong += 1
                print(f"seed {seed}: {what}", flush=True)
    print(f"{len(seeds) - wrong} of {len(seeds)} loads are the same on both platforms")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
