# SPDX-License-Identifier: Apache-2.0
"""Spot checks: the same requests on `rtl` and on `vp`, which must give the same numbers, every one."""

from errors import ExperimentError
from results import Point, Results

SPOTS = ("spot", "spot-long", "spot, Cheetah", "spot, C2247A", "spot, workload 1", "spot, workload 5")  # sweeps


def find_unequal(results: Results) -> list[str]:
    """A line for each pair of the same requests on `rtl` and `vp` whose numbers differ."""
    lines: list[str] = []
    for sweep in SPOTS:
        for label in results.labels(sweep):
            for load in results.loads(label, sweep, "rtl"):
                twins = results.seeds_at(Point(label, load, sweep, "charged"))
                for seed, truth in results.seeds_at(Point(label, load, sweep, "rtl")).items():
                    apart = sorted(key for key, value in truth.items() if twins[seed][key] != value)
                    if apart:
                        lines.append(f"{label}, load {load:g}, seed {seed}: {', '.join(apart)}")
    return lines


def require_equal(results: Results) -> None:
    """Raises ExperimentError if a pair is not equal."""
    unequal = find_unequal(results)
    if unequal:
        raise ExperimentError("rtl and vp are not equal:\n  " + "\n  ".join(unequal))
