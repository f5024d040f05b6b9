# SPDX-License-Identifier: Apache-2.0
"""The generator of loads for both platforms: it draws every key of a scenario, and makes a load smaller; what differs is told.

test_loads.py RUN_PROGRAM
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "host"), str(ROOT / "host/output"), str(ROOT / "tests"), str(ROOT / "tests/fidelity")]

from execute.simulator import Ended  # noqa: E402
from loads import pair  # noqa: E402
from loads.load import DRIVE, PAIRS, TRACE, Load, load_of  # noqa: E402
from loads.options import ALWAYS, GROUPS, NOT_DRAWN, TORTURE_FLAGS, key_of  # noqa: E402
from loads.shrink import shrink  # noqa: E402

RUN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path("headstack-run")
SEEDS = range(700)
VERIFY = "hosts.verify=true"


def listed(*words: str) -> str:
    return subprocess.run([str(RUN), *words], check=True, capture_output=True, text=True).stdout


def keys_of_the_schema() -> set[str]:
    """The keys that the program itself names, without those of rows."""
    return set(re.findall(r"^  ([a-z_.]+)(?: |$)", listed("--keys"), re.MULTILINE))


def keys_in(words: list[str]) -> set[str]:
    return {key_of(word) for word in words}


DRAWN = {key for group in GROUPS for key in group.keys}


class Keys(unittest.TestCase):
    def test_each_key_is_drawn_or_has_a_reason(self) -> None:
        known = (DRAWN - set(TORTURE_FLAGS)) | ALWAYS.keys() | NOT_DRAWN.keys()
        there = keys_of_the_schema()
        self.assertGreater(len(there), 80)
        tables = {key.rpartition(".")[0] for key in there}
        named = {key for key in there if key.rpartition(".")[0] not in NOT_DRAWN}
        self.assertEqual(sorted(named - known), [], "no load has these: add a group to loads/options.py, or a reason to NOT_DRAWN")
        self.assertEqual(sorted(known - there - tables), [], "a scenario has no such keys")

    def test_flags_of_torture_are_there(self) -> None:
        there = set(re.findall(r"^ +(--[a-z-]+)", listed("drive=eagle", "--torture", "--help"), re.MULTILINE))
        self.assertEqual(sorted(set(TORTURE_FLAGS) - there - {"--torture"}), [])

    def test_each_drawn_key_comes_within_some_hundred_seeds(self) -> None:
        seen = set()
        for seed in SEEDS:
            seen |= keys_in(load_of(seed).words("rtl"))
        self.assertEqual(sorted(DRAWN - seen), [])
        self.assertEqual(sorted(seen - DRAWN - ALWAYS.keys()), [], "drawn, but in no group's list")

    def test_words_of_one_platform_are_not_the_others(self) -> None:
        observers = {key for group in GROUPS if group.rtl_only for key in group.keys}
        for seed in SEEDS:
            self.assertFalse(keys_in(load_of(seed).words("vp")) & observers)

    def test_a_seed_makes_the_same_load_again(self) -> None:
        for seed in range(40):
            self.assertEqual(load_of(seed), load_of(seed))

    def test_each_pair_of_features_has_its_seed(self) -> None:
        self.assertEqual(len(set(PAIRS)), len(PAIRS))
        both = load_of(PAIRS.index(("cache", "power")))
        self.assertLessEqual({"faults.power_cut", "settings.cache"}, keys_in(both.words("vp")))

    def test_blocks_lie_over_the_whole_capacity(self) -> None:
        shares = [block / load.drive.capacity for load in map(load_of, range(60)) for block in load.trace.blocks()]
        for tenth in range(10):
            self.assertTrue(any(tenth <= 10 * share < tenth + 1 for share in shares), tenth)


class Shrinking(unittest.TestCase):
    def test_what_does_not_matter_goes(self) -> None:
        """It differs as long as it has a key and a request to one block."""
        load = next(one for one in map(load_of, SEEDS) if VERIFY in one.words("vp") and len(one.trace.requests) > 8)
        needed = load.trace.requests[5]

        def play(candidate: Load) -> pair.Verdict:
            differs = VERIFY in candidate.words("vp") and needed in candidate.trace.requests
            return pair.Verdict("events.txt differs" if differs else "")

        small, verdict = shrink(load, pair.Verdict("events.txt differs"), play, trials=10_000)
        self.assertEqual(small.groups, ((VERIFY,),))
        self.assertEqual(small.trace.requests, (needed,))
        self.assertEqual((small.tables, small.changes, small.rtl_groups), ((), {}, ()))
        self.assertEqual(verdict.kind, "events.txt")

    def test_another_difference_is_not_the_same_finding(self) -> None:
        load = load_of(1)
        small, _ = shrink(load, pair.Verdict("records.csv differs"), lambda _: pair.Verdict("refused: no"), trials=50)
        self.assertEqual(small, load)

    def test_trials_end(self) -> None:
        calls = []

        def play(candidate: Load) -> pair.Verdict:
            calls.append(candidate)
            return pair.Verdict("")

        shrink(load_of(2), pair.Verdict("events.txt differs"), play, trials=7)
        self.assertEqual(len(calls), 7)


class Comparing(unittest.TestCase):
    """One byte of one file, or one figure, is enough."""

    def folders(self, name: str) -> list[Path]:
        folders = [Path(name) / platform / pair.OUT for platform in pair.PLATFORMS]
        for folder in folders:
            folder.mkdir(parents=True)
            for file in (*pair.TEXTS, *pair.BYTES):
                (folder / file).write_text("first\nsecond\n")
            summary = {"platform": folder.parent.name, "clock_on_share": len(folder.parent.name), "result": {"commands": 7}}
            (folder / "summary.json").write_text(json.dumps(summary))
            (folder / "summary.txt").write_text(f"7 commands; clock on {len(folder.parent.name)}.00 % of the time\n")
        return folders

    def test_equal_runs_are_equal(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(pair.compare(self.folders(name)), "")

    def test_each_file_is_compared(self) -> None:
        for file in (*pair.TEXTS, *pair.BYTES, "summary.txt"):
            for change in ("first\nsecond", "first\nsecond\nthird\n", "first\nothers\n", None):
                with self.subTest(file=file, change=change), tempfile.TemporaryDirectory() as name:
                    folders = self.folders(name)
                    there = folders[1] / file
                    if change is None and file == "summary.txt":
                        continue
                    there.unlink() if change is None else there.write_text(change)
                    if change == "first\nsecond" and file in pair.TEXTS:
                        continue  # the lines are the same
                    self.assertIn(Path(file).name, pair.compare(folders))

    def test_a_figure_of_the_summary_is_compared(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folders = self.folders(name)
            (folders[0] / "summary.json").write_text(json.dumps({"result": {"commands": 8}}))
            self.assertEqual(pair.compare(folders), "summary.json, /result/commands: rtl has 8, vp 7")

    def test_the_exit_status_is_compared(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folders = self.folders(name)
            ends = [Ended(folder, status, "why") for folder, status in zip(folders, (0, 1), strict=True)]
            self.assertEqual(pair.judge(ends).kind, "status")

    def test_a_failure_of_both_is_told_unless_it_is_asked_for(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folders = self.folders(name)
            self.assertEqual(pair.judge([Ended(folder, 1, "the drive hangs") for folder in folders]).kind, "failed")
            expected = "faults.power_cut cmd:3: the run was over before"
            self.assertEqual(pair.judge([Ended(folder, 1, expected) for folder in folders]).wrong, "")

    def test_words_that_run_does_not_take_are_no_finding_to_shrink(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            ends = [Ended(Path(name) / platform, 2, "hosts.abc: no") for platform in pair.PLATFORMS]
            self.assertTrue(pair.judge(ends).is_refused)


class CommandLines(unittest.TestCase):
    def test_torture_is_a_command_of_its_own(self) -> None:
        load = next(one for one in map(load_of, SEEDS) if pair.TORTURE in one.words("vp"))
        with tempfile.TemporaryDirectory() as name:
            lines = pair.command_lines(load, Path(name) / "kept")
            self.assertIn("headstack torture drive=", lines)
            self.assertNotIn(pair.TORTURE, lines)

    def test_they_run_the_files_that_are_kept(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            lines = pair.command_lines(load_of(3), Path(name) / "kept")
            self.assertIn("platform=rtl", lines)
            self.assertIn("platform=vp", lines)
            self.assertTrue((Path(name) / "kept" / DRIVE).exists())
            self.assertTrue((Path(name) / "kept" / TRACE).exists())


if __name__ == "__main__":
    unittest.main()
