# SPDX-License-Identifier: Apache-2.0
"""Every command in Python, and each file that it leaves, on a full disk: one sentence, and an exit status that is not 0.

    test_full_disk_commands.py RUN_PROGRAM FRONT_END
"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "host/regress"), str(ROOT / "host/output")]
RUN, FRONT_END = (str(Path(sys.argv.pop(1)).resolve()) for _ in range(2))
ENVIRONMENT = {
    **os.environ, "HEADSTACK_ROOT": str(ROOT), "HEADSTACK_PYTHON": sys.executable, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1",
}  # fmt: skip
TRACE = ROOT / "traces/measured/ext4-git-sqlite.trace"
NO_SPACE = "cannot be written: No space left on device"
DECLARATION = """
title = "two runs"
report = "eagle"
seeds = [1, 2]
[scenario]
drive = "eagle"
[requests]
sectors = 8
per_queued = 1
at_least = 20
[names]
ideal = { kind = "native", ideal_electronics = true }
[[sweep]]
name = "queue"
policy = ["fcfs", "stf"]
platform = ["ideal"]
depth = [2, 11]
"""


def script(name: str, *words: object) -> list[str]:
    """The command line of a program in host."""
    return [sys.executable, "-B", str(ROOT / "host" / name), *map(str, words)]


class FullDisk(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.run_folder = cls.folder / "run"
        words = ["--platform", "vp", "--drive", "cheetah_9lp", "--trace", TRACE, "--limit", "50", "--out", cls.run_folder]
        subprocess.run([RUN, *map(str, words)], check=True, capture_output=True, env=ENVIRONMENT)

    def call(self, line: list[str], stdout: str = "/dev/null") -> subprocess.CompletedProcess[str]:
        with open(stdout, "w", encoding="ascii") as out:
            return subprocess.run(
                line, stdout=out, stderr=subprocess.PIPE, text=True, check=False, env=ENVIRONMENT, cwd=self.folder
            )

    def full(self, name: str) -> Path:
        """A file on a full disk."""
        link = self.folder / name
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to("/dev/full")
        return link

    def test_standard_output(self) -> None:
        suite = self.folder / "suite/one"
        suite.mkdir(parents=True)
        (suite / "scenario.toml").write_text(
            'title = "t"\ndrive = "eagle"\n[load.synthetic]\npattern = "uniform"\nrequests = 1\nspan = 99\n'
        )
        for line in (
            script("report/compare.py", self.run_folder),
            script("report/report.py", self.run_folder, "-o", self.folder / "good.html"),
            script("report/report.py", "--help"),
            script("wave/wave_command.py", "list"),
            script("regress/regress.py", RUN, self.folder / "suite", "--list"),
            script("experiment/experiment.py", RUN, "--help"),
            script("fidelity/fidelity.py", RUN, "--help"),
            script("sweep/sweep_command.py", RUN, "depth=1,2", "load.limit=5", f"trace={TRACE}", "--out", self.folder / "swept",
                   "--store", self.folder / "store"),
            [FRONT_END, "drive", "plot", "eagle", "--out", str(self.folder)],
            [FRONT_END, "trace", "info", str(TRACE)],
            [FRONT_END, "trace", "synth", "--drive", "eagle", "--count", "3"],
        ):
            with self.subTest(line=line[2:]):
                done = self.call(line, "/dev/full")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"error: standard output: {NO_SPACE}", done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def test_reader_that_has_left(self) -> None:
        """A reader that leaves early, like `| head`: no message, and the status of a program that SIGPIPE ended."""
        suite = self.folder / "few/one"
        suite.mkdir(parents=True)
        (suite / "scenario.toml").write_text(
            'title = "t"\ndrive = "eagle"\n[load.synthetic]\npattern = "uniform"\nrequests = 1\nspan = 99\n'
        )
        for line in (
            script("regress/regress.py", RUN, self.folder / "few", "--out", self.folder / "regress"),
            script("report/compare.py", self.run_folder),
            [FRONT_END, "trace", "info", str(TRACE)],
        ):
            with self.subTest(line=line[2:]):
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run(
                    line, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, env=ENVIRONMENT, cwd=self.folder
                )
                os.close(writer)
                self.assertIn(done.returncode, (141, -signal.SIGPIPE))
                self.assertEqual(done.stderr, "")

    def test_files(self) -> None:
        fst = self.folder / "run.fst"
        # A header alone: its length, and the first and the last time, without which the run would not have ended.
        numbers = (329, 0, 1)
        fst.write_bytes(b"\0" + b"".join(number.to_bytes(8, "big") for number in numbers) + bytes(305))
        for name, line in (
            ("page.html", script("report/report.py", self.run_folder, "-o")),
            ("seek.gtkw", script("wave/wave_command.py", "save", fst, "--view", "seek", "-o")),
            ("picture.png", [FRONT_END, "trace", "info", str(TRACE), "--plot"]),
            ("copy.trace", [FRONT_END, "trace", "convert", str(TRACE), "--force", "-o"]),
            ("made.trace", [FRONT_END, "trace", "synth", "--drive", "eagle", "--count", "3", "--force", "-o"]),
        ):
            with self.subTest(file=name):
                file = self.full(name)
                done = self.call([*line, str(file)])
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"error: {file}: {NO_SPACE}", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertNotIn("setup", done.stderr)

    def test_pictures_of_a_drive(self) -> None:
        for part in ("seek", "zones", "layout"):
            file = self.full(f"{part}/eagle-{part}.png")
            done = self.call([FRONT_END, "drive", "plot", "eagle", "--out", str(file.parent)])
            self.assertEqual(done.returncode, 1)
            self.assertNotIn("setup", done.stderr)
            self.assertIn(f"error: {file}: {NO_SPACE}", done.stderr)

    def test_files_of_a_regression(self) -> None:
        case = self.folder / "cases/two"
        case.mkdir(parents=True)
        (case / "scenario.toml").write_text(
            'title = "t"\ndrive = "eagle"\n[load.synthetic]\npattern = "uniform"\nrequests = 1\nspan = 99\n'
        )
        line = script("regress/regress.py", RUN, case.parent, "--out", self.folder / "out")
        for name, words in (
            ("out/index.html", []),
            ("other.html", ["--html", self.folder / "other.html"]),
            ("junit.xml", ["--junit", self.folder / "junit.xml"]),
        ):
            with self.subTest(file=name):
                file = self.full(name)
                done = self.call([*line, *map(str, words)])
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{file}: {NO_SPACE}", done.stderr)
                file.unlink()
        # What a canary keeps beside its case.
        with (case / "scenario.toml").open("a") as text:
            text.write("[regress]\ncanary = true\n")
        canaries = script("regress/regress.py", RUN, "canaries", case.parent, "--write", "--out", self.folder / "out")
        for name in ("cases/two/records.csv.xz", "cases/canary.elf.xz"):
            with self.subTest(file=name):
                file = self.full(name)
                done = self.call(canaries)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{file}: {NO_SPACE}", done.stderr)
                file.unlink()

    def test_files_of_an_experiment(self) -> None:
        (self.folder / "small.toml").write_text(DECLARATION)
        out = self.folder / "experiment"
        line = script("experiment/experiment.py", RUN, self.folder / "small.toml", "--jobs", 1, "--out", out, "--cache",
                      self.folder / "cache")
        whole = self.call(line)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        files = sorted(out.iterdir())
        self.assertGreaterEqual({file.name for file in files}, {"results.csv", "report.md", "declaration.toml"})
        for file in files:
            with self.subTest(file=file.name):
                self.full(f"experiment/{file.name}")
                done = self.call(line)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{file}: {NO_SPACE}", done.stderr)
                file.unlink()

    def test_files_of_a_sweep(self) -> None:
        out = self.folder / "sweep"
        line = script("sweep/sweep_command.py", RUN, "depth=1,2", "load.limit=5", f"trace={TRACE}", "--force", "--out", out,
                      "--store", self.folder / "store")
        whole = self.call(line)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        files = sorted(out.iterdir())
        self.assertEqual(len(files), 6)
        for file in files:
            with self.subTest(file=file.name):
                self.full(f"sweep/{file.name}")
                done = self.call(line)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{file}: {NO_SPACE}", done.stderr)
                file.unlink()


if __name__ == "__main__":
    unittest.main()
