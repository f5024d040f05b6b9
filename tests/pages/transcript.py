# SPDX-License-Identifier: Apache-2.0
"""Transcripts on pages: `console` blocks with commands after a prompt, and below each what it prints.

    $ command            of the shell, in a folder that all commands of a page share; a backslash continues it
    (gdb) command        of the debugger that the last `$ ./headstack debug ... --launch` started, also in later blocks
    ...                  a line of it: any lines; within a line: any text

A page that has one such block is run from its first command to its last. Standard output and error come together; paths
below the tree, and below the folder, begin there. Of what the debugger prints, empty lines are left out.
"""

import dataclasses
import difflib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from page import ROOT, Fence, PageError, fences

_SHELL, _GDB = "$ ", "(gdb) "
_TREE = ("headstack", "traces", "sim", "host", "tests", "firmware", "hdl", "docs")  # what commands of pages name
_LIMIT_S = 300


@dataclasses.dataclass(frozen=True)
class Exchange:
    """A command and what the page says it prints."""

    page: Path
    prompt: str
    command: str
    line: int  # of the command
    first: int  # of its first line of output
    output: tuple[str, ...]

    @property
    def place(self) -> str:
        """The place in the form of messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def exchanges(page: Path) -> list[Exchange]:
    """All of a page, in order. Raises PageError for text ahead of the first prompt of a block."""
    return [one for fence in fences(page) if fence.language == "console" and not fence.directive for one in _of(fence)]


def _of(fence: Fence) -> Iterator[Exchange]:
    lines = fence.text.splitlines()
    number = 0
    while number < len(lines):
        prompt = next((one for one in (_SHELL, _GDB) if lines[number].startswith(one)), "")
        if not prompt:
            raise PageError(f"{fence.place}: the block begins without a prompt; write '$ ' or '(gdb) ' before its command")
        start = number
        command = lines[number].removeprefix(prompt)
        while command.endswith("\\") and number + 1 < len(lines):
            number += 1
            command = command.removesuffix("\\") + lines[number].strip()
        first = number = number + 1
        while number < len(lines) and not lines[number].startswith((_SHELL, _GDB)):
            number += 1
        yield Exchange(
            fence.page, prompt, command, fence.line + start, fence.line + first, tuple(lines[first:number])
        )


# --- What is printed -------------------------------------------------------------------------------------------


def play(page: Path) -> list[tuple[Exchange, list[str]]]:
    """Runs a page: each command with the lines that it printed. Raises PageError."""
    found = exchanges(page)
    played: list[tuple[Exchange, list[str]]] = []
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        for name in _TREE:
            Path(folder, name).symlink_to(ROOT / name)
        Path(folder, "build").mkdir()
        # The build that is tested, by the name that pages have for it.
        Path(folder, "build/release").symlink_to(ROOT / "build" / os.environ.get("HEADSTACK_PRESET", "release"))
        while found:
            first = found.pop(0)
            if first.prompt == _GDB:
                raise PageError(f"{first.place}: no debugger was started above")
            asked = []
            while found and found[0].prompt == _GDB:
                asked.append(found.pop(0))
            printed = _run(first, asked, folder)
            played += zip([first, *asked], printed, strict=True)
    return played


def _run(first: Exchange, asked: Sequence[Exchange], folder: str) -> list[list[str]]:
    """The lines of a command of the shell, then those of each command to the debugger that it is."""
    text = "".join(f"echo \\n@@{number}@@\\n\n{one.command}\n" for number, one in enumerate(asked))
    environment = {**os.environ, "HEADSTACK_QUIET": "1", "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
    if asked:
        # What a terminal is asked, a pipe is not.
        text = "set pagination off\nset width 0\nset style enabled off\n" + text
    try:
        done = subprocess.run(
            ["bash", "-c", first.command], cwd=folder, env=environment, input=text, text=True, timeout=_LIMIT_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise PageError(f"{first.place}: not done after {_LIMIT_S} s") from error
    printed = done.stdout.replace(f"{folder}/", "").replace(f"{ROOT}/", "")
    if not asked:
        return [printed.splitlines()]
    parts = re.split(r"^(?:\(gdb\) )*@@\d+@@$", printed, flags=re.MULTILINE)
    if len(parts) != len(asked) + 1:
        raise PageError(f"{first.place}: the debugger took {len(parts) - 1} of {len(asked)} commands; it printed\n{printed}")
    return [_without_prompts(part) for part in parts]


def _without_prompts(text: str) -> list[str]:
    lines = [re.sub(r"^(\(gdb\) )+", "", line).rstrip() for line in text.splitlines()]
    return [line for line in lines if line]


# --- Held against the page -------------------------------------------------------------------------------------


def _matches(expected: str, line: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.rstrip().split("..."))
    return re.fullmatch(pattern, line.rstrip()) is not None


def difference(expected: Sequence[str], printed: Sequence[str]) -> str:
    """"" if the page says what was printed; else the first line that is not there."""
    at = 0
    skips = False
    for line in expected:
        if line.strip() == "...":
            skips = True
            continue
        while skips and at < len(printed) and not _matches(line, printed[at]):
            at += 1
        if at >= len(printed):
            return f"the page says {line!r}, which is not printed"
        if not _matches(line, printed[at]):
            return f"the page says {line!r}, printed is {printed[at]!r}"
        at += 1
        skips = False
    if at < len(printed) and not skips:
        return f"the page does not say {printed[at]!r}"
    return ""


def renewed(expected: Sequence[str], printed: Sequence[str]) -> list[str] | None:
    """The page's lines as they are printed now, "..." where it was; None: somebody has to choose what to show."""
    if "..." not in expected:
        return list(printed)
    lines: list[str] = []
    at = 0
    for line in expected:
        if line.strip() == "...":
            lines.append(line)
            continue
        alike = [difflib.SequenceMatcher(None, line, one, autojunk=False).ratio() for one in printed[at:]]
        if not alike or max(alike) < 0.6:
            return None
        best = alike.index(max(alike))
        at += best + 1
        lines.append(line if _matches(line, printed[at - 1]) else printed[at - 1])
    return lines if difference(lines, printed) == "" else None


def renew(page: Path) -> list[str]:
    """Writes what is printed now into the page. @return what somebody has to look at, one line each."""
    text = page.read_text(encoding="utf-8").splitlines()
    open_ends = []
    for exchange, printed in reversed(play(page)):
        if not difference(exchange.output, printed):
            continue
        lines = renewed(exchange.output, printed)
        if lines is None:
            open_ends.append(f"{exchange.place}: {difference(exchange.output, printed)}")
            continue
        text[exchange.first - 1 : exchange.first - 1 + len(exchange.output)] = lines
    page.write_text("\n".join(text) + "\n", encoding="utf-8")
    return open_ends[::-1]
