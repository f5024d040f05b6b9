# SPDX-License-Identifier: Apache-2.0
"""Makes one run of a study of policies (policy_loads.py): the work of host/sweep, with the figures of `headstack policy advise`."""

import sys
from pathlib import Path
from typing import Any

from errors import ExperimentError

HOST = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOST / "sweep"), str(HOST), str(HOST / "advise")]

from candidate_run import figures  # noqa: E402
from execute.simulator import Ended  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from one_depth_run import made  # noqa: E402
from one_point import make_run  # noqa: E402


def _figures(ended: Ended) -> dict[str, Any]:
    found = figures(ended)
    if found["not_good"]:
        raise ExperimentError(f"{found['not_good']} commands did not end with GOOD; repeat the run with headstack run")
    return found


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The figures of the run. Raises ExperimentError, also for a run that failed, and Stopped when the run is ended from outside.
    """

    def write_trace(file: Path) -> None:
        load, simulator = spec["load"], workplace.simulator
        words = ["trace", "synth", *load["words"], "--count", str(load["requests"]), "--seed", str(spec["seed"]), "--output", file]
        status, _, message = simulator.call(simulator.program.with_name("headstack"), words)
        if status != 0:
            raise ExperimentError(f"trace synth: {message.strip() or f'status {status}'}")

    return made(make_run(spec, workplace, _figures, write_trace if "load" in spec else None))
