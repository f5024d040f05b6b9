"""Makes one run: its trace, the drive under it, and what is left of its records.

Everything that a run writes lives in a folder of its own, which is gone afterwards.
"""

import json
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

from cache import hash_file, key_of
from drive_file import Drive, load_drive
from errors import ExperimentError
from movable_head_formulas import Disk, fcfs_service_ms
from records import read_records, reduce_records
from sweep import Run, Sweep

from traces import layout_on, poisson_arrivals_us, random_blocks, write_trace

MOST_OUT = 5_120  # firmware/queue/task_set.h: TASK_SET_CAPACITY
PLATFORM_OPTIONS = {
    "ideal": ["--platform", "native", "--ideal-electronics"],
    "charged": ["--platform", "vp"],
    "rtl": ["--platform", "rtl"],
}
US_PER_MS = 1000.0
# The second number of a trace's seed: blocks and arrival times do not depend on each other.
BLOCKS, ARRIVALS = 0, 1


class Stopped(Exception):
    """The run was ended from outside."""


class Runner:
    """Runs of one sweep by one program. Threads may share it."""

    def __init__(self, program: Path, root: Path, sweep: Sweep, scratch: Path) -> None:
        """Raises ExperimentError when program or drive cannot be read."""
        self._program, self._sweep, self._scratch = program, sweep, scratch
        self._drive_file = (
            sweep.file.parent / sweep.drive
            if sweep.drive.endswith(".toml")
            else root / "sim/drives" / f"{sweep.drive}.toml"
        )
        self.drive: Drive = load_drive(self._drive_file)
        self._layout = layout_on(self.drive, sweep.sectors)
        if self._layout.blocks == 0:
            raise ExperimentError(f"{sweep.file}: requests.sectors: {sweep.sectors} do not fit on a cylinder")
        self._hashes = self._hash_inputs()
        self._lock = threading.Lock()
        self._alive: set[subprocess.Popen[str]] = set()
        self._stopping = False

    def _hash_inputs(self) -> dict[str, dict[str, str]]:
        """What each kind of electronics depends on, beside the run itself."""
        firmware = self._program.parent.parent / "firmware/drive.elf"
        electronics = self._program.with_name(f"{self._program.name}-rtl")  # what it becomes (host/run/main_fast.cpp)
        files = {
            "ideal": {"program": self._program, "drive": self._drive_file},
            "charged": {"program": self._program, "drive": self._drive_file, "firmware": firmware},
            "rtl": {"program": electronics, "drive": self._drive_file, "firmware": firmware},
        }
        used = {run.electronics for run in self._sweep.runs}
        try:
            return {
                kind: {name: hash_file(file) for name, file in inputs.items()}
                for kind, inputs in files.items()
                if kind in used
            }
        except OSError as error:
            raise ExperimentError(f"{error.filename}: {error.strerror}; run ./headstack build") from error

    @property
    def unit_ms(self) -> float:
        """Open loop: the unit of time in which fcfs can serve `saturation` requests, by the corrected formula (5)."""
        return self._sweep.saturation * fcfs_service_ms(Disk.of(self.drive))

    def key(self, run: Run) -> str:
        """The cache's key."""
        inputs: dict[str, Any] = {
            "files": self._hashes[run.electronics],
            "policy": run.policy,
            "electronics": run.electronics,
            "queue": run.queue,
            "rate": run.rate,
            "seed": run.seed,
            "requests": run.requests,
            "sectors": self._sweep.sectors,
        }
        if run.rate:
            inputs["unit_ms"] = self.unit_ms
        return key_of(inputs)

    def _write_trace(self, file: Path, run: Run) -> None:
        # One more in a closed loop: the command that places the heads (records.py).
        count = run.requests + (1 if run.queue else 0)
        load = run.queue or run.rate
        blocks = random_blocks(self._layout, count, (run.seed, BLOCKS, load))
        arrivals = None
        if run.rate:
            gap_us = self.unit_ms * US_PER_MS / run.rate
            arrivals = poisson_arrivals_us(count, gap_us, (run.seed, ARRIVALS, load))
        write_trace(file, self._layout.first_sector(blocks), self._sweep.sectors, arrivals)

    def command_line(self, run: Run, trace: Path, out: Path) -> list[str]:
        """How the program is called."""
        depth = run.queue + 1 if run.queue else MOST_OUT
        return [
            str(self._program),
            "--drive",
            str(self._drive_file),
            "--trace",
            str(trace),
            "--policy",
            run.policy,
            "--queue-depth",
            str(depth),
            *PLATFORM_OPTIONS[run.electronics],
            "--out",
            str(out),
        ]

    def _call(self, line: list[str]) -> tuple[int, str]:
        """Exit status and what the program said on stderr."""
        with self._lock:
            if self._stopping:
                raise Stopped
            # In a session of its own: Ctrl-C is for the experiment, which then ends its runs.
            process = subprocess.Popen(
                line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
            )
            self._alive.add(process)
        try:
            message = process.communicate()[1]
        finally:
            with self._lock:
                self._alive.discard(process)
        if self._stopping:
            raise Stopped
        return process.returncode, message.strip().removeprefix("headstack: error: ")

    def run(self, run: Run) -> dict[str, Any]:
        """The reduced result. Raises ExperimentError, or Stopped after stop()."""
        with tempfile.TemporaryDirectory(dir=self._scratch) as name:
            folder = Path(name)
            self._write_trace(folder / "trace", run)
            status, message = self._call(self.command_line(run, folder / "trace", folder / "run"))
            if status != 0:
                raise ExperimentError(
                    f"{run.describe()} (policy '{run.policy}') failed with status {status}: {message or 'no message'}"
                )
            result = reduce_records(
                read_records(folder / "run/records.csv"), self.drive, self._sweep.sectors, closed=run.queue > 0
            )
            if result["requests"] != run.requests:
                raise ExperimentError(f"{run.describe()}: {result['requests']} of {run.requests} requests came back")
            summary = json.loads((folder / "run/summary.json").read_text(encoding="utf-8"))
        result["missed_revolutions"] = summary["missed_revolutions"]
        result["lost_revolutions"] = summary["lost_revolutions"]
        result["requeued"] = summary["requeued"]
        result["firmware_cycles"] = summary["firmware_cycles"]
        return result

    def refusals(self) -> list[str]:
        """What the drive says to policies that it does not take: one sentence for each."""
        sentences: list[str] = []
        for policy in dict.fromkeys(run.policy for run in self._sweep.runs):
            with tempfile.TemporaryDirectory(dir=self._scratch) as name:
                folder = Path(name)
                blocks = random_blocks(self._layout, 2, (0, BLOCKS, 1))
                write_trace(folder / "trace", self._layout.first_sector(blocks), self._sweep.sectors)
                probe = Run("probe", policy, policy, "ideal", 0, 1, 0, 0, 1)
                status, message = self._call(self.command_line(probe, folder / "trace", folder / "run"))
                if status != 0:
                    sentences.append(f"policy '{policy}': {message or f'status {status}'}")
        return sentences

    def stop(self) -> None:
        """Ends what runs, and lets nothing else begin."""
        with self._lock:
            self._stopping = True
            for process in self._alive:
                process.kill()
