# SPDX-License-Identifier: Apache-2.0
"""Streams in a report: the service of each, from the summary (host/report/stream_figures.hpp defines the figures)."""

from collections.abc import Sequence
from typing import Any

from looks import log_axis, new_figure, run_look, short
from matplotlib.figure import Figure
from measures import Measures
from page import Cell, Table
from report_tables import ms, percent
from spread import PS_PER_MS

MOST_ROWS = 32  # rows of a run; the summary has all streams
MINOR_STREAMS = 60  # with more streams points are small


def streams_of(one: Measures) -> dict[str, Any] | None:
    """The figures of streams; None for a run with a single stream, or of an earlier version."""
    found: dict[str, Any] | None = one.run.result.get("streams")
    return found


def _misses(stream: dict[str, Any]) -> list[str | Cell]:
    """Missed deadlines, their share, the longest run; dashes for a stream without deadlines."""
    dates = stream.get("deadlines")
    if dates is None:
        return ["-", "-", "-"]
    tone = "worse" if dates["missed"] else ""
    return [Cell(f"{dates['missed']:,}", tone), percent(dates["missed_share"]), f"{dates['missed_in_a_row']:,}"]


def stream_table(one: Measures) -> Table:
    """A row for each stream of a run that has several."""
    streams = streams_of(one)
    assert streams is not None
    rows: list[list[str | Cell]] = []
    for stream in streams["table"][:MOST_ROWS]:
        response = stream["response_ps"]
        rows.append([
            str(stream["stream"]),
            f"{stream['commands']:,}",
            f"{stream['commands_per_second']:,.1f}",
            f"{stream['bytes_per_second'] / 1e6:,.3f}",
            *(ms(response[key] / PS_PER_MS) for key in ("mean", "p95", "max")),
            ms(stream["jitter_ps"] / PS_PER_MS),
            *_misses(stream),
        ])
    hidden = streams["count"] - len(rows)
    more = f" {hidden} more streams are in summary.json." if hidden else ""
    fairness = streams["fairness"]
    return Table(
        f"Streams of {one.run.label}: response and jitter in ms. Jain's index of fairness: throughput "
        f"{fairness['throughput']:.3f}, mean response {fairness['response']:.3f}.{more}",
        ["stream", "requests", "a second", "MB/s", "response", "95 %", "maximum", "jitter", "missed", "missed, %",
         "missed in a row"],
        rows,
    )


def stream_picture(runs: Sequence[Measures]) -> Figure:
    """Throughput and response of each stream."""
    figure = new_figure(3.0)
    data, response = figure.subplots(1, 2)
    for index, one in enumerate(runs):
        streams = streams_of(one)
        assert streams is not None
        colour, _ = run_look(index)
        numbers = [stream["stream"] for stream in streams["table"]]
        size = 2.0 if len(numbers) > MINOR_STREAMS else 4.0
        data.plot(numbers, [stream["bytes_per_second"] / 1e6 for stream in streams["table"]], color=colour,
                  linestyle="none", marker="o", markersize=size, label=short(one.run.label))
        for key, marker in (("mean", "o"), ("p95", "^")):
            times = [max(stream["response_ps"][key] / PS_PER_MS, 1e-3) for stream in streams["table"]]
            response.plot(numbers, times, color=colour, linestyle="none", marker=marker, markersize=size)
    for axes in (data, response):
        axes.set_xlabel("stream")
    data.set_ylabel("MB a second")
    data.set_ylim(bottom=0)
    response.set_ylabel("response, ms: mean (dot), 95 %")
    log_axis(response, "y")
    if len(runs) > 1:
        figure.legend(*data.get_legend_handles_labels(), loc="outside lower center", ncols=len(runs))
    return figure
