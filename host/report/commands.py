# SPDX-License-Identifier: Apache-2.0
"""The first pass over a run's records: a few numbers of every command, about 40 bytes at most."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from record_file import NONE, Column, Records, read_header, read_records, require_columns
from run_folder import RunError, RunFolder

NO_OPERATION = 255
MOST_BLOCKS = 1 << 48
SIZES = 2 ** np.arange(49, dtype=np.int64)  # classes of size: from more than half of it up to it
NO_SIZE = 255  # class of a command that moves no blocks
LATEST_PS = 1 << 62
LONGER_AT_MOST = 1000  # how many times the summary's value is accepted
READ_AHEAD = 4096  # requests that a run reads ahead: host/replay/issue_order.hpp

# Odd constants that mix well (Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing).
MIX = np.int64(0x9E3779B97F4A7C15 - (1 << 64))
MIX_TOO = np.int64(0xC2B2AE3D27D4EB4F - (1 << 64))

FIXED_COLUMNS = ["command", "operation", "lba", "blocks", "submitted_ps", "completed_ps", "response_ps", "status"]


@dataclass
class Commands:
    """Values of each command of the trace, by its number. `response` is NONE for a command that is not in the file."""

    response: Column
    service: Column
    operation: NDArray[np.uint8]
    size: NDArray[np.uint8]  # class of the number of blocks: a place in SIZES, or NO_SIZE
    request: NDArray[np.uint32]  # a hash of operation, place and length, equal for equal requests
    measured: Column | None
    host_wait: Column | None  # from a command's arrival in the host to its submission; None in a closed loop
    host: NDArray[np.uint8] | None
    begin: int  # the first submission of the run
    end: int  # the last completion
    failed: int
    sense: Counter[int] = field(default_factory=Counter)  # number of commands by their sense data: record_file.sense_text()

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which commands are in the file."""
        return self.response != NONE


def service_stages(stages: list[str]) -> list[str]:
    """The stages of a command from its choice on."""
    return stages[stages.index("queued") + 1 :] if "queued" in stages else stages


def mix(values: Column) -> NDArray[np.uint32]:
    """A hash of 32 bits, which depends on every bit of a value."""
    mixed = values.astype(np.int64) * MIX
    mixed ^= mixed >> np.int64(29)
    mixed *= MIX_TOO
    return (mixed >> np.int64(32)).astype(np.uint32)


def _check_places(run: RunFolder, records: Records, stages: list[str]) -> None:
    """Checks the records' numbers. Numbers that no drive has would take unlimited memory. Raises RunError."""
    for name in (*FIXED_COLUMNS, *stages):
        column = records[name]
        bad = (column < 0) | (column > (MOST_BLOCKS if name in ("lba", "blocks") else LATEST_PS))
        if bad.any():
            value = int(column[int(bad.argmax())])
            raise RunError(f"{run.records}: a command with '{name}' {value}, which no drive has; repeat the run")
    if "arrived_ps" in records:
        bad = (records["arrived_ps"] < 0) | (records["arrived_ps"] > records["submitted_ps"])
        if bad.any():
            value = int(records["arrived_ps"][int(bad.argmax())])
            raise RunError(f"{run.records}: 'arrived_ps' {value} of a command is not within 0 .. 'submitted_ps'; repeat the run")


def load_commands(run: RunFolder) -> Commands:
    """The first pass. Raises RunError."""
    service = [f"{stage}_ps" for stage in service_stages(run.stages())]
    require_columns(run.records, FIXED_COLUMNS + service)
    names = read_header(run.records)
    expected = int(run.result["commands"])
    # Numbers are the trace's. Commands of the warm-up, commands still out at the end and requests read ahead have numbers,
    # too.
    size = expected + int(run.summary.get("warm_up_commands", 0)) + int(run.summary["queue_depth"]) + READ_AHEAD
    if expected > run.records.stat().st_size:  # a command takes more than a byte
        raise RunError(f"{run.records}: its commands are not the {expected} of summary.json; repeat the run")
    try:
        return _load(run, size, expected, service, names)
    except MemoryError:
        raise RunError(
            f"{run.folder / 'summary.json'}: no memory for the numbers of {size:,} commands: 'warm_up_commands' or 'queue_depth' "
            "is too large; repeat the run"
        ) from None


def _load(run: RunFolder, size: int, expected: int, service: list[str], names: list[str]) -> Commands:
    """Makes the pass with room for `size` commands."""
    optional = {name: np.full(size, NONE, np.int64) for name in ("measured_service_ps",) if name in names}
    commands = Commands(
        response=np.full(size, NONE, np.int64),
        service=np.zeros(size, np.int64),
        operation=np.full(size, NO_OPERATION, np.uint8),
        size=np.full(size, NO_SIZE, np.uint8),
        request=np.zeros(size, np.uint32),
        measured=optional.get("measured_service_ps"),
        host_wait=np.zeros(size, np.int64) if "arrived_ps" in names else None,
        host=np.zeros(size, np.uint8) if "initiator" in names else None,
        begin=np.iinfo(np.int64).max,
        end=0,
        failed=0,
    )
    count = 0
    for records in read_records(run.records):
        _check_places(run, records, service)
        at = records["command"]
        count += len(records)
        if count > expected or at.min() < 0 or at.max() >= size:
            break
        commands.response[at] = records["response_ps"]
        commands.service[at] = sum(records[name] for name in service)
        commands.operation[at] = records["operation"]
        commands.size[at] = np.where(records["blocks"] > 0, np.searchsorted(SIZES, records["blocks"]), NO_SIZE)
        commands.request[at] = mix(mix(records["lba"]) + records["blocks"] * 3 + records["operation"])
        for name, values in optional.items():
            values[at] = records[name]
        if commands.host_wait is not None:
            commands.host_wait[at] = records["submitted_ps"] - records["arrived_ps"]
        if commands.host is not None:
            commands.host[at] = records["initiator"]
        commands.begin = min(commands.begin, int(records["submitted_ps"].min()))
        commands.end = max(commands.end, int(records["completed_ps"].max()))
        commands.failed += int(np.count_nonzero(records["status"]))
        if "sense" in records:  # runs of earlier versions lack it
            sense = records["sense"]
            commands.sense.update(sense[sense != NONE].tolist())
    if count != expected or np.count_nonzero(commands.done) != expected:
        raise RunError(f"{run.records}: its commands are not the {expected} of summary.json; repeat the run")
    if commands.end - commands.begin > LONGER_AT_MOST * max(int(run.result["elapsed_ps"]), 1):
        raise RunError(f"{run.records}: its times are not of the 'result.elapsed_ps' of summary.json; repeat the run")
    if expected == 0:
        raise RunError(f"{run.records}: no command in it, so there is nothing to report; repeat the run")
    return commands
