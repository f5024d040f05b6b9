# SPDX-License-Identifier: Apache-2.0
"""headstack report: runs as one self-contained HTML page.

    report.py RUN... [-o FILE.html]      each RUN a folder that `headstack run` left

Figures are compared with the first run's; commands with the same ones of the first run on that drive. The conclusion is printed,
too, then the page's file. Exit status: 0 done; 1 a run cannot be used or the page not be written; 2 the command line is wrong.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import anatomy_pictures
import distribution_pictures
import report_tables as tables
import stream_tables as streams
import time_pictures
from command_line import CommandParser
from conclusion import conclusions
from findings import Findings, Realism, examine
from looks import MOST_RUNS
from measures import Measures
from page import Page, Table
from result_files import OutputError, keep_others, run
from run_folder import RunError, open_runs
from spread import PS_PER_S


MARK = b"<title>headstack: "  # near the beginning of each page that this command wrote


def build_page(findings: Findings) -> Page:
    """Builds the page, section by section."""
    runs = findings.runs
    drives = list(dict.fromkeys(one.run.summary["drive"] for one in runs))
    policies = list(dict.fromkeys(one.run.summary["policy"] for one in runs))
    count = f"{len(runs)} run{'' if len(runs) == 1 else 's'}"
    page = Page(f"headstack: {', '.join(drives)}", f"{count}; {', '.join(policies)}.")
    _conclude(page, runs)
    _add_why(page, runs)
    _add_key_figures(page, findings)
    if len(runs) > 1:
        _add_comparison(page, findings)
    _add_responses(page, runs)
    _add_bands(page, runs)
    _add_course(page, runs)
    if any(one.deadlines for one in runs):
        _add_deadlines(page, [one for one in runs if one.deadlines])
    if any(streams.streams_of(one) for one in runs):
        _add_streams(page, [one for one in runs if streams.streams_of(one)])
    if findings.realism:
        _add_realism(page, findings.realism)
    page.section("Configuration").table(tables.configuration_table(runs))
    return page


def _conclude(page: Page, runs: Sequence[Measures]) -> None:
    for one in runs:
        if one.run.failure:
            page.conclude(f"{one.run.label} failed: {one.run.failure}. What follows is what was done by then.", "warning")
        elif one.run.interrupted:
            page.conclude(f"{one.run.label} was interrupted. What follows is what was done by then.", "warning")
    for what, why in conclusions(runs):
        page.conclude(what)
        if why:
            page.conclude(why, "reason")


def _add_key_figures(page: Page, findings: Findings) -> None:
    section = page.section("Key figures")
    if any("cache" in one.run.summary for one in findings.runs):
        section.text(
            "What the media do ahead of a read or after a write that was reported from the buffer is in no command's "
            "stages. With a cache, the use of media and arm, waiting for the platter and seek distances leave it out."
        )
    section.table(tables.figures_table(findings.runs, findings.bus_shares))
    if tables.has_sense(findings.runs):
        section.table(tables.sense_table(findings.runs))


def _names(runs: Sequence[Measures]) -> str:
    return ", ".join(one.run.label for one in runs)


def _add_responses(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section("Response times")
    if any(one.run.summary.get("loop") == "open" for one in runs):
        section.text(
            "The host has no more outstanding commands than the queue depth. In an open loop, what arrives beyond that waits in "
            "the host and is submitted later. No response time includes that wait; the key figures have the times from arrival "
            "where there was one. Curves and tables in this section are of response times alone."
        )
    section.figure(
        distribution_pictures.response_picture(runs),
        "Cumulative distribution of the response time, and the tail of it: the share of the commands that took longer.",
        f"Cumulative curves over response time on a logarithmic axis, one for each run: {_names(runs)}.",
    )
    if len({name for one in runs for name in one.response_of}) > 1:
        section.figure(
            distribution_pictures.operation_picture(runs),
            "The same, by operation.",
            "Cumulative curves over response time, one panel for each operation, one curve for each run.",
        )
    section.table(tables.operations_table(runs))
    if tables.has_sizes(runs):
        section.table(tables.size_table(runs))
    if any(one.response_of_host for one in runs):
        section.table(tables.host_table(runs))


def _add_why(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section(
        "Why",
        "Every command's response time is cut into stages that sum to it to the picosecond; host/README.md says what "
        "each one lasts, and by what else it is checked. What the media waited for the scheduler's search is a part of the "
        "queue's time, and is shown by itself.",
    )
    section.figure(
        anatomy_pictures.mean_picture(runs),
        "Means by stage: of the whole response, and of the service alone.",
        "Stacked bars, one for each run; the table below has their numbers.",
    )
    section.table(tables.stage_table(runs))


def _add_bands(page: Page, runs: Sequence[Measures]) -> None:
    page.section("Fast and slow commands").figure(
        anatomy_pictures.band_picture(runs),
        "Fast and slow commands apart, by response time: what their response consists of, and their service in ms.",
        "Stacked bars, one for each band of response times, for each run.",
    )


def _add_course(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section("Over time")
    width_s = runs[0].series.grid.width / PS_PER_S
    section.figure(
        time_pictures.course_picture(runs),
        f"Means over stretches of {width_s:g} s: completions, data, commands that the host has out, response time of "
        "what was completed, and distance of the accesses to the media.",
        f"Five curves over time for each run: {_names(runs)}.",
    )
    if any(one.seek_cylinders is not None and one.seek_cylinders.any() for one in runs):
        section.figure(
            distribution_pictures.seek_picture(runs),
            "How far the arm goes from one access to the next, by the places of their blocks.",
            "Cumulative curves over distance in cylinders, one for each run.",
        )
    decimated = [one for one in runs if one.scatter_share < 1]
    shown = "; ".join(f"{one.run.label}: {100 * one.scatter_share:.2g} % of the commands" for one in decimated)
    section.figure(
        time_pictures.scatter_picture(runs),
        "Where and when: reads are dots, writes triangles."
        + (f" Thinned out by a hash of the command's number, the same each time: {shown}." if decimated else ""),
        "A point for each command at its submission time and first block, coloured by response time.",
    )


def _add_deadlines(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section("Deadlines")
    section.table(tables.deadline_table(runs))
    section.figure(
        time_pictures.deadline_picture(runs),
        "The share of the deadlines that were missed: over time, and by how many commands were outstanding meanwhile. "
        "Each point is a stretch of time. On the right, how much time was left to the deadline when a command was chosen "
        "for the media; below 0 the deadline had passed.",
        f"For each run a curve over time, points over the load, and a cumulative curve of the slack: {_names(runs)}.",
    )


def _add_streams(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section(
        "Streams",
        "A stream is what a request names as its own, else its host, by its SCSI id. Jitter is the mean of "
        "|(Rj - Ri) - (Sj - Si)| over consecutive completions R of a stream and their submissions S (RFC 3550, section "
        "6.4.1, without smoothing). Jain's index of fairness is 1 when all streams have the same, and 1/n when one of n "
        "has everything. Misses in a row are counted in the order of completion.",
    )
    for one in runs:
        if one.run.summary.get("streams_told") is False:
            section.warning(f"{one.run.label}: the drive was not told of the trace's streams (--deadlines message).")
        section.table(streams.stream_table(one))
    section.figure(
        streams.stream_picture(runs),
        "Each stream's data, and its response time: mean and 95 %.",
        f"Two panels of points over the stream's number, in one colour for each run: {_names(runs)}.",
    )


def _add_comparison(page: Page, findings: Findings) -> None:
    section = page.section("Comparison")
    section.table(tables.comparison_table(findings.runs))
    for label, why in findings.obstacles:
        section.warning(f"{label} is not compared command by command {why}.")
    if not findings.pairs:
        return
    section.table(tables.paired_table(findings.pairs))
    section.figure(
        distribution_pictures.paired_picture(findings.pairs),
        "The same commands in two runs; below the line they were faster in the run whose times go up.",
        "Densities of commands over their response time in one run and in another, one panel for each pair of runs.",
    )
    section.figure(
        distribution_pictures.change_picture(findings.pairs),
        "Change of the response time of the same commands.",
        "Cumulative curves over the change in ms, one for each pair of runs.",
    )
    for paired in findings.pairs:
        rows = findings.runs[paired.place].rows
        if rows:
            section.table(tables.biggest_table(paired, rows))


def _add_realism(page: Page, found: Sequence[Realism]) -> None:
    section = page.section(
        "Against the real drive",
        "The trace has what its requests took on the drive that it was captured on. The demerit figure is the root "
        "mean square of the horizontal distance between the two cumulative curves (Ruemmler and Wilkes, IEEE Computer "
        "27(3), 1994). Both times are from submission to completion.",
    )
    rows = [
        [one.quantiles.label, f"{one.count:,}", tables.ms(one.real_mean_ms), tables.ms(one.simulated_mean_ms),
         tables.ms(one.demerit_ms), tables.percent(one.relative)]
        for one in found
    ]
    headings = ["", "commands", "measured", "simulated", "demerit", "demerit, % of measured"]
    section.table(Table("Measured and simulated mean times, and the demerit figure, ms.", headings, rows))
    section.figure(
        distribution_pictures.realism_picture([one.quantiles for one in found]),
        "Left: the cumulative distributions. Right: quantiles of the measured times across, of the simulated ones up.",
        "Two cumulative curves for each run; one of quantiles beside the diagonal, where both drives would be equal.",
    )


def parser() -> CommandParser:
    """The command line."""
    text = "runs as one self-contained HTML page; the others are compared with the first"
    command = CommandParser(prog="headstack report", description=text)
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run")
    command.add_argument("-o", "--out", type=Path, default=Path("report.html"), metavar="FILE.html",
                         help="file for the page (report.html)")
    return command


def report(folders: Sequence[Path], out: Path) -> list[str]:
    """Writes the page. @return the sentences of its conclusion. Raises RunError and OutputError."""
    if len(folders) > MOST_RUNS:
        raise RunError(f"{len(folders)} runs; a report shows {MOST_RUNS} at most, so compare fewer at a time")
    if out.suffix not in (".html", ".htm"):
        raise RunError(f"--out {out}: the page is HTML; give a name that ends in .html")
    keep_others(out, MARK, "give another name, or remove it")
    page = build_page(examine(open_runs(folders)))
    page.write(out)
    return [text.text for text in page.lead]


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        conclusion = report(args.runs, args.out)
    except (RunError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    # A terminal gets plain spaces.
    print(*(text.replace("\N{NO-BREAK SPACE}", " ") for text in conclusion), args.out, sep="\n")
    return 0


if __name__ == "__main__":
    run(main)
