# SPDX-License-Identifier: Apache-2.0
"""hdl/synth/area.py: its table of figures, and what it finds too far from it. The tools themselves are not run."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hdl/synth"))

from area import AreaError, Figures, differences, figures_of, read_table, write_table  # noqa: E402

PAGE = (ROOT / "hdl/README.md").read_text(encoding="utf-8")
TOLD = Figures((1000, 200, 0, 64), 50.0)


def path(start: str, end: str, *delays: float) -> dict:
    return {"from": start, "to": end, "path": [{"delay": delay} for delay in delays]}


class Table(unittest.TestCase):
    def test_the_page_has_the_chip_and_its_blocks(self) -> None:
        rows = read_table(PAGE)
        self.assertEqual("drive_chip", next(iter(rows)))
        blocks = {folder.name for folder in (ROOT / "hdl").iterdir() if (folder / f"{folder.name}.sv").exists()}
        self.assertLessEqual(blocks - {"cpu", "soc"}, {name.split()[0] for name in rows}, "a block without a row")

    def test_what_is_written_is_read_again(self) -> None:
        rows = {"drive_chip": TOLD, "trace_port": Figures((39, 39, 0, 0), None)}
        page = write_table(PAGE, rows)
        self.assertEqual(rows, read_table(page))
        self.assertEqual(PAGE, write_table(page, read_table(PAGE)))

    def test_a_page_without_it_is_told(self) -> None:
        for page, words in (
            ("no table", "no table between"),
            ("<!-- area -->\n| | LUT4 |\n<!-- end of area -->", "columns must be"),
            (PAGE.replace("| `drive_chip` | ", "| `drive_chip` | x"), "row '`drive_chip`'"),
        ):
            with self.assertRaisesRegex(AreaError, words):
                read_table(page)


class Comparison(unittest.TestCase):
    def test_five_percent_pass_and_six_do_not(self) -> None:
        self.assertEqual([], differences("x", Figures((1050, 200, 0, 64), 47.5), TOLD))
        self.assertEqual(["x: LUT4 1060, the page has 1000"], differences("x", Figures((1060, 200, 0, 64), 50.0), TOLD))
        self.assertEqual(["x: flip-flops 188, the page has 200"], differences("x", Figures((1000, 188, 0, 64), 50.0), TOLD))
        self.assertEqual(["x: block RAMs 70, the page has 64"], differences("x", Figures((1000, 200, 0, 70), 50.0), TOLD))

    def test_speed_counts_both_ways(self) -> None:
        for mhz in (40.0, 60.0, None):
            self.assertEqual([f"x: MHz {mhz}, the page has 50.0"], differences("x", Figures(TOLD.cells, mhz), TOLD))

    def test_of_few_cells_a_handful_passes(self) -> None:
        few = Figures((28, 5, 0, 0), None)
        self.assertEqual([], differences("x", Figures((33, 5, 0, 0), None), few))
        self.assertEqual(1, len(differences("x", Figures((34, 5, 0, 0), None), few)))


class Reports(unittest.TestCase):
    def test_the_slowest_path_between_registers_counts(self) -> None:
        timing = {"critical_paths": [path("posedge a", "posedge a", 5.0, 5.0), path("posedge a", "posedge b", 8.0, 4.5),
                                     path("async", "posedge a", 40.0), path("posedge a", "async", 50.0)]}  # fmt: skip
        cells = {"LUT4": 7, "TRELLIS_FF": 3, "DP16KD": 2, "TRELLIS_DPR16X4": 1, "CCU2C": 9, "PFUMX": 4}
        self.assertEqual(Figures((7, 3, 1, 2), 80.0), figures_of(cells, timing))

    def test_without_such_a_path_there_is_no_speed(self) -> None:
        self.assertIsNone(figures_of({}, {"critical_paths": [path("async", "posedge a", 1.0)]}).mhz)


if __name__ == "__main__":
    unittest.main()
