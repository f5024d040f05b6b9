# SPDX-License-Identifier: Apache-2.0
"""Cases that replay a storyline of the adversary (tests/fuzz/README.md), in the form that `headstack fuzz drive` writes.

Such a case fails if the drive does what no drive may do. The adversary judges that.
"""

from pathlib import Path

from case_file import Case
from errors import RegressError

PROGRAMS = {"native": "headstack-fuzz", "vp": "headstack-fuzz-vp", "rtl": "headstack-fuzz-rtl"}
FINDING = "FINDING "


def program_of(run: Path, case: Case) -> Path:
    """The adversary's program of the build that has `headstack-run`."""
    program = run.parent.parent / "tests/fuzz/drive" / PROGRAMS[case.platform]
    if not program.is_file():
        raise RegressError(f"{case.file}: it needs {program}, which is not built; ./headstack build builds it")
    return program


def finding_of(output: str) -> str:
    """The finding in a replay's standard output, in one line; "" if there is none."""
    lines = [line.rstrip() for line in output.splitlines()]
    for number, line in enumerate(lines):
        if line.startswith(FINDING):
            words = [other.split(maxsplit=1)[1] for other in lines[number + 1 : number + 3] if len(other.split()) > 1]
            return f"{line.removeprefix(FINDING)}: {'; expected: '.join(words)}"
    return ""
