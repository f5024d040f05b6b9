# SPDX-License-Identifier: Apache-2.0
"""Prints each golden case's synthetic load as a scenario, and the hash of the trace that Python makes of it.

golden_loads.py ROOT: a line for each case, of its name, its settings and the hash, separated by tabs.
"""

import hashlib
import json
import sys
import tomllib
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "host" / "regress"))

from synthetic import Synthetic, trace_text  # noqa: E402


def settings(table: dict) -> list[str]:
    """The keys of a scenario in the place of the case's."""
    words = []
    for key, value in table.items():
        if key == "gap_us":
            words.append(f"gap={value:f}us")
        elif key == "deadline_ms":
            words.append(f"deadline={value[0]}ms..{value[1]}ms")
        else:
            words.append(f"{key}={json.dumps(value)}")
    return [f"load.synthetic.{word}" for word in words]


def main() -> None:
    for file in sorted((ROOT / "tests" / "golden").glob("*/case.toml")):
        trace = tomllib.loads(file.read_text(encoding="utf-8")).get("trace")
        if not isinstance(trace, dict):
            continue
        table = trace["synthetic"]
        lists = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
        if isinstance(lists.get("blocks"), int):
            lists["blocks"] = (lists["blocks"],)
        digest = hashlib.sha256(trace_text(Synthetic(**lists)).encode()).hexdigest()
        print("\t".join([file.parent.name, *settings(table), digest]))


main()
