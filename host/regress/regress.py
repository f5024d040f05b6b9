# SPDX-License-Identifier: Apache-2.0
"""headstack regress: has anything that can be observed changed, and where first?

    regress.py RUN_PROGRAM [SUITE|CASE...] [--filter NAME] [--rtl-share S] [--rtl-seed SEED] [--list]
                           [--jobs N] [--executor local|dask:ADDRESS] [--cache DIR]
                           [--against [COMMIT|FOLDER|ELF|BASELINE]] [--save BASELINE]
    regress.py RUN_PROGRAM canaries [SUITE|CASE...] [--write]
    regress.py RUN_PROGRAM add NAME --from RUN [KEY=VALUE...]

Every case runs on vp, and must meet its expectations. With --against, each case also runs on the program of another commit, and both
runs must be equal. A part, which the seed chooses, also runs on rtl, and must do the same as on vp. Canaries are also run by the
program that is stored with them, and compared with their stored runs. A CASE is a name in tests/golden, with * and ?, or a folder with
a scenario.toml; a SUITE is a folder of such folders. Exit status: 0 all as expected; 1 a case is wrong, changed, failed or without
expectation; 2 a bad command line or case; 130 interrupted.
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
    from accepted import Accepted, ProgramRuns, SimulatorRuns, VpRuns, on_both_simulators
    from add_case import ADD, add_case, parse_add
    from against import Base, git, messages_since, resolve, save_baseline, simulator_changed, uncommitted
    from canaries import CanaryRuns, canaries_of, write_canaries
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
    from timing import accept_all_times, accept_timing, timing_lines
    from verdict import State, Verdict, failures_first
except ImportError as missing:
    print(f"headstack: error: a Python package is missing ({missing}); run ./headstack setup", file=sys.stderr)
    sys.exit(1)

RENAME = "give another name, or remove it"
EPILOG = """'headstack regress add NAME --from RUN' makes a case of the scenario of a run; --help after it tells more.
'headstack regress canaries' runs the canaries by their stored program alone; with --write it stores program and runs anew."""
NO_BLESSING = "--bless: no run is stored; compare with another firmware (--against), and say the change in the commit's message"
CANARIES = "canaries"  # a word in front of the cases, and a folder in that of --out
RTL_SHARE = 0.02
BASELINE = "baseline"  # folder in that of --out, where a baseline is unpacked
SHOWN = 3  # causes that are shown on rtl, with waves, at most


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = CommandParser(
        prog="headstack regress", description=(__doc__ or "").split("\n", maxsplit=1)[0], epilog=EPILOG,
    )  # fmt: skip
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    cases = "folders of suites, or names of cases with * and ? (default: all of tests/golden)"
    parser.add_argument("cases", nargs="*", metavar="SUITE|CASE", help=cases)
    parser.add_argument("--rtl-share", type=float, default=RTL_SHARE, metavar="S",
                        help="fraction of all commands that run on rtl, too: 0 to 1 (%(default)s)")
    parser.add_argument("--rtl-seed", default="", metavar="SEED", help="seed for the choice of the cases that run on rtl (default: the commit)")
    parser.add_argument("--filter", default="*", metavar="NAME", help="pattern with * and ? that names of cases must match")
    parser.add_argument("--list", action="store_true", help="list the cases with their [expectations], and run none")
    add_options(parser)
    parser.add_argument("--json", action="store_true", help="with --list: print the list as JSON")
    parser.add_argument("--keep", action="store_true", help="keep the runs of cases that pass, too")
    parser.add_argument("--against", nargs="?", const="", metavar="COMMIT|FOLDER|ELF|BASELINE",
                        help="program whose runs are the base of comparison (default: where the branch left main; on main, the parent commit)")
    parser.add_argument("--whole", action="store_true", help="with --against: build the base's simulator as well, and compare both simulators")
    parser.add_argument("--accept-times", action="store_true", help="with --against: changed times are reported, but do not fail the command")
    parser.add_argument("--save", type=Path, metavar="FILE.zip", help="save program and runs as a baseline for --against")
    parser.add_argument("--write", action="store_true", help="with 'canaries': store the program and the runs of the complete suite")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the verdicts as JUnit XML")
    parser.add_argument("--html", type=Path, metavar="FILE", help="file for the page (OUT/index.html)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/regress", metavar="DIR", help="folder for the runs")
    parser.add_argument("--cache", type=Path, metavar="DIR",
                        help="folder in which runs are kept for reuse (default: build/regress/cache with --against and --save, otherwise none)")
    parser.add_argument("--firmware", type=Path, metavar="ELF", help="drive.elf to run in place of the build's own")
    if any(word.partition("=")[0] == "--bless" for word in words):
        parser.error(NO_BLESSING)
    is_canaries = words[1:2] == [CANARIES]
    arguments = parser.parse_intermixed_args([*words[:1], *words[2:]] if is_canaries else words)
    arguments.canaries = is_canaries
    if not 0 <= arguments.rtl_share <= 1:
        parser.error("--rtl-share must be 0 to 1")
    if arguments.json and not arguments.list:
        parser.error("--json goes with --list; --junit FILE has the verdicts of a run")
    if arguments.write and not is_canaries:
        parser.error("--write goes with 'canaries'")
    if is_canaries and (arguments.against is not None or arguments.save):
        parser.error("canaries are compared with their stored runs; --against and --save do not go with that")
    for option in ("accept_times", "whole"):
        if getattr(arguments, option) and arguments.against is None:
            parser.error(f"--{option.replace('_', '-')} goes with --against")
    if arguments.save and arguments.save.suffix != ".zip":
        parser.error("--save FILE.zip: the name must end with .zip")
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


def _write(cases: list[Case], suite: "_Suite", out: Path) -> int:
    """Stores the canaries of the cases' suites anew."""
    suites = sorted({str(case.folder.parent) for case in cases})
    cases = choose(suites, ROOT / "tests/golden")
    changed = write_canaries(cases, suite.runs, ROOT, out / CANARIES / "fresh")
    for file in changed:
        print(f"written: {shown([str(file)], ROOT)}")
    if not changed:
        print("each canary is as it is stored")
    return 0


def _show(checker: Checker, verdicts: list[Verdict]) -> list[Verdict]:
    """Shows the first case of each cause on the electronics."""
    shown_on_rtl = {cause.verdicts[0].case.name for cause in causes_of(verdicts)[:SHOWN]}
    return [checker.show(one) if one.case.name in shown_on_rtl else one for one in verdicts]


def _report(
    arguments: argparse.Namespace, verdicts: list[Verdict], chosen: int, seconds: dict[str, float], lines: list[str]
) -> None:
    """Prints the verdicts. `lines` accept the other times."""
    verdicts = failures_first(verdicts)
    for verdict in verdicts:
        if verdict.state is not State.PASSED:
            folder = arguments.out / verdict.case.name
            make_folder(folder)
            write_text(folder / "report.txt", verdict_text(verdict))
    causes = causes_of(verdicts)
    for cause in causes:
        # The first verdict of each cause is printed in full. The others have the same cause under another load.
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
    if arguments.canaries:
        cases = [case for case in cases if case.canary]
        if not cases:
            print("headstack: error: none of these cases is a canary; write 'canary = true' in its [regress]", file=sys.stderr)
            return 2
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
    """The place where cases run, and the checker of their runs."""

    place: Place
    stop: Callable[[], None]
    runs: CaseRuns
    checker: Checker
    caches: list[RunCache]
    base: Base | None


def _say(text: str) -> None:
    print(f"headstack: {text}", file=sys.stderr, flush=True)


def _carry_out(arguments: argparse.Namespace, cases: list[Case], firmware: Path | None) -> int:
    here = Simulator(arguments.program.resolve(), ROOT)
    compares = arguments.against is not None
    try:
        base = _base(arguments, here) if compares else None
    except RegressError as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 2
    # Runs are made at the place. Their results are judged here, in the folder of --out.
    with open_place(arguments.executor, arguments.jobs, Workplace(here, {}, arguments.out)) as place:
        simulators = [simulator_at(place, here)]

        def stop() -> None:
            for simulator in simulators:
                simulator.stop()

        folder = arguments.cache or (ROOT / "build/regress/cache" if compares or arguments.save else None)
        cache = RunCache(folder, here) if folder else None
        caches = [cache] if cache else []
        runs = CaseRuns(simulators[0], cache, firmware)
        try:
            check_scenarios(cases, runs, place.jobs)
        except RegressError as error:
            print(f"headstack: error: {error}", file=sys.stderr)
            return 2
        accepted: list[Accepted] = [VpRuns(runs, ROOT), CanaryRuns()]
        if base is not None:
            assert cache is not None, "with --against there is one"
            cache.add(base.entries)
            of_base = CaseRuns(simulators[0], cache, base.elf)
            changed = lru_cache(maxsize=None)(lambda: base.changed_functions(runs.elf))
            accepted.append(ProgramRuns(of_base, ROOT, base.is_new, changed))
            if base.simulator is not None:
                other = Simulator(base.simulator, base.root)
                simulators.append(other)  # the place has today's simulator
                caches.append(RunCache(cache.folder, other))
                accepted.append(SimulatorRuns(CaseRuns(simulators[-1], caches[-1], base.elf), ROOT))
        no_base = "the base does not have it" if base else "there is no base" if compares else ""
        checker = Checker(runs, accepted, ROOT, arguments.out, CheckOptions(arguments.keep, no_base))
        suite = _Suite(place, stop, runs, checker, caches, base)
        return _write(cases, suite, arguments.out) if arguments.write else _check(arguments, cases, suite)


def _base(arguments: argparse.Namespace, here: Simulator) -> Base | None:
    """The base that --against names; None if expectations judge alone. Prints what it is. Raises RegressError for an unknown
    base.
    """
    why = f"there is no baseline {arguments.against}"
    try:
        base = resolve(arguments.against, ROOT, here.program, arguments.out / BASELINE, _say, whole=arguments.whole)
    except RegressError as error:
        if arguments.against:
            raise
        # The default base may be missing: a clone may have no history, and a commit another interface.
        base, why = None, f"there is no base ({str(error).removeprefix('--against: ')})"
    if base is None:
        print(f"{why}: cases are judged by their expectations alone", flush=True)
        return None
    print(f"against {base.name}: its firmware on today's simulator", flush=True)
    if base.simulator is not None:
        print("and on its own simulator: *.simulator", flush=True)
    if base.commit and base.repository == ROOT:
        if note := uncommitted(ROOT):
            print(note, flush=True)
        if base.simulator is None and simulator_changed(base.commit, ROOT):
            print("the simulator has changed since then, and is not judged; --whole judges it, too", flush=True)
    return base


def _check(arguments: argparse.Namespace, cases: list[Case], suite: _Suite) -> int:
    canaries = canaries_of(cases, arguments.out / CANARIES)
    both = on_both_simulators(cases, suite.base.elf) if suite.base and suite.base.simulator else []
    cases = canaries if arguments.canaries else cases + canaries
    seed = arguments.rtl_seed or git(ROOT, "rev-parse", "--short=10", "HEAD")
    on_electronics = on_rtl(cases, arguments.rtl_share, seed)
    if on_electronics:
        count = f"{len(on_electronics)} of {len(cases)} cases, {sum(case.commands for case in on_electronics)} commands"
        print(f"on rtl, too: {count} (--rtl-seed {seed} --rtl-share {arguments.rtl_share:g})", flush=True)
    cases = cases + on_electronics + both
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
    lines = timing_lines(verdicts) if arguments.against is not None else []
    if arguments.accept_times:
        verdicts = accept_all_times(verdicts)
    _report(arguments, verdicts, len(cases), durations.now, lines)
    if suite.caches:
        made, kept = (sum(cache.counts[what] for cache in suite.caches) for what in ("made", "kept"))
        print(f"runs: {made} made, {kept} from the cache")
    if interrupted:
        print("headstack: interrupted; the cases above are those that were done", file=sys.stderr)
        return INTERRUPTED
    if arguments.save:
        save_baseline(arguments.save, suite.runs.elf, cases, suite.caches[0].used_by(suite.runs.elf))
        print(f"baseline: {arguments.save}")
    return 0 if all(verdict.is_good for verdict in verdicts) else 1


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command. Returns its exit status. Raises OSError where it cannot print."""
    end_as_on_ctrl_c()
    try:
        return _run(list(sys.argv[1:] if words is None else words))
    except (RegressError, ExecuteError, OutputError) as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    run_program(main)
