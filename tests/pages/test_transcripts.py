# SPDX-License-Identifier: Apache-2.0
"""What a page shows of a command is what the command prints.

    test_transcripts.py          the comparison itself
    test_transcripts.py PAGE     one page: its commands are run
"""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import page as pages
import transcript
from page import PageError
from transcript import difference, exchanges, play, renew, renewed

PAGE: list[Path] = []


class Page(unittest.TestCase):
    def test_commands_print_what_the_page_says(self) -> None:
        if not PAGE:
            self.skipTest("no page was named")
        wrong = [f"{one.place}: {mistake}" for one, printed in play(PAGE[0]) if (mistake := difference(one.output, printed))]
        self.assertEqual([], wrong, "if it is meant: build/venv/bin/python tests/pages/write_pages.py")


class Comparison(unittest.TestCase):
    def test_lines_that_are_equal(self) -> None:
        self.assertEqual("", difference(["a", "b"], ["a", "b"]))
        self.assertEqual("", difference([], []))

    def test_each_difference_is_told(self) -> None:
        for expected, printed, text in (
            (["a"], ["b"], "the page says 'a', printed is 'b'"),
            (["a", "b"], ["a"], "the page says 'b', which is not printed"),
            (["a"], ["a", "b"], "the page does not say 'b'"),
            (["...", "c"], ["a", "b"], "the page says 'c', which is not printed"),
            (["a", "...", "c"], ["a", "b", "c", "d"], "the page does not say 'd'"),
            (["a.c"], ["abc"], "the page says 'a.c', printed is 'abc'"),  # a dot is a dot
            (["1 ... ms"], ["1 2 us"], "the page says '1 ... ms', printed is '1 2 us'"),
        ):
            with self.subTest(expected):
                self.assertEqual(text, difference(expected, printed))

    def test_dots_stand_for_any_lines_and_any_text(self) -> None:
        self.assertEqual("", difference(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertEqual("", difference(["a", "..."], ["a"]))
        self.assertEqual("", difference(["from ... to 9"], ["from 3 to 9"]))


class Renewal(unittest.TestCase):
    def test_a_changed_number_is_written_where_it_stood(self) -> None:
        self.assertEqual(["a 12", "...", "the end 9"], renewed(["a 11", "...", "the end 8"], ["a 12", "b", "the end 9"]))

    def test_what_is_gone_is_for_people(self) -> None:
        self.assertIsNone(renewed(["a 11", "...", "qqq"], ["a 11", "b"]))

    def test_a_page_is_read_run_and_renewed(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(pages, "ROOT", Path(folder)), mock.patch.object(
            transcript, "ROOT", Path(folder)
        ):
            page = Path(folder, "page.md")
            page.write_text("# x\n\n```console\n$ echo one && \\\n    echo 2\none\n3\n$ ls build\n```\n\nText.\n", encoding="utf-8")
            (first, printed), (second, nothing) = play(page)
            self.assertEqual(("echo one && echo 2", ("one", "3"), 4, 6), (first.command, first.output, first.line, first.first))
            self.assertEqual((["one", "2"], "ls build", ["release"]), (printed, second.command, nothing))
            self.assertEqual([], renew(page))
            self.assertIn("\none\n2\n$ ls build\nrelease\n```\n\nText.\n", page.read_text(encoding="utf-8"))

    def test_text_without_a_prompt_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(pages, "ROOT", Path(folder)), mock.patch.object(
            transcript, "ROOT", Path(folder)
        ):
            page = Path(folder, "page.md")
            page.write_text("```console\nls\n```\n", encoding="utf-8")
            with self.assertRaisesRegex(PageError, "page.md:2: the block begins without a prompt"):
                exchanges(page)
            page.write_text("```console\n(gdb) next\n```\n", encoding="utf-8")
            with self.assertRaisesRegex(PageError, "page.md:2: no debugger was started above"):
                play(page)


if __name__ == "__main__":
    PAGE += [Path(word).resolve() for word in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])
