# SPDX-License-Identifier: Apache-2.0
"""Parts of --against, in repositories and builds made for the test: the default commit, its build, the interface, the timing
lines.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from dataclasses import replace
from pathlib import Path

from support import ROOT, InAFolder, write_elf  # noqa: I001
from test_reports import AFTER, BEFORE, EVENT, VERDICTS, case
from against import default_commit, messages_since, resolve, simulator_changed, uncommitted
from base_build import build_commit
from base_interface import require_same_interface
from compare_records import tell_record
from errors import RegressError
from function_hashes import Functions, changed_functions, read_functions
from timing import accept_timing, timing_lines
from verdict import State, Verdict

PATIENCE_S = 60
# A project with the target and the program of the firmware, which step.sh makes in the folder of the build.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
add_custom_command(OUTPUT firmware/drive.elf COMMAND sh ${CMAKE_SOURCE_DIR}/step.sh VERBATIM)
add_custom_target(drive DEPENDS firmware/drive.elf)
"""


class Repository(InAFolder):
    """A repository whose branch is `main`."""

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "repository"
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
        done = subprocess.run(["git", "-C", str(self.root), *who, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, **files: str) -> str:
        """Makes a commit of files. @return its name."""
        for name, text in files.items():
            (self.root / name.replace("_", ".")).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")
        return self.git("rev-parse", "HEAD")


class DefaultCommit(Repository):
    def test_on_main_it_is_the_parent_and_on_a_branch_where_it_left_main(self):
        first, second = self.commit(), self.commit()
        self.assertEqual(default_commit(self.root), first)
        self.git("checkout", "-q", "-b", "mine")
        self.commit()
        self.commit()
        self.assertEqual(default_commit(self.root), second)
        self.git("branch", "-q", "-D", "main")
        with self.assertRaisesRegex(RegressError, "there is no branch main or origin/main; name a commit"):
            default_commit(self.root)
        self.git("update-ref", "refs/remotes/origin/main", second)
        self.assertEqual(default_commit(self.root), second)

    def test_what_has_none_is_told_with_the_remedy(self):
        with self.assertRaisesRegex(RegressError, "no git repository here; name a folder with a build"):
            default_commit(self.folder / "nowhere")
        self.commit()
        with self.assertRaisesRegex(RegressError, "HEAD has no parent, and no commit in common with main; name a commit"):
            default_commit(self.root)

    def test_the_messages_since_it_and_changes_in_no_commit_are_told(self):
        base = self.commit()
        (self.root / "firmware").mkdir()
        (self.root / "firmware/seek.c").write_text("one")
        later = self.commit()
        self.git("commit", "-q", "--allow-empty", "-m", "Seek\n\nTiming: 1 cycle more in seek_start(), 2 cases")
        messages = messages_since(base, self.root)
        self.assertEqual(list(messages.values())[1], "a commit")
        self.assertEqual((len(messages), list(messages)[1]), (2, later[:10]))
        changed = Verdict(case("moved"), State.CHANGED, "", EVENT)
        self.assertEqual(accept_timing([changed], messages)[0].accepted, f"commit {list(messages)[0]} has this timing")
        self.assertEqual(messages_since("", self.root), {})

        self.assertEqual(uncommitted(self.root), "")
        (self.root / "firmware/seek.c").write_text("two")
        self.assertEqual(uncommitted(self.root), "uncommitted changes of 1 file of the firmware are judged, too")

    def test_another_simulator_is_noticed_but_for_its_pages(self):
        for name in ("sim", "host/run"):
            (self.root / name).mkdir(parents=True)
            (self.root / name / "README.md").write_text("one")
        (self.root / "sim/arm.cpp").write_text("one")
        base = self.commit()
        for name in ("sim/README.md", "host/python.py"):
            (self.root / name).write_text("two")
        self.commit()
        self.assertFalse(simulator_changed(base, self.root))
        (self.root / "sim/arm.cpp").write_text("two")
        self.assertTrue(simulator_changed(base, self.root))

    def test_a_word_that_is_nothing_is_told_with_the_remedy(self):
        self.commit()
        text, empty, foreign = self.folder / "text", self.folder / "empty", self.folder / "foreign.elf"
        text.write_text("not a program")
        empty.mkdir()
        foreign.write_bytes(Path(sys.executable).resolve().read_bytes()[:4096])
        for word, message in (
            ("nonsense", "'nonsense' is no commit, folder or file; 'git log --oneline' lists commits"),
            (str(text), "is neither a program .ELF. nor a baseline"),
            (str(empty), "has no firmware/drive.elf, and not one baseline"),
            (str(foreign), "not a 32-bit ELF file"),
        ):
            with self.assertRaisesRegex(RegressError, f"--against: .*{message}"):
                resolve(word, self.root, self.folder / "program", self.folder / "unpacked", self.fail)


@unittest.skipUnless(shutil.which("ninja"), "there is no ninja")
class Build(Repository):
    """The firmware of another commit."""

    def built(self, commit: str) -> tuple[Path, list[str]]:
        said: list[str] = []
        return build_commit(commit, self.root, said.append).elf, said

    def test_it_is_that_commits_and_built_once(self):
        first = self.commit(CMakeLists_txt=PROJECT, step_sh="printf one > firmware/drive.elf")
        self.commit(step_sh="printf two > firmware/drive.elf")
        (self.root / "step.sh").write_text("exit 1")
        elf, said = self.built(first)
        self.assertEqual((elf.read_text(), len(said)), ("one", 1))
        self.assertEqual(elf, self.root / "build/against" / first[:12] / "build/firmware/drive.elf")
        self.assertEqual(self.built(first), (elf, []))
        left = {place.name for place in elf.parents[2].rglob("*")}
        self.assertLess(left, {"source", "build", "firmware", "hdl", "drive.elf", "finished", "log.txt"}, "what is needed no more is gone")

    def test_the_whole_has_its_simulator_beside_and_keeps_its_source(self):
        simulator = "add_custom_target(headstack-run COMMAND cmake -E touch host/headstack-run)\n"
        commit = self.commit(CMakeLists_txt=PROJECT + simulator, step_sh="mkdir -p host && echo one > firmware/drive.elf")
        said: list[str] = []
        built = build_commit(commit, self.root, said.append, whole=True)
        self.assertTrue(built.simulator.is_file())
        self.assertTrue((built.source / "step.sh").is_file())
        self.assertEqual(built.build, self.root / f"build/against/{commit[:12]}-whole/build")
        self.assertRegex(said[0], r"^building firmware and simulator of .*many minutes")
        without = self.commit(CMakeLists_txt=PROJECT)
        with self.assertRaisesRegex(RegressError, "does not build; name another commit"):
            build_commit(without, self.root, said.append, whole=True)

    def test_one_that_does_not_build_is_told_with_the_last_lines(self):
        commit = self.commit(CMakeLists_txt=PROJECT, step_sh="echo seek.c:7: error >&2; exit 1")
        with self.assertRaisesRegex(RegressError, rf"{commit[:12]} does not build; name another commit(?s:.*)\n  seek.c:7: error\n"):
            self.built(commit)
        broken = self.commit(CMakeLists_txt="nonsense(")
        with self.assertRaisesRegex(RegressError, f"{broken[:12]} does not configure; .*\n  .*"):
            self.built(broken)

    def test_an_interruption_ends_it_and_the_next_call_finishes_it(self):
        mark = self.folder / "mark"
        step = f"test -e {mark} || {{ echo $$ > {self.folder}/alive && sleep 600; }}; echo fine > firmware/drive.elf"
        commit = self.commit(CMakeLists_txt=PROJECT, step_sh=step)
        code = f"from pathlib import Path; from base_build import build_commit; build_commit('{commit}', Path('{self.root}'), print)"
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "host/regress")}
        with subprocess.Popen([sys.executable, "-B", "-c", code], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:  # fmt: skip
            alive = self.folder / "alive"
            self.wait_for(lambda: alive.is_file() and alive.read_text().strip())
            process.send_signal(signal.SIGINT)
            self.assertNotEqual(process.wait(PATIENCE_S), 0)
        self.wait_for(lambda: not Path(f"/proc/{alive.read_text().strip()}").exists())
        mark.touch()
        self.assertEqual(self.built(commit)[0].read_text(), "fine\n")

    def wait_for(self, condition) -> None:
        begin = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - begin, PATIENCE_S, "it never came")
            time.sleep(0.02)


class Interface(InAFolder):
    """Firmware of another commit, and today's simulator. The programs are those of the build."""

    def setUp(self) -> None:
        super().setUp()
        self.root, self.source, self.build, self.today = (self.folder / name for name in ("root", "source", "build", "today"))
        for place in (self.root, self.source):
            self.write(place / "firmware/events.h", "events")
            self.write(place / "firmware/drive_design.h", "design")
        for place in (self.build, self.today):
            self.write(place / "hdl/include/servo_regs.h", "registers")
            write_elf(place / "firmware/drive.elf")

    def write(self, file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def require(self) -> None:
        require_same_interface(self.source, self.build, self.build / "firmware/drive.elf", self.root, self.today / "host/headstack-run")

    def test_equal_parts_fit(self):
        self.require()

    def test_comments_are_no_part(self):
        self.write(self.source / "firmware/drive_design.h", "/* what\nit is */\ndesign  // HSD8\n")
        self.require()

    def test_each_part_that_differs_is_named(self):
        self.write(self.source / "firmware/events.h", "other")
        self.write(self.build / "hdl/include/servo_regs.h", "other")
        self.write(self.build / "hdl/include/timer_regs.h", "new")
        parts = r"registers \(servo_regs.h, timer_regs.h\); events \(firmware/events.h\); compare with a later commit"
        with self.assertRaisesRegex(RegressError, f"does not fit today's simulator, because these differ: {parts}"):
            self.require()

    def test_a_simulator_without_its_build_is_told(self):
        (self.today / "hdl/include/servo_regs.h").unlink()
        with self.assertRaisesRegex(RegressError, "there are no register headers; run ./headstack build"):
            self.require()


class Hashes(unittest.TestCase):
    BEFORE = Functions({"a": ("1",), "b": ("2", "3"), "gone": ("4",)}, "d")

    def test_other_code_and_what_is_in_one_program_alone_has_changed(self):
        after = Functions({"a": ("1",), "b": ("2", "5"), "new": ("6",)}, "d")
        changed = changed_functions(self.BEFORE, after)
        self.assertEqual((changed.names, changed.data), ({"b", "gone", "new"}, False))
        self.assertTrue(changed_functions(self.BEFORE, replace(self.BEFORE, data="e")).data)

    def test_a_static_function_is_its_files_and_a_name_alone_is_any(self):
        changed = changed_functions(Functions({}, ""), Functions({"f@a.c": ("1",), "f@b.c": ("2",), "g@a.c": ("3",), "h": ("4",)}, ""))
        self.assertEqual(changed.among({"f@b.c", "g", "other"}).names, {"f@b.c", "g@a.c"})
        self.assertEqual(changed.functions, ["f", "g", "h"])

    def test_a_table_is_read_as_it_was_written_and_another_is_none(self):
        self.assertEqual(read_functions(self.BEFORE.text()), self.BEFORE)
        for text in ("", "{}", "[]", self.BEFORE.text().replace('"version": 1', '"version": 0')):
            self.assertIsNone(read_functions(text), text)


class Timing(unittest.TestCase):
    MOVED, LATE = VERDICTS[1], VERDICTS[2]

    # EVENT expects 52 cycles of seek_start(), and finds 53.
    def test_a_line_names_the_function_the_cycles_and_how_many_cases(self):
        again = Verdict(case("again"), State.CHANGED, "", EVENT)
        twice = replace(again, case=replace(again.case, name="again.rtl", platform="rtl"))
        lines = timing_lines([self.MOVED, again, twice, VERDICTS[0], VERDICTS[3]])
        self.assertEqual(lines, ["Timing: 1 cycle more in seek_start(), 2 cases"])
        fewer = tuple(replace_pair(pair) for pair in EVENT.work)
        other = Verdict(case("other"), State.CHANGED, "", replace(EVENT, work=fewer))
        self.assertEqual(timing_lines([other]), ["Timing: 1 cycle fewer in seek_start(), 1 case"])
        self.assertEqual(timing_lines([self.LATE]), ["Timing: other times, in no function, 1 case"])

    def test_a_message_with_the_line_accepts_the_function_and_no_other(self):
        line = timing_lines([self.MOVED])[0]
        for message, accepted in (
            (f"Seek\n\n{line}\n", True), ("Timing: 9 cycles more in seek_start(), 41 cases", True), (f"he said: {line}", False),
            ("Timing: 9 cycles more in media_rest(), 41 cases", False), ("Timing: other times, in no function, 1 case", False),
        ):  # fmt: skip
            found = accept_timing([self.MOVED], {"abc": message})[0]
            self.assertEqual((bool(found.accepted), found.is_good), (accepted, accepted), message)
        self.assertTrue(accept_timing([self.LATE], {"abc": timing_lines([self.LATE])[0]})[0].is_good)

    def test_a_canary_that_differs_from_its_stored_run_alone_is_no_timing(self):
        canary = replace(self.MOVED, message="its stored run differs")
        self.assertEqual(timing_lines([canary]), [])
        self.assertFalse(accept_timing([canary], {"abc": timing_lines([self.MOVED])[0]})[0].is_good)

    def test_no_message_accepts_a_failure_or_an_expectation_that_does_not_hold(self):
        line = timing_lines([self.MOVED])[0]
        for state in (State.FAILED, State.WRONG, State.NEW):
            self.assertFalse(accept_timing([replace(self.MOVED, state=state)], {"abc": line})[0].is_good, state)

    def test_the_divergence_of_records_has_no_function(self):
        self.assertIsNone(tell_record(list(BEFORE), list(AFTER), 1).culprit)


def replace_pair(pair):
    """The same work the other way round."""
    return pair._replace(expected=pair.found, found=pair.expected)


if __name__ == "__main__":
    unittest.main()
