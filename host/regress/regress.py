# SPDX-License-Identifier: Apache-2.0
"""headstack regress: has anything that can be observed changed, and where first?

    regress.py RUN_PROGRAM [SUITE|CASE...] [--filter NAME] [--rtl-share S] [--rtl-seed SEED] [--list]
                           [--jobs N] [--executor local|dask:ADDRESS] [--cache DIR]
                           [--against [COMMIT|FOLDER|ELF|BASELINE]] [--save BASELINE]
    regress.py RUN_PROGRAM CASE... --bless --reason TEXT
    regress.py RUN_PROGRAM add NAME --from RUN [KEY=VALUE...]

With --against, each case also runs on the program of another commit, and both runs must be equal. Without it, runs are compared
with stored ones. Every case runs on vp. A part, which the seed chooses, also runs on rtl, with the same expectations. A CASE is a name in
tests/golden, with * and ?, or a folder with a scenario.toml; a SUITE is a folder of such folders. Exit status: 0 all as expected; 1 a
case is wrong, changed, failed or without expectation; 2 a bad command line or case; 130 interrupted.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "output")]

try:
    from accepted import Accepted, CanaryRuns, ProgramRuns, StoredRuns
    from add_case import ADD, add_case, parse_add
    from against import Base, messages_since, resolve, save_baseline, uncommitted
    from bless import Blesser, Outcome, commit_of
    from case_file import FILE, Case
    from case_runs import CaseRuns, check_scenarios, shown
    from causes import causes_of, causes_text
    from check import Checker, CheckOptions
    from command_line import CommandParser
    from errors import RegressError
    from execute.errors import ExecuteError, Stopped
    from execute.places import Place, add_options, end_as_on_ctrl_c, open_place
    from execute.runs import simulator_at
    from execute.simulator import Simulator
    from execute.workplace import Workplace
    from report_github import report_to_github
    from report_junit import JUNIT_MARK, write_junit
    from report_page import PAGE_MARK, write_page
    from report_text import totals, verdict_text
    from result_files import INTERRUPTED, OutputError, alone_in, keep_others, make_folder, write_text
    from result_files import run as run_program
    from run_cache import RunCache
    from suite import Durations, carry_out, choose, on_rtl
    from timing import accept_timing, timing_lines
    from verdict import State, Verdict, failures_first
except ImportError as missing:
    print(f"headstack: error: a Python package is missing ({missing}); run ./headstack setup", file=sys.stderr)
    sys.exit(1)

RENAME = "give another name, or remove it"
EPILOG = "'headstack regress add NAME --from RUN' makes a case of the scenario of a run; --help after it tells more."
RTL_SHARE = 0.02
BASELINE = "baseline"  # where one is unpacked, in the folder of --out
SHOWN = 3  # causes that are shown on rtl, with waves, at most


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = CommandParser(
        prog="headstack regress", description=(__doc__ or "").split("\n", maxsplit=1)[0], epilog=EPILOG,
    )  # fmt: skip
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    cases = "folders, or names with * and ?; all of tests/golden"
    parser.add_argument("cases", nargs="*", metavar="SUITE|CASE", help=cases)
    parser.add_argument("--rtl-share", type=float, default=RTL_SHARE, metavar="S",
                        help="share of all commands that also run on rtl: 0 to 1 (%(default)s)")
    parser.add_argument("--rtl-seed", default="", metavar="SEED", help="seed that chooses the cases for rtl (the commit)")
    parser.add_argument("--filter", default="*", metavar="NAME", help="only cases whose names match, with * and ?")
    parser.add_argument("--list", action="store_true", help="name the cases with their [expectations], and run none")
    add_options(parser)
    parser.add_argument("--json", action="store_true", help="with --list: as JSON")
    parser.add_argument("--keep", action="store_true", help="keep the runs of cases that pass, too")
    parser.add_argument("--against", nargs="?", const="", metavar="COMMIT|FOLDER|ELF|BASELINE",
                        help="compare with the runs of this program, not with stored ones (where the branch left main; on main the parent)")
    parser.add_argument("--save", type=Path, metavar="FILE.zip", help="save program and runs as a baseline for --against")
    parser.add_argument("--bless", action="store_true", help="store the present results as the expected ones")
    parser.add_argument("--reason", default="", help="with --bless: the reason, which the case keeps")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the verdicts as JUnit XML")
    parser.add_argument("--html", type=Path, metavar="FILE", help="where the page goes (OUT/index.html)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/regress", metavar="DIR", help="folder of the runs")
    parser.add_argument("--cache", type=Path, metavar="DIR",
                        help="keep and reuse runs there (with --against and --save build/regress/cache, otherwise none are kept)")
    parser.add_argument("--firmware", type=Path, metavar="ELF", help="another drive.elf")
    arguments = parser.parse_intermixed_args(words)
    if not 0 <= arguments.rtl_share <= 1:
        parser.error("--rtl-share must be 0 to 1")
    if arguments.bless and not arguments.reason.strip():
        parser.error("--bless needs --reason TEXT: why the expected results have changed")
    if arguments.bless and not arguments.cases:
        parser.error("--bless needs the cases: names, or '*'")
    if arguments.json and not arguments.list:
        parser.error("--json goes with --list; --junit FILE has the verdicts of a run")
    if arguments.bless and (arguments.against is not None or arguments.save):
        parser.error("--bless stores runs; it does not go with --against and --save")
    if arguments.save and arguments.save.suffix != ".zip":
        parser.error("--save FILE.zip: the name must end with .zip")
    if arguments.reason and not arguments.bless:
        parser.error("--reason goes with --bless")
    return arguments


def _list(cases: list[Case], *, as_json: bool) -> None:
    kinds_of = {case.name: list(dict.fromkeys(one.kind for one in case.expectations)) for case in cases}
    if as_json:
        print(json.dumps([{"case": case.name, "platform": case.platform, "title": case.title,
                           "expectations": kinds_of[case.name]} for case in cases], indent=2))
        return
    width = max(len(case.name) for case in cases)
    for case in cases:
        kinds = ", ".join(kinds_of[case.name])
        print(f"{case.name:<{width}}  {case.platform:<6}  {case.title}{f' [{kinds}]' if kinds else ''}")


def _bless(arguments: argparse.Namespace, cases: list[Case], suite: "_Suite") -> int:
    blesser = Blesser(suite.runs, suite.checker, ROOT, arguments.reason)
    done = carry_out(
        cases, blesser.bless, suite.stop, suite.place.jobs, Durations(arguments.out),
        lambda one: one.outcome is Outcome.FAILED,
    )  # fmt: skip
    for one in done.results:
        print(f"{one.outcome.value} {one.case.name}: {one.message}")
    counts = [(outcome, sum(one.outcome is outcome for one in done.results)) for outcome in Outcome]
    print(", ".join(f"{count} {outcome.value}" for outcome, count in counts if count) or "nothing done")
    if done.interrupted:
        return INTERRUPTED
    failed = any(one.outcome is Outcome.FAILED for one in done.results)
    # Who names one case wants it blessed; of many, some may have nothing to bless.
    idle = all(one.outcome is Outcome.SAME for one in done.results)
    return 1 if failed or idle else 0


def _show(checker: Checker, verdicts: list[Verdict]) -> list[Verdict]:
    """The first case of each cause, shown on the electronics."""
    shown_on_rtl = {cause.verdicts[0].case.name for cause in causes_of(verdicts)[:SHOWN]}
    return [checker.show(one) if one.case.name in shown_on_rtl else one for one in verdicts]


def _report(arguments: argparse.Namespace, verdicts: list[Verdict], chosen: int, seconds: dict[str, float]) -> None:
    verdicts = failures_first(verdicts)
    for verdict in verdicts:
        if verdict.state is not State.PASSED:
            folder = arguments.out / verdict.case.name
            make_folder(folder)
            write_text(folder / "report.txt", verdict_text(verdict))
    causes = causes_of(verdicts)
    for cause in causes:
        # In full, the first of each: the others tell the same of another load.
        print(verdict_text(cause.verdicts[0]))
        for verdict in cause.verdicts[1:]:
            print(f"{verdict.state.value.upper()} {verdict.case.name}: {verdict.summary}")
        if cause.verdicts[1:]:
            print(f"  each with a report.txt of its own in {shown([str(arguments.out)], ROOT)}\n")
    page = arguments.html or arguments.out / "index.html"
    write_page(page, verdicts, chosen)
    if arguments.junit:
        write_junit(arguments.junit, verdicts, seconds)
    if os.environ.get("GITHUB_ACTIONS"):
        for line in report_to_github(verdicts, chosen, dict(os.environ)):
            print(line)
    print("\n".join([totals(verdicts, chosen), *causes_text(causes)]))
    lines = timing_lines(verdicts) if arguments.against is not None else []
    if lines:
        print("to accept the other times, say in the commit's message:", *lines, sep="\n  ")
    print(f"page: {page.relative_to(Path.cwd()) if page.is_relative_to(Path.cwd()) else page}")


def _run(words: list[str]) -> int:
    if words[1:2] == [ADD]:
        return _add(Path(words[0]), words[2:])
    arguments = _arguments(words)
    try:
        cases = choose(arguments.cases, ROOT / "tests/golden", arguments.filter)
    except RegressError as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 2
    if arguments.list:
        _list(cases, as_json=arguments.json)
        return 0
    arguments.out = arguments.out.resolve()
    if arguments.firmware is not None and not arguments.firmware.is_file():
        print(f"headstack: error: --firmware: there is no file {arguments.firmware}; build one", file=sys.stderr)
        return 2
    firmware = arguments.firmware.resolve() if arguments.firmware else None
    if not arguments.bless:
        keep_others(arguments.html or arguments.out / "index.html", PAGE_MARK, RENAME)
        if arguments.junit:
            keep_others(arguments.junit, JUNIT_MARK, RENAME)
    with alone_in(arguments.out):
        return _carry_out(arguments, cases, firmware)


def _add(program: Path, words: list[str]) -> int:
    arguments = parse_add(words)
    folder = add_case(arguments, Simulator(program.resolve(), ROOT), ROOT / "tests/golden", ROOT)
    print(f"{shown([str(folder / FILE)], ROOT)}: say what must hold, in tables [[expect]] (host/regress/README.md)")
    return 0


@dataclass(frozen=True)
class _Suite:
    """Where cases are run, and what looks at their runs."""

    place: Place
    stop: Callable[[], None]
    runs: CaseRuns
    checker: Checker
    cache: RunCache | None
    base: Base | None


def _say(text: str) -> None:
    print(f"headstack: {text}", file=sys.stderr, flush=True)


def _carry_out(arguments: argparse.Namespace, cases: list[Case], firmware: Path | None) -> int:
    here = Simulator(arguments.program.resolve(), ROOT, firmware)
    compares = arguments.against is not None
    try:
        base = resolve(arguments.against, ROOT, here.program, arguments.out / BASELINE, _say) if compares else None
    except RegressError as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 2
    if compares:
        _tell_base(arguments, base)
    # Runs are made at the place; what they left is judged here, and stands in the folder of --out.
    with open_place(arguments.executor, arguments.jobs, Workplace(here, {}, arguments.out)) as place:
        simulators = [simulator_at(place, here), simulator_at(place, Simulator(here.program, ROOT))]

        def stop() -> None:
            for simulator in simulators:
                simulator.stop()

        folder = arguments.cache or (ROOT / "build/regress/cache" if compares or arguments.save else None)
        cache = RunCache(folder, here) if folder else None
        runs = CaseRuns(simulators[0], cache)
        try:
            check_scenarios(cases, runs, place.jobs)
        except RegressError as error:
            print(f"headstack: error: {error}", file=sys.stderr)
            return 2
        accepted: list[Accepted] = [StoredRuns()]
        if compares:
            accepted = [CanaryRuns()]
        if base is not None:
            assert cache is not None, "with --against there is one"
            cache.add(base.entries)
            of_base = CaseRuns(simulators[1], cache, base.elf)
            changed = lru_cache(maxsize=None)(lambda: base.changed_functions(runs.elf))
            accepted.insert(0, ProgramRuns(of_base, ROOT, base.is_new, changed))
        no_base = "the base does not have it" if base else "there is no baseline" if compares else "it has no stored run"
        options = CheckOptions(arguments.keep, new_is_good=compares or bool(arguments.save), no_base=no_base)
        checker = Checker(runs, accepted, ROOT, arguments.out, options)
        suite = _Suite(place, stop, runs, checker, cache, base)
        return _bless(arguments, cases, suite) if arguments.bless else _check(arguments, cases, suite)


def _tell_base(arguments: argparse.Namespace, base: Base | None) -> None:
    if base is None:
        print(f"there is no baseline {arguments.against}: cases are judged by their expectations alone", flush=True)
        return
    print(f"against {base.name}: its firmware on today's simulator", flush=True)
    if base.commit and base.repository == ROOT and (note := uncommitted(ROOT)):
        print(note, flush=True)


def _check(arguments: argparse.Namespace, cases: list[Case], suite: _Suite) -> int:
    seed = arguments.rtl_seed or commit_of(ROOT)
    on_electronics = on_rtl(cases, arguments.rtl_share, seed)
    if on_electronics:
        count = f"{len(on_electronics)} of {len(cases)} cases, {sum(case.commands for case in on_electronics)} commands"
        print(f"on rtl, too: {count} (--rtl-seed {seed} --rtl-share {arguments.rtl_share:g})", flush=True)
    cases = cases + on_electronics
    durations = Durations(arguments.out)
    done = carry_out(
        cases, suite.checker.check, suite.stop, suite.place.jobs, durations,
        lambda verdict: not verdict.is_good,
    )  # fmt: skip
    verdicts, interrupted = done.results, done.interrupted
    try:
        verdicts = verdicts if interrupted else _show(suite.checker, verdicts)
    except (KeyboardInterrupt, Stopped):
        interrupted = True
        suite.stop()
    verdicts = accept_timing(verdicts, messages_since(suite.base.commit, suite.base.repository) if suite.base else {})
    _report(arguments, verdicts, len(cases), durations.now)
    if suite.cache is not None:
        print(f"runs: {suite.cache.counts['made']} made, {suite.cache.counts['kept']} from the cache")
    if interrupted:
        print("headstack: interrupted; the cases above are those that were done", file=sys.stderr)
        return INTERRUPTED
    if arguments.save:
        assert suite.cache is not None, "with --save there is one"
        save_baseline(arguments.save, suite.runs.elf, cases, suite.cache.used_by(suite.runs.elf))
        print(f"baseline: {arguments.save}")
    return 0 if all(verdict.is_good for verdict in verdicts) else 1


def main(words: Sequence[str] | None = None) -> int:
    """The command's exit status. Raises OSError where it cannot print."""
    end_as_on_ctrl_c()
    try:
        return _run(list(sys.argv[1:] if words is None else words))
    except (RegressError, ExecuteError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    run_program(main)
