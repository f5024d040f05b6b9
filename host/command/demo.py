# SPDX-License-Identifier: Apache-2.0
"""headstack demo: two drives, then a real trace under two schedulers."""

import os
import shlex
from pathlib import Path

from bootstrap import RELEASE, ROOT, CommandError, prepare, wait_for
from programs import FRONT_END, RUN, find

FOLDER = "build/demo"
PAGE = f"{FOLDER}/report.html"
TRACE = "traces/measured/ext4-git-sqlite.trace"


def steps() -> list[str]:
    """What follows `headstack`, step by step."""
    lines: list[str] = []
    for drive in ("cheetah_9lp", "eagle"):
        lines += [f"drive info {drive}", f"drive locate {drive} --lba 123456", f"drive plot {drive} --out {FOLDER}"]
    lines.append("drive access eagle --lba 400000 --from-cylinder 100")
    for policy in ("fcfs", "stf"):
        lines.append(f"run --drive cheetah_9lp --trace {TRACE} --policy {policy} --depth 32 --limit 600 "
                     f"--verify --out {FOLDER}/{policy} --force")  # fmt: skip
    runs = f"{FOLDER}/fcfs {FOLDER}/stf"
    return [*lines, f"compare {runs}", f"report {runs} -o {PAGE}"]


def demo() -> None:
    """Raises CommandError."""
    os.environ["HEADSTACK_PRESET"] = RELEASE
    prepare([FRONT_END, RUN], RELEASE, translate=True)
    os.chdir(ROOT)
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    with open(os.devnull, "rb") as nothing:
        for step in steps():
            print(f"\n$ ./headstack {step}", flush=True)
            found = find(shlex.split(step))
            assert found is not None, step
            program, words = found
            if wait_for([*program.line(), *words], stdin=nothing.fileno()) != 0:
                raise CommandError(f"the demo stopped at: ./headstack {step}\n  the message above gives the reason")
    # The report has printed its conclusion, and then its file.
    print(f"\nThat is the demo's result. Open {PAGE} in a browser: it begins with these sentences, and shows why.\n"
          "Next: docs/tutorial.md")  # fmt: skip
