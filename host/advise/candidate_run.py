# SPDX-License-Identifier: Apache-2.0
"""One run of a candidate, reduced to the figures by which policies are compared: the work of host/sweep."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HOST = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOST / "sweep"), str(HOST)]
sys.path.append(str(HOST / "report"))

from execute.simulator import Ended  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from one_point import make_run, require_all  # noqa: E402
from record_file import NONE, read_records, require_columns  # noqa: E402
from run_folder import PS_PER_MS  # noqa: E402
from spread import rank  # noqa: E402

BATCHES = 20  # consecutive parts of the requests, in the order in which they came
COMMAND, RESPONSE, STATUS, DEADLINE = "command", "response_ps", "status", "deadline_ps"
COLUMNS = (COMMAND, RESPONSE, STATUS, DEADLINE)

Column = NDArray[np.int64]


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The figures of the run, or why it failed. Raises ExecuteError, and Stopped when it is ended from outside."""
    return make_run(spec, workplace, figures)


def _columns(file: Path) -> dict[str, Column]:
    """The columns in the order of the commands. Without deadlines all are NONE."""
    require_columns(file, [COMMAND, RESPONSE, STATUS])
    pieces = [
        {name: piece[name].copy() if name in piece else np.full(len(piece), NONE) for name in COLUMNS}
        for piece in read_records(file)
    ]
    joined = {name: np.concatenate([np.empty(0, np.int64), *(piece[name] for piece in pieces)]) for name in COLUMNS}
    order = np.argsort(joined[COMMAND], kind="stable")
    return {name: column[order] for name, column in joined.items()}


def batches_of(values: NDArray[Any]) -> list[float]:
    """The mean of each batch; fewer batches than BATCHES if there are fewer values."""
    return [float(np.mean(part)) for part in np.array_split(values, min(BATCHES, len(values)))]


def figures(ended: Ended) -> dict[str, Any]:
    """Mean, 99.9th percentile and longest response in ms; misses in percent of the requests with a deadline. Raises RunError."""
    summary = ended.summary()
    columns = _columns(ended.folder / "records.csv")
    require_all(len(columns[RESPONSE]), summary["result"])
    response, deadline = columns[RESPONSE], columns[DEADLINE]
    ascending, count = np.sort(response), len(response)
    urgent = deadline != NONE
    missed = 100.0 * (response > deadline)[urgent]
    return {
        "commands": count,
        "not_good": summary["result"]["failed"],
        "waited_in_host": summary["result"].get("waited_in_host", 0),
        "mean_ms": float(np.mean(response)) / PS_PER_MS,
        "p999_ms": int(ascending[rank(count, 999)]) / PS_PER_MS,
        "longest_ms": int(ascending[-1]) / PS_PER_MS,
        "commands_per_second": summary["result"]["commands_per_second"],
        "firmware_cycles": summary["firmware_cycles"],
        "warm_up_commands": summary.get("warm_up_commands", 0),
        "mean_batches": [one / PS_PER_MS for one in batches_of(response)],
        "with_deadline": int(np.count_nonzero(urgent)),
        "missed": float(np.mean(missed)) if len(missed) else 0.0,
        "missed_batches": batches_of(missed) if len(missed) else [],
    }
