# SPDX-License-Identifier: Apache-2.0
"""Speed and skew of a platter that is made to turn otherwise than described."""

import tempfile
import tomllib
import unittest
from pathlib import Path

import numpy as np
from support import ROOT, commands
from errors import FidelityError
from platter import coherence, find_skew, find_speed, tracks_of
from runner import write_corrected
from service_times import Commands

REVOLUTION_MS = 10.0
SECTORS, HEADS, CYLINDERS = 50, 4, 100
DESIGN = {
    "heads": HEADS,
    "cylinders": CYLINDERS,
    "zones": [{"first_cylinder": 0, "last_cylinder": CYLINDERS - 1, "sectors_per_track": SECTORS}],
}
COUNT = 400
SEED = 7


def writes(longer_ppm: float = 0.0, skew_sectors: float = 0.0) -> Commands:
    """Random writes that end with their sector on both drives; the real one's platter is that different."""
    random = np.random.default_rng(SEED)
    track = random.integers(0, 80, COUNT)  # 20 cylinders of it
    response = 5 + 10 * random.random(COUNT)
    end = np.cumsum(response + 1.0) - 1.0
    # How much later than ours the real drive ends it, from the beginning on: modulo a revolution, as sectors come by.
    lag = end * longer_ppm * 1e-6 + track * skew_sectors / SECTORS * REVOLUTION_MS
    lag = np.mod(lag + REVOLUTION_MS / 2, REVOLUTION_MS) - REVOLUTION_MS / 2
    real = response + np.diff(np.concatenate(([0.0], lag)))
    return commands(
        "w" * COUNT, (track * SECTORS).tolist(), [8] * COUNT, real.tolist(), response.tolist(), rotation=[1.0] * COUNT
    )


class Platter(unittest.TestCase):
    """What is put in is found."""

    def test_one_that_turns_as_described(self) -> None:
        for guess in (find_speed(writes(), REVOLUTION_MS), find_skew(writes(), DESIGN, REVOLUTION_MS)):
            assert guess is not None
            self.assertTrue(guess.found)
            self.assertAlmostEqual(guess.value, 0, places=6)
            self.assertAlmostEqual(guess.as_described, 1, places=6)

    def test_the_speed_is_found_within_an_eighth_of_its_peak(self) -> None:
        # 400 writes of 11 ms on average: 440 revolutions, a peak 2,270 ppm wide.
        for ppm in (-1500.0, 900.0):
            guess = find_speed(writes(longer_ppm=ppm), REVOLUTION_MS)
            assert guess is not None
            self.assertTrue(guess.found)
            self.assertAlmostEqual(guess.value, ppm, delta=2270 / 8)

    def test_skews_are_found_with_their_sign(self) -> None:
        for sectors in (-1.0, 2.0):
            guess = find_skew(writes(skew_sectors=sectors), DESIGN, REVOLUTION_MS)
            assert guess is not None
            self.assertTrue(guess.found)
            self.assertAlmostEqual(guess.value, sectors, delta=0.02)

    def test_angles_at_random_are_no_find(self) -> None:
        made = writes()
        random = np.random.default_rng(SEED + 1)
        noise = commands(
            "w" * COUNT, made.lba.tolist(), [8] * COUNT, (made.real + 10 * random.random(COUNT)).tolist(),
            made.simulated.tolist(), rotation=[1.0] * COUNT,
        )
        guess = find_skew(noise, DESIGN, REVOLUTION_MS)
        assert guess is not None
        self.assertFalse(guess.found, f"seed {SEED}")

    def test_too_few_writes_to_the_media_say_nothing(self) -> None:
        hits = commands("w" * 100, list(range(0, 800, 8)), [8] * 100, [1.0] * 100)
        self.assertIsNone(find_speed(hits, REVOLUTION_MS))
        self.assertIsNone(find_skew(hits, DESIGN, REVOLUTION_MS))

    def test_tracks_are_counted_by_heads(self) -> None:
        track, sectors, zone = tracks_of(np.array([0, 49, 50, 199, 200, 399]), DESIGN)
        self.assertEqual(track.tolist(), [0, 0, 1, 3, 4, 7])
        self.assertEqual(set(sectors.tolist()), {SECTORS})
        self.assertEqual(set(zone.tolist()), {0})

    def test_coherence_of_opposite_angles_is_nothing(self) -> None:
        self.assertAlmostEqual(coherence(np.array([0.1, 0.6])), 0, places=12)
        self.assertAlmostEqual(coherence(np.array([0.1, 1.1, 7.1])), 1, places=12)


class Corrected(unittest.TestCase):
    """Descriptions changed by what was found."""

    def test_skews_and_speed_change_and_nothing_else(self) -> None:
        shipped = ROOT / "sim/drives/hp_c3323a.toml"
        with tempfile.TemporaryDirectory() as name:
            out = Path(name) / "corrected.toml"
            write_corrected(shipped, out, -1, 116.2)
            before, after = (tomllib.loads(file.read_text(encoding="utf-8")) for file in (shipped, out))
        for zone in before["design"]["zones"]:
            zone["track_skew"] -= 1
            zone["cylinder_skew"] -= 1
        before["specimen"]["speed_error_ppm"] = -116.2
        self.assertEqual(after, before)

    def test_a_description_without_a_specimen_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "bare.toml"
            file.write_text("[design]\n", encoding="utf-8")
            with self.assertRaisesRegex(FidelityError, "speed_error_ppm: is not there once; add it"):
                write_corrected(file, Path(name) / "out.toml", 0, 1.0)


if __name__ == "__main__":
    unittest.main()
