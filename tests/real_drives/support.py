# SPDX-License-Identifier: Apache-2.0
"""Where the tests of host/fidelity find it, and commands made by hand."""

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("host/fidelity", "host/report", "host/plots")]

import numpy as np  # noqa: E402
from service_times import STAGES, Commands  # noqa: E402

PS_PER_MS = 10**9


def commands(
    operations: str,
    lba: Sequence[int],
    blocks: Sequence[int],
    real: Sequence[float],
    simulated: Sequence[float] | None = None,
    **stages: Sequence[float],
) -> Commands:
    """`operations` has a letter for each: r, w. Times in ms; stages that are not named took none; a ms in between."""
    count = len(operations)
    times = np.array(real if simulated is None else simulated, dtype=float)
    return Commands(
        operation=np.array(["rw".index(letter) for letter in operations]),
        lba=np.array(lba),
        blocks=np.array(blocks),
        submitted=np.concatenate(([0.0], np.cumsum(times + 1.0)[:-1])),
        real=np.array(real, dtype=float),
        simulated=times,
        stages={stage: np.array(stages.get(stage, [0.0] * count), dtype=float) for stage in STAGES},
    )
