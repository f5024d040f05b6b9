# SPDX-License-Identifier: Apache-2.0
"""The runs of a sweep as specs: their inputs, and the place where each is made.

A result's address in the store is a hash over everything that can change it. That is the program, the drive's description, and
the firmware if its instructions take time. Policy, load, the sources of the trace and the version of the reduction are parts,
too.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deadline_model
import numpy as np
import trace_load
from deadline_load import DeadlineLoad
from deadline_records import finish
from declared import file_of_drive
from drive_file import capacity_blocks
from errors import ExperimentError
from host_layers import CHEN, LAYER_VERSION, MS_PER_S, SECTOR_BYTES, admission, mean_blocks, requests_of_round
from one_run import DRIVE, make
from one_stream_run import choice_words
from remap_load import GROUP_BLOCKS, LISTING, RemapLoad
from remap_maps import MAP_REDUCTION, NO_MAP, front_end, make_maps, map_name
from stream_load import StreamLoad
from sweep import Run, Sweep
from trace_load import convert, trace_file

from traces import write_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.simulator import Simulator  # noqa: E402
from execute.store import Spec, Store, address_of, hash_file  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from remap import apply, chain, listing, requests, walk  # noqa: E402

# Increase it when deadline_load.py or deadline_records.py give other numbers for the same run.
DEADLINE_REDUCTION = 1
# Increase it when stream_load.py or stream_records.py give other numbers for the same run.
STREAM_REDUCTION = 1
# Increase it when remap_load.py or one_remap_run.py give other numbers for the same run. The parts of host/remap are in the
# spec.
REMAP_REDUCTION = 1
PROBE_WORDS = ("--platform", "native", "platform.ideal_electronics=true")


class Runner:
    """Runs of one sweep by one program. Threads may share it."""

    def __init__(self, program: Path, root: Path, sweep: Sweep, scratch: Path) -> None:
        """Prepares the runs. Raises ExperimentError when program or drive cannot be read."""
        self._sweep = sweep

        drives = {_drive_name(run.drive): file_of_drive(sweep.file, run.drive or sweep.drive) for run in sweep.runs}
        self.workplace = Workplace(Simulator(program, root), drives | {DRIVE: sweep.drive_file}, scratch)
        self._made: dict[str, dict[str, Any]] = {}  # maps, by the addresses of their specs
        self._answers: dict[str, Any] = {}  # of `headstack admission`, by what was asked
        self._pages = {name: self._pages_of(file) for name, file in self.workplace.files.items()}
        if any(run.remap for run in sweep.runs):
            self._walks = {one.__name__: hash_file(Path(str(one.__file__))) for one in (chain, walk)}
            self._replays = {one.__name__: hash_file(Path(str(one.__file__))) for one in (trace_load, apply, requests)}
            self._arranger = hash_file(front_end(self.workplace))
            self._listing = hash_file(Path(str(listing.__file__)))
        used = {(_drive_name(run.drive), run.electronics) for run in sweep.runs}
        self._hashes = {key: self._hash_inputs(*key) for key in used}

    def _pages_of(self, drive: Path) -> int:
        """The pages of a drive for requests with deadlines, which lie anywhere. Other requests follow the layout."""
        if any(run.remap for run in self._sweep.runs):
            return capacity_blocks(self.workplace.simulator, drive) // GROUP_BLOCKS
        if all(run.deadlines is None for run in self._sweep.runs):
            return 0  # Other runs have no pages.
        page = self._sweep.sectors * self._sweep.places
        pages = capacity_blocks(self.workplace.simulator, drive) // page
        if pages == 0:
            raise ExperimentError(f"{self._sweep.file}: requests.sectors: {self._sweep.sectors} do not fit on {drive}")
        return pages

    def _hash_inputs(self, drive_name: str, kind: str) -> dict[str, str]:
        """The inputs of a kind of electronics, beside the run itself."""
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

    def spec(self, run: Run) -> Spec:
        """All inputs of the run's result."""
        if run.deadlines:
            return self._deadline_spec(run, run.deadlines)
        if run.streams:
            return self._stream_spec(run, run.streams)
        assert run.remap  # host/sweep makes all other runs (depths.py).
        return self._remap_spec(run, run.remap)

    def _deadline_spec(self, run: Run, load: DeadlineLoad) -> Spec:
        """The spec without numbers that have no effect: frames, if reads and writes share one pool."""
        deadlines: dict[str, Any] = {
            "reads": load.reads,
            "writes": load.writes,
            "slack_ms": list(load.slack_ms),
            "access_ms": load.access_ms,
        }
        if run.threshold != "none":
            deadlines["frames"] = load.frames
        if load.write_by_ms:
            deadlines["write_by_ms"] = load.write_by_ms
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
        """The spec with the workload's numbers, without its names."""
        drive = _drive_name(run.drive)
        spec: Spec = {
            "work": f"experiment with streams, reduction {STREAM_REDUCTION}",
            "files": self._hashes[drive, run.electronics],
            "drive": drive,
            "policy": run.policy,
            "electronics": run.electronics,
            "workload": load.spec,
            "settings": list(run.settings),
            "scale": load.scale,
            "seed": run.seed,
            "requests": run.requests,
        }
        if load.copies is not None:
            spec["blocks"] = self._once(f"blocks of {drive}", lambda: capacity_blocks(self.workplace.simulator, self.workplace.files[drive]))
        if load.groups:
            spec["groups"] = load.groups
        if run.layer:
            spec["layer"] = {"name": run.layer, "version": LAYER_VERSION}
        if run.layer == CHEN:
            spec["layer"]["requests"] = self._round_requests(run, load)
        return spec

    def _once(self, question: str, answer: Callable[[], Any]) -> Any:
        """The answer to a question about a drive, which is asked once."""
        if question not in self._answers:
            self._answers[question] = answer()
        return self._answers[question]

    def _round_requests(self, run: Run, load: StreamLoad) -> int:
        """The number of requests in a round of the layer `chen`. Raises ExperimentError."""
        drive = _drive_name(run.drive)
        return int(
            self._once(
                f"round of {load.workload} {load.scale} on {drive}",
                lambda: requests_of_round(self.workplace.simulator, self.workplace.files[drive], load.spec["streams"], load.scale),
            )
        )

    def _admitted(self, run: Run, load: StreamLoad) -> int:
        """The number of streams that the run's scheme admits. Raises ExperimentError."""
        drive, stream = _drive_name(run.drive), load.spec["streams"][0]
        where = f"{self._sweep.file}: sweep '{run.sweep}'"
        if any((one["gap_ms"], one["size_kb"]) != (stream["gap_ms"], stream["size_kb"]) for one in load.spec["streams"]):
            raise ExperimentError(f"{where}: the streams of workload '{load.workload}' differ, and a scheme admits equal ones; give equal streams")
        blocks = mean_blocks([stream])
        rate = blocks * SECTOR_BYTES / (stream["gap_ms"] * load.scale) * MS_PER_S
        found = self._once(
            f"admission of {load.workload} {load.scale} on {drive}",
            lambda: admission(self.workplace.simulator, self.workplace.files[drive], rate, blocks),
        )[run.scheme]
        if load.groups and found["groups"] and load.groups != found["groups"]:
            raise ExperimentError(f"{where}: 'groups' is {load.groups}, but `headstack admission` has {found['groups']}; give {found['groups']}")
        return int(found["streams"])

    def _sources(self, load: RemapLoad) -> dict[str, str]:
        """The hashes of the sources that make the load's requests."""
        return self._replays if load.trace else self._walks

    def _map_spec(self, run: Run, load: RemapLoad) -> Spec:
        """The spec of the run's map; empty without a map."""
        drive = _drive_name(run.drive)
        learn = load.map_spec(self._pages[drive])
        if not learn:
            return {}
        return {
            "work": f"map of an experiment, reduction {MAP_REDUCTION}",
            "files": self._sources(load)
            | {"program": self._arranger, "drive": self._hashes[drive, run.electronics]["drive"]}
            | ({"listing": self._listing} if load.map_words == LISTING else {}),
            "drive": drive,
            "words": learn.pop("words"),
            "learn": learn | {"seed": run.seed},
        }

    def _remap_spec(self, run: Run, load: RemapLoad) -> Spec:
        """The spec with the map's file, whose name is made from the map's spec."""
        drive = _drive_name(run.drive)
        arranged = self._map_spec(run, load)
        return {
            "work": f"experiment with remapping, reduction {REMAP_REDUCTION}",
            "files": self._sources(load) | self._hashes[drive, run.electronics],
            "drive": drive,
            "policy": run.policy,
            "electronics": run.electronics,
            "remap": load.spec(self._pages[drive]),
            "map": map_name(arranged) if arranged else NO_MAP,
            "seed": run.seed,
            "requests": run.requests,
        }

    def prepare(self, store: Store, jobs: int | None, interrupted: Callable[[int, int], Exception]) -> None:
        """Makes the maps of all runs. Raises ExperimentError, or what `interrupted` makes."""
        self._convert_traces()
        specs = [spec for run in self._sweep.runs if run.remap and (spec := self._map_spec(run, run.remap))]
        self._made = make_maps(specs, store, self.workplace, jobs, interrupted) if specs else {}

    def _convert_traces(self) -> None:
        """Converts the traces, which runs find in the same place as maps."""
        simulator = self.workplace.simulator
        for load in {run.remap.trace.name: run.remap.trace for run in self._sweep.runs if run.remap and run.remap.trace}.values():
            file = self.workplace.scratch / trace_file(load.name)
            convert(load, file, lambda words: simulator.call(front_end(self.workplace), words))
            self.workplace.files[trace_file(load.name)] = file

    def finish(self, run: Run, result: dict[str, Any]) -> dict[str, Any]:
        """The run's own result, from one that several runs share; with a map, also its energy."""
        if run.deadlines:
            return finish(result, run.deadlines.frames)
        if run.streams and run.scheme:
            return result | {"admitted": self._admitted(run, run.streams)}
        if run.streams and run.layer == CHEN:
            return result | {"round_requests": self._round_requests(run, run.streams)}
        arranged = self._map_spec(run, run.remap) if run.remap else {}
        if not arranged:
            return result
        made = self._made[address_of(arranged)]
        independent = {"independent_energy": made["independent_mean"]} if "independent_mean" in made else {}
        return result | {"identity_energy": made["identity_mean"], "map_energy": made["result_mean"]} | independent | made.get("order", {})

    def run(self, run: Run) -> dict[str, Any]:
        """Makes a run here and now. Raises ExperimentError."""
        return make(self.spec(run), self.workplace)

    def refusals(self) -> list[str]:
        """The drive's messages about policies that it refuses, one sentence each."""
        sentences: list[str] = []
        for policy in dict.fromkeys(run.policy for run in self._sweep.runs):
            with tempfile.TemporaryDirectory(dir=self.workplace.scratch) as name:
                folder = Path(name)
                write_trace(folder / "trace", np.arange(2) * self._sweep.sectors, self._sweep.sectors)
                words: list[str | Path] = ["--drive", self.workplace.files[DRIVE], "--trace", folder / "trace"]
                words += [*choice_words(policy), *PROBE_WORDS]
                ended = self.workplace.simulator.run(words, folder / "run")
                if ended.status != 0:
                    sentences.append(f"policy '{policy}': {ended.message or f'status {ended.status}'}")
        return sentences


def _drive_name(drive: str) -> str:
    """The drive's name among the files of a workplace."""
    return f"{Path(drive).stem}.toml" if drive else DRIVE
