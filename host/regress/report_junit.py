# SPDX-License-Identifier: Apache-2.0
"""The verdicts as JUnit XML, which CI servers read: a test case for each, and one for each of its expectations.

`time` is the wall time of a case. Its expectations have none of their own.
"""

import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from verdict import State, Verdict, failures_first
from report_text import verdict_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import make_folder, write_bytes  # noqa: E402

NAME = "headstack.regress"
JUNIT_MARK = f'<testsuites name="{NAME}"'.encode()  # near the beginning of each file


def _legal(text: str) -> str:
    """The text without control characters that XML 1.0 does not allow."""
    return "".join(letter for letter in text if letter in "\t\n\r" or ord(letter) >= 0x20)


def _relative(file: Path) -> str:
    """The file's path relative to the current folder, if it is below it."""
    return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)


def _add_findings(suite: ET.Element, verdict: Verdict) -> None:
    """Adds a test case for each finding, in a class of the case's own. Those that hold have their value, too."""
    for finding in verdict.findings:
        case = ET.SubElement(
            suite, "testcase", name=f"expects {finding.kind}", file=_relative(verdict.case.file),
            classname=f"{NAME}.{verdict.case.platform}.{verdict.case.name}",
        )  # fmt: skip
        text = f"expected {finding.expected}\nfound {finding.found}\nbecause {finding.reason}\n"
        if finding.holds:
            ET.SubElement(case, "system-out").text = _legal(text)
        else:
            failure = ET.SubElement(case, "failure", type="wrong", message=_legal(finding.headline))
            failure.text = _legal(text)


def junit_xml(verdicts: list[Verdict], seconds: Mapping[str, float]) -> bytes:
    """The content of the file; `seconds` has the cases' times by name."""
    findings = [finding for verdict in verdicts for finding in verdict.findings]
    failures = sum(verdict.state in (State.CHANGED, State.WRONG) and not verdict.is_good for verdict in verdicts)
    failures += sum(not finding.holds for finding in findings)
    errors = sum(verdict.state in (State.FAILED, State.NEW) and not verdict.is_good for verdict in verdicts)
    total = sum(seconds.get(verdict.case.name, 0.0) for verdict in verdicts)
    counts = {
        "tests": str(len(verdicts) + len(findings)), "failures": str(failures), "errors": str(errors), "time": f"{total:.2f}",
    }  # fmt: skip
    suites = ET.Element("testsuites", {"name": NAME, **counts})
    suite = ET.SubElement(suites, "testsuite", {"name": NAME, "skipped": "0", **counts})
    for verdict in failures_first(verdicts):
        case = ET.SubElement(
            suite, "testcase", name=verdict.case.name, classname=f"{NAME}.{verdict.case.platform}",
            file=_relative(verdict.case.file), time=f"{seconds.get(verdict.case.name, 0.0):.2f}",
        )  # fmt: skip
        if verdict.state is not State.PASSED and verdict.is_good:
            ET.SubElement(case, "system-out").text = _legal(verdict_text(verdict))
        elif verdict.state is not State.PASSED:
            kind = "failure" if verdict.state in (State.CHANGED, State.WRONG) else "error"
            trouble = ET.SubElement(case, kind, type=verdict.state.value, message=_legal(verdict.summary))
            trouble.text = _legal(verdict_text(verdict))
        _add_findings(suite, verdict)
    ET.indent(suites)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def write_junit(file: Path, verdicts: list[Verdict], seconds: Mapping[str, float]) -> None:
    """Writes the file, and makes its folder."""
    make_folder(file.parent)
    write_bytes(file, junit_xml(verdicts, seconds))
