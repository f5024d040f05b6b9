# SPDX-License-Identifier: Apache-2.0
"""Where the tests of host/sweep find it."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "host/sweep"), str(ROOT / "host")]
