# SPDX-License-Identifier: Apache-2.0
"""Where the tests of host/remap find it, and what they share."""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
sys.path.insert(0, str(ROOT / "host"))

SEEDS = range(1, 13)


def random_stream(seed: int, groups: int, length: int) -> np.ndarray:
    """Neither uniform nor independent, and some groups are not there."""
    draw = np.random.default_rng(seed)
    weights = draw.integers(0, 5, (groups, groups)) + np.eye(groups)
    stream = [int(draw.integers(groups))]
    while len(stream) < length:
        row = weights[stream[-1]]
        stream.append(int(draw.choice(groups, p=row / row.sum())))
    return np.array(stream, dtype=np.int64)
