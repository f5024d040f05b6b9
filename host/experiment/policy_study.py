# SPDX-License-Identifier: Apache-2.0
"""A study of policies: kinds of load, loads that choose a policy for their kind, and loads that judge the choice.

A load is made by `headstack trace synth`, or recorded. Rates, periods and slacks are in mean accesses of the drive: a rate of 0.8
is 0.8 requests in the time of an access.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

MS_PER_S = 1000


@dataclass(frozen=True)
class Drive:
    """A drive, and the unit of its loads' times."""

    name: str
    access_ms: float


@dataclass(frozen=True)
class Kind:
    """A kind of load, as a person would describe it."""

    name: str
    words: str
    fcfs_keeps_up: bool = False  # whether fcfs serves all requests of its loads as they arrive


@dataclass(frozen=True)
class PolicyLoad:
    """A load of a study."""

    name: str
    kind: str
    judges: bool
    synth: str  # options of `headstack trace synth`; "" for a recorded load
    rate: float | None  # requests in the time of an access
    period: float | None  # accesses between the requests of a stream
    slack: tuple[float, float] | None  # accesses
    burst: float | None  # mean length in accesses of a burst, and of the pause after it
    trace: Path | None  # a recorded load
    reading: tuple[str, ...]  # settings with which the trace is read
    requests: int | None  # of a run at most, where a recorded load has too few
    parts: int  # of a recorded load, each for a seed; 0: it is not recorded
    depth: int | None  # None: requests go to the drive when they arrive
    settings: tuple[str, ...]

    def words_on(self, drive: Drive) -> list[str]:
        """The options of `headstack trace synth` on a drive, without seed and count."""
        words = [*self.synth.split(), "--drive", drive.name]
        if self.rate is not None:
            words += ["--rate", f"{self.offered_on(drive):.6g}"]
        if self.burst is not None:
            length = f"{self.burst * drive.access_ms:.6g}ms"
            words += ["--on-time", length, "--off-time", length]
        if self.period is not None:
            words += ["--period", f"{self.period * drive.access_ms:.6g}ms"]
        if self.slack is not None:
            words += ["--slack", ":".join(f"{bound * drive.access_ms:.6g}ms" for bound in self.slack)]
        return words

    def offered_on(self, drive: Drive) -> float:
        """The requests a second that arrive, in the mean; 0 in a closed loop."""
        streams = self.synth.split()
        if self.period is not None:
            return int(streams[streams.index("--streams") + 1]) * MS_PER_S / (self.period * drive.access_ms)
        return 0.0 if self.rate is None else self.rate * MS_PER_S / drive.access_ms

    def count(self, sizes: dict[str, Any]) -> int:
        """The number of requests of a run."""
        count: int = max(sizes["at_least"], sizes["per_queued"] * (self.depth or 0))
        return min(count, self.requests or count)


@dataclass(frozen=True)
class Study:
    """What a declaration says."""

    drives: tuple[Drive, ...]
    kinds: tuple[Kind, ...]
    loads: tuple[PolicyLoad, ...]
    policies: tuple[str, ...]

    def of_kind(self, kind: str, judges: bool) -> list[PolicyLoad]:
        """The loads that choose a policy for a kind, or those that judge it."""
        return [load for load in self.loads if load.kind == kind and load.judges == judges]
