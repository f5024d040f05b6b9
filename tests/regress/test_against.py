# SPDX-License-Identifier: Apache-2.0
"""`headstack regress --against` on the program that users run, with firmware that was changed on purpose.

test_against.py RUN_PROGRAM BUILD_FOLDER
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import unittest
import zipfile
from pathlib import Path

from support import ROOT, InAFolder  # noqa: I001
from patched_firmware import build_patched
from test_regress import CASE, DELAY, EXPECT, NOP, SEEK, SEEK_TOLD
from function_hashes import changed_functions, functions_of
from elf import Elf

PROGRAM, BUILD = Path(), Path()  # from the command line

# A policy that no case here has.
IDLE = "firmware/queue/policy_edf.c"
# A call reaches this far in one instruction (RISC-V unprivileged ISA, JAL: 1 MiB either way). The table of trap vectors must
# reach this function so; the part that the compiler optimises as a whole comes after it.
REACH_BYTES, LAST_REACHED = 1 << 20, "trap_entry_exception"
TRACE = "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n" + "".join(f"- R {block} 8 -\n" for block in (0, 9000, 500, 70_000))


def copy_if_there(source: str, target: str) -> None:
    """Copies a file, unless it is another test's temporary one and has gone."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target)


class Against(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.folder  # the current folder of the command
        self.suite, self.out, self.cache = (self.folder / name for name in ("suite", "out", "cache"))

    def add(self, name: str = "small", more: str = "", expect: str = EXPECT) -> Path:
        folder = self.suite / name
        folder.mkdir(parents=True)
        (folder / "scenario.toml").write_text(CASE.format(policy="sstf") + more + expect)
        return folder

    def regress(self, *words: str | Path, firmware: Path | None = None) -> subprocess.CompletedProcess[str]:
        script = ROOT / "host/regress/regress.py"
        line = [sys.executable, "-B", script, PROGRAM, self.suite, "--out", self.out, "--cache", self.cache, *words]
        line += [] if "--rtl-share" in words else ["--rtl-share", "0"]
        line += ["--firmware", firmware or BUILD / "firmware/drive.elf"]
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
        return subprocess.run([str(word) for word in line], capture_output=True, text=True, check=False, env=kept, cwd=self.place)

    def patched(self, source: str, old: str, new: str) -> Path:
        folder = self.folder / f"firmware{len(list(self.folder.glob('firmware*')))}"
        return build_patched(BUILD, folder, source, old, new)

    def runs(self, done: subprocess.CompletedProcess[str]) -> tuple[int, int]:
        """The numbers of runs that were made, and taken from the cache."""
        found = re.search(r"^runs: (\d+) made, (\d+) from the cache$", done.stdout, re.M)
        self.assertIsNotNone(found, done.stdout + done.stderr)
        return int(found[1]), int(found[2])


class Verdicts(Against):
    def test_one_instruction_more_is_changed_with_its_function_and_a_line_for_the_message(self):
        self.add()
        elf = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress("--against", BUILD, firmware=elf)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(f"against {BUILD}: its firmware on today's simulator\n", done.stdout)
        self.assertRegex(done.stdout, r"CHANGED small (?s:.*)first divergence, (?s:.*)why: between \w+ .*seek_start\(\) at .* took \d+ cycles")
        self.assertRegex(done.stdout, r"why: of all that ran, other code is in: .*seek_start\(\)")
        # If the copy's instructions straddle other words, an instruction takes another cycle.
        self.assertRegex(done.stdout, r"\n  Timing: [12] cycles? more in seek_start\(\), 1 case\n")
        self.assertIn("8 of 8 expectations of 1 case hold", done.stdout)
        self.assertTrue((self.out / "small/waves/divergence.fst").exists())
        # Without objects beside it, a program's functions are not known.
        foreign = self.folder / "foreign.elf"
        shutil.copy(elf, foreign)
        done = self.regress("--against", BUILD, firmware=foreign)
        self.assertEqual(done.returncode, 1)
        self.assertIn("CHANGED small ", done.stdout)
        self.assertNotIn("of all that ran", done.stdout)

    def test_another_function_that_does_not_run_passes_and_its_hash_alone_differs(self):
        self.add()
        elf = self.patched(*self.idle(NOP * 6))
        done = self.regress("--against", BUILD, firmware=elf)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 case: 1 passed", done.stdout)
        before, after = functions_of(BUILD / "firmware/drive.elf"), functions_of(elf)
        self.assertIsNotNone(before)
        self.assertIsNotNone(after)
        changed = changed_functions(before, after)
        self.assertGreater(len(before.hashes), 500)
        self.assertLessEqual(len(changed.names), 2, changed)
        self.assertFalse(changed.data)

    def test_calls_that_reach_farther_have_moved_the_times_and_no_function_is_blamed(self):
        self.add()
        [at] = (symbol.value for symbol in Elf(BUILD / "firmware/drive.elf").symbols if symbol.name == LAST_REACHED)
        far = REACH_BYTES - at - 4096
        elf = self.patched(*self.idle(f'  __asm__ volatile("j 1f; .skip {far}; 1:");\n'))
        done = self.regress("--against", BUILD, firmware=elf)
        self.assertIn("1 case: 1 moved", done.stdout, done.stderr)
        self.assertEqual(done.returncode, 0)
        self.assertIn("each function that ran in either run has the same code", done.stdout)
        self.assertNotIn("Timing:", done.stdout)

    def idle(self, statement: str) -> tuple[str, str, str]:
        """A patch of a function that does not run: a statement at its beginning."""
        text = (ROOT / IDLE).read_text(encoding="utf-8")
        head = re.search(r"^static [^;{]*\{\n", text, re.M)
        assert head is not None, IDLE
        return IDLE, head[0], head[0] + statement

    def test_an_expectation_that_does_not_hold_is_wrong_and_no_timing(self):
        self.add()
        old = "search_consider(&nearest, item, distance_u32(item->cylinder, cylinder));"
        farthest = "search_consider(&nearest, item, UINT32_MAX - distance_u32(item->cylinder, cylinder));"
        done = self.regress("--against", BUILD, firmware=self.patched("firmware/queue/policy_sstf.c", old, farthest))
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG small (cheetah_9lp, sstf, vp): expectation 'order' does not hold", done.stdout)
        self.assertNotIn("Timing:", done.stdout)

    def test_a_run_that_fails_is_told_and_a_base_that_fails_leaves_the_expectations(self):
        self.add()
        broken = self.patched(SEEK, SEEK_TOLD, f"  ASSERT(seek->cylinder == 0);\n{SEEK_TOLD}")
        done = self.regress("--against", BUILD, firmware=broken)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, rf"FAILED small .*: assertion at {SEEK}:\d+")
        done = self.regress("--against", broken)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"NEW small .*: the base's run ended with status 1: .*; judged by its expectations alone")

    def test_rtl_is_compared_with_vp_and_the_base_runs_on_vp_alone(self):
        self.add()
        done = self.regress("--against", BUILD, "--rtl-share", "1", "--rtl-seed", "1")
        self.assertEqual((done.returncode, self.runs(done)), (0, (2, 2)), done.stdout)
        elf = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress("--against", BUILD, "--rtl-share", "1", "--rtl-seed", "1", firmware=elf)
        self.assertIn("2 cases: 1 changed, 1 passed", done.stdout)
        self.assertRegex(done.stdout, r"Timing: [12] cycles? more in seek_start\(\), 1 case\n")

    def test_equal_suites_have_equal_reports(self):
        for name in ("one", "two", "three"):
            self.add(name, more=f"write_share = 0.{len(name)}\n", expect="")
        elf = self.patched(SEEK, SEEK_TOLD, DELAY + SEEK_TOLD)
        reports = []
        for jobs in (1, 2):
            done = self.regress("--against", BUILD, "--jobs", str(jobs), firmware=elf)
            self.assertEqual(done.returncode, 1)
            page = (self.out / "index.html").read_bytes()
            reports.append((page, *((self.out / name / "report.txt").read_bytes() for name in ("one", "two", "three"))))
        self.assertEqual(*reports)


class AcceptedTimes(Against):
    def test_an_option_accepts_other_times_and_nothing_else(self):
        self.add()
        slower = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress("--against", BUILD, "--accept-times", firmware=slower)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"CHANGED small .*: accepted, by --accept-times\n")
        self.assertRegex(done.stdout, r"\n  Timing: [12] cycles? more in seek_start\(\), 1 case\n")
        broken = self.patched(SEEK, SEEK_TOLD, f"  ASSERT(seek->cylinder == 0);\n{SEEK_TOLD}")
        self.assertEqual(self.regress("--against", BUILD, "--accept-times", firmware=broken).returncode, 1)
        self.assertEqual(self.regress("--accept-times").returncode, 2)


class Whole(Against):
    """Two simulators with the base's program, beside two programs with today's simulator."""

    def base(self, change: str) -> Path:
        """A build whose simulator does the same as today's, and then changes the records by a script of sed."""
        build = self.folder / "build"
        for name in ("host", "firmware"):
            (build / name).mkdir(parents=True)
        shutil.copy(BUILD / "firmware/drive.elf", build / "firmware/drive.elf")
        (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n")
        program = build / "host/headstack-run"
        text = f'''#!/usr/bin/env bash
"{PROGRAM}" "$@" || exit
while (($# > 1)); do [[ $1 != --out ]] || sed -i '{change}' "$2/records.csv"; shift; done
'''
        program.write_text(text)
        program.chmod(0o755)
        return build

    def test_equal_simulators_pass_and_the_firmware_is_told_apart(self):
        self.add()
        build = self.base("")
        done = self.regress("--against", build, "--whole")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("and on its own simulator: *.simulator\n", done.stdout)
        self.assertIn("2 cases: 2 passed; 8 of 8 expectations of 1 case hold", done.stdout)
        elf = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress("--against", build, "--whole", firmware=elf)
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 cases: 1 changed, 1 passed", done.stdout)
        self.assertRegex(done.stdout, r"Timing: [12] cycles? more in seek_start\(\), 1 case\n")

    def test_another_simulator_is_told_apart_from_the_firmware_and_no_message_accepts_it(self):
        self.add()
        build = self.base(r"2s/^\(\([^,]*,\)\{7\}\)0,/\12,/")  # the status of the first record
        done = self.regress("--against", build, "--whole", "--accept-times")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"CHANGED small.simulator .*: the simulator has changed: both runs are of the base's program\n")
        self.assertIn("2 cases: 1 changed, 1 passed; 8 of 8 expectations of 1 case hold", done.stdout)
        self.assertNotIn("Timing:", done.stdout)

    def test_a_simulator_that_does_not_take_the_case_is_told_and_none_is_an_error(self):
        self.add()
        build = self.base("")
        program = build / "host/headstack-run"
        program.write_text("#!/bin/sh\necho 'headstack: error: no such key' >&2\nexit 2\n")
        done = self.regress("--against", build, "--whole")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"NEW small.simulator .*: .*no such key")
        program.unlink()
        for base in (build, self.folder / "base.zip", build / "firmware/drive.elf"):
            done = self.regress("--against", base, "--whole")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("headstack: error: --whole: ", done.stderr)
        self.assertEqual(self.regress("--whole").returncode, 2)


class NoHistory(Against):
    """A copy of the tree's programs, in a repository of one commit, in none, and with a commit of another interface."""

    def test_the_default_that_is_not_there_leaves_the_expectations(self):
        self.add()
        tree = self.folder / "tree"
        tree.mkdir()
        for name in ("host", "firmware", "sim", "traces"):
            (tree / name).symlink_to(ROOT / name)
        (tree / "host").unlink()
        shutil.copytree(ROOT / "host", tree / "host", ignore=shutil.ignore_patterns("__pycache__"), copy_function=copy_if_there)
        git = ["git", "-C", str(tree), "-c", "user.name=test", "-c", "user.email=test@localhost"]

        def call(*words: str) -> subprocess.CompletedProcess[str]:
            line = [sys.executable, "-B", str(tree / "host/regress/regress.py"), str(PROGRAM), str(self.suite), "--against", *words]
            line += ["--out", str(self.out), "--cache", str(self.cache), "--rtl-share", "0"]
            return subprocess.run(line, capture_output=True, text=True, check=False, cwd=self.folder)

        for commands, why in (
            ([], "there is no git repository here; "),
            ([["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "x"]], "HEAD has no parent, and no commit in common with main; "),
            ([["branch", "-q", "-m", "other"]], "there is no branch main or origin/main; "),
        ):
            for command in commands:
                subprocess.run([*git, *command], check=True)
            done = call()
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, rf"there is no base \({why}.*\): cases are judged by their expectations alone\n")
            self.assertRegex(done.stdout, r"NEW small .*: there is no base; judged by its expectations alone")
            self.assertIn("1 case: 1 new; 8 of 8 expectations of 1 case hold", done.stdout)
        # A commit that the user names must exist.
        self.assertEqual(call("main").returncode, 2)


class Commits(Against):
    def test_a_word_that_is_no_base_is_told_before_anything_runs(self):
        self.add()
        done = self.regress("--against", "nonsense")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^headstack: error: --against: 'nonsense' is no commit, folder or file; [^\n]*\n$")

    def test_the_firmware_of_a_commit_is_built_and_compared(self):
        git = ["git", "-C", str(ROOT)]
        states = subprocess.run([*git, "status", "--porcelain", "--", "firmware", "hdl"], capture_output=True, text=True, check=False)
        if states.returncode != 0 or states.stdout:
            self.skipTest("no repository, or uncommitted changes, by which the commit's firmware is another one")
        self.add()
        built = ROOT / "build/against" / subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout[:12]
        if not built.exists():
            self.addCleanup(shutil.rmtree, built)
        done = self.regress("--against", "HEAD")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"against [0-9a-f]{7,}, .*: its firmware on today's simulator")
        self.assertIn("1 case: 1 passed", done.stdout)


class Cache(Against):
    def test_an_equal_run_is_made_once(self):
        case = self.add()
        self.assertEqual(self.runs(self.regress("--against", BUILD)), (1, 1), "the same program is run once")
        self.assertEqual(self.runs(self.regress("--against", BUILD)), (0, 2))
        file = case / "scenario.toml"
        text = file.read_text()
        # A change that has no effect on a run: title, expectations, the folder's name, or the program's place.
        file.write_text(text.replace("a small one", "another title").replace("mechanics and", "mechanics, and"))
        shutil.copy(BUILD / "firmware/drive.elf", self.folder / "copy.elf")
        self.assertEqual(self.runs(self.regress("--against", self.folder / "copy.elf")), (0, 2))
        case.rename(self.suite / "renamed")
        self.assertEqual(self.runs(self.regress("--against", BUILD)), (0, 2))
        (self.suite / "renamed/scenario.toml").write_text(text.replace("hosts.depth = 6", "hosts.depth = 7"))
        self.assertEqual(self.runs(self.regress("--against", BUILD)), (1, 1))

    def test_files_count_by_their_content(self):
        folder = self.suite / "file"
        folder.mkdir(parents=True)
        drive = (ROOT / "sim/drives/cheetah_9lp.toml").read_text()
        self.assertEqual(drive.count("\nrpm = 10045"), 1)
        text = 'title = "t"\ndrive = "drive.toml"\nload.trace = "load.trace"\n[[expect]]\nkind = "requests"\nreason = "none is lost"\n'
        (folder / "scenario.toml").write_text(text)
        (folder / "drive.toml").write_text(drive)
        (folder / "load.trace").write_text(TRACE)
        self.assertEqual(self.runs(self.regress("--against", BUILD)), (1, 1))
        for name, content in (("load.trace", TRACE.replace("9000", "9008")), ("drive.toml", drive.replace("\nrpm = 10045", "\nrpm = 10044"))):
            (folder / name).write_text(content)
            self.assertEqual(self.runs(self.regress("--against", BUILD)), (1, 1), name)
        (folder / "scenario.toml").write_text(text.replace("load.trace", "other.trace").replace("other.trace =", "load.trace ="))
        (folder / "load.trace").rename(folder / "other.trace")
        self.assertEqual(self.runs(self.regress("--against", BUILD)), (0, 2), "the name of a file is no part of a run")

    def test_a_damaged_entry_is_made_again(self):
        self.add()
        self.regress("--against", BUILD)
        [entry] = self.cache.glob("*.json")
        entry.write_bytes(entry.read_bytes()[:-100])
        done = self.regress("--against", BUILD)
        self.assertEqual((done.returncode, self.runs(done)), (0, (1, 1)))


class Baselines(Against):
    def test_a_saved_baseline_stands_in_the_place_of_a_build(self):
        self.add()
        file = self.folder / "base.zip"
        done = self.regress("--save", file)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 case: 1 passed; 8 of 8 expectations", done.stdout)
        self.assertIn(f"baseline: {file}", done.stdout)
        first = file.read_bytes()
        self.assertEqual(self.regress("--save", file).returncode, 0)
        self.assertEqual(file.read_bytes(), first, "the same runs, the same bytes")

        shutil.rmtree(self.cache)
        done = self.regress("--against", file)
        self.assertEqual((done.returncode, self.runs(done)), (0, (0, 2)), done.stdout + done.stderr)
        elf = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress("--against", file, firmware=elf)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"of all that ran, other code is in: .*seek_start\(\)")
        self.assertRegex(done.stdout, r"Timing: [12] cycles? more in seek_start\(\), 1 case\n")

    def test_the_message_of_a_commit_after_the_baseline_accepts_other_times(self):
        self.add()
        repository = self.folder / "repository"
        repository.mkdir()
        git = ["git", "-C", str(repository), "-c", "user.name=test", "-c", "user.email=test@localhost"]
        subprocess.run([*git, "init", "-q"], check=True)
        commit = [*git, "commit", "-q", "--allow-empty", "-m"]
        subprocess.run([*commit, "before"], check=True)
        self.place = repository
        self.regress("--save", "base.zip")
        elf = self.patched(SEEK, SEEK_TOLD, NOP + SEEK_TOLD)
        done = self.regress("--against", "base.zip", firmware=elf)
        self.assertEqual(done.returncode, 1)
        line = re.search(r"^  (Timing: .*)$", done.stdout, re.M)[1]
        subprocess.run([*commit, f"Seek: one instruction more\n\n{line}"], check=True)
        done = self.regress("--against", "base.zip", firmware=elf)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"CHANGED small .*: accepted, commit [0-9a-f]{10} has this timing\n")
        self.assertNotIn("Timing:", done.stdout)

    def test_a_case_that_the_baseline_does_not_have_is_new_and_judged_by_its_expectations(self):
        self.add()
        file = self.folder / "base.zip"
        self.regress("--save", file)
        self.add("other")
        done = self.regress("--against", file)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"NEW other .*: the base does not have it; judged by its expectations alone")
        self.add("bare", expect="")
        done = self.regress("--against", file)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"NEW bare .*, and it has no expectations; add a table \[\[expect\]\]")

    def test_without_a_baseline_expectations_judge_and_it_says_so(self):
        self.add()
        done = self.regress("--against", self.folder / "none.zip")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"there is no baseline {self.folder / 'none.zip'}: cases are judged by their expectations alone\n", done.stdout)
        self.assertIn("1 case: 1 new; 8 of 8 expectations of 1 case hold", done.stdout)

    def test_what_is_no_baseline_is_told(self):
        self.add()
        file = self.folder / "base.zip"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("readme", "nothing")
        done = self.regress("--against", file)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("base.zip: has no drive.elf, so it is no baseline; make one with --save", done.stderr)


class Add(Against):
    def call(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-B", str(ROOT / "host/regress/regress.py"), str(PROGRAM), "add", *map(str, words)]
        return subprocess.run(line, capture_output=True, text=True, check=False, cwd=self.folder)

    def test_a_scenario_becomes_a_case_with_its_files(self):
        (self.folder / "my.trace").write_text(TRACE)
        run = self.folder / "run"
        run.mkdir()
        text = 'drive = "hp_c3323a"\nload.trace = "../my.trace"\nhosts.depth = 4\nobserve.events = true\nstop.watchdog = "1s"\n'
        (run / "scenario.toml").write_text(text)
        done = self.call("suite/added", "--from", "run", "settings.policy=stf")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("suite/added/scenario.toml: say what must hold, in tables [[expect]]", done.stdout)
        folder = self.suite / "added"
        self.assertEqual((folder / "load.trace").read_text(), TRACE)
        table = tomllib.loads((folder / "scenario.toml").read_text())
        given = {"trace": "load.trace"}, {"depth": 4}, {"policy": "stf"}, {"watchdog": "1s"}
        self.assertEqual(tuple(table[name] for name in ("load", "hosts", "settings", "stop")), given)
        (self.folder / "my.trace").unlink()
        with (folder / "scenario.toml").open("a") as file:
            file.write('\n[[expect]]\nkind = ["requests", "order"]\nreason = "no request is lost; shortest time first"\n')
        done = self.regress("--against", BUILD)
        self.assertIn("1 case: 1 passed", done.stdout)
        listed = self.regress("--list").stdout
        self.assertEqual(listed, "added  vp      added [requests, order]\n")

    def test_what_cannot_become_a_case_is_told_and_leaves_nothing(self):
        (self.folder / "my.toml").write_text('load.synthetic.span = 9\n')
        (self.suite / "there").mkdir(parents=True)
        for words, status, message in (
            (("suite/a", "--from", "none.toml"), 1, "none.toml: there is no such scenario; "),
            (("suite/there", "--from", "my.toml"), 1, "suite/there: exists already; give another name"),
            (("suite/a", "--from", "my.toml", "hosts.dept=3"), 1, "hosts.dept: unknown key; did you mean"),
            (("suite/a", "--from", "my.toml", "faults.power_cut=time:1ms"), 1, "faults: reaches beyond the run's own folder"),
            (("suite/a", "--from", "my.toml", "depth"), 2, "'depth' is no setting; write KEY=VALUE"),
            (("suite/a",), 2, "--from"),
        ):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), words)
            self.assertIn(message, done.stderr)
            self.assertEqual([place.name for place in self.suite.iterdir()], ["there"])


if __name__ == "__main__":
    PROGRAM, BUILD = (Path(word).resolve() for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
