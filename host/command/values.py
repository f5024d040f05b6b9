# SPDX-License-Identifier: Apache-2.0
"""Possible values of options, for completion, by their names in the command line's page."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from bootstrap import ROOT, build_folder, chosen_preset
from click.shell_completion import CompletionItem
from programs import FRONT_END


def _stems(folder: str) -> list[str]:
    return sorted(file.stem for file in Path(ROOT, folder).glob("*.toml"))


def _policies() -> list[str]:
    """The policies that the front end lists, if it is built."""
    line = [str(Path(build_folder(chosen_preset()), FRONT_END)), "policy", "list", "--json"]
    try:
        done = subprocess.run(line, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [policy["name"] for policy in json.loads(done.stdout)]


# Names that the tree has; files are always an answer, too.
NAMES = {
    "DRIVE": lambda: _stems("sim/drives"),
    "EXPERIMENT": lambda: _stems("host/experiment"),
    # The first word of regress may also be `canaries`.
    "SUITE|CASE": lambda: ["canaries", *sorted(one.name for one in Path(ROOT, "tests/golden").iterdir() if one.is_dir())],
    "POLICY": lambda: _policies(),
}
FOLDERS = ("DIR", "FOLDER")
NUMBERS = ("INT", "UINT", "FLOAT", "N", "S", "SEED", "COUNT", "PIXELS", "T", "ID")


class Value(click.ParamType[Any]):
    """Any text."""

    name = "text"

    def __init__(self, value: str, names: Sequence[str] = ()) -> None:
        self._value = value
        # An option that is called as the things it takes needs no other word.
        self._known = next((key for key in (value, *(name.lstrip("-").upper() for name in names)) if key in NAMES), "")

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names that begin so; else files or folders, where those may stand."""
        if self._known:
            found = [CompletionItem(name) for name in NAMES[self._known]() if name.startswith(incomplete)]
            if found:
                return found
        if self._value in NUMBERS:
            return []
        return [CompletionItem(incomplete, type="dir" if self._value in FOLDERS else "file")]


class Setting(click.ParamType[Any]):
    """A scenario's file, or KEY=VALUE."""

    name = "setting"

    def __init__(self, keys: Mapping[str, str]) -> None:
        self._keys = keys

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Keys that begin so, each with its '='; else files."""
        found = [CompletionItem(f"{key}=", help=text) for key, text in self._keys.items() if incomplete and key.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]
