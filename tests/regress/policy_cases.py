# SPDX-License-Identifier: Apache-2.0
"""Cases of each policy's definition (host/regress/expect/policies/NAME.py), worked out by hand: policies/NAME.py here.

Such a module has

ORDERS  by selection, the order in which the queue below is served from cylinder 50.
LATE    the same with arrivals: by selection, pairs of a request and the number of choices before its arrival, and the order.
        May be left out.
STREAM_ORDERS  by selection and parameters of streams (stream_rows()), the order in which the queue is served. May be left out.
RANDOM  selections whose random queues the firmware serves as the definition does (random_queues.py): the policy as it is, and at
        least one for each parameter and flag. A selection with parameters of streams is a tuple.
SAME_AS of selections in RANDOM, another one by whose definition they are served. May be left out.
RANDOM_SHARE  only every so many-th queue of RANDOM, where a definition takes long. May be left out.
RUN     a golden case, of which the load is taken, and the selection that it runs under: there the policy chooses otherwise
        than all others do, and the drive as this definition says.
OTHER   a selection that would choose otherwise in that run, of a policy that has parameters. May be left out.
VECTORS of a policy in ../shared/vectors/realtime_static_queues.csv: its name there, and the selection. May be left out.
WITHOUT of a policy that knows deadlines: as which other RUN's selection chooses where nothing has one. May be left out.

A policy that no run can be compared with has its definition in C++. Its module says so, and has nothing else:

WHY_NONE  why.
HELD_BY   the test files that hold its choices against a definition instead, by their paths; each names the policy.

Its unit tests, if it has more to say, are classes of unittest.TestCase.
"""

import importlib.util
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from support import ROOT
from expect.policy import DEFINITIONS, DriveFacts, Moment, Request, make_policy, streams_of

sys.path.insert(0, str(ROOT / "tests"))

from policy_table import policies  # noqa: E402

CASES = Path(__file__).parent / "policies"
DRIVE = DriveFacts(cylinders=101, mean_access_ps=10e9)
# Cylinders of the requests, by number. The access of 5 is the shortest, though 3 is the nearest.
CYLINDERS = {1: 80, 2: 10, 3: 54, 4: 41, 5: 60, 6: 45}
LATENCY_MS = {1: 40.0, 2: 45.0, 3: 14.0, 4: 19.0, 5: 11.0, 6: 15.0}
AT = 50
# Deadlines for policies that use them. Each choice is made 10 ms after the one before, and the first at 0.
DEADLINE_MS = {1: 42, 2: 46, 4: 17}
MEAN_MS = {1: 25.0, 2: 32.0, 3: 12.0, 4: 16.0, 5: 18.0, 6: 13.0}
STEP_MS = 10
# Times for the policies of Table I: an access takes a seek, 1 ms and 0.1 ms a cylinder (none on the own one), and 5.25 ms.
FIXED_MS = 5.25
STREAM = {1: 1, 2: 3, 4: 1}  # streams of requests, else 0: real time has streams of its own
PRIORITY = {6: 1, 4: 3, 1: 5}


def missing_files() -> list[str]:
    """The files that are still missing for policies of firmware/queue/policies.def."""
    missing = []
    undefined = without_definition()
    for name in policies():
        if name in undefined:
            missing += unfounded(name, undefined[name])
            continue
        for file, what in (
            (DEFINITIONS / f"{name}.py", "its definition: make() and a class with key()"),
            (CASES / f"{name}.py", "its cases: ORDERS and RUN, as policy_cases.py says"),
        ):
            if not file.is_file():
                missing.append(f"policy '{name}': write {file.relative_to(ROOT)}, {what}; start from the most similar one")
    return missing


def unfounded(name: str, module: ModuleType) -> list[str]:
    """Why the reasons for a policy without a definition are not sufficient."""
    file = f"tests/regress/policies/{name}.py"
    faults = []
    if not str(module.WHY_NONE).strip():
        faults.append(f"{file}: WHY_NONE must say why")
    if not getattr(module, "HELD_BY", ()):
        faults.append(f"{file}: HELD_BY must name the tests that hold it instead")
    for test in getattr(module, "HELD_BY", ()):
        text = (ROOT / test).read_text(encoding="utf-8") if (ROOT / test).is_file() else ""
        if f'"{name}' not in text:
            faults.append(f'{file}: HELD_BY: {test} is no test that selects "{name}"')
    if (DEFINITIONS / f"{name}.py").is_file() or hasattr(module, "ORDERS") or hasattr(module, "RUN"):
        faults.append(f"{file}: it has a definition or cases, and says WHY_NONE")
    return faults


def cases() -> dict[str, ModuleType]:
    """The modules of policies that have a definition, in the table's order."""
    return {name: module for name, module in _modules().items() if not hasattr(module, "WHY_NONE")}


def without_definition() -> dict[str, ModuleType]:
    """The modules that say why the policy has no definition."""
    return {name: module for name, module in _modules().items() if hasattr(module, "WHY_NONE")}


def _modules() -> dict[str, ModuleType]:
    return {name: _load(CASES / f"{name}.py") for name in policies() if (CASES / f"{name}.py").is_file()}


def _load(file: Path) -> ModuleType:
    # The module's name differs from that of the definition.
    spec = importlib.util.spec_from_file_location(f"cases_of_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _deadline_ps(number: int) -> int | None:
    return DEADLINE_MS[number] * 10**9 if number in DEADLINE_MS else None


def _seek_ps(distance: int) -> float:
    return 1e9 + 1e8 * distance if distance else 0.0


def _moment(time_ps: float, at: int, waiting: Sequence[Request]) -> Moment:
    def move_ps(before: Request | None, request: Request) -> float:
        return _seek_ps(abs(request.cylinder - (at if before is None else before.cylinder)))

    def mean_ends_ps(order: Sequence[Request]) -> list[float]:
        takes = [move_ps(before, one) + FIXED_MS * 1e9 for before, one in pairwise([None, *order]) if one is not None]
        return [time_ps + sum(takes[: place + 1]) for place in range(len(takes))]

    def seek_ps(request: Request) -> float:
        return move_ps(None, request)

    def latency_ps(request: Request) -> float:
        return LATENCY_MS[request.number] * 1e9

    def mean_ps(request: Request) -> float:
        return MEAN_MS[request.number] * 1e9

    def fixed_ps(request: Request) -> float:
        return FIXED_MS * 1e9

    return Moment(time_ps, at, latency_ps, latency_ps, waiting, mean_ps, mean_ends_ps, seek_ps, move_ps, fixed_ps)


def stream_rows(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of settings.streams, from texts such as "3:u=0.25,period=100ms"."""
    rows = []
    for text in texts:
        number, _, rest = text.partition(":")
        values = dict(word.split("=") for word in rest.split(","))
        rows.append({"number": int(number), **{key: one if key == "period" else json.loads(one) for key, one in values.items()}})
    return rows


def served_by(policy: str, arrivals: dict[int, int] | None = None, streams: Sequence[str] = ()) -> list[int]:
    """The order in which the queue is served; `arrivals`: requests, and the number of choices before each arrives; `streams`: their
    parameters, for stream_rows().
    """
    reference, order, at = make_policy(policy, DRIVE._replace(streams=streams_of(stream_rows(streams)))), [], AT
    waiting = {
        number: Request(
            number, place, cylinder, 0, False, _deadline_ps(number), STREAM.get(number, 0), PRIORITY.get(number, 0)
        )
        for place, (number, cylinder) in enumerate(CYLINDERS.items())
    }
    late = {number: waiting.pop(number) for number in arrivals or {}}
    told: list[Request] = []
    while waiting or late:
        for number in [one for one, behind in (arrivals or {}).items() if one in late and behind <= len(order)]:
            waiting[number] = late.pop(number)._replace(order=len(CYLINDERS) + len(order))
        time_ps = STEP_MS * 1e9 * len(order)
        for one in [one for one in waiting.values() if one not in told]:
            told.append(one)
            reference.arrived(one, _moment(time_ps, at, list(told)))
        moment = _moment(time_ps, at, list(waiting.values()))
        chosen = min(waiting.values(), key=lambda one: (*reference.key(one, moment), one.order))
        del waiting[chosen.number]
        told.remove(chosen)
        reference.served(chosen, list(waiting.values()), moment)
        order.append(chosen.number)
        at = chosen.cylinder
    return order
