# SPDX-License-Identifier: Apache-2.0
"""The command from end to end on a simulator that does at once what it is told: choice, verdicts, blessing, Ctrl-C."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
import unittest
from pathlib import Path

from support import ROOT, InAFolder, records_text, write_elf  # noqa: I001
from case_file import Case, load_case
from errors import RegressError
from suite import Durations, carry_out, choose, on_rtl

FAKE = Path(__file__).resolve().parent / "fake_run.py"
FIRST = records_text((0, 0, 1, 2, 3, 4), (1, 5, 1, 2, 3, 4))
SECOND = records_text((0, 0, 1, 2, 3, 4), (1, 5, 1, 2, 9, 4))
PATIENCE_S = 120


class Command(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.records = self.folder / "records"
        self.records.write_text(FIRST)
        self.alive = self.folder / "alive"
        self.suite = self.folder / "suite"
        self.suite.mkdir()

    def add(self, name: str, drive: str = "sound", more: str = "", behind: str = "") -> Path:
        """Two reads of 8 blocks from block 0 on, by the host's times alone; `more` keys, and tables after the trace."""
        folder = self.suite / name
        folder.mkdir()
        text = f'# kept\ntitle = "{name}"\ndrive = "{drive}"\nplatform = {{ kind = "native", ideal_electronics = true }}\n{more}'
        text += f'[load.synthetic]\npattern = "sequential"\nrequests = 2\nspan = 100\n{behind}'
        (folder / "scenario.toml").write_text(text)
        return folder

    def line(self, *words: str) -> list[str]:
        script = str(ROOT / "host/regress/regress.py")
        return [sys.executable, "-B", script, str(FAKE), *words, "--out", str(self.folder / "out")]

    def environment(self, **more: str) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
        return {**kept, "FAKE_RECORDS": str(self.records), "FAKE_ALIVE": str(self.alive), **more}

    def call(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = self.environment(**more)
        line = self.line(*words)
        return subprocess.run(line, capture_output=True, text=True, check=False, env=environment, cwd=self.folder)

    def bless(self, *words: str, reason: str = "as told") -> subprocess.CompletedProcess[str]:
        return self.call(*words, "--bless", "--reason", reason)


class Verdicts(Command):
    def test_status_0_is_for_all_as_expected_and_1_for_anything_else(self):
        self.add("one")
        self.assertEqual(self.call("suite").returncode, 1)  # nothing expected yet
        self.assertEqual(self.bless("suite").returncode, 0)
        done = self.call("suite", "--junit", "out/junit.xml")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 case: 1 passed", done.stdout)
        self.assertTrue((self.folder / "out/junit.xml").is_file())
        self.assertTrue((self.folder / "out/index.html").is_file())
        self.records.write_text(SECOND)
        done = self.call("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its seek took 9ps, expected 3ps", done.stdout)
        self.assertEqual((self.folder / "out/one/report.txt").read_text() + "\n", done.stdout.split("1 case:")[0])

    def test_the_line_that_stores_a_new_case_of_a_suite_of_ones_own_names_its_folder(self):
        """The names of shipped cases alone are names; another word must be a folder that exists."""
        self.add("one")
        told = self.call("suite").stdout
        words = shlex.split(told.split("nothing is compared with yet: ./headstack ")[1].splitlines()[0])
        self.assertEqual(words[:2], ["regress", "--bless"])
        self.assertTrue((self.folder / words[2] / "scenario.toml").is_file(), words)
        self.assertEqual(self.call(*words[1:]).returncode, 0)
        self.assertEqual(self.call("suite").returncode, 0)

    def test_a_run_that_fails_is_told_with_what_it_said(self):
        folder = self.add("one")
        self.bless("suite")
        file = folder / "scenario.toml"
        file.write_text(file.read_text().replace('"sound"', '"failing"'))
        done = self.call("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED one (failing, fcfs, native): the run ended with status 1: the arm fell off", done.stdout)

    def test_a_load_that_was_edited_explains_the_change(self):
        folder = self.add("one")
        self.bless("suite")
        file = folder / "scenario.toml"
        file.write_text(file.read_text().replace("requests = 2", "requests = 3"))
        self.assertEqual(self.call("suite").returncode, 0)
        self.records.write_text(SECOND)
        self.assertIn("why: its trace changed since it was blessed", self.call("suite").stdout)

    def test_on_github_it_annotates_and_writes_the_summary(self):
        self.add("one")
        page = self.folder / "summary.md"
        github = {"ACTIONS": "true", "STEP_SUMMARY": str(page), "WORKSPACE": str(self.folder)}
        done = self.call("suite", **{f"GITHUB_{name}": value for name, value in github.items()})
        self.assertIn("::error file=suite/one/scenario.toml,line=1,title=one new::", done.stdout)
        self.assertIn("1 case: 1 new", page.read_text())

    def test_passed_runs_are_kept_when_asked_for(self):
        self.add("one")
        self.bless("suite")
        self.call("suite")
        self.assertFalse((self.folder / "out/one/run").exists())
        self.call("suite", "--keep")
        self.assertTrue((self.folder / "out/one/run/records.csv").exists())


class CommandLine(Command):
    def test_what_cannot_be_used_is_one_line_and_status_2(self):
        self.add("one")
        cases = {
            ("nonsense",): "there is no case 'nonsense'",
            ("suite", "--filter", "rtl"): "none of 1 cases is left",
            ("suite", "--firmware", "none.elf"): "there is no file none.elf",
        }
        for words, message in cases.items():
            done = self.call(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, r"^headstack: error: [^\n]*\n$")
            self.assertIn(message, done.stderr)
        for words in (
            ("--nonsense",), ("suite", "--jobs", "0"), ("suite", "--bless"), ("--bless", "--reason", "x"),
            ("suite", "--reason", "x"), ("suite", "--rtl-share", "2"),
        ):  # fmt: skip
            self.assertEqual(self.call(*words).returncode, 2, words)

    def test_a_bad_case_file_is_told_before_anything_runs(self):
        self.add("good")
        (self.add("bad") / "scenario.toml").write_text("title = 3\n")
        done = self.call("suite")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad/scenario.toml: ", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_a_list_names_the_cases_and_runs_none(self):
        self.add("one")
        self.add("two")
        done = self.call("suite", "--list", "--filter", "t*")
        self.assertEqual((done.returncode, done.stdout), (0, "two  native  two\n"))


class Choice(Command):
    def test_globs_folders_and_suites_name_cases_once(self):
        for name in ("a-one", "a-two", "b-one"):
            self.add(name)
        folder = str(self.suite / "b-one")

        def names(*words: str, **more: str) -> list[str]:
            return [case.name for case in choose(list(words), self.suite, **more)]

        self.assertEqual(names(), ["a-one", "a-two", "b-one"])
        self.assertEqual(names("a-*"), ["a-one", "a-two"])
        self.assertEqual(names(folder, "*-one"), ["b-one", "a-one"])
        self.assertEqual(names(str(self.suite), name="*-two"), ["a-two"])

    def test_those_that_take_longest_begin_first(self):
        cases = [load_case(self.add(name)) for name in ("quick", "slow", "medium")]
        durations, begun = Durations(self.folder / "out"), []
        for case, seconds in zip(cases, (0.1, 9.0, 2.0), strict=True):
            durations.note(case, seconds)
        done = carry_out(cases, lambda case: begun.append(case.name), lambda: None, 1, durations, lambda _: False)
        self.assertEqual(begun, ["slow", "medium", "quick"])
        self.assertEqual((len(done.results), done.interrupted), (3, False))

    def test_two_cases_of_one_name_are_refused(self):
        self.add("one")
        other = self.folder / "other/one"
        other.mkdir(parents=True)
        (other / "scenario.toml").write_text((self.suite / "one/scenario.toml").read_text())
        with self.assertRaisesRegex(RegressError, "another case is named 'one'"):
            choose([str(self.suite), str(other)], self.suite)


class OnRtl(Command):
    """Which cases rtl runs, too."""

    def cases(self) -> list[Case]:
        blocks = '[load.synthetic]\npattern = "sequential"\nspan = 100\n'
        for number in range(10):
            folder = self.suite / f"case{number}"
            folder.mkdir(exist_ok=True)
            (folder / "scenario.toml").write_text(f'title = "t"\ndrive = "eagle"\n{blocks}requests = {100 + number}\n')
        self.add("ideal")
        return choose([], self.suite)

    def test_a_share_of_the_commands_that_the_seed_chooses(self):
        cases = self.cases()
        chosen = [on_rtl(cases, 0.3, str(seed)) for seed in range(40)]
        for some in chosen:
            self.assertEqual({case.platform for case in some}, {"rtl"})
            self.assertLessEqual(sum(case.commands for case in some), 0.3 * 1045)
            self.assertGreaterEqual(len(some), 2)  # 313 commands: two of 109 at least, three of 104 at most
            self.assertLessEqual(len(some), 3)
        self.assertEqual(on_rtl(cases, 0.3, "7"), chosen[7])
        met = {case.name for some in chosen for case in some}
        self.assertEqual(met, {f"case{number}.rtl" for number in range(10)}, "each comes up some time")

    def test_all_or_none_and_never_ideal_electronics(self):
        cases = self.cases()
        self.assertEqual(on_rtl(cases, 0, "1"), [])
        self.assertEqual([case.name for case in on_rtl(cases, 1, "1")], [f"case{number}.rtl" for number in range(10)])
        self.assertEqual(on_rtl(cases, 0.01, "1"), [], "none is as small")

    def test_of_a_few_small_ones_all(self):
        folder = self.suite / "small"
        folder.mkdir()
        (folder / "scenario.toml").write_text(
            'title = "t"\ndrive = "eagle"\n[load.synthetic]\npattern = "uniform"\nspan = 100\nrequests = 60\n'
        )
        self.assertEqual([case.name for case in on_rtl(choose([], self.suite), 0.01, "1")], ["small.rtl"])


class Bless(Command):
    def test_the_reason_is_kept_with_those_before_and_the_file_otherwise_as_it_was(self):
        file = self.add("one") / "scenario.toml"
        before = file.read_text()
        self.bless("suite", reason='he said "so"\nand \\ went')
        self.records.write_text(SECOND)
        done = self.bless("suite", reason="the arm is slower")
        self.assertTrue(file.read_text().startswith(before))
        blessings = tomllib.loads(file.read_text())["regress"]["blessing"]
        self.assertEqual([one["reason"] for one in blessings], ['he said "so"\nand \\ went', "the arm is slower"])
        self.assertIn("blessed one: command 1 (read LBA 8, 8 blocks), the 2nd to complete", done.stdout)
        self.assertIn("(before: 2 commands", done.stdout)
        self.assertEqual(self.call("suite").returncode, 0)

    def test_what_passes_or_fails_is_refused_and_stays(self):
        self.add("one")
        self.bless("suite")
        self.add("two", "failing")
        before = {file: file.read_bytes() for file in self.suite.rglob("*") if file.is_file()}
        done = self.bless("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("same one: passes already", done.stdout)
        self.assertIn("failed two: the run ended with status 1: the arm fell off", done.stdout)
        self.assertEqual(before, {file: file.read_bytes() for file in self.suite.rglob("*") if file.is_file()})
        self.assertEqual(self.bless("suite", "--filter", "one").returncode, 1)

    def test_what_is_broken_is_mended(self):
        folder = self.add("one")
        self.bless("suite")
        (folder / "records.csv.xz").write_bytes(b"cut off")
        self.assertIn("cannot be unpacked", self.call("suite").stdout)
        self.assertEqual(self.bless("suite").returncode, 0)
        self.assertEqual(self.call("suite").returncode, 0)


class Expected(Command):
    """What holds whatever was blessed: here that the two requests of the trace complete, as they stand there."""

    TABLE = '[[expect]]\nkind = "requests"\nreason = "nothing is lost <or> made"\n'
    LOST = records_text((0, 0, 1, 2, 3, 4))

    def files(self) -> dict[Path, bytes]:
        return {file: file.read_bytes() for file in self.suite.rglob("*") if file.is_file()}

    def test_what_holds_is_told_in_the_totals_on_the_page_and_in_junit(self):
        self.add("one", behind=self.TABLE)
        self.assertEqual(self.bless("suite").returncode, 0)
        done = self.call("suite", "--junit", "out/junit.xml")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 case: 1 passed; 1 of 1 expectation of 1 case holds\n", done.stdout)
        self.assertIn("nothing is lost &lt;or&gt; made", (self.folder / "out/index.html").read_text())
        self.assertIn('name="expects requests"', (self.folder / "out/junit.xml").read_text())

    def test_what_does_not_hold_is_wrong_though_the_run_is_the_one_that_was_blessed(self):
        folder = self.add("one")
        self.records.write_text(self.LOST)
        self.assertEqual(self.bless("suite").returncode, 0)
        self.assertEqual(self.call("suite").returncode, 0)
        (folder / "scenario.toml").write_text((folder / "scenario.toml").read_text() + self.TABLE)
        done = self.call("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG one (sound, fcfs, native): expectation 'requests' does not hold: command 1 has no", done.stdout)
        self.assertIn("because   nothing is lost <or> made", done.stdout)
        self.assertIn("1 case: 1 wrong; 0 of 1 expectation of 1 case hold\n", done.stdout)
        self.assertIn("1 case: what is expected whatever was blessed is not so: requests", done.stdout)

    def test_no_blessing_moves_it(self):
        self.add("one", behind=self.TABLE)
        self.add("two", behind=self.TABLE)
        self.assertEqual(self.bless("suite/one").returncode, 0)
        before = self.files()
        self.records.write_text(self.LOST)
        done = self.bless("suite")
        self.assertEqual(done.returncode, 1)
        for name in ("one", "two"):  # blessed before, and new
            self.assertIn(f"failed {name}: refused: expectation 'requests' does not hold: command 1 has no", done.stdout)
        self.assertEqual(before, self.files())

    def test_a_case_that_is_not_blessed_is_judged_by_it_all_the_same(self):
        self.add("one", behind=self.TABLE)
        self.assertIn("1 case: 1 new; 1 of 1 expectation", self.call("suite").stdout)
        self.records.write_text(self.LOST)
        self.assertIn("1 case: 1 wrong; 0 of 1 expectation", self.call("suite").stdout)

    def test_where_nothing_is_compared_it_says_all(self):
        self.add("one", more='regress.compare = ["nothing"]\n', behind=self.TABLE)
        before = self.files()
        self.assertEqual(self.call("suite").returncode, 0)
        done = self.bless("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("same one: is judged by its expectations alone", done.stdout)
        self.assertEqual(before, self.files())
        self.records.write_text(self.LOST)
        self.assertEqual(self.call("suite").returncode, 1)

    def test_one_that_cannot_be_worked_out_fails_with_the_reason(self):
        self.add("one", more='load.loop = "open"\n', behind=self.TABLE.replace("requests", "replay"))
        self.assertIn("FAILED one (sound, fcfs, native): expectation 'replay': ", self.call("suite").stdout)
        self.assertIn("failed one: expectation 'replay': ", self.bless("suite").stdout)

    def test_the_list_names_the_kinds(self):
        self.add("one", behind=self.TABLE)
        self.assertEqual(self.call("suite", "--list").stdout, "one  native  one [requests]\n")


class Interruption(Command):
    def test_ctrl_c_and_sigterm_end_the_runs_and_keep_what_is_done(self):
        self.add("done")
        for name in ("late", "later"):
            self.add(name)
        self.bless("suite")
        for name in ("late", "later"):
            file = self.suite / name / "scenario.toml"
            file.write_text(file.read_text().replace('"sound"', '"sleeping"'))
        for number in (signal.SIGINT, signal.SIGTERM):
            self.alive.write_text("")
            process = subprocess.Popen(
                self.line("suite", "--jobs", "3"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=self.environment(), cwd=self.folder,
            )  # fmt: skip
            self.wait_for(lambda: len(self.alive.read_text().split()) == 2)
            self.wait_for(lambda: not (self.folder / "out/done").exists())  # passed, and cleared away
            process.send_signal(number)
            out, error = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 130)
            self.assertIn("3 cases: 1 passed, 2 not run", out)
            self.assertIn("interrupted", error)
            for child in self.alive.read_text().split():
                self.wait_for(lambda child=child: not Path(f"/proc/{child}").exists())

    def test_both_runs_of_against_end(self):
        elf = self.folder / "base.elf"
        write_elf(elf)
        for name in ("one", "two"):
            file = self.add(name, "sleeping") / "scenario.toml"
            file.write_text(re.sub("platform = .*\n", "", file.read_text()))
        self.alive.write_text("")
        line = self.line("suite", "--jobs", "2", "--rtl-share", "0", "--against", str(elf), "--firmware", str(elf), "--cache", "cache")
        process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment(), cwd=self.folder
        )
        self.wait_for(lambda: len(self.alive.read_text().split()) == 2)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, error)
        self.assertIn("2 cases: 2 not run", out)
        for child in self.alive.read_text().split():
            self.wait_for(lambda child=child: not Path(f"/proc/{child}").exists())
        self.assertEqual(list((self.folder / "cache").iterdir()), [], "a run that was ended is kept nowhere")

    def wait_for(self, condition) -> None:
        begin = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - begin, PATIENCE_S, "it never came")
            time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()
