# SPDX-License-Identifier: Apache-2.0
"""The sums of `headstack coverage`: which points count, and by which area. Formats are Verilator's and gcovr's own."""

import unittest

from coverage import PAGE, CoverageError, code_areas, electronics_areas, points_of, rows, write_rows


def point(file: str, page: str, line: int, place: str, count: int) -> str:
    keys = {"f": f"/work/main/hdl/{file}", "l": str(line), "n": "3", "page": page, "o": place, "h": f"TOP.{count}"}
    return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in keys.items()) + f"' {count}"


class Electronics(unittest.TestCase):
    def test_instances_of_a_module_have_the_same_points(self) -> None:
        counts: dict = {}
        for name, count in points_of([
            point("servo/servo.sv", "v_line/servo", 10, "block", 0), point("servo/servo.sv", "v_line/servo", 10, "block", 4),
            point("servo/servo.sv", "v_line/servo", 11, "block", 0), point("servo/servo.sv", "v_branch/servo", 11, "if", 1),
            point("servo/servo.sv", "v_toggle/servo", 5, "at[3]", 0), point("timer/timer.sv", "v_toggle/timer", 5, "at[3]", 2),
            point("servo/servo.sv", "v_user/servo", 12, "c_seek", 1), point("regs/servo_regs.sv", "v_line/servo_regs", 1, "block", 1),
            "# SystemC::Coverage-3",
        ]):  # fmt: skip
            counts[name] = counts.get(name, 0) + count
        self.assertEqual(rows(electronics_areas(counts)), [
            "| hdl/servo | 50.0 % of 2 | 100.0 % of 1 | 0.0 % of 1 |", "| hdl/timer |  |  | 100.0 % of 1 |"])  # fmt: skip


class Code(unittest.TestCase):
    def test_files_count_for_their_folder_and_excluded_lines_do_not(self) -> None:
        def line(count: int, *branches: int, **more: bool) -> dict:
            return {"count": count, "branches": [{"count": one} for one in branches], **more}

        report = {"files": [
            {"file": "firmware/queue/a.c", "lines": [line(3, 1, 0), line(0), line(0, **{"gcovr/excluded": True})]},
            {"file": "firmware/queue/b.c", "lines": [line(1)]},
            {"file": "firmware/drive.c", "lines": [line(1)]},
            {"file": "tests/unit/a.cpp", "lines": [line(1)]},
        ]}  # fmt: skip
        self.assertEqual(rows(code_areas(report)), ["| firmware | 100.0 % of 1 |  |  |",
                                                    "| firmware/queue | 66.7 % of 3 | 50.0 % of 2 |  |"])  # fmt: skip


class Page(unittest.TestCase):
    def test_a_table_replaces_its_former_self_alone(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        once = write_rows(page, "code", ["| a | 1 | 2 | |"])
        self.assertIn("| a | 1 | 2 | |\n<!-- end of code -->", once)
        self.assertEqual(once, write_rows(write_rows(page, "code", ["| b |"]), "code", ["| a | 1 | 2 | |"]))
        self.assertEqual(page.split("<!-- code -->")[0], once.split("<!-- code -->")[0])

    def test_a_page_without_marks_is_told(self) -> None:
        with self.assertRaisesRegex(CoverageError, "no table between"):
            write_rows("", "code", [])


if __name__ == "__main__":
    unittest.main()
