# SPDX-License-Identifier: Apache-2.0
"""Part of the build: which commands describe themselves, and what one of them says.

    describe.py --list              COMMAND;FILE.json;TARGET or SCRIPT, a line for each
    describe.py COMMAND FILE.json   asks the program of the command

HEADSTACK_PRESET names the build.
"""

import json
import sys

from bootstrap import CommandError
from description import describe, file_of
from programs import PROGRAMS


def main(words: list[str]) -> None:
    """Raises CommandError."""
    described = [program for program in PROGRAMS if program.describes]
    if words == ["--list"]:
        for program in described:
            print(" ".join(program.command), file_of(program), program.binary or program.script, sep=";")
        return
    command, file = words
    program = next(one for one in described if " ".join(one.command) == command)
    with open(file, "w", encoding="utf-8") as out:
        json.dump(describe(program), out, indent=1)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except CommandError as error:
        sys.exit(f"headstack: error: {error}")
