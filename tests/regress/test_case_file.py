# SPDX-License-Identifier: Apache-2.0
"""case.toml and its synthetic traces: what is taken, and what each mistake is told."""

import math
import re
import unittest
from dataclasses import replace

from support import ROOT, InAFolder  # noqa: I001
from policy_cases import cases as defined
from case_file import LOAD_WORDS, OUTSIDE_WORDS, RUNNERS_WORDS, TAKEN_WORDS, load_case
from errors import RegressError
from synthetic import REGIONS, Synthetic, trace_text

# What is in the file's place of "more", or in the place of a line; what the message must name.
MISTAKES = (
    ({"more": 'polcy = "stf"'}, "unknown key 'polcy'; did you mean 'policy'?"),
    ({"more": "zzz = 1"}, "unknown key 'zzz'; the keys are title"),
    ({"more": "queue_depth = 0"}, "'queue_depth' is 0, but must be a whole number from 1 on"),
    ({"more": "queue_depth = true"}, "'queue_depth'"),
    ({"more": 'loop = "round"'}, "one of open, closed"),
    ({"more": 'tolerance = "3"'}, "'exact', or 'cycles:N'"),
    ({"more": 'compare = ["events"]\nwords = ["--ideal-electronics"]'}, "not kept of ideal electronics"),
    ({"more": 'compare = ["times"]'}, "a list of events, records, order, nothing"),
    ({"more": 'words = ["--policy", "stf"]'}, "say --policy with 'policy'"),
    ({"more": 'words = ["--out=x"]'}, "--out is for the runner to say"),
    ({"more": 'words = ["--wave-window", "cmd:3"]'}, "--wave-window is for the runner to say"),
    *(({"more": f'words = ["--verify-data", "{word}", "x"]'}, f"{word} would reach beyond the run's own folder")
      for word in ("--media", "--torture", "--batch", "--power-cut", "--power-again", "--torture-jobs", "--force")),
    ({"more": 'words = ["--media=x"]'}, "--media would reach beyond"),
    ({"more": 'words = ["--medai", "x"]'}, "--medai is none of them"),
    ({"more": 'words = ["--"]'}, "-- is none of them"),
    ({"more": "words = '--bus fast'"}, "a list of texts"),
    ({"more": "limit ="}, "not TOML"),
    ({"more": "blessing = 3"}, "must be tables [[blessing]]"),
    ({"more": '[[blessing]]\nreason = "x"'}, "blessing 1: 'commit' is missing"),
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
    ({"more": 'compare = ["nothing"]'}, "goes by itself and with [[expect]] tables"),
    ({"more": 'compare = ["nothing", "order"]\n[[expect]]\nkind = "seeks"\nreason = "x"'}, "goes by itself"),
    ({"old": 'drive = "eagle"', "new": ""}, "'drive' is missing"),
    ({"more": 'platform = "vp"'}, "unknown key 'platform'"),
    ({"old": "span = 1000", "new": ""}, "trace.synthetic: 'span' is missing"),
    ({"old": "span = 1000", "new": "span = 4"}, "more than the span of 4"),
    ({"old": "span = 1000", "new": "span = 1000\nblocks = [8, 0]"}, "'blocks'"),
    ({"old": "span = 1000", "new": "span = 1000\nwrite_share = 1.1"}, "a number from 0 to 1"),
    ({"old": "span = 1000", "new": "span = 1000\ndeadline_ms = [8]"}, "two numbers of milliseconds"),
    ({"old": "span = 1000", "new": "span = 1000\ndeadline_ms = [8, 5]"}, "the earliest deadline first"),
    ({"old": "span = 1000", "new": "span = 1000\ndeadline_ms = [0, 5]"}, "'deadline_ms'"),
    ({"old": "span = 1000", "new": "span = 1000\nstreams = 2"}, "'streams' need 'deadline_ms'"),
    ({"old": "span = 1000", "new": "span = 1000\ndeadline_ms = [1, 5]\npriorities = [1]"}, "'priorities' need 'streams'"),
    ({"old": "span = 1000", "new": "span = 1000\ndeadline_ms = [1, 5]\nstreams = 2\npriorities = [16]"}, "'priorities'"),
    ({"old": '"uniform"', "new": '"random"'}, "one of uniform, sequential, zipf"),
    ({"old": "[trace.synthetic]", "new": "[trace.made]"}, "a table [trace.synthetic]"),
)


class CaseFile(InAFolder):
    def test_a_mistake_is_told_with_its_file_and_key(self):
        for number, (change, message) in enumerate(MISTAKES):
            folder = self.write_case(f"case{number}", more=change.get("more", ""))
            file = folder / "case.toml"
            if "old" in change:
                file.write_text(file.read_text().replace(change["old"], change["new"]))
            with self.assertRaises(RegressError, msg=str(change)) as raised:
                load_case(folder, ROOT)
            self.assertIn(str(file), str(raised.exception))
            self.assertIn(message, str(raised.exception))

    # A new option of a run is one of these kinds; only that of loads may stand in a case.
    def test_every_option_of_a_run_is_of_one_kind(self):
        sources = [*sorted((ROOT / "host/run").glob("*.cpp")), ROOT / "host/cli/reading_options.cpp"]
        text = "".join(source.read_text() for source in sources)
        options = set(re.findall(r'add_(?:option|flag)\w*(?:<[^>]*>)?\(\s*"!?(--[a-z-]+)"', text)) | {"--help"}
        tables = set(re.findall(r'\{"(--[a-z-]+)",', (ROOT / "host/run/habit_flags.cpp").read_text()))
        kinds = [set(TAKEN_WORDS), set(RUNNERS_WORDS), set(OUTSIDE_WORDS), set(LOAD_WORDS)]
        self.assertGreater(len(options), 60)
        self.assertEqual((options | tables) - set().union(*kinds), set(), "in host/regress/case_file.py")
        self.assertEqual(sum(map(len, kinds)), len(set().union(*kinds)), "an option is of one kind")

    def test_a_trace_that_is_not_there_is_told_with_where_it_was_looked_for(self):
        folder = self.write_case()
        (folder / "case.toml").write_text('title="t"\ndrive="eagle"\ntrace="none.trace"\n')
        with self.assertRaisesRegex(RegressError, "no 'none.trace' beside the case, nor in .*traces"):
            load_case(folder, ROOT)

    def test_a_trace_is_found_beside_the_case_before_those_of_headstack(self):
        folder = self.write_case()
        for name in ("own.trace", "measured/ext4-git-sqlite.trace"):
            (folder / "case.toml").write_text(f'title="t"\ndrive="eagle"\ntrace="{name}"\n')
            (folder / "own.trace").write_text("")
            place = folder if name == "own.trace" else ROOT / "traces"
            self.assertEqual(load_case(folder, ROOT).trace, place / name)

    def test_ideal_electronics_are_native_and_have_no_events_to_compare(self):
        case = load_case(self.write_case("a"), ROOT)
        self.assertEqual((case.platform, case.compare), ("vp", ("events", "records")))
        case = load_case(self.write_case("b", 'words = ["--ideal-electronics"]'), ROOT)
        self.assertEqual((case.platform, case.compare), ("native", ("records",)))
        self.assertEqual(load_case(self.write_case("c", 'tolerance = "cycles:3"'), ROOT).tolerance_cycles, 3)

    def test_every_case_that_comes_along_can_be_read(self):
        folders = sorted(file.parent for file in (ROOT / "tests/golden").glob("*/case.toml"))
        cases = [load_case(folder, ROOT) for folder in folders]
        self.assertGreaterEqual(sum(case.platform == "vp" for case in cases), 60)
        policies = {case.policy.split(":")[0] for case in cases}
        missing = "".join(f"\nwrite tests/golden/DRIVE-LOAD-{name}/case.toml, and bless it" for name in sorted(set(defined()) - policies))
        self.assertEqual(policies, set(defined()), f"each policy that has a definition, and no other{missing}")
        for case in cases:
            self.assertTrue(case.blessings or case.is_judged_alone, case.name)


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

    # Of 4000 each hundredth of the range has 30: the ends are met to a fiftieth; of shares one sigma is 0.007.
    def test_deadlines_lie_in_their_range_and_best_effort_has_none(self):
        kind = Synthetic("uniform", 4000, 1000, deadline_ms=(10.0, 30.0), best_effort_share=0.25)
        rows = requests(kind)
        due = [int(row[4]) / 1e6 for row in rows if row[4] != "-"]
        self.assertAlmostEqual(len(due) / len(rows), 0.75, delta=0.03)
        self.assertTrue(10 <= min(due) < 10.4 and 29.6 < max(due) <= 30)
        self.assertIn("columns time operation lba blocks deadline", trace_text(kind))

    # Of 4000 each stream has 500 and each priority 1333; one sigma is 21 and 30.
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

    # 1 of H_256 = ln 256 + 0.5772 + 1 / 512; of 4000 draws the mean is off by 0.006 once (one sigma).
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
