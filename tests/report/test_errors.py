# SPDX-License-Identifier: Apache-2.0
"""What cannot be reported is said in one line, with the file and the remedy; and the same runs are the same page."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, record, run_report, write_run  # noqa: I001
from looks import MOST_RUNS
from record_file import read_records
from run_folder import RunError, labels

LINES = [record(0, "read", 8, 4, 0, seek=2, media_transfer=1), record(1, "write", 9, 4, 1, seek=3, media_transfer=1)]


class Errors(unittest.TestCase):
    """The program's errors."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_folder = write_run(self.folder / "a", LINES)

    def expect(self, message: str, *arguments: str | Path, status: int = 1) -> None:
        out = self.folder / "page.html"
        done = run_report(*arguments, *(() if "-o" in arguments else ("-o", out)))
        self.assertEqual(done.status, status, done.stderr)
        self.assertRegex(done.stderr, message)
        if status == 1:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("headstack: error: "), done.stderr)
        self.assertFalse(out.exists())

    def change(self, file: str, pattern: str, replacement: str) -> Path:
        """The run with other text in a file of it."""
        path = self.run_folder / file
        text = path.read_text(encoding="utf-8")
        changed = re.sub(pattern, replacement, text, count=1)
        self.assertNotEqual(text, changed)
        path.write_text(changed, encoding="utf-8")
        return self.run_folder

    def test_no_folder(self) -> None:
        told = r"error: there is no run in /\S*/nowhere: it has no summary\.json; give folders that 'headstack run --out' left\n"
        self.expect(told, self.folder / "nowhere")

    def test_an_empty_summary(self) -> None:
        (self.run_folder / "summary.json").write_text("", encoding="utf-8")
        self.expect(r"a/summary\.json: is empty: the run did not end; repeat it", self.run_folder)

    def test_values_of_another_kind(self) -> None:
        good = (self.run_folder / "summary.json").read_text(encoding="utf-8")
        for pattern, wrong, told in (
            ('"fcfs"', "5", r"'policy' is 5, and must be text"), ('"commands": 2', '"commands": "2"', r"'result\.commands' is \"2\""),
            ('"commands": 2', '"commands": true', r"'result\.commands' is true"), ('"speedup": 1.0', '"speedup": NaN', "'speedup' is no number"),
            ('"elapsed_ps": [0-9]+', '"elapsed_ps": 1e999', r"'result\.elapsed_ps' is no number"),
            ('"stage_totals": {', '"stage_totals": 1, "x": {', r"'result\.stage_totals' is 1, and must be a table"),
            ('"queue_depth": 4', '"queue_depth": 99999999999999', r"'queue_depth' is too large"),
            ('"commands": 2', '"commands": 99999999999999', r"records\.csv: its commands are not the 99999999999999 of"),
        ):  # fmt: skip
            with self.subTest(wrong):
                (self.run_folder / "summary.json").write_text(good, encoding="utf-8")
                self.expect(told, self.change("summary.json", pattern, wrong))

    def test_a_command_that_arrived_after_its_submission(self) -> None:
        for number, arrived in enumerate(("6", "-1", "")):
            folder = write_run(self.folder / f"arrived-{number}", [record(0, "read", 8, 4, 0, [arrived], status=1)], columns=["arrived_ps"])
            with self.subTest(arrived):
                self.expect(r"records\.csv: 'arrived_ps' -?\d+ of a command is not within 0 \.\. 'submitted_ps'; repeat the run", folder)

    def test_records_of_no_drive(self) -> None:
        good = (self.run_folder / "records.csv").read_text(encoding="ascii")
        for wrong in ("0,read,9000000000000000000,4,", "0,read,-8,4,", "0,read,8,900000000000000000,"):
            with self.subTest(wrong):
                (self.run_folder / "records.csv").write_text(good, encoding="ascii")
                self.expect(r"a/records\.csv: a command with '(lba|blocks)' -?\d+, which no drive has; repeat the run",
                            self.change("records.csv", "0,read,8,4,", wrong))  # fmt: skip
        (self.run_folder / "records.csv").write_text(good, encoding="ascii")
        self.expect(r"its times are not of the 'result\.elapsed_ps' of summary\.json",
                    self.change("summary.json", '"elapsed_ps": [0-9]+', '"elapsed_ps": 1'))  # fmt: skip

    def test_no_records(self) -> None:
        (self.run_folder / "records.csv").unlink()
        self.expect(r"a/records\.csv: there is no such file; give folders", self.run_folder)

    def test_a_run_that_has_not_ended(self) -> None:
        (self.run_folder / "summary.json").unlink()
        self.expect(r"a/summary\.json: missing, but there are records: the run is under way, or was killed", self.run_folder)

    def test_a_summary_of_something_else(self) -> None:
        (self.run_folder / "summary.json").write_text("[1]", encoding="utf-8")
        self.expect(r"a/summary\.json: no summary of a run; give folders", self.run_folder)

    def test_a_summary_of_another_version(self) -> None:
        self.expect(r"a/summary\.json: no gating; repeat", self.change("summary.json", '"gating"', '"gates"'))

    def test_a_result_of_another_version(self) -> None:
        self.expect(r"a/summary\.json: no result\.elapsed_ps; repeat", self.change("summary.json", "elapsed_ps", "x"))

    def test_a_line_cut_off(self) -> None:
        folder = self.change("records.csv", r",0\n$", "")
        self.expect(r"a/records\.csv:3: not 22 numbers in a whole line; repeat", folder)

    def test_words_that_are_no_operations_or_no_numbers(self) -> None:
        good = (self.run_folder / "records.csv").read_text(encoding="ascii")
        cases = [("0,read,8,", f"0,{word},8,") for word in ("reed", "ready", "wa", "", "3", "-1", "readread", "read x")]
        cases += [("0,read,8,", "0,read,8e1,"), ("0,read,8,", "0,read,x,"), ("0,read,8,", "0,read,8.5,")]
        for text, wrong in cases:
            with self.subTest(wrong=wrong):
                (self.run_folder / "records.csv").write_text(good.replace(text, wrong), encoding="ascii")
                self.expect(r"a/records\.csv:2: not 22 numbers", self.run_folder)

    def test_a_missing_column(self) -> None:
        self.expect(r"a/records\.csv: no column seek_ps; repeat", self.change("records.csv", ",seek_ps", ",other_ps"))

    def test_fewer_records_than_the_summary_says(self) -> None:
        folder = self.change("records.csv", r"1,write.*\n", "")
        self.expect(r"a/records\.csv: its commands are not the 2 of summary\.json; repeat the run", folder)

    def test_a_command_twice(self) -> None:
        self.expect(r"its commands are not the 2 of", self.change("records.csv", "1,write", "0,write"))

    def test_a_number_that_no_command_has(self) -> None:
        self.expect(r"its commands are not the 2 of", self.change("records.csv", "1,write", "5000,write"))

    def test_no_commands(self) -> None:
        self.expect(r"no command in it, so there is nothing to report", write_run(self.folder / "b", []))

    def test_a_run_twice(self) -> None:
        self.expect(r"given twice; leave one of them out", self.run_folder, self.run_folder)

    def test_more_runs_than_can_be_told_apart(self) -> None:
        many = [self.folder / str(number) for number in range(MOST_RUNS + 1)]
        self.expect(rf"{MOST_RUNS + 1} runs; a report shows {MOST_RUNS} at most", *many)

    def test_a_name_that_is_no_page(self) -> None:
        self.expect(r"--out .*page\.pdf: the page is HTML; give a name that ends in \.html", self.run_folder, "-o",
                    self.folder / "page.pdf")

    def test_a_page_that_it_wrote_is_replaced_and_nothing_else(self) -> None:
        out = self.folder / "mine.html"
        out.write_text("<!DOCTYPE html><title>my page</title>", encoding="utf-8")
        self.expect(r"mine\.html: exists, and this command did not write it; give another name", self.run_folder, "-o", out)
        self.assertIn("my page", out.read_text(encoding="utf-8"))
        out.unlink()
        for _ in range(2):
            self.assertEqual(run_report(self.run_folder, "-o", out).status, 0)

    def test_a_folder_that_is_not_there_to_write_to(self) -> None:
        self.expect(r"No such file or directory", self.run_folder, "-o", self.folder / "nowhere/page.html")

    def test_an_unknown_flag(self) -> None:
        self.expect(r"unknown option '--wat'", self.run_folder, "--wat", status=2)

    def test_no_run(self) -> None:
        self.expect(r"arguments are required: RUN", status=2)


class Compare(unittest.TestCase):
    """headstack compare, of summaries that were edited, or of different drives and traces."""

    MORE = {"verified_blocks": 0, "firmware_cycles": 100, "clock_on_share": 0.5}

    def write(self, name: str, **changes: object) -> Path:
        folder = write_run(self.folder / name, LINES, **self.MORE, **changes)
        file = folder / "summary.json"
        summary = json.loads(file.read_text(encoding="utf-8"))
        figures = {"commands_per_second": 5.0, "utilization": 0.5, "response_ps": dict.fromkeys(("mean", "p50", "p99", "max"), 1)}
        summary["result"] = {**figures, **summary["result"]}
        file.write_text(json.dumps(summary), encoding="utf-8")
        return folder

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def compare(self, *words: object) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-B", str(ROOT / "host/report/compare.py"), *map(str, words)]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    def test_what_runs_have_in_common_stands_above_and_what_they_do_not_in_rows(self) -> None:
        first, same = self.write("a"), self.write("b")
        other = self.write("c", drive="another drive", trace="/elsewhere/other.trace")
        done = self.compare(first, same)
        self.assertEqual(done.stdout.splitlines()[0], "ten by twenty, /somewhere/some.trace")
        self.assertNotRegex(done.stdout, "(?m)^(drive|trace) ")
        done = self.compare(first, other)
        self.assertRegex(done.stdout, r"(?m)^drive +ten by twenty +another drive$")
        self.assertRegex(done.stdout, r"(?m)^trace +/somewhere/some\.trace +/elsewhere/other\.trace$")
        widths = {len(line) for line in done.stdout.splitlines()}
        self.assertEqual(len(widths), 1, done.stdout)

    def test_what_is_missing_or_of_another_kind_is_one_line(self) -> None:
        folder = self.write("a")
        file = folder / "summary.json"
        good = file.read_text(encoding="utf-8")
        for old, new, told in (
            ('"policy"', '"x"', "no policy; repeat the run with this headstack"),
            ('"fcfs"', "5", "'policy' is 5, and must be text"),
            ('"p99"', '"x"', "no result.response_ps.p99; repeat"),
            ('"utilization": 0.5', '"utilization": NaN', "'result.utilization' is no number that JSON has"),
            ('"queued_ps": 0', '"queued_ps": "x"', "no figure of 'queued' can be made of it"),
            ('"result": {', '"result": {"deadlines": {"commands": 1}, ', "no figure of 'deadlines missed, %' can be made of it"),
            ('"result": {', '"result": 1, "x": {', "no summary of a run"),
            (good, "", "is empty: the run did not end"),
            (good, "{", "not JSON"),
        ):  # fmt: skip
            for words in ((), ("--json",)):
                with self.subTest(new, words=words):
                    self.assertIn(old, good)
                    file.write_text(good.replace(old, new), encoding="utf-8")
                    done = self.compare(folder, *words)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertRegex(done.stderr, r"^headstack: error: [^\n]*a/summary\.json: [^\n]*\n$")
                    self.assertIn(told, done.stderr)

    def test_commands_that_failed_are_counted_by_their_sense(self) -> None:
        failed = {"failed": 3, "sense": [{"sense": "4/02/00", "words": "no seek complete", "commands": 2}]}
        bad, good = self.write("bad"), self.write("good")
        file = bad / "summary.json"
        summary = json.loads(file.read_text(encoding="utf-8"))
        summary["result"] |= failed
        file.write_text(json.dumps(summary), encoding="utf-8")
        text = self.compare(good, bad).stdout
        self.assertRegex(text, r"(?m)^not GOOD +unknown +3$")
        self.assertRegex(text, r"(?m)^  4/02/00 no seek complete +0 +2$")
        self.assertEqual(len({len(line) for line in text.splitlines()[2:]}), 1)
        self.assertEqual(json.loads(self.compare(bad, "--json").stdout)[0]["4_02_00_no_seek_complete"], 2)
        self.assertNotIn("not GOOD", self.compare(good).stdout)

    def test_a_run_that_measured_nothing_is_an_error(self) -> None:
        folder = self.write("a")
        file = folder / "summary.json"
        summary = json.loads(file.read_text(encoding="utf-8"))
        summary["result"]["commands"] = 0
        file.write_text(json.dumps(summary), encoding="utf-8")
        done = self.compare(folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no command in it, so there is nothing to compare", done.stderr)
        self.assertEqual(self.compare(folder, "--allow-empty").returncode, 0)

    def test_a_run_that_kept_no_figures_is_an_error(self) -> None:
        folder = self.write("a")
        file = folder / "summary.json"
        summary = json.loads(file.read_text(encoding="utf-8"))
        for records, status in (("none", 1), ("summary", 0)):
            file.write_text(json.dumps({**summary, "records": records}), encoding="utf-8")
            done = self.compare(folder)
            self.assertEqual(done.returncode, status, done.stderr)
        file.write_text(json.dumps({**summary, "records": "none"}), encoding="utf-8")
        self.assertIn("the run kept no records (observe.records is none); repeat it with observe.records=full", self.compare(folder).stderr)

    def test_no_run(self) -> None:
        told = f"headstack: error: there is no run in {self.folder}: it has no summary.json; give folders that 'headstack run --out' left\n"
        self.assertEqual(self.compare(self.folder).stderr, told)


class Sameness(unittest.TestCase):
    """What may not show on a page."""

    def test_the_same_runs_are_the_same_bytes_wherever_they_lie(self) -> None:
        pages = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as place:
                runs = [write_run(Path(place) / name, LINES, trace=f"{place}/x.trace") for name in ("a", "b")]
                out = Path(place) / "page.html"
                done = run_report(*runs, "-o", out)
                self.assertEqual((done.status, done.stdout.splitlines()[-1]), (0, str(out)), done.stderr)
                pages.append(out.read_bytes())
        self.assertEqual(pages[0], pages[1])
        self.assertNotIn(b"http", pages[0].lower())

    def test_labels_are_as_long_as_it_takes(self) -> None:
        self.assertEqual(labels([Path("/x/a"), Path("/x/b")]), ["a", "b"])
        self.assertEqual(labels([Path("/x/y/a"), Path("/x/z/a"), Path("/b")]), ["y/a", "z/a", "b"])
        with self.assertRaisesRegex(RunError, "given twice"):
            labels([Path("/x/a"), Path("/x/./a")])

    def test_pieces_of_any_size_are_the_same_records(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            file = write_run(Path(place) / "a", LINES * 20) / "records.csv"
            for size in (1, 100, 1000, 1 << 20):
                pieces = list(read_records(file, size))
                self.assertEqual([int(lba) for piece in pieces for lba in piece["lba"]], [8, 9] * 20)
                self.assertEqual([int(kind) for piece in pieces for kind in piece["operation"]], [0, 1] * 20)


if __name__ == "__main__":
    unittest.main()
