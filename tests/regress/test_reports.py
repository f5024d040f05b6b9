# SPDX-License-Identifier: Apache-2.0
"""The reports: files for CI servers are well formed, texts are complete, and equal runs give equal bytes."""

import re
import tempfile
import unittest
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from support import ROOT, records_text  # noqa: I001
from case_file import Case
from causes import Cause, causes_of, causes_text
from compare_records import tell_record
from divergence import Divergence, EventPair, WorkPair
from event_log import Event, Work
from expect.evaluate import Finding
from report_github import annotation, report_to_github, summary
from report_junit import junit_xml
from report_page import page_text
from report_text import totals, verdict_text
from run_records import parse_records
from source_lines import Place
from verdict import Look, State, Verdict, failures_first

BEFORE = tuple(parse_records(records_text((0, 0, 1, 2, 3, 4), (1, 5, 1, 2, 3, 4)).splitlines(), "records"))
AFTER = tuple(parse_records(records_text((0, 0, 1, 2, 3, 4), (1, 5, 1, 2, 9, 4)).splitlines(), "records"))


def case(name: str, platform: str = "vp") -> Case:
    """A case that needs no file."""
    folder = ROOT / "tests/golden" / name
    keys = {"title": "a title", "drive": {"name": "eagle"}, "load": {"synthetic": {"requests": 2, "span": 9}}}
    return Case(name, folder, keys, platform)


CULPRIT = Place("seek_start", "firmware/motion/seek.c", 40)
EVENT = Divergence(
    headline="command 1 (read LBA 8, 8 blocks): SEEK_START at cycle 151, expected cycle 150",
    command="command 1 (read LBA 8, 8 blocks)",
    time_ps=151 * 25_000,
    why=("between A and B: seek_start() took 53 cycles, expected 52; 100 % of it",),
    expected="SEEK_START 0x500 at cycle 150",
    found="SEEK_START 0x500 at cycle 151",
    cycle=151,
    place=Place("seek_start", "firmware/motion/seek.c", 54),
    pc=0x13E4,
    culprit=CULPRIT,
    work=(
        WorkPair("seek_start", Work("seek_start", 52, 30), Work("seek_start", 53, 31)),
        WorkPair("same", Work("same", 5, 4), Work("same", 5, 4)),
    ),
    events=(
        EventPair(Event(120, "TASK_CHOSEN", 3), Event(120, "TASK_CHOSEN", 3)),
        EventPair(Event(150, "SEEK_START", 0x500), Event(151, "SEEK_START", 0x500)),
        EventPair(Event(160, "IDLE", 0), None),
    ),
)
FINDINGS = (
    Finding("seeks", True, "as published", "so for 40 commands", "the curve & its rows"),
    Finding("angles", False, "at its pass", "command 7 ended 2us <late>", "the platter turns evenly"),
)
VERDICTS = [
    Verdict(case("fine"), State.PASSED, expected=BEFORE, found=BEFORE),
    Verdict(
        case("moved", "rtl"), State.CHANGED, "", EVENT, Look((("waves", "./headstack wave view x"),)), BEFORE, AFTER
    ),
    Verdict(case("late"), State.CHANGED, "", tell_record(list(BEFORE), list(AFTER), 1), Look(), BEFORE, AFTER),
    Verdict(case("broken"), State.FAILED, "the run ended with status 1: a <b> & \x01 c"),
    Verdict(case("fresh"), State.NEW, "nothing is expected"),
]


class Text(unittest.TestCase):
    def test_a_divergence_is_told_with_place_reason_events_and_how_to_look(self):
        text = verdict_text(VERDICTS[1])
        for part in (
            "CHANGED moved (eagle, fcfs, rtl)", "cycle 151, expected cycle 150",
            "seek_start() at firmware/motion/seek.c:54", "pc 0x13e4", "took 53 cycles, expected 52",
            "52 (30)", "53 (31)", "waves:     ./headstack wave view x",
        ):  # fmt: skip
            self.assertIn(part, text)
        self.assertRegex(text, r">\s+150  SEEK_START 0x500\s+151  SEEK_START 0x500")
        self.assertRegex(text, r">\s+160  IDLE 0x0\s+-\n")
        self.assertNotIn("same", text)  # equal work of the core is not in the report

    def test_totals_count_every_verdict_and_what_was_not_run(self):
        self.assertEqual(totals(VERDICTS, 7), "7 cases: 1 failed, 2 changed, 1 new, 1 passed, 2 not run")
        self.assertEqual(totals(VERDICTS[:1], 1), "1 case: 1 passed")


class Findings(unittest.TestCase):
    """Failed expectations in the reports, with expected and found values and the reason."""

    WRONG = replace(VERDICTS[1], state=State.WRONG, message=FINDINGS[1].headline, findings=FINDINGS)
    HELD = replace(VERDICTS[0], findings=FINDINGS[:1])

    def test_text_tells_those_that_do_not_hold_before_the_divergence_and_names_the_others(self):
        text = verdict_text(self.WRONG)
        self.assertIn("WRONG moved (eagle, fcfs, rtl): expectation 'angles' does not hold: command 7 ended", text)
        for part in ("expected  at its pass", "found     command 7 ended 2us <late>", "because   the platter turns"):
            self.assertIn(part, text)
            self.assertLess(text.index(part), text.index("first divergence"))
        self.assertIn("held:       seeks\n", text)
        self.assertNotIn("the curve", text)

    def test_totals_and_causes_count_them(self):
        both = [self.WRONG, self.HELD]
        self.assertEqual(
            totals(both, 2), "2 cases: 1 wrong, 1 passed; 2 of 3 expectations of 2 cases hold"
        )
        self.assertEqual(
            causes_text(causes_of(both)), ["1 case: expectations that do not hold: angles"]
        )

    def test_junit_has_a_test_case_for_each(self):
        root = ET.fromstring(junit_xml([self.WRONG, self.HELD], {}))
        for counted in (root, root[0]):
            # The wrong case, and its failed expectation.
            self.assertEqual([counted.get(key) for key in ("tests", "failures", "errors")], ["5", "2", "0"])
        names = [(one.get("classname"), one.get("name")) for one in root.iter("testcase")]
        self.assertIn(("headstack.regress.rtl.moved", "expects angles"), names)
        self.assertEqual(len(set(names)), 5)
        failure = root.find(".//testcase[@name='expects angles']/failure")
        self.assertIn("because the platter turns evenly", failure.text)
        held = root.find(".//testcase[@name='expects seeks']/system-out")
        self.assertIn("found so for 40 commands", held.text)

    def test_the_page_shows_all_of_them_escaped_and_well_formed(self):
        page = page_text([self.WRONG, self.HELD], 2)
        tags = _Tags()
        tags.feed(page)
        self.assertEqual(tags.open, [])
        self.assertLessEqual({target[1:] for target in tags.targets}, set(tags.ids))
        for part in ("the curve &amp; its rows", "command 7 ended 2us &lt;late&gt;", "the platter turns evenly", "1 of 2"):
            self.assertIn(part, page)

    def test_github_annotates_a_wrong_case_at_its_file(self):
        alone = Verdict(case("alone"), State.WRONG, FINDINGS[1].headline, findings=FINDINGS)
        line = annotation(Cause("", (alone,)), ROOT)
        self.assertRegex(line, r"^::error file=tests/golden/alone/scenario.toml,line=1,title=alone wrong::expectation 'angles'")


class Order(unittest.TestCase):
    def test_failures_come_first_and_what_is_accepted_after_them(self):
        moved, taken = Verdict(case("m"), State.MOVED), replace(VERDICTS[1], accepted="commit abc has its timing")
        ordered = failures_first([VERDICTS[0], moved, taken, *VERDICTS[2:], VERDICTS[1]])
        self.assertEqual(ordered, [VERDICTS[3], VERDICTS[2], VERDICTS[1], VERDICTS[4], taken, moved, VERDICTS[0]])
        self.assertEqual([one.is_good for one in ordered], [False] * 4 + [True] * 3)

    def test_causes_of_failures_come_before_those_of_many_changes(self):
        again = Verdict(case("again", "rtl"), State.CHANGED, "", EVENT, Look(), BEFORE, AFTER)
        self.assertTrue(causes_text(causes_of([VERDICTS[1], again, VERDICTS[3]]))[0].startswith("1 case: failed: the run ended"))


class Causes(unittest.TestCase):
    def test_cases_are_told_together_by_the_function_that_changed_the_most_first(self):
        again = Verdict(case("again", "rtl"), State.CHANGED, "", EVENT, Look(), BEFORE, AFTER)
        lines = causes_text(causes_of([VERDICTS[2], *VERDICTS[:2], again]))
        self.assertEqual(
            lines,
            [
                "2 cases: the work of seek_start() at firmware/motion/seek.c:40 changed",
                "1 case: times changed, without a function to name: first seek",
            ],
        )

    def test_a_suite_that_passes_has_none(self):
        self.assertEqual(causes_of(VERDICTS[:1]), [])


class Junit(unittest.TestCase):
    # Attributes that the schema of the Jenkins xUnit plug-in, which CI servers follow, requires for the elements used here.
    REQUIRED = {
        "testsuites": set(), "testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name", "classname"},
        "failure": {"type", "message"}, "error": {"type", "message"},
    }  # fmt: skip
    CHILDREN = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "error"}}
    # Expectations that hold are in test_junit_has_a_test_case_for_each.

    def test_elements_and_counts_are_as_the_schema_wants_them(self):
        root = ET.fromstring(junit_xml(VERDICTS, {"fine": 1.25, "late": 0.5}))
        self.assertEqual(root.tag, "testsuites")
        for element in root.iter():
            self.assertLessEqual(self.REQUIRED[element.tag], set(element.attrib))
            self.assertLessEqual({child.tag for child in element}, self.CHILDREN.get(element.tag, set()))
        for counted in (root, root[0]):
            self.assertEqual([counted.get(key) for key in ("tests", "failures", "errors")], ["5", "2", "2"])
        names = [one.get("name") for one in root.iter("testcase")]
        self.assertEqual(names, ["broken", "moved", "late", "fresh", "fine"], "failures first")

    def test_a_failure_has_the_whole_report_and_no_character_that_xml_forbids(self):
        root = ET.fromstring(junit_xml(VERDICTS, {"fine": 1.25, "late": 0.5}))
        self.assertIn("took 53 cycles", root.find(".//testcase[@name='moved']/failure").text)
        self.assertIn("a <b> &  c", root.find(".//testcase[@name='broken']/error").get("message"))

    def test_it_has_the_time_of_each_case_and_of_all(self):
        root = ET.fromstring(junit_xml(VERDICTS, {"fine": 1.25, "late": 0.5}))
        times = {one.get("name"): one.get("time") for one in root.iter("testcase")}
        self.assertEqual(times, {"fine": "1.25", "late": "0.50", "moved": "0.00", "broken": "0.00", "fresh": "0.00"})
        self.assertEqual((root.get("time"), root[0].get("time")), ("1.75", "1.75"))


class Github(unittest.TestCase):
    def test_an_annotation_stands_at_the_changed_function_else_at_the_case(self):
        moved = annotation(Cause("", (VERDICTS[1],)), ROOT)
        self.assertRegex(moved, r"^::error file=firmware/motion/seek.c,line=40,title=moved changed::")
        late = annotation(Cause("", (VERDICTS[2], VERDICTS[1])), ROOT)
        self.assertRegex(late, r"^::error file=tests/golden/late/scenario.toml,line=1,title=late and 1 more changed::")

    def test_what_would_end_a_workflow_command_is_escaped(self):
        line = annotation(Cause("", (VERDICTS[1],)), ROOT)
        self.assertEqual(line.count("\n"), 0)
        self.assertIn("expected cycle 150%0Abetween", line)
        self.assertIn("100 %25 of it", line)

    def test_the_summary_goes_to_its_file_and_annotations_come_back(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.md"
            environment = {"GITHUB_STEP_SUMMARY": str(file), "GITHUB_WORKSPACE": str(ROOT)}
            lines = report_to_github(VERDICTS, 5, environment)
            self.assertEqual(file.read_text(encoding="utf-8"), summary(VERDICTS, 5))
        self.assertEqual(len(lines), 4)
        self.assertIn("| `moved` | changed | command 1", summary(VERDICTS, 5))
        self.assertNotIn("fine", summary(VERDICTS, 5))


class _Tags(HTMLParser):
    """The tags that open and close, and the addresses."""

    VOID = {"meta", "br", "link", "img"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.targets: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.targets += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]
        self.ids += [value for name, value in attrs if name == "id" and value]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Page(unittest.TestCase):
    def test_it_is_well_formed_and_needs_nothing_beside_it(self):
        tags = _Tags()
        page = page_text(VERDICTS, 5)
        tags.feed(page)
        self.assertEqual(tags.open, [])
        self.assertTrue(all(target.startswith("#") for target in tags.targets), tags.targets)
        self.assertLessEqual({"#moved", "#late", "#broken", "#fresh"}, set(tags.targets))
        self.assertNotRegex(page, r"url\((?!#)|@import|<script")

    def test_it_shows_both_runs_and_escapes_what_it_shows(self):
        page = page_text(VERDICTS, 5)
        self.assertEqual(page.count("<svg"), 2)
        self.assertEqual(len(re.findall(">expected</text>", page)), 2)
        self.assertIn("a &lt;b&gt; &amp;", page)

    def test_a_drive_that_failed_is_told_with_how_and_with_what_it_did_first(self):
        failed = replace(VERDICTS[1], state=State.FAILED, message="the firmware stopped")
        for text in (page_text([failed], 1), verdict_text(failed), junit_xml([failed], {}).decode(), summary([failed], 1)):
            self.assertIn("the firmware stopped", text)
            self.assertIn("took 53 cycles", text)

    def test_equal_verdicts_make_equal_pages(self):
        self.assertEqual(page_text(VERDICTS, 5), page_text(VERDICTS, 5))


if __name__ == "__main__":
    unittest.main()
