# SPDX-License-Identifier: Apache-2.0
"""The base that runs are compared with: a commit, a folder with a build, a program, or a baseline.

A commit's firmware is built in build/against/COMMIT (base_build.py). Only the firmware is another one: the simulator is today's.
"""

import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from base_build import SIMULATOR, build_commit
from base_interface import require_same_interface
from case_file import Case
from errors import RegressError
from function_hashes import Changed, changed_functions, functions_of, read_functions

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "output"))
sys.path.append(str(Path(__file__).resolve().parents[2] / "firmware/tools"))

from elf import Elf  # noqa: E402
from result_files import make_folder, write_bytes, write_text  # noqa: E402

MAINS = ("main", "origin/main")  # a CI server may have the second one only
ZIP, GOLDEN = ".zip", "tests/golden"
ELF_MAGIC = b"\x7fELF"
BUILT = "firmware/drive.elf"  # path in a folder with a build
SIMULATOR_SOURCES = ("sim", "hdl", *(f"host/{name}" for name in ("observe", "options", "replay", "report", "run", "scenario", "session", "traces")))
# Files in a baseline.
PROGRAM, FUNCTIONS, CASES, COMMIT, RUNS = "drive.elf", "functions.json", "cases.txt", "commit.txt", "runs/"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Base:
    """The program that runs are compared with, and all that is known of it."""

    name: str  # for messages
    elf: Path
    is_new: Callable[[Case], bool] = lambda _: False
    commit: str = ""  # commit of the program, if it is known
    repository: Path = Path()  # repository that has the commit
    functions: Path | None = None  # a file with the hashes of its functions; None: the objects beside the program have them
    entries: tuple[tuple[str, bytes], ...] = ()  # entries of the cache
    simulator: Path | None = None  # the base's own simulator, if both are judged
    root: Path = Path()  # folder with that simulator's sim/drives

    def changed_functions(self, today: Path) -> Changed | None:
        """The functions that differ from today's program; None if either program's are not known."""
        before = read_functions(self.functions.read_text(encoding="utf-8")) if self.functions else functions_of(self.elf)
        after = functions_of(today)
        return changed_functions(before, after) if before and after else None


def git(root: Path, *words: str) -> str:
    """The output of a git command; "" if it fails."""
    line = ["git", "-C", str(root), *words]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def default_commit(root: Path) -> str:
    """The commit where the branch left main; on main the parent. Raises RegressError."""
    head = git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    mains = [name for name in MAINS if git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")]
    if not head:
        raise RegressError("--against: there is no git repository here; name a folder with a build, a program or a baseline")
    if not mains:
        raise RegressError(f"--against: there is no branch {' or '.join(MAINS)}; name a commit")
    base = git(root, "merge-base", "HEAD", mains[0])
    if head == base:
        base = git(root, "rev-parse", "--verify", "--quiet", "HEAD^1^{commit}")
    if not base:
        raise RegressError(f"--against: HEAD has no parent, and no commit in common with {mains[0]}; name a commit")
    return base


def messages_since(commit: str, root: Path) -> dict[str, str]:
    """The messages of the commits after the base, by the commits' names; none if the base is no commit."""
    commits = git(root, "rev-list", f"{commit}..HEAD").split() if commit else []
    return {one[:10]: git(root, "log", "-1", "--format=%B", one) for one in commits}


def uncommitted(root: Path) -> str:
    """A sentence that says that the firmware is in no commit; "" if it is in one."""
    changed = git(root, "status", "--porcelain", "--untracked-files=no", "--", "firmware").splitlines()
    if not changed:
        return ""
    return f"uncommitted changes of {len(changed)} file{'' if len(changed) == 1 else 's'} of the firmware are judged, too"


def simulator_changed(commit: str, root: Path) -> bool:
    """Whether the simulator's sources differ from those of the commit."""
    line = ["git", "-C", str(root), "diff", "--quiet", commit, "--", *SIMULATOR_SOURCES, ":!*.md"]
    return subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 1


def resolve(word: str, root: Path, program: Path, unpacked: Path, say: Say, *, whole: bool = False) -> Base | None:
    """The base of --against; `word` is "" for the default. `program` is today's simulator. `unpacked`: a folder for a baseline.

    With `whole` the base has its own simulator, too. None for a baseline that is not there. Raises RegressError.
    """
    place = Path(word)
    if whole and word and (place.is_file() or place.suffix == ZIP):
        raise RegressError(f"--whole: {word} has no simulator; name a commit, or a folder with a build")
    if word and place.is_file():
        return _of_file(place, unpacked)
    if word and place.is_dir():
        return _of_folder(place, unpacked, whole=whole)
    if place.suffix == ZIP:
        return None
    commit = git(root, "rev-parse", "--verify", "--quiet", f"{word}^{{commit}}") if word else default_commit(root)
    if not commit:
        raise RegressError(f"--against: '{word}' is no commit, folder or file; 'git log --oneline' lists commits")
    return _of_commit(commit, root, program, say, whole=whole)


def _of_file(file: Path, unpacked: Path) -> Base:
    try:
        with file.open("rb") as stream:
            magic = stream.read(len(ELF_MAGIC))
    except OSError as error:
        raise RegressError(f"--against: {file}: {error.strerror}; name a file that can be read") from None
    if magic == ELF_MAGIC:
        return Base(str(file), _program(file))
    if zipfile.is_zipfile(file):
        return _of_baseline(file.name, file.read_bytes(), unpacked)
    raise RegressError(f"--against: {file} is neither a program (ELF) nor a baseline (from --save); name one of them")


def _program(elf: Path) -> Path:
    """The file, if the core can execute it."""
    try:
        Elf(elf)
    except (OSError, ValueError) as error:
        raise RegressError(f"--against: {error}") from None
    return elf.resolve()


def _of_folder(folder: Path, unpacked: Path, *, whole: bool) -> Base:
    elf = folder / BUILT
    baselines = sorted(folder.glob(f"*{ZIP}"))
    if whole:
        simulator = folder / f"host/{SIMULATOR}"
        if not elf.is_file() or not simulator.is_file():
            raise RegressError(f"--whole: {folder} has no {BUILT} with host/{SIMULATOR}; name a folder with a build")
        return Base(str(folder), _program(elf), simulator=simulator.resolve(), root=_source_of(folder))
    if elf.is_file():
        return Base(str(folder), _program(elf))
    if len(baselines) == 1:
        return _of_file(baselines[0], unpacked)
    raise RegressError(f"--against: {folder} has no {BUILT}, and not one baseline (*{ZIP}); name a build's folder, or a file")


def _source_of(build: Path) -> Path:
    """The source tree of a build, from CMake's cache."""
    try:
        found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.+)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
    except OSError:
        found = None
    if found is None:
        raise RegressError(f"--whole: {build} has no CMakeCache.txt that names its tree; name a folder with a build")
    return Path(found[1])


def _of_commit(commit: str, root: Path, program: Path, say: Say, *, whole: bool) -> Base:
    built = build_commit(commit, root, say, whole=whole)
    require_same_interface(built.source, built.build, built.elf, root, program)
    known = set(git(root, "ls-tree", "--name-only", commit, f"{GOLDEN}/").splitlines())

    def is_new(case: Case) -> bool:
        """Cases from outside the repository are in no commit."""
        folder = case.folder.resolve()
        return folder.is_relative_to(root / GOLDEN) and str(folder.relative_to(root)) not in known

    subject = git(root, "log", "-1", "--format=%h, %s", commit)
    base = Base(subject, built.elf, is_new, commit, root)
    return replace(base, simulator=built.simulator, root=built.source) if whole else base


def _of_baseline(name: str, packed: bytes, folder: Path) -> Base:
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            files = {one: archive.read(one) for one in archive.namelist()}
    except (zipfile.BadZipFile, OSError) as error:
        raise RegressError(f"--against: {name}: cannot be unpacked: {error}; save it again") from None
    if PROGRAM not in files or CASES not in files:
        raise RegressError(f"--against: {name}: has no {PROGRAM}, so it is no baseline; make one with --save")
    make_folder(folder)
    for part in (PROGRAM, FUNCTIONS):
        if part in files:
            write_bytes(folder / part, files[part])
    cases = set(files[CASES].decode().splitlines())
    entries = tuple((one.removeprefix(RUNS), content) for one, content in files.items() if one.startswith(RUNS))
    functions = folder / FUNCTIONS
    if FUNCTIONS not in files:
        write_text(functions, "")
    commit = files.get(COMMIT, b"").decode().strip()
    return Base(name, folder / PROGRAM, lambda case: case.name not in cases, commit, Path.cwd(), functions, entries)


def save_baseline(file: Path, elf: Path, cases: list[Case], runs: dict[str, Path]) -> None:
    """The program, the hashes of its functions, and the cached runs. Equal content makes equal bytes. Raises OutputError.

    The commit is that of the repository in which the command was given: its messages may accept other times.
    """
    functions = functions_of(elf)
    parts = {PROGRAM: elf.read_bytes(), CASES: "".join(f"{name}\n" for name in sorted(case.name for case in cases)).encode()}
    if functions is not None:
        parts[FUNCTIONS] = functions.text().encode()
    parts[COMMIT] = git(Path.cwd(), "rev-parse", "--verify", "--quiet", "HEAD^{commit}").encode()
    parts |= {f"{RUNS}{address}.json": entry.read_bytes() for address, entry in runs.items()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(parts):
            archive.writestr(zipfile.ZipInfo(name), parts[name], zipfile.ZIP_DEFLATED)
    make_folder(file.parent)
    write_bytes(file, packed.getvalue())
