#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a trace: places and rates over time, gaps, sizes. The picture half of `headstack trace info --plot`.

Reads the trace's numbers as JSON from standard input (trace_plot_json() in host/cli/trace_report.cpp). Writes OUT, a .png or
.svg, and a line on standard output: "wrote PATH". The same numbers give the same bits on every machine.

Exit status: 0 written; 1 one line on standard error says why not and what to do; 2 bad usage.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

PS_PER_SECOND = 1e12
BYTES_PER_GB = 1e9

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import fail, run  # noqa: E402


def is_open(trace: dict[str, Any]) -> bool:
    """Whether its requests have times; else their numbers stand for them."""
    return trace["loop"] == "open"


def time_scale(trace: dict[str, Any]) -> tuple[float, str]:
    """What an x of the numbers is divided by, and the axis' label."""
    if not is_open(trace):
        return 1.0, "request"
    last_s = trace["last_arrival_ps"] / PS_PER_SECOND
    for seconds, unit in ((86400.0, "days"), (3600.0, "hours"), (1.0, "seconds")):
        if last_s >= 2 * seconds:
            return PS_PER_SECOND * seconds, f"arrival, {unit}"
    return PS_PER_SECOND / 1000, "arrival, ms"


def draw_places(axes: Any, trace: dict[str, Any]) -> None:
    """Where requests began, over time: a point for each cell with any, reads and writes each in their colour."""
    import numpy as np
    import style

    scale, label = time_scale(trace)
    for colour, key in ((style.BLUE, "read_places"), (style.VERMILION, "write_places")):
        grid = trace[key]
        counts = np.array(grid["counts"]).reshape(-1, grid["x_bins"])
        rows, columns = np.nonzero(counts)
        if len(rows) == 0:
            continue
        most = np.log1p(counts.max())
        strength = 0.25 + 0.75 * np.log1p(counts[rows, columns]) / most
        x = (columns + 0.5) * grid["x_width"] / scale
        y = (rows + 0.5) * grid["y_width"] * trace["block_bytes"] / BYTES_PER_GB
        axes.scatter(x, y, s=3, c=colour, alpha=strength, linewidths=0, rasterized=True)
    axes.set(title="Places", xlabel=label, ylabel="address, GB", ylim=(0, None), xlim=(0, None))


def draw_rate(axes: Any, trace: dict[str, Any]) -> None:
    """Requests a second over time; without times, the share of reads over the trace."""
    import numpy as np
    import style

    scale, label = time_scale(trace)
    reads, writes = trace["read_rate"], trace["write_rate"]
    width = max(reads["width"], writes["width"])

    def in_bins(series: dict[str, Any]) -> Any:
        """Its counts in bins of the wider of the two widths, which differ by a power of two."""
        counts, fold = np.array(series["counts"]), width // series["width"]
        folded = np.add.reduceat(counts, np.arange(0, len(counts), fold))
        return np.pad(folded, (0, len(counts) - len(folded)))

    read_counts, write_counts = in_bins(reads), in_bins(writes)
    used = np.nonzero(read_counts + write_counts)[0]
    bins = int(used[-1]) + 1 if len(used) else 1
    edges = np.arange(bins + 1) * width / scale
    unit = width / PS_PER_SECOND if is_open(trace) else width
    base = read_counts[:bins] / unit
    axes.stairs(base, edges, fill=True, color=style.BLUE, label="reads")
    both = base + write_counts[:bins] / unit
    axes.stairs(both, edges, baseline=base, fill=True, color=style.VERMILION, label="writes")
    if is_open(trace):
        step_s = width / PS_PER_SECOND
        step = f"{step_s:,.0f} s" if step_s >= 10 else f"{1000 * step_s:,.3g} ms" if step_s < 1 else f"{step_s:.3g} s"
        axes.set(title=f"Rate, in steps of {step}", ylabel="requests a second")
    else:
        axes.set(title=f"Mix, in steps of {style.counted(width, 'request')}", ylabel="share")
    axes.set(xlabel=label, xlim=(0, edges[-1]))
    style.group_ticks(axes, "y")


def draw_times(axes: Any, trace: dict[str, Any]) -> None:
    """How much of all gaps between arrivals is at most so long; without arrivals, of the service times, if any."""
    import style

    title, curve = "Gaps between arrivals", trace["gap_curve"]
    if not is_open(trace):
        title, curve = "Service times, as measured where the trace was taken", trace["service_curve"]
    axes.set(title=title, xlabel="at most, ms", ylabel="share, %", ylim=(0, 100))
    if not curve:
        axes.text(0.5, 0.5, "the trace tells none", transform=axes.transAxes, ha="center")
        return
    least = 1e-3  # a microsecond: a logarithmic axis has no 0
    x = [max(time / 1e9, least) for time, _ in curve]
    axes.step([x[0], *x], [0, *(100 * share for _, share in curve)], where="post", color=style.GREEN)
    axes.set_xscale("log")
    style.group_ticks(axes)


def size_name(size_bytes: int) -> str:
    """4096 -> '4 KiB'."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size_bytes < 1024 or unit == "GiB":
            return f"{size_bytes:g} {unit}"
        size_bytes /= 1024
    raise AssertionError


def draw_sizes(axes: Any, trace: dict[str, Any]) -> None:
    """How many requests have which size."""
    import style

    rows = trace["sizes"]
    names = [size_name(row["from_blocks"] * trace["block_bytes"]) for row in rows]
    total = sum(row["requests"] for row in rows) or 1
    bars = axes.barh(names, [100 * row["requests"] / total for row in rows], color=style.ORANGE)
    axes.bar_label(bars, [style.grouped(row["requests"]) for row in rows], padding=3, fontsize=8.5)
    axes.set(title="Sizes, each up to twice its name", xlabel="share of the requests, %")
    axes.margins(x=0.15)
    axes.grid(visible=False, axis="y")


def draw(trace: dict[str, Any]) -> Any:
    """The whole picture."""
    import style

    figure = style.new_figure(13, 9, Path(trace["file"]).name)
    (places, rate), (times, sizes) = figure.subplots(2, 2)
    draw_places(places, trace)
    draw_rate(rate, trace)
    draw_times(times, trace)
    draw_sizes(sizes, trace)
    style.legend_below(figure, rate)
    return figure


def main() -> None:
    """Reads, draws, writes."""
    parser = argparse.ArgumentParser(prog="trace_plot", description="Draws a trace from the JSON on standard input.")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="a .png or .svg")
    options = parser.parse_args()
    if options.out.suffix not in (".png", ".svg"):
        parser.error(f"--out {str(options.out)!r} must end in .png or .svg")
    try:
        import style
    except ImportError as error:
        fail(f"a Python package is missing ({error}); run ./headstack setup")
    try:
        trace = json.load(sys.stdin)
        figure = draw(trace)
    except (ValueError, KeyError) as error:
        fail(f"standard input is not the data of a trace ({error}); use `headstack trace info T --plot FILE`")
    style.save(figure, options.out)
    print(f"wrote {options.out}", flush=True)


if __name__ == "__main__":
    run(main)
