# SPDX-License-Identifier: Apache-2.0
"""The verdicts as one self-contained page: a table of the cases, and each divergence side by side."""

import io
import sys
from pathlib import Path

import jinja2
from causes import causes_of, causes_text
from verdict import State, Verdict, failures_first
from expect.mechanics import PS_PER_MS
from report_text import totals
from run_records import Record

from divergence import time_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import make_folder, write_text  # noqa: E402

PAGE_MARK = b"<title>headstack regress: "  # near the beginning of each page
HERE = Path(__file__).resolve().parent
# Colours that differ for readers who do not see red and green, too.
EXPECTED_COLOUR, FOUND_COLOUR = "#7f8c9b", "#d1495b"
# Settings that give the same picture the same bytes: names from a salt, not from chance, and no date.
STYLE = {"svg.hashsalt": "headstack", "svg.fonttype": "none", "font.size": 8}


def _steps(records: tuple[Record, ...]) -> tuple[list[float], list[float]]:
    times = sorted(record.response_ps / PS_PER_MS for record in records)
    return times, [(number + 1) / len(times) for number in range(len(times))]


def response_plot(verdict: Verdict) -> str:
    """The distribution of response times in both runs: an <svg> element."""
    # The import takes half a second, for which a suite that passes need not wait.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.use("svg")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.2, 2.2), layout="constrained")
        axes = figure.add_subplot()
        series = ((verdict.expected, "expected", EXPECTED_COLOUR, 3.0), (verdict.found, "found", FOUND_COLOUR, 1.2))
        for records, label, colour, width in series:
            axes.step(*_steps(records), where="post", label=label, color=colour, linewidth=width)
        axes.set(xlabel="response time, ms", ylabel="share of commands", ylim=(0, 1.02))
        axes.grid(alpha=0.3, linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="lower right")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def page_text(verdicts: list[Verdict], chosen: int) -> str:
    """The page's text, with failures first."""
    verdicts = failures_first(verdicts)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["time"] = lambda value: "-" if value is None else time_text(value)
    plots = {
        verdict.case.name: response_plot(verdict)
        for verdict in verdicts
        if verdict.state in (State.CHANGED, State.WRONG) and verdict.divergence and verdict.expected and verdict.found
    }
    return environment.get_template("page.html.j2").render(
        verdicts=verdicts, totals=totals(verdicts, chosen), causes=causes_text(causes_of(verdicts)), plots=plots,
        troubles=[verdict for verdict in verdicts if verdict.state is not State.PASSED],
        judged=[verdict for verdict in verdicts if verdict.findings],
    )  # fmt: skip


def write_page(file: Path, verdicts: list[Verdict], chosen: int) -> None:
    """Writes the page, and makes its folder."""
    make_folder(file.parent)
    write_text(file, page_text(verdicts, chosen))
