# SPDX-License-Identifier: Apache-2.0
"""Comments and docstrings are in plain English: at most 25 words a sentence, and none of the words in words.toml.

Comments of the firmware and of the host's C++ stand alone. None begins with a bare preposition, and none of a member goes on at
the next member. comment.py says what their prose is. test_prose.py has the same rules for pages.
"""

import unittest
from pathlib import Path

import comment
import test_prose
from page import ROOT

FOLDERS = ("firmware", "hdl", "host", "sim", "tests")


def stand_alone() -> list[Path]:
    """The files of which each comment must stand alone: the firmware, and the host's C++."""
    host = [file for file in comment.files(("host",)) if file.suffix in (".cpp", ".hpp")]
    return [*comment.files(("firmware",)), *host]


class Comments(unittest.TestCase):
    def test_no_sentence_is_too_long(self) -> None:
        read = sum(1 for file in held() for _ in comment.sentences(file))
        self.assertGreater(read, 8000, "the files were not read")
        self.assert_none([line for file in held() for line in test_prose.too_long(file, comment.sentences)])

    def test_no_word_of_the_list_is_used(self) -> None:
        words = test_prose.word_list()
        self.assert_none([line for file in held() for line in test_prose.unwanted(file, words, comment.sentences)])

    def test_each_comment_has_a_subject(self) -> None:
        read = sum(1 for file in stand_alone() for _ in comment.paragraphs(file))
        self.assertGreater(read, 4000, "the files were not read")
        self.assert_none([
            f"{file.relative_to(ROOT)}:{line}: begins with '{word}': give the comment a subject"
            for file in stand_alone()
            for line, word in comment.without_subject(file)
        ])

    def test_no_comment_of_a_member_goes_on_at_the_next(self) -> None:
        self.assert_none([
            f"{file.relative_to(ROOT)}:{line}: ends in '{word}': each member's comment stands alone"
            for file in stand_alone()
            for line, word in comment.unfinished(file)
        ])

    def test_sources_are_held_as_headers_are(self) -> None:
        names = {f"{file.relative_to(ROOT)}" for file in held()}
        for name in ("firmware/drive.c", "firmware/drive.h", "host/run/run.cpp", "tests/unit/test_trace.cpp", "sim/core/hart.cpp"):
            self.assertIn(name, names)

    def assert_none(self, found: list[str]) -> None:
        if found:
            self.fail("\n".join(["", *found]))


def held() -> list[Path]:
    return comment.files(FOLDERS)


class Paragraphs(unittest.TestCase):
    """What counts as prose, in a header of this test."""

    def of(self, text: str) -> list[tuple[int, str]]:
        file = ROOT / "build" / "comment-test.hpp"
        file.write_text(text, encoding="utf-8")
        try:
            return list(comment.paragraphs(file))
        finally:
            file.unlink()

    def test_lines_of_one_comment_are_joined(self) -> None:
        self.assertEqual([(1, "One two. Three"), (4, "Four")], self.of("/// One two.\n/// Three\nint a;\n// Four\n"))

    def test_an_empty_line_a_mark_and_a_ruler_part_them(self) -> None:
        text = "// One\n//\n// Two:\n// - a\n//   b\n// - c\n// --- Ruler ---\n// Three\n"
        self.assertEqual([(1, "One"), (3, "Two:"), (4, "a b"), (6, "c"), (8, "Three")], self.of(text))

    def test_text_behind_a_label_may_hang(self) -> None:
        self.assertEqual(
            [(1, "Timing: one two. Three"), (3, "Errors: none.")],
            self.of("// Timing: one\n//         two. Three\n// Errors: none.\n"),
        )

    def test_code_and_tables_are_no_prose(self) -> None:
        text = "// One:\n//     a = b + c\n// key    value\n// | a | b |\n// Two\n"
        self.assertEqual([(1, "One:"), (5, "Two")], self.of(text))

    def test_a_comment_behind_code_is_its_own_with_the_lines_below_it(self) -> None:
        text = "int a;  ///< One\nint b;  ///< Two\n        ///< three\nint c;\n"
        self.assertEqual([(1, "One"), (2, "Two three")], self.of(text))

    def test_a_tag_and_its_name_are_left_out(self) -> None:
        text = "/// @file\n/// One\n/// @param[out] at  Two.\n/// @return three\n"
        self.assertEqual([(2, "One"), (3, "Two."), (4, "three")], self.of(text))

    def test_strings_and_directives_are_no_comments(self) -> None:
        self.assertEqual([], self.of('const char* a = "http://b.c // d";\n// SPDX-License-Identifier: X\nint b;  // NOLINT(c)\n'))


class StandAlone(unittest.TestCase):
    """Which comments of a header need their neighbour."""

    def found(self, text: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        file = ROOT / "build" / "comment-alone-test.hpp"
        file.write_text(text, encoding="utf-8")
        try:
            return list(comment.without_subject(file)), list(comment.unfinished(file))
        finally:
            file.unlink()

    def test_a_preposition_without_a_clause_is_found(self) -> None:
        for text, word in (
            ("/// Of those that wait, the oldest.\nint a;\n", "Of"),
            ("/// From the last place to the first.\nint a;\n", "From"),
            ("/// For the policy's own use, 0 at first.\nint a;\n", "For"),
            ("/// With an empty set a candidate is served.\nint a;\n", "With"),
            ("// On track: the formatter begins, or the request waits.\nint a;\n", "On"),
        ):
            self.assertEqual(([(1, word)], []), self.found(text), text)

    def test_it_is_found_behind_code_whatever_follows(self) -> None:
        self.assertEqual(([(1, "In"), (2, "of")], []), self.found("int a;  ///< In use, always.\nint b;  ///< of those\n"))

    def test_a_clause_behind_a_comma_has_the_subject(self) -> None:
        text = "/// With a store, the new place is recorded first.\nint a;\n// In a read, data move. Of a write, none do.\n"
        self.assertEqual(([], []), self.found(text))

    def test_words_that_only_begin_alike_and_quantities_are_none(self) -> None:
        text = "int a;  ///< Offset of the sector.\nint b;  ///< At most 16.\nint c;  ///< Inner time.\nint d;  ///< Total.\n"
        self.assertEqual(([], []), self.found(text))

    def test_the_second_paragraph_of_a_comment_needs_a_subject_too(self) -> None:
        self.assertEqual(([(3, "By")], []), self.found("/// The order.\n///\n/// By deadline.\nint a;\n"))

    def test_a_member_that_ends_in_a_comma_is_found_with_the_line_where_it_begins(self) -> None:
        text = "int a;  ///< First block,\nint b;  ///< its count: some\n        ///< or none,\nint c;  ///< and more.\n"
        self.assertEqual(([], [(1, "block,"), (2, "none,")]), self.found(text))

    def test_a_list_above_code_may_have_commas(self) -> None:
        self.assertEqual(([], []), self.found("/// - one that is near,\n/// - another one.\nint a;\n"))


class Docstrings(unittest.TestCase):
    def test_those_of_modules_classes_and_functions_are_prose_and_usage_is_not(self) -> None:
        file = ROOT / "build" / "comment_test.py"
        file.write_text(
            '"""One.\n\n    program.py FILE\n\nTwo\nthree.\n"""\n\n\ndef f() -> None:\n    """Four.\n\n    Five.\n    """\n'
            "    # six\n",
            encoding="utf-8",
        )
        try:
            self.assertEqual(
                [(1, "One."), (5, "Two three."), (11, "Four."), (13, "Five.")], sorted(comment.paragraphs(file))
            )
        finally:
            file.unlink()


class Findings(unittest.TestCase):
    def test_a_long_sentence_and_a_bad_word_are_told_with_their_line(self) -> None:
        file = ROOT / "build" / "comment-test.hpp"
        file.write_text(
            "/// `a b` " + "word " * 24 + "\n\n/// `a b` " + "word " * 25 + "\n\nint a;  ///< It hangs on that.\n", encoding="utf-8"
        )
        try:
            self.assertEqual(
                ["build/comment-test.hpp:3: 26 words: `...` " + "word " * 24 + "word"],
                list(test_prose.too_long(file, comment.sentences)),
            )
            self.assertEqual(
                ["build/comment-test.hpp:5: 'hangs on'; write: depends on"],
                list(test_prose.unwanted(file, test_prose.word_list(), comment.sentences)),
            )
        finally:
            file.unlink()


if __name__ == "__main__":
    unittest.main()
