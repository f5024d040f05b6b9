# SPDX-License-Identifier: Apache-2.0
"""The commands that are no programs of their own. Each says what it does and takes; what is long is in a module of its name."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import programs
from bootstrap import RELEASE, ROOT, CommandError, become, build_folder, chosen_preset, exit_status, note, prepare, wait_for
from description import load

ALL_WORDS = {"ignore_unknown_options": True, "allow_extra_args": True}

# The commands with their place: "" is the top.
OWN: list[tuple[str, click.Command]] = []


def _presets() -> list[str]:
    """The presets of CMakePresets.json that can be built."""
    text = Path(ROOT, "CMakePresets.json").read_text(encoding="utf-8")
    section = re.search(r'"buildPresets".*?\]', text, re.DOTALL)
    return re.findall(r'"name": *"([^"]*)"', section[0]) if section else []


def own(command: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Makes a command of a function, whose doc string is the help."""
    place, _, name = command.rpartition(" ")

    def make(function: Callable[..., Any]) -> click.Command:
        made: click.Command = click.command(name, **settings)(function)
        OWN.append((place, made))
        return made

    return make


preset_option = click.option(
    "--preset", type=click.Choice(_presets()), default=chosen_preset, metavar="P",
    help=f"Preset to build: {', '.join(_presets())}. Default: HEADSTACK_PRESET, or {RELEASE}.",
)  # fmt: skip


@own("demo")
def demo_command() -> None:
    """Show two drives, then replay a real trace under two schedulers."""
    from demo import demo

    demo()


@own("setup")
def setup_command() -> None:
    """Install what is missing, and nothing else."""
    note("everything is installed")


@own("build")
@preset_option
def build_command(preset: str) -> None:
    """Install what is missing, configure and build."""
    prepare(["all"], preset)
    note(f"build/{preset} is up to date")


# Only --help: in ctest's -Rhost the letters are no options.
@own("test", context_settings={**ALL_WORDS, "help_option_names": ["--help"]})
@preset_option
@click.option("--wide", is_flag=True, help="Only the long tests, about an hour, on the release build.")
@click.argument("words", nargs=-1, metavar="[CTEST OPTION...]", type=click.UNPROCESSED)
@click.pass_context
def test_command(ctx: click.Context, preset: str, wide: bool, words: tuple[str, ...]) -> None:
    """Build, then run the tests; what follows goes to ctest: -R NAME, -L unit."""
    from testing import run_tests

    ctx.exit(run_tests(preset, words, wide=wide))


def fuzzed_formats() -> list[str]:
    """The formats in tests/fuzz/CMakeLists.txt; the first one is for detection."""
    with open(os.path.join(ROOT, "tests/fuzz/CMakeLists.txt"), encoding="utf-8") as file:
        match = re.search(r"^set\(formats ([^)]*)\)", file.read(), re.M)
    return ["detect", *(match[1].split() if match else [])]


@own("fuzz traces")
@click.option("--seconds", type=click.IntRange(1, 99_999), default=8, show_default=True, metavar="N", help="Duration for each format, in seconds.")
@click.argument("formats", nargs=-1, metavar="[FORMAT...]")
def traces_command(seconds: int, formats: tuple[str, ...]) -> None:
    """Run the trace readers on input from libFuzzer. FORMAT is a name from 'trace formats', or 'detect'."""
    known = fuzzed_formats()
    for name in formats:
        if name not in known:
            raise CommandError(f"there is no fuzzer for '{name}'; there are: {', '.join(known)}\n"
                               "  a new format is named in tests/fuzz/CMakeLists.txt")  # fmt: skip
    prepare([f"fuzz_{name}" for name in formats] or ["fuzz_traces"], "fuzz")
    folder = build_folder("fuzz")
    become([os.path.join(ROOT, "tests/fuzz/run_fuzzers.sh"), folder, str(seconds), *formats])


@own("fuzz coverage")
@click.option("--minutes", type=click.IntRange(1, 99_999), default=1, show_default=True, metavar="N")
@click.pass_context
def coverage_command(ctx: click.Context, minutes: int) -> None:
    """Run the drive on storylines that libFuzzer derives from coverage, under the sanitizers."""
    prepare(["fuzz_drive"], "fuzz")
    folder = Path(build_folder("fuzz"))
    # What it has found to reach new code stays for the next run.
    inputs, failures = folder / "drive-inputs", folder / "failures"
    for one in (inputs, failures):
        one.mkdir(parents=True, exist_ok=True)
    line = [str(folder / "tests/fuzz/fuzz_drive"), f"-fork={os.cpu_count()}", f"-max_total_time={minutes * 60}",
            "-max_len=2048", "-timeout=60", "-rss_limit_mb=4096", f"-artifact_prefix={failures}/drive-", str(inputs)]  # fmt: skip
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as fuzzer:
        assert fuzzer.stdout is not None
        for text in fuzzer.stdout:
            if b"NEW_FUNC" not in text:
                click.echo(text, nl=False)
    ctx.exit(exit_status(fuzzer.returncode))


@click.pass_context
def _all_benches(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is not None:
        return
    prepare(["all"], RELEASE)
    for program in programs.BENCHES:
        click.echo(f"\n== {program.command[-1]}")
        status = wait_for(program.line())
        if status != 0:
            ctx.exit(status)


GROUPS = (
    click.Group("experiment", help="Experiments of papers: list the declared ones, or run one."),
    click.Group("policy", help="The scheduling policies of the drive's queue: list them, or ask which one a load should have."),
    click.Group("remap", help="Maps of the drive's blocks: analyse loads, make loads and maps, apply maps."),
    click.Group("fuzz", help="Random tests: misbehaving hosts, broken traces, random loads, power cuts."),
    click.Group("bench", help="Benchmarks on the release build; without a name, all but peer.", callback=_all_benches,
                invoke_without_command=True),
)  # fmt: skip


@own("help")
@click.argument("words", nargs=-1, metavar="[COMMAND...]")
@click.pass_context
def help_command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show this list, or the options of one command."""
    found = programs.find(words)
    # Of one that is not built yet nobody knows what is below it.
    if found is not None and load(found[0]) is None:
        found[0].help(found[1])
    context = ctx.find_root()
    for word in words:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"'{' '.join(words)}': '{context.command_path}' has no commands below it")
        name, command, _ = group.resolve_command(context, [word])
        assert command is not None, "an unknown name is an error"
        context = click.Context(command, parent=context, info_name=name, **command.context_settings)
    if found is not None:
        found[0].help(found[1])
    click.echo(context.get_help())


@own("man")
@click.option("--roff", is_flag=True, help="Print the page's source, to keep it: headstack man --roff > headstack.1")
def man_command(roff: bool) -> None:
    """The manual page: every command, every option."""
    from man_page import man_page
    from tree import make_tree

    prepare(["command_descriptions"], RELEASE)
    page = man_page(make_tree())
    if roff:
        click.echo(page, nl=False)
        return
    # Without a pager, nobody tells of what could not be printed: then the page comes back here.
    is_kept = not sys.stdout.isatty()
    try:
        done = subprocess.run(["man", "-l", "-"], input=page, text=True, check=False, stdout=subprocess.PIPE if is_kept else None)
    except FileNotFoundError:
        raise CommandError("there is no program 'man' here\n  apt-get install man-db, or keep the page: headstack man "
                           "--roff > headstack.1") from None  # fmt: skip
    if is_kept:
        click.echo(done.stdout, nl=False)
    if done.returncode != 0:
        raise CommandError(f"man ended with {done.returncode}; see above, or keep the page: headstack man --roff > headstack.1")


@own("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh"]))
def completion_command(shell: str) -> None:
    """A script that completes this command line: source <(./headstack completion bash)"""
    from completion import script

    click.echo(script(shell), nl=False)


@own("version")
def version_command() -> None:
    """The version, and the commit."""
    lists = Path(ROOT, "CMakeLists.txt").read_text(encoding="utf-8")
    number = re.search(r"^project\(headstack VERSION ([0-9.]+)", lists, re.MULTILINE)
    described = subprocess.run(
        ["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    click.echo(f"headstack {number[1] if number else 'unknown'}{f' ({described})' if described else ''}")
