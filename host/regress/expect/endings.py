# SPDX-License-Identifier: Apache-2.0
"""How commands end: with GOOD, or with the sense data that follow from the drive's flaws and the hosts' actions."""

from dataclasses import dataclass
from typing import Any

from run_records import Record

from expect.world import Answer, World, judge, plural

CHECK_CONDITION = 0x02  # SCSI-2 table 27
NO_STATUS = 0xFF  # host/report/command_record.hpp: ended from outside
LOST = "lost"  # in the place of sense data


@dataclass(frozen=True)
class Ending:
    """Sense data, and the commands that end with them: those that meet all conditions."""

    sense: str  # "4/02/00"; LOST: it ends without a status
    blocks: tuple[tuple[int, int], ...] = ()  # first and last block: a command with one of them meets the condition; none: any
                                              # blocks
    commands: tuple[int, ...] = ()  # numbers of commands; none: any
    operation: str = ""  # "": any operation

    def fits(self, record: Record) -> bool:
        """Whether the command meets all conditions."""
        last = record.lba + record.blocks - 1
        return (
            (not self.blocks or any(record.lba <= end and begin <= last for begin, end in self.blocks))
            and (not self.commands or record.command in self.commands)
            and self.operation in ("", record.operation)
        )


def take_endings(value: Any) -> tuple[Ending, ...]:
    """Takes the key `endings`: a list of tables. Raises ValueError."""
    remedy = "a list of tables {sense = \"3/11/00\", blocks = [[first, last]], commands = [number], operation = \"read\"}"
    if not isinstance(value, list) or not value:
        raise ValueError(remedy)
    endings = []
    for table in value:
        if not isinstance(table, dict) or not isinstance(table.get("sense"), str):
            raise ValueError(remedy)
        try:
            blocks = tuple((int(first), int(last)) for first, last in table.get("blocks", []))
            commands = tuple(int(number) for number in table.get("commands", []))
            rest = {key: one for key, one in table.items() if key not in ("blocks", "commands")}
            endings.append(Ending(**rest, blocks=blocks, commands=commands))
        except (TypeError, ValueError):
            raise ValueError(remedy) from None
    return tuple(endings)


def sense(world: World, given: dict[str, Any]) -> Answer:
    """The expectation `sense`: commands of an ending have its sense, all others end with GOOD, and each ending has a command.
    """
    endings: tuple[Ending, ...] = given["endings"]
    count = dict.fromkeys(endings, 0)
    faults = []
    records = world.journal.records
    for record in records:
        ending = next((one for one in endings if one.fits(record)), None)
        if ending is not None:
            count[ending] += 1
        due = ending.sense if ending is not None else ""
        status = NO_STATUS if due == LOST else CHECK_CONDITION if due else 0
        if record.sense != due.removeprefix(LOST):
            faults.append(f"{record.named} ended with sense {record.sense or 'none'}, not {due or 'none'}")
        elif record.status != status:
            faults.append(f"{record.named} ended with status {record.status:02X}h, not {status:02X}h, and sense {record.sense or 'none'}")
    faults += [f"no command could end with {ending.sense}" for ending, times in count.items() if times == 0]
    names = ", ".join(dict.fromkeys(ending.sense for ending in endings))
    return judge(faults, f"{plural(len(records), 'command')}, with GOOD or {names}", len(records), "command")
