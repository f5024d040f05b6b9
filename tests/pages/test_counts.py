# SPDX-License-Identifier: Apache-2.0
"""Numbers that a page gives of the tree are those of the tree."""

import re
import tomllib
import unittest
from collections.abc import Callable
from typing import Any

from page import ROOT

_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
    "twenty"
).split()


def cases() -> list[dict[str, Any]]:
    files = sorted((ROOT / "tests/golden").glob("*/scenario.toml"))
    return [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]


def names_in(text: str) -> set[str]:
    """The names that a text has in backticks."""
    return set(re.findall(r"`([^`]+)`", text))


def row_of(name: str) -> str:
    """A row of the table in the golden cases' page."""
    [row] = re.findall(rf"^\| {name} \| (.*) \|$", (ROOT / "tests/golden/README.md").read_text(encoding="utf-8"), re.M)
    return row


def cycles_of_a_read() -> int:
    budget = tomllib.loads((ROOT / "tests/bench/budget.toml").read_text(encoding="utf-8"))
    return budget["cost"]["reads, fcfs depth 8"]["firmware cycles"]


# Page, the sentence's part with the number in parentheses, and where the number comes from.
COUNTS: tuple[tuple[str, str, Callable[[], int]], ...] = (
    ("docs/firmware-timing.md", r"A random read of 4 KB takes (\S+) cycles of the core on the load of", cycles_of_a_read),
)


def number(word: str) -> int:
    """The number that digits or a word stand for. Raises ValueError."""
    return _WORDS.index(word.lower()) if word.lower() in _WORDS else int(word.replace(",", ""))


def faults(text: str, pattern: str, count: int) -> list[str]:
    """What is wrong with the number in a page's text."""
    found = re.findall(pattern, text)
    if len(found) != 1:
        return [f"'{pattern}' is there {len(found)} times, not once: test_counts.py must know the sentence"]
    return [] if number(found[0]) == count else [f"'{pattern}': it says {found[0]}, and there are {count}"]


THINGS = "descriptions|drives|policies|schedulers|formats|loads|cases|tests|expectations|experiments|commands|events|kinds|platforms"


def counted(text: str) -> list[str]:
    """Numbers of things that come and go with the tree; a page that has none of these cannot be wrong about them."""
    numbers = rf"\d[\d,]*|{'|'.join(_WORDS[2:])}"
    return [match[0] for match in re.finditer(rf"(?i)\b({numbers}) ((\w+ ){{0,2}})({THINGS})\b", text)]


class Counts(unittest.TestCase):
    def test_the_first_page_counts_nothing_of_the_tree(self) -> None:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertEqual(["five commands"], counted(text), "those of the walk, which a test runs")

    def test_a_count_is_noticed(self) -> None:
        self.assertEqual(["29 policies", "Eleven published descriptions"], counted("has 29 policies. Eleven published descriptions"))
        self.assertEqual([], counted("at 3.70 times the throughput, in 2021 a drive"))

    def test_pages_say_how_many_there_are(self) -> None:
        for page, pattern, count in COUNTS:
            with self.subTest(page=page, pattern=pattern):
                self.assertGreater(count(), 1, "nothing was counted")
                self.assertEqual([], faults((ROOT / page).read_text(encoding="utf-8"), pattern, count()))

    def test_the_golden_cases_have_all_drives_and_policies_but_those_that_their_page_names(self) -> None:
        drives = {file.stem for file in (ROOT / "sim/drives").glob("*.toml")}
        used = {case["drive"] for case in cases() if isinstance(case["drive"], str)}
        self.assertEqual(drives - used, names_in(row_of("drives")) - {"sim/drives"})
        policies = set(re.findall(r'^POLICY\(\w+, "?(\w+)', (ROOT / "firmware/queue/policies.def").read_text(encoding="utf-8"), re.M))
        used = {case["settings"]["policy"].partition(":")[0] for case in cases()}
        self.assertEqual(policies - used, names_in(row_of("policies")))

    def test_a_wrong_number_is_noticed(self) -> None:
        self.assertEqual([], faults("has eleven wheels", r"(\S+) wheels", 11))
        self.assertEqual([], faults("has 1,100 wheels", r"(\S+) wheels", 1100))
        self.assertIn("there are 12", faults("has eleven wheels", r"(\S+) wheels", 12)[0])

    def test_a_sentence_that_has_changed_is_noticed(self) -> None:
        self.assertIn("0 times", faults("has no such thing", r"(\S+) wheels", 11)[0])


if __name__ == "__main__":
    unittest.main()
