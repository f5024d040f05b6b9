# SPDX-License-Identifier: Apache-2.0
"""The firmware's table of policies (firmware/queue/policies.def), as tests and benches read it."""

import re
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "firmware/queue/policies.def"


def policies(table: Path = TABLE) -> dict[str, list[str]]:
    """By policy, in the table's order: selections as --policy writes them, the policy as it is first."""
    rows = re.findall(r'^POLICY\(\d+, (\w+), "([^"]*)"\)$', table.read_text(), re.MULTILINE)
    return {name: selections.split() for name, selections in rows}
