# SPDX-License-Identifier: Apache-2.0
"""The kinds of expectations, and the keys of each: the possible tables [[expect]] of a case.

A kind computes its expected values by itself (evaluate.py names the function), or has them as keys of its own.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))

from expect.endings import take_endings  # noqa: E402
from schema import Key, nearest, number, one_of, take_table, text, whole  # noqa: E402

MEANS = ("seek", "rotation", "service")


@dataclass(frozen=True)
class Kind:
    """One kind. `asks` describes it in reports."""

    asks: str
    keys: dict[str, Key] = field(default_factory=dict)


KINDS = {
    "requests": Kind("does every request of the trace complete once, with its operation, place and length?"),
    "arrivals": Kind("does the host issue them when the trace's loop says?"),
    "times": Kind("do a command's stages sum to its response, and the firmware's own clock agree with them?"),
    "media": Kind("does one arm work for one command at a time, and pass as many sectors as were asked for?"),
    "bus": Kind(
        "does the bus carry one command at a time, every block once, and not faster than agreed?",
        {"mb_per_s": Key(number(0.1, 1000), required=True)},
    ),
    "seeks": Kind("does the arm take the published times from each command to the next?"),
    "angles": Kind("do the sectors pass where zones, skews and spindle have them, a revolution later at most?"),
    "transfers": Kind("do so many sectors of that zone take their share of a revolution?"),
    "stream": Kind("does a sequential stream lose a revolution a command at most?"),
    "retries": Kind("does a flawed block cost a revolution for each read that its flaw takes?"),
    "mean": Kind(
        "is the mean of a random load what theory says, within its scatter?",
        {
            "of": Key(one_of(MEANS), required=True),
            "ms": Key(number(0, 1e6), required=True),
            "within_ms": Key(number(0, 1e6), required=True),
        },
    ),
    "responses": Kind(
        "does a command that finds the drive idle take what seek, angle and sectors make it?",
        {"before_us": Key(number(0, 1e6), required=True), "behind_us": Key(number(0, 1e6), required=True)},
    ),
    "order": Kind("is each choice of the scheduler the one of the policy's definition?"),
    "replay": Kind("is a whole run on ideal electronics the one that the policy's definition makes?"),
    "verified": Kind("was every byte that was read compared with the version written last?"),
    "flushes": Kind("does a flush end after every write that was acknowledged before it?"),
    "sense": Kind(
        "does each command end with the sense data that flaws, faults and hosts lead to, and every other one with GOOD?",
        {"endings": Key(take_endings, required=True)},
    ),
    "hits": Kind(
        "does the cache serve what its segments must have, and nothing that never came near them?",
        {"reach_blocks": Key(whole(0), required=True), "stream_blocks": Key(whole(0), required=True)},
    ),
}


@dataclass(frozen=True)
class Expectation:
    """One expectation of a case. `reason` says why it must hold: the physics, the clause, the definition."""

    kind: str
    reason: str
    given: dict[str, Any] = field(default_factory=dict)  # the kind's own keys


def _kinds(value: Any) -> tuple[str, ...]:
    """Takes a table's key `kind`: one, or a list of those that hold for one reason."""
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError("the name of a kind, or a list of names")
    for name in names:
        if name not in KINDS:
            raise ValueError(f"a kind of expectation; {nearest(name, KINDS, 'kinds')}")
    return tuple(names)


def take_expectations(where: str, table: Any) -> tuple[Expectation, ...]:
    """Takes a table [[expect]]; `where` is its file and its place there. Raises SchemaError."""
    common = {"kind": Key(_kinds, required=True), "reason": Key(text, required=True)}
    if not isinstance(table, dict) or "kind" not in table:
        take_table(where, table, common)
    names = take_table(where, {"kind": table["kind"]}, {"kind": common["kind"]})["kind"]
    own = {key: value for name in names for key, value in KINDS[name].keys.items()}
    taken = take_table(where, table, common | own)
    return tuple(Expectation(name, taken["reason"], {key: taken[key] for key in KINDS[name].keys}) for name in names)
