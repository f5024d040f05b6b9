# SPDX-License-Identifier: Apache-2.0
"""The files that work needs, by content, as a small tree of their own that goes along to another machine.

    build/run/host/headstack-run, headstack-run-rtl     the programs, as in a build's folder
    build/run/firmware/drive.elf                        the firmware
    build/run/firmware/translations/*.so                its translation where there is one
    sim/drives/*.toml                                   the drives that have names
    host/*/*.py                                         this code
    files/NAME                                          what specs name beside

A kit is packed with the hash of each of its files, which unpacking looks at.
"""

import hashlib
import io
import json
import tarfile
from pathlib import Path

from .errors import ExecuteError
from .simulator import Simulator
from .store import hash_file
from .workplace import Workplace

HOST = Path(__file__).resolve().parents[1]
PROGRAM, FIRMWARE = "build/run/host/headstack-run", "build/run/firmware/drive.elf"
TRANSLATIONS = "build/run/firmware/translations"
MANIFEST = "manifest.json"
FASTEST = 1  # of gzip's levels: a megabyte more on the way, a second less before


def files_of(simulator: Simulator, named: dict[str, Path]) -> dict[str, Path]:
    """The files of a kit: the place of each in the kit, and its path here."""
    files = {PROGRAM: simulator.program}
    where_built = {
        f"{PROGRAM}-rtl": simulator.electronics,
        FIRMWARE: simulator.elf,
        **{f"{TRANSLATIONS}/{file.name}": file for file in sorted(simulator.translations.glob("*.so"))},
    }
    for place, file in where_built.items():
        if file.is_file():
            files[place] = file
    for file in sorted((simulator.root / "sim/drives").glob("*.toml")):
        files[f"sim/drives/{file.name}"] = file
    for file in sorted(HOST.glob("*/*.py")):
        files[f"host/{file.relative_to(HOST)}"] = file
    for name, file in sorted(named.items()):
        files[f"files/{name}"] = file
    return files


def pack(files: dict[str, Path]) -> bytes:
    """Packs all files. Raises ExecuteError when one cannot be read."""
    hashes: dict[str, str] = {}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=FASTEST) as archive:

        def add(place: str, content: bytes, executable: bool) -> None:
            entry = tarfile.TarInfo(place)
            entry.size, entry.mode = len(content), 0o755 if executable else 0o644
            archive.addfile(entry, io.BytesIO(content))

        for place, file in files.items():
            try:
                content = file.read_bytes()
            except OSError as error:
                raise ExecuteError(f"{file}: {error.strerror}; run ./headstack build") from None
            hashes[place] = hashlib.sha256(content).hexdigest()
            add(place, content, place.startswith("build/"))
        add(MANIFEST, json.dumps(hashes).encode(), executable=False)
    return packed.getvalue()


def unpack(packed: bytes, folder: Path) -> None:
    """Unpacks a kit into a folder, which it makes. Raises ExecuteError when a file is not the packed one."""
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder)
    check(folder)


def check(folder: Path) -> None:
    """Checks an unpacked kit. Raises ExecuteError when a file is not the packed one."""
    for place, expected in json.loads((folder / MANIFEST).read_text(encoding="utf-8")).items():
        if hash_file(folder / place) != expected:
            raise ExecuteError(f"{folder / place}: not what was sent; is that disk full, or broken?")


def workplace_in(folder: Path, scratch: Path) -> Workplace:
    """A kit that was unpacked, as a place to work."""
    simulator = Simulator(folder / PROGRAM, folder)
    named = folder / "files"
    files = {file.name: file for file in named.iterdir()} if named.is_dir() else {}
    return Workplace(simulator, files, scratch)
