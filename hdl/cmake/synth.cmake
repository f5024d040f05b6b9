# SPDX-License-Identifier: Apache-2.0
# The target synth: the SoC for an ECP5, up to a bitstream (README.md, "Synthesis"); in no other target. Its tools are
# Python packages, installed by the first run into build/synth-venv: nobody else needs them.
set(HEADSTACK_SYNTH ${CMAKE_CURRENT_SOURCE_DIR}/synth)
set(HEADSTACK_SYNTH_VENV ${CMAKE_SOURCE_DIR}/build/synth-venv)

add_custom_command(
  OUTPUT ${HEADSTACK_SYNTH_VENV}/installed.lock
  COMMAND ${HEADSTACK_PYTHON} -m venv --clear ${HEADSTACK_SYNTH_VENV}
  COMMAND ${HEADSTACK_SYNTH_VENV}/bin/pip install --quiet --disable-pip-version-check --require-hashes
          -r ${HEADSTACK_SYNTH}/requirements.lock
  COMMAND ${CMAKE_COMMAND} -E copy ${HEADSTACK_SYNTH}/requirements.lock ${HEADSTACK_SYNTH_VENV}/installed.lock
  DEPENDS ${HEADSTACK_SYNTH}/requirements.lock
  COMMENT "Tools of synthesis"
  VERBATIM)

set(sources ${SOC_SOURCES})
list(FILTER sources EXCLUDE REGEX "\\.vlt$")
string(REPLACE "+incdir+" "-I;" folders "${IBEX_ARGS}")
headstack_lint(drive_chip TOP drive_chip SOURCES ${IBEX_ARGS} ${SOC_SOURCES} ${HEADSTACK_SYNTH}/drive_chip.sv)

add_custom_target(synth
  COMMAND ${HEADSTACK_PYTHON} -B ${HEADSTACK_SYNTH}/synth.py --bin ${HEADSTACK_SYNTH_VENV}/bin
          --out ${CMAKE_CURRENT_BINARY_DIR}/synth --require-mhz 50 ${sources} ${HEADSTACK_SYNTH}/drive_chip.sv ${folders}
  DEPENDS ${HEADSTACK_SYNTH_VENV}/installed.lock ${sources} ${HEADSTACK_SYNTH}/drive_chip.sv ${HEADSTACK_SYNTH}/synth.py
  COMMENT "Synthesis for an ECP5: some minutes, then build/release/hdl/synth/report.txt"
  COMMAND_EXPAND_LISTS VERBATIM)

# The patched core against Ibex's own (cpu/patches).
set(core_files ${IBEX_PACKAGES} ${CPU})
add_custom_target(prove_core
  COMMAND ${HEADSTACK_PYTHON} -B ${HEADSTACK_SYNTH}/prove_core.py --bin ${HEADSTACK_SYNTH_VENV}/bin
          --out ${CMAKE_CURRENT_BINARY_DIR}/prove_core --original ${IBEX_ROOT}/rtl --cpu ${core_files}
          --patched ${IBEX_PATCHED} ${folders}
  DEPENDS ${HEADSTACK_SYNTH_VENV}/installed.lock ${core_files} ${IBEX_PATCHED} ${HEADSTACK_SYNTH}/prove_core.py
          ${HEADSTACK_SYNTH}/synth.py
  COMMENT "Proof that the patched core is Ibex, cycle by cycle: some minutes"
  COMMAND_EXPAND_LISTS VERBATIM)

# The blocks' own assertions, for all inputs and any time. Not Ibex: nothing of the core is read.
set(proof_files ${sources})
list(FILTER proof_files EXCLUDE REGEX "/(prim|ibex)_[a-z0-9_]*\\.sv$|/(soc_top|cpu)\\.sv$")
foreach(broken "" --broken)
  string(REPLACE "--" "_" suffix "${broken}")
  add_custom_target(prove_blocks${suffix}
    COMMAND ${HEADSTACK_PYTHON} -B ${HEADSTACK_SYNTH}/prove_blocks.py --bin ${HEADSTACK_SYNTH_VENV}/bin
            --out ${CMAKE_CURRENT_BINARY_DIR}/prove_blocks ${broken} ${proof_files}
    DEPENDS ${HEADSTACK_SYNTH_VENV}/installed.lock ${proof_files} ${HEADSTACK_SYNTH}/prove_blocks.py
            ${HEADSTACK_SYNTH}/synth.py
    COMMENT "Proofs of the blocks' assertions: two minutes"
    COMMAND_EXPAND_LISTS VERBATIM)
endforeach()
