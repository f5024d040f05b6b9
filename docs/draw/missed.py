# SPDX-License-Identifier: Apache-2.0
"""The picture of a missed revolution: what was planned, when the arm left, the sector that passed, and the wait.

All times are of the run: events of the firmware, and the waves of arm and spindle.
"""

import dataclasses
import json
import sys
import tempfile
from pathlib import Path

import runs
from registers import ROOT
from verilog import SourceError

sys.path[:0] = [str(ROOT / "host/output"), str(ROOT / "host/wave")]

import annotate  # noqa: E402
import gtkwave  # noqa: E402
import views  # noqa: E402
from annotate import BLUE, GREEN, ORANGE, RED, Mark, Panel, Stretch  # noqa: E402
from PIL import Image  # noqa: E402

PS_PER_US, PS_PER_MS = 10**6, 10**9
WIDTH = 1000
SECTOR_SHIFT = 16  # of the argument of RUN_START
SECTOR = "drive.spindle.sector"
# Of views.toml, by label: in the whole picture, where the arm leaves, where it arrives.
ROWS = ("angle (degrees)", "arm", "read_gate", "write_gate", "event")
LEAVING = ("arm", "function", "event")
ARRIVING = ("sector under the head", "arm", "read_gate", "event")


@dataclasses.dataclass(frozen=True)
class Miss:
    """The moments of a missed revolution, in ps."""

    sector: int
    margin: int  # the firmware's time in the plan
    done: int  # the last sector of the command before has passed
    left: int  # the arm leaves
    ready: int  # the heads are ready
    ended: int  # the first sector of the command has passed


def of_run(folder: Path) -> Miss:
    """The first one of a run whose margin was set. Raises SourceError when it has none."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return find(runs.events_of(folder), summary["predictor_margin_us"])


def find(events: list[runs.Event], margin_us: int) -> Miss:
    """The first one among the events. Raises SourceError."""
    missed = next((place for place, event in enumerate(events) if event.name == "MISSED_REVOLUTION"), None)
    if missed is None:
        raise SourceError("the run in docs/draw/shots.toml has no missed revolution: choose another load, or a smaller margin")

    def last(name: str, before: int) -> int:
        return max(place for place in range(before) if events[place].name == name)

    first_sector = last("FIRST_SECTOR", missed)
    start = last("RUN_START", first_sector)
    ready = last("ON_TRACK", start)
    left = last("SEEK_START", ready)
    done = last("RUN_DONE", left)
    at = lambda place: events[place].time_ps
    return Miss(events[start].argument >> SECTOR_SHIFT, margin_us * PS_PER_US, at(done), at(left), at(ready), at(first_sector))


def passes(waves: Path, sector: int) -> list[int]:
    """When it begins to pass under the heads."""
    changes = runs.changes_of(waves, [SECTOR])[SECTOR]
    return [time for time, value in changes if set(value) <= {"0", "1"} and int(value, 2) == sector]


def draw(miss: Miss, waves: Path, picture: Path) -> None:
    """Raises SourceError."""
    passed = max((time for time in passes(waves, miss.sector) if time <= miss.ready), default=None)
    again = min((time for time in passes(waves, miss.sector) if time > miss.ready), default=None)
    if passed is None or again is None:
        raise SourceError(f"sector {miss.sector} does not pass twice in {waves.name}: record a longer window")
    late = miss.left - miss.done - miss.margin
    planned = miss.ready - late
    us = lambda time: f"{time / PS_PER_US:.0f} us"
    whole = _panel(waves, ROWS, miss.done - PS_PER_MS // 4, again + PS_PER_MS // 2, "One revolution", [
        Mark(miss.left, f"the arm leaves {us(miss.left - miss.done)} after the last sector: the plan had {us(miss.margin)}", RED),
        Mark(passed, f"sector {miss.sector} passes, {us(miss.ready - passed)} before the heads can write", ORANGE),
        Mark(again, f"sector {miss.sector} is back, and is written", GREEN),
    ], [Stretch(passed, again, f"a revolution of {(again - passed) / PS_PER_MS:.2f} ms is lost", ORANGE)])  # fmt: skip
    edge = (miss.left - miss.done) // 4
    leaving = _panel(waves, LEAVING, miss.done - edge, miss.left + edge, "The arm leaves", [
        Mark(miss.done, "the last sector of the command before is done", BLUE),
        Mark(miss.done + miss.margin, "plan: the arm leaves here", GREEN),
        Mark(miss.left, f"in fact here, {us(late)} later", RED),
    ])  # fmt: skip
    edge = (miss.ready - planned) // 2
    arriving = _panel(waves, ARRIVING, planned - edge, miss.ready + 2 * edge, "The arm arrives", [
        Mark(planned, "plan: the heads can write from here on", GREEN),
        Mark(passed, f"sector {miss.sector}, the first to write, begins", ORANGE),
        Mark(miss.ready, f"in fact from here on, {us(miss.ready - passed)} too late", RED),
    ])  # fmt: skip
    annotate.stack([whole, leaving, arriving]).quantize(128).save(picture, format="PNG")


def _rows(labels: tuple[str, ...]) -> views.View:
    known = {row.label: row for view in views.load().values() for row in reversed(view.rows) if row.label}
    return views.View("missed", "", tuple(known[label] for label in labels))


def _panel(waves: Path, labels: tuple[str, ...], begin: int, end: int, title: str, marks: list[Mark],
           stretches: list[Stretch] | None = None) -> Panel:  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "panel.png")
        window = gtkwave.shoot(waves, _rows(labels), gtkwave.Span(begin, end), file, WIDTH)
        with Image.open(file) as image:
            return Panel(annotate.trimmed(image, window), window, title, marks, stretches or [])
