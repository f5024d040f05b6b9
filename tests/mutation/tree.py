# SPDX-License-Identifier: Apache-2.0
"""A copy of the tree in which the tool builds. The tree itself may be edited meanwhile, and is never changed."""

import filecmp
import os
import shutil
import subprocess
from pathlib import Path

from errors import MutationError


def run(command: list[str], cwd: Path, what: str) -> str:
    """@return the output. @raise MutationError: the command failed; the message has its last lines."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().split("\n")[-15:])
        raise MutationError(f"{what} failed:\n{last}")
    return done.stdout


def copy_tree(root: Path, tree: Path) -> None:
    """Makes `tree` a copy of the files that git lists in `root`, changed and new ones included. Equal files keep their
    time.
    """
    listed = run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], root, "git ls-files").split("\0")
    wanted = {name for name in listed if name and (root / name).is_file()}
    tree.mkdir(parents=True, exist_ok=True)
    for folder, folders, files in os.walk(tree):
        if Path(folder) == tree and "build" in folders:
            folders.remove("build")
        for file in files:
            name = str((Path(folder) / file).relative_to(tree))
            if name not in wanted:
                (tree / name).unlink()
    for name in wanted:
        source, copy = root / name, tree / name
        if copy.is_file() and filecmp.cmp(source, copy, shallow=False):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)


def prepare(root: Path, tree: Path, targets: list[str], jobs: int) -> Path:
    """@return the build folder of the copy, in which `targets` are up to date."""
    copy_tree(root, tree)
    venv = tree / "build" / "venv"
    venv.parent.mkdir(exist_ok=True)
    if not venv.is_symlink() and (root / "build" / "venv").exists():
        venv.symlink_to((root / "build" / "venv").resolve())
    build = tree / "build" / "mutation"
    if not (build / "build.ninja").exists():
        # The flags are those of build/release. ccache then has all objects, as paths are relative to the checkout.
        run(["cmake", "-S", str(tree), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"], tree, "cmake")
    run(["ninja", "-C", str(build), f"-j{jobs}", *targets], tree, "the build of what is not mutated")
    return build
