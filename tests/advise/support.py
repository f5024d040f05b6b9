# SPDX-License-Identifier: Apache-2.0
"""Adds host/advise to the path for its tests."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "host/advise"), str(ROOT / "host/sweep"), str(ROOT / "host"), str(ROOT / "host/output")]
