# SPDX-License-Identifier: Apache-2.0
"""The maps of an experiment with remapping: each is made once, by `headstack remap arrange`, and kept like a result.

They are made here before the runs begin, because other machines lack the front end. A run finds its map among the files of its
workplace.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from errors import ExperimentError
from remap_load import GROUP_BLOCKS, REQUEST_BLOCKS, day_of, learned
from trace_load import learn_half

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.places import LOCAL, open_place  # noqa: E402
from execute.simulator import said  # noqa: E402
from execute.store import Spec, Store, address_of  # noqa: E402
from execute.sweep import Failed, Sweep, carry_out_specs  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from remap.arrangement import Map, read_map, write_map  # noqa: E402
from remap.counts import Counts, read_counts, write_counts  # noqa: E402
from remap.errors import RemapError  # noqa: E402
from remap.requests import learn, of_run  # noqa: E402
from remap.walk import write_walk  # noqa: E402

# Increase it when learning gives other counts for the same spec.
MAP_REDUCTION = 1
NO_MAP = "none"
RUN_WORDS = ("--cache", "off", "drive.controller=published")  # words of each run with a map, and of each run that a map is made of
LEARNING_WORDS = ("--platform", "native", "platform.ideal_electronics=true", *RUN_WORDS)


def map_name(spec: Spec) -> str:
    """The map's name among the files of a workplace."""
    return f"map-{address_of(spec)[:24]}.json"


def front_end(workplace: Workplace) -> Path:
    """The front end, which arranges maps."""
    return workplace.simulator.program.with_name("headstack")


def served(spec: Spec, workplace: Workplace, folder: Path) -> Counts:
    """The counts of a day in the order of service, on the drive without a map. Raises ExperimentError."""
    write_walk(folder / "trace", day_of(spec["learn"]), REQUEST_BLOCKS, False, "headstack experiment")
    words: list[str | Path] = ["--drive", workplace.files[spec["drive"]], "--trace", folder / "trace", "--policy", spec["learn"]["policy"]]
    words += ["--depth", str(spec["learn"]["walkers"]), *LEARNING_WORDS]
    bounded = "bounded" in spec["learn"]
    words += [f"remap.learn_blocks={GROUP_BLOCKS}"] if bounded else []
    ended = workplace.simulator.run(words, folder / "run")
    if ended.status != 0:
        raise ExperimentError(f"the day that a map is made of: {ended.message or f'status {ended.status}'}")
    try:
        if bounded:
            return read_counts(folder / "run/counts.json")
        return learn(of_run(folder / "run"), spec["learn"]["groups"], 0, GROUP_BLOCKS)
    except RemapError as error:
        raise ExperimentError(str(error)) from error


def make_map(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """Learns a map and arranges it. Raises ExperimentError."""
    learn_spec = spec["learn"]
    with tempfile.TemporaryDirectory(dir=workplace.scratch) as name:
        counts, arranged = Path(name) / "counts.json", Path(name) / "map.json"
        if "trace" in learn_spec:
            write_counts(counts, learn_half(learn_spec, workplace.files[learn_spec["trace"]], learn_spec["capacity"]))
        else:
            write_counts(counts, served(spec, workplace, Path(name)) if "policy" in learn_spec else learned(learn_spec))
        words: list[str | Path] = ["remap", "arrange", workplace.files[spec["drive"]], "--counts", counts, "--out", arranged, "--json"]
        words += [*spec["words"].split(), "--seed", str(spec["learn"]["seed"])]
        status, output, message = workplace.simulator.call(front_end(workplace), words)
        if status != 0:
            raise ExperimentError(f"map '{spec['words']}': {said(status, message)}")
        try:
            made = read_map(arranged)
        except RemapError as error:
            raise ExperimentError(str(error)) from error
        report = json.loads(output)
    return {
        "first_block": made.first_block,
        "unit_blocks": made.unit_blocks,
        "slots": made.slots.tolist(),
        "identity_mean": report["identity_mean"],
        "result_mean": report["result_mean"],
        "trials": report["trials"],
        "evaluations": report["evaluations"],
    }


def make_maps(
    specs: Iterable[Spec], store: Store, workplace: Workplace, jobs: int | None, interrupted: Callable[[int, int], Exception]
) -> dict[str, dict[str, Any]]:
    """The maps by address, written where runs find them. Raises ExperimentError, or what `interrupted` makes of done and
    total.
    """
    wanted = {address_of(spec): spec for spec in specs}
    sweep = Sweep(
        list(wanted.values()), make_map, name=lambda spec: spec["words"], key=address_of, noun="maps",
    )  # fmt: skip
    try:
        with open_place(LOCAL, jobs, workplace) as place:
            done = carry_out_specs(sweep, place.executor, place.stop, store)
    except Failed as failed:
        raise ExperimentError(str(failed)) from failed.error
    if done.interrupted:
        raise interrupted(done.done, done.total)
    made = dict(zip(wanted, done.results, strict=True))
    for address, spec in wanted.items():
        file = workplace.scratch / map_name(spec)
        one = made[address]
        write_map(file, Map(one["first_block"], one["unit_blocks"], np.array(one["slots"], dtype=np.int64)))
        workplace.files[map_name(spec)] = file
    return made
