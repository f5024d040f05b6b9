# SPDX-License-Identifier: Apache-2.0
"""A mutant: one small fault put into one file."""

import hashlib
from dataclasses import dataclass

from source import Source


@dataclass(frozen=True)
class Edit:
    start: int  # characters of the file
    end: int
    text: str


@dataclass(frozen=True)
class Mutant:
    """`before` and `after` are the changed lines, without white space. File, operator, function and `nth` (among equal
    changes in a function, from 0) complete the mutant's name. A name stays valid if lines above it change, but not if
    its own code changes.
    """

    file: str
    operator: str
    function: str
    line: int
    before: str
    after: str
    nth: int
    edits: tuple[Edit, ...]

    @property
    def id(self) -> str:
        key = "\0".join((self.file, self.operator, self.function, self.before, self.after, str(self.nth)))
        return hashlib.sha1(key.encode()).hexdigest()[:10]

    def apply(self, text: str) -> str:
        for edit in sorted(self.edits, key=lambda e: e.start, reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
        return text

    def describe(self) -> str:
        where = f" in {self.function}()" if self.function else ""
        return f"{self.id} {self.file}:{self.line}{where}, {self.operator}\n    - {self.before}\n    + {self.after}"


def squeeze(text: str) -> str:
    return " ".join(text.split())


class Collector:
    """Makes mutants of edits, and numbers those with equal names."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.mutants: list[Mutant] = []
        self._seen: dict[tuple[str, ...], int] = {}

    def add(self, operator: str, *edits: Edit) -> None:
        source = self.source
        # A fault moves no line, so checks that name their line stay the same code.
        padded = tuple(
            Edit(e.start, e.end, e.text + "\n" * (source.text.count("\n", e.start, e.end) - e.text.count("\n")))
            for e in edits)
        first = source.line_of(min(e.start for e in padded))
        last = source.line_of(max(e.end for e in padded))
        before = source.lines(first, last)
        offset = len(source.lines(1, first - 1)) + 1 if first > 1 else 0
        local = Mutant("", "", "", 0, "", "", 0, tuple(Edit(e.start - offset, e.end - offset, e.text) for e in padded))
        after = squeeze(local.apply(before))
        function = source.function_at(padded[0].start)
        key = (operator, function, squeeze(before), after)
        nth = self._seen.get(key, 0)
        self._seen[key] = nth + 1
        self.mutants.append(
            Mutant(source.path, operator, function, first, squeeze(before), after, nth, padded))
