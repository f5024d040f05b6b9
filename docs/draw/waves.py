# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams, drawn from the waves of the run that the pictures show. docs/draw/waves.toml says what each shows."""

import re
import tomllib
from pathlib import Path
from typing import Any

import runs
from canvas import Canvas
from registers import ROOT
from verilog import SourceError

TABLE = Path(__file__).with_name("waves.toml")
_LEFT, _WIDE, _ROW = 168, 540, 30


def _tables() -> dict[str, dict[str, Any]]:
    with TABLE.open("rb") as file:
        return tomllib.load(file)


def names() -> list[str]:
    """Of the diagrams."""
    return list(_tables())


def _members(place: str) -> dict[int, str]:
    """Values of an enumeration, given as FILE:TYPE below hdl/."""
    file, _, name = place.partition(":")
    text = re.sub(r"//.*", "", (ROOT / "hdl" / file).read_text(encoding="utf-8"))
    match = re.search(r"typedef enum[^{]*\{([^}]*)\}\s*" + name + r"\s*;", text)
    if not match:
        raise SourceError(f"waves.toml: hdl/{file} has no enumeration {name}")
    found: dict[int, str] = {}
    number = 0
    for one in match[1].split(","):
        word, _, value = one.strip().partition("=")
        if value:
            number = int(re.sub(r"\d+'d", "", value.strip()))
        found[number] = word.strip().removeprefix("St")
        number += 1
    return found


def _anchor(table: dict[str, Any]) -> int:
    """When the diagram's moment is: the N-th change of a signal to a value, after another moment if it says so."""
    begin = 0
    if "behind" in table:
        begin = _anchor({"at": table["behind"]})
    signal, value, number = table["at"]["signal"], table["at"]["value"], table["at"].get("number", 1)
    times = [time for time, is_value in runs.changes([signal])[signal] if int(is_value, 2) == value and time > begin]
    if len(times) < number:
        raise SourceError(f"waves.toml: {signal} does not become {value} {number} times in the run")
    return times[number - 1]


def draw(name: str) -> str:
    """A diagram, as SVG."""
    table = _tables()[name]
    # The cycle in which the signals stand begins with an edge.
    anchor = _anchor(table)
    first = anchor - table["before"] * runs.EDGE_PS
    last = anchor + table["behind_clocks"] * runs.EDGE_PS
    rows = table["rows"]
    picture = Canvas(720, 58 + _ROW * len(rows), table["title"], table["title"])
    picture.text(8, 20, table["title"], bold=True)
    scale = _WIDE / (last - first)

    def x(time: float) -> float:
        return _LEFT + (min(max(time, first), last) - first) * scale

    cycles = (last - first) // runs.EDGE_PS
    step = next(one for one in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if cycles / one <= 28)
    for cycle in range(0, cycles + 1, step):
        at = x(first + cycle * runs.EDGE_PS)
        picture.line([(at, 32), (at, 36 + _ROW * len(rows))], "grid", 0.6)
    picture.text(_LEFT + _WIDE, 50 + _ROW * len(rows), f"a line every {step * 25} ns", size=12, anchor="end", kind="dim")
    found = runs.changes([row["signal"] for row in rows])
    for index, row in enumerate(rows):
        low = 36 + _ROW * index + 22
        picture.text(_LEFT - 8, low - 5, row["label"], size=12, anchor="end", mono=True)
        segments = _segments(found[row["signal"]], first, last)
        if row.get("kind", "bit") == "bit":
            _bit(picture, segments, low, x)
        else:
            members = _members(row["enum"]) if "enum" in row else None
            _word(picture, segments, low, x, row.get("kind", "hex"), members)
    return picture.svg()


def _segments(all_changes: list[tuple[int, str]], first: int, last: int) -> list[tuple[int, int, str]]:
    """Begin, end and value of what is in the window."""
    found: list[tuple[int, int, str]] = []
    for index, (time, value) in enumerate(all_changes):
        end = all_changes[index + 1][0] if index + 1 < len(all_changes) else last
        if end > first and time < last and end > time:
            if found and found[-1][2] == value:
                found[-1] = (found[-1][0], min(end, last), value)
            else:
                found.append((max(time, first), min(end, last), value))
    return found


def _bit(picture: Canvas, segments: list[tuple[int, int, str]], low: float, x: Any) -> None:
    points: list[tuple[float, float]] = []
    for begin, end, value in segments:
        y = low - 16 if value == "1" else low
        points += [(x(begin), y), (x(end), y)]
    picture.line(points, "line-a", 1.5)


def _word(picture: Canvas, segments: list[tuple[int, int, str]], low: float, x: Any, kind: str, members: dict[int, str] | None) -> None:
    for begin, end, value in segments:
        left, right = x(begin), x(end)
        picture.box(left, low - 16, right - left, 16, "a", 2)
        number = int(value, 2) if re.fullmatch("[01]+", value) else None
        if number is None:
            words = ""
        elif members is not None:
            words = members.get(number, str(number))
        elif kind == "decimal":
            words = str(number)
        else:
            words = f"{number:0{(len(value) + 3) // 4}x}"
        if right - left > 7 * len(words) + 2:
            picture.text((left + right) / 2, low - 4, words, size=11, anchor="middle", mono=True)
