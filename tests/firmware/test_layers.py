#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The firmware's files form floors (firmware/floors.toml), without a circle of includes and calls; only some files use struct drive.

    test_layers.py SOURCE_FOLDER OBJECT_FOLDER

SOURCE_FOLDER is firmware/; OBJECT_FOLDER has its sources compiled one by one, as hal/timer_hal.c.o. A call of a function that an
interface declares goes upward at run time, and the interface's header says how. firmware/tools/floors.py computes the uses.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "firmware/tools"))

from floors import Floors, Graph, components, declared_in, graph_of, symbols_of, uses_between  # noqa: E402

SOURCES, OBJECTS = Path(), Path()  # from the command line
FLOORS = Floors.load(Path(__file__).resolve().parents[2] / "firmware/floors.toml")

KNOWS_THE_DRIVE = {"drive.c", "start/main.c"}


def describe(graph: Graph, group: list[str]) -> str:
    """The uses inside a group of files that form a circle."""
    inside = [why for one in group for other in group for why in sorted(graph.get(one, {}).get(other, ()))]
    return f"{len(group)} files form a circle: {', '.join(group)}\n  " + "\n  ".join(inside[:20])


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = graph_of(SOURCES, OBJECTS, FLOORS.interfaces)
        cls.defined, _ = symbols_of(SOURCES, OBJECTS)

    def test_it_sees_includes_and_calls(self):
        self.assertIn("queue/scheduler.h includes queue/policy.h", self.graph["queue/scheduler"]["queue/policy"])
        self.assertIn("transfer/arm.c needs media_start()", self.graph["transfer/arm"]["transfer/media"])
        self.assertIn("transfer/host_side.c needs host_task_granted()", self.graph["transfer/host_side"]["transfer/host_events"])

    def test_there_is_no_circle(self):
        groups = components(self.graph)
        self.assertEqual([], groups, "\n".join(describe(self.graph, group) for group in groups))

    def test_each_floor_uses_itself_and_those_below(self):
        edges = [(one, other, why) for one, others in self.graph.items() for other, reasons in others.items() for why in reasons]
        upward = [why for one, other, why in edges if FLOORS.floor_of(other) > FLOORS.floor_of(one)]
        self.assertEqual(upward, [], uses_between(iter(edges), FLOORS))

    def test_each_interface_is_implemented_by_one_file_above(self):
        for interface, implementer in FLOORS.interfaces.items():
            self.assertFalse((SOURCES / f"{interface}.c").exists(), interface)
            declared = declared_in(SOURCES, interface)
            self.assertTrue(declared, interface)
            where = {self.defined.get(symbol, "start/main") for symbol in declared}  # start/ is not compiled natively.
            self.assertEqual(where, {implementer}, interface)
            self.assertGreater(FLOORS.floor_of(implementer), FLOORS.floor_of(interface))

    def test_each_interface_is_used(self):
        used = {other for others in self.graph.values() for other in others}
        self.assertLessEqual(FLOORS.interfaces.keys(), used)

    def test_the_drive_is_known_at_the_top_alone(self):
        knowing = {
            file.relative_to(SOURCES).as_posix()
            for file in SOURCES.rglob("*.[ch]")
            if '#include "firmware/drive.h"' in file.read_text()
        }
        self.assertEqual(knowing, KNOWS_THE_DRIVE)


class PlantedCircle(unittest.TestCase):
    """The check itself, on a few files that use each other."""

    INTERFACE = "transfer/host_events"

    def groups_of(self, files: dict[str, str]) -> list[list[str]]:
        with tempfile.TemporaryDirectory() as name:
            sources, objects = Path(name) / "firmware", Path(name) / "objects"
            files = files | {f"{self.INTERFACE}.h": "void ask_above(void);\n"}
            for file, text in files.items():
                (sources / file).parent.mkdir(parents=True, exist_ok=True)
                (sources / file).write_text(text)
            for file in files:
                if file.endswith(".c"):
                    (objects / file).parent.mkdir(parents=True, exist_ok=True)
                    line = ["cc", "-c", "-I", name, str(sources / file), "-o", str(objects / f"{file}.o")]
                    subprocess.run(line, check=True)
            return components(graph_of(sources, objects, {self.INTERFACE: "target/target"}))

    def test_of_includes(self):
        files = {"unit/a.h": '#include "firmware/unit/b.h"\n', "unit/b.h": '#include "firmware/unit/a.h"\n'}
        self.assertEqual(self.groups_of(files), [["unit/a", "unit/b"]])

    def test_of_calls_without_an_include(self):
        files = {
            "unit/a.c": "void b(void);\nvoid a(void) { b(); }\n",
            "unit/b.c": "void a(void);\nvoid b(void) { a(); }\n",
        }
        self.assertEqual(self.groups_of(files), [["unit/a", "unit/b"]])

    def test_of_a_header_and_the_source_of_another(self):
        files = {
            "unit/a.h": "void a(void);\n",
            "unit/a.c": "void b(void);\nvoid a(void) { b(); }\n",
            "unit/b.c": '#include "firmware/unit/a.h"\nvoid b(void) {}\n',
        }
        self.assertEqual(self.groups_of(files), [["unit/a", "unit/b"]])

    def test_of_two_circles_with_one_file_in_common(self):
        files = {
            "unit/a.h": '#include "firmware/unit/b.h"\n',
            "unit/b.h": '#include "firmware/unit/a.h"\n#include "firmware/unit/c.h"\n',
            "unit/c.h": '#include "firmware/unit/b.h"\n#include "firmware/unit/d.h"\n',
            "unit/d.h": "",
        }
        self.assertEqual(self.groups_of(files), [["unit/a", "unit/b", "unit/c"]])

    def test_an_interface_is_no_circle(self):
        files = {
            "transfer/a.c": "void ask_above(void);\nvoid a(void) { ask_above(); }\n",
            "target/target.c": "void a(void);\nvoid ask_above(void) { a(); }\n",
        }
        self.assertEqual(self.groups_of(files), [])


if __name__ == "__main__":
    OBJECTS = Path(sys.argv.pop()).resolve()
    SOURCES = Path(sys.argv.pop()).resolve()
    unittest.main()
