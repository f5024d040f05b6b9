# SPDX-License-Identifier: Apache-2.0
"""A drive whose bounds can be worked out by hand, and a second version of the formulas of host/cli/admission.hpp."""

import math
from dataclasses import dataclass

# Seek times over 1 to 11 cylinders. The curve is not concave: it has a jump at 5, and a dent at 8.
SEEKS = (2.0, 2.1, 2.2, 2.3, 6.0, 6.1, 6.2, 6.25, 7.9, 8.0, 8.1)
CYLINDERS = len(SEEKS) + 1
TURN_MS = 10.0  # 6000 rpm
SECTORS = (20, 10)  # sectors per track of the two zones
SKEW = 4
BLOCK_BYTES = 512
HEAD_SWITCH_MS = 1.0

TOML = f"""name = "admission by hand"
[design]
rpm = 6000
heads = 2
cylinders = {CYLINDERS}
sector_bytes = {BLOCK_BYTES}
mapping = "plain"
head_switch_ms = {HEAD_SWITCH_MS}
write_settle_ms = 0.5
buffer_bytes = 65536
[design.seek]
table_ms = [{", ".join(f"[{x + 1}, {ms}]" for x, ms in enumerate(SEEKS))}]
settle_ms = 1.0
coast_cylinders_per_ms = 10.0
[[design.zones]]
first_cylinder = 0
last_cylinder = 5
sectors_per_track = {SECTORS[0]}
track_skew = {SKEW}
cylinder_skew = {2 * SKEW}
[[design.zones]]
first_cylinder = 6
last_cylinder = {CYLINDERS - 1}
sectors_per_track = {SECTORS[1]}
track_skew = {SKEW}
cylinder_skew = {2 * SKEW}
"""


def positioning(cylinders: int, write: bool = False) -> float:
    """The longest positioning up to this distance. The head switch overlaps with the seek."""
    longest = max(SEEKS[:cylinders], default=0.0)
    return max(longest, HEAD_SWITCH_MS) + (0.5 if write else 0.0)


def envelope(cylinders: float, write: bool = False) -> float:
    """The least concave function above the curve, which is the highest chord over a distance."""
    best = positioning(int(cylinders), write) if cylinders == int(cylinders) else 0.0
    for a in range(math.floor(cylinders) + 1):
        for b in range(math.ceil(cylinders), CYLINDERS):
            if a < b:
                share = (cylinders - a) / (b - a)
                best = max(best, (1 - share) * positioning(a, write) + share * positioning(b, write))
    return best


@dataclass(frozen=True)
class Bounds:
    """The bounds of one request, in ms."""

    overhead: float
    transfer: float
    write: bool = False

    @property
    def fixed(self) -> float:
        return self.overhead + TURN_MS + self.transfer

    @property
    def alone(self) -> float:
        return self.fixed + positioning(CYLINDERS - 1, self.write)

    def sweep(self, requests: int) -> float:
        if requests == 0:
            return 0.0
        longest = CYLINDERS - 1
        return requests * (self.fixed + envelope(min(longest, 2 * longest / requests), self.write))

    def groups(self, n: int, g: int, k: int) -> float:
        more = n % g
        return more * self.sweep((n // g + 1) * k) + (g - more) * self.sweep(n // g * k)
