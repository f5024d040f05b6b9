# SPDX-License-Identifier: Apache-2.0
"""All commands as one tree: those of this program (own_commands.py) and those that programs describe (description.py).

The parser, `headstack help`, the man page and completion are made from it.
"""

import click
import description
from own_commands import GROUPS, OWN
from programs import PROGRAMS

# The order of `headstack help`: a heading and commands.
SECTIONS = (
    ("Begin", ("demo", "setup", "build", "test")),
    ("Drives, traces, policies", ("drive", "trace", "policy", "admission", "remap")),
    ("Runs", ("run", "debug", "compare", "report", "wave")),
    ("Measurements", ("sweep", "experiment", "fidelity", "references", "bench")),
    ("Verification", ("regress", "fuzz", "torture", "mutate", "coverage")),
    ("This command line", ("help", "man", "completion", "version")),
)
ABOUT = "A SCSI disk drive that you can stop, step through and look inside."


class Root(click.Group):
    """headstack."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands under their headings."""
        width = max(len(name) for name in self.commands)
        for heading, names in SECTIONS:
            with formatter.section(heading):
                rows = [(name.ljust(width), self.commands[name].get_short_help_str(limit=200)) for name in names]
                formatter.write_dl(rows)


@click.pass_context
def _help(ctx: click.Context, /, **_: bool) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def make_tree() -> Root:
    """A new one: descriptions may have been built since the last."""
    root = Root(
        "headstack", help=ABOUT, callback=_help, invoke_without_command=True,
        epilog="'headstack help COMMAND' lists what a command takes. HEADSTACK_PRESET=dev chooses another build.",
        params=[click.Option(["--quiet", "-q"], is_flag=True,
                             help="With any command: print neither notes nor progress, but still warnings and errors.")],
    )  # fmt: skip
    groups: dict[str, click.Group] = {"": root}
    for group in GROUPS:
        groups[group.name or ""] = group
        root.add_command(group)
    for program in PROGRAMS:
        *above, name = program.command
        described = description.load(program)
        groups[" ".join(above)].add_command(description.command_of(name, program.about, described))
    for place, command in OWN:
        groups[place].add_command(command)
    return root
