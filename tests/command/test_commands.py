# SPDX-License-Identifier: Apache-2.0
"""Every command: its help, what a misspelt word is answered with, --quiet."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import ROOT, TRACE, call, headstack

import bootstrap  # noqa: E402
import cli  # noqa: E402
import programs  # noqa: E402
import testing  # noqa: E402
from programs import PROGRAMS, find  # noqa: E402
from testing import reasons_of_skips  # noqa: E402
from tree import SECTIONS, make_tree  # noqa: E402

OWN = [
    "demo", "setup", "build", "test", "bench", "fuzz", "fuzz traces", "fuzz coverage", "experiment", "help",
    "man", "completion", "version",
]  # fmt: skip


class Help(unittest.TestCase):
    def test_every_command_that_is_a_program_helps(self) -> None:
        for program in PROGRAMS:
            if program.script:
                line = [*program.line(), "--help"]
                with self.subTest(program.command):
                    done = subprocess.run(line, capture_output=True, text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn(f"usage: headstack {' '.join(program.command)}", done.stdout)

    def test_a_reader_that_has_gone_is_no_error(self) -> None:
        """`headstack X | head` ends X without a message."""
        lines = [[*program.line(), "--help"] for program in PROGRAMS if program.script]
        lines += [
            [str(ROOT / "headstack"), *words.split()]
            for words in ("run --help", "debug --help", "help run", "policy list", "drive list --json", "trace formats")
        ]
        for line in lines:
            reader, writer = os.pipe()
            os.close(reader)
            with self.subTest(line):
                done = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, ""))
            os.close(writer)

    def test_every_other_command_helps(self) -> None:
        for command in OWN:
            with self.subTest(command):
                done = call(*command.split(), "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"Usage: headstack {command}", done.stdout)
                self.assertEqual(call("help", *command.split()).stdout, done.stdout)

    def test_programs_of_the_build_help(self) -> None:
        for words, text in (
            (["drive"], "geometry"), (["trace", "synth"], "--count"), (["run"], "--policy"), (["debug"], "--launch"),
            (["policy", "list"], "--json"), (["admission"], "--rate"),
        ):  # fmt: skip
            with self.subTest(words):
                done, asked = headstack(*words, "--help"), headstack("help", *words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(text, done.stdout)
                self.assertEqual(asked.stdout, done.stdout)

    def test_the_list_has_every_command(self) -> None:
        listed = call("help").stdout
        self.assertEqual(call().stdout, listed)
        for command in {word.split()[0] for word in OWN} | {program.command[0] for program in PROGRAMS}:
            self.assertRegex(listed, rf"(?m)^  {command} ")

    def test_the_sections_have_each_command_once(self) -> None:
        named = [name for _, names in SECTIONS for name in names]
        self.assertEqual(sorted(named), sorted(make_tree().commands))

    def test_each_command_is_found_with_its_words(self) -> None:
        for program in PROGRAMS:
            self.assertEqual(find([*program.command, "x", "--y"]), (program, ["x", "--y"]))
        self.assertIsNone(find(["bench"]))
        self.assertIsNone(find([]))


class Misspelt(unittest.TestCase):
    def expect(self, error: str, *words: str) -> None:
        done = headstack(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertEqual(done.stderr, f"headstack: error: {error}\n", words)

    def test_commands(self) -> None:
        self.expect("unknown command 'tset'; did you mean 'test'?", "tset")
        self.expect("unknown command 'lst'; did you mean 'list'?", "drive", "lst")
        self.expect("unknown command 'trace'; did you mean 'traces'?", "fuzz", "trace")
        self.expect("unknown command 'budgte'; did you mean 'budget'?", "bench", "budgte")
        self.expect("unknown command 'lsit'; did you mean 'list'?", "experiment", "lsit")
        self.expect("unknown command 'xyzzy'; 'headstack help' tells more", "xyzzy")
        self.expect("unknown command 'biuld'; did you mean 'build'?", "help", "biuld")

    def test_options_of_programs_in_cpp(self) -> None:
        self.expect("unknown option '--polcy'; did you mean '--policy'?", "run", "--polcy", "x")
        self.expect("unknown option '--polcy'; did you mean '--policy'?", "debug", "--polcy=x")
        self.expect("unknown option '--jsno'; did you mean '--json'?", "drive", "info", "eagle", "--jsno")
        # One of a group of options.
        self.expect("unknown option '--lab'; did you mean '--lba'?", "drive", "locate", "eagle", "--lab", "5")
        self.expect("unknown option '--xyzzy'; run with --help for the options", "trace", "formats", "--xyzzy")
        self.expect("unknown option '--minuts'; did you mean '--minutes'?", "fuzz", "drive", "--minuts", "1")

    def test_options_of_programs_in_python(self) -> None:
        self.expect("unknown option '--jsn'; did you mean '--json'?", "compare", "--jsn")
        # Also where something else is missing.
        self.expect("unknown option '--veiw'; did you mean '--view'?", "wave", "shot", "x", "--veiw=seek")
        self.expect("unknown option '--xyzzy'; 'headstack report --help' lists them", "report", "x", "--xyzzy")
        self.expect("the following arguments are required: RUN; 'headstack report --help' tells more", "report")

    def test_options_of_other_commands(self) -> None:
        self.expect("unknown option '--prest'; did you mean '--preset'?", "build", "--prest", "dev")
        self.expect("unknown option '--secnods'; did you mean '--seconds'?", "fuzz", "traces", "--secnods", "1")

    def test_values(self) -> None:
        self.expect("'1-2' are no seeds; say new:6, 1..12 or found; 'headstack fuzz platforms --help' tells more",
                    "fuzz", "platforms", "1-2")  # fmt: skip

    def test_no_storylines_are_no_hunt(self) -> None:
        self.expect("--cases: Value 0 not in range 1 to 1000000000; run with --help for the options", "fuzz", "drive", "--cases", "0")

    def test_presets_are_those_of_cmake(self) -> None:
        self.expect("Invalid value for '--preset': 'relase' is not one of 'dev', 'release', 'asan', 'coverage', 'fuzz'; "
                    "'headstack help build' tells more", "build", "--preset", "relase")  # fmt: skip


class Starts(unittest.TestCase):
    """What is built for a command, and what it becomes."""

    def started(self, *words: str, preset: str = "dev") -> tuple[list[str], str, list[str]]:
        """Targets, the preset, and the line; nothing is built or started."""
        with (mock.patch.object(programs, "prepare") as prepare, mock.patch.object(programs, "become") as become,
              mock.patch.dict("os.environ", {"HEADSTACK_PRESET": preset})):  # fmt: skip
            found = find(words)
            assert found is not None
            found[0].start(found[1])
        targets, name = (list(prepare.call_args.args[0]), prepare.call_args.args[1]) if prepare.called else ([], "")
        return targets, name, become.call_args.args[0]

    def test_a_run_is_of_the_preset_that_is_asked_for(self) -> None:
        targets, preset, line = self.started("run", "--drive", "eagle")
        self.assertEqual((targets, preset), (["host/headstack-run"], "dev"))
        self.assertEqual(line, [f"{bootstrap.ROOT}/build/dev/host/headstack-run", "--drive", "eagle"])

    def test_what_measures_is_of_the_release(self) -> None:
        targets, preset, line = self.started("bench", "budget", "--json")
        self.assertEqual((targets, preset), (["host/headstack-run", "host/headstack", "drive_translation"], "release"))
        self.assertEqual(line[4:], [f"{bootstrap.ROOT}/build/release/host/headstack-run", "--json"])
        self.assertEqual(self.started("fuzz", "platforms", "found")[2][4:], [f"{bootstrap.ROOT}/build/dev/host/headstack-run", "found"])
        for words in (("experiment", "run", "eagle"), ("fidelity",), ("sweep", "depth=1,2")):
            self.assertEqual(self.started(*words)[:2], (["host/headstack-run", "drive_translation"], "release"))

    def test_another_platform_is_another_program_of_the_adversary(self) -> None:
        fuzz = "tests/fuzz/drive/headstack-fuzz"
        for words in (("--platform", "rtl"), ("--platform=rtl",)):
            self.assertEqual(self.started("fuzz", "drive", *words)[0], [fuzz, f"{fuzz}-rtl"])
        self.assertEqual(self.started("fuzz", "drive")[0], [fuzz])

    def test_what_reads_results_builds_nothing(self) -> None:
        for command in ("compare", "report", "wave", "mutate"):
            self.assertEqual(self.started(command)[:2], ([], ""))


class DebugLaunch(unittest.TestCase):
    """The debugger in front of the simulator; here it is a script."""

    def launch(self, *words: str, gdb: str = "") -> subprocess.CompletedProcess[str]:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        script = folder / "gdb"
        script.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 5\n', encoding="ascii")
        script.chmod(0o755)
        return headstack("debug", "--launch", "--platform", "vp", "--drive", "eagle", "--out", folder / "run", *words,
                         environment={"HEADSTACK_GDB": gdb or str(script)})  # fmt: skip

    def test_the_debugger_gets_the_socket_and_the_program_and_ends_the_run(self) -> None:
        done = self.launch("--trace", str(TRACE), "--limit", "2")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^target extended-remote /.*/run/\S+$")
        self.assertRegex(done.stdout, r"(?m)^/.*/firmware/drive\.elf$")
        self.assertIn("waiting for a debugger at", done.stderr)

    def test_the_program_is_that_of_the_run_and_not_that_of_the_build(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        copy = folder / "another program.elf"
        build = Path(bootstrap.build_folder(bootstrap.chosen_preset()))
        copy.write_bytes((build / "firmware/drive.elf").read_bytes())
        done = self.launch("--trace", str(TRACE), "--limit", "2", "--firmware", str(copy))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], str(copy))
        self.assertIn(f"headstack: the core executes {copy}\n", done.stderr)

    def test_a_run_that_cannot_begin_is_told(self) -> None:
        done = self.launch("--trace", "./nothing.trace")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"(?m)^headstack: error: .*nothing\.trace")

    def test_what_is_wrong_with_the_launch_is_told(self) -> None:
        done = self.launch("--trace", str(TRACE), "--gdb=:1234")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "headstack: error: --launch chooses the address itself; leave out --gdb, or --launch\n"))  # fmt: skip
        done = self.launch("--trace", str(TRACE), gdb="no-such-gdb")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "headstack: error: there is no no-such-gdb; 'headstack setup' installs gdb-multiarch\n"))  # fmt: skip


class Quiet(unittest.TestCase):
    def test_notes_go_and_errors_stay(self) -> None:
        self.assertEqual(headstack("setup").stderr, "headstack: everything is installed\n")
        for words in (("--quiet", "setup"), ("-q", "setup"), ("setup", "--quiet")):
            done = headstack(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), words)
        self.assertIn("unknown command", headstack("--quiet", "tset").stderr)

    def on_a_terminal(self, line: list[str], **environment: str) -> str:
        """What a program says on standard error when that is a terminal."""
        ours, theirs = os.openpty()
        try:
            done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs, check=False,
                                  env={**os.environ, **environment}, timeout=60)  # fmt: skip
            self.assertEqual(done.returncode, 0, line)
            # What is said is little, and waits in the terminal.
            os.set_blocking(ours, False)
            said = b""
            with contextlib.suppress(BlockingIOError):
                said = os.read(ours, 1 << 16)
        finally:
            os.close(theirs)
            os.close(ours)
        return said.decode()

    def test_progress_goes(self) -> None:
        found = find(["fuzz", "drive"])
        assert found is not None
        in_cpp = [*found[0].line(), "--seed", "1", "--cases", "3"]
        in_python = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); from command_line import *\n"
                     "if progress_wanted(): print('progress', file=sys.stderr)", str(ROOT / "host/output")]  # fmt: skip
        for line in (in_cpp, in_python):
            self.assertNotEqual(self.on_a_terminal(line), "")
            self.assertEqual(self.on_a_terminal(line, HEADSTACK_QUIET="1"), "")

    def test_words_behind_two_dashes_are_another_programs(self) -> None:
        done = headstack("drive", "info", "--", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--quiet", done.stderr)

    def test_results_stay(self) -> None:
        self.assertEqual(headstack("drive", "list", "--quiet").stdout, headstack("drive", "list").stdout)


class Interrupts(unittest.TestCase):
    """Ctrl-C is for the program that has the terminal; headstack waits for its end."""

    PROGRAM = ("/bin/sh", "-c", "trap : INT; kill -INT $PPID; sleep 0.3; exit 3")

    def test_a_program_that_was_interrupted_ends_the_command(self) -> None:
        with self.assertRaises(KeyboardInterrupt):
            bootstrap.wait_for(self.PROGRAM)

    def test_a_program_that_has_its_own_use_of_it_goes_on(self) -> None:
        self.assertEqual(bootstrap.wait_for(self.PROGRAM, takes_interrupts=True), 3)

    def test_a_program_that_dies_of_a_signal_is_told_as_a_shell_does(self) -> None:
        self.assertEqual(bootstrap.wait_for(["/bin/sh", "-c", "kill -TERM $$"]), 143)


class Testing(unittest.TestCase):
    """headstack test: what goes to ctest."""

    def test_words_of_ctest_stay_as_they_are(self) -> None:
        for words in (["-Rhost", "-VV", "--repeat", "until-fail:3"], ["-R", "a", "-L", "unit", "-j4", "--stop-time", "1:00"]):
            with mock.patch("testing.run_tests", return_value=7) as run:
                self.assertEqual(cli.run(["test", *words, "--preset", "dev"]), 7)
            run.assert_called_once_with("dev", tuple(words), wide=False)

    def test_quiet_tests_speak_when_they_fail(self) -> None:
        def ctest(_line: list[str], environment: dict[str, str], *, stdout: int) -> int:
            self.assertNotIn("HEADSTACK_QUIET", environment)
            os.write(stdout, b"1 of 2 failed\n")
            return status

        # Not this tree's log: these tests may run with --quiet, too.
        root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (root / "build/log").mkdir(parents=True)
        self.enterContext(contextlib.chdir(root))
        self.enterContext(mock.patch.object(testing, "ROOT", str(root)))
        for status, said in ((8, "1 of 2 failed\n"), (0, "")):
            error = io.StringIO()
            with (mock.patch.object(testing, "prepare"), mock.patch.object(testing, "wait_for", ctest),
                  mock.patch.dict("os.environ", {"HEADSTACK_QUIET": "1"}), contextlib.redirect_stderr(error)):  # fmt: skip
                self.assertEqual(testing.run_tests("release", [], wide=False), status)
            self.assertEqual(error.getvalue(), said)

    def test_behind_nohup_tests_get_ctrl_c_all_the_same(self) -> None:
        lines: list[list[str]] = []
        with (mock.patch.object(testing, "prepare"), mock.patch.object(testing, "explain_skips"), contextlib.chdir(ROOT),
              mock.patch.object(testing, "wait_for", lambda line: lines.append(line) or 0)):  # fmt: skip
            testing.run_tests("release", [], wide=False)
        line = lines[0]
        # What comes in ctest's place is ended, as the tests' programs are.
        line[line.index("ctest"):] = ["bash", "-c", "kill -INT $$; echo ignored"]
        done = subprocess.run(["bash", "-c", 'trap "" INT; exec "$@"', "nohup", *line], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (-signal.SIGINT, ""))


class Targets(unittest.TestCase):
    """headstack test -R NAME builds what the tests of that name need, where that can be told."""

    FOLDER = "/tree/build/dev"

    def listed(self, program: str, name: str) -> dict:
        """A test in the form of ctest --show-only=json-v1."""
        return {"name": f"unit/{name}", "command": [f"{self.FOLDER}/tests/{program}", f"--gtest_filter={name}", "--x"]}

    def setUp(self) -> None:
        self.known = [self.listed("test_a", "A.One"), self.listed("test_a", "A.Two"), self.listed("firmware/test_b", "B.One")]
        self.script = {"name": "unit/lint", "command": ["/tree/build/venv/bin/python", "-B", "/tree/tests/lint/test_lint.py"]}

    def targets(self, chosen: list[dict], plan: str = "ninja: no work to do.", *more: dict) -> list[str]:
        return testing.targets_of(chosen, [*self.known, *more], plan, self.FOLDER)

    def test_of_programs_their_programs(self) -> None:
        self.assertEqual(["tests/test_a"], self.targets(self.known[:2]))
        self.assertEqual(["tests/firmware/test_b", "tests/test_a"], self.targets(self.known))

    def test_a_changed_library_builds_no_other_program(self) -> None:
        plan = "[1/2] Building CXX object sim/CMakeFiles/world.dir/drive/load.cpp.o\n[2/2] Linking CXX executable tests/firmware/test_b"
        self.assertEqual(["tests/test_a"], self.targets(self.known[:1], plan))

    def test_a_program_whose_tests_may_have_other_names_is_built(self) -> None:
        plan = "[1/2] Building CXX object tests/firmware/CMakeFiles/test_b.dir/test_new.cpp.o"
        self.assertEqual(["tests/firmware/test_b", "tests/test_a"], self.targets(self.known[:1], plan))

    def test_what_cannot_be_told_builds_all(self) -> None:
        one = self.known[:1]
        for what, chosen, plan, more in (
            ("nothing of that name", [], "", ()),
            ("a script", [*one, self.script], "", ()),
            ("a test without a command", [*one, {"name": "unit/a"}], "", ()),
            ("another program of the tree", [{"name": "unit/x", "command": [f"{self.FOLDER}/host/headstack", "--gtest_filter=x"]}], "", ()),
            ("a program that was never built", one, "", ({"name": "test_c_NOT_BUILT"},)),
            ("a configuration that has changed", one, "[0/1] Re-running CMake...", ()),
            ("objects that programs share", one, "[1/9] Building CXX object tests/scenario/CMakeFiles/headstack_scenarios.dir/test_a.cpp.o", ()),
        ):
            with self.subTest(what):
                self.assertEqual(["all"], self.targets(chosen, plan, *more))

    def test_a_run_of_all_asks_nobody(self) -> None:
        with mock.patch.object(testing, "_output") as asked:
            for words in ([], ["-j4"], ["-V", "--repeat", "until-fail:3"]):
                self.assertEqual(["all"], testing.targets_for("release", "release", words))
            asked.assert_not_called()

    def test_ctest_is_asked_with_the_words(self) -> None:
        listing = json.dumps({"tests": self.known[:1]})
        with (
            mock.patch.object(testing, "build_folder", return_value=self.FOLDER),
            mock.patch.object(testing.os.path, "isfile", return_value=True),
        ):
            for words in (["-R", "A"], ["-RA"], ["-L", "unit"], ["--tests-regex", "A", "-j4"]):
                with mock.patch.object(testing, "_output", side_effect=["", listing, listing, ""]) as asked:
                    self.assertEqual(["tests/test_a"], testing.targets_for("dev", "dev", words))
                self.assertEqual(["ninja", "-C", self.FOLDER, "build.ninja"], asked.call_args_list[0].args[0])
                self.assertEqual(["ctest", "--preset", "dev", "--show-only=json-v1", *words], asked.call_args_list[1].args[0])
            for said in ([None, listing, listing, ""], ["", None, listing, ""], ["", listing, "no json", ""], ["", listing, listing, None]):
                with mock.patch.object(testing, "_output", side_effect=said):
                    self.assertEqual(["all"], testing.targets_for("dev", "dev", ["-R", "A"]))


class Skips(unittest.TestCase):
    def test_reasons_are_counted(self) -> None:
        log = ('test 1\n/x/a.cpp:3: Skipped\nneeds "/a/b/data.csv"\n[ OK ]\n/x/b.cpp:9: Skipped\nneeds "/c/data.csv"\n--\n'
               "/x/c.cpp:1: Skipped\nno gdb\n")  # fmt: skip
        self.assertEqual(reasons_of_skips(log), [('needs "data.csv"', 2), ("no gdb", 1)])
        self.assertEqual(reasons_of_skips("100% tests passed\n"), [])


class Version(unittest.TestCase):
    def test_number_and_commit(self) -> None:
        self.assertRegex(call("version").stdout, r"^headstack \d+\.\d+\.\d+( \(\S+\))?\n$")
        self.assertEqual(call("--version").stdout, call("version").stdout)
        self.assertEqual(call("version", "now").returncode, 2)


if __name__ == "__main__":
    unittest.main()
