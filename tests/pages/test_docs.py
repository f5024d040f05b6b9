# SPDX-License-Identifier: Apache-2.0
"""The parts of docs/ that programs make are those that they make now, and the readers of sources read what is there.

    test_docs.py           what is made of sources
    test_docs.py --runs    what is made of a built program and its run: policies, timing diagrams, clocks, the event flow
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

from page import ROOT

sys.path.insert(0, str(ROOT / "docs/draw"))

import made  # noqa: E402
import runs  # noqa: E402
import pictures  # noqa: E402
import recording  # noqa: E402
import registers  # noqa: E402
import shots  # noqa: E402
import tables  # noqa: E402
import verilog  # noqa: E402
import annotate  # noqa: E402
import missed  # noqa: E402
from canvas import DARK, LIGHT, Canvas  # noqa: E402

RUNS = "--runs" in sys.argv
REMEDY = "build/venv/bin/python docs/draw/write_docs.py"


def stale_pictures(files: dict[str, made.Callable[[], str]]) -> list[str]:
    """Those whose file is not what is drawn now."""
    found = []
    for name, make in files.items():
        path = made.DOCS / name
        if not path.is_file() or path.read_text(encoding="utf-8") != make():
            found.append(f"docs/{name}")
    return found


def stale_pages(names: set[str]) -> list[str]:
    """Those with a part among `names` that is not what is made now."""
    parts = {name: make for name, make in made.PARTS.items() if name in names}
    return [str(page.relative_to(ROOT)) for page in made.pages() if made.renewed(page, parts) != page.read_text(encoding="utf-8")]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours by WCAG 2.1, with its relative luminance."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@unittest.skipIf(RUNS, "of sources")
class OfSources(unittest.TestCase):
    def test_pictures_are_as_they_are_drawn(self) -> None:
        self.assertEqual([], stale_pictures(made.PICTURES), f"{REMEDY} --sources")

    def test_tables_are_as_they_are_made(self) -> None:
        self.assertEqual([], stale_pages(set(made.PARTS) - set(made.NEED_BUILD)), f"{REMEDY} --sources")

    def test_each_part_stands_on_a_page(self) -> None:
        text = "".join(page.read_text(encoding="utf-8") for page in made.pages())
        self.assertEqual([], [name for name in made.PARTS if f"<!-- made: {name} -->" not in text and not name.endswith((" cpu", " mem"))])
        self.assertEqual(text.count("<!-- made:"), text.count("<!-- end -->"))

    def test_each_picture_is_shown_and_each_file_is_drawn(self) -> None:
        shown = "".join(page.read_text(encoding="utf-8") for page in made.pages())
        names = {Path(name).name for name in (*made.PICTURES, *made.RUN_PICTURES)}
        self.assertEqual([], sorted(name for name in names if f"/{name})" not in shown))
        self.assertEqual(names, {path.name for path in (made.DOCS / "pictures").iterdir()})

    def test_each_picture_in_pixels_of_waves_and_reports_is_declared_and_shown(self) -> None:
        drawn = {file.relative_to(ROOT) for file in shots.shots()}
        self.assertEqual(drawn, {file.relative_to(ROOT) for file in ROOT.glob("host/*/pictures/*.png")})
        text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "host").glob("*.md"))
        self.assertEqual([], [file.name for file in drawn if f"pictures/{file.name})" not in text])

    def test_every_policy_has_a_row(self) -> None:
        page = (made.DOCS / "policies.md").read_text(encoding="utf-8")
        rows = tables.rows_of_policies()
        self.assertGreater(len(rows), 20)
        for number, name, _ in rows:
            with self.subTest(name):
                self.assertTrue(f"| {number} | `{name}` |" in page, f"docs/policies.md has no row of it; {REMEDY} docs/policies.md")

    def test_every_block_with_registers_has_a_page(self) -> None:
        for path in sorted((ROOT / "hdl/regs").glob("*.rdl")):
            with self.subTest(path.stem):
                self.assertTrue((made.DOCS / f"blocks/{path.stem}.md").is_file(), f"write docs/blocks/{path.stem}.md")
                self.assertIn(path.stem, made.BLOCKS)


@unittest.skipIf(RUNS, "of sources")
class Readers(unittest.TestCase):
    """What the tables rest on."""

    def test_ports_are_those_that_verilator_reads(self) -> None:
        packages = [str(ROOT / "hdl" / name) for name in ("ports/reg_pkg.sv", "bus/bus_pkg.sv")]
        with tempfile.TemporaryDirectory() as folder:
            for module in ("io_bridge", "crossbar", "tightly_coupled_ram"):
                out = Path(folder, f"{module}.xml")
                subprocess.run(
                    ["verilator", "--xml-only", "--xml-output", str(out), "-Wno-fatal", "--top-module", module, *packages,
                     str(pictures.SOURCES[module])], check=True, capture_output=True)  # fmt: skip
                top = next(one for one in ElementTree.parse(out).iter("module") if one.get("name") == module)
                expected = [(one.get("name"), one.get("dir")) for one in top.iter("var") if one.get("dir")]
                with self.subTest(module):
                    self.assertEqual(expected, [(port.name, port.direction) for port in verilog.ports(pictures.SOURCES[module])])

    def test_a_port_that_is_not_understood_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.sv")
            path.write_text("module m (\n  input logic clk_i,\n  inout wire [3:0] pad\n);\n", encoding="utf-8")
            with self.assertRaisesRegex(verilog.SourceError, r"m.sv:3: no port"):
                verilog.ports(path)
            path.write_text("module m (\n  // The clock.\n  input  logic clk_i  // rising\n", encoding="utf-8")
            with self.assertRaisesRegex(verilog.SourceError, "does not end"):
                verilog.ports(path)

    def test_registers_are_those_of_the_generated_header(self) -> None:
        # Offsets by PeakRDL's own page, where the build has made it.
        for block in made.BLOCKS:
            text = (ROOT / "hdl/regs" / f"{block}.rdl").read_text(encoding="utf-8")
            written = re.findall(r"\}\s*(\w+)(?:\[\d+\])?\s*@\s*(0x[0-9A-Fa-f]+)", text)
            self.assertGreater(len(written), 0, block)
            read = {(one.name.split(".")[-1].split("[")[0], one.offset & 0x7F) for one in registers.registers(block)}
            for name, offset in written:
                if name not in ("SEGMENTS", "SEGMENT"):
                    with self.subTest(f"{block}.{name}"):
                        self.assertIn(name, {one for one, _ in read})
                        if block != "buffer_mgr":
                            self.assertIn((name, int(offset, 16)), read)

    def test_an_unknown_part_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory(dir=made.DOCS) as folder:
            page = Path(folder, "page.md")
            page.write_text("<!-- made: ports of nobody -->\n<!-- end -->\n", encoding="utf-8")
            with self.assertRaisesRegex(made.MadeError, "nobody makes 'ports of nobody'"):
                made.renewed(page)

    def test_a_policy_without_a_source_is_an_error(self) -> None:
        rows = [*tables.rows_of_policies(), (99, "brandnew", "brandnew")]
        with mock.patch.object(tables, "rows_of_policies", return_value=rows):
            with self.assertRaisesRegex(verilog.SourceError, r"no \[brandnew\], which firmware/queue/policies.def has"):
                tables.sources_of_policies()
        with mock.patch.object(tables, "rows_of_policies", return_value=rows[:3]):
            with self.assertRaisesRegex(verilog.SourceError, r"is no row of firmware/queue/policies.def"):
                tables.sources_of_policies()

    def test_a_new_block_has_to_be_placed(self) -> None:
        with mock.patch.object(pictures, "SOC_PLACES", {"cpu": (0, 0)}):
            with self.assertRaisesRegex(verilog.SourceError, "SOC_PLACES is not what soc_top.sv has"):
                pictures.soc()

    def test_a_recording_is_as_its_player_wants_it(self) -> None:
        """asciicast v2: a head, then events of time, kind and text."""
        with mock.patch.object(recording, "session", return_value=(("echo a", "a\n"), ("true", ""))):
            head, *events = map(json.loads, recording.cast().splitlines())
        self.assertEqual((2, recording.COLUMNS, recording.ROWS), (head["version"], head["width"], head["height"]))
        times = [time for time, _, _ in events]
        self.assertEqual(times, sorted(times))
        self.assertEqual({"o"}, {kind for _, kind, _ in events})
        prompt = recording.PROMPT
        self.assertEqual(f"{prompt}echo a\r\na\r\n{prompt}true\r\n{prompt}", "".join(text for _, _, text in events))

    def test_the_still_is_the_screen_at_the_end(self) -> None:
        events = [[0.1, "o", f"{recording.PROMPT}ab\r\n"], [0.2, "o", "long line\r\n\r\n"], [0.3, "o", "end"]]
        of = lambda rows: [[(piece.column, piece.text, piece.is_prompt) for piece in row] for row in rows]
        text = lambda height: "\n".join(map(json.dumps, [{"version": 2, "width": 5, "height": height}, *events]))
        rows = [[(0, "$", True), (1, " ab", False)], [(0, "long ", False)], [(0, "line", False)], [], [(0, "end", False)]]
        self.assertEqual(rows, of(recording.screen(text(9))))
        self.assertEqual(rows[-2:], of(recording.screen(text(2))))

    def test_a_miss_is_found_among_the_events(self) -> None:
        """Clock edges of 25 ns; only the events of the last access before the miss are its own."""
        text = ("10 RUN_DONE 8", "20 SEEK_START 1", "30 ON_TRACK 1", "35 RUN_START 50008", "50 FIRST_SECTOR 1",
                "100 RUN_DONE 8", "160 SEEK_START 2", "300 ON_TRACK 2", "310 RUN_START 4a0008", "900 FIRST_SECTOR 2",
                "950 RUN_DONE 8", "960 MISSED_REVOLUTION 1", "990 MISSED_REVOLUTION 2")  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "events.txt").write_text("\n".join(text) + "\n", encoding="ascii")
            events = runs.events_of(Path(folder))
        ns = 1000
        self.assertEqual(
            missed.Miss(sector=0x4A, margin=10**7, done=2500 * ns, left=4000 * ns, ready=7500 * ns, ended=22500 * ns),
            missed.find(events, 10))  # fmt: skip
        with self.assertRaisesRegex(verilog.SourceError, "has no missed revolution"):
            missed.find(events[:-2], 10)

    def test_no_stroke_runs_through_a_text(self) -> None:
        place = lambda x, length: [annotate._Label(annotate.Mark(x, "", annotate.RED), x, x + 5, x + 5 + length),
                                   annotate._Label(annotate.Mark(x, "", annotate.RED), x, x - 5 - length, x - 5)]  # fmt: skip
        xs = lambda order: [(label.x, "right" if label.left > label.x else "left") for label in order]
        # Each to the right: a stroke goes down left of all texts below it.
        self.assertEqual([(100, "right"), (200, "right")], xs(annotate.arranged([place(100, 300), place(200, 300)], 0, 1000)))
        # Neither fits to the right. Below the stroke at 900, the other text would lie across it.
        self.assertEqual([(950, "left"), (900, "left")], xs(annotate.arranged([place(900, 200), place(950, 40 + 20)], 0, 960)))
        # A text on the first line begins behind the title.
        self.assertEqual([(600, "right"), (100, "right")], xs(annotate.arranged([place(100, 300), place(600, 300)], 500, 1000)))
        with self.assertRaisesRegex(ValueError, "make a text shorter"):
            annotate.arranged([place(500, 2000)], 0, 1000)

    def test_a_picture_is_xml_with_both_themes_and_its_own_ground(self) -> None:
        picture = Canvas(100, 50, "A & B", "<what>")
        picture.text(1, 2, "a < b")
        picture.arrow([(0, 0), (10, 0)])
        text = picture.svg()
        root = ElementTree.fromstring(text)
        self.assertEqual("0 0 100 50", root.get("viewBox"))
        self.assertIn("prefers-color-scheme: dark", text)
        self.assertIn('class="paper" width="100" height="50"', text)
        self.assertNotIn("prefers-color-scheme", picture.svg("dark"))

    # WCAG 2.1, 1.4.3: 4.5:1 between text and what is behind it; 1.4.11: 3:1 between a line and its ground.
    def test_each_theme_has_the_contrast_that_readers_need(self) -> None:
        self.assertAlmostEqual(21.0, contrast("#000000", "#ffffff"), places=6)
        self.assertAlmostEqual(4.48, contrast("#777777", "#ffffff"), places=2)  # the grey that just fails
        for theme in (LIGHT, DARK):
            for text in ("ink", "dim", "a", "b", "c", "d"):
                for ground in ("paper", "soft", "a_soft", "b_soft", "c_soft", "d_soft"):
                    self.assertGreaterEqual(contrast(theme[text], theme[ground]), 4.5, (text, ground))

    # A dark page would shine through, under dark text.
    def test_pictures_in_pixels_have_their_own_ground(self) -> None:
        from matplotlib.image import imread

        files = [file for folder in ("docs", "host") for file in (ROOT / folder).rglob("*.png")]
        self.assertGreater(len(files), 20)
        for file in files:
            pixels = imread(file)
            self.assertTrue(pixels.ndim == 2 or pixels.shape[2] == 3 or pixels[..., 3].min() == 1.0, file.relative_to(ROOT))


@unittest.skipUnless(RUNS, "of runs")
class OfRuns(unittest.TestCase):
    def test_pictures_are_as_they_are_drawn(self) -> None:
        self.assertEqual([], stale_pictures(made.RUN_PICTURES), REMEDY)

    def test_pictures_in_pixels_show_the_runs_as_they_are(self) -> None:
        self.assertEqual([], [str(file.relative_to(ROOT)) for file in shots.stale()], REMEDY)

    def test_a_picture_of_other_times_or_without_a_mark_is_stale(self) -> None:
        file = shots.WAVES / "seek.png"
        shows, _ = shots.shots()[file]
        run, picture = shows.args[1:]
        later = shots.functools.partial(shots._events_shown, "long_seek", run, {**picture, "to": "53.1ms"})
        self.assertEqual([file], shots.stale({file: (later, shots.write)}))
        unmarked = ROOT / "host/fidelity/results/angles.png"
        self.assertEqual([unmarked], shots.stale({unmarked: (shows, shots.write)}))

    def test_policies_are_as_the_command_line_tells_them(self) -> None:
        self.assertEqual([], stale_pages(set(made.NEED_BUILD)), REMEDY)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--runs"])
