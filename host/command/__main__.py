# SPDX-License-Identifier: Apache-2.0
"""The command line of headstack, behind the script of that name.

    python host/command COMMAND...

A command that is a program of its own becomes it at once (programs.py); the others are in cli.py.
Exit status: that of the command; 1 it failed; 2 the command line is wrong; 130 interrupted.
"""

import os
import site
import sys

from bootstrap import CommandError, end_on_interrupt
from programs import find

INTERRUPTED = 130


def main(words: list[str]) -> int:
    """The exit status."""
    if "_HEADSTACK_COMPLETE" not in os.environ:
        found = find(words)
        if found is not None:
            program, rest = found
            program.start(rest)
    # The script starts without it, for the sake of those that became another program.
    site.main()
    import cli

    sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "output"))
    from result_files import run

    run(lambda: cli.run(words))


if __name__ == "__main__":
    # The script holds interrupts back until here.
    end_on_interrupt()
    try:
        sys.exit(main(sys.argv[1:]))
    except CommandError as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
