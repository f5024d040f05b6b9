# SPDX-License-Identifier: Apache-2.0
"""A self-contained HTML page with text, tables and pictures: no network, no script, the same bytes each time.

    page = Page("What it is", "one line below")
    page.conclude("The answer: 3 ms.")
    section = page.section("Response times", "How long commands took.")
    section.table(Table("Response by run, ms", ["run", "mean"], [["a", "7.10"]]))
    section.figure(figure, "caption below the picture", "what one sees, for those who do not")
    page.write(Path("report.html"))

Text is plain and escaped by the template (page.html.jinja, page.css). A figure is a matplotlib figure of
host/plots/style.py; it becomes inline SVG whose black, grid and background follow the reader's light or dark setting.
What should stay small however many points it has is drawn with `rasterized=True`: that part becomes a PNG in the SVG.
"""

import io
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("plots", "output")]

import style  # noqa: E402
from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from result_files import write_text  # noqa: E402

HERE = Path(__file__).resolve().parent
# Colours of style.py for ink and paper, which follow the reader's light or dark setting.
THEME_COLOURS = {style.BLACK: "var(--ink)", style.SETTINGS["grid.color"]: "var(--grid)", "#ffffff": "var(--paper)"}


@dataclass(frozen=True)
class Cell:
    """A table's cell with a tone: "" plain, "better", "worse" (a colour besides the text), or "quiet"."""

    text: str
    tone: str = ""


@dataclass
class Table:
    """Rows of cells. The first column names the row; units stand in the caption, the headings or the row names.

    `numbers` says whether the other columns are set right-aligned, for numbers, or left-aligned, for words.
    """

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    numbers: bool = True
    kind: str = field(default="table", init=False)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.headings):
                lengths = f"a row of {len(row)} cells under {len(self.headings)} headings"
                raise ValueError(f"table '{self.caption}': {lengths}")

    def cells(self) -> list[list[Cell]]:
        """All rows, each cell with its tone."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]


@dataclass
class Picture:
    """A drawing as SVG text, its caption, and its text for screen readers."""

    svg: str
    caption: str
    alt: str
    kind: str = field(default="picture", init=False)


@dataclass
class Text:
    """A paragraph. `tone` is "" or, for an important one, "warning"."""

    text: str
    tone: str = ""
    kind: str = field(default="text", init=False)


@dataclass
class Section:
    """A section: a heading, its address on the page, and its blocks in order."""

    title: str
    anchor: str
    blocks: list[Text | Table | Picture] = field(default_factory=list)

    def text(self, text: str) -> None:
        """Adds a paragraph."""
        self.blocks.append(Text(text))

    def warning(self, text: str) -> None:
        """Adds a paragraph that stands out."""
        self.blocks.append(Text(text, "warning"))

    def table(self, table: Table) -> None:
        """Adds a table."""
        self.blocks.append(table)

    def figure(self, figure: Figure, caption: str, alt: str) -> None:
        """Adds a picture. `alt` describes it for readers who do not see it."""
        prefix = f"{self.anchor}-{len(self.blocks)}-"
        self.blocks.append(Picture(inline_svg(figure, prefix), caption, alt))


class Page:
    """The whole page."""

    def __init__(self, title: str, subtitle: str) -> None:
        self.title = title
        self.subtitle = subtitle
        self.lead: list[Text] = []
        self.sections: list[Section] = []

    def conclude(self, text: str, tone: str = "lead") -> None:
        """Adds a paragraph above the contents: the page's result. Tones are "lead", "reason" and "warning"."""
        self.lead.append(Text(text, tone))

    def section(self, title: str, text: str = "") -> Section:
        """Adds a section after the others, with a first paragraph if there is a text. Titles differ on a page."""
        anchor = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        if any(section.anchor == anchor for section in self.sections):
            raise ValueError(f"there is a section '{title}' already")
        section = Section(title, anchor)
        if text:
            section.text(text)
        self.sections.append(section)
        return section

    def html(self) -> str:
        """The page's text."""
        environment = Environment(
            loader=FileSystemLoader(HERE),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
            keep_trailing_newline=True,
        )
        css = (HERE / "page.css").read_text(encoding="utf-8")
        return environment.get_template("page.html.jinja").render(page=self, css=css)

    def write(self, file: Path) -> None:
        """Writes the page. Raises OutputError."""
        write_text(file, self.html())


def inline_svg(figure: Figure, prefix: str) -> str:
    """The figure as an <svg> element for an HTML page. Its ids begin with `prefix`, which is unique on the page."""
    out = io.StringIO()
    # There is no metadata: it would name vocabularies by their addresses, and the caption describes the figure.
    figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")), transparent=True)
    svg = out.getvalue()
    svg = svg[svg.index("<svg ") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    # HTML has both namespaces, so that no address is needed.
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    # Every group has a name, but few names are used.
    referred = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(r'\sid="([^"]*)"', lambda name: f' id="{prefix}{name[1]}"' if name[1] in referred else "", svg)
    svg = re.sub(r'(href="|url\()#', rf"\g<1>#{prefix}", svg)
    # A hundredth of a point is less than a pixel of any screen or printer, and half the text.
    svg = re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), svg)
    # The drawing fills the page's width; its own size is in its viewBox.
    svg = re.sub(r'(<svg\b[^>]*?)\swidth="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg\b[^>]*?)\sheight="[^"]*"', r"\1", svg, count=1)
    svg = svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
    for colour, variable in THEME_COLOURS.items():
        svg = re.sub(rf"\b(fill|stroke): {re.escape(colour)}\b", rf"\1: {variable}", svg, flags=re.IGNORECASE)
    return svg.strip()
