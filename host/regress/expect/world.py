# SPDX-License-Identifier: Apache-2.0
"""The inputs of expectations, and what they are compared with: one case and one run of it."""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from errors import RegressError
from event_log import read_events
from run_records import read_records

from expect.journal import Journal
from expect.layout import Layout, Stretch
from expect.mechanics import Mechanics
from expect.requests import Asked, Trace, folded, read_trace

if TYPE_CHECKING:
    from case_file import Case

# From an instant of the mechanics until the firmware has acted on it. tests/fidelity/test_drive_records.cpp allows 1,000
# clocks for the event that the heads are ready, and as many again if the firmware is busy.
REACTION_PS = 50_000_000
DEFAULT_DEPTH = 32  # default of hosts.depth (host/scenario/README.md)
ROOT = Path(__file__).resolve().parents[3]
DRIVE_HEADER = ROOT / "firmware/drive.h"
# The format of a sector by hdl/README.md: sync and header before its data, a CRC-32 after them.
HEADER_BYTES, CHECK_BYTES = 2 + 8, 4
PREAMBLE_BYTES, GAP_BYTES = 12, 22  # defaults of a description


@lru_cache
def default_margin_ps() -> int:
    """How much farther away than the seek a sector must be to count as caught, by default."""
    found = re.search(r"^#define DRIVE_MARGIN_DEFAULT_US (\d+)U$", DRIVE_HEADER.read_text(encoding="utf-8"), re.M)
    if found is None:
        raise RegressError(f"{DRIVE_HEADER}: there is no DRIVE_MARGIN_DEFAULT_US")
    return int(found[1]) * 10**6


class Answer(NamedTuple):
    """The result of an evaluator."""

    holds: bool
    expected: str
    found: str


@dataclass(frozen=True)
class World:
    """A case, its trace's file, and the folder of a run of it."""

    case: "Case"
    trace_file: Path
    run: Path

    @cached_property
    def journal(self) -> Journal:
        try:
            summary = json.loads((self.run / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RegressError(f"{self.run / 'summary.json'}: {error}; the run did not leave it") from None
        return Journal(self.run, read_records(self.run / "records.csv"), read_events(self.run / "events.txt"), summary)

    @cached_property
    def design(self) -> dict[str, Any]:
        return dict(self._drive["design"])

    @cached_property
    def _drive(self) -> dict[str, dict[str, Any]]:
        return tomllib.loads((self.run / "drive.toml").read_text(encoding="utf-8"))

    @property
    def specimen(self) -> dict[str, Any]:
        return self._drive.get("specimen", {})

    @cached_property
    def layout(self) -> Layout:
        return Layout(self.design)

    @cached_property
    def mechanics(self) -> Mechanics:
        return Mechanics(self.design, self.specimen)

    @property
    def strobe(self) -> Fraction:
        """The place in a sector where the last check byte begins, which is the end of a record's transfer."""
        form = self.design.get("format", {})
        behind = form.get("preamble_bytes", PREAMBLE_BYTES) + HEADER_BYTES + self.design["sector_bytes"] + CHECK_BYTES
        return Fraction(behind - 1, behind + form.get("gap_bytes", GAP_BYTES))

    @property
    def gap_ps(self) -> float:
        """The time from the strobe to the end of the sector, on the shortest track."""
        sectors = min(int(zone["sectors_per_track"]) for zone in self.design["zones"])
        return float(self.mechanics.period_ps * (1 - self.strobe) / sectors)

    # ------------------------------------------------------------------------------- what was asked

    @property
    def is_ideal(self) -> bool:
        """Whether instructions and bus take no time."""
        return bool(self.case.value("platform.ideal_electronics", False))

    @property
    def receives_deadlines(self) -> bool:
        """Whether the drive gets deadlines, by a message with each command that has one."""
        return bool(self.case.value("settings.deadlines") == "message")

    @property
    def has_cache(self) -> bool:
        """Whether commands may be served without the media, and the media work ahead."""
        return bool(self.case.value("settings.cache", "off") != "off")

    @property
    def margin_ps(self) -> int:
        """The predictor's margin."""
        given_us = self.case.value("settings.predictor_margin_us")
        if given_us is not None:
            return int(given_us) * 10**6
        return 0 if self.is_ideal else default_margin_ps()

    @property
    def warm_up(self) -> int:
        """Requests at the beginning that have no records."""
        count = self.case.value("load.warm_up", 0)
        if not isinstance(count, int):
            raise RegressError(f"{self.case.file}: load.warm_up: only a number of requests can be expected; give one")
        return count

    @cached_property
    def trace(self) -> Trace:
        """The part of the trace that the case replays, on this drive's addresses."""
        trace = read_trace(self.trace_file)
        requests = trace.requests[: self.case.value("load.limit", 0) or None]
        if self.case.value("load.map") == "fold":
            requests = [folded(request, self.layout.capacity) for request in requests]
        loop = self.case.value("load.loop", "trace")
        return Trace(trace.loop if loop == "trace" else loop, requests)

    @property
    def asked(self) -> list[Asked]:
        """The requests that have records."""
        return self.trace.requests[self.warm_up :]

    @property
    def depth(self) -> int:
        """The most commands that are out at a time."""
        return int(self.case.value("hosts.depth", DEFAULT_DEPTH))

    @cached_property
    def stretches(self) -> Callable[[int, int], list[Stretch]]:
        """Stretches by (first block, blocks): cut by track, slip and remap."""
        return lru_cache(maxsize=None)(lambda lba, blocks: list(self.layout.stretches(lba, blocks)))


def plural(count: int, what: str) -> str:
    """A count as text: '1 command', '1,234 commands'."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def judge(faults: list[str], expected: str, checked: int, what: str, least: int = 1) -> Answer:
    """The answer to many similar checks: the first fault and the number of faults, or of checks.

    `checked` below `least` is a fault, too: an expectation that covers next to nothing proves nothing.
    """
    if faults:
        more = f"; and {len(faults) - 1} more of {plural(checked, what)}" if faults[1:] else ""
        return Answer(False, expected, f"{faults[0]}{more}")
    if checked < least:
        return Answer(False, expected, f"only {plural(checked, what)} could be looked at, fewer than {least}")
    return Answer(True, expected, f"so for {plural(checked, what)}")
