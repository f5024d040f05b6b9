# SPDX-License-Identifier: Apache-2.0
"""The tables of a report. A table of runs has a column for each, in the order of the command line."""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

from anatomy_pictures import parts
from commands import SIZES, service_stages
from looks import stage_name
from measures import Measures
from page import Cell, Table
from paired import Paired
from record_file import OPERATIONS, sense_text
from spread import PS_PER_MS, Spread

Row = list[str | Cell]
MINUS = "\N{MINUS SIGN}"
NOTABLE = 0.005  # a smaller relative change is neither better nor worse


def ms(value: float) -> str:
    """Milliseconds with enough digits for a clock of 25 ns, but no more than readable."""
    return f"{value:,.3f}" if value < 1000 else f"{value:,.1f}"


def signed_ms(value: float) -> str:
    """A difference in the same form, with its sign."""
    return _signed(value, ms(abs(value)))


def percent(share: float) -> str:
    """A share between 0 and 1 as percent."""
    return f"{100 * share:.1f}"


def change(value: float, reference: float) -> str:
    """A relative change such as +12.5 %; empty if the reference is about 0."""
    if reference == 0:
        return ""
    amount = 100 * (value / reference - 1)
    return _signed(amount, f"{abs(amount):.1f} %")


def _signed(value: float, magnitude: str) -> str:
    """With a sign, unless all digits that are shown are 0."""
    if not any(digit in magnitude for digit in "123456789"):
        return magnitude
    return ("+" if value > 0 else MINUS) + magnitude


def outcome(one: Measures) -> str:
    """A sentence on how the run ended."""
    if one.run.failure:
        return "failed"
    return "interrupted" if one.run.interrupted else "complete"


def _yes(value: object) -> str:
    return "yes" if value else "no"


# The settings of a run: name, and text from the summary. Times of the wall clock are left out: they are no result.
CONFIGURATION: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("drive", lambda run: run["drive"]),
    ("policy, with its parameters", lambda run: run["policy"]),
    ("queue depth, commands", lambda run: str(run["queue_depth"])),
    # The file's name alone, since its folder differs from machine to machine.
    ("trace", lambda run: PurePath(run["trace"]).name),
    ("loop", lambda run: run["loop"]),
    ("speed-up of the trace's times", lambda run: f"{run['speedup']:g}"),
    ("limit, commands", lambda run: str(run["limit"]) if run["limit"] else "none"),
    ("platform", lambda run: run["platform"]),
    ("electronics that take no time", lambda run: _yes(run["ideal_electronics"])),
    ("bus", lambda run: run["bus"]),
    ("clock gating", lambda run: _yes(run["gating"])),
    ("seed", lambda run: str(run["seed"])),
    ("headstack", lambda run: run["headstack"]),
    ("hash of the firmware's events", lambda run: run["event_hash"]),
)


# Settings that a summary has only if they were given: name, key, text of the value, and the default.
CHOICES: tuple[tuple[str, str, Callable[[Any], str], str], ...] = (
    ("cache", "cache", str, "off"),
    ("controller", "controller", str, "own"),
    ("predictor's margin, us", "predictor_margin_us", str, "the drive's own"),
    ("deadlines told by", "deadlines", str, "none"),
    ("hosts", "initiators", str, "1"),
    ("think time, ms", "think_time_ps", lambda ps: f"{ps / PS_PER_MS:g}", "the trace's"),
    ("think times multiplied by", "think_scale", lambda scale: f"{scale:g}", "1"),
    ("addresses mapped", "map_addresses", str, "no"),
    ("commands before these, to warm up", "warm_up_commands", str, "0"),
)


def configuration_table(runs: Sequence[Measures]) -> Table:
    """The settings of the runs; rows in which they differ are marked."""
    rows: list[Row] = []
    asked_for = [row for row in CHOICES if any(row[1] in one.run.summary for one in runs)]
    lines = [(name, [text(one.run.summary) for one in runs]) for name, text in CONFIGURATION]
    lines += [
        (name, [text(one.run.summary[key]) if key in one.run.summary else without for one in runs])
        for name, key, text, without in asked_for
    ]
    for name, values in lines:
        differs = len(runs) > 1 and len(set(values)) > 1
        rows.append([name, *(Cell(value, "" if differs or len(runs) == 1 else "quiet") for value in values)])
    rows.append(["ended", *(Cell(text, "" if text == "complete" else "worse") for text in map(outcome, runs))])
    caption = "Configuration and versions." + (" What all runs share is grey." if len(runs) > 1 else "")
    return Table(caption, ["", *(one.run.label for one in runs)], rows, numbers=False)


# Name, value, and whether more is better (1), worse (-1) or neither (0).
Figure = tuple[str, Callable[[Measures], float], int]


def _spread_rows(name: str, of: Callable[[Measures], Spread]) -> list[Figure]:
    return [
        (f"{name}, {what}, ms", lambda one, key=key: getattr(of(one), key), -1)
        for what, key in (
            ("mean", "mean"),
            ("median", "p50"),
            ("95 %", "p95"),
            ("99 %", "p99"),
            ("99.9 %", "p999"),
            ("maximum", "maximum"),
        )
    ]


RESPONSES: list[Figure] = _spread_rows("response", lambda one: one.response)
# Rows of the time from arrival, which is the response if no request waited in its host.
FROM_ARRIVAL: list[Figure] = _spread_rows("from arrival in the host", lambda one: one.from_arrival or one.response)
OTHER_FIGURES: list[Figure] = [
    *_spread_rows("service", lambda one: one.service),
    ("throughput, commands/s", lambda one: one.response.count / one.elapsed_s, 1),
    ("throughput, MB/s", lambda one: one.blocks * one.sector_bytes / 1e6 / one.elapsed_s, 1),
    ("elapsed, s", lambda one: one.elapsed_s, -1),
    ("outstanding commands, mean", lambda one: one.response.mean / 1000 * one.response.count / one.elapsed_s, 0),
    ("waiting in the drive's queue, mean", lambda one: one.stage_share("queued"), 0),
    ("seek distance, mean, cylinders", lambda one: mean_distance(one), 0),
]


def waited_in_hosts(runs: Sequence[Measures]) -> bool:
    """Whether commands of a run waited in their host for room in the queue."""
    return any(one.from_arrival is not None for one in runs)


def figures_of(runs: Sequence[Measures]) -> list[Figure]:
    """The figures that apply to these runs."""
    return [*RESPONSES, *(FROM_ARRIVAL if waited_in_hosts(runs) else []), *OTHER_FIGURES]


# Counters of a run: name, and text from the summary.
COUNTERS: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("missed revolutions", lambda run: f"{run['missed_revolutions']:,}"),
    ("lost revolutions", lambda run: f"{run.get('lost_revolutions', 'unknown')}"),
    ("media retries", lambda run: f"{run['media_retries']:,}"),
    ("breaches of the bus's rules", lambda run: f"{run['bus_violations']:,}"),
    ("commands sent again (queue full)", lambda run: f"{run['requeued']:,}"),
    ("firmware, cycles a command", lambda run: f"{run['firmware_cycles'] / (run['result']['commands'] + run.get('warm_up_commands', 0)):,.0f}"),
    ("clock on, % of the time", lambda run: percent(run["clock_on_share"])),
)


def _counted(one: Measures, text: Callable[[dict[str, Any]], str]) -> str:
    """The text of a counter; a dash if the run lacks it."""
    try:
        return text(one.run.summary)
    except KeyError:
        return "-"


def _bad(count: int) -> Cell:
    """The cell of a number that should be 0."""
    return Cell(f"{count:,}", "worse" if count else "")


def mean_distance(one: Measures) -> float:
    """The arm's mean distance; 0 if the drive is not known."""
    if one.seek_cylinders is None or not one.seek_cylinders.any():
        return 0.0
    return float((one.seek_cylinders * range(len(one.seek_cylinders))).sum() / one.seek_cylinders.sum())


def figures_table(runs: Sequence[Measures], bus_shares: Sequence[float | None]) -> Table:
    """The key figures."""
    rows: list[Row] = [
        ["commands", *(f"{one.response.count:,}" for one in runs)],
        ["commands that did not end with GOOD", *(_bad(one.failed) for one in runs)],
    ]
    rows += [[name, *(ms(value(one)) for one in runs)] for name, value, _ in figures_of(runs)]
    rows += [
        ["media utilization (sectors passing), %", *(percent(one.stage_share("media_transfer")) for one in runs)],
        ["arm utilization (seek, settle, head switch), %",
         *(percent(one.stage_share("seek", "settle", "head_switch")) for one in runs)],
        ["waiting for the platter to turn, %", *(percent(one.stage_share("rotation")) for one in runs)],
        ["bus utilization, %", *(_bus(one, share) for one, share in zip(runs, bus_shares, strict=True))],
        ["the media waiting for the scheduler's search, us a command",
         *(f"{1000 * one.stage_ms.get('search_exposed', 0.0):,.1f}" for one in runs)],
    ]
    rows += [[name, *(_counted(one, text) for one in runs)] for name, text in COUNTERS]
    return Table(
        "Key figures. Response: from submission to completion. "
        + ("From arrival: with the wait in the host for room in the queue. " if waited_in_hosts(runs) else "")
        + "Service: from the drive's choice of the command on. Percentiles are those of the nearest rank.",
        ["", *(one.run.label for one in runs)],
        rows,
    )


def _bus(one: Measures, share: float | None) -> str:
    """The bus's share of time, from the event log. Without one, the sum of stages is a lower bound: use hidden by the media is
    missing.
    """
    if share is not None:
        return percent(share)
    return "\N{GREATER-THAN OR EQUAL TO} " + percent(one.stage_share("selection", "command", "bus_data", "status"))


SPREAD_HEADINGS = ["", "commands", "mean", "median", "95 %", "99 %", "99.9 %", "maximum"]


def _columns(times: Spread) -> tuple[float, ...]:
    """The values of a spread, in the order of the headings."""
    return times.mean, times.p50, times.p95, times.p99, times.p999, times.maximum


def operations_table(runs: Sequence[Measures]) -> Table:
    """Response times by run and operation."""
    rows: list[Row] = []
    for one in runs:
        for name, times in one.response_of.items():
            rows.append([f"{one.run.label}: {name}", f"{times.count:,}", *map(ms, _columns(times))])
    return Table("Response times by operation, ms.", SPREAD_HEADINGS, rows)


def _size(place: int) -> str:
    """A class of size in words."""
    most = int(SIZES[place])
    least = most // 2 + 1
    if most == 1:
        return "1 block"
    return f"{most} blocks" if least == most else f"{least:,} to {most:,} blocks"


def has_sizes(runs: Sequence[Measures]) -> bool:
    """Whether the requests of a run are of several classes of size."""
    return any(len({size for _, size in one.response_of_size}) > 1 for one in runs)


def size_table(runs: Sequence[Measures]) -> Table:
    """Response times by operation, size and run, with the runs below each other."""
    rows: list[Row] = []
    for name, size in sorted({key for one in runs for key in one.response_of_size}):
        for one in runs:
            if (name, size) in one.response_of_size:
                times = one.response_of_size[name, size]
                rows.append([f"{name}, {_size(size)}: {one.run.label}", f"{times.count:,}", *map(ms, _columns(times))])
    return Table("Response times by operation and size, ms.", SPREAD_HEADINGS, rows)


def host_table(runs: Sequence[Measures]) -> Table:
    """Response times by run and host, for runs with several hosts."""
    rows: list[Row] = [
        [f"{one.run.label}: host {host}", f"{times.count:,}", *map(ms, _columns(times))]
        for one in runs
        for host, times in one.response_of_host.items()
    ]
    return Table("Response times by host, ms.", SPREAD_HEADINGS, rows)


def stage_table(runs: Sequence[Measures]) -> Table:
    """Means of every stage, its share of the response, and its change from the first run."""
    split = [parts(one.stage_ms) for one in runs]
    changes = lambda values: [signed_ms(value - values[0]) for value in values[1:]]
    rows: list[Row] = []
    for stage in dict.fromkeys(stage for one in split for stage in one):
        means = [one.get(stage, 0.0) for one in split]
        shares = [mean / max(one.response.mean, 1e-12) for one, mean in zip(runs, means, strict=True)]
        rows.append([stage_name(stage), *(f"{mean:,.4f} ({percent(share)} %)" for mean, share in zip(means, shares, strict=True)),
                     *changes(means)])  # fmt: skip
    responses = [sum(means.values()) for means in split]
    services = [sum(one.stage_ms[name] for name in service_stages(one.run.stages())) for one in runs]
    rows += [[name, *(f"{value:,.4f}" for value in values), *changes(values)]
             for name, values in (("response", responses), ("of it service", services))]  # fmt: skip
    return Table(
        "Stages of a command, mean ms a command (share of the response). They sum to the response time.",
        ["", *(one.run.label for one in runs), *(f"change, {one.run.label}" for one in runs[1:])],
        rows,
    )


def comparison_table(runs: Sequence[Measures]) -> Table:
    """How the key figures differ from those of the first run."""
    first = runs[0]
    rows: list[Row] = []
    for name, value, better in figures_of(runs):
        reference = value(first)
        row: Row = [name, ms(reference)]
        for one in runs[1:]:
            amount = 0.0 if reference == 0 else value(one) / reference - 1
            tone = "" if better == 0 or abs(amount) < NOTABLE else "better" if amount * better > 0 else "worse"
            row.append(Cell(change(value(one), reference), tone))
        rows.append(row)
    headings = ["", first.run.label, *(one.run.label for one in runs[1:])]
    return Table(f"Change of the key figures against {first.run.label}.", headings, rows)


def paired_table(pairs: Sequence[Paired]) -> Table:
    """How many commands got faster, and how many slower."""
    rows: list[Row] = []
    for pair in pairs:
        share = lambda count, pair=pair: f"{count:,} ({100 * count / pair.count:.1f} %)"
        changes = (pair.mean_ms, pair.p5_ms, pair.median_ms, pair.p95_ms)
        rows.append([pair.title, f"{pair.count:,}", share(pair.faster), share(pair.same), share(pair.slower),
                     *map(signed_ms, changes)])
    return Table(
        "The same commands in two runs: how many were faster, as fast (within 1 us), slower; mean and "
        "percentiles of the change of response time, ms.",
        ["", "commands", "faster", "as fast", "slower", "mean", "5 %", "median", "95 %"],
        rows,
    )


def biggest_table(pair: Paired, rows_of: dict[int, dict[str, int]]) -> Table:
    """The commands whose response time changed most; `rows_of` has their records."""
    rows: list[Row] = []
    for number in pair.most_faster + pair.most_slower:
        record = rows_of[number]
        before, after = pair.response_ms[number]
        tone = "better" if after < before else "worse"
        rows.append([
            str(number),
            OPERATIONS[record["operation"]],
            f"{record['lba']:,}",
            f"{record['blocks']:,}",
            f"{record['submitted_ps'] / PS_PER_MS:,.3f}",
            ms(before),
            ms(after),
            Cell(signed_ms(after - before), tone),
        ])
    headings = ["command", "operation", "LBA", "blocks", "submitted", pair.first.label, pair.run.label, "change"]
    return Table(
        f"The biggest changes from {pair.first.label} to {pair.run.label}; times in ms, submission as in the latter.",
        headings,
        rows,
    )


def has_sense(runs: Sequence[Measures]) -> bool:
    """Whether hosts of a run received sense data."""
    return any(one.sense or one.run.summary.get("sense") for one in runs)


def _sense_cell(one: Measures, code: str) -> Cell:
    count = sum(number for sense, number in one.sense.items() if sense_text(sense) == code)
    entry = next((entry for entry in one.run.summary.get("sense", []) if entry["sense"] == code), None)
    if entry is None:
        return Cell(f"{count:,}", "worse" if count else "")
    cause = entry["explained_by"]
    why = f"explained by {cause}" if cause else "no option explains it"
    return Cell(f"{count:,}; received {entry['received']:,}, {why}", "" if cause else "worse")


def sense_table(runs: Sequence[Measures]) -> Table:
    """How commands failed, in the standard's words."""
    entries = [entry for one in runs for entry in (*one.run.result.get("sense", []), *one.run.summary.get("sense", []))]
    words = {entry["sense"]: entry["words"] for entry in entries}
    codes = sorted({*words, *(sense_text(sense) for one in runs for sense in one.sense)})
    rows: list[Row] = [[f"{code} {words.get(code, '')}".strip(), *(_sense_cell(one, code) for one in runs)] for code in codes]
    return Table(
        "Sense data: commands that ended with it. Received: also by tries that were sent again, by a warm-up, and by what "
        "hosts sent besides requests.",
        ["", *(one.run.label for one in runs)],
        rows,
        numbers=False,
    )


def deadline_table(runs: Sequence[Measures]) -> Table:
    """The deadlines of the runs that have some."""
    rows: list[Row] = [
        [one.run.label, dates.service_class, f"{dates.count:,}", f"{dates.missed:,}", percent(dates.missed / dates.count),
         ms(dates.late_mean_ms), ms(dates.late_max_ms)]
        for one in runs
        for dates in one.deadlines
    ]
    return Table(
        "Deadlines, counted from a command's arrival in its host; missed is late, or not GOOD.",
        ["", "class", "commands with one", "missed", "missed, %", "late by, mean of the late, ms", "at most, ms"],
        rows,
    )
