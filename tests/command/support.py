# SPDX-License-Identifier: Apache-2.0
"""The command line, called as people call it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/command"))

TRACE = ROOT / "traces/measured/ext4-git-sqlite.trace"


def call(*words: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """host/command alone: for what needs nothing built."""
    line = [sys.executable, "-B", str(ROOT / "host/command"), *map(str, words)]
    return subprocess.run(
        line, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
    )


def headstack(*words: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The script, on this build."""
    return subprocess.run(
        [str(ROOT / "headstack"), *map(str, words)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, **(environment or {})},
    )  # fmt: skip
