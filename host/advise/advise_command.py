# SPDX-License-Identifier: Apache-2.0
"""Advises which policy a load should have: runs every candidate on the drive's own electronics, and compares them.

    advise_command.py RUN_PROGRAM TRACE|FILE.toml [KEY=VALUE ...] [--policies POLICY,...] [--by CRITERION] [--requests N] [--json]
                                  [--jobs N] [--executor local|dask:ADDRESS] [--store DIR]

Exit status: 0 done; 1 unusable input, or a run failed; 2 a bad command line; 130 interrupted. Finished runs are kept, and the
same command continues.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "sweep"), str(HERE.parent), str(HERE.parent / "output")]

try:
    from advice import CRITERIA, LONGEST, MEAN, MISSED, TAIL, Advice, Candidate, advise, criterion_of, sentences
    from axes import Axis, Declaration, Value, toml_of
    from candidate_run import make
    from command_line import CommandParser
    from execute.errors import ExecuteError
    from execute.places import add_options, end_as_on_ctrl_c
    from execute.simulator import Simulator
    from result_files import INTERRUPTED, run
    from scenarios import table_value
    from sweep_command import carry_out_here, note, status_of, tell
    from sweep_errors import SweepError, WordError
    from sweep_runs import make_plan
    from sweep_table import Table
except ImportError as missing:
    print(f"headstack: error: a Python package is missing ({missing}); run ./headstack setup", file=sys.stderr)
    sys.exit(1)

REQUESTS = 10_000
MOST_OUT = 5_120  # firmware/queue/task_set.h: TASK_SET_CAPACITY
POLICY = "settings.policy"
DEADLINES = ("deadlines", "settings.deadlines")
EPILOG = """\
Examples: headstack policy advise my.trace drive=cheetah_9lp depth=32
          headstack policy advise my.toml --policies fcfs,stf,wstf:m=1 --by p999
"""


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parses the command line."""
    parser = CommandParser(
        prog="headstack policy advise", description=(__doc__ or "").splitlines()[0], epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("load", metavar="TRACE|FILE.toml", help="I/O trace, or a scenario that has a load")
    parser.add_argument("words", nargs="*", metavar="KEY=VALUE", help="settings, as 'headstack run' takes them: drive, depth, cache")
    parser.add_argument("--policies", metavar="POLICY,...", help="candidates, as the key settings.policy takes them (default: every policy)")
    parser.add_argument("--by", choices=tuple(CRITERIA), help="what counts (default: missed if requests have deadlines, else mean)")
    parser.add_argument("--requests", type=int, default=REQUESTS, metavar="N", help=f"the first N requests of the load count (default: {REQUESTS})")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--store", type=Path, metavar="DIR", help="folder of finished runs, which are reused (default: build/sweep/store)")
    add_options(parser)
    options = parser.parse_intermixed_args(arguments)
    if options.requests < 1:
        parser.error(f"--requests {options.requests}: give a whole number from 1")
    return options


def every_policy(simulator: Simulator) -> list[str]:
    """The names of all policies. Raises ExecuteError."""
    status, output, message = simulator.call(simulator.program.with_name("headstack"), ["policy", "list", "--json"])
    if status != 0:
        raise ExecuteError(f"policy list: {message.strip() or f'status {status}'}; run ./headstack build")
    return [one["name"] for one in json.loads(output)]


def candidates_of(text: str | None, simulator: Simulator) -> list[str]:
    """The candidates of the command line, or every policy. Raises WordError and ExecuteError."""
    if text is None:
        return every_policy(simulator)
    named: list[str] = []
    for part in text.split(","):
        # A comma in front of a parameter or a flag belongs to the policy before it.
        if named and ":" in named[-1] and ("=" in part or part not in every_policy(simulator)):
            named[-1] += f",{part}"
        else:
            named.append(part)
    if "" in named or len(set(named)) != len(named):
        raise WordError(f"--policies {text}: give different policies, with commas between them; 'headstack policy list' has all")
    return named


def settings_of_trace(trace: str, words: Sequence[str], simulator: Simulator) -> list[str]:
    """The settings for a trace, as far as the words leave them open.

    Of a trace with times all requests go to the drive as they come. If requests have deadlines or classes, hosts send them.
    """
    settings = [f"load.trace={toml_of(trace)}"]
    status, output, _ = simulator.call(simulator.program.with_name("headstack"), ["trace", "info", trace, "--json"])
    if status != 0:
        return settings  # What is wrong with a trace is the run's to say.
    info = json.loads(output)
    if info["loop"] == "open" and not is_given("depth", "hosts.depth", words):
        settings.append(f"depth={MOST_OUT}")
    if (info["requests_with_deadline"] or info["classes"]) and not is_given(*DEADLINES, words):
        settings.append(f"{DEADLINES[0]}=message")
    return settings


def is_given(short: str, path: str, words: Sequence[str]) -> bool:
    """Whether one of the words sets a key, by its short name or its path."""
    return any(word.startswith((f"{short}=", f"{path}=")) for word in words)


def declaration_for(
    load: str, words: Sequence[str], policies: Sequence[str], requests: int, simulator: Simulator
) -> Declaration:
    """A run of each candidate. Raises WordError and ExecuteError."""
    for word in words:
        if "=" not in word:
            raise WordError(f"'{word}' is no setting; write KEY=VALUE, as in drive=cheetah_9lp")
    is_scenario = load.endswith(".toml")
    constants = [] if is_scenario else settings_of_trace(load, words, simulator)
    axis = Axis(POLICY, POLICY, tuple(Value(policy, toml_of(policy)) for policy in policies))
    return Declaration(load if is_scenario else "", (*constants, "platform=vp", f"load.limit={requests}", *words, axis))


def result_of(table: Table, by: str | None) -> Advice:
    """The advice from a table's runs, of which there is at least one."""
    candidates = [Candidate(table.axes[0].values[row.places[0]].text, row.figures) for row in table.rows]
    return advise(candidates, CRITERIA[by] if by else criterion_of(candidates))


def table_text(advice: Advice) -> str:
    """A line for each candidate, from the best to the worst."""
    columns = [MEAN, TAIL, LONGEST, *([MISSED] if advice.best.figures["with_deadline"] else [])]
    heads = ["policy", *(f"{one.words}, {one.unit.partition(' ')[0]}" for one in columns), "commands/s", "more than the best"]
    rows = []
    for candidate in advice.ranked:
        found = None if candidate is advice.best else advice.difference(candidate)
        form = advice.criterion.form
        beside = "" if found is None else f"+{form.format(found.mean)} ± {form.format(found.half)}"
        beside += "" if found is None or advice.is_told_from(candidate) else " ?"
        values = [one.form.format(candidate.value(one)) for one in columns]
        rows.append([candidate.name, *values, f"{candidate.figures['commands_per_second']:.1f}", beside])
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    lines = []
    for row in [heads, *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    note = "?: the interval has 0 in it, so the two cannot be told apart.\n" if any("?" in row[-1] for row in rows) else ""
    return "\n".join(lines) + "\n" + note


def to_json(advice: Advice) -> dict[str, Any]:
    """The advice as plain data."""
    second = advice.second
    found = None if second is None else advice.difference(second)
    return {
        "criterion": advice.criterion.name,
        "best": advice.best.name,
        "alike": [one.name for one in advice.alike],
        "second": second and second.name,
        "difference": found and {"mean": found.mean, "half": found.half},
        "told": bool(second and advice.is_told_from(second)),
        "candidates": [{"policy": one.name} | one.figures for one in advice.ranked],
    }


def make_advice(options: argparse.Namespace, simulator: Simulator) -> int:
    """Makes the runs and prints the advice. Returns the exit status. Raises SweepError, ExecuteError and OutputError."""
    policies = candidates_of(options.policies, simulator)
    plan = make_plan(simulator, declaration_for(options.load, options.words, policies, options.requests, simulator), options.jobs)
    table = carry_out_here(simulator, plan, options, make)
    tell("warning", table.remarks)
    tell("error", [(failure.name, failure.message) for failure in table.failures])
    if not table.rows:
        raise SweepError("no candidate's run ended well, so there is no advice")
    advice = result_of(table, options.by)
    if options.json:
        print(json.dumps(to_json(advice), indent=1))
    else:
        print("\n".join(sentences(advice)) + f"\n\n{table_text(advice)}", end="")
    if advice.best.figures["with_deadline"] and table_value(plan.points[0].scenario, DEADLINES[1]) is None:
        note("the requests have deadlines, but the hosts do not send them to the drive; deadlines=message sends them")
    waited = max(one.figures["waited_in_host"] for one in advice.ranked)
    if waited:
        note(f"up to {waited:,} requests waited in their hosts, where no policy chooses; a greater depth=N gives the drive more")
    if table.interrupted:
        print(f"headstack: interrupted with {len(table.rows)} of {table.wanted} candidates; the same command continues", file=sys.stderr)
        return INTERRUPTED
    return 1 if table.failures else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: this file's head lists them."""
    options = parse_arguments(arguments)
    end_as_on_ctrl_c()
    return status_of(lambda: make_advice(options, Simulator(options.program.resolve(), ROOT)))


if __name__ == "__main__":
    run(main)
