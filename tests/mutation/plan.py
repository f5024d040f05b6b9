# SPDX-License-Identifier: Apache-2.0
"""How ninja builds a test program, so that only the parts that a mutant changes are built again."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from errors import MutationError
from tree import run


@dataclass(frozen=True)
class Compilation:
    object: str  # its name in the commands, from the build folder
    source: str
    argv: tuple[str, ...]


@dataclass(frozen=True)
class Model:
    """A Verilated block. Its library has the objects made from the files that Verilator writes into `folder`."""

    folder: str
    argv: tuple[str, ...]  # verilator's command
    collect: tuple[str, ...]  # the command that joins the model's files


@dataclass
class Program:
    name: str
    executable: str
    link: tuple[str, ...]
    objects: list[str]
    archives: list[str]


@dataclass
class Plan:
    """The plan of several programs. Paths are as in the commands: absolute, or from `build`."""

    tree: Path
    build: Path
    programs: dict[str, Program] = field(default_factory=dict)
    compilations: dict[str, Compilation] = field(default_factory=dict)  # compilations by object
    members: dict[str, list[str]] = field(default_factory=dict)  # objects by archive
    models: list[Model] = field(default_factory=list)
    includes: dict[str, set[str]] = field(default_factory=dict)  # files by object, from the tree's root
    lints: dict[str, tuple[str, ...]] = field(default_factory=dict)  # commands by test, lint/BLOCK

    def in_tree(self, path: str) -> str:
        """The path from the tree's root, as areas name files; absolute if the file is outside the tree."""
        full = (self.build / path).resolve()
        return str(full.relative_to(self.tree)) if full.is_relative_to(self.tree) else str(full)

    def objects_of(self, program: Program) -> dict[str, str]:
        """All objects that may be linked, each with its archive or with ""."""
        found = {name: "" for name in program.objects}
        for archive in program.archives:
            for name in self.members.get(archive, []):
                found.setdefault(name, archive)
        return found

    def depends(self, name: str, file: str) -> bool:
        compilation = self.compilations[name]
        return self.in_tree(compilation.source) == file or file in self.includes.get(name, set())

    def model_of(self, program: Program, file: str) -> Model | None:
        path = str(self.tree / file)
        archives = {Path(a).stem.removeprefix("lib") for a in program.archives}
        for model in self.models:
            if path in model.argv and Path(model.folder).name in archives:
                return model
        return None


def load_plan(tree: Path, build: Path, names: list[str], lints: list[str]) -> Plan:
    """@param names: test programs. @param lints: tests that only read sources."""
    plan = Plan(tree, build)
    _read_lints(plan, lints)
    commands = run(["ninja", "-C", str(build), "-t", "commands", *names], tree, "ninja -t commands")
    links: dict[str, list[str]] = {}
    for line in commands.split("\n"):
        for part in _parts(line):
            _take(plan, part, links)
    for name in names:
        if name not in links:
            raise MutationError(f"there is no test program '{name}'; remedy: see the [[test]] of mutation.toml")
        plan.programs[name] = _program(name, links[name])
    _read_models(plan, commands)
    _read_includes(plan)
    return plan


def _parts(line: str) -> list[list[str]]:
    """The commands of a line, which && joins."""
    parts: list[list[str]] = [[]]
    for word in shlex.split(line):
        if word == "&&":
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _take(plan: Plan, argv: list[str], links: dict[str, list[str]]) -> None:
    if "-c" in argv and "-o" in argv:
        name, source = argv[argv.index("-o") + 1], argv[argv.index("-c") + 1]
        plan.compilations[name] = Compilation(name, source, tuple(_without_depfile(argv)))
    elif len(argv) > 2 and argv[1] == "qc" and argv[2].endswith(".a"):
        plan.members[argv[2]] = argv[3:]
    elif "-o" in argv and any(word.endswith(".o") for word in argv):
        links[Path(argv[argv.index("-o") + 1]).name] = argv


def _without_depfile(argv: list[str]) -> list[str]:
    kept, skip = [], False
    for word in argv:
        if skip:
            skip = False
        elif word in ("-MT", "-MF"):
            skip = True
        elif word != "-MD":
            kept.append(word)
    return kept


def _program(name: str, argv: list[str]) -> Program:
    return Program(
        name, argv[argv.index("-o") + 1], tuple(argv), [w for w in argv if w.endswith(".o")],
        [w for w in argv if w.endswith(".a")])


def _read_models(plan: Plan, commands: str) -> None:
    for line in commands.split("\n"):
        if "--Mdir" not in line:
            continue
        parts = _parts(line)
        verilate = next(part for part in parts if "--Mdir" in part)
        collect = next(part for part in parts if any("collect.cmake" in word for word in part))
        plan.models.append(Model(verilate[verilate.index("--Mdir") + 1], tuple(verilate), tuple(collect)))


def _read_lints(plan: Plan, names: list[str]) -> None:
    if not names:
        return
    text = run(["ctest", "--show-only=json-v1"], plan.build, "ctest --show-only")
    known = {test["name"]: test.get("command", []) for test in json.loads(text)["tests"]}
    for name in names:
        if name not in known:
            raise MutationError(f"there is no test '{name}'; remedy: see the [[test]] of mutation.toml")
        plan.lints[name] = tuple(known[name])


def _read_includes(plan: Plan) -> None:
    text = run(["ninja", "-C", str(plan.build), "-t", "deps"], plan.tree, "ninja -t deps")
    name = ""
    for line in text.split("\n"):
        head = re.match(r"(\S+): #deps", line)
        if head:
            name = head[1]
            plan.includes[name] = set()
        elif line.startswith("    ") and name in plan.compilations:
            plan.includes[name].add(plan.in_tree(line.strip()))
