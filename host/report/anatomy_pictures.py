# SPDX-License-Identifier: Apache-2.0
"""Pictures of how commands spend their time, as stacked bars."""

from collections.abc import Sequence

import numpy as np
from commands import service_stages
from looks import STAGES, legend, new_figure, short, stage_colour, stage_name
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from measures import Measures
from sums import BANDS

BAR_IN = 0.28
SLIM_BAR_IN = 0.2  # width of a bar if the picture of so many runs would be longer than a sheet of paper
FEW_RUNS = 3
GAP_BARS = 2.7  # room between the panels of two runs, for a title
LEGEND_ORDER = tuple(name for name, _ in STAGES.values())
VISIBLE_SHARE = 0.0005  # share of the longest bar: a fifth of a pixel


def parts(stage_ms: dict[str, float]) -> dict[str, float]:
    """Stages in their order. The part of the search for which the media waited is separate from the queue's time."""
    split: dict[str, float] = {}
    exposed = stage_ms.get("search_exposed", 0.0)
    for stage, mean in stage_ms.items():
        if stage == "search_exposed":
            continue
        if stage == "queued" and "search_exposed" in stage_ms:
            split["queued"] = mean - exposed
            split["search_exposed"] = exposed
        else:
            split[stage] = mean
    return split


def _stack(axes: Axes, names: Sequence[str], bars: Sequence[dict[str, float]]) -> None:
    """A bar for each name, from top to bottom."""
    places = np.arange(len(names))
    left = np.zeros(len(names))
    visible = VISIBLE_SHARE * max(sum(bar.values()) for bar in bars)
    for stage in dict.fromkeys(stage for bar in bars for stage in bar):
        lengths = np.array([bar.get(stage, 0.0) for bar in bars])
        shown = lengths > visible
        if np.any(shown):
            axes.barh(places[shown], lengths[shown], left=left[shown], height=0.72, color=stage_colour(stage),
                      label=stage_name(stage))
        left += lengths
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


def _service(one: Measures, stage_ms: dict[str, float]) -> dict[str, float]:
    """The stages of a command from its choice on."""
    return {stage: stage_ms[stage] for stage in service_stages(one.run.stages())}


def mean_picture(runs: Sequence[Measures]) -> Figure:
    """Mean response and mean service of every run."""
    figure = new_figure(1.9 + BAR_IN * len(runs))
    response, service = figure.subplots(1, 2, sharey=True)
    names = [short(one.run.label) for one in runs]
    _stack(response, names, [parts(one.stage_ms) for one in runs])
    _stack(service, names, [_service(one, one.stage_ms) for one in runs])
    response.set_title("response: from submission on")
    service.set_title("service: once chosen")
    for axes in (response, service):
        axes.set_xlim(left=0)
        axes.set_xlabel("mean, ms")
    legend(figure, [response, service], LEGEND_ORDER)
    return figure


def band_picture(runs: Sequence[Measures]) -> Figure:
    """Fast and slow commands of every run apart: shares of the response, and the service in milliseconds."""
    bar_in = BAR_IN if len(runs) <= FEW_RUNS else SLIM_BAR_IN
    figure = new_figure(1.2 + bar_in * (len(BANDS) + GAP_BARS) * len(runs))
    panels = figure.subplots(len(runs), 2, squeeze=False, sharex="col")
    for (response, service), one in zip(panels, runs, strict=True):
        names = [band.name for band in one.bands]
        whole = [sum(parts(band.stage_ms).values()) for band in one.bands]
        _stack(
            response,
            names,
            [
                {stage: 100 * mean / max(total, 1e-12) for stage, mean in parts(band.stage_ms).items()}
                for band, total in zip(one.bands, whole, strict=True)
            ],
        )
        _stack(service, [f"{total:,.3g} ms" if total < 1000 else f"{total:,.0f} ms" for total in whole],
               [_service(one, band.stage_ms) for band in one.bands])
        response.set_title(f"{short(one.run.label)}: share of the response")
    panels[0][0].set_xlim(0, 100)
    panels[0][1].set_xlim(left=0)  # set once all bars are there, as the axis belongs to all panels
    panels[0][1].set_title("service once chosen, beside the mean response")
    panels[-1][0].set_xlabel("%")
    panels[-1][1].set_xlabel("mean, ms")
    legend(figure, [axes for row in panels for axes in row], LEGEND_ORDER)
    return figure
