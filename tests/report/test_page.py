# SPDX-License-Identifier: Apache-2.0
"""The page library: what goes in comes out, once, escaped, without an address in it, the same each time."""

import re
import unittest
from html.parser import HTMLParser

from support import ROOT  # noqa: I001
from page import Cell, Page, Table
import style

# Elements that have no end.
VOID = {"meta", "br", "hr", "img", "link"}


class Structure(HTMLParser):
    """Collects ids and references, and finds elements that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self._take(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._take(attrs)

    def _take(self, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        for name, value in attrs:
            if name == "id" and value is not None:
                self.ids.append(value)
            if value is not None and (name.endswith("href") or name == "aria-labelledby"):
                self.references.append(value.removeprefix("#"))
            if value is not None:
                self.references += re.findall(r"url\(#([^)]*)\)", value)

    def handle_endtag(self, tag: str) -> None:
        last = self.open.pop()
        if last != tag:
            raise AssertionError(f"</{tag}> closes <{last}>")


def example() -> Page:
    page = Page("A & B", "<one> line")
    page.conclude("It is <so>.")
    page.conclude("But mind.", "warning")
    for number in range(2):
        section = page.section(f"Part {number}", "It's \"quoted\" & <tagged>.")
        section.table(Table("Times, ms.", ["", "a<b"], [["row & one", Cell("1.5", "better")], ["two", "2"]]))
        figure = style.new_figure(4, 3, "")
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=style.BLACK, label="one & two")
        axes.scatter([0, 1], [1, 0], rasterized=True)
        axes.set_xlabel("time, s")
        style.legend_below(figure, axes)
        section.figure(figure, "What <it> is.", 'a "line"')
        section.warning("Mind this.")
    return page


class PageLibrary(unittest.TestCase):
    """One page with everything on it."""

    def setUp(self) -> None:
        self.html = example().html()
        self.structure = Structure()
        self.structure.feed(self.html)

    def test_elements_are_closed(self) -> None:
        self.assertEqual(self.structure.open, [])

    def test_ids_are_unique_and_references_lead_somewhere(self) -> None:
        ids = self.structure.ids
        self.assertEqual(len(ids), len(set(ids)))
        references = [name for name in self.structure.references if not name.startswith("data:")]
        self.assertGreater(len(references), 10)
        self.assertEqual(set(references) - set(ids), set())

    def test_needs_nothing_else(self) -> None:
        self.assertNotIn("http", self.html.lower())
        self.assertNotIn("<script", self.html)
        self.assertNotIn("<link", self.html)
        self.assertNotIn("@import", self.html)
        self.assertNotIn("src=", self.html)

    def test_text_is_escaped(self) -> None:
        for text in ("&lt;one&gt; line", "A &amp; B", "row &amp; one", "a&lt;b", "What &lt;it&gt; is."):
            self.assertIn(text, self.html)
        for text in ("<one>", "<tagged>", "<it>"):
            self.assertNotIn(text, self.html)

    def test_pictures_have_a_text_and_tables_a_caption(self) -> None:
        self.assertEqual(self.structure.attributes.count(("aria-label", 'a "line"')), 2)
        self.assertEqual(self.html.count("<caption><span>Times, ms.</span></caption>"), 2)
        self.assertIn('<td class="better">1.5</td>', self.html)

    def test_conclusions_stand_above_the_contents(self) -> None:
        above = self.html.split("<nav")[0]
        self.assertIn('<p class="lead">It is &lt;so&gt;.</p>\n<p class="warning">But mind.</p>', above)

    def test_what_may_be_wide_scrolls_in_its_own_box(self) -> None:
        """On a phone the page itself is as wide as the screen."""
        self.assertEqual(self.html.count("<table"), len(re.findall(r'<div class="wide">\s*<table', self.html)))
        self.assertEqual(self.html.count("<svg"), len(re.findall(r'<div class="drawing"[^>]*>\s*<svg', self.html)))
        css = (ROOT / "host/report/page.css").read_text(encoding="utf-8")
        for box in (".wide", ".drawing"):
            self.assertRegex(css, rf"{re.escape(box)} {{[^}}]*overflow-x: auto")
        # A least width stands only where such a box is around it.
        wide = [rule for rule in re.findall(r"([^{}]+){[^{}]*min-width", css) if "svg" not in rule and "th" not in rule]
        self.assertEqual([], wide)
        self.assertNotRegex(css, r"[^-]width: *\d+(px|rem)")

    def test_points_of_a_rasterized_part_are_inside(self) -> None:
        self.assertEqual(self.html.count("data:image/png;base64,"), 2)

    def test_ink_and_grid_follow_the_reader(self) -> None:
        pictures = re.findall(r"<svg.*?</svg>", self.html, re.DOTALL)
        self.assertEqual(len(pictures), 2)
        for svg in pictures:
            self.assertIn("stroke: var(--ink)", svg)
            self.assertIn("stroke: var(--grid)", svg)
            self.assertNotIn("#000000", svg)

    def test_the_same_page_is_the_same_bytes(self) -> None:
        self.assertEqual(self.html, example().html())

    def test_rows_have_as_many_cells_as_there_are_headings(self) -> None:
        with self.assertRaisesRegex(ValueError, "a row of 1 cells under 2 headings"):
            Table("Short.", ["a", "b"], [["one"]])

    def test_sections_have_different_titles(self) -> None:
        page = Page("a", "b")
        page.section("Same")
        with self.assertRaisesRegex(ValueError, "'Same' already"):
            page.section("Same")


if __name__ == "__main__":
    unittest.main()
