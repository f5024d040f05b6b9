# SPDX-License-Identifier: Apache-2.0
"""Scenarios as the simulator reads them: which keys there are, the canonical text, and the files that it names.

Only the simulator knows the schema. What it says of a wrong key or value reaches the user in its own words.
"""

import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axes import TITLE, toml_of
from inputs import Inputs
from sweep_errors import Refused, SweepError

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Simulator, said  # noqa: E402

PRINT, KEYS = "--print-scenario", "--keys"
A_LOAD = "load.synthetic.requests=1"
DRIVE_KEY = "drive.name"
# Keys that a sweep cannot have: all runs would write the same file, or read what the first has used up.
NOT_SHARED = {
    "drive.media": "is written by each run, so a run would depend on those before it; leave it out",
    "observe.waves.file": "is one file, and there are several runs; record the waves of one of them with 'headstack run'",
}
_KEY_LINE = re.compile(r"  ([a-z_.]+)(?: \(([a-z_]+)\))?")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True)
class Keys:
    """The parts of the schema that a sweep uses."""

    paths: dict[str, str]  # by short name
    files: frozenset[str]  # paths of keys that name files


class Schema:
    """The simulator's answers about scenarios. Threads may share it."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._known: dict[tuple[str, ...], bool] = {}
        self._texts: dict[tuple[str, ...], str] = {}

    def _ask(self, words: Sequence[str]) -> tuple[int, str, str]:
        """Runs the simulator: exit status, standard output, and the sentence of an error."""
        status, output, message = self._simulator.call(self._simulator.program, words)
        return status, output, said(status, message)

    def keys(self) -> Keys:
        """Short names, and keys that name files, from the simulator's list of keys. Raises Refused."""
        status, output, sentence = self._ask([KEYS])
        if status != 0:
            raise Refused(sentence, status)
        paths: dict[str, str] = {}
        files: set[str] = set()
        path = ""
        for line in output.splitlines():
            if match := _KEY_LINE.fullmatch(line):
                path = match[1]
                paths |= {match[2]: path} if match[2] else {}
            elif re.match(r"\s+file[,;]", line):
                files.add(path)
        return Keys(paths, frozenset(files))

    def canonical(self, file: str, settings: Sequence[str]) -> str:
        """The scenario in its canonical form. Raises Refused."""
        asked = (file, *settings) if file else tuple(settings)
        if asked not in self._texts:
            status, output, sentence = self._ask([*asked, PRINT])
            if status != 0:
                raise Refused(sentence, status)
            self._texts[asked] = output
        return self._texts[asked]

    def takes(self, file: str, constants: Sequence[str]) -> Callable[[str, str], bool]:
        """Whether a key takes a text as its value, by itself or beside the file and the constants (axes.Takes)."""

        def is_taken(key: str, text: str) -> bool:
            asked = (file, *constants, f"{key}={text}")
            if asked not in self._known:
                given = [file] if file else []
                contexts = ([A_LOAD], [*given, *constants], [*given, A_LOAD, *constants])
                self._known[asked] = any(self._ask([*words, f"{key}={text}", PRINT])[0] == 0 for words in contexts)
            return self._known[asked]

        return is_taken

    def lacks_a_load(self, refusal: Refused) -> bool:
        """Whether a scenario was refused because it has no requests. The empty scenario is refused with the same sentence."""
        _, _, of_empty = self._ask([PRINT])
        return str(refusal).rpartition("load: ")[2] == of_empty.rpartition("load: ")[2]


def has_chance(canonical: str) -> bool:
    """Whether the requests are random, so that seeds change them."""
    return "synthetic" in tomllib.loads(canonical).get("load", {})


def table_value(canonical: str, path: str) -> Any:
    """The value of a key; None if it has its default."""
    value: Any = tomllib.loads(canonical)
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def without_title(canonical: str) -> str:
    """The text without its title, which changes no run."""
    return "".join(line for line in canonical.splitlines(keepends=True) if not line.startswith(f"{TITLE} = "))


def with_files(canonical: str, keys: frozenset[str], rename: Callable[[str, str], str]) -> str:
    """The text with each file's name changed: rename(key, name). The canonical form has a key on a line."""
    lines, section = [], ""
    for line in canonical.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        key, equals, value = line.partition(" = ")
        path = f"{section}.{key}" if section else key
        if equals and path in keys:
            line = f"{key} = {_with_names(value, path, rename)}"
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _with_names(value: str, path: str, rename: Callable[[str, str], str]) -> str:
    """A value of a file key, a text or a list of texts, with the names changed."""
    return _QUOTED.sub(lambda text: toml_of(_renamed(path, json.loads(text[0]), rename)), value)


def _renamed(path: str, name: str, rename: Callable[[str, str], str]) -> str:
    """The changed name of a file. The name of a drive from sim/drives is no file, and stays."""
    if path == DRIVE_KEY and "/" not in name and not name.endswith(".toml"):
        return name
    return rename(path, name)


class Files:
    """The files of a sweep's scenarios: a token stands for each, made of its content, so that its place does not matter."""

    def __init__(self, inputs: Inputs) -> None:
        self.paths: dict[str, Path] = {}
        self._inputs = inputs
        self._tokens: dict[str, str] = {}

    def token(self, key: str, name: str) -> str:
        """The token of a file. The end of its name stays: readers tell some formats by it. Raises SweepError."""
        if key in NOT_SHARED:
            raise SweepError(f"{key}: {name} {NOT_SHARED[key]}")
        if name == "-":
            raise SweepError(f"{key}: standard input can be read once, and each run reads it; name a file")
        if name not in self._tokens:
            try:
                token = f"{self._inputs.hash(Path(name))}{''.join(Path(name).suffixes)}"
            except OSError as error:
                raise SweepError(f"{key}: {name}: {error.strerror}; name a file that is there") from None
            self._tokens[name] = token
            self.paths.setdefault(token, Path(name).resolve())
        return self._tokens[name]

    def named(self, text: str) -> str:
        """The text with the files' own names in the place of tokens."""
        for name, token in self._tokens.items():
            text = text.replace(token, name)
        return text


def relative_to(folder: Path) -> Callable[[str, str], str]:
    """A function for with_files(): it gives names as a scenario in the folder has them."""
    return lambda key, name: name if name == "-" else os.path.relpath(Path(name).resolve(), folder.resolve())
