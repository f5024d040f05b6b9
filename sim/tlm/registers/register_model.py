# SPDX-License-Identifier: Apache-2.0
"""The source of the fast platform's register classes: a block's registers, read from SystemRDL.

The behaviour of a register follows from its fields, as SystemRDL 2.0 defines them (clause 9). A field is
  - wired (software reads, hardware writes, no storage): its value comes from on_read_NAME();
  - constant (software reads, hardware never writes, no storage): its reset value;
  - stored: everything else, with onwrite, onread, singlepulse, hwset and hwclr.
A register that software writes and hardware reads calls on_write_NAME() after each write. An
external register is nothing but its two hooks. Registers named INTR_STATE and INTR_ENABLE are
the block's interrupt: irq() is INTR_STATE & INTR_ENABLE, irq_changed() the hook.

What it does not know (counters, write enables, wide registers and the like) is an error that names
the component.
"""

from systemrdl import node
from systemrdl.rdltypes import AccessType, OnReadType, OnWriteType

# Properties of a field that would change what software sees, and that nothing here implements.
UNSUPPORTED = ("counter", "intr", "we", "wel", "swwe", "swwel", "hwenable", "hwmask", "next",
               "swacc", "anded", "ored", "xored", "paritycheck")
KEYWORDS = frozenset("""alignas alignof and asm auto bool break case catch char class const continue
default delete do double else enum explicit export extern false float for friend goto if inline int
long mutable namespace new not operator or private protected public register return short signed
sizeof static struct switch template this throw true try typedef typeid typename union unsigned
using virtual void volatile while xor word""".split())


class ExportError(Exception):
    """What the description asks for and the register class cannot do."""


def camel(name):
    return "".join(part.capitalize() for part in name.lower().split("_") if part)


def mask_of(fields):
    mask = 0
    for field in fields:
        mask |= field.mask
    return mask


class Field:
    """One field: where its bits are and what becomes of them."""

    def __init__(self, rdl):
        self.name = rdl.inst_name.lower()
        self.path = rdl.get_path()
        self.desc = rdl.get_property("desc") or ""
        self.low, self.high = rdl.low, rdl.high
        self.width = rdl.width
        self.mask = ((1 << rdl.width) - 1) << rdl.low
        self.readable, self.writable = rdl.is_sw_readable, rdl.is_sw_writable
        self.hw_readable, self.hw_writable = rdl.is_hw_readable, rdl.is_hw_writable
        self.onwrite, self.onread = rdl.get_property("onwrite"), rdl.get_property("onread")
        self.hwset, self.hwclr = rdl.get_property("hwset"), rdl.get_property("hwclr")
        self.singlepulse = rdl.get_property("singlepulse")
        self.effect = bool(self.singlepulse or rdl.get_property("swmod"))
        self.encode = rdl.get_property("encode")
        self.encode_name = enum_name(self.encode) if self.encode is not None else None
        self.stored = rdl.implements_storage
        self.external = rdl.external
        self._check(rdl)
        self.reset = (rdl.get_property("reset") or 0) << rdl.low

    def _check(self, rdl):
        if self.name in KEYWORDS:
            raise ExportError(f"{self.path}: a field cannot be named '{self.name}' in C++")
        for name in UNSUPPORTED:
            if name in rdl.list_properties(include_native=True) and rdl.get_property(name):
                raise ExportError(f"{self.path}: property '{name}' is not supported")
        if rdl.get_property("sw") in (AccessType.rw1, AccessType.w1):
            raise ExportError(f"{self.path}: write-once fields are not supported")
        if self.onwrite == OnWriteType.wuser or self.onread == OnReadType.ruser:
            raise ExportError(f"{self.path}: user-defined read and write effects are not supported")
        for name in ("hwset", "hwclr"):
            if not isinstance(rdl.get_property(name), bool):
                raise ExportError(f"{self.path}: property '{name}' cannot name a signal here")
        if not isinstance(rdl.get_property("reset"), (int, type(None))):
            raise ExportError(f"{self.path}: property 'reset' must be a number")

    @property
    def wired(self):
        return self.readable and not self.stored and self.hw_writable

    @property
    def type(self):
        if self.encode is not None:
            return self.encode_name
        return "bool" if self.width == 1 else "std::uint32_t"


class Register:
    """One register, or an array of them with one index."""

    def __init__(self, rdl, prefix, base, array):
        self.name = (prefix + rdl.inst_name).lower()
        self.path = rdl.get_path(empty_array_suffix="[]")
        self.desc = rdl.get_property("desc") or ""
        self.count, self.stride = array
        if rdl.is_array:
            if self.count or len(rdl.array_dimensions) != 1:
                raise ExportError(f"{self.path}: arrays of arrays are not supported")
            self.count, self.stride = rdl.array_dimensions[0], rdl.array_stride
        if rdl.get_property("regwidth") != 32 or rdl.get_property("accesswidth") != 32:
            raise ExportError(f"{self.path}: registers have 32 bits and are accessed whole")
        self.offset = base + rdl.raw_address_offset
        self.external = rdl.external
        self.fields = [Field(field) for field in rdl.fields()]
        self.type = camel(self.name)

    def of(self, quality):
        return [field for field in self.fields if getattr(field, quality)]

    @property
    def readable(self):
        return mask_of(self.of("readable"))

    @property
    def writable(self):
        return mask_of(self.of("writable"))

    @property
    def reset(self):
        value = 0
        for field in self.fields:
            value |= field.reset
        return value

    @property
    def storage(self):
        """Bits that are kept. Write-only fields that are nothing but their effect are not."""
        if self.external:
            return 0
        kept = [field for field in self.fields if field.stored]
        if not self.readable and all(field.effect for field in kept):
            return 0
        return mask_of(kept)

    @property
    def constant(self):
        constants = [field for field in self.fields
                     if field.readable and not field.stored and not field.wired]
        return sum(field.reset for field in constants)

    @property
    def read_hook(self):
        return bool(self.external and self.readable) or bool(self.of("wired"))

    @property
    def write_hook(self):
        return bool(self.external and self.writable) or any(
            field.writable and field.hw_readable and not self.is_interrupt for field in self.fields)

    @property
    def is_interrupt(self):
        return self.name in ("intr_state", "intr_enable")

    @property
    def index(self):
        return "std::uint32_t index" if self.count else ""


def enum_name(encode):
    name = encode.type_name
    return camel(name[:-2] if name.endswith("_e") else name)


def collect(parent, prefix="", base=0, array=(0, 0)):
    registers = []
    for child in parent.children(unroll=False):
        if isinstance(child, node.RegNode):
            registers.append(Register(child, prefix, base, array))
        elif isinstance(child, node.RegfileNode):
            inner = array
            if child.is_array:
                if array[0] or len(child.array_dimensions) != 1:
                    raise ExportError(f"{child.get_path()}: arrays of arrays are not supported")
                inner = (child.array_dimensions[0], child.array_stride)
            registers += collect(child, f"{prefix}{child.inst_name}_",
                                 base + child.raw_address_offset, inner)
        elif not isinstance(child, node.SignalNode):
            raise ExportError(f"{child.get_path()}: a {child.component_type_name} is not supported")
    return registers


def encodings(registers):
    """Encodings by their C++ names; one named like a register gets the suffix Code."""
    found = {}
    types = {register.type for register in registers}
    for field in (field for register in registers for field in register.fields):
        if field.encode is None:
            continue
        if field.encode_name in types:
            field.encode_name += "Code"
        other = found.setdefault(field.encode_name, field.encode)
        if other is not field.encode or field.encode_name in types:
            raise ExportError(f"{field.path}: two things are named {field.encode_name} in C++")
    return found
