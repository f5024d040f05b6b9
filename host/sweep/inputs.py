# SPDX-License-Identifier: Apache-2.0
"""Files that runs read, by the hash of their content, and whether one has changed since."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from execute.store import hash_file  # noqa: E402


class Inputs:
    """Hashes of files, each computed once. One thread uses it."""

    def __init__(self) -> None:
        self._hashes: dict[Path, str] = {}
        self._states: dict[Path, tuple[int, int]] = {}

    def hash(self, file: Path) -> str:
        """SHA-256 of the content, as it was when it was first asked for. Raises OSError."""
        if file not in self._hashes:
            self._states[file] = _state_of(file)
            self._hashes[file] = hash_file(file)
        return self._hashes[file]

    def changed(self) -> Path | None:
        """The first file whose content has changed, or that is gone. Only files that were written since are read again."""
        for file, state in self._states.items():
            try:
                now = _state_of(file)
                if now != state and hash_file(file) != self._hashes[file]:
                    return file
            except OSError:
                return file
            self._states[file] = now
        return None


def _state_of(file: Path) -> tuple[int, int]:
    """Time and length, which a write changes. Raises OSError."""
    found = file.stat()
    return (found.st_mtime_ns, found.st_size)
