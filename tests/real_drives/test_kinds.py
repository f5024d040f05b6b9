# SPDX-License-Identifier: Apache-2.0
"""Kinds of commands, lines through them and what is worked out from them, with commands made by hand."""

import re
import unittest

import numpy as np
from support import ROOT, commands
from comparison import agree
from estimates import bus_line, byte_ns, departure_line, fit
from service_times import kinds
from what_if import OWN_OVERHEAD_MS, later_departure, with_changes

REVOLUTION_MS = 10.0


class Kinds(unittest.TestCase):
    """Which command is of which kind."""

    def test_every_command_but_the_first_is_of_one_kind(self) -> None:
        # 100+4 = 104 follows on; 200 does not; ...
        made = commands(
            "rrrwwwrw", [100, 104, 200, 204, 208, 300, 304, 400], [4, 4, 4, 4, 4, 4, 4, 4], [1.0] * 8
        )
        expected = {
            "reads in sequence after a read": [1],
            "other reads after a read": [2],
            "reads after a write": [6],
            "writes in sequence": [3, 4],
            "other writes after a read": [7],
            "other writes after a write": [5],
        }
        found = {name: np.flatnonzero(mask).tolist() for name, mask in kinds(made).items()}
        self.assertEqual(found, expected)


class Agreements(unittest.TestCase):
    """Differences, command by command."""

    def test_shares_just_inside_and_just_outside(self) -> None:
        # Within 0.1 ms; within 0.05 revolutions (0.5 ms) of one.
        difference = [0.0999, -0.0999, 0.1001, 10.49, 10.51, -9.51, -9.49, -10.0]
        real = np.full(8, 20.0)
        found = agree(real, real + difference, REVOLUTION_MS)
        self.assertEqual(found.near_share, 2 / 8)
        self.assertEqual(found.later_by_revolution, 1 / 8)
        self.assertEqual(found.earlier_by_revolution, 2 / 8)


class Lines(unittest.TestCase):
    """Straight lines through most commands."""

    def test_what_lies_far_off_is_left_out(self) -> None:
        x = np.arange(1.0, 101.0)
        y = 2 + 0.5 * x + 0.01 * (-1) ** np.arange(100)
        y[::10] += 11.0
        line = fit([x], y)
        assert line is not None
        self.assertAlmostEqual(line.constant, 2, delta=0.01)
        self.assertAlmostEqual(line.factors[0], 0.5, delta=0.0002)
        self.assertEqual((line.count, line.given), (90, 100))

    def test_too_few_or_all_alike_have_no_line(self) -> None:
        self.assertIsNone(fit([np.arange(29.0)], np.arange(29.0)))
        self.assertIsNotNone(fit([np.arange(30.0)], np.arange(30.0)))
        self.assertIsNone(fit([np.ones(100)], np.arange(100.0)))

    def test_the_bus_comes_from_hits_in_sequence_alone(self) -> None:
        # 0.1536 ms a block of 512 bytes are 300 ns a byte. Reads from the media cost what they will.
        blocks = [1 + index % 8 for index in range(80)]
        lba = np.concatenate(([0], np.cumsum(blocks)[:-1]))
        media = [float(index % 5 == 4) for index in range(80)]
        real = [1 + 0.1536 * count + 9 * slow for count, slow in zip(blocks, media, strict=True)]
        line = bus_line(commands("r" * 80, lba.tolist(), blocks, real, rotation=media))
        assert line is not None
        self.assertAlmostEqual(byte_ns(line), 300, places=6)
        self.assertEqual(line.given, 63)  # not the 16, nor the first, which has no read before it

    def test_departure_is_found_where_angles_agree_and_nowhere_else(self) -> None:
        # Sent from three quarters of the media's time on, 0.2 ms a block; every read behind a write.
        blocks = [1, 8 + 1, 1, 16 + 1] * 40
        media = [0.5 * count for count in blocks]
        real = [2 + 0.75 * time + 0.2 * count for time, count in zip(media, blocks, strict=True)]
        lba = [1000 * index for index in range(160)]
        made = commands("wr" * 80, lba, blocks, real, rotation=[2.0] * 160, media_transfer=media)
        everything = np.ones(160, dtype=bool)
        line = departure_line(made, everything, 0.2, REVOLUTION_MS)
        assert line is not None
        self.assertAlmostEqual(line.factors[0], 0.75, places=6)
        spread = [time + 3 * np.sin(index * index) for index, time in enumerate(real)]
        apart = commands("wr" * 80, lba, blocks, spread, real, rotation=[2.0] * 160, media_transfer=media)
        self.assertIsNone(departure_line(apart, everything, 0.2, REVOLUTION_MS))
        self.assertIsNone(departure_line(made, ~everything, 0.2, REVOLUTION_MS))


class Changes(unittest.TestCase):
    """What a change would be worth."""

    def test_a_late_end_is_made_up_for_at_the_platter_unless_the_sector_is_missed(self) -> None:
        # Each is a read from the media that waits 3 ms for its sector; a hit stands between.
        made = commands("rrrr", [0, 9, 20, 40], [1] * 4, [8.0] * 4, rotation=[3, 0, 3, 3])
        self.assertEqual(with_changes(made, np.zeros(4), REVOLUTION_MS).tolist(), [8, 8, 8, 8])
        # 2 ms later: the hit is as fast as ever, the next waits 1 ms only.
        self.assertEqual(with_changes(made, np.array([2, 0, 0, 0.0]), REVOLUTION_MS).tolist(), [10, 8, 6, 8])
        # 3.5 ms later: the sector is over, and a revolution passes; the one behind is as before, a revolution on.
        self.assertEqual(with_changes(made, np.array([3.5, 0, 0, 0]), REVOLUTION_MS).tolist(), [11.5, 8, 14.5, 8])
        # Earlier: the platter is waited for longer.
        self.assertEqual(with_changes(made, np.array([0, -0.5, 0, 0]), REVOLUTION_MS).tolist(), [8, 7.5, 8.5, 8])

    def test_later_departure_delays_reads_that_the_bus_holds_up(self) -> None:
        line = fit([np.arange(40.0)], 0.75 * np.arange(40.0))
        assert line is not None
        # 10 ms of media and 8 of bus end at 15.5, not at 13; a short one and a write are as before.
        made = commands(
            "rrw", [0, 100, 200], [40, 1, 40], [16.0] * 3, [14.0, 3.0, 14.0], rotation=[1.0] * 3,
            media_transfer=[10.0, 0.25, 10.0],
        )
        later = later_departure(made, line, 0.2)
        self.assertAlmostEqual(later[0], 2.5, places=6)
        self.assertEqual(later[1:].tolist(), [0, 0])

    def test_a_command_costs_what_the_options_take_for_it(self) -> None:
        header = (ROOT / "host/options/controller_option.hpp").read_text()
        found = re.search(r"kOwnOverhead = (\d+) \* kPicosecondsPerMicrosecond;", header)
        assert found is not None
        self.assertAlmostEqual(OWN_OVERHEAD_MS, int(found[1]) / 1e3, places=9)


if __name__ == "__main__":
    unittest.main()
