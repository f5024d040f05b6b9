# SPDX-License-Identifier: Apache-2.0
"""Formulas of the two papers, against limits, sums worked out another way, and the numbers that the papers print."""

import itertools
import unittest

from support import ROOT  # noqa: I001  (sets the path)
from drive_file import load_drive
from eagle_theory import (
    fcfs_io_ms,
    fcfs_utilization,
    fcfs_utilization_estimate,
    ssf_positioning_estimate_ms,
    ssf_utilization_estimate,
)
from errors import ExperimentError
from movable_head_formulas import (
    Disk,
    fcfs_seek_ms,
    fcfs_service_ms,
    fcfs_service_printed_ms,
    mixed_service_ms,
    moves_share,
    nearest_share,
    scan_seek_ms,
    scan_service_ms,
    service_ms,
    sstf_seek_ms,
    sstf_seek_printed_ms,
    sstf_service_ms,
)

from movable_head_table import INDICATORS, PAPERS

from traces import Layout, random_lengths, random_pieces

EAGLE = load_drive(ROOT / "sim/drives/eagle.toml")
DISK = Disk.of(load_drive(ROOT / "sim/drives/mvax_71mb.toml"))
SMALL = Disk(revolution_ms=10.0, sectors=5, tracks=3, cylinders=40, seek_min_ms=2.0, seek_max_ms=40.0)


PAPER = ROOT.parent / "shared/papers/001_190dd0b3eb65cca1.txt"


class Figure2(unittest.TestCase):
    # The paper's own table, as its text has it.
    @unittest.skipUnless(PAPER.exists(), f"no {PAPER}: the text of the paper is not part of the project")
    def test_its_144_numbers_are_those_of_the_paper(self):
        rows = {}
        for line in PAPER.read_text(encoding="utf-8").splitlines():
            cells = line.split("\t")
            if len(cells) == 13 and cells[0].isdigit():
                rows[int(cells[0])] = [float(cell) for cell in cells[1:]]
        ours = {rate: [number for name in INDICATORS for number in row[name]] for rate, row in PAPERS.items()}
        self.assertEqual(ours, rows)

    # 512 bytes x 6 x 60 turns a second = 184,320 bytes a second.
    def test_the_disk_has_the_papers_transfer_rate_and_seek(self):
        disk = load_drive(ROOT / "host/experiment/drives/mvax_184.toml")
        self.assertAlmostEqual(512 / disk.transfer_ms(1), 184.32, places=6)
        self.assertAlmostEqual(disk.mean_seek_ms(), 30.0, delta=0.03)
        self.assertAlmostEqual(disk.revolution_ms / 2, 8.33, places=2)

    def test_lengths_have_their_mean_and_cross_no_cylinder(self):
        layout = Layout(sectors_per_cylinder=20, cylinders=50, sectors=1)
        lengths = random_lengths(50_000, 8, (1,))
        self.assertEqual((min(lengths), max(lengths)), (1, 15))
        self.assertAlmostEqual(float(lengths.mean()), 8, delta=4 * 4.32 / 50_000**0.5)  # sqrt((15^2 - 1) / 12) = 4.32
        first = random_pieces(layout, lengths, (2,))
        self.assertTrue(((first % 20) + lengths <= 20).all())
        self.assertEqual(len(set((first // 20).tolist())), 50)


class MovableHead(unittest.TestCase):
    # Table of section 3: 30 ms average seek, 8.33 ms latency. A = 50/6 + (50/3)/17 ms.
    def test_the_described_disk_has_the_papers_means(self):
        self.assertAlmostEqual(fcfs_seek_ms(DISK), 30.0, places=6)
        self.assertAlmostEqual(DISK.revolution_ms / 2, 8.33, places=2)
        self.assertAlmostEqual(DISK.latency_ms, 8.333333 + 0.980392, places=5)

    # Every sector of the cylinder but the one just served is the next with the same probability. Sector j lies
    # (j - i - 1) mod m sectors on from the end of sector i, whatever its track; then its own passes.
    def test_b_is_the_mean_over_all_other_sectors_of_the_cylinder(self):
        m, t = SMALL.sectors, SMALL.tracks
        passed = [(j - 0 - 1) % m + 1 for j, track in itertools.product(range(m), range(t)) if (j, track) != (0, 0)]
        self.assertAlmostEqual(SMALL.same_cylinder_sectors, sum(passed) / len(passed), places=12)

    # The sum that the paper prints above its closed form.
    def test_b_is_the_printed_sum(self):
        m, t = DISK.sectors, DISK.tracks
        again = (t - 1) / (m * t - 1)
        printed = sum(k / (m - 1) * (1 - again) for k in range(m - 1)) + (m - 1) * again + 1
        self.assertAlmostEqual(DISK.same_cylinder_sectors, printed, places=12)

    # One track: nothing else has the same sector number. m = 2: the other sector is the next.
    def test_b_of_one_track_with_two_sectors_is_one_sector(self):
        self.assertEqual(Disk(10, 2, 1, 40, 2, 40).same_cylinder_sectors, 1.0)

    # Linear seeks between two different random cylinders take S_min + span / 3 in the mean; (4) is less by span / 3C^2.
    def test_4_is_the_mean_over_pairs_of_cylinders(self):
        c = SMALL.cylinders
        linear = [
            SMALL.seek_min_ms + SMALL.span_ms * (abs(a - b) - 1) / (c - 2)
            for a, b in itertools.product(range(c), repeat=2)
            if a != b
        ]
        mean = sum(linear) / len(linear)
        self.assertAlmostEqual(mean, SMALL.seek_min_ms + SMALL.span_ms / 3, places=10)
        self.assertAlmostEqual(fcfs_seek_ms(SMALL), mean - SMALL.span_ms / (3 * c**2), places=10)

    def test_5_as_printed_and_as_corrected_share_the_two_cases_between_them(self):
        both = service_ms(DISK, fcfs_seek_ms(DISK)) + DISK.same_cylinder_ms
        self.assertAlmostEqual(fcfs_service_printed_ms(DISK) + fcfs_service_ms(DISK), both, places=10)
        # Nearly every request moves the arm: the corrected one is nearly (2), the printed one nearly a short wait.
        self.assertAlmostEqual(fcfs_service_ms(DISK), service_ms(DISK, 30.0), delta=0.05)
        self.assertAlmostEqual(fcfs_service_printed_ms(DISK), DISK.same_cylinder_ms, delta=0.05)

    def test_3_at_its_ends_is_one_case_alone(self):
        self.assertAlmostEqual(mixed_service_ms(DISK, 1, 7), 7 + DISK.latency_ms)
        self.assertAlmostEqual(mixed_service_ms(DISK, 0, 7), DISK.same_cylinder_ms)

    # On a line: the mean distance to the nearest of L points is (L + 3) / (2 (L + 1)(L + 2)): 1/3, 5/24, ...
    def test_e_of_6_is_twice_the_mean_distance_to_the_nearest(self):
        endless = Disk(10, 5, 3, 10**9, 2, 40)
        for load, distance in ((1, 1 / 3), (2, 5 / 24), (10, 13 / 264)):
            self.assertAlmostEqual(nearest_share(endless, load) / 2, distance, places=7)

    def test_6_with_one_request_is_4(self):
        self.assertAlmostEqual(sstf_seek_ms(DISK, 1), fcfs_seek_ms(DISK), delta=DISK.span_ms / DISK.cylinders)
        # S_min + (72.0000686 * 1023 * E - 1) / 2044, with E = (1 + (1024/1023)^2 / 3) / 2 = 0.666992726
        self.assertAlmostEqual(sstf_seek_printed_ms(DISK, 1), 30.034764, places=5)

    def test_7_without_requests_near_is_seek_and_latency(self):
        self.assertEqual(moves_share(DISK, 0), 1.0)
        self.assertAlmostEqual(moves_share(DISK, 1), 1023 / 1024, places=12)
        self.assertAlmostEqual(sstf_service_ms(DISK, 0), service_ms(DISK, sstf_seek_ms(DISK, 0)))

    def test_8_falls_from_half_the_span_to_the_shortest_seek(self):
        self.assertAlmostEqual(scan_seek_ms(DISK, 1, 1.0), DISK.seek_min_ms + DISK.span_ms / 2)
        self.assertAlmostEqual(scan_seek_ms(DISK, 1e9, 1.5), DISK.seek_min_ms, places=6)

    def test_9_under_endless_load_stays_on_the_cylinder(self):
        self.assertAlmostEqual(scan_service_ms(DISK, 1e6, 1.5), DISK.same_cylinder_ms, places=6)


class Eagle(unittest.TestCase):
    # Section 4.1 prints 7 %, section 4.2 prints 15.4 ms.
    def test_estimates_are_the_printed_ones(self):
        self.assertAlmostEqual(fcfs_utilization_estimate(), 0.07, delta=0.005)
        self.assertAlmostEqual(ssf_positioning_estimate_ms(EAGLE, 100), 15.4, delta=0.05)

    def test_the_estimate_for_ssf_is_that_of_fcfs_where_the_formula_ends(self):
        self.assertEqual(ssf_utilization_estimate(EAGLE, 3), fcfs_utilization_estimate())
        self.assertGreater(ssf_utilization_estimate(EAGLE, 10), fcfs_utilization_estimate())

    # Figure 1, at the last distance of the first piece and the first of the second.
    def test_the_seek_curve_is_figure_1(self):
        self.assertEqual(EAGLE.seek_ms(0), 0)
        self.assertAlmostEqual(EAGLE.seek_ms(1), 5.47)
        self.assertAlmostEqual(EAGLE.seek_ms(239), 4.6 + 0.87 * 239**0.5)
        self.assertAlmostEqual(EAGLE.seek_ms(240), 18.028)

    def test_the_mean_seek_is_that_of_all_pairs_of_cylinders(self):
        c = EAGLE.cylinders
        times = [EAGLE.seek_ms(distance) for distance in range(c)]
        pairs = sum(times[abs(a - b)] for a, b in itertools.product(range(c), repeat=2))
        self.assertAlmostEqual(EAGLE.mean_seek_ms(), pairs / c**2, places=9)

    # Table 1: an average seek of 18 ms; 8 of 67 sectors of 16.67 ms are 1.99 ms.
    def test_the_closed_form_of_fcfs_is_near_the_estimate(self):
        self.assertAlmostEqual(EAGLE.mean_seek_ms(), 18, delta=0.6)
        self.assertAlmostEqual(EAGLE.transfer_ms(8), 1.990, places=3)
        self.assertAlmostEqual(fcfs_io_ms(EAGLE, 8), EAGLE.mean_seek_ms() + 8.3333 + 1.9900, places=3)
        self.assertAlmostEqual(fcfs_utilization(EAGLE, 8), 0.0689, places=4)

    def test_a_drive_with_zones_is_refused(self):
        with self.assertRaisesRegex(ExperimentError, "cheetah_9lp"):
            load_drive(ROOT / "sim/drives/cheetah_9lp.toml")


if __name__ == "__main__":
    unittest.main()
