# SPDX-License-Identifier: Apache-2.0
"""Parses files for the operators."""

from pathlib import Path

from c_parser import CParser, RowParser
from cpp_parser import CppParser
from errors import MutationError
from source import Parser, Rules, Source
from sv_parser import SvParser
from tokens import C, CPP, SV, tokenize


def parse(path: str, text: str, rules: Rules) -> Source:
    """@raise MutationError: this parser does not know the text; the message names file and line."""
    language = language_of(path)
    tokens = tokenize(text, language, constants=path.endswith(".c"))
    source = Source(path, language, text)
    source.code = [token for token in tokens if token.kind not in ("comment", "directive")]
    if not source.code:
        return source
    parser = _parser_of(path, language)(source, rules)
    try:
        parser.run([token for token in tokens if token.kind == "directive"])
    except IndexError:
        raise MutationError(f"{path}: the file ends inside a statement; a bracket or an `end` is missing") from None
    return source


def language_of(path: str) -> str:
    languages = {".c": C, ".h": C, ".def": C, ".cpp": CPP, ".hpp": CPP, ".sv": SV}
    suffix = Path(path).suffix
    if suffix not in languages:
        raise MutationError(f"{path}: files of this kind cannot be mutated; remedy: name .c, .h, .def, .cpp, .hpp or .sv files")
    return languages[suffix]


def _parser_of(path: str, language: str) -> type[Parser]:
    if path.endswith(".def"):
        return RowParser
    return {C: CParser, CPP: CppParser, SV: SvParser}[language]
