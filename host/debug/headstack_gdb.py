# SPDX-License-Identifier: Apache-2.0
"""GDB learns the firmware's structures and the simulator's commands: `source headstack_gdb.py`.

Symbols of another program are refused: a file whose code differs from the drive's RAM.

Printers: struct task and struct candidate in a line, with degrees and names; struct task_set and struct candidate_set as
the lists that they are. Commands: queue, drive, reg, when, goto, run-until, stepi-isr. Function: $degrees(turn32).
"""

import struct

import gdb
import gdb.printing

TURN32 = 1 << 32  # of a revolution
TASK_NONE = 0xFFFF  # firmware/queue/task.h


def degrees(turn32: int) -> float:
    """An angle, or a distance, of 2^-32 revolutions."""
    return (turn32 % TURN32) * 360.0 / TURN32


def enum_name(value: gdb.Value, prefix: str) -> str:
    """TASK_READ as "read"; a number that has no name as it is."""
    return str(value).removeprefix(prefix).lower()


class CandidatePrinter:
    """What a policy sees of a task."""

    def __init__(self, value: gdb.Value):
        self._value = value

    def to_string(self) -> str:
        value = self._value
        kind = enum_name(value["kind"].cast(gdb.lookup_type("enum candidate_kind")), "CANDIDATE_")
        return (
            f"{kind} at cylinder {int(value['cylinder'])}, head {int(value['head'])},"
            f" {degrees(int(value['angle_turn32'])):.3f} degrees, number {int(value['sequence'])}"
        )


class TaskPrinter:
    """A task in a line."""

    def __init__(self, value: gdb.Value):
        self._value = value

    def to_string(self) -> str:
        value = self._value
        return (
            f"tag {int(value['tag'])} of {int(value['initiator'])}: {enum_name(value['operation'], 'TASK_')}"
            f" {int(value['blocks'])} blocks at {int(value['lba'])}, {enum_name(value['state'], 'TASK_')}"
            f" ({CandidatePrinter(value['candidate']).to_string()})"
        )


class TaskSetPrinter:
    """All tasks, the oldest first."""

    def __init__(self, value: gdb.Value):
        self._value = value

    def to_string(self) -> str:
        return f"{int(self._value['count'])} tasks, {int(self._value['enabled']['count'])} may be chosen"

    def children(self):
        index = int(self._value["oldest"])
        for _ in range(int(self._value["count"])):
            if index == TASK_NONE:
                return
            task = self._value["task"][index]
            yield f"[{index}]", task
            index = int(task["younger"])


class CandidateSetPrinter:
    """Those that wait, the oldest first."""

    def __init__(self, value: gdb.Value):
        self._value = value

    def to_string(self) -> str:
        return f"{int(self._value['count'])} wait"

    def children(self):
        candidate = self._value["first"]
        for place in range(int(self._value["count"])):
            if int(candidate) == 0:
                return
            yield f"[{place}]", candidate.dereference()
            candidate = candidate["next"]


class Degrees(gdb.Function):
    """$degrees(TURN32): an angle of 2^-32 revolutions in degrees."""

    def __init__(self):
        super().__init__("degrees")

    def invoke(self, turn32: gdb.Value) -> float:
        return degrees(int(turn32))


class Monitor(gdb.Command):
    """A command of the simulator's monitor under its own name; some then let the run go on."""

    def __init__(self, name: str, text: str, goes_on: bool = False):
        self.__doc__ = text
        super().__init__(name, gdb.COMMAND_USER)
        self._name = name
        self._goes_on = goes_on

    def invoke(self, argument: str, from_tty: bool) -> None:
        answer = gdb.execute(f"monitor {self._name} {argument}", from_tty, to_string=True)
        gdb.write(answer)
        # A command that was wrong is answered with what it takes.
        if self._goes_on and answer.startswith("the next 'continue'"):
            gdb.execute("continue", from_tty)


class BlockRegisters(Monitor):
    """The monitor's `reg`, whose names can be completed."""

    def complete(self, text: str, word: str) -> list[str]:
        # What the completion replaces begins at `word`, at which GDB breaks the line: after a dot.
        try:
            lines = gdb.execute("monitor reg", to_string=True).splitlines()
        except gdb.error:  # not connected
            return []
        names = []
        for block, *registers in (line.split() for line in lines if line):
            names.append(block)
            names += [f"{block}.{register.split('[', 1)[0]}" for register in registers]
        begin = len(text) - len(word)
        return sorted({name[begin:] for name in names if name.startswith(text.upper())})


def code_of(file: str) -> list[tuple[str, int, bytes]]:
    """The sections of code in an ELF file of the drive's core: name, address and content. Raises struct.error, OSError."""
    executable = 4  # SHF_EXECINSTR
    with open(file, "rb") as stream:
        elf = stream.read()
    offset, entry_bytes, count, names = struct.unpack_from("<I10xHHH", elf, 32)
    sections = [struct.unpack_from("<IIIIII", elf, offset + number * entry_bytes) for number in range(count)]
    found = []
    for name, _, flags, address, begin, size in sections:
        if flags & executable and size:
            at = sections[names][4] + name
            found.append((elf[at : elf.index(b"\0", at)].decode(), address, elf[begin : begin + size]))
    return found


def require_own_program(_: object = None) -> None:
    """Checks that the symbols are those of the program in RAM. Raises gdb.GdbError; does nothing without a connection."""
    file = gdb.current_progspace().filename
    inferior = gdb.selected_inferior()
    if file is None or not inferior.pid:
        return
    for name, address, content in code_of(file):
        if bytes(inferior.read_memory(address, len(content))) != content:
            gdb.execute("disconnect")
            raise gdb.GdbError(
                f"headstack: {file} is another program: its {name} differs from the drive's RAM. The run waits;"
                " leave the file out of GDB's command line, or give the one that the run names with 'the core executes'."
            )


def printers() -> gdb.printing.RegexpCollectionPrettyPrinter:
    """The printers by the structures' names."""
    collection = gdb.printing.RegexpCollectionPrettyPrinter("headstack")
    for name, printer in (
        ("task", TaskPrinter),
        ("task_set", TaskSetPrinter),
        ("candidate", CandidatePrinter),
        ("candidate_set", CandidateSetPrinter),
    ):
        collection.add_printer(name, f"^{name}$", printer)
    return collection


# After either command, a connection or a file that was loaded, both are there.
for command in ("target hookpost-extended-remote", "target hookpost-remote", "hookpost-file", "hookpost-symbol-file"):
    gdb.execute(f"define {command}\npython require_own_program()\nend")
# The task set has most of the drive's RAM.
gdb.execute("set max-value-size 1048576")
gdb.printing.register_pretty_printer(None, printers(), replace=True)
Degrees()
Monitor("queue", "The drive's tasks, the oldest first.")
Monitor("drive", "Arm, spindle, bus and firmware in words.")
BlockRegisters("reg", "reg [BLOCK[.REGISTER]]: registers of the drive's blocks, without a side effect.")
Monitor("when", "Simulated time, clock edge, requests and events so far.")
Monitor("goto", "goto start | end | command N | time T | event NAME[:N]: goes there, forward or back.", goes_on=True)
Monitor("run-until", "run-until cmd N | time T | event NAME: goes on until then.", goes_on=True)
Monitor("stepi-isr", "To the very next instruction, also into an interrupt handler.", goes_on=True)
