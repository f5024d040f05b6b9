# SPDX-License-Identifier: Apache-2.0
"""host/wave: views and their save files, the command line, and a picture that GTKWave really draws.

    test_views.py [HEADSTACK_RUN]     with the program: a picture of a run, too
"""

import contextlib
import gzip
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/wave"))

# pylint: disable=wrong-import-position
import gtkwave
import savefile
import views
import wave_command
from errors import WaveError

PROGRAM = ""


def manifest(text: str) -> Path:
    """A manifest in a temporary file."""
    file = Path(tempfile.mkstemp(suffix=".toml")[1])
    file.write_text(text, encoding="utf-8")
    return file


class Manifest(unittest.TestCase):
    """Tests of views.toml."""

    def test_has_the_views_that_are_promised(self) -> None:
        self.assertEqual(list(views.load()), ["seek", "rotation", "bus", "firmware", "command"])

    def test_every_numberless_value_has_its_filter(self) -> None:
        for row in (row for view in views.load().values() for row in view.rows if row.filter):
            bits = int(row.signal.split("[")[1].split(":")[0]) + 1
            self.assertIn(f"{2**bits - 1} -", views.filter_file(row).read_text(encoding="utf-8"), row.signal)

    def test_mistakes_name_view_and_row(self) -> None:
        cases = {
            '{ signal = "a", format = "octal" }': "'format' is 'octal', but must be one of bit",
            '{ signal = "a", colour = "pink" }': "'colour' is 'pink', but must be one of red",
            '{ signal = "a", size = 2 }': "unknown key 'size'",
            '{ signal = "a", filter = "none" }': "there is no",
            '{ label = "a" }': "either 'heading' or 'signal'",
        }
        for row, message in cases.items():
            with self.assertRaises(WaveError) as caught:
                views.load(manifest(f'[v]\ntitle = "t"\nrows = [{row}]\n'))
            self.assertIn("v: rows 1", str(caught.exception))
            self.assertIn(message, str(caught.exception))


class SaveFile(unittest.TestCase):
    """Tests of a view's save file for GTKWave."""

    def test_a_row_says_all_of_itself(self) -> None:
        view = views.View("v", "t", (
            views.Row(heading="H"),
            views.Row(signal="a.b", label="x", format="analog", height=3, colour="orange"),
            views.Row(signal="c[1:0]", format="names"),
        ))
        lines = savefile.save_file(view, Path("/f.fst"), 100, 50).splitlines()
        self.assertEqual(lines[4:], ["@200", "-H", "[color] 2", "@10022", "+{x} a.b", "@20000", "-", "@20000", "-",
                                     "@100000028", "c[1:0]"])
        self.assertEqual(view.height, 5)


class CommandLine(unittest.TestCase):
    """Tests of the command line of headstack wave."""

    def error(self, *arguments: str) -> tuple[int, str]:
        """Runs the command. Returns its exit status and stderr."""
        sys.argv = ["wave_command.py", *arguments]
        with contextlib.redirect_stderr(io.StringIO()) as stderr:
            try:
                status = wave_command.main()
            except SystemExit as end:
                status = int(end.code or 0)
        return status, stderr.getvalue()

    def test_times_are_exact(self) -> None:
        self.assertEqual(wave_command.parse_time("1.5ms"), 1_500_000_000)
        self.assertEqual(wave_command.parse_time("0.001ns"), 1)

    def test_mistakes_are_one_line_with_a_remedy(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cases = [
                (["shot", f"{folder}/nowhere", "--view", "seek", "-o", "x.png"], 1, "there is no such file or folder"),
                (["shot", folder, "--view", "seek", "-o", "x.png"], 1, "headstack run ... --wave"),
                (["shot", str(ROOT / "README.md"), "--view", "seek", "-o", "x.png"], 1, "not an .fst file"),
                (["shot", folder, "--view", "sek", "-o", "x.png"], 2, "invalid choice"),
                (["shot", folder, "--view", "seek", "-o", "x.png", "--from", "1"], 2, "is not a time"),
                (["zoom", folder], 2, "invalid choice"),
            ]
            for arguments, status, message in cases:
                with self.subTest(arguments):
                    ended, text = self.error(*arguments)
                    self.assertEqual(ended, status)
                    self.assertIn(message, text)
                    if status == 1:
                        self.assertRegex(text, r"^headstack: error: [^\n]*\n$")


class WaveFiles(CommandLine):
    """An incomplete wave file is refused, and existing files are not overwritten."""

    HEADER = b"\0" + (329).to_bytes(8, "big") + bytes(321)
    BLOCK = b"\x04" + (20).to_bytes(8, "big") + bytes(12)

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.fst, self.out = self.folder / "run.fst", self.folder / "seek.gtkw"

    def save(self, content: bytes, *words: str) -> tuple[int, str]:
        self.fst.write_bytes(content)
        return self.error("save", str(self.fst), "--view", "seek", "-o", str(self.out), *words)

    def test_a_whole_file_is_taken(self) -> None:
        self.assertEqual(self.save(self.HEADER + self.BLOCK), (0, ""))
        self.assertTrue(self.out.exists())

    def test_others_are_refused(self) -> None:
        whole = self.HEADER + self.BLOCK
        for content, message in (
            (b"", "is empty"), (b"$date today $end\n", "has no header of an FST file"), (b"\0" * 400, "has no header"),
            (whole[:-1], "is cut off"), (whole[:335], "is cut off"), (whole[:100], "is cut off"), (b"\xff" + whole[1:], "its run has not ended"),
        ):  # fmt: skip
            with self.subTest(message, size=len(content)):
                status, text = self.save(content)
                self.assertEqual(status, 1)
                self.assertRegex(text, rf"^headstack: error: {self.fst}: [^\n]*{message}[^\n]*; give one that [^\n]*\n$")
                self.assertFalse(self.out.exists())

    def test_times_that_were_not_recorded_are_refused(self) -> None:
        """The header has the first and the last time (fstapi.c). A packed file has them in gzip's format."""
        times = (10**10).to_bytes(8, "big") + (2 * 10**10).to_bytes(8, "big")
        whole = self.HEADER[:9] + times + self.HEADER[25:] + self.BLOCK
        inside = len(whole).to_bytes(8, "big") + gzip.compress(whole)
        packed = b"\xfe" + (8 + len(inside)).to_bytes(8, "big") + inside
        for name, content in (("whole", whole), ("packed", packed)):
            self.fst.write_bytes(content)
            for words in (["--from", "20ms"], ["--to", "10ms"], ["--from", "100ms", "--to", "110ms"]):
                with self.subTest(name, words=words):
                    status, text = self.error("shot", str(self.fst), "--view", "seek", "-o", str(self.folder / "a.png"), *words)
                    self.assertEqual(status, 1)
                    self.assertRegex(text, r"^headstack: error: .*: nothing was recorded [^\n]*; it has 10.000000 ms to 20.000000 ms\n$")
            for begin, end in ((None, None), (0, 10**10 + 1), (2 * 10**10 - 1, None)):
                span = gtkwave.Span(begin, end)
                self.assertIs(wave_command.check_span(span, wave_command.open_recording(self.fst)), span)

    def changes(self, begin_ms: int, end_ms: int) -> bytes:
        """A complete block of waves (kind 8): after kind and length, its first and last time."""
        times = (begin_ms * 10**9).to_bytes(8, "big") + (end_ms * 10**9).to_bytes(8, "big")
        return b"\x08" + (8 + 16 + 8).to_bytes(8, "big") + times + bytes(8)

    def test_of_a_killed_run_is_shown_what_is_before_its_unfinished_block(self) -> None:
        """fstapi.c, fstWriterEmitSectionHeader(): a block that is being written has kind FFh and length 0. The header's
        times are written at the end; until then fstReaderInit() takes those of the whole blocks.
        """
        whole = self.HEADER + self.changes(0, 10) + self.changes(10, 25)
        unfinished = b"\xff" + bytes(8) + (25 * 10**9).to_bytes(8, "big") * 2 + bytes(50)
        names = self.folder / "run.fst.hier"
        names.write_bytes(b"names")
        for content in (whole + unfinished, whole + unfinished[:5], whole):
            with self.subTest(size=len(content)):
                status, text = self.save(content, "--force")
                self.assertEqual(status, 0)
                self.assertEqual(
                    text,
                    f"headstack: warning: {self.fst.resolve()}: its run was killed, or has not ended: it shows 0.000000 ms to "
                    "25.000000 ms, up to its last whole block\n",
                )
        recording = wave_command.open_recording(self.fst)
        self.assertEqual((recording.first, recording.last), (0, 25 * 10**9))
        with self.assertRaisesRegex(wave_command.WaveError, "nothing was recorded from 25.0+ ms on"):
            wave_command.check_span(gtkwave.Span(25 * 10**9, None), recording)
        self.assertIn("before the first block of waves", self.save(self.HEADER + unfinished, "--force")[1])
        # A block that was finished and lost its end later is damaged in another way.
        self.assertIn("is cut off", self.save(whole[:-1], "--force")[1])
        names.unlink()
        self.assertIn("run.fst.hier, which has the names of its signals, is missing", self.save(whole + unfinished, "--force")[1])

    def test_what_is_there_is_overwritten_with_force_alone(self) -> None:
        whole = self.HEADER + self.BLOCK
        self.out.write_text("mine", encoding="ascii")
        self.assertEqual(self.save(whole), (1, f"headstack: error: {self.out}: exists; give --force to overwrite it\n"))
        self.assertEqual(self.out.read_text(encoding="ascii"), "mine")
        self.assertEqual(self.save(whole, "--force"), (0, ""))
        self.assertNotEqual(self.out.read_text(encoding="ascii"), "mine")
        self.out = self.fst
        status, text = self.save(whole, "--force")
        self.assertEqual((status, self.fst.read_bytes()), (1, whole))
        self.assertIn("is what the command reads; give another name", text)


class Picture(unittest.TestCase):
    """A run's waves, drawn by GTKWave on a virtual display."""

    def test_a_shot_shows_the_rows_of_its_view(self) -> None:
        if not PROGRAM:
            self.skipTest("no program given")
        from PIL import Image

        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "trace"
            trace.write_text("headstack-trace 1\ntime-unit us\nloop closed\nrequests\n- R 1124000 1 -\n",
                             encoding="utf-8")
            environment = {**os.environ, "HEADSTACK_ROOT": str(ROOT)}
            subprocess.run([PROGRAM, "--drive", "eagle", "--trace", trace, "--out", folder,
                            "--wave", f"{folder}/run.fst", "observe.waves.windows=event:SEEK_START", "observe.waves.after=38ms"],
                           env=environment, check=True, capture_output=True)
            picture = Path(folder) / "seek.png"
            sys.argv = ["wave_command.py", "shot", folder, "--view", "seek", "-o", str(picture), "--width", "900"]
            self.assertEqual(wave_command.main(), 0)
            with Image.open(picture) as image:
                pixels = image.convert("RGB")
            self.assertEqual(pixels.width, 900 - 18)
            colours = dict((colour, count) for count, colour in pixels.getcolors(1 << 20))
            orange, yellow = (255, 128, 0), (255, 255, 0)
            near = lambda wanted: sum(count for colour, count in colours.items()
                                      if sum(abs(a - b) for a, b in zip(colour, wanted)) < 60)
            # A curve crosses the picture, and has at least as many points as that is wide.
            self.assertGreater(near(orange), 600)
            self.assertGreater(near(yellow), 600)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        PROGRAM = sys.argv.pop()
    unittest.main()
