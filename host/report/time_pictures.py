# SPDX-License-Identifier: Apache-2.0
"""Pictures over time: throughput, depth, response and arm, and the time and place of every command."""

from collections.abc import Sequence

import numpy as np
from looks import above_zero, heat_colours, legend, log_axis, new_figure, plain_number, run_look, short
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from measures import Measures
from record_file import OPERATIONS
from spread import PS_PER_MS, PS_PER_S
from style import group_ticks

# Attribute of a Series, its axis, and whether that is logarithmic.
PANELS = (
    ("commands_per_s", "commands/s", False),
    ("megabytes_per_s", "MB/s", False),
    ("outstanding", "outstanding commands", False),
    ("response_ms", "response, ms", True),
    ("seek_cylinders", "seek, cylinders", False),
)
MARKERS = {"read": "o", "write": "^", "flush": "s", "verify": "v"}
SCATTER_COLUMNS = 2


def course_picture(runs: Sequence[Measures]) -> Figure:
    """Means over equal stretches of time, for all runs in one picture, each from its own begin."""
    figure = new_figure(8.6)
    axes_of = figure.subplots(len(PANELS), 1, sharex=True)
    for axes, (name, label, logarithmic) in zip(axes_of, PANELS, strict=True):
        for index, one in enumerate(runs):
            values = getattr(one.series, name)
            if values is None:
                continue
            known = ~np.isnan(values)
            colour, line = run_look(index)
            shown = above_zero(values[known]) if logarithmic else values[known]
            axes.plot(one.series.grid.middles_s[known], shown, color=colour, linestyle=line, linewidth=1.2,
                      label=short(one.run.label))
        axes.set_ylabel(label)
        if logarithmic:
            log_axis(axes, "y")
        else:
            axes.set_ylim(bottom=0)
            group_ticks(axes, "y")
    axes_of[-1].set_xlim(left=0)
    axes_of[-1].set_xlabel("time after the first submission, s")
    figure.align_ylabels(axes_of)
    legend(figure, list(axes_of))
    return figure


def deadline_picture(runs: Sequence[Measures]) -> Figure:
    """Missed deadlines in each stretch of time and at each load, and the slack at the choice."""
    figure = new_figure(3.4)
    over_time, over_load, slack = figure.subplots(1, 3)
    over_load.sharey(over_time)
    for index, one in enumerate(runs):
        missed = one.series.missed_percent
        if missed is None:
            continue
        known = ~np.isnan(missed)
        colour, line = run_look(index)
        over_time.plot(one.series.grid.middles_s[known], missed[known], color=colour, linestyle=line, linewidth=1.2,
                       label=short(one.run.label))
        over_load.plot(one.series.outstanding[known], missed[known], color=colour, linestyle="none", marker="o",
                       markersize=2.5)
        if one.slack_curve is not None:
            slack.plot(one.slack_curve.ms, 100 * one.slack_curve.share, color=colour, linestyle=line, drawstyle="steps-post")
    over_time.set_xlabel("time after the first submission, s")
    over_load.set_xlabel("outstanding commands")
    over_time.set_ylabel("deadlines missed, %")
    slack.set_xlabel("slack when chosen, ms")
    slack.set_ylabel("commands with at most so much, %")
    slack.set_ylim(0, 100.5)
    slack.axvline(0, linewidth=0.8, linestyle=":", color="grey")
    over_time.set_ylim(bottom=0)
    for axes in (over_time, over_load):
        axes.set_xlim(left=0)
    legend(figure, [over_time])
    return figure


def scatter_picture(runs: Sequence[Measures]) -> Figure:
    """A point for each command at its submission and first block; its colour is its response time."""
    columns = min(len(runs), SCATTER_COLUMNS)
    rows = -(-len(runs) // columns)
    figure = new_figure(3.1 * rows + 0.5)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    times = [one.scatter["response_ps"] / PS_PER_MS for one in runs]
    # The slowest and the fastest thousandth share the colours at the ends.
    every = np.concatenate(times)
    low, high = np.quantile(every, [0.001, 0.999], method="nearest")
    norm = LogNorm(max(low, 1e-3), max(high, low * 1.01, 2e-3))
    points = None
    for axes, one, response in zip(panels, runs, times, strict=False):
        at_s = (one.scatter["submitted_ps"] - one.begin) / PS_PER_S
        for number, operation in enumerate(OPERATIONS):
            chosen = (one.scatter["operation"] == number) & (operation != "flush")
            if np.any(chosen):
                points = axes.scatter(
                    at_s[chosen], one.scatter["lba"][chosen], c=response[chosen], s=3.5, marker=MARKERS[operation],
                    linewidths=0, antialiased=False, norm=norm, cmap=heat_colours(), rasterized=True,
                )
        axes.set_title(short(one.run.label))
        axes.xaxis.set_tick_params(labelbottom=True)
        group_ticks(axes, "y")
    panels[0].set_xlim(left=0)
    for axes in panels[len(runs) :]:
        axes.set_visible(False)
    for axes in panels[max(len(runs) - columns, 0) : len(runs)]:
        axes.set_xlabel("submitted after, s")
    for axes in panels[::columns]:
        axes.set_ylabel("first block (LBA)")
    if points is not None:
        bar = figure.colorbar(points, ax=list(panels), shrink=0.8, label="response time, ms", extend="both")
        bar.ax.yaxis.set_major_formatter(FuncFormatter(plain_number))
    return figure
