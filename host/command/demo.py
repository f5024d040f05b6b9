# SPDX-License-Identifier: Apache-2.0
"""headstack demo: two drives, then a real trace under two schedulers."""

import os
import shlex
import time
from pathlib import Path

from bootstrap import RELEASE, ROOT, CommandError, prepare, wait_for
from programs import FRONT_END, RUN, find

FOLDER = "build/demo"
TRACE = "traces/measured/ext4-git-sqlite.trace"


def steps() -> list[str]:
    """What follows `headstack`, step by step."""
    lines = []
    for drive in ("cheetah_9lp", "eagle"):
        lines += [f"drive info {drive}", f"drive locate {drive} --lba 123456", f"drive plot {drive} --out {FOLDER}"]
    lines.append("drive access eagle --lba 400000 --from-cylinder 100")
    for policy in ("fcfs", "stf"):
        lines.append(f"run --drive cheetah_9lp --trace {TRACE} --policy {policy} --depth 32 --limit 600 "
                     f"--verify --out {FOLDER}/{policy} --force")  # fmt: skip
    runs = f"{FOLDER}/fcfs {FOLDER}/stf"
    return [*lines, f"compare {runs}", f"report {runs} -o {FOLDER}/report.html"]


def demo() -> None:
    """Raises CommandError."""
    os.environ["HEADSTACK_PRESET"] = RELEASE
    prepare([FRONT_END, RUN], RELEASE, translate=True)
    os.chdir(ROOT)
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with open(os.devnull, "rb") as nothing:
        for step in steps():
            print(f"\n$ ./headstack {step}", flush=True)
            found = find(shlex.split(step))
            assert found is not None, step
            program, words = found
            if wait_for([*program.line(), *words], stdin=nothing.fileno()) != 0:
                raise CommandError(f"the demo stopped at: ./headstack {step}\n  the message above gives the reason")
    print(f"\nThe demo took {time.monotonic() - begun:.1f} s; its pictures are in {FOLDER}:")
    for file in sorted(path for path in Path(FOLDER).rglob("*") if path.is_file()):
        print(f"  {file}")
