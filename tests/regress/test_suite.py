# SPDX-License-Identifier: Apache-2.0
"""The command from end to end with an instant fake simulator: choice, verdicts, canaries, Ctrl-C."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support import ROOT, InAFolder, records_text, write_elf  # noqa: I001
from canaries import compress
from case_file import Case, load_case
from errors import RegressError
from suite import Durations, carry_out, choose, on_rtl

FAKE = Path(__file__).resolve().parent / "fake_run.py"
FIRST = records_text((0, 0, 1, 2, 3, 4), (1, 5, 1, 2, 3, 4))
SECOND = records_text((0, 0, 1, 2, 3, 4), (1, 5, 1, 2, 9, 4))
PATIENCE_S = 120
HELD = '[[expect]]\nkind = "requests"\nreason = "nothing is lost <or> made"\n'
CANARY = "regress.canary = true\n"


class Command(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.records = self.folder / "records"
        self.records.write_text(FIRST)
        self.alive = self.folder / "alive"
        self.suite = self.folder / "suite"
        self.suite.mkdir()

    def add(self, name: str, drive: str = "sound", more: str = "", behind: str = "") -> Path:
        """Adds two reads of 8 blocks from block 0 on, judged by the host's times alone; `more` keys, and tables after the
        trace.
        """
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

    def keep(self, name: str, records: str = FIRST) -> None:
        """Stores records as the run of a canary, and a program."""
        program = self.folder / "program.elf"
        write_elf(program)
        (self.suite / "canary.elf.xz").write_bytes(compress(program.read_bytes()))
        (self.suite / name / "records.csv.xz").write_bytes(compress(records.encode()))


class Verdicts(Command):
    def test_status_0_is_for_all_as_expected_and_1_for_anything_else(self):
        self.add("one", more=CANARY)
        self.assertEqual(self.call("suite").returncode, 1)  # no run is kept
        self.keep("one")
        done = self.call("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NEW one (sound, fcfs, native): nothing is compared, and it has no expectations; add a table [[expect]]", done.stdout)
        with (self.suite / "one/scenario.toml").open("a") as file:
            file.write(HELD)
        done = self.call("suite", "--junit", "out/junit.xml")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("2 cases: 2 passed", done.stdout)
        self.assertTrue((self.folder / "out/junit.xml").is_file())
        self.assertTrue((self.folder / "out/index.html").is_file())
        self.records.write_text(SECOND)
        done = self.call("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("CHANGED one.canary (sound, fcfs, native): its stored run differs, whose program is stored, too", done.stdout)
        self.assertIn("its seek took 9ps, expected 3ps", done.stdout)
        self.assertEqual((self.folder / "out/one.canary/report.txt").read_text() + "\n", done.stdout.split("2 cases:")[0])

    def test_a_run_that_fails_is_told_with_what_it_said(self):
        self.add("one", "failing", behind=HELD)
        done = self.call("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED one (failing, fcfs, native): the run ended with status 1: the arm fell off", done.stdout)

    def test_on_github_it_annotates_and_writes_the_summary(self):
        self.add("one")
        page = self.folder / "summary.md"
        github = {"ACTIONS": "true", "STEP_SUMMARY": str(page), "WORKSPACE": str(self.folder)}
        done = self.call("suite", **{f"GITHUB_{name}": value for name, value in github.items()})
        self.assertIn("::error file=suite/one/scenario.toml,line=1,title=one new::", done.stdout)
        self.assertIn("1 case: 1 new", page.read_text())

    def test_passed_runs_are_kept_when_asked_for(self):
        self.add("one", behind=HELD)
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
            ("--nonsense",), ("suite", "--jobs", "0"), ("suite", "--write"), ("suite", "--rtl-share", "2"),
            ("canaries", "suite", "--against", "suite"), ("canaries", "suite", "--save", "x.zip"),
        ):  # fmt: skip
            self.assertEqual(self.call(*words).returncode, 2, words)

    def test_bless_is_answered_with_what_takes_its_place(self):
        for words in (("--bless",), ("suite", "--bless", "--reason", "x")):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--bless: no run is stored; compare with another firmware (--against)", done.stderr)

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
    """The selection of cases for rtl."""

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


class Workflow(Command):
    """Tests of host/regress/github-workflow.yml."""

    TEXT = (ROOT / "host/regress/github-workflow.yml").read_text(encoding="utf-8")

    def lines_of(self, event: str) -> list[list[str]]:
        """The words of regress in the steps of an event."""
        steps = re.split(r"^      - ", self.TEXT, flags=re.M)
        mine = [step for step in steps if f"if: github.event_name == '{event}'" in step]
        return [shlex.split(line)[2:] for step in mine for line in re.findall(r"run: (\./headstack regress .*)", step)]

    def test_a_push_saves_the_baseline_with_which_a_pull_request_compares(self):
        file = self.add("one", behind=HELD) / "scenario.toml"
        file.write_text(re.sub("platform = .*\n", "", file.read_text()))
        elf = self.folder / "drive.elf"
        write_elf(elf)
        more = ["suite", "--firmware", str(elf), "--rtl-share", "0", "--cache", "cache"]
        [push], [pull_request] = (self.lines_of(event) for event in ("push", "pull_request"))
        done = self.call(*pull_request, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("there is no baseline baseline.zip: cases are judged by their expectations alone\n", done.stdout)
        done = self.call(*push, *more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        [kept] = re.findall(r"name: baseline-\S+ github\.sha \S+\n +path: (\S+)", self.TEXT)
        self.assertTrue((self.folder / kept).is_file())
        done = self.call(*pull_request, *more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("against baseline.zip: ", done.stdout)
        self.assertIn("1 case: 1 passed", done.stdout)

    def test_steps_refer_to_steps_that_are_there(self):
        names = re.findall(r"^ +id: (\S+)$", self.TEXT, re.M)
        self.assertEqual(set(re.findall(r"steps\.(\w+)\.", self.TEXT)), set(names))
        self.assertEqual(set(re.findall(r"core\.setOutput\('(\w+)'", self.TEXT)), set(re.findall(r"outputs\.(\w+)", self.TEXT)))


class RtlBesideVp(Command):
    """A load on both platforms."""

    def call_both(self, on_rtl: str, *words: str) -> subprocess.CompletedProcess[str]:
        other, elf = self.folder / "records-rtl", self.folder / "drive.elf"
        other.write_text(on_rtl)
        write_elf(elf)
        return self.call("suite", "--firmware", str(elf), "--rtl-share", "1", *words, FAKE_RTL_RECORDS=str(other))

    def test_equal_runs_pass_and_another_one_is_a_fault_of_the_simulator(self):
        # The case's own `compare` and `tolerance` do not apply to this comparison.
        file = self.add("one", more='regress = { compare = ["order"], tolerance = "cycles:1000" }\n', behind=HELD) / "scenario.toml"
        file.write_text(re.sub("platform = .*\n", "", file.read_text()))
        done = self.call_both(FIRST)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 cases: 2 passed; 2 of 2 expectations", done.stdout)
        done = self.call_both(SECOND)
        self.assertEqual(done.returncode, 1)
        remedy = "rtl and vp differ, which they never should: report it as a bug of the simulator"
        self.assertIn(f"CHANGED one.rtl (sound, fcfs, rtl): {remedy}", done.stdout)
        self.assertIn("its seek took 9ps, expected 3ps", done.stdout)
        self.assertIn(f"2 cases: 1 changed, 1 passed; 2 of 2 expectations of 2 cases hold\n1 case: {remedy}\n", done.stdout)


class Canaries(Command):
    """Canaries without electronics; test_against.py has those with them."""

    def test_they_alone_are_run_and_written(self):
        folder = self.add("one", more=CANARY, behind=HELD)
        self.add("two", behind=HELD)
        self.keep("one")
        done = self.call("canaries", "suite")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("1 case: 1 passed; 1 of 1 expectation", done.stdout)
        self.assertEqual(self.call("canaries", "suite/two").returncode, 2)
        (folder / "records.csv.xz").write_bytes(b"cut off")
        self.assertIn("records.csv.xz: cannot be unpacked", self.call("suite").stdout)
        program = (self.suite / "canary.elf.xz").read_bytes()
        self.keep("one")
        self.records.write_text(SECOND)
        self.assertEqual(self.call("canaries", "suite").returncode, 1)
        self.assertEqual((self.suite / "canary.elf.xz").read_bytes(), program)

    def test_a_run_that_violates_an_expectation_is_not_written(self):
        folder = self.add("one", more=CANARY, behind=HELD)
        self.keep("one")
        self.records.write_text(Expected.LOST)
        before = {file: file.read_bytes() for file in self.suite.rglob("*") if file.is_file()}
        done = self.call("canaries", "suite", "--write", "--firmware", "program.elf")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{folder}/scenario.toml: expectation 'requests' does not hold: command 1 has no", done.stderr)
        self.assertEqual(before, {file: file.read_bytes() for file in self.suite.rglob("*") if file.is_file()})
        self.records.write_text(SECOND)
        done = self.call("canaries", "suite", "--write", "--firmware", "program.elf")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"written: {folder}/records.csv.xz\n", done.stdout)
        self.assertEqual(self.call("canaries", "suite").returncode, 0)
        again = self.call("canaries", "suite", "--write", "--firmware", "program.elf")
        self.assertEqual((again.returncode, again.stdout), (0, "each canary is as it is stored\n"))


class Expected(Command):
    """An expectation: here that the two requests of the trace complete, unchanged."""

    LOST = records_text((0, 0, 1, 2, 3, 4))

    def test_what_holds_is_told_in_the_totals_on_the_page_and_in_junit(self):
        self.add("one", behind=HELD)
        done = self.call("suite", "--junit", "out/junit.xml")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 case: 1 passed; 1 of 1 expectation of 1 case holds\n", done.stdout)
        self.assertIn("nothing is lost &lt;or&gt; made", (self.folder / "out/index.html").read_text())
        self.assertIn('name="expects requests"', (self.folder / "out/junit.xml").read_text())

    def test_what_does_not_hold_is_wrong_though_the_run_is_the_one_that_is_stored(self):
        self.add("one", more=CANARY, behind=HELD)
        self.keep("one", self.LOST)
        self.records.write_text(self.LOST)
        done = self.call("suite")
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG one (sound, fcfs, native): expectation 'requests' does not hold: command 1 has no", done.stdout)
        self.assertIn("because   nothing is lost <or> made", done.stdout)
        self.assertIn("2 cases: 2 wrong; 0 of 2 expectations of 2 cases hold\n", done.stdout)
        self.assertIn("2 cases: expectations that do not hold: requests", done.stdout)

    def test_where_nothing_is_compared_it_says_all(self):
        self.add("one", more='regress.compare = ["nothing"]\n', behind=HELD)
        self.assertEqual(self.call("suite").returncode, 0)
        self.records.write_text(self.LOST)
        self.assertEqual(self.call("suite").returncode, 1)

    def test_one_that_cannot_be_worked_out_fails_with_the_reason(self):
        self.add("one", more='load.loop = "open"\n', behind=HELD.replace("requests", "replay"))
        self.assertIn("FAILED one (sound, fcfs, native): expectation 'replay': ", self.call("suite").stdout)

    def test_the_list_names_the_kinds(self):
        self.add("one", behind=HELD)
        self.assertEqual(self.call("suite", "--list").stdout, "one  native  one [requests]\n")


class Interruption(Command):
    def test_ctrl_c_and_sigterm_end_the_runs_and_keep_what_is_done(self):
        self.add("done", behind=HELD)
        for name in ("late", "later"):
            self.add(name, "sleeping", behind=HELD)
        for number in (signal.SIGINT, signal.SIGTERM):
            self.alive.write_text("")
            process = subprocess.Popen(
                self.line("suite", "--jobs", "3"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=self.environment(), cwd=self.folder,
            )  # fmt: skip
            self.wait_for(lambda: len(self.alive.read_text().split()) == 2)
            self.wait_for(lambda: not (self.folder / "out/done").exists())  # all passed, so the folder was removed
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
