# SPDX-License-Identifier: Apache-2.0
"""A source file for the operators: its code, its statements, and the parts that must not change."""

import bisect
from dataclasses import dataclass, field

from errors import MutationError
from tokens import Token

_OPENING = {"(": ")", "[": "]", "{": "}", "'{": "}"}
_CLOSING = set(_OPENING.values())


@dataclass(frozen=True)
class Span:
    """Tokens from `first` to `last`, both included."""

    first: int
    last: int


@dataclass(frozen=True)
class Function:
    name: str
    returns: str  # the words before its name
    body: Span


@dataclass
class Source:
    """The result of parse(). All numbers are of tokens in `code`."""

    path: str
    language: str
    text: str
    code: list[Token] = field(default_factory=list)
    masked: set[int] = field(default_factory=set)
    simple: list[Span] = field(default_factory=list)  # statements without parts, each with its `;`
    conditions: list[Span] = field(default_factory=list)  # conditions of `if`, without the parentheses
    loops: list[Span] = field(default_factory=list)  # conditions of `while`, without the parentheses
    returns: list[tuple[Span, Function | None]] = field(default_factory=list)  # results after `return`
    switches: list[list[Span]] = field(default_factory=list)  # the labels of each switch's groups
    functions: list[Function] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._line_starts = [0] + [i + 1 for i, character in enumerate(self.text) if character == "\n"]

    def line_of(self, offset: int) -> int:
        return bisect.bisect_right(self._line_starts, offset)

    def lines(self, first: int, last: int) -> str:
        return "\n".join(self.text.split("\n")[first - 1 : last])

    def function_at(self, offset: int) -> str:
        for function in self.functions:
            if self.code[function.body.first].start <= offset <= self.code[function.body.last].start:
                return function.name
        return ""

    def text_of(self, span: Span) -> str:
        return self.text[self.code[span.first].start : self.code[span.last].end]

    def is_open(self, index: int) -> bool:
        return index not in self.masked


class Rules:
    """Names that are never mutated (mutation.toml, [masked])."""

    def __init__(self, calls: list[str], functions: list[str]) -> None:
        self.calls = set(calls)
        self.functions = set(functions)


class Parser:
    """The parser of one file. run() finds statements and other parts, and masks the code that no operator may
    change.
    """

    def __init__(self, source: Source, rules: Rules) -> None:
        self.source = source
        self.code = source.code
        self.rules = rules
        self.function: Function | None = None

    def is_at(self, index: int, *texts: str) -> bool:
        return index < len(self.code) and self.code[index].text in texts

    def fail(self, index: int, wanted: str) -> MutationError:
        token = self.code[min(index, len(self.code) - 1)]
        line = self.source.line_of(token.start)
        return MutationError(f"{self.source.path}:{line}: {wanted} was expected before '{token.text}'")

    def matching(self, index: int) -> int:
        """The bracket that closes the one at `index`."""
        depth = 0
        for i in range(index, len(self.code)):
            if self.code[i].kind != "op":
                continue
            if self.code[i].text in _OPENING:
                depth += 1
            elif self.code[i].text in _CLOSING:
                depth -= 1
                if depth == 0:
                    return i
        raise self.fail(index, "a closing bracket")

    def find(self, index: int, *texts: str) -> int:
        """The first of `texts` from `index` on, outside brackets."""
        while not self.is_at(index, *texts):
            index = self.matching(index) + 1 if self.is_at(index, *_OPENING) else index + 1
            if index >= len(self.code):
                raise self.fail(index, " or ".join(texts))
        return index

    def mask(self, first: int, last: int) -> None:
        self.source.masked.update(range(first, last + 1))

    def condition(self, index: int, into: list[Span]) -> int:
        """`index` is at the opening parenthesis. @return the index after the closing one."""
        if not self.is_at(index, "("):
            raise self.fail(index, "'('")
        close = self.matching(index)
        into.append(Span(index + 1, close - 1))
        return close + 1

    def simple(self, index: int) -> int:
        """Takes a statement without parts. @return the index after its semicolon."""
        end = self.find(index, ";")
        if end > index:
            self.source.simple.append(Span(index, end))
            if self.is_at(index, "return") and end > index + 1:
                self.source.returns.append((Span(index + 1, end - 1), self.function))
        self.mask_declaration(index, end)
        return end + 1

    def run(self, directives: list[Token]) -> None:
        raise NotImplementedError

    def mask_declaration(self, first: int, end: int) -> None:
        raise NotImplementedError

    def mask_calls(self) -> None:
        for i, token in enumerate(self.code):
            if token.kind == "word" and token.text in self.rules.calls and self.is_at(i + 1, "("):
                self.mask(i, self.matching(i + 1))
