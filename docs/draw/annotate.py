# SPDX-License-Identifier: Apache-2.0
"""Labels and arrows over pictures of waves. Where each one is follows from its time and from where GTKWave drew that time.

A panel is a picture of waves with a band of labels above it. Each label has a line of its own, with a stroke down through the waves
at its time. Arrows between two times have the lowest lines of the band.
"""

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
from gtkwave import Window
from PIL import Image, ImageChops, ImageDraw, ImageFont

Colour = tuple[int, int, int]
BLUE: Colour = (25, 113, 194)
GREEN: Colour = (35, 134, 54)
ORANGE: Colour = (201, 98, 0)
RED: Colour = (208, 42, 42)
INK: Colour = (30, 30, 30)
PAPER: Colour = (255, 255, 255)
LINE_HEIGHT, MARGIN, GAP = 25, 6, 30
FONT_SIZE = 16
DASH, SPACE = 5, 4
HEAD = 7  # of an arrow
LIGHTER = 70  # Strokes over the dark ground of the waves are so much lighter.


@dataclass(frozen=True)
class Mark:
    """A moment, and what is to be said of it."""

    time_ps: int
    text: str
    colour: Colour


@dataclass(frozen=True)
class Stretch:
    """An arrow from one moment to another."""

    begin_ps: int
    end_ps: int
    text: str
    colour: Colour


@dataclass(frozen=True)
class Panel:
    """A picture of waves, what is said about it, and the title beside the labels."""

    waves: Image.Image
    window: Window
    title: str
    marks: Sequence[Mark]
    stretches: Sequence[Stretch] = ()

    @property
    def band(self) -> int:
        """The height of what stands above the waves."""
        return MARGIN + LINE_HEIGHT * (len(self.marks) + len(self.stretches))

    @property
    def height(self) -> int:
        """Of all of it."""
        return self.band + self.waves.height


@functools.cache
def font(bold: bool = False) -> ImageFont.FreeTypeFont:
    """Matplotlib's own, so that every machine draws the same letters."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path(), "fonts/ttf", name)), FONT_SIZE)


def trimmed(waves: Image.Image, window: Window) -> Image.Image:
    """Without the empty rows at the bottom."""
    image = waves.convert("RGB")
    pane = image.crop((window.left, 0, image.width, image.height))
    ground = Image.new("RGB", pane.size, pane.getpixel((1, pane.height - 1)))
    # The grid is faint; signals are not.
    box = ImageChops.difference(pane, ground).convert("L").point(lambda value: 255 if value > 60 else 0).getbbox()
    return image.crop((0, 0, image.width, min(image.height, (box[3] if box else image.height) + MARGIN)))


@dataclass(frozen=True)
class _Label:
    """A mark with its place in pixels: the stroke's column, and where its text begins and ends."""

    mark: Mark
    x: float
    left: float
    right: float


def arranged(places: Sequence[Sequence[_Label]], title_right: float, width: float) -> Sequence[_Label]:
    """Labels from top to bottom, each at one of its places, so that no stroke runs through a text. Raises ValueError.

    @param places: of each label, the better one first. @param title_right: where the title ends, on the first line.
    """
    for chosen in itertools.product(*places):
        for order in itertools.permutations(chosen):
            inside = all(label.left >= 0 and label.right <= width for label in order) and order[0].left > title_right
            crossed = any(
                lower.left <= upper.x <= lower.right for place, upper in enumerate(order) for lower in order[place + 1 :]
            )
            if inside and not crossed:
                return order
    raise ValueError("no arrangement keeps strokes and texts apart: make a text shorter")


def stack(panels: Sequence[Panel]) -> Image.Image:
    """One below the other."""
    width = max(panel.waves.width for panel in panels)
    image = Image.new("RGB", (width, sum(panel.height + GAP for panel in panels) - GAP), PAPER)
    draw = ImageDraw.Draw(image)
    top = 0
    for panel in panels:
        image.paste(panel.waves, (0, top + panel.band))
        _label(draw, panel, top, width)
        top += panel.height + GAP
    return image


def _label(draw: ImageDraw.ImageDraw, panel: Panel, top: int, width: int) -> None:
    draw.text((MARGIN, top + MARGIN), panel.title, INK, font(bold=True))
    length = draw.textlength(panel.title, font(bold=True)) + 2 * MARGIN
    places = [_places(panel.window.column(mark.time_ps), mark, draw.textlength(mark.text, font())) for mark in panel.marks]
    waves = top + panel.band
    order = arranged(places, length, width)
    for line, label in enumerate(order):
        x, y, colour = round(label.x), top + MARGIN + line * LINE_HEIGHT, label.mark.colour
        draw.text((label.left, y), label.mark.text, colour, font())
        draw.line((x, y + 2, x, waves), colour, 2)
        _dashes(draw, x, waves, top + panel.height, colour)
    for line, stretch in enumerate(panel.stretches, start=len(order)):
        _arrow(draw, panel.window, stretch, top + MARGIN + line * LINE_HEIGHT + LINE_HEIGHT // 2)


def _places(x: float, mark: Mark, length: float) -> list[_Label]:
    """To the right of the stroke, or to the left."""
    return [_Label(mark, x, x + MARGIN, x + MARGIN + length), _Label(mark, x, x - MARGIN - length, x - MARGIN)]


def _arrow(draw: ImageDraw.ImageDraw, window: Window, stretch: Stretch, y: int) -> None:
    begin, end = (round(window.column(time)) for time in (stretch.begin_ps, stretch.end_ps))
    draw.line((begin, y, end, y), stretch.colour, 2)
    for x, way in ((begin, 1), (end, -1)):
        draw.polygon([(x, y), (x + way * HEAD, y - HEAD // 2), (x + way * HEAD, y + HEAD // 2)], stretch.colour)
    half, middle = draw.textlength(stretch.text, font()) / 2, (begin + end) / 2
    top = y - LINE_HEIGHT // 2 + 2
    draw.rectangle((middle - half - MARGIN, top, middle + half + MARGIN, y + LINE_HEIGHT // 2 - 2), PAPER)
    draw.text((middle - half, top), stretch.text, stretch.colour, font())


def _dashes(draw: ImageDraw.ImageDraw, x: int, top: int, bottom: int, colour: Colour) -> None:
    red, green, blue = (min(255, part + LIGHTER) for part in colour)
    for y in range(top, bottom, DASH + SPACE):
        draw.line((x, y, x, min(y + DASH, bottom)), (red, green, blue), 1)
