# SPDX-License-Identifier: Apache-2.0
"""Where the tests of host/execute find it."""

import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host"))
PATIENCE_S = 120


class InAFolder(unittest.TestCase):
    """Each test in a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Waits until the condition holds."""
        begin = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - begin, PATIENCE_S, "it never came")
            time.sleep(0.02)

    def write_program(self, name: str, text: str) -> Path:
        """A shell script in the place of a program."""
        program = self.folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        return program


def is_alive(process: int) -> bool:
    """It runs; one that ended and was not asked about since does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
