# SPDX-License-Identifier: Apache-2.0
"""A sweep: a scenario, axes and seeds in, a table out (sweep_table.py). The runs are made by host/execute.

    table = sweep(simulator, declaration_of(simulator, ["policy=fcfs,stf", "seeds=5"]), store=store, scratch=folder)

The table does not depend on executor, number of jobs, or order of completion. A run that failed is left out, and the table
has its message; the other runs are made nevertheless.
"""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from axes import SEED_KEY, SEEDS, TITLE, Declaration, parse_words, split_words
from inputs import Inputs
from one_point import FAILURE, REMARK, VERSION, make
from scenarios import Files, Keys, Schema, has_chance, table_value, with_files, without_title
from sweep_errors import Refused, SweepError, WordError
from sweep_table import Failure, Row, Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.errors import ExecuteError  # noqa: E402
from execute.places import LOCAL, Work, jobs_here, open_place  # noqa: E402
from execute.simulator import Simulator  # noqa: E402
from execute.store import Spec, Store, address_of, canonical, hash_text  # noqa: E402
from execute.sweep import Failed, Sweep, carry_out, carry_out_specs  # noqa: E402
from execute.workplace import Workplace  # noqa: E402

MOST_RUNS = 100_000
RTL = "rtl"


@dataclass(frozen=True)
class Point:
    """One combination of values, which has a run for each seed."""

    places: tuple[int, ...]  # on each axis
    settings: tuple[str, ...]  # KEY=VALUE of each axis, for people
    scenario: str  # in its canonical form


@dataclass(frozen=True)
class Plan:
    """All points of a sweep. The simulator has accepted each of their scenarios."""

    declared: Declaration
    keys: Keys
    points: tuple[Point, ...]

    @property
    def seeds(self) -> tuple[int | None, ...]:
        """The seeds of the runs at each point. (None,) is one run, with the scenario's own seed or without any."""
        return tuple(range(1, self.declared.seeds + 1)) if self.declared.seeds else (None,)


def declaration_of(simulator: Simulator, words: Sequence[str]) -> Declaration:
    """Parses the words of a command line (axes.py). Raises SweepError and ExecuteError."""
    schema = Schema(simulator)
    file, settings, _ = split_words(words)
    plain = [f"{key}={text}" for key, text in settings if "," not in text and ".." not in text and not text.startswith("[")]
    return parse_words(words, schema.keys().paths, schema.takes(file, plain))


def make_plan(simulator: Simulator, declared: Declaration, jobs: int | None = None) -> Plan:
    """Asks the simulator for the scenario of each point. Raises SweepError, ExecuteError and KeyboardInterrupt."""
    runs = prod(len(axis.values) for axis in declared.axes) * (declared.seeds or 1)
    if not declared.axes and runs == 1:
        raise WordError(
            "there is one run, so there is nothing to compare; give a key several values, as in policy=fcfs,stf or depth=1..64, "
            "or seeds=5; 'headstack run' makes one run"
        )
    if runs > MOST_RUNS:
        raise WordError(f"{runs:,} runs; give fewer values or seeds: {MOST_RUNS:,} runs are the most")
    schema = Schema(simulator)
    return Plan(declared, schema.keys(), _points(schema, declared, simulator, jobs))


def _points(schema: Schema, declared: Declaration, simulator: Simulator, jobs: int | None) -> tuple[Point, ...]:
    """All points, the first one ahead of the others: most mistakes show there, and are told once."""
    combinations = list(product(*(range(len(axis.values)) for axis in declared.axes)))
    more = _settings_for_seeds(schema, declared, combinations[0])

    def settings_at(places: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(f"{axis.key}={axis.values[at].text}" for axis, at in zip(declared.axes, places, strict=True))

    def point_at(places: tuple[int, ...]) -> Point:
        return Point(places, settings_at(places), schema.canonical(declared.file, [*declared.at(places), *more]))

    # Each value of an axis, beside the first values of the others, in order. So the mistake that is told does not depend on threads.
    first = combinations[0]
    for number, axis in enumerate(declared.axes):
        for at in range(1, len(axis.values)):
            point_at((*first[:number], at, *first[number + 1 :]))
    with ThreadPoolExecutor(jobs_here(jobs)) as executor:
        asked = Sweep(
            combinations, point_at, name=lambda places: " ".join(settings_at(places)), key=lambda places: places, noun="scenarios"
        )
        try:
            done = carry_out(asked, executor, simulator.stop)
        except Failed as failed:
            raise failed.error from None
    if done.interrupted:
        raise KeyboardInterrupt
    points = tuple(done.results)
    if declared.seeds:
        for point in points:
            _require_chance(point)
    _require_different(points)
    return points


def _settings_for_seeds(schema: Schema, declared: Declaration, first: tuple[int, ...]) -> list[str]:
    """Settings that make a synthetic load, if there are seeds and no other source of requests. Raises Refused."""
    try:
        schema.canonical(declared.file, declared.at(first))
    except Refused as refusal:
        if not schema.lacks_a_load(refusal):
            raise
        if not declared.seeds:
            raise Refused(f"{refusal}; for random reads: load.synthetic.requests=2000 seeds=5", refusal.status) from None
        return [f"{SEED_KEY}=1"]
    return []


def _require_chance(point: Point) -> None:
    if not has_chance(point.scenario):
        source = "load.trace" if table_value(point.scenario, "load.trace") is not None else "load.requests"
        raise WordError(
            f"{SEEDS}: {source} has the same requests with any seed, so there is nothing to average; leave {SEEDS} out for single "
            "values, or give a random load in its place, as in load.synthetic.requests=2000"
        )


def _require_different(points: Sequence[Point]) -> None:
    """Refuses two points with the same scenario: equal numbers would look like a result. Raises WordError."""
    seen: dict[str, Point] = {}
    for point in points:
        if (other := seen.setdefault(point.scenario, point)) is not point:
            raise WordError(
                f"{', '.join(point.settings)} and {', '.join(other.settings)} are the same scenario; leave one of the values out"
            )


class _Keeper:
    """The store of a sweep, which also collects the results. Failures are not stored: the same command tries them again."""

    def __init__(self, store: Store, require_unchanged: Callable[[], None]) -> None:
        self._store, self._require_unchanged = store, require_unchanged
        self.results: dict[str, dict[str, Any]] = {}  # by the address of the spec

    def get(self, spec: Spec) -> tuple[Any] | None:
        kept = self._store.get(spec)
        if kept is not None:
            self.results[address_of(spec)] = kept[0]
        return kept

    def put(self, spec: Spec, result: Any) -> Any:
        self._require_unchanged()
        if FAILURE not in result:
            result = self._store.put(spec, result)
        self.results[address_of(spec)] = result
        return result


class _Specs:
    """What the runs of a plan depend on."""

    def __init__(self, simulator: Simulator, plan: Plan) -> None:
        """Raises SweepError or ExecuteError when a file cannot be read."""
        self._simulator, self._plan = simulator, plan
        self._inputs = Inputs()
        self.files = Files(self._inputs)
        self._texts = [with_files(without_title(point.scenario), plan.keys.files, self.files.token) for point in plan.points]
        named = sorted((simulator.root / "sim/drives").glob("*.toml"))
        self._drives = hash_text(canonical({file.name: self._hash(file) for file in named}))

    def _hash(self, file: Path) -> str:
        try:
            return self._inputs.hash(file)
        except OSError as error:
            raise ExecuteError(f"{file}: {error.strerror}; run ./headstack build") from None

    def require_unchanged(self) -> None:
        """Refuses results of a changed program or file, which would be stored under the old hash. Raises SweepError."""
        file = self._inputs.changed()
        if file is not None:
            raise SweepError(f"{file} has changed since the sweep began; run the same command again, without a build beside it")

    def spec(self, number: int, seed: int | None) -> Spec:
        """The spec of a run, by the number of its point. Raises ExecuteError."""
        text = self._texts[number]
        is_rtl = table_value(text, "platform.kind") == RTL
        return {
            "work": f"run of a sweep, version {VERSION}",
            "program": self._hash(self._simulator.electronics if is_rtl else self._simulator.program),
            "firmware": self._hash(self._simulator.elf),
            "drives": self._drives,
            "scenario": text,
            "file_keys": sorted(self._plan.keys.files),
            "seed": seed,
        }


def carry_out_plan(
    simulator: Simulator, plan: Plan, *, store: Store, scratch: Path, executor: str = LOCAL, jobs: int | None = None,
    work: Work = make,
) -> Table:  # fmt: skip
    """Makes the runs. After Ctrl-C the table has what is done. Raises SweepError, ExecuteError and OutputError."""
    specs = _Specs(simulator, plan)
    runs = [(point, seed, specs.spec(number, seed)) for number, point in enumerate(plan.points) for seed in plan.seeds]
    names = {address_of(spec): _name(point, seed) for point, seed, spec in runs}
    keeper = _Keeper(store, specs.require_unchanged)
    asked = Sweep(
        [spec for _, _, spec in runs], work, name=lambda spec: names[address_of(spec)], key=address_of,
        is_trouble=lambda result: FAILURE in result,
    )  # fmt: skip
    with open_place(executor, jobs, Workplace(simulator, specs.files.paths, scratch)) as place:
        try:
            done = carry_out_specs(asked, place.executor, place.stop, keeper, place.window)
        except Failed as failed:
            if isinstance(failed.error, SweepError):
                raise failed.error from None
            raise SweepError(f"{names[address_of(failed.item)]}: {failed}") from failed.error
    rows: list[Row] = []
    failures: list[Failure] = []
    for point, seed, spec in runs:
        name = _name(point, seed)
        result = keeper.results.get(address_of(spec))
        if result is None:
            continue
        if FAILURE in result:
            failures.append(Failure(point.places, seed, specs.files.named(result[FAILURE]), name))
        else:
            figures = result | ({REMARK: specs.files.named(result[REMARK])} if REMARK in result else {})
            rows.append(Row(point.places, seed, figures, name))
    return Table(
        axes=tuple(plan.declared.axes), seeds=plan.declared.seeds, rows=tuple(rows), failures=tuple(failures), wanted=len(runs),
        interrupted=done.interrupted, title=str(table_value(plan.points[0].scenario, TITLE) or ""),
    )  # fmt: skip


def _name(point: Point, seed: int | None) -> str:
    return " ".join([*point.settings, *([f"{SEED_KEY}={seed}"] if seed is not None else [])])


def sweep(
    simulator: Simulator, declared: Declaration, *, store: Store, scratch: Path, executor: str = LOCAL, jobs: int | None = None
) -> Table:
    """A scenario with axes and seeds as a table. Raises what make_plan() and carry_out_plan() raise."""
    plan = make_plan(simulator, declared, jobs)
    return carry_out_plan(simulator, plan, store=store, scratch=scratch, executor=executor, jobs=jobs)
