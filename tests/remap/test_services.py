# SPDX-License-Identifier: Apache-2.0
"""The services of a whole day as arrays, against access.py, which the drive itself confirms (test_access.py)."""

import unittest

from support import ROOT  # noqa: I001
import numpy as np

from remap.access import Access, Arm
from remap.errors import RemapError
from remap.services import Services

PAPER = ROOT / "sim/drives/paper_179mb.toml"
OVERHEAD_MS, GRID, COUNT = 0.9, 16, 3000


class AgainstOneByOne(unittest.TestCase):
    def requests(self, access: Access, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Requests anywhere on the drive, and others close to the one before."""
        draw = np.random.default_rng(seed)
        slots = draw.integers(0, access.capacity // GRID, COUNT)
        near = draw.random(COUNT) < 0.4
        for index in np.flatnonzero(near[1:]) + 1:
            slots[index] = min(slots[index - 1] + draw.integers(0, 8), access.capacity // GRID - 1)
        return slots * GRID, draw.uniform(0, 20, COUNT)

    def test_each_part_adds_up_to_the_access(self) -> None:
        access = Access(PAPER, OVERHEAD_MS)
        for seed, length in ((1, 16), (2, 12), (3, 1)):
            lba, gap_ms = self.requests(access, seed)
            times = Services(access, length, GRID).times(lba, gap_ms)
            now, arm = access.serve(Arm(), 0.0, int(lba[0]), length)
            for index in range(1, COUNT):
                begin = now + float(gap_ms[index])
                now, arm = access.serve(arm, begin, int(lba[index]), length)
                ours = OVERHEAD_MS + float(times.move[index - 1] + times.wait[index - 1] + times.span[index - 1])
                self.assertAlmostEqual(ours, now - begin, delta=1e-6, msg=f"request {index} at {lba[index]}")
            self.assertAlmostEqual(times.mean_ms, OVERHEAD_MS + float(np.mean(times.move + times.wait + times.span)))

    def test_a_factor_multiplies_seeks_and_nothing_else(self) -> None:
        access = Access(PAPER, OVERHEAD_MS)
        far = np.array([0, access.capacity - GRID, 0, access.capacity // 2 // GRID * GRID])
        plain, scaled = (Services(access, 8, GRID, scale).times(far, np.zeros(4)) for scale in (1.0, 1.5))
        np.testing.assert_allclose(scaled.move, 1.5 * plain.move)
        # A head switch on the same cylinder is no seek.
        track = access.track(0).sectors
        near = np.array([0, -(-track // GRID) * GRID])
        self.assertEqual(access.track(int(near[1])).cylinder, access.track(0).cylinder)
        self.assertEqual(Services(access, 8, GRID, 1.5).times(near, np.zeros(2)).move.tolist(), [1.0])

    def test_requests_that_are_too_long(self) -> None:
        with self.assertRaisesRegex(RemapError, "requests of 32 blocks lie on more than two tracks; give at most 31"):
            Services(Access(PAPER, OVERHEAD_MS), 32, GRID)


if __name__ == "__main__":
    unittest.main()
