# SPDX-License-Identifier: Apache-2.0
"""Words of a sweep's command line: their values, and the message for each word that has none.

The schema is a small one of this test, in which a regular expression describes a key's values.
"""

import re
import unittest

from support import ROOT  # noqa: F401, I001
from axes import Axis, Declaration, Value, parse_words, toml_of
from sweep_errors import WordError

PATHS = {"policy": "settings.policy", "depth": "hosts.depth", "drive": "drive.name", "trace": "load.trace"}
POLICY = r"(fcfs|stf|gstf)(:[a-z]+(=\d+)?(,[a-z]+(=\d+)?)*)?"
TAKEN = {
    "policy": POLICY,
    "settings.policy": POLICY,
    "depth": r"\d+",
    "cache": r"off|read(:[a-z]+=\d+(,[a-z]+=\d+)*)?",
    "hosts.every.abort": r"\d+(:\d+ms(\.\.\d+ms)?)?",
    "load.synthetic.deadline": r"\d+ms\.\.\d+ms",
    "load.synthetic.gap": r"\d+(\.\d+)?[mu]s",
    "title": r".*",
    "load.requests": r"\[\[.*\]\]",
    "load.synthetic.blocks": r"\d+|\[\d+(, \d+)*\]",
}


def takes(key: str, text: str) -> bool:
    return re.fullmatch(TAKEN.get(key, r"-?\d+(\.\d+)?([a-z]+)?|[a-z./][\w./]*"), text) is not None


def parse(*words: str) -> Declaration:
    return parse_words(words, PATHS, takes)


def values(word: str) -> list[str]:
    """The texts of an axis, or the only one of a constant."""
    declared = parse(word)
    return [value.text for value in declared.axes[0].values] if declared.axes else [declared.constants[0].partition("=")[2]]


class Commas(unittest.TestCase):
    def test_they_part_the_values_of_an_axis(self) -> None:
        for word, expected in (
            ("policy=fcfs,stf", ["fcfs", "stf"]),
            ("depth=1,7,3", ["1", "7", "3"]),
            ("drive=eagle,./my.toml", ["eagle", "./my.toml"]),
            ("policy=fcfs", ["fcfs"]),
        ):
            with self.subTest(word):
                self.assertEqual(values(word), expected)

    def test_after_a_colon_they_part_only_what_the_key_takes_by_itself(self) -> None:
        for word, expected in (
            ("policy=fcfs,stf,gstf:group=210", ["fcfs", "stf", "gstf:group=210"]),
            ("policy=gstf:group=210,frozen", ["gstf:group=210,frozen"]),
            ("policy=gstf:group=210,frozen,stf", ["gstf:group=210,frozen", "stf"]),
            ("policy=gstf:group=210,stf,frozen", ["gstf:group=210", "stf", "frozen"]),
            ("policy=gstf:a=1,b=2,gstf:a=3", ["gstf:a=1,b=2", "gstf:a=3"]),
            ("cache=read:segments=2,blocks=8,off", ["read:segments=2,blocks=8", "off"]),
            ("hosts.every.abort=40:0ms..20ms,80", ["40:0ms..20ms", "80"]),
        ):
            with self.subTest(word):
                self.assertEqual(values(word), expected)

    def test_a_list_quotes_and_braces_leave_no_doubt(self) -> None:
        for word, expected in (
            ('policy=["gstf:group=210,stf", "fcfs"]', ["gstf:group=210,stf", "fcfs"]),
            ("policy=[ 'stf' , 'fcfs' ]", ["stf", "fcfs"]),
            ("depth=[1, 64]", ["1", "64"]),
            ("load.synthetic.blocks=[[8, 16], 8]", ["[8, 16]", "8"]),
            ('load.requests=[["r", 0, 8], ["w", 8, 8]]', ['[["r", 0, 8], ["w", 8, 8]]']),
            ('load.requests=[[["r", 0, 8]], [["w", 8, 8]]]', ['[["r", 0, 8]]', '[["w", 8, 8]]']),
            ("load.synthetic.write_share=[0.5, 1]", ["0.5", "1"]),
            ("hosts.verify=[true, false]", ["true", "false"]),
            ('title="policies, compared"', ['"policies, compared"']),
            ("drive.specimen={flaw_seed=3,flaws=1}", ["{flaw_seed=3,flaws=1}"]),
        ):
            with self.subTest(word):
                self.assertEqual(values(word), expected)

    def test_words_of_a_list_reach_the_simulator_in_quotes(self) -> None:
        axis = parse('policy=["gstf:group=210,stf", "a \\"b\\""]').axes[0]
        self.assertEqual(axis.words(0), ('policy="gstf:group=210,stf"',))
        self.assertEqual(axis.words(1), ('policy="a \\"b\\""',))

    def test_a_value_of_toml_is_written_on_one_line(self) -> None:
        for value, text in ((True, "true"), (7, "7"), (0.25, "0.25"), ("ü", '"ü"'), ([1, "a"], '[1, "a"]'), ({"k": [2]}, "{ k = [2] }")):
            self.assertEqual(toml_of(value), text)


class Ranges(unittest.TestCase):
    def test_without_a_step_they_double(self) -> None:
        for word, expected in (
            ("depth=1..64", ["1", "2", "4", "8", "16", "32", "64"]),
            ("depth=3..20", ["3", "6", "12"]),
            ("depth=5..5", ["5"]),
            ("load.think_scale=0.5..4", ["0.5", "1", "2", "4"]),
            ("load.synthetic.gap=1ms..4ms", ["1ms", "2ms", "4ms"]),
            ("depth=1..4,64", ["1", "2", "4", "64"]),
        ):
            with self.subTest(word):
                self.assertEqual(values(word), expected)

    def test_with_a_step_they_add(self) -> None:
        for word, expected in (
            ("depth=1..10+3", ["1", "4", "7", "10"]),
            ("depth=1..9+3", ["1", "4", "7"]),
            # As binary fractions, three tenths are not three times one tenth, so the last value could be lost.
            ("load.synthetic.write_share=0..0.3+0.1", ["0", "0.1", "0.2", "0.3"]),
            ("load.synthetic.write_share=0..1+0.50", ["0", "0.5", "1"]),
            ("depth=100..300+100", ["100", "200", "300"]),
            ("load.synthetic.gap=10ms..12ms+1ms", ["10ms", "11ms", "12ms"]),
            ("load.x=-1..1+1", ["-1", "0", "1"]),
        ):
            with self.subTest(word):
                self.assertEqual(values(word), expected)

    def test_a_text_that_the_key_takes_as_it_stands_is_no_range(self) -> None:
        self.assertEqual(values("load.synthetic.deadline=10ms..50ms"), ["10ms..50ms"])
        self.assertEqual(values("title=1..4"), ["1..4"])


class Declarations(unittest.TestCase):
    def test_a_key_with_one_value_is_no_axis(self) -> None:
        declared = parse("s.toml", "drive=eagle", "policy=fcfs,stf", "depth=8", "load.limit=")
        self.assertEqual(declared.file, "s.toml")
        self.assertEqual(declared.constants, ["drive=eagle", "depth=8", "load.limit="])
        self.assertEqual([axis.key for axis in declared.axes], ["policy"])
        self.assertEqual(declared.seeds, ())

    def test_settings_keep_their_order(self) -> None:
        declared = parse("depth=1,2", "load.synthetic.seed=3", "trace=a,b")
        self.assertEqual(declared.at((1, 0)), ["depth=2", "load.synthetic.seed=3", "trace=a"])

    def test_each_combination_has_a_setting_of_each_axis(self) -> None:
        declared = parse("depth=1,2", "drive=eagle", "policy=fcfs,stf", "seeds=4")
        self.assertEqual(declared.at((1, 0)), ["depth=2", "drive=eagle", "policy=fcfs"])
        self.assertEqual(declared.seeds, (1, 2, 3, 4))

    def test_an_axis_knows_its_path_and_whether_it_is_one_of_numbers(self) -> None:
        for word, path, is_numeric, unit, numbers in (
            ("depth=1,16", "hosts.depth", True, "", [1, 16]),
            ("load.synthetic.gap=500us,2ms", "load.synthetic.gap", True, "ms", [0.5, 2]),
            ("policy=fcfs,stf", "settings.policy", False, "", [None, None]),
            ("load.x=1,2ms", "load.x", False, "", [1, 2]),
        ):
            axis = parse(word).axes[0]
            with self.subTest(word):
                self.assertEqual((axis.path, axis.is_numeric, axis.unit), (path, is_numeric, unit))
                self.assertEqual([value.number for value in axis.values], numbers)

    def test_a_word_with_a_folder_is_a_file_whatever_its_name(self) -> None:
        self.assertEqual(parse("./a=1,2.toml", "depth=1,2").file, "./a=1,2.toml")


class Refused(unittest.TestCase):
    def test_each_sentence_names_the_word_and_the_remedy(self) -> None:
        for words, sentence in (
            (["policy=fcfs,,stf"], "policy: an empty value in 'fcfs,,stf'; leave out the comma, or write the values as a list: [\"...\"]"),
            (["policy=fcfs,"], "policy: an empty value in 'fcfs,'; leave out the comma, or write the values as a list: [\"...\"]"),
            (["policy=fcfs,stf,fcfs"], "policy: 'fcfs' is there twice; leave one out"),
            (["depth=1..4,2"], "depth: '2' is there twice; leave one out"),
            (["policy=[]"], "policy: the list has no values; give one or more"),
            (["depth=64..1"], "depth: 64..1 is empty: 64 is above 1; give the smaller number first"),
            (["depth=0..8"], "depth: 0..8 doubles from above 0 on; give a step, as in 0..8+1"),
            (["depth=1..8+0"], "depth: 1..8+0: the step is not above 0; give a larger one"),
            (["depth=1..90000+1"], "depth: 1..90000+1: more than 10,000 values; give a larger step"),
            (
                ["load.x=1ms..8us"],
                "load.x: 1ms..8us: one unit is needed; write both ends (and the step) in it, as in 1ms..8ms",
            ),
            (
                ["load.x=1ms..8ms+1"],
                "load.x: 1ms..8ms+1: one unit is needed; write both ends (and the step) in it, as in 1ms..8ms",
            ),
            (["depth=1,2", "hosts.depth=3"], "hosts.depth: given twice, as depth; leave one out"),
            (["depth=1,2", "depth=3"], "depth: given twice; leave one out"),
            (["seeds=2", "seeds=3"], "seeds: given twice; leave one out"),
            (["seeds=0"], "seeds: '0' is no number of runs; give 1 to 10,000, and the seeds are 1, 2, 3 and so on"),
            (["seeds=1..5"], "seeds: '1..5' is no number of runs; give 1 to 10,000, and the seeds are 1, 2, 3 and so on"),
            (
                ["seeds=2", "load.synthetic.seed=1,2"],
                "load.synthetic.seed: seeds=2 sets it already; leave one of them out",
            ),
            (["a.toml", "b.toml"], "b.toml: a second scenario, beside a.toml; sweep one at a time"),
            (["=3"], "'=3' is no setting; write KEY=VALUE"),
            (["title=a,b"], """title: changes no run; give one text in quotes: 'title="a,b"'"""),
        ):
            with self.subTest(words), self.assertRaises(WordError) as refused:
                parse(*words)
            self.assertEqual(str(refused.exception), sentence)
            self.assertEqual(refused.exception.status, 2)

    def test_a_list_that_is_no_toml_is_told_with_an_example(self) -> None:
        with self.assertRaisesRegex(WordError, r"^policy: '\[fcfs, stf\]' is no list in TOML \(.*\); write it as in 'policy=\[\"a\", \"b\"\]'$"):
            parse("policy=[fcfs, stf]")

    def test_the_most_values_are_taken(self) -> None:
        self.assertEqual(len(values("depth=1..10000+1")), 10_000)


class Values(unittest.TestCase):
    def test_times_are_numbers_in_ms(self) -> None:
        for text, number in (("1s", 1000.0), ("2us", 0.002), ("3ns", 3e-6), ("4ps", 4e-9)):
            self.assertEqual(Value(text, text).number, number)
        self.assertFalse(Axis("k", "k", (Value("1", "1"), Value("stf", "stf"))).is_numeric)


if __name__ == "__main__":
    unittest.main()
