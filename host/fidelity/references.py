# SPDX-License-Identifier: Apache-2.0
"""headstack references: fetch or check the traces of real drives, which are not part of this project.

    references.py [--to DIR] [--check] [--list FILE]

Gets each file of references.toml that DIR lacks (../shared, where the tests look), and checks its size and SHA-256 before it
takes its name. A file that is there and differs is told, and stays. With --check nothing is fetched. Exit status: 0 all files are
there; 1 one is not, or differs; 2 a bad command line; 130 interrupted.
"""

import argparse
import hashlib
import http.client
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / folder) for folder in ("output", "python")]

from command_line import CommandParser  # noqa: E402
from errors import FidelityError  # noqa: E402
from result_files import run as run_program  # noqa: E402
from schema import Key, load_toml, take_table, text, texts, told_as, whole  # noqa: E402

LIST = HERE / "references.toml"
SECONDS_AT_MOST = 60.0  # without a byte


@dataclass(frozen=True)
class Reference:
    """One file: its name below the folder, bytes, SHA-256 in hexadecimal, address, licence, and who needs it."""

    name: str
    bytes: int
    sha256: str
    address: str
    licence: str
    needed_by: tuple[str, ...]


def trouble(reference: Reference, content: bytes) -> str:
    """The error in a content; "" for the right one."""
    if len(content) != reference.bytes:
        return f"it has {len(content):,} bytes, not {reference.bytes:,}"
    found = hashlib.sha256(content).hexdigest()
    return "" if found == reference.sha256 else f"its SHA-256 is {found}, not {reference.sha256}"


FILE_KEYS = {
    "name": Key(text, required=True),
    "bytes": Key(whole(1), required=True),
    "sha256": Key(text, required=True),
    "address": Key(text, required=True),
    "licence": Key(text, required=True),
    "needed_by": Key(texts, required=True),
}


@told_as(FidelityError)
def load_references(file: Path) -> tuple[Reference, ...]:
    """Loads a list of references."""
    table = take_table(file.name, load_toml(file, "it lists the files to fetch"), {"files": Key(required=True, rows=FILE_KEYS)})
    return tuple(Reference(**row) for row in table["files"])


def download(address: str) -> bytes:
    """Downloads a file. Raises FidelityError with the network's message."""
    try:
        with urllib.request.urlopen(address, timeout=SECONDS_AT_MOST) as answer:
            return answer.read()
    except (OSError, urllib.error.URLError, http.client.HTTPException) as error:
        raise FidelityError(f"{address}: {getattr(error, 'reason', None) or error}") from error


def fetch(reference: Reference, folder: Path, *, only_check: bool) -> str:
    """Fetches a file if it is missing. @return what was done. Raises FidelityError with the remedy."""
    file = folder / reference.name
    try:
        wrong = trouble(reference, file.read_bytes())
        if wrong:
            raise FidelityError(f"{file}: {wrong}; move it away, and fetch it again")
        return "is there"
    except FileNotFoundError:
        if only_check:
            users = ", ".join(reference.needed_by)
            raise FidelityError(
                f"{file}: is not there; 'headstack references' gets it from {reference.address}, for {users}"
            ) from None
    except OSError as error:
        raise FidelityError(f"{file}: {error.strerror}") from error
    try:
        content = download(reference.address)
    except FidelityError as error:
        raise FidelityError(f"{error}; get it another way, and put it at {file}") from error
    wrong = trouble(reference, content)
    if wrong:
        raise FidelityError(f"{reference.address}: {wrong}; nothing was written")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.part")
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        raise FidelityError(f"{file}: {error.strerror}; --to DIR puts it elsewhere") from error
    return "fetched"


def main(words: Sequence[str] | None = None) -> int:
    parser = CommandParser(prog="headstack references", description="fetch or check the traces of real drives, which are not part of this project")
    parser.add_argument("--to", type=Path, default=ROOT.parent / "shared", metavar="DIR",
                        help="folder for the traces, where tests look for them, too (../shared)")  # fmt: skip
    parser.add_argument("--check", action="store_true", help="report missing or wrong files, and fetch nothing")
    parser.add_argument("--list", type=Path, default=LIST, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    status = 0
    try:
        for reference in load_references(arguments.list):
            try:
                done = fetch(reference, arguments.to, only_check=arguments.check)
                print(f"{reference.name}: {done}; {reference.licence}")
            except FidelityError as error:
                print(f"headstack: error: {error}", file=sys.stderr)
                status = 1
    except FidelityError as error:
        print(f"headstack: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    run_program(main)
