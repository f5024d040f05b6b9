# SPDX-License-Identifier: Apache-2.0
"""Parts of expectations against values worked out by hand: places, times, traces."""

import csv
import tomllib
import unittest
from fractions import Fraction
from pathlib import Path

from support import ROOT, InAFolder  # noqa: I001
from case_file import load_case
from errors import RegressError
from expect.evaluate import EVALUATORS
from expect.kinds import KINDS
from expect.layout import Layout, Place, Stretch
from expect.mechanics import Mechanics, seek_ms
from expect.requests import folded, read_trace

# Results of DiskSim 4.0 itself, which are not part of this project.
DISKSIM = ROOT.parent / "shared/disksim_ref"


def description(drive: str) -> dict:
    return tomllib.loads((ROOT / f"sim/drives/{drive}.toml").read_text(encoding="utf-8"))


def small(**more: object) -> dict:
    """A small drive with two heads, ten sectors a track and three cylinders: 60 positions."""
    zone = {"first_cylinder": 0, "last_cylinder": 2, "sectors_per_track": 10, **more.pop("zone", {})}
    return {"heads": 2, "cylinders": 3, "zones": [zone], **more}


class Places(unittest.TestCase):
    def test_blocks_climb_heads_then_cylinders_and_skews_add_up(self):
        layout = Layout(small(zone={"track_skew": 3, "cylinder_skew": 4}))
        self.assertEqual(layout.capacity, 60)
        self.assertEqual(layout.locate(0), Place(0, 0, 0, 0, 10))
        self.assertEqual(layout.locate(12), Place(0, 1, 2, 5, 10))  # 3 + 2
        self.assertEqual(layout.locate(27), Place(1, 0, 7, 4, 10))  # 4 + 3 + 7 = 14
        self.assertEqual(layout.locate(59), Place(2, 1, 9, 6, 10))  # 2 * 7 + 3 + 9 = 26

    def test_on_serpentine_tracks_every_other_cylinder_descends(self):
        layout = Layout(small(mapping="serpentine"))
        self.assertEqual([layout.locate(lba).head for lba in (0, 10, 20, 30, 40, 50)], [0, 1, 1, 0, 0, 1])

    def test_a_slip_moves_what_is_behind_it_towards_the_spares_of_its_unit(self):
        design = small(sparing={"location": "range-end", "range_cylinders": 2}, zone={"spares": 2, "slips": [5, 6, 41]})
        layout = Layout(design)
        # The first range has 38 of its 40 positions. The last range has one cylinder and no spares. Its slip costs no block
        # here, since it would reach past the zone's end.
        self.assertEqual(layout.capacity, 38 + 20)
        self.assertEqual([layout.locate(lba).sector for lba in (4, 5, 6)], [4, 7, 8])
        self.assertEqual(layout.locate(37), Place(1, 1, 9, 9, 10))  # position 39: both spares are taken
        self.assertEqual(layout.locate(38), Place(2, 0, 0, 0, 10))  # position 40
        self.assertEqual(layout.locate(39), Place(2, 0, 2, 2, 10))  # after the slip

    def test_whole_tracks_are_spares_and_slips_where_the_drive_counts_tracks(self):
        layout = Layout(small(sparing={"location": "zone-end-tracks"}, zone={"spares": 1, "slips": [1]}))
        self.assertEqual(layout.capacity, 50)
        self.assertEqual(layout.locate(10), Place(1, 0, 0, 0, 10))  # track 1 is skipped
        self.assertEqual(layout.locate(49), Place(2, 1, 9, 9, 10))

    def test_a_remapped_block_lies_elsewhere_and_parts_a_stretch(self):
        layout = Layout(small(sparing={"location": "zone-end"}, zone={"spares": 4, "remaps": [[3, 58]]}))
        self.assertEqual(
            list(layout.stretches(1, 5)),
            [
                Stretch(Place(0, 0, 1, 1, 10), 2),
                Stretch(Place(2, 1, 8, 8, 10), 1),
                Stretch(Place(0, 0, 4, 4, 10), 2),
            ],
        )

    def test_reserved_sectors_at_a_zones_front_have_no_address(self):
        layout = Layout(small(zone={"reserved_sectors": 13}))
        self.assertEqual((layout.capacity, layout.locate(0)), (47, Place(0, 1, 3, 3, 10)))

    def test_a_stretch_ends_with_its_track_and_at_a_slip(self):
        layout = Layout(small(sparing={"location": "zone-end"}, zone={"spares": 2, "slips": [14]}))
        self.assertEqual([one.blocks for one in layout.stretches(8, 12)], [2, 4, 5, 1])

    def test_layouts_that_no_drive_has_are_refused(self):
        for sparing in ({"location": "cylinder-front"}, {"location": "zone-end", "slip_to_zone_end": True}):
            with self.assertRaisesRegex(RegressError, "do not work out places"):
                Layout(small(sparing=sparing, zone={"slips": [1]}))

    @unittest.skipUnless(DISKSIM.is_dir(), "DiskSim's reference results are not there")
    def test_2000_blocks_lie_where_disksim_itself_has_them(self):
        for drive in ("cheetah_9lp", "hp_c3323a"):
            layout = Layout(description(drive)["design"])
            with (DISKSIM / f"{drive}_ltop.csv").open(encoding="ascii", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertGreaterEqual(len(rows), 1000)
            for row in rows:
                place = layout.locate(int(row["lbn"]))
                wanted = tuple(int(row[name]) for name in ("cyl", "head", "sector", "spt"))
                self.assertEqual((place.cylinder, place.head, place.sector, place.sectors), wanted, row)
                off = (place.mark / place.sectors - float(row["angle_rev"]) + 0.5) % 1 - 0.5
                self.assertLess(abs(off), 1e-6, row)


class Times(unittest.TestCase):
    # Seltzer, Chen and Ousterhout 1990, figure 1.
    def test_the_eagles_seek_is_the_papers_formula(self):
        seek = description("eagle")["design"]["seek"]
        for distance, time in ((0, 0.0), (1, 5.47), (4, 6.34), (239, 4.6 + 0.87 * 239**0.5), (240, 18.028), (839, 34.8)):
            self.assertAlmostEqual(seek_ms(seek, distance), time, places=9)

    def test_between_published_rows_lies_a_straight_line(self):
        seek = description("cheetah_9lp")["design"]["seek"]
        for distance, time in ((1, 0.831), (10, 1.448), (11, 1.4485), (650, (3.399 + 3.638) / 2), (6894, 10.627)):
            self.assertAlmostEqual(seek_ms(seek, distance), time, places=9)

    def test_a_head_switch_overlaps_the_seek_and_a_write_settles_behind_both(self):
        model = Mechanics(description("hp_c2247a")["design"], {})
        self.assertEqual(model.positioning((5, 1), (5, 1), True).total, 0)
        self.assertEqual(model.positioning((5, 1), (5, 2), False).total, 890_000_000)
        self.assertEqual(model.positioning((5, 1), (6, 2), False).total, 2_890_000_000)
        self.assertEqual(model.positioning((5, 1), (6, 1), True).total, 2_890_000_000 + 650_000_000)

    def test_a_published_settling_below_zero_is_none(self):
        model = Mechanics(description("hp_c2490a")["design"], {})
        self.assertEqual(model.positioning((0, 0), (0, 1), True).total, 992_000_000)

    def test_the_platter_turns_at_the_published_speed_and_the_copys_own(self):
        design = description("eagle")["design"]
        self.assertEqual(Mechanics(design, {}).period_ps, Fraction(60 * 10**12, 3600))
        self.assertEqual(Mechanics(design, {"speed_error_ppm": -5000}).period_ps, Fraction(60 * 10**12, 3582))
        self.assertEqual(Mechanics(design, {}).turns(10**12), 60)


class Traces(InAFolder):
    def trace(self, *lines: str) -> Path:
        file = self.folder / "a.trace"
        file.write_text("\n".join(lines) + "\n", encoding="ascii")
        return file

    def test_a_trace_is_read_as_its_format_says(self):
        trace = read_trace(
            self.trace("headstack-trace 1", "time-unit us", "loop open", "requests", "# none", "0 W 5 2 -", "1.5 F 0 0 -")
        )
        self.assertEqual(trace.loop, "open")
        self.assertEqual(
            [(one.number, one.arrival_ps, one.operation, one.lba, one.blocks) for one in trace.requests],
            [(0, 0, "write", 5, 2), (1, 1_500_000, "flush", 0, 0)],
        )

    def test_what_is_no_trace_of_ours_is_one_line_with_its_place(self):
        cases = {
            ("0 R 1 2 -",): "own format only",
            ("headstack-trace 1", "time-unit us", "requests", "0 X 1 2 -"): "request 0 cannot be read",
            ("headstack-trace 1", "time-unit us", "requests", "0 R 1"): "request 0 cannot be read",
        }
        for lines, message in cases.items():
            with self.assertRaisesRegex(RegressError, message):
                read_trace(self.trace(*lines))

    # As in sim: an address is taken modulo the capacity, and moved back from the end as far as the request needs.
    def test_folding_wraps_addresses_and_keeps_lengths(self):
        asked = read_trace(
            self.trace("headstack-trace 1", "time-unit us", "requests", "- R 105 2 -", "- R 99 4 -", "- F 0 0 -")
        ).requests
        self.assertEqual([(one.lba, one.blocks) for one in (folded(one, 100) for one in asked)], [(5, 2), (96, 4), (0, 0)])


class Declared(unittest.TestCase):
    def test_every_kind_has_an_evaluator_and_every_evaluator_a_kind(self):
        self.assertEqual(set(KINDS), set(EVALUATORS))

    def test_every_case_expects_something_and_every_kind_is_expected_of_some(self):
        cases = [load_case(file.parent) for file in sorted((ROOT / "tests/golden").glob("*/scenario.toml"))]
        for case in cases:
            self.assertTrue(case.expectations, case.name)
            for one in case.expectations:
                self.assertGreater(len(one.reason.split()), 8, case.name)
        self.assertEqual({one.kind for case in cases for one in case.expectations}, set(KINDS))


if __name__ == "__main__":
    unittest.main()
