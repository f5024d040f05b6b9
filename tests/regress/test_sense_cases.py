# SPDX-License-Identifier: Apache-2.0
"""The firmware's sense data that golden cases expect, and the tests that check the others."""

import dataclasses
import re
import unittest

from support import ROOT, records_text, with_sense  # noqa: I001
from case_file import load_case
from compare_records import first_record
from expect.endings import LOST, Ending, sense, take_endings
from expect.world import World
from run_records import parse_records

TABLE = ROOT / "firmware/unit/sense.h"
KEYS = {
    "NO_SENSE": 0x0, "RECOVERED_ERROR": 0x1, "NOT_READY": 0x2, "MEDIUM_ERROR": 0x3, "HARDWARE_ERROR": 0x4,
    "ILLEGAL_REQUEST": 0x5, "UNIT_ATTENTION": 0x6, "ABORTED_COMMAND": 0xB, "MISCOMPARE": 0xE, "COMPLETED": 0xF,
}  # fmt: skip
ROW = re.compile(r"\[SENSE_(\w+)\] = \{SENSE_KEY_(\w+), 0x(\w\w), 0x(\w\w)\}")

# Sense data to which no load of `headstack run` leads, and the test that checks each.
ELSEWHERE = {
    "a load of reads and writes has no such command": (
        "PARAMETER_LIST_LENGTH", "INVALID_OPCODE", "INVALID_CDB_FIELD", "LUN_NOT_SUPPORTED", "INVALID_PARAMETER_FIELD",
        "SAVING_NOT_SUPPORTED", "ROUNDED_PARAMETER", "DEFECT_LIST_NOT_FOUND", "SELF_TEST_FAILED", "LOG_PARAMETERS_CHANGED",
    ),
    "run refuses a request past the drive's end": ("LBA_RANGE",),
    "hosts of a run make no errors on the bus": (
        "MESSAGE_ERROR", "SELECT_FAILURE", "PARITY", "INITIATOR_DETECTED_ERROR", "INVALID_MESSAGE", "OVERLAPPED_COMMANDS",
    ),
    "PER is 0 in a run, so a recovered error is GOOD": (
        "WRITE_RECOVERED", "WRITE_MOVED", "READ_RECOVERED", "READ_MOVED", "READ_STAYS",
    ),
    "hosts of a run learn of it by TEST UNIT READY, or while a drive gets ready": (
        "CLEARED_BY_ANOTHER_INITIATOR", "MODE_PARAMETERS_CHANGED", "MEDIUM_MAY_HAVE_CHANGED", "POWER_ON_OR_RESET",
        "NOT_READY", "FORMAT_IN_PROGRESS", "MEDIUM_CORRUPTED",
    ),
    "REASSIGN BLOCKS of a run's hosts has no record": ("NO_SPARE",),
    "a duration policy that run does not set": ("DATA_UNAVAILABLE",),
    "no fault of a specimen loses a seek, or a sector with sound headers": ("SEEK_POSITIONING", "RECORD_NOT_FOUND"),
    "only a bug leads to it": ("INTERNAL_FAILURE",),
}  # fmt: skip


def firmware_codes() -> dict[str, str]:
    """Each code of the firmware's table by its name: "4/02/00"."""
    text = (ROOT / "firmware/unit/sense.c").read_text(encoding="utf-8")
    found = {name: f"{KEYS[key]:X}/{code}/{qualifier}" for name, key, code, qualifier in ROW.findall(text)}
    return {name: code for name, code in found.items() if name != "NONE"}


def sense_cases() -> dict[str, tuple[Ending, ...]]:
    """The golden cases that expect sense data."""
    cases = [load_case(file.parent) for file in sorted((ROOT / "tests/golden").glob("*/scenario.toml"))]
    return {case.name: one.given["endings"] for case in cases for one in case.expectations if one.kind == "sense"}


class Codes(unittest.TestCase):
    def test_each_code_is_expected_of_a_golden_case_or_left_to_another_test_with_its_reason(self) -> None:
        expected = {ending.sense for endings in sense_cases().values() for ending in endings} - {LOST}
        codes = firmware_codes()
        elsewhere = [name for names in ELSEWHERE.values() for name in names]
        self.assertEqual(len(elsewhere), len(set(elsewhere)))
        self.assertLessEqual(set(elsewhere), set(codes))
        for name, code in codes.items():
            with self.subTest(name):
                self.assertNotEqual(code in expected, name in elsewhere, "in a golden case, or in ELSEWHERE")
        self.assertLessEqual(expected, set(codes.values()))

    def test_what_is_left_to_others_is_in_a_test_of_theirs(self) -> None:
        """The code occurs in a scenario or in a test of the firmware: by its name, or by code and qualifier."""
        sources = [
            file.read_text(encoding="utf-8", errors="replace")
            for folder in ("tests/scenario", "tests/firmware", "tests/session")
            for file in sorted((ROOT / folder).rglob("*.?pp"))
        ]
        text = "\n".join(sources)
        codes = firmware_codes()
        for names in ELSEWHERE.values():
            for name in names:
                _, code, qualifier = codes[name].split("/")
                with self.subTest(name):
                    self.assertRegex(text, rf"SENSE_{name}\b|0x{code}, (0x)?0*{qualifier.lstrip('0') or '0'}\b")


class Falsified(unittest.TestCase):
    """A wrong code in the place of a right one, with equal status and times."""

    RUN = records_text((0, 0, 1, 2, 3, 4), (1, 10, 1, 2, 3, 4), (2, 20, 1, 2, 3, 4))
    ENDINGS = take_endings([{"sense": "3/11/00", "commands": [1]}])

    def answer(self, text: str, endings: tuple[Ending, ...] | None = None):
        """The expectation's answer for a run."""

        @dataclasses.dataclass
        class Journal:
            records: list

        world = World.__new__(World)
        world.__dict__["journal"] = Journal(parse_records(text.splitlines(), "records"))
        return sense(world, {"endings": endings or self.ENDINGS})

    def test_the_right_code_holds(self) -> None:
        self.assertTrue(self.answer(with_sense(self.RUN, c1=(2, "3/11/00"))).holds)

    def test_any_other_ending_does_not(self) -> None:
        for name, endings in (
            ("another code", {"c1": (2, "3/10/00")}), ("another key", {"c1": (2, "4/11/00")}), ("no sense", {"c1": (2, "")}),
            ("GOOD", {}), ("GOOD with sense", {"c1": (0, "3/11/00")}), ("one more", {"c1": (2, "3/11/00"), "c2": (2, "3/11/00")}),
            ("deferred", {"c1": (2, "3/11/00 deferred")}), ("another command", {"c2": (2, "3/11/00")}),
        ):  # fmt: skip
            with self.subTest(name):
                self.assertFalse(self.answer(with_sense(self.RUN, **endings)).holds)

    def test_an_ending_without_a_command_does_not_hold(self) -> None:
        nobody = take_endings([{"sense": "3/11/00", "commands": [1]}, {"sense": "4/02/00", "blocks": [[999, 999]]}])
        self.assertIn("no command could end with 4/02/00", self.answer(with_sense(self.RUN, c1=(2, "3/11/00")), nobody).found)

    def test_a_command_that_was_reset_has_no_status(self) -> None:
        lost = take_endings([{"sense": "lost", "commands": [1]}])
        self.assertTrue(self.answer(with_sense(self.RUN, c1=(255, "")), lost).holds)
        self.assertFalse(self.answer(with_sense(self.RUN, c1=(2, "6/29/02")), lost).holds)
        self.assertFalse(self.answer(self.RUN, lost).holds)

    def test_each_wrong_code_of_each_case_differs_from_another_run(self) -> None:
        """Runs are compared by their sense data, so any exchange of two codes is found."""
        codes = sorted(firmware_codes().values())
        for right, wrong in zip(codes, codes[1:] + codes[:1], strict=True):
            before, after = (
                parse_records(with_sense(self.RUN, c1=(2, code)).splitlines(), "records") for code in (right, wrong)
            )
            self.assertEqual(first_record(before, after, 0, times=True), 1, f"{right} for {wrong}")

    def test_bad_tables_are_refused(self) -> None:
        for value in ([], {}, [{}], [{"sense": 5}], [{"sense": "3/11/00", "blocks": [1]}], [{"sense": "3/11/00", "nothing": 1}]):
            with self.assertRaises(ValueError):
                take_endings(value)


if __name__ == "__main__":
    unittest.main()
