# SPDX-License-Identifier: Apache-2.0
"""The parser of the commands that are no programs of their own, help, and completion."""

import os
import sys
from typing import Any

import click
from tree import make_tree

PROGRAM = "headstack"
WRONG_COMMAND_LINE = 2
WIDTH = 118


def told(error: click.ClickException) -> str:
    """The error in the words of the other programs."""
    if isinstance(error, click.NoSuchOption):
        what, near = f"unknown option '{error.option_name}'", error.possibilities
    elif isinstance(error, click.exceptions.NoSuchCommand):
        what, near = f"unknown command '{error.command_name}'", error.possibilities
    else:
        what, near = error.format_message().rstrip("."), None
    context = getattr(error, "ctx", None)
    path = context.command_path.removeprefix(PROGRAM).strip() if context else ""
    return f"{what}; did you mean '{near[0]}'?" if near else f"{what}; {f'{PROGRAM} help {path}'.strip()!r} tells more"


def run(words: list[str]) -> int:
    """Parses and carries out. @return the exit status. Raises CommandError."""
    tree = make_tree()
    instruction = os.environ.get("_HEADSTACK_COMPLETE")
    if instruction:
        from completion import answer

        return answer(tree, instruction)
    try:
        context: dict[str, Any] = {"max_content_width": WIDTH, "help_option_names": ["-h", "--help"]}
        if words[:1] == ["--version"]:
            words = ["version", *words[1:]]
        # Not main(): that writes an empty line when it is interrupted.
        with tree.make_context(PROGRAM, words, **context) as parsed:
            status = tree.invoke(parsed)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return WRONG_COMMAND_LINE
    except click.ClickException as error:
        print(f"headstack: error: {told(error)}", file=sys.stderr)
        return WRONG_COMMAND_LINE
    except click.exceptions.Exit as end:
        return end.exit_code
