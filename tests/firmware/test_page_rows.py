# SPDX-License-Identifier: Apache-2.0
"""firmware/tools/page_rows.py: the rows of mode pages and log pages, as pages of docs/ and other tests read them."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "firmware/tools"))

import page_rows  # noqa: E402

ROWS = """\
// MODE_PAGE(COMMENT, 0x00, 0x00, 0, STORED, "none", "")
#define MODE_PAGE(...)
MODE_PAGE(ONE, 0x31, 0x00, 12, STORED, "one, and (more)", "SPC")
MODE_FIELD(ONE, A, a_us, 2, 5, 3, "us", 1, WRITE_BUFFER_SCALE_MOST_MILLI, ROUNDED, config->heads,
           CHANGES, "a \\"b\\", c")
MODE_FIELD(ONE, B, b, 4, 7, 16, "", 0, MODE_REMAP_METHODS - 1, REFUSED, 0x10, FIXED, "")
MODE_ARRAY(ONE, C, c, 6, 16, 3, "", "three")
MODE_SUBPAGE(TWO, 0x31, 0x05, 8, TWOS, 7, NEVER_SAVED, "two", "")
MODE_DESCRIPTOR(TWOS, 4)
MODE_DESCRIPTOR_FIELD(TWOS, D, d, 3, 7, 8, "", 0, ANY, REFUSED, 0, CHANGES, "")
"""


def read(text: str) -> list[page_rows.Page]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "some.def"
        file.write_text(text, encoding="utf-8")
        return page_rows.mode_pages(file)


class ModeRows(unittest.TestCase):
    def test_a_page_has_its_columns_and_its_fields(self) -> None:
        one, two = read(ROWS)
        self.assertEqual((one.code, one.subpage, one.bytes, one.title), (0x31, 0, 12, "one, and (more)"))
        a, b, c = one.fields
        self.assertEqual((a.name, a.byte, a.bit, a.bits, a.unit, a.least, a.most), ("a_us", 2, 5, 3, "us", 1, 10000))
        self.assertEqual((a.default, a.changes, a.meaning), ("config->heads", True, 'a "b", c'))
        self.assertEqual((b.last_byte, b.most, b.changes), (5, 7, False))
        self.assertEqual((c.byte, c.last_byte, c.count), (6, 11, 3))
        self.assertEqual((two.code, two.subpage, two.bytes, two.at, two.count), (0x31, 5, 8 + 7 * 4, 8, 7))
        self.assertEqual(two.find("d").byte, 3)

    def test_a_bad_row_is_named(self) -> None:
        for text, error in (
            ('MODE_PAGE(ONE, 0x31, 0x00, 12, STORED, "one", "SPC"', "MODE_PAGE without its end"),
            ("MODE_FEILD(ONE)\n", "MODE_FEILD is not known"),
            (ROWS.replace("WRITE_BUFFER_SCALE_MOST_MILLI", "NO_SUCH_NAME"), "NO_SUCH_NAME: not known"),
        ):
            with self.assertRaisesRegex(page_rows.RowError, error):
                read(text)
        with self.assertRaisesRegex(page_rows.RowError, "no field e"):
            read(ROWS)[0].find("e")

    def test_the_caching_page_is_that_of_the_standard(self) -> None:
        """SBC-2 6.3.3: its bytes and bits."""
        page = next(one for one in page_rows.mode_pages() if one.code == 0x08)
        places = {one.name: (one.byte, one.bit, one.bits) for one in page.fields}
        self.assertEqual(places["wce"], (2, 2, 1))
        self.assertEqual(places["rcd"], (2, 0, 1))
        self.assertEqual(places["prefetch_length"], (4, 7, 16))
        self.assertEqual(places["prefetch_most"], (8, 7, 16))
        self.assertEqual(places["dra"], (12, 5, 1))
        self.assertEqual(places["segments"], (13, 7, 8))
        self.assertEqual(places["segment_blocks"], (14, 7, 16))

    def test_every_row_is_read(self) -> None:
        text = (page_rows.FIRMWARE / "unit/modes.def").read_text(encoding="utf-8")
        pages = page_rows.mode_pages()
        self.assertEqual(len(pages), len(re.findall(r"^MODE_(?:SUB)?PAGE\(", text, re.MULTILINE)))
        fields = {id(one) for page in pages for one in page.fields}
        self.assertEqual(len(fields), len(re.findall(r"^MODE_(?:FIELD|ARRAY|DESCRIPTOR_FIELD)\(", text, re.MULTILINE)))

    def test_experiments_have_the_frames_of_page_22h(self) -> None:
        text = (ROOT / "host/experiment/deadline_load.py").read_text(encoding="utf-8")
        page = next(one for one in page_rows.mode_pages() if one.code == 0x22)
        self.assertIn(f"MOST_FRAMES = {page.find('below').most} ", text)


class LogRows(unittest.TestCase):
    def test_every_page_has_its_parameters(self) -> None:
        pages = {(page.code, page.subpage): page for page in page_rows.log_pages()}
        codes = [code for code, _ in pages[0x02, 0].parameters]
        self.assertEqual(codes, [f"{code:04X}h" for code in range(7)], "SCSI-2 table 80")
        self.assertEqual(pages[0x02, 0].parameters, pages[0x05, 0].parameters)
        self.assertEqual(len(pages[0x19, 0x21].parameters), 8, "counters of a descriptor, as sg_logs reads them")
        self.assertEqual(pages[0x19, 0xFF].parameters, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
