# SPDX-License-Identifier: Apache-2.0
"""The run in the pictures of docs/: two reads of 4 KB on a Cheetah 9LP on vp, and the second on rtl with waves.

The first read only brings the drive up to speed and to a known place. Each process makes everything once, in a temporary folder.
"""

import csv
import dataclasses
import functools
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from registers import ROOT
from verilog import SourceError

TRACE = Path(__file__).with_name("two_reads.trace")
COMMAND = 1  # of the trace: the read that is shown
EDGE_PS = 25_000
_LIMIT_S = 900


@dataclasses.dataclass(frozen=True)
class Event:
    """A line of the event log."""

    time_ps: int
    name: str
    argument: int


@dataclasses.dataclass(frozen=True)
class Run:
    """What a run left of the command that is shown."""

    folder: Path
    events: tuple[Event, ...]
    record: dict[str, int]

    @property
    def begin_ps(self) -> int:
        """When the host submitted the command."""
        return self.record["submitted_ps"]

    @property
    def end_ps(self) -> int:
        """When it heard of its end."""
        return self.record["completed_ps"]


def program(name: str) -> Path:
    """A program of the build whose preset HEADSTACK_PRESET names. Raises SourceError when it is not built."""
    path = ROOT / "build" / os.environ.get("HEADSTACK_PRESET", "release") / "host" / name
    if not path.is_file():
        raise SourceError(f"there is no {path.relative_to(ROOT)}; build it with './headstack build'")
    return path


def simulate(platform: str, folder: Path, *words: str) -> None:
    """A run with its events, in the tree's root. Raises SourceError when it fails."""
    name = "headstack-run-rtl" if platform == "rtl" else "headstack-run"
    line = [str(program(name)), *words, "--platform", platform, "observe.events=true", "--out", str(folder)]
    environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=_LIMIT_S, check=False, env=environment)
    if done.returncode:
        raise SourceError(f"{shlex.join(line)}: status {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")


def _run(platform: str, *more: str) -> Run:
    folder = Path(_folder().name) / platform
    simulate(platform, folder, "--drive", "cheetah_9lp", "--trace", str(TRACE), "--policy", "fcfs", *more)
    with (folder / "records.csv").open(encoding="utf-8") as file:
        row = list(csv.DictReader(file))[COMMAND]
    record = {name: int(value) for name, value in row.items() if name == "lba" or name.endswith("_ps")}
    begin, end = record["submitted_ps"], record["completed_ps"] + 10**7
    return Run(folder, tuple(event for event in events_of(folder) if begin <= event.time_ps <= end), record)


def events_of(folder: Path) -> list[Event]:
    """All of a run."""
    lines = (folder / "events.txt").read_text(encoding="utf-8").splitlines()
    return [Event(int(edge) * EDGE_PS, name, int(argument, 16)) for edge, name, argument in map(str.split, lines)]


@functools.cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="docs-")


@functools.cache
def on_vp() -> Run:
    """The run on vp."""
    return _run("vp")


@functools.cache
def on_rtl() -> Run:
    """The run on rtl with waves of the command; its event log has to be vp's."""
    run = _run("rtl", "--wave", str(Path(_folder().name) / "rtl/run.fst"), f"observe.waves.windows=cmd:{COMMAND}")
    if run.events != on_vp().events:
        raise SourceError("the event logs of rtl and vp differ; try 'headstack fuzz platforms'")
    return run


Changes = dict[str, list[tuple[int, str]]]


@functools.cache
def _dump(waves: Path) -> tuple[dict[str, str], Changes]:
    """The code of each signal, and the changes of each code: read once, for it takes seconds."""
    done = subprocess.run(["fst2vcd", str(waves)], capture_output=True, text=True, check=True, timeout=_LIMIT_S)
    path: list[str] = []
    codes: dict[str, str] = {}
    found: Changes = {}
    lines = iter(done.stdout.splitlines())
    for line in lines:
        words = line.split()
        if words[:1] == ["$scope"]:
            path.append(words[2])
        elif words[:1] == ["$upscope"]:
            path.pop()
        elif words[:1] == ["$var"]:
            codes.setdefault(".".join([*path, words[4]]), words[3])
        elif words[:1] == ["$enddefinitions"]:
            break
    time = 0
    for line in lines:
        first = line[:1]
        if first == "#":
            time = int(line[1:])
        elif first in ("0", "1", "x", "z"):
            found.setdefault(line[1:], []).append((time, first))
        elif first in ("b", "r"):
            value, _, code = line[1:].partition(" ")
            found.setdefault(code, []).append((time, value))
    return codes, found


def changes(names: Iterable[str]) -> Changes:
    """When each signal changed, in ps, and to what: bits, or a real number as text."""
    return changes_of(on_rtl().folder / "run.fst", names)


def changes_of(waves: Path, names: Iterable[str]) -> Changes:
    """The same of a file of waves."""
    codes, found = _dump(waves)
    wanted = list(names)
    for name in wanted:
        if name not in codes:
            raise SourceError(f"the waves have no signal {name}")
    return {name: found.get(codes[name], []) for name in wanted}
