# SPDX-License-Identifier: Apache-2.0
"""Parses SystemVerilog."""

from source import Function, Parser, Span
from tokens import Token

_SV_TYPE_WORDS = {
    "logic", "bit", "reg", "wire", "input", "output", "inout", "typedef", "localparam", "parameter", "import", "genvar",
    "int", "integer", "var", "byte", "automatic", "static", "export", "enum", "struct", "unsigned", "signed",
}
_SV_PROCESSES = {"always_comb", "always_ff", "always_latch", "always", "initial", "final"}
_SV_CHECKS = {"assert", "assume", "cover", "restrict", "property", "sequence"}


class SvParser(Parser):
    def run(self, directives: list[Token]) -> None:
        self.mask_synthesis(directives)
        index = 0
        while index < len(self.code):
            index = self.item(index)
        self.mask_calls()
        self.mask_brackets_of_sizes()

    def mask_synthesis(self, directives: list[Token]) -> None:
        """Masks code that synthesis does not see: it has checks."""
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
        """Parses one item of a module or package. @return the index after it."""
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
            self.mask(index, close)  # the number of copies is a part of the block's shape
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
        """The index after a keyword and the `: name` that may follow it."""
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
        """Masks a module's header, except the values of its parameters. @return the index after it."""
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
        # The connections of an instance are expressions, but its name is not.
        while start < end and not self.is_at(start, "=", "("):
            start = self.matching(start) + 1 if self.is_at(start, "[") else start + 1
        self.mask(first, start - 1)
        self.source.simple = [span for span in self.source.simple if span.first != first]

    def mask_brackets_of_sizes(self) -> None:
        """Masks the width of a cast, the count of a replication and the ends of a range. Wrong ones do not compile."""
        for i, token in enumerate(self.code):
            of_range = (self.is_at(i + 1, ":") and self.is_at(i - 1, "[")) or (
                self.is_at(i - 1, ":") and self.is_at(i + 1, "]"))
            of_copies = self.is_at(i - 1, "{") and self.is_at(i + 1, "{")
            if token.kind == "number" and (of_range or of_copies or self.is_at(i + 1, "'")):
                self.mask(i, i)
