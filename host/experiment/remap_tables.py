# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures with the paper's numbers beside ours: table 1 with the energies, and the order of the chain. Then what the
paper does not say: the length of a request, and section 1's schedulers.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from interval import Interval
from pictures import HEIGHT_IN, WIDTH_IN, Curve, draw, style
from remap_checks import (
    DISTANCE,
    FITTED,
    FROM_IDENTITY,
    LISTING,
    ORGAN,
    PAPERS_CHI2,
    PAPERS_ENERGY,
    PAPERS_MARKOV,
    PAPERS_MARKOV_MS,
    PAPERS_MS,
    PAPERS_ORGAN,
    PAPERS_ORGAN_MS,
    PAPERS_RESULT,
    RATE,
    SERVICE,
    SHORT,
    TABLE_1,
    UNMAPPED,
    gain,
    more,
    take,
)
from remap_claims import ORDERS_OF, RIVALS
from remap_load import REQUEST_BLOCKS
from results import Missing, Point, Results

# The rows of table 1: our label, the paper's name, milliseconds, percent, and energy.
TABLE_ROWS = (
    (UNMAPPED, "Unmapped", PAPERS_MS, None, PAPERS_ENERGY),
    (ORGAN, "Pipe organ", PAPERS_ORGAN_MS, PAPERS_ORGAN, None),
    (FROM_IDENTITY, "Markov", PAPERS_MARKOV_MS, PAPERS_MARKOV, PAPERS_RESULT),
    (DISTANCE, "", None, None, None),
    (LISTING, "", None, None, None),
)
MODELS = {"natural": TABLE_1, "fitted": FITTED}
PARTS = {"overhead": None, "seek and head switch": ("seek_ms", "settle_ms", "head_switch_ms"), "rotation": ("rotation_ms",),
         "transfer": ("media_transfer_ms",)}  # fmt: skip
HEADROOM = 1.05  # above the tallest bar, for its number
PART_COLOURS = (style.GREY, style.VERMILION, style.SKY, style.GREEN)
POLICY_LOOKS = {"fcfs": (style.BLACK, "o"), "sstf": (style.ORANGE, "s"), "scan": (style.SKY, "v"), "cscan": (style.GREEN, "^"),
                "vr": (style.PURPLE, "*"), "wscan": (style.VERMILION, "D")}  # fmt: skip


def _cell(make: Callable[..., Interval], *arguments: Any, form: str = "{:.1f}", scale: float = 1.0) -> str:
    """The text of a number times a scale, or nothing where runs are missing."""
    try:
        value = make(*arguments).scaled(scale)
        return value.text(form) if value.half else form.format(value.mean)
    except Missing:
        return ""


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, without the rows that have no number of ours; empty if there is none."""
    kept = [row for row in rows if any(row[1:])]
    if not kept:
        return ""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *kept)) + "\n"


# ------------------------------------------------------------------------------------------- table 1


def map_energy(results: Results, label: str, sweep: str) -> Interval:
    """The energy of a map, or of none, in virtual cylinders. Raises Missing."""
    if label == UNMAPPED:
        return results.mean(Point(ORGAN, 1, sweep), take("identity_energy"))
    return results.mean(Point(label, 1, sweep), take("map_energy"))


def table_1(results: Results) -> str:
    """Table 1, the paper's and ours on both chains: service, improvement and energy."""
    rows = []
    for label, _, ms, percent, energy in TABLE_ROWS:
        row = [label, *(f"{number:.2f}" if number is not None else "" for number in (ms, percent, energy))]
        for sweep in MODELS.values():
            row.append(_cell(results.mean, Point(label, 1, sweep), SERVICE, form="{:.2f}"))
            row.append("" if label == UNMAPPED else _cell(gain, results, label, 1, sweep, form="{:.2f}"))
            row.append(_cell(map_energy, results, label, sweep))
        rows.append(row)
    head = ["map", "the paper: ms", "%", "energy"]
    for name in MODELS:
        head += [f"chain {name}: ms", "%", "energy"]
    return _lines(head, [row for row in rows if any(row[4:])])


def _bar_parts(results: Results, label: str, sweep: str) -> list[float]:
    """The parts of a mean service, in the order of PARTS: what is left of it is the overhead. Raises Missing."""
    point = Point(label, 1, sweep)
    rest = [sum(results.mean(point, part).mean for part in parts) for parts in PARTS.values() if parts]
    return [results.mean(point, SERVICE).mean - sum(rest), *rest]


def draw_table_1(results: Results, file: Path) -> None:
    """Table 1 as bars: the paper's means, and ours with their parts. Nothing is drawn without runs. Raises OutputError."""
    models = [(name, sweep) for name, sweep in MODELS.items() if UNMAPPED in results.labels(sweep)]
    if not models:
        return
    figure = style.new_figure(1.5 * WIDTH_IN, HEIGHT_IN, "Table 1: mean service time, ms")
    widths = [3, *[len(TABLE_ROWS)] * len(models)]
    panels = figure.subplots(1, 1 + len(models), sharey=True, squeeze=False, width_ratios=widths)[0]
    paper = [(name, ms) for _, name, ms, _, _ in TABLE_ROWS if ms is not None]
    bars = panels[0].bar([name for name, _ in paper], [ms for _, ms in paper], color=style.PALE, edgecolor=style.BLACK, label="the paper's mean")
    panels[0].bar_label(bars, fmt="%.2f", padding=2)
    panels[0].set(title="the paper", ylabel="ms")
    for axes, (name, sweep) in zip(panels[1:], models, strict=True):
        labels = [label for label, *_ in TABLE_ROWS if label in results.labels(sweep)]
        stacks = [_bar_parts(results, label, sweep) for label in labels]
        bottom = [0.0] * len(labels)
        for part, colour, heights in zip(PARTS, PART_COLOURS, zip(*stacks, strict=True), strict=True):
            axes.bar(range(len(labels)), heights, bottom=bottom, color=colour, label=part)
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
        for at, (label, total) in enumerate(zip(labels, bottom, strict=True)):
            half = results.mean(Point(label, 1, sweep), SERVICE).half
            axes.errorbar(at, total, yerr=half, color=style.BLACK, capsize=3)
            axes.annotate(f"{total:.2f}", (at, total + (0.0 if math.isnan(half) else half)), (0, 3), textcoords="offset points", ha="center")
        axes.set_xticks(range(len(labels)), [label.replace(" ", "\n") for label in labels])
        axes.set(title=f"chain {name}")
        axes.grid(False, axis="x")
    panels[0].grid(False, axis="x")
    panels[0].set_ylim(top=HEADROOM * panels[0].get_ylim()[1])
    style.legend_below(figure, *panels, columns=5)
    style.save(figure, file)


# ------------------------------------------------------------------------------------------- section 3


def orders(results: Results) -> str:
    """The tests of the order of the chain, for each stream."""
    keys = (("pairs", 1, "{:,.0f}"), ("chi2_first", 1e-6, "{:.2f}"), ("z_first", 1, "{:,.0f}"), ("z_first_seen", 1, "{:,.0f}"),
            ("chi2_second", 1e-6, "{:.2f}"), ("z_second", 1, "{:,.0f}"), ("z_second_seen", 1, "{:.1f}"), ("z_second_most", 1, "{:,.0f}"))  # fmt: skip
    streams = ORDERS_OF | {"arrivals, chain fitted": (ORGAN, 1, FITTED)}
    rows = [
        [name, *(_cell(results.mean, Point(*at), take(key), form=form, scale=scale) for key, scale, form in keys)] for name, at in streams.items()
    ]
    rows.append(["the paper", "", f"{PAPERS_CHI2 / 1e6:.2f}", *[""] * 5])
    head = ["stream", "distinct pairs", "order 0 against 1: chi2, millions", "z, as printed", "z, cells that can be filled",
            "order 1 against 2: chi2, millions", "z, as printed", "z, cells that can be filled", "greatest z, as printed"]  # fmt: skip
    return _lines(head, rows) if any(any(row[1:]) for row in rows[:-1]) else ""


# ------------------------------------------------------------------------------------------- the length of a request


def _of_length(results: Results) -> list[tuple[int, str]]:
    """The lengths in sectors that there are, each with its sweep: the longest first."""
    every = {REQUEST_BLOCKS: TABLE_1} | SHORT
    return [(sectors, sweep) for sectors, sweep in every.items() if UNMAPPED in results.labels(sweep)]


def lengths(results: Results) -> str:
    """What maps save by the length of a request, at the same service without a map."""
    rows = []
    for sectors, sweep in _of_length(results):
        plain = Point(UNMAPPED, 1, sweep)
        rows.append([
            str(sectors), f"{results.first_run(sweep).remap.seek_scale:g}",
            _cell(results.mean, plain, SERVICE, form="{:.2f}"),
            _cell(results.mean, plain, seek_share, scale=100),
            *(_cell(gain, results, label, 1, sweep) for label in (ORGAN, DISTANCE, FROM_IDENTITY)),
            _cell(more, results, DISTANCE, ORGAN, 1, sweep, form="{:.2f}"),
        ])  # fmt: skip
    rows.append(["the paper", "", f"{PAPERS_MS:.2f}", "", f"{PAPERS_ORGAN}", "", f"{PAPERS_MARKOV}", f"{PAPERS_MARKOV - PAPERS_ORGAN:.2f}"])
    head = ["sectors of a request", "factor of the seek times", "without a map, ms", "of it seek and head switch, %", ORGAN + ", %", DISTANCE + ", %",
            FROM_IDENTITY + ", %", "pipe organ to distance, points"]  # fmt: skip
    return _lines(head, rows) if len(rows) > 1 else ""


def seek_share(result: dict[str, float]) -> float:
    """The part of a mean service in which the arm moves or heads are switched."""
    return sum(float(result[part]) for part in ("seek_ms", "settle_ms", "head_switch_ms")) / float(result[SERVICE])


def draw_lengths(results: Results, file: Path) -> None:
    """Gains over the length of a request. Raises OutputError."""
    found = _of_length(results)
    if len(found) < 2:
        return
    figure = style.new_figure(WIDTH_IN, HEIGHT_IN, "Gains by the length of a request")
    axes = figure.subplots()
    looks = {ORGAN: (style.SKY, "v"), DISTANCE: (style.ORANGE, "s"), FROM_IDENTITY: (style.VERMILION, "P")}
    for label, (colour, marker) in looks.items():
        points = [(sectors, gain(results, label, 1, sweep)) for sectors, sweep in found if label in results.labels(sweep)]
        draw(axes, [Curve(label, points, colour, marker)])
    for number, name, colour in ((PAPERS_ORGAN, "the paper's pipe organ", style.SKY), (PAPERS_MARKOV, "the paper's Markov map", style.VERMILION)):
        axes.axhline(number, linestyle="--", color=colour, label=name)
    axes.set(xlabel="sectors of a request", ylabel="gain over unmapped, %")
    axes.set_xticks([sectors for sectors, _ in found])
    axes.set_ylim(bottom=0)
    style.legend_below(figure, axes, columns=3)
    style.save(figure, file)


# ------------------------------------------------------------------------------------------- section 1


def _rates(results: Results) -> list[str]:
    return [policy for policy in (*RIVALS, "wscan") if UNMAPPED in results.labels(f"{RATE}, {policy}")]


def policies(results: Results) -> str:
    """Mean and greatest response by policy and rate."""
    found = _rates(results)
    rates = sorted({rate for policy in found for rate in results.loads(UNMAPPED, f"{RATE}, {policy}")})
    rows = [
        [policy, *(_cell(results.mean, Point(UNMAPPED, rate, f"{RATE}, {policy}"), key)
                   for key in ("waiting_mean_ms", "response_max_ms") for rate in rates)]
        for policy in found
    ]  # fmt: skip
    head = ["policy", *(f"waiting at {rate:g} a second, ms" for rate in rates), *(f"longest response at {rate:g}" for rate in rates)]
    return _lines(head, rows)


def draw_policies(results: Results, file: Path) -> None:
    """The mean waiting time over the rate. Raises OutputError."""
    found = _rates(results)
    if not found:
        return
    figure = style.new_figure(WIDTH_IN, HEIGHT_IN, "Section 1: mean waiting time by policy")
    axes = figure.subplots()
    draw(axes, [Curve(policy, results.curve(UNMAPPED, f"{RATE}, {policy}", "waiting_mean_ms"), *POLICY_LOOKS[policy]) for policy in found])
    fcfs = results.curve(UNMAPPED, f"{RATE}, fcfs", "waiting_mean_ms")
    axes.plot([rate for rate, _ in fcfs], [value.mean / 2 for _, value in fcfs], "--", color=style.GREY, label="half of fcfs")
    axes.set(xlabel="requests a second", ylabel="mean waiting time, ms", yscale="log")
    axes.set_xticks([rate for rate, _ in fcfs])
    style.group_ticks(axes, "y")
    style.legend_below(figure, axes)
    style.save(figure, file)


# ------------------------------------------------------------------------------------------- all


def draw_paper(results: Results, folder: Path) -> None:
    """Draws table-1.png, lengths.png and policies.png. Raises OutputError."""
    draw_table_1(results, folder / "table-1.png")
    draw_lengths(results, folder / "lengths.png")
    draw_policies(results, folder / "policies.png")


TABLE_1_TEXT = """\
The energy is in virtual cylinders, on the day that was learned from. The chain `fitted` and the seek times under it take four of the
paper's numbers: the energy without a map, chi2, and two services. All else is predicted."""
ORDERS_TEXT = """\
Tests of the order of what was learned: of arrivals, and of the order in which `wscan` served them at a depth of 8. z is a sample of
the standard normal distribution if the order is the lower one. Above 3.09 a test rejects at the level 0.001, above 1.28 at 0.1."""
LENGTHS_TEXT = """\
The paper does not say how many sectors a request has. Shorter ones take less time to transfer. A factor of the seek times makes up for
it, so that the service without a map is the same for all lengths."""
POLICIES_TEXT = """\
The requests of one walk arrive at random. A request waits from its arrival until it is chosen, which includes the controller's
overhead. All policies choose by cylinders."""
# Title, text, table, and the name of a picture, if there is one.
SECTIONS: tuple[tuple[str, str, Callable[[Results], str], str], ...] = (
    ("Table 1, beside the paper's", TABLE_1_TEXT, table_1, "table-1.png"),
    ("The order of the chain", ORDERS_TEXT, orders, ""),
    ("The length of a request", LENGTHS_TEXT, lengths, "lengths.png"),
    ("Policies without a map", POLICIES_TEXT, policies, "policies.png"),
)


def paper_sections(results: Results) -> str:
    """The sections of the page about what the paper measured. A section without runs is left out."""
    parts = []
    for title, text, table, file in SECTIONS:
        if lines := table(results):
            picture = f"\n![{title}]({file})\n" if file else ""
            parts.append(f"## {title}\n\n{text}\n\n{lines}{picture}")
    return "\n".join(parts)
