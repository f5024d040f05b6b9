# SPDX-License-Identifier: Apache-2.0
"""The operators: each makes mutants of one kind from one source file.

mutation.toml names the operators that are used. An operator's comment says which fault of a programmer it imitates.
"""

import re
from collections.abc import Callable

from mutant import Collector, Edit, Mutant
from source import Source, Span
from tokens import C, CPP, SV, Token

Operator = Callable[["Context"], None]


class Context:
    """One file, and the enumerations of its neighbours: each value's name, with all names of its type."""

    def __init__(self, source: Source, siblings: dict[str, list[str]]) -> None:
        self.source = source
        self.code = source.code
        self.siblings = siblings
        self.out = Collector(source)

    def open_tokens(self) -> list[tuple[int, Token]]:
        return [(i, t) for i, t in enumerate(self.code) if self.source.is_open(i)]

    def replace(self, operator: str, index: int, text: str) -> None:
        token = self.code[index]
        self.out.add(operator, Edit(token.start, token.end, text))

    def replace_span(self, operator: str, span: Span, text: str) -> None:
        self.out.add(operator, Edit(self.code[span.first].start, self.code[span.last].end, text))

    def is_open_span(self, span: Span) -> bool:
        return all(self.source.is_open(i) for i in range(span.first, span.last + 1))

    def is_binary(self, index: int) -> bool:
        """Whether an operator stands between two operands. `*p` and `&x` do not count."""
        if index == 0 or index + 1 >= len(self.code):
            return False
        before = self.code[index - 1]
        if before.kind == "word":
            return before.text not in ("return", "case", "else")
        if before.text == ")":
            return self.source.is_open(index - 1)  # otherwise a cast
        return before.kind in ("number", "text") or before.text in ("]", "}")

    def is_assignment(self, index: int) -> bool:
        """Whether a `<=` assigns in SystemVerilog: it is the first operator of a statement, outside brackets."""
        depth = 0
        for i in range(index - 1, -1, -1):
            text = self.code[i].text
            if text in (")", "]", "}"):
                depth += 1
            elif text in ("(", "[", "{", "'{"):
                if depth == 0:
                    return False
                depth -= 1
            elif depth == 0 and text in ("=", "<=", "assign", "return", "?"):
                return False
            elif depth == 0 and text in (";", "begin", "end", "else", ":"):
                return True
        return False


def mutants_of(source: Source, operators: list[str], siblings: dict[str, list[str]]) -> list[Mutant]:
    context = Context(source, siblings)
    for name in operators:
        OPERATORS[name](context)
    return context.out.mutants


def _swap(context: Context, operator: str, table: dict[str, tuple[str, ...]], binary: bool = True) -> None:
    for index, token in context.open_tokens():
        if token.kind != "op" or token.text not in table or (binary and not context.is_binary(index)):
            continue
        if token.text == "<=" and context.source.language == SV and context.is_assignment(index):
            continue
        for text in table[token.text]:
            context.replace(operator, index, text)


# A limit is one off, or its direction is wrong.
_RELATIONS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
}
_LOGIC = {"&&": ("||",), "||": ("&&",)}
_ARITHMETIC = {"+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",)}
_BITS = {"&": ("|",), "|": ("&",), "^": ("|",), "<<": (">>",), ">>": ("<<",)}
_UPDATES = {
    "+=": ("-=", "="), "-=": ("+=", "="), "|=": ("&=", "="), "&=": ("|=", "="), "^=": ("|=",),
    "<<=": (">>=",), ">>=": ("<<=",), "++": ("--",), "--": ("++",),
}


def relational(context: Context) -> None:
    _swap(context, "relational", _RELATIONS)


def logical(context: Context) -> None:
    _swap(context, "logical", _LOGIC)


_OPERAND_ENDS = {"&&", "||", "?", ":", ",", ";", "=", "<=", "return", "assign", "|->", "|=>"} | set(_UPDATES)


def operand(context: Context) -> None:
    """A part of a condition was forgotten."""
    for index, token in context.open_tokens():
        if token.kind != "op" or token.text not in _LOGIC:
            continue
        left, right = _operand_end(context, index, -1), _operand_end(context, index, 1)
        for span in (Span(left, index), Span(index, right)):
            if context.is_open_span(span):
                context.replace_span("operand", span, "")


def _operand_end(context: Context, index: int, step: int) -> int:
    """The last token of the operand that begins beside `index`, in the direction of `step`."""
    opening, closing = ("(", "[", "{", "'{"), (")", "]", "}")
    inward, outward = (opening, closing) if step > 0 else (closing, opening)
    depth, at = 0, index + step
    while True:
        text = context.code[at].text
        # A relation is a part of its operand. So is SystemVerilog's `<=`, unless it assigns.
        is_end = text in _OPERAND_ENDS and not (text == "<=" and not context.is_assignment(at))
        if depth == 0 and (is_end or text in outward):
            return at - step
        depth += (text in inward) - (text in outward)
        at += step


def arithmetic(context: Context) -> None:
    _swap(context, "arithmetic", _ARITHMETIC)


def bitwise(context: Context) -> None:
    _swap(context, "bitwise", _BITS)


def update(context: Context) -> None:
    _swap(context, "update", _UPDATES, binary=False)


def unary(context: Context) -> None:
    """A negation was forgotten, or a SystemVerilog reduction is the wrong one."""
    for index, token in context.open_tokens():
        if token.kind != "op" or context.is_binary(index):
            continue
        if token.text in ("!", "~", "-"):
            context.replace("unary", index, "")
        elif context.source.language == SV and token.text in ("|", "&"):
            context.replace("unary", index, "&" if token.text == "|" else "|")


_C_NUMBER = re.compile(r"(0[xX])?([0-9a-fA-F']+?)([uUlL]*)$")
_SV_NUMBER = re.compile(r"(?:([0-9]+))?'([sS]?)([bodhBODH])([0-9a-fA-F_]+)$")
_BASES = {"b": (2, "b"), "o": (8, "o"), "d": (10, "d"), "h": (16, "x")}


def neighbours(token: str, language: str) -> list[str]:
    """The numbers one above and one below, in the notation of this one."""
    if language != SV:
        match = _C_NUMBER.match(token)
        if match is None or not (match[1] or match[2].replace("'", "").isdigit()):
            return [f"({token} + 1)"] if language == CPP and re.fullmatch(r"[0-9][0-9']*\.?[0-9]*(e[0-9]+)?", token) else []
        value = int(match[2].replace("'", ""), 16 if match[1] else 10)
        texts = [f"{v:#x}" if match[1] else str(v) for v in (value + 1, value - 1) if v >= 0]
        return [text + match[3] for text in texts]
    if token in ("'0", "'1"):
        return ["'1" if token == "'0" else "'0"]
    if token.replace("_", "").isdigit():
        value = int(token.replace("_", ""))
        return [str(v) for v in (value + 1, value - 1) if v >= 0]
    match = _SV_NUMBER.match(token)
    if match is None:
        return []
    base, form = _BASES[match[3].lower()]
    value = int(match[4].replace("_", ""), base)
    width = int(match[1]) if match[1] else 32
    values = dict.fromkeys(((value + 1) % (1 << width), (value - 1) % (1 << width)))
    return [f"{match[1] or ''}'{match[2]}{match[3]}{v:{form}}" for v in values if v != value]


def constant(context: Context) -> None:
    """A number is one too high or too low, or true and false are exchanged."""
    for index, token in context.open_tokens():
        if token.kind == "number":
            for text in neighbours(token.text, context.source.language):
                context.replace("constant", index, text)
        elif context.source.language != SV and token.text in ("true", "false"):
            context.replace("constant", index, "false" if token.text == "true" else "true")


def condition(context: Context) -> None:
    """A condition is negated, never true, or always true."""
    for span in context.source.conditions + context.source.loops:
        if not context.is_open_span(span):
            continue
        context.replace_span("condition", span, f"!({context.source.text_of(span)})")
    one, zero = ("1'b1", "1'b0") if context.source.language == SV else ("1", "0")
    for span in context.source.conditions:
        if context.is_open_span(span):
            context.replace_span("condition", span, one)
            context.replace_span("condition", span, zero)


def _is_assignment(context: Context, span: Span) -> bool:
    assignments = set(_UPDATES) | {"="} | ({"<="} if context.source.language == SV else set())
    depth = 0
    for i in range(span.first, span.last):
        text = context.code[i].text
        depth += (text in ("(", "[", "{", "'{")) - (text in (")", "]", "}"))
        if depth == 0 and context.code[i].kind == "op" and text in assignments:
            return True
    return False


def _deletable(context: Context) -> list[Span]:
    code = context.code
    return [
        span for span in context.source.simple
        if context.is_open_span(span) and code[span.first].text not in ("return", "assign", "goto")
        and not (code[span.first].text == "(" and code[span.first + 1].text == "void")]


def assignment(context: Context) -> None:
    """An assignment was forgotten."""
    for span in _deletable(context):
        if _is_assignment(context, span):
            context.replace_span("assignment", span, ";")


def statement(context: Context) -> None:
    """A call, a break or a continue was forgotten."""
    for span in _deletable(context):
        if not _is_assignment(context, span):
            context.replace_span("statement", span, ";")


def stuck(context: Context) -> None:
    """A signal never changes."""
    for index, token in enumerate(context.code):
        if token.text != "assign" or not context.source.is_open(index):
            continue
        equals = _find(context, index, "=")
        span = Span(equals + 1, _find(context, equals, ";") - 1)
        if context.is_open_span(span):
            for value in ("'0", "'1"):
                if context.source.text_of(span) not in (value, f"1'b{value[1]}"):
                    context.replace_span("stuck", span, value)


def _find(context: Context, index: int, text: str) -> int:
    while context.code[index].text != text:
        index += 1
    return index


def returned(context: Context) -> None:
    """A function returns another result."""
    for span, function in context.source.returns:
        if function is None or not context.is_open_span(span):
            continue
        text = context.source.text_of(span)
        if context.source.language == SV:
            context.replace_span("returned", span, f"~({text})")
        elif context.source.language == CPP:
            for value in _cpp_results(function.returns.split(), text):
                context.replace_span("returned", span, value)
        elif "*" in function.returns:
            if text != "NULL":
                context.replace_span("returned", span, "NULL")
        elif "bool" in function.returns.split():
            context.replace_span("returned", span, f"!({text})")
        elif "struct" not in function.returns.split():
            context.replace_span("returned", span, "0")
            context.replace_span("returned", span, f"({text}) + 1")


_CPP_NUMBERS = {"int", "unsigned", "double", "size_t", "Picoseconds", "Turn32", "Uint128", "Int128"}


def _cpp_results(returns: list[str], text: str) -> list[str]:
    """@param returns: the type's words. A type without a default does not compile, so its mutant does not count."""
    if returns[-1:] == ["bool"]:
        return [f"!({text})"]
    if returns and (returns[-1] in _CPP_NUMBERS or re.fullmatch(r"u?int\d+_t", returns[-1])):
        return ["0", f"({text}) + 1"]
    return [] if text in ("{}", "nullptr", "std::nullopt") or not returns else ["{}"]


def enumerator(context: Context) -> None:
    """An enumeration's next value is used, or its first one after the last."""
    for index, token in context.open_tokens():
        names = context.siblings.get(token.text, [])
        is_member = index > 0 and context.code[index - 1].text in (".", "->")
        if token.kind == "word" and len(names) > 1 and not is_member:
            context.replace("enumerator", index, names[(names.index(token.text) + 1) % len(names)])


def case(context: Context) -> None:
    """The labels of two neighbouring cases are exchanged."""
    for labels in context.source.switches:
        for one, other in zip(labels, labels[1:]):
            if context.code[one.last + 1].text == ":" and context.code[one.last + 2].text == "case":
                continue  # two labels of the same group
            edits = [
                Edit(context.code[span.first].start, context.code[span.last].end, context.source.text_of(new))
                for span, new in ((one, other), (other, one))]
            context.out.add("case", *edits)


def choice(context: Context) -> None:
    """The two results of `condition ? one : other` are exchanged."""
    for index, token in context.open_tokens():
        if token.text != "?" or token.kind != "op":
            continue
        colon = _behind_operand(context, index + 1, (":",))
        if colon is None:
            continue
        end = _behind_operand(context, colon + 1, (";", ",", ":"))
        if end is None:
            continue
        one, other = Span(index + 1, colon - 1), Span(colon + 1, end - 1)
        if not (context.is_open_span(one) and context.is_open_span(other)):
            continue
        context.out.add("choice", *(
            Edit(context.code[span.first].start, context.code[span.last].end, context.source.text_of(new))
            for span, new in ((one, other), (other, one))))


def _behind_operand(context: Context, index: int, stops: tuple[str, ...]) -> int | None:
    """The first of `stops`, or the bracket that closes around the operand. It is None for a choice in a choice."""
    depth = 0
    while index < len(context.code):
        text = context.code[index].text
        if depth == 0 and (text in stops or text in (")", "]", "}")):
            return index
        if text == "?" and depth == 0:
            return None
        depth += (text in ("(", "[", "{", "'{")) - (text in (")", "]", "}"))
        index += 1
    return None


OPERATORS: dict[str, Operator] = {
    "relational": relational, "logical": logical, "operand": operand, "arithmetic": arithmetic, "bitwise": bitwise, "update": update,
    "unary": unary, "constant": constant, "condition": condition, "assignment": assignment, "statement": statement,
    "stuck": stuck, "returned": returned, "enumerator": enumerator, "case": case, "choice": choice,
}

_ENUM = {
    CPP: re.compile(r"\benum\s+(?:class\s+)?\w*[^{;]*\{([^}]*)\}"),
    C: re.compile(r"\benum\s+\w*\s*\{([^}]*)\}"),
    SV: re.compile(r"\benum\b[^{]*\{([^}]*)\}"),
}
_REMARK = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def siblings_in(texts: list[tuple[str, str]]) -> dict[str, list[str]]:
    """The enumerations in some files. @param texts: the language and the text of each file."""
    found: dict[str, list[str]] = {}
    for language, text in texts:
        for body in _ENUM[language].findall(_REMARK.sub("", text)):
            names = re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", body)
            for name in names:
                found.setdefault(name, names)
    return found
