# SPDX-License-Identifier: Apache-2.0
"""headstack regress add NAME --from RUN [KEY=VALUE...]: makes a case of the scenario of a run.

The case has the canonical form of the scenario without its observers, which change no run. Files that the scenario names are copied
beside it, but not the shipped traces.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from case_file import FILE, load_case
from errors import RegressError
from scenario_keys import toml_of

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "output")]
sys.path.append(str(Path(__file__).resolve().parents[1] / "sweep"))

from command_line import CommandParser  # noqa: E402
from execute.simulator import Simulator  # noqa: E402
from result_files import make_folder, write_bytes, write_text  # noqa: E402
from scenarios import Schema, with_files  # noqa: E402
from sweep_errors import Refused  # noqa: E402

ADD = "add"
NAMES = {"drive.name": "drive", "load.trace": "load"}  # names of copies, without the suffix


def parse_add(words: Sequence[str]) -> argparse.Namespace:
    """Parses the command line after the program and `add`."""
    parser = CommandParser(prog="headstack regress add", description="Makes a regress case from the scenario of a run.")
    parser.add_argument("name", metavar="NAME", help="name of the new case in tests/golden, or a new folder in a suite of your own")
    parser.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="settings that override the scenario")
    parser.add_argument("--from", dest="source", type=Path, required=True, metavar="RUN",
                        help="folder of a run, or a scenario file")  # fmt: skip
    arguments = parser.parse_intermixed_args(list(words))
    for word in arguments.settings:
        if "=" not in word:
            parser.error(f"'{word}' is no setting; write KEY=VALUE")
    return arguments


def add_case(arguments: argparse.Namespace, simulator: Simulator, suite: Path, root: Path) -> Path:
    """Makes the case. @return its folder. Raises RegressError, ExecuteError and OutputError."""
    source = arguments.source / FILE if arguments.source.is_dir() else arguments.source
    if not source.is_file():
        raise RegressError(
            f"{source}: there is no such scenario; name the folder of a run that was given one, or a scenario's file"
        )
    named = Path(arguments.name)
    folder = (named if len(named.parts) > 1 else suite / named).resolve()
    if folder.exists():
        raise RegressError(f"{folder}: exists already; give another name, or remove it")
    schema = Schema(simulator)
    try:
        canonical = schema.canonical(str(source), arguments.settings)
        keys = schema.keys().files
    except Refused as refused:
        raise RegressError(str(refused)) from None
    copies = _Copies(folder, root / "traces")
    text = with_files(_without_observers(canonical), keys, copies.name)
    if "title" not in tomllib.loads(text):
        text = f"title = {toml_of(folder.name)}\n\n{text}"
    make_folder(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".add-") as name:
        fresh = Path(name) / folder.name
        make_folder(fresh)
        for copy, content in copies.contents.items():
            write_bytes(fresh / copy, content)
        write_text(fresh / FILE, text)
        load_case(fresh)  # raises for a key that no case may have
        os.chmod(fresh, 0o755)
        shutil.move(fresh, folder)
    return folder


def _without_observers(canonical: str) -> str:
    """The canonical scenario without the section [observe] and those below it."""
    sections = re.split(r"^(?=\[)", canonical, flags=re.M)
    return "".join(section for section in sections if not re.match(r"\[observe[.\]]", section)).rstrip("\n") + "\n"


class _Copies:
    """Copies of a scenario's files, for a case."""

    def __init__(self, folder: Path, traces: Path) -> None:
        """Prepares the copies. `folder` will be the case's; files in `traces` are shipped and stay there."""
        self._folder, self._traces = folder, traces.resolve()
        self.contents: dict[str, bytes] = {}

    def name(self, key: str, name: str) -> str:
        """The name of a file in the case's scenario, which may be a copy's. Raises RegressError."""
        file = Path(name).resolve()
        if file.is_relative_to(self._traces):
            return os.path.relpath(file, self._folder)
        copy = f"{NAMES.get(key, key.rpartition('.')[2])}{''.join(file.suffixes)}"
        while copy in self.contents or copy == FILE:
            copy = f"other-{copy}"
        try:
            self.contents[copy] = file.read_bytes()
        except OSError as error:
            raise RegressError(f"{key}: {name}: {error.strerror}; name a file that is there") from None
        return copy
