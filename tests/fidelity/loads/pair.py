# SPDX-License-Identifier: Apache-2.0
"""A load on both platforms, and everything that the two runs leave, compared."""

import errno
import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from execute.simulator import Ended, Simulator

from .load import DRIVE, TRACE, Load

PLATFORMS = ("rtl", "vp")
OUT = "out"
TORTURE = "--torture"  # the program's word for the command `headstack torture`
PIECE_BYTES = 1 << 20
# Files of a run by line; those of the electronics alone, such as waves, are not compared.
TEXTS = ["events.txt", "records.csv", "accesses.txt", "ledger.txt", "profile.txt", "counts.json"]
BYTES = ["timeline.perfetto", "../media.img"]
# Keys of the summary that differ: the platform, its clock gating, and the clock edges that it counts.
NOT_COMPARED = {"platform", "clock_on_share", "gating"}
CLOCK_SHARE = re.compile(r"; clock on [0-9.]+ % of the time")
PLATFORM_WORDS = re.compile(r"(--platform|platform\.kind)[= ](rtl|vp)")
# A run may end with 1 because it is asked to judge, or because a flaw leaves the drive no other way. Any other failure is told.
EXPECTED_FAILURES = [
    re.compile(r"stop\.fail_on missed-deadline"),
    re.compile(r"faults\.power_cut .*: the run was over before"),
    re.compile(r"the drive has given up moving its blocks"),
]


def first_difference(one: list[str], other: list[str]) -> int | None:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


def facts_of(summary: dict[str, Any]) -> dict[str, str]:
    """Each figure of a summary by its path; without those of NOT_COMPARED."""
    facts: dict[str, str] = {}

    def walk(place: str, value: object) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                if key not in NOT_COMPARED:
                    walk(f"{place}/{key}", part)
        else:
            facts[place] = json.dumps(value)

    walk("", summary)
    return facts


def differ_in_text(name: str, paths: list[Path]) -> str:
    rtl, vp = (path.read_text().splitlines() for path in paths)
    at = first_difference(rtl, vp)
    if at is not None:
        return f"{name} differs from line {at + 1} of {len(rtl)} on: rtl '{rtl[at]}', vp '{vp[at]}'"
    return "" if len(rtl) == len(vp) else f"{name}: rtl has {len(rtl)} lines, vp {len(vp)}"


def next_data(file: BinaryIO, at: int, end: int) -> int:
    """Where data begin from byte `at` on; `end` if only a hole follows. A media file is a drive's whole capacity, mostly holes."""
    try:
        return os.lseek(file.fileno(), at, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return end


def first_byte_that_differs(files: list[BinaryIO], end: int) -> int:
    """The first byte before `end` that differs; `end` if none does. It holds a piece of the files at a time."""
    at = 0
    while (at := min(next_data(file, at, end) for file in files)) < end:
        pieces = [os.pread(file.fileno(), min(PIECE_BYTES, end - at), at) for file in files]
        if pieces[0] != pieces[1]:
            return at + next(i for i, (a, b) in enumerate(zip(*pieces, strict=True)) if a != b)
        at += len(pieces[0])
    return end


def differ_in_bytes(name: str, paths: list[Path]) -> str:
    rtl, vp = (path.stat().st_size for path in paths)
    with paths[0].open("rb") as first, paths[1].open("rb") as second:
        at = first_byte_that_differs([first, second], min(rtl, vp))
    if at == rtl == vp:
        return ""
    return f"{name} differs from byte {at} on: rtl has {rtl} bytes, vp {vp}"


def differ_in_summary(paths: list[Path]) -> str:
    rtl, vp = (facts_of(json.loads(path.read_text())) for path in paths)
    for key in sorted(rtl.keys() | vp.keys()):
        if rtl.get(key) != vp.get(key):
            return f"summary.json, {key}: rtl has {rtl.get(key)}, vp {vp.get(key)}"
    return ""


def compare(folders: list[Path]) -> str:
    """What differs; empty when nothing does."""
    kinds: list[tuple[list[str], Callable[[str, list[Path]], str]]] = [(TEXTS, differ_in_text), (BYTES, differ_in_bytes)]
    for names, differ in kinds:
        for name in names:
            paths = [folder / name for folder in folders]
            there = [path.exists() for path in paths]
            if there[0] != there[1]:
                return f"{name}: only {PLATFORMS[there.index(True)]} has it"
            if there[0] and (wrong := differ(name, paths)):
                return wrong
    summaries = [folder / "summary.json" for folder in folders]
    if wrong := differ_in_summary(summaries):
        return wrong
    texts = [CLOCK_SHARE.sub("", (folder / "summary.txt").read_text()) for folder in folders]
    return "" if texts[0] == texts[1] else "summary.txt differs"


@dataclass(frozen=True)
class Verdict:
    """How a load ended. `wrong` is empty for one that is equal; `is_refused` when `run` did not take its words."""

    wrong: str
    is_refused: bool = False

    @property
    def kind(self) -> str:
        """What a smaller load must show, too: the file that differs."""
        return re.split(r"[ :,]", self.wrong)[0]


def judge(ends: list[Ended]) -> Verdict:
    said = [PLATFORM_WORDS.sub("platform P", end.message) for end in ends]
    if ends[0].status != ends[1].status:
        return Verdict(f"status: rtl ended with {ends[0].status}, vp with {ends[1].status}: rtl '{said[0][-300:]}', vp '{said[1][-300:]}'")
    folders = [end.folder for end in ends]
    if not all((folder / "summary.json").exists() for folder in folders):
        return Verdict(f"refused: both ended with {ends[0].status}: {said[0][-300:]}", is_refused=True)
    if wrong := compare(folders):
        return Verdict(wrong)
    # Warnings of one platform: rtl has its waves', vp that of a zone that is too fast for rtl.
    if ends[0].status != 0 and not any(expected.search(said[0]) for expected in EXPECTED_FAILURES):
        return Verdict(f"failed: both ended with {ends[0].status}: {said[0][-300:]}")
    return Verdict("")


def write(load: Load, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in load.all_files().items():
        (folder / name).write_text(text)


def words_of(load: Load, platform: str) -> list[str]:
    return [f"drive={DRIVE}", f"trace={TRACE}", *load.words(platform), "observe.events=true", f"platform={platform}"]


def play(simulator: Simulator, load: Load) -> Verdict:
    ends = []
    with tempfile.TemporaryDirectory() as name:
        for platform in PLATFORMS:
            folder = Path(name) / platform
            write(load, folder)
            ends.append(simulator.run_in(folder, words_of(load, platform), Path(OUT)))
        return judge(ends)


def command_lines(load: Load, folder: Path) -> str:
    """The load's files go to `folder`; the lines that run it there."""
    write(load, folder)
    root = Path(__file__).resolve().parents[3]
    lines = []
    for platform in PLATFORMS:
        words = words_of(load, platform)
        command = "torture" if TORTURE in words else "run"
        line = shlex.join([command, *(word for word in words if word != TORTURE)])
        lines.append(f"(cd {shlex.quote(str(folder))} && {root}/headstack {line} --out {platform})")
    return "\n  ".join(lines)
