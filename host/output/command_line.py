# SPDX-License-Identifier: Apache-2.0
"""What every command in Python has of its command line: one line for an error, its description, progress if it is wanted.

    parser = CommandParser(prog="headstack report", description="...")   # an argparse.ArgumentParser otherwise

PROGRAM --describe prints what the command line takes, as JSON; host/command/description.py says what the keys mean.
host/cli/describe.hpp and host/output/progress.hpp are the same for the programs in C++.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
DESCRIBE = "--describe"
WRONG_COMMAND_LINE = 2


def progress_wanted() -> bool:
    """Standard error is a terminal, and `headstack --quiet` did not ask for silence."""
    return "HEADSTACK_QUIET" not in os.environ and sys.stderr.isatty()


def nearest(word: str, known: Sequence[str]) -> str:
    """did you mean ...: the known word that `word` is spelt most like, or "" when none is near."""
    near = get_close_matches(word, known, n=1)
    return f"did you mean '{near[0]}'?" if near else ""


class CommandParser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are one line, with the nearest option for one that is unknown."""

    _words: Sequence[str] = ()

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        self._describe_for(args)
        return super().parse_args(args, namespace)

    def parse_intermixed_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        self._describe_for(args)
        return super().parse_intermixed_args(args, namespace)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        self._words = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Ends the program."""
        # Before what is missing: a misspelt option is often the one that is.
        for word in self._words:
            option = word.partition("=")[0]
            if option.startswith("--") and option != "--" and not any(one.startswith(option) for one in self._options()):
                remedy = nearest(option, self._options()) or f"'{self.prog} --help' lists them"
                self._fail(f"unknown option '{option}'; {remedy}")
        self._fail(f"{message}; '{self.prog} --help' tells more")

    def _fail(self, message: str) -> NoReturn:
        self.exit(WRONG_COMMAND_LINE, f"headstack: error: {message}\n")

    def _options(self) -> list[str]:
        """Names of the options, with those of the commands below."""
        names = [name for action in self._actions for name in action.option_strings]
        for command in self._commands().values():
            names += command._options()
        return names

    def _commands(self) -> dict[str, "CommandParser"]:
        """The parsers of the commands below, by name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}

    def _describe_for(self, args: Sequence[str] | None) -> None:
        words = sys.argv[1:] if args is None else args
        if DESCRIBE in words[-1:]:
            print(json.dumps(self._description(), indent=2))
            self.exit()

    def _description(self) -> dict[str, Any]:
        options = [
            _option(action)
            for action in self._actions
            if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)
        ]
        return {
            "name": self.prog.split()[-1],
            "text": self.description or "",
            "behind": self.epilog or "",
            "options": options,
            "commands": [command._description() for command in self._commands().values()],
        }


def _option(action: argparse.Action) -> dict[str, Any]:
    """One option or word."""
    takes_value = action.nargs != 0
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper().replace("_", "-")
    is_set = takes_value and action.default not in (None, argparse.SUPPRESS, [], "")
    default = str(action.default).removeprefix(f"{ROOT}/") if is_set else ""
    text = (action.help or "").replace("%(default)s", default).replace("%%", "%")
    # Many a text says it in better words: "(all processors)".
    if text == default or any(word in text for word in ("(", "default", "if not given")):
        default = ""
    return {
        "names": list(action.option_strings),
        "word": None if action.option_strings else value,
        "value": value if takes_value else None,
        "choices": [str(choice) for choice in action.choices or ()],
        "default": default,
        "required": action.required and action.nargs != "*",
        "many": action.nargs in ("*", "+"),
        "text": text,
    }
