#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In the place of headstack-run: does what the drive's name says, at once.

    sound      leaves the records in the file $FAKE_RECORDS, on rtl those in $FAKE_RTL_RECORDS, and what else an expectation reads
    failing    says so, with status 1
    sleeping   writes its process's number to $FAKE_ALIVE and sleeps

The first word is a scenario. With --print-scenario it is printed, and nothing runs. --keys lists no key.
"""

import os
import sys
import time
import tomllib
from pathlib import Path


def word(name: str) -> str:
    """The word that follows `name` on the command line."""
    return sys.argv[sys.argv.index(name) + 1]


if sys.argv[1] == "--keys":
    sys.exit()
scenario = Path(sys.argv[1])
if "--print-scenario" in sys.argv:
    print(scenario.read_text())
    sys.exit()
out, drive = Path(word("--out")), tomllib.loads(scenario.read_text())["drive"]
out.mkdir(parents=True)
(out / "drive.toml").write_text(f'name = "{drive}"\n')
if drive == "failing":
    print("headstack: error: the arm fell off", file=sys.stderr)
    sys.exit(1)
if drive == "sleeping":
    with open(os.environ["FAKE_ALIVE"], "a", encoding="ascii") as alive:
        alive.write(f"{os.getpid()}\n")
    time.sleep(600)
records = os.environ["FAKE_RTL_RECORDS" if "platform=rtl" in sys.argv else "FAKE_RECORDS"]
(out / "records.csv").write_text(Path(records).read_text())
(out / "summary.json").write_text("{}\n")
if "observe.events=true" in sys.argv:
    (out / "events.txt").write_text("1 BOOTED 0\n")
