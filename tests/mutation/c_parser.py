# SPDX-License-Identifier: Apache-2.0
"""Parses C, and tables of rows that C includes."""

from source import Function, Parser, Span
from tokens import Token

_C_TYPE_WORDS = {"const", "struct", "enum", "union", "static", "unsigned", "signed", "volatile", "extern", "typedef"}


class CParser(Parser):
    def run(self, directives: list[Token]) -> None:
        self.mask_constants(directives)
        index = 0
        while index < len(self.code):
            index = self.top_level(index)
        self.mask_calls()
        self.mask_casts()

    def mask_constants(self, directives: list[Token]) -> None:
        """Notes the values of #define, each a number or a product of numbers. Masks that of FILE_ID."""
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
        if self.is_at(last, "="):  # a table, whose values are code
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
        """Masks (const struct x*), sizeof(x) and the type of a compound literal."""
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


class RowParser(Parser):
    """Parses an included table, with rows such as MACRO(NAME, 0x12, FLAG | FLAG, ...). A row is a function, named by
    its first word.
    """

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
