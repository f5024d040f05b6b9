# SPDX-License-Identifier: Apache-2.0
"""The first difference of two runs, and the report about it."""

import unittest
from dataclasses import replace

from support import ROOT, InAFolder, records_text, with_sense  # noqa: I001
from compare_events import EventComparison, changed_work, first_difference, work_pairs
from compare_records import first_record, tell_record
from divergence import time_text
from errors import RegressError
from event_commands import commands_of
from event_log import CLOCK_PS, Event, Ledger, ledger_text, parse_ledger
from canaries import Stored, compress, kept_part, load_stored
from case_file import load_case
from run_records import parse_records
from source_lines import SourceLines

LEDGER = """issue 0 0 7
issue 25000 1 8
100 COMMAND_RECEIVED 28000007 10 execute main:60:50 execute:41:30
110 TASK_QUEUED 70003 12 queue execute:6:5 queue:4:4
120 TASK_CHOSEN 3 14 choose queue:2:1 choose:8:8
150 SEEK_START 500 16 start choose:20:11 start:10:9
400 ON_TRACK 500 18 on_track (asleep):230:0 on_track:20:10
410 COMMAND_RECEIVED 28000008 10 execute execute:10:9
420 TASK_QUEUED 80004 12 queue queue:10:9
430 RUN_DONE 8 20 done done:10:9
440 STATUS_SENT 4 22 send send:10:9
450 BUS_FREE 7 24 free free:10:9
"""
SECOND_PS = 10**12
NO_SOURCES = SourceLines(ROOT / "no.elf", ROOT)
RECORDS = parse_records(records_text((0, 0, 1, 2, 3, 4), (1, 25000, 1, 2, 3, 4)).splitlines(), "records")


def ledger(*changes: tuple[str, str]):
    """The common ledger with some texts replaced."""
    text = LEDGER
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return parse_ledger(text, "ledger")


def tell(*changes: tuple[str, str]):
    """The divergence of the changed run."""
    expected, found = ledger(), ledger(*changes)
    at = first_difference(expected.events, found.events)
    assert at is not None
    return EventComparison(expected, found, at, NO_SOURCES).tell(RECORDS, RECORDS)


class FirstDifference(unittest.TestCase):
    EVENTS = [Event(10, "A", 1), Event(20, "B", 2), Event(30, "C", 3)]

    def test_time_name_argument_and_length_count(self):
        same = list(self.EVENTS)
        self.assertIsNone(first_difference(self.EVENTS, same))
        for number, event in ((1, Event(21, "B", 2)), (2, Event(30, "D", 3)), (0, Event(10, "A", 0))):
            found = list(self.EVENTS)
            found[number] = event
            self.assertEqual(first_difference(self.EVENTS, found), number)
        self.assertEqual(first_difference(self.EVENTS, self.EVENTS[:2]), 2)
        self.assertEqual(first_difference(self.EVENTS[:1], self.EVENTS), 1)

    def test_a_tolerance_holds_for_times_alone_and_up_to_its_last_cycle(self):
        late = [event._replace(edge=event.edge + 3) for event in self.EVENTS]
        self.assertIsNone(first_difference(self.EVENTS, late, 3))
        self.assertEqual(first_difference(self.EVENTS, late, 2), 0)
        self.assertEqual(first_difference(self.EVENTS, [late[0]._replace(argument=2), *late[1:]], 9), 0)


class Commands(unittest.TestCase):
    def test_an_event_is_told_with_the_command_of_its_task_its_tag_or_the_media(self):
        # COMMAND_RECEIVED goes by tag, TASK_* by task, events of the media by the task chosen last, all others by the last
        # named one.
        self.assertEqual(commands_of(ledger()), [0, 0, 0, 0, 0, 1, 1, 0, 1, 1])

    def test_a_tag_that_is_used_again_is_the_later_request(self):
        later = ("25000 1 8", "10000000 1 7")
        again = ledger(("410 COMMAND_RECEIVED 28000008", "410 COMMAND_RECEIVED 28000007"), later)
        self.assertEqual(commands_of(again)[5], 1)


class Why(unittest.TestCase):
    def test_a_function_that_took_longer_is_named_with_both_numbers(self):
        told = tell(("150 SEEK_START", "151 SEEK_START"), ("start:10:9", "start:11:10"))
        self.assertEqual(told.headline, "command 0 (read LBA 0, 8 blocks): SEEK_START at cycle 151, expected cycle 150")
        self.assertEqual(
            told.why[0],
            "between TASK_CHOSEN (cycle 120, as expected) and SEEK_START: start() took 11 cycles (10 instructions), "
            "expected 10 (9)",
        )
        self.assertEqual(told.culprit.function, "start")
        self.assertEqual((told.cycle, told.time_ps, told.last_equal_ps), (151, 151 * 25_000, 120 * 25_000))

    def test_within_a_tolerance_the_event_before_may_be_off_too(self):
        expected, found = ledger(), ledger(("120 TASK_CHOSEN", "121 TASK_CHOSEN"), ("150 SEEK_START", "155 SEEK_START"))
        at = first_difference(expected.events, found.events, 3)
        told = EventComparison(expected, found, at, NO_SOURCES).tell(RECORDS, RECORDS)
        self.assertIn("between TASK_CHOSEN (cycle 121, expected 120) and SEEK_START", told.why[0])

    def test_another_number_of_instructions_tells_more_than_their_price(self):
        entry = ledger().entries[3]
        other = ledger(("choose:20:11 start:10:9", "choose:22:11 start:8:8")).entries[3]
        self.assertEqual([pair.function for pair in changed_work(work_pairs(entry, other))], ["start", "choose"])

    def test_the_whole_run_is_summed_by_function_and_what_differs_most_comes_first(self):
        told = tell(("start:10:9", "start:11:10"), ("150 SEEK_START", "151 SEEK_START"), (" queue:10:9", " queue:15:9"))
        totals = [(one.function, one.expected.cycles, one.found.cycles) for one in told.totals]
        self.assertEqual(totals, [("queue", 16, 21), ("start", 10, 11)])

    def test_functions_that_came_or_went_are_told_as_such(self):
        told = tell(("TASK_CHOSEN 3", "TASK_CHOSEN 4"), ("choose:8:8", "other:8:8"))
        self.assertIn("TASK_CHOSEN 0x4 at cycle 120, expected TASK_CHOSEN 0x3", told.headline)
        self.assertIn("other() took 8 cycles (8 instructions), expected not to run", told.why[0])
        self.assertIn("choose() did not run, expected 8 cycles", told.why[0])
        self.assertEqual(told.culprit.function, "other")

    def test_a_longer_sleep_is_the_worlds(self):
        told = tell(("400 ON_TRACK 500 18 on_track (asleep):230:0", "405 ON_TRACK 500 18 on_track (asleep):235:0"))
        self.assertIn("slept 235 cycles, expected 230", told.why[0])
        self.assertIn("5 cycles later", told.why[0])
        self.assertIsNone(told.culprit)

    def test_what_a_sleep_hid_before_is_told_too(self):
        told = tell(
            ("(asleep):230:0 on_track:20:10", "(asleep):229:0 on_track:21:11"),
            ("430 RUN_DONE 8 20 done done:10:9", "431 RUN_DONE 8 20 done (asleep):1:0 done:10:9"),
        )
        self.assertIn("431", told.headline)
        self.assertIn("the first sign of it is before ON_TRACK (cycle 400)", told.why[1])
        self.assertIn("on_track() took 21 cycles (11 instructions), expected 20 (10)", told.why[1])
        self.assertEqual(told.culprit.function, "on_track")

    def test_a_new_event_is_told_with_who_reports_it(self):
        """The work before a new event is not compared with the work before another event."""
        told = tell(("400 ON_TRACK", "300 EXPIRED 1 30 on_timer (asleep):140:0 on_timer:10:5\n400 ON_TRACK"))
        self.assertEqual(told.why[0], "a new event, EXPIRED, by on_timer()")
        self.assertEqual(told.culprit.function, "on_timer")

    def test_the_same_work_with_another_argument_is_other_data(self):
        told = tell(("430 RUN_DONE 8", "430 RUN_DONE 7"))
        self.assertIn("worked with other data", told.why[0])

    def test_a_log_that_ends_early_or_goes_on_is_told(self):
        self.assertIn("the events end where BUS_FREE 0x7", tell(("450 BUS_FREE 7 24 free free:10:9\n", "")).headline)
        more = tell((" free:10:9\n", " free:10:9\n460 IDLE 0 26 idle idle:10:9\n"))
        self.assertIn("IDLE 0x0 at cycle 460, expected no more events", more.headline)

    def test_events_around_are_side_by_side(self):
        told = tell(("450 BUS_FREE", "455 BUS_FREE"))
        self.assertEqual([pair.differs for pair in told.events], [False] * 4 + [True])


class Records(unittest.TestCase):
    ROWS = [(3, 0, 1, 2, 3, 4), (1, 10, 1, 2, 3, 4), (2, 20, 1, 2, 3, 4)]

    def records(self, *rows: tuple[int, int, int, int, int, int]):
        return parse_records(records_text(*rows).splitlines(), "records")

    def test_the_stage_that_differs_first_is_named(self):
        before, after = self.records(*self.ROWS), self.records(self.ROWS[0], (1, 10, 1, 2, 5, 1), self.ROWS[2])
        self.assertEqual(first_record(before, after, 0, times=True), 1)
        told = tell_record(before, after, 1)
        self.assertIn("command 1 (read LBA 8, 8 blocks), the 2nd to complete, has other times", told.headline)
        self.assertEqual(
            told.why,
            (
                "what differs first of it: its seek took 5ps, expected 3ps; then rotation, completed",
                "what differs most of it: its rotation took 1ps, expected 4ps",
            ),
        )
        self.assertEqual(told.last_equal_ps, before[0].completed_ps)

    def test_another_order_is_told_by_who_was_expected(self):
        before, after = self.records(*self.ROWS), self.records(self.ROWS[0], self.ROWS[2], (1, 10, 1, 40, 3, 4))
        place = first_record(before, after, 0, times=False)
        told = tell_record(before, after, place)
        self.assertTrue(told.headline.endswith("completed as the 2nd, expected command 1 (read LBA 8, 8 blocks)"))
        self.assertIn("its queued took 40ps, expected 2ps", told.why[0])

    def test_commands_that_are_missing_or_too_many_are_told(self):
        all_of_them = self.records(*self.ROWS)
        self.assertIn("never completed", tell_record(all_of_them, all_of_them[:2], 2).headline)
        self.assertIn("expected only 2 commands", tell_record(all_of_them[:2], all_of_them, 2).headline)

    def test_another_sense_is_another_ending_though_status_and_times_are_the_same(self):
        """SCSI-2 8.2.14: status CHECK CONDITION has no reason; the sense data have it."""
        text = records_text(*self.ROWS)
        endings = {"none": {}, "seek": {"c1": (2, "4/02/00")}, "read": {"c1": (2, "3/11/00")}}
        runs = {name: parse_records(with_sense(text, **one).splitlines(), name) for name, one in endings.items()}
        for was, now, why in (
            ("seek", "read", "what differs first of it: its sense is 3/11/00, expected 4/02/00"),
            ("none", "seek", "what differs first of it: its status code is 02h, expected 00h"),
        ):  # fmt: skip
            with self.subTest(was=was, now=now):
                self.assertEqual(first_record(runs[was], runs[now], 100, times=True), 1)
                told = tell_record(runs[was], runs[now], 1)
                self.assertIn("command 1 (read LBA 8, 8 blocks), the 2nd to complete, has another ending", told.headline)
                self.assertTrue(any(sentence.startswith(why) for sentence in told.why), told.why)
                self.assertTrue(any("sense is" in sentence for sentence in told.why), told.why)
        shown = [pair.stage for pair in tell_record(runs["seek"], runs["read"], 1).shown_stages]
        self.assertEqual(shown[-2:], ["status code", "sense"])

    def test_a_run_without_a_column_of_sense_had_none(self):
        text = records_text(*self.ROWS)
        before = parse_records(text.splitlines(), "records")
        self.assertEqual(before, parse_records(with_sense(text).splitlines(), "records"))
        failed = parse_records(with_sense(text, c2=(0, "3/11/00")).splitlines(), "records")
        self.assertEqual(first_record(before, failed, 0, times=True), 2)

    def test_columns_behind_the_stages_are_no_times(self):
        plain = records_text((1, 0, 1, 2, 3, 4)).splitlines()
        more = [f"{plain[0]},initiator,deadline_ps", f"{plain[1]},2,"]
        self.assertEqual(parse_records(more, "records"), parse_records(plain, "records"))

    def test_a_tolerance_is_in_clock_cycles_of_25_ns(self):
        before = self.records((1, 0, 1, 2, 3, 4))
        self.assertIsNone(first_record(before, self.records((1, 0, 1, 2, 3, 25_004)), 1, times=True))
        self.assertEqual(first_record(before, self.records((1, 0, 1, 2, 3, 25_005)), 1, times=True), 0)


class KeptRuns(InAFolder):
    def test_events_behind_the_last_completion_are_left_out_and_those_past_the_first_thousand(self):
        [first, *_] = ledger().entries
        whole = Ledger(tuple(replace(first, event=Event(edge, "A", 0)) for edge in range(1200)), ledger().issues)
        end = 500 * CLOCK_PS
        for end_ps, count in ((end, 500), (end + 1, 501), (SECOND_PS, 1000)):
            records = parse_records(records_text((0, 0, end_ps, 0, 0, 0)).splitlines(), "records")
            kept = kept_part(whole, records)
            self.assertEqual((kept.entries, kept.issues), (whole.entries[:count], whole.issues))

    def test_a_kept_run_comes_back_and_a_broken_file_is_told_with_its_name(self):
        folder = self.write_case()
        case = load_case(folder)
        records = records_text((0, 0, 1, 2, 3, 4))
        for name, text in (("records", records), ("ledger", LEDGER)):
            (folder / f"{name}.{'csv' if name == 'records' else 'txt'}.xz").write_bytes(compress(text.encode()))
        self.assertEqual(load_stored(case), Stored(parse_records(records.splitlines(), "records"), ledger()))
        for name in ("records.csv.xz", "ledger.txt.xz"):
            whole = (folder / name).read_bytes()
            for broken in (whole[:-9], b"", compress(b"command,lba\n1,x\n"), compress(b"\xff")):
                (folder / name).write_bytes(broken)
                with self.assertRaisesRegex(RegressError, name):
                    load_stored(case)
            (folder / name).write_bytes(whole)
        (folder / "ledger.txt.xz").unlink()
        with self.assertRaisesRegex(RegressError, "No such file.*; bring it back from version control, or make it with .*canaries --write"):
            load_stored(case)

    def test_a_line_that_is_none_of_a_ledger_is_told_with_its_number(self):
        for text in ("100 A\n", "issue 1\n", "100 A 5 5 f g:1\n", "\n"):
            with self.assertRaisesRegex(RegressError, "ledger, line 1"):
                parse_ledger(text, "ledger")

    def test_a_ledger_is_written_as_it_was_read(self):
        self.assertEqual(ledger_text(ledger()), LEDGER)


class Times(unittest.TestCase):
    def test_times_keep_their_picoseconds(self):
        cases = {0: "0ps", 999: "999ps", 1_000: "1ns", 6_297_900_000: "6.2979ms", -2_500: "-2.5ns"}
        for time, text in cases.items():
            self.assertEqual(time_text(time), text)


if __name__ == "__main__":
    unittest.main()
