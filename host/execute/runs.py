# SPDX-License-Identifier: Apache-2.0
"""A run of a simulator as plain data, so that it can be made on another machine, or taken from the store.

A path on its command line stands for the content of a file, independent of its place. A path below the run's folder is a file
that the run writes.
"""

import base64
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from threading import Lock
from typing import Any

from result_files import make_folder, write_bytes  # host/output

from .errors import ExecuteError, Stopped
from .places import Place
from .simulator import RTL, Ended, FileSetting, Simulator, Word, runs_on
from .store import Spec, Store, hash_file
from .workplace import Workplace

VERSION = 1  # counts up when a run's spec means something else than it did


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode("ascii")


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


class _Words:
    """A command line without this machine's paths."""

    def __init__(self, words: Iterable[Word], out: Path) -> None:
        self.plain: list[str | dict[str, str]] = []
        self.files: dict[str, Path] = {}
        for word in words:
            if isinstance(word, str):
                self.plain.append(word)
                continue
            key, file = ({"key": word.key}, word.file) if isinstance(word, FileSetting) else ({}, word)
            if file.is_relative_to(out):
                self.plain.append({**key, "writes": str(file.relative_to(out))})
            else:
                # Programs tell some kinds of file by the ends of their names.
                name = f"{len(self.files)}-{file.name}"
                self.files[name] = file
                self.plain.append({**key, "reads": name})

    def contents(self) -> dict[str, str]:
        """The files, packed. Raises ExecuteError."""
        return {name: _packed(_bytes_of(file)) for name, file in self.files.items()}


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ExecuteError(f"{file}: {error.strerror}") from None


def files_in(folder: Path) -> dict[str, str]:
    """Packed, by their place in it; whatever the system has for them beside bytes stays."""
    files = sorted(file for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else []
    return {str(file.relative_to(folder)): _packed(file.read_bytes()) for file in files}


def leave(files: dict[str, str], out: Path) -> None:
    """Writes files into the run's folder, as if the run had been made there. Raises OutputError."""
    for name, packed in files.items():
        make_folder((out / name).parent)
        write_bytes(out / name, _unpacked(packed))


def make_run(task: Spec, workplace: Workplace) -> dict[str, Any]:
    """Work for a Place: the run of `words` with the files `contents`."""
    with tempfile.TemporaryDirectory(dir=workplace.scratch) as name:
        folder = Path(name)
        for file, packed in task["contents"].items():
            (folder / file).write_bytes(_unpacked(packed))
        words: list[Word] = []
        for word in task["words"]:
            if isinstance(word, str):
                words.append(word)
                continue
            place = Path("out") / word["writes"] if "writes" in word else Path(word["reads"])
            words.append(FileSetting(word["key"], place) if "key" in word else place)
        ended = workplace.simulator.run_in(folder, words, Path("out"))
        return {"status": ended.status, "message": ended.message, "files": files_in(ended.folder)}


class SimulatorElsewhere(Simulator):
    """A simulator whose runs are made at a place, and whose files are brought here. Other programs of the build run here."""

    def __init__(self, here: Simulator, place: Place) -> None:
        super().__init__(here.program, here.root, here.firmware)
        self._place = place
        self._lock = Lock()
        self._futures: set[Future[Any]] = set()
        self._stopping = False

    def run(self, words: Sequence[Word], out: Path) -> Ended:
        """Raises ExecuteError and OutputError, and Stopped after stop()."""
        told = _Words(words, out)
        task = {"words": told.plain, "contents": told.contents()}
        with self._lock:
            if self._stopping:
                raise Stopped
            future = self._place.executor.submit(make_run, task)
            self._futures.add(future)
        try:
            result = future.result()
        except CancelledError:
            if self._stopping:
                raise Stopped from None
            raise ExecuteError(f"{out}: the cluster has cancelled the run, or is gone") from None
        except RuntimeError as error:
            if self._stopping:
                raise Stopped from None
            raise ExecuteError(f"{out}: {error}") from None
        finally:
            with self._lock:
                self._futures.discard(future)
        make_folder(out)
        leave(result["files"], out)
        message = result["message"]
        for name, file in told.files.items():
            message = message.replace(name, str(file))
        return Ended(out, result["status"], message)

    def stop(self) -> None:
        """Ends running work there, and lets nothing else begin."""
        super().stop()
        with self._lock:
            self._stopping = True
            for future in self._futures:
                future.cancel()
        self._place.stop()


def simulator_at(place: Place, here: Simulator) -> Simulator:
    """A simulator whose runs are made at the place."""
    return SimulatorElsewhere(here, place) if place.elsewhere else here


class KeepingSimulator(Simulator):
    """Runs that ended well are made once: what they left is kept in a store, and put where it is asked for again."""

    def __init__(self, inner: Simulator, store: Store) -> None:
        """Wraps `inner`, which makes the runs."""
        super().__init__(inner.program, inner.root, inner.firmware)
        self._inner, self._store = inner, store
        self._hashes: dict[Path, str] = {}
        self._lock = Lock()

    def _hash(self, file: Path) -> str:
        with self._lock:
            if file not in self._hashes:
                try:
                    self._hashes[file] = hash_file(file)
                except OSError as error:
                    raise ExecuteError(f"{file}: {error.strerror}; run ./headstack build") from None
            return self._hashes[file]

    def spec(self, words: Sequence[Word], out: Path) -> Spec:
        """All inputs of a run. Raises ExecuteError."""
        told = _Words(words, out)
        return {
            "work": f"run of a simulator, version {VERSION}",
            "program": self._hash(self.electronics if runs_on(words, RTL) else self.program),
            "firmware": self._hash(self.elf),
            "drives": [self._hash(file) for file in sorted((self.root / "sim/drives").glob("*.toml"))],
            "words": told.plain,
            "inputs": {name: self._hash(file) for name, file in told.files.items()},
        }

    def run(self, words: Sequence[Word], out: Path) -> Ended:
        """Like Simulator.run(); `out` is the run's own folder. Also raises OutputError."""
        spec = self.spec(words, out)
        kept = self._store.get(spec)
        if kept is not None:
            leave(kept[0], out)
            return Ended(out, 0, "")
        ended = self._inner.run(words, out)
        if ended.status == 0:
            self._store.put(spec, files_in(out))
        return ended

    def stop(self) -> None:
        """Ends running work, and lets nothing else begin."""
        super().stop()
        self._inner.stop()
