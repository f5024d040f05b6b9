# SPDX-License-Identifier: Apache-2.0
"""A source file as the operators see it: its code, its statements, and what of it must not be touched."""

import bisect
from dataclasses import dataclass, field
from pathlib import Path

from errors import MutationError
from tokens import C, SV, Token, tokenize

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
    """What parse() found; all numbers are of tokens in `code`."""

    path: str
    language: str
    text: str
    code: list[Token] = field(default_factory=list)
    masked: set[int] = field(default_factory=set)
    simple: list[Span] = field(default_factory=list)  # statements without a part, `;` included
    conditions: list[Span] = field(default_factory=list)  # of if: what is between the parentheses
    loops: list[Span] = field(default_factory=list)  # the same, of while
    returns: list[tuple[Span, Function | None]] = field(default_factory=list)  # behind `return`
    switches: list[list[Span]] = field(default_factory=list)  # per switch, the labels of its groups
    functions: list[Function] = field(default_factory=list)
    _line_starts: list[int] = field(default_factory=list)

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
    """What is never mutated, by name (mutation.toml, [masked])."""

    def __init__(self, calls: list[str], functions: list[str]) -> None:
        self.calls = set(calls)
        self.functions = set(functions)


def parse(path: str, text: str, rules: Rules) -> Source:
    """@raise MutationError: the text is not what this parser knows; the message names file and line."""
    language = language_of(path)
    tokens = tokenize(text, language, constants=path.endswith(".c"))
    source = Source(path, language, text)
    source._line_starts = [0] + [i + 1 for i, character in enumerate(text) if character == "\n"]
    source.code = [token for token in tokens if token.kind not in ("comment", "directive")]
    if not source.code:
        return source
    kind = _RowParser if path.endswith(".def") else _CParser if language == C else _SvParser
    parser = kind(source, rules)
    try:
        parser.run([token for token in tokens if token.kind == "directive"])
    except IndexError:
        raise MutationError(f"{path}: the file ends inside a statement; a bracket or an `end` is missing") from None
    return source


def language_of(path: str) -> str:
    languages = {".c": C, ".h": C, ".def": C, ".sv": SV}
    suffix = Path(path).suffix
    if suffix not in languages:
        raise MutationError(f"{path}: files of this kind cannot be mutated; remedy: name .c, .h, .def or .sv files")
    return languages[suffix]


class _Parser:
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
        """The first of `texts` from `index` on that is not inside brackets."""
        while not self.is_at(index, *texts):
            index = self.matching(index) + 1 if self.is_at(index, *_OPENING) else index + 1
            if index >= len(self.code):
                raise self.fail(index, " or ".join(texts))
        return index

    def mask(self, first: int, last: int) -> None:
        self.source.masked.update(range(first, last + 1))

    def condition(self, index: int, into: list[Span]) -> int:
        """`index`: at the opening parenthesis. @return behind the closing one."""
        if not self.is_at(index, "("):
            raise self.fail(index, "'('")
        close = self.matching(index)
        into.append(Span(index + 1, close - 1))
        return close + 1

    def simple(self, index: int) -> int:
        """A statement without a part. @return behind its semicolon."""
        end = self.find(index, ";")
        if end > index:
            self.source.simple.append(Span(index, end))
            if self.is_at(index, "return") and end > index + 1:
                self.source.returns.append((Span(index + 1, end - 1), self.function))
        self.mask_declaration(index, end)
        return end + 1

    def mask_declaration(self, first: int, end: int) -> None:
        raise NotImplementedError

    def mask_calls(self) -> None:
        for i, token in enumerate(self.code):
            if token.kind == "word" and token.text in self.rules.calls and self.is_at(i + 1, "("):
                self.mask(i, self.matching(i + 1))


_C_TYPE_WORDS = {"const", "struct", "enum", "union", "static", "unsigned", "signed", "volatile", "extern", "typedef"}


class _CParser(_Parser):
    def run(self, directives: list[Token]) -> None:
        self.mask_constants(directives)
        index = 0
        while index < len(self.code):
            index = self.top_level(index)
        self.mask_calls()
        self.mask_casts()

    def mask_constants(self, directives: list[Token]) -> None:
        """A macro with parts is not understood: only a name for one number, or for a product of some, is."""
        self.in_defines: set[int] = set()
        for directive in directives:
            if "define" not in directive.text:
                continue
            end = self.source.text.find("\n", directive.end)
            value = [i for i, t in enumerate(self.code) if directive.end <= t.start < end]
            self.in_defines.update(value)
            if directive.text.split()[-1] == "FILE_ID":
                self.source.masked.update(value)

    def top_level(self, index: int) -> int:
        if index in self.in_defines or self.is_at(index, ";", "}"):
            return index + 1
        if self.is_at(index, "extern") and self.code[index + 1].kind == "text":
            self.mask(index, index + 1)
            return index + 3 if self.is_at(index + 2, "{") else index + 2
        last = index
        while not self.is_at(last, ";", "{", "="):
            if last in self.in_defines:
                raise self.fail(last, "';'")
            last = self.matching(last) + 1 if self.is_at(last, "(", "[") else last + 1
        self.mask(index, last)
        if self.is_at(last, ";"):
            return last + 1
        if self.is_at(last, "="):  # a table: its values are code
            return self.find(last, ";") + 1
        if self.is_at(last - 1, ")"):
            return self.function_body(index, last)
        end = self.matching(last)  # a type
        self.mask(index, end)
        return end + 1

    def function_body(self, first: int, brace: int) -> int:
        name = first
        while not self.is_at(name + 1, "("):
            name += 1
        end = self.matching(brace)
        returns = " ".join(t.text for t in self.code[first:name])
        self.function = Function(self.code[name].text, returns, Span(brace, end))
        self.source.functions.append(self.function)
        if self.function.name in self.rules.functions:
            self.mask(first, end)
        else:
            self.statement(brace, [])
        return end + 1

    def statement(self, index: int, labels: list[Span]) -> int:
        token = self.code[index].text
        if token == "{":
            index += 1
            while not self.is_at(index, "}"):
                index = self.statement(index, labels)
            return index + 1
        if token == ";":
            return index + 1
        if token == "if":
            index = self.statement(self.condition(index + 1, self.source.conditions), labels)
            return self.statement(index + 1, labels) if self.is_at(index, "else") else index
        if token == "while":
            return self.statement(self.condition(index + 1, self.source.loops), labels)
        if token == "do":
            index = self.statement(index + 1, labels)
            return self.condition(index + 1, self.source.loops) + 1
        if token == "for":
            close = self.matching(index + 1)
            self.mask_declaration(index + 2, self.find(index + 2, ";"))
            return self.statement(close + 1, labels)
        if token == "switch":
            own: list[Span] = []
            self.source.switches.append(own)
            return self.statement(self.condition(index + 1, []), own)
        if token in ("case", "default"):
            colon = self.find(index, ":")
            self.mask(index, colon)
            if token == "case":
                labels.append(Span(index + 1, colon - 1))
            return colon + 1
        return self.simple(index)

    def mask_declaration(self, first: int, end: int) -> None:
        if not self.is_declaration(first):
            return
        stop = first
        while stop < end and not self.is_at(stop, "="):
            stop += 1
        self.mask(first, stop - 1)
        self.source.simple = [span for span in self.source.simple if span.first != first]

    def is_declaration(self, first: int) -> bool:
        word, follower = self.code[first], self.code[first + 1]
        if word.kind != "word" or word.text in ("return", "goto", "break", "continue"):
            return False
        if word.text in _C_TYPE_WORDS:
            return True
        second = first + 1
        while self.is_at(second, "*"):
            second += 1
        return self.code[second].kind == "word" and (second > first + 1 or follower.kind == "word")

    def mask_casts(self) -> None:
        """(const struct x*), sizeof(x) and the type of a compound literal."""
        for i, token in enumerate(self.code):
            if token.text != "(" or token.kind != "op":
                continue
            close = i + 1
            while self.code[close].kind == "word" or self.is_at(close, "*"):
                close += 1
            words = self.code[i + 1 : close]
            is_type = words and (
                words[0].text in _C_TYPE_WORDS or words[-1].text == "*" or words[0].text.endswith("_t")
                or words[0].text in ("void", "char", "bool", "int"))
            if self.is_at(close, ")") and is_type:
                self.mask(i, close)


class _RowParser(_Parser):
    """A table that is included: MACRO(NAME, 0x12, FLAG | FLAG, ...) each. A row is named by its first word, as a function."""

    def run(self, directives: list[Token]) -> None:
        index = 0
        while index < len(self.code):
            if self.code[index].kind != "word" or not self.is_at(index + 1, "("):
                raise self.fail(index, "a row")
            close = self.matching(index + 1)
            names = [token.text for token in self.code[index + 1 : close] if token.kind == "word"]
            self.source.functions.append(Function(names[0] if names else "", "", Span(index, close)))
            self.mask(index, index)
            index = close + 1


_SV_TYPE_WORDS = {
    "logic", "bit", "reg", "wire", "input", "output", "inout", "typedef", "localparam", "parameter", "import", "genvar",
    "int", "integer", "var", "byte", "automatic", "static", "export", "enum", "struct", "unsigned", "signed",
}
_SV_PROCESSES = {"always_comb", "always_ff", "always_latch", "always", "initial", "final"}
_SV_CHECKS = {"assert", "assume", "cover", "restrict", "property", "sequence"}


class _SvParser(_Parser):
    def run(self, directives: list[Token]) -> None:
        self.mask_synthesis(directives)
        index = 0
        while index < len(self.code):
            index = self.item(index)
        self.mask_calls()
        self.mask_brackets_of_sizes()

    def mask_synthesis(self, directives: list[Token]) -> None:
        """What synthesis does not see are checks."""
        start = depth = 0
        for directive in directives:
            words = directive.text.split()
            if words[0] == "`ifndef" and depth == 0 and words[1:2] == ["SYNTHESIS"]:
                start, depth = directive.end, 1
            elif depth and words[0] in ("`ifdef", "`ifndef"):
                depth += 1
            elif depth and words[0] == "`endif":
                depth -= 1
                if depth == 0:
                    self.source.masked.update(
                        i for i, t in enumerate(self.code) if start <= t.start < directive.start)

    def item(self, index: int) -> int:
        """One item of a module or package. @return behind it."""
        text = self.code[index].text
        if not self.source.is_open(index):
            return index + 1
        if text in ("module", "package", "interface"):
            return self.header(index)
        if text in _SV_PROCESSES:
            return self.process(index)
        if text == "function":
            return self.function_item(index)
        if self.is_check(index):
            end = self.find(index, ";")
            self.mask(index, end)
            return end + 1
        if text in ("generate", "endgenerate", "endmodule", "endpackage", "begin", "end", ";", "else"):
            return self.behind_label(index)
        if text == "if":
            return self.condition(index + 1, self.source.conditions)
        if text == "for":
            close = self.matching(index + 1)
            self.mask(index, close)  # how many there are is the block's shape
            return close + 1
        if text == "typedef":
            end = self.find(index, ";")
            self.mask(index, end)
            return end + 1
        end = self.find(index, ";")
        self.mask_declaration(index, end)
        return end + 1

    def is_check(self, index: int) -> bool:
        if self.code[index].text in _SV_CHECKS:
            return True
        return self.is_at(index + 1, ":") and self.code[index + 2].text in _SV_CHECKS

    def behind_label(self, index: int) -> int:
        """Behind a keyword and the `: name` that may follow it."""
        if self.code[index].text in ("begin", "end", "endmodule", "endpackage", "endfunction") and self.is_at(index + 1, ":"):
            return index + 3
        return index + 1

    def process(self, index: int) -> int:
        if self.code[index].text in ("initial", "final"):
            end = self.statement(index + 1, [])
            self.mask(index, end - 1)
            return end
        start = index + 1
        if self.is_at(start, "@"):
            start = self.matching(start + 1) + 1
            self.mask(index, start - 1)  # the clock's edge
        return self.statement(start, [])

    def function_item(self, index: int) -> int:
        header_end = self.find(index, ";")
        name = index
        while not self.is_at(name + 1, "(", ";"):
            name += 1
        returns = " ".join(t.text for t in self.code[index:name])
        end = index
        while not self.is_at(end, "endfunction"):
            end += 1
        self.mask(index, header_end)
        self.function = Function(self.code[name].text, returns, Span(header_end, end))
        self.source.functions.append(self.function)
        at = header_end + 1
        while at < end:
            at = self.statement(at, [])
        self.function = None
        return self.behind_label(end)

    def statement(self, index: int, labels: list[Span]) -> int:
        text = self.code[index].text
        if text in ("unique", "unique0", "priority"):
            return self.statement(index + 1, labels)
        if text == "begin":
            index = self.behind_label(index)
            while not self.is_at(index, "end"):
                index = self.statement(index, labels)
            return self.behind_label(index)
        if text == ";":
            return index + 1
        if text == "if":
            index = self.statement(self.condition(index + 1, self.source.conditions), labels)
            return self.statement(index + 1, labels) if self.is_at(index, "else") else index
        if text == "while":
            return self.statement(self.condition(index + 1, self.source.loops), labels)
        if text == "for":
            close = self.matching(index + 1)
            self.mask_declaration(index + 2, self.find(index + 2, ";"))
            return self.statement(close + 1, labels)
        if text in ("case", "casez", "casex"):
            return self.case(self.matching(index + 1) + 1)
        if self.is_check(index):
            end = self.find(index, ";")
            self.mask(index, end)
            return end + 1
        return self.simple(index)

    def case(self, index: int) -> int:
        labels: list[Span] = []
        self.source.switches.append(labels)
        while not self.is_at(index, "endcase"):
            colon = index + 1 if self.is_at(index, "default") else self.find(index, ":")
            if not self.is_at(index, "default"):
                labels.append(Span(index, colon - 1))
            self.mask(index, colon - 1)
            index = self.statement(colon + 1 if self.is_at(colon, ":") else colon, [])
        return index + 1

    def header(self, first: int) -> int:
        """Of a module's header, only the parameters' values are code. @return behind it."""
        end = self.find(first, ";")
        while self.is_at(end + 1, "#", "(", "import") and self.is_at(first, "module"):
            end = self.find(end + 1, ";")
        self.mask(first, end)
        for i in range(first, end):
            if not self.is_at(i, "parameter"):
                continue
            value = i
            while value < end and not self.is_at(value, "="):
                value += 1
            stop = value
            while not self.is_at(stop, ",", ")"):
                stop = self.matching(stop) + 1 if self.is_at(stop, "(") else stop + 1
            self.source.masked.difference_update(range(value + 1, stop))
        return end + 1

    def mask_declaration(self, first: int, end: int) -> None:
        start = first
        if self.code[first].kind != "word":
            return
        is_typed = self.code[first].text in _SV_TYPE_WORDS or (
            self.code[first + 1].kind == "word" and self.code[first].text not in ("assign", "return"))
        if not is_typed:
            return
        # An instance: its connections are expressions, its name is not.
        while start < end and not self.is_at(start, "=", "("):
            start = self.matching(start) + 1 if self.is_at(start, "[") else start + 1
        self.mask(first, start - 1)
        self.source.simple = [span for span in self.source.simple if span.first != first]

    def mask_brackets_of_sizes(self) -> None:
        """The width of a cast, the count of a replication, the ends of a range: wrong ones do not compile."""
        for i, token in enumerate(self.code):
            of_range = (self.is_at(i + 1, ":") and self.is_at(i - 1, "[")) or (
                self.is_at(i - 1, ":") and self.is_at(i + 1, "]"))
            of_copies = self.is_at(i - 1, "{") and self.is_at(i + 1, "{")
            if token.kind == "number" and (of_range or of_copies or self.is_at(i + 1, "'")):
                self.mask(i, i)
