# SPDX-License-Identifier: Apache-2.0
"""From addresses of the firmware's program to functions and source lines.

Lines are by addr2line, on the debug information. Without either, places have none; nothing else changes.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "firmware/tools"))
from elf import FLAG_IN_MEMORY, SECTION_NO_BITS, SYMBOL_FUNCTION, Elf  # noqa: E402

ADDR2LINE = "riscv64-unknown-elf-addr2line"
# Every event passes through these functions to the trace port; their caller reports the event.
WRAPPERS = ("hal_write32", "trace_port_hal_event")


@dataclass(frozen=True)
class Place:
    """A place in the source. `file` is relative to the repository's root if it is in it; line 0: not known."""

    function: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.function}() at {self.file}:{self.line}" if self.line else f"{self.function}()"


def source_name(function: str) -> str:
    """The function's name without a file that distinguishes equal names, and without suffixes of parts or copies that the
    compiler made.
    """
    return re.split("[@.]", function, maxsplit=1)[0]


def hash_program(elf: Path) -> str:
    """The hash of the loaded part of a program, which is the same for another build of the same code."""
    hashed = hashlib.sha256()
    for section in Elf(elf).sections:
        if section.flags & FLAG_IN_MEMORY and section.type != SECTION_NO_BITS:
            hashed.update(f"{section.address}:{section.size}:".encode())
            hashed.update(section.data)
    return hashed.hexdigest()


class SourceLines:
    """Source lines of one ELF file. Threads may share it."""

    def __init__(self, elf: Path, root: Path) -> None:
        self._elf, self._root = elf, root.resolve()
        self._addresses: dict[str, int] | None = None
        self._lock = threading.Lock()

    def _frames(self, address: int) -> list[Place]:
        """The frames at an address, from the innermost inlined function outwards."""
        lines = self._addr2line(address)
        frames = []
        for function, place in zip(lines[::2], lines[1::2], strict=False):
            file, _, line = place.split(" ")[0].rpartition(":")
            name = source_name(function)
            frames.append(Place(name, self._file(file), int(line)) if line.isdigit() else Place(name))
        return frames

    def _addr2line(self, address: int) -> list[str]:
        program = shutil.which(ADDR2LINE)
        if program is None:
            return []
        line = [program, "-f", "-i", "-e", str(self._elf), hex(address)]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []

    def _file(self, name: str) -> str:
        path = Path(name)
        return str(path.relative_to(self._root)) if path.is_relative_to(self._root) else name

    def place_of(self, address: int) -> Place | None:
        """The place of an instruction: in the innermost function that does not only wrap the trace port."""
        frames = self._frames(address) if address else []
        return next((frame for frame in frames if frame.function not in WRAPPERS), frames[-1] if frames else None)

    def _named(self) -> dict[str, int]:
        """The address of every function, by its name here."""
        with self._lock:
            if self._addresses is None:
                self._addresses = self._read_symbols()
            return self._addresses

    def _read_symbols(self) -> dict[str, int]:
        try:
            symbols = [one for one in Elf(self._elf).symbols if one.type == SYMBOL_FUNCTION]
        except (OSError, ValueError):
            return {}  # the run itself will report that
        bearers = Counter(one.name for one in symbols)
        addresses: dict[str, int] = {}
        for one in symbols:
            addresses.setdefault(f"{one.name}@{one.file}" if bearers[one.name] > 1 else one.name, one.value)
        for one in symbols:  # The ledger has the name in the source of a part or a copy, too.
            addresses.setdefault(source_name(one.name), one.value)
        return addresses

    def name_of(self, function: str) -> str:
        """The name of a function of the ledger.

        The ledger has NAME@ADDRESS for a name that is not unique. The address may change with each build, so it becomes
        NAME@FILE.
        """
        name, at, address = function.partition("@")
        if not at:
            return function
        return next((one for one, where in self._named().items() if where == int(address, 16)), name)

    def place_of_function(self, name: str) -> Place:
        """The place where a function of the program begins."""
        address = self._named().get(name)
        frames = self._frames(address) if address is not None else []
        # The outermost frame is the function itself, whatever its first line calls.
        return Place(source_name(name), frames[-1].file, frames[-1].line) if frames else Place(name)
