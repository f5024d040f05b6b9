# SPDX-License-Identifier: Apache-2.0
"""How runs and stages look in every picture of a report, and the pictures' common parts."""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plots"))

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
import style  # noqa: E402
from matplotlib import colormaps  # noqa: E402
from matplotlib.artist import Artist  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.colors import Colormap, LinearSegmentedColormap  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

WIDTH_IN = 9.6

# Colours of the first runs. Further runs have the same colours with other lines.
RUN_COLOURS = (
    style.BLUE,
    style.VERMILION,
    style.GREEN,
    style.PURPLE,
    style.ORANGE,
    style.SKY,
    style.GREY,
    style.BLACK,
)
RUN_LINES = ("-", "--")
MOST_RUNS = len(RUN_COLOURS) * len(RUN_LINES)
MOST_LABEL_CHARACTERS = 34
LEGEND_CHARACTERS = 110  # characters in a line of a legend
LEAST_MS = 1e-3  # lower limit of times: no command takes less than a microsecond
FEW_DECADES = 60.0  # ratio of the ends of a logarithmic axis with few decades

# Legend name and colour of each stage. In groups: host and bus grey, waiting pale, firmware red, arm blue.
STAGES: dict[str, tuple[str, str]] = {
    "issued": ("issued, in the host", "#C4C4C4"),
    "selection": ("selection", "#9A9A9A"),
    "command": ("command", style.GREY),
    "queued": ("queued", "#C9BBDD"),
    "search_exposed": ("search, the media waiting", style.VERMILION),
    "chosen": ("chosen (firmware)", style.PURPLE),
    "seek": ("seek", style.BLUE),
    "settle": ("settle", style.SKY),
    "head_switch": ("head switch", "#1F3A5F"),
    "rotation": ("rotation", style.ORANGE),
    "media_transfer": ("media transfer", style.GREEN),
    "bus_wait": ("bus wait", "#F0E442"),
    "bus_data": ("bus data", "#8F8200"),
    "status": ("status", "#7A3B00"),
}
OTHER_STAGE_COLOUR = "#3F3F3F"


def stage_name(stage: str) -> str:
    """The name of a stage in a legend."""
    return STAGES[stage][0] if stage in STAGES else stage.replace("_", " ")


def stage_colour(stage: str) -> str:
    """The colour of a stage's part of a bar."""
    return STAGES[stage][1] if stage in STAGES else OTHER_STAGE_COLOUR


def run_look(index: int) -> tuple[str, str]:
    """Colour and line style of a run."""
    colours = len(RUN_COLOURS)
    return RUN_COLOURS[index % colours], RUN_LINES[index // colours % len(RUN_LINES)]


def short(label: str) -> str:
    """A run's label where room is scarce: its end, in which labels differ."""
    cut = len(label) - MOST_LABEL_CHARACTERS
    return label if cut <= 0 else "\N{HORIZONTAL ELLIPSIS}" + label[cut + 1 :]


def new_figure(height_in: float) -> Figure:
    """A figure as wide as the page, without a title, which the page has as text."""
    figure = style.new_figure(WIDTH_IN, height_in, "")
    matplotlib.rcParams["axes.spines.right"] = False  # there is no second scale
    return figure


def legend(figure: Figure, axes: Sequence[Axes], order: Sequence[str] = ()) -> None:
    """Draws one legend for all axes, below them; none for a single entry. Labels in `order` go first."""
    entries: dict[str, Artist] = {}
    for one in axes:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    labels = [label for label in order if label in entries] + [label for label in entries if label not in order]
    if len(labels) > 1:
        columns = max(1, min(len(labels), LEGEND_CHARACTERS // (max(map(len, labels)) + 6)))
        handles = [entries[label] for label in labels]
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def plain_number(value: float, _position: int | None = None) -> str:
    """A number for readers: 0.01, 25, 1,000."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def above_zero(ms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The times for a logarithmic axis, with those of 0 raised."""
    return np.maximum(ms, LEAST_MS)


def log_axis(axes: Axes, which: str) -> None:
    """Sets a logarithmic axis with plain numbers at its decades."""
    if which == "x":
        axes.set_xscale("log")
    else:
        axes.set_yscale("log")
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.set_major_formatter(FuncFormatter(plain_number))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: _between(axes, which, value)))


def _between(axes: Axes, which: str, value: float) -> str:
    """The label of 2 or 5, where there are few decades."""
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    first_digit = f"{value:e}"[0]
    return plain_number(value) if 0 < low < high < FEW_DECADES * low and first_digit in "25" else ""


def heat_colours() -> Colormap:
    """Colours from blue to yellow-green, without the ends that vanish on white or black."""
    viridis = colormaps["viridis"]
    return LinearSegmentedColormap.from_list("heat", [viridis(0.2 + 0.65 * step / 15) for step in range(16)])
