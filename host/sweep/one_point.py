# SPDX-License-Identifier: Apache-2.0
"""Makes one run of a sweep, and reduces its records to figures.

The run is described by plain data without a path, so that any machine can make it (host/execute). Its folder is gone afterwards.
A work of another module has figures of its own, and may make the trace of each run: it calls make_run().

mean, p95 and p99 are of response times, from the submission of a command to its completion. The mean is exact: a sum of whole
picoseconds, divided once. host/statistics/nearest_rank.hpp defines percentiles.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HOST = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOST / "sweep"), str(HOST)]
sys.path.append(str(HOST / "report"))

from axes import MADE, SEED_KEY  # noqa: E402
from execute.simulator import Ended  # noqa: E402
from execute.store import Spec  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from record_file import read_records, require_columns  # noqa: E402
from run_folder import PS_PER_MS, RunError  # noqa: E402
from scenarios import with_files  # noqa: E402
from spread import rank  # noqa: E402

VERSION = 1  # counts up when the figures of a run change their meaning
FAILURE = "failure"  # of a result that has no figures
REMARK = "remark"  # a warning of a run that has them
WARNING = "headstack: warning: "  # ahead of each warning of a run; the sweep says it once
RESPONSE = "response_ps"


def make(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """The figures of the run, or why it failed. Raises ExecuteError, and Stopped when it is ended from outside."""
    return make_run(spec, workplace, figures)


def make_run(
    spec: Spec, workplace: Workplace, reduce: Callable[[Ended], dict[str, Any]], write_trace: Callable[[Path], None] | None = None
) -> dict[str, Any]:
    """Like make(), with other figures. If the spec has a load, write_trace() makes its trace."""
    with tempfile.TemporaryDirectory(dir=workplace.scratch) as name:
        folder = Path(name)
        scenario = folder / "scenario.toml"
        files = workplace.files
        if write_trace:
            write_trace(folder / MADE)
            files = files | {MADE: folder / MADE}
        in_files = lambda _, token: str(files[token])
        scenario.write_text(with_files(spec["scenario"], frozenset(spec["file_keys"]), in_files), encoding="utf-8")
        words: list[str | Path] = [scenario]
        if spec["seed"] is not None and not write_trace:
            words.append(f"{SEED_KEY}={spec['seed']}")
        ended = workplace.simulator.run(words, folder / "run")
        if ended.status != 0:
            return {FAILURE: _told(ended, workplace, scenario)}
        try:
            return reduce(ended) | ({REMARK: _told(ended, workplace, scenario).replace(WARNING, "")} if ended.message else {})
        except RunError as error:
            return {FAILURE: str(error).replace(f"{folder}/", "")}


def _told(ended: Ended, workplace: Workplace, scenario: Path) -> str:
    """The simulator's sentence without this machine's paths."""
    message = ended.message or f"the simulator ended with status {ended.status}, without a message"
    for token, path in workplace.files.items():
        message = message.replace(str(path), token)
    return message.replace(f"{scenario}: ", "").replace(f"{scenario.parent}/", "")


def require_all(count: int, result: dict[str, Any]) -> None:
    """Checks the number of commands in records.csv against the summary's result. Raises RunError."""
    if count == 0:
        raise RunError("no command was measured; raise load.synthetic.requests or load.limit, or reduce load.warm_up")
    if count != result["commands"]:
        raise RunError(f"records.csv has {count} commands, and summary.json {result['commands']}; repeat the run")


def figures(ended: Ended) -> dict[str, Any]:
    """What a sweep keeps of a run that ended well. Raises RunError."""
    summary = ended.summary()
    result = summary["result"]
    records = ended.folder / "records.csv"
    require_columns(records, [RESPONSE])
    pieces = [piece[RESPONSE].copy() for piece in read_records(records)]
    ascending = np.sort(np.concatenate(pieces)) if pieces else np.empty(0, np.int64)
    count = len(ascending)
    require_all(count, result)
    at = lambda per_mille: int(ascending[rank(count, per_mille)]) / PS_PER_MS
    mean_ms = sum(int(piece.sum()) for piece in pieces) / count / PS_PER_MS
    waited = result.get("waited_in_host", 0)
    return {
        "headstack": summary["headstack"],
        "drive": summary["drive"],
        "commands": count,
        "not_good": result["failed"],
        "mean_ms": mean_ms,
        "p95_ms": at(950),
        "p99_ms": at(990),
        "commands_per_second": result["commands_per_second"],
        "waited_in_host": waited,
        "from_arrival_mean_ms": result["from_arrival_ps"]["mean"] / PS_PER_MS if waited else mean_ms,
    }
