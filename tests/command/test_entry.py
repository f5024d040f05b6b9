# SPDX-License-Identifier: Apache-2.0
"""The script `headstack` in a tree of its own, with apt, cmake and ninja that only say what they were asked for."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from hashlib import sha256
from pathlib import Path

from support import ROOT

# Each notes its words, and waits where it is told to: what Ctrl-C then ends. Like cmake, it says then that it has failed.
TOOL = """#!/bin/bash
said="${0##*/} $*"
printf '%s\\n' "$said" >>"$FAKES_LOG"
if [[ -n $FAKES_WAIT && $said == *"$FAKES_WAIT"* ]]; then
  trap 'kill $!; exit 1' INT
  sleep "${FAKES_SECONDS:-20}" &
  : >"$FAKES_LOG.waiting"
  wait
  trap - INT
fi
"""
TOOLS = {
    "dpkg-query": "for name in $INSTALLED; do printf 'installed %s 1.0\\n' \"$name\"; done",
    "apt-get": 'if [[ $* == *--no-download* ]]; then printf "unpacked\\n" >>"$FAKES_LOG"; fi',
    "cmake": 'if [[ $* == --preset* ]]; then mkdir -p "build/$2" && : >"build/$2/build.ninja" && '
             'printf "CMAKE_HOME_DIRECTORY:INTERNAL=%s\\n" "$PWD" >"build/$2/CMakeCache.txt"; fi; exit "${CMAKE_STATUS:-0}"',
    "ninja": 'printf "%s\\n" "${NINJA_SAYS:-work to do}"',
}  # fmt: skip
FILES = (
    "headstack", "CMakePresets.json", "CMakeLists.txt", "host/python/requirements.lock", "host/output/interrupts.py",
    "host/output/result_files.py",
)  # fmt: skip


class Entry(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        for file in FILES:
            (self.tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.tree / file)
        shutil.copytree(ROOT / "host/command", self.tree / "host/command", ignore=shutil.ignore_patterns("__pycache__"))
        (self.tree / ".ci").mkdir()
        (self.tree / ".ci/apt-packages").write_text("one=1.0*\ntwo\n", encoding="ascii")
        tools = self.tree / "tools"
        tools.mkdir()
        for name, does in TOOLS.items():
            (tools / name).write_text(TOOL + does + "\n", encoding="ascii")
            (tools / name).chmod(0o755)
        self.log = self.tree / "log"
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": os.environ.get("HOME", "/"), "FAKES_LOG": str(self.log),
            "FAKES_WAIT": "", "INSTALLED": "one two",
        }  # fmt: skip
        self.set_up_python()

    def set_up_python(self) -> None:
        """An environment with the stamp of this lock."""
        folder = self.tree / "build/venv/bin"
        folder.mkdir(parents=True)
        (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
        (folder / "python").chmod(0o755)
        lock = (self.tree / "host/python/requirements.lock").read_bytes()
        stamp = f"{sha256(lock).hexdigest()}  - {os.path.realpath('/usr/bin/python3')}\n"
        (self.tree / "build/venv/.stamp").write_text(stamp, encoding="ascii")

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", str(self.tree / "headstack"), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**self.environment, **environment}, start_new_session=True,
        )  # fmt: skip

    def call(self, *words: str, **environment: str) -> tuple[int, str, str]:
        """Exit status, standard output and error."""
        process = self.start(*words, **environment)
        out, error = process.communicate(timeout=60)
        return process.returncode, out, error

    def interrupt_at(self, place: str, *words: str, **environment: str) -> tuple[int, str]:
        """Ctrl-C once a tool is at that place. Exit status and standard error."""
        process = self.start(*words, FAKES_WAIT=place, **environment)
        waiting = self.log.with_name("log.waiting")
        end = time.monotonic() + 30
        while not waiting.exists() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(waiting.exists(), "nobody came to this place")
        os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=60)
        waiting.unlink()
        return process.returncode, error

    def asked(self, tool: str) -> list[str]:
        """What a tool was asked for."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        return [line.removeprefix(f"{tool} ") for line in lines if line.startswith(tool)]

    def test_what_is_there_is_not_installed(self) -> None:
        self.assertEqual(self.call("setup"), (0, "", "headstack: everything is installed\n"))
        self.assertEqual(self.asked("apt-get"), [])

    def test_what_is_missing_is_installed_first(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root installs")
        status, _, error = self.call("build", INSTALLED="one")
        self.assertEqual((status, error.splitlines()[0]), (0, "headstack: installing from apt: two"))
        asked = self.asked("apt-get")
        self.assertTrue(all(line.endswith(" two") for line in asked), asked)
        self.assertIn("--download-only", asked[1])
        self.assertIn("--no-download", asked[-1])
        self.assertLess(self.log.read_text().index("unpacked"), self.log.read_text().index("cmake"))

    def test_a_version_other_than_the_listed_one_draws_a_warning_once(self) -> None:
        (self.tree / ".ci/apt-packages").write_text("one=2.0*\n", encoding="ascii")
        warning = "headstack: warning: one 1.0 is installed; headstack is tested with 2.0*\n"
        self.assertEqual(self.call("--quiet", "setup"), (0, "", warning))
        self.assertEqual(self.call("--quiet", "setup"), (0, "", ""))

    def test_a_build_is_configured_once_and_built_when_ninja_has_work(self) -> None:
        self.assertEqual(self.call("build")[:2], (0, ""))
        self.assertEqual(self.asked("cmake"), ["--preset release --fresh", f"--build {self.tree}/build/release --target all"])
        self.call("build", NINJA_SAYS="ninja: no work to do.")
        self.assertEqual(len(self.asked("cmake")), 2)
        self.call("build", "--preset", "dev", NINJA_SAYS="ninja: no work to do.")
        self.assertEqual(self.asked("cmake")[2:], ["--preset dev --fresh"])

    def test_a_build_that_fails_ends_the_command(self) -> None:
        status, out, error = self.call("drive", "list", CMAKE_STATUS="3")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("headstack: error: cmake could not configure preset 'release'; its output is above\n  correct", error)

    def test_a_preset_that_is_not_there_is_an_error(self) -> None:
        status, _, error = self.call("drive", "list", HEADSTACK_PRESET="relase")
        self.assertEqual((status, error.splitlines()[0]), (1, "headstack: error: there is no preset 'relase'"))

    def test_quiet_builds_say_nothing(self) -> None:
        self.assertEqual(self.call("build", "--quiet"), (0, "", ""))
        self.assertEqual(len(self.asked("cmake")), 2)

    def test_help_and_version_install_nothing(self) -> None:
        (self.tree / "build/venv/.stamp").unlink()
        for words in (("help",), ("--help",), ("version",), ()):
            status, out, error = self.call(*words, INSTALLED="")
            self.assertEqual((status, error), (0, ""))
            self.assertIn("./headstack setup", out)
            self.assertRegex(out, r"^headstack \d+\.\d+\.\d+\n")
        self.assertEqual(self.asked("apt-get"), [])

    def test_ctrl_c_while_downloading_ends_it(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root installs")
        status, _ = self.interrupt_at("--download-only", "setup", INSTALLED="")
        self.assertEqual(status, 130)
        self.assertNotIn("unpacked", self.log.read_text(encoding="utf-8"))

    def test_ctrl_c_while_unpacking_waits_for_dpkg(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root installs")
        status, _ = self.interrupt_at("--no-download", "setup", INSTALLED="", FAKES_SECONDS="1")
        self.assertEqual(status, 130)
        self.assertIn("unpacked", self.log.read_text(encoding="utf-8"))

    def test_ctrl_c_while_building_ends_it_without_an_error(self) -> None:
        for words in (("build",), ("drive", "list")):
            for place in ("--preset release --fresh", "--build"):
                with self.subTest(words, place=place):
                    shutil.rmtree(self.tree / "build/release", ignore_errors=True)
                    status, error = self.interrupt_at(place, *words)
                    self.assertEqual(status, 130)
                    self.assertNotIn("error", error)

    def test_ctrl_c_reaches_the_program_of_a_command(self) -> None:
        program = self.tree / "build/release/host/headstack"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/bash\ntrap "exit 77" INT\n: >"$FAKES_LOG.waiting"\nsleep 20 & wait\n', encoding="ascii")
        program.chmod(0o755)
        (self.tree / "build/release/build.ninja").touch()
        (self.tree / "build/release/CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.tree}\n")
        status, _ = self.interrupt_at("nowhere", "drive", "list", NINJA_SAYS="ninja: no work to do.")
        self.assertEqual(status, 77)

    def test_the_firmware_is_translated_behind_a_run(self) -> None:
        build = self.tree / "build/release"
        for name, text in (("host/headstack-run", 'echo "ran $*"'), ("firmware/drive.translate", 'sleep 1; : >"$FAKES_LOG.translated"')):
            (build / name).parent.mkdir(parents=True, exist_ok=True)
            (build / name).write_text(f"#!/bin/bash\n{text}\n", encoding="ascii")
            (build / name).chmod(0o755)
        (build / "firmware/drive.elf").touch()
        (build / "build.ninja").touch()
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.tree}\n", encoding="utf-8")
        translated = self.log.with_name("log.translated")
        self.assertEqual(self.call("run", "--x", NINJA_SAYS="ninja: no work to do."), (0, "ran --x\n", ""))
        self.assertFalse(translated.exists(), "a run waits for no translation")
        end = time.monotonic() + 30
        while not translated.exists() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertTrue(translated.exists())

    def test_two_builds_wait_for_each_other(self) -> None:
        first = self.start("build", FAKES_WAIT="--fresh", FAKES_SECONDS="2")
        while not self.log.with_name("log.waiting").exists():
            time.sleep(0.02)
        # Who has nothing to install or build goes on.
        self.assertEqual(self.call("setup")[2], "headstack: everything is installed\n")
        status, _, error = self.call("build", "--preset", "dev")
        self.assertEqual(status, 0)
        self.assertIn("another headstack is installing or building in this tree; waiting for it", error)
        first.communicate(timeout=60)
        self.assertEqual(first.returncode, 0)
        self.assertEqual([line.split()[1] for line in self.asked("cmake")],
                         ["release", f"{self.tree}/build/release", "dev", f"{self.tree}/build/dev"])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
