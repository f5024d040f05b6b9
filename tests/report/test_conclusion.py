# SPDX-License-Identifier: Apache-2.0
"""The sentences that a report begins with, against runs small enough to work out by hand."""

import html
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import PS_PER_MS, record, run_report, write_run

MINUS = "\N{MINUS SIGN}"


def served_in_turn(ms: float, more_of_last: float = 0, **stages: float) -> list[str]:
    """Four reads at once; each is served in so many ms, behind the others: the stages, and the transfer."""
    lines = []
    for number in range(4):
        rest = ms - sum(stages.values())
        late = {"bus_wait": more_of_last} if number == 3 and more_of_last else {}
        lines.append(record(number, "read", 8 * number, 4, 0, queued=number * ms, media_transfer=rest, **stages, **late))
    return lines


# Responses of 10, 20, 30 and 40 ms: 25 ms, of which 15 ms in the queue. 4 commands in 40 ms.
SLOW = served_in_turn(10, seek=4, rotation=5)
# 5, 10, 15 and 20 ms: 12.5 ms, of which 7.5 ms in the queue. 4 commands in 20 ms.
FAST = served_in_turn(5, seek=2, rotation=2)


class Conclusions(unittest.TestCase):
    """Each run is in a folder of its own; the page's paragraphs above the contents are looked at."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch("page.inline_svg", return_value="<svg></svg>"))

    def lead(self, *folders: Path) -> list[str]:
        out = self.folder / "page.html"
        done = run_report(*folders, "-o", out)
        self.assertEqual((done.status, done.stderr), (0, ""))
        above = out.read_text(encoding="utf-8").split("<nav")[0]
        found = [html.unescape(text) for text in re.findall(r'<p class="(?:lead|reason)">(.*?)</p>', above)]
        whats = len(re.findall('<p class="lead">', above))
        self.assertFalse([text for text in found if re.search(r"\d (%|ms)", text)], "a line may end before a unit")
        plain = [text.replace("\N{NO-BREAK SPACE}", " ") for text in found]
        self.assertEqual([*plain, str(out)], done.stdout.splitlines())
        self.assertEqual(max(1, len(folders) - 1), whats)
        # A reason, if there is one, comes right behind what it is of.
        return [" ".join(one) for one in self.of_runs(plain)]

    def of_runs(self, sentences: list[str]) -> list[list[str]]:
        found: list[list[str]] = []
        for text in sentences:
            if re.match(r"\S+( against \S+)?: ", text):
                found.append([])
            found[-1].append(text)
        return found

    def slow(self, name: str = "slow", **changes: object) -> Path:
        return write_run(self.folder / name, SLOW, elapsed_ms=40, **changes)

    def fast(self, name: str = "fast", **changes: object) -> Path:
        return write_run(self.folder / name, FAST, elapsed_ms=20, policy="stf", **changes)

    def test_two_policies(self) -> None:
        self.assertEqual(
            [f"stf against fcfs: mean response {MINUS}50.0 %, 99 % {MINUS}50.0 %, throughput +100.0 %. "
             f"The mean response changes by {MINUS}12.500 ms; the wait in the drive's queue alone changes by {MINUS}7.500 ms. "
             "A command waits for others, and the service of each is 5.000 ms shorter: "
             f"rotation {MINUS}3.000 ms, seek {MINUS}2.000 ms."],
            self.lead(self.slow(), self.fast()))  # fmt: skip

    def test_the_tail_may_go_the_other_way(self) -> None:
        # The last one takes 44 ms: a mean of 18.5 ms against 25, 4 commands in 44 ms against 40.
        other = write_run(self.folder / "tail", served_in_turn(5, 24, seek=2, rotation=2), elapsed_ms=44, policy="stf")
        (text,) = self.lead(self.slow(), other)
        self.assertIn(f"mean response {MINUS}26.0 %, 99 % +10.0 %, throughput {MINUS}9.1 %.", text)
        # On average 6 ms of the bus more, so that the service is longer; the wait is shorter all the same.
        self.assertIn("The service of a command does not explain that: it takes 10.000 ms before, 11.000 ms after.", text)

    def test_a_stage_of_the_service_needs_no_second_reason(self) -> None:
        lines = [record(number, "read", 8 * number, 4, 10 * number, seek=4, rotation=2 + 6 * (number == 1)) for number in range(4)]
        before = write_run(self.folder / "before", lines, elapsed_ms=36)
        after = write_run(self.folder / "after", lines, elapsed_ms=36)
        self.assertEqual(["after against before: mean response 0.0 %, 99 % 0.0 %, throughput 0.0 %."], self.lead(before, after))
        # 6, 6, 6, 6 ms against 6, 12, 6, 6.
        even = [record(number, "read", 8 * number, 4, 10 * number, seek=4, rotation=2) for number in range(4)]
        (text,) = self.lead(write_run(self.folder / "even", even, elapsed_ms=36, missed_revolutions=0), after)
        self.assertTrue(text.endswith("The mean response changes by +1.500 ms; rotation alone changes by +1.500 ms. "
                                      "Missed revolutions: 0 before, 3 after."), text)  # fmt: skip

    def test_runs_with_other_settings_go_by_their_folders(self) -> None:
        (text,) = self.lead(self.slow(), self.fast(queue_depth=8, cache="read"))
        self.assertTrue(text.startswith("fast against slow: "), text)
        self.assertIn(" The runs differ in: queue depth, commands, cache. The mean response changes", text)

    def test_each_run_but_the_first_has_a_sentence(self) -> None:
        found = self.lead(self.slow(), self.fast(), self.slow("third", policy="scan"))
        self.assertEqual(["stf against fcfs", "scan against fcfs"], [text.split(":")[0] for text in found])

    def test_one_run(self) -> None:
        # The queue has 15 of 25 ms; of a service of 10 ms, rotation 5 and seek 4.
        self.assertEqual(["fcfs: mean response 25.000 ms, 99 % 40.000 ms, 100.0 commands/s. The wait in the drive's queue makes 60 % of "
                          "the response. Once chosen, a command takes 10.000 ms: rotation 50 %, seek 40 %."], self.lead(self.slow()))  # fmt: skip

    def test_one_run_without_a_queue(self) -> None:
        lines = [record(0, "read", 8, 4, 0, seek=1, rotation=3)]
        (text,) = self.lead(write_run(self.folder / "a", lines, elapsed_ms=4))
        self.assertTrue(text.endswith("250.0 commands/s. Rotation makes 75 % of the response."), text)

    def test_waits_in_the_host_are_named(self) -> None:
        """Commands that arrive at 0 ms and are submitted at 30 ms."""
        of = lambda arrived_ms, seek: [record(0, "read", 8, 4, 30, [str(arrived_ms * PS_PER_MS)], seek=seek)]
        late = write_run(self.folder / "late", of(0, 10), columns=["arrived_ps"])
        (text,) = self.lead(late)
        self.assertIn("commands/s; from arrival in the host, mean 40.000 ms, 99 % 40.000 ms. Seek makes 100 % of the response.", text)
        # 5 ms in place of 10 ms, and of 40 ms with the wait of 30 ms.
        (text,) = self.lead(late, write_run(self.folder / "at-once", of(30, 5), columns=["arrived_ps"]))
        self.assertIn(f"mean response {MINUS}50.0 %, 99 % {MINUS}50.0 %, throughput ", text)
        self.assertIn(f"; from arrival in the host, mean {MINUS}87.5 %, 99 % {MINUS}87.5 %. The mean response changes by {MINUS}5.000 ms; "
                      f"seek alone changes by {MINUS}5.000 ms.", text)  # fmt: skip

    def test_deadlines(self) -> None:
        due = lambda lines, ms: [line.rstrip("\n") + f",{ms * PS_PER_MS}\n" for line in lines]
        first = write_run(self.folder / "a", due(SLOW, 15), elapsed_ms=40, columns=["deadline_ps"])  # 20, 30, 40 ms are late
        other = write_run(self.folder / "b", due(FAST, 15), elapsed_ms=20, columns=["deadline_ps"], policy="edf")  # 20 ms is
        self.assertIn("Deadlines missed: 75.0 % before, 25.0 % after.", self.lead(first, other)[0])

    def test_no_time_at_all(self) -> None:
        (text,) = self.lead(write_run(self.folder / "a", [record(0, "read", 8, 1, 0)]))
        self.assertIn("mean response 0.000 ms", text)

    def test_the_reasons_come_next_and_the_configuration_last(self) -> None:
        out = self.folder / "page.html"
        self.lead(self.slow(), self.fast())
        titles = re.findall(r"<h2 id=.*?>(.*?)</h2>", out.read_text(encoding="utf-8"))
        self.assertEqual(["Why", "Key figures", "Comparison"], titles[:3])
        self.assertEqual("Configuration", titles[-1])


if __name__ == "__main__":
    unittest.main()
