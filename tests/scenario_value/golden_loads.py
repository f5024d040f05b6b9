# SPDX-License-Identifier: Apache-2.0
"""Prints each golden case's synthetic load as a scenario, and the hash of the trace that Python makes of it.

golden_loads.py ROOT: a line for each case, of its name, its settings and the hash, separated by tabs.
"""

import hashlib
import sys
import tomllib
from pathlib import Path

ROOT = Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "host" / "regress"))

from scenario_keys import toml_of  # noqa: E402
from synthetic import Synthetic, trace_text  # noqa: E402


def main() -> None:
    for file in sorted((ROOT / "tests" / "golden").glob("*/scenario.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("load", {}).get("synthetic")
        if table is None:
            continue
        settings = [f"load.synthetic.{key}={toml_of(value)}" for key, value in table.items()]
        digest = hashlib.sha256(trace_text(Synthetic.of(table)).encode()).hexdigest()
        print("\t".join([file.parent.name, *settings, digest]))


main()
