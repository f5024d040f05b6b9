# SPDX-License-Identifier: Apache-2.0
"""Arrangements and counts: their files, the pipe organ, splitting, grids; and each mistake in a file as one error."""

import json
import tempfile
import unittest
from pathlib import Path

from support import SEEDS, random_stream  # noqa: I001
import numpy as np

from remap.apply import mapped, pieces
from remap.arrangement import Map, identity, pipe_organ, read_map, write_map
from remap.counts import GAP_BINS_US, Counts, count_stream, gaps_of, read_counts, write_counts
from remap.errors import RemapError
from remap.requests import Requests, TraceText, learn, of_groups, span_shares


def requests_of(*lba_and_blocks: tuple[int, int], capacity: int = 1000) -> Requests:
    lba, blocks = (np.array(one, dtype=np.int64) for one in zip(*lba_and_blocks, strict=True))
    return Requests(lba, blocks, np.zeros(0), "arrival", capacity)


class PipeOrgan(unittest.TestCase):
    def test_busiest_in_the_middle_then_right_and_left(self) -> None:
        # Ranks 0, 1, 2 ... of the units by visits; N = 7: the middle is 3.
        self.assertEqual(pipe_organ(np.array([70, 60, 50, 40, 30, 20, 10])).tolist(), [3, 4, 2, 5, 1, 6, 0])

    def test_an_even_number_ends_on_the_left(self) -> None:
        self.assertEqual(pipe_organ(np.array([60, 50, 40, 30, 20, 10])).tolist(), [3, 4, 2, 5, 1, 0])

    def test_ties_go_by_number(self) -> None:
        self.assertEqual(pipe_organ(np.zeros(5, dtype=np.int64)).tolist(), [2, 3, 1, 4, 0])
        # So many that a sort that is not stable would mix them.
        visits = np.arange(3000) % 3
        expected = sorted(range(3000), key=lambda unit: (-visits[unit], unit))
        self.assertEqual(np.argsort(-np.abs(pipe_organ(visits) - 1500.25), kind="stable")[::-1].tolist(), expected)

    def test_smallest(self) -> None:
        self.assertEqual(pipe_organ(np.array([4])).tolist(), [0])
        self.assertEqual(pipe_organ(np.array([1, 4])).tolist(), [0, 1])

    def test_always_a_permutation(self) -> None:
        for seed in SEEDS:
            visits = np.random.default_rng(seed).integers(0, 9, 3 * seed)
            self.assertEqual(sorted(pipe_organ(visits)), list(range(3 * seed)))


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "file.json"

    def test_map_is_read_as_written(self) -> None:
        slots = np.random.default_rng(1).permutation(50)
        write_map(self.file, Map(8, 16, slots))
        read = read_map(self.file)
        self.assertEqual((read.first_block, read.unit_blocks, read.slots.tolist()), (8, 16, slots.tolist()))

    def test_counts_are_read_as_written(self) -> None:
        gaps = np.array([0.0, 0.5, 3.0, 1e9])
        written = count_stream(random_stream(3, 9, 100), 9, 32, 160, gaps)
        write_counts(self.file, written)
        read = read_counts(self.file)
        self.assertEqual((read.first_block, read.group_blocks), (32, 160))
        self.assertEqual(read.visits.tolist(), written.visits.tolist())
        self.assertEqual(read.pairs.tolist(), written.pairs.tolist())
        self.assertEqual([count for _, count in read.gaps], [2, 1, 1])
        self.assertEqual(read.gaps[0][0], 0)

    def expect(self, read, values: object, *words: str) -> None:
        self.file.write_text(values if isinstance(values, str) else json.dumps(values), encoding="utf-8")
        with self.assertRaises(RemapError) as caught:
            read(self.file)
        text = str(caught.exception)
        self.assertNotIn("\n", text)
        for word in (str(self.file), *words):
            self.assertIn(word, text)

    def test_mistakes_of_a_map(self) -> None:
        good = {"format": "headstack-map-1", "first_block": 0, "unit_blocks": 16, "slots": [1, 0, 2]}
        for change, words in (
            ({"format": "headstack-map-2"}, ("'format'", "headstack-map-1", "give a map")),
            ({"slots": [0, 0, 2]}, ("slot 0 of unit 1", "there twice", "make the map anew")),
            ({"slots": [0, 1, 3]}, ("slot 3 of unit 2", "not below 3")),
            ({"slots": [0, 1, -1]}, ("slot -1 of unit 2",)),
            ({"slots": [0, 1.0, 2]}, ("'slots'", "whole numbers")),
            ({"slots": []}, ("'slots'",)),
            ({"unit_blocks": 0}, ("'unit_blocks' is 0", "from 1")),
            ({"first_block": True}, ("'first_block' is True",)),
        ):
            with self.subTest(change):
                self.expect(read_map, good | change, *words)
        self.expect(read_map, "{", "not JSON")
        with self.assertRaisesRegex(RemapError, "No such file.*give a map"):
            read_map(self.file.with_name("none"))

    def test_mistakes_of_counts(self) -> None:
        good = {"format": "headstack-counts-1", "first_block": 0, "group_blocks": 160, "groups": 3,
                "visits": [[0, 5], [2, 1]], "pairs": [[0, 0, 4], [0, 2, 1]], "gaps": [[0, 3], [1.4, 2]]}  # fmt: skip
        for change, words in (
            ({"format": 1}, ("'format'", "headstack remap analyse")),
            ({"groups": 2}, ("'visits' has group 2", "there are 2")),
            ({"visits": [[0, 5], [0, 1]]}, ("there twice",)),
            ({"pairs": [[0, 3, 1]]}, ("'pairs' has group 3",)),
            ({"pairs": [[0, 1]]}, ("'pairs'", "rows of 3")),
            ({"pairs": [[0, 1, -1]]}, ("'pairs'",)),
            ({"gaps": [[1.4, 2], [0, 3]]}, ("'gaps'", "ascending")),
            ({"group_blocks": "160"}, ("'group_blocks'",)),
        ):
            with self.subTest(change):
                self.expect(read_counts, good | change, *words)


class Gaps(unittest.TestCase):
    def test_bins_are_half_octaves(self) -> None:
        self.assertEqual(len(GAP_BINS_US), 32)
        for lower, upper in zip(GAP_BINS_US[1:], GAP_BINS_US[2:], strict=False):
            self.assertAlmostEqual(upper / lower, 2**0.5)

    def test_an_edge_belongs_to_the_bin_above(self) -> None:
        self.assertEqual(gaps_of(np.array([0.0, 0.999, 1.0, 2.0, 1.999])), ((0.0, 2), (1.0, 1), (2**0.5, 1), (2.0, 1)))


class Groups(unittest.TestCase):
    def test_a_request_visits_each_group_that_it_touches(self) -> None:
        stream, outside = of_groups(requests_of((0, 16), (158, 4), (300, 400)), 6, 0, 160)
        self.assertEqual((stream.tolist(), outside), ([0, 0, 1, 1, 2, 3, 4], 0))

    def test_what_lies_before_and_behind_is_left_out(self) -> None:
        stream, outside = of_groups(requests_of((0, 8), (4, 8), (8, 8), (324, 8), (400, 8)), 2, 8, 160)
        self.assertEqual((stream.tolist(), outside), ([0, 0, 1], 4))

    def test_learned_are_service_pairs(self) -> None:
        counts: Counts = learn(requests_of((0, 16), (16, 16), (160, 16), (0, 16)), 3, 0, 160)
        self.assertEqual(counts.pairs.tolist(), [[0, 0, 1], [0, 1, 1], [1, 0, 1]])

    def test_grid_offsets_by_brute_force(self) -> None:
        draw = np.random.default_rng(5)
        places = list(zip(draw.integers(0, 900, 200).tolist(), draw.integers(1, 40, 200).tolist(), strict=True))
        shares = span_shares(requests_of(*places), 16)
        for offset in range(16):
            spans = sum(len({(block - offset) // 16 for block in range(lba, lba + blocks)}) > 1 for lba, blocks in places)
            self.assertEqual(shares[offset], spans / 200)


class Splitting(unittest.TestCase):
    def test_blocks_keep_their_order_and_places(self) -> None:
        """Block by block, against the map's definition."""
        for seed in SEEDS:
            draw = np.random.default_rng(seed)
            first, unit, units = int(draw.integers(0, 20)), int(draw.integers(1, 9)), int(draw.integers(1, 12))
            slots = draw.permutation(units)
            arranged = Map(first, unit, slots)

            def place(block: int, first=first, unit=unit, units=units, slots=slots) -> int:
                number = (block - first) // unit
                return block if not 0 <= number < units else first + int(slots[number]) * unit + (block - first) % unit

            for _ in range(50):
                lba, blocks = int(draw.integers(0, 120)), int(draw.integers(1, 40))
                parts = list(pieces(arranged, lba, blocks))
                made = [begin + step for begin, length in parts for step in range(length)]
                self.assertEqual(made, [place(block) for block in range(lba, lba + blocks)])
                # Neighbours are one piece.
                self.assertTrue(all(a + n != b for (a, n), (b, _) in zip(parts, parts[1:], strict=False)))

    def test_the_identity_changes_nothing(self) -> None:
        self.assertEqual(list(pieces(Map(4, 8, identity(10)), 3, 50)), [(3, 50)])

    def test_only_the_last_piece_thinks(self) -> None:
        trace = TraceText(("headstack-trace 2", "loop think"), ("operation", "lba", "blocks", "think", "service"),
                          [["R", "8", "16", "5", "9"], ["F", "0", "0", "1", "-"], ["W", "0", "8", "7", "2"]])  # fmt: skip
        made, split = mapped("t", trace, Map(0, 8, np.array([0, 2, 1])))
        self.assertEqual(split, 1)
        self.assertEqual(made.rows, [["R", "16", "8", "0", "-"], ["R", "8", "8", "5", "-"], ["F", "0", "0", "1", "-"],
                                     ["W", "0", "8", "7", "2"]])  # fmt: skip

    def test_smaller_units_of_a_map(self) -> None:
        coarse = Map(16, 32, np.array([2, 0, 1]))
        fine = coarse.of_units(8)
        blocks = np.arange(0, 130)
        self.assertEqual(fine.place(blocks).tolist(), coarse.place(blocks).tolist())
        with self.assertRaisesRegex(RemapError, "12 blocks do not divide"):
            coarse.of_units(12)


if __name__ == "__main__":
    unittest.main()
