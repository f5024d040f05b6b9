# SPDX-License-Identifier: Apache-2.0
"""Canaries: cases that keep a run, and the program that made it.

    SUITE/canary.elf.xz    the program of all canaries of a suite, without debug information
    CASE/records.csv.xz    every command's record, as the run wrote it
    CASE/ledger.txt.xz     the first events, with the core's work before each; none with ideal electronics

They guard the parts of all runs: simulator, host, libraries, this machine's compiler. As the program is stored, too, no change
of the firmware changes their runs. Events after the last completion are left out. Equal content has equal bytes; xzcat shows
it.
"""

import lzma
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from accepted import AcceptedRun
from case_file import CANARY, NATIVE, Case
from case_runs import EVENTS, LEDGER, CaseRuns
from errors import RegressError
from event_log import Ledger, ledger_text, parse_ledger
from expect.evaluate import evaluate
from function_hashes import Changed
from run_records import Record, parse_records, read_records
from source_lines import SourceLines, hash_program

from divergence import Divergence

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))
sys.path.append(str(Path(__file__).resolve().parents[2] / "firmware/tools"))

from elf import Elf  # noqa: E402
from result_files import make_folder, write_bytes  # noqa: E402

COMMAND = "./headstack regress canaries --write"
PROGRAM, RECORDS, LEDGER_FILE = "canary.elf.xz", "records.csv.xz", "ledger.txt.xz"
# A change shows in the first events of a case. Records are kept for all of its commands.
EVENTS_KEPT = 1000
OBJCOPY = "riscv64-unknown-elf-objcopy"


def unpack(file: Path) -> bytes:
    """The content of a file that compress() made. Raises RegressError."""
    try:
        return lzma.decompress(file.read_bytes())
    except OSError as error:
        raise RegressError(f"{file}: {error.strerror}; bring it back from version control, or make it with {COMMAND}") from None
    except (lzma.LZMAError, EOFError) as error:
        raise RegressError(f"{file}: cannot be unpacked ({error}); bring it back from version control") from None


def _unpack_text(file: Path) -> str:
    try:
        return unpack(file).decode("ascii")
    except UnicodeDecodeError as error:
        raise RegressError(f"{file}: cannot be unpacked ({error}); bring it back from version control") from None


def compress(content: bytes) -> bytes:
    """The compressed content. Equal content has equal bytes."""
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


@dataclass(frozen=True)
class Stored:
    """A canary's run."""

    records: list[Record]
    ledger: Ledger | None  # none with ideal electronics


def load_stored(case: Case) -> Stored:
    """The stored run of a case. Raises RegressError if a part of it is missing or broken."""
    records, ledger = case.folder / RECORDS, case.folder / LEDGER_FILE
    rows = parse_records(_unpack_text(records).splitlines(), str(records))
    return Stored(rows, None if case.platform == NATIVE else parse_ledger(_unpack_text(ledger), str(ledger)))


def kept_part(ledger: Ledger, records: Sequence[Record]) -> Ledger:
    """The part of a run that is kept."""
    end = max((record.completed_ps for record in records), default=0)
    entries = tuple(entry for entry in ledger.entries if entry.event.time_ps < end)[:EVENTS_KEPT]
    last = entries[-1].event.time_ps if entries else 0
    return Ledger(entries, tuple(issue for issue in ledger.issues if issue.time_ps <= last))


def _by_suite(cases: Sequence[Case]) -> dict[Path, list[Case]]:
    """The canaries among the cases, by suite."""
    suites: dict[Path, list[Case]] = {}
    for case in cases:
        if case.canary:
            suites.setdefault(case.folder.parent, []).append(case)
    return suites


def canaries_of(cases: Sequence[Case], folder: Path) -> list[Case]:
    """The canaries among the cases as variants for the stored programs, which are unpacked below `folder`. Raises RegressError
    and OutputError.
    """
    canaries = []
    for number, (suite, of_suite) in enumerate(_by_suite(cases).items()):
        program = folder / str(number) / "drive.elf"
        make_folder(program.parent)
        write_bytes(program, unpack(suite / PROGRAM))
        canaries += [_run_by(program, case) for case in of_suite]
    return canaries


def _run_by(program: Path, case: Case) -> Case:
    return replace(case, name=f"{case.name}.{CANARY}", variant=CANARY, program=program)


class CanaryRuns:
    """Stored runs of canaries, with the methods of Accepted."""

    remedy = f"its stored run differs, whose program is stored, too; if the simulator should have changed, {COMMAND}"

    def run_of(self, case: Case, folder: Path) -> AcceptedRun | None:
        """The stored run, as in Accepted."""
        if case.variant != CANARY:
            return None
        stored = load_stored(case)
        ledger = stored.ledger

        def stored_ledger() -> Ledger:
            assert ledger is not None, "without events there is no event that differs"
            return ledger

        return AcceptedRun(stored.records, ledger.events if ledger else [], stored_ledger, events_kept=EVENTS_KEPT)

    def explain(self, divergence: Divergence) -> Divergence:
        """The divergence without a culprit, since the program is the stored one."""
        why = "its program is the stored one: the simulator changed, or the case's trace or drive"
        return replace(divergence, why=(why, *divergence.why), culprit=None)

    def other_code(self, ran: set[str]) -> Changed | None:
        """No function: the program is the same."""
        return None


def _without_debug_information(elf: Path, out: Path) -> None:
    if not Elf(elf).sections:
        shutil.copyfile(elf, out)
        return
    line = [OBJCOPY, "--strip-debug", "--keep-file-symbols", str(elf), str(out)]
    try:
        done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        raise RegressError(f"there is no {OBJCOPY}, which makes a program small; run ./headstack setup") from None
    if done.returncode != 0 or hash_program(out) != hash_program(elf):
        raise RegressError(f"{elf}: {OBJCOPY} cannot take away its debug information: {done.stderr.strip()}")


def write_canaries(cases: Sequence[Case], runs: CaseRuns, root: Path, folder: Path) -> list[Path]:
    """Stores program and runs of the canaries among the cases. Canaries of one suite have one program. `folder` is for the
    runs.

    @return files that have changed. Raises RegressError, ExecuteError, OutputError and Stopped.
    """
    make_folder(folder)
    program = folder / "drive.elf"
    _without_debug_information(runs.elf, program)
    contents: dict[Path, bytes] = {}
    for suite, of_suite in _by_suite(cases).items():
        contents[suite / PROGRAM] = compress(program.read_bytes())
        for case in of_suite:
            contents |= _stored_files(_run_by(program, case), runs, root, folder / case.name)
    changed = [file for file, content in contents.items() if not file.is_file() or file.read_bytes() != content]
    for file in changed:
        write_bytes(file, contents[file])
    return changed


def _stored_files(case: Case, runs: CaseRuns, root: Path, folder: Path) -> dict[Path, bytes]:
    """The files of a canary's run. A run that violates an expectation is refused."""
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder)
    trace = runs.make_trace(case, folder)
    ended = runs.run(case, folder / "run", [EVENTS] if case.platform == NATIVE else [EVENTS, LEDGER])
    if ended.status != 0:
        raise RegressError(f"{case.file}: the run ended with status {ended.status}: {ended.message or 'no message'}")
    for finding in evaluate(case, trace, ended.folder):
        if not finding.holds:
            raise RegressError(f"{case.file}: {finding.headline}; expected {finding.expected}: {finding.reason}")
    files = {case.folder / RECORDS: compress((ended.folder / "records.csv").read_bytes())}
    if case.platform != NATIVE:
        file = ended.folder / "ledger.txt"
        ledger = parse_ledger(file.read_text(encoding="ascii"), str(file), SourceLines(runs.elf_of(case), root).name_of)
        files[case.folder / LEDGER_FILE] = compress(ledger_text(kept_part(ledger, read_records(ended.folder / "records.csv"))).encode())
    return files
