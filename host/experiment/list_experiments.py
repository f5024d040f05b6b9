# SPDX-License-Identifier: Apache-2.0
"""headstack experiment list: the experiments that are declared here.

    list_experiments.py [--json]
"""

import json
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "output"))

from command_line import CommandParser  # noqa: E402
from result_files import run  # noqa: E402


def main() -> None:
    """Prints a line for each experiment, in the order of their names."""
    parser = CommandParser(prog="headstack experiment list", description="list the experiments that come with headstack")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    options = parser.parse_args()
    rows = []
    for file in sorted(HERE.glob("*.toml")):
        declaration = tomllib.loads(file.read_text(encoding="utf-8"))
        rows.append({"experiment": file.stem, "drive": declaration.get("scenario", declaration)["drive"], "title": declaration["title"]})
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    width = max(len(row["experiment"]) for row in rows)
    for row in rows:
        print(f"{row['experiment']:<{width}}  {row['title']}")


if __name__ == "__main__":
    run(main)
