"""The verdicts as JUnit XML, which CI servers read: a test case for each. No times in it: equal runs, equal files."""

import xml.etree.ElementTree as ET
from pathlib import Path

from check import State, Verdict
from report_text import verdict_text

NAME = "headstack.regress"


def _legal(text: str) -> str:
    """XML 1.0 has no control characters but these."""
    return "".join(letter for letter in text if letter in "\t\n\r" or ord(letter) >= 0x20)


def junit_xml(verdicts: list[Verdict]) -> bytes:
    """The file."""
    failures = sum(verdict.state is State.CHANGED for verdict in verdicts)
    errors = sum(verdict.state in (State.FAILED, State.NEW) for verdict in verdicts)
    counts = {"tests": str(len(verdicts)), "failures": str(failures), "errors": str(errors)}
    suites = ET.Element("testsuites", {"name": NAME, **counts})
    suite = ET.SubElement(suites, "testsuite", {"name": NAME, "skipped": "0", **counts})
    for verdict in verdicts:
        case = ET.SubElement(
            suite, "testcase", name=verdict.case.name, classname=f"{NAME}.{verdict.case.platform}",
            file=str(verdict.case.file),
        )  # fmt: skip
        if verdict.state is State.PASSED:
            continue
        kind = "failure" if verdict.state is State.CHANGED else "error"
        trouble = ET.SubElement(case, kind, type=verdict.state.value, message=_legal(verdict.summary))
        trouble.text = _legal(verdict_text(verdict))
    ET.indent(suites)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def write_junit(file: Path, verdicts: list[Verdict]) -> None:
    """Makes its folder, too."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(junit_xml(verdicts))
