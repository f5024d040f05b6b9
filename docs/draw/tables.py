# SPDX-License-Identifier: Apache-2.0
"""Tables of pages, as Markdown: ports, registers, properties, clocks, addresses, policies."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pictures
import runs
import verilog
from registers import ROOT, Field, registers

sys.path.append(str(ROOT / "firmware/tools"))

import page_rows  # noqa: E402

SOURCES_OF_POLICIES = Path(__file__).with_name("policy_sources.toml")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _table(*heads: str) -> list[str]:
    return [_row(*heads), "|" + "---|" * len(heads)]


def _sentence(*parts: str) -> str:
    return " ".join(part for part in parts if part)


# Ports that every block has.
COMMON_PORTS = {
    "clk_i": "the block's gated clock",
    "reg_clk_i": "the gated clock of its registers",
    "rst_ni": "reset, active low, asynchronous",
    "reg_req_i": "an access to its registers",
    "reg_rsp_o": "the answer",
    "irq_o": "an event is enabled and pending",
    "clk_req_o": "needs the clock's next edge",
    "reg_clk_req_o": "the same for the registers",
}
# Signals of a bus, by the last word of their names.
BUS_SIGNALS = {
    "req": "a request",
    "start": "a request",
    "target": "which registers or memory it is for",
    "we": "it writes",
    "be": "the bytes of the word that it writes",
    "addr": "its address",
    "wdata": "the word to write",
    "gnt": "the request is accepted",
    "rvalid": "the answer is there",
    "done": "the answer is there",
    "rdata": "the word read",
    "err": "the answer is an error",
    "rsp": "the answer",
}


def _meaning(port: verilog.Port) -> str:
    """Its own comment, or what every port of its name means."""
    return port.comment or COMMON_PORTS.get(port.name) or BUS_SIGNALS.get(port.name.split("_")[-2], "")


def ports(module: str) -> list[str]:
    """Of a module, by who is at the other end where it is a part of soc_top."""
    path = pictures.SOURCES[module]
    ends = {port.name: key for key, some in pictures.neighbours(module).items() for port in some}
    lines = _table("port", "", "type", "other end", "meaning")
    group = ""
    for port in verilog.ports(path):
        # A comment above several ports stands with the first of them.
        above = port.group if port.group != group else ""
        group = port.group
        meaning = _meaning(port)
        meaning = _sentence(above, meaning[:1].upper() + meaning[1:]) if above else meaning
        if not meaning:
            raise ValueError(f"{path}: port {port.name} has no comment; write its meaning at the end of its line")
        lines.append(_row(f"`{port.name}`", port.direction.removesuffix("put"), f"`{port.type}`", ends[port.name], meaning))
        lines += [_row(f"`{one.name}`", "", f"`{one.type}`", "", one.comment) for one in verilog.members(port)]
    return lines


def _bits(field: Field) -> str:
    return f"{field.high}:{field.low}" if field.high != field.low else str(field.low)


def register_page(block: str) -> list[str]:
    """All registers of a block with their fields, and the values of enumerations."""
    lines = _table("offset", "register", "bits", "field", "access", "reset", "meaning")
    for register in registers(block):
        # What stands over all fields stands in a row of its own.
        lines.append(_row(f"`0x{register.offset:02X}`", f"**{register.name}**", "", "", "", "", register.description))
        for field in register.fields:
            values = " ".join(f"{number} `{name}`" + (f": {text}" if text else ".") for number, name, text in field.values)
            lines.append(_row("", "", _bits(field), f"`{field.name}`", field.access, field.reset, _sentence(field.description, values)))
    return lines


_PROPERTY = re.compile(r"\b(?P<name>[acm]_\w+)\s*:\s*(?:assert|assume|cover)\b")


def properties_of(path: Path) -> dict[str, list[str]]:
    """Names of a file's assertions (a), assumptions (m) and cover properties (c)."""
    found: dict[str, list[str]] = {"a": [], "m": [], "c": []}
    for match in _PROPERTY.finditer(path.read_text(encoding="utf-8")):
        if match["name"] not in found[match["name"][0]]:
            found[match["name"][0]].append(match["name"])
    return found


def properties(folder: str) -> list[str]:
    """Of all files of a block's folder."""
    lines = _table("file", "asserted", "assumed", "covered")
    for path in sorted((ROOT / "hdl" / folder).glob("*.sv")):
        found = properties_of(path)
        if any(found.values()):
            lines.append(_row(f"`{path.name}`", *(" ".join(f"`{name}`" for name in found[kind]) for kind in "amc")))
    if len(lines) == 2:
        return ["This folder has no property of its own."]
    return lines


def clocks() -> list[str]:
    """Who runs by which clock input of the SoC."""
    lines = _table("clock input", "parts")
    return lines + [_row(f"`{clock}`", ", ".join(users)) for clock, users in pictures.clock_users().items()]


def addresses() -> list[str]:
    """The address map."""
    lines = _table("from", "size", "what")
    return lines + [
        _row(f"`0x{first >> 16:04X}_{first & 0xFFFF:04X}`", f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB", owner)
        for first, size, owner in pictures.address_map()
    ]


def joins() -> list[str]:
    """The nets between each two parts of the SoC."""
    lines = _table("between", "nets")
    return lines + [
        _row(f"{first}, {second}", " ".join(f"`{net}`" for net in nets)) for (first, second), nets in sorted(pictures.netlist().items())
    ]


# --- Policies ------------------------------------------------------------------------------------------------------


def rows_of_policies() -> list[tuple[int, str, str]]:
    """Number, name and selections, as policies.def has them."""
    text = (ROOT / "firmware/queue/policies.def").read_text(encoding="utf-8")
    return [(int(one[0]), one[1], one[2]) for one in re.findall(r'^POLICY\((\d+), (\w+), "([^"]*)"\)', text, re.M)]


def sources_of_policies(path: Path = SOURCES_OF_POLICIES) -> dict[str, dict[str, str]]:
    """Paper and place of each row of policies.def. Raises SourceError when a row is missing, or one too many."""
    with path.open("rb") as file:
        sources: dict[str, dict[str, str]] = tomllib.load(file)
    names = [name for _, name, _ in rows_of_policies()]
    for name in sources:
        if name not in names:
            raise verilog.SourceError(f"{path.name}: [{name}] is no row of firmware/queue/policies.def")
        if set(sources[name]) != {"paper", "section"}:
            raise verilog.SourceError(f"{path.name}: [{name}] has {sorted(sources[name])}; it has to have paper and section")
    for name in names:
        if name not in sources:
            raise verilog.SourceError(f"{path.name}: no [{name}], which firmware/queue/policies.def has; write where it is defined")
    return sources


def policies() -> list[str]:
    """What `headstack policy list --json` tells of each policy, beside its source."""
    done = subprocess.run([str(runs.program("headstack")), "policy", "list", "--json"], capture_output=True, text=True, check=True)
    told = {one["name"]: one for one in json.loads(done.stdout)}
    numbers = {name: number for number, name, _ in rows_of_policies()}
    lines = _table("", "policy", "serves next", "parameters and flags", "source")
    sources = sources_of_policies()
    for name in sources:
        if name not in told:
            raise verilog.SourceError(f"headstack policy list does not know {name}; build it anew: ninja -C build/release headstack")
    for name, number in numbers.items():
        source = sources[name]
        one = told[name]
        options = [_parameter(some) for some in one["parameters"]] + [f"`{some['name']}`: {some['text']}" for some in one["flags"]]
        words = " ".join(f"{option}." for option in options)
        lines.append(_row(str(number), f"`{name}`", one["text"], words, f"{source['paper']}, {source['section']}"))
    return lines


def _parameter(told: dict[str, object]) -> str:
    unit = f" {told['unit']}" if told["unit"] else ""
    first = told["initial"] if told["initial"] is not None else f"cylinders / {told['initial_cylinders_over']}"
    if isinstance(first, float):
        first = f"{first:g}"
    on_native = float(str(told["maximum_on_native"]))
    more = f", up to {on_native:g} on `native`" if on_native != float(str(told["maximum"])) else ""
    return f"`{told['name']}` {float(str(told['minimum'])):g} to {float(str(told['maximum'])):g}{unit}, default {first}{more}: {told['text']}"


def commands() -> list[str]:
    """The drive's commands by operation code, as commands.def has them."""
    text = re.sub(r"//.*", "", (ROOT / "firmware/device/commands.def").read_text(encoding="utf-8"))
    rows = re.findall(r"COMMAND\(\s*(\w+),\s*0x(\w+),\s*\w+,\s*([\w| \n]+?),([^)]*)\)", text)
    if len(rows) != len(re.findall(r"^(?:DATA_)?COMMAND\(", text, re.M)):
        raise verilog.SourceError("firmware/device/commands.def has a row that is not understood")
    lines = _table("operation code", "command", "media", "reserved for another", "unit attention")
    for name, code, words, rest in sorted(rows, key=lambda row: int(row[1], 16)):
        flags = set(re.findall(r"[A-Z]\w+", words))
        action = ""
        if "SERVICE_ACTION" in flags:
            usage = next(word.strip() for word in rest.split(",") if word.strip().startswith("0x"))
            action = f", service action {int(usage, 16):02X}h"
        media = "ready" if "NEEDS_READY" in flags else "at speed" if "NEEDS_SPINDLE" in flags else "any"
        lines.append(_row(
            f"{code}h{action}", re.sub(r" (\d+)$", r"(\1)", name.replace("_", " ")), media,
            "answered" if "ANY_HOLDER" in flags else "conflict", "kept" if "KEEPS_ATTENTION" in flags else "reported"))
    return lines


_SAVED = {"STORED": "by MODE SELECT with SP", "WITH_MAP": "with the map", "NEVER_SAVED": "never"}
_COUNTED = {"DRIVE": "the drive", "INITIATOR": "each initiator; a reset clears them"}


def _page_name(page: page_rows.Page | page_rows.LogPage) -> str:
    return f"{page.code:02X}h" + (f"/{page.subpage:02X}h" if page.subpage else "")


def mode_pages() -> list[str]:
    """The mode pages, as firmware/unit/modes.def has them."""
    lines = _table("page", "name", "bytes", "saved", "source")
    for page in page_rows.mode_pages():
        lines.append(_row(_page_name(page), page.title, str(page.bytes), _SAVED[page.saved], page.clause))
    return lines


def _span(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else str(first)


def _limits(one: page_rows.Field) -> str:
    """Of the values, where they are not those of all its bits; and what becomes of others."""
    most = min(one.most, (1 << one.bits) - 1)
    if one.least == 0 and most == (1 << one.bits) - 1:
        return ""
    beyond = {"REFUSED": "", "ROUNDED": ", rounded", "ROUNDED_BUT_0": " or 0, rounded"}[one.beyond]
    return f"{one.least:,} to {most:,}{beyond}"


def _default(one: page_rows.Field, known: dict[str, int]) -> str:
    return "by the drive" if "config->" in one.default else f"{page_rows.value_of(one.default, known):,}"


def mode_fields() -> list[str]:
    """The fields of all mode pages."""
    known = page_rows.constants()
    lines = _table("byte", "bits", "field", "unit", "values", "default", "meaning")
    seen: list[list[page_rows.Field]] = []
    for page in page_rows.mode_pages():
        each = f"each of {page.count} descriptors from byte {page.at} on" if page.count else ""
        if page.fields in seen:
            each = "as the page before"
        lines.append(_row("", "", f"**{_page_name(page)}**", "", "", "", f"**{page.title}**" + (f": {each}" if each else "")))
        for one in [] if page.fields in seen else page.fields:
            bits = _span(one.bit, one.bit - one.bits + 1) if one.bits < 8 else ""
            meaning = one.meaning + (f" ({one.count} values)" if one.count > 1 else "")
            default = _default(one, known) + ("" if one.changes else ", fixed")
            lines.append(_row(_span(one.byte, one.last_byte), bits, f"`{one.name}`", one.unit, _limits(one), default, meaning))
            lines += [_row("", str(bit), "", "", "", "", text) for name, bit, text in page.flags if name == one.name]
        seen.append(page.fields)
    return lines


def log_pages() -> list[str]:
    """The log pages, as firmware/device/logs.def has them."""
    lines = _table("page", "has", "counted for")
    for page in page_rows.log_pages():
        counted = "" if page.form == "PAGES" else _COUNTED[page.counted]
        lines.append(_row(_page_name(page), page.contents, counted))
    return lines


def log_parameters() -> list[str]:
    """The parameters of the log pages. Pages with the same ones share their rows."""
    lines = _table("page", "parameter", "meaning")
    groups: list[tuple[list[str], list[tuple[str, str]]]] = []
    for page in page_rows.log_pages():
        same = [names for names, parameters in groups if parameters == page.parameters]
        if same:
            same[0].append(_page_name(page))
        elif page.parameters:
            groups.append(([_page_name(page)], page.parameters))
    for names, parameters in groups:
        lines += [_row(", ".join(names), code, meaning) for code, meaning in parameters]
    return lines


def events() -> list[str]:
    """The firmware's events, as firmware/events.h has them."""
    lines = _table("", "event", "argument")
    text = re.sub(r"\\\n", "", (ROOT / "firmware/events.h").read_text(encoding="utf-8"))
    for number, name, argument in re.findall(r'EVENT\((\d+), (\w+), "([^"]*)"\)', text):
        lines.append(_row(number, f"`{name}`", argument))
    return lines
