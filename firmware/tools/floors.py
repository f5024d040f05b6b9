# SPDX-License-Identifier: Apache-2.0
"""The uses between the firmware's files, and between its floors (firmware/floors.toml).

A header and its source are one node, such as "queue/scheduler". An edge goes from a node to each header that it includes, and to the
node that defines a symbol that it uses. If an interface declares the symbol, the edge goes to that interface.
"""

import re
import subprocess
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Graph = dict[str, dict[str, set[str]]]  # node, node that it uses, sentences that say how


@dataclass(frozen=True)
class Floors:
    """The content of floors.toml."""

    floors: tuple[tuple[str, ...], ...]
    tables: frozenset[str]
    interfaces: dict[str, str]  # header, and the node that implements it

    @classmethod
    def load(cls, file: Path) -> "Floors":
        """Reads floors.toml. Raises OSError, tomllib.TOMLDecodeError and KeyError."""
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        interfaces = {name: row["implemented_by"] for name, row in table["interfaces"].items()}
        return cls(tuple(map(tuple, table["floors"])), frozenset(table["tables"]), interfaces)

    def floor_of(self, node: str) -> int:
        """The floor of a node, counted from the lowest one. Raises KeyError for a folder that has none."""
        if node in self.tables:
            return 0
        folder = node.rpartition("/")[0]
        for number, folders in enumerate(self.floors):
            if folder in folders:
                return number
        raise KeyError(f"firmware/{folder} has no floor: add it to firmware/floors.toml")


def node_of(file: str) -> str:
    """The node of a file, whose path is relative to firmware/."""
    return re.sub(r"\.(c|h|def)$", "", file)


def include_edges(sources: Path) -> Iterator[tuple[str, str, str]]:
    """Node, included node, sentence."""
    for file in sorted(sources.rglob("*.[ch]")):
        name = file.relative_to(sources).as_posix()
        for included in re.findall(r'^#include "firmware/(.+)"', file.read_text(encoding="utf-8"), re.MULTILINE):
            yield node_of(name), node_of(included), f"{name} includes {included}"


def symbols_of(sources: Path, objects: Path) -> tuple[dict[str, str], dict[str, set[str]]]:
    """The node that defines each global symbol, and the symbols that each node needs. `objects` has files such as queue/task_set.c.o.

    Objects whose source has been moved or deleted are left out.
    """
    defined: dict[str, str] = {}
    needed: dict[str, set[str]] = defaultdict(set)
    for file in sorted(objects.rglob("*.c.o")):
        source = file.relative_to(objects).as_posix().removesuffix(".o")
        if not (sources / source).is_file():
            continue
        node = node_of(source)
        text = subprocess.run(["nm", str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in text.splitlines():
            kind, symbol = line.split()[-2:]
            if kind == "U":
                needed[node].add(symbol)
            elif kind.isupper():
                defined[symbol] = node
    return defined, needed


def declared_in(sources: Path, interface: str) -> set[str]:
    """Names of the functions that a header declares."""
    text = re.sub(r"///.*|//.*", "", (sources / f"{interface}.h").read_text(encoding="utf-8"))
    return set(re.findall(r"\b(\w+)\([^;{}]*\);", text))


def call_edges(sources: Path, objects: Path, interfaces: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Node, the node whose function it calls, sentence."""
    defined, needed = symbols_of(sources, objects)
    declared_by = {symbol: name for name in interfaces for symbol in declared_in(sources, name)}
    for node, symbols in needed.items():
        for symbol in sorted(symbols & (defined.keys() | declared_by.keys())):
            yield node, declared_by.get(symbol) or defined[symbol], f"{node}.c needs {symbol}()"


def graph_of(sources: Path, objects: Path, interfaces: dict[str, str]) -> Graph:
    """All edges between different nodes."""
    graph: Graph = defaultdict(lambda: defaultdict(set))
    for one, other, why in (*include_edges(sources), *call_edges(sources, objects, interfaces)):
        if one != other:
            graph[one][other].add(why)
    return graph


def components(graph: Graph) -> list[list[str]]:
    """Strongly connected nodes, in sorted groups of more than one (Tarjan, SIAM J. Comput. 1, 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, {})):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found)


def uses_between(edges: Iterator[tuple[str, str, str]], floors: Floors) -> Counter[tuple[int, int]]:
    """Number of different uses from a floor to another one, by (from, to)."""
    unique = {(floors.floor_of(one), floors.floor_of(other), why) for one, other, why in edges}
    return Counter((one, other) for one, other, _ in unique if one != other)
