# SPDX-License-Identifier: Apache-2.0
"""--json: it parses, says what the table says, and has the keys that the README documents."""

import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

from support import ROOT, TRACE, headstack

README = (ROOT / "host/command/README.md").read_text(encoding="utf-8")
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/bench", "host/output")]


def documented(command: str) -> list[str]:
    """The keys of the README's row of a command."""
    row = re.search(rf"^\| `{re.escape(command)}` \| (?:list of )?(.*?) \|$", README, re.MULTILINE)
    assert row is not None, command
    return re.findall(r"`(\w+)`", row[1])


def script(name: str, *words: object) -> str:
    """Standard output of a program in Python."""
    line = [sys.executable, "-B", str(ROOT / name), *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


class Json(unittest.TestCase):
    def both(self, *words: object) -> tuple[Any, str]:
        """What a command prints as JSON, and for people."""
        # Another test may be building: HEADSTACK_QUIET leaves out that this one waits for it.
        as_json, text = headstack(*words, "--json", environment={"HEADSTACK_QUIET": "1"}), headstack(*words)
        self.assertEqual((as_json.returncode, as_json.stderr, text.returncode), (0, "", 0), as_json.stderr)
        return json.loads(as_json.stdout), text.stdout

    def expect_keys(self, command: str, row: dict[str, Any]) -> None:
        self.assertEqual(list(row), documented(command))

    def test_drive_list(self) -> None:
        rows, text = self.both("drive", "list")
        self.expect_keys("drive list", rows[0])
        lines = [f"{row['drive']} {row['capacity_bytes'] / 1e6:.0f} MB {row['rpm']:g} rpm {row['name']}" for row in rows]
        self.assertEqual([" ".join(line.split()) for line in text.splitlines()], lines)
        self.assertEqual([row["drive"] for row in rows], sorted(file.stem for file in (ROOT / "sim/drives").glob("*.toml")))

    def test_policy_list(self) -> None:
        rows, text = self.both("policy", "list")
        self.expect_keys("policy list", rows[0])
        words = [(row["name"], row["text"]) for row in rows]
        self.assertEqual(re.findall(r"^  (\w+) +(.*)$", text, re.MULTILINE), words)
        slower = ["; ".join(f"{one['load']} (+{one['percent']} %)" for one in row["may_be_slower_than_fcfs"]) for row in rows]
        remarks = re.findall(r"^    may be slower than fcfs: (.*)$", text, re.MULTILINE)
        self.assertEqual(remarks, [one for one in slower if one])
        text = re.sub(r"^    may be slower .*\n", "", text, flags=re.MULTILINE)
        below = [f"{one['name']}=" for row in rows for one in row["parameters"]]
        flags = [one["name"] for row in rows for one in row["flags"]]
        self.assertEqual(Counter(re.findall(r"^    (\S+) ", text, re.MULTILINE)), Counter(below + flags))
        for row in rows:
            for one in row["parameters"]:
                self.assertIn(f"{one['minimum']:g} to {one['maximum']:g} {one['unit']}".strip(), text)
                self.assertIn(f": {one['text']}; default: ", text)
                self.assertNotEqual(one["initial"] is None, one["initial_cylinders_over"] is None)

    def test_trace_formats(self) -> None:
        rows, text = self.both("trace", "formats")
        self.expect_keys("trace formats", rows[0])
        self.assertEqual([line.split()[0] for line in text.splitlines()], [row["name"] for row in rows])

    def test_what_is_no_table(self) -> None:
        """One object each, with the same numbers as the text."""
        for words, key, shown in (
            (("drive", "info", "eagle"), "capacity_blocks", "1,125,600"),
            (("drive", "locate", "eagle", "--lba", 70), "lba", "70"),
            (("drive", "access", "eagle", "--lba", 70), "lba", "70"),
            (("trace", "info", TRACE), "end_lba", "4,194,304"),
            (("remap", "analyse", TRACE), "groups", "26,215"),
        ):
            found, text = self.both(*words)
            self.assertEqual(list(found), documented(" ".join(map(str, words[:2]))))
            self.assertIn(shown, text)
            self.assertEqual(f"{found[key]:,}", shown)

    def test_regress_list(self) -> None:
        rows, text = (script("host/regress/regress.py", "-", "--list", *more) for more in (["--json"], []))
        rows = json.loads(rows)
        self.expect_keys("regress --list", rows[0])
        self.assertGreater(len(rows), 50)
        lines = [f"{row['case']} {row['platform']} {row['title']}"
                 + (f" [{', '.join(row['expectations'])}]" if row["expectations"] else "") for row in rows]  # fmt: skip
        self.assertEqual([" ".join(line.split()) for line in text.splitlines()], [" ".join(line.split()) for line in lines])

    def test_experiment_list(self) -> None:
        rows, text = self.both("experiment", "list")
        self.expect_keys("experiment list", rows[0])
        self.assertEqual([line.split(maxsplit=1) for line in text.splitlines()],
                         [[row["experiment"], row["title"]] for row in rows])  # fmt: skip

    def test_wave_list(self) -> None:
        rows, text = self.both("wave", "list")
        self.expect_keys("wave list", rows[0])
        self.assertEqual([line.split(maxsplit=1) for line in text.splitlines()], [[row["view"], row["title"]] for row in rows])

    def test_admission(self) -> None:
        found, text = self.both("admission", "hp_c3323a", "--rate", "192kB")
        self.expect_keys("admission", found)
        keys = re.search(r"The list `schemes` of `admission` has (.*?)\.\n", README, re.DOTALL)
        assert keys is not None
        for one in found["schemes"]:
            self.assertEqual(list(one), re.findall(r"`(\w+)`", keys[1]))
            self.assertRegex(text, rf"(?m)^  {one['scheme']} +{one['streams']} ")

    def test_remap_arrange(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            counts = Path(name, "counts.json")
            counts.write_text(json.dumps({"format": "headstack-counts-1", "first_block": 0, "group_blocks": 160, "groups": 9,
                                          "visits": [[3, 2], [8, 1]], "pairs": [[3, 8, 1]], "gaps": []}))  # fmt: skip
            found, text = self.both("remap", "arrange", "zoned_179mb", "--counts", counts, "--method", "popularity")
        self.expect_keys("remap arrange", found)
        self.assertIn(f"result     {found['result_mean']:.4f} ms", text)

    def test_compare(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            runs = [Path(name, policy) for policy in ("fcfs", "sstf")]
            for run in runs:
                done = headstack("run", "--platform", "vp", "--drive", "cheetah_9lp", "--trace", TRACE, "--limit", 30,
                                 "--policy", run.name, "--out", run)  # fmt: skip
                self.assertEqual(done.returncode, 0, done.stderr)
            rows, text = self.both("compare", *runs)
        self.expect_keys("compare", rows[0])
        table = [re.split(r"  +", line.strip()) for line in text.splitlines()[3:]]
        self.assertEqual([row["policy"] for row in rows], ["fcfs", "sstf"])
        self.assertEqual(len(table), len(rows[0]) - 3)
        for (_, *shown), *values in zip(table, *(list(row.values())[3:] for row in rows), strict=True):
            for text_of, value in zip(shown, values, strict=True):
                self.assertEqual(text_of if text_of in ("fcfs", "sstf") else float(text_of), value, (shown, values))

    def test_bench_budget(self) -> None:
        import bench_budget
        from budget_table import FIRMWARE, HOST, Table, write_table

        costs = {name: {FIRMWARE: 1000 + place} for place, name in enumerate(bench_budget.NAMES)}
        with tempfile.TemporaryDirectory() as name:
            write_table(Path(name) / "budget.toml", Table("test", "gcc", {load: {**cost, HOST: 5} for load, cost in costs.items()}))
            out, error = io.StringIO(), io.StringIO()
            words = ["x", "program", "--firmware-only", "--json", "--table", str(Path(name) / "budget.toml")]
            with (mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error),
                  mock.patch.object(bench_budget.Meter, "cost", lambda _, load: costs[load]),
                  mock.patch.object(bench_budget, "toolchain_of", return_value="gcc")):  # fmt: skip
                self.assertEqual(bench_budget.main(), 0)
        rows = json.loads(out.getvalue())
        self.expect_keys("bench budget", rows[0])
        self.assertEqual({row["load"]: row["measured"] for row in rows}, {load: cost[FIRMWARE] for load, cost in costs.items()})
        self.assertTrue(all(row["budget"] == row["measured"] for row in rows))
        self.assertIn("deviation", error.getvalue())


class OtherModules(unittest.TestCase):
    """What these programs print is worked out by modules of their own, in a process of its own: names collide."""

    def values(self, folder: str, program: str) -> Any:
        line = [sys.executable, "-B", "-c", program]
        done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=ROOT / folder, env=None)
        return json.loads(done.stdout)

    def test_fidelity(self) -> None:
        found = self.values("host/fidelity", """
import sys; sys.path.insert(0, ".")
import json
from types import SimpleNamespace as Some
from fidelity import figures
whole = Some(count=9, simulated_mean_ms=1.5, real_mean_ms=1.4, demerit_ms=0.2, relative=0.1)
drive = Some(description="hp_c2247a", title="HP C2247A")
print(json.dumps(figures(Some(drive=drive, whole=whole, histogram_demerit_ms=0.15, disksim_demerit_ms=None))))
""")  # fmt: skip
        self.assertEqual(list(found), documented("fidelity"))
        self.assertEqual(list(found.values()), ["hp_c2247a", "HP C2247A", 9, 1.5, 1.4, 0.2, 0.1, 0.15, None])

    def test_mutate(self) -> None:
        found, text = self.values("tests/mutation", """
import sys; sys.path.insert(0, ".")
import json
from collections import Counter
from results import KILLED, MISSING, SURVIVED, Score, table, table_rows
scores = [Score("firmware/x", 3, 9, Counter({KILLED: 2, SURVIVED: 1}), [], 1.0), Score("hdl/y", 3, 9, Counter({MISSING: 1}), [], 0.0)]
print(json.dumps([table_rows(scores), table(scores, 1)]))
""")  # fmt: skip
        self.assertEqual(list(found[0]), documented("mutate"))
        self.assertEqual((found[0]["percent"], found[0]["complete"]), (66.6, True))
        self.assertEqual((found[1]["percent"], found[1]["complete"]), (None, False))
        self.assertIn("| firmware/x | 9 | 3 | 0 | 0 | 0 | 3 | 2 | 1 | 66.6 % |", text)
        self.assertIn("| none (unfinished) |", text)


if __name__ == "__main__":
    unittest.main()
