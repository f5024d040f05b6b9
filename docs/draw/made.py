# SPDX-License-Identifier: Apache-2.0
"""The parts of pages that a program makes, and the pictures: what there is, and who makes it.

In a page, between `<!-- made: NAME -->` and `<!-- end -->`, stands what the maker of that name gives. Nobody edits it.
"""

import re
from collections.abc import Callable
from pathlib import Path

import flow
import pictures
import recording
import tables
from registers import ROOT

DOCS = ROOT / "docs"
# Blocks with a page of their own: all instances of soc_top that have registers.
BLOCKS = ("scsi_target", "buffer_mgr", "formatter", "servo", "timer", "irq_ctrl", "trace_port", "testdev")
SMALL = ("cpu", "crossbar", "io_bridge", "tightly_coupled_ram")

# By what a page says after "made:".
PARTS: dict[str, Callable[[], list[str]]] = {
    "clocks": tables.clocks,
    "addresses": tables.addresses,
    "joins": tables.joins,
    "policies": tables.policies,
    "events": tables.events,
    "commands": tables.commands,
    "mode pages": tables.mode_pages,
    "mode fields": tables.mode_fields,
    "log pages": tables.log_pages,
    "log parameters": tables.log_parameters,
    **{f"ports {block}": lambda block=block: tables.ports(block) for block in (*BLOCKS, *SMALL)},
    **{f"registers {block}": lambda block=block: tables.register_page(block) for block in BLOCKS},
    **{f"properties {block}": lambda block=block: tables.properties(block) for block in (*BLOCKS, "bus", "cpu", "mem", "soc")},
}
# Those that take a program that is built, or a run of it.
NEED_BUILD = ("policies",)

# By file below docs/.
PICTURES: dict[str, Callable[[], str]] = {
    "pictures/road.svg": pictures.road,
    "pictures/floors.svg": pictures.floors,
    "pictures/soc.svg": pictures.soc,
    "pictures/memory.svg": pictures.memory,
    "pictures/interrupts.svg": pictures.interrupts,
    **{f"pictures/{block}.svg": lambda block=block: pictures.block(block) for block in BLOCKS},
}
# Of runs: each call makes the run.
RUN_PICTURES: dict[str, Callable[[], str]] = {**flow.PICTURES, **recording.PICTURES}

_MARK = re.compile(r"<!-- made: (?P<name>[^>]*?) -->\n(?P<text>.*?)<!-- end -->\n", re.S)


class MadeError(Exception):
    """A page asks for what nobody makes."""


def pages() -> list[Path]:
    """All pages of docs/."""
    return sorted(DOCS.rglob("*.md"))


def renewed(page: Path, parts: dict[str, Callable[[], list[str]]] | None = None) -> str:
    """A page's text with its made parts as they are now; those not in `parts` stay."""
    wanted = PARTS if parts is None else parts

    def one(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in PARTS:
            raise MadeError(f"{page.relative_to(ROOT)}: nobody makes '{name}'; docs/draw/made.py has: {', '.join(PARTS)}")
        if name not in wanted:
            return match[0]
        return f"<!-- made: {name} -->\n\n" + "\n".join(wanted[name]()) + "\n\n<!-- end -->\n"

    return _MARK.sub(one, page.read_text(encoding="utf-8"))
