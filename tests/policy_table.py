# SPDX-License-Identifier: Apache-2.0
"""The firmware's table of policies (firmware/queue/policies.def), as tests and benches read it."""

import re
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "firmware/queue/policies.def"


def policies(table: Path = TABLE) -> dict[str, list[str]]:
    """The selections of each policy as --policy has them, in the table's order: the policy without parameters first."""
    rows = re.findall(r'^POLICY\(\d+, (\w+), "([^"]*)"\)$', table.read_text(), re.MULTILINE)
    return {name: selections.split() for name, selections in rows}
