# SPDX-License-Identifier: Apache-2.0
"""Where the tests of host/experiment find it."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/experiment"))
