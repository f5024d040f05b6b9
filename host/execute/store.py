# SPDX-License-Identifier: Apache-2.0
"""Results of work, stored by the content of their inputs.

Plain data, the spec, describes a piece of work. The spec has everything that can change the result: hashes of the program and of
each file that it reads, options, seeds. Its hash is the result's address, so a changed input has another address, and nothing
need be deleted. An entry is a readable file that includes the spec. It is written completely or not at all, and has a hash of
itself. A damaged or misnamed entry counts as missing.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from result_files import make_folder, write_text  # host/output

from .errors import ExecuteError

Spec = dict[str, Any]  # data of JSON
Result = Any  # likewise


def canonical(value: Any) -> str:
    """The value as JSON: equal values have equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=True)


def hash_text(text: str) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def hash_file(file: Path) -> str:
    """SHA-256 of a file's bytes. Raises OSError."""
    with open(file, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def address_of(spec: Spec) -> str:
    """The address of the spec's result."""
    return hash_text(canonical(spec))


def _seal(spec: Spec, result: Result) -> str:
    return hash_text(canonical([spec, result]))


class Store:
    """A folder of results."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder. Raises OutputError."""
        self._folder = folder
        make_folder(folder)

    def file(self, spec: Spec) -> Path:
        """The file of the spec's entry, whether it exists yet or not."""
        return self._folder / f"{address_of(spec)}.json"

    def get(self, spec: Spec) -> tuple[Result] | None:
        """The kept result, in a tuple of its own; None when there is none that is whole."""
        try:
            entry = json.loads(self.file(spec).read_text(encoding="utf-8"))
            if canonical(entry["spec"]) != canonical(spec) or entry["sha256"] != _seal(entry["spec"], entry["result"]):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return (entry["result"],)

    def put(self, spec: Spec, result: Result) -> Result:
        """Keeps a result, and returns it as get() will. Raises OutputError.

        Raises ExecuteError when another one is kept: the same work has the same result, on every machine.
        """
        kept = self.get(spec)
        if kept is not None and canonical(kept[0]) != canonical(result):
            raise ExecuteError(
                f"{self.file(spec)}: the same work had another result before; report this as a bug, with both, and "
                "remove the file to keep the new one"
            )
        entry = {"spec": spec, "result": result, "sha256": _seal(spec, result)}
        text = json.dumps(entry, indent=1)
        if kept is None:
            write_text(self.file(spec), text + "\n")
        return json.loads(text)["result"]
