"""The runs of a sweep as specs: their inputs, and the place where each is made.

A result's address in the store is a hash over everything that can change it. That is the program, the drive's description, and
the firmware if its instructions take time. It is also the making of the trace, the policy, the load, and the version of the
reduction.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import deadline_model
import numpy as np
from deadline_load import DeadlineLoad
from deadline_records import finish
from drive_file import Drive, capacity_blocks, load_drive
from errors import ExperimentError
from movable_head_formulas import Disk, fcfs_service_ms
from one_run import DRIVE, make
from one_stream_run import choice_words
from stream_load import StreamLoad
from sweep import Run, Sweep

from traces import layout_on, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Simulator  # noqa: E402
from execute.store import Spec, hash_file  # noqa: E402
from execute.workplace import Workplace  # noqa: E402

# Counts up when traces.py or records.py give other numbers for the same run.
REDUCTION = 3
# Likewise deadline_load.py or deadline_records.py.
DEADLINE_REDUCTION = 1
# Likewise stream_load.py or stream_records.py.
STREAM_REDUCTION = 1
PROBE_OPTIONS = ("--platform", "native", "--ideal-electronics")


class Runner:
    """Runs of one sweep by one program. Threads may share it."""

    def __init__(self, program: Path, root: Path, sweep: Sweep, scratch: Path) -> None:
        """Raises ExperimentError when program or drive cannot be read."""
        self._sweep = sweep

        def file_of(drive: str) -> Path:
            return sweep.file.parent / drive if drive.endswith(".toml") else root / "sim/drives" / f"{drive}.toml"

        drives = {_drive_name(run.drive): file_of(run.drive or sweep.drive) for run in sweep.runs}
        self.workplace = Workplace(Simulator(program, root), drives | {DRIVE: file_of(sweep.drive)}, scratch)
        if any(run.deadlines is None and run.streams is None for run in sweep.runs):
            self.drive: Drive = load_drive(self.workplace.files[DRIVE])
            if layout_on(self.drive, sweep.sectors).blocks == 0:
                raise ExperimentError(f"{sweep.file}: requests.sectors: {sweep.sectors} do not fit on a cylinder")
        self._pages = {name: self._pages_of(file) for name, file in self.workplace.files.items()}
        used = {(_drive_name(run.drive), run.electronics) for run in sweep.runs}
        self._hashes = {key: self._hash_inputs(*key) for key in used}

    def _pages_of(self, drive: Path) -> int:
        """Requests with deadlines lie anywhere; of others the layout says where."""
        if all(run.deadlines is None for run in self._sweep.runs):
            return 0  # Nor are there any.
        page = self._sweep.sectors * self._sweep.places
        pages = capacity_blocks(self.workplace.simulator, drive) // page
        if pages == 0:
            raise ExperimentError(f"{self._sweep.file}: requests.sectors: {self._sweep.sectors} do not fit on {drive}")
        return pages

    def _hash_inputs(self, drive_name: str, kind: str) -> dict[str, str]:
        """What a kind of electronics depends on, beside the run itself."""
        simulator, drive = self.workplace.simulator, self.workplace.files[drive_name]
        files: dict[str, dict[str, Path]] = {
            "ideal": {"program": simulator.program, "drive": drive},
            "charged": {"program": simulator.program, "drive": drive, "firmware": simulator.elf},
            "rtl": {"program": simulator.electronics, "drive": drive, "firmware": simulator.elf},
            "model": {"model": Path(deadline_model.__file__)},
        }
        try:
            return {name: hash_file(file) for name, file in files[kind].items()}
        except OSError as error:
            raise ExperimentError(f"{error.filename}: {error.strerror}; run ./headstack build") from error

    @property
    def unit_ms(self) -> float:
        """Open loop: the unit of time in which fcfs can serve `saturation` requests, by the corrected formula (5)."""
        return self._sweep.saturation * fcfs_service_ms(Disk.of(self.drive))

    def spec(self, run: Run) -> Spec:
        """All that the run's result depends on."""
        if run.deadlines:
            return self._deadline_spec(run, run.deadlines)
        if run.streams:
            return self._stream_spec(run, run.streams)
        spec: Spec = {
            "work": f"experiment, reduction {REDUCTION}",
            "files": self._hashes[DRIVE, run.electronics],
            "policy": run.policy,
            "electronics": run.electronics,
            "queue": run.queue,
            "rate": run.rate,
            "seed": run.seed,
            "requests": run.requests,
            "sectors": self._sweep.sectors,
        }
        if run.rate:
            spec["unit_ms"] = self.unit_ms
        return spec

    def _deadline_spec(self, run: Run, load: DeadlineLoad) -> Spec:
        """Without what the run does not depend on: frames where reads and writes share one pool."""
        deadlines: dict[str, Any] = {
            "reads": load.reads,
            "writes": load.writes,
            "slack_ms": list(load.slack_ms),
            "access_ms": load.access_ms,
        }
        if run.threshold != "none":
            deadlines["frames"] = load.frames
        drive = _drive_name(run.drive)
        spec: Spec = {
            "work": f"experiment with deadlines, reduction {DEADLINE_REDUCTION}",
            "files": self._hashes[drive, run.electronics],
            "drive": drive,
            "pages": self._pages[drive],
            "policy": run.policy,
            "threshold": run.threshold,
            "electronics": run.electronics,
            "deadlines": deadlines,
            "seed": run.seed,
            "requests": run.requests,
            "sectors": self._sweep.sectors,
            "places": self._sweep.places,
        }
        if run.reading:
            spec["reading"] = run.reading
        return spec

    def _stream_spec(self, run: Run, load: StreamLoad) -> Spec:
        """The workload's numbers, not its names."""
        drive = _drive_name(run.drive)
        return {
            "work": f"experiment with streams, reduction {STREAM_REDUCTION}",
            "files": self._hashes[drive, run.electronics],
            "drive": drive,
            "policy": run.policy,
            "electronics": run.electronics,
            "workload": load.spec,
            "scale": load.scale,
            "seed": run.seed,
            "requests": run.requests,
        }

    def finish(self, run: Run, result: dict[str, Any]) -> dict[str, Any]:
        """What the run makes of a result that several have."""
        return finish(result, run.deadlines.frames) if run.deadlines else result

    def run(self, run: Run) -> dict[str, Any]:
        """Made here and now. Raises ExperimentError."""
        return make(self.spec(run), self.workplace)

    def refusals(self) -> list[str]:
        """What the drive says to policies that it does not take: one sentence for each."""
        sentences: list[str] = []
        for policy in dict.fromkeys(run.policy for run in self._sweep.runs):
            with tempfile.TemporaryDirectory(dir=self.workplace.scratch) as name:
                folder = Path(name)
                write_trace(folder / "trace", np.arange(2) * self._sweep.sectors, self._sweep.sectors)
                words: list[str | Path] = ["--drive", self.workplace.files[DRIVE], "--trace", folder / "trace"]
                words += [*choice_words(policy), *PROBE_OPTIONS]
                ended = self.workplace.simulator.run(words, folder / "run")
                if ended.status != 0:
                    sentences.append(f"policy '{policy}': {ended.message or f'status {ended.status}'}")
        return sentences


def _drive_name(drive: str) -> str:
    """Of a workplace's files."""
    return f"{Path(drive).stem}.toml" if drive else DRIVE
