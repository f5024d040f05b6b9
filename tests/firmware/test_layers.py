#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The firmware's files form layers, without a cycle of includes and calls; and only some files know struct drive.

    test_layers.py SOURCE_FOLDER OBJECT_FOLDER

SOURCE_FOLDER is firmware/; OBJECT_FOLDER has its sources compiled one by one, as hal/timer_hal.c.o. A header and its source
are one node. An edge goes from a file to each header that it includes, and to the file that defines a symbol that it uses. If an
interface of INTERFACES declares the symbol, the edge goes to that interface: its implementation is above. Such a call goes upward
at run time, and the interface's header says how.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCES, OBJECTS = Path(), Path()  # from the command line

# What a layer asks of those above: header without a source of its own, and the file that implements it.
INTERFACES = {"scsi/scsi_core": "drive", "kernel/cpu": "start/main"}
# Folders, each above those before; the same number is one layer.
LAYERS = {"kernel": 0, "hal": 0, "motion": 1, "remap": 2, "queue": 3, "scsi": 4, "transfer": 5, "": 6, "start": 7}
# Tables at the top of firmware/ that every layer may know.
TABLES = {"drive_design", "events"}
KNOWS_THE_DRIVE = {"drive.c", "start/main.c"}

Graph = dict[str, dict[str, set[str]]]


def node_of(file: str) -> str:
    return re.sub(r"\.(c|h|def)$", "", file)


def layer_of(node: str) -> int:
    return 0 if node in TABLES else LAYERS[node.rpartition("/")[0]]


def include_edges(sources: Path) -> Iterator[tuple[str, str, str]]:
    for file in sorted(sources.rglob("*.[ch]")):
        name = file.relative_to(sources).as_posix()
        for included in re.findall(r'^#include "firmware/(.+)"', file.read_text(), re.MULTILINE):
            yield node_of(name), node_of(included), f"{name} includes {included}"


def symbols_of(objects: Path) -> tuple[dict[str, str], dict[str, set[str]]]:
    """Node that defines each global symbol, and the symbols that each node needs."""
    defined: dict[str, str] = {}
    needed: dict[str, set[str]] = defaultdict(set)
    for file in sorted(objects.rglob("*.c.o")):
        node = node_of(file.relative_to(objects).as_posix().removesuffix(".o"))
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
    text = re.sub(r"///.*|//.*", "", (sources / f"{interface}.h").read_text())
    return set(re.findall(r"\b(\w+)\([^;{}]*\);", text))


def call_edges(sources: Path, objects: Path) -> Iterator[tuple[str, str, str]]:
    defined, needed = symbols_of(objects)
    declared_by = {symbol: name for name in INTERFACES for symbol in declared_in(sources, name)}
    for node, symbols in needed.items():
        for symbol in sorted(symbols & (defined.keys() | declared_by.keys())):
            yield node, declared_by.get(symbol) or defined[symbol], f"{node}.c needs {symbol}()"


def graph_of(sources: Path, objects: Path) -> Graph:
    graph: Graph = defaultdict(lambda: defaultdict(set))
    for one, other, why in (*include_edges(sources), *call_edges(sources, objects)):
        if one != other:
            graph[one][other].add(why)
    return graph


def find_circle(graph: Graph) -> list[str] | None:
    """Some circle, its first node again at the end; None: there is none."""
    done: set[str] = set()

    def search(node: str, path: list[str]) -> list[str] | None:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        for other in sorted(graph.get(node, {})):
            if circle := search(other, [*path, node]):
                return circle
        done.add(node)
        return None

    return next((circle for node in sorted(graph) if (circle := search(node, []))), None)


def describe(graph: Graph, circle: list[str]) -> str:
    lines = [" > ".join(circle)]
    for one, other in zip(circle, circle[1:]):
        lines += [f"  {one} > {other}: {'; '.join(sorted(graph[one][other])[:3])}"]
    return "\n".join(lines)


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = graph_of(SOURCES, OBJECTS)
        cls.defined, _ = symbols_of(OBJECTS)

    def test_it_sees_includes_and_calls(self):
        self.assertIn("queue/scheduler.h includes queue/policy.h", self.graph["queue/scheduler"]["queue/policy"])
        self.assertIn("transfer/service.c needs media_start()", self.graph["transfer/service"]["transfer/media"])
        self.assertIn("scsi/scsi_core", self.graph["scsi/connection_command"])

    def test_there_is_no_circle(self):
        circle = find_circle(self.graph)
        self.assertIsNone(circle, "a circle of files:\n" + describe(self.graph, circle or []))

    def test_each_folder_uses_itself_and_those_below(self):
        upward = [
            why
            for one, others in self.graph.items()
            for other, reasons in others.items()
            for why in reasons
            if layer_of(other) > layer_of(one)
        ]
        self.assertEqual(upward, [])

    def test_the_interfaces_are_implemented_where_they_say(self):
        for interface, implementer in INTERFACES.items():
            self.assertFalse((SOURCES / f"{interface}.c").exists(), interface)
            where = {self.defined[symbol] for symbol in declared_in(SOURCES, interface) if symbol in self.defined}
            self.assertLessEqual(where, {implementer}, interface)
        self.assertEqual({self.defined[symbol] for symbol in declared_in(SOURCES, "scsi/scsi_core")}, {"drive"})

    def test_the_drive_is_known_at_the_top_alone(self):
        knowing = {
            file.relative_to(SOURCES).as_posix()
            for file in SOURCES.rglob("*.[ch]")
            if '#include "firmware/drive.h"' in file.read_text()
        }
        self.assertEqual(knowing, KNOWS_THE_DRIVE)


class PlantedCircle(unittest.TestCase):
    """The check itself, on three files that know each other."""

    def circle_of(self, files: dict[str, str]) -> list[str] | None:
        with tempfile.TemporaryDirectory() as name:
            sources, objects = Path(name) / "firmware", Path(name) / "objects"
            for file, text in files.items():
                (sources / file).parent.mkdir(parents=True, exist_ok=True)
                (sources / file).write_text(text)
            for interface in INTERFACES:
                (sources / f"{interface}.h").parent.mkdir(parents=True, exist_ok=True)
                (sources / f"{interface}.h").write_text("void ask_above(void);\n")
            for file in files:
                if file.endswith(".c"):
                    (objects / file).parent.mkdir(parents=True, exist_ok=True)
                    line = ["cc", "-c", "-I", name, str(sources / file), "-o", str(objects / f"{file}.o")]
                    subprocess.run(line, check=True)
            return find_circle(graph_of(sources, objects))

    def test_of_includes(self):
        files = {"scsi/a.h": '#include "firmware/scsi/b.h"\n', "scsi/b.h": '#include "firmware/scsi/a.h"\n'}
        self.assertEqual(self.circle_of(files), ["scsi/a", "scsi/b", "scsi/a"])

    def test_of_calls_without_an_include(self):
        files = {
            "scsi/a.c": "void b(void);\nvoid a(void) { b(); }\n",
            "scsi/b.c": "void a(void);\nvoid b(void) { a(); }\n",
        }
        self.assertEqual(self.circle_of(files), ["scsi/a", "scsi/b", "scsi/a"])

    def test_of_a_header_and_the_source_of_another(self):
        files = {
            "scsi/a.h": "void a(void);\n",
            "scsi/a.c": "void b(void);\nvoid a(void) { b(); }\n",
            "scsi/b.c": '#include "firmware/scsi/a.h"\nvoid b(void) {}\n',
        }
        self.assertEqual(self.circle_of(files), ["scsi/a", "scsi/b", "scsi/a"])

    def test_an_interface_is_no_circle(self):
        files = {
            "scsi/a.c": "void ask_above(void);\nvoid a(void) { ask_above(); }\n",
            "drive.c": "void a(void);\nvoid ask_above(void) { a(); }\n",
        }
        self.assertIsNone(self.circle_of(files))


if __name__ == "__main__":
    OBJECTS = Path(sys.argv.pop()).resolve()
    SOURCES = Path(sys.argv.pop()).resolve()
    unittest.main()
