# SPDX-License-Identifier: Apache-2.0
"""Containerfile: nobody builds an image in a test, so its steps are held to what CI and a fresh machine do."""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, call

from programs import find  # noqa: E402
from tree import make_tree  # noqa: E402

TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
WORKFLOW = (ROOT / "host/regress/github-workflow.yml").read_text(encoding="utf-8")


def instructions() -> list[tuple[str, str]]:
    """Name and words of each."""
    lines = [line for line in TEXT.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    return [(name, words.strip()) for name, _, words in (line.partition(" ") for line in lines)]


def words_of(name: str) -> list[str]:
    """The words of each instruction of this name."""
    return [words for instruction, words in instructions() if instruction == name]


class Container(unittest.TestCase):
    def test_the_system_is_that_of_ci(self) -> None:
        image = re.search(r"container: (\S+)", WORKFLOW)
        assert image is not None
        self.assertEqual(words_of("FROM"), [image[1]])

    def test_it_installs_and_builds_by_the_script_alone(self) -> None:
        steps = [step.strip() for words in words_of("RUN") for step in words.split("&&")]
        ours = [step for step in steps if step.startswith("./headstack ")]
        self.assertEqual(ours, ["./headstack setup", "./headstack build"])
        self.assertEqual([step for step in steps if step not in ours], ["rm -rf /var/lib/apt/lists/*"])
        for step in ours:
            self.assertEqual(call(*step.split()[1:], "--help").returncode, 0, step)

    def test_setup_finds_all_that_it_reads(self) -> None:
        before = TEXT[: TEXT.index("./headstack setup")]
        copied = [source for line in re.findall(r"^COPY (.*)$", before, re.MULTILINE) for source in line.split()[:-1]]
        script = (ROOT / "headstack").read_text(encoding="utf-8")
        read = set(re.findall(r'"\$root/((?:\.ci|host)/[\w./-]+)"', script))
        self.assertEqual(read, {".ci/apt-packages", "host/python/requirements.lock", "host/command/__main__.py"})
        copied_files = {str(file.relative_to(ROOT)) for name in copied for file in (ROOT / name, *(ROOT / name).rglob("*"))}
        self.assertLessEqual(read, copied_files)

    def test_setup_works_with_what_is_copied_alone(self) -> None:
        before = TEXT[: TEXT.index("./headstack setup")]
        with tempfile.TemporaryDirectory() as name:
            for line in re.findall(r"^COPY (.*)$", before, re.MULTILINE):
                for source in line.split()[:-1]:
                    there = Path(name, source)
                    there.parent.mkdir(parents=True, exist_ok=True)
                    (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, there)
            done = subprocess.run([sys.executable, "-S", "-B", f"{name}/host/command/__main__.py", "setup"], capture_output=True, text=True,
                                  check=False, env={**os.environ, "HEADSTACK_ROOT": name})  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, "headstack: everything is installed\n"))

    def test_what_this_machine_has_built_stays_outside(self) -> None:
        ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines()
        for folder in ("build", ".ccache"):
            self.assertTrue(any(fnmatch.fnmatch(folder, pattern) for pattern in ignored), folder)

    def test_it_is_the_command_line(self) -> None:
        self.assertEqual(words_of("ENTRYPOINT"), ['["./headstack"]'])
        self.assertEqual(words_of("CMD"), ['["help"]'])


class ContinuousIntegration(unittest.TestCase):
    """.ci/run and the workflow say commands of today."""

    def test_each_command_is_known(self) -> None:
        script = (ROOT / ".ci/run").read_text(encoding="utf-8")
        lines = [re.split(r"[<|&\"]", line)[0].split() for line in re.findall(r"\./headstack ([^\n]+)", script + WORKFLOW)]
        self.assertGreater(len(lines), 7)
        tree = make_tree()
        for words in lines:
            found = find(words)
            self.assertTrue(found or words[0] in tree.commands, words)
            self.assertNotIn(words[:2], (["test", "--fuzz"], ["test", "--loads"], ["fuzz", "--seed"], ["fuzz", "--minutes"]))


if __name__ == "__main__":
    unittest.main()
