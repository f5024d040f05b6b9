# SPDX-License-Identifier: Apache-2.0
"""headstack test: the tests by ctest, and why some were skipped."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from bootstrap import RELEASE, ROOT, build_folder, prepare, quiet, wait_for

# The long loads are a preset of tests only: they run on the release build.
WIDE = "wide"


def reasons_of_skips(log: str) -> list[tuple[str, int]]:
    """Of ctest's log: each reason with its count. ctest names skipped tests alone, and a skip that nobody notices
    proves nothing."""
    found = re.findall(r": Skipped\n(.*)", log)
    return sorted(Counter(re.sub(r'"[^"]*/', '"', reason) for reason in found).items())


def explain_skips(preset: str) -> None:
    """Prints them, if there are any."""
    log = os.path.join(build_folder(preset), "Testing/Temporary/LastTest.log")
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            reasons = reasons_of_skips(file.read())
    except FileNotFoundError:
        return
    if reasons:
        print("\nWhy tests were skipped:", *(f"{count:7} {reason}" for reason, count in reasons), sep="\n")


ALL = ["all"]
# Words of ctest that choose among the tests; anything else is a run of all.
_CHOICE = re.compile(r"-[RL].*|--tests-regex(=.*)?|--label-regex(=.*)?")
_OBJECT = re.compile(r"Building C(?:XX)? object (\S*?)CMakeFiles/([\w.+-]+)\.dir/")


def targets_of(chosen: Sequence[dict], known: Sequence[dict], plan: str, folder: str) -> list[str]:
    """What has to be built for the chosen tests: their programs, and those whose own sources have changed. Tests of these may have
    other names now. All, where that cannot be told.

    @param chosen, known: as ctest lists tests, by its words and without. @param plan: what `ninja -n all` says. @param folder: the build's.
    """
    if not chosen or "Re-running CMake" in plan:
        return ALL
    # A program that was never built is a test of that name, and might have any.
    if any(test["name"].endswith("_NOT_BUILT") for test in known):
        return ALL
    programs = {os.path.basename(path): path for path in map(_program, known, [folder] * len(known)) if path}
    needed = {_program(test, folder) for test in chosen}
    for place, target in set(_OBJECT.findall(plan)):
        if not place.startswith("tests/"):
            continue
        if target not in programs:  # what several programs share, or one that is no test
            return ALL
        needed.add(programs[target])
    return ALL if "" in needed else sorted(needed)


def _program(test: dict, folder: str) -> str:
    """The test program that runs a test, below the build's folder: "" for others, of which nobody knows what they need."""
    command = test.get("command") or [""]
    path = os.path.relpath(command[0], folder) if command[0] else ""
    is_own = path.startswith("tests/") and any(word.startswith("--gtest_filter=") for word in command)
    return path if is_own else ""


def _output(line: Sequence[str]) -> str | None:
    """What a program prints; None when it fails."""
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def targets_for(preset: str, test_preset: str, words: Sequence[str]) -> list[str]:
    """What has to be built before ctest gets the words."""
    folder = build_folder(preset)
    if not any(map(_CHOICE.fullmatch, words)) or not os.path.isfile(os.path.join(folder, "build.ninja")):
        return ALL
    lines: Iterable[Sequence[str]] = (
        # CMake first, where a CMakeLists.txt has changed or a table names a new file: until then no plan can be told.
        ["ninja", "-C", folder, "build.ninja"],
        ["ctest", "--preset", test_preset, "--show-only=json-v1", *words],
        ["ctest", "--preset", test_preset, "--show-only=json-v1"],
        ["ninja", "-C", folder, "-n", "all"],
    )
    said = [_output(line) for line in lines]
    try:
        chosen, known = (json.loads(text or "")["tests"] for text in said[1:3])
    except (ValueError, KeyError):
        return ALL
    return ALL if said[0] is None or said[3] is None else targets_of(chosen, known, said[3], folder)


def run_tests(preset: str, words: Sequence[str], *, wide: bool) -> int:
    """Builds what the words' tests need, and hands the words to ctest. @return its exit status."""
    preset = RELEASE if wide else preset
    prepare(targets_for(preset, WIDE if wide else preset, words), preset)
    os.chdir(ROOT)
    # With nohup or a shell's &, Ctrl-C is ignored; tests of Ctrl-C need it as it is in a terminal.
    line = [shutil.which("env") or "env", "--default-signal=INT", "ctest", "--preset", WIDE if wide else preset, "--output-on-failure",
            "-j", str(os.cpu_count()), *words]  # fmt: skip
    if not quiet():
        status = wait_for(line)
        explain_skips(preset)
        return status
    # Tests of what is said are no quieter for that.
    environment = {name: value for name, value in os.environ.items() if name != "HEADSTACK_QUIET"}
    log = os.path.join(ROOT, "build/log", f"test-{preset}.log")
    with open(log, "wb") as out:
        status = wait_for(line, environment, stdout=out.fileno())
    if status != 0:
        with open(log, encoding="utf-8", errors="replace") as text:
            sys.stderr.write(text.read())
    return status
