# SPDX-License-Identifier: Apache-2.0
"""Makes one run with deadlines, as one_run.py makes the others: on the drive, or by the model of the paper."""

from pathlib import Path
from typing import Any

import numpy as np

from deadline_load import Requests, make_requests, write_requests
from deadline_model import MORE_ARRIVALS, Model
from deadline_records import PS_PER_US, read_records, reduce_deadlines
from drive_file import PS_PER_MS
from errors import ExperimentError

Spec = dict[str, Any]
MODEL = "model"


def requests_of(spec: Spec) -> Requests:
    """The requests of a run. There are more of them if the run stops before the last."""
    times = MORE_ARRIVALS if spec.get("reading") == "stopped" else 1
    return make_requests(spec["deadlines"], spec["pages"], times * spec["requests"], spec["seed"])


def write_trace(file: Path, spec: Spec) -> None:
    """Writes the trace of a run on the drive."""
    write_requests(file, requests_of(spec), spec["sectors"], spec["places"])


def words(spec: Spec) -> list[str | Path]:
    """The words of a run with deadlines, beside drive, trace, policy and platform."""
    told: list[str | Path] = ["--deadlines", "message"]
    if spec["threshold"] == "none":
        return told
    frames, blocks = spec["deadlines"]["frames"], spec["sectors"]
    # The paper's buffer is for writes: data that were read are not kept (DPO), and nothing is read ahead.
    cache = f"read-write:segments={frames},segment-blocks={blocks},read-ahead=0"
    return [*told, "--cache", cache, f"settings.write_threshold={spec['threshold']}", "hosts.every.dpo=1"]


def check(spec: Spec, message: str) -> None:
    """Checks what the run printed. Raises ExperimentError when the drive has fewer frames than were asked for."""
    if spec["threshold"] != "none" and message:
        raise ExperimentError(f"{spec['deadlines']['frames']} frames for writes: {message}")


def reduce_run(spec: Spec, folder: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Reduces a run on the drive. Raises ExperimentError."""
    columns = read_records(folder / "records.csv")
    if len(columns["command"]) != spec["requests"]:
        raise ExperimentError(f"{len(columns['command'])} of {spec['requests']} requests came back")
    full = summary["write_buffer"]["outside"] if spec["threshold"] != "none" else None
    return reduce_deadlines(columns, requests_of(spec), spec["pages"], full)


def run_model(spec: Spec) -> dict[str, Any]:
    """The same numbers from a run of the model, without a drive."""
    requests = requests_of(spec)
    frames = spec["deadlines"].get("frames", 0)
    served = Model(spec["policy"], spec["threshold"], frames, spec["reading"]).serve(requests, spec["requests"])
    arrival_us = requests.arrival_us[served.number]
    columns = {
        "command": served.number,
        "submitted_ps": np.round(arrival_us * PS_PER_US).astype(np.int64),
        "completed_ps": np.round(served.done_ms * PS_PER_MS).astype(np.int64),
        "status": np.zeros(len(served.number), dtype=np.int64),
    }
    return reduce_deadlines(columns, requests, spec["pages"], served.full_on_arrival)
