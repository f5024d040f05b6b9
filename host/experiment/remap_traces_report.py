# SPDX-License-Identifier: Apache-2.0
"""Maps of real traces: claims, gains, and the parts of a service.

Expected numbers are those of an independent simulator on the same disk and trace. Its map has a slot for each unit of the
disk, and it replays the whole second half at once. A number is met within three points.
"""

from pathlib import Path

from claims import INFINITE, Claim, Finding, claims_table, verdicts_text
from pictures import HEIGHT_IN, WIDTH_IN, style
from remap_checks import POINTS, SERVICE, gain, gain_finding, more
from remap_report import PARTS
from results import Missing, Point, Results

UNMAPPED, DISTANCE = "unmapped", "distance"
ANGLE, NO_ANGLE_FINE, ANGLE_FINE = "16 angle of 160", "16 no angle", "16 angle"
AJW, AJW_STF, AJW_GAPS, AJW_CAME, EXT4, EXT4_STF = "ajw", "ajw, stf", "ajw, gaps", "ajw, as it came", "ext4", "ext4, stf"
COLUMNS = (
    (AJW, 1, "ajw, back to back"), (AJW_STF, 32, "ajw, stf, 32 outstanding"), (AJW_GAPS, 20, "ajw, gaps exp 20 ms"),
    (AJW_CAME, 256, "ajw, as it came (responses)"), (EXT4, 1, "ext4, back to back"), (EXT4_STF, 32, "ext4, stf, 32 outstanding"),
)  # fmt: skip
MEASURED_MS = 25.4  # mean of ajw from start to stop, without the queue (`headstack trace info`)
MS_SHARE = 0.1


def _service(results: Results) -> list[Finding]:
    value = results.mean(Point(UNMAPPED, 20, AJW_GAPS), SERVICE)
    return [Finding("ms", value, MEASURED_MS * (1 - MS_SHARE), MEASURED_MS * (1 + MS_SHARE), "{:.2f}")]


def trace_claims() -> list[Claim]:
    """The claims for ajw. There is no number to compare ext4 with."""
    limit = "The skews of the simulator's drive, and how it blends counts by unit with those by 160 blocks, are not known."

    def near(label: str, sweep: str, load: float, wanted: float):
        return lambda results: [gain_finding(results, label, load, sweep, wanted - POINTS, wanted + POINTS)]

    def least(label: str, sweep: str, load: float, wanted: float):
        return lambda results: [gain_finding(results, label, load, sweep, wanted)]

    def better(one: str, other: str, sweep: str, load: float):
        return lambda results: [Finding("points", more(results, one, other, load, sweep), 0, INFINITE, "{:.2f}")]

    return [
        Claim("trace", "The disk took 25.4 ms a request, without the queue. (Ours with gaps of 20 ms, within a tenth.)", _service,
              "The disk's host is on an HP-IB bus, and had its own order of requests."),
        Claim("aim", "Back to back, learned on the other half: 32 % or more, with angles.", least(ANGLE_FINE, AJW, 1, 32), limit),
        Claim("aim", "Under stf with 32 outstanding: 25 % or more, with angles.", least(ANGLE_FINE, AJW_STF, 32, 25), limit),
        Claim("found", "There 27.5 % without angles, counted by unit.", near(NO_ANGLE_FINE, AJW_STF, 32, 27.5), limit),
        Claim("found", "Annealed distance gains 20.1 % back to back.", near(DISTANCE, AJW, 1, 20.1)),
        Claim("found", "And 10.3 % under stf with 32 outstanding.", near(DISTANCE, AJW_STF, 32, 10.3)),
        Claim("found", "Without angles 30.4 % back to back.", near(NO_ANGLE_FINE, AJW, 1, 30.4), limit),
        Claim("found", "At gaps of exponential 20 ms without angles 26.2 %.", near(NO_ANGLE_FINE, AJW_GAPS, 20, 26.2), limit),
        Claim("found", "And with angles for gaps of 0 18.8 %.", near(ANGLE_FINE, AJW_GAPS, 20, 18.8), limit),
        Claim("found", "Counts by unit are worth more than those by 160 blocks, back to back.", better(ANGLE_FINE, ANGLE, AJW, 1)),
        Claim("found", "Likewise under stf with 32 outstanding.", better(ANGLE_FINE, ANGLE, AJW_STF, 32)),
    ]  # fmt: skip


def _maps(results: Results) -> list[str]:
    """The maps in the order of the declaration."""
    return list(dict.fromkeys(label for sweep, _, _ in COLUMNS for label in results.labels(sweep) if label != UNMAPPED))


def gain_rows(results: Results) -> str:
    """A row for each map, with the service time without any first. Sweeps without runs are left out."""
    there = [column for column in COLUMNS if UNMAPPED in results.labels(column[0])]
    lines = ["| map | " + " | ".join(title for _, _, title in there) + " |", "|---" * (len(there) + 1) + "|"]
    plain = [f"{results.mean(Point(UNMAPPED, load, sweep), SERVICE).mean:.2f} ms" for sweep, load, _ in there]
    lines.append(f"| {UNMAPPED} | " + " | ".join(plain) + " |")
    for label in _maps(results):
        cells = []
        for sweep, load, _ in there:
            try:
                cells.append(gain(results, label, load, sweep).text())
            except Missing:
                cells.append("")
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _anatomy(results: Results, sweep: str, load: float, title: str) -> str:
    lines = [f"| {title}, mean ms | service | seek and head switch | rotation | transfer | requests split, % |", "|---" * 6 + "|"]
    for label in (UNMAPPED, *_maps(results)):
        try:
            point = Point(label, load, sweep)
            seek, settle, switch, rotation, transfer = (results.mean(point, part).mean for part in PARTS)
            cells = [results.mean(point, SERVICE).mean, seek + settle + switch, rotation, transfer, 100 * results.mean(point, "split").mean]
        except Missing:
            continue
        lines.append(f"| {label} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def draw_traces(results: Results, folder: Path) -> None:
    """Draws gains.png with a bar for each gain. Raises OutputError."""
    shown = [column for column in COLUMNS if len(results.labels(column[0])) > 1]
    if not shown:
        return
    rows = (len(shown) + 1) // 2
    figure = style.new_figure(1.5 * WIDTH_IN, 0.8 * HEIGHT_IN * rows + 0.6, "Real traces: gain over unmapped, learned on the other half")
    grid = figure.subplots(rows, 2, squeeze=False).flat
    for axes, (sweep, load, title) in zip(grid, shown, strict=False):
        labels = [label for label in results.labels(sweep) if label != UNMAPPED]
        values = [gain(results, label, load, sweep) for label in labels]
        halves = [0.0 if value.count == 1 else value.half for value in values]
        axes.barh(range(len(labels)), [value.mean for value in values], xerr=halves, color=style.SKY, ecolor=style.GREY, capsize=3)
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.axvline(0, color=style.GREY, linewidth=0.8)
        axes.set(title=title, xlabel="gain, %")
    for axes in list(figure.axes)[len(shown) :]:
        axes.remove()
    style.save(figure, folder / "gains.png")


def traces_page(results: Results) -> str:
    """The page's body in Markdown."""
    table, counts = claims_table(trace_claims(), results)
    tally = verdicts_text(counts)
    anatomies = "\n".join(_anatomy(results, *column) for column in COLUMNS[:3])
    return f"""## Claims

A claim *holds* when the whole 95 % interval of each of its numbers lies in the range asked for. An interval is over five parts of the
trace's second half, each with a map of its own seed.

{tally}.

{table}
## Gains

Each map is made of the trace's first half. In percent, with 95 % intervals; the first row is the mean service time without a map.

{gain_rows(results)}
![gains](gains.png)

## What a service consists of

{anatomies}"""
