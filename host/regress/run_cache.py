# SPDX-License-Identifier: Apache-2.0
"""A cache of runs, addressed by all their inputs: scenario, program, simulator.

The address of a run is SHA-256 of these (execute/store.py):

- the scenario's canonical text, with each file replaced by the hash of its content;
- the bytes of the program that are loaded into the core's memory;
- the simulator's executable;
- the words for what is recorded beside the records.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from case_file import NATIVE, RTL, Case
from scenario_keys import DEFAULT_DRIVE
from source_lines import hash_program

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "sweep")]

from execute.errors import ExecuteError  # noqa: E402
from execute.runs import files_in, leave  # noqa: E402
from execute.simulator import Ended, Simulator, Word  # noqa: E402
from execute.store import Spec, Store, address_of, hash_file  # noqa: E402
from result_files import write_bytes  # noqa: E402  host/output
from scenarios import DRIVE_KEY, Schema, table_value, with_files, without_title  # noqa: E402

_ENTRY = re.compile(r"[0-9a-f]{64}\.json")  # names of the store's files
VERSION = 1  # increased when the meaning of a run's spec changes


class RunCache:
    """A folder of runs. Threads may share it, and several programs."""

    def __init__(self, folder: Path, simulator: Simulator) -> None:
        """Opens the cache. `simulator` makes all runs. Raises OutputError."""
        self._store, self.folder = Store(folder), folder
        self._simulator = simulator
        self._hashes: dict[tuple[str, Path], str] = {}
        self._file_keys: frozenset[str] | None = None
        self._lock = Lock()
        self.counts: Counter[str] = Counter()  # numbers of runs "made" and "kept"
        self._used: dict[str, tuple[str, Path]] = {}  # program and file of all runs that were asked for, by address

    def _hash(self, file: Path, what: str = "file") -> str:
        with self._lock:
            if (what, file) not in self._hashes:
                try:
                    self._hashes[what, file] = hash_program(file) if what == "program" else hash_file(file)
                except (OSError, ValueError) as error:
                    text = f"{file}: {error.strerror}" if isinstance(error, OSError) else str(error)
                    raise ExecuteError(f"{text}; run ./headstack build, or name another file") from None
            return self._hashes[what, file]

    def program_hash(self, elf: Path) -> str:
        """The hash of the bytes that the core loads. Raises ExecuteError."""
        return self._hash(elf, "program")

    def simulator_id(self, platform: str) -> str:
        """The hash of the executable. Raises ExecuteError."""
        return self._hash(self._simulator.electronics if platform == RTL else self._simulator.program)

    def _content(self, key: str, name: str) -> str:
        return f"sha256:{self._hash(Path(name))}"

    def _scenario(self, canonical: str) -> list[str]:
        """The scenario without paths: its text, and the hash of a drive file that it names."""
        with self._lock:
            if self._file_keys is None:
                self._file_keys = Schema(self._simulator).keys().files
        text = with_files(without_title(canonical), self._file_keys, self._content)
        name = table_value(canonical, DRIVE_KEY) or DEFAULT_DRIVE
        described = self._simulator.root / f"sim/drives/{name}.toml"
        return [text, self._hash(described) if described.is_file() else ""]

    def spec(self, case: Case, canonical: str, elf: Path, recorded: list[str]) -> Spec:
        """All inputs of the run. Raises ExecuteError."""
        return {
            "work": f"run of a case, version {VERSION}",
            "scenario": self._scenario(canonical),
            "program": "" if case.platform == NATIVE else self.program_hash(elf),
            "simulator": self.simulator_id(case.platform),
            "recorded": sorted(recorded),
        }

    def get(self, spec: Spec, out: Path) -> Ended | None:
        """Puts the run into its folder; returns None if it has not been made yet. Raises OutputError."""
        kept = self._store.get(spec)
        if kept is None:
            return None
        leave(kept[0], out)
        self._count("kept", spec)
        return Ended(out, 0, "")

    def put(self, spec: Spec, ended: Ended) -> None:
        """Keeps a run that ended well. Raises OutputError, and ExecuteError if the same run had other results before."""
        if ended.status == 0:
            self._store.put(spec, {name: content for name, content in files_in(ended.folder).items() if name in KEPT})
        self._count("made", spec)

    def _count(self, what: str, spec: Spec) -> None:
        with self._lock:
            self.counts[what] += 1
            if self._store.file(spec).is_file():
                self._used[address_of(spec)] = spec["program"], self._store.file(spec)

    def used_by(self, elf: Path) -> dict[str, Path]:
        """The files of the runs of this program, or of native, that were asked for, by address."""
        mine = ("", self.program_hash(elf))
        return {address: file for address, (program, file) in self._used.items() if program in mine}

    def add(self, entries: Iterable[tuple[str, bytes]]) -> None:
        """Takes runs from a baseline. Existing runs stay; incomplete ones count as missing. Raises OutputError."""
        for name, content in entries:
            if _ENTRY.fullmatch(name) and not (self.folder / name).exists():
                write_bytes(self.folder / name, content)


# Files of a run's folder that are kept. summary.txt has the speed of the simulator, so it differs each time.
KEPT = ("records.csv", "events.txt", "ledger.txt", "drive.toml", "summary.json")


def words_recorded(words: list[Word]) -> list[str] | None:
    """The words for what a run leaves beside its records; None if it writes other files, which no cache keeps."""
    names = [str(word) for word in words]
    return None if any(not name.startswith("observe.") or "timeline" in name or "waves" in name for name in names) else names
