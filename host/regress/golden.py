# SPDX-License-Identifier: Apache-2.0
"""What a case expects, beside its scenario.toml: files of an accepted run, compressed.

    records.csv.xz   every command's record, as the run wrote it
    ledger.txt.xz    its first events with what the core did before each; addresses are left out, since they are another
                     program's as soon as the firmware is built anew. Of ideal electronics there is none

Events after the last completion are left out: either platform goes on for as long as it takes to see that all is done.

xzcat shows them. xz, because it takes two thirds of gzip's room for them; the same content gives the same bytes.
"""

import hashlib
import json
import lzma
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from case_file import Case
from errors import RegressError
from event_log import Event, Ledger, ledger_text, parse_ledger
from run_records import Record, parse_records
from source_lines import hash_program

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import write_bytes  # noqa: E402

RECORDS = "records.csv.xz"
LEDGER = "ledger.txt.xz"
HASH_DIGITS = 16
# A change shows in the first of a case's events, and records have all of its commands.
EVENTS_KEPT = 1000
Told = TypeVar("Told")


@dataclass(frozen=True)
class Expected:
    """An accepted run."""

    records: list[Record]
    ledger: Ledger | None  # not of ideal electronics


def unpack(file: Path, encoding: str = "ascii") -> str:
    """What compress() made. Raises RegressError."""
    try:
        return lzma.decompress(file.read_bytes()).decode(encoding)
    except OSError as error:
        raise RegressError(f"{file}: {error.strerror}; bring it back from version control, or --bless") from None
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise RegressError(f"{file}: cannot be unpacked ({error}); bring it back from version control") from None


def compress(text: str, encoding: str = "ascii") -> bytes:
    """The same text, the same bytes."""
    return lzma.compress(text.encode(encoding), preset=9 | lzma.PRESET_EXTREME)


def is_blessed(case: Case) -> bool:
    """There is something to compare with."""
    return (case.folder / RECORDS).exists() or (case.folder / LEDGER).exists()


def load_expected(case: Case) -> Expected:
    """Raises RegressError when a part of it is missing or broken."""
    records = parse_records(unpack(case.folder / RECORDS).splitlines(), str(case.folder / RECORDS))
    if case.platform == "native":
        return Expected(records, None)
    return Expected(records, parse_ledger(unpack(case.folder / LEDGER), str(case.folder / LEDGER)))


def compared(events: Sequence[Told], records: Sequence[Record], time_of: Callable[[Told], int]) -> list[Told]:
    """Of a whole run's events, or of what stands for them, those that are kept and compared."""
    end = max((record.completed_ps for record in records), default=0)
    return [one for one in events if time_of(one) < end][:EVENTS_KEPT]


def compared_events(events: list[Event], records: Sequence[Record]) -> list[Event]:
    """The same of an event log."""
    return compared(events, records, lambda event: event.time_ps)


def portable(ledger: Ledger, records: Sequence[Record]) -> Ledger:
    """What is kept of a run: without what another build of the same firmware changes."""
    kept = compared(ledger.entries, records, lambda entry: entry.event.time_ps)
    last = kept[-1].event.time_ps if kept else 0
    return Ledger(
        tuple(replace(entry, pc=0) for entry in kept), tuple(issue for issue in ledger.issues if issue.time_ps <= last)
    )


def store_expected(case: Case, records: str, found: Expected) -> None:
    """Puts an accepted run in the place of the one before: `records` is the file's text."""
    parts = {RECORDS: records}
    if found.ledger is not None:
        parts[LEDGER] = ledger_text(portable(found.ledger, found.records))
    for name, text in parts.items():
        write_bytes(case.folder / name, compress(text))


def hash_content(content: bytes) -> str:
    """Short."""
    return hashlib.sha256(content).hexdigest()[:HASH_DIGITS]


def hash_inputs(trace: Path, description: Path, elf: Path | None) -> str:
    """Of what a run is given, the simulator aside: "trace HASH, drive HASH, firmware HASH", the last where
    its program runs.

    Of the drive, what is said of it counts, and not how the file is written; of the firmware, the code.
    """
    drive = json.dumps(tomllib.loads(description.read_text(encoding="utf-8")), sort_keys=True)
    hashes = {"trace": trace.read_bytes(), "drive": drive.encode()}
    if elf is not None:
        hashes["firmware"] = hash_program(elf).encode()
    return ", ".join(f"{name} {hash_content(content)}" for name, content in hashes.items())


def changed_inputs(before: str, now: str) -> list[str]:
    """Which of them are others, by name."""
    return [one.split()[0] for one in now.split(", ") if one not in before.split(", ")]
