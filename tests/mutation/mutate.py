# SPDX-License-Identifier: Apache-2.0
"""Mutation run: puts small faults into firmware and electronics, and counts which the tests notice.

Each area of mutation.toml has files, and tests that are to hold them. It builds a seeded sample of the mutants, one at a time, in
a copy of the tree under build/mutation. Each is tested until a test fails. Results are kept; a run that was interrupted continues
where it stopped.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import queue
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import TextIO

from config import Area, Config, Equivalent, load_config, load_equivalents
from errors import MutationError
from mutant import Mutant
from operators import mutants_of, siblings_in
from plan import load_plan
from results import SURVIVED, Results, Row, Score, missing, score, table, table_rows
from parse import language_of, parse
from tree import prepare
from trial import Bench, Trial

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "host/output"))

from command_line import CommandParser  # noqa: E402
from result_files import run as run_program  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "host"))

from execute.sweep import Failed, Sweep, carry_out  # noqa: E402

DEFAULT_SEED = 16


def all_mutants(config: Config, root: Path, area: Area) -> list[Mutant]:
    siblings = siblings_in([
        (language_of(str(p)), p.read_text()) for pattern in config.enumerations for p in sorted(root.glob(pattern))])
    found = []
    for file in area.files:
        source = parse(file, (root / file).read_text(), config.rules)
        found += mutants_of(source, config.operators[source.language], siblings)
    return [m for m in found if not is_excluded(m, config)]


def is_excluded(mutant: Mutant, config: Config) -> bool:
    return any(fnmatch(mutant.file, row.files) and re.search(row.pattern, mutant.before) for row in config.excluded)


def in_order(mutants: list[Mutant], seed: int) -> list[Mutant]:
    """The order of the sample. It is by a hash, so a new or missing mutant moves no other one."""
    return sorted(mutants, key=lambda m: hashlib.sha1(f"{seed} {m.id}".encode()).digest())


def stale(equivalents: list[Equivalent], mutants: list[Mutant]) -> list[Equivalent]:
    """The reviewed mutants that are no longer made: their code has changed, and must be reviewed again."""
    known = {(m.file, m.operator, m.function, m.before, m.after, m.nth) for m in mutants}
    return [e for e in equivalents if (e.file, e.operator, e.function, e.before, e.after, e.nth) not in known]


def entry_of(mutant: Mutant) -> str:
    """The mutant's entry for equivalent.toml. Strings in JSON are strings in TOML, too."""
    keys = ["file", "operator", "function", "before", "after", "nth"]
    values = {key: getattr(mutant, key) for key in keys if getattr(mutant, key)}
    return "\n".join(["[[equivalent]]", *(f"{k} = {json.dumps(v)}" for k, v in values.items()), 'reason = ""'])


class AreaRun:
    """One area's mutants, in the order of the sample, with their verdicts so far."""

    def __init__(self, area: Area, order: list[Mutant], wanted: int, bench: Bench, results: Results,
                 equivalents: list[Equivalent], keep_kills: bool) -> None:
        self.area, self.order, self.wanted = area, order, wanted
        self.bench, self.results, self.equivalents, self.keep_kills = bench, results, equivalents, keep_kills
        self.fingerprint = bench.fingerprint()
        self.texts = {f: (bench.plan.tree / f).read_text() for f in area.files}
        self.digests = {f: hashlib.sha1(t.encode()).hexdigest()[:16] for f, t in self.texts.items()}
        self.lock = threading.Lock()

    def row(self, mutant: Mutant) -> Row | None:
        return self.results.find(
            self.area.name, mutant, self.digests[mutant.file], self.fingerprint, self.keep_kills)

    def rows(self) -> dict[str, Row]:
        return {m.id: row for m in self.order if (row := self.row(m)) is not None}

    def score(self) -> Score:
        return score(self.area.name, self.order, self.wanted, self.rows(), self.equivalents)

    def try_one(self, mutant: Mutant, worker: int) -> Row:
        with self.lock:
            known = self.results.verdicts_by_code(self.area.name, self.fingerprint)
        verdict = Trial(self.bench, worker).judge(mutant, mutant.apply(self.texts[mutant.file]), known)
        row = Row(
            self.area.name, mutant.id, self.digests[mutant.file], self.fingerprint, verdict.status, verdict.by,
            verdict.code, verdict.seconds, mutant.describe())
        with self.lock:
            self.results.add(row)
        return row

    def run(self, jobs: int) -> None:
        """Tries mutants until enough of them count. @raise KeyboardInterrupt: it was stopped; the verdicts so far are
        kept.
        """
        begun, tried = time.monotonic(), 0
        workers: queue.SimpleQueue[int] = queue.SimpleQueue()  # the folders that are free
        for worker in range(jobs):
            workers.put(worker)

        def work(mutant: Mutant) -> Row:
            worker = workers.get()
            try:
                return self.try_one(mutant, worker)
            finally:
                workers.put(worker)

        def tell(mutant: Mutant, row: Row) -> None:
            nonlocal tried
            tried += 1
            self._say(mutant, row, (time.monotonic() - begun) / tried)

        while next_ones := missing(self.order, self.wanted, self.rows(), self.equivalents):
            sweep = Sweep(next_ones, work, name=Mutant.describe, key=lambda mutant: mutant.id, tell=tell, noun="mutants")
            try:
                with ThreadPoolExecutor(jobs) as pool:
                    done = carry_out(sweep, pool, self.bench.stopping.set)
            except Failed as failed:
                raise failed.error from None
            if done.interrupted:
                raise KeyboardInterrupt

    def _say(self, mutant: Mutant, row: Row, seconds_each: float) -> None:
        print(
            f"{self.area.name} {len(self.rows())} tried, {self.wanted or len(self.order)} wanted: {row.status:13} "
            f"{mutant.file}:{mutant.line} {mutant.operator} {row.by}  [{seconds_each:.1f} s each]", flush=True)


def read_arguments(words: list[str] | None, config: Config) -> argparse.Namespace:
    parser = CommandParser(prog="headstack mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("areas", nargs="*", metavar="AREA", help="areas to mutate, as in firmware/queue or 'hdl/*' (default: all)")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help=f"seed of the sample (default: {DEFAULT_SEED})")
    parser.add_argument("--sample", help="number of mutants to try per area, or `all` (default: from mutation.toml)")
    parser.add_argument("--files", metavar="PATTERN", help="pattern of the files to which mutants are limited")
    parser.add_argument("--jobs", type=int, default=1, help="number of mutants tried in parallel (default: 1)")
    parser.add_argument("--keep-kills", action="store_true", help="keep kills that other builds of the tests recorded")
    parser.add_argument("--list", action="store_true", help="list the mutants in the sample's order, and try none")
    parser.add_argument("--score", action="store_true", help="print the table of the mutants tried so far, and try none")
    parser.add_argument("--only", metavar="ID", help="mutant to try alone; it is printed as well")
    parser.add_argument("--review", metavar="ID", help="mutant whose entry for equivalent.toml is printed, without its reason")
    parser.add_argument("--json", action="store_true", help="print the table as JSON; all other output goes to standard error")
    parser.add_argument("--table", type=Path, metavar="FILE", help="file to which the table is written as well")
    arguments = parser.parse_args(words)
    names = [a.name for a in config.areas]
    for pattern in arguments.areas:
        if not any(fnmatch(name, pattern) for name in names):
            raise MutationError(f"there is no area '{pattern}'; remedy: use {', '.join(names)}")
    if arguments.sample not in (None, "all") and not (arguments.sample.isdigit() and int(arguments.sample) > 0):
        raise MutationError(f"--sample '{arguments.sample}' is no number of mutants; remedy: write --sample 60, or all")
    if arguments.jobs < 1:
        raise MutationError("--jobs must be 1 or more")
    return arguments


def wanted_of(area: Area, sample: str | None) -> int:
    return area.sample if sample is None else 0 if sample == "all" else int(sample)


def main(words: list[str] | None = None, root: Path = ROOT, here: Path = HERE) -> int:
    """@param root: the tree's root. @param here: the folder of mutation.toml and equivalent.toml."""
    config = load_config(here / "mutation.toml", root)
    equivalents = load_equivalents(here / "equivalent.toml")
    arguments = read_arguments(words, config)
    areas = [a for a in config.areas if not arguments.areas or any(fnmatch(a.name, p) for p in arguments.areas)]
    orders = {a.name: in_order(all_mutants(config, root, a), arguments.seed) for a in areas}
    refuse_stale(areas, orders, equivalents)
    if arguments.files:
        orders = {name: [m for m in order if fnmatch(m.file, arguments.files)] for name, order in orders.items()}
    if wanted := arguments.only or arguments.review:
        orders = {name: [m for m in order if m.id == wanted] for name, order in orders.items()}
        areas = [a for a in areas if orders[a.name]]
        if not areas:
            raise MutationError(f"there is no mutant '{wanted}' in these areas; remedy: --list prints them")
    if arguments.review:
        print(entry_of(orders[areas[0].name][0]))
        return 0
    if arguments.list:
        for area in areas:
            print("\n".join(m.describe() for m in orders[area.name]))
        return 0
    with contextlib.redirect_stdout(sys.stderr) if arguments.json else contextlib.nullcontext():
        print(f"seed {arguments.seed}", flush=True)
        with take_lock(root / "build" / "mutation"):
            scores = [run_area(area, orders[area.name], root, arguments, equivalents) for area in areas]
        report(scores, arguments)
        below = [s for s in scores if s.percent < config.target_percent]
        if below:
            print(f"below the target of {config.target_percent} %: {', '.join(s.area for s in below)}")
    if arguments.json:
        print(json.dumps(table_rows(scores), indent=2))
    return 0 if not below and all(s.is_complete() for s in scores) else 1


def take_lock(folder: Path) -> TextIO:
    """Locks the copy of the tree, so that only one run changes it. @return the lock, which also ends with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise MutationError(f"another mutation run works in {folder}; remedy: wait for it, or end it") from None
    return lock


def refuse_stale(areas: list[Area], orders: dict[str, list[Mutant]], equivalents: list[Equivalent]) -> None:
    files = {f for a in areas for f in a.files}
    made = [m for order in orders.values() for m in order]
    old = stale([e for e in equivalents if e.file in files], made)
    if old:
        lines = "\n".join(f"  {e.file} {e.function} {e.operator}: {e.before}  ->  {e.after}" for e in old)
        raise MutationError(
            f"equivalent.toml has mutants that are not made any more, because their code has changed:\n{lines}\n"
            "remedy: review them again, then mend or take out their entries")


def run_area(area: Area, order: list[Mutant], root: Path, arguments: argparse.Namespace,
             equivalents: list[Equivalent]) -> Score:
    out = root / "build" / "mutation"
    tree = out / "tree"
    names = [t.name for t in area.tests if not t.is_lint]
    build = prepare(root, tree, names, 2)
    plan = load_plan(tree, build, names, [t.name for t in area.tests if t.is_lint])
    bench = Bench(plan, area, out / "work" / area.name.replace("/", "_"))
    run = AreaRun(
        area, order, wanted_of(area, arguments.sample), bench, Results(out / "results.jsonl"),
        [] if arguments.only else equivalents, arguments.keep_kills)
    if not arguments.score and not run.score().is_complete():
        bench.measure()
        run.run(arguments.jobs)
    return run.score()


def report(scores: list[Score], arguments: argparse.Namespace) -> None:
    for s in scores:
        for mutant in s.survivors:
            print(f"{SURVIVED}: {mutant.describe()}")
    for s in scores:
        if s.tried:
            print(f"{s.area}: {s.seconds / s.tried:.1f} s per mutant tried")
    text = table(scores, arguments.seed)
    print(text)
    if arguments.table:
        arguments.table.write_text(text)


def program() -> int:
    try:
        return main()
    except MutationError as error:
        print(f"headstack mutate: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("headstack mutate: ended; the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    run_program(program)
