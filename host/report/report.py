"""headstack report: runs as one self-contained HTML page.

    report.py RUN... [-o FILE.html]      each RUN a folder that `headstack run` left

Figures are compared with the first run's; commands with the same ones of the first run on that drive. Exit status: 0 done; 1 a run cannot be used or the page not be
written; 2 the command line is wrong.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anatomy_pictures
import distribution_pictures
import numpy as np
import report_tables as tables
import time_pictures
from demerit import demerit, relative_demerit
from event_log import bus_share
from looks import MOST_RUNS
from measures import Commands, Measures, load_commands, measure
from numpy.typing import NDArray
from page import Page, Table
from paired import Paired, find_obstacle, pair
from record_file import NONE
from run_folder import RunError, RunFolder, open_runs
from spread import PS_PER_MS

STRETCHES = 220  # of the longest run, at most; the others have as long ones
QUANTILES = 400  # points of a Q-Q plot
NICE = (1, 2, 5)


@dataclass(frozen=True)
class Realism:
    """A run beside the real drive that its trace was measured on."""

    place: int  # among the runs
    label: str
    count: int
    measured_mean_ms: float
    simulated_mean_ms: float
    demerit_ms: float
    relative: float
    quantiles: tuple[NDArray[np.float64], NDArray[np.float64]]  # measured, simulated, ms


@dataclass
class Findings:
    """Everything that the page shows."""

    runs: list[Measures]
    bus_shares: list[float | None]
    pairs: list[Paired]
    obstacles: list[tuple[str, str]]  # run, why its commands are not compared with another's
    realism: list[Realism]


def stretch_ps(longest_ps: int) -> int:
    """The least of 1, 2, 5, 10, ... ps that cuts the run into no more than STRETCHES."""
    width = 1
    while True:
        for step in NICE:
            if width * step * STRETCHES >= longest_ps:
                return width * step
        width *= 10


def compare_with_real(place: int, run: RunFolder, commands: Commands) -> Realism | None:
    """None when the trace was not measured. A real drive's time is from submission to completion, and so is ours."""
    if commands.measured is None:
        return None
    known = commands.done & (commands.measured != NONE)
    if not np.any(known):
        return None
    measured = np.sort(commands.measured[known] / PS_PER_MS)
    simulated = np.sort(commands.response[known] / PS_PER_MS)
    if not measured.mean() > 0:
        return None
    shares = np.unique(np.linspace(0, len(measured) - 1, QUANTILES).astype(np.int64))
    return Realism(
        place=place,
        label=run.label,
        count=len(measured),
        measured_mean_ms=float(measured.mean()),
        simulated_mean_ms=float(simulated.mean()),
        demerit_ms=demerit(measured, simulated),
        relative=relative_demerit(measured, simulated),
        quantiles=(measured[shares], simulated[shares]),
    )


def find_partner(
    place: int, run: RunFolder, commands: Commands, earlier: Sequence[tuple[RunFolder, Commands]], findings: Findings
) -> Paired | None:
    """The run beside the first one before it of the same drive and requests; where there is none, the page says why."""
    obstacles = []
    for first, first_commands in earlier:
        obstacle = find_obstacle(first, run, first_commands, commands)
        if not obstacle:
            return pair(first, run, first_commands, commands, place)
        obstacles.append((run.label, f"with {first.label}, since {obstacle}"))
    findings.obstacles += obstacles
    return None


def examine(folders: Sequence[RunFolder]) -> Findings:
    """Reads the runs one after another. Raises RunError.

    All commands are in memory of one run, and of those that others are compared with: one for each drive and trace.
    """
    findings = Findings([], [], [], [], [])
    width = stretch_ps(max(int(run.result["elapsed_ps"]) for run in folders))
    compared_with: list[tuple[RunFolder, Commands]] = []
    for place, run in enumerate(folders):
        commands = load_commands(run)
        paired = find_partner(place, run, commands, compared_with, findings)
        wanted: list[int] = []
        if paired is None:
            compared_with.append((run, commands))
        else:
            wanted = paired.most_faster + paired.most_slower
            findings.pairs.append(paired)
        real = compare_with_real(place, run, commands)
        if real is not None:
            findings.realism.append(real)
        findings.runs.append(measure(run, commands, width, np.array(wanted, dtype=np.int64)))
        findings.bus_shares.append(bus_share(run.event_log, commands.begin, commands.end))
    return findings


def build_page(findings: Findings) -> Page:
    """The page, section by section."""
    runs = findings.runs
    drives = list(dict.fromkeys(one.run.summary["drive"] for one in runs))
    policies = list(dict.fromkeys(one.run.summary["policy"] for one in runs))
    count = f"{len(runs)} run{'' if len(runs) == 1 else 's'}"
    page = Page(f"headstack: {', '.join(drives)}", f"{count}; {', '.join(policies)}.")
    _add_configuration(page, runs)
    _add_key_figures(page, findings)
    _add_responses(page, runs)
    _add_anatomy(page, runs)
    _add_course(page, runs)
    if len(runs) > 1:
        _add_comparison(page, findings)
    if any(one.deadlines for one in runs):
        page.section("Deadlines").table(tables.deadline_table(runs))
    if findings.realism:
        _add_realism(page, findings.realism)
    return page


def _add_configuration(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section("Configuration")
    for one in runs:
        if one.run.failure:
            section.warning(f"{one.run.label} failed: {one.run.failure}. What follows is what was done by then.")
        elif one.run.interrupted:
            section.warning(f"{one.run.label} was interrupted. What follows is what was done by then.")
    section.table(tables.configuration_table(runs))


def _add_key_figures(page: Page, findings: Findings) -> None:
    section = page.section("Key figures")
    if any("cache" in one.run.summary for one in findings.runs):
        section.text(
            "What the media do ahead of a read or behind a write that was reported from the buffer is in no command's "
            "stages. With a cache, the use of media and arm, waiting for the platter and seek distances leave it out."
        )
    section.table(tables.figures_table(findings.runs, findings.bus_shares))


def _names(runs: Sequence[Measures]) -> str:
    return ", ".join(one.run.label for one in runs)


def _add_responses(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section("Response times")
    if any(one.run.summary.get("loop") == "open" for one in runs):
        section.text(
            "The host has no more commands out than the queue depth. In an open loop what arrives beyond that waits in the "
            "host and is submitted later: that wait is in no response time, and a drive that keeps up less is given less to do."
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
    if any(one.response_of_host for one in runs):
        section.table(tables.host_table(runs))


def _add_anatomy(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section(
        "Anatomy of a command",
        "Every command's response time is cut into stages that sum to it to the picosecond; host/README.md says what each "
        "one lasts. What the media waited for the scheduler's search is shown by itself; it is a part of the queue's time.",
    )
    section.figure(
        anatomy_pictures.mean_picture(runs),
        "Means by stage: of the whole response, and of the service alone.",
        "Stacked bars, one for each run; the table below has their numbers.",
    )
    section.table(tables.stage_table(runs))
    section.figure(
        anatomy_pictures.band_picture(runs),
        "Fast and slow commands apart, by response time: what their response consists of, and their service in ms.",
        "Stacked bars, one for each band of response times, for each run.",
    )


def _add_course(page: Page, runs: Sequence[Measures]) -> None:
    section = page.section("Over time")
    width_s = runs[0].series.grid.width / 1e12
    section.figure(
        time_pictures.course_picture(runs),
        f"Means over stretches of {width_s:g} s: completions, data, commands that the host has out, response time of what "
        "was completed, and distance of the accesses to the media.",
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
        "The trace has what its requests took on the drive that it was captured on. The demerit figure is the root mean "
        "square of the horizontal distance between the two cumulative curves (Ruemmler and Wilkes, IEEE Computer 27(3), "
        "1994). Both times are from submission to completion.",
    )
    rows = [
        [one.label, f"{one.count:,}", tables.ms(one.measured_mean_ms), tables.ms(one.simulated_mean_ms),
         tables.ms(one.demerit_ms), tables.percent(one.relative)]
        for one in found
    ]
    headings = ["", "commands", "measured, mean, ms", "simulated, mean, ms", "demerit, ms", "demerit, % of the measured mean"]
    section.table(Table("Measured and simulated times.", headings, rows))
    section.figure(
        distribution_pictures.quantile_picture([(one.place, one.label, *one.quantiles) for one in found]),
        "Quantiles of the measured times across, of the simulated ones up.",
        "A curve for each run beside the diagonal, on which both drives would be equal.",
    )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command = argparse.ArgumentParser(
        prog="headstack report", description="runs as one self-contained HTML page; the others are compared with the first"
    )
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder that 'headstack run' left")
    command.add_argument("-o", "--out", type=Path, default=Path("report.html"), metavar="FILE.html",
                         help="the page (report.html)")
    return command


def report(folders: Sequence[Path], out: Path) -> None:
    """Raises RunError and OSError."""
    if len(folders) > MOST_RUNS:
        raise RunError(f"{len(folders)} runs; a report shows {MOST_RUNS} at most, so compare fewer at a time")
    if out.suffix not in (".html", ".htm"):
        raise RunError(f"--out {out}: the page is HTML; give a name that ends in .html")
    build_page(examine(open_runs(folders))).write(out)


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        report(args.runs, args.out)
    except (RunError, OSError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
