# SPDX-License-Identifier: Apache-2.0
"""headstack.1: every command and option of the tree, in the macros of man(7)."""

import re
import subprocess
import textwrap
from collections.abc import Iterator

import click
from bootstrap import ROOT
from description import Described, Word
from tree import ABOUT, SECTIONS

ENVIRONMENT = (
    ("HEADSTACK_PRESET", "preset of CMakePresets.json that is built and used (default: release)"),
    ("HEADSTACK_GDB", "debugger of debug --launch (default: gdb-multiarch)"),
    ("HEADSTACK_QUIET", "set by --quiet, for the programs behind the commands"),
)
LINE = 70  # letters, some of which take two or three more in roff
STATUSES = (
    ("0", "done, and all is as it should be"),
    ("1", "the input cannot be used, or what was asked is not so: a test, a case, a budget"),
    ("2", "the command line is wrong"),
    ("130", "interrupted"),
)


def escaped(text: str) -> str:
    """The text escaped so that roff prints it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def paragraph(text: str) -> str:
    """The text as one paragraph, without line breaks; roff's lines are short."""
    return escaped(textwrap.fill(" ".join(text.split()), LINE, break_long_words=False, break_on_hyphens=False))


def commands_below(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """The commands depth first, with the words that call them."""
    yield path, command
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from commands_below(below, f"{path} {name}")


def option_term(option: click.Option) -> str:
    """The option's names, and the name of its value."""
    names = sorted([*option.opts, *option.secondary_opts], key=len)
    value = "" if option.is_flag else f" \\fI{escaped(option.metavar or 'VALUE')}\\fR"
    return ", ".join(f"\\fB{escaped(name)}\\fR" for name in names) + value


def option_text(option: click.Option) -> str:
    """The option's help, with its possible values."""
    text = option.help or ""
    if isinstance(option.type, click.Choice) and not all(choice in text for choice in option.type.choices):
        text = f"{text} [{', '.join(map(str, option.type.choices))}]"
    if option.show_default:
        text = f"{text} ({option.default})"
    return paragraph(text)


def command_lines(path: str, command: click.Command) -> list[str]:
    """One command: how it is typed, what it does, its words and options."""
    context = click.Context(command, info_name=path)
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    options = [one for one in command.get_params(context) if isinstance(one, click.Option) and not one.hidden]
    metavars = " ".join(argument.metavar or argument.make_metavar(context) for argument in arguments)
    options = [one for one in options if "--help" not in one.opts]
    lines = [f'.SS "{escaped(path)}"']
    if metavars or options:
        typed = " ".join(filter(None, ["[OPTION...]" if options else "", metavars]))
        lines += [f"\\fB{escaped(path)}\\fR {escaped(typed)}", ".PP"]
    lines.append(paragraph(command.help or ""))
    for argument in arguments:
        if isinstance(argument, Word) and argument.about:
            lines += [".TP", f"\\fI{escaped(argument.metavar or '')}\\fR", paragraph(argument.about)]
    for option in options:
        lines += [".TP", option_term(option), option_text(option)]
    if isinstance(command, Described) and command.behind:
        lines += [".PP", ".EX", escaped(command.behind.rstrip()), ".EE"]
    return lines


def rows(title: str, pairs: tuple[tuple[str, str], ...]) -> list[str]:
    """A section of terms."""
    lines = [f'.SH "{title}"']
    for term, text in pairs:
        lines += [".TP", f"\\fB{escaped(term)}\\fR", paragraph(text)]
    return lines


def date_of_commit() -> str:
    """The date of the tree's commit, or nothing: the day on which the page is made has no meaning."""
    line = ["git", "-C", ROOT, "log", "-1", "--format=%cs"]
    return subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()


def man_page(tree: click.Group) -> str:
    """The page's source."""
    lines = [
        f'.TH HEADSTACK 1 "{date_of_commit()}" headstack "headstack manual"',
        # Lines of terms and paths cannot be filled to both edges, nor words of a command line be cut.
        ".ad l", ".nh",
        ".SH NAME", f"headstack \\- {escaped(ABOUT[0].lower() + ABOUT[1:].rstrip('.'))}",
        ".SH SYNOPSIS", "\\fBheadstack\\fR [\\fB\\-\\-quiet\\fR] \\fICOMMAND\\fR [\\fIOPTION\\fR...]",
        ".SH DESCRIPTION", paragraph(
            "The script headstack installs what is missing, builds what a command needs, and starts it. What it says itself "
            "goes to standard error. Every command has --help."),
        ".SH OPTIONS",
    ]  # fmt: skip
    for option in tree.params:
        if isinstance(option, click.Option):
            lines += [".TP", option_term(option), option_text(option)]
    for heading, names in SECTIONS:
        lines.append(f'.SH "{escaped(heading.upper())}"')
        for name in names:
            for path, command in commands_below(tree.commands[name], f"headstack {name}"):
                lines += command_lines(path, command)
    lines += rows("ENVIRONMENT", ENVIRONMENT)
    lines += rows("EXIT STATUS", STATUSES)
    return "\n".join(line for line in lines if line) + "\n"
