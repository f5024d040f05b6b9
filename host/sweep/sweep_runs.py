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
from pathlib import Path
from typing import Any, NamedTuple

from axes import MADE, SEED_KEY, SEEDS, TITLE, TRACE_KEY, Declaration, parse_words, split_words
from inputs import Inputs
from one_point import FAILURE, REMARK, VERSION, make
from scenarios import Files, Keys, Schema, has_chance, table_value, with_files, without_title
from sweep_errors import Refused, SweepError, WordError
from sweep_table import Failure, Row, Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.errors import ExecuteError  # noqa: E402
from execute.places import LOCAL, Work, jobs_here, open_place  # noqa: E402
from execute.simulator import NATIVE, RTL, Simulator  # noqa: E402
from execute.store import Spec, Store, address_of, canonical, hash_text  # noqa: E402
from execute.sweep import Failed, Sweep, carry_out, carry_out_specs  # noqa: E402
from execute.workplace import Workplace  # noqa: E402

MOST_RUNS = 100_000


@dataclass(frozen=True)
class Point:
    """One combination of values, with a run for each seed."""

    places: tuple[int, ...]  # on each axis
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
        return self.declared.seeds or (None,)


def declaration_of(simulator: Simulator, words: Sequence[str]) -> Declaration:
    """Parses the words of a command line (axes.py). Raises SweepError and ExecuteError."""
    schema = Schema(simulator)
    file, settings, _ = split_words(words)
    plain = [f"{key}={text}" for key, text in settings if "," not in text and ".." not in text and not text.startswith("[")]
    return parse_words(words, schema.keys().paths, schema.takes(file, plain))


def make_plan(simulator: Simulator, declared: Declaration, jobs: int | None = None) -> Plan:
    """Asks the simulator for the scenario of each point. Raises SweepError, ExecuteError and KeyboardInterrupt."""
    runs = declared.count
    if runs > MOST_RUNS:
        raise WordError(f"{runs:,} runs; give fewer values or seeds: {MOST_RUNS:,} runs are the most")
    schema = Schema(simulator)
    return Plan(declared, schema.keys(), _points(schema, declared, simulator, jobs))


def _points(schema: Schema, declared: Declaration, simulator: Simulator, jobs: int | None) -> tuple[Point, ...]:
    """All points, the first one before the others: most mistakes show there, and are reported once."""
    combinations = declared.combinations()
    more = _settings_for_seeds(schema, declared, combinations[0])

    def point_at(places: tuple[int, ...]) -> Point:
        return Point(places, schema.canonical(declared.file, [*declared.at(places), *more]))

    # Each value of an axis, beside the first values of the others, in order. So the reported mistake does not depend on
    # threads.
    first = combinations[0]
    for number, axis in enumerate(declared.axes):
        for at in range(1, len(axis.values)):
            point_at((*first[:number], at, *first[number + 1 :]))
    with ThreadPoolExecutor(jobs_here(jobs)) as executor:
        asked = Sweep(combinations, point_at, name=declared.describe, key=lambda places: places, noun="scenarios")
        try:
            done = carry_out(asked, executor, simulator.stop)
        except Failed as failed:
            raise failed.error from None
    if done.interrupted:
        raise KeyboardInterrupt
    points = tuple(done.results)
    if declared.load:
        return points  # Runs may differ in their loads alone.
    if declared.seeds:
        for point in points:
            _require_chance(point)
    _require_different(declared, points)
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


def _require_different(declared: Declaration, points: Sequence[Point]) -> None:
    """Refuses two points with the same scenario: equal numbers would look like a result. Raises WordError."""
    seen: dict[str, Point] = {}
    for point in points:
        if (other := seen.setdefault(point.scenario, point)) is not point:
            raise WordError(
                f"{declared.describe(point.places)} and {declared.describe(other.places)} are the same scenario; leave one of the "
                "values out"
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


class _Run(NamedTuple):
    places: tuple[int, ...]
    seed: int | None
    name: str
    spec: Spec


class _Specs:
    """The inputs of runs."""

    def __init__(self, simulator: Simulator) -> None:
        """Hashes the files. Raises ExecuteError when one cannot be read."""
        self._simulator = simulator
        self._inputs = Inputs()
        self.files = Files(self._inputs)
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

    def runs_of(self, plan: Plan, work: Work) -> list[_Run]:
        """All runs of a plan, seed by seed at each point. Raises SweepError or ExecuteError when a file cannot be read."""
        return [
            _Run(point.places, seed, plan.declared.describe(point.places, seed), spec | {"seed": seed})
            for point in plan.points
            for spec in [self._spec(plan, point, work)]
            for seed in plan.seeds
        ]

    def _spec(self, plan: Plan, point: Point, work: Work) -> Spec:
        """The spec of a run without its seed."""
        declared = plan.declared
        text = with_files(
            without_title(point.scenario), plan.keys.files,
            lambda key, name: MADE if declared.load and key == TRACE_KEY else self.files.token(key, name),
        )  # fmt: skip
        platform = table_value(text, "platform.kind")
        spec = {
            "work": f"{work.__module__}.{work.__name__}, version {VERSION}",
            "program": self._hash(self._simulator.electronics if platform == RTL else self._simulator.program),
            "drives": self._drives,
            "scenario": text,
            "file_keys": sorted(plan.keys.files),
        }
        if platform != NATIVE:  # the firmware of native is in the program
            spec["firmware"] = self._hash(self._simulator.elf)
        if declared.load:
            spec["load"] = declared.load(point.places)
        return spec


def carry_out_plans(
    simulator: Simulator, plans: Sequence[Plan], *, store: Store, scratch: Path, executor: str = LOCAL, jobs: int | None = None,
    work: Work = make,
) -> list[Table]:  # fmt: skip
    """Makes the runs of all plans, and returns a table for each. After Ctrl-C the tables have what is done.

    Raises SweepError, ExecuteError and OutputError.
    """
    specs = _Specs(simulator)
    runs = [specs.runs_of(plan, work) for plan in plans]
    every = [run for some in runs for run in some]
    names = {address_of(run.spec): run.name for run in every}
    keeper = _Keeper(store, specs.require_unchanged)
    asked = Sweep(
        [run.spec for run in every], work, name=lambda spec: names[address_of(spec)], key=address_of,
        is_trouble=lambda result: FAILURE in result,
    )  # fmt: skip
    with open_place(executor, jobs, Workplace(simulator, specs.files.paths, scratch)) as place:
        try:
            done = carry_out_specs(asked, place.executor, place.stop, keeper, place.window)
        except Failed as failed:
            if isinstance(failed.error, SweepError):
                raise failed.error from None
            raise SweepError(f"{names[address_of(failed.item)]}: {specs.files.named(str(failed))}") from failed.error
    return [_table(plan, some, keeper, specs.files, done.interrupted) for plan, some in zip(plans, runs, strict=True)]


def _table(plan: Plan, runs: Sequence[_Run], keeper: _Keeper, files: Files, interrupted: bool) -> Table:
    """The table of a plan's finished runs."""
    rows: list[Row] = []
    failures: list[Failure] = []
    for places, seed, name, spec in runs:
        result = keeper.results.get(address_of(spec))
        if result is None:
            continue
        if FAILURE in result:
            failures.append(Failure(places, seed, files.named(result[FAILURE]), name))
        else:
            figures = result | ({REMARK: files.named(result[REMARK])} if REMARK in result else {})
            rows.append(Row(places, seed, figures, name))
    return Table(
        axes=tuple(plan.declared.axes), seeds=len(plan.declared.seeds) or None, rows=tuple(rows), failures=tuple(failures),
        wanted=len(runs), interrupted=interrupted, title=str(table_value(plan.points[0].scenario, TITLE) or ""),
    )  # fmt: skip


def carry_out_plan(simulator: Simulator, plan: Plan, **how: Any) -> Table:
    """Like carry_out_plans(), for one plan."""
    return carry_out_plans(simulator, [plan], **how)[0]


def sweep(
    simulator: Simulator, declared: Declaration, *, store: Store, scratch: Path, executor: str = LOCAL, jobs: int | None = None
) -> Table:
    """A scenario with axes and seeds as a table. Raises what make_plan() and carry_out_plan() raise."""
    plan = make_plan(simulator, declared, jobs)
    return carry_out_plan(simulator, plan, store=store, scratch=scratch, executor=executor, jobs=jobs)
