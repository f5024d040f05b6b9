# SPDX-License-Identifier: Apache-2.0
"""The page of proof (proof.py) shows what runs left and says what they did not; .ci/nightly keeps to its budget and tells the truth."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import proof
from proof import ROOT, ProofError

STAMP = {"commit": "0123abcd", "date": "2026-01-02"}
# Of `headstack mutate --json`, shortened to what is read, and of `headstack coverage`.
MUTATION = [
    {"area": "firmware/queue", "counted": 60, "killed": 58, "complete": True},
    {"area": "hdl/timer", "counted": 0, "killed": 0, "complete": False},
]
COVERAGE = "| area | lines | branches | bits that change |\n|---|---|---|---|\n| firmware/queue | 91.0 % of 100 | 80.0 % of 10 |  |\n"
STEP = {"name": "wide tests", "verdict": "passed", "seconds": 5, "told": ["100% tests passed"]}

# Stands in for ./headstack: what it is asked for goes to a file, and what it does is in the environment.
FAKE = """#!/bin/sh
echo "$HEADSTACK_PRESET $*" >> "$FAKE_ASKED"
case "$*" in
  "$FAKE_FAILS") echo "headstack: error: broken"; exit 1 ;;
  "$FAKE_HANGS") sleep 100 ;;
  "mutate --score --json") cat "$FAKE_MUTATION" ;;
  coverage) cat "$FAKE_COVERAGE" ;;
  "fuzz drive"*"--platform vp"*) echo "fuzzing the drive: seed 98 on vp, 1,200 commands in 6 storylines, 9 s, no findings" ;;
  "fuzz drive"*) echo "fuzzing the drive: seed 99 on native, 34,567 commands in 12 storylines, 9 s, 2 storylines with findings" ;;
esac
"""


class Page(unittest.TestCase):
    def test_it_is_that_of_the_figures(self) -> None:
        page = proof.render(proof.read_json(proof.FIGURES), proof.mutated_areas())
        self.assertEqual(page, proof.PAGE.read_text(encoding="utf-8"), "remedy: build/venv/bin/python tests/proof/proof.py page")

    def test_figures_are_those_of_the_page_that_explains_coverage(self) -> None:
        figures = proof.read_json(proof.FIGURES)
        rows = proof.coverage_rows(proof.UNTESTED.read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 10)
        for area, row in rows.items():
            self.assertEqual(row, {kind: figures["coverage"][area][kind] for kind in row}, area)

    def test_each_folder_of_firmware_and_electronics_has_a_row(self) -> None:
        page = proof.PAGE.read_text(encoding="utf-8")
        self.assertGreater(len(proof.folders()), 12)
        for folder in proof.folders():
            self.assertIn(f"\n| {folder} | ", page)

    def test_what_is_not_measured_says_so(self) -> None:
        self.assertEqual(
            ["| a/b | not measured |  | not measured | not measured | not measured |  |"], proof.area_rows({}, ["a/b"]))  # fmt: skip

    def test_a_score_is_rounded_down(self) -> None:
        self.assertEqual("96.6 % of 60", proof.score({"counted": 60, "killed": 58}))  # 96.67
        self.assertEqual("99.9 % of 2000", proof.score({"counted": 2000, "killed": 1999}))  # 99.95
        self.assertEqual("100.0 % of 3", proof.score({"counted": 3, "killed": 3}))

    def test_a_page_without_its_table_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            page = Path(place, "a.md")
            page.write_text("# A\n\n## Other\n\n| a |\n", encoding="utf-8")
            with self.assertRaisesRegex(ProofError, "no table below '## What is not tested'"):
                proof.table_of(page, "What is not tested")


class Take(unittest.TestCase):
    def setUp(self) -> None:
        self.night = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.night / "steps.jsonl").write_text(json.dumps(STEP) + "\n", encoding="utf-8")

    def take(self, figures: proof.Figures) -> proof.Figures:
        return proof.take(figures, self.night, STAMP["commit"], STAMP["date"])

    def test_what_was_measured_replaces_what_was(self) -> None:
        old = {"counted": 1, "killed": 1, "commit": "old", "date": "then"}
        (self.night / "mutation.json").write_text(json.dumps(MUTATION), encoding="utf-8")
        (self.night / "coverage.txt").write_text(COVERAGE, encoding="utf-8")
        figures = {"mutation": {"firmware/queue": old, "hdl/timer": old}, "coverage": {}}
        taken = self.take(figures)
        self.assertEqual(taken["mutation"]["firmware/queue"], {"counted": 60, "killed": 58, **STAMP})
        self.assertEqual(taken["mutation"]["hdl/timer"], old, "nothing of it was tried")
        self.assertEqual(
            taken["coverage"], {"firmware/queue": {"lines": "91.0 % of 100", "branches": "80.0 % of 10", "bits": "", **STAMP}})  # fmt: skip
        self.assertEqual(taken["night"], {**STAMP, "steps": [STEP]})
        self.assertEqual(figures["mutation"]["firmware/queue"], old, "what was given is not changed")

    def test_what_was_not_measured_stays(self) -> None:
        old = {"mutation": {"a/b": {"counted": 3, "killed": 2, "commit": "old", "date": "then"}}}
        self.assertEqual(self.take(old)["mutation"], old["mutation"])

    def test_an_unfinished_area_replaces_only_what_says_less(self) -> None:
        old = {"counted": 60, "killed": 50, "commit": "old", "date": "then"}
        for counted, complete, taken in ((10, False, 60), (60, False, 60), (61, False, 61), (10, True, 10)):
            row = {"area": "a/b", "counted": counted, "killed": 9, "complete": complete}
            (self.night / "mutation.json").write_text(json.dumps([row]), encoding="utf-8")
            with self.subTest(row):
                self.assertEqual(self.take({"mutation": {"a/b": old}})["mutation"]["a/b"]["counted"], taken)
        row = {"area": "c/d", "counted": 1, "killed": 1, "complete": False}
        (self.night / "mutation.json").write_text(json.dumps([row]), encoding="utf-8")
        self.assertEqual(self.take({"mutation": {"a/b": old}})["mutation"]["c/d"]["counted"], 1, "nothing older says more")

    def test_a_measurement_by_itself_leaves_the_night_and_the_rest(self) -> None:
        old = {"counted": 1, "killed": 1, "commit": "old", "date": "then"}
        night = {"commit": "old", "date": "then", "steps": [STEP]}
        places = {name: self.night / name for name in ("figures.json", "some.json", "coverage.out")}
        places["figures.json"].write_text(
            json.dumps({"mutation": {"firmware/queue": old, "a/b": old}, "night": night}), encoding="utf-8")  # fmt: skip
        places["some.json"].write_text(json.dumps(MUTATION), encoding="utf-8")
        places["coverage.out"].write_text(COVERAGE, encoding="utf-8")
        for words in (["--mutation", str(places["some.json"])], ["--coverage", str(places["coverage.out"])]):
            self.assertEqual(0, proof.main(["measured", *words, "--figures", str(places["figures.json"])]))
        taken = proof.read_json(places["figures.json"])
        self.assertEqual((60, 58), (taken["mutation"]["firmware/queue"]["counted"], taken["mutation"]["firmware/queue"]["killed"]))
        self.assertNotEqual("old", taken["mutation"]["firmware/queue"]["commit"])
        self.assertEqual(old, taken["mutation"]["a/b"])
        self.assertEqual(["firmware/queue"], list(taken["coverage"]))
        self.assertEqual(night, taken["night"])

    def test_hunts_add_up_and_no_night_counts_twice(self) -> None:
        told = [
            "fuzzing the drive: seed 7 on native, 1,000,000 commands in 30 storylines, 9 s, no findings",
            "fuzzing the drive: seed 7 on vp, 20 commands in 2 storylines, 9 s, 1 storylines with findings",
            "100% tests passed",
        ]
        (self.night / "steps.jsonl").write_text(json.dumps({**STEP, "told": told}) + "\n", encoding="utf-8")
        once = self.take({"hunts": {"native": {"commands": 5, "storylines": 4, "found": 3, "since": "then"}}})
        self.assertEqual(once["hunts"]["native"], {"commands": 1_000_005, "storylines": 34, "found": 3, "since": "then"})
        self.assertEqual(once["hunts"]["vp"], {"commands": 20, "storylines": 2, "found": 1, "since": STAMP["date"]})
        self.assertEqual(self.take(once)["hunts"], once["hunts"])
        log, figures = self.night / "hunts.log", self.night / "figures.json"
        log.write_text("seed 8\nfuzzing the drive: seed 8 on vp, 5 commands in 1 storylines, 1 s, no findings\n", encoding="utf-8")
        figures.write_text(json.dumps(once), encoding="utf-8")
        self.assertEqual(0, proof.main(["measured", "--hunts", str(log), "--figures", str(figures)]))
        self.assertEqual(proof.read_json(figures)["hunts"]["vp"]["commands"], 25)
        self.assertEqual(proof.read_json(figures)["night"], once["night"])

    def test_what_is_no_json_is_told_with_its_file(self) -> None:
        (self.night / "mutation.json").write_text("half of it {", encoding="utf-8")
        with self.assertRaisesRegex(ProofError, r"mutation\.json:1: no JSON"):
            self.take({})
        (self.night / "mutation.json").write_text('[{"score": 3}]', encoding="utf-8")
        with self.assertRaisesRegex(ProofError, "no rows of `headstack mutate --json`"):
            self.take({})

    def test_a_night_without_steps_is_told(self) -> None:
        (self.night / "steps.jsonl").unlink()
        error = io.StringIO()
        with contextlib.redirect_stderr(error):
            self.assertEqual(2, proof.main(["take", str(self.night), "--figures", str(self.night / "figures.json")]))
        self.assertIn("steps.jsonl: No such file", error.getvalue())

    def test_a_step_keeps_what_its_log_tells_of_findings(self) -> None:
        log = self.night / "a.log"
        log.write_text("talk\nnew seeds: 5 | 6\n98% tests passed, 1 tests failed out of 50\n", encoding="utf-8")
        proof.note(self.night, "a", "FAILED", 3, log)
        self.assertEqual(
            proof.steps_of(self.night)[-1],
            {"name": "a", "verdict": "FAILED", "seconds": 3, "told": ["new seeds: 5 / 6", "98% tests passed, 1 tests failed out of 50"]},
        )


class Nightly(unittest.TestCase):
    """A night of a minute with a headstack that does nothing."""

    def setUp(self) -> None:
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        fake = self.place / "headstack"
        fake.write_text(FAKE, encoding="ascii")
        fake.chmod(0o755)
        (self.place / "mutation.json").write_text(json.dumps(MUTATION), encoding="utf-8")
        (self.place / "coverage.txt").write_text(COVERAGE, encoding="utf-8")
        (self.place / "figures.json").write_text("{}", encoding="utf-8")

    def night(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ, "HEADSTACK_PYTHON": sys.executable, "NIGHTLY_HEADSTACK": str(self.place / "headstack"),
            "NIGHTLY_FOLDER": str(self.place / "night"), "NIGHTLY_FIGURES": str(self.place / "figures.json"),
            "NIGHTLY_PAGE": str(self.place / "page.md"), "FAKE_ASKED": str(self.place / "asked"), "FAKE_FAILS": "-", "FAKE_HANGS": "-",
            "FAKE_MUTATION": str(self.place / "mutation.json"), "FAKE_COVERAGE": str(self.place / "coverage.txt"), **more,
        }  # fmt: skip
        environment.pop("HEADSTACK_PRESET", None)
        return subprocess.run([ROOT / ".ci/nightly", *words], env=environment, capture_output=True, text=True, check=False)

    def test_all_steps_are_made_and_stand_on_the_page(self) -> None:
        done = self.night("1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        asked = (self.place / "asked").read_text(encoding="utf-8").splitlines()
        self.assertEqual(asked, [
            " build", " fuzz drive --minutes 1 --findings 3", " fuzz drive --theme bus --minutes 1 --findings 3",
            " fuzz drive --theme bus --platform vp --minutes 1 --findings 3", "asan fuzz drive --minutes 1 --findings 3",
            " fuzz platforms new:1", " bench memory --requests 20000000 --most-mb 200",
            " test --wide", " coverage", " mutate --jobs 2", " mutate --score --json"])  # fmt: skip
        page = (self.place / "page.md").read_text(encoding="utf-8")
        self.assertEqual(page, (self.place / "night/README.md").read_text(encoding="utf-8"))
        self.assertRegex(page, r"\| firmware/queue \| 96\.6 % of 60 \| \S+ \(\w+\) \| 91\.0 % of 100 \| 80\.0 % of 10 \|")
        self.assertIn("fuzzing the drive: seed 98 on vp, 1,200 commands in 6 storylines, 9 s, no findings", page)
        self.assertRegex(page, r"\| native \| 103,701 \| 100,000,000 \| 36 \| 6 \| [\d-]+ \|")
        self.assertRegex(page, r"\| vp \| 1,200 \| 10,000,000 \| 6 \| 0 \| [\d-]+ \|")
        self.assertEqual(page.count("| passed |"), 11)

    def test_a_step_that_fails_fails_the_night_but_ends_none_of_the_others(self) -> None:
        done = self.night("1", FAKE_FAILS="test --wide")
        self.assertEqual(done.returncode, 1)
        page = (self.place / "page.md").read_text(encoding="utf-8")
        self.assertRegex(page, r"\| wide tests \| FAILED \| \d+ \| headstack: error: broken \|")
        self.assertEqual(page.count("| passed |"), 10)

    def test_a_step_is_ended_at_its_share(self) -> None:
        start = time.monotonic()
        done = self.night("1", FAKE_HANGS="fuzz platforms new:1")  # 8 % of a minute are 4 s
        self.assertEqual(done.returncode, 0)
        self.assertLess(time.monotonic() - start, 60)
        self.assertRegex((self.place / "page.md").read_text(encoding="utf-8"), r"\| new loads, rtl beside vp \| ended at its limit \| [4-9] \|")

    def test_half_a_piece_of_json_is_not_taken(self) -> None:
        (self.place / "mutation.json").write_text('[{"area": "firm', encoding="utf-8")
        self.assertEqual(self.night("1").returncode, 0)
        self.assertIn("| firmware/queue | not measured |", (self.place / "page.md").read_text(encoding="utf-8"))

    def test_other_words_are_refused(self) -> None:
        for words in (("0",), ("ten",), ("5", "6"), ("-3",)):
            done = self.night(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("MINUTES is a whole number", done.stderr)
            self.assertFalse((self.place / "asked").exists())


if __name__ == "__main__":
    unittest.main()
