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
from remap_load import GROUP_BLOCKS, LISTING, PUBLISHED, REQUEST_BLOCKS, Learned, day_of, learned
from trace_load import learn_half

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.places import LOCAL, open_place  # noqa: E402
from execute.simulator import said  # noqa: E402
from execute.store import Spec, Store, address_of  # noqa: E402
from execute.sweep import Failed, Sweep, carry_out_specs  # noqa: E402
from execute.workplace import Workplace  # noqa: E402
from remap.arrangement import Map, identity, read_map, write_map  # noqa: E402
from remap.counts import Counts, Numbers, count_stream, read_counts, write_counts  # noqa: E402
from remap.errors import RemapError  # noqa: E402
from remap.listing import anneal  # noqa: E402
from remap.markov import energy_if_independent, energy_of, order_of  # noqa: E402
from remap.requests import of_groups, of_run  # noqa: E402
from remap.walk import write_walk  # noqa: E402

# Increase it when learning gives other counts for the same spec.
MAP_REDUCTION = 2
NO_MAP = "none"
RUN_WORDS = ("--cache", "off")  # words of each run with a map, and of each run that a map is made of
LEARNING_WORDS = ("--platform", "native", "platform.ideal_electronics=true", f"drive.controller={PUBLISHED}", *RUN_WORDS)


def map_name(spec: Spec) -> str:
    """The map's name among the files of a workplace."""
    return f"map-{address_of(spec)[:24]}.json"


def front_end(workplace: Workplace) -> Path:
    """The front end, which arranges maps."""
    return workplace.simulator.program.with_name("headstack")


def served(spec: Spec, workplace: Workplace, folder: Path) -> Learned | Counts:
    """A day in the order of service, on the drive without a map; or the drive's own counts of it. Raises ExperimentError."""
    learn = spec["learn"]
    write_walk(folder / "trace", day_of(learn), REQUEST_BLOCKS, "one_walk" in learn, "headstack experiment")
    words: list[str | Path] = ["--drive", workplace.files[spec["drive"]], "--trace", folder / "trace", "--policy", learn["policy"]]
    words += ["--depth", str(learn["walkers"]), *LEARNING_WORDS]
    bounded = "bounded" in learn
    words += [f"remap.learn_blocks={GROUP_BLOCKS}"] if bounded else []
    ended = workplace.simulator.run(words, folder / "run")
    if ended.status != 0:
        raise ExperimentError(f"the day that a map is made of: {ended.message or f'status {ended.status}'}")
    try:
        if bounded:
            return read_counts(folder / "run/counts.json")
        requests = of_run(folder / "run")
    except RemapError as error:
        raise ExperimentError(str(error)) from error
    stream, _ = of_groups(requests, learn["groups"], 0, GROUP_BLOCKS)
    return Learned(stream, count_stream(stream, learn["groups"], 0, GROUP_BLOCKS, requests.gaps_us))


def day_to_learn(spec: Spec, workplace: Workplace, folder: Path) -> Learned | Counts:
    """What a map is made of: a stream, unless only counts of it are known. Raises ExperimentError."""
    learn = spec["learn"]
    if "trace" in learn:
        return learn_half(learn, workplace.files[learn["trace"]], learn["capacity"])
    return served(spec, workplace, folder) if "policy" in learn else learned(learn)


def order_numbers(day: Learned) -> dict[str, float]:
    """The tests of the order of a stream, as printed and with the degrees of freedom of the cells that can be filled.

    Beside them the number of distinct pairs, and the share of the accesses that go to the busiest tenth of the groups.
    """
    order = order_of(day.stream, day.counts.groups)
    busiest = np.sort(day.counts.visits)[::-1]
    return {
        "busiest_tenth": float(busiest[: len(busiest) // 10].sum() / busiest.sum()),
        "pairs": len(day.counts.pairs),
        "chi2_first": order.first.chi2,
        "z_first": order.first.z,
        "z_first_seen": order.first_seen.z,
        "chi2_second": order.second.chi2,
        "z_second": order.second.z,
        "z_second_seen": order.second_seen.z,
        "z_second_most": order.second_most_z,
    }


def arranged(spec: Spec, counts: Counts, workplace: Workplace, folder: Path) -> tuple[Map, dict[str, Any]]:
    """The map that `headstack remap arrange` makes, and its report. Raises ExperimentError."""
    write_counts(folder / "counts.json", counts)
    words: list[str | Path] = ["remap", "arrange", workplace.files[spec["drive"]], "--counts", folder / "counts.json"]
    words += ["--out", folder / "map.json", "--json", *spec["words"].split(), "--seed", str(spec["learn"]["seed"])]
    status, output, message = workplace.simulator.call(front_end(workplace), words)
    if status != 0:
        raise ExperimentError(f"map '{spec['words']}': {said(status, message)}")
    try:
        return read_map(folder / "map.json"), json.loads(output)
    except RemapError as error:
        raise ExperimentError(str(error)) from error


def by_the_listing(counts: Counts, seed: int) -> tuple[Map, dict[str, Any]]:
    """The map that the paper's listing anneals from no map, and a report of the same form."""
    start = identity(counts.groups)
    found = anneal(counts, start, seed)
    report = {
        "identity_mean": energy_of(counts, start),
        "result_mean": energy_of(counts, found.slots),
        "trials": found.trials,
        "evaluations": 0,
    }
    return Map(counts.first_block, counts.group_blocks, found.slots), report


def group_places(made: Map, counts: Counts) -> Numbers | None:
    """The place of each group, or None if the map does not keep the units of a group together."""
    parts = counts.group_blocks // made.unit_blocks
    if len(made.slots) != parts * counts.groups:
        return None
    slots = made.slots.reshape(counts.groups, parts)
    whole = np.all(slots == slots[:, :1] + np.arange(parts)) and not np.any(slots[:, 0] % parts)
    return slots[:, 0] // parts if whole else None


def make_map(spec: Spec, workplace: Workplace) -> dict[str, Any]:
    """Learns a map and arranges it. Raises ExperimentError."""
    with tempfile.TemporaryDirectory(dir=workplace.scratch) as name:
        day = day_to_learn(spec, workplace, Path(name))
        counts = day.counts if isinstance(day, Learned) else day
        if spec["words"] == LISTING:
            made, report = by_the_listing(counts, spec["learn"]["seed"])
        else:
            made, report = arranged(spec, counts, workplace, Path(name))
    result: dict[str, Any] = {"first_block": made.first_block, "unit_blocks": made.unit_blocks, "slots": made.slots.tolist()}
    result |= {name: report[name] for name in ("identity_mean", "result_mean", "trials", "evaluations")}
    places = group_places(made, counts)
    if places is not None:
        result["independent_mean"] = energy_if_independent(counts, places)
    return result | ({"order": order_numbers(day)} if isinstance(day, Learned) else {})


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
