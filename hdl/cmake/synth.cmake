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

# The files of Ibex that patches/*.patch name, copied and patched. An explicit source takes precedence over the file of the same
# module in IBEX_ARGS, so users of the patched core add IBEX_PATCHED to the sources of the core as it is.
find_package(Git REQUIRED)
set(patched_folder ${CMAKE_CURRENT_BINARY_DIR}/patched_ibex)
file(GLOB patches ${HEADSTACK_SYNTH}/patches/*.patch)
list(SORT patches)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HEADSTACK_SYNTH}/patches ${patches})
set(originals "")
set(IBEX_PATCHED "")
foreach(patch IN LISTS patches)
  file(STRINGS ${patch} lines REGEX "^\\+\\+\\+ b/rtl/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^\\+\\+\\+ b/rtl/([a-z_]+\\.sv).*" "\\1" name "${line}")
    list(APPEND originals ${IBEX_ROOT}/rtl/${name})
    list(APPEND IBEX_PATCHED ${patched_folder}/rtl/${name})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES originals)
list(REMOVE_DUPLICATES IBEX_PATCHED)
# Patched beside, so that a patch that does not apply leaves no file that looks finished.
file(MAKE_DIRECTORY ${patched_folder}/new/rtl ${patched_folder}/rtl)
add_custom_command(
  OUTPUT ${IBEX_PATCHED}
  COMMAND ${CMAKE_COMMAND} -E copy ${originals} ${patched_folder}/new/rtl
  # The ceiling keeps git from looking for a repository above, which would not know these files.
  COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${CMAKE_CURRENT_BINARY_DIR} ${GIT_EXECUTABLE} apply ${patches}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${patched_folder}/new/rtl ${patched_folder}/rtl
  DEPENDS ${originals} ${patches}
  WORKING_DIRECTORY ${patched_folder}/new
  COMMENT "Patching Ibex for synthesis; another version of Ibex needs other patches (hdl/README.md, \"The core\")"
  VERBATIM)

set(soc_sources_patched ${HEADSTACK_SYNTH}/patched_ibex.vlt ${SOC_SOURCES} ${IBEX_PATCHED})
set(sources ${soc_sources_patched})
list(FILTER sources EXCLUDE REGEX "\\.vlt$")
string(REPLACE "+incdir+" "-I;" folders "${IBEX_ARGS}")
# In every build: the lint is one of the quick tests, and reads the patched files.
add_custom_target(patched_ibex ALL DEPENDS ${IBEX_PATCHED})
headstack_lint(drive_chip TOP drive_chip SOURCES ${IBEX_ARGS} ${soc_sources_patched} ${HEADSTACK_SYNTH}/drive_chip.sv)

add_custom_target(synth
  COMMAND ${HEADSTACK_PYTHON} -B ${HEADSTACK_SYNTH}/synth.py --bin ${HEADSTACK_SYNTH_VENV}/bin
          --out ${CMAKE_CURRENT_BINARY_DIR}/synth --require-mhz 50 ${sources} ${HEADSTACK_SYNTH}/drive_chip.sv ${folders}
  DEPENDS ${HEADSTACK_SYNTH_VENV}/installed.lock ${sources} ${HEADSTACK_SYNTH}/drive_chip.sv ${HEADSTACK_SYNTH}/synth.py
  COMMENT "Synthesis for an ECP5: some minutes, then build/release/hdl/synth/report.txt"
  COMMAND_EXPAND_LISTS VERBATIM)

# The chip and each block alone, beside the page's table.
foreach(write "" --write)
  string(REPLACE "--" "_" suffix "${write}")
  add_custom_target(area${suffix}
    COMMAND ${HEADSTACK_PYTHON} -B ${HEADSTACK_SYNTH}/area.py --bin ${HEADSTACK_SYNTH_VENV}/bin
            --out ${CMAKE_CURRENT_BINARY_DIR}/area --page ${CMAKE_CURRENT_SOURCE_DIR}/README.md ${write}
            ${sources} ${HEADSTACK_SYNTH}/drive_chip.sv ${folders}
    DEPENDS ${HEADSTACK_SYNTH_VENV}/installed.lock ${sources} ${HEADSTACK_SYNTH}/drive_chip.sv ${HEADSTACK_SYNTH}/synth.py
            ${HEADSTACK_SYNTH}/area.py
    COMMENT "Area and speed of the chip and of each block: a quarter of an hour"
    COMMAND_EXPAND_LISTS USES_TERMINAL VERBATIM)
endforeach()

# The same as soc_inspect, whose class it has, with the patched core: for the random programs of tests/core alone.
headstack_verilate(soc_inspect_patched CLASS Vsoc_inspect TOP soc_top
  SOURCES ${INSPECT} ${soc_sources_patched} ARGS ${IBEX_ARGS} ${INSPECT_ARGS})
set_target_properties(soc_inspect_patched PROPERTIES EXCLUDE_FROM_ALL TRUE)

# The patched core against Ibex's own.
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
