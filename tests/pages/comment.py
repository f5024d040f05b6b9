# SPDX-License-Identifier: Apache-2.0
"""The comments of a C, C++ or SystemVerilog file, and the docstrings of a Python file, as prose for the tests of sentences.

Prose ends at an empty line, a list's mark, a tag such as @param, a ruler (---), and at another indentation. Other lines are
skipped. These are lines 4 columns or more to the right (code, formulas, tables), unless they continue an item whose text begins
there. They are also lines with columns, which two spaces separate.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import test_prose
from page import ROOT

# A comment alone on its line, or after code, where a string has been replaced.
_ALONE = re.compile(r"(?P<margin>\s*)///?<? ?(?P<text>.*)")
_BEHIND = re.compile(r"(?P<margin>.*\S\s+)///?<? (?P<text>.*)")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_COLUMNS = re.compile(r"\S {2,}\S|^\s*\|")
_RULER = re.compile(r"-{3,}")
# What an item begins with: a list's mark, a rule's number, a tag, or a label. Its text hangs from where it begins.
_ITEM = re.compile(
    r"\s*(?:(?P<mark>[-*]|\d+\.|[A-Z]\d+|@param(?:\[\w+\])?\s+\w+(?:, \w+)*|@\w+)|[A-Z]\w*:)(?:\s+|$)"
)
_NOT_PROSE = re.compile(r"SPDX-|NOLINT|verilator |clang-format |@file|namespace |[A-Z]\w*_H(?:PP)?_?$")

SUFFIXES = (".c", ".cpp", ".h", ".hpp", ".py", ".sv")


def files(folders: tuple[str, ...]) -> list[Path]:
    """The sources below `folders`."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*") if file.suffix in SUFFIXES)


def _comments(file: Path) -> Iterator[tuple[int, int, bool, str]]:
    """For each line with a comment: its number, the comment's column, whether code precedes it, the text."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        plain = _STRING.sub(lambda string: "'" * len(string[0]), line)
        match = _ALONE.fullmatch(line) or _BEHIND.fullmatch(plain)
        if match and not (line.lstrip().startswith(("#", "`")) or _NOT_PROSE.match(match["text"])):
            yield number, len(match["margin"]), bool(match["margin"].strip()), line[match.start("text") :]


def _docstrings(file: Path) -> Iterator[tuple[int, int, bool, str]]:
    """The same of each line of a docstring, as if it were a comment without its margin."""
    source = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) or ast.get_docstring(node) is None:
            continue
        first = node.body[0].lineno
        for number, text in enumerate((ast.get_docstring(node) or "").splitlines(), first):
            yield number, 0, number == first, text


def paragraphs(file: Path) -> Iterator[tuple[int, str]]:
    """Each with the line where it begins."""
    begin, words = 0, list[str]()
    place, indent, hanging = (0, 0), -1, -1
    for number, column, is_behind, text in _docstrings(file) if file.suffix == ".py" else _comments(file):
        follows = place == (number - 1, column) and not is_behind
        place = (number, column)
        text_indent = len(text) - len(text.lstrip())
        item = _ITEM.match(text)
        prose = text[item.end() :] if item and item["mark"] else text.strip()
        is_prose = bool(prose) and not _RULER.match(prose) and not _COLUMNS.search(prose)
        if follows and is_prose and not item and text_indent == hanging:
            words.append(prose)
            continue
        is_prose = is_prose and text_indent < 4
        if not (follows and words and is_prose and not item and text_indent == indent):
            if words:
                yield begin, " ".join(words)
            begin, words = number, []
            hanging = item.end() if item and is_prose and item.end() < len(text) else -1
        indent = text_indent
        if is_prose:
            words.append(prose)
    if words:
        yield begin, " ".join(words)


# A comment needs a subject before these; the latter may open a sentence whose main clause follows a comma.
_NEVER_FIRST = re.compile(r"(?:as|by|for|from|into|of|per|to)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:after|against|among|at|before|behind|beside|besides|between|beyond|during|in|inside|on|outside|over|since|through|under|until"
    r"|with|within|without)\b(?! (?:most|least)\b)",
    re.IGNORECASE,
)


def is_behind_code(file: Path, line: int) -> bool:
    """Whether the comment that begins on this line has code before it."""
    return not file.read_text(encoding="utf-8").splitlines()[line - 1].lstrip().startswith("//")


def without_subject(file: Path) -> Iterator[tuple[int, str]]:
    """Each comment that begins with a bare preposition, with its line and that word."""
    for line, text in paragraphs(file):
        word = _NEVER_FIRST.match(text)
        opening = _OPENING.match(text)
        if opening and (is_behind_code(file, line) or "," not in re.split(r"[.:;]\s", text)[0]):
            word = opening
        if word:
            yield line, word[0]


def unfinished(file: Path) -> Iterator[tuple[int, str]]:
    """Each member's comment that ends in a comma, as if the next member's comment went on with it: its line and its last word."""
    for line, text in paragraphs(file):
        if text.endswith(",") and is_behind_code(file, line):
            yield line, text.split()[-1]


def sentences(file: Path) -> Iterator[tuple[int, str]]:
    """Each with the line where its paragraph begins; code as one word."""
    for line, text in paragraphs(file):
        for sentence in test_prose.split(re.sub(r"`[^`]*`", test_prose.CODE, text)):
            yield line, sentence
