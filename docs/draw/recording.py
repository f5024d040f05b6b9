# SPDX-License-Identifier: Apache-2.0
"""A recording of `headstack regress`, which names the function of a one-line change: an asciinema file, and a still of its end.

The session is real: a copy of the firmware gets one more line, is compiled by the build's own commands, and regress compares it with
the build's program. Only the times are made, so that the same output is the same recording: one for each typed letter, one for each
line, and a pause after each command. Neither file has a clock's time or a path of this machine.
"""

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

from registers import ROOT
from verilog import SourceError

SOURCE = "firmware/motion/seek.c"
OLD = "  seek->for_write = for_write;"
NEW = "  for (volatile int i = 0; i < 400; ++i) {}\n" + OLD
PLANT = [sys.executable, "-B", str(ROOT / "tests/regress/patched_firmware.py"), SOURCE, OLD, NEW, "-o", "build/planted"]
COMMANDS = (
    f"diff {SOURCE} build/planted/{SOURCE}",
    "./headstack regress eagle-stf --rtl-share 0 --against build/release --firmware build/planted/drive.elf | head -9",
)
TITLE = "headstack regress: which function made the drive slower?"
LINKS = ("headstack", "traces", "sim", "host", "tests", "firmware", "hdl")
COLUMNS, ROWS = 116, 24
BEFORE_S, LETTER_S, LINE_S, AFTER_S, END_S = 0.5, 0.035, 0.05, 1.2, 4.0
PROMPT, PLAIN = "\x1b[1;32m$\x1b[0m ", "\x1b[0m"
_LIMIT_S = 600


def _output(line: list[str] | str, folder: str) -> str:
    """What a command prints in the folder. Raises SourceError."""
    environment = {**os.environ, "HEADSTACK_QUIET": "1", "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8", "HEADSTACK_ROOT": str(ROOT)}
    words = line if isinstance(line, list) else ["bash", "-c", line]
    done = subprocess.run(words, cwd=folder, env=environment, text=True, timeout=_LIMIT_S, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
    text = done.stdout.replace(f"{folder}/", "").replace(f"{ROOT}/", "")
    if done.returncode > 1:  # diff and regress say with 1 that something differs
        raise SourceError(f"{line}: status {done.returncode}: {text[-300:]}")
    return text


@functools.cache
def session() -> tuple[tuple[str, str], ...]:
    """Each command with what it prints. Raises SourceError."""
    build = ROOT / "build" / os.environ.get("HEADSTACK_PRESET", "release")
    with tempfile.TemporaryDirectory(prefix="recording-") as folder:
        for name in LINKS:
            Path(folder, name).symlink_to(ROOT / name)
        Path(folder, "build").mkdir()
        Path(folder, "build/release").symlink_to(build)
        _output(PLANT, folder)
        found = tuple((command, _output(command, folder)) for command in COMMANDS)
    if not re.search(r"why: .*seek_start\(\)", found[-1][1]):
        raise SourceError(f"regress does not say that seek_start() is why: {found[-1][1]}")
    return found


def cast() -> str:
    """The recording, in asciinema's format, version 2."""
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": TITLE, "env": {"SHELL": "/bin/bash", "TERM": "xterm-256color"}}
    lines = [json.dumps(head)]
    time = 0.0

    def show(after_s: float, text: str) -> None:
        nonlocal time
        time += after_s
        lines.append(json.dumps([round(time, 3), "o", text.replace("\n", "\r\n")]))

    for command, printed in session():
        show(BEFORE_S, PROMPT)
        for letter in command:
            show(LETTER_S, letter)
        show(BEFORE_S, "\n")
        for line in printed.splitlines(keepends=True):
            show(LINE_S, line)
        time += AFTER_S
    show(0, PROMPT)
    show(END_S, "")
    return "\n".join(lines) + "\n"


# --- The still


@dataclass(frozen=True)
class _Piece:
    """Letters of a screen's row that look the same."""

    column: int
    text: str
    is_prompt: bool


def screen(recording: str) -> list[list[_Piece]]:
    """The rows of a terminal at the recording's end, without those that have scrolled away."""
    head, *events = map(json.loads, recording.splitlines())
    text = "".join(event[2] for event in events)
    rows: list[list[tuple[str, bool]]] = [[]]
    is_prompt = False
    for part in re.split(r"(\x1b\[[0-9;]*m|\r\n)", text):
        if part.startswith("\x1b"):
            is_prompt = part != PLAIN
        elif part == "\r\n":
            rows.append([])
        else:
            for letter in part:
                if len(rows[-1]) == head["width"]:
                    rows.append([])
                rows[-1].append((letter, is_prompt))
    return [_pieces(row) for row in rows[-head["height"] :]]


def _pieces(row: list[tuple[str, bool]]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for column, (letter, is_prompt) in enumerate(row):
        last = pieces[-1] if pieces else None
        if last is not None and last.is_prompt == is_prompt:
            pieces[-1] = _Piece(last.column, last.text + letter, is_prompt)
        else:
            pieces.append(_Piece(column, letter, is_prompt))
    return pieces


LETTER, LINE, EDGE = 8.0, 18, 14  # of the picture, in units


def still() -> str:
    """The end of the recording as SVG, on a terminal's dark ground."""
    rows = screen(cast())
    width, height = COLUMNS * LETTER + 2 * EDGE, len(rows) * LINE + 2 * EDGE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(TITLE)}">',
        "<style>text{font-family:DejaVu Sans Mono,Menlo,Consolas,monospace;font-size:13px;fill:#e6edf3;white-space:pre}"
        ".prompt{fill:#7ee08e;font-weight:bold}</style>",
        f'<rect width="{width:g}" height="{height:g}" rx="6" fill="#0d1117"/>',
    ]
    for number, pieces in enumerate(rows):
        for piece in pieces:
            text = piece.text.rstrip()
            if not text:
                continue
            start = len(text) - len(text.lstrip())
            # Whatever the font: a letter is as wide as the terminal's.
            place = f'x="{EDGE + (piece.column + start) * LETTER:g}" y="{EDGE + (number + 1) * LINE - 5:g}"'
            length = f'textLength="{(len(text) - start) * LETTER:g}" lengthAdjust="spacingAndGlyphs"'
            kind = ' class="prompt"' if piece.is_prompt else ""
            lines.append(f'<text {place} {length}{kind} xml:space="preserve">{escape(text[start:], quote=False)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


PICTURES = {"pictures/regress.cast": cast, "pictures/regress.svg": still}
