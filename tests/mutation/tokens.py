# SPDX-License-Identifier: Apache-2.0
"""Splits C, C++ and SystemVerilog into tokens, which separate code from other text."""

import re
from dataclasses import dataclass

from errors import MutationError

C, CPP, SV = "c", "cpp", "sv"


@dataclass(frozen=True)
class Token:
    """A piece of the text, from `start` up to `end`.

    kind: word, number, text (a string or a character), op, comment or directive. A directive is a whole line of the
    preprocessor. The number of a `#define` is a token of its own.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


# The longest operators come first.
_OPERATORS = {
    C: "<<= >>= ... << >> <= >= == != && || ++ -- += -= *= /= %= &= |= ^= -> ##".split(),
    CPP: "<=> <<= >>= ... ->* << >> <= >= == != && || ++ -- += -= *= /= %= &= |= ^= -> ::".split(),
    SV: "<<<= >>>= <<= >>= <<< >>> === !== ==? !=? |-> |=> ~^ ^~ ~& ~| << >> <= >= == != && || ++ -- ** += -= *= /="
        " %= &= |= ^= -> :: +: -: .* '{".split(),
}

_COMMENT = r"//[^\n]*|/\*.*?\*/"
_C_TEXT = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])+'"
_TEXT = {C: _C_TEXT, CPP: r'R"\((?:.*?)\)"|' + _C_TEXT, SV: r'"(?:\\.|[^"\\\n])*"'}
_NUMBER = {
    C: r"0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+[uUlL]*(?![\w.])|[0-9.]+[eE0-9.fF]*",
    CPP: r"0[xX][0-9a-fA-F']+[uUlL]*|[0-9][0-9']*[uUlL]*(?![\w.])|[0-9.]+[eE0-9.fF]*",
    SV: r"(?:[0-9]+)?'[sS]?[bodhBODH][0-9a-fA-FxzXZ_?]+|'[01](?!\w)|[0-9][0-9_]*",
}
_WORD = {C: r"[A-Za-z_]\w*", CPP: r"[A-Za-z_]\w*", SV: r"[`$]?[A-Za-z_][\w$]*"}


def _pattern(language: str) -> re.Pattern[str]:
    operators = "|".join(re.escape(op) for op in _OPERATORS[language])
    return re.compile(
        rf"(?P<space>\s+)|(?P<comment>{_COMMENT})|(?P<text>{_TEXT[language]})"
        rf"|(?P<number>{_NUMBER[language]})|(?P<word>{_WORD[language]})|(?P<op>{operators}|.)",
        re.DOTALL,
    )


_PATTERNS = {language: _pattern(language) for language in (C, CPP, SV)}
_C_DIRECTIVE = re.compile(r"[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL)
_C_CONSTANT = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+[ \t]+(?=\S)")
_SV_DIRECTIVE = re.compile(r"[ \t]*`(?:ifn?def|elsif|else|endif|include|define|undef|timescale)\b[^\n]*")


def tokenize(text: str, language: str, constants: bool = False) -> list[Token]:
    """All tokens except white space. `constants`: the value of a `#define` is code, too."""
    pattern = _PATTERNS[language]
    directive = _SV_DIRECTIVE if language == SV else _C_DIRECTIVE
    found: list[Token] = []
    at = 0
    while at < len(text):
        if at == 0 or text[at - 1] == "\n":
            line = directive.match(text, at)
            if line:
                head = _C_CONSTANT.match(text, at, line.end()) if constants and language == C else None
                stop = head.end() if head else line.end()
                found.append(Token("directive", text[at:stop], at))
                at = stop
                continue
        match = pattern.match(text, at)
        if match is None:
            raise MutationError(f"character {at} cannot be read: {text[at:at + 20]!r}")
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match.group(), at))
        at = match.end()
        # White space may run into a next line, which a directive may begin.
        if match.lastgroup == "space" and "\n" in match.group():
            at = match.start() + match.group().rindex("\n") + 1
            if not directive.match(text, at):
                at = match.end()
    return found
