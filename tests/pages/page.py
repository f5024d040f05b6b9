# SPDX-License-Identifier: Apache-2.0
"""A page of the project, as its tests read it: code blocks with their lines, links, headings.

A comment right above a code block says how the block is tested:

    <!-- test: not run, REASON -->    a transcript that no test repeats
"""

import dataclasses
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
_DIRECTIVE = re.compile(r"<!--\s*test:\s*(?P<text>.*?)\s*-->", re.DOTALL)
_ENDS_A_COMMAND = set(";&|()<>")


class PageError(Exception):
    """What is wrong with a page: with its name and line."""


@dataclasses.dataclass(frozen=True)
class Fence:
    """A code block."""

    page: Path
    line: int  # of its first line of content, from 1
    language: str
    text: str
    directive: str  # "" without any

    @property
    def place(self) -> str:
        """The place in the form of messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def project_pages() -> list[Path]:
    """All pages that people are meant to read, in the order of their names."""
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and folder.name not in ("build", ".git")]
    return sorted([*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))])


def tokens(page: Path) -> list[Token]:
    """What Markdown makes of it."""
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def fences(page: Path) -> list[Fence]:
    """The code blocks of a page, in order. Raises PageError for a comment that is no directive."""
    found = []
    directive = ""
    for token in tokens(page):
        if token.type == "html_block":
            match = _DIRECTIVE.fullmatch(token.content.strip())
            directive = match["text"] if match else ""
            if match and not re.fullmatch(r"not run, .+", directive, re.DOTALL):
                line = (token.map or [0])[0] + 1
                raise PageError(
                    f"{page.relative_to(ROOT)}:{line}: 'test: {directive}' is unknown; write 'test: not run, REASON'"
                )
            continue
        if token.type == "fence":
            line = (token.map or [0])[0] + 2
            found.append(Fence(page, line, token.info.strip(), token.content, directive))
        directive = ""
    return found


def links(page: Path) -> Iterator[tuple[int, str]]:
    """Line and target of every link and picture."""
    for token in tokens(page):
        for part in token.children or ():
            if part.type in ("link_open", "image"):
                target = part.attrs["href" if part.type == "link_open" else "src"]
                yield (token.map or [0])[0] + 1, str(target)


def anchors(page: Path) -> set[str]:
    """What a link may name after '#': headings, as GitHub writes them."""
    found: set[str] = set()
    read = tokens(page)
    for token, inner in zip(read, read[1:], strict=False):
        if token.type == "heading_open":
            text = "".join(part.content for part in inner.children or () if part.type in ("text", "code_inline"))
            found.add(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
    return found


@dataclasses.dataclass(frozen=True)
class CommandLine:
    """A command of headstack, as a page has it."""

    place: str
    words: tuple[str, ...]  # after ./headstack; what stands for more ("...") is left out


def _split(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    return list(lexer)


def shell_lines(fence: Fence) -> Iterator[tuple[int, str]]:
    """The shell's lines in a block, those that a backslash continues put together, with the number of the first."""
    is_transcript = fence.language == "console"
    joined, first = "", 0
    for number, line in enumerate(fence.text.splitlines(), fence.line):
        if not joined:
            if is_transcript and not line.startswith("$ "):
                continue
            first = number
        text = line.removeprefix("$ ") if is_transcript else line
        joined += text.removesuffix("\\") + (" " if text.endswith("\\") else "")
        if not text.endswith("\\"):
            yield first, joined
            joined = ""


def command_lines(fence: Fence) -> Iterator[CommandLine]:
    """Each `./headstack ...` of a block. Raises PageError for quotes that do not end."""
    for number, line in shell_lines(fence):
        place = f"{fence.page.relative_to(ROOT)}:{number}"
        try:
            words = _split(line)
        except ValueError as error:
            raise PageError(f"{place}: {error}") from error
        current: list[str] | None = None
        for word in [*words, ";"]:
            if word and set(word) <= _ENDS_A_COMMAND:
                if current is not None:
                    yield CommandLine(place, tuple(one for one in current if one != "..."))
                current = None
            elif current is not None:
                current.append(word)
            elif word == "./headstack":
                current = []
