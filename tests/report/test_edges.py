# SPDX-License-Identifier: Apache-2.0
"""Runs of which there is hardly anything to draw: they make a page all the same, and no library warns of it."""

import tempfile
import unittest
import warnings
from pathlib import Path

from support import record, run_report, write_run  # noqa: I001

CASES = {
    "one command": [record(0, "read", 8, 4, 0, seek=1, media_transfer=1)],
    "flushes alone": [record(0, "flush", 0, 0, 0, status=1), record(1, "flush", 0, 0, 1, status=1)],
    "times that are all the same": [record(number, "read", 8, 1, number, media_transfer=1) for number in range(5)],
    "no time at all": [record(0, "read", 8, 1, 0), record(1, "read", 9, 1, 0)],
    "the last block, and one that the drive does not have": [
        record(0, "read", 199, 1, 0, media_transfer=1),
        record(1, "read", 500, 1, 0, media_transfer=1),
    ],
}


class Edges(unittest.TestCase):
    """Each by itself, then all on one page."""

    def test_every_case_makes_a_page(self) -> None:
        with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
            warnings.simplefilter("error")
            out = Path(place) / "page.html"
            folders = [write_run(Path(place) / name, lines) for name, lines in CASES.items()]
            for runs in (*([folder] for folder in folders), folders):
                with self.subTest(runs=[run.name for run in runs]):
                    done = run_report(*runs, "-o", out)
                    self.assertEqual((done.status, done.stderr), (0, ""))

    def test_a_real_time_of_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
            warnings.simplefilter("error")
            lines = [record(number, "read", 8, 4, 0, more=[str(number * 10**9)], seek=1) for number in range(2)]
            folder = write_run(Path(place) / "a", lines, columns=["measured_service_ps"])
            done = run_report(folder, "-o", Path(place) / "page.html")
            self.assertEqual((done.status, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
