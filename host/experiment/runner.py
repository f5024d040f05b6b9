"""The runs of a sweep as specs: what each of them depends on, and where it is made.

A result's address in the store is a hash over everything that can change it: the program, the drive's description, the
firmware where its instructions take time, how the trace is made, the policy and the load, and the version of the
reduction.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from drive_file import Drive, load_drive
from errors import ExperimentError
from movable_head_formulas import Disk, fcfs_service_ms
from one_run import BLOCKS, DRIVE, call, make
from sweep import Run, Sweep

from traces import layout_on, random_blocks, write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Simulator  # noqa: E402
from execute.store import Spec, hash_file  # noqa: E402
from execute.workplace import Workplace  # noqa: E402

# Counts up when traces.py or records.py give other numbers for the same run.
REDUCTION = 3


class Runner:
    """Runs of one sweep by one program. Threads may share it."""

    def __init__(self, program: Path, root: Path, sweep: Sweep, scratch: Path) -> None:
        """Raises ExperimentError when program or drive cannot be read."""
        self._sweep = sweep
        drive_file = (
            sweep.file.parent / sweep.drive
            if sweep.drive.endswith(".toml")
            else root / "sim/drives" / f"{sweep.drive}.toml"
        )
        self.workplace = Workplace(Simulator(program, root), {DRIVE: drive_file}, scratch)
        self.drive: Drive = load_drive(drive_file)
        self._layout = layout_on(self.drive, sweep.sectors)
        if self._layout.blocks == 0:
            raise ExperimentError(f"{sweep.file}: requests.sectors: {sweep.sectors} do not fit on a cylinder")
        self._hashes = self._hash_inputs()

    def _hash_inputs(self) -> dict[str, dict[str, str]]:
        """What each kind of electronics depends on, beside the run itself."""
        simulator, drive = self.workplace.simulator, self.workplace.files[DRIVE]
        files = {
            "ideal": {"program": simulator.program, "drive": drive},
            "charged": {"program": simulator.program, "drive": drive, "firmware": simulator.elf},
            "rtl": {"program": simulator.electronics, "drive": drive, "firmware": simulator.elf},
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

    def spec(self, run: Run) -> Spec:
        """All that the run's result depends on."""
        spec: Spec = {
            "work": f"experiment, reduction {REDUCTION}",
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
            spec["unit_ms"] = self.unit_ms
        return spec

    def run(self, run: Run) -> dict[str, Any]:
        """Made here and now. Raises ExperimentError."""
        return make(self.spec(run), self.workplace)

    def refusals(self) -> list[str]:
        """What the drive says to policies that it does not take: one sentence for each."""
        sentences: list[str] = []
        for policy in dict.fromkeys(run.policy for run in self._sweep.runs):
            with tempfile.TemporaryDirectory(dir=self.workplace.scratch) as name:
                folder = Path(name)
                blocks = random_blocks(self._layout, 2, (0, BLOCKS, 1))
                write_trace(folder / "trace", self._layout.first_sector(blocks), self._sweep.sectors)
                probe: Spec = {"policy": policy, "electronics": "ideal", "queue": 1}
                ended = call(probe, folder / "trace", folder / "run", self.workplace)
                if ended.status != 0:
                    sentences.append(f"policy '{policy}': {ended.message or f'status {ended.status}'}")
        return sentences
