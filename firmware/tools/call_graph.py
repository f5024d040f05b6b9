# SPDX-License-Identifier: Apache-2.0
"""Who calls whom in a firmware, with which stack frames, and how deep that goes.

The compiler writes both down for every source file (-fcallgraph-info=su). It does not know where a
call through a pointer leads: a table says so, by the pointer's name at the call. Functions written
in assembly, and the compiler's own library, are read off the disassembly.

A call that is the last thing a function does counts like any other: a frame too many, never one
too few.
"""

import fnmatch
import re
from pathlib import Path
from typing import NamedTuple

from elf import SYMBOL_FUNCTION, Elf

INDIRECT = "__indirect_call"

# R_RISCV_32, PCREL_HI20, HI20, LO12_I, LO12_S: not a call or jump, so an address is taken.
ADDRESS_RELOCATIONS = {1, 23, 26, 27, 28}


class ReportError(Exception):
    """What the report cannot vouch for; the text says what to do about it."""


class Function:
    """A function as the compiler names it: FILE:NAME when it is static. FILE is a temporary one in
    a program that is optimised as a whole, and NAME its own in that program.
    """

    def __init__(self, title: str, frame_bytes: int, unit: str, is_of_whole: bool = False):
        self.title = title
        self.frame_bytes = frame_bytes
        self.unit = unit  # source file
        self.is_of_whole = is_of_whole
        self.calls: set[str] = set()
        self.pointer_calls: set[str] = set()  # FILE:LINE:COLUMN

    @property
    def name(self) -> str:
        """The name without file and without what the compiler appends to parts and copies."""
        return re.sub(r"\.(part|constprop|isra|cold|lto_priv)(\.\d+)?", "", self.symbol)

    @property
    def symbol(self) -> str:
        return self.title.rsplit(":", 1)[-1]


class Chain(NamedTuple):
    bytes: int
    functions: tuple[Function, ...]


def read_compiler_records(paths: list[Path]) -> dict[str, Function]:
    """All functions of these .ci files, by title. Their source is that of the file, but where a
    file is of many: then it is that of the line on which they begin.
    """
    functions: dict[str, Function] = {}
    edges = []
    for path in paths:
        unit = ""
        for line in path.read_text().splitlines():
            if line.startswith("graph:"):
                unit = re.search(r'title: "([^"]*)"', line)[1]
            elif node := re.match(r'node: \{ title: "([^"]+)" label: "([^"]*)"', line):
                frame = re.search(r"\\n(\d+) bytes \((.+)\)$", node[2])
                if not frame:
                    continue  # called here, defined elsewhere
                if frame[2] == "dynamic":
                    raise ReportError(
                        f"{node[1]}: its stack frame has no fixed size "
                        "(a variable-length array, or alloca)"
                    )
                of_whole = unit.endswith(".ltrans0.o")
                source = node[2].split("\\n")[1].rsplit(":", 2)[0] if of_whole else unit
                functions[node[1]] = Function(node[1], int(frame[1]), source, of_whole)
            elif edge := re.match(
                r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"(?: label: "([^"]*)")?', line
            ):
                edges.append(edge.groups())
    for source, target, place in edges:
        if target == INDIRECT:
            functions[source].pointer_calls.add(place or "")
        else:
            functions[source].calls.add(target)
    return functions


def read_disassembly(text: str, wanted: dict[int, str]) -> dict[str, Function]:
    """Functions that begin at these addresses, by the names given for them."""
    functions: dict[str, Function] = {}
    function = None
    for line in text.splitlines():
        if label := re.match(r"([0-9a-f]{8}) <(.+)>:$", line):
            # A label that nobody asked about inside a function belongs to it.
            if int(label[1], 16) in wanted:
                name = wanted[int(label[1], 16)]
                function = functions[name] = Function(name, 0, "")
            elif not label[2].startswith("."):
                function = None
            continue
        instruction = re.match(r"\s+[0-9a-f]+:\s+(\S+)\s*(.*)$", line)
        if function is None or not instruction:
            continue
        mnemonic, operands = instruction.groups()
        if grown := re.fullmatch(r"sp,sp,-(\d+)", operands):
            function.frame_bytes += int(grown[1])
        elif re.match(r"sp,sp,[a-z]", operands) or mnemonic in ("jr", "jalr") and operands != "ra":
            raise ReportError(f"{function.name}: '{mnemonic} {operands}' cannot be followed")
        target = re.search(r"<([^+>]+)>$", operands)
        if target and mnemonic[0] in "jb" and target[1] != function.name:
            function.calls.add(target[1])
    return functions


def _balanced(text: str, at: int) -> int:
    """The index after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([") - (text[i] in ")]")
        if depth == 0:
            return i + 1
    return len(text)


def pointer_name(expression: str) -> str | None:
    """The name that is called last in a call `a->b[c].name(...)` at the start of the text."""
    name = called = None
    at = 0
    while part := re.compile(r"\s*(?:(?:->|\.)?\s*(\w+)|([(\[]))").match(expression, at):
        if part[1]:
            if name is not None and not re.match(r"\s*(->|\.)", part[0]):
                break
            name, at = part[1], part.end()
        else:
            if part[2] == "(":
                called = name
            at = _balanced(expression, part.end() - 1)
    return called


def source_name(place: str) -> str:
    """The name of the pointer that is called at FILE:LINE:COLUMN."""
    file, line, column = place.rsplit(":", 2)
    lines = Path(file).read_text().splitlines()[int(line) - 1 :]
    name = pointer_name("\n".join(lines)[int(column) - 1 :])
    if name is None:
        raise ReportError(f"{place}: no call through a named pointer can be seen here")
    return name


def find_all(functions: dict[str, Function], name: str) -> list[Function]:
    """The functions of NAME, or of FILE:NAME with the end of FILE, in which * is any text. A part or a
    copy of a function is not it. Raises ReportError if there is none.
    """
    file, _, symbol = name.rpartition(":")
    hits = [
        f
        for f in functions.values()
        if re.sub(r"\.lto_priv\.\d+", "", f.symbol) == symbol
        and (not file or fnmatch.fnmatchcase(f.unit, "*/" + file))
    ]
    if not hits:
        raise ReportError(f"table: {name}: there is no such function")
    return hits


def find(functions: dict[str, Function], name: str) -> Function:
    """The only function of find_all()."""
    hits = find_all(functions, name)
    if len(hits) != 1:
        raise ReportError(f"table: {name}: several functions have this name")
    return hits[0]


def find_targets(functions: dict[str, Function], names: list[str]) -> set[str]:
    """Titles of the functions that a pointer may point to. One name is one function, but for *."""
    found = [find_all(functions, name) if "*" in name else [find(functions, name)] for name in names]
    return {function.title for hits in found for function in hits}


def resolve_pointers(functions: dict[str, Function], pointers: dict[str, list[str]]) -> None:
    """Makes calls through pointers calls of what the table says they may lead to."""
    for function in list(functions.values()):
        for place in function.pointer_calls:
            pointer = source_name(place)
            if pointer not in pointers:
                raise ReportError(
                    f"{place}: {function.name} calls through the pointer '{pointer}', and the "
                    "table does not say which functions that may be: add them under [pointers]"
                )
            function.calls.update(find_targets(functions, pointers[pointer]))


def check_addresses_taken(
    functions: dict[str, Function], objects: list[Elf], pointers: dict[str, list[str]]
) -> None:
    """A function whose address is taken must be in the table: else it may be called unseen."""
    known = {title for names in pointers.values() for title in find_targets(functions, names)}
    for file in objects:
        for relocation in file.relocations:
            symbol = relocation.symbol
            if relocation.type not in ADDRESS_RELOCATIONS or not symbol.name:
                continue
            if symbol.is_local and symbol.type != SYMBOL_FUNCTION:
                continue
            candidates = [
                f
                for f in functions.values()
                if f.symbol == symbol.name
                and (not symbol.is_local or f.is_of_whole or Path(f.unit).name == symbol.file)
            ]
            for function in candidates:
                if function.title not in known:
                    raise ReportError(
                        f"{function.title}: its address is taken in {file.path.name}, and the "
                        "table names it for no pointer: add it under [pointers]"
                    )


def deepest(functions: dict[str, Function], root: str, limits: dict[str, int]) -> Chain:
    """The chain of calls from `root` that needs the most stack.

    `limits`: how often a function can be under way at once. A call beyond that returns before it
    calls anybody: it counts with its own frame. Any other function that comes back to itself
    without passing through one of these is an error.
    """
    known: dict[tuple, Chain] = {}

    def search(title: str, under_way: dict[str, int], since: tuple[str, ...]) -> Chain:
        function = functions.get(title)
        if function is None:
            raise ReportError(f"{title}: nothing is known of its stack frame; called by {since[-1]}")
        own = Chain(function.frame_bytes, (function,))
        if function.name in limits:
            if under_way.get(function.name, 0) == limits[function.name]:
                return own
            under_way = {**under_way, function.name: under_way.get(function.name, 0) + 1}
            since = ()
        elif title in since:
            circle = [*since[since.index(title) :], title]
            raise ReportError(
                "recursion without a limit: "
                + " > ".join(functions[t].name for t in circle)
                + ". If one of them ends it, say under [limits] which, how often, and why"
            )
        key = (title, tuple(sorted(under_way.items())))
        if key not in known:
            chains = [search(c, under_way, (*since, title)) for c in sorted(function.calls)]
            tail = max(chains, key=lambda chain: chain.bytes, default=Chain(0, ()))
            known[key] = Chain(own.bytes + tail.bytes, own.functions + tail.functions)
        return known[key]

    return search(find(functions, root).title, {}, ())
