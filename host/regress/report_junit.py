"""The verdicts as JUnit XML, which CI servers read: a test case for each. No times in it: equal runs, equal files."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from check import State, Verdict
from report_text import verdict_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import make_folder, write_bytes  # noqa: E402

NAME = "headstack.regress"


def _legal(text: str) -> str:
    """XML 1.0 has no control characters but these."""
    return "".join(letter for letter in text if letter in "\t\n\r" or ord(letter) >= 0x20)


def _relative(file: Path) -> str:
    """From the folder where the command was given, where it lies below."""
    return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)


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
            file=_relative(verdict.case.file),
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
    make_folder(file.parent)
    write_bytes(file, junit_xml(verdicts))
