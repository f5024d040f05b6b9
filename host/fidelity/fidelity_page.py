# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison: tables from numbers, pictures, and what they mean; nothing of when or how fast."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import fidelity_pictures as pictures
import style
from comparison import SIZES, Agreement, Comparison
from declaration import SOURCES, published_byte_ns
from estimates import byte_ns
from markdown import render
from matplotlib.figure import Figure
from page import Page, Picture, Section, Table
from platter import Guess
from report_tables import ms, percent, signed_ms
from result_files import write_text

SEEKING_WRITES = "other writes after a write"  # they end with the platter, and so does what comes before them


@dataclass(frozen=True)
class Corrected:
    """A run of a description that was changed by what the trace says of the platter: `name` tells how."""

    name: str
    longer_ppm: float  # of the revolution; 0: as described
    comparison: Comparison


class FidelityPage:
    """A page whose pictures also become files."""

    def __init__(self, folder: Path, title: str, subtitle: str) -> None:
        self._folder = folder
        self._files: dict[int, str] = {}
        self.page = Page(title, subtitle)

    def picture(self, section: Section, name: str, figure: Figure, caption: str, alt: str) -> None:
        """Raises OSError."""
        section.figure(figure, caption, alt)
        block = section.blocks[-1]
        assert isinstance(block, Picture)
        self._files[id(block)] = f"{name}.png"
        style.save(figure, self._folder / f"{name}.png")

    def write(self) -> None:
        """Both forms. Raises OSError."""
        self.page.write(self._folder / "fidelity.html")
        write_text(self._folder / "README.md", render(self.page, self._files))


def _name(one: Comparison) -> str:
    return one.drive.title


def _quartiles(values: tuple[float, float, float]) -> list[str]:
    return [signed_ms(value) for value in values]


def _disksim(one: Comparison) -> str:
    figure = one.disksim_demerit_ms
    return "-" if figure is None else ms(figure)


def _whole_table(compared: Sequence[Comparison]) -> Table:
    headings = ["", "commands", "measured, mean", "simulated, mean", "demerit", "of the mean, %", "by histograms",
                "DiskSim's, by histograms"]
    rows = [
        [_name(one), f"{one.whole.count:,}", ms(one.whole.real_mean_ms), ms(one.whole.simulated_mean_ms),
         ms(one.whole.demerit_ms), percent(one.whole.relative), ms(one.histogram_demerit_ms), _disksim(one)]
        for one in compared
    ]
    return Table("Service times in ms, from submission to completion.", headings, rows)


def _kind_table(one: Comparison) -> Table:
    headings = ["", "commands", "measured, mean", "simulated, mean", "demerit"]
    rows = [
        [name, f"{found.count:,}", ms(found.real_mean_ms), ms(found.simulated_mean_ms), ms(found.demerit_ms)]
        for name, found in one.by_kind.items()
    ]
    return Table(f"{_name(one)}: by kind, ms.", headings, rows)


def _pair_row(name: str, found: Agreement) -> list[str]:
    return [
        name, *_quartiles(found.quartiles_ms), percent(found.near_share), percent(found.earlier_by_revolution),
        percent(found.later_by_revolution),
    ]


PAIR_HEADINGS = ["", "25 %", "median", "75 %", "within 0.1 ms, %", "a revolution early, %", "a revolution late, %"]


def _pair_table(one: Comparison) -> Table:
    rows = [_pair_row("all", one.whole), *(_pair_row(name, found) for name, found in one.by_kind.items())]
    return Table(f"{_name(one)}: simulated less measured time of the same command, ms.", PAIR_HEADINGS, rows)


def _size_table(one: Comparison) -> Table:
    rows: list[list[str]] = []
    for name, classes in one.by_size.items():
        for row in classes:
            size = f"up to {row.up_to}" if row.up_to != SIZES[-1] else f"more than {SIZES[-2]}"
            rows.append([f"{name}, {size}", f"{row.count:,}", *_quartiles(row.quartiles_ms)])
    headings = ["", "commands", "25 %", "median", "75 %"]
    return Table(f"{_name(one)}: simulated less measured by blocks, ms.", headings, rows)


def _declaration_table(compared: Sequence[Comparison]) -> Table:
    rows: list[list[str]] = []
    for one in compared:
        rows.append([_name(one), "drive", one.drive.description, SOURCES["description"]])
        rows += [["", name, word.text, SOURCES[word.source]] for name, word in one.drive.run.items()]
        rows.append(["", "hash of the events", one.event_hash, "of this run"])
    return Table("What the runs were told, and where it is from.", ["", "", "words", "source"], rows, numbers=False)


def _bus_table(compared: Sequence[Comparison]) -> Table:
    rows: list[list[str]] = []
    for one in compared:
        published = published_byte_ns(one.drive)
        rows.append([
            _name(one),
            "-" if one.bus is None else f"{byte_ns(one.bus):.1f}",
            "-" if one.bus is None else f"{one.bus.count:,} of {one.bus.given:,}",
            f"{published:.1f}" if published else "-",
            str(one.drive.bus_period_ns()),
        ])
    headings = ["", "by the trace's hits", "through reads", "published", "in the run"]
    return Table("What a byte takes on the measuring host's bus, ns.", headings, rows)


def _departure_table(runs: Sequence[tuple[str, Comparison]]) -> Table:
    rows = [
        [name, percent(one.departure.factors[0]), signed_ms(one.departure.constant), f"{one.departure.count:,}",
         ms(one.departure.scatter)]
        for name, one in runs
        if one.departure is not None
    ]
    headings = ["", "% of the media's time", "and, ms", "through reads", "median distance from it, ms"]
    caption = "When the real drive begins to send what it reads: once so much of it is in its buffer."
    return Table(caption, headings, rows)


def _guess(guess: Guess | None, digits: int) -> list[str]:
    if guess is None:
        return ["-", "-", "-", "-"]
    # Adding 0 makes of a rounded -0 a 0.
    value = f"{round(guess.value, digits) + 0.0:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
    value = value if guess.found else "not found"
    return [value, f"{guess.coherence:.3f}", f"{guess.as_described:.3f}", f"{guess.by_chance:.3f}"]


def _angle_table(rows: Sequence[tuple[str, Comparison]]) -> Table:
    headings = ["", "best", "coherence", "as described", "by chance", "writes"]
    cells: list[list[str]] = []
    for name, one in rows:
        for what, guess, digits in (("skew, sectors larger", one.skew, 2), ("revolution longer, ppm", one.speed, 0)):
            count = "-" if guess is None else f"{guess.count:,}"
            cells.append([f"{name}: {what}", *_guess(guess, digits), count])
    return Table("The real platter beside the described one.", headings, cells)


def _gain_table(runs: Sequence[tuple[str, Comparison]]) -> Table:
    rows: list[list[str]] = []
    for name, one in runs:
        rows += [
            [f"{name}: {gain.name}", ms(gain.demerit_ms), ms(gain.mean_ms), percent(gain.near_share)]
            for gain in one.gains
        ]
    headings = ["", "demerit, ms", "mean, ms", "within 0.1 ms, %"]
    return Table("Changes, worked out from the runs' records and not made.", headings, rows)


def write_page(
    folder: Path, compared: Sequence[Comparison], corrected: Sequence[Corrected], platform: str, limit: int
) -> None:
    """Writes page, README.md and pictures into the folder; `limit` commands of each trace, 0 for all. Raises OSError."""
    beginning = f" Only the first {limit:,} commands of each." if limit else ""
    made = FidelityPage(
        folder,
        "Simulated drives beside the real ones",
        "Traces whose service times were measured on the drive itself, replayed on headstack's "
        f"{platform} platform.{beginning}",
    )
    _add_distributions(made, compared)
    _add_pairs(made, compared)
    _add_inputs(made, compared)
    _add_causes(made, compared, corrected)
    made.write()


def _add_distributions(made: FidelityPage, compared: Sequence[Comparison]) -> None:
    section = made.page.section(
        "Distributions",
        "The demerit figure is the root mean square of the horizontal distance between the two cumulative curves "
        "(Ruemmler and Wilkes, IEEE Computer 27(3), 1994). Ours is exact, and so are all demerits below. DiskSim's figure is that "
        "of its authors, for DiskSim on the same trace. It compares histograms whose bins are 1 us and 1 % of the time wide. "
        "Our figure by the same histograms stands beside it. Nothing was fitted to these curves.",
    )
    section.table(_whole_table(compared))
    made.picture(
        section, "distributions", pictures.distribution_picture(compared),
        "Cumulative distribution of the service time, and its middle part enlarged.",
        "Cumulative curves of measured and simulated times, a column for each drive.",
    )
    made.picture(
        section, "quantiles", pictures.quantile_picture(compared),
        "Quantiles of the measured times across, of the simulated ones up.",
        "Dots along the diagonal, a panel for each drive.",
    )
    for one in compared:
        if one.by_kind:
            section.table(_kind_table(one))


def _add_pairs(made: FidelityPage, compared: Sequence[Comparison]) -> None:
    section = made.page.section(
        "Command by command",
        "A demerit of 0 could come by chance. This comparison is stricter: each command beside the same one on "
        "the real drive, which waited for its own platter. Think times are the same on both. So where the angle "
        "between the platters stays the same, a command that ends early makes the next one wait longer by as "
        "much.",
    )
    made.picture(
        section, "differences", pictures.difference_picture(compared),
        "Differences over more than a revolution, and within a millisecond. Larger ones are counted at the ends. "
        "The axis of commands is logarithmic.",
        "Histograms with a line a revolution to either side of 0, a column for each drive.",
    )
    for one in compared:
        section.table(_pair_table(one))
    if any(one.by_size for one in compared):
        made.picture(
            section, "sizes", pictures.size_picture(compared),
            "By size: median and quartiles of the difference. Commands to the media are those after a write.",
            "A line for each kind of command over blocks, a panel for each drive.",
        )
        for one in compared:
            if one.by_size:
                section.table(_size_table(one))


def _add_inputs(made: FidelityPage, compared: Sequence[Comparison]) -> None:
    section = made.page.section("What the runs were told")
    section.table(_declaration_table(compared))
    section.text(
        "Reads in sequence after a read come from the real drive's buffer. What each block adds to their time is "
        "its time on the bus of the host that measured. Where nothing is published of that bus, the period comes "
        "from these reads. The bus of our drive moves a byte in a multiple of 25 ns."
    )
    section.table(_bus_table(compared))
    for one in compared:
        section.text(f"{_name(one)}: {one.bus_note}.")


def _add_causes(
    made: FidelityPage, compared: Sequence[Comparison], corrected: Sequence[Corrected]
) -> None:
    section = made.page.section(
        "Where the rest comes from",
        "Ends of writes tell where the real platter stood. The coherence of their angles says how far they agree: "
        "1 when all do. Beside it is the coherence that the best of many guesses has by chance. A skew comes from "
        "pairs of writes within 20 cylinders. A spindle's speed comes from the whole run. The moment at which "
        "data leave comes from reads within 20 cylinders of a write before.",
    )
    described = [(_name(one), one) for one in compared]
    rows = described + [(change.name, change.comparison) for change in corrected]
    section.table(_angle_table(rows))
    # A corrected spindle shows what the right-hand panels show already.
    still = [(change.name, change.comparison) for change in corrected if not change.longer_ppm]
    turning = [(name, one, one.speed) for name, one in [*described, *still] if one.speed is not None]
    if turning:
        made.picture(
            section, "angles", pictures.angle_picture(turning),
            "How far the simulated platter is ahead of the real one at the end of each write. The panels on the right "
            "leave out what the spindle's speed explains.",
            "Dots of angle over time: a straight level line on the right where the two platters turn alike.",
        )
    if corrected:
        section.text(
            "What the traces say of the platter is no part of the runs above. Runs with descriptions that were changed accordingly "
            "show whether it is true, command by command:"
        )
        drives = {change.comparison.drive.description for change in corrected}
        found = [
            _pair_row(name, one.by_kind[SEEKING_WRITES])
            for name, one in rows
            if one.drive.description in drives and SEEKING_WRITES in one.by_kind
        ]
        section.table(Table(f"Simulated less measured time of {SEEKING_WRITES}, ms.", PAIR_HEADINGS, found))
        section.table(_corrected_table(corrected))
    if any(one.departure is not None for _, one in rows):
        section.table(_departure_table(rows))
    if any(one.gains for _, one in rows):
        section.table(_gain_table(rows))


def _corrected_table(corrected: Sequence[Corrected]) -> Table:
    rows = [
        [change.name, ms(change.comparison.whole.real_mean_ms), ms(change.comparison.whole.simulated_mean_ms),
         ms(change.comparison.whole.demerit_ms), percent(change.comparison.whole.near_share)]
        for change in corrected
    ]
    headings = ["", "measured, mean", "simulated, mean", "demerit", "within 0.1 ms, %"]
    return Table("The corrected descriptions as a whole, ms.", headings, rows)
