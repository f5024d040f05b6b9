# SPDX-License-Identifier: Apache-2.0
"""Rooms: a folder of host/ or sim/ sees those below it in its README's picture, and nothing else.

By includes, by the libraries that its CMakeLists.txt links, and by sources: each file is compiled by its own room. A circle is
an error that prints it, file by file.
"""

import pathlib
import re
import sys
import unittest
from collections import defaultdict

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOUSES = ("host", "sim")
BASE = "."  # sim/*.hpp: below all rooms
SOURCES = (".c", ".cpp", ".hpp")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COMMAND = re.compile(r"(\w+)\s*\(([^()]*)\)")
ADD = ("add_library", "add_executable")


def picture(house: str) -> list[list[str]]:
    """The rooms of a house as its README draws them: lines from above, and the rooms of each."""
    text = (ROOT / house / "README.md").read_text()
    drawn = re.search(r"<!-- rooms -->\s*```\w*\n(.*?)```", text, re.DOTALL)
    if drawn is None:
        raise ValueError(f"{house}/README.md: no picture after <!-- rooms -->; draw one line of rooms above the other")
    return [line.split() for line in drawn.group(1).splitlines() if line.strip()]


class House:
    """host/ or sim/ below `root`: its rooms, and what one has of another."""

    def __init__(self, root: pathlib.Path, name: str, levels: list[list[str]]) -> None:
        self.root, self.name = root, name
        self.level = {room: len(levels) - at for at, rooms in enumerate(levels) for room in rooms}
        self.level[BASE] = 0

    def room(self, path: str) -> str | None:
        """The room of a path from the root; None outside of this house. The longest name of the picture counts: tlm/bus before
        tlm.
        """
        parts = path.split("/")
        if parts[0] != self.name:
            return None
        folder = "/".join(parts[1:-1])
        while folder and folder not in self.level and "/" in folder:
            folder = folder.rpartition("/")[0]
        return folder or BASE

    def files(self, *suffixes: str) -> list[str]:
        """Paths from the root, sorted."""
        folder = self.root / self.name
        return sorted(str(path.relative_to(self.root)) for path in folder.rglob("*") if path.name.endswith(suffixes))

    def includes(self) -> dict[tuple[str, str], list[str]]:
        """(room, other room) -> "file includes file" of each."""
        found = defaultdict(list)
        for path in self.files(*SOURCES):
            for header in INCLUDE.findall((self.root / path).read_text()):
                here, there = self.room(path), self.room(header)
                if there is not None and there != here:
                    found[here, there].append(f"{path} includes {header}")
        return found

    def links(self) -> dict[tuple[str, str], list[str]]:
        """(room, other room) -> "library links library" of each."""
        commands = []
        for path in self.files("CMakeLists.txt"):
            text = re.sub(r"#.*", "", (self.root / path).read_text())
            commands += [(path, name, words.split()) for name, words in COMMAND.findall(text)]
        home = {}
        for path, name, words in commands:
            if name in ADD:
                sources = [word for word in words[1:] if word.endswith(SOURCES)]
                folder = path.rpartition("/")[0]
                rooms = {self.room(f"{folder}/{source}") for source in sources}
                home[words[0]] = rooms or {self.room(path)}
        found = defaultdict(list)
        for path, name, words in commands:
            if name != "target_link_libraries" or words[0] not in home:
                continue
            # A library of several rooms, as those of sim/CMakeLists.txt: its includes say what they have of each other.
            for other in words[1:]:
                for here in home[words[0]]:
                    for there in home.get(other, set()):
                        if len(home[words[0]]) == len(home[other]) == 1 and here != there:
                            found[here, there].append(f"{path}: {words[0]} links {other}")
        return found

    def foreign_sources(self) -> list[str]:
        """Sources that a folder's CMakeLists.txt takes from outside of it."""
        found = []
        for path in self.files("CMakeLists.txt"):
            for name, words in COMMAND.findall(re.sub(r"#.*", "", (self.root / path).read_text())):
                if name in (*ADD, "target_sources"):
                    found += [f"{path}: {word}" for word in words.split()
                              if word.endswith(SOURCES) and (".." in word or "CMAKE_SOURCE_DIR" in word)]
        return found


def circle(edges: dict[tuple[str, str], list[str]]) -> list[str]:
    """One reason for each step of a way from a room back to itself; [] where there is none."""
    follow = defaultdict(list)
    for here, there in sorted(edges):
        follow[here].append(there)
    done, way = set(), []

    def walk(room: str) -> list[str]:
        if room in way:
            ring = way[way.index(room):] + [room]
            return [edges[step][0] for step in zip(ring, ring[1:])]
        if room in done:
            return []
        way.append(room)
        for other in follow[room]:
            if found := walk(other):
                return found
        done.add(way.pop())
        return []

    for room in sorted(follow):
        if found := walk(room):
            return found
    return []


class Rooms(unittest.TestCase):
    def houses(self) -> list[House]:
        return [House(ROOT, name, picture(name)) for name in HOUSES]

    def test_every_room_with_code_is_in_the_picture_and_the_other_way_round(self) -> None:
        for house in self.houses():
            with self.subTest(house=house.name):
                rooms = {house.room(path) for path in house.files(*SOURCES)} | {BASE}
                self.assertEqual(rooms, set(house.level))

    def test_no_circle_between_rooms(self) -> None:
        for house in self.houses():
            for kind, edges in (("includes", house.includes()), ("links", house.links())):
                with self.subTest(house=house.name, kind=kind):
                    if ring := circle(edges):
                        self.fail("a circle between rooms:\n  " + "\n  ".join(ring))

    def test_a_room_sees_only_those_below_it(self) -> None:
        for house in self.houses():
            for edges in (house.includes(), house.links()):
                wrong = [why for (here, there), reasons in edges.items() for why in reasons
                         if house.level[here] <= house.level[there]]
                if wrong:
                    self.fail(f"upward in {house.name}/README.md's picture:\n  " + "\n  ".join(wrong))

    def test_each_room_compiles_its_own_sources(self) -> None:
        for house in self.houses():
            self.assertEqual(house.foreign_sources(), [])

    def test_sim_knows_nothing_of_host(self) -> None:
        sim = House(ROOT, "sim", picture("sim"))
        wrong = [path for path in sim.files(*SOURCES) if '#include "host/' in (ROOT / path).read_text()]
        self.assertEqual(wrong, [])


class Circles(unittest.TestCase):
    def test_a_circle_of_three_is_found_and_told_by_its_files(self) -> None:
        edges = {("a", "b"): ["a/x includes b/y"], ("b", "c"): ["b/y includes c/z"], ("c", "a"): ["c/z includes a/x"],
                 ("d", "a"): ["d/w includes a/x"]}
        self.assertEqual(circle(edges), ["a/x includes b/y", "b/y includes c/z", "c/z includes a/x"])

    def test_two_ways_to_one_room_are_no_circle(self) -> None:
        edges = {("a", "b"): ["1"], ("a", "c"): ["2"], ("b", "d"): ["3"], ("c", "d"): ["4"]}
        self.assertEqual(circle(edges), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
