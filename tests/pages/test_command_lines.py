# SPDX-License-Identifier: Apache-2.0
"""Every command of headstack that a page shows is one that the command line takes, and every link of a page leads somewhere.

Held against the tree that help, manual page and completion are made of (host/command): commands, options, and names of
drives, policies and experiments. Nothing is run.
"""

import os
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import click
import page as pages
from page import ROOT, CommandLine, Fence, PageError

sys.path.insert(0, str(ROOT / "host/command"))

import values  # noqa: E402
from tree import make_tree  # noqa: E402

SHELLS = ("sh", "console")


def mistake_in(line: CommandLine, root: click.Group) -> str:
    """Why the command line does not take it; "" if it does."""
    command: click.Command = root
    words = list(line.words)
    context = click.Context(root, info_name="headstack")
    while isinstance(command, click.Group):
        if words[:1] in (["--quiet"], ["-q"]):
            words = words[1:]
        if not words or words[0] in ("-h", "--help"):
            return ""
        name = words.pop(0)
        below = command.get_command(context, name)
        if below is None:
            return f"{context.command_path} has no command '{name}'"
        command, context = below, click.Context(below, parent=context, info_name=name)
    try:
        parsed = command.make_context(context.info_name, [word for word in words if word != "--quiet"], parent=context.parent)
    except click.exceptions.Exit:  # --help
        return ""
    except click.ClickException as error:
        return error.format_message()
    return "; ".join(_unknown_names(parsed))


def _unknown_names(context: click.Context) -> Iterator[str]:
    for parameter in context.command.params:
        known = getattr(parameter.type, "_known", "")
        given = context.params.get(parameter.name or "") if known else None
        for value in given if isinstance(given, tuple) else (given,):
            name = str(value or "").split(":")[0].split(",")[0]
            # A path is somebody's own file, a word in capitals stands for any, a pattern for several.
            if name and not set(name) & set("/.*?$") and not name.isupper() and name not in values.NAMES[known]():
                yield f"there is no {known} '{name}'"


def lines_of_pages() -> list[CommandLine]:
    """All of the project."""
    return [
        line for page in pages.project_pages() for fence in pages.fences(page) if fence.language in SHELLS
        for line in pages.command_lines(fence)
    ]  # fmt: skip


class CommandLines(unittest.TestCase):
    def test_each_is_taken(self) -> None:
        root = make_tree()
        lines = lines_of_pages()
        self.assertGreater(len(lines), 60, "the pages were not read")
        wrong = [f"{line.place}: {mistake}" for line in lines if (mistake := mistake_in(line, root))]
        self.assertEqual([], wrong)

    def test_paths_of_the_tree_exist(self) -> None:
        folders = ("traces/", "tests/", "sim/", "host/", "firmware/", "hdl/")
        missing = [
            f"{line.place}: there is no {word}"
            for line in lines_of_pages()
            for word in line.words
            if word.startswith(folders) and not list(ROOT.glob(word))
        ]
        self.assertEqual([], missing)


class Mistakes(unittest.TestCase):
    """What the tests above must notice."""

    def test_each_is_noticed(self) -> None:
        root = make_tree()
        for text, expected in (
            ("frobnicate", "no command 'frobnicate'"),
            ("experiment eagle", "no command 'eagle'"),
            ("run --no-such-option", "--no-such-option"),
            ("run --drive cheetah_9lq --trace T", "no DRIVE 'cheetah_9lq'"),
            ("run --policy stg:group=3 --trace T", "no POLICY 'stg'"),
            ("experiment run eagel", "no EXPERIMENT 'eagel'"),
            ("drive info cheetah_9lp extra words", "extra"),
        ):
            with self.subTest(text):
                self.assertIn(expected, mistake_in(CommandLine("here", tuple(text.split())), root))

    def test_what_is_right_is_taken(self) -> None:
        root = make_tree()
        for text in ("run --drive D --trace T --policy stf --limit 60", "help run", "--quiet run --trace T", "drive info eagle --json"):
            with self.subTest(text):
                self.assertEqual("", mistake_in(CommandLine("here", tuple(text.split())), root))


class Links(unittest.TestCase):
    def test_each_leads_to_a_file_and_its_heading(self) -> None:
        wrong = []
        for page in pages.project_pages():
            for number, target in pages.links(page):
                if target.startswith(("http://", "https://")):
                    continue
                path, _, heading = target.partition("#")
                there = (page.parent / path).resolve() if path else page
                place = f"{page.relative_to(ROOT)}:{number}"
                if not there.exists():
                    wrong.append(f"{place}: there is no {target}")
                elif heading and there.suffix == ".md" and heading not in pages.anchors(there):
                    wrong.append(f"{place}: {there.relative_to(ROOT)} has no heading '#{heading}'")
        self.assertEqual([], wrong)


class Reader(unittest.TestCase):
    """What page.py makes of a page."""

    def read(self, text: str) -> list[Fence]:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(pages, "ROOT", Path(folder)):
            page = Path(folder, "page.md")
            page.write_text(text, encoding="utf-8")
            return pages.fences(page)

    def test_lines_are_joined_cut_and_numbered(self) -> None:
        fence = Fence(ROOT / "page.md", 3, "sh", "A=1 ./headstack run \\\n  --limit 3 # why\nls && ./headstack help | cat\n", "")
        self.assertEqual(
            [CommandLine("page.md:3", ("run", "--limit", "3")), CommandLine("page.md:5", ("help",))], list(pages.command_lines(fence))
        )

    def test_a_transcript_has_commands_behind_its_prompt(self) -> None:
        fence = Fence(ROOT / "page.md", 1, "console", "$ ./headstack version\n./headstack is no command here\n", "")
        self.assertEqual([CommandLine("page.md:1", ("version",))], list(pages.command_lines(fence)))

    def test_a_directive_belongs_to_the_block_below_it(self) -> None:
        text = "<!-- test: not run, it asks for a screen -->\n```console\n$ a\n```\n\n```sh\nb\n```\n"
        self.assertEqual(["not run, it asks for a screen", ""], [fence.directive for fence in self.read(text)])

    def test_an_unknown_directive_is_an_error(self) -> None:
        with self.assertRaisesRegex(PageError, "page.md:1: 'test: skip' is unknown; write"):
            self.read("<!-- test: skip -->\n```sh\na\n```\n")

    def test_quotes_that_do_not_end_are_an_error(self) -> None:
        with self.assertRaisesRegex(PageError, "page.md:7: No closing quotation"):
            list(pages.command_lines(Fence(ROOT / "page.md", 7, "sh", "./headstack run 'x\n", "")))


if __name__ == "__main__":
    os.environ.setdefault("HEADSTACK_ROOT", str(ROOT))
    unittest.main()
