# SPDX-License-Identifier: Apache-2.0
"""Real traces on a drive whose units lie where a map says: learned on the first half, tested on parts of the second.

A map is made of the requests of the first half, in their order. The grid of its units begins where the fewest of these requests
span two. What is served are the requests of a part of the second half, where the map puts them. Seed k has the k-th part, and
its map is annealed with seed k: an interval over the seeds has both.

A request whose blocks are apart on the media becomes several commands, one after another. On a drive with a map it would stay one:
so a map gains somewhat less here. Times of a request count all its commands.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from drive_file import PS_PER_MS
from errors import ExperimentError
from numpy.typing import NDArray
from records import Column

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remap.apply import pieces  # noqa: E402
from remap.arrangement import Map  # noqa: E402
from remap.counts import Counts, Numbers  # noqa: E402
from remap.errors import RemapError  # noqa: E402
from remap.requests import MOVES, UNITS_US, Requests, TraceText, learn, parse_trace, span_shares  # noqa: E402
from remap.walk import Gap  # noqa: E402
from result_files import writing  # noqa: E402

Spec = dict[str, Any]

AS_IT_CAME = "recorded"  # instead of a gap: requests arrive when they did
DRAWN_GAPS = 20  # after what host/remap draws from a seed
MOST_GROUPS = 40_960  # firmware/remap/learn.h: LEARN_GROUPS_MAX
STAGES = ("seek_ps", "settle_ps", "head_switch_ps", "rotation_ps", "media_transfer_ps")


@dataclass(frozen=True)
class TraceLoad:
    """Which trace, and how it is replayed."""

    name: str
    content: str  # hash of the file
    parts: int  # of the second half
    outstanding: int  # requests, in a closed loop or with gaps
    gap: str  # Gap.parse() with one outstanding, or AS_IT_CAME
    map_group: int  # blocks that are counted together
    map_grid: int  # blocks of the units for which the grid is sought
    map_gap: str
    source: Path = Path()  # the file, in any format,
    device: str = ""  # and the device of it

    def describe(self) -> str:
        """The load in words."""
        gap = "as it came" if self.gap == AS_IT_CAME else f"gap {self.gap}"
        return f"trace {self.name}, {self.outstanding} outstanding, {gap}"


def trace_file(name: str) -> str:
    """The trace's name among the files of a workplace."""
    return f"trace-{name}.trace"


@dataclass(frozen=True)
class Recorded:
    """Requests that move blocks, in order of arrival."""

    time_us: NDArray[np.float64]
    is_write: NDArray[np.bool_]
    lba: Numbers
    blocks: Numbers

    def __len__(self) -> int:
        return len(self.lba)

    def part(self, begin: int, end: int) -> "Recorded":
        """Some of them."""
        return Recorded(self.time_us[begin:end], self.is_write[begin:end], self.lba[begin:end], self.blocks[begin:end])


def read_recorded(file: Path) -> Recorded:
    """A trace in headstack's own format, of one that tells times of arrival. Raises ExperimentError."""
    try:
        with file.open(encoding="utf-8") as lines:
            trace: TraceText = parse_trace(str(file), lines)
    except RemapError as error:
        raise ExperimentError(str(error)) from None
    at = [trace.at(name) for name in ("operation", "lba", "blocks")]
    rows = [row for row in trace.rows if row[at[0]] in MOVES]
    if None in at or len(rows) < 4:
        raise ExperimentError(f"{file}: {len(rows)} requests that move blocks; give a longer trace")
    time = trace.at("time") if trace.loop == "open" else None
    scale = UNITS_US.get(trace.value("time-unit", "us"), 1.0)
    times = [float(row[time]) * scale for row in rows] if time is not None else np.zeros(len(rows))
    lba, blocks = (np.array([int(row[one]) for row in rows], dtype=np.int64) for one in at[1:])
    return Recorded(np.array(times), np.array([row[at[0]] == "W" for row in rows]), lba, blocks)


def halves(recorded: Recorded) -> tuple[Recorded, Recorded]:
    """The half to learn from and the half to test with, with equally many requests."""
    middle = len(recorded) // 2
    return recorded.part(0, middle), recorded.part(middle, len(recorded))


def tested(spec: Spec, recorded: Recorded) -> Recorded:
    """The part that a run serves."""
    half, load = halves(recorded)[1], spec["trace"]
    number = (spec["seed"] - 1) % load["parts"]
    return half.part(number * len(half) // load["parts"], (number + 1) * len(half) // load["parts"])


def _gaps_us(gap: str, seed: int, recorded: Recorded) -> NDArray[np.float64]:
    """That a host has between requests; of a trace as it came, those between arrivals that are far apart."""
    if gap == AS_IT_CAME:
        return np.maximum(np.diff(recorded.time_us), 0)
    return Gap.parse(gap).draw_us(np.random.Generator(np.random.PCG64([seed, DRAWN_GAPS])), len(recorded))


def learn_half(spec: Spec, file: Path, capacity: int) -> Counts:
    """The counts of the first half, on the best grid. Raises ExperimentError."""
    half = halves(read_recorded(file))[0]
    gaps = _gaps_us(spec["gap"], spec["seed"], half)
    requests = Requests(half.lba, half.blocks, gaps, "arrival", capacity)
    first = int(span_shares(requests, spec["grid"]).argmin())
    groups = min((capacity - first) // spec["group"], MOST_GROUPS)
    if groups < 2:
        raise ExperimentError(f"{capacity} blocks have {groups} groups of {spec['group']}; give smaller ones")
    return learn(requests, groups, first, spec["group"])


@dataclass(frozen=True)
class Served:
    """Commands, and the request that each is of."""

    request: Numbers
    time_us: NDArray[np.float64]
    gap_us: NDArray[np.float64]  # after the command before
    is_write: NDArray[np.bool_]
    lba: Numbers
    blocks: Numbers
    requests: int


def commands_of(spec: Spec, file: Path, arranged: Map | None) -> Served:
    """What a run serves. Raises ExperimentError."""
    part, load = tested(spec, read_recorded(file)), spec["trace"]
    request, lba, blocks = [], [], []
    for number, (first, count) in enumerate(zip(part.lba.tolist(), part.blocks.tolist(), strict=True)):
        for begin, length in [(first, count)] if arranged is None else pieces(arranged, first, count):
            request.append(number)
            lba.append(begin)
            blocks.append(length)
    whose = np.array(request, dtype=np.int64)
    is_first = np.diff(whose, prepend=-1) > 0
    gap = np.zeros(len(part)) if load["gap"] == AS_IT_CAME else _gaps_us(load["gap"], spec["seed"], part)
    return Served(whose, (part.time_us - part.time_us[0])[whose], np.where(is_first, gap[whose], 0.0), part.is_write[whose],
                  np.array(lba, dtype=np.int64), np.array(blocks, dtype=np.int64), len(part))  # fmt: skip


def write_commands(file: Path, spec: Spec, served: Served) -> None:
    """Writes the trace for the drive. Raises OutputError."""
    load = spec["trace"]
    words = [("W" if write else "R", lba, blocks)
             for write, lba, blocks in zip(served.is_write.tolist(), served.lba.tolist(), served.blocks.tolist(), strict=True)]  # fmt: skip
    if load["gap"] == AS_IT_CAME:
        loop, columns = "open", "time operation lba blocks"
        lines = [f"{time:.0f} {word} {lba} {blocks}" for time, (word, lba, blocks) in zip(served.time_us, words, strict=True)]
    elif load["outstanding"] > 1:
        loop, columns = "closed", "operation lba blocks"
        lines = [f"{word} {lba} {blocks}" for word, lba, blocks in words]
    else:
        # A think time stands with the request before it.
        loop, columns = "think", "operation lba blocks think"
        lines = [f"{word} {lba} {blocks} {gap:.3f}" for gap, (word, lba, blocks) in zip([*served.gap_us[1:], 0.0], words, strict=True)]
    head = f"headstack-trace 2\ntime-unit us\nloop {loop}\nsource headstack experiment\ncolumns {columns}\nrequests\n"
    with writing(file) as part, open(part, "w", encoding="ascii") as out:
        out.write(head + "\n".join(lines) + "\n")


def reduce_commands(spec: Spec, columns: dict[str, Column], served: Served) -> dict[str, Any]:
    """Times in milliseconds, means over requests. Raises ExperimentError.

    With one request outstanding, a service is the time of all commands of the request. With several it is the time from one
    completion to the next, as long as there are requests to follow. If the trace keeps its own gaps, it is the response, from
    arrival to the last completion.
    """
    count, load = len(served.request), spec["trace"]
    if np.any(columns["status"] != 0) or len(columns["command"]) != count:
        raise ExperimentError(f"{len(columns['command'])} of {count} commands came back, or some not with GOOD")
    order = np.argsort(columns["command"])
    submitted, completed = columns["submitted_ps"][order], columns["completed_ps"][order]
    response = np.zeros(served.requests)
    first, last = np.full(served.requests, np.iinfo(np.int64).max), np.zeros(served.requests, dtype=np.int64)
    np.minimum.at(first, served.request, submitted)
    np.maximum.at(last, served.request, completed)
    response = (last - first) / PS_PER_MS
    if load["gap"] == AS_IT_CAME:
        service_ms = float(np.mean(response))
    elif load["outstanding"] == 1:
        service_ms = float(np.sum(completed - submitted)) / PS_PER_MS / served.requests
    else:
        ends = np.sort(last[last <= submitted.max()])
        if len(ends) < 2:
            raise ExperimentError(f"{served.requests} requests are too few for {load['outstanding']} outstanding; give a longer trace")
        service_ms = float(ends[-1] - ends[0]) / (len(ends) - 1) / PS_PER_MS
    parts = {name.replace("_ps", "_ms"): float(np.sum(columns[name])) / served.requests / PS_PER_MS for name in STAGES}
    return {
        "requests": served.requests,
        "counted": served.requests,
        "split": float(np.count_nonzero(np.bincount(served.request) > 1)) / served.requests,
        "service_ms": service_ms,
        "response_mean_ms": float(np.mean(response)),
        "response_max_ms": float(np.max(response)),
        **parts,
    }


def load_spec(load: TraceLoad) -> Spec:
    """All on which the run's requests depend, beside its seed."""
    return {"file": trace_file(load.name), "content": load.content, "parts": load.parts, "outstanding": load.outstanding, "gap": load.gap}


def learn_spec(load: TraceLoad) -> Spec:
    """All on which the map depends, beside the seed."""
    return {"trace": trace_file(load.name), "content": load.content, "group": load.map_group, "grid": load.map_grid, "gap": load.map_gap}


def convert(load: TraceLoad, file: Path, call: Callable[[list[str | Path]], tuple[int, str, str]]) -> None:
    """Converts the trace into headstack's own format, by `headstack trace`. Raises ExperimentError."""
    device: list[str | Path] = ["--device", load.device] if load.device else []
    status, _, message = call(["trace", "convert", load.source, *device, "--output", file])
    if status != 0:
        raise ExperimentError(f"trace '{load.name}': {message.strip() or f'status {status}'}")


def find_trace(file: str, folders: Sequence[Path]) -> Path | None:
    """The first of the traces that exists."""
    return next((folder / file for folder in folders if (folder / file).is_file()), None)
