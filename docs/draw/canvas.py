# SPDX-License-Identifier: Apache-2.0
"""Pictures as plain SVG: boxes, lines, text. One style for all, readable in light and dark.

A picture has its own ground, so that it reads well whatever page it stands on; the reader's system chooses light or dark.
Text is at least 12 units high in a picture some 720 wide: on a narrow page it shrinks and stays legible. The same calls
make the same bytes.
"""

from collections.abc import Iterable
from html import escape

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "dim": "#59636e",
    "faint": "#d1d9e0",
    "soft": "#f0f3f6",
    "a": "#0b5cad",
    "a_soft": "#dbeafe",
    "b": "#8a4600",
    "b_soft": "#ffe8cc",
    "c": "#1a6b2f",
    "c_soft": "#d8f3dc",
    "d": "#8b1a5b",
    "d_soft": "#fbe0ef",
}
DARK = {
    "paper": "#0d1117",
    "ink": "#e6edf3",
    "dim": "#9da7b1",
    "faint": "#3d444d",
    "soft": "#161b22",
    "a": "#79b8ff",
    "a_soft": "#10294a",
    "b": "#ffb366",
    "b_soft": "#3d2611",
    "c": "#7ee08e",
    "c_soft": "#10331a",
    "d": "#f29ac9",
    "d_soft": "#401630",
}
_FONT = "font-family:DejaVu Sans,Verdana,sans-serif"


def _rules(colours: dict[str, str]) -> str:
    rules = [
        f".paper{{fill:{colours['paper']}}}",
        f"text{{fill:{colours['ink']};{_FONT}}}",
        f".dim{{fill:{colours['dim']}}}",
        f".box{{fill:{colours['soft']};stroke:{colours['dim']}}}",
        f".line{{stroke:{colours['ink']};fill:none}}",
        f".tip{{fill:{colours['ink']}}}",
        f".grid{{stroke:{colours['faint']};fill:none}}",
    ]
    for name in "abcd":
        rules.append(f".{name}{{fill:{colours[name + '_soft']};stroke:{colours[name]}}}")
        rules.append(f".line-{name}{{stroke:{colours[name]};fill:none}}")
        rules.append(f".tip-{name}{{fill:{colours[name]}}}")
        rules.append(f"text.ink-{name}{{fill:{colours[name]}}}")
    return "".join(rules)


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Canvas:
    """A picture that is being drawn. Units are pixels at full width, from the upper left corner."""

    def __init__(self, width: int, height: int, title: str, description: str) -> None:
        self.width = width
        self.height = height
        self._title = title
        self._description = description
        self._parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, kind: str = "box", radius: float = 4) -> None:
        """A rectangle; `kind` is "box" or one of the accents a, b, c, d."""
        self._parts.append(
            f'<rect class="{kind}" x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
            f' rx="{_number(radius)}"/>'
        )

    def text(
        self, x: float, y: float, words: str, *, size: int = 13, anchor: str = "start", kind: str = "", bold: bool = False,
        mono: bool = False, up: bool = False,
    ) -> None:  # fmt: skip
        """Words with their base line at y; `up` turns them to read upward."""
        style = ("font-weight:bold;" if bold else "") + ("font-family:DejaVu Sans Mono,monospace" if mono else "")
        self._parts.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{size}" text-anchor="{anchor}"'
            + (f' class="{kind}"' if kind else "")
            + (f' style="{style}"' if style else "")
            + (f' transform="rotate(-90 {_number(x)} {_number(y)})"' if up else "")
            + f">{escape(words)}</text>"
        )

    def line(self, points: Iterable[tuple[float, float]], kind: str = "line", width: float = 1.2, dashes: str = "") -> None:
        """A line through the points."""
        through = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._parts.append(f'<polyline class="{kind}" stroke-width="{_number(width)}"{dashed} points="{through}"/>')

    def arrow(self, points: list[tuple[float, float]], kind: str = "line", width: float = 1.2, both: bool = False) -> None:
        """A line along axes with a tip at its end, and at its beginning if it goes both ways."""
        self.line(points, kind, width)
        self._tip(points[-2], points[-1], kind)
        if both:
            self._tip(points[1], points[0], kind)

    def _tip(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
        (x0, y0), (x, y) = start, end
        length = max(((x - x0) ** 2 + (y - y0) ** 2) ** 0.5, 1e-9)
        dx, dy = (x - x0) / length, (y - y0) / length
        corners = [(x, y), (x - 8 * dx - 4 * dy, y - 8 * dy + 4 * dx), (x - 8 * dx + 4 * dy, y - 8 * dy - 4 * dx)]
        self._parts.append(
            f'<polygon class="{kind.replace("line", "tip")}" points="'
            + " ".join(f"{_number(a)},{_number(b)}" for a, b in corners)
            + '"/>'
        )

    def svg(self, only: str = "") -> str:
        """The file's text; `only` is "light" or "dark" for a viewer that asks nobody."""
        if only:
            style = _rules(DARK if only == "dark" else LIGHT)
        else:
            style = f"{_rules(LIGHT)}@media (prefers-color-scheme: dark){{{_rules(DARK)}}}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}"'
            f' height="{self.height}" role="img">\n<title>{escape(self._title)}</title>\n'
            f"<desc>{escape(self._description)}</desc>\n<style>{style}</style>\n"
            f'<rect class="paper" width="{self.width}" height="{self.height}"/>\n' + "\n".join(self._parts) + "\n</svg>\n"
        )
