# SPDX-License-Identifier: Apache-2.0
"""What programs say of their own command lines, and commands made of that: for pages and completion, never to run.

`PROGRAM --describe` prints a command as JSON:

    name, text       how it is called, and what it does
    behind           what follows the options on its page
    options          names: -o, --output; none of a word by its place, whose `word` says what it is
                     value: what stands for its value, null: it takes none; choices: the values there are, if few
                     default, text: for people; required, many: true or false
    commands         the commands below it, each likewise
    keys             of commands that take a scenario: the paths of its keys, with their meanings (added here)
"""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import values
from bootstrap import RELEASE, CommandError, build_folder, chosen_preset
from programs import RUN, Program

FOLDER = "host/command"


def file_of(program: Program) -> str:
    """The file in which the build leaves the description."""
    return "-".join(program.command) + ".json"


def load(program: Program) -> dict[str, Any] | None:
    """The program's description; None: it is not built yet."""
    for preset in (chosen_preset(), RELEASE):
        file = Path(build_folder(preset), FOLDER, file_of(program))
        if file.is_file():
            described: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            return described
    return None


def describe(program: Program) -> dict[str, Any]:
    """Asks the program, which is built. Raises CommandError."""
    below = [word for word in program.words if not word.startswith("-")]  # commands of the program
    line = [word for word in program.line() if word not in below]
    done = subprocess.run([*line, "--describe"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CommandError(f"{' '.join(line)} --describe: {done.stderr.strip()}")
    described: dict[str, Any] = json.loads(done.stdout)
    if program.binary == RUN:
        described["keys"] = _keys_of(line[0])
    for word in below:
        described = next(one for one in described["commands"] if one["name"] == word)
    return described


def _keys_of(run: str) -> dict[str, str]:
    """The keys of a scenario, by the program's own schema."""
    done = subprocess.run([run, "--keys", "--json"], capture_output=True, text=True, check=True)
    keys: dict[str, str] = {}

    def walk(path: str, schema: dict[str, Any]) -> None:
        sections = [one for one in (schema, *schema.get("anyOf", [])) if "properties" in one]
        # Rows of a list, and what is laid over a drive's file, are no keys of a command line.
        if path and (not sections or path in ("drive.design", "drive.specimen")):
            keys[path] = schema.get("description", "")
            return
        for section in sections:
            for name, below in section["properties"].items():
                walk(f"{path}.{name}" if path else name, below)

    walk("", json.loads(done.stdout))
    return keys


class Described(click.Command):
    """A program's command, with the text after its options."""

    def __init__(self, name: str, about: str, params: list[click.Parameter], behind: str) -> None:
        super().__init__(name, help=about, short_help=about, params=params)
        self.behind = behind


def _type_of(option: dict[str, Any], keys: dict[str, str] | None = None) -> click.ParamType[Any]:
    if option["word"] is not None and keys:
        return values.Setting(keys)
    if option["choices"]:
        return click.Choice(option["choices"])
    return values.Value((option["value"] or "").strip("[]."), option["names"])


def _parameters(options: Iterable[dict[str, Any]], keys: dict[str, str] | None = None) -> list[click.Parameter]:
    found: list[click.Parameter] = []
    for number, option in enumerate(options):
        if "--help" in option["names"]:
            continue  # every command has it
        if option["word"] is not None:
            typed = option["word"] + ("..." if option["many"] else "")
            found.append(Word(
                [f"word{number}"], metavar=typed if option["required"] else f"[{typed}]", required=False,
                nargs=-1 if option["many"] else 1, type=_type_of(option, keys), about=option["text"]))  # fmt: skip
            continue
        text = option["text"]
        default = option["default"].strip("[]")  # CLI11's way to write a list
        if default and f"({default})" not in text:
            text = f"{text} ({default})"
        is_flag = option["value"] is None
        found.append(click.Option(
            [*option["names"], f"option{number}"], help=text, is_flag=is_flag, multiple=option["many"] and not is_flag,
            type=None if is_flag else _type_of(option), metavar=None if is_flag else option["value"]))  # fmt: skip
    return found


class Word(click.Argument):
    """An argument, with what it is for people."""

    def __init__(self, *args: Any, about: str, **keys: Any) -> None:
        super().__init__(*args, **keys)
        self.about = about


def command_of(name: str, about: str, described: dict[str, Any] | None) -> click.Command:
    """A command of what its program says; without, of its name alone."""
    if described is None:
        return Described(name, about, [], "")
    if not described["commands"]:
        return Described(name, about, _parameters(described["options"], described.get("keys")), described["behind"])
    group = click.Group(name, help=about, short_help=about)
    for below in described["commands"]:
        group.add_command(command_of(below["name"], below["text"], below))
    return group
