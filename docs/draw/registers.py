# SPDX-License-Identifier: Apache-2.0
"""Registers of a block, as hdl/regs/NAME.rdl has them."""

import dataclasses
import functools
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode

ROOT = Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Field:
    """Bits of a register."""

    name: str
    high: int
    low: int
    access: str
    reset: str
    description: str
    values: tuple[tuple[int, str, str], ...]  # of an enumeration: number, name, description


@dataclasses.dataclass(frozen=True)
class Register:
    """A word of the block's page."""

    name: str
    offset: int
    description: str
    fields: tuple[Field, ...]


def _access(field: FieldNode) -> str:
    onwrite = field.get_property("onwrite")
    clears = field.get_property("onread")
    text = {"rw": "rw", "r": "r", "w": "w"}.get(field.get_property("sw").name, field.get_property("sw").name)
    return text + (f", {onwrite.name}" if onwrite else "") + (f", {clears.name}" if clears else "")


def _field(field: FieldNode) -> Field:
    reset = field.get_property("reset")
    encode = field.get_property("encode")
    values = tuple((one.value, one.name, one.rdl_desc or "") for one in encode) if encode else ()
    return Field(
        field.inst_name,
        field.high,
        field.low,
        _access(field),
        "" if reset is None else (f"0x{reset:X}" if isinstance(reset, int) and reset > 9 else str(reset)),
        field.get_property("desc") or "",
        values,
    )


@functools.cache
def registers(block: str) -> tuple[Register, ...]:
    """Of a block, in the order of their offsets."""
    compiler = RDLCompiler()
    compiler.compile_file(str(ROOT / "hdl/regs" / f"{block}.rdl"))
    top = compiler.elaborate().top
    return tuple(
        Register(
            node.get_path()[len(top.get_path()) + 1 :],
            node.raw_absolute_address,
            node.get_property("desc") or "",
            tuple(_field(field) for field in node.fields()),
        )
        for node in top.descendants()
        if isinstance(node, RegNode)
    )


def interrupt_sources() -> tuple[tuple[int, str], ...]:
    """Bit and block of each source of the interrupt controller."""
    pending = next(one for one in registers("irq_ctrl") if one.name == "PENDING")
    return tuple((field.low, field.name) for field in sorted(pending.fields, key=lambda field: field.low))


def events_of(block: str) -> tuple[str, ...]:
    """What raises a block's interrupt: the fields of its INTR_STATE; the timer has its STATUS."""
    for name in ("INTR_STATE", "STATUS"):
        for register in registers(block):
            if register.name == name:
                return tuple(field.name for field in register.fields)
    return ()
