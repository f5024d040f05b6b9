# SPDX-License-Identifier: Apache-2.0
"""A declared experiment and its runs."""

import sys
from dataclasses import dataclass
from pathlib import Path

from cost_load import Costs, CostLoad
from deadline_load import DeadlineLoad
from policy_study import Study
from remap_load import RemapLoad
from stream_load import StreamLoad

HOST = Path(__file__).resolve().parents[1]
sys.path.append(str(HOST / "sweep"))

from axes import Declaration  # noqa: E402

MOST_OUT = 5_120  # firmware/queue/task_set.h: TASK_SET_CAPACITY


@dataclass(frozen=True)
class Run:
    """One run of the drive.

    Only one of the following is set; the others are 0 or None. `queue` is the number of requests to choose from (closed loop).
    `rate` is the number of requests per unit of time (open loop). `deadlines`, `streams`, `remap` or `cost` describes the arrivals.
    """

    sweep: str
    label: str  # the policy's name in the declaration
    policy: str  # in the form of `headstack run --policy`
    electronics: str
    group: int  # cylinders; 0: the policy does not use the sweep's groups
    queue: int
    rate: int
    seed: int
    requests: int
    deadlines: DeadlineLoad | None = None
    threshold: str = "none"  # in the form of the key settings.write_threshold
    drive: str = ""  # "": the declaration's drive
    reading: str = ""  # reading of the paper for runs of a model (deadline_model.py)
    streams: StreamLoad | None = None
    remap: RemapLoad | None = None  # if set, `label` names a map
    settings: tuple[str, ...] = ()  # KEY=VALUE, as `headstack run` takes them
    layer: str = ""  # upper layer in the host (host_layers.py); "": none
    scheme: str = ""  # scheme of `headstack admission` whose answer is part of the result; "": none
    length: int = 0  # mean length of a request in sectors, if the sweep varies it
    value: int | None = None  # the value on the sweep's axis, if it is none of the above
    cost: CostLoad | None = None

    @property
    def load(self) -> float:
        """The run's value on the axis of its sweep."""
        if load := self.streams or self.remap or self.cost:
            return load.value
        if self.value is not None:
            return self.value
        return self.queue or self.length or self.rate or (self.deadlines.value if self.deadlines else 0)

    def describe(self) -> str:
        """The run in words."""
        load = self.deadlines.describe() if self.deadlines else ""
        load = self.streams.describe() if self.streams else load
        load = self.cost.describe() if self.cost else load
        load = f"{self.policy}, {self.remap.describe()}" if self.remap else load
        more = f", {self.reading}" if self.reading else ""
        more += f", {self.drive}" if self.drive else ""
        more += "".join(f", {setting}" for setting in self.settings)
        return f"{self.label}{more}, {load}, {self.electronics}, seed {self.seed}"


@dataclass(frozen=True)
class Sweep:
    """A declared experiment."""

    file: Path
    title: str
    report: str
    drive: str
    sectors: int  # sectors of a request
    saturation: int  # open loop: requests per unit of time that fcfs can just serve; 0: no open loop
    runs: tuple[Run, ...]
    missing: tuple[str, ...] = ()  # sentences about traces that are not there
    places: int = 1  # places of a page, with deadlines; reads use the first, writes the others in turn
    declared: tuple[Declaration, ...] = ()  # declarations of host/sweep, which makes the runs in this order
    study: Study | None = None  # of policies under kinds of load (policy_loads.py)
    costs: Costs | None = None  # of `cost` alone

    @property
    def drive_file(self) -> Path:
        """The description of the drive."""
        return file_of_drive(self.file, self.drive)


def file_of_drive(declaration: Path, drive: str) -> Path:
    """The description of a drive: a file beside the declaration, or one of sim/drives by its name."""
    return declaration.parent / drive if drive.endswith(".toml") else HOST.parent / "sim/drives" / f"{drive}.toml"
