# SPDX-License-Identifier: Apache-2.0
"""Makes one run of streams on the drive, as one_run.py makes the others."""

from pathlib import Path
from typing import Any

from host_layers import CHEN, HORIZON, quotas_of, with_deadlines
from stream_load import Requests, make_requests, write_requests
from stream_records import Cylinders, load_cylinders, read_records, reduce_streams, work_of

REFERENCES = ("opt-t", "opt-d", "opt-g", "opt-g-literal")  # host/reference: chosen by platform.reference

Spec = dict[str, Any]


def cylinders_of(spec: Spec, drive: Path) -> Cylinders | None:
    """The cylinders of the drive's blocks; None for a run whose seek distances are not asked for. Raises ExperimentError."""
    return None if "blocks" in spec else load_cylinders(drive)


def requests_of(spec: Spec, cylinders: Cylinders | None) -> Requests:
    """The requests of a run, the same for every policy."""
    blocks = spec["blocks"] if cylinders is None else cylinders.blocks
    return make_requests(spec["workload"], blocks, spec["requests"], spec["seed"], spec["scale"])


def write_trace(file: Path, spec: Spec, drive: Path) -> None:
    """Writes the trace of a run on the drive, with the deadlines of the host's layer. Raises ExperimentError."""
    requests = requests_of(spec, cylinders_of(spec, drive))
    if _layer_of(spec) == HORIZON:
        requests = with_deadlines(requests, spec["workload"]["streams"], spec["scale"])
    write_requests(file, requests, spec.get("groups", 0))


def _layer_of(spec: Spec) -> str:
    return str(spec["layer"]["name"]) if "layer" in spec else ""


def choice_words(policy: str) -> list[str | Path]:
    """The words that select the policy, or the reference."""
    return [f"platform.reference={policy}"] if policy in REFERENCES else ["--policy", policy]


def words(spec: Spec) -> list[str | Path]:
    """The words of a run of streams, beside drive, trace, policy and platform."""
    quotas = quotas_of(spec["workload"]["streams"], spec["layer"]["requests"]) if _layer_of(spec) == CHEN else []
    rows = ", ".join(f"{{ number = {number}, k = {quota} }}" for number, quota in enumerate(quotas))
    return ["--deadlines", "message", *spec["settings"], *([f"settings.streams=[{rows}]"] if rows else [])]


def reduce_run(spec: Spec, folder: Path, summary: dict[str, Any], drive: Path) -> dict[str, Any]:
    """Reduces a run on the drive. Misses are those of the workload's own deadlines. Raises ExperimentError."""
    cylinders = cylinders_of(spec, drive)
    result = reduce_streams(read_records(folder / "records.csv"), requests_of(spec, cylinders), cylinders)
    if "policy_work" in summary:
        result |= work_of(summary["policy_work"])
    return result
