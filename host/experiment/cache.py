"""Results of runs, kept by what they depend on.

The key is a hash over everything that can change a result: the program, the drive's description, the firmware
where its instructions take time, how the trace is made, the policy and the load, and the version of the reduction. A
changed input is another key; nothing has to be deleted. A file is written whole or not at all, so an interrupted
experiment goes on where it stood.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))

from result_files import write_text  # noqa: E402

# Counts up when traces.py or records.py give other numbers for the same run.
REDUCTION = 3


def hash_file(file: Path) -> str:
    """SHA-256 of a file's bytes. Raises OSError."""
    with open(file, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def key_of(inputs: dict[str, Any]) -> str:
    """The name of the result of these inputs."""
    text = json.dumps({"reduction": REDUCTION, **inputs}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Cache:
    """A folder of results."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder. Raises OSError."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def get(self, key: str) -> dict[str, Any] | None:
        """A kept result; None when there is none, or it cannot be read."""
        try:
            value = json.loads(self._file(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Keeps a result. Raises OutputError."""
        write_text(self._file(key), json.dumps(result))
