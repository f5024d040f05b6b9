# SPDX-License-Identifier: Apache-2.0
"""Makes one run of streams on the drive, as one_run.py makes the others."""

from pathlib import Path
from typing import Any

from stream_load import Requests, make_requests, write_requests
from stream_records import Cylinders, read_records, reduce_streams, work_of

REFERENCES = ("opt-t", "opt-d", "opt-g", "opt-g-literal")  # host/reference: chosen by platform.reference

Spec = dict[str, Any]


def requests_of(spec: Spec, cylinders: Cylinders) -> Requests:
    """The requests of a run, the same for every policy."""
    return make_requests(spec["workload"], cylinders.blocks, spec["requests"], spec["seed"], spec["scale"])


def write_trace(file: Path, spec: Spec, cylinders: Cylinders) -> None:
    """Writes the trace of a run on the drive."""
    write_requests(file, requests_of(spec, cylinders))


def choice_words(policy: str) -> list[str | Path]:
    """The words that select the policy, or the reference."""
    return [f"platform.reference={policy}"] if policy in REFERENCES else ["--policy", policy]


def words(spec: Spec) -> list[str | Path]:
    """The words of a run of streams, beside drive, trace, policy and platform."""
    return ["--deadlines", "message", *spec["settings"]]


def reduce_run(spec: Spec, folder: Path, summary: dict[str, Any], cylinders: Cylinders) -> dict[str, Any]:
    """Reduces a run on the drive. Raises ExperimentError."""
    result = reduce_streams(read_records(folder / "records.csv"), requests_of(spec, cylinders), cylinders)
    if "policy_work" in summary:
        result |= work_of(summary["policy_work"])
    return result
