# SPDX-License-Identifier: Apache-2.0
"""Adds host/sweep to the path for its tests."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "host/sweep"), str(ROOT / "host")]
