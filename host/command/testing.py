# SPDX-License-Identifier: Apache-2.0
"""headstack test: the tests by ctest, and why some were skipped."""

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Sequence

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


def run_tests(preset: str, words: Sequence[str], *, wide: bool) -> int:
    """Builds, and hands the words to ctest. @return its exit status."""
    preset = RELEASE if wide else preset
    prepare(["all"], preset)
    os.chdir(ROOT)
    line = [shutil.which("ctest") or "ctest", "--preset", WIDE if wide else preset, "--output-on-failure",
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
