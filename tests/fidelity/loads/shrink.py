# SPDX-License-Identifier: Apache-2.0
"""A load that differs, made smaller as long as it differs in the same file: fewer faults, keys and requests."""

from collections.abc import Callable, Iterator

from .load import Load
from .pair import Verdict

# Each trial runs the electronics.
MOST_TRIALS = 60


def without(parts: tuple, at: int, count: int = 1) -> tuple:  # type: ignore[type-arg]
    return parts[:at] + parts[at + count :]


def smaller(load: Load) -> Iterator[Load]:
    """Loads with something left out, what takes most time first."""
    requests = load.trace.requests
    for part in (2, 4, 8):
        size = max(1, len(requests) // part)
        for at in range(len(requests) - size, -1, -size):
            if size < len(requests):
                yield load.with_changes(trace=load.trace.only(without(requests, at, size)))
    for at in range(len(load.rtl_groups)):
        yield load.with_changes(rtl_groups=without(load.rtl_groups, at))
    for at in range(len(load.groups)):
        yield load.with_changes(groups=without(load.groups, at))
    for at in range(len(load.tables)):
        yield load.with_changes(tables=without(load.tables, at))
    for key in load.changes:
        yield load.with_changes(changes={other: value for other, value in load.changes.items() if other != key})
    for at in range(len(requests)):
        if len(requests) > 1:
            yield load.with_changes(trace=load.trace.only(without(requests, at)))


def shrink(load: Load, found: Verdict, play: Callable[[Load], Verdict], trials: int = MOST_TRIALS) -> tuple[Load, Verdict]:
    """The smallest load of so many trials, and what is wrong with it."""
    goes_on = True
    while goes_on:
        goes_on = False
        for candidate in smaller(load):
            if trials == 0:
                return load, found
            trials -= 1
            verdict = play(candidate)
            if verdict.wrong and verdict.kind == found.kind:
                load, found, goes_on = candidate, verdict, True
                break
    return load, found
