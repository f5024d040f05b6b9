# SPDX-License-Identifier: Apache-2.0
"""A page of host/report/page.py once more as Markdown with pictures in files, for readers who come by the folder."""

from collections.abc import Mapping

from page import Page, Picture, Table, Text

WIDTH = 120  # of a line of text


def _paragraph(text: str) -> str:
    """Broken between words."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _table(table: Table) -> str:
    align = "---:" if table.numbers else "---"
    rule = "|" + "|".join(["---"] + [align] * (len(table.headings) - 1)) + "|"
    rows = [_row([cell.text for cell in row]) for row in table.cells()]
    return "\n".join([_paragraph(table.caption), "", _row(list(table.headings)), rule, *rows])


def render(page: Page, files: Mapping[int, str]) -> str:
    """The page's text. `files` has the file of each picture, by the id() of its block."""
    blocks = [f"# {page.title}", _paragraph(page.subtitle)]
    for section in page.sections:
        blocks.append(f"## {section.title}")
        for block in section.blocks:
            if isinstance(block, Text):
                blocks.append(_paragraph(block.text))
            elif isinstance(block, Picture):
                blocks += [f"![{block.alt}]({files[id(block)]})", _paragraph(block.caption)]
            else:
                blocks.append(_table(block))
    return "\n\n".join(blocks) + "\n"
