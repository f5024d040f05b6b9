# SPDX-License-Identifier: Apache-2.0
"""Parses the C++ of this project. Code is in functions, initializers, and the values of constants."""

from c_parser import CParser
from source import Function, Span
from tokens import Token

_CLASS_WORDS = {"class", "struct", "union", "enum"}
_TYPE_WORDS = {
    "const", "constexpr", "static", "volatile", "unsigned", "signed", "typename", "struct", "enum", "inline", "explicit", "virtual",
    "mutable", "friend", "thread_local",
}  # fmt: skip
_NO_TYPE = {"return", "goto", "break", "continue", "throw", "delete", "new", "else", "case", "default", "co_return", "operator"}
_IN_ANGLES = {"::", ",", "*", "&", "&&", "<", ">", ">>", "...", "(", ")", "[", "]"}


class CppParser(CParser):
    def run(self, directives: list[Token]) -> None:
        self.in_defines = set()
        self.angles = self.find_angles()
        index = 0
        while index < len(self.code):
            index = self.top_level(index)
        for first, last in self.angles.items():
            self.mask(first, last)
        self.mask_calls()
        self.mask_casts()

    def find_angles(self) -> dict[int, int]:
        """Finds the brackets of template arguments, opening to closing. Only names, and what joins names, are in them."""
        found: dict[int, int] = {}
        for i, token in enumerate(self.code):
            if token.text == "<" and i > 0 and self.code[i - 1].kind == "word":
                end = self.end_of_angles(i)
                if end is not None:
                    found[i] = end
        return found

    def end_of_angles(self, index: int) -> int | None:
        depth = parentheses = 0
        for i in range(index, len(self.code)):
            token = self.code[i]
            if token.kind == "op" and token.text not in _IN_ANGLES:
                return None
            depth += (token.text == "<") - (token.text == ">") - 2 * (token.text == ">>")
            parentheses += (token.text == "(") - (token.text == ")")
            if parentheses < 0:
                return None
            if depth <= 0:
                # If a number follows, these are two comparisons.
                return None if i + 1 < len(self.code) and self.code[i + 1].kind == "number" else i
        return None

    # ---- items of a namespace or a class

    def top_level(self, index: int) -> int:
        if self.is_at(index, ";", "}"):
            return index + 1
        if self.is_at(index, "public", "private", "protected"):
            self.mask(index, index)
            return index + 2
        if self.is_at(index, "namespace") or (self.is_at(index, "extern") and self.code[index + 1].kind == "text"):
            last = self.find_open(index, ";", "{", "=")
            return self.find(last, ";") + 1 if self.is_at(last, "=") else last + 1
        if self.is_at(index, "using", "typedef", "static_assert", "friend"):
            end = self.find(index, ";")
            self.mask(index, end)
            return end + 1
        if self.is_at(index, "template") and index + 1 in self.angles:
            self.mask(index, self.angles[index + 1])
            return self.angles[index + 1] + 1
        if self.code[index].kind != "word" and not self.is_at(index, "[", "~", "::"):
            raise self.fail(index, "a declaration")
        return self.declaration(index)

    def find_open(self, index: int, *texts: str) -> int:
        """Like find(), but `texts` may have a brace, and template arguments are skipped, too."""
        while not self.is_at(index, *texts):
            if index in self.angles:
                index = self.angles[index] + 1
            elif self.is_at(index, "(", "["):
                index = self.matching(index) + 1
            else:
                index += 1
            if index >= len(self.code):
                raise self.fail(index, " or ".join(texts))
        return index

    def declaration(self, index: int) -> int:
        is_class = any(self.is_at(i, *_CLASS_WORDS) for i in range(index, index + 2))
        parameters = self.find_open(index, "(", ";", "{", "=") if not is_class else index
        if self.is_at(parameters, "=") and self.is_at(parameters - 1, "operator"):
            parameters = self.find_open(parameters + 1, "(")
        if not self.is_at(parameters, "("):
            return self.variable_or_class(index, is_class)
        close = self.matching(parameters)
        if self.is_at(close + 1, "(") and self.is_at(parameters - 1, "operator"):
            parameters, close = close + 1, self.matching(close + 1)
        last = self.find_open(close + 1, ";", "{", "=", ":")
        self.mask(index, last)
        if self.is_at(last, ";"):
            return last + 1
        if self.is_at(last, "="):  # = default, = delete, = 0
            return self.find(last, ";") + 1
        brace = self.behind_initializers(last) if self.is_at(last, ":") else last
        return self.body(index, parameters, brace)

    def behind_initializers(self, colon: int) -> int:
        """The index at the brace of a constructor's body, after `: a_(b), c_{d}`."""
        index = colon + 1
        while True:
            open_bracket = self.find_open(index, "(", "{")
            self.mask(index, open_bracket)
            close = self.matching(open_bracket)
            if not self.is_at(close + 1, ","):
                return close + 1
            index = close + 2

    def body(self, first: int, parameters: int, brace: int) -> int:
        if not self.is_at(brace, "{"):
            raise self.fail(brace, "'{'")
        end = self.matching(brace)
        name = parameters - 1
        start = name
        while start - 2 >= first and self.is_at(start - 1, "::"):
            start -= 2
        returns = " ".join(token.text for token in self.code[first:start])
        self.function = Function(self.code[name].text, returns, Span(brace, end))
        # A mutant in a constructor's initializers has the constructor's name.
        self.source.functions.append(Function(self.code[name].text, returns, Span(parameters, end)))
        if self.function.name in self.rules.functions:
            self.mask(first, end)
        else:
            self.statement(brace, [])
        return end + 1

    def variable_or_class(self, index: int, is_class: bool) -> int:
        last = self.find_open(index, ";", "{", "=")
        self.mask(index, last - 1)
        if not self.is_at(last, "{") or not is_class:  # no value, or one that may be in braces
            return self.find(last, ";") + 1
        end = self.matching(last)
        if any(self.is_at(i, "enum") for i in range(index, index + 2)):
            self.mask(index, end)
            return end + 1
        at = last + 1
        while at < end:
            at = self.top_level(at)
        return end + 1

    # ---- statements

    def statement(self, index: int, labels: list[Span]) -> int:
        token = self.code[index].text
        if token == "if" and self.is_at(index + 1, "constexpr"):
            self.mask(index + 1, index + 1)
            close = self.matching(index + 2)
            after = self.statement(close + 1, labels)
            return self.statement(after + 1, labels) if self.is_at(after, "else") else after
        if token == "for":
            return self.for_loop(index, labels)
        if token == "try":
            index = self.statement(index + 1, labels)
            while self.is_at(index, "catch"):
                close = self.matching(index + 1)
                self.mask(index, close)
                index = self.statement(close + 1, labels)
            return index
        if token == "[" and self.is_at(index + 1, "["):
            self.mask(index, self.matching(index))
            return self.statement(self.matching(index) + 1, labels)
        if token in _CLASS_WORDS or token in ("using", "static_assert"):
            end = self.find(index, ";")
            self.mask(index, end)
            return end + 1
        return super().statement(index, labels)

    def for_loop(self, index: int, labels: list[Span]) -> int:
        close = self.matching(index + 1)
        at = self.find_open(index + 2, ";", ":", ")")
        if self.is_at(at, ":"):  # a loop over a range
            self.mask(index + 2, at)
        elif self.is_at(at, ";"):
            self.mask_declaration(index + 2, at)
        return self.statement(close + 1, labels)

    def condition(self, index: int, into: list[Span]) -> int:
        """Takes only b of `if (a; b)`. A condition that declares a name cannot be changed as a whole."""
        if not self.is_at(index, "("):
            raise self.fail(index, "'('")
        close = self.matching(index)
        first = index + 1
        semicolon = self.find_open(first, ";", ")")
        if self.is_at(semicolon, ";"):
            self.mask_declaration(first, semicolon)
            first = semicolon + 1
        if self.is_declaration(first):
            self.mask_declaration(first, close)
        else:
            into.append(Span(first, close - 1))
        return close + 1

    def mask_declaration(self, first: int, end: int) -> None:
        if not self.is_declaration(first):
            return
        stop = self.type_end(first)
        while stop < end and not self.is_at(stop, "=", "(", "{"):
            stop += 1
        self.mask(first, stop - 1)
        self.source.simple = [span for span in self.source.simple if span.first != first]

    def is_declaration(self, first: int) -> bool:
        if self.is_at(first, *_TYPE_WORDS, "auto"):
            return True
        name = self.type_end(first)
        return name > first and self.code[name].kind == "word" and self.is_at(name + 1, "=", ";", "(", "{", ",", "[", ":")

    def type_end(self, first: int) -> int:
        """The index after the type that may begin here, or `first` if none does."""
        index = first
        while self.is_at(index, *_TYPE_WORDS):
            index += 1
        if self.is_at(index, "::"):
            index += 1
        if self.code[index].kind != "word" or self.is_at(index, *_NO_TYPE):
            return first
        index += 1
        while True:
            if index in self.angles:
                index = self.angles[index] + 1
            elif self.is_at(index, "::") and self.code[index + 1].kind == "word":
                index += 2
            elif self.is_at(index, "*", "&", "&&", "const"):
                index += 1
            else:
                return index
