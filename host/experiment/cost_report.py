# SPDX-License-Identifier: Apache-2.0
"""The page of `cost`: how much longer requests take on the drive's own electronics than on ideal ones, and where the time goes."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from claims import claims_table, verdicts_text
from clock import CLOCK_PS
from cost_load import DEPTH, SIZE, Costs, CostSweep, sweep_on
from cost_numbers import (
    AXIS_NAMES,
    LADDER,
    MEAN,
    REQUEST,
    CASE_HEAD,
    TAIL,
    US_PER_MS,
    Case,
    a_request,
    compared,
    ledger_cases,
    loads_of,
    longer,
    longer_over,
    part_cycles,
    ladder_cases,
    steps_us,
)
from cost_parts import OTHER, PARTS
from cost_pictures import LEAST_SIZES
from cost_questions import CHARGED, IDEAL, questions
from drive_file import PS_PER_MS
from results import Missing, Point, Result, Results

CYCLES_PER_MS = PS_PER_MS / CLOCK_PS
# Cycles of an access: its request, the way to the blocks (the buffer: one more), and its answer (docs/blocks/core.md).
REGISTER_CYCLES, BUFFER_CYCLES = 3, 4
CORE_TIMING = "../../../docs/blocks/core.md#timing"
LEAST_SHOWN_CYCLES = 20  # of an event, for a request
MEASURES = {REQUEST: "time of a request", MEAN: "mean response", TAIL: "99.9 % of the responses"}
MISSED = "missed_percent"
PRICES = {"price36": "36", "price72": "72"}  # platforms with one price for each access, and the price in cycles
# Stages of a command, by what works in them.
STAGES = {
    "selection, status": ("issued", "selection", "status"),
    "data on the bus": ("bus_wait", "bus_data"),
    "command": ("command",),
    "queued": ("queued",),
    "chosen": ("chosen",),
    "arm": ("seek", "settle", "head_switch"),
    "rotation": ("rotation",),
    "transfer": ("media_transfer",),
}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n" if rows else ""


def _longer_table(results: Results, costs: CostSweep) -> str:
    """What each measure of each policy on each drive has more, by load."""
    loads, rows = loads_of(results, costs), []
    for drive in costs.drives:
        part = sweep_on(costs.name, drive)
        for policy in results.labels(part):
            lines = {"ideal: ms a request": lambda point: results.mean(point, REQUEST).text("{:.3f}")}
            lines |= {f"{name}, % more": _more(results, measure) for measure, name in MEASURES.items()}
            lines |= {"missed deadlines, %: ideal, points more": _missed(results)}
            for name, cell in lines.items():
                cells = [_or_empty(cell, Point(policy, load, part, IDEAL)) for load in loads]
                rows += [[drive, policy, name, *cells]] if any(cells) else []
    return _table(["drive", "policy", "", *(f"{load:g}" for load in loads)], rows)


def _or_empty(cell: Callable[[Point], str], point: Point) -> str:
    """The text of a point's cell; empty without its runs, or where they lack the number."""
    try:
        return cell(point)
    except (Missing, KeyError):
        return ""


def _more(results: Results, measure: str) -> Callable[[Point], str]:
    return lambda point: longer(results, point.sweep, point.label, point.load, measure).text("{:.2f}")


def _missed(results: Results) -> Callable[[Point], str]:
    def cell(ideal: Point) -> str:
        more = results.difference(replace(ideal, electronics=CHARGED), ideal, MISSED)
        return f"{results.mean(ideal, MISSED).text()}, {more.text('{:.2f}')}"

    return cell


def _ladder_table(results: Results, found: Sequence[Case]) -> str:
    """What each platform of the ladder adds, and how much of the whole the firmware is."""
    rows = []
    for case in found:
        whole = results.difference(case.point(CHARGED), case.point(IDEAL), REQUEST).scaled(US_PER_MS)
        rows.append([*case.cells, whole.text("{:.0f}"), *(step.text("{:.0f}") for step in steps_us(results, case))])
    return _table([*CASE_HEAD, "all, us a request", *LADDER.values()], rows)


def _prices_table(results: Results, found: Sequence[Case]) -> str:
    """The time of a request with one price for each access, over that of the drive's own core."""
    rows = []
    for case in found:
        try:
            cells = [results.ratio(case.point(name), case.point(CHARGED), REQUEST).percent_more().text("{:.2f}") for name in ("margin", *PRICES)]
        except Missing:
            continue
        rows.append([*case.cells, *cells])
    return _table([*CASE_HEAD, *(f"price {price}, %" for price in ("0", *PRICES.values()))], rows)


def _stage_us(names: Sequence[str]) -> Callable[[Result], float]:
    return lambda result: US_PER_MS * sum(result[f"{name}_ms"] for name in names)


def _stages_table(results: Results, costs: Costs) -> str:
    """What each group of stages has more, at the ends of each comparison with one command outstanding."""
    rows = []
    for sweep in compared(costs):
        loads = loads_of(results, sweep)
        if sweep.depths != (1,) or not loads:
            continue
        cases = [
            Case(sweep, drive, policy, load)
            for drive in sweep.drives
            for policy in results.labels(sweep_on(sweep.name, drive))
            for load in dict.fromkeys((loads[0], loads[-1]))
        ]
        for case in cases:
            cells = [results.difference(case.point(CHARGED), case.point(IDEAL), _stage_us(names)).text("{:.0f}") for names in STAGES.values()]
            rows.append([*case.cells, *cells])
    return _table([*CASE_HEAD, *STAGES], rows)


def _access_cycles(result: Result) -> float:
    """The cycles in which the core waits for a register or the buffer, at the most."""
    return REGISTER_CYCLES * result["register_accesses"] + BUFFER_CYCLES * result["buffer_accesses"]


def _parts_table(results: Results, found: Sequence[Case]) -> str:
    """The core's cycles for a request, by part of the firmware."""
    rows = []
    for case in found:
        point = case.point(CHARGED)
        numbers = [results.mean(point, a_request(lambda result: result["cycles"])).text("{:.0f}")]
        numbers += [f"{part_cycles(results, case, part).mean:.0f}" for part in (*PARTS, OTHER)]
        rows.append([*case.cells, *numbers])
    return _table([*CASE_HEAD, "all", *PARTS, OTHER], rows)


def _access_table(results: Results, found: Sequence[Case]) -> str:
    """Instructions, accesses, and how busy the core is."""
    rows = []
    for case in found:
        point = case.point(CHARGED)
        rows.append([
            *case.cells,
            results.mean(point, a_request(lambda result: result["instructions"])).text("{:.0f}"),
            results.mean(point, a_request(lambda result: result["register_accesses"])).text("{:.1f}"),
            results.mean(point, lambda result: 100 * _access_cycles(result) / result["cycles"]).text("{:.1f}"),
            results.mean(point, lambda result: 100 * result["cycles"] / result["requests"] / CYCLES_PER_MS / result[REQUEST]).text("{:.1f}"),
        ])  # fmt: skip
    head = ["instructions", "accesses to registers", "cycles of accesses, %", "core busy, %"]
    return _table([*CASE_HEAD, *head], rows)


def _events_table(results: Results, found: Sequence[Case]) -> str:
    """The core's cycles for a request between two events of the firmware, by the event that ends them."""
    names = list(dict.fromkeys(
        name for case in found for run in results.seeds_at(case.point(CHARGED)).values() for name in run["events"]
    ))  # fmt: skip
    rows = []
    for name in names:
        cycles = [results.mean(case.point(CHARGED), a_request(lambda result, name=name: result["events"].get(name, 0))).mean for case in found]
        if max(cycles) >= LEAST_SHOWN_CYCLES:
            rows.append([f"`{name}`", *(f"{number:.0f}" for number in cycles)])
    heads = ["<br>".join(cell for cell, same in zip(case.cells, _same(found), strict=True) if not same) for case in found]
    return _table(["up to the event", *heads], rows)


def _same(found: Sequence[Case]) -> list[bool]:
    """Which cells all cases have in common."""
    return [len(set(cells)) == 1 for cells in zip(*(case.cells for case in found), strict=True)]


def _in_short(results: Results, costs: Costs) -> str:
    """A line for each sweep: where a request is least and most longer."""
    rows = []
    for sweep in compared(costs):
        found = [
            (value, f"{drive}, {policy}, {load:g}")
            for drive in sweep.drives
            for policy in results.labels(sweep_on(sweep.name, drive))
            for load, value in longer_over(results, sweep, drive, policy)
        ]
        if found:
            ends = [pick(found, key=lambda one: one[0].mean) for pick in (min, max)]
            rows.append([sweep.title, AXIS_NAMES[sweep.axis], *(f"{value.text('{:.2f}')} ({place})" for value, place in ends)])
    return _table(["load", "axis", "least, %", "most, %"], rows)


def _ladder_section(results: Results, found: Sequence[Case]) -> str:
    return f"""## Which part of the electronics takes the time

A ladder of platforms leads from ideal electronics to the drive's own. Each adds one thing to the one before:

| platform | is | adds |
|---|---|---|
| `bus` | `native`, `platform.access_price=0`, a predictor without a margin | the bus |
| `margin` | the same with the drive's own margin | the scheduler leaves out sectors that pass too soon |
| `accesses` | `native`, `platform.access_price={REGISTER_CYCLES}` | {REGISTER_CYCLES} cycles for each [register access]({CORE_TIMING}) |
| `charged` | `vp` | the instructions of the drive's program |

The table has what each adds to the time of a request, in microseconds:

{_ladder_table(results, found)}
![parts](parts.png)

On `native` instructions take no time. A higher price for each access stands for them. The table has how much longer a request takes with
such a price than on `vp`:

{_prices_table(results, found)}"""


def _stages_section(results: Results, costs: Costs) -> str:
    table = _stages_table(results, costs)
    return (
        f"""## In which stage

With one command outstanding, [the stages of a command](../../README.md#the-stages-of-a-command) sum to its response. The table has what each
stage has more than with ideal electronics, in microseconds:

{table}"""
        if table
        else ""
    )


def _work_section(results: Results, found: Sequence[Case]) -> str:
    return f"""## What the core does

A ledger (`observe.ledger`) has the core's cycles by function. The table sums them by the folders of `firmware/`, in cycles a request:

{_parts_table(results, found)}
![cycles](cycles.png)

The next table has accesses (`observe.accesses`) and instructions a request. An access to a register takes {REGISTER_CYCLES} cycles, and one
to the sector buffer {BUFFER_CYCLES}, if no other instruction is executed meanwhile. So the share of their cycles is an upper bound.

{_access_table(results, found)}
The last table has the cycles from one [event of the firmware](../../../firmware/events.h) to the next, a request, by the second of the two.
Events with fewer than {LEAST_SHOWN_CYCLES} cycles everywhere are left out.

{_events_table(results, found)}"""


def cost_page(results: Results, costs: Costs) -> str:
    """The page's body in Markdown. Sections without runs are left out."""
    claims, counts = claims_table(questions(costs), results)
    claims = claims.replace("| section | the paper says |", "| load | is it so that |", 1)
    ladder, work = ladder_cases(results, costs), ledger_cases(results, costs)
    return f"""*Ideal* electronics take no time for instructions, registers and the bus. The drive's *own* electronics (`vp`) execute
the firmware's program on a core of {CYCLES_PER_MS / 1000:g} MHz, and send data over a SCSI bus. Both serve the same requests in a closed loop,
seed by seed. The time of a request lasts from one completion to the next while the queue is full. Its inverse is the throughput. All
intervals are 95 %, over the seeds. "More" means more than with ideal electronics.

## In short

{_in_short(results, costs)}
## Questions

{verdicts_text(counts)}. The questions were declared before the runs.

{claims}
## How much longer requests take

{_pictures(results, costs)}
{_longer_tables(results, costs)}
{_ladder_section(results, ladder) if ladder else ""}
{_stages_section(results, costs)}
{_work_section(results, work) if work else ""}"""


def _longer_tables(results: Results, costs: Costs) -> str:
    """A table for each sweep without a ladder."""
    parts = []
    for sweep in compared(costs):
        if table := _longer_table(results, sweep):
            parts.append(f"### {sweep.title[0].upper()}{sweep.title[1:]}\n\nBy {AXIS_NAMES[sweep.axis]}.\n\n{table}")
    return "\n".join(parts)


def _pictures(results: Results, costs: Costs) -> str:
    most = {axis: max((len(loads_of(results, sweep)) for sweep in compared(costs) if sweep.axis == axis), default=0) for axis in (DEPTH, SIZE)}
    shown = [name for name, axis, least in (("depth", DEPTH, 1), ("size", SIZE, LEAST_SIZES)) if most[axis] > least]
    return "".join(f"![over the {name}]({name}.png)\n\n" for name in shown)
