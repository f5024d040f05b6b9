# SPDX-License-Identifier: Apache-2.0
"""The run of a simulator, on programs that do at once what they are told: its end, its words, and who ends it."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
import unittest

from support import ROOT, InAFolder, is_alive  # noqa: I001
from execute import kit
from execute.errors import ExecuteError, Stopped
from execute.places import open_place
from execute.runs import KeepingSimulator, SimulatorElsewhere
from execute.simulator import FileSetting, Simulator
from execute.store import Store
from execute.workplace import Workplace

# What a run leaves: its words, and the content of the file given by --trace.
HONEST = """
out=; trace=; before=
for word; do
  case $before in --out) out=$word ;; --trace) trace=$word ;; esac
  before=$word
done
mkdir -p "$out"
echo "$*" >"$out/words"
cat -- "$trace" >"$out/copy"
echo run >>"$0.count"
"""
ELSEWHERE = f"import sys; sys.path.insert(0, {str(ROOT / 'host')!r})\n"


class Ends(InAFolder):
    def run_it(self, text: str) -> tuple[int, str]:
        ended = Simulator(self.write_program("program", text), self.folder).run([], self.folder / "out")
        return ended.status, ended.message

    def test_what_it_said_of_its_end_is_one_line(self) -> None:
        cases = {
            "exit 0": (0, ""),
            "echo 'headstack: error: the arm fell off' >&2; exit 3": (3, "the arm fell off"),
            "echo 'a warning' >&2; printf 'headstack: error: one\\n  two\\n' >&2; exit 1": (1, "one;   two"),
            "echo one >&2; echo two >&2; exit 1": (1, "one; two"),
            "echo 'no room' >&2; kill -SEGV $$": (-signal.SIGSEGV, "no room; ended by signal 11"),
        }
        for text, expected in cases.items():
            self.assertEqual(self.run_it(text), expected, text)

    def test_it_is_told_where_the_drives_are(self) -> None:
        self.assertEqual(self.run_it('echo "$HEADSTACK_ROOT" >&2'), (0, str(self.folder)))

    def test_a_program_that_is_not_there_is_an_error_with_the_remedy(self) -> None:
        with self.assertRaisesRegex(ExecuteError, "none: there is no such program; run ./headstack build"):
            Simulator(self.folder / "none", self.folder).run([], self.folder / "out")

    def test_another_firmware_is_for_platforms_that_execute_one(self) -> None:
        simulator = Simulator(Path("program"), self.folder, Path("my.elf"))
        self.assertEqual(simulator.firmware_words(["--platform", "vp"]), ["--firmware", "my.elf"])
        self.assertEqual(simulator.firmware_words(["--platform", "native"]), [])
        self.assertEqual(simulator.firmware_words(["s.toml", "platform=native"]), [])
        self.assertEqual(simulator.firmware_words(["s.toml", "platform=rtl"]), ["--firmware", "my.elf"])


class Several(InAFolder):
    """Runs that go together. The program notes its first two words, and says something of a run with `loud`."""

    NOTES = 'echo "$1 $2" >>"$0.calls"; grep -q loud "$2" 2>/dev/null && echo something >&2\n'
    NOTES += 'case "$*" in *loud*) echo "a warning" >&2 ;; esac; exit 0'

    def ends(self, *words: str) -> tuple[list[str], list[str]]:
        program = self.write_program("program", self.NOTES)
        runs = [([word, "x"], self.folder / f"out-{number}") for number, word in enumerate(words)]
        ended = Simulator(program, self.folder).run_all(runs)
        self.assertEqual([end.folder for end in ended], [out for _, out in runs])
        return [end.message for end in ended], Path(f"{program}.calls").read_text().splitlines()

    def test_quiet_ones_are_one_process_which_is_told_the_lines(self) -> None:
        messages, calls = self.ends("a", "b")
        self.assertEqual(messages, ["", ""])
        self.assertEqual(calls, [f"--batch {self.folder / 'out-0.batch'}"])
        lines = [json.loads(line) for line in (self.folder / "out-0.batch").read_text().splitlines()]
        self.assertEqual(lines, [[word, "x", "--out", str(self.folder / f"out-{i}")] for i, word in enumerate("ab")])

    def test_where_something_is_said_each_says_for_itself(self) -> None:
        messages, calls = self.ends("a", "loud")
        self.assertEqual(messages, ["", "a warning"])
        self.assertEqual(calls[1:], ["a x", "loud x"])

    def test_one_alone_and_those_of_rtl_are_processes_of_their_own(self) -> None:
        self.assertEqual(self.ends("a")[1], ["a x"])
        Path(f"{self.folder / 'program'}.calls").unlink()
        self.assertEqual(self.ends("rtl", "b")[1], ["rtl x", "b x"])


class Stops(InAFolder):
    SLEEPS = 'echo $$ >"$0.process"; sleep 600 & echo $! >"$0.child"; wait'

    def processes(self, program: Path) -> list[int]:
        files = [Path(f"{program}.{name}") for name in ("process", "child")]
        self.wait_for(lambda: all(file.exists() and file.read_text().strip() for file in files))
        return [int(file.read_text()) for file in files]

    def test_stop_ends_it_with_all_that_it_has_begun_and_lets_nothing_else_begin(self) -> None:
        program = self.write_program("program", self.SLEEPS)
        simulator = Simulator(program, self.folder)
        stopped: list[bool] = []

        def run() -> None:
            try:
                simulator.run([], self.folder / "out")
            except Stopped:
                stopped.append(True)

        thread = threading.Thread(target=run)
        thread.start()
        processes = self.processes(program)
        simulator.stop()
        thread.join()
        self.assertEqual(stopped, [True])
        self.wait_for(lambda: not any(map(is_alive, processes)))
        with self.assertRaises(Stopped):
            simulator.run([], self.folder / "out")

    def test_it_does_not_outlive_a_command_that_was_killed(self) -> None:
        program = self.write_program("program", 'echo $$ >"$0.process"; echo $$ >"$0.child"; exec sleep 600')
        code = "from execute.simulator import Simulator; from pathlib import Path\n"
        code += f"Simulator(Path({str(program)!r}), Path()).run([], Path('out'))"
        command = subprocess.Popen([sys.executable, "-B", "-c", ELSEWHERE + code], cwd=self.folder)
        processes = self.processes(program)
        command.send_signal(signal.SIGKILL)
        command.wait()
        self.wait_for(lambda: not any(map(is_alive, processes)))


class Runs(InAFolder):
    """Runs as plain data: kept, and made elsewhere."""

    def setUp(self) -> None:
        super().setUp()
        self.program = self.write_program("build/host/headstack-run", HONEST)
        (self.folder / "build/firmware").mkdir()
        (self.folder / "build/firmware/drive.elf").write_text("one")
        self.simulator = Simulator(self.program, self.folder)
        self.trace = self.folder / "a.trace"
        self.trace.write_text("a request")
        self.out = self.folder / "out"
        self.words: list[str | Path | FileSetting] = ["--trace", self.trace, "--wave", self.out / "run.fst"]

    def made(self) -> int:
        count = Path(f"{self.program}.count")
        return len(count.read_text().split()) if count.exists() else 0

    def keep(self, out: Path | None = None) -> None:
        """Keeps a run by an instance of its own, like a command that was begun again."""
        KeepingSimulator(self.simulator, Store(self.folder / "store")).run(self.words, out or self.out)

    def test_a_run_that_ended_well_is_made_once_and_left_again(self) -> None:
        self.keep()
        left = {file.name: file.read_bytes() for file in self.out.iterdir()}
        for file in self.out.iterdir():
            file.unlink()
        self.keep()
        self.assertEqual({file.name: file.read_bytes() for file in self.out.iterdir()}, left)
        self.assertEqual(self.made(), 1)

    def test_whatever_it_is_given_makes_another_run(self) -> None:
        self.keep()
        for change in (
            lambda: self.trace.write_text("another"),
            lambda: self.program.write_text(self.program.read_text() + "# another\n"),
            lambda: (self.folder / "build/firmware/drive.elf").write_text("two"),
            lambda: self.words.append("hosts.every.fua=2"),
            lambda: self.words.append(FileSetting("drive", self.trace)),
        ):
            change()
            before = self.made()
            self.keep()
            self.keep()
            self.assertEqual(self.made(), before + 1)

    def test_one_that_failed_is_made_again(self) -> None:
        self.program.write_text(f"#!/bin/sh\n{HONEST}\nexit 1\n")
        self.keep()
        self.keep()
        self.assertEqual(self.made(), 2)

    def test_one_made_elsewhere_has_the_content_of_its_files_and_leaves_its_own_here(self) -> None:
        # The place is this machine's, from a kit: no path of the command line leads there.
        kit.unpack(kit.pack(kit.files_of(self.simulator, {})), self.folder / "kit")
        scratch = self.folder / "scratch"
        scratch.mkdir()
        with open_place("local", 1, kit.workplace_in(self.folder / "kit", scratch)) as place:
            ended = SimulatorElsewhere(self.simulator, place).run(self.words, self.out)
        self.assertEqual((ended.status, ended.folder), (0, self.out))
        self.assertEqual((self.out / "copy").read_text(), "a request")
        self.assertEqual((self.out / "words").read_text(), "--trace 0-a.trace --wave out/run.fst --out out\n")
        self.assertEqual(list(scratch.iterdir()), [])

    def test_a_setting_with_a_file_has_its_content_elsewhere(self) -> None:
        drive = self.folder / "drive.toml"
        drive.write_text("a drive")
        self.words += [FileSetting("drive", drive), FileSetting("drive.media", self.out / "disk.media")]
        kit.unpack(kit.pack(kit.files_of(self.simulator, {})), self.folder / "kit")
        with open_place("local", 1, kit.workplace_in(self.folder / "kit", self.folder)) as place:
            SimulatorElsewhere(self.simulator, place).run(self.words, self.out)
        words = "--trace 0-a.trace --wave out/run.fst drive=1-drive.toml drive.media=out/disk.media --out out\n"
        self.assertEqual((self.out / "words").read_text(), words)
        self.simulator.run(self.words, self.out)
        self.assertIn(f" drive={drive} drive.media={self.out}/disk.media ", (self.out / "words").read_text(), "here it is the file itself")

    def test_what_it_says_of_a_file_elsewhere_names_the_file_here(self) -> None:
        self.program.write_text('#!/bin/sh\necho "headstack: error: $2:3: no request" >&2; exit 1\n')
        kit.unpack(kit.pack(kit.files_of(self.simulator, {})), self.folder / "kit")
        with open_place("local", 1, kit.workplace_in(self.folder / "kit", self.folder)) as place:
            ended = SimulatorElsewhere(self.simulator, place).run(self.words, self.out)
        self.assertEqual((ended.status, ended.message), (1, f"{self.trace}:3: no request"))

    def test_a_kit_that_is_not_what_was_packed_is_refused(self) -> None:
        files = kit.files_of(self.simulator, {"drive.toml": self.trace})
        kit.unpack(kit.pack(files), self.folder / "kit")
        self.assertEqual((self.folder / "kit/files/drive.toml").read_text(), "a request")
        self.assertTrue(os.access(self.folder / "kit" / kit.PROGRAM, os.X_OK))
        (self.folder / "kit/files/drive.toml").write_text("another")
        with self.assertRaisesRegex(ExecuteError, "kit/files/drive.toml: not what was sent"):
            kit.check(self.folder / "kit")
        with self.assertRaisesRegex(ExecuteError, "none.toml: No such file or directory; run ./headstack build"):
            kit.pack({"files/none.toml": self.folder / "none.toml"})


class Options(InAFolder):
    def error_of(self, *words: str) -> str:
        code = "import argparse; from execute.places import add_options\n"
        code += "parser = argparse.ArgumentParser(prog='x'); add_options(parser); parser.parse_args()"
        done = subprocess.run([sys.executable, "-B", "-c", ELSEWHERE + code, *words], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        return done.stderr.splitlines()[-1]

    def test_wrong_words_are_told_with_the_remedy(self) -> None:
        for word in ("0", "-1", "two", "1.5", ""):
            self.assertIn("is not 1 or more", self.error_of(f"--jobs={word}"))
        for word in ("dask", "dask:", "cluster", ""):
            self.assertIn("is neither 'local' nor 'dask:ADDRESS' of a scheduler", self.error_of(f"--executor={word}"))

    def test_without_dask_the_line_that_installs_it_is_named(self) -> None:
        hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "distributed"}
        sys.modules["distributed"] = None  # type: ignore[assignment]
        self.addCleanup(sys.modules.update, hidden)
        self.addCleanup(sys.modules.pop, "distributed")
        workplace = Workplace(Simulator(Path(), Path()), {}, self.folder)
        with self.assertRaises(ExecuteError) as raised, open_place("dask:tcp://192.0.2.1:8786", None, workplace):
            pass
        remedy = str(raised.exception).partition("run ")[2].split()
        self.assertEqual(remedy[:5], ["build/venv/bin/python", "-m", "pip", "install", "--require-hashes"])
        self.assertTrue((ROOT / remedy[-1]).is_file())


if __name__ == "__main__":
    unittest.main()
