# SPDX-License-Identifier: Apache-2.0
"""What loads may cost: the table in budget.toml, and what was measured beside it."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from result_files import write_text

BOUND = 0.03  # of the budget
FIRMWARE, HOST = "firmware cycles", "host instructions"
QUANTITIES = (FIRMWARE, HOST)
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# What loads cost when this was written, a command or as a whole; bench_budget.py says how it is measured.
# By `headstack bench budget --write "reason"`, also after a merge.
"""

Costs = dict[str, dict[str, int]]  # by load and quantity


class TableError(Exception):
    """A table that cannot be read."""


@dataclass(frozen=True)
class Table:
    """Budgets, and what compiled the program whose instructions they count."""

    reason: str
    toolchain: str
    costs: Costs


def read_table(file: Path, loads: list[str]) -> Table:
    """Reads the table of budgets. Raises TableError."""
    try:
        keys = tomllib.loads(file.read_text(encoding="utf-8"))
        table = Table(keys["reason"], keys["toolchain"], keys["cost"])
        whole = all(type(table.costs[load][quantity]) is int and table.costs[load][quantity] > 0
                    for load in loads for quantity in QUANTITIES)
    except OSError as error:
        raise TableError(f"{file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TableError(f"{file}: {error}") from None
    except KeyError as error:
        raise TableError(f"{file}: no {error}") from None
    except TypeError:
        whole = False
    if not whole:
        raise TableError(f"{file}: a budget is no whole number above 0")
    return table


def _text(value: str) -> str:
    """A string in TOML: as in JSON, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_table(file: Path, table: Table) -> None:
    """The file, whole. Raises OutputError."""
    text = f"{HEAD}reason = {_text(table.reason)}\ntoolchain = {_text(table.toolchain)}\n"
    for load, cost in table.costs.items():
        text += f"\n[cost.{_text(load)}]\n" + "".join(f"{_text(name)} = {cost[name]}\n" for name in QUANTITIES)
    write_text(file, text)


def percent_off(measured: int, budget: int) -> str:
    """The difference in percent, as text."""
    return f"{100 * (measured - budget) / budget:+.1f} %"


def is_above(measured: int, budget: int) -> bool:
    """Whether it is above the budget by more than the bound."""
    return measured > budget * (1 + BOUND)


def is_below(measured: int, budget: int) -> bool:
    """Whether it is below the budget by more than the bound."""
    return measured < budget * (1 - BOUND)
