# SPDX-License-Identifier: Apache-2.0
"""Where the tests of host/report find it, and runs made by hand."""

import contextlib
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/report"))

STAGES = (
    "issued",
    "selection",
    "command",
    "queued",
    "chosen",
    "seek",
    "settle",
    "head_switch",
    "rotation",
    "media_transfer",
    "bus_wait",
    "bus_data",
    "status",
)
PS_PER_MS = 10**9

# 20 cylinders of 10 blocks, no spares: the cylinder of a block is a tenth of its number.
DRIVE = """
name = "ten by twenty"
[design]
heads = 1
cylinders = 20
sector_bytes = 512
[[design.zones]]
first_cylinder = 0
last_cylinder = 19
sectors_per_track = 10
"""


def record(
    number: int, operation: str, lba: int, blocks: int, submitted_ms: int, more: Sequence[str] = (), **stage_ms: float
) -> str:
    """A line of records.csv; stages that are not named took no time. `exposed` is the search's part of `queued`."""
    exposed = int(stage_ms.pop("exposed", 0) * PS_PER_MS)
    times = [int(stage_ms.pop(stage, 0) * PS_PER_MS) for stage in STAGES]
    assert not stage_ms, f"no such stages: {stage_ms}"
    submitted = submitted_ms * PS_PER_MS
    values = [number, operation, lba, blocks, submitted, submitted + sum(times), sum(times), 0, *times, exposed, *more]
    return ",".join(map(str, values)) + "\n"


def with_sense(line: str, sense: str) -> str:
    """The same line, of a command that ended with CHECK CONDITION; "": with GOOD. For a run with a column of sense."""
    fields = line.split(",")
    return ",".join([*fields[:7], "2" if sense else "0", sense, *fields[8:]])


def header(more: Sequence[str] = (), sense: bool = False) -> str:
    """The first line of records.csv."""
    fixed = ["command", "operation", "lba", "blocks", "submitted_ps", "completed_ps", "response_ps", "status"]
    fixed += ["sense"] if sense else []
    return ",".join([*fixed, *(f"{stage}_ps" for stage in STAGES), "search_exposed_ps", *more]) + "\n"


def write_run(
    folder: Path,
    lines: Sequence[str],
    *,
    elapsed_ms: float = 100,
    columns: Sequence[str] = (),
    has_sense: bool = False,
    **changes: Any,
) -> Path:
    """A folder as `headstack run` leaves it; `columns` are those after the usual ones."""
    folder.mkdir(parents=True)
    (folder / "records.csv").write_text(header(columns, has_sense) + "".join(lines), encoding="ascii")
    (folder / "drive.toml").write_text(DRIVE, encoding="utf-8")
    summary = {
        "headstack": "0.1.0",
        "drive": "ten by twenty",
        "trace": "/somewhere/some.trace",
        "policy": "fcfs",
        "platform": "vp",
        "loop": "open",
        "speedup": 1.0,
        "queue_depth": 4,
        "limit": 0,
        "seed": 1,
        "bus": "fast-wide",
        "gating": True,
        "ideal_electronics": False,
        "result": {
            "commands": len(lines),
            "elapsed_ps": int(elapsed_ms * PS_PER_MS),
            "stage_totals": {f"{stage}_ps": 0 for stage in STAGES},
        },
        "missed_revolutions": 3,
        "lost_revolutions": 4,
        "media_retries": 0,
        "bus_violations": 0,
        "requeued": 0,
        "event_hash": "0123456789abcdef",
        "failure": "",
        "interrupted": False,
    }
    (folder / "summary.json").write_text(json.dumps(summary | changes), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Done:
    """What a program left behind."""

    status: int
    stdout: str
    stderr: str


def run_report(*arguments: str | Path) -> Done:
    """The program's main function, in this process: another one would spend its time loading matplotlib."""
    import report

    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            status = report.main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
    return Done(status, stdout.getvalue(), stderr.getvalue())
