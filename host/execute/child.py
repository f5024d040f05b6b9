# SPDX-License-Identifier: Apache-2.0
"""One piece of work in a process of its own, on a worker: child.py SCRATCH WORK < SPEC > RESULT

It stands in a kit that was unpacked (kit.py), and does what that brought along. So whatever code, or version of a
package, a worker has loaded before is no part of the work. WORK is FILE:FUNCTION, from host/ on. SPEC and RESULT are
JSON; a failure is an object with `failure`, and status 0.
"""

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

HOST = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOST))

from execute.errors import ExecuteError  # noqa: E402
from execute.kit import workplace_in  # noqa: E402


def load(work: str) -> Any:
    """The function. A file of a package is imported as such, others by their name alone, as commands do."""
    file, _, function = work.partition(":")
    path = HOST / file
    if (path.parent / "__init__.py").exists():
        module = ".".join(Path(file).with_suffix("").parts)
    else:
        sys.path.insert(0, str(path.parent))
        module = path.stem
    return getattr(importlib.import_module(module), function)


def main() -> None:
    """See above."""
    scratch, work = Path(sys.argv[1]), sys.argv[2]
    spec = json.load(sys.stdin)
    # Whatever else prints does so on standard error.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        result = {"result": load(work)(spec, workplace_in(HOST.parent, scratch))}
    except (ExecuteError, OSError) as error:
        result = {"failure": str(error)}
    with answer:
        json.dump(result, answer)


if __name__ == "__main__":
    main()
