"""From addresses of the firmware's program to functions and source lines, by binutils on its debug information.

Without the tools, or without debug information, places have no lines; nothing else changes.
"""

import shutil
import subprocess
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

PREFIX = "riscv64-unknown-elf-"
# The way of every event to the trace port: who called it is who reported.
WRAPPERS = ("hal_write32", "trace_port_hal_event")


@dataclass(frozen=True)
class Place:
    """A place in the source; `file` from the repository's root where it lies in it; line 0: not known."""

    function: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.function}() at {self.file}:{self.line}" if self.line else f"{self.function}()"


class SourceLines:
    """Of one ELF file. Threads may share it."""

    def __init__(self, elf: Path, root: Path) -> None:
        self._elf, self._root = elf, root.resolve()
        self._addresses: dict[str, int] | None = None
        self._lock = threading.Lock()

    def _call(self, tool: str, *words: str) -> list[str]:
        program = shutil.which(PREFIX + tool)
        if program is None:
            return []
        line = [program, *words]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []

    def _file(self, name: str) -> str:
        path = Path(name)
        return str(path.relative_to(self._root)) if path.is_relative_to(self._root) else name

    def _frames(self, address: int) -> list[Place]:
        lines = self._call("addr2line", "-f", "-i", "-e", str(self._elf), hex(address))
        frames = []
        for function, place in zip(lines[::2], lines[1::2], strict=False):
            file, _, line = place.split(" ")[0].rpartition(":")
            frames.append(Place(function, self._file(file), int(line)) if line.isdigit() else Place(function))
        return frames

    def place_of(self, address: int) -> Place | None:
        """Of an instruction: in the innermost function, with what only wraps the trace port left out."""
        frames = self._frames(address) if address else []
        return next((frame for frame in frames if frame.function not in WRAPPERS), frames[-1] if frames else None)

    def _named(self) -> dict[str, int]:
        """The address of every function, by the name that it has here."""
        with self._lock:
            if self._addresses is None:
                self._addresses = self._read_symbols()
            return self._addresses

    def _read_symbols(self) -> dict[str, int]:
        rows = [line.split() for line in self._call("nm", str(self._elf))]
        symbols = [(row[2], int(row[0], 16)) for row in rows if len(row) == 3 and row[1] in "tT"]
        bearers = Counter(name for name, _ in symbols)
        addresses: dict[str, int] = {}
        for symbol, address in symbols:
            frames = self._frames(address) if bearers[symbol] > 1 else []
            name = f"{symbol}@{Path(frames[-1].file).name}" if frames else symbol
            addresses.setdefault(name, address)
        return addresses

    def name_of(self, function: str) -> str:
        """Of a function of the ledger, which says of several with one name where they lie: that is the next build's
        to change, so it becomes the source file. NAME@ADDRESS, NAME@FILE."""
        name, at, address = function.partition("@")
        if not at:
            return function
        return next((one for one, where in self._named().items() if where == int(address, 16)), name)

    def place_of_function(self, name: str) -> Place:
        """Where a function of the program begins."""
        address = self._named().get(name)
        frames = self._frames(address) if address is not None else []
        # The outermost: the function itself, with whatever its first line calls in it.
        return Place(name.partition("@")[0], frames[-1].file, frames[-1].line) if frames else Place(name)
