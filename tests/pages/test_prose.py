# SPDX-License-Identifier: Apache-2.0
"""Pages are in plain English: sentences of at most 25 words, none of the words in words.toml, no misspelt ones.

A sentence ends with . ! or ?, or with its paragraph, item, table cell or a <br> in it. Code counts as one word, and so does a list
of names.
"""

import re
import subprocess
import sys
import tomllib
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path

import page as pages
from page import ROOT

LONGEST = 25
CODE = "\N{REPLACEMENT CHARACTER}"
Sentences = Callable[[Path], Iterator[tuple[int, str]]]


def split(text: str) -> list[str]:
    """The sentences of a paragraph, in which code is CODE: a list of names counts as one word."""
    return re.split(r"\n|(?<=[.!?])[\"')]*\s+", re.sub(f"{CODE}(,? {CODE})+", CODE, text))


def sentences(page: Path) -> Iterator[tuple[int, str]]:
    """Each with the line where its paragraph begins; a code span as one character."""
    for token in pages.tokens(page):
        if token.type != "inline":
            continue
        parts = []
        for part in token.children or ():
            if part.type == "code_inline":
                parts.append(CODE)
            elif part.type in ("softbreak", "hardbreak"):
                parts.append(" ")
            elif part.type == "html_inline" and part.content.startswith("<br"):
                parts.append("\n")
            else:
                parts.append(part.content if part.type == "text" else "")
        for sentence in split("".join(parts)):
            yield (token.map or [0])[0] + 1, sentence


def too_long(page: Path, of: Sentences = sentences) -> Iterator[str]:
    """Sentences of more words than LONGEST, with their place."""
    for line, sentence in of(page):
        count = len(sentence.split())
        if count > LONGEST:
            shown = sentence.replace(CODE, "`...`")
            yield f"{page.relative_to(ROOT)}:{line}: {count} words: {shown}"


def unwanted(page: Path, words: list[dict[str, str]], of: Sentences = sentences) -> Iterator[str]:
    """Words of the list, with what to write instead."""
    for line, sentence in of(page):
        for word in words:
            if match := re.search(word["pattern"], sentence, re.IGNORECASE):
                yield f"{page.relative_to(ROOT)}:{line}: '{match[0]}'; write: {word['instead']}"


def word_list() -> list[dict[str, str]]:
    """The rows of words.toml."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))["word"]


def misspelt(files: list[Path]) -> list[str]:
    """What codespell says: file, line, word and what it should be. ARRE is a bit, a hart a core, Doub a column, fro what goes to it,
    hda the head-disk assembly."""
    line = [sys.executable, "-m", "codespell_lib", "--ignore-words-list", "arre,doub,fro,hart,hda", *map(str, files)]
    said = subprocess.run(line, capture_output=True, text=True, check=False)
    if said.returncode not in (0, 65):
        raise RuntimeError(said.stderr)
    return said.stdout.replace(f"{ROOT}/", "").splitlines()


class Prose(unittest.TestCase):
    def test_no_sentence_is_too_long(self) -> None:
        read = sum(1 for page in pages.project_pages() for _ in sentences(page))
        self.assertGreater(read, 3000, "the pages were not read")
        self.assert_none([line for page in pages.project_pages() for line in too_long(page)])

    def test_no_word_of_the_list_is_used(self) -> None:
        self.assert_none([line for page in pages.project_pages() for line in unwanted(page, word_list())])

    def test_no_word_is_misspelt(self) -> None:
        self.assert_none(misspelt(pages.project_pages()))

    def assert_none(self, found: list[str]) -> None:
        if found:
            self.fail("\n".join(["", *found]))


class Spelling(unittest.TestCase):
    def test_a_misspelt_word_is_told_with_its_line(self) -> None:
        page = ROOT / "build" / "spelling-test.md"
        page.write_text("one\n\nIt recieves ARRE.\n", encoding="utf-8")
        try:
            self.assertEqual(["build/spelling-test.md:3: recieves ==> receives"], misspelt([page]))
        finally:
            page.unlink()


class Sentences(unittest.TestCase):
    """What counts as a sentence, on a page of this test."""

    def of(self, text: str) -> list[tuple[int, str]]:
        page = ROOT / "build" / "prose-test.md"
        page.write_text(text, encoding="utf-8")
        try:
            return list(sentences(page))
        finally:
            page.unlink()

    def test_they_end_with_a_mark_or_their_paragraph(self) -> None:
        text = "One two.\nThree (four!) five\n\nSix; seven: `a b c` eight\n\n| cell one | cell two |\n|---|---|\n| a | b |\n"
        self.assertEqual(
            [(1, "One two."), (1, "Three (four!"), (1, "five"), (4, f"Six; seven: {CODE} eight"), (6, "cell one"), (6, "cell two"),
             (8, "a"), (8, "b")], self.of(text))  # fmt: skip

    def test_a_line_of_a_cell_is_one(self) -> None:
        text = "| cell |\n|---|\n| a at 1: 2 ± 3<br>b: 4<br/>... |\n\nnot\nhere\n"
        self.assertEqual(
            [(1, "cell"), (3, "a at 1: 2 ± 3"), (3, "b: 4"), (3, "..."), (5, "not here")], self.of(text))  # fmt: skip

    def test_a_long_one_and_a_bad_word_are_told_with_their_line(self) -> None:
        page = ROOT / "build" / "prose-test.md"
        page.write_text("# x\n\n" + "word " * 25 + "\n\n" + "word " * 26 + "\n\nIt hangs on that.\n", encoding="utf-8")
        try:
            self.assertEqual(["build/prose-test.md:5: 26 words: " + "word " * 25 + "word"], list(too_long(page)))
            self.assertEqual(
                ["build/prose-test.md:7: 'hangs on'; write: depends on"],
                list(unwanted(page, [{"pattern": r"\bhangs? on\b", "instead": "depends on"}])))  # fmt: skip
        finally:
            page.unlink()


if __name__ == "__main__":
    unittest.main()
