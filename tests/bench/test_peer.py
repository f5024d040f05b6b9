# SPDX-License-Identifier: Apache-2.0
"""headstack bench peer: what the peer is run with, and what the pairs say."""

import contextlib
import io
import shlex
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bench_peer
from bench_peer import Comparison, Load, filled, loads_of, processor_seconds, words_of
from bench_replay import write_trace

BURN = "import time\nwhile time.process_time() < {}: pass"


def said_by(words: list[str]) -> tuple[int, str]:
    """The whole program's exit status, and what it printed."""
    said = io.StringIO()
    with (mock.patch.object(sys, "argv", ["bench_peer.py", sys.executable, *words]),
          contextlib.redirect_stdout(said), contextlib.redirect_stderr(said)):
        try:
            bench_peer.main()
        except SystemExit as stop:
            return int(stop.code or 0), said.getvalue()
    return 0, said.getvalue()


class CommandLines(unittest.TestCase):
    """The command lines of a peer."""

    def test_placeholders_are_replaced_and_words_stay_words(self) -> None:
        words = words_of("peer '{policy} {depth}.parv' {disksim_trace} {{x}}")
        values = {"policy": "a b", "depth": "8", "disksim_trace": "$HOME/t"}
        self.assertEqual(filled(words, values), ["peer", "a b 8.parv", "$HOME/t", "{x}"])

    def test_bad_ones_are_refused_with_the_placeholders(self) -> None:
        for text in ("peer {tracee}", "peer {}", "peer {0}", "peer {trace.x}", "peer {", "peer 'x", ""):
            with self.subTest(text):
                status, said = said_by(["--against", text])
                self.assertEqual(status, 2)
                self.assertRegex(said, r"placeholders are \{disksim_trace\} \{trace\}|is empty; give")

    def test_loads_are_policies_with_depths(self) -> None:
        self.assertEqual(loads_of("fcfs:8 wstf:m=3:64"), [Load("fcfs", 8), Load("wstf:m=3", 64)])
        for text in ("", "8", "fcfs:0", "fcfs:", ":8", "fcfs:8 x"):
            self.assertEqual(said_by(["--against", "peer", "--loads", text])[0], 2, text)


class Traces(unittest.TestCase):
    """Traces for the peer."""

    def test_disksims_has_the_same_reads(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_trace(folder / "trace", 50, 1_000_000)
        bench_peer.write_disksim_trace(folder / "trace", folder / "disksim")
        ours = [line.split()[2:4] for line in (folder / "trace").read_text().splitlines() if line.startswith("- R")]
        rows = [line.split() for line in (folder / "disksim").read_text().splitlines()]
        self.assertEqual([row[2:4] for row in rows], ours)
        self.assertEqual(len(ours), 50)
        self.assertEqual({(row[0], row[1], row[4]) for row in rows}, {("0.000000", "0", "1")})


class Pairs(unittest.TestCase):
    """Measured and compared."""

    def test_the_ratio_is_the_median_of_pairs_not_of_sides(self) -> None:
        # The machine was four times as slow in the last pair: each pair says 2, 2, 3.
        comparison = Comparison([2.0, 4.0, 12.0], [1.0, 2.0, 4.0])
        self.assertEqual(comparison.ratios(), [2, 2, 3])
        self.assertEqual(str(comparison), "2.00 (2.00 to 3.00)")

    def test_each_goes_first_in_every_other_pair(self) -> None:
        order: list[str] = []

        def note(line: list[str]) -> float:
            order.append(line[0])
            return 1.0 + len(order)

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(bench_peer, "processor_seconds", note):
            result = bench_peer.compare(["we"], ["they"], {}, Path(folder), 3)
        self.assertEqual(order, ["we", "they", "they", "we", "we", "they"])
        self.assertEqual((result.ours, result.peers), ([2, 5, 6], [3, 4, 7]))

    def test_time_is_the_processors_of_all_that_ran(self) -> None:
        burn = [sys.executable, "-c", BURN.format(0.2)]
        self.assertGreaterEqual(processor_seconds(burn), 0.2)
        self.assertGreaterEqual(processor_seconds(["sh", "-c", f"{shlex.join(burn)}; true"]), 0.2)
        self.assertLess(processor_seconds(["sleep", "0.3"]), 0.2)


class Runs(unittest.TestCase):
    """The whole of it, with a peer and a headstack that are made up."""

    def setUp(self) -> None:
        self.enterContext(mock.patch.object(bench_peer, "capacity_of", return_value=100_000))
        self.enterContext(mock.patch.object(bench_peer, "HEADSTACK", ["-c", BURN.format(0.1)]))

    def test_print_a_row_for_the_readme(self) -> None:
        peer = shlex.join([sys.executable, "-c", BURN.format(0.05)])
        status, said = said_by(["--against", peer, "--name", "Peer 1.0", "--count", "100", "--pairs", "2"])
        self.assertEqual(status, 0, said)
        number = r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)"
        self.assertRegex(said, rf"\| .* in units of Peer 1\.0's, .* 2 pairs \| fcfs depth 8: {number}; "
                               rf"stf depth 64: {number}; stf depth 256: {number} \|\n$")

    def test_a_peer_that_fails_is_named_with_what_it_said(self) -> None:
        for peer, message in (("sh -c 'echo no such parv >&2; exit 3'", "ended with status 3: no such parv"),
                              ("/dev/null/disksim", "/dev/null/disksim: cannot be run: Not a directory")):
            status, said = said_by(["--against", peer])
            self.assertEqual(status, 1)
            self.assertRegex(said, rf"\nheadstack: error: .*{message}")


if __name__ == "__main__":
    unittest.main()
