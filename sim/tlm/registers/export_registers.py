#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the fast platform's register class of a block from its SystemRDL description.

    export_registers.py hdl/regs/timer.rdl -o build/hdl/tlm/timer_registers.hpp

The header has, in namespace headstack::tlm,
  - namespace timer_regs: a struct per register, an enum class per encoding, and the names of registers and fields. A struct is a word with
    getters and setters per field, its offset, reset value and masks;
  - class template TimerRegisters<Block>, a RegisterPage: storage, reset values, access rights. The
    class derived from it is its Block and implements a hook per register with an effect; one that
    is missing does not compile.
"""

import argparse
import sys
import textwrap

from register_model import ExportError, camel, collect, encodings, mask_of
from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.rdltypes import OnReadType, OnWriteType

LINE = 100


def hexadecimal(value, digits=8):
    return f"0x{value:0{digits}X}"


def comment(text, indent=""):
    """`text` as documentation lines."""
    lines = []
    for paragraph in text.split("\n"):
        lines += textwrap.wrap(paragraph, LINE - len(indent) - 4, break_on_hyphens=False) or [""]
    return [f"{indent}/// {line}".rstrip() for line in lines]


# --- The registers as words -------------------------------------------------------------------


def emit_enum(name, encode):
    out = [f"enum class {name} : std::uint32_t {{"]
    for member in encode:
        if member.rdl_desc:
            out += comment(member.rdl_desc, "  ")
        out.append(f"  k{camel(member.name)} = {member.value},")
    return out + ["};", ""]


def emit_field(register, field):
    name, kind = camel(field.name), field.type
    out = comment(f"{field.desc or field.name} [{field.high}:{field.low}]", "  ")
    out += [
        f"  static constexpr std::uint32_t k{name}Mask = {hexadecimal(field.mask)};",
        f"  static constexpr std::uint32_t k{name}Shift = {field.low};",
    ]
    bits = f"(word & k{name}Mask) >> k{name}Shift"
    value = "static_cast<std::uint32_t>(value)" if kind != "std::uint32_t" else "value"
    get = {"bool": f"(word & k{name}Mask) != 0", "std::uint32_t": bits}.get(
        kind, f"static_cast<{kind}>({bits})")
    return out + [
        f"  constexpr {kind} {field.name}() const {{ return {get}; }}",
        f"  constexpr {register.type}& set_{field.name}({kind} value) {{",
        f"    word = (word & ~k{name}Mask) | (({value} << k{name}Shift) & k{name}Mask);",
        "    return *this;",
        "  }",
    ]


def emit_struct(register):
    title = f"{hexadecimal(register.offset, 2)} {register.path.split('.', 1)[1]}"
    out = comment(f"{title}: {register.desc}" if register.desc else title)
    out += [
        f"struct {register.type} {{",
        f"  static constexpr std::uint32_t kOffset = {hexadecimal(register.offset, 2)};",
    ]
    if register.count:
        out += [
            f"  static constexpr std::uint32_t kCount = {register.count};",
            f"  static constexpr std::uint32_t kStride = {hexadecimal(register.stride, 2)};",
            "  static constexpr std::uint32_t offset(std::uint32_t index) {",
            "    return kOffset + index * kStride;",
            "  }",
        ]
    out.append(f"  static constexpr std::uint32_t kReset = {hexadecimal(register.reset)};")
    for field in register.fields:
        out += [""] + emit_field(register, field)
    return out + ["", "  std::uint32_t word = 0;", "};", ""]


def emit_names(registers):
    """The block's registers in a table."""
    out = ["/// The registers by name, in the order of their offsets.",
           "inline constexpr RegisterName kNames[] = {"]
    for register in sorted(registers, key=lambda register: register.offset):
        name = register.path.split(".", 1)[1].removesuffix("[]")
        out.append(f'    {{{hexadecimal(register.offset, 2)}, {register.count or 1}, '
                   f'{hexadecimal(register.stride or 4, 2)}, "{name}"}},')
    return out + ["};", ""]


def emit_fields(registers):
    """The fields in a table, with the names of their values."""
    out = []
    for name, encode in encodings(registers).items():
        out.append(f"inline constexpr RegisterValueName k{name}Names[] = {{")
        out += [f'    {{{member.value}, "{member.name}"}},' for member in encode]
        out += ["};", ""]
    out += ["/// The fields of all registers, in the order of offsets and bits.",
            "inline constexpr RegisterField kFields[] = {"]
    for register in sorted(registers, key=lambda register: register.offset):
        for field in sorted(register.fields, key=lambda field: field.low):
            values = "nullptr, 0"
            if field.encode is not None:
                values = f"k{field.encode_name}Names, {len(list(field.encode))}"
            out.append(f'    {{{hexadecimal(register.offset, 2)}, {hexadecimal(field.mask)}U, {field.low}, '
                       f'{"true" if field.readable else "false"}, "{field.name}", {values}}},')
    return out + ["};", ""]


# --- The class --------------------------------------------------------------------------------

# What a write of `value` makes of a field's bits in `next`; `m` are the bits that it reaches.
WRITES = {
    None: "next = (next & ~{m}) | (value & {m});",
    OnWriteType.woset: "next |= value & {m};",
    OnWriteType.woclr: "next &= ~(value & {m});",
    OnWriteType.wot: "next ^= value & {m};",
    OnWriteType.wzs: "next |= ~value & {m};",
    OnWriteType.wzc: "next &= ~(~value & {m});",
    OnWriteType.wzt: "next ^= ~value & {m};",
    OnWriteType.wclr: "next &= ~{m};",
    OnWriteType.wset: "next |= {m};",
}


class Page:
    """Emits the class of one block."""

    def __init__(self, top, registers):
        self.top, self.registers = top, registers
        self.space = f"{top.inst_name}_regs"
        self.name = f"{camel(top.inst_name)}Registers"
        names = {register.name for register in registers}
        self.has_irq = {"intr_state", "intr_enable"} <= names
        if not self.has_irq and names & {"intr_state", "intr_enable"}:
            raise ExportError(f"{top.inst_name}: INTR_STATE and INTR_ENABLE come together")

    def word(self, register):
        return f"{self.space}::{register.type}"

    def arguments(self, register, *more):
        return ", ".join(filter(None, (register.index, *more)))

    def storage(self, register):
        return f"{register.name}_[index]" if register.count else f"{register.name}_"

    def hooks(self):
        out = []
        for register in self.registers:
            kind = self.word(register)
            if register.read_hook:
                out.append(f"{kind} on_read_{register.name}({register.index});")
            if register.write_hook:
                out.append(f"void on_write_{register.name}("
                           f"{self.arguments(register, f'{kind} value')});")
        return out + (["void irq_changed(bool level);"] if self.has_irq else [])

    def emit(self):
        out = comment(f"{self.top.get_property('name')}. {self.top.get_property('desc') or ''}")
        out += comment("\nThe block, which derives from this class, implements (private ones need "
                       f"`friend class {self.name}<Block>;`):")
        out += [f"///     {hook}" for hook in self.hooks()]
        out += comment(
            "\nA write hook is called after the write with the register as it stands then. In fields "
            "that are pulses (swmod, singlepulse), bytes that the access does not write are 0.")
        out += ["template <class Block>", f"class {self.name} : public RegisterPage {{", " public:"]
        out += self.emit_decoder("read", "std::uint32_t& value")
        out += self.emit_decoder("write", "std::uint32_t value, std::uint32_t mask = kWholeWord")
        out += self.emit_reset()
        if self.has_irq:
            out += ["  /// The block's interrupt line: INTR_STATE & INTR_ENABLE.",
                    "  bool irq() const { return irq_; }", ""]
        out += [" protected:", f"  {self.name}() = default;", ""]
        for register in self.registers:
            out += self.emit_hardware_side(register)
        out += ["", " private:", "  Block& block() { return static_cast<Block&>(*this); }", ""]
        for register in self.registers:
            out += self.emit_read(register) + self.emit_write(register)
        if self.has_irq:
            out += [
                "  void update_irq() {",
                "    const bool level = (intr_state_ & intr_enable_) != 0;",
                "    if (level == irq_) return;", "    irq_ = level;",
                "    block().irq_changed(level);", "  }", "",
            ]
        for register in self.registers:
            out += self.emit_storage(register)
        if self.has_irq:
            out.append("  bool irq_ = false;")
        return out + ["};", ""]

    def emit_decoder(self, verb, parameters):
        """One switch; arrays after it, told apart by what is left of the offset."""
        value = "value, mask" if verb == "write" else "value"
        out = [f"  bool {verb}(std::uint32_t offset, {parameters}) final {{", "    switch (offset) {"]
        for register in self.registers:
            if not register.count:
                out.append(f"      case {self.word(register)}::kOffset: "
                           f"return {verb}_{register.name}({value});")
        out += ["      default: break;", "    }"]
        groups = {}
        for register in self.registers:
            if register.count:
                start = register.offset // register.stride * register.stride
                groups.setdefault((start, register.stride, register.count), []).append(register)
        for (start, stride, count), group in groups.items():
            if any(register.offset - start >= stride for register in group):
                raise ExportError(f"{group[0].path}: an array begins at a multiple of its stride")
            end = start + stride * count
            low = f"offset >= {hexadecimal(start, 2)} && " if start else ""
            out += [
                f"    if ({low}offset < {hexadecimal(end, 2)}) {{",
                f"      const std::uint32_t index = (offset - {hexadecimal(start, 2)}) / {stride};",
                f"      switch ((offset - {hexadecimal(start, 2)}) % {stride}) {{",
            ]
            for register in group:
                out.append(f"        case {hexadecimal(register.offset - start, 2)}: "
                           f"return {verb}_{register.name}(index, {value});")
            out += ["        default: return false;", "      }", "    }"]
        return out + ["    return false;", "  }", ""]

    def emit_reset(self):
        out = ["  /// All registers to their reset values. No hook is called but irq_changed().",
               "  void reset() {"]
        for register in self.registers:
            if not register.storage:
                continue
            value = f"{hexadecimal(register.reset & register.storage)}"
            if register.count:
                out.append(f"    for (std::uint32_t& word : {register.name}_) word = {value};")
            else:
                out.append(f"    {register.name}_ = {value};")
        return out + (["    update_irq();"] if self.has_irq else []) + ["  }", ""]

    def emit_hardware_side(self, register):
        """Getters, and what hardware may do to stored bits."""
        if not register.storage:
            return []
        out = [f"  {self.word(register)} {register.name}({register.index}) const {{",
               f"    return {{{self.storage(register)}}};", "  }"]
        loads = mask_of([field for field in register.of("hw_writable")
                         if field.stored and not field.hwset and not field.hwclr])
        stored = self.storage(register)
        tail = ["    update_irq();"] if register.is_interrupt else []
        if loads:
            out += [f"  /// Hardware's fields of {register.name.upper()} become those of `value`.",
                    f"  void load_{register.name}("
                    f"{self.arguments(register, f'{self.word(register)} value')}) {{",
                    f"    {stored} = ({stored} & ~{hexadecimal(loads)}U) | "
                    f"(value.word & {hexadecimal(loads)}U);"] + tail + ["  }"]
        for quality, verb, change in (("hwset", "raise", "{s} |= bits & {m}U;"),
                                      ("hwclr", "lower", "{s} &= ~(bits & {m}U);")):
            mask = mask_of(register.of(quality))
            if not mask:
                continue
            name = verb if register.name == "intr_state" else f"{verb}_{register.name}"
            out += [f"  /// {'Sets' if verb == 'raise' else 'Clears'} bits of "
                    f"{register.name.upper()} as hardware does.",
                    f"  void {name}({self.arguments(register, 'std::uint32_t bits')}) {{",
                    "    " + change.format(s=stored, m=hexadecimal(mask))] + tail + ["  }"]
        return out

    def emit_read(self, register):
        unused = "std::uint32_t /*index*/" if register.count else ""
        uses_index = register.read_hook or register.storage & register.readable
        index = register.index if uses_index else unused
        out = [f"  bool read_{register.name}("
               f"{', '.join(filter(None, (index, 'std::uint32_t& value')))}) {{"]
        parts = []
        stored = register.storage & register.readable
        if stored:
            parts.append(f"({self.storage(register)} & {hexadecimal(stored)}U)")
        if register.constant:
            parts.append(f"{hexadecimal(register.constant)}U")
        if register.read_hook:
            mask = register.readable if register.external else mask_of(register.of("wired"))
            call = f"block().on_read_{register.name}({'index' if register.count else ''})"
            parts.append(f"({call}.word & {hexadecimal(mask)}U)")
        out.append(f"    value = {' | '.join(parts) or '0'};")
        for kind, change in ((OnReadType.rclr, "&= ~"), (OnReadType.rset, "|= ")):
            mask = mask_of([field for field in register.fields if field.onread == kind])
            if mask:
                out.append(f"    {self.storage(register)} {change}{hexadecimal(mask)}U;")
        if register.is_interrupt and any(field.onread for field in register.fields):
            out.append("    update_irq();")
        return out + ["    return true;", "  }"]

    def emit_write(self, register):
        names = ["std::uint32_t value", "std::uint32_t mask"]
        if not register.writable:
            names = [f"std::uint32_t /*{name.split()[1]}*/" for name in names]
            index = "std::uint32_t /*index*/" if register.count else ""
            return [f"  bool write_{register.name}({', '.join(filter(None, (index, *names)))}) {{",
                    "    return true;", "  }"]
        out = [f"  bool write_{register.name}({self.arguments(register, *names)}) {{",
               f"    if ((mask & {hexadecimal(register.writable)}U) == 0) return true;"]
        seen = f"value & mask & {hexadecimal(register.writable)}U"
        if register.storage:
            out += self.emit_update(register)
            pulses = mask_of(register.of("effect"))
            seen = f"next & (mask | ~{hexadecimal(pulses)}U)" if pulses else "next"
        if register.write_hook:
            index = "index, " if register.count else ""
            out.append(f"    block().on_write_{register.name}({index}{{{seen}}});")
        if register.is_interrupt:
            out.append("    update_irq();")
        return out + ["    return true;", "  }"]

    def emit_update(self, register):
        out = [f"    std::uint32_t next = {self.storage(register)};"]
        for onwrite, template in WRITES.items():
            mask = mask_of([field for field in register.of("writable") if field.onwrite == onwrite])
            if mask:
                out.append("    " + template.format(m=f"(mask & {hexadecimal(mask)}U)"))
        pulses = mask_of(register.of("singlepulse"))
        kept = f"next & ~{hexadecimal(pulses)}U" if pulses else "next"
        return out + [f"    {self.storage(register)} = {kept};"]

    def emit_storage(self, register):
        if not register.storage:
            return []
        value = hexadecimal(register.reset & register.storage)
        if not register.count:
            return [f"  std::uint32_t {register.name}_ = {value};"]
        values = ", ".join([value] * register.count)
        return [f"  std::uint32_t {register.name}_[{register.count}] = {{"] + textwrap.wrap(
            values, LINE - 6, initial_indent="      ", subsequent_indent="      ") + ["  };"]


def header(source, top):
    registers = collect(top)
    page = Page(top, registers)
    out = [f"// Made from {source} by sim/tlm/registers/export_registers.py.", "#pragma once", "",
           "#include <cstdint>", "", '#include "sim/tlm/kernel/ports.hpp"',
           '#include "sim/tlm/registers/register_name.hpp"', "", "namespace headstack::tlm {",
           f"namespace {page.space} {{", ""]
    for name, encode in encodings(registers).items():
        out += emit_enum(name, encode)
    for register in registers:
        out += emit_struct(register)
    out += emit_names(registers)
    out += emit_fields(registers)
    out += [f"}}  // namespace {page.space}", ""]
    out += page.emit()
    return "\n".join(out + ["}  // namespace headstack::tlm", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("rdl", help="a block's register description")
    parser.add_argument("-o", dest="output", required=True, help="the header to write")
    arguments = parser.parse_args()
    compiler = RDLCompiler()
    try:
        compiler.compile_file(arguments.rdl)
        top = compiler.elaborate().top
        text = header(arguments.rdl.replace("\\", "/").rsplit("/", 1)[-1], top)
    except RDLCompileError:
        return 1  # the compiler has told
    except ExportError as error:
        print(f"{arguments.rdl}: {error}", file=sys.stderr)
        return 1
    with open(arguments.output, "w", encoding="utf-8", newline="\n") as output:
        output.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
