# SPDX-License-Identifier: Apache-2.0
"""The common style of headstack's pictures, with the same bits in the file on every run.

A picture starts with `new_figure` and ends with `save`. Neither reads the user's matplotlibrc, a display or the clock. The
settings are matplotlib's own defaults plus the table below. The fonts are the DejaVu files of matplotlib. No date or program
version goes into a file.

Sizes are inches at DOTS_PER_INCH, so that a figure 13 inches wide is 1300 pixels wide.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

os.environ.pop("MPLBACKEND", None)  # a bad name there stops the import; no window is ever opened

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import writing  # noqa: E402

DOTS_PER_INCH = 100

# Okabe and Ito, "Color Universal Design", 2008: told apart with every common colour blindness.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#767676"
PALE = "#D9D9D9"

SEQUENTIAL = "YlGnBu"  # ColorBrewer, from light to dark: readable without colour too

SETTINGS: dict[str, Any] = {
    "figure.dpi": DOTS_PER_INCH,
    "savefig.dpi": DOTS_PER_INCH,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.formatter.useoffset": False,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "text.parse_math": False,  # a drive's name may hold a dollar sign
    "svg.hashsalt": "headstack",
    "svg.fonttype": "path",
}

# Keys that matplotlib would fill with the date or its version; None leaves a key out.
METADATA: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "headstack"},
}


def use_style() -> None:
    """Sets matplotlib to this module's look, whatever the user's settings are."""
    matplotlib.rcdefaults()
    for key, value in SETTINGS.items():
        matplotlib.rcParams[cast(Any, key)] = value
    bundled = str(Path(matplotlib.get_data_path()) / "fonts")
    fonts = font_manager.fontManager  # another DejaVu release would draw other pixels
    fonts.ttflist = [font for font in fonts.ttflist if font.fname.startswith(bundled)]


def new_figure(width_in: float, height_in: float, title: str) -> Figure:
    """An empty figure whose axes arrange themselves; `title` stands on top, shortened to fit."""
    use_style()
    figure = Figure(
        figsize=(width_in, height_in), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
    )
    FigureCanvasAgg(figure)
    room = int(8 * width_in)  # characters of the title's size in the width
    text = title if len(title) <= room else title[: room - 1] + "\N{HORIZONTAL ELLIPSIS}"
    figure.suptitle(text, fontsize=14, fontweight="bold")
    return figure


def legend_below(figure: Figure, *axes: Axes, columns: int = 4) -> None:
    """One legend under all axes, off the data; an entry named in several axes stands once."""
    entries: dict[str, Artist] = {}
    for one in axes:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure.legend(list(entries.values()), list(entries), loc="outside lower center", ncols=columns)


def grouped(value: float, _position: int | None = None) -> str:
    """17783240 -> '17,783,240'; a fraction keeps its digits."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,g}"


def counted(number: int, noun: str) -> str:
    """(1, 'zone') -> '1 zone'; (10042, 'cylinder') -> '10,042 cylinders'."""
    return f"{grouped(number)} {noun}{'' if number == 1 else 's'}"


def group_ticks(axes: Axes, which: str = "x") -> None:
    """Plain numbers with thousands separators on one axis, also on a logarithmic one."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(grouped))


def right_axis(axes: Axes, factor: float, label: str) -> None:
    """A second scale on the right: `factor` times the values on the left."""
    right = axes.secondary_yaxis(
        "right",
        functions=(lambda left: np.multiply(left, factor), lambda own: np.divide(own, factor)),
    )
    right.set_ylabel(label)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Moves labels apart: ascending places, at least `gap` from each other, within low .. high.

    All four in the same unit. Labels that do not fit at `gap` are set evenly over the range.
    """
    if len(wanted) > 1:
        gap = min(gap, (high - low) / (len(wanted) - 1))
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + gap if places else low))
    limit = high
    for index in reversed(range(len(places))):
        places[index] = min(places[index], limit)
        limit = places[index] - gap
    return places


def save(figure: Figure, path: Path) -> None:
    """Writes the picture; the ending, .png or .svg, names the format. Raises OutputError."""
    kind = path.suffix.removeprefix(".")
    with writing(path) as part:
        figure.savefig(part, format=kind, metadata=METADATA[kind])
