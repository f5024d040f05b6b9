# SPDX-License-Identifier: Apache-2.0
"""The cost of moves, their gain, and after how many accesses the gain has paid for the cost.

The cost is the media's time for all moves of a map, and the gain is the time that the map saves in each access. Their ratio is
the number of accesses after which the map has paid. Where moves go on among requests, that number is measured. It is reached
when the sum of all responses is that of the drive without a map. Expected numbers are those of an independent simulator, which
counts two services for each unit.
"""

from pathlib import Path

import numpy as np
from claims import AT, Claim, Finding, claims_table, verdicts_text
from interval import Interval, interval
from numpy.typing import NDArray
from pictures import HEIGHT_IN, WIDTH_IN, style
from remap_checks import POINTS, SERVICE, gain, gain_finding
from results import Missing, Point, Result, Results

UNMAPPED, ANGLE = "unmapped", "16 angle"
# Gains in percent of maps of the hottest units alone; the full map gains FULL.
TABLES = {"410 units": 12.5, "990 units": 24.2, "1760 units": 31.2, "3120 units": 34.0}
FULL = 37.1
LARGEST = "3120 units"
PAGE_MOVES, PAGE_MEDIA_S, PAGE_ACCESSES = 6_571, 330, 39_000
WITHIN = 0.2  # tolerance for a number of another chain
SETTLED, IDLE, SHARE = "settled", "idle", "share"
AT_ONCE = 1  # load of sweeps without an axis
MS_PER_S = 1000
LOOKS = {"990 units": style.GREEN, "3120 units": style.BLUE, "16 angle": style.VERMILION}


def saved_ms(results: Results, label: str) -> dict[int, float]:
    """The time that the map saves in an access when all units are moved, by seed. Raises Missing."""
    found, plain = results.seeds_at(Point(label, AT_ONCE, SETTLED)), results.seeds_at(Point(UNMAPPED, AT_ONCE, SETTLED))
    return {seed: plain[seed][SERVICE] - found[seed][SERVICE] for seed in found if seed in plain}


def accesses_to_pay(results: Results, label: str) -> Interval:
    """The media's time for all moves, over the time that an access saves. Raises Missing."""
    found, saved = results.seeds_at(Point(label, AT_ONCE, SETTLED)), saved_ms(results, label)
    return interval([found[seed]["moving_media_ms"] / saved[seed] for seed in saved])


def lost_ms(result: Result, plain: Result) -> NDArray[np.float64]:
    """The extra time of all responses over those without a map, up to the end of each part of a run."""
    parts, others = np.array(result["parts_ms"]), np.array(plain["parts_ms"])
    return np.cumsum(parts - others) * (result["requests"] / len(parts))


def paid_after(result: Result, plain: Result) -> float:
    """The requests until the extra time is at 0 again. Beyond the run it goes on as in its last tenth; infinite if that loses.
    """
    lost = np.concatenate(([0.0], lost_ms(result, plain)))
    per_part = result["requests"] / (len(lost) - 1)
    most = int(lost.argmax())
    below = np.flatnonzero(lost[most:] <= 0)
    if lost[most] <= 0:
        return 0.0
    if len(below):
        end = most + int(below[0])
        return float((end - 1 + lost[end - 1] / (lost[end - 1] - lost[end])) * per_part)
    tail = max(1, (len(lost) - 1) // 10)
    pace = (lost[-1 - tail] - lost[-1]) / tail
    return float((len(lost) - 1 + lost[-1] / pace) * per_part) if pace > 0 else float("inf")


def paid(results: Results, label: str, sweep: str) -> Interval:
    """The same as paid_after(), over the seeds. Raises Missing."""
    found, plain = results.seeds_at(_point(results, label, sweep)), results.seeds_at(_point(results, UNMAPPED, sweep))
    return interval([paid_after(found[seed], plain[seed]) for seed in found if seed in plain])


def _point(results: Results, label: str, sweep: str) -> Point:
    """The point of a sweep with one load."""
    loads = results.loads(label, sweep)
    if not loads:
        raise Missing(f"'{label}' in '{sweep}'")
    return Point(label, loads[0], sweep)


def move_claims() -> list[Claim]:
    """The claims about small tables and about moving."""

    def share(results: Results) -> list[Finding]:
        """Gains as a part of the full map's gain."""
        full = gain(results, ANGLE, AT_ONCE, SETTLED).mean
        findings = []
        for label, wanted in TABLES.items():
            value = gain(results, label, AT_ONCE, SETTLED)
            ours = Interval(value.mean / full, value.half / full, value.count)
            findings.append(Finding(label, ours, wanted / FULL - WITHIN, wanted / FULL + WITHIN))
        return findings

    def number(key: str, wanted: float, form: str = "{:,.0f}"):
        def check(results: Results) -> list[Finding]:
            value = results.mean(Point(LARGEST, AT_ONCE, SETTLED), key)
            return [Finding(key, value, wanted * (1 - WITHIN), wanted * (1 + WITHIN), form)]

        return check

    def pays(results: Results) -> list[Finding]:
        return [Finding("accesses", accesses_to_pay(results, LARGEST), -float("inf"), PAGE_ACCESSES * (1 + WITHIN), "{:,.0f}")]

    def fewer(results: Results) -> list[Finding]:
        values = {label: accesses_to_pay(results, label) for label in (LARGEST, ANGLE)}
        ratio = values[LARGEST].mean / values[ANGLE].mean
        return [Finding("accesses, part", Interval(ratio, values[LARGEST].half / values[ANGLE].mean, values[LARGEST].count), 0, 0.5)]

    def as_sum(results: Results) -> list[Finding]:
        """The tolerance is the share's own price: a host waits for requests that have begun, and moves begin far from its
        blocks.
        """
        return [Finding(f"{label}{AT}{sweep}", Interval(value.mean / wanted.mean, value.half / wanted.mean, value.count), 0.5, 2)
                for label in ("990 units", LARGEST) for sweep in (IDLE, SHARE)
                for value, wanted in [(paid(results, label, sweep), accesses_to_pay(results, label))]]  # fmt: skip

    return [
        Claim("small table", "The hottest 410, 990, 1,760 and 3,120 units gain 12.5, 24.2, 31.2 and 34.0 %, where all gain 37.1 %. (Parts of "
              "the full map's gain, within 0.2.)", share),
        Claim("small table", "For 3,120 units 6,571 move. (Within a fifth.)", number("moving_moves", PAGE_MOVES)),
        Claim("small table", "That takes 330 s of media time. (ms, within a fifth.)", number("moving_media_ms", PAGE_MEDIA_S * MS_PER_S),
              "The page has two services of the load for a unit. A move's seeks are those between places at random, and its records come "
              "on top."),
        Claim("small table", "It is won back after 39,000 accesses. (At most a fifth later.)", pays),
        Claim("small table", "It gains what the full map does, within 4 points.",
              lambda results: [Finding("points", _points(results), -POINTS, 4, "{:.2f}")]),
        Claim("found", "And it has paid in half the full map's time.", fewer),
        Claim("found", "Moves among requests pay as the sum says, within a factor of 2.", as_sum,
              "A host waits only for those requests of moves that meet its own."),
        Claim("found", "Whole groups gain less than units, but also by moves of the drive.",
              lambda results: [gain_finding(results, "seek + transfer", AT_ONCE, SETTLED, 20, 30)]),
    ]  # fmt: skip


def _points(results: Results) -> Interval:
    """How many points the full map gains above the table."""
    full, table = saved_ms(results, ANGLE), saved_ms(results, LARGEST)
    plain = results.seeds_at(Point(UNMAPPED, AT_ONCE, SETTLED))
    return interval([100 * (full[seed] - table[seed]) / plain[seed][SERVICE] for seed in full if seed in table])


def cost_rows(results: Results) -> str:
    """A row for each map: its moves, their time, its gain, and after how many accesses it has paid."""
    lines = ["| map | units moved | media time, s | of a unit, ms | gain, % | saved an access, ms | paid after so many accesses |", "|---" * 7 + "|"]
    for label in results.labels(SETTLED):
        if label == UNMAPPED:
            continue
        point = Point(label, AT_ONCE, SETTLED)
        cells = [
            results.mean(point, "moving_moves").text("{:,.0f}"),
            results.mean(point, lambda result: result["moving_media_ms"] / MS_PER_S).text("{:,.0f}"),
            results.mean(point, lambda result: result["moving_media_ms"] / result["moving_moves"]).text(),
            gain(results, label, AT_ONCE, SETTLED).text(),
            interval(list(saved_ms(results, label).values())).text("{:.2f}"),
            accesses_to_pay(results, label).text("{:,.0f}"),
        ]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def among_rows(results: Results) -> str:
    """The table of moves among requests."""
    lines = ["| moves | map | units moved | left | of a unit, ms | a host waited, of all requests, % | longest wait, ms "
             "| worst part, response over unmapped | paid after so many requests | after so many minutes |", "|---" * 10 + "|"]  # fmt: skip
    for sweep in (IDLE, SHARE):
        for label in results.labels(sweep):
            if label == UNMAPPED:
                continue
            point, plain = _point(results, label, sweep), results.seeds_at(_point(results, UNMAPPED, sweep))
            found = results.seeds_at(point)
            worst = interval([max(np.array(one["parts_ms"]) / np.array(plain[seed]["parts_ms"])) for seed, one in found.items()])
            pays = paid(results, label, sweep)
            minutes = interval([paid_after(one, plain[seed]) / one["requests"] * one["elapsed_ms"] / 60_000 for seed, one in found.items()])
            cells = [
                results.mean(point, "moving_moves").text("{:,.0f}"),
                results.mean(point, "moving_left").text("{:,.0f}"),
                results.mean(point, lambda result: result["moving_media_ms"] / max(1, result["moving_moves"])).text(),
                results.mean(point, lambda result: 100 * result["moving_waits"] / result["requests"]).text(),
                results.mean(point, lambda result: result["moving_longest_wait_us"] / MS_PER_S).text(),
                worst.text("{:.2f}"),
                pays.text("{:,.0f}"),
                minutes.text("{:,.0f}"),
            ]
            lines.append(f"| {sweep} | {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def draw_moves(results: Results, folder: Path) -> None:
    """Draws responses.png: responses during the moves and after them. Raises OutputError."""
    titles = {IDLE: "moves in gaps between requests (exponential, 20 ms)", SHARE: "no gaps: moves have 30 % of the media's time"}
    shown = [(sweep, title) for sweep, title in titles.items() if len(results.labels(sweep)) > 1]
    if not shown:
        return
    figure = style.new_figure(WIDTH_IN, HEIGHT_IN * len(shown) + 0.6, "Response while blocks move, beside that without a map")
    for axes, (sweep, title) in zip(figure.subplots(len(shown), 1, squeeze=False).flat, shown, strict=True):
        plain = results.seeds_at(_point(results, UNMAPPED, sweep))
        for label in results.labels(sweep):
            if label == UNMAPPED:
                continue
            found = results.seeds_at(_point(results, label, sweep))
            ratio = np.mean([np.array(one["parts_ms"]) / np.array(plain[seed]["parts_ms"]) for seed, one in found.items()], axis=0)
            requests = next(iter(found.values()))["requests"]
            at = (np.arange(len(ratio)) + 0.5) * requests / len(ratio) / 1000
            axes.plot(at, 100 * ratio, color=LOOKS.get(label, style.GREY), label=label)
            pays = paid(results, label, sweep).mean / 1000
            if pays * 1000 <= requests:
                axes.plot([pays], [100 * np.interp(pays, at, ratio)], marker="o", color=LOOKS.get(label, style.GREY), label=f"{label}: paid")
        axes.axhline(100, color=style.GREY, linewidth=0.8)
        axes.set(title=title, xlabel="requests, thousands", ylabel="response, % of unmapped")
        axes.set_ylim(bottom=0)
    style.legend_below(figure, *figure.axes)
    style.save(figure, folder / "responses.png")


def moves_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(move_claims(), results)
    tally = verdicts_text(counts)
    return f"""## Claims

A claim *holds* when the whole 95 % interval (Student's t over the seeds) of each of its numbers lies in the range asked for.

{tally}.

{table}
## What moves cost

All moves before the requests, one request outstanding. A map has paid when its gains are as much as the media's time of its moves.

{cost_rows(results)}
## Moves among requests

Measured from the first request on: a map has paid when the sum of all responses is that of the drive without a map.

{among_rows(results)}
![responses](responses.png)
"""
