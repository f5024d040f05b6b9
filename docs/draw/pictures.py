# SPDX-License-Identifier: Apache-2.0
"""The pictures that need nothing but sources: the road of a request, the firmware's floors, the SoC, its clocks, its addresses, a block's ports."""

import re
import sys
from pathlib import Path

import verilog
from canvas import Canvas
from registers import ROOT, events_of, interrupt_sources

sys.path.insert(0, str(ROOT / "firmware/tools"))

from floors import Floors, include_edges, uses_between  # noqa: E402

HDL = ROOT / "hdl"
SOC = HDL / "soc/soc_top.sv"
# Where the module of each instance is.
SOURCES = {path.stem: path for path in sorted(HDL.rglob("*.sv"))}

# --- The road of a request ---------------------------------------------------------------------------------------

# Station: column, row, kind (a host, b electronics, c simulation, d firmware), folder, what it does.
ROAD = (
    ("host/traces", 0, 0, "a", "host/traces", "reads a trace"),
    ("host/replay", 1, 0, "a", "host/replay", "issues requests"),
    ("host/report", 2, 0, "a", "host/report", "cuts time into stages"),
    ("sim/initiator", 1, 1, "c", "sim/initiator", "host adapter: CDB, tags"),
    ("sim/bus", 1, 2, "c", "sim/bus", "wires, arbitration, REQ/ACK"),
    ("scsi_target", 1, 3, "b", "hdl/scsi_target", "phases, messages, bytes"),
    ("firmware/target", 0, 3, "d", "firmware/target", "connection, messages"),
    ("firmware/device", 0, 4, "d", "firmware/device", "decodes the command"),
    ("firmware/queue", 0, 5, "d", "firmware/queue", "chooses the next one"),
    ("firmware/transfer", 0, 6, "d", "firmware/transfer", "plans runs and buffers"),
    ("firmware/motion", 0, 7, "d", "firmware/motion", "maps blocks, seeks"),
    ("buffer_mgr", 2, 5, "b", "hdl/buffer_mgr", "ring segments, credits"),
    ("formatter", 2, 7, "b", "hdl/formatter", "finds sectors, checks them"),
    ("servo", 1, 7, "b", "hdl/servo", "moves the arm"),
    ("sim/mechanics", 1, 8, "c", "sim/mechanics", "arm and spindle"),
    ("sim/channel", 2, 8, "c", "sim/channel", "bytes under the head"),
    ("sim/media", 2, 9, "c", "sim/media", "what lies on the platters"),
)
# From, to, and what goes along: "line" the command, "line-a" data and status, "line-both" command and data.
ROAD_WAYS = (
    ("host/traces", "host/replay", "line"),
    ("host/replay", "sim/initiator", "line"),
    ("sim/initiator", "sim/bus", "line-both"),
    ("sim/bus", "scsi_target", "line-both"),
    ("scsi_target", "firmware/target", "line"),
    ("firmware/target", "firmware/device", "line"),
    ("firmware/device", "firmware/queue", "line"),
    ("firmware/queue", "firmware/transfer", "line"),
    ("firmware/transfer", "firmware/motion", "line"),
    ("firmware/motion", "servo", "line"),
    ("servo", "sim/mechanics", "line"),
    ("sim/mechanics", "sim/channel", "line"),
    ("sim/media", "sim/channel", "line-a"),
    ("sim/channel", "formatter", "line-a"),
    ("formatter", "buffer_mgr", "line-a"),
    ("buffer_mgr", "scsi_target", "line-a"),
    ("sim/initiator", "host/report", "line-a"),
)
_BOX, _TALL = 204, 46


def _place(column: int, row: int) -> tuple[float, float]:
    return 16 + column * 242, 40 + row * 70


def road() -> str:
    """The road of a read: command down on the left, data up on the right."""
    picture = Canvas(
        720, 760, "The road of a read",
        "The command goes from the host over the bus to the firmware, which moves the arm. "
        "Data go from the media through formatter, buffer and bus to the host.",
    )  # fmt: skip
    centre = {}
    for name, column, row, kind, folder, what in ROAD:
        if not (ROOT / folder).is_dir():
            raise verilog.SourceError(f"{Path(__file__).name}: ROAD names {folder}, which is no folder")
        x, y = _place(column, row)
        centre[name] = (x + _BOX / 2, y + _TALL / 2)
        picture.box(x, y, _BOX, _TALL, kind)
        picture.text(x + _BOX / 2, y + 19, name, anchor="middle", bold=True)
        picture.text(x + _BOX / 2, y + 37, what, size=12, anchor="middle")
    for start, end, kind in ROAD_WAYS:
        if kind == "line-both":
            (x, y), (_, below) = centre[start], centre[end]
            picture.arrow([(x - 12, y + _TALL / 2), (x - 12, below - _TALL / 2)], "line", 1.6)
            picture.arrow([(x + 12, below - _TALL / 2), (x + 12, y + _TALL / 2)], "line-a", 1.6)
        else:
            picture.arrow(_way(centre[start], centre[end]), kind, 1.6)
    for index, (kind, words) in enumerate((("a", "host"), ("c", "simulated world"), ("b", "electronics"), ("d", "firmware"))):
        picture.box(16 + index * 170, 10, 14, 14, kind, 2)
        picture.text(36 + index * 170, 22, words, size=12)
    return picture.svg()


def floors() -> str:
    """The firmware's floors, highest first, with the number of includes from each to each floor below."""
    firmware = ROOT / "firmware"
    table = Floors.load(firmware / "floors.toml")
    uses = uses_between(include_edges(firmware), table)
    count = len(table.floors)
    height, left, cell = 30, 190, 50
    picture = Canvas(
        left + cell * count + 30, 84 + height * count, "The floors of the firmware",
        "Each row is a floor, the highest first. A number counts the includes from the row's floor to the column's floor. "
        "All numbers are below the diagonal: no floor includes a higher one.",
    )  # fmt: skip
    names = [", ".join(folder or "top" for folder in folders) for folders in table.floors]
    for column in range(count):
        name = names[count - 1 - column].replace(", ", "/")
        picture.text(left + column * cell + cell / 2, 34 + (18 if column % 2 else 0), name, size=12, anchor="middle")
    for row in range(count):
        one, y = count - 1 - row, 60 + row * height
        picture.box(10, y, left - 20, height - 6, "d")
        picture.text(20, y + 17, names[one], bold=True)
        for column in range(count):
            other = count - 1 - column
            if other == one:
                picture.box(left + column * cell + 3, y, cell - 6, height - 6, "d")
            elif uses[one, other]:
                picture.text(left + column * cell + cell / 2, y + 17, str(uses[one, other]), size=12, anchor="middle")
    return picture.svg()


def _way(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    """From the side of one box to that of another: straight, or around one corner."""
    (x0, y0), (x1, y1) = start, end
    wide, tall = _BOX / 2, _TALL / 2
    if y0 == y1:
        return [(x0 + (wide if x1 > x0 else -wide), y0), (x1 - (wide if x1 > x0 else -wide), y1)]
    down = 1 if y1 > y0 else -1
    if x0 == x1:
        return [(x0, y0 + down * tall), (x1, y1 - down * tall)]
    aside = 1 if x1 > x0 else -1
    return [(x0 + aside * wide, y0), (x1, y0), (x1, y1 - down * tall)]


# --- The SoC -----------------------------------------------------------------------------------------------------

# Instance: column, row in the picture.
SOC_PLACES = {
    "cpu": (0, 0),
    "crossbar": (1, 0),
    "ram": (2, 0),
    "io_bridge": (1, 1),
    "irq_ctrl": (0, 2),
    "timer": (1, 2),
    "trace_port": (2, 2),
    "testdev": (3, 2),
    "scsi_target": (0, 4),
    "buffer_mgr": (1, 4),
    "formatter": (2, 4),
    "servo": (3, 4),
}
_COMMON = re.compile(r"^(\w*clk\w*|rst_ni|reg_req.*|reg_rsp.*|block_irq.*|\w*clk_req\w*|mtime_q|levels_q.*|index_pulse_q|pins_q)$")


def _signal(net: str) -> str:
    """A net without the bits that are taken of it, and without the struct that it is a part of."""
    return re.sub(r"\[.*|\..*", "", net)


def netlist() -> dict[tuple[str, str], list[str]]:
    """The nets between each two instances of the SoC, but for registers, clocks, interrupts and time."""
    users: dict[str, list[str]] = {}
    for instance in verilog.instances(SOC):
        for net in instance.nets.values():
            if net and not _COMMON.match(net):
                users.setdefault(_signal(net), []).append(instance.name)
    pairs: dict[tuple[str, str], list[str]] = {}
    for net, names in users.items():
        if len(set(names)) == 2:
            first, second = sorted(set(names))
            pairs.setdefault((first, second), []).append(net)
    return pairs


def outside() -> dict[str, list[str]]:
    """The ports of the SoC that each instance is connected to, by way of the input registers."""
    own = {port.name for port in verilog.ports(SOC)}
    behind = {"pins_q": "scsi_i", "channel_q": "channel_i", "formatter_channel": "channel_o", "levels_q.hda": "hda_i", "index_pulse_q": "channel_i"}
    found: dict[str, list[str]] = {}
    for instance in verilog.instances(SOC):
        for net in instance.nets.values():
            port = behind.get(net, net)
            if port in own and not re.fullmatch(r"\w*clk\w*|rst_ni", net) and port != "core_sleep_o":
                found.setdefault(instance.name, []).append(port)
    return found


def soc() -> str:
    """Blocks and what joins them, as soc_top.sv connects them."""
    picture = Canvas(
        720, 452, "The SoC", "Core, crossbar, firmware RAM and bridge; blocks with registers; the road of data from bus to media."
    )
    wide, tall = 150, 50
    places = {name: (16 + column * 179, 12 + row * 80) for name, (column, row) in SOC_PLACES.items()}
    names = [instance.name for instance in verilog.instances(SOC)]
    if sorted(names) != sorted(SOC_PLACES):
        raise verilog.SourceError(f"{Path(__file__).name}: SOC_PLACES is not what soc_top.sv has: {sorted(set(names) ^ set(SOC_PLACES))}")
    for (first, second), nets in sorted(netlist().items()):
        (x0, y0), (x1, y1) = places[first], places[second]
        label = f"{len(nets)}"
        if (first, second) == ("buffer_mgr", "io_bridge"):  # past the timer
            below, left = y1 + tall, x0 - 14
            corners = [(x1 + 8, below), (x1 + 8, below + 12), (left, below + 12), (left, y0 - 14), (x0 + 20, y0 - 14), (x0 + 20, y0)]
            picture.arrow(corners, both=True)
            picture.text(x0 - 8, y0 - 50, label, size=12, kind="dim")
        elif y0 == y1:
            left, right = min(x0, x1), max(x0, x1)
            picture.arrow([(left + wide, y0 + tall / 2), (right, y0 + tall / 2)], both=True)
            picture.text((left + wide + right) / 2, y0 + tall / 2 - 6, label, size=12, anchor="middle", kind="dim")
        else:
            top, bottom = min(y0, y1), max(y0, y1)
            picture.arrow([(x0 + wide / 2, top + tall), (x0 + wide / 2, bottom)], both=True)
            picture.text(x0 + wide / 2 + 5, (top + tall + bottom) / 2 + 4, label, size=12, kind="dim")
    # The register port, from the bridge to all blocks.
    bridge = places["io_bridge"]
    rail = bridge[1] + tall + 22
    picture.line([(bridge[0] + wide - 20, bridge[1] + tall), (bridge[0] + wide - 20, rail)], "line-b", 1.6)
    blocks = [instance.name for instance in verilog.instances(SOC) if any(net.startswith("reg_req[") for net in instance.nets.values())]
    ends = [places[name][0] + wide - 20 for name in blocks]
    second_rail = places["scsi_target"][1] - 30
    picture.line([(min(ends), rail), (max(ends) + 32, rail), (max(ends) + 32, second_rail), (min(ends), second_rail)], "line-b", 1.6)
    for name in blocks:
        x, y = places[name]
        picture.arrow([(x + wide - 20, rail if y < second_rail else second_rail), (x + wide - 20, y)], "line-b", 1.6)
    picture.text(max(ends) + 26, rail - 8, f"register port of {len(blocks)} blocks", size=12, anchor="end", kind="ink-b")
    for name, (x, y) in places.items():
        kind = "d" if name in ("cpu", "crossbar", "ram", "io_bridge") else "b" if y >= places["servo"][1] else "box"
        picture.box(x, y, wide, tall, kind)
        picture.text(x + wide / 2, y + 21, name, anchor="middle", bold=True)
        module = next(one.module for one in verilog.instances(SOC) if one.name == name)
        picture.text(x + wide / 2, y + 39, module if module != name else _size(module), size=12, anchor="middle", kind="dim")
    for name, what in (("scsi_target", "SCSI bus"), ("formatter", "track: pulses, bytes"), ("servo", "arm, spindle")):
        x, y = places[name]
        if not outside().get(name):
            raise verilog.SourceError(f"{SOC}: {name} has no port to the world")
        picture.arrow([(x + wide / 2, y + tall), (x + wide / 2, y + tall + 24)], "line-c", 1.6, both=True)
        picture.text(x + wide / 2, y + tall + 40, what, size=12, anchor="middle", kind="ink-c")
    return picture.svg()


def _size(module: str) -> str:
    return f"{len(verilog.ports(SOURCES[module]))} ports"


# --- A block's ports ---------------------------------------------------------------------------------------------


def neighbours(block: str) -> dict[str, list[verilog.Port]]:
    """Who is at the other end of each of a block's ports, by the connections in soc_top.sv."""
    instance = next(one for one in verilog.instances(SOC) if one.module == block)
    others: dict[str, list[str]] = {}
    for one in verilog.instances(SOC):
        for net in one.nets.values():
            others.setdefault(_signal(net), []).append(one.name)
    found: dict[str, list[verilog.Port]] = {}
    for port in verilog.ports(SOURCES[block]):
        if port.name not in instance.nets:
            raise verilog.SourceError(f"{SOC}: u_{instance.name} does not connect {port.name}")
        net = instance.nets[port.name]
        ends = sorted(set(others.get(_signal(net), [])) - {instance.name})
        if re.match(r"reg_(req|rsp)_[io]$", port.name):
            key = "io_bridge"
        elif net.startswith("block_irq"):
            key = "irq_ctrl"
        elif "clk" in port.name or port.name == "rst_ni":
            key = "clock and reset"
        elif len(ends) == 1 and not net.startswith("levels_q"):
            key = ends[0]
        else:
            key = "outside"
        found.setdefault(key, []).append(port)
    return found


def block(name: str) -> str:
    """A block with its parts, and its ports by who is at their other end."""
    groups = {key: some for key, some in neighbours(name).items() if key != "clock and reset"}
    inner = [one for one in verilog.instances(SOURCES[name]) if not one.module.endswith("_regs")]
    keys = sorted(groups, key=lambda key: (-len(groups[key]), key))
    sides: tuple[list[str], list[str]] = ([], [])
    for key in keys:
        heavy = [sum(len(groups[one]) + 2 for one in side) for side in sides]
        sides[0 if heavy[0] <= heavy[1] else 1].append(key)
    rows = max(sum(len(groups[key]) + 2 for key in side) for side in sides)
    tall = max(rows * 17 + 10, 60 + 34 * max(len(inner), 1))
    picture = Canvas(720, tall + 24, f"Ports of {name}", f"The ports of {name}, by who is at their other end: {', '.join(keys)}.")
    picture.box(262, 12, 196, tall, "b")
    picture.text(360, 34, name, anchor="middle", bold=True, size=15)
    for index, one in enumerate(inner):
        picture.box(278, 50 + index * 34, 164, 26)
        picture.text(360, 67 + index * 34, one.module, size=12, anchor="middle")
    for side, names in enumerate(sides):
        y = 24.0
        for key in names:
            picture.text(20 if side == 0 else 700, y + 6, key, bold=True, anchor="start" if side == 0 else "end")
            for port in groups[key]:
                y += 17
                inward = port.direction == "input"
                edge, far = (262, 214) if side == 0 else (458, 506)
                picture.arrow([(far, y + 4), (edge, y + 4)] if inward else [(edge, y + 4), (far, y + 4)])
                picture.text(208 if side == 0 else 512, y + 8, port.name, size=12, anchor="end" if side == 0 else "start", mono=True)
            y += 34
    return picture.svg()


# --- Addresses and interrupts --------------------------------------------------------------------------------------


def address_map() -> list[tuple[int, int, str]]:
    """First address, size in bytes and owner, as bus_pkg.sv decodes."""
    numbers = verilog.constants(HDL / "bus/bus_pkg.sv")
    page = 1 << verilog.constants(HDL / "ports/reg_pkg.sv")["RegAddrWidth"]
    blocks = verilog.enumeration(HDL / "bus/bus_pkg.sv", "block_e")
    modules = {f"Block{''.join(part.capitalize() for part in one.module.split('_'))}": one.module for one in verilog.instances(SOC)}
    return [
        (0, 1 << numbers["RamAddrWidth"], "firmware RAM"),
        *((numbers["RegBase"] + page * number, page, modules[name]) for name, number in blocks.items()),
        (numbers["BufferBase"], 1 << numbers["BufferAddrWidth"], "buffer RAM, the core's window"),
    ]


def sections() -> list[str]:
    """The parts of the firmware's RAM, from its lower end up, as the linker script places them."""
    script = (ROOT / "firmware/start/soc.ld").read_text(encoding="utf-8")
    names = re.findall(r"^  (\.[\w]+) (?:\(NOLOAD\) )?:", script, re.M)
    stack = re.search(r"__stack_bytes\) \? __stack_bytes : (\d+)K", script)
    if not stack:
        raise verilog.SourceError("firmware/start/soc.ld: no __stack_bytes")
    return [*names, f"free, then {stack[1]} KiB of stack, which grows down"]


def _amount(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def memory() -> str:
    """Who answers at which address; what the linker puts into the RAM."""
    regions = address_map()
    parts = sections()
    picture = Canvas(720, 64 + 34 * (len(regions) + 2), "Memory map", "The addresses that the core sees, and the parts of its RAM.")
    picture.text(20, 26, "addresses of the core", bold=True)
    picture.text(500, 26, "firmware RAM", bold=True)
    y, before, ram_at = 40, 0, 0
    for first, size, owner in regions:
        if first > before:
            picture.text(230, y + 15, "bus error", size=12, kind="dim", anchor="middle")
            y += 24
        kind = "d" if owner == "firmware RAM" else "b" if owner.startswith("buffer RAM") else "box"
        picture.box(150, y, 290, 32, kind)
        picture.text(142, y + 21, f"{first:08x}", size=12, anchor="end", mono=True)
        picture.text(160, y + 21, owner)
        picture.text(432, y + 21, _amount(size), size=12, anchor="end", kind="dim")
        ram_at = ram_at or y
        before = first + size
        y += 34
    picture.text(230, y + 15, "bus error", size=12, kind="dim", anchor="middle")
    top = 40
    for part in parts[::-1]:  # high addresses above
        tall = 62 if part.startswith("free") else 30
        picture.box(500, top, 200, tall, "d")
        words = part.split(", ")
        for line, text in enumerate(words):
            picture.text(510, top + 20 + 16 * line, text, size=12, mono=part.startswith("."))
        top += tall + 2
    picture.line([(440, ram_at), (500, 40)], "grid")
    picture.line([(440, ram_at + 32), (500, top - 2)], "grid")
    picture.text(500, top + 16, "00000000 is at the lower end", size=12, kind="dim")
    return picture.svg()


def interrupts() -> str:
    """From the events of blocks to the one line of the core."""
    sources = interrupt_sources()
    counts = [len(events_of(block)) for _, block in sources]
    picture = Canvas(720, 30 + 17 * sum(counts) + 22 * len(counts), "Interrupt map", "Events of each block, the controller's bits, the core's line.")
    y = 12.0
    middle = picture.height / 2
    picture.box(430, 12, 130, picture.height - 24, "b")
    picture.text(495, 34, "irq_ctrl", anchor="middle", bold=True)
    picture.text(495, 52, "PENDING, ENABLE", anchor="middle", size=12, kind="dim")
    for bit, block_name in sources:
        events = events_of(block_name)
        tall = 17 * len(events) + 12
        picture.box(20, y, 320, tall)
        picture.text(30, y + tall / 2 + 5, block_name, bold=True)
        for index, event in enumerate(events):
            picture.text(330, y + 19 + 17 * index, event, size=12, anchor="end", mono=True)
        picture.arrow([(340, y + tall / 2), (430, y + tall / 2)])
        picture.text(385, y + tall / 2 - 5, f"bit {bit}", size=12, anchor="middle", kind="dim")
        y += tall + 10
    picture.arrow([(560, middle), (620, middle)])
    picture.box(620, middle - 24, 84, 48, "d")
    picture.text(662, middle - 3, "core", anchor="middle", bold=True)
    picture.text(662, middle + 15, "wakes wfi", anchor="middle", size=12)
    return picture.svg()


# --- Clocks --------------------------------------------------------------------------------------------------------


def clock_users() -> dict[str, list[str]]:
    """The clock inputs of the SoC, and the instances that run by each; input registers are soc_top's own."""
    found: dict[str, list[str]] = {port.name: [] for port in verilog.ports(SOC) if port.name.endswith("_clk_i")}
    for instance in verilog.instances(SOC):
        for port, net in instance.nets.items():
            if net in found:
                found[net].append(instance.name + (" (registers)" if port == "reg_clk_i" else ""))
    text = SOC.read_text(encoding="utf-8")
    for clock, users in found.items():
        if not users and f"posedge {clock}" in text:
            users.append("input registers")
    return found
