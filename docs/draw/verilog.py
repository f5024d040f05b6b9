# SPDX-License-Identifier: Apache-2.0
"""Reads a module of hdl/: its ports with the comments above them, and its connections.

It reads only the style of this project: ANSI port lists, one port a line, named connections. Anything else is an error.
tests/pages/test_docs.py compares it with Verilator's own reading.
"""

import dataclasses
import functools
import re
import sys
from pathlib import Path

HDL = Path(__file__).resolve().parents[2] / "hdl"
sys.path[:0] = [str(HDL / "ports")]

import export_ports  # noqa: E402

_PORT = re.compile(
    r"^(?P<direction>input|output)\s+(?P<type>.*?)\s*\b(?P<name>\w+)(?P<dimension>\s*\[\w+\])?\s*,?\s*(?://\s*(?P<comment>.*))?$"
)
_CONNECTION = re.compile(r"\.(?P<port>\w+)\s*(?:\((?P<net>[^()]*(?:\([^()]*\)[^()]*)*)\))?")
_INSTANCE = re.compile(r"^  (?P<module>\w+)(?:\s*#\s*\((?:[^()]|\([^()]*\))*\))?\s+u_(?P<name>\w+)\s*\((?P<body>.*?)^  \);", re.M | re.S)


class SourceError(Exception):
    """A source that is not written as this reader knows it: file, line and what stands there."""


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of a module."""

    group: str  # the comment above it and its neighbours
    direction: str
    type: str
    name: str
    comment: str


@dataclasses.dataclass(frozen=True)
class Instance:
    """A module in another one: which net its ports are connected to."""

    module: str
    name: str
    nets: dict[str, str]


def ports(path: Path) -> list[Port]:
    """In their order. Raises SourceError."""
    found: list[Port] = []
    group: list[str] = []
    inside = False
    behind_port = True
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if not inside:
            # The port list begins after "module ... (", or ") (" where there are parameters.
            inside = bool(re.fullmatch(r"(module \w+ \(|\) \(|\()", text))
            continue
        if text == ");":
            return found
        if text.startswith("//"):
            words = text.removeprefix("//").strip()
            if words.startswith("verilator ") or "`disable iff`" in words or "Assertions " in words or "assertions" in words:
                continue
            group = [words] if behind_port else [*group, words]
            behind_port = False
        elif not text:
            group, behind_port = [], True
        else:
            match = _PORT.match(text)
            if not match:
                raise SourceError(f"{path}:{number}: no port that this reader knows: {text}")
            behind_port = True
            kind = re.sub(r"\s+", " ", match["type"]).strip() + (match["dimension"] or "").strip()
            found.append(Port(" ".join(group), match["direction"], kind, match["name"], match["comment"] or ""))
    raise SourceError(f"{path}: a port list that does not end")


@functools.cache
def structs() -> dict[str, export_ports.Struct]:
    """The types of hdl/ports, by their names with the package."""
    found = {}
    for path in sorted((HDL / "ports").glob("*_pkg.sv")):
        found.update({f"{path.stem}::{name}": struct for name, struct in export_ports.structs(path).items()})
    return found


def members(port: Port) -> list[Port]:
    """What a port of a struct consists of, as ports; those of structs in it by themselves. None where they explain themselves."""
    found: list[Port] = []
    struct = structs().get(port.type)
    for member in struct.members if struct and all(one.comment for one in struct.members) else ():
        kind = member.type if member.type.startswith("logic") else f"{struct.package}::{member.type}"
        part = Port("", port.direction, kind, f"{port.name}.{member.name}", member.comment)
        found += members(part) or [part]
    return found


def instances(path: Path) -> list[Instance]:
    """The modules in a module, in their order."""
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    return [
        Instance(
            match["module"],
            match["name"],
            {
                one["port"]: (one["net"] if one["net"] is not None else one["port"]).strip()
                for one in _CONNECTION.finditer(match["body"])
            },
        )
        for match in _INSTANCE.finditer(text)
    ]


def constants(path: Path) -> dict[str, int]:
    """Parameters of a package whose values are numbers, or a power of two."""
    found = {}
    for match in re.finditer(r"parameter\s+[\w\s\[\]:]*?(\w+)\s*=\s*(32'h[\da-fA-F_]+|\d+|1 << \w+);", path.read_text(encoding="utf-8")):
        value = match[2]
        if value.startswith("32'h"):
            found[match[1]] = int(value[4:].replace("_", ""), 16)
        elif value.startswith("1 <<"):
            found[match[1]] = 1 << found[value.removeprefix("1 <<").strip()]
        else:
            found[match[1]] = int(value)
    return found


def enumeration(path: Path, name: str) -> dict[str, int]:
    """The members of an enumeration with their numbers."""
    text = path.read_text(encoding="utf-8")
    match = re.search(r"typedef enum[^{]*\{([^}]*)\}\s*" + name + ";", text)
    if not match:
        raise SourceError(f"{path}: no enumeration {name}")
    return {one[0]: int(one[1]) for one in re.findall(r"(\w+)\s*=\s*\d+'d(\d+)", match[1])}
