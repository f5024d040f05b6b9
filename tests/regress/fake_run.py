#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In the place of headstack-run: does what the drive's name says, at once.

    sound      leaves the records in the file $FAKE_RECORDS, and what else an expectation reads
    failing    says so, with status 1
    sleeping   writes its process's number to $FAKE_ALIVE and sleeps
"""

import os
import sys
import time
from pathlib import Path


def word(name: str) -> str:
    """What follows it on the command line."""
    return sys.argv[sys.argv.index(name) + 1]


out, drive = Path(word("--out")), word("--drive")
out.mkdir(parents=True)
(out / "drive.toml").write_text(f'name = "{drive}"\n')
if drive == "failing":
    print("headstack: error: the arm fell off", file=sys.stderr)
    sys.exit(1)
if drive == "sleeping":
    with open(os.environ["FAKE_ALIVE"], "a", encoding="ascii") as alive:
        alive.write(f"{os.getpid()}\n")
    time.sleep(600)
(out / "records.csv").write_text(Path(os.environ["FAKE_RECORDS"]).read_text())
(out / "summary.json").write_text("{}\n")
if "--event-log" in sys.argv:
    (out / "events.txt").write_text("1 BOOTED 0\n")
