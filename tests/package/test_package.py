# SPDX-License-Identifier: Apache-2.0
"""headstack as it is installed: its programs run without the source tree, and another project builds on it.

    test_package.py BUILD_FOLDER PYTHON
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path()  # from the command line
PYTHON = ""


def run(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    """A program of ours in an environment without HEADSTACK_ROOT; its output, when it fails, is the assertion's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEADSTACK_")}
    environment |= {"HEADSTACK_PYTHON": PYTHON, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}")
    return done


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="headstack-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        made = cls.folder / "made"
        run("cmake", "--install", BUILD, "--prefix", made)
        # It works wherever it is moved to.
        cls.prefix = cls.folder / "moved"
        made.rename(cls.prefix)

    def test_another_project_opens_a_session_and_has_its_data_back(self) -> None:
        build = self.folder / "consumer"
        run("cmake", "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        told = run(build / "consumer").stdout
        self.assertRegex(told, r"(?m)^vp: \d+\.\d+ ms simulated$")
        self.assertRegex(told, r"(?m)^native: \d+\.\d+ ms simulated$")
        self.assertRegex(run(build / "consumer_rtl").stdout, r"(?m)^rtl: \d+\.\d+ ms simulated$")

    def test_installed_programs_know_their_drives_and_their_firmware(self) -> None:
        program = self.prefix / "bin/headstack"
        self.assertIn("cheetah_9lp", run(program, "drive", "list").stdout)
        trace = self.folder / "made.trace"
        run(program, "trace", "synth", "--drive", "eagle", "--count", "20", "-o", trace)
        for platform in ("vp", "rtl"):
            out = self.folder / platform
            run(program, "run", "--drive", "eagle", "--trace", trace, "--platform", platform, "--verify", "--out", out)
            with (out / "records.csv").open(newline="") as records:
                self.assertEqual(len(list(csv.reader(records))), 1 + 20)
        self.assertEqual((self.folder / "vp/records.csv").read_text(), (self.folder / "rtl/records.csv").read_text())
        self.assertIn("commands a second", run(program, "compare", self.folder / "vp", self.folder / "rtl").stdout)

    def test_nothing_that_is_installed_names_the_source_tree(self) -> None:
        source = str(HERE.parents[1]).encode()
        looked_at = 0
        for path in sorted(self.prefix.rglob("*")):
            is_text = path.is_file() and path.suffix in (".cmake", ".hpp", ".h", ".py", ".toml", "")
            if is_text and (path.parent.name != "host" or path.suffix):
                self.assertNotIn(source, path.read_bytes(), path)
                looked_at += 1
        self.assertGreater(looked_at, 100)


if __name__ == "__main__":
    BUILD, PYTHON = Path(sys.argv[1]).resolve(), sys.argv[2]
    unittest.main(argv=sys.argv[:1])
