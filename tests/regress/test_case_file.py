# SPDX-License-Identifier: Apache-2.0
"""scenario.toml of a case and its synthetic traces: accepted values, and the message of each mistake."""

import json
import math
import re
import tomllib
import unittest
from dataclasses import replace

from support import ROOT, InAFolder  # noqa: I001
from policy_cases import cases as defined
from case_file import FORBIDDEN, load_case
from errors import RegressError
from scenario_keys import time_ps, toml_of
from synthetic import REGIONS, Synthetic, trace_text

# Each mistake: keys ahead of the load's table, or (`old`, `new`) for a part of the file; then a part of the message.
MISTAKES = (
    ({"more": 'regress.tolerance = "3"'}, "'exact', or 'cycles:N'"),
    ({"more": 'regress.compare = ["times"]'}, "a list of events, records, order, nothing"),
    ({"more": 'regress.compare = ["events"]\nplatform = "native"'}, "which native does not keep"),
    ({"more": "regress.cost = 3"}, "regress: unknown key 'cost'; did you mean 'cost_s'?"),
    ({"more": "regress.canary = 1"}, "'canary' is 1, but must be true or false"),
    ({"more": "regress = 3"}, "regress must be a table"),
    ({"more": "load.limit ="}, "not TOML"),
    ({"more": "expect = 3"}, "'expect' must be tables [[expect]]"),
    ({"more": '[[expect]]\nreason = "x"'}, "expect 1: 'kind' is missing"),
    ({"more": '[[expect]]\nkind = "seeks"'}, "expect 1: 'reason' is missing"),
    ({"more": '[[expect]]\nkind = "seek"\nreason = "x"'}, "a kind of expectation; did you mean 'seeks'?"),
    ({"more": '[[expect]]\nkind = ["seeks", "zzz"]\nreason = "x"'}, "the kinds are requests, arrivals"),
    ({"more": '[[expect]]\nkind = []\nreason = "x"'}, "the name of a kind, or a list of names"),
    ({"more": '[[expect]]\nkind = "seeks"\nreason = "x"\nwithin = 3'}, "expect 1: unknown key 'within'"),
    ({"more": '[[expect]]\nkind = "bus"\nreason = "x"'}, "expect 1: 'mb_per_s' is missing"),
    ({"more": '[[expect]]\nkind = "bus"\nreason = "x"\nmb_pers = 3'}, "did you mean 'mb_per_s'?"),
    ({"more": '[[expect]]\nkind = "mean"\nreason = "x"\nof = "luck"\nms = 1\nwithin_ms = 1'}, "one of seek, rotation"),
    ({"more": 'regress.compare = ["nothing"]'}, "goes by itself and with [[expect]] tables"),
    ({"more": 'regress.compare = ["nothing", "order"]\n[[expect]]\nkind = "seeks"\nreason = "x"'}, "goes by itself"),
    ({"more": 'drive.media = "m"', "old": 'drive = "eagle"', "new": ""}, "drive.media: reaches beyond the run's own folder"),
    ({"more": 'faults.power_cut = "time:1ms"'}, "faults: reaches beyond the run's own folder"),
    ({"more": 'faults = { power_loss = "torn" }'}, "faults: reaches beyond the run's own folder"),
    ({"more": 'platform.firmware = "x.elf"'}, "platform.firmware: is chosen with --firmware"),
    ({"more": "observe.profile = true"}, "observe: is chosen by regress"),
    ({"more": 'extends = "base.toml"'}, "extends: would leave a part of the case in another file"),
    ({"more": 'platform = "rtl"'}, "platform.kind: cases run on rtl by --rtl-share"),
    ({"more": 'load.requests = [["r", 1, 8]]'}, "load.requests: has no file"),
    ({"more": 'load.trace = "-"'}, "load.trace: standard input can be read once"),
    ({"old": 'title = "a small one"', "new": ""}, "title: is missing"),
    ({"old": "[load.synthetic]", "new": "[nothing]"}, "load: there are no requests"),
    ({"old": "span = 1000", "new": ""}, "load.synthetic.span: give the blocks"),
)


class CaseFile(InAFolder):
    def test_a_mistake_is_told_with_its_file_and_key(self):
        for number, (change, message) in enumerate(MISTAKES):
            folder = self.write_case(f"case{number}", more=change.get("more", ""))
            file = folder / "scenario.toml"
            if "old" in change:
                file.write_text(file.read_text().replace(change["old"], change["new"]))
            with self.assertRaises(RegressError, msg=str(change)) as raised:
                load_case(folder)
            self.assertIn(str(file), str(raised.exception))
            self.assertIn(message, str(raised.exception))

    # The list of keys in host/scenario is what `headstack run --keys` prints.
    def test_no_key_whose_file_a_run_writes_may_stand_in_a_case(self):
        keys = re.findall(r"^  ([a-z_.]+)(?: \(\w+\))?$", (ROOT / "host/scenario/README.md").read_text(encoding="utf-8"), re.M)
        self.assertGreater(len(keys), 90)
        schema = (ROOT / "host/scenario/schema.hpp").read_text(encoding="utf-8")
        written = set(re.findall(r"\w\.(\w+),\s*FileRole::k(?:Kept|Made)\b", schema))
        self.assertEqual(len(written), 2, "media and waves")
        paths = [key for key in keys if key.rpartition(".")[2] in written]
        for path in paths:
            self.assertTrue(any(path == one or path.startswith(f"{one}.") for one in FORBIDDEN), path)
        known = {*keys, *(key.rpartition(".")[0] for key in keys), "extends"}
        self.assertEqual(set(FORBIDDEN) - known, set(), "no such key")

    def test_files_are_found_beside_the_case(self):
        folder = self.write_case()
        (folder / "scenario.toml").write_text('title="t"\ndrive="own.toml"\nload.trace="../a.trace"\n')
        case = load_case(folder)
        self.assertEqual((case.drive, case.trace), (folder / "own.toml", folder / "../a.trace"))

    def test_native_has_no_events_to_compare(self):
        case = load_case(self.write_case("a"))
        self.assertEqual((case.platform, case.compare), ("vp", ("events", "records")))
        case = load_case(self.write_case("b", 'platform = { kind = "native", ideal_electronics = true }'))
        self.assertEqual((case.platform, case.compare), ("native", ("records",)))
        self.assertEqual(load_case(self.write_case("c", 'regress.tolerance = "cycles:3"')).tolerance_cycles, 3)

    def test_a_changed_case_has_the_value_and_the_words_for_it(self):
        case = load_case(self.write_case())
        other = case.changed("settings.policy", "stf").changed("load.synthetic.blocks", (1, 8))
        self.assertEqual((case.policy, other.policy), ("fcfs", "stf"))
        self.assertEqual(other.trace, replace(case.trace, blocks=(1, 8)))
        self.assertEqual(other.changes, ('settings.policy="stf"', "load.synthetic.blocks=[1, 8]"))
        streams = case.changed("settings.streams", [{"number": 1, "share": 40}])
        self.assertEqual(streams.changes, ("settings.streams=[{ number = 1, share = 40 }]",))

    def test_a_storyline_says_the_load_itself(self):
        folder = self.folder / "found"
        folder.mkdir()
        (folder / "storyline.txt").write_text("drive small\n")
        text = 'title = "a finding"\nplatform = "rtl"\n[regress]\nstoryline = "storyline.txt"\n'
        (folder / "scenario.toml").write_text(text)
        case = load_case(folder)
        self.assertEqual((case.story, case.described), (folder / "storyline.txt", "small, a storyline, rtl"))
        for old, new, message in (
            ('platform = "rtl"', 'platform = "qemu"', "platform.kind: 'qemu' is not known; write one of native, vp, rtl"),
            ('platform = "rtl"', 'hosts.depth = 3', "hosts: the storyline says all of the load"),
            ("storyline.txt", "none.txt", "none.txt: No such file"),
            ("[regress]", "[regress]\ncanary = true", "regress.canary: a storyline keeps no run"),
        ):
            (folder / "scenario.toml").write_text(text.replace(old, new))
            with self.assertRaisesRegex(RegressError, message):
                load_case(folder)

    def test_values_are_written_as_toml(self):
        for value in ("a \"b\" \\ \n\x7f\u00e9", 3, 0.25, True, [1, 2], [{"number": 3, "period": "2s"}]):
            self.assertEqual(tomllib.loads(f"v = {toml_of(value)}")["v"], value, json.dumps(value))

    def test_times_are_exact_and_have_a_unit(self):
        for text, time in (("12.5ms", 12_500_000_000), ("0.001ns", 1), ("3s", 3 * 10**12), ("0s", 0), ("7ps", 7)):
            self.assertEqual(time_ps(text), time)
        for text in ("100", "ms", "1h", "1.5.2ms", "", "0.5ps"):
            with self.assertRaises(ValueError, msg=text):
                time_ps(text)

    def test_every_case_that_comes_along_can_be_read(self):
        folders = sorted(file.parent for file in (ROOT / "tests/golden").glob("*/scenario.toml"))
        cases = [load_case(folder) for folder in folders]
        self.assertGreaterEqual(sum(case.platform == "vp" for case in cases), 60)
        policies = {case.policy.split(":")[0] for case in cases}
        names = sorted(set(defined()) - policies)
        missing = "".join(f"\nwrite tests/golden/DRIVE-LOAD-{name}/scenario.toml" for name in names)
        self.assertEqual(policies, set(defined()), f"each policy that has a definition, and no other{missing}")
        for case in cases:
            self.assertTrue(case.expectations, case.name)
        self.assertEqual(sum(case.canary for case in cases), 3)


def requests(kind: Synthetic) -> list[list[str]]:
    """The fields of each request."""
    text = trace_text(kind)
    return [line.split() for line in text[text.index("requests\n") :].splitlines()[1:]]


class SyntheticTrace(unittest.TestCase):
    def test_the_same_seed_makes_the_same_trace_and_another_another(self):
        kind = Synthetic("zipf", 50, 10_000, gap_us=100.0)
        self.assertEqual(trace_text(kind), trace_text(kind))
        self.assertNotEqual(trace_text(kind), trace_text(Synthetic("zipf", 50, 10_000, gap_us=100.0, seed=2)))

    def test_requests_stay_in_their_span_up_to_its_last_block(self):
        for pattern in ("uniform", "sequential", "zipf"):
            ends = [int(r[2]) + int(r[3]) for r in requests(Synthetic(pattern, 3000, 40, first=100, blocks=(1, 8)))]
            begins = [int(r[2]) for r in requests(Synthetic(pattern, 3000, 40, first=100, blocks=(1, 8)))]
            self.assertEqual((min(begins), max(ends)), (100, 140), pattern)

    def test_sequential_requests_join(self):
        rows = requests(Synthetic("sequential", 20, 1000, blocks=(4, 8)))
        self.assertEqual(len(rows), 20)
        for before, after in zip(rows, rows[1:], strict=False):
            self.assertEqual(int(after[2]), int(before[2]) + int(before[3]))

    def test_flushes_and_writes_come_as_often_as_asked_for(self):
        rows = requests(Synthetic("uniform", 40, 1000, write_share=1.0, flush_every=10))
        self.assertEqual([number for number, row in enumerate(rows) if row[1] == "F"], [9, 19, 29, 39])
        self.assertTrue(all(row[1] == "W" for number, row in enumerate(rows) if number % 10 != 9))

    # Of 4000 deadlines each hundredth of the range has 30 or more: the ends are met to a fiftieth. One sigma of a share is
    # 0.007.
    def test_deadlines_lie_in_their_range_and_best_effort_has_none(self):
        kind = Synthetic("uniform", 4000, 1000, deadline_ms=(10.0, 30.0), best_effort_share=0.25)
        rows = requests(kind)
        due = [int(row[4]) / 1e6 for row in rows if row[4] != "-"]
        self.assertAlmostEqual(len(due) / len(rows), 0.75, delta=0.03)
        self.assertTrue(10 <= min(due) < 10.4 and 29.6 < max(due) <= 30)
        self.assertIn("columns time operation lba blocks deadline", trace_text(kind))

    # Of 4000 requests each stream has 500 and each priority 1333; one sigma is 21 and 30.
    def test_streams_are_of_one_class_each_and_of_any_priority(self):
        kind = Synthetic("uniform", 4000, 1000, deadline_ms=(10.0, 30.0), best_effort_share=0.25, streams=8, priorities=(0, 3, 15))
        rows = requests(kind)
        for stream in range(8):
            of_stream = [row for row in rows if row[5] == str(stream)]
            self.assertAlmostEqual(len(of_stream), 500, delta=84)
            self.assertEqual({row[4] == "-" for row in of_stream}, {stream >= 6}, stream)
        for priority in ("0", "3", "15"):
            self.assertAlmostEqual(len([row for row in rows if row[6] == priority]), 1333, delta=120)
        self.assertIn("columns time operation lba blocks deadline stream priority", trace_text(kind))

    def test_addresses_are_drawn_as_without_deadlines_up_to_the_first(self):
        kind = Synthetic("uniform", 20, 1000)
        self.assertEqual(requests(kind)[0][:4], requests(replace(kind, deadline_ms=(1.0, 2.0)))[0][:4])
        self.assertTrue(all(row[4] == "-" for row in requests(kind)))

    # The share is 1 / H_256, with H_256 = ln 256 + 0.5772 + 1 / 512. One sigma of the mean of 4000 draws is 0.006.
    def test_the_most_popular_region_of_zipf_has_its_share(self):
        count = 4000
        width = 100
        rows = requests(Synthetic("zipf", count, REGIONS * width, blocks=(1,)))
        hits = [0] * REGIONS
        for row in rows:
            hits[int(row[2]) // width] += 1
        harmonic = math.log(REGIONS) + 0.5772 + 1 / (2 * REGIONS)
        self.assertAlmostEqual(max(hits) / count, 1 / harmonic, delta=0.025)

    # The mean of 2000 gaps that are exponentially distributed is off by 1 / sqrt(2000) (one sigma).
    def test_arrivals_have_their_mean_and_make_the_loop_open(self):
        kind = Synthetic("uniform", 2000, 1000, gap_us=50.0)
        self.assertIn("loop open", trace_text(kind))
        self.assertAlmostEqual(int(requests(kind)[-1][0]) / 2000 / 50_000, 1.0, delta=0.07)


if __name__ == "__main__":
    unittest.main()
