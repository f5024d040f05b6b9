# SPDX-License-Identifier: Apache-2.0
"""The tool from end to end, on a tree of its own: verdicts, continued runs, scores, errors."""

import contextlib
import io
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import mutate
from config import Equivalent
from errors import MutationError
from mutant import Mutant
from results import KILLED, SURVIVED, Results, Row, missing, score, table
from tree import copy_tree

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C CXX)
find_package(GTest REQUIRED)
add_library(tiny STATIC firmware/limit.c firmware/spare.c)
target_include_directories(tiny PUBLIC ${CMAKE_SOURCE_DIR})
add_executable(test_tiny test_tiny.cpp)
target_link_libraries(test_tiny PRIVATE tiny GTest::gtest_main)
"""
HEADER = "#include <stdint.h>\nuint32_t limit(uint32_t n);\nuint32_t count_to(uint32_t n);\n"
LIMIT = """#include "firmware/limit.h"

uint32_t limit(uint32_t n) {
  if (n > 8) return 8;
  return n;
}

uint32_t count_to(uint32_t n) {
  uint32_t i = 0;
  while (i < n) ++i;
  return i;
}
"""
SPARE = "int spare(int a) { return a; }\n"
TEST = """#include <gtest/gtest.h>
extern "C" {
#include "firmware/limit.h"
}
TEST(Limit, Below_IsTheNumber) { EXPECT_EQ(limit(3), 3U); }
TEST(Limit, Above_IsTheLimit) { EXPECT_EQ(limit(20), 8U); }
TEST(Count, EndsThere) { EXPECT_EQ(count_to(5), 5U); }
"""
CONFIG = """
enumerations = []
[operators]
c = ["relational", "constant", "statement"]
[masked]
calls = []
functions = []
[[test]]
name = "test_tiny"
[[area]]
name = "tiny"
files = ["firmware/limit.c"]
tests = ["test_tiny"]
sample = 50
"""


class Tree(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "firmware").mkdir()
        (self.root / ".gitignore").write_text("/build/\n")
        for name, text in (
                ("CMakeLists.txt", CMAKE), ("firmware/limit.h", HEADER), ("firmware/limit.c", LIMIT),
                ("firmware/spare.c", SPARE), ("test_tiny.cpp", TEST), ("mutation.toml", CONFIG), ("equivalent.toml", "")):
            (self.root / name).write_text(text)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)

    def call(self, *words: str) -> tuple[int, str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = mutate.main(list(words), self.root, self.root)
        return status, out.getvalue()

    def tried(self, text: str) -> list[str]:
        """The verdicts of a run."""
        return [line.split()[5] for line in text.split("\n") if line.startswith("tiny ") and "each]" in line]


class FromEndToEnd(Tree):
    def test_verdicts_then_resumption_then_what_a_change_brings_again(self) -> None:
        status, text = self.call()
        # No test uses 9 or counts to 0, so two mutants survive. `n >= 8` and `n > 7` give what `n > 8` gives, by the
        # same code.
        self.assertEqual(Counter(self.tried(text)), {"killed": 5, "survived": 2, "identical": 2})
        self.assertIn("firmware/limit.c:4 in limit(), constant\n    - if (n > 8) return 8;\n    + if (n > 9) return 8;", text)
        self.assertIn("firmware/limit.c:9 in count_to(), constant\n    - uint32_t i = 0;\n    + uint32_t i = 1;", text)
        self.assertIn("| tiny | 9 | 9 | 0 | 2 | 0 | 7 | 5 | 2 | 71.4 % |", text)
        self.assertEqual(status, 1, "90 % are wanted")
        self.assertEqual((self.root / "firmware/limit.c").read_text(), LIMIT, "the tree itself is never touched")

        again = self.call()[1]
        self.assertEqual(self.tried(again), [], "all is known")
        self.assertIn("| tiny | 9 | 9 | 0 | 2 | 0 | 7 | 5 | 2 | 71.4 % |", again)

        # The last line of an interrupted run is cut off. Only its mutant is tried again.
        store = self.root / "build/mutation/results.jsonl"
        store.write_text(store.read_text()[:-30])
        self.assertEqual(len(self.tried(self.call()[1])), 1)

        # After a better test, kills are kept with --keep-kills, and the other mutants are tried again.
        (self.root / "test_tiny.cpp").write_text(TEST + "TEST(Limit, JustAbove) { EXPECT_EQ(limit(9), 8U); }\n")
        kept = self.call("--keep-kills")[1]
        self.assertEqual(sorted(self.tried(kept)), ["killed", "survived"])
        self.assertIn("| 7 | 6 | 1 | 85.7 % |", kept)
        self.assertEqual(self.tried(self.call()[1]), ["killed"] * 5, "without it, the old kills are tried, too")

        (self.root / "equivalent.toml").write_text(
            '[[equivalent]]\nfile = "firmware/limit.c"\noperator = "constant"\nfunction = "count_to"\n'
            'before = "uint32_t i = 0;"\nafter = "uint32_t i = 1;"\nreason = "nobody counts to 0"\n')
        status, reviewed = self.call()
        self.assertEqual(status, 0)
        self.assertIn("| tiny | 9 | 9 | 0 | 2 | 1 | 6 | 6 | 0 | 100.0 % |", reviewed)
        (self.root / "firmware/limit.c").write_text(LIMIT.replace("i = 0", "i = 0U"))
        with self.assertRaisesRegex(MutationError, r"(?s)i = 0;.*remedy"):
            self.call()

    def test_a_fault_that_hangs_is_killed_and_one_that_changes_no_code_does_not_count(self) -> None:
        (self.root / "mutation.toml").write_text(
            CONFIG.replace('["relational", "constant", "statement"]', '["assignment", "statement"]')
            .replace('"firmware/limit.c"', '"firmware/limit.c", "firmware/spare.c"'))
        (self.root / "firmware/spare.c").write_text("int spare(int a) {\n  int b = 2;\n  b + a;\n  return a;\n}\n")
        text = self.call()[1]
        self.assertIn("hang in Count.EndsThere", text)
        self.assertEqual(sorted(self.tried(text)), ["identical", "killed"])

    def test_rows_of_a_table_are_mutated_where_they_are_included(self) -> None:
        (self.root / "mutation.toml").write_text(CONFIG.replace("limit.c", "rows.def"))
        (self.root / "firmware/rows.def").write_text("// Rows.\nROW(one, 3)\nROW(two, 9)\n")
        (self.root / "firmware/spare.c").write_text(
            "static const int rows[] = {\n#define ROW(name, number) number,\n#include \"firmware/rows.def\"\n#undef ROW\n};\n"
            "int spare(int a) { return rows[a]; }\n")
        (self.root / "test_tiny.cpp").write_text(
            TEST + 'extern "C" int spare(int);\nTEST(Rows, TheFirst) { EXPECT_EQ(spare(0), 3); }\n')
        text = self.call()[1]
        self.assertEqual(sorted(self.tried(text)), ["killed", "killed", "survived", "survived"])
        self.assertIn("firmware/rows.def:3 in two(), constant\n    - ROW(two, 9)\n    + ROW(two, 8)", text)

    def test_a_headers_functions_are_mutated_in_what_includes_it(self) -> None:
        (self.root / "mutation.toml").write_text(CONFIG.replace("limit.c", "spare.h"))
        (self.root / "firmware/spare.h").write_text("static inline int twice(int a) {\n  return a * 2;\n}\n")
        (self.root / "firmware/spare.c").write_text('#include "firmware/spare.h"\nint spare(int a) { return twice(a); }\n')
        (self.root / "test_tiny.cpp").write_text(
            TEST + 'extern "C" int spare(int);\nTEST(Spare, IsTwice) { EXPECT_EQ(spare(3), 6); }\n')
        self.assertEqual(self.tried(self.call()[1]), ["killed", "killed"])

    def test_a_header_is_mutated_in_a_tests_probe_and_not_in_the_test(self) -> None:
        (self.root / "mutation.toml").write_text(CONFIG.replace("limit.c", "spare.h"))
        (self.root / "firmware/spare.h").write_text("static inline int twice(int a) {\n  return a * 2;\n}\n")
        (self.root / "tests").mkdir()
        (self.root / "tests/twice_probe.c").write_text('#include "firmware/spare.h"\nint probe_twice(int a) { return twice(a); }\n')
        (self.root / "CMakeLists.txt").write_text(CMAKE.replace("test_tiny.cpp)", "test_tiny.cpp tests/twice_probe.c)"))
        (self.root / "test_tiny.cpp").write_text(
            '#include "firmware/spare.h"\n' + TEST +
            'extern "C" int probe_twice(int);\nTEST(Spare, IsTwice) { EXPECT_EQ(probe_twice(3), twice(3)); }\n')
        self.assertEqual(self.tried(self.call()[1]), ["killed", "killed"])

    def test_tests_that_fail_anyway_are_an_error(self) -> None:
        (self.root / "test_tiny.cpp").write_text(TEST.replace("5U", "6U"))
        with self.assertRaisesRegex(MutationError, "Count.EndsThere.*remedy"):
            self.call()

    def test_a_second_run_in_the_same_tree_is_refused(self) -> None:
        with mutate.take_lock(self.root / "build" / "mutation"):
            with self.assertRaisesRegex(MutationError, "another mutation run.*remedy"):
                self.call()

    def test_wrong_words_are_errors(self) -> None:
        for words, wanted in (
                (["nothing"], "no area 'nothing'.*tiny"), (["--sample", "some"], "'some'.*remedy"),
                (["--only", "abc"], "no mutant 'abc'.*remedy"), (["--jobs", "0"], "--jobs")):
            with self.assertRaisesRegex(MutationError, wanted):
                self.call(*words)

    def test_wrong_keys_are_errors(self) -> None:
        for text, wanted in (
                (CONFIG + "colour = 1\n", "unknown key 'colour'"), (CONFIG.replace('"relational"', '"rational"'), "'rational'"),
                (CONFIG.replace('["test_tiny"]', '["test_huge"]'), "'test_huge'"),
                (CONFIG.replace("limit.c", "none.c"), "none.c"), (CONFIG + "x = \n", "mutation.toml")):
            (self.root / "mutation.toml").write_text(text)
            with self.assertRaisesRegex(MutationError, wanted):
                self.call()

    def test_the_copy_follows_the_tree(self) -> None:
        copy = self.root / "build" / "copy"
        copy_tree(self.root, copy)
        before = (copy / "mutation.toml").stat().st_mtime_ns
        (self.root / "new.c").write_text("1")
        (self.root / "firmware/spare.c").unlink()
        copy_tree(self.root, copy)
        self.assertTrue((copy / "new.c").exists())
        self.assertFalse((copy / "firmware/spare.c").exists())
        self.assertEqual((copy / "mutation.toml").stat().st_mtime_ns, before, "what is equal keeps its time")


def mutant(name: str) -> Mutant:
    return Mutant("a.c", "constant", "f", 1, name, name + "'", 0, ())


def row_of(name: str, status: str, code: str) -> Row:
    return Row("area", mutant(name).id, "d", "f", status, "", code, 1.0, "")


class Scores(unittest.TestCase):
    def rows(self, *rows: tuple[str, str, str]) -> dict[str, Row]:
        return {mutant(name).id: row_of(name, status, code) for name, status, code in rows}

    def test_only_mutants_that_differ_count(self) -> None:
        order = [mutant(n) for n in "abcdef"]
        rows = self.rows(
            ("a", KILLED, "1"), ("b", KILLED, "1"), ("c", SURVIVED, "2"), ("d", "identical", "0"),
            ("e", "not-compiling", ""), ("f", KILLED, "3"))
        found = score("area", order, 0, rows, [])
        self.assertEqual((found.counted, found.counts[KILLED], found.survivors), (3, 2, [mutant("c")]))
        self.assertIn("| area | 6 | 6 | 1 | 2 | 0 | 3 | 2 | 1 | 66.6 % |", table([found], 7))

    def test_reviewed_mutants_do_not_count(self) -> None:
        order = [mutant("a"), mutant("c")]
        rows = self.rows(("a", KILLED, "1"), ("c", SURVIVED, "2"))
        same = Equivalent("a.c", "constant", "f", "c", "c'", 0, "why")
        self.assertEqual(score("area", order, 0, rows, [same]).percent, 100)
        other = Equivalent("a.c", "constant", "f", "c", "c'", 1, "why")
        self.assertEqual(score("area", order, 0, rows, [other]).percent, 50)

    def test_the_sample_ends_when_enough_count_and_waits_for_what_is_missing(self) -> None:
        order = [mutant(n) for n in "abc"]
        rows = self.rows(("a", KILLED, "1"), ("b", KILLED, "2"))
        self.assertTrue(score("area", order, 2, rows, []).is_complete())
        self.assertFalse(score("area", order, 3, rows, []).is_complete())
        self.assertIn("(unfinished)", table([score("area", order, 3, rows, [])], 7))

    def test_what_is_tried_next_lies_within_the_sample(self) -> None:
        order = [mutant(n) for n in "abcdefgh"]
        rows = self.rows(("a", KILLED, "1"), ("c", SURVIVED, "2"), ("d", "identical", "0"), ("e", KILLED, "1"))
        self.assertEqual(missing(order, 3, rows, []), [mutant("b")])
        self.assertEqual(missing(order, 4, rows, []), [mutant("b"), mutant("f")])
        self.assertEqual(missing(order, 0, rows, []), [mutant(n) for n in "bfgh"])
        self.assertEqual(missing(order, 2, rows, []), [mutant("b")])

    def test_a_verdict_holds_for_its_file_and_its_tests(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            results = Results(Path(folder) / "results.jsonl")
            results.add(row_of("a", KILLED, "1"))
            results.add(row_of("c", SURVIVED, "2"))
            again = Results(Path(folder) / "results.jsonl")
        self.assertIsNotNone(again.find("area", mutant("a"), "d", "f", False))
        self.assertIsNone(again.find("area", mutant("a"), "changed", "f", True))
        self.assertIsNone(again.find("area", mutant("a"), "d", "other tests", False))
        self.assertIsNotNone(again.find("area", mutant("a"), "d", "other tests", True))
        self.assertIsNone(again.find("area", mutant("c"), "d", "other tests", True))
        self.assertIsNone(again.find("other area", mutant("a"), "d", "f", False))

    def test_the_order_hangs_from_the_seed_alone(self) -> None:
        mutants = [mutant(n) for n in "abcdefgh"]
        one = mutate.in_order(mutants, 1)
        self.assertEqual(one, mutate.in_order(mutants[::-1], 1))
        self.assertNotEqual(one, mutate.in_order(mutants, 2))
        fewer = [m for m in mutants if m != mutant("d")]
        self.assertEqual([m for m in one if m != mutant("d")], mutate.in_order(fewer, 1))


if __name__ == "__main__":
    unittest.main()
